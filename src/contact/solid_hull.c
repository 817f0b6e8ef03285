// SPDX-License-Identifier: MIT

// When a hull stands for a mesh.
//
// Most pieces of something convex are convex up to the rounding of their corners. That is seen from the planes of their
// polygons, in the axes they came in, before anything else is made of them. What is convex within a tolerance is found
// later, when the thickness is known.

#include "contact/solid.h"

#include "base/memory.h"

#include <string.h>

// Corners of a polytope lie within this of all its face planes, as a part of its size: rounding, and less than any
// tolerance.
#define HULL_ROUNDING 1e-7

// Polygons of less area against the size have no plane worth asking.
#define HULL_SLIVER 1e-9

// So many faces are tried before all are prepared.
#define HULL_FEW_FACES 8

// A hull is trusted to be the mesh if it is thicker than this many times that: then no tolerance is less.
#define HULL_TRUSTED 20.0

typedef struct HullFaces
{
	int32_t count, vertexCount;
	const int32_t *starts, *corners; // triangles without starts
	const brDVec3* normals;          // 0 for those that say nothing
	const brDVec3* positions;
} HullFaces;

static size_t hullScratchBytes(int32_t vertexCount)
{
	size_t bytes = (sizeof(brDVec3) + 2 * sizeof(brVec3) + 1) * (size_t)vertexCount;
	return (bytes + BR_ALIGNMENT - 1) / BR_ALIGNMENT * BR_ALIGNMENT;
}

// Corners where three planes meet or more, as the mesh gave them: those within a face or an edge say nothing about a
// convex form, and by rounding a hull would keep some.
static brDVec3* hullCorners(const HullFaces* faces, void* scratch, int32_t* outCount)
{
	brDVec3* corners = scratch;
	brVec3(*planes)[2] = (brVec3(*)[2])(void*)(corners + faces->vertexCount);
	uint8_t* planeCounts = (uint8_t*)(planes + faces->vertexCount);
	memset(planeCounts, 0, (size_t)faces->vertexCount);
	for (int32_t f = 0; f < faces->count; ++f)
	{
		brVec3 n = brToVec3(faces->normals[f]);
		int32_t begin = faces->starts != NULL ? faces->starts[f] : 3 * f;
		int32_t end = faces->starts != NULL ? faces->starts[f + 1] : begin + 3;
		for (int32_t i = begin; i < end && brDLengthSq(faces->normals[f]) > 0.0; ++i)
		{
			int32_t v = faces->corners[i], count = planeCounts[v];
			bool isNew = count < 3;
			for (int32_t k = 0; k < count && k < 2; ++k)
			{
				isNew = isNew && brDot(planes[v][k], n) < 0.9999f;
			}
			if (isNew && count < 2)
			{
				planes[v][count] = n;
			}
			planeCounts[v] = (uint8_t)(count + isNew);
		}
	}
	int32_t count = 0;
	for (int32_t v = 0; v < faces->vertexCount; ++v)
	{
		if (planeCounts[v] >= 3)
		{
			corners[count++] = faces->positions[v];
		}
	}
	*outCount = count;
	return corners;
}

// A step through so many faces that comes to all of them, and to all parts of a mesh soon: what is concave is mostly
// not where it begins.
static int32_t hullStride(int32_t count)
{
	int32_t stride = (int32_t)(0.618 * count) + 1;
	for (;; ++stride)
	{
		int32_t a = count, b = stride;
		while (b != 0)
		{
			int32_t rest = a % b;
			a = b, b = rest;
		}
		if (a == 1)
		{
			return stride;
		}
	}
}

static brDVec3 hullNormal(const brMesh* mesh, int32_t face, double least)
{
	const int32_t* c = mesh->corners + mesh->faceStarts[face];
	const brDVec3* p = mesh->positions;
	brDVec3 origin = p[c[0]], area = {0.0, 0.0, 0.0}, side = brDSub(p[c[1]], origin);
	for (int32_t k = 2; k < brMesh_GetFaceSize(mesh, face); ++k)
	{
		brDVec3 next = brDSub(p[c[k]], origin);
		area = brDAdd(area, brDCross(side, next));
		side = next;
	}
	double length = brDLength(area);
	return length > least ? brDMul(1.0 / length, area) : brMakeDVec3(0.0, 0.0, 0.0);
}

static bool hullIsBelow(const brMesh* mesh, int32_t face, brDVec3 normal, double tolerance)
{
	const brDVec3* p = mesh->positions;
	double limit = brDDot(normal, p[mesh->corners[mesh->faceStarts[face]]]) + tolerance, most = -INFINITY;
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		double along = brDDot(normal, p[v]);
		most = along > most ? along : most;
	}
	return most <= limit;
}

