// SPDX-License-Identifier: MIT

// Boxes and hulls: the axis that separates best, then the faces clipped against each other.
//
// Candidate axes are the face normals of both and the cross products of their edges (Gottschalk et al. 1996); for hulls
// only the pairs of edges whose arcs on the Gauss map cross (Gregorius 2013). An edge axis must beat the best face
// clearly, and a face of B the best face of A by a margin, so that the choice does not flip from step to step; the axis
// of the last call keeps that advantage. Face contact: the most opposed face of the other is clipped by the sides of
// the reference face. What cannot be the best, by a few places of the other polytope, is not measured
// (polytope_view.h).

#include "contact/mesh_pair.h"
#include "contact/polytope_edges.h"

#define POLYTOPE_CLIP_POINTS (2 * BR_HULL_MAX_FACE_SIZE)

#define POLYTOPE_CUT 0x8000u // in the number of a point: where an edge leaves the reference face

// An edge contact must be this part of the depth better than the best face, and its normal this far from the face's.
#define POLYTOPE_EDGE_DEPTH 0.1f
#define POLYTOPE_EDGE_COSINE 0.99f

// What heights over faces may be off by, as a part of the sizes.
#define POLYTOPE_ROUNDING 1e-5f

// From this depth on, as a part of the smaller thickness, the normal of the last step is kept.
#define POLYTOPE_DEEP 0.05f

enum
{
	polytopeAxisNone = 0,
	polytopeAxisFaceA = 1,
	polytopeAxisFaceB = 2,
	polytopeAxisEdges = 3,
	polytopeAxisFree = 4, // any direction that parted them, three bytes
};

// Length of such a direction.
#define POLYTOPE_FREE 127.0f

typedef struct PolytopeAxis
{
	float separation;
	brVec3 normal; // from A to B, in A's axes
	int32_t kind;
	int32_t a, b;       // face, or edges
	const brVec3* kept; // null, or: only axes within 60 degrees of it
} PolytopeAxis;

static bool polytopeIsAllowed(const PolytopeAxis* best, brVec3 normal)
{
	return best->kept == NULL || brDot(*best->kept, normal) > 0.5f;
}

static brVec3 planeNormal(const brShape* shape, int32_t face)
{
	brVec4 plane = brShape_Planes(shape)[face];
	return brMakeVec3(plane.x, plane.y, plane.z);
}

// Two polytopes while they are collided. A box against a box has few faces and edges, and no views.
typedef struct PolytopePair
{
	const brShape *a, *b;
	const brRelativePose* pose;
	float margin;
	float thickness; // of the thinner
	float bias;      // of a preferred axis
	float rounding;  // of heights in views
	bool areBoxes;
	bool hasViews;
	brPolytopeView views[2]; // what A sees of B, and B of A
} PolytopePair;

// Lowest value of n . x over a polytope, and the corner that has it.
static float polytopeLowest(const brShape* shape, brVec3 n, int32_t* outCorner)
{
	if (shape->kind == br_shapeBox)
	{
		*outCorner = (n.x < 0.0f) | ((n.y < 0.0f) << 1) | ((n.z < 0.0f) << 2);
		return -(fabsf(n.x) * shape->half.x + fabsf(n.y) * shape->half.y + fabsf(n.z) * shape->half.z);
	}
	const brVec3* vertices = brShape_Vertices(shape);
	float lowest = INFINITY;
	int32_t corner = 0;
	for (int32_t i = 0; i < shape->vertexCount; ++i)
	{
		float d = brDot(n, vertices[i]);
		corner = d < lowest ? i : corner;
		lowest = d < lowest ? d : lowest;
	}
	*outCorner = corner;
	return lowest;
}

// The same of one of a pair. Once there are views, corners lie side by side in them.
static float polytopeLowestOf(const PolytopePair* pair, bool isB, brVec3 n, int32_t* outCorner)
{
	const brShape* shape = isB ? pair->b : pair->a;
	return pair->hasViews && shape->kind != br_shapeBox ? brPolytopeView_LowestCorner(&pair->views[isB], n, outCorner)
														: polytopeLowest(shape, n, outCorner);
}

