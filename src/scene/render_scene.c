// SPDX-License-Identifier: MIT

// Gathering what is visible at an instant. All parts go into one soup: flattening costs memory for shared meshes and
// saves a level of indirection for each ray.

#include "scene/render_scene.h"

#include "base/assert.h"

#include <string.h>

// Mesh to world.
static brAffine sceneTimePlace(const brAssembly* assembly, int32_t part, double time)
{
	brTransform pose = brAssembly_FindPose(assembly, part, time);
	brAffine motion = {brMakeMat3FromQuat(brQuat_Normalize(pose.q)), pose.p};
	return brAffine_Mul(&motion, &assembly->parts[part].placement);
}

static bool sceneIsVisible(const brPart* part, double time)
{
	return (part->mesh >= 0 || part->tetMesh >= 0) && time >= part->bornTime && time < part->goneTime;
}

// Hues a golden section apart are never close for neighbors; a few steps of lightness keep many of them apart.
static brVec3 scenePartColor(int32_t index)
{
	double hue = index * 0.6180339887498949 + 0.08;
	hue = 2.0 * BR_PI * (hue - floor(hue));
	double light = 0.46 + 0.10 * (index % 3 - 1), chroma = 0.30;
	return (brVec3){(float)(light + chroma * brCos(hue)),
					(float)(light + 0.75 * chroma * brCos(hue - 2.0 * BR_PI / 3.0)),
					(float)(light + chroma * brCos(hue + 2.0 * BR_PI / 3.0))};
}

bool brRenderMaterial_IsGlass(const brSurfaceMaterial* material)
{
	return material->baseColor.w < 0.999f || strcmp(material->name, "glass") == 0;
}

// What gathering needs besides the scene.
typedef struct SceneGather
{
	const brContext* context;
	const brAssembly* assembly;
	const brRenderDef* def;
	brRenderScene* scene;
	brTriangulation** cuts; // [meshCount + tetMeshCount] of meshes that are shown
	int32_t cutCount;
} SceneGather;

static const brMesh* sceneMesh(const SceneGather* gather, const brPart* part)
{
	return part->mesh >= 0 ? gather->assembly->meshes[part->mesh] : gather->scene->surfaces[part->tetMesh];
}

static int32_t sceneCut(const SceneGather* gather, const brPart* part)
{
	return part->mesh >= 0 ? part->mesh : gather->assembly->meshCount + part->tetMesh;
}

// Triangles of every mesh that a visible part shows, made once; and how many of all there are.
static brResult sceneCount(SceneGather* gather, brReport* report)
{
	const brAssembly* assembly = gather->assembly;
	brRenderScene* scene = gather->scene;
	int64_t triangles = 0, vertices = 0;
	int32_t parts = 0;
	for (int32_t i = 0; i < assembly->partCount; ++i)
	{
		const brPart* part = &assembly->parts[i];
		if (!sceneIsVisible(part, gather->def->time))
		{
			continue;
		}
		if (part->mesh >= assembly->meshCount || part->tetMesh >= assembly->tetMeshCount)
		{
			return brFailAt(report, br_errorMisuse, i, "part %d shows mesh %d, there are %d", i,
							part->mesh >= 0 ? part->mesh : part->tetMesh,
							part->mesh >= 0 ? assembly->meshCount : assembly->tetMeshCount);
		}
		if (part->mesh < 0 && scene->surfaces[part->tetMesh] == NULL)
		{
			brResult result = brTetMesh_MakeSurface(assembly->tetMeshes[part->tetMesh], gather->context,
													&scene->surfaces[part->tetMesh], report);
			if (result < 0)
			{
				return result;
			}
		}
		int32_t cut = sceneCut(gather, part);
		if (gather->cuts[cut] == NULL)
		{
			brResult result = brTriangulateMesh(gather->context, sceneMesh(gather, part), &gather->cuts[cut], report);
			if (result < 0)
			{
				return result;
			}
		}
		parts += 1;
		triangles += gather->cuts[cut]->triangleCount;
		vertices += sceneMesh(gather, part)->vertexCount;
	}
	if (triangles > INT32_MAX - 1 || vertices > INT32_MAX - 1)
	{
		return brFail(report, br_errorLimit, "the picture would show %lld triangles, more than 32 bits count",
					  (long long)triangles);
	}
	scene->partCount = parts;
	scene->triangleCount = (int32_t)triangles;
	scene->vertexCount = (int32_t)vertices;
	scene->parts = BR_ALLOC_ZERO(&scene->allocator, brRenderPart, parts);
	scene->triangles = BR_ALLOC(&scene->allocator, brRenderTriangle, triangles);
	scene->indices = brAllocArray(&scene->allocator, triangles, sizeof(uint32_t[3]));
	scene->vertices = brAllocArray(&scene->allocator, vertices, sizeof(float[3]));
	bool complete =
		scene->parts != NULL && scene->triangles != NULL && scene->indices != NULL && scene->vertices != NULL;
	if (gather->def->shutter > 0.0)
	{
		scene->later = brAllocArray(&scene->allocator, vertices, sizeof(float[3]));
		complete = complete && scene->later != NULL;
	}
	return complete ? br_success : brFailMemory(report);
}

