// SPDX-License-Identifier: MIT

// A world's bodies through one step, stage by stage.

#include "base/clock.h"
#include "base/report.h"
#include "dynamics/dynamics.h"
#include "dynamics/tuning.h"

void brDynamics_Init(brDynamics* dynamics, const brContext* context, const brWorldDef* def)
{
	*dynamics = (brDynamics){.def = *def, .freeBody = -1, .freeContact = -1, .freeMore = -1, .freeJoint = -1};
	dynamics->allocator = brContext_Allocator(context);
	if (context != NULL)
	{
		dynamics->context = *context;
	}
	dynamics->context.allocator = &dynamics->allocator;
	dynamics->context.cancel = NULL; // a step is never left half done
	brPairSearchDef search = {.method = br_pairsOi, .enableSelf = true};
	brPairSearch_Init(&dynamics->search, &dynamics->allocator, &search);
}

void brDynamics_Free(brDynamics* dynamics)
{
	const brAllocator* allocator = &dynamics->allocator;
	brStageMemory* memories[] = {
		&dynamics->frames,         &dynamics->boxes,         &dynamics->boxBodies,  &dynamics->keys[0],
		&dynamics->keys[1],        &dynamics->parents,       &dynamics->active,     &dynamics->islandAwake,
		&dynamics->islandLeansOn,  &dynamics->balance,       &dynamics->partMost,   &dynamics->partMovers,
		&dynamics->balanceIslands, &dynamics->order,         &dynamics->masks,      &dynamics->stateBodies,
		&dynamics->states,         &dynamics->contactColors, &dynamics->blocks,     &dynamics->ranges,
		&dynamics->jointWork,      &dynamics->counters,      &dynamics->bounceHits, &dynamics->bounceLanes,
		&dynamics->bounceLinks,    &dynamics->islandEnergy,  &dynamics->thrown,     &dynamics->means,
		&dynamics->turns,          &dynamics->asked,         &dynamics->queries,    &dynamics->touching,
		&dynamics->seams,
	};
	for (size_t i = 0; i < sizeof(memories) / sizeof(memories[0]); ++i)
	{
		brStageMemory_Free(memories[i], allocator);
	}
	for (int32_t i = 0; i < dynamics->shapes.count; ++i)
	{
		brDestroyShape(dynamics->shapes.data[i].shape);
	}
	BR_FREE_ARRAY(allocator, &dynamics->bodies);
	BR_FREE_ARRAY(allocator, &dynamics->shapes);
	BR_FREE_ARRAY(allocator, &dynamics->contacts);
	BR_FREE_ARRAY(allocator, &dynamics->more);
	BR_FREE_ARRAY(allocator, &dynamics->pairs);
	BR_FREE_ARRAY(allocator, &dynamics->nextPairs);
	BR_FREE_ARRAY(allocator, &dynamics->births);
	BR_FREE_ARRAY(allocator, &dynamics->joints);
	BR_FREE_ARRAY(allocator, &dynamics->jointKeys);
	BR_FREE_ARRAY(allocator, &dynamics->passKeys);
	BR_FREE_ARRAY(allocator, &dynamics->contactEvents);
	BR_FREE_ARRAY(allocator, &dynamics->bodyEvents);
	BR_FREE_ARRAY(allocator, &dynamics->takesPart);
	brPairSearch_Free(&dynamics->search);
}

void brDynamics_FreeJoint(brDynamics* dynamics, int32_t index)
{
	brJoint* joint = &dynamics->joints.data[index];
	brDynamics_Wake(dynamics, joint->bodyA);
	brDynamics_Wake(dynamics, joint->bodyB);
	*joint = (brJoint){.kind = -1, .next = dynamics->freeJoint, .generation = joint->generation + 1};
	dynamics->freeJoint = index;
	dynamics->jointCount -= 1;
}

