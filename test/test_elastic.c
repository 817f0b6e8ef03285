// SPDX-License-Identifier: MIT

// Elastic bodies: exact states, closed forms with their rates, solvers against each other, loose parts, faults.

#include "elastic_cases.h"
#include "harness.h"

#include "brittle/models.h"
#include "brittle/volume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static brElasticBody* makeBody(const brContext* context, const brTetMesh* mesh)
{
	brElasticDef def = brDefaultElasticDef();
	def.mesh = mesh;
	def.youngsModulus = 1.0;
	def.poissonRatio = 0.3;
	def.density = 1.0;
	return BR_MADE(brElasticBody, brCreateElasticBody, context, &def);
}

static brElasticStats solveWith(const brContext* context, brElasticBody* body, const TestTraction* traction,
								brElasticSolver solver, double tolerance)
{
	brElasticLoad load = brDefaultElasticLoad();
	load.tractionCount = traction->count;
	load.tractionTriangles = (const int32_t(*)[3])traction->triangles;
	load.tractions = traction->tractions;
	brElasticSolveDef def = brDefaultElasticSolveDef();
	def.solver = solver;
	def.tolerance = tolerance;
	brElasticStats stats = {0};
	brReport report = {0};
	CHECK_RESULT(brElasticBody_Solve(body, context, &load, &def, &stats, &report), &report);
	return stats;
}

static brTetMesh* makeCube(int32_t cells, uint64_t seed)
{
	LatticeAxis axis = makeEvenAxis(0.0, 1.0, cells);
	return makeLatticeBlock(&axis, &axis, &axis, 0.12, seed);
}

// Uniform stress sxx = 1, syy = -0.5, sxy = 0.25 by tractions on all faces.
static void addUniformStress(TestTraction* traction, const brTetMesh* mesh)
{
	addPlaneTraction(traction, mesh, 0, 1.0, (brDVec3){1.0, 0.25, 0.0});
	addPlaneTraction(traction, mesh, 0, 0.0, (brDVec3){-1.0, -0.25, 0.0});
	addPlaneTraction(traction, mesh, 1, 1.0, (brDVec3){0.25, -0.5, 0.0});
	addPlaneTraction(traction, mesh, 1, 0.0, (brDVec3){-0.25, 0.5, 0.0});
}

static void checkUniformStress(const brElasticBody* body, double tolerance)
{
	int32_t count = brElasticBody_GetElementCount(body);
	brElasticElement* pieces = malloc(sizeof(*pieces) * (size_t)count);
	brElasticBody_GetElements(body, NULL, pieces);
	double volume = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		CHECK_NEAR(pieces[i].stress.xx, 1.0, tolerance);
		CHECK_NEAR(pieces[i].stress.yy, -0.5, tolerance);
		CHECK_NEAR(pieces[i].stress.zz, 0.0, tolerance);
		CHECK_NEAR(pieces[i].stress.xy, 0.25, tolerance);
		CHECK_NEAR(pieces[i].stress.xz, 0.0, tolerance);
		CHECK_NEAR(pieces[i].stress.yz, 0.0, tolerance);
		volume += pieces[i].volume;
	}
	CHECK_NEAR(volume, 1.0, 1e-12);
	free(pieces);
}

BR_TEST(elastic_patch_of_a_free_body_is_exact)
{
	brTetMesh* mesh = makeCube(4, test->seed);
	brElasticBody* body = makeBody(NULL, mesh);
	TestTraction traction = {0};
	addUniformStress(&traction, mesh);
	brElasticStats stats = solveWith(NULL, body, &traction, br_solverIterative, 1e-13);
	CHECK_EQUAL(stats.looseComponents, 1);
	checkUniformStress(body, 1e-10);
	// Energy of a uniform state: half stress times strain, on a volume of 1.
	double energy = 0.5 * (1.0 + 0.25 + 2.0 * 0.3 * 0.5) + 0.25 * 0.25 * 1.3;
	CHECK_NEAR(stats.energy, energy, 1e-10);
	brDestroyElasticBody(body);
	freeTestTraction(&traction);
	brDestroyTetMesh(mesh);
}

BR_TEST(elastic_patch_by_displacements_is_exact)
{
	brTetMesh* mesh = makeCube(4, test->seed);
	brElasticBody* body = makeBody(NULL, mesh);
	TestSupports supports = {0};
	for (int32_t i = 0; i < mesh->nodeCount; ++i)
	{
		brDVec3 p = mesh->nodes[i];
		bool isOuter = p.x == 0.0 || p.y == 0.0 || p.z == 0.0 || p.x == 1.0 || p.y == 1.0 || p.z == 1.0;
		if (isOuter)
		{
			holdNode(&supports, i, 7, (brDVec3){p.x + 0.5 * p.y, 0.1 * p.z - p.x, 0.3 * p.x + 0.7 * p.z});
		}
	}
	brReport report = {0};
	CHECK_RESULT(
		brElasticBody_SetSupports(body, NULL, supports.nodes, supports.axes, supports.values, supports.count, &report),
		&report);
	TestTraction none = {0};
	brElasticStats stats = solveWith(NULL, body, &none, br_solverIterative, 1e-13);
	CHECK_EQUAL(stats.looseComponents, 0);
	brDVec3* u = malloc(sizeof(brDVec3) * (size_t)mesh->nodeCount);
	brElasticBody_GetDisplacements(body, u);
	for (int32_t i = 0; i < mesh->nodeCount; ++i)
	{
		brDVec3 p = mesh->nodes[i];
		CHECK_NEAR(u[i].x, p.x + 0.5 * p.y, 1e-10);
		CHECK_NEAR(u[i].y, 0.1 * p.z - p.x, 1e-10);
		CHECK_NEAR(u[i].z, 0.3 * p.x + 0.7 * p.z, 1e-10);
	}
	free(u);
	freeTestSupports(&supports);
	brDestroyElasticBody(body);
	brDestroyTetMesh(mesh);
}

