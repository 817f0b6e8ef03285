// SPDX-License-Identifier: MIT

// Of two near groups: when their pairs are looked at, when the two are searched again, and the list of what overlaps.

#include "index/group_front.h"

#include <string.h>

enum
{
	groupPairBlock = 512, // pairs of groups
	groupTodoBlock = 64,  // pairs of groups searched
	groupHorizon = 8,     // frames that margins of pairs are made for
};

// Margins of pairs of groups, over the mean size of a box: of new ones, the most.
static const double groupFirstMargin = 0.10, groupMostMargin = 0.75;

typedef struct GroupBlock
{
	int32_t changed, todo; // in the block's part of `changes`
	int32_t looked, due;
	int32_t worker; // of a search
	int64_t from;   // in the worker's list
} GroupBlock;

void brGroupFront_FreeFound(brGroupFront* front)
{
	for (int32_t i = 0; i < front->workerCount; ++i)
	{
		brPairBuffer_Free(&front->found[i]);
	}
	BR_FREE(&front->allocator, front->found, front->workerCount);
	front->found = NULL;
	front->workerCount = 0;
}
// The result

static bool groupGrow(brStageMemory* memory, const brAllocator* allocator, int64_t used, int64_t count,
					  size_t bytesEach)
{
	if (memory->data != NULL && brCheckedBytes(count, bytesEach) <= memory->bytes)
	{
		return true;
	}
	brStageMemory next = {0};
	if (!brStageMemory_Ensure(&next, allocator, count, bytesEach))
	{
		return false;
	}
	if (used > 0)
	{
		memcpy(next.data, memory->data, (size_t)used * bytesEach);
	}
	brStageMemory_Free(memory, allocator);
	*memory = next;
	return true;
}

// Room for so many more listed pairs, each of which may be in the result.
static bool groupReserve(brGroupFront* front, int64_t extra)
{
	int64_t needed = front->listUsed + extra;
	if (needed > INT32_MAX || !brPairBuffer_Reserve(&front->result, extra))
	{
		return false;
	}
	if (needed > front->listCapacity)
	{
		int64_t capacity = needed + needed / 4 + 1024;
		const brAllocator* allocator = &front->allocator;
		if (!groupGrow(&front->codes, allocator, front->listUsed, capacity, sizeof(uint8_t)) ||
			!groupGrow(&front->slacks, allocator, front->listUsed, capacity, sizeof(float)) ||
			!groupGrow(&front->slots, allocator, front->listUsed, capacity, sizeof(int32_t)))
		{
			return false;
		}
		front->listCapacity = capacity;
	}
	int64_t owners = front->result.count - front->settledCount;
	if (owners + extra > front->ownerCapacity)
	{
		int64_t capacity = owners + extra + owners / 4 + 1024;
		if (!groupGrow(&front->owners, &front->allocator, owners, capacity, sizeof(int32_t)))
		{
			return false;
		}
		front->ownerCapacity = capacity;
	}
	return true;
}

static void groupEnter(brGroupFront* front, const brGroupRun* run, const brGroupPair* pair, int32_t at)
{
	uint8_t code = ((const uint8_t*)front->codes.data)[at];
	int32_t a = (int32_t)run->ids[run->places[pair->a].leaf + code / BR_WIDE_ARITY];
	int32_t b = (int32_t)run->ids[run->places[pair->b].leaf + code % BR_WIDE_ARITY];
	int32_t slot = (int32_t)(front->result.count - front->settledCount);
	((int32_t*)front->slots.data)[at] = slot;
	((int32_t*)front->owners.data)[slot] = at;
	front->result.pairs[front->result.count++] = a < b ? (brPair){a, b} : (brPair){b, a};
}

// The last pair of the result takes the place of one that ended.
static void groupLeave(brGroupFront* front, int32_t at)
{
	int32_t *slots = front->slots.data, *owners = front->owners.data;
	int32_t slot = slots[at], last = (int32_t)(--front->result.count - front->settledCount);
	front->result.pairs[front->settledCount + slot] = front->result.pairs[front->settledCount + last];
	owners[slot] = owners[last];
	slots[owners[slot]] = slot;
	slots[at] = -1;
}

void brGroupFront_Forget(brGroupFront* front, brGroupPair* pair)
{
	const int32_t* slots = front->slots.data;
	for (int32_t i = pair->first; i < pair->first + pair->count; ++i)
	{
		if (slots[i] >= 0)
		{
			groupLeave(front, i);
		}
	}
	front->listLive -= pair->count;
	pair->count = 0;
}

