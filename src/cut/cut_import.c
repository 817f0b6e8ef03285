// SPDX-License-Identifier: MIT

// Both meshes as triangles over one list of places. Vertices at one place are one point, so meshes that share
// coordinates share points, and a surface whose vertices were split at seams is whole again. Who is whose neighbor in
// the source is settled here and is never asked of the geometry again: a source that crosses itself is still a closed
// surface.

#include "cut/cut_job.h"
#include "mesh/weld.h"

#include <stdatomic.h>
#include <string.h>

enum
{
	CUT_IMPORT_BLOCK = 4096 // elements a worker takes at a time
};

// What is wrong with an element, or null.
static const char* cutVertexTrouble(const brMesh* mesh, int32_t v)
{
	brDVec3 p = mesh->positions[v];
	// Boxes are kept in floats.
	bool isFar = fmax(fmax(fabs(p.x), fabs(p.y)), fabs(p.z)) > 1e38;
	return !brDIsFinite(p) ? "is not finite" : isFar ? "is farther than 1e38 from the origin" : NULL;
}

static const char* cutFaceTrouble(const brMesh* mesh, int32_t f)
{
	for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
	{
		if (mesh->corners[c] < 0 || mesh->corners[c] >= mesh->vertexCount)
		{
			return "names a vertex that is not there";
		}
	}
	return brMesh_GetFaceSize(mesh, f) < 3 ? "has fewer than three corners" : NULL;
}

typedef struct CutCheck
{
	const brMesh* mesh;
	atomic_bool isAny;
} CutCheck;

static void cutCheckVertices(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CutCheck* check = user;
	bool isAny = false;
	for (int32_t v = begin; v < end; ++v)
	{
		isAny |= cutVertexTrouble(check->mesh, v) != NULL;
	}
	if (isAny)
	{
		atomic_store_explicit(&check->isAny, true, memory_order_relaxed);
	}
}

static void cutCheckFaces(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CutCheck* check = user;
	bool isAny = false;
	for (int32_t f = begin; f < end; ++f)
	{
		isAny |= cutFaceTrouble(check->mesh, f) != NULL;
	}
	if (isAny)
	{
		atomic_store_explicit(&check->isAny, true, memory_order_relaxed);
	}
}

// Workers look whether anything is wrong; the first wrong element is named one by one.
static bool cutCheckMesh(brCutJob* job, int32_t which)
{
	const brMesh* mesh = job->meshes[which];
	const char* name = which == 0 ? "source" : "cutter";
	CutCheck check = {.mesh = mesh};
	brParallelFor(brCut_Workers(job), mesh->vertexCount, CUT_IMPORT_BLOCK, cutCheckVertices, &check);
	brParallelFor(brCut_Workers(job), mesh->faceCount, CUT_IMPORT_BLOCK, cutCheckFaces, &check);
	for (int32_t v = 0; v < mesh->vertexCount && check.isAny; ++v)
	{
		const char* trouble = cutVertexTrouble(mesh, v);
		if (trouble != NULL)
		{
			return brCut_Fail(job, br_errorGeometry, v, "vertex %d of the %s %s", v, name, trouble);
		}
	}
	for (int32_t f = 0; f < mesh->faceCount && check.isAny; ++f)
	{
		const char* trouble = cutFaceTrouble(mesh, f);
		if (trouble != NULL)
		{
			return brCut_Fail(job, br_errorGeometry, f, "face %d of the %s %s", f, name, trouble);
		}
	}
	return true;
}

// A mesh that is resolved is there once.
static int32_t cutSourceVertices(const brCutJob* job)
{
	return job->isResolve ? 0 : job->meshes[0]->vertexCount;
}

// Points from places, in blocks; each block knows its largest coordinate and the power of two that makes all of its
// integers.
typedef struct CutPlaces
{
	brCutJob* job;
	const brDVec3* positions;
	const int32_t* firsts; // lowest vertex at the place of each
	const int32_t* places;
	double* reaches;
	int32_t* exponents; // INT32_MAX: all are zero
} CutPlaces;

