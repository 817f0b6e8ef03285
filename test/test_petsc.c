// SPDX-License-Identifier: MIT

// PETSc against the built-in solver: the same displacements and intensities. Skipped where PETSc is not installed.

#include "base/hash.h"
#include "elastic/body.h"
#include "elastic_cases.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum
{
	petscCases = 10,
	petscPoints = 512,
};

typedef struct PetscAnswer
{
	brDVec3* u;
	brCrackFrontPoint points[petscPoints];
	int32_t pointCount;
	brElasticStats stats;
} PetscAnswer;

static brResult solveBy(brElasticBody* body, const brTetMesh* mesh, const TestTraction* traction,
						brElasticSolver solver, PetscAnswer* out, brReport* report)
{
	brElasticLoad load = brDefaultElasticLoad();
	load.tractionCount = traction->count;
	load.tractionTriangles = (const int32_t(*)[3])traction->triangles;
	load.tractions = traction->tractions;
	brElasticSolveDef def = brDefaultElasticSolveDef();
	def.solver = solver;
	def.tolerance = 1e-10;
	brResult result = brElasticBody_Solve(body, NULL, &load, &def, &out->stats, report);
	if (result < 0)
	{
		return result;
	}
	out->u = malloc((size_t)mesh->nodeCount * sizeof(brDVec3));
	brElasticBody_GetDisplacements(body, out->u);
	return brElasticBody_ComputeFrontPoints(body, NULL, 0, NULL, petscPoints, out->points, &out->pointCount, report);
}

// The largest difference of displacements over the largest displacement.
static double displacementGap(const PetscAnswer* a, const PetscAnswer* b, int32_t count)
{
	double gap = 0.0, size = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		gap = fmax(gap, brDLength(brDSub(a->u[i], b->u[i])));
		size = fmax(size, brDLength(a->u[i]));
	}
	return gap / size;
}

static double intensityGap(const PetscAnswer* a, const PetscAnswer* b)
{
	double gap = 0.0, size = 0.0;
	for (int32_t i = 0; i < a->pointCount; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			gap = fmax(gap, fabs(a->points[i].intensity[k] - b->points[i].intensity[k]));
			size = fmax(size, fabs(a->points[i].intensity[k]));
		}
	}
	return size > 0.0 ? gap / size : 0.0;
}

// Held, held on rollers and free; a disk inside, a sheet from the side, one that parts the body.
BR_TEST(petsc_solves_ten_cracked_bodies_as_the_built_in_solver)
{
#ifdef BR_SANITIZED
	brTest_Skip("MPI keeps memory of its own, which the sanitizer takes for lost");
#endif
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < petscCases; ++i)
	{
		LatticeAxis axis = makeEvenAxis(0.0, 1.0, 6);
		brTetMesh* mesh = makeLatticeBlock(&axis, &axis, &axis, 0.12, test->seed + (uint64_t)i);
		brElasticDef def = brDefaultElasticDef();
		def.mesh = mesh;
		def.youngsModulus = 7e10;
		def.poissonRatio = 0.05 + 0.04 * i;
		brReport report = {0};
		brElasticBody* body = BR_MADE(brElasticBody, brCreateElasticBody, NULL, &def);
		brDVec3 middle = {brRandom_Range(&random, 0.4, 0.6), brRandom_Range(&random, 0.4, 0.6),
						  brRandom_Range(&random, 0.4, 0.6)};
		brDVec3 normal = {brRandom_Range(&random, -0.3, 0.3), brRandom_Range(&random, -0.3, 0.3), 1.0};
		double reach = i % 3 == 2 ? 2.0 : brRandom_Range(&random, 0.8, 1.2);
		TestCrack crack = i % 3 == 0 ? makeDiskCrack(middle, normal, 0.3, 4, 24)
									 : makeSheetCrack((brDVec3){-0.5, -0.5, middle.z}, (brDVec3){reach, 0, 0.02},
													  (brDVec3){0, 2, 0.03}, 6, 6);
		CHECK_RESULT(brElasticBody_SetCracks(body, NULL, &crack.surface, 1, &report), &report);
		TestTraction traction = {0};
		TestSupports supports = {0};
		addPlaneTraction(&traction, mesh, 2, 1.0, (brDVec3){2e5, 0, 1e6});
		if (i % 2 == 0)
		{
			holdPlane(&supports, mesh, 2, 0.0, i % 4 == 0 ? 7 : 4);
		}
		CHECK_RESULT(
			brElasticBody_SetSupports(body, NULL, supports.nodes, supports.axes, NULL, supports.count, &report),
			&report);
		static PetscAnswer ours, theirs;
		CHECK_RESULT(solveBy(body, mesh, &traction, br_solverIterative, &ours, &report), &report);
		brResult result = solveBy(body, mesh, &traction, br_solverPetsc, &theirs, &report);
		if (result == br_errorUnavailable && i == 0)
		{
			CHECK_MESSAGE(strstr(report.text, "PETSc") != NULL && strstr(report.text, "libpetsc-real") != NULL, "%s",
						  report.text);
			brTest_Skip("%s", report.text);
		}
		CHECK_RESULT(result, &report);
		CHECK(theirs.stats.residual <= 1.1e-10 && theirs.stats.iterations > 0);
		CHECK_EQUAL(theirs.pointCount, ours.pointCount);
		CHECK_MESSAGE(displacementGap(&ours, &theirs, mesh->nodeCount) < 1e-6, "case %d: displacements differ by %g",
					  (int)i, displacementGap(&ours, &theirs, mesh->nodeCount));
		CHECK_MESSAGE(intensityGap(&ours, &theirs) < 1e-6, "case %d: intensities differ by %g", (int)i,
					  intensityGap(&ours, &theirs));
		free(ours.u);
		free(theirs.u);
		freeTestSupports(&supports);
		freeTestTraction(&traction);
		freeTestCrack(&crack);
		brDestroyElasticBody(body);
		brDestroyTetMesh(mesh);
	}
}

