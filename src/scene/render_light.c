// SPDX-License-Identifier: MIT

// A small path tracer with one bounce: a round key light, a sky, a weak light from behind, a floor; a set says how
// bright.
//
// Units fold pi away: a white surface that faces a light of strength K unshadowed has radiance K. The key light is
// sampled at each surface, the sky and what surrounds a surface by one ray with cosine density; whatever that ray meets
// is lit by the key light and a constant. So noise comes from soft edges only and there are no bright specks.
//
// Glass is a thin sheet: it mirrors the lights by Fresnel's law, lets the rest straight through, and darkens towards
// grazing angles, which is what a solid sheet's refraction of dark surroundings looks like on a light background.
//
// A clip plane removes everything before it by starting each ray behind it. A ray that then first meets a face from
// behind has passed the plane inside a solid: it is shaded there, on the plane, as the cut it is.

#include "scene/render_light.h"

#include <string.h>

#define LIGHT_STEP 2e-5f    // rays start this far off a surface, in scene units; floats there carry 1e-7
#define LIGHT_REACH 64.0f   // of shadows and bounces, in scene units
#define LIGHT_MAX_LAYERS 24 // sheets of glass in a row

static const brRenderSet lightSets[] = {
	[br_renderStudio] = {.key = {0.95f, 0.95f, 0.95f},
						 .keySpread = 0.17f,
						 .horizon = {0.36f, 0.375f, 0.39f},
						 .zenith = {0.30f, 0.36f, 0.46f},
						 .below = {0.26f, 0.25f, 0.24f},
						 .ambient = 0.15f,
						 .groundAmbient = {0.20f, 0.21f, 0.23f},
						 .floor = 0.50f,
						 .skyShare = 0.55f,
						 .box = 5.5f,
						 .strip = 2.5f,
						 .nearBack = {0.60f, 0.60f, 0.595f},
						 .farBack = {0.36f, 0.40f, 0.45f},
						 .corners = 0.55f},
	[br_renderDaylight] = {.key = {1.10f, 1.04f, 0.94f},
						   .keySpread = 0.02f,
						   .horizon = {0.44f, 0.52f, 0.62f},
						   .zenith = {0.20f, 0.33f, 0.58f},
						   .below = {0.28f, 0.26f, 0.22f},
						   .ambient = 0.14f,
						   .groundAmbient = {0.17f, 0.21f, 0.28f},
						   .floor = 0.50f,
						   .skyShare = 0.42f,
						   .box = 4.0f,
						   .strip = 0.0f,
						   .nearBack = {0.64f, 0.61f, 0.55f},
						   .farBack = {0.42f, 0.58f, 0.80f},
						   .corners = 0.15f},
	[br_renderDark] = {.key = {1.05f, 1.00f, 0.93f},
					   .keySpread = 0.12f,
					   .horizon = {0.045f, 0.05f, 0.06f},
					   .zenith = {0.03f, 0.04f, 0.055f},
					   .below = {0.02f, 0.02f, 0.02f},
					   .ambient = 0.03f,
					   .groundAmbient = {0.02f, 0.02f, 0.025f},
					   .floor = 0.12f,
					   .skyShare = 0.15f,
					   .box = 5.5f,
					   .strip = 4.5f,
					   .nearBack = {0.075f, 0.075f, 0.08f},
					   .farBack = {0.012f, 0.014f, 0.018f},
					   .corners = 1.2f},
};

const brRenderSet* brGetRenderSet(brRenderLight light)
{
	return &lightSets[light];
}

// Bare meshes are of clay: bright enough to show shadows, dark enough to show what the light does.
static const brVec3 lightClay = {0.42f, 0.37f, 0.33f};
static const brVec3 lightCutColor = {0.86f, 0.56f, 0.10f};
static const brVec3 lightEdgeColor = {0.015f, 0.02f, 0.03f};

// What a ray met, ready to shade.
typedef struct LightSurface
{
	brVec3 point;
	brVec3 normal;    // shading normal, towards the ray's origin
	brVec3 geometric; // of the triangle, towards the ray's origin
	brVec3 color;
	float roughness, metallic;
	brVec3 emission;
	bool isGlass;
	float opacity; // of glass
} LightSurface;

static float lightSaturate(float x)
{
	return x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x;
}

