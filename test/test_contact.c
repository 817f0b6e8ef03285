// SPDX-License-Identifier: MIT

// Shapes and the narrow phase against slow twins: support functions and a search over directions.

#include "brittle/check.h"
#include "contact/manifold.h"
#include "contact/select.h"
#include "harness.h"
#include "math/power.h"
#include "mesh/hull.h"
#include "shapes.h"
#include "world_scenes.h"

#include <math.h>
#include <string.h>

static brVec3 contactRandomDirection(brRandom* random)
{
	return brNormalize(brMakeVec3((float)brRandom_Range(random, -1.0, 1.0), (float)brRandom_Range(random, -1.0, 1.0),
								  (float)brRandom_Range(random, -1.0, 1.0)));
}

static brShape* contactRandomHull(brRandom* random, int32_t count)
{
	brDVec3 points[64];
	for (int32_t i = 0; i < count; ++i)
	{
		points[i] = brMakeDVec3(brRandom_Range(random, -0.3, 0.3), brRandom_Range(random, -0.2, 0.2),
								brRandom_Range(random, -0.1, 0.1));
	}
	brShapeDef def = brDefaultShapeDef(br_shapeHull);
	def.points = points;
	def.pointCount = count;
	return BR_MADE(brShape, brCreateShape, NULL, &def);
}

// Largest n . x over a shape in its own axes.
static double contactSupport(const brShape* shape, brVec3 n)
{
	if (!brShape_IsPolytope(shape))
	{
		return (double)(shape->round + fabsf(n.z) * shape->halfLength);
	}
	double best = -INFINITY;
	for (int32_t i = 0; i < shape->vertexCount; ++i)
	{
		best = fmax(best, (double)brDot(n, brShape_Vertices(shape)[i]));
	}
	return best;
}

static double contactGap(const brShape* a, const brShape* b, const brRelativePose* pose, brVec3 n)
{
	brVec3 back = brMul(-1.0f, brRelativePose_InvRotate(pose, n));
	return (double)brDot(n, pose->p) - contactSupport(a, n) - contactSupport(b, back);
}

// The distance of two convex shapes is the largest gap over all directions, also inside.
static double contactDistance(const brShape* a, const brShape* b, const brRelativePose* pose, brRandom* random)
{
	double best = -INFINITY;
	brVec3 direction = {1.0f, 0.0f, 0.0f};
	for (int32_t i = 0; i < 400; ++i)
	{
		brVec3 n = contactRandomDirection(random);
		double gap = contactGap(a, b, pose, n);
		if (gap > best)
		{
			best = gap, direction = n;
		}
	}
	float size = 0.3f;
	for (int32_t i = 0; i < 1200; ++i)
	{
		brVec3 n = brNormalize(brMulAdd(direction, size, contactRandomDirection(random)));
		double gap = contactGap(a, b, pose, n);
		if (gap > best)
		{
			best = gap, direction = n;
		}
		else
		{
			size *= 0.985f;
		}
	}
	return best;
}

static brRelativePose contactRandomPose(brRandom* random, double reach)
{
	brQuat q = brMakeQuatAxisAngle(brToDVec3(contactRandomDirection(random)), brRandom_Range(random, 0.0, 6.3));
	brMat3 m = brMakeMat3FromQuat(q);
	brVec3 p = brMul((float)brRandom_Range(random, 0.2, reach), contactRandomDirection(random));
	return (brRelativePose){brToVec3(m.cx), brToVec3(m.cy), brToVec3(m.cz), p};
}

