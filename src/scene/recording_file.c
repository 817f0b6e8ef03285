// SPDX-License-Identifier: MIT

// .brec files. Numbers are little-endian; counts and steps are variable-length: seven bits a byte, lowest first, the high bit
// says that more follow; signed ones are folded (0, -1, 1, -2...) first.
//
//     header | meshes | bodies | frames with their keys | breaks
//
// A reader needs no more than a cursor: every part says its size before it comes, and nothing points backwards but by index.

#include "scene/recording_file.h"

#include "base/assert.h"
#include "base/hash.h"
#include "io/bytes.h"
#include "io/file.h"

#include <string.h>

#define BREC_MAGIC 0x43455242u // "BREC"
#define BREC_VERSION 1
#define BREC_HEADER 64
#define BREC_POSITION_BITS 18
#define BREC_NORMAL_STEP 0x1p-12 // a 70th of a degree
#define BREC_UV_STEP 0x1p-14
#define BREC_FARTHEST ((int64_t)1 << 52) // steps; differences of a damaged file are cut to it

enum
{
	brec_normals = 1,
	brec_uvs = 2,
	brec_colors = 4,
	brec_faceMaterials = 8,
	brec_doubles = 16,
};

// Writing

void brByteArray_Add(brByteArray* array, const void* bytes, size_t byteCount)
{
	if (byteCount == 0 || array->failed)
	{
		return;
	}
	if (byteCount > INT32_MAX || !BR_RESERVE(&array->allocator, &array->bytes, (int64_t)byteCount))
	{
		array->failed = true;
		return;
	}
	memcpy(array->bytes.data + array->bytes.count, bytes, byteCount);
	array->bytes.count += (int32_t)byteCount;
}

void brByteArray_Destroy(brByteArray* array)
{
	BR_FREE_ARRAY(&array->allocator, &array->bytes);
}

static void brecPut32(brByteArray* out, uint32_t value)
{
	uint8_t bytes[4];
	brStore32(bytes, value, brIsBigEndianHost());
	brByteArray_Add(out, bytes, sizeof(bytes));
}

static void brecPut64(brByteArray* out, uint64_t value)
{
	brecPut32(out, (uint32_t)value);
	brecPut32(out, (uint32_t)(value >> 32));
}

static void brecPutFloat(brByteArray* out, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	brecPut32(out, bits);
}

static void brecPutDouble(brByteArray* out, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	brecPut64(out, bits);
}

static void brecPutCount(brByteArray* out, uint64_t value)
{
	uint8_t bytes[10];
	size_t count = 0;
	do
	{
		bytes[count++] = (uint8_t)((value & 127) | (value > 127 ? 128 : 0));
		value >>= 7;
	} while (value > 0);
	brByteArray_Add(out, bytes, count);
}

static void brecPutSigned(brByteArray* out, int64_t value)
{
	brecPutCount(out, value < 0 ? ((uint64_t) - (value + 1) << 1) | 1 : (uint64_t)value << 1);
}

static void brecPutText(brByteArray* out, const char* text)
{
	size_t length = strlen(text);
	brecPutCount(out, length);
	brByteArray_Add(out, text, length);
}

// A power of two that cuts the mesh's longest side, or its distance from the origin if that is more, into 2^17 to 2^18 steps.
static double brecStep(const brMesh* mesh)
{
	double largest = 0x1p-100;
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		brDVec3 p = mesh->positions[i];
		largest = fmax(largest, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
	}
	int exponent;
	frexp(largest, &exponent);
	return ldexp(1.0, exponent - BREC_POSITION_BITS);
}

// A number in whole steps, as the difference from the one before.
static void brecPutStep(brByteArray* out, double value, double step, int64_t* last)
{
	int64_t steps = (int64_t)floor(fmin(fmax(value / step, -1e15), 1e15) + 0.5);
	brecPutSigned(out, steps - *last);
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
			brecPutFloat(out, values[i]);
		}
	}
}

