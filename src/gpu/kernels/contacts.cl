// SPDX-License-Identifier: MIT

// Where two bodies touch: spheres, capsules, boxes, hulls and half-spaces, a thread a pair, by the rules of
// src/contact.
//
// Everything is float in the axes of A; B comes by its pose relative to A, found in double. Boxes and hulls: the axis
// that separates best among face normals and pairs of edges whose arcs on the Gauss map cross, then the most opposed
// face clipped by the sides of the reference face, then four points that span most.

#define TOUCH_POINTS 4
#define TOUCH_CLIP 24 // corners of a face while it is clipped; more are cut off

#define SHAPE_HALF_SPACE 0
#define SHAPE_SPHERE 1
#define SHAPE_CAPSULE 2
#define SHAPE_BOX 3
#define SHAPE_HULL 4 // meshes and surfaces are above

#define TOUCH_NONE 0u
#define TOUCH_FACE_A 1u
#define TOUCH_FACE_B 2u
#define TOUCH_EDGES 3u

#define TOUCH_BIAS 0.005f
#define TOUCH_EDGE_DEPTH 0.1f
#define TOUCH_EDGE_COSINE 0.99f

// As StepShape in gpu_world.c: 20 words.
typedef struct GpuShape
{
	int kind;
	int vertexStart, vertexCount;
	int faceStart, faceCount; // of planes; starts of corners have one more a shape
	int cornerStart, loopStart;
	int edgeStart, edgeCount;
	float radius, thickness, round;
	float halfX, halfY, halfZ;
	float centerX, centerY, centerZ; // of its box
	float along;                     // half the length of a capsule
	int rolls;
} GpuShape;

typedef struct Hulls
{
	__global const GpuShape* shapes;
	__global const float4* vertices;
	__global const float4* planes;
	__global const int* faceStarts;
	__global const int* corners;
	__global const int4* edges; // vertex, vertex, face, face
} Hulls;

// B's axes and origin in A's.
typedef struct Pose
{
	float3 x, y, z, p;
} Pose;

inline float3 poseTurn(const Pose* pose, float3 a)
{
	return a.x * pose->x + a.y * pose->y + a.z * pose->z;
}

inline float3 poseTurnBack(const Pose* pose, float3 a)
{
	return (float3)(dot(pose->x, a), dot(pose->y, a), dot(pose->z, a));
}

inline float3 posePoint(const Pose* pose, float3 a)
{
	return poseTurn(pose, a) + pose->p;
}

typedef struct Touch
{
	float3 normal; // from A to B
	int count;
	float3 points[TOUCH_POINTS]; // halfway between the surfaces
	float separations[TOUCH_POINTS];
	uint ids[TOUCH_POINTS];
	uint axis;
	float apart; // without points: a lower bound of the distance
} Touch;

typedef struct Axis
{
	float separation;
	float3 normal;
	uint kind;
	int a, b;
} Axis;

inline float3 hullVertex(const Hulls* hulls, const GpuShape* shape, int i)
{
	return hulls->vertices[shape->vertexStart + i].xyz;
}

inline float4 hullPlane(const Hulls* hulls, const GpuShape* shape, int face)
{
	return hulls->planes[shape->faceStart + face];
}

// Lowest value of n . x.
inline float hullLowest(const Hulls* hulls, const GpuShape* shape, float3 n)
{
	if (shape->kind == SHAPE_BOX)
	{
		return -(fabs(n.x) * shape->halfX + fabs(n.y) * shape->halfY + fabs(n.z) * shape->halfZ);
	}
	float lowest = INFINITY;
	for (int i = 0; i < shape->vertexCount; ++i)
	{
		lowest = fmin(lowest, dot(n, hullVertex(hulls, shape, i)));
	}
	return lowest;
}

inline float touchFaceA(const Hulls* hulls, const GpuShape* a, const GpuShape* b, const Pose* pose, int face)
{
	float4 plane = hullPlane(hulls, a, face);
	return dot(plane.xyz, pose->p) + hullLowest(hulls, b, poseTurnBack(pose, plane.xyz)) - plane.w;
}

