// SPDX-License-Identifier: MIT

// Edge-avoiding wavelets (Dammertz and others 2010): passes of a 5 x 5 kernel with holes of 1, 2, 4 pixels, each tap
// weighted by how alike the two pixels are in normal, albedo, depth, and in brightness as far as their noise lets one
// tell (Schied and others 2017). Weights have compact support, so there is no exponential: the same bytes everywhere.
// Before that lone specks go: one ray that met something far away or a bright lamp makes a pixel so unlike its
// neighbors on the same surface that they would have nothing to do with it.
//
// Layout: one plane of floats a quantity, with a margin of strangers around the picture, so that a tap is the same few
// operations for a run of pixels and the compiler takes several at once. Cost: 75 taps a pixel, less than one sample.

#include "scene/render_denoise.h"

#include "base/lanes.h"

#include <string.h>

#define DENOISE_PASSES 3
#define DENOISE_MARGIN 8              // pixels: the reach of the last pass
#define DENOISE_SQUARE 3              // pixels around one whose variances are taken together
#define DENOISE_RUN 16                // pixels at once
#define DENOISE_NORMAL (1.0f / 0.08f) // one over the squared difference of normals that makes two pixels strangers
#define DENOISE_ALBEDO (1.0f / 0.02f) // the same of albedos
#define DENOISE_SLOPE 0.02f           // of the depth, a pixel of distance
#define DENOISE_BRIGHT 30.0f          // squared difference of brightness, in variances
#define DENOISE_LEAST 2e-5f           // of a variance: half a step of a byte
#define DENOISE_STRANGER 1e6f         // albedo of the margin
#define DENOISE_SPECK 0.002f          // of brightness: what is nearer to its neighbors' range is no speck
#define DENOISE_SPECK_COMPANY 5       // neighbors on the same surface that a speck has at least

// Quantities. Colors come first: they are what is smoothed.
enum
{
	denoise_color = 0,
	denoise_through = 3,
	denoise_colors = 6,
	denoise_variance = 6,
	denoise_bright = 7,
	denoise_normal = 8,
	denoise_albedo = 11,
	denoise_depth = 14,
	denoise_count = 15,
};

typedef struct Denoise
{
	brRenderPixel* pixels;
	float* from[denoise_count]; // what does not change is in both sets
	float* to[denoise_count];
	int32_t width, height, pitch, step;
} Denoise;

static size_t denoiseAt(const Denoise* job, int32_t x, int32_t y)
{
	return (size_t)(y + DENOISE_MARGIN) * (size_t)job->pitch + (size_t)(x + DENOISE_MARGIN);
}

// Of six colors, each a number or a run of them; the background is a middle gray.
#define DENOISE_BRIGHTNESS(c)                                                                                          \
	(0.25f * ((c)[0] + 0.5f * (c)[3]) + 0.6f * ((c)[1] + 0.5f * (c)[4]) + 0.15f * ((c)[2] + 0.5f * (c)[5]))

static void denoiseLoad(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const Denoise* job = user;
	for (int32_t y = begin; y < end; ++y)
	{
		for (int32_t x = 0; x < job->width; ++x)
		{
			const brRenderPixel* p = &job->pixels[(size_t)y * (size_t)job->width + (size_t)x];
			float values[denoise_count] = {p->color.x,   p->color.y,  p->color.z,  p->through.x, p->through.y,
										   p->through.z, p->variance, 0.0f,        p->normal.x,  p->normal.y,
										   p->normal.z,  p->albedo.x, p->albedo.y, p->albedo.z,  p->depth};
			values[denoise_bright] = DENOISE_BRIGHTNESS(values);
			for (int32_t i = 0; i < denoise_count; ++i)
			{
				job->from[i][denoiseAt(job, x, y)] = values[i];
			}
		}
	}
}

// Are two pixels of one surface, whatever their light?
static bool denoiseIsSame(const Denoise* job, size_t a, size_t b)
{
	float sum = 0.0f;
	for (int32_t i = 0; i < 3; ++i)
	{
		float normal = job->from[denoise_normal + i][a] - job->from[denoise_normal + i][b];
		float albedo = job->from[denoise_albedo + i][a] - job->from[denoise_albedo + i][b];
		sum += DENOISE_NORMAL * normal * normal + DENOISE_ALBEDO * albedo * albedo;
	}
	float depth = job->from[denoise_depth][a] - job->from[denoise_depth][b];
	float slope = 2.0f * DENOISE_SLOPE * job->from[denoise_depth][a];
	return sum + depth * depth / (slope * slope + 1e-12f) < 1.0f;
}

