// SPDX-License-Identifier: MIT

// The second scale of a blow. Main cracks are as far apart as the lattice can tell; a hard blow has more energy than
// they take. A share of what it has above the least that breaks the body, the same as in worlds, goes into smaller
// cracks: each piece gets as much of it as it had of the strain of the sound body, and a cascade (cascade.h) splits it
// where that was. Pieces are not split below the grain length: there main cracks end too.

#include "fracture/cascade.h"
#include "fracture/crack_grow.h"

#include "base/hash.h"
#include "base/report.h"
#include "math/power.h"

#include <string.h>

enum
{
	smallSamples = 4000, // of stress, about
	smallFewest = 4,     // of them in a piece that is split
	smallMost = 2000,    // pieces, if nobody says
};

#define SMALL_FINEST 0.1            // of the energy: less than that went into cracks where pieces can be no smaller
#define SMALL_WORTH 1e-3            // pieces below this share of the volume stay as they are
#define SMALL_THRESHOLD (5.0 / 3.0) // the force of a blow goes with its energy to the power 3/5 (Hertz)

brResult brCrackGrowth_SampleStress(brCrackGrowth* growth, brReport* report)
{
	static const double middle[4] = {0.25, 0.25, 0.25, 0.25};
	const brTetMesh* tets = growth->tets;
	const brCrackSource* source = &growth->source;
	bool isKnown =
		growth->fills != NULL && source->sampleCount > 0; // a lattice around a wall is coarser than that of the model
	int32_t stride = 1 + tets->tetCount / smallSamples;
	int32_t count = isKnown ? source->sampleCount : (tets->tetCount + stride - 1) / stride;
	growth->samples = BR_ALLOC(&growth->allocator, brStressSample, count);
	if (growth->samples == NULL)
	{
		return brFailMemory(report);
	}
	growth->sampleCount = count;
	if (isKnown)
	{
		memcpy(growth->samples, source->samples, (size_t)count * sizeof(brStressSample));
		return br_success;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t t = i * stride;
		brStress stress = brCrackGrowth_StressIn(growth, t, middle);
		double values[3], volume = brCrackGrowth_Fill(growth, t) * brTetVolume(tets, t);
		brMat3 axes = brPrincipalStresses(&stress, values);
		growth->samples[i] = (brStressSample){.position = brTetCenter(tets, t),
											  .volume = stride * volume,
											  .stress = {values[2], values[1], values[0]},
											  .axis = {axes.cz, axes.cy, axes.cx}};
	}
	return br_success;
}

static double smallStrain(const brMaterial* material, const brStressSample* sample)
{
	const double* s = sample->stress;
	double cross = s[0] * s[1] + s[1] * s[2] + s[2] * s[0];
	double squares = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
	return sample->volume * (squares - 2.0 * material->poissonRatio * cross) / (2.0 * material->youngsModulus);
}

// What is left for small cracks. [J]
static double smallEnergy(const brCrackGrowth* growth)
{
	const brCrackDef* def = growth->def;
	double whole = growth->load.energy, share = fmin(growth->stats->onset, 1.0);
	double above = def->efficiency * whole * (1.0 - brPower(share, SMALL_THRESHOLD));
	double offered = def->energy > 0.0 ? fmin(def->energy, above) : above;
	double known = growth->source.small;
	offered = growth->source.ratio > 0.0 ? def->energy > 0.0 ? fmin(def->energy, known) : known : offered;
	double spent = brMaterial_GetFractureEnergy(&def->material) * (growth->stats->area - growth->givenArea);
	return fmax(offered - spent, 0.0);
}

// Volume of the smallest pieces: those of a wall that is thinner go through it.
static double smallLeast(const brCrackGrowth* growth, double volume)
{
	double known = growth->source.smallest, size = growth->grainLength;
	double wall = 2.0 * volume / brMesh_ComputeArea(growth->mesh);
	return known > 0.0 ? known * known * known : size * size * fmin(size, wall);
}

// What comes out of it.
typedef struct SmallResult
{
	BR_ARRAY(brPiece) pieces;
	BR_ARRAY(brBond) bonds;
	int32_t* starts; // [main pieces] into pieces
	int32_t* ends;   // [main pieces]
	double area;     // of the new cracks
	bool isCapped;   // there would have been more pieces
} SmallResult;

// The sub-piece of a main piece whose center is nearest to a point.
static int32_t smallNearest(const SmallResult* result, int32_t piece, brDVec3 point)
{
	int32_t best = result->starts[piece];
	for (int32_t i = best + 1; i < result->ends[piece]; ++i)
	{
		const brPiece* pieces = result->pieces.data;
		best = brDDistance(pieces[i].mass.center, point) < brDDistance(pieces[best].mass.center, point) ? i : best;
	}
	return best;
}

