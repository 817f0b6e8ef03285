// SPDX-License-Identifier: MIT

// Surface to tets: mend what can be mended, find the lattice that gives the wanted count, stuff it, and look whether
// the solid held together.
//
// The search for a count builds lattices alone, which is cheap, and scales their tets by what stuffing made of the last
// one.

#include "base/assert.h"
#include "base/forest.h"
#include "base/report.h"
#include "brittle/check.h"
#include "volume/embedding.h"
#include "volume/stuffing.h"
#include "volume/tet_parts.h"

#include <string.h>

// Loose bits smaller than this share of the volume are specks that the lattice made, not parts of the shape.
#define SPECK_SHARE 0.01

// Below this share of the surface's volume a thin solid counts as lost.
// A volume that is off by more is told. [1]
#define VOLUME_OFF 0.02
#define MIN_SHARE 0.75

// Below this share growing the surface would not help: the walls are gone.
#define LOST_SHARE 0.55

// Volumes and their products stay finite within this. [m]
#define MAX_DISTANCE 1e60

// Parts beyond those of the surface may hold this share of the volume; else the solid has fallen apart.
#define LOOSE_SHARE 0.2

// The search stops here; the promise is 15 %.
#define SEARCH_CLOSE 0.04
#define SEARCH_PROMISE 0.15
#define SEARCH_PASSES 12

// Tries at most, three fewer unless there are few tets: small lattices jump, and are cheap.
#define SEARCH_FILLS 9
#define FEW_TETS 5000.0

// Where a search begins: tets of a lattice cell, and tets of the solid for each of the lattice.
#define TETS_PER_CELL 12.0
#define USUAL_RATIO 0.87

// Volumes nearer than this are left alone. The surface is grown by no more than this part of a cell.
#define VOLUME_CLOSE 0.01
#define MAX_OFFSET 0.5

// Lattice cells across what the lattice can hold together: found on plates, glasses and bowls.
#define EDGE_PER_THICKNESS 0.75

#define OPEN_CELLS 200000

brTetDef brDefaultTetDef(void)
{
	return (brTetDef){.targetTets = 10000,
					  .coarsening = 2,
					  .matchVolume = true,
					  .maxCells = (int64_t)1 << 28,
					  .stamp = BR_STAMP(brTetDef)};
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
	double progress;    // of the search
	brTetInfo info;
	brTetMesh* mesh;
} TetMaker;

