// SPDX-License-Identifier: MIT

// Both meshes as triangles over one list of places. Vertices at one place are one point, so meshes that share coordinates
// share points, and a surface whose vertices were split at seams is whole again. Who is whose neighbour in the source is settled
// here and is never asked of the geometry again: a source that crosses itself is still a closed surface.

#include "base/sort.h"
#include "cut/cut_job.h"
#include "mesh/weld.h"

#include <string.h>

static bool cutCheckMesh(brCutJob* job, int32_t which)
{
	const brMesh* mesh = job->meshes[which];
	const char* name = which == 0 ? "source" : "cutter";
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		if (!brDIsFinite(mesh->positions[v]))
		{
			return brCut_Fail(job, br_errorGeometry, v, "vertex %d of the %s is not finite", v, name);
		}
		// Boxes are kept in floats.
		double reach = fmax(fmax(fabs(mesh->positions[v].x), fabs(mesh->positions[v].y)), fabs(mesh->positions[v].z));
		if (reach > 1e38)
		{
			return brCut_Fail(job, br_errorGeometry, v, "vertex %d of the %s is farther than 1e38 from the origin", v,
							  name);
		}
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		if (brMesh_FaceSize(mesh, f) < 3)
		{
			return brCut_Fail(job, br_errorGeometry, f, "face %d of the %s has fewer than three corners", f, name);
		}
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			if (mesh->corners[c] < 0 || mesh->corners[c] >= mesh->vertexCount)
			{
				return brCut_Fail(job, br_errorGeometry, f, "face %d of the %s names vertex %d, there are %d", f, name,
								  mesh->corners[c], mesh->vertexCount);
			}
		}
	}
	return true;
}

// Places of all vertices, each once; `outPlaces` gets the point of each vertex of source, then cutter.
static bool cutImportPlaces(brCutJob* job, int32_t* outPlaces)
{
	int32_t count = job->meshes[0]->vertexCount + job->meshes[1]->vertexCount;
	brDVec3* positions = BR_ALLOC(&job->allocator, brDVec3, count);
	bool isDone = positions != NULL;
	if (isDone)
	{
		memcpy(positions, job->meshes[0]->positions, (size_t)job->meshes[0]->vertexCount * sizeof(brDVec3));
		memcpy(positions + job->meshes[0]->vertexCount, job->meshes[1]->positions,
			   (size_t)job->meshes[1]->vertexCount * sizeof(brDVec3));
		isDone = brFindEqualPositions(&job->allocator, positions, count, outPlaces) >= 0 &&
				 BR_RESERVE(&job->allocator, &job->points, count) &&
				 BR_RESERVE(&job->allocator, &job->placeNext, count);
	}
	int32_t lowest = 0, highest = 0;
	for (int32_t i = 0; i < count && isDone; ++i)
	{
		if (outPlaces[i] != i)
		{
			outPlaces[i] = outPlaces[outPlaces[i]];
			continue;
		}
		outPlaces[i] = job->points.count;
		job->sourcePlaces += i < job->meshes[0]->vertexCount;
		// Adding zero turns -0 into 0.
		brDVec3 p = {positions[i].x + 0.0, positions[i].y + 0.0, positions[i].z + 0.0};
		job->points.data[job->points.count++] = (brCutPoint){.at = p, .kind = br_cutPointVertex};
		job->placeNext.data[job->placeNext.count++] = CUT_NOT_ENTERED;
		const double x[3] = {p.x, p.y, p.z};
		int32_t exponent = brExact_Exponent(x, 3);
		bool isZero = x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0;
		lowest = !isZero && (job->reach == 0.0 || exponent < lowest) ? exponent : lowest;
		job->reach = fmax(job->reach, fmax(fmax(fabs(x[0]), fabs(x[1])), fabs(x[2])));
	}
	BR_FREE(&job->allocator, positions, count);
	if (!isDone)
	{
		return brCut_FailMemory(job);
	}
	frexp(job->reach, &highest);
	job->vertexCount = job->points.count;
	int64_t limbs = brCutSpace_LimbsNeeded(highest - lowest + 2);
	job->space = (brCutSpace){.points = job->points.data, .exponent = lowest, .limbCapacity = (int32_t)limbs};
	job->space.limbs = BR_ALLOC(&job->allocator, uint64_t, limbs);
	return job->space.limbs != NULL || brCut_FailMemory(job);
}

