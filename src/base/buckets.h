// SPDX-License-Identifier: MIT
#pragma once

// Things by key, by counting: the corners of each vertex, the tets of each node, the faces of each material.
//
//     brBuckets corners;
//     if (!brBuckets_Make(&corners, &allocator, mesh->corners, mesh->cornerCount, mesh->vertexCount)) ...
//     for (int32_t i = corners.starts[v]; i < corners.starts[v + 1]; ++i) ... corners.items[i]

#include "base/memory.h"

/// Those of key k are items[starts[k]] to items[starts[k + 1] - 1], rising.
typedef struct brBuckets
{
	int32_t* starts; // [keyCount + 1]
	int32_t* items;  // [count]
	int32_t keyCount, count;
} brBuckets;

/// Thing i goes to keys[i], which is below keyCount; if it is negative the thing is left out. False without memory, and
/// then there is nothing to free.
bool brBuckets_Make(brBuckets* buckets, const brAllocator* allocator, const int32_t* keys, int32_t count,
					int32_t keyCount);
void brBuckets_Free(brBuckets* buckets, const brAllocator* allocator);

/// The same into memory of the caller: outStarts [keyCount + 1], outItems as many as have a key.
void brFillBuckets(const int32_t* keys, int32_t count, int32_t keyCount, int32_t* outStarts, int32_t* outItems);
