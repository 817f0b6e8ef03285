// SPDX-License-Identifier: MIT

// Continuous tests of single pairs: contacts that are there by construction, the exact answer in big integers,
// distances at the reported time, hostile numbers.

#include "brittle/brittle.h"
#include "harness.h"

#include "narrow/ccd_kernels.h"

#include <float.h>
#include <string.h>

typedef struct Pair
{
	brCcdKind kind;
	brDVec3 start[4], end[4];
} Pair;

static bool meets(const Pair* pair, const brCcdDef* def, double* outTime)
{
	return pair->kind == br_ccdVertexFace ? brVertexMeetsFace(pair->start, pair->end, def, outTime)
										  : brEdgeMeetsEdge(pair->start, pair->end, def, outTime);
}

static double* axisOf(brDVec3* v, int axis)
{
	return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

// All sets of kernels on one pair: the sieves may not throw out what the march finds, and all marches end at the same
// bits.
static void checkKernels(const Pair* pair, double separation, double tolerance, bool wasFound, double time)
{
	brCcdRecord records[4];
	for (int k = 0; k < 4; ++k)
	{
		records[k] = (brCcdRecord){{pair->start[k].x, pair->start[k].y, pair->start[k].z},
								   {pair->end[k].x, pair->end[k].y, pair->end[k].z}};
	}
	const brCcdItem item = {{0, 1, 2, 3}};
	for (int i = 0; i < 3; ++i)
	{
		const brCcdKernels* kernels = brGetCcdKernels((int32_t[]){1, 8, 16}[i]);
		brCcdAnswer answer;
		int32_t order[1] = {0};
		kernels->solve(pair->kind, records, &item, order, 1, separation, tolerance, &answer);
		CHECK((answer.time <= 1.0) == wasFound);
		CHECK(!wasFound || memcmp(&answer.time, &time, sizeof(double)) == 0);
		for (int32_t sieve = 0; sieve < 2 && wasFound; ++sieve)
		{
			order[0] = 0;
			CHECK_EQUAL(kernels->sieve(pair->kind, sieve, records, &item, order, 1, separation), 1);
		}
	}
}

// Contacts by construction. All numbers are small integers and powers of two, so that the contact is exact.

static brDVec3 drawPoint(brRandom* random, int32_t range)
{
	uint32_t span = (uint32_t)(2 * range + 1);
	return brMakeDVec3((int32_t)brRandom_Below(random, span) - range, (int32_t)brRandom_Below(random, span) - range,
					   (int32_t)brRandom_Below(random, span) - range);
}

// Sets the end of corner k so that it is at `point` at `time`, a power of two; at time 0 the start.
static void plantCorner(Pair* pair, int k, brDVec3 point, double time)
{
	if (time == 0.0)
	{
		pair->start[k] = point;
	}
	else
	{
		pair->end[k] = brDMulAdd(pair->start[k], 1.0 / time, brDSub(point, pair->start[k]));
	}
}

static brDVec3 cornerAt(const Pair* pair, int k, double time)
{
	return brDMulAdd(pair->start[k], time, brDSub(pair->end[k], pair->start[k]));
}

static Pair plantContact(brRandom* random, double* outTime)
{
	Pair pair = {.kind = (brCcdKind)brRandom_Below(random, 2)};
	int32_t range = 1 << (1 + brRandom_Below(random, 16));
	for (int k = 0; k < 4; ++k)
	{
		pair.start[k] = drawPoint(random, range);
		pair.end[k] = brRandom_Below(random, 4) == 0 ? pair.start[k] : drawPoint(random, range);
	}
	uint32_t shape = brRandom_Below(random, 8);
	if (shape < 3) // corners that fall together: faces like needles or points, edges without length
	{
		int to = 1 + (int)brRandom_Below(random, 3), from = pair.kind == br_ccdEdgeEdge ? to ^ 1 : 1;
		pair.start[to] = pair.start[from];
		pair.end[to] = brRandom_Below(random, 2) == 0 ? pair.end[from] : pair.end[to];
	}
	double time = brRandom_Below(random, 4) == 0 ? 0.0 : ldexp(1.0, -(int)brRandom_Below(random, 6));
	if (pair.kind == br_ccdVertexFace)
	{
		double u = brRandom_Below(random, 9) / 8.0, v = brRandom_Below(random, 9) / 8.0;
		u = u + v > 1.0 ? 1.0 - v : u; // inside, on edges, on corners
		brDVec3 a = cornerAt(&pair, 1, time), b = cornerAt(&pair, 2, time), c = cornerAt(&pair, 3, time);
		brDVec3 point = brDMulAdd(brDMulAdd(a, u, brDSub(b, a)), v, brDSub(c, a));
		plantCorner(&pair, 0, point, time);
	}
	else
	{
		double u = brRandom_Below(random, 9) / 8.0, inverse = (double)(1 << brRandom_Below(random, 4));
		brDVec3 a = cornerAt(&pair, 0, time);
		brDVec3 point = brDMulAdd(a, u, brDSub(cornerAt(&pair, 1, time), a));
		brDVec3 b = cornerAt(&pair, 2, time);
		plantCorner(&pair, 3, brDMulAdd(b, inverse, brDSub(point, b)), time);
		if (brRandom_Below(random, 4) == 0) // the end of an edge
		{
			plantCorner(&pair, 2, point, time);
		}
	}
	// Flat worlds, still ones, worlds run backwards, far ones, large and small ones.
	uint32_t flat = brRandom_Below(random, 6);
	for (int axis = 2; axis > 0 && (int)flat <= axis - 1; --axis)
	{
		for (int k = 0; k < 4; ++k)
		{
			*axisOf(&pair.start[k], axis) = 0.0, *axisOf(&pair.end[k], axis) = 0.0;
		}
	}
	if (time == 0.0 && brRandom_Below(random, 2) == 0)
	{
		memcpy(pair.end, pair.start, sizeof(pair.end));
	}
	else if (brRandom_Below(random, 2) == 0)
	{
		Pair copy = pair;
		memcpy(pair.start, copy.end, sizeof(pair.start));
		memcpy(pair.end, copy.start, sizeof(pair.end));
		time = 1.0 - time;
	}
	brDVec3 shift = brRandom_Below(random, 3) == 0 ? drawPoint(random, 1 << 24) : brMakeDVec3(0.0, 0.0, 0.0);
	double scale = brRandom_Below(random, 2) == 0 ? 1.0 : ldexp(1.0, (int)brRandom_Below(random, 1900) - 950);
	for (int k = 0; k < 4; ++k)
	{
		pair.start[k] = brDMul(scale, brDAdd(pair.start[k], shift));
		pair.end[k] = brDMul(scale, brDAdd(pair.end[k], shift));
	}
	*outTime = time;
	return pair;
}

BR_TEST(ccd_finds_planted_contacts)
{
	brRandom random = brTest_Random(test);
	int32_t late = 0, atStart = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 60000); ++round)
	{
		double contact, time = -1.0;
		Pair pair = plantContact(&random, &contact);
		brCcdDef def = brDefaultCcdDef();
		def.tolerance = (double[]){1e-8, 1e-12, 1e-3}[round % 3];
		CHECK(meets(&pair, &def, &time));
		CHECK_MESSAGE(time >= 0.0 && time <= contact, "reported at %.17g, contact at %.17g", time, contact);
		late += contact > 0.0 && time > 0.0, atStart += contact == 0.0;
		checkKernels(&pair, 0.0, def.tolerance, true, time);
	}
	CHECK(late > 0 && atStart > 0);
}

