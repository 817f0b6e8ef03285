// SPDX-License-Identifier: MIT

// A step on a thread of its own, so that a break holds up nobody.

#include "base/report.h"
#include "world/world_state.h"

static void besideRun(void* argument)
{
	brWorld* world = argument;
	brStepBeside* beside = &world->beside;
	beside->result = brWorld_Step(world, beside->dt, &beside->report);
	if (beside->done != NULL)
	{
		beside->done(world, beside->result, beside->user);
	}
}

brResult brWorld_StartStep(brWorld* world, double dt, brStepDoneFcn* done, void* user, brReport* report)
{
	if (world == NULL || world->beside.isUnderWay)
	{
		return brFail(report, br_errorMisuse,
					  world == NULL ? "brWorld_StartStep needs world" : "a step is under way: brWorld_EndStep ends it");
	}
	world->beside = (brStepBeside){.dt = dt, .done = done, .user = user, .isUnderWay = true};
	world->beside.hasThread = brThread_Start(&world->beside.thread, besideRun, world);
	if (!world->beside.hasThread)
	{
		besideRun(world);
	}
	return brSucceed(report);
}

brResult brWorld_EndStep(brWorld* world, brReport* report)
{
	if (world == NULL || !world->beside.isUnderWay)
	{
		return brFail(report, br_errorMisuse, "brWorld_EndStep needs a world with a step under way");
	}
	if (world->beside.hasThread)
	{
		brThread_Join(&world->beside.thread);
	}
	world->beside.isUnderWay = false;
	if (report != NULL)
	{
		*report = world->beside.report;
	}
	return world->beside.result;
}
