// SPDX-License-Identifier: MIT

// The distance of a point from the triangles of a solid, with its sign. Compiles as OpenCL C too. Links are made in
// triangle_links.c, the tree in triangle_build.c.

#include "contact/solid.h"

#define BR_LANES_FILE "contact/triangle_kernels.h"
#include "base/each_lanes.h"

int32_t brSolid_Nearest(const brSolid* solid, brVec3 p, int32_t hint, float* boundSq)
{
	return BR_ON_LANES(solid->hasAvx2, nearestTriangle, (solid, p, hint, boundSq));
}

uint32_t brSolid_PlaceBlock(const brSolid* solid, int32_t block, const brRelativePose* pose, brBox3 box,
							brFloat8 outPlaces[3])
{
	return BR_ON_LANES(solid->hasAvx2, placeBlock, (solid, block, pose, box, outPlaces));
}

// What lies along a triangle's normal, as a cosine, lies over the triangle.
#define TRIANGLE_FLUSH 0.99999f

int32_t brSolid_Extreme(const brSolid* solid, brVec3 direction)
{
	return BR_ON_LANES(solid->hasAvx2, extremePoint, (solid, direction));
}

uint32_t brPlanes_Bounds(const BR_FAR brVec4* planes, int32_t count, float slack, const brFloat8 places[3], float limit,
						 brFloat8* outLeast)
{
	return BR_ON_LANES(brCpu_Best() >= br_cpuAvx2, planeLanes, (planes, count, slack, places, limit, outLeast));
}

uint32_t brSolid_Bounds(const brSolid* solid, const brFloat8 places[3], float limit, brFieldBounds* out)
{
	return BR_ON_LANES(solid->hasAvx2, boundLanes, (solid, places, limit, out));
}

static brVec3 triangleLane(const BR_FAR brFloat8 from[3], int32_t lane)
{
	return brMakeVec3(from[0][lane], from[1][lane], from[2][lane]);
}

static brVec3 triangleNormal(const brSolid* solid, int32_t place)
{
	return triangleLane(solid->groups[place / BR_TRIANGLE_LANES].normal, place % BR_TRIANGLE_LANES);
}

void brSolid_Corners(const brSolid* solid, int32_t place, brVec3 outCorners[3])
{
	const BR_FAR brTriangleGroup* g = &solid->groups[place / BR_TRIANGLE_LANES];
	int32_t lane = place % BR_TRIANGLE_LANES;
	brVec3 a = triangleLane(g->corner, lane), along = triangleLane(g->along, lane);
	outCorners[0] = a;
	outCorners[1] = brMulAdd(a, g->length[lane], along);
	outCorners[2] = brMulAdd(brMulAdd(a, g->cx[lane], along), g->cy[lane], triangleLane(g->up, lane));
}

// The same arithmetic as in the lanes, for one of them: the way from the nearest point to p, and the feature it lies on.
static float triangleApart(const BR_FAR brTriangleGroup* g, int32_t lane, brVec3 p, brVec3* outApart,
						   int32_t* outFeature)
{
	brVec3 along = triangleLane(g->along, lane), up = triangleLane(g->up, lane), n = triangleLane(g->normal, lane);
	brVec3 q = brSub(p, triangleLane(g->corner, lane));
	float s = brDot(q, along), t = brDot(q, up), height = brDot(q, n);
	float cx = g->cx[lane], cy = g->cy[lane], length = g->length[lane], rest = s - length, back = cx - length;
	if (t >= 0.0f && s * cy - t * cx >= 0.0f && back * t - cy * rest >= 0.0f)
	{
		*outFeature = 0;
		*outApart = brMul(height, n);
		return height * height;
	}
	// Sides from a to b, b to c, and c to a; the places on them as parts of their lengths.
	float k0 = s < 0.0f ? 0.0f : s > length ? length : s;
	float k1 = brClamp01((rest * back + t * cy) * g->inv2[lane]);
	float k2 = brClamp01((s * cx + t * cy) * g->inv1[lane]);
	float x[3] = {s - k0, rest - k1 * back, s - k2 * cx}, y[3] = {t, t - k1 * cy, t - k2 * cy};
	float sq[3] = {x[0] * x[0] + y[0] * y[0], x[1] * x[1] + y[1] * y[1], x[2] * x[2] + y[2] * y[2]};
	bool isInner[3] = {k0 > 0.0f && k0<length, k1> 0.0f && k1<1.0f, k2> 0.0f && k2 < 1.0f};
	int32_t corners[3] = {k0 > 0.0f ? 1 : 0, k1 > 0.0f ? 2 : 1, k2 > 0.0f ? 2 : 0};
	int32_t side = sq[1] < sq[0] ? 1 : 0;
	side = sq[2] < sq[side] ? 2 : side;
	*outFeature = isInner[side] ? 1 + side : 4 + corners[side];
	*outApart = brMulAdd(brMulAdd(brMul(height, n), x[side], along), y[side], up);
	return height * height + sq[side];
}

