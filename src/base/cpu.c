// SPDX-License-Identifier: MIT
#include "base/cpu.h"

brCpuPath brCpu_Best(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512vl"))
	{
		return br_cpuAvx512;
	}
	return __builtin_cpu_supports("avx2") ? br_cpuAvx2 : br_cpuSse2;
#else
	return br_cpuScalar;
#endif
}

const char* brCpuPath_Name(brCpuPath path)
{
	switch (path)
	{
		case br_cpuSse2:
			return "sse2";
		case br_cpuAvx2:
			return "avx2";
		case br_cpuAvx512:
			return "avx512";
		case br_cpuScalar:
		default:
			return "scalar";
	}
}
