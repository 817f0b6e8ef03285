// SPDX-License-Identifier: MIT
#pragma once

// Several pairs of tetrahedra at once, in floats with certain answers; the rest is left to doubles and exact signs.

#include "index/wide_kernels.h"

/// A tet as the wide test reads it: one cache line. Coordinates are brought to [-1, 1] by a shift and a power of two,
/// and are off by at most 2^-24.
typedef struct brTetRecord
{
	_Alignas(64) float x[4];
	float y[4];
	float z[4];
	int32_t corners[4];
} brTetRecord;

/// What the wide test found of up to sixteen pairs, one bit each.
typedef struct brTetAnswers
{
	uint32_t neighbors; // share a corner; looked for if asked
	uint32_t apart;     // certainly
	uint32_t meets;     // certainly
} brTetAnswers;

/// Looks at `count` <= 16 pairs. With `facesOnly` planes through edges settle nothing as apart.
typedef void brDecideTetsFcn(const brTetRecord* records, const brPair* pairs, int32_t count, bool findNeighbors,
							 bool facesOnly, brTetAnswers* outAnswers);

/// As many as sixteen at a time; `lanes` as in brGetWideKernels.
brDecideTetsFcn* brGetDecideTets(int32_t lanes);