// Takes the pieces of a cascade over.
static bool smallTake(const brAllocator* allocator, brShatter* shatter, SmallResult* result)
{
	int32_t first = result->pieces.count;
	if (!BR_RESERVE(allocator, &result->pieces, shatter->pieceCount) ||
		!BR_RESERVE(allocator, &result->bonds, shatter->bondCount))
	{
		return false;
	}
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		brPiece piece = shatter->pieces[i];
		piece.site = -1;
		shatter->pieces[i].mesh = shatter->pieces[i].hull = NULL;
		result->pieces.data[result->pieces.count++] = piece;
	}
	for (int32_t i = 0; i < shatter->bondCount; ++i)
	{
		brBond bond = shatter->bonds[i];
		bond.pieces[0] += first, bond.pieces[1] += first;
		result->area += bond.area;
		result->bonds.data[result->bonds.count++] = bond;
	}
	return true;
}

// What a main piece gets.
typedef struct SmallShare
{
	int32_t index; // of the piece
	const brStressSample* samples;
	int32_t count;
	double energy;
	double room;   // pieces, besides itself
	bool isForced; // it breaks however little energy there is
	bool isAside;  // another one was hit
	double least;  // volume of the smallest
	double finest; // how many it may become, since no more than so many as small as that are in the body
} SmallShare;

// Splits one piece by its own samples. What cannot be split stays as it is.
static brResult smallSplit(const brCrackGrowth* growth, brPiece* piece, const SmallShare* share, SmallResult* result)
{
	const brCrackDef* def = growth->def;
	brCascadeDef cascade = brDefaultCascadeDef();
	cascade.material = def->material;
	cascade.at = def->hit, cascade.direction = def->impulse;
	cascade.energy = share->energy, cascade.speed = growth->load.speed, cascade.reach = def->strikerRadius;
	cascade.pieces = (int32_t)fmin(1.0 + share->room, share->finest);
	cascade.smallest = brPower(share->least, 1.0 / 3.0);
	// Whatever the energy: more of it splits the same pieces further.
	cascade.seed = brHash64(def->seed + (uint64_t)share->index);
	cascade.mustBreak = share->isForced;
	cascade.interior = def->interior;
	brCascadeSource source = {
		.samples = share->samples, .sampleCount = share->count, .isFull = true, .isAside = share->isAside};
	brShatter* shatter = NULL;
	bool isWorth = share->count >= smallFewest && (share->energy > 0.0 || share->isForced) && cascade.pieces > 1;
	brResult split = isWorth ? brCreateCascadeFrom(growth->context, piece->mesh, &source, &cascade, &shatter, NULL)
							 : br_errorGeometry;
	if (split == br_errorMemory || split == br_errorCanceled)
	{
		return split;
	}
	bool isGood = split >= 0 && shatter->pieceCount > 1 ? smallTake(&growth->allocator, shatter, result)
														: BR_PUSH(&growth->allocator, &result->pieces, *piece);
	if (isGood && split >= 0 && shatter->pieceCount > 1)
	{
		result->isCapped |= shatter->isCapped && 1.0 + share->room < share->finest;
		brDestroyMesh(piece->mesh);
	}
	if (isGood)
	{
		piece->mesh = NULL; // it is in the result now, whole or in parts
	}
	brDestroyShatter(shatter);
	return isGood ? br_success : br_errorMemory;
}

// The samples in a piece, put in front. Returns their number, -1 without memory. The tree is made unless it is there.
static int32_t smallGather(const brCrackGrowth* growth, const brMesh* mesh, brSurfaceTree** inoutTree,
						   brStressSample* out)
{
	int32_t count = growth->sampleCount, inside = 0;
	brDVec3* points = BR_ALLOC(&growth->allocator, brDVec3, count);
	int32_t* wraps = BR_ALLOC(&growth->allocator, int32_t, count);
	bool isGood = points != NULL && wraps != NULL &&
				  (*inoutTree != NULL || brCreateSurfaceTree(growth->context, mesh, inoutTree, NULL) >= 0);
	for (int32_t i = 0; i < count && isGood; ++i)
	{
		points[i] = growth->samples[i].position;
	}
	if (isGood)
	{
		brSurfaceTree_CountCrossings(*inoutTree, growth->context, points, count, wraps);
	}
	for (int32_t i = 0; i < count && isGood; ++i)
	{
		if (wraps[i] != 0)
		{
			out[inside++] = growth->samples[i];
		}
	}
	BR_FREE(&growth->allocator, wraps, count);
	BR_FREE(&growth->allocator, points, count);
	return isGood ? inside : -1;
}

