// SPDX-License-Identifier: MIT

// The last edges of a crack. Nothing pulls at a front that is nearly through, and the lattice ends before the mesh does
// in its corners. So after the last step fronts go straight on where the surface of the mesh, or another crack, is
// within a few edges; the cut then goes through as the lattice did. A crack that parts nothing is healed by the cut,
// longer or not.

#include "fracture/crack_grow.h"

#include "base/report.h"

#define FINISH_REACH 2.5 // edges to the surface or a crack
#define FINISH_LOOK 0.25 // edges between looks ahead
#define FINISH_PAST 0.3  // edges beyond the surface
#define FINISH_OUT 1.0   // edges that a front outside goes on, so that no tet at the surface holds the parts together
#define FINISH_ROUNDS 3
#define FINISH_SAMPLES 8  // of a front edge
#define FINISH_BESIDE 1.2 // edges from a crack to tets that it does not cut
#define FINISH_APART 0.8  // of its area

// How far it is along the way to the first crack within reach; INFINITY: there is none.
static double finishToCrack(const brCrackGrowth* growth, const brGrowingCrack* crack, int32_t vertex, brDVec3 way)
{
	brDVec3 point = crack->positions.data[vertex];
	double reach = FINISH_REACH * brCrackGrowth_EdgeAt(growth, point), first = INFINITY;
	for (int32_t i = 0; i < growth->cracks.count; ++i)
	{
		const brGrowingCrack* other = &growth->cracks.data[i];
		int32_t from = other == crack ? vertex : -1;
		first = fmin(first, reach * brGrowingCrack_Crossing(other, point, brDMulAdd(point, reach, way), from));
	}
	return first;
}

// In the mesh, or in a tet that is partly solid: those reach out of it and are to be cut through too.
static bool finishIsInside(const brCrackGrowth* growth, brDVec3 point)
{
	return brCrackGrowth_IsSolid(growth, point) || (growth->fills != NULL && brCrackGrowth_FillAt(growth, point) > 0.0);
}

// How far it is along the way out of the solid; INFINITY if that is out of reach.
static double finishToOutside(const brCrackGrowth* growth, brDVec3 point, brDVec3 way)
{
	double edge = brCrackGrowth_EdgeAt(growth, point), reach = FINISH_REACH * edge;
	double length =
		brCrackGrowth_IsSolid(growth, point) ? brSurfaceTree_CastRay(growth->surface, point, way, reach, NULL) : 0.0;
	while (growth->fills != NULL && length < reach && brCrackGrowth_FillAt(growth, brDMulAdd(point, length, way)) > 0.0)
	{
		length += FINISH_LOOK * edge;
	}
	return length <= reach ? length : INFINITY;
}

// How far a front point goes. 0: it stays, since it is out, past a crack, or far from both. One that has just got out
// goes on if `isThrough`, and has left for good.
static double finishLength(const brCrackGrowth* growth, brGrowingCrack* crack, int32_t vertex, brDVec3 way,
						   bool isThrough)
{
	brDVec3 point = crack->positions.data[vertex];
	double edge = brCrackGrowth_EdgeAt(growth, point);
	if (isThrough && crack->states.data[vertex] == br_frontRuns && !finishIsInside(growth, point))
	{
		bool isFree = brSurfaceTree_CastRay(growth->surface, point, way, FINISH_OUT * edge, NULL) == INFINITY;
		crack->states.data[vertex] = br_frontLeft;
		return isFree ? FINISH_OUT * edge : 0.0;
	}
	if (crack->states.data[vertex] == br_frontMet || !finishIsInside(growth, point))
	{
		return 0.0;
	}
	double toOutside = finishToOutside(growth, point, way), toCrack = finishToCrack(growth, crack, vertex, way);
	if (toCrack < toOutside)
	{
		crack->states.data[vertex] = br_frontMet;
		return toCrack + BR_CRACK_PAST * edge;
	}
	return toOutside < INFINITY ? toOutside + FINISH_PAST * edge : 0.0;
}

// A point inside on a front edge whose ends are outside. False: there is none.
static bool finishFindInside(const brCrackGrowth* growth, brDVec3 a, brDVec3 b, brDVec3* outPoint)
{
	// Between where it enters and where it leaves, however close that is.
	double length = brDDistance(a, b);
	brDVec3 way = brDNormalize(brDSub(b, a));
	double enters = brSurfaceTree_CastRay(growth->surface, a, way, length, NULL);
	double leaves = brSurfaceTree_CastRay(growth->surface, b, brDNeg(way), length, NULL);
	*outPoint = brDMulAdd(a, 0.5 * (enters + length - leaves), way);
	if (enters <= length && leaves <= length && finishIsInside(growth, *outPoint))
	{
		return true;
	}
	for (int32_t k = 1; k < FINISH_SAMPLES && growth->fills != NULL; ++k)
	{
		*outPoint = brDLerp(a, b, (double)k / FINISH_SAMPLES);
		if (finishIsInside(growth, *outPoint))
		{
			return true;
		}
	}
	return false;
}

// A front edge between points outside may still cut off a corner of the solid: then it gets a vertex there, which can
// go on.
static bool finishDivide(brCrackGrowth* growth, brGrowingCrack* crack)
{
	int32_t frontCount = crack->front.count;
	for (int32_t i = 0; i < frontCount; ++i)
	{
		brDVec3 a = crack->positions.data[crack->front.data[i].a], b = crack->positions.data[crack->front.data[i].b];
		bool isOutside = !finishIsInside(growth, a) && !finishIsInside(growth, b);
		brDVec3 point;
		if (!isOutside || !finishFindInside(growth, a, b, &point))
		{
			continue;
		}
		if (!brGrowingCrack_DivideFront(&growth->allocator, crack, i, point, 0))
		{
			return false;
		}
		crack->states.data[crack->positions.count - 1] = br_frontLeft;
	}
	return true;
}