BR_TEST(contact_separation_is_that_of_a_search_over_directions)
{
	brRandom random = brTest_Random(test);
	int32_t touching = 0, apart = 0, inside = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 1000); ++round)
	{
		brShape* shapes[4] = {brScene_Sphere(0.1), brScene_Capsule(0.08, 0.15), brScene_Box(0.4, 0.25, 0.15),
							  contactRandomHull(&random, 8 + (int32_t)brRandom_Below(&random, 16))};
		int32_t i = (int32_t)brRandom_Below(&random, 4), j = (int32_t)brRandom_Below(&random, 4);
		const brShape *a = shapes[i < j ? i : j], *b = shapes[i < j ? j : i];
		brRelativePose pose = contactRandomPose(&random, 0.5);
		double truth = contactDistance(a, b, &pose, &random);
		const float margin = 0.05f;
		brPairMemory memory = {0};
		brTouch touches[BR_PAIR_MANIFOLDS];
		int32_t manifolds = brCollideShapes(a, b, &pose, margin, &memory, NULL, touches);
		const brTouch touch = touches[0]; // convex shapes have one
		CHECK_EQUAL(manifolds, touch.count > 0);
		double least = INFINITY;
		for (int32_t k = 0; k < touch.count; ++k)
		{
			least = fmin(least, (double)touch.separations[k]);
			CHECK_NEAR((double)brLength(touch.normal), 1.0, 1e-4);
			// The normal proves what the points say.
			CHECK_MESSAGE((double)touch.separations[k] > contactGap(a, b, &pose, touch.normal) - 1e-4,
						  "kinds %d %d: point %d at %g, the normal shows %g", a->kind, b->kind, k,
						  (double)touch.separations[k], contactGap(a, b, &pose, touch.normal));
		}
		bool isRound = !brShape_IsPolytope(a);
		// A preferred axis may be worse by a half per cent of the thickness; the twin stops a little short of the best.
		double slack = isRound ? 2e-3 : 0.01 * (double)fminf(a->thickness, b->thickness) + 1e-3;
		if (touch.count == 0)
		{
			apart += 1;
			CHECK_MESSAGE(truth > 0.0, "kinds %d %d: %g deep, and no point", a->kind, b->kind, -truth);
			CHECK_MESSAGE((double)touch.apart < truth + 2e-3, "kinds %d %d: bound %g, distance %g", a->kind, b->kind,
						  (double)touch.apart, truth);
			// Hulls that pass each other by a corner are known to be apart, and again by what was learned.
			bool isClear = 0.85 * truth > (double)margin && brShape_IsPolytope(a) && b->kind == br_shapeHull;
			CHECK_MESSAGE(!isClear || touch.apart > margin, "apart by %g, and %g is known", truth, (double)touch.apart);
			CHECK_EQUAL(brCollideShapes(a, b, &pose, margin, &memory, NULL, touches), 0);
			CHECK((double)touches[0].apart < truth + 2e-3 && (!isClear || touches[0].apart > margin));
		}
		else if (truth > 0.0)
		{
			touching += 1;
			// Round shapes know the distance; polytopes apart at corners know a lower bound of it.
			CHECK_MESSAGE(least < truth + slack + (isRound ? 0.0 : 1.0), "kinds %d %d: %g, distance %g", a->kind,
						  b->kind, least, truth);
			CHECK_MESSAGE(!isRound || least > truth - 2e-3, "kinds %d %d: %g, distance %g", a->kind, b->kind, least,
						  truth);
		}
		else
		{
			inside += 1;
			// The normal is about the shortest way out. Points may be less deep: the deepest corner can lie beside the
			// face. A capsule inside a polytope only tries faces.
			double shown = contactGap(a, b, &pose, touch.normal);
			bool isInner = a->kind == br_shapeCapsule && brShape_IsPolytope(b);
			// An edge that is a tenth better than the best face is not worth its single point, nor one whose normal is
			// within eight degrees of the face's: there the clipped points tell the depth, since corners beside the
			// face do not count.
			bool isGood = shown > 1.12 * truth - slack - 0.003 || least > 1.12 * truth - slack - 0.01;
			CHECK_MESSAGE(isInner || isGood, "kinds %d %d: the normal shows %g, the points %g, depth %g", a->kind,
						  b->kind, shown, least, truth);
			CHECK_MESSAGE(least < 0.02, "kinds %d %d: %g, depth %g", a->kind, b->kind, least, truth);
		}
		for (int32_t k = 0; k < 4; ++k)
		{
			brDestroyShape(shapes[k]);
		}
	}
	CHECK(test->intensity < 1.0 || (touching > 50 && apart > 50 && inside > 50));
}

