// SPDX-License-Identifier: MIT

// Stress intensities against handbook solutions: rows of the table in docs/measurements/cracks.md. At high intensity
// (10) all rows at full size are run and printed; by default a short form.

#include "elastic_cases.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A block with a crack under tractions, E = 1, nu = 0.3.
typedef struct CrackCase
{
	brTetMesh* mesh;
	brElasticBody* body;
	brElasticStats stats;
} CrackCase;

static CrackCase openCase(brTetMesh* mesh, const TestCrack* crack, const TestTraction* traction,
						  const TestSupports* supports, brEnrichment enrichment)
{
	CrackCase result = {.mesh = mesh};
	brElasticDef def = brDefaultElasticDef();
	def.mesh = mesh;
	def.youngsModulus = 1.0;
	def.poissonRatio = 0.3;
	def.enrichment = enrichment;
	brReport report = {0};
	CHECK_RESULT(brCreateElasticBody(NULL, &def, &result.body, &report), &report);
	CHECK_RESULT(brElasticBody_SetCracks(result.body, NULL, &crack->surface, 1, &report), &report);
	if (supports != NULL)
	{
		CHECK_RESULT(brElasticBody_SetSupports(result.body, NULL, supports->nodes, supports->axes, supports->values,
											   supports->count, &report),
					 &report);
	}
	brElasticLoad load = brDefaultElasticLoad();
	load.tractionCount = traction->count;
	load.tractionTriangles = (const int32_t(*)[3])traction->triangles;
	load.tractions = traction->tractions;
	brElasticSolveDef solve = brDefaultElasticSolveDef();
	solve.tolerance = 1e-6;
	brResult solved = brElasticBody_Solve(result.body, NULL, &load, &solve, &result.stats, &report);
	CHECK_MESSAGE(solved == br_success, "%s", report.text);
	return result;
}

static void closeCase(CrackCase* crackCase)
{
	brDestroyElasticBody(crackCase->body);
	brDestroyTetMesh(crackCase->mesh);
}

static bool isLong(const brTest* test)
{
	return test->intensity >= 10.0;
}

// Single edge notch in tension, plane strain by held faces. Parts of the exact K: by integral and by correlation.
static void runSent(double a, int32_t cells, double place, uint64_t seed, brEnrichment enrichment, double outRatios[2],
					int32_t* outTets)
{
	double h = 1.0 / cells;
	LatticeAxis x = makeEvenAxis(0.0, 1.0, cells), z = makeEvenAxis(0.0, 3.0 * h, 3);
	LatticeAxis y = makeGradedAxis(0.0, 7.0 * h < 0.3 ? 0.3 : 7.0 * h, 1.2, h, 1.35);
	brTetMesh* mesh = makeLatticeBlock(&x, &y, &z, 0.12, seed);
	double front = a + place * h;
	TestCrack crack = makeSheetCrack((brDVec3){-0.5, (0.1 + 0.3 * fabs(place)) * h, 4.0 * h},
									 (brDVec3){front + 0.5, 0, 0}, (brDVec3){0, 0, -5.0 * h}, 20, 15);
	TestSupports supports = {0};
	holdPlane(&supports, mesh, 2, 0.0, BR_AXIS_Z);
	holdPlane(&supports, mesh, 2, 3.0 * h, BR_AXIS_Z);
	TestTraction traction = {0};
	addPlaneTraction(&traction, mesh, 1, 1.2, (brDVec3){0, 1, 0});
	addPlaneTraction(&traction, mesh, 1, -1.2, (brDVec3){0, -1, 0});
	CrackCase sent = openCase(mesh, &crack, &traction, &supports, enrichment);
	double exact = sentFactor(front) * sqrt(BR_PI * front);
	FrontMean integral = meanFront(sent.body, 0, br_intensityIntegral, 2.0);
	FrontMean correlation = meanFront(sent.body, 0, br_intensityCorrelation, 2.0);
	CHECK(integral.count >= 5);
	CHECK(fabs(integral.mean[1]) < 0.03 * exact && fabs(integral.mean[2]) < 0.03 * exact);
	outRatios[0] = integral.mean[0] / exact;
	outRatios[1] = correlation.mean[0] / exact;
	*outTets = mesh->tetCount;
	closeCase(&sent);
	freeTestTraction(&traction);
	freeTestSupports(&supports);
	freeTestCrack(&crack);
}

// Mean over placements of the front in its cell.
static void meanSent(double a, int32_t cells, int32_t places, brEnrichment enrichment, double outMeans[2],
					 int32_t* outTets)
{
	outMeans[0] = outMeans[1] = 0.0;
	for (int32_t i = 0; i < places; ++i)
	{
		double ratios[2];
		double place = places == 1 ? 0.2 : (i + 0.5) / places - 0.5;
		runSent(a, cells, place, (uint64_t)(i + 1), enrichment, ratios, outTets);
		outMeans[0] += ratios[0] / places;
		outMeans[1] += ratios[1] / places;
	}
}