inline float touchFaceB(const Hulls* hulls, const GpuShape* a, const GpuShape* b, const Pose* pose, int face)
{
	float4 plane = hullPlane(hulls, b, face);
	float3 n = poseTurn(pose, plane.xyz);
	return hullLowest(hulls, a, n) - dot(n, pose->p) - plane.w;
}

inline void touchEdges(const Hulls* hulls, const GpuShape* a, const GpuShape* b, const Pose* pose, Axis* best)
{
	for (int j = 0; j < b->edgeCount; ++j)
	{
		const int4 edgeB = hulls->edges[b->edgeStart + j];
		const float3 c = -poseTurn(pose, hullPlane(hulls, b, edgeB.z).xyz);
		const float3 d = -poseTurn(pose, hullPlane(hulls, b, edgeB.w).xyz);
		const float3 q = posePoint(pose, hullVertex(hulls, b, edgeB.x));
		const float3 e = posePoint(pose, hullVertex(hulls, b, edgeB.y)) - q;
		for (int i = 0; i < a->edgeCount; ++i)
		{
			// The arcs of the two edges on the unit sphere cross.
			const int4 edgeA = hulls->edges[a->edgeStart + i];
			const float3 p = hullVertex(hulls, a, edgeA.x), f = hullVertex(hulls, a, edgeA.y) - p;
			const float cf = dot(c, f), df = dot(d, f);
			if (!(cf * df < 0.0f))
			{
				continue; // most end here, before planes are read
			}
			const float ae = dot(hullPlane(hulls, a, edgeA.z).xyz, e), be = dot(hullPlane(hulls, a, edgeA.w).xyz, e);
			if (!(ae * be < 0.0f && cf * be > 0.0f))
			{
				continue;
			}
			float3 n = cross(f, e);
			const float lengthSq = dot(n, n);
			if (lengthSq < 1e-4f * dot(f, f) * dot(e, e))
			{
				continue; // parallel: faces answer
			}
			n *= 1.0f / sqrt(lengthSq);
			n = dot(n, p) < 0.0f ? -n : n; // out of A, whose origin is inside
			const float s = dot(n, q - p);
			if (s > best->separation)
			{
				best->separation = s, best->normal = n, best->kind = TOUCH_EDGES, best->a = i, best->b = j;
			}
		}
	}
}

inline void touchEdgePoint(const Hulls* hulls, const GpuShape* a, const GpuShape* b, const Pose* pose, const Axis* axis,
						   Touch* touch)
{
	const int4 edgeA = hulls->edges[a->edgeStart + axis->a], edgeB = hulls->edges[b->edgeStart + axis->b];
	const float3 p = hullVertex(hulls, a, edgeA.x), d = hullVertex(hulls, a, edgeA.y) - p;
	const float3 q = posePoint(pose, hullVertex(hulls, b, edgeB.x)), e = posePoint(pose, hullVertex(hulls, b, edgeB.y)) - q;
	const float3 r = p - q;
	const float dd = dot(d, d), ee = dot(e, e), de = dot(d, e), dr = dot(d, r), er = dot(e, r);
	const float denominator = dd * ee - de * de;
	const float s = clamp(denominator > 0.0f ? (de * er - ee * dr) / denominator : 0.5f, 0.0f, 1.0f);
	const float t = clamp((de * s + er) / ee, 0.0f, 1.0f);
	touch->normal = axis->normal;
	touch->count = 1;
	touch->points[0] = 0.5f * (p + s * d + q + t * e);
	touch->separations[0] = axis->separation;
	touch->ids[0] = 0x10000u | (uint)axis->a << 8 | (uint)axis->b;
}

// What is known of the contact a step ago.
typedef struct TouchKept
{
	uint axis;
	uint ids[4];
	int count;
} TouchKept;

