// SPDX-License-Identifier: MIT

// The distance of a point from a box or hull. Compiles as OpenCL C too.

#include "contact/collide_mesh.h"

// The point of a polygon nearest to p, which lies in front of the polygon's plane. Over the inside of a face of a
// convex body it is that of the body.
static brVec3 polytopeNearestOnFace(const BR_FAR brShape* shape, int32_t face, brVec3 p, bool* outIsOver)
{
	const BR_FAR brVec3* vertices = brShape_Vertices(shape);
	const BR_FAR int32_t* corners = brShape_Corners(shape) + brShape_FaceStarts(shape)[face];
	int32_t size = brShape_FaceStarts(shape)[face + 1] - brShape_FaceStarts(shape)[face];
	brVec4 plane = brShape_Planes(shape)[face];
	brVec3 n = {plane.x, plane.y, plane.z};
	brVec3 flat = brMulAdd(p, plane.w - brDot(n, p), n), best = flat;
	float bestSq = INFINITY;
	bool isInside = true;
	for (int32_t k = 0; k < size; ++k)
	{
		brVec3 a = vertices[corners[k]], edge = brSub(vertices[corners[(k + 1) % size]], a);
		if (brDot(brCross(n, edge), brSub(flat, a)) < 0.0f)
		{
			isInside = false;
			brVec3 q = brMulAdd(a, brClamp01(brDot(brSub(p, a), edge) / brDot(edge, edge)), edge);
			brVec3 d = brSub(p, q);
			if (brDot(d, d) < bestSq)
			{
				bestSq = brDot(d, d), best = q;
			}
		}
	}
	*outIsOver = isInside;
	return isInside ? flat : best;
}

// How far, as a part of the radius, another place of a polytope may be nearer than the one that is taken for the
// nearest.
#define POLYTOPE_NEAR 1e-6f

// Whether no corner is in front of the plane through a place that looks at p: then none of the polytope is nearer to p
// than that place.
static bool polytopeIsNearest(const BR_FAR brShape* shape, brVec3 p, brVec3 place)
{
	const BR_FAR brVec3* vertices = brShape_Vertices(shape);
	brVec3 way = brSub(p, place);
	float limit = brDot(way, place) + POLYTOPE_NEAR * shape->radius * brLength(way), most = -INFINITY;
	for (int32_t i = 0; i < shape->vertexCount; ++i)
	{
		float along = brDot(way, vertices[i]);
		most = along > most ? along : most;
	}
	return most <= limit;
}

BR_ALONE float brPolytope_Field(const BR_FAR brShape* shape, brVec3 center, float reach, brVec3* outDirection,
								bool* isFace)
{
	const BR_FAR brVec4* planes = brShape_Planes(shape);
	float inner = -INFINITY, bestSq = INFINITY, heights[BR_HULL_MAX_FACES];
	int32_t innerFace = 0;
	brVec3 nearest = center;
	for (int32_t f = 0; f < shape->faceCount; ++f)
	{
		float s = planes[f].x * center.x + planes[f].y * center.y + planes[f].z * center.z - planes[f].w;
		heights[f] = s;
		if (s > inner)
		{
			inner = s, innerFace = f;
		}
	}
	float least = inner - BR_PLACE_ROUNDING * shape->radius;
	if (least > reach)
	{
		return least;
	}
	// Outside, the face whose plane is farthest is most often the nearest; of the others only those whose planes are
	// nearer than it.
	bool isDone = false, isOver;
	for (int32_t k = -1; k < shape->faceCount && inner > 0.0f && !isDone; ++k)
	{
		int32_t f = k < 0 ? innerFace : k;
		float s = heights[f];
		if (s > 0.0f && s * s < bestSq && k != innerFace)
		{
			brVec3 q = polytopeNearestOnFace(shape, f, center, &isOver), d = brSub(center, q);
			if (brDot(d, d) < bestSq)
			{
				bestSq = brDot(d, d), nearest = q;
			}
			isDone = isOver || (k < 0 && polytopeIsNearest(shape, center, nearest));
		}
	}
	// Very near the surface the difference of two points has no direction left; the face has.
	*isFace = inner <= 1e-5f * shape->radius;
	if (*isFace)
	{
		*outDirection = brMakeVec3(planes[innerFace].x, planes[innerFace].y, planes[innerFace].z);
		return inner;
	}
	float distance = sqrtf(bestSq);
	*outDirection = brMul(1.0f / distance, brSub(center, nearest));
	brVec4 plane = planes[innerFace];
	*isFace = brDot(*outDirection, brMakeVec3(plane.x, plane.y, plane.z)) > 1.0f - 1e-5f;
	return distance;
}
