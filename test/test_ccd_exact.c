// SPDX-License-Identifier: MIT

// Continuous tests against the exact answer, in big integers of GMP where it is there.
//
// All coordinates become integers by one power of two. Vertex and face, or two edges, are in one plane when a cubic is
// zero; they meet if then all of three or four quartics (the origin is on the inner side of each edge of the polygon of
// differences, see ccd_lanes.h) are not negative. Everything is in Bernstein form over an interval that is halved:
// coefficients of one sign decide a quartic, one change of sign isolates a root of the cubic.

#include "brittle/brittle.h"
#include "harness.h"

#ifdef BR_HAVE_GMP

#include <gmp.h>
#include <stdio.h>

enum
{
	maxDegree = 4,
	maxDepth = 90, // halvings; what is not decided then is not asked
};

// Coefficients of a polynomial of degree up to 4 in Bernstein form, up to a positive factor.
typedef struct Bernstein
{
	int degree;
	mpz_t c[maxDegree + 1];
} Bernstein;

static void initPolynomial(Bernstein* p)
{
	for (int i = 0; i <= maxDegree; ++i)
	{
		mpz_init(p->c[i]);
	}
}

static void clearPolynomial(Bernstein* p)
{
	for (int i = 0; i <= maxDegree; ++i)
	{
		mpz_clear(p->c[i]);
	}
}

// The product times a common factor: coefficients with binomials in them are those of a power-like basis, where
// products are plain. Here `c` holds binomial(degree, i) times the Bernstein coefficient until scaleDown.
static void multiply(Bernstein* out, const Bernstein* a, const Bernstein* b)
{
	out->degree = a->degree + b->degree;
	for (int i = 0; i <= out->degree; ++i)
	{
		mpz_set_si(out->c[i], 0);
	}
	for (int i = 0; i <= a->degree; ++i)
	{
		for (int k = 0; k <= b->degree; ++k)
		{
			mpz_addmul(out->c[i + k], a->c[i], b->c[k]);
		}
	}
}

static void subtract(Bernstein* a, const Bernstein* b)
{
	for (int i = 0; i <= a->degree; ++i)
	{
		mpz_sub(a->c[i], a->c[i], b->c[i]);
	}
}

static void add(Bernstein* a, const Bernstein* b)
{
	for (int i = 0; i <= a->degree; ++i)
	{
		mpz_add(a->c[i], a->c[i], b->c[i]);
	}
}

