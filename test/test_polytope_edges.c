// SPDX-License-Identifier: MIT

// Faces and pairs of edges of two hulls: the search that leaves most of them out against the one that tries them all.

#include "brittle/brittle.h"
#include "contact/collide_mesh.h"
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
	return BR_MADE(brShape, brCreateShape, NULL, &def);
}

static brRelativePose edgesPose(brRandom* random, double most)
{
	brQuat turn = brQuat_Normalize((brQuat){brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0),
											brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0)});
	brMat3 m = brMakeMat3FromQuat(turn);
	float apart = (float)brRandom_Range(random, 0.0, most);
	brVec3 way =
		brNormalize(brMakeVec3((float)brRandom_Range(random, -1.0, 1.0), (float)brRandom_Range(random, -1.0, 1.0),
							   (float)brRandom_Range(random, -1.0, 1.0)));
	return (brRelativePose){brToVec3(m.cx), brToVec3(m.cy), brToVec3(m.cz), brMul(apart, way)};
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

// What two polytopes see of each other: some corners and what is between them.
static void edgesSee(brRandom* random, const brShape* a, const brShape* b, const brRelativePose* pose,
					 brPolytopeView views[2])
{
	brPolytopeView_Init(&views[0], a);
	brPolytopeView_Init(&views[1], b);
	for (int32_t count = (int32_t)brRandom_Below(random, 12); count > 0; --count)
	{
		for (int32_t side = 0; side < 2; ++side)
		{
			const brShape* other = side == 0 ? b : a;
			brVec3 p = brShape_Vertices(other)[brRandom_Below(random, (uint32_t)other->vertexCount)];
			brVec3 q = brShape_Vertices(other)[brRandom_Below(random, (uint32_t)other->vertexCount)];
			p = brMulAdd(p, count % 2 == 0 ? 0.0f : (float)brRandom_Unit(random), brSub(q, p));
			brPolytopeView_Add(&views[side], side == 0 ? brRelativePose_Point(pose, p)
													   : brRelativePose_InvRotate(pose, brSub(p, pose->p)));
		}
	}
}

BR_TEST(contact_edge_pairs_left_out_would_not_have_counted)
{
	brRandom random = brTest_Random(test);
	int32_t above = 0, below = 0, rounds = brTest_Rounds(test, 400);
	for (int32_t round = 0; round < rounds; ++round)
	{
		brShape *a = edgesHull(&random), *b = edgesHull(&random);
		brRelativePose pose = edgesPose(&random, 2.5);
		float slow = edgesSlow(a, b, &pose), floor = slow + (float)brRandom_Range(&random, -0.3, 0.1);
		brPolytopeView views[2];
		edgesSee(&random, a, b, &pose, views);
		brEdgePair fast = brFindEdgePair(views, &pose, floor, NULL, INFINITY);
		if (slow > floor)
		{
			CHECK(fast.separation == slow);
			CHECK(fast.a >= 0 && fast.a < a->edgeCount && fast.b >= 0 && fast.b < b->edgeCount);
			CHECK_NEAR(brLength(fast.normal), 1.0, 1e-5);
			above += 1;
		}
		else
		{
			CHECK(fast.a < 0);
			below += 1;
		}
		brEdgePair soon = brFindEdgePair(views, &pose, floor, NULL, slow - 0.5f);
		CHECK(slow <= floor || (soon.a >= 0 && soon.separation > slow - 0.5f));
		brDestroyShape(a);
		brDestroyShape(b);
	}
	CHECK(above > rounds / 40 && below > rounds / 40);
}

// What a direction parts two polytopes by.
static float edgesGap(const brShape* a, const brShape* b, const brRelativePose* pose, brVec3 n)
{
	float highest = -INFINITY, lowest = INFINITY;
	for (int32_t i = 0; i < a->vertexCount; ++i)
	{
		highest = fmaxf(highest, brDot(n, brShape_Vertices(a)[i]));
	}
	for (int32_t i = 0; i < b->vertexCount; ++i)
	{
		lowest = fminf(lowest, brDot(brRelativePose_InvRotate(pose, n), brShape_Vertices(b)[i]));
	}
	return brDot(n, pose->p) + lowest - highest;
}

