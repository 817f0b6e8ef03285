// SPDX-License-Identifier: MIT

// Surface to tets: mend what can be mended, find the lattice that gives the wanted count, stuff it, and look whether the
// solid held together.
//
// The search for a count builds lattices alone, which is cheap, and scales their tets by what stuffing made of the last one.

#include "base/assert.h"
#include "base/report.h"
#include "brittle/check.h"
#include "volume/embedding.h"
#include "volume/stuffing.h"
#include "volume/tet_parts.h"

#include <stdlib.h>
#include <string.h>

// Loose bits smaller than this share of the volume are specks that the lattice made, not parts of the shape.
#define SPECK_SHARE 0.01

// Below this share of the surface's volume a thin solid counts as lost.
#define LEAST_SHARE 0.75

// Below this share growing the surface would not help: the walls are gone.
#define LOST_SHARE 0.55

// Volumes and their products stay finite within this. [m]
#define MOST_DISTANCE 1e60

// Parts beyond those of the surface may hold this share of the volume; else the solid has fallen apart.
#define LOOSE_SHARE 0.2

// The search stops here; the promise is 15 %.
#define SEARCH_CLOSE 0.04
#define SEARCH_PROMISE 0.15
#define SEARCH_PASSES 12
#define SEARCH_FILLS 9

// Volumes nearer than this are left alone. The surface is grown by no more than this part of a cell.
#define VOLUME_CLOSE 0.01
#define MOST_OFFSET 0.5

// Lattice cells across what the lattice can hold together: found on plates, glasses and bowls.
#define EDGE_PER_THICKNESS 0.75

#define OPEN_CELLS 200000

#define THICKNESS_SAMPLES 2048

brTetDef brDefaultTetDef(void)
{
	return (brTetDef){
		.targetTets = 10000, .coarsening = 2, .matchVolume = true, .mostCells = (int64_t)1 << 28, .stamp = BR_STAMP};
}

void brFreeTetInfo(brTetInfo* info)
{
	if (info != NULL)
	{
		BR_FREE(&info->allocator, info->fills, info->fillCount);
		info->fills = NULL;
		info->fillCount = 0;
	}
}

static int compareThickness(const void* a, const void* b)
{
	double x = *(const double*)a, y = *(const double*)b;
	return (x > y) - (x < y);
}

bool brSurfaceTree_Thickness(const brContext* context, const brSurfaceTree* tree, int32_t count, double* outQuantiles)
{
	brAllocator allocator = brContext_Allocator(context);
	double* samples = BR_ALLOC(&allocator, double, THICKNESS_SAMPLES);
	double total = 0.0;
	for (int32_t t = 0; t < tree->triangleCount; ++t)
	{
		const brDVec3* p = tree->corners[t];
		total += brDLength(brDCross(brDSub(p[1], p[0]), brDSub(p[2], p[0])));
	}
	if (samples == NULL)
	{
		return false;
	}
	// Places at equal steps of area along the tree's order, so that they are spread out.
	int32_t used = 0;
	double step = total / THICKNESS_SAMPLES, along = 0.0, next = 0.5 * step;
	for (int32_t t = 0; t < tree->triangleCount; ++t)
	{
		const brDVec3* p = tree->corners[t];
		brDVec3 n = brDCross(brDSub(p[1], p[0]), brDSub(p[2], p[0]));
		double area = brDLength(n);
		along += area;
		for (int32_t turn = 0; next < along && used < THICKNESS_SAMPLES; next += step, ++turn)
		{
			// Different places of a large triangle: a walk by irrational steps.
			double u = fmod(0.5 + 0.7548776662466927 * turn, 1.0), v = fmod(0.5 + 0.5698402909980532 * turn, 1.0);
			u = turn == 0 ? 1.0 / 3.0 : u, v = turn == 0 ? 1.0 / 3.0 : v;
			double fold = u + v > 1.0 ? 1.0 : 0.0;
			u = fold > 0.0 ? 1.0 - u : u, v = fold > 0.0 ? 1.0 - v : v;
			brDVec3 q = brDAdd(brDMulAdd(p[0], u, brDSub(p[1], p[0])), brDMul(v, brDSub(p[2], p[0])));
			brDVec3 inward = brDMul(tree->leaning < 0.0 ? 1.0 : -1.0, brDNormalize(n));
			double start = 1e-9 * tree->reach;
			double depth = brSurfaceTree_Raycast(tree, brDMulAdd(q, start, inward), inward, INFINITY, NULL);
			samples[used++] = isfinite(depth) ? depth : 4.0 * tree->reach;
		}
	}
	qsort(samples, (size_t)used, sizeof(double), compareThickness);
	for (int32_t i = 0; i < count; ++i)
	{
		int64_t place = used > 0 && count > 1 ? (int64_t)i * (used - 1) / (count - 1) : 0;
		outQuantiles[i] = used > 0 ? samples[place] : 0.0;
	}
	BR_FREE(&allocator, samples, THICKNESS_SAMPLES);
	return true;
}

