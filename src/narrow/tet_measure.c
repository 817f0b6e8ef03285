// SPDX-License-Identifier: MIT

// Depths of pairs of tets, with vectors: axes of a pair a lane each (tet_mtv_lanes.h), points and faces of one polytope
// side by side (tet_epa_lanes.h).

#include "narrow/tet_measure.h"

#include "base/lanes.h"
#include "index/wide_kernels.h"
#include "narrow/tet_epa.h"

// Corners of the edges of a tet.
static const int mtvEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// Products of four coordinates beyond this may leave the range: such pairs are measured one by one.
#define MTV_HUGE 0x1p250

#define BR_LANES_WIDEST
#define BR_LANES_FILE "narrow/tet_mtv_lanes.h"
#include "base/each_lanes.h"

#define BR_LANES_FILE "narrow/tet_epa_lanes.h"
#include "base/each_lanes.h"

brMeasureTetsFcn* brGetMtvTets(int32_t lanes)
{
	return BR_WIDEST(brCpu_Within(lanes), mtvMeasure);
}

static uint32_t epaNarrow(const brTetCorners* pairs, int32_t count, brPenetration* out)
{
	return BR_ON_LANES(false, epaMeasure, (pairs, count, out));
}

static uint32_t epaWide(const brTetCorners* pairs, int32_t count, brPenetration* out)
{
	return BR_ON_LANES(true, epaMeasure, (pairs, count, out));
}

brMeasureTetsFcn* brGetEpaTets(int32_t lanes)
{
	return brCpu_Within(lanes) >= br_cpuAvx2 ? epaWide : epaNarrow;
}
