// SPDX-License-Identifier: MIT

// The predicates against big integers of GMP, where it is there, and against plain facts.

#include "harness.h"
#include "math/exact.h"
#include "math/predicates.h"

#include <float.h>
#include <string.h>

// One predicate seen as a function of points with up to three coordinates.
typedef struct Predicate
{
	const char* name;
	int points;
	int dimension;
	bool isLifted; // the last column of the determinant is the squared length
	int32_t sense; // of our sign relative to that determinant
	int32_t (*sign)(const brDVec3* p);
	int32_t (*exact)(const brDVec3* p);
} Predicate;

#define FLAT(v) ((brDVec2){(v).x, (v).y})

static int32_t signOrient2d(const brDVec3* p)
{
	return brOrient2d(FLAT(p[0]), FLAT(p[1]), FLAT(p[2]));
}

static int32_t exactOrient2d(const brDVec3* p)
{
	return brOrient2d_Exact(FLAT(p[0]), FLAT(p[1]), FLAT(p[2]));
}

static int32_t signOrient3d(const brDVec3* p)
{
	return brOrient3d(p[0], p[1], p[2], p[3]);
}

static int32_t exactOrient3d(const brDVec3* p)
{
	return brOrient3d_Exact(p[0], p[1], p[2], p[3]);
}

static int32_t signInCircle(const brDVec3* p)
{
	return brInCircle(FLAT(p[0]), FLAT(p[1]), FLAT(p[2]), FLAT(p[3]));
}

static int32_t exactInCircle(const brDVec3* p)
{
	return brInCircle_Exact(FLAT(p[0]), FLAT(p[1]), FLAT(p[2]), FLAT(p[3]));
}

static const Predicate orient2d = {"orient2d", 3, 2, false, 1, signOrient2d, exactOrient2d};
static const Predicate orient3d = {"orient3d", 4, 3, false, -1, signOrient3d, exactOrient3d};
static const Predicate inCircle = {"incircle", 4, 2, true, 1, signInCircle, exactInCircle};
static const Predicate* const predicates[] = {&orient2d, &orient3d, &inCircle};

// Near-degenerate input

// Zero stays: its neighbors are denormals, which have a kind of their own.
static double nudge(brRandom* random, double x)
{
	uint32_t steps = brRandom_Below(random, 4);
	double towards = (brRandom_Next(random) & 1) != 0 ? INFINITY : -INFINITY;
	for (uint32_t i = 0; i + 1 < steps && x != 0.0; ++i)
	{
		x = nextafter(x, towards);
	}
	return x;
}

static double anyDouble(brRandom* random, int lowest, int highest)
{
	double mantissa = 1.0 + brRandom_Unit(random);
	double x = ldexp(mantissa, lowest + (int)brRandom_Below(random, (uint32_t)(highest - lowest + 1)));
	return (brRandom_Next(random) & 1) != 0 ? x : -x;
}

typedef enum Degeneracy
{
	degenerateGrid,      // corners of a tiny grid
	degenerateNudged,    // the same, moved by an ulp or two
	degenerateCombined,  // a rounded combination of the others: nearly on their line or plane
	degenerateRound,     // integer points of one circle or sphere, moved by a common shift
	degenerateRoundNear, // the same, moved by an ulp or two
	degenerateTiny,      // products underflow
	degenerateHuge,      // products overflow
	degenerateMixed,     // exponents apart
	degenerateExtreme,   // all exponents of a double
	degenerateCount
} Degeneracy;

static void drawGrid(brRandom* random, brDVec3* p, int count, uint32_t size)
{
	for (int i = 0; i < count; ++i)
	{
		p[i] = brMakeDVec3(brRandom_Below(random, size), brRandom_Below(random, size), brRandom_Below(random, size));
	}
}

