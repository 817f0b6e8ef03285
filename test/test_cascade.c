// SPDX-License-Identifier: MIT

// The cascade of cracks: closed pieces that fit, numbers that grow with the energy, sizes by power laws.

#include "brittle/brittle.h"
#include "fracture/split.h"
#include "harness.h"
#include "math/power.h"
#include "shapes.h"
#include "shatter_help.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A point of the surface, seen from a random direction.
static brDVec3 cascadeHit(const brMesh* mesh, brRandom* random, brDVec3* outInward)
{
	int32_t face = (int32_t)brRandom_Below(random, (uint32_t)mesh->faceCount);
	const int32_t* c = mesh->corners + mesh->faceStarts[face];
	brDVec3 a = mesh->positions[c[0]], b = mesh->positions[c[1]], d = mesh->positions[c[2]];
	*outInward = brDNormalize(brDCross(brDSub(d, a), brDSub(b, a)));
	return brDMul(1.0 / 3.0, brDAdd(a, brDAdd(b, d)));
}

// Whatever is hit where and how hard, pieces are closed and fit together.
BR_TEST(cascade_pieces_are_closed)
{
	static const char* const names[] = {"vase", "pane", "box", "icosphere", "plate", "wine_glass", "piggy_bank"};
	static const char* const materials[] = {"glass", "porcelain", "concrete"};
	brRandom random = brTest_Random(test);
	int32_t broken = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 14); ++round)
	{
		brMesh* mesh = brShape_Model(names[round % 7], 16);
		brCascadeDef def = brDefaultCascadeDef();
		def.material = *brFindMaterial(materials[brRandom_Below(&random, 3)]);
		def.at = cascadeHit(mesh, &random, &def.direction);
		def.seed = brRandom_Next(&random);
		double size = brPower(brMesh_ComputeMass(mesh, 1.0).volume, 2.0 / 3.0);
		def.energy =
			brMaterial_GetFractureEnergy(&def.material) * size * brPower(10.0, brRandom_Range(&random, -1.0, 1.5));
		def.pieces = 300;
		def.makeHulls = round % 3 == 0;
		def.mustBreak = round % 2 == 0;
		brShatter* shatter = BR_MADE(brShatter, brCreateCascade, NULL, mesh, &def);
		brCheckPieces(shatter, 1e-8);
		CHECK(shatter->pieceCount > 1 || !def.mustBreak);
		CHECK(shatter->pieceCount <= 300);
		broken += shatter->pieceCount > 10;
		brDestroyShatter(shatter);
		brDestroyMesh(mesh);
	}
	CHECK(broken > 0);
}

static brResult splitPart(brSplit* split, int32_t part, const brSplitShape* shape, double spacing, brSplitChildren* out)
{
	brSplitCut cut = {.area = 0.0};
	brResult result = brSplit_Divide(split, 0, part, shape, spacing, &cut);
	result = result >= 0 ? brSplit_Keep(split, part, &cut, out) : result;
	brSplitCut_Free(&split->allocator, &cut);
	return result;
}

