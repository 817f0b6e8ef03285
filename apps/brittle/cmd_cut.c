// SPDX-License-Identifier: MIT
#include "cut_map.h"
#include "loading.h"
#include "mending.h"
#include "outputs.h"
#include "up_axis.h"

#include <string.h>

enum
{
	CUT_MAX_CUTTERS = 62
};

// In the order of brCutOp; what comes after them is no cut by another mesh.
static const char* const cutOpNames[] = {"split", "union", "intersection", "difference", "surface", "fill"};

static bool readCutOp(const char* text, brCutOp* outOp)
{
	for (int i = 0; i <= br_cutFill; ++i)
	{
		if (strcmp(text, cutOpNames[i]) == 0)
		{
			*outOp = (brCutOp)i;
			return true;
		}
	}
	return false;
}

// What the words ask for.
typedef struct CutArgs
{
	const char* folder;
	const char* op;
	const char* ending;
	brDVec3 point, normal;
	brCutDef def;
	bool isResolve;
	bool isPlane;
	int32_t cutterCount;
	const char* mapPath; // or null
	MendOptions mend;
	UpOptions up;
	brSaveDef save;
} CutArgs;

static brResult savePieces(CommandLine* line, const CutArgs* args, OutputFolder* outputs, const brCutResult* cut,
						   brReport* report)
{
	brResult claimed = claimPieces(outputs, cut->pieceCount, args->ending, report);
	if (claimed < 0)
	{
		return claimed;
	}
	Settling settling = beginSettling(args->ending);
	for (int32_t i = 0; i < cut->pieceCount; ++i)
	{
		measurePiece(&settling, cut->pieces[i].mesh);
	}
	for (int32_t i = 0; i < cut->pieceCount; ++i)
	{
		char path[1280];
		piecePath(path, sizeof(path), args->folder, i, args->ending);
		brResult result = settlePiece(line, &settling, &cut->pieces[i].mesh, report);
		result = result < 0 ? result : brSaveMesh(&line->context, cut->pieces[i].mesh, path, &args->save, report);
		if (result < 0)
		{
			return result;
		}
		if (i == 0)
		{
			sayRemark(line, result, report);
		}
	}
	tellSettling(line, &settling);
	return removeOldPieces(outputs, cut->pieceCount, args->ending, report);
}

static void printCut(const CommandLine* line, const CutArgs* args, const brCutResult* cut)
{
	if (!line->json)
	{
		say(line, "%d piece%s, volume %.12g of %.12g", cut->pieceCount, cut->pieceCount == 1 ? "" : "s",
			cut->stats.volumeOut, cut->stats.volumeIn);
		return;
	}
	Json json = beginJson();
	jsonText(&json, "op", args->op);
	jsonOpen(&json, "pieces", '[');
	for (int32_t i = 0; i < cut->pieceCount; ++i)
	{
		const brCutPiece* piece = &cut->pieces[i];
		char path[1280];
		piecePath(path, sizeof(path), args->folder, i, args->ending);
		jsonOpen(&json, NULL, '{');
		jsonText(&json, "file", path);
		jsonInt(&json, "vertices", piece->mesh->vertexCount);
		jsonInt(&json, "faces", piece->mesh->faceCount);
		jsonBool(&json, "closed", piece->isClosed);
		jsonNumber(&json, "volume", piece->volume);
		jsonInt(&json, "side", piece->side);
		jsonClose(&json, '}');
	}
	jsonClose(&json, ']');
	jsonNumber(&json, "volume_in", cut->stats.volumeIn);
	jsonNumber(&json, "volume_out", cut->stats.volumeOut);
	jsonInt(&json, "contacts", cut->stats.contacts);
	jsonInt(&json, "new_vertices", cut->stats.newVertices);
	jsonInt(&json, "crumbs", cut->stats.crumbs);
	jsonInt(&json, "open_edges", cut->stats.openEdges);
	if (cut->stats.selfCrossings >= 0)
	{
		jsonInt(&json, "self_crossings", cut->stats.selfCrossings);
	}
	jsonInt(&json, "lowest_winding", cut->stats.lowestWinding);
	jsonInt(&json, "highest_winding", cut->stats.highestWinding);
	endJson(&json, line);
}

