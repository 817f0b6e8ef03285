// SPDX-License-Identifier: MIT

// Rays and triangles: what a loop over all of them finds, and nothing slips through a closed surface.

#include "harness.h"
#include "scene/render_rays.h"
#include "shapes.h"

enum
{
	triangleCount = 300,
	rayCount = 2000,
};

static float s_vertices[3 * triangleCount][3], s_later[3 * triangleCount][3];
static uint32_t s_triangles[triangleCount][3];

static brVec3 randomPoint(brRandom* random, double reach)
{
	double x = brRandom_Range(random, -reach, reach), y = brRandom_Range(random, -reach, reach);
	return brMakeVec3((float)x, (float)y, (float)brRandom_Range(random, -reach, reach));
}

// The same by a loop over all triangles, in doubles (Moller and Trumbore); `outMargin` is how near the ray comes to an
// edge or to another triangle, where floats may decide otherwise.
static int32_t slowHit(const brRenderRay* ray, bool isMoving, double* outDistance, double* outMargin)
{
	int32_t best = -1;
	*outDistance = ray->to;
	*outMargin = 1.0;
	for (int32_t t = 0; t < triangleCount; ++t)
	{
		brDVec3 p[3];
		for (int k = 0; k < 3; ++k)
		{
			const float *a = s_vertices[3 * t + k], *b = s_later[3 * t + k];
			double time = isMoving ? (double)ray->time : 0.0;
			p[k] = brMakeDVec3(a[0] + time * (b[0] - a[0]), a[1] + time * (b[1] - a[1]), a[2] + time * (b[2] - a[2]));
		}
		brDVec3 d = brMakeDVec3(ray->direction.x, ray->direction.y, ray->direction.z);
		brDVec3 o = brDSub(brMakeDVec3(ray->origin.x, ray->origin.y, ray->origin.z), p[0]);
		brDVec3 e = brDSub(p[1], p[0]), f = brDSub(p[2], p[0]), h = brDCross(d, f), q = brDCross(o, e);
		double det = brDDot(e, h), u = brDDot(o, h) / det, v = brDDot(d, q) / det, distance = brDDot(f, q) / det;
		double edge = fmin(fabs(u), fmin(fabs(v), fabs(1.0 - u - v)));
		bool isNear = distance > ray->from - 1e-3 && distance < ray->to + 1e-3 && fmin(u, fmin(v, 1.0 - u - v)) > -1e-3;
		*outMargin = isNear ? fmin(*outMargin, fmin(edge, fmin(fabs(distance - *outDistance), fabs(det)))) : *outMargin;
		if (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > ray->from && distance < *outDistance)
		{
			best = t, *outDistance = distance;
		}
	}
	return best;
}

BR_TEST(render_rays_hit_what_a_loop_over_all_triangles_finds)
{
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < 3 * triangleCount; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			float size = i % 3 == 0 ? 2.0f : 0.4f; // two corners near the first one
			float about = i % 3 == 0 ? 0.0f : s_vertices[i - i % 3][k];
			s_vertices[i][k] = about + size * (float)brRandom_Range(&random, -0.5, 0.5);
			s_later[i][k] = s_vertices[i][k] + 0.2f * (float)brRandom_Range(&random, -0.5, 0.5);
		}
		s_triangles[i / 3][i % 3] = (uint32_t)i;
	}
	brAllocator allocator = brContext_Allocator(NULL);
	for (int pass = 0; pass < 2; ++pass)
	{
		brRayTree* tree = brMakeRayTree(&allocator, s_vertices, pass == 1 ? s_later : NULL, s_triangles, triangleCount);
		CHECK(tree != NULL);
		int32_t hits = 0, clear = 0;
		for (int32_t i = 0; i < rayCount; ++i)
		{
			brVec3 way = brNormalize(randomPoint(&random, 1.0)), aside = randomPoint(&random, 1.0);
			brRenderRay ray = {brSub(brMul(0.5f, aside), brMul(1.5f, way)), way, 1e-4f, 4.0f,
							   (float)brRandom_Unit(&random)};
			double distance, margin;
			int32_t expected = slowHit(&ray, pass == 1, &distance, &margin);
			if (margin < 1e-4)
			{
				continue; // floats may see it otherwise
			}
			brRenderHit hit;
			bool isHit = brRayTree_Hit(tree, &ray, &hit);
			clear += 1, hits += isHit;
			CHECK(isHit == (expected >= 0) && brRayTree_Blocks(tree, &ray) == isHit);
			CHECK(!isHit || (hit.triangle == expected && fabs(hit.distance - distance) < 1e-4 &&
							 fabsf(brLength(hit.normal) - 1.0f) < 1e-5f));
			ray.to = isHit ? hit.distance - 1e-3f : ray.to;
			CHECK(!brRayTree_Blocks(tree, &ray));
		}
		CHECK_MESSAGE(hits > clear / 4 && hits < clear && clear > rayCount / 2, "%d of %d", hits, clear);
		brRayTree_Destroy(tree);
	}
}

