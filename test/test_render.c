// SPDX-License-Identifier: MIT

// Pictures: what is where, what is dark, what changes, what is refused.

#include "base/random.h"
#include "brittle/models.h"
#include "brittle/render.h"
#include "harness.h"
#include "scene/render_camera.h"
#include "scene/render_denoise.h"
#include "scene/render_draws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_PNG
#include <png.h>
#endif

enum
{
	side = 64,
};

typedef struct Picture
{
	uint8_t pixels[side * side * 4];
} Picture;

static brRenderDef smallDef(void)
{
	brRenderDef def = brDefaultRenderDef();
	def.width = def.height = side;
	def.samples = 8;
	return def;
}

static brAssembly* oneModel(const brContext* context, const char* name, int32_t resolution)
{
	brModelDef def = brDefaultModelDef(name);
	def.resolution = resolution;
	brMesh* mesh = NULL;
	if (brMakeModel(context, &def, &mesh, NULL) < 0)
	{
		return NULL;
	}
	brAssembly* assembly = brCreateAssembly(context);
	brPart part = brDefaultPart();
	part.mesh = assembly != NULL ? brAssembly_AddMesh(assembly, mesh) : -1;
	if (part.mesh < 0)
	{
		brDestroyMesh(mesh);
		brDestroyAssembly(assembly);
		return NULL;
	}
	if (brAssembly_AddPart(assembly, name, &part) < 0)
	{
		brDestroyAssembly(assembly);
		return NULL;
	}
	return assembly;
}

static void take(const brContext* context, const brAssembly* assembly, const brRenderDef* def, Picture* picture)
{
	brReport report = {0};
	memset(picture, 0xee, sizeof(*picture));
	CHECK_RESULT(brRender(context, assembly, def, picture->pixels, &report), &report);
}

static int32_t brightness(const Picture* picture, int32_t x, int32_t y)
{
	const uint8_t* p = picture->pixels + 4 * (y * side + x);
	return p[0] + p[1] + p[2];
}

static int32_t alphaAt(const Picture* picture, int32_t x, int32_t y)
{
	return picture->pixels[4 * (y * side + x) + 3];
}

static int32_t differingPixels(const Picture* a, const Picture* b)
{
	int32_t count = 0;
	for (int32_t i = 0; i < side * side; ++i)
	{
		count += memcmp(a->pixels + 4 * i, b->pixels + 4 * i, 4) != 0;
	}
	return count;
}

BR_TEST(render_is_the_same_for_any_workers)
{
	static const char* names[] = {"knot", "wine_glass"};
	for (int32_t k = 0; k < 2; ++k)
	{
		brAssembly* assembly = oneModel(NULL, names[k], 8);
		brRenderDef def = smallDef();
		def.samples = 4;
		Picture first, next;
		take(NULL, assembly, &def, &first);
		for (int32_t workers = 1; workers <= 3; ++workers)
		{
			brContext context = {.workers = brTest_Workers(workers)};
			take(&context, assembly, &def, &next);
			brDestroyWorkers(context.workers);
			CHECK_EQUAL(differingPixels(&first, &next), 0);
		}
		def.seed = 1;
		take(NULL, assembly, &def, &next);
		CHECK(differingPixels(&first, &next) > 100); // the seed reaches the noise
		brDestroyAssembly(assembly);
	}
}

