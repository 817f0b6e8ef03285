// SPDX-License-Identifier: MIT
#include "loading.h"
#include "mending.h"
#include "outputs.h"
#include "up_axis.h"

#include <math.h>
#include <string.h>

// Makes each mesh a solid; one line for all of them. `outBad` counts those that are still none.
static brResult repairAll(CommandLine* line, brAssembly* assembly, const MendOptions* options, int32_t* outBad,
						  brReport* report)
{
	int32_t mendedCount = 0;
	char example[sizeof(((brMendInfo*)0)->summary)] = "";
	*outBad = 0;
	for (int32_t i = 0; i < assembly->meshCount; ++i)
	{
		brMesh* mended = NULL;
		brMendInfo info;
		brReport inner = {0};
		brResult result = brMendMesh(&line->context, assembly->meshes[i], &options->def, &mended, &info, &inner);
		if (result == br_errorGeometry)
		{
			*outBad += 1;
			*report = *outBad == 1 ? inner : *report;
			continue;
		}
		if (result < 0)
		{
			*report = inner;
			return result;
		}
		mendedCount += info.isChanged;
		if (info.isChanged && (example[0] == 0 || assembly->meshCount == 1))
		{
			snprintf(example, sizeof(example), "%s", info.summary);
		}
		brDestroyMesh(assembly->meshes[i]);
		assembly->meshes[i] = mended;
	}
	if (assembly->meshCount == 1)
	{
		if (*outBad == 0) // else the report says what is wrong
		{
			say(line, "repair: %s", mendedCount > 0 ? example : "nothing to do");
		}
	}
	else
	{
		say(line, "repair: %d meshes: %d were solids, %d were mended%s%s%s, %d are still no solids",
			assembly->meshCount, assembly->meshCount - mendedCount - *outBad, mendedCount,
			mendedCount > 0 ? " (the first: " : "", example, mendedCount > 0 ? ")" : "", *outBad);
	}
	return br_success;
}

// A recording as an animation, at another rate if one is given; anything else, or one moment of it, as it is.
static brResult loadMoving(CommandLine* line, const Moment* moment, double rate, brAssembly** outAssembly,
						   brReport* report)
{
	const char* path = line->positional[0];
	bool isMoving = !moment->last && isnan(moment->time);
	if (!isRecording(path) || (!isMoving && !(rate > 0.0)))
	{
		return loadAssembly(line, path, moment, isMoving, outAssembly, report);
	}
	brRecording* recording = NULL;
	brRecording* other = NULL;
	brRecordingView view = brDefaultRecordingView();
	view.keyTolerance = BR_RECORDING_NEAR;
	brResult result = brLoadRecording(&line->context, path, &recording, report);
	if (result >= 0 && rate > 0.0)
	{
		result = brTrimRecording(&line->context, recording, 0.0, INFINITY, rate, &other, report);
	}
	if (result >= 0)
	{
		result =
			brRecording_MakeAssembly(other != NULL ? other : recording, &line->context, &view, outAssembly, report);
	}
	brDestroyRecording(recording);
	brDestroyRecording(other);
	return result;
}

// Which way up it goes into the file.
static brResult standAssembly(const CommandLine* line, const UpOptions* up, const brAssembly* assembly, brSaveDef* save,
							  brReport* report)
{
	if (!hasUpAxis(line->positional[1]))
	{
		return br_success;
	}
	brMesh* surface = NULL;
	brResult result = brAssembly_Flatten(assembly, &line->context, &surface, report);
	if (result >= 0)
	{
		chooseUp(line, up, line->positional[0], surface, line->positional[1], save);
	}
	brDestroyMesh(surface);
	return result;
}

static void scaleAssembly(brAssembly* assembly, double scale)
{
	brAffine map = brMakeAffineIdentity();
	map.m.cx.x = map.m.cy.y = map.m.cz.z = scale;
	for (int32_t i = 0; i < assembly->partCount; ++i)
	{
		assembly->parts[i].placement = brAffine_Mul(&map, &assembly->parts[i].placement);
	}
}

// Meshes far from the origin would be bent by floats: formats with placements get them near it, and the way as
// placement.
static void bringNear(brAssembly* assembly, const char* path)
{
	if (!holdsFloats(path) || brFileFormat_FromPath(path) == br_formatStl)
	{
		return;
	}
	for (int32_t i = 0; i < assembly->meshCount; ++i)
	{
		brAffine there = brMakeAffineIdentity(), back = brMakeAffineIdentity();
		there.p = wayFromAfar(brMesh_ComputeBounds(assembly->meshes[i]));
		back.p = brDMul(-1.0, there.p);
		if (brDLengthSq(there.p) > 0.0)
		{
			brMesh_Transform(assembly->meshes[i], &there);
		}
		for (int32_t k = 0; k < assembly->partCount && brDLengthSq(there.p) > 0.0; ++k)
		{
			brPart* part = &assembly->parts[k];
			part->placement = part->mesh == i ? brAffine_Mul(&part->placement, &back) : part->placement;
		}
	}
}

// Clean solids, still clean when they are read back. Nothing is written if one of them cannot be mended.
static brResult mendAssembly(CommandLine* line, const MendOptions* mend, double scale, brAssembly* assembly,
							 brReport* report)
{
	int32_t badCount = 0;
	brResult result = repairAll(line, assembly, mend, &badCount, report);
	result = result >= 0 && badCount > 0 ? br_errorGeometry : result;
	Settling settling = beginSettling(line->positional[1]);
	for (int32_t i = 0; i < assembly->meshCount && result >= 0 && scale == 1.0; ++i)
	{
		result = settlePiece(line, &settling, &assembly->meshes[i], report);
	}
	tellSettling(line, &settling);
	return result;
}