// What one run needs.
typedef struct TetMaker
{
	const brContext* context;
	brAllocator allocator;
	const brTetDef* def;
	brSurfaceTree* tree;
	bool isShifted;     // the lattice is off the middle
	bool isWrapped;     // the surface overlaps itself: its volume says nothing of the solid's
	double looseShare;  // of the volume that is in more parts than the surface has
	double coarsest;    // edge of the largest cells along the surface
	double finest;      // smallest edge that is asked for along the surface; 0: none
	int32_t solidCount; // closed parts of the surface that hold volume; 0 if not known
	brTetInfo info;
	brTetMesh* mesh;
} TetMaker;

// Closed parts of the surface with positive volume, through shared vertices.
static brResult countSolids(TetMaker* maker, const brMesh* mesh, brReport* report)
{
	int32_t* parents = BR_ALLOC(&maker->allocator, int32_t, mesh->vertexCount);
	double* volumes = BR_ALLOC_ZERO(&maker->allocator, double, mesh->vertexCount);
	bool complete = parents != NULL && volumes != NULL;
	for (int32_t i = 0; i < mesh->vertexCount && complete; ++i)
	{
		parents[i] = i;
	}
	for (int pass = 0; pass < 2 && complete; ++pass)
	{
		for (int32_t f = 0; f < mesh->faceCount; ++f)
		{
			const int32_t* corners = mesh->corners + mesh->faceStarts[f];
			brDVec3 a = brDSub(mesh->positions[corners[0]], maker->tree->center);
			for (int32_t i = 1; i < brMesh_FaceSize(mesh, f); ++i)
			{
				int32_t roots[2] = {corners[0], corners[i]};
				for (int k = 0; k < 2; ++k)
				{
					while (parents[roots[k]] != roots[k])
					{
						parents[roots[k]] = parents[parents[roots[k]]];
						roots[k] = parents[roots[k]];
					}
				}
				if (pass == 0)
				{
					parents[roots[0] < roots[1] ? roots[1] : roots[0]] = roots[0] < roots[1] ? roots[0] : roots[1];
				}
				else if (i + 1 < brMesh_FaceSize(mesh, f))
				{
					brDVec3 b = brDSub(mesh->positions[corners[i]], maker->tree->center);
					brDVec3 c = brDSub(mesh->positions[corners[i + 1]], maker->tree->center);
					volumes[roots[0]] += brDDot(a, brDCross(b, c)) / 6.0;
				}
			}
		}
	}
	maker->solidCount = 0;
	for (int32_t i = 0; i < mesh->vertexCount && complete; ++i)
	{
		double volume = maker->info.isInverted ? -volumes[i] : volumes[i];
		maker->solidCount += volume > 0.5 * SPECK_SHARE * fabs(maker->tree->volume);
	}
	BR_FREE(&maker->allocator, parents, mesh->vertexCount);
	BR_FREE(&maker->allocator, volumes, mesh->vertexCount);
	return complete ? br_success : brFailMemory(report);
}