// What is reported is close at that time.

static long double dotL(const long double a[3], const long double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The polygon of differences at a time, in long doubles; see ccd_lanes.h.
static int polygonAt(const Pair* pair, long double time, long double w[4][3])
{
	const int count = pair->kind == br_ccdVertexFace ? 3 : 4;
	for (int k = 0; k < count; ++k)
	{
		int first = pair->kind == br_ccdVertexFace ? 0 : (k == 1 || k == 2);
		int second = pair->kind == br_ccdVertexFace ? k + 1 : 2 + k / 2;
		for (int axis = 0; axis < 3; ++axis)
		{
			long double a = (long double)*axisOf((brDVec3*)&pair->start[first], axis) -
							(long double)*axisOf((brDVec3*)&pair->start[second], axis);
			long double b = (long double)*axisOf((brDVec3*)&pair->end[first], axis) -
							(long double)*axisOf((brDVec3*)&pair->end[second], axis);
			w[k][axis] = a + time * (b - a);
		}
	}
	return count;
}

static long double distanceAt(const Pair* pair, long double time)
{
	long double w[4][3], best = LDBL_MAX;
	int count = polygonAt(pair, time, w);
	for (int k = 0; k < count; ++k)
	{
		long double e[3], c[3];
		for (int axis = 0; axis < 3; ++axis)
		{
			e[axis] = w[(k + 1) % count][axis] - w[k][axis];
		}
		long double ee = dotL(e, e), part = ee > 0.0L ? -dotL(w[k], e) / ee : 0.0L;
		part = part < 0.0L ? 0.0L : part > 1.0L ? 1.0L : part;
		for (int axis = 0; axis < 3; ++axis)
		{
			c[axis] = w[k][axis] + part * e[axis];
		}
		long double d = sqrtl(dotL(c, c));
		best = d < best ? d : best;
	}
	// Inside: the plane.
	long double e[3], f[3], n[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		e[axis] = w[1][axis] - w[0][axis], f[axis] = w[count - 1][axis] - w[0][axis];
	}
	n[0] = e[1] * f[2] - e[2] * f[1], n[1] = e[2] * f[0] - e[0] * f[2], n[2] = e[0] * f[1] - e[1] * f[0];
	bool isInside = dotL(n, n) > 0.0L;
	for (int k = 0; k < count; ++k)
	{
		const long double *p = w[k], *q = w[(k + 1) % count];
		long double m[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
		isInside = isInside && dotL(n, m) >= 0.0L;
	}
	long double plane = isInside ? fabsl(dotL(n, w[0])) / sqrtl(dotL(n, n)) : best;
	return plane < best ? plane : best;
}

// Largest corner, and the most that one moves.
static void measurePair(const Pair* pair, long double* outSize, long double* outMotion)
{
	long double w[2][4][3];
	int count = polygonAt(pair, 0.0L, w[0]);
	polygonAt(pair, 1.0L, w[1]);
	*outSize = 0.0L, *outMotion = 0.0L;
	for (int k = 0; k < count; ++k)
	{
		long double move[3];
		for (int axis = 0; axis < 3; ++axis)
		{
			move[axis] = w[1][k][axis] - w[0][k][axis];
			*outSize = fmaxl(*outSize, fmaxl(fabsl(w[0][k][axis]), fabsl(w[1][k][axis])));
		}
		*outMotion = fmaxl(*outMotion, sqrtl(dotL(move, move)));
	}
}

static Pair drawPair(brRandom* random)
{
	Pair pair = {.kind = (brCcdKind)brRandom_Below(random, 2)};
	double motion = ldexp(1.0, -(int)brRandom_Below(random, 20)), apart = brRandom_Range(random, 0.0, 1.5);
	brDVec3 drift = brMakeDVec3(brRandom_Range(random, -motion, motion), brRandom_Range(random, -motion, motion),
								brRandom_Range(random, -motion, motion));
	bool isStiff = brRandom_Below(random, 3) == 0;
	int firstCount = pair.kind == br_ccdVertexFace ? 1 : 2;
	for (int k = 0; k < 4; ++k)
	{
		double own = isStiff ? 0.01 * motion : motion;
		pair.start[k] = brMakeDVec3(brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0),
									k < firstCount ? apart * motion : 0.0);
		pair.end[k] =
			brDAdd(pair.start[k], brMakeDVec3(brRandom_Range(random, -own, own), brRandom_Range(random, -own, own),
											  brRandom_Range(random, -own, own)));
		pair.end[k] = k < firstCount ? brDAdd(pair.end[k], drift) : pair.end[k];
	}
	return pair;
}

BR_TEST(ccd_reports_only_what_is_close)
{
	brRandom random = brTest_Random(test);
	int32_t hits = 0, misses = 0, near = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 60000); ++round)
	{
		Pair pair = drawPair(&random);
		brCcdDef def = brDefaultCcdDef();
		def.tolerance = (double[]){1e-8, 1e-12, 1e-3}[round % 3];
		def.separation = round % 4 == 0 ? 0.01 * brRandom_Unit(&random) : 0.0;
		double time;
		bool isHit = meets(&pair, &def, &time);
		checkKernels(&pair, def.separation, def.tolerance, isHit, time);
		if (!isHit)
		{
			misses += 1;
			for (int i = 0; i <= 16; ++i)
			{
				CHECK(distanceAt(&pair, i / 16.0L) > def.separation);
			}
			continue;
		}
		long double size, motion;
		measurePair(&pair, &size, &motion);
		long double distance = distanceAt(&pair, time);
		CHECK_MESSAGE(distance <= def.separation * (1.0 + 1e-12) + 2.0 * def.tolerance * motion + 1e-13L * size,
					  "distance %Lg at %g, motion %Lg, tolerance %g", distance, time, motion, def.tolerance);
		hits += 1;
		near += time > 0.0 && distance > def.separation;
	}
	CHECK(hits > 0 && misses > 0 && near > 0);
}

