// SPDX-License-Identifier: MIT

// Fronts in walls that are thinner than the lattice. Such a wall lies in tets that are partly solid, a few front points
// across it, and what they see of each other's stress differs by the lattice, not by the wall: left to themselves they
// turn each their own way and the surface crumples. A crack through a wall is a ribbon across it. So the points of a
// front line that crosses the wall go on as one: by their mean wish along the wall, to a straight line across the wall
// there, spread evenly from a little outside on one side to a little outside on the other.
//
//        ......        ......       lattice around the wall
//      --------  ->  -----|---      the line of points, seen along the crack's edge on the wall
//        ......        ......

#include "fracture/crack_grow.h"

#define WALL_LOOK 0.125 // edges between looks for the end of the lattice
#define WALL_REACH 3.0  // edges that are looked at on each side
#define WALL_PAST 0.4   // edges that a line goes beyond the lattice
#define WALL_ACROSS 0.5 // cosine between a line and the wall's normal from which on it crosses it

// The wall's normal at a point, on the side of `like`; `like` itself outside the lattice.
static brDVec3 wallNormalAt(const brCrackGrowth* growth, brDVec3 point, brDVec3 like)
{
	brTetPoint place;
	brTetLocator_Find(growth->locator, growth->context, &point, 1, &place);
	brDVec3 normal = place.tet >= 0 ? growth->wallNormals[place.tet] : like;
	return brDDot(normal, like) < 0.0 ? brDNeg(normal) : normal;
}

// How far the lattice reaches from a point in it.
static double wallExtent(const brCrackGrowth* growth, brDVec3 from, brDVec3 way)
{
	double at = WALL_LOOK * growth->edge;
	while (at < WALL_REACH * growth->edge && brCrackGrowth_FillAt(growth, brDMulAdd(from, at, way)) > 0.0)
	{
		at += WALL_LOOK * growth->edge;
	}
	return at;
}

// Points [begin, begin + count) of a chain, modulo its length; the first and the last are outside, all others inside.
typedef struct WallLine
{
	const brCrackFrontPoint* points;
	int32_t chain; // points of the chain
	int32_t begin, count;
	brDVec3 middle; // of those inside
	brDVec3 across; // along the wall's normal, from the first to the last
} WallLine;

static int32_t wallIndex(const WallLine* line, int32_t i)
{
	return (line->begin + i) % line->chain;
}

static bool wallMakeLine(const brCrackGrowth* growth, WallLine* line)
{
	brDVec3 along =
		brDSub(line->points[wallIndex(line, line->count - 1)].position, line->points[wallIndex(line, 0)].position);
	brDVec3 normal = {0.0, 0.0, 0.0}, middle = {0.0, 0.0, 0.0};
	for (int32_t i = 1; i + 1 < line->count; ++i)
	{
		brDVec3 position = line->points[wallIndex(line, i)].position;
		middle = brDMulAdd(middle, 1.0 / (line->count - 2), position);
		normal = brDAdd(normal, wallNormalAt(growth, position, along));
	}
	line->middle = middle;
	line->across = brDNormalize(normal);
	return brDDot(line->across, brDNormalize(along)) > WALL_ACROSS;
}

// What all of it want together, along the wall. Zero if most want nothing.
static brDVec3 wallWant(const WallLine* line, const brDVec3* wants)
{
	brDVec3 sum = {0.0, 0.0, 0.0};
	double length = 0.0;
	int32_t moving = 0;
	for (int32_t i = 1; i + 1 < line->count; ++i)
	{
		brDVec3 want = wants[wallIndex(line, i)];
		sum = brDAdd(sum, want);
		length += brDLength(want);
		moving += brDDot(want, want) > 0.0 ? 1 : 0;
	}
	sum = brDMulAdd(sum, -brDDot(sum, line->across), line->across);
	double whole = brDLength(sum);
	bool isMoving = 4 * moving >= line->count - 2 && whole > 0.0;
	return isMoving ? brDMul(length / moving / whole, sum) : brMakeDVec3(0.0, 0.0, 0.0);
}

// The line across the wall at its new middle.
static void wallMove(brCrackGrowth* growth, int32_t index, const WallLine* line, brDVec3 want, uint8_t* isGuided,
					 brDVec3* wants)
{
	brGrowingCrack* crack = &growth->cracks.data[index];
	double way = INFINITY, length = brDLength(want);
	for (int32_t i = 1; i + 1 < line->count && length > 0.0; ++i)
	{
		way = fmin(way, brCrackGrowth_WayToCrack(growth, index, &line->points[wallIndex(line, i)], want));
	}
	bool isEnd = way < INFINITY;
	want = isEnd ? brDMul(way + BR_CRACK_PAST * growth->edge / length, want) : want;
	brDVec3 middle = brDAdd(line->middle, want);
	bool isInside = brCrackGrowth_FillAt(growth, middle) > 0.0;
	brDVec3 from = isInside ? middle : line->middle; // once it is out, as it was
	brDVec3 across = wallNormalAt(growth, from, line->across);
	double past = WALL_PAST * growth->edge;
	double low = -(wallExtent(growth, from, brDNeg(across)) + past), high = wallExtent(growth, from, across) + past;
	for (int32_t i = 0; i < line->count; ++i)
	{
		int32_t k = wallIndex(line, i);
		double at = low + (high - low) * i / (line->count - 1);
		brDVec3 to = brDMulAdd(middle, at, across);
		wants[k] = length > 0.0 ? brDSub(to, line->points[k].position) : want;
		isGuided[k] = 1;
		if (isEnd)
		{
			crack->states.data[line->points[k].vertex] = br_frontMet; // successors inherit that
		}
	}
}

void brCrackGrowth_GuideWalls(brCrackGrowth* growth, int32_t index, const brCrackFrontPoint* points, int32_t count,
							  bool isClosed, uint8_t* isGuided, brDVec3* wants)
{
	bool isAny = false;
	for (int32_t start = 0; start < count; ++start)
	{
		int32_t inside = 0, most = isClosed ? count - 1 : count - 1 - start;
		while (inside < most && points[(start + 1 + inside) % count].isInside)
		{
			inside += 1;
		}
		WallLine line = {.points = points, .chain = count, .begin = start, .count = inside + 2};
		if (points[start].isInside || inside == 0 || inside >= most || !wallMakeLine(growth, &line))
		{
			continue;
		}
		wallMove(growth, index, &line, wallWant(&line, wants), isGuided, wants);
		isAny = true;
	}
	// What is outside beside a line stays: it is a border of the ribbon.
	for (int32_t i = 0; i < count && isAny; ++i)
	{
		wants[i] = points[i].isInside || isGuided[i] != 0 ? wants[i] : brMakeDVec3(0.0, 0.0, 0.0);
	}
}