// A tree over the surface, or over the mended one if only that is closed.
static brResult readSurface(TetMaker* maker, const brMesh* mesh, brReport* report)
{
	brResult result = brCreateSurfaceTree(maker->context, mesh, &maker->tree, report);
	if (result < 0)
	{
		return result;
	}
	brMesh* mended = NULL;
	if (!maker->tree->isClosed)
	{
		brSurfaceTree* tree = NULL;
		result = brRepairMesh(maker->context, mesh, NULL, &mended, NULL, report);
		if (result >= 0 && mended->faceCount > 0)
		{
			result = brCreateSurfaceTree(maker->context, mended, &tree, report);
		}
		if (result < 0)
		{
			brDestroyMesh(mended);
			return result;
		}
		if (tree != NULL)
		{
			brDestroySurfaceTree(maker->tree);
			maker->tree = tree;
			maker->info.isRepaired = true;
		}
	}
	const brSurfaceTree* tree = maker->tree;
	maker->info.isClosed = tree->isClosed;
	maker->info.isInverted = tree->leaning < 0.0;
	maker->info.surfaceVolume = fabs(tree->volume);
	if (tree->isClosed)
	{
		result = countSolids(maker, mended != NULL ? mended : mesh, report);
	}
	brDestroyMesh(mended);
	return result < 0 ? result : br_success;
}

// `cell` is what the surface has where nothing finer is asked for. Finer cells are halves of it, as often as there are levels for.
static brResult makeLattice(const TetMaker* maker, double cell, brLattice* lattice, brReport* report)
{
	brLatticeSizes sizes = {
		.balls = maker->def->refinements,
		.ballCount = maker->def->refinementCount,
		.edgePerThickness = maker->def->refineThin ? EDGE_PER_THICKNESS : 0.0,
	};
	int32_t levels = maker->def->coarsening;
	while (maker->finest > 0.0 && cell > maker->finest * (1.0 + 1e-9) && levels + 1 < BR_LATTICE_LEVELS)
	{
		cell *= 0.5;
		++levels;
		++sizes.baseLevel;
	}
	brLatticeDef def = {
		.tree = maker->tree,
		.cell = cell,
		.levels = levels,
		.sizes = sizes.baseLevel > 0 ? &sizes : NULL,
		.isInverted = maker->info.isInverted,
		.offset = fmin(maker->info.offset, MOST_OFFSET * cell),
		.isShifted = maker->isShifted,
		.touching = maker->def->embed,
		.mostCells = maker->def->mostCells,
	};
	if (!maker->tree->isClosed)
	{
		// Each node costs a winding number: no more of them than a solid of the wanted size could need.
		int64_t most = OPEN_CELLS + 32 * (int64_t)maker->def->targetTets;
		def.mostCells = maker->def->targetTets > 0 && most < def.mostCells ? most : def.mostCells;
	}
	brResult result = brLattice_Make(lattice, maker->context, &def, report);
	lattice->sizes = NULL; // they were ours
	return result;
}

// Lattice to mesh, in place of the last one.
static brResult fillLattice(TetMaker* maker, const brLattice* lattice, brReport* report)
{
	brTetMesh* mesh = NULL;
	brResult result;
	if (maker->def->embed)
	{
		result =
			brEmbedLattice(maker->context, lattice, maker->tree, maker->info.isInverted, &mesh, &maker->info, report);
	}
	else
	{
		result = brStuffLattice(maker->context, lattice, maker->tree, maker->info.isInverted, maker->info.offset, &mesh,
								report);
	}
	if (result >= 0)
	{
		brDestroyTetMesh(maker->mesh);
		maker->mesh = mesh;
		maker->info.edge = lattice->cell;
	}
	return result;
}

// Cube root by Newton's method: libm's is not the same everywhere.
static double cubeRoot(double x)
{
	int exponent = 0;
	frexp(x, &exponent);
	double y = ldexp(1.0, exponent / 3 + 1); // above the root, from where it only falls
	for (int i = 0; i < 12; ++i)
	{
		y = (2.0 * y + x / (y * y)) / 3.0;
	}
	return y;
}

