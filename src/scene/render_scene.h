// SPDX-License-Identifier: MIT
#pragma once

// What a picture is taken of: all visible parts as one soup of triangles in world directions, moved and scaled so that
// the framed box has its center at the origin and its farthest corner at distance 1.

#include "base/memory.h"
#include "base/report.h"
#include "brittle/render.h"
#include "scene/render_rays.h"

typedef struct brRenderTriangle
{
	int32_t part;       // into parts
	int32_t corners[3]; // into the mesh's corners, normals
	int32_t face;       // of the mesh
	uint32_t edges;     // bit i: the side from corner i to i + 1 is an edge of the polygon
} brRenderTriangle;

typedef struct brRenderPart
{
	const brMesh* mesh;
	brMat3 normalMap; // mesh normals to world, not of unit length
	brVec3 color;     // own color of the part
	bool isMirrored;  // the map turns faces inside out
} brRenderPart;

typedef struct brRenderScene
{
	brAllocator allocator;
	int32_t partCount;
	int32_t triangleCount;
	int32_t vertexCount;
	brRenderPart* parts;         // [partCount]
	brRenderTriangle* triangles; // [triangleCount]
	float (*vertices)[3];        // [vertexCount]
	float (*later)[3];           // [vertexCount] when the shutter closes; null: nothing moves
	uint32_t (*indices)[3];      // [triangleCount]
	bool hasGlass;               // some material lets light through

	brDVec3 origin; // world point at the scene's origin
	double scale;   // world to scene
	brDBox3 frame;  // what the camera frames, in world coordinates
	float ground;   // height of the ground along up, in scene units

	int32_t surfaceCount;
	brMesh** surfaces; // [surfaceCount] boundaries of tet meshes, null where not needed; owned

	brRayTree* rays;
} brRenderScene;

/// See-through: by alpha, or by the name "glass".
bool brRenderMaterial_IsGlass(const brSurfaceMaterial* material);

/// Gathers the parts visible at def->time. A scene without triangles is refused unless def->frame says where to look.
brResult brRenderScene_Create(const brContext* context, const brAssembly* assembly, const brRenderDef* def,
							  brRenderScene* outScene, brReport* report);
void brRenderScene_Destroy(brRenderScene* scene);