// A crack in the plane of a uniform state with no traction on it changes nothing.
BR_TEST(elastic_patch_with_a_crack_along_the_stress_is_exact)
{
	brTetMesh* mesh = makeCube(5, test->seed);
	brElasticBody* body = makeBody(NULL, mesh);
	TestCrack crack = makeSheetCrack((brDVec3){-0.5, -0.5, 0.463}, (brDVec3){1.1, 0, 0}, (brDVec3){0, 2, 0}, 7, 9);
	brReport report = {0};
	CHECK_RESULT(brElasticBody_SetCracks(body, NULL, &crack.surface, 1, &report), &report);
	TestTraction traction = {0};
	addUniformStress(&traction, mesh);
	brElasticStats stats = solveWith(NULL, body, &traction, br_solverIterative, 1e-13);
	CHECK(stats.ghostCount > 50 && stats.cutTetCount > 100);
	CHECK_EQUAL(stats.componentCount, 1);
	checkUniformStress(body, 1e-10);
	for (double x = 0.05; x < 0.6; x += 0.1)
	{
		CHECK(brDLength(brElasticBody_GetJump(body, 0, (brDVec3){x, 0.4, 0.463})) < 1e-10);
	}
	freeTestCrack(&crack);
	freeTestTraction(&traction);
	brDestroyElasticBody(body);
	brDestroyTetMesh(mesh);
}

// Cut through: each half stretches by its own load, and the halves are found before the solve.
BR_TEST(elastic_cut_through_leaves_two_parts)
{
	brTetMesh* mesh = makeCube(5, test->seed);
	brElasticBody* body = makeBody(NULL, mesh);
	double height = 0.463;
	TestCrack crack = makeSheetCrack((brDVec3){-0.5, -0.5, height}, (brDVec3){2, 0, 0}, (brDVec3){0, 2, 0}, 5, 5);
	brReport report = {0};
	CHECK_RESULT(brElasticBody_SetCracks(body, NULL, &crack.surface, 1, &report), &report);
	CHECK_EQUAL(brElasticBody_GetComponentCount(body), 2);
	const brElasticComponent* parts = brElasticBody_GetComponents(body);
	double lower = parts[0].center.z < parts[1].center.z ? parts[0].volume : parts[1].volume;
	CHECK_NEAR(lower, height, 1e-3); // slivers go to the other side
	CHECK_NEAR(parts[0].volume + parts[1].volume, 1.0, 1e-12);
	CHECK(parts[0].freeModes == 6 && parts[1].freeModes == 6);
	// The upper half alone is pulled along x: the lower one stays without stress.
	TestTraction traction = {0};
	addPlaneTraction(&traction, mesh, 0, 1.0, (brDVec3){1, 0, 0});
	addPlaneTraction(&traction, mesh, 0, 0.0, (brDVec3){-1, 0, 0});
	brElasticStats stats = solveWith(NULL, body, &traction, br_solverIterative, 1e-12);
	CHECK_EQUAL(stats.looseComponents, 2);
	CHECK_NEAR(stats.energy, 0.5, 1e-9);
	// Held at the bottom: the upper half still flies.
	TestSupports supports = {0};
	holdPlane(&supports, mesh, 2, 0.0, 7);
	CHECK_RESULT(brElasticBody_SetSupports(body, NULL, supports.nodes, supports.axes, NULL, supports.count, &report),
				 &report);
	TestTraction pull = {0};
	addPlaneTraction(&pull, mesh, 2, 1.0, (brDVec3){0, 0, 1});
	stats = solveWith(NULL, body, &pull, br_solverIterative, 1e-10);
	CHECK_EQUAL(stats.looseComponents, 1);
	brElasticElement* pieces = malloc(sizeof(*pieces) * (size_t)brElasticBody_GetElementCount(body));
	brElasticBody_GetElements(body, NULL, pieces);
	for (int32_t i = 0; i < brElasticBody_GetElementCount(body); ++i)
	{
		if (pieces[i].component == 0)
		{
			CHECK_NEAR(pieces[i].stress.zz, 0.0, 1e-8); // nothing reaches the lower half
		}
	}
	// Inertia balances the pull: stress falls linearly from 1 at the top to 0 at the crack, within what steps of a cell
	// can show.
	for (int32_t i = 0; i < brElasticBody_GetElementCount(body); ++i)
	{
		if (pieces[i].component == 1 && pieces[i].volume > 0.003)
		{
			CHECK_NEAR(pieces[i].stress.zz, (pieces[i].center.z - height) / (1.0 - height), 0.25);
		}
	}
	free(pieces);
	freeTestSupports(&supports);
	freeTestTraction(&pull);
	freeTestTraction(&traction);
	freeTestCrack(&crack);
	brDestroyElasticBody(body);
	brDestroyTetMesh(mesh);
}

// Side volumes come from the crack's own triangles: a roof and a wave through a cube leave parts of exactly their
// volumes.
BR_TEST(elastic_partly_solid_tets_weigh_what_is_solid)
{
	brTetMesh* mesh = makeCube(3, test->seed);
	brRandom random = brTest_Random(test);
	double* shares = malloc(sizeof(double) * (size_t)mesh->tetCount);
	double mass = 0.0;
	brDVec3 moment = {0.0, 0.0, 0.0};
	for (int32_t i = 0; i < mesh->tetCount; ++i)
	{
		const int32_t* t = mesh->tets[i];
		brDVec3 a = mesh->nodes[t[0]], b = mesh->nodes[t[1]], c = mesh->nodes[t[2]], d = mesh->nodes[t[3]];
		double volume = brDDot(brDCross(brDSub(b, a), brDSub(c, a)), brDSub(d, a)) / 6.0;
		shares[i] = brRandom_Range(&random, 0.1, 1.0);
		mass += 2500.0 * shares[i] * volume;
		moment = brDMulAdd(moment, 0.25 * 2500.0 * shares[i] * volume, brDAdd(brDAdd(a, b), brDAdd(c, d)));
	}
	for (int32_t isFill = 0; isFill < 2; ++isFill)
	{
		brElasticDef def = brDefaultElasticDef();
		def.mesh = mesh, def.density = 2500.0, *(isFill != 0 ? &def.fills : &def.stiffnesses) = shares;
		brReport report = {0};
		brElasticBody* body = BR_MADE(brElasticBody, brCreateElasticBody, NULL, &def);
		CHECK_RESULT(brElasticBody_SetCracks(body, NULL, NULL, 0, &report), &report);
		CHECK_EQUAL(brElasticBody_GetComponentCount(body), 1);
		const brElasticComponent* part = brElasticBody_GetComponents(body);
		CHECK_NEAR(part->volume, 1.0, 1e-12);
		CHECK_NEAR(part->mass, isFill != 0 ? mass : 2500.0, 1e-9);
		if (isFill != 0)
		{
			CHECK(brDDistance(part->center, brDMul(1.0 / mass, moment)) < 1e-12);
		}
		brDestroyElasticBody(body);
	}
	free(shares);
	brDestroyTetMesh(mesh);
}

