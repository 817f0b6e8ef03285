// SPDX-License-Identifier: MIT
#include "io_help.h"

#include "base/memory.h"
#include "fuzz/invariants.h"
#include "mesh/mesh_build.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

brMesh* ioRead(brFileFormat format, const void* bytes, size_t byteCount)
{
	brAssembly* assembly = BR_MADE(brAssembly, brReadAssembly, NULL, bytes, byteCount, format, NULL);
	const char* broken = brAssemblyInvariant(assembly);
	CHECK_MESSAGE(broken == NULL, "%s", broken);
	CHECK_EQUAL(assembly->meshCount, 1);
	CHECK_EQUAL(assembly->partCount, 1);
	brMesh* mesh = assembly->meshes[0];
	assembly->meshCount = 0;
	brDestroyAssembly(assembly);
	return mesh;
}

brMesh* ioReadText(brFileFormat format, const char* text)
{
	return ioRead(format, text, strlen(text));
}

void ioReadFails(brFileFormat format, const void* bytes, size_t byteCount, brResult code, const char* words)
{
	brAssembly* assembly = NULL;
	brReport report = {0};
	brResult result = brReadAssembly(NULL, bytes, byteCount, format, NULL, &assembly, &report);
	CHECK_MESSAGE(result == code, "expected %s about \"%s\", got %s: %s", brResult_GetName(code), words,
				  brResult_GetName(result), report.text);
	CHECK(assembly == NULL && report.code == code);
	CHECK_MESSAGE(strstr(report.text, words) != NULL, "\"%s\" is not in: %s", words, report.text);
}

void ioTextFails(brFileFormat format, const char* text, brResult code, const char* words)
{
	ioReadFails(format, text, strlen(text), code, words);
}

int32_t ioTruncate(brFileFormat format, const void* bytes, size_t byteCount)
{
	int32_t loaded = 0;
	for (size_t length = 0; length <= byteCount; ++length)
	{
		// A block of exactly this size, so that a sanitizer sees a step too far.
		void* copy = malloc(length > 0 ? length : 1);
		memcpy(copy, bytes, length);
		brAssembly* assembly = NULL;
		brReport report = {0};
		brResult result = brReadAssembly(NULL, copy, length, format, NULL, &assembly, &report);
		free(copy);
		CHECK((result < 0) == (assembly == NULL));
		CHECK_MESSAGE((result == br_success) == (report.text[0] == 0), "%s after %zu bytes says \"%s\"",
					  brResult_GetName(result), length, report.text);
		if (result >= 0)
		{
			const char* broken = brAssemblyInvariant(assembly);
			CHECK_MESSAGE(broken == NULL, "after %zu bytes %s", length, broken);
			loaded += 1;
		}
		brDestroyAssembly(assembly);
	}
	return loaded;
}

void ioReadCorpus(const char* folderName, brFileFormat format, bool hasPath, int32_t leastLoaded)
{
	char path[1024];
	snprintf(path, sizeof(path), BR_SOURCE_DIR "/test/corpus/%s", folderName);
	DIR* folder = opendir(path);
	CHECK_MESSAGE(folder != NULL, "%s is not there", path);
	int32_t loaded = 0;
	for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder))
	{
		if (entry->d_name[0] == '.')
		{
			continue;
		}
		snprintf(path, sizeof(path), BR_SOURCE_DIR "/test/corpus/%s/%.200s", folderName, entry->d_name);
		size_t byteCount;
		void* bytes = ioLoadBytes(path, &byteCount);
		brAssembly* assembly = NULL;
		brReport report = {0};
		brResult result = brReadAssembly(NULL, bytes, byteCount, format, hasPath ? path : NULL, &assembly, &report);
		CHECK_MESSAGE((result == br_success) == (report.text[0] == 0), "%s: %s", path, report.text);
		const char* broken = assembly != NULL ? brAssemblyInvariant(assembly) : NULL;
		CHECK_MESSAGE(broken == NULL, "%s: %s", path, broken);
		loaded += result >= 0;
		brDestroyAssembly(assembly);
		ioTruncate(format, bytes, byteCount < 2048 ? byteCount : 2048);
		free(bytes);
	}
	closedir(folder);
	CHECK_MESSAGE(loaded >= leastLoaded, "only %d files of %s load", loaded, folderName);
}

