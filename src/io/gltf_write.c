// SPDX-License-Identifier: MIT

// Writing glTF 2.0: .glb, or .gltf with its bytes inside as a data URI, so that either is one file.
//
//     meshes -> streams of numbers, accessors; parts -> nodes, tracks; then the document, then the bytes

#include "io/base64.h"
#include "io/gltf_writer.h"
#include "io/json_text.h"
#include "io/surface_look.h"

#include <stdio.h>
#include <string.h>

static const char* const s_gltfExtensions[5] = {"KHR_materials_emissive_strength", "KHR_materials_transmission",
												"KHR_materials_ior", "KHR_materials_volume", "KHR_materials_clearcoat"};

// The document, list by list

static void gltfWriteMeshes(const brGltfWriter* writer, brJsonText* json)
{
	const brAssembly* assembly = writer->job->assembly;
	if (writer->meshCount == 0)
	{
		return;
	}
	brJson_Add(json, ",\n\"meshes\":[");
	// Shapes were numbered as parts asked for them: walk the parts the same way.
	int32_t next = 0;
	for (int32_t p = 0; p < assembly->partCount; ++p)
	{
		const brPart* part = &assembly->parts[p];
		const brGltfShape* shape = &writer->shapes[part->mesh >= 0 ? part->mesh : assembly->meshCount + part->tetMesh];
		if (shape->mesh != next)
		{
			continue;
		}
		char name[64];
		brNamePart(part, p, name);
		brJson_Add(json, next > 0 ? ",\n{\"name\":" : "\n{\"name\":");
		brJson_String(json, name);
		brJson_Add(json, ",\"primitives\":[");
		for (int32_t i = 0; i < shape->primitiveCount; ++i)
		{
			const brGltfPrimitive* primitive = &writer->primitives.data[shape->firstPrimitive + i];
			brJson_Format(json, "%s{\"attributes\":{\"POSITION\":%d", i > 0 ? "," : "", primitive->position);
			static const char* const keys[3] = {"NORMAL", "TEXCOORD_0", "COLOR_0"};
			int32_t accessors[3] = {primitive->normal, primitive->uv, primitive->color};
			for (int32_t k = 0; k < 3; ++k)
			{
				if (accessors[k] >= 0)
				{
					brJson_Format(json, ",\"%s\":%d", keys[k], accessors[k]);
				}
			}
			brJson_Format(json, "},\"indices\":%d", primitive->indices);
			if (primitive->material >= 0)
			{
				brJson_Format(json, ",\"material\":%d", primitive->material);
			}
			brJson_Add(json, "}");
		}
		brJson_Add(json, "]}");
		next += 1;
	}
	brJson_Add(json, "]");
}

// A path or URI as a URI: what may not stand in one is escaped, escapes that are there stay, backslashes become
// slashes.
static void gltfWriteUri(brJsonText* json, const char* path)
{
	char uri[3 * sizeof(((brSurfaceMaterial*)0)->texture) + 1];
	size_t used = 0;
	for (const char* at = path; *at != 0; ++at)
	{
		unsigned char c = (unsigned char)(*at == '\\' ? '/' : *at);
		bool isDigit = c >= '0' && c <= '9';
		bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		bool isEscape = c == '%' && strspn(at + 1, "0123456789abcdefABCDEF") >= 2;
		if (isDigit || isLetter || isEscape || strchr("-._~/!$&'()*+,;=:@", c) != NULL)
		{
			uri[used++] = (char)c;
		}
		else
		{
			used += (size_t)snprintf(uri + used, sizeof(uri) - used, "%%%02X", (unsigned)c);
		}
	}
	uri[used] = 0;
	brJson_String(json, uri);
}

// ",NAME:{KEY:value,KEY:value}" of an extension; `isFirst` as in a list.
static void gltfWriteExtension(brJsonText* json, bool* isFirst, const char* name, const char* const keys[2],
							   const float values[2])
{
	brJson_Comma(json, isFirst);
	brJson_Format(json, "\"%s\":{", name);
	for (int32_t k = 0; k < 2 && keys[k] != NULL; ++k)
	{
		brJson_Format(json, "%s\"%s\":", k > 0 ? "," : "", keys[k]);
		brJson_Float(json, values[k]);
	}
}