// The face of one that parts the two best, by all corners of the other.
static int32_t edgesBestFace(const brShape* a, const brShape* b, const brRelativePose* pose, float* outSeparation)
{
	int32_t best = -1;
	*outSeparation = -INFINITY;
	for (int32_t f = 0; f < a->faceCount; ++f)
	{
		float lowest = INFINITY;
		brVec3 n = edgesFace(a, f), inB = brRelativePose_InvRotate(pose, n);
		for (int32_t i = 0; i < b->vertexCount; ++i)
		{
			lowest = fminf(lowest, brDot(inB, brShape_Vertices(b)[i]));
		}
		float s = brDot(n, pose->p) + lowest - brShape_Planes(a)[f].w;
		best = s > *outSeparation ? f : best;
		*outSeparation = fmaxf(s, *outSeparation);
	}
	return best;
}

// Whatever was touched a step ago, the axis is the one of a search over all faces and all pairs of edges, or parts by
// as much within the bias.
BR_TEST(contact_axis_of_hulls_is_that_of_all_faces_and_edges)
{
	brRandom random = brTest_Random(test);
	int32_t byEdges = 0, rounds = brTest_Rounds(test, 600);
	rounds = rounds < 100 ? 100 : rounds; // fewer may hold no edges
	for (int32_t round = 0; round < rounds; ++round)
	{
		brShape *a = edgesHull(&random), *b = edgesHull(&random);
		brRelativePose pose = edgesPose(&random, 2.0);
		brRelativePose back = {{pose.x.x, pose.y.x, pose.z.x},
							   {pose.x.y, pose.y.y, pose.z.y},
							   {pose.x.z, pose.y.z, pose.z.z},
							   brRelativePose_InvRotate(&pose, brMul(-1.0f, pose.p))};
		float faceA, faceB, edges = edgesSlow(a, b, &pose);
		int32_t indexA = edgesBestFace(a, b, &pose, &faceA), indexB = edgesBestFace(b, a, &back, &faceB);
		float bias = BR_TOUCH_BIAS * fminf(a->thickness, b->thickness), best = fmaxf(faceA, faceB);
		// From nothing, from some axis, and again from what that found.
		const uint32_t olds[2] = {0, brRandom_Below(&random, 2) == 0
										 ? 1u << 24 | brRandom_Below(&random, (uint32_t)a->faceCount)
										 : 2u << 24 | brRandom_Below(&random, (uint32_t)b->faceCount)};
		bool areBoxes = a->kind == br_shapeBox && b->kind == br_shapeBox; // have their own search
		for (int32_t k = 0; k < 3 && !areBoxes; ++k)
		{
			uint32_t axis = olds[k % 2];
			brTouch touch = {.apart = -INFINITY};
			brCollidePolytopes(a, b, &pose, 10.0f, &axis, NULL, &touch);
			uint32_t first = axis;
			if (k == 2)
			{
				brCollidePolytopes(a, b, &pose, 10.0f, &axis, NULL, &touch);
				CHECK(axis == first || best < edges + bias);
			}
			float depth = fmaxf(0.0f, -best), clear = best + bias + 0.1f * depth;
			bool isNear = fabsf(edges - clear) < 2.0f * bias; // another preferred face may have decided
			byEdges += axis >> 24 == 3;
			if (axis >> 24 == 3)
			{
				CHECK(edges > clear - 2.0f * bias);
				CHECK(touch.count == 1 && touch.separations[0] == edges);
			}
			else
			{
				int32_t face = (int32_t)(axis & 0xFFFFFFu);
				bool isB = axis >> 24 == 2;
				brVec3 n = isB ? brMul(-1.0f, brRelativePose_Rotate(&pose, edgesFace(b, face))) : edgesFace(a, face);
				CHECK(edgesGap(a, b, &pose, n) > best - bias - 1e-4f);
				// Edges that are clearly better and look elsewhere would have won.
				CHECK(isNear || edges < clear || brDot(touch.normal, n) > 0.0f);
				CHECK(k != 0 || face == (isB ? indexB : indexA));
			}
		}
		brDestroyShape(a);
		brDestroyShape(b);
	}
	CHECK(byEdges > rounds / 10);
}

