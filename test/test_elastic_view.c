// SPDX-License-Identifier: MIT

// Files and meshes of a solve: what is written reads back, colors follow the values.

#include "brittle/brittle.h"
#include "elastic_cases.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ViewCase
{
	brTetMesh* mesh;
	brElasticBody* body;
	TestCrack crack;
	char paths[2][512];
} ViewCase;

// A block with a penny crack, pulled along z.
static ViewCase openView(void)
{
	ViewCase view;
	LatticeAxis axis = makeEvenAxis(-1.0, 1.0, 8);
	view.mesh = makeLatticeBlock(&axis, &axis, &axis, 0.1, 1);
	view.crack = makeDiskCrack(brMakeDVec3(0.02, 0.03, 0.04), brMakeDVec3(0.0, 0.0, 1.0), 0.6, 4, 24);
	brElasticDef def = brDefaultElasticDef();
	def.mesh = view.mesh;
	def.youngsModulus = 1.0;
	brReport report = {0};
	CHECK_RESULT(brCreateElasticBody(NULL, &def, &view.body, &report), &report);
	CHECK_RESULT(brElasticBody_SetCracks(view.body, NULL, &view.crack.surface, 1, &report), &report);
	TestTraction traction = {0};
	addPlaneTraction(&traction, view.mesh, 2, 1.0, (brDVec3){0, 0, 1});
	addPlaneTraction(&traction, view.mesh, 2, -1.0, (brDVec3){0, 0, -1});
	brElasticLoad load = brDefaultElasticLoad();
	load.tractionCount = traction.count;
	load.tractionTriangles = (const int32_t(*)[3])traction.triangles;
	load.tractions = traction.tractions;
	CHECK_RESULT(brElasticBody_Solve(view.body, NULL, &load, NULL, NULL, &report), &report);
	freeTestTraction(&traction);
	snprintf(view.paths[0], sizeof(view.paths[0]), "%s", brTest_ScratchPath("stress.vtk"));
	snprintf(view.paths[1], sizeof(view.paths[1]), "%s", brTest_ScratchPath("fronts.vtk"));
	return view;
}

static void closeView(ViewCase* view)
{
	brDestroyElasticBody(view->body);
	brDestroyTetMesh(view->mesh);
	freeTestCrack(&view->crack);
}

// The numbers of a section of a text file, the lines after `from` up to `count`.
static double* readNumbers(const char* path, const char* from, int32_t count)
{
	FILE* file = fopen(path, "r");
	CHECK(file != NULL);
	char line[512];
	bool isFound = false;
	while (!isFound && fgets(line, sizeof(line), file) != NULL)
	{
		isFound = strncmp(line, from, strlen(from)) == 0;
	}
	CHECK_MESSAGE(isFound, "%s has no '%s'", path, from);
	if (strncmp(from, "SCALARS", 7) == 0)
	{
		CHECK(fgets(line, sizeof(line), file) != NULL); // LOOKUP_TABLE
	}
	double* values = malloc(sizeof(double) * (size_t)count);
	for (int32_t i = 0; i < count; ++i)
	{
		CHECK_EQUAL(fscanf(file, "%lf", &values[i]), 1);
	}
	fclose(file);
	return values;
}

