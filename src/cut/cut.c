// SPDX-License-Identifier: MIT

// The door of the cutter: checks the call, runs the stages, gives the result or a sentence.

#include "brittle/cut.h"

#include "base/assert.h"
#include "cut/cut_job.h"
#include "mesh/mesh_build.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define CUT_MOST_CRUMBS 0.01 // of the volume: more is no rounding, but coordinates that are too coarse for the mesh

bool brCut_Fail(brCutJob* job, brResult code, int64_t element, const char* format, ...)
{
	if (job->error != 0)
	{
		return false;
	}
	char text[400];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	job->error = brFailAt(job->report, code, element, "%s", text);
	return false;
}

bool brCut_FailMemory(brCutJob* job)
{
	if (job->error == 0)
	{
		job->error = brFailMemory(job->report);
	}
	return false;
}

// The views, then their reports, in one block.
static size_t cutViewBytes(const brCutJob* job)
{
	return (size_t)brWorkers_GetCount(brCut_Workers(job)) * (sizeof(brCutJob) + sizeof(brReport));
}

static void cutFreeViews(brCutJob* job, brCutJob* views, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		BR_FREE(&job->allocator, views[i].space.limbs, views[i].space.limbCapacity);
	}
	brFree(&job->allocator, views, cutViewBytes(job));
}

brCutJob* brCut_OpenViews(brCutJob* job)
{
	int32_t count = brWorkers_GetCount(brCut_Workers(job));
	brCutJob* views = brAlloc(&job->allocator, cutViewBytes(job));
	if (views == NULL)
	{
		brCut_FailMemory(job);
		return NULL;
	}
	brReport* reports = (brReport*)(views + count);
	for (int32_t i = 0; i < count; ++i)
	{
		views[i] = *job;
		views[i].report = &reports[i];
		views[i].space.exactCount = 0;
		views[i].space.limbs = BR_ALLOC(&job->allocator, uint64_t, job->space.limbCapacity);
		if (views[i].space.limbs == NULL)
		{
			cutFreeViews(job, views, i);
			brCut_FailMemory(job);
			return NULL;
		}
	}
	return views;
}

bool brCut_CloseViews(brCutJob* job, brCutJob* views)
{
	int32_t count = brWorkers_GetCount(brCut_Workers(job)), worst = -1;
	for (int32_t i = 0; i < count; ++i)
	{
		job->space.exactCount += views[i].space.exactCount;
		job->space.isFull |= views[i].space.isFull;
		if (views[i].error != 0 && (worst < 0 || views[i].item < views[worst].item))
		{
			worst = i;
		}
	}
	if (worst >= 0 && job->error == 0)
	{
		job->error = views[worst].error;
		if (job->report != NULL)
		{
			*job->report = *views[worst].report;
		}
	}
	cutFreeViews(job, views, count);
	return job->error == 0;
}

brCutDef brDefaultCutDef(void)
{
	return (brCutDef){.op = br_cutSplit, .flatTolerance = 0x1p-50, .stamp = BR_STAMP(brCutDef)};
}

static void cutFreeScaffold(brCutJob* job)
{
	const brAllocator* a = &job->allocator;
	BR_FREE(a, job->space.limbs, job->space.limbCapacity);
	BR_FREE(a, job->twins, 3 * (int64_t)job->triangleCapacity);
	job->space.limbs = NULL;
	job->twins = NULL;
	brCutTable_Free(&job->names, a);
	brCutTable_Free(&job->places, a);
	brCutTable_Free(&job->edgeLines, a);
	brCut_ForgetExpected(job);
	BR_FREE_ARRAY(a, &job->lines);
	BR_FREE_ARRAY(a, &job->linePoints);
	BR_FREE_ARRAY(a, &job->constraints);
	BR_FREE_ARRAY(a, &job->overlaps);
	BR_FREE_ARRAY(a, &job->coplanars);
	BR_FREE_ARRAY(a, &job->ordered);
	BR_FREE_ARRAY(a, &job->cells);
}

