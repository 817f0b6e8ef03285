// SPDX-License-Identifier: MIT
#pragma once

// Numbers in binary files, at any alignment. `isSwapped`: the file has the other byte order than this machine.

#include <stdbool.h>
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