// Divides the binomials out, after multiplying by 12 so that nothing is left over.
static void takeBinomials(Bernstein* p)
{
	static const int binomials[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
	for (int i = 0; i <= p->degree; ++i)
	{
		mpz_mul_si(p->c[i], p->c[i], 12 / binomials[p->degree][i]);
	}
}

// Half of the interval, by de Casteljau without divisions.
static void halve(const Bernstein* p, bool isUpper, Bernstein* out)
{
	Bernstein work;
	initPolynomial(&work);
	out->degree = p->degree;
	for (int i = 0; i <= p->degree; ++i)
	{
		mpz_mul_2exp(work.c[i], p->c[i], (mp_bitcnt_t)p->degree);
	}
	for (int level = 0; level <= p->degree; ++level)
	{
		int place = isUpper ? p->degree - level : level, from = isUpper ? p->degree - level : 0;
		mpz_set(out->c[place], work.c[from]);
		for (int i = 0; i + level < p->degree; ++i)
		{
			mpz_add(work.c[i], work.c[i], work.c[i + 1]);
			mpz_tdiv_q_2exp(work.c[i], work.c[i], 1); // exact: there are `degree` factors of two
		}
	}
	clearPolynomial(&work);
}

static int changes(const Bernstein* p)
{
	int count = 0, last = 0;
	for (int i = 0; i <= p->degree; ++i)
	{
		int sign = mpz_sgn(p->c[i]);
		count += sign * last < 0;
		last = sign != 0 ? sign : last;
	}
	return count;
}

static int signOfAll(const Bernstein* p) // +1 or -1: all; 0: not told
{
	int low = 1, high = -1;
	for (int i = 0; i <= p->degree; ++i)
	{
		int sign = mpz_sgn(p->c[i]);
		low = sign < low ? sign : low, high = sign > high ? sign : high;
	}
	return low > 0 ? 1 : high < 0 ? -1 : 0;
}

typedef struct Question
{
	Bernstein plane;    // cubic
	Bernstein sides[4]; // quartics
	int sideCount;
	bool isDecided;
} Question;

// First time in [begin, begin + width] at which they meet, or 2. Undecided clears the flag.
static double firstMeeting(Question* q, const Bernstein* plane, const Bernstein* sides, double begin, double width,
						   int depth)
{
	int roots = changes(plane);
	bool isZeroAtEnd = mpz_sgn(plane->c[0]) == 0 || mpz_sgn(plane->c[plane->degree]) == 0;
	if (roots == 0 && !isZeroAtEnd)
	{
		return 2.0;
	}
	bool isInside = true;
	for (int k = 0; k < q->sideCount; ++k)
	{
		int sign = signOfAll(&sides[k]);
		if (sign < 0)
		{
			return 2.0; // on the outer side all the while
		}
		isInside = isInside && sign > 0;
	}
	if (isInside && roots == 1 && !isZeroAtEnd && width < 1e-15)
	{
		return begin;
	}
	if (depth == maxDepth)
	{
		q->isDecided = false;
		return 2.0;
	}
	double time = 2.0;
	Bernstein half, halves[4];
	initPolynomial(&half);
	for (int k = 0; k < q->sideCount; ++k)
	{
		initPolynomial(&halves[k]);
	}
	for (int upper = 0; upper < 2 && time > 1.0 && q->isDecided; ++upper)
	{
		halve(plane, upper == 1, &half);
		for (int k = 0; k < q->sideCount; ++k)
		{
			halve(&sides[k], upper == 1, &halves[k]);
		}
		time = firstMeeting(q, &half, halves, begin + 0.5 * upper * width, 0.5 * width, depth + 1);
	}
	clearPolynomial(&half);
	for (int k = 0; k < q->sideCount; ++k)
	{
		clearPolynomial(&halves[k]);
	}
	return time;
}

// out = a x b, component by component
static void crossProduct(Bernstein out[3], const Bernstein a[3], const Bernstein b[3], Bernstein* scratch)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		int i = (axis + 1) % 3, k = (axis + 2) % 3;
		multiply(&out[axis], &a[i], &b[k]);
		multiply(scratch, &a[k], &b[i]);
		subtract(&out[axis], scratch);
	}
}

static void dotProduct(Bernstein* out, const Bernstein a[3], const Bernstein b[3], Bernstein* scratch)
{
	multiply(out, &a[0], &b[0]);
	for (int axis = 1; axis < 3; ++axis)
	{
		multiply(scratch, &a[axis], &b[axis]);
		add(out, scratch);
	}
}

static double coordinate(const brDVec3* p, int axis)
{
	return axis == 0 ? p->x : axis == 1 ? p->y : p->z;
}

// The exact first time within 1e-15, 2 for never; false if it could not be decided. Coordinates are multiples of 2^-60
// below 2^60.
static bool exactMeeting(bool areEdges, const brDVec3 start[4], const brDVec3 end[4], double* outTime)
{
	Bernstein w[4][3], normal[3], side[3], edge[2][3], scratch;
	Question q = {.sideCount = areEdges ? 4 : 3, .isDecided = true};
	initPolynomial(&scratch);
	initPolynomial(&q.plane);
	for (int k = 0; k < 4; ++k)
	{
		initPolynomial(&q.sides[k]);
		for (int axis = 0; axis < 3; ++axis)
		{
			initPolynomial(&w[k][axis]);
			if (k < 2)
			{
				initPolynomial(&edge[k][axis]);
			}
		}
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		initPolynomial(&normal[axis]);
		initPolynomial(&side[axis]);
	}
	for (int k = 0; k < q.sideCount; ++k)
	{
		int first = areEdges ? (k == 1 || k == 2) : 0, second = areEdges ? 2 + k / 2 : k + 1;
		for (int axis = 0; axis < 3; ++axis)
		{
			w[k][axis].degree = 1;
			for (int frame = 0; frame < 2; ++frame)
			{
				const brDVec3* p = frame == 0 ? start : end;
				mpz_t* c = &w[k][axis].c[frame];
				mpz_set_d(*c, ldexp(coordinate(&p[first], axis), 60));
				mpz_set_d(scratch.c[0], ldexp(coordinate(&p[second], axis), 60));
				mpz_sub(*c, *c, scratch.c[0]);
			}
		}
	}
	for (int i = 0; i < 2; ++i)
	{
		for (int axis = 0; axis < 3; ++axis)
		{
			edge[i][axis].degree = 1;
			for (int c = 0; c < 2; ++c)
			{
				mpz_sub(edge[i][axis].c[c], w[i == 0 ? 1 : q.sideCount - 1][axis].c[c], w[0][axis].c[c]);
			}
		}
	}
	crossProduct(normal, edge[0], edge[1], &scratch);
	dotProduct(&q.plane, normal, w[0], &scratch);
	for (int k = 0; k < q.sideCount; ++k)
	{
		crossProduct(side, w[k], w[(k + 1) % q.sideCount], &scratch);
		dotProduct(&q.sides[k], normal, side, &scratch);
		takeBinomials(&q.sides[k]);
	}
	takeBinomials(&q.plane);
	*outTime = firstMeeting(&q, &q.plane, q.sides, 0.0, 1.0, 0);

	clearPolynomial(&scratch);
	clearPolynomial(&q.plane);
	for (int k = 0; k < 4; ++k)
	{
		clearPolynomial(&q.sides[k]);
		for (int axis = 0; axis < 3; ++axis)
		{
			clearPolynomial(&w[k][axis]);
			if (k < 2)
			{
				clearPolynomial(&edge[k][axis]);
			}
		}
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		clearPolynomial(&normal[axis]);
		clearPolynomial(&side[axis]);
	}
	return q.isDecided;
}

