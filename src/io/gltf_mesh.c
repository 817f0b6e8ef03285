// SPDX-License-Identifier: MIT

// The primitives of a glTF mesh as one brMesh.
//
// glTF splits a vertex wherever a normal or texture coordinate changes; here these belong to corners, so vertices with
// exactly the same position (and color) are welded again, in the order of the file. Primitives that share a vertex
// buffer, as ours do, share it here too: it is decoded once.
//
//     primitives -> blocks (distinct vertex buffers) -> one run of raw vertices -> weld -> positions, colors
//                -> indices, range-checked           -> corners through the weld  -> normals, uvs per corner
//
// Texture coordinates: v counts downward in glTF and upward here, so it is replaced by 1 - v in float arithmetic,
// reading and writing. That is exact for every multiple of 2^-24 in [-1, 2] and otherwise off by 2^-25 at most, once:
// what comes out is such a multiple, so later conversions between the two keep all bits.

#include "io/gltf_document.h"
#include "io/vertex_weld.h"

#include <string.h>

typedef struct GltfBlock
{
	int32_t positionAccessor;
	int32_t colorAccessor; // or -1
	int32_t firstVertex;   // in the run of raw vertices
	brGltfFloats positions;
	brGltfFloats colors;
} GltfBlock;

typedef struct GltfPrimitive
{
	int32_t mode;          // 4, 5, 6: triangles, strip, fan
	int32_t indexAccessor; // or -1
	int32_t normalAccessor;
	int32_t uvAccessor;
	int32_t material; // or -1
	int32_t block;
	int32_t indexCount; // of vertices in a row, through indices or not
	int32_t triangleCount;
} GltfPrimitive;

typedef struct GltfMeshBuild
{
	brGltf* gltf;
	int32_t mesh;
	BR_ARRAY(GltfPrimitive) primitives;
	BR_ARRAY(GltfBlock) blocks;
	int32_t* blockOfAccessor; // [accessors.count]: last block with that position accessor, or -1
	int32_t* materialSlot;    // [materials.count]: its number in the mesh, or -1
	BR_ARRAY(int32_t) materials;
	int64_t vertexCount; // raw
	int64_t triangleCount;
	bool hasNormals, hasUvs, hasColors;

	int32_t* weld; // [vertexCount]
	float* keys;   // gathered tuples, or null if the bytes of the only block serve
	int64_t keyFloats;
	brMesh* result;
} GltfMeshBuild;

static void gltfLoadTuple(const brGltfFloats* floats, int64_t index, float* tuple, int32_t components)
{
	memcpy(tuple, floats->bytes + (size_t)index * floats->stride, (size_t)components * sizeof(float));
}

// Takes a block for the vertices of a primitive, a new one unless an earlier primitive has the same.
static brResult gltfTakeBlock(GltfMeshBuild* build, int32_t primitive, int32_t position, int32_t color,
							  int32_t* outBlock)
{
	brGltf* gltf = build->gltf;
	const brAllocator* allocator = &gltf->job->allocator;
	int32_t known = build->blockOfAccessor[position];
	if (known >= 0 && build->blocks.data[known].colorAccessor == color)
	{
		*outBlock = known;
		return br_success;
	}
	if (!BR_PUSH(allocator, &build->blocks, (GltfBlock){position, color, (int32_t)build->vertexCount, {0}, {0}}))
	{
		return brFailMemory(gltf->job->report);
	}
	GltfBlock* block = &build->blocks.data[build->blocks.count - 1];
	brGltfFloatsDef positionDef = {position, 3, 3, false, "position"};
	brResult result = brGltf_Floats(gltf, &positionDef, &block->positions);
	if (result >= 0 && color >= 0)
	{
		brGltfFloatsDef colorDef = {color, 3, 4, true, "color"};
		result = brGltf_Floats(gltf, &colorDef, &block->colors);
	}
	if (result < 0)
	{
		return result;
	}
	if (color >= 0 && block->colors.count != block->positions.count)
	{
		return brGltf_Fail(gltf, br_errorFormat, "mesh %d primitive %d has %d positions and %d colors", build->mesh,
						   primitive, block->positions.count, block->colors.count);
	}
	build->vertexCount += block->positions.count;
	if (build->vertexCount >= INT32_MAX)
	{
		return brGltf_Fail(gltf, br_errorLimit, "mesh %d has more vertices than 32-bit counts allow", build->mesh);
	}
	build->hasColors |= color >= 0;
	build->blockOfAccessor[position] = build->blocks.count - 1;
	*outBlock = build->blocks.count - 1;
	return brGltf_Spend(gltf, block->positions.count);
}

