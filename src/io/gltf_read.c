// SPDX-License-Identifier: MIT

// Reading glTF 2.0: the scene's nodes multiplied out into parts, each mesh read once however often it is placed.
//
// The nodes must form trees: every node is the child of at most one other and none of itself. That is checked once, for
// all nodes and without recursion, so neither a cycle nor a tower of nodes can hurt. Skins, morph targets, cameras and
// lights are passed over; animations move parts as far as they move them whole. Points and lines are left out with a
// remark.

#include "io/gltf_animation.h"

#include <stdio.h>
#include <string.h>

// A part costs about 200 bytes, a corner 4 to 24: this many corners' worth of the file's allowance.
#define GLTF_PART_COST 32

typedef struct GltfScene
{
	brGltf* gltf;
	brAssembly* assembly;
	int32_t* parents;   // [nodes.count], -1: a root
	int32_t* order;     // [nodes.count], depth first, roots in file order
	brAffine* worlds;   // [nodes.count], valid for the nodes the scene shows
	bool* isShown;      // [nodes.count]
	int32_t* meshSlots; // [meshes.count]: assembly mesh, -1: not read yet, -2: nothing to show
	brGltfAnimation animation;
} GltfScene;

static brResult gltfFindParents(GltfScene* scene)
{
	const brGltf* gltf = scene->gltf;
	memset(scene->parents, 0xFF, (size_t)gltf->nodes.count * sizeof(int32_t));
	for (int32_t n = 0; n < gltf->nodes.count; ++n)
	{
		const brJson* children = brGltf_Get(gltf->nodes.items[n], "children");
		for (const brJson* item = children != NULL ? children->child : NULL; item != NULL; item = item->next)
		{
			double child = brJson_Is(item, br_jsonNumber) ? item->number : -1.0;
			if (!(child >= 0.0 && child < gltf->nodes.count) || child != floor(child))
			{
				return brGltf_Fail(gltf, br_errorFormat, "node %d has a child that does not exist", n);
			}
			int32_t* parent = &scene->parents[(int32_t)child];
			if (*parent >= 0)
			{
				return brGltf_Fail(gltf, br_errorFormat, "node %d is a child of both node %d and node %d",
								   (int32_t)child, *parent, n);
			}
			*parent = n;
		}
	}

	// Depth first from the roots, so that parts keep the order of the file. The nodes still to visit wait at the far
	// end of the same array: visited and waiting ones together are never more than there are.
	int32_t count = 0;
	int32_t top = gltf->nodes.count;
	for (int32_t n = gltf->nodes.count - 1; n >= 0; --n)
	{
		if (scene->parents[n] < 0)
		{
			scene->order[--top] = n;
		}
	}
	while (top < gltf->nodes.count)
	{
		int32_t node = scene->order[top++];
		scene->order[count++] = node;
		const brJson* children = brGltf_Get(gltf->nodes.items[node], "children");
		int32_t next = top - (children != NULL ? children->count : 0);
		top = next;
		for (const brJson* item = children != NULL ? children->child : NULL; item != NULL; item = item->next)
		{
			scene->order[next++] = (int32_t)item->number;
		}
	}
	// Whatever was not reached hangs on a cycle.
	return count == gltf->nodes.count ? br_success
									  : brGltf_Fail(gltf, br_errorFormat, "the nodes of the file form a cycle");
}

// Marks the roots that the default scene lists; without scenes, all.
static brResult gltfMarkRoots(GltfScene* scene)
{
	const brGltf* gltf = scene->gltf;
	memset(scene->isShown, 0, (size_t)gltf->nodes.count * sizeof(bool));
	int32_t chosen;
	if (!brGltf_Index(gltf->root, "scene", &gltf->scenes, &chosen))
	{
		return brGltf_Fail(gltf, br_errorFormat, "the file shows a scene that does not exist");
	}
	if (gltf->scenes.count == 0)
	{
		for (int32_t n = 0; n < gltf->nodes.count; ++n)
		{
			scene->isShown[n] = scene->parents[n] < 0;
		}
		return br_success;
	}
	chosen = chosen < 0 ? 0 : chosen;
	const brJson* nodes = brGltf_Get(gltf->scenes.items[chosen], "nodes");
	for (const brJson* item = nodes != NULL ? nodes->child : NULL; item != NULL; item = item->next)
	{
		double node = brJson_Is(item, br_jsonNumber) ? item->number : -1.0;
		if (!(node >= 0.0 && node < gltf->nodes.count) || node != floor(node))
		{
			return brGltf_Fail(gltf, br_errorFormat, "scene %d lists a node that does not exist", chosen);
		}
		if (scene->parents[(int32_t)node] >= 0)
		{
			return brGltf_Fail(gltf, br_errorFormat, "scene %d lists node %d, which is a child of node %d", chosen,
							   (int32_t)node, scene->parents[(int32_t)node]);
		}
		scene->isShown[(int32_t)node] = true;
	}
	return br_success;
}

