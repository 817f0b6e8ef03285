// SPDX-License-Identifier: MIT

// A concave solid against a half-space, a box, a hull, another one, or a surface: points of each in the field of the other.
//
// Queries are those of Glondu et al. (2012, sections 3 to 5): the sphere tree of one body goes down wherever the other's
// field is nearer than radius plus margin. What is made of the points found is ours, since the paper's choice lets a tower fall:
//   1. The field's direction counts only if it opposes the surface the point lives on. Where edges lie on edges the nearest face
//      is often the side; such points are asked again a little inwards on each of their faces (inset samples).
//   2. A point outside over an edge or corner of the other touches it with its own face: the face's normal wins.
//   3. Points that were driven past the middle of something thin keep the normal by which they came.
//   4. Few points: edges are searched, since two crossing edges have none. An edge inside another body leaves it in two places, which
//      give the normal and depth of the crossing.
//   5. Clusters of normals, four points each (select.c).
// If nothing can be trusted but points are inside, they all go the way most of their depth points.

#include "contact/collide_mesh.h"

#include <string.h>

// Points of one shape that are looked at; those beyond are the finest of the order.
#define MESH_MOST_POINTS 65536

// How well the way out must oppose a point's normal, and the mean of its normals.
#define MESH_CONE -0.5f
#define MESH_CONE_MEAN -0.55f

// Insets: part of the thickness, times the depth, at most part of spacing and thickness.
#define MESH_INSET 0.04f
#define MESH_INSET_DEPTH 4.0f
#define MESH_INSET_MOST 0.25f

// Searches look beyond the margin by half of it and this part of the thickness: what is known to be apart by more need not be
// asked until it has moved. The search along edges may miss the very nearest place, so not all that was met is promised.
#define MESH_LOOK_OUT 0.02f
#define MESH_APART 0.8f

// Farther ahead than this part of the thickness, a contact is one to come.
#define MESH_AHEAD 0.1f

// Self-adapting: so many points of a side are taken as they come; from then on only what is deeper than all of them by a part of
// the radius, and no more than so many are asked in all.
#define MESH_ENOUGH 24
#define MESH_ENOUGH_AHEAD 16 // as long as all are ahead
#define MESH_TOLERANCE 0.002f
#define MESH_MOST_VISITS 192

#define MESH_SIDE_BIT 0x80000000u
#define MESH_EDGE_BIT 0x40000000u
#define MESH_DEEP_BIT 0x20000000u

// Inside by this part of the thickness, a point is taken to have come the way the pair touches.
#define MESH_DEEP 0.1f

#define MESH_GOLDEN 0.6180340f

typedef struct MeshSide
{
	const brShape* shape;
	brSolid solid; // if the kind is concave
	bool isConcave;
	brRelativePose toOther; // from this side's axes to the other's
	brRelativePose toA;
} MeshSide;

typedef struct MeshPair
{
	MeshSide sides[2];
	float margin, lookOut;
	float thickness, radius; // of the smaller
	const brKeptTouches* kept;
	brCandidate candidates[BR_MOST_CANDIDATES];
	int32_t count;
	brCandidate inside[BR_MOST_CANDIDATES]; // deep ones that could not be trusted
	int32_t insideCount;
	float apart; // the least distance that was met
} MeshPair;

typedef struct MeshAnswer
{
	float distance;
	brVec3 direction;
	bool isFace;
} MeshAnswer;

// The field of one side at a point in its axes. False if it is farther than `reach`.
static bool meshField(const MeshSide* side, brVec3 p, float reach, MeshAnswer* out)
{
	const brShape* shape = side->shape;
	if (side->isConcave)
	{
		brFieldAnswer answer;
		bool isNear = brSolid_Field(&side->solid, p, reach, &answer);
		out->distance = answer.distance;
		out->direction = isNear ? answer.direction : p;
		out->isFace = isNear && answer.feature == 0;
		return isNear;
	}
	if (shape->kind == br_shapeHalfSpace)
	{
		*out = (MeshAnswer){p.z, {0.0f, 0.0f, 1.0f}, true};
		return p.z < reach;
	}
	float far = brLength(p) - shape->radius;
	if (far > reach)
	{
		out->distance = far;
		return false;
	}
	out->distance = brPolytope_Field(shape, p, &out->direction, &out->isFace);
	return out->distance < reach;
}