BR_TEST(cracks_edge_notch_has_the_handbook_intensity)
{
	int32_t steps = isLong(test) ? 6 : 2, cells = isLong(test) ? 33 : 18, places = isLong(test) ? 4 : 2;
	for (int32_t i = 0; i < steps; ++i)
	{
		double a = isLong(test) ? 0.1 * (i + 1) : 0.3 + 0.2 * i, means[2];
		int32_t tets = 0;
		meanSent(a, cells, places, br_enrichBehindFront, means, &tets);
		if (isLong(test))
		{
			printf("| SENT a/W %.1f | %d | %.0f | %+.1f | %+.1f |\n", a, tets, a * cells, 100.0 * (means[0] - 1.0),
				   100.0 * (means[1] - 1.0));
		}
		// 5 % and 12 % are the bar from five cells on; a = 0.1 has three.
		CHECK_MESSAGE(fabs(means[0] - 1.0) < 0.05, "a/W %.1f: integral %.3f of the handbook's", a, means[0]);
		CHECK_MESSAGE(fabs(means[1] - 1.0) < 0.12, "a/W %.1f: correlation %.3f of the handbook's", a, means[1]);
	}
}

// K over places of the front in its cell, by integral and by correlation: mean error and scatter about the mean.
static void scatterSent(double a, int32_t cells, int32_t places, double outErrors[2], double outScatters[2],
						int32_t* outTets)
{
	double sums[2] = {0.0, 0.0}, squares[2] = {0.0, 0.0};
	for (int32_t i = 0; i < places; ++i)
	{
		double ratios[2];
		runSent(a, cells, (i + 0.5) / places - 0.5, (uint64_t)(i + 1), br_enrichBehindFront, ratios, outTets);
		for (int32_t k = 0; k < 2; ++k)
		{
			sums[k] += (ratios[k] - 1.0) / places;
			squares[k] += (ratios[k] - 1.0) * (ratios[k] - 1.0) / places;
		}
	}
	for (int32_t k = 0; k < 2; ++k)
	{
		outErrors[k] = sums[k];
		outScatters[k] = sqrt(squares[k] - sums[k] * sums[k]);
	}
}

// As the front moves through a cell, nodes beside it open one after the other: K wavers by what a part of a cell of
// crack is worth. That must be little and fall with h, while the mean over places of the front stays with the handbook,
// whose formula and the block of finite height are good for one per cent.
BR_TEST(cracks_error_falls_with_refinement)
{
	static const int32_t cells[5] = {10, 14, 20, 28, 40};
	static const double most[5] = {0.025, 0.021, 0.015, 0.014,
								   0.012}; // 0.053, 0.036, 0.024, 0.019, 0.016 with one level of the front
	int32_t levels = isLong(test) ? 5 : 3, tets = 0;
	double errors[5][2], scatters[5][2];
	for (int32_t i = 0; i < levels; ++i)
	{
		scatterSent(0.4, cells[i], 16, errors[i], scatters[i], &tets);
		if (isLong(test))
		{
			printf("refinement: h = W/%d, %d tets: integral %+.2f +- %.2f %%, correlation %+.2f +- %.2f %%\n", cells[i],
				   tets, 100.0 * errors[i][0], 100.0 * scatters[i][0], 100.0 * errors[i][1], 100.0 * scatters[i][1]);
		}
	}
	for (int32_t i = 0; i < levels; ++i)
	{
		CHECK_MESSAGE(fabs(errors[i][0]) < 0.015 && fabs(errors[i][1]) < 0.05, "means are off by %.3f and %.3f",
					  errors[i][0], errors[i][1]);
		CHECK_MESSAGE(scatters[i][0] < most[i] && scatters[i][1] < 2.2 * most[i], "h = W/%d scatters by %.3f and %.3f",
					  cells[i], scatters[i][0], scatters[i][1]);
		CHECK_MESSAGE(i == 0 || (scatters[i][0] < scatters[i - 1][0] && scatters[i][1] < scatters[i - 1][1]),
					  "h = W/%d scatters by %.3f and %.3f, W/%d by %.3f and %.3f", cells[i], scatters[i][0],
					  scatters[i][1], cells[i - 1], scatters[i - 1][0], scatters[i - 1][1]);
	}
}

// The rule of the thesis against ours on the same meshes.
BR_TEST(cracks_fully_cut_rule_shortens_the_crack)
{
	double ours[2], theirs[2];
	int32_t tets = 0, cells = isLong(test) ? 33 : 20;
	meanSent(0.4, cells, 2, br_enrichBehindFront, ours, &tets);
	meanSent(0.4, cells, 2, br_enrichFullyCut, theirs, &tets);
	if (isLong(test))
	{
		printf("rule: ours %+.1f %%, fully cut %+.1f %% (%d tets)\n", 100.0 * (ours[0] - 1.0),
			   100.0 * (theirs[0] - 1.0), tets);
	}
	CHECK_MESSAGE(fabs(ours[0] - 1.0) < 0.04, "%.3f", ours[0]);
	CHECK_MESSAGE(theirs[0] < 0.94, "%.3f", theirs[0]);
}

