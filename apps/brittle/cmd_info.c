// SPDX-License-Identifier: MIT
#include "command.h"

static int runInfo(CommandLine* line)
{
	if (!readOptions(line, NULL, 0, 0, 0))
	{
		return line->exitCode;
	}
	brGpuInfo gpu;
	if (line->json)
	{
		Json json = beginJson();
		jsonText(&json, "version", brGetVersion());
		jsonInt(&json, "workers", brGetCoreCount());
		jsonText(&json, "vectors", brGetVectorPath());
		jsonOpen(&json, "devices", '[');
		jsonOpen(&json, NULL, '{');
		jsonText(&json, "kind", "cpu");
		jsonInt(&json, "cores", brGetCoreCount());
		jsonClose(&json, '}');
		for (int32_t i = 0; brGetGpuInfo(i, &gpu); ++i)
		{
			jsonOpen(&json, NULL, '{');
			jsonText(&json, "kind", gpu.kind == br_gpuKindGpu ? "gpu" : "opencl");
			jsonText(&json, "name", gpu.name);
			jsonText(&json, "driver", gpu.driver);
			jsonInt(&json, "units", gpu.computeUnits);
			jsonInt(&json, "memory", (int64_t)gpu.memoryBytes);
			jsonClose(&json, '}');
		}
		jsonClose(&json, ']');
		jsonOpen(&json, "features", '{');
		for (int32_t i = 0; i < brGetCapabilityCount(); ++i)
		{
			jsonBool(&json, brGetCapability(i)->name, brGetCapability(i)->isPresent);
		}
		jsonClose(&json, '}');
		endJson(&json, line);
		return exit_done;
	}
	printf("brittle %s\n", brGetVersion());
	printf("cpu       %d cores, %s\n", brGetCoreCount(), brGetVectorPath());
	brReport report = {0};
	if (brGetGpuCount(&report) <= 0)
	{
		printf("opencl    %s\n", report.text[0] != '\0' ? report.text : "no device");
	}
	for (int32_t i = 0; brGetGpuInfo(i, &gpu); ++i)
	{
		printf("opencl %d  %s (%s), driver %s, %d units, %.1f GB\n", i, gpu.name,
			   gpu.kind == br_gpuKindGpu   ? "GPU"
			   : gpu.kind == br_gpuKindCpu ? "processor"
										   : "other",
			   gpu.driver, gpu.computeUnits, 1e-9 * (double)gpu.memoryBytes);
	}
	for (int32_t i = 0; i < brGetCapabilityCount(); ++i)
	{
		const brCapability* feature = brGetCapability(i);
		printf("%-9s %s: %s\n", feature->name, feature->isPresent ? "present" : "absent ", feature->gives);
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