static bool readCutWords(CommandLine* line, CutArgs* args)
{
	brCutDef* def = &args->def;
	const Option options[] = {
		{"output", 'o', option_text, &args->folder, "DIR",
		 "folder for the pieces, made if it is not there; the pieces of an earlier cut are replaced"},
		{"op", 0, option_text, &args->op, "OP",
		 "split (default), union, intersection, difference, surface, fill or resolve"},
		{"format", 0, option_text, &args->ending, "EXT", "ending of the files: ply (default), obj, stl, off, glb..."},
		{"normal", 0, option_vec3, &args->normal, "X,Y,Z", "without CUTTER: split by the plane with this normal"},
		{"point", 0, option_vec3, &args->point, "X,Y,Z", "a point on that plane (default: the origin)"},
		{"keep-crumbs", 0, option_flag, &def->keepCrumbs, NULL, "keep pieces thinner than rounding"},
		{"crumb", 0, option_double, &def->minShare, "F", "pieces below this share of the volume join a neighbor (0)"},
		{"heal", 0, option_flag, &def->healIncisions, NULL, "close incisions again"},
		{"triangles", 0, option_flag, &def->keepTriangles, NULL, "leave cut faces in triangles"},
		{"flat", 0, option_double, &def->flatTolerance, "T", "how flat a polygon must be to stay one (relative)"},
		{"count-crossings", 0, option_flag, &def->countCrossings, NULL,
		 "count where rounding made a piece cross itself"},
		{"map", 0, option_text, &args->mapPath, "FILE",
		 "where each face and vertex of each piece comes from, and the loops where caps meet the source, as .json"},
		{"simple-cutter", 0, option_flag, &def->assumeCutterSimple, NULL,
		 "the cutter does not cross itself: do not look"},
		UP_OPTIONS(&args->up),
		MEND_OPTIONS(&args->mend),
	};
	return readOptions(line, options, sizeof(options) / sizeof(options[0]), 1, 1 + CUT_MAX_CUTTERS);
}

static int checkCutWords(const CommandLine* line, CutArgs* args)
{
	args->cutterCount = line->positionalCount - 1;
	args->isResolve = strcmp(args->op, "resolve") == 0;
	args->isPlane = args->cutterCount == 0 && !args->isResolve;
	brCutDef* def = &args->def;
	if (args->folder == NULL)
	{
		return failUsage(line, "-o DIR says where the pieces go");
	}
	if (checkMendOptions(line, &args->mend) != exit_done)
	{
		return exit_usage;
	}
	if (!args->isResolve && !readCutOp(args->op, &def->op))
	{
		return failUsage(line, "--op takes split, union, intersection, difference, surface, fill or resolve, not '%s'",
						 args->op);
	}
	if (args->isResolve && args->cutterCount > 0)
	{
		return failUsage(line, "resolve takes one mesh and no CUTTER");
	}
	if (args->cutterCount > 0 && brDLengthSq(args->normal) > 0.0)
	{
		return failUsage(line, "give a CUTTER or a plane by --normal, not both");
	}
	if (args->isPlane && args->normal.x == 0.0 && args->normal.y == 0.0 && args->normal.z == 0.0)
	{
		return failUsage(line, "give a CUTTER, or a plane by --normal X,Y,Z and --point X,Y,Z");
	}
	if (args->isPlane && def->op != br_cutSplit && def->op != br_cutSurface && def->op != br_cutFill)
	{
		return failUsage(line, "a plane splits or parts a surface; '%s' needs a closed CUTTER", args->op);
	}
	if (!(def->flatTolerance >= 0.0))
	{
		return failUsage(line, "--flat takes a number of 0 or more");
	}
	if (!canWriteEnding(args->ending))
	{
		return failUsage(line, "--format takes an ending that can be written, not '%s'", args->ending);
	}
	return exit_done;
}

static brResult loadForCut(const CommandLine* line, const CutArgs* args, const char* path, bool needsSolid,
						   brMesh** outMesh, brReport* report)
{
	if (needsSolid)
	{
		return loadSolid(line, &args->mend, path, outMesh, report);
	}
	brResult result = loadMesh(line, path, outMesh, report);
	sayRemark(line, result, report);
	return result;
}

