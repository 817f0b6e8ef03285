// SPDX-License-Identifier: MIT

// Files that a USD text is laid over: their prims go behind its own, as one text that is then read. That is what the
// format means as long as no prim at the top is in two of them; else the file is read alone and a remark says so.

#include "base/os.h"
#include "io/usda_layer.h"

#include <string.h>

#define USDA_MOST_SUBLAYERS 64
#define USDA_PATH_BYTES 4096

// Where the prims begin: behind the parentheses of the layer's own data.
static const char* usdaSkipHeader(const char* text, const char* end)
{
	const char* at = memchr(text, '\n', (size_t)(end - text));
	at = at != NULL ? at : end;
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
	{
		at += 1;
	}
	if (at == end || *at != '(')
	{
		return at;
	}
	for (int32_t depth = 0; at < end;)
	{
		depth += (*at == '(') - (*at == ')');
		at = brUsda_IsQuote(*at) ? brUsda_SkipQuoted(at, end) : at + 1;
		if (depth == 0)
		{
			break;
		}
	}
	return at;
}

// The file beside the layer, or false. Names may not lead out of its folder.
static bool usdaReadBeside(const brReadJob* job, brUsdaText name, uint8_t** outBytes, size_t* outCount)
{
	char path[USDA_PATH_BYTES], plain[USDA_PATH_BYTES];
	const char* slash = brOs_LastSlash(job->name);
	size_t folder = slash != NULL ? (size_t)(slash - job->name) + 1 : 0;
	brUsdaText_Copy(name, plain, sizeof(plain));
	if (!job->hasCompanions || folder + name.length >= sizeof(path) || !brPath_StaysBelow(plain))
	{
		return false;
	}
	memcpy(path, job->name, folder);
	memcpy(path + folder, plain, name.length + 1);
	brReport report = {0};
	if (!brPath_LeadsInto(path, folder) ||
		brReadFile(job->context, &job->allocator, path, outBytes, outCount, &report) < 0)
	{
		return false;
	}
	if (*outCount < 5 || memcmp(*outBytes, "#usda", 5) != 0)
	{
		BR_FREE(&job->allocator, *outBytes, *outCount + 1);
		return false;
	}
	return true;
}

// `text` grows by what `more` has behind its header.
static bool usdaAppend(const brAllocator* allocator, uint8_t** text, size_t* count, const uint8_t* more,
					   size_t moreCount)
{
	const char* end = (const char*)more + moreCount;
	const char* body = usdaSkipHeader((const char*)more, end);
	size_t added = (size_t)(end - body), total = *count + 1 + added;
	uint8_t* grown = brAlloc(allocator, total + 1);
	if (grown == NULL)
	{
		return false;
	}
	memcpy(grown, *text, *count);
	grown[*count] = '\n';
	memcpy(grown + *count + 1, body, added);
	grown[total] = 0;
	BR_FREE(allocator, *text, *count + 1);
	*text = grown;
	*count = total;
	return true;
}

brResult brUsda_JoinSubLayers(const brUsdaLayer* layer, uint8_t** outBytes, size_t* outCount, int32_t* outLeft)
{
	const brReadJob* job = layer->job;
	*outLeft = 0;
	*outCount = job->byteCount;
	*outBytes = brAlloc(&job->allocator, job->byteCount + 1);
	if (*outBytes == NULL)
	{
		return brFailMemory(job->report);
	}
	memcpy(*outBytes, job->bytes, job->byteCount + 1);
	const char* end = layer->subLayers.at + layer->subLayers.length;
	int32_t number = 0;
	for (const char* at = layer->subLayers.at; at < end;)
	{
		if (*at != '@')
		{
			at = brUsda_IsQuote(*at) ? brUsda_SkipQuoted(at, end) : at + 1;
			continue;
		}
		const char* after = brUsda_SkipQuoted(at, end);
		uint8_t* other = NULL;
		size_t otherCount = 0;
		brUsdaText name = brUsdaText_Unquote((brUsdaText){at, (size_t)(after - at)});
		number += 1;
		if (number > USDA_MOST_SUBLAYERS || !usdaReadBeside(job, name, &other, &otherCount))
		{
			*outLeft += 1;
		}
		else
		{
			bool isDone = usdaAppend(&job->allocator, outBytes, outCount, other, otherCount);
			BR_FREE(&job->allocator, other, otherCount + 1);
			if (!isDone)
			{
				BR_FREE(&job->allocator, *outBytes, *outCount + 1);
				return brFailMemory(job->report);
			}
		}
		at = after;
	}
	return br_success;
}

bool brUsda_HasTwins(const brUsdaLayer* layer)
{
	for (int32_t a = layer->firstRoot; a >= 0; a = layer->prims.data[a].next)
	{
		if (brUsda_FindChild(layer, -1, layer->prims.data[a].name) != a)
		{
			return true;
		}
	}
	return false;
}
