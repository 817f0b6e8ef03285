// SPDX-License-Identifier: MIT

// A chain of rings that hold each other by nothing but their form, hung up at one end and let go, as a file to look at.
//
//     cc chain.c $(pkg-config --cflags --libs --static brittle) -o chain && ./chain chain.glb

#include "brittle/brittle.h"

#include <stdio.h>

enum
{
	linkCount = 12,
	frameCount = 240,
};

int main(int argumentCount, char** arguments)
{
	const char* path = argumentCount > 1 ? arguments[1] : "chain.glb";
	brReport report = {0};
	brMesh* ring = NULL;
	brShape* shape = NULL;
	brWorld* world = NULL;
	brAssembly* assembly = brCreateAssembly(NULL);
	static brMotionKey keys[linkCount][frameCount];
	brBodyId ids[linkCount];

	// A ring 12 cm across, centered.
	brModelDef model = brDefaultModelDef("torus");
	model.resolution = 24;
	brResult result = brMakeModel(NULL, &model, &ring, &report);
	double tube = 0.0, middle = 0.0;
	if (result >= 0)
	{
		brDBox3 box = brMesh_ComputeBounds(ring);
		double scale = 0.12 / (box.upper.x - box.lower.x);
		brAffine fit = {{{scale, 0.0, 0.0}, {0.0, scale, 0.0}, {0.0, 0.0, scale}}, {0.0, 0.0, 0.0}};
		fit.p.z = -0.5 * scale * (box.lower.z + box.upper.z);
		brMesh_Transform(ring, &fit);
		tube = 0.5 * scale * (box.upper.z - box.lower.z);
		middle = 0.06 - tube;
	}

	// The shape is concave: it stays a mesh, holes and all.
	brShapeDef def = brDefaultShapeDef(br_shapeMesh);
	def.mesh = ring;
	result = result < 0 ? result : brCreateShape(NULL, &def, &shape, &report);
	brWorldDef worldDef = brDefaultWorldDef();
	result = result < 0 ? result : brCreateWorld(NULL, &worldDef, &world, &report);
	if (result >= 0)
	{
		// Along x, every second one turned by a quarter, each through the next; the first one is held.
		for (int32_t i = 0; i < linkCount; ++i)
		{
			brBodyDef body = brDefaultBodyDef();
			body.kind = i == 0 ? br_bodyStatic : br_bodyDynamic;
			body.shape = shape;
			body.density = 7800.0;
			body.angularDamping = 0.2;
			body.pose.p = brMakeDVec3(1.9 * (middle - tube) * i, 0.0, 2.0);
			body.pose.q = brMakeQuatAxisAngle(brMakeDVec3(1.0, 0.0, 0.0), i % 2 == 0 ? 0.0 : 0.5 * BR_PI);
			ids[i] = brWorld_CreateBody(world, &body, &report);
		}
		for (int32_t frame = 0; frame < frameCount && result >= 0; ++frame)
		{
			for (int32_t i = 0; i < linkCount; ++i)
			{
				keys[i][frame] = (brMotionKey){frame / 60.0, brWorld_GetPose(world, ids[i])};
			}
			for (int32_t k = 0; k < 4 && result >= 0; ++k)
			{
				result = brWorld_Step(world, 1.0 / 240.0, &report);
			}
		}
		double longest = 0.0;
		for (int32_t i = 1; i < linkCount; ++i)
		{
			double apart = brDDistance(brWorld_GetCenter(world, ids[i - 1]), brWorld_GetCenter(world, ids[i]));
			longest = apart > longest ? apart : longest;
		}
		printf("%d rings; neighbors are at most %.1f mm apart, %.1f mm would part them\n", linkCount, 1e3 * longest,
			   2e3 * middle);
	}
	if (result >= 0 && assembly != NULL)
	{
		int32_t mesh = brAssembly_AddMesh(assembly, ring);
		ring = mesh >= 0 ? NULL : ring; // the assembly's from now on
		for (int32_t i = 0; i < linkCount && mesh >= 0; ++i)
		{
			brPart part = brDefaultPart();
			part.mesh = mesh;
			int32_t index = brAssembly_AddPart(assembly, "ring", &part);
			if (index >= 0)
			{
				brAssembly_SetMotion(assembly, index, keys[i], frameCount);
			}
		}
		result = brSaveAssembly(NULL, assembly, path, NULL, &report);
	}
	if (result < 0)
	{
		fprintf(stderr, "%s\n", report.text);
	}
	brDestroyAssembly(assembly);
	brDestroyWorld(world);
	brDestroyShape(shape);
	brDestroyMesh(ring);
	return result < 0;
}
