// SPDX-License-Identifier: MIT

// Writing USD as text, for Blender, Houdini and usdview.
//
//     /root (Xform)
//         /materials/NAME      UsdPreviewSurface, with a texture where there is one
//         [/GROUP (Xform)]     a thing that broke, with its parts below
//         /PART (Xform)        translate, orient: the pose over time; transform: the placement; visibility over time
//             /mesh (Mesh)     polygons as they are, attributes per corner, a GeomSubset per material
//         /camera
//     /shape_N (class)         meshes that several parts show: each of these is an instance of it; all of them, in a
//                              file of their own, if it is split
//
// USD matrices act on row vectors, so their rows are our columns. Points are floats by the schema; placements and poses
// keep their doubles. Time codes are frames: the first common rate at which births, ends and nearly all keys are whole
// frames, else 24 with fractions. usda_parts.c writes what is below /root.

#include "base/os.h"
#include "base/slots.h"
#include "io/corner_values.h"
#include "io/surface.h"
#include "io/surface_look.h"
#include "io/text.h"
#include "io/usda_writer.h"

#include <stdio.h>
#include <string.h>

// Names

// An identifier from any text: letters, digits and underscores, not starting with a digit.
static void usdaMakeIdentifier(const char* text, char out[USDA_NAME_BYTES])
{
	size_t used = 0;
	if (*text >= '0' && *text <= '9')
	{
		out[used++] = '_';
	}
	for (; *text != 0 && used < 64; ++text)
	{
		bool isPlain =
			(*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || (*text >= '0' && *text <= '9');
		out[used++] = isPlain ? *text : '_';
	}
	out[used] = 0;
}

// Makes `name` different from all before it under the same parent, by a number if need be, and remembers it as `id`.
// `nameOf` are the names of earlier ids.
static void usdaMakeUnique(brSlots* slots, char (*nameOf)[USDA_NAME_BYTES], int32_t id, char name[USDA_NAME_BYTES])
{
	size_t length = strlen(name);
	for (int64_t number = id;; ++number)
	{
		uint64_t hash = 0xcbf29ce484222325u;
		for (const char* c = name; *c != 0; ++c)
		{
			hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
		}
		int64_t slot = brSlots_First(slots, hash ^ hash >> 32);
		while (slots->values[slot] >= 0 && strcmp(nameOf[slots->values[slot]], name) != 0)
		{
			slot = brSlots_Next(slots, slot);
		}
		if (slots->values[slot] < 0 && strcmp(name, "materials") != 0)
		{
			slots->values[slot] = id;
			return;
		}
		snprintf(name + length, USDA_NAME_BYTES - length, "_%lld", (long long)number);
	}
}

static bool usdaNameAll(const brAllocator* allocator, int32_t count, char (*names)[USDA_NAME_BYTES])
{
	brSlots slots;
	if (!brSlots_Init(&slots, allocator, count))
	{
		return false;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		usdaMakeUnique(&slots, names, i, names[i]);
	}
	brSlots_Free(&slots, allocator);
	return true;
}

// What has to be known before the first line: names, how often a mesh is shown, materials, the frame rate.

// Parts as they come, those of a group behind its first.
static bool usdaPlanOrder(brUsdaWriter* writer)
{
	const brAssembly* assembly = writer->job->assembly;
	const brAllocator* allocator = &writer->job->allocator;
	int32_t* firsts = BR_ALLOC(allocator, int32_t, assembly->groupCount);
	int32_t* keys = BR_ALLOC(allocator, int32_t, assembly->partCount);
	int32_t* starts = BR_ALLOC(allocator, int32_t, (int64_t)assembly->partCount + 1);
	bool isReady = firsts != NULL && keys != NULL && starts != NULL;
	for (int32_t p = assembly->partCount - 1; p >= 0 && isReady; --p)
	{
		int32_t group = assembly->parts[p].group;
		if (group >= 0)
		{
			firsts[group] = p;
		}
	}
	for (int32_t p = 0; p < assembly->partCount && isReady; ++p)
	{
		int32_t group = assembly->parts[p].group;
		keys[p] = group >= 0 ? firsts[group] : p;
	}
	if (isReady)
	{
		brFillBuckets(keys, assembly->partCount, assembly->partCount, starts, writer->order);
	}
	BR_FREE(allocator, firsts, assembly->groupCount);
	BR_FREE(allocator, keys, assembly->partCount);
	BR_FREE(allocator, starts, (int64_t)assembly->partCount + 1);
	return isReady;
}

static bool usdaPlanNames(brUsdaWriter* writer)
{
	const brAssembly* assembly = writer->job->assembly;
	const brAllocator* allocator = &writer->job->allocator;
	int32_t nameCount = assembly->partCount + assembly->groupCount;
	writer->partNames = brAllocZeroArray(allocator, nameCount, USDA_NAME_BYTES);
	writer->uses = BR_ALLOC_ZERO(allocator, int32_t, (int64_t)assembly->meshCount + assembly->tetMeshCount);
	writer->firstMaterials = BR_ALLOC_ZERO(allocator, int32_t, assembly->meshCount);
	writer->order = BR_ALLOC(allocator, int32_t, assembly->partCount);
	int64_t materialCount = 0;
	for (int32_t m = 0; m < assembly->meshCount; ++m)
	{
		materialCount += assembly->meshes[m]->materialCount;
	}
	writer->materialOf = materialCount < INT32_MAX ? BR_ALLOC_ZERO(allocator, int32_t, materialCount) : NULL;
	writer->materialOfCount = materialCount;
	if (writer->partNames == NULL || writer->uses == NULL || writer->firstMaterials == NULL || writer->order == NULL ||
		writer->materialOf == NULL || !usdaPlanOrder(writer))
	{
		return false;
	}
	for (int32_t p = 0; p < assembly->partCount; ++p)
	{
		const brPart* part = &assembly->parts[p];
		char name[64];
		brNamePart(part, p, name);
		usdaMakeIdentifier(name, writer->partNames[p]);
		writer->uses[part->mesh >= 0 ? part->mesh : assembly->meshCount + part->tetMesh] += 1;
	}
	for (int32_t g = 0; g < assembly->groupCount; ++g)
	{
		usdaMakeIdentifier(assembly->groups[g], writer->partNames[assembly->partCount + g]);
	}
	int32_t next = 0;
	for (int32_t m = 0; m < assembly->meshCount; ++m)
	{
		const brMesh* mesh = assembly->meshes[m];
		writer->firstMaterials[m] = next;
		for (int32_t k = 0; k < mesh->materialCount && mesh->faceMaterials != NULL && writer->uses[m] > 0; ++k)
		{
			int32_t number = brMaterialList_Add(&writer->materials, allocator, &mesh->materials[k], mesh->uvs != NULL);
			if (number < 0)
			{
				return false;
			}
			writer->materialOf[next + k] = number;
		}
		next += mesh->materialCount;
	}
	writer->materialNames = brAllocZeroArray(allocator, writer->materials.items.count, USDA_NAME_BYTES);
	if (writer->materialNames == NULL)
	{
		return false;
	}
	writer->materialNameCount = writer->materials.items.count;
	for (int32_t m = 0; m < writer->materialNameCount; ++m)
	{
		const char* name = writer->materials.items.data[m].name;
		usdaMakeIdentifier(name[0] != 0 ? name : "material", writer->materialNames[m]);
	}
	return usdaNameAll(allocator, nameCount, writer->partNames) &&
		   usdaNameAll(allocator, writer->materialNameCount, writer->materialNames);
}

static bool usdaIsWhole(double code)
{
	return !isfinite(code) || fabs(code - floor(code + 0.5)) <= 1e-6;
}

// Births and ends on whole frames, and all keys but a few: fast turns have keys between frames.
static bool usdaFitsRate(const brAssembly* assembly, double rate)
{
	int64_t between = 0;
	for (int32_t p = 0; p < assembly->partCount; ++p)
	{
		const brPart* part = &assembly->parts[p];
		if (!usdaIsWhole(rate * part->bornTime) || !usdaIsWhole(rate * part->goneTime))
		{
			return false;
		}
		for (int32_t k = 0; k < part->keyCount; ++k)
		{
			between += !usdaIsWhole(rate * assembly->keys[part->firstKey + k].time);
		}
	}
	return 4 * between <= assembly->keyCount;
}

static void usdaPlanTime(brUsdaWriter* writer)
{
	static const double rates[] = {24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0, 240.0, 1000.0};
	const brAssembly* assembly = writer->job->assembly;
	writer->hasTime = brFindTimeRange(assembly, &writer->firstTime, &writer->lastTime);
	writer->frameRate = rates[0];
	for (int32_t i = 0; i < BR_COUNT(rates) && writer->hasTime && !writer->isFramed; ++i)
	{
		writer->isFramed = usdaFitsRate(assembly, rates[i]);
		writer->frameRate = writer->isFramed ? rates[i] : rates[0];
	}
}

// Small pieces of text

void brUsdaWriter_Text(brUsdaWriter* writer, const char* text)
{
	brOutput_Text(&writer->output, text);
}

void brUsdaWriter_Time(brUsdaWriter* writer, double time)
{
	double code = writer->frameRate * time;
	brOutput_Double(&writer->output, writer->isFramed && usdaIsWhole(code) ? floor(code + 0.5) : code);
}

// The longest tuple of four, with what stands before it.
#define USDA_TUPLE_ROOM (4 * (BR_NUMBER_CHARS + 2) + 8)

static float usdaFinite(brUsdaWriter* writer, float value)
{
	writer->hasFixedValues |= !isfinite(value);
	return isfinite(value) ? value : 0.0f;
}

void brUsdaWriter_Float(brUsdaWriter* writer, float value)
{
	brOutput_Float(&writer->output, usdaFinite(writer, value));
}

// What stands before item `i` of a list or a tuple.
static inline char* usdaPutComma(char* at, bool isFirst)
{
	at[0] = ',', at[1] = ' ';
	return at + (isFirst ? 0 : 2);
}

// "(a, b)" as item `i` of a list.
static void usdaListTuple(brUsdaWriter* writer, int64_t i, const float* values, int32_t count)
{
	char* room = (char*)brOutput_Room(&writer->output, USDA_TUPLE_ROOM);
	char* at = usdaPutComma(room, i == 0);
	*at++ = '(';
	for (int32_t k = 0; k < count; ++k)
	{
		at = usdaPutComma(at, k == 0);
		at += brPrintFloat(at, usdaFinite(writer, values[k]));
	}
	*at++ = ')';
	brOutput_Advance(&writer->output, (size_t)(at - room));
}

static void usdaListInt(brUsdaWriter* writer, int64_t i, int32_t value)
{
	char* room = (char*)brOutput_Room(&writer->output, BR_NUMBER_CHARS + 2);
	char* at = usdaPutComma(room, i == 0);
	at += brPrintInt(at, value);
	brOutput_Advance(&writer->output, (size_t)(at - room));
}

void brUsdaWriter_Tuple(brUsdaWriter* writer, const float* values, int32_t count)
{
	usdaListTuple(writer, 0, values, count);
}

void brUsdaWriter_Doubles(brUsdaWriter* writer, const double* values, int32_t count)
{
	char* room = (char*)brOutput_Room(&writer->output, USDA_TUPLE_ROOM);
	char* at = room;
	*at++ = '(';
	for (int32_t k = 0; k < count; ++k)
	{
		at = usdaPutComma(at, k == 0);
		at += brPrintDouble(at, values[k]);
	}
	*at++ = ')';
	brOutput_Advance(&writer->output, (size_t)(at - room));
}

void brUsdaWriter_Matrix(brUsdaWriter* writer, const brAffine* map)
{
	double rows[4][4] = {{map->m.cx.x, map->m.cx.y, map->m.cx.z, 0.0},
						 {map->m.cy.x, map->m.cy.y, map->m.cy.z, 0.0},
						 {map->m.cz.x, map->m.cz.y, map->m.cz.z, 0.0},
						 {map->p.x, map->p.y, map->p.z, 1.0}};
	brUsdaWriter_Text(writer, "( ");
	for (int32_t r = 0; r < 4; ++r)
	{
		brUsdaWriter_Text(writer, r > 0 ? ", " : "");
		brUsdaWriter_Doubles(writer, rows[r], 4);
	}
	brUsdaWriter_Text(writer, " )");
}

void brUsdaWriter_DisplayName(brUsdaWriter* writer, const char* identifier, const char* name, const char* indent)
{
	if (!brUsdaWriter_NeedsDisplayName(identifier, name))
	{
		return;
	}
	brOutput_Format(&writer->output, "%s\tdisplayName = \"", indent);
	for (const char* c = name; *c != 0; ++c)
	{
		brUsdaWriter_Text(writer, *c == '"' || *c == '\\' ? "\\" : "");
		brOutput_Write(&writer->output, (unsigned char)*c < 0x20 ? "_" : c, 1);
	}
	brUsdaWriter_Text(writer, "\"\n");
}

// Materials

static void usdaWriteMaterial(brUsdaWriter* writer, int32_t index)
{
	const brSurfaceMaterial* material = &writer->materials.items.data[index];
	const char* name = writer->materialNames[index];
	brOutput* output = &writer->output;
	// An asset path stands between at-signs, three of them if it has one of its own.
	bool hasTexture = material->texture[0] != 0 && strstr(material->texture, "@@@") == NULL;
	const char* fence = strchr(material->texture, '@') != NULL ? "@@@" : "@";
	brOutput_Format(output, "\t\tdef Material \"%s\"", name);
	if (brUsdaWriter_NeedsDisplayName(name, material->name))
	{
		brUsdaWriter_Text(writer, " (\n");
		brUsdaWriter_DisplayName(writer, name, material->name, "\t\t");
		brUsdaWriter_Text(writer, "\t\t)");
	}
	brUsdaWriter_Text(writer, "\n\t\t{\n");
	brOutput_Format(output, "\t\t\ttoken outputs:surface.connect = </root/materials/%s/surface.outputs:surface>\n\n",
					name);
	brUsdaWriter_Text(writer,
					  "\t\t\tdef Shader \"surface\"\n\t\t\t{\n\t\t\t\tuniform token info:id = \"UsdPreviewSurface\"\n");
	if (hasTexture)
	{
		brOutput_Format(
			output, "\t\t\t\tcolor3f inputs:diffuseColor.connect = </root/materials/%s/texture.outputs:rgb>\n", name);
	}
	else
	{
		brUsdaWriter_Text(writer, "\t\t\t\tcolor3f inputs:diffuseColor = ");
		brUsdaWriter_Tuple(writer, &material->baseColor.x, 3);
		brUsdaWriter_Text(writer, "\n");
	}
	brUsdaWriter_Text(writer, "\t\t\t\tcolor3f inputs:emissiveColor = ");
	brUsdaWriter_Tuple(writer, &material->emission.x, 3);
	brUsdaWriter_Text(writer, "\n\t\t\t\tfloat inputs:metallic = ");
	brUsdaWriter_Float(writer, material->metallic);
	brUsdaWriter_Text(writer, "\n\t\t\t\tfloat inputs:roughness = ");
	brUsdaWriter_Float(writer, material->roughness);
	brUsdaWriter_Text(writer, "\n\t\t\t\tfloat inputs:opacity = ");
	brUsdaWriter_Float(writer, material->baseColor.w);
	brSurfaceLook look = brFindSurfaceLook(material);
	if (look.transmission > 0.0f)
	{
		brUsdaWriter_Text(writer, "\n\t\t\t\tfloat inputs:ior = ");
		brUsdaWriter_Float(writer, look.ior);
	}
	if (look.clearcoat > 0.0f)
	{
		brUsdaWriter_Text(writer, "\n\t\t\t\tfloat inputs:clearcoat = ");
		brUsdaWriter_Float(writer, look.clearcoat);
		brUsdaWriter_Text(writer, "\n\t\t\t\tfloat inputs:clearcoatRoughness = ");
		brUsdaWriter_Float(writer, look.clearcoatRoughness);
	}
	brUsdaWriter_Text(writer, "\n\t\t\t\ttoken outputs:surface\n\t\t\t}\n");
	if (hasTexture)
	{
		brUsdaWriter_Text(
			writer, "\n\t\t\tdef Shader \"texture\"\n\t\t\t{\n\t\t\t\tuniform token info:id = \"UsdUVTexture\"\n");
		brOutput_Format(output, "\t\t\t\tasset inputs:file = %s", fence);
		for (const char* c = material->texture; *c != 0; ++c)
		{
			brOutput_Write(output, (unsigned char)*c < 0x20 ? "_" : *c == '\\' ? "/" : c, 1);
		}
		brOutput_Format(output, "%s\n\t\t\t\tfloat4 inputs:scale = ", fence);
		brUsdaWriter_Tuple(writer, &material->baseColor.x, 4);
		brOutput_Format(output, "\n\t\t\t\tfloat2 inputs:st.connect = </root/materials/%s/st.outputs:result>\n", name);
		brUsdaWriter_Text(writer, "\t\t\t\ttoken inputs:wrapS = \"repeat\"\n\t\t\t\ttoken inputs:wrapT = \"repeat\"\n"
								  "\t\t\t\tfloat3 outputs:rgb\n\t\t\t}\n\n\t\t\tdef Shader \"st\"\n\t\t\t{\n"
								  "\t\t\t\tuniform token info:id = \"UsdPrimvarReader_float2\"\n"
								  "\t\t\t\tstring inputs:varname = \"st\"\n\t\t\t\tfloat2 outputs:result\n\t\t\t}\n");
	}
	brUsdaWriter_Text(writer, "\t\t}\n");
}

void brUsdaWriter_WriteMaterials(brUsdaWriter* writer)
{
	if (writer->materialNameCount == 0)
	{
		return;
	}
	brUsdaWriter_Text(writer, "\n\tdef Scope \"materials\"\n\t{\n");
	for (int32_t m = 0; m < writer->materialNameCount; ++m)
	{
		brUsdaWriter_Text(writer, m > 0 ? "\n" : "");
		usdaWriteMaterial(writer, m);
	}
	brUsdaWriter_Text(writer, "\t}\n");
}

// Meshes

static brResult usdaWritePoints(brUsdaWriter* writer, const brMesh* mesh)
{
	brVec3 lower = {INFINITY, INFINITY, INFINITY};
	brVec3 upper = {-INFINITY, -INFINITY, -INFINITY};
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		brVec3 p = brToVec3(mesh->positions[v]);
		if (!brDIsFinite(brToDVec3(p)))
		{
			return brFailAt(writer->job->report, br_errorGeometry, v,
							"%.100s: vertex %d is beyond the range of float, which USD points have", writer->job->path,
							v);
		}
		lower = brMin(lower, p);
		upper = brMax(upper, p);
	}
	if (mesh->vertexCount > 0)
	{
		brUsdaWriter_Text(writer, "\t\t\tfloat3[] extent = [");
		brUsdaWriter_Tuple(writer, &lower.x, 3);
		brUsdaWriter_Text(writer, ", ");
		brUsdaWriter_Tuple(writer, &upper.x, 3);
		brUsdaWriter_Text(writer, "]\n");
	}
	brUsdaWriter_Text(writer, "\t\t\tpoint3f[] points = [");
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		brDVec3 exact = mesh->positions[v];
		brVec3 p = brToVec3(exact);
		writer->hasRounded |= (double)p.x != exact.x || (double)p.y != exact.y || (double)p.z != exact.z;
		usdaListTuple(writer, v, &p.x, 3);
	}
	brUsdaWriter_Text(writer, "]\n");
	return br_success;
}

