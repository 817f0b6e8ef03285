// SPDX-License-Identifier: MIT

// Values of a PLY file, one by one or a column at a time, from text or from bytes of either order.

#include "io/ply.h"

static bool plyNextText(brTextCursor* cursor, brNumberType type, double* outValue)
{
	static const double lowest[] = {INT8_MIN, 0, INT16_MIN, 0, INT32_MIN, 0}; // from br_numberInt8 on
	static const double highest[] = {INT8_MAX, UINT8_MAX, INT16_MAX, UINT16_MAX, INT32_MAX, UINT32_MAX};
	brText_SkipSpace(cursor, 0);
	bool isRead;
	if (type == br_numberDouble)
	{
		isRead = brText_Double(cursor, outValue);
	}
	else if (type == br_numberFloat)
	{
		float value = 0.0f;
		isRead = brText_Float(cursor, &value);
		*outValue = (double)value;
	}
	else
	{
		int64_t value = 0;
		isRead = brText_Int64(cursor, &value) && (double)value >= lowest[type - br_numberInt8] &&
				 (double)value <= highest[type - br_numberInt8];
		*outValue = (double)value;
	}
	return isRead && (unsigned char)*cursor->at <= ' ';
}

bool brPly_Next(brPlySource* source, brNumberType type, double* outValue)
{
	if (source->isText)
	{
		return plyNextText(&source->cursor, type, outValue);
	}
	int32_t bytes = (int32_t)brNumberType_Bytes(type);
	if (source->cursor.end - source->cursor.at < bytes)
	{
		return false;
	}
	*outValue = brLoadNumber(type, (const uint8_t*)source->cursor.at, source->isSwapped);
	source->cursor.at += bytes;
	return true;
}

bool brPly_Skip(brPlySource* source, brNumberType type, int64_t count)
{
	brTextCursor* cursor = &source->cursor;
	if (!source->isText)
	{
		if ((cursor->end - cursor->at) / (int32_t)brNumberType_Bytes(type) < count)
		{
			return false;
		}
		cursor->at += count * (int32_t)brNumberType_Bytes(type);
		return true;
	}
	return brText_SkipWords(cursor, count);
}

// One column of a block of rows; the common types in loops of their own.
void brPly_DecodeColumn(const uint8_t* rows, int32_t rowBytes, brNumberType type, bool isSwapped, int32_t count,
						double* out)
{
	if (type == br_numberFloat && !isSwapped)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			out[i] = (double)brLoadFloat(rows + (size_t)i * (size_t)rowBytes, false);
		}
		return;
	}
	if (type == br_numberDouble && !isSwapped)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			out[i] = brLoadDouble(rows + (size_t)i * (size_t)rowBytes, false);
		}
		return;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		out[i] = brLoadNumber(type, rows + (size_t)i * (size_t)rowBytes, isSwapped);
	}
}