static void brecPutMesh(brByteArray* out, const brMesh* mesh, bool isExact)
{
	uint32_t flags = (mesh->normals != NULL ? brec_normals : 0) | (mesh->uvs != NULL ? brec_uvs : 0) |
					 (mesh->colors != NULL ? brec_colors : 0) | (mesh->faceMaterials != NULL ? brec_faceMaterials : 0) |
					 (isExact ? brec_doubles : 0);
	brecPut32(out, flags);
	brecPut32(out, (uint32_t)mesh->vertexCount);
	brecPut32(out, (uint32_t)mesh->faceCount);
	brecPut32(out, (uint32_t)mesh->cornerCount);
	brecPut32(out, (uint32_t)mesh->materialCount);
	for (int32_t i = 0; i < mesh->materialCount; ++i)
	{
		const brSurfaceMaterial* material = &mesh->materials[i];
		const float numbers[9] = {material->baseColor.x, material->baseColor.y, material->baseColor.z,
								  material->baseColor.w, material->metallic,    material->roughness,
								  material->emission.x,  material->emission.y,  material->emission.z};
		brecPutText(out, material->name);
		brecPutText(out, material->texture);
		for (int32_t k = 0; k < 9; ++k)
		{
			brecPutFloat(out, numbers[k]);
		}
	}
	double step = brecStep(mesh);
	if (!isExact)
	{
		brecPutDouble(out, step);
	}
	int64_t last[3] = {0, 0, 0};
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		const double p[3] = {mesh->positions[i].x, mesh->positions[i].y, mesh->positions[i].z};
		for (int32_t k = 0; k < 3; ++k)
		{
			if (isExact)
			{
				brecPutDouble(out, p[k]);
			}
			else
			{
				brecPutStep(out, p[k], step, &last[k]);
			}
		}
	}
	for (int32_t i = 0; i < mesh->vertexCount && mesh->colors != NULL; ++i)
	{
		brecPutFloat(out, mesh->colors[i].x);
		brecPutFloat(out, mesh->colors[i].y);
		brecPutFloat(out, mesh->colors[i].z);
		brecPutFloat(out, mesh->colors[i].w);
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		brecPutCount(out, (uint64_t)brMesh_FaceSize(mesh, f));
		if (mesh->faceMaterials != NULL)
		{
			brecPutSigned(out, mesh->faceMaterials[f]);
		}
	}
	int32_t lastCorner = 0;
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		brecPutSigned(out, (int64_t)mesh->corners[c] - lastCorner);
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

static void brecPutBody(brByteArray* out, const brRecordedBody* body)
{
	brecPutText(out, body->name);
	brecPutCount(out, (uint64_t)body->mesh);
	brecPutSigned(out, body->parent);
	brecPutCount(out, (uint64_t)body->bornFrame);
	brecPutCount(out, body->goneFrame == INT32_MAX ? 0 : (uint64_t)body->goneFrame + 1);
	brecPutCount(out, (uint64_t)body->kind);
}

static void brecPutFrames(brByteArray* out, const brRecording* recording, brRecordedPose* last)
{
	for (int32_t f = 0; f < recording->frameCount; ++f)
	{
		const brRecordedFrame* frame = &recording->frames[f];
		int32_t end = f + 1 < recording->frameCount ? recording->frames[f + 1].firstKey : recording->keyCount;
		brecPutCount(out, (uint64_t)frame->bodies);
		brecPutCount(out, (uint64_t)frame->awake);
		brecPutCount(out, (uint64_t)frame->contacts);
		brecPutFloat(out, frame->kinetic);
		brecPutFloat(out, frame->potential);
		brecPutFloat(out, frame->stepSeconds);
		brecPutCount(out, (uint64_t)(end - frame->firstKey));
		int32_t before = -1;
		for (int32_t k = frame->firstKey; k < end; ++k)
		{
			const brRecordedKey* key = &recording->keys[k];
			brRecordedPose* old = &last[key->body];
			brecPutCount(out, (uint64_t)(key->body - before - 1));
			before = key->body;
			for (int32_t i = 0; i < 3; ++i)
			{
				brecPutSigned(out, (int64_t)key->pose.position[i] - old->position[i]);
			}
			for (int32_t i = 0; i < 4; ++i)
			{
				brecPutSigned(out, (int64_t)key->pose.rotation[i] - old->rotation[i]);
			}
			*old = key->pose;
		}
	}
}

