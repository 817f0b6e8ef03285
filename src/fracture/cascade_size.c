// SPDX-License-Identifier: MIT

// How small pieces get. At a place with energy e per volume their masses follow p(m) ~ m^-t from v0 to span v0, where
// v0 is such that the cracks between them cost e: a lump of volume m has 2.91 m^(2/3) of crack (half the area of a
// Poisson-Voronoi cell), a piece of a wall of thickness h 2 (m h)^(1/2) times 1.5 for its longer outline. With I(q) the
// integral of m^(q - 1) from 1 to the span,
//   v0 = (2.91 G / e  I(5/3 - t) / I(2 - t))^3,   in walls (3 G / e  I(3/2 - t) / I(2 - t))^2 h  where that is above h^3.

#include "fracture/cascade.h"
#include "math/power.h"

#include <math.h>

#define CASCADE_LUMP 2.91
#define CASCADE_WALL 3.0
#define CASCADE_MIN_SPAN 20.0  // where the smallest size stops the energy
#define CASCADE_LEAST_SPAN 2.0 // of the expected, however small the body is
#define CASCADE_FULL_SPAN 1.5  // the same where all get that small: what is larger is split
#define CASCADE_LOOKS 200      // samples that the expected number is found from
#define CASCADE_HALVINGS 12

// Of m^(q - 1) from low to high.
static double sizeIntegral(double low, double high, double q)
{
	return fabs(q) < 1e-9 ? brLogarithm(high / low) : (brPower(high, q) - brPower(low, q)) / q;
}

void brCascadeRule_SetFactors(brCascadeRule* rule)
{
	double t = rule->exponent, mass = sizeIntegral(1.0, rule->span, 2.0 - t);
	rule->lumpFactor = CASCADE_LUMP * rule->surface * sizeIntegral(1.0, rule->span, 5.0 / 3.0 - t) / mass;
	rule->wallFactor = CASCADE_WALL * rule->surface * sizeIntegral(1.0, rule->span, 1.5 - t) / mass;
}

double brCascadeWindow(const brCascadeRule* rule, double density, double* outLargest)
{
	density = fmax(density, 1e-300);
	double edge = rule->lumpFactor / density, least = edge * edge * edge, h = rule->wall;
	double side = rule->wallFactor / density, wall = side * side * h;
	least = h > 0.0 && wall > h * h * h ? wall : least;
	*outLargest = rule->span * least;
	least = rule->globalLeast > 0.0 ? fmin(least, rule->globalLeast) : least;
	if (least < rule->smallest)
	{
		least = rule->smallest;
		*outLargest = fmax(*outLargest, (rule->isFull ? CASCADE_FULL_SPAN : CASCADE_MIN_SPAN) * least);
	}
	return least;
}

// A power of a ratio of sizes, which is that of the place before at most places.
typedef struct SizePower
{
	double ratio, power;
} SizePower;

// Pieces per volume where their sizes go from one to the other: the integral of m^-t over that of m^(1 - t), with one
// power.
static double sizeDensity(double least, double top, double t, SizePower* known)
{
	double ratio = top / least;
	*known = ratio == known->ratio ? *known : (SizePower){ratio, brPower(ratio, 2.0 - t)};
	return (1.0 - known->power / ratio) * (2.0 - t) / ((t - 1.0) * (known->power - 1.0) * least);
}

double brCascadeExpected(const brCascadeRule* rule, const brCascadeField* field)
{
	int32_t stride = 1 + field->count / CASCADE_LOOKS;
	double count = 0.0, volume = 0.0;
	SizePower known = {0.0, 0.0};
	for (int32_t i = stride / 2; i < field->count; i += stride)
	{
		const brCascadeSample* sample = &field->samples[i];
		double top, least = brCascadeWindow(rule, rule->energy * sample->energy / field->total, &top);
		top = fmin(top, rule->volume);
		least = fmin(least, top / (rule->isFull ? CASCADE_FULL_SPAN : CASCADE_LEAST_SPAN));
		count += sample->volume * sizeDensity(least, top, rule->exponent, &known);
		volume += sample->volume;
	}
	return volume > 0.0 ? count * rule->volume / volume : 1.0;
}

void brCascadeRule_FindEnergy(brCascadeRule* rule, const brCascadeField* field, int32_t pieces)
{
	double edge = brPower(rule->volume, 1.0 / 3.0), low = 1e-4 * rule->surface * edge * edge, high = 1e8 * low;
	for (int32_t step = 0; step < 24; ++step)
	{
		rule->energy = sqrt(low * high);
		bool isTooMuch = brCascadeExpected(rule, field) > pieces;
		low = isTooMuch ? low : rule->energy;
		high = isTooMuch ? rule->energy : high;
	}
}

bool brCascadeRule_Cap(brCascadeRule* rule, const brCascadeField* field, int32_t most)
{
	double low = rule->smallest, high = rule->volume;
	if (brCascadeExpected(rule, field) <= most)
	{
		return false;
	}
	rule->isFull = false; // it is their number that stops it
	for (int32_t n = 0; n < CASCADE_HALVINGS; ++n)
	{
		rule->smallest = sqrt(low * high);
		bool isTooMany = brCascadeExpected(rule, field) > most;
		low = isTooMany ? rule->smallest : low;
		high = isTooMany ? high : rule->smallest;
	}
	rule->smallest = high;
	return true;
}

double brCascadeChance(const brCascadeRule* rule, double density, double volume, double parentVolume)
{
	double top, least = brCascadeWindow(rule, density, &top);
	if (volume < 1.5 * least || !(density > 0.0))
	{
		return 0.0;
	}
	double beta = 2.0 - rule->exponent, end = brPower(least, beta);
	double own = brPower(fmin(volume, top), beta) - end;
	double parent = brPower(fmax(fmin(parentVolume, top), 1.0001 * least), beta) - end;
	return own < parent ? own / parent : 1.0;
}
