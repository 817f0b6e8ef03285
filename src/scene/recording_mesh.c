// SPDX-License-Identifier: MIT

// Meshes as they stand in .brec files: places in whole steps of a power of two, each as the difference from the one
// before.

#include "scene/recording_file.h"

#include "mesh/mesh_build.h"

#include <string.h>

#define BREC_POSITION_BITS 18
#define BREC_NORMAL_STEP 0x1p-12 // a 70th of a degree
#define BREC_UV_STEP 0x1p-14

enum
{
	brec_normals = 1,
	brec_uvs = 2,
	brec_colors = 4,
	brec_faceMaterials = 8,
	brec_doubles = 16,
};

// Writing

double brRecordedStep(const brMesh* mesh)
{
	double largest = 0x1p-100;
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		brDVec3 p = mesh->positions[i];
		largest = fmax(largest, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
	}
	int exponent;
	double mantissa = frexp(largest, &exponent);
	return ldexp(1.0, exponent - (mantissa == 0.5) - BREC_POSITION_BITS);
}

// A number in whole steps, as the difference from the one before.
static void brecPutStep(brByteArray* out, double value, double step, int64_t* last)
{
	double place = value / step;
	place = (place > -1e15 ? place < 1e15 ? place : 1e15 : -1e15) + 0.5;
	int64_t steps = (int64_t)place;
	steps -= (double)steps > place; // rounded down
	brByteArray_PutSigned(out, steps - *last);
	*last = steps;
}

// As they are if `step` is 0.
static void brecPutFloats(brByteArray* out, const float* values, int32_t count, double step, int64_t* last)
{
	for (int32_t i = 0; i < count; ++i)
	{
		if (step > 0.0)
		{
			brecPutStep(out, (double)values[i], step, &last[i]);
		}
		else
		{
			brByteArray_PutFloat(out, values[i]);
		}
	}
}

void brByteArray_PutMesh(brByteArray* out, const brMesh* mesh, bool isExact)
{
	uint32_t flags = (mesh->normals != NULL ? brec_normals : 0) | (mesh->uvs != NULL ? brec_uvs : 0) |
					 (mesh->colors != NULL ? brec_colors : 0) | (mesh->faceMaterials != NULL ? brec_faceMaterials : 0) |
					 (isExact ? brec_doubles : 0);
	// About what it will take.
	int64_t perCorner = 2 + (mesh->normals != NULL ? 5 : 0) + (mesh->uvs != NULL ? 4 : 0);
	out->failed =
		out->failed || !BR_RESERVE(&out->allocator, &out->bytes, 6 * mesh->vertexCount + perCorner * mesh->cornerCount);
	brByteArray_Put32(out, flags);
	brByteArray_Put32(out, (uint32_t)mesh->vertexCount);
	brByteArray_Put32(out, (uint32_t)mesh->faceCount);
	brByteArray_Put32(out, (uint32_t)mesh->cornerCount);
	brByteArray_Put32(out, (uint32_t)mesh->materialCount);
	for (int32_t i = 0; i < mesh->materialCount; ++i)
	{
		const brSurfaceMaterial* material = &mesh->materials[i];
		const float numbers[9] = {material->baseColor.x, material->baseColor.y, material->baseColor.z,
								  material->baseColor.w, material->metallic,    material->roughness,
								  material->emission.x,  material->emission.y,  material->emission.z};
		brByteArray_PutText(out, material->name);
		brByteArray_PutText(out, material->texture);
		for (int32_t k = 0; k < 9; ++k)
		{
			brByteArray_PutFloat(out, numbers[k]);
		}
	}
	double step = brRecordedStep(mesh);
	if (!isExact)
	{
		brByteArray_PutDouble(out, step);
	}
	int64_t last[3] = {0, 0, 0};
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		const double p[3] = {mesh->positions[i].x, mesh->positions[i].y, mesh->positions[i].z};
		for (int32_t k = 0; k < 3; ++k)
		{
			if (isExact)
			{
				brByteArray_PutDouble(out, p[k]);
			}
			else
			{
				brecPutStep(out, p[k], step, &last[k]);
			}
		}
	}
	for (int32_t i = 0; i < mesh->vertexCount && mesh->colors != NULL; ++i)
	{
		brByteArray_PutFloat(out, mesh->colors[i].x);
		brByteArray_PutFloat(out, mesh->colors[i].y);
		brByteArray_PutFloat(out, mesh->colors[i].z);
		brByteArray_PutFloat(out, mesh->colors[i].w);
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		brByteArray_PutCount(out, (uint64_t)brMesh_GetFaceSize(mesh, f));
		if (mesh->faceMaterials != NULL)
		{
			brByteArray_PutSigned(out, mesh->faceMaterials[f]);
		}
	}
	int32_t lastCorner = 0;
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		brByteArray_PutSigned(out, (int64_t)mesh->corners[c] - lastCorner);
		lastCorner = mesh->corners[c];
	}
	memset(last, 0, sizeof(last));
	for (int32_t c = 0; c < mesh->cornerCount && mesh->normals != NULL; ++c)
	{
		const float n[3] = {mesh->normals[c].x, mesh->normals[c].y, mesh->normals[c].z};
		brecPutFloats(out, n, 3, isExact ? 0.0 : BREC_NORMAL_STEP, last);
	}
	memset(last, 0, sizeof(last));
	for (int32_t c = 0; c < mesh->cornerCount && mesh->uvs != NULL; ++c)
	{
		const float uv[2] = {mesh->uvs[c].x, mesh->uvs[c].y};
		brecPutFloats(out, uv, 2, isExact ? 0.0 : BREC_UV_STEP, last);
	}
}