// Where lattice tets times `ratio` meet the target. Counts grow with a power of the cells' fineness between 2, a skin of tets, and 3,
// a solid: each step assumes 8/3, within what is known to be too coarse and too fine.
static brResult searchLattice(TetMaker* maker, double* cell, double ratio, brLattice* outLattice, brReport* report)
{
	double target = maker->def->targetTets;
	double coarse = INFINITY, fine = 0.0;
	for (int32_t pass = 0;; ++pass)
	{
		brResult result = makeLattice(maker, *cell, outLattice, report);
		if (result < 0)
		{
			return result;
		}
		double count = fmax(1.0, ratio * outLattice->tets.count);
		if (outLattice->tets.count == 0 && !maker->tree->isClosed && pass > 0)
		{
			return br_success; // an open surface with no inside does not get one from smaller cells
		}
		if (fabs(count - target) <= SEARCH_CLOSE * target || pass == SEARCH_PASSES)
		{
			return br_success;
		}
		coarse = count < target ? fmin(coarse, *cell) : coarse;
		fine = count > target ? fmax(fine, *cell) : fine;
		double root = sqrt(sqrt(count / target));
		double next = *cell * fmin(fmax(root * sqrt(root), 0.25), 4.0);
		// A count may jump where a whole layer appears: then halve what is left.
		bool isBracketed = isfinite(coarse) && fine > 0.0;
		bool isOutside = !(next < coarse && next > fine) || pass > 5;
		*cell = isOutside && isBracketed ? sqrt(coarse * fine) : next;
		brLattice_Free(outLattice);
	}
}

static double meshVolume(const brTetMesh* mesh)
{
	double sum = 0.0;
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		const int32_t* n = mesh->tets[t];
		brDVec3 a = mesh->nodes[n[0]];
		sum +=
			brDDot(brDCross(brDSub(mesh->nodes[n[1]], a), brDSub(mesh->nodes[n[2]], a)), brDSub(mesh->nodes[n[3]], a));
	}
	return sum / 6.0;
}

// How far the best mesh so far is from what was asked, in units of what we are content with; 1 or less is good.
static double missBy(const TetMaker* maker, int32_t tetCount, double volume)
{
	double target = maker->def->targetTets;
	double off = target > 0.0 ? fabs(tetCount / target - 1.0) : 0.0;
	double byCount =
		off / (2.0 * SEARCH_CLOSE) + (off > SEARCH_PROMISE ? 1000.0 : 0.0); // a broken promise is the worst
	double wanted = maker->info.surfaceVolume;
	bool isMatched = maker->def->matchVolume && !maker->def->embed && wanted > 0.0 && !maker->isWrapped;
	double byVolume = isMatched ? fabs(volume / wanted - 1.0) / VOLUME_CLOSE : 0.0;
	return fmax(byCount, byVolume);
}

