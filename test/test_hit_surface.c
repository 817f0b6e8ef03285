// SPDX-License-Identifier: MIT

// What a hit asks of a surface, against a look at all its triangles; and pinches, against the check of the whole mesh.

#include "base/memory.h"
#include "brittle/brittle.h"
#include "fracture/hit_surface.h"
#include "fracture/pieces.h"
#include "fracture/surface_clip.h"
#include "harness.h"
#include "mesh/topology.h"
#include "shapes.h"
#include "volume/surface_tree.h"

#include <math.h>
#include <string.h>

static brMesh* surfaceModel(int32_t kind)
{
	const char* names[3] = {"vase", "piggy_bank", "plate"};
	brModelDef def = brDefaultModelDef(names[kind < 3 ? kind : 0]);
	def.resolution = 16;
	brMesh* mesh = NULL;
	if (kind < 3)
	{
		CHECK_RESULT(brMakeModel(NULL, &def, &mesh, NULL), NULL);
		return mesh;
	}
	return kind == 3   ? brShape_Box(1.0, 0.8, 3.0)
		   : kind == 4 ? brShape_Torus(32, 16, 1.0, 0.35)
		   : kind == 5 ? brShape_LPrism()
					   : brShape_Tetrahedron();
}

static brDVec3 surfaceRandomPoint(brRandom* random, const brDBox3* box, double room)
{
	brDVec3 extent = brDMul(room, brDSub(box->upper, box->lower));
	return brMakeDVec3(brRandom_Range(random, box->lower.x - extent.x, box->upper.x + extent.x),
					   brRandom_Range(random, box->lower.y - extent.y, box->upper.y + extent.y),
					   brRandom_Range(random, box->lower.z - extent.z, box->upper.z + extent.z));
}

// A line of a random direction, every fourth along an axis.
static brDVec3 surfaceRandomDirection(brRandom* random)
{
	const brDVec3 axes[4] = {{1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, {0.0, 0.0, 1.0}, {-1.0, 0.0, 0.0}};
	brDVec3 d = {brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0),
				 brRandom_Range(random, -1.0, 1.0)};
	return brRandom_Below(random, 4) == 0 ? axes[brRandom_Below(random, 4)] : brDNormalize(d);
}

static double surfaceTriangleDistance(const brHitSurface* surface, int32_t triangle, brDVec3 point)
{
	brHitTriangle t = brHitSurface_Triangle(surface, triangle);
	const brDVec3 corners[3] = {t.a, brDAdd(t.a, t.ab), brDAdd(t.a, t.ac)};
	brSurfaceFeature feature;
	int32_t index;
	return brDDistance(brTriangleClosest(corners, point, &feature, &index), point);
}

BR_TEST(fragment_surface_finds_the_nearest_point_and_all_within_reach)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	int32_t marked = 0, left = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 21); ++round)
	{
		brMesh* mesh = surfaceModel(round % 7);
		brHitSurface* surface = brCreateHitSurface(&allocator, mesh);
		CHECK(surface != NULL);
		double size = brDDistance(surface->bounds.lower, surface->bounds.upper);
		bool* marks = BR_ALLOC(&allocator, bool, surface->count);
		for (int32_t k = 0; k < 20; ++k)
		{
			brDVec3 point = surfaceRandomPoint(&random, &surface->bounds, k % 2 == 0 ? 0.1 : 2.0);
			brDVec3 nearest = brHitSurface_Nearest(surface, point);
			double least = INFINITY, reach = brRandom_Range(&random, 0.0, 0.7) * size;
			brHitSurface_Mark(surface, point, reach, marks);
			for (int32_t i = 0; i < surface->count; ++i)
			{
				double distance = surfaceTriangleDistance(surface, i, point);
				least = fmin(least, distance);
				CHECK(fabs(distance - reach) < 1e-12 * size || marks[i] == (distance < reach));
				marked += marks[i], left += !marks[i];
			}
			CHECK_NEAR(brDDistance(nearest, point), least, 1e-12 * size);
			double off = INFINITY;
			for (int32_t i = 0; i < surface->count; ++i)
			{
				off = fmin(off, surfaceTriangleDistance(surface, i, nearest));
			}
			CHECK(off < 1e-12 * size);
		}
		BR_FREE(&allocator, marks, surface->count);
		brDestroyHitSurface(surface);
		brDestroyMesh(mesh);
	}
	CHECK(marked > 100 && left > 100);
}

