// SPDX-License-Identifier: MIT

// A world as lines, through a callback: what collides, where it touches, what holds it.

#include "base/assert.h"
#include "brittle/query.h"
#include "contact/solid.h"
#include "world/world_state.h"

#define DRAW_CIRCLE 24  // lines of a circle
#define DRAW_PLANE 10.0 // half the width of a half-space's cross [m]
#define DRAW_BOUNDS 0xD0D0D0u
#define DRAW_CONTACT 0xFF3030u
#define DRAW_JOINT 0xFFD700u

typedef struct DrawPen
{
	const brDebugDraw* draw;
	brTransform pose; // of the axes in which places are given
	uint32_t color;
} DrawPen;

brDebugDraw brDefaultDebugDraw(void)
{
	return (brDebugDraw){
		.shapes = true, .contacts = true, .joints = true, .size = 0.02, .stamp = BR_STAMP(brDebugDraw)};
}

static void drawLine(const DrawPen* pen, brDVec3 a, brDVec3 b)
{
	pen->draw->line(brTransform_Point(pen->pose, a), brTransform_Point(pen->pose, b), pen->color, pen->draw->user);
}

// Part of a circle about a center, from one axis towards the other.
static void drawArc(const DrawPen* pen, brDVec3 center, brDVec3 u, brDVec3 v, double turns)
{
	int32_t count = (int32_t)(DRAW_CIRCLE * turns);
	brDVec3 last = brDAdd(center, u);
	for (int32_t i = 1; i <= count; ++i)
	{
		double angle = 2.0 * BR_PI * turns * i / count;
		brDVec3 next = brDMulAdd(brDMulAdd(center, brCos(angle), u), brSin(angle), v);
		drawLine(pen, last, next);
		last = next;
	}
}

// Spheres, which are capsules without a length.
static void drawRound(const DrawPen* pen, double radius, double half)
{
	brDVec3 x = {radius, 0.0, 0.0}, y = {0.0, radius, 0.0};
	for (int32_t end = -1; end <= 1; end += 2)
	{
		brDVec3 center = {0.0, 0.0, end * half}, z = {0.0, 0.0, end * radius};
		drawArc(pen, center, x, y, 1.0);
		drawArc(pen, center, x, z, 0.5);
		drawArc(pen, center, y, z, 0.5);
	}
	for (int32_t k = 0; k < 4 && half > 0.0; ++k)
	{
		double sign = k < 2 ? 1.0 : -1.0;
		brDVec3 side = brDMul(sign, k % 2 == 0 ? x : y), up = {0.0, 0.0, half};
		drawLine(pen, brDSub(side, up), brDAdd(side, up));
	}
}

static void drawEdges(const DrawPen* pen, const brShape* shape)
{
	const brVec3* vertices = brShape_Vertices(shape);
	for (int32_t i = 0; i < shape->edgeCount; ++i)
	{
		const int32_t* edge = brShape_Edges(shape)[i];
		drawLine(pen, brToDVec3(vertices[edge[0]]), brToDVec3(vertices[edge[1]]));
	}
}

// Each side of a triangle once, by the one with the lower number.
static void drawTriangles(const DrawPen* pen, const brShape* shape)
{
	brSolid solid = brMakeSolid(shape);
	for (int32_t i = 0; i < solid.triangleCount; ++i)
	{
		const brTriangleGroup* group = &solid.groups[i / BR_TRIANGLE_LANES];
		int32_t lane = i % BR_TRIANGLE_LANES;
		if (!(fabsf(group->corner[0][lane]) < BR_TREE_NOWHERE))
		{
			continue;
		}
		brDVec3 a = {(double)group->corner[0][lane], (double)group->corner[1][lane], (double)group->corner[2][lane]};
		brDVec3 along = {(double)group->along[0][lane], (double)group->along[1][lane], (double)group->along[2][lane]};
		brDVec3 up = {(double)group->up[0][lane], (double)group->up[1][lane], (double)group->up[2][lane]};
		brDVec3 b = brDMulAdd(a, (double)group->length[lane], along);
		brDVec3 c = brDMulAdd(brDMulAdd(a, (double)group->cx[lane], along), (double)group->cy[lane], up);
		brDVec3 corners[3] = {a, b, c};
		for (int32_t k = 0; k < 3; ++k)
		{
			if (solid.links[i].across[k] < i)
			{
				drawLine(pen, corners[k], corners[(k + 1) % 3]);
			}
		}
	}
}

static void drawHalfSpace(const DrawPen* pen)
{
	brDVec3 zero = {0.0, 0.0, 0.0}, x = {DRAW_PLANE, 0.0, 0.0}, y = {0.0, DRAW_PLANE, 0.0};
	drawLine(pen, brDSub(zero, x), x);
	drawLine(pen, brDSub(zero, y), y);
	drawLine(pen, zero, brMakeDVec3(0.0, 0.0, 1.0));
}