// Points (+-3, +-4), (+-5, 0)... have length 5, all arrangements of (+-1, +-2, +-2) and (+-3, 0, 0) have length 3.
static brDVec3 drawRound(brRandom* random, int dimension)
{
	double c[3];
	if (dimension == 2)
	{
		bool isAxis = brRandom_Below(random, 3) == 0;
		c[0] = isAxis ? 5.0 : 3.0, c[1] = isAxis ? 0.0 : 4.0, c[2] = 0.0;
	}
	else
	{
		bool isAxis = brRandom_Below(random, 4) == 0;
		c[0] = isAxis ? 3.0 : 1.0, c[1] = isAxis ? 0.0 : 2.0, c[2] = isAxis ? 0.0 : 2.0;
	}
	int turn = (int)brRandom_Below(random, (uint32_t)dimension);
	uint32_t signs = brRandom_Next(random);
	double x = c[turn % dimension], y = c[(turn + 1) % dimension], z = dimension == 3 ? c[(turn + 2) % 3] : 0.0;
	return brMakeDVec3((signs & 1) != 0 ? x : -x, (signs & 2) != 0 ? y : -y, (signs & 4) != 0 ? z : -z);
}

static void drawPoints(brRandom* random, const Predicate* predicate, Degeneracy kind, brDVec3* p)
{
	int count = predicate->points;
	double scale = 1.0;
	switch (kind)
	{
		case degenerateGrid:
			drawGrid(random, p, count, 4);
			break;
		case degenerateNudged:
			drawGrid(random, p, count, 3);
			scale = 1.0 / 3.0;
			break;
		case degenerateCombined:
			for (int i = 0; i < count; ++i)
			{
				p[i] = brMakeDVec3(brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0),
								   brRandom_Range(random, -1.0, 1.0));
			}
			p[count - 1] = brDLerp(p[0], p[1], brRandom_Unit(random));
			if (count > 3)
			{
				p[count - 1] = brDLerp(p[count - 1], p[2], brRandom_Range(random, -1.0, 2.0));
			}
			break;
		case degenerateRound:
		case degenerateRoundNear:
			for (int i = 0; i < count; ++i)
			{
				p[i] = drawRound(random, predicate->dimension);
			}
			brDVec3 shift = {ldexp(brRandom_Below(random, 1000), -8), brRandom_Below(random, 1000), 0.125};
			for (int i = 0; i < count; ++i)
			{
				p[i] = brDAdd(p[i], shift);
			}
			break;
		case degenerateTiny:
			drawGrid(random, p, count, 4);
			scale = ldexp(1.0, -150 - (int)brRandom_Below(random, 920));
			break;
		case degenerateHuge:
			drawGrid(random, p, count, 4);
			scale = ldexp(1.0, 150 + (int)brRandom_Below(random, 870));
			break;
		case degenerateMixed:
		case degenerateExtreme:
		default:
			for (int i = 0; i < count; ++i)
			{
				int low = kind == degenerateMixed ? -60 : -1074, high = kind == degenerateMixed ? 60 : 1023;
				p[i] = brMakeDVec3(anyDouble(random, low, high), anyDouble(random, low, high),
								   anyDouble(random, low, high));
			}
			if ((brRandom_Next(random) & 1) != 0)
			{
				p[count - 1] = p[brRandom_Below(random, (uint32_t)count - 1)];
				p[count - 1].x = nudge(random, p[count - 1].x);
			}
			break;
	}
	bool isNudged = kind == degenerateNudged || kind == degenerateRoundNear ||
					((kind == degenerateTiny || kind == degenerateHuge) && (brRandom_Next(random) & 1) != 0);
	for (int i = 0; i < count; ++i)
	{
		p[i] = brDMul(scale, p[i]);
		if (isNudged)
		{
			p[i].x = nudge(random, p[i].x);
			p[i].y = nudge(random, p[i].y);
		}
	}
}

#ifdef BR_HAVE_GMP

#include <gmp.h>

// Scales doubles to integers by the smallest exponent among them, with library calls only.
static void setScaled(mpz_t out, double x, int lowest)
{
	int exponent;
	double mantissa = frexp(x, &exponent);
	mpz_set_d(out, ldexp(mantissa, 53));
	mpz_mul_2exp(out, out, (mp_bitcnt_t)(x != 0.0 ? exponent - lowest : 0));
}

typedef struct Oracle
{
	mpz_t rows[4][4];
	mpz_t last[3];
	mpz_t minors[3];
} Oracle;

