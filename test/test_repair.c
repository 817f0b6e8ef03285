// SPDX-License-Identifier: MIT
#include "brittle/io.h"
#include "harness.h"
#include "mesh/topology.h"
#include "shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static brMesh* repair(const brMesh* mesh, const brRepairDef* def, brRepairCounts* outCounts)
{
	brMesh* repaired = NULL;
	brReport report = {0};
	CHECK_RESULT(brRepairMesh(NULL, mesh, def, &repaired, outCounts, &report), &report);
	return repaired;
}

static brMeshCheck topology(const brMesh* mesh)
{
	brMeshCheck check;
	CHECK_RESULT(brCheckTopology(NULL, mesh, &check, NULL), NULL);
	return check;
}

static bool isZero(const brRepairCounts* counts)
{
	static const brRepairCounts zero;
	return memcmp(counts, &zero, sizeof(zero)) == 0;
}

// Whatever a repair does, doing it again does nothing.
static bool settles(const brMesh* repaired)
{
	brRepairCounts counts;
	brMesh* again = repair(repaired, NULL, &counts);
	bool isSame = brShape_Same(again, repaired);
	counts.keptDegenerate = 0;
	CHECK(isSame == isZero(&counts));
	brDestroyMesh(again);
	return isSame;
}

static void checkSettled(const brMesh* repaired)
{
	CHECK_MESSAGE(settles(repaired), "a second repair changes the mesh");
}

BR_TEST(repair_leaves_clean_meshes_alone)
{
	brMesh* shapes[5] = {brShape_Box(1, 2, 3), brShape_Tetrahedron(), brShape_Sphere(3), brShape_Torus(9, 7, 2.0, 0.5),
						 brShape_LPrism()};
	for (int k = 0; k < 5; ++k)
	{
		brRepairCounts counts;
		brMesh* repaired = repair(shapes[k], NULL, &counts);
		CHECK(brShape_Same(repaired, shapes[k]));
		CHECK(isZero(&counts));
		brDestroyMesh(repaired);
		brDestroyMesh(shapes[k]);
	}
	// Two solids with vertices of their own at the place where they touch are fine as they are.
	brDVec3 p[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 1}, {0, 0, 2}, {1, 0, 2}, {0, 1, 2}};
	int32_t corners[24] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 5, 6, 7, 5, 4, 6, 6, 4, 7, 7, 4, 5};
	brMesh* touching = brShape_Make(p, 8, corners, NULL, 8);
	brRepairCounts counts;
	brMesh* repaired = repair(touching, NULL, &counts);
	CHECK_EQUAL(topology(repaired).nonmanifoldVertices, 0);
	CHECK_NEAR(brMesh_ComputeMass(repaired, 1.0).volume, 1.0 / 3.0, 1e-15);
	checkSettled(repaired);
	brDestroyMesh(repaired);
	brDestroyMesh(touching);
}

BR_TEST(repair_welds)
{
	brMesh* sphere = brShape_Sphere(3);
	brMesh* soup = brShape_Soup(sphere);
	brRepairCounts counts;
	brMesh* repaired = repair(soup, NULL, &counts);
	CHECK_EQUAL(counts.weldedVertices, soup->vertexCount - sphere->vertexCount);
	CHECK_EQUAL(repaired->vertexCount, sphere->vertexCount);
	CHECK(topology(repaired).isSolid);
	CHECK_NEAR(brMesh_ComputeMass(repaired, 1.0).volume, brMesh_ComputeMass(sphere, 1.0).volume, 1e-14);
	checkSettled(repaired);
	brDestroyMesh(repaired);

	// Shaken corners need a distance; then they come together again.
	brRandom random = brTest_Random(test);
	for (int32_t v = 0; v < soup->vertexCount; ++v)
	{
		soup->positions[v].x += brRandom_Range(&random, -1e-6, 1e-6);
		soup->positions[v].z += brRandom_Range(&random, -1e-6, 1e-6);
	}
	brRepairDef def = brDefaultRepairDef();
	def.weldDistance = 1e-5;
	repaired = repair(soup, &def, &counts);
	CHECK_EQUAL(repaired->vertexCount, sphere->vertexCount);
	CHECK(topology(repaired).isSolid);
	CHECK_NEAR(brMesh_ComputeMass(repaired, 1.0).volume, brMesh_ComputeMass(sphere, 1.0).volume, 1e-4);
	brDestroyMesh(repaired);
	def.weldDistance = -1.0;
	CHECK_EQUAL(brRepairMesh(NULL, soup, &def, &repaired, NULL, NULL), br_errorMisuse);
	def.weldDistance = NAN;
	CHECK_EQUAL(brRepairMesh(NULL, soup, &def, &repaired, NULL, NULL), br_errorMisuse);
	brDestroyMesh(soup);
	brDestroyMesh(sphere);
}

