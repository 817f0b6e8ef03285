// SPDX-License-Identifier: MIT
#pragma once

// Numbers in binary files, at any alignment. `isSwapped`: the file has the other byte order than this machine.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// True on a machine that stores the high byte first.
static inline bool brIsBigEndianHost(void)
{
	const uint16_t one = 1;
	uint8_t first;
	__builtin_memcpy(&first, &one, 1);
	return first == 0;
}

static inline uint16_t brLoad16(const uint8_t* bytes, bool isSwapped)
{
	uint16_t value;
	__builtin_memcpy(&value, bytes, 2);
	return isSwapped ? __builtin_bswap16(value) : value;
}

static inline uint32_t brLoad32(const uint8_t* bytes, bool isSwapped)
{
	uint32_t value;
	__builtin_memcpy(&value, bytes, 4);
	return isSwapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t brLoad64(const uint8_t* bytes, bool isSwapped)
{
	uint64_t value;
	__builtin_memcpy(&value, bytes, 8);
	return isSwapped ? __builtin_bswap64(value) : value;
}

static inline float brLoadFloat(const uint8_t* bytes, bool isSwapped)
{
	uint32_t bits = brLoad32(bytes, isSwapped);
	float value;
	__builtin_memcpy(&value, &bits, 4);
	return value;
}

static inline double brLoadDouble(const uint8_t* bytes, bool isSwapped)
{
	uint64_t bits = brLoad64(bytes, isSwapped);
	double value;
	__builtin_memcpy(&value, &bits, 8);
	return value;
}

static inline void brStore32(uint8_t* bytes, uint32_t value, bool isSwapped)
{
	value = isSwapped ? __builtin_bswap32(value) : value;
	__builtin_memcpy(bytes, &value, 4);
}

/// Types of numbers in the arrays of files.
typedef enum brNumberType
{
	br_numberNone,
	br_numberBit,    // eight in a byte; only passed over
	br_numberString, // of no known size
	br_numberInt8,
	br_numberUint8,
	br_numberInt16,
	br_numberUint16,
	br_numberInt32,
	br_numberUint32,
	br_numberInt64,
	br_numberUint64,
	br_numberFloat,
	br_numberDouble,
} brNumberType;

/// Of one number; 0 for bits and strings.
static inline size_t brNumberType_Bytes(brNumberType type)
{
	static const uint8_t bytes[] = {0, 0, 0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
	return bytes[type];
}

/// A number of one of the types of whole numbers.
static inline int64_t brLoadWhole(brNumberType type, const uint8_t* bytes, bool isSwapped)
{
	switch (type)
	{
		case br_numberInt8:
			return (int8_t)bytes[0];
		case br_numberUint8:
			return bytes[0];
		case br_numberInt16:
			return (int16_t)brLoad16(bytes, isSwapped);
		case br_numberUint16:
			return brLoad16(bytes, isSwapped);
		case br_numberInt32:
			return (int32_t)brLoad32(bytes, isSwapped);
		case br_numberUint32:
			return brLoad32(bytes, isSwapped);
		default:
			return (int64_t)brLoad64(bytes, isSwapped);
	}
}

/// A number of any type, as a double.
static inline double brLoadNumber(brNumberType type, const uint8_t* bytes, bool isSwapped)
{
	return type == br_numberFloat    ? (double)brLoadFloat(bytes, isSwapped)
		   : type == br_numberDouble ? brLoadDouble(bytes, isSwapped)
									 : (double)brLoadWhole(type, bytes, isSwapped);
}
