// SPDX-License-Identifier: MIT

// Closed forms: half-spaces, spheres and capsules against everything.

#include "contact/manifold.h"

#include "contact/collide_mesh.h"
#include "contact/mesh_pair.h"
#include "contact/solid.h"

#include <string.h>

// Points ahead by so many times the bias count half.
#define COLLIDE_AHEAD 10.0f
#define COLLIDE_SLOPES 3.0f // of what touches next on a plane, in those of what touches first
#define COLLIDE_SLOPE 0.02f // and this
#define COLLIDE_LOW 0.5f    // parts of the thickness over the lowest, that corners of a hull may touch from
#define COLLIDE_REACH 0.25f // or by this part of the margin: what the step may reach

static void collideAddPoint(brTouch* touch, brVec3 point, float separation, uint32_t id)
{
	touch->points[touch->count] = point;
	touch->separations[touch->count] = separation;
	touch->ids[touch->count] = id;
	touch->count += 1;
}

// Was the point chosen in the last step?
static bool collideIsKept(const brKeptTouch* kept, uint32_t id)
{
	bool isKept = false;
	for (int32_t k = 0; kept != NULL && k < kept->count; ++k)
	{
		isKept = isKept || kept->ids[k] == id;
	}
	return isKept;
}

// How much each point counts: those of before a little more, and points ahead of those that touch the less the farther
// they are: a needle that lies on three must not lose one of them to a corner high above the ground. Returns the
// deepest.
static int32_t reduceWeigh(const brTouchPoint* points, int32_t count, const brKeptTouch* kept, float bias, float margin,
						   float* weights)
{
	int32_t deepest = 0;
	float lowest = INFINITY;
	for (int32_t i = 0; i < count; ++i)
	{
		bool isKept = collideIsKept(kept, points[i].id);
		weights[i] = isKept ? 7.0f / 6.0f : 1.0f;
		float depth = points[i].separation - (isKept ? bias : 0.0f);
		if (depth < lowest)
		{
			lowest = depth, deepest = i;
		}
	}
	for (int32_t i = 0; i < count; ++i)
	{
		float ahead = points[i].separation - fmaxf(lowest, 0.0f);
		weights[i] /= 1.0f + fmaxf(ahead, 0.0f) / fmaxf(COLLIDE_AHEAD * bias, COLLIDE_REACH * margin);
	}
	return deepest;
}

static int32_t reduceFurthest(const brTouchPoint* points, int32_t count, const float* weights, brVec3 from)
{
	int32_t furthest = 0;
	float best = -1.0f;
	for (int32_t i = 0; i < count; ++i)
	{
		brVec3 d = brMul(weights[i], brSub(points[i].point, from));
		float distance = brDot(d, d);
		if (distance > best)
		{
			best = distance, furthest = i;
		}
	}
	return furthest;
}

// 1: furthest from the mean; 2: furthest from 1; 3: furthest from their line; 4: furthest on the other side of it, or
// -1.
static void reduceChoose(const brTouchPoint* points, int32_t count, const float* weights, brVec3 normal,
						 int32_t chosen[4])
{
	brVec3 mean = {0.0f, 0.0f, 0.0f};
	for (int32_t i = 0; i < count; ++i)
	{
		mean = brMulAdd(mean, 1.0f / (float)count, points[i].point);
	}
	chosen[0] = reduceFurthest(points, count, weights, mean);
	chosen[1] = reduceFurthest(points, count, weights, points[chosen[0]].point);
	brVec3 across = brCross(normal, brSub(points[chosen[1]].point, points[chosen[0]].point));
	float most = 0.0f, least = 0.0f;
	chosen[2] = -1, chosen[3] = -1;
	for (int32_t i = 0; i < count; ++i)
	{
		float side = weights[i] * brDot(across, brSub(points[i].point, points[chosen[0]].point));
		if (side > most)
		{
			most = side, chosen[2] = i;
		}
		if (side < least)
		{
			least = side, chosen[3] = i;
		}
	}
}

