// SPDX-License-Identifier: MIT

// Which tets are cut by cracks, and into what.
//
// A tet is crossed by a crack if its corners are on both sides of it, the flat continuation beyond the front included.
// A node is enriched for the crack if it lies behind the front and a crossed tet has it; a crossed tet with an enriched
// node is cut. So every crossed tet around an enriched node is cut, and as sides belong to nodes, two tets always agree
// on the face between them.
//
// Parts of a tet below the sliver share are given to the rest of it, in everything: left to the enrichment alone they
// would be springs across the crack.

#include "elastic/body.h"
#include "elastic/tet_clip.h"
#include "elastic/tet_split.h"

#include "base/report.h"
#include "base/sort.h"

#include <string.h>

// Nodes ahead of the front by less than this share of their longest edge count as behind it: without it cracks whose
// front runs along a layer of nodes are almost half a cell too short.
#define FRONT_MARGIN 0.09

// Half of what lies between the fronts of two levels, in the same length.
#define FRONT_SPREAD 0.055

// Normals that differ by more than half a degree: below, volumes from distances are exact to a thousandth of a tet.
#define BEND_COSINE 0.99996

// A bend never moves more of a tet than this to the other side; rounding does, where the surface runs through a node.
#define BEND_MAX_CHANGE 0.5

#define NODE_NEAR 1u
#define NODE_BEHIND 2u
#define NODE_ENRICHED 4u // and the bits above, one for each level, the farthest front first
#define NODE_LEVELS (((1u << BR_FRONT_LEVELS) - 1u) * NODE_ENRICHED)

// A tet and one crack that cuts it.
typedef struct TetCrossing
{
	int32_t tet;
	int32_t crack;
	uint8_t plus;
	uint8_t enriched[BR_FRONT_LEVELS];
	bool isBent;
	int32_t seeds[4]; // triangles
	double phi[4];
} TetCrossing;

typedef BR_ARRAY(TetCrossing) CrossingArray;
typedef BR_ARRAY(uint64_t) BannedArray; // crack and node that must not be enriched: too many cracks around it

typedef struct PieceMaker
{
	const brAllocator* allocator;
	const brContext* context;
	const brElasticBody* body;
	const brCrackField* cracks;
	int32_t crackCount;
	CrossingArray crossings;
	BannedArray banned;
	double* phi;      // [nodeCount] of the crack at work
	int32_t* nearest; // [nodeCount] triangle of it
	uint8_t* states;  // [nodeCount]
	int32_t* lastHit; // [tetCount] crack that last cut it
} PieceMaker;

void brElementSet_Free(brElementSet* set, const brAllocator* allocator)
{
	BR_FREE(allocator, set->cuts, set->cutCount);
	BR_FREE(allocator, set->cutOfTet, set->tetCount);
	BR_FREE(allocator, set->shapeStarts, set->cutCount + 1);
	BR_FREE(allocator, set->shapes, set->shapeCount);
	BR_FREE(allocator, set->pieceValues, set->pieceCount);
	BR_FREE(allocator, set->extraTets, set->pieceCount - set->tetCount);
	BR_FREE(allocator, set->pieceParts, set->pieceCount);
	BR_FREE(allocator, set->valueNodes, set->valueCount);
	BR_FREE(allocator, set->valueParts, set->valueCount);
	BR_FREE(allocator, set->masses, set->valueCount);
	BR_FREE(allocator, set->lists, set->listCount);
	BR_FREE(allocator, set->pool, set->poolCount);
	BR_FREE(allocator, set->isDirty, set->nodeCount);
	BR_FREE(allocator, set->parts, set->componentCount);
	memset(set, 0, sizeof(*set));
}

static bool piecesIsBehind(const brElasticBody* body, const brNearNode* near)
{
	return near->psi < FRONT_MARGIN * body->longestEdges[near->node];
}

// The levels in whose front a node lies behind, as bits of its state.
static uint32_t piecesLevels(const brElasticBody* body, const brNearNode* near)
{
	if (body->enrichment == br_enrichFullyCut)
	{
		return piecesIsBehind(body, near) ? NODE_LEVELS : 0u;
	}
	double ahead = near->psi > -INFINITY ? near->psi : -near->behind;
	uint32_t levels = 0;
	for (int l = 0; l < BR_FRONT_LEVELS; ++l)
	{
		double front = FRONT_MARGIN + (BR_FRONT_LEVELS - 1 - 2 * l) * FRONT_SPREAD;
		levels |= ahead < front * body->longestEdges[near->node] ? NODE_ENRICHED << l : 0u;
	}
	return levels;
}

