// SPDX-License-Identifier: MIT

// What contacts of solids save themselves: bounds against the distances they stand for, how far two bodies are apart
// against all their triangles, and how far two bodies move relative to each other against points of them.

#include "contact/collide_mesh.h"
#include "dynamics/dynamics.h"
#include "harness.h"
#include "mesh_scenes.h"
#include "world/world_state.h"
#include "world_scenes.h"

#include <math.h>
#include <string.h>

static brVec3 boundsPoint(brRandom* random, const brShape* shape, double grow)
{
	double x = brRandom_Range(random, -grow, grow), y = brRandom_Range(random, -grow, grow),
		   z = brRandom_Range(random, -grow, grow);
	return brMakeVec3(shape->boxCenter.x + (float)x * shape->half.x, shape->boxCenter.y + (float)y * shape->half.y,
					  shape->boxCenter.z + (float)z * shape->half.z);
}

BR_TEST(mesh_bounds_hold_and_have_the_same_bits_on_every_path)
{
	static const char* const models[] = {"torus", "bowl", "statue", "wine_glass", "brick"};
	brRandom random = brTest_Random(test);
	double tight = 0.0;
	int32_t rounds = brTest_Rounds(test, 300);
	for (int32_t m = 0; m < 5; ++m)
	{
		brShape* shape = brScene_MeshModel(models[m], 12, 1.0, true);
		brSolid solid = brMakeSolid(shape), plain = solid;
		plain.hasAvx2 = false;
		for (int32_t round = 0; round < rounds; ++round)
		{
			brFloat8 places[3];
			brVec3 points[8];
			for (int32_t k = 0; k < 8; ++k)
			{
				points[k] = boundsPoint(&random, shape, 1.5);
				places[0][k] = points[k].x, places[1][k] = points[k].y, places[2][k] = points[k].z;
			}
			float limit = (float)brRandom_Range(&random, 0.0, 0.3);
			brFieldBounds a, b;
			memset(&a, 0, sizeof(a));
			memset(&b, 0, sizeof(b));
			uint32_t bits = brSolid_Bounds(&solid, places, limit, &a);
			CHECK(bits == brSolid_Bounds(&plain, places, limit, &b) && memcmp(&a, &b, sizeof(a)) == 0);
			for (int32_t k = 0; k < 8; ++k)
			{
				brFieldAnswer answer, within;
				brFieldBound bound = brSolid_Bound(&solid, points[k]), none = {-INFINITY, INFINITY, -1};
				CHECK(brSolid_FieldWithin(&solid, points[k], INFINITY, &none, &answer));
				float d = answer.distance;
				CHECK_MESSAGE(bound.least <= d && d <= bound.most, "%s: %g is not in %g to %g", models[m], (double)d,
							  (double)bound.least, (double)bound.most);
				CHECK(a.least[k] <= d && d <= a.most[k]);
				CHECK((bits >> k & 1) == (a.least[k] < limit));
				CHECK(fabsf(brSolid_Guess(&solid, bound.hint, points[k])) >= fabsf(d) * (1.0f - 1e-4f) - 1e-5f);
				// A hint changes nothing.
				CHECK(brSolid_FieldWithin(&solid, points[k], INFINITY, &bound, &within));
				CHECK(within.distance == d && within.triangle == answer.triangle);
				tight += (double)(bound.most - bound.least);
			}
		}
		brDestroyShape(shape);
	}
	CHECK(tight / (40.0 * rounds) < 0.5);
}

// An axis of a bar, the longest (0) or one of the others.
static brVec3 boundsAxis(const brShape* bar, int k)
{
	const float half[3] = {bar->half.x, bar->half.y, bar->half.z};
	int longest = half[1] > half[0] ? 1 : 0;
	longest = half[2] > half[longest] ? 2 : longest;
	int at = (longest + k) % 3;
	return brMakeVec3(at == 0 ? 1.0f : 0.0f, at == 1 ? 1.0f : 0.0f, at == 2 ? 1.0f : 0.0f);
}

