// SPDX-License-Identifier: MIT
#include "loading.h"

#include <stdlib.h>
#include <string.h>

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

// The faces of one group as a mesh of its own. `order` has the faces by group, `map` -1 for all vertices, before and
// after.
static brResult takeGroup(const CommandLine* line, const brMesh* mesh, const int32_t* order, int32_t count,
						  int32_t* map, brMesh** outMesh, brReport* report)
{
	int32_t cornerCount = 0, vertexCount = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		cornerCount += brMesh_GetFaceSize(mesh, order[i]);
	}
	brDVec3* positions = malloc((size_t)cornerCount * sizeof(*positions) + 1);
	int32_t* corners = malloc((size_t)cornerCount * sizeof(*corners) + 1);
	int32_t* starts = malloc(((size_t)count + 1) * sizeof(*starts));
	brResult result = br_errorMemory;
	if (positions != NULL && corners != NULL && starts != NULL)
	{
		int32_t at = 0;
		starts[0] = 0;
		for (int32_t i = 0; i < count; ++i)
		{
			for (int32_t c = mesh->faceStarts[order[i]]; c < mesh->faceStarts[order[i] + 1]; ++c)
			{
				int32_t v = mesh->corners[c];
				if (map[v] < 0)
				{
					positions[vertexCount] = mesh->positions[v];
					map[v] = vertexCount++;
				}
				corners[at++] = map[v];
			}
			starts[i + 1] = at;
		}
		brMeshDef def = brDefaultMeshDef();
		def.vertexCount = vertexCount, def.positions = positions;
		def.faceCount = count, def.faceStarts = starts, def.corners = corners;
		result = brCreateMesh(&line->context, &def, outMesh, report);
		for (int32_t i = 0; i < count; ++i)
		{
			for (int32_t c = mesh->faceStarts[order[i]]; c < mesh->faceStarts[order[i] + 1]; ++c)
			{
				map[mesh->corners[c]] = -1;
			}
		}
	}
	free(positions);
	free(corners);
	free(starts);
	return result;
}

// Do two groups use the same vertex? Then they are parts of one surface.
static bool groupsAreApart(const brMesh* mesh, int32_t* map)
{
	bool isApart = mesh->faceGroups != NULL && mesh->groupCount > 1;
	for (int32_t f = 0; f < mesh->faceCount && isApart; ++f)
	{
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1] && isApart; ++c)
		{
			int32_t* group = &map[mesh->corners[c]];
			isApart = mesh->faceGroups[f] >= 0 && (*group < 0 || *group == mesh->faceGroups[f]);
			*group = mesh->faceGroups[f];
		}
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		map[v] = -1;
	}
	return isApart;
}

// What a file holds, each thing on its own: pieces that fit together touch, and are solids all the same.
typedef struct Things
{
	brMesh* whole;
	int32_t* order;  // faces of the whole by group
	int32_t* starts; // [count + 1]
	int32_t* map;    // [vertexCount]
	int32_t count;   // 1: the whole
} Things;

static brResult findThings(const CommandLine* line, const brAssembly* assembly, Things* things, brReport* report)
{
	brResult result = brAssembly_Flatten(assembly, &line->context, &things->whole, report);
	if (result < 0)
	{
		return result;
	}
	const brMesh* mesh = things->whole;
	things->count = 1;
	things->map = malloc((size_t)mesh->vertexCount * sizeof(int32_t) + 1);
	things->order = malloc((size_t)mesh->faceCount * sizeof(int32_t) + 1);
	things->starts = calloc((size_t)mesh->groupCount + 2, sizeof(int32_t));
	if (things->map == NULL || things->order == NULL || things->starts == NULL)
	{
		snprintf(report->text, sizeof(report->text), "there is not enough memory");
		return br_errorMemory;
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		things->map[v] = -1;
	}
	if (!groupsAreApart(mesh, things->map))
	{
		return br_success;
	}
	things->count = mesh->groupCount;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		things->starts[mesh->faceGroups[f] + 2] += 1;
	}
	for (int32_t g = 0; g < mesh->groupCount; ++g)
	{
		things->starts[g + 2] += things->starts[g + 1];
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		things->order[things->starts[mesh->faceGroups[f] + 1]++] = f;
	}
	return br_success;
}

static void freeThings(Things* things)
{
	brDestroyMesh(things->whole);
	free(things->order);
	free(things->starts);
	free(things->map);
}