static float lightSmooth(float low, float high, float x)
{
	float t = lightSaturate((x - low) / (high - low));
	return t * t * (3.0f - 2.0f * t);
}

static brVec3 lightMix(brVec3 a, brVec3 b, float t)
{
	return brMulAdd(a, t, brSub(b, a));
}

static brVec3 lightTimes(brVec3 a, brVec3 b)
{
	return brMakeVec3(a.x * b.x, a.y * b.y, a.z * b.z);
}

// Light from far away in a direction above the horizon; below it, a floor without shadows.
static brVec3 lightSky(const brRenderView* view, brVec3 direction)
{
	float height = brDot(direction, view->up);
	brVec3 sky = lightMix(view->set->horizon, view->set->zenith, lightSaturate(height));
	return lightMix(view->set->below, sky, lightSmooth(-0.06f, 0.06f, height));
}

// What polished surfaces mirror: the sky with a dark band above the horizon, and the lights as soft boxes.
static brVec3 lightStudio(const brRenderView* view, brVec3 direction)
{
	float height = brDot(direction, view->up);
	brVec3 sky = brMul(1.0f - 0.55f * lightSmooth(0.02f, 0.12f, height) * lightSmooth(0.75f, 0.30f, height),
					   lightSky(view, direction));
	float across = brDot(direction, view->keyRight), above = brDot(direction, view->keyAbove);
	float box = brDot(direction, view->key) > 0.0f
					? lightSmooth(0.30f, 0.24f, fabsf(across)) * lightSmooth(0.36f, 0.29f, fabsf(above))
					: 0.0f;
	float strip = lightSmooth(0.955f, 0.985f, brDot(direction, view->rim));
	return brMulAdd(brMulAdd(sky, view->set->box * box, brMakeVec3(1.0f, 0.99f, 0.97f)), view->set->strip * strip,
					brMakeVec3(0.95f, 0.97f, 1.0f));
}

// Two directions that complete a unit vector to a right-handed frame (Duff et al. 2017).
static void lightFrame(brVec3 n, brVec3* outA, brVec3* outB)
{
	float sign = n.z < 0.0f ? -1.0f : 1.0f;
	float a = -1.0f / (sign + n.z), b = n.x * n.y * a;
	*outA = brMakeVec3(1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x);
	*outB = brMakeVec3(b, sign + n.y * n.y * a, -n.y);
}

// A point of the unit disc, uniform; its angle is read from a table, straight between entries.
static brVec2 lightDisc(const brRenderView* view, const brRenderDraws* draws, brRenderDrawUse use)
{
	float drawn[2];
	brRenderDraws_Make(draws, use, drawn);
	float radius = sqrtf(drawn[0]), at = drawn[1] * BR_RENDER_CIRCLE;
	int32_t i = (int32_t)at;
	float t = at - (float)i;
	brVec2 a = view->circle[i], b = view->circle[i + 1];
	return (brVec2){radius * (a.x + t * (b.x - a.x)), radius * (a.y + t * (b.y - a.y))};
}

static brVec3 lightKeyDirection(const brRenderView* view, const brRenderDraws* draws, brRenderDrawUse use)
{
	brVec2 disc = lightDisc(view, draws, use);
	float spread = view->set->keySpread;
	return brNormalize(brMulAdd(brMulAdd(view->key, spread * disc.x, view->keyRight), spread * disc.y, view->keyAbove));
}

static brVec3 lightCosineDirection(const brRenderView* view, brVec3 normal, const brRenderDraws* draws)
{
	brVec2 disc = lightDisc(view, draws, br_drawBounce);
	brVec3 a, b;
	lightFrame(normal, &a, &b);
	float height = sqrtf(fmaxf(0.0f, 1.0f - disc.x * disc.x - disc.y * disc.y));
	return brMulAdd(brMulAdd(brMul(height, normal), disc.x, a), disc.y, b); // of unit length, as all three are
}

// Schlick's fit of Fresnel's law.
static float lightFresnel(float base, float cosine)
{
	float m = 1.0f - lightSaturate(cosine), square = m * m;
	return base + (1.0f - base) * square * square * m;
}