BR_TEST(contact_hull_of_corners_in_one_line_lies_behind_its_planes)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 200); ++round)
	{
		// A turned box with more corners on its edges. Rounding lifts them out of these: so they are corners of the hull,
		// between faces that are lines.
		const brDVec3 half = {0.1, 0.05, 0.025};
		brDVec3 points[24], axis = brDNormalize(brMakeDVec3(brRandom_Range(&random, -1.0, 1.0), 0.7, 0.3));
		brQuat turn = brMakeQuatAxisAngle(axis, brRandom_Range(&random, 0.0, 3.0));
		for (int32_t i = 0; i < 24; ++i)
		{
			int32_t corner = i < 8 ? i : (int32_t)brRandom_Below(&random, 8), along = 1 << brRandom_Below(&random, 3);
			brDVec3 p = {corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y, corner & 4 ? half.z : -half.z};
			double t = i < 8 ? 1.0 : brRandom_Range(&random, -1.0, 1.0);
			p = brMakeDVec3(along == 1 ? t * p.x : p.x, along == 2 ? t * p.y : p.y, along == 4 ? t * p.z : p.z);
			// Or a little more than rounding.
			double off = round % 2 == 0 || i < 8 ? 0.0 : brPower(10.0, brRandom_Range(&random, -12.0, -5.0));
			p = brDMulAdd(p, off, brDNormalize(p));
			points[i] = brQuat_Rotate(turn, p);
		}
		brShapeDef def = brDefaultShapeDef(br_shapeHull);
		def.points = points, def.pointCount = 24;
		brShape* hull = NULL;
		CHECK(brCreateShape(NULL, &def, &hull, NULL) >= 0);
		CHECK_NEAR(hull->thickness, 0.05, 1e-4);
		for (int32_t f = 0; f < hull->faceCount; ++f)
		{
			brVec4 plane = brShape_Planes(hull)[f];
			for (int32_t i = 0; i < hull->vertexCount; ++i)
			{
				brVec3 p = brShape_Vertices(hull)[i];
				float over = plane.x * p.x + plane.y * p.y + plane.z * p.z - plane.w;
				CHECK_MESSAGE(over < 1e-4f, "a corner is %g over face %d of %d", (double)over, f, hull->faceCount);
			}
		}
		brDestroyShape(hull);
	}
}

BR_TEST(contact_hull_holds_its_points_and_is_closed)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 200); ++round)
	{
		// Random points, or a grid with many points in one plane and in one line.
		brDVec3 points[64];
		int32_t count = 4 + (int32_t)brRandom_Below(&random, 60);
		bool isGrid = round % 2 == 1;
		for (int32_t i = 0; i < count; ++i)
		{
			double x = brRandom_Range(&random, -1.0, 1.0), y = brRandom_Range(&random, -1.0, 1.0),
				   z = brRandom_Range(&random, -1.0, 1.0);
			points[i] = isGrid ? brMakeDVec3(floor(2.0 * x), floor(2.0 * y), floor(2.0 * z)) : brMakeDVec3(x, y, z);
		}
		brMesh* hull = NULL;
		brResult result = brMakeHull(NULL, points, count, 1e-9, &hull, NULL);
		if (result < 0)
		{
			CHECK(isGrid && result == br_errorGeometry); // a small grid can be flat
			continue;
		}
		// At any scale the same: powers of two change no digit.
		brDVec3 scaled[64];
		brMesh* other = NULL;
		double scale = round % 4 < 2 ? 0x1p-100 : 0x1p60;
		for (int32_t i = 0; i < count; ++i)
		{
			scaled[i] = brDMul(scale, points[i]);
		}
		CHECK_RESULT(brMakeHull(NULL, scaled, count, 1e-9 * scale, &other, NULL), NULL);
		CHECK(other->faceCount == hull->faceCount && other->cornerCount == hull->cornerCount &&
			  memcmp(other->corners, hull->corners, sizeof(int32_t) * (size_t)hull->cornerCount) == 0);
		brDestroyMesh(other);
		brMeshCheck check;
		CHECK_RESULT(brMesh_Check(hull, NULL, NULL, &check, NULL), NULL);
		CHECK_MESSAGE(check.isClosed && check.isOriented && check.isManifold && check.volume > 0.0, "%s",
					  check.verdict);
		CHECK_EQUAL(check.euler, 2);
		for (int32_t f = 0; f < hull->faceCount; ++f)
		{
			const int32_t* c = hull->corners + hull->faceStarts[f];
			brDVec3 area = {0.0, 0.0, 0.0};
			for (int32_t k = 1; k + 1 < brMesh_GetFaceSize(hull, f); ++k)
			{
				area = brDAdd(area, brDCross(brDSub(hull->positions[c[k]], hull->positions[c[0]]),
											 brDSub(hull->positions[c[k + 1]], hull->positions[c[0]])));
			}
			area = brDNormalize(area);
			for (int32_t i = 0; i < count; ++i)
			{
				CHECK(brDDot(area, brDSub(points[i], hull->positions[c[0]])) < 1e-6);
			}
		}
		brDestroyMesh(hull);
	}
}