static brResult gltfPlanPrimitive(GltfMeshBuild* build, const brJson* json, int32_t number)
{
	brGltf* gltf = build->gltf;
	const brJson* attributes = brGltf_Get(json, "attributes");
	GltfPrimitive primitive = {0};
	int64_t mode;
	int32_t position, color;
	if (!brGltf_Integer(json, "mode", 4, &mode) || mode > 6 ||
		!brGltf_Index(json, "indices", &gltf->accessors, &primitive.indexAccessor) ||
		!brGltf_Index(json, "material", &gltf->materials, &primitive.material) ||
		!brGltf_Index(attributes, "POSITION", &gltf->accessors, &position) ||
		!brGltf_Index(attributes, "COLOR_0", &gltf->accessors, &color) ||
		!brGltf_Index(attributes, "NORMAL", &gltf->accessors, &primitive.normalAccessor) ||
		!brGltf_Index(attributes, "TEXCOORD_0", &gltf->accessors, &primitive.uvAccessor))
	{
		return brGltf_Fail(gltf, br_errorFormat,
						   "mesh %d primitive %d has a bad mode or names an accessor or material that does not exist",
						   build->mesh, number);
	}
	if (mode < 4 || position < 0)
	{
		gltf->droppedPrimitives += 1;
		return br_success;
	}
	const brJson* extensions = brGltf_Get(json, "extensions");
	if (brGltf_Get(extensions, "KHR_draco_mesh_compression") != NULL &&
		brGltf_Get(gltf->accessors.items[position], "bufferView") == NULL)
	{
		return brGltf_Fail(
			gltf, br_errorUnsupported,
			"mesh %d primitive %d is compressed by KHR_draco_mesh_compression, which is not read here; export it "
			"uncompressed",
			build->mesh, number);
	}
	brResult result = gltfTakeBlock(build, number, position, color, &primitive.block);
	if (result < 0)
	{
		return result;
	}
	const GltfBlock* block = &build->blocks.data[primitive.block];
	int32_t count =
		primitive.indexAccessor >= 0 ? brGltf_AccessorCount(gltf, primitive.indexAccessor) : block->positions.count;
	primitive.mode = (int32_t)mode;
	primitive.indexCount = count;
	primitive.triangleCount = mode == 4 ? count / 3 : count > 2 ? count - 2 : 0;
	gltf->droppedIndices += mode == 4 && count % 3 != 0;
	build->triangleCount += primitive.triangleCount;
	build->hasNormals |= primitive.normalAccessor >= 0;
	build->hasUvs |= primitive.uvAccessor >= 0;
	if (build->triangleCount > INT32_MAX / 3)
	{
		return brGltf_Fail(gltf, br_errorLimit, "mesh %d has more triangles than 32-bit counts allow", build->mesh);
	}
	result = brGltf_Spend(gltf, 3 * (int64_t)primitive.triangleCount);
	if (result < 0)
	{
		return result;
	}

	// Materials are numbered as they appear.
	if (primitive.material >= 0 && build->materialSlot[primitive.material] < 0)
	{
		build->materialSlot[primitive.material] = build->materials.count;
		if (!BR_PUSH(&gltf->job->allocator, &build->materials, primitive.material))
		{
			return brFailMemory(gltf->job->report);
		}
	}
	return BR_PUSH(&gltf->job->allocator, &build->primitives, primitive) ? br_success : brFailMemory(gltf->job->report);
}