float brSolid_Guess(const brSolid* solid, int32_t place, brVec3 p)
{
	brVec3 apart;
	int32_t feature;
	float distanceSq =
		triangleApart(&solid->groups[place / BR_TRIANGLE_LANES], place % BR_TRIANGLE_LANES, p, &apart, &feature);
	return brDot(apart, triangleNormal(solid, place)) < 0.0f ? -sqrtf(distanceSq) : sqrtf(distanceSq);
}

// Beside a flat triangle the link over a side leads nowhere: of all triangles that touch the nearest point, the one
// that sees p most from above or below tells the side.
static brVec3 triangleSideNormal(const brSolid* solid, brVec3 nearest, brVec3 apart, brVec3 own)
{
	enum
	{
		most = 64
	};
	int32_t places[most];
	float slack = 4.0f * BR_PLACE_ROUNDING * solid->shape->radius;
	brVec3 more = {slack, slack, slack};
	int32_t count = brSolid_InBox(solid, (brBox3){brSub(nearest, more), brAdd(nearest, more)}, places, most);
	float best = fabsf(brDot(own, apart));
	for (int32_t i = 0; i < (count < most ? count : most); ++i)
	{
		brVec3 n = triangleNormal(solid, places[i]), d;
		int32_t feature;
		float value = fabsf(brDot(n, apart));
		if (value > best && triangleApart(&solid->groups[places[i] / BR_TRIANGLE_LANES], places[i] % BR_TRIANGLE_LANES,
										  nearest, &d, &feature) < slack * slack)
		{
			best = value, own = n;
		}
	}
	return own;
}

void brSolid_AnswerAt(const brSolid* solid, int32_t place, brVec3 p, brFieldAnswer* out)
{
	const BR_FAR brTriangleLink* link = &solid->links[place];
	brVec3 apart, own = triangleNormal(solid, place), normal = own;
	float distanceSq =
		triangleApart(&solid->groups[place / BR_TRIANGLE_LANES], place % BR_TRIANGLE_LANES, p, &apart, &out->feature);
	out->triangle = place;
	out->nearest = brSub(p, apart);
	if (out->feature == 0)
	{
		out->distance = brDot(normal, apart);
		out->direction = normal;
		return;
	}
	if (out->feature >= 4)
	{
		normal = solid->fans[link->fans[out->feature - 4]];
	}
	else if (link->across[out->feature - 1] >= 0)
	{
		normal = brAdd(normal, triangleNormal(solid, link->across[out->feature - 1]));
		normal = brMul(1.0f / sqrtf(fmaxf(brDot(normal, normal), 1e-30f)), normal);
	}
	else if (link->across[out->feature - 1] == BR_ACROSS_FLAT)
	{
		normal = triangleSideNormal(solid, out->nearest, apart, normal);
	}
	float distance = sqrtf(distanceSq);
	float sign = brDot(apart, normal) < 0.0f ? -1.0f : 1.0f;
	out->distance = sign * distance;
	// Very near the surface the difference of two points has no direction left; the feature has.
	out->direction = distance > 1e-5f * solid->shape->radius ? brMul(sign / distance, apart) : normal;
	// Sides inside a flat face are no features.
	out->feature = brDot(out->direction, own) > TRIANGLE_FLUSH ? 0 : out->feature;
}

// The cell nearest to a coordinate in cells from the first cell's center.
static int32_t fieldCell(float at, int32_t count)
{
	float last = (float)(count - 1);
	at += 0.5f;
	return (int32_t)(at < 0.0f ? 0.0f : at > last ? last : at);
}