// Normals of a corner of a box or hull: of its faces the three that differ most.
static brPointNormals meshCornerNormals(const brShape* shape, int32_t corner)
{
	brPointNormals out = {.count = 0};
	const int32_t(*edges)[4] = brShape_Edges(shape);
	for (int32_t i = 0; i < shape->edgeCount; ++i)
	{
		for (int32_t k = 2; k < 4 && (edges[i][0] == corner || edges[i][1] == corner); ++k)
		{
			brVec4 plane = brShape_Planes(shape)[edges[i][k]];
			brVec3 n = {plane.x, plane.y, plane.z};
			bool isNew = true;
			for (int32_t m = 0; m < out.count; ++m)
			{
				isNew = isNew && brDot(out.normals[m], n) < 0.95f;
			}
			if (isNew && out.count < 3)
			{
				out.normals[out.count++] = n;
			}
		}
	}
	return out;
}

static brVec3 meshPlace(const MeshSide* side, int32_t point)
{
	return side->isConcave ? side->solid.points[point].place : brShape_Vertices(side->shape)[point];
}

static brPointNormals meshNormals(const MeshSide* side, int32_t point)
{
	return side->isConcave ? side->solid.normals[point] : meshCornerNormals(side->shape, point);
}

static float meshSpacing(const MeshSide* side)
{
	return side->isConcave ? side->solid.spacing : side->shape->thickness;
}

static bool meshOpposes(const brPointNormals* normals, brVec3 direction)
{
	brVec3 sum = {0.0f, 0.0f, 0.0f};
	bool opposes = normals->count == 0;
	for (int32_t k = 0; k < normals->count; ++k)
	{
		opposes = opposes || brDot(direction, normals->normals[k]) < MESH_CONE;
		sum = brAdd(sum, normals->normals[k]);
	}
	return opposes || brDot(direction, sum) < MESH_CONE_MEAN * brLength(sum);
}

// Asks at inset samples: for each face of the point a little inwards from the others. Everything in the point's own axes. True
// if one of them is opposed well; then distance and direction are those of the point itself.
static bool meshInset(const MeshPair* pair, int32_t s, brVec3 p, const brPointNormals* normals, float depth,
					  MeshAnswer* answer)
{
	const MeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	float delta =
		fmaxf(MESH_INSET * fminf(side->shape->thickness > 0.0f ? side->shape->thickness : INFINITY, pair->thickness),
			  MESH_INSET_DEPTH * depth);
	delta = fminf(delta, MESH_INSET_MOST * fminf(meshSpacing(side), pair->thickness));
	float best = MESH_CONE;
	bool isFound = false;
	for (int32_t k = 0; k < normals->count; ++k)
	{
		brVec3 n = normals->normals[k], inward = {0.0f, 0.0f, 0.0f};
		for (int32_t j = 0; j < normals->count; ++j)
		{
			brVec3 flat = brMulAdd(normals->normals[j], -brDot(normals->normals[j], n), n);
			float length = brLength(flat);
			if (j != k && length > 0.1f)
			{
				inward = brMulAdd(inward, -1.0f / length, flat);
			}
		}
		brVec3 inset = brMulAdd(p, delta, inward);
		MeshAnswer at;
		if (!meshField(other, brRelativePose_Point(&side->toOther, inset), pair->margin + 2.0f * delta, &at))
		{
			continue;
		}
		brVec3 g = brRelativePose_InvRotate(&side->toOther, at.direction);
		float cosine = brDot(g, n);
		if (cosine < best)
		{
			best = cosine, isFound = true;
			if (!at.isFace && at.distance > 0.0f)
			{
				// Over an edge of the other: this face touches it.
				at.distance *= -cosine;
				g = brMul(-1.0f, n);
			}
			answer->distance = at.distance + brDot(g, brSub(p, inset));
			answer->direction = brRelativePose_Rotate(&side->toOther, g);
			answer->isFace = true;
		}
	}
	return isFound;
}