// Corner numbers and sizes of the faces, split into triangles if there is a triangulation.
static void usdaWriteFaces(brUsdaWriter* writer, const brMesh* mesh, const brTriangulation* triangles)
{
	int32_t faceCount = triangles != NULL ? triangles->triangleCount : mesh->faceCount;
	int64_t cornerCount = triangles != NULL ? 3 * (int64_t)faceCount : mesh->cornerCount;
	brUsdaWriter_Text(writer, "\t\t\tint[] faceVertexCounts = [");
	for (int32_t f = 0; f < faceCount; ++f)
	{
		usdaListInt(writer, f, triangles != NULL ? 3 : brMesh_GetFaceSize(mesh, f));
	}
	brUsdaWriter_Text(writer, "]\n\t\t\tint[] faceVertexIndices = [");
	for (int64_t c = 0; c < cornerCount; ++c)
	{
		usdaListInt(writer, c, mesh->corners[triangles != NULL ? triangles->corners[c] : c]);
	}
	brUsdaWriter_Text(writer, "]\n");
}

// Values per corner, each different one once, and their numbers in the order the faces were written. `name` is that of
// the primvar, with its type.
static bool usdaWriteCornerValues(brUsdaWriter* writer, const char* type, const char* name, const float* values,
								  int32_t components, const brMesh* mesh, const brTriangulation* triangles)
{
	const brAllocator* allocator = &writer->job->allocator;
	brCornerValues different;
	bool isReady =
		brCornerValues_Find(&different, allocator, values, (size_t)components * sizeof(float), mesh->cornerCount);
	if (isReady)
	{
		brOutput_Format(&writer->output, "\t\t\t%s[] primvars:%s = [", type, name);
		for (int32_t i = 0; i < different.count; ++i)
		{
			usdaListTuple(writer, i, values + (int64_t)components * different.firsts[i], components);
		}
		brOutput_Format(&writer->output,
						"] (\n\t\t\t\tinterpolation = \"faceVarying\"\n\t\t\t)\n"
						"\t\t\tint[] primvars:%s:indices = [",
						name);
		int64_t cornerCount = triangles != NULL ? 3 * (int64_t)triangles->triangleCount : mesh->cornerCount;
		for (int64_t c = 0; c < cornerCount; ++c)
		{
			usdaListInt(writer, c, different.indices[triangles != NULL ? triangles->corners[c] : c]);
		}
		brUsdaWriter_Text(writer, "]\n");
	}
	brCornerValues_Free(&different, allocator);
	return isReady;
}

