// SPDX-License-Identifier: MIT

// Pairs of edges of two hulls: the search that leaves most of them out against the one that tries them all.

#include "brittle/brittle.h"
#include "contact/polytope_edges.h"
#include "contact/shape.h"
#include "harness.h"

#include <math.h>

static brShape* edgesHull(brRandom* random)
{
	brShapeDef def = brDefaultShapeDef(brRandom_Unit(random) < 0.2 ? br_shapeBox : br_shapeHull);
	brDVec3 points[40];
	double stretch = brRandom_Range(random, 0.05, 1.0);
	def.points = points;
	def.pointCount = 6 + (int32_t)brRandom_Below(random, 35);
	def.halfExtents = brMakeDVec3(1.0, brRandom_Range(random, 0.3, 1.0), stretch);
	for (int32_t i = 0; i < def.pointCount; ++i)
	{
		points[i] = brMakeDVec3(brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0),
								stretch * brRandom_Range(random, -1.0, 1.0));
	}
	brShape* shape = NULL;
	brReport report = {0};
	CHECK_RESULT(brCreateShape(NULL, &def, &shape, &report), &report);
	return shape;
}

static brVec3 edgesFace(const brShape* shape, int32_t face)
{
	brVec4 plane = brShape_Planes(shape)[face];
	return brMakeVec3(plane.x, plane.y, plane.z);
}

// All pairs, as the definition says it.
static float edgesSlow(const brShape* a, const brShape* b, const brRelativePose* pose)
{
	float best = -INFINITY;
	for (int32_t j = 0; j < b->edgeCount; ++j)
	{
		const int32_t* eb = brShape_Edges(b)[j];
		brVec3 c = brMul(-1.0f, brRelativePose_Rotate(pose, edgesFace(b, eb[2])));
		brVec3 d = brMul(-1.0f, brRelativePose_Rotate(pose, edgesFace(b, eb[3])));
		brVec3 pointB = brRelativePose_Point(pose, brShape_Vertices(b)[eb[0]]);
		brVec3 edgeB = brSub(brRelativePose_Point(pose, brShape_Vertices(b)[eb[1]]), pointB);
		for (int32_t i = 0; i < a->edgeCount; ++i)
		{
			const int32_t* ea = brShape_Edges(a)[i];
			brVec3 pointA = brShape_Vertices(a)[ea[0]], edgeA = brSub(brShape_Vertices(a)[ea[1]], pointA);
			float ca = brDot(c, edgeA), da = brDot(d, edgeA);
			float ad = brDot(edgesFace(a, ea[2]), edgeB), bd = brDot(edgesFace(a, ea[3]), edgeB);
			brVec3 n = brCross(edgeA, edgeB);
			float lengthSq = brDot(n, n);
			if (ca * da < 0.0f && ad * bd < 0.0f && ca * bd > 0.0f &&
				lengthSq >= 1e-4f * brDot(edgeA, edgeA) * brDot(edgeB, edgeB))
			{
				n = brMul(1.0f / sqrtf(lengthSq), n);
				n = brDot(n, pointA) < 0.0f ? brMul(-1.0f, n) : n;
				best = fmaxf(best, brDot(n, brSub(pointB, pointA)));
			}
		}
	}
	return best;
}

BR_TEST(contact_edge_pairs_left_out_would_not_have_counted)
{
	brRandom random = brTest_Random(test);
	int32_t above = 0, below = 0, rounds = brTest_Rounds(test, 400);
	for (int32_t round = 0; round < rounds; ++round)
	{
		brShape *a = edgesHull(&random), *b = edgesHull(&random);
		brQuat turn =
			brQuat_Normalize((brQuat){brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0),
									  brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0)});
		brMat3 m = brMakeMat3FromQuat(turn);
		float apart = (float)brRandom_Range(&random, 0.0, 2.5);
		brVec3 way =
			brNormalize(brMakeVec3((float)brRandom_Range(&random, -1.0, 1.0), (float)brRandom_Range(&random, -1.0, 1.0),
								   (float)brRandom_Range(&random, -1.0, 1.0)));
		brRelativePose pose = {brToVec3(m.cx), brToVec3(m.cy), brToVec3(m.cz), brMul(apart, way)};
		float slow = edgesSlow(a, b, &pose), floor = slow + (float)brRandom_Range(&random, -0.3, 0.1);
		brEdgePair fast = brFindEdgePair(a, b, &pose, floor, NULL, INFINITY);
		if (slow > floor)
		{
			CHECK(fast.separation == slow);
			CHECK(fast.a >= 0 && fast.a < a->edgeCount && fast.b >= 0 && fast.b < b->edgeCount);
			CHECK_NEAR(brLength(fast.normal), 1.0, 1e-5);
			above += 1;
		}
		else
		{
			CHECK(fast.separation <= slow);
			below += 1;
		}
		brEdgePair soon = brFindEdgePair(a, b, &pose, floor, NULL, slow - 0.5f);
		CHECK(slow <= floor || soon.separation > slow - 0.5f);
		brDestroyShape(a);
		brDestroyShape(b);
	}
	CHECK(above > rounds / 40 && below > rounds / 40);
}
