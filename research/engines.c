// SPDX-License-Identifier: MIT

#include "research/engines.h"

#include <stddef.h>

static const brPairEngine hashEngines[3] = {
	{.method = br_pairsKdet, .hash = 1, .device = br_deviceKdet},
	{.method = br_pairsKdet, .hash = 2, .device = br_deviceKdet},
	{.method = br_pairsKdet, .hash = 3, .device = br_deviceKdet},
};

const brPairEngine* brGetResearchEngine(brResearchMethod method)
{
	switch (method)
	{
		case br_researchBsp:
			return &brBspEngine;
		case br_researchLbvh:
			return &brLbvhEngine;
		case br_researchUnordered:
		case br_researchStatic:
		case br_researchPeriodic:
		case br_researchRestructure:
		case br_researchReference:
			return &brFrontEngines[method - br_researchUnordered];
		case br_researchKdetDjb2:
		case br_researchKdetFnv1a:
		case br_researchKdetSimple:
			return &hashEngines[method - br_researchKdetDjb2];
		default:
			return NULL;
	}
}
