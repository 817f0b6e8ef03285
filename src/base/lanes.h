// SPDX-License-Identifier: MIT
#pragma once

// Numbers side by side: the vector types of the library, and what the compilers' own operators on them lack.
//
// + - * / & | ~ work on all of these types on every processor: gcc and clang make them of the widest registers there
// are, or of single numbers. A lane holds an item of its own, never a part of a sum, and each operation here is one
// that IEEE rounds exactly, so that every set of instructions gives the same bits.
//
// A file of loops is compiled once for each set, by base/each_lanes.h. In it LANE(name) is the name of the set's copy
// and LANE_TARGET the attribute that lets the compiler use its instructions. The functions of base/lanes_set.h are
// there under the same rule, LANE(brMax8)(a, b). Outside, BR_ON_LANES calls the copy for this processor, and BR_WIDEST
// is the address of the copy of a function or constant for a path of base/cpu.h.

#include "base/cpu.h"

#include <math.h>
#include <stdint.h>

typedef float brFloat4 __attribute__((vector_size(16), may_alias));
typedef int32_t brInt4 __attribute__((vector_size(16), may_alias));
typedef double brDouble2 __attribute__((vector_size(16), may_alias));
typedef int64_t brLong2 __attribute__((vector_size(16), may_alias));
typedef float brFloat8 __attribute__((vector_size(32), may_alias));
typedef int32_t brInt8 __attribute__((vector_size(32), may_alias));
typedef double brDouble4 __attribute__((vector_size(32), may_alias));
typedef int64_t brLong4 __attribute__((vector_size(32), may_alias));
typedef float brFloat16 __attribute__((vector_size(64), may_alias));
typedef int32_t brInt16 __attribute__((vector_size(64), may_alias));
typedef double brDouble8 __attribute__((vector_size(64), may_alias));
typedef int64_t brLong8 __attribute__((vector_size(64), may_alias));

// As they lie in arrays: beginning at any of their numbers.
typedef float brLooseFloat4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t brLooseInt8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef double brLooseDouble4 __attribute__((vector_size(32), aligned(8), may_alias));

#define BR_ALL8 ((brInt8){-1, -1, -1, -1, -1, -1, -1, -1})

/// Lane by lane: a where the mask is set (all bits of a lane, or none), else b.
#define BR_CHOOSE8(mask, a, b) ((brFloat8)(((mask) & (brInt8)(a)) | (~(mask) & (brInt8)(b))))

/// Floats cut off to integers, and integers as floats.
#define BR_TO_INTS8(a) __builtin_convertvector(a, brInt8)
#define BR_TO_FLOATS8(a) __builtin_convertvector(a, brFloat8)

/// How many doubles fit a register of the set.
#define LANE_DOUBLES (LANE_BYTES / 8)

/// The functions of a set are always inlined: a vector that is wider than a register never is an argument in memory.
#define LANE_INLINE LANE_TARGET __attribute__((always_inline)) static inline

#if defined(__x86_64__) && !defined(BR_SCALAR)
#define BR_LANES_X86 1
#include <immintrin.h>
#define BR_ON_LANES(hasAvx2, name, arguments) ((hasAvx2) ? name##Avx2 arguments : name##Plain arguments)
#define BR_WIDEST(path, name)                                                                                          \
	((path) >= br_cpuAvx512 ? &name##Avx512 : (path) >= br_cpuAvx2 ? &name##Avx2 : &name##Plain)
#else
#define BR_LANES_X86 0
#define BR_ON_LANES(hasAvx2, name, arguments) ((void)(hasAvx2), name##Plain arguments)
#define BR_WIDEST(path, name) ((void)(path), &name##Plain)
#if defined(__wasm_simd128__) && !defined(BR_SCALAR)
#include <wasm_simd128.h>
#elif defined(__aarch64__) && !defined(BR_SCALAR)
#include <arm_neon.h>
#endif
#endif

// Four floats, in one register wherever there is one: bits of a mask, square roots, and the greater and lesser of two,
// the second if one of them is no number.
#if BR_LANES_X86
#define BR_BITS4(mask) ((uint32_t)_mm_movemask_ps((__m128)(mask)))
#define BR_ROOT4(a) ((brFloat4)_mm_sqrt_ps((__m128)(a)))
#define BR_MAX4(a, b) ((brFloat4)_mm_max_ps((__m128)(a), (__m128)(b)))
#define BR_MIN4(a, b) ((brFloat4)_mm_min_ps((__m128)(a), (__m128)(b)))
#define BR_BITS16(a, b, c, d)                                                                                          \
	((uint32_t)_mm_movemask_epi8(                                                                                      \
		_mm_packs_epi16(_mm_packs_epi32((__m128i)(a), (__m128i)(b)), _mm_packs_epi32((__m128i)(c), (__m128i)(d)))))
#elif defined(__wasm_simd128__) && !defined(BR_SCALAR)
#define BR_BITS4(mask) ((uint32_t)wasm_i32x4_bitmask((v128_t)(mask)))
#define BR_ROOT4(a) ((brFloat4)wasm_f32x4_sqrt((v128_t)(a)))
#define BR_MAX4(a, b) ((brFloat4)wasm_f32x4_pmax((v128_t)(b), (v128_t)(a)))
#define BR_MIN4(a, b) ((brFloat4)wasm_f32x4_pmin((v128_t)(b), (v128_t)(a)))
#else
#define BR_MAX4(a, b) ((brFloat4)((((a) > (b)) & (brInt4)(a)) | (~((a) > (b)) & (brInt4)(b))))
#define BR_MIN4(a, b) ((brFloat4)((((a) < (b)) & (brInt4)(a)) | (~((a) < (b)) & (brInt4)(b))))
#if defined(__aarch64__) && !defined(BR_SCALAR)
#define BR_BITS4(mask) (vaddvq_u32(vandq_u32((uint32x4_t)(mask), (uint32x4_t){1, 2, 4, 8})))
#define BR_ROOT4(a) ((brFloat4)vsqrtq_f32((float32x4_t)(a)))
#else
#define BR_BITS4(m)                                                                                                    \
	((uint32_t)((m)[0] < 0) | (uint32_t)((m)[1] < 0) << 1 | (uint32_t)((m)[2] < 0) << 2 | (uint32_t)((m)[3] < 0) << 3)
#define BR_ROOT4(a) ((brFloat4){sqrtf((a)[0]), sqrtf((a)[1]), sqrtf((a)[2]), sqrtf((a)[3])})
#endif
#endif

/// The bits of four masks of four, one behind the other.
#ifndef BR_BITS16
#define BR_BITS16(a, b, c, d) (BR_BITS4(a) | BR_BITS4(b) << 4 | BR_BITS4(c) << 8 | BR_BITS4(d) << 12)
#endif

#define BR_LANES_WIDEST
#define BR_LANES_FILE "base/lanes_set.h"
#include "base/each_lanes.h"
