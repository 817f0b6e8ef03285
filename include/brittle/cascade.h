// SPDX-License-Identifier: MIT
#pragma once

/// @file cascade.h
/// The pieces that a blow of given energy breaks a body into: cracks split it again and again until the energy is used
/// up.
///
///     brCascadeDef def = brDefaultCascadeDef();
///     def.material = *brFindMaterial("porcelain");
///     def.at = brMakeDVec3(0.08, 0.0, 0.15), def.direction = brMakeDVec3(-1.0, 0.0, 0.0);
///     def.energy = 0.3;
///     brShatter* pieces;
///     brCreateCascade(NULL, vase, &def, &pieces, NULL);
///     brDestroyShatter(pieces);
///
/// First the main cracks run from the hit outwards; if the energy is too small for them a chip comes off at the hit.
/// Then each piece is split across the direction of its largest tension until its share of the energy is used up.
/// Pieces are small near the hit and large far from it; their masses follow the power laws found in experiments
/// (docs/truth.md). The energy decides how many there are; `pieces` is only a limit. Unlike Voronoi cells (shatter.h)
/// pieces have slightly bent, rough faces that reach the surface.

#include "brittle/material.h"
#include "brittle/shatter.h"

/// A blow. Start from brDefaultCascadeDef().
typedef struct brCascadeDef
{
	brMaterial material; ///< Glass by default.
	brDVec3 at;          ///< Where the body is hit, in the mesh's axes; moved to the nearest point of the surface. [m]
	brDVec3 direction;   ///< Of the blow, any length but 0. Default -z.
	/// Energy spent on cracks: a few percent of the energy of the impact. Below 0: as much as `pieces` pieces take. [J]
	double energy;
	double speed; ///< Speed of the blow. Faster blows make more main cracks. [m/s]
	double reach; ///< Radius of the striking object. 0: a hundredth of the body's size. [m]
	/// How long the blow lasts. Energy spreads no farther than elastic waves run in this time, so a bullet through a
	/// wall leaves a hole and little else. 0: long enough to reach the whole body. [s]
	double duration;
	int32_t pieces;  ///< Limit on their number, 1 to 100000, kept approximately. brShatter.isCapped: it was reached.
	double smallest; ///< Pieces about this small are not split; edge of a cube. 0: chosen by the body's size. [m]
	/// Height of the bumps of cut faces over their extent. Below 0, the default: 0.07. 0: flat. [1]
	double roughness;
	bool mustBreak;             ///< Make at least one crack, however small the energy is.
	uint64_t seed;              ///< Equal seeds give equal pieces.
	double density;             ///< For mass and inertia; 0: the material's. [kg/m^3]
	brSurfaceMaterial interior; ///< Of the cut faces.
	int32_t clusterSize;        ///< As in brShatterDef.
	int32_t levelCount;
	bool makeHulls; ///< Fill brPiece.hull.
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brCascadeDef;

BR_API brCascadeDef brDefaultCascadeDef(void);

/// Breaks a closed surface; an open one is refused. One piece: it holds. `context` and `report` may be null.
BR_API brResult brCreateCascade(const brContext* context, const brMesh* mesh, const brCascadeDef* def,
								brShatter** outShatter, brReport* report);
