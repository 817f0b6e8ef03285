// SPDX-License-Identifier: MIT
#pragma once

// Which vector instructions this processor has, asked at run time.
//
// Code with several paths takes the path as an argument: callers pass brCpu_Best(), tests pass each path in turn up to
// it and compare. There is no global switch, so two callers never disagree by accident.
//
//     for (brCpuPath path = br_cpuScalar; path <= brCpu_Best(); ++path) CHECK(sum(path, data) == expected);

typedef enum brCpuPath
{
	br_cpuScalar = 0, // plain C
	br_cpuSse2 = 1,   // 16 bytes; every x86-64, ARM64 (NEON), WebAssembly (simd128)
	br_cpuAvx2 = 2,   // 32 bytes
	br_cpuAvx512 = 3, // 64 bytes; F, BW, DQ and VL
} brCpuPath;

/// The widest path that processor and system allow. The environment can ask for a narrower one, BRITTLE_VECTORS=scalar,
/// sse2 or avx2, to compare: results are the same bits. Read once in a process.
brCpuPath brCpu_Best(void);

/// The same with at most so many floats side by side: 16, 8; fewer: registers of 16 bytes. 0: no limit.
brCpuPath brCpu_Within(int lanes);

/// "scalar", "sse2" ("neon", "simd128"), "avx2", "avx512". Never null.
const char* brCpuPath_Name(brCpuPath path);