// Brings the four that matter most to the front. The deepest takes the place of the nearest, if it was left out.
static int32_t reducePoints(brTouchPoint* points, int32_t count, brVec3 normal, const brKeptTouch* kept, float bias,
							float margin)
{
	float weights[BR_MAX_TOUCH_POINTS];
	int32_t chosen[4], deepest = reduceWeigh(points, count, kept, bias, margin, weights);
	reduceChoose(points, count, weights, normal, chosen);
	bool hasDeepest = false;
	int32_t nearest = -1, pickedCount = 0;
	float best = INFINITY;
	brTouchPoint picked[4];
	for (int32_t k = 0; k < 4; ++k)
	{
		bool isDouble = chosen[k] < 0 || (k > 1 && (chosen[k] == chosen[0] || chosen[k] == chosen[1]));
		if (isDouble)
		{
			continue;
		}
		hasDeepest = hasDeepest || chosen[k] == deepest;
		brVec3 d = brSub(points[chosen[k]].point, points[deepest].point);
		if (brDot(d, d) < best)
		{
			best = brDot(d, d), nearest = pickedCount;
		}
		picked[pickedCount++] = points[chosen[k]];
	}
	if (!hasDeepest)
	{
		nearest = pickedCount < 4 ? pickedCount++ : nearest;
		picked[nearest] = points[deepest];
	}
	for (int32_t k = 0; k < pickedCount; ++k)
	{
		points[k] = picked[k];
	}
	return pickedCount;
}

void brReduceTouch(brTouchPoint* points, int32_t count, brVec3 normal, const brKeptTouch* kept, float bias,
				   float margin, brTouch* outTouch)
{
	outTouch->count = 0;
	outTouch->normal = normal;
	count = count > BR_MANIFOLD_POINTS ? reducePoints(points, count, normal, kept, bias, margin) : count;
	for (int32_t i = 0; i < count; ++i)
	{
		collideAddPoint(outTouch, points[i].point, points[i].separation, points[i].id);
	}
}

// Of a body that rocks on a rounded side those points matter that touch next, whichever way it tips: those at the least
// slope from the lowest. High ones farther off would take their places among the four.
static int32_t collideNext(brTouchPoint* points, int32_t count)
{
	if (count <= BR_MANIFOLD_POINTS)
	{
		return count;
	}
	int32_t deepest = 0, kept = 0;
	for (int32_t i = 1; i < count; ++i)
	{
		deepest = points[i].separation < points[deepest].separation ? i : deepest;
	}
	brTouchPoint low = points[deepest];
	float least = INFINITY, slopes[BR_HULL_MAX_VERTICES];
	for (int32_t i = 0; i < count; ++i)
	{
		float x = points[i].point.x - low.point.x, y = points[i].point.y - low.point.y;
		slopes[i] = i == deepest ? 0.0f : (points[i].separation - low.separation) / fmaxf(sqrtf(x * x + y * y), 1e-12f);
		least = i != deepest && slopes[i] < least ? slopes[i] : least;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		points[kept] = points[i];
		kept += slopes[i] <= COLLIDE_SLOPES * least + COLLIDE_SLOPE;
	}
	return kept;
}

// The points of a hull that did not fit, up to a height, into a second manifold. A rounded side rests on more than four
// corners, and would tip from one four to the next and back.
static int32_t collideRest(const brTouchPoint* points, int32_t count, float highest, float margin,
						   const brKeptTouches* kept, brTouch* touches)
{
	brTouchPoint rest[BR_HULL_MAX_VERTICES];
	int32_t restCount = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		bool isTaken = points[i].separation > highest;
		for (int32_t k = 0; k < touches[0].count; ++k)
		{
			isTaken = isTaken || touches[0].ids[k] == points[i].id;
		}
		rest[restCount] = points[i];
		restCount += !isTaken;
	}
	const brKeptTouch* old = kept != NULL && kept->count > 1 ? &kept->touches[1] : NULL;
	brReduceTouch(rest, restCount, touches[0].normal, old, 0.0f, margin, &touches[1]);
	touches[1].apart = -INFINITY;
	return 1 + (restCount > 0);
}

