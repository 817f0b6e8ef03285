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
#define CRACK_PLATE 0.15 // thickness over the other sides of what a frame holds; the impact model has the same
#define CRACK_RIM 0.02   // of the shorter side: what the frame holds

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

// A plate in a frame: its rim cannot move. The tets around it reach out of it; those nodes are held, so that it can
// still turn there. Returns how many boxes.
static int32_t crackHoldRim(const brMesh* mesh, brCrackSupport out[4])
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 size = brDSub(box.upper, box.lower);
	const double* sizes = &size.x;
	int thin = sizes[0] < sizes[1] ? 0 : 1;
	thin = sizes[2] < sizes[thin] ? 2 : thin;
	double least = fmin(sizes[(thin + 1) % 3], sizes[(thin + 2) % 3]);
	if (!(sizes[thin] < CRACK_PLATE * least))
	{
		return 0;
	}
	const brDBox3 all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
	for (int32_t i = 0; i < 4; ++i)
	{
		int axis = (thin + 1 + i / 2) % 3;
		out[i] = (brCrackSupport){.box = all, .axes = BR_AXIS_X | BR_AXIS_Y | BR_AXIS_Z};
		double* end = i % 2 == 0 ? &(&out[i].box.upper.x)[axis] : &(&out[i].box.lower.x)[axis];
		*end = i % 2 == 0 ? (&box.lower.x)[axis] + CRACK_RIM * least : (&box.upper.x)[axis] - CRACK_RIM * least;
	}
	return 4;
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
	brStrengthMap strength = {def->strengthMap, def->weakest, 1.0};
	crack.strength = def->strengthMap != NULL ? brStrengthFromMap : NULL;
	crack.strengthUser = &strength;
	crack.grain = def->grain, crack.grainSize = def->grainSize, crack.grainMap = def->grainMap;
	crack.device = def->elastic;
	brCrackSupport rim[4];
	crack.supports = rim;
	crack.supportCount = def->isHeld ? crackHoldRim(def->mesh, rim) : 0;
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