// Points along a line but for rounding: the polygon that joins the needles between them has a needle in its midst that
// does not join, or meets itself at a corner. The hulls were open.
BR_TEST(contact_hull_is_closed_around_needles)
{
	const brDVec3 points[2][7] = {
		{{-0.470756, 0.267848, 0.0217069},
		 {0.375, 0.2, 0.0217069},
		 {-0.375, 0.3125, -0.103293},
		 {-0.364581, 0.246588, -0.103293},
		 {-0.375, 0.2475, -0.103293},
		 {-0.38574565578503389, 0.24844059296246768, -0.103293},
		 {-0.047016553043181322, 0.21879082410743669, -0.103293}},
		{{-0.43010370636031336, -0.13156306641239796, 0.0217069},
		 {-0.41658963252041348, 0.022826336370401878, -0.103293},
		 {-0.43209981872323838, -0.15436733692699794, -0.103293},
		 {-0.47865078692499674, 0.25657280138934607, -0.103293},
		 {-0.43881921119888578, -0.23113197530832308, -0.103293},
		 {-0.44407280138934629, -0.29115078692499663, -0.103293}},
	};
	for (int32_t i = 0; i < 2; ++i)
	{
		brMesh* hull = BR_MADE(brMesh, brMakeHull, NULL, points[i], 7 - i, 8e-7);
		brMeshCheck check;
		CHECK_RESULT(brMesh_Check(hull, NULL, NULL, &check, NULL), NULL);
		CHECK_MESSAGE(check.isClosed && check.isOriented && check.isManifold, "hull %d: %s", i, check.verdict);
		brDestroyMesh(hull);
	}
}

// Points of one face, many equally deep: the choice must not follow the order they were found in.
BR_TEST(contact_choice_of_points_ignores_their_order)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 200); ++round)
	{
		enum
		{
			most = 40
		};
		brCandidate first[most], second[most];
		int32_t count = 5 + (int32_t)brRandom_Below(&random, most - 5);
		for (int32_t i = 0; i < count; ++i)
		{
			// On a grid, so that areas tie too.
			brVec3 point = {(float)brRandom_Below(&random, 5), (float)brRandom_Below(&random, 5), 0.0f};
			float depth = -0.25f * (float)brRandom_Below(&random, 2);
			first[i] = (brCandidate){point, brMakeVec3(0.0f, 0.0f, 1.0f), depth, (uint32_t)i};
			second[i] = first[i];
		}
		for (int32_t i = count - 1; i > 0; --i)
		{
			int32_t j = (int32_t)brRandom_Below(&random, (uint32_t)i + 1);
			brCandidate swap = second[i];
			second[i] = second[j], second[j] = swap;
		}
		brTouch touches[2][BR_PAIR_MANIFOLDS];
		memset(touches, 0, sizeof(touches));
		brSelectSizes sizes = {1.0f, 4.0f, 0.5f, false};
		int32_t made = brSelectTouches(first, count, NULL, &sizes, touches[0]);
		CHECK_EQUAL(brSelectTouches(second, count, NULL, &sizes, touches[1]), made);
		for (int32_t k = 0; k < made; ++k)
		{
			CHECK_EQUAL(touches[0][k].count, touches[1][k].count);
			for (int32_t i = 0; i < touches[0][k].count; ++i)
			{
				CHECK_EQUAL(touches[0][k].ids[i], touches[1][k].ids[i]);
			}
		}
	}
}