BR_TEST(elastic_bent_cracks_are_clipped_exactly)
{
	brTetMesh* mesh = makeCube(6, test->seed);
	for (int kind = 0; kind < 2; ++kind)
	{
		TestCrack crack = makeSheetCrack((brDVec3){-0.5, -0.5, 0.0}, (brDVec3){2, 0, 0}, (brDVec3){0, 2, 0}, 40, 20);
		double expected = 0.0;
		for (int32_t i = 0; i < crack.surface.vertexCount; ++i)
		{
			brDVec3* p = &crack.positions[i];
			p->z = kind == 0 ? 0.3 + 0.8 * fabs(p->x - 0.5) : 0.5 + 0.1 * brSin(9.0 * p->x);
		}
		// Lines of the sheet are at multiples of 0.05, so trapezoids give the volume below it.
		for (int32_t i = 0; i < 20; ++i)
		{
			double a = 0.05 * i, b = a + 0.05;
			double za = kind == 0 ? 0.3 + 0.8 * fabs(a - 0.5) : 0.5 + 0.1 * brSin(9.0 * a);
			double zb = kind == 0 ? 0.3 + 0.8 * fabs(b - 0.5) : 0.5 + 0.1 * brSin(9.0 * b);
			expected += 0.05 * 0.5 * (za + zb);
		}
		brElasticDef def = brDefaultElasticDef();
		def.mesh = mesh;
		def.sliver = 0.0;
		brReport report = {0};
		brElasticBody* body = BR_MADE(brElasticBody, brCreateElasticBody, NULL, &def);
		CHECK_RESULT(brElasticBody_SetCracks(body, NULL, &crack.surface, 1, &report), &report);
		CHECK_EQUAL(brElasticBody_GetComponentCount(body), 2);
		const brElasticComponent* parts = brElasticBody_GetComponents(body);
		double lower = parts[0].center.z < parts[1].center.z ? parts[0].volume : parts[1].volume;
		// Exact but for tets that the surface enters and leaves through one face, which nodes do not see.
		CHECK_MESSAGE(fabs(lower - expected) < 2e-4, "kind %d: %.8f, expected %.8f", kind, lower, expected);
		brDestroyElasticBody(body);
		freeTestCrack(&crack);
	}
	brDestroyTetMesh(mesh);
}

// Slope of the error over the last halving, by least of noise: log2 of the ratio.
static double rateOf(double coarse, double fine)
{
	double ratio = coarse / fine, rate = 0.0;
	for (; ratio > 2.0; ratio *= 0.5)
	{
		rate += 1.0;
	}
	return rate + (ratio - 1.0); // linear between powers of two is close enough
}

// A cantilever loaded at its end by shear, both ends by the exact tractions and displacements of Timoshenko's solution
// would need a field of their own; here the energy is compared with a limit extrapolated from the finest two meshes,
// and with beam theory.
BR_TEST(elastic_cantilever_converges_in_energy)
{
	int32_t levels = test->intensity >= 2.0 ? 4 : 3;
	double energies[4];
	for (int32_t level = 0; level < levels; ++level)
	{
		int32_t n = 2 << level;
		LatticeAxis x = makeEvenAxis(0.0, 4.0, 4 * n), y = makeEvenAxis(0.0, 1.0, n), z = makeEvenAxis(0.0, 1.0, n);
		brTetMesh* mesh = makeLatticeBlock(&x, &y, &z, 0.0, 1);
		brElasticBody* body = makeBody(NULL, mesh);
		TestSupports supports = {0};
		holdPlane(&supports, mesh, 0, 0.0, 7);
		brReport report = {0};
		CHECK_RESULT(
			brElasticBody_SetSupports(body, NULL, supports.nodes, supports.axes, NULL, supports.count, &report),
			&report);
		TestTraction traction = {0};
		addPlaneTraction(&traction, mesh, 0, 4.0, (brDVec3){0, 0, 1});
		energies[level] = solveWith(NULL, body, &traction, br_solverIterative, 1e-10).energy;
		freeTestTraction(&traction);
		freeTestSupports(&supports);
		brDestroyElasticBody(body);
		brDestroyTetMesh(mesh);
	}
	// Bending F^2 L^3 / 6 E I and shear F^2 L / 2 k G A with k = 5 (1 + nu) / (6 + 5 nu); the clamp stiffens it by a
	// few per cent.
	double beam = 64.0 / 6.0 * 12.0 + 0.5 * 4.0 * 2.6 * (6.0 + 1.5) / (5.0 * 1.3);
	int32_t last = levels - 1;
	double limit = energies[last] + (energies[last] - energies[last - 1]) / 3.0;
	double rate = rateOf(limit - energies[last - 2], limit - energies[last - 1]);
	CHECK_MESSAGE(fabs(limit / beam - 1.0) < 0.03, "energy %.4f, beam theory %.4f", limit, beam);
	CHECK_MESSAGE(rate > 1.5 && rate < 2.3, "energy converges with order %.2f", rate);
	CHECK(energies[0] < energies[1] && energies[1] < energies[2] && energies[last] < limit);
}

