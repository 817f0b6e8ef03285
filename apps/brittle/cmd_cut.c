// SPDX-License-Identifier: MIT
#include "command.h"

#include <string.h>

enum
{
	CUT_MOST_CUTTERS = 62
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

static brResult savePieces(CommandLine* line, const brCutResult* cut, const char* folder, const char* ending,
						   brReport* report)
{
	for (int32_t i = 0; i < cut->pieceCount; ++i)
	{
		char path[1280];
		piecePath(path, sizeof(path), folder, i, ending);
		brResult result = brSaveMesh(&line->context, cut->pieces[i].mesh, path, NULL, report);
		if (result < 0)
		{
			return result;
		}
		if (i == 0)
		{
			sayRemark(line, result, report);
		}
	}
	return br_success;
}

static void printCut(const CommandLine* line, const brCutResult* cut, const char* op, const char* folder,
					 const char* ending)
{
	Json json = beginJson();
	jsonText(&json, "op", op);
	jsonOpen(&json, "pieces", '[');
	for (int32_t i = 0; i < cut->pieceCount; ++i)
	{
		const brCutPiece* piece = &cut->pieces[i];
		char path[1280];
		piecePath(path, sizeof(path), folder, i, ending);
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

static int runCut(CommandLine* line)
{
	const char *folder = NULL, *op = "split", *ending = "ply";
	brCutDef def = brDefaultCutDef();
	brDVec3 point = {0.0, 0.0, 0.0}, normal = {0.0, 0.0, 0.0};
	const Option options[] = {
		{"output", 'o', option_text, &folder, "DIR",
		 "folder for the pieces, made if it is not there; those of an earlier cut go"},
		{"op", 0, option_text, &op, "OP", "split (default), union, intersection, difference, surface, fill or resolve"},
		{"format", 0, option_text, &ending, "EXT", "ending of the files: ply (default), obj, stl, off, glb..."},
		{"normal", 0, option_vec3, &normal, "X,Y,Z", "without CUTTER: split by the plane with this normal"},
		{"point", 0, option_vec3, &point, "X,Y,Z", "a point on that plane (default: the origin)"},
		{"keep-crumbs", 0, option_flag, &def.keepCrumbs, NULL, "keep pieces thinner than rounding"},
		{"triangles", 0, option_flag, &def.keepTriangles, NULL, "leave cut faces in triangles"},
		{"flat", 0, option_double, &def.flatTolerance, "T", "how flat a polygon must be to stay one (relative)"},
		{"count-crossings", 0, option_flag, &def.countCrossings, NULL,
		 "count where rounding made a piece cross itself"},
		{"simple-cutter", 0, option_flag, &def.assumeCutterSimple, NULL,
		 "the cutter does not cross itself: do not look"},
	};
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 1, 1 + CUT_MOST_CUTTERS))
	{
		return line->exitCode;
	}
	bool isResolve = strcmp(op, "resolve") == 0;
	bool isPlane = line->positionalCount == 1 && !isResolve;
	int32_t cutterCount = line->positionalCount - 1;
	if (folder == NULL)
	{
		return failUsage(line, "-o DIR says where the pieces go");
	}
	if (!isResolve && !readCutOp(op, &def.op))
	{
		return failUsage(line, "--op takes split, union, intersection, difference, surface, fill or resolve, not '%s'",
						 op);
	}
	if (isResolve && cutterCount > 0)
	{
		return failUsage(line, "resolve takes one mesh and no CUTTER");
	}
	if (cutterCount > 0 && (normal.x != 0.0 || normal.y != 0.0 || normal.z != 0.0))
	{
		return failUsage(line, "give a CUTTER or a plane by --normal, not both");
	}
	if (isPlane && normal.x == 0.0 && normal.y == 0.0 && normal.z == 0.0)
	{
		return failUsage(line, "give a CUTTER, or a plane by --normal X,Y,Z and --point X,Y,Z");
	}
	if (isPlane && def.op != br_cutSplit && def.op != br_cutSurface && def.op != br_cutFill)
	{
		return failUsage(line, "a plane splits or parts a surface; '%s' needs a closed CUTTER", op);
	}
	if (!(def.flatTolerance >= 0.0))
	{
		return failUsage(line, "--flat takes a number of 0 or more");
	}
	char probe[64];
	snprintf(probe, sizeof(probe), "piece.%s", ending);
	if (strlen(ending) > 32 || !brFileFormat_CanWrite(brFileFormat_FromPath(probe)))
	{
		return failUsage(line, "--format takes an ending that can be written, not '%s'", ending);
	}
	if (!beginWork(line, "cutting"))
	{
		return exit_no;
	}
	brReport report = {0};
	brMesh *source = NULL, *cutters[CUT_MOST_CUTTERS] = {NULL};
	brCutResult* cut = NULL;
	brResult result = brLoadMesh(&line->context, line->positional[0], &source, &report);
	sayRemark(line, result, &report);
	for (int32_t i = 0; i < cutterCount && result >= 0; ++i)
	{
		result = brLoadMesh(&line->context, line->positional[1 + i], &cutters[i], &report);
		sayRemark(line, result, &report);
	}
	if (result >= 0 && source->faceCount == 0)
	{
		snprintf(report.text, sizeof(report.text), "%.200s holds no faces", line->positional[0]);
		result = br_errorGeometry;
	}
	if (result >= 0)
	{
		result = isResolve ? brResolveMesh(&line->context, source, &def, &cut, &report)
				 : isPlane ? brCutMeshByPlane(&line->context, source, point, normal, &def, &cut, &report)
						   : brCutMeshByMany(&line->context, source, (const brMesh* const*)cutters, cutterCount, &def,
											 &cut, &report);
		sayRemark(line, result, &report);
	}
	bool hasFolder = result < 0 || makeFolder(folder);
	if (result >= 0 && hasFolder)
	{
		nextWork(line, "writing");
		result = savePieces(line, cut, folder, ending, &report);
		removeOldPieces(folder, cut->pieceCount, ending);
	}
	endWork(line);
	int code = exit_done;
	if (!hasFolder)
	{
		code = failDataText(line, "%s: the folder cannot be made", folder);
	}
	else if (result < 0)
	{
		code = failData(line, &report);
	}
	else if (line->json)
	{
		printCut(line, cut, op, folder, ending);
	}
	else
	{
		say(line, "%d piece%s, volume %.12g of %.12g", cut->pieceCount, cut->pieceCount == 1 ? "" : "s",
			cut->stats.volumeOut, cut->stats.volumeIn);
		cut->stats.volumeIn < 0.0 ? say(line, "note: the source is inside out; brittle convert --repair turns it")
								  : (void)0;
	}
	brDestroyCutResult(cut);
	brDestroyMesh(source);
	for (int32_t i = 0; i < cutterCount; ++i)
	{
		brDestroyMesh(cutters[i]);
	}
	return code;
}

const Command command_cut = {
	"cut",
	"a mesh by a surface, exactly",
	"SOURCE [CUTTER...] -o DIR [--op split|union|intersection|difference|surface|fill|resolve]",
	"Split: all pieces of a closed source along any surface; one that ends inside leaves an incision. Union, "
	"intersection and\n"
	"difference: both closed. Surface: an open source is parted, no caps. Fill: the same, with caps where the source "
	"has an\n"
	"inside. Resolve: one mesh that crosses itself as clean solids. Cutters may cross each other. Pieces of a solid "
	"are closed solids again, "
	"faces\n"
	"away from the cut stay as they were, new faces have the material \"interior\". See docs/cutting.md.",
	"brittle cut vase.obj crack.obj -o pieces --format glb",
	runCut,
};
