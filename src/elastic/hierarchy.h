// SPDX-License-Identifier: MIT
#pragma once

// Multigrid by smoothed aggregation (Vanek, Mandel, Brezina 1996) as a preconditioner for the stiffness matrix.
//
// Values are gathered into aggregates along the graph of the matrix, so an aggregate never reaches across a crack:
// cracks need no special care. The coarse unknowns of an aggregate are its rigid motion: a shift, and a turn about its
// center times its size. On all coarser levels the same: rigid motions of rigid motions. So the whole body's rigid
// motions are exact on every level, and no orthogonalisation is needed. Each level smooths by a step along D^-1 r, D
// the diagonal blocks, before and after.
//
// Everything here is float: the outer iteration and its residual are double, a preconditioner needs only few digits.

#include "base/memory.h"
#include "elastic/level.h"

typedef struct brHierarchy
{
	brAllocator allocator;
	double scale; // of the matrix
	int32_t levelCount;
	brLevel levels[BR_MAX_LEVELS];
	int32_t denseSize;
	double* dense; // Cholesky factor, lower, by rows, inverses on its diagonal; null: the last level is smoothed
	double* denseVector;
	uint8_t* held; // [rows]
	void* holder;  // the device that has a copy of all this
} brHierarchy;

/// What the hierarchy must know besides the matrix. Arrays are read while it is made only.
typedef struct brHierarchyDef
{
	const brBlockMatrix* matrix;
	const uint8_t* held;      // [rows] bits of held axes
	const brDVec3* positions; // [rows]
	const int32_t* parts;     // [rows] or -1

	// Rigid motions of part p that nothing holds: modeStarts[p] .. modeStarts[p + 1], each a shift and a turn about
	// `center`.
	int32_t componentCount;
	const int32_t* modeStarts;
	const brDVec3* shifts;
	const brDVec3* turns;
	const brDVec3* centers; // [componentCount]
} brHierarchyDef;

/// Null without memory. `workers` may be null.
brHierarchy* brHierarchy_Create(const brAllocator* allocator, brWorkers* workers, const brHierarchyDef* def);
void brHierarchy_Destroy(brHierarchy* hierarchy);
int32_t brHierarchy_LevelCount(const brHierarchy* hierarchy);

/// z = M^-1 r, zero on held axes. `size` is about the length of r, > 0. `workers` may be null.
void brHierarchy_Apply(const brHierarchy* hierarchy, brWorkers* workers, const brDVec3* r, double size, brDVec3* z);

/// Weight of a level's smoothing step.
float brLevel_SmoothWeight(const brLevel* level);

/// q = A p by the matrix of the finest level, which is the stiffness rounded to float; sums are taken in double. `sums`
/// gets p . q for each block of BR_VECTOR_BLOCK rows. Held axes of p must be zero, those of q are.
void brHierarchy_Multiply(const brHierarchy* hierarchy, brWorkers* workers, const brDVec3* p, brDVec3* q, double* sums);
