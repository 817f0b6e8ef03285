// SPDX-License-Identifier: MIT

// Includes the file BR_LANES_FILE once for each set of vector instructions that this build may meet:
//   Plain   what every processor of this kind has: 16 bytes on x86-64, ARM64 and WebAssembly, else single numbers
//   Avx2    32 bytes
//   Avx512  64 bytes, where BR_LANES_WIDEST is defined
// No include guard: it is meant to be read more than once. See base/lanes.h.

#define LANE(name) name##Plain
#define LANE_TARGET
#define LANE_BYTES 16
#include BR_LANES_FILE
#undef LANE
#undef LANE_TARGET
#undef LANE_BYTES

#if BR_LANES_X86
#define LANE(name) name##Avx2
#define LANE_TARGET __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define LANE_BYTES 32
#include BR_LANES_FILE
#undef LANE
#undef LANE_TARGET
#undef LANE_BYTES

#ifdef BR_LANES_WIDEST
#define LANE(name) name##Avx512
#define LANE_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt")))
#define LANE_BYTES 64
#include BR_LANES_FILE
#undef LANE
#undef LANE_TARGET
#undef LANE_BYTES
#undef BR_LANES_WIDEST
#endif
#endif

#undef BR_LANES_FILE