static void cutMakePoints(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CutPlaces* work = user;
	double reach = 0.0;
	int32_t lowest = INT32_MAX;
	for (int32_t i = begin; i < end; ++i)
	{
		if (work->firsts[i] != i)
		{
			continue;
		}
		// Adding zero turns -0 into 0.
		brDVec3 p = {work->positions[i].x + 0.0, work->positions[i].y + 0.0, work->positions[i].z + 0.0};
		work->job->points.data[work->places[i]] = (brCutPoint){.at = p, .kind = br_cutPointVertex};
		work->job->placeNext.data[work->places[i]] = CUT_NOT_ENTERED;
		double far = fmax(fmax(fabs(p.x), fabs(p.y)), fabs(p.z));
		int32_t exponent = far > 0.0 ? brExact_Exponent((double[]){p.x, p.y, p.z}, 3) : INT32_MAX;
		lowest = exponent < lowest ? exponent : lowest;
		reach = far > reach ? far : reach;
	}
	work->reaches[begin / CUT_IMPORT_BLOCK] = reach;
	work->exponents[begin / CUT_IMPORT_BLOCK] = lowest;
}

// Places of all vertices, each once; `outPlaces` gets the point of each vertex of source, then cutter.
static bool cutImportPlaces(brCutJob* job, int32_t* outPlaces)
{
	int32_t own = cutSourceVertices(job), count = own + job->meshes[1]->vertexCount;
	int32_t blockCount = (count + CUT_IMPORT_BLOCK - 1) / CUT_IMPORT_BLOCK;
	brDVec3* positions = BR_ALLOC(&job->allocator, brDVec3, count);
	int32_t* firsts = BR_ALLOC(&job->allocator, int32_t, count);
	double* reaches = BR_ALLOC(&job->allocator, double, blockCount);
	int32_t* exponents = BR_ALLOC(&job->allocator, int32_t, blockCount);
	bool isDone = positions != NULL && firsts != NULL && reaches != NULL && exponents != NULL;
	if (isDone)
	{
		memcpy(positions, job->meshes[0]->positions, (size_t)own * sizeof(brDVec3));
		memcpy(positions + own, job->meshes[1]->positions, (size_t)job->meshes[1]->vertexCount * sizeof(brDVec3));
		isDone = brFindEqualPositions(&job->allocator, positions, count, firsts) >= 0 &&
				 BR_RESERVE(&job->allocator, &job->points, count) &&
				 BR_RESERVE(&job->allocator, &job->placeNext, count);
	}
	int32_t lowest = INT32_MAX, highest = 0;
	if (isDone)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			outPlaces[i] = firsts[i] == i ? job->vertexCount++ : outPlaces[firsts[i]];
			job->sourcePlaces = i < own || job->isResolve ? job->vertexCount : job->sourcePlaces;
		}
		job->points.count = job->placeNext.count = job->vertexCount;
		CutPlaces work = {job, positions, firsts, outPlaces, reaches, exponents};
		brParallelFor(brCut_Workers(job), count, CUT_IMPORT_BLOCK, cutMakePoints, &work);
		for (int32_t b = 0; b < blockCount; ++b)
		{
			job->reach = fmax(job->reach, reaches[b]);
			lowest = exponents[b] < lowest ? exponents[b] : lowest;
		}
	}
	BR_FREE(&job->allocator, positions, count);
	BR_FREE(&job->allocator, firsts, count);
	BR_FREE(&job->allocator, reaches, blockCount);
	BR_FREE(&job->allocator, exponents, blockCount);
	if (!isDone)
	{
		return brCut_FailMemory(job);
	}
	frexp(job->reach, &highest);
	lowest = lowest == INT32_MAX ? 0 : lowest;
	int64_t limbs = brCutSpace_LimbsNeeded(highest - lowest + 2);
	job->space = (brCutSpace){.points = job->points.data, .exponent = lowest, .limbCapacity = (int32_t)limbs};
	job->space.limbs = BR_ALLOC(&job->allocator, uint64_t, limbs);
	return job->space.limbs != NULL || brCut_FailMemory(job);
}

typedef struct CutImport
{
	brCutJob* job;
	const brMesh* mesh;
	const int32_t* places; // of the mesh's vertices
	const brTriangulation* cuts;
	int32_t first;     // triangle of the job
	atomic_bool isAny; // has a corner twice
} CutImport;

static bool cutIsTwice(const int32_t* v)
{
	return v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
}

static void cutImportBlock(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CutImport* import = user;
	brCutJob* job = import->job;
	bool isAny = false;
	for (int32_t i = begin; i < end; ++i)
	{
		int32_t t = import->first + i;
		for (int k = 0; k < 3; ++k)
		{
			int32_t corner = import->cuts != NULL ? import->cuts->corners[3 * i + k] : 3 * i + k;
			job->corners[t][k] = corner;
			job->triangles[t][k] = import->places[import->mesh->corners[corner]];
		}
		job->faces[t] = import->cuts != NULL ? import->cuts->faces[i] : i;
		isAny |= cutIsTwice(job->triangles[t]);
	}
	if (isAny)
	{
		atomic_store_explicit(&import->isAny, true, memory_order_relaxed);
	}
}

