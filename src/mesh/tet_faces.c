// SPDX-License-Identifier: MIT
#include "mesh/tet_faces.h"

#include "base/sort.h"

#define TET_SMALL_BUCKET 64

const uint8_t brTetCorners[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

void brFreeTetFaces(brTetFaces* buckets)
{
	BR_FREE(&buckets->allocator, buckets->starts, (int64_t)buckets->nodeCount + 2);
	BR_FREE(&buckets->allocator, buckets->keys, buckets->itemCount);
	BR_FREE(&buckets->allocator, buckets->items, buckets->itemCount);
	buckets->starts = NULL;
	buckets->keys = NULL;
	buckets->items = NULL;
}

static bool bucketsAllocate(brTetFaces* buckets, const brAllocator* allocator, int32_t nodeCount, int32_t itemCount)
{
	*buckets = (brTetFaces){.allocator = *allocator, .nodeCount = nodeCount, .itemCount = itemCount};
	buckets->starts = BR_ALLOC_ZERO(allocator, int32_t, (int64_t)nodeCount + 2);
	buckets->keys = BR_ALLOC(allocator, uint64_t, itemCount);
	buckets->items = BR_ALLOC(allocator, uint32_t, itemCount);
	if (buckets->starts == NULL || buckets->keys == NULL || buckets->items == NULL)
	{
		brFreeTetFaces(buckets);
		return false;
	}
	return true;
}

// Counts are in starts[node + 2]; afterwards starts[node + 1] is where the next item of the node goes, and when all are
// in place, where the next node starts.
static void bucketsPlace(brTetFaces* buckets)
{
	for (int32_t v = 0; v < buckets->nodeCount; ++v)
	{
		buckets->starts[v + 2] += buckets->starts[v + 1];
	}
}

static inline void bucketsAdd(brTetFaces* buckets, int32_t node, uint64_t key, uint32_t item)
{
	int32_t place = buckets->starts[node + 1]++;
	buckets->keys[place] = key;
	buckets->items[place] = item;
}

static void bucketsSortSmall(uint64_t* keys, uint32_t* items, int32_t count)
{
	for (int32_t i = 1; i < count; ++i)
	{
		uint64_t key = keys[i];
		uint32_t item = items[i];
		int32_t k = i;
		for (; k > 0 && keys[k - 1] > key; --k)
		{
			keys[k] = keys[k - 1];
			items[k] = items[k - 1];
		}
		keys[k] = key;
		items[k] = item;
	}
}

// Both sorts are stable, so equal keys stay in the order they came in.
static bool bucketsSort(brTetFaces* buckets)
{
	int32_t largest = 0;
	for (int32_t v = 0; v < buckets->nodeCount; ++v)
	{
		int32_t count = buckets->starts[v + 1] - buckets->starts[v];
		largest = count > largest ? count : largest;
	}
	int32_t scratchCount = largest > TET_SMALL_BUCKET ? largest : 0;
	uint64_t* scratchKeys = BR_ALLOC(&buckets->allocator, uint64_t, scratchCount);
	uint32_t* scratchItems = BR_ALLOC(&buckets->allocator, uint32_t, scratchCount);
	bool ok = scratchKeys != NULL && scratchItems != NULL;
	for (int32_t v = 0; v < buckets->nodeCount && ok; ++v)
	{
		int32_t start = buckets->starts[v];
		int32_t count = buckets->starts[v + 1] - start;
		if (count <= TET_SMALL_BUCKET)
		{
			bucketsSortSmall(buckets->keys + start, buckets->items + start, count);
		}
		else
		{
			ok = brSortPairs64(NULL, &buckets->allocator, buckets->keys + start, buckets->items + start, scratchKeys,
							   scratchItems, count);
		}
	}
	BR_FREE(&buckets->allocator, scratchKeys, scratchCount);
	BR_FREE(&buckets->allocator, scratchItems, scratchCount);
	return ok;
}

// Lowest node of a face first, then the others in rising order; true if that takes an odd number of swaps.
static inline bool tetSortFace(int32_t* face)
{
	bool isOdd = false;
	for (int32_t step = 0; step < 3; ++step)
	{
		int32_t k = step & 1;
		if (face[k] > face[k + 1])
		{
			int32_t low = face[k + 1];
			face[k + 1] = face[k];
			face[k] = low;
			isOdd = !isOdd;
		}
	}
	return isOdd;
}

bool brMakeTetFaces(const brAllocator* allocator, const brTetMesh* mesh, brTetFaces* buckets)
{
	int32_t faceCount = 0;
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		faceCount += brTet_RepeatsNode(mesh->tets[t]) ? 0 : 4;
	}
	if (!bucketsAllocate(buckets, allocator, mesh->nodeCount, faceCount))
	{
		return false;
	}
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		for (int32_t t = 0; t < mesh->tetCount; ++t)
		{
			const int32_t* tet = mesh->tets[t];
			for (int32_t f = 0; f < 4 && !brTet_RepeatsNode(tet); ++f)
			{
				int32_t face[3] = {tet[brTetCorners[f][0]], tet[brTetCorners[f][1]], tet[brTetCorners[f][2]]};
				if (pass == 0)
				{
					int32_t low = face[0] < face[1] ? face[0] : face[1];
					buckets->starts[(low < face[2] ? low : face[2]) + 2] += 1;
					continue;
				}
				bool isOdd = tetSortFace(face);
				uint64_t key = (uint64_t)(uint32_t)face[1] << 32 | (uint64_t)(uint32_t)face[2] << 1 | isOdd;
				bucketsAdd(buckets, face[0], key, 4 * (uint32_t)t + (uint32_t)f);
			}
		}
		if (pass == 0)
		{
			bucketsPlace(buckets);
		}
	}
	if (!bucketsSort(buckets))
	{
		brFreeTetFaces(buckets);
		return false;
	}
	return true;
}

bool brMakeTetFaceEdges(const brAllocator* allocator, const brTetMesh* mesh, const uint8_t* isMarked, int32_t count,
						brTetFaces* edges)
{
	if (!bucketsAllocate(edges, allocator, mesh->nodeCount, 3 * count))
	{
		return false;
	}
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		for (int64_t item = 0; item < 4 * (int64_t)mesh->tetCount; ++item)
		{
			for (int32_t k = 0; k < 3 && isMarked[item]; ++k)
			{
				const int32_t* tet = mesh->tets[item / 4];
				int32_t a = tet[brTetCorners[item % 4][k]];
				int32_t b = tet[brTetCorners[item % 4][(k + 1) % 3]];
				if (pass == 0)
				{
					edges->starts[(a < b ? a : b) + 2] += 1;
				}
				else
				{
					bucketsAdd(edges, a < b ? a : b, (uint64_t)(uint32_t)(a < b ? b : a), a < b);
				}
			}
		}
		if (pass == 0)
		{
			bucketsPlace(edges);
		}
	}
	if (!bucketsSort(edges))
	{
		brFreeTetFaces(edges);
		return false;
	}
	return true;
}
