// SPDX-License-Identifier: MIT
#pragma once

// Cells of one cut, put together again: what a body of bonded cells falls into, without cutting anything twice.

#include "brittle/shatter.h"

typedef struct brCellJoin
{
	const brMesh* const* cells; ///< [cellCount] pieces of one brShatter, rising by site; or null.
	const brMesh* groupMesh;    ///< Instead of `cells`: its group i is cell i, and every face has one.
	double distance;            ///< Vertices as near as this are one. 0: equal ones are. [m]
	const int32_t* sites;       ///< [cellCount]
	int32_t cellCount;
	const int32_t* groups; ///< By site: cells of one group stay together where they share faces.
	double volume;         ///< Of the body that they were. [m^3]
} brCellJoin;

/// Pieces at density 1 with the bonds between them, rising by site. `outPieces` [cellCount]: the piece of each cell.
/// Fails on memory only.
brResult brJoinCells(const brContext* context, const brCellJoin* def, int32_t* outPieces, brShatter** outShatter,
					 brReport* report);
