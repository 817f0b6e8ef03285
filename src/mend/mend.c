// SPDX-License-Identifier: MIT

// Any mesh as a clean closed solid: stages from the least to the most invasive, each followed by a check.
//
//     repair -> stitch -> repair -> fill holes -> repair -> resolve crossings -> part -> [new surface]
//
// The state between stages is a mesh of its own, so that any stage may fail and leave the last good one.

#include "brittle/mend.h"

#include "base/assert.h"
#include "base/forest.h"
#include "base/memory.h"
#include "base/report.h"
#include "brittle/cut.h"
#include "mend/mend_stages.h"
#include "mesh/topology.h"
#include "narrow/mesh_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

// Rounding of new points can leave a few crossings behind: resolving again mends most of them.
#define MEND_MAX_ROUNDS 3

// Parts that overlap enclose less once they are united. Rounding of new points is far below this.
#define MEND_SAME_VOLUME (1.0 - 1e-6)

// Nothing but places that touch may change when a surface is taken apart there: a bubble that is turned over on the way
// would be filled.
#define MEND_SETTLED 1e-4

// A vertex with more faces than this is the tip of a fan that is thinned if it can be: pairs within a fan cost its
// square.
#define MEND_LARGEST_FAN 128

brMendDef brDefaultMendDef(void)
{
	return (brMendDef){
		.effort = br_mendRemesh,
		.largestHole = 1.0,
		.resolution = 128,
		.stamp = BR_STAMP(brMendDef),
	};
}

typedef struct MendJob
{
	const brContext* context;
	const brMendDef* def;
	brMesh* mesh; // the state; owned
	brMeshCheck check;
	brMendInfo info;
	double diagonal;
	bool isResolved; // by the cutter: nothing is enclosed twice
	bool isSheet;    // nothing is enclosed: a new surface would be noise
} MendJob;

static void mendReplace(MendJob* job, brMesh* mesh)
{
	brDestroyMesh(job->mesh);
	job->mesh = mesh;
	job->info.isChanged = true;
}

static void mendAddCounts(brRepairCounts* sum, const brRepairCounts* counts)
{
	sum->weldedVertices += counts->weldedVertices;
	sum->trimmedCorners += counts->trimmedCorners;
	sum->insertedCorners += counts->insertedCorners;
	sum->droppedDegenerate += counts->droppedDegenerate;
	sum->keptDegenerate = counts->keptDegenerate;
	sum->droppedDuplicates += counts->droppedDuplicates;
	sum->turnedFaces += counts->turnedFaces;
	sum->splitVertices += counts->splitVertices;
	sum->droppedVertices += counts->droppedVertices;
}

// Repairs `mesh`, which it takes, and makes it the state.
static brResult mendRepair(MendJob* job, brMesh* mesh, bool orients, brReport* report)
{
	brMesh* repaired = NULL;
	brRepairCounts counts;
	brRepairDef def = brDefaultRepairDef();
	def.orient = orients;
	brResult result = brRepairMesh(job->context, mesh, &def, &repaired, &counts, report);
	if (mesh != job->mesh)
	{
		brDestroyMesh(mesh);
	}
	if (result < 0)
	{
		return result;
	}
	mendAddCounts(&job->info.repair, &counts);
	mendReplace(job, repaired);
	return brCheckTopology(job->context, job->mesh, &job->check, report);
}

static bool mendIsClosed(const brMeshCheck* check)
{
	return check->isClosed && check->isOriented && check->isManifold;
}