static void gltfWriteExtensions(brJsonText* json, const brSurfaceMaterial* material, const brSurfaceLook* look,
								float strongest)
{
	bool isFirst = true;
	if (!(strongest > 1.0f) && look->transmission == 0.0f && look->clearcoat == 0.0f)
	{
		return;
	}
	brJson_Add(json, ",\"extensions\":{");
	if (strongest > 1.0f)
	{
		gltfWriteExtension(json, &isFirst, s_gltfExtensions[0], (const char* const[2]){"emissiveStrength"},
						   (float[2]){strongest});
		brJson_Add(json, "}");
	}
	if (look->transmission > 0.0f)
	{
		gltfWriteExtension(json, &isFirst, s_gltfExtensions[1], (const char* const[2]){"transmissionFactor"},
						   (float[2]){look->transmission});
		brJson_Add(json, "}");
		gltfWriteExtension(json, &isFirst, s_gltfExtensions[2], (const char* const[2]){"ior"}, (float[2]){look->ior});
		brJson_Add(json, "}");
		gltfWriteExtension(json, &isFirst, s_gltfExtensions[3],
						   (const char* const[2]){"thicknessFactor", "attenuationDistance"},
						   (float[2]){look->thickness, look->attenuationDistance});
		brJson_Add(json, ",\"attenuationColor\":");
		brJson_Floats(json, &material->baseColor.x, 3);
		brJson_Add(json, "}");
	}
	if (look->clearcoat > 0.0f)
	{
		gltfWriteExtension(json, &isFirst, s_gltfExtensions[4],
						   (const char* const[2]){"clearcoatFactor", "clearcoatRoughnessFactor"},
						   (float[2]){look->clearcoat, look->clearcoatRoughness});
		brJson_Add(json, "}");
	}
	brJson_Add(json, "}");
}

static void gltfWriteMaterials(const brGltfWriter* writer, brJsonText* json)
{
	const brSurfaceMaterial* materials = writer->materials.items.data;
	int32_t count = writer->materials.items.count;
	bool isFirst = true;
	int32_t textureCount = 0;
	for (int32_t m = 0; m < count; ++m)
	{
		const brSurfaceMaterial* material = &materials[m];
		brJson_Add(json, isFirst ? ",\n\"materials\":[\n{" : ",\n{");
		isFirst = false;
		if (material->name[0] != 0)
		{
			brJson_Add(json, "\"name\":");
			brJson_String(json, material->name);
			brJson_Add(json, ",");
		}
		brJson_Add(json, "\"pbrMetallicRoughness\":{\"baseColorFactor\":");
		float color[4] = {material->baseColor.x, material->baseColor.y, material->baseColor.z, material->baseColor.w};
		brJson_Floats(json, color, 4);
		brJson_Add(json, ",\"metallicFactor\":");
		brJson_Float(json, material->metallic);
		brJson_Add(json, ",\"roughnessFactor\":");
		brJson_Float(json, material->roughness);
		if (material->texture[0] != 0)
		{
			brJson_Format(json, ",\"baseColorTexture\":{\"index\":%d}", textureCount++);
		}
		brSurfaceLook look = brFindSurfaceLook(material);
		// What transmits is not blended; its alpha stays for those who know no transmission, and for ourselves.
		brJson_Add(json, material->baseColor.w < 1.0f && look.transmission == 0.0f ? "},\"alphaMode\":\"BLEND\"" : "}");

		// Factors end at 1; what glows more takes an extension.
		float emission[3] = {material->emission.x, material->emission.y, material->emission.z};
		float strongest = fmaxf(emission[0], fmaxf(emission[1], emission[2]));
		if (strongest > 0.0f)
		{
			for (int32_t k = 0; k < 3 && strongest > 1.0f; ++k)
			{
				emission[k] /= strongest;
			}
			brJson_Add(json, ",\"emissiveFactor\":");
			brJson_Floats(json, emission, 3);
		}
		gltfWriteExtensions(json, material, &look, strongest);
		brJson_Add(json, "}");
	}
	brJson_Add(json, count > 0 ? "]" : "");
	if (textureCount == 0)
	{
		return;
	}
	brJson_Add(json, ",\n\"textures\":[");
	for (int32_t t = 0; t < textureCount; ++t)
	{
		brJson_Format(json, "%s{\"source\":%d}", t > 0 ? "," : "", t);
	}
	brJson_Add(json, "],\n\"images\":[");
	isFirst = true;
	for (int32_t m = 0; m < count; ++m)
	{
		if (materials[m].texture[0] != 0)
		{
			brJson_Comma(json, &isFirst);
			brJson_Add(json, "{\"uri\":");
			gltfWriteUri(json, materials[m].texture);
			brJson_Add(json, "}");
		}
	}
	brJson_Add(json, "]");
}