// Closed parts of the surface with positive volume, through shared vertices.
static brResult countSolids(TetMaker* maker, const brMesh* mesh, brReport* report)
{
	int32_t* parents = BR_ALLOC(&maker->allocator, int32_t, mesh->vertexCount);
	double* volumes = BR_ALLOC_ZERO(&maker->allocator, double, mesh->vertexCount);
	bool complete = parents != NULL && volumes != NULL;
	if (complete)
	{
		brResetForest(parents, mesh->vertexCount);
	}
	for (int pass = 0; pass < 2 && complete; ++pass)
	{
		for (int32_t f = 0; f < mesh->faceCount; ++f)
		{
			const int32_t* corners = mesh->corners + mesh->faceStarts[f];
			brDVec3 a = brDSub(mesh->positions[corners[0]], maker->tree->center);
			for (int32_t i = 1; i < brMesh_GetFaceSize(mesh, f); ++i)
			{
				if (pass == 0)
				{
					brJoinRoots(parents, corners[0], corners[i]);
				}
				else if (i + 1 < brMesh_GetFaceSize(mesh, f))
				{
					brDVec3 b = brDSub(mesh->positions[corners[i]], maker->tree->center);
					brDVec3 c = brDSub(mesh->positions[corners[i + 1]], maker->tree->center);
					volumes[brFindRoot(parents, corners[0])] += brDDot(a, brDCross(b, c)) / 6.0;
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

// `cell` is what the surface has where nothing finer is asked for. Finer cells are halves of it, as often as there are
// levels for.
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
		.offset = fmin(maker->info.offset, MAX_OFFSET * cell),
		.isShifted = maker->isShifted,
		.touching = maker->def->embed,
		.maxCells = maker->def->maxCells,
	};
	if (!maker->tree->isClosed)
	{
		// Each node costs a winding number: no more of them than a solid of the wanted size could need.
		int64_t most = OPEN_CELLS + 32 * (int64_t)maker->def->targetTets;
		def.maxCells = maker->def->targetTets > 0 && most < def.maxCells ? most : def.maxCells;
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
		brStuffDef def = {maker->info.isInverted, maker->info.offset, maker->progress};
		result = brStuffLattice(maker->context, lattice, maker->tree, &def, &mesh, report);
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

// Where lattice tets times `ratio` meet the target. Counts grow with a power of the cells' fineness between 2, a skin
// of tets, and 3, a solid: each step assumes 8/3, within what is known to be too coarse and too fine.
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

static double surfaceArea(const brSurfaceTree* tree)
{
	double area = 0.0;
	for (int32_t t = 0; t < tree->triangleCount; ++t)
	{
		const brDVec3* p = tree->corners[t];
		area += 0.5 * brDLength(brDCross(brDSub(p[1], p[0]), brDSub(p[2], p[0])));
	}
	return area;
}

// A search for count and volume: what is tried next, and what the tries so far have shown.
typedef struct TetSearch
{
	double cell;               // to try
	double ratio;              // tets of the solid for each of the lattice, in the last try
	bool isCounted;            // the cells are of the right size
	double tooCoarse, tooFine; // cells that gave too few and too many tets
	double area;               // of the surface
	double lastOffset, lastVolume;

	// The best try
	brTetMesh* mesh;
	brTetInfo fill; // of embedded tets: how full each is
	double miss, edge, coarsest, offset;
} TetSearch;

static TetSearch beginSearch(const TetMaker* maker)
{
	double target = maker->def->targetTets, volume = maker->info.surfaceVolume, box = 2.0 * maker->tree->reach;
	TetSearch search = {.cell = fmin(maker->def->edge, box), // what holds everything is as coarse as any larger one
						.ratio = maker->def->embed ? 1.0 : USUAL_RATIO,
						.isCounted = target == 0.0,
						.tooCoarse = INFINITY,
						.area = surfaceArea(maker->tree),
						.miss = INFINITY};
	if (target > 0.0)
	{
		search.cell = volume > 0.0 ? cubeRoot(TETS_PER_CELL * volume / target) : box * cubeRoot(4.0 / target);
		search.cell = fmin(fmax(search.cell, 1e-4 * box), 0.5 * box);
	}
	return search;
}

// One lattice and the solid in it, as the maker's mesh.
static brResult tryLattice(TetMaker* maker, TetSearch* search, double* outVolume, double* outFinestCell,
						   brReport* report)
{
	brLattice lattice;
	brResult result = search->isCounted ? makeLattice(maker, search->cell, &lattice, report)
										: searchLattice(maker, &search->cell, search->ratio, &lattice, report);
	if (result < 0)
	{
		return result;
	}
	*outFinestCell = lattice.cell;
	maker->info.offset = fmin(maker->info.offset, MAX_OFFSET * lattice.cell);
	maker->isWrapped = maker->isWrapped || lattice.isWrapped;
	result = fillLattice(maker, &lattice, report);
	int32_t latticeTets = lattice.tets.count;
	brLattice_Free(&lattice);
	if (result < 0)
	{
		return result;
	}
	*outVolume = meshVolume(maker->mesh);
	search->ratio = maker->def->embed ? 1.0 : (double)maker->mesh->tetCount / latticeTets;
	return result;
}

// Takes the last mesh if it is the best one.
static void keepBest(TetMaker* maker, TetSearch* search, double volume)
{
	double miss = missBy(maker, maker->mesh->tetCount, volume);
	if (search->mesh == NULL || miss < search->miss)
	{
		brDestroyTetMesh(search->mesh);
		search->mesh = maker->mesh;
		search->edge = maker->info.edge;
		search->coarsest = search->cell;
		search->offset = maker->info.offset;
		search->miss = miss;
		maker->mesh = NULL;
		brFreeTetInfo(&search->fill);
		search->fill = maker->info;
		maker->info.fills = NULL, maker->info.fillCount = 0;
	}
}

// The next cell size, after a try that gave `count` tets. False: the same once more, with the lattice off the middle.
static bool aimAtCount(TetMaker* maker, TetSearch* search, int32_t pass, int32_t count)
{
	double target = maker->def->targetTets;
	double miss = target > 0.0 ? fabs(count / target - 1.0) : 0.0;
	search->isCounted = miss <= 2.0 * SEARCH_CLOSE;
	search->tooCoarse = count < target ? fmin(search->tooCoarse, search->cell) : search->tooCoarse;
	search->tooFine = count > target ? fmax(search->tooFine, search->cell) : search->tooFine;
	if (miss > SEARCH_PROMISE && !maker->isShifted)
	{
		maker->isShifted = true;
		search->tooCoarse = INFINITY, search->tooFine = 0.0;
		return false;
	}
	bool isBracketed = search->tooFine > 0.0 && search->tooFine < search->tooCoarse && isfinite(search->tooCoarse);
	if (!search->isCounted && pass > 2 && isBracketed)
	{
		// Counts before and after stuffing do not go together here: halve what is left by those after.
		search->cell = sqrt(search->tooFine * search->tooCoarse);
		search->isCounted = true;
	}
	return true;
}

// The offset grows by what the volume lacks over the area, then by the slope of the last two tries.
static void aimAtVolume(TetMaker* maker, TetSearch* search, int32_t pass, double volume, double finestCell)
{
	double offset = maker->info.offset, lacking = maker->info.surfaceVolume - volume;
	double slope = pass > 0 && offset != search->lastOffset
					   ? (volume - search->lastVolume) / (offset - search->lastOffset)
					   : 1.2 * search->area; // outward a surface becomes larger
	slope = fmin(fmax(slope, 0.5 * search->area), 4.0 * search->area);
	search->lastOffset = offset, search->lastVolume = volume;
	maker->info.offset = fmin(fmax(offset + lacking / slope, 0.0), MAX_OFFSET * finestCell);
}

// Lattices and fills until count and volume are met.
static brResult makeMatching(TetMaker* maker, brReport* report)
{
	double target = maker->def->targetTets, wanted = maker->info.surfaceVolume;
	int32_t fills = target > 0.0 && target < FEW_TETS ? SEARCH_FILLS : SEARCH_FILLS - 3;
	TetSearch search = beginSearch(maker);
	brResult result = br_success;
	for (int32_t pass = 0; pass < fills; ++pass)
	{
		maker->progress = (double)pass / fills;
		if (brIsCanceled(maker->context, maker->progress))
		{
			result = brFail(report, br_errorCanceled, "filling was canceled");
			break;
		}
		double volume, finestCell;
		result = tryLattice(maker, &search, &volume, &finestCell, report);
		if (result < 0)
		{
			break;
		}
		int32_t count = maker->mesh->tetCount;
		keepBest(maker, &search, volume);
		bool isLost = wanted > 0.0 && !maker->isWrapped && !maker->def->embed && volume < LOST_SHARE * wanted;
		bool isHopeless = count == 0 && !maker->tree->isClosed;
		if (search.miss <= 1.0 || isLost || isHopeless)
		{
			break;
		}
		if (aimAtCount(maker, &search, pass, count) && maker->def->matchVolume && wanted > 0.0 && !maker->isWrapped)
		{
			aimAtVolume(maker, &search, pass, volume, finestCell);
		}
	}
	brDestroyTetMesh(maker->mesh);
	maker->mesh = search.mesh;
	if (maker->def->embed && search.mesh != NULL)
	{
		brFreeTetInfo(&maker->info);
		maker->info.fills = search.fill.fills;
		maker->info.fillCount = search.fill.fillCount;
		maker->info.volume = search.fill.volume;
	}
	maker->info.edge = search.edge;
	maker->info.offset = search.offset;
	maker->coarsest = search.coarsest;
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
	int32_t count = maker->mesh->tetCount;
	complete = complete && (maker->def->embed || brPartTetPinches(&maker->allocator, &maker->mesh));
	if (complete && maker->mesh->tetCount > count) // halved edges draw apart a little
	{
		maker->info.volume = 0.0;
		for (int32_t t = 0; t < maker->mesh->tetCount; ++t)
		{
			maker->info.volume += brTetVolume(maker->mesh, t);
		}
	}
	maker->info.components = kept;
	maker->info.droppedSpecks = parts.partCount - kept;
	BR_FREE(&maker->allocator, keeps, parts.partCount);
	brTetParts_Free(&parts);
	return complete ? br_success : brFailMemory(report);
}

// The edge length that the thinnest twentieth of the surface asks for. False without memory.
static bool neededEdge(const TetMaker* maker, double* outEdge)
{
	double quantiles[41];
	bool isDone = brSurfaceTree_MeasureThickness(maker->tree, maker->context, 41, quantiles);
	*outEdge = isDone ? EDGE_PER_THICKNESS * quantiles[1] : 0.0;
	return isDone;
}

// The volume is off: by walls that the cells lose, or by chords, which are off by the square of the edge.
static brResult remarkVolume(const TetMaker* maker, double off, brReport* report)
{
	const brTetInfo* info = &maker->info;
	double edge;
	if (!neededEdge(maker, &edge))
	{
		return brFailMemory(report);
	}
	double finer = info->edge * sqrt(0.5 * VOLUME_OFF / off);
	edge = edge > 0.0 && edge < info->edge && edge < finer ? edge : finer;
	return brFail(report, br_remarkApproximate,
				  "the tets have %.1f %% of the solid's volume; an edge of %.2g m (--edge %.2g, some %.2g tets) comes "
				  "within %.0f %%",
				  100.0 * info->volume / info->surfaceVolume, edge, edge,
				  12.0 * info->surfaceVolume / (edge * edge * edge), 100.0 * VOLUME_OFF);
}

static brResult judge(TetMaker* maker, brReport* report)
{
	const brTetInfo* info = &maker->info;
	bool isEmpty = maker->mesh->tetCount == 0;
	bool isBroken =
		info->isClosed && !maker->def->embed &&
		(maker->looseShare > LOOSE_SHARE || (!maker->isWrapped && info->volume < MIN_SHARE * info->surfaceVolume));
	if (isEmpty && !info->isClosed)
	{
		return brFail(report, br_errorGeometry,
					  "the surface is open and encloses nothing: no point has a winding "
					  "number above one half; brittle convert --repair --thicken T makes a plate of it");
	}
	if (isEmpty || (isBroken && !maker->def->allowBroken))
	{
		double edge;
		if (!neededEdge(maker, &edge))
		{
			return brFailMemory(report);
		}
		return brFail(
			report, br_errorGeometry,
			"walls are too thin for cells of %.3g m: the solid comes out in %d parts with %.0f %% of its volume; an "
			"edge of %.2g m (--edge %.2g, some %.2g tets) holds them, a coarse lattice embeds them (--embed)",
			info->edge, info->components, 100.0 * info->volume / fmax(info->surfaceVolume, 1e-300), edge, edge,
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
	double off = info->isClosed ? fabs(info->volume / info->surfaceVolume - 1.0) : 0.0;
	if (off > VOLUME_OFF)
	{
		return remarkVolume(maker, off, report);
	}
	if (isBroken || info->droppedSpecks > 0 || (info->isClosed && info->components > maker->solidCount))
	{
		brFail(
			report, br_remarkApproximate,
			"walls are finer than the tets in places: the tets are in %d parts, the surface in %d, and %d loose bits "
			"were left out; take a smaller edge",
			info->components, maker->solidCount, info->droppedSpecks);
		return br_remarkApproximate;
	}
	if (info->isRepaired || !info->isClosed)
	{
		brFail(report, br_remarkApproximate, "the surface %s",
			   info->isClosed ? "was welded and turned to be closed"
							  : "is no closed solid: it was filled by winding number");
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
		if (!brSurfaceTree_MeasureThickness(maker->tree, maker->context, 41, quantiles))
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
	if (!(fmax(brDLength(box.lower), brDLength(box.upper)) < MAX_DISTANCE))
	{
		return brFail(report, br_errorGeometry, "the surface reaches farther than %g m from the origin", MAX_DISTANCE);
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
	if (mesh == NULL || outMesh == NULL || def->stamp != BR_STAMP(*def))
	{
		return brFail(report, br_errorMisuse,
					  "tets need a mesh, a def from brDefaultTetDef and a place for the result");
	}
	if (def->targetTets < 0 || (def->targetTets == 0 && !(def->edge > 0.0 && isfinite(def->edge))) ||
		def->coarsening < 0 || def->coarsening >= BR_LATTICE_LEVELS || def->maxCells < 1)
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