// The part of a ray behind the clip plane. False if there is none.
static bool lightClip(const brRenderView* view, brRenderRay* ray)
{
	if (!view->hasClip)
	{
		return true;
	}
	float height = brDot(view->clipNormal, ray->origin) - view->clipOffset,
		  slope = brDot(view->clipNormal, ray->direction);
	if (slope == 0.0f)
	{
		return height <= 0.0f;
	}
	float crossing = -height / slope;
	ray->from = slope < 0.0f && crossing > ray->from ? crossing : ray->from;
	ray->to = slope > 0.0f && crossing < ray->to ? crossing : ray->to;
	return ray->from < ray->to;
}

static brVec3 lightMaterialColor(const brRenderView* view, const brRenderPart* part, const brSurfaceMaterial* material,
								 const brRenderTriangle* triangle, const brRenderHit* hit)
{
	if (view->colorsParts)
	{
		return part->color;
	}
	brVec3 color = {material->baseColor.x, material->baseColor.y, material->baseColor.z};
	const brMesh* mesh = part->mesh;
	brVec4 bare = view->bare.baseColor;
	if (color.x == bare.x && color.y == bare.y && color.z == bare.z)
	{
		color = lightClay; // nobody chose this gray
	}
	if (mesh->colors != NULL)
	{
		float weights[3] = {1.0f - hit->u - hit->v, hit->u, hit->v};
		brVec3 sum = {0.0f, 0.0f, 0.0f};
		for (int32_t i = 0; i < 3; ++i)
		{
			brVec4 c = mesh->colors[mesh->corners[triangle->corners[i]]];
			sum = brMulAdd(sum, weights[i], brMakeVec3(c.x, c.y, c.z));
		}
		color = lightTimes(color, sum);
	}
	return color;
}

static brVec3 lightShadingNormal(const brRenderPart* part, const brRenderTriangle* triangle, const brRenderHit* hit)
{
	const brMesh* mesh = part->mesh;
	if (mesh->normals == NULL)
	{
		return hit->normal;
	}
	brVec3 a = mesh->normals[triangle->corners[0]], b = mesh->normals[triangle->corners[1]],
		   c = mesh->normals[triangle->corners[2]];
	brVec3 mean = brMulAdd(brMulAdd(brMul(1.0f - hit->u - hit->v, a), hit->u, b), hit->v, c);
	brVec3 normal = brNormalize(brToVec3(brMat3_MulV(&part->normalMap, brToDVec3(mean))));
	// Files may hold zeros, garbage or normals that disagree with the faces.
	float agreement = brDot(normal, hit->normal);
	return agreement > 0.0f ? normal : hit->normal;
}

// Distance in pixels from the hit to the nearest polygon edge of its triangle.
static float lightEdgeDistance(const brRenderView* view, const brRenderHit* hit, float pixel)
{
	const brRenderScene* scene = view->scene;
	const uint32_t* index = scene->indices[hit->triangle];
	brVec3 p[3];
	for (int32_t i = 0; i < 3; ++i)
	{
		const float* v = scene->vertices[index[i]];
		p[i] = brMakeVec3(v[0], v[1], v[2]);
	}
	float weights[3] = {1.0f - hit->u - hit->v, hit->u, hit->v};
	float area = brLength(brCross(brSub(p[1], p[0]), brSub(p[2], p[0]))), nearest = INFINITY;
	for (int32_t i = 0; i < 3; ++i)
	{
		if ((scene->triangles[hit->triangle].edges >> i & 1) != 0)
		{
			// The weight of the corner across falls to zero at the side; the height over it is area / side.
			float side = brLength(brSub(p[(i + 1) % 3], p[i]));
			float distance = weights[(i + 2) % 3] * area / side;
			nearest = distance < nearest ? distance : nearest;
		}
	}
	return nearest / pixel;
}