// 1 if a part, all that is joined by vertices, has its outside inside; else 0, or a failure.
static brResult mendHasTurnedPart(const MendJob* job, const brMesh* mesh, brReport* report)
{
	brAllocator allocator = brContext_Allocator(job->context);
	int32_t* parents = BR_ALLOC(&allocator, int32_t, mesh->vertexCount);
	double* volumes = BR_ALLOC_ZERO(&allocator, double, mesh->vertexCount);
	bool isTurned = false, isComplete = parents != NULL && volumes != NULL;
	if (isComplete)
	{
		brResetForest(parents, mesh->vertexCount);
		for (int32_t f = 0; f < mesh->faceCount; ++f)
		{
			for (int32_t c = mesh->faceStarts[f] + 1; c < mesh->faceStarts[f + 1]; ++c)
			{
				brJoinRoots(parents, mesh->corners[c - 1], mesh->corners[c]);
			}
		}
		brDVec3 origin = mesh->positions[0];
		for (int32_t f = 0; f < mesh->faceCount; ++f)
		{
			const int32_t* corners = mesh->corners + mesh->faceStarts[f];
			brDVec3 a = brDSub(mesh->positions[corners[0]], origin);
			for (int32_t k = 1; k + 1 < mesh->faceStarts[f + 1] - mesh->faceStarts[f]; ++k)
			{
				brDVec3 b = brDSub(mesh->positions[corners[k]], origin);
				brDVec3 c = brDSub(mesh->positions[corners[k + 1]], origin);
				volumes[brFindRoot(parents, corners[0])] += brDDot(a, brDCross(b, c));
			}
		}
		for (int32_t v = 0; v < mesh->vertexCount; ++v)
		{
			isTurned = isTurned || volumes[v] < 0.0;
		}
	}
	BR_FREE(&allocator, parents, mesh->vertexCount);
	BR_FREE(&allocator, volumes, mesh->vertexCount);
	return isComplete ? isTurned : brFailMemory(report);
}

// Closed, with nothing that brRepairMesh could do: vertices at one place are fans that it would weld and split again.
static bool mendIsTidy(const brMeshCheck* check)
{
	return check->isSolid && check->nonmanifoldVertices == 0 && check->unusedVertices == 0;
}

// Makes `mesh`, which it takes, the state; repaired, if there is anything to repair. What the cutter made is oriented.
static brResult mendTake(MendJob* job, brMesh* mesh, bool isOriented, brReport* report)
{
	brMeshCheck check;
	brResult result = brCheckTopology(job->context, mesh, &check, report);
	bool isTidy = result >= 0 && mendIsTidy(&check);
	if (isTidy && !isOriented && check.components > 1)
	{
		result = mendHasTurnedPart(job, mesh, report);
		isTidy = result == 0;
	}
	if (result < 0)
	{
		brDestroyMesh(mesh);
		return result;
	}
	if (!isTidy)
	{
		return mendRepair(job, mesh, !isOriented, report);
	}
	mendReplace(job, mesh);
	job->check = check;
	return br_success;
}

// Closed and crossing nothing, and yet no solid: parts lie inside others, which mendUnite takes care of.
static bool mendIsNested(const brMeshCheck* check)
{
	return mendIsClosed(check) && !check->isSolid && check->volume > 0.0 && check->selfIntersections == 0 &&
		   check->zeroAreaFaces == 0 && check->repeatedIndexFaces == 0;
}

// Takes a stitched mesh, which becomes the state if it has fewer borders.
static brResult mendTakeStitched(MendJob* job, brMesh* stitched, const brMendInfo* info, brReport* report)
{
	brMesh* repaired = NULL;
	brRepairCounts counts;
	brMeshCheck check;
	brResult result = brRepairMesh(job->context, stitched, NULL, &repaired, &counts, report);
	brDestroyMesh(stitched);
	if (result >= 0)
	{
		result = brCheckTopology(job->context, repaired, &check, report);
	}
	if (result < 0 || check.boundaryEdges >= job->check.boundaryEdges)
	{
		brDestroyMesh(repaired);
		return result;
	}
	job->info = *info;
	mendAddCounts(&job->info.repair, &counts);
	mendReplace(job, repaired);
	job->check = check;
	return br_success;
}

// Seams in four steps of growing distance; a step that closes nothing is forgotten.
static brResult mendStitch(MendJob* job, brReport* report)
{
	double most = job->def->stitchDistance > 0.0 ? job->def->stitchDistance : 1e-4 * job->diagonal;
	brHalfEdges edges = {0};
	brResult result = br_success;
	for (int32_t step = 3; step >= 0 && job->check.boundaryEdges > 0 && result >= 0; --step)
	{
		brMendInfo info = job->info;
		brMesh* stitched = NULL;
		if (edges.mesh == NULL && brMakeHalfEdges(job->context, job->mesh, &edges) < 0)
		{
			return brFailMemory(report);
		}
		result = brStitchBorders(job->context, &edges, most / (double)(1 << (4 * step)), &stitched, &info, report);
		if (result >= 0 && stitched != NULL)
		{
			brFreeHalfEdges(&edges); // of the mesh that may go now
			edges = (brHalfEdges){0};
			result = mendTakeStitched(job, stitched, &info, report);
		}
	}
	brFreeHalfEdges(&edges);
	return result;
}