// Cut again and again by anything: planes, balls, through vertices.
BR_TEST(split_parts_stay_closed)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 20); ++round)
	{
		brMesh* mesh = round % 2 == 0 ? brShape_Torus(24, 12, 1.0, 0.4) : brShape_LPrism();
		brSplit split;
		CHECK_RESULT(brSplit_Make(NULL, mesh, &split, NULL), NULL);
		for (int32_t cut = 0; cut < 30; ++cut)
		{
			int32_t part = (int32_t)brRandom_Below(&random, (uint32_t)split.parts.count);
			if (split.parts.data[part].triangles == NULL)
			{
				continue;
			}
			// Planes through the middle or a vertex, some along axes; balls round a point of the surface.
			int32_t vertex = (int32_t)brRandom_Below(&random, (uint32_t)mesh->vertexCount);
			brSplitShape shape = {.origin = cut % 4 == 0 ? mesh->positions[vertex] : split.parts.data[part].center};
			brDVec3 n = {brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0), 0.1};
			n = cut % 5 == 0 ? brMakeDVec3(0.0, 0.0, 1.0) : brDNormalize(n);
			if (cut % 3 == 0)
			{
				shape.origin = cascadeHit(mesh, &random, &n);
				shape.radius = brRandom_Range(&random, 0.1, 0.4);
			}
			brSplitShape_SetNormal(&shape, n);
			shape.height = cut % 2 == 0 ? 0.02 : 0.0, shape.length = 0.3, shape.seed = (uint64_t)cut;
			brSplitChildren children;
			CHECK_RESULT(splitPart(&split, part, &shape, 0.1, &children), NULL);
		}
		brSurfaceMaterial interior = brDefaultSurfaceMaterial();
		strcpy(interior.name, "cut");
		brSplitPieceDef def = {1.0, &interior, false, true};
		brShatter* shatter = BR_MADE(brShatter, brSplit_ToShatter, &split, &def);
		brCheckPieces(shatter, 1e-9);
		CHECK(shatter->pieceCount > 5);
		brDestroyShatter(shatter);
		brSplit_Free(&split);
		brDestroyMesh(mesh);
	}
}

// A scan brings a speck along: next to nothing, and no reason to refuse every cut.
BR_TEST(split_cuts_what_has_a_speck_beside_it)
{
	brMesh* parts[2] = {brShape_Box(1.0, 1.0, 1.0), brShape_Box(1e-4, 1e-4, 1e-4)};
	for (int32_t v = 0; v < parts[1]->vertexCount; ++v)
	{
		parts[1]->positions[v].x += 2.0;
	}
	brMesh* mesh = BR_MADE(brMesh, brMergeMeshes, NULL, (const brMesh* const*)parts, 2);
	brSplit split;
	CHECK_RESULT(brSplit_Make(NULL, mesh, &split, NULL), NULL);
	brSplitShape shape = {.origin = brMakeDVec3(0.1, 0.1, 0.1)};
	brSplitShape_SetNormal(&shape, brMakeDVec3(0.0, 0.6, 0.8));
	brSplitChildren children;
	CHECK_RESULT(splitPart(&split, 0, &shape, 0.0, &children), NULL);
	CHECK_EQUAL(children.count, 3); // two halves and the speck
	brSplit_Free(&split);
	brDestroyMesh(mesh);
	brDestroyMesh(parts[0]);
	brDestroyMesh(parts[1]);
}

// A ball far wider than its body is thick sees slivers, whose number grows by half with every pass of refining: brittle
// drop did not come to an end with a sheet of a nanometer.
BR_TEST(split_refines_slivers_within_bounds)
{
	brMesh* mesh = brShape_Box(1.0, 1e-11, 1e-11);
	brSplit split;
	CHECK_RESULT(brSplit_Make(NULL, mesh, &split, NULL), NULL);
	brSplitShape shape = {.origin = brMakeDVec3(0.06, 0.0, 0.0), .radius = 1e-8};
	brSplitShape_SetNormal(&shape, brMakeDVec3(0.0, 0.0, 1.0));
	brSplitChildren children;
	CHECK_RESULT(splitPart(&split, 0, &shape, 0.0, &children), NULL);
	CHECK(split.parts.data[split.parts.count - 1].pointCount < 10000);
	brSplit_Free(&split);
	brDestroyMesh(mesh);
}

// Bumps stay inside thin walls, and faces out of edges that they meet at a small angle.
BR_TEST(cascade_pieces_are_clean_solids)
{
	static const char* const models[5] = {"vase", "pane", "plate", "wine_glass", "brick"};
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 10); ++round)
	{
		const char* model = models[round % 5];
		brMesh* mesh = brShape_Model(model, 24);
		brCascadeDef def = brDefaultCascadeDef();
		brDVec3 normal;
		def.material = *brFindMaterial(round % 2 == 0 ? "porcelain" : "glass");
		def.at = cascadeHit(mesh, &random, &normal), def.direction = normal;
		def.energy = brRandom_Range(&random, 0.3, 3.0), def.seed = (uint64_t)round, def.pieces = 60;
		brShatter* shatter = BR_MADE(brShatter, brCreateCascade, NULL, mesh, &def);
		for (int32_t i = 0; i < shatter->pieceCount; ++i)
		{
			brMeshCheck check;
			CHECK_RESULT(brMesh_Check(shatter->pieces[i].mesh, NULL, NULL, &check, NULL), NULL);
			CHECK_MESSAGE(check.isSolid, "%s by %g J, seed %d, piece %d: %s", model, def.energy, round, i,
						  check.verdict);
		}
		brDestroyShatter(shatter);
		brDestroyMesh(mesh);
	}
}