// From inside the other along a direction (in the other's axes) to its surface; the way there.
static float meshExit(const MeshSide* other, brVec3 p, brVec3 direction, float most)
{
	float way = 0.0f;
	for (int32_t i = 0; i < 12 && way < most; ++i)
	{
		MeshAnswer at;
		if (!meshField(other, brMulAdd(p, way, direction), 0.0f, &at) || at.distance >= -1e-4f * most)
		{
			break;
		}
		way -= at.distance;
	}
	return way < most ? way : most;
}

// A candidate from a point of side s in its own axes and the answer in the other's.
static brCandidate meshCandidate(const MeshPair* pair, int32_t s, brVec3 p, const MeshAnswer* answer, uint32_t id)
{
	const MeshSide* side = &pair->sides[s];
	brVec3 g = brRelativePose_InvRotate(&side->toOther, answer->direction);
	brVec3 middle = brMulAdd(p, -0.5f * answer->distance, g);
	brVec3 normal = brRelativePose_Rotate(&side->toA, g);
	return (brCandidate){brRelativePose_Point(&side->toA, middle), s == 0 ? brMul(-1.0f, normal) : normal,
						 answer->distance, id};
}

// What one point says, given the field's answer there. False if it cannot be trusted.
static bool meshJudge(const MeshPair* pair, int32_t s, int32_t point, MeshAnswer* answer)
{
	const MeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	if (other->shape->kind == br_shapeHalfSpace)
	{
		return true;
	}
	brPointNormals normals = meshNormals(side, point);
	brVec3 p = meshPlace(side, point);
	brVec3 g = brRelativePose_InvRotate(&side->toOther, answer->direction);
	bool isTrusted = meshOpposes(&normals, g);
	if (isTrusted && (answer->distance <= 0.0f || normals.count < 2))
	{
		// A face that touches an edge of the other keeps its own normal; so do the faces of a surface, whatever touches them.
		bool isSurface = side->isConcave && side->solid.isOpen;
		if (answer->distance > 0.0f && (!answer->isFace || isSurface) && normals.count == 1)
		{
			brVec3 n = brMul(-1.0f, normals.normals[0]);
			float cosine = brDot(g, n);
			if (cosine > -MESH_CONE)
			{
				answer->distance *= cosine;
				answer->direction = brRelativePose_Rotate(&side->toOther, n);
			}
		}
		return true;
	}
	return normals.count >= 2 && meshInset(pair, s, p, &normals, fabsf(answer->distance), answer);
}

// Points that went past the middle of the other, where the short way out is now the far side, go back the way they came: by the
// normal they had, or if they were not chosen then, by the normal of the pair that opposes them. What leads too far is not
// meant: it is the new answer that is right.
static void meshKeepNormal(const MeshPair* pair, int32_t s, int32_t point, uint32_t id, MeshAnswer* answer)
{
	const MeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	bool isOpen = other->isConcave && other->solid.isOpen;
	if (pair->kept == NULL || isOpen || answer->distance >= 0.0f || other->shape->kind == br_shapeHalfSpace)
	{
		return;
	}
	brVec3 own, direction = answer->direction;
	float separation;
	bool isOwn = brFindKept(pair->kept, id, &own, &separation);
	if (!isOwn && answer->distance > -MESH_DEEP * pair->thickness)
	{
		return;
	}
	brPointNormals normals = meshNormals(side, point);
	float best = 0.0f;
	for (int32_t i = 0; i < pair->kept->count; ++i)
	{
		brVec3 old = isOwn ? own : pair->kept->touches[i].normal;
		old = s == 0 ? brMul(-1.0f, old) : old; // out of the other, in A's axes
		brVec3 mine = brRelativePose_InvRotate(&side->toA, old);
		brVec3 there = brRelativePose_Rotate(&side->toOther, mine);
		if (brDot(there, answer->direction) > 0.5f)
		{
			return; // nothing has turned
		}
		float opposed = 0.0f;
		for (int32_t k = 0; k < normals.count; ++k)
		{
			opposed = fminf(opposed, brDot(mine, normals.normals[k]));
		}
		if (opposed < best)
		{
			best = opposed, direction = there;
		}
	}
	if (best < -0.3f)
	{
		brVec3 p = brRelativePose_Point(&side->toOther, meshPlace(side, point));
		float most = 2.0f * pair->thickness, way = meshExit(other, p, direction, most);
		if (way < most)
		{
			answer->distance = -way;
			answer->direction = direction;
		}
	}
}

