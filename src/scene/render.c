// SPDX-License-Identifier: MIT

// Pictures: the camera, the sampling of pixels, and what becomes of light values on their way to bytes.
//
// Each pixel has its own part of one sequence (render_draws.h), so the picture does not depend on how tiles are shared
// out. Cost: a handful of rays a sample.
//
// If the grain is to be smoothed, samples are taken in rounds. Where no triangle is seen, scouts go first, one pixel in
// four: if all around met neither a thing nor a shadow, the pixels between them are like them. All others take a quarter
// of the samples; then those go on that the denoiser cannot help, since they lie on an edge or are noisier than it can
// smooth.

#include "base/assert.h"
#include "base/random.h"
#include "scene/render_camera.h"
#include "scene/render_denoise.h"
#include "scene/render_light.h"

#include <string.h>

#define RENDER_TILE 16
#define RENDER_CELL 4         // pixels of a side; one row has one scout
#define RENDER_CLEAR 0.99999f // of the background's light that comes through where nothing is in its way
#define RENDER_CODES 4096
#define RENDER_NOISE 2e-3f  // variance of a pixel's brightness that the denoiser smooths below a step of a byte
#define RENDER_NORMAL 0.05f // squared difference of normals that is an edge
#define RENDER_ALBEDO 0.01f // the same of albedos
#define RENDER_DEPTH 0.02f  // the same of depths, as a share

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
	def.groundHeight = -INFINITY;
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
	if (!(def->aperture >= 0.0 && def->focus >= 0.0 && def->shutter >= 0.0) ||
		!isfinite(def->aperture + def->focus + def->shutter))
	{
		return brFail(report, br_errorMisuse, "aperture, focus and shutter of a picture are 0 or more, and finite");
	}
	if (!((int32_t)def->light >= br_renderStudio && (int32_t)def->light <= br_renderDark))
	{
		return brFail(report, br_errorMisuse, "the light of a picture is none of brRenderLight");
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

// How far a pixel is.
typedef struct RenderProgress
{
	float deviations; // sum of the squared deviations of brightness from its mean
	int32_t count;    // samples so far
	bool isActive;    // takes part in the next round
} RenderProgress;

// What a square of pixels shows.
typedef enum RenderCell
{
	render_cellEmpty,   // no triangle
	render_cellOpen,    // nor any shadow
	render_cellCovered, // perhaps triangles
} RenderCell;

typedef struct Render
{
	const brRenderDef* def;
	brRenderScene scene;
	brRenderView view;
	brRenderCamera camera;
	RenderProgress* progress; // [width * height]
	uint8_t* cells;           // [cellsAcross * cellsDown] what is known of each square of pixels, a RenderCell
	int32_t cellsAcross, cellsDown;
	brRenderPixel* found; // [width * height] means so far
	uint8_t* pixels;
	bool isAdaptive; // pixels take as many samples as they need
	int32_t goal;    // samples of a pixel at the end of this round
	brRenderDraws draws;
	int32_t sampleBits; // of the number of a sample within its pixel; huge pictures use numbers again, far apart
	float lens, focus;  // radius of the lens and distance that is sharp, in scene units
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

// Marks the cells within these bounds, in pixels.
static void renderCover(Render* render, const double lower[2], const double upper[2])
{
	int32_t limits[2] = {render->cellsAcross - 1, render->cellsDown - 1}, from[2], to[2];
	for (int32_t a = 0; a < 2; ++a)
	{
		from[a] = (int32_t)fmin(fmax(floor(lower[a] / RENDER_CELL), 0.0), limits[a] + 1.0);
		to[a] = (int32_t)fmin(fmax(floor(upper[a] / RENDER_CELL), -1.0), limits[a]);
	}
	for (int32_t y = from[1]; y <= to[1]; ++y)
	{
		for (int32_t x = from[0]; x <= to[0]; ++x)
		{
			render->cells[y * render->cellsAcross + x] = render_cellCovered;
		}
	}
}

// Where rays from the eye may meet something: within the bounds of each triangle as it is seen. With a lens or a
// shutter, or something beside the camera, it may be anywhere.
static void renderFindCover(Render* render)
{
	const brRenderScene* scene = &render->scene;
	const brRenderCamera* camera = &render->camera;
	const double reach = 1.6; // pixels: samples lie up to one from the middle of theirs
	double scale = 0.5 * render->def->height / camera->halfHeight;
	double middle[2] = {0.5 * render->def->width, 0.5 * render->def->height};
	bool isAnywhere = render->lens > 0.0f || scene->later != NULL;
	for (int32_t t = 0; t < scene->triangleCount && !isAnywhere; ++t)
	{
		double lower[2] = {INFINITY, INFINITY}, upper[2] = {-INFINITY, -INFINITY};
		for (int32_t k = 0; k < 3; ++k)
		{
			const float* v = scene->vertices[scene->indices[t][k]];
			brDVec3 p = brDSub(brMakeDVec3((double)v[0], (double)v[1], (double)v[2]), camera->position);
			double depth = brDDot(p, camera->forward);
			isAnywhere = isAnywhere || !(depth > 1e-3);
			double at[2] = {middle[0] + scale * brDDot(p, camera->right) / depth,
							middle[1] - scale * brDDot(p, camera->above) / depth};
			for (int32_t a = 0; a < 2; ++a)
			{
				lower[a] = fmin(lower[a], at[a] - reach);
				upper[a] = fmax(upper[a], at[a] + reach);
			}
		}
		if (!isAnywhere)
		{
			renderCover(render, lower, upper);
		}
	}
	if (isAnywhere)
	{
		memset(render->cells, render_cellCovered, (size_t)render->cellsAcross * (size_t)render->cellsDown);
	}
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
	render->lens = (float)(0.5 * def->aperture * render->scene.scale);
	render->focus =
		(float)(def->focus > 0.0 ? def->focus * render->scene.scale
								 : -brDDot(camera->position, camera->forward)); // the frame is about the origin
	*view = (brRenderView){
		.scene = &render->scene,
		.set = brGetRenderSet(def->light),
		.bare = brDefaultSurfaceMaterial(),
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
	const float knee = 0.5f;
	if (value > knee)
	{
		float over = (value - knee) / (1.0f - knee);
		value = knee + (1.0f - knee) * over / (1.0f + over);
	}
	value = value > 0.0f ? value : 0.0f;
	return render->codes[(int32_t)(value * RENDER_CODES + 0.5f)];
}

// From the floor in front to the wall behind, darker to the corners.
static brVec3 renderBackground(const brRenderSet* set, float x, float y)
{
	float dx = x - 0.5f, dy = y - 0.55f;
	float corner = fmaxf(0.0f, 1.0f - set->corners * (dx * dx + dy * dy));
	float t = y < 0.75f ? 1.0f - y / 0.75f : 0.0f;
	t = t * t * (3.0f - 2.0f * t);
	return brMul(corner, brMulAdd(set->nearBack, t, brSub(set->farBack, set->nearBack)));
}

// A triangle-shaped filter of one pixel's radius, by its inverse: uniform in, offset out.
static double renderTent(double u)
{
	return u < 0.5 ? sqrt(2.0 * u) - 1.0 : 1.0 - sqrt(2.0 - 2.0 * u);
}

// Where a ray through a point of the picture starts and goes; the point is given as a share of the picture's half
// height.
static brVec3 renderAimRay(const Render* render, double px, double py, const float lens[2], brVec3* outOrigin)
{
	const brRenderCamera* camera = &render->camera;
	brDVec3 direction = brDMulAdd(brDMulAdd(camera->forward, px, camera->right), py, camera->above);
	*outOrigin = brToVec3(camera->position);
	if (render->lens > 0.0f)
	{
		// All rays through the lens that belong to one point of the picture meet where it is sharp.
		double radius = (double)render->lens * sqrt((double)lens[0]);
		brVec2 turn = render->circle[(int32_t)(lens[1] * BR_RENDER_CIRCLE)];
		brDVec3 aside =
			brDAdd(brDMul(radius * (double)turn.x, camera->right), brDMul(radius * (double)turn.y, camera->above));
		*outOrigin = brToVec3(brDAdd(camera->position, aside));
		direction = brDMulAdd(direction, -1.0 / (double)render->focus, aside);
	}
	return brToVec3(brDNormalize(direction));
}

static brRenderSample renderSample(const Render* render, brRenderView* view, int32_t index, const brRenderDraws* draws)
{
	const brRenderDef* def = render->def;
	float jitter[2], lens[2] = {0.0f, 0.0f}, time[2] = {0.0f, 0.0f};
	brRenderDraws_Make(draws, br_drawPixel, jitter);
	if (render->lens > 0.0f)
	{
		brRenderDraws_Make(draws, br_drawLens, lens);
	}
	if (def->shutter > 0.0)
	{
		brRenderDraws_Make(draws, br_drawTime, time);
	}
	view->time = time[0];
	double x = index % def->width + 0.5 + renderTent((double)jitter[0]);
	double y = index / def->width + 0.5 + renderTent((double)jitter[1]);
	double half = render->camera.halfHeight, px = (2.0 * x - def->width) * half / def->height;
	brVec3 origin, direction = renderAimRay(render, px, (1.0 - 2.0 * y / def->height) * half, lens, &origin);
	return brRenderView_Trace(view, origin, direction, draws);
}

static uint8_t* renderCellOf(const Render* render, int32_t x, int32_t y)
{
	return &render->cells[y / RENDER_CELL * render->cellsAcross + x / RENDER_CELL];
}

static void renderMean(brVec3* mean, brVec3 value, float share)
{
	*mean = brMulAdd(*mean, share, brSub(value, *mean));
}

static float renderBrightness(brVec3 color, brVec3 through)
{
	return color.y + 0.5f * through.y; // the background is a middle gray
}

// Samples up to the goal. Means and variance are kept as Welford (1962) has it.
static void renderPixel(const Render* render, brRenderView* view, int32_t index)
{
	RenderProgress* progress = &render->progress[index];
	brRenderPixel* pixel = &render->found[index];
	brRenderDraws draws = render->draws;
	uint32_t x = (uint32_t)(index % render->def->width), y = (uint32_t)(index / render->def->width);
	uint32_t first = brDraw_Curve(x, y) << render->sampleBits;
	view->mayHit = *renderCellOf(render, (int32_t)x, (int32_t)y) == render_cellCovered;
	for (; progress->count < render->goal; ++progress->count)
	{
		draws.index = first + (uint32_t)progress->count;
		brRenderSample sample = renderSample(render, view, index, &draws);
		float share = 1.0f / (float)(progress->count + 1), light = renderBrightness(sample.color, sample.behind);
		float off = light - renderBrightness(pixel->color, pixel->through);
		renderMean(&pixel->color, sample.color, share);
		renderMean(&pixel->through, sample.behind, share);
		renderMean(&pixel->normal, sample.normal, share);
		renderMean(&pixel->albedo, sample.albedo, share);
		pixel->depth += share * (sample.depth - pixel->depth);
		progress->deviations += off * (light - renderBrightness(pixel->color, pixel->through));
	}
	float count = (float)progress->count;
	pixel->variance = fmaxf(progress->deviations, 0.0f) / (count * fmaxf(count - 1.0f, 1.0f));
}

static bool renderIsEdge(const brRenderPixel* a, const brRenderPixel* b)
{
	brVec3 dn = brSub(a->normal, b->normal), da = brSub(a->albedo, b->albedo);
	float dz = a->depth - b->depth, z = fmaxf(a->depth, b->depth);
	return brDot(dn, dn) > RENDER_NORMAL || brDot(da, da) > RENDER_ALBEDO || fabsf(dz) > RENDER_DEPTH * z;
}

// After few samples, which may happen to agree, a pixel's variance is at least that among those around it that show the
// same surface.
static void renderGuess(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const Render* render = user;
	int32_t width = render->def->width, height = render->def->height;
	for (int32_t index = begin * width; index < end * width; ++index)
	{
		int32_t x = index % width, y = index / width;
		brRenderPixel* at = &render->found[index];
		if (!render->progress[index].isActive)
		{
			continue; // settled: there is no noise
		}
		float light = renderBrightness(at->color, at->through), sum = 0.0f, squares = 0.0f, count = 1.0f;
		for (int32_t j = y > 0 ? -1 : 0; j <= 1 && y + j < height; ++j)
		{
			for (int32_t i = x > 0 ? -1 : 0; i <= 1 && x + i < width; ++i)
			{
				const brRenderPixel* other = at + j * width + i;
				float off = renderBrightness(other->color, other->through) - light;
				bool isAlike = other != at && !renderIsEdge(at, other);
				sum += isAlike ? off : 0.0f;
				squares += isAlike ? off * off : 0.0f;
				count += isAlike ? 1.0f : 0.0f;
			}
		}
		float among = fmaxf(squares - sum * sum / count, 0.0f) / fmaxf(count - 1.0f, 1.0f);
		at->variance = fmaxf(at->variance, among);
	}
}

static bool renderIsOnEdge(const Render* render, const brRenderPixel* at, int32_t x, int32_t y)
{
	int32_t width = render->def->width, height = render->def->height;
	for (int32_t j = y > 0 ? -1 : 0; j <= 1 && y + j < height; ++j)
	{
		for (int32_t i = x > 0 ? -1 : 0; i <= 1 && x + i < width; ++i)
		{
			if (renderIsEdge(at, at + j * width + i))
			{
				return true;
			}
		}
	}
	return false;
}

static bool renderIsNoisy(const Render* render, const brRenderPixel* at, int32_t x, int32_t y)
{
	int32_t width = render->def->width, height = render->def->height;
	float variance = 0.0f, count = 0.0f;
	for (int32_t j = y > 1 ? -2 : -y; j <= 2 && y + j < height; ++j)
	{
		for (int32_t i = x > 1 ? -2 : -x; i <= 2 && x + i < width; ++i)
		{
			variance += at[j * width + i].variance;
			count += 1.0f;
		}
	}
	return variance > RENDER_NOISE * count;
}

// Which pixels of some rows take more samples: on edges, and where it is noisy.
static void renderMark(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const Render* render = user;
	int32_t width = render->def->width;
	for (int32_t index = begin * width; index < end * width; ++index)
	{
		RenderProgress* progress = &render->progress[index];
		if (progress->isActive)
		{
			const brRenderPixel* at = &render->found[index];
			int32_t x = index % width, y = index / width;
			progress->isActive = renderIsNoisy(render, at, x, y) || renderIsOnEdge(render, at, x, y);
		}
	}
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
		brVec3 behind = renderBackground(render->view.set, (float)x / (float)def->width, (float)y / (float)def->height);
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
	const Render* render = user;
	brRenderView view = render->view;
	for (int32_t i = begin; i < end; ++i)
	{
		int32_t tile = render->firstTile + i;
		int32_t x0 = tile % render->tilesAcross * RENDER_TILE, y0 = tile / render->tilesAcross * RENDER_TILE;
		for (int32_t y = y0; y < y0 + RENDER_TILE && y < render->def->height; ++y)
		{
			for (int32_t x = x0; x < x0 + RENDER_TILE && x < render->def->width; ++x)
			{
				int32_t index = y * render->def->width + x;
				if (render->progress[index].isActive)
				{
					renderPixel(render, &view, index);
				}
			}
		}
	}
}

// All active pixels up to the goal. Between batches the calling thread may be told to stop: 64 times if they are large,
// and after a million rays.
static brResult renderRound(const brContext* context, Render* render, double done, double share, brReport* report)
{
	const brRenderDef* def = render->def;
	int32_t tiles = render->tilesAcross * ((def->height + RENDER_TILE - 1) / RENDER_TILE);
	int32_t million = (1 << 20) / (RENDER_TILE * RENDER_TILE * render->goal);
	int32_t batch = tiles / 64 > 64 ? tiles / 64 : 64;
	batch = batch < million ? batch : million;
	batch = batch > 32 ? batch : 32; // enough for all workers
	for (int32_t first = 0; first < tiles; first += batch)
	{
		if (brIsCanceled(context, done + share * first / tiles))
		{
			return brFail(report, br_errorCanceled, "the picture was canceled");
		}
		render->firstTile = first;
		brParallelFor(context != NULL ? context->workers : NULL, tiles - first < batch ? tiles - first : batch, 1,
					  renderTiles, render);
	}
	return br_success;
}

// The pixel of a row that goes first in a cell without triangles: no two in one column.
static int32_t renderScout(int32_t y)
{
	static const int32_t columns[RENDER_CELL] = {2, 0, 3, 1};
	return columns[y % RENDER_CELL];
}

// Who takes part in the first round.
static void renderSendScouts(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const Render* render = user;
	int32_t width = render->def->width;
	for (int32_t index = begin * width; index < end * width; ++index)
	{
		int32_t x = index % width, y = index / width;
		bool isCovered = *renderCellOf(render, x, y) == render_cellCovered;
		render->progress[index].isActive = isCovered || !render->isAdaptive || x % RENDER_CELL == renderScout(y);
	}
}

// Cells all of whose scouts met nothing are open.
static void renderHearScouts(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const Render* render = user;
	const brVec3 third = {1.0f / 3.0f, 1.0f / 3.0f, 1.0f / 3.0f};
	for (int32_t cell = begin * render->cellsAcross; cell < end * render->cellsAcross; ++cell)
	{
		int32_t x0 = cell % render->cellsAcross * RENDER_CELL, y0 = cell / render->cellsAcross * RENDER_CELL;
		bool isOpen = render->cells[cell] == render_cellEmpty;
		for (int32_t y = y0; y < y0 + RENDER_CELL && y < render->def->height && isOpen; ++y)
		{
			int32_t x = x0 + renderScout(y);
			isOpen = x < render->def->width &&
					 brDot(render->found[y * render->def->width + x].through, third) > RENDER_CLEAR;
		}
		render->cells[cell] = isOpen ? render_cellOpen : render->cells[cell];
	}
}

// Open cells among open ones are settled: each pixel is as the scout of its row. All others take part in what follows.
static void renderSettle(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const Render* render = user;
	int32_t across = render->cellsAcross, width = render->def->width;
	for (int32_t cell = begin * across; cell < end * across; ++cell)
	{
		int32_t column = cell % across, row = cell / across, open = 0;
		for (int32_t i = 0; i < 9; ++i)
		{
			int32_t x = column + i % 3 - 1, y = row + i / 3 - 1;
			bool isInside = x >= 0 && x < across && y >= 0 && y < render->cellsDown;
			open += !isInside || render->cells[y * across + x] == render_cellOpen;
		}
		bool isSettled = open == 9;
		for (int32_t y = row * RENDER_CELL; y < (row + 1) * RENDER_CELL && y < render->def->height; ++y)
		{
			int32_t scout = y * width + column * RENDER_CELL + renderScout(y);
			for (int32_t x = column * RENDER_CELL; x < (column + 1) * RENDER_CELL && x < width; ++x)
			{
				int32_t index = y * width + x;
				render->progress[index].isActive = !isSettled;
				if (isSettled)
				{
					render->found[index] = render->found[scout];
					render->found[index].variance = 0.0f;
				}
			}
		}
	}
}

static brResult renderRounds(const brContext* context, Render* render, brReport* report)
{
	const brRenderDef* def = render->def;
	brRandom random = brMakeRandom(def->seed, 0);
	for (int32_t i = 0; i < br_drawUses; ++i)
	{
		render->draws.seeds[i] = brRandom_Next(&random);
	}
	while (1 << render->sampleBits < def->samples)
	{
		render->sampleBits += 1;
	}
	brWorkers* workers = context != NULL ? context->workers : NULL;
	int32_t least = (def->samples + 3) / 4;
	render->isAdaptive = def->denoise && least < def->samples;
	render->goal = render->isAdaptive ? least : def->samples;
	brParallelFor(workers, def->height, 8, renderSendScouts, render);
	brResult result = renderRound(context, render, 0.0, render->isAdaptive ? 0.2 : 1.0, report);
	if (result >= 0 && render->isAdaptive)
	{
		brParallelFor(workers, render->cellsDown, 2, renderHearScouts, render);
		brParallelFor(workers, render->cellsDown, 2, renderSettle, render);
		result = renderRound(context, render, 0.2, 0.3, report);
	}
	if (result >= 0 && render->isAdaptive)
	{
		brParallelFor(workers, def->height, 8, renderGuess, render);
	}
	for (double done = 0.5; result >= 0 && render->goal < def->samples; done = 0.75)
	{
		brParallelFor(workers, def->height, 8, renderMark, render);
		render->goal = 2 * render->goal < def->samples ? 2 * render->goal : def->samples;
		result = renderRound(context, render, done, 0.25, report);
	}
	return result;
}

// Traces and smooths. The means are in render->found then.
static brResult renderDrawScene(const brContext* context, const brAssembly* assembly, Render* render, brReport* report)
{
	const brRenderDef* def = render->def;
	brResult result = brRenderScene_Create(context, assembly, def, &render->scene, report);
	if (result < 0)
	{
		return result;
	}
	renderAim(render);
	renderFindCover(render);
	renderFillCodes(render);
	render->tilesAcross = (def->width + RENDER_TILE - 1) / RENDER_TILE;
	result = renderRounds(context, render, report);
	brRenderScene_Destroy(&render->scene);
	if (result >= 0 && def->denoise && !brDenoisePixels(context, render->found, def->width, def->height))
	{
		return brFailMemory(report);
	}
	return result;
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
	brRenderPixel* found = BR_ALLOC_ZERO(&allocator, brRenderPixel, pixelCount);
	RenderProgress* progress = BR_ALLOC_ZERO(&allocator, RenderProgress, pixelCount);
	int32_t across = (def->width + RENDER_CELL - 1) / RENDER_CELL, down = (def->height + RENDER_CELL - 1) / RENDER_CELL;
	uint8_t* cells = BR_ALLOC_ZERO(&allocator, uint8_t, (int64_t)across * down);
	bool complete = render != NULL && pixels != NULL && found != NULL && progress != NULL && cells != NULL;
	result = complete ? br_success : brFailMemory(report);
	if (complete)
	{
		render->def = def;
		render->pixels = pixels;
		render->found = found;
		render->progress = progress;
		render->cells = cells;
		render->cellsAcross = across;
		render->cellsDown = down;
		result = renderDrawScene(context, assembly, render, report);
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
	BR_FREE(&allocator, cells, (int64_t)across * down);
	BR_FREE(&allocator, progress, pixelCount);
	BR_FREE(&allocator, found, pixelCount);
	BR_FREE(&allocator, render, 1);
	brFree(&allocator, pixels, pixelBytes);
	return result;
}