static uint64_t hashBody(const brElasticBody* body)
{
	const brElementSet* set = &body->set;
	size_t tets = (size_t)body->tetCount, nodes = (size_t)body->nodeCount;
	uint64_t hash = brHashBytes(0, body->volumes, tets * sizeof(double));
	hash = brHashBytes(hash, body->stiffnesses, tets * sizeof(double));
	hash = brHashBytes(hash, body->neighbors, tets * sizeof(*body->neighbors));
	hash = brHashBytes(hash, body->cornerStarts, (nodes + 1) * sizeof(int32_t));
	hash = brHashBytes(hash, body->corners, 4 * tets * sizeof(int32_t));
	hash = brHashBytes(hash, body->longestEdges, nodes * sizeof(double));
	hash = brHashBytes(hash, body->reaches, nodes * sizeof(double));
	hash = brHashBytes(hash, set->cutOfTet, tets * sizeof(int32_t));
	hash = brHashBytes(hash, set->pieceParts, (size_t)set->pieceCount * sizeof(int32_t));
	return brHashBytes(hash, set->pieceValues, (size_t)set->pieceCount * sizeof(*set->pieceValues));
}

// Whole, with a crack, in two parts.
BR_TEST(petsc_body_that_forgot_is_made_again_as_it_was)
{
	for (int32_t i = 0; i < 3; ++i)
	{
		LatticeAxis axis = makeEvenAxis(0.0, 1.0, 9); // arrays of several pages
		brTetMesh* mesh = makeLatticeBlock(&axis, &axis, &axis, 0.12, test->seed);
		brElasticDef def = brDefaultElasticDef();
		def.mesh = mesh;
		brReport report = {0};
		brElasticBody* body = BR_MADE(brElasticBody, brCreateElasticBody, NULL, &def);
		TestCrack crack = makeSheetCrack((brDVec3){-0.5, -0.5, 0.52}, (brDVec3){i == 1 ? 1.0 : 2.0, 0, 0.02},
										 (brDVec3){0, 2, 0.03}, 6, 6);
		CHECK_RESULT(brElasticBody_SetCracks(body, NULL, &crack.surface, i > 0, &report), &report);
		uint64_t before = hashBody(body);
		brElasticBody_Forget(body);
#ifdef __linux__
		CHECK(hashBody(body) != before);
#endif
		brElasticBody_Remember(body);
		CHECK(hashBody(body) == before);
		freeTestCrack(&crack);
		brDestroyElasticBody(body);
		brDestroyTetMesh(mesh);
	}
}