// Plate with a hole under tension: Kirsch's field prescribed on the outer faces, the hole free. Energy against the
// exact one.
static brDVec3 kirsch(brDVec3 p, double a, double nu)
{
	// Plane strain, E = 1, unit stress along x.
	double r = sqrt(p.x * p.x + p.y * p.y), c = p.x / r, s = p.y / r;
	double mu = 0.5 / (1.0 + nu), kappa = 3.0 - 4.0 * nu;
	double c3 = 4.0 * c * c * c - 3.0 * c, s3 = 3.0 * s - 4.0 * s * s * s;
	double k = a / (8.0 * mu);
	double u =
		k * (r / a * (kappa + 1.0) * c + 2.0 * a / r * ((1.0 + kappa) * c + c3) - 2.0 * a * a * a / (r * r * r) * c3);
	double v =
		k * (r / a * (kappa - 3.0) * s + 2.0 * a / r * ((1.0 - kappa) * s + s3) - 2.0 * a * a * a / (r * r * r) * s3);
	return (brDVec3){u, v, 0.0};
}

BR_TEST(elastic_hole_in_plate_converges_in_energy)
{
	// A quarter ring bent from a block: radius from 1 to 3, angle from 0 to 90 degrees.
	double energies[3], exact = 0.0;
	for (int level = 0; level < 3; ++level)
	{
		int32_t n = 4 << level;
		LatticeAxis x = makeEvenAxis(0.0, 1.0, n), y = makeEvenAxis(0.0, 1.0, n), z = makeEvenAxis(0.0, 1.0, n / 4);
		brTetMesh* mesh = makeLatticeBlock(&x, &y, &z, 0.0, 1);
		TestSupports supports = {0};
		for (int32_t i = 0; i < mesh->nodeCount; ++i)
		{
			brDVec3 p = mesh->nodes[i];
			double r = 1.0 + 2.0 * p.x * (0.5 + 0.5 * p.x), angle = 0.5 * BR_PI * p.y;
			brDVec3 q = {r * brCos(angle), r * brSin(angle), 0.25 * p.z};
			brDVec3 u = kirsch(q, 1.0, 0.3);
			uint32_t axes = p.z == 0.0 || p.z == 1.0 ? BR_AXIS_Z : 0u;
			axes |= p.x == 1.0 ? BR_AXIS_X | BR_AXIS_Y : 0u;
			axes |= p.y == 0.0 ? BR_AXIS_Y : 0u;
			axes |= p.y == 1.0 ? BR_AXIS_X : 0u;
			u.y = p.y == 0.0 ? 0.0 : u.y;
			u.x = p.y == 1.0 ? 0.0 : u.x;
			if (axes != 0)
			{
				holdNode(&supports, i, axes, u);
			}
			mesh->nodes[i] = q;
		}
		brElasticBody* body = makeBody(NULL, mesh);
		brReport report = {0};
		CHECK_RESULT(brElasticBody_SetSupports(body, NULL, supports.nodes, supports.axes, supports.values,
											   supports.count, &report),
					 &report);
		TestTraction none = {0};
		energies[level] = solveWith(NULL, body, &none, br_solverIterative, 1e-10).energy;
		// Stress at the hole: 3 at the top, -1 at the side, from the nearest tets; just a look that the field is the
		// one.
		if (level == 2)
		{
			double top = 0.0;
			brElasticElement* pieces = malloc(sizeof(*pieces) * (size_t)brElasticBody_GetElementCount(body));
			brElasticBody_GetElements(body, NULL, pieces);
			for (int32_t i = 0; i < brElasticBody_GetElementCount(body); ++i)
			{
				bool isThere = pieces[i].center.x < 0.15 && pieces[i].center.y < 1.1;
				top = isThere && pieces[i].stress.xx > top ? pieces[i].stress.xx : top;
			}
			CHECK_NEAR(top, 3.0, 0.3);
			free(pieces);
		}
		freeTestSupports(&supports);
		brDestroyElasticBody(body);
		brDestroyTetMesh(mesh);
	}
	// The exact energy is half the work of the outer tractions on Kirsch's displacements; sides and faces do none. By
	// quadrature along the arc.
	for (int i = 0; i < 2000; ++i)
	{
		double angle = 0.5 * BR_PI * (i + 0.5) / 2000.0, r = 3.0, c = brCos(angle), s = brSin(angle);
		double q = 1.0 / (r * r), c2 = c * c - s * s, s2 = 2.0 * s * c;
		double srr = 0.5 * (1.0 - q) + 0.5 * (1.0 - 4.0 * q + 3.0 * q * q) * c2;
		double srt = -0.5 * (1.0 + 2.0 * q - 3.0 * q * q) * s2;
		brDVec3 u = kirsch((brDVec3){r * c, r * s, 0.0}, 1.0, 0.3);
		double ur = u.x * c + u.y * s, ut = -u.x * s + u.y * c;
		exact += 0.5 * (srr * ur + srt * ut) * r * 0.5 * BR_PI / 2000.0 * 0.25;
	}
	double rate = rateOf(energies[1] - exact, energies[2] - exact);
	CHECK_MESSAGE(energies[2] > exact && energies[2] < 1.01 * exact, "energy %.6f, exact %.6f", energies[2], exact);
	CHECK_MESSAGE(rate > 1.7 && rate < 2.3, "energy converges with order %.2f", rate);
}