// The corners of a polytope, or null: as soon as a vertex stands out over a face, or if there are too many.
static const brDVec3* hullPolytope(const brMesh* mesh, double size, brDVec3* normals, void* scratch, int32_t* outCount)
{
	double tolerance = HULL_ROUNDING * size, least = HULL_SLIVER * size * size;
	int32_t count = mesh->faceCount, stride = hullStride(count);
	const brDVec3* corners = NULL;
	for (int32_t i = 0, f = 0; i < count; ++i, f = (int32_t)(((int64_t)f + stride) % count))
	{
		// A few faces find most that is concave. Then the rest is worth its normals.
		if (corners == NULL && (i == HULL_FEW_FACES || i + 1 == count))
		{
			for (int32_t k = 0; k < count; ++k)
			{
				normals[k] = hullNormal(mesh, k, least);
			}
			HullFaces faces = {count, mesh->vertexCount, mesh->faceStarts, mesh->corners, normals, mesh->positions};
			corners = hullCorners(&faces, scratch, outCount);
			if (*outCount > BR_HULL_MAX_VERTICES)
			{
				return NULL;
			}
		}
		if (!hullIsBelow(mesh, f, corners != NULL ? normals[f] : hullNormal(mesh, f, least), tolerance))
		{
			return NULL;
		}
	}
	return corners;
}

brResult brTryPolytope(const brContext* context, const brMesh* mesh, double size, const brMassProperties* mass,
					   brShape** outShape, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	*outShape = NULL;
	size_t normalBytes = sizeof(brDVec3) * (size_t)mesh->faceCount,
		   linkBytes = brLinkScratchBytes(mesh->cornerCount, mesh->vertexCount);
	size_t hullBytes = hullScratchBytes(mesh->vertexCount), bytes = normalBytes + hullBytes + linkBytes;
	char* scratch = brAlloc(&allocator, bytes);
	if (scratch == NULL)
	{
		return brFailMemory(report);
	}
	brResult result = br_success;
	int32_t count = 0;
	const brDVec3* corners = NULL;
	if (mesh->faceCount >= 4)
	{
		corners = hullPolytope(mesh, size, (brDVec3*)(void*)scratch, scratch + normalBytes, &count);
	}
	if (corners != NULL && brMesh_IsLinked(mesh, scratch + normalBytes + hullBytes))
	{
		result = brMakeHullShape(context, corners, count, mass, outShape, report);
		// Hulls have limits; what is over them stays a mesh. So does what is so thin that its planes do not tell.
		if (result >= 0 && !((double)(*outShape)->thickness > HULL_TRUSTED * HULL_ROUNDING * size))
		{
			brDestroyShape(*outShape);
			*outShape = NULL;
		}
		result = result == br_errorLimit || result == br_errorGeometry ? br_success : result;
	}
	brFree(&allocator, scratch, bytes);
	return result;
}

bool brTriangles_AreConvex(const brSolidTriangles* t, double tolerance)
{
	double largest = 0.0;
	for (int32_t i = 0; i < t->triangleCount; ++i)
	{
		largest = t->areas[i] > largest ? t->areas[i] : largest;
	}
	// Vertices eight by eight; the last stands in for what is beyond it.
	int32_t blockCount = (t->vertexCount + BR_TRIANGLE_LANES - 1) / BR_TRIANGLE_LANES;
	brFloat8(*blocks)[3] = (brFloat8(*)[3])t->scratch;
	for (int32_t i = 0; i < BR_TRIANGLE_LANES * blockCount; ++i)
	{
		brVec3 p = t->vertices[i < t->vertexCount ? i : t->vertexCount - 1];
		const float at[3] = {p.x, p.y, p.z};
		for (int k = 0; k < 3; ++k)
		{
			((float*)&blocks[i / BR_TRIANGLE_LANES][k])[i % BR_TRIANGLE_LANES] = at[k];
		}
	}
	int32_t stride = hullStride(t->triangleCount);
	for (int32_t step = 0, i = 0; step < t->triangleCount;
		 ++step, i = (int32_t)(((int64_t)i + stride) % t->triangleCount))
	{
		// Slivers have no normal worth asking.
		if (t->areas[i] < 1e-6 * largest)
		{
			continue;
		}
		brVec3 n = brToVec3(t->normals[i]);
		float limit = brDot(n, t->vertices[t->triangles[i][0]]) + (float)tolerance;
		brInt8 isOver = {0};
		for (int32_t k = 0; k < blockCount; ++k)
		{
			brFloat8 height = n.x * blocks[k][0] + n.y * blocks[k][1] + n.z * blocks[k][2];
			isOver |= brMore8Plain(height, brSplat8Plain(limit));
		}
		if (brBits8Plain(isOver) != 0)
		{
			return false;
		}
	}
	return true;
}

brResult brMakeTriangleHull(const brContext* context, const brMesh* mesh, const brSolidTriangles* t,
							const brMassProperties* mass, brShape** outShape, brReport* report)
{
	HullFaces faces = {t->triangleCount, t->vertexCount, NULL, &t->triangles[0][0], t->normals, mesh->positions};
	int32_t count;
	const brDVec3* corners = hullCorners(&faces, t->scratch, &count);
	return brMakeHullShape(context, corners, count, mass, outShape, report);
}
