// SPDX-License-Identifier: MIT

// The figures of chapter 7 of the thesis: a concave solid by one quad, a bunny and a cube, a bunny by four surfaces.

#include "brittle/cut.h"
#include "brittle/io.h"
#include "cut_cases.h"
#include "harness.h"
#include "mesh/topology.h"
#include "shapes.h"

#include <math.h>

static brCutResult* figureCut(const brMesh* source, const brMesh* cutter, brCutOp op, bool keepTriangles)
{
	brCutDef def = brDefaultCutDef();
	def.op = op;
	def.keepTriangles = keepTriangles;
	brReport report = {0};
	brCutResult* result = NULL;
	CHECK_RESULT(brCutMesh(NULL, source, cutter, &def, &result, &report), &report);
	const char* flaw = brCutCase_Flaw(result);
	CHECK_MESSAGE(flaw == NULL, "%s", flaw);
	return result;
}

static brMesh* figureQuad(brDVec3 a, brDVec3 b, brDVec3 c, brDVec3 d)
{
	brDVec3 positions[4] = {a, b, c, d};
	int32_t corners[4] = {0, 1, 2, 3}, sizes[1] = {4};
	return brShape_Make(positions, 4, corners, sizes, 1);
}

// A frustum over a U, cut across both arms by one quad: two arms come off, polygons stay polygons.
BR_TEST(cut_figure_concave_frustum)
{
	const double outline[8][2] = {{-3, 0}, {3, 0}, {3, 4}, {1, 4}, {1, 1}, {-1, 1}, {-1, 4}, {-3, 4}};
	brDVec3 positions[16];
	int32_t corners[16 + 32], sizes[10] = {8, 8, 4, 4, 4, 4, 4, 4, 4, 4};
	for (int i = 0; i < 8; ++i)
	{
		positions[i] = (brDVec3){outline[i][0], outline[i][1], 0.0};
		positions[8 + i] = (brDVec3){0.5 * outline[i][0], 0.5 * outline[i][1], 2.0};
		corners[i] = 7 - i;
		corners[8 + i] = 8 + i;
		int32_t side[4] = {i, (i + 1) % 8, 8 + (i + 1) % 8, 8 + i};
		for (int k = 0; k < 4; ++k)
		{
			corners[16 + 4 * i + k] = side[k];
		}
	}
	brMesh* frustum = brShape_Make(positions, 16, corners, sizes, 10);
	brMesh* quad = figureQuad((brDVec3){-9.0, 1.75, -9.0}, (brDVec3){9.0, 1.75, -9.0}, (brDVec3){9.0, 1.75, 9.0},
							  (brDVec3){-9.0, 1.75, 9.0});
	brCutResult* result = figureCut(frustum, quad, br_cutSplit, false);
	CHECK_EQUAL(result->pieceCount, 3);
	CHECK_NEAR(result->stats.volumeOut, result->stats.volumeIn, 1e-13);
	int32_t faces = 0;
	for (int32_t i = 0; i < 3; ++i)
	{
		faces += result->pieces[i].mesh->faceCount;
	}
	// The body: all faces but the ends of the arms, and two caps. Each arm: its end, two sides, top, bottom, cap.
	CHECK_EQUAL(faces, 10 + 6 + 6);
	brDestroyCutResult(result);
	brDestroyMesh(frustum);
	brDestroyMesh(quad);
}

static brMesh* figureBunny(void)
{
	if (brTest_DataPath("models/bunny-closed-oded.obj") == NULL)
	{
		brTest_Skip("the mesh collection is not there");
	}
	brMesh* bunny = NULL;
	brReport report = {0};
	CHECK_RESULT(brLoadMesh(NULL, brTest_DataPath("models/bunny-closed-oded.obj"), &bunny, &report), &report);
	return bunny;
}