static void gltfWriteUsedExtensions(const brGltfWriter* writer, brJsonText* json)
{
	bool isUsed[5] = {false};
	for (int32_t m = 0; m < writer->materials.items.count; ++m)
	{
		const brSurfaceMaterial* material = &writer->materials.items.data[m];
		brSurfaceLook look = brFindSurfaceLook(material);
		brVec3 emission = material->emission;
		isUsed[0] = isUsed[0] || emission.x > 1.0f || emission.y > 1.0f || emission.z > 1.0f;
		isUsed[1] = isUsed[2] = isUsed[3] = isUsed[1] || look.transmission > 0.0f;
		isUsed[4] = isUsed[4] || look.clearcoat > 0.0f;
	}
	bool isFirst = true;
	for (int32_t k = 0; k < 5; ++k)
	{
		if (isUsed[k])
		{
			brJson_Add(json, isFirst ? ",\n\"extensionsUsed\":[" : ",");
			brJson_Format(json, "\"%s\"", s_gltfExtensions[k]);
			isFirst = false;
		}
	}
	brJson_Add(json, isFirst ? "" : "]");
}

static void gltfWriteCamera(const brGltfWriter* writer, brJsonText* json)
{
	const brAssemblyCamera* camera = &writer->job->assembly->camera;
	if (!camera->isSet)
	{
		return;
	}
	brJson_Add(json, ",\n\"cameras\":[{\"name\":\"camera\",\"type\":\"perspective\",\"perspective\":{\"yfov\":");
	brJson_Double(json, camera->fieldOfView);
	brJson_Add(json, ",\"aspectRatio\":");
	brJson_Double(json, camera->aspect);
	brJson_Add(json, ",\"znear\":");
	brJson_Double(json, 0.01 * camera->distance);
	brJson_Add(json, ",\"zfar\":");
	brJson_Double(json, 100.0 * camera->distance);
	brJson_Add(json, "}}]");
}

static void gltfWriteAnimation(const brGltfWriter* writer, brJsonText* json)
{
	if (writer->tracks.count == 0)
	{
		return;
	}
	brJson_Add(json, ",\n\"animations\":[{\"name\":\"motion\",\"channels\":[");
	for (int32_t t = 0; t < writer->tracks.count; ++t)
	{
		const brGltfTrack* track = &writer->tracks.data[t];
		brJson_Format(json, "%s\n{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", t > 0 ? "," : "", t,
					  track->node, track->path);
	}
	brJson_Add(json, "],\"samplers\":[");
	for (int32_t t = 0; t < writer->tracks.count; ++t)
	{
		const brGltfTrack* track = &writer->tracks.data[t];
		brJson_Format(json, "%s\n{\"input\":%d,\"output\":%d,\"interpolation\":\"%s\"}", t > 0 ? "," : "", track->input,
					  track->output, track->isStep ? "STEP" : "LINEAR");
	}
	brJson_Add(json, "]}]");
}

typedef struct GltfLayout
{
	int64_t offsets[br_gltfStreamCount];
	int32_t views[br_gltfStreamCount]; // -1: empty stream
	int64_t byteCount;                 // padded to 4
} GltfLayout;

static GltfLayout gltfPlanLayout(const brGltfWriter* writer)
{
	GltfLayout layout = {0};
	int32_t viewCount = 0;
	for (int32_t s = 0; s < br_gltfStreamCount; ++s)
	{
		int64_t bytes = brGltfWriter_StreamBytes(writer, (brGltfStream)s);
		layout.offsets[s] = layout.byteCount;
		layout.views[s] = bytes > 0 ? viewCount++ : -1;
		layout.byteCount += (bytes + 3) & ~(int64_t)3;
	}
	return layout;
}

