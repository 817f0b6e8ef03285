// SPDX-License-Identifier: MIT

// Boxes and hulls: the axis that separates best, then the faces clipped against each other.
//
// Candidate axes are the face normals of both and the cross products of their edges (Gottschalk et al. 1996); for hulls only
// the pairs of edges whose arcs on the Gauss map cross (Gregorius 2013). An edge axis must beat the best face clearly,
// and a face of B the best face of A by a margin, so that the choice does not flip from step to step; the axis of the last call keeps
// that advantage. Face contact: the most opposed face of the other is clipped by the sides of the reference face.

#include "contact/polytope_edges.h"

#define POLYTOPE_CLIP_POINTS (2 * BR_HULL_MAX_FACE_SIZE)

// An edge contact must be this part of the depth better than the best face, and its normal this far from the face's.
#define POLYTOPE_EDGE_DEPTH 0.1f
#define POLYTOPE_EDGE_COSINE 0.99f

// From this depth on, as a part of the smaller thickness, the normal of the last step is kept.
#define POLYTOPE_DEEP 0.05f

enum
{
	polytopeAxisNone = 0,
	polytopeAxisFaceA = 1,
	polytopeAxisFaceB = 2,
	polytopeAxisEdges = 3,
};

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

// Lowest value of n . x over a polytope.
static float polytopeLowest(const brShape* shape, brVec3 n)
{
	if (shape->kind == br_shapeBox)
	{
		return -(fabsf(n.x) * shape->half.x + fabsf(n.y) * shape->half.y + fabsf(n.z) * shape->half.z);
	}
	const brVec3* vertices = brShape_Vertices(shape);
	float lowest = INFINITY;
	for (int32_t i = 0; i < shape->vertexCount; ++i)
	{
		float d = brDot(n, vertices[i]);
		lowest = d < lowest ? d : lowest;
	}
	return lowest;
}

static float polytopeFaceA(const brShape* a, const brShape* b, const brRelativePose* pose, int32_t face)
{
	brVec3 n = planeNormal(a, face);
	return brDot(n, pose->p) + polytopeLowest(b, brRelativePose_InvRotate(pose, n)) - brShape_Planes(a)[face].w;
}

static float polytopeFaceB(const brShape* a, const brShape* b, const brRelativePose* pose, int32_t face)
{
	brVec3 m = planeNormal(b, face);
	brVec3 n = brRelativePose_Rotate(pose, m);
	return polytopeLowest(a, n) - brDot(n, pose->p) - brShape_Planes(b)[face].w;
}