// Equal blows give equal bits, with workers and without.
BR_TEST(cascade_is_repeatable)
{
	brMesh* mesh = brShape_Model("vase", 24);
	brCascadeDef def = brDefaultCascadeDef();
	def.at = brMakeDVec3(0.08, 0.0, 0.15), def.direction = brMakeDVec3(-1.0, 0.0, 0.0);
	def.energy = 0.5, def.seed = 5;
	brWorkers* workers = brTest_Workers(3);
	brContext context = {.workers = workers};
	brShatter *one = NULL, *two = NULL;
	CHECK_RESULT(brCreateCascade(NULL, mesh, &def, &one, NULL), NULL);
	CHECK_RESULT(brCreateCascade(&context, mesh, &def, &two, NULL), NULL);
	CHECK_EQUAL(one->pieceCount, two->pieceCount);
	CHECK_EQUAL(one->bondCount, two->bondCount);
	CHECK(memcmp(one->bonds, two->bonds, (size_t)one->bondCount * sizeof(brBond)) == 0);
	for (int32_t i = 0; i < one->pieceCount; ++i)
	{
		const brMesh *a = one->pieces[i].mesh, *b = two->pieces[i].mesh;
		CHECK_EQUAL(a->vertexCount, b->vertexCount);
		CHECK(memcmp(a->positions, b->positions, (size_t)a->vertexCount * sizeof(brDVec3)) == 0);
		CHECK(memcmp(a->corners, b->corners, (size_t)a->cornerCount * sizeof(int32_t)) == 0);
	}
	brDestroyShatter(one);
	brDestroyShatter(two);
	brDestroyWorkers(workers);
	brDestroyMesh(mesh);
}

static brResult cascadeWalk(const brContext* context, void* user)
{
	brCascadeDef def = brDefaultCascadeDef();
	def.energy = 2.0, def.at = brMakeDVec3(1.0, 1.0, 1.0), def.pieces = 12, def.smallest = 0.3;
	def.makeHulls = true, def.clusterSize = 2;
	brShatter* shatter = NULL;
	brResult result = brCreateCascade(context, user, &def, &shatter, NULL);
	if (result >= 0)
	{
		brDestroyShatter(shatter);
	}
	return result;
}

BR_TEST(cascade_survives_no_memory)
{
	brMesh* mesh = brShape_Box(1.0, 1.0, 1.0);
	CHECK(brTest_WalkAllocations(cascadeWalk, mesh) > 50);
	brDestroyMesh(mesh);
}

BR_TEST(cascade_refuses_nonsense)
{
	brMesh* mesh = brShape_Box(1.0, 1.0, 1.0);
	brShatter* shatter = NULL;
	brReport report = {0};
	brCascadeDef def = brDefaultCascadeDef();
	def.direction = brMakeDVec3(0.0, 0.0, 0.0);
	CHECK_EQUAL(brCreateCascade(NULL, mesh, &def, &shatter, &report), br_errorMisuse);
	def = brDefaultCascadeDef();
	def.energy = NAN;
	CHECK_EQUAL(brCreateCascade(NULL, mesh, &def, &shatter, &report), br_errorMisuse);
	def = brDefaultCascadeDef();
	def.pieces = 0;
	CHECK_EQUAL(brCreateCascade(NULL, mesh, &def, &shatter, &report), br_errorMisuse);
	def = (brCascadeDef){0};
	CHECK_EQUAL(brCreateCascade(NULL, mesh, &def, &shatter, &report), br_errorMisuse);
	brDestroyMesh(mesh);
}

