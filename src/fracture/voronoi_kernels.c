// SPDX-License-Identifier: MIT
#include "base/lanes.h"
#include "fracture/voronoi_cell.h"
#include "math/predicates.h"

#include <string.h>

typedef brDouble8 CL;
typedef brLong8 CM;

#define CELL_LANES BR_CELL_LANES
#define CELL_LOAD(p) (*(const CL*)(p))
#define CELL_STORE(p, v) (*(CL*)(p) = (v))
#define CELL_SELECT(mask, a, b) ((CL)(((mask) & (CM)(a)) | (~(mask) & (CM)(b))))
#define CELL_ABS(a) ((CL)((CM)(a)&INT64_MAX))
#define CELL_MAX(a, b) CELL_SELECT((a) > (b), a, b)

#define BR_LANES_WIDEST
#define BR_LANES_FILE "fracture/voronoi_lanes.h"
#include "base/each_lanes.h"

const brCellKernels* brGetCellKernels(brCpuPath path)
{
	return BR_WIDEST(path, cellKernels);
}