BR_TEST(render_frames_what_is_there)
{
	// With a transparent background coverage is in alpha: the ball touches the margin on all sides and nothing is cut
	// off.
	static const double sizes[] = {1e-3, 1.0, 1e3};
	for (int32_t k = 0; k < 3; ++k)
	{
		brAssembly* assembly = oneModel(NULL, "icosphere", 12);
		assembly->parts[0].placement.m.cx.x = sizes[k];
		assembly->parts[0].placement.m.cy.y = sizes[k];
		assembly->parts[0].placement.m.cz.z = -sizes[k]; // a mirror image must look the same
		assembly->parts[0].placement.p = brMakeDVec3(5.0, -7.0, 11.0);
		brRenderDef def = smallDef();
		def.ground = false;
		def.transparentBackground = true;
		Picture picture;
		take(NULL, assembly, &def, &picture);
		int32_t low[2] = {side, side}, high[2] = {0, 0}, covered = 0;
		for (int32_t y = 0; y < side; ++y)
		{
			for (int32_t x = 0; x < side; ++x)
			{
				if (alphaAt(&picture, x, y) > 128)
				{
					covered += 1;
					low[0] = x < low[0] ? x : low[0], high[0] = x > high[0] ? x : high[0];
					low[1] = y < low[1] ? y : low[1], high[1] = y > high[1] ? y : high[1];
				}
			}
		}
		// A margin of 12 % leaves 57 of 64 pixels across; a disc of 57 pixels has 2552.
		CHECK(abs(high[0] - low[0] + 1 - 57) <= 1 && abs(high[1] - low[1] + 1 - 57) <= 1);
		CHECK(abs(low[0] + high[0] - side + 1) <= 1 && abs(low[1] + high[1] - side + 1) <= 1);
		CHECK(abs(covered - 2552) < 80);
		CHECK_EQUAL(alphaAt(&picture, side / 2, side / 2), 255);
		CHECK_EQUAL(alphaAt(&picture, 0, 0), 0);
		brDestroyAssembly(assembly);
	}
}

BR_TEST(render_shadow_is_darker_than_lit_ground)
{
	brAssembly* assembly = oneModel(NULL, "icosphere", 12);
	brRenderDef def = smallDef();
	def.elevation = 0.9;
	def.zoom = 0.5;
	Picture picture, bare;
	take(NULL, assembly, &def, &picture);
	def.ground = false;
	take(NULL, assembly, &def, &bare);
	// The light comes from the left, so the shadow lies to the right of the ball in the middle.
	int32_t left = 0, right = 0;
	for (int32_t y = 24; y < 40; ++y)
	{
		for (int32_t x = 0; x < 8; ++x)
		{
			left += brightness(&bare, 12 + x, y) - brightness(&picture, 12 + x, y);
			right += brightness(&bare, side - 20 + x, y) - brightness(&picture, side - 20 + x, y);
		}
	}
	CHECK_MESSAGE(right > 4 * left && right > 128 * 60, "left %d right %d", left, right);
	// Corners are background, with and without ground.
	CHECK_EQUAL(brightness(&picture, 0, 0), brightness(&bare, 0, 0));
	brDestroyAssembly(assembly);
}

BR_TEST(render_options_change_the_picture)
{
	brAssembly* assembly = oneModel(NULL, "torus", 24);
	brRenderDef def = smallDef();
	Picture plain, other;
	take(NULL, assembly, &def, &plain);

	def.clip = true;
	def.clipNormal = brMakeDVec3(0.0, -2.0, 0.0); // need not be of unit length
	def.clipOffset = 0.0;
	take(NULL, assembly, &def, &other);
	CHECK(differingPixels(&plain, &other) > 200);
	def.clipOffset = 1e3; // beyond everything: nothing is left out
	take(NULL, assembly, &def, &other);
	CHECK_EQUAL(differingPixels(&plain, &other), 0);
	def.clipOffset = -1e3; // before everything: nothing is left but the ground without a shadow
	def.transparentBackground = true;
	take(NULL, assembly, &def, &other);
	for (int32_t i = 0; i < side * side; ++i)
	{
		CHECK_EQUAL(other.pixels[4 * i + 3], 0);
	}

	def = smallDef();
	def.edges = true;
	take(NULL, assembly, &def, &other);
	int32_t darker = 0, lighter = 0;
	for (int32_t i = 0; i < side * side; ++i)
	{
		darker += brightness(&other, i % side, i / side) < brightness(&plain, i % side, i / side) - 20;
		lighter += brightness(&other, i % side, i / side) > brightness(&plain, i % side, i / side) + 20;
	}
	CHECK(darker > 300 && lighter < darker / 20);

	def = smallDef();
	def.colorParts = true;
	take(NULL, assembly, &def, &other);
	CHECK(differingPixels(&plain, &other) > 500);
	def = smallDef();
	def.azimuth += 0.7; // a ring looks the same from all sides but for its facets
	def.elevation = 1.2;
	take(NULL, assembly, &def, &other);
	CHECK(differingPixels(&plain, &other) > 500);
	brDestroyAssembly(assembly);
}

