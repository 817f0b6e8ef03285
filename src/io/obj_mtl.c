// SPDX-License-Identifier: MIT

// Wavefront materials with the physically based keys that most programs write today (Pr, Pm). Ns, the older measure,
// gives the roughness when Pr is missing: a Phong lobe of exponent n is about as wide as roughness sqrt(2 / (n + 2)).

#include "io/obj_mtl.h"

#include "base/os.h"
#include "io/text.h"

#include <math.h>
#include <string.h>

int32_t brMtl_Find(brMtlList* list, const brAllocator* allocator, const char* name, size_t length)
{
	int32_t index = brNames_Add(&list->names, allocator, name, length);
	if (index < 0 || index < list->materials.count)
	{
		return index;
	}
	brSurfaceMaterial material = brDefaultSurfaceMaterial();
	memcpy(material.name, list->names.list.data[index].text, sizeof(material.name));
	if (!BR_PUSH(allocator, &list->materials, material))
	{
		list->names.list.count -= 1; // never looked up again: the caller gives up
		return -1;
	}
	return index;
}

void brMtl_Free(brMtlList* list, const brAllocator* allocator)
{
	brNames_Free(&list->names, allocator);
	BR_FREE_ARRAY(allocator, &list->materials);
}

static bool mtlFloats(brTextCursor* cursor, float* out, int32_t count)
{
	float values[3];
	for (int32_t i = 0; i < count; ++i)
	{
		if (!brText_Float(cursor, &values[i]) || !isfinite(values[i]))
		{
			if (i != 1 || count != 3)
			{
				return false;
			}
			values[1] = values[2] = values[0]; // one number stands for all three
			break;
		}
	}
	memcpy(out, values, (size_t)count * sizeof(float));
	return true;
}

// "map_Kd -s 1 1 1 -clamp on wood.png": options with their values come first.
static void mtlTexture(brTextCursor* cursor, brSurfaceMaterial* material)
{
	for (brText_SkipBlanks(cursor); *cursor->at == '-'; brText_SkipBlanks(cursor))
	{
		const char* option;
		size_t length = brText_Word(cursor, &option);
		int32_t numbers = 0;
		double value;
		while (numbers < 3 && brText_Double(cursor, &value))
		{
			numbers += 1;
		}
		bool takesWord = length > 1 && numbers == 0;
		if (takesWord)
		{
			brText_SkipBlanks(cursor);
			brText_Word(cursor, &option);
		}
	}
	const char* path;
	size_t length = brText_RestOfLine(cursor, &path);
	brCopyName(material->texture, sizeof(material->texture), path, length);
}

// Reads the text of a .mtl file; *end must be zero. What is not understood is passed over: a look is not worth a
// refusal. False without memory.
static bool mtlReadText(brMtlList* list, const brAllocator* allocator, const char* text, const char* end)
{
	brTextCursor cursor = {text, end, 1};
	int32_t current = -1;
	bool hasRoughness = false;
	for (; cursor.at < cursor.end; brText_NextLine(&cursor))
	{
		brText_SkipBlanks(&cursor);
		float value[3];
		if (brText_TakeWord(&cursor, "newmtl"))
		{
			const char* name;
			size_t length = brText_RestOfLine(&cursor, &name);
			current = brMtl_Find(list, allocator, name, length);
			hasRoughness = false;
			if (current < 0)
			{
				return false;
			}
			continue;
		}
		if (current < 0)
		{
			continue;
		}
		brSurfaceMaterial* material = &list->materials.data[current];
		if (brText_TakeWord(&cursor, "Kd"))
		{
			mtlFloats(&cursor, &material->baseColor.x, 3);
		}
		else if (brText_TakeWord(&cursor, "Ke"))
		{
			mtlFloats(&cursor, &material->emission.x, 3);
		}
		else if (brText_TakeWord(&cursor, "d"))
		{
			mtlFloats(&cursor, &material->baseColor.w, 1);
		}
		else if (brText_TakeWord(&cursor, "Tr"))
		{
			material->baseColor.w = mtlFloats(&cursor, value, 1) ? 1.0f - value[0] : material->baseColor.w;
		}
		else if (brText_TakeWord(&cursor, "Pr"))
		{
			hasRoughness = mtlFloats(&cursor, &material->roughness, 1) || hasRoughness;
		}
		else if (brText_TakeWord(&cursor, "Pm"))
		{
			mtlFloats(&cursor, &material->metallic, 1);
		}
		else if (brText_TakeWord(&cursor, "Ns") && !hasRoughness && mtlFloats(&cursor, value, 1))
		{
			material->roughness = value[0] > 0.0f ? sqrtf(2.0f / (value[0] + 2.0f)) : 1.0f;
		}
		else if (brText_TakeWord(&cursor, "map_Kd"))
		{
			mtlTexture(&cursor, material);
		}
	}
	return true;
}