// A disk in a block, pulled along z; `tilt` turns its normal from z to -x.
typedef struct PennyResult
{
	double mean[3];  // of K I; of K II over cos w, K III over sin w, fitted
	double worst[3]; // averaged value against exact, in parts of K I
	int32_t tets;
	int32_t loose;
} PennyResult;

static PennyResult runPenny(double tilt, double cellsPerRadius, brIntensityMethod method, double window, uint64_t seed)
{
	double h = 1.0 / cellsPerRadius, half = tilt > 0.0 ? 4.0 : 4.5, growth = tilt > 0.0 ? 1.7 : 1.45,
		   fine = tilt > 0.0 ? 1.2 : 2.2;
	LatticeAxis axis = makeHalfAxis(1.0 + fine * h, half, h, growth); // the plane y = 0 is one of symmetry
	LatticeAxis tall = makeGradedAxis(0.0, tilt > 0.0 ? 0.7 + fine * h : fine * h, half, h, growth);
	LatticeAxis side = tilt > 0.0 ? makeGradedAxis(0.0, 0.7 + fine * h, half, h, growth) : axis;
	brTetMesh* mesh = makeLatticeBlock(&side, &axis, &tall, 0.12, seed);
	double s = brSin(tilt), c = brCos(tilt);
	brDVec3 center = {tilt > 0.0 ? 0.13 * h : 0.0, 0.0, 0.31 * h};
	brDVec3 normal = {-s, 0, c};
	TestCrack crack = makeDiskCrack(center, normal, 1.0, (int32_t)(2 * cellsPerRadius), (int32_t)(14 * cellsPerRadius));
	TestTraction traction = {0};
	addPlaneTraction(&traction, mesh, 2, half, (brDVec3){0, 0, 1});
	addPlaneTraction(&traction, mesh, 2, -half, (brDVec3){0, 0, -1});
	TestSupports supports = {0};
	holdPlane(&supports, mesh, 1, 0.0, BR_AXIS_Y);
	if (tilt == 0.0)
	{
		for (int32_t i = 0; i < supports.count; ++i)
		{
			supports.axes[i] |= mesh->nodes[supports.nodes[i]].x == 0.0 ? BR_AXIS_X : 0u;
		}
		for (int32_t i = 0; i < mesh->nodeCount; ++i)
		{
			if (mesh->nodes[i].x == 0.0 && mesh->nodes[i].y != 0.0)
			{
				holdNode(&supports, i, BR_AXIS_X, (brDVec3){0, 0, 0});
			}
		}
	}
	CrackCase penny = openCase(mesh, &crack, &traction, &supports, br_enrichBehindFront);
	PennyResult result = {.tets = mesh->tetCount, .loose = penny.stats.looseComponents};
	enum
	{
		most = 256
	};
	brCrackFrontPoint* points = malloc(sizeof(brCrackFrontPoint) * most);
	brIntensityDef def = brDefaultIntensityDef();
	def.method = method;
	def.window = window;
	int32_t count = 0;
	brReport report = {0};
	CHECK_RESULT(brElasticBody_ComputeFrontPoints(penny.body, NULL, 0, &def, most, points, &count, &report), &report);
	CHECK(count > 10 && count <= most);
	double sigma = c * c, tau = s * c, nu = 0.3, root = sqrt(1.0 / BR_PI);
	double k1 = 2.0 * sigma * root, k2 = 4.0 * tau / (2.0 - nu) * root, k3 = k2 * (1.0 - nu), cosSq = 0.0, sinSq = 0.0;
	int32_t inside = 0;
	// The mean of a sine over the window is a little less than the sine in its middle.
	double reach = window * h;
	k2 *= reach > 0.0 ? brSin(reach) / reach : 1.0;
	k3 *= reach > 0.0 ? brSin(reach) / reach : 1.0;
	for (int32_t i = 0; i < count; ++i)
	{
		if (!points[i].isInside)
		{
			continue;
		}
		// Angle from the steepest direction (c, 0, s) of the disk.
		brDVec3 out = brDNormalize(brDSub(points[i].position, center));
		double cw = out.x * c + out.z * s, sw = out.y;
		double exact[3] = {k1, k2 * cw, k3 * sw};
		CHECK(brDDot(points[i].forward, out) > 0.95 && brDDot(points[i].normal, normal) > 0.99);
		result.mean[0] += points[i].intensity[0];
		inside += 1;
		result.mean[1] += points[i].intensity[1] * cw;
		result.mean[2] += points[i].intensity[2] * sw;
		cosSq += cw * cw;
		sinSq += sw * sw;
		for (int k = 0; k < 3; ++k)
		{
			// Near the plane of symmetry windows and hats are cut off, and tearing changes too fast for that.
			double off = k < 2 || points[i].position.y > 4.0 * h ? fabs(points[i].intensity[k] - exact[k]) / k1 : 0.0;
			result.worst[k] = off > result.worst[k] ? off : result.worst[k];
		}
	}
	CHECK(inside > 10);
	result.mean[0] /= k1 * inside;
	result.mean[1] /= tilt > 0.0 ? k2 * cosSq : k1 * cosSq;
	result.mean[2] /= tilt > 0.0 ? k3 * sinSq : k1 * sinSq;
	free(points);
	closeCase(&penny);
	freeTestSupports(&supports);
	freeTestTraction(&traction);
	freeTestCrack(&crack);
	return result;
}