static LightSurface lightSurface(const brRenderView* view, const brRenderRay* ray, const brRenderHit* hit,
								 bool isPrimary)
{
	brVec3 direction = ray->direction;
	const brRenderTriangle* triangle = &view->scene->triangles[hit->triangle];
	const brRenderPart* part = &view->scene->parts[triangle->part];
	const brMesh* mesh = part->mesh;
	int32_t index = mesh->faceMaterials != NULL ? mesh->faceMaterials[triangle->face] : -1;
	const brSurfaceMaterial* material =
		index >= 0 && index < mesh->materialCount ? &mesh->materials[index] : &view->bare;

	bool isBehind = (brDot(hit->normal, direction) > 0.0f) != part->isMirrored;
	LightSurface surface = {
		.point = brMulAdd(ray->origin, hit->distance, direction),
		.normal = lightShadingNormal(part, triangle, hit),
		.geometric = hit->normal,
		.color = lightMaterialColor(view, part, material, triangle, hit),
		.roughness = material->roughness,
		.metallic = material->metallic,
		.emission = material->emission,
		.isGlass = !view->colorsParts && brRenderMaterial_IsGlass(material),
		.opacity = material->baseColor.w < 0.999f ? lightSaturate(material->baseColor.w) : 0.1f,
	};
	if (brDot(surface.geometric, direction) > 0.0f)
	{
		surface.geometric = brMul(-1.0f, surface.geometric);
		surface.normal = brMul(-1.0f, surface.normal);
	}
	if (view->hasClip && isBehind && !surface.isGlass && ray->from > 0.0f)
	{
		surface = (LightSurface){
			.point = brMulAdd(ray->origin, ray->from, direction),
			.normal = view->clipNormal,
			.geometric = view->clipNormal,
			.color = lightCutColor,
			.roughness = 1.0f,
		};
		return surface;
	}
	if (view->drawsEdges && isPrimary)
	{
		float ink = lightSmooth(1.1f, 0.4f, lightEdgeDistance(view, hit, view->pixel * hit->distance));
		surface.color = lightMix(surface.color, lightEdgeColor, 0.85f * ink);
		surface.metallic *= 1.0f - ink;
		surface.opacity = surface.opacity + (1.0f - surface.opacity) * ink;
	}
	return surface;
}

// How much of a ray a sheet of glass lets through, by color.
static brVec3 lightThroughGlass(const LightSurface* surface, float cosine)
{
	float grazing = 1.0f - lightSaturate(cosine);
	float edge = grazing * grazing * grazing;
	float through = (1.0f - lightFresnel(0.025f, cosine)) * (1.0f - 0.2f * surface->opacity) * (1.0f - 0.38f * edge);
	// A longer way through the sheet takes more color.
	brVec3 tint = lightMix(brMakeVec3(1.0f, 1.0f, 1.0f), surface->color, lightSaturate(0.6f + 0.9f * edge));
	return brMul(through, tint);
}

// Share of the key light that arrives from a direction.
static brVec3 lightArrives(const brRenderView* view, brVec3 origin, brVec3 direction)
{
	const brVec3 all = {1.0f, 1.0f, 1.0f}, none = {0.0f, 0.0f, 0.0f};
	brRenderRay ray = {origin, direction, 0.0f, LIGHT_REACH, view->time};
	if (!lightClip(view, &ray))
	{
		return all;
	}
	if (!view->scene->hasGlass)
	{
		return brRayTree_Blocks(view->scene->rays, &ray) ? none : all;
	}
	brVec3 share = all;
	brRenderHit hit;
	for (int32_t layer = 0; layer < LIGHT_MAX_LAYERS && brRayTree_Hit(view->scene->rays, &ray, &hit); ++layer)
	{
		LightSurface surface = lightSurface(view, &ray, &hit, false);
		if (!surface.isGlass)
		{
			return none;
		}
		share = lightTimes(share, lightThroughGlass(&surface, -brDot(surface.normal, direction)));
		ray.from = hit.distance + LIGHT_STEP;
	}
	return share;
}

static brVec3 lightOff(const LightSurface* surface)
{
	return brMulAdd(surface->point, LIGHT_STEP, surface->geometric);
}

// Distance to the ground along a ray that starts above it, or a negative number.
static float lightGroundDistance(const brRenderView* view, brVec3 origin, brVec3 direction)
{
	float height = brDot(origin, view->up) - view->scene->ground, slope = brDot(direction, view->up);
	return view->hasGround && height > 0.0f && slope < 0.0f ? -height / slope : -1.0f;
}