// Mean over seeds, energies doubling: the number of pieces never falls by more than 15 %, and a limit is kept and told.
BR_TEST(cascade_counts_grow_with_energy)
{
	static const char* const names[] = {"vase", "box", "pane", "icosphere"};
	for (int32_t m = 0; m < 4; ++m)
	{
		brMesh* mesh = brShape_Model(names[m], 12);
		brCascadeDef def = brDefaultCascadeDef();
		brRandom random = brMakeRandom(7, (uint64_t)m);
		def.at = cascadeHit(mesh, &random, &def.direction);
		def.pieces = 500;
		double surface = brMaterial_GetFractureEnergy(&def.material);
		double least = 0.05 * surface * brPower(brMesh_ComputeMass(mesh, 1.0).volume, 2.0 / 3.0), before = 0.0;
		for (int32_t step = 0; step < 7; ++step)
		{
			double sum = 0.0;
			int32_t seeds = 4 + brTest_Rounds(test, 1);
			for (int32_t seed = 0; seed < seeds; ++seed)
			{
				def.seed = (uint64_t)seed, def.energy = ldexp(least, step);
				brShatter* shatter = BR_MADE(brShatter, brCreateCascade, NULL, mesh, &def);
				sum += shatter->pieceCount;
				brDestroyShatter(shatter);
			}
			CHECK_MESSAGE(sum / seeds >= 0.85 * before, "%s: %g pieces after %g as the energy doubles to %g J",
						  names[m], sum / seeds, before, def.energy);
			before = fmax(sum / seeds, before);
		}
		CHECK(before > 10.0);
		def.pieces = 5;
		brShatter* shatter = BR_MADE(brShatter, brCreateCascade, NULL, mesh, &def);
		CHECK(shatter->pieceCount <= 5 && shatter->isCapped);
		brDestroyShatter(shatter);
		brDestroyMesh(mesh);
	}
}

static int compareMasses(const void* a, const void* b)
{
	double x = *(const double*)a, y = *(const double*)b;
	return (x > y) - (x < y);
}

// The exponent t of p(m) ~ m^-t by maximum likelihood over one and a half decades, from the 30 % quantile up but above
// five times the smallest that is made: what would be smaller still piles up there. Sorts the masses.
static double fitExponent(double* masses, int32_t count, double smallest, double* outDecades)
{
	qsort(masses, (size_t)count, sizeof(double), compareMasses);
	double low = fmax(masses[(int32_t)(0.3 * count)], 5.0 * smallest), high = 31.6 * low, sum = 0.0;
	double best = -INFINITY, exponent = 0.0;
	int32_t inside = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		bool isIn = masses[i] >= low && masses[i] < high;
		inside += isIn;
		sum += isIn ? log(masses[i]) : 0.0;
	}
	for (double t = 0.5; t < 3.5; t += 0.005)
	{
		double norm = fabs(t - 1.0) < 1e-9 ? log(high / low) : (pow(low, 1.0 - t) - pow(high, 1.0 - t)) / (t - 1.0);
		double likelihood = -t * sum - inside * log(norm);
		exponent = likelihood > best ? t : exponent;
		best = fmax(likelihood, best);
	}
	*outDecades = log10(masses[count - 1] / low);
	return exponent;
}

typedef struct MassCase
{
	const char* model;
	brDVec3 at, direction;
	double energies[3], speed;
	double exponent; // by experiments: docs/truth.md
} MassCase;

