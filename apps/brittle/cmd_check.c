// SPDX-License-Identifier: MIT
#include "loading.h"

static void printCheck(const char* path, const brMeshCheck* check, const brTetMeshStats* tets)
{
	printf("%s\n", path);
	if (tets != NULL)
	{
		printf("  tets              %d positive, %d inverted, %d flat, volume %.9g m^3\n", tets->positiveTets,
			   tets->negativeTets, tets->zeroTets, tets->volume);
		printf("  dihedral angles   %.1f to %.1f degrees\n", tets->minDihedral * 180.0 / BR_PI,
			   tets->maxDihedral * 180.0 / BR_PI);
	}
	printf("  vertices          %d\n", check->vertices);
	printf("  faces             %d (%d triangles, largest has %d corners)\n", check->faces, check->triangles,
		   check->maxFaceSize);
	printf("  components        %d, Euler number %d\n", check->components, check->euler);
	printf("  closed            %s (%d boundary edges)\n", check->isClosed ? "yes" : "no", check->boundaryEdges);
	printf("  oriented          %s (%d edges disagree)\n", check->isOriented ? "yes" : "no", check->misorientedEdges);
	printf("  manifold          %s (%d edges with three faces or more, %d pinched vertices)\n",
		   check->isManifold ? "yes" : "no", check->nonmanifoldEdges, check->nonmanifoldVertices);
	printf("  degenerate faces  %d\n", check->repeatedIndexFaces + check->zeroAreaFaces);
	if (check->selfIntersections >= 0)
	{
		printf("  crossing pairs    %d\n", check->selfIntersections);
	}
	printf("  doubled vertices  %d, unused %d\n", check->duplicatePositions, check->unusedVertices);
	printf("  area              %.9g m^2\n", check->area);
	printf("  volume            %.9g m^3\n", check->volume);
	if (check->bounds.lower.x <= check->bounds.upper.x)
	{
		printf("  bounds            %.6g %.6g %.6g to %.6g %.6g %.6g\n", check->bounds.lower.x, check->bounds.lower.y,
			   check->bounds.lower.z, check->bounds.upper.x, check->bounds.upper.y, check->bounds.upper.z);
	}
}

static void writeCheckJson(const CommandLine* line, const char* path, const brMeshCheck* check,
						   const brTetMeshStats* tets, bool isClean)
{
	Json json = beginJson();
	jsonText(&json, "file", path);
	jsonInt(&json, "vertices", check->vertices);
	jsonInt(&json, "faces", check->faces);
	jsonInt(&json, "triangles", check->triangles);
	jsonInt(&json, "max_polygon", check->maxFaceSize);
	jsonBool(&json, "closed", check->isClosed);
	jsonBool(&json, "oriented", check->isOriented);
	jsonBool(&json, "manifold", check->isManifold);
	jsonBool(&json, "solid", isClean);
	jsonInt(&json, "components", check->components);
	jsonInt(&json, "euler", check->euler);
	jsonInt(&json, "boundary_edges", check->boundaryEdges);
	jsonInt(&json, "nonmanifold_edges", check->nonmanifoldEdges);
	jsonInt(&json, "misoriented_edges", check->misorientedEdges);
	jsonInt(&json, "nonmanifold_vertices", check->nonmanifoldVertices);
	jsonInt(&json, "degenerate_faces", (int64_t)check->repeatedIndexFaces + check->zeroAreaFaces);
	jsonInt(&json, "repeated_index_faces", check->repeatedIndexFaces);
	jsonInt(&json, "zero_area_faces", check->zeroAreaFaces);
	jsonInt(&json, "duplicate_positions", check->duplicatePositions);
	jsonInt(&json, "unused_vertices", check->unusedVertices);
	check->selfIntersections >= 0 ? jsonInt(&json, "self_intersections", check->selfIntersections)
								  : jsonNumber(&json, "self_intersections", NAN);
	jsonNumber(&json, "volume", check->volume);
	jsonNumber(&json, "area", check->area);
	jsonBounds(&json, "bounds", check->bounds);
	if (tets != NULL)
	{
		jsonInt(&json, "tets", (int64_t)tets->positiveTets + tets->negativeTets + tets->zeroTets);
		jsonInt(&json, "negative_tets", tets->negativeTets);
		jsonInt(&json, "zero_tets", tets->zeroTets);
		jsonInt(&json, "unused_nodes", tets->unusedNodes);
		jsonInt(&json, "boundary_faces", tets->boundaryFaces);
		jsonInt(&json, "overfull_faces", tets->overfullFaces);
		jsonBool(&json, "surface_closed", tets->isSurfaceClosed);
		jsonNumber(&json, "tet_volume", tets->volume);
		jsonNumber(&json, "min_dihedral", tets->minDihedral * 180.0 / BR_PI);
		jsonNumber(&json, "max_dihedral", tets->maxDihedral * 180.0 / BR_PI);
	}
	jsonText(&json, "verdict", check->verdict);
	endJson(&json, line);
}