// A pixel darker or brighter than all but one of its neighbors on the same surface becomes their mean. A line of shadow
// one pixel wide has two of its kind beside each pixel, so it stays.
static void denoiseSpeck(const Denoise* job, size_t at)
{
	const float* bright = job->from[denoise_bright];
	size_t same[8];
	int32_t count = 0;
	float low[2] = {1e30f, 1e30f}, high[2] = {-1e30f, -1e30f}; // the extreme and the next
	for (int32_t i = 0; i < 9; ++i)
	{
		size_t b = at + (size_t)((ptrdiff_t)(i / 3 - 1) * job->pitch + i % 3 - 1);
		if (i == 4 || !denoiseIsSame(job, at, b))
		{
			continue;
		}
		same[count++] = b;
		float value = bright[b];
		low[1] = value < low[0] ? low[0] : value < low[1] ? value : low[1];
		low[0] = value < low[0] ? value : low[0];
		high[1] = value > high[0] ? high[0] : value > high[1] ? value : high[1];
		high[0] = value > high[0] ? value : high[0];
	}
	bool isSpeck =
		count >= DENOISE_SPECK_COMPANY && (bright[at] < low[1] - DENOISE_SPECK || bright[at] > high[1] + DENOISE_SPECK);
	for (int32_t i = 0; i <= denoise_bright && isSpeck; ++i)
	{
		float sum = 0.0f;
		for (int32_t k = 0; k < count; ++k)
		{
			sum += job->from[i][same[k]];
		}
		job->to[i][at] = sum / (float)count;
	}
}

// A speck has at most one neighbor on its surface that is not brighter, or not darker, by what makes a speck: so some of
// all eight are.
static bool denoiseMayBeSpeck(const Denoise* job, size_t at)
{
	const float *middle = job->from[denoise_bright] + at, *above = middle - job->pitch, *below = middle + job->pitch;
	if (middle[0] == middle[-1] && middle[0] == middle[1])
	{
		return false;
	}
	const float around[8] = {above[-1], above[0], above[1], middle[-1], middle[1], below[-1], below[0], below[1]};
	int32_t darker = 0, brighter = 0;
	for (int32_t i = 0; i < 8; ++i)
	{
		darker += middle[0] > around[i] + DENOISE_SPECK;
		brighter += middle[0] < around[i] - DENOISE_SPECK;
	}
	return darker >= DENOISE_SPECK_COMPANY - 1 || brighter >= DENOISE_SPECK_COMPANY - 1;
}

static void denoiseSpecks(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const Denoise* job = user;
	for (int32_t y = begin; y < end; ++y)
	{
		for (int32_t i = 0; i <= denoise_bright; ++i)
		{
			size_t first = denoiseAt(job, 0, y);
			memcpy(job->to[i] + first, job->from[i] + first, (size_t)job->width * sizeof(float));
		}
		for (int32_t x = 0; x < job->width; ++x)
		{
			size_t at = denoiseAt(job, x, y);
			if (denoiseMayBeSpeck(job, at))
			{
				denoiseSpeck(job, at);
			}
		}
	}
}

// What was made becomes what is read.
static void denoiseSwap(Denoise* job)
{
	for (int32_t i = 0; i < denoise_count; ++i)
	{
		float* made = job->to[i];
		job->to[i] = job->from[i];
		job->from[i] = made;
	}
}

// Of a few samples all may happen to agree: a pixel's variance is the mean over the square around it. Sums along rows
// first, then along columns.
static void denoiseSpread(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const Denoise* job = user;
	bool isAcross = job->step == 0;
	const float* from = (isAcross ? job->from : job->to)[denoise_variance];
	float* to = (isAcross ? job->to : job->from)[denoise_variance];
	ptrdiff_t stride = isAcross ? 1 : job->pitch;
	for (int32_t y = begin; y < end; ++y)
	{
		for (int32_t x = 0; x < job->width; ++x)
		{
			const float* at = from + denoiseAt(job, x, y);
			float sum = at[0];
			for (int32_t i = 1; i <= DENOISE_SQUARE; ++i)
			{
				sum += at[i * stride] + at[-i * stride];
			}
			sum *= 1.0f / (2 * DENOISE_SQUARE + 1);
			// One blocked ray among open ones: the pixel alone knows how noisy it is. In the second pass `to` has its
			// own.
			float* made = to + denoiseAt(job, x, y);
			*made = isAcross || sum > *made ? sum : *made;
		}
	}
}

