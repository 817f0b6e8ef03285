// SPDX-License-Identifier: MIT

// Where edges of one solid cross edges of another: no point of either need be near.

#include "contact/mesh_pair.h"

#define MESH_GOLDEN 0.6180340f
#define MESH_EDGE_TURNS 7

// An edge looks between its two faces; by this much more, as a cosine, if it touches, and if it is seen from far.
#define MESH_EDGE_NEAR 0.2f
#define MESH_EDGE_AHEAD 0.01f

// A line that is askew of an edge by more than this, as the square of a sine, crosses it. Facets are flatter than what
// they stand for by less than this part of the thickness.
#define MESH_EDGE_CROSSES 0.01f
#define MESH_EDGE_SAGITTA 0.01f

// What is higher than the lowest place of a wheel by more than this part of the thickness is beside it.
#define MESH_EDGE_BESIDE 0.001f

// What rolls on a face of the edge touches the edge where its lowest line crosses it, and nowhere else: the nearest
// place of a facet is beside that, and goes up or down with it. False if it does not roll on a face of the edge, or is
// past it.
static bool meshRollsOnEdge(const brMeshPair* pair, int32_t s, const brMeshEdge* edge, float* inOutApart,
							brMeshVerdict* outVerdict)
{
	const brMeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	brVec3 e = brSub(edge->b, edge->a);
	for (int32_t k = 0; k < 2; ++k)
	{
		brVec3 n = k == 0 ? edge->left : edge->right, beyond = k == 0 ? edge->right : edge->left;
		brRoundLowest low;
		if (!brMeshPair_Rolls(pair, s, edge->a, n, &low))
		{
			continue;
		}
		brVec3 from = brSub(low.place, edge->a), across = brCross(n, low.axis);
		float height = brDot(n, from), slope = brDot(across, e), rise = brDot(low.axis, n),
			  flat = brDot(across, across);
		if (!low.isLine || slope * slope < MESH_EDGE_CROSSES * brDot(e, e) * flat)
		{
			// A point, or along the edge.
			if (brDot(from, beyond) < 0.0f)
			{
				*inOutApart = fminf(*inOutApart, height);
				return true;
			}
			continue;
		}
		float t = brDot(across, from) / slope;
		brVec3 place = brMulAdd(edge->a, t, e), along = brSub(place, low.place);
		height += brDot(along, brMulAdd(low.axis, -rise, n)) * rise / flat;
		*inOutApart = fminf(*inOutApart, height);
		brMeshAnswer at;
		if (t > 0.0f && t < 1.0f && height < pair->margin &&
			brMeshSide_Field(other, brRelativePose_Point(&side->toOther, place), pair->margin + pair->thickness, &at) &&
			at.distance < fmaxf(height, 0.0f) + MESH_EDGE_SAGITTA * pair->thickness)
		{
			at = (brMeshAnswer){height, brRelativePose_Rotate(&side->toOther, brMul(-1.0f, n)), true};
			*outVerdict = (brMeshVerdict){br_meshTouches, brMeshPair_Candidate(pair, s, place, &at, edge->id)};
		}
		return true;
	}
	return false;
}

// Whether an edge of what rolls, such as the rim of a wheel, is not where it touches. `way` is out of the other.
static bool meshRollsBeside(const brMeshPair* pair, int32_t s, brVec3 place, brVec3 way, float distance)
{
	const brMeshSide* side = &pair->sides[s];
	brRoundLowest low;
	return side->isRound && pair->isSliding && distance > -BR_MESH_FLANK_DEPTH * pair->thickness &&
		   brMeshSide_RoundLowest(side, brMul(-1.0f, way), &low) &&
		   brDot(way, brSub(place, low.place)) > MESH_EDGE_BESIDE * pair->thickness;
}

// The ways out of the other at two places, together.
static bool meshLookBeside(const brMeshSide* other, brVec3 first, brVec3 second, float reach, brVec3* outWay)
{
	brMeshAnswer before, after;
	if (!brMeshSide_Field(other, first, reach, &before) || !brMeshSide_Field(other, second, reach, &after))
	{
		return false;
	}
	*outWay = brAdd(before.direction, after.direction);
	return true;
}