// Closes the gaps that forgotten pairs have left. Without memory they stay.
void brGroupFront_Compact(brGroupFront* front)
{
	brStageMemory codes = {0}, slacks = {0}, slots = {0};
	const brAllocator* allocator = &front->allocator;
	if (!brStageMemory_Ensure(&codes, allocator, front->listCapacity, sizeof(uint8_t)) ||
		!brStageMemory_Ensure(&slacks, allocator, front->listCapacity, sizeof(float)) ||
		!brStageMemory_Ensure(&slots, allocator, front->listCapacity, sizeof(int32_t)))
	{
		brStageMemory_Free(&codes, allocator);
		brStageMemory_Free(&slacks, allocator);
		brStageMemory_Free(&slots, allocator);
		return;
	}
	int32_t *owners = front->owners.data, to = 0;
	for (int64_t q = 0; q < front->pairCount; ++q)
	{
		brGroupPair* pair = (brGroupPair*)front->pairs[0].data + q;
		for (int32_t k = 0; k < pair->count; ++k)
		{
			int32_t slot = ((const int32_t*)front->slots.data)[pair->first + k];
			((uint8_t*)codes.data)[to + k] = ((const uint8_t*)front->codes.data)[pair->first + k];
			((float*)slacks.data)[to + k] = ((const float*)front->slacks.data)[pair->first + k];
			((int32_t*)slots.data)[to + k] = slot;
			if (slot >= 0)
			{
				owners[slot] = to + k;
			}
		}
		pair->first = to;
		to += pair->count;
	}
	brStageMemory_Free(&front->codes, allocator);
	brStageMemory_Free(&front->slacks, allocator);
	brStageMemory_Free(&front->slots, allocator);
	front->codes = codes, front->slacks = slacks, front->slots = slots;
	front->listUsed = to;
}
// Looking at pairs

// Where the odometer is when a pair may change that has this gap now, rounded down.
static inline float groupSlack(float gap, float odometer)
{
	return (odometer + fabsf(gap)) * (1.0f - 0x1p-20f);
}

static void groupLook(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brGroupRun* run = user;
	brGroupFront* front = run->front;
	const brGroupStep* steps = front->steps.data;
	float* slacks = front->slacks.data;
	const uint8_t* codes = front->codes.data;
	const int32_t* slots = front->slots.data;
	brGroupGuard* guards = front->guards[0].data;
	for (int32_t i = begin; i < end; ++i)
	{
		GroupBlock* block = (GroupBlock*)front->blocks.data + i;
		*block = (GroupBlock){0};
		int32_t first = i * groupPairBlock;
		int32_t last = front->pairCount - first < groupPairBlock ? (int32_t)front->pairCount : first + groupPairBlock;
		int32_t* todo = (int32_t*)front->todo.data + first;
		int32_t* changes = NULL;
		for (int32_t q = first; q < last; ++q)
		{
			brGroupGuard* guard = &guards[q];
			float odometer =
				(guard->odometer + brGroupFront_Bound(&steps[guard->a], &steps[guard->b])) * (1.0f + 0x1p-20f);
			guard->odometer = odometer;
			if (odometer < guard->limit)
			{
				continue;
			}
			brGroupPair* pair = (brGroupPair*)front->pairs[0].data + q;
			pair->odometer = odometer;
			if (!(odometer <= pair->margin))
			{
				todo[block->todo++] = q;
				continue;
			}
			// Changes of a pair of groups go where its pairs are.
			changes = (int32_t*)front->changes.data + pair->first;
			int32_t changed = 0;
			float least = INFINITY;
			const brGroupPlace *placeA = &run->places[pair->a], *placeB = &run->places[pair->b];
			const brLaneBoxes *boxesA = &run->groups[placeA->group], *boxesB = &run->groups[placeB->group];
			float gaps[BR_WIDE_ARITY];
			int32_t row = -1; // that the gaps are of: pairs are listed row by row
			for (int32_t k = pair->first; k < pair->first + pair->count; ++k)
			{
				if (!(odometer < slacks[k]))
				{
					if (codes[k] / BR_WIDE_ARITY != row)
					{
						row = codes[k] / BR_WIDE_ARITY;
						run->kernels->gaps(boxesA, row, boxesB, 0.0f, gaps);
					}
					float gap = gaps[codes[k] % BR_WIDE_ARITY];
					slacks[k] = groupSlack(gap, odometer);
					if ((gap <= 0.0f) != (slots[k] >= 0))
					{
						changes[changed++] = k;
					}
					block->due += 1;
				}
				least = slacks[k] < least ? slacks[k] : least;
			}
			// What could not be put off is looked at again next time.
			pair->due = least;
			guard->limit = least < pair->margin ? least : pair->margin;
			pair->changed = changed;
			block->looked += 1;
			block->changed += changed;
		}
	}
}