static void gltfWriteData(const brGltfWriter* writer, const GltfLayout* layout, brJsonText* json)
{
	static const int32_t strides[br_gltfStreamCount] = {12, 8, 4, 16, 0, 0, 0};
	static const int32_t targets[br_gltfStreamCount] = {34962, 34962, 34962, 34962, 34963, 0, 34963};
	static const int32_t types[br_gltfStreamCount] = {5126, 5126, 5121, 5126, 5125, 5126, 5123};
	static const char* const names[5] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
	if (layout->byteCount == 0)
	{
		return;
	}
	brJson_Add(json, ",\n\"accessors\":[");
	for (int32_t a = 0; a < writer->accessors.count; ++a)
	{
		const brGltfAccessor* accessor = &writer->accessors.data[a];
		brJson_Format(json, "%s\n{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"",
					  a > 0 ? "," : "", layout->views[accessor->stream], types[accessor->stream], accessor->count,
					  names[accessor->components]);
		if (accessor->byteOffset > 0)
		{
			brJson_Format(json, ",\"byteOffset\":%lld", (long long)accessor->byteOffset);
		}
		if (accessor->stream == br_gltfUnorm8)
		{
			brJson_Add(json, ",\"normalized\":true");
		}
		if (accessor->hasBounds)
		{
			// As doubles: every digit of the float, so that no reader finds a vertex outside.
			double lower[3] = {(double)accessor->lower[0], (double)accessor->lower[1], (double)accessor->lower[2]};
			double upper[3] = {(double)accessor->upper[0], (double)accessor->upper[1], (double)accessor->upper[2]};
			brJson_Add(json, ",\"min\":");
			brJson_Doubles(json, lower, accessor->components);
			brJson_Add(json, ",\"max\":");
			brJson_Doubles(json, upper, accessor->components);
		}
		brJson_Add(json, "}");
	}
	brJson_Add(json, "],\n\"bufferViews\":[");
	bool isFirst = true;
	for (int32_t s = 0; s < br_gltfStreamCount; ++s)
	{
		if (layout->views[s] < 0)
		{
			continue;
		}
		brJson_Comma(json, &isFirst);
		brJson_Format(json, "{\"buffer\":0,\"byteOffset\":%lld,\"byteLength\":%lld", (long long)layout->offsets[s],
					  (long long)brGltfWriter_StreamBytes(writer, (brGltfStream)s));
		if (strides[s] > 0)
		{
			brJson_Format(json, ",\"byteStride\":%d", strides[s]);
		}
		if (targets[s] > 0)
		{
			brJson_Format(json, ",\"target\":%d", targets[s]);
		}
		brJson_Add(json, "}");
	}
	// Last, and left open: a .gltf puts its bytes here.
	brJson_Format(json, "],\n\"buffers\":[{\"byteLength\":%lld", (long long)layout->byteCount);
}

static void gltfWriteDocument(const brGltfWriter* writer, const brGltfNodes* nodes, const GltfLayout* layout,
							  brJsonText* json)
{
	brJson_Add(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"brittle\"}");
	gltfWriteUsedExtensions(writer, json);
	if (nodes->count > 0)
	{
		brJson_Add(json, ",\n\"scene\":0,\"scenes\":[{\"nodes\":[");
		for (int32_t i = 0; i < nodes->tops.count; ++i)
		{
			brJson_Format(json, i > 0 ? ",%d" : "%d", nodes->tops.data[i]);
		}
		brJson_Add(json, "]}],\n\"nodes\":[");
		json->failed =
			json->failed || nodes->json.failed || !BR_RESERVE(&json->allocator, &json->text, nodes->json.text.count);
		if (!json->failed)
		{
			memcpy(json->text.data + json->text.count, nodes->json.text.data, (size_t)nodes->json.text.count);
			json->text.count += nodes->json.text.count;
		}
		brJson_Add(json, "]");
	}
	gltfWriteMeshes(writer, json);
	gltfWriteMaterials(writer, json);
	gltfWriteCamera(writer, json);
	gltfWriteAnimation(writer, json);
	gltfWriteData(writer, layout, json);
}

// Bytes out

