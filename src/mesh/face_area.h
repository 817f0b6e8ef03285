// SPDX-License-Identifier: MIT
#pragma once

#include "brittle/mesh.h"

/// Area of a face as a vector along its normal: exact for planar polygons, concave ones too; of a bent one, its flat
/// shadow.
static inline brDVec3 brMesh_FaceArea(const brMesh* mesh, int32_t face)
{
	const int32_t* corners = mesh->corners + mesh->faceStarts[face];
	brDVec3 sum = {0.0, 0.0, 0.0}, origin = mesh->positions[corners[0]];
	for (int32_t k = 2; k < brMesh_GetFaceSize(mesh, face); ++k)
	{
		brDVec3 a = brDSub(mesh->positions[corners[k - 1]], origin);
		sum = brDAdd(sum, brDCross(a, brDSub(mesh->positions[corners[k]], origin)));
	}
	return brDMul(0.5, sum);
}
