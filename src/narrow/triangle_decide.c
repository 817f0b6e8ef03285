// SPDX-License-Identifier: MIT

// Signs of volumes with a certain bound, some pairs at a time.
//
// The six sides (corners of each triangle against the plane of the other) are determinants of differences from one
// corner
// of the plane's triangle, so the bound of the orientation predicate holds: |error| <= 8 u times the sum of the absolute
// values of the products. A sign is known if the value is beyond the bound. With known sides:
//   no corner shared   - all on one side: apart. Else the intervals on the common line are compared by two more volumes
//                        (Guigue and Devillers 2003).
//   one corner shared  - all others on one side: nothing else in common. Else the four sides are the coefficients of the
//                        dependency of the four edges at that corner, and their signs decide (see triangle_pair.c).
//   two corners shared - the third off the plane: nothing else in common.
// Whatever is not known, coplanar or flat is handed on.

#include "narrow/triangle_decide.h"

#include "base/lanes.h"
#include "math/predicates.h"

// Signs that are known.
typedef struct DecideSign
{
	uint32_t above, below;
} DecideSign;

#define BR_LANES_WIDEST
#define BR_LANES_FILE "narrow/triangle_decide_lanes.h"
#include "base/each_lanes.h"

brDecideTrianglesFcn* brGetDecideTriangles(int32_t lanes)
{
	return BR_WIDEST(brCpu_Within(lanes), decide);
}