// All four corners know their side, and not all the same one. Bits of the + corners.
static bool piecesIsCrossed(const PieceMaker* maker, int32_t tet, uint32_t* outPlus, bool* outBehind)
{
	const int32_t* n = maker->body->mesh->tets[tet];
	uint32_t all = NODE_NEAR | NODE_BEHIND;
	*outPlus = 0;
	for (int a = 0; a < 4; ++a)
	{
		all &= maker->states[n[a]];
		*outPlus |= (maker->phi[n[a]] >= 0.0 ? 1u : 0u) << a;
	}
	*outBehind = (all & NODE_BEHIND) != 0;
	return (all & NODE_NEAR) != 0 && *outPlus != 0 && *outPlus != 15;
}

static bool piecesIsBanned(const PieceMaker* maker, int32_t crack, int32_t node)
{
	uint64_t key = (uint64_t)crack << 32 | (uint32_t)node;
	for (int32_t i = 0; i < maker->banned.count; ++i)
	{
		if (maker->banned.data[i] == key)
		{
			return true;
		}
	}
	return false;
}

// Levels in which a node has a value for each side, as bits of its state.
static uint32_t piecesEnriched(const PieceMaker* maker, int32_t crack, const brNearNode* near)
{
	const brElasticBody* body = maker->body;
	uint32_t levels = piecesLevels(body, near);
	if (levels == 0 || fabs(near->phi) > body->longestEdges[near->node] || piecesIsBanned(maker, crack, near->node))
	{
		return 0;
	}
	bool isCrossed = false;
	for (int32_t i = body->cornerStarts[near->node]; i < body->cornerStarts[near->node + 1]; ++i)
	{
		uint32_t plus;
		bool isBehind;
		if (piecesIsCrossed(maker, body->corners[i] / 4, &plus, &isBehind))
		{
			if (body->enrichment == br_enrichFullyCut && !isBehind)
			{
				return 0;
			}
			isCrossed = true;
		}
	}
	return isCrossed ? levels : 0u;
}

// Whether the surface turns between the corners of a tet, all behind the front.
static bool piecesIsBent(const brCrackField* field, const int32_t seeds[4])
{
	bool isBent = false;
	for (int a = 0; a < 4; ++a)
	{
		if (seeds[a] < 0)
		{
			return false;
		}
		isBent = isBent || brDDot(field->normals[seeds[a]], field->normals[seeds[0]]) < BEND_COSINE;
	}
	return isBent;
}

// Tets that one crack cuts.
static bool piecesCrossWith(PieceMaker* maker, int32_t crack)
{
	const brElasticBody* body = maker->body;
	const brCrackField* field = &maker->cracks[crack];
	for (int32_t i = 0; i < field->nearCount; ++i)
	{
		const brNearNode* near = &field->near[i];
		maker->phi[near->node] = near->phi;
		maker->nearest[near->node] = near->psi == -INFINITY ? near->triangle : -1;
		maker->states[near->node] = (uint8_t)(NODE_NEAR | (piecesIsBehind(maker->body, near) ? NODE_BEHIND : 0u));
	}
	for (int32_t i = 0; i < field->nearCount; ++i)
	{
		maker->states[field->near[i].node] |= (uint8_t)piecesEnriched(maker, crack, &field->near[i]);
	}
	bool good = true;
	for (int32_t i = 0; i < field->nearCount; ++i)
	{
		int32_t node = field->near[i].node;
		if ((maker->states[node] & NODE_LEVELS) == 0)
		{
			continue;
		}
		for (int32_t c = body->cornerStarts[node]; c < body->cornerStarts[node + 1]; ++c)
		{
			int32_t tet = body->corners[c] / 4;
			uint32_t plus;
			bool isBehind;
			if (maker->lastHit[tet] == crack || !piecesIsCrossed(maker, tet, &plus, &isBehind))
			{
				continue;
			}
			maker->lastHit[tet] = crack;
			TetCrossing crossing = {.tet = tet, .crack = crack, .plus = (uint8_t)plus};
			for (int a = 0; a < 4; ++a)
			{
				int32_t corner = body->mesh->tets[tet][a];
				crossing.phi[a] = maker->phi[corner];
				crossing.seeds[a] = maker->nearest[corner];
				for (int l = 0; l < BR_FRONT_LEVELS; ++l)
				{
					bool isEnriched = (maker->states[corner] & NODE_ENRICHED << l) != 0;
					crossing.enriched[l] |= (uint8_t)((isEnriched ? 1u : 0u) << a);
				}
			}
			crossing.isBent = piecesIsBent(field, crossing.seeds);
			good = good && BR_PUSH(maker->allocator, &maker->crossings, crossing);
		}
	}
	for (int32_t i = 0; i < field->nearCount; ++i)
	{
		maker->states[field->near[i].node] = 0;
	}
	return good;
}

