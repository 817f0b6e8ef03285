// SPDX-License-Identifier: MIT

// Values of a PLY file, one by one or a column at a time, from text or from bytes of either order.

#include "io/bytes.h"
#include "io/ply.h"

static inline double plyDecode(const uint8_t* bytes, brPlyType type, bool isSwapped)
{
	switch (type)
	{
		case br_plyInt8:
			return (int8_t)bytes[0];
		case br_plyUint8:
			return bytes[0];
		case br_plyInt16:
			return (int16_t)brLoad16(bytes, isSwapped);
		case br_plyUint16:
			return brLoad16(bytes, isSwapped);
		case br_plyInt32:
			return (int32_t)brLoad32(bytes, isSwapped);
		case br_plyUint32:
			return brLoad32(bytes, isSwapped);
		case br_plyFloat:
			return (double)brLoadFloat(bytes, isSwapped);
		default:
			return brLoadDouble(bytes, isSwapped);
	}
}

static bool plyNextText(brTextCursor* cursor, brPlyType type, double* outValue)
{
	static const double lowest[] = {INT8_MIN, 0, INT16_MIN, 0, INT32_MIN, 0};
	static const double highest[] = {INT8_MAX, UINT8_MAX, INT16_MAX, UINT16_MAX, INT32_MAX, UINT32_MAX};
	brText_SkipSpace(cursor, 0);
	bool isRead;
	if (type == br_plyDouble)
	{
		isRead = brText_Double(cursor, outValue);
	}
	else if (type == br_plyFloat)
	{
		float value = 0.0f;
		isRead = brText_Float(cursor, &value);
		*outValue = (double)value;
	}
	else
	{
		int64_t value = 0;
		isRead = brText_Int64(cursor, &value) && (double)value >= lowest[type] && (double)value <= highest[type];
		*outValue = (double)value;
	}
	return isRead && (unsigned char)*cursor->at <= ' ';
}

bool brPly_Next(brPlySource* source, brPlyType type, double* outValue)
{
	if (source->isText)
	{
		return plyNextText(&source->cursor, type, outValue);
	}
	int32_t bytes = brPlyTypeBytes[type];
	if (source->cursor.end - source->cursor.at < bytes)
	{
		return false;
	}
	*outValue = plyDecode((const uint8_t*)source->cursor.at, type, source->isSwapped);
	source->cursor.at += bytes;
	return true;
}

bool brPly_Skip(brPlySource* source, brPlyType type, int64_t count)
{
	brTextCursor* cursor = &source->cursor;
	if (!source->isText)
	{
		if ((cursor->end - cursor->at) / brPlyTypeBytes[type] < count)
		{
			return false;
		}
		cursor->at += count * brPlyTypeBytes[type];
		return true;
	}
	return brText_SkipWords(cursor, count);
}

// One column of a block of rows; the common types in loops of their own.
void brPly_DecodeColumn(const uint8_t* rows, int32_t rowBytes, brPlyType type, bool isSwapped, int32_t count,
						double* out)
{
	if (type == br_plyFloat && !isSwapped)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			out[i] = (double)brLoadFloat(rows + (size_t)i * (size_t)rowBytes, false);
		}
		return;
	}
	if (type == br_plyDouble && !isSwapped)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			out[i] = brLoadDouble(rows + (size_t)i * (size_t)rowBytes, false);
		}
		return;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		out[i] = plyDecode(rows + (size_t)i * (size_t)rowBytes, type, isSwapped);
	}
}