// Reads one .mtl beside the .obj. An absolute path comes from another machine: its last part is looked for instead.
static brResult mtlReadLibrary(brMtlList* list, const brReadJob* job, const char* name, size_t length, bool* outFound)
{
	*outFound = false;
	const char* slash = brOs_LastSlash(job->name);
	size_t folder = slash != NULL ? (size_t)(slash - job->name) + 1 : 0;
	char path[1024];
	if (folder + length >= sizeof(path) || memchr(name, 0, length) != NULL)
	{
		return br_success;
	}
	memcpy(path, job->name, folder);
	memcpy(path + folder, name, length);
	path[folder + length] = 0;
	for (char* c = path + folder; *c != 0; ++c)
	{
		*c = *c == '\\' ? '/' : *c;
	}
	bool isAbsolute = path[folder] == '/' || (length > 1 && path[folder + 1] == ':');
	if (isAbsolute)
	{
		const char* base = strrchr(path + folder, '/');
		base = base != NULL ? base + 1 : path + folder + 2;
		memmove(path + folder, base, strlen(base) + 1);
	}

	if (!brPath_StaysBelow(path + folder))
	{
		return br_success; // not ours to open
	}
	uint8_t* bytes = NULL;
	size_t byteCount = 0;
	brResult result = brReadFile(job->context, &job->allocator, path, &bytes, &byteCount, NULL);
	if (result < 0)
	{
		return result == br_errorMemory ? brFailMemory(job->report) : br_success;
	}
	const char* text = (const char*)bytes;
	bool isComplete = mtlReadText(list, &job->allocator, text, text + byteCount);
	brFree(&job->allocator, bytes, byteCount + 1);
	*outFound = true;
	return isComplete ? br_success : brFailMemory(job->report);
}

brResult brMtl_ReadLibraries(brMtlList* list, const brReadJob* job, const char* names, size_t length)
{
	if (!job->hasCompanions || length == 0)
	{
		return br_success;
	}
	bool isFound = false;
	brResult result = mtlReadLibrary(list, job, names, length, &isFound);
	if (result < 0 || isFound)
	{
		return result;
	}
	for (size_t i = 0; i < length;)
	{
		size_t start = i;
		while (i < length && names[i] != ' ' && names[i] != '\t')
		{
			i += 1;
		}
		size_t wordLength = i - start;
		if (wordLength > 0 && wordLength < length)
		{
			result = mtlReadLibrary(list, job, names + start, wordLength, &isFound);
			if (result < 0)
			{
				return result;
			}
		}
		if (wordLength > 0 && !isFound && list->missing[0] == 0)
		{
			brCopyName(list->missing, sizeof(list->missing), names + start, wordLength);
		}
		while (i < length && (names[i] == ' ' || names[i] == '\t'))
		{
			i += 1;
		}
	}
	return br_success;
}

static void mtlWriteFloats(brOutput* output, const char* key, const float* values, int32_t count)
{
	brOutput_Text(output, key);
	for (int32_t i = 0; i < count; ++i)
	{
		brOutput_Text(output, " ");
		brOutput_Float(output, values[i]);
	}
	brOutput_Text(output, "\n");
}

void brMtl_Write(brOutput* output, const brSurfaceMaterial* materials, const brName* names, int32_t count)
{
	for (int32_t m = 0; m < count; ++m)
	{
		const brSurfaceMaterial* material = &materials[m];
		brOutput_Format(output, "%snewmtl %s\n", m > 0 ? "\n" : "", names[m].text);
		mtlWriteFloats(output, "Kd", &material->baseColor.x, 3);
		mtlWriteFloats(output, "Ke", &material->emission.x, 3);
		mtlWriteFloats(output, "d", &material->baseColor.w, 1);

		// For programs that only know the old key; ours and newer ones take Pr, which is exact.
		float r = material->roughness > 0.04f ? material->roughness : 0.04f;
		float exponent = 2.0f / (r * r) - 2.0f;
		exponent = exponent > 0.0f ? exponent : 0.0f;
		mtlWriteFloats(output, "Ns", &exponent, 1);
		mtlWriteFloats(output, "Pr", &material->roughness, 1);
		mtlWriteFloats(output, "Pm", &material->metallic, 1);
		if (material->texture[0] != 0)
		{
			char path[sizeof(material->texture)];
			brCopyName(path, sizeof(path), material->texture, strlen(material->texture));
			brOutput_Format(output, "map_Kd %s\n", path);
		}
	}
}