static brResult cutFiles(CommandLine* line, CutArgs* args, brCutResult** outCut, brReport* report)
{
	brMesh *source = NULL, *cutters[CUT_MAX_CUTTERS] = {NULL};
	// A split and a boolean need a solid source, a boolean solid cutters too; the others take surfaces as they are.
	bool isBoolean =
		args->def.op == br_cutUnion || args->def.op == br_cutIntersection || args->def.op == br_cutDifference;
	bool needsSolid = !args->isResolve && (isBoolean || args->def.op == br_cutSplit);
	brResult result = loadForCut(line, args, line->positional[0], needsSolid, &source, report);
	for (int32_t i = 0; i < args->cutterCount && result >= 0; ++i)
	{
		result = loadForCut(line, args, line->positional[1 + i], isBoolean, &cutters[i], report);
	}
	if (result >= 0 && source->faceCount == 0)
	{
		snprintf(report->text, sizeof(report->text), "%.200s holds no faces", line->positional[0]);
		result = br_errorGeometry;
	}
	if (result >= 0)
	{
		const brMesh* const* list = (const brMesh* const*)cutters;
		result = args->isResolve ? brResolveMesh(&line->context, source, &args->def, outCut, report)
				 : args->isPlane
					 ? brCutMeshByPlane(&line->context, source, args->point, args->normal, &args->def, outCut, report)
					 : brCutMeshByMany(&line->context, source, list, args->cutterCount, &args->def, outCut, report);
		sayRemark(line, result, report);
		chooseUp(line, &args->up, line->positional[0], source, args->ending, &args->save);
		if (result >= 0 && args->mapPath != NULL &&
			!saveCutMap(args->mapPath, *outCut, source, list, args->cutterCount, report))
		{
			result = br_errorFile;
		}
	}
	brDestroyMesh(source);
	for (int32_t i = 0; i < args->cutterCount; ++i)
	{
		brDestroyMesh(cutters[i]);
	}
	return result;
}

static int runCut(CommandLine* line)
{
	CutArgs args = {.op = "split",
					.ending = "ply",
					.def = brDefaultCutDef(),
					.mend = defaultMendOptions(),
					.save = brDefaultSaveDef()};
	if (!readCutWords(line, &args))
	{
		return line->exitCode;
	}
	if (checkCutWords(line, &args) != exit_done)
	{
		return exit_usage;
	}
	brReport report = {0};
	OutputFolder outputs;
	if (openPieces(&outputs, line, args.folder, args.ending, &report) < 0)
	{
		return failData(line, &report);
	}
	if (!beginWork(line, "cutting"))
	{
		closeOutputs(&outputs);
		return exit_no;
	}
	brCutResult* cut = NULL;
	brResult result = cutFiles(line, &args, &cut, &report);
	if (result >= 0)
	{
		nextWork(line, "writing");
		result = savePieces(line, &args, &outputs, cut, &report);
	}
	endWork(line);
	closeOutputs(&outputs);
	int exitCode = result < 0 ? failData(line, &report) : exit_done;
	if (exitCode == exit_done)
	{
		printCut(line, &args, cut);
	}
	brDestroyCutResult(cut);
	return exitCode;
}

const Command command_cut = {
	"cut",
	"cuts a mesh by a surface, exactly",
	"SOURCE [CUTTER...] -o DIR [--op split|union|intersection|difference|surface|fill|resolve]",
	"Split: all pieces of a closed source along any surface; one that ends inside leaves an incision. Union,\n"
	"intersection and difference: both closed. Surface: an open source is parted, no caps. Fill: the same, with caps\n"
	"where the source has an inside. Resolve: one mesh that crosses itself as clean solids. Cutters may cross each\n"
	"other. Pieces of a solid are closed solids again, faces away from the cut stay as they were, new faces have the\n"
	"material \"interior\". See docs/cutting.md.",
	"brittle cut vase.obj crack.obj -o pieces --format glb",
	runCut,
	false,
};
