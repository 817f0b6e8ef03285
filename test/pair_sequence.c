// SPDX-License-Identifier: MIT
#include "pair_sequence.h"

#include <string.h>

static float sequenceDraw(brRandom* random, double span)
{
	return (float)brRandom_Range(random, -span, span);
}

static void sequencePlace(PairSequence* sequence, int32_t i)
{
	brRandom* random = &sequence->random;
	sequence->centers[i] = brMakeVec3(sequenceDraw(random, 6), sequenceDraw(random, 6), sequenceDraw(random, 2));
	double speed = sequence->kind == 2 ? 0.02 : sequence->kind == 6 ? 0.3 : 0.05;
	sequence->speeds[i] =
		brMakeVec3(sequenceDraw(random, speed), sequenceDraw(random, speed), sequenceDraw(random, speed));
	sequence->sizes[i] = brMakeVec3((float)brRandom_Unit(random), (float)brRandom_Unit(random), 0.5f);
}

static void sequenceBoxes(PairSequence* sequence)
{
	for (int32_t i = 0; i < sequence->count; ++i)
	{
		brVec3 c = sequence->centers[i], s = sequence->sizes[i];
		if (sequence->kind == 7) // whole numbers: every overlap is a touch
		{
			c = brMakeVec3(floorf(c.x), floorf(c.y), floorf(c.z));
			s = brMakeVec3(0.5f, 0.5f, 0.0f);
		}
		sequence->boxes[i] = (brBox3){brSub(c, s), brAdd(c, s)};
	}
}

void pairSequence_Begin(PairSequence* sequence, brRandom random, uint32_t kind, int32_t count, int32_t objectCount,
						bool breaks)
{
	memset(sequence, 0, sizeof(*sequence));
	sequence->random = random;
	sequence->kind = kind;
	sequence->count = count;
	sequence->objectCount = objectCount;
	sequence->breaks = breaks;
	for (int32_t k = 0; k < objectCount; ++k)
	{
		sequence->starts[k + 1] = k + 1 == objectCount ? count : (int32_t)((int64_t)count * (k + 1) / objectCount);
		sequence->names[k] = ++sequence->nextName;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		sequencePlace(sequence, i);
	}
	sequenceBoxes(sequence);
}

// One object loses its name, or is cut in two, or two become one: what has no name of before is new.
static void sequenceBreak(PairSequence* sequence)
{
	brRandom* random = &sequence->random;
	int32_t k = (int32_t)brRandom_Below(random, (uint32_t)sequence->objectCount);
	uint32_t what = brRandom_Below(random, 3);
	int32_t tail = sequence->objectCount - k - 1;
	if (what == 0 && sequence->objectCount < sequenceMostObjects)
	{
		memmove(&sequence->names[k + 2], &sequence->names[k + 1], (size_t)tail * sizeof(uint64_t));
		memmove(&sequence->starts[k + 2], &sequence->starts[k + 1], (size_t)(tail + 1) * sizeof(int32_t));
		sequence->starts[k + 1] = (sequence->starts[k] + sequence->starts[k + 2]) / 2;
		sequence->names[k] = ++sequence->nextName;
		sequence->names[k + 1] = ++sequence->nextName;
		sequence->objectCount += 1;
	}
	else if (what == 1 && tail > 0)
	{
		memmove(&sequence->names[k + 1], &sequence->names[k + 2], (size_t)(tail - 1) * sizeof(uint64_t));
		memmove(&sequence->starts[k + 1], &sequence->starts[k + 2], (size_t)tail * sizeof(int32_t));
		sequence->names[k] = ++sequence->nextName;
		sequence->objectCount -= 1;
	}
	else
	{
		// Gone with its boxes; the numbers of all behind it change.
		int32_t begin = sequence->starts[k], end = sequence->starts[k + 1], lost = (end - begin) / 2;
		memmove(&sequence->centers[end - lost], &sequence->centers[end],
				(size_t)(sequence->count - end) * sizeof(brVec3));
		memmove(&sequence->speeds[end - lost], &sequence->speeds[end],
				(size_t)(sequence->count - end) * sizeof(brVec3));
		memmove(&sequence->sizes[end - lost], &sequence->sizes[end], (size_t)(sequence->count - end) * sizeof(brVec3));
		for (int32_t i = k + 1; i <= sequence->objectCount; ++i)
		{
			sequence->starts[i] -= lost;
		}
		sequence->count -= lost;
		sequence->names[k] = ++sequence->nextName;
	}
}

void pairSequence_Next(PairSequence* sequence)
{
	brRandom* random = &sequence->random;
	sequence->frame += 1;
	if (sequence->breaks && brRandom_Below(random, 6) == 0)
	{
		sequenceBreak(sequence);
	}
	uint32_t kind = sequence->kind;
	bool isEvent = brRandom_Below(random, 9) == 0;
	bool isPoint = kind == 5 && sequence->frame % 20 >= 15;
	for (int32_t i = 0; i < sequence->count; ++i)
	{
		brVec3 *c = &sequence->centers[i], *v = &sequence->speeds[i];
		*c = brAdd(*c, *v);
		if (kind == 1)
		{
			c->z += (float)(0.2 * brSin(0.7 * (double)c->x + 0.3 * sequence->frame));
		}
		if (kind == 2 && isEvent)
		{
			*v = brMul(-1.0f, *v);
			c->y += 1.5f;
		}
		if (kind == 3 && isEvent && brRandom_Below(random, 4) == 0)
		{
			sequencePlace(sequence, i);
		}
		if (kind == 4 && isEvent)
		{
			*c = brMakeVec3(-c->x, c->z, c->y);
		}
		if (kind == 6)
		{
			*v = brMakeVec3(sequenceDraw(random, 0.3), sequenceDraw(random, 0.3), sequenceDraw(random, 0.3));
		}
		if (isPoint)
		{
			*c = brMakeVec3(1.0f, -2.0f, 3.0f);
		}
		if (kind == 5 && sequence->frame % 20 == 0)
		{
			sequencePlace(sequence, i);
		}
		// Back into the room, or everything would fly apart.
		c->x = fabsf(c->x) > 12.0f ? -0.5f * c->x : c->x;
		c->y = fabsf(c->y) > 12.0f ? -0.5f * c->y : c->y;
		c->z = fabsf(c->z) > 12.0f ? -0.5f * c->z : c->z;
	}
	sequenceBoxes(sequence);
}

int64_t pairSequence_Brute(const PairSequence* sequence, bool self, bool inter, brPair* outPairs)
{
	int64_t count = 0;
	for (int32_t i = 0, object = 0; i < sequence->count; ++i)
	{
		for (; i >= sequence->starts[object + 1]; ++object)
		{
		}
		for (int32_t j = i + 1; j < sequence->count; ++j)
		{
			if ((j < sequence->starts[object + 1] ? self : inter) &&
				brBox3_Overlaps(sequence->boxes[i], sequence->boxes[j]))
			{
				outPairs[count++] = (brPair){i, j};
			}
		}
	}
	return count;
}

int brTest_ComparePairs(const void* left, const void* right)
{
	const brPair *p = left, *q = right;
	return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}