static brAffine gltfMakePlacement(const double translation[3], const double rotation[4], const double scale[3])
{
	brDVec3 p = {translation[0], translation[1], translation[2]};
	if (rotation[0] == 0.0 && rotation[1] == 0.0 && rotation[2] == 0.0)
	{
		return (brAffine){{{scale[0], 0.0, 0.0}, {0.0, scale[1], 0.0}, {0.0, 0.0, scale[2]}},
						  p}; // no zero turns negative
	}
	brQuat q = brQuat_Normalize((brQuat){rotation[0], rotation[1], rotation[2], rotation[3]});
	brMat3 m = brMakeMat3FromQuat(q);
	return (brAffine){{brDMul(scale[0], m.cx), brDMul(scale[1], m.cy), brDMul(scale[2], m.cz)}, p};
}

static brResult gltfReadPlacement(const brGltf* gltf, int32_t node, brAffine* outPlacement)
{
	const brJson* json = gltf->nodes.items[node];
	double translation[3] = {0.0, 0.0, 0.0};
	double rotation[4] = {0.0, 0.0, 0.0, 1.0};
	double scale[3] = {1.0, 1.0, 1.0};
	double m[16] = {1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0};
	if (!brGltf_Numbers(json, "translation", translation, 3) || !brGltf_Numbers(json, "rotation", rotation, 4) ||
		!brGltf_Numbers(json, "scale", scale, 3) || !brGltf_Numbers(json, "matrix", m, 16))
	{
		return brGltf_Fail(gltf, br_errorFormat, "node %d has a transform that is not made of numbers", node);
	}
	if (m[3] != 0.0 || m[7] != 0.0 || m[11] != 0.0 || m[15] != 1.0)
	{
		return brGltf_Fail(gltf, br_errorFormat, "node %d has a matrix whose last row is not 0 0 0 1", node);
	}
	*outPlacement =
		brGltf_Get(json, "matrix") != NULL
			? (brAffine){{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}, {m[12], m[13], m[14]}}
			: gltfMakePlacement(translation, rotation, scale);
	return br_success;
}

// The mesh of the assembly that shows mesh `index` of the file, read the first time it is asked for.
static brResult gltfUseMesh(GltfScene* scene, int32_t index, int32_t* outSlot)
{
	int32_t* slot = &scene->meshSlots[index];
	if (*slot == -1)
	{
		if (brIsCanceled(scene->gltf->job->context, (double)index / scene->gltf->meshes.count))
		{
			return brGltf_Fail(scene->gltf, br_errorCanceled, "reading was canceled");
		}
		brMesh* mesh = NULL;
		brResult result = brGltf_Mesh(scene->gltf, index, &mesh);
		if (result < 0)
		{
			return result;
		}
		*slot = mesh != NULL ? brAssembly_AddMesh(scene->assembly, mesh) : -2;
		if (*slot == -1)
		{
			brDestroyMesh(mesh);
			return brFailMemory(scene->gltf->job->report);
		}
	}
	*outSlot = *slot;
	return br_success;
}

static brResult gltfAddPart(GltfScene* scene, int32_t mesh, const brAffine* placement, const char* name)
{
	brGltf* gltf = scene->gltf;
	bool isFinite = brDIsFinite(placement->m.cx) && brDIsFinite(placement->m.cy) && brDIsFinite(placement->m.cz) &&
					brDIsFinite(placement->p);
	if (!isFinite)
	{
		return brGltf_Fail(gltf, br_errorGeometry, "part %d is placed beyond the range of numbers",
						   scene->assembly->partCount);
	}
	brResult result = brGltf_Spend(gltf, GLTF_PART_COST);
	if (result < 0)
	{
		return result;
	}
	brPart part = brDefaultPart();
	part.mesh = mesh;
	part.placement = *placement;
	return brAssembly_AddPart(scene->assembly, name, &part) >= 0 ? br_success : brFailMemory(gltf->job->report);
}