BR_TEST(cracks_penny_has_the_closed_form_intensity)
{
	double cells = isLong(test) ? 5.0 : 3.5;
	PennyResult integral = runPenny(0.0, cells, br_intensityIntegral, 2.0, 3);
	PennyResult correlation = runPenny(0.0, cells, br_intensityCorrelation, 2.0, 3);
	if (isLong(test))
	{
		printf("| penny | %d | %.0f | %+.1f, worst %.1f | %+.1f, worst %.1f | K II, III worst %.1f, %.1f\n",
			   integral.tets, cells, 100.0 * (integral.mean[0] - 1.0), 100.0 * integral.worst[0],
			   100.0 * (correlation.mean[0] - 1.0), 100.0 * correlation.worst[0], 100.0 * integral.worst[1],
			   100.0 * integral.worst[2]);
	}
	CHECK_MESSAGE(fabs(integral.mean[0] - 1.0) < (isLong(test) ? 0.03 : 0.05), "K I %.3f", integral.mean[0]);
	CHECK_MESSAGE(integral.worst[0] < (isLong(test) ? 0.07 : 0.10), "K I off by %.3f", integral.worst[0]);
	CHECK_MESSAGE(integral.worst[1] < 0.05 && integral.worst[2] < 0.05, "K II, III up to %.3f, %.3f", integral.worst[1],
				  integral.worst[2]);
	CHECK_MESSAGE(fabs(correlation.mean[0] - 1.0) < 0.12, "correlation %.3f", correlation.mean[0]);
}

// An ellipse 2 : 1 across the pull, half of it in a block, the plane x = 0 one of symmetry: the largest and smallest K
// I over Irwin's, E(k) K / sqrt(pi b) = (sin^2 + (b / a)^2 cos^2)^(1/4), at points farther than 2 h from that plane.
static void runEllipse(double cellsPerRadius, double place, uint64_t seed, double outRange[2], int32_t* outTets)
{
	double h = 1.0 / cellsPerRadius, half = 6.0, growth = 1.5, fine = 2.2,
		   second = 1.2110560275684595; // E(k), k^2 = 3/4
	LatticeAxis x = makeHalfAxis(2.0 + fine * h, half, h, growth);
	LatticeAxis y = makeGradedAxis(0.0, 1.0 + fine * h, half, h, growth);
	LatticeAxis z = makeGradedAxis(0.0, fine * h, half, h, growth);
	brTetMesh* mesh = makeLatticeBlock(&x, &y, &z, 0.12, seed);
	brDVec3 center = {0.0, place * h, 0.31 * h};
	TestCrack crack = makeDiskCrack((brDVec3){0, 0, 0}, (brDVec3){0, 0, 1}, 1.0, (int32_t)(3 * cellsPerRadius),
									(int32_t)(20 * cellsPerRadius));
	for (int32_t i = 0; i < crack.surface.vertexCount; ++i)
	{
		crack.positions[i] = brDAdd(center, (brDVec3){2.0 * crack.positions[i].x + place * h, crack.positions[i].y, 0});
	}
	TestTraction traction = {0};
	addPlaneTraction(&traction, mesh, 2, half, (brDVec3){0, 0, 1});
	addPlaneTraction(&traction, mesh, 2, -half, (brDVec3){0, 0, -1});
	TestSupports supports = {0};
	holdPlane(&supports, mesh, 0, 0.0, BR_AXIS_X);
	CrackCase ellipse = openCase(mesh, &crack, &traction, &supports, br_enrichBehindFront);
	*outTets = mesh->tetCount;
	enum
	{
		most = 512
	};
	brCrackFrontPoint* points = malloc(sizeof(brCrackFrontPoint) * most);
	int32_t count = 0;
	brReport report = {0};
	CHECK_RESULT(brElasticBody_ComputeFrontPoints(ellipse.body, NULL, 0, NULL, most, points, &count, &report), &report);
	CHECK(count > 10 && count <= most);
	outRange[0] = INFINITY, outRange[1] = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 at = brDSub(points[i].position, center);
		double c = 0.5 * (at.x - place * h), s = at.y, exact = sqrt(BR_PI) / second * sqrt(sqrt(s * s + 0.25 * c * c));
		if (!points[i].isInside || points[i].position.x < 2.0 * h)
		{
			continue;
		}
		double ratio = points[i].intensity[0] / exact;
		outRange[0] = fmin(outRange[0], ratio), outRange[1] = fmax(outRange[1], ratio);
	}
	free(points);
	closeCase(&ellipse);
	freeTestSupports(&supports);
	freeTestTraction(&traction);
	freeTestCrack(&crack);
}