static void usdaWriteColors(brUsdaWriter* writer, const brMesh* mesh)
{
	bool isOpaque = true;
	brUsdaWriter_Text(writer, "\t\t\tcolor3f[] primvars:displayColor = [");
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		isOpaque &= mesh->colors[v].w == 1.0f;
		usdaListTuple(writer, v, &mesh->colors[v].x, 3);
	}
	brUsdaWriter_Text(writer, "] (\n\t\t\t\tinterpolation = \"vertex\"\n\t\t\t)\n");
	if (!isOpaque)
	{
		brUsdaWriter_Text(writer, "\t\t\tfloat[] primvars:displayOpacity = [");
		for (int32_t v = 0; v < mesh->vertexCount; ++v)
		{
			brUsdaWriter_Text(writer, v > 0 ? ", " : "");
			brUsdaWriter_Float(writer, mesh->colors[v].w);
		}
		brUsdaWriter_Text(writer, "] (\n\t\t\t\tinterpolation = \"vertex\"\n\t\t\t)\n");
	}
}

// One binding if all faces agree, else a subset of faces per material.
static bool usdaWriteBindings(brUsdaWriter* writer, int32_t index, const brMesh* mesh, const brTriangulation* triangles)
{
	const int32_t* numbers = writer->materialOf + writer->firstMaterials[index];
	const brAllocator* allocator = &writer->job->allocator;
	int32_t faceCount = triangles != NULL ? triangles->triangleCount : mesh->faceCount;
	brBuckets order;
	bool complete = brSortByMaterial(allocator, mesh, triangles, &order);
	for (int32_t m = 0; m < mesh->materialCount && complete; ++m)
	{
		int32_t begin = order.starts[m], end = order.starts[m + 1];
		const char* name = writer->materialNames[numbers[m]];
		if (end - begin == faceCount)
		{
			brOutput_Format(&writer->output, "\t\t\trel material:binding = </root/materials/%s>\n", name);
		}
		else if (end > begin)
		{
			brOutput_Format(
				&writer->output,
				"\n\t\t\tdef GeomSubset \"subset_%d\" (\n\t\t\t\tprepend apiSchemas = [\"MaterialBindingAPI\"]\n"
				"\t\t\t)\n\t\t\t{\n\t\t\t\tuniform token elementType = \"face\"\n"
				"\t\t\t\tuniform token familyName = \"materialBind\"\n\t\t\t\tint[] indices = [",
				m);
			for (int32_t i = begin; i < end; ++i)
			{
				usdaListInt(writer, i - begin, order.items[i]);
			}
			brOutput_Format(&writer->output, "]\n\t\t\t\trel material:binding = </root/materials/%s>\n\t\t\t}\n", name);
		}
	}
	brBuckets_Free(&order, allocator);
	return complete;
}

