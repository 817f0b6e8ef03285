// SPDX-License-Identifier: MIT
#pragma once

// Where Voronoi sites may lie: on a lattice of 2^24 steps across the largest side of a box, the step a power of two.
//
// A site moves by less than 1e-7 of the box to get there, which no eye can see; in return the difference of two sites,
// its square and cross products of two differences are whole numbers that a double holds exactly, and every question
// about planes half way between sites has an exact answer in 128 bits.

#include "brittle/math.h"

#define BR_LATTICE_STEPS 0x1000000

typedef struct brSiteLattice
{
	brDVec3 origin;  // lower corner of the box; whole steps from zero
	double step;     // a power of two [m]
	int32_t size[3]; // of the box [steps], 1 to BR_LATTICE_STEPS
} brSiteLattice;

/// The lattice whose box holds `box`, rounded outward by less than a step. False if the box is empty, not finite, or so
/// far from the origin that doubles there are coarser than the lattice and coordinates below 1e-150 or above 1e150.
bool brMakeSiteLattice(brDBox3 box, brSiteLattice* outLattice);

/// The nearest lattice point inside the box. `point` is finite.
void brSiteLattice_Snap(const brSiteLattice* lattice, brDVec3 point, int32_t outPlace[3]);

/// Exact.
static inline brDVec3 brSiteLattice_Point(const brSiteLattice* lattice, const int32_t place[3])
{
	return brMakeDVec3(lattice->origin.x + lattice->step * place[0], lattice->origin.y + lattice->step * place[1],
					   lattice->origin.z + lattice->step * place[2]);
}

static inline brDBox3 brSiteLattice_Box(const brSiteLattice* lattice)
{
	return (brDBox3){lattice->origin, brSiteLattice_Point(lattice, lattice->size)};
}