bool brRecording_Write(const brRecording* recording, bool isExact, brByteArray* out)
{
	brRecordedPose* last = BR_ALLOC_ZERO(&out->allocator, brRecordedPose, recording->bodyCount);
	if (last == NULL)
	{
		return false;
	}
	int32_t start = out->bytes.count;
	uint8_t header[BREC_HEADER] = {0};
	brByteArray_Add(out, header, sizeof(header));
	for (int32_t i = 0; i < recording->meshCount; ++i)
	{
		brecPutMesh(out, recording->meshes[i], isExact);
	}
	for (int32_t i = 0; i < recording->bodyCount; ++i)
	{
		brecPutBody(out, &recording->bodies[i]);
	}
	brecPutFrames(out, recording, last);
	for (int32_t i = 0; i < recording->breakCount; ++i)
	{
		const brRecordedBreak* what = &recording->breaks[i];
		brecPutCount(out, (uint64_t)what->frame);
		brecPutSigned(out, what->body);
		brecPutCount(out, (uint64_t)what->pieces);
		brecPutFloat(out, what->point[0]);
		brecPutFloat(out, what->point[1]);
		brecPutFloat(out, what->point[2]);
		brecPutFloat(out, what->energy);
	}
	BR_FREE(&out->allocator, last, recording->bodyCount);

	// The header again, now that the size and the hash of what follows are known.
	brByteArray whole = {.allocator = out->allocator};
	int32_t bodyBytes = out->bytes.count - start - BREC_HEADER;
	brecPut32(&whole, BREC_MAGIC);
	brecPut32(&whole, BREC_VERSION);
	brecPut64(&whole, (uint64_t)bodyBytes);
	brecPut64(&whole,
			  out->failed ? 0 : brHashBytes(BR_HASH_SEED, out->bytes.data + start + BREC_HEADER, (size_t)bodyBytes));
	brecPutDouble(&whole, recording->frameRate);
	brecPutDouble(&whole, BR_RECORDING_UNIT);
	brecPut32(&whole, (uint32_t)recording->meshCount);
	brecPut32(&whole, (uint32_t)recording->bodyCount);
	brecPut32(&whole, (uint32_t)recording->frameCount);
	brecPut32(&whole, (uint32_t)recording->keyCount);
	brecPut32(&whole, (uint32_t)recording->breakCount);
	brecPut32(&whole, 0);
	bool done = !whole.failed && !out->failed;
	if (done)
	{
		BR_ASSERT(whole.bytes.count == BREC_HEADER);
		memcpy(out->bytes.data + start, whole.bytes.data, BREC_HEADER);
	}
	brByteArray_Destroy(&whole);
	return done;
}

brResult brSaveRecording(const brContext* context, const brRecording* recording, const char* path, brReport* report)
{
	if (recording == NULL || path == NULL)
	{
		return brFail(report, br_errorMisuse, "a recording file needs a recording and a path");
	}
	brByteArray bytes = {.allocator = brContext_Allocator(context)};
	brOutput output;
	brResult result = brRecording_Write(recording, false, &bytes) ? br_success : brFailMemory(report);
	result = result < 0 ? result : brOutput_Open(&output, &bytes.allocator, path, report);
	if (result >= 0)
	{
		brOutput_Write(&output, bytes.bytes.data, (size_t)bytes.bytes.count);
		result = brOutput_Commit(&output, report);
	}
	brByteArray_Destroy(&bytes);
	return result;
}

// Reading

typedef struct BrecCursor
{
	const uint8_t* at;
	const uint8_t* end;
	bool failed; // the bytes ended or a number was out of range; later reads give 0
} BrecCursor;

static bool brecHas(BrecCursor* cursor, uint64_t byteCount)
{
	cursor->failed = cursor->failed || (uint64_t)(cursor->end - cursor->at) < byteCount;
	return !cursor->failed;
}

static uint32_t brecGet32(BrecCursor* cursor)
{
	uint32_t value = 0;
	if (brecHas(cursor, 4))
	{
		value = brLoad32(cursor->at, brIsBigEndianHost());
		cursor->at += 4;
	}
	return value;
}