// Reading

static double brecGetStep(brByteCursor* cursor, double step, int64_t* last)
{
	*last += brByteCursor_GetSigned(cursor) % BR_RECORDING_FARTHEST;
	cursor->failed = cursor->failed || *last > BR_RECORDING_FARTHEST || *last < -BR_RECORDING_FARTHEST;
	*last = cursor->failed ? 0 : *last;
	return step * (double)*last;
}

static void brecGetFloats(brByteCursor* cursor, float* values, int32_t count, double step, int64_t* last)
{
	for (int32_t i = 0; i < count; ++i)
	{
		values[i] = step > 0.0 ? (float)brecGetStep(cursor, step, &last[i]) : brByteCursor_GetFloat(cursor);
	}
}

// All that brMesh promises is seen to.
static void brecReadMeshArrays(brByteCursor* cursor, uint32_t flags, brMesh* mesh)
{
	for (int32_t i = 0; i < mesh->materialCount; ++i)
	{
		brSurfaceMaterial* material = &mesh->materials[i];
		float numbers[9];
		memset(material, 0, sizeof(*material));
		brByteCursor_GetText(cursor, material->name, sizeof(material->name));
		brByteCursor_GetText(cursor, material->texture, sizeof(material->texture));
		for (int32_t k = 0; k < 9; ++k)
		{
			numbers[k] = brByteCursor_GetFloat(cursor);
		}
		material->baseColor = (brVec4){numbers[0], numbers[1], numbers[2], numbers[3]};
		material->metallic = numbers[4], material->roughness = numbers[5];
		material->emission = (brVec3){numbers[6], numbers[7], numbers[8]};
	}
	bool isExact = (flags & brec_doubles) != 0;
	double step = isExact ? 0.0 : brByteCursor_GetDouble(cursor), normalStep = isExact ? 0.0 : BREC_NORMAL_STEP;
	int64_t last[3] = {0, 0, 0};
	cursor->failed = cursor->failed || !(step >= 0.0 && step < 1e100);
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		double x = isExact ? brByteCursor_GetDouble(cursor) : brecGetStep(cursor, step, &last[0]);
		double y = isExact ? brByteCursor_GetDouble(cursor) : brecGetStep(cursor, step, &last[1]);
		double z = isExact ? brByteCursor_GetDouble(cursor) : brecGetStep(cursor, step, &last[2]);
		mesh->positions[i] = brMakeDVec3(x, y, z);
	}
	for (int32_t i = 0; i < mesh->vertexCount && mesh->colors != NULL; ++i)
	{
		float x = brByteCursor_GetFloat(cursor), y = brByteCursor_GetFloat(cursor), z = brByteCursor_GetFloat(cursor);
		mesh->colors[i] = (brVec4){x, y, z, brByteCursor_GetFloat(cursor)};
	}
	int64_t corner = 0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		mesh->faceStarts[f] = (int32_t)corner;
		int64_t size = brByteCursor_GetCount(cursor, mesh->cornerCount);
		corner += size;
		cursor->failed = cursor->failed || size < 3 || corner > mesh->cornerCount;
		corner = cursor->failed ? 0 : corner;
		if (mesh->faceMaterials != NULL)
		{
			int64_t material = brByteCursor_GetSigned(cursor);
			cursor->failed = cursor->failed || material < -1 || material >= mesh->materialCount;
			mesh->faceMaterials[f] = cursor->failed ? 0 : (int32_t)material;
		}
	}
	mesh->faceStarts[mesh->faceCount] = (int32_t)corner;
	cursor->failed = cursor->failed || corner != mesh->cornerCount;
	int64_t lastCorner = 0;
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		lastCorner += brByteCursor_GetSigned(cursor) % BR_RECORDING_FARTHEST;
		cursor->failed = cursor->failed || lastCorner < 0 || lastCorner >= mesh->vertexCount;
		lastCorner = cursor->failed ? 0 : lastCorner;
		mesh->corners[c] = (int32_t)lastCorner;
	}
	memset(last, 0, sizeof(last));
	for (int32_t c = 0; c < mesh->cornerCount && mesh->normals != NULL; ++c)
	{
		float n[3];
		brecGetFloats(cursor, n, 3, normalStep, last);
		brVec3 normal = {n[0], n[1], n[2]};
		mesh->normals[c] = isExact ? normal : brNormalize(normal);
	}
	memset(last, 0, sizeof(last));
	for (int32_t c = 0; c < mesh->cornerCount && mesh->uvs != NULL; ++c)
	{
		float uv[2];
		brecGetFloats(cursor, uv, 2, isExact ? 0.0 : BREC_UV_STEP, last);
		mesh->uvs[c] = (brVec2){uv[0], uv[1]};
	}
}