static void cutFreeJob(brCutJob* job)
{
	const brAllocator* a = &job->allocator;
	int64_t n = job->triangleCapacity;
	cutFreeScaffold(job);
	brFreeArray(a, job->triangles, n, sizeof(int32_t[3]));
	brFreeArray(a, job->corners, n, sizeof(int32_t[3]));
	BR_FREE(a, job->faces, n);
	BR_FREE(a, job->flags, n);
	BR_FREE(a, job->views, n);
	BR_FREE(a, job->doubles, job->triangleCount);
	BR_FREE_ARRAY(a, &job->points);
	BR_FREE_ARRAY(a, &job->placeNext);
	BR_FREE(a, job->firstCells, (int64_t)job->triangleCount + 1);
	BR_FREE(a, job->copies, job->copyCount);
	brFreeArray(a, job->copyPoints, job->copyCount, sizeof(int32_t[3]));
	BR_FREE(a, job->copyTwins, 3 * (int64_t)job->copyCount);
	BR_FREE(a, job->copyStrands, job->copyCount);
}

void brDestroyCutResult(brCutResult* result)
{
	if (result == NULL)
	{
		return;
	}
	brAllocator allocator = result->allocator;
	for (int32_t i = 0; i < result->pieceCount; ++i)
	{
		brCutPiece* piece = &result->pieces[i];
		if (piece->mesh != NULL)
		{
			BR_FREE(&allocator, piece->faceParents, piece->mesh->faceCount);
			BR_FREE(&allocator, piece->faceCutters, piece->mesh->faceCount);
			BR_FREE(&allocator, piece->faceKinds, piece->mesh->faceCount);
			brDestroyMesh(piece->mesh);
		}
	}
	BR_FREE(&allocator, result->pieces, result->pieceCount);
	BR_FREE(&allocator, result, 1);
}

static bool cutRunStages(brCutJob* job, brCutResult* result)
{
	typedef bool Stage(brCutJob*);
	Stage* const stages[] = {brCut_Import, brCut_FindContacts, brCut_CrossLines, brCut_MakeCells, brCut_Weave};
	const int32_t count = sizeof(stages) / sizeof(stages[0]);
	for (int32_t i = 0; i < count; ++i)
	{
		if (!stages[i](job))
		{
			return false;
		}
		if (brIsCanceled(job->context, (double)(i + 1) / (count + 1)))
		{
			return brCut_Fail(job, br_errorCanceled, -1, "the cut was canceled");
		}
	}
	// The pieces are made of copies: what led to them can go.
	cutFreeScaffold(job);
	return brCut_MakePieces(job, result);
}

static bool cutIsDefSound(const brCutDef* def)
{
	return def->stamp == BR_STAMP(*def) && def->op >= br_cutSplit && def->op <= br_cutFill &&
		   def->flatTolerance >= 0.0 && def->minShare >= 0.0 && def->minShare < 1.0;
}

static brResult cutRun(const brContext* context, const brMesh* source, const brMesh* cutter, const brCutDef* def,
					   bool isResolve, brCutResult** outResult, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brCutJob job = {.context = context,
					.allocator = allocator,
					.def = def,
					.report = report,
					.meshes = {source, cutter},
					.isResolve = isResolve,
					.stats = {.selfCrossings = -1}};
	brCutResult* result = BR_ALLOC_ZERO(&allocator, brCutResult, 1);
	if (result == NULL)
	{
		return brFailMemory(report);
	}
	result->allocator = allocator;
	bool isDone = cutRunStages(&job, result);
	job.stats.exactTests = job.space.exactCount;
	job.stats.newVertices = job.points.count - job.vertexCount;
	cutFreeJob(&job);
	if (!isDone)
	{
		brDestroyCutResult(result);
		return job.error != 0 ? job.error : brFail(report, br_errorGeometry, "the cut failed");
	}
	if (!isResolve && fabs(job.stats.crumbVolume) > CUT_MOST_CRUMBS * fabs(job.stats.volumeIn))
	{
		brDestroyCutResult(result);
		return brFail(
			report, br_errorGeometry,
			"%.0f %% of the volume would be left out as thinner than rounding: the mesh lies too far from the "
			"origin, move it there",
			100.0 * fabs(job.stats.crumbVolume / job.stats.volumeIn));
	}
	result->stats = job.stats;
	for (int32_t i = 0; i < result->pieceCount; ++i)
	{
		result->stats.volumeOut += result->pieces[i].volume;
	}
	*outResult = result;
	if (job.stats.openEdges > 0 && def->op == br_cutFill)
	{
		return brFail(report, br_remarkApproximate, "%d edges of the pieces have one face only: the source has holes",
					  job.stats.openEdges);
	}
	if (job.stats.crumbs > 0)
	{
		return brFail(report, br_remarkDropped, "%d piece%s thinner than rounding left out", job.stats.crumbs,
					  job.stats.crumbs == 1 ? "" : "s");
	}
	return brSucceed(report);
}

