// SPDX-License-Identifier: MIT

// Which candidate pairs of tetrahedra meet, and how deep.
//
// brk_meetTets is brTetPair_Decide: volumes that the corners of one span with the faces of the other, in doubles with a
// certain bound, answer for planes through faces and through edges (tet_pair.c has the derivation). What is not certain
// goes to a list that the host settles exactly. brk_measureTets is brTetPair_Mtv: 44 axes measured in doubles. Both
// work on the same numbers in the same order as their twins. A device without doubles is certain of nothing but
// neighbors and measures nothing.

#define TETS_GROUP 128

#ifdef cl_khr_fp64
typedef struct TetsCorners
{
	double3 p[4];
} TetsCorners;

inline TetsCorners tetsLoad(__global const double* positions, __global const int* corners, uint tet)
{
	TetsCorners out;
	int4 v = vload4(tet, corners);
	out.p[0] = vload3(v.x, positions);
	out.p[1] = vload3(v.y, positions);
	out.p[2] = vload3(v.z, positions);
	out.p[3] = vload3(v.w, positions);
	return out;
}

inline double3 tetsCross(double3 a, double3 b)
{
	return (double3)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

inline double tetsDot(double3 a, double3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

inline double tetsLargest(double3 v)
{
	return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

// Volumes of the corners of b against the faces of a: c[face][point]. Returns the bound of their error, or 0 if a is
// flat or too close to tell.
inline double tetsSides(const TetsCorners* a, const TetsCorners* b, double c[4][4])
{
	double3 e[3], n[3];
	double reachA = 0.0, reachB = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		e[k] = a->p[k + 1] - a->p[0];
		reachA = fmax(reachA, tetsLargest(e[k]));
	}
	n[0] = tetsCross(e[2], e[1]);
	n[1] = tetsCross(e[0], e[2]);
	n[2] = tetsCross(e[1], e[0]);
	double volume = -tetsDot(n[0], e[0]), turn = volume < 0.0 ? -1.0 : 1.0;
	for (int i = 0; i < 4; ++i)
	{
		double3 x = b->p[i] - a->p[0];
		reachB = fmax(reachB, tetsLargest(x));
		double sum = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			c[k + 1][i] = turn * tetsDot(n[k], x);
			sum += c[k + 1][i];
		}
		c[0][i] = -turn * volume - sum;
	}
	double reach = reachA + reachB;
	double bound = 256.0 * 0x1p-53 * reachA * reach * reach + 0x1p-900 * (1.0 + reach);
	bool isFlat = !(fabs(volume) > bound) || !(bound > 0x1p-400 && bound < 0x1p400);
	return isFlat ? 0.0 : bound;
}

inline double tetsLeast(const double c[4])
{
	return fmin(fmin(c[0], c[1]), fmin(c[2], c[3]));
}

// Are all points beyond a plane through the edge of faces f and g, if the volumes are `shift` larger?
inline bool tetsBeyondEdge(const double c[4][4], int f, int g, double shift, double favor)
{
	bool isBeyond = true;
	double p[4], q[4];
#pragma unroll
	for (int i = 0; i < 4; ++i)
	{
		p[i] = c[f][i] + shift, q[i] = c[g][i] + shift;
		isBeyond &= !(p[i] <= 0.0 && q[i] <= 0.0);
	}
#pragma unroll
	for (int i = 0; i < 4; ++i)
	{
#pragma unroll
		for (int j = 0; j < 4; ++j)
		{
			bool isOpposed = p[i] > 0.0 && q[i] <= 0.0 && p[j] <= 0.0 && q[j] > 0.0;
			isBeyond &= !isOpposed || p[i] * q[j] > favor * (q[i] * p[j]);
		}
	}
	return isBeyond;
}

inline bool tetsBeyondEdges(const double c[4][4], double shift, double favor)
{
#pragma unroll
	for (int f = 0; f < 3; ++f)
	{
#pragma unroll
		for (int g = f + 1; g < 4; ++g)
		{
			if (tetsBeyondEdge(c, f, g, shift, favor))
			{
				return true;
			}
		}
	}
	return false;
}

// 1 they meet, 0 they do not, -1 not certain.
inline int tetsDecide(const TetsCorners* a, const TetsCorners* b)
{
	double c[4][4];
	double boundB = tetsSides(b, a, c);
	double beyondB = fmax(fmax(tetsLeast(c[0]), tetsLeast(c[1])), fmax(tetsLeast(c[2]), tetsLeast(c[3])));
	double boundA = tetsSides(a, b, c);
	double beyondA = fmax(fmax(tetsLeast(c[0]), tetsLeast(c[1])), fmax(tetsLeast(c[2]), tetsLeast(c[3])));
	if (boundA == 0.0 || boundB == 0.0)
	{
		return -1;
	}
	const double little = 8.0 * 0x1p-53;
	if (beyondA - boundA > 0.0 || beyondB - boundB > 0.0 || tetsBeyondEdges(c, -boundA, 1.0 + little))
	{
		return 0;
	}
	return beyondA + boundA > 0.0 || beyondB + boundB > 0.0 || tetsBeyondEdges(c, boundA, 1.0 - little) ? -1 : 1;
}

inline double3 tetsFaceAxis(const TetsCorners* t, int f)
{
	double3 p = t->p[(f + 1) & 3];
	return tetsCross(t->p[(f + 2) & 3] - p, t->p[(f + 3) & 3] - p);
}

inline double3 tetsEdge(const TetsCorners* t, int k)
{
	// 01 02 03 12 13 23
	int from = k < 3 ? 0 : k < 5 ? 1 : 2, to = k < 3 ? k + 1 : k < 5 ? k - 1 : 3;
	return t->p[to] - t->p[from];
}

inline double3 tetsAxis(const TetsCorners* a, const TetsCorners* b, int i)
{
	return i < 4   ? tetsFaceAxis(a, i)
		   : i < 8 ? tetsFaceAxis(b, i - 4)
				   : tetsCross(tetsEdge(a, (i - 8) / 6), tetsEdge(b, (i - 8) % 6));
}

inline double2 tetsProject(const TetsCorners* t, double3 origin, double3 axis)
{
	double2 range = (double2)(INFINITY, -INFINITY);
	for (int i = 0; i < 4; ++i)
	{
		double x = tetsDot(axis, t->p[i] - origin);
		range = (double2)(fmin(range.x, x), fmax(range.y, x));
	}
	return range;
}

// Axes of faces alone, rounded.
inline int tetsFacesOverlap(const TetsCorners* a, const TetsCorners* b)
{
	for (int i = 0; i < 8; ++i)
	{
		double3 axis = tetsAxis(a, b, i);
		double2 ofA = tetsProject(a, a->p[0], axis), ofB = tetsProject(b, a->p[0], axis);
		if (ofA.y < ofB.x || ofB.y < ofA.x)
		{
			return 0;
		}
	}
	return 1;
}
#endif

// Counters and lists as brk_meetTriangles.
__kernel __attribute__((reqd_work_group_size(TETS_GROUP, 1, 1))) void
brk_meetTets(__global const ulong* candidates, uint capacity, volatile __global uint* counters, uint counter,
			 __global const int* corners, __global const void* positionBytes, uint keepNeighbors, uint facesOnly,
			 __global ulong* meeting, __global ulong* unsure, uint room, uint unsureRoom)
{
	__local ulong found[TETS_GROUP];
	__local uint foundCount, run;
	const MeetLists lists = {counters, counter, meeting, unsure, room, unsureRoom};
	const uint t = get_local_id(0);
	const uint count = min(counters[counter], capacity);
	if (t == 0)
	{
		foundCount = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint start = get_group_id(0) * TETS_GROUP; start < count; start += get_num_groups(0) * TETS_GROUP)
	{
		const uint i = start + t;
		int answer = 0;
		ulong pair = 0;
		if (i < count)
		{
			pair = candidates[i];
			uint tetA = (uint)(pair >> 32), tetB = (uint)pair;
			if (pairSharesCorner(vload4(tetA, corners), vload4(tetB, corners)))
			{
				answer = keepNeighbors != 0 ? 1 : 0;
			}
			else
			{
#ifdef cl_khr_fp64
				__global const double* positions = positionBytes;
				TetsCorners a = tetsLoad(positions, corners, tetA), b = tetsLoad(positions, corners, tetB);
				answer = facesOnly != 0 ? tetsFacesOverlap(&a, &b) : tetsDecide(&a, &b);
#else
				answer = -1;
#endif
			}
		}
		meetList(answer, pair, found, &foundCount, &run, &lists);
	}
}

// Depth and direction of each pair, as brPenetration: four doubles. Pairs that some axis separates get depth 0 along x.
__kernel __attribute__((reqd_work_group_size(TETS_GROUP, 1, 1))) void
brk_measureTets(__global const ulong* pairs, uint count, __global const int* corners,
				__global const void* positionBytes, __global void* penetrationBytes)
{
#ifdef cl_khr_fp64
	__global const double* positions = positionBytes;
	__global double* penetrations = penetrationBytes;
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		TetsCorners a = tetsLoad(positions, corners, (uint)(pairs[i] >> 32));
		TetsCorners b = tetsLoad(positions, corners, (uint)pairs[i]);
		double size = 0.0, depth = INFINITY;
		double3 direction = (double3)(1.0, 0.0, 0.0);
		for (int k = 0; k < 6; ++k)
		{
			size = fmax(size, fmax(tetsLargest(tetsEdge(&a, k)), tetsLargest(tetsEdge(&b, k))));
		}
		bool isApart = false;
		for (int k = 0; k < 44 && !isApart; ++k)
		{
			double3 axis = tetsAxis(&a, &b, k);
			double length = sqrt(tetsDot(axis, axis));
			// Edges that are nearly parallel give no axis but noise; the faces beside them stand for it.
			if (!(length > 1e-12 * size * size))
			{
				continue;
			}
			axis *= 1.0 / length;
			double2 ofA = tetsProject(&a, a.p[0], axis), ofB = tetsProject(&b, a.p[0], axis);
			double ahead = ofA.y - ofB.x, back = ofB.y - ofA.x;
			isApart = ahead < 0.0 || back < 0.0;
			if (fmin(ahead, back) < depth)
			{
				depth = fmin(ahead, back);
				direction = ahead <= back ? axis : -axis;
			}
		}
		bool isNone = isApart || !(depth < INFINITY);
		vstore4((double4)(isNone ? 0.0 : depth, isNone ? (double3)(1.0, 0.0, 0.0) : direction), i, penetrations);
	}
#endif
}
