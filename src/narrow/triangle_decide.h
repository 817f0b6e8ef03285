// SPDX-License-Identifier: MIT
#pragma once

// Eight pairs of triangles at once, in doubles with certain signs: most pairs are settled here, the rest is left to the
// exact test.

#include "index/wide_kernels.h"

/// Looks at `count` <= 8 pairs. Bit i of `outMeets`: pair i certainly meets by the rule; of `outUnsure`: it is not
/// settled.
typedef void brDecideTrianglesFcn(const brDVec3* positions, const int32_t (*triangles)[3], const brPair* pairs,
								  int32_t count, brNeighborRule rule, uint32_t* outMeets, uint32_t* outUnsure);

/// Null if the processor, or `lanes` as in brGetWideKernels, has no fast way.
brDecideTrianglesFcn* brGetDecideTriangles(int32_t lanes);