// The clip shows a solid as solid: the middle of a halved ball has the cut's color, not the ball's gray inside.
BR_TEST(render_clip_shows_the_cut)
{
	brAssembly* assembly = oneModel(NULL, "icosphere", 12);
	brRenderDef def = smallDef();
	def.azimuth = -0.5 * BR_PI;
	def.elevation = 0.0;
	def.ground = false;
	def.clip = true;
	Picture picture;
	take(NULL, assembly, &def, &picture);
	const uint8_t* middle = picture.pixels + 4 * (side / 2 * side + side / 2);
	CHECK_MESSAGE(middle[0] > middle[2] + 80, "middle is %d %d %d", middle[0], middle[1], middle[2]);
	brDestroyAssembly(assembly);
}

BR_TEST(render_edges_leave_out_diagonals)
{
	// One square seen from above: its outline is drawn, the diagonal that triangles share is not.
	brAssembly* assembly = oneModel(NULL, "box", 1);
	brRenderDef def = smallDef();
	def.elevation = 0.5 * BR_PI;
	def.azimuth = 0.0;
	def.denoise = false; // which lets the outline reach inward
	Picture plain, edges;
	take(NULL, assembly, &def, &plain);
	def.edges = true;
	take(NULL, assembly, &def, &edges);
	int32_t inner = 0, all = differingPixels(&plain, &edges);
	for (int32_t y = 16; y < 48; ++y)
	{
		for (int32_t x = 16; x < 48; ++x)
		{
			inner += memcmp(plain.pixels + 4 * (y * side + x), edges.pixels + 4 * (y * side + x), 4) != 0;
		}
	}
	CHECK(all > 150);
	CHECK_EQUAL(inner, 0);
	brDestroyAssembly(assembly);
}

BR_TEST(render_follows_time)
{
	// A ball that moves from x = 0 to x = 4 between 1 s and 3 s and exists from 0 s to 10 s.
	brAssembly* assembly = oneModel(NULL, "icosphere", 8);
	brMotionKey keys[2] = {{1.0, brMakeTransformIdentity()}, {3.0, brMakeTransformIdentity()}};
	keys[1].pose.p.x = 4.0;
	keys[1].pose.q = (brQuat){0.0, 0.0, 0.0, -1.0}; // the same rotation the other way round
	CHECK(brAssembly_SetMotion(assembly, 0, keys, 2));
	assembly->parts[0].bornTime = 0.0;
	assembly->parts[0].goneTime = 10.0;
	brRenderDef def = smallDef();
	def.frame = (brDBox3){{-1.0, -0.5, 0.0}, {5.0, 0.5, 1.0}};
	def.azimuth = -0.5 * BR_PI;
	def.elevation = 0.0;
	def.ground = false;
	def.transparentBackground = true;
	static const struct
	{
		double time, at; // at: center of the ball in x, NAN hidden
	} moments[] = {{-0.1, NAN}, {0.0, 0.0}, {1.0, 0.0}, {2.0, 2.0}, {2.5, 3.0}, {3.0, 4.0}, {9.9, 4.0}, {10.0, NAN}};
	for (int32_t i = 0; i < 8; ++i)
	{
		def.time = moments[i].time;
		Picture picture;
		take(NULL, assembly, &def, &picture);
		double sum = 0.0, weight = 0.0;
		for (int32_t p = 0; p < side * side; ++p)
		{
			sum += picture.pixels[4 * p + 3] * (p % side + 0.5);
			weight += picture.pixels[4 * p + 3];
		}
		CHECK((weight == 0.0) == (isnan(moments[i].at) != 0));
		if (weight > 0.0)
		{
			// The frame's near side, 6 m wide, fills 64 / 1.12 pixels; the ball is a little behind it.
			CHECK_NEAR(sum / weight, 32.0 + (moments[i].at - 2.0) * (side / 1.12 / 6.0), 1.2);
		}
	}
	// Nothing visible and no frame: refused. With a frame it is a picture of the ground.
	def = smallDef();
	def.time = 20.0;
	brReport report = {0};
	Picture picture;
	CHECK_EQUAL(brRender(NULL, assembly, &def, picture.pixels, &report), br_errorGeometry);
	CHECK(strstr(report.text, "time 20") != NULL);
	brDestroyAssembly(assembly);
}

// Sum over the picture of alpha, and of its deviation from fully there or not there: how much of it is blurred.
static double blurOf(const Picture* picture, double* outAlpha)
{
	double blur = 0.0;
	*outAlpha = 0.0;
	for (int32_t p = 0; p < side * side; ++p)
	{
		double alpha = picture->pixels[4 * p + 3] / 255.0;
		*outAlpha += alpha;
		blur += fmin(alpha, 1.0 - alpha);
	}
	return blur;
}

