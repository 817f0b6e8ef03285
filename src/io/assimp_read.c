// SPDX-License-Identifier: MIT

// Formats that assimp reads and we do not: FBX, COLLADA, 3MF, X3D, Blender and some older ones. The library is opened
// when such a file is met. Faces of fewer than three corners are skipped; of materials the name, the base color and the
// roughness are taken; nodes become parts with their transforms multiplied out. Animations are not read. What assimp
// gives is checked; that it survives a hostile file itself is not in our hands.

#include "io/formats.h"

#ifdef BR_HAVE_ASSIMP

#include "base/library.h"
#include "base/os.h"
#include "io/vertex_weld.h"

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <stdio.h>
#include <string.h>

// Nodes below nodes; a file that nests deeper is no scene.
#define ASSIMP_MOST_DEPTH 512

typedef struct Assimp
{
	__typeof__(aiImportFileFromMemory)* importFile;
	__typeof__(aiReleaseImport)* release;
	__typeof__(aiGetErrorString)* errorText;
	__typeof__(aiGetMaterialString)* materialString;
	__typeof__(aiGetMaterialColor)* materialColor;
	__typeof__(aiGetMaterialFloatArray)* materialFloats;
} Assimp;

static const char* const assimpNames[] = {"aiImportFileFromMemory", "aiReleaseImport",    "aiGetErrorString",
										  "aiGetMaterialString",    "aiGetMaterialColor", "aiGetMaterialFloatArray"};

static Assimp assimp;

typedef struct AssimpReader
{
	const brReadJob* job;
	const struct aiScene* scene;
	brAssembly* assembly;
	int32_t* meshes; // [mNumMeshes] index in the assembly, or -1: it has no faces
	int32_t skippedFaces;
	int64_t oddValues;
} AssimpReader;

static brSurfaceMaterial assimpMaterial(const struct aiMaterial* from)
{
	brSurfaceMaterial material = brDefaultSurfaceMaterial();
	struct aiString name;
	struct aiColor4D color;
	float roughness;
	unsigned int count = 1;
	if (assimp.materialString(from, AI_MATKEY_NAME, &name) == aiReturn_SUCCESS)
	{
		snprintf(material.name, sizeof(material.name), "%.63s", name.data);
	}
	if (assimp.materialColor(from, AI_MATKEY_COLOR_DIFFUSE, &color) == aiReturn_SUCCESS && isfinite(color.r) &&
		isfinite(color.g) && isfinite(color.b))
	{
		material.baseColor = (brVec4){color.r, color.g, color.b, 1.0f};
	}
	if (assimp.materialFloats(from, AI_MATKEY_ROUGHNESS_FACTOR, &roughness, &count) == aiReturn_SUCCESS &&
		roughness >= 0.0f && roughness <= 1.0f)
	{
		material.roughness = roughness;
	}
	return material;
}

static void assimpCounts(AssimpReader* reader, const struct aiMesh* from, brMeshShape* shape)
{
	shape->vertexCount = (int32_t)from->mNumVertices;
	for (unsigned int f = 0; f < from->mNumFaces; ++f)
	{
		bool isFace = from->mFaces[f].mNumIndices >= 3;
		shape->faceCount += isFace;
		shape->cornerCount += isFace ? (int32_t)from->mFaces[f].mNumIndices : 0;
		reader->skippedFaces += !isFace;
	}
	bool hasMaterial = from->mMaterialIndex < reader->scene->mNumMaterials;
	shape->materialCount = hasMaterial;
	shape->hasFaceMaterials = hasMaterial;
	shape->hasUvs = from->mTextureCoords[0] != NULL;
	shape->hasNormals = from->mNormals != NULL;
}

// Assimp gives a vertex of its own to each corner that has other normals: those of one place become one again.
static brResult assimpWeld(AssimpReader* reader, const struct aiMesh* from, int32_t* weld, int32_t* outCount)
{
	_Static_assert(sizeof(struct aiVector3D) == 3 * sizeof(float), "assimp's numbers are floats");
	for (unsigned int v = 0; v < from->mNumVertices; ++v)
	{
		const struct aiVector3D* p = &from->mVertices[v];
		if (!isfinite(p->x) || !isfinite(p->y) || !isfinite(p->z))
		{
			return brFail(reader->job->report, br_errorFormat, "%.100s: vertex %u is not finite", reader->job->name, v);
		}
	}
	brWeldKeys keys = {(const uint8_t*)from->mVertices, sizeof(struct aiVector3D), 3, (int32_t)from->mNumVertices};
	*outCount = brWeldVertices(&reader->job->allocator, &keys, weld);
	return *outCount >= 0 ? br_success : brFailMemory(reader->job->report);
}