// What a face parts the two by, and the corner of the other that is nearest to it.
static float polytopeFace(const PolytopePair* pair, bool isB, int32_t face, int32_t* outCorner)
{
	const brRelativePose* pose = pair->pose;
	if (isB)
	{
		brVec3 n = brRelativePose_Rotate(pose, planeNormal(pair->b, face));
		float lowest = polytopeLowestOf(pair, false, n, outCorner);
		return lowest - brDot(n, pose->p) - brShape_Planes(pair->b)[face].w;
	}
	brVec3 n = planeNormal(pair->a, face);
	float lowest = polytopeLowestOf(pair, true, brRelativePose_InvRotate(pose, n), outCorner);
	return brDot(n, pose->p) + lowest - brShape_Planes(pair->a)[face].w;
}

// B is seen by A and A by B.
static void polytopeSee(PolytopePair* pair, bool isB, int32_t corner)
{
	const brRelativePose* pose = pair->pose;
	brVec3 place = brShape_Vertices(isB ? pair->a : pair->b)[corner];
	brPolytopeView_Add(&pair->views[isB],
					   isB ? brRelativePose_InvRotate(pose, brSub(place, pose->p)) : brRelativePose_Point(pose, place));
}

// Measures a face axis, and makes it the best if it is by the bias. True if it is.
static bool polytopeTryFace(PolytopePair* pair, bool isB, int32_t face, float bias, PolytopeAxis* best)
{
	brVec3 n = planeNormal(isB ? pair->b : pair->a, face);
	n = isB ? brMul(-1.0f, brRelativePose_Rotate(pair->pose, n)) : n;
	if (!polytopeIsAllowed(best, n))
	{
		return false;
	}
	int32_t corner;
	float s = polytopeFace(pair, isB, face, &corner);
	if (!pair->areBoxes)
	{
		polytopeSee(pair, isB, corner);
	}
	if (!(s > best->separation + bias))
	{
		return false;
	}
	*best =
		(PolytopeAxis){s, n, isB ? polytopeAxisFaceB : polytopeAxisFaceA, isB ? -1 : face, isB ? face : -1, best->kept};
	return true;
}

// All face axes of one side; stops at the first that is over `enough`. Those of `floor` and less do not matter.
static void polytopeFaces(PolytopePair* pair, bool isB, float bias, float enough, float floor, PolytopeAxis* best)
{
	const brShape* owner = isB ? pair->b : pair->a;
	float least = best->separation + bias > floor ? best->separation + bias : floor;
	uint8_t faces[BR_VIEW_BLOCKS];
	if (pair->areBoxes)
	{
		faces[0] = (uint8_t)((1 << owner->faceCount) - 1);
	}
	else
	{
		brPolytopeView_FindHigher(&pair->views[isB], least - pair->rounding, faces);
	}
	for (int32_t block = 0; 8 * block < owner->faceCount; ++block)
	{
		for (uint32_t bits = faces[block]; bits != 0; bits &= bits - 1)
		{
			int32_t face = 8 * block + __builtin_ctz(bits);
			// The best may have got better since, and the other was seen in more places.
			least = best->separation + bias > floor ? best->separation + bias : floor;
			if (!pair->areBoxes && brPolytopeView_Lowest(&pair->views[isB], face) <= least - pair->rounding)
			{
				continue;
			}
			if (polytopeTryFace(pair, isB, face, bias, best))
			{
				bias = 0.0f;
				if (best->separation > enough)
				{
					return;
				}
			}
		}
	}
}