// A ball that moves 2 m while the shutter is open covers 2 m more, half as densely at the ends; the mean stays.
BR_TEST(render_shutter_and_lens_blur)
{
	brAssembly* assembly = oneModel(NULL, "icosphere", 8);
	brMotionKey keys[2] = {{0.0, brMakeTransformIdentity()}, {1.0, brMakeTransformIdentity()}};
	keys[1].pose.p.x = 4.0;
	CHECK(brAssembly_SetMotion(assembly, 0, keys, 2));
	brRenderDef def = smallDef();
	def.frame = (brDBox3){{-1.0, -0.5, 0.0}, {5.0, 0.5, 1.0}};
	def.azimuth = -0.5 * BR_PI;
	def.elevation = 0.0;
	def.ground = false;
	def.transparentBackground = true;
	def.denoise = false;
	def.samples = 64;
	Picture sharp, moving, lens, focused;
	double alpha[4], blur[4];
	take(NULL, assembly, &def, &sharp);
	def.shutter = 0.5;
	take(NULL, assembly, &def, &moving);
	def.shutter = 0.0;
	def.aperture = 0.4;
	def.focus = 2.0; // far before it
	take(NULL, assembly, &def, &lens);
	def.focus = 0.0; // the middle of the frame, where it is
	take(NULL, assembly, &def, &focused);
	blur[0] = blurOf(&sharp, &alpha[0]);
	blur[1] = blurOf(&moving, &alpha[1]);
	blur[2] = blurOf(&lens, &alpha[2]);
	blur[3] = blurOf(&focused, &alpha[3]);
	for (int32_t i = 1; i < 4; ++i)
	{
		CHECK_MESSAGE(fabs(alpha[i] - alpha[0]) < 0.1 * alpha[0], "%d: %g, %g", i, alpha[i], alpha[0]);
	}
	CHECK_MESSAGE(blur[1] > 2.0 * blur[0] && blur[2] > 2.0 * blur[0], "%g %g %g", blur[0], blur[1], blur[2]);
	CHECK_MESSAGE(blur[3] < 1.3 * blur[0], "%g %g", blur[0], blur[3]);
	brDestroyAssembly(assembly);
}

// On one lit surface a lone dark or bright pixel goes; a line of shadow and the edge of another surface stay.
BR_TEST(render_denoiser_takes_lone_specks_away)
{
	enum
	{
		wide = 48
	};
	static brRenderPixel pixels[wide * wide];
	for (int32_t i = 0; i < wide * wide; ++i)
	{
		bool isOther = i % wide >= 40; // another surface, darker
		float light = isOther ? 0.2f : 0.6f;
		pixels[i] = (brRenderPixel){.color = brMakeVec3(light, light, light),
									.variance = 1e-6f,
									.normal = brMakeVec3(0.0f, 0.0f, 1.0f),
									.albedo = brMakeVec3(isOther ? 0.2f : 0.8f, 0.5f, 0.5f),
									.depth = 2.0f};
	}
	const int32_t dark = 20 * wide + 10, bright = 30 * wide + 12, shadow = 10 * wide;
	pixels[dark].color = brMakeVec3(0.3f, 0.3f, 0.3f);
	pixels[bright].color = brMakeVec3(0.9f, 0.9f, 0.9f);
	for (int32_t x = 2; x < 38; ++x)
	{
		pixels[shadow + x].color = brMakeVec3(0.3f, 0.3f, 0.3f);
	}
	CHECK(brDenoisePixels(NULL, pixels, wide, wide));
	CHECK_NEAR(pixels[dark].color.x, 0.6f, 0.01f);
	CHECK_NEAR(pixels[bright].color.x, 0.6f, 0.01f);
	CHECK(pixels[shadow + 20].color.x < 0.4f);
	CHECK_NEAR(pixels[25 * wide + 44].color.x, 0.2f, 0.01f);
	CHECK_NEAR(pixels[25 * wide + 39].color.x, 0.6f, 0.01f);
}

