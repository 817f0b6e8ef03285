// SPDX-License-Identifier: MIT

// The last edge of a crack. Once it has parted the lattice nothing pulls at its front any more, but a corner of the solid may still lie beyond it: the
// lattice counts a tet as cut that the surface only half crosses. So fronts of cracks that part the lattice go straight on where the solid ends
// within a few edges; the cut then goes through as the lattice did. Cracks that part nothing stay as they are.

#include "fracture/crack_grow.h"

#include "base/report.h"

#include <string.h>

#define FINISH_REACH 2.5 // edges to the surface
#define FINISH_LOOK 0.25 // edges between looks ahead
#define FINISH_PAST 0.6  // edges beyond the surface
#define FINISH_ROUNDS 3
#define FINISH_SAMPLES 8 // of a front edge

// Tets whose pieces belong to different parts.
static void finishFindSplit(const brCrackGrowth* growth, int32_t* parts, uint8_t* isSplit)
{
	int32_t count = growth->pieceCount, tetCount = growth->tets->tetCount;
	memset(isSplit, 0, (size_t)tetCount);
	for (int32_t i = 0; i < count; ++i)
	{
		const brElasticPiece* piece = &growth->pieces[i];
		if (i < tetCount)
		{
			parts[piece->tet] = piece->part;
		}
		else
		{
			isSplit[piece->tet] |= parts[piece->tet] != piece->part ? 1 : 0;
		}
	}
}

static bool finishIsParting(const brCrackGrowth* growth, const brGrowingCrack* crack, const uint8_t* isSplit)
{
	for (int32_t t = 0; t < crack->triangles.count; ++t)
	{
		const int32_t* v = crack->triangles.data[t].v;
		brDVec3 middle = brDMul(1.0 / 3.0, brDAdd(crack->positions.data[v[0]],
												  brDAdd(crack->positions.data[v[1]], crack->positions.data[v[2]])));
		brTetPoint place;
		brTetLocator_Find(growth->context, growth->locator, &middle, 1, &place);
		if (place.tet >= 0 && isSplit[place.tet] != 0)
		{
			return true;
		}
	}
	return false;
}

// How far it is to the outside, or 0 if that is out of reach or the point is outside already.
static double finishDistance(const brCrackGrowth* growth, brDVec3 point, brDVec3 way)
{
	double h = growth->edge;
	bool isInside = brCrackGrowth_FillAt(growth, point) > 0.0;
	for (double at = FINISH_LOOK * h; isInside && at <= FINISH_REACH * h; at += FINISH_LOOK * h)
	{
		if (brCrackGrowth_FillAt(growth, brDMulAdd(point, at, way)) == 0.0)
		{
			return at;
		}
	}
	return 0.0;
}

// A front edge between points outside may still cut off a corner of the solid: then it gets a vertex there, which can go on. Vertices outside are dead, so
// the new one is told that it is not.
static bool finishDivide(brCrackGrowth* growth, brGrowingCrack* crack)
{
	int32_t frontCount = crack->front.count;
	for (int32_t i = 0; i < frontCount; ++i)
	{
		brDVec3 a = crack->positions.data[crack->front.data[i].a], b = crack->positions.data[crack->front.data[i].b];
		bool isOutside = brCrackGrowth_FillAt(growth, a) == 0.0 && brCrackGrowth_FillAt(growth, b) == 0.0;
		for (int32_t k = 1; k < FINISH_SAMPLES && isOutside; ++k)
		{
			brDVec3 point = brDLerp(a, b, (double)k / FINISH_SAMPLES);
			if (brCrackGrowth_FillAt(growth, point) > 0.0)
			{
				if (!brGrowingCrack_DivideFront(&growth->allocator, crack, i, point, 0))
				{
					return false;
				}
				crack->isDead.data[crack->positions.count - 1] = 0;
				break;
			}
		}
	}
	return true;
}

// One strip. Returns how many points moved, -1 without memory.
static int32_t finishExtend(brCrackGrowth* growth, brGrowingCrack* crack)
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
		bool isFront = brDDot(moves[i], moves[i]) > 0.0 && crack->isDead.data[i] == 0;
		double distance = isFront ? finishDistance(growth, crack->positions.data[i], moves[i]) : 0.0;
		moves[i] = brDMul(distance > 0.0 ? distance + FINISH_PAST * growth->edge : 0.0, moves[i]);
		moved += distance > 0.0 ? 1 : 0;
	}
	bool isGood = moved == 0 || brGrowingCrack_Extend(allocator, crack, moves);
	BR_FREE(allocator, moves, vertexCount);
	return isGood ? moved : -1;
}

brResult brCrackGrowth_Finish(brCrackGrowth* growth, brReport* report)
{
	const brAllocator* allocator = &growth->allocator;
	int32_t tetCount = growth->tets->tetCount;
	int32_t* parts = BR_ALLOC(allocator, int32_t, tetCount);
	uint8_t* isSplit = BR_ALLOC(allocator, uint8_t, tetCount);
	bool isGood = parts != NULL && isSplit != NULL;
	if (isGood)
	{
		finishFindSplit(growth, parts, isSplit);
	}
	for (int32_t i = 0; i < growth->cracks.count && isGood; ++i)
	{
		brGrowingCrack* crack = &growth->cracks.data[i];
		int32_t moved = finishIsParting(growth, crack, isSplit) ? 1 : 0;
		for (int32_t round = 0; round < FINISH_ROUNDS && moved > 0; ++round)
		{
			moved = finishExtend(growth, crack);
		}
		isGood = moved >= 0;
	}
	BR_FREE(allocator, parts, tetCount);
	BR_FREE(allocator, isSplit, tetCount);
	return isGood ? br_success : brFailMemory(report);
}