static uint64_t brecGet64(BrecCursor* cursor)
{
	uint64_t low = brecGet32(cursor);
	return low | (uint64_t)brecGet32(cursor) << 32;
}

static float brecGetFloat(BrecCursor* cursor)
{
	uint32_t bits = brecGet32(cursor);
	float value;
	memcpy(&value, &bits, sizeof(value));
	cursor->failed = cursor->failed || !isfinite(value);
	return cursor->failed ? 0.0f : value;
}

static double brecGetDouble(BrecCursor* cursor)
{
	uint64_t bits = brecGet64(cursor);
	double value;
	memcpy(&value, &bits, sizeof(value));
	cursor->failed = cursor->failed || !isfinite(value);
	return cursor->failed ? 0.0 : value;
}

// A count of at most `limit`.
static int64_t brecGetCount(BrecCursor* cursor, int64_t limit)
{
	uint64_t value = 0;
	for (int32_t shift = 0; shift < 63; shift += 7)
	{
		if (!brecHas(cursor, 1))
		{
			return 0;
		}
		uint8_t byte = *cursor->at++;
		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
		{
			cursor->failed = value > (uint64_t)limit;
			return cursor->failed ? 0 : (int64_t)value;
		}
	}
	cursor->failed = true;
	return 0;
}

static int64_t brecGetSigned(BrecCursor* cursor)
{
	int64_t folded = brecGetCount(cursor, INT64_MAX / 2);
	return folded & 1 ? -(folded >> 1) - 1 : folded >> 1;
}

static double brecGetStep(BrecCursor* cursor, double step, int64_t* last)
{
	*last += brecGetSigned(cursor) % BREC_FARTHEST;
	cursor->failed = cursor->failed || *last > BREC_FARTHEST || *last < -BREC_FARTHEST;
	*last = cursor->failed ? 0 : *last;
	return step * (double)*last;
}

static void brecGetFloats(BrecCursor* cursor, float* values, int32_t count, double step, int64_t* last)
{
	for (int32_t i = 0; i < count; ++i)
	{
		values[i] = step > 0.0 ? (float)brecGetStep(cursor, step, &last[i]) : brecGetFloat(cursor);
	}
}

static void brecGetText(BrecCursor* cursor, char* text, size_t capacity)
{
	int64_t length = brecGetCount(cursor, (int64_t)capacity - 1);
	memset(text, 0, capacity);
	if (brecHas(cursor, (uint64_t)length) && length > 0)
	{
		memcpy(text, cursor->at, (size_t)length);
		cursor->at += length;
	}
}

// A count in 32 bits of things that take at least `least` bytes each.
static int32_t brecGetSize(BrecCursor* cursor, uint64_t least)
{
	uint32_t count = brecGet32(cursor);
	cursor->failed = cursor->failed || count > INT32_MAX || !brecHas(cursor, count * least);
	return cursor->failed ? 0 : (int32_t)count;
}

// Arrays of a mesh while it is read.
typedef struct BrecMesh
{
	brMeshDef def;
	brSurfaceMaterial* materials;
	brDVec3* positions;
	brVec4* colors;
	int32_t* faceStarts;
	int32_t* faceMaterials;
	int32_t* corners;
	brVec3* normals;
	brVec2* uvs;
} BrecMesh;