static void meshAdd(MeshPair* pair, brCandidate candidate)
{
	if (pair->count < BR_MOST_CANDIDATES)
	{
		pair->candidates[pair->count++] = candidate;
		return;
	}
	// Full: the points seen so far cover all there is; only what is deeper than the shallowest of them takes its place.
	int32_t shallowest = 0;
	for (int32_t i = 1; i < pair->count; ++i)
	{
		shallowest = pair->candidates[i].separation > pair->candidates[shallowest].separation ? i : shallowest;
	}
	if (candidate.separation < pair->candidates[shallowest].separation)
	{
		pair->candidates[shallowest] = candidate;
	}
}

// An edge through p with tangent t (in the point's axes) that is inside the other leaves it in two places.
static bool meshWalkEdge(const MeshPair* pair, int32_t s, brVec3 p, brVec3 t, MeshAnswer* answer)
{
	const MeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	brVec3 from = brRelativePose_Point(&side->toOther, p), along = brRelativePose_Rotate(&side->toOther, t);
	float most = 4.0f * meshSpacing(side);
	float ahead = meshExit(other, from, along, most), behind = meshExit(other, from, brMul(-1.0f, along), most);
	brVec3 e1 = brMulAdd(from, ahead, along), e2 = brMulAdd(from, -behind, along);
	MeshAnswer first, second;
	if (ahead >= most || behind >= most || !meshField(other, e1, pair->radius, &first) ||
		!meshField(other, e2, pair->radius, &second))
	{
		return false;
	}
	brVec3 g1 = first.direction, g2 = second.direction;
	brVec3 n = brSub(brMul(brDot(along, g2), g1), brMul(brDot(along, g1), g2));
	float length = brLength(n);
	if (!(length > 1e-3f))
	{
		return false;
	}
	n = brMul(brDot(n, brAdd(g1, g2)) < 0.0f ? -1.0f / length : 1.0f / length, n);
	answer->distance = -fabsf(brDot(along, g1) * brDot(g2, brSub(e2, e1))) / length;
	answer->direction = n;
	return answer->distance > -pair->thickness; // nearly along a face the formula means nothing
}

static void meshVisit(MeshPair* pair, int32_t s, int32_t point, MeshAnswer answer)
{
	const MeshSide* side = &pair->sides[s];
	uint32_t id = (uint32_t)point | (s != 0 ? MESH_SIDE_BIT : 0u);
	if (pair->sides[1 - s].isConcave && pair->sides[1 - s].solid.isOpen)
	{
		// Behind an open surface there is no inside; what is too far behind is on its other side.
		if (answer.distance < -0.5f * pair->thickness - pair->margin)
		{
			return;
		}
	}
	MeshAnswer raw = answer;
	if (meshJudge(pair, s, point, &answer))
	{
		if (answer.distance < pair->margin)
		{
			meshKeepNormal(pair, s, point, id, &answer);
			meshAdd(pair, meshCandidate(pair, s, meshPlace(side, point), &answer, id));
		}
		return;
	}
	if (raw.distance < 0.0f)
	{
		brPointNormals normals = meshNormals(side, point);
		if (normals.count == 2)
		{
			brVec3 t = brCross(normals.normals[0], normals.normals[1]);
			t = brMul(1.0f / fmaxf(brLength(t), 1e-6f), t);
			if (meshWalkEdge(pair, s, meshPlace(side, point), t, &answer) &&
				meshOpposes(&normals, brRelativePose_InvRotate(&side->toOther, answer.direction)))
			{
				meshAdd(pair, meshCandidate(pair, s, meshPlace(side, point), &answer, id | MESH_EDGE_BIT));
				return;
			}
		}
		if (pair->insideCount < BR_MOST_CANDIDATES)
		{
			pair->inside[pair->insideCount++] =
				meshCandidate(pair, s, meshPlace(side, point), &raw, id | MESH_DEEP_BIT);
		}
	}
}

