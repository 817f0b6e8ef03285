// SPDX-License-Identifier: MIT
#include "base/lanes.h"
#include "fracture/bond_system.h"

#define BOND_PIVOT 1e-12
#define BOND_ROUND 0.14104739588693907 // 1 / (4 sqrt(pi))

typedef brLooseDouble4 BL;

#define BOND_LOAD(p) (*(const BL*)(p))
#define BOND_STORE(p, v) (*(BL*)(p) = (v))
#define BOND_WIDEN(p) __builtin_convertvector(*(const brLooseFloat4*)(p), BL)
#define BOND_AT(row, column) ((row) * ((row) + 1) / 2 + (column))
#define BOND_SELECT(mask, a, b) ((BL)(((mask) & (brLong4)(a)) | (~(mask) & (brLong4)(b))))

#define BR_LANES_FILE "fracture/bond_lanes.h"
#include "base/each_lanes.h"

const brBondKernels* brGetBondKernels(brCpuPath path)
{
#if BR_LANES_X86
	if (path >= br_cpuAvx2)
	{
		return &bondKernelsAvx2;
	}
#endif
	(void)path;
	return &bondKernelsPlain;
}