static void brecReadMeshArrays(BrecCursor* cursor, uint32_t flags, int32_t cornerCount, BrecMesh* mesh)
{
	for (int32_t i = 0; i < mesh->def.materialCount; ++i)
	{
		brSurfaceMaterial* material = &mesh->materials[i];
		float numbers[9];
		memset(material, 0, sizeof(*material));
		brecGetText(cursor, material->name, sizeof(material->name));
		brecGetText(cursor, material->texture, sizeof(material->texture));
		for (int32_t k = 0; k < 9; ++k)
		{
			numbers[k] = brecGetFloat(cursor);
		}
		material->baseColor = (brVec4){numbers[0], numbers[1], numbers[2], numbers[3]};
		material->metallic = numbers[4], material->roughness = numbers[5];
		material->emission = (brVec3){numbers[6], numbers[7], numbers[8]};
	}
	bool isExact = (flags & brec_doubles) != 0;
	double step = isExact ? 0.0 : brecGetDouble(cursor), normalStep = isExact ? 0.0 : BREC_NORMAL_STEP;
	int64_t last[3] = {0, 0, 0};
	cursor->failed = cursor->failed || !(step >= 0.0 && step < 1e100);
	for (int32_t i = 0; i < mesh->def.vertexCount; ++i)
	{
		double x = isExact ? brecGetDouble(cursor) : brecGetStep(cursor, step, &last[0]);
		double y = isExact ? brecGetDouble(cursor) : brecGetStep(cursor, step, &last[1]);
		double z = isExact ? brecGetDouble(cursor) : brecGetStep(cursor, step, &last[2]);
		mesh->positions[i] = brMakeDVec3(x, y, z);
	}
	for (int32_t i = 0; i < mesh->def.vertexCount && mesh->colors != NULL; ++i)
	{
		float x = brecGetFloat(cursor), y = brecGetFloat(cursor), z = brecGetFloat(cursor);
		mesh->colors[i] = (brVec4){x, y, z, brecGetFloat(cursor)};
	}
	int64_t corner = 0;
	for (int32_t f = 0; f < mesh->def.faceCount; ++f)
	{
		mesh->faceStarts[f] = (int32_t)corner;
		corner += brecGetCount(cursor, cornerCount);
		cursor->failed = cursor->failed || corner > cornerCount;
		corner = cursor->failed ? 0 : corner;
		if (mesh->faceMaterials != NULL)
		{
			int64_t material = brecGetSigned(cursor);
			cursor->failed = cursor->failed || material < -1 || material >= mesh->def.materialCount;
			mesh->faceMaterials[f] = cursor->failed ? 0 : (int32_t)material;
		}
	}
	mesh->faceStarts[mesh->def.faceCount] = (int32_t)corner;
	cursor->failed = cursor->failed || corner != cornerCount;
	int64_t lastCorner = 0;
	for (int32_t c = 0; c < cornerCount; ++c)
	{
		lastCorner += brecGetSigned(cursor) % BREC_FARTHEST;
		cursor->failed = cursor->failed || lastCorner < 0 || lastCorner >= mesh->def.vertexCount;
		lastCorner = cursor->failed ? 0 : lastCorner;
		mesh->corners[c] = (int32_t)lastCorner;
	}
	memset(last, 0, sizeof(last));
	for (int32_t c = 0; c < cornerCount && mesh->normals != NULL; ++c)
	{
		float n[3];
		brecGetFloats(cursor, n, 3, normalStep, last);
		brVec3 normal = {n[0], n[1], n[2]};
		mesh->normals[c] = isExact ? normal : brNormalize(normal);
	}
	memset(last, 0, sizeof(last));
	for (int32_t c = 0; c < cornerCount && mesh->uvs != NULL; ++c)
	{
		float uv[2];
		brecGetFloats(cursor, uv, 2, isExact ? 0.0 : BREC_UV_STEP, last);
		mesh->uvs[c] = (brVec2){uv[0], uv[1]};
	}
}