// Lattices and fills until count and volume are met: the offset grows by what the volume lacks over the area, then by the
// slope of the last two.
static brResult makeMatching(TetMaker* maker, brReport* report)
{
	double target = maker->def->targetTets;
	double wanted = maker->info.surfaceVolume;
	double box = 2.0 * maker->tree->reach;
	double cell = fmin(maker->def->edge, box); // one that holds everything is as coarse as any larger one
	if (target > 0.0)
	{
		// Twelve tets a cell.
		cell = wanted > 0.0 ? cubeRoot(12.0 * wanted / target) : box * cubeRoot(4.0 / target);
		cell = fmin(fmax(cell, 1e-4 * box), 0.5 * box);
	}
	double ratio = maker->def->embed ? 1.0 : 0.87;
	double area = 0.0;
	for (int32_t t = 0; t < maker->tree->triangleCount; ++t)
	{
		const brDVec3* p = maker->tree->corners[t];
		area += 0.5 * brDLength(brDCross(brDSub(p[1], p[0]), brDSub(p[2], p[0])));
	}
	brTetMesh* best = NULL;
	brTetInfo bestFill = {0};
	double bestCell = 0.0, bestOffset = 0.0, bestMiss = INFINITY, bestCoarsest = 0.0;
	double lastOffset = 0.0, lastVolume = 0.0;
	int32_t fills =
		target > 0.0 && target < 5000.0 ? SEARCH_FILLS : SEARCH_FILLS - 3; // small lattices jump, and are cheap
	double tooCoarse = INFINITY, tooFine = 0.0;
	bool isCounted = target == 0.0; // the cells are of the right size
	brResult result = br_success;
	for (int32_t pass = 0; pass < fills && result >= 0; ++pass)
	{
		if (brIsCancelled(maker->context, (double)pass / fills))
		{
			result = brFail(report, br_errorCancelled, "filling was cancelled");
			break;
		}
		brLattice lattice;
		result = isCounted ? makeLattice(maker, cell, &lattice, report)
						   : searchLattice(maker, &cell, ratio, &lattice, report);
		if (result < 0)
		{
			break;
		}
		double finestCell = lattice.cell;
		maker->info.offset = fmin(maker->info.offset, MOST_OFFSET * finestCell);
		int32_t latticeTets = lattice.tets.count;
		maker->isWrapped = maker->isWrapped || lattice.isWrapped;
		result = fillLattice(maker, &lattice, report);
		brLattice_Free(&lattice);
		if (result < 0)
		{
			break;
		}
		int32_t count = maker->mesh->tetCount;
		double volume = meshVolume(maker->mesh);
		double miss = missBy(maker, count, volume);
		if (best == NULL || miss < bestMiss)
		{
			brDestroyTetMesh(best);
			best = maker->mesh;
			bestCell = maker->info.edge;
			bestCoarsest = cell;
			bestOffset = maker->info.offset;
			bestMiss = miss;
			maker->mesh = NULL;
			brFreeTetInfo(&bestFill); // of embedded tets the shares go with their mesh
			bestFill = maker->info;
			maker->info.fills = NULL, maker->info.fillCount = 0;
		}
		bool isLost = wanted > 0.0 && !maker->isWrapped && !maker->def->embed && volume < LOST_SHARE * wanted;
		bool isHopeless = count == 0 && !maker->tree->isClosed;
		if (bestMiss <= 1.0 || isLost || isHopeless)
		{
			break;
		}
		ratio = maker->def->embed ? 1.0 : (double)count / latticeTets;
		double countMiss = target > 0.0 ? fabs(count / target - 1.0) : 0.0;
		isCounted = countMiss <= 2.0 * SEARCH_CLOSE;
		tooCoarse = count < target ? fmin(tooCoarse, cell) : tooCoarse;
		tooFine = count > target ? fmax(tooFine, cell) : tooFine;
		if (countMiss > SEARCH_PROMISE && !maker->isShifted)
		{
			maker->isShifted = true;
			tooCoarse = INFINITY, tooFine = 0.0;
			continue;
		}
		if (!isCounted && pass > 2 && tooFine > 0.0 && tooFine < tooCoarse && isfinite(tooCoarse))
		{
			// Counts before and after stuffing do not go together here: halve what is left by those after.
			cell = sqrt(tooFine * tooCoarse);
			isCounted = true;
		}
		if (maker->def->matchVolume && wanted > 0.0 && !maker->isWrapped)
		{
			double offset = maker->info.offset;
			double slope =
				pass > 0 && offset != lastOffset ? (volume - lastVolume) / (offset - lastOffset) : 1.2 * area;
			slope = fmin(fmax(slope, 0.5 * area), 4.0 * area);
			lastOffset = offset, lastVolume = volume;
			maker->info.offset = fmin(fmax(offset + (wanted - volume) / slope, 0.0), MOST_OFFSET * finestCell);
		}
	}
	brDestroyTetMesh(maker->mesh);
	maker->mesh = best;
	if (maker->def->embed && best != NULL)
	{
		brFreeTetInfo(&maker->info);
		maker->info.fills = bestFill.fills;
		maker->info.fillCount = bestFill.fillCount;
		maker->info.volume = bestFill.volume;
	}
	maker->info.edge = bestCell;
	maker->info.offset = bestOffset;
	maker->coarsest = bestCoarsest;
	return result;
}

// The largest parts, as many as the surface has, are the solid; what share of the volume is loose?
static double looseShare(const TetMaker* maker, const brTetParts* parts, double total)
{
	double solid = 0.0, last = INFINITY;
	for (int32_t k = 0, seen = -1; k < maker->solidCount; ++k)
	{
		int32_t next = -1;
		for (int32_t i = 0; i < parts->partCount; ++i)
		{
			bool isAfter = parts->volumes[i] < last || (parts->volumes[i] == last && i > seen);
			next = isAfter && (next < 0 || parts->volumes[i] > parts->volumes[next]) ? i : next;
		}
		if (next < 0)
		{
			break;
		}
		solid += parts->volumes[next];
		last = parts->volumes[next], seen = next;
	}
	return total > 0.0 ? 1.0 - solid / total : 0.0;
}

