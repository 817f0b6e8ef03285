// SPDX-License-Identifier: MIT

// The walk down a wide tree, written once and compiled for each width: whoever includes this file has defined
//   BR_WIDE_NAME(name)  the name of a function in this set
//   BR_WIDE_TARGET      the attribute that lets the compiler use the set's instructions
// and the functions  test: which lanes of a group overlap lane `lane` of another, as 16 bits
//                    append: writes base + i for each set bit i of a mask, returns how many; may write 16
//                    beforePlane, aroundPlanes: which lanes of a mask are not certainly apart, see below
//                    emit: writes the pairs of one primitive with the lanes of a mask, returns how many; may write 16
//
// The unit of work is not one primitive but a group of sixteen that lie close together on the curve. Its box goes
// down the tree level by level; each level's list of touched nodes makes the list of the next. Then every touched group is
// matched against the boxes of mine that touch it. All lists are filled without a branch on what was found, since such
// branches are what the processor cannot foresee.

// Two triangles are certainly apart if one lies on one side of the plane of the other. The signed volume s = n . x - d of
// a corner x against a plane is trusted if it is farther from zero than its error. Coordinates count from a corner of the
// group, so they are small; let M bound them in both groups, seen from either, and e = 2^-24 M what one may be off. With
// sides L and K of the two boxes, which overlap, x is at most L + K from the plane's corner on each axis. Then edges are
// off by 4 e, the normal by 32 L e, and s by less than 320 e L (L + K), shifting between the groups included. We take
// 256 e L (2 L + K + 8 e). Corners that both triangles share are left out of the question: if all others are on one side,
// what is shared is all they have in common. That answers neighbours too; triangles with the same three corners stay.

enum
{
	BR_WIDE_NAME(queryChunk) = 256 // touched groups handled at once
};

// Groups of `target` that overlap box `lane` of `box`, from group `first` on. Returns how many; they are in `lists[0]`.
BR_WIDE_TARGET static int32_t BR_WIDE_NAME(touchedGroups)(const brWideTree* target, const brLaneBoxes* box,
														  int32_t lane, int32_t first, brWideScratch* scratch)
{
	int32_t *list = scratch->lists[0], *next = scratch->lists[1];
	int32_t count = 1;
	list[0] = 0;
	for (int32_t level = target->levelCount - 1; level > 0; --level)
	{
		const brLaneBoxes* nodes = target->levels[level];
		int32_t firstChild = first >> (4 * (level - 1));
		int32_t nextCount = 0;
		for (int32_t i = 0; i < count; ++i)
		{
			int32_t child = BR_WIDE_ARITY * list[i];
			uint32_t mask = BR_WIDE_NAME(test)(&nodes[list[i]], box, lane);
			mask &= child < firstChild ? ~0u << (firstChild - child) : ~0u;
			nextCount += BR_WIDE_NAME(append)(mask, child, next + nextCount);
		}
		scratch->tests += count;
		int32_t* swap = list;
		list = next, next = swap;
		count = nextCount;
	}
	scratch->lists[0] = list, scratch->lists[1] = next;
	return count;
}

// Keeps what may meet of `count` items, first by the planes of my triangles, then by those of the others.
BR_WIDE_TARGET static int32_t BR_WIDE_NAME(rejectApart)(const brWideQuery* query, int32_t group, int32_t* items,
														uint32_t* masks, int32_t count)
{
	const brLaneTriangles* mine = &query->queries->triangles[group];
	int32_t kept = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		const brLaneTriangles* others = &query->target->triangles[items[i] / BR_WIDE_ARITY];
		uint32_t mask = BR_WIDE_NAME(beforePlane)(query, mine, items[i] % BR_WIDE_ARITY, others, masks[i]);
		items[kept] = items[i];
		masks[kept] = mask;
		kept += mask != 0;
	}
	count = kept;
	kept = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		const brLaneTriangles* others = &query->target->triangles[items[i] / BR_WIDE_ARITY];
		uint32_t mask = BR_WIDE_NAME(aroundPlanes)(query, mine, items[i] % BR_WIDE_ARITY, others, masks[i]);
		items[kept] = items[i];
		masks[kept] = mask;
		kept += mask != 0;
	}
	return kept;
}

