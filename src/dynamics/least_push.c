// SPDX-License-Identifier: MIT

// The least change of velocities after which all points of a hit part as they should.
//
// Points of a ring or a statue lie a tenth of a millimeter beside each other. Sweeps over them creep towards the answer
// by a thousandth of what is left, and an answer that is off by that seems to gain energy. This one ends: D. Goldfarb,
// A. Idnani, "A numerically stable dual method for solving strictly convex quadratic programs", 1983. The point that
// lacks most is pushed; points that push already give way so that they go on parting as they do, and one that would
// have to pull is let go. There are never more pushing points than the bodies have ways to move. The length of a change
// is its energy, so directions are at right angles if their energies add up.

#include "dynamics/least_push.h"

#include <math.h>
#include <string.h>

// A point whose energy is less than this part beside that of others is moved by them alone.
#define LEAST_FLAT 1e-12
// Each round pushes one point more or lets one go, and the energy grows; a few for each point do.
#define LEAST_ROUNDS 16

typedef struct LeastPush
{
	brPushRow* rows;
	int32_t dimensions;
	int32_t active[BR_PUSH_DIMENSIONS]; // that push
	int32_t activeCount;
	// Their directions at right angles, and how each is made of these: columns of an upper triangle.
	double push[BR_PUSH_DIMENSIONS][BR_PUSH_DIMENSIONS], change[BR_PUSH_DIMENSIONS][BR_PUSH_DIMENSIONS];
	double parts[BR_PUSH_DIMENSIONS][BR_PUSH_DIMENSIONS];
	double moved[BR_PUSH_DIMENSIONS]; // the change of velocities so far
} LeastPush;

static double leastDot(int32_t dimensions, const double* a, const double* b)
{
	double sum = 0.0;
	for (int32_t k = 0; k < dimensions; ++k)
	{
		sum += a[k] * b[k];
	}
	return sum;
}

static void leastAdd(int32_t dimensions, double* a, double s, const double* b)
{
	for (int32_t k = 0; k < dimensions; ++k)
	{
		a[k] += s * b[k];
	}
}

// What is left of a row at right angles to the first directions, and its parts along these. Returns its energy.
static double leastSplit(const LeastPush* least, int32_t count, brPushRow* row, double parts[BR_PUSH_DIMENSIONS])
{
	for (int32_t i = 0; i < count; ++i)
	{
		parts[i] = leastDot(least->dimensions, row->push, least->change[i]);
		leastAdd(least->dimensions, row->push, -parts[i], least->push[i]);
		leastAdd(least->dimensions, row->change, -parts[i], least->change[i]);
	}
	return leastDot(least->dimensions, row->push, row->change);
}

// The direction of the last of those that push.
static void leastAppend(LeastPush* least, int32_t at)
{
	brPushRow row = least->rows[least->active[at]];
	double length = sqrt(leastSplit(least, at, &row, least->parts[at]));
	least->parts[at][at] = length;
	for (int32_t k = 0; k < least->dimensions; ++k)
	{
		least->push[at][k] = row.push[k] / length;
		least->change[at][k] = row.change[k] / length;
	}
}

static void leastLetGo(LeastPush* least, int32_t at)
{
	least->rows[least->active[at]].impulse = 0.0;
	least->activeCount -= 1;
	for (int32_t i = at; i < least->activeCount; ++i)
	{
		least->active[i] = least->active[i + 1];
		leastAppend(least, i);
	}
}

// Pushes a point until it no longer lacks anything. False if nothing it pushes gives way.
static bool leastPushPoint(LeastPush* least, int32_t point, double lack)
{
	for (;;)
	{
		brPushRow free = least->rows[point];
		double parts[BR_PUSH_DIMENSIONS], give[BR_PUSH_DIMENSIONS];
		double whole = leastDot(least->dimensions, free.push, free.change),
			   energy = leastSplit(least, least->activeCount, &free, parts);
		bool isFree = energy > LEAST_FLAT * whole && least->activeCount < least->dimensions;
		double most = isFree ? lack / energy : INFINITY;
		int32_t first = -1;
		for (int32_t i = least->activeCount - 1; i >= 0; --i)
		{
			give[i] = parts[i];
			for (int32_t k = i + 1; k < least->activeCount; ++k)
			{
				give[i] -= least->parts[k][i] * give[k];
			}
			give[i] /= least->parts[i][i];
			double reach = give[i] > 0.0 ? least->rows[least->active[i]].impulse / give[i] : INFINITY;
			first = reach < most ? i : first;
			most = fmin(most, reach);
		}
		if (!(most < INFINITY))
		{
			return false;
		}
		for (int32_t i = 0; i < least->activeCount; ++i)
		{
			brPushRow* row = &least->rows[least->active[i]];
			row->impulse = fmax(row->impulse - most * give[i], 0.0);
		}
		least->rows[point].impulse += most;
		leastAdd(least->dimensions, least->moved, isFree ? most : 0.0, free.change);
		lack = isFree ? fmax(lack - most * energy, 0.0) : lack;
		if (first < 0)
		{
			least->active[least->activeCount] = point;
			leastAppend(least, least->activeCount++);
			return true;
		}
		leastLetGo(least, first);
	}
}

bool brFindLeastPush(brPushRow* rows, int32_t count, int32_t dimensions, double accuracy)
{
	LeastPush least; // 50 kB, of which most stays unused
	least.rows = rows, least.dimensions = dimensions, least.activeCount = 0;
	memset(least.moved, 0, sizeof(least.moved));
	for (int32_t i = 0; i < count; ++i)
	{
		rows[i].impulse = 0.0;
	}
	for (int32_t round = 0; round < LEAST_ROUNDS * (count + 1); ++round)
	{
		double most = accuracy;
		int32_t worst = -1;
		for (int32_t i = 0; i < count; ++i)
		{
			double lack = rows[i].lack - leastDot(dimensions, rows[i].push, least.moved);
			bool isWorse = lack > most && !(rows[i].impulse > 0.0); // what pushes lacks no more than rounding
			worst = isWorse ? i : worst;
			most = isWorse ? lack : most;
		}
		if (worst < 0)
		{
			return true;
		}
		if (!leastPushPoint(&least, worst, most))
		{
			return false;
		}
	}
	return false;
}
