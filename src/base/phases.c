// SPDX-License-Identifier: MIT

#include "base/phases.h"

#include "base/assert.h"
#include "base/os.h"

#include <stdatomic.h>

// Who works on what is waited for may have lost his core to another program: after so many looks this one is lent to
// him.
#define PHASES_LOOKS 500

typedef struct Phases
{
	const int32_t* ends;
	int32_t phaseCount;
	brPhaseFcn* run;
	void* user;
	int32_t memberCount;
	_Atomic uint8_t isClaimed[BR_PHASES_ITEMS];
	_Alignas(64) _Atomic int32_t done; // items
} Phases;

// Whoever claims an item works on it, so each that is waited for has somebody who does.
static void phasesWait(Phases* phases, int32_t before)
{
	for (int32_t look = 0; atomic_load_explicit(&phases->done, memory_order_acquire) < before; ++look)
	{
		brSpinOnce();
		if (look > PHASES_LOOKS)
		{
			brThread_Yield();
		}
	}
}

static bool phasesClaim(Phases* phases, int32_t item)
{
	return atomic_load_explicit(&phases->isClaimed[item], memory_order_relaxed) == 0 &&
		   atomic_exchange_explicit(&phases->isClaimed[item], 1, memory_order_relaxed) == 0;
}

// All phases as one of the team: of each the items at its own place first, then what others have left.
static void phasesWalk(Phases* phases, int32_t member)
{
	for (int32_t phase = 0, begin = 0; phase < phases->phaseCount; begin = phases->ends[phase++])
	{
		int32_t count = phases->ends[phase] - begin, done = 0;
		int32_t first = (int32_t)((int64_t)count * member / phases->memberCount);
		phasesWait(phases, begin);
		for (int32_t k = 0; k < count; ++k)
		{
			int32_t item = begin + (first + k < count ? first + k : first + k - count);
			if (phasesClaim(phases, item))
			{
				phases->run(phase, item, phases->user);
				done += 1;
			}
		}
		if (done > 0)
		{
			atomic_fetch_add_explicit(&phases->done, done, memory_order_acq_rel);
		}
	}
}

static void phasesRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	for (int32_t member = begin; member < end; ++member)
	{
		phasesWalk(user, member);
	}
}

void brParallelPhases(brWorkers* workers, const int32_t* ends, int32_t phaseCount, brPhaseFcn* run, void* user)
{
	int32_t count = phaseCount > 0 ? ends[phaseCount - 1] : 0;
	BR_ASSERT(count <= BR_PHASES_ITEMS);
	// An item a phase is nothing to share.
	workers = count > phaseCount ? workers : NULL;
	Phases phases;
	phases.ends = ends, phases.phaseCount = phaseCount, phases.run = run, phases.user = user;
	phases.memberCount = brWorkers_GetCount(workers);
	atomic_init(&phases.done, 0);
	for (int32_t i = 0; i < count; ++i)
	{
		atomic_init(&phases.isClaimed[i], 0);
	}
	brParallelFor(workers, phases.memberCount, 1, phasesRange, &phases);
}