// At the ends of the long axis the front is bent by 1.35 cells, and K changes by a tenth within one: hats, means and
// straight near fields read 8 to 17 % too much there.
BR_TEST(cracks_ellipse_has_irwins_intensity)
{
	int32_t rounds = brTest_Rounds(test, 4), within = 0;
	for (int32_t i = 0; i < rounds; ++i)
	{
		double range[2], place = (i + 0.5) / rounds - 0.5;
		int32_t tets;
		runEllipse(2.7, place, (uint64_t)(i + 1), range, &tets);
		if (isLong(test))
		{
			printf("ellipse, %d tets, front %+.2f h: %.3f to %.3f\n", tets, place, range[0], range[1]);
		}
		CHECK_MESSAGE(range[0] > 0.93 && range[1] < 1.07, "place %.2f: %.3f to %.3f", place, range[0], range[1]);
		within += range[0] > 0.95 && range[1] < 1.05 ? 1 : 0;
	}
	CHECK_MESSAGE(within * 4 >= rounds * 3, "%d of %d places of the front within 5 %%", within, rounds);
}

BR_TEST(cracks_inclined_penny_has_all_three_modes)
{
	double cells = isLong(test) ? 5.0 : 3.5;
	PennyResult integral = runPenny(0.25 * BR_PI, cells, br_intensityIntegral, 2.0, 4);
	PennyResult correlation = runPenny(0.25 * BR_PI, cells, br_intensityCorrelation, 2.0, 4);
	if (isLong(test))
	{
		printf("| penny at 45 degrees | %d | %.0f | %+.1f %+.1f %+.1f, worst %.1f %.1f %.1f | %+.1f %+.1f %+.1f |\n",
			   integral.tets, cells, 100.0 * (integral.mean[0] - 1.0), 100.0 * (integral.mean[1] - 1.0),
			   100.0 * (integral.mean[2] - 1.0), 100.0 * integral.worst[0], 100.0 * integral.worst[1],
			   100.0 * integral.worst[2], 100.0 * (correlation.mean[0] - 1.0), 100.0 * (correlation.mean[1] - 1.0),
			   100.0 * (correlation.mean[2] - 1.0));
	}
	for (int k = 0; k < 3; ++k)
	{
		CHECK_MESSAGE(fabs(integral.mean[k] - 1.0) < (isLong(test) ? 0.05 : 0.10), "mode %d: %.3f", k + 1,
					  integral.mean[k]);
		CHECK_MESSAGE(fabs(correlation.mean[k] - 1.0) < (k == 1 ? 0.2 : 0.12), "mode %d by correlation: %.3f", k + 1,
					  correlation.mean[k]);
	}
}

// Through crack of half length 1 at 45 degrees in a large plate, load along y, and the same plate torn out of its plane.
static void runThrough(double cellsPerHalf, bool isTorn, double place, double outRatios[2][3], int32_t* outTets)
{
	double h = 1.0 / cellsPerHalf, half = 6.0, s = sqrt(0.5);
	double reach = isTorn ? 1.0 : s;
	LatticeAxis x = makeGradedAxis(0.0, reach + 2.5 * h, half, h, isTorn ? 1.15 : 1.45);
	LatticeAxis y = makeGradedAxis(0.0, isTorn ? 3.5 * h : reach + 2.5 * h, half, h, isTorn ? 1.15 : 1.4),
				z = makeEvenAxis(0.0, 3.0 * h, 3);
	brTetMesh* mesh = makeLatticeBlock(&x, &y, &z, 0.12, (uint64_t)(100.0 * place));
	brDVec3 along = isTorn ? (brDVec3){1, 0, 0} : (brDVec3){s, s, 0};
	brDVec3 start = brDMulAdd((brDVec3){0.0, 0.17 * h, 4.0 * h}, place * h - 1.0, along);
	TestCrack crack =
		makeSheetCrack(start, brDMul(2.0, along), (brDVec3){0, 0, -5.0 * h}, (int32_t)(4 * cellsPerHalf), 15);
	// Both plates: free faces along z would not be plane strain.
	TestSupports supports = {0};
	TestTraction traction = {0};
	if (isTorn)
	{
		// Anti-plane shear: only z displacements.
		for (int32_t i = 0; i < mesh->nodeCount; ++i)
		{
			holdNode(&supports, i, BR_AXIS_X | BR_AXIS_Y, (brDVec3){0, 0, 0});
		}
		addPlaneTraction(&traction, mesh, 1, half, (brDVec3){0, 0, 1});
		addPlaneTraction(&traction, mesh, 1, -half, (brDVec3){0, 0, -1});
	}
	else
	{
		holdPlane(&supports, mesh, 2, 0.0, BR_AXIS_Z);
		holdPlane(&supports, mesh, 2, 3.0 * h, BR_AXIS_Z);
		addPlaneTraction(&traction, mesh, 1, half, (brDVec3){0, 1, 0});
		addPlaneTraction(&traction, mesh, 1, -half, (brDVec3){0, -1, 0});
	}
	CrackCase plate = openCase(mesh, &crack, &traction, &supports, br_enrichBehindFront);
	*outTets = mesh->tetCount;
	brCrackFrontPoint points[256];
	int32_t count = 0, found[2] = {0, 0};
	brReport report = {0};
	CHECK_RESULT(brElasticBody_ComputeFrontPoints(plate.body, NULL, 0, NULL, 256, points, &count, &report), &report);
	memset(outRatios, 0, 6 * sizeof(double));
	for (int32_t i = 0; i < count; ++i)
	{
		double along1 = brDDot(brDSub(points[i].position, start), along);
		int tip = along1 > 1.99 ? 0 : along1 < 0.01 ? 1 : -1;
		if (points[i].isInside && tip >= 0 && fabs(points[i].forward.z) < 0.1)
		{
			CHECK(points[i].normal.y > 0.7 * s);
			found[tip] += 1;
			for (int k = 0; k < 3; ++k)
			{
				outRatios[tip][k] += points[i].intensity[k];
			}
		}
	}
	CHECK(found[0] >= 3 && found[1] >= 3);
	for (int k = 0; k < 6; ++k)
	{
		outRatios[k / 3][k % 3] /= found[k / 3];
	}
	closeCase(&plate);
	freeTestTraction(&traction);
	freeTestSupports(&supports);
	freeTestCrack(&crack);
}

