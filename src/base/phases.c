// SPDX-License-Identifier: MIT

#include "base/phases.h"

#include "base/os.h"

#include <stdatomic.h>

// Who works on what is waited for may have lost his core to another program: after so many looks this one is lent to him.
#define PHASES_LOOKS 500

typedef struct Phases
{
	const int32_t* ends;
	int32_t phaseCount;
	brPhaseFcn* run;
	void* user;
	_Alignas(64) _Atomic int32_t done; // items
} Phases;

// Items are claimed in order, so each that is waited for has somebody who works on it.
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

static int32_t phasesFind(const Phases* phases, int32_t item)
{
	int32_t lower = 0, upper = phases->phaseCount - 1;
	while (lower < upper)
	{
		int32_t middle = (lower + upper) / 2;
		bool isBehind = phases->ends[middle] <= item;
		lower = isBehind ? middle + 1 : lower;
		upper = isBehind ? upper : middle;
	}
	return lower;
}

static void phasesRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	Phases* phases = user;
	for (int32_t item = begin; item < end; ++item)
	{
		int32_t phase = phasesFind(phases, item);
		phasesWait(phases, phase > 0 ? phases->ends[phase - 1] : 0);
		phases->run(phase, item, phases->user);
		atomic_fetch_add_explicit(&phases->done, 1, memory_order_acq_rel);
	}
}

void brParallelPhases(brWorkers* workers, const int32_t* ends, int32_t phaseCount, brPhaseFcn* run, void* user)
{
	Phases phases = {.ends = ends, .phaseCount = phaseCount, .run = run, .user = user};
	int32_t count = phaseCount > 0 ? ends[phaseCount - 1] : 0;
	// An item a phase is nothing to share.
	brParallelFor(count > phaseCount ? workers : NULL, count, 1, phasesRange, &phases);
}