BR_TEST(repair_trims_repeated_corners_and_spikes)
{
	brDVec3 p[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {5, 0, 0}, {6, 0, 0}, {7, 7, 7}, {8, 8, 8}};
	// A square with a repeated corner and a spike to 6; one that is all repeats; a spike across the end of the list.
	int32_t corners[17] = {0, 1, 1, 2, 6, 2, 3, 4, 4, 5, 0, 7, 0, 3, 2, 1, 0};
	int32_t sizes[3] = {7, 3, 7};
	brMesh* mesh = brShape_Make(p, 8, corners, sizes, 3);
	brRepairDef def = brDefaultRepairDef();
	def.dropDuplicates = false;
	brRepairCounts counts;
	brMesh* repaired = repair(mesh, &def, &counts);
	CHECK_EQUAL(repaired->faceCount, 2);
	CHECK_EQUAL(brMesh_GetFaceSize(repaired, 0), 4);
	CHECK_EQUAL(brMesh_GetFaceSize(repaired, 1), 4);
	CHECK_EQUAL(counts.trimmedCorners, 6);
	CHECK_EQUAL(counts.droppedDegenerate, 1);
	CHECK_EQUAL(counts.droppedVertices, 4);
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);
}

BR_TEST(repair_folds_flat_faces_without_a_hole)
{
	// A tetrahedron with a flat triangle along edge 0-1: its middle vertex 4 lies on that edge.
	brDVec3 p[6] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {0.5, 0, 0}, {1.5, 0, 0}};
	int32_t corners[18] = {0, 2, 4, 4, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 4, 1};
	brMesh* mesh = brShape_Make(p, 5, corners, NULL, 6);
	CHECK(topology(mesh).isClosed && topology(mesh).zeroAreaFaces == 1);
	brRepairCounts counts;
	brMesh* repaired = repair(mesh, NULL, &counts);
	brMeshCheck check = topology(repaired);
	CHECK(check.isSolid && check.zeroAreaFaces == 0);
	CHECK_EQUAL(counts.droppedDegenerate, 1);
	CHECK_EQUAL(counts.insertedCorners, 1);
	CHECK_EQUAL(repaired->faceCount, 5);
	CHECK_NEAR(brMesh_ComputeMass(repaired, 1.0).volume, 8.0 / 6.0, 1e-15);
	checkSettled(repaired);
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);

	// Two flat triangles in a row, and a flat quad.
	int32_t chain[21] = {0, 2, 4, 4, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 4, 5, 0, 5, 1};
	int32_t chainMore[24];
	memcpy(chainMore, chain, sizeof(chain));
	chainMore[21] = 4, chainMore[22] = 1, chainMore[23] = 5;
	mesh = brShape_Make(p, 6, chainMore, NULL, 8);
	CHECK(topology(mesh).isClosed && topology(mesh).zeroAreaFaces == 3);
	repaired = repair(mesh, NULL, &counts);
	check = topology(repaired);
	CHECK(check.isSolid && check.zeroAreaFaces == 0);
	CHECK_NEAR(check.volume, 8.0 / 6.0, 1e-15);
	CHECK_EQUAL(counts.droppedDegenerate, 3);
	checkSettled(repaired);
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);

	// Without welding, a flat face between two vertices at one place cannot go, and says so.
	brDVec3 q[3] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}};
	int32_t needle[3] = {0, 1, 2};
	mesh = brShape_Make(q, 3, needle, NULL, 1);
	brRepairDef def = brDefaultRepairDef();
	def.weld = false;
	repaired = repair(mesh, &def, &counts);
	CHECK_EQUAL(counts.keptDegenerate, 1);
	CHECK_EQUAL(repaired->faceCount, 1);
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);
}

