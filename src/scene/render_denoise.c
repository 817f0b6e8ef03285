// SPDX-License-Identifier: MIT

// Edge-avoiding wavelets (Dammertz and others 2010): passes of a 5 x 5 kernel with holes of 1, 2, 4 pixels, each tap
// weighted by how alike the two pixels are in normal, albedo, depth, and in brightness as far as their noise lets one
// tell (Schied and others 2017). Weights have compact support, so there is no exponential: the same bytes everywhere.
// Cost: 75 taps a pixel, about what two samples cost.

#include "scene/render_denoise.h"

#include <string.h>

#define DENOISE_PASSES 3
#define DENOISE_NORMAL 0.08f // squared difference of normals that makes two pixels strangers
#define DENOISE_ALBEDO 0.02f // the same of albedos
#define DENOISE_SLOPE 0.02f  // of the depth, a pixel of distance
#define DENOISE_BRIGHT 9.0f  // squared difference of brightness, in variances
#define DENOISE_LEAST 2e-5f  // of a variance: half a step of a byte

typedef struct Denoise
{
	const brRenderPixel* from;
	brRenderPixel* to;
	int32_t width, height, step;
} Denoise;

static float denoiseBrightness(const brRenderPixel* pixel)
{
	brVec3 sum = brAdd(pixel->color, brMul(0.5f, pixel->through)); // the background is a middle gray
	return 0.25f * sum.x + 0.6f * sum.y + 0.15f * sum.z;
}

// How strange two pixels are to each other; 1 and above: wholly.
static float denoiseDistance(const brRenderPixel* a, const brRenderPixel* b, float reach, float variance)
{
	brVec3 dn = brSub(a->normal, b->normal), da = brSub(a->albedo, b->albedo);
	float dz = a->depth - b->depth, slope = DENOISE_SLOPE * reach * a->depth;
	float dl = denoiseBrightness(a) - denoiseBrightness(b);
	return brDot(dn, dn) / DENOISE_NORMAL + brDot(da, da) / DENOISE_ALBEDO + dz * dz / (slope * slope + 1e-12f) +
		   dl * dl / (DENOISE_BRIGHT * variance + DENOISE_LEAST);
}

// A pixel's variance is itself noisy: the mean of it and its neighbors is used.
static float denoiseVariance(const Denoise* job, int32_t x, int32_t y)
{
	float sum = 0.0f, weight = 0.0f;
	for (int32_t j = y > 0 ? -1 : 0; j <= (y + 1 < job->height ? 1 : 0); ++j)
	{
		for (int32_t i = x > 0 ? -1 : 0; i <= (x + 1 < job->width ? 1 : 0); ++i)
		{
			float w = (i == 0 ? 2.0f : 1.0f) * (j == 0 ? 2.0f : 1.0f);
			sum += w * job->from[(size_t)(y + j) * (size_t)job->width + (size_t)(x + i)].variance;
			weight += w;
		}
	}
	return sum / weight;
}

static void denoisePixel(const Denoise* job, int32_t x, int32_t y)
{
	static const float kernel[3] = {0.375f, 0.25f, 0.0625f};
	const brRenderPixel* at = &job->from[(size_t)y * (size_t)job->width + (size_t)x];
	float variance = denoiseVariance(job, x, y), weight = 0.0f, spread = 0.0f;
	brVec3 color = {0.0f, 0.0f, 0.0f}, through = {0.0f, 0.0f, 0.0f};
	for (int32_t j = -2; j <= 2; ++j)
	{
		int32_t row = y + j * job->step;
		if (row < 0 || row >= job->height)
		{
			continue;
		}
		for (int32_t i = -2; i <= 2; ++i)
		{
			int32_t column = x + i * job->step;
			if (column < 0 || column >= job->width)
			{
				continue;
			}
			const brRenderPixel* other = &job->from[(size_t)row * (size_t)job->width + (size_t)column];
			int32_t far = (i < 0 ? -i : i) + (j < 0 ? -j : j);
			float off = other == at ? 0.0f : denoiseDistance(at, other, (float)(far * job->step), variance);
			if (off >= 1.0f)
			{
				continue;
			}
			float w = kernel[i < 0 ? -i : i] * kernel[j < 0 ? -j : j] * (1.0f - off) * (1.0f - off);
			color = brMulAdd(color, w, other->color);
			through = brMulAdd(through, w, other->through);
			spread += w * w * other->variance;
			weight += w;
		}
	}
	brRenderPixel* out = &job->to[(size_t)y * (size_t)job->width + (size_t)x];
	*out = *at;
	out->color = brMul(1.0f / weight, color);
	out->through = brMul(1.0f / weight, through);
	out->variance = spread / (weight * weight);
}

static void denoiseRows(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const Denoise* job = user;
	for (int32_t y = begin; y < end; ++y)
	{
		for (int32_t x = 0; x < job->width; ++x)
		{
			denoisePixel(job, x, y);
		}
	}
}

bool brDenoisePixels(const brContext* context, brRenderPixel* pixels, int32_t width, int32_t height)
{
	brAllocator allocator = brContext_Allocator(context);
	int64_t count = (int64_t)width * height;
	brRenderPixel* other = BR_ALLOC(&allocator, brRenderPixel, count);
	if (other == NULL)
	{
		return false;
	}
	brRenderPixel* buffers[2] = {pixels, other};
	for (int32_t pass = 0; pass < DENOISE_PASSES; ++pass)
	{
		Denoise job = {buffers[pass % 2], buffers[1 - pass % 2], width, height, 1 << pass};
		brParallelFor(context != NULL ? context->workers : NULL, height, 1, denoiseRows, &job);
	}
	if (DENOISE_PASSES % 2 == 1)
	{
		memcpy(pixels, other, (size_t)count * sizeof(*pixels));
	}
	BR_FREE(&allocator, other, count);
	return true;
}
