// SPDX-License-Identifier: MIT

// The outer shell of a glTF file: container, JSON, lists, buffers.
//
//     .glb    12 bytes header | length "JSON" text, padded to 4 | length "BIN" bytes
//     .gltf   the text alone; buffers are data: URIs or files beside it
//
// Files beside the document are opened only if their name stays inside its folder.

#include "io/gltf_document.h"

#include "base/os.h"
#include "io/base64.h"
#include "io/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GLTF_MAGIC 0x46546C67u
#define GLTF_CHUNK_JSON 0x4E4F534Au
#define GLTF_CHUNK_BIN 0x004E4942u

// Every byte of input may become this many corners or vertices, on top of a fixed allowance: far above honest files,
// where a strip gives three corners per byte at most and sharing a few times as much, far below a bomb.
#define GLTF_BUDGET_PER_BYTE 64
#define GLTF_BUDGET_BASE ((int64_t)1 << 22)

brResult brGltf_Fail(const brGltf* gltf, brResult code, const char* format, ...)
{
	char text[360];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return brFail(gltf->job->report, code, "%.100s: %s", gltf->job->name, text);
}

brResult brGltf_Spend(brGltf* gltf, int64_t amount)
{
	if (amount > gltf->budget)
	{
		return brGltf_Fail(gltf, br_errorLimit, "the file unfolds into far more elements than it has bytes");
	}
	gltf->budget -= amount;
	return br_success;
}

// Values

bool brGltf_Integer(const brJson* object, const char* key, int64_t fallback, int64_t* outValue)
{
	const brJson* member = brGltf_Get(object, key);
	if (member == NULL)
	{
		*outValue = fallback;
		return true;
	}
	if (!brJson_Is(member, br_jsonNumber) || !(member->number >= 0.0 && member->number <= 0x1p53) ||
		member->number != floor(member->number))
	{
		return false;
	}
	*outValue = (int64_t)member->number;
	return true;
}

bool brGltf_Index(const brJson* object, const char* key, const brGltfList* list, int32_t* outIndex)
{
	int64_t value;
	if (!brGltf_Integer(object, key, -1, &value) || value >= list->count)
	{
		return false;
	}
	*outIndex = (int32_t)value;
	return true;
}

bool brGltf_Numbers(const brJson* object, const char* key, double* values, int32_t count)
{
	const brJson* member = brGltf_Get(object, key);
	if (member == NULL)
	{
		return true;
	}
	if (!brJson_Is(member, br_jsonArray))
	{
		return false;
	}
	int32_t used = 0;
	for (const brJson* item = member->child; item != NULL; item = item->next, ++used)
	{
		if (used >= count || !brJson_Is(item, br_jsonNumber) || !isfinite(item->number))
		{
			return false;
		}
		values[used] = item->number;
	}
	return used == count;
}

void brGltf_CopyString(char* target, size_t capacity, const brJson* string)
{
	memset(target, 0, capacity);
	if (!brJson_Is(string, br_jsonString))
	{
		return;
	}
	size_t length = strlen(string->text);
	if (length >= capacity)
	{
		length = capacity - 1;
		while (length > 0 && ((unsigned char)string->text[length] & 0xC0) == 0x80)
		{
			length -= 1;
		}
	}
	memcpy(target, string->text, length);
}

// Opening

static uint32_t gltfLoad32(const uint8_t* bytes)
{
	return brLoad32(bytes, brIsBigEndianHost());
}