// A mesh prim; `index` is its mesh in the assembly, or -1 for the surface of tets.
static brResult usdaWriteMesh(brUsdaWriter* writer, const brMesh* mesh, int32_t index)
{
	const brWriteJob* job = writer->job;
	brTriangulation* triangles = NULL;
	if (job->def->triangulate && mesh->cornerCount != 3 * (int64_t)mesh->faceCount)
	{
		brResult result = brTriangulateMesh(job->context, mesh, &triangles, job->report);
		if (result < 0)
		{
			return result;
		}
		writer->hasTriangulated = true;
	}
	bool hasMaterials = index >= 0 && mesh->materialCount > 0 && mesh->faceMaterials != NULL && mesh->faceCount > 0;
	writer->hasGroups |= mesh->groupCount > 0 && mesh->faceGroups != NULL;
	brUsdaWriter_Text(writer, "\t\tdef Mesh \"mesh\"");
	if (hasMaterials || writer->hasPhysics)
	{
		brOutput_Format(&writer->output, " (\n\t\t\tprepend apiSchemas = [%s%s%s]\n\t\t)",
						hasMaterials ? "\"MaterialBindingAPI\"" : "", hasMaterials && writer->hasPhysics ? ", " : "",
						writer->hasPhysics ? "\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\"" : "");
	}
	brUsdaWriter_Text(writer, "\n\t\t{\n");
	if (writer->hasPhysics)
	{
		brUsdaWriter_Text(writer, "\t\t\tuniform token physics:approximation = \"convexDecomposition\"\n");
	}
	usdaWriteFaces(writer, mesh, triangles);
	brResult result = usdaWritePoints(writer, mesh);
	bool hasMemory = true;
	if (result >= 0 && mesh->normals != NULL)
	{
		hasMemory =
			usdaWriteCornerValues(writer, "normal3f", "normals", (const float*)mesh->normals, 3, mesh, triangles);
	}
	if (result >= 0 && mesh->uvs != NULL && hasMemory)
	{
		hasMemory = usdaWriteCornerValues(writer, "texCoord2f", "st", (const float*)mesh->uvs, 2, mesh, triangles);
	}
	if (result >= 0 && mesh->colors != NULL)
	{
		usdaWriteColors(writer, mesh);
	}
	brUsdaWriter_Text(
		writer,
		"\t\t\tuniform token orientation = \"rightHanded\"\n\t\t\tuniform token subdivisionScheme = \"none\"\n");
	if (result >= 0 && hasMaterials)
	{
		hasMemory = hasMemory && usdaWriteBindings(writer, index, mesh, triangles);
	}
	result = result >= 0 && !hasMemory ? brFailMemory(job->report) : result;
	brUsdaWriter_Text(writer, "\t\t}\n");
	brDestroyTriangulation(triangles);
	return result;
}