brResult brCutMesh(const brContext* context, const brMesh* source, const brMesh* cutter, const brCutDef* def,
				   brCutResult** outResult, brReport* report)
{
	return brCutMeshByMany(context, source, &cutter, 1, def, outResult, report);
}

// Faces of all cutters are numbered in one go: back to cutter and face.
static void cutNameCutters(brCutResult* result, const brMesh* const* cutters, int32_t cutterCount)
{
	for (int32_t i = 0; i < result->pieceCount; ++i)
	{
		brCutPiece* piece = &result->pieces[i];
		for (int32_t f = 0; f < piece->mesh->faceCount; ++f)
		{
			int32_t cutter = 0;
			while (piece->faceKinds[f] != br_faceSource && cutter + 1 < cutterCount &&
				   piece->faceParents[f] >= cutters[cutter]->faceCount)
			{
				piece->faceParents[f] -= cutters[cutter]->faceCount;
				cutter += 1;
			}
			piece->faceCutters[f] = piece->faceKinds[f] != br_faceSource ? cutter : -1;
		}
	}
}

brResult brCutMeshByMany(const brContext* context, const brMesh* source, const brMesh* const* cutters,
						 int32_t cutterCount, const brCutDef* def, brCutResult** outResult, brReport* report)
{
	brCutDef defaults = brDefaultCutDef();
	def = def != NULL ? def : &defaults;
	bool isMisuse = source == NULL || cutters == NULL || cutterCount < 1 || outResult == NULL || !cutIsDefSound(def);
	for (int32_t i = 0; i < cutterCount && !isMisuse; ++i)
	{
		isMisuse = cutters[i] == NULL;
	}
	if (isMisuse)
	{
		return brFail(report, br_errorMisuse,
					  "a cut needs a source, a cutter, a place for the result and a def from brDefaultCutDef");
	}
	if (cutterCount == 1)
	{
		return cutRun(context, source, cutters[0], def, false, outResult, report);
	}
	brMesh* all = NULL;
	brResult result = brMergeMeshes(context, cutters, cutterCount, &all, report);
	if (result >= 0)
	{
		result = cutRun(context, source, all, def, false, outResult, report);
	}
	if (result >= 0)
	{
		cutNameCutters(*outResult, cutters, cutterCount);
	}
	brDestroyMesh(all);
	return result;
}

brResult brResolveMesh(const brContext* context, const brMesh* mesh, const brCutDef* def, brCutResult** outResult,
					   brReport* report)
{
	brCutDef own = def != NULL ? *def : brDefaultCutDef();
	if (mesh == NULL || outResult == NULL || !cutIsDefSound(&own))
	{
		return brFail(report, br_errorMisuse,
					  "resolving needs a mesh, a place for the result and a def from brDefaultCutDef");
	}
	own.op = br_cutUnion;
	own.assumeCutterSimple = false;
	return cutRun(context, mesh, mesh, &own, true, outResult, report);
}