// Crossings by tet, cracks rising in each.
static bool piecesSortCrossings(PieceMaker* maker)
{
	int32_t count = maker->crossings.count;
	const brAllocator* allocator = maker->allocator;
	uint32_t* keys = BR_ALLOC(allocator, uint32_t, count);
	uint32_t* values = BR_ALLOC(allocator, uint32_t, count);
	uint32_t* scratchKeys = BR_ALLOC(allocator, uint32_t, count);
	uint32_t* scratchValues = BR_ALLOC(allocator, uint32_t, count);
	TetCrossing* sorted = BR_ALLOC(allocator, TetCrossing, count);
	bool good = keys != NULL && values != NULL && scratchKeys != NULL && scratchValues != NULL && sorted != NULL;
	for (int32_t i = 0; good && i < count; ++i)
	{
		keys[i] = (uint32_t)maker->crossings.data[i].tet;
		values[i] = (uint32_t)i;
	}
	good = good && brSortPairs32(NULL, allocator, keys, values, scratchKeys, scratchValues, count);
	for (int32_t i = 0; good && i < count; ++i)
	{
		sorted[i] = maker->crossings.data[values[i]];
	}
	if (good && count > 0)
	{
		memcpy(maker->crossings.data, sorted, (size_t)count * sizeof(*sorted));
	}
	BR_FREE(allocator, keys, count);
	BR_FREE(allocator, values, count);
	BR_FREE(allocator, scratchKeys, count);
	BR_FREE(allocator, scratchValues, count);
	BR_FREE(allocator, sorted, count);
	return good;
}

// Where more cracks meet in a tet than it can hold, the last ones stay closed there: their nodes are not enriched.
// `outBanned`: something was, so the crossings must be found again.
static bool piecesBanCrowds(PieceMaker* maker, bool* outBanned)
{
	*outBanned = false;
	for (int32_t i = 0, end; i < maker->crossings.count; i = end)
	{
		const TetCrossing* data = maker->crossings.data;
		for (end = i; end < maker->crossings.count && data[end].tet == data[i].tet; ++end)
		{
			for (int a = 0; a < 4 && end - i >= BR_MAX_CRACKS_PER_TET; ++a)
			{
				uint64_t key = (uint64_t)data[end].crack << 32 | (uint32_t)maker->body->mesh->tets[data[i].tet][a];
				*outBanned = true;
				if (!BR_PUSH(maker->allocator, &maker->banned, key))
				{
					return false;
				}
			}
		}
	}
	return true;
}

static bool piecesFindCrossings(PieceMaker* maker)
{
	bool again = true;
	while (again)
	{
		maker->crossings.count = 0;
		for (int32_t t = 0; t < maker->body->tetCount; ++t)
		{
			maker->lastHit[t] = -1;
		}
		for (int32_t c = 0; c < maker->crackCount; ++c)
		{
			if (!piecesCrossWith(maker, c))
			{
				return false;
			}
		}
		if (!piecesSortCrossings(maker) || !piecesBanCrowds(maker, &again))
		{
			return false;
		}
	}
	return true;
}