// Triangles of one mesh, those with a corner twice left out.
static bool cutImportTriangles(brCutJob* job, int32_t which, const int32_t* places, brTriangulation* const* cuts)
{
	const brMesh* mesh = job->meshes[which];
	const int32_t* own = places + (which == 0 ? 0 : job->meshes[0]->vertexCount);
	int32_t count = cuts[which] != NULL ? cuts[which]->triangleCount : mesh->faceCount;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t t = job->triangleCount;
		for (int k = 0; k < 3; ++k)
		{
			int32_t corner = cuts[which] != NULL ? cuts[which]->corners[3 * i + k] : 3 * i + k;
			job->corners[t][k] = corner;
			job->triangles[t][k] = own[mesh->corners[corner]];
		}
		const int32_t* v = job->triangles[t];
		job->faces[t] = cuts[which] != NULL ? cuts[which]->faces[i] : i;
		bool isTwice = v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
		job->triangleCount += !isTwice;
		job->stats.removedFlat += isTwice;
	}
	return true;
}

static int32_t cutVertexOf(const brCutJob* job, int32_t halfEdge, int32_t step)
{
	int32_t t = halfEdge / 3;
	const brMesh* mesh = job->meshes[t >= job->sourceCount ? 1 : 0];
	return mesh->corners[job->corners[t][(halfEdge % 3 + step) % 3]];
}

static void cutPair(brCutJob* job, int32_t a, int32_t b)
{
	job->twins[a] = b;
	job->twins[b] = a;
}

// A triangle without area has no direction to be sorted by: it takes the first partner there is.
static void cutPairFlat(brCutJob* job, const uint32_t* edges, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t h = (int32_t)edges[i];
		if (job->twins[h] >= 0 || !brCut_IsFlat(job->points.data, job->triangles[h / 3]))
		{
			continue;
		}
		for (int32_t j = 0; j < count && job->twins[h] < 0; ++j)
		{
			int32_t g = (int32_t)edges[j];
			if (job->twins[g] < 0 && job->triangles[g / 3][g % 3] != job->triangles[h / 3][h % 3])
			{
				cutPair(job, h, g);
			}
		}
	}
}

// Pairs half-edges of one edge by the order around it: where material begins with where it ends.
static bool cutPairAround(brCutJob* job, int32_t a, int32_t b, const uint32_t* edges, int32_t count)
{
	brCutHalfPlane* planes = BR_ALLOC(&job->allocator, brCutHalfPlane, count);
	int32_t* stack = BR_ALLOC(&job->allocator, int32_t, count);
	bool isDone = planes != NULL && stack != NULL;
	int32_t open = 0;
	cutPairFlat(job, edges, count);
	if (!isDone)
	{
		brCut_FailMemory(job);
	}
	for (int32_t i = 0; i < count && isDone; ++i)
	{
		int32_t h = (int32_t)edges[i];
		if (job->twins[h] < 0)
		{
			bool isLeft = job->triangles[h / 3][h % 3] == a;
			planes[open++] = (brCutHalfPlane){.cell = h, .triangle = h / 3, .isLeft = isLeft};
		}
	}
	isDone = isDone && brCut_SortAround(job, a, b, planes, open) >= 0;
	if (isDone)
	{
		// Within a cluster the ends of material come first, so sheets that touch stay apart.
		for (int32_t i = 1; i < open; ++i)
		{
			for (int32_t j = i;
				 j > 0 && planes[j].cluster == planes[j - 1].cluster && planes[j].isLeft && !planes[j - 1].isLeft; --j)
			{
				brCutHalfPlane swap = planes[j];
				planes[j] = planes[j - 1], planes[j - 1] = swap;
			}
		}
		int32_t sum = 0, lowest = 0, start = 0;
		for (int32_t i = 0; i < open; ++i)
		{
			sum += planes[i].isLeft ? -1 : 1;
			if (sum < lowest)
			{
				lowest = sum, start = i + 1;
			}
		}
		int32_t depth = 0;
		for (int32_t i = 0; i < open; ++i)
		{
			const brCutHalfPlane* plane = &planes[(start + i) % open];
			if (!plane->isLeft)
			{
				stack[depth++] = plane->cell;
			}
			else if (depth > 0)
			{
				cutPair(job, stack[--depth], plane->cell);
			}
		}
	}
	BR_FREE(&job->allocator, planes, count);
	BR_FREE(&job->allocator, stack, count);
	return isDone;
}