brResult brUniteMeshes(const brContext* context, const brMesh* const* meshes, int32_t count, brMesh** outMesh,
					   brReport* report)
{
	if (meshes == NULL || count < 1 || outMesh == NULL)
	{
		return brFail(report, br_errorMisuse, "a union needs meshes and a place for the result");
	}
	brAllocator allocator = brContext_Allocator(context);
	brMesh* all = NULL;
	brCutResult* solids = NULL;
	brResult result = brMergeMeshes(context, meshes, count, &all, report);
	if (result >= 0)
	{
		result = brResolveMesh(context, all, NULL, &solids, report);
	}
	brDestroyMesh(all);
	if (result < 0)
	{
		return result;
	}
	const brMesh** list = BR_ALLOC(&allocator, const brMesh*, solids->pieceCount + 1);
	for (int32_t i = 0; list != NULL && i < solids->pieceCount; ++i)
	{
		list[i] = solids->pieces[i].mesh;
	}
	result = list != NULL ? brMergeMeshes(context, list, solids->pieceCount, outMesh, report) : brFailMemory(report);
	BR_FREE(&allocator, list, solids->pieceCount + 1);
	brDestroyCutResult(solids);
	return result;
}

brResult brSeparateMesh(const brContext* context, const brMesh* mesh, brCutResult** outResult, brReport* report)
{
	brMeshDef none = brDefaultMeshDef();
	brMesh* nothing = NULL;
	brResult result = brCreateMesh(context, &none, &nothing, report);
	if (result >= 0)
	{
		result = brCutMesh(context, mesh, nothing, NULL, outResult, report);
	}
	brDestroyMesh(nothing);
	return result;
}

// A triangle in the plane that covers the shadow of the box on it.
static brMesh* cutPlaneTriangle(const brContext* context, const brMesh* source, brDVec3 point, brDVec3 normal,
								brReport* report, brResult* outResult)
{
	brDBox3 box = brMesh_ComputeBounds(source);
	bool isEmpty = !(box.lower.x <= box.upper.x);
	brDVec3 center = isEmpty ? point : brDLerp(box.lower, box.upper, 0.5);
	double radius = isEmpty ? 1.0 : 0.5 * brDDistance(box.lower, box.upper) + 1e-3 * brDDistance(box.lower, box.upper);
	radius = radius > 0.0 ? radius : 1.0;
	brDVec3 n = brDNormalize(normal);
	double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
	// Axes along coordinate axes when the normal is, so that the plane is met exactly.
	brDVec3 u = x <= y && x <= z ? (brDVec3){1.0, 0.0, 0.0}
				: y <= z         ? (brDVec3){0.0, 1.0, 0.0}
								 : (brDVec3){0.0, 0.0, 1.0};
	u = brDNormalize(brDSub(u, brDMul(brDDot(u, n), n)));
	brDVec3 v = brDCross(n, u);
	brDVec3 foot = brDSub(center, brDMul(brDDot(brDSub(center, point), n), n));
	if (x == 1.0 || y == 1.0 || z == 1.0)
	{
		foot = (brDVec3){x == 1.0 ? point.x : foot.x, y == 1.0 ? point.y : foot.y, z == 1.0 ? point.z : foot.z};
	}
	brDVec3 corners[3] = {brDMulAdd(brDMulAdd(foot, -4.0 * radius, u), -2.0 * radius, v),
						  brDMulAdd(brDMulAdd(foot, 4.0 * radius, u), -2.0 * radius, v),
						  brDMulAdd(foot, 5.0 * radius, v)};
	int32_t indices[3] = {0, 1, 2};
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = 3, def.positions = corners;
	def.faceCount = 1, def.corners = indices;
	brMesh* mesh = NULL;
	*outResult = brCreateMesh(context, &def, &mesh, report);
	return mesh;
}

brResult brCutMeshByPlane(const brContext* context, const brMesh* source, brDVec3 point, brDVec3 normal,
						  const brCutDef* def, brCutResult** outResult, brReport* report)
{
	if (source == NULL ||
		(def != NULL && def->op != br_cutSplit && def->op != br_cutSurface && def->op != br_cutFill) ||
		!brDIsFinite(point) || !brDIsFinite(normal) || (normal.x == 0.0 && normal.y == 0.0 && normal.z == 0.0))
	{
		return brFail(report, br_errorMisuse,
					  "a plane needs a finite point and a finite normal that is not zero, and splits or "
					  "parts a surface");
	}
	brResult result;
	brMesh* plane = cutPlaneTriangle(context, source, point, normal, report, &result);
	if (result >= 0)
	{
		result = brCutMesh(context, source, plane, def, outResult, report);
	}
	brDestroyMesh(plane);
	return result;
}
