// SPDX-License-Identifier: MIT

// Before the files of contact/ that find where meshes touch: what they need of C and of shapes, and the set of eight
// lanes (base/lanes.h), which here is one thread's.

#define half br_half     // a type of OpenCL C; the name of a field
#define double ulong     // which not every device has; nobody here asks what is in one
#define _Alignas(bytes)  // as it is
#define _Static_assert(condition, text)

#ifndef NULL
#define NULL 0
#endif
#ifndef SIZE_MAX
#define SIZE_MAX (~(size_t)0)
#endif

#define fabsf fabs
#define fminf fmin
#define fmaxf fmax
#define __builtin_ctz(bits) (31 - (int)clz((uint)((bits) & (0u - (bits)))))
#define __builtin_ctzll(bits) (63 - (int)clz((ulong)((bits) & (0ul - (bits)))))
#define __builtin_clz(bits) ((int)clz((uint)(bits)))

typedef uint MeshWord __attribute__((may_alias));

// All that is copied here is made of words.
static inline void meshCopy(MeshWord* to, const MeshWord* from, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(MeshWord); ++i)
	{
		to[i] = from[i];
	}
}

static inline void meshMove(MeshWord* to, const MeshWord* from, size_t bytes)
{
	if (to < from)
	{
		meshCopy(to, from, bytes);
		return;
	}
	for (size_t i = bytes / sizeof(MeshWord); i > 0; --i)
	{
		to[i - 1] = from[i - 1];
	}
}

static inline void meshZero(MeshWord* to, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(MeshWord); ++i)
	{
		to[i] = 0;
	}
}

#define memcpy(to, from, bytes) meshCopy((MeshWord*)(to), (const MeshWord*)(from), bytes)
#define memmove(to, from, bytes) meshMove((MeshWord*)(to), (const MeshWord*)(from), bytes)
#define memset(to, zero, bytes) meshZero((MeshWord*)(to), bytes)

// Shapes, as brittle/shape.h and those above it have them; gpu_touch.c checks sizes and places.

typedef struct brDVec3
{
	ulong x, y, z;
} brDVec3;

typedef struct brTransform
{
	brDVec3 p;
	ulong q[4];
} brTransform;

typedef struct brAllocator
{
	ulong pointers[3];
} brAllocator;

typedef struct brShape brShape;

enum
{
	br_shapeHalfSpace,
	br_shapeSphere,
	br_shapeCapsule,
	br_shapeBox,
	br_shapeHull,
	br_shapeMesh,
	br_shapeSurface,
};

#define BR_HULL_MAX_FACES 128

// Lanes

typedef float8 brFloat8;
typedef int8 brInt8;

#define LANE(name) name##Plain
#define LANE_TARGET
#define LANE_INLINE static inline
#define BR_ON_LANES(hasAvx2, name, arguments) name##Plain arguments
#define brCpu_Best() 0
#define br_cpuAvx2 0
#define BR_ALL8 ((int8)(-1))
#define BR_CHOOSE8(mask, a, b) select(b, a, mask)
#define BR_TO_INTS8(a) convert_int8(a)
#define BR_TO_FLOATS8(a) convert_float8(a)

static inline brFloat8 brSplat8Plain(float x)
{
	return (float8)(x);
}

static inline brInt8 brIntSplat8Plain(int x)
{
	return (int8)(x);
}

static inline brFloat8 brMax8Plain(brFloat8 a, brFloat8 b)
{
	return select(b, a, a > b);
}

static inline brFloat8 brMin8Plain(brFloat8 a, brFloat8 b)
{
	return select(b, a, a < b);
}

static inline brFloat8 brRoot8Plain(brFloat8 a)
{
	return sqrt(a);
}

static inline uint brBits8Plain(brInt8 mask)
{
	int8 bits = mask & (int8)(1, 2, 4, 8, 16, 32, 64, 128);
	int4 four = bits.lo | bits.hi;
	int2 two = four.lo | four.hi;
	return (uint)(two.x | two.y);
}

static inline brInt8 brMore8Plain(brFloat8 a, brFloat8 b)
{
	return a > b;
}

static inline brInt8 brLess8Plain(brFloat8 a, brFloat8 b)
{
	return a < b;
}

static inline brInt8 brAtLeast8Plain(brFloat8 a, brFloat8 b)
{
	return a >= b;
}

static inline brInt8 brAtMost8Plain(brFloat8 a, brFloat8 b)
{
	return a <= b;
}

static inline brInt8 brEqual8Plain(brFloat8 a, brFloat8 b)
{
	return a == b;
}

static inline float brLeast8Plain(brFloat8 a)
{
	float4 four = select(a.hi, a.lo, a.lo < a.hi);
	float2 two = select(four.hi, four.lo, four.lo < four.hi);
	return two.x < two.y ? two.x : two.y;
}