// Samples of a pixel, and those of a square block of pixels together, are evenly spread: of 2^k points one is in each of
// the 2^k equal boxes of any shape.
BR_TEST(render_draws_are_even_in_blocks_of_pixels)
{
	enum
	{
		bits = 6, // 4 x 4 pixels with 4 samples each
		points = 1 << bits,
	};
	for (uint32_t use = 0; use < br_drawUses; ++use)
	{
		brRandom random = brMakeRandom(use, 7);
		brRenderDraws draws = {0};
		draws.seeds[use] = brRandom_Next(&random);
		uint32_t x0 = 4 * (brRandom_Next(&random) % 300), y0 = 4 * (brRandom_Next(&random) % 300);
		for (int32_t across = 0; across <= bits; ++across)
		{
			int32_t filled[points] = {0};
			for (uint32_t i = 0; i < points; ++i)
			{
				float point[2];
				draws.index = brDraw_Curve(x0 + i / 4 % 4, y0 + i / 16) * 4 + i % 4;
				brRenderDraws_Make(&draws, (brRenderDrawUse)use, point);
				CHECK(point[0] >= 0.0f && point[0] < 1.0f && point[1] >= 0.0f && point[1] < 1.0f);
				int32_t column = (int32_t)(point[0] * (float)(1 << across)),
						row = (int32_t)(point[1] * (float)(1 << (bits - across)));
				filled[(row << across) + column] += 1;
			}
			for (int32_t i = 0; i < points; ++i)
			{
				CHECK_EQUAL(filled[i], 1);
			}
		}
	}
}

// What is a pixel wide and stands alone is seen, though most pixels around it are filled in.
BR_TEST(render_shows_specks_on_open_ground)
{
	brAssembly* assembly = oneModel(NULL, "icosphere", 4);
	brAffine* place = &assembly->parts[0].placement;
	place->m.cx.x = place->m.cy.y = place->m.cz.z = 0.06; // about a pixel
	brRenderDef def = smallDef();
	def.width = 2 * side;
	def.samples = 16;
	def.colorParts = true;
	def.frame = (brDBox3){{-2.0, -2.0, 0.0}, {2.0, 2.0, 1.0}};
	uint8_t with[8 * side * side], without[8 * side * side];
	for (int32_t k = 0; k < 8; ++k)
	{
		place->p = brMakeDVec3(-1.5 + 0.4 * k, 0.7 - 0.17 * k, 0.3);
		assembly->parts[0].bornTime = -INFINITY;
		CHECK_RESULT(brRender(NULL, assembly, &def, with, NULL), NULL);
		assembly->parts[0].bornTime = INFINITY;
		CHECK_RESULT(brRender(NULL, assembly, &def, without, NULL), NULL);
		int32_t most = 0;
		for (int32_t i = 0; i < 8 * side * side; ++i)
		{
			int32_t off = abs(with[i] - without[i]);
			most = off > most ? off : most;
		}
		CHECK_MESSAGE(most > 8, "speck %d: %d of 255", k, most);
	}
	brDestroyAssembly(assembly);
}

// The frame of an action that happens above the ground hides nothing that lies on it.
BR_TEST(render_ground_is_that_of_the_recording)
{
	brRecordedCamera camera = {.elevation = 0.6, .fieldOfView = 0.5, .zoom = 1.0, .width = side, .height = side};
	camera.ground = true, camera.groundHeight = -1.0, camera.samples = 8;
	brRenderDef def = brMakeCameraRenderDef(&camera, (brDBox3){{-1.0, -1.0, 0.5}, {1.0, 1.0, 2.5}});
	CHECK(def.groundHeight == -1.0);
	brAssembly* assembly = oneModel(NULL, "box", 1);
	brAffine* place = &assembly->parts[0].placement;
	place->p.z = -1.0; // it stands on the ground, 0.5 below the frame
	Picture with, hidden;
	def.colorParts = true;
	take(NULL, assembly, &def, &with);
	place->p.z = -2.1; // below the ground
	take(NULL, assembly, &def, &hidden);
	int32_t seen = 0;
	for (int32_t i = 0; i < side * side; ++i)
	{
		seen += abs(with.pixels[4 * i] - hidden.pixels[4 * i]) > 16;
	}
	CHECK_MESSAGE(seen > side * side / 50, "%d pixels", seen);
	brDestroyAssembly(assembly);
}