static brResult assimpFillFaces(AssimpReader* reader, const struct aiMesh* from, const int32_t* weld, brMesh* mesh)
{
	int32_t face = 0, corner = 0;
	for (unsigned int f = 0; f < from->mNumFaces; ++f)
	{
		const struct aiFace* list = &from->mFaces[f];
		for (unsigned int i = 0; list->mNumIndices >= 3 && i < list->mNumIndices; ++i)
		{
			unsigned int v = list->mIndices[i];
			if (v >= from->mNumVertices)
			{
				return brFail(reader->job->report, br_errorFormat, "%.100s: a face names vertex %u, there are %u",
							  reader->job->name, v, from->mNumVertices);
			}
			mesh->corners[corner] = weld[v];
			if (mesh->uvs != NULL)
			{
				const struct aiVector3D* uv = &from->mTextureCoords[0][v];
				mesh->uvs[corner] =
					(brVec2){brFiniteOrZero(uv->x, &reader->oddValues), brFiniteOrZero(uv->y, &reader->oddValues)};
			}
			if (mesh->normals != NULL)
			{
				const struct aiVector3D* n = &from->mNormals[v];
				mesh->normals[corner] =
					(brVec3){brFiniteOrZero(n->x, &reader->oddValues), brFiniteOrZero(n->y, &reader->oddValues),
							 brFiniteOrZero(n->z, &reader->oddValues)};
			}
			corner += 1;
		}
		if (list->mNumIndices >= 3)
		{
			mesh->faceStarts[++face] = corner;
		}
	}
	return br_success;
}

static brResult assimpMesh(AssimpReader* reader, const struct aiMesh* from, int32_t* outMesh)
{
	*outMesh = -1;
	if (from->mNumVertices > INT32_MAX / 4 || from->mNumFaces > INT32_MAX / 4)
	{
		return brFail(reader->job->report, br_errorLimit, "%.100s: a mesh has more than %d elements", reader->job->name,
					  INT32_MAX / 4);
	}
	brMeshShape shape = {0};
	assimpCounts(reader, from, &shape);
	if (shape.faceCount == 0)
	{
		return br_success;
	}
	int32_t* weld = BR_ALLOC(&reader->job->allocator, int32_t, from->mNumVertices);
	brMesh* mesh = NULL;
	brResult result =
		weld != NULL ? assimpWeld(reader, from, weld, &shape.vertexCount) : brFailMemory(reader->job->report);
	if (result >= 0)
	{
		mesh = brAllocMesh(&reader->job->allocator, &shape);
		result = mesh != NULL ? br_success : brFailMemory(reader->job->report);
	}
	for (unsigned int v = 0; v < from->mNumVertices && result >= 0; ++v)
	{
		const struct aiVector3D* p = &from->mVertices[v];
		mesh->positions[weld[v]] = brMakeDVec3(p->x, p->y, p->z);
	}
	if (result >= 0)
	{
		result = assimpFillFaces(reader, from, weld, mesh);
	}
	BR_FREE(&reader->job->allocator, weld, from->mNumVertices);
	if (result >= 0 && mesh->materialCount > 0)
	{
		mesh->materials[0] = assimpMaterial(reader->scene->mMaterials[from->mMaterialIndex]);
	}
	if (result >= 0)
	{
		*outMesh = brAssembly_AddMesh(reader->assembly, mesh);
		result = *outMesh >= 0 ? br_success : brFailMemory(reader->job->report);
	}
	if (result < 0)
	{
		brDestroyMesh(mesh);
	}
	return result;
}

static brAffine assimpPlacement(const struct aiMatrix4x4* m)
{
	brAffine map;
	map.m.cx = brMakeDVec3(m->a1, m->b1, m->c1);
	map.m.cy = brMakeDVec3(m->a2, m->b2, m->c2);
	map.m.cz = brMakeDVec3(m->a3, m->b3, m->c3);
	map.p = brMakeDVec3(m->a4, m->b4, m->c4);
	return map;
}