// All face axes of one side; stops at the first that is over `enough`.
static void polytopeFaces(const brShape* a, const brShape* b, const brRelativePose* pose, bool isB, float bias,
						  float enough, PolytopeAxis* best)
{
	const brShape* owner = isB ? b : a;
	for (int32_t f = 0; f < owner->faceCount; ++f)
	{
		float s = isB ? polytopeFaceB(a, b, pose, f) : polytopeFaceA(a, b, pose, f);
		if (s > best->separation + bias)
		{
			brVec3 n = planeNormal(owner, f);
			n = isB ? brMul(-1.0f, brRelativePose_Rotate(pose, n)) : n;
			if (!polytopeIsAllowed(best, n))
			{
				continue;
			}
			best->separation = s;
			best->normal = n;
			best->kind = isB ? polytopeAxisFaceB : polytopeAxisFaceA;
			best->a = isB ? -1 : f;
			best->b = isB ? f : -1;
			bias = 0.0f;
			if (s > enough)
			{
				return;
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
			float s = brDot(n, pose->p) + polytopeLowest(a, n) + polytopeLowest(b, inB);
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

// Edges after faces. Outside, a pair of edges can part by more than any face; inside, a contact of faces holds with four
// points where one of edges holds with one, so the best face must be clearly worse, and the normals clearly different: plates
// that lie on each other would rock on one point. `outSpare` is the best pair of edges in any case, if it beats the faces at all.
static void polytopeEdges(const brShape* a, const brShape* b, const brRelativePose* pose, float bias, float enough,
						  PolytopeAxis* best, PolytopeAxis* outSpare)
{
	PolytopeAxis edge = {-INFINITY, best->normal, polytopeAxisNone, -1, -1, best->kept};
	if (a->kind == br_shapeBox && b->kind == br_shapeBox)
	{
		polytopeBoxEdges(a, b, pose, enough, &edge);
	}
	else
	{
		brEdgePair pair = brFindEdgePair(a, b, pose, best->separation, best->kept, enough);
		if (pair.a >= 0)
		{
			edge = (PolytopeAxis){pair.separation, pair.normal, polytopeAxisEdges, pair.a, pair.b, best->kept};
		}
	}
	float depth = best->separation < 0.0f ? -best->separation : 0.0f;
	bool isClear = edge.separation > best->separation + bias + POLYTOPE_EDGE_DEPTH * depth &&
				   brDot(edge.normal, best->normal) < POLYTOPE_EDGE_COSINE;
	if (best->kind == polytopeAxisNone || edge.separation > enough || isClear)
	{
		*best = edge.kind != polytopeAxisNone ? edge : *best;
	}
	*outSpare = edge;
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
			cut.id = 0x8000u | (plane << 8 & 0x7F00u) |
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

// Reference face on `reference`, everything in its axes; `pose` brings the other into them.
static int32_t polytopeFacePoints(const brShape* reference, int32_t face, const brShape* other,
								  const brRelativePose* pose, float margin, brTouchPoint* outPoints)
{
	brVec3 n = planeNormal(reference, face);
	brVec3 inOther = brRelativePose_InvRotate(pose, n);

	// The face that looks most against the normal.
	int32_t incident = 0;
	float lowest = INFINITY;
	for (int32_t f = 0; f < other->faceCount; ++f)
	{
		float d = brDot(planeNormal(other, f), inOther);
		if (d < lowest)
		{
			lowest = d, incident = f;
		}
	}
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
		if (p.separation < margin)
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

// The same axis as last time, measured now. False if it no longer names a feature.
static bool polytopeOldAxis(const brShape* a, const brShape* b, const brRelativePose* pose, uint32_t code, float* out)
{
	int32_t kind = (int32_t)(code >> 24), index = (int32_t)(code & 0xFFFFFFu);
	if (kind == polytopeAxisFaceA && index < a->faceCount)
	{
		*out = polytopeFaceA(a, b, pose, index);
		return true;
	}
	if (kind == polytopeAxisFaceB && index < b->faceCount)
	{
		*out = polytopeFaceB(a, b, pose, index);
		return true;
	}
	return false;
}

void brCollidePolytopes(const brShape* a, const brShape* b, const brRelativePose* pose, float margin, uint32_t* axis,
						const brKeptTouch* kept, brTouch* outTouch)
{
	outTouch->count = 0;
	float thickness = a->thickness < b->thickness ? a->thickness : b->thickness;
	float bias = BR_TOUCH_BIAS * thickness; // of a preferred axis too

	// What parted them last time mostly still does.
	float old = -INFINITY;
	bool hasOld = polytopeOldAxis(a, b, pose, *axis, &old);
	if (old > margin && kept == NULL)
	{
		outTouch->apart = old;
		return;
	}
	PolytopeAxis best = {-INFINITY, {0.0f, 0.0f, 1.0f}, polytopeAxisNone, -1, -1, NULL};
	polytopeFaces(a, b, pose, false, 0.0f, margin, &best);
	if (best.separation <= margin)
	{
		polytopeFaces(a, b, pose, true, bias, margin, &best);
	}
	if (hasOld && old > best.separation - bias)
	{
		bool isB = (*axis >> 24) == polytopeAxisFaceB;
		int32_t face = (int32_t)(*axis & 0xFFFFFFu);
		brVec3 n = planeNormal(isB ? b : a, face);
		best = (PolytopeAxis){old,
							  isB ? brMul(-1.0f, brRelativePose_Rotate(pose, n)) : n,
							  isB ? polytopeAxisFaceB : polytopeAxisFaceA,
							  isB ? -1 : face,
							  isB ? face : -1,
							  NULL};
	}
	PolytopeAxis spare = {-INFINITY, best.normal, polytopeAxisNone, -1, -1, NULL};
	if (best.separation <= margin)
	{
		polytopeEdges(a, b, pose, bias, margin, &best, &spare);
	}
	float along = kept != NULL ? brDot(kept->normal, best.normal) : 1.0f;
	if (along < -0.5f || (along < 0.5f && best.separation < -POLYTOPE_DEEP * thickness))
	{
		// They touched a step ago, and now the short way out is the far side, or deep inside a way that is not the way in: a
		// thin body was driven past the middle of another, or all the way through. It goes back the way it came. What slides
		// off an edge is not meant: it leaves sideways, and then it is not deep.
		PolytopeAxis back = {-INFINITY, kept->normal, polytopeAxisNone, -1, -1, &kept->normal};
		polytopeFaces(a, b, pose, false, 0.0f, INFINITY, &back);
		polytopeFaces(a, b, pose, true, bias, INFINITY, &back);
		polytopeEdges(a, b, pose, bias, INFINITY, &back, &spare);
		best = back.kind != polytopeAxisNone ? back : best;
	}
	*axis = (uint32_t)best.kind << 24 | (uint32_t)(best.kind == polytopeAxisFaceA ? best.a : best.b);
	if (best.separation > margin)
	{
		outTouch->apart = best.separation;
		return;
	}
	if (best.kind == polytopeAxisEdges)
	{
		polytopeEdgePoint(a, b, pose, &best, outTouch);
		return;
	}
	brTouchPoint points[POLYTOPE_CLIP_POINTS];
	int32_t count;
	if (best.kind == polytopeAxisFaceA)
	{
		count = polytopeFacePoints(a, best.a, b, pose, margin, points);
	}
	else
	{
		// The same with the roles exchanged, then back into A's axes.
		brRelativePose back = {{pose->x.x, pose->y.x, pose->z.x},
							   {pose->x.y, pose->y.y, pose->z.y},
							   {pose->x.z, pose->y.z, pose->z.z},
							   brRelativePose_InvRotate(pose, brMul(-1.0f, pose->p))};
		count = polytopeFacePoints(b, best.b, a, &back, margin, points);
		for (int32_t i = 0; i < count; ++i)
		{
			points[i].point = brRelativePose_Point(pose, points[i].point);
			points[i].id |= 0x20000u;
		}
	}
	if (count == 0 && best.separation <= 0.0f)
	{
		// They overlap, but not where both faces are: the edges that were passed over, or the deepest corner.
		if (spare.separation > best.separation)
		{
			polytopeEdgePoint(a, b, pose, &spare, outTouch);
			return;
		}
		points[count++] = polytopeDeepest(a, b, pose, &best);
	}
	brReduceTouch(points, count, best.normal, kept, bias, margin, outTouch);
	if (count == 0)
	{
		outTouch->apart = best.separation; // the faces do not overlap when seen along the normal
	}
}