// Pixels take as many samples as they need: on the whole the picture is that of all of them.
BR_TEST(render_adapts_its_samples)
{
	brAssembly* assembly = oneModel(NULL, "statue", 24);
	brRenderDef def = smallDef();
	def.samples = 256;
	def.denoise = false;
	Picture truth, quick;
	take(NULL, assembly, &def, &truth);
	def.samples = 16;
	def.denoise = true;
	for (int32_t light = br_renderStudio; light <= br_renderDark; ++light)
	{
		def.light = (brRenderLight)light;
		take(NULL, assembly, &def, &quick);
		double off = 0.0;
		for (int32_t p = 0; p < side * side * 4; ++p)
		{
			double d = (double)quick.pixels[p] - truth.pixels[p];
			off += d * d;
		}
		off = sqrt(off / (side * side * 4));
		CHECK_MESSAGE(light == br_renderStudio ? off < 6.0 : off > 10.0, "light %d: %g of 255", light, off);
	}
	brDestroyAssembly(assembly);
}

// The few samples of a first round may happen to agree where half of the lamp is hidden: soft shadows have no specks.
BR_TEST(render_soft_shadows_have_no_specks)
{
	enum
	{
		size = 4 * side,
	};
	brAssembly* assembly = oneModel(NULL, "box", 1);
	brRenderDef def = smallDef();
	def.width = def.height = size, def.groundHeight = 0.0;
	uint8_t* pixels = malloc(4 * size * size);
	uint8_t* thing = malloc(4 * size * size);
	for (int32_t k = 0; k < 2; ++k)
	{
		assembly->parts[0].placement.p.z = 0.1 + 0.2 * k;
		def.transparentBackground = true, def.ground = false;
		CHECK_RESULT(brRender(NULL, assembly, &def, thing, NULL), NULL);
		def.transparentBackground = false, def.ground = true;
		CHECK_RESULT(brRender(NULL, assembly, &def, pixels, NULL), NULL);
		int32_t most = 0;
		for (int32_t i = 2 * size; i < size * (size - 2); ++i)
		{
			int32_t sum = 0, cover = 0;
			const int32_t around[4] = {i - 1, i + 1, i - size, i + size};
			for (int32_t j = 0; j < 4; ++j)
			{
				sum += pixels[4 * around[j]];
				cover += thing[8 * around[j] - 4 * i + 3];
			}
			int32_t off = abs(4 * pixels[4 * i] - sum) / 4;
			most = cover == 0 && off > most ? off : most;
		}
		CHECK_MESSAGE(most < 32, "height %d: %d of 255", k, most);
	}
	free(pixels);
	free(thing);
	brDestroyAssembly(assembly);
}

BR_TEST(render_shows_tet_meshes_and_normals)
{
	brTetMeshDef tetDef = brDefaultTetMeshDef();
	brDVec3 nodes[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
	int32_t tets[1][4] = {{0, 1, 2, 3}};
	tetDef.nodeCount = 4;
	tetDef.tetCount = 1;
	tetDef.nodes = nodes;
	tetDef.tets = (const int32_t(*)[4])tets;
	brTetMesh* tet = BR_MADE(brTetMesh, brCreateTetMesh, NULL, &tetDef);
	brAssembly* assembly = brCreateAssembly(NULL);
	brPart part = brDefaultPart();
	part.tetMesh = brAssembly_AddTetMesh(assembly, tet);
	brAssembly_AddPart(assembly, "tet", &part);
	brRenderDef def = smallDef();
	def.azimuth = 0.7;
	def.transparentBackground = true;
	Picture picture;
	take(NULL, assembly, &def, &picture);
	CHECK_EQUAL(alphaAt(&picture, side / 2, side / 2), 255);
	brDestroyAssembly(assembly);

	// Normals that are zero or garbage are not believed: the picture is that of the flat faces.
	brAssembly *smooth = oneModel(NULL, "icosphere", 2), *broken = oneModel(NULL, "icosphere", 2),
			   *flat = oneModel(NULL, "icosphere", 2);
	brMesh* mesh = broken->meshes[0];
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		mesh->normals[c] = c % 2 == 0 ? (brVec3){0.0f, 0.0f, 0.0f} : (brVec3){NAN, INFINITY, 0.0f};
		flat->meshes[0]->normals[c] = (brVec3){0.0f, 0.0f, 0.0f};
	}
	Picture a, b, c;
	def = smallDef();
	take(NULL, smooth, &def, &a);
	take(NULL, broken, &def, &b);
	take(NULL, flat, &def, &c);
	CHECK(differingPixels(&a, &c) > 300);
	CHECK_EQUAL(differingPixels(&b, &c), 0);
	brDestroyAssembly(smooth);
	brDestroyAssembly(broken);
	brDestroyAssembly(flat);
}

