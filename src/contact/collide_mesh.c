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

// Up to so many, all are looked at; of more those the tree leads to.
#define MESH_FLAT_POINTS 4096

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

// Boxes farther apart than the margin and this part of the radius settle the matter; nearer ones would have to be asked again too soon.
#define MESH_BOXES_APART 0.2f

// Farther ahead than this part of the thickness, a contact is one to come.
#define MESH_AHEAD 0.1f

// Self-adapting: so many points of a side are taken as they come; from then on only what is deeper than all of them by a part of
// the radius, and no more than so many are asked in all.
#define MESH_ENOUGH 24
#define MESH_ENOUGH_AHEAD 10 // as long as all are ahead
#define MESH_TOLERANCE 0.002f
#define MESH_MOST_ASKED 192

// Fewer than so many points: edges are searched.
#define MESH_FEW 3

// A half-space reaches as far as this, which is less than where empty lanes of points lie.
#define MESH_NOWHERE 1e17f

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

// A point with edges that may be near enough.
typedef struct MeshNear
{
	int32_t point;
	float distance; // at least
} MeshNear;

#define MESH_MOST_NEAR 256

// Points that are asked to learn how far two bodies are apart.
#define MESH_MOST_REFINED 16

typedef struct MeshPair
{
	MeshSide sides[2];
	float margin;
	float edgeOut;           // how far points and edges are of interest as long as none touches
	float thickness, radius; // of the smaller
	const brKeptTouches* kept;
	brCandidate candidates[BR_MOST_CANDIDATES];
	int32_t count;
	brCandidate inside[BR_MOST_CANDIDATES]; // deep ones that could not be trusted
	int32_t insideCount;
	float edgesApart;                 // lower bound of the distance of edges that were looked at
	MeshNear near[2][MESH_MOST_NEAR]; // of each side
	int32_t nearCount[2];
} MeshPair;

typedef struct MeshAnswer
{
	float distance;
	brVec3 direction;
	bool isFace;
} MeshAnswer;