// Points of the last step weigh a sixth more.
inline float touchWeight(const TouchKept* kept, uint id)
{
	bool isKept = false;
	for (int k = 0; k < kept->count; ++k)
	{
		isKept = isKept || kept->ids[k] == id;
	}
	return isKept ? 1.0f + 1.0f / 6.0f : 1.0f;
}

// At most four points that hold as much as all: w of a point is its separation.
inline void touchReduce(const float4* points, const uint* ids, int count, float3 normal, float bias,
						const TouchKept* kept, Touch* touch)
{
	int chosen[4] = {0, 1, 2, 3};
	if (count > TOUCH_POINTS)
	{
		float3 mean = (float3)(0.0f);
		int deepest = 0;
		float lowest = INFINITY;
		for (int i = 0; i < count; ++i)
		{
			mean += points[i].xyz / (float)count;
			const float depth = points[i].w - (touchWeight(kept, ids[i]) > 1.0f ? bias : 0.0f);
			deepest = depth < lowest ? i : deepest;
			lowest = fmin(lowest, depth);
		}
		float best = -1.0f;
		for (int i = 0; i < count; ++i)
		{
			const float3 d = touchWeight(kept, ids[i]) * (points[i].xyz - mean);
			if (dot(d, d) > best)
			{
				best = dot(d, d), chosen[0] = i;
			}
		}
		best = -1.0f;
		for (int i = 0; i < count; ++i)
		{
			const float3 d = touchWeight(kept, ids[i]) * (points[i].xyz - points[chosen[0]].xyz);
			if (dot(d, d) > best)
			{
				best = dot(d, d), chosen[1] = i;
			}
		}
		const float3 across = cross(normal, points[chosen[1]].xyz - points[chosen[0]].xyz);
		float most = 0.0f, least = 0.0f;
		chosen[2] = chosen[3] = -1;
		for (int i = 0; i < count; ++i)
		{
			const float side = touchWeight(kept, ids[i]) * dot(across, points[i].xyz - points[chosen[0]].xyz);
			if (side > most)
			{
				most = side, chosen[2] = i;
			}
			if (side < least)
			{
				least = side, chosen[3] = i;
			}
		}
		// The deepest takes the place of the nearest, if it was left out.
		int nearest = 0;
		bool hasDeepest = false;
		best = INFINITY;
		for (int k = 0; k < 4; ++k)
		{
			if (chosen[k] >= 0)
			{
				const float3 d = points[chosen[k]].xyz - points[deepest].xyz;
				hasDeepest = hasDeepest || chosen[k] == deepest;
				nearest = dot(d, d) < best ? k : nearest;
				best = fmin(best, dot(d, d));
			}
		}
		chosen[nearest] = hasDeepest ? chosen[nearest] : deepest;
	}
	touch->normal = normal;
	touch->count = 0;
	for (int k = 0; k < min(count, TOUCH_POINTS); ++k)
	{
		bool isNew = chosen[k] >= 0;
		for (int m = 0; m < k; ++m)
		{
			isNew = isNew && chosen[m] != chosen[k];
		}
		if (isNew)
		{
			touch->points[touch->count] = points[chosen[k]].xyz;
			touch->separations[touch->count] = points[chosen[k]].w;
			touch->ids[touch->count++] = ids[chosen[k]];
		}
	}
}