// Soft contacts: a spring of frequency f and damping ratio z, integrated implicitly over h (Catto, "Soft constraints").
// Against what stands still twice the frequency and half the damping.
brStepTime brMakeStepTime(const brWorldDef* def, double dt, int32_t substeps)
{
	brStepTime time = {.dt = dt, .h = dt / substeps, .substeps = substeps};
	double hertz = BR_CONTACT_HERTZ_STEP / time.h;
	hertz = def->contactHertz > 0.0 && def->contactHertz < hertz ? def->contactHertz : hertz;
	for (int k = 0; k < 2; ++k)
	{
		double omega = 2.0 * BR_PI * hertz * (k + 1), zeta = def->contactDamping / (k + 1);
		double a1 = 2.0 * zeta + time.h * omega, a2 = time.h * omega * a1, a3 = 1.0 / (1.0 + a2);
		time.rate[k] = (float)(omega / a1);
		time.massScale[k] = (float)(a2 * a3);
		time.impulseScale[k] = (float)a3;
	}
	return time;
}

// Seconds since the last call.
static double stepLap(int64_t* last)
{
	double seconds = brSecondsSince(*last);
	*last = brClockNanoseconds();
	return seconds;
}

// Events of the last step go, those since stay.
#define STEP_DROP_EVENTS(array, end)                                                                                   \
	do                                                                                                                 \
	{                                                                                                                  \
		for (int32_t i = (end); i < (array)->count; ++i)                                                               \
		{                                                                                                              \
			(array)->data[i - (end)] = (array)->data[i];                                                               \
		}                                                                                                              \
		(array)->count -= (end);                                                                                       \
		(end) = 0;                                                                                                     \
	} while (0)

#define STEP_HOOK_ROUNDS 4
#define STEP_MAX_SECONDS 1e9 // a time budget beyond this is none: as nanoseconds it fits into 64 bits

// Find contacts and call the hook; if the hook replaced bodies, find contacts again and call it again. The hook's own
// time is taken off that of the contacts: it keeps books of it.
static brResult stepHook(brDynamics* dynamics, double dt, const brDynamicsHook* hook, brReport* report)
{
	int64_t start = brClockNanoseconds();
	double hookSeconds = 0.0;
	brResult result = br_success;
	bool isChanged = true;
	// The last round may change bodies too: then their contacts are for the stages to find.
	for (int32_t round = 0; result >= 0 && isChanged && round < STEP_HOOK_ROUNDS; ++round)
	{
		dynamics->step.isAgain = round > 0;
		brDynamics_Touch(dynamics, dt);
		isChanged = false;
		int64_t asked = brClockNanoseconds();
		result = hook->call(hook->user, dt, &isChanged, report);
		hookSeconds += brSecondsSince(asked);
		if (result >= 0 && isChanged)
		{
			result = brDynamics_FindPairs(dynamics, dt, report);
		}
	}
	dynamics->step.isTouched = result >= 0 && !isChanged;
	dynamics->step.isAgain = true;
	dynamics->stats.narrowSeconds = brSecondsSince(start) - hookSeconds;
	return result;
}

// From contacts to how states move; once more without the impulses of before where these throw something.
static brResult stepSolve(brDynamics* dynamics, const brStepTime* time, bool* isDropped, brReport* report)
{
	brStepStats* stats = &dynamics->stats;
	int64_t last = brClockNanoseconds();
	for (;;)
	{
		brResult result = brDynamics_MakeBlocks(dynamics, time, report);
		result = result < 0 ? result : brDynamics_BalanceBefore(dynamics, report);
		stats->prepareSeconds += stepLap(&last);
		if (result < 0)
		{
			return result;
		}
		bool isSolved = brDynamics_Solve(dynamics, time);
		stats->solveSeconds += stepLap(&last);
		if (!isSolved)
		{
			brLog(&dynamics->context, br_logWarning, "the device does not answer: contacts are solved on the CPU");
			dynamics->solver = (brSolverDevice){0};
			brDynamics_DropStates(dynamics);
			continue;
		}
		if (*isDropped || !brDynamics_FindThrown(dynamics, time->dt))
		{
			return br_success;
		}
		brDynamics_DropImpulses(dynamics);
		*isDropped = true;
	}
}