// Two crossing edges: the place of the edge that is nearest to the other body, and the direction between both.
brMeshVerdict brMeshPair_TryEdge(const brMeshPair* pair, int32_t s, const brMeshEdge* edge, float* inOutApart)
{
	const brMeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	brVec3 a = edge->a, b = edge->b, p = brRelativePose_Point(&side->toOther, a);
	brVec3 e = brSub(brRelativePose_Point(&side->toOther, b), p);
	float length = brLength(e), low = 0.0f, high = 1.0f;
	brMeshVerdict verdict = {.kind = br_meshNothing};
	brMeshAnswer at;
	if (meshRollsOnEdge(pair, s, edge, inOutApart, &verdict))
	{
		return verdict;
	}
	(void)brMeshSide_FieldWithin(other, brMulAdd(p, 0.5f, e), 0.5f * length + edge->within, &edge->bound, &at);
	float least = at.distance - 0.5f * length;
	if (least >= edge->within || !(length > 0.0f))
	{
		*inOutApart = fminf(*inOutApart, least);
		return verdict;
	}
	float x = high - MESH_GOLDEN * (high - low), y = low + MESH_GOLDEN * (high - low);
	brMeshAnswer atX, atY;
	float reach = length + pair->edgeOut;
	bool isX = brMeshSide_Field(other, brMulAdd(p, x, e), reach, &atX),
		 isY = brMeshSide_Field(other, brMulAdd(p, y, e), reach, &atY);
	for (int32_t i = 0; i < MESH_EDGE_TURNS && isX && isY; ++i)
	{
		// No place between low and high is farther from x or y than this.
		least = fminf(atX.distance, atY.distance) - (1.0f - MESH_GOLDEN) * (high - low) * length;
		if (least >= edge->within)
		{
			*inOutApart = fminf(*inOutApart, least);
			return verdict;
		}
		if (atX.distance < atY.distance)
		{
			high = y, y = x, atY = atX;
			x = high - MESH_GOLDEN * (high - low);
			isX = brMeshSide_Field(other, brMulAdd(p, x, e), reach, &atX);
		}
		else
		{
			low = x, x = y, atX = atY;
			y = low + MESH_GOLDEN * (high - low);
			isY = brMeshSide_Field(other, brMulAdd(p, y, e), reach, &atY);
		}
	}
	if (!isX || !isY)
	{
		return verdict;
	}
	float t = atX.distance < atY.distance ? x : y;
	at = atX.distance < atY.distance ? atX : atY;
	*inOutApart = fminf(*inOutApart, at.distance);
	if (at.distance >= fminf(pair->margin, edge->within) || t < 0.02f || t > 0.98f)
	{
		return verdict; // ends are points, which have spoken
	}
	brVec3 unit = brMul(1.0f / length, e), place = brMulAdd(a, t, brSub(b, a));
	// Where an edge crosses all of a face it leaves by the sides of the other, which say nothing, or say less than the
	// least way out that its deepest place has: it goes back out of the face that this is nearest to.
	bool isIn = at.distance < 0.0f, isSheet = other->isConcave && other->solid.isOpen;
	brMeshAnswer out = at;
	bool isCrossing = isIn && brMeshPair_WalkEdge(pair, s, place, brMul(1.0f / length, brSub(b, a)), &out) &&
					  (isSheet || out.distance <= at.distance);
	if (isIn && !isCrossing && isSheet)
	{
		return verdict;
	}
	at = isCrossing ? out : at;
	if (!isCrossing)
	{
		brVec3 g = at.direction;
		float step = fminf(0.05f * length, BR_MESH_INSET * pair->thickness) / length;
		if (!isIn && !meshLookBeside(other, brMulAdd(p, t - step, e), brMulAdd(p, t + step, e), reach, &g))
		{
			return verdict;
		}
		g = brMulAdd(g, -brDot(g, unit), unit);
		float size = brLength(g);
		if (!(size > 0.2f))
		{
			return verdict;
		}
		at.direction = brMul(1.0f / size, g);
	}
	// The edge must look that way: between its two faces.
	brVec3 g = brRelativePose_InvRotate(&side->toOther, at.direction);
	if (meshRollsBeside(pair, s, place, g, at.distance))
	{
		return verdict;
	}
	bool isAhead = pair->isSliding && at.distance > (other->isRound ? 0.0f : BR_MESH_AHEAD * pair->thickness);
	float slack = isAhead ? MESH_EDGE_AHEAD : MESH_EDGE_NEAR;
	if (brDot(g, edge->left) < slack && brDot(g, edge->right) < slack &&
		brDot(g, brAdd(edge->left, edge->right)) < -0.5f)
	{
		verdict = (brMeshVerdict){br_meshTouches, brMeshPair_Candidate(pair, s, place, &at, edge->id)};
	}
	return verdict;
}