BR_TEST(elastic_view_files_read_back)
{
	ViewCase view = openView();
	brReport report = {0};
	CHECK_RESULT(brElasticBody_SaveVtk(view.body, NULL, view.paths[0], &report), &report);
	CHECK_RESULT(brElasticBody_SaveFrontsVtk(view.body, NULL, NULL, view.paths[1], &report), &report);
	brTetMesh* tets = BR_MADE(brTetMesh, brLoadTetMesh, NULL, view.paths[0]);
	CHECK_EQUAL(tets->nodeCount, view.mesh->nodeCount);
	CHECK_EQUAL(tets->tetCount, view.mesh->tetCount);
	CHECK(memcmp(tets->tets, view.mesh->tets, sizeof(*tets->tets) * (size_t)tets->tetCount) == 0);
	brDestroyTetMesh(tets);
	brMesh* mesh = BR_MADE(brMesh, brLoadMesh, NULL, view.paths[1]);
	CHECK_EQUAL(mesh->faceCount, view.crack.surface.triangleCount);
	brDestroyMesh(mesh);

	// K I along the front as the library says it, nothing elsewhere.
	int32_t vertexCount = view.crack.surface.vertexCount, count = 0, fronts = 0;
	brCrackFrontPoint points[64];
	CHECK_RESULT(brElasticBody_ComputeFrontPoints(view.body, NULL, 0, NULL, 64, points, &count, &report), &report);
	double* k1 = readNumbers(view.paths[1], "SCALARS K_I ", vertexCount);
	for (int32_t i = 0; i < count; ++i)
	{
		CHECK_NEAR(k1[points[i].vertex], points[i].intensity[0], 1e-6 * points[i].intensity[0]);
	}
	for (int32_t i = 0; i < vertexCount; ++i)
	{
		fronts += k1[i] != 0.0 ? 1 : 0;
	}
	CHECK_EQUAL(fronts, count);
	free(k1);

	// Stress: about 1 on the whole, and the largest principal one is that of the tensor.
	double* principal = readNumbers(view.paths[0], "SCALARS principal", view.mesh->tetCount);
	double* tensors = readNumbers(view.paths[0], "TENSORS", 9 * view.mesh->tetCount);
	double mean = 0.0;
	for (int32_t t = 0; t < view.mesh->tetCount; ++t)
	{
		const double* s = tensors + 9 * t;
		brStress stress = {s[0], s[4], s[8], s[1], s[2], s[5]};
		double values[3];
		brPrincipalStresses(&stress, values);
		CHECK_NEAR(values[2], principal[t], 1e-5 * (1.0 + fabs(values[2])));
		mean += s[8] / view.mesh->tetCount;
	}
	CHECK(mean > 0.7 && mean < 1.3);
	free(principal);
	free(tensors);
	closeView(&view);
}

BR_TEST(elastic_view_colors_follow_the_stress)
{
	ViewCase view = openView();
	brReport report = {0};
	brMesh *stress = NULL, *again = NULL, *front = NULL;
	double most = 0.0;
	CHECK_RESULT(brElasticBody_MakeStressMesh(view.body, NULL, 0.1, 0.0, &stress, &most, &report), &report);
	CHECK(most > 1.0 && stress->colors != NULL);
	// With a much larger scale everything is dark blue.
	CHECK_RESULT(brElasticBody_MakeStressMesh(view.body, NULL, 0.1, 1e6 * most, &again, NULL, &report), &report);
	float reddest = 0.0f;
	for (int32_t i = 0; i < stress->vertexCount; ++i)
	{
		reddest = stress->colors[i].x > reddest ? stress->colors[i].x : reddest;
		CHECK(again->colors[i].z > again->colors[i].x && again->colors[i].x < 0.03f);
	}
	CHECK(reddest > 0.1f);
	// Pulled along z by 1 / E = 1 a unit of length, a tenth of it shown.
	brDBox3 box = brMesh_ComputeBounds(stress);
	CHECK(box.upper.z - box.lower.z > 2.1 && box.upper.z - box.lower.z < 2.6);
	CHECK_RESULT(brElasticBody_MakeFrontMesh(view.body, NULL, NULL, &front, &report), &report);
	CHECK_EQUAL(front->faceCount, view.crack.surface.triangleCount);
	int32_t gray = 0;
	for (int32_t i = 0; i < front->vertexCount; ++i)
	{
		gray += front->colors[i].x == 0.5f && front->colors[i].z == 0.5f ? 1 : 0;
	}
	CHECK_EQUAL(front->vertexCount - gray, 24);
	brDestroyMesh(front);
	brDestroyMesh(again);
	brDestroyMesh(stress);
	closeView(&view);
}

static brResult viewOnce(const brContext* context, void* user)
{
	ViewCase* view = user;
	brMesh* mesh = NULL;
	brResult result = brElasticBody_SaveVtk(view->body, context, view->paths[0], NULL);
	result = result >= 0 ? brElasticBody_SaveFrontsVtk(view->body, context, NULL, view->paths[1], NULL) : result;
	result = result >= 0 ? brElasticBody_MakeStressMesh(view->body, context, 0.0, 0.0, &mesh, NULL, NULL) : result;
	brDestroyMesh(result >= 0 ? mesh : NULL);
	result = result >= 0 ? brElasticBody_MakeFrontMesh(view->body, context, NULL, &mesh, NULL) : result;
	brDestroyMesh(result >= 0 ? mesh : NULL);
	return result;
}

BR_TEST(elastic_view_survives_every_failing_allocation)
{
	ViewCase view = openView();
	CHECK(brTest_WalkAllocations(viewOnce, &view) > 10);
	closeView(&view);
}