// glTF is little-endian. What is written is not read again.
static void gltfTurnBytes(const brGltfWriter* writer)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (int32_t s = 0; s < br_gltfIndex16; ++s)
	{
		for (int32_t i = 0; s != br_gltfUnorm8 && i < writer->streams[s].count; ++i)
		{
			writer->streams[s].data[i] = __builtin_bswap32(writer->streams[s].data[i]);
		}
	}
	for (int32_t i = 0; i < writer->shorts.count; ++i)
	{
		writer->shorts.data[i] = __builtin_bswap16(writer->shorts.data[i]);
	}
#else
	(void)writer;
#endif
}

// All streams in order, each padded to 4 bytes; as base64 if there is an encoder.
static void gltfWriteStreams(const brGltfWriter* writer, brOutput* output, brBase64Encoder* encoder)
{
	gltfTurnBytes(writer);
	static const uint8_t zeros[4] = {0};
	for (int32_t s = 0; s < br_gltfStreamCount; ++s)
	{
		const void* bytes =
			s == br_gltfIndex16 ? (const void*)writer->shorts.data : (const void*)writer->streams[s].data;
		size_t byteCount = (size_t)brGltfWriter_StreamBytes(writer, (brGltfStream)s);
		size_t padding = (0 - byteCount) & 3;
		if (byteCount == 0)
		{
			continue;
		}
		if (encoder != NULL)
		{
			brBase64Encoder_Write(encoder, bytes, byteCount);
			brBase64Encoder_Write(encoder, zeros, padding);
		}
		else
		{
			brOutput_Write(output, bytes, byteCount);
			brOutput_Write(output, zeros, padding);
		}
	}
}

static void gltfWriteWord(brOutput* output, uint32_t word)
{
	uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
	brOutput_Write(output, bytes, sizeof(bytes));
}

static brResult gltfWriteFile(const brGltfWriter* writer, const GltfLayout* layout, brJsonText* json)
{
	const brWriteJob* job = writer->job;
	bool isBinary = job->def->format != br_formatGltf;
	bool hasData = layout->byteCount > 0;
	if (isBinary)
	{
		brJson_Add(json, hasData ? "}]}" : "}");
		while (!json->failed && json->text.count % 4 != 0)
		{
			brJson_Add(json, " ");
		}
	}
	if (json->failed)
	{
		return brFailMemory(job->report);
	}
	int64_t total = 20 + (int64_t)json->text.count + (hasData ? 8 + layout->byteCount : 0);
	if (total > UINT32_MAX)
	{
		return brFail(job->report, br_errorLimit, "%.100s would need %lld bytes, glTF ends at 4 GB", job->path,
					  (long long)total);
	}
	brOutput output;
	brResult result = brOutput_Open(&output, &job->allocator, job->path, job->report);
	if (result < 0)
	{
		return result;
	}
	if (isBinary)
	{
		gltfWriteWord(&output, 0x46546C67u);
		gltfWriteWord(&output, 2);
		gltfWriteWord(&output, (uint32_t)total);
		gltfWriteWord(&output, (uint32_t)json->text.count);
		gltfWriteWord(&output, 0x4E4F534Au);
		brOutput_Write(&output, json->text.data, (size_t)json->text.count);
		if (hasData)
		{
			gltfWriteWord(&output, (uint32_t)layout->byteCount);
			gltfWriteWord(&output, 0x004E4942u);
			gltfWriteStreams(writer, &output, NULL);
		}
	}
	else
	{
		brOutput_Write(&output, json->text.data, (size_t)json->text.count);
		if (hasData)
		{
			brBase64Encoder encoder = {.output = &output};
			brOutput_Text(&output, ",\"uri\":\"data:application/octet-stream;base64,");
			gltfWriteStreams(writer, &output, &encoder);
			brBase64Encoder_Finish(&encoder);
			brOutput_Text(&output, "\"}]");
		}
		brOutput_Text(&output, "}\n");
	}
	return brOutput_Commit(&output, job->report);
}

// The job