// Finds the JSON text and the binary chunk. A .glb is known by its first bytes, whatever the ending says.
static brResult gltfSplitContainer(brGltf* gltf, const char** outText, size_t* outLength)
{
	const brReadJob* job = gltf->job;
	const uint8_t* bytes = job->bytes;
	if (job->byteCount < 4 || gltfLoad32(bytes) != GLTF_MAGIC)
	{
		const char* first = (const char*)bytes;
		first += strspn(first, " \t\r\n");
		if (*first != '{')
		{
			return brFailByte(job, 0, "this is no glTF file, it begins with neither \"glTF\" nor \"{\"");
		}
		*outText = (const char*)bytes;
		*outLength = job->byteCount;
		return br_success;
	}
	if (job->byteCount < 12)
	{
		return brFailByte(job, job->byteCount, "the file ends inside the header");
	}
	if (gltfLoad32(bytes + 4) != 2)
	{
		return brGltf_Fail(gltf, br_errorUnsupported, "this is glTF version %u, only 2 is read", gltfLoad32(bytes + 4));
	}
	size_t end = gltfLoad32(bytes + 8);
	if (end > job->byteCount)
	{
		return brFailByte(job, 8, "the header promises %zu bytes, the file has %zu", end, job->byteCount);
	}

	size_t at = 12;
	for (int32_t chunk = 0; at < end; ++chunk)
	{
		if (end - at < 8)
		{
			return brFailByte(job, at, "the file ends inside the header of chunk %d", chunk);
		}
		size_t length = gltfLoad32(bytes + at);
		uint32_t kind = gltfLoad32(bytes + at + 4);
		if (length > end - at - 8)
		{
			return brFailByte(job, at, "chunk %d promises %zu bytes, %zu are left", chunk, length, end - at - 8);
		}
		if (chunk == 0)
		{
			if (kind != GLTF_CHUNK_JSON)
			{
				return brFailByte(job, at + 4, "the first chunk is not JSON");
			}
			*outText = (const char*)bytes + at + 8;
			*outLength = length;
		}
		else if (chunk == 1 && kind == GLTF_CHUNK_BIN)
		{
			gltf->chunk = bytes + at + 8;
			gltf->chunkBytes = length;
		}
		// Padding to 4 belongs to the length; files that forget it at the very end are read all the same.
		at += 8 + length;
	}
	return *outText != NULL ? br_success : brFailByte(job, 12, "there is no JSON chunk");
}

static brResult gltfParse(brGltf* gltf, const char* text, size_t length)
{
	brReport report = {0};
	brResult result = brJson_Parse(&gltf->arena, text, length, &gltf->root, &report);
	if (result == br_errorFormat)
	{
		size_t at = (size_t)((const uint8_t*)text - gltf->job->bytes) + (size_t)report.byte;
		return brFailByte(gltf->job, at, "%s", report.text);
	}
	if (result < 0)
	{
		return brFailMemory(gltf->job->report);
	}
	return brJson_Is(gltf->root, br_jsonObject) ? br_success
												: brGltf_Fail(gltf, br_errorFormat, "the JSON text is no object");
}

static brResult gltfListItems(brGltf* gltf, const char* key, brGltfList* list)
{
	const brJson* array = brGltf_Get(gltf->root, key);
	if (array == NULL)
	{
		return br_success;
	}
	if (!brJson_Is(array, br_jsonArray))
	{
		return brGltf_Fail(gltf, br_errorFormat, "\"%s\" is no array", key);
	}
	int32_t count = array->count;
	list->items = brAllocArray(&gltf->job->allocator, count, sizeof(brJson*));
	if (list->items == NULL)
	{
		return brFailMemory(gltf->job->report);
	}
	list->count = count;
	int32_t used = 0;
	for (const brJson* item = array->child; item != NULL; item = item->next)
	{
		if (!brJson_Is(item, br_jsonObject))
		{
			return brGltf_Fail(gltf, br_errorFormat, "entry %d of \"%s\" is no object", used, key);
		}
		list->items[used++] = item;
	}
	return br_success;
}

static brResult gltfCheckVersion(brGltf* gltf)
{
	const brJson* version = brGltf_Get(brGltf_Get(gltf->root, "asset"), "version");
	if (!brJson_Is(version, br_jsonString))
	{
		return brGltf_Fail(gltf, br_errorFormat, "\"asset\" with a version is missing");
	}
	if (strncmp(version->text, "2.", 2) != 0)
	{
		return brGltf_Fail(gltf, br_errorUnsupported, "this is glTF version %.20s, only 2 is read", version->text);
	}
	return br_success;
}

// Extensions that a reader of shapes may pass over even when the file calls them required: they change how a surface
// looks or what else is in the scene. A star stands for any rest.
static const char* const gltfKnownExtensions[] = {
	"KHR_mesh_quantization", "EXT_mesh_gpu_instancing",
	"KHR_materials_*",       "KHR_texture_*",
	"EXT_texture_*",         "MSFT_texture_dds",
	"KHR_lights_*",          "EXT_lights_*",
	"KHR_animation_*",       "KHR_xmp*",
};

static bool gltfKnowsExtension(const char* name)
{
	for (int32_t i = 0; i < BR_COUNT(gltfKnownExtensions); ++i)
	{
		const char* known = gltfKnownExtensions[i];
		size_t length = strlen(known);
		if (known[length - 1] == '*' ? strncmp(name, known, length - 1) == 0 : strcmp(name, known) == 0)
		{
			return true;
		}
	}
	return false;
}