// Boxes have three edge directions each. The edge of each that is nearest to the other is found from the axis.
static int32_t boxSupportEdge(const brShape* box, brVec3 n, int32_t direction)
{
	// Corner index has bit k set on the + side.
	int32_t corner = (n.x > 0.0f) | ((n.y > 0.0f) << 1) | ((n.z > 0.0f) << 2);
	int32_t lower = corner & ~(1 << direction), upper = corner | (1 << direction);
	const int32_t(*edges)[4] = brShape_Edges(box);
	for (int32_t i = 0; i < box->edgeCount; ++i)
	{
		if (edges[i][0] == lower && edges[i][1] == upper)
		{
			return i;
		}
	}
	return 0;
}

static void polytopeBoxEdges(const brShape* a, const brShape* b, const brRelativePose* pose, float enough,
							 PolytopeAxis* best)
{
	const brVec3 unit[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
	const brVec3 axes[3] = {pose->x, pose->y, pose->z};
	for (int32_t i = 0; i < 3; ++i)
	{
		for (int32_t j = 0; j < 3; ++j)
		{
			brVec3 n = brCross(unit[i], axes[j]);
			float lengthSq = brDot(n, n);
			if (lengthSq < 1e-4f)
			{
				continue;
			}
			n = brMul(1.0f / sqrtf(lengthSq), n);
			if (brDot(n, pose->p) < 0.0f)
			{
				n = brMul(-1.0f, n);
			}
			brVec3 inB = brRelativePose_InvRotate(pose, n);
			int32_t corner;
			float s = brDot(n, pose->p) + polytopeLowest(a, n, &corner) + polytopeLowest(b, inB, &corner);
			if (s > best->separation && polytopeIsAllowed(best, n))
			{
				*best = (PolytopeAxis){
					s,         n, polytopeAxisEdges, boxSupportEdge(a, n, i), boxSupportEdge(b, brMul(-1.0f, inB), j),
					best->kept};
				if (s > enough)
				{
					return;
				}
			}
		}
	}
}

// The pair of edges that parts them best, if that is by more than `floor`.
static PolytopeAxis polytopeEdges(const PolytopePair* pair, const PolytopeAxis* best, float floor, float enough)
{
	PolytopeAxis edge = {-INFINITY, best->normal, polytopeAxisNone, -1, -1, best->kept};
	if (pair->areBoxes)
	{
		polytopeBoxEdges(pair->a, pair->b, pair->pose, enough, &edge);
		return edge;
	}
	brEdgePair found = brFindEdgePair(pair->views, pair->pose, floor, best->kept, enough);
	if (found.a >= 0)
	{
		edge = (PolytopeAxis){found.separation, found.normal, polytopeAxisEdges, found.a, found.b, best->kept};
	}
	return edge;
}

// Edges after faces. Outside, a pair of edges can part by more than any face; inside, a contact of faces holds with four
// points where one of edges holds with one, so the best face must be clearly worse, and the normals clearly different:
// plates that lie on each other would rock on one point.
static void polytopeTryEdges(const PolytopePair* pair, float enough, PolytopeAxis* best)
{
	float depth = best->separation < 0.0f ? -best->separation : 0.0f;
	float clear = best->separation + pair->bias + POLYTOPE_EDGE_DEPTH * depth;
	PolytopeAxis edge = polytopeEdges(pair, best, clear < enough ? clear : enough, enough);
	bool isClear = edge.separation > clear && brDot(edge.normal, best->normal) < POLYTOPE_EDGE_COSINE;
	if ((best->kind == polytopeAxisNone || edge.separation > enough || isClear) && edge.kind != polytopeAxisNone)
	{
		*best = edge;
	}
}

// Whether no pair of edges can part them clearly better than the best face. No direction parts two bodies by more than
// two places of theirs are apart, and where their faces touch these are apart by what the face says.
static bool polytopeIsSettled(const PolytopePair* pair, const PolytopeAxis* best, const brTouchPoint* points,
							  int32_t count)
{
	for (int32_t i = 0; i < count && best->separation >= 0.0f; ++i)
	{
		if (points[i].separation <= best->separation + pair->bias)
		{
			return true;
		}
	}
	return false;
}

// Clips polygon `in` by a plane n . x <= offset; new points remember which edge of the polygon and which plane.
static int32_t polytopeClip(const brTouchPoint* in, int32_t count, brVec3 n, float offset, uint32_t plane,
							brTouchPoint* out)
{
	int32_t kept = 0;
	brTouchPoint previous = in[count - 1];
	float previousSide = brDot(n, previous.point) - offset;
	for (int32_t i = 0; i < count; ++i)
	{
		brTouchPoint next = in[i];
		float side = brDot(n, next.point) - offset;
		if ((previousSide <= 0.0f) != (side <= 0.0f))
		{
			// Leaving and entering points of one plane must differ, so the low bits tell which.
			float t = previousSide / (previousSide - side);
			brTouchPoint cut = previous;
			cut.point = brMulAdd(previous.point, t, brSub(next.point, previous.point));
			cut.id = POLYTOPE_CUT | (plane << 8 & 0x7F00u) |
					 (previousSide <= 0.0f ? previous.id & 0x7Fu : 0x80u | (next.id & 0x7Fu));
			out[kept++] = cut;
		}
		if (side <= 0.0f)
		{
			out[kept++] = next;
		}
		previous = next, previousSide = side;
	}
	return kept;
}

// The face that looks most against a direction in its axes.
static int32_t polytopeOpposed(const PolytopePair* pair, bool isB, brVec3 n)
{
	if (pair->hasViews)
	{
		return brPolytopeView_OpposedFace(&pair->views[isB], n);
	}
	const brShape* shape = isB ? pair->b : pair->a;
	int32_t opposed = 0;
	float lowest = INFINITY;
	for (int32_t f = 0; f < shape->faceCount; ++f)
	{
		float d = brDot(planeNormal(shape, f), n);
		if (d < lowest)
		{
			lowest = d, opposed = f;
		}
	}
	return opposed;
}

// Reference face on B or on A, everything in its axes; `pose` brings the other into them.
static int32_t polytopeFacePoints(const PolytopePair* pair, bool isB, int32_t face, const brRelativePose* pose,
								  brTouchPoint* outPoints)
{
	const brShape *reference = isB ? pair->b : pair->a, *other = isB ? pair->a : pair->b;
	brVec3 n = planeNormal(reference, face);
	int32_t incident = polytopeOpposed(pair, !isB, brRelativePose_InvRotate(pose, n));
	brTouchPoint buffers[2][POLYTOPE_CLIP_POINTS];
	const int32_t* corners = brShape_Corners(other) + brShape_FaceStarts(other)[incident];
	int32_t count = brShape_FaceStarts(other)[incident + 1] - brShape_FaceStarts(other)[incident];
	for (int32_t k = 0; k < count; ++k)
	{
		buffers[0][k].point = brRelativePose_Point(pose, brShape_Vertices(other)[corners[k]]);
		buffers[0][k].id = (uint32_t)corners[k];
		buffers[0][k].separation = 0.0f;
	}

	const int32_t* sides = brShape_Corners(reference) + brShape_FaceStarts(reference)[face];
	int32_t sideCount = brShape_FaceStarts(reference)[face + 1] - brShape_FaceStarts(reference)[face];
	const brVec3* vertices = brShape_Vertices(reference);
	int32_t from = 0;
	for (int32_t k = 0; k < sideCount && count > 0; ++k)
	{
		brVec3 v = vertices[sides[k]];
		brVec3 outward = brCross(brSub(vertices[sides[(k + 1) % sideCount]], v), n);
		count = polytopeClip(buffers[from], count, outward, brDot(outward, v), (uint32_t)k, buffers[1 - from]);
		count = count < POLYTOPE_CLIP_POINTS - 1 ? count : POLYTOPE_CLIP_POINTS - 2;
		from = 1 - from;
	}
	int32_t kept = 0;
	for (int32_t k = 0; k < count; ++k)
	{
		brTouchPoint p = buffers[from][k];
		p.separation = brDot(n, p.point) - brShape_Planes(reference)[face].w;
		if (p.separation < pair->margin)
		{
			p.point = brMulAdd(p.point, -0.5f * p.separation, n);
			outPoints[kept++] = p;
		}
	}
	return kept;
}

static void polytopeEdgePoint(const brShape* a, const brShape* b, const brRelativePose* pose, const PolytopeAxis* axis,
							  brTouch* touch)
{
	const int32_t* edgeA = brShape_Edges(a)[axis->a];
	const int32_t* edgeB = brShape_Edges(b)[axis->b];
	brVec3 p = brShape_Vertices(a)[edgeA[0]], d = brSub(brShape_Vertices(a)[edgeA[1]], p);
	brVec3 q = brRelativePose_Point(pose, brShape_Vertices(b)[edgeB[0]]);
	brVec3 e = brSub(brRelativePose_Point(pose, brShape_Vertices(b)[edgeB[1]]), q);
	brVec3 r = brSub(p, q);
	float dd = brDot(d, d), ee = brDot(e, e), de = brDot(d, e), dr = brDot(d, r), er = brDot(e, r);
	float denominator = dd * ee - de * de;
	float s = denominator > 0.0f ? (de * er - ee * dr) / denominator : 0.5f;
	s = s < 0.0f ? 0.0f : (s > 1.0f ? 1.0f : s);
	float t = (de * s + er) / ee;
	t = t < 0.0f ? 0.0f : (t > 1.0f ? 1.0f : t);
	touch->normal = axis->normal;
	touch->count = 1;
	touch->points[0] = brMul(0.5f, brAdd(brMulAdd(p, s, d), brMulAdd(q, t, e)));
	touch->separations[0] = axis->separation;
	touch->ids[0] = 0x10000u | (uint32_t)axis->a << 8 | (uint32_t)axis->b;
}

// The corner of the other that is deepest behind the reference face.
static brTouchPoint polytopeDeepest(const brShape* a, const brShape* b, const brRelativePose* pose,
									const PolytopeAxis* axis)
{
	bool isB = axis->kind == polytopeAxisFaceB;
	const brShape* other = isB ? a : b;
	brTouchPoint best = {{0.0f, 0.0f, 0.0f}, axis->separation, 0};
	float deepest = INFINITY;
	for (int32_t i = 0; i < other->vertexCount; ++i)
	{
		brVec3 p = isB ? brShape_Vertices(a)[i] : brRelativePose_Point(pose, brShape_Vertices(b)[i]);
		float d = isB ? -brDot(axis->normal, p) : brDot(axis->normal, p);
		if (d < deepest)
		{
			deepest = d;
			best.point = brMulAdd(p, isB ? 0.5f * axis->separation : -0.5f * axis->separation, axis->normal);
			best.id = 0x40000u | (uint32_t)i;
		}
	}
	return best;
}

// The same axis as last time, measured now. None if it no longer names a feature.
static PolytopeAxis polytopeOldAxis(PolytopePair* pair, uint32_t code, int32_t* outCorner)
{
	PolytopeAxis axis = {-INFINITY, {0.0f, 0.0f, 1.0f}, polytopeAxisNone, -1, -1, NULL};
	int32_t kind = (int32_t)(code >> 24), index = (int32_t)(code & 0xFFFFFFu);
	bool isB = kind == polytopeAxisFaceB;
	if ((!isB && kind != polytopeAxisFaceA) || index >= (isB ? pair->b : pair->a)->faceCount)
	{
		return axis;
	}
	axis.kind = kind;
	axis.a = isB ? -1 : index;
	axis.b = isB ? index : -1;
	axis.separation = polytopeFace(pair, isB, index, outCorner);
	brVec3 n = planeNormal(isB ? pair->b : pair->a, index);
	axis.normal = isB ? brMul(-1.0f, brRelativePose_Rotate(pair->pose, n)) : n;
	return axis;
}

static uint32_t polytopePack(brVec3 n)
{
	uint32_t x = (uint8_t)(int8_t)(POLYTOPE_FREE * n.x), y = (uint8_t)(int8_t)(POLYTOPE_FREE * n.y),
			 z = (uint8_t)(int8_t)(POLYTOPE_FREE * n.z);
	return (uint32_t)polytopeAxisFree << 24 | x << 16 | y << 8 | z;
}

// The corner of B that is least along a direction, less that of A that is farthest.
static brVec3 polytopeCorner(const PolytopePair* pair, brVec3 n)
{
	int32_t atA, atB;
	polytopeLowestOf(pair, false, brMul(-1.0f, n), &atA);
	polytopeLowestOf(pair, true, brRelativePose_InvRotate(pair->pose, n), &atB);
	return brSub(brRelativePose_Point(pair->pose, brShape_Vertices(pair->b)[atB]), brShape_Vertices(pair->a)[atA]);
}

// By how much a direction that parted them last time does so now; -INFINITY if there is none.
static float polytopeOldGap(const PolytopePair* pair, uint32_t code)
{
	brVec3 n = {(float)(int8_t)(code >> 16 & 0xFFu), (float)(int8_t)(code >> 8 & 0xFFu), (float)(int8_t)(code & 0xFFu)};
	float length = brLength(n);
	if (code >> 24 != polytopeAxisFree || !(length > 0.0f))
	{
		return -INFINITY;
	}
	n = brMul(1.0f / length, n);
	return brDot(n, polytopeCorner(pair, n)) - pair->rounding;
}

// Two that come by each other with a corner are parted by no face and by no edges as far as they are apart.
static float polytopeApart(const PolytopePair* pair, brVec3* outNormal)
{
	brApartSearch search = {.way = pair->pose->p,
							.margin = pair->margin,
							.enough = pair->margin,
							.slack = pair->rounding,
							.apart = -INFINITY};
	for (brVec3 n; brApartSearch_Next(&search, &n);)
	{
		brApartSearch_Add(&search, n, polytopeCorner(pair, n));
	}
	*outNormal = search.normal;
	return search.apart;
}

// Where the face of the best axis and the face of the other that looks most against it touch. Returns how many points
// there are.
static int32_t polytopePoints(const PolytopePair* pair, const PolytopeAxis* best, brTouchPoint* points)
{
	const brRelativePose* pose = pair->pose;
	if (best->kind == polytopeAxisFaceA)
	{
		return polytopeFacePoints(pair, false, best->a, pose, points);
	}
	// The same with the roles exchanged, then back into A's axes.
	brRelativePose back = {{pose->x.x, pose->y.x, pose->z.x},
						   {pose->x.y, pose->y.y, pose->z.y},
						   {pose->x.z, pose->y.z, pose->z.z},
						   brRelativePose_InvRotate(pose, brMul(-1.0f, pose->p))};
	int32_t count = polytopeFacePoints(pair, true, best->b, &back, points);
	for (int32_t i = 0; i < count; ++i)
	{
		points[i].point = brRelativePose_Point(pose, points[i].point);
		points[i].id |= 0x20000u;
	}
	return count;
}

// The two are near each other where their faces touch: each looks at the other there, at the deepest point, in the
// middle and between.
static void polytopeSeePoints(PolytopePair* pair, const PolytopeAxis* best, const brTouchPoint* points, int32_t count)
{
	brVec3 middle = {0.0f, 0.0f, 0.0f};
	float separation = 0.0f;
	int32_t deepest = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		middle = brMulAdd(middle, 1.0f / (float)count, points[i].point);
		separation += points[i].separation / (float)count;
		deepest = points[i].separation < points[deepest].separation ? i : deepest;
	}
	for (int32_t k = 0; k < 3 && count > 0; ++k)
	{
		float part = k == 0 ? 0.0f : k == 1 ? 0.25f : 1.0f;
		brVec3 p = brMulAdd(points[deepest].point, part, brSub(middle, points[deepest].point));
		float s = points[deepest].separation + part * (separation - points[deepest].separation);
		brVec3 onA = brMulAdd(p, -0.5f * s, best->normal), onB = brMulAdd(p, 0.5f * s, best->normal);
		brPolytopeView_Add(&pair->views[0], onB);
		brPolytopeView_Add(&pair->views[1], brRelativePose_InvRotate(pair->pose, brSub(onA, pair->pose->p)));
	}
}