// Leaves out specks, and says whether what is left is in as many parts as the surface.
static brResult checkParts(TetMaker* maker, const brMesh* mesh, brReport* report)
{
	brTetParts parts;
	if (!brFindTetParts(&maker->allocator, maker->mesh, &parts))
	{
		return brFailMemory(report);
	}
	bool* keeps = BR_ALLOC_ZERO(&maker->allocator, bool, parts.partCount);
	bool complete = keeps != NULL;
	double total = 0.0;
	for (int32_t i = 0; i < parts.partCount; ++i)
	{
		total += parts.volumes[i];
	}
	int32_t kept = 0;
	maker->looseShare = looseShare(maker, &parts, total);
	if (complete && maker->info.isClosed && maker->looseShare > LOOSE_SHARE)
	{
		// Solids that touch at a vertex or along an edge pass for one until the surface is taken apart there.
		brMesh* split = NULL;
		complete =
			brRepairMesh(maker->context, mesh, NULL, &split, NULL, NULL) >= 0 && countSolids(maker, split, report) >= 0;
		brDestroyMesh(split);
		maker->looseShare = looseShare(maker, &parts, total);
	}
	for (int32_t i = 0; i < parts.partCount && complete; ++i)
	{
		keeps[i] = maker->def->embed || parts.volumes[i] >= SPECK_SHARE * total;
		kept += keeps[i];
		maker->info.volume += keeps[i] && !maker->def->embed ? parts.volumes[i] : 0.0;
	}
	if (complete && kept < parts.partCount)
	{
		brTetMesh* rest = brKeepTetParts(&maker->allocator, maker->mesh, &parts, keeps);
		complete = rest != NULL;
		if (complete)
		{
			brDestroyTetMesh(maker->mesh);
			maker->mesh = rest;
		}
	}
	maker->info.components = kept;
	maker->info.droppedSpecks = parts.partCount - kept;
	BR_FREE(&maker->allocator, keeps, parts.partCount);
	brTetParts_Free(&parts);
	return complete ? br_success : brFailMemory(report);
}

// The edge length that the thinnest twentieth of the surface asks for.
static double neededEdge(const TetMaker* maker)
{
	double quantiles[41];
	return brSurfaceTree_Thickness(maker->context, maker->tree, 41, quantiles) ? EDGE_PER_THICKNESS * quantiles[1]
																			   : 0.0;
}

static brResult judge(TetMaker* maker, brReport* report)
{
	const brTetInfo* info = &maker->info;
	bool isEmpty = maker->mesh->tetCount == 0;
	bool isBroken =
		info->isClosed && !maker->def->embed &&
		(maker->looseShare > LOOSE_SHARE || (!maker->isWrapped && info->volume < LEAST_SHARE * info->surfaceVolume));
	if (isEmpty && !info->isClosed)
	{
		return brFail(report, br_errorGeometry,
					  "the surface is open and encloses nothing: no point has a winding "
					  "number above one half");
	}
	if (isEmpty || (isBroken && !maker->def->allowBroken))
	{
		double edge = neededEdge(maker);
		return brFail(
			report, br_errorGeometry,
			"walls are too thin for cells of %.3g m: the solid comes out in %d parts with %.0f %% of its volume; an "
			"edge of about %.2g m (some %.2g tets) would hold them, or embed them in a coarse lattice",
			info->edge, info->components, 100.0 * info->volume / fmax(info->surfaceVolume, 1e-300), edge,
			edge > 0.0 ? 12.0 * info->surfaceVolume / (edge * edge * edge) : 0.0);
	}
	if (maker->def->targetTets > 0)
	{
		double share = maker->mesh->tetCount / (double)maker->def->targetTets;
		if (fabs(share - 1.0) > SEARCH_PROMISE)
		{
			return brFail(report, br_errorGeometry,
						  "no lattice gives about %d tets: the nearest found has %d, with an edge of %.3g m",
						  maker->def->targetTets, maker->mesh->tetCount, info->edge);
		}
	}
	if (isBroken || info->droppedSpecks > 0 || (info->isClosed && info->components > maker->solidCount))
	{
		brFail(report, br_remarkApproximate,
			   "the lattice is coarse for parts of the surface: %d parts, %d loose bits left out", info->components,
			   info->droppedSpecks);
		return br_remarkApproximate;
	}
	if (info->isRepaired || !info->isClosed)
	{
		brFail(report, br_remarkApproximate, "the surface %s",
			   info->isClosed ? "was welded and turned to be closed" : "is open: it was filled by winding number");
		return br_remarkApproximate;
	}
	return brSucceed(report);
}