BR_TEST(ccd_times_are_those_of_closed_forms)
{
	// A vertex falls from height 1 to -1 on a face that rests, at different tolerances and separations.
	Pair fall = {br_ccdVertexFace,
				 {{0.2, 0.2, 1.0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
				 {{0.2, 0.2, -1.0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
	brCcdDef def = brDefaultCcdDef();
	double time;
	for (int i = 0; i < 12; ++i)
	{
		def.tolerance = (double[]){1e-3, 1e-8, 1e-12}[i % 3];
		def.separation = 0.1 * (i / 3);
		double contact = 0.5 * (1.0 - def.separation);
		CHECK(meets(&fall, &def, &time));
		CHECK(time <= contact + 1e-15 && time >= contact - 2.0 * def.tolerance - 1e-13);
	}
	// Two crossed edges, one of which turns while it passes the other: z = 1 - 3 t at one end, 1 - t at the other, so
	// at the middle contact at 1/2.
	Pair cross = {br_ccdEdgeEdge,
				  {{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}},
				  {{-1, 0, -2}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}}};
	def = brDefaultCcdDef();
	CHECK(meets(&cross, &def, &time));
	CHECK(time <= 0.5 && time >= 0.5 - 2.0 * def.tolerance);

	// Separation is a distance, not a box: past a corner along the diagonal, nearest at (0.3, 0.3, 0) from it.
	Pair pass = {br_ccdVertexFace,
				 {{-0.3, -0.3, 1.0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
				 {{-0.3, -0.3, -1.0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
	def.separation = 0.424;
	CHECK(!meets(&pass, &def, &time));
	def.separation = 0.425;
	CHECK(meets(&pass, &def, &time));
	CHECK(time < 0.5 && time > 0.48);
}

BR_TEST(ccd_is_symmetric)
{
	brRandom random = brTest_Random(test);
	static const int faces[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 1, 3, 2}, {0, 2, 1, 3}, {0, 3, 2, 1}};
	static const int edges[6][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 3, 2}, {2, 3, 0, 1}, {3, 2, 0, 1}, {3, 2, 1, 0}};
	int32_t hits = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 10000); ++round)
	{
		Pair pair = drawPair(&random), turned = {.kind = pair.kind}, scaled = pair;
		const int* order = (pair.kind == br_ccdVertexFace ? faces : edges)[1 + round % 5];
		double scale = ldexp(1.0, (int)brRandom_Below(&random, 1200) - 600), time = 2.0, other = 2.0;
		for (int k = 0; k < 4; ++k)
		{
			turned.start[k] = pair.start[order[k]], turned.end[k] = pair.end[order[k]];
			scaled.start[k] = brDMul(scale, pair.start[k]), scaled.end[k] = brDMul(scale, pair.end[k]);
		}
		bool isHit = meets(&pair, NULL, &time);
		// Units change nothing, not one bit.
		CHECK(meets(&scaled, NULL, &other) == isHit && (!isHit || other == time));
		// Neither does the order of corners, but for the last step.
		bool isOtherHit = meets(&turned, NULL, &other);
		long double size, motion;
		measurePair(&pair, &size, &motion);
		if (isHit != isOtherHit) // a near miss that one order could tell and the other not
		{
			CHECK(distanceAt(&pair, isHit ? time : other) <= 2e-8L * motion + 1e-13L * size);
		}
		else if (isHit)
		{
			hits += 1;
			CHECK(distanceAt(&pair, other) <= 2e-8L * motion + 1e-13L * size);
		}
	}
	CHECK(hits > 0);
}

BR_TEST(ccd_survives_hostile_numbers)
{
	Pair apart = {br_ccdVertexFace,
				  {{0.2, 0.2, 3.0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
				  {{0.2, 0.2, 2.0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
	Pair edges = {
		br_ccdEdgeEdge, {{-1, 0, 3}, {1, 0, 3}, {0, -1, 0}, {0, 1, 0}}, {{-1, 0, 2}, {1, 0, 2}, {0, -1, 0}, {0, 1, 0}}};
	static const double bad[] = {NAN, INFINITY, -INFINITY, 1e305, DBL_MAX};
	for (int kind = 0; kind < 2; ++kind)
	{
		const Pair* pair = kind == 0 ? &apart : &edges;
		CHECK(!meets(pair, NULL, NULL));
		for (int i = 0; i < 24 * 5; ++i)
		{
			Pair broken = *pair;
			brDVec3* corner = i % 24 < 12 ? &broken.start[i % 4] : &broken.end[i % 4];
			*axisOf(corner, i % 24 / 4 % 3) = bad[i / 24];
			double time = -1.0;
			CHECK(meets(&broken, NULL, &time) && time == 0.0);
			checkKernels(&broken, 0.0, 1e-8, true, 0.0);
		}
		// No meeting at any scale that a double has room for, with motion and without.
		for (int exponent = -1060; exponent <= 995; exponent += 5)
		{
			Pair scaled = *pair;
			for (int k = 0; k < 4; ++k)
			{
				scaled.start[k] = brDMul(ldexp(1.0, exponent), pair->start[k]);
				scaled.end[k] = brDMul(ldexp(1.0, exponent), pair->end[k]);
			}
			CHECK(!meets(&scaled, NULL, NULL));
			memcpy(scaled.end, scaled.start, sizeof(scaled.end));
			CHECK(!meets(&scaled, NULL, NULL));
		}
		// Flat, needle and point features that stay away.
		for (int from = kind == 0 ? 1 : 2; from < 4; ++from)
		{
			Pair flat = *pair;
			for (int k = 1; k < 4; ++k)
			{
				flat.start[k] = k > from ? flat.start[from] : flat.start[k];
				flat.end[k] = k > from ? flat.end[from] : flat.end[k];
			}
			CHECK(!meets(&flat, NULL, NULL));
		}
		brCcdDef def = brDefaultCcdDef();
		def.separation = NAN;
		CHECK(meets(pair, &def, NULL));
		def.separation = -1.0;
		CHECK(meets(pair, &def, NULL));
		def = brDefaultCcdDef();
		def.stamp = 0;
		CHECK(meets(pair, &def, NULL));
		def = brDefaultCcdDef();
		def.separation = 1e299; // everything is near
		CHECK(meets(pair, &def, NULL));
	}
	// Parallel edges: side by side, one passing through the other's place, end to end on a line.
	Pair beside = {
		br_ccdEdgeEdge, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{5, 0, 0}, {6, 0, 0}, {-3, 1, 0}, {-2, 1, 0}}};
	CHECK(!meets(&beside, NULL, NULL));
	Pair through = {
		br_ccdEdgeEdge, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{0, 0, 0}, {1, 0, 0}, {0, -3, 0}, {1, -3, 0}}};
	double time;
	CHECK(meets(&through, NULL, &time) && time <= 0.25 && time > 0.249);
	Pair endToEnd = {
		br_ccdEdgeEdge, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, {{0, 0, 0}, {1, 0, 0}, {-2, 0, 0}, {-1, 0, 0}}};
	CHECK(meets(&endToEnd, NULL, &time) && time <= 0.25 && time > 0.249);
	endToEnd.end[2].x = 1.5, endToEnd.end[3].x = 2.5;
	CHECK(!meets(&endToEnd, NULL, NULL));
}