// From within a closed surface a ray meets it wherever it goes, also through corners and along edges.
BR_TEST(render_rays_do_not_slip_between_triangles)
{
	brRandom random = brTest_Random(test);
	brMesh* ball = brShape_Sphere(3);
	CHECK(ball->cornerCount == 3 * ball->faceCount && 3 * ball->faceCount <= 5000);
	static float vertices[5000][3];
	static uint32_t triangles[5000][3];
	for (int32_t v = 0; v < ball->vertexCount; ++v)
	{
		brDVec3 p = ball->positions[v];
		vertices[v][0] = (float)p.x, vertices[v][1] = (float)p.y, vertices[v][2] = (float)p.z;
	}
	for (int32_t c = 0; c < ball->cornerCount; ++c)
	{
		triangles[c / 3][c % 3] = (uint32_t)ball->corners[c];
	}
	brAllocator allocator = brContext_Allocator(NULL);
	brRayTree* tree = brMakeRayTree(&allocator, vertices, NULL, triangles, ball->faceCount);
	CHECK(tree != NULL);
	for (int32_t i = 0; i < brTest_Rounds(test, 20000); ++i)
	{
		const float* a = vertices[ball->corners[brRandom_Below(&random, (uint32_t)ball->cornerCount)]];
		uint32_t c = brRandom_Below(&random, (uint32_t)ball->cornerCount), next = c % 3 == 2 ? c - 2 : c + 1;
		const float *p = vertices[ball->corners[c]], *q = vertices[ball->corners[next]];
		brVec3 corner = brMakeVec3(a[0], a[1], a[2]);
		float t = (float)brRandom_Unit(&random);
		brVec3 onEdge = brMakeVec3(p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2]));
		brVec3 from = i % 3 == 0 ? brMakeVec3(0.0f, 0.0f, 0.0f) : randomPoint(&random, 0.5);
		brRenderRay ray = {from, brNormalize(brSub(i % 2 == 0 ? corner : onEdge, from)), 0.0f, 10.0f, 0.0f};
		brRenderHit hit;
		CHECK_MESSAGE(brRayTree_Blocks(tree, &ray) && brRayTree_Hit(tree, &ray, &hit), "ray %d", i);
		CHECK(hit.distance > 0.2f && hit.distance < 2.0f && hit.u > -1e-4f && hit.v > -1e-4f &&
			  hit.u + hit.v < 1.0001f);
	}
	brRayTree_Destroy(tree);
	brDestroyMesh(ball);
}

BR_TEST(render_rays_meet_nothing_in_an_empty_tree)
{
	brAllocator allocator = brContext_Allocator(NULL);
	brRayTree* tree = brMakeRayTree(&allocator, NULL, NULL, NULL, 0);
	brRenderRay ray = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, 0.0f, 1.0f, 0.0f};
	brRenderHit hit;
	CHECK(tree != NULL && !brRayTree_Hit(tree, &ray, &hit) && !brRayTree_Blocks(tree, &ray));
	brRayTree_Destroy(tree);
}
