// SPDX-License-Identifier: MIT

// glTF files as scenes.
//
// A node with a mesh is a body: static without `motion` in KHR_physics_rigid_bodies, else dynamic or kinematic with
// that motion's mass and velocities. A box or sphere of KHR_implicit_shapes as collider becomes that shape,
// `convexHull` a hull, anything else the mesh itself. `extras.brittle` of a node holds the keys of a body in a YAML
// scene, that of the scene or the file its top level; the two are read by the same tables. y is up in glTF, z in a
// scene: everything is turned. Colliders and meshes of child nodes are bodies of their own, joints and triggers are
// passed over.

#include "scene/scene_gltf.h"

#include "base/os.h"
#include "io/file.h"
#include "io/gltf_document.h"
#include "io/text.h"

#include <string.h>

#define GLTF_SCENE_PHYSICS "KHR_physics_rigid_bodies"
#define GLTF_SCENE_SHAPES "KHR_implicit_shapes"

typedef struct GltfWorld
{
	brSceneReader* reader;
	brGltf gltf;
	int32_t* parents; // [nodes.count], -1: a root
	brAffine* places; // [nodes.count] in the file's axes
	uint8_t* state;   // [nodes.count] 0: not placed, 1: being placed, 2: placed
	int32_t bodyCount;
} GltfWorld;

static const brJson* gltfExtension(const brJson* object, const char* name)
{
	return brGltf_Get(brGltf_Get(object, "extensions"), name);
}

// The map under extras.brittle, an empty one if there is none.
static brResult gltfExtras(GltfWorld* world, const brJson* object, brDocNode** outMap)
{
	const brJson* extras = brGltf_Get(brGltf_Get(object, "extras"), "brittle");
	if (extras != NULL && !brJson_Is(extras, br_jsonObject))
	{
		return brGltf_Fail(&world->gltf, br_errorFormat, "extras.brittle is an object");
	}
	*outMap = extras != NULL ? brDoc_FromJson(&world->reader->document, extras, 0, 0)
							 : brDoc_MakeNode(&world->reader->document, br_docMap, 0, 0);
	return *outMap != NULL ? br_success
						   : brGltf_Fail(&world->gltf, br_errorMemory, "extras.brittle is too deep, or memory ran out");
}

// Placements

