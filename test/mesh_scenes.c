// SPDX-License-Identifier: MIT

#include "mesh_scenes.h"

#include "brittle/models.h"
#include "harness.h"
#include "shapes.h"
#include "world/world_state.h"

#include <math.h>

brMesh* brScene_Model(const char* name, int32_t resolution, double size)
{
	brModelDef def = brDefaultModelDef(name);
	def.resolution = resolution;
	for (int32_t i = 0; i < brGetModelCount(); ++i)
	{
		const brModelInfo* info = brGetModelInfo(i);
		if (info->parameterCount > 0 && __builtin_strcmp(info->name, name) == 0)
		{
			def.resolution = def.resolution > info->lowestResolution ? def.resolution : info->lowestResolution;
		}
	}
	brMesh* mesh = BR_MADE(brMesh, brMakeModel, NULL, &def);
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 extent = brDSub(box.upper, box.lower), middle = brDLerp(box.lower, box.upper, 0.5);
	double s = size / fmax(extent.x, fmax(extent.y, extent.z));
	brAffine map = {{{s, 0, 0}, {0, s, 0}, {0, 0, s}}, brDMul(-s, middle)};
	brMesh_Transform(mesh, &map);
	return mesh;
}

static brShape* sceneMeshShape(const brMesh* mesh, brShapeKind kind, bool keepMesh)
{
	brShapeDef def = brDefaultShapeDef(kind);
	def.mesh = mesh;
	def.keepMesh = keepMesh;
	return BR_MADE(brShape, brCreateShape, NULL, &def);
}

brShape* brScene_MeshModel(const char* name, int32_t resolution, double size, bool keepMesh)
{
	brMesh* mesh = brScene_Model(name, resolution, size);
	brShape* shape = sceneMeshShape(mesh, br_shapeMesh, keepMesh);
	brDestroyMesh(mesh);
	return shape;
}

brShape* brScene_MeshBox(double x, double y, double z, int32_t parts)
{
	brMesh* mesh = brShape_Model("box", parts);
	brMesh_Transform(mesh, &(brAffine){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}, {0, 0, -0.5 * z}});
	brShape* shape = sceneMeshShape(mesh, br_shapeMesh, true);
	brDestroyMesh(mesh);
	return shape;
}

brShape* brScene_SurfaceOf(const brMesh* mesh)
{
	return sceneMeshShape(mesh, br_shapeSurface, false);
}

// One draw after the other: the order of arguments is the compiler's choice.
static brDVec3 meshSceneVector(brRandom* random, double lower, double upper)
{
	double x = brRandom_Range(random, lower, upper);
	double y = brRandom_Range(random, lower, upper);
	double z = brRandom_Range(random, lower, upper);
	return brMakeDVec3(x, y, z);
}

void brScene_MeshPile(brWorld* world, brShape* const* shapes, int32_t shapeCount, int32_t count, double wall,
					  double step, uint64_t seed)
{
	brScene_Ground(world);
	const brDVec3 normals[4] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
	for (int32_t k = 0; k < 4; ++k)
	{
		brShapeDef plane = brDefaultShapeDef(br_shapeHalfSpace);
		plane.normal = normals[k];
		plane.offset = -wall;
		brShape* shape = BR_MADE(brShape, brCreateShape, NULL, &plane);
		brBodyDef body = brDefaultBodyDef();
		body.kind = br_bodyStatic;
		body.shape = shape;
		brWorld_CreateBody(world, &body, NULL);
		brDestroyShape(shape);
	}
	brRandom random = brMakeRandom(seed, 11);
	int32_t across = (int32_t)(2.0 * wall / step);
	for (int32_t i = 0; i < count; ++i)
	{
		brBodyDef body = brDefaultBodyDef();
		body.shape = shapes[i % shapeCount];
		body.density = 2000.0;
		int32_t layer = i / (across * across), inLayer = i % (across * across);
		brDVec3 grid = {step * (inLayer % across - 0.5 * (across - 1)),
						step * ((int)(inLayer / across) - 0.5 * (across - 1)), step * (0.7 + layer)};
		body.pose.p = brDAdd(grid, meshSceneVector(&random, -0.02 * step, 0.02 * step));
		brDVec3 axis = brDNormalize(brDAdd(meshSceneVector(&random, -1.0, 1.0), brMakeDVec3(0.0, 0.0, 1.5)));
		body.pose.q = brMakeQuatAxisAngle(axis, brRandom_Range(&random, 0.0, 6.0));
		CHECK(brWorld_CreateBody(world, &body, NULL).index1 != 0);
	}
}

double brScene_Depth(const brWorld* world)
{
	const brDynamics* dynamics = &world->dynamics;
	double deepest = 0.0;
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = &dynamics->contacts.data[dynamics->pairs.data[i].contact];
		const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
		for (int32_t m = 0; m < contact->manifoldCount; ++m)
		{
			const brManifold* manifold = brContact_Manifold(dynamics, contact, m);
			brDVec3 n = brQuat_Rotate(a->rotation, brToDVec3(manifold->normal));
			for (int32_t k = 0; k < manifold->pointCount; ++k)
			{
				brDVec3 onA = brDAdd(a->position, brQuat_Rotate(a->rotation, brToDVec3(manifold->points[k].anchorA)));
				brDVec3 onB = brDAdd(b->position, brQuat_Rotate(b->rotation, brToDVec3(manifold->points[k].anchorB)));
				deepest = fmax(deepest, -((double)manifold->points[k].separation + brDDot(n, brDSub(onB, onA))));
			}
		}
	}
	return deepest;
}
