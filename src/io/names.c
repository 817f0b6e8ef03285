// SPDX-License-Identifier: MIT
#include "io/names.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>

// Length of the valid UTF-8 character at `text`, or 0.
static size_t nameCharacter(const unsigned char* text, size_t left)
{
	size_t length = text[0] < 0x80 ? 1 : text[0] < 0xC2 ? 0 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
	if (length == 0 || length > left || text[0] > 0xF4)
	{
		return 0;
	}
	for (size_t i = 1; i < length; ++i)
	{
		if ((text[i] & 0xC0) != 0x80)
		{
			return 0;
		}
	}
	bool isOverlong = (text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xF0 && text[1] < 0x90);
	bool isOutside = (text[0] == 0xED && text[1] > 0x9F) || (text[0] == 0xF4 && text[1] > 0x8F);
	return isOverlong || isOutside ? 0 : length;
}

void brCopyName(char* out, size_t capacity, const char* text, size_t length)
{
	memset(out, 0, capacity);
	size_t used = 0;
	for (size_t i = 0; i < length;)
	{
		const unsigned char* at = (const unsigned char*)text + i;
		size_t taken = nameCharacter(at, length - i);
		unsigned char latin[2] = {(unsigned char)(0xC0 | *at >> 6), (unsigned char)(0x80 | (*at & 0x3F))};
		const unsigned char* from = taken == 0 ? latin : at;
		size_t written = taken == 0 ? 2 : taken;
		if (used + written > capacity - 1)
		{
			return;
		}
		memcpy(out + used, from, written);
		out[used] = *at < 0x20 || *at == 0x7F ? '_' : out[used];
		used += written;
		i += taken == 0 ? 1 : taken;
	}
}

static int32_t* nameSlot(const brNames* names, const char* text)
{
	const brSlots* slots = &names->slots;
	int64_t slot = brSlots_First(slots, brHashBytes(BR_HASH_SEED, text, strlen(text)));
	while (slots->values[slot] >= 0 && strcmp(names->list.data[slots->values[slot]].text, text) != 0)
	{
		slot = brSlots_Next(slots, slot);
	}
	return &slots->values[slot];
}

static bool growNameSlots(brNames* names, const brAllocator* allocator)
{
	brSlots bigger;
	if (!brSlots_Init(&bigger, allocator, names->slots.count > 0 ? names->slots.count : 16))
	{
		return false;
	}
	brSlots_Free(&names->slots, allocator);
	names->slots = bigger;
	for (int32_t i = 0; i < names->list.count; ++i)
	{
		*nameSlot(names, names->list.data[i].text) = i;
	}
	return true;
}

int32_t brNames_Add(brNames* names, const brAllocator* allocator, const char* text, size_t length)
{
	brName name;
	brCopyName(name.text, sizeof(name.text), text, length);
	if (2 * (int64_t)(names->list.count + 1) > names->slots.count &&
		(names->list.count >= INT32_MAX / 8 || !growNameSlots(names, allocator)))
	{
		return -1;
	}
	int32_t* slot = nameSlot(names, name.text);
	if (*slot < 0)
	{
		if (!BR_PUSH(allocator, &names->list, name))
		{
			return -1;
		}
		*slot = names->list.count - 1;
	}
	return *slot;
}

bool brNames_AddUnique(brNames* names, const brAllocator* allocator, const char* text, const char* kind)
{
	int32_t number = names->list.count;
	brName wanted;
	brCopyName(wanted.text, sizeof(wanted.text), text, strlen(text));
	if (wanted.text[0] == 0)
	{
		snprintf(wanted.text, sizeof(wanted.text), "%s_%d", kind, number + 1);
	}
	size_t length = strlen(wanted.text);
	char* last = &wanted.text[length - 1];
	wanted.text[0] = wanted.text[0] == ' ' || wanted.text[0] == '#' ? '_' : wanted.text[0];
	*last = *last == ' ' || *last == '\\' ? '_' : *last;

	brName base = wanted;
	for (int32_t copy = number + 1;; ++copy)
	{
		int32_t index = brNames_Add(names, allocator, wanted.text, strlen(wanted.text));
		if (index < 0 || index == number)
		{
			return index == number;
		}
		char suffix[16];
		size_t suffixLength = (size_t)snprintf(suffix, sizeof(suffix), "_%d", copy);
		brCopyName(wanted.text, sizeof(wanted.text) - suffixLength, base.text, length);
		memcpy(wanted.text + strlen(wanted.text), suffix, suffixLength + 1);
	}
}

void brNames_Free(brNames* names, const brAllocator* allocator)
{
	BR_FREE_ARRAY(allocator, &names->list);
	brSlots_Free(&names->slots, allocator);
	names->slots.count = 0;
}