// Light that comes along a ray from a surface: from the sky, the floor or another surface.
static brVec3 lightSecond(const brRenderView* view, brVec3 origin, brVec3 direction, const brRenderDraws* draws,
						  bool isMirror)
{
	brVec3 share = {1.0f, 1.0f, 1.0f};
	brRenderRay ray = {origin, direction, 0.0f, LIGHT_REACH, view->time};
	brRenderHit hit;
	for (int32_t layer = 0;
		 layer < LIGHT_MAX_LAYERS && lightClip(view, &ray) && brRayTree_Hit(view->scene->rays, &ray, &hit); ++layer)
	{
		LightSurface surface = lightSurface(view, &ray, &hit, false);
		if (!surface.isGlass)
		{
			brVec3 key = lightKeyDirection(view, draws, br_drawSecond);
			float facing = brDot(surface.normal, key);
			brVec3 light = {view->set->ambient, view->set->ambient, view->set->ambient};
			if (facing > 0.0f && brDot(surface.geometric, key) > 0.0f)
			{
				brVec3 arrives = lightTimes(view->set->key, lightArrives(view, lightOff(&surface), key));
				light = brMulAdd(light, facing, arrives);
			}
			return lightTimes(share, brAdd(lightTimes(surface.color, light), surface.emission));
		}
		share = lightTimes(share, lightThroughGlass(&surface, -brDot(surface.normal, direction)));
		ray.from = hit.distance + LIGHT_STEP;
	}
	float ground = lightGroundDistance(view, origin, direction);
	if (ground > 0.0f && ground < 12.0f)
	{
		brVec3 point = brMulAdd(origin, ground * 0.9999f, direction),
			   key = lightKeyDirection(view, draws, br_drawSecond);
		float facing = brDot(view->up, key);
		brVec3 arrives = lightTimes(view->set->key, lightArrives(view, point, key));
		return lightTimes(share, brMul(view->set->floor, brMulAdd(view->set->groundAmbient, facing, arrives)));
	}
	return lightTimes(share, isMirror ? lightStudio(view, direction) : lightSky(view, direction));
}

// Height of the microfacet lobe (GGX) towards a light, times the cosine, in units where white paper gives its cosine.
static float lightGloss(float roughness, brVec3 normal, brVec3 eye, brVec3 light)
{
	float alpha = roughness * roughness;
	alpha = alpha > 0.02f ? alpha : 0.02f;
	brVec3 half = brNormalize(brAdd(eye, light));
	float nh = lightSaturate(brDot(normal, half)), nl = lightSaturate(brDot(normal, light)),
		  nv = fmaxf(0.05f, brDot(normal, eye));
	float square = alpha * alpha, d = nh * nh * (square - 1.0f) + 1.0f;
	float k = 0.5f * alpha;
	float shape = square / (d * d);
	float masking = 1.0f / ((nl * (1.0f - k) + k) * (nv * (1.0f - k) + k));
	return nl > 0.0f ? fminf(0.25f * shape * masking * nl, 12.0f) : 0.0f;
}

static brVec3 lightShade(const brRenderView* view, const LightSurface* surface, brVec3 direction,
						 const brRenderDraws* draws)
{
	brVec3 eye = brMul(-1.0f, direction), origin = lightOff(surface);
	float facing = fmaxf(brDot(surface->normal, eye), 0.02f);
	brVec3 base = lightMix(brMakeVec3(0.04f, 0.04f, 0.04f), surface->color, surface->metallic);
	float fresnel = lightFresnel(0.0f, facing) * (1.0f - surface->roughness);
	brVec3 mirror = lightMix(base, brMakeVec3(1.0f, 1.0f, 1.0f), fresnel);
	brVec3 matte = brMul(1.0f - surface->metallic, surface->color);
	matte = brMul(1.0f - mirror.y * (1.0f - surface->metallic), matte);

	brVec3 result = surface->emission;
	brVec3 key = lightKeyDirection(view, draws, br_drawLight);
	// Polished surfaces mirror the light's whole box instead, below.
	float polish = lightSmooth(0.45f, 0.2f, surface->roughness);
	float toKey = brDot(surface->normal, key);
	if (toKey > 0.0f && brDot(surface->geometric, key) > 0.0f)
	{
		brVec3 arrives = lightTimes(view->set->key, lightArrives(view, origin, key));
		float gloss = (1.0f - polish) * lightGloss(surface->roughness, surface->normal, eye, key);
		result = brAdd(result, lightTimes(arrives, brMulAdd(brMul(toKey, matte), gloss, mirror)));
	}
	brVec3 bounce = lightCosineDirection(view, surface->normal, draws);
	if (brDot(bounce, surface->geometric) > 0.0f)
	{
		result = brAdd(result, lightTimes(matte, lightSecond(view, origin, bounce, draws, false)));
	}
	float shine = polish > surface->metallic ? polish : surface->metallic;
	if (shine > 0.0f)
	{
		// A lobe around the mirror direction, as wide as the surface is rough.
		float cosine = brDot(surface->normal, eye);
		brVec3 reflected = brSub(brMul(2.0f * cosine, surface->normal), eye);
		brVec3 blurred = brNormalize(
			brMulAdd(reflected, surface->roughness * surface->roughness, lightCosineDirection(view, reflected, draws)));
		if (brDot(blurred, surface->geometric) > 0.0f)
		{
			result = brAdd(result, lightTimes(brMul(shine, mirror), lightSecond(view, origin, blurred, draws, true)));
		}
	}
	return result;
}

