// SPDX-License-Identifier: MIT

#include "fracture/roughness.h"

#include "base/hash.h"
#include "base/report.h"
#include "brittle/volume.h"
#include "math/noise.h"
#include "narrow/triangle_search.h"
#include "narrow/triangle_soup.h"

#define ROUGH_OCTAVES 3
#define ROUGH_GAIN 0.5
#define ROUGH_BOOST 2.5
#define ROUGH_FADE 0.5 // from the surface to full height, in lengths

// Slopes of the boosted noise are mostly below 4 heights a length: an eighth of the length leaves them below one half.
#define ROUGH_STEEPEST 0.125

void brRoughness_Free(brRoughness* roughness)
{
	const brAllocator* a = &roughness->allocator;
	BR_FREE(a, roughness->flat, roughness->count);
	BR_FREE(a, roughness->moves, roughness->count);
	BR_FREE(a, roughness->shares, roughness->count);
	*roughness = (brRoughness){0};
}

// Mostly within half of its range, so that is stretched to all of it and what is beyond cut off.
static double roughNoise(uint64_t seed, brDVec3 p)
{
	return fmin(1.0, fmax(-1.0, ROUGH_BOOST * brFractalNoise3(brHash64(seed), p, ROUGH_OCTAVES, ROUGH_GAIN)));
}

brResult brRoughness_Make(const brContext* context, const brSurfaceClip* clip, const brCaps* caps, brDVec3 scale,
						  const brShatterDef* def, double length, brRoughness* out, brReport* report)
{
	brRoughness roughness = {.allocator = brContext_Allocator(context), .count = caps->places.count};
	const brAllocator* a = &roughness.allocator;
	int32_t count = roughness.count;
	roughness.flat = BR_ALLOC(a, brDVec3, count);
	roughness.moves = BR_ALLOC(a, brDVec3, count);
	roughness.shares = BR_ALLOC(a, double, count);
	brClosestPoint* closest = BR_ALLOC(a, brClosestPoint, count);
	brSurfaceTree* tree = NULL;
	brResult result = roughness.flat == NULL || roughness.moves == NULL || roughness.shares == NULL || closest == NULL
						  ? brFailMemory(report)
						  : brCreateSurfaceTree(context, clip->mesh, &tree, report);
	if (result >= 0)
	{
		brSurfaceTree_FindClosest(tree, context, caps->places.data, count, closest);
		// Distances in the space that is cut, over the largest scale, are no larger than the true ones.
		double shrink = 1.0 / fmax(scale.x, fmax(scale.y, scale.z));
		double height = fmin(def->roughness, ROUGH_STEEPEST * length);
		uint64_t seed = def->roughnessSeed;
		for (int32_t n = 0; n < count; ++n)
		{
			brDVec3 p = caps->places.data[n];
			brDVec3 q = {p.x / (scale.x * length), p.y / (scale.y * length), p.z / (scale.z * length)};
			double most = height * fmin(1.0, shrink * closest[n].distance / (ROUGH_FADE * length));
			roughness.flat[n] = p;
			roughness.shares[n] = 1.0;
			roughness.moves[n] =
				brMakeDVec3(scale.x * most * roughNoise(seed, q), scale.y * most * roughNoise(seed + 1, q),
							scale.z * most * roughNoise(seed + 2, q));
		}
	}
	brDestroySurfaceTree(tree);
	BR_FREE(a, closest, count);
	if (result < 0)
	{
		brRoughness_Free(&roughness);
		return result;
	}
	*out = roughness;
	return br_success;
}

void brRoughness_Apply(const brRoughness* roughness, brCaps* caps)
{
	for (int32_t n = 0; n < roughness->count; ++n)
	{
		caps->places.data[n] = brDMulAdd(roughness->flat[n], roughness->shares[n], roughness->moves[n]);
	}
}

brResult brFindRoughCrossing(const brAllocator* allocator, const brMesh* piece, int32_t interior, bool* outCrosses)
{
	brContext context = {.allocator = allocator};
	brTriangleSoup soup;
	const brMesh* const meshes[1] = {piece};
	brResult result = brTriangleSoup_Make(&soup, &context, meshes, 1, NULL);
	if (result < 0)
	{
		return result;
	}
	// Vertices that only cut faces have were moved.
	bool* isFixed = BR_ALLOC_ZERO(allocator, bool, piece->vertexCount);
	for (int32_t t = 0; isFixed != NULL && t < soup.triangleCount; ++t)
	{
		for (int32_t k = 0; k < 3 && piece->faceMaterials[soup.faces[t]] != interior; ++k)
		{
			isFixed[soup.triangles[t][k]] = true;
		}
	}
	brPairSearchDef def = {.enableSelf = true, .rule = br_neighborsBeyond};
	brTriangleSearch search;
	brTriangleSearch_Init(&search, allocator, &def);
	brBoxSource source = brTriangleSoup_Source(&soup);
	result = isFixed != NULL ? brTriangleSearch_Run(&search, &context, &source, NULL, 1, NULL) : br_errorMemory;
	bool crosses = false;
	for (int64_t n = 0; result >= 0 && n < search.search.pairs.count && !crosses; ++n)
	{
		const int32_t *a = soup.triangles[search.search.pairs.pairs[n].a],
					  *b = soup.triangles[search.search.pairs.pairs[n].b];
		crosses =
			!isFixed[a[0]] || !isFixed[a[1]] || !isFixed[a[2]] || !isFixed[b[0]] || !isFixed[b[1]] || !isFixed[b[2]];
	}
	*outCrosses = crosses;
	brTriangleSearch_Free(&search);
	BR_FREE(allocator, isFixed, piece->vertexCount);
	brTriangleSoup_Free(&soup);
	return result;
}