// Reference face on `reference`, everything in its axes; `pose` brings the other into them. Returns how many points.
inline int touchFacePoints(const Hulls* hulls, const GpuShape* reference, int face, const GpuShape* other,
						   const Pose* pose, float margin, float4* points, uint* ids)
{
	const float4 plane = hullPlane(hulls, reference, face);
	const float3 n = plane.xyz, inOther = poseTurnBack(pose, n);
	int incident = 0;
	float lowest = INFINITY;
	for (int f = 0; f < other->faceCount; ++f)
	{
		const float d = dot(hullPlane(hulls, other, f).xyz, inOther);
		incident = d < lowest ? f : incident;
		lowest = fmin(lowest, d);
	}
	float4 spare[TOUCH_CLIP];
	uint spareIds[TOUCH_CLIP];
	const int first = hulls->faceStarts[other->loopStart + incident];
	int count = min(hulls->faceStarts[other->loopStart + incident + 1] - first, TOUCH_CLIP);
	for (int k = 0; k < count; ++k)
	{
		const int corner = hulls->corners[other->cornerStart + first + k];
		points[k].xyz = posePoint(pose, hullVertex(hulls, other, corner));
		ids[k] = (uint)corner;
	}
	const int firstSide = hulls->faceStarts[reference->loopStart + face];
	const int sides = hulls->faceStarts[reference->loopStart + face + 1] - firstSide;
	for (int k = 0; k < sides && count > 0; ++k)
	{
		const float3 v = hullVertex(hulls, reference, hulls->corners[reference->cornerStart + firstSide + k]);
		const float3 w =
			hullVertex(hulls, reference, hulls->corners[reference->cornerStart + firstSide + (k + 1 < sides ? k + 1 : 0)]);
		const float3 outward = cross(w - v, n);
		const float offset = dot(outward, v);
		int kept = 0;
		for (int i = 0; i < count; ++i)
		{
			spare[i] = points[i];
			spareIds[i] = ids[i];
		}
		int previous = count - 1;
		float previousSide = dot(outward, spare[previous].xyz) - offset;
		for (int i = 0; i < count; ++i)
		{
			const float side = dot(outward, spare[i].xyz) - offset;
			if ((previousSide <= 0.0f) != (side <= 0.0f) && kept < TOUCH_CLIP)
			{
				const float t = previousSide / (previousSide - side);
				points[kept].xyz = spare[previous].xyz + t * (spare[i].xyz - spare[previous].xyz);
				ids[kept++] = 0x8000u | ((uint)k << 8 & 0x7F00u) |
							  (previousSide <= 0.0f ? spareIds[previous] & 0x7Fu : 0x80u | (spareIds[i] & 0x7Fu));
			}
			if (side <= 0.0f && kept < TOUCH_CLIP)
			{
				points[kept] = spare[i];
				ids[kept++] = spareIds[i];
			}
			previous = i, previousSide = side;
		}
		count = kept;
	}
	int kept = 0;
	for (int k = 0; k < count; ++k)
	{
		const float separation = dot(n, points[k].xyz) - plane.w;
		if (separation < margin)
		{
			points[kept] = (float4)(points[k].xyz - 0.5f * separation * n, separation);
			ids[kept++] = ids[k];
		}
	}
	return kept;
}

