// SPDX-License-Identifier: MIT
#pragma once

/// @file cascade.h
/// What a blow breaks a body into: a cascade of cracks that goes as far as the energy lasts.
///
///     brCascadeDef def = brDefaultCascadeDef();
///     def.material = *brFindMaterial("porcelain");
///     def.at = brMakeDVec3(0.08, 0.0, 0.15), def.direction = brMakeDVec3(-1.0, 0.0, 0.0);
///     def.energy = 0.3;
///     brShatter* pieces;
///     brCreateCascade(NULL, vase, &def, &pieces, NULL);
///     brDestroyShatter(pieces);
///
/// First come the main cracks from the hit outwards, or a chip where the energy does not pay for them; then each piece is split
/// across the direction that it is pulled in, as long as its share of the energy lasts. Pieces are small near the hit and
/// large far from it; their masses follow the power laws that experiments found (docs/truth.md). How many there are follows from the energy;
/// `pieces` is only a limit. Unlike Voronoi cells (shatter.h) pieces have slightly bent, rough faces up to the surface.

#include "brittle/material.h"
#include "brittle/shatter.h"

/// A blow. Start from brDefaultCascadeDef().
typedef struct brCascadeDef
{
	brMaterial material; ///< Glass by default.
	brDVec3 at;          ///< Where the body is hit, in the mesh's axes; moved to the nearest point of the surface. [m]
	brDVec3 direction;   ///< Of the blow, any length but 0. Default -z.
	/// That makes cracks: some hundredths of the energy of the impact. Below 0: what about `pieces` pieces take. [J]
	double energy;
	double speed; ///< Of the blow: fast ones make more main cracks. [m/s]
	double reach; ///< Radius of what hits, 0: a hundredth of the body. [m]
	/// How long the blow pushes: energy gets no farther than waves do in this time, and what goes through a wall within
	/// it makes a hole and no more. 0: long. [s]
	double duration;
	int32_t pieces;  ///< No more than about so many, 1 to 100000. brShatter.isCapped says when the limit was felt.
	double smallest; ///< Pieces are not split below about this; edge of a cube. 0: by the size of the body. [m]
	/// Height of the bumps of cut faces over their extent. Below 0: from the material. 0: flat. [1]
	double roughness;
	bool mustBreak;             ///< One crack at least, however little energy there is.
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