// Counts of one more thing; the first that is no solid gives the verdict.
static void addCheck(brMeshCheck* sum, const brMeshCheck* one, const char* name)
{
	sum->vertices += one->vertices, sum->faces += one->faces, sum->triangles += one->triangles;
	sum->maxFaceSize = one->maxFaceSize > sum->maxFaceSize ? one->maxFaceSize : sum->maxFaceSize;
	sum->components += one->components, sum->euler += one->euler;
	sum->boundaryEdges += one->boundaryEdges, sum->nonmanifoldEdges += one->nonmanifoldEdges;
	sum->misorientedEdges += one->misorientedEdges, sum->nonmanifoldVertices += one->nonmanifoldVertices;
	sum->repeatedIndexFaces += one->repeatedIndexFaces, sum->zeroAreaFaces += one->zeroAreaFaces;
	sum->duplicatePositions += one->duplicatePositions, sum->unusedVertices += one->unusedVertices;
	sum->selfIntersections += one->selfIntersections;
	sum->area += one->area, sum->volume += one->volume;
	sum->bounds.lower = brDMin(sum->bounds.lower, one->bounds.lower);
	sum->bounds.upper = brDMax(sum->bounds.upper, one->bounds.upper);
	sum->isClosed &= one->isClosed, sum->isOriented &= one->isOriented, sum->isManifold &= one->isManifold;
	if (sum->isSolid && !one->isSolid)
	{
		snprintf(sum->verdict, sizeof(sum->verdict), "%.40s: %.140s", name, one->verdict);
	}
	sum->isSolid &= one->isSolid;
}

static brResult checkThings(const CommandLine* line, Things* things, const brMeshCheckDef* def, brMeshCheck* outCheck,
							brReport* report)
{
	if (things->count == 1)
	{
		return brMesh_Check(things->whole, &line->context, def, outCheck, report);
	}
	brResult result = br_success;
	int32_t bad = 0, count = 0;
	for (int32_t i = 0; i < things->count && result >= 0; ++i)
	{
		brMesh* mesh = NULL;
		brMeshCheck one;
		int32_t start = i == 0 ? 0 : things->starts[i]; // sorting moved each start to the end of its group
		int32_t faceCount = things->starts[i + 1] - start;
		if (faceCount == 0)
		{
			continue;
		}
		result = takeGroup(line, things->whole, things->order + start, faceCount, things->map, &mesh, report);
		result = result < 0 ? result : brMesh_Check(mesh, &line->context, def, &one, report);
		brDestroyMesh(mesh);
		if (result >= 0)
		{
			bad += !one.isSolid;
			count == 0 ? (void)(*outCheck = one) : addCheck(outCheck, &one, things->whole->groupNames[i]);
			count += 1;
		}
	}
	if (result >= 0 && count > 1)
	{
		char first[sizeof(outCheck->verdict)];
		memcpy(first, outCheck->verdict, sizeof(first));
		bad == 0 ? snprintf(outCheck->verdict, sizeof(outCheck->verdict), "%d parts, each a clean closed solid", count)
				 : snprintf(outCheck->verdict, sizeof(outCheck->verdict), "%d of %d parts are no clean solid; %.140s",
							bad, count, first);
	}
	return result;
}

static int checkFile(CommandLine* line, const char* path, const Moment* moment, const brMeshCheckDef* def, bool isAlone)
{
	brReport report = {0};
	brAssembly* assembly = NULL;
	Things things = {0};
	brMeshCheck check;
	brTetMeshStats tets;
	bool hasTets = false;

	brResult result = loadAssembly(line, path, moment, false, &assembly, &report);
	if (result >= 0)
	{
		sayRemark(line, result, &report);
		hasTets = assembly->tetMeshCount == 1;
		result = findThings(line, assembly, &things, &report);
	}
	if (result >= 0 && hasTets)
	{
		result = brTetMesh_Check(assembly->tetMeshes[0], &line->context, &tets, &report);
	}
	if (result >= 0)
	{
		nextWork(line, "checking");
		result = checkThings(line, &things, def, &check, &report);
	}
	endWork(line);

	int exitCode = result < 0 ? failData(line, &report) : exit_done;
	if (result >= 0)
	{
		bool badTets = hasTets && (tets.firstBadTet >= 0 || tets.overfullFaces > 0);
		bool isClean = check.isSolid && !badTets;
		if (isAlone)
		{
			line->json ? writeCheckJson(line, path, &check, hasTets ? &tets : NULL, isClean)
					   : printCheck(path, &check, hasTets ? &tets : NULL);
		}
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
	freeThings(&things);
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
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 1, BR_MAX_WORDS))
	{
		return line->exitCode;
	}
	if (line->json && line->positionalCount > 1)
	{
		return failUsage(line, "--json takes one file at a time");
	}
	int exitCode = exit_done;
	for (int32_t i = 0; i < line->positionalCount; ++i)
	{
		if (!beginWork(line, "loading"))
		{
			return exit_no;
		}
		int one = checkFile(line, line->positional[i], &moment, &def, line->positionalCount == 1);
		exitCode = one != exit_done ? one : exitCode;
	}
	return exitCode;
}

const Command command_check = {
	"check",
	"says whether a mesh is a clean closed solid, or what is wrong with it",
	"FILE... [--time S | --last] [--json]",
	"Counts what makes a surface fit for cutting and breaking: closed (no boundary edges), oriented\n"
	"(neighbors agree which side is out), manifold (no edge with three faces), no face without area, no\n"
	"two faces that cross. Exit 1 and one sentence naming the first offending element if it is not.\n"
	"Of several files each gets its sentence, and exit 1 means that one of them is no clean solid.\n"
	"A file of several parts (pieces of shatter, objects of a scene) is checked part by part: they may touch.\n"
	"A file of tetrahedra is checked too, and its boundary as a surface.",
	"brittle check vase.obj --json",
	runCheck,
	false,
};