static int32_t collideHalfSpace(const brShape* b, const brRelativePose* pose, float margin, const brKeptTouches* kept,
								brTouch* touches)
{
	brTouch* touch = &touches[0];
	const brKeptTouch* old = kept != NULL && kept->count > 0 ? &kept->touches[0] : NULL;
	int32_t made = 1;
	const brVec3 up = {0.0f, 0.0f, 1.0f};
	touch->normal = up;
	float lowest = INFINITY;
	if (brShape_IsPolytope(b))
	{
		brTouchPoint points[BR_HULL_MAX_VERTICES];
		int32_t count = 0;
		const brVec3* vertices = brShape_Vertices(b);
		for (int32_t i = 0; i < b->vertexCount; ++i)
		{
			brVec3 p = brRelativePose_Point(pose, vertices[i]);
			lowest = p.z < lowest ? p.z : lowest;
			if (p.z < margin)
			{
				points[count++] = (brTouchPoint){{p.x, p.y, 0.5f * p.z}, p.z, (uint32_t)i};
			}
		}
		brTouchPoint all[BR_HULL_MAX_VERTICES];
		memcpy(all, points, sizeof(brTouchPoint) * (size_t)count);
		float bias = BR_TOUCH_BIAS * b->thickness;
		int32_t next = collideNext(points, count);
		brReduceTouch(points, next, up, old, bias, margin, touch);
		if (count > touch->count && b->kind == br_shapeHull)
		{
			made = collideRest(all, count, lowest + COLLIDE_LOW * b->thickness, margin, kept, touches);
		}
	}
	else
	{
		for (uint32_t end = 0; end < (b->kind == br_shapeCapsule ? 2u : 1u); ++end)
		{
			brVec3 p = brMulAdd(pose->p, end == 0 ? b->halfLength : -b->halfLength, pose->z);
			float separation = p.z - b->round;
			lowest = separation < lowest ? separation : lowest;
			if (separation < margin)
			{
				collideAddPoint(touch, brMakeVec3(p.x, p.y, 0.5f * separation), separation, end);
			}
		}
	}
	touch->apart = lowest;
	return touch->count > 0 ? made : 0;
}

float brShape_Lowest(const brShape* shape, brVec3 direction)
{
	if (brShapeKind_IsConcave(shape->kind))
	{
		brSolid solid = brMakeSolid(shape);
		return brDot(direction, solid.points[brSolid_Extreme(&solid, brMul(-1.0f, direction))].place);
	}
	float lowest = -shape->round * brLength(direction) - shape->halfLength * fabsf(direction.z);
	const brVec3* vertices = brShape_Vertices(shape);
	for (int32_t i = 0; i < shape->vertexCount; ++i)
	{
		float along = brDot(direction, vertices[i]);
		lowest = i == 0 || along < lowest ? along : lowest;
	}
	return lowest;
}

static float collideClamp(float x, float lower, float upper)
{
	return x < lower ? lower : (x > upper ? upper : x);
}

// Two points with radii.
static void collideBalls(brVec3 a, float radiusA, brVec3 b, float radiusB, float margin, uint32_t id, brTouch* touch)
{
	brVec3 d = brSub(b, a);
	float distance = brLength(d);
	touch->normal = distance > 1e-12f ? brMul(1.0f / distance, d) : brMakeVec3(0.0f, 0.0f, 1.0f);
	float separation = distance - radiusA - radiusB;
	touch->apart = separation;
	if (separation < margin)
	{
		collideAddPoint(touch, brMulAdd(a, radiusA + 0.5f * separation, touch->normal), separation, id);
	}
}

// Nearest points of segments p + s d and q + t e, s and t in [-1, 1]. Returns the squared distance.
static float collideSegments(brVec3 p, brVec3 d, brVec3 q, brVec3 e, float* outS, float* outT)
{
	brVec3 r = brSub(p, q);
	float dd = brDot(d, d), ee = brDot(e, e), de = brDot(d, e), dr = brDot(d, r), er = brDot(e, r);
	float denominator = dd * ee - de * de;
	float s = denominator > 1e-6f * dd * ee ? collideClamp((de * er - ee * dr) / denominator, -1.0f, 1.0f) : 0.0f;
	float t = ee > 0.0f ? collideClamp((de * s + er) / ee, -1.0f, 1.0f) : 0.0f;
	s = dd > 0.0f ? collideClamp((de * t - dr) / dd, -1.0f, 1.0f) : 0.0f;
	*outS = s, *outT = t;
	brVec3 between = brSub(brMulAdd(p, s, d), brMulAdd(q, t, e));
	return brDot(between, between);
}

