// SPDX-License-Identifier: MIT

// brTetPair_Mtv of as many pairs as a register holds doubles, in tet_measure.c once for each set of lanes
// (base/lanes.h): a pair a lane, the same operations in the same order.

#define DOUBLES LANE(brDoubles)

typedef struct LANE(MtvPoint)
{
	DOUBLES x, y, z;
} LANE(MtvPoint);

typedef struct LANE(MtvPairs)
{
	LANE(MtvPoint) a[4], b[4]; // from the first corner of a
	DOUBLES least;             // shorter axes are noise
	DOUBLES depth;
	LANE(MtvPoint) direction;
	uint32_t apart, huge;
} LANE(MtvPairs);

LANE_INLINE LANE(MtvPoint) LANE(mtvSub)(LANE(MtvPoint) a, LANE(MtvPoint) b)
{
	return (LANE(MtvPoint)){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANE_INLINE LANE(MtvPoint) LANE(mtvCross)(LANE(MtvPoint) a, LANE(MtvPoint) b)
{
	return (LANE(MtvPoint)){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

LANE_INLINE DOUBLES LANE(mtvDot)(LANE(MtvPoint) a, LANE(MtvPoint) b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANE_INLINE void LANE(mtvAlong)(LANE(MtvPairs) * pairs, LANE(MtvPoint) axis)
{
	DOUBLES length = LANE(brRoot)(LANE(mtvDot)(axis, axis)), inv = 1.0 / length;
	LANE(MtvPoint) n = {inv * axis.x, inv * axis.y, inv * axis.z};
	DOUBLES lowerA = {0}, upperA = {0}; // of the first corner
	BR_UNROLL
	for (int i = 1; i < 4; ++i)
	{
		DOUBLES x = LANE(mtvDot)(n, pairs->a[i]);
		lowerA = LANE(brMinDoubles)(lowerA, x), upperA = LANE(brMaxDoubles)(upperA, x);
	}
	DOUBLES lowerB = LANE(mtvDot)(n, pairs->b[0]), upperB = lowerB;
	BR_UNROLL
	for (int i = 1; i < 4; ++i)
	{
		DOUBLES x = LANE(mtvDot)(n, pairs->b[i]);
		lowerB = LANE(brMinDoubles)(lowerB, x), upperB = LANE(brMaxDoubles)(upperB, x);
	}
	DOUBLES ahead = upperA - lowerB, back = upperB - lowerA, depth = LANE(brMinDoubles)(ahead, back);
	uint32_t isAxis = LANE(brMoreBits)(length, pairs->least);
	pairs->apart |= isAxis & LANE(brMoreBits)((DOUBLES){0}, depth);
	LANE(brLongs) isLess = LANE(brMaskOf)(isAxis & LANE(brMoreBits)(pairs->depth, depth));
	// Towards the nearer side: the sign of the axis is turned where the way back is shorter.
	LANE(brLongs) turn = LANE(brMaskOf)(LANE(brMoreBits)(ahead, back)) & INT64_MIN;
	pairs->depth = LANE(brChoose)(isLess, depth, pairs->depth);
	pairs->direction.x = LANE(brChoose)(isLess, (DOUBLES)((LANE(brLongs))n.x ^ turn), pairs->direction.x);
	pairs->direction.y = LANE(brChoose)(isLess, (DOUBLES)((LANE(brLongs))n.y ^ turn), pairs->direction.y);
	pairs->direction.z = LANE(brChoose)(isLess, (DOUBLES)((LANE(brLongs))n.z ^ turn), pairs->direction.z);
}

LANE_INLINE DOUBLES LANE(mtvReach)(DOUBLES reach, LANE(MtvPoint) p)
{
	reach = LANE(brMaxDoubles)(reach, LANE(brAbs)(p.x));
	return LANE(brMaxDoubles)(reach, LANE(brMaxDoubles)(LANE(brAbs)(p.y), LANE(brAbs)(p.z)));
}

// Corners as they are given to corners from the first of a, and the edges of both.
LANE_INLINE void LANE(mtvLoad)(const brTetCorners* const* from, LANE(MtvPairs) * pairs, LANE(MtvPoint) edgesA[6],
							   LANE(MtvPoint) edgesB[6])
{
	LANE(MtvPoint) corners[8];
	for (int k = 0; k < 8; ++k)
	{
		for (int lane = 0; lane < LANE_DOUBLES; ++lane)
		{
			brDVec3 p = k < 4 ? from[lane]->a[k] : from[lane]->b[k - 4];
			corners[k].x[lane] = p.x, corners[k].y[lane] = p.y, corners[k].z[lane] = p.z;
		}
	}
	DOUBLES size = {0};
	for (int k = 0; k < 6; ++k)
	{
		edgesA[k] = LANE(mtvSub)(corners[mtvEdges[k][1]], corners[mtvEdges[k][0]]);
		edgesB[k] = LANE(mtvSub)(corners[4 + mtvEdges[k][1]], corners[4 + mtvEdges[k][0]]);
		size = LANE(mtvReach)(LANE(mtvReach)(size, edgesA[k]), edgesB[k]);
	}
	for (int k = 0; k < 4; ++k)
	{
		pairs->a[k] = LANE(mtvSub)(corners[k], corners[0]);
		pairs->b[k] = LANE(mtvSub)(corners[4 + k], corners[0]);
	}
	pairs->least = BR_TET_AXIS_LEAST * size * size;
	pairs->huge = LANE(brMoreBits)(size, (DOUBLES){0} + MTV_HUGE);
}

LANE_INLINE void LANE(mtvFaces)(LANE(MtvPairs) * pairs, const LANE(MtvPoint) edges[6])
{
	// Face f has the three corners after f, as tetFaceAxes has it: the same axes with the same signs.
	LANE(MtvPoint)
	axes[4] = {LANE(mtvCross)(edges[3], edges[4]), LANE(mtvCross)(edges[1], edges[5]),
			   LANE(mtvCross)(edges[2], edges[4]), LANE(mtvCross)(edges[0], edges[1])};
	for (int f = 0; f < 4; ++f)
	{
		LANE(mtvAlong)(pairs, axes[f]);
	}
}

LANE_TARGET static uint32_t LANE(mtvMeasure)(const brTetCorners* from, int32_t count, brPenetration* out)
{
	uint32_t meets = 0;
	for (int32_t first = 0; first < count; first += LANE_DOUBLES)
	{
		// Lanes past the end repeat the last.
		const brTetCorners* corners[LANE_DOUBLES];
		for (int32_t lane = 0; lane < LANE_DOUBLES; ++lane)
		{
			corners[lane] = &from[first + lane < count ? first + lane : count - 1];
		}
		LANE(MtvPairs) pairs = {.depth = (DOUBLES){0} + INFINITY};
		LANE(MtvPoint) edgesA[6], edgesB[6];
		LANE(mtvLoad)(corners, &pairs, edgesA, edgesB);
		LANE(mtvFaces)(&pairs, edgesA);
		LANE(mtvFaces)(&pairs, edgesB);
		for (int i = 0; i < 36; ++i)
		{
			LANE(mtvAlong)(&pairs, LANE(mtvCross)(edgesA[i / 6], edgesB[i % 6]));
		}
		for (int32_t lane = 0; lane < LANE_DOUBLES && first + lane < count; ++lane)
		{
			brPenetration* one = &out[first + lane];
			bool isMet = (pairs.apart >> lane & 1) == 0;
			if ((pairs.huge >> lane & 1) != 0)
			{
				isMet = brTetPair_Mtv(corners[lane]->a, corners[lane]->b, one);
			}
			else if (isMet && pairs.depth[lane] < INFINITY)
			{
				one->depth = pairs.depth[lane];
				one->direction = brMakeDVec3(pairs.direction.x[lane], pairs.direction.y[lane], pairs.direction.z[lane]);
			}
			else if (isMet)
			{
				*one = (brPenetration){.direction = {1.0, 0.0, 0.0}}; // no axis at all
			}
			meets |= (uint32_t)isMet << (first + lane);
		}
	}
	return meets;
}

#undef DOUBLES