int64_t brUsdaWriter_ShapeCorners(const brUsdaWriter* writer, int32_t number)
{
	const brAssembly* assembly = writer->job->assembly;
	return number < assembly->meshCount ? assembly->meshes[number]->cornerCount
										: 12 * (int64_t)assembly->tetMeshes[number - assembly->meshCount]->tetCount;
}

// Shape `number` counts meshes first, then tet meshes.
brResult brUsdaWriter_WriteShape(brUsdaWriter* writer, int32_t number)
{
	const brAssembly* assembly = writer->job->assembly;
	if (number < assembly->meshCount)
	{
		return usdaWriteMesh(writer, assembly->meshes[number], number);
	}
	brMesh* surface = NULL;
	brResult result = brTetMesh_MakeSurface(assembly->tetMeshes[number - assembly->meshCount], writer->job->context,
											&surface, writer->job->report);
	if (result >= 0)
	{
		writer->hasTets = true;
		result = usdaWriteMesh(writer, surface, -1);
		brDestroyMesh(surface);
	}
	return result;
}

static brResult usdaRemark(const brUsdaWriter* writer)
{
	struct
	{
		bool holds;
		const char* what;
	} all[] = {
		{writer->hasTets, "tets were written as their surface"},
		{writer->hasRounded, "positions were rounded to float"},
		{writer->hasFixedValues || writer->materials.hasClamped,
		 "values that are not finite or out of range were clamped"},
		{writer->hasGroups, "groups were left out"},
		{writer->hasTriangulated, "polygons were split into triangles"},
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

static brResult usdaWriteOne(brUsdaWriter* writer)
{
	const brWriteJob* job = writer->job;
	brResult result = brOutput_Open(&writer->output, &job->allocator, job->path, job->report);
	if (result < 0)
	{
		return result;
	}
	result = brUsdaWriter_WriteScene(writer, NULL);
	result = result < 0 ? result : brUsdaWriter_WriteShapes(writer);
	if (result < 0)
	{
		brOutput_Abort(&writer->output);
		return result;
	}
	return brOutput_Commit(&writer->output, job->report);
}

// What moves in the file, the shapes in another beside it: programs that know it load either as they need it.
static brResult usdaWriteTwo(brUsdaWriter* writer)
{
	const brWriteJob* job = writer->job;
	char path[4096];
	const char* dot = strrchr(job->path, '.');
	int length = dot != NULL && dot > job->path ? (int)(dot - job->path) : (int)strlen(job->path);
	if (snprintf(path, sizeof(path), "%.*s_meshes.usda", length, job->path) >= (int)sizeof(path))
	{
		return brFail(job->report, br_errorFile, "the name of the file is too long");
	}
	writer->isSplit = true;
	brOutput shapes;
	brResult result = brOutput_Open(&writer->output, &job->allocator, path, job->report);
	if (result < 0)
	{
		return result;
	}
	brUsdaWriter_Text(writer, "#usda 1.0\n(\n\tdoc = \"brittle\"\n\tmetersPerUnit = 1\n");
	brOutput_Format(&writer->output, "\tupAxis = \"%s\"\n)\n", job->def->yUp || job->def->isYUp ? "Y" : "Z");
	result = brUsdaWriter_WriteShapes(writer);
	shapes = writer->output;
	brResult opened = result < 0 ? result : brOutput_Open(&writer->output, &job->allocator, job->path, job->report);
	const char* slash = brOs_LastSlash(path);
	result = opened < 0 ? opened : brUsdaWriter_WriteScene(writer, slash != NULL ? slash + 1 : path);
	if (result >= 0)
	{
		return brOutput_CommitAll((brOutput*[]){&shapes, &writer->output}, 2, job->report);
	}
	brOutput_Abort(&shapes);
	if (opened >= 0)
	{
		brOutput_Abort(&writer->output);
	}
	return result;
}

brResult brWriteUsda(const brWriteJob* job)
{
	const brAssembly* assembly = job->assembly;
	const brAllocator* allocator = &job->allocator;
	brResult result = brCheckParts(job);
	if (result < 0)
	{
		return result;
	}
	brUsdaWriter writer = {.job = job};
	for (int32_t p = 0; p < assembly->partCount; ++p)
	{
		writer.hasPhysics = writer.hasPhysics || assembly->parts[p].mass > 0.0;
	}
	usdaPlanTime(&writer);
	result = usdaPlanNames(&writer) ? br_success : brFailMemory(job->report);
	if (result >= 0)
	{
		result = job->def->split ? usdaWriteTwo(&writer) : usdaWriteOne(&writer);
	}
	if (result >= 0)
	{
		result = usdaRemark(&writer);
	}
	brFreeArray(allocator, writer.partNames, assembly->partCount + assembly->groupCount, USDA_NAME_BYTES);
	brFreeArray(allocator, writer.materialNames, writer.materialNameCount, USDA_NAME_BYTES);
	BR_FREE(allocator, writer.uses, (int64_t)assembly->meshCount + assembly->tetMeshCount);
	BR_FREE(allocator, writer.firstMaterials, assembly->meshCount);
	BR_FREE(allocator, writer.order, assembly->partCount);
	BR_FREE(allocator, writer.materialOf, writer.materialOfCount);
	BR_FREE_ARRAY(allocator, &writer.materials.items);
	return result;
}
