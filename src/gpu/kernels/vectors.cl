// SPDX-License-Identifier: MIT

// What files of the CPU that are OpenCL C too need of C and of brittle/math.h, with the same operations in the same
// order.

#pragma OPENCL FP_CONTRACT OFF

typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;

#define sqrtf sqrt

typedef struct brVec3
{
	float x, y, z;
} brVec3;

typedef struct brVec4
{
	float x, y, z, w;
} brVec4;

typedef struct brBox3
{
	brVec3 lower, upper;
} brBox3;

static inline brVec3 brMakeVec3(float x, float y, float z)
{
	return (brVec3){x, y, z};
}

static inline brVec3 brAdd(brVec3 a, brVec3 b)
{
	return (brVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline brVec3 brSub(brVec3 a, brVec3 b)
{
	return (brVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline brVec3 brMul(float s, brVec3 a)
{
	return (brVec3){s * a.x, s * a.y, s * a.z};
}

static inline brVec3 brMulAdd(brVec3 a, float s, brVec3 b)
{
	return (brVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline float brDot(brVec3 a, brVec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline brVec3 brCross(brVec3 a, brVec3 b)
{
	return (brVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float brLength(brVec3 a)
{
	return sqrt(brDot(a, a));
}

static inline brVec3 brMin(brVec3 a, brVec3 b)
{
	return (brVec3){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}

static inline brVec3 brMax(brVec3 a, brVec3 b)
{
	return (brVec3){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}

static inline bool brBox3_Overlaps(brBox3 a, brBox3 b)
{
	return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
		   a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}
