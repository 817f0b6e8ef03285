// SPDX-License-Identifier: MIT

// Pieces of caps.cl become bodies of step.cl: numbers, mass and motion, and a convex hull each.
//
// A body that breaks has as many cells as sites; those with anything in them become bodies. The first takes the place
// of the one that broke, the others come behind all that have a box. Momentum and angular momentum are those of the
// body: pieces get V + w x (c - C) with w = I^-1 L, as in world/break_replace.c.
//
// A hull takes the farthest point again and again, as brFitHull: up to BIRTH_CORNERS of them, until none is outside by
// more than a small part of the size. Triangles near one plane are joined into polygons. What has no volume to speak
// of gets the box of its points.

#ifdef BR_PROCESSOR
#define BIRTH_GROUP 1
#define BIRTH_NUMBERS 1
#define BIRTH_SYNC
#else
#define BIRTH_GROUP 32
#define BIRTH_NUMBERS 256
#define BIRTH_SYNC barrier(CLK_LOCAL_MEM_FENCE)
#endif
#define BIRTH_CORNERS 32
#define BIRTH_TRIANGLES 60 // by Euler's formula
#define BIRTH_EDGES 90
#define BIRTH_LOOPS 180
#define BIRTH_TOLERANCE 0.01 // of the radius, as the next three
#define BIRTH_JOIN 0.005
#define BIRTH_DOUBT 1e-9
#define BIRTH_FLAT 1e-3
#define BIRTH_MASS 10 // doubles a piece, of caps.cl

#ifdef cl_khr_fp64

// A body that breaks, as the host writes it: its cells, and where its model lies in its axes.
typedef struct Birth
{
	double turn[4], origin[3];
	int body;
	int firstCell, cellCount;
	int padding;
} Birth;

// The body as it was, and what its pieces are together.
typedef struct BirthParent
{
	double scale;         // density
	double centerX, centerY, centerZ; // of the pieces, in the world
	double spinX, spinY, spinZ;
	double padding;
	GpuMotion motion;
	GpuBody body;
} BirthParent;

inline double3 birthOf(__global const double* v)
{
	return (double3)(v[0], v[1], v[2]);
}

// Axes of the model in the world.
inline double4 birthTurn(__global const Birth* birth, const GpuMotion* m)
{
	return stepQuatMul((double4)(m->qx, m->qy, m->qz, m->qw),
					   (double4)(birth->turn[0], birth->turn[1], birth->turn[2], birth->turn[3]));
}

// A point of the model in the world.
inline double3 birthPlace(__global const Birth* birth, const GpuMotion* m, double3 p)
{
	const double3 own = stepRotate((double4)(birth->turn[0], birth->turn[1], birth->turn[2], birth->turn[3]), p);
	return (double3)(m->px, m->py, m->pz) +
		   stepRotate((double4)(m->qx, m->qy, m->qz, m->qw), own + birthOf(birth->origin));
}

// x of A x = b for a symmetric A (xx yy zz xy xz yz); nothing if it has no inverse.
inline double3 birthSolve(const double* a, double3 b)
{
	const double3 cx = (double3)(a[0], a[3], a[4]), cy = (double3)(a[3], a[1], a[5]), cz = (double3)(a[4], a[5], a[2]);
	const double3 yz = cross(cy, cz);
	const double determinant = dot(cx, yz);
	const double3 x = (double3)(dot(yz, b), dot(cross(cz, cx), b), dot(cross(cx, cy), b));
	return determinant > 0.0 ? x / determinant : (double3)(0.0);
}