static brResult gltfPlanMesh(GltfMeshBuild* build)
{
	brGltf* gltf = build->gltf;
	const brAllocator* allocator = &gltf->job->allocator;
	build->blockOfAccessor = BR_ALLOC(allocator, int32_t, gltf->accessors.count);
	build->materialSlot = BR_ALLOC(allocator, int32_t, gltf->materials.count);
	if (build->blockOfAccessor == NULL || build->materialSlot == NULL)
	{
		return brFailMemory(gltf->job->report);
	}
	memset(build->blockOfAccessor, 0xFF, (size_t)gltf->accessors.count * sizeof(int32_t));
	memset(build->materialSlot, 0xFF, (size_t)gltf->materials.count * sizeof(int32_t));
	const brJson* primitives = brGltf_Get(gltf->meshes.items[build->mesh], "primitives");
	if (!brJson_Is(primitives, br_jsonArray))
	{
		return brGltf_Fail(gltf, br_errorFormat, "mesh %d has no primitives", build->mesh);
	}
	int32_t number = 0;
	for (const brJson* json = primitives->child; json != NULL; json = json->next, ++number)
	{
		brResult result = gltfPlanPrimitive(build, json, number);
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

// Vertices

static brResult gltfCheckPositions(const GltfMeshBuild* build, const GltfBlock* block)
{
	for (int32_t i = 0; i < block->positions.count; ++i)
	{
		uint32_t words[3];
		memcpy(words, block->positions.bytes + (size_t)i * block->positions.stride, sizeof(words));
		bool isFinite = (words[0] & 0x7F800000u) != 0x7F800000u && (words[1] & 0x7F800000u) != 0x7F800000u &&
						(words[2] & 0x7F800000u) != 0x7F800000u;
		if (!isFinite)
		{
			brResult result =
				brGltf_Fail(build->gltf, br_errorGeometry, "mesh %d: position %d of accessor %d is not finite",
							build->mesh, i, block->positionAccessor);
			if (build->gltf->job->report != NULL)
			{
				build->gltf->job->report->element = i;
			}
			return result;
		}
	}
	return br_success;
}

static float gltfFiniteOrOne(brGltf* gltf, float value)
{
	if (isfinite(value))
	{
		return value;
	}
	gltf->clearedValues += gltf->clearedValues < INT32_MAX;
	return 1.0f;
}

// All raw vertices in one run of tuples: three floats, or seven with colors.
static bool gltfGatherKeys(GltfMeshBuild* build, brWeldKeys* outKeys)
{
	int32_t words = build->hasColors ? 7 : 3;
	*outKeys = (brWeldKeys){.words = words, .count = (int32_t)build->vertexCount};
	if (build->blocks.count == 1 && !build->hasColors)
	{
		outKeys->bytes = build->blocks.data[0].positions.bytes;
		outKeys->stride = build->blocks.data[0].positions.stride;
		return true;
	}
	build->keyFloats = build->vertexCount * words;
	build->keys = BR_ALLOC(&build->gltf->job->allocator, float, build->keyFloats);
	if (build->keys == NULL)
	{
		return false;
	}
	float* key = build->keys;
	for (int32_t b = 0; b < build->blocks.count; ++b)
	{
		const GltfBlock* block = &build->blocks.data[b];
		for (int32_t i = 0; i < block->positions.count; ++i, key += words)
		{
			gltfLoadTuple(&block->positions, i, key, 3);
			if (build->hasColors)
			{
				key[3] = key[4] = key[5] = key[6] = 1.0f;
				if (block->colorAccessor >= 0)
				{
					gltfLoadTuple(&block->colors, i, key + 3, block->colors.components);
				}
				for (int32_t k = 3; k < 7; ++k)
				{
					key[k] = gltfFiniteOrOne(build->gltf, key[k]);
				}
			}
		}
	}
	outKeys->bytes = (const uint8_t*)build->keys;
	outKeys->stride = (size_t)words * sizeof(float);
	return true;
}

static brResult gltfWeldVertices(GltfMeshBuild* build)
{
	const brReadJob* job = build->gltf->job;
	for (int32_t b = 0; b < build->blocks.count; ++b)
	{
		brResult result = gltfCheckPositions(build, &build->blocks.data[b]);
		if (result < 0)
		{
			return result;
		}
	}
	brWeldKeys keys;
	build->weld = BR_ALLOC(&job->allocator, int32_t, build->vertexCount);
	if (build->weld == NULL || !gltfGatherKeys(build, &keys))
	{
		return brFailMemory(job->report);
	}
	int32_t vertexCount = brWeldVertices(&job->allocator, &keys, build->weld);
	if (vertexCount < 0)
	{
		return brFailMemory(job->report);
	}

	brMeshShape shape = {
		.vertexCount = vertexCount,
		.faceCount = (int32_t)build->triangleCount,
		.cornerCount = 3 * (int32_t)build->triangleCount,
		.materialCount = build->materials.count,
		.hasUvs = build->hasUvs,
		.hasNormals = build->hasNormals,
		.hasColors = build->hasColors,
		.hasFaceMaterials = build->materials.count > 0,
	};
	brMesh* mesh = brAllocMesh(&job->allocator, &shape);
	if (mesh == NULL)
	{
		return brFailMemory(job->report);
	}
	build->result = mesh;
	int32_t next = 0;
	for (int32_t i = 0; i < keys.count; ++i)
	{
		if (build->weld[i] != next)
		{
			continue; // welded to an earlier one
		}
		float tuple[7];
		memcpy(tuple, keys.bytes + (size_t)i * keys.stride, 3 * sizeof(float));
		mesh->positions[next] = (brDVec3){(double)tuple[0], (double)tuple[1], (double)tuple[2]};
		if (build->hasColors)
		{
			memcpy(tuple, keys.bytes + (size_t)i * keys.stride, sizeof(tuple));
			mesh->colors[next] = (brVec4){tuple[3], tuple[4], tuple[5], tuple[6]};
		}
		next += 1;
	}
	if (vertexCount == keys.count)
	{
		BR_FREE(&job->allocator, build->weld, build->vertexCount);
		build->weld = NULL; // every vertex is its own: corners need no detour
	}
	return br_success;
}

// Corners

// Widens indices to `target`; returns the largest. One loop a width, plain enough for the compiler to vectorize.
static uint32_t gltfWidenIndices(const brGltfIndices* indices, int32_t count, int32_t* target)
{
	uint32_t largest = 0;
	if (indices->indexBytes == 1)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			uint32_t value = indices->bytes[i];
			target[i] = (int32_t)value;
			largest = value > largest ? value : largest;
		}
	}
	else if (indices->indexBytes == 2)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			uint16_t value;
			memcpy(&value, indices->bytes + 2 * (size_t)i, sizeof(value));
			target[i] = value;
			largest = value > largest ? value : largest;
		}
	}
	else
	{
		for (int32_t i = 0; i < count; ++i)
		{
			uint32_t value;
			memcpy(&value, indices->bytes + 4 * (size_t)i, sizeof(value));
			target[i] = (int32_t)value;
			largest = value > largest ? value : largest;
		}
	}
	return largest;
}