static brResult gltfGatherShape(brGltfWriter* writer, int32_t index)
{
	const brWriteJob* job = writer->job;
	const brAssembly* assembly = job->assembly;
	const brPart* part = &assembly->parts[index];
	int32_t number = part->mesh >= 0 ? part->mesh : assembly->meshCount + part->tetMesh;
	if (writer->shapes[number].mesh != -1)
	{
		return br_success;
	}
	if (brIsCanceled(job->context, (double)index / assembly->partCount))
	{
		return brFail(job->report, br_errorCanceled, "writing %.100s was canceled", job->path);
	}
	if (part->mesh >= 0)
	{
		return brGltfWriter_AddMesh(writer, assembly->meshes[part->mesh], number);
	}
	brMesh* surface = NULL;
	brResult result = brTetMesh_MakeSurface(assembly->tetMeshes[part->tetMesh], job->context, &surface, job->report);
	if (result >= 0)
	{
		writer->hasTets = true;
		result = brGltfWriter_AddMesh(writer, surface, number);
		brDestroyMesh(surface);
	}
	return result;
}

static brResult gltfWriteRemark(const brGltfWriter* writer)
{
	struct
	{
		bool holds;
		const char* what;
	} all[] = {
		{writer->hasPolygons, "polygons were split into triangles"},
		{writer->hasTets, "tets were written as their surface"},
		{writer->hasRounded, "positions were rounded to float"},
		{writer->hasRoundedUvs, "texture coordinates were rounded"},
		{writer->hasFixedNormals, "normals were made unit vectors"},
		{writer->hasFixedValues || writer->materials.hasClamped,
		 "colors or texture coordinates out of range were clamped"},
		{writer->hasGroups, "groups were left out"},
		{writer->hasEmpty, "parts without faces have no mesh"},
		{writer->hasShiftedTime, "times were shifted to start at 0"},
		{writer->hasMergedKeys, "keys closer than float times were left out"},
	};
	brRemarks remarks = {0};
	for (int32_t i = 0; i < BR_COUNT(all); ++i)
	{
		if (all[i].holds)
		{
			brRemarks_Add(&remarks, br_remarkApproximate, "%s", all[i].what);
		}
	}
	return brRemarks_Report(&remarks, writer->job->path, writer->job->report);
}

brResult brWriteGltf(const brWriteJob* job)
{
	const brAssembly* assembly = job->assembly;
	const brAllocator* allocator = &job->allocator;
	brGltfWriter writer = {.job = job};
	brGltfNodes nodes = {.json = {.allocator = *allocator}, .isFirst = true};
	brJsonText json = {.allocator = *allocator};
	int64_t shapeCount = (int64_t)assembly->meshCount + assembly->tetMeshCount;
	brResult result = brCheckParts(job);
	writer.shapes = BR_ALLOC(allocator, brGltfShape, shapeCount);
	if (result >= 0 && writer.shapes == NULL)
	{
		result = brFailMemory(job->report);
	}
	for (int64_t s = 0; s < shapeCount && writer.shapes != NULL; ++s)
	{
		writer.shapes[s] = (brGltfShape){.mesh = -1};
	}

	// Shapes, then the nodes that show them, then the text that ties all together.
	for (int32_t p = 0; p < assembly->partCount && result >= 0; ++p)
	{
		result = gltfGatherShape(&writer, p);
		const brPart* part = &assembly->parts[p];
		int32_t number = part->mesh >= 0 ? part->mesh : assembly->meshCount + part->tetMesh;
		writer.hasEmpty |= result >= 0 && writer.shapes[number].mesh == -2;
	}
	if (result >= 0 && !brGltfWriter_GatherNodes(&writer, &nodes))
	{
		result = brFailMemory(job->report);
	}
	if (result >= 0)
	{
		GltfLayout layout = gltfPlanLayout(&writer);
		gltfWriteDocument(&writer, &nodes, &layout, &json);
		result = gltfWriteFile(&writer, &layout, &json);
	}
	if (result >= 0)
	{
		result = gltfWriteRemark(&writer);
	}

	for (int32_t s = 0; s < br_gltfStreamCount; ++s)
	{
		BR_FREE_ARRAY(allocator, &writer.streams[s]);
	}
	BR_FREE_ARRAY(allocator, &writer.shorts);
	BR_FREE_ARRAY(allocator, &writer.accessors);
	BR_FREE_ARRAY(allocator, &writer.primitives);
	BR_FREE_ARRAY(allocator, &writer.tracks);
	BR_FREE_ARRAY(allocator, &writer.materials.items);
	BR_FREE(allocator, writer.shapes, shapeCount);
	BR_FREE_ARRAY(allocator, &nodes.tops);
	brJson_Destroy(&nodes.json);
	brJson_Destroy(&json);
	return result;
}
