// SPDX-License-Identifier: MIT

// The layered hashed grid of kdet_grid.h on a device: all pairs of overlapping boxes, each once.
//
//     boxes, sizes -> layers -> cells, counted by bucket -> places of buckets -> elements in cells -> pairs
//
// An element has one place, in the cell of its lower corner, on the finest layer where it reaches at most into the next
// cell on each axis. It looks at its own cell, at the thirteen ahead, and on coarser layers at those that may reach it,
// as the CPU does; cells of one bucket are told apart by their names. The last layer has one cell for everything, so
// that whatever rounding does there is a layer that fits. Coordinates are halved where a difference might be too large
// for a float.
//
// Places of buckets: a group sums up its buckets and takes a stretch of that length by one atomic addition. Which
// stretch it gets depends on who comes first, the pairs do not.
//
// Without pairs within objects, and if there are few objects, elements that no other object's bounds touch stay out.
//
// `state` is one buffer that one launch clears: bounds, counters, what the layers are, how many elements are of each
// size, and how many are in each bucket.

#define GRID_GROUP 256
#define GRID_EACH 8 // buckets a thread sums up
#define GRID_BINS 2048
#define GRID_ASKERS 32
#define GRID_SHARES 4 // threads for each asker: each looks at every fourth cell
#define GRID_ROOM 1024

#define GRID_TOTAL 14     // in `state`: places given out
#define GRID_ORIGIN 16    // three floats, halved
#define GRID_COUNT 19     // layers, less the last
#define GRID_INVERSES 20  // one over half the side of a cell, for each layer
#define GRID_MEMBERS 52   // elements of each layer
#define GRID_SIZES 96     // elements of each size
#define GRID_OBJECTS 2144 // bounds of objects, as treeGrowBounds makes them, if they are few
#define GRID_BUCKETS 2336 // elements of each bucket

#define GRID_FEW 32 // objects
#define GRID_OUT 0xFFFFFFFFFFFFFFFFul

// Half the longest side, never rounded down by more than the layers make up for.
inline float gridSize(float4 lower, float4 upper)
{
	float4 half_ = 0.5f * upper - 0.5f * lower;
	return fmax(half_.x, fmax(half_.y, half_.z)) * (1.0f + 0x1p-22f);
}

// Boxes of elements, their bounds, and how many there are of each size: eight sizes to an octave. `fewObjects`: how
// many objects there are if their bounds are wanted, else 0.
__kernel __attribute__((reqd_work_group_size(GRID_GROUP, 1, 1))) void
brk_gridBoxes(__global const void* vertices, uint arePositions, __global const int* corners, uint cornersEach,
			  __global const uint* objects, uint hasObjects, uint fewObjects, uint count, __global float4* boxes,
			  __global uint* state)
{
	__local uint local6[6];
	__local uint bounds[6 * GRID_FEW];
	__local uint sizes[GRID_BINS];
	for (uint i = get_local_id(0); i < GRID_BINS; i += GRID_GROUP)
	{
		sizes[i] = 0;
	}
	if (get_local_id(0) < 6 * GRID_FEW)
	{
		bounds[get_local_id(0)] = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	float4 allLower = (float4)(INFINITY), allUpper = (float4)(-INFINITY);
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		float4 lower, upper;
		treeElementBox(vertices, arePositions, corners, cornersEach, i, &lower, &upper);
		allLower = fmin(allLower, lower);
		allUpper = fmax(allUpper, upper);
		atomic_inc(&sizes[as_uint(gridSize(lower, upper)) >> 20 & (GRID_BINS - 1)]);
		const uint object = hasObjects != 0 ? objects[i] : 0u;
		if (fewObjects > 0)
		{
			__local uint* mine = bounds + 6 * object;
			atomic_max(&mine[0], ~treeOrdered(lower.x));
			atomic_max(&mine[1], ~treeOrdered(lower.y));
			atomic_max(&mine[2], ~treeOrdered(lower.z));
			atomic_max(&mine[3], treeOrdered(upper.x));
			atomic_max(&mine[4], treeOrdered(upper.y));
			atomic_max(&mine[5], treeOrdered(upper.z));
		}
		lower.w = as_float(i);
		upper.w = as_float(object);
		boxes[2 * i] = lower;
		boxes[2 * i + 1] = upper;
	}
	treeGrowBounds(allLower, allUpper, local6, state);
	for (uint i = get_local_id(0); i < GRID_BINS; i += GRID_GROUP)
	{
		if (sizes[i] > 0)
		{
			atomic_add(&state[GRID_SIZES + i], sizes[i]);
		}
	}
	const uint t = get_local_id(0);
	if (t < 6 * fewObjects && bounds[t] > 0)
	{
		atomic_max(&state[GRID_OBJECTS + t], bounds[t]);
	}
}