// The field of one side at a point in its axes, of which something may be known. False if it is farther than `reach`.
static bool meshFieldWithin(const MeshSide* side, brVec3 p, float reach, const brFieldBound* bound, MeshAnswer* out)
{
	const brShape* shape = side->shape;
	if (side->isConcave)
	{
		brFieldAnswer answer;
		bool isNear = brSolid_FieldWithin(&side->solid, p, reach, bound, &answer);
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
	if (bound->least > reach)
	{
		out->distance = bound->least;
		return false;
	}
	out->distance = brPolytope_Field(shape, p, &out->direction, &out->isFace);
	return out->distance < reach;
}

static brFieldBound meshBound(const MeshSide* side, brVec3 p)
{
	brFieldBound bound = {-INFINITY, INFINITY, -1};
	if (side->isConcave)
	{
		bound = brSolid_Bound(&side->solid, p);
	}
	for (int32_t i = 0; brShape_IsPolytope(side->shape) && i < side->shape->faceCount; ++i)
	{
		brVec4 plane = brShape_Planes(side->shape)[i];
		float height = plane.x * p.x + plane.y * p.y + plane.z * p.z - plane.w - 2e-6f * side->shape->radius;
		bound.least = height > bound.least ? height : bound.least;
	}
	return bound;
}

static bool meshField(const MeshSide* side, brVec3 p, float reach, MeshAnswer* out)
{
	brFieldBound bound = meshBound(side, p);
	return meshFieldWithin(side, p, reach, &bound, out);
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

// Whether a point that is no deeper than the triangle it has been told of is deep enough to be asked. Inside nothing is farther
// than that one; outside it is a guess, which the many that were asked before can bear.
static bool meshIsShallow(const MeshSide* other, brVec3 p, const brFieldBound* bound, float limit)
{
	if (!other->isConcave)
	{
		return false;
	}
	return brSolid_Guess(&other->solid, bound->hint, p) >= limit;
}

// Points of one side that may be near the other, in their order, eight at a time. Of few points all are held against the other's box, eight
// in a dozen instructions. Of many the tree goes down: children come after their parents, so it is one scan over a set of bits.
typedef struct MeshScan
{
	const MeshSide *side, *other;
	bool isFlat;
	int32_t count;
	brBox3 box;    // of the other, grown
	int32_t block; // flat: the next
	int32_t word, words;
	int32_t points[BR_TRIANGLE_LANES];
	brLanes8 places[3]; // in the other's axes
	brFieldBounds bounds;
	uint64_t bits[MESH_MOST_POINTS / 64];
} MeshScan;

static void meshStartScan(MeshScan* scan, const MeshSide* side, const MeshSide* other, float reach)
{
	scan->side = side, scan->other = other;
	scan->count = side->solid.pointCount < MESH_MOST_POINTS ? side->solid.pointCount : MESH_MOST_POINTS;
	scan->isFlat = scan->count <= MESH_FLAT_POINTS;
	scan->word = scan->block = 0;
	scan->words = scan->isFlat ? 0 : (scan->count + 63) / 64;
	memset(scan->bits, 0, sizeof(uint64_t) * (size_t)scan->words);
	scan->bits[0] = scan->count > 0;
	brVec3 half = brAdd(other->shape->half, brMakeVec3(reach, reach, reach)), center = other->shape->boxCenter;
	half = other->shape->kind == br_shapeHalfSpace ? brMakeVec3(MESH_NOWHERE, MESH_NOWHERE, reach) : half;
	scan->box = (brBox3){brSub(center, half), brAdd(center, half)};
	for (int32_t lane = 0; lane < BR_TRIANGLE_LANES; ++lane)
	{
		scan->bounds.least[lane] = -INFINITY, scan->bounds.most[lane] = INFINITY, scan->bounds.hints[lane] = -1;
	}
}

static void meshAddChildren(MeshScan* scan, const brSolidPoint* point)
{
	const brSolidPoint* points = scan->side->solid.points;
	for (int32_t child = point->firstChild; child >= 0; child = points[child].nextSibling)
	{
		if (child < scan->count)
		{
			scan->bits[child / 64] |= (uint64_t)1 << (child % 64);
			scan->word = child / 64 < scan->word ? child / 64 : scan->word;
		}
	}
}

// What is known of the eight points before a triangle is touched. Returns which of them may be nearer than `limit`.
static uint32_t meshScanBounds(MeshScan* scan, float limit)
{
	const MeshSide* other = scan->other;
	if (other->shape->kind == br_shapeHalfSpace)
	{
		scan->bounds.least = scan->bounds.most = scan->places[2];
	}
	return other->isConcave ? brSolid_Bounds(&other->solid, scan->places, limit, &scan->bounds)
		   : brShape_IsPolytope(other->shape)
			   ? brPolytope_Bounds(other->shape, scan->places, limit, &scan->bounds.least)
			   : (1u << BR_TRIANGLE_LANES) - 1;
}

// The next points of which some may be nearer than `limit`; which, by bits. 0 at the end.
static uint32_t meshScanFlat(MeshScan* scan, float limit)
{
	uint32_t bits = 0;
	while (bits == 0 && scan->block < scan->side->solid.blockCount)
	{
		bits = brSolid_PlaceBlock(&scan->side->solid, scan->block++, &scan->side->toOther, scan->box, scan->places);
		bits = bits != 0 ? bits & meshScanBounds(scan, limit) : 0;
	}
	for (int32_t lane = 0; lane < BR_TRIANGLE_LANES; ++lane)
	{
		scan->points[lane] = BR_TRIANGLE_LANES * (scan->block - 1) + lane;
	}
	return bits;
}

// The next points that the tree led to.
static uint32_t meshScanTree(MeshScan* scan, float limit)
{
	int32_t lanes = 0;
	for (; scan->word < scan->words && lanes < BR_TRIANGLE_LANES; scan->word += scan->bits[scan->word] == 0)
	{
		uint64_t* bits = &scan->bits[scan->word];
		for (; *bits != 0 && lanes < BR_TRIANGLE_LANES; *bits &= *bits - 1)
		{
			int32_t lane = lanes++, i = 64 * scan->word + __builtin_ctzll(*bits);
			brVec3 p = brRelativePose_Point(&scan->side->toOther, scan->side->solid.points[i].place);
			scan->points[lane] = i;
			scan->places[0][lane] = p.x, scan->places[1][lane] = p.y, scan->places[2][lane] = p.z;
		}
	}
	for (int32_t lane = lanes; lane < BR_TRIANGLE_LANES && lanes > 0; ++lane)
	{
		for (int k = 0; k < 3; ++k)
		{
			scan->places[k][lane] = scan->places[k][0];
		}
	}
	if (lanes > 0)
	{
		(void)meshScanBounds(scan, limit);
	}
	return (1u << lanes) - 1;
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
			brFieldBound bound = meshBound(other, p);
			if (bound.least < pair->margin && meshFieldWithin(other, p, pair->margin, &bound, &answer) &&
				answer.distance < pair->margin)
			{
				meshVisit(pair, s, i, answer);
			}
		}
		return;
	}
	MeshScan scan;
	meshStartScan(&scan, side, other, pair->edgeOut + side->solid.mostReach);
	int32_t found = 0, asked = 0;
	float deepest = INFINITY, limit = pair->margin;
	for (;;)
	{
		// Edges are of interest as long as there are few points.
		float wanted = fmaxf(limit, pair->count < MESH_FEW ? pair->edgeOut + side->solid.mostReach : -INFINITY);
		uint32_t bits = scan.isFlat ? meshScanFlat(&scan, wanted) : meshScanTree(&scan, wanted);
		if (bits == 0 || asked >= MESH_MOST_ASKED)
		{
			break;
		}
		for (; bits != 0; bits &= bits - 1)
		{
			int32_t k = __builtin_ctz(bits), i = scan.points[k];
			const brSolidPoint* point = &side->solid.points[i];
			// Most points are settled by what is known before a triangle is touched: those whose ball is too far, and those whose
			// ball may be near while they are not.
			float distance = scan.bounds.least[k];
			brVec3 p = {scan.places[0][k], scan.places[1][k], scan.places[2][k]};
			brFieldBound bound = {distance, scan.bounds.most[k], scan.bounds.hints[k]};
			if (distance < limit && !(limit < pair->margin && meshIsShallow(other, p, &bound, limit)))
			{
				MeshAnswer answer;
				asked += 1;
				float reach = fmaxf(limit, scan.isFlat ? 0.0f : point->radius + pair->edgeOut);
				bool isNear = meshFieldWithin(other, p, reach, &bound, &answer);
				distance = answer.distance;
				if (isNear && distance < limit)
				{
					found += 1;
					deepest = fminf(deepest, distance);
					meshVisit(pair, s, i, answer);
					// Enough found: only what is deeper is of interest.
					int32_t enough = deepest > MESH_AHEAD * pair->thickness ? MESH_ENOUGH_AHEAD : MESH_ENOUGH;
					limit = found >= enough ? deepest - MESH_TOLERANCE * pair->radius : pair->margin;
				}
			}
			if (point->edgeReach > 0.0f && distance - point->edgeReach < pair->edgeOut && pair->count < MESH_FEW &&
				pair->nearCount[s] < MESH_MOST_NEAR)
			{
				pair->near[s][pair->nearCount[s]++] = (MeshNear){i, distance};
			}
			pair->edgesApart = pair->nearCount[s] == MESH_MOST_NEAR ? -INFINITY : pair->edgesApart;
			if (!scan.isFlat && distance < point->radius + (pair->count < MESH_FEW ? pair->edgeOut : limit))
			{
				meshAddChildren(&scan, point);
			}
		}
	}
}