inline void touchHulls(const Hulls* hulls, const GpuShape* a, const GpuShape* b, const Pose* pose, float margin,
					   const TouchKept* kept, Touch* touch)
{
	const float bias = TOUCH_BIAS * fmin(a->thickness, b->thickness);
	Axis best = {-INFINITY, (float3)(0.0f, 0.0f, 1.0f), TOUCH_NONE, -1, -1};
	for (int f = 0; f < a->faceCount; ++f)
	{
		// What was the axis a step ago keeps an advantage, and A over B.
		const float s = touchFaceA(hulls, a, b, pose, f);
		const float lead = kept->axis == (TOUCH_FACE_A << 24 | (uint)f) ? bias : 0.0f;
		if (s + lead > best.separation)
		{
			best.separation = s + lead, best.kind = TOUCH_FACE_A, best.a = f;
		}
	}
	for (int f = 0; f < b->faceCount; ++f)
	{
		const float s = touchFaceB(hulls, a, b, pose, f);
		const float lead = kept->axis == (TOUCH_FACE_B << 24 | (uint)f) ? bias : 0.0f;
		if (s + lead > best.separation + (best.kind == TOUCH_FACE_A ? bias : 0.0f))
		{
			best.separation = s + lead, best.kind = TOUCH_FACE_B, best.b = f;
		}
	}
	const bool isB = best.kind == TOUCH_FACE_B;
	best.normal = isB ? -poseTurn(pose, hullPlane(hulls, b, best.b).xyz) : hullPlane(hulls, a, best.a).xyz;
	best.separation = isB ? touchFaceB(hulls, a, b, pose, best.b) : touchFaceA(hulls, a, b, pose, best.a);
	touch->count = 0;
	touch->axis = isB ? TOUCH_FACE_B << 24 | (uint)best.b : TOUCH_FACE_A << 24 | (uint)best.a;
	if (best.separation > margin)
	{
		touch->apart = best.separation;
		return;
	}
	Axis edge = {-INFINITY, best.normal, TOUCH_NONE, -1, -1};
	touchEdges(hulls, a, b, pose, &edge);
	const float depth = fmax(-best.separation, 0.0f);
	if (edge.kind == TOUCH_EDGES &&
		(edge.separation > margin || (edge.separation > best.separation + bias + TOUCH_EDGE_DEPTH * depth &&
									  dot(edge.normal, best.normal) < TOUCH_EDGE_COSINE)))
	{
		touch->axis = TOUCH_EDGES << 24;
		touch->apart = edge.separation;
		if (edge.separation <= margin)
		{
			touchEdgePoint(hulls, a, b, pose, &edge, touch);
		}
		return;
	}
	float4 points[TOUCH_CLIP];
	uint ids[TOUCH_CLIP];
	int count;
	if (!isB)
	{
		count = touchFacePoints(hulls, a, best.a, b, pose, margin, points, ids);
	}
	else
	{
		Pose back = {(float3)(pose->x.x, pose->y.x, pose->z.x), (float3)(pose->x.y, pose->y.y, pose->z.y),
					 (float3)(pose->x.z, pose->y.z, pose->z.z), poseTurnBack(pose, -pose->p)};
		count = touchFacePoints(hulls, b, best.b, a, &back, margin, points, ids);
		for (int i = 0; i < count; ++i)
		{
			points[i].xyz = posePoint(pose, points[i].xyz);
			ids[i] |= 0x20000u;
		}
	}
	if (count == 0 && best.separation <= 0.0f)
	{
		// They overlap, but not where both faces are: the edges that were passed over, or the deepest corner.
		if (edge.kind == TOUCH_EDGES && edge.separation > best.separation)
		{
			touchEdgePoint(hulls, a, b, pose, &edge, touch);
			return;
		}
		float deepest = INFINITY;
		for (int i = 0; i < (isB ? a->vertexCount : b->vertexCount); ++i)
		{
			const float3 p = isB ? hullVertex(hulls, a, i) : posePoint(pose, hullVertex(hulls, b, i));
			const float d = isB ? -dot(best.normal, p) : dot(best.normal, p);
			if (d < deepest)
			{
				deepest = d;
				points[0] = (float4)(p + (isB ? 0.5f : -0.5f) * best.separation * best.normal, best.separation);
				ids[0] = 0x40000u | (uint)i;
			}
		}
		count = 1;
	}
	touchReduce(points, ids, count, best.normal, bias, kept, touch);
}