BR_TEST(mesh_edges_that_cross_touch_where_they_cross)
{
	brRandom random = brTest_Random(test);
	brShapeDef def = brDefaultShapeDef(br_shapeBox);
	def.halfExtents = brMakeDVec3(0.5, 0.06, 0.05);
	brShape *mesh = brScene_MeshBox(1.0, 0.12, 0.1, 1), *box = NULL;
	CHECK_RESULT(brCreateShape(NULL, &def, &box, NULL), NULL);
	int32_t rounds = brTest_Rounds(test, 400), missed = 0;
	for (int32_t round = 0; round < rounds; ++round)
	{
		const brShape *a = round % 2 == 0 ? mesh : box, *b = mesh;
		// An edge of A looks up between its faces, one of B down on it, at a random place of both and a random angle.
		float angle = (float)brRandom_Range(&random, 0.7, 2.4), gap = (float)brRandom_Range(&random, -0.003, 0.005);
		brVec3 along = boundsAxis(a, 0), m = boundsAxis(a, 1), n = boundsAxis(a, 2);
		brVec3 up = brMul(sqrtf(0.5f), brAdd(m, n)), side = brMul(sqrtf(0.5f), brSub(m, n));
		brVec3 across = brAdd(brMul((float)brCos(angle), along), brMul((float)brSin(angle), side));
		brVec3 beside = brCross(across, brMul(-1.0f, up));
		brVec3 alongB = boundsAxis(b, 0), upB = brMul(sqrtf(0.5f), brAdd(boundsAxis(b, 1), boundsAxis(b, 2)));
		brVec3 besideB = brCross(alongB, upB);
		const float* parts[3] = {&alongB.x, &upB.x, &besideB.x};
		brRelativePose pose;
		brVec3* columns[3] = {&pose.x, &pose.y, &pose.z};
		for (int k = 0; k < 3; ++k)
		{
			*columns[k] = brAdd(brMul(parts[0][k], across), brAdd(brMul(-parts[1][k], up), brMul(parts[2][k], beside)));
		}
		pose.p = brMakeVec3(0.0f, 0.0f, 0.0f);
		brVec3 edgeA = brMulAdd(brAdd(brMul(brDot(a->half, m), m), brMul(brDot(a->half, n), n)),
								(float)brRandom_Range(&random, -0.4, 0.4), along);
		brVec3 cornerB = (brMakeVec3(upB.x != 0.0f ? b->half.x : 0.0f, upB.y != 0.0f ? b->half.y : 0.0f,
									 upB.z != 0.0f ? b->half.z : 0.0f));
		brVec3 edgeB = brMulAdd(cornerB, (float)brRandom_Range(&random, -0.4, 0.4), alongB);
		brVec3 place = brMulAdd(edgeA, gap, up);
		pose.p = brSub(place, brRelativePose_Rotate(&pose, edgeB));
		brPairMemory memory = {0};
		brTouch touches[BR_PAIR_MANIFOLDS];
		int32_t count = brCollideShapes(a, b, &pose, 0.01f, &memory, NULL, touches);
		bool isRight = false;
		if (count > 0)
		{
			float off = brLength(brSub(touches[0].points[0], brMulAdd(edgeA, 0.5f * gap, up)));
			isRight =
				fabsf(touches[0].separations[0] - gap) < 5e-4f && off < 2e-3f && brDot(touches[0].normal, up) > 0.99f;
		}
		missed += !isRight;
	}
	// Where a crossing is near a point of an edge, that point speaks for it.
	CHECK_MESSAGE(missed <= 2 + rounds / 20, "%d of %d crossings are not found where they are", missed, rounds);
	brDestroyShape(box);
	brDestroyShape(mesh);
}

BR_TEST(mesh_blocks_of_points_are_placed_like_points)
{
	brRandom random = brTest_Random(test);
	brShape* shape = brScene_MeshModel("statue", 10, 1.0, true);
	brSolid solid = brMakeSolid(shape), plain = solid;
	plain.hasAvx2 = false;
	for (int32_t round = 0; round < brTest_Rounds(test, 50); ++round)
	{
		brQuat q = brMakeQuatAxisAngle(brMakeDVec3(0.6, 0.0, 0.8), brRandom_Range(&random, 0.0, 6.0));
		brMat3 m = brMakeMat3FromQuat(q);
		brRelativePose pose = {brToVec3(m.cx), brToVec3(m.cy), brToVec3(m.cz), boundsPoint(&random, shape, 1.0)};
		brVec3 a = boundsPoint(&random, shape, 1.0), b = boundsPoint(&random, shape, 1.0);
		brBox3 box = {brMin(a, b), brMax(a, b)};
		for (int32_t block = 0; block < solid.blockCount; ++block)
		{
			brFloat8 places[3], others[3];
			uint32_t bits = brSolid_PlaceBlock(&solid, block, &pose, box, places);
			CHECK(bits == brSolid_PlaceBlock(&plain, block, &pose, box, others));
			CHECK(memcmp(places, others, sizeof(places)) == 0);
			for (int32_t k = 0; k < 8; ++k)
			{
				int32_t i = 8 * block + k;
				if (i >= solid.pointCount)
				{
					CHECK(!(bits >> k & 1));
					continue;
				}
				brVec3 p = brRelativePose_Point(&pose, solid.points[i].place);
				brVec3 at = {places[0][k], places[1][k], places[2][k]};
				CHECK(brLength(brSub(p, at)) < 1e-6f);
				bool isIn = at.x >= box.lower.x && at.x <= box.upper.x && at.y >= box.lower.y && at.y <= box.upper.y &&
							at.z >= box.lower.z && at.z <= box.upper.z;
				CHECK((bits >> k & 1) == isIn);
			}
		}
	}
	brDestroyShape(shape);
}