// A lower bound of how far the points of one side are from the other, exact if few of them may be nearest. `most` is how far it is
// of interest.
static float meshPointsApart(const MeshPair* pair, int32_t s, float most)
{
	const MeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	if (!side->isConcave)
	{
		for (int32_t i = 0; i < side->shape->vertexCount; ++i)
		{
			MeshAnswer answer;
			brVec3 p = brRelativePose_Point(&side->toOther, brShape_Vertices(side->shape)[i]);
			brFieldBound bound = meshBound(other, p);
			if (bound.least < most)
			{
				(void)meshFieldWithin(other, p, most, &bound, &answer);
				most = fminf(most, answer.distance);
			}
		}
		return most;
	}
	brFieldBound bounds[MESH_MOST_REFINED];
	brVec3 places[MESH_MOST_REFINED];
	int32_t count = 0;
	float limit = most, missed = INFINITY;
	MeshScan scan;
	meshStartScan(&scan, side, other, most);
	for (uint32_t bits = meshScanFlat(&scan, limit); bits != 0; bits = meshScanFlat(&scan, limit))
	{
		for (; bits != 0; bits &= bits - 1)
		{
			int32_t k = __builtin_ctz(bits), at = count;
			brFieldBound bound = {scan.bounds.least[k], scan.bounds.most[k], scan.bounds.hints[k]};
			// Nothing is nearest that is farther than the farthest that another may be.
			limit = fminf(limit, bound.most);
			if (!(bound.least < limit))
			{
				continue;
			}
			// Sorted by how near they may be; what finds no place counts as it is.
			missed = count == MESH_MOST_REFINED ? fminf(missed, fmaxf(bound.least, bounds[count - 1].least)) : missed;
			if (count == MESH_MOST_REFINED && !(bound.least < bounds[count - 1].least))
			{
				continue;
			}
			at = count < MESH_MOST_REFINED ? count++ : count - 1;
			for (; at > 0 && bounds[at - 1].least > bound.least; --at)
			{
				bounds[at] = bounds[at - 1], places[at] = places[at - 1];
			}
			bounds[at] = bound;
			places[at] = brMakeVec3(scan.places[0][k], scan.places[1][k], scan.places[2][k]);
		}
	}
	float apart = fminf(most, missed);
	for (int32_t i = 0; i < count && bounds[i].least < apart; ++i)
	{
		MeshAnswer answer;
		(void)meshFieldWithin(other, places[i], apart, &bounds[i], &answer);
		apart = fminf(apart, answer.distance);
	}
	return apart;
}