// Half-edges [begin, end) of the sorted list all run along one edge.
static bool cutPairGroup(brCutJob* job, const uint32_t* edges, int32_t count, bool isSheet, int32_t* outOpen)
{
	int32_t first = (int32_t)edges[0];
	int32_t p = job->triangles[first / 3][first % 3], q = job->triangles[first / 3][(first % 3 + 1) % 3];
	int32_t a = p < q ? p : q, b = p < q ? q : p;
	int32_t balance = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		balance += job->triangles[edges[i] / 3][edges[i] % 3] == a ? 1 : -1;
	}
	if (balance != 0 && *outOpen < 0)
	{
		*outOpen = first;
	}
	if (count == 2 && balance == 0)
	{
		cutPair(job, (int32_t)edges[0], (int32_t)edges[1]);
		return true;
	}
	job->isTangled |= !isSheet;
	if (isSheet)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			job->flags[edges[i] / 3] |= br_cutNear;
		}
		return true;
	}
	// The mesh's own vertices may say who belongs together.
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t h = (int32_t)edges[i], found = -1, foundCount = 0;
		if (job->twins[h] >= 0)
		{
			continue;
		}
		for (int32_t j = 0; j < count; ++j)
		{
			int32_t g = (int32_t)edges[j];
			bool isOpposite = job->twins[g] < 0 && cutVertexOf(job, h, 0) == cutVertexOf(job, g, 1) &&
							  cutVertexOf(job, h, 1) == cutVertexOf(job, g, 0);
			bool isRival = j != i && cutVertexOf(job, h, 0) == cutVertexOf(job, g, 0) &&
						   cutVertexOf(job, h, 1) == cutVertexOf(job, g, 1);
			found = isOpposite ? g : found;
			foundCount += isOpposite + 2 * isRival;
		}
		if (foundCount == 1)
		{
			cutPair(job, h, found);
		}
	}
	return balance != 0 || cutPairAround(job, a, b, edges, count);
}

bool brCut_PairEdges(brCutJob* job, int32_t begin, int32_t end, bool isSheet, int32_t* outOpen)
{
	int32_t count = 3 * (end - begin);
	*outOpen = -1;
	uint64_t* keys = BR_ALLOC(&job->allocator, uint64_t, 2 * (int64_t)count);
	uint32_t* edges = BR_ALLOC(&job->allocator, uint32_t, 2 * (int64_t)count);
	bool isDone = keys != NULL && edges != NULL;
	int32_t used = 0;
	for (int32_t t = begin; t < end && isDone; ++t)
	{
		for (int k = 0; k < 3; ++k)
		{
			uint64_t p = (uint64_t)(uint32_t)job->triangles[t][k],
					 q = (uint64_t)(uint32_t)job->triangles[t][(k + 1) % 3];
			keys[used] = p < q ? p << 32 | q : q << 32 | p;
			edges[used++] = (uint32_t)(3 * t + k);
			job->twins[3 * t + k] = -1;
		}
	}
	brWorkers* workers = job->context != NULL ? job->context->workers : NULL;
	isDone = isDone && brSortPairs64(workers, &job->allocator, keys, edges, keys + count, edges + count, used);
	if (!isDone)
	{
		brCut_FailMemory(job);
	}
	for (int32_t i = 0, j = 0; i < used && isDone; i = j)
	{
		while (j < used && keys[j] == keys[i])
		{
			j += 1;
		}
		isDone = cutPairGroup(job, edges + i, j - i, isSheet, outOpen);
	}
	BR_FREE(&job->allocator, keys, 2 * (int64_t)count);
	BR_FREE(&job->allocator, edges, 2 * (int64_t)count);
	return isDone;
}