static int checkFile(CommandLine* line, const char* path, const Moment* moment, const brMeshCheckDef* def)
{
	brReport report = {0};
	brAssembly* assembly = NULL;
	brMesh* mesh = NULL;
	brMeshCheck check;
	brTetMeshStats tets;
	bool hasTets = false;

	brResult result = loadAssembly(line, path, moment, false, &assembly, &report);
	if (result >= 0)
	{
		sayRemark(line, result, &report);
		hasTets = assembly->tetMeshCount == 1;
		result = brAssembly_Flatten(assembly, &line->context, &mesh, &report);
	}
	if (result >= 0 && hasTets)
	{
		result = brTetMesh_Check(assembly->tetMeshes[0], &line->context, &tets, &report);
	}
	if (result >= 0)
	{
		nextWork(line, "checking");
		result = brMesh_Check(mesh, &line->context, def, &check, &report);
	}
	endWork(line);

	int exitCode = result < 0 ? failData(line, &report) : exit_done;
	if (result >= 0)
	{
		bool badTets = hasTets && (tets.firstBadTet >= 0 || tets.overfullFaces > 0);
		bool isClean = check.isSolid && !badTets;
		line->json ? writeCheckJson(line, path, &check, hasTets ? &tets : NULL, isClean)
				   : printCheck(path, &check, hasTets ? &tets : NULL);
		if (badTets && tets.firstBadTet >= 0)
		{
			fprintf(stderr, "%s: tet %d is %s\n", path, tets.firstBadTet,
					tets.negativeTets > 0 ? "inverted or flat" : "flat");
		}
		else
		{
			const char* verdict = badTets ? "a face belongs to more than two tets" : check.verdict;
			isClean ? say(line, "%s: %s", path, verdict) : (void)fprintf(stderr, "%s: %s\n", path, verdict);
		}
		exitCode = isClean ? exit_done : exit_no;
	}
	brDestroyMesh(mesh);
	brDestroyAssembly(assembly);
	return exitCode;
}

static int runCheck(CommandLine* line)
{
	brMeshCheckDef def = brDefaultMeshCheckDef();
	Moment moment = NO_MOMENT;
	const Option options[] = {
		{"skip-crossings", 0, option_not, &def.findSelfIntersections, NULL, "do not look for faces that cross"},
		MOMENT_OPTIONS(&moment),
	};
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 1, 1))
	{
		return line->exitCode;
	}
	if (!beginWork(line, "loading"))
	{
		return exit_no;
	}
	return checkFile(line, line->positional[0], &moment, &def);
}

const Command command_check = {
	"check",
	"is a mesh a clean closed solid?",
	"FILE [--time S | --last] [--json]",
	"Counts what makes a surface fit for cutting and breaking: closed (no boundary edges), oriented\n"
	"(neighbors agree which side is out), manifold (no edge with three faces), no face without area, no\n"
	"two faces that cross. Exit 1 and one sentence naming the first offending element if it is not.\n"
	"A file of tetrahedra is checked too, and its boundary as a surface.",
	"brittle check vase.obj --json",
	runCheck,
	false,
};
