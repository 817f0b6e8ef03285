// SPDX-License-Identifier: MIT

#include "scene/byte_stream.h"

#include "io/bytes.h"

#include <math.h>
#include <string.h>

void brByteArray_Add(brByteArray* array, const void* bytes, size_t byteCount)
{
	if (byteCount == 0 || array->failed)
	{
		return;
	}
	if (byteCount > INT32_MAX || !BR_RESERVE(&array->allocator, &array->bytes, (int64_t)byteCount))
	{
		array->failed = true;
		return;
	}
	memcpy(array->bytes.data + array->bytes.count, bytes, byteCount);
	array->bytes.count += (int32_t)byteCount;
}

void brByteArray_Destroy(brByteArray* array)
{
	BR_FREE_ARRAY(&array->allocator, &array->bytes);
}

// Room for so many bytes behind the last, or null.
static uint8_t* byteArrayRoom(brByteArray* array, int32_t byteCount)
{
	array->failed = array->failed || !BR_RESERVE(&array->allocator, &array->bytes, byteCount);
	return array->failed ? NULL : array->bytes.data + array->bytes.count;
}

void brByteArray_Put32(brByteArray* array, uint32_t value)
{
	uint8_t* bytes = byteArrayRoom(array, 4);
	if (bytes != NULL)
	{
		brStore32(bytes, value, brIsBigEndianHost());
		array->bytes.count += 4;
	}
}

void brByteArray_Put64(brByteArray* array, uint64_t value)
{
	brByteArray_Put32(array, (uint32_t)value);
	brByteArray_Put32(array, (uint32_t)(value >> 32));
}

void brByteArray_PutFloat(brByteArray* array, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	brByteArray_Put32(array, bits);
}

void brByteArray_PutDouble(brByteArray* array, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	brByteArray_Put64(array, bits);
}

void brByteArray_PutCount(brByteArray* array, uint64_t value)
{
	uint8_t* bytes = byteArrayRoom(array, 10);
	if (bytes == NULL)
	{
		return;
	}
	int32_t count = 0;
	do
	{
		bytes[count++] = (uint8_t)((value & 127) | (value > 127 ? 128 : 0));
		value >>= 7;
	} while (value > 0);
	array->bytes.count += count;
}

void brByteArray_PutText(brByteArray* array, const char* text)
{
	size_t length = strlen(text);
	brByteArray_PutCount(array, length);
	brByteArray_Add(array, text, length);
}

// Reading

static bool cursorHas(brByteCursor* cursor, uint64_t byteCount)
{
	cursor->failed = cursor->failed || (uint64_t)(cursor->end - cursor->at) < byteCount;
	return !cursor->failed;
}

uint32_t brByteCursor_Get32(brByteCursor* cursor)
{
	uint32_t value = 0;
	if (cursorHas(cursor, 4))
	{
		value = brLoad32(cursor->at, brIsBigEndianHost());
		cursor->at += 4;
	}
	return value;
}

uint64_t brByteCursor_Get64(brByteCursor* cursor)
{
	uint64_t low = brByteCursor_Get32(cursor);
	return low | (uint64_t)brByteCursor_Get32(cursor) << 32;
}

float brByteCursor_GetFloat(brByteCursor* cursor)
{
	uint32_t bits = brByteCursor_Get32(cursor);
	float value;
	memcpy(&value, &bits, sizeof(value));
	cursor->failed = cursor->failed || !isfinite(value);
	return cursor->failed ? 0.0f : value;
}

double brByteCursor_GetDouble(brByteCursor* cursor)
{
	uint64_t bits = brByteCursor_Get64(cursor);
	double value;
	memcpy(&value, &bits, sizeof(value));
	cursor->failed = cursor->failed || !isfinite(value);
	return cursor->failed ? 0.0 : value;
}

int64_t brByteCursor_GetCount(brByteCursor* cursor, int64_t limit)
{
	uint64_t value = 0;
	const uint8_t *at = cursor->at, *end = cursor->end - at > 9 ? at + 9 : cursor->end;
	for (int32_t shift = 0; at < end && !cursor->failed; shift += 7)
	{
		uint8_t byte = *at++;
		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
		{
			cursor->at = at;
			cursor->failed = value > (uint64_t)limit;
			return cursor->failed ? 0 : (int64_t)value;
		}
	}
	cursor->at = at;
	cursor->failed = true;
	return 0;
}

void brByteCursor_Skip(brByteCursor* cursor, uint64_t byteCount)
{
	cursor->at += cursorHas(cursor, byteCount) ? byteCount : 0;
}

void brByteCursor_SkipCounts(brByteCursor* cursor, int64_t count)
{
	// Each ends with a byte below 128: eight bytes at once while they cannot hold more than are left.
	for (; count >= 8 && cursor->end - cursor->at >= 8; cursor->at += 8)
	{
		uint64_t word;
		memcpy(&word, cursor->at, sizeof(word));
		count -= (int64_t)(((~word & 0x8080808080808080u) >> 7) * 0x0101010101010101u >> 56);
	}
	for (; count > 0 && cursorHas(cursor, 1); ++cursor->at)
	{
		count -= *cursor->at < 128;
	}
}

void brByteCursor_GetText(brByteCursor* cursor, char* text, size_t capacity)
{
	int64_t length = brByteCursor_GetCount(cursor, (int64_t)capacity - 1);
	memset(text, 0, capacity);
	if (cursorHas(cursor, (uint64_t)length) && length > 0)
	{
		memcpy(text, cursor->at, (size_t)length);
		cursor->at += length;
	}
}

// A count in 32 bits of things that take at least `least` bytes each.
int32_t brByteCursor_GetSize(brByteCursor* cursor, uint64_t least)
{
	uint32_t count = brByteCursor_Get32(cursor);
	cursor->failed = cursor->failed || count > INT32_MAX || !cursorHas(cursor, count * least);
	return cursor->failed ? 0 : (int32_t)count;
}