BR_TEST(repair_drops_duplicates_and_keeps_solids_closed)
{
	brDVec3 p[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}};
	brRepairCounts counts;

	// A face of a tetrahedron twice the same way, listed from another corner.
	int32_t twice[15] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 3, 0, 1};
	brMesh* mesh = brShape_Make(p, 4, twice, NULL, 5);
	brMesh* repaired = repair(mesh, NULL, &counts);
	CHECK_EQUAL(counts.droppedDuplicates, 1);
	CHECK(topology(repaired).isSolid && repaired->faceCount == 4);
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);

	// Two tetrahedra glued along a doubled wall: both sides of the wall go.
	int32_t wall[24] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 1, 2, 1, 0, 4, 2, 1, 4, 0, 2, 4};
	mesh = brShape_Make(p, 5, wall, NULL, 8);
	repaired = repair(mesh, NULL, &counts);
	CHECK_EQUAL(counts.droppedDuplicates, 2);
	brMeshCheck check = topology(repaired);
	CHECK(check.isSolid && check.faces == 6);
	CHECK_NEAR(check.volume, 1.0 / 3.0, 1e-15);
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);

	// A solid listed from both sides keeps one of each; a pillow of two faces stays closed.
	int32_t both[24] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
	mesh = brShape_Make(p, 4, both, NULL, 8);
	repaired = repair(mesh, NULL, &counts);
	CHECK_EQUAL(counts.droppedDuplicates, 4);
	CHECK(topology(repaired).isSolid);
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);
	int32_t pillow[6] = {0, 1, 2, 2, 1, 0};
	mesh = brShape_Make(p, 3, pillow, NULL, 2);
	repaired = repair(mesh, NULL, &counts);
	CHECK(brShape_Same(repaired, mesh) && isZero(&counts));
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);
}

static void turnFace(brMesh* mesh, int32_t face)
{
	for (int32_t i = mesh->faceStarts[face] + 1, j = mesh->faceStarts[face + 1] - 1; i < j; ++i, --j)
	{
		int32_t swap = mesh->corners[i];
		mesh->corners[i] = mesh->corners[j];
		mesh->corners[j] = swap;
	}
}

// A sphere of radius 1, one of radius `scale` inside it and so on, each turned inward or outward.
static brMesh* makeShells(int32_t count, const double* radii, const bool* inward)
{
	const brMesh* shells[8];
	for (int32_t k = 0; k < count; ++k)
	{
		brMesh* shell = brShape_Sphere(2);
		brAffine map = brMakeAffineIdentity();
		map.m.cx.x = map.m.cy.y = map.m.cz.z = radii[k];
		brMesh_Transform(shell, &map);
		for (int32_t f = 0; f < shell->faceCount && inward[k]; ++f)
		{
			turnFace(shell, f);
		}
		shells[k] = shell;
	}
	brMesh* merged = BR_MADE(brMesh, brMergeMeshes, NULL, shells, count);
	for (int32_t k = 0; k < count; ++k)
	{
		brDestroyMesh((brMesh*)shells[k]);
	}
	return merged;
}

