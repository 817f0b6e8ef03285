// SPDX-License-Identifier: MIT

// Before dynamics/solver_block.h for one contact, solver_bodies.h and solver_passes.h: what these files of the CPU need
// of C, and the set of lanes that is one wide (base/lanes.h).

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
#define frexpf frexp
#define ldexpf ldexp

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
