// SPDX-License-Identifier: MIT
#include "ask.h"
#include "made_of.h"
#include "serve_socket.h"

#include <stdlib.h>
#include <string.h>

// A library, asked in this process, which may not survive it: what --ask does. One line a device of OpenCL.
static int answerAsk(const char* name)
{
	brReport report = {0};
	for (int32_t i = 0; i < brGetCapabilityCount(); ++i)
	{
		if (strcmp(brGetCapability(i)->name, name) == 0 && !brOpenCapability(i, &report))
		{
			printf("%s\n", report.text);
			return exit_no;
		}
	}
	if (strcmp(name, "opencl") == 0 && brGetGpuCount(&report) <= 0)
	{
		printf("%s\n", report.text[0] != 0 ? report.text : "no device");
		return exit_no;
	}
	brGpuInfo gpu;
	for (int32_t i = 0; strcmp(name, "opencl") == 0 && brGetGpuInfo(i, &gpu); ++i)
	{
		printf("%d\t%d\t%llu\t%s\t%s\n", (int)gpu.kind, gpu.computeUnits, (unsigned long long)gpu.memoryBytes,
			   gpu.driver, gpu.name);
	}
	return exit_done;
}

// One line of that answer, of which `text` is moved to the next. False at the end.
static bool nextDevice(char** text, brGpuInfo* outInfo)
{
	memset(outInfo, 0, sizeof(*outInfo));
	int kind = 0, length = 0;
	unsigned long long memory = 0;
	if (sscanf(*text, "%d\t%d\t%llu\t%127[^\t]\t%127[^\n]%n", &kind, &outInfo->computeUnits, &memory, outInfo->driver,
			   outInfo->name, &length) != 5)
	{
		return false;
	}
	outInfo->kind = (brGpuKind)kind;
	outInfo->memoryBytes = memory;
	*text += length + ((*text)[length] == '\n');
	return true;
}

// Whether a library works here is asked in a process of its own.
static bool isFeatureHere(const brCapability* feature, bool hasDevices, char* outWhy, size_t bytes)
{
	if (!feature->isPresent)
	{
		brReport report = {0};
		for (int32_t i = 0; i < brGetCapabilityCount(); ++i)
		{
			if (brGetCapability(i) == feature)
			{
				brOpenCapability(i, &report); // answers without opening anything
			}
		}
		snprintf(outWhy, bytes, "%s", report.text);
		return false;
	}
	if (strcmp(feature->name, "opencl") == 0)
	{
		snprintf(outWhy, bytes, "see above");
		return hasDevices;
	}
	return askLibrary(feature->name, outWhy, bytes) == ask_here;
}

static void printJson(CommandLine* line, char* devices)
{
	bool hasDevices = devices != NULL;
	brGpuInfo gpu;
	Json json = beginJson();
	jsonText(&json, "version", brGetVersion());
	jsonInt(&json, "workers", brGetCoreCount());
	jsonText(&json, "vectors", brGetVectorPath());
	jsonOpen(&json, "devices", '[');
	jsonOpen(&json, NULL, '{');
	jsonText(&json, "kind", "cpu");
	jsonInt(&json, "cores", brGetCoreCount());
	jsonClose(&json, '}');
	while (devices != NULL && nextDevice(&devices, &gpu))
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
		char why[8192];
		jsonBool(&json, brGetCapability(i)->name, isFeatureHere(brGetCapability(i), hasDevices, why, sizeof(why)));
	}
	jsonBool(&json, "websockets", serveIsBuiltIn);
	jsonClose(&json, '}');
	jsonOpen(&json, "materials", '[');
	for (int32_t i = 0; i < brGetMaterialCount(); ++i)
	{
		jsonText(&json, NULL, brGetMaterial(i)->name);
	}
	jsonClose(&json, ']');
	endJson(&json, line);
}

static void printText(char* devices, const char* noDevices)
{
	bool hasDevices = devices != NULL;
	brGpuInfo gpu;
	printf("brittle %s\n", brGetVersion());
	printf("cpu       %d cores, %s\n", brGetCoreCount(), brGetVectorPath());
	if (devices == NULL)
	{
		printf("opencl    %s\n", noDevices);
	}
	for (int32_t i = 0; devices != NULL && nextDevice(&devices, &gpu); ++i)
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
		char why[8192];
		bool isHere = isFeatureHere(feature, hasDevices, why, sizeof(why));
		printf("%-13s %s: %s%s%.400s%s\n", feature->name, isHere ? "present" : "absent ", feature->gives,
			   isHere ? "" : " (", isHere ? "" : why, isHere ? "" : ")");
	}
	printf("%-13s %s: serves a running world to a browser%s\n", "websockets", serveIsBuiltIn ? "present" : "absent ",
		   serveIsBuiltIn ? "" : " (not in this build; Debian: libwebsockets-dev, then build again)");
	char names[512];
	listMaterials(names, sizeof(names));
	printf("materials     %s\n", names);
}

static int runInfo(CommandLine* line)
{
	const char* ask = NULL;
	const Option options[] = {
		{"ask", 0, option_text, &ask, "NAME", "opens one library in this process; brittle asks itself so"},
	};
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 0, 0))
	{
		return line->exitCode;
	}
	if (ask != NULL)
	{
		return answerAsk(ask);
	}
	char why[1024], devices[16384];
	// Asked afresh, so that a driver that was repaired is used again; then the list.
	bool isAsked = canAskOpenCl(true, why, sizeof(why));
	bool hasDevices = isAsked && askLibrary("opencl", devices, sizeof(devices)) == ask_here;
	line->json ? printJson(line, hasDevices ? devices : NULL)
			   : printText(hasDevices ? devices : NULL, isAsked ? devices : why);
	return exit_done;
}

const Command command_info = {
	"info",
	"shows version, build options, devices, workers, materials",
	"[--json]",
	"Says what this build is and what it can do on this machine. A feature that is absent was not found when the\n"
	"program was built, or its library is not here. Devices and heavy libraries are asked in processes of their own:\n"
	"a driver that aborts or hangs ends those, not this one.",
	"brittle info --json",
	runInfo,
	false,
};