// An edge that may be near the other body, in its own axes.
typedef struct MeshEdge
{
	brVec3 a, b, left, right;
	uint32_t id;
	brFieldBound bound; // at its middle
} MeshEdge;

#define MESH_MOST_EDGES 128

// Two crossing edges: the place of the edge that is nearest to the other body, and the direction between both.
static void meshTryEdge(MeshPair* pair, int32_t s, const MeshEdge* edge)
{
	const MeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	brVec3 a = edge->a, b = edge->b, p = brRelativePose_Point(&side->toOther, a);
	brVec3 e = brSub(brRelativePose_Point(&side->toOther, b), p);
	float length = brLength(e), low = 0.0f, high = 1.0f;
	MeshAnswer at;
	(void)meshFieldWithin(other, brMulAdd(p, 0.5f, e), 0.5f * length + pair->edgeOut, &edge->bound, &at);
	float least = at.distance - 0.5f * length;
	if (least >= pair->edgeOut || !(length > 0.0f))
	{
		pair->edgesApart = fminf(pair->edgesApart, least);
		return;
	}
	float x = high - MESH_GOLDEN * (high - low), y = low + MESH_GOLDEN * (high - low);
	MeshAnswer atX, atY;
	float reach = length + pair->edgeOut;
	bool isX = meshField(other, brMulAdd(p, x, e), reach, &atX), isY = meshField(other, brMulAdd(p, y, e), reach, &atY);
	for (int32_t i = 0; i < 7 && isX && isY; ++i)
	{
		// No place between low and high is farther from x or y than this.
		least = fminf(atX.distance, atY.distance) - (1.0f - MESH_GOLDEN) * (high - low) * length;
		if (least >= pair->edgeOut)
		{
			pair->edgesApart = fminf(pair->edgesApart, least);
			return;
		}
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
	pair->edgesApart = fminf(pair->edgesApart, at.distance);
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
	if (brDot(g, edge->left) < 0.2f && brDot(g, edge->right) < 0.2f && brDot(g, brAdd(edge->left, edge->right)) < -0.5f)
	{
		meshAdd(pair, meshCandidate(pair, s, place, &at, edge->id));
	}
}

// Takes an edge down if it may be near.
static void meshListEdge(MeshPair* pair, int32_t s, MeshEdge edge, MeshEdge* list, int32_t* count)
{
	brVec3 middle = brMul(0.5f, brAdd(edge.a, edge.b));
	edge.bound = meshBound(&pair->sides[1 - s], brRelativePose_Point(&pair->sides[s].toOther, middle));
	float least = edge.bound.least - 0.5f * brLength(brSub(edge.b, edge.a));
	if (least < pair->edgeOut && *count < MESH_MOST_EDGES)
	{
		list[(*count)++] = edge;
	}
	else
	{
		pair->edgesApart = fminf(pair->edgesApart, least);
	}
}

static int32_t meshListEdges(MeshPair* pair, int32_t s, MeshEdge* list)
{
	const MeshSide* side = &pair->sides[s];
	uint32_t bit = MESH_EDGE_BIT | (s != 0 ? MESH_SIDE_BIT : 0u);
	int32_t count = 0;
	for (int32_t i = 0; i < pair->nearCount[s]; ++i)
	{
		const brSolidPoint* point = &side->solid.points[pair->near[s][i].point];
		int32_t end = brSolid_EdgesEnd(&side->solid, pair->near[s][i].point);
		for (int32_t k = point->firstEdge; k < end; ++k)
		{
			const brSolidEdge* edge = &side->solid.edges[k];
			brVec3 b = side->solid.points[edge->b].place;
			if (pair->near[s][i].distance < brLength(brSub(b, point->place)) + pair->edgeOut)
			{
				meshListEdge(
					pair, s,
					(MeshEdge){
						.a = point->place, .b = b, .left = edge->left, .right = edge->right, .id = (uint32_t)k | bit},
					list, &count);
			}
		}
	}
	const int32_t(*edges)[4] = side->isConcave ? NULL : brShape_Edges(side->shape);
	for (int32_t i = 0; edges != NULL && i < side->shape->edgeCount; ++i)
	{
		brVec4 left = brShape_Planes(side->shape)[edges[i][2]], right = brShape_Planes(side->shape)[edges[i][3]];
		meshListEdge(pair, s,
					 (MeshEdge){.a = brShape_Vertices(side->shape)[edges[i][0]],
								.b = brShape_Vertices(side->shape)[edges[i][1]],
								.left = {left.x, left.y, left.z},
								.right = {right.x, right.y, right.z},
								.id = (uint32_t)i | bit},
					 list, &count);
	}
	return count;
}

// Edges that cross edges. Where a corner or a face of one is nearest, its points have spoken; so both sides need edges that are near.
static void meshEdges(MeshPair* pair)
{
	MeshEdge lists[2][MESH_MOST_EDGES];
	int32_t counts[2] = {0, 0};
	counts[0] = meshListEdges(pair, 0, lists[0]);
	counts[1] = counts[0] > 0 ? meshListEdges(pair, 1, lists[1]) : 0;
	for (int32_t s = 0; s < 2 && counts[0] > 0 && counts[1] > 0; ++s)
	{
		for (int32_t i = 0; i < counts[s]; ++i)
		{
			meshTryEdge(pair, s, &lists[s][i]);
		}
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
	pair->edgeOut = fminf(1.5f * margin, margin + MESH_AHEAD * pair->thickness) + MESH_LOOK_OUT * pair->thickness;
	pair->kept = kept;
	pair->count = 0;
	pair->insideCount = 0;
	pair->nearCount[0] = pair->nearCount[1] = 0;
	pair->edgesApart = INFINITY;
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

// Distance of the boxes along their axes: a lower bound, and all that most pairs need.
static float meshBoxesApart(const brShape* a, const brShape* b, const brRelativePose* pose)
{
	const brVec3 axes[3] = {pose->x, pose->y, pose->z};
	const float half[3] = {b->half.x, b->half.y, b->half.z};
	brVec3 center = brRelativePose_Point(pose, b->boxCenter);
	if (a->kind == br_shapeHalfSpace)
	{
		return center.z - fabsf(axes[0].z) * half[0] - fabsf(axes[1].z) * half[1] - fabsf(axes[2].z) * half[2];
	}
	brVec3 way = brSub(center, a->boxCenter);
	float apart = -INFINITY;
	brVec3 reach = a->half;
	for (int k = 0; k < 3; ++k)
	{
		brVec3 axis = axes[k];
		brVec3 size = {fabsf(axis.x), fabsf(axis.y), fabsf(axis.z)};
		reach = brMulAdd(reach, half[k], size);
		float gap = fabsf(brDot(way, axis)) - half[k] - brDot(size, a->half);
		apart = gap > apart ? gap : apart;
	}
	const float gaps[3] = {fabsf(way.x) - reach.x, fabsf(way.y) - reach.y, fabsf(way.z) - reach.z};
	for (int k = 0; k < 3; ++k)
	{
		apart = gaps[k] > apart ? gaps[k] : apart;
	}
	return apart;
}

int32_t brCollideSolid(const brShape* a, const brShape* b, const brRelativePose* pose, float margin,
					   const brKeptTouches* kept, brTouch* outTouches)
{
	float boxes = meshBoxesApart(a, b, pose);
	if (boxes > margin + MESH_BOXES_APART * fminf(a->kind == br_shapeHalfSpace ? INFINITY : a->radius, b->radius))
	{
		outTouches[0].apart = boxes;
		return 0;
	}
	MeshPair pair;
	meshInit(&pair, a, b, pose, margin, kept);
	bool isPlane = a->kind == br_shapeHalfSpace;
	// The side with fewer points first. If none of them is near, and none of what lies between them can be, that is all.
	int32_t first = pair.sides[0].isConcave && pair.sides[0].solid.pointCount < pair.sides[1].solid.pointCount ? 0 : 1;
	float most = pair.edgeOut + MESH_BOXES_APART * pair.radius;
	meshGather(&pair, first);
	if (pair.count == 0 && pair.insideCount == 0)
	{
		float apart = meshPointsApart(&pair, first, most);
		float least = isPlane ? apart : apart - pair.sides[first].solid.spacing;
		if (isPlane || least > pair.edgeOut)
		{
			outTouches[0].apart = fmaxf(MESH_APART * least, boxes);
			return 0;
		}
		most = apart;
	}
	if (!isPlane)
	{
		meshGather(&pair, 1 - first);
		if (pair.count < MESH_FEW)
		{
			meshEdges(&pair);
		}
	}
	if (pair.count == 0 && pair.insideCount > 0)
	{
		meshDeep(&pair);
	}
	if (pair.count == 0)
	{
		// Edges that were not looked at are no nearer than they are of interest, nor than their ends by more than half their length.
		float apart = meshPointsApart(&pair, 1 - first, most);
		float reach = fmaxf(pair.sides[0].isConcave ? pair.sides[0].solid.mostReach : 2.0f * a->radius,
							pair.sides[1].solid.mostReach);
		apart = fminf(fminf(apart, pair.edgesApart), fmaxf(pair.edgeOut, apart - 0.5f * reach));
		outTouches[0].apart = fmaxf(MESH_APART * apart, boxes);
		return 0;
	}
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