// 1 if some vertex has a large fan, 0 if none has, or a failure.
static brResult mendHasLargeFan(const MendJob* job, brReport* report)
{
	brAllocator allocator = brContext_Allocator(job->context);
	int32_t* counts = BR_ALLOC_ZERO(&allocator, int32_t, job->mesh->vertexCount);
	bool isLarge = false;
	for (int32_t c = 0; c < job->mesh->cornerCount && counts != NULL; ++c)
	{
		isLarge = isLarge || ++counts[job->mesh->corners[c]] > MEND_LARGEST_FAN;
	}
	BR_FREE(&allocator, counts, job->mesh->vertexCount);
	return counts != NULL ? isLarge : brFailMemory(report);
}

// Fans of needles over straight edges lose the vertices that the surface does not need, unless it has UVs, which need
// not be straight there.
static brResult mendThin(MendJob* job, brReport* report)
{
	brMesh* thin = NULL;
	int32_t count = 0;
	brResult result = job->mesh->uvs != NULL ? 0 : mendHasLargeFan(job, report);
	result = result > 0 ? brDropStraight(job->context, job->mesh, &thin, &count, report) : result;
	if (result < 0 || thin == NULL)
	{
		return result;
	}
	brMeshCheck check;
	result = brCheckTopology(job->context, thin, &check, report);
	// An edge between the ends of a run may have been there before.
	bool isSame =
		result >= 0 && check.isSolid == job->check.isSolid && check.nonmanifoldEdges <= job->check.nonmanifoldEdges;
	if (!isSame)
	{
		brDestroyMesh(thin);
		return result;
	}
	job->info.straightVertices = count;
	return mendRepair(job, thin, false, report);
}

static brResult mendFill(MendJob* job, brReport* report)
{
	if (brIsCanceled(job->context, 0.3))
	{
		return brFail(report, br_errorCanceled, "canceled before holes were filled");
	}
	brMesh* filled = NULL;
	brResult result = brFillHoles(job->context, job->mesh, job->def, &filled, &job->info, report);
	job->isSheet = result == br_errorGeometry;
	return result < 0 ? result : mendTake(job, filled, false, report);
}

// Pieces of a cut as one mesh.
static brResult mendMergePieces(MendJob* job, const brCutResult* cut, brMesh** outMesh, brReport* report)
{
	brAllocator allocator = brContext_Allocator(job->context);
	const brMesh** meshes = BR_ALLOC(&allocator, const brMesh*, cut->pieceCount);
	if (meshes == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < cut->pieceCount; ++i)
	{
		meshes[i] = cut->pieces[i].mesh;
	}
	brResult result = brMergeMeshes(job->context, meshes, cut->pieceCount, outMesh, report);
	BR_FREE(&allocator, meshes, cut->pieceCount);
	return result;
}

// One pass of the resolution: what is wound around once or more stays.
static brResult mendResolve(MendJob* job, brReport* report)
{
	if (brIsCanceled(job->context, 0.5))
	{
		return brFail(report, br_errorCanceled, "canceled while crossings were resolved");
	}
	brCutDef def = brDefaultCutDef();
	def.keepTriangles = true;
	brCutResult* cut = NULL;
	brMesh* merged = NULL;
	brResult result = brResolveMesh(job->context, job->mesh, &def, &cut, report);
	if (result < 0)
	{
		return result;
	}
	if (cut->pieceCount == 0)
	{
		brDestroyCutResult(cut);
		return brFail(report, br_errorGeometry, "the surface encloses nothing once its crossings are resolved");
	}
	result = mendMergePieces(job, cut, &merged, report);
	brDestroyCutResult(cut);
	job->isResolved = result >= 0;
	return result < 0 ? result : mendTake(job, merged, true, report);
}

static brResult mendCheck(MendJob* job, brReport* report)
{
	return brMesh_Check(job->mesh, job->context, NULL, &job->check, report);
}

