// SPDX-License-Identifier: MIT

// Polygons into triangles, fixed by the geometry alone.
//
// A face of k corners fills the k - 2 triangles that start at faceStarts[f] - 2 f, so faces need no counting pass and
// go to workers in blocks. Triangles are copied, quads compare two diagonals, and larger faces are clipped ear by ear
// (ears.h).

#include "base/memory.h"
#include "base/report.h"
#include "brittle/mesh.h"
#include "math/predicates.h"
#include "mesh/ears.h"
#include "mesh/flat_face.h"

#include <stdatomic.h>

#define TRIANGULATE_BLOCK 4096

// Quads

// Order of two unordered pairs of points: by the lesser of each, then by the greater.
static int compareEnds(brDVec3 a, brDVec3 b, brDVec3 c, brDVec3 d)
{
	bool swapsAB = brComparePlaces(a, b) > 0;
	bool swapsCD = brComparePlaces(c, d) > 0;
	int order = brComparePlaces(swapsAB ? b : a, swapsCD ? d : c);
	return order != 0 ? order : brComparePlaces(swapsAB ? a : b, swapsCD ? c : d);
}

// Whether no triangle of the corners of a quad is thin, told from afar: areas and lengths are taken in whatever order,
// which moves the answer for those only that are twice as thick as thin ones.
static bool quadIsStout(const brDVec2 q[4], double grain)
{
	const double far = 2.0;
	double least = INFINITY, lengthSq = 0.0; // not less than the square of any side
	for (int k = 0; k < 4; ++k)
	{
		const brDVec2 a = q[k], b = q[(k + 1) & 3], c = q[(k + 2) & 3];
		brDVec2 u = {b.x - a.x, b.y - a.y}, v = {c.x - b.x, c.y - b.y};
		double area = fabs(u.x * v.y - u.y * v.x);
		least = area < least ? area : least;
		lengthSq += 2.0 * (u.x * u.x + u.y * u.y);
	}
	return least > far * BR_FACE_THIN * lengthSq && least * least > far * far * grain * grain * lengthSq;
}

static void triangulateQuad(const brMesh* mesh, int32_t start, int32_t* triangles)
{
	const int32_t* corners = mesh->corners + start;
	double scale = brFaceScale(mesh, corners, 4);
	brDVec3 p[4];
	for (int k = 0; k < 4; ++k)
	{
		p[k] = brDMul(scale, mesh->positions[corners[k]]);
	}
	// Half the product of the diagonals is the Newell normal; turning or reversing the list changes no bit but the
	// sign.
	brDVec3 diagonal02 = brDSub(p[2], p[0]);
	brDVec3 diagonal13 = brDSub(p[3], p[1]);
	brDVec3 normal = brDCross(diagonal02, diagonal13);
	brDVec2 q[4];
	for (int k = 0; k < 4; ++k)
	{
		q[k] = brFlatten(mesh->positions[corners[k]], normal);
	}
	int turn[4]; // of the corner
	for (int k = 0; k < 4; ++k)
	{
		turn[k] = brOrient2d(q[(k + 3) & 3], q[k], q[(k + 1) & 3]);
	}
	// A diagonal will do if both of its triangles turn the same way.
	bool allows02 = turn[1] * turn[3] > 0;
	bool allows13 = turn[0] * turn[2] > 0;
	bool takes02 = allows02;
	double grain = brFaceGrain(mesh, corners, 4);
	bool thin02 = false, thin13 = false;
	if (allows02 && allows13 && !quadIsStout(q, grain))
	{
		thin02 = brIsThin(q[0], q[1], q[2], BR_FACE_THIN, grain) || brIsThin(q[0], q[2], q[3], BR_FACE_THIN, grain);
		thin13 = brIsThin(q[0], q[1], q[3], BR_FACE_THIN, grain) || brIsThin(q[1], q[2], q[3], BR_FACE_THIN, grain);
	}
	if (thin02 != thin13)
	{
		takes02 = thin13;
	}
	else if (allows02 == allows13)
	{
		// The shorter one; of equal ones, and of an outline that is not simple, the lesser pair of corners.
		double length02 = brDLengthSq(diagonal02);
		double length13 = brDLengthSq(diagonal13);
		takes02 = allows02 && length02 != length13 ? length02 < length13 : compareEnds(p[0], p[2], p[1], p[3]) <= 0;
	}
	static const int32_t by02[6] = {0, 1, 2, 0, 2, 3};
	static const int32_t by13[6] = {0, 1, 3, 1, 2, 3};
	for (int k = 0; k < 6; ++k)
	{
		triangles[k] = start + (takes02 ? by02[k] : by13[k]);
	}
}