static brResult gltfCheckExtensions(brGltf* gltf)
{
	const brJson* required = brGltf_Get(gltf->root, "extensionsRequired");
	for (const brJson* item = required != NULL ? required->child : NULL; item != NULL; item = item->next)
	{
		if (brJson_Is(item, br_jsonString) && !gltfKnowsExtension(item->text))
		{
			return brGltf_Fail(gltf, br_errorUnsupported,
							   "the file needs %.60s, which is not read here; export it without that, or uncompressed",
							   item->text);
		}
	}
	return br_success;
}

brResult brGltf_Open(brGltf* gltf, const brReadJob* job)
{
	memset(gltf, 0, sizeof(*gltf));
	gltf->job = job;
	brArena_Init(&gltf->arena, &job->allocator);
	gltf->budget = GLTF_BUDGET_BASE + GLTF_BUDGET_PER_BYTE * (int64_t)job->byteCount;

	const char* text = NULL;
	size_t length = 0;
	brResult result = gltfSplitContainer(gltf, &text, &length);
	if (result >= 0)
	{
		result = gltfParse(gltf, text, length);
	}
	if (result >= 0)
	{
		result = gltfCheckVersion(gltf);
	}
	if (result >= 0)
	{
		result = gltfCheckExtensions(gltf);
	}
	struct
	{
		const char* key;
		brGltfList* list;
	} lists[] = {
		{"buffers", &gltf->buffers},     {"bufferViews", &gltf->views}, {"accessors", &gltf->accessors},
		{"meshes", &gltf->meshes},       {"nodes", &gltf->nodes},       {"scenes", &gltf->scenes},
		{"materials", &gltf->materials}, {"textures", &gltf->textures}, {"images", &gltf->images},
	};
	for (int32_t i = 0; i < BR_COUNT(lists) && result >= 0; ++i)
	{
		result = gltfListItems(gltf, lists[i].key, lists[i].list);
	}
	if (result >= 0 && gltf->buffers.count > 0)
	{
		gltf->bufferBytes = BR_ALLOC_ZERO(&job->allocator, brGltfBuffer, gltf->buffers.count);
		result = gltf->bufferBytes != NULL ? result : brFailMemory(job->report);
	}
	return result;
}

void brGltf_Close(brGltf* gltf)
{
	const brAllocator* allocator = &gltf->job->allocator;
	for (int32_t i = 0; gltf->bufferBytes != NULL && i < gltf->buffers.count; ++i)
	{
		brFree(allocator, gltf->bufferBytes[i].owned, gltf->bufferBytes[i].ownedBytes);
	}
	BR_FREE(allocator, gltf->bufferBytes, gltf->buffers.count);
	brGltfList* lists[] = {&gltf->buffers, &gltf->views,     &gltf->accessors, &gltf->meshes, &gltf->nodes,
						   &gltf->scenes,  &gltf->materials, &gltf->textures,  &gltf->images};
	for (int32_t i = 0; i < BR_COUNT(lists); ++i)
	{
		BR_FREE(allocator, lists[i]->items, lists[i]->count);
	}
	brArena_Destroy(&gltf->arena);
}

// Buffers

// Decodes base64 into the buffer's own memory. Padding may be missing; anything else that is no digit is refused.
static brResult gltfDecodeBase64(brGltf* gltf, int32_t index, const char* text)
{
	size_t length = strlen(text);
	while (length > 0 && text[length - 1] == '=')
	{
		length -= 1;
	}
	if (length % 4 == 1)
	{
		return brGltf_Fail(gltf, br_errorFormat, "buffer %d: base64 of %zu digits is no whole number of bytes", index,
						   length);
	}
	brGltfBuffer* buffer = &gltf->bufferBytes[index];
	size_t byteCount = length / 4 * 3 + (length % 4 > 0 ? length % 4 - 1 : 0);
	buffer->owned = brAlloc(&gltf->job->allocator, byteCount);
	if (buffer->owned == NULL)
	{
		return brFailMemory(gltf->job->report);
	}
	buffer->ownedBytes = byteCount;
	const char* stop;
	if (brBase64_Decode(text, text + length, buffer->owned, byteCount, &stop) != byteCount)
	{
		return brGltf_Fail(gltf, br_errorFormat, "buffer %d: no base64 near digit %zu", index, (size_t)(stop - text));
	}
	buffer->bytes = buffer->owned;
	buffer->byteCount = byteCount;
	return br_success;
}