// Multiples of 2^-52 in [-range, range].
static double drawNumber(brRandom* random, double range)
{
	return ldexp(floor(ldexp(brRandom_Range(random, -range, range), 52)), -52);
}

BR_TEST(ccd_equals_the_exact_answer)
{
	brRandom random = brTest_Random(test);
	int32_t meeting = 0, apart = 0, wrong = 0, early = 0, undecided = 0;
	double most = 0.0;
	for (int32_t round = 0; round < brTest_Rounds(test, 4000); ++round)
	{
		// From wild tumbling to small motions of features close to each other, and small integers with their many ties.
		brDVec3 start[4], end[4];
		bool areEdges = brRandom_Below(&random, 2) == 0, isGrid = round % 5 == 0;
		double motion = ldexp(1.0, -(int)brRandom_Below(&random, 30));
		for (int k = 0; k < 4; ++k)
		{
			double flat = k < (areEdges ? 2 : 1) ? motion : 0.0;
			start[k] = brMakeDVec3(drawNumber(&random, 1.0), drawNumber(&random, 1.0), drawNumber(&random, flat));
			end[k] = brMakeDVec3(start[k].x + drawNumber(&random, motion), start[k].y + drawNumber(&random, motion),
								 start[k].z + drawNumber(&random, motion));
			if (isGrid)
			{
				start[k] = brMakeDVec3((double)brRandom_Below(&random, 5), (double)brRandom_Below(&random, 5),
									   (double)brRandom_Below(&random, 5));
				end[k] = brMakeDVec3((double)brRandom_Below(&random, 5), (double)brRandom_Below(&random, 5),
									 (double)brRandom_Below(&random, 5));
			}
		}
		double exact, time = 2.0;
		brCcdDef def = brDefaultCcdDef();
		def.tolerance = round % 2 == 0 ? 1e-8 : 1e-12;
		bool isDecided = exactMeeting(areEdges, start, end, &exact);
		bool isHit = (areEdges ? brEdgeMeetsEdge : brVertexMeetsFace)(start, end, &def, &time);
		undecided += !isDecided;
		if (!isDecided)
		{
			continue;
		}
		CHECK_MESSAGE(isHit || exact > 1.0, "a contact at %.17g was missed", exact);
		CHECK_MESSAGE(exact > 1.0 || time <= exact + 1e-15, "reported at %.17g, contact at %.17g", time, exact);
		meeting += exact <= 1.0, apart += exact > 1.0;
		wrong += isHit && exact > 1.0;
		if (exact <= 1.0 && exact > 0.0)
		{
			// Of small motions rounding errors are a part of their own.
			double slack = 2.0 * def.tolerance + (isGrid ? 0.0 : 1e-13 / motion);
			most = exact - time > most ? exact - time : most;
			early += exact - time > slack;
		}
	}
	printf("%d meet, %d do not, %d undecided; %d wrongly reported; %d times early beyond the slack, at most %.2g\n",
		   meeting, apart, undecided, wrong, early, most);
	int32_t all = meeting + apart;
	CHECK(meeting > all / 40 && apart > all / 2 && undecided < all / 4);
	CHECK(wrong <= all / 500 && early <= all / 100);
}

#else

BR_TEST(ccd_equals_the_exact_answer)
{
	brTest_Skip("GMP is not there");
}

#endif