static brResult brecReadMesh(const brContext* context, BrecCursor* cursor, brMesh** outMesh, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	BrecMesh mesh = {.def = brDefaultMeshDef()};
	uint32_t flags = brecGet32(cursor);
	// The bytes each of them takes at the least, so that no count allocates more than the file could hold.
	bool hasNormals = (flags & brec_normals) != 0, hasUvs = (flags & brec_uvs) != 0;
	mesh.def.vertexCount = brecGetSize(cursor, flags & brec_doubles ? 24 : 3);
	mesh.def.faceCount = brecGetSize(cursor, 1);
	int32_t cornerCount = brecGetSize(cursor, 1u + (hasNormals ? 3u : 0u) + (hasUvs ? 2u : 0u));
	mesh.def.materialCount = brecGetSize(cursor, 38);
	int32_t vertexCount = mesh.def.vertexCount, faceCount = mesh.def.faceCount, materialCount = mesh.def.materialCount;
	if (cursor->failed)
	{
		return br_errorFormat;
	}
	bool hasColors = (flags & brec_colors) != 0, hasMaterials = (flags & brec_faceMaterials) != 0;
	mesh.materials = BR_ALLOC(&allocator, brSurfaceMaterial, materialCount);
	mesh.positions = BR_ALLOC(&allocator, brDVec3, vertexCount);
	mesh.colors = hasColors ? BR_ALLOC(&allocator, brVec4, vertexCount) : NULL;
	mesh.faceStarts = BR_ALLOC(&allocator, int32_t, (int64_t)faceCount + 1);
	mesh.faceMaterials = hasMaterials ? BR_ALLOC(&allocator, int32_t, faceCount) : NULL;
	mesh.corners = BR_ALLOC(&allocator, int32_t, cornerCount);
	mesh.normals = hasNormals ? BR_ALLOC(&allocator, brVec3, cornerCount) : NULL;
	mesh.uvs = hasUvs ? BR_ALLOC(&allocator, brVec2, cornerCount) : NULL;
	bool isReady = mesh.materials != NULL && mesh.positions != NULL && mesh.faceStarts != NULL &&
				   mesh.corners != NULL && (!hasColors || mesh.colors != NULL) &&
				   (!hasMaterials || mesh.faceMaterials != NULL) && (!hasNormals || mesh.normals != NULL) &&
				   (!hasUvs || mesh.uvs != NULL);
	brResult result = isReady ? br_success : brFailMemory(report);
	if (isReady)
	{
		brecReadMeshArrays(cursor, flags, cornerCount, &mesh);
		result = cursor->failed ? br_errorFormat : br_success;
	}
	if (result >= 0)
	{
		mesh.def.positions = mesh.positions, mesh.def.faceStarts = mesh.faceStarts, mesh.def.corners = mesh.corners;
		mesh.def.colors = mesh.colors, mesh.def.normals = mesh.normals, mesh.def.uvs = mesh.uvs;
		mesh.def.materials = mesh.materials, mesh.def.faceMaterials = mesh.faceMaterials;
		result = brCreateMesh(context, &mesh.def, outMesh, report);
		result = result < 0 && result != br_errorMemory ? br_errorFormat : result;
	}
	BR_FREE(&allocator, mesh.materials, materialCount);
	BR_FREE(&allocator, mesh.positions, vertexCount);
	BR_FREE(&allocator, mesh.colors, vertexCount);
	BR_FREE(&allocator, mesh.faceStarts, (int64_t)faceCount + 1);
	BR_FREE(&allocator, mesh.faceMaterials, faceCount);
	BR_FREE(&allocator, mesh.corners, cornerCount);
	BR_FREE(&allocator, mesh.normals, cornerCount);
	BR_FREE(&allocator, mesh.uvs, cornerCount);
	return result;
}

typedef struct BrecCounts
{
	int32_t meshes, bodies, frames, keys, breaks;
} BrecCounts;

static brResult brecReadBodies(BrecCursor* cursor, const BrecCounts* counts, brRecording* recording)
{
	for (int32_t i = 0; i < counts->bodies; ++i)
	{
		brRecordedBody body;
		memset(&body, 0, sizeof(body));
		brecGetText(cursor, body.name, sizeof(body.name));
		body.mesh = (int32_t)brecGetCount(cursor, (int64_t)counts->meshes - 1);
		int64_t parent = brecGetSigned(cursor);
		body.bornFrame = (int32_t)brecGetCount(cursor, (int64_t)counts->frames - 1);
		int64_t gone = brecGetCount(cursor, (int64_t)counts->frames + 1);
		body.kind = (int32_t)brecGetCount(cursor, br_recordedGround);
		bool isGood = parent >= -1 && parent < i && (gone == 0 || gone - 1 >= body.bornFrame) &&
					  (i == 0 || body.bornFrame >= recording->bodies[i - 1].bornFrame);
		if (cursor->failed || !isGood)
		{
			return br_errorFormat;
		}
		body.parent = (int32_t)parent;
		body.goneFrame = gone == 0 ? INT32_MAX : (int32_t)gone - 1;
		recording->bodies[recording->bodyCount++] = body;
	}
	return br_success;
}