// What the ground keeps of the light it would have without objects.
static float lightGroundShare(const brRenderView* view, brVec3 point, const brRenderDraws* draws)
{
	brVec3 key = lightKeyDirection(view, draws, br_drawLight);
	float facing = brDot(view->up, key);
	brVec3 arrives = lightArrives(view, point, key);
	brVec3 bounce = lightCosineDirection(view, view->up, draws);
	brVec3 sky = lightArrives(view, point, bounce);
	float fromKey = view->set->key.y * facing, fromSky = view->set->skyShare;
	float light = fromKey * (arrives.x + arrives.y + arrives.z) / 3.0f + fromSky * (sky.x + sky.y + sky.z) / 3.0f;
	return light / (fromKey + fromSky);
}

brRenderSample brRenderView_Trace(const brRenderView* view, brVec3 origin, brVec3 direction, const brRenderDraws* draws)
{
	brRenderSample sample;
	memset(&sample, 0, sizeof(sample));
	brVec3 share = {1.0f, 1.0f, 1.0f};
	float ground = lightGroundDistance(view, origin, direction);
	brRenderRay ray = {origin, direction, 0.0f, 1e4f, view->time};
	bool isOpen = view->mayHit && lightClip(view, &ray);
	brRenderHit hit;
	for (int32_t layer = 0; layer < LIGHT_MAX_LAYERS && isOpen && brRayTree_Hit(view->scene->rays, &ray, &hit); ++layer)
	{
		if (ground > 0.0f && hit.distance > ground * 1.0001f + LIGHT_STEP)
		{
			break;
		}
		LightSurface surface = lightSurface(view, &ray, &hit, true);
		sample.normal = brMulAdd(sample.normal, layer == 0 ? 1.0f : 0.5f, surface.normal);
		sample.albedo = brMulAdd(sample.albedo, layer == 0 ? 1.0f : 0.5f, surface.color);
		sample.depth = layer == 0 ? hit.distance : sample.depth;
		if (!surface.isGlass)
		{
			sample.color = brAdd(sample.color, lightTimes(share, lightShade(view, &surface, direction, draws)));
			return sample;
		}
		// Glass: what it mirrors of the lights, a trace of its own color, and on.
		float cosine = -brDot(surface.normal, direction), grazing = 1.0f - lightSaturate(cosine);
		brVec3 reflected = brMulAdd(direction, 2.0f * cosine, surface.normal);
		float fresnel = lightFresnel(0.05f, cosine) * (1.0f - 0.72f * grazing * grazing);
		brVec3 glow = brMul(fresnel, lightStudio(view, reflected));
		glow = brMulAdd(glow, 0.06f * surface.opacity, surface.color);
		sample.color = brAdd(sample.color, lightTimes(share, glow));
		share = lightTimes(share, lightThroughGlass(&surface, cosine));
		ray.from = hit.distance + LIGHT_STEP;
	}
	float left = 1.0f;
	if (ground > 0.0f)
	{
		brVec3 point = brMulAdd(brMulAdd(origin, ground, direction), LIGHT_STEP, view->up);
		float flat = brLength(brMulAdd(point, -brDot(point, view->up), view->up));
		float fade = lightSmooth(7.0f, 2.5f, flat);
		left = fade > 0.0f ? 1.0f - fade * (1.0f - lightGroundShare(view, point, draws)) : 1.0f;
		sample.normal = brMulAdd(sample.normal, 0.5f, view->up);
		sample.depth = sample.depth > 0.0f ? sample.depth : ground;
	}
	sample.behind = brMul(left, share);
	return sample;
}