// Mean over places of the crack along itself in its cell.
static void meanThrough(const brTest* test, bool isTorn, double outRatios[2][3], int32_t* outTets)
{
	int32_t places = isLong(test) ? 4 : 2;
	memset(outRatios, 0, 6 * sizeof(double));
	for (int32_t i = 0; i < places; ++i)
	{
		double k[2][3];
		runThrough(isLong(test) ? 10.0 : 6.0, isTorn, (i + 0.3) / places, k, outTets);
		for (int j = 0; j < 6; ++j)
		{
			outRatios[j / 3][j % 3] += k[j / 3][j % 3] / places;
		}
	}
}

BR_TEST(cracks_through_crack_at_45_degrees)
{
	double k[2][3], exact = 0.5 * sqrt(BR_PI);
	int32_t tets = 0;
	meanThrough(test, false, k, &tets);
	if (isLong(test))
	{
		printf("| through crack at 45 degrees | %d | 10 | K I %+.1f %+.1f, K II %+.1f %+.1f |\n", tets,
			   100.0 * (k[0][0] / exact - 1.0), 100.0 * (k[1][0] / exact - 1.0), 100.0 * (k[0][1] / exact - 1.0),
			   100.0 * (-k[1][1] / exact - 1.0));
	}
	// The normal is (-1, 1, 0) at both ends: sliding is positive where the crack runs up, negative at the other end.
	for (int tip = 0; tip < 2; ++tip)
	{
		CHECK_MESSAGE(fabs(k[tip][0] / exact - 1.0) < 0.06, "tip %d: K I %.3f", tip, k[tip][0] / exact);
		CHECK_MESSAGE(fabs((tip == 0 ? 1.0 : -1.0) * k[tip][1] / exact - 1.0) < 0.06, "tip %d: K II %.3f", tip,
					  k[tip][1] / exact);
		CHECK(fabs(k[tip][2]) < 0.03 * exact);
	}
}

BR_TEST(cracks_torn_plate_has_mode_three)
{
	double k[2][3], exact = sqrt(BR_PI);
	int32_t tets = 0;
	meanThrough(test, true, k, &tets);
	// An infinite plate has tau sqrt(pi a); strips of half width 6 one per cent more (tangent formula).
	double strip = sqrt(12.0 / BR_PI * brSin(BR_PI / 12.0) / brCos(BR_PI / 12.0));
	if (isLong(test))
	{
		printf("| torn plate | %d | 10 | K III %+.1f %+.1f |\n", tets, 100.0 * (fabs(k[0][2]) / exact / strip - 1.0),
			   100.0 * (fabs(k[1][2]) / exact / strip - 1.0));
	}
	double mean = 0.5 * (fabs(k[0][2]) + fabs(k[1][2])) / exact / strip;
	CHECK_MESSAGE(fabs(mean - 1.0) < 0.03, "K III %.3f", mean);
	for (int tip = 0; tip < 2; ++tip)
	{
		CHECK(fabs(fabs(k[tip][2]) / exact / strip - 1.0) < 0.05);
		CHECK(fabs(k[tip][0]) < 0.03 * exact && fabs(k[tip][1]) < 0.03 * exact);
	}
	// e3 points opposite ways at the two ends, and so does the jump along it.
	CHECK(k[0][2] * k[1][2] < 0.0);
}

