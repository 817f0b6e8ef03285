// SPDX-License-Identifier: MIT
#pragma once

// Takes the grain out of a picture: each pixel becomes a mean of those around it that show the same thing.

#include "base/memory.h"
#include "brittle/context.h"
#include "brittle/math.h"

/// What rays found at a pixel, means over its samples.
typedef struct brRenderPixel
{
	brVec3 color;   // light that reaches the eye
	brVec3 through; // how much of the background does
	brVec3 normal;  // of what is seen; zero for the background
	brVec3 albedo;
	float depth;    // scene units
	float variance; // of the mean's brightness
} brRenderPixel;

/// Filters color and through in place. False without memory: nothing changed.
bool brDenoisePixels(const brContext* context, brRenderPixel* pixels, int32_t width, int32_t height);
