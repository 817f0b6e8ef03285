// SPDX-License-Identifier: MIT

// Putting the entries of a front in the order of the tree by counting: how many at each place, running sums, then each
// to its segment, from the front of it if it was apart and from the back if it overlapped. Workers take stretches of
// places and look through all entries for their own, so the order is that of the blocks whoever writes.

#include "base/clock.h"
#include "base/sort.h"
#include "research/pair_front.h"

#include <string.h>

typedef struct OrderJob
{
	brPairFront* front;
	const brPairFrontBlock* blocks;
	int32_t blockCount;
	int32_t nodeCount;
	int32_t partCount;
	int channel;
} OrderJob;

static int32_t orderPartStart(const OrderJob* job, int32_t part)
{
	return (int32_t)((int64_t)job->nodeCount * part / job->partCount);
}

// What a block has written; null if nothing.
static const brPair* orderEntries(const OrderJob* job, const brPairFrontBlock* block)
{
	const brPairBuffer* list = &job->front->lists[2 * block->worker + job->channel];
	return block->count[job->channel] > 0 ? list->pairs + block->from[job->channel] : NULL;
}

static void orderCount(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	OrderJob* job = user;
	int32_t *log = job->front->logs[job->channel].data, *hits = job->front->logs[2].data;
	int32_t low = orderPartStart(job, begin), high = orderPartStart(job, end);
	memset(log + low + 1, 0, (size_t)(high - low) * sizeof(int32_t));
	memset(hits + low + 1, 0, (size_t)(high - low) * sizeof(int32_t));
	for (int32_t i = 0; i < job->blockCount; ++i)
	{
		const brPairFrontBlock* block = &job->blocks[i];
		const brPair* entries = orderEntries(job, block);
		for (int64_t k = 0; k < block->count[job->channel]; ++k)
		{
			int32_t place = entries[k].b;
			if (place >= low && place < high)
			{
				log[place + 1] += 1;
				hits[place + 1] += (entries[k].a & BR_FRONT_MARK) != 0;
			}
		}
	}
}

static void orderScatter(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	OrderJob* job = user;
	const int32_t* log = job->front->logs[job->channel].data;
	int32_t *fromFront = job->front->fills.data, *fromBack = fromFront + job->nodeCount;
	brPair* out = job->front->fronts[job->channel].pairs;
	int32_t low = orderPartStart(job, begin), high = orderPartStart(job, end);
	memcpy(fromFront + low, log + low, (size_t)(high - low) * sizeof(int32_t));
	memcpy(fromBack + low, log + low + 1, (size_t)(high - low) * sizeof(int32_t));
	for (int32_t i = 0; i < job->blockCount; ++i)
	{
		const brPairFrontBlock* block = &job->blocks[i];
		const brPair* entries = orderEntries(job, block);
		for (int64_t k = 0; k < block->count[job->channel]; ++k)
		{
			brPair entry = entries[k];
			if (entry.b >= low && entry.b < high)
			{
				bool isMarked = (entry.a & BR_FRONT_MARK) != 0;
				int32_t at = isMarked ? --fromBack[entry.b] : fromFront[entry.b]++;
				out[at] = (brPair){entry.a & ~BR_FRONT_MARK, entry.b};
			}
		}
	}
}

// As written, block after block, behind `at`.
static void orderAppend(const OrderJob* job, int64_t at)
{
	brPair* out = job->front->fronts[job->channel].pairs;
	out = out != NULL ? out + at : NULL;
	for (int32_t i = 0; i < job->blockCount; ++i)
	{
		const brPairFrontBlock* block = &job->blocks[i];
		const brPair* entries = orderEntries(job, block);
		for (int64_t k = 0; k < block->count[job->channel]; ++k)
		{
			*out++ = (brPair){entries[k].a & ~BR_FRONT_MARK, entries[k].b};
		}
	}
}

// The same order by a radix sort of keys, for comparison. Returns seconds, 0 without memory.
static double orderByRadix(const OrderJob* job, int64_t total)
{
	const brAllocator* allocator = &job->front->allocator;
	uint32_t* words = BR_ALLOC(allocator, uint32_t, 4 * total);
	if (words == NULL)
	{
		return 0.0;
	}
	int64_t start = brClockNanoseconds(), at = 0;
	for (int32_t i = 0; i < job->blockCount; ++i)
	{
		const brPairFrontBlock* block = &job->blocks[i];
		const brPair* entries = orderEntries(job, block);
		for (int64_t k = 0; k < block->count[job->channel]; ++k, ++at)
		{
			words[at] = 2u * (uint32_t)entries[k].b + ((entries[k].a & BR_FRONT_MARK) != 0);
			words[total + at] = (uint32_t)(entries[k].a & ~BR_FRONT_MARK);
		}
	}
	bool isSorted =
		brSortPairs32(NULL, allocator, words, words + total, words + 2 * total, words + 3 * total, (int32_t)total);
	double seconds = brSecondsSince(start);
	BR_FREE(allocator, words, 4 * total);
	return isSorted ? seconds : 0.0;
}

bool brPairFront_Order(brPairFront* front, brWorkers* workers, const brLbvh* bvh, int32_t blockCount, bool isOrdered,
					   bool isTail)
{
	int32_t nodeCount = bvh->nodeCount;
	OrderJob job = {.front = front,
					.blocks = front->blocks.data,
					.blockCount = blockCount,
					.nodeCount = nodeCount,
					.partCount = brWorkers_GetCount(workers)};
	if (isOrdered && !isTail &&
		(!brStageMemory_Ensure(&front->fills, &front->allocator, 2 * (int64_t)nodeCount, sizeof(int32_t)) ||
		 !brStageMemory_Ensure(&front->logs[0], &front->allocator, (int64_t)nodeCount + 1, sizeof(int32_t)) ||
		 !brStageMemory_Ensure(&front->logs[1], &front->allocator, (int64_t)nodeCount + 1, sizeof(int32_t)) ||
		 !brStageMemory_Ensure(&front->logs[2], &front->allocator, (int64_t)nodeCount + 1, sizeof(int32_t))))
	{
		return false;
	}
	for (job.channel = 0; job.channel < 2; ++job.channel)
	{
		brPairBuffer* out = &front->fronts[job.channel];
		int64_t total = 0, before = isTail ? out->count : 0;
		for (int32_t i = 0; i < blockCount; ++i)
		{
			total += job.blocks[i].count[job.channel];
		}
		out->count = before;
		if (total > 0 && !brPairBuffer_Reserve(out, total))
		{
			return false;
		}
		out->count = before + total;
		if (!isOrdered || isTail)
		{
			orderAppend(&job, before);
			continue;
		}
		if (front->def.isTimed)
		{
			front->stats.radixSeconds += orderByRadix(&job, total);
		}
		// Marks of the internal front are overwritten by those of the external one, which are its pairs.
		int32_t *log = front->logs[job.channel].data, *hits = front->logs[2].data;
		brParallelFor(workers, job.partCount, 1, orderCount, &job);
		log[0] = hits[0] = 0;
		for (int32_t i = 0; i < nodeCount; ++i)
		{
			log[i + 1] += log[i];
			hits[i + 1] += hits[i];
		}
		brParallelFor(workers, job.partCount, 1, orderScatter, &job);
	}
	return true;
}