// The framed box and the lowest point along up, over used vertices of visible parts in world coordinates.
static brResult sceneFrame(const SceneGather* gather, brReport* report)
{
	const brAssembly* assembly = gather->assembly;
	const brRenderDef* def = gather->def;
	brRenderScene* scene = gather->scene;
	bool isGiven = def->frame.lower.x <= def->frame.upper.x && def->frame.lower.y <= def->frame.upper.y &&
				   def->frame.lower.z <= def->frame.upper.z;
	double lowest = INFINITY;
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t i = 0; i < assembly->partCount; ++i)
	{
		const brPart* part = &assembly->parts[i];
		if (!sceneIsVisible(part, def->time))
		{
			continue;
		}
		brAffine place = sceneTimePlace(assembly, i, def->time);
		const brMesh* mesh = sceneMesh(gather, part);
		for (int32_t c = 0; c < mesh->cornerCount; ++c)
		{
			brDVec3 p = brAffine_Point(&place, mesh->positions[mesh->corners[c]]);
			if (!brDIsFinite(p))
			{
				return brFailAt(report, br_errorGeometry, i, "part %d is placed at no finite position", i);
			}
			box = brDBox3_Include(box, p);
			double height = brDDot(p, def->up);
			lowest = height < lowest ? height : lowest;
		}
	}
	if (isGiven)
	{
		box = def->frame;
		brDVec3 ends[2] = {box.lower, box.upper};
		double bottom = ends[def->up.x < 0.0].x * def->up.x + ends[def->up.y < 0.0].y * def->up.y +
						ends[def->up.z < 0.0].z * def->up.z;
		lowest = isfinite(lowest) ? lowest : bottom;
	}
	else if (scene->triangleCount == 0)
	{
		return brFail(report, br_errorGeometry, "nothing is visible at time %g and no frame is given", def->time);
	}
	lowest = isfinite(def->groundHeight) ? def->groundHeight : lowest;
	double radius = 0.5 * brDDistance(box.lower, box.upper);
	if (!isfinite(radius))
	{
		return brFail(report, br_errorGeometry, "the frame of the picture is not finite");
	}
	// A single point still gets a picture.
	radius = radius > 0.0 ? radius : 1.0;
	scene->frame = box;
	scene->origin = brDLerp(box.lower, box.upper, 0.5);
	scene->scale = 1.0 / radius;
	scene->ground = (float)((lowest - brDDot(scene->origin, def->up)) * scene->scale);
	return br_success;
}

// Bit i of a triangle: its side i runs along an edge of the polygon, in the polygon's own direction.
static uint32_t sceneEdges(const brMesh* mesh, int32_t face, const int32_t corners[3])
{
	int32_t start = mesh->faceStarts[face], size = brMesh_GetFaceSize(mesh, face);
	uint32_t edges = 0;
	for (int32_t i = 0; i < 3; ++i)
	{
		int32_t next = corners[i] + 1 == start + size ? start : corners[i] + 1;
		edges |= (uint32_t)(corners[(i + 1) % 3] == next) << i;
	}
	return edges;
}

// In scene units. Vertices that no face uses need not be finite after the map; triangles never name them.
static void scenePlace(const brRenderScene* scene, const brMesh* mesh, const brAffine* place, float (*out)[3])
{
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		brDVec3 p = brDSub(brAffine_Point(place, mesh->positions[v]), scene->origin);
		brVec3 q = brToVec3(brDMul(scene->scale, p));
		memcpy(out[v], &q, sizeof(q));
	}
}