static bool brecReadPose(BrecCursor* cursor, brRecordedPose* pose)
{
	for (int32_t i = 0; i < 3; ++i)
	{
		int64_t value = pose->position[i] + brecGetSigned(cursor) % BREC_FARTHEST;
		cursor->failed = cursor->failed || value < -INT32_MAX || value > INT32_MAX;
		pose->position[i] = cursor->failed ? 0 : (int32_t)value;
	}
	for (int32_t i = 0; i < 4; ++i)
	{
		int64_t value = pose->rotation[i] + brecGetSigned(cursor) % BREC_FARTHEST;
		cursor->failed = cursor->failed || value < -INT16_MAX || value > INT16_MAX;
		pose->rotation[i] = cursor->failed ? (int16_t)0 : (int16_t)value;
	}
	return !cursor->failed;
}

// Poses as they are changed; a body's first key is in the frame in which it is born, and there are none after its end.
static brResult brecReadFrames(BrecCursor* cursor, const BrecCounts* counts, brRecording* recording)
{
	int32_t born = 0; // bodies whose first key was read
	for (int32_t f = 0; f < counts->frames; ++f)
	{
		brRecordedFrame frame = {.firstKey = recording->keyCount};
		frame.bodies = (int32_t)brecGetCount(cursor, INT32_MAX);
		frame.awake = (int32_t)brecGetCount(cursor, INT32_MAX);
		frame.contacts = (int32_t)brecGetCount(cursor, INT32_MAX);
		frame.kinetic = brecGetFloat(cursor);
		frame.potential = brecGetFloat(cursor);
		frame.stepSeconds = brecGetFloat(cursor);
		int64_t keyCount = brecGetCount(cursor, (int64_t)counts->keys - recording->keyCount);
		recording->frames[recording->frameCount++] = frame;
		int64_t body = -1;
		for (int64_t k = 0; k < keyCount && !cursor->failed; ++k)
		{
			body += 1 + brecGetCount(cursor, counts->bodies);
			if (cursor->failed || body >= counts->bodies)
			{
				return br_errorFormat;
			}
			brRecordedBody* what = &recording->bodies[body];
			bool isBirth = body == born && what->bornFrame == f;
			if ((!isBirth && body >= born) || f >= (int64_t)what->goneFrame + (isBirth ? 1 : 0))
			{
				return br_errorFormat;
			}
			born += isBirth ? 1 : 0;
			if (!brecReadPose(cursor, &what->pose))
			{
				return br_errorFormat;
			}
			recording->keys[recording->keyCount++] = (brRecordedKey){(int32_t)body, what->pose};
		}
		if (cursor->failed)
		{
			return br_errorFormat;
		}
	}
	return born == counts->bodies && recording->keyCount == counts->keys ? br_success : br_errorFormat;
}

static brResult brecReadBreaks(BrecCursor* cursor, const BrecCounts* counts, brRecording* recording)
{
	for (int32_t i = 0; i < counts->breaks; ++i)
	{
		brRecordedBreak what = {0};
		what.frame = (int32_t)brecGetCount(cursor, (int64_t)counts->frames - 1);
		int64_t body = brecGetSigned(cursor);
		what.pieces = (int32_t)brecGetCount(cursor, INT32_MAX);
		what.point[0] = brecGetFloat(cursor);
		what.point[1] = brecGetFloat(cursor);
		what.point[2] = brecGetFloat(cursor);
		what.energy = brecGetFloat(cursor);
		if (cursor->failed || body < -1 || body >= counts->bodies)
		{
			return br_errorFormat;
		}
		what.body = (int32_t)body;
		recording->breaks[recording->breakCount++] = what;
	}
	return cursor->at == cursor->end ? br_success : br_errorFormat;
}

static bool brecAllocate(brRecording* recording, const BrecCounts* counts)
{
	const brAllocator* allocator = &recording->allocator;
	recording->meshes = BR_ALLOC(allocator, brMesh*, counts->meshes);
	recording->meshCapacity = recording->meshes != NULL ? counts->meshes : 0;
	recording->bodies = BR_ALLOC(allocator, brRecordedBody, counts->bodies);
	recording->bodyCapacity = recording->bodies != NULL ? counts->bodies : 0;
	recording->frames = BR_ALLOC(allocator, brRecordedFrame, counts->frames);
	recording->frameCapacity = recording->frames != NULL ? counts->frames : 0;
	recording->keys = BR_ALLOC(allocator, brRecordedKey, counts->keys);
	recording->keyCapacity = recording->keys != NULL ? counts->keys : 0;
	recording->breaks = BR_ALLOC(allocator, brRecordedBreak, counts->breaks);
	recording->breakCapacity = recording->breaks != NULL ? counts->breaks : 0;
	return recording->meshes != NULL && recording->bodies != NULL && recording->frames != NULL &&
		   recording->keys != NULL && recording->breaks != NULL;
}

