// SPDX-License-Identifier: MIT

// Whether the convex hulls of two bodies are apart: the cheapest proof that bodies that lie side by side do not touch,
// since it needs no triangle, no edge and no cell. Most pairs whose boxes overlap are settled by it.
//
// The distance is found as by Gilbert, Johnson and Keerthi (1988): the point of a simplex of differences that is
// nearest to the origin gives a direction, the extreme points of both bodies along it the next corner. Every direction
// proves by itself how far they are apart along it, so what is returned is a lower bound whatever rounding did to the
// simplex. The corners of a mesh are among its points, so its hull is that of its points. Extreme points are found by
// looking at all, eight at a time: 0.2 us for a thousand.

#include "contact/mesh_pair.h"

// Directions that are tried. Those that lie apart need three to six.
#define APART_TURNS 12

// A distance is good enough when this part of it is proven.
#define APART_GOOD 0.9f

// The point of the simplex that is nearest to the origin; corners it does not need are dropped.
static brVec3 apartOnSegment(brApartSimplex* simplex, brVec3 a, brVec3 b)
{
	brVec3 ab = brSub(b, a);
	float t = -brDot(a, ab), most = brDot(ab, ab);
	if (t <= 0.0f || t >= most)
	{
		simplex->corners[0] = t <= 0.0f ? a : b, simplex->count = 1;
		return simplex->corners[0];
	}
	simplex->corners[0] = a, simplex->corners[1] = b, simplex->count = 2;
	return brMulAdd(a, t / most, ab);
}

static brVec3 apartOnTriangle(brApartSimplex* simplex, brVec3 a, brVec3 b, brVec3 c)
{
	// The side whose outside sees the origin most nearly; over the inside the plane.
	brVec3 n = brCross(brSub(b, a), brSub(c, a));
	const brVec3 corners[3] = {a, b, c};
	brVec3 best = {0.0f, 0.0f, 0.0f};
	brApartSimplex nearest = {.count = 0};
	for (int k = 0; k < 3; ++k)
	{
		brVec3 p = corners[k], q = corners[(k + 1) % 3];
		if (brDot(brCross(brSub(q, p), n), p) < 0.0f || !(brDot(n, n) > 0.0f))
		{
			brApartSimplex side = {.count = 0};
			brVec3 at = apartOnSegment(&side, p, q);
			if (nearest.count == 0 || brDot(at, at) < brDot(best, best))
			{
				best = at, nearest = side;
			}
		}
	}
	if (nearest.count > 0)
	{
		*simplex = nearest;
		return best;
	}
	simplex->corners[0] = a, simplex->corners[1] = b, simplex->corners[2] = c, simplex->count = 3;
	return brMul(brDot(n, a) / brDot(n, n), n);
}

static brVec3 apartOnSimplex(brApartSimplex* simplex)
{
	const brVec3 *w = simplex->corners, a = w[0], b = w[1], c = w[2], d = w[3];
	if (simplex->count < 4)
	{
		return simplex->count == 1   ? a
			   : simplex->count == 2 ? apartOnSegment(simplex, a, b)
									 : apartOnTriangle(simplex, a, b, c);
	}
	const brVec3 faces[4][4] = {{a, b, c, d}, {a, b, d, c}, {a, c, d, b}, {b, c, d, a}};
	brVec3 best = {0.0f, 0.0f, 0.0f};
	brApartSimplex nearest = {.count = 0};
	for (int k = 0; k < 4; ++k)
	{
		// Only faces between the origin and the fourth corner can hold the nearest point.
		brVec3 n = brCross(brSub(faces[k][1], faces[k][0]), brSub(faces[k][2], faces[k][0]));
		float inner = brDot(n, brSub(faces[k][3], faces[k][0])), origin = -brDot(n, faces[k][0]);
		if (inner * origin <= 0.0f)
		{
			brApartSimplex face = {.count = 0};
			brVec3 at = apartOnTriangle(&face, faces[k][0], faces[k][1], faces[k][2]);
			if (nearest.count == 0 || brDot(at, at) < brDot(best, best))
			{
				best = at, nearest = face;
			}
		}
	}
	if (nearest.count > 0)
	{
		*simplex = nearest;
	}
	return best; // 0 if the origin is inside
}

brVec3 brMeshSide_Extreme(const brMeshSide* side, brVec3 direction)
{
	if (side->isConcave)
	{
		return side->solid.points[brSolid_Extreme(&side->solid, direction)].place;
	}
	const BR_FAR brVec3* vertices = brShape_Vertices(side->shape);
	int32_t best = 0;
	for (int32_t i = 1; i < side->shape->vertexCount; ++i)
	{
		best = brDot(vertices[i], direction) > brDot(vertices[best], direction) ? i : best;
	}
	return vertices[best];
}

void brMeshPair_AddPlanes(brMeshPair* pair, brVec3 normal)
{
	for (int32_t s = 0; s < 2; ++s)
	{
		brMeshSide* side = &pair->sides[s];
		brVec3 n = s == 0 ? normal : brMul(-1.0f, brRelativePose_InvRotate(&side->toA, normal));
		if (side->planeCount < BR_PAIR_MANIFOLDS)
		{
			float most = brDot(n, brMeshSide_Extreme(side, n));
			side->planes[side->planeCount++] =
				(brVec4){n.x, n.y, n.z, most + 2.0f * BR_PLACE_ROUNDING * side->shape->radius};
		}
	}
}

bool brApartSearch_Next(const brApartSearch* search, brVec3* outDirection)
{
	float length = brLength(search->way);
	if (search->isDone || search->turn == APART_TURNS || !(length > search->margin))
	{
		return false; // no farther than the simplex
	}
	*outDirection = brMul(1.0f / length, search->way);
	return true;
}

void brApartSearch_Add(brApartSearch* search, brVec3 direction, brVec3 corner)
{
	float length = brLength(search->way), along = brDot(direction, corner) - search->slack;
	if (along > search->apart)
	{
		search->apart = along, search->normal = direction;
	}
	if ((search->simplex.count > 0 || search->apart > search->enough) && search->apart > APART_GOOD * length)
	{
		search->isDone = true;
		return;
	}
	search->simplex.corners[search->simplex.count++] = corner;
	search->way = apartOnSimplex(&search->simplex);
	search->isDone = search->turn > 0 && !(brLength(search->way) < length); // rounding has the last word
	search->turn += 1;
}

float brMeshPair_HullsApart(const brMeshPair* pair, brVec3* outNormal)
{
	const brMeshSide *a = &pair->sides[0], *b = &pair->sides[1];
	const brRelativePose* pose = &b->toA;
	brApartSearch search = {.way = brSub(brRelativePose_Point(pose, b->shape->boxCenter), a->shape->boxCenter),
							.margin = pair->margin,
							.enough = pair->edgeOut,
							.slack =
								2.0f * BR_PLACE_ROUNDING * (brLength(pose->p) + a->shape->radius + b->shape->radius),
							.apart = -INFINITY};
	for (brVec3 n; brApartSearch_Next(&search, &n);)
	{
		brVec3 atA = brMeshSide_Extreme(a, n);
		brVec3 atB = brRelativePose_Point(pose, brMeshSide_Extreme(b, brMul(-1.0f, brRelativePose_InvRotate(pose, n))));
		brApartSearch_Add(&search, n, brSub(atB, atA));
	}
	*outNormal = search.normal;
	return search.apart;
}
