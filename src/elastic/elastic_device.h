// SPDX-License-Identifier: MIT
#pragma once

// A device's part in elastic solves: products with a matrix and iterations over its hierarchy, both copied to it.
// Setting up stays here.
//
// A device does the sums of block_matrix.c, level.c, hierarchy.c and elastic_solve.c in their order, so its answers
// have their bits. If it fails, the solve is made again here, with the same answer.

#include "brittle/elastic.h"
#include "elastic/hierarchy.h"

/// Coefficients kept for the estimate of the condition.
#define BR_SOLVE_COEFFICIENTS 400

/// Conjugate gradients over the hierarchy, as far as a device is to go.
typedef struct brElasticIteration
{
	const brContext* context; // asked every few iterations whether to go on
	double size, limit;       // length of the residual; iterate while it is above this
	int32_t done, most;       // iterations before, and in all
	bool isRounded;           // products with the matrix in float

	// Answers
	int32_t count; // iterations made
	bool isThere;  // the limit was reached
	double alphas[BR_SOLVE_COEFFICIENTS];
	double betas[BR_SOLVE_COEFFICIENTS];
} brElasticIteration;

/// The one who makes it keeps more behind it.
struct brElasticDevice
{
	int32_t leastRows; // smaller matrices are faster here
	bool isLost;       // it did not answer and is asked no more
	int64_t solves;    // that it was asked for

	/// Copies matrix and hierarchy there, unless that was the last thing it did.
	brResult (*hold)(brElasticDevice* device, brWorkers* workers, const brBlockMatrix* matrix, brHierarchy* hierarchy,
					 brReport* report);

	/// y = K x on all axes, for what it holds, between two solves.
	brResult (*multiply)(brElasticDevice* device, const brDVec3* x, brDVec3* y, brReport* report);

	/// A solve for what it holds: K x = b from an x on; then, as often as it takes, r = b - K x, zero on held axes, and
	/// iterations from that r on; then x. Before it is found r is b, as x = 0 leaves it.
	brResult (*begin)(brElasticDevice* device, const brDVec3* b, const brDVec3* x, brReport* report);
	brResult (*findResidual)(brElasticDevice* device, brDVec3* r, brReport* report);
	brResult (*iterate)(brElasticDevice* device, brElasticIteration* iteration, brReport* report);
	brResult (*getSolution)(brElasticDevice* device, brDVec3* x, brReport* report);
};