// Distance of two segments, by alternating between them: the function is convex.
static double boundsSegments(brDVec3 a, brDVec3 b, brDVec3 c, brDVec3 d)
{
	brDVec3 u = brDSub(b, a), v = brDSub(d, c);
	double uu = brDDot(u, u), vv = brDDot(v, v), uv = brDDot(u, v), best = INFINITY;
	brDVec3 w = brDSub(a, c);
	double det = uu * vv - uv * uv;
	double starts[3] = {0.0, 1.0, det > 0.0 ? (uv * brDDot(v, w) - vv * brDDot(u, w)) / det : 0.5};
	for (int32_t i = 0; i < 3; ++i)
	{
		double s = fmin(fmax(starts[i], 0.0), 1.0), t = 0.0;
		for (int32_t turn = 0; turn < 3; ++turn)
		{
			t = vv > 0.0 ? fmin(fmax((brDDot(v, w) + s * uv) / vv, 0.0), 1.0) : 0.0;
			s = uu > 0.0 ? fmin(fmax((t * uv - brDDot(u, w)) / uu, 0.0), 1.0) : 0.0;
		}
		best = fmin(best, brDDistance(brDMulAdd(a, s, u), brDMulAdd(c, t, v)));
	}
	return best;
}

// The distance of two solids by all their corners and sides; 0 if a corner is inside.
static double boundsDistance(const brSolid* a, const brSolid* b, const brRelativePose* pose, const brRelativePose* back)
{
	const brSolid* solids[2] = {a, b};
	const brRelativePose* poses[2] = {back, pose};
	double best = INFINITY;
	for (int32_t s = 0; s < 2; ++s)
	{
		for (int32_t i = 0; i < solids[s]->triangleCount; ++i)
		{
			brVec3 c[3];
			brSolid_Corners(solids[s], i, c);
			for (int32_t k = 0; k < 3; ++k)
			{
				brFieldAnswer answer;
				brSolid_Field(solids[1 - s], brRelativePose_Point(poses[s], c[k]), INFINITY, &answer);
				best = fmin(best, fmax((double)answer.distance, 0.0));
			}
		}
	}
	for (int32_t i = 0; i < 3 * a->triangleCount; ++i)
	{
		brVec3 c[3];
		brSolid_Corners(a, i / 3, c);
		brDVec3 p = brToDVec3(c[i % 3]), q = brToDVec3(c[(i + 1) % 3]);
		for (int32_t k = 0; k < 3 * b->triangleCount && best > 0.0; ++k)
		{
			brVec3 e[3];
			brSolid_Corners(b, k / 3, e);
			brDVec3 r = brToDVec3(brRelativePose_Point(pose, e[k % 3]));
			brDVec3 t = brToDVec3(brRelativePose_Point(pose, e[(k + 1) % 3]));
			best = fmin(best, boundsSegments(p, q, r, t));
		}
	}
	return best;
}

static float boundsDeepest(const brTouch* touches, int32_t count)
{
	float least = INFINITY;
	for (int32_t i = 0; i < count; ++i)
	{
		for (int32_t k = 0; k < touches[i].count; ++k)
		{
			least = fminf(least, touches[i].separations[k]);
		}
	}
	return least;
}