static brResult assimpNode(AssimpReader* reader, const struct aiNode* node, const brAffine* parent, int32_t depth)
{
	if (depth > ASSIMP_MOST_DEPTH)
	{
		return brFail(reader->job->report, br_errorFormat, "%.100s: its nodes nest too deep", reader->job->name);
	}
	brAffine own = assimpPlacement(&node->mTransformation);
	brAffine placement = brAffine_Mul(parent, &own);
	for (unsigned int i = 0; i < node->mNumMeshes; ++i)
	{
		unsigned int number = node->mMeshes[i];
		if (number >= reader->scene->mNumMeshes || reader->meshes[number] < 0)
		{
			continue;
		}
		brPart part = brDefaultPart();
		part.mesh = reader->meshes[number];
		part.placement = placement;
		snprintf(part.name, sizeof(part.name), "%.63s", node->mName.data);
		if (brAssembly_AddPart(reader->assembly, NULL, &part) < 0)
		{
			return brFailMemory(reader->job->report);
		}
	}
	for (unsigned int i = 0; i < node->mNumChildren; ++i)
	{
		brResult result = assimpNode(reader, node->mChildren[i], &placement, depth + 1);
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

static brResult assimpConvert(AssimpReader* reader)
{
	const struct aiScene* scene = reader->scene;
	for (unsigned int i = 0; i < scene->mNumMeshes; ++i)
	{
		brResult result = assimpMesh(reader, scene->mMeshes[i], &reader->meshes[i]);
		if (result < 0)
		{
			return result;
		}
	}
	brAffine identity = brMakeAffineIdentity();
	return scene->mRootNode != NULL ? assimpNode(reader, scene->mRootNode, &identity, 0) : br_success;
}

#define TRIAL_SECONDS 600.0

static const struct aiScene* assimpImport(const brReadJob* job)
{
	const char* dot = strrchr(job->name, '.');
	return assimp.importFile((const char*)job->bytes, (unsigned int)job->byteCount, 0, dot != NULL ? dot + 1 : "");
}

// Assimp aborts on some files that are damaged: so each is read in a copy of the process first.
static void assimpTrial(void* job)
{
	assimpImport(job);
}

brResult brReadForeign(const brReadJob* job, brAssembly* assembly)
{
	if (!brLibrary_Find(br_libraryAssimp, assimpNames, sizeof(assimpNames) / sizeof(assimpNames[0]), &assimp,
						job->report))
	{
		return br_errorUnavailable;
	}
	if (job->byteCount > UINT32_MAX)
	{
		return brFail(job->report, br_errorLimit, "%.100s: files above 4 GB of this kind are not read", job->name);
	}
	if (job->byteCount == 0)
	{
		return brFail(job->report, br_errorFormat, "%.100s: the file is empty", job->name); // assimp would abort
	}
	if (!brOs_Survives(assimpTrial, (void*)job, TRIAL_SECONDS))
	{
		return brFail(job->report, br_errorFormat, "%.100s: assimp does not survive this file: it is damaged",
					  job->name);
	}
	AssimpReader reader = {.job = job, .assembly = assembly};
	reader.scene = assimpImport(job);
	if (reader.scene == NULL)
	{
		return brFail(job->report, br_errorFormat, "%.100s: %.200s", job->name, assimp.errorText());
	}
	unsigned int meshCount = reader.scene->mNumMeshes;
	reader.meshes = BR_ALLOC(&job->allocator, int32_t, meshCount);
	brResult result = reader.meshes != NULL ? assimpConvert(&reader) : brFailMemory(job->report);
	BR_FREE(&job->allocator, reader.meshes, meshCount);
	assimp.release(reader.scene);
	return result < 0 ? result : brRemarkRead(job, reader.oddValues, reader.skippedFaces);
}

#else

brResult brReadForeign(const brReadJob* job, brAssembly* assembly)
{
	(void)assembly;
	return brFail(job->report, br_errorUnavailable,
				  "%.100s: files of this kind are read by assimp, which this build was made without (Debian: "
				  "libassimp-dev, then build again)",
				  job->name);
}

#endif
