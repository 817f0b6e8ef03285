// SPDX-License-Identifier: MIT

// Pictures: the camera, the sampling of pixels, and what becomes of light values on their way to bytes.
//
// Each pixel draws its samples from a sequence of its own (Sobol points scrambled by a seed made of the pixel's
// index), so the picture does not depend on how tiles are shared out. Cost: a handful of rays a sample.

#include "base/assert.h"
#include "base/random.h"
#include "scene/render_camera.h"
#include "scene/render_denoise.h"
#include "scene/render_light.h"

#include <string.h>

#define RENDER_TILE 16
#define RENDER_CODES 4096

brRenderDef brDefaultRenderDef(void)
{
	brRenderDef def;
	memset(&def, 0, sizeof(def));
	def.width = 960;
	def.height = 720;
	def.samples = 16;
	def.denoise = true;
	def.azimuth = -1.0;
	def.elevation = 0.3;
	def.fieldOfView = 0.5;
	def.zoom = 1.0;
	def.up = brMakeDVec3(0.0, 0.0, 1.0);
	def.frame = brMakeDBox3Empty();
	def.ground = true;
	def.clipNormal = brMakeDVec3(0.0, -1.0, 0.0);
	def.stamp = BR_STAMP(def);
	return def;
}

static brResult renderCheck(const brAssembly* assembly, const brRenderDef* def, const uint8_t* pixels, brReport* report)
{
	if (assembly == NULL || def == NULL || def->stamp != BR_STAMP(*def) || pixels == NULL)
	{
		return brFail(report, br_errorMisuse, "a picture needs an assembly, a def from brDefaultRenderDef and pixels");
	}
	if (def->width < 16 || def->width > 16384 || def->height < 16 || def->height > 16384)
	{
		return brFail(report, br_errorMisuse, "a picture is 16 to 16384 pixels wide and high, not %d x %d", def->width,
					  def->height);
	}
	if (def->samples < 1 || def->samples > 65536)
	{
		return brFail(report, br_errorMisuse, "a pixel takes 1 to 65536 samples, not %d", def->samples);
	}
	if (!isfinite(def->time) || !isfinite(def->azimuth) || !isfinite(def->elevation))
	{
		return brFail(report, br_errorMisuse, "time, azimuth and elevation of a picture must be finite");
	}
	if (!(def->fieldOfView > 0.001) || !(def->fieldOfView < 3.0))
	{
		return brFail(report, br_errorMisuse, "the field of view is 0.001 to 3 radians, not %g", def->fieldOfView);
	}
	if (!(def->zoom > 0.0) || !isfinite(def->zoom))
	{
		return brFail(report, br_errorMisuse, "zoom is a positive number, not %g", def->zoom);
	}
	if (!(fabs(brDLengthSq(def->up) - 1.0) < 1e-3))
	{
		return brFail(report, br_errorMisuse, "the up direction of a picture is a unit vector, its length is %g",
					  brDLength(def->up));
	}
	if (def->clip &&
		(!(brDLengthSq(def->clipNormal) > 0.0) || !brDIsFinite(def->clipNormal) || !isfinite(def->clipOffset)))
	{
		return brFail(report, br_errorMisuse,
					  "the clip plane needs a finite normal that is not zero and a finite offset");
	}
	return br_success;
}

typedef struct Render
{
	const brRenderDef* def;
	brRenderScene scene;
	brRenderView view;
	brRenderCamera camera;
	brRenderPixel* found; // [width * height]
	uint8_t* pixels;
	int32_t firstTile;
	int32_t tilesAcross;
	uint8_t codes[RENDER_CODES + 1]; // sRGB byte of a linear value
	brVec2 circle[BR_RENDER_CIRCLE + 1];
} Render;

// Points in scene units: the corners of the frame, or without one all triangles.
static void renderFit(Render* render)
{
	const brRenderScene* scene = &render->scene;
	bool usesBox = !(render->def->frame.lower.x > render->def->frame.upper.x || scene->triangleCount == 0);
	for (int32_t i = 0; i < 8 && usesBox; ++i)
	{
		brDVec3 corner = {(i & 1 ? scene->frame.upper : scene->frame.lower).x,
						  (i & 2 ? scene->frame.upper : scene->frame.lower).y,
						  (i & 4 ? scene->frame.upper : scene->frame.lower).z};
		brRenderCamera_Include(&render->camera, brDMul(scene->scale, brDSub(corner, scene->origin)));
	}
	for (int64_t i = 0; i < 3 * (int64_t)scene->triangleCount && !usesBox; ++i)
	{
		const float* v = scene->vertices[scene->indices[i / 3][i % 3]];
		brRenderCamera_Include(&render->camera, brMakeDVec3((double)v[0], (double)v[1], (double)v[2]));
	}
	brRenderCamera_Stand(&render->camera, render->def->zoom);
}