// The smallest edge that balls or the thinnest twentieth of the walls ask for. False without memory.
static bool findFinest(TetMaker* maker)
{
	double quantiles[41];
	if (maker->def->refineThin)
	{
		if (!brSurfaceTree_Thickness(maker->context, maker->tree, 41, quantiles))
		{
			return false;
		}
		maker->finest = EDGE_PER_THICKNESS * quantiles[1];
	}
	for (int32_t i = 0; i < maker->def->refinementCount; ++i)
	{
		double edge = maker->def->refinements[i].edge;
		maker->finest = maker->finest > 0.0 ? fmin(maker->finest, edge) : edge;
	}
	return true;
}

// A surface within a plane along the axes, or one whose triangles cancel out, has no inside.
static brResult checkExtent(const TetMaker* maker, brReport* report)
{
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t t = 0; t < maker->tree->triangleCount; ++t)
	{
		for (int k = 0; k < 3; ++k)
		{
			box = brDBox3_Include(box, maker->tree->corners[t][k]);
		}
	}
	brDVec3 size = brDSub(box.upper, box.lower);
	if (!(fmax(brDLength(box.lower), brDLength(box.upper)) < MOST_DISTANCE))
	{
		return brFail(report, br_errorGeometry, "the surface reaches farther than %g m from the origin", MOST_DISTANCE);
	}
	if (!(size.x > 0.0 && size.y > 0.0 && size.z > 0.0) || (maker->tree->isClosed && maker->tree->volume == 0.0))
	{
		return brFail(report, br_errorGeometry, "the surface is flat and encloses no volume");
	}
	return br_success;
}

brResult brMakeTetMesh(const brContext* context, const brMesh* mesh, const brTetDef* def, brTetMesh** outMesh,
					   brTetInfo* outInfo, brReport* report)
{
	brTetDef standard = brDefaultTetDef();
	def = def != NULL ? def : &standard;
	if (mesh == NULL || outMesh == NULL || def->stamp != BR_STAMP)
	{
		return brFail(report, br_errorMisuse,
					  "tets need a mesh, a def from brDefaultTetDef and a place for the result");
	}
	if (def->targetTets < 0 || (def->targetTets == 0 && !(def->edge > 0.0 && isfinite(def->edge))) ||
		def->coarsening < 0 || def->coarsening >= BR_LATTICE_LEVELS || def->mostCells < 1)
	{
		return brFail(report, br_errorMisuse,
					  "tets need a positive count or edge length, and 0 to %d levels of coarsening",
					  BR_LATTICE_LEVELS - 1);
	}
	if (def->embed && (def->refinementCount > 0 || def->refineThin))
	{
		return brFail(report, br_errorMisuse, "embedded tets have one size along the surface: no refinement");
	}
	for (int32_t i = 0; i < def->refinementCount; ++i)
	{
		const brTetRefinement* ball = &def->refinements[i];
		if (!brDIsFinite(ball->center) || !(ball->radius >= 0.0 && ball->radius < INFINITY) ||
			!(ball->edge > 0.0 && ball->edge < INFINITY))
		{
			return brFailAt(report, br_errorMisuse, i,
							"refinement %d of the tets needs a finite ball and a positive edge", i);
		}
	}
	TetMaker maker = {.context = context, .allocator = brContext_Allocator(context), .def = def};
	maker.info.allocator = maker.allocator;
	brResult result = readSurface(&maker, mesh, report);
	if (result >= 0)
	{
		result = checkExtent(&maker, report);
	}
	if (result >= 0)
	{
		result = findFinest(&maker) ? makeMatching(&maker, report) : brFailMemory(report);
	}
	if (result >= 0)
	{
		result = checkParts(&maker, mesh, report);
	}
	if (result >= 0)
	{
		maker.info.deviation = maker.coarsest + maker.info.offset;
		result = judge(&maker, report);
	}
	brDestroySurfaceTree(maker.tree);
	if (result < 0)
	{
		brDestroyTetMesh(maker.mesh);
		brFreeTetInfo(&maker.info);
		return result;
	}
	*outMesh = maker.mesh;
	if (outInfo != NULL)
	{
		*outInfo = maker.info;
	}
	else
	{
		brFreeTetInfo(&maker.info);
	}
	return result;
}