int32_t ioCountText(const char* text, const char* word)
{
	int32_t count = 0;
	for (const char* at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
	{
		count += 1;
	}
	return count;
}

typedef struct WalkInput
{
	brFileFormat format;
	const void* bytes;
	size_t byteCount;
	const char* name;
	const brMesh* mesh;
	const char* path;
	const brSaveDef* def;
} WalkInput;

static brResult walkRead(const brContext* context, void* user)
{
	const WalkInput* input = user;
	brAssembly* assembly = NULL;
	brResult result =
		brReadAssembly(context, input->bytes, input->byteCount, input->format, input->name, &assembly, NULL);
	CHECK((result >= 0) == (assembly != NULL));
	brDestroyAssembly(assembly);
	return result;
}

void ioWalkReader(brFileFormat format, const void* bytes, size_t byteCount, const char* name)
{
	WalkInput input = {.format = format, .bytes = bytes, .byteCount = byteCount, .name = name};
	CHECK(brTest_WalkAllocations(walkRead, &input) > 5);
}

static brResult walkWrite(const brContext* context, void* user)
{
	const WalkInput* input = user;
	return brSaveMesh(context, input->mesh, input->path, input->def, NULL);
}

void ioWalkWriter(const brMesh* mesh, const char* path, const brSaveDef* def)
{
	WalkInput input = {.mesh = mesh, .path = path, .def = def};
	CHECK(brTest_WalkAllocations(walkWrite, &input) >= 2);
}

void* ioLoadBytes(const char* path, size_t* outByteCount)
{
	FILE* file = fopen(path, "rb");
	CHECK_MESSAGE(file != NULL, "cannot open %s", path);
	fseek(file, 0, SEEK_END);
	size_t size = (size_t)ftell(file);
	rewind(file);
	char* bytes = malloc(size + 1);
	CHECK(fread(bytes, 1, size, file) == size);
	bytes[size] = 0;
	fclose(file);
	*outByteCount = size;
	return bytes;
}

bool ioSameBytes(const char* path, const char* otherPath)
{
	size_t count, otherCount;
	char* bytes = ioLoadBytes(path, &count);
	char* others = ioLoadBytes(otherPath, &otherCount);
	bool isSame = count == otherCount && memcmp(bytes, others, count) == 0;
	free(bytes);
	free(others);
	return isSame;
}

void ioSaveBytes(const char* path, const void* bytes, size_t byteCount)
{
	FILE* file = fopen(path, "wb");
	CHECK_MESSAGE(file != NULL, "cannot write %s", path);
	CHECK(fwrite(bytes, 1, byteCount, file) == byteCount);
	CHECK(fclose(file) == 0);
}

brMesh* ioRoundTrip(const brMesh* mesh, const char* path, const brSaveDef* def)
{
	brReport report = {0};
	CHECK_RESULT(brSaveMesh(NULL, mesh, path, def, &report), &report);
	brMesh* again = BR_MADE(brMesh, brLoadMesh, NULL, path);
	const char* broken = brMeshInvariant(again);
	CHECK_MESSAGE(broken == NULL, "%s: %s", path, broken);
	return again;
}

static bool sameBytes(const void* a, const void* b, int64_t count, size_t elementBytes)
{
	return count == 0 || memcmp(a, b, (size_t)count * elementBytes) == 0;
}

const char* ioDifference(const brMesh* a, const brMesh* b, uint32_t parts)
{
	static char text[640];
	if (a->vertexCount != b->vertexCount || a->faceCount != b->faceCount || a->cornerCount != b->cornerCount)
	{
		snprintf(text, sizeof(text), "counts differ: %d %d %d and %d %d %d", a->vertexCount, a->faceCount,
				 a->cornerCount, b->vertexCount, b->faceCount, b->cornerCount);
		return text;
	}
	for (int32_t v = 0; v < a->vertexCount; ++v)
	{
		if (memcmp(&a->positions[v], &b->positions[v], sizeof(brDVec3)) != 0)
		{
			snprintf(text, sizeof(text), "vertex %d: %.17g %.17g %.17g and %.17g %.17g %.17g", v, a->positions[v].x,
					 a->positions[v].y, a->positions[v].z, b->positions[v].x, b->positions[v].y, b->positions[v].z);
			return text;
		}
	}
	if (!sameBytes(a->faceStarts, b->faceStarts, (int64_t)a->faceCount + 1, sizeof(int32_t)))
	{
		return "the sizes of faces differ";
	}
	if (!sameBytes(a->corners, b->corners, a->cornerCount, sizeof(int32_t)))
	{
		return "the corners differ";
	}
	struct
	{
		uint32_t part;
		const char* name;
		const void* a;
		const void* b;
		int64_t count;
		size_t bytes;
	} arrays[] = {
		{ioUvs, "texture coordinates", a->uvs, b->uvs, a->cornerCount, sizeof(brVec2)},
		{ioNormals, "normals", a->normals, b->normals, a->cornerCount, sizeof(brVec3)},
		{ioColors, "colors", a->colors, b->colors, a->vertexCount, sizeof(brVec4)},
		{ioMaterials, "materials of faces", a->faceMaterials, b->faceMaterials, a->faceCount, sizeof(int32_t)},
		{ioGroups, "groups of faces", a->faceGroups, b->faceGroups, a->faceCount, sizeof(int32_t)},
	};
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i)
	{
		bool isMissing = (arrays[i].a == NULL) != (arrays[i].b == NULL);
		if ((parts & arrays[i].part) != 0 &&
			(isMissing ||
			 (arrays[i].a != NULL && !sameBytes(arrays[i].a, arrays[i].b, arrays[i].count, arrays[i].bytes))))
		{
			snprintf(text, sizeof(text), "the %s %s", arrays[i].name, isMissing ? "are not in both" : "differ");
			return text;
		}
	}
	if ((parts & ioMaterials) != 0 && a->materialCount != b->materialCount)
	{
		snprintf(text, sizeof(text), "%d and %d materials", a->materialCount, b->materialCount);
		return text;
	}
	for (int32_t m = 0; m < a->materialCount && (parts & ioMaterials) != 0; ++m)
	{
		const brSurfaceMaterial* x = &a->materials[m];
		const brSurfaceMaterial* y = &b->materials[m];
		bool isSameLook = sameBytes(&x->baseColor, &y->baseColor, 1, sizeof(brVec4)) && x->metallic == y->metallic &&
						  x->roughness == y->roughness && sameBytes(&x->emission, &y->emission, 1, sizeof(brVec3));
		if (strcmp(x->name, y->name) != 0 || ((parts & ioTextures) != 0 && strcmp(x->texture, y->texture) != 0) ||
			((parts & ioMaterialLooks) != 0 && !isSameLook))
		{
			snprintf(text, sizeof(text), "material %d: %s %s and %s %s%s", m, x->name, x->texture, y->name, y->texture,
					 isSameLook ? "" : ", look differs");
			return text;
		}
	}
	if ((parts & ioGroups) != 0 &&
		(a->groupCount != b->groupCount || !sameBytes(a->groupNames, b->groupNames, a->groupCount, sizeof(char[64]))))
	{
		snprintf(text, sizeof(text), "the names of %d and %d groups differ", a->groupCount, b->groupCount);
		return text;
	}
	return NULL;
}