// The points of one side against the field of the other.
static void meshGather(MeshPair* pair, int32_t s)
{
	MeshSide* side = &pair->sides[s];
	const MeshSide* other = &pair->sides[1 - s];
	if (!side->isConcave)
	{
		for (int32_t i = 0; i < side->shape->vertexCount; ++i)
		{
			MeshAnswer answer;
			brVec3 p = brRelativePose_Point(&side->toOther, brShape_Vertices(side->shape)[i]);
			bool isNear = meshField(other, p, pair->lookOut, &answer);
			pair->apart = fminf(pair->apart, answer.distance);
			if (isNear && answer.distance < pair->margin)
			{
				meshVisit(pair, s, i, answer);
			}
		}
		return;
	}
	uint64_t bits[MESH_MOST_POINTS / 64];
	int32_t count = side->solid.pointCount < MESH_MOST_POINTS ? side->solid.pointCount : MESH_MOST_POINTS;
	int32_t words = (count + 63) / 64;
	memset(bits, 0, sizeof(uint64_t) * (size_t)words);
	bits[0] = 1;
	int32_t found = 0, visits = 0;
	float deepest = INFINITY;
	for (int32_t w = 0; w < words; ++w)
	{
		while (bits[w] != 0 && visits < MESH_MOST_VISITS)
		{
			visits += 1;
			int32_t i = 64 * w + __builtin_ctzll(bits[w]);
			bits[w] &= bits[w] - 1;
			const brSolidPoint* point = &side->solid.points[i];
			MeshAnswer answer;
			brVec3 p = brRelativePose_Point(&side->toOther, point->place);
			// Nothing found: look out for what may come. Enough found: only for what is deeper.
			int32_t enough = deepest > MESH_AHEAD * pair->thickness ? MESH_ENOUGH_AHEAD : MESH_ENOUGH;
			float limit = found >= enough   ? deepest - MESH_TOLERANCE * pair->radius
						  : pair->count > 0 ? pair->margin
											: pair->lookOut;
			bool isNear = meshField(other, p, point->radius + limit, &answer);
			pair->apart = fminf(pair->apart, answer.distance - (isNear ? 0.0f : point->radius));
			if (!isNear)
			{
				continue;
			}
			for (int32_t child = point->firstChild; child >= 0; child = side->solid.points[child].nextSibling)
			{
				if (child < count)
				{
					bits[child / 64] |= (uint64_t)1 << (child % 64);
				}
			}
			if (answer.distance < pair->margin && answer.distance < limit)
			{
				found += 1;
				deepest = fminf(deepest, answer.distance);
				meshVisit(pair, s, i, answer);
			}
		}
	}
}

// Two crossing edges: the place of the edge that is nearest to the other body, and the direction between both.
static void meshTryEdge(MeshPair* pair, int32_t s, brVec3 a, brVec3 b, brVec3 left, brVec3 right, uint32_t id)
{
	const MeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	brVec3 p = brRelativePose_Point(&side->toOther, a);
	brVec3 e = brSub(brRelativePose_Point(&side->toOther, b), p);
	float length = brLength(e), low = 0.0f, high = 1.0f;
	MeshAnswer at;
	bool isNear = meshField(other, brMulAdd(p, 0.5f, e), 0.5f * length + pair->lookOut, &at);
	if (!isNear || !(length > 0.0f))
	{
		pair->apart = fminf(pair->apart, at.distance - 0.5f * length);
		return;
	}
	float x = high - MESH_GOLDEN * (high - low), y = low + MESH_GOLDEN * (high - low);
	MeshAnswer atX, atY;
	float reach = length + pair->lookOut;
	bool isX = meshField(other, brMulAdd(p, x, e), reach, &atX), isY = meshField(other, brMulAdd(p, y, e), reach, &atY);
	for (int32_t i = 0; i < 7 && isX && isY; ++i)
	{
		if (atX.distance < atY.distance)
		{
			high = y, y = x, atY = atX;
			x = high - MESH_GOLDEN * (high - low);
			isX = meshField(other, brMulAdd(p, x, e), reach, &atX);
		}
		else
		{
			low = x, x = y, atX = atY;
			y = low + MESH_GOLDEN * (high - low);
			isY = meshField(other, brMulAdd(p, y, e), reach, &atY);
		}
	}
	if (!isX || !isY)
	{
		return;
	}
	float t = atX.distance < atY.distance ? x : y;
	at = atX.distance < atY.distance ? atX : atY;
	pair->apart = fminf(pair->apart, at.distance);
	if (at.distance >= pair->margin || t < 0.02f || t > 0.98f)
	{
		return; // ends are points, which have spoken
	}
	brVec3 unit = brMul(1.0f / length, e), place = brMulAdd(a, t, brSub(b, a));
	if (at.distance < 0.0f)
	{
		if (!meshWalkEdge(pair, s, place, brMul(1.0f / length, brSub(b, a)), &at))
		{
			return;
		}
	}
	else
	{
		MeshAnswer before, after;
		float step = fminf(0.05f * length, MESH_INSET * pair->thickness) / length;
		if (!meshField(other, brMulAdd(p, t - step, e), reach, &before) ||
			!meshField(other, brMulAdd(p, t + step, e), reach, &after))
		{
			return;
		}
		brVec3 g = brAdd(before.direction, after.direction);
		g = brMulAdd(g, -brDot(g, unit), unit);
		float size = brLength(g);
		if (!(size > 0.2f))
		{
			return;
		}
		at.direction = brMul(1.0f / size, g);
	}
	// The edge must look that way: between its two faces.
	brVec3 g = brRelativePose_InvRotate(&side->toOther, at.direction);
	if (brDot(g, left) < 0.2f && brDot(g, right) < 0.2f && brDot(g, brAdd(left, right)) < -0.5f)
	{
		meshAdd(pair, meshCandidate(pair, s, place, &at, id));
	}
}