// Solvers agree on a body with crossing cracks, supports and a soft half.
BR_TEST(elastic_solvers_agree)
{
	brTetMesh* mesh = makeCube(6, test->seed);
	double* soft = malloc(sizeof(double) * (size_t)mesh->tetCount);
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		soft[t] = mesh->nodes[mesh->tets[t][0]].y > 0.5 ? 0.2 : 1.0;
	}
	brElasticDef def = brDefaultElasticDef();
	def.mesh = mesh;
	def.youngsModulus = 3e9;
	def.stiffnesses = soft;
	brReport report = {0};
	brElasticBody* body = BR_MADE(brElasticBody, brCreateElasticBody, NULL, &def);
	TestCrack cracks[2] = {
		makeSheetCrack((brDVec3){-0.5, -0.5, 0.52}, (brDVec3){1.15, 0, 0}, (brDVec3){0, 2, 0}, 5, 5),
		makeSheetCrack((brDVec3){0.33, -0.4, 0.15}, (brDVec3){0, 1.5, 0.1}, (brDVec3){0.05, 0, 0.7}, 5, 5)};
	brCrackSurface surfaces[2] = {cracks[0].surface, cracks[1].surface};
	CHECK_RESULT(brElasticBody_SetCracks(body, NULL, surfaces, 2, &report), &report);
	TestTraction traction = {0};
	addPlaneTraction(&traction, mesh, 2, 1.0, (brDVec3){0.3e6, 0, 1e6});
	for (int isHeld = 0; isHeld < 2; ++isHeld)
	{
		TestSupports supports = {0};
		if (isHeld)
		{
			holdPlane(&supports, mesh, 2, 0.0, 7);
		}
		CHECK_RESULT(
			brElasticBody_SetSupports(body, NULL, supports.nodes, supports.axes, NULL, supports.count, &report),
			&report);
		brElasticStats jacobi = solveWith(NULL, body, &traction, br_solverJacobi, 1e-10);
		brElasticStats grid = solveWith(NULL, body, &traction, br_solverIterative, 1e-10);
		CHECK(jacobi.residual <= 1.1e-10 && grid.residual <= 1.1e-10);
		CHECK_NEAR(grid.energy / jacobi.energy, 1.0, 1e-8);
		CHECK(grid.iterations < 45 && grid.iterations < jacobi.iterations / 3);
		CHECK(grid.condition > 1.0 && grid.condition < 60.0 && jacobi.condition > 100.0);
		brElasticStats again = solveWith(NULL, body, &traction, br_solverIterative, 1e-10);
		CHECK(again.isHierarchyReused && again.energy == grid.energy);
		freeTestSupports(&supports);
	}
	free(soft);
	freeTestTraction(&traction);
	freeTestCrack(&cracks[0]);
	freeTestCrack(&cracks[1]);
	brDestroyElasticBody(body);
	brDestroyTetMesh(mesh);
}

// Two crossing sheets cut a cube into four, three into eight: every corner of the crossing is its own piece, and each
// part is sound.
BR_TEST(elastic_crossing_cracks_leave_all_parts)
{
	brTetMesh* mesh = makeCube(5, test->seed);
	brElasticBody* body = makeBody(NULL, mesh);
	TestCrack cracks[3] = {
		makeSheetCrack((brDVec3){-0.5, -0.5, 0.52}, (brDVec3){2, 0, 0.02}, (brDVec3){0, 2, 0}, 3, 3),
		makeSheetCrack((brDVec3){0.47, -0.5, -0.5}, (brDVec3){0.03, 2, 0}, (brDVec3){0, 0, 2}, 3, 3),
		makeSheetCrack((brDVec3){-0.5, 0.51, -0.5}, (brDVec3){0, 0.01, 2}, (brDVec3){2, 0, 0}, 3, 3)};
	brCrackSurface surfaces[3];
	for (int count = 1; count <= 3; ++count)
	{
		surfaces[count - 1] = cracks[count - 1].surface;
		brReport report = {0};
		CHECK_RESULT(brElasticBody_SetCracks(body, NULL, surfaces, count, &report), &report);
		CHECK_EQUAL(brElasticBody_GetComponentCount(body), 1 << count);
		double volume = 0.0;
		for (int32_t p = 0; p < brElasticBody_GetComponentCount(body); ++p)
		{
			volume += brElasticBody_GetComponents(body)[p].volume;
			CHECK_NEAR(brElasticBody_GetComponents(body)[p].volume, 1.0 / (1 << count), 0.05);
		}
		CHECK_NEAR(volume, 1.0, 1e-12);
		// Each part in its own uniform state.
		TestTraction traction = {0};
		addPlaneTraction(&traction, mesh, 0, 1.0, (brDVec3){1, 0, 0});
		addPlaneTraction(&traction, mesh, 1, 0.0, (brDVec3){0, 0.5, 0});
		brElasticStats stats = solveWith(NULL, body, &traction, br_solverIterative, 1e-9);
		CHECK(stats.iterations < 40 && stats.looseComponents == 1 << count);
		freeTestTraction(&traction);
	}
	for (int i = 0; i < 3; ++i)
	{
		freeTestCrack(&cracks[i]);
	}
	brDestroyElasticBody(body);
	brDestroyTetMesh(mesh);
}

// Random sheets, some through, some ending inside, planes through lattice nodes among them: the system is always solved.
BR_TEST(elastic_random_cracks_are_always_solved)
{
	brRandom random = brTest_Random(test);
	int32_t rounds = brTest_Rounds(test, 60), lattice = 0, cutThrough = 0, partial = 0;
	for (int32_t round = 0; round < rounds; ++round)
	{
		LatticeAxis axis = makeEvenAxis(0.0, 1.0, 3 + (int32_t)brRandom_Below(&random, 2));
		bool isLattice = brRandom_Below(&random, 3) == 0;
		brTetMesh* mesh = makeLatticeBlock(&axis, &axis, &axis, isLattice ? 0.0 : 0.12, brRandom_Next(&random));
		brElasticBody* body = makeBody(NULL, mesh);
		int32_t count = 1 + (int32_t)brRandom_Below(&random, 6);
		TestCrack cracks[6];
		brCrackSurface surfaces[6];
		for (int32_t i = 0; i < count; ++i)
		{
			brDVec3 center = {brRandom_Unit(&random), brRandom_Unit(&random), brRandom_Unit(&random)};
			brDVec3 normal = {brRandom_Unit(&random) - 0.5, brRandom_Unit(&random) - 0.5, brRandom_Unit(&random) - 0.5};
			if (isLattice)
			{
				center = (brDVec3){0.5, 0.5, 0.5};
				normal = (brDVec3){i % 3 == 0, i % 3 == 1, i % 3 == 2};
				lattice += 1;
			}
			cracks[i] = makeDiskCrack(center, normal, brRandom_Range(&random, 0.1, 1.2), 3, 12);
			surfaces[i] = cracks[i].surface;
		}
		brReport report = {0};
		CHECK_RESULT(brElasticBody_SetCracks(body, NULL, surfaces, count, &report), &report);
		double volume = 0.0;
		for (int32_t p = 0; p < brElasticBody_GetComponentCount(body); ++p)
		{
			volume += brElasticBody_GetComponents(body)[p].volume;
		}
		CHECK_NEAR(volume, 1.0, 1e-12);
		cutThrough += brElasticBody_GetComponentCount(body) > 1;
		partial += brElasticBody_GetComponentCount(body) == 1;
		TestTraction traction = {0};
		addPlaneTraction(&traction, mesh, 2, 1.0, (brDVec3){0.1, 0, 1});
		addPlaneTraction(&traction, mesh, 2, 0.0, (brDVec3){0, 0, -1});
		brElasticLoad load = brDefaultElasticLoad();
		load.tractionCount = traction.count;
		load.tractionTriangles = (const int32_t(*)[3])traction.triangles;
		load.tractions = traction.tractions;
		brElasticStats stats = {0};
		brResult result = brElasticBody_Solve(body, NULL, &load, NULL, &stats, &report);
		CHECK_MESSAGE(result == br_success, "round %d: %s", round, report.text);
		CHECK(isfinite(stats.energy) && stats.energy > 0.0);
		CHECK_MESSAGE(stats.iterations < 300, "round %d: %d iterations", round, stats.iterations);
		freeTestTraction(&traction);
		for (int32_t i = 0; i < count; ++i)
		{
			freeTestCrack(&cracks[i]);
		}
		brDestroyElasticBody(body);
		brDestroyTetMesh(mesh);
	}
	CHECK(rounds < 20 || (lattice > 0 && cutThrough > 0 && partial > 0));
}