static uint32_t drawColor(const brBody* body)
{
	if (body->isSensor)
	{
		return 0xB060FFu;
	}
	if (body->kind != br_bodyDynamic)
	{
		return body->kind == br_bodyStatic ? 0x808080u : 0x4090FFu;
	}
	return body->isAwake ? 0xFF9030u : 0x50B060u;
}

static void drawShape(const brDynamics* dynamics, const brBody* body, const brDebugDraw* draw)
{
	const brShape* shape = dynamics->shapes.data[body->shape].shape;
	DrawPen pen = {draw, {body->position, body->rotation}, drawColor(body)};
	switch ((brShapeKind)shape->kind)
	{
		case br_shapeHalfSpace:
			drawHalfSpace(&pen);
			break;
		case br_shapeSphere:
		case br_shapeCapsule:
			drawRound(&pen, (double)shape->round, (double)shape->halfLength);
			break;
		case br_shapeBox:
		case br_shapeHull:
			drawEdges(&pen, shape);
			break;
		case br_shapeMesh:
		case br_shapeSurface:
			drawTriangles(&pen, shape);
			break;
	}
}

static void drawBounds(const brWorld* world, int32_t index, const brDebugDraw* draw)
{
	brDBox3 box = brWorld_GetBounds(world, brDynamics_BodyId(&world->dynamics, index));
	DrawPen pen = {draw, brMakeTransformIdentity(), DRAW_BOUNDS};
	if (!(box.lower.x <= box.upper.x))
	{
		return;
	}
	for (int32_t k = 0; k < 12; ++k)
	{
		// Along axis k / 4, at one of four corners of the other two.
		int32_t axis = k / 4, bits = k % 4, low = bits & 1, high = bits >> 1;
		int32_t side[3] = {axis == 0 ? 0 : low, axis == 1 ? 0 : axis == 0 ? low : high, axis == 2 ? 0 : high};
		brDVec3 a = {side[0] ? box.upper.x : box.lower.x, side[1] ? box.upper.y : box.lower.y,
					 side[2] ? box.upper.z : box.lower.z};
		brDVec3 b = {axis == 0 ? box.upper.x : a.x, axis == 1 ? box.upper.y : a.y, axis == 2 ? box.upper.z : a.z};
		drawLine(&pen, a, b);
	}
}

static void drawContacts(const brDynamics* dynamics, const brDebugDraw* draw)
{
	DrawPen pen = {draw, brMakeTransformIdentity(), DRAW_CONTACT};
	brDVec3 arms[3] = {{draw->size, 0.0, 0.0}, {0.0, draw->size, 0.0}, {0.0, 0.0, draw->size}};
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = brDynamics_PairContact(dynamics, i);
		const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
		for (int32_t m = 0; m < contact->manifoldCount; ++m)
		{
			const brManifold* manifold = brContact_Manifold(dynamics, contact, m);
			brDVec3 normal = brQuat_Rotate(a->rotation, brToDVec3(manifold->normal));
			for (int32_t k = 0; k < manifold->pointCount; ++k)
			{
				brDVec3 onA = brQuat_Rotate(a->rotation, brToDVec3(manifold->points[k].anchorA));
				brDVec3 onB = brQuat_Rotate(b->rotation, brToDVec3(manifold->points[k].anchorB));
				brDVec3 p = brDLerp(brDAdd(a->position, onA), brDAdd(b->position, onB), 0.5);
				for (int32_t n = 0; n < 3; ++n)
				{
					drawLine(&pen, brDSub(p, arms[n]), brDAdd(p, arms[n]));
				}
				drawLine(&pen, p, brDMulAdd(p, 2.0 * draw->size, normal));
			}
		}
	}
}

static void drawJoints(const brDynamics* dynamics, const brDebugDraw* draw)
{
	DrawPen pen = {draw, brMakeTransformIdentity(), DRAW_JOINT};
	for (int32_t i = 0; i < dynamics->joints.count; ++i)
	{
		const brJoint* joint = &dynamics->joints.data[i];
		if (joint->kind >= 0)
		{
			const brBody *a = &dynamics->bodies.data[joint->bodyA], *b = &dynamics->bodies.data[joint->bodyB];
			drawLine(&pen, a->position, brDAdd(a->position, brQuat_Rotate(a->rotation, joint->anchorA)));
			drawLine(&pen, b->position, brDAdd(b->position, brQuat_Rotate(b->rotation, joint->anchorB)));
		}
	}
}

void brWorld_DebugDraw(const brWorld* world, const brDebugDraw* draw)
{
	if (world == NULL || draw == NULL || draw->line == NULL || draw->stamp != BR_STAMP(*draw))
	{
		return;
	}
	const brDynamics* dynamics = &world->dynamics;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		const brBody* body = &dynamics->bodies.data[i];
		if (brBody_IsThere(body) && draw->shapes)
		{
			drawShape(dynamics, body, draw);
		}
		if (brBody_IsThere(body) && draw->bounds)
		{
			drawBounds(world, i, draw);
		}
	}
	if (draw->contacts)
	{
		drawContacts(dynamics, draw);
	}
	if (draw->joints)
	{
		drawJoints(dynamics, draw);
	}
}