// A part is called after its node, or after the nearest node above that carries nothing else, or after its mesh.
static void gltfNamePart(const GltfScene* scene, int32_t node, int32_t mesh, char* name, size_t capacity)
{
	const brGltf* gltf = scene->gltf;
	brGltf_CopyString(name, capacity, brGltf_Get(gltf->nodes.items[node], "name"));
	for (int32_t above = scene->parents[node]; name[0] == 0 && above >= 0; above = scene->parents[above])
	{
		const brJson* json = gltf->nodes.items[above];
		const brJson* children = brGltf_Get(json, "children");
		if (brGltf_Get(json, "mesh") != NULL || children->child->next != NULL)
		{
			break;
		}
		brGltf_CopyString(name, capacity, brGltf_Get(json, "name"));
	}
	if (name[0] == 0)
	{
		brGltf_CopyString(name, capacity, brGltf_Get(gltf->meshes.items[mesh], "name"));
	}
	// Nodes that our own files need below a part's.
	static const char* const endings[] = {"_turned", "_placed"};
	for (int32_t i = 0; i < BR_COUNT(endings) && scene->parents[node] >= 0; ++i)
	{
		size_t length = strlen(name), cut = strlen(endings[i]);
		if (length > cut && strcmp(name + length - cut, endings[i]) == 0)
		{
			name[length - cut] = 0;
		}
	}
}

// EXT_mesh_gpu_instancing: one part per element of the accessors.
static brResult gltfAddInstances(GltfScene* scene, int32_t node, const brJson* instancing, int32_t slot,
								 const char* name)
{
	brGltf* gltf = scene->gltf;
	const brJson* attributes = brGltf_Get(instancing, "attributes");
	static const char* const keys[3] = {"TRANSLATION", "ROTATION", "SCALE"};
	static const char* const whats[3] = {"translation", "rotation", "scale"};
	static const int32_t components[3] = {3, 4, 3};
	brGltfFloats tracks[3] = {{0}, {0}, {0}};
	int32_t count = -1;
	brResult result = br_success;
	for (int32_t k = 0; k < 3 && result >= 0; ++k)
	{
		brGltfFloatsDef def = {-1, components[k], components[k], k == 1, whats[k]};
		if (!brGltf_Index(attributes, keys[k], &gltf->accessors, &def.accessor))
		{
			result =
				brGltf_Fail(gltf, br_errorFormat, "node %d: its instances name an accessor that does not exist", node);
		}
		else if (def.accessor >= 0)
		{
			result = brGltf_Floats(gltf, &def, &tracks[k]);
			if (result >= 0 && count >= 0 && tracks[k].count != count)
			{
				result = brGltf_Fail(gltf, br_errorFormat, "node %d: its instances have accessors of different lengths",
									 node);
			}
			count = tracks[k].count;
		}
	}
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		double values[3][4] = {{0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}, {1.0, 1.0, 1.0, 0.0}};
		for (int32_t k = 0; k < 3; ++k)
		{
			for (int32_t c = 0; c < components[k] && tracks[k].bytes != NULL; ++c)
			{
				float value;
				memcpy(&value, tracks[k].bytes + (size_t)i * tracks[k].stride + sizeof(float) * (size_t)c,
					   sizeof(value));
				values[k][c] = (double)value;
			}
		}
		brAffine local = gltfMakePlacement(values[0], values[1], values[2]);
		brAffine placement = brAffine_Mul(&scene->worlds[node], &local);
		char numbered[64];
		snprintf(numbered, sizeof(numbered), "%.50s_%d", name[0] != 0 ? name : "instance", i);
		result = gltfAddPart(scene, slot, &placement, numbered);
	}
	for (int32_t k = 0; k < 3; ++k)
	{
		brGltf_FreeFloats(gltf, &tracks[k]);
	}
	return result;
}

static brResult gltfAddNode(GltfScene* scene, int32_t node)
{
	brGltf* gltf = scene->gltf;
	const brJson* json = gltf->nodes.items[node];
	brResult result = gltfReadPlacement(gltf, node, &scene->worlds[node]);
	if (result < 0)
	{
		return result;
	}
	int32_t parent = scene->parents[node];
	if (parent >= 0)
	{
		scene->worlds[node] = brAffine_Mul(&scene->worlds[parent], &scene->worlds[node]);
	}
	int32_t mesh, slot;
	if (!brGltf_Index(json, "mesh", &gltf->meshes, &mesh))
	{
		return brGltf_Fail(gltf, br_errorFormat, "node %d shows a mesh that does not exist", node);
	}
	if (mesh < 0)
	{
		return br_success;
	}
	result = gltfUseMesh(scene, mesh, &slot);
	if (result < 0 || slot < 0)
	{
		return result;
	}
	char name[64];
	gltfNamePart(scene, node, mesh, name, sizeof(name));
	const brJson* instancing = brGltf_Get(brGltf_Get(json, "extensions"), "EXT_mesh_gpu_instancing");
	if (instancing != NULL)
	{
		return gltfAddInstances(scene, node, instancing, slot, name);
	}
	result = gltfAddPart(scene, slot, &scene->worlds[node], name);
	if (result < 0)
	{
		return result;
	}
	return brGltfAnimation_Move(&scene->animation, scene->parents, node, scene->assembly,
								scene->assembly->partCount - 1);
}