// Makes the views of both.
static void polytopeLook(PolytopePair* pair)
{
	if (!pair->areBoxes && !pair->hasViews)
	{
		brPolytopeView_Init(&pair->views[0], pair->a);
		brPolytopeView_Init(&pair->views[1], pair->b);
		pair->hasViews = true;
	}
}

// Where the middle of the other is, if the two did not touch by the old face, and the corner nearest to that.
static void polytopeSeeMiddles(PolytopePair* pair, const PolytopeAxis* old, int32_t oldCorner)
{
	int32_t corner;
	brVec3 way = brMul(-1.0f, pair->pose->p);
	polytopeLowestOf(pair, true, brRelativePose_InvRotate(pair->pose, brMul(-1.0f, way)), &corner);
	polytopeSee(pair, false, corner);
	polytopeLowestOf(pair, false, way, &corner);
	polytopeSee(pair, true, corner);
	if (old->kind != polytopeAxisNone)
	{
		polytopeSee(pair, old->kind == polytopeAxisFaceB, oldCorner);
	}
}

// The best face of both; the old one stays until another is better by the bias. Where they touch by the old one, the
// points there tell most of what the others are worth.
static PolytopeAxis polytopeBestFace(PolytopePair* pair, const PolytopeAxis* old, int32_t oldCorner,
									 const brTouchPoint* points, int32_t count)
{
	PolytopeAxis best = {-INFINITY, {0.0f, 0.0f, 1.0f}, polytopeAxisNone, -1, -1, NULL};
	float floor = old->separation < pair->margin ? old->separation : pair->margin;
	polytopeLook(pair);
	if (!pair->areBoxes && count > 0)
	{
		polytopeSeePoints(pair, old, points, count);
	}
	else if (!pair->areBoxes)
	{
		polytopeSeeMiddles(pair, old, oldCorner);
	}
	polytopeFaces(pair, false, 0.0f, pair->margin, floor, &best);
	if (best.separation <= pair->margin)
	{
		polytopeFaces(pair, true, pair->bias, pair->margin, floor, &best);
	}
	return old->kind != polytopeAxisNone && old->separation > best.separation - pair->bias ? *old : best;
}

