// SPDX-License-Identifier: MIT

// Before the files of narrow/ that measure depths of tets: what they need of C, and the set of lanes that is two
// doubles wide (base/lanes.h).

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define _Alignas(bytes)
#define BR_UNROLL
#define INT64_MIN ((long)(1ul << 63))

#ifndef NULL
#define NULL 0
#endif
#define __builtin_ctz(bits) (31 - (int)clz((uint)((bits) & (0u - (bits)))))
#define __builtin_ctzll(bits) (63 - (int)clz((ulong)((bits) & (0ul - (bits)))))

static inline void depthCopy(uchar* to, const uchar* from, size_t bytes)
{
	for (size_t i = 0; i < bytes; ++i)
	{
		to[i] = from[i];
	}
}

static inline void depthFill(uchar* to, uchar value, size_t bytes)
{
	for (size_t i = 0; i < bytes; ++i)
	{
		to[i] = value;
	}
}

#define memcpy(to, from, bytes) depthCopy((uchar*)(to), (const uchar*)(from), bytes)
#define memset(to, value, bytes) depthFill((uchar*)(to), (uchar)(value), bytes)

typedef struct brDVec3
{
	double x, y, z;
} brDVec3;

typedef struct brPenetration
{
	double depth;
	brDVec3 direction;
} brPenetration;

static inline brDVec3 brMakeDVec3(double x, double y, double z)
{
	return (brDVec3){x, y, z};
}

static inline brDVec3 brDAdd(brDVec3 a, brDVec3 b)
{
	return (brDVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline brDVec3 brDSub(brDVec3 a, brDVec3 b)
{
	return (brDVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline brDVec3 brDMul(double s, brDVec3 a)
{
	return (brDVec3){s * a.x, s * a.y, s * a.z};
}

static inline brDVec3 brDMulAdd(brDVec3 a, double s, brDVec3 b)
{
	return (brDVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double brDDot(brDVec3 a, brDVec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline double brDLengthSq(brDVec3 a)
{
	return brDDot(a, a);
}

static inline brDVec3 brDCross(brDVec3 a, brDVec3 b)
{
	return (brDVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

typedef double2 brDoublesPlain;
typedef long2 brLongsPlain;

#define LANE(name) name##Plain
#define LANE_TARGET
#define LANE_INLINE static inline
#define LANE_BYTES 16
#define LANE_DOUBLES 2

static inline double2 brSplatDoublesPlain(double x)
{
	return (double2)(x);
}

static inline double2 brTurnSignsPlain(double2 a, long2 mask)
{
	return as_double2(as_long2(a) ^ mask);
}

static inline double2 brAbsPlain(double2 a)
{
	return fabs(a);
}

static inline double2 brMaxDoublesPlain(double2 a, double2 b)
{
	return select(b, a, a > b);
}

static inline double2 brMinDoublesPlain(double2 a, double2 b)
{
	return select(b, a, a < b);
}

static inline double2 brRootPlain(double2 a)
{
	return sqrt(a);
}

static inline uint brMoreBitsPlain(double2 a, double2 b)
{
	return (a.x > b.x ? 1u : 0u) | (a.y > b.y ? 2u : 0u);
}

static inline long2 brMaskOfPlain(uint bits)
{
	return (long2)(-(long)(bits & 1u), -(long)(bits >> 1 & 1u));
}