BR_TEST(cut_figure_bunny_and_cube)
{
	brMesh* bunny = figureBunny();
	brDBox3 box = brMesh_Bounds(bunny);
	brDVec3 size = brDMul(0.6, brDSub(box.upper, box.lower)), middle = brDLerp(box.lower, box.upper, 0.5);
	brMesh* cube = brShape_Box(size.x, size.y, size.z);
	for (int32_t v = 0; v < cube->vertexCount; ++v)
	{
		cube->positions[v] = brDAdd(cube->positions[v], middle);
	}
	double bound = brCutCase_VolumeBound(bunny, cube) + brCutCase_VolumeBound(cube, bunny);
	double a = brMesh_Mass(bunny, 1.0).volume, b = brMesh_Mass(cube, 1.0).volume;
	double volumes[5];
	for (int op = br_cutSplit; op <= br_cutDifference; ++op)
	{
		brCutResult* result = figureCut(bunny, cube, (brCutOp)op, false);
		CHECK(result->pieceCount >= 1);
		volumes[op] = result->stats.volumeOut;
		brDestroyCutResult(result);
	}
	CHECK_NEAR(volumes[br_cutSplit], a, bound);
	CHECK_NEAR(volumes[br_cutIntersection] + volumes[br_cutDifference], a, bound);
	CHECK_NEAR(volumes[br_cutUnion] + volumes[br_cutIntersection], a + b, bound);
	CHECK(volumes[br_cutIntersection] > 0.05 * b && volumes[br_cutDifference] > 0.05 * a);
	brDestroyMesh(bunny);
	brDestroyMesh(cube);
}

static void figureCount(const brCutResult* result, int64_t counts[3])
{
	counts[0] = counts[1] = counts[2] = 0;
	for (int32_t i = 0; i < result->pieceCount; ++i)
	{
		brMeshCheck check;
		CHECK(brCheckTopology(NULL, result->pieces[i].mesh, &check, NULL) >= 0);
		counts[0] += check.vertices;
		counts[1] += check.edges;
		counts[2] += check.faces;
	}
}

// Table 7.1 compares n-gons with a cutter that triangulates: there 0.99 of the vertices, 0.80 of the edges and 0.71 of the
// polygons are left over the whole mesh, here we look at what the cut adds to the bunny.
BR_TEST(cut_figure_bunny_by_four_surfaces)
{
	brRandom random = brTest_Random(test);
	brMesh* bunny = figureBunny();
	brDBox3 box = brMesh_Bounds(bunny);
	double size = brDDistance(box.lower, box.upper);
	brMesh* sheets[4];
	for (int i = 0; i < 4; ++i)
	{
		sheets[i] = brCutCase_Sheet(&random, 10, 0.02, false);
		double angle = 0.4 * i;
		brAffine map = brMakeAffineIdentity();
		map.m = brMakeMat3FromQuat(brMakeQuatAxisAngle((brDVec3){1.0, 0.0, 0.0}, angle));
		map.m.cx = brDMul(size, map.m.cx), map.m.cy = brDMul(size, map.m.cy), map.m.cz = brDMul(size, map.m.cz);
		map.p = brDLerp(box.lower, box.upper, 0.25 + 0.15 * i);
		brMesh_Transform(sheets[i], &map);
	}
	brMesh* cutter = NULL;
	CHECK(brMergeMeshes(NULL, (const brMesh* const*)sheets, 4, &cutter, NULL) >= 0);
	brCutResult* polygons = figureCut(bunny, cutter, br_cutSplit, false);
	brCutResult* triangles = figureCut(bunny, cutter, br_cutSplit, true);
	CHECK(polygons->pieceCount >= 5 && polygons->pieceCount == triangles->pieceCount);
	int64_t ours[3], theirs[3];
	figureCount(polygons, ours);
	figureCount(triangles, theirs);
	CHECK_MESSAGE(ours[0] <= theirs[0] && ours[1] < theirs[1] && ours[2] < theirs[2],
				  "polygons: %lld vertices, %lld edges, %lld faces; triangles: %lld, %lld, %lld", (long long)ours[0],
				  (long long)ours[1], (long long)ours[2], (long long)theirs[0], (long long)theirs[1],
				  (long long)theirs[2]);
	// What the cut adds, in faces: at most the 0.71 of the table.
	int64_t added = ours[2] - bunny->faceCount, addedTriangles = theirs[2] - bunny->faceCount;
	CHECK_MESSAGE(100 * added <= 71 * addedTriangles, "%lld faces more, %lld in triangles", (long long)added,
				  (long long)addedTriangles);
	brDestroyCutResult(polygons);
	brDestroyCutResult(triangles);
	for (int i = 0; i < 4; ++i)
	{
		brDestroyMesh(sheets[i]);
	}
	brDestroyMesh(cutter);
	brDestroyMesh(bunny);
}
