// SPDX-License-Identifier: MIT
#include "command.h"

static int runInfo(CommandLine* line)
{
	if (!readOptions(line, NULL, 0, 0, 0))
	{
		return line->exitCode;
	}
	if (line->json)
	{
		Json json = beginJson();
		jsonText(&json, "version", brVersion());
		jsonInt(&json, "workers", brCoreCount());
		jsonText(&json, "vectors", brVectorPath());
		jsonOpen(&json, "devices", '[');
		jsonOpen(&json, NULL, '{');
		jsonText(&json, "kind", "cpu");
		jsonInt(&json, "cores", brCoreCount());
		jsonClose(&json, '}');
		jsonClose(&json, ']');
		jsonOpen(&json, "features", '{');
		for (int32_t i = 0; i < brFeature_Count(); ++i)
		{
			jsonBool(&json, brFeature_Get(i)->name, brFeature_Get(i)->present);
		}
		jsonClose(&json, '}');
		endJson(&json, line);
		return exit_done;
	}
	printf("brittle %s\n", brVersion());
	printf("cpu       %d cores, %s\n", brCoreCount(), brVectorPath());
	for (int32_t i = 0; i < brFeature_Count(); ++i)
	{
		const brFeature* feature = brFeature_Get(i);
		printf("%-9s %s: %s\n", feature->name, feature->present ? "present" : "absent ", feature->gives);
	}
	return exit_done;
}

const Command command_info = {
	"info",
	"version, build options, devices, workers",
	"[--json]",
	"Says what this build is and what it can do on this machine. A feature that is absent was not\n"
	"found when the program was built; the commands that need it say so.",
	"brittle info --json",
	runInfo,
};