static brResult gltfLocal(GltfWorld* world, int32_t node, brAffine* outPlace)
{
	const brJson* json = world->gltf.nodes.items[node];
	double t[3] = {0, 0, 0}, r[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
	double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
	if (!brGltf_Numbers(json, "translation", t, 3) || !brGltf_Numbers(json, "rotation", r, 4) ||
		!brGltf_Numbers(json, "scale", s, 3) || !brGltf_Numbers(json, "matrix", m, 16))
	{
		return brGltf_Fail(&world->gltf, br_errorFormat, "node %d is not placed by numbers", node);
	}
	if (brGltf_Get(json, "matrix") != NULL)
	{
		*outPlace = (brAffine){{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}, {m[12], m[13], m[14]}};
		return br_success;
	}
	brMat3 turn = brMakeMat3FromQuat(brQuat_Normalize((brQuat){r[0], r[1], r[2], r[3]}));
	*outPlace = (brAffine){{brDMul(s[0], turn.cx), brDMul(s[1], turn.cy), brDMul(s[2], turn.cz)}, {t[0], t[1], t[2]}};
	return br_success;
}

static brResult gltfFindNodes(GltfWorld* world)
{
	const brGltf* gltf = &world->gltf;
	for (int32_t n = 0; n < gltf->nodes.count; ++n)
	{
		world->parents[n] = -1;
	}
	for (int32_t n = 0; n < gltf->nodes.count; ++n)
	{
		const brJson* children = brGltf_Get(gltf->nodes.items[n], "children");
		for (const brJson* item = children != NULL ? children->child : NULL; item != NULL; item = item->next)
		{
			double child = brJson_Is(item, br_jsonNumber) ? item->number : -1.0;
			bool isNode = child >= 0.0 && child < gltf->nodes.count && child == floor(child);
			if (!isNode || world->parents[(int32_t)child] >= 0)
			{
				return brGltf_Fail(gltf, br_errorFormat, "node %d has a child that does not exist or has two parents",
								   n);
			}
			world->parents[(int32_t)child] = n;
		}
	}
	return br_success;
}

// The place of a node and of all above it; a chain of nodes that comes back to itself is refused.
static brResult gltfPlace(GltfWorld* world, int32_t node)
{
	// Up to the first that is placed, then down again by walking up anew: chains are short.
	brResult result = br_success;
	while (world->state[node] != 2 && result >= 0)
	{
		int32_t at = node, steps = 0;
		while (world->parents[at] >= 0 && world->state[world->parents[at]] != 2 && steps <= world->gltf.nodes.count)
		{
			at = world->parents[at];
			steps += 1;
		}
		if (steps > world->gltf.nodes.count)
		{
			return brGltf_Fail(&world->gltf, br_errorFormat, "the nodes of the file form a cycle");
		}
		brAffine local;
		result = gltfLocal(world, at, &local);
		if (result >= 0)
		{
			int32_t parent = world->parents[at];
			world->places[at] = parent >= 0 ? brAffine_Mul(&world->places[parent], &local) : local;
			world->state[at] = 2;
		}
	}
	return result;
}

static brDVec3 gltfTurn(brDVec3 v)
{
	return brMakeDVec3(v.x, -v.z, v.y);
}

// Rotation nearest to the columns in the sense of Gram and Schmidt.
static brQuat gltfRotation(const brMat3* m)
{
	brDVec3 x = brDNormalize(m->cx), y = brDNormalize(brDMulAdd(m->cy, -brDDot(m->cy, x), x)), z = brDCross(x, y);
	double trace = x.x + y.y + z.z;
	brQuat q;
	if (trace > 0.0)
	{
		q = (brQuat){y.z - z.y, z.x - x.z, x.y - y.x, 1.0 + trace};
	}
	else if (x.x >= y.y && x.x >= z.z)
	{
		q = (brQuat){1.0 + x.x - y.y - z.z, y.x + x.y, z.x + x.z, y.z - z.y};
	}
	else if (y.y >= z.z)
	{
		q = (brQuat){y.x + x.y, 1.0 - x.x + y.y - z.z, z.y + y.z, z.x - x.z};
	}
	else
	{
		q = (brQuat){z.x + x.z, z.y + y.z, 1.0 - x.x - y.y + z.z, x.y - y.x};
	}
	return brQuat_Normalize(q);
}

// Bodies

static brResult gltfReadMotion(GltfWorld* world, int32_t node, const brJson* motion, brSceneGiven* given)
{
	double mass = 0.0, factor = 1.0, velocity[3] = {0, 0, 0}, spin[3] = {0, 0, 0};
	bool isGood =
		brGltf_Numbers(motion, "linearVelocity", velocity, 3) && brGltf_Numbers(motion, "angularVelocity", spin, 3);
	const brJson *massJson = brGltf_Get(motion, "mass"), *factorJson = brGltf_Get(motion, "gravityFactor");
	mass = brJson_Is(massJson, br_jsonNumber) ? massJson->number : 0.0;
	factor = brJson_Is(factorJson, br_jsonNumber) ? factorJson->number : 1.0;
	if (!isGood || !(mass >= 0.0 && mass < 1e12) || !isfinite(factor))
	{
		return brGltf_Fail(&world->gltf, br_errorFormat, "the motion of node %d has numbers out of range", node);
	}
	given->kind = brJson_Is(brGltf_Get(motion, "isKinematic"), br_jsonTrue) ? br_bodyKinematic : br_bodyDynamic;
	given->mass = mass;
	given->gravityScale = factor;
	// Velocities are in the node's own axes.
	const brMat3* place = &world->places[node].m;
	brQuat turn = gltfRotation(place);
	given->velocity = gltfTurn(brQuat_Rotate(turn, brMakeDVec3(velocity[0], velocity[1], velocity[2])));
	given->spin = gltfTurn(brQuat_Rotate(turn, brMakeDVec3(spin[0], spin[1], spin[2])));
	return br_success;
}

static brResult gltfReadCollider(GltfWorld* world, int32_t node, const brJson* collider, brSceneGiven* given)
{
	const brJson* geometry = brGltf_Get(collider, "geometry");
	const brJson* shapes = brGltf_Get(gltfExtension(world->gltf.root, GLTF_SCENE_SHAPES), "shapes");
	const brJson* materials = brGltf_Get(gltfExtension(world->gltf.root, GLTF_SCENE_PHYSICS), "physicsMaterials");
	brGltfList shapeList = {NULL, shapes != NULL ? shapes->count : 0};
	brGltfList materialList = {NULL, materials != NULL ? materials->count : 0};
	int32_t shape = -1, material = -1;
	if (!brGltf_Index(geometry, "shape", &shapeList, &shape) ||
		!brGltf_Index(collider, "physicsMaterial", &materialList, &material))
	{
		return brGltf_Fail(&world->gltf, br_errorFormat,
						   "the collider of node %d names a shape or a material that does not exist", node);
	}
	const brJson* type = shape >= 0 ? brGltf_Get(brJson_At(shapes, shape), "type") : NULL;
	if (brJson_Is(type, br_jsonString))
	{
		given->shape = strcmp(type->text, "box") == 0      ? br_sceneShapeBox
					   : strcmp(type->text, "sphere") == 0 ? br_sceneShapeSphere
														   : br_sceneShapeHull;
	}
	else if (brJson_Is(brGltf_Get(geometry, "convexHull"), br_jsonTrue))
	{
		given->shape = br_sceneShapeHull;
	}
	if (material >= 0)
	{
		const brJson* item = brJson_At(materials, material);
		const brJson *friction = brGltf_Get(item, "dynamicFriction"), *bounce = brGltf_Get(item, "restitution");
		given->hasContact = true;
		given->friction = brJson_Is(friction, br_jsonNumber) ? fmin(fmax(friction->number, 0.0), 10.0) : 0.6;
		given->restitution = brJson_Is(bounce, br_jsonNumber) ? fmin(fmax(bounce->number, 0.0), 1.0) : 0.0;
	}
	return br_success;
}

static brResult gltfReadBody(GltfWorld* world, int32_t node, int32_t mesh)
{
	brSceneReader* reader = world->reader;
	const brJson* json = world->gltf.nodes.items[node];
	const brJson* physics = gltfExtension(json, GLTF_SCENE_PHYSICS);
	const brJson *motion = brGltf_Get(physics, "motion"), *collider = brGltf_Get(physics, "collider");
	brSceneGiven given = {.kind = br_bodyStatic, .pose = brMakeTransformIdentity(), .gravityScale = 1.0};
	brDocNode* extras = NULL;
	brResult result = gltfPlace(world, node);
	result = result < 0 || motion == NULL ? result : gltfReadMotion(world, node, motion, &given);
	result = result < 0 || collider == NULL ? result : gltfReadCollider(world, node, collider, &given);
	result = result < 0 ? result : gltfExtras(world, json, &extras);
	result = result < 0 ? result : brGltf_Mesh(&world->gltf, mesh, &given.mesh);
	if (result < 0 || given.mesh == NULL)
	{
		return result; // points and lines are no bodies
	}
	// The turn goes to the pose, everything else into the mesh; then y up becomes z up.
	const brAffine* place = &world->places[node];
	brMat3 upright = {{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, -1.0, 0.0}};
	brQuat quarter = {sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
	brQuat turn = gltfRotation(&place->m);
	brMat3 matrix = brMakeMat3FromQuat(turn), back = brMat3_Transpose(&matrix);
	brAffine bake = {brMat3_Mul(&back, &place->m), {0.0, 0.0, 0.0}};
	bake.m = brMat3_Mul(&upright, &bake.m);
	brMesh_Transform(given.mesh, &bake);
	given.pose.p = gltfTurn(place->p);
	given.pose.q = brQuat_Normalize(brQuat_Mul(quarter, brQuat_Mul(turn, brQuat_Conjugate(quarter))));
	char name[64];
	brGltf_CopyString(name, sizeof(name), brGltf_Get(json, "name"));
	given.name = name[0] != 0 ? brDoc_CopyText(&reader->document, name, strlen(name)) : "node";
	result = given.name != NULL ? brSceneReader_GivenBody(reader, extras, &given) : brFailMemory(reader->report);
	brDestroyMesh(given.mesh);
	world->bodyCount += 1;
	return result;
}

static brResult gltfReadWorld(GltfWorld* world)
{
	brSceneReader* reader = world->reader;
	const brGltf* gltf = &world->gltf;
	brResult result = gltfFindNodes(world);
	// The top level: the file's extras, then the scene's, then what the command line says.
	int32_t chosen = 0;
	if (result >= 0 && !brGltf_Index(gltf->root, "scene", &gltf->scenes, &chosen))
	{
		return brGltf_Fail(gltf, br_errorFormat, "the file shows a scene that does not exist");
	}
	const brJson* places[2] = {brGltf_Get(gltf->root, "asset"),
							   gltf->scenes.count > 0 ? gltf->scenes.items[chosen < 0 ? 0 : chosen] : NULL};
	for (int32_t i = 0; i < 3 && result >= 0; ++i)
	{
		brDocNode* map = NULL;
		result = gltfExtras(world, i < 2 ? places[i] : NULL, &map);
		for (int32_t k = 0; k < reader->changeCount && i == 2 && result >= 0; ++k)
		{
			result = brSceneReader_Change(reader, map, reader->changes[k]);
		}
		result = result < 0 ? result : brSceneReader_Root(reader, map);
	}
	for (int32_t n = 0; n < gltf->nodes.count && result >= 0; ++n)
	{
		int32_t mesh;
		if (!brGltf_Index(gltf->nodes.items[n], "mesh", &gltf->meshes, &mesh))
		{
			return brGltf_Fail(gltf, br_errorFormat, "node %d shows a mesh that does not exist", n);
		}
		result = mesh >= 0 ? gltfReadBody(world, n, mesh) : result;
	}
	return result;
}

brResult brSceneReader_Gltf(brSceneReader* reader, const char* path)
{
	uint8_t* bytes = NULL;
	size_t byteCount = 0;
	brResult result = brReadFile(reader->context, &reader->allocator, path, &bytes, &byteCount, reader->report);
	if (result < 0)
	{
		return result;
	}
	const char* slash = brOs_LastSlash(path);
	const char* name = brDoc_CopyText(&reader->document, path, strlen(path));
	reader->folder = brDoc_CopyText(&reader->document, path, slash != NULL ? (size_t)(slash - path) + 1 : 0);
	brReadJob job = {
		.context = reader->context,
		.allocator = reader->allocator,
		.bytes = bytes,
		.byteCount = byteCount,
		.name = path,
		.hasCompanions = true,
		.report = reader->report,
	};
	GltfWorld world = {.reader = reader};
	bool isReady =
		name != NULL && reader->folder != NULL && BR_PUSH(&reader->document.allocator, &reader->document.files, name);
	result = isReady ? brGltf_Open(&world.gltf, &job) : brFailMemory(reader->report);
	int32_t count = result >= 0 ? world.gltf.nodes.count : 0;
	if (result >= 0)
	{
		world.parents = BR_ALLOC(&reader->allocator, int32_t, count);
		world.places = BR_ALLOC(&reader->allocator, brAffine, count);
		world.state = BR_ALLOC_ZERO(&reader->allocator, uint8_t, count);
		bool hasRoom = world.parents != NULL && world.places != NULL && world.state != NULL;
		result = hasRoom ? gltfReadWorld(&world) : brFailMemory(reader->report);
		BR_FREE(&reader->allocator, world.parents, count);
		BR_FREE(&reader->allocator, world.places, count);
		BR_FREE(&reader->allocator, world.state, count);
	}
	if (isReady)
	{
		brGltf_Close(&world.gltf);
	}
	BR_FREE(&reader->allocator, bytes, byteCount + 1);
	return result;
}