BR_TEST(mesh_bodies_are_as_far_apart_as_all_their_triangles)
{
	brRandom random = brTest_Random(test);
	brShape* shapes[3] = {brScene_MeshModel("brick", 1, 1.0, true), brScene_MeshModel("torus", 3, 1.0, true),
						  brScene_MeshModel("brick", 1, 0.7, false)};
	int32_t apartCount = 0, useful = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 60); ++round)
	{
		const brShape* b = shapes[round % 2];
		brSolid solidB = brMakeSolid(b), solidA = brMakeSolid(shapes[(round / 2) % 2]);
		const brShape* a = solidA.shape;
		brQuat q = brMakeQuatAxisAngle(brMakeDVec3(0.48, 0.6, 0.64), brRandom_Range(&random, 0.0, 6.0));
		brMat3 m = brMakeMat3FromQuat(q);
		brDVec3 way = brMakeDVec3(brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0),
								  brRandom_Range(&random, -1.0, 1.0));
		brVec3 p = brToVec3(brDMul(brRandom_Range(&random, 0.4, 1.4) / fmax(brDLength(way), 0.1), way));
		brRelativePose pose = {brToVec3(m.cx), brToVec3(m.cy), brToVec3(m.cz), p};
		brRelativePose back = {{pose.x.x, pose.y.x, pose.z.x},
							   {pose.x.y, pose.y.y, pose.z.y},
							   {pose.x.z, pose.y.z, pose.z.z},
							   brRelativePose_InvRotate(&pose, brMul(-1.0f, p))};
		brTouch touches[BR_PAIR_MANIFOLDS];
		float margin = 0.02f * fminf(a->thickness, b->thickness);
		int32_t count = brCollideSolid(a, b, &pose, &(brSolidQuery){.margin = margin}, touches);
		double distance = boundsDistance(&solidA, &solidB, &pose, &back);
		if (count == 0)
		{
			apartCount += 1;
			CHECK_MESSAGE((double)touches[0].apart <= distance * (1.0 + 1e-4) + 1e-6, "%g apart, said to be %g",
						  distance, (double)touches[0].apart);
			useful += (double)touches[0].apart > 0.4 * fmin(distance, 0.2);
		}
		else
		{
			// Measured along the normal of a face that an edge hangs over, a contact is nearer than it is. Where an
			// edge goes through a face they overlap, whatever corners and sides say.
			CHECK_MESSAGE(boundsDeepest(touches, count) < 0.0f || distance < 4.0 * (double)margin,
						  "a contact %g apart, margin %g", distance, (double)margin);
		}
	}
	CHECK(test->intensity < 1.0 || apartCount > 10);
	CHECK(2 * useful >= apartCount);
	for (int32_t k = 0; k < 3; ++k)
	{
		brDestroyShape(shapes[k]);
	}
}

// A body of so many points that the tree leads to them, not a look at all: what it finds against all of them.
BR_TEST(mesh_tree_of_points_misses_none_that_touch)
{
	brRandom random = brTest_Random(test);
	brShape* many = brScene_MeshModel("torus", 160, 1.0, true);
	brShapeDef planeDef = brDefaultShapeDef(br_shapeHalfSpace);
	brShapeDef boxDef = brDefaultShapeDef(br_shapeBox);
	boxDef.halfExtents = brMakeDVec3(0.5, 0.3, 0.2);
	brShape *plane = NULL, *brick = NULL;
	CHECK(brCreateShape(NULL, &planeDef, &plane, NULL) >= 0 && brCreateShape(NULL, &boxDef, &brick, NULL) >= 0);
	brSolid solid = brMakeSolid(many);
	CHECK_MESSAGE(solid.pointCount > 5000, "%d points", solid.pointCount);
	for (int32_t round = 0; round < brTest_Rounds(test, 60); ++round)
	{
		bool isPlane = round % 2 == 0;
		const brShape* other = isPlane ? plane : brick;
		brQuat q = brMakeQuatAxisAngle(brMakeDVec3(0.48, 0.6, 0.64), brRandom_Range(&random, 0.0, 6.0));
		brMat3 m = brMakeMat3FromQuat(q);
		brRelativePose pose = {brToVec3(m.cx), brToVec3(m.cy), brToVec3(m.cz), {0.0f, 0.0f, 0.0f}};
		// From above until the nearest of all points is as deep as wanted.
		float margin = 0.02f * many->thickness, wanted = (float)brRandom_Range(&random, -1.0, 2.0) * margin,
			  least = 0.0f;
		pose.p.z = isPlane ? 0.0f : brick->half.z + many->radius;
		for (int32_t turn = 0; turn < 12; ++turn)
		{
			least = INFINITY;
			for (int32_t i = 0; i < solid.pointCount; ++i)
			{
				brVec3 at = brRelativePose_Point(&pose, solid.points[i].place), direction;
				bool isFace;
				least = fminf(least, isPlane ? at.z : brPolytope_Field(brick, at, INFINITY, &direction, &isFace));
			}
			pose.p.z += turn < 11 ? wanted - least : 0.0f;
		}
		brTouch touches[BR_PAIR_MANIFOLDS];
		int32_t count = brCollideSolid(other, many, &pose, &(brSolidQuery){.margin = margin}, touches);
		float deepest = boundsDeepest(touches, count);
		CHECK_MESSAGE(least > 0.99f * margin || count > 0, "round %d: a point at %g, margin %g, no contact", round,
					  (double)least, (double)margin);
		// Four points that span most are chosen; what is left out may be deeper by this, ahead of contact by a little
		// more. Over an edge of the brick distance is measured along a face, which is less.
		float slack = 0.002f * many->radius + (least > 0.0f ? 0.25f * margin : 0.0f);
		CHECK_MESSAGE(count == 0 || deepest <= least + slack, "round %d: a point at %g, contacts at %g", round,
					  (double)least, (double)deepest);
		CHECK_MESSAGE(!isPlane || count == 0 || deepest > least - 1e-5f, "round %d: %g, not %g", round, (double)deepest,
					  (double)least);
	}
	brDestroyShape(many);
	brDestroyShape(plane);
	brDestroyShape(brick);
}