// Built-in models as the mesher fills them, thin and touching parts among them, hit at a node, with random disks
// through them.
BR_TEST(elastic_models_with_random_cracks_are_solved)
{
	static const char* names[] = {"statue", "vase", "bowl", "knot", "column", "plate"};
	brRandom random = brTest_Random(test);
	int32_t rounds = brTest_Rounds(test, 4), solved = 0, maxIterations = 0;
	for (size_t m = 0; m < sizeof(names) / sizeof(names[0]); ++m)
	{
		brModelDef model = brDefaultModelDef(names[m]);
		brMesh* surface = NULL;
		brTetMesh* mesh = NULL;
		brReport report = {0};
		if (brMakeModel(NULL, &model, &surface, &report) < 0)
		{
			continue;
		}
		brTetDef tetDef = brDefaultTetDef();
		tetDef.targetTets = 3000;
		tetDef.embed = m % 2 == 1;
		tetDef.allowBroken = true;
		if (brMakeTetMesh(NULL, surface, &tetDef, &mesh, NULL, &report) < 0)
		{
			brDestroyMesh(surface);
			continue;
		}
		brElasticDef def = brDefaultElasticDef();
		def.mesh = mesh;
		brElasticBody* body = BR_MADE(brElasticBody, brCreateElasticBody, NULL, &def);
		brDBox3 box = brMesh_ComputeBounds(surface);
		double size = brDDistance(box.lower, box.upper);
		for (int32_t round = 0; round < rounds; ++round)
		{
			int32_t count = (int32_t)brRandom_Below(&random, 5);
			TestCrack cracks[4];
			brCrackSurface surfaces[4];
			for (int32_t i = 0; i < count; ++i)
			{
				brDVec3 center = mesh->nodes[brRandom_Below(&random, (uint32_t)mesh->nodeCount)];
				brDVec3 normal = {brRandom_Unit(&random) - 0.5, brRandom_Unit(&random) - 0.5,
								  brRandom_Unit(&random) - 0.5};
				cracks[i] = makeDiskCrack(center, normal, size * brRandom_Range(&random, 0.02, 0.7), 4, 16);
				surfaces[i] = cracks[i].surface;
			}
			CHECK_RESULT(brElasticBody_SetCracks(body, NULL, surfaces, count, &report), &report);
			int32_t node = mesh->tets[brRandom_Below(&random, (uint32_t)mesh->tetCount)][0];
			brDVec3 force = {brRandom_Range(&random, -1e3, 1e3), brRandom_Range(&random, -1e3, 1e3), 1e3};
			brElasticLoad load = brDefaultElasticLoad();
			load.forceCount = 1, load.forceNodes = &node, load.forces = &force;
			brElasticStats stats = {0};
			brResult result = brElasticBody_Solve(body, NULL, &load, NULL, &stats, &report);
			CHECK_MESSAGE(result == br_success, "%s, round %d: %s", names[m], round, report.text);
			CHECK(stats.energy > 0.0 && isfinite(stats.energy));
			maxIterations = stats.iterations > maxIterations ? stats.iterations : maxIterations;
			for (int32_t i = 0; i < count; ++i)
			{
				int32_t pointCount = 0;
				brCrackFrontPoint points[16];
				CHECK_RESULT(brElasticBody_ComputeFrontPoints(body, NULL, i, NULL, 16, points, &pointCount, &report),
							 &report);
				for (int32_t k = 0; k < pointCount; ++k)
				{
					CHECK(isfinite(points[k].energyRelease) && isfinite(points[k].kinkAngle));
				}
				freeTestCrack(&cracks[i]);
			}
			solved += 1;
		}
		brDestroyElasticBody(body);
		brDestroyTetMesh(mesh);
		brDestroyMesh(surface);
	}
	CHECK(solved >= 4 * rounds);
	CHECK_MESSAGE(maxIterations < 400, "%d iterations", maxIterations);
}

