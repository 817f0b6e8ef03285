// SPDX-License-Identifier: MIT

// Accessors: typed tuples somewhere in a buffer view, perhaps interleaved, normalized, or with single elements
// replaced.
//
// The shape of an accessor is worked out and checked against the bytes first; then floats are used where they lie, and
// all else is decoded into memory of our own. Integers become floats by the formulas of the specification (section
// 3.11).

#include "io/gltf_document.h"

#include "io/bytes.h"

#include <string.h>

enum
{
	gltf_byte = 5120,
	gltf_unsignedByte = 5121,
	gltf_short = 5122,
	gltf_unsignedShort = 5123,
	gltf_unsignedInt = 5125,
	gltf_float = 5126,
};

typedef struct GltfShape
{
	int32_t index;
	int32_t count;
	int32_t components;
	int32_t componentType;
	int32_t componentBytes;
	bool isNormalized;
	const uint8_t* bytes; // null: all zero
	size_t stride;
	const brJson* sparse; // or null
} GltfShape;

static int32_t gltfComponentBytes(int64_t type)
{
	switch (type)
	{
		case gltf_byte:
		case gltf_unsignedByte:
			return 1;
		case gltf_short:
		case gltf_unsignedShort:
			return 2;
		case gltf_unsignedInt:
		case gltf_float:
			return 4;
		default:
			return 0;
	}
}