// One strip. Returns how many points moved, -1 without memory.
static int32_t finishExtend(brCrackGrowth* growth, brGrowingCrack* crack, bool isThrough)
{
	const brAllocator* allocator = &growth->allocator;
	if (!finishDivide(growth, crack))
	{
		return -1;
	}
	int32_t vertexCount = crack->positions.count, moved = 0;
	brDVec3* moves = BR_ALLOC_ZERO(allocator, brDVec3, vertexCount);
	if (moves == NULL)
	{
		return -1;
	}
	brGrowingCrack_FrontWays(crack, moves);
	for (int32_t i = 0; i < vertexCount; ++i)
	{
		bool isFront = brDDot(moves[i], moves[i]) > 0.0;
		double length = isFront ? finishLength(growth, crack, i, moves[i], isThrough) : 0.0;
		moves[i] = brDMul(length, moves[i]);
		moved += length > 0.0 ? 1 : 0;
	}
	bool isGood = moved == 0 || brGrowingCrack_Extend(allocator, crack, moves);
	BR_FREE(allocator, moves, vertexCount);
	return isGood ? moved : -1;
}

brResult brCrackGrowth_FinishNear(brCrackGrowth* growth, int32_t index, const brCrackFront* front, brReport* report)
{
	brGrowingCrack* crack = &growth->cracks.data[index];
	bool isAny = false;
	for (int32_t i = 0; i < front->count; ++i)
	{
		const brCrackFrontPoint* point = &front->points[i];
		if (!brGrowingCrack_IsLive(crack, point) || !finishIsInside(growth, point->position))
		{
			continue;
		}
		double reach = FINISH_REACH * brCrackGrowth_EdgeAt(growth, point->position);
		bool isNear = brSurfaceTree_CastRay(growth->surface, point->position, point->forward, reach, NULL) < INFINITY ||
					  finishToCrack(growth, crack, point->vertex, point->forward) < INFINITY;
		if (!isNear)
		{
			return br_success;
		}
		isAny = true;
	}
	// Without a live point it is through as far as it can see: once more will do.
	bool isDone = !isAny && crack->isFinished;
	crack->isFinished = !isAny;
	return isDone || finishExtend(growth, crack, false) >= 0 ? br_success : brFailMemory(report);
}

brResult brCrackGrowth_GoThrough(brCrackGrowth* growth, int32_t index, const brCrackFront* front, bool* outIsMoved,
								 brReport* report)
{
	brGrowingCrack* crack = &growth->cracks.data[index];
	for (int32_t i = 0; i < front->count; ++i)
	{
		if (brGrowingCrack_IsLive(crack, &front->points[i]))
		{
			return br_success;
		}
	}
	int32_t moved = front->count > 0 ? finishExtend(growth, crack, true) : 0;
	*outIsMoved = *outIsMoved || moved > 0;
	return moved >= 0 ? br_success : brFailMemory(report);
}

// Whether a crack has different parts of the lattice on its two sides, nearly all over.
static bool finishIsParting(const brCrackGrowth* growth, const brGrowingCrack* crack)
{
	double apart = 0.0, joined = 0.0;
	for (int32_t t = 0; t < crack->triangles.count; ++t)
	{
		const int32_t* v = crack->triangles.data[t].v;
		brDVec3 a = crack->positions.data[v[0]], b = crack->positions.data[v[1]], c = crack->positions.data[v[2]];
		brDVec3 middle = brDMul(1.0 / 3.0, brDAdd(a, brDAdd(b, c)));
		brDVec3 cross = brDCross(brDSub(b, a), brDSub(c, a));
		double area = brDLength(cross);
		brDVec3 beside =
			area > 0.0 ? brDMul(FINISH_BESIDE * brCrackGrowth_EdgeAt(growth, middle) / area, cross) : cross;
		int32_t above = brCrackGrowth_PartAt(growth, brDAdd(middle, beside));
		int32_t below = brCrackGrowth_PartAt(growth, brDSub(middle, beside));
		if (above >= 0 && below >= 0)
		{
			*(above != below ? &apart : &joined) += area;
		}
	}
	return apart > FINISH_APART * (apart + joined);
}

brResult brCrackGrowth_EndParting(brCrackGrowth* growth, int32_t index, brReport* report)
{
	brGrowingCrack* crack = &growth->cracks.data[index];
	if (!finishIsParting(growth, crack))
	{
		return br_success;
	}
	brResult result = finishExtend(growth, crack, false) >= 0 ? br_success : brFailMemory(report);
	for (int32_t i = 0; i < crack->states.count; ++i)
	{
		crack->states.data[i] = crack->states.data[i] == br_frontRuns ? br_frontLeft : crack->states.data[i];
	}
	return result;
}

brResult brCrackGrowth_Finish(brCrackGrowth* growth, brReport* report)
{
	for (int32_t i = 0; i < growth->cracks.count; ++i)
	{
		// The ends of a given crack's front run along the surface; where that is bent their track may come to lie
		// inside.
		bool isGiven = i < growth->def->givenCount;
		int32_t moved = !isGiven || brGrowingCrack_FindBorder(&growth->allocator, &growth->cracks.data[i]) ? 1 : -1;
		for (int32_t round = 0; round < FINISH_ROUNDS && moved > 0; ++round)
		{
			moved = finishExtend(growth, &growth->cracks.data[i], false);
		}
		if (moved < 0)
		{
			return brFailMemory(report);
		}
	}
	return br_success;
}