brFieldBound brSolid_Bound(const brSolid* solid, brVec3 p)
{
	// What the nearest cell's center knows holds here within the way there.
	brVec3 at = brSub(p, solid->cellOrigin);
	int32_t x = fieldCell(at.x * solid->invCellSize.x, solid->cellCounts[0]);
	int32_t y = fieldCell(at.y * solid->invCellSize.y, solid->cellCounts[1]);
	int32_t z = fieldCell(at.z * solid->invCellSize.z, solid->cellCounts[2]);
	brVec3 way =
		brSub(at, brMakeVec3((float)x * solid->cellSize.x, (float)y * solid->cellSize.y, (float)z * solid->cellSize.z));
	brSolidCell cell = solid->cells[(z * solid->cellCounts[1] + y) * solid->cellCounts[0] + x];
	float off = sqrtf(brDot(way, way)) * (1.0f + BR_LENGTH_ROUNDING), slack = BR_PLACE_ROUNDING * solid->shape->radius;
	float known = solid->isOpen ? fabsf(cell.distance) : cell.distance;
	brFieldBound bound = {known - off - slack, known + off + slack, cell.triangle};
	// Beyond the box: as far as the box.
	brVec3 half = solid->shape->half, c = brSub(p, solid->shape->boxCenter);
	brVec3 beyond = {fabsf(c.x) - half.x, fabsf(c.y) - half.y, fabsf(c.z) - half.z};
	if (beyond.x > 0.0f || beyond.y > 0.0f || beyond.z > 0.0f)
	{
		beyond = brMax(beyond, brMakeVec3(0.0f, 0.0f, 0.0f));
		float box = sqrtf(brDot(beyond, beyond)) * (1.0f - BR_LENGTH_ROUNDING);
		bound.least = box > bound.least ? box : bound.least;
	}
	return bound;
}

BR_ALONE int32_t brSolid_Search(const brSolid* solid, brVec3 p, float reach, const brFieldBound* known,
								float* outSquared)
{
	float most = fmaxf(known->most, -known->least) * (1.0f + 1e-4f);
	bool isOutside = known->least > 0.0f;
	float bound = isOutside && reach < most ? reach : most;
	int32_t place = -1;
	*outSquared = bound * bound;
	for (int32_t turn = 0; turn < 2 && place < 0; ++turn)
	{
		if (turn > 0 && bound < most)
		{
			break;
		}
		// Rounding at the rim of the bound: search without one.
		*outSquared = turn > 0 ? INFINITY : *outSquared;
		place = brSolid_Nearest(solid, p, known->hint, outSquared);
	}
	return place;
}

bool brSolid_FieldWithin(const brSolid* solid, brVec3 p, float reach, const brFieldBound* known, brFieldAnswer* out)
{
	if (known->least > reach)
	{
		out->distance = known->least;
		return false;
	}
	float squared;
	int32_t place = brSolid_Search(solid, p, reach, known, &squared);
	if (place < 0)
	{
		out->distance = reach;
		return false;
	}
	brSolid_AnswerAt(solid, place, p, out);
	bool isFar = out->distance > reach || (solid->isOpen && out->distance < -reach);
	out->distance = isFar ? fabsf(out->distance) : out->distance;
	return !isFar;
}

bool brSolid_Field(const brSolid* solid, brVec3 p, float reach, brFieldAnswer* out)
{
	brFieldBound bound = brSolid_Bound(solid, p);
	return brSolid_FieldWithin(solid, p, reach, &bound, out);
}

// The triangles of a group whose own boxes overlap one, behind those that are listed.
static int32_t inBoxGroup(const brSolid* solid, int32_t group, brBox3 box, int32_t* triangles, int32_t capacity,
						  int32_t count)
{
	int32_t first = BR_TRIANGLE_LANES * group, end = first + BR_TRIANGLE_LANES;
	for (int32_t place = first; place < end && place < solid->triangleCount; ++place)
	{
		brVec3 c[3];
		brSolid_Corners(solid, place, c);
		brBox3 around = {brMin(c[0], brMin(c[1], c[2])), brMax(c[0], brMax(c[1], c[2]))};
		if (brBox3_Overlaps(around, box))
		{
			if (count < capacity)
			{
				triangles[count] = place;
			}
			count += 1;
		}
	}
	return count;
}

int32_t brSolid_InBox(const brSolid* solid, brBox3 box, int32_t* outTriangles, int32_t capacity)
{
	const float lower[3] = {box.lower.x, box.lower.y, box.lower.z}, upper[3] = {box.upper.x, box.upper.y, box.upper.z};
	int32_t levels[BR_TREE_STACK], groups[BR_TREE_STACK], count = 0;
	levels[0] = solid->tree.levelCount - 1, groups[0] = 0;
	for (int32_t depth = 1; depth > 0;)
	{
		int32_t level = levels[--depth], group = groups[depth];
		uint32_t bits = brBoxOverlapsPlain(&solid->tree.levels[level][group], lower, upper);
		for (; level > 0 && bits != 0; ++depth)
		{
			int32_t last = 31 - __builtin_clz(bits); // so that the first is looked at next
			levels[depth] = level - 1, groups[depth] = BR_TRIANGLE_LANES * group + last;
			bits &= ~(1u << last);
		}
		for (; bits != 0; bits &= bits - 1)
		{
			int32_t child = BR_TRIANGLE_LANES * group + __builtin_ctz(bits);
			count = inBoxGroup(solid, child, box, outTriangles, capacity, count);
		}
	}
	return count;
}