// Sizes of all pieces of some seeds against the power laws of experiments: the same window for all.
BR_TEST(cascade_masses_follow_power_laws)
{
	static const MassCase cases[] = {
		{"icosphere", {0.0, 0.0, 1.0}, {0.0, 0.0, -1.0}, {100.0, 30.0, 300.0}, 10.0, 1.8},
		{"pane", {0.1, 0.1, 0.5}, {0.0, -1.0, 0.0}, {0.5, 1.0, 2.0}, 10.0, 1.7},
		{"vase", {0.2, 0.0, 0.15}, {-1.0, 0.0, 0.0}, {6.0, 3.0, 10.0}, 8.0, 1.35},
	};
	static double masses[20000];
	for (int32_t k = 0; k < 3 * (test->intensity > 1.0 ? 3 : 1); ++k)
	{
		const MassCase* what = &cases[k % 3];
		brMesh* mesh = brShape_Model(what->model, 12);
		int32_t count = 0, seeds = 5 + brTest_Rounds(test, 1);
		for (int32_t seed = 0; seed < seeds; ++seed)
		{
			brCascadeDef def = brDefaultCascadeDef();
			def.at = what->at, def.direction = what->direction;
			def.energy = what->energies[k / 3], def.speed = what->speed;
			def.roughness = 0.0, def.pieces = 3000, def.seed = (uint64_t)seed;
			brShatter* shatter = BR_MADE(brShatter, brCreateCascade, NULL, mesh, &def);
			for (int32_t i = 0; i < shatter->pieceCount && count < 20000; ++i)
			{
				masses[count++] = shatter->pieces[i].mass.volume;
			}
			brDestroyShatter(shatter);
		}
		double smallest = 1e-5 * brMesh_ComputeMass(mesh, 1.0).volume, decades;
		double exponent = fitExponent(masses, count, smallest, &decades);
		CHECK_MESSAGE(count > 300 && decades > 1.5 && fabs(exponent - what->exponent) < 0.25,
					  "%s: exponent %g over %g decades of %d pieces", what->model, exponent, decades, count);
		brDestroyMesh(mesh);
	}
}

// Main cracks at the hit of a wide plate: a thin ring of samples round it crosses each once.
static int32_t countRays(const brMaterial* material, double speed, double thickness)
{
	brModelDef model = brDefaultModelDef("pane");
	CHECK(brModelDef_SetParameter(&model, "thickness", thickness));
	brMesh* mesh = BR_MADE(brMesh, brMakeModel, NULL, &model);
	brCascadeDef def = brDefaultCascadeDef();
	def.material = *material;
	def.at = brMakeDVec3(0.0, 0.1, 0.3), def.direction = brMakeDVec3(0.0, -1.0, 0.0);
	// A large least size leaves the main cracks alone.
	def.energy = 100.0, def.speed = speed, def.smallest = 0.5, def.roughness = 0.0;
	brShatter* shatter = BR_MADE(brShatter, brCreateCascade, NULL, mesh, &def);
	int32_t count = shatter->pieceCount;
	brDestroyShatter(shatter);
	brDestroyMesh(mesh);
	return count;
}

// Vandenberghe, Vermorel, Villermaux 2013: the number of radial cracks grows as the root of the speed; 1 mm of PMMA has
// about 4 at 19 m/s and 8 at 78.
BR_TEST(cascade_rays_grow_as_the_root_of_the_speed)
{
	brMaterial plastic = *brFindMaterial("glass");
	plastic.youngsModulus = 3.1e9, plastic.poissonRatio = 0.37, plastic.density = 1190.0, plastic.toughness = 1.1e6;
	const brMaterial* materials[2] = {brFindMaterial("glass"), &plastic};
	for (int32_t k = 0; k < 2; ++k)
	{
		// The slope of a straight line through all speeds.
		double sums[4] = {0.0};
		for (int32_t i = 0; i <= 8; ++i)
		{
			double x = log(10.0) + log(12.0) * i / 8.0, y = log(countRays(materials[k], exp(x), 0.001));
			sums[0] += x / 9.0, sums[1] += y / 9.0, sums[2] += x * x / 9.0, sums[3] += x * y / 9.0;
		}
		CHECK_NEAR((sums[3] - sums[0] * sums[1]) / (sums[2] - sums[0] * sums[0]), 0.5, 0.1);
	}
	CHECK_NEAR((double)countRays(&plastic, 19.0, 0.001), 4.0, 0.4 * 4.0);
	CHECK_NEAR((double)countRays(&plastic, 78.0, 0.001), 8.0, 0.4 * 8.0);
}