static void initOracle(Oracle* oracle)
{
	for (int i = 0; i < 4; ++i)
	{
		for (int k = 0; k < 4; ++k)
		{
			mpz_init(oracle->rows[i][k]);
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		mpz_init(oracle->last[k]);
		mpz_init(oracle->minors[k]);
	}
}

static void clearOracle(Oracle* oracle)
{
	for (int i = 0; i < 4; ++i)
	{
		for (int k = 0; k < 4; ++k)
		{
			mpz_clear(oracle->rows[i][k]);
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		mpz_clear(oracle->last[k]);
		mpz_clear(oracle->minors[k]);
	}
}

// Determinant of rows [first, size) over the columns not used, by the first row: small and slow.
static void expandRows(Oracle* oracle, mpz_t out, int size, int first, unsigned usedColumns)
{
	mpz_set_ui(out, 0);
	int place = 0;
	for (int column = 0; column < size; ++column)
	{
		if ((usedColumns >> column & 1) != 0)
		{
			continue;
		}
		mpz_t* factor = &oracle->rows[first][column];
		if (first == size - 1)
		{
			mpz_set(out, *factor);
			return;
		}
		if (mpz_sgn(*factor) != 0)
		{
			mpz_t* minor = &oracle->minors[first];
			expandRows(oracle, *minor, size, first + 1, usedColumns | 1u << column);
			place % 2 == 0 ? mpz_addmul(out, *factor, *minor) : mpz_submul(out, *factor, *minor);
		}
		place += 1;
	}
}

static int32_t askOracle(Oracle* oracle, const Predicate* predicate, const brDVec3* p, mpz_t det)
{
	int lowest = INT32_MAX;
	const double* c = &p[0].x;
	for (int i = 0; i < 3 * predicate->points; ++i)
	{
		int exponent;
		frexp(c[i], &exponent);
		lowest = c[i] != 0.0 && exponent < lowest ? exponent : lowest;
	}
	int rows = predicate->points - 1;
	for (int k = 0; k < predicate->dimension; ++k)
	{
		setScaled(oracle->last[k], c[3 * rows + k], lowest);
		for (int i = 0; i < rows; ++i)
		{
			setScaled(oracle->rows[i][k], c[3 * i + k], lowest);
			mpz_sub(oracle->rows[i][k], oracle->rows[i][k], oracle->last[k]);
		}
	}
	for (int i = 0; i < rows && predicate->isLifted; ++i)
	{
		mpz_t* lift = &oracle->rows[i][predicate->dimension];
		mpz_set_ui(*lift, 0);
		for (int k = 0; k < predicate->dimension; ++k)
		{
			mpz_addmul(*lift, oracle->rows[i][k], oracle->rows[i][k]);
		}
	}
	expandRows(oracle, det, rows, 0, 0);
	return mpz_sgn(det) * predicate->sense;
}

static void compareToOracle(brTest* test, const Predicate* predicate, int32_t cases, uint64_t stream)
{
	Oracle oracle;
	initOracle(&oracle);
	mpz_t det;
	mpz_init(det);
	brRandom random = brMakeRandom(test->seed, stream);
	int32_t seen[degenerateCount][3] = {0};
	int32_t rounds = brTest_Rounds(test, cases);
	for (int32_t round = 0; round < rounds; ++round)
	{
		// Numbers that span all exponents have thousands of bits: a few of them will do.
		Degeneracy kind = (Degeneracy)(round % 64 == 63 ? degenerateExtreme : round % degenerateExtreme);
		brDVec3 p[5];
		drawPoints(&random, predicate, kind, p);
		int32_t expected = askOracle(&oracle, predicate, p, det);
		int32_t sign = predicate->sign(p);
		CHECK_MESSAGE(sign == expected, "%s of kind %d, round %d: %d, should be %d", predicate->name, kind, round, sign,
					  expected);
		seen[kind][expected + 1] += 1;
		if (round % 8 == 0)
		{
			CHECK_EQUAL(predicate->exact(p), expected);
		}
		int i = (int)brRandom_Below(&random, (uint32_t)predicate->points - 1);
		brDVec3 other = p[i];
		p[i] = p[i + 1], p[i + 1] = other;
		CHECK_EQUAL(predicate->sign(p), -expected);
	}
	mpz_clear(det);
	clearOracle(&oracle);
	for (int kind = 0; kind < degenerateCount && rounds >= 10000; ++kind)
	{
		bool isAlwaysZero = predicate->isLifted && kind == degenerateRound;
		bool isNeverZero = kind == degenerateCombined || kind >= degenerateMixed;
		CHECK_MESSAGE(isAlwaysZero || (seen[kind][0] > 0 && seen[kind][2] > 0), "kind %d never had both signs", kind);
		CHECK_MESSAGE(isNeverZero || seen[kind][1] > 0, "kind %d never had a zero", kind);
	}
}

BR_TEST(predicates_orient2d_agrees_with_big_integers)
{
	compareToOracle(test, &orient2d, 1000000, 0);
}

BR_TEST(predicates_orient3d_agrees_with_big_integers)
{
	compareToOracle(test, &orient3d, 1000000, 0);
}

BR_TEST(predicates_incircle_agrees_with_big_integers)
{
	compareToOracle(test, &inCircle, 1000000, 0);
}

static void setFromExact(mpz_t out, brExact x)
{
	mpz_import(out, (size_t)x.count, -1, sizeof(uint64_t), 0, 0, x.limbs);
	if (x.sign < 0)
	{
		mpz_neg(out, out);
	}
}

BR_TEST(exact_integers_agree_with_gmp)
{
	brRandom random = brTest_Random(test);
	mpz_t a, b, expected, actual;
	mpz_inits(a, b, expected, actual, NULL);
	int32_t rounds = brTest_Rounds(test, 20000);
	for (int32_t round = 0; round < rounds; ++round)
	{
		uint64_t limbs[400];
		brExactPool pool = {limbs, 400, 0, false};
		int span = round % 3 == 0 ? 1000 : 60;
		double values[4];
		for (int i = 0; i < 4; ++i)
		{
			values[i] = brRandom_Below(&random, 10) == 0 ? 0.0 : anyDouble(&random, -span, span);
		}
		int32_t e = brExact_Exponent(values, 4);
		brExact x[4];
		for (int i = 0; i < 4; ++i)
		{
			x[i] = brExact_FromDouble(&pool, values[i], e);
		}
		brExact p = brExact_Mul(&pool, x[0], x[1]);
		brExact q = brExact_Mul(&pool, x[2], x[3]);
		setFromExact(a, p);
		setFromExact(b, q);
		setFromExact(actual, brExact_Sub(&pool, p, q));
		mpz_sub(expected, a, b);
		CHECK(mpz_cmp(actual, expected) == 0);
		setFromExact(actual, brExact_Add(&pool, p, q));
		mpz_add(expected, a, b);
		CHECK(mpz_cmp(actual, expected) == 0);
		CHECK(brExact_Sub(&pool, q, q).sign == 0);

		// The product itself, and the doubles it was made from
		setFromExact(actual, x[0]);
		setFromExact(b, x[1]);
		mpz_mul(expected, actual, b);
		CHECK(mpz_cmp(a, expected) == 0);
		setScaled(expected, values[0], e);
		if (values[0] != 0.0)
		{
			mpz_fdiv_q_2exp(expected, expected, 53);
			CHECK(mpz_cmp(actual, expected) == 0);
		}
		CHECK(!pool.isFull);
	}
	mpz_clears(a, b, expected, actual, NULL);
}

#endif

BR_TEST(exact_integers_stop_at_the_end_of_their_pool)
{
	uint64_t limbs[9];
	limbs[8] = 42;
	brExactPool pool = {limbs, 8, 0, false};
	brExact a = brExact_FromDouble(&pool, 3.0, -130);
	CHECK(!pool.isFull && a.sign == 1 && a.count == 3);
	brExact b = brExact_Mul(&pool, a, a);
	CHECK(pool.isFull && b.sign == 0 && limbs[8] == 42);
	CHECK(brExact_Add(&pool, a, a).sign == 0);
	CHECK_EQUAL(brExact_Exponent((double[]){0.0, -0.0}, 2), 0);
	CHECK_EQUAL(brExact_Exponent((double[]){0.0, 12.0}, 2), 2);
	CHECK_EQUAL(brExact_Exponent((double[]){DBL_MAX, -DBL_TRUE_MIN}, 2), -1074);
}

BR_TEST(predicates_know_left_from_right)
{
	brDVec3 o = {0, 0, 0}, x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
	CHECK_EQUAL(brOrient2d((brDVec2){0, 0}, (brDVec2){1, 0}, (brDVec2){0, 1}), 1);
	CHECK_EQUAL(brOrient2d((brDVec2){0, 0}, (brDVec2){1, 1}, (brDVec2){2, 2}), 0);
	CHECK_EQUAL(brOrient3d(o, x, y, z), 1);
	CHECK_EQUAL(brOrient3d(o, y, x, z), -1);
	CHECK_EQUAL(brOrient3d(o, x, y, (brDVec3){5, 7, 0}), 0);
	CHECK_EQUAL(brInCircle((brDVec2){0, 0}, (brDVec2){1, 0}, (brDVec2){0, 1}, (brDVec2){0.5, 0.5}), 1);
	CHECK_EQUAL(brInCircle((brDVec2){0, 0}, (brDVec2){1, 0}, (brDVec2){0, 1}, (brDVec2){1, 1}), 0);
	CHECK_EQUAL(brInCircle((brDVec2){0, 0}, (brDVec2){1, 0}, (brDVec2){0, 1}, (brDVec2){2, 2}), -1);
}

// The classical trap: factors of very different size, so that the value is large and one of its products underflows.
BR_TEST(predicates_are_right_where_a_factor_underflows)
{
	brDVec3 d = {0, 0, 0};
	brDVec3 a = {0, 0, 0x1p1000};
	brDVec3 b = {0x1.8p-537, 0x1.0000000000001p-537, 0};
	brDVec3 c = {0x1.0000000000001p-537, 0x1.8p-537, 0};
	CHECK_EQUAL(brOrient3d(a, b, c, d), brOrient3d_Exact(a, b, c, d));
	c = brMakeDVec3(0x1.0000000000001p-537, 0x1.5555555555556p-538, 0);
	b = brMakeDVec3(0x1.8p-537, 0x1p-537, 0);
	CHECK(brOrient3d_Exact(a, b, c, d) != 0);
	CHECK_EQUAL(brOrient3d(a, b, c, d), brOrient3d_Exact(a, b, c, d));
	brDVec3 huge = {DBL_MAX, -DBL_MAX, DBL_MAX};
	CHECK_EQUAL(brOrient3d(huge, brDNeg(huge), (brDVec3){0, 0, 0}, (brDVec3){1, 2, 3}), 0);
	CHECK_EQUAL(brOrient2d((brDVec2){-DBL_MAX, -DBL_MAX}, (brDVec2){DBL_MAX, DBL_MAX}, (brDVec2){0, DBL_TRUE_MIN}), 1);
}

// Every arrangement of the points of a triangle, tet... gives the sign of the permutation; exact scaling changes
// nothing.
BR_TEST(predicates_follow_permutations_and_powers_of_two)
{
	brRandom random = brTest_Random(test);
	int32_t rounds = brTest_Rounds(test, 20000);
	for (int32_t round = 0; round < rounds; ++round)
	{
		const Predicate* predicate = predicates[round % 3];
		Degeneracy kind = (Degeneracy)(round / 3 % degenerateTiny);
		brDVec3 p[5];
		drawPoints(&random, predicate, kind, p);
		int32_t sign = predicate->sign(p);
		CHECK_EQUAL(predicate->exact(p), sign);
		for (int step = 0; step < 6; ++step)
		{
			int i = (int)brRandom_Below(&random, (uint32_t)predicate->points);
			int j = (int)brRandom_Below(&random, (uint32_t)predicate->points);
			brDVec3 other = p[i];
			p[i] = p[j], p[j] = other;
			sign = i != j ? -sign : sign;
			CHECK_EQUAL(predicate->sign(p), sign);
		}
		double scale = ldexp(1.0, (int)brRandom_Below(&random, 900) - 300);
		for (int i = 0; i < predicate->points; ++i)
		{
			p[i] = brDMul(scale, p[i]);
		}
		CHECK_EQUAL(predicate->sign(p), sign);
	}
}