// Where it is known that the body breaks and the lattice has parted nothing: what breaks off is finer than it can show.
static bool smallMustBreak(const brCrackGrowth* growth, const brCracks* cracks)
{
	return growth->source.ratio >= 1.0 && cracks->pieceCount == 1;
}

// The main piece that was hit, -1 without memory. Leaves the trees that it made.
static int32_t smallFindHit(const brCrackGrowth* growth, const brCracks* cracks, brSurfaceTree** trees)
{
	int32_t hit = 0;
	double nearest = INFINITY;
	for (int32_t i = 0; i < cracks->pieceCount && cracks->pieceCount > 1; ++i)
	{
		if (brCreateSurfaceTree(growth->context, cracks->pieces[i].mesh, &trees[i], NULL) < 0)
		{
			return -1;
		}
		brClosestPoint closest;
		brSurfaceTree_FindClosest(trees[i], growth->context, &growth->def->hit, 1, &closest);
		hit = closest.distance < nearest ? i : hit;
		nearest = fmin(nearest, closest.distance);
	}
	return hit;
}

// Indices of main pieces, the smallest first.
static void smallOrder(const brCracks* cracks, int32_t* order)
{
	for (int32_t i = 0; i < cracks->pieceCount; ++i)
	{
		int32_t k = i;
		for (; k > 0 && cracks->pieces[order[k - 1]].mass.volume > cracks->pieces[i].mass.volume; --k)
		{
			order[k] = order[k - 1];
		}
		order[k] = i;
	}
}

// What is there for all main pieces: their order, and null for the tree of each.
typedef struct SmallMain
{
	const int32_t* order;
	brSurfaceTree** trees;
} SmallMain;

static brResult smallSplitAll(const brCrackGrowth* growth, brCracks* cracks, double energy, const SmallMain* main,
							  brStressSample* scratch, SmallResult* result)
{
	double whole = 0.0;
	for (int32_t i = 0; i < growth->sampleCount; ++i)
	{
		whole += smallStrain(&growth->def->material, &growth->samples[i]);
	}
	int32_t most = growth->def->maxPieces > 0 ? growth->def->maxPieces : smallMost;
	int32_t room = most > cracks->pieceCount ? most - cracks->pieceCount : 0;
	double least = smallLeast(growth, cracks->stats.volumeIn), passed = 0.0;
	bool isForced = smallMustBreak(growth, cracks);
	int32_t hit = smallFindHit(growth, cracks, main->trees);
	if (hit < 0)
	{
		return br_errorMemory;
	}
	for (int32_t k = 0; k < cracks->pieceCount; ++k)
	{
		int32_t i = main->order[k];
		brPiece* piece = &cracks->pieces[i];
		bool isLarge = piece->mass.volume > SMALL_WORTH * cracks->stats.volumeIn;
		int32_t count = isLarge ? smallGather(growth, piece->mesh, &main->trees[i], scratch) : 0;
		brDestroySurfaceTree(main->trees[i]);
		main->trees[i] = NULL;
		if (count < 0)
		{
			return br_errorMemory;
		}
		double strain = 0.0;
		for (int32_t n = 0; n < count; ++n)
		{
			strain += smallStrain(&growth->def->material, &scratch[n]);
		}
		double part = whole > 0.0 ? strain / whole : 0.0;
		// Large ones are many by their energy, the smallest by their volume.
		double volume = piece->mass.volume, own = 0.5 * (part + volume / cracks->stats.volumeIn) * room;
		// What one could not become, since a crack missed, larger ones may: so a blow with energy enough gives as many
		// as the body holds, whatever its main cracks are.
		passed += volume;
		double finest = fmax(floor(passed / least) - result->pieces.count, 1.0);
		SmallShare share = {i, scratch, count, part * energy, own, isForced, i != hit, least, finest};
		result->starts[i] = result->pieces.count;
		brResult split = smallSplit(growth, piece, &share, result);
		if (split < 0)
		{
			return split;
		}
		result->ends[i] = result->pieces.count;
	}
	return br_success;
}