// A pair that is said to have touched nowhere goes the long way: same answers, and what is apart is so by both.
BR_TEST(mesh_hulls_that_are_apart_settle_only_what_does_not_touch)
{
	brRandom random = brTest_Random(test);
	brShape* shapes[4] = {brScene_MeshModel("brick", 2, 0.7, false), brScene_MeshModel("brick", 1, 1.0, true),
						  brScene_MeshModel("torus", 8, 1.0, true), brScene_MeshModel("bowl", 6, 1.0, true)};
	int32_t apart = 0, settled = 0, touching = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 400); ++round)
	{
		const brShape *b = shapes[1 + round % 3], *a = shapes[(round / 3) % 4];
		a = a->kind <= b->kind ? a : b;
		brQuat q = brMakeQuatAxisAngle(brMakeDVec3(0.48, 0.6, 0.64), brRandom_Range(&random, 0.0, 6.0));
		brMat3 m = brMakeMat3FromQuat(q);
		brDVec3 way = brMakeDVec3(brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0),
								  brRandom_Range(&random, -1.0, 1.0));
		brVec3 p = brToVec3(brDMul(brRandom_Range(&random, 0.2, 1.1) / fmax(brDLength(way), 0.1), way));
		brRelativePose pose = {brToVec3(m.cx), brToVec3(m.cy), brToVec3(m.cz), p};
		brTouch quick[BR_PAIR_MANIFOLDS], slow[BR_PAIR_MANIFOLDS];
		memset(quick, 0, sizeof(quick));
		memset(slow, 0, sizeof(slow));
		brKeptTouches nowhere = {.count = 0};
		float margin = (float)brRandom_Range(&random, 0.001, 0.1);
		int32_t count = brCollideSolid(a, b, &pose, &(brSolidQuery){.margin = margin}, quick);
		int32_t slowCount = brCollideSolid(a, b, &pose, &(brSolidQuery){.margin = margin, .kept = &nowhere}, slow);
		CHECK_MESSAGE(count == slowCount, "round %d kinds %d %d: quick %d (%g apart), slow %d (%g, %x), margin %g",
					  round, a->kind, b->kind, count, (double)quick[0].apart, slowCount, (double)slow[0].separations[0],
					  slow[0].ids[0], (double)margin);
		if (count > 0)
		{
			touching += 1;
			CHECK(memcmp(quick, slow, sizeof(quick)) == 0);
			continue;
		}
		apart += 1;
		settled += quick[0].apart != slow[0].apart;
	}
	CHECK(test->intensity < 1.0 || (settled > 10 && apart > settled && touching > 30));

	// Extreme points, by all of them, on both paths.
	for (int32_t round = 0; round < brTest_Rounds(test, 100); ++round)
	{
		brSolid solid = brMakeSolid(shapes[1 + round % 3]), plain = solid;
		plain.hasAvx2 = false;
		brVec3 n = {(float)brRandom_Range(&random, -1.0, 1.0), (float)brRandom_Range(&random, -1.0, 1.0),
					round % 5 == 0 ? 0.0f : (float)brRandom_Range(&random, -1.0, 1.0)};
		int32_t best = brSolid_Extreme(&solid, n);
		CHECK(best == brSolid_Extreme(&plain, n));
		for (int32_t i = 0; i < solid.pointCount; ++i)
		{
			CHECK(brDot(n, solid.points[i].place) <= brDot(n, solid.points[best].place) + 1e-6f);
		}
	}
	for (int32_t k = 0; k < 4; ++k)
	{
		brDestroyShape(shapes[k]);
	}
}

