// SPDX-License-Identifier: MIT
#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

static brCpuPath cpuOfMachine(void)
{
#if defined(__x86_64__) && !defined(BR_SCALAR)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512vl"))
	{
		return br_cpuAvx512;
	}
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") ? br_cpuAvx2 : br_cpuSse2;
#elif (defined(__aarch64__) || defined(__wasm_simd128__)) && !defined(BR_SCALAR)
	return br_cpuSse2;
#else
	return br_cpuScalar;
#endif
}

brCpuPath brCpu_Best(void)
{
	static int known = -1; // asked once; every thread finds the same
	int best = __atomic_load_n(&known, __ATOMIC_RELAXED);
	if (best >= 0)
	{
		return (brCpuPath)best;
	}
	best = (int)cpuOfMachine();
	const char* wanted = getenv("BRITTLE_VECTORS");
	for (int path = 0; wanted != NULL && path < best; ++path)
	{
		if (strcmp(wanted, brCpuPath_Name((brCpuPath)path)) == 0)
		{
			best = path;
		}
	}
	__atomic_store_n(&known, best, __ATOMIC_RELAXED);
	return (brCpuPath)best;
}

brCpuPath brCpu_Within(int lanes)
{
	brCpuPath best = brCpu_Best();
	brCpuPath most = lanes == 0 || lanes >= 16 ? br_cpuAvx512 : lanes >= 8 ? br_cpuAvx2 : br_cpuSse2;
	return best < most ? best : most;
}

const char* brCpuPath_Name(brCpuPath path)
{
	switch (path)
	{
		case br_cpuSse2:
#if defined(__aarch64__)
			return "neon";
#elif defined(__wasm__)
			return "simd128";
#else
			return "sse2";
#endif
		case br_cpuAvx2:
			return "avx2";
		case br_cpuAvx512:
			return "avx512";
		case br_cpuScalar:
		default:
			return "scalar";
	}
}