// How far a place in the axes of a hull is from its surface, and the way out: outside from the nearest point of a face
// that looks this way, inside across the nearest face.
inline float touchHullField(const Hulls* hulls, const GpuShape* hull, float3 center, float3* out)
{
	float highest = -INFINITY, nearest = INFINITY;
	float3 point = center, normal = (float3)(0.0f, 0.0f, 1.0f);
	for (int f = 0; f < hull->faceCount; ++f)
	{
		const float4 plane = hullPlane(hulls, hull, f);
		const float height = dot(plane.xyz, center) - plane.w;
		if (height > highest)
		{
			highest = height, normal = plane.xyz;
		}
		if (height <= 0.0f)
		{
			continue;
		}
		const int first = hulls->faceStarts[hull->loopStart + f], sides = hulls->faceStarts[hull->loopStart + f + 1] - first;
		float3 candidate = center - height * plane.xyz;
		bool isInside = true;
		float sideNearest = INFINITY;
		float3 onSides = candidate;
		for (int k = 0; k < sides; ++k)
		{
			const float3 v = hullVertex(hulls, hull, hulls->corners[hull->cornerStart + first + k]);
			const float3 d = hullVertex(hulls, hull, hulls->corners[hull->cornerStart + first + (k + 1 < sides ? k + 1 : 0)]) - v;
			isInside = isInside && dot(cross(d, plane.xyz), candidate - v) <= 0.0f;
			const float3 on = v + clamp(dot(center - v, d) / dot(d, d), 0.0f, 1.0f) * d;
			const float3 away = center - on;
			if (dot(away, away) < sideNearest)
			{
				sideNearest = dot(away, away), onSides = on;
			}
		}
		candidate = isInside ? candidate : onSides;
		const float3 away = center - candidate;
		if (dot(away, away) < nearest)
		{
			nearest = dot(away, away), point = candidate;
		}
	}
	if (highest > 0.0f && nearest > 1e-24f)
	{
		const float distance = sqrt(nearest);
		*out = (center - point) / distance;
		return distance;
	}
	*out = normal;
	return highest;
}

inline void touchAdd(Touch* touch, float3 point, float separation, uint id)
{
	touch->points[touch->count] = point;
	touch->separations[touch->count] = separation;
	touch->ids[touch->count++] = id;
}

// A sphere at the origin, or a capsule along z, and a hull: the ball at the place of its axis that is nearest, and
// those at its ends, if they press the same way.
#define TOUCH_GOLDEN 0.6180340f
#define TOUCH_SAME_WAY 0.99f
inline void touchRoundHull(const Hulls* hulls, const GpuShape* sphere, const GpuShape* hull, const Pose* pose,
						   float margin, Touch* touch)
{
	const float3 middle = poseTurnBack(pose, -pose->p), half3 = poseTurnBack(pose, (float3)(0.0f, 0.0f, sphere->along));
	float low = -1.0f, high = 1.0f;
	float3 out;
	for (int i = 0; i < 12 && sphere->along > 0.0f; ++i)
	{
		const float x = high - TOUCH_GOLDEN * (high - low), y = low + TOUCH_GOLDEN * (high - low);
		const bool isBelow = touchHullField(hulls, hull, middle + x * half3, &out) <
							 touchHullField(hulls, hull, middle + y * half3, &out);
		high = isBelow ? y : high;
		low = isBelow ? low : x;
	}
	const float places[3] = {0.5f * (low + high), -1.0f, 1.0f};
	touch->count = 0;
	touch->axis = 0;
	for (uint k = 0; k < (sphere->along > 0.0f ? 3u : 1u); ++k)
	{
		const float3 center = middle + places[k] * half3;
		const float separation = touchHullField(hulls, hull, center, &out) - sphere->round;
		const float3 normal = -poseTurn(pose, out);
		// The one between counts for itself where it is no end.
		const bool isNew = k > 0 || sphere->along == 0.0f || fabs(places[0]) < 0.9f;
		touch->normal = k == 0 ? normal : touch->normal;
		if (separation < margin && isNew && dot(normal, touch->normal) > TOUCH_SAME_WAY)
		{
			const float3 inA = posePoint(pose, center);
			touchAdd(touch, inA + (sphere->round + 0.5f * separation) * normal, separation, k);
		}
	}
}

