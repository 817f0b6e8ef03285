// SPDX-License-Identifier: MIT

// The figures of chapter 7 of the thesis: a concave solid by one quad, a bunny and a cube, a bunny by four surfaces.
// The incision of a cube is cut_incision_grows_into_a_split, the 2D cut is cut_open_surface.

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
	brCutResult* result = BR_MADE(brCutResult, brCutMesh, NULL, source, cutter, &def);
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
	brDBox3 box = brMesh_ComputeBounds(bunny);
	brDVec3 size = brDMul(0.6, brDSub(box.upper, box.lower)), middle = brDLerp(box.lower, box.upper, 0.5);
	brMesh* cube = brShape_Box(size.x, size.y, size.z);
	for (int32_t v = 0; v < cube->vertexCount; ++v)
	{
		cube->positions[v] = brDAdd(cube->positions[v], middle);
	}
	double bound = brCutCase_VolumeBound(bunny, cube) + brCutCase_VolumeBound(cube, bunny);
	double a = brMesh_ComputeMass(bunny, 1.0).volume, b = brMesh_ComputeMass(cube, 1.0).volume;
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

// Table 7.1 counts the pieces of a bunny cut by four surfaces: as triangles, and as the n-gons of the thesis. Over the
// whole mesh the n-gons are so many of the triangulating cutter's vertices, edges and polygons; ours may not be more.
BR_TEST(cut_figure_bunny_by_four_surfaces)
{
	static const double table[3] = {3384.0 / 3420.0, 8226.0 / 10236.0, 4850.0 / 6824.0};
	brRandom random = brTest_Random(test);
	brMesh* bunny = figureBunny();
	brDBox3 box = brMesh_ComputeBounds(bunny);
	double size = brDDistance(box.lower, box.upper);
	brMesh* sheets[4];
	for (int i = 0; i < 4; ++i)
	{
		sheets[i] = brCutCase_Sheet(&random, 40, 0.0, false);
		brAffine map = brMakeAffineIdentity();
		map.m = brMakeMat3FromQuat(brMakeQuatAxisAngle((brDVec3){1.0, 0.0, 0.0}, 0.4 * i));
		map.m.cx = brDMul(size, map.m.cx), map.m.cy = brDMul(size, map.m.cy), map.m.cz = brDMul(size, map.m.cz);
		map.p = brDLerp(box.lower, box.upper, 0.25 + 0.15 * i);
		brMesh_Transform(sheets[i], &map);
	}
	int64_t counts[2][3];
	int32_t pieces[2];
	for (int i = 0; i < 2; ++i)
	{
		brCutDef def = brDefaultCutDef();
		def.keepTriangles = i == 1;
		brCutResult* result = BR_MADE(brCutResult, brCutMeshByMany, NULL, bunny, (const brMesh* const*)sheets, 4, &def);
		const char* flaw = brCutCase_Flaw(result);
		CHECK_MESSAGE(flaw == NULL, "%s", flaw);
		figureCount(result, counts[i]);
		pieces[i] = result->pieceCount;
		brDestroyCutResult(result);
	}
	CHECK(pieces[0] >= 5 && pieces[0] == pieces[1]);
	for (int k = 0; k < 3; ++k)
	{
		CHECK_MESSAGE((double)counts[0][k] <= table[k] * (double)counts[1][k],
					  "%lld %s, %lld with triangles: more than %.3f of them", (long long)counts[0][k],
					  k == 0   ? "vertices"
					  : k == 1 ? "edges"
							   : "polygons",
					  (long long)counts[1][k], table[k]);
	}
	for (int i = 0; i < 4; ++i)
	{
		brDestroyMesh(sheets[i]);
	}
	brDestroyMesh(bunny);
}