// Searching two groups

static bool groupSharesCorner(const int32_t* corners, int32_t each, int64_t a, int64_t b)
{
	for (int32_t i = 0; i < each; ++i)
	{
		for (int32_t k = 0; k < each; ++k)
		{
			if (corners[each * a + i] == corners[each * b + k])
			{
				return true;
			}
		}
	}
	return false;
}

// Pairs of two groups that are at most `margin` apart, to `found` as code and bits of the gap. Settled pairs are left
// out if they are known, else they come with a code of 256 more.
static void groupSearch(const brGroupRun* run, const brGroupPair* pair, float margin, brPairBuffer* found)
{
	const brGroupPlace *placeA = &run->places[pair->a], *placeB = &run->places[pair->b];
	const brLaneBoxes *a = &run->groups[placeA->group], *b = &run->groups[placeB->group];
	bool isSame = pair->a == pair->b;
	bool mayShare = pair->mask == -2 && run->corners != NULL && placeA->tree == placeB->tree;
	const uint16_t* settled =
		pair->mask >= 0 ? (const uint16_t*)run->front->masks.data + BR_WIDE_ARITY * (int64_t)pair->mask : NULL;
	float gaps[BR_WIDE_ARITY];
	if (!brPairBuffer_Reserve(found, BR_WIDE_ARITY * BR_WIDE_ARITY))
	{
		return;
	}
	brPair* out = found->pairs + found->count;
	// Rows of one that come near the other as a whole.
	const brTreeBox* whole = (const brTreeBox*)run->front->boxes.data + pair->b;
	brLaneBoxes other;
	for (int k = 0; k < 3; ++k)
	{
		other.lower[k][0] = whole->lower[k], other.upper[k][0] = -whole->negUpper[k];
	}
	uint32_t rows = run->kernels->gaps(&other, 0, a, margin, gaps);
	for (; rows != 0; rows &= rows - 1)
	{
		int32_t row = __builtin_ctz(rows);
		uint32_t near = run->kernels->gaps(a, row, b, margin, gaps);
		near &= isSame ? 0xFFFEu << row : 0xFFFFu;
		near &= settled != NULL ? ~(uint32_t)settled[row] : ~0u;
		for (; near != 0; near &= near - 1)
		{
			int32_t lane = __builtin_ctz(near);
			bool shares = mayShare && gaps[lane] <= 0.0f &&
						  groupSharesCorner(run->corners, run->front->cornersEach, run->ids[placeA->leaf + row],
											run->ids[placeB->leaf + lane]);
			brPair record = {.a = BR_WIDE_ARITY * row + lane + (shares ? 256 : 0)};
			memcpy(&record.b, &gaps[lane], sizeof(float));
			*out++ = record;
		}
	}
	found->count = out - found->pairs;
}

// What a pair of groups is to be searched with: as far as it will come in some frames at its own pace.
static float groupMargin(const brGroupFront* front, const brGroupPair* pair)
{
	double margin = groupFirstMargin * front->size;
	if (pair->margin >= 0.0f)
	{
		int32_t age = front->frame - pair->born;
		margin = groupHorizon * (double)pair->odometer / (age > 0 ? age : 1);
	}
	double least = BR_GROUP_MIN_MARGIN * front->size, most = groupMostMargin * front->size;
	margin = margin > least ? margin : least;
	return (float)(margin < most ? margin : most);
}

// By how much the boxes of two groups are apart.
static float groupApart(const brGroupRun* run, const brGroupPair* pair)
{
	const brTreeBox* boxes = run->front->boxes.data;
	const brTreeBox *a = &boxes[pair->a], *b = &boxes[pair->b];
	float gap = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		float x = b->lower[k] + a->negUpper[k], y = a->lower[k] + b->negUpper[k];
		gap = x > gap ? x : gap;
		gap = y > gap ? y : gap;
	}
	return gap;
}

