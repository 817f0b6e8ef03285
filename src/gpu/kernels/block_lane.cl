// SPDX-License-Identifier: MIT

// Before dynamics/solver_block.h for one contact, solver_bodies.h and solver_passes.h: what these files of the CPU need of C, and the set of lanes
// that is one wide (base/lanes.h).

#undef BR_SOLVER_LANES
#undef brLanes
#undef brPointLanes
#undef brContactBlock

#define BR_SOLVER_LANES 1
typedef float brLanes;
typedef int brInt8;

#define LANE(name) name
#define LANE_TARGET
#define LANE_INLINE static inline
#define BR_CHOOSE8(mask, a, b) ((mask) != 0 ? (a) : (b))
#define sqrtf sqrt
#define frexpf frexp
#define ldexpf ldexp

typedef struct brVec3
{
	float x, y, z;
} brVec3;

typedef struct brQuat
{
	ulong x, y, z, w; // doubles, which not every device has; nobody here asks
} brQuat;

static inline brLanes brMax8(brLanes a, brLanes b)
{
	return a > b ? a : b;
}

static inline brLanes brMin8(brLanes a, brLanes b)
{
	return a < b ? a : b;
}

static inline brLanes brRoot8(brLanes a)
{
	return sqrt(a);
}

static inline brInt8 brMore8(brLanes a, brLanes b)
{
	return a > b ? -1 : 0;
}

static inline brInt8 brAtMost8(brLanes a, brLanes b)
{
	return a <= b ? -1 : 0;
}

static inline uint brBits8(brInt8 mask)
{
	return mask != 0 ? 1u : 0u;
}

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

static inline float brDot(brVec3 a, brVec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline brVec3 brCross(brVec3 a, brVec3 b)
{
	return (brVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
