// SPDX-License-Identifier: MIT

// The walk down a wide tree, written once and compiled for each width: whoever includes this file has defined
//   BR_WIDE_NAME(name)  the name of a function in this set
//   BR_WIDE_TARGET      the attribute that lets the compiler use the set's instructions
// and the functions  test: which lanes of a group overlap lane `lane` of another, as 16 bits
//                    append: writes base + i for each set bit i of a mask, returns how many; may write 16
//                    emit: writes the pairs of one primitive with the lanes of a mask, returns how many; may write 16
//
// The unit of work is not one primitive but a group of sixteen that lie close together on the curve. Its box goes down
// the tree level by level; each level's list of touched nodes makes the list of the next. Then every touched group is
// matched against the boxes of mine that touch it. All lists are filled without a branch on what was found, since such
// branches are what the processor cannot foresee.

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

BR_WIDE_TARGET static void BR_WIDE_NAME(findPairs)(const brWideQuery* query, int32_t begin, int32_t end,
												   brWideScratch* scratch, brPairBuffer* pairs)
{
	const brWideTree *queries = query->queries, *target = query->target;
	const bool isSelf = query->isSelf, isOrdered = query->isOrdered;
	// Items are (group, row) as 16 group + row: row of mine to test against a group, counted in the chunk.
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
			const int32_t* groups = touched + chunk;
			int32_t groupCount = touchedCount - chunk;
			groupCount = groupCount < BR_WIDE_NAME(queryChunk) ? groupCount : BR_WIDE_NAME(queryChunk);

			// Rows of mine that touch each group.
			int32_t itemCount = 0;
			for (int32_t i = 0; i < groupCount; ++i)
			{
				int32_t other = groups[i];
				uint32_t rows =
					BR_WIDE_NAME(test)(mine, &target->levels[1][other / BR_WIDE_ARITY], other % BR_WIDE_ARITY);
				itemCount += BR_WIDE_NAME(append)(rows, BR_WIDE_ARITY * i, items + itemCount);
			}

			// Lanes each row overlaps; rows without one are dropped.
			int32_t hitCount = 0;
			for (int32_t i = 0; i < itemCount; ++i)
			{
				int32_t other = groups[items[i] >> 4], row = items[i] & (BR_WIDE_ARITY - 1);
				uint32_t mask = BR_WIDE_NAME(test)(&target->levels[0][other], mine, row);
				mask &= isSelf && other == group ? ~1u << row : ~0u;
				items[hitCount] = items[i];
				masks[hitCount] = mask;
				hitCount += mask != 0;
			}
			scratch->tests += groupCount + itemCount;
			// Pairs out. An emit may write a full group, hence the room.
			if (pairs->capacity - pairs->count < (int64_t)BR_WIDE_ARITY * (hitCount + 1) &&
				!brPairBuffer_Reserve(pairs, (int64_t)BR_WIDE_ARITY * (hitCount + 1)))
			{
				return;
			}
			brPair* out = pairs->pairs + pairs->count;
			for (int32_t i = 0; i < hitCount; ++i)
			{
				int32_t other = groups[items[i] >> 4], row = items[i] & (BR_WIDE_ARITY - 1);
				const uint32_t* ids = target->ids + (size_t)BR_WIDE_ARITY * (size_t)other;
				out += BR_WIDE_NAME(emit)(masks[i], myIds[row], ids, isOrdered, out);
			}
			scratch->candidates += out - pairs->pairs - pairs->count;
			pairs->count = out - pairs->pairs;
		}
	}
}