static void collideCapsules(const brShape* a, const brShape* b, const brRelativePose* pose, float margin,
							brTouch* touch)
{
	brVec3 d = {0.0f, 0.0f, a->halfLength}, e = brMul(b->halfLength, pose->z);
	brVec3 origin = {0.0f, 0.0f, 0.0f};
	float s, t;
	collideSegments(origin, d, pose->p, e, &s, &t);
	brVec3 onA = brMul(s, d), onB = brMulAdd(pose->p, t, e);
	collideBalls(onA, a->round, onB, b->round, margin, 0, touch);

	// Parallel capsules touch along a line: the two ends of the common part keep them from rocking.
	float cosine = fabsf(pose->z.z);
	if (touch->count == 1 && cosine > 0.999f && a->halfLength > 0.0f && b->halfLength > 0.0f)
	{
		float lower = fmaxf(-a->halfLength, pose->p.z - cosine * b->halfLength);
		float upper = fminf(a->halfLength, pose->p.z + cosine * b->halfLength);
		if (upper - lower > 0.1f * fminf(a->halfLength, b->halfLength))
		{
			brVec3 normal = touch->normal;
			touch->count = 0;
			for (uint32_t end = 0; end < 2; ++end)
			{
				brVec3 p = {0.0f, 0.0f, end == 0 ? lower : upper};
				brVec3 onLine = brMulAdd(pose->p, (p.z - pose->p.z) / pose->z.z, pose->z);
				float separation = brDot(normal, brSub(onLine, p)) - a->round - b->round;
				if (separation < margin)
				{
					collideAddPoint(touch, brMulAdd(p, a->round + 0.5f * separation, normal), separation, 1 + end);
				}
			}
		}
	}
}

static float collideBallPolytope(const brShape* shape, brVec3 center, brVec3* outDirection)
{
	bool isFace;
	return brPolytope_Field(shape, center, INFINITY, outDirection, &isFace);
}

static void collideSpherePolytope(const brShape* a, const brShape* b, const brRelativePose* pose, float margin,
								  brTouch* touch)
{
	brVec3 center = brRelativePose_InvRotate(pose, brMul(-1.0f, pose->p)), out;
	float separation = collideBallPolytope(b, center, &out) - a->round;
	touch->normal = brMul(-1.0f, brRelativePose_Rotate(pose, out));
	touch->apart = separation;
	if (separation < margin)
	{
		collideAddPoint(touch, brMul(a->round + 0.5f * separation, touch->normal), separation, 0);
	}
}

// How far a segment lies beyond a polytope along a direction: positive proves that they are apart.
static float collideAlong(const brShape* shape, const brVec3 ends[2], brVec3 direction)
{
	const brVec3* vertices = brShape_Vertices(shape);
	float support = -INFINITY;
	for (int32_t i = 0; i < shape->vertexCount; ++i)
	{
		support = fmaxf(support, brDot(direction, vertices[i]));
	}
	return fminf(brDot(direction, ends[0]), brDot(direction, ends[1])) - support;
}
// A capsule in the axes of a polytope: its segment, and where it lies to the polytope.
typedef struct CapsuleWay
{
	brVec3 middle, half;
	brVec3 ends[2];
	int32_t face;   // whose plane keeps it farthest away
	brVec3 out;     // the direction that keeps it farthest away
	brVec3 on;      // the point of the segment nearest along it
	float distance; // of the segment
	bool isEdge;    // `out` is no normal of a face
} CapsuleWay;