brResult brReadRecording(const brContext* context, const void* bytes, size_t byteCount, const char* name,
						 brRecording** outRecording, brReport* report)
{
	if (bytes == NULL || outRecording == NULL)
	{
		return brFail(report, br_errorMisuse, "a recording needs bytes");
	}
	name = name != NULL ? name : "recording";
	BrecCursor cursor = {bytes, (const uint8_t*)bytes + byteCount, false};
	uint32_t magic = brecGet32(&cursor), version = brecGet32(&cursor);
	uint64_t size = brecGet64(&cursor), hash = brecGet64(&cursor);
	double frameRate = brecGetDouble(&cursor), unit = brecGetDouble(&cursor);
	if (cursor.failed || magic != BREC_MAGIC)
	{
		return brFail(report, br_errorFormat, "%s: this is no recording (.brec)", name);
	}
	if (version != BREC_VERSION || unit != BR_RECORDING_UNIT)
	{
		return brFail(report, br_errorUnsupported, "%s: version %u of .brec files is not known here", name, version);
	}
	if (byteCount < BREC_HEADER || size != byteCount - BREC_HEADER ||
		hash != brHashBytes(BR_HASH_SEED, (const uint8_t*)bytes + BREC_HEADER, byteCount - BREC_HEADER))
	{
		return brFail(report, br_errorFormat, "%s: the recording is cut off or damaged", name);
	}
	// The bytes that each takes at the least; a mesh takes 20, a body 6, a frame 16, a key 8, a break 19.
	BrecCounts counts;
	counts.meshes = brecGetSize(&cursor, 20);
	counts.bodies = brecGetSize(&cursor, 6);
	counts.frames = brecGetSize(&cursor, 16);
	counts.keys = brecGetSize(&cursor, 8);
	counts.breaks = brecGetSize(&cursor, 19);
	brecGet32(&cursor);
	if (cursor.failed || !(frameRate > 0.0))
	{
		return brFail(report, br_errorFormat, "%s: a count in the header of the recording is too large", name);
	}
	brRecording* recording = brCreateRecording(context, frameRate);
	bool isReady = recording != NULL && brecAllocate(recording, &counts);
	brResult result = isReady ? br_success : brFailMemory(report);
	for (int32_t i = 0; i < counts.meshes && result >= 0; ++i)
	{
		result = brecReadMesh(context, &cursor, &recording->meshes[i], report);
		recording->meshCount += result >= 0;
	}
	result = result < 0 ? result : brecReadBodies(&cursor, &counts, recording);
	result = result < 0 ? result : brecReadFrames(&cursor, &counts, recording);
	result = result < 0 ? result : brecReadBreaks(&cursor, &counts, recording);
	if (result < 0)
	{
		brDestroyRecording(recording);
		return result == br_errorMemory
				   ? brFailMemory(report)
				   : brFail(report, br_errorFormat, "%s: byte %lld: the recording breaks its own rules", name,
							(long long)(cursor.at - (const uint8_t*)bytes));
	}
	*outRecording = recording;
	return brSucceed(report);
}

brResult brLoadRecording(const brContext* context, const char* path, brRecording** outRecording, brReport* report)
{
	if (path == NULL || outRecording == NULL)
	{
		return brFail(report, br_errorMisuse, "a recording needs a path");
	}
	brAllocator allocator = brContext_Allocator(context);
	uint8_t* bytes = NULL;
	size_t byteCount = 0;
	brResult result = brReadFile(&allocator, path, &bytes, &byteCount, report);
	if (result >= 0)
	{
		result = brReadRecording(context, bytes, byteCount, path, outRecording, report);
		BR_FREE(&allocator, bytes, byteCount + 1);
	}
	return result;
}