static brVec2 sampleUv(brRandom* random, bool isGentle)
{
	if (isGentle)
	{
		return (brVec2){(float)brRandom_Below(random, 1u << 24) * 0x1p-24f,
						(float)brRandom_Below(random, 1u << 24) * 0x1p-24f};
	}
	return (brVec2){(float)brRandom_Range(random, -2.0, 2.0), (float)brRandom_Range(random, -2.0, 2.0)};
}

static brVec3 sampleNormal(brRandom* random, bool isGentle)
{
	brDVec3 n = {brRandom_Range(random, -2.0, 2.0), brRandom_Range(random, -2.0, 2.0),
				 brRandom_Range(random, 0.1, 2.0)};
	return brToVec3(isGentle ? brDNormalize(n) : n);
}

brMesh* ioMakeSample(brRandom* random, const IoSampleDef* def)
{
	int32_t n = def->size;
	int32_t vertexCount = (n + 1) * (n + 1);
	int32_t* starts = malloc(((size_t)n * (size_t)n * 2 + 1) * sizeof(int32_t));
	int32_t* corners = malloc((size_t)n * (size_t)n * 6 * sizeof(int32_t));
	int32_t faceCount = 0;
	starts[0] = 0;
	for (int32_t y = 0; y < n; ++y)
	{
		for (int32_t x = 0; x < n; ++x)
		{
			int32_t a = y * (n + 1) + x;
			int32_t quad[4] = {a, a + 1, a + n + 2, a + n + 1};
			int32_t* out = corners + starts[faceCount];
			if (def->polygons && brRandom_Below(random, 2) == 0)
			{
				memcpy(out, quad, sizeof(quad));
				starts[faceCount + 1] = starts[faceCount] + 4;
				faceCount += 1;
				continue;
			}
			int32_t triangles[6] = {quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]};
			memcpy(out, triangles, sizeof(triangles));
			starts[faceCount + 1] = starts[faceCount] + 3;
			starts[faceCount + 2] = starts[faceCount] + 6;
			faceCount += 2;
		}
	}

	// Vertices in the order in which faces name them, as every reader that welds would number them.
	int32_t* order = malloc((size_t)vertexCount * sizeof(int32_t));
	memset(order, 0xFF, (size_t)vertexCount * sizeof(int32_t));
	int32_t used = 0;
	for (int32_t c = 0; c < starts[faceCount]; ++c)
	{
		if (order[corners[c]] < 0)
		{
			order[corners[c]] = used++;
		}
		corners[c] = order[corners[c]];
	}

	brAllocator allocator = brContext_Allocator(NULL);
	brMeshShape shape = {
		.vertexCount = vertexCount,
		.faceCount = faceCount,
		.cornerCount = starts[faceCount],
		.materialCount = (def->parts & ioMaterials) != 0 ? 3 : 0,
		.groupCount = (def->parts & ioGroups) != 0 ? 3 : 0,
		.hasUvs = (def->parts & ioUvs) != 0,
		.hasNormals = (def->parts & ioNormals) != 0,
		.hasColors = (def->parts & ioColors) != 0,
		.hasFaceMaterials = (def->parts & ioMaterials) != 0,
		.hasFaceGroups = (def->parts & ioGroups) != 0,
	};
	brMesh* mesh = brAllocMesh(&allocator, &shape);
	CHECK(mesh != NULL);
	memcpy(mesh->faceStarts, starts, ((size_t)faceCount + 1) * sizeof(int32_t));
	memcpy(mesh->corners, corners, (size_t)shape.cornerCount * sizeof(int32_t));
	for (int32_t i = 0; i < vertexCount; ++i)
	{
		double height = brRandom_Range(random, -1.0, 1.0);
		brDVec3 p = {i % (n + 1) + 0.25 * brRandom_Unit(random), i / (n + 1) + 0.25 * brRandom_Unit(random), height};
		p = def->doubles ? p : brToDVec3(brToVec3(p));
		mesh->positions[order[i]] = p;
	}
	mesh->positions[0].z = 0.0;
	brVec2* uvs = malloc((size_t)vertexCount * sizeof(brVec2));
	brVec3* normals = malloc((size_t)vertexCount * sizeof(brVec3));
	for (int32_t v = 0; v < vertexCount; ++v)
	{
		uvs[v] = sampleUv(random, def->gentle);
		normals[v] = sampleNormal(random, def->gentle);
		if (mesh->colors != NULL)
		{
			mesh->colors[v] = (brVec4){(float)brRandom_Unit(random), (float)brRandom_Unit(random),
									   (float)brRandom_Unit(random), def->gentle ? 1.0f : (float)brRandom_Unit(random)};
		}
	}
	for (int32_t c = 0; c < shape.cornerCount; ++c)
	{
		bool isOwn = !def->perVertex && brRandom_Below(random, 3) == 0;
		if (mesh->uvs != NULL)
		{
			mesh->uvs[c] = isOwn ? sampleUv(random, def->gentle) : uvs[corners[c]];
		}
		if (mesh->normals != NULL)
		{
			mesh->normals[c] = isOwn ? sampleNormal(random, def->gentle) : normals[corners[c]];
		}
	}
	for (int32_t f = 0; f < faceCount; ++f)
	{
		// Runs, out of order, with faces that have none.
		if (mesh->faceMaterials != NULL)
		{
			int32_t sorted = f < faceCount - 2 ? 3 * f / faceCount : -1;
			mesh->faceMaterials[f] = def->gentle ? sorted : 2 - (f / 3) % 4;
		}
		if (mesh->faceGroups != NULL)
		{
			mesh->faceGroups[f] = def->gentle ? 3 * f / faceCount : (f / 5) % 4 - 1;
		}
	}
	for (int32_t m = 0; m < shape.materialCount; ++m)
	{
		brSurfaceMaterial* material = &mesh->materials[m];
		*material = brDefaultSurfaceMaterial();
		static const char* const names[] = {"porcelain", "raw clay", "gl\xC3\xA4nzend"};
		snprintf(material->name, sizeof(material->name), "%s", names[m]);
		snprintf(material->texture, sizeof(material->texture), "%s", m == 1 ? "maps/clay #1.png" : "");
		material->baseColor = (brVec4){0.1f * (float)(m + 1), 0.7f, 1.0f / 3.0f, m == 2 ? 0.5f : 1.0f};
		material->metallic = 0.25f * (float)m;
		material->roughness = 0.3f + 0.1f * (float)m;
		material->emission = (brVec3){0.0f, 0.2f * (float)m, def->gentle ? 0.9f : 1.1f};
	}
	for (int32_t g = 0; g < shape.groupCount; ++g)
	{
		snprintf(mesh->groupNames[g], sizeof(mesh->groupNames[g]), g == 1 ? "part two" : "part%d", g);
	}
	free(starts);
	free(corners);
	free(order);
	free(uvs);
	free(normals);
	return mesh;
}
