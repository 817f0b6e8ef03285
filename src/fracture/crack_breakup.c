// SPDX-License-Identifier: MIT

// A hit on a body of a world, answered by cracks instead of a pattern.

#include "base/memory.h"
#include "base/report.h"
#include "brittle/crack.h"
#include "fracture/breakup.h"

#include <string.h>

enum
{
	crackWorldTets = 5000, // a step has little time
	crackWorldSteps = 60,  // cracks that are cut short part nothing
};

// The same arrays under another name.
static brShatter* crackAsShatter(brCracks* cracks)
{
	brShatter* shatter = BR_ALLOC_ZERO(&cracks->allocator, brShatter, 1);
	if (shatter != NULL)
	{
		shatter->allocator = cracks->allocator;
		shatter->pieces = cracks->pieces;
		shatter->pieceCount = cracks->pieceCount;
		shatter->bonds = cracks->bonds;
		shatter->bondCount = cracks->bondCount;
		shatter->volumeIn = cracks->stats.volumeIn;
		shatter->volumeOut = cracks->stats.volumeOut;
		cracks->pieces = NULL;
		cracks->bonds = NULL;
		cracks->pieceCount = cracks->bondCount = 0;
	}
	return shatter;
}

brResult brMakeCrackBreakup(const brContext* context, const brBreakupDef* def, const brMaterial* material,
							double impulse, brShatter** outShatter, brReport* report)
{
	brCrackDef crack = brDefaultCrackDef();
	crack.material = *material;
	crack.tets = crackWorldTets;
	crack.maxSteps = crackWorldSteps;
	crack.maxCracks = def->most - 1 < crack.maxCracks ? def->most - 1 : crack.maxCracks;
	crack.efficiency = 0.0; // splinters of small cracks may be too small for bodies
	crack.hit = def->at;
	// A blow that is given by its energy alone hits with what the body weighs.
	double energy = def->crackArea * brMaterial_GetFractureEnergy(material);
	double mass = material->density * def->measure.volume;
	crack.impulse = brDMul(impulse > 0.0 ? impulse : sqrt(2.0 * energy * mass), def->inward);
	crack.energy = energy;
	crack.seed = def->seed;
	crack.interior = *def->interior;
	brCracks* cracks = NULL;
	brResult result = brCreateCracks(context, def->mesh, &crack, &cracks, report);
	if (result < 0)
	{
		return result;
	}
	brShatter* shatter = crackAsShatter(cracks);
	brDestroyCracks(cracks);
	if (shatter == NULL)
	{
		return brFailMemory(report);
	}
	*outShatter = shatter;
	return br_success;
}
