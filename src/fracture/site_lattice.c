// SPDX-License-Identifier: MIT

#include "fracture/site_lattice.h"

// Sizes outside this range would leave the doubles when squared.
#define LATTICE_SMALLEST 1e-150
#define LATTICE_LARGEST 1e150

static double latticeLargest(double a, double b, double c)
{
	return fmax(a, fmax(b, c));
}

bool brMakeSiteLattice(brDBox3 box, brSiteLattice* outLattice)
{
	if (!brDIsFinite(box.lower) || !brDIsFinite(box.upper))
	{
		return false;
	}
	brDVec3 extent = brDSub(box.upper, box.lower);
	double largest = latticeLargest(extent.x, extent.y, extent.z);
	double farthest = latticeLargest(latticeLargest(fabs(box.lower.x), fabs(box.lower.y), fabs(box.lower.z)),
									 fabs(box.upper.x), latticeLargest(fabs(box.upper.y), fabs(box.upper.z), 0.0));
	if (!(extent.x >= 0.0 && extent.y >= 0.0 && extent.z >= 0.0 && largest >= LATTICE_SMALLEST) ||
		farthest > LATTICE_LARGEST)
	{
		return false;
	}
	int exponent;
	frexp(largest, &exponent); // largest < 2^exponent
	double lower[3] = {box.lower.x, box.lower.y, box.lower.z};
	double upper[3] = {box.upper.x, box.upper.y, box.upper.z};
	// Rounding outward can add a step at each end, then the next coarser step is enough; far from zero doubles are
	// coarser.
	for (int32_t shift = 24; shift >= 8; --shift)
	{
		double step = ldexp(1.0, exponent - shift);
		if (farthest > 0x1p52 * step)
		{
			continue;
		}
		double first[3];
		bool fits = true;
		for (int32_t axis = 0; axis < 3; ++axis)
		{
			first[axis] = floor(lower[axis] / step);
			double size = ceil(upper[axis] / step) - first[axis];
			size = size < 1.0 ? 1.0 : size;
			fits = fits && size <= BR_LATTICE_STEPS;
			outLattice->size[axis] = fits ? (int32_t)size : 1;
		}
		if (fits)
		{
			outLattice->step = step;
			outLattice->origin = brMakeDVec3(step * first[0], step * first[1], step * first[2]);
			return true;
		}
	}
	return false;
}

void brSiteLattice_Snap(const brSiteLattice* lattice, brDVec3 point, int32_t outPlace[3])
{
	double values[3] = {point.x - lattice->origin.x, point.y - lattice->origin.y, point.z - lattice->origin.z};
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		double place = floor(values[axis] / lattice->step + 0.5);
		outPlace[axis] = place <= 0.0 ? 0 : place >= (double)lattice->size[axis] ? lattice->size[axis] : (int32_t)place;
	}
}