static void groupSearchBlocks(int32_t begin, int32_t end, int32_t worker, void* user)
{
	brGroupRun* run = user;
	brGroupFront* front = run->front;
	brPairBuffer* found = &front->found[worker];
	for (int32_t i = begin; i < end; ++i)
	{
		GroupBlock* block = (GroupBlock*)front->blocks.data + i;
		*block = (GroupBlock){.worker = worker, .from = found->count};
		int32_t first = i * groupTodoBlock;
		int32_t last = run->todoCount - first < groupTodoBlock ? run->todoCount : first + groupTodoBlock;
		for (int32_t k = first; k < last; ++k)
		{
			brGroupPair* pair = (brGroupPair*)front->pairs[0].data + ((const int32_t*)front->todo.data)[k];
			int64_t before = found->count;
			// Groups that are farther apart than that have nothing to list until they have come as far.
			float margin = groupMargin(front, pair), apart = groupApart(run, pair) * (1.0f - 0x1p-20f);
			pair->margin = margin > apart ? margin : apart;
			if (apart < margin)
			{
				groupSearch(run, pair, margin, found);
			}
			run->found[k] = (int32_t)(found->count - before);
		}
	}
}

// Puts what a search found into the list of its pair of groups.
static void groupTake(brGroupFront* front, const brGroupRun* run, int32_t q, const brPair* found, int32_t count)
{
	brGroupPair* pair = (brGroupPair*)front->pairs[0].data + q;
	brGroupFront_Forget(front, pair);
	pair->first = (int32_t)front->listUsed;
	pair->due = INFINITY;
	pair->born = front->frame;
	pair->odometer = 0.0f;
	uint16_t* settled = NULL;
	if (pair->mask == -2 && count > 0)
	{
		pair->mask = -1;
		for (int32_t i = 0; i < count && pair->mask < 0; ++i)
		{
			pair->mask = found[i].a >= 256 ? (int32_t)front->maskCount : -1;
		}
		if (pair->mask >= 0)
		{
			settled = (uint16_t*)front->masks.data + BR_WIDE_ARITY * front->maskCount++;
			memset(settled, 0, BR_WIDE_ARITY * sizeof(uint16_t));
		}
	}
	for (int32_t i = 0; i < count; ++i)
	{
		if (found[i].a >= 256)
		{
			int32_t code = found[i].a - 256;
			settled[code / BR_WIDE_ARITY] |= (uint16_t)(1u << code % BR_WIDE_ARITY);
			continue;
		}
		int32_t at = (int32_t)front->listUsed++;
		float gap;
		memcpy(&gap, &found[i].b, sizeof(float));
		((uint8_t*)front->codes.data)[at] = (uint8_t)found[i].a;
		float slack = groupSlack(gap, 0.0f);
		((float*)front->slacks.data)[at] = slack;
		((int32_t*)front->slots.data)[at] = -1;
		pair->due = slack < pair->due ? slack : pair->due;
		pair->count += 1;
		if (gap <= 0.0f)
		{
			groupEnter(front, run, pair, at);
		}
	}
	front->listLive += pair->count;
	brGroupGuard* guard = (brGroupGuard*)front->guards[0].data + q;
	guard->odometer = 0.0f;
	guard->limit = pair->due < pair->margin ? pair->due : pair->margin;
}

static bool groupMakeFound(brGroupFront* front, int32_t workerCount)
{
	if (front->workerCount != workerCount)
	{
		brGroupFront_FreeFound(front);
		front->found = BR_ALLOC_ZERO(&front->allocator, brPairBuffer, workerCount);
		front->workerCount = front->found != NULL ? workerCount : 0;
	}
	for (int32_t i = 0; i < front->workerCount; ++i)
	{
		front->found[i].allocator = front->allocator;
		front->found[i].count = 0;
		front->found[i].isFull = false;
	}
	return front->found != NULL;
}

// The pairs that share a corner, once for all: they lead the result.
static bool groupSettle(brGroupFront* front, const brGroupRun* run, int32_t blockCount)
{
	int64_t total = 0;
	for (int32_t i = 0; i < front->workerCount; ++i)
	{
		total += front->found[i].count;
	}
	if (!brPairBuffer_Reserve(&front->result, total))
	{
		return false;
	}
	for (int32_t i = 0; i < blockCount; ++i)
	{
		const GroupBlock* block = (const GroupBlock*)front->blocks.data + i;
		const brPairBuffer* list = &front->found[block->worker];
		const brPair* found = list->pairs != NULL ? list->pairs + block->from : NULL;
		int32_t last = (i + 1) * groupTodoBlock < run->todoCount ? (i + 1) * groupTodoBlock : run->todoCount;
		for (int32_t k = i * groupTodoBlock; k < last; ++k)
		{
			const brGroupPair* pair = (const brGroupPair*)front->pairs[0].data + ((const int32_t*)front->todo.data)[k];
			for (int32_t j = 0; j < run->found[k]; ++j, ++found)
			{
				if (found->a >= 256)
				{
					int32_t code = found->a - 256;
					int32_t a = (int32_t)run->ids[run->places[pair->a].leaf + code / BR_WIDE_ARITY];
					int32_t b = (int32_t)run->ids[run->places[pair->b].leaf + code % BR_WIDE_ARITY];
					front->result.pairs[front->result.count++] = a < b ? (brPair){a, b} : (brPair){b, a};
				}
			}
		}
	}
	front->settledCount = front->result.count;
	front->isSettled = true;
	return true;
}