static void meshEdges(MeshPair* pair, int32_t s)
{
	const MeshSide* side = &pair->sides[s];
	uint32_t bit = MESH_EDGE_BIT | (s != 0 ? MESH_SIDE_BIT : 0u);
	if (side->isConcave)
	{
		// Only edges near the other's ball.
		brVec3 center = brRelativePose_InvRotate(&side->toOther, brMul(-1.0f, side->toOther.p));
		float reach = pair->sides[1 - s].shape->radius + pair->margin;
		for (int32_t i = 0; i < side->solid.edgeCount; ++i)
		{
			const brSolidEdge* edge = &side->solid.edges[i];
			brVec3 a = side->solid.points[edge->a].place, b = side->solid.points[edge->b].place;
			brVec3 e = brSub(b, a), way = brSub(center, a);
			float t = brDot(way, e) / fmaxf(brDot(e, e), 1e-30f);
			t = t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t;
			way = brMulAdd(way, -t, e);
			if (brDot(way, way) < reach * reach)
			{
				meshTryEdge(pair, s, a, b, edge->left, edge->right, (uint32_t)i | bit);
			}
		}
		return;
	}
	const int32_t(*edges)[4] = brShape_Edges(side->shape);
	const brVec3* vertices = brShape_Vertices(side->shape);
	for (int32_t i = 0; i < side->shape->edgeCount; ++i)
	{
		brVec4 left = brShape_Planes(side->shape)[edges[i][2]], right = brShape_Planes(side->shape)[edges[i][3]];
		meshTryEdge(pair, s, vertices[edges[i][0]], vertices[edges[i][1]], brMakeVec3(left.x, left.y, left.z),
					brMakeVec3(right.x, right.y, right.z), (uint32_t)i | bit);
	}
}

static brRelativePose meshInverse(const brRelativePose* pose)
{
	return (brRelativePose){{pose->x.x, pose->y.x, pose->z.x},
							{pose->x.y, pose->y.y, pose->z.y},
							{pose->x.z, pose->y.z, pose->z.z},
							brRelativePose_InvRotate(pose, brMul(-1.0f, pose->p))};
}

static void meshInit(MeshPair* pair, const brShape* a, const brShape* b, const brRelativePose* pose, float margin,
					 const brKeptTouches* kept)
{
	static const brRelativePose identity = {
		{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f}};
	const brShape* shapes[2] = {a, b};
	for (int32_t s = 0; s < 2; ++s)
	{
		pair->sides[s].shape = shapes[s];
		pair->sides[s].isConcave = brShapeKind_IsConcave(shapes[s]->kind);
		if (pair->sides[s].isConcave)
		{
			pair->sides[s].solid = brMakeSolid(shapes[s]);
		}
	}
	pair->sides[0].toA = identity;
	pair->sides[0].toOther = meshInverse(pose);
	pair->sides[1].toA = *pose;
	pair->sides[1].toOther = *pose;
	float ta = a->thickness, tb = b->thickness, ra = a->radius, rb = b->radius;
	pair->thickness = ta > 0.0f && (ta < tb || !(tb > 0.0f)) ? ta : tb;
	pair->radius = ra > 0.0f && (ra < rb || !(rb > 0.0f)) ? ra : rb;
	pair->margin = margin;
	pair->lookOut = fminf(1.5f * margin, margin + MESH_AHEAD * pair->thickness) + MESH_LOOK_OUT * pair->thickness;
	pair->kept = kept;
	pair->count = 0;
	pair->insideCount = 0;
	pair->apart = INFINITY;
}

