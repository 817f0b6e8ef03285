// SPDX-License-Identifier: MIT

// Continuous tests of a single pair.

#include "narrow/ccd_pair.h"

#include "base/assert.h"
#include "narrow/ccd_kernels.h"

// Sums of a time and a shorter step must differ from the time.
#define CCD_MIN_TOLERANCE 1e-12

brCcdDef brDefaultCcdDef(void)
{
	return (brCcdDef){.tolerance = 1e-8, .enableSelf = true, .enableInter = true, .stamp = BR_STAMP(brCcdDef)};
}

bool brCcdDef_IsGood(const brCcdDef* def)
{
	return def->stamp == BR_STAMP(*def) && def->separation >= 0.0 && def->separation <= 1e300 &&
		   def->tolerance >= CCD_MIN_TOLERANCE && def->tolerance <= 1.0 &&
		   (def->method == br_pairsOi || def->method == br_pairsBrute) &&
		   (def->lanes == 0 || def->lanes == 1 || def->lanes == 8 || def->lanes == 16);
}

static bool ccdMeets(brCcdKind kind, const brDVec3 start[4], const brDVec3 end[4], const brCcdDef* def, double* outTime)
{
	brCcdDef defaults = brDefaultCcdDef();
	def = def != NULL ? def : &defaults;
	brCcdAnswer answer = {0.0, 1.0};
	if (brCcdDef_IsGood(def))
	{
		brCcdRecord records[4];
		for (int k = 0; k < 4; ++k)
		{
			records[k] = (brCcdRecord){{start[k].x, start[k].y, start[k].z, 0.0}, {end[k].x, end[k].y, end[k].z, 0.0}};
		}
		const brCcdItem item = {{0, 1, 2, 3}};
		const int32_t first = 0;
		brGetCcdKernels(1)->solve(kind, records, &item, &first, 1, def->separation, def->tolerance, &answer);
	}
	bool meets = answer.time <= 1.0;
	if (meets && outTime != NULL)
	{
		*outTime = answer.time;
	}
	return meets;
}

bool brVertexMeetsFace(const brDVec3 start[4], const brDVec3 end[4], const brCcdDef* def, double* outTime)
{
	if (start == NULL || end == NULL)
	{
		return false;
	}
	return ccdMeets(br_ccdVertexFace, start, end, def, outTime);
}

bool brEdgeMeetsEdge(const brDVec3 start[4], const brDVec3 end[4], const brCcdDef* def, double* outTime)
{
	if (start == NULL || end == NULL)
	{
		return false;
	}
	return ccdMeets(br_ccdEdgeEdge, start, end, def, outTime);
}