BR_TEST(mesh_pairs_move_no_farther_than_their_bound)
{
	brRandom random = brTest_Random(test);
	brWorldDef def = brDefaultWorldDef();
	brWorld* world = brScene_World(NULL, &def);
	brShape* shapes[2] = {brScene_MeshModel("brick", 1, 0.3, true), brScene_MeshModel("torus", 6, 0.5, true)};
	for (int32_t k = 0; k < 2; ++k)
	{
		brBodyDef body = brDefaultBodyDef();
		body.shape = shapes[k];
		body.density = 1000.0;
		body.pose.p = brMakeDVec3(0.4 * k, 0.0, 5.0);
		CHECK(brWorld_CreateBody(world, &body, NULL).index1 != 0);
	}
	brScene_Run(world, 1);
	brDynamics* dynamics = &world->dynamics;
	int32_t a = dynamics->bodies.count - 2, b = a + 1;
	double dt = 1.0 / 60.0, together = 0.0;
	for (int32_t round = 0; round < brTest_Rounds(test, 200); ++round)
	{
		brBody *bodyA = &dynamics->bodies.data[a], *bodyB = &dynamics->bodies.data[b];
		for (int32_t k = 0; k < 2; ++k)
		{
			brBody* body = k == 0 ? bodyA : bodyB;
			body->velocity = brMakeDVec3(brRandom_Range(&random, -3.0, 3.0), brRandom_Range(&random, -3.0, 3.0), 1.0);
			body->spin = brMakeDVec3(brRandom_Range(&random, -6.0, 6.0), brRandom_Range(&random, -6.0, 6.0), 2.0);
		}
		bool isOne = round % 4 == 0;
		if (isOne)
		{
			bodyB->spin = bodyA->spin;
			brDVec3 way = brDSub(bodyB->position, bodyA->position);
			bodyB->velocity = brDAdd(bodyA->velocity, brDCross(bodyA->spin, way));
		}
		brDynamics_MakeFrames(dynamics, dt);
		double bound = (double)brDynamics_PairMotion(dynamics, a, b, dt);
		together = fmax(together, isOne ? bound : 0.0);
		// A point of the smaller ball, carried along by each of the two.
		bool isSmallerA = shapes[0]->radius < shapes[1]->radius;
		const brBody* small = isSmallerA ? bodyA : bodyB;
		brDVec3 offset =
			brDNormalize(brMakeDVec3(brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0),
									 brRandom_Range(&random, -1.0, 1.0)));
		double radius = (double)(isSmallerA ? shapes[0]->radius : shapes[1]->radius);
		brDVec3 point = brDMulAdd(small->position, radius, offset), ends[2];
		for (int32_t k = 0; k < 2; ++k)
		{
			const brBody* body = k == 0 ? bodyA : bodyB;
			double spin = brDLength(body->spin);
			brQuat turn = brMakeQuatAxisAngle(brDMul(1.0 / spin, body->spin), spin * dt);
			brDVec3 r = brQuat_Rotate(turn, brDSub(point, body->position));
			ends[k] = brDAdd(brDMulAdd(body->position, dt, body->velocity), r);
		}
		CHECK_MESSAGE(brDDistance(ends[0], ends[1]) <= bound * 1.02 + 1e-6, "%g m, at most %g",
					  brDDistance(ends[0], ends[1]), bound);
	}
	CHECK(together < 0.01); // what goes as one hardly moves
	brDestroyShape(shapes[0]);
	brDestroyShape(shapes[1]);
	brDestroyWorld(world);
}