BR_TEST(repair_orients_shells_by_nesting)
{
	double radii[3] = {0.5, 1.0, 0.25};
	brRepairCounts counts;

	// A hollow sphere is fine; so is a ball in its hollow, and a part inside another part.
	bool hollow[3] = {true, false, false};
	bool inner[3] = {false, false, false};
	for (int32_t count = 2; count <= 3; ++count)
	{
		brMesh* mesh = makeShells(count, radii, hollow);
		brMesh* repaired = repair(mesh, NULL, &counts);
		CHECK(brShape_Same(repaired, mesh));
		brDestroyMesh(repaired);
		brDestroyMesh(mesh);
	}
	brMesh* mesh = makeShells(2, radii, inner);
	brMesh* repaired = repair(mesh, NULL, &counts);
	CHECK(brShape_Same(repaired, mesh));
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);

	// The whole hollow sphere inside out: both shells are turned.
	bool insideOut[3] = {false, true, true};
	mesh = makeShells(2, radii, insideOut);
	double volume = brMesh_ComputeMass(mesh, 1.0).volume;
	repaired = repair(mesh, NULL, &counts);
	CHECK_EQUAL(counts.turnedFaces, mesh->faceCount);
	CHECK_NEAR(brMesh_ComputeMass(repaired, 1.0).volume, -volume, 1e-15);
	checkSettled(repaired);
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);

	// With the ball in the hollow inside out too.
	mesh = makeShells(3, radii, insideOut);
	repaired = repair(mesh, NULL, &counts);
	CHECK_EQUAL(counts.turnedFaces, mesh->faceCount);
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);
}

BR_TEST(repair_turns_random_faces_back)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 40); ++round)
	{
		brMesh* mesh = round % 2 == 0 ? brShape_Torus(16, 9, 2.0, 0.5) : brShape_LPrism();
		double volume = brMesh_ComputeMass(mesh, 1.0).volume;
		int32_t turned = 0;
		uint32_t odds = brRandom_Below(&random, 5);
		for (int32_t f = 0; f < mesh->faceCount; ++f)
		{
			if (brRandom_Below(&random, 5) < odds)
			{
				turnFace(mesh, f);
				turned += 1;
			}
		}
		brRepairCounts counts;
		brMesh* repaired = repair(mesh, NULL, &counts);
		CHECK(topology(repaired).isSolid);
		CHECK_NEAR(brMesh_ComputeMass(repaired, 1.0).volume, volume, 1e-13);
		CHECK_EQUAL(counts.turnedFaces, turned);
		checkSettled(repaired);
		brDestroyMesh(repaired);
		brDestroyMesh(mesh);
	}
	// An open sheet goes with the majority.
	brDVec3 p[6] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}};
	int32_t corners[12] = {0, 4, 1, 0, 4, 3, 1, 2, 5, 1, 5, 4};
	brMesh* mesh = brShape_Make(p, 6, corners, NULL, 4);
	brRepairCounts counts;
	brMesh* repaired = repair(mesh, NULL, &counts);
	CHECK_EQUAL(counts.turnedFaces, 1);
	CHECK_EQUAL(repaired->corners[1], 1);
	CHECK_EQUAL(topology(repaired).misorientedEdges, 0);
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);
}

