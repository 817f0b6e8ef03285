// SPDX-License-Identifier: MIT
#pragma once

// PNG pictures (ISO 15948) as gray values. Writing is the public brSavePng.

#include "base/memory.h"

/// Width and height of the picture in `bytes`, or a sentence about what is wrong with it.
const char* brPng_Measure(const uint8_t* bytes, size_t byteCount, int32_t* outWidth, int32_t* outHeight);

/// Gray values from 0 to 1, as stored: of colors the luma of Rec. 709. Rows from the top down; an alpha channel is
/// ignored. Every bit depth, palettes and interlaced pictures are read. `values` has width * height elements. Null, or a
/// sentence; brPng_NoMemory without memory.
const char* brPng_ReadGray(const brAllocator* allocator, const uint8_t* bytes, size_t byteCount, float* values);
extern const char brPng_NoMemory[];