// Triangles of one mesh, those with a corner twice left out.
static void cutImportTriangles(brCutJob* job, int32_t which, const int32_t* places, brTriangulation* const* cuts)
{
	const brMesh* mesh = job->meshes[which];
	int32_t count = cuts[which] != NULL ? cuts[which]->triangleCount : mesh->faceCount;
	CutImport import = {.job = job,
						.mesh = mesh,
						.places = places + (which == 0 ? 0 : cutSourceVertices(job)),
						.cuts = cuts[which],
						.first = job->triangleCount};
	brParallelFor(brCut_Workers(job), count, CUT_IMPORT_BLOCK, cutImportBlock, &import);
	int32_t kept = import.isAny ? job->triangleCount : job->triangleCount + count;
	for (int32_t t = import.first; t < import.first + count && import.isAny; ++t)
	{
		bool isTwice = cutIsTwice(job->triangles[t]);
		memmove(job->triangles[kept], job->triangles[t], sizeof(int32_t[3]));
		memmove(job->corners[kept], job->corners[t], sizeof(int32_t[3]));
		job->faces[kept] = job->faces[t];
		kept += !isTwice;
		job->stats.removedFlat += isTwice;
	}
	job->triangleCount = kept;
}

// Workers look whether there is any flat triangle at all; one by one they are listed only then.
typedef struct CutFlatScan
{
	const brCutJob* job;
	int32_t begin;
	atomic_bool isAny;
} CutFlatScan;

static void cutScanFlat(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CutFlatScan* scan = user;
	for (int32_t i = begin; i < end; ++i)
	{
		if (brCut_IsFlat(scan->job->points.data, scan->job->triangles[scan->begin + i]))
		{
			atomic_store_explicit(&scan->isAny, true, memory_order_relaxed);
			return;
		}
	}
}

// Flat triangles from `begin` on, counted from there.
static bool cutListFlat(brCutJob* job, int32_t begin, brCutInts* outFlat)
{
	CutFlatScan scan = {.job = job, .begin = begin};
	brParallelFor(brCut_Workers(job), job->triangleCount - begin, CUT_IMPORT_BLOCK, cutScanFlat, &scan);
	for (int32_t t = begin; t < job->triangleCount && scan.isAny; ++t)
	{
		if (brCut_IsFlat(job->points.data, job->triangles[t]) && !BR_PUSH(&job->allocator, outFlat, t - begin))
		{
			BR_FREE_ARRAY(&job->allocator, outFlat);
			return brCut_FailMemory(job);
		}
	}
	return true;
}

