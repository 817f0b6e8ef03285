// SPDX-License-Identifier: MIT
#include "command.h"

#include <stdlib.h>
#include <string.h>

typedef struct RenderJob
{
	brAssembly* assembly;
	brRenderDef def;
	const char* output;
	int32_t turntable; // pictures, or 0 for one
} RenderJob;

// All files in one assembly: the meshes change hands, the parts follow.
static brResult addFile(CommandLine* line, const char* path, brAssembly* all, brReport* report)
{
	brAssembly* file = NULL;
	brResult result = brLoadAssembly(&line->context, path, &file, report);
	if (result < 0)
	{
		return result;
	}
	sayRemark(line, result, report);
	int32_t firstMesh = all->meshCount;
	int32_t firstTetMesh = all->tetMeshCount;
	int32_t moved = 0;
	for (; moved < file->meshCount && brAssembly_AddMesh(all, file->meshes[moved]) >= 0; ++moved)
	{
	}
	bool complete = moved == file->meshCount;
	file->meshCount -= moved;
	memmove(file->meshes, file->meshes + moved, (size_t)file->meshCount * sizeof(brMesh*));
	moved = 0;
	for (; complete && moved < file->tetMeshCount && brAssembly_AddTetMesh(all, file->tetMeshes[moved]) >= 0; ++moved)
	{
	}
	complete = complete && moved == file->tetMeshCount;
	file->tetMeshCount -= moved;
	memmove(file->tetMeshes, file->tetMeshes + moved, (size_t)file->tetMeshCount * sizeof(brTetMesh*));
	for (int32_t i = 0; complete && i < file->partCount; ++i)
	{
		brPart part = file->parts[i];
		part.mesh += part.mesh >= 0 ? firstMesh : 0;
		part.tetMesh += part.tetMesh >= 0 ? firstTetMesh : 0;
		int32_t index = brAssembly_AddPart(all, NULL, &part);
		complete = index >= 0 &&
				   (part.keyCount == 0 || brAssembly_SetMotion(all, index, file->keys + part.firstKey, part.keyCount));
	}
	brDestroyAssembly(file);
	if (!complete)
	{
		snprintf(report->text, sizeof(report->text), "there is not enough memory");
		return br_errorMemory;
	}
	return br_success;
}

// Moves the parts from `firstPart` on along x so that they stand to the right of what was there before.
static brResult setBeside(CommandLine* line, brAssembly* all, int32_t firstPart, double* rightEdge, brReport* report)
{
	brAssembly added = *all; // borrows
	added.parts += firstPart;
	added.partCount -= firstPart;
	brMesh* surface = NULL;
	brResult result = brAssembly_Flatten(&line->context, &added, &surface, report);
	if (result < 0)
	{
		return result;
	}
	brDBox3 box = brMesh_Bounds(surface);
	brDestroyMesh(surface);
	double width = box.upper.x - box.lower.x;
	if (!(width >= 0.0))
	{
		return br_success;
	}
	double left = firstPart == 0 ? box.lower.x : *rightEdge + 0.25 * width;
	for (int32_t i = firstPart; i < all->partCount; ++i)
	{
		all->parts[i].placement.p.x += left - box.lower.x;
	}
	*rightEdge = left + width;
	return br_success;
}

// "picture.png" and 7 give "picture_007.png".
static void numberedName(char* buffer, size_t capacity, const char* path, int32_t number)
{
	const char* dot = strrchr(path, '.');
	const char* slash = strrchr(path, '/');
	int length = dot != NULL && (slash == NULL || dot > slash) ? (int)(dot - path) : (int)strlen(path);
	snprintf(buffer, capacity, "%.*s_%03d%s", length, path, number, path + length);
}

static brResult renderAll(CommandLine* line, RenderJob* job, brReport* report)
{
	size_t bytes = (size_t)4 * (size_t)job->def.width * (size_t)job->def.height;
	uint8_t* pixels = malloc(bytes);
	if (pixels == NULL)
	{
		snprintf(report->text, sizeof(report->text), "there is not enough memory for %d x %d pixels", job->def.width,
				 job->def.height);
		return br_errorMemory;
	}
	int32_t count = job->turntable > 0 ? job->turntable : 1;
	double azimuth = job->def.azimuth;
	brResult result = br_success;
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		char name[1024];
		numberedName(name, sizeof(name), job->output, i);
		const char* path = job->turntable > 0 ? name : job->output;
		job->def.azimuth = azimuth + 2.0 * BR_PI * i / count;
		result = brRender(&line->context, job->assembly, &job->def, pixels, report);
		if (result >= 0)
		{
			result = brSavePng(&line->context, path, job->def.width, job->def.height, pixels, report);
		}
	}
	free(pixels);
	return result;
}