static void renderAim(Render* render)
{
	const brRenderDef* def = render->def;
	brRenderCamera* camera = &render->camera;
	*camera = brMakeRenderCamera(def);
	renderFit(render);
	brDVec3 up = camera->up, level = camera->level;
	for (int32_t i = 0; i <= BR_RENDER_CIRCLE; ++i)
	{
		double angle = 2.0 * BR_PI * i / BR_RENDER_CIRCLE;
		render->circle[i] = (brVec2){(float)brCos(angle), (float)brSin(angle)};
	}

	// The key light stands to the left of the camera and above, the weak one behind to the right.
	brRenderView* view = &render->view;
	brDVec3 key = brDNormalize(brDAdd(brDAdd(brDMul(0.55, level), brDMul(-0.70, camera->right)), brDMul(1.05, up)));
	brDVec3 keyRight = brDNormalize(brDCross(up, key));
	brDVec3 rim = brDNormalize(brDAdd(brDAdd(brDMul(-0.6, level), brDMul(0.9, camera->right)), brDMul(0.55, up)));
	brDVec3 clip = brDNormalize(def->clipNormal);
	double clipOffset = def->clipOffset / brDLength(def->clipNormal) - brDDot(clip, render->scene.origin);
	*view = (brRenderView){
		.scene = &render->scene,
		.up = brToVec3(up),
		.key = brToVec3(key),
		.keyRight = brToVec3(keyRight),
		.keyAbove = brToVec3(brDCross(key, keyRight)),
		.rim = brToVec3(rim),
		.circle = render->circle,
		.pixel = (float)(2.0 * camera->halfHeight / def->height),
		.hasGround = def->ground,
		.drawsEdges = def->edges,
		.colorsParts = def->colorParts,
		.hasClip = def->clip,
		.clipNormal = brToVec3(clip),
		.clipOffset = (float)(clipOffset * render->scene.scale),
	};
}

// x^(1/2.4) = x^(1/4) x^(1/6) by square roots and Newton's cube root: no library power, so the same bytes everywhere.
static void renderFillCodes(Render* render)
{
	for (int32_t i = 0; i <= RENDER_CODES; ++i)
	{
		double x = (double)i / RENDER_CODES, value = 12.92 * x;
		if (x > 0.0031308)
		{
			double root = sqrt(x), cube = 1.0;
			for (int32_t k = 0; k < 24; ++k)
			{
				cube -= (cube * cube * cube - root) / (3.0 * cube * cube);
			}
			value = 1.055 * sqrt(root) * cube - 0.055;
		}
		render->codes[i] = (uint8_t)floor(255.0 * value + 0.5);
	}
}

// Bright values bend towards white instead of being cut off.
static uint8_t renderCode(const Render* render, float value)
{
	const float knee = 0.75f;
	if (value > knee)
	{
		float over = (value - knee) / (1.0f - knee);
		value = knee + (1.0f - knee) * over / (1.0f + over);
	}
	value = value > 0.0f ? value : 0.0f;
	return render->codes[(int32_t)(value * RENDER_CODES + 0.5f)];
}

static brVec3 renderBackground(float x, float y)
{
	// From a light floor to a slightly bluer wall, darker to the corners.
	float dx = x - 0.5f, dy = y - 0.55f;
	float corner = 1.0f - 0.55f * (dx * dx + dy * dy);
	brVec3 floor = {0.60f, 0.60f, 0.595f}, wall = {0.36f, 0.40f, 0.45f};
	float t = y < 0.75f ? 1.0f - y / 0.75f : 0.0f;
	t = t * t * (3.0f - 2.0f * t);
	return brMul(corner, brMulAdd(floor, t, brSub(wall, floor)));
}

// A triangle-shaped filter of one pixel's radius, by its inverse: uniform in, offset out.
static double renderTent(double u)
{
	return u < 0.5 ? sqrt(2.0 * u) - 1.0 : 1.0 - sqrt(2.0 - 2.0 * u);
}