// They touched a step ago, and now the short way out is the far side, or deep inside a way that is not the way in: a
// thin body was driven past the middle of another, or all the way through. It goes back the way it came. What slides
// off an edge is not meant: it leaves sideways, and then it is not deep.
static void polytopeGoBack(PolytopePair* pair, const brKeptTouch* kept, PolytopeAxis* best)
{
	float along = brDot(kept->normal, best->normal);
	if (along < -0.5f || (along < 0.5f && best->separation < -POLYTOPE_DEEP * pair->thickness))
	{
		PolytopeAxis back = {-INFINITY, kept->normal, polytopeAxisNone, -1, -1, &kept->normal};
		polytopeLook(pair);
		polytopeFaces(pair, false, 0.0f, INFINITY, -INFINITY, &back);
		polytopeFaces(pair, true, pair->bias, INFINITY, -INFINITY, &back);
		polytopeTryEdges(pair, INFINITY, &back);
		*best = back.kind != polytopeAxisNone ? back : *best;
	}
}

void brCollidePolytopes(const brShape* a, const brShape* b, const brRelativePose* pose, float margin, uint32_t* axis,
						const brKeptTouch* kept, brTouch* outTouch)
{
	outTouch->count = 0;
	PolytopePair pair;
	pair.a = a, pair.b = b, pair.pose = pose, pair.margin = margin;
	pair.thickness = a->thickness < b->thickness ? a->thickness : b->thickness;
	pair.bias = BR_TOUCH_BIAS * pair.thickness;
	pair.rounding = POLYTOPE_ROUNDING * (a->radius + b->radius + brLength(pose->p));
	pair.areBoxes = a->kind == br_shapeBox && b->kind == br_shapeBox;
	pair.hasViews = false;
	if (kept != NULL)
	{
		polytopeLook(&pair); // which those that parted mostly can do without
	}

	// What parted them last time mostly still does.
	int32_t corner = 0;
	PolytopeAxis old = polytopeOldAxis(&pair, *axis, &corner);
	float gap = kept == NULL ? fmaxf(old.separation, polytopeOldGap(&pair, *axis)) : -INFINITY;
	if (gap > margin)
	{
		outTouch->apart = gap;
		return;
	}
	// So they mostly touch where they did, and often that is all.
	brTouchPoint points[POLYTOPE_CLIP_POINTS];
	int32_t count = old.kind != polytopeAxisNone && old.separation <= margin ? polytopePoints(&pair, &old, points) : 0;
	bool isSettled = polytopeIsSettled(&pair, &old, points, count);
	PolytopeAxis best = isSettled ? old : polytopeBestFace(&pair, &old, corner, points, count);
	int32_t face = best.kind == polytopeAxisFaceA ? best.a : best.b, kind = best.kind;
	if (best.separation <= margin && !isSettled)
	{
		bool isOld = kind == old.kind && best.a == old.a && best.b == old.b;
		count = isOld ? count : polytopePoints(&pair, &best, points);
		brVec3 normal = best.normal;
		float apart = count == 0 && best.separation > 0.0f && pair.hasViews ? polytopeApart(&pair, &normal) : -INFINITY;
		if (apart > margin)
		{
			*axis = polytopePack(normal);
			outTouch->apart = apart;
			return;
		}
		if (!polytopeIsSettled(&pair, &best, points, count))
		{
			if (!pair.areBoxes && !(isOld && count > 0))
			{
				polytopeSeePoints(&pair, &best, points, count);
			}
			polytopeTryEdges(&pair, margin, &best);
		}
	}
	if (kept != NULL)
	{
		polytopeGoBack(&pair, kept, &best);
	}
	*axis = (uint32_t)best.kind << 24 | (uint32_t)(best.kind == polytopeAxisFaceA ? best.a : best.b);
	if (best.separation > margin)
	{
		*axis = best.kind == polytopeAxisEdges ? polytopePack(best.normal) : *axis;
		outTouch->apart = best.separation;
		return;
	}
	if (best.kind == polytopeAxisEdges)
	{
		polytopeEdgePoint(a, b, pose, &best, outTouch);
		return;
	}
	if (best.kind != kind || (best.kind == polytopeAxisFaceA ? best.a : best.b) != face)
	{
		count = polytopePoints(&pair, &best, points);
	}
	if (count == 0 && best.separation <= 0.0f)
	{
		// They overlap, but not where both faces are: the edges that were passed over, or the deepest corner.
		PolytopeAxis spare = polytopeEdges(&pair, &best, best.separation, best.kept == NULL ? margin : INFINITY);
		if (spare.separation > best.separation)
		{
			polytopeEdgePoint(a, b, pose, &spare, outTouch);
			return;
		}
		points[count++] = polytopeDeepest(a, b, pose, &best);
	}
	brReduceTouch(points, count, best.normal, kept, pair.bias, margin, outTouch);
	if (count == 0)
	{
		outTouch->apart = best.separation; // the faces do not overlap when seen along the normal
	}
}

int32_t brPolytope_FindCorner(uint32_t axis, uint32_t id)
{
	uint32_t kind = axis >> 24;
	bool isCut = (id & POLYTOPE_CUT) != 0;
	return isCut || (kind != polytopeAxisFaceA && kind != polytopeAxisFaceB) ? -1 : kind == polytopeAxisFaceA;
}