// A plate whose faces are not quite flat has slivers at their rims. Edges beside them seemed to cross others and to
// part bodies that were deep in each other.
BR_TEST(contact_edges_of_slivers_prove_what_they_part)
{
	brRandom random = brTest_Random(test);
	int32_t byEdges = 0, rounds = brTest_Rounds(test, 3000);
	for (int32_t round = 0; round < rounds; ++round)
	{
		brShape* shapes[2] = {NULL, NULL};
		for (int32_t i = 0; i < 2; ++i)
		{
			brShapeDef def = brDefaultShapeDef(br_shapeHull);
			brDVec3 points[60];
			def.points = points;
			def.pointCount = 40 + (int32_t)brRandom_Below(&random, 21);
			for (int32_t k = 0; k < def.pointCount; ++k)
			{
				double x = brRandom_Range(&random, -1.0, 1.0), y = brRandom_Range(&random, -1.0, 1.0);
				double bulge = 2e-3 * (2.0 - x * x - y * y);
				points[k] = brMakeDVec3(x, y, (k % 2 == 0 ? 0.1 + bulge : -0.1 - bulge));
			}
			brReport report = {0};
			CHECK_RESULT(brCreateShape(NULL, &def, &shapes[i], &report), &report);
		}
		brRelativePose pose = edgesPose(&random, 1.5);
		brPairMemory memory = {0};
		brTouch touches[BR_PAIR_MANIFOLDS];
		int32_t count = brCollideShapes(shapes[0], shapes[1], &pose, 0.05f, &memory, NULL, touches);
		if (count > 0 && memory.axis >> 24 == 3)
		{
			float gap = edgesGap(shapes[0], shapes[1], &pose, touches[0].normal);
			CHECK_MESSAGE(touches[0].separations[0] < gap + 2e-3f, "round %d: edges part by %g, they say %g", round,
						  (double)gap, (double)touches[0].separations[0]);
			byEdges += 1;
		}
		brDestroyShape(shapes[0]);
		brDestroyShape(shapes[1]);
	}
	CHECK(byEdges > rounds / 50);
}

BR_TEST(contact_nearest_place_of_a_hull_has_all_of_it_behind)
{
	// A place of a convex body is the nearest to a point if the whole body is behind the plane through it that looks at
	// the point.
	brRandom random = brTest_Random(test);
	int32_t outside = 0, rounds = brTest_Rounds(test, 300);
	for (int32_t round = 0; round < rounds; ++round)
	{
		brShape* shape = edgesHull(&random);
		float slack = 5e-4f * shape->radius; // faces are joined from corners that lie nearly in a plane
		for (int32_t k = 0; k < 20; ++k)
		{
			brVec3 at = brMul(2.0f, edgesPose(&random, 1.0).p), way;
			bool isFace;
			float distance = brPolytope_Field(shape, at, INFINITY, &way, &isFace);
			brVec3 place = brMulAdd(at, -distance, way);
			float most = -INFINITY, highest = -INFINITY;
			for (int32_t i = 0; i < shape->vertexCount; ++i)
			{
				most = fmaxf(most, brDot(way, brSub(brShape_Vertices(shape)[i], place)));
			}
			for (int32_t f = 0; f < shape->faceCount; ++f)
			{
				highest = fmaxf(highest, brDot(edgesFace(shape, f), place) - brShape_Planes(shape)[f].w);
			}
			CHECK(!(distance > slack) || (most < slack && highest < slack));
			outside += distance > slack;
		}
		brDestroyShape(shape);
	}
	CHECK(outside > 3 * rounds);
}
