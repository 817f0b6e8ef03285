// SPDX-License-Identifier: MIT
#pragma once

/// @file modal.h
/// Fracture modes: where an object would rather come apart, found once; any blow is then answered in milliseconds.
///
///     brModalDef def = brDefaultModalDef();
///     def.material = *brFindMaterial("porcelain");
///     brModes* modes;
///     brCreateModes(NULL, vase, &def, &modes, NULL);                       // once, seconds
///     brModalBlow blow = brDefaultModalBlow();
///     blow.point = brMakeDVec3(0.08, 0.0, 0.15), blow.force = brMakeDVec3(-900.0, 0.0, 0.0);
///     brShatter* pieces;
///     brModes_Break(modes, NULL, &blow, &pieces, NULL);                    // at run time
///
/// After the idea of Sellán et al. 2022 (Breaking Good): modes are motions of the object that are discontinuous across
/// as little area as possible, each orthogonal to those before it. Here they move the Voronoi cells of a fine cut; the
/// reweighted least squares that make jumps sparse end in motions of two values, so each mode is a cut that parts a
/// connected part from the rest. A blow is projected on a mode by what the cut would have to carry to keep both sides
/// moving as one free rigid body: thrust, shear, bending and torsion. Modes that carry more than the material stands
/// open, weakest first, as long as the energy lasts. Necks, stems and handles break as one expects; cracks do not run
/// from the hit and their paths are those of the cells.

#include "brittle/material.h"
#include "brittle/scalar_map.h"
#include "brittle/shatter.h"

/// How modes are found. Start from brDefaultModalDef().
typedef struct brModalDef
{
	brMaterial material; ///< Glass by default.
	int32_t cells; ///< About how many cells move, 8 to 20000. More follow necks better and cost time. 400 by default.
	int32_t modes; ///< At most so many, 1 to 1000. Each can open one cut. 40 by default.
	uint64_t seed; ///< Of the cells.
	/// Where the material is weak, as in brBreakDef; or null.
	const brScalarMap* strengthMap;
	double weakest;             ///< > 0. 0.2 by default. [1]
	brSurfaceMaterial interior; ///< How cut faces look.
	uint32_t stamp;             ///< Written by the default function. Leave it alone.
} brModalDef;

BR_API brModalDef brDefaultModalDef(void);

/// Opaque. Owned by the caller of brCreateModes; constant once made, so several threads may break it at once.
typedef struct brModes brModes;

/// One mode: a cut.
typedef struct brMode
{
	double area;    ///< Of the cut. [m^2]
	double share;   ///< Of the volume that it parts from the rest, at most about half. [1]
	brDVec3 center; ///< Centroid of the cut. [m]
	brDVec3 normal; ///< Mean unit normal, out of the part.
} brMode;

/// Finds the modes of a closed mesh. Takes 0.2 s to some seconds. `context` and `report` may be null.
BR_API brResult brCreateModes(const brContext* context, const brMesh* mesh, const brModalDef* def, brModes** outModes,
							  brReport* report);

/// Frees `modes`, which may be null.
BR_API void brDestroyModes(brModes* modes);

/// How many there are, sparsest first.
BR_API int32_t brModes_GetCount(const brModes* modes);

/// One of them. Zeros out of range.
BR_API brMode brModes_Get(const brModes* modes, int32_t index);

/// A blow on a free object. Start from brDefaultModalBlow().
typedef struct brModalBlow
{
	brDVec3 point;  ///< In the mesh's axes. [m]
	brDVec3 force;  ///< At its peak. [N]
	double energy;  ///< That cracks may cost. INFINITY, the default: no limit. [J]
	int32_t pieces; ///< At most so many, 2 or more. 1000 by default.
	bool mustBreak; ///< The mode that carries most opens whatever the force is. Off by default.
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brModalBlow;

BR_API brModalBlow brDefaultModalBlow(void);

/// How much of what it stands the mode that carries most has to carry: 1 and more breaks the object. [1]
BR_API double brModes_GetRatio(const brModes* modes, const brModalBlow* blow);

/// Pieces of a blow, with bonds; masses are those of the material. One piece: it holds. `context` and `report` may be
/// null.
BR_API brResult brModes_Break(const brModes* modes, const brContext* context, const brModalBlow* blow,
							  brShatter** outShatter, brReport* report);