BR_TEST(render_glass_lets_light_through)
{
	brAssembly* assembly = oneModel(NULL, "icosphere", 8);
	brRenderDef def = smallDef();
	def.transparentBackground = true;
	Picture solid, glass;
	take(NULL, assembly, &def, &solid);
	snprintf(assembly->meshes[0]->materials[0].name, 64, "glass");
	take(NULL, assembly, &def, &glass);
	int32_t middle = alphaAt(&glass, side / 2, side / 2), rim = 0;
	for (int32_t x = 0; x < side / 4; ++x)
	{
		rim = alphaAt(&glass, x, side / 2) > rim ? alphaAt(&glass, x, side / 2) : rim;
	}
	CHECK_MESSAGE(middle < 140 && rim > middle + 40, "middle %d rim %d", middle, rim);
	CHECK_EQUAL(alphaAt(&solid, side / 2, side / 2), 255);
	brDestroyAssembly(assembly);
}

typedef struct CancelState
{
	int32_t calls, stopAt;
	double last;
	bool isMonotonic;
} CancelState;

static bool countAndStop(double progress, void* user)
{
	CancelState* state = user;
	state->isMonotonic = state->isMonotonic && progress >= state->last && progress <= 1.0;
	state->last = progress;
	return ++state->calls == state->stopAt;
}

BR_TEST(render_can_be_canceled)
{
	brAssembly* assembly = oneModel(NULL, "box", 1);
	brRenderDef def = smallDef();
	def.width = def.height = 256;
	def.samples = 1;
	uint8_t* pixels = malloc(4 * 256 * 256);
	memset(pixels, 7, 4 * 256 * 256);
	CancelState state = {.stopAt = 3, .isMonotonic = true};
	brContext context = {.cancel = countAndStop, .cancelUser = &state};
	brReport report = {0};
	CHECK_EQUAL(brRender(&context, assembly, &def, pixels, &report), br_errorCanceled);
	CHECK(report.text[0] != 0 && state.calls == 3 && state.isMonotonic);
	for (int32_t i = 0; i < 4 * 256 * 256; ++i)
	{
		CHECK(pixels[i] == 7); // untouched
	}
	state = (CancelState){.isMonotonic = true};
	CHECK_RESULT(brRender(&context, assembly, &def, pixels, &report), &report);
	CHECK(state.calls >= 4 && state.isMonotonic);
	free(pixels);
	brDestroyAssembly(assembly);
}

static brResult renderForWalk(const brContext* context, void* user)
{
	(void)user;
	brAssembly* assembly = oneModel(context, "torus", 6);
	if (assembly == NULL)
	{
		return br_errorMemory;
	}
	brRenderDef def = smallDef();
	def.width = def.height = 16;
	def.samples = 1;
	uint8_t pixels[16 * 16 * 4];
	brResult result = brRender(context, assembly, &def, pixels, NULL);
	brDestroyAssembly(assembly);
	return result;
}

BR_TEST(render_survives_every_failed_allocation)
{
	CHECK(brTest_WalkAllocations(renderForWalk, NULL) > 20);
}