static void sceneFill(const SceneGather* gather)
{
	const brAssembly* assembly = gather->assembly;
	brRenderScene* scene = gather->scene;
	int32_t partAt = 0, triangleAt = 0, vertexAt = 0;
	for (int32_t i = 0; i < assembly->partCount; ++i)
	{
		const brPart* part = &assembly->parts[i];
		if (!sceneIsVisible(part, gather->def->time))
		{
			continue;
		}
		const brMesh* mesh = sceneMesh(gather, part);
		const brTriangulation* cut = gather->cuts[sceneCut(gather, part)];
		brAffine place = sceneTimePlace(assembly, i, gather->def->time);
		scene->parts[partAt] = (brRenderPart){
			.mesh = mesh,
			.normalMap = brMat3_Cofactor(&place.m),
			.color = scenePartColor(i),
			.isMirrored = brMat3_Determinant(&place.m) < 0.0,
		};
		for (int32_t m = 0; m < mesh->materialCount; ++m)
		{
			scene->hasGlass = scene->hasGlass || brRenderMaterial_IsGlass(&mesh->materials[m]);
		}
		scenePlace(scene, mesh, &place, scene->vertices + vertexAt);
		if (scene->later != NULL)
		{
			brAffine later = sceneTimePlace(assembly, i, gather->def->time + gather->def->shutter);
			scenePlace(scene, mesh, &later, scene->later + vertexAt);
		}
		for (int32_t t = 0; t < cut->triangleCount; ++t)
		{
			brRenderTriangle* triangle = &scene->triangles[triangleAt];
			triangle->part = partAt;
			triangle->face = cut->faces[t];
			memcpy(triangle->corners, cut->corners + 3 * (size_t)t, sizeof(triangle->corners));
			triangle->edges = sceneEdges(mesh, triangle->face, triangle->corners);
			for (int32_t k = 0; k < 3; ++k)
			{
				scene->indices[triangleAt][k] = (uint32_t)(vertexAt + mesh->corners[triangle->corners[k]]);
			}
			triangleAt += 1;
		}
		partAt += 1;
		vertexAt += mesh->vertexCount;
	}
	BR_ASSERT(triangleAt == scene->triangleCount && vertexAt == scene->vertexCount);
}

brResult brRenderScene_Create(const brContext* context, const brAssembly* assembly, const brRenderDef* def,
							  brRenderScene* outScene, brReport* report)
{
	brRenderScene scene = {.allocator = brContext_Allocator(context), .surfaceCount = assembly->tetMeshCount};
	SceneGather gather = {context, assembly, def, &scene, NULL, 0};
	brResult result = br_errorLimit;
	if (assembly->meshCount > INT32_MAX - assembly->tetMeshCount)
	{
		return brFail(report, result, "the assembly has more meshes than 32 bits count");
	}
	gather.cutCount = assembly->meshCount + assembly->tetMeshCount;
	gather.cuts = BR_ALLOC_ZERO(&scene.allocator, brTriangulation*, gather.cutCount);
	scene.surfaces = BR_ALLOC_ZERO(&scene.allocator, brMesh*, scene.surfaceCount);
	result = gather.cuts != NULL && scene.surfaces != NULL ? sceneCount(&gather, report) : brFailMemory(report);
	if (result >= 0)
	{
		result = sceneFrame(&gather, report);
	}
	if (result >= 0)
	{
		sceneFill(&gather);
		scene.rays = brMakeRayTree(&scene.allocator, scene.vertices, scene.later, scene.indices, scene.triangleCount);
		result = scene.rays != NULL ? br_success : brFailMemory(report);
	}
	for (int32_t i = 0; i < gather.cutCount && gather.cuts != NULL; ++i)
	{
		brDestroyTriangulation(gather.cuts[i]);
	}
	BR_FREE(&scene.allocator, gather.cuts, gather.cutCount);
	if (result < 0)
	{
		brRenderScene_Destroy(&scene);
		return result;
	}
	*outScene = scene;
	return br_success;
}

void brRenderScene_Destroy(brRenderScene* scene)
{
	brRayTree_Destroy(scene->rays);
	for (int32_t i = 0; i < scene->surfaceCount && scene->surfaces != NULL; ++i)
	{
		brDestroyMesh(scene->surfaces[i]);
	}
	BR_FREE(&scene->allocator, scene->surfaces, scene->surfaceCount);
	BR_FREE(&scene->allocator, scene->parts, scene->partCount);
	BR_FREE(&scene->allocator, scene->triangles, scene->triangleCount);
	brFreeArray(&scene->allocator, scene->indices, scene->triangleCount, sizeof(uint32_t[3]));
	brFreeArray(&scene->allocator, scene->vertices, scene->vertexCount, sizeof(float[3]));
	brFreeArray(&scene->allocator, scene->later, scene->vertexCount, sizeof(float[3]));
}