// The same, where the topology of the state is known.
static brResult mendCheckCrossings(MendJob* job, brReport* report)
{
	return brCheckCrossings(job->context, job->mesh, &job->check, report);
}

static brResult mendResolveAll(MendJob* job, brReport* report)
{
	brResult result = mendCheckCrossings(job, report);
	int32_t first = job->check.selfIntersections;
	for (int32_t round = 0; result >= 0 && round < MEND_MAX_ROUNDS && !job->check.isSolid; ++round)
	{
		if (!mendIsClosed(&job->check))
		{
			break;
		}
		result = mendResolve(job, report);
		result = result < 0 ? result : mendCheckCrossings(job, report);
	}
	if (result >= 0 && first > job->check.selfIntersections)
	{
		job->info.resolvedCrossings = first - job->check.selfIntersections;
	}
	return result;
}

static brResult mendFail(const MendJob* job, brReport* report)
{
	const char* next = job->def->effort == br_mendGentle ? "more effort (--repair=full) may help"
					   : job->def->effort == br_mendFull ? "a new surface (--repair=remesh) always closes it"
														 : "a finer resolution or a thickness may help";
	return brFail(report, br_errorGeometry, "still no solid: %s; %s", job->check.verdict, next);
}

// All that keeps the surface. Only trouble with memory, or a stop, is a failure; whether it is a solid is in the check.
static brResult mendMend(MendJob* job, brReport* report)
{
	brResult result = mendRepair(job, job->mesh, true, report);
	if (result >= 0 && job->mesh->faceCount == 0)
	{
		job->isSheet = true;
		return brFail(report, br_errorGeometry, "there is no face with any extent: the surface encloses nothing");
	}
	if (result >= 0 && job->check.boundaryEdges > 0)
	{
		result = mendStitch(job, report);
	}
	result = result < 0 ? result : mendThin(job, report);
	// Faces that still disagree are of a surface with one side: a sheet, which has no inside to resolve or to remesh.
	bool isOpen = job->check.boundaryEdges > 0 || job->check.misorientedEdges > 0;
	if (result >= 0 && job->def->effort >= br_mendFull && isOpen)
	{
		result = mendFill(job, report);
	}
	if (result < 0)
	{
		return result;
	}
	return job->def->effort >= br_mendFull ? mendResolveAll(job, report) : mendCheckCrossings(job, report);
}

static void mendSay(brMendInfo* info, const char* format, ...) BR_PRINTF_LIKE(2, 3);
static void mendSay(brMendInfo* info, const char* format, ...)
{
	size_t used = 0;
	while (used < sizeof(info->summary) && info->summary[used] != 0)
	{
		used += 1;
	}
	if (used > 0 && used + 3 < sizeof(info->summary))
	{
		info->summary[used++] = ',', info->summary[used++] = ' ', info->summary[used] = 0;
	}
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(info->summary + used, sizeof(info->summary) - used, format, arguments);
	va_end(arguments);
}

static void mendSayCount(brMendInfo* info, int32_t count, const char* verb, const char* one, const char* many)
{
	if (count > 0)
	{
		mendSay(info, "%s %d %s", verb, count, count == 1 ? one : many);
	}
}

