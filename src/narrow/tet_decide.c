// SPDX-License-Identifier: MIT

// The test of tet_pair.c in floats, as many pairs side by side as a register holds.
//
// The bound: coordinates are off by e = 2^-24, differences by 2 e + u (L + M) with u = 2^-24, and a volume, which is a
// sum of four determinants, by less than 52 times that times L (L + M), and 150 u L^2 M in its evaluation. We take d =
// u L (L + M) (128 + 256 (L + M)). Of tets a hundredth of the scene in size that is a hundredth of their volume: few
// pairs are left to doubles.

#include "narrow/tet_decide.h"

#include "base/lanes.h"
#include "narrow/tet_pair.h"

static bool tetRecordsShare(const brTetRecord* a, const brTetRecord* b)
{
	for (int k = 0; k < 16; ++k)
	{
		if (a->corners[k / 4] == b->corners[k % 4])
		{
			return true;
		}
	}
	return false;
}

// Sides of boxes are enough of a filter here: the caller asks the doubles about all others.
void brDecideTetsScalar(const brTetRecord* records, const brPair* pairs, int32_t count, bool findNeighbors,
						bool facesOnly, brTetAnswers* outAnswers)
{
	(void)facesOnly;
	*outAnswers = (brTetAnswers){0};
	for (int32_t i = 0; i < count; ++i)
	{
		const brTetRecord *a = &records[pairs[i].a], *b = &records[pairs[i].b];
		outAnswers->neighbors |= (uint32_t)(findNeighbors && tetRecordsShare(a, b)) << i;
	}
}

#define BR_LANES_WIDEST
#define BR_LANES_FILE "narrow/tet_decide_lanes.h"
#include "base/each_lanes.h"

brDecideTetsFcn* brGetDecideTets(int32_t lanes)
{
	return BR_WIDEST(brCpu_Within(lanes), tetsDecide);
}
