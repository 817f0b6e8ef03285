// SPDX-License-Identifier: MIT
#pragma once

// Small closed meshes with known volume, area and topology, for tests that need no model file. All go outward; none
// fails.

#include "brittle/mesh.h"

/// Six quads, from the origin to (x, y, z).
brMesh* brShape_Box(double x, double y, double z);

/// Corners at the origin and on the axes at 1.
brMesh* brShape_Tetrahedron(void);

/// Octahedron cut `levels` times into four and pushed onto the unit sphere: 8 * 4^levels triangles.
brMesh* brShape_Sphere(int32_t levels);

/// Quads round a torus about the z axis.
brMesh* brShape_Torus(int32_t around, int32_t across, double radius, double tube);

/// A prism over an L, whose two caps are concave hexagons; volume 3, area 14.
brMesh* brShape_LPrism(void);

/// One mesh of given arrays; `sizes` null: triangles.
brMesh* brShape_Make(const brDVec3* positions, int32_t vertexCount, const int32_t* corners, const int32_t* sizes,
					 int32_t faceCount);

/// One of the library's models; resolution 0: its own.
brMesh* brShape_Model(const char* name, int32_t resolution);

/// Every corner its own vertex, as in an STL file.
brMesh* brShape_Soup(const brMesh* mesh);

/// Every array bit for bit.
bool brShape_Same(const brMesh* a, const brMesh* b);