BR_WIDE_TARGET static void BR_WIDE_NAME(findPairs)(const brWideQuery* query, int32_t begin, int32_t end,
												   brWideScratch* scratch, brPairBuffer* pairs)
{
	const brWideTree *queries = query->queries, *target = query->target;
	const bool isSelf = query->isSelf, isOrdered = query->isOrdered;
	// Items are (group, row) as 16 group + row: row of mine to test against a group.
	int32_t items[BR_WIDE_ARITY * (BR_WIDE_NAME(queryChunk) + 1)];
	uint32_t masks[BR_WIDE_ARITY * (BR_WIDE_NAME(queryChunk) + 1)];
	for (int32_t group = begin; group < end; ++group)
	{
		const brLaneBoxes* mine = &queries->levels[0][group];
		const brLaneBoxes* parent = &queries->levels[1][group / BR_WIDE_ARITY];
		const uint32_t* myIds = queries->ids + (size_t)BR_WIDE_ARITY * (size_t)group;
		int32_t touchedCount =
			BR_WIDE_NAME(touchedGroups)(target, parent, group % BR_WIDE_ARITY, isSelf ? group : 0, scratch);
		const int32_t* touched = scratch->lists[0];
		for (int32_t chunk = 0; chunk < touchedCount; chunk += BR_WIDE_NAME(queryChunk))
		{
			int32_t chunkEnd = chunk + BR_WIDE_NAME(queryChunk);
			chunkEnd = chunkEnd < touchedCount ? chunkEnd : touchedCount;

			// Rows of mine that touch each group.
			int32_t itemCount = 0;
			for (int32_t i = chunk; i < chunkEnd; ++i)
			{
				int32_t other = touched[i];
				uint32_t rows =
					BR_WIDE_NAME(test)(mine, &target->levels[1][other / BR_WIDE_ARITY], other % BR_WIDE_ARITY);
				itemCount += BR_WIDE_NAME(append)(rows, BR_WIDE_ARITY * other, items + itemCount);
			}

			// Lanes each row overlaps; rows without one are dropped.
			int32_t hitCount = 0;
			for (int32_t i = 0; i < itemCount; ++i)
			{
				int32_t other = items[i] / BR_WIDE_ARITY, row = items[i] % BR_WIDE_ARITY;
				uint32_t mask = BR_WIDE_NAME(test)(&target->levels[0][other], mine, row);
				mask &= isSelf && other == group ? ~1u << row : ~0u;
				items[hitCount] = items[i];
				masks[hitCount] = mask;
				hitCount += mask != 0;
			}
			scratch->tests += chunkEnd - chunk + itemCount;
			for (int32_t i = 0; i < hitCount; ++i)
			{
				scratch->candidates += __builtin_popcount(masks[i] & 0xFFFFu);
			}
			if (query->isFiltered)
			{
				hitCount = BR_WIDE_NAME(rejectApart)(query, group, items, masks, hitCount);
			}

			// Pairs out. An emit may write a full group, hence the room.
			if (pairs->capacity - pairs->count < (int64_t)BR_WIDE_ARITY * (hitCount + 1) &&
				!brPairBuffer_Reserve(pairs, (int64_t)BR_WIDE_ARITY * (hitCount + 1)))
			{
				return;
			}
			brPair* out = pairs->pairs + pairs->count;
			for (int32_t i = 0; i < hitCount; ++i)
			{
				int32_t other = items[i] / BR_WIDE_ARITY, row = items[i] % BR_WIDE_ARITY;
				const uint32_t* ids = target->ids + (size_t)BR_WIDE_ARITY * (size_t)other;
				out += BR_WIDE_NAME(emit)(masks[i], myIds[row], ids, isOrdered, out);
			}
			pairs->count = out - pairs->pairs;
		}
	}
}
