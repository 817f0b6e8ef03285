// SPDX-License-Identifier: MIT
#include "handles.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEB_MAX_HANDLES 32768

typedef struct WebSlot
{
	void* thing;
	WebKind kind;
	int32_t generation; // 1 to 32767
	int32_t nextFree;
} WebSlot;

brReport webReport;

static WebSlot* s_slots;
static int32_t s_slotCount, s_slotCapacity, s_firstFree = -1;

static const char* const s_kindNames[web_kindCount] = {"nothing", "a mesh", "a list of pieces", "a tet mesh", "bytes",
													   "a scene", "a run",  "a live world",     "a world"};

int32_t webFail(brResult code, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	memset(&webReport, 0, sizeof(webReport));
	webReport.code = code;
	vsnprintf(webReport.text, sizeof(webReport.text), format, arguments);
	va_end(arguments);
	return code;
}

WebPieces* webMakePieces(int32_t count, int32_t bondCount)
{
	WebPieces* pieces = calloc(1, sizeof(WebPieces));
	if (pieces != NULL)
	{
		pieces->meshes = calloc((size_t)count + 1, sizeof(brMesh*));
		pieces->masses = calloc((size_t)count + 1, sizeof(double));
		pieces->bonds = calloc(2 * (size_t)bondCount + 1, sizeof(int32_t));
		pieces->count = count;
		pieces->bondCount = bondCount;
	}
	if (pieces == NULL || pieces->meshes == NULL || pieces->masses == NULL || pieces->bonds == NULL)
	{
		webDestroyPieces(pieces);
		webFail(br_errorMemory, "there is not enough memory for %d pieces", count);
		return NULL;
	}
	return pieces;
}

void webDestroyPieces(WebPieces* pieces)
{
	if (pieces == NULL)
	{
		return;
	}
	for (int32_t i = 0; pieces->meshes != NULL && i < pieces->count; ++i)
	{
		brDestroyMesh(pieces->meshes[i]);
	}
	free(pieces->meshes);
	free(pieces->masses);
	free(pieces->bonds);
	free(pieces);
}

static void webDestroyBytes(WebBytes* bytes)
{
	free(bytes->data);
	free(bytes);
}

static void webLeaveScene(WebScene* scene)
{
	scene->users -= 1;
	if (scene->users == 0)
	{
		brDestroyScene(scene->scene);
		free(scene);
	}
}

static void webDestroyPlay(WebPlay* play)
{
	brDestroyRun(play->run);
	brDestroyLive(play->live);
	webLeaveScene(play->scene);
	free(play);
}

static void webDestroyThing(WebKind kind, void* thing)
{
	switch (kind)
	{
		case web_mesh:
			brDestroyMesh(thing);
			return;
		case web_pieces:
			webDestroyPieces(thing);
			return;
		case web_tets:
			brDestroyTetMesh(thing);
			return;
		case web_bytes:
			webDestroyBytes(thing);
			return;
		case web_scene:
			webLeaveScene(thing);
			return;
		case web_run:
			webDestroyPlay(thing);
			return;
		case web_live:
			webDestroyPlay(thing);
			return;
		case web_world:
			brDestroyWorld(thing);
			return;
		default:
			return;
	}
}

static bool webGrow(void)
{
	if (s_slotCount < s_slotCapacity)
	{
		return true;
	}
	int32_t capacity = s_slotCapacity > 0 ? 2 * s_slotCapacity : 256;
	WebSlot* slots = capacity <= WEB_MAX_HANDLES ? realloc(s_slots, (size_t)capacity * sizeof(WebSlot)) : NULL;
	if (slots == NULL)
	{
		return false;
	}
	s_slots = slots;
	s_slotCapacity = capacity;
	return true;
}

int32_t webPut(WebKind kind, void* thing)
{
	int32_t slot = s_firstFree;
	if (slot >= 0)
	{
		s_firstFree = s_slots[slot].nextFree;
	}
	else
	{
		if (!webGrow())
		{
			webDestroyThing(kind, thing);
			return webFail(br_errorLimit, "there are %d things already: free some", s_slotCount);
		}
		slot = s_slotCount++;
		s_slots[slot].generation = 0;
	}
	WebSlot* at = &s_slots[slot];
	at->thing = thing;
	at->kind = kind;
	at->generation = at->generation % 32767 + 1;
	return at->generation << 16 | slot;
}

static WebSlot* webFind(int32_t handle)
{
	int32_t slot = handle & 0xFFFF;
	bool isOne =
		handle > 0 && slot < s_slotCount && s_slots[slot].kind != web_none && s_slots[slot].generation == handle >> 16;
	return isOne ? &s_slots[slot] : NULL;
}

void* webGet(int32_t handle, WebKind kind)
{
	const WebSlot* slot = webFind(handle);
	if (slot == NULL)
	{
		webFail(br_errorMisuse, "%s is expected, and this one has been freed", s_kindNames[kind]);
		return NULL;
	}
	if (slot->kind != kind)
	{
		webFail(br_errorMisuse, "%s is expected, and this is %s", s_kindNames[kind], s_kindNames[slot->kind]);
		return NULL;
	}
	return slot->thing;
}

/// Frees a thing; false if it was freed before.
WEB_API int32_t webRelease(int32_t handle)
{
	WebSlot* slot = webFind(handle);
	if (slot == NULL)
	{
		return 0;
	}
	webDestroyThing(slot->kind, slot->thing);
	slot->thing = NULL;
	slot->kind = web_none;
	slot->nextFree = s_firstFree;
	s_firstFree = (int32_t)(slot - s_slots);
	return 1;
}

WEB_API int32_t webCountThings(void)
{
	int32_t count = 0;
	for (int32_t i = 0; i < s_slotCount; ++i)
	{
		count += s_slots[i].kind != web_none;
	}
	return count;
}

WEB_API const char* webText(void)
{
	return webReport.text;
}

WEB_API const char* webCodeName(int32_t code)
{
	return brResult_GetName((brResult)code);
}

WEB_API void* webAlloc(size_t count)
{
	return malloc(count > 0 ? count : 1);
}

WEB_API void webFree(void* memory)
{
	free(memory);
}

/// Bytes behind a handle: place and count as two 32-bit numbers.
WEB_API int32_t webGetBytes(int32_t handle, uint32_t* out)
{
	const WebBytes* bytes = webGet(handle, web_bytes);
	if (bytes == NULL)
	{
		return webReport.code;
	}
	out[0] = (uint32_t)(uintptr_t)bytes->data;
	out[1] = (uint32_t)bytes->count;
	return 0;
}