static CapsuleWay collideCapsuleWay(const brShape* a, const brShape* b, const brRelativePose* pose)
{
	const brVec3* vertices = brShape_Vertices(b);
	const brVec4* planes = brShape_Planes(b);
	const int32_t(*edges)[4] = brShape_Edges(b);
	CapsuleWay way = {.distance = -INFINITY};
	way.middle = brRelativePose_InvRotate(pose, brMul(-1.0f, pose->p));
	way.half = brMul(a->halfLength, brRelativePose_InvRotate(pose, brMakeVec3(0.0f, 0.0f, 1.0f)));
	way.ends[0] = brSub(way.middle, way.half), way.ends[1] = brAdd(way.middle, way.half);
	for (int32_t f = 0; f < b->faceCount; ++f)
	{
		brVec3 n = {planes[f].x, planes[f].y, planes[f].z};
		float s = fminf(brDot(n, way.ends[0]), brDot(n, way.ends[1])) - planes[f].w;
		if (s > way.distance)
		{
			way.distance = s, way.face = f;
		}
	}
	way.out = brMakeVec3(planes[way.face].x, planes[way.face].y, planes[way.face].z);
	way.on = brDot(way.out, way.half) > 0.0f ? way.ends[0] : way.ends[1];
	const float shallow = 1e-5f * b->radius;
	for (int32_t i = 0; i < b->edgeCount + 2; ++i)
	{
		brVec3 d, at;
		if (i < b->edgeCount)
		{
			brVec3 p = brMul(0.5f, brAdd(vertices[edges[i][0]], vertices[edges[i][1]]));
			brVec3 e = brMul(0.5f, brSub(vertices[edges[i][1]], vertices[edges[i][0]]));
			float s, t;
			collideSegments(way.middle, way.half, p, e, &s, &t);
			at = brMulAdd(way.middle, s, way.half);
			d = brSub(at, brMulAdd(p, t, e));
		}
		else
		{
			at = way.ends[i - b->edgeCount];
			float s = collideBallPolytope(b, at, &d);
			d = brMul(s > shallow ? s : 0.0f, d);
		}
		float length = brLength(d);
		if (!(length > shallow))
		{
			continue;
		}
		d = brMul(1.0f / length, d);
		float s = collideAlong(b, way.ends, d);
		if (s > way.distance + shallow)
		{
			way.isEdge = true;
			way.distance = s, way.out = d, way.on = at;
		}
	}
	return way;
}

// The part of the segment in the prism over a face, from -1 to 1; empty if the upper end is not above the lower.
static void collideClipCapsule(const brShape* b, const CapsuleWay* way, brVec3 n, float* outLower, float* outUpper)
{
	const brVec3* vertices = brShape_Vertices(b);
	int32_t begin = brShape_FaceStarts(b)[way->face], size = brShape_FaceStarts(b)[way->face + 1] - begin;
	const int32_t* corners = brShape_Corners(b) + begin;
	float lower = -1.0f, upper = 1.0f;
	for (int32_t k = 0; k < size; ++k)
	{
		brVec3 v = vertices[corners[k]];
		brVec3 inward = brCross(n, brSub(vertices[corners[(k + 1) % size]], v));
		float at = brDot(inward, brSub(way->middle, v)), slope = brDot(inward, way->half);
		if (slope > 0.0f)
		{
			lower = fmaxf(lower, -at / slope);
		}
		else if (slope < 0.0f)
		{
			upper = fminf(upper, -at / slope);
		}
		else if (at < 0.0f)
		{
			upper = -INFINITY;
		}
	}
	*outLower = lower, *outUpper = upper;
}

// What the points over a face may lack of the depth, as a part of the radius.
#define COLLIDE_BESIDE 0.02f

// A capsule against a polytope, in the polytope's axes. Candidates for the direction: the normals of faces, from each
// edge to the segment, from the surface to each end. The best proof wins; apart, the true direction is among them and
// is the best. If the segment lies along a face, the part of it over the face makes two points.
static void collideCapsulePolytope(const brShape* a, const brShape* b, const brRelativePose* pose, float margin,
								   brTouch* touch)
{
	CapsuleWay way = collideCapsuleWay(a, b, pose);
	float separation = way.distance - a->round;
	touch->apart = separation;
	touch->normal = brMul(-1.0f, brRelativePose_Rotate(pose, way.out));
	if (separation >= margin)
	{
		return;
	}
	// Over a face: both ends of what is over it.
	brVec4 plane = brShape_Planes(b)[way.face];
	brVec3 n = {plane.x, plane.y, plane.z};
	float lower, upper;
	collideClipCapsule(b, &way, n, &lower, &upper);
	bool isAlong = fabsf(brDot(n, way.half)) <= 0.05f * a->halfLength && brDot(n, way.out) > 0.99f;
	brVec3 clipped[2] = {brMulAdd(way.middle, lower, way.half), brMulAdd(way.middle, upper, way.half)};
	float deepest = fminf(brDot(n, clipped[0]), brDot(n, clipped[1])) - plane.w - a->round;
	// What is deepest may lie beside the face: then what is over it says nothing.
	bool isOver = lower < upper && deepest <= separation + COLLIDE_BESIDE * a->round;
	if (!isOver || !(isAlong || !way.isEdge))
	{
		brVec3 between = brMulAdd(way.on, -(a->round + 0.5f * separation), way.out);
		collideAddPoint(touch, brRelativePose_Point(pose, between), separation, 0);
		return;
	}
	touch->normal = brMul(-1.0f, brRelativePose_Rotate(pose, n));
	for (uint32_t end = 0; end < 2; ++end)
	{
		brVec3 p = clipped[end];
		float s = brDot(n, p) - plane.w - a->round;
		if (s < margin)
		{
			brVec3 inA = brRelativePose_Point(pose, brMulAdd(p, -(a->round + 0.5f * s), n));
			collideAddPoint(touch, inA, s, 1 + end);
		}
	}
}