// The second file of two must not be what is read either.
static bool isSafeSplit(const CommandLine* line, const char* path)
{
	char meshes[4096];
	const char* dot = strrchr(path, '.');
	snprintf(meshes, sizeof(meshes), "%.*s_meshes.usda", dot != NULL ? (int)(dot - path) : (int)strlen(path), path);
	return isSafeOutput(line, meshes);
}

typedef struct ConvertOptions
{
	brSaveDef save;
	MendOptions mend;
	UpOptions up;
	Moment moment;
	double scale;
	double rate; // frames per second; 0: as recorded
} ConvertOptions;

static bool readConvertWords(CommandLine* line, ConvertOptions* options)
{
	brSaveDef* save = &options->save;
	const Option table[] = {
		{"ascii", 0, option_flag, &save->ascii, NULL, "text where the format has both kinds"},
		{"big-endian", 0, option_flag, &save->bigEndian, NULL, "PLY: big-endian binary"},
		{"doubles", 0, option_flag, &save->doubles, NULL, "PLY, VTK: doubles even where floats would do"},
		{"msh-version", 0, option_int, &save->mshVersion, "22|41", "Gmsh format version (default: 41)"},
		{"triangulate", 0, option_flag, &save->triangulate, NULL, "split polygons into triangles"},
		{"split", 0, option_flag, &save->split, NULL, ".usda: meshes into a file of their own, OUT_meshes.usda"},
		UP_OPTIONS(&options->up),
		{"scale", 0, option_double, &options->scale, "S", "multiply all coordinates, for instance 0.001 for mm"},
		MOMENT_OPTIONS(&options->moment),
		{"fps", 0, option_double, &options->rate, "R",
		 "recordings: frames per second of the motion (default: as recorded)"},
		MEND_OPTIONS(&options->mend),
		{"weld", 0, option_double, &options->mend.def.stitchDistance, "D",
		 "with --repair: stitch borders within this distance [m]"},
	};
	return readOptions(line, table, sizeof(table) / sizeof(table[0]), 2, 2);
}

static int checkConvertWords(const CommandLine* line, ConvertOptions* options)
{
	const char* output = line->positional[1];
	if (options->save.mshVersion != 22 && options->save.mshVersion != 41)
	{
		return failUsage(line, "--msh-version takes 22 or 41, not %d", options->save.mshVersion);
	}
	if (!(options->scale > 0.0) || options->mend.def.stitchDistance < 0.0)
	{
		return failUsage(line, "--scale takes a positive number, --weld a distance of 0 or more");
	}
	bool isSafe = checkMendOptions(line, &options->mend) == exit_done && isSafeOutput(line, output) &&
				  (!options->save.split || isSafeSplit(line, output));
	return isSafe ? exit_done : exit_usage;
}

// Everything between reading and writing.
static brResult changeAssembly(CommandLine* line, ConvertOptions* options, brAssembly* assembly, brReport* report)
{
	bool isPlayed = isRecording(line->positional[0]);
	brResult result = br_success;
	if (isPlayed)
	{
		options->save.yUp = !options->up.keep; // scenes stand on z
		options->save.triangulate = true;
	}
	else
	{
		bringNear(assembly, line->positional[1]);
	}
	if (options->mend.repair != NULL)
	{
		result = mendAssembly(line, &options->mend, options->scale, assembly, report);
	}
	if (result >= 0 && options->scale != 1.0)
	{
		scaleAssembly(assembly, options->scale);
	}
	return result < 0 || isPlayed ? result : standAssembly(line, &options->up, assembly, &options->save, report);
}

static int runConvert(CommandLine* line)
{
	ConvertOptions options = {
		.save = brDefaultSaveDef(), .mend = defaultMendOptions(), .moment = NO_MOMENT, .scale = 1.0};
	if (!readConvertWords(line, &options))
	{
		return line->exitCode;
	}
	if (checkConvertWords(line, &options) != exit_done)
	{
		return exit_usage;
	}
	if (!beginWork(line, "converting"))
	{
		return exit_no;
	}
	brReport report = {0};
	brAssembly* assembly = NULL;
	brResult result = loadMoving(line, &options.moment, options.rate, &assembly, &report);
	sayRemark(line, result, &report);
	result = result >= 0 ? changeAssembly(line, &options, assembly, &report) : result;
	if (result >= 0)
	{
		result = brSaveAssembly(&line->context, assembly, line->positional[1], &options.save, &report);
		sayRemark(line, result, &report);
	}
	endWork(line);
	if (result >= 0 && line->json)
	{
		Json json = beginJson();
		jsonText(&json, "input", line->positional[0]);
		jsonText(&json, "output", line->positional[1]);
		jsonInt(&json, "parts", assembly->partCount);
		jsonInt(&json, "meshes", assembly->meshCount);
		jsonInt(&json, "tet_meshes", assembly->tetMeshCount);
		result > 0 ? jsonText(&json, "remark", report.text) : (void)0;
		endJson(&json, line);
	}
	brDestroyAssembly(assembly);
	return result < 0 ? failData(line, &report) : exit_done;
}

const Command command_convert = {
	"convert",
	"converts between mesh formats, and from recordings",
	"IN OUT [--time S | --last] [--repair] [--ascii] ...",
	"Endings decide: .brec (in) .obj .ply .stl .off .glb .gltf .usda .usdz .msh .vtk .vtu (in) .mesh\n"
	".node/.ele. Whatever the output format cannot hold is converted or left out with a note; the file appears "
	"complete or not at all.\n"
	"A recording becomes an animation in .glb and .usda, and what is there at one time in the others.",
	"brittle convert out/pane/pane.brec rubble.obj --last",
	runConvert,
	false,
};