static int32_t gltfComponentCount(const brJson* type)
{
	static const char* const names[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
	for (int32_t i = 0; i < 4 && brJson_Is(type, br_jsonString) && type->text != NULL; ++i)
	{
		if (strcmp(type->text, names[i]) == 0)
		{
			return i + 1;
		}
	}
	return 0;
}

// Finds `count` elements of `elementBytes` in the view that `json` names, from json's byteOffset on. A stride of 0 in
// *stride means tightly packed whatever the view says. Null bytes if no view is named.
static brResult gltfFindBytes(brGltf* gltf, const brJson* json, int32_t accessor, int32_t count, int32_t elementBytes,
							  bool isPacked, const uint8_t** outBytes, size_t* outStride)
{
	*outBytes = NULL;
	*outStride = (size_t)elementBytes;
	int32_t view;
	if (!brGltf_Index(json, "bufferView", &gltf->views, &view))
	{
		return brGltf_Fail(gltf, br_errorFormat, "accessor %d names a buffer view that does not exist", accessor);
	}
	if (view < 0)
	{
		return br_success;
	}
	const brJson* viewJson = gltf->views.items[view];
	int32_t buffer;
	if (!brGltf_Index(viewJson, "buffer", &gltf->buffers, &buffer) || buffer < 0)
	{
		return brGltf_Fail(gltf, br_errorFormat, "buffer view %d names a buffer that does not exist", view);
	}
	int64_t viewOffset, viewLength, stride, offset;
	if (!brGltf_Integer(viewJson, "byteOffset", 0, &viewOffset) ||
		!brGltf_Integer(viewJson, "byteLength", -1, &viewLength) || viewLength < 0 ||
		!brGltf_Integer(viewJson, "byteStride", 0, &stride) || !brGltf_Integer(json, "byteOffset", 0, &offset))
	{
		return brGltf_Fail(gltf, br_errorFormat,
						   "accessor %d or its buffer view %d has an offset, length or stride that is no byte count",
						   accessor, view);
	}
	const uint8_t* bytes = NULL;
	size_t byteCount = 0;
	brResult result = brGltf_Buffer(gltf, buffer, &bytes, &byteCount);
	if (result < 0)
	{
		return result;
	}
	if ((uint64_t)viewOffset > byteCount || (uint64_t)viewLength > byteCount - (uint64_t)viewOffset)
	{
		return brGltf_Fail(gltf, br_errorFormat, "buffer view %d reaches beyond the %zu bytes of buffer %d", view,
						   byteCount, buffer);
	}
	if (stride != 0 && !isPacked)
	{
		if (stride < elementBytes || stride > 252)
		{
			return brGltf_Fail(gltf, br_errorFormat, "buffer view %d has a stride of %lld bytes for elements of %d",
							   view, (long long)stride, elementBytes);
		}
		*outStride = (size_t)stride;
	}
	// All terms are below 2^53 and count * stride below 2^39: the sum cannot wrap.
	uint64_t needed = (uint64_t)offset + (uint64_t)(count - 1) * *outStride + (uint64_t)elementBytes;
	if (count > 0 && needed > (uint64_t)viewLength)
	{
		return brGltf_Fail(gltf, br_errorFormat, "accessor %d needs %llu bytes, its buffer view %d has %lld", accessor,
						   (unsigned long long)needed, view, (long long)viewLength);
	}
	*outBytes = bytes + viewOffset + (count > 0 ? offset : 0);
	return br_success;
}

static brResult gltfResolve(brGltf* gltf, int32_t index, GltfShape* shape)
{
	memset(shape, 0, sizeof(*shape));
	const brJson* json = gltf->accessors.items[index];
	int64_t count, type;
	if (!brGltf_Integer(json, "count", -1, &count) || count < 0 || !brGltf_Integer(json, "componentType", -1, &type) ||
		gltfComponentBytes(type) == 0)
	{
		return brGltf_Fail(gltf, br_errorFormat, "accessor %d has no count or no known component type", index);
	}
	if (count >= INT32_MAX)
	{
		return brGltf_Fail(gltf, br_errorLimit, "accessor %d has %lld elements, more than 32-bit counts allow", index,
						   (long long)count);
	}
	shape->index = index;
	shape->count = (int32_t)count;
	shape->componentType = (int32_t)type;
	shape->componentBytes = gltfComponentBytes(type);
	shape->components = gltfComponentCount(brGltf_Get(json, "type"));
	shape->isNormalized = brJson_Is(brGltf_Get(json, "normalized"), br_jsonTrue);
	shape->sparse = brGltf_Get(json, "sparse");
	if (shape->components == 0)
	{
		return brGltf_Fail(gltf, br_errorFormat, "accessor %d holds neither scalars nor vectors", index);
	}
	brResult result = gltfFindBytes(gltf, json, index, shape->count, shape->components * shape->componentBytes, false,
									&shape->bytes, &shape->stride);
	if (result >= 0 && shape->bytes == NULL)
	{
		result = brGltf_Spend(gltf, shape->count); // zeros: no bytes of the file stand behind them
	}
	return result;
}

int32_t brGltf_AccessorCount(const brGltf* gltf, int32_t accessor)
{
	int64_t count;
	bool isValid = brGltf_Integer(gltf->accessors.items[accessor], "count", 0, &count) && count < INT32_MAX;
	return isValid ? (int32_t)count : 0;
}

static uint32_t gltfLoadIndex(const uint8_t* bytes, int32_t indexBytes)
{
	if (indexBytes == 1)
	{
		return bytes[0];
	}
	if (indexBytes == 2)
	{
		return brLoad16(bytes, brIsBigEndianHost());
	}
	return brLoad32(bytes, brIsBigEndianHost());
}

// The replaced elements of a sparse accessor, checked.
typedef struct GltfSparse
{
	int32_t count;
	const uint8_t* indices;
	size_t indexStride;
	int32_t indexBytes;
	const uint8_t* values;
	size_t valueStride;
} GltfSparse;

static brResult gltfResolveSparse(brGltf* gltf, const GltfShape* shape, GltfSparse* sparse)
{
	memset(sparse, 0, sizeof(*sparse));
	if (shape->sparse == NULL)
	{
		return br_success;
	}
	const brJson* indices = brGltf_Get(shape->sparse, "indices");
	const brJson* values = brGltf_Get(shape->sparse, "values");
	int64_t count, type;
	if (!brGltf_Integer(shape->sparse, "count", -1, &count) || count < 0 || count > shape->count ||
		!brGltf_Integer(indices, "componentType", -1, &type) ||
		(type != gltf_unsignedByte && type != gltf_unsignedShort && type != gltf_unsignedInt))
	{
		return brGltf_Fail(gltf, br_errorFormat, "the sparse part of accessor %d has no valid count or index type",
						   shape->index);
	}
	sparse->count = (int32_t)count;
	sparse->indexBytes = gltfComponentBytes(type);
	brResult result = gltfFindBytes(gltf, indices, shape->index, sparse->count, sparse->indexBytes, true,
									&sparse->indices, &sparse->indexStride);
	if (result >= 0)
	{
		result = gltfFindBytes(gltf, values, shape->index, sparse->count, shape->components * shape->componentBytes,
							   true, &sparse->values, &sparse->valueStride);
	}
	if (result >= 0 && count > 0 && (sparse->indices == NULL || sparse->values == NULL))
	{
		result = brGltf_Fail(gltf, br_errorFormat, "the sparse part of accessor %d has no bytes", shape->index);
	}
	for (int32_t i = 0; i < sparse->count && result >= 0; ++i)
	{
		uint32_t target = gltfLoadIndex(sparse->indices + (size_t)i * sparse->indexStride, sparse->indexBytes);
		if (target >= (uint32_t)shape->count)
		{
			result = brGltf_Fail(gltf, br_errorFormat, "the sparse part of accessor %d replaces element %u of %d",
								 shape->index, target, shape->count);
		}
	}
	return result;
}

static float gltfLoadFloat(const uint8_t* bytes, int32_t type, bool isNormalized)
{
	switch (type)
	{
		case gltf_byte:
		{
			float value = (float)(int8_t)bytes[0];
			return !isNormalized ? value : value < -127.0f ? -1.0f : value / 127.0f;
		}
		case gltf_unsignedByte:
			return isNormalized ? (float)bytes[0] / 255.0f : (float)bytes[0];
		case gltf_short:
		{
			float value = (float)(int16_t)gltfLoadIndex(bytes, 2);
			return !isNormalized ? value : value < -32767.0f ? -1.0f : value / 32767.0f;
		}
		case gltf_unsignedShort:
		{
			float value = (float)gltfLoadIndex(bytes, 2);
			return isNormalized ? value / 65535.0f : value;
		}
		default:
			return brLoadFloat(bytes, brIsBigEndianHost());
	}
}

brResult brGltf_Floats(brGltf* gltf, const brGltfFloatsDef* def, brGltfFloats* outFloats)
{
	memset(outFloats, 0, sizeof(*outFloats));
	GltfShape shape;
	brResult result = gltfResolve(gltf, def->accessor, &shape);
	if (result < 0)
	{
		return result;
	}
	if (shape.components < def->components || shape.components > def->maxComponents ||
		shape.componentType == gltf_unsignedInt)
	{
		return brGltf_Fail(gltf, br_errorFormat, "accessor %d has not the type of a %s", def->accessor, def->what);
	}
	GltfSparse sparse;
	result = gltfResolveSparse(gltf, &shape, &sparse);
	if (result < 0)
	{
		return result;
	}
	outFloats->count = shape.count;
	outFloats->components = shape.components;
	if (shape.componentType == gltf_float && shape.bytes != NULL && sparse.count == 0)
	{
		outFloats->bytes = shape.bytes;
		outFloats->stride = shape.stride;
		return br_success;
	}

	float* values = BR_ALLOC_ZERO(&gltf->job->allocator, float, (int64_t)shape.count* shape.components);
	if (values == NULL)
	{
		return brFailMemory(gltf->job->report);
	}
	bool isNormalized = shape.isNormalized || def->isNormalized;
	for (int32_t i = 0; i < shape.count && shape.bytes != NULL; ++i)
	{
		for (int32_t k = 0; k < shape.components; ++k)
		{
			const uint8_t* from = shape.bytes + (size_t)i * shape.stride + (size_t)(k * shape.componentBytes);
			values[(int64_t)i * shape.components + k] = gltfLoadFloat(from, shape.componentType, isNormalized);
		}
	}
	for (int32_t i = 0; i < sparse.count; ++i)
	{
		int64_t target = gltfLoadIndex(sparse.indices + (size_t)i * sparse.indexStride, sparse.indexBytes);
		for (int32_t k = 0; k < shape.components; ++k)
		{
			const uint8_t* from = sparse.values + (size_t)i * sparse.valueStride + (size_t)(k * shape.componentBytes);
			values[target * shape.components + k] = gltfLoadFloat(from, shape.componentType, isNormalized);
		}
	}
	outFloats->owned = values;
	outFloats->bytes = (const uint8_t*)values;
	outFloats->stride = (size_t)shape.components * sizeof(float);
	return br_success;
}

void brGltf_FreeFloats(brGltf* gltf, brGltfFloats* floats)
{
	BR_FREE(&gltf->job->allocator, floats->owned, (int64_t)floats->count * floats->components);
	floats->owned = NULL;
}

brResult brGltf_Indices(brGltf* gltf, int32_t accessor, brGltfIndices* outIndices)
{
	memset(outIndices, 0, sizeof(*outIndices));
	GltfShape shape;
	brResult result = gltfResolve(gltf, accessor, &shape);
	if (result < 0)
	{
		return result;
	}
	bool isInteger = shape.componentType == gltf_unsignedByte || shape.componentType == gltf_unsignedShort ||
					 shape.componentType == gltf_unsignedInt;
	if (shape.components != 1 || !isInteger)
	{
		return brGltf_Fail(gltf, br_errorFormat, "accessor %d has not the type of indices", accessor);
	}
	GltfSparse sparse;
	result = gltfResolveSparse(gltf, &shape, &sparse);
	if (result < 0)
	{
		return result;
	}
	outIndices->count = shape.count;
	bool isPacked = shape.stride == (size_t)shape.componentBytes;
	if (shape.bytes != NULL && sparse.count == 0 && isPacked)
	{
		outIndices->bytes = shape.bytes;
		outIndices->indexBytes = shape.componentBytes;
		return br_success;
	}
	uint32_t* values = BR_ALLOC_ZERO(&gltf->job->allocator, uint32_t, shape.count);
	if (values == NULL)
	{
		return brFailMemory(gltf->job->report);
	}
	for (int32_t i = 0; i < shape.count && shape.bytes != NULL; ++i)
	{
		values[i] = gltfLoadIndex(shape.bytes + (size_t)i * shape.stride, shape.componentBytes);
	}
	for (int32_t i = 0; i < sparse.count; ++i)
	{
		uint32_t target = gltfLoadIndex(sparse.indices + (size_t)i * sparse.indexStride, sparse.indexBytes);
		values[target] = gltfLoadIndex(sparse.values + (size_t)i * sparse.valueStride, shape.componentBytes);
	}
	outIndices->owned = values;
	outIndices->bytes = (const uint8_t*)values;
	outIndices->indexBytes = 4;
	return br_success;
}

void brGltf_FreeIndices(brGltf* gltf, brGltfIndices* indices)
{
	BR_FREE(&gltf->job->allocator, indices->owned, indices->count);
	indices->owned = NULL;
}