BR_TEST(render_refuses_with_a_sentence)
{
	brAssembly* assembly = oneModel(NULL, "box", 1);
	Picture picture;
	brReport report = {0};
	struct
	{
		brRenderDef def;
		const char* word;
	} cases[12];
	for (int32_t i = 0; i < 12; ++i)
	{
		cases[i].def = smallDef();
	}
	cases[0].def.width = 15, cases[0].word = "15 x 64";
	cases[1].def.height = 16385, cases[1].word = "16385";
	cases[2].def.samples = 0, cases[2].word = "samples";
	cases[3].def.time = NAN, cases[3].word = "time";
	cases[4].def.fieldOfView = 0.0, cases[4].word = "field of view";
	cases[5].def.zoom = -1.0, cases[5].word = "zoom";
	cases[6].def.up = brMakeDVec3(0.0, 0.0, 2.0), cases[6].word = "unit";
	cases[7].def.clip = true, cases[7].def.clipNormal = brMakeDVec3(0.0, 0.0, 0.0), cases[7].word = "clip";
	cases[8].def.stamp = 0, cases[8].word = "brDefaultRenderDef";
	cases[9].def.fieldOfView = NAN, cases[9].word = "field of view";
	cases[10].def.zoom = INFINITY, cases[10].word = "zoom";
	cases[11].def.up = brMakeDVec3(NAN, 0.0, 0.0), cases[11].word = "unit";
	for (int32_t i = 0; i < 12; ++i)
	{
		CHECK_EQUAL(brRender(NULL, assembly, &cases[i].def, picture.pixels, &report), br_errorMisuse);
		CHECK_MESSAGE(strstr(report.text, cases[i].word) != NULL, "case %d says: %s", i, report.text);
	}
	brRenderDef def = smallDef();
	assembly->parts[0].placement.p.x = INFINITY;
	CHECK_EQUAL(brRender(NULL, assembly, &def, picture.pixels, &report), br_errorGeometry);
	CHECK(strstr(report.text, "part 0") != NULL);
	assembly->parts[0].placement.p.x = 0.0;
	assembly->parts[0].mesh = 3;
	CHECK_EQUAL(brRender(NULL, assembly, &def, picture.pixels, &report), br_errorMisuse);
	brDestroyAssembly(assembly);

	assembly = brCreateAssembly(NULL);
	CHECK_EQUAL(brRender(NULL, assembly, &def, picture.pixels, &report), br_errorGeometry);
	CHECK(strstr(report.text, "nothing is visible") != NULL);
	def.frame = (brDBox3){{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}};
	CHECK_RESULT(brRender(NULL, assembly, &def, picture.pixels, &report), &report);
	brDestroyAssembly(assembly);
}

#ifdef BR_HAVE_PNG

BR_TEST(png_reads_back_as_written)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < 12; ++round)
	{
		int32_t width = 1 + (int32_t)brRandom_Below(&random, 70), height = 1 + (int32_t)brRandom_Below(&random, 70);
		size_t bytes = 4 * (size_t)width * (size_t)height;
		uint8_t *pixels = malloc(bytes), *back = malloc(bytes);
		for (size_t i = 0; i < bytes; ++i)
		{
			pixels[i] = (uint8_t)brRandom_Next(&random);
		}
		const char* path = brTest_ScratchPath("picture.png");
		brReport report = {0};
		CHECK_RESULT(brSavePng(NULL, path, width, height, pixels, &report), &report);

		uint8_t head[24];
		FILE* file = fopen(path, "rb");
		CHECK(file != NULL && fread(head, 1, 24, file) == 24);
		fclose(file);
		CHECK(memcmp(head, "\x89PNG\r\n\x1a\n", 8) == 0);
		CHECK_EQUAL(head[18] << 8 | head[19], width);
		CHECK_EQUAL(head[22] << 8 | head[23], height);

		png_image image = {.version = PNG_IMAGE_VERSION};
		CHECK(png_image_begin_read_from_file(&image, path) != 0);
		CHECK_EQUAL(image.width, width);
		CHECK_EQUAL(image.height, height);
		image.format = PNG_FORMAT_RGBA;
		CHECK(png_image_finish_read(&image, NULL, back, 0, NULL) != 0);
		CHECK(memcmp(pixels, back, bytes) == 0);
		free(pixels);
		free(back);
	}
}

static brResult pngForWalk(const brContext* context, void* user)
{
	(void)user;
	uint8_t pixels[16] = {0};
	return brSavePng(context, brTest_ScratchPath("walk.png"), 2, 2, pixels, NULL);
}

BR_TEST(png_fails_cleanly)
{
	CHECK(brTest_WalkAllocations(pngForWalk, NULL) >= 2);
	uint8_t pixels[16] = {0};
	brReport report = {0};
	CHECK_EQUAL(brSavePng(NULL, "/no/such/folder/picture.png", 2, 2, pixels, &report), br_errorFile);
	CHECK(strstr(report.text, "/no/such/folder") != NULL);
	CHECK_EQUAL(brSavePng(NULL, brTest_ScratchPath("x.png"), 0, 2, pixels, &report), br_errorMisuse);
	CHECK_EQUAL(brSavePng(NULL, NULL, 2, 2, pixels, &report), br_errorMisuse);
}

#endif
