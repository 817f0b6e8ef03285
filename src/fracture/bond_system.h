// SPDX-License-Identifier: MIT
#pragma once

// Bonds as the iteration sees them: beams in blocks of four, vectors of eight numbers a node (place, 0, turn, 0).

#include "base/cpu.h"
#include "brittle/math.h"

#define BR_BOND_LANES 4
#define BR_BOND_ROW 8

/// Four beams. Empty lanes have no stiffness and join node 0 to itself.
typedef struct brBeamBlock
{
	int32_t i[BR_BOND_LANES], j[BR_BOND_LANES];
	double ri[3][BR_BOND_LANES], rj[3][BR_BOND_LANES]; // from the centers to the bond
	double n[3][BR_BOND_LANES];
	double slide[BR_BOND_LANES], opening[BR_BOND_LANES]; // resistance to sliding, and what opening has more
	double bend[BR_BOND_LANES], twisting[BR_BOND_LANES]; // likewise
	double area[BR_BOND_LANES];
} brBeamBlock;

/// Inverse of a node's own 6 x 6 block of K, by columns. Float will do: it only has to point the right way.
typedef struct brBondInverse
{
	float columns[6][BR_BOND_ROW];
} brBondInverse;

typedef struct brBondRow
{
	double at[BR_BOND_ROW];
} brBondRow;

/// Lower triangles, row by row, of the 6 x 6 blocks of four nodes.
#define BR_BOND_TRIANGLE 21
typedef struct brBondDiagonals
{
	double entries[BR_BOND_TRIANGLE][BR_BOND_LANES];
	double isFree[BR_BOND_LANES]; // 1, or 0: held
} brBondDiagonals;

typedef struct brBeamStress
{
	double tension[BR_BOND_LANES], compression[BR_BOND_LANES];
} brBeamStress;

typedef struct brBondKernels
{
	/// y += K x over all beams.
	void (*multiply)(const brBeamBlock* blocks, int32_t count, const brBondRow* x, brBondRow* y);

	/// x += alpha p, r -= alpha q, z = M r; returns r.z. Rows of nodes that are held have an inverse of 0 and are left
	/// out.
	double (*advance)(const brBondInverse* inverses, int32_t count, double alpha, const brBondRow* p,
					  const brBondRow* q, brBondRow* x, brBondRow* r, brBondRow* z);

	/// p = z + beta p.
	void (*turn)(int32_t count, double beta, const brBondRow* z, brBondRow* p);

	double (*dot)(int32_t count, const brBondRow* a, const brBondRow* b);

	/// Inverses of 4 `count` nodes. What is not positive counts as held.
	void (*invert)(const brBondDiagonals* diagonals, int32_t count, brBondInverse* outInverses);

	/// Adds the beams' own parts of K to the diagonals.
	void (*addDiagonals)(const brBeamBlock* blocks, int32_t count, brBondDiagonals* diagonals);

	/// y -= a x.
	void (*subtract)(int32_t count, double a, const double* x, double* y);

	/// See brBondStress.
	void (*stress)(const brBeamBlock* blocks, int32_t count, const brBondRow* x, brBeamStress* outStress);
} brBondKernels;

/// Those of the widest registers that a path has; all give the same bits.
const brBondKernels* brGetBondKernels(brCpuPath path);