BR_TEST(cracks_kink_angle_and_energy)
{
	double pureTwo[3] = {0.0, 1.0, 0.0}, pureOne[3] = {2.0, 0.0, 0.0}, mixed[3] = {1.0, -0.5, 0.3};
	CHECK_NEAR(brKinkAngle(0.3, pureTwo), -70.5287793655 * BR_PI / 180.0, 1e-9);
	CHECK_NEAR(brKinkAngle(0.3, pureOne), 0.0, 1e-15);
	CHECK(brKinkAngle(0.3, mixed) > 0.1 && brKinkAngle(0.3, mixed) < 1.2);
	double closed[3] = {-5.0, 1.0, 0.0};
	CHECK_NEAR(brKinkAngle(0.3, closed), brKinkAngle(0.3, pureTwo), 1e-12);
	double all[3] = {1.0, 2.0, 3.0};
	CHECK_NEAR(brEnergyReleaseRate(2.0, 0.3, all), 0.91 / 2.0 * 5.0 + 1.3 / 2.0 * 9.0, 1e-12);
	// The angle maximizes the hoop stress: of K I cos^3 t/2 - 3 K II sin t/2 cos^2 t/2, by a fine scan.
	double best = 0.0, most = -1e9;
	for (double t = -1.6; t < 1.6; t += 1e-4)
	{
		double c = brCos(0.5 * t), hoop = sqrt(1.0 + 0.09 / 0.7) * c * c * c + 1.5 * brSin(0.5 * t) * c * c;
		best = hoop > most ? t : best;
		most = hoop > most ? hoop : most;
	}
	CHECK_NEAR(brKinkAngle(0.3, mixed), best, 2e-4);
}

// NAFEMS "Test Cases in Linear Elastic Fracture Mechanics" R0020, test 1.1: a plate of 40 by 40 with a central crack of
// 20 under 100 along y, E = 207000, nu = 0.3, plane strain: J = 2.434. Half of it, as in the public data. The crack
// lies anywhere in its cell, so means over placements.
BR_TEST(cracks_nafems_plate_has_its_energy_release)
{
	double expected = 2.434, sum = 0.0;
	int32_t cells = isLong(test) ? 30 : 16, places = isLong(test) ? 4 : 2, tets = 0;
	const char* path = brTest_DataPath("sif/moose/solid_mechanics/test/tests/j_integral/j_integral_2d.i");
	FILE* file = path != NULL ? fopen(path, "r") : NULL;
	if (file != NULL)
	{
		// The reference value as the data states it.
		char line[256];
		while (fgets(line, sizeof(line), file) != NULL)
		{
			const char* value = strstr(line, "solution for J1 is ");
			expected = value != NULL ? strtod(value + 19, NULL) : expected;
		}
		fclose(file);
	}
	CHECK_NEAR(expected, 2.434, 1e-12);
	for (int32_t i = 0; i < places; ++i)
	{
		double h = 20.0 / cells, front = 10.0 + ((i + 0.5) / places - 0.5) * h;
		LatticeAxis x = makeEvenAxis(0.0, 20.0, cells), z = makeEvenAxis(0.0, 3.0 * h, 3);
		LatticeAxis y = makeGradedAxis(0.0, 6.0, 20.0, h, 1.35);
		brTetMesh* mesh = makeLatticeBlock(&x, &y, &z, 0.12, (uint64_t)(i + 1));
		TestCrack crack = makeSheetCrack((brDVec3){-5.0, 0.2 * h, 4.0 * h}, (brDVec3){front + 5.0, 0, 0},
										 (brDVec3){0, 0, -5.0 * h}, 20, 15);
		TestSupports supports = {0};
		for (int32_t n = 0; n < mesh->nodeCount; ++n)
		{
			brDVec3 p = mesh->nodes[n];
			uint32_t axes = (p.x == 0.0 ? BR_AXIS_X : 0u) | (p.z == 0.0 || p.z == 3.0 * h ? BR_AXIS_Z : 0u);
			if (axes != 0)
			{
				holdNode(&supports, n, axes, (brDVec3){0, 0, 0});
			}
		}
		TestTraction traction = {0};
		addPlaneTraction(&traction, mesh, 1, 20.0, (brDVec3){0, 100, 0});
		addPlaneTraction(&traction, mesh, 1, -20.0, (brDVec3){0, -100, 0});
		CrackCase plate = openCase(mesh, &crack, &traction, &supports, br_enrichBehindFront);
		FrontMean mean = meanFront(plate.body, 0, br_intensityIntegral, 2.0);
		// The case has E = 1, so K is that of E = 207000 and J follows with the real one. Off-center fronts are
		// compared at a = 10: J goes with a^1.5 there.
		sum += brEnergyReleaseRate(207000.0, 0.3, mean.mean) * pow(10.0 / front, 1.5) / places;
		tets = mesh->tetCount;
		closeCase(&plate);
		freeTestTraction(&traction);
		freeTestSupports(&supports);
		freeTestCrack(&crack);
	}
	if (isLong(test))
	{
		printf("| NAFEMS 1.1 | %d | %d | J = %.3f, %+.1f |\n", tets, cells / 2, sum, 100.0 * (sum / expected - 1.0));
	}
	// J goes with the square of K, so 10 % of it are 5 % of K.
	CHECK_MESSAGE(fabs(sum / expected - 1.0) < (isLong(test) ? 0.06 : 0.10), "J = %.3f", sum);
}