// Takes flat triangles out of [begin, triangleCount) and closes the gaps in the list.
static bool cutCleanTriangles(brCutJob* job, int32_t begin, bool isSheet, bool* outIsCleaned)
{
	int32_t count = job->triangleCount - begin;
	brCutInts queue = {0};
	if (!cutListFlat(job, begin, &queue))
	{
		return false;
	}
	*outIsCleaned = queue.count > 0;
	if (queue.count == 0)
	{
		return true;
	}
	// The pass wants half-edges from 0.
	int32_t* sources = BR_ALLOC(&job->allocator, int32_t, count);
	int32_t* moved = BR_ALLOC(&job->allocator, int32_t, count);
	int32_t* twins = BR_ALLOC(&job->allocator, int32_t, 3 * (int64_t)count);
	int32_t(*corners)[3] = brAllocArray(&job->allocator, count, sizeof(int32_t[3]));
	int32_t(*before)[3] = brAllocArray(&job->allocator, count, sizeof(int32_t[3]));
	int32_t* faces = BR_ALLOC(&job->allocator, int32_t, count);
	bool isDone =
		sources != NULL && moved != NULL && twins != NULL && corners != NULL && before != NULL && faces != NULL;
	if (!isDone)
	{
		brCut_FailMemory(job);
	}
	else
	{
		for (int32_t i = 0; i < count; ++i)
		{
			sources[i] = i;
			memcpy(corners[i], job->corners[begin + i], sizeof(corners[i]));
			memcpy(before[i], job->triangles[begin + i], sizeof(before[i]));
			faces[i] = job->faces[begin + i];
		}
		for (int32_t h = 0; h < 3 * count; ++h)
		{
			int32_t twin = job->twins[3 * begin + h];
			twins[h] = twin >= 0 ? twin - 3 * begin : -1;
		}
		int32_t(*old)[3] = job->triangles + begin;
		int32_t left = brCut_RemoveFlat(job, old, twins, sources, NULL, &queue, &job->stats.removedFlat);
		isDone = left >= 0;
		int32_t kept = 0;
		for (int32_t i = 0; i < count && isDone; ++i)
		{
			bool isFlat = old[i][0] >= 0 && brCut_IsFlat(job->points.data, old[i]);
			if (isFlat && !isSheet)
			{
				isDone = brCut_Fail(job, br_errorGeometry, faces[i],
									"face %d of the source has no area and cannot be joined to a neighbor", faces[i]);
			}
			moved[i] = old[i][0] >= 0 && !isFlat ? kept++ : -1;
		}
		for (int32_t i = 0; i < count && isDone; ++i)
		{
			if (moved[i] < 0)
			{
				continue;
			}
			int32_t t = begin + moved[i];
			bool isChanged = sources[i] != i || memcmp(old[i], before[i], sizeof(before[i])) != 0;
			memmove(job->triangles[t], old[i], sizeof(old[i]));
			memcpy(job->corners[t], corners[sources[i]], sizeof(corners[0]));
			job->faces[t] = faces[sources[i]];
			job->flags[t] = isChanged ? br_cutChanged : 0;
			for (int k = 0; k < 3; ++k)
			{
				int32_t twin = twins[3 * i + k];
				job->twins[3 * t + k] =
					twin >= 0 && moved[twin / 3] >= 0 ? 3 * (begin + moved[twin / 3]) + twin % 3 : -1;
			}
		}
		job->triangleCount = isDone ? begin + kept : job->triangleCount;
	}
	BR_FREE_ARRAY(&job->allocator, &queue);
	BR_FREE(&job->allocator, sources, count);
	BR_FREE(&job->allocator, moved, count);
	BR_FREE(&job->allocator, twins, 3 * (int64_t)count);
	brFreeArray(&job->allocator, corners, count, sizeof(int32_t[3]));
	brFreeArray(&job->allocator, before, count, sizeof(int32_t[3]));
	BR_FREE(&job->allocator, faces, count);
	return isDone;
}

static bool cutImportSource(brCutJob* job, const int32_t* places, brTriangulation* const* cuts)
{
	int32_t open;
	job->sourceCount = INT32_MAX; // all are of the source so far
	cutImportTriangles(job, 0, places, cuts);
	if (!brCut_PairEdges(job, 0, job->triangleCount, false, &open))
	{
		return false;
	}
	if (open >= 0 && !brCut_MayBeOpen(job))
	{
		int32_t face = job->faces[open / 3];
		return brCut_Fail(job, br_errorGeometry, face,
						  "edge %d-%d of face %d has no second face: the source is open and has no inside to cut",
						  brCut_VertexOf(job, open, 0), brCut_VertexOf(job, open, 1), face);
	}
	bool isCleaned;
	if (!cutCleanTriangles(job, 0, brCut_MayBeOpen(job), &isCleaned))
	{
		return false;
	}
	job->isTangled |= job->stats.removedFlat > 0;
	job->sourceCount = job->triangleCount;
	return job->def->op == br_cutSurface || open >= 0 ||
		   brCut_Volume(job, job->triangles, NULL, job->sourceCount, &job->stats.volumeIn);
}

// Triangles of the cutter that lie exactly on an earlier one go: one wall is enough.
static bool cutDropDoubles(brCutJob* job)
{
	brCutTable table = {0};
	int32_t kept = job->sourceCount;
	bool isDone = true;
	for (int32_t t = job->sourceCount; t < job->triangleCount && isDone; ++t)
	{
		int32_t v[3] = {job->triangles[t][0], job->triangles[t][1], job->triangles[t][2]};
		for (int i = 0; i < 3; ++i)
		{
			int j = i % 2;
			if (v[j] > v[j + 1])
			{
				int32_t swap = v[j];
				v[j] = v[j + 1], v[j + 1] = swap;
			}
		}
		uint64_t key = (uint64_t)(uint32_t)v[0] << 32 | (uint32_t)v[1];
		if (brCutTable_Find(&table, key, (uint64_t)(uint32_t)v[2]) >= 0)
		{
			continue;
		}
		isDone = brCutTable_Put(&table, &job->allocator, key, (uint64_t)(uint32_t)v[2], t);
		memmove(job->triangles[kept], job->triangles[t], sizeof(job->triangles[0]));
		memmove(job->corners[kept], job->corners[t], sizeof(job->corners[0]));
		job->faces[kept] = job->faces[t];
		job->flags[kept] = job->flags[t];
		kept += 1;
	}
	brCutTable_Free(&table, &job->allocator);
	job->triangleCount = kept;
	return isDone || brCut_FailMemory(job);
}

