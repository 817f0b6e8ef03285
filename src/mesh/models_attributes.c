// SPDX-License-Identifier: MIT

// Materials, normals and UVs that several models share.

#include "base/buckets.h"
#include "mesh/face_area.h"
#include "mesh/models.h"

#include <stdio.h>
#include <string.h>

void brModel_SetMaterial(brMesh* mesh, const char* name, brVec4 baseColor, float roughness)
{
	brSurfaceMaterial* material = &mesh->materials[0];
	*material = brDefaultSurfaceMaterial();
	snprintf(material->name, sizeof(material->name), "%s", name);
	material->baseColor = baseColor;
	material->roughness = roughness;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		mesh->faceMaterials[f] = 0;
	}
}

void brModel_Stand(brMesh* mesh)
{
	double lowest = INFINITY;
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		lowest = mesh->positions[v].z < lowest ? mesh->positions[v].z : lowest;
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		mesh->positions[v].z -= lowest;
	}
}

// The angle of a face at one of its corners weighs its normal: the way a round fan is cut then does not matter.
static double modelCornerAngle(const brMesh* mesh, int32_t face, int32_t corner)
{
	int32_t start = mesh->faceStarts[face], size = brMesh_GetFaceSize(mesh, face), i = corner - start;
	brDVec3 at = mesh->positions[mesh->corners[corner]];
	brDVec3 next = brDSub(mesh->positions[mesh->corners[start + (i + 1) % size]], at);
	brDVec3 last = brDSub(mesh->positions[mesh->corners[start + (i + size - 1) % size]], at);
	return brAtan2(brDLength(brDCross(next, last)), brDDot(next, last));
}

bool brModel_SetNormals(const brAllocator* allocator, brMesh* mesh, double crease)
{
	// What a corner gives to its vertex: the unit normal of its face, and its angle.
	typedef struct NormalShare
	{
		brDVec3 normal;
		double weight;
	} NormalShare;
	NormalShare* shares = BR_ALLOC(allocator, NormalShare, mesh->cornerCount);
	brBuckets corners = {0};
	bool complete =
		shares != NULL && brBuckets_Make(&corners, allocator, mesh->corners, mesh->cornerCount, mesh->vertexCount);
	if (complete)
	{
		for (int32_t f = 0; f < mesh->faceCount; ++f)
		{
			brDVec3 normal = brDNormalize(brMesh_FaceArea(mesh, f));
			for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
			{
				shares[c] = (NormalShare){normal, modelCornerAngle(mesh, f, c)};
			}
		}
		double limit = brCos(crease);
		for (int32_t c = 0; c < mesh->cornerCount; ++c)
		{
			int32_t v = mesh->corners[c];
			brDVec3 own = shares[c].normal, mean = {0.0, 0.0, 0.0};
			for (int32_t i = corners.starts[v]; i < corners.starts[v + 1]; ++i)
			{
				const NormalShare* share = &shares[corners.items[i]];
				mean = brDDot(share->normal, own) >= limit ? brDMulAdd(mean, share->weight, share->normal) : mean;
			}
			mesh->normals[c] = brToVec3(brDNormalize(mean));
		}
	}
	BR_FREE(allocator, shares, mesh->cornerCount);
	brBuckets_Free(&corners, allocator);
	return complete;
}

void brModel_SetBallUvs(brMesh* mesh, brDVec3 center)
{
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t start = mesh->faceStarts[f], size = brMesh_GetFaceSize(mesh, f);
		brDVec3 middle = {0.0, 0.0, 0.0};
		for (int32_t i = 0; i < size; ++i)
		{
			middle = brDAdd(middle, brDSub(mesh->positions[mesh->corners[start + i]], center));
		}
		double turn = brAtan2(middle.y, middle.x) / (2.0 * BR_PI);
		double around = turn < 0.0 ? turn + 1.0 : turn;
		for (int32_t i = 0; i < size; ++i)
		{
			brDVec3 p = brDSub(mesh->positions[mesh->corners[start + i]], center);
			double flat = sqrt(p.x * p.x + p.y * p.y);
			// A pole has no direction of its own and takes that of the face.
			double u = flat > 1e-9 * fabs(p.z) ? brAtan2(p.y, p.x) / (2.0 * BR_PI) : around;
			u += floor(around - u + 0.5);
			double v = brAtan2(p.z, flat) / BR_PI + 0.5;
			mesh->uvs[start + i] = (brVec2){(float)u, (float)v};
		}
	}
}
