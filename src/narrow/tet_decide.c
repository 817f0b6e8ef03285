// SPDX-License-Identifier: MIT

// The test of tet_pair.c in floats, as many pairs side by side as a register holds.
//
// The bound: coordinates are off by e = 2^-24, differences by 2 e + u (L + M) with u = 2^-24, and a volume, which is a
// sum of four determinants, by less than 52 times that times L (L + M), and 150 u L^2 M in its evaluation. We take d =
// u L (L + M) (128 + 256 (L + M)). Of tets a hundredth of the scene in size that is a hundredth of their volume: few
// pairs are left to doubles.

#include "narrow/tet_decide.h"

#include "base/lanes.h"

#define BR_LANES_WIDEST
#define BR_LANES_FILE "narrow/tet_decide_lanes.h"
#include "base/each_lanes.h"

brDecideTetsFcn* brGetDecideTets(int32_t lanes)
{
	return BR_WIDEST(brCpu_Within(lanes), tetsDecide);
}
