// SPDX-License-Identifier: MIT
// Meshes that people bring and nobody chose: the smallest input of each that once hung, was refused or came out wrong.
#include "brittle/mend.h"
#include "harness.h"
#include "shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static brMesh* oddMend(const brMesh* mesh, brMendInfo* outInfo)
{
	brMesh* mended = NULL;
	brReport report = {0};
	CHECK_RESULT(brMendMesh(NULL, mesh, NULL, &mended, outInfo, &report), &report);
	brMeshCheck check;
	CHECK_RESULT(brMesh_Check(mended, NULL, NULL, &check, NULL), NULL);
	CHECK_MESSAGE(check.isSolid, "%s", check.verdict);
	return mended;
}

static double oddVolume(const brMesh* mesh)
{
	return brMesh_ComputeMass(mesh, 1.0).volume;
}

// A wedge with `count` points along one edge: fans of needles from two tips. `isOpen`: without the last three faces.
static brMesh* needleFans(int32_t count, bool isOpen)
{
	brDVec3* positions = calloc((size_t)count + 3, sizeof(brDVec3));
	int32_t* corners = calloc(6 * (size_t)count + 12, sizeof(int32_t));
	int32_t* sizes = calloc(2 * (size_t)count + 4, sizeof(int32_t));
	int32_t faces = 0, tip = count, far = count + 1, low = count + 2;
	for (int32_t i = 0; i < count; ++i)
	{
		double share = (double)i / (count - 1);
		positions[i] = brMakeDVec3(0.0, share * share, 0.3); // uneven, and exactly on a line
	}
	positions[tip] = brMakeDVec3(1.0, 0.0, 0.3);
	positions[far] = brMakeDVec3(1.0, 1.0, 0.3);
	positions[low] = brMakeDVec3(0.7, 0.5, -0.3);
	for (int32_t i = 0; i + 1 < count; ++i)
	{
		int32_t both[6] = {tip, i + 1, i, low, i, i + 1};
		memcpy(corners + 6 * i, both, sizeof(both));
		faces += 2;
	}
	int32_t rest[12] = {tip, far, count - 1, low, count - 1, far, low, far, tip, low, tip, 0};
	memcpy(corners + 6 * (size_t)(count - 1), rest, sizeof(rest));
	faces += isOpen ? 1 : 4;
	for (int32_t f = 0; f < faces; ++f)
	{
		sizes[f] = 3;
	}
	brMesh* mesh = brShape_Make(positions, count + 3, corners, sizes, faces);
	free(positions);
	free(corners);
	free(sizes);
	return mesh;
}

// A thing with hundreds of points along a straight edge took minutes to break: every cut makes as many needles again.
BR_TEST(mend_thins_fans_over_straight_edges)
{
	for (int32_t k = 0; k < 2; ++k)
	{
		brMesh* mesh = needleFans(400, k == 1);
		brMendInfo info;
		brMesh* mended = oddMend(mesh, &info);
		CHECK_EQUAL(info.straightVertices, 398);
		CHECK_EQUAL(mended->vertexCount, 5);
		CHECK_NEAR(oddVolume(mended), 1.0 * 0.6 / 3.0, 1e-12);
		brDestroyMesh(mended);
		brDestroyMesh(mesh);
	}
	// Small fans, and fans around a rim that bends, stay as they are.
	brMesh* mesh = needleFans(60, false);
	brMendInfo info;
	brMesh* mended = oddMend(mesh, &info);
	CHECK(brShape_Same(mended, mesh) && !info.isChanged);
	brDestroyMesh(mended);
	brDestroyMesh(mesh);
}

// A Klein bottle has no border, one side and no inside: a new surface of it is noise of half a million triangles.
BR_TEST(mend_refuses_a_bottle_with_one_side)
{
	enum
	{
		around = 30,
		across = 16
	};
	const double turn = 6.283185307179586;
	brDVec3 positions[around * across];
	int32_t corners[4 * around * across], sizes[around * across];
	for (int32_t i = 0; i < around; ++i)
	{
		for (int32_t j = 0; j < across; ++j)
		{
			double u = turn * i / around, v = turn * j / across;
			double r = 2.0 + cos(u / 2) * sin(v) - sin(u / 2) * sin(2 * v);
			positions[i * across + j] =
				brMakeDVec3(r * cos(u), r * sin(u), sin(u / 2) * sin(v) + cos(u / 2) * sin(2 * v));
			bool isLast = i == around - 1; // turned over where it meets its start
			int32_t c = isLast ? (across - j) % across : (i + 1) * across + j;
			int32_t d = isLast ? (across - j - 1) % across : (i + 1) * across + (j + 1) % across;
			int32_t face[4] = {i * across + j, c, d, i * across + (j + 1) % across};
			memcpy(corners + 4 * (i * across + j), face, sizeof(face));
			sizes[i * across + j] = 4;
		}
	}
	brMesh *bottle = brShape_Make(positions, around * across, corners, sizes, around * across), *mended = NULL;
	brReport report = {0};
	CHECK_EQUAL(brMendMesh(NULL, bottle, NULL, &mended, NULL, &report), br_errorGeometry);
	CHECK_MESSAGE(strstr(report.text, "--thicken") != NULL, "%s", report.text);
	brMendDef def = brDefaultMendDef();
	def.thickness = 0.05;
	CHECK_RESULT(brMendMesh(NULL, bottle, &def, &mended, NULL, &report), &report);
	brMeshCheck check;
	CHECK_RESULT(brMesh_Check(mended, NULL, NULL, &check, NULL), NULL);
	CHECK_MESSAGE(check.isSolid, "%s", check.verdict);
	brDestroyMesh(mended);
	brDestroyMesh(bottle);
}