// Side volumes do not depend on how the plane lies in the lattice.
BR_TEST(elastic_iterations_do_not_depend_on_slivers)
{
	int32_t counts[2][8], kinds = 0;
	for (double delta = 0.25; delta > 1e-9; delta *= 0.04)
	{
		LatticeAxis axis = makeEvenAxis(0.0, 1.0, 8);
		brTetMesh* mesh = makeLatticeBlock(&axis, &axis, &axis, 0.0, 1);
		for (int keepsSlivers = 0; keepsSlivers < 2; ++keepsSlivers)
		{
			brElasticDef def = brDefaultElasticDef();
			def.mesh = mesh;
			def.youngsModulus = 1.0;
			def.sliver = keepsSlivers ? 0.0 : 1e-3;
			brReport report = {0};
			brElasticBody* body = BR_MADE(brElasticBody, brCreateElasticBody, NULL, &def);
			TestCrack crack = makeSheetCrack((brDVec3){-0.5, -0.5, 0.5 + delta / 8.0}, (brDVec3){1.05, 0, 0},
											 (brDVec3){0, 2, 0}, 5, 5);
			CHECK_RESULT(brElasticBody_SetCracks(body, NULL, &crack.surface, 1, &report), &report);
			TestTraction traction = {0};
			addPlaneTraction(&traction, mesh, 2, 1.0, (brDVec3){0, 0, 1});
			addPlaneTraction(&traction, mesh, 2, 0.0, (brDVec3){0, 0, -1});
			brElasticStats jacobi = solveWith(NULL, body, &traction, br_solverJacobi, 1e-8);
			brElasticStats grid = solveWith(NULL, body, &traction, br_solverIterative, 1e-8);
			if (!keepsSlivers)
			{
				counts[0][kinds] = jacobi.iterations;
				counts[1][kinds] = grid.iterations;
			}
			CHECK_MESSAGE(grid.iterations < 40, "delta %g: %d iterations", delta, grid.iterations);
			freeTestCrack(&crack);
			freeTestTraction(&traction);
			brDestroyElasticBody(body);
		}
		kinds += 1;
		brDestroyTetMesh(mesh);
	}
	for (int32_t i = 1; i < kinds; ++i)
	{
		CHECK_MESSAGE(abs(counts[0][i] - counts[0][0]) <= 0.12 * counts[0][0], "%d against %d", counts[0][i],
					  counts[0][0]);
		CHECK_MESSAGE(abs(counts[1][i] - counts[1][0]) <= 5, "%d against %d", counts[1][i], counts[1][0]);
	}
}

BR_TEST(elastic_same_bits_for_any_workers)
{
	brTetMesh* mesh = makeCube(9, test->seed);
	TestCrack crack = makeDiskCrack((brDVec3){0.48, 0.52, 0.47}, (brDVec3){0.2, 0.1, 1.0}, 0.3, 4, 24);
	brDVec3* u[3];
	brCrackFrontPoint points[3][24];
	for (int32_t k = 0; k < 3; ++k)
	{
		brContext context = {0};
		context.workers = k > 0 ? brTest_Workers(1 + k) : NULL;
		brElasticBody* body = makeBody(&context, mesh);
		brReport report = {0};
		CHECK_RESULT(brElasticBody_SetCracks(body, &context, &crack.surface, 1, &report), &report);
		TestTraction traction = {0};
		addPlaneTraction(&traction, mesh, 2, 1.0, (brDVec3){0, 0, 1});
		addPlaneTraction(&traction, mesh, 2, 0.0, (brDVec3){0, 0, -1});
		solveWith(&context, body, &traction, br_solverIterative, 1e-8);
		u[k] = malloc(sizeof(brDVec3) * (size_t)mesh->nodeCount);
		brElasticBody_GetDisplacements(body, u[k]);
		int32_t count = 0;
		memset(points[k], 0, sizeof(points[k]));
		CHECK_RESULT(brElasticBody_ComputeFrontPoints(body, &context, 0, NULL, 24, points[k], &count, &report),
					 &report);
		CHECK_EQUAL(count, 24);
		CHECK(memcmp(u[0], u[k], sizeof(brDVec3) * (size_t)mesh->nodeCount) == 0);
		for (int32_t i = 0; i < count; ++i)
		{
			CHECK(memcmp(points[0][i].intensity, points[k][i].intensity, sizeof(points[0][i].intensity)) == 0);
		}
		freeTestTraction(&traction);
		brDestroyElasticBody(body);
		brDestroyWorkers(context.workers);
	}
	for (int32_t k = 0; k < 3; ++k)
	{
		free(u[k]);
	}
	freeTestCrack(&crack);
	brDestroyTetMesh(mesh);
}

// Setting cracks one after the other gives what setting them at once gives.
BR_TEST(elastic_growing_cracks_equal_fresh_ones)
{
	brTetMesh* mesh = makeCube(6, test->seed);
	brElasticBody* grown = makeBody(NULL, mesh);
	TestTraction traction = {0};
	addPlaneTraction(&traction, mesh, 2, 1.0, (brDVec3){0, 0, 1});
	addPlaneTraction(&traction, mesh, 2, 0.0, (brDVec3){0, 0, -1});
	brReport report = {0};
	for (int step = 0; step < 4; ++step)
	{
		TestCrack crack =
			makeSheetCrack((brDVec3){-0.5, -0.5, 0.463}, (brDVec3){0.8 + 0.15 * step, 0, 0}, (brDVec3){0, 2, 0}, 7, 9);
		TestCrack still = makeDiskCrack((brDVec3){0.7, 0.5, 0.8}, (brDVec3){1, 0, 0.2}, 0.15, 2, 12);
		brCrackSurface surfaces[2] = {still.surface, crack.surface};
		CHECK_RESULT(brElasticBody_SetCracks(grown, NULL, surfaces, 2, &report), &report);
		brElasticBody* fresh = makeBody(NULL, mesh);
		CHECK_RESULT(brElasticBody_SetCracks(fresh, NULL, surfaces, 2, &report), &report);
		brElasticStats a = solveWith(NULL, grown, &traction, br_solverIterative, 1e-8);
		brElasticStats b = solveWith(NULL, fresh, &traction, br_solverIterative, 1e-8);
		CHECK(a.energy == b.energy && a.ghostCount == b.ghostCount && a.iterations == b.iterations);
		// From the last solution: the same answer, not in more iterations.
		brElasticLoad load = brDefaultElasticLoad();
		load.tractionCount = traction.count;
		load.tractionTriangles = (const int32_t(*)[3])traction.triangles;
		load.tractions = traction.tractions;
		brElasticSolveDef warm = brDefaultElasticSolveDef();
		warm.enableWarmStart = true;
		brElasticStats c = {0};
		CHECK_RESULT(brElasticBody_Solve(grown, NULL, &load, &warm, &c, &report), &report);
		CHECK_NEAR(c.energy / a.energy, 1.0, 1e-7);
		CHECK(c.iterations <= 2);
		brDestroyElasticBody(fresh);
		freeTestCrack(&crack);
		freeTestCrack(&still);
	}
	brDestroyElasticBody(grown);
	freeTestTraction(&traction);
	brDestroyTetMesh(mesh);
}