BR_TEST(repair_splits_edges_and_vertices_into_fans)
{
	brRepairCounts counts;
	// Two tetrahedra that share an edge become two closed solids.
	brDVec3 q[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}, {0, 0, -1}};
	int32_t shared[24] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 4, 1, 0, 1, 5, 1, 4, 5, 4, 0, 5};
	brMesh* mesh = brShape_Make(q, 6, shared, NULL, 8);
	// The second one is inside out as written; orientation mends that first.
	brMesh* repaired = repair(mesh, NULL, &counts);
	brMeshCheck check = topology(repaired);
	CHECK_EQUAL(counts.splitVertices, 2);
	CHECK(check.isSolid && check.components == 2 && check.nonmanifoldVertices == 0);
	CHECK_NEAR(check.volume, 1.0 / 3.0, 1e-15);
	checkSettled(repaired);
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);

	// Two boxes that share a path of two edges: the wedges of material pair up, nothing opens.
	brMesh* box = brShape_Box(1.0, 1.0, 2.0);
	brMesh* other = brShape_Box(1.0, 1.0, 2.0);
	brAffine move = brMakeAffineIdentity();
	move.p = (brDVec3){1.0, 1.0, 0.0};
	brMesh_Transform(other, &move);
	const brMesh* boxes[2] = {box, other};
	CHECK_RESULT(brMergeMeshes(NULL, boxes, 2, &mesh, NULL), NULL);
	repaired = repair(mesh, NULL, &counts);
	CHECK(brShape_Same(repaired, mesh)); // joined and taken apart again
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);
	brDestroyMesh(box);
	brDestroyMesh(other);

	// A fin on a closed tetrahedron comes off, outside or inside, either way round; the tetrahedron stays closed.
	for (int k = 0; k < 4; ++k)
	{
		double at = k % 2 == 0 ? -1.0 : 0.25;
		brDVec3 p[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.25, at, at}};
		int32_t fin[15] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, k / 2, 1 - k / 2, 4};
		mesh = brShape_Make(p, 5, fin, NULL, 5);
		repaired = repair(mesh, NULL, &counts);
		check = topology(repaired);
		CHECK_EQUAL(check.nonmanifoldEdges, 0);
		CHECK_EQUAL(check.boundaryEdges, 3);
		CHECK_EQUAL(check.components, 2);
		checkSettled(repaired);
		brDestroyMesh(repaired);
		brDestroyMesh(mesh);
	}

	// A pinched vertex.
	brDVec3 r[7] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 2}, {1, 0, 2}, {0, 1, 2}};
	int32_t pinched[24] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 4, 5, 6, 4, 3, 5, 5, 3, 6, 6, 3, 4};
	mesh = brShape_Make(r, 7, pinched, NULL, 8);
	repaired = repair(mesh, NULL, &counts);
	CHECK_EQUAL(counts.splitVertices, 1);
	CHECK_EQUAL(topology(repaired).nonmanifoldVertices, 0);
	CHECK_EQUAL(repaired->vertexCount, 8);
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);
}

// Voxels touch in every way that faces, edges and vertices can; the union of their boundaries must come out as closed
// manifold solids with the volume of the voxels.
BR_TEST(repair_makes_solids_of_voxels)
{
	brRandom random = brTest_Random(test);
	int32_t nonmanifold = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 60); ++round)
	{
		const brMesh* cubes[64];
		int32_t count = 0;
		for (int32_t k = 0; k < 27; ++k)
		{
			if (brRandom_Below(&random, 3) == 0)
			{
				brMesh* cube = brShape_Box(1.0, 1.0, 1.0);
				brAffine move = brMakeAffineIdentity();
				move.p = (brDVec3){k % 3, k / 3 % 3, k / 9};
				brMesh_Transform(cube, &move);
				cubes[count++] = cube;
			}
		}
		brMesh* merged = BR_MADE(brMesh, brMergeMeshes, NULL, cubes, count);
		brRepairDef def = brDefaultRepairDef();
		def.splitNonManifold = false;
		brMesh* welded = repair(merged, &def, NULL);
		nonmanifold += topology(welded).nonmanifoldEdges;
		brMesh* repaired = repair(merged, NULL, NULL);
		brMeshCheck check = topology(repaired);
		CHECK_EQUAL(check.boundaryEdges, 0);
		CHECK_EQUAL(check.nonmanifoldEdges, 0);
		CHECK_EQUAL(check.misorientedEdges, 0);
		CHECK_EQUAL(check.nonmanifoldVertices, 0);
		CHECK_NEAR(check.volume, count, 1e-12);
		checkSettled(repaired);
		brDestroyMesh(repaired);
		brDestroyMesh(welded);
		brDestroyMesh(merged);
		for (int32_t k = 0; k < count; ++k)
		{
			brDestroyMesh((brMesh*)cubes[k]);
		}
	}
	CHECK(nonmanifold > 0);
}