static bool cutImportCutter(brCutJob* job, const int32_t* places, brTriangulation* const* cuts)
{
	int32_t open;
	bool isBoolean = brCut_IsBoolean(job);
	cutImportTriangles(job, 1, places, cuts);
	if ((!isBoolean && !cutDropDoubles(job)) ||
		!brCut_PairEdges(job, job->sourceCount, job->triangleCount, true, &open))
	{
		return false;
	}
	if (open >= 0 && isBoolean)
	{
		int32_t face = job->faces[open / 3];
		return brCut_Fail(job, br_errorGeometry, face,
						  job->isResolve
							  ? "edge %d-%d of face %d has no second face: the mesh is open and has no inside"
							  : "edge %d-%d of face %d of the cutter has no second face: a boolean needs a "
								"closed cutter, split does not",
						  brCut_VertexOf(job, open, 0), brCut_VertexOf(job, open, 1), face);
	}
	bool isCleaned;
	if (!cutCleanTriangles(job, job->sourceCount, true, &isCleaned))
	{
		return false;
	}
	return (!isCleaned || brCut_PairEdges(job, job->sourceCount, job->triangleCount, true, &open)) &&
		   (!job->isResolve || brCut_Volume(job, job->triangles, NULL, job->triangleCount, &job->stats.volumeIn));
}

bool brCut_Import(brCutJob* job)
{
	if (!cutCheckMesh(job, 0) || !cutCheckMesh(job, 1))
	{
		return false;
	}
	brDBox3 box = brMesh_ComputeBounds(job->meshes[0]);
	job->middle = box.lower.x <= box.upper.x ? brDLerp(box.lower, box.upper, 0.5) : (brDVec3){0.0, 0.0, 0.0};
	brTriangulation* cuts[2] = {NULL, NULL};
	int64_t total = 0;
	bool isDone = true;
	for (int i = job->isResolve ? 1 : 0; i < 2 && isDone; ++i)
	{
		const brMesh* mesh = job->meshes[i];
		if (mesh->cornerCount != 3 * (int64_t)mesh->faceCount)
		{
			job->error = brTriangulateMesh(job->context, mesh, &cuts[i], job->report);
			isDone = job->error >= 0;
			job->error = isDone ? 0 : job->error;
		}
		total += cuts[i] != NULL ? cuts[i]->triangleCount : mesh->faceCount;
	}
	if (isDone && total > INT32_MAX / 16)
	{
		isDone = brCut_Fail(job, br_errorLimit, -1, "source and cutter have %lld triangles, the limit is %d",
							(long long)total, INT32_MAX / 16);
	}
	int32_t vertexCount = cutSourceVertices(job) + job->meshes[1]->vertexCount;
	int32_t* places = isDone ? BR_ALLOC(&job->allocator, int32_t, vertexCount) : NULL;
	if (isDone)
	{
		job->triangleCapacity = (int32_t)total;
		job->triangles = brAllocArray(&job->allocator, total, sizeof(int32_t[3]));
		job->corners = brAllocArray(&job->allocator, total, sizeof(int32_t[3]));
		job->faces = BR_ALLOC(&job->allocator, int32_t, total);
		job->twins = BR_ALLOC(&job->allocator, int32_t, 3 * total);
		job->flags = BR_ALLOC_ZERO(&job->allocator, uint8_t, total);
		job->views = BR_ALLOC_ZERO(&job->allocator, _Atomic uint8_t, total);
		isDone = places != NULL && job->triangles != NULL && job->corners != NULL && job->faces != NULL &&
				 job->twins != NULL && job->flags != NULL && job->views != NULL;
		if (!isDone)
		{
			brCut_FailMemory(job);
		}
	}
	isDone = isDone && places != NULL && cutImportPlaces(job, places);
	isDone = isDone && (job->isResolve || cutImportSource(job, places, cuts));
	isDone = isDone && cutImportCutter(job, places, cuts);
	// Cleaning may have moved triangles since they were looked at.
	if (isDone && total > 0)
	{
		memset((void*)job->views, 0, (size_t)total);
	}
	job->space.triangles = (const int32_t(*)[3])job->triangles;
	BR_FREE(&job->allocator, places, vertexCount);
	brDestroyTriangulation(cuts[0]);
	brDestroyTriangulation(cuts[1]);
	return isDone;
}