typedef float DenoiseLanes
	__attribute__((vector_size(4 * DENOISE_RUN), aligned(4), may_alias)); // as they lie in a plane

#define DENOISE_INLINE __attribute__((always_inline)) static inline

// The same, once more over the nearest: the margin has none.
DENOISE_INLINE brFloat16 denoiseVariance(const Denoise* job, size_t at)
{
	const float *middle = job->from[denoise_variance] + at, *above = middle - job->pitch, *below = middle + job->pitch;
#define AT(row, i) (*(const DenoiseLanes*)((row) + (i)))
	brFloat16 sum = 2.0f * (AT(above, 0) + AT(below, 0) + AT(middle, -1) + AT(middle, 1)) + 4.0f * AT(middle, 0);
	return (sum + AT(above, -1) + AT(above, 1) + AT(below, -1) + AT(below, 1)) * (1.0f / 16.0f);
#undef AT
}

typedef struct DenoiseRun
{
	brFloat16 sums[denoise_colors];
	brFloat16 spread, weight;
	brFloat16 invBright; // one over the squared difference of brightness that makes strangers
	brFloat16 slopeSq;   // squared difference of depths that makes strangers, at the nearest tap of this pass
} DenoiseRun;

// Adds one tap to a run of pixels; it lies this many steps away.
DENOISE_INLINE void denoiseTap(const Denoise* job, size_t at, ptrdiff_t offset, int32_t steps, float kernel,
							   DenoiseRun* run)
{
#define LANES(quantity) (*(const DenoiseLanes*)(job->from[quantity] + at))
#define OTHERS(quantity) (*(const DenoiseLanes*)(job->from[quantity] + at + offset))
	brFloat16 normal = {0}, albedo = {0};
	for (int32_t i = 0; i < 3; ++i)
	{
		brFloat16 n = LANES(denoise_normal + i) - OTHERS(denoise_normal + i);
		brFloat16 a = LANES(denoise_albedo + i) - OTHERS(denoise_albedo + i);
		normal += n * n;
		albedo += a * a;
	}
	brFloat16 dz = LANES(denoise_depth) - OTHERS(denoise_depth);
	brFloat16 dl = LANES(denoise_bright) - OTHERS(denoise_bright);
	brFloat16 alike = 1.0f - (DENOISE_NORMAL * normal + DENOISE_ALBEDO * albedo + dl * dl * run->invBright +
							  dz * dz / ((float)(steps * steps) * run->slopeSq + 1e-12f));
	alike = (brFloat16)((alike > 0.0f) & (brInt16)alike);
	brFloat16 weights = kernel * alike * alike;
	for (int32_t i = 0; i < denoise_colors; ++i)
	{
		run->sums[i] += weights * OTHERS(i);
	}
	run->spread += weights * weights * OTHERS(denoise_variance);
	run->weight += weights;
#undef LANES
#undef OTHERS
}

DENOISE_INLINE void denoiseRun(const Denoise* job, size_t at)
{
	static const float kernel[3] = {0.375f, 0.25f, 0.0625f};
	brFloat16 depth = *(const DenoiseLanes*)(job->from[denoise_depth] + at) * (DENOISE_SLOPE * (float)job->step);
	DenoiseRun run = {.invBright = 1.0f / (DENOISE_BRIGHT * denoiseVariance(job, at) + DENOISE_LEAST),
					  .slopeSq = depth * depth};
	for (int32_t j = -2; j <= 2; ++j)
	{
		for (int32_t i = -2; i <= 2; ++i)
		{
			int32_t right = i < 0 ? -i : i, down = j < 0 ? -j : j;
			ptrdiff_t offset = (ptrdiff_t)j * job->step * job->pitch + (ptrdiff_t)i * job->step;
			denoiseTap(job, at, offset, right + down, kernel[right] * kernel[down], &run);
		}
	}
	brFloat16 inverse = 1.0f / run.weight;
	for (int32_t i = 0; i < denoise_colors; ++i)
	{
		run.sums[i] *= inverse;
		*(DenoiseLanes*)(job->to[i] + at) = run.sums[i];
	}
	*(DenoiseLanes*)(job->to[denoise_variance] + at) = run.spread * inverse * inverse;
	*(DenoiseLanes*)(job->to[denoise_bright] + at) = DENOISE_BRIGHTNESS(run.sums);
}