// Lengths are shares of the mesh's, as its unit is not known here.
static void mendSummarize(brMendInfo* info, int32_t resolution)
{
	const brRepairCounts* r = &info->repair;
	info->summary[0] = 0;
	mendSayCount(info, r->weldedVertices, "welded", "vertex", "vertices");
	mendSayCount(info, r->droppedDegenerate, "dropped", "flat face", "flat faces");
	mendSayCount(info, r->droppedDuplicates, "dropped", "doubled face", "doubled faces");
	mendSayCount(info, r->turnedFaces, "turned", "face", "faces");
	mendSayCount(info, r->splitVertices, "split", "vertex", "vertices");
	mendSayCount(info, info->straightVertices, "dropped", "vertex of a straight edge", "vertices of straight edges");
	mendSayCount(info, info->stitchedVertices, "stitched", "border vertex", "border vertices");
	mendSayCount(info, info->insertedVertices, "mended", "T-junction", "T-junctions");
	mendSayCount(info, info->filledHoles, "filled", "hole", "holes");
	if (info->filledMouth > 0.0)
	{
		mendSay(info, "solid now behind a mouth of %.0f %% of its surface (--thicken T makes walls)",
				100.0 * info->filledMouth);
	}
	mendSayCount(info, info->leftHoles, "left", "large hole", "large holes");
	mendSayCount(info, info->droppedSheets, "dropped", "sheet", "sheets");
	mendSayCount(info, info->thickenedSheets, "thickened", "surface", "surfaces");
	mendSayCount(info, info->resolvedCrossings, "resolved", "crossing", "crossings");
	mendSayCount(info, info->droppedShells, "dropped", "part inside another", "parts inside others");
	if (info->isRemeshed)
	{
		mendSay(info, "made a new surface of cells of 1/%d of its length, at most %.2g %% of it off", resolution,
				100.0 * info->deviation / (info->cell * resolution));
	}
	if (info->summary[0] == 0)
	{
		mendSayCount(info, r->droppedVertices, "dropped", "unused vertex", "unused vertices");
	}
	if (info->summary[0] == 0)
	{
		snprintf(info->summary, sizeof(info->summary), "%s", info->isChanged ? "tidied up" : "nothing to do");
	}
}

// From the mended state if that is closed, else from the mesh as it came.
static brResult mendRemesh(MendJob* job, const brMesh* mesh, brReport* report)
{
	if (brIsCanceled(job->context, 0.7))
	{
		return brFail(report, br_errorCanceled, "canceled before a new surface was made");
	}
	brMesh* fresh = NULL;
	const brMesh* from = mendIsClosed(&job->check) && job->mesh->faceCount > 0 ? job->mesh : mesh;
	brResult result = brRemeshSurface(job->context, from, job->def, &fresh, &job->info, report);
	if (result < 0)
	{
		return result;
	}
	mendReplace(job, fresh);
	return mendCheck(job, report);
}

// A closed surface that still touches or crosses itself somewhere, as a bubble does that touches the wall from inside:
// taken apart there by a few roundings it keeps its shape. The state changes only if that is enough.
static brResult mendSettle(MendJob* job, brReport* report)
{
	if (!mendIsClosed(&job->check) || job->mesh->faceCount == 0)
	{
		return br_success;
	}
	brMesh* settled = NULL;
	brMeshCheck check;
	brResult result = brSettleMesh(job->context, job->mesh, 0.0, &settled, report);
	result = result < 0 ? result : brMesh_Check(settled, job->context, NULL, &check, report);
	double change = result < 0 ? 0.0 : fabs(check.volume - job->check.volume);
	if (result < 0 || !check.isSolid || change > MEND_SETTLED * job->check.volume)
	{
		brDestroyMesh(settled);
		return result;
	}
	job->info.resolvedCrossings += job->check.selfIntersections;
	mendReplace(job, settled);
	job->check = check;
	return br_success;
}

static bool mendIsFinal(brResult result)
{
	return result == br_errorMemory || result == br_errorCanceled || result == br_errorMisuse;
}

static brResult mendMakeSolid(MendJob* job, const brMesh* mesh, brReport* report)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	job->diagonal = brDDistance(box.lower, box.upper);
	brResult result = brCopyMesh(job->context, mesh, &job->mesh, report);
	result = result < 0 ? result : brCheckTopology(job->context, job->mesh, &job->check, report);
	if (result >= 0 && job->check.isSolid && job->check.unusedVertices > 0)
	{
		// Points far away that no face has would count wherever all points are asked.
		brRepairDef def = brDefaultRepairDef();
		brMesh* used = NULL;
		def.weld = def.dropDegenerate = def.dropDuplicates = def.orient = def.splitNonManifold = false;
		result = brRepairMesh(job->context, job->mesh, &def, &used, &job->info.repair, report);
		if (result >= 0)
		{
			mendReplace(job, used);
			result = brCheckTopology(job->context, job->mesh, &job->check, report);
		}
	}
	if (result >= 0 && job->check.isSolid)
	{
		result = mendThin(job, report);
		result = result < 0 ? result : mendCheckCrossings(job, report);
	}
	if (result < 0 || job->check.isSolid || (job->def->effort >= br_mendFull && mendIsNested(&job->check)))
	{
		return result;
	}
	if (mesh->faceCount == 0 || !(job->diagonal > 0.0))
	{
		return brFail(report, br_errorGeometry, "there is no face with any extent");
	}
	brReport first = {0};
	result = mendMend(job, &first);
	if ((result < 0 && (mendIsFinal(result) || job->isSheet)) || (result >= 0 && job->check.isSolid))
	{
		if (report != NULL)
		{
			*report = first;
		}
		return result;
	}
	if (job->def->effort < br_mendRemesh)
	{
		if (result < 0)
		{
			return brFail(report, result, "%s", first.text);
		}
		return mendFail(job, report);
	}
	result = result < 0 ? br_success : mendSettle(job, report);
	result = result < 0 || job->check.isSolid ? result : mendRemesh(job, mesh, report);
	if (result < 0)
	{
		return result;
	}
	return job->check.isSolid ? br_success : mendFail(job, report);
}