// Two cubes that touch in an edge are two parts, not a hinge.
BR_TEST(elastic_tets_that_touch_in_an_edge_are_apart)
{
	brDVec3 nodes[6] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
	int32_t tets[2][4] = {{0, 2, 3, 1}, {0, 4, 5, 1}};
	brTetMeshDef def = brDefaultTetMeshDef();
	def.nodeCount = 6, def.nodes = nodes;
	def.tetCount = 2, def.tets = (const int32_t(*)[4])tets;
	brTetMesh* mesh = BR_MADE(brTetMesh, brCreateTetMesh, NULL, &def);
	brElasticBody* body = makeBody(NULL, mesh);
	CHECK_EQUAL(brElasticBody_GetComponentCount(body), 2);
	brElasticLoad load = brDefaultElasticLoad();
	int32_t node = 2;
	brDVec3 force = {0, 0, 1};
	load.forceCount = 1, load.forceNodes = &node, load.forces = &force;
	brElasticStats stats = {0};
	brReport report = {0};
	CHECK(brElasticBody_Solve(body, NULL, &load, NULL, &stats, &report) == br_success);
	CHECK(stats.energy > 0.0 && stats.looseComponents == 2 && stats.residual < 1e-8);
	brDestroyElasticBody(body);
	brDestroyTetMesh(mesh);
}

BR_TEST(elastic_refuses_bad_data)
{
	brTetMesh* mesh = makeCube(2, 1);
	brElasticBody* body = makeBody(NULL, mesh);
	brReport report = {0};
	brDVec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
	int32_t triangle[1][3] = {{0, 1, 3}};
	brCrackSurface crack = {3, 1, 0, positions, (const int32_t(*)[3])triangle, NULL, NULL};
	CHECK_EQUAL(brElasticBody_SetCracks(body, NULL, &crack, 1, &report), br_errorGeometry);
	CHECK(strstr(report.text, "vertex 3") != NULL);
	triangle[0][2] = 2;
	positions[1].x = NAN;
	CHECK_EQUAL(brElasticBody_SetCracks(body, NULL, &crack, 1, &report), br_errorGeometry);
	positions[1].x = 0.0; // flat: no crack at all
	CHECK_RESULT(brElasticBody_SetCracks(body, NULL, &crack, 1, &report), &report);
	int32_t count = 7;
	CHECK_RESULT(brElasticBody_ComputeFrontPoints(body, NULL, 0, NULL, 0, NULL, &count, &report), &report);
	CHECK_EQUAL(count, 0);
	CHECK_EQUAL(brElasticBody_ComputeFrontPoints(body, NULL, 1, NULL, 0, NULL, &count, &report), br_errorMisuse);
	int32_t node = 999;
	uint32_t axes = 7;
	CHECK_EQUAL(brElasticBody_SetSupports(body, NULL, &node, &axes, NULL, 1, &report), br_errorMisuse);
	brElasticLoad load = brDefaultElasticLoad();
	brDVec3 force = {1, 0, 0};
	load.forceCount = 1, load.forceNodes = &node, load.forces = &force;
	CHECK_EQUAL(brElasticBody_Solve(body, NULL, &load, NULL, NULL, &report), br_errorMisuse);
	CHECK(strstr(report.text, "node 999") != NULL);
	brDestroyElasticBody(body);
	int32_t swap = mesh->tets[3][0];
	mesh->tets[3][0] = mesh->tets[3][1];
	mesh->tets[3][1] = swap;
	brElasticDef def = brDefaultElasticDef();
	def.mesh = mesh;
	CHECK_EQUAL(brCreateElasticBody(NULL, &def, &body, &report), br_errorGeometry);
	CHECK(strstr(report.text, "tet 3") != NULL);
	brDestroyTetMesh(mesh);
}

typedef struct FaultCase
{
	const brTetMesh* mesh;
	const TestCrack* crack;
	const TestTraction* traction;
} FaultCase;

static brResult runFaultCase(const brContext* context, void* user)
{
	const FaultCase* fault = user;
	brElasticDef def = brDefaultElasticDef();
	def.mesh = fault->mesh;
	def.youngsModulus = 1.0;
	brElasticBody* body = NULL;
	brResult result = brCreateElasticBody(context, &def, &body, NULL);
	int32_t node = 0;
	uint32_t axes = 1;
	if (result >= 0)
	{
		result = brElasticBody_SetCracks(body, context, &fault->crack->surface, 1, NULL);
	}
	if (result >= 0)
	{
		result = brElasticBody_SetSupports(body, context, &node, &axes, NULL, 1, NULL);
	}
	brElasticLoad load = brDefaultElasticLoad();
	load.tractionCount = fault->traction->count;
	load.tractionTriangles = (const int32_t(*)[3])fault->traction->triangles;
	load.tractions = fault->traction->tractions;
	if (result >= 0)
	{
		result = brElasticBody_Solve(body, context, &load, NULL, NULL, NULL);
	}
	int32_t count = 0;
	brCrackFrontPoint points[32];
	if (result >= 0)
	{
		result = brElasticBody_ComputeFrontPoints(body, context, 0, NULL, 32, points, &count, NULL);
	}
	brDestroyElasticBody(body);
	return result;
}

BR_TEST(elastic_survives_every_failing_allocation)
{
	brTetMesh* mesh = makeCube(3, 1);
	TestCrack crack = makeDiskCrack((brDVec3){0.5, 0.5, 0.47}, (brDVec3){0, 0, 1}, 0.3, 2, 8);
	TestTraction traction = {0};
	addPlaneTraction(&traction, mesh, 2, 1.0, (brDVec3){0, 0, 1});
	FaultCase fault = {mesh, &crack, &traction};
	CHECK(brTest_WalkAllocations(runFaultCase, &fault) > 100);
	freeTestTraction(&traction);
	freeTestCrack(&crack);
	brDestroyTetMesh(mesh);
}