// The same torus twice, with the other diagonals of quads that rounding bends: the layers meet in all their edges and
// cross nowhere, and everything was enclosed twice.
BR_TEST(mend_unites_layers_with_other_diagonals)
{
	brMesh* torus = brShape_Torus(24, 12, 1.0, 0.35);
	int32_t *corners = calloc(12 * (size_t)torus->faceCount, sizeof(int32_t)),
			*sizes = calloc(4 * (size_t)torus->faceCount, sizeof(int32_t)), faces = 0;
	CHECK_EQUAL(torus->cornerCount, 4 * torus->faceCount);
	for (int32_t v = 0; v < torus->vertexCount; ++v)
	{
		torus->positions[v] = brToDVec3(brToVec3(torus->positions[v]));
	}
	for (int32_t f = 0; f < torus->faceCount; ++f)
	{
		const int32_t* q = &torus->corners[4 * f];
		int32_t both[12] = {q[0], q[1], q[2], q[0], q[2], q[3], q[1], q[2], q[3], q[1], q[3], q[0]};
		memcpy(corners + 12 * (size_t)f, both, sizeof(both));
		for (int32_t k = 0; k < 4; ++k)
		{
			sizes[faces++] = 3;
		}
	}
	brMesh* layers = brShape_Make(torus->positions, torus->vertexCount, corners, sizes, faces);
	brMesh* mended = oddMend(layers, NULL);
	CHECK_NEAR(oddVolume(mended), oddVolume(torus), 1e-5 * oddVolume(torus));
	brDestroyMesh(mended);
	brDestroyMesh(layers);
	brDestroyMesh(torus);
	free(corners);
	free(sizes);
}

// Holes that touch at a point are one border that passes there twice. One cover for all of them folded over itself, was
// larger than the part, and a cup with a few faces missing was called a sheet.
BR_TEST(mend_covers_holes_that_touch_one_by_one)
{
	brMesh* ball = brShape_Sphere(2);
	int32_t* corners = calloc((size_t)ball->cornerCount, sizeof(int32_t));
	int32_t* sizes = calloc((size_t)ball->faceCount, sizeof(int32_t));
	// Every other face around vertex 0, which is of five or six.
	int32_t faces = 0, gone = 0, last[3] = {-1, -1, -1};
	for (int32_t f = 0; f < ball->faceCount; ++f)
	{
		const int32_t* c = &ball->corners[3 * f];
		bool isAround = c[0] == 0 || c[1] == 0 || c[2] == 0, isBeside = false;
		for (int32_t k = 0; k < 3; ++k)
		{
			isBeside = isBeside || (c[k] != 0 && (c[k] == last[0] || c[k] == last[1]));
		}
		if (isAround && !isBeside && gone < 2)
		{
			int32_t place = 0;
			for (int32_t k = 0; k < 3; ++k)
			{
				if (c[k] != 0)
				{
					last[place++] = c[k];
				}
			}
			gone += 1;
			continue;
		}
		memcpy(corners + 3 * faces, c, 3 * sizeof(int32_t));
		sizes[faces++] = 3;
	}
	CHECK_EQUAL(gone, 2);
	brMesh* open = brShape_Make(ball->positions, ball->vertexCount, corners, sizes, faces);
	brMendInfo info;
	brMesh* mended = oddMend(open, &info);
	CHECK_EQUAL(info.filledHoles, 2);
	CHECK_EQUAL(mended->faceCount, ball->faceCount);
	CHECK_NEAR(oddVolume(mended), oddVolume(ball), 1e-12);
	brDestroyMesh(mended);
	brDestroyMesh(open);
	brDestroyMesh(ball);
	free(corners);
	free(sizes);
}

