// SPDX-License-Identifier: MIT
#pragma once

/// @file cutout.h
/// Pieces drawn by hand: the regions of a picture cut a solid, like cookies.
///
///     brScalarMap* picture;
///     brLoadScalarMap(NULL, "window.png", &picture, NULL);      // dark lines between bright regions
///     brCutoutDef def = brDefaultCutoutDef();
///     def.picture = picture, def.axis = brMakeDVec3(0.0, 1.0, 0.0);
///     brShatter* pieces;
///     brCreateCutout(NULL, pane, &def, &pieces, NULL);
///
/// The picture is stretched over the model's box across the main axis of `axis`. Each bright region becomes a piece, or
/// several where the model is concave; what is dark goes to the region nearest to it. Lines between regions are
/// smoothed, made walls along the axis, and the model is cut by them exactly.

#include "brittle/scalar_map.h"
#include "brittle/shatter.h"

/// Start from brDefaultCutoutDef().
typedef struct brCutoutDef
{
	const brScalarMap* picture; ///< One layer, 2 to 4096 wide and high.
	brDVec3 axis;               ///< Its largest part says along which axis walls run. z by default.
	double threshold;           ///< From this value on a pixel is bright. 0.5 by default.
	double density;             ///< For mass and inertia of the pieces, > 0. 1000 by default. [kg/m^3]
	brSurfaceMaterial interior; ///< How cut faces look.
	uint32_t stamp;             ///< Written by the default function. Leave it alone.
} brCutoutDef;

BR_API brCutoutDef brDefaultCutoutDef(void);

/// Cuts a closed mesh. One piece: the picture has one bright region. `context` and `report` may be null.
BR_API brResult brCreateCutout(const brContext* context, const brMesh* mesh, const brCutoutDef* def,
							   brShatter** outShatter, brReport* report);