BR_TEST(fragment_surface_lines_are_those_of_a_look_at_all_triangles)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	int32_t left = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 28); ++round)
	{
		brMesh* mesh = surfaceModel(round % 7);
		brHitSurface* surface = brCreateHitSurface(&allocator, mesh);
		CHECK(surface != NULL);
		for (int32_t k = 0; k < 40; ++k)
		{
			brDVec3 d = surfaceRandomDirection(&random);
			// From a point of a triangle inward, against all triangles one by one.
			int32_t number = (int32_t)brRandom_Below(&random, (uint32_t)surface->count);
			brHitTriangle from = brHitSurface_Triangle(surface, number);
			brDVec3 p = brDMulAdd(brDMulAdd(from.a, 0.3, from.ab), 0.4, from.ac);
			d = brDDot(d, brDCross(from.ab, from.ac)) > 0.0 ? brDNeg(d) : d;
			double deepest = k % 4 == 0 ? INFINITY : brRandom_Range(&random, 0.0, 1.0), nearest = deepest;
			for (int32_t i = 0; i < surface->count; ++i)
			{
				brHitTriangle t = brHitSurface_Triangle(surface, i);
				brDVec3 q = brDCross(d, t.ac), s = brDSub(p, t.a), r = brDCross(s, t.ab);
				double det = brDDot(t.ab, q), u = brDDot(s, q), v = brDDot(d, r), time = brDDot(t.ac, r) / det;
				bool isMet = det < 0.0 && u <= 0.0 && v <= 0.0 && u + v >= det && time > 1e-9;
				nearest = isMet && time < nearest ? time : nearest;
			}
			CHECK(brHitSurface_Depth(surface, p, d, 1e-9, deepest) == nearest);
			left += nearest < deepest;
		}
		brDestroyHitSurface(surface);
		brDestroyMesh(mesh);
	}
	CHECK(left > 50);
}

static brResult surfaceMemoryWalk(const brContext* context, void* user)
{
	const brMesh* mesh = user;
	brAllocator allocator = brContext_Allocator(context);
	brHitSurface* surface = brCreateHitSurface(&allocator, mesh);
	brClipMesh* known = NULL;
	brResult result = surface != NULL ? brCreateClipMesh(context, mesh, &known, NULL) : br_errorMemory;
	CHECK((known != NULL) == (result >= 0));
	brDestroyClipMesh(known);
	brDestroyHitSurface(surface);
	return result;
}

BR_TEST(fragment_surface_survives_every_failing_allocation)
{
	brMesh* mesh = brShape_LPrism();
	CHECK(brTest_WalkAllocations(surfaceMemoryWalk, mesh) > 10);
	brDestroyMesh(mesh);
}

static bool untangleIsTangled(const brMesh* mesh)
{
	brMeshCheck check;
	CHECK_RESULT(brCheckTopology(NULL, mesh, &check, NULL), NULL);
	return check.nonmanifoldEdges > 0 || check.nonmanifoldVertices > 0 || check.repeatedIndexFaces > 0;
}

// Vertices of a closed mesh made one: pinches, edges with four faces, faces that have a vertex twice.
BR_TEST(untangle_finds_what_the_check_of_the_whole_mesh_finds)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	int32_t tangled = 0, clean = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 200); ++round)
	{
		brMesh* mesh = surfaceModel(3 + round % 4);
		int32_t vertexCount = mesh->vertexCount;
		bool* suspects = BR_ALLOC_ZERO(&allocator, bool, vertexCount);
		int32_t joins = (int32_t)brRandom_Below(&random, 3);
		for (int32_t k = 0; k < joins; ++k)
		{
			// What is joined, and all that have a face with it.
			int32_t from = (int32_t)brRandom_Below(&random, (uint32_t)mesh->vertexCount);
			int32_t to = (int32_t)brRandom_Below(&random, (uint32_t)mesh->vertexCount);
			for (int32_t c = 0; c < mesh->cornerCount; ++c)
			{
				mesh->corners[c] = mesh->corners[c] == from ? to : mesh->corners[c];
			}
			for (int32_t f = 0; f < mesh->faceCount; ++f)
			{
				bool isThere = false;
				for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
				{
					isThere = isThere || mesh->corners[c] == to;
				}
				for (int32_t c = mesh->faceStarts[f]; isThere && c < mesh->faceStarts[f + 1]; ++c)
				{
					suspects[mesh->corners[c]] = true;
				}
			}
		}
		bool isTangled = untangleIsTangled(mesh);
		brMesh *whole = NULL, *given = mesh;
		CHECK_RESULT(brCopyMesh(NULL, mesh, &whole, NULL), NULL);
		brMesh* copy = whole;
		CHECK(brUntangle(&allocator, NULL, &whole) >= 0);
		CHECK(brUntangle(&allocator, suspects, &mesh) >= 0);
		CHECK_EQUAL(whole != copy, isTangled);
		CHECK_EQUAL(mesh != given, isTangled);
		CHECK(brShape_Same(mesh, whole));
		tangled += isTangled, clean += !isTangled;
		BR_FREE(&allocator, suspects, vertexCount);
		brDestroyMesh(whole);
		brDestroyMesh(mesh);
	}
	CHECK(test->intensity < 1.0 || (tangled > 10 && clean > 10));
}