// Deep inside with nothing to go by: all points the way that most of the depth points, so that they do not fight.
static void meshDeep(MeshPair* pair)
{
	brVec3 sum = {0.0f, 0.0f, 0.0f};
	for (int32_t i = 0; i < pair->insideCount; ++i)
	{
		sum = brMulAdd(sum, -pair->inside[i].separation, pair->inside[i].normal);
	}
	float length = brLength(sum);
	for (int32_t i = 0; i < pair->insideCount && length > 0.0f; ++i)
	{
		brCandidate candidate = pair->inside[i];
		candidate.normal = brMul(1.0f / length, sum);
		meshAdd(pair, candidate);
	}
}

int32_t brCollideSolid(const brShape* a, const brShape* b, const brRelativePose* pose, float margin,
					   const brKeptTouches* kept, brTouch* outTouches)
{
	MeshPair pair;
	meshInit(&pair, a, b, pose, margin, kept);
	bool isPlane = a->kind == br_shapeHalfSpace;
	// The side with fewer points first. If none of them is near, and none of what lies between them can be, that is all.
	int32_t first = pair.sides[0].isConcave && pair.sides[0].solid.pointCount < pair.sides[1].solid.pointCount ? 0 : 1;
	meshGather(&pair, first);
	bool isApart = pair.count == 0 && pair.insideCount == 0 && pair.apart - pair.sides[first].solid.spacing > margin;
	if (isApart)
	{
		pair.apart -= pair.sides[first].solid.spacing;
	}
	else if (!isPlane)
	{
		meshGather(&pair, 1 - first);
		if (pair.count < 3)
		{
			meshEdges(&pair, 0);
			meshEdges(&pair, 1);
		}
	}
	if (pair.count == 0 && pair.insideCount > 0)
	{
		meshDeep(&pair);
	}
	outTouches[0].apart = MESH_APART * pair.apart;
	return brSelectTouches(pair.candidates, pair.count, kept, pair.thickness, pair.radius, outTouches);
}

// How deep the point with this id is at this pose; 0 if it is not inside or no longer speaks.
static float meshRest(MeshPair* pair, uint32_t id)
{
	int32_t s = (id & MESH_SIDE_BIT) != 0, point = (int32_t)(id & ~(MESH_SIDE_BIT | MESH_EDGE_BIT | MESH_DEEP_BIT));
	const MeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	if ((id & MESH_EDGE_BIT) != 0 || point >= (side->isConcave ? side->solid.pointCount : side->shape->vertexCount))
	{
		return 0.0f;
	}
	MeshAnswer answer;
	brVec3 p = brRelativePose_Point(&side->toOther, meshPlace(side, point));
	if (!meshField(other, p, pair->margin, &answer) || !meshJudge(pair, s, point, &answer))
	{
		return 0.0f;
	}
	return fminf(answer.distance, 0.0f);
}

void brApplyBirth(const brShape* a, const brShape* b, const brRelativePose* birth, brTouch* touches, int32_t count)
{
	if (!brShapeKind_IsConcave(a->kind) && !brShapeKind_IsConcave(b->kind))
	{
		return;
	}
	MeshPair pair;
	float thickness = a->thickness > 0.0f && a->thickness < b->thickness ? a->thickness : b->thickness;
	meshInit(&pair, a, b, birth, 0.02f * thickness, NULL);
	for (int32_t i = 0; i < count; ++i)
	{
		for (int32_t k = 0; k < touches[i].count; ++k)
		{
			touches[i].separations[k] -= meshRest(&pair, touches[i].ids[k]);
		}
	}
}