// All faces

typedef struct TriangulateJob
{
	const brMesh* mesh;
	brTriangulation* triangles;
	const brAllocator* allocator;
	brEarScratch* scratch; // per worker
	atomic_bool failed;
} TriangulateJob;

static void triangulateFaces(int32_t begin, int32_t end, int32_t worker, void* user)
{
	TriangulateJob* job = user;
	const brMesh* mesh = job->mesh;
	brEarScratch* scratch = &job->scratch[worker];
	for (int32_t f = begin; f < end; ++f)
	{
		int32_t start = mesh->faceStarts[f];
		int32_t count = mesh->faceStarts[f + 1] - start;
		int32_t first = start - 2 * f;
		int32_t* triangles = job->triangles->corners + 3 * (int64_t)first;
		for (int32_t k = 0; k < count - 2; ++k)
		{
			job->triangles->faces[first + k] = f;
		}
		if (count == 3)
		{
			triangles[0] = start;
			triangles[1] = start + 1;
			triangles[2] = start + 2;
		}
		else if (count == 4)
		{
			triangulateQuad(mesh, start, triangles);
		}
		else if (brGrowEarScratch(job->allocator, scratch, count))
		{
			brClipEars(mesh, start, count, scratch, triangles);
		}
		else
		{
			atomic_store(&job->failed, true);
			return;
		}
	}
}

brResult brTriangulateMesh(const brContext* context, const brMesh* mesh, brTriangulation** outTriangles,
						   brReport* report)
{
	if (mesh == NULL || outTriangles == NULL)
	{
		return brFail(report, br_errorMisuse, "a triangulation needs a mesh and a place for the result");
	}
	brAllocator allocator = brContext_Allocator(context);
	brTriangulation* triangles = BR_ALLOC_ZERO(&allocator, brTriangulation, 1);
	if (triangles == NULL)
	{
		return brFailMemory(report);
	}
	triangles->allocator = allocator;
	triangles->triangleCount = mesh->cornerCount - 2 * mesh->faceCount;
	triangles->corners = BR_ALLOC(&allocator, int32_t, 3 * (int64_t)triangles->triangleCount);
	triangles->faces = BR_ALLOC(&allocator, int32_t, triangles->triangleCount);

	brWorkers* workers = context != NULL ? context->workers : NULL;
	int32_t workerCount = brWorkers_GetCount(workers);
	TriangulateJob job = {.mesh = mesh, .triangles = triangles, .allocator = &allocator};
	job.scratch = BR_ALLOC_ZERO(&allocator, brEarScratch, workerCount);
	atomic_init(&job.failed, triangles->corners == NULL || triangles->faces == NULL || job.scratch == NULL);
	if (!atomic_load(&job.failed))
	{
		brParallelFor(workers, mesh->faceCount, TRIANGULATE_BLOCK, triangulateFaces, &job);
	}
	for (int32_t w = 0; w < workerCount && job.scratch != NULL; ++w)
	{
		brFreeEarScratch(&allocator, &job.scratch[w]);
	}
	BR_FREE(&allocator, job.scratch, workerCount);
	if (atomic_load(&job.failed))
	{
		brDestroyTriangulation(triangles);
		return brFailMemory(report);
	}
	*outTriangles = triangles;
	return brSucceed(report);
}

void brDestroyTriangulation(brTriangulation* triangles)
{
	if (triangles == NULL)
	{
		return;
	}
	brAllocator allocator = triangles->allocator;
	BR_FREE(&allocator, triangles->corners, 3 * (int64_t)triangles->triangleCount);
	BR_FREE(&allocator, triangles->faces, triangles->triangleCount);
	BR_FREE(&allocator, triangles, 1);
}