// A bond between main pieces goes to those parts of them that are nearest to it.
static bool smallKeepBonds(const brAllocator* allocator, const brCracks* cracks, SmallResult* result)
{
	for (int32_t i = 0; i < cracks->bondCount; ++i)
	{
		brBond bond = cracks->bonds[i];
		for (int k = 0; k < 2; ++k)
		{
			bond.pieces[k] = smallNearest(result, bond.pieces[k], bond.center);
		}
		if (bond.pieces[0] > bond.pieces[1])
		{
			int32_t first = bond.pieces[1];
			bond.pieces[1] = bond.pieces[0], bond.pieces[0] = first;
			bond.normal = brDNeg(bond.normal);
		}
		if (!BR_PUSH(allocator, &result->bonds, bond))
		{
			return false;
		}
	}
	return true;
}

// Arrays of a brCracks are as long as they are full.
static bool smallReplace(brCracks* cracks, SmallResult* result)
{
	const brAllocator* allocator = &cracks->allocator;
	int32_t pieceCount = result->pieces.count, bondCount = result->bonds.count;
	brPiece* pieces = BR_ALLOC(allocator, brPiece, pieceCount);
	brBond* bonds = BR_ALLOC(allocator, brBond, bondCount);
	if (pieces == NULL || bonds == NULL)
	{
		BR_FREE(allocator, pieces, pieceCount);
		BR_FREE(allocator, bonds, bondCount);
		return false;
	}
	memcpy(pieces, result->pieces.data, (size_t)pieceCount * sizeof(brPiece));
	if (bondCount > 0)
	{
		memcpy(bonds, result->bonds.data, (size_t)bondCount * sizeof(brBond));
	}
	BR_FREE(allocator, cracks->pieces, cracks->pieceCount);
	BR_FREE(allocator, cracks->bonds, cracks->bondCount);
	cracks->pieces = pieces, cracks->pieceCount = pieceCount;
	cracks->bonds = bonds, cracks->bondCount = bondCount;
	result->pieces.count = 0;
	return true;
}

brResult brCrackGrowth_SplitPieces(const brCrackGrowth* growth, brCracks* cracks, brReport* report)
{
	const brAllocator* allocator = &growth->allocator;
	// Cracks that have begun and part nothing leave it all to small ones: where the first chip takes the load along,
	// the rest feels nothing more.
	double energy = growth->sampleCount > 0 && cracks->crackCount > 0 ? smallEnergy(growth) : 0.0;
	if (!(energy > 0.0) && !(growth->sampleCount > 0 && smallMustBreak(growth, cracks)))
	{
		return br_success;
	}
	int32_t mainCount = cracks->pieceCount;
	int32_t* places = BR_ALLOC(allocator, int32_t, 3 * mainCount);
	brSurfaceTree** trees = BR_ALLOC_ZERO(allocator, brSurfaceTree*, mainCount);
	SmallResult result = {0};
	brStressSample* scratch = BR_ALLOC(allocator, brStressSample, growth->sampleCount);
	brResult split = br_errorMemory;
	if (places != NULL && trees != NULL && scratch != NULL)
	{
		int32_t* order = places + 2 * mainCount;
		result.starts = places, result.ends = places + mainCount;
		smallOrder(cracks, order);
		split = smallSplitAll(growth, cracks, energy, &(SmallMain){order, trees}, scratch, &result);
	}
	for (int32_t i = 0; i < mainCount && trees != NULL; ++i) // only after a failure
	{
		brDestroySurfaceTree(trees[i]);
	}
	if (split >= 0 && (!smallKeepBonds(allocator, cracks, &result) || !smallReplace(cracks, &result)))
	{
		split = br_errorMemory;
	}
	cracks->stats.area += split >= 0 ? result.area : 0.0;
	cracks->stats.isCapped = result.isCapped;
	cracks->stats.isFinest = result.area * brMaterial_GetFractureEnergy(&growth->def->material) < SMALL_FINEST * energy;
	cracks->stats.volumeOut = 0.0;
	for (int32_t i = 0; i < cracks->pieceCount && split >= 0; ++i)
	{
		cracks->stats.volumeOut += cracks->pieces[i].mass.volume;
	}
	for (int32_t i = 0; i < result.pieces.count; ++i) // only after a failure
	{
		brDestroyMesh(result.pieces.data[i].mesh);
		brDestroyMesh(result.pieces.data[i].hull);
	}
	BR_FREE_ARRAY(allocator, &result.pieces);
	BR_FREE_ARRAY(allocator, &result.bonds);
	BR_FREE(allocator, places, 3 * mainCount);
	BR_FREE(allocator, trees, mainCount);
	BR_FREE(allocator, scratch, growth->sampleCount);
	return split == br_errorCanceled ? brFail(report, br_errorCanceled, "canceled while pieces were split")
		   : split < 0               ? brFailMemory(report)
									 : br_success;
}