BR_TEST(contact_shapes_know_their_mass)
{
	// A box as a hull of its corners, moved and turned, against the closed form.
	brTransform pose = {{1.0, -2.0, 3.0}, brMakeQuatAxisAngle(brDNormalize(brMakeDVec3(1.0, 2.0, 3.0)), 0.7)};
	brDVec3 points[8];
	for (int32_t i = 0; i < 8; ++i)
	{
		points[i] = brTransform_Point(pose, brMakeDVec3(i & 1 ? 0.3 : -0.3, i & 2 ? 0.2 : -0.2, i & 4 ? 0.1 : -0.1));
	}
	brShapeDef def = brDefaultShapeDef(br_shapeHull);
	def.points = points;
	def.pointCount = 8;
	brShape *hull = NULL, *box = brScene_Box(0.6, 0.4, 0.2);
	CHECK_RESULT(brCreateShape(NULL, &def, &hull, NULL), NULL);
	brMassProperties a = brShape_ComputeMass(hull, 1000.0), b = brShape_ComputeMass(box, 1000.0);
	CHECK_NEAR(a.mass, 48.0, 1e-9);
	CHECK_NEAR(b.mass, 48.0, 1e-9);
	CHECK_NEAR(brDDistance(a.center, pose.p), 0.0, 1e-9);
	brDVec3 axis = brQuat_Rotate(pose.q, brMakeDVec3(0.0, 1.0, 0.0));
	CHECK_NEAR(brDDot(axis, brMat3_MulV(&a.inertia, axis)), b.inertia.cy.y, 1e-9);
	CHECK_EQUAL(hull->faceCount, 6);
	CHECK_EQUAL(hull->edgeCount, 12);
	CHECK_NEAR((double)hull->thickness, 0.2, 1e-6);
	brDestroyShape(hull);
	brDestroyShape(box);

	// A capsule between a ball and a long cylinder.
	brShape* capsule = brScene_Capsule(0.1, 1.0);
	brMassProperties c = brShape_ComputeMass(capsule, 1.0);
	CHECK_NEAR(c.volume, BR_PI * 0.01 * 2.0 + 4.0 / 3.0 * BR_PI * 0.001, 1e-12);
	brMesh* ball = brShape_Sphere(5);
	brMesh_Transform(ball, &(brAffine){{{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}}, {0, 0, 0}});
	for (int32_t i = 0; i < ball->vertexCount; ++i)
	{
		ball->positions[i].z +=
			ball->positions[i].z >= 0.0 ? 1.0 : -1.0; // the row at z = 0 goes up: a slight tilt below
	}
	brMassProperties m = brMesh_ComputeMass(ball, 1.0);
	CHECK_NEAR(m.inertia.cx.x / c.inertia.cx.x, 1.0, 0.02);
	CHECK_NEAR(m.inertia.cz.z / c.inertia.cz.z, 1.0, 0.02);
	brDestroyMesh(ball);
	brDestroyShape(capsule);
}