// No place of a straight edge is nearer than this: all of it lies beyond one plane of a hull, or of the box about a
// solid.
static float meshEdgeApart(const brMeshSide* other, brVec3 a, brVec3 b)
{
	const BR_FAR brShape* shape = other->shape;
	if (other->isConcave)
	{
		brVec3 lower = brSub(brSub(shape->boxCenter, shape->half), brMax(a, b));
		brVec3 upper = brSub(brMin(a, b), brAdd(shape->boxCenter, shape->half)), out = brMax(lower, upper);
		brVec3 beyond = brMax(out, brMakeVec3(0.0f, 0.0f, 0.0f));
		float apart = sqrtf(brDot(beyond, beyond)) * (1.0f - BR_LENGTH_ROUNDING);
		apart = apart > 0.0f ? apart : fmaxf(out.x, fmaxf(out.y, out.z));
		for (int32_t i = 0; i < other->planeCount; ++i)
		{
			brVec4 plane = other->planes[i];
			float atA = plane.x * a.x + plane.y * a.y + plane.z * a.z;
			float atB = plane.x * b.x + plane.y * b.y + plane.z * b.z;
			apart = fmaxf(apart, fminf(atA, atB) - plane.w);
		}
		return apart - BR_PLACE_ROUNDING * shape->radius;
	}
	float apart = -INFINITY;
	for (int32_t i = 0; i < shape->faceCount; ++i)
	{
		brVec4 plane = brShape_Planes(shape)[i];
		float atA = plane.x * a.x + plane.y * a.y + plane.z * a.z, atB = plane.x * b.x + plane.y * b.y + plane.z * b.z;
		float height = (atA < atB ? atA : atB) - plane.w;
		apart = height > apart ? height : apart;
	}
	return apart - BR_PLACE_ROUNDING * shape->radius;
}

// Takes an edge down if it may be near.
static void meshListEdge(const brMeshPair* pair, brMeshFound* found, int32_t s, brMeshEdge edge,
						 BR_FAR brMeshEdge* list, int32_t* count)
{
	const brMeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	brVec3 a = brRelativePose_Point(&side->toOther, edge.a), b = brRelativePose_Point(&side->toOther, edge.b);
	float least = meshEdgeApart(other, a, b);
	if (least < found->edgesWithin)
	{
		edge.bound = brMeshSide_Bound(other, brMul(0.5f, brAdd(a, b)));
		float middle = edge.bound.least - 0.5f * brLength(brSub(edge.b, edge.a));
		least = middle > least ? middle : least;
	}
	if (least < found->edgesWithin && *count < BR_MESH_MAX_EDGES)
	{
		edge.within = found->edgesWithin;
		list[(*count)++] = edge;
	}
	else
	{
		found->edgesApart = fminf(found->edgesApart, least);
	}
}

int32_t brMeshPair_ListEdges(const brMeshPair* pair, brMeshFound* found, int32_t s, BR_FAR brMeshEdge* list)
{
	const brMeshSide* side = &pair->sides[s];
	uint32_t bit = BR_MESH_EDGE_BIT | (s != 0 ? BR_MESH_SIDE_BIT : 0u);
	int32_t count = 0;
	for (int32_t i = 0; i < found->nearCount[s]; ++i)
	{
		const BR_FAR brSolidPoint* point = &side->solid.points[found->near[s][i].point];
		int32_t end = brSolid_EdgesEnd(&side->solid, found->near[s][i].point);
		for (int32_t k = point->firstEdge; k < end; ++k)
		{
			const BR_FAR brSolidEdge* edge = &side->solid.edges[k];
			brVec3 b = side->solid.points[edge->b].place;
			if (found->near[s][i].distance < brLength(brSub(b, point->place)) + found->edgesWithin)
			{
				meshListEdge(
					pair, found, s,
					(brMeshEdge){
						.a = point->place, .b = b, .left = edge->left, .right = edge->right, .id = (uint32_t)k | bit},
					list, &count);
			}
		}
	}
	const BR_FAR int32_t(*edges)[4] = side->isConcave ? NULL : brShape_Edges(side->shape);
	for (int32_t i = 0; edges != NULL && i < side->shape->edgeCount; ++i)
	{
		brVec4 left = brShape_Planes(side->shape)[edges[i][2]], right = brShape_Planes(side->shape)[edges[i][3]];
		meshListEdge(pair, found, s,
					 (brMeshEdge){.a = brShape_Vertices(side->shape)[edges[i][0]],
								  .b = brShape_Vertices(side->shape)[edges[i][1]],
								  .left = {left.x, left.y, left.z},
								  .right = {right.x, right.y, right.z},
								  .id = (uint32_t)i | bit},
					 list, &count);
	}
	return count;
}