// Triangle t of a strip or fan as positions in its row of vertices (section 3.7.2.1).
static void gltfTriangleOf(int32_t mode, int32_t t, int32_t out[3])
{
	if (mode == 5)
	{
		out[0] = t, out[1] = t + 1 + (t & 1), out[2] = t + 2 - (t & 1);
	}
	else
	{
		out[0] = t + 1, out[1] = t + 2, out[2] = 0;
	}
}

// The primitive's corners as vertices of its block.
static brResult gltfFillCorners(GltfMeshBuild* build, int32_t number, int32_t* corners)
{
	brGltf* gltf = build->gltf;
	const GltfPrimitive* primitive = &build->primitives.data[number];
	int32_t vertexCount = build->blocks.data[primitive->block].positions.count;
	int32_t cornerCount = 3 * primitive->triangleCount;
	if (primitive->indexAccessor < 0)
	{
		for (int32_t c = 0; c < cornerCount; ++c)
		{
			corners[c] = c;
		}
		for (int32_t t = 0; t < primitive->triangleCount && primitive->mode != 4; ++t)
		{
			gltfTriangleOf(primitive->mode, t, corners + 3 * (int64_t)t);
		}
		return br_success;
	}

	brGltfIndices indices;
	brResult result = brGltf_Indices(gltf, primitive->indexAccessor, &indices);
	if (result < 0)
	{
		return result;
	}
	const brAllocator* allocator = &gltf->job->allocator;
	bool isList = primitive->mode == 4;
	int32_t rowCount = isList ? cornerCount : primitive->indexCount;
	int32_t* row = isList ? corners : BR_ALLOC(allocator, int32_t, rowCount);
	if (row == NULL)
	{
		brGltf_FreeIndices(gltf, &indices);
		return brFailMemory(gltf->job->report);
	}
	uint32_t largest = gltfWidenIndices(&indices, rowCount, row);
	if (rowCount > 0 && largest >= (uint32_t)vertexCount)
	{
		result = brGltf_Fail(gltf, br_errorFormat, "mesh %d: accessor %d holds index %u, there are %d vertices",
							 build->mesh, primitive->indexAccessor, largest, vertexCount);
	}
	for (int32_t t = 0; t < primitive->triangleCount && !isList; ++t)
	{
		int32_t* corner = corners + 3 * (int64_t)t;
		gltfTriangleOf(primitive->mode, t, corner);
		corner[0] = row[corner[0]], corner[1] = row[corner[1]], corner[2] = row[corner[2]];
	}
	if (!isList)
	{
		BR_FREE(allocator, row, rowCount);
	}
	brGltf_FreeIndices(gltf, &indices);
	return result;
}