BR_TEST(repair_mends_random_damage)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 60); ++round)
	{
		brMesh* clean = round % 2 == 0 ? brShape_Sphere(2) : brShape_Torus(10, 8, 2.0, 0.5);
		double volume = brMesh_ComputeMass(clean, 1.0).volume;
		brMesh* soup = brShape_Soup(clean);
		for (int32_t f = 0; f < soup->faceCount; ++f)
		{
			if (brRandom_Below(&random, 4) == 0)
			{
				turnFace(soup, f);
			}
		}
		// Repeats of random faces, and needles along random edges that close over themselves.
		const brMesh* parts[2] = {soup, NULL};
		brDVec3 extra[64];
		int32_t corners[64], sizes[16], faceCount = 0, cornerCount = 0;
		for (int32_t k = 0; k < 6; ++k)
		{
			int32_t f = (int32_t)brRandom_Below(&random, (uint32_t)clean->faceCount);
			int32_t size = brMesh_GetFaceSize(clean, f);
			bool isRepeat = brRandom_Below(&random, 2) == 0;
			sizes[faceCount] = isRepeat ? size : 3;
			for (int32_t c = 0; c < sizes[faceCount]; ++c)
			{
				int32_t vertex = clean->corners[clean->faceStarts[f] + (isRepeat ? c : c % 2)];
				extra[cornerCount] = clean->positions[vertex];
				corners[cornerCount] = cornerCount;
				cornerCount += 1;
			}
			faceCount += 1;
		}
		brMesh* damage = brShape_Make(extra, cornerCount, corners, sizes, faceCount);
		parts[1] = damage;
		brMesh* broken = BR_MADE(brMesh, brMergeMeshes, NULL, parts, 2);
		brRepairCounts counts;
		brMesh* repaired = repair(broken, NULL, &counts);
		brMeshCheck check = topology(repaired);
		CHECK_MESSAGE(check.isSolid, "%s", check.verdict);
		CHECK_EQUAL(check.faces, clean->faceCount);
		CHECK_EQUAL(check.vertices, clean->vertexCount);
		CHECK_NEAR(check.volume, volume, 1e-13);
		checkSettled(repaired);
		brDestroyMesh(repaired);
		brDestroyMesh(broken);
		brDestroyMesh(damage);
		brDestroyMesh(soup);
		brDestroyMesh(clean);
	}
}

BR_TEST(repair_of_garbage_settles)
{
	brRandom random = brTest_Random(test);
	int32_t unsettled = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 1500); ++round)
	{
		// Random faces over a few lattice points: every defect at once.
		brDVec3 positions[16];
		int32_t corners[100], sizes[20], cornerCount = 0;
		int32_t vertexCount = 4 + (int32_t)brRandom_Below(&random, 12);
		int32_t faceCount = (int32_t)brRandom_Below(&random, 20);
		for (int32_t v = 0; v < vertexCount; ++v)
		{
			positions[v] =
				(brDVec3){brRandom_Below(&random, 3), brRandom_Below(&random, 3), brRandom_Below(&random, 2)};
		}
		for (int32_t f = 0; f < faceCount; ++f)
		{
			sizes[f] = 3 + (int32_t)(brRandom_Below(&random, 4) == 0) + (int32_t)(brRandom_Below(&random, 8) == 0);
			for (int32_t k = 0; k < sizes[f]; ++k)
			{
				corners[cornerCount++] = (int32_t)brRandom_Below(&random, (uint32_t)vertexCount);
			}
		}
		brMesh* mesh = brShape_Make(positions, vertexCount, corners, sizes, faceCount);
		brRepairCounts counts;
		brMesh* repaired = repair(mesh, NULL, &counts);
		brMeshCheck check = topology(repaired);
		CHECK_EQUAL(check.zeroAreaFaces, counts.keptDegenerate);
		CHECK_EQUAL(check.unusedVertices, 0);
		CHECK_EQUAL(check.nonmanifoldEdges, 0);
		CHECK_EQUAL(check.nonmanifoldVertices, 0);
		unsettled += !settles(repaired);
		brDestroyMesh(repaired);

		// Every switch alone and in random company must at least be safe.
		brRepairDef def = brDefaultRepairDef();
		uint32_t bits = brRandom_Below(&random, 64);
		def.weld = (bits & 1) != 0, def.dropDegenerate = (bits & 2) != 0, def.dropDuplicates = (bits & 4) != 0;
		def.orient = (bits & 8) != 0, def.splitNonManifold = (bits & 16) != 0, def.dropUnused = (bits & 32) != 0;
		repaired = repair(mesh, &def, NULL);
		if (bits == 0)
		{
			CHECK(brShape_Same(repaired, mesh));
		}
		brDestroyMesh(repaired);
		brDestroyMesh(mesh);
	}
	// In a tangle like this, splitting makes new neighbors, which a second repair may orient in another way.
	CHECK(100 * unsettled <= brTest_Rounds(test, 1500));
}

