// SPDX-License-Identifier: MIT
#pragma once

// A direct solver for the quadratic tets of a lattice: the matrix is never put together as a whole.
//
// The tets are halved again and again across the longest side of the cubes they fill (nested dissection). A front holds
// the nodes of one half: its own ones, which no tet outside touches, are eliminated there by a dense Cholesky
// factorisation; what remains about the others is added into the front above (multifrontal method, Duff and Reid 1983).
// Fronts are small and dense, so the work runs at the speed of the dense kernel.
//
// Several thousand unknowns take some ten milliseconds on one core; loads are solved four at a time. The same bits for
// any width of the lanes.

#include "base/memory.h"
#include "brittle/math.h"

#define BR_FRONT_NODES 10 // of a tet
#define BR_FRONT_ROWS 30  // its unknowns
#define BR_FRONT_LANES 4  // loads that are solved together

typedef struct brFrontFactor brFrontFactor;

/// What is to be factored.
typedef struct brFrontProblem
{
	int32_t tetCount;
	int32_t nodeCount;
	const int32_t (*nodes)[BR_FRONT_NODES]; // [tetCount]
	const int32_t (*cubes)[3];              // [tetCount] place in the lattice
	/// Adds the tet's symmetric matrix, row by row, into `out`, which is zero.
	void (*stiffness)(const void* user, int32_t tet, double out[BR_FRONT_ROWS][BR_FRONT_ROWS]);
	const void* user;
	const double* springs; // [3 nodeCount] on the diagonal, or null
} brFrontProblem;

/// br_errorGeometry if the matrix is not positive definite.
brResult brCreateFrontFactor(const brAllocator* allocator, const brFrontProblem* problem, brFrontFactor** outFactor);
void brDestroyFrontFactor(brFrontFactor* factor);

/// Solves in place: `values` [3 nodeCount][BR_FRONT_LANES] holds loads, then displacements. `scratch` has room for
/// brFrontFactor_Scratch rows. Several threads may do so at once.
void brFrontFactor_Solve(const brFrontFactor* factor, double (*values)[BR_FRONT_LANES],
						 double (*scratch)[BR_FRONT_LANES]);
int32_t brFrontFactor_Scratch(const brFrontFactor* factor);