static brResult gltfFillAttributes(GltfMeshBuild* build, int32_t number, int32_t firstCorner)
{
	brGltf* gltf = build->gltf;
	const GltfPrimitive* primitive = &build->primitives.data[number];
	brMesh* mesh = build->result;
	int32_t vertexCount = build->blocks.data[primitive->block].positions.count;
	int32_t endCorner = firstCorner + 3 * primitive->triangleCount;
	for (int32_t kind = 0; kind < 2; ++kind)
	{
		bool isNormal = kind == 0;
		brGltfFloatsDef def = {isNormal ? primitive->normalAccessor : primitive->uvAccessor, isNormal ? 3 : 2,
							   isNormal ? 3 : 2, false, isNormal ? "normal" : "texture coordinate"};
		if (def.accessor < 0)
		{
			continue;
		}
		brGltfFloats floats;
		brResult result = brGltf_Floats(gltf, &def, &floats);
		if (result >= 0 && floats.count != vertexCount)
		{
			result = brGltf_Fail(gltf, br_errorFormat, "mesh %d: accessor %d holds %d %ss for %d positions",
								 build->mesh, def.accessor, floats.count, def.what, vertexCount);
		}
		for (int32_t c = firstCorner; c < endCorner && result >= 0; ++c)
		{
			float tuple[3];
			gltfLoadTuple(&floats, mesh->corners[c], tuple, def.components);
			if (!isfinite(tuple[0]) || !isfinite(tuple[1]) || (isNormal && !isfinite(tuple[2])))
			{
				gltf->clearedValues += gltf->clearedValues < INT32_MAX;
				memset(tuple, 0, sizeof(tuple));
			}
			if (isNormal)
			{
				mesh->normals[c] = (brVec3){tuple[0], tuple[1], tuple[2]};
			}
			else
			{
				mesh->uvs[c] = (brVec2){tuple[0], 1.0f - tuple[1]};
			}
		}
		brGltf_FreeFloats(gltf, &floats);
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

static brResult gltfFillFaces(GltfMeshBuild* build)
{
	brMesh* mesh = build->result;
	int32_t firstFace = 0;
	for (int32_t p = 0; p < build->primitives.count; ++p)
	{
		const GltfPrimitive* primitive = &build->primitives.data[p];
		int32_t* corners = mesh->corners + 3 * (int64_t)firstFace;
		brResult result = gltfFillCorners(build, p, corners);
		if (result >= 0)
		{
			result = gltfFillAttributes(build, p, 3 * firstFace);
		}
		if (result < 0)
		{
			return result;
		}

		// From the block's vertices to the mesh's.
		int32_t shift = build->blocks.data[primitive->block].firstVertex;
		for (int32_t c = 0; c < 3 * primitive->triangleCount && (build->weld != NULL || shift != 0); ++c)
		{
			corners[c] = build->weld != NULL ? build->weld[corners[c] + shift] : corners[c] + shift;
		}
		int32_t material = primitive->material >= 0 ? build->materialSlot[primitive->material] : -1;
		for (int32_t f = firstFace; f < firstFace + primitive->triangleCount && mesh->faceMaterials != NULL; ++f)
		{
			mesh->faceMaterials[f] = material;
		}
		firstFace += primitive->triangleCount;
	}
	for (int32_t f = 0; f <= mesh->faceCount; ++f)
	{
		mesh->faceStarts[f] = 3 * f;
	}
	return br_success;
}

// Materials

// The URI of the base color texture, if it is a file of its own and its name fits.
static void gltfReadTexture(const brGltf* gltf, const brJson* reference, brSurfaceMaterial* material)
{
	int32_t texture, image;
	if (reference == NULL || !brGltf_Index(reference, "index", &gltf->textures, &texture) || texture < 0 ||
		!brGltf_Index(gltf->textures.items[texture], "source", &gltf->images, &image) || image < 0)
	{
		return;
	}
	const brJson* uri = brGltf_Get(gltf->images.items[image], "uri");
	if (brJson_Is(uri, br_jsonString) && strncmp(uri->text, "data:", 5) != 0 &&
		strlen(uri->text) < sizeof(material->texture))
	{
		brGltf_CopyString(material->texture, sizeof(material->texture), uri);
	}
}

static brResult gltfReadMaterial(const brGltf* gltf, int32_t index, brSurfaceMaterial* material)
{
	const brJson* json = gltf->materials.items[index];
	const brJson* pbr = brGltf_Get(json, "pbrMetallicRoughness");
	const brJson* strength =
		brGltf_Get(brGltf_Get(brGltf_Get(json, "extensions"), "KHR_materials_emissive_strength"), "emissiveStrength");
	const brJson* metallic = brGltf_Get(pbr, "metallicFactor");
	const brJson* roughness = brGltf_Get(pbr, "roughnessFactor");
	double color[4] = {1.0, 1.0, 1.0, 1.0};
	double emission[3] = {0.0, 0.0, 0.0};
	if (!brGltf_Numbers(pbr, "baseColorFactor", color, 4) || !brGltf_Numbers(json, "emissiveFactor", emission, 3) ||
		(metallic != NULL && !brJson_Is(metallic, br_jsonNumber)) ||
		(roughness != NULL && !brJson_Is(roughness, br_jsonNumber)))
	{
		return brGltf_Fail(gltf, br_errorFormat, "material %d has a factor that is no number", index);
	}
	double gain = brJson_Is(strength, br_jsonNumber) && strength->number >= 0.0 ? strength->number : 1.0;
	memset(material, 0, sizeof(*material));
	brGltf_CopyString(material->name, sizeof(material->name), brGltf_Get(json, "name"));
	material->baseColor = (brVec4){(float)color[0], (float)color[1], (float)color[2], (float)color[3]};
	material->metallic = metallic != NULL ? (float)metallic->number : 1.0f;
	material->roughness = roughness != NULL ? (float)roughness->number : 1.0f;
	material->emission =
		(brVec3){(float)(gain * emission[0]), (float)(gain * emission[1]), (float)(gain * emission[2])};
	gltfReadTexture(gltf, brGltf_Get(pbr, "baseColorTexture"), material);
	return br_success;
}

static void gltfCloseBuild(GltfMeshBuild* build)
{
	const brAllocator* allocator = &build->gltf->job->allocator;
	for (int32_t b = 0; b < build->blocks.count; ++b)
	{
		brGltf_FreeFloats(build->gltf, &build->blocks.data[b].positions);
		brGltf_FreeFloats(build->gltf, &build->blocks.data[b].colors);
	}
	BR_FREE_ARRAY(allocator, &build->blocks);
	BR_FREE_ARRAY(allocator, &build->primitives);
	BR_FREE_ARRAY(allocator, &build->materials);
	BR_FREE(allocator, build->blockOfAccessor, build->gltf->accessors.count);
	BR_FREE(allocator, build->materialSlot, build->gltf->materials.count);
	BR_FREE(allocator, build->weld, build->vertexCount);
	BR_FREE(allocator, build->keys, build->keyFloats);
	brDestroyMesh(build->result);
}

brResult brGltf_Mesh(brGltf* gltf, int32_t index, brMesh** outMesh)
{
	GltfMeshBuild build = {.gltf = gltf, .mesh = index};
	brResult result = gltfPlanMesh(&build);
	bool isEmpty = build.triangleCount == 0;
	if (result >= 0 && !isEmpty)
	{
		result = gltfWeldVertices(&build);
	}
	if (result >= 0 && !isEmpty)
	{
		result = gltfFillFaces(&build);
	}
	for (int32_t m = 0; m < build.materials.count && result >= 0 && !isEmpty; ++m)
	{
		result = gltfReadMaterial(gltf, build.materials.data[m], &build.result->materials[m]);
	}
	if (result >= 0)
	{
		*outMesh = build.result;
		build.result = NULL;
	}
	gltfCloseBuild(&build);
	return result;
}