// A run without any variance has nothing to smooth: the background, a shadow's middle, a floor in full light.
DENOISE_INLINE bool denoiseIsStill(const Denoise* job, size_t at)
{
	brFloat16 variance = denoiseVariance(job, at);
	float sum = 0.0f;
	for (int32_t l = 0; l < DENOISE_RUN; ++l)
	{
		sum += variance[l];
	}
	return sum == 0.0f;
}

DENOISE_INLINE void denoiseRowsInline(const Denoise* job, int32_t begin, int32_t end)
{
	for (int32_t y = begin; y < end; ++y)
	{
		for (int32_t x = 0; x < job->width; x += DENOISE_RUN)
		{
			size_t at = denoiseAt(job, x, y);
			bool isStill = denoiseIsStill(job, at);
			for (int32_t i = 0; i <= denoise_bright && isStill; ++i)
			{
				memcpy(job->to[i] + at, job->from[i] + at, DENOISE_RUN * sizeof(float));
			}
			if (!isStill)
			{
				denoiseRun(job, at);
			}
		}
	}
}

// One copy for each set of vector instructions: the compiler makes the sixteen lanes of what there is.
#define DENOISE_PATH(NAME, TARGET)                                                                                     \
	TARGET static void denoiseRows##NAME(int32_t begin, int32_t end, int32_t worker, void* user)                       \
	{                                                                                                                  \
		(void)worker;                                                                                                  \
		denoiseRowsInline(user, begin, end);                                                                           \
	}

DENOISE_PATH(Plain, )
#if BR_LANES_X86
DENOISE_PATH(Avx2, __attribute__((target("avx2"))))
DENOISE_PATH(Avx512, __attribute__((target("avx512f,avx512dq,avx512vl"))))
#endif

static void denoiseStore(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const Denoise* job = user;
	for (int32_t y = begin; y < end; ++y)
	{
		for (int32_t x = 0; x < job->width; ++x)
		{
			brRenderPixel* p = &job->pixels[(size_t)y * (size_t)job->width + (size_t)x];
			size_t at = denoiseAt(job, x, y);
			p->color = brMakeVec3(job->from[0][at], job->from[1][at], job->from[2][at]);
			p->through = brMakeVec3(job->from[3][at], job->from[4][at], job->from[5][at]);
		}
	}
}

bool brDenoisePixels(const brContext* context, brRenderPixel* pixels, int32_t width, int32_t height)
{
	brAllocator allocator = brContext_Allocator(context);
	brWorkers* workers = context != NULL ? context->workers : NULL;
	Denoise job = {.pixels = pixels, .width = width, .height = height};
	job.pitch = (width + DENOISE_RUN - 1) / DENOISE_RUN * DENOISE_RUN + 2 * DENOISE_MARGIN;
	int64_t plane = (int64_t)job.pitch * (height + 2 * DENOISE_MARGIN), changing = denoise_bright + 1;
	int64_t count = plane * (denoise_count + changing);
	float* floats = BR_ALLOC_ZERO(&allocator, float, count);
	if (floats == NULL)
	{
		return false;
	}
	for (int32_t i = 0; i < denoise_count; ++i)
	{
		job.from[i] = floats + i * plane;
		job.to[i] = i < changing ? floats + (denoise_count + i) * plane : job.from[i];
	}
	for (int64_t i = 0; i < plane; ++i)
	{
		job.from[denoise_albedo][i] = DENOISE_STRANGER;
	}
	brParallelFor(workers, height, 8, denoiseLoad, &job);
	brParallelFor(workers, height, 8, denoiseSpecks, &job);
	denoiseSwap(&job);
	for (job.step = 0; job.step < 2; ++job.step)
	{
		brParallelFor(workers, height, 8, denoiseSpread, &job);
	}
	for (int32_t pass = 0; pass < DENOISE_PASSES; ++pass)
	{
		job.step = 1 << pass;
		brParallelFor(workers, height, 8, BR_WIDEST(brCpu_Best(), denoiseRows), &job);
		denoiseSwap(&job);
	}
	brParallelFor(workers, height, 8, denoiseStore, &job);
	BR_FREE(&allocator, floats, count);
	return true;
}