static int runRender(CommandLine* line)
{
	RenderJob job = {.def = brDefaultRenderDef()};
	double degrees = BR_PI / 180.0;
	double azimuth = job.def.azimuth / degrees;
	double elevation = job.def.elevation / degrees;
	double fieldOfView = job.def.fieldOfView / degrees;
	const char* size = NULL;
	const char* up = NULL;
	const char* clip = NULL;
	bool inRow = false;
	const Option options[] = {
		{"output", 'o', option_text, &job.output, "PNG", "where to write"},
		{"size", 0, option_text, &size, "WxH", "pixels (default: 960x720)"},
		{"samples", 0, option_int, &job.def.samples, "N", "rays per pixel; 16 is a draft, 64 is clean"},
		{"azimuth", 0, option_double, &azimuth, "DEG", "camera around the up axis"},
		{"elevation", 0, option_double, &elevation, "DEG", "camera above the horizon"},
		{"fov", 0, option_double, &fieldOfView, "DEG", "vertical field of view"},
		{"zoom", 0, option_double, &job.def.zoom, "Z", "1 frames everything, 2 is twice as close"},
		{"up", 0, option_text, &up, "x|y|z", "up axis (default: y for glTF, else z)"},
		{"time", 0, option_double, &job.def.time, "S", "instant of a moving scene"},
		{"turntable", 0, option_int, &job.turntable, "N", "N pictures once round, numbered"},
		{"row", 0, option_flag, &inRow, NULL, "set the files side by side along x"},
		{"edges", 0, option_flag, &job.def.edges, NULL, "draw the polygon edges"},
		{"parts", 0, option_flag, &job.def.colorParts, NULL, "a colour of its own for each part"},
		{"clip", 0, option_text, &clip, "nx,ny,nz,d", "leave out what lies in front of the plane n.x = d"},
		{"no-ground", 0, option_not, &job.def.ground, NULL, "no ground plane"},
		{"transparent", 0, option_flag, &job.def.transparentBackground, NULL, "transparent background"},
	};
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 1, 64))
	{
		return line->exitCode;
	}
	if (job.output == NULL)
	{
		return failUsage(line, "usage: brittle render %s", line->command->synopsis);
	}
	char rest;
	if (size != NULL && sscanf(size, "%dx%d%c", &job.def.width, &job.def.height, &rest) != 2)
	{
		return failUsage(line, "--size takes WxH, for instance 1280x720, not '%s'", size);
	}
	if (job.def.width < 16 || job.def.width > 16384 || job.def.height < 16 || job.def.height > 16384)
	{
		return failUsage(line, "--size takes 16x16 to 16384x16384");
	}
	if (job.def.samples < 1 || job.turntable < 0 || job.turntable > 10000 || !(job.def.zoom > 0.0) ||
		!(fieldOfView > 1.0 && fieldOfView < 150.0))
	{
		return failUsage(line,
						 "--samples and --zoom are positive, --turntable is 0 to 10000, --fov is between 1 and 150");
	}
	if (up != NULL && (strlen(up) != 1 || strchr("xyz", up[0]) == NULL))
	{
		return failUsage(line, "--up takes x, y or z, not '%s'", up);
	}
	if (clip != NULL)
	{
		brDVec3* n = &job.def.clipNormal;
		job.def.clip = true;
		if (sscanf(clip, "%lf,%lf,%lf,%lf%c", &n->x, &n->y, &n->z, &job.def.clipOffset, &rest) != 4 ||
			!(brDLength(*n) > 0.0))
		{
			return failUsage(line, "--clip takes nx,ny,nz,d with a normal that is not zero, not '%s'", clip);
		}
	}
	brFileFormat format = brFileFormat_FromPath(line->positional[0]);
	char axis = up != NULL ? up[0] : format == br_formatGlb || format == br_formatGltf ? 'y' : 'z';
	job.def.up = brMakeDVec3(axis == 'x', axis == 'y', axis == 'z');
	job.def.azimuth = azimuth * degrees;
	job.def.elevation = elevation * degrees;
	job.def.fieldOfView = fieldOfView * degrees;
	job.def.seed = line->seed;

	if (!beginWork(line, "rendering"))
	{
		return exit_no;
	}
	brReport report = {0};
	brResult result = br_errorMemory;
	job.assembly = brCreateAssembly(&line->context);
	if (job.assembly != NULL)
	{
		result = br_success;
		double rightEdge = 0.0;
		for (int32_t i = 0; i < line->positionalCount && result >= 0; ++i)
		{
			int32_t firstPart = job.assembly->partCount;
			result = addFile(line, line->positional[i], job.assembly, &report);
			if (result >= 0 && inRow)
			{
				result = setBeside(line, job.assembly, firstPart, &rightEdge, &report);
			}
		}
		if (result >= 0)
		{
			result = renderAll(line, &job, &report);
		}
	}
	brDestroyAssembly(job.assembly);
	endWork(line);
	if (result < 0)
	{
		report.code = result;
		return failData(line, &report);
	}
	if (line->json)
	{
		Json json = beginJson();
		jsonText(&json, "file", job.output);
		jsonInt(&json, "width", job.def.width);
		jsonInt(&json, "height", job.def.height);
		jsonInt(&json, "pictures", job.turntable > 0 ? job.turntable : 1);
		endJson(&json, line);
	}
	return exit_done;
}

const Command command_render = {
	"render",
	"a picture of mesh files",
	"FILE... -o PNG [--size WxH] [--turntable N] ...",
	"One soft light, a ground, a camera that frames what is there. Several files share one picture. Needs Embree\n"
	"and libpng; brittle info says whether this build has them.",
	"brittle render vase.obj -o vase.png --azimuth 40 --edges",
	runRender,
};