static bool piecesListCuts(PieceMaker* maker, brElementSet* set)
{
	const CrossingArray* crossings = &maker->crossings;
	int32_t cutCount = 0;
	for (int32_t i = 0; i < crossings->count; ++i)
	{
		cutCount += i == 0 || crossings->data[i].tet != crossings->data[i - 1].tet;
	}
	set->cuts = BR_ALLOC_ZERO(maker->allocator, brCutTet, cutCount);
	set->cutOfTet = BR_ALLOC(maker->allocator, int32_t, set->tetCount);
	set->cutCount = cutCount;
	set->shapeStarts = BR_ALLOC(maker->allocator, int32_t, cutCount + 1);
	if (set->cuts == NULL || set->cutOfTet == NULL || set->shapeStarts == NULL)
	{
		return false;
	}
	memset(set->cutOfTet, 0xff, (size_t)set->tetCount * sizeof(int32_t));
	int32_t cutIndex = -1;
	for (int32_t i = 0; i < crossings->count; ++i)
	{
		const TetCrossing* crossing = &crossings->data[i];
		if (cutIndex < 0 || set->cuts[cutIndex].tet != crossing->tet)
		{
			cutIndex += 1;
			set->cuts[cutIndex].tet = crossing->tet;
			set->cuts[cutIndex].levelCount = 1;
			set->cutOfTet[crossing->tet] = cutIndex;
		}
		brCutTet* cut = &set->cuts[cutIndex];
		int32_t k = cut->crackCount++;
		cut->cracks[k] = crossing->crack;
		cut->plus[k] = crossing->plus;
		for (int l = 0; l < BR_FRONT_LEVELS; ++l)
		{
			cut->enriched[l][k] = crossing->enriched[l];
			cut->levelCount = crossing->enriched[l] != crossing->enriched[0] ? BR_FRONT_LEVELS : cut->levelCount;
		}
		memcpy(cut->phi[k], crossing->phi, sizeof(crossing->phi));
		memcpy(cut->seeds[k], crossing->seeds, sizeof(crossing->seeds));
		cut->isBent[k] = crossing->isBent;
	}
	return true;
}

// The pieces of one tet that are no slivers. Returns how many.
static int32_t piecesShape(const PieceMaker* maker, const brCutTet* cut, brElementShape* outShapes)
{
	brTetShares shares;
	brSplitTet((const double(*)[4])cut->phi, cut->crackCount, &shares);
	double below = 0.0;
	if (cut->crackCount == 1 && cut->isBent[0] &&
		brClipTet(&maker->cracks[cut->cracks[0]], maker->body, cut->tet, cut->plus[0], cut->seeds[0], &below) &&
		fabs(below - shares.volumes[0]) < BEND_MAX_CHANGE)
	{
		shares.volumes[0] = below;
		shares.volumes[1] = 1.0 - below;
	}
	double kept = 0.0;
	int32_t largest = 0;
	for (int s = 0; s < 1 << cut->crackCount; ++s)
	{
		largest = shares.volumes[s] > shares.volumes[largest] ? s : largest;
		kept += shares.volumes[s] >= maker->body->sliver ? shares.volumes[s] : 0.0;
	}
	int32_t count = 0;
	double volume = maker->body->volumes[cut->tet] / cut->levelCount;
	for (int i = 0; i < cut->levelCount << cut->crackCount; ++i)
	{
		int s = i & ((1 << cut->crackCount) - 1);
		if (shares.volumes[s] >= maker->body->sliver || (kept == 0.0 && s == largest))
		{
			brElementShape* shape = &outShapes[count++];
			shape->signs = (uint8_t)s;
			shape->level = (uint8_t)(i >> cut->crackCount);
			shape->volume = volume * (kept > 0.0 ? shares.volumes[s] / kept : 1.0);
			memcpy(shape->weights, shares.centers[s], sizeof(shape->weights));
		}
	}
	return count;
}

// Counts, then writes. Takes out shapes that have become empty if there are some already.
static bool piecesMakeShapes(PieceMaker* maker, brElementSet* set)
{
	brElementShape local[BR_FRONT_LEVELS * BR_MAX_SIGNS];
	int32_t total = 0;
	for (int32_t i = 0; i < set->cutCount; ++i)
	{
		set->shapeStarts[i] = total;
		total += piecesShape(maker, &set->cuts[i], local);
	}
	set->shapeStarts[set->cutCount] = total;
	set->shapeCount = total;
	set->shapes = BR_ALLOC(maker->allocator, brElementShape, total);
	if (set->shapes == NULL)
	{
		return false;
	}
	for (int32_t i = 0; i < set->cutCount; ++i)
	{
		int32_t count = piecesShape(maker, &set->cuts[i], local);
		memcpy(set->shapes + set->shapeStarts[i], local, (size_t)count * sizeof(*local));
	}
	return true;
}