// Attributes go with their corners, vertices and faces.
BR_TEST(repair_carries_attributes)
{
	brMesh* box = brShape_Box(1, 1, 1);
	brMesh* soup = brShape_Soup(box);
	turnFace(soup, 2);
	brVec2 uvs[24];
	brVec3 normals[24];
	brVec4 colors[24];
	int32_t materials[6], groups[6];
	brSurfaceMaterial material[6];
	char names[6][64];
	memset(names, 0, sizeof(names));
	for (int32_t c = 0; c < 24; ++c)
	{
		brDVec3 p = soup->positions[soup->corners[c]];
		uvs[c] = (brVec2){(float)(c / 4), (float)(p.x + 2.0 * p.y + 4.0 * p.z)};
		normals[c] = (brVec3){0, c / 4 == 2 ? 1.0f : 0.0f, 0};
	}
	for (int32_t v = 0; v < 24; ++v)
	{
		colors[v] = (brVec4){(float)soup->positions[v].x, (float)soup->positions[v].y, (float)soup->positions[v].z, 1};
	}
	for (int32_t f = 0; f < 6; ++f)
	{
		materials[f] = 5 - f, groups[f] = f;
		material[f] = brDefaultSurfaceMaterial();
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = 24, def.positions = soup->positions;
	def.faceCount = 6, def.faceStarts = soup->faceStarts, def.corners = soup->corners;
	def.uvs = uvs, def.normals = normals, def.colors = colors;
	def.faceMaterials = materials, def.faceGroups = groups;
	def.materialCount = 6, def.materials = material;
	def.groupCount = 6, def.groupNames = (const char(*)[64])names;
	brMesh* mesh = BR_MADE(brMesh, brCreateMesh, NULL, &def);
	brRepairCounts counts;
	brMesh* repaired = repair(mesh, NULL, &counts);
	CHECK(topology(repaired).isSolid);
	CHECK_EQUAL(counts.turnedFaces, 1);
	for (int32_t f = 0; f < 6; ++f)
	{
		CHECK_EQUAL(repaired->faceMaterials[f], 5 - f);
		CHECK_EQUAL(repaired->faceGroups[f], f);
		for (int32_t c = repaired->faceStarts[f]; c < repaired->faceStarts[f + 1]; ++c)
		{
			brDVec3 p = repaired->positions[repaired->corners[c]];
			CHECK(repaired->uvs[c].x == (float)f && repaired->uvs[c].y == (float)(p.x + 2.0 * p.y + 4.0 * p.z));
			CHECK(repaired->colors[repaired->corners[c]].z == (float)p.z);
		}
	}
	// Face 2 looks along -y; its normals had followed the wrong side.
	CHECK(repaired->normals[repaired->faceStarts[2]].y == -1.0f);
	brDestroyMesh(repaired);
	brDestroyMesh(mesh);
	brDestroyMesh(soup);
	brDestroyMesh(box);
}

static brResult repairOnce(const brContext* context, void* user)
{
	brMesh* repaired = NULL;
	brResult result = brRepairMesh(context, user, NULL, &repaired, NULL, NULL);
	CHECK((result < 0) == (repaired == NULL));
	brDestroyMesh(repaired);
	return result;
}

BR_TEST(repair_survives_failing_allocations)
{
	// A mesh that sends every stage to work: a flat face, a duplicate, a shared edge, nested shells.
	brDVec3 p[9] = {{0, 0, 0},  {2, 0, 0},  {0, 2, 0}, {0, 0, 2}, {0.5, 0, 0},
					{0, -2, 0}, {0, 0, -2}, {0, 0, 0}, {9, 9, 9}};
	int32_t corners[33] = {0, 2, 4, 4, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 4,
						   1, 0, 5, 1, 0, 1, 6, 1, 5, 6, 5, 7, 6, 5, 6, 7};
	brMesh* mesh = brShape_Make(p, 9, corners, NULL, 11);
	brMesh* repaired = repair(mesh, NULL, NULL);
	checkSettled(repaired);
	brDestroyMesh(repaired);
	CHECK(brTest_WalkAllocations(repairOnce, mesh) > 40);
	brDestroyMesh(mesh);
}

BR_TEST(repair_never_worsens_the_degenerate_collection)
{
	static const char* const files[] = {
		"degenerate/cgal/cubes.off",
		"degenerate/cgal/anchor.off",
		"degenerate/cgal/boeing.off",
		"degenerate/cgal/degeneracies/all_degen.off",
		"degenerate/cgal/degeneracies/deg_on_border.off",
		"degenerate/cgal/degeneracies/degtri_2dt_1edge_split_twice.off",
		"degenerate/cgal/degeneracies/degtri_four-2.off",
		"degenerate/cgal/degeneracies/degtri_nullface.off",
		"degenerate/cgal/degeneracies/degtri_nullface_bis.off",
		"degenerate/cgal/degeneracies/degtri_three.off",
		"degenerate/cgal/degeneracies/existing_flip.off",
		"degenerate/cgal/degeneracies/fused_vertices.off",
		"degenerate/cgal/degeneracies/small_ccs.off",
		"degenerate/cgal/degeneracies/trihole.off",
		"degenerate/cgal/degenerated-sd.off",
		"degenerate/cgal/degtri_sliding.off",
		"degenerate/cgal/non_manifold.off",
		"degenerate/cgal/non_manifold_face_graph.off",
		"degenerate/cgal/quads_to_stitch.off",
		"degenerate/cgal-pmp/hollow_sphere.off",
		"degenerate/manifold/boxNotManifold.obj",
		"degenerate/mujoco/duplicate.obj",
		"degenerate/mujoco/malformed_face.obj",
		"models/cow.obj",
		"models/bun_zipper_res3.ply",
		"models/dragon-lowpoly.obj",
		"models/dragon_vrip_res3.ply",
		"models/bun_zipper_res4.ply",
		"models/beetle.obj",
	};
	if (brTest_DataPath("MESHES.csv") == NULL)
	{
		brTest_Skip("the mesh collection is not there");
	}
	for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); ++k)
	{
		brMesh* mesh = BR_MADE(brMesh, brLoadMesh, NULL, brTest_DataPath(files[k]));
		brMeshCheck before = topology(mesh);
		brRepairCounts counts;
		brMesh* repaired = repair(mesh, NULL, &counts);
		brMeshCheck after = topology(repaired);
		CHECK_MESSAGE(after.zeroAreaFaces == 0 && after.repeatedIndexFaces == 0, "%s: flat faces are left", files[k]);
		CHECK_MESSAGE(after.nonmanifoldEdges == 0 && after.nonmanifoldVertices == 0,
					  "%s: %d non-manifold edges and %d vertices are left", files[k], after.nonmanifoldEdges,
					  after.nonmanifoldVertices);
		CHECK_MESSAGE(after.misorientedEdges == 0, "%s: %d misoriented edges are left", files[k],
					  after.misorientedEdges);
		// There is a volume only where every edge is run along as often one way as the other. It changes by what tiny
		// parts that were inside out add.
		CHECK_MESSAGE(before.volume == 0.0 || after.isClosed, "%s: closed before, open now", files[k]);
		CHECK_MESSAGE(before.volume == 0.0 || fabs(after.volume - before.volume) <= 1e-8 * before.volume,
					  "%s: volume was %.17g and is %.17g", files[k], before.volume, after.volume);
		CHECK_MESSAGE(!before.isSolid || after.isSolid, "%s: a solid before, not now", files[k]);
		checkSettled(repaired);
		brDestroyMesh(repaired);
		brDestroyMesh(mesh);
	}
}