// Balls and capsules: at the nearest places of their axes; where those are parallel at both ends of what they share.
inline void touchRounds(const GpuShape* a, const GpuShape* b, const Pose* pose, float margin, Touch* touch)
{
	const float3 e = b->along * pose->z, d = (float3)(0.0f, 0.0f, a->along);
	const float dd = dot(d, d), ee = dot(e, e), de = dot(d, e), dr = -dot(d, pose->p), er = -dot(e, pose->p);
	const float denominator = dd * ee - de * de;
	float s = denominator > 1e-6f * dd * ee ? clamp((de * er - ee * dr) / denominator, -1.0f, 1.0f) : 0.0f;
	const float t = ee > 0.0f ? clamp((de * s + er) / ee, -1.0f, 1.0f) : 0.0f;
	s = dd > 0.0f ? clamp((de * t - dr) / dd, -1.0f, 1.0f) : 0.0f;
	const float3 onA = s * d, between = pose->p + t * e - onA;
	const float distance = length(between), reach = a->round + b->round, separation = distance - reach;
	touch->count = 0;
	touch->axis = 0;
	touch->normal = distance > 1e-12f ? between / distance : (float3)(0.0f, 0.0f, 1.0f);
	const float cosine = fabs(pose->z.z);
	const float lower = fmax(-a->along, pose->p.z - cosine * b->along), upper = fmin(a->along, pose->p.z + cosine * b->along);
	const bool isLine = dd > 0.0f && ee > 0.0f && cosine > 0.999f && upper - lower > 0.1f * fmin(a->along, b->along);
	for (uint end = 0; end < (isLine ? 2u : 1u); ++end)
	{
		const float3 p = isLine ? (float3)(0.0f, 0.0f, end == 0 ? lower : upper) : onA;
		const float3 q = pose->p + (isLine ? (p.z - pose->p.z) / pose->z.z : t * b->along) * pose->z;
		const float apart = isLine ? dot(touch->normal, q - p) - reach : separation;
		if (apart < margin)
		{
			touchAdd(touch, p + (a->round + 0.5f * apart) * touch->normal, apart, end);
		}
	}
}

// A, the lower kind, is a half-space whose solid is below its z = 0.
inline void touchHalfSpace(const Hulls* hulls, const GpuShape* b, const Pose* pose, float margin,
						   const TouchKept* kept, Touch* touch)
{
	const float3 up = (float3)(0.0f, 0.0f, 1.0f);
	touch->count = 0;
	touch->axis = 0;
	touch->normal = up;
	if (b->kind <= SHAPE_CAPSULE)
	{
		for (uint end = 0; end < (b->kind == SHAPE_CAPSULE ? 2u : 1u); ++end)
		{
			const float3 p = pose->p + (end == 0 ? b->along : -b->along) * pose->z;
			const float separation = p.z - b->round;
			if (separation < margin)
			{
				touchAdd(touch, (float3)(p.x, p.y, 0.5f * separation), separation, end);
			}
		}
		return;
	}
	float4 points[TOUCH_CLIP];
	uint ids[TOUCH_CLIP];
	int count = 0;
	for (int i = 0; i < b->vertexCount; ++i)
	{
		const float3 p = posePoint(pose, hullVertex(hulls, b, i));
		if (p.z >= margin)
		{
			continue;
		}
		int slot = count;
		if (count == TOUCH_CLIP)
		{
			// The highest makes room for a deeper one.
			slot = 0;
			for (int k = 1; k < count; ++k)
			{
				slot = points[k].w > points[slot].w ? k : slot;
			}
			if (points[slot].w <= p.z)
			{
				continue;
			}
		}
		points[slot] = (float4)(p.x, p.y, 0.5f * p.z, p.z);
		ids[slot] = (uint)i;
		count = min(count + 1, TOUCH_CLIP);
	}
	touchReduce(points, ids, count, up, TOUCH_BIAS * b->thickness, kept, touch);
}

inline void touchShapes(const Hulls* hulls, const GpuShape* a, const GpuShape* b, const Pose* pose, float margin,
						const TouchKept* kept, Touch* touch)
{
	if (a->kind == SHAPE_HALF_SPACE)
	{
		touchHalfSpace(hulls, b, pose, margin, kept, touch);
	}
	else if (b->kind <= SHAPE_CAPSULE) // and A too
	{
		touchRounds(a, b, pose, margin, touch);
	}
	else if (a->kind <= SHAPE_CAPSULE)
	{
		touchRoundHull(hulls, a, b, pose, margin, touch);
	}
	else
	{
		touchHulls(hulls, a, b, pose, margin, kept, touch);
	}
}