BR_TEST(contact_bad_shapes_are_refused)
{
	brReport report = {0};
	brShape* shape = NULL;
	brShapeDef def = brDefaultShapeDef(br_shapeSphere);
	def.radius = NAN;
	CHECK(brCreateShape(NULL, &def, &shape, &report) == br_errorGeometry && shape == NULL && report.text[0] != 0);
	def = brDefaultShapeDef(br_shapeBox);
	def.halfExtents.y = -1.0;
	CHECK(brCreateShape(NULL, &def, &shape, &report) == br_errorGeometry);
	def = brDefaultShapeDef(br_shapeHalfSpace);
	def.normal = brMakeDVec3(0.0, 0.0, 0.0);
	CHECK(brCreateShape(NULL, &def, &shape, &report) == br_errorGeometry);
	brDVec3 flat[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 0}};
	def = brDefaultShapeDef(br_shapeHull);
	def.points = flat;
	def.pointCount = 5;
	CHECK(brCreateShape(NULL, &def, &shape, &report) == br_errorGeometry);
	flat[2].x = INFINITY;
	CHECK(brCreateShape(NULL, &def, &shape, &report) == br_errorGeometry);
	brMesh* ball = brShape_Sphere(4);
	def.points = ball->positions;
	def.pointCount = ball->vertexCount;
	CHECK(brCreateShape(NULL, &def, &shape, &report) == br_errorLimit);
	brDestroyMesh(ball);
	def.stamp = 0;
	CHECK(brCreateShape(NULL, &def, &shape, &report) == br_errorMisuse);
	CHECK(shape == NULL);
}

// How far a place is from a box about the origin.
static double contactBoxDistance(brDVec3 p, double half)
{
	brDVec3 over = {fmax(fabs(p.x) - half, 0.0), fmax(fabs(p.y) - half, 0.0), fmax(fabs(p.z) - half, 0.0)};
	return brDLength(over);
}

// Where the deepest place of a capsule was beside the face it lay over, no point was found, and it went on into the box.
BR_TEST(contact_capsules_on_boxes_have_the_depth_of_their_nearest_place)
{
	brRandom random = brTest_Random(test);
	const double radius = 0.012, half = 0.018, side = 0.015;
	brShapeDef capsuleDef = brDefaultShapeDef(br_shapeCapsule), boxDef = brDefaultShapeDef(br_shapeBox);
	capsuleDef.radius = radius, capsuleDef.halfLength = half;
	boxDef.halfExtents = brMakeDVec3(side, side, side);
	brShape *capsule = NULL, *box = NULL;
	CHECK_RESULT(brCreateShape(NULL, &capsuleDef, &capsule, NULL), NULL);
	CHECK_RESULT(brCreateShape(NULL, &boxDef, &box, NULL), NULL);
	for (int32_t round = 0; round < brTest_Rounds(test, 100000); ++round)
	{
		brQuat q = brQuat_Normalize((brQuat){brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1),
											 brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1)});
		brDVec3 p = {brRandom_Range(&random, -0.05, 0.05), brRandom_Range(&random, -0.05, 0.05),
					 brRandom_Range(&random, -0.05, 0.05)};
		double nearest = INFINITY;
		for (int32_t i = -40; i <= 40; ++i)
		{
			brDVec3 place = brMakeDVec3(0.0, 0.0, half * i / 40.0);
			nearest = fmin(nearest, contactBoxDistance(brQuat_InvRotate(q, brDSub(place, p)), side));
		}
		brMat3 axes = brMakeMat3FromQuat(q);
		brRelativePose pose = {brToVec3(axes.cx), brToVec3(axes.cy), brToVec3(axes.cz), brToVec3(p)};
		brTouch touches[BR_PAIR_MANIFOLDS];
		brPairMemory memory = {0};
		int32_t count = brCollideShapes(capsule, box, &pose, 0.0f, &memory, NULL, touches);
		if (nearest > 1e-4 && nearest < radius - 5e-4)
		{
			double deepest = INFINITY;
			for (int32_t i = 0; i < (count > 0 ? touches[0].count : 0); ++i)
			{
				deepest = fmin(deepest, (double)touches[0].separations[i]);
			}
			// A place between two that were asked may be nearer.
			CHECK_MESSAGE(deepest <= nearest - radius + 3e-4, "round %d: %g where %g is true", round, deepest,
						  nearest - radius);
		}
	}
	brDestroyShape(capsule);
	brDestroyShape(box);
}
