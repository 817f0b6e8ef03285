// SPDX-License-Identifier: MIT
#include "mesh/flip_thin.h"

#include "math/predicates.h"

#include <math.h>

#define FLIP_MAX_PASSES 64

// Over the longest side; 0 if it turns right or not at all.
static double flipHeight(const brFlat* flat, int32_t a, int32_t b, int32_t c)
{
	brDVec2 p = flat->points[a], q = flat->points[b], r = flat->points[c];
	if (brOrient2d(p, q, r) <= 0)
	{
		return 0.0;
	}
	brDVec2 u = {q.x - p.x, q.y - p.y}, v = {r.x - p.x, r.y - p.y}, w = {r.x - q.x, r.y - q.y};
	double longestSq = fmax(u.x * u.x + u.y * u.y, fmax(v.x * v.x + v.y * v.y, w.x * w.x + w.y * w.y));
	return fabs(u.x * v.y - u.y * v.x) / sqrt(longestSq);
}

static int32_t flipNext(int32_t side)
{
	return side % 3 == 2 ? side - 2 : side + 1;
}

// What the thinner triangle gains in height if this side gives way to the other diagonal.
static double flipGain(const brFlat* flat, int32_t side)
{
	int32_t other = flat->links[side];
	if (other < 0)
	{
		return 0.0;
	}
	const int32_t* corners = flat->corners;
	int32_t a = corners[side], b = corners[flipNext(side)];
	int32_t c = corners[flipNext(flipNext(side))], d = corners[flipNext(flipNext(other))];
	double before = fmin(flipHeight(flat, a, b, c), flipHeight(flat, b, a, d));
	return fmin(flipHeight(flat, a, d, c), flipHeight(flat, d, b, c)) - before;
}

static void flipLink(brFlat* flat, int32_t side, int32_t other)
{
	flat->links[side] = other;
	if (other >= 0)
	{
		flat->links[other] = side;
	}
}

// a b c and b a d become a d c and d b c.
static void flipSide(brFlat* flat, int32_t side)
{
	int32_t other = flat->links[side];
	int32_t s1 = flipNext(side), s2 = flipNext(s1), o1 = flipNext(other), o2 = flipNext(o1);
	int32_t beyondBc = flat->links[s1], beyondAd = flat->links[o1];
	flat->corners[s1] = flat->corners[o2]; // a d c at side, s1, s2
	flat->corners[o1] = flat->corners[s2]; // b c d at other, o1, o2
	flipLink(flat, side, beyondAd);        // a d
	flipLink(flat, s1, o1);                // d c
	flipLink(flat, other, beyondBc);       // b c
}

void brFlipThin(brFlat* flat)
{
	bool isChanged = true;
	for (int32_t pass = 0; pass < FLIP_MAX_PASSES && isChanged; ++pass)
	{
		isChanged = false;
		for (int32_t t = flat->count - 1; t >= 0; --t) // the last ears hold those before them
		{
			const int32_t* c = flat->corners + 3 * (int64_t)t;
			if (flipHeight(flat, c[0], c[1], c[2]) > flat->thin)
			{
				continue;
			}
			int32_t best = 3 * t;
			for (int32_t side = 3 * t + 1; side < 3 * t + 3; ++side)
			{
				best = flipGain(flat, side) > flipGain(flat, best) ? side : best;
			}
			if (flipGain(flat, best) > 0.0)
			{
				flipSide(flat, best);
				isChanged = true;
			}
		}
	}
}