// The smallest size beyond a bin.
inline float gridBinEnd(uint bin)
{
	return as_float(min(bin + 1, 2040u) << 20);
}

// How often cells of side `top` are halved for elements of a bin, if `last` + `offset` is the bin of `top`.
inline uint gridHalvings(uint last, uint offset, uint bin, uint most)
{
	return min((last + offset - bin) / 8, most);
}

inline uint gridMostHalvings(float top, float finest, uint layers)
{
	const int most = layers > 0 ? (int)layers - 1 : BR_GRID_LAYERS - 4;
	return (uint)(finest > 0.0f ? clamp(ilogb(top / finest), 0, most) : most);
}

// One group. Of eight ways to place the sizes in octaves the one is taken whose cells hold the least space in all; none
// is finer than fits the names, and there are `layers` sizes of cells at most, 0: any number.
__kernel __attribute__((reqd_work_group_size(GRID_GROUP, 1, 1))) void brk_gridLayers(__global uint* state, uint layers)
{
	__local float costs[8][GRID_GROUP];
	__local uint first, last;
	const uint t = get_local_id(0);
	if (t == 0)
	{
		first = GRID_BINS - 1;
		last = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint bin = t; bin < GRID_BINS; bin += GRID_GROUP)
	{
		if (state[GRID_SIZES + bin] > 0)
		{
			atomic_min(&first, bin);
			atomic_max(&last, bin);
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	float3 origin = 0.5f * (float3)(treeUnordered(~state[0]), treeUnordered(~state[1]), treeUnordered(~state[2]));
	float3 side = 0.5f * (float3)(treeUnordered(state[3]), treeUnordered(state[4]), treeUnordered(state[5])) - origin;
	const float finest = fmax(side.x, fmax(side.y, side.z)) * 0x1p-18f;
	// What each way costs by bins, then in all; sums go in one order.
	for (uint offset = 0; offset < 8; ++offset)
	{
		float top = fmax(gridBinEnd(last + offset), finest), scale = 1.0f / gridBinEnd(last), cost = 0.0f;
		uint most = gridMostHalvings(top, finest, layers);
		for (uint bin = t; bin <= last; bin += GRID_GROUP)
		{
			uint members = state[GRID_SIZES + bin];
			if (members > 0)
			{
				float cell = ldexp(top, -(int)gridHalvings(last, offset, bin, most)) * scale;
				cost += (float)members * cell * cell * cell;
			}
		}
		costs[offset][t] = cost;
	}
	for (uint width = GRID_GROUP / 2; width > 0; width /= 2)
	{
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint offset = 0; offset < 8 && t < width; ++offset)
		{
			costs[offset][t] += costs[offset][t + width];
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	uint best = 0;
	for (uint offset = 1; offset < 8; ++offset)
	{
		best = costs[offset][0] < costs[best][0] ? offset : best;
	}
	// One layer more, for elements that rounding lets reach into a third cell, and the one that takes all. Elements as
	// large as floats go have the last alone.
	const float top = fmax(gridBinEnd(last + best), finest);
	const uint halvings = gridHalvings(last, best, first, gridMostHalvings(top, finest, layers));
	const uint layerCount = isfinite(costs[best][0]) ? halvings + 2 : 0;
	if (t < BR_GRID_LAYERS)
	{
		float cell = ldexp(top, (int)t - (int)halvings);
		float inverse = t < layerCount ? fmin(1.0f / cell, 0x1p120f) : 0.0f;
		state[GRID_INVERSES + t] = as_uint(inverse);
	}
	if (t == 0)
	{
		state[GRID_ORIGIN] = as_uint(origin.x);
		state[GRID_ORIGIN + 1] = as_uint(origin.y);
		state[GRID_ORIGIN + 2] = as_uint(origin.z);
		state[GRID_COUNT] = layerCount;
	}
}

// The cell of a point. Never falls as a coordinate rises, which is all the search relies on.
inline uint3 gridCell(float4 x, float3 origin, float inverse)
{
	return 1u + convert_uint3(clamp((0.5f * x.xyz - origin) * inverse, 0.0f, 0x1p18f));
}

inline float3 gridOrigin(volatile __global const uint* state)
{
	return (float3)(as_float(state[GRID_ORIGIN]), as_float(state[GRID_ORIGIN + 1]), as_float(state[GRID_ORIGIN + 2]));
}

// Does a box touch the bounds of an object other than its own?
inline bool gridIsNear(__local const float* bounds, uint fewObjects, float4 lower, float4 upper)
{
	for (uint k = 0; k < fewObjects; ++k)
	{
		__local const float* b = bounds + 6 * k;
		if (k != as_uint(upper.w) && lower.x <= b[3] && lower.y <= b[4] && lower.z <= b[5] && b[0] <= upper.x &&
			b[1] <= upper.y && b[2] <= upper.z)
		{
			return true;
		}
	}
	return false;
}

// The cell of each element and its number among those of its bucket.
__kernel __attribute__((reqd_work_group_size(GRID_GROUP, 1, 1))) void
brk_gridKeys(__global const float4* boxes, uint count, __global uint* state, uint hash, uint bucketMask,
			 uint fewObjects, __global ulong* keys, __global uint* ranks)
{
	__local uint members[BR_GRID_LAYERS];
	__local float inverses[BR_GRID_LAYERS];
	__local float bounds[6 * GRID_FEW];
	const uint t = get_local_id(0);
	if (t < 6 * fewObjects)
	{
		uint bits = state[GRID_OBJECTS + t];
		bounds[t] = treeUnordered(t % 6 < 3 ? ~bits : bits);
	}
	if (t < BR_GRID_LAYERS)
	{
		members[t] = 0;
		inverses[t] = as_float(state[GRID_INVERSES + t]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	const uint layerCount = state[GRID_COUNT];
	const float3 origin = gridOrigin(state);
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		float4 lower = boxes[2 * i], upper = boxes[2 * i + 1];
		if (fewObjects > 0 && !gridIsNear(bounds, fewObjects, lower, upper))
		{
			keys[i] = GRID_OUT;
			continue;
		}
		float size = gridSize(lower, upper);
		uint layer = 0;
		while (layer < layerCount && size * inverses[layer] > 1.0f)
		{
			layer += 1;
		}
		uint3 cell, end;
		do
		{
			cell = gridCell(lower, origin, inverses[layer]);
			end = gridCell(upper, origin, inverses[layer]);
			layer += 1;
		} while (end.x > cell.x + 1 || end.y > cell.y + 1 || end.z > cell.z + 1); // ends at the layer that takes all
		layer -= 1;
		ulong key = brGridName_Make(layer, cell.x, cell.y, cell.z);
		keys[i] = key;
		ranks[i] = atomic_inc(&state[GRID_BUCKETS + (brGridName_Hash(key, hash) & bucketMask)]);
		atomic_inc(&members[layer]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t < BR_GRID_LAYERS && members[t] > 0)
	{
		atomic_add(&state[GRID_MEMBERS + t], members[t]);
	}
}

// Where the elements of each bucket begin. One group for GRID_GROUP * GRID_EACH buckets.
__kernel __attribute__((reqd_work_group_size(GRID_GROUP, 1, 1))) void brk_gridStarts(__global uint* state,
																					 uint bucketCount,
																					 __global uint* starts)
{
	__local uint scratch[GRID_GROUP];
	__local uint stretch;
	const uint first = (get_group_id(0) * GRID_GROUP + get_local_id(0)) * GRID_EACH;
	uint counts[GRID_EACH], sum = 0;
	for (uint k = 0; k < GRID_EACH; ++k)
	{
		counts[k] = first + k < bucketCount ? state[GRID_BUCKETS + first + k] : 0u;
		sum += counts[k];
	}
	uint total;
	uint place = scanGroup(sum, scratch, &total);
	if (get_local_id(0) == 0)
	{
		stretch = atomic_add(&state[GRID_TOTAL], total);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	place += stretch;
	for (uint k = 0; k < GRID_EACH; ++k)
	{
		if (first + k < bucketCount)
		{
			starts[first + k] = place;
		}
		place += counts[k];
	}
}

// Elements to their places: boxes, cells, and corners where neighbors are to be told.
__kernel __attribute__((reqd_work_group_size(GRID_GROUP, 1, 1))) void
brk_gridPlace(__global const float4* boxes, __global const ulong* keys, __global const uint* ranks, uint count,
			  uint hash, uint bucketMask, __global const uint* starts, __global const int* corners, uint cornersEach,
			  uint flags, __global float4* placed, __global ulong* placedKeys, __global int4* placedCorners)
{
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		ulong key = keys[i];
		if (key == GRID_OUT)
		{
			continue;
		}
		uint place = starts[brGridName_Hash(key, hash) & bucketMask] + ranks[i];
		placed[2 * place] = boxes[2 * i];
		placed[2 * place + 1] = boxes[2 * i + 1];
		placedKeys[place] = key;
		if ((flags & PAIR_DROP_NEIGHBORS) != 0)
		{
			placedCorners[place] = pairCorners(corners, cornersEach, i);
		}
	}
}

// What a group found, on its way to the list.
typedef struct GridFound
{
	ulong pairs[GRID_ROOM];
	uint count, overlapCount;
	ulong run;
} GridFound;

typedef struct GridList
{
	__local GridFound* found;
	__global ulong* pairs;
	uint capacity;
	volatile __global uint* counters;
	uint counter;
} GridList;

inline void gridEmit(const GridList* list, ulong pair)
{
	uint slot = atomic_inc(&list->found->count);
	if (slot < GRID_ROOM)
	{
		list->found->pairs[slot] = pair;
		return;
	}
	ulong place = pairReserve(list->counters, list->counter, 1); // a crowd: straight to the list
	if (place < list->capacity)
	{
		list->pairs[place] = pair;
	}
}

// All threads of a group must call these two, before the first pair and after the last.

inline void gridBeginList(const GridList* list)
{
	if (get_local_id(0) == 0)
	{
		list->found->count = 0;
		list->found->overlapCount = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
}

// `overlaps`: of this thread.
inline void gridEndList(const GridList* list, uint overlaps)
{
	__local GridFound* found = list->found;
	const uint t = get_local_id(0);
	if (overlaps > 0)
	{
		atomic_add(&found->overlapCount, overlaps);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	const uint held = min(found->count, (uint)GRID_ROOM);
	if (t == 0)
	{
		found->run = pairReserve(list->counters, list->counter, held);
		pairReserve(list->counters, list->counter + 4, found->overlapCount);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = t; i < held; i += get_local_size(0))
	{
		if (found->run + i < list->capacity)
		{
			list->pairs[found->run + i] = found->pairs[i];
		}
	}
}

typedef struct GridAsker
{
	float4 lower, upper;
	int4 corners;
	uint place, flags;
	__global const float4* placed;
	__global const ulong* keys;
	__global const int4* placedCorners;
	__global const uint* starts;
	__global const uint* counts; // of buckets
	uint hash, bucketMask;
	const GridList* list;
} GridAsker;

// Elements of one cell that overlap the asker; of its own cell those behind it. Returns how many.
inline uint gridVisit(const GridAsker* a, ulong key, bool isOwn)
{
	const uint bucket = brGridName_Hash(key, a->hash) & a->bucketMask;
	const uint begin = a->starts[bucket], end = begin + a->counts[bucket];
	uint overlaps = 0;
	for (uint j = isOwn ? a->place + 1 : begin; j < end; ++j)
	{
		float4 lower = a->placed[2 * j], upper = a->placed[2 * j + 1];
		bool isSame = as_uint(upper.w) == as_uint(a->upper.w);
		if (!pairOverlaps(lower, upper, a->lower, a->upper) ||
			(a->flags & (isSame ? PAIR_SELF : PAIR_INTER)) == 0 || a->keys[j] != key)
		{
			continue;
		}
		overlaps += 1;
		if ((a->flags & PAIR_DROP_NEIGHBORS) == 0 || !pairSharesCorner(a->corners, a->placedCorners[j]))
		{
			gridEmit(a->list, pairName(as_uint(a->lower.w), as_uint(lower.w)));
		}
	}
	return overlaps;
}

// What a search reads and where it writes.
typedef struct GridSearch
{
	__global const float4* placed;
	__global const ulong* keys;
	__global const int4* placedCorners;
	__global const uint* starts;
	uint hash, bucketMask, flags;
	volatile __global uint* state;
	GridList list;
} GridSearch;

typedef struct GridLayers
{
	float inverses[BR_GRID_LAYERS];
	uint members[BR_GRID_LAYERS];
} GridLayers;

// Pairs of one asker that this thread looks at: every GRID_SHARES-th cell. Returns how many boxes overlap.
inline uint gridAsk(const GridSearch* search, __local const GridLayers* layers, uint place, uint share)
{
	GridAsker asker;
	asker.lower = search->placed[2 * place];
	asker.upper = search->placed[2 * place + 1];
	asker.corners = (search->flags & PAIR_DROP_NEIGHBORS) != 0 ? search->placedCorners[place] : (int4)(0);
	asker.place = place, asker.flags = search->flags;
	asker.placed = search->placed, asker.keys = search->keys, asker.placedCorners = search->placedCorners;
	asker.starts = search->starts, asker.counts = (__global const uint*)search->state + GRID_BUCKETS;
	asker.hash = search->hash, asker.bucketMask = search->bucketMask, asker.list = &search->list;
	const ulong key = search->keys[place];
	const uint layer = brGridName_Layer(key), layerCount = search->state[GRID_COUNT];
	const float3 origin = gridOrigin(search->state);
	uint overlaps = 0;

	// The own layer: (x, y, z) = -1 ... 1 as digits; 13 is the own cell.
	const uint x = brGridName_Axis(key, 0), y = brGridName_Axis(key, 1), z = brGridName_Axis(key, 2);
	const uint3 reach = gridCell(asker.upper, origin, layers->inverses[layer]);
	for (uint step = 13 + share; step < 27; step += GRID_SHARES)
	{
		uint toX = x + step % 3 - 1, toY = y + step / 3 % 3 - 1, toZ = z + step / 9 - 1;
		if (toX <= reach.x && toY <= reach.y && toZ <= reach.z)
		{
			overlaps += gridVisit(&asker, brGridName_Make(layer, toX, toY, toZ), step == 13);
		}
	}
	// Coarser ones: from cells that reach into the first to the last.
	for (uint coarser = layer + 1; coarser <= layerCount; ++coarser)
	{
		if (layers->members[coarser] == 0)
		{
			continue;
		}
		const uint3 low = gridCell(asker.lower, origin, layers->inverses[coarser]) - 1u;
		const uint3 size = gridCell(asker.upper, origin, layers->inverses[coarser]) - low + 1u;
		for (uint step = share; step < size.x * size.y * size.z; step += GRID_SHARES)
		{
			uint toX = low.x + step % size.x, toY = low.y + step / size.x % size.y,
				 toZ = low.z + step / (size.x * size.y);
			overlaps += gridVisit(&asker, brGridName_Make(coarser, toX, toY, toZ), false);
		}
	}
	return overlaps;
}

// The search of one group of `groupSize` threads.
inline void gridSearchGroup(const GridSearch* search, __local GridLayers* layers, uint groupSize)
{
	const uint t = get_local_id(0), askers = groupSize / GRID_SHARES, share = t / askers;
	const uint count = search->state[GRID_TOTAL]; // what is not left out
	if (get_group_id(0) * askers >= count)
	{
		return;
	}
	const uint place = get_group_id(0) * askers + t % askers;
	for (uint i = t; i < BR_GRID_LAYERS; i += groupSize)
	{
		layers->inverses[i] = as_float(search->state[GRID_INVERSES + i]);
		layers->members[i] = search->state[GRID_MEMBERS + i];
	}
	gridBeginList(&search->list);
	const uint overlaps = place < count ? gridAsk(search, layers, place, share) : 0u;
	gridEndList(&search->list, overlaps);
}

// Counters: listed (low, high), meeting, unsure, overlapping (low, high). Pairs beyond the capacity are counted and not
// written: the host looks at the count, makes room and runs this again.
__kernel __attribute__((reqd_work_group_size(GRID_ASKERS* GRID_SHARES, 1, 1))) void
brk_gridPairs(__global const float4* placed, __global const ulong* keys, __global const int4* placedCorners,
			  __global const uint* starts, uint hash, uint bucketMask, uint flags, __global ulong* pairs, uint capacity,
			  volatile __global uint* state, uint counter)
{
	__local GridFound found;
	__local GridLayers layers;
	GridSearch search = {placed, keys,  placedCorners, starts, hash,
						 bucketMask, flags, state, {&found, pairs, capacity, state, counter}};
	gridSearchGroup(&search, &layers, GRID_ASKERS * GRID_SHARES);
}

// The same in groups of another size, a multiple of GRID_SHARES: a compiler that knows the size makes better code of
// the other.
__kernel void brk_gridPairsSized(__global const float4* placed, __global const ulong* keys,
								 __global const int4* placedCorners, __global const uint* starts, uint hash,
								 uint bucketMask, uint flags, __global ulong* pairs, uint capacity,
								 volatile __global uint* state, uint counter)
{
	__local GridFound found;
	__local GridLayers layers;
	GridSearch search = {placed, keys,  placedCorners, starts, hash,
						 bucketMask, flags, state, {&found, pairs, capacity, state, counter}};
	gridSearchGroup(&search, &layers, (uint)get_local_size(0));
}
