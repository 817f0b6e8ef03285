// SPDX-License-Identifier: MIT

#include "fracture/crack_bonds.h"

#include "base/array.h"
#include "base/report.h"
#include "base/sort.h"

#include <string.h>

typedef struct BondCap
{
	int32_t piece;
	uint64_t source; // cutter and its face
	uint8_t kind;
	double area;
	brDVec3 center;
	brDVec3 vector; // area times normal, outward
} BondCap;

typedef BR_ARRAY(BondCap) BondCaps;
typedef BR_ARRAY(brBond) Bonds;

static BondCap bondMeasure(const brMesh* mesh, int32_t face)
{
	BondCap cap;
	memset(&cap, 0, sizeof(cap));
	int32_t begin = mesh->faceStarts[face], end = mesh->faceStarts[face + 1];
	brDVec3 first = mesh->positions[mesh->corners[begin]];
	for (int32_t c = begin + 1; c + 1 < end; ++c)
	{
		brDVec3 a = mesh->positions[mesh->corners[c]], b = mesh->positions[mesh->corners[c + 1]];
		cap.vector = brDAdd(cap.vector, brDMul(0.5, brDCross(brDSub(a, first), brDSub(b, first))));
	}
	for (int32_t c = begin; c < end; ++c)
	{
		cap.center = brDAdd(cap.center, mesh->positions[mesh->corners[c]]);
	}
	cap.center = brDMul(1.0 / (end - begin), cap.center);
	cap.area = brDLength(cap.vector);
	return cap;
}

static bool bondCollect(const brAllocator* allocator, const brCutResult* cut, BondCaps* caps)
{
	for (int32_t p = 0; p < cut->pieceCount; ++p)
	{
		const brCutPiece* piece = &cut->pieces[p];
		for (int32_t f = 0; f < piece->mesh->faceCount; ++f)
		{
			if (piece->faceKinds[f] == br_faceSource)
			{
				continue;
			}
			BondCap cap = bondMeasure(piece->mesh, f);
			cap.piece = p;
			cap.kind = piece->faceKinds[f];
			cap.source = (uint64_t)(uint32_t)piece->faceCutters[f] << 32 | (uint32_t)piece->faceParents[f];
			if (!BR_PUSH(allocator, caps, cap))
			{
				return false;
			}
		}
	}
	return true;
}

// Adds what one cap shares to the bond of its two pieces.
static bool bondAdd(const brAllocator* allocator, Bonds* bonds, const BondCap* front, const BondCap* back)
{
	int32_t low = front->piece < back->piece ? front->piece : back->piece;
	int32_t high = front->piece < back->piece ? back->piece : front->piece;
	brDVec3 vector = front->piece == low ? front->vector : brDMul(-1.0, front->vector);
	for (int32_t i = 0; i < bonds->count; ++i)
	{
		brBond* bond = &bonds->data[i];
		if (bond->pieces[0] == low && bond->pieces[1] == high)
		{
			bond->area += front->area;
			bond->center = brDMulAdd(bond->center, front->area, front->center);
			bond->normal = brDAdd(bond->normal, vector);
			return true;
		}
	}
	brBond bond;
	memset(&bond, 0, sizeof(bond));
	bond.pieces[0] = low, bond.pieces[1] = high;
	bond.area = front->area;
	bond.center = brDMul(front->area, front->center);
	bond.normal = vector;
	return BR_PUSH(allocator, bonds, bond);
}

static bool bondMatch(const brAllocator* allocator, const BondCaps* caps, const uint32_t* order, Bonds* bonds)
{
	for (int32_t begin = 0; begin < caps->count;)
	{
		int32_t end = begin + 1;
		while (end < caps->count && caps->data[order[end]].source == caps->data[order[begin]].source)
		{
			end += 1;
		}
		for (int32_t i = begin; i < end; ++i)
		{
			const BondCap* front = &caps->data[order[i]];
			const BondCap* nearest = NULL;
			for (int32_t k = begin; k < end && front->kind == br_faceCapPositive; ++k)
			{
				const BondCap* back = &caps->data[order[k]];
				bool isNearer = nearest == NULL ||
								brDDistance(back->center, front->center) < brDDistance(nearest->center, front->center);
				nearest = back->kind == br_faceCapNegative && isNearer ? back : nearest;
			}
			if (nearest != NULL && nearest->piece != front->piece && !bondAdd(allocator, bonds, front, nearest))
			{
				return false;
			}
		}
		begin = end;
	}
	return true;
}

static void bondFinish(Bonds* bonds)
{
	for (int32_t i = 0; i < bonds->count; ++i)
	{
		brBond* bond = &bonds->data[i];
		bond->center = bond->area > 0.0 ? brDMul(1.0 / bond->area, bond->center) : bond->center;
		double length = brDLength(bond->normal);
		bond->normal = length > 0.0 ? brDMul(1.0 / length, bond->normal) : brMakeDVec3(0.0, 0.0, 1.0);
		for (int32_t k = i; k > 0; --k) // few bonds: put each in its place
		{
			brBond* before = &bonds->data[k - 1];
			brBond* after = &bonds->data[k];
			bool isRising = before->pieces[0] < after->pieces[0] ||
							(before->pieces[0] == after->pieces[0] && before->pieces[1] < after->pieces[1]);
			if (isRising)
			{
				break;
			}
			brBond swap = *before;
			*before = *after;
			*after = swap;
		}
	}
}

brResult brMakeCutBonds(const brAllocator* allocator, const brCutResult* cut, brBond** outBonds, int32_t* outCount,
						brReport* report)
{
	BondCaps caps = {0};
	Bonds bonds = {0};
	bool isGood = bondCollect(allocator, cut, &caps);
	int32_t count = caps.count;
	uint64_t* keys = BR_ALLOC(allocator, uint64_t, 2 * (int64_t)count);
	uint32_t* order = BR_ALLOC(allocator, uint32_t, 2 * (int64_t)count);
	isGood = isGood && keys != NULL && order != NULL;
	for (int32_t i = 0; i < count && isGood; ++i)
	{
		keys[i] = caps.data[i].source;
		order[i] = (uint32_t)i;
	}
	isGood = isGood && brSortPairs64(NULL, allocator, keys, order, keys + count, order + count, count) &&
			 bondMatch(allocator, &caps, order, &bonds);
	if (keys != NULL)
	{
		BR_FREE(allocator, keys, 2 * (int64_t)count);
	}
	if (order != NULL)
	{
		BR_FREE(allocator, order, 2 * (int64_t)count);
	}
	BR_FREE_ARRAY(allocator, &caps);
	brBond* exact = isGood ? BR_ALLOC(allocator, brBond, bonds.count) : NULL;
	if (exact != NULL)
	{
		bondFinish(&bonds);
		if (bonds.count > 0)
		{
			memcpy(exact, bonds.data, (size_t)bonds.count * sizeof(brBond));
		}
		*outBonds = exact;
		*outCount = bonds.count;
	}
	BR_FREE_ARRAY(allocator, &bonds);
	return exact != NULL ? br_success : brFailMemory(report);
}