// Takes flat triangles out of [begin, triangleCount) and closes the gaps in the list.
static bool cutCleanTriangles(brCutJob* job, int32_t begin, bool isSheet, bool* outIsCleaned)
{
	int32_t count = job->triangleCount - begin;
	bool isNeeded = false;
	for (int32_t t = begin; t < job->triangleCount && !isNeeded; ++t)
	{
		isNeeded = brCut_IsFlat(job->points.data, job->triangles[t]);
	}
	*outIsCleaned = isNeeded;
	if (!isNeeded)
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
		int32_t left = brCut_RemoveFlat(job, old, twins, sources, count, &job->stats.removedFlat);
		isDone = left >= 0;
		int32_t kept = 0;
		for (int32_t i = 0; i < count && isDone; ++i)
		{
			bool isFlat = old[i][0] >= 0 && brCut_IsFlat(job->points.data, old[i]);
			if (isFlat && !isSheet)
			{
				isDone = brCut_Fail(job, br_errorGeometry, faces[i],
									"face %d of the source has no area and cannot be joined to a neighbour", faces[i]);
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
	if (!cutImportTriangles(job, 0, places, cuts) || !brCut_PairEdges(job, 0, job->triangleCount, false, &open))
	{
		return false;
	}
	if (open >= 0 && job->def->op != br_cutSurface)
	{
		int32_t face = job->faces[open / 3];
		return brCut_Fail(job, br_errorGeometry, face,
						  "edge %d-%d of face %d has no second face: the source is open and has no inside to cut",
						  cutVertexOf(job, open, 0), cutVertexOf(job, open, 1), face);
	}
	bool isCleaned;
	if (!cutCleanTriangles(job, 0, job->def->op == br_cutSurface, &isCleaned))
	{
		return false;
	}
	job->isTangled |= job->stats.removedFlat > 0;
	job->sourceCount = job->triangleCount;
	brCutSum sum = {0};
	const brCutPoint* points = job->points.data;
	for (int32_t t = 0; t < job->sourceCount && job->def->op != br_cutSurface; ++t)
	{
		const int32_t* v = job->triangles[t];
		brCutSum_AddVolume(&sum, job->middle, points[v[0]].at, points[v[1]].at, points[v[2]].at);
	}
	job->stats.volumeIn = sum.value + sum.rest;
	return true;
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
	bool isBoolean =
		job->def->op == br_cutUnion || job->def->op == br_cutIntersection || job->def->op == br_cutDifference;
	if (!cutImportTriangles(job, 1, places, cuts) || (!isBoolean && !cutDropDoubles(job)) ||
		!brCut_PairEdges(job, job->sourceCount, job->triangleCount, true, &open))
	{
		return false;
	}
	if (open >= 0 && isBoolean)
	{
		int32_t face = job->faces[open / 3];
		return brCut_Fail(
			job, br_errorGeometry, face,
			"edge %d-%d of face %d of the cutter has no second face: a boolean needs a closed cutter, split "
			"does not",
			cutVertexOf(job, open, 0), cutVertexOf(job, open, 1), face);
	}
	bool isCleaned;
	if (!cutCleanTriangles(job, job->sourceCount, true, &isCleaned))
	{
		return false;
	}
	return !isCleaned || brCut_PairEdges(job, job->sourceCount, job->triangleCount, true, &open);
}

bool brCut_Import(brCutJob* job)
{
	if (!cutCheckMesh(job, 0) || !cutCheckMesh(job, 1))
	{
		return false;
	}
	brDBox3 box = brMesh_Bounds(job->meshes[0]);
	job->middle = box.lower.x <= box.upper.x ? brDLerp(box.lower, box.upper, 0.5) : (brDVec3){0.0, 0.0, 0.0};
	brTriangulation* cuts[2] = {NULL, NULL};
	int64_t total = 0;
	bool isDone = true;
	for (int i = 0; i < 2 && isDone; ++i)
	{
		const brMesh* mesh = job->meshes[i];
		if (mesh->cornerCount != 3 * (int64_t)mesh->faceCount)
		{
			job->error = brTriangulate(job->context, mesh, &cuts[i], job->report);
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
	int32_t vertexCount = job->meshes[0]->vertexCount + job->meshes[1]->vertexCount;
	int32_t* places = isDone ? BR_ALLOC(&job->allocator, int32_t, vertexCount) : NULL;
	if (isDone)
	{
		job->triangleCapacity = (int32_t)total;
		job->triangles = brAllocArray(&job->allocator, total, sizeof(int32_t[3]));
		job->corners = brAllocArray(&job->allocator, total, sizeof(int32_t[3]));
		job->faces = BR_ALLOC(&job->allocator, int32_t, total);
		job->twins = BR_ALLOC(&job->allocator, int32_t, 3 * total);
		job->flags = BR_ALLOC_ZERO(&job->allocator, uint8_t, total);
		job->views = BR_ALLOC_ZERO(&job->allocator, uint8_t, total);
		isDone = places != NULL && job->triangles != NULL && job->corners != NULL && job->faces != NULL &&
				 job->twins != NULL && job->flags != NULL && job->views != NULL;
		if (!isDone)
		{
			brCut_FailMemory(job);
		}
	}
	isDone = isDone && places != NULL && cutImportPlaces(job, places) && cutImportSource(job, places, cuts) &&
			 cutImportCutter(job, places, cuts);
	// Cleaning may have moved triangles since they were looked at.
	if (isDone && total > 0)
	{
		memset(job->views, 0, (size_t)total);
	}
	job->space.triangles = (const int32_t(*)[3])job->triangles;
	BR_FREE(&job->allocator, places, vertexCount);
	brDestroyTriangulation(cuts[0]);
	brDestroyTriangulation(cuts[1]);
	return isDone;
}