// Two surfaces along the same edges, with other diagonals say, cross nowhere and enclose all space twice. They were
// joined at edges of four faces, which were split.
static bool mendMayOverlap(const MendJob* job)
{
	return job->check.isSolid && job->info.repair.splitVertices > 0 && !job->isResolved && !job->info.isRemeshed;
}

// Parts inside other parts enclose space twice, and it would weigh twice: they are united. Parts that are apart, and
// cavities, stay bit for bit as they are.
static brResult mendUnite(MendJob* job, brReport* report)
{
	int32_t parts = job->check.components;
	bool mayOverlap = mendMayOverlap(job);
	double volume = job->check.volume;
	if (((job->check.isSolid || parts < 2) && !mayOverlap) || job->def->effort < br_mendFull)
	{
		return br_success;
	}
	brMendInfo info = job->info;
	brMesh* apart = NULL;
	brResult result = brCopyMesh(job->context, job->mesh, &apart, report);
	result = result < 0 ? result : mendResolve(job, report);
	result = result < 0 ? result : mendCheckCrossings(job, report);
	job->info = info;
	if (result >= 0 && job->check.isSolid && !(mayOverlap && job->check.volume > MEND_SAME_VOLUME * volume))
	{
		brDestroyMesh(apart);
		job->info.isChanged = true;
		job->info.droppedShells = parts > job->check.components ? parts - job->check.components : 0;
		return br_success;
	}
	if (apart != NULL)
	{
		mendReplace(job, apart);
	}
	if (result < 0 && mendIsFinal(result))
	{
		return result;
	}
	result = mendCheck(job, report);
	if (mayOverlap)
	{
		return result; // nothing is enclosed twice
	}
	if (result >= 0 && job->def->effort >= br_mendRemesh)
	{
		result = mendRemesh(job, job->mesh, report);
	}
	if (result < 0)
	{
		return result;
	}
	return job->check.isSolid ? br_success : mendFail(job, report);
}

static brResult mendRun(MendJob* job, const brMesh* mesh, brReport* report)
{
	brResult result = mendMakeSolid(job, mesh, report);
	return result < 0 ? result : mendUnite(job, report);
}

brResult brMendMesh(const brContext* context, const brMesh* mesh, const brMendDef* def, brMesh** outMesh,
					brMendInfo* outInfo, brReport* report)
{
	brMendDef defaults = brDefaultMendDef();
	def = def != NULL ? def : &defaults;
	if (mesh == NULL || outMesh == NULL || def->stamp != BR_STAMP(*def) || !(def->stitchDistance >= 0.0) ||
		!(def->thickness >= 0.0) || !(def->largestHole >= 0.0) || def->resolution < 8 || def->resolution > 512 ||
		!isfinite(def->stitchDistance + def->thickness))
	{
		return brFail(report, br_errorMisuse,
					  "a solid needs a mesh, a def from brDefaultMendDef with distances of 0 or more and a resolution "
					  "from 8 to 512, and a place for the result");
	}
	MendJob job = {.context = context, .def = def};
	brResult result = mendRun(&job, mesh, report);
	if (result < 0)
	{
		brDestroyMesh(job.mesh);
		return result;
	}
	mendSummarize(&job.info, def->resolution);
	if (outInfo != NULL)
	{
		*outInfo = job.info;
	}
	*outMesh = job.mesh;
	return brSucceed(report);
}