// Leaves out shapes without volume; the other pieces of their tets grow to fill them.
static bool piecesDropSpecks(PieceMaker* maker, brElementSet* set)
{
	int32_t written = 0, start = 0;
	for (int32_t i = 0; i < set->cutCount; ++i)
	{
		int32_t end = set->shapeStarts[i + 1];
		double kept = 0.0;
		for (int32_t s = start; s < end; ++s)
		{
			kept += set->shapes[s].volume;
		}
		int32_t first = written;
		for (int32_t s = start; s < end; ++s)
		{
			if (set->shapes[s].volume > 0.0)
			{
				brElementShape shape = set->shapes[s];
				shape.volume *= maker->body->volumes[set->cuts[i].tet] / kept;
				set->shapes[written++] = shape;
			}
		}
		set->shapeStarts[i] = first;
		start = end;
	}
	set->shapeStarts[set->cutCount] = written;
	brElementShape* shapes = BR_ALLOC(maker->allocator, brElementShape, written);
	if (shapes == NULL)
	{
		return false;
	}
	memcpy(shapes, set->shapes, (size_t)written * sizeof(*shapes));
	BR_FREE(maker->allocator, set->shapes, set->shapeCount);
	set->shapes = shapes;
	set->shapeCount = written;
	return true;
}

static bool piecesNumber(PieceMaker* maker, brElementSet* set)
{
	BR_FREE(maker->allocator, set->extraTets, set->pieceCount - set->tetCount);
	set->extraTets = NULL;
	set->pieceCount = set->tetCount + set->shapeCount - set->cutCount;
	set->extraTets = BR_ALLOC(maker->allocator, int32_t, set->pieceCount - set->tetCount);
	if (set->extraTets == NULL)
	{
		set->pieceCount = set->tetCount;
		return false;
	}
	int32_t next = set->tetCount;
	for (int32_t i = 0; i < set->cutCount; ++i)
	{
		brCutTet* cut = &set->cuts[i];
		cut->pieceCount = (int8_t)(set->shapeStarts[i + 1] - set->shapeStarts[i]);
		cut->firstExtra = next;
		for (int32_t k = 1; k < cut->pieceCount; ++k)
		{
			set->extraTets[next++ - set->tetCount] = cut->tet;
		}
	}
	return true;
}

brResult brElementSet_Make(brElementSet* set, const brContext* context, const brElasticBody* body,
						   const brCrackField* cracks, int32_t crackCount, brReport* report)
{
	const brAllocator* allocator = &body->allocator;
	memset(set, 0, sizeof(*set));
	set->tetCount = body->tetCount;
	set->nodeCount = body->nodeCount;
	set->pieceCount = body->tetCount;
	PieceMaker maker = {
		.allocator = allocator, .context = context, .body = body, .cracks = cracks, .crackCount = crackCount};
	maker.phi = BR_ALLOC_ZERO(allocator, double, body->nodeCount);
	maker.nearest = BR_ALLOC_ZERO(allocator, int32_t, body->nodeCount);
	maker.states = BR_ALLOC_ZERO(allocator, uint8_t, body->nodeCount);
	maker.lastHit = BR_ALLOC(allocator, int32_t, body->tetCount);
	bool good = maker.phi != NULL && maker.nearest != NULL && maker.states != NULL && maker.lastHit != NULL;
	good = good && piecesFindCrossings(&maker) && piecesListCuts(&maker, set) && piecesMakeShapes(&maker, set);
	bool again = true;
	while (good && again)
	{
		good = piecesNumber(&maker, set) && brElementSet_Connect(set, context, body, &again);
		good = good && (!again || piecesDropSpecks(&maker, set));
	}
	BR_FREE(allocator, maker.phi, body->nodeCount);
	BR_FREE(allocator, maker.nearest, body->nodeCount);
	BR_FREE(allocator, maker.states, body->nodeCount);
	BR_FREE(allocator, maker.lastHit, body->tetCount);
	BR_FREE_ARRAY(allocator, &maker.crossings);
	BR_FREE_ARRAY(allocator, &maker.banned);
	if (!good)
	{
		brElementSet_Free(set, allocator);
		return brFailMemory(report);
	}
	return brSucceed(report);
}