static uint32_t renderReverse(uint32_t x)
{
	x = __builtin_bswap32(x);
	x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
	x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
	return (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
}

// A random permutation of fractions that keeps every binary interval together (Owen 1995), on reversed bits: products
// with even numbers let each bit depend on those below it only (Laine and Karras 2011).
static uint32_t renderScramble(uint32_t x, uint32_t seed)
{
	x += seed;
	x ^= x * 0x6c50b47cu;
	x ^= x * 0xb82f1e52u;
	x ^= x * 0xc7afe638u;
	x ^= x * 0x8d22f6e6u;
	return x;
}

// Point i of a scrambled and shuffled Sobol sequence in the unit square: every power of two of them is evenly spread,
// and pairs with different seeds are independent of each other (Burley 2020). `mask` is such a power above i, less 1.
static void renderDraw(uint32_t i, uint32_t mask, uint32_t seed, float out[2])
{
	uint32_t x = renderScramble(i, seed) & mask, y = 0;
	for (uint32_t bits = x, column = 1; bits != 0; bits >>= 1, column ^= column << 1)
	{
		y ^= bits & 1 ? column : 0;
	}
	x = renderReverse(renderScramble(x, seed * 0x9e3779b9u + 1));
	y = renderReverse(renderScramble(y, seed * 0x85ebca6bu + 2));
	// 24 bits fit a float below 1.
	out[0] = (float)(x >> 8) * 0x1p-24f;
	out[1] = (float)(y >> 8) * 0x1p-24f;
}

static void renderPixel(Render* render, int32_t x, int32_t y)
{
	const brRenderDef* def = render->def;
	const brRenderCamera* camera = &render->camera;
	int32_t index = y * def->width + x;
	brRandom random = brMakeRandom(def->seed, (uint64_t)index);

	uint32_t mask = 1;
	while (mask < (uint32_t)def->samples)
	{
		mask = 2 * mask;
	}
	mask -= 1;
	uint32_t seeds[4];
	for (int32_t i = 0; i < 4; ++i)
	{
		seeds[i] = brRandom_Next(&random);
	}
	brVec3 origin = brToVec3(camera->position);
	brRenderPixel pixel;
	memset(&pixel, 0, sizeof(pixel));
	double bright = 0.0, square = 0.0;
	for (int32_t s = 0; s < def->samples; ++s)
	{
		float jitter[2];
		brRenderDraws draws;
		renderDraw((uint32_t)s, mask, seeds[0], jitter);
		renderDraw((uint32_t)s, mask, seeds[1], draws.light);
		renderDraw((uint32_t)s, mask, seeds[2], draws.bounce);
		renderDraw((uint32_t)s, mask, seeds[3], draws.second);
		double px = (2.0 * (x + 0.5 + renderTent((double)jitter[0])) / def->width - 1.0) * camera->halfHeight *
					def->width / def->height;
		double py = (1.0 - 2.0 * (y + 0.5 + renderTent((double)jitter[1])) / def->height) * camera->halfHeight;
		brDVec3 direction = brDMulAdd(brDMulAdd(camera->forward, px, camera->right), py, camera->above);
		brRenderSample sample = brRenderView_Trace(&render->view, origin, brToVec3(brDNormalize(direction)), &draws);
		pixel.color = brAdd(pixel.color, sample.color);
		pixel.through = brAdd(pixel.through, sample.behind);
		pixel.normal = brAdd(pixel.normal, sample.normal);
		pixel.albedo = brAdd(pixel.albedo, sample.albedo);
		pixel.depth += sample.depth;
		double light = (double)(sample.color.y + 0.5f * sample.behind.y);
		bright += light;
		square += light * light;
	}
	float share = 1.0f / (float)def->samples;
	pixel.color = brMul(share, pixel.color);
	pixel.through = brMul(share, pixel.through);
	pixel.normal = brMul(share, pixel.normal);
	pixel.albedo = brMul(share, pixel.albedo);
	pixel.depth *= share;
	double mean = bright / def->samples, spread = fmax(square / def->samples - mean * mean, 0.0);
	pixel.variance = (float)(spread / def->samples);
	render->found[index] = pixel;
}

// Light to bytes.
static void renderStore(const Render* render, int32_t x, int32_t y)
{
	const brRenderDef* def = render->def;
	size_t index = (size_t)y * (size_t)def->width + (size_t)x;
	brVec3 color = render->found[index].color, through = render->found[index].through;
	uint8_t* pixel = render->pixels + 4 * index;
	if (def->transparentBackground)
	{
		// Straight alpha: the color of what covers. The tint of glass is lost to one number.
		float alpha = 1.0f - (through.x + through.y + through.z) / 3.0f;
		color = alpha > 0.0f ? brMul(1.0f / alpha, color) : color;
		pixel[3] = (uint8_t)(255.0f * fminf(fmaxf(alpha, 0.0f), 1.0f) + 0.5f);
	}
	else
	{
		brVec3 behind = renderBackground((float)x / (float)def->width, (float)y / (float)def->height);
		color = brAdd(color, brMakeVec3(through.x * behind.x, through.y * behind.y, through.z * behind.z));
		pixel[3] = 255;
	}
	pixel[0] = renderCode(render, color.x);
	pixel[1] = renderCode(render, color.y);
	pixel[2] = renderCode(render, color.z);
}

static void renderTiles(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	Render* render = user;
	for (int32_t i = begin; i < end; ++i)
	{
		int32_t tile = render->firstTile + i;
		int32_t x0 = tile % render->tilesAcross * RENDER_TILE, y0 = tile / render->tilesAcross * RENDER_TILE;
		for (int32_t y = y0; y < y0 + RENDER_TILE && y < render->def->height; ++y)
		{
			for (int32_t x = x0; x < x0 + RENDER_TILE && x < render->def->width; ++x)
			{
				renderPixel(render, x, y);
			}
		}
	}
}

brResult brRender(const brContext* context, const brAssembly* assembly, const brRenderDef* def, uint8_t* outPixels,
				  brReport* report)
{
	brResult result = renderCheck(assembly, def, outPixels, report);
	if (result < 0)
	{
		return result;
	}
	brAllocator allocator = brContext_Allocator(context);
	size_t pixelBytes = 4 * (size_t)def->width * (size_t)def->height;
	// The caller's pixels stay as they are until the picture is whole.
	Render* render = BR_ALLOC_ZERO(&allocator, Render, 1);
	uint8_t* pixels = brAlloc(&allocator, pixelBytes);
	int64_t pixelCount = (int64_t)def->width * def->height;
	brRenderPixel* found = BR_ALLOC(&allocator, brRenderPixel, pixelCount);
	if (render == NULL || pixels == NULL || found == NULL)
	{
		BR_FREE(&allocator, found, pixelCount);
		BR_FREE(&allocator, render, 1);
		brFree(&allocator, pixels, pixelBytes);
		return brFailMemory(report);
	}
	render->def = def;
	render->pixels = pixels;
	render->found = found;
	result = brRenderScene_Create(context, assembly, def, &render->scene, report);
	if (result >= 0)
	{
		renderAim(render);
		renderFillCodes(render);
		render->tilesAcross = (def->width + RENDER_TILE - 1) / RENDER_TILE;
		int32_t tiles = render->tilesAcross * ((def->height + RENDER_TILE - 1) / RENDER_TILE);
		// Between batches the calling thread may be told to stop: 64 times if they are large, and after a million rays.
		int32_t million = (1 << 20) / (RENDER_TILE * RENDER_TILE * def->samples);
		int32_t batch = tiles / 64 > 64 ? tiles / 64 : 64;
		batch = batch < million ? batch : million;
		batch = batch > 32 ? batch : 32; // enough for all workers
		for (int32_t first = 0; first < tiles && result >= 0; first += batch)
		{
			if (brIsCanceled(context, (double)first / tiles))
			{
				result = brFail(report, br_errorCanceled, "the picture was canceled");
				break;
			}
			render->firstTile = first;
			brParallelFor(context != NULL ? context->workers : NULL, tiles - first < batch ? tiles - first : batch, 1,
						  renderTiles, render);
		}
		brRenderScene_Destroy(&render->scene);
	}
	if (result >= 0 && def->denoise && !brDenoisePixels(context, found, def->width, def->height))
	{
		result = brFailMemory(report);
	}
	for (int32_t i = 0; i < pixelCount && result >= 0; ++i)
	{
		renderStore(render, i % def->width, i / def->width);
	}
	if (result >= 0)
	{
		memcpy(outPixels, pixels, pixelBytes);
		result = brSucceed(report);
	}
	BR_FREE(&allocator, found, pixelCount);
	BR_FREE(&allocator, render, 1);
	brFree(&allocator, pixels, pixelBytes);
	return result;
}