// A plate with an edge crack, pressed by `pressure` and sheared by `shear` at its ends. Mean intensities along the
// front; returns the strain energy.
static double pressCrack(bool isCracked, double pressure, double shear, bool enableContact, double outK[3])
{
	int32_t cells = 16;
	double h = 1.0 / cells;
	LatticeAxis x = makeEvenAxis(0.0, 1.0, cells), y = makeEvenAxis(-1.0, 1.0, 2 * cells);
	LatticeAxis z = makeEvenAxis(0.0, 3.0 * h, 3);
	brTetMesh* mesh = makeLatticeBlock(&x, &y, &z, 0.12, 3);
	TestCrack crack =
		makeSheetCrack((brDVec3){-0.5, 0.21 * h, 4.0 * h}, (brDVec3){1.01, 0, 0}, (brDVec3){0, 0, -5.0 * h}, 20, 15);
	TestSupports supports = {0};
	holdPlane(&supports, mesh, 2, 0.0, BR_AXIS_Z);
	holdPlane(&supports, mesh, 2, 3.0 * h, BR_AXIS_Z);
	TestTraction traction = {0};
	addPlaneTraction(&traction, mesh, 1, 1.0, (brDVec3){shear, -pressure, 0});
	addPlaneTraction(&traction, mesh, 1, -1.0, (brDVec3){-shear, pressure, 0});
	brElasticDef def = brDefaultElasticDef();
	def.mesh = mesh, def.youngsModulus = 1.0, def.poissonRatio = 0.3;
	brReport report = {0};
	brElasticBody* body = BR_MADE(brElasticBody, brCreateElasticBody, NULL, &def);
	CHECK_RESULT(brElasticBody_SetCracks(body, NULL, &crack.surface, isCracked ? 1 : 0, &report), &report);
	CHECK_RESULT(brElasticBody_SetSupports(body, NULL, supports.nodes, supports.axes, NULL, supports.count, &report),
				 &report);
	brElasticLoad load = brDefaultElasticLoad();
	load.tractionCount = traction.count;
	load.tractionTriangles = (const int32_t(*)[3])traction.triangles;
	load.tractions = traction.tractions;
	brElasticSolveDef solve = brDefaultElasticSolveDef();
	solve.tolerance = 1e-7;
	solve.enableContact = enableContact;
	brElasticStats stats;
	CHECK_RESULT(brElasticBody_Solve(body, NULL, &load, &solve, &stats, &report), &report);
	CHECK(stats.residual < 2e-7);
	FrontMean mean = {0};
	if (isCracked)
	{
		mean = meanFront(body, 0, br_intensityIntegral, 2.0);
	}
	memcpy(outK, mean.mean, sizeof(mean.mean));
	brDestroyElasticBody(body);
	brDestroyTetMesh(mesh);
	freeTestTraction(&traction);
	freeTestSupports(&supports);
	freeTestCrack(&crack);
	return stats.energy;
}

// Under pressure a crack is not there; sheared besides it slips as freely as without pressure; pulled it knows nothing
// of contact.
BR_TEST(cracks_faces_do_not_overlap)
{
	double sound[3], closed[3], overlapped[3], sheared[3], both[3], pulled[3], same[3];
	double soundEnergy = pressCrack(false, 1.0, 0.0, true, sound);
	double closedEnergy = pressCrack(true, 1.0, 0.0, true, closed);
	double overlappedEnergy = pressCrack(true, 1.0, 0.0, false, overlapped);
	pressCrack(true, 0.0, 0.5, false, sheared);
	pressCrack(true, 1.0, 0.5, true, both);
	pressCrack(true, -1.0, 0.0, false, pulled);
	pressCrack(true, -1.0, 0.0, true, same);
	if (isLong(test))
	{
		printf("pressed: energy %.4f of the sound plate's with contact, %.4f without; K I %.4f and %.4f; K II %.4f "
			   "(pressed %.4f), sheared "
			   "alone %.4f\n",
			   closedEnergy / soundEnergy, overlappedEnergy / soundEnergy, closed[0], overlapped[0], both[1], closed[1],
			   sheared[1]);
	}
	CHECK_MESSAGE(fabs(closedEnergy / soundEnergy - 1.0) < 0.01, "%.4f of the sound plate's energy",
				  closedEnergy / soundEnergy);
	CHECK(overlappedEnergy > 1.2 * soundEnergy && overlapped[0] < -1.0);
	CHECK(closed[0] == 0.0 && fabs(closed[1]) < 0.02 && both[0] == 0.0);
	CHECK_MESSAGE(fabs(both[1] / sheared[1] - 1.0) < 0.03, "K II %.4f, sheared alone %.4f", both[1], sheared[1]);
	CHECK(fabs(pulled[0] - same[0]) < 1e-6 * fabs(pulled[0]));
}