// The counts at the head of a mesh.
typedef struct BrecHead
{
	uint32_t flags;
	int32_t vertices, faces, corners, materials;
} BrecHead;

static BrecHead brecGetHead(brByteCursor* cursor)
{
	BrecHead head = {.flags = brByteCursor_Get32(cursor)};
	// The bytes each of them takes at the least, so that no count allocates more than the file could hold.
	head.vertices = brByteCursor_GetSize(cursor, head.flags & brec_doubles ? 24 : 3);
	head.faces = brByteCursor_GetSize(cursor, 1);
	head.corners =
		brByteCursor_GetSize(cursor, 1u + (head.flags & brec_normals ? 3u : 0u) + (head.flags & brec_uvs ? 2u : 0u));
	head.materials = brByteCursor_GetSize(cursor, 38);
	return head;
}

void brByteCursor_SkipMesh(brByteCursor* cursor)
{
	BrecHead head = brecGetHead(cursor);
	for (int32_t i = 0; i < head.materials && !cursor->failed; ++i)
	{
		char text[sizeof((brSurfaceMaterial){0}.texture)];
		brByteCursor_GetText(cursor, text, sizeof((brSurfaceMaterial){0}.name));
		brByteCursor_GetText(cursor, text, sizeof(text));
		brByteCursor_Skip(cursor, 36);
	}
	int64_t perCorner = (head.flags & brec_normals ? 3 : 0) + (head.flags & brec_uvs ? 2 : 0);
	bool isExact = (head.flags & brec_doubles) != 0;
	brByteCursor_Skip(cursor, isExact ? 24 * (uint64_t)head.vertices : 8);
	brByteCursor_SkipCounts(cursor, isExact ? 0 : 3 * (int64_t)head.vertices);
	brByteCursor_Skip(cursor, head.flags & brec_colors ? 16 * (uint64_t)head.vertices : 0);
	brByteCursor_SkipCounts(cursor, (head.flags & brec_faceMaterials ? 2 : 1) * (int64_t)head.faces + head.corners);
	brByteCursor_Skip(cursor, isExact ? 4 * (uint64_t)(perCorner * head.corners) : 0);
	brByteCursor_SkipCounts(cursor, isExact ? 0 : perCorner * head.corners);
}

brResult brByteCursor_GetMesh(brByteCursor* cursor, const brContext* context, brMesh** outMesh)
{
	BrecHead head = brecGetHead(cursor);
	if (cursor->failed)
	{
		return br_errorFormat;
	}
	brMeshShape shape = {.vertexCount = head.vertices,
						 .faceCount = head.faces,
						 .cornerCount = head.corners,
						 .materialCount = head.materials,
						 .hasUvs = (head.flags & brec_uvs) != 0,
						 .hasNormals = (head.flags & brec_normals) != 0,
						 .hasColors = (head.flags & brec_colors) != 0,
						 .hasFaceMaterials = (head.flags & brec_faceMaterials) != 0};
	brAllocator allocator = brContext_Allocator(context);
	brMesh* mesh = brAllocMesh(&allocator, &shape);
	if (mesh == NULL)
	{
		return br_errorMemory;
	}
	brecReadMeshArrays(cursor, head.flags, mesh);
	if (cursor->failed)
	{
		brDestroyMesh(mesh);
		return br_errorFormat;
	}
	*outMesh = mesh;
	return br_success;
}
