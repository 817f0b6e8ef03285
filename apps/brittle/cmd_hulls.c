// SPDX-License-Identifier: MIT
#include "loading.h"
#include "mending.h"
#include "outputs.h"

#include <math.h>

typedef struct HullsArgs
{
	brConvexDef def;
	MendOptions mend;
} HullsArgs;

// What all parts came to.
typedef struct HullsSum
{
	int32_t parts, hulls;
	double volume, hullVolume, outside;
	Settling settling;
} HullsSum;

// The hulls of one part, placed as it was. The report says why not.
static brResult addHulls(const CommandLine* line, const HullsArgs* args, const brPart* part, const brMesh* mesh,
						 brAssembly* out, HullsSum* sum, brReport* report)
{
	brMesh* solid = NULL;
	brConvexParts* parts = NULL;
	brResult result = brCopyMesh(&line->context, mesh, &solid, report);
	const char* name = part->name[0] != 0 ? part->name : line->positional[0];
	result = result < 0 ? result : mendMesh(line, &args->mend, name, &solid, report);
	result = result < 0 ? result : brCreateConvexParts(&line->context, solid, &args->def, &parts, report);
	brDestroyMesh(solid);
	for (int32_t i = 0; result >= 0 && i < parts->count; ++i)
	{
		brPart hull = brDefaultPart();
		char hullName[80];
		snprintf(hullName, sizeof(hullName), "%.48s_hull_%d", part->name[0] != 0 ? part->name : "part", i);
		result = settlePiece(line, &sum->settling, &parts->hulls[i], report);
		hull.placement = part->placement;
		hull.mesh = result < 0 ? -1 : brAssembly_AddMesh(out, parts->hulls[i]);
		if (hull.mesh >= 0)
		{
			parts->hulls[i] = NULL; // the assembly's now
		}
		if (result >= 0 && (hull.mesh < 0 || brAssembly_AddPart(out, hullName, &hull) < 0))
		{
			snprintf(report->text, sizeof(report->text), "there is no memory for the hulls");
			result = br_errorMemory;
		}
	}
	if (result >= 0)
	{
		sum->parts += 1;
		sum->hulls += parts->count;
		sum->volume += parts->volume;
		sum->hullVolume += parts->hullVolume;
		sum->outside = sum->outside > parts->outside ? sum->outside : parts->outside;
	}
	brDestroyConvexParts(parts);
	return result;
}

static brResult makeHulls(const CommandLine* line, const HullsArgs* args, HullsSum* sum, brReport* report)
{
	brAssembly *in = NULL, *out = NULL;
	brResult result = loadAssembly(line, line->positional[0], &(Moment)NO_MOMENT, false, &in, report);
	if (result >= 0)
	{
		brAssembly_Freeze(in, -INFINITY);
		out = brCreateAssembly(&line->context);
		result = out != NULL ? br_success : br_errorMemory;
	}
	for (int32_t i = 0; result >= 0 && i < in->partCount; ++i)
	{
		const brPart* part = &in->parts[i];
		if (part->mesh >= 0)
		{
			result = addHulls(line, args, part, in->meshes[part->mesh], out, sum, report);
		}
	}
	if (result >= 0 && sum->parts == 0)
	{
		snprintf(report->text, sizeof(report->text), "%.300s holds no surfaces", line->positional[0]);
		result = br_errorGeometry;
	}
	result = result < 0 ? result : brSaveAssembly(&line->context, out, line->positional[1], NULL, report);
	brDestroyAssembly(in);
	brDestroyAssembly(out);
	return result;
}

static int runHulls(CommandLine* line)
{
	HullsArgs args = {brDefaultConvexDef(), defaultMendOptions()};
	const Option options[] = {
		{"most", 'n', option_int, &args.def.most, "N", "hulls of one part, at most (16)"},
		{"error", 0, option_double, &args.def.error, "E",
		 "cut until hulls have at most this share of the volume too much (0.05)"},
		MEND_OPTIONS(&args.mend),
	};
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 2, 2))
	{
		return line->exitCode;
	}
	if (args.def.most < 1 || args.def.most > 1024 || !(args.def.error >= 0.0))
	{
		return failUsage(line, "--most takes 1 to 1024, --error a share of 0 or more");
	}
	if (checkMendOptions(line, &args.mend) != exit_done || !canWrite(line, line->positional[1]) ||
		!isSafeOutput(line, line->positional[1]))
	{
		return exit_usage;
	}
	if (!beginWork(line, "cutting"))
	{
		return exit_no;
	}
	brReport report = {0};
	HullsSum sum = {.settling = beginSettling(line->positional[1])};
	brResult result = makeHulls(line, &args, &sum, &report);
	endWork(line);
	if (result < 0)
	{
		return failCall(line, &report);
	}
	tellSettling(line, &sum.settling);
	double error = (sum.hullVolume - sum.volume) / sum.volume;
	if (line->json)
	{
		Json json = beginJson();
		jsonText(&json, "output", line->positional[1]);
		jsonInt(&json, "parts", sum.parts);
		jsonInt(&json, "hulls", sum.hulls);
		jsonNumber(&json, "volume", sum.volume);
		jsonNumber(&json, "hull_volume", sum.hullVolume);
		jsonNumber(&json, "error", error);
		jsonNumber(&json, "outside", sum.outside);
		endJson(&json, line);
		return exit_done;
	}
	say(line, "%s: %d hull%s of %d part%s, %.2f %% too %s volume; up to %.3g m lie outside of them",
		line->positional[1], sum.hulls, sum.hulls == 1 ? "" : "s", sum.parts, sum.parts == 1 ? "" : "s",
		100.0 * fabs(error), error < 0.0 ? "little" : "much", sum.outside);
	return exit_done;
}

const Command command_hulls = {
	"hulls",
	"approximates a solid, or each of its pieces, by a few convex hulls",
	"IN OUT [--most N] [--error E]",
	"Cuts each part of the file by planes until the convex hulls of what is left have little more volume than it has, "
	"and\n"
	"writes the hulls: piece_3_hull_0, piece_3_hull_1... For physics engines that collide convex shapes alone.",
	"brittle hulls pieces.glb colliders.glb --error 0.03",
	runHulls,
	false,
};
