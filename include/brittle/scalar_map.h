// SPDX-License-Identifier: MIT
#pragma once

/// @file scalar_map.h
/// One number at each place, from a picture or a file of voxels: how strong a material is where, how high the grain of
/// a crack is.
///
///     brScalarMap* map;
///     brLoadScalarMap(NULL, "strength.png", &map, NULL);
///     map->box = brMesh_ComputeBounds(mesh);                        // stretched over the model
///     double v = brScalarMap_Sample(map, point);             // 0 black, 1 white
///     brDestroyScalarMap(map);

#include "brittle/context.h"
#include "brittle/math.h"
#include "brittle/result.h"

/// Values at the nodes of a grid over a box. A picture is one layer: its columns run along x, its rows upwards along z,
/// and y does not matter.
typedef struct brScalarMap
{
	int32_t counts[3]; ///< Nodes along x, y and z, each at least 1.
	brDBox3 box;       ///< Where the first and the last nodes are; of pictures the unit box until it is set. [m]
	bool isTiled;      ///< It goes on beyond the box from the other side; else the value at the box's face does.
	float* values;     ///< [counts product] x fastest. Pictures: 0 to 1.
	brAllocator allocator;
} brScalarMap;

/// Makes a map from a copy of the values; their number is the product of the counts. The box is the unit box.
/// `context` and `report` may be null.
BR_API brResult brCreateScalarMap(const brContext* context, const int32_t counts[3], const float* values,
								  brScalarMap** outMap, brReport* report);

/// Reads a map from a file, by ending: .png (its gray) or .vtk (legacy STRUCTURED_POINTS with one scalar a point, of
/// any of VTK's number types, as text or binary). `context` and `report` may be null.
BR_API brResult brLoadScalarMap(const brContext* context, const char* path, brScalarMap** outMap, brReport* report);

/// Frees `map`, which may be null.
BR_API void brDestroyScalarMap(brScalarMap* map);

/// The value at a point, linear between nodes.
BR_API double brScalarMap_Sample(const brScalarMap* map, brDVec3 point);
