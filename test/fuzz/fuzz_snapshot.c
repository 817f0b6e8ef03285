// SPDX-License-Identifier: MIT

// Snapshots of worlds, edited, with a hash that is right: what is restored can be asked, stepped, broken and saved. The
// first byte picks the world.

#include "fuzz_help.h"

#include "base/hash.h"
#include "brittle/break.h"
#include "brittle/models.h"
#include "world/snapshot.h"

#include <stddef.h>

#define HEADER sizeof(brSnapshotHeader)
#define SIZE_AT offsetof(brSnapshotHeader, byteCount)
#define HASH_AT offsetof(brSnapshotHeader, hash)

static brMesh* makeBox(void)
{
	brModelDef def = brDefaultModelDef("box");
	brMesh* mesh = NULL;
	fuzzCheck(brMakeModel(NULL, &def, &mesh, NULL) >= 0, "there are boxes");
	brAffine small = brMakeAffineIdentity();
	small.m.cx.x = small.m.cy.y = small.m.cz.z = 0.2;
	brMesh_Transform(mesh, &small);
	return mesh;
}

static void addShape(brWorld* world, const brShapeDef* def, brBodyDef* body)
{
	brShape* shape = NULL;
	fuzzCheck(brCreateShape(NULL, def, &shape, NULL) >= 0, "a shape");
	body->shape = shape;
	fuzzCheck(brWorld_CreateBody(world, body, NULL).index1 > 0, "a body");
	brDestroyShape(shape);
}

// Ground, and as `kind` has its bits: mesh bodies, a breakable one, a cluster on a joint.
static FuzzBlock makeWorld(uint32_t kind)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = NULL;
	fuzzCheck(brCreateWorld(NULL, &worldDef, &world, NULL) >= 0, "a world");
	brMesh* mesh = makeBox();
	brBodyDef body = brDefaultBodyDef();
	body.kind = br_bodyStatic;
	brShapeDef shape = brDefaultShapeDef(br_shapeHalfSpace);
	addShape(world, &shape, &body);
	for (int32_t i = 0; i < 2 && (kind & 1) != 0; ++i)
	{
		body = brDefaultBodyDef();
		body.pose.p.z = 0.1 + 0.19 * i;
		shape = brDefaultShapeDef(br_shapeMesh);
		shape.mesh = mesh;
		shape.keepMesh = true;
		addShape(world, &shape, &body);
	}
	if ((kind & 2) != 0)
	{
		brBreakDef breaking = brDefaultBreakDef();
		breaking.mesh = mesh;
		breaking.pieces = 4;
		body = brDefaultBodyDef();
		body.pose.p = brMakeDVec3(1.0, 0.0, 0.11);
		body.velocity.z = -20.0;
		brWorld_CreateBreakable(world, &body, &breaking, NULL);
		body.pose.p = brMakeDVec3(2.0, 0.0, 0.5);
		body.velocity.z = 0.0;
		brWorld_CreateBreakable(world, &body, &breaking, NULL);
	}
	if ((kind & 4) != 0)
	{
		brClusterDef cluster = brDefaultClusterDef();
		cluster.breaking.mesh = mesh;
		cluster.breaking.pieces = 4;
		body = brDefaultBodyDef();
		body.pose.p = brMakeDVec3(3.0, 0.0, 0.3);
		brBodyId a = brWorld_CreateCluster(world, &body, &cluster, NULL);
		brBodyId b = brWorld_CreateBreakable(world, &body, &cluster.breaking, NULL);
		brJointDef joint = brDefaultJointDef();
		joint.bodyA = a;
		joint.bodyB = b;
		brWorld_CreateJoint(world, &joint, NULL);
	}
	brDestroyMesh(mesh);
	for (int32_t i = 0; i < 3; ++i)
	{
		brWorld_Step(world, 1.0 / 60.0, NULL);
	}
	FuzzBlock block = {NULL, brWorld_Save(world, NULL, 0)};
	block.bytes = malloc(block.count);
	brWorld_Save(world, block.bytes, block.count);
	brDestroyWorld(world);
	return block;
}

static void useWorld(brWorld* world)
{
	brBodyId ids[64];
	int32_t count = brWorld_GetBodies(world, ids, 64);
	count = count < 64 ? count : 64;
	brReport report = {0};
	for (int32_t i = 0; i < 4; ++i)
	{
		if (i == 3)
		{
			for (int32_t k = 0; k < count; ++k)
			{
				brWorld_BreakBody(world, ids[k], brWorld_GetPose(world, ids[k]).p, brMakeDVec3(0.0, 0.0, -1.0), 10.0);
			}
		}
		if (brWorld_Step(world, 1.0 / 60.0, &report) < 0)
		{
			fuzzCheck(report.text[0] != 0, "a step that fails says why");
			break;
		}
	}
	brWorld_ComputeHash(world);
	size_t size = brWorld_Save(world, NULL, 0);
	void* bytes = malloc(size);
	brWorld_Save(world, bytes, size);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	static FuzzBlock worlds[8];
	if (size == 0)
	{
		return 0;
	}
	uint32_t kind = data[0] & 7;
	worlds[kind] = worlds[kind].bytes == NULL ? makeWorld(kind) : worlds[kind];
	FuzzBlock block = fuzzEdit(&worlds[kind], data + 1, size - 1);
	if (block.count >= HEADER)
	{
		memcpy(block.bytes, worlds[kind].bytes, SIZE_AT); // magic, version, sizes
		uint64_t byteCount = block.count;
		memcpy(block.bytes + SIZE_AT, &byteCount, 8);
		uint64_t hash = brHashFile(block.bytes, HEADER, HASH_AT, block.bytes + HEADER, block.count - HEADER);
		memcpy(block.bytes + HASH_AT, &hash, 8);
		brAllocator allocator = {fuzzAlloc, fuzzFree, NULL};
		brContext context = {.allocator = &allocator};
		brReport report = {0};
		brWorld* world = NULL;
		brResult result = brRestoreWorld(&context, block.bytes, block.count, &world, &report);
		fuzzCheck((result >= 0) == (world != NULL) && (result >= 0 || report.text[0] != 0), "a world or a word");
		fuzzCheck(size > 1 || result >= 0, "what was not edited is good");
		if (world != NULL)
		{
			useWorld(world);
		}
		brDestroyWorld(world);
		fuzzCheck(fuzzUsed == 0, "all memory is back");
	}
	free(block.bytes);
	return 0;
}