// The rim of half a ball is ragged. Faces in its teeth follow the ball, and the cover swelled into a second half.
BR_TEST(mend_closes_half_a_ball_with_a_disk)
{
	brMesh* ball = brShape_Sphere(3);
	int32_t* corners = calloc((size_t)ball->cornerCount, sizeof(int32_t));
	int32_t* sizes = calloc((size_t)ball->faceCount, sizeof(int32_t));
	int32_t faces = 0;
	for (int32_t f = 0; f < ball->faceCount; ++f)
	{
		const int32_t* c = &ball->corners[3 * f];
		double height = ball->positions[c[0]].z + ball->positions[c[1]].z + ball->positions[c[2]].z;
		if (height > 0.0)
		{
			memcpy(corners + 3 * faces, c, 3 * sizeof(int32_t));
			sizes[faces++] = 3;
		}
	}
	brMesh* half = brShape_Make(ball->positions, ball->vertexCount, corners, sizes, faces);
	brMesh* mended = oddMend(half, NULL);
	CHECK_NEAR(oddVolume(mended) / oddVolume(ball), 0.5, 0.03);
	brDestroyMesh(mended);
	brDestroyMesh(half);
	brDestroyMesh(ball);
	free(corners);
	free(sizes);
}

// A box with a cavity: its faces turned inside out.
static brMesh* hollowBox(const brDVec3* positions, int32_t count, const int32_t* corners, int32_t size, int32_t faces)
{
	brMesh* box = brShape_Box(1.0, 1.0, 1.0);
	int32_t sizes[6];
	for (int32_t f = 0; f < faces; ++f)
	{
		sizes[f] = size;
	}
	brMesh *cavity = brShape_Make(positions, count, corners, sizes, faces), *hollow = NULL;
	CHECK(oddVolume(cavity) < 0.0);
	CHECK_RESULT(brMergeMeshes(NULL, (const brMesh* const[]){box, cavity}, 2, &hollow, NULL), NULL);
	brDestroyMesh(box);
	brDestroyMesh(cavity);
	return hollow;
}

// The tip of a cavity lies on the floor of the box, in the middle of it or anywhere: it stays a cavity there, and all
// else stays where it was. It got a new surface of 128 cells, since what touches was moved into the solid, and there
// the solid is what lies between.
BR_TEST(mend_keeps_a_cavity_whose_tip_touches_the_wall)
{
	const int32_t corners[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 10); ++round)
	{
		double x = round == 0 ? 0.5 : brRandom_Range(&random, 0.4, 0.6), y = round == 0 ? 0.5 : 0.45;
		brDVec3 tip[4] = {{x, y, 0.0}, {0.3, 0.3, 0.4}, {0.7, 0.3, 0.4}, {0.5, 0.7, 0.4}};
		brMesh* hollow = hollowBox(tip, 4, corners, 3, 4);
		brMendInfo info;
		brMesh* mended = oddMend(hollow, &info);
		CHECK(!info.isRemeshed);
		CHECK_NEAR(oddVolume(mended), oddVolume(hollow), 1e-5);
		brDestroyMesh(mended);
		brDestroyMesh(hollow);
	}
}

// A cavity one of whose faces lies in the wall is a recess. It was turned over and filled, since points of an upright
// wall were not known to lie on it.
BR_TEST(mend_keeps_a_cavity_that_opens_in_the_wall)
{
	const double where[3][3] = {{0.5, 0.25, 0.25}, {0.25, 0.5, 0.25}, {0.25, 0.25, 0.5}};
	for (int32_t k = 0; k < 3; ++k)
	{
		brMesh* inner = brShape_Box(0.5, 0.5, 0.5);
		int32_t corners[24];
		for (int32_t c = 0; c < 24; ++c)
		{
			corners[c] = inner->corners[4 * (c / 4) + 3 - c % 4];
		}
		for (int32_t v = 0; v < 8; ++v)
		{
			inner->positions[v] = brDAdd(inner->positions[v], brMakeDVec3(where[k][0], where[k][1], where[k][2]));
		}
		brMesh* hollow = hollowBox(inner->positions, 8, corners, 4, 6);
		brMesh* mended = oddMend(hollow, NULL);
		CHECK_NEAR(oddVolume(mended), 0.875, 1e-9);
		brDestroyMesh(inner);
		brDestroyMesh(mended);
		brDestroyMesh(hollow);
	}
}

// Points that no face has go, even from a solid: `drop` took them for its lowest ones.
BR_TEST(mend_drops_points_that_no_face_has)
{
	brMesh* box = brShape_Box(1.0, 1.0, 1.0);
	brDVec3 positions[9];
	int32_t sizes[6] = {4, 4, 4, 4, 4, 4};
	memcpy(positions, box->positions, 8 * sizeof(brDVec3));
	positions[8] = brMakeDVec3(100.0, 0.0, -5.0);
	brMesh* loose = brShape_Make(positions, 9, box->corners, sizes, 6);
	brMendInfo info;
	brMesh* mended = oddMend(loose, &info);
	CHECK_EQUAL(mended->vertexCount, 8);
	CHECK(brShape_Same(mended, box));
	CHECK(strcmp(info.summary, "dropped 1 unused vertex") == 0);
	brDestroyMesh(mended);
	brDestroyMesh(loose);
	brDestroyMesh(box);
}
