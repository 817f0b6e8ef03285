// SPDX-License-Identifier: MIT

// Which candidate pairs of triangles meet. Signs of volumes in doubles with the error bound of the orientation
// predicate: what is certain is settled here (Guigue and Devillers 2003), what is not goes to a list that the host
// settles exactly. A device without doubles is certain of nothing but neighbors.

#define MEET_GROUP 256

#ifdef cl_khr_fp64
typedef struct MeetCorner
{
	double x, y, z;
} MeetCorner;

inline MeetCorner meetCorner(__global const double* positions, int vertex)
{
	MeetCorner corner = {positions[3 * vertex], positions[3 * vertex + 1], positions[3 * vertex + 2]};
	return corner;
}

// Sign of (a - d) . ((b - d) x (c - d)): 1, -1, or 0 for not certain.
inline int meetSide(MeetCorner a, MeetCorner b, MeetCorner c, MeetCorner d)
{
	double adx = a.x - d.x, ady = a.y - d.y, adz = a.z - d.z;
	double bdx = b.x - d.x, bdy = b.y - d.y, bdz = b.z - d.z;
	double cdx = c.x - d.x, cdy = c.y - d.y, cdz = c.z - d.z;
	double bcx = bdx * cdy, cbx = cdx * bdy;
	double cay = cdx * ady, acy = adx * cdy;
	double abz = adx * bdy, baz = bdx * ady;
	double volume = adz * (bcx - cbx) + bdz * (cay - acy) + cdz * (abz - baz);
	double size = (fabs(bcx) + fabs(cbx)) * fabs(adz) + (fabs(cay) + fabs(acy)) * fabs(bdz) +
				  (fabs(abz) + fabs(baz)) * fabs(cdz);
	double error = 7.8e-16 * size + 1e-290; // (7 + 56 u) u and a margin for denormal products
	return volume > error ? 1 : volume < -error ? -1 : 0;
}

// Turns a triangle so that its first corner is alone on its side, given the sides of all three (none 0, not all equal).
inline int meetTurn(MeetCorner* p, MeetCorner* q, MeetCorner* r, int sp, int sq, int sr)
{
	MeetCorner old = *p;
	if (sp == sq) // r is alone
	{
		*p = *r, *r = *q, *q = old;
		return sr;
	}
	if (sp == sr) // q is alone
	{
		*p = *q, *q = *r, *r = old;
		return sq;
	}
	return sp;
}

// 1 they meet, 0 they do not, -1 not certain.
inline int meetDecide(MeetCorner p1, MeetCorner q1, MeetCorner r1, MeetCorner p2, MeetCorner q2, MeetCorner r2)
{
	int a = meetSide(p2, q2, r2, p1), b = meetSide(p2, q2, r2, q1), c = meetSide(p2, q2, r2, r1);
	if (a != 0 && a == b && b == c)
	{
		return 0;
	}
	int d = meetSide(p1, q1, r1, p2), e = meetSide(p1, q1, r1, q2), f = meetSide(p1, q1, r1, r2);
	if (d != 0 && d == e && e == f)
	{
		return 0;
	}
	if (a * b * c * d * e * f == 0)
	{
		return -1;
	}
	// Both cross the other's plane in a segment of the common line. With the lone corners in front of the other's plane
	// the segments begin and end in the order of two more volumes.
	int s1 = meetTurn(&p1, &q1, &r1, a, b, c), s2 = meetTurn(&p2, &q2, &r2, d, e, f);
	MeetCorner swap;
	if (s1 < 0)
	{
		swap = q2, q2 = r2, r2 = swap;
	}
	if (s2 < 0)
	{
		swap = q1, q1 = r1, r1 = swap;
	}
	int low = meetSide(p1, q1, p2, q2), high = meetSide(p1, r1, r2, p2);
	return low > 0 || high > 0 ? 0 : low < 0 && high < 0 ? 1 : -1;
}
#endif

// Where pairs go: counters from `counter` on, those that meet and those a double cannot settle, with room for so many.
typedef struct MeetLists
{
	volatile __global uint* counters;
	uint counter;
	__global ulong* meeting;
	__global ulong* unsure;
	uint room, unsureRoom;
} MeetLists;

// Lists what a group has decided: pairs that meet (1) in one run, those a double cannot settle (-1) one by one. Whoever
// calls it does so with the whole group, and `foundCount` is 0 before and after.
static void meetList(int answer, ulong pair, __local ulong* found, __local uint* foundCount, __local uint* run,
					 const MeetLists* lists)
{
	const uint t = get_local_id(0);
	if (answer > 0)
	{
		found[atomic_inc(foundCount)] = pair;
	}
	if (answer < 0)
	{
		uint place = atomic_inc(&lists->counters[lists->counter + 3]);
		if (place < lists->unsureRoom)
		{
			lists->unsure[place] = pair;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	const uint held = *foundCount;
	if (t == 0 && held > 0)
	{
		*run = atomic_add(&lists->counters[lists->counter + 2], held);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t < held && *run + t < lists->room)
	{
		lists->meeting[*run + t] = found[t];
	}
	if (t == 0)
	{
		*foundCount = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
}

// Counters: candidates (low, high), meeting, unsure. Neighbors by index count as `keepNeighbors` says. What is
// beyond their room is counted and not written, and the host runs this again.
__kernel __attribute__((reqd_work_group_size(MEET_GROUP, 1, 1))) void
brk_meetTriangles(__global const ulong* candidates, uint capacity, volatile __global uint* counters, uint counter,
				  __global const int* corners, __global const void* positionBytes, uint keepNeighbors,
				  __global ulong* meeting, __global ulong* unsure, uint room, uint unsureRoom)
{
	__local ulong found[MEET_GROUP];
	__local uint foundCount, run;
	const MeetLists lists = {counters, counter, meeting, unsure, room, unsureRoom};
	const uint t = get_local_id(0);
	const uint count = min(counters[counter], capacity);
#ifdef cl_khr_fp64
	__global const double* positions = positionBytes;
#endif
	if (t == 0)
	{
		foundCount = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint start = get_group_id(0) * MEET_GROUP; start < count; start += get_num_groups(0) * MEET_GROUP)
	{
		const uint i = start + t;
		int answer = 0;
		ulong pair = 0;
		if (i < count)
		{
			pair = candidates[i];
			uint a = (uint)(pair >> 32), b = (uint)pair;
			int a0 = corners[3 * a], a1 = corners[3 * a + 1], a2 = corners[3 * a + 2];
			int b0 = corners[3 * b], b1 = corners[3 * b + 1], b2 = corners[3 * b + 2];
			bool areNeighbors = a0 == b0 || a0 == b1 || a0 == b2 || a1 == b0 || a1 == b1 || a1 == b2 || a2 == b0 ||
								 a2 == b1 || a2 == b2;
			if (areNeighbors)
			{
				answer = keepNeighbors != 0 ? 1 : 0;
			}
			else
			{
#ifdef cl_khr_fp64
				answer = meetDecide(meetCorner(positions, a0), meetCorner(positions, a1), meetCorner(positions, a2),
									meetCorner(positions, b0), meetCorner(positions, b1), meetCorner(positions, b2));
#else
				answer = -1;
#endif
			}
		}
		meetList(answer, pair, found, &foundCount, &run, &lists);
	}
}