brResult brDynamics_SolveStages(brDynamics* dynamics, const brStepTime* time, brReport* report)
{
	brStepStats* stats = &dynamics->stats;
	int64_t last = brClockNanoseconds();
	if (!dynamics->step.isTouched)
	{
		brDynamics_Touch(dynamics, time->dt);
	}
	dynamics->step.isTouched = dynamics->step.isAgain = false;
	stats->narrowSeconds += stepLap(&last);
	bool isDropped = false;
	for (int32_t round = 0; round <= BR_MEET_ROUNDS; ++round)
	{
		brResult result = brDynamics_Islands(dynamics, time->dt, report);
		stats->islandSeconds += stepLap(&last);
		result = result < 0 ? result : stepSolve(dynamics, time, &isDropped, report);
		if (result < 0)
		{
			return result;
		}
		// Nothing has moved yet. What was turned out of its way may meet what it was not to meet.
		last = brClockNanoseconds();
		bool isDone = round == BR_MEET_ROUNDS || !dynamics->step.isMetAhead || !dynamics->step.hasSolids ||
					  brDynamics_MeetAgain(dynamics, time) == 0;
		stats->narrowSeconds += stepLap(&last);
		if (isDone)
		{
			break;
		}
	}
	return br_success;
}

void brDynamics_EndStages(brDynamics* dynamics, const brStepTime* time)
{
	int64_t last = brClockNanoseconds();
	brDynamics_StoreImpulses(dynamics, time);
	brDynamics_BookContacts(dynamics);
	brDynamics_Finish(dynamics, time);
	brDynamics_BookRest(dynamics, time);
	dynamics->stats.finishSeconds += stepLap(&last);
}

brResult brDynamics_StepStages(brDynamics* dynamics, const brStepTime* time, brReport* report)
{
	brResult result = brDynamics_SolveStages(dynamics, time, report);
	if (result >= 0)
	{
		brDynamics_EndStages(dynamics, time);
	}
	return result;
}

brResult brDynamics_Step(brDynamics* dynamics, double dt, const brDynamicsHook* hook, brReport* report)
{
	STEP_DROP_EVENTS(&dynamics->contactEvents, dynamics->contactEventEnd);
	STEP_DROP_EVENTS(&dynamics->bodyEvents, dynamics->bodyEventEnd);
	int64_t start = brClockNanoseconds(), last = start;
	brStepStats* stats = &dynamics->stats;
	// Hits that may break something are judged where bodies are, and once a step.
	dynamics->step = (brStepContext){.canBreak = hook != NULL,
									 .hook = hook,
									 .isMetAhead = dynamics->def.enableSweep && hook == NULL,
									 .h = dt / dynamics->def.substeps};
	// What the other stages took last time they will take again; they are not cut.
	double left = fmax(dynamics->def.maxSeconds - (stats->seconds - stats->narrowSeconds), 0.0);
	dynamics->step.narrowEnd =
		dynamics->def.maxSeconds > 0.0 ? start + (int64_t)(1e9 * fmin(left, STEP_MAX_SECONDS)) : 0;
	stats->narrowSeconds = stats->islandSeconds = stats->prepareSeconds = 0.0;
	stats->solveSeconds = stats->finishSeconds = 0.0;
	stats->slices = 1;
	int32_t parts = 1;
	brResult result = brDynamics_FindPairs(dynamics, dt, report);
	stats->broadSeconds = stepLap(&last);
	if (result >= 0 && hook != NULL)
	{
		result = stepHook(dynamics, dt, hook, report);
		stepLap(&last);
	}
	if (result >= 0 && dynamics->def.enableSweep)
	{
		result = brDynamics_FindSlices(dynamics, dt, &parts, report);
	}
	stats->broadSeconds += stepLap(&last);
	if (result >= 0 && parts > 1)
	{
		result = brDynamics_StepSlices(dynamics, dt, parts, false, report);
	}
	else if (result >= 0)
	{
		brStepTime time = brMakeStepTime(&dynamics->def, dt, dynamics->def.substeps);
		result = brDynamics_SolveStages(dynamics, &time, report);
		if (result >= 0 && dynamics->def.enableSweep)
		{
			result = brDynamics_FindTurning(dynamics, &parts, report);
		}
		if (result >= 0 && parts > 1)
		{
			result = brDynamics_StepSlices(dynamics, dt, parts, true, report);
		}
		else if (result >= 0)
		{
			brDynamics_EndStages(dynamics, &time);
		}
	}
	if (result < 0)
	{
		return result;
	}
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		dynamics->bodies.data[i].isNewborn = false;
	}
	dynamics->births.count = 0;
	dynamics->contactEventEnd = dynamics->contactEvents.count;
	dynamics->bodyEventEnd = dynamics->bodyEvents.count;
	stats->bodies = dynamics->bodyCount;
	stats->joints = dynamics->jointCount;
	stats->seconds = brSecondsSince(start);
	return br_success;
}