static brResult gltfAddParts(GltfScene* scene)
{
	brGltf* gltf = scene->gltf;
	brResult result = gltfFindParents(scene);
	if (result >= 0)
	{
		result = gltfMarkRoots(scene);
	}
	for (int32_t i = 0; i < gltf->nodes.count && result >= 0; ++i)
	{
		int32_t node = scene->order[i];
		int32_t parent = scene->parents[node];
		scene->isShown[node] |= parent >= 0 && scene->isShown[parent];
		if (scene->isShown[node])
		{
			result = gltfAddNode(scene, node);
		}
	}

	// A file without scenes is a library of meshes: those no node places stand at the origin.
	for (int32_t m = 0; m < gltf->meshes.count && result >= 0 && gltf->scenes.count == 0; ++m)
	{
		int32_t slot = -2;
		if (scene->meshSlots[m] == -1)
		{
			result = gltfUseMesh(scene, m, &slot);
		}
		if (result >= 0 && slot >= 0)
		{
			char name[64];
			brGltf_CopyString(name, sizeof(name), brGltf_Get(gltf->meshes.items[m], "name"));
			brAffine identity = brMakeAffineIdentity();
			result = gltfAddPart(scene, slot, &identity, name);
		}
	}
	return result;
}

static brResult gltfRemark(const brGltf* gltf)
{
	char text[200] = "";
	size_t used = 0;
	struct
	{
		int32_t count;
		const char* what;
	} remarks[] = {
		{gltf->droppedPrimitives, "primitives of points or lines were left out"},
		{gltf->droppedIndices, "primitives end inside a triangle, which was left out"},
		{gltf->bentMotions, "parts change their shape as they move and keep the first one"},
		{gltf->clearedValues, "normals, texture coordinates or colors are not finite and were reset"},
	};
	for (int32_t i = 0; i < BR_COUNT(remarks); ++i)
	{
		if (remarks[i].count > 0)
		{
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d %s", used > 0 ? "; " : "",
									 remarks[i].count, remarks[i].what);
		}
	}
	return used > 0 ? brGltf_Fail(gltf, br_remarkDropped, "%s", text) : br_success;
}

brResult brReadGltf(const brReadJob* job, brAssembly* assembly)
{
	brGltf gltf;
	brResult result = brGltf_Open(&gltf, job);
	if (result >= 0)
	{
		const brAllocator* allocator = &job->allocator;
		GltfScene scene = {
			.gltf = &gltf,
			.assembly = assembly,
			.parents = BR_ALLOC(allocator, int32_t, gltf.nodes.count),
			.order = BR_ALLOC(allocator, int32_t, gltf.nodes.count),
			.worlds = BR_ALLOC(allocator, brAffine, gltf.nodes.count),
			.isShown = BR_ALLOC(allocator, bool, gltf.nodes.count),
			.meshSlots = BR_ALLOC(allocator, int32_t, gltf.meshes.count),
		};
		bool complete = scene.parents != NULL && scene.order != NULL && scene.worlds != NULL && scene.isShown != NULL &&
						scene.meshSlots != NULL;
		if (complete)
		{
			memset(scene.meshSlots, 0xFF, (size_t)gltf.meshes.count * sizeof(int32_t));
		}
		result = complete ? brGltfAnimation_Open(&scene.animation, &gltf) : brFailMemory(job->report);
		result = result < 0 ? result : gltfAddParts(&scene);
		gltf.bentMotions = scene.animation.bentCount;
		if (complete)
		{
			brGltfAnimation_Close(&scene.animation);
		}
		BR_FREE(allocator, scene.parents, gltf.nodes.count);
		BR_FREE(allocator, scene.order, gltf.nodes.count);
		BR_FREE(allocator, scene.worlds, gltf.nodes.count);
		BR_FREE(allocator, scene.isShown, gltf.nodes.count);
		BR_FREE(allocator, scene.meshSlots, gltf.meshes.count);
	}
	if (result >= 0)
	{
		result = gltfRemark(&gltf);
	}
	brGltf_Close(&gltf);
	return result;
}