static bool groupSearchTodo(brGroupFront* front, brWorkers* workers, brGroupRun* run)
{
	int32_t blockCount = (run->todoCount + groupTodoBlock - 1) / groupTodoBlock;
	run->found = BR_ALLOC(&front->allocator, int32_t, run->todoCount);
	bool isDone = run->found != NULL && groupMakeFound(front, brWorkers_GetCount(workers)) &&
				  brStageMemory_Ensure(&front->blocks, &front->allocator, blockCount, sizeof(GroupBlock));
	if (isDone)
	{
		brParallelFor(workers, blockCount, 1, groupSearchBlocks, run);
		int64_t total = 0;
		for (int32_t i = 0; i < front->workerCount; ++i)
		{
			isDone = isDone && !front->found[i].isFull;
			total += front->found[i].count;
		}
		isDone = isDone && (front->isSettled || groupSettle(front, run, blockCount)) && groupReserve(front, total);
		isDone = isDone && groupGrow(&front->masks, &front->allocator, BR_WIDE_ARITY * front->maskCount,
									 BR_WIDE_ARITY * (front->maskCount + run->todoCount), sizeof(uint16_t));
	}
	for (int32_t i = 0; i < blockCount && isDone; ++i)
	{
		const GroupBlock* block = (const GroupBlock*)front->blocks.data + i;
		const brPairBuffer* list = &front->found[block->worker];
		const brPair* found = list->pairs != NULL ? list->pairs + block->from : NULL;
		int32_t last = (i + 1) * groupTodoBlock < run->todoCount ? (i + 1) * groupTodoBlock : run->todoCount;
		for (int32_t k = i * groupTodoBlock; k < last; ++k)
		{
			groupTake(front, run, ((const int32_t*)front->todo.data)[k], found, run->found[k]);
			found += run->found[k];
		}
	}
	BR_FREE(&front->allocator, run->found, run->todoCount);
	return isDone;
}

// Looks at what is due, searches what has moved too far.
bool brGroupFront_Look(brGroupFront* front, brWorkers* workers, brGroupRun* run)
{
	const brAllocator* allocator = &front->allocator;
	int32_t blockCount = (int32_t)((front->pairCount + groupPairBlock - 1) / groupPairBlock);
	if (!brStageMemory_Ensure(&front->blocks, allocator, blockCount, sizeof(GroupBlock)) ||
		!brStageMemory_Ensure(&front->todo, allocator, front->pairCount, sizeof(int32_t)) ||
		!brStageMemory_Ensure(&front->changes, allocator, front->listUsed, sizeof(int32_t)))
	{
		return false;
	}
	brParallelFor(workers, blockCount, 1, groupLook, run);
	int32_t* todo = front->todo.data;
	const int32_t *changes = front->changes.data, *slots = front->slots.data;
	run->todoCount = 0;
	for (int32_t i = 0; i < blockCount; ++i)
	{
		const GroupBlock* block = (const GroupBlock*)front->blocks.data + i;
		front->stats.looked += block->looked;
		front->stats.due += block->due;
		front->stats.changed += block->changed;
		memmove(todo + run->todoCount, todo + (int64_t)i * groupPairBlock, (size_t)block->todo * sizeof(int32_t));
		run->todoCount += block->todo;
		int32_t first = i * groupPairBlock;
		int32_t last = front->pairCount - first < groupPairBlock ? (int32_t)front->pairCount : first + groupPairBlock;
		for (int32_t q = first; q < last && block->changed > 0; ++q)
		{
			brGroupPair* pair = (brGroupPair*)front->pairs[0].data + q;
			for (int32_t k = 0; k < pair->changed; ++k)
			{
				int32_t at = changes[pair->first + k];
				slots[at] >= 0 ? groupLeave(front, at) : groupEnter(front, run, pair, at);
			}
			pair->changed = 0;
		}
	}
	front->stats.searched = run->todoCount;
	return run->todoCount == 0 || groupSearchTodo(front, workers, run);
}