static int32_t gltfHexValue(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
		   : c >= 'a' && c <= 'f' ? c - 'a' + 10
		   : c >= 'A' && c <= 'F' ? c - 'A' + 10
								  : -1;
}

// Turns %20 and its like into bytes, in place. False for a zero byte or a broken escape.
static bool gltfDecodePercent(char* path)
{
	char* target = path;
	for (const char* at = path; *at != 0; ++at)
	{
		if (*at != '%')
		{
			*target++ = *at;
			continue;
		}
		int32_t high = gltfHexValue(at[1]);
		int32_t low = high >= 0 ? gltfHexValue(at[2]) : -1;
		if (low < 0 || (high | low) == 0)
		{
			return false;
		}
		*target++ = (char)(high << 4 | low);
		at += 2;
	}
	*target = 0;
	return true;
}

static brResult gltfReadCompanion(brGltf* gltf, int32_t index, const char* uri)
{
	const brReadJob* job = gltf->job;
	if (!job->hasCompanions)
	{
		return brGltf_Fail(gltf, br_errorFile, "buffer %d is in the file %.100s, which data in memory does not have",
						   index, uri);
	}
	const char* slash = brOs_LastSlash(job->name);
	size_t folderLength = slash != NULL ? (size_t)(slash - job->name) + 1 : 0;
	size_t pathBytes = folderLength + strlen(uri) + 1;
	char* path = brAlloc(&job->allocator, pathBytes);
	if (path == NULL)
	{
		return brFailMemory(job->report);
	}
	memcpy(path, job->name, folderLength);
	memcpy(path + folderLength, uri, pathBytes - folderLength);

	brGltfBuffer* buffer = &gltf->bufferBytes[index];
	brResult result;
	if (!gltfDecodePercent(path + folderLength) || !brPath_StaysBelow(path + folderLength) ||
		!brPath_LeadsInto(path, folderLength))
	{
		result = brGltf_Fail(gltf, br_errorFormat, "buffer %d: %.100s names no file in the folder of the document",
							 index, uri);
	}
	else
	{
		size_t byteCount = 0;
		result = brReadFile(job->context, &job->allocator, path, &buffer->owned, &byteCount, job->report);
		if (result >= 0)
		{
			buffer->bytes = buffer->owned;
			buffer->byteCount = byteCount;
			buffer->ownedBytes = byteCount + 1;
			gltf->budget += GLTF_BUDGET_PER_BYTE * (int64_t)byteCount;
		}
	}
	brFree(&job->allocator, path, pathBytes);
	return result;
}

brResult brGltf_Buffer(brGltf* gltf, int32_t index, const uint8_t** outBytes, size_t* outByteCount)
{
	brGltfBuffer* buffer = &gltf->bufferBytes[index];
	if (buffer->bytes == NULL)
	{
		const brJson* json = gltf->buffers.items[index];
		const brJson* uri = brGltf_Get(json, "uri");
		int64_t promised;
		if (!brGltf_Integer(json, "byteLength", -1, &promised) || promised < 0)
		{
			return brGltf_Fail(gltf, br_errorFormat, "buffer %d has no byteLength", index);
		}
		brResult result = br_success;
		if (uri == NULL && index == 0 && gltf->chunk != NULL)
		{
			buffer->bytes = gltf->chunk;
			buffer->byteCount = gltf->chunkBytes;
		}
		else if (!brJson_Is(uri, br_jsonString))
		{
			result = brGltf_Fail(gltf, br_errorFormat, "buffer %d has no bytes", index);
		}
		else if (strncmp(uri->text, "data:", 5) == 0)
		{
			const char* comma = strchr(uri->text, ',');
			bool isBase64 = comma != NULL && comma - uri->text >= 12 && strncmp(comma - 7, ";base64", 7) == 0;
			result = isBase64 ? gltfDecodeBase64(gltf, index, comma + 1)
							  : brGltf_Fail(gltf, br_errorFormat, "buffer %d: its data URI is not base64", index);
		}
		else
		{
			result = gltfReadCompanion(gltf, index, uri->text);
		}
		if (result >= 0 && (uint64_t)promised > buffer->byteCount)
		{
			result = brGltf_Fail(gltf, br_errorFormat, "buffer %d promises %lld bytes, there are %zu", index,
								 (long long)promised, buffer->byteCount);
		}
		if (result < 0)
		{
			return result;
		}
		buffer->byteCount = (size_t)promised;
	}
	*outBytes = buffer->bytes;
	*outByteCount = buffer->byteCount;
	return br_success;
}