// How many pieces a body has, what they weigh together and how they turn.
inline uint birthGather(__global const Birth* birth, __global const uint4* pieces, __global const double* masses,
						BirthParent* out)
{
	uint count = 0;
	double volume = 0.0;
	double3 center = (double3)(0.0);
	for (int cell = birth->firstCell; cell < birth->firstCell + birth->cellCount; ++cell)
	{
		__global const double* mass = masses + BIRTH_MASS * cell;
		if (pieces[cell].w > 0 && mass[0] > 0.0)
		{
			count += 1;
			volume += mass[0];
			center += mass[0] * birthOf(mass + 1);
		}
	}
	center /= volume;
	double inertia[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
	for (int cell = birth->firstCell; cell < birth->firstCell + birth->cellCount; ++cell)
	{
		__global const double* mass = masses + BIRTH_MASS * cell;
		const double3 d = birthOf(mass + 1) - center;
		const double v = pieces[cell].w > 0 && mass[0] > 0.0 ? mass[0] : 0.0;
		inertia[0] += v > 0.0 ? mass[4] + v * (d.y * d.y + d.z * d.z) : 0.0;
		inertia[1] += v > 0.0 ? mass[5] + v * (d.x * d.x + d.z * d.z) : 0.0;
		inertia[2] += v > 0.0 ? mass[6] + v * (d.x * d.x + d.y * d.y) : 0.0;
		inertia[3] += v > 0.0 ? mass[7] - v * d.x * d.y : 0.0;
		inertia[4] += v > 0.0 ? mass[8] - v * d.x * d.z : 0.0;
		inertia[5] += v > 0.0 ? mass[9] - v * d.y * d.z : 0.0;
	}
	const GpuMotion* m = &out->motion;
	const double4 q = (double4)(m->qx, m->qy, m->qz, m->qw), turn = birthTurn(birth, m);
	const double3 spin = stepRotate((double4)(-q.xyz, q.w), (double3)(m->wx, m->wy, m->wz));
	const double3 own = (double3)(out->body.inertiaX, out->body.inertiaY, out->body.inertiaZ) * spin;
	out->scale = 1.0 / ((double)out->body.invMass * volume);
	const double3 angular = stepRotate((double4)(-turn.xyz, turn.w), stepRotate(q, own)) / out->scale;
	const double3 w = stepRotate(turn, birthSolve(inertia, angular)), place = birthPlace(birth, m, center);
	out->centerX = place.x, out->centerY = place.y, out->centerZ = place.z;
	out->spinX = w.x, out->spinY = w.y, out->spinZ = w.z;
	return count;
}

// One group: bodies that break as they were, and numbers for their pieces, -1 for cells without any. A body that is not
// settled stays as it is. totals: how many bodies come behind the others, and how many broke.
__kernel __attribute__((reqd_work_group_size(BIRTH_NUMBERS, 1, 1))) void
brk_birthNumbers(__global const Birth* births, uint birthCount, __global const uint* troubles,
				 __global const uint4* pieces, __global const double* masses, __global const GpuBody* bodies,
				 __global const GpuMotion* motions, uint firstNew, __global BirthParent* parents, __global int* numbers,
				 __global uint* totals)
{
	__local uint sums[BIRTH_NUMBERS], breaks[BIRTH_NUMBERS];
	const uint t = get_local_id(0), each = (birthCount + BIRTH_NUMBERS - 1) / BIRTH_NUMBERS;
	const uint begin = min(t * each, birthCount), end = min(begin + each, birthCount);
	uint sum = 0, broken = 0;
	for (uint i = begin; i < end; ++i)
	{
		BirthParent parent;
		parent.body = bodies[births[i].body];
		parent.motion = motions[births[i].body];
		const uint count = birthGather(&births[i], pieces, masses, &parent);
		parents[i] = parent;
		if (troubles[i] == 0 && count > 0)
		{
			sum += count - 1;
			broken += 1;
		}
	}
	sums[t] = sum;
	breaks[t] = broken;
	BIRTH_SYNC;
	uint next = firstNew, all = 0, allBroken = 0;
	for (uint i = 0; i < BIRTH_NUMBERS; ++i)
	{
		next += i < t ? sums[i] : 0u;
		all += sums[i];
		allBroken += breaks[i];
	}
	for (uint i = begin; i < end; ++i)
	{
		bool isFirst = true;
		for (int cell = births[i].firstCell; cell < births[i].firstCell + births[i].cellCount; ++cell)
		{
			const bool isThere = troubles[i] == 0 && pieces[cell].w > 0 && masses[BIRTH_MASS * cell] > 0.0;
			numbers[cell] = !isThere ? -1 : isFirst ? births[i].body : (int)next;
			next += isThere && !isFirst ? 1u : 0u;
			isFirst = isFirst && !isThere;
		}
	}
	if (t == 0)
	{
		totals[0] = all;
		totals[1] = allBroken;
	}
}

// Half-spaces stay behind all others: one thread moves them up, the last one first.
__kernel void brk_birthPlanes(__global GpuBody* bodies, __global GpuMotion* motions, uint boxedCount, uint bodyCount,
							  uint added)
{
	for (uint i = bodyCount; i > boxedCount; --i)
	{
		bodies[i - 1 + added] = bodies[i - 1];
		motions[i - 1 + added] = motions[i - 1];
	}
}

// Principal axes of a symmetric matrix (xx yy zz xy xz yz) by Jacobi's turns: moments, and the axes' turn.
inline double4 birthAxes(double* a, double3* moments)
{
	double4 q = (double4)(0.0, 0.0, 0.0, 1.0);
	for (int round = 0; round < 24; ++round)
	{
		// The largest of the three off the diagonal goes: in the plane of axes i and j, k is left.
		const double xy = fabs(a[3]), xz = fabs(a[4]), yz = fabs(a[5]);
		const int off = xy >= xz ? (xy >= yz ? 3 : 5) : (xz >= yz ? 4 : 5);
		const int i = off == 5 ? 1 : 0, j = off == 3 ? 1 : 2, k = 3 - i - j;
		const double o = a[off];
		if (!(fabs(o) > 1e-16 * (a[0] + a[1] + a[2])))
		{
			break;
		}
		const double theta = (a[j] - a[i]) / (2.0 * o), size = fabs(theta) + sqrt(theta * theta + 1.0);
		const double t = theta < 0.0 ? -1.0 / size : 1.0 / size, c = 1.0 / sqrt(t * t + 1.0), s = t * c;
		const int ik = i + k + 2, jk = j + k + 2; // places of the other two
		const double aik = a[ik], ajk = a[jk];
		a[i] -= t * o, a[j] += t * o;
		a[off] = 0.0;
		a[ik] = c * aik - s * ajk, a[jk] = s * aik + c * ajk;
		// New axes: i' = c i - s j, j' = s i + c j: a turn about k, by minus the angle where i x j = k.
		const double upper = sqrt(0.5 * (1.0 + c)), part = (k == 1 ? 0.5 : -0.5) * s / upper;
		q = normalize(stepQuatMul(q, (double4)(k == 0 ? part : 0.0, k == 1 ? part : 0.0, k == 2 ? part : 0.0, upper)));
	}
	*moments = (double3)(a[0], a[1], a[2]);
	return q;
}

// Mass and motion of each piece. origins: eight doubles a body, its axes and its center in those of the model.
__kernel void brk_birthBodies(__global const Birth* births, uint birthCount, uint cellCount,
							  __global const BirthParent* parents, __global const double* masses,
							  __global const int* numbers, uint firstShape, __global GpuBody* bodies,
							  __global GpuMotion* motions, __global double* origins)
{
	for (uint cell = get_global_id(0); cell < cellCount; cell += get_global_size(0))
	{
		if (numbers[cell] < 0)
		{
			continue;
		}
		uint low = 0, high = birthCount;
		while (low + 1 < high)
		{
			const uint middle = (low + high) / 2;
			low = births[middle].firstCell <= (int)cell ? middle : low;
			high = births[middle].firstCell <= (int)cell ? high : middle;
		}
		const BirthParent parent = parents[low];
		__global const double* mass = masses + BIRTH_MASS * cell;
		double tensor[6];
		for (int k = 0; k < 6; ++k)
		{
			tensor[k] = parent.scale * mass[4 + k];
		}
		double3 moments;
		const double4 q = birthAxes(tensor, &moments);
		const double3 center = birthOf(mass + 1), place = birthPlace(&births[low], &parent.motion, center);
		const double3 w = (double3)(parent.spinX, parent.spinY, parent.spinZ);
		const double3 turning = cross(w, place - (double3)(parent.centerX, parent.centerY, parent.centerZ));
		const double4 turn = normalize(stepQuatMul(birthTurn(&births[low], &parent.motion), q));
		GpuBody body = parent.body;
		body.invMass = (float)(1.0 / (parent.scale * mass[0]));
		body.inertiaX = (float)moments.x, body.inertiaY = (float)moments.y, body.inertiaZ = (float)moments.z;
		body.invInertiaX = 1.0f / body.inertiaX, body.invInertiaY = 1.0f / body.inertiaY;
		body.invInertiaZ = 1.0f / body.inertiaZ;
		body.shape = (int)(firstShape + cell);
		GpuMotion m = parent.motion;
		m.px = place.x, m.py = place.y, m.pz = place.z;
		m.qx = turn.x, m.qy = turn.y, m.qz = turn.z, m.qw = turn.w;
		m.vx += turning.x, m.vy += turning.y, m.vz += turning.z;
		m.wx = w.x, m.wy = w.y, m.wz = w.z;
		bodies[numbers[cell]] = body;
		motions[numbers[cell]] = m;
		__global double* origin = origins + 8 * numbers[cell];
		origin[0] = q.x, origin[1] = q.y, origin[2] = q.z, origin[3] = q.w;
		origin[4] = center.x, origin[5] = center.y, origin[6] = center.z, origin[7] = 0.0;
	}
}

// A hull while it grows.
typedef struct BirthHull
{
	double4 planes[BIRTH_TRIANGLES];
	double x[BIRTH_CORNERS], y[BIRTH_CORNERS], z[BIRTH_CORNERS];
	double areas[BIRTH_TRIANGLES];
	double best[BIRTH_GROUP];
	int bestAt[BIRTH_GROUP];
	uchar4 triangles[BIRTH_TRIANGLES];
	uchar beside[BIRTH_CORNERS * BIRTH_CORNERS]; // the triangle with this directed edge
	uchar state[BIRTH_TRIANGLES];                // 1: sees the new corner, 2: new
	uchar faces[BIRTH_TRIANGLES];
	uchar slots[BIRTH_TRIANGLES];
	uchar order[BIRTH_TRIANGLES];   // the largest first
	uchar members[BIRTH_TRIANGLES]; // face by face
	uchar firstMember[BIRTH_TRIANGLES + 1];
	uchar rimA[BIRTH_TRIANGLES], rimB[BIRTH_TRIANGLES];
	uchar next[BIRTH_CORNERS], numbers[BIRTH_CORNERS];
	int cornerCount, triangleCount, faceCount, isOver;
} BirthHull;

// The points of a piece in its own axes.
typedef struct BirthPoints
{
	__global const double* vertices;
	uint count;
	double4 back;
	double3 center;
} BirthPoints;

inline double3 birthPoint(const BirthPoints* of, uint i)
{
	return stepRotate(of->back, birthOf(of->vertices + 3 * i) - of->center);
}

inline double3 birthCorner(__local const BirthHull* hull, uint i)
{
	return (double3)(hull->x[i], hull->y[i], hull->z[i]);
}

// The largest of all threads' values, of equal ones the first. All threads come here together.
inline double birthMost(__local BirthHull* hull, double value, int at, int* outAt)
{
	const uint t = get_local_id(0);
	hull->best[t] = value;
	hull->bestAt[t] = at;
	BIRTH_SYNC;
	double most = hull->best[0];
	int where = hull->bestAt[0];
	for (uint i = 1; i < BIRTH_GROUP; ++i)
	{
		const bool isMore = hull->best[i] > most || (hull->best[i] == most && hull->bestAt[i] < where);
		most = isMore ? hull->best[i] : most;
		where = isMore ? hull->bestAt[i] : where;
	}
	BIRTH_SYNC;
	*outAt = where;
	return most;
}

// Farthest from the first `known` corners: from the center, from a corner, from a line, from a plane.
inline double birthFarthest(__local BirthHull* hull, const BirthPoints* of, int known, int* outAt)
{
	double best = -1.0;
	int at = 0;
	const double3 a = birthCorner(hull, 0), b = birthCorner(hull, 1), normal = cross(b - a, birthCorner(hull, 2) - a);
	for (uint i = get_local_id(0); i < of->count; i += BIRTH_GROUP)
	{
		const double3 p = birthPoint(of, i);
		const double value = known == 0   ? dot(p, p)
							 : known == 1 ? dot(p - a, p - a)
							 : known == 2 ? dot(cross(b - a, p - a), cross(b - a, p - a))
										  : fabs(dot(normal, p - a));
		at = value > best ? (int)i : at;
		best = fmax(best, value);
	}
	return birthMost(hull, best, at, outAt);
}

inline void birthPlaneOf(__local BirthHull* hull, uint k)
{
	const uchar4 t = hull->triangles[k];
	const double3 a = birthCorner(hull, t.x);
	const double3 area = cross(birthCorner(hull, t.y) - a, birthCorner(hull, t.z) - a);
	const double size = length(area);
	const double3 normal = size > 0.0 ? area / size : (double3)(0.0);
	hull->areas[k] = size;
	hull->planes[k] = (double4)(normal, dot(normal, a));
}

// One thread: a triangle at its slot, turned as it is given.
inline void birthPut(__local BirthHull* hull, uint slot, uint a, uint b, uint c)
{
	hull->triangles[slot] = (uchar4)((uchar)a, (uchar)b, (uchar)c, (uchar)0);
	hull->beside[a * BIRTH_CORNERS + b] = (uchar)slot;
	hull->beside[b * BIRTH_CORNERS + c] = (uchar)slot;
	hull->beside[c * BIRTH_CORNERS + a] = (uchar)slot;
	hull->state[slot] = 2;
}

inline void birthSetCorner(__local BirthHull* hull, uint i, double3 p)
{
	hull->x[i] = p.x, hull->y[i] = p.y, hull->z[i] = p.z;
}

// Planes of new triangles. All threads come here together.
inline void birthSetPlanes(__local BirthHull* hull)
{
	BIRTH_SYNC;
	for (int k = (int)get_local_id(0); k < hull->triangleCount; k += BIRTH_GROUP)
	{
		if (hull->state[k] == 2)
		{
			birthPlaneOf(hull, (uint)k);
		}
	}
	BIRTH_SYNC;
}

// The first four corners. False: there is no volume between them.
inline bool birthStart(__local BirthHull* hull, const BirthPoints* of, double* radius)
{
	double size = 0.0, far = 0.0;
	for (int known = 0; known < 4; ++known)
	{
		int at;
		far = birthFarthest(hull, of, known, &at);
		size = known == 1 ? sqrt(far) : size;
		if (get_local_id(0) == 0)
		{
			birthSetCorner(hull, (uint)known, birthPoint(of, (uint)at));
		}
		BIRTH_SYNC;
	}
	*radius = 0.5 * size;
	if (!(far > BIRTH_FLAT * size * size * size))
	{
		return false;
	}
	if (get_local_id(0) == 0)
	{
		const double3 a = birthCorner(hull, 0);
		const double3 normal = cross(birthCorner(hull, 1) - a, birthCorner(hull, 2) - a);
		const bool isOut = dot(normal, birthCorner(hull, 3) - a) < 0.0; // the first three, seen from outside
		const uint second = isOut ? 1 : 2, third = isOut ? 2 : 1;
		birthPut(hull, 0, 0, second, third);
		birthPut(hull, 1, 0, third, 3);
		birthPut(hull, 2, third, second, 3);
		birthPut(hull, 3, second, 0, 3);
		hull->cornerCount = hull->triangleCount = 4;
	}
	birthSetPlanes(hull);
	return true;
}

// One thread: triangles that see the corner go, and the rim of the hole is joined to it. Where the rim is not one ring
// of new triangles the hull stays as it is, and is done.
inline void birthJoin(__local BirthHull* hull, double3 p)
{
	uint seen = 0, rim = 0;
	const uint corner = (uint)hull->cornerCount;
	for (uint k = 0; k < (uint)hull->triangleCount; ++k)
	{
		if (hull->state[k] != 1)
		{
			continue;
		}
		hull->slots[seen++] = (uchar)k;
		const uchar4 t = hull->triangles[k];
		const uchar v[4] = {t.x, t.y, t.z, t.x};
		for (uint e = 0; e < 3 && rim < BIRTH_TRIANGLES; ++e)
		{
			if (hull->state[hull->beside[v[e + 1] * BIRTH_CORNERS + v[e]]] != 1)
			{
				hull->rimA[rim] = v[e];
				hull->rimB[rim++] = v[e + 1];
			}
		}
	}
	if (seen == 0 || rim != seen + 2)
	{
		hull->isOver = 1;
		return;
	}
	birthSetCorner(hull, corner, p);
	hull->cornerCount += 1;
	for (uint n = 0; n < rim; ++n)
	{
		birthPut(hull, n < seen ? hull->slots[n] : (uint)hull->triangleCount++, hull->rimA[n], hull->rimB[n], corner);
	}
}

// Corner after corner.
inline void birthGrow(__local BirthHull* hull, const BirthPoints* of, double radius)
{
	const uint t = get_local_id(0);
	while (hull->cornerCount < BIRTH_CORNERS && hull->isOver == 0)
	{
		double best = -1.0;
		int at = 0;
		for (uint i = t; i < of->count; i += BIRTH_GROUP)
		{
			const double3 p = birthPoint(of, i);
			double outside = -INFINITY;
			for (int k = 0; k < hull->triangleCount; ++k)
			{
				const double4 plane = hull->planes[k];
				outside = fmax(outside, dot(plane.xyz, p) - plane.w);
			}
			at = outside > best ? (int)i : at;
			best = fmax(best, outside);
		}
		const double most = birthMost(hull, best, at, &at);
		if (!(most > BIRTH_TOLERANCE * radius))
		{
			break;
		}
		const double3 p = birthPoint(of, (uint)at);
		for (int k = (int)t; k < hull->triangleCount; k += BIRTH_GROUP)
		{
			const double4 plane = hull->planes[k];
			hull->state[k] = dot(plane.xyz, p) - plane.w > BIRTH_DOUBT * radius ? 1 : 0;
		}
		BIRTH_SYNC;
		if (t == 0)
		{
			birthJoin(hull, p);
		}
		birthSetPlanes(hull);
	}
}

// The box of the points, for what is too flat.
inline void birthBox(__local BirthHull* hull, const BirthPoints* of, double radius)
{
	double3 lower = (double3)(INFINITY), upper = (double3)(-INFINITY);
	for (uint i = get_local_id(0); i < of->count; i += BIRTH_GROUP)
	{
		const double3 p = birthPoint(of, i);
		lower = fmin(lower, p), upper = fmax(upper, p);
	}
	int at;
	lower.x = -birthMost(hull, -lower.x, 0, &at), upper.x = birthMost(hull, upper.x, 0, &at);
	lower.y = -birthMost(hull, -lower.y, 0, &at), upper.y = birthMost(hull, upper.y, 0, &at);
	lower.z = -birthMost(hull, -lower.z, 0, &at), upper.z = birthMost(hull, upper.z, 0, &at);
	const double3 center = 0.5 * (lower + upper);
	const double3 half3 = fmax(0.5 * (upper - lower), (double3)(0.01 * radius));
	if (get_local_id(0) == 0)
	{
		// Corners by bits: x, y, z; each side from outside.
		const uchar sides[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
		for (uint i = 0; i < 8; ++i)
		{
			const double3 sign = (double3)((i & 1) != 0 ? 1.0 : -1.0, (i & 2) != 0 ? 1.0 : -1.0, (i & 4) != 0 ? 1.0 : -1.0);
			birthSetCorner(hull, i, center + sign * half3);
		}
		for (uint side = 0; side < 6; ++side)
		{
			birthPut(hull, 2 * side, sides[4 * side], sides[4 * side + 1], sides[4 * side + 2]);
			birthPut(hull, 2 * side + 1, sides[4 * side], sides[4 * side + 2], sides[4 * side + 3]);
		}
		hull->cornerCount = 8;
		hull->triangleCount = 12;
	}
	birthSetPlanes(hull);
}

// One thread: polygons of triangles that lie within `tolerance` of the largest of them. None are joined if it is less
// than 0.
inline void birthJoinFaces(__local BirthHull* hull, double tolerance)
{
	hull->faceCount = 0;
	for (int k = 0; k < hull->triangleCount; ++k)
	{
		hull->faces[k] = 255;
	}
	uint memberCount = 0;
	for (int n = 0; n < hull->triangleCount; ++n)
	{
		const int seed = hull->order[n];
		if (hull->faces[seed] != 255)
		{
			continue;
		}
		hull->firstMember[hull->faceCount] = (uchar)memberCount;
		const uchar face = (uchar)hull->faceCount++;
		const double4 plane = hull->planes[seed];
		uint depth = 1;
		hull->slots[0] = (uchar)seed;
		hull->faces[seed] = face;
		while (depth > 0)
		{
			const uchar member = hull->slots[--depth];
			const uchar4 t = hull->triangles[member];
			const uchar v[4] = {t.x, t.y, t.z, t.x};
			hull->members[memberCount++] = member;
			for (uint e = 0; e < 3; ++e)
			{
				const uint other = hull->beside[v[e + 1] * BIRTH_CORNERS + v[e]];
				const uchar4 o = hull->triangles[other];
				const double far =
					fmax(fabs(dot(plane.xyz, birthCorner(hull, o.x)) - plane.w),
						 fmax(fabs(dot(plane.xyz, birthCorner(hull, o.y)) - plane.w),
							  fabs(dot(plane.xyz, birthCorner(hull, o.z)) - plane.w)));
				if (hull->faces[other] == 255 && far <= tolerance && dot(plane.xyz, hull->planes[other].xyz) > 0.0)
				{
					hull->faces[other] = face;
					hull->slots[depth++] = (uchar)other;
				}
			}
		}
	}
	hull->firstMember[hull->faceCount] = (uchar)memberCount;
}

// Where a hull goes: the first of its vertices, planes and so on.
typedef struct BirthShape
{
	__global float4* vertices;
	__global float4* planes;
	__global int* faceStarts;
	__global int* corners;
	__global int4* edges;
	int vertexCount, cornerCount, edgeCount;
} BirthShape;

// One thread: the outline of a face, its corners, edges and plane. False: it is not one ring.
inline bool birthOutline(__local BirthHull* hull, uint face, BirthShape* out)
{
	uint count = 0, first = 0;
	for (int c = 0; c < hull->cornerCount; ++c)
	{
		hull->next[c] = 255;
	}
	for (uint k = hull->firstMember[face]; k < hull->firstMember[face + 1]; ++k)
	{
		const uchar4 t = hull->triangles[hull->members[k]];
		const uchar v[4] = {t.x, t.y, t.z, t.x};
		for (uint e = 0; e < 3; ++e)
		{
			if (hull->faces[hull->beside[v[e + 1] * BIRTH_CORNERS + v[e]]] != face)
			{
				if (hull->next[v[e]] != 255)
				{
					return false;
				}
				hull->next[v[e]] = v[e + 1];
				first = v[e];
				count += 1;
			}
		}
	}
	double3 area = (double3)(0.0);
	const double3 origin = birthCorner(hull, first);
	uint at = first;
	for (uint n = 0; n < count; ++n)
	{
		const uint to = hull->next[at];
		if (hull->numbers[at] == 255)
		{
			const double3 p = birthCorner(hull, at);
			hull->numbers[at] = (uchar)out->vertexCount;
			out->vertices[out->vertexCount++] = (float4)(convert_float3(p), 0.0f);
		}
		out->corners[out->cornerCount++] = hull->numbers[at];
		area += cross(birthCorner(hull, at) - origin, birthCorner(hull, to) - origin);
		at = to;
		if (at == first && n + 1 < count)
		{
			return false;
		}
	}
	const double3 normal = normalize(area);
	double offset = -INFINITY;
	for (uint n = 0; n < count; ++n, at = hull->next[at])
	{
		offset = fmax(offset, dot(normal, birthCorner(hull, at)));
	}
	hull->planes[face] = (double4)(normal, offset); // no triangle is asked for its own any more
	out->planes[face] = (float4)(convert_float3(normal), (float)offset);
	out->faceStarts[face + 1] = out->cornerCount;
	return at == first && count >= 3;
}

// One thread: each edge once, with the face on either side.
inline void birthEdges(__local const BirthHull* hull, BirthShape* out)
{
	for (int k = 0; k < hull->triangleCount; ++k)
	{
		const uchar4 t = hull->triangles[k];
		const uchar v[4] = {t.x, t.y, t.z, t.x};
		for (uint e = 0; e < 3; ++e)
		{
			const int a = hull->numbers[v[e]], b = hull->numbers[v[e + 1]];
			const int f = hull->faces[k], g = hull->faces[hull->beside[v[e + 1] * BIRTH_CORNERS + v[e]]];
			if (f != g && a < b)
			{
				out->edges[out->edgeCount++] = (int4)(a, b, f, g);
			}
		}
	}
}

// One thread: polygons, first joined ones, else the triangles.
inline void birthFaces(__local BirthHull* hull, double tolerance, BirthShape* out)
{
	bool isGood = false;
	for (int turn = 0; turn < 2 && !isGood; ++turn)
	{
		birthJoinFaces(hull, turn == 0 ? tolerance : -1.0);
		out->vertexCount = out->cornerCount = out->edgeCount = 0;
		out->faceStarts[0] = 0;
		for (int c = 0; c < hull->cornerCount; ++c)
		{
			hull->numbers[c] = 255;
		}
		isGood = hull->faceCount >= 4;
		for (int face = 0; face < hull->faceCount && isGood; ++face)
		{
			isGood = birthOutline(hull, (uint)face, out);
		}
	}
	birthEdges(hull, out);
}

// How thin it is: the least that it extends behind a face. All threads come here together.
inline float birthThickness(__local BirthHull* hull)
{
	double thinnest = INFINITY;
	for (int f = (int)get_local_id(0); f < hull->faceCount; f += BIRTH_GROUP)
	{
		const double4 plane = hull->planes[f];
		double lowest = INFINITY;
		for (int i = 0; i < hull->cornerCount; ++i)
		{
			lowest = fmin(lowest, dot(plane.xyz, birthCorner(hull, i)));
		}
		thinnest = fmin(thinnest, plane.w - lowest);
	}
	int at;
	return (float)-birthMost(hull, -thinnest, 0, &at);
}

// Triangles, the largest first. All threads come here together.
inline void birthOrder(__local BirthHull* hull)
{
	for (int k = (int)get_local_id(0); k < hull->triangleCount; k += BIRTH_GROUP)
	{
		int rank = 0;
		for (int i = 0; i < hull->triangleCount; ++i)
		{
			rank += hull->areas[i] > hull->areas[k] || (hull->areas[i] == hull->areas[k] && i < k) ? 1 : 0;
		}
		hull->order[rank] = (uchar)k;
	}
	BIRTH_SYNC;
}

// One thread: the shape, as shapeMeasurePolytope has it.
inline GpuShape birthMeasure(__local const BirthHull* hull, const BirthShape* from, float thickness)
{
	GpuShape shape;
	float3 lower = from->vertices[0].xyz, upper = lower;
	float radiusSq = 0.0f;
	for (int i = 0; i < from->vertexCount; ++i)
	{
		const float3 v = from->vertices[i].xyz;
		lower = fmin(lower, v), upper = fmax(upper, v);
		radiusSq = fmax(radiusSq, dot(v, v));
	}
	const float3 half3 = 0.5f * (upper - lower), center = 0.5f * (lower + upper);
	shape.kind = SHAPE_BOX + 1;
	shape.vertexCount = from->vertexCount, shape.faceCount = hull->faceCount, shape.edgeCount = from->edgeCount;
	shape.radius = sqrt(radiusSq) * 1.000002f, shape.thickness = thickness, shape.round = 0.0f;
	shape.halfX = half3.x, shape.halfY = half3.y, shape.halfZ = half3.z;
	shape.centerX = center.x, shape.centerY = center.y, shape.centerZ = center.z;
	shape.along = 0.0f, shape.rolls = 0;
	return shape;
}

// A group a piece: its hull, at the places that each cell has for itself behind what `starts` says is there.
__kernel __attribute__((reqd_work_group_size(BIRTH_GROUP, 1, 1))) void
brk_birthHulls(__global const int* numbers, __global const uint4* pieces, __global const double* pieceVertices,
			   __global const double* origins, __global const int* starts, uint firstShape, __global GpuShape* shapes,
			   __global float4* vertices, __global float4* planes, __global int* faceStarts, __global int* corners,
			   __global int4* edges)
{
	__local BirthHull hull;
	const int cell = (int)get_group_id(0);
	if (numbers[cell] < 0)
	{
		return;
	}
	__global const double* origin = origins + 8 * numbers[cell];
	const BirthPoints of = {pieceVertices + 3 * pieces[cell].x, pieces[cell].y,
							(double4)(-origin[0], -origin[1], -origin[2], origin[3]), birthOf(origin + 4)};
	if (get_local_id(0) == 0)
	{
		hull.isOver = 0;
	}
	double radius;
	if (birthStart(&hull, &of, &radius))
	{
		birthGrow(&hull, &of, radius);
	}
	else
	{
		birthBox(&hull, &of, radius);
	}
	BIRTH_SYNC;
	birthOrder(&hull);
	// starts: of vertices, planes, starts of faces, corners, edges in the lists.
	const int vertexStart = starts[0] + cell * BIRTH_CORNERS, faceStart = starts[1] + cell * BIRTH_TRIANGLES;
	const int loopStart = starts[2] + cell * (BIRTH_TRIANGLES + 1);
	const int cornerStart = starts[3] + cell * BIRTH_LOOPS, edgeStart = starts[4] + cell * BIRTH_EDGES;
	BirthShape out = {vertices + vertexStart, planes + faceStart, faceStarts + loopStart, corners + cornerStart,
					  edges + edgeStart,	  0,				  0,					  0};
	if (get_local_id(0) == 0)
	{
		birthFaces(&hull, BIRTH_JOIN * radius, &out);
	}
	BIRTH_SYNC;
	const float thickness = birthThickness(&hull);
	if (get_local_id(0) == 0)
	{
		GpuShape shape = birthMeasure(&hull, &out, thickness);
		shape.vertexStart = vertexStart, shape.faceStart = faceStart, shape.loopStart = loopStart;
		shape.cornerStart = cornerStart, shape.edgeStart = edgeStart;
		shapes[firstShape + (uint)cell] = shape;
	}
}

#else

__kernel void brk_birthNumbers(void)
{
}
__kernel void brk_birthPlanes(void)
{
}
__kernel void brk_birthBodies(void)
{
}
__kernel void brk_birthHulls(void)
{
}

#endif
