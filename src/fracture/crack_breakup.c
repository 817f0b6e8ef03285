// SPDX-License-Identifier: MIT

// A hit on a body of a world, answered by cracks instead of a pattern.

#include "base/memory.h"
#include "base/report.h"
#include "fracture/breakup.h"
#include "fracture/crack_source.h"

#include <math.h>

enum
{
	crackWorldTets = 5000, // a step has little time
	crackWorldSteps = 60,  // cracks that are cut short part nothing
	crackPieceTets = 2000, // of a body whose stress nobody has found: pieces of pieces
	crackPieceSteps = 20,
};

#define CRACK_LEAST 1e-6 // energy of a blow, so that there is one [J]

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
		shatter->isCapped = cracks->stats.isCapped;
		cracks->pieces = NULL;
		cracks->bonds = NULL;
		cracks->pieceCount = cracks->bondCount = 0;
	}
	return shatter;
}

brResult brMakeCrackBreakup(const brContext* context, const brBreakupDef* def, brShatter** outShatter, brReport* report)
{
	brCrackDef crack = brDefaultCrackDef();
	crack.material = *def->material;
	crack.tets = def->sampleCount > 0 ? crackWorldTets : crackPieceTets;
	crack.maxSteps = def->sampleCount > 0 ? crackWorldSteps : crackPieceSteps;
	crack.maxCracks = def->most - 1 < crack.maxCracks ? def->most - 1 : crack.maxCracks;
	crack.maxPieces = def->most;
	crack.hit = def->at;
	// A blow that is given by its energy alone hits with what the body weighs.
	double mass = def->material->density * def->measure.volume;
	crack.impulse = brDMul(sqrt(2.0 * fmax(def->blow, CRACK_LEAST) * mass), def->inward);
	crack.seed = def->seed;
	crack.interior = *def->interior;
	brCrackSource source = {.ratio = fmax(def->ratio, 1.0),
							.force = def->force,
							.contactTime = def->duration,
							.energy = def->blow,
							.small = def->energy,
							.smallest = def->smallest,
							.near = def->measure.thickness,
							.samples = def->samples,
							.sampleCount = def->sampleCount};
	brCracks* cracks = NULL;
	brResult result = brCreateCracksFrom(context, def->mesh, &source, &crack, &cracks, report);
	if (result < 0)
	{
		return result;
	}
	if (cracks->pieceCount < 2)
	{
		// A chip or a corner, too small for the lattice.
		brDestroyCracks(cracks);
		return brMakeCascadeBreakup(context, def, outShatter, report);
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