int32_t brCollideShapes(const brShape* a, const brShape* b, const brRelativePose* pose, float margin,
						brPairMemory* memory, const brKeptTouches* kept, brTouch* outTouches)
{
	brTouch* outTouch = &outTouches[0];
	const brKeptTouch* old = kept != NULL && kept->count > 0 ? &kept->touches[0] : NULL;
	outTouch->count = 0;
	outTouch->apart = -INFINITY;
	outTouch->normal = brMakeVec3(0.0f, 0.0f, 1.0f);
	if (brShapeKind_IsConcave(b->kind))
	{
		bool isRound = a->kind == br_shapeSphere || a->kind == br_shapeCapsule;
		brSolidQuery query = {margin, memory->isRolling, memory->isSliding, kept};
		return isRound ? brCollideRound(a, b, pose, margin, kept, outTouches)
					   : brCollideSolid(a, b, pose, &query, outTouches);
	}
	if (a->kind == br_shapeHalfSpace)
	{
		return b->kind != br_shapeHalfSpace ? collideHalfSpace(b, pose, margin, kept, outTouches) : 0;
	}
	if (brShape_IsPolytope(a))
	{
		brCollidePolytopes(a, b, pose, margin, &memory->axis, old, outTouch);
	}
	else if (a->kind == br_shapeCapsule)
	{
		if (b->kind == br_shapeCapsule)
		{
			collideCapsules(a, b, pose, margin, outTouch);
		}
		else
		{
			collideCapsulePolytope(a, b, pose, margin, outTouch);
		}
	}
	else if (b->kind == br_shapeSphere)
	{
		collideBalls(brMakeVec3(0.0f, 0.0f, 0.0f), a->round, pose->p, b->round, margin, 0, outTouch);
	}
	else if (b->kind == br_shapeCapsule)
	{
		float along =
			b->halfLength > 0.0f ? collideClamp(-brDot(pose->z, pose->p), -b->halfLength, b->halfLength) : 0.0f;
		collideBalls(brMakeVec3(0.0f, 0.0f, 0.0f), a->round, brMulAdd(pose->p, along, pose->z), b->round, margin, 0,
					 outTouch);
	}
	else
	{
		collideSpherePolytope(a, b, pose, margin, outTouch);
	}
	return outTouch->count > 0 ? 1 : 0;
}

static int32_t touchRoundness(brShapeKind kind)
{
	return kind == br_shapeSphere ? 2 : kind == br_shapeCapsule;
}

int32_t brTouch_FindCorner(const brShapeKind kinds[2], const brPairMemory* memory, uint32_t id)
{
	int32_t a = touchRoundness(kinds[0]), b = touchRoundness(kinds[1]);
	if (a > 0 || b > 0)
	{
		return a == b ? -1 : b > a;
	}
	if (brShapeKind_IsConcave(kinds[0]) || brShapeKind_IsConcave(kinds[1]))
	{
		return (id & (BR_MESH_EDGE_BIT | BR_MESH_DEEP_BIT)) != 0 ? -1 : (id & BR_MESH_SIDE_BIT) != 0;
	}
	return brPolytope_FindCorner(memory->axis, id);
}
