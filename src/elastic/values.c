// SPDX-License-Identifier: MIT

// Which pieces share a value at a node, and which hang together.
//
// Pieces of neighboring tets that meet in a face share its three nodes. Pieces of one tet share a node that is not
// enriched for the cracks between them: that is how the crack closes ahead of its front. All else is apart, so that two
// tets that touch in a node or an edge alone are not a hinge: what hangs together by faces has six rigid motions and no
// mechanism.
//
// Closing nodes can be too few to hold: two pieces of the body that only share one node, or nodes on a line, would
// swing. Then the rest of the ligament counts as broken and they share nothing. So every part is rigid, and with its
// free motions taken out the system can always be solved.

#include "base/forest.h"
#include "elastic/body.h"

#include "base/assert.h"
#include "base/sort.h"

#include <string.h>

// Parts smaller than this share of a tet of theirs are rounding of the cut, not pieces of the body.
#define SPECK_SHARE 0.05

// Closing nodes that spread less than this share of their distance across are on a line.
#define HINGE_SPREAD 1e-3

// Whether the piece with these signs has a part of the face whose corners are `mask`.
static bool valuesTouchesFace(const brCutTet* cut, uint32_t signs, uint32_t mask)
{
	for (int32_t k = 0; k < cut->crackCount; ++k)
	{
		uint32_t plus = cut->plus[k] & mask;
		if ((signs >> k & 1) != 0 ? plus == 0 : plus == mask)
		{
			return false;
		}
	}
	return true;
}

bool brPiecesMeet(const brElementSet* set, const brElasticBody* body, int32_t pieceA, int32_t cornerA, int32_t pieceB,
				  int32_t cornerB)
{
	(void)body;
	int32_t cutA = set->cutOfTet[brElementSet_Tet(set, pieceA)], cutB = set->cutOfTet[brElementSet_Tet(set, pieceB)];
	const brElementShape* shapeA = cutA >= 0 ? brElementSet_Shape(set, pieceA) : NULL;
	const brElementShape* shapeB = cutB >= 0 ? brElementSet_Shape(set, pieceB) : NULL;
	uint32_t signsA = shapeA != NULL ? shapeA->signs : 0, signsB = shapeB != NULL ? shapeB->signs : 0;
	if (cutA >= 0 && !valuesTouchesFace(&set->cuts[cutA], signsA, 15u ^ 1u << cornerA))
	{
		return false;
	}
	if (cutB >= 0 && !valuesTouchesFace(&set->cuts[cutB], signsB, 15u ^ 1u << cornerB))
	{
		return false;
	}
	if (cutA < 0 || cutB < 0)
	{
		return true;
	}
	const brCutTet *a = &set->cuts[cutA], *b = &set->cuts[cutB];
	if (a->levelCount > 1 && b->levelCount > 1 && shapeA->level != shapeB->level)
	{
		return false;
	}
	for (int32_t i = 0, j = 0; i < a->crackCount && j < b->crackCount;)
	{
		if (a->cracks[i] == b->cracks[j])
		{
			if ((signsA >> i & 1) != (signsB >> j & 1))
			{
				return false;
			}
			i += 1, j += 1;
		}
		else if (a->cracks[i] < b->cracks[j])
		{
			i += 1;
		}
		else
		{
			j += 1;
		}
	}
	return true;
}

static int32_t valuesPieceCount(const brElementSet* set, int32_t tet)
{
	int32_t cut = set->cutOfTet[tet];
	return cut < 0 ? 1 : set->cuts[cut].pieceCount;
}

static int32_t valuesPiece(const brElementSet* set, int32_t tet, int32_t k)
{
	return k == 0 ? tet : set->cuts[set->cutOfTet[tet]].firstExtra + k - 1;
}

static int32_t valuesOpposite(const brElasticBody* body, int32_t tet, int32_t neighbor)
{
	const int32_t* n = body->neighbors[tet];
	return n[0] == neighbor ? 0 : n[1] == neighbor ? 1 : n[2] == neighbor ? 2 : 3;
}

// Pieces that hang together by faces.
static void valuesJoinFaces(const brElementSet* set, const brElasticBody* body, int32_t* parents)
{
	brResetForest(parents, set->pieceCount);
	for (int32_t t = 0; t < set->tetCount; ++t)
	{
		for (int a = 0; a < 4; ++a)
		{
			int32_t u = body->neighbors[t][a];
			if (u < t)
			{
				continue;
			}
			if (set->cutOfTet[t] < 0 && set->cutOfTet[u] < 0)
			{
				brJoinRoots(parents, t, u);
				continue;
			}
			int32_t b = valuesOpposite(body, u, t);
			for (int32_t i = 0; i < valuesPieceCount(set, t); ++i)
			{
				for (int32_t j = 0; j < valuesPieceCount(set, u); ++j)
				{
					int32_t p = valuesPiece(set, t, i), q = valuesPiece(set, u, j);
					if (brPiecesMeet(set, body, p, a, q, b))
					{
						brJoinRoots(parents, p, q);
					}
				}
			}
		}
	}
}

// The cracks of a tet, as bits, behind which a piece has a value of its own at a corner: it is on the other side of
// them.
static uint32_t valuesBeyond(const brCutTet* cut, const brElementShape* shape, int32_t corner)
{
	uint32_t beyond = 0;
	for (int32_t k = 0; k < cut->crackCount; ++k)
	{
		uint32_t isOther = (shape->signs >> k ^ cut->plus[k] >> corner) & 1u;
		beyond |= (isOther & cut->enriched[shape->level][k] >> corner) << k;
	}
	return beyond;
}

// Whether two pieces of a tet share the value of a corner.
static bool valuesIsClosed(const brCutTet* cut, const brElementShape* a, const brElementShape* b, int32_t corner)
{
	return valuesBeyond(cut, a, corner) == valuesBeyond(cut, b, corner);
}

// Two rigid pieces of the body and a node that they share.
typedef struct ClosingNode
{
	int32_t low, high;
	int32_t node;
} ClosingNode;

typedef BR_ARRAY(ClosingNode) ClosingArray;

static int valuesCompareClosings(const ClosingNode* a, const ClosingNode* b)
{
	return a->low != b->low     ? (a->low < b->low ? -1 : 1)
		   : a->high != b->high ? (a->high < b->high ? -1 : 1)
		   : a->node != b->node ? (a->node < b->node ? -1 : 1)
								: 0;
}

static void valuesSortClosings(ClosingNode* data, int32_t count)
{
	// Few or none as a rule; gaps by thirds keep long lists bearable.
	for (int32_t gap = count / 3 + 1;; gap = gap / 3 + 1)
	{
		for (int32_t i = gap; i < count; ++i)
		{
			ClosingNode item = data[i];
			int32_t j = i;
			for (; j >= gap && valuesCompareClosings(&item, &data[j - gap]) < 0; j -= gap)
			{
				data[j] = data[j - gap];
			}
			data[j] = item;
		}
		if (gap == 1)
		{
			break;
		}
	}
}

static bool valuesListClosings(const brElementSet* set, const brElasticBody* body, int32_t* parents,
							   ClosingArray* closings)
{
	closings->count = 0;
	for (int32_t c = 0; c < set->cutCount; ++c)
	{
		const brCutTet* cut = &set->cuts[c];
		const brElementShape* shapes = set->shapes + set->shapeStarts[c];
		for (int32_t i = 0; i < cut->pieceCount; ++i)
		{
			for (int32_t j = i + 1; j < cut->pieceCount; ++j)
			{
				int32_t a = brFindRoot(parents, brCutTet_Piece(cut, i));
				int32_t b = brFindRoot(parents, brCutTet_Piece(cut, j));
				for (int corner = 0; a != b && corner < 4; ++corner)
				{
					ClosingNode closing = {a < b ? a : b, a < b ? b : a, body->mesh->tets[cut->tet][corner]};
					if (valuesIsClosed(cut, &shapes[i], &shapes[j], corner) &&
						!BR_PUSH(&body->allocator, closings, closing))
					{
						return false;
					}
				}
			}
		}
	}
	valuesSortClosings(closings->data, closings->count);
	return true;
}

// Whether the nodes of a run of closings are not all on one line.
static bool valuesIsHeld(const brElasticBody* body, const ClosingNode* run, int32_t count)
{
	brDVec3 first = body->mesh->nodes[run[0].node], along = {0.0, 0.0, 0.0};
	for (int32_t i = 1; i < count; ++i)
	{
		brDVec3 d = brDSub(body->mesh->nodes[run[i].node], first);
		along = brDLengthSq(d) > brDLengthSq(along) ? d : along;
	}
	double most = 0.0;
	for (int32_t i = 1; i < count; ++i)
	{
		double spread = brDLengthSq(brDCross(along, brDSub(body->mesh->nodes[run[i].node], first)));
		most = spread > most ? spread : most;
	}
	double lengthSq = brDLengthSq(along);
	return most > HINGE_SPREAD * HINGE_SPREAD * lengthSq * lengthSq;
}

// Joins what closing nodes hold rigidly, until nothing changes.
static bool valuesJoinClosings(const brElementSet* set, const brElasticBody* body, int32_t* parents)
{
	ClosingArray closings = {0};
	bool good = true, changed = true;
	while (good && changed)
	{
		changed = false;
		good = valuesListClosings(set, body, parents, &closings);
		for (int32_t i = 0, end; good && i < closings.count; i = end)
		{
			const ClosingNode* run = closings.data + i;
			for (end = i;
				 end < closings.count && closings.data[end].low == run->low && closings.data[end].high == run->high;
				 ++end)
			{
			}
			if (valuesIsHeld(body, run, end - i))
			{
				brJoinRoots(parents, run->low, run->high);
				changed = true;
			}
		}
	}
	BR_FREE_ARRAY(&body->allocator, &closings);
	return good;
}

// Nodes whose values are to be sorted out: one item for each piece around the node.
typedef struct TouchedNode
{
	int32_t node;
	int32_t first; // of its items in the pool
	int32_t count;
	int32_t classCount;
} TouchedNode;

typedef struct ValueJob
{
	const brElementSet* set;
	const brElasticBody* body;
	const int32_t* roots; // [pieceCount] rigid part of each piece
	TouchedNode* touched;
	int32_t touchedCount;
	int32_t* items;  // piece * 4 + corner
	int32_t* labels; // class of each item; 0 is the node's own side
} ValueJob;

static int32_t valuesFindTet(const ValueJob* job, const TouchedNode* node, int32_t tet)
{
	int32_t low = node->first, high = node->first + node->count;
	while (low < high)
	{
		int32_t middle = (low + high) / 2;
		if (brElementSet_Tet(job->set, job->items[middle] / 4) < tet)
		{
			low = middle + 1;
		}
		else
		{
			high = middle;
		}
	}
	return low;
}

// Whether the piece is on the node's own side of all cracks that the node is enriched for.
static bool valuesIsOwn(const brElementSet* set, int32_t item)
{
	int32_t corner = item % 4, c = set->cutOfTet[brElementSet_Tet(set, item / 4)];
	if (c < 0)
	{
		return true;
	}
	return valuesBeyond(&set->cuts[c], brElementSet_Shape(set, item / 4), corner) == 0;
}

// Classes of one node's items. Labels serve as the forest while it grows.
static void valuesClassify(const ValueJob* job, TouchedNode* node)
{
	const brElementSet* set = job->set;
	int32_t* parents = job->labels;
	int32_t end = node->first + node->count;
	for (int32_t i = node->first; i < end; ++i)
	{
		parents[i] = i;
	}
	for (int32_t i = node->first; i < end; ++i)
	{
		int32_t piece = job->items[i] / 4, corner = job->items[i] % 4, tet = brElementSet_Tet(set, piece);
		for (int32_t j = i + 1; j < end && brElementSet_Tet(set, job->items[j] / 4) == tet; ++j)
		{
			int32_t other = job->items[j] / 4;
			if (job->roots[piece] == job->roots[other] &&
				valuesIsClosed(&set->cuts[set->cutOfTet[tet]], brElementSet_Shape(set, piece),
							   brElementSet_Shape(set, other), corner))
			{
				brJoinRoots(parents, i, j);
			}
		}
		for (int a = 0; a < 4; ++a)
		{
			int32_t neighbor = a == corner ? -1 : job->body->neighbors[tet][a];
			if (neighbor < tet)
			{
				continue;
			}
			int32_t b = valuesOpposite(job->body, neighbor, tet);
			for (int32_t j = valuesFindTet(job, node, neighbor);
				 j < end && brElementSet_Tet(set, job->items[j] / 4) == neighbor; ++j)
			{
				if (brPiecesMeet(set, job->body, piece, a, job->items[j] / 4, b))
				{
					brJoinRoots(parents, i, j);
				}
			}
		}
	}
	for (int32_t i = node->first; i < end; ++i)
	{
		parents[i] = brFindRoot(parents, i);
	}
	// From roots to numbers: the node's own side first, the others as they come.
	int32_t own = end > node->first ? parents[node->first] : -1;
	for (int32_t i = node->first; i < end; ++i)
	{
		if (valuesIsOwn(set, job->items[i]))
		{
			own = parents[i];
			break;
		}
	}
	// Negative numbers mark what is done; a class is numbered where its root comes by, which is its first item.
	int32_t next = 1;
	for (int32_t i = node->first; i < end; ++i)
	{
		int32_t root = parents[i];
		int32_t label = root == own ? 0 : root == i ? next++ : -1;
		parents[i] = label >= 0 ? -1 - label : parents[root];
	}
	for (int32_t i = node->first; i < end; ++i)
	{
		parents[i] = -1 - parents[i];
	}
	node->classCount = next;
}

static void valuesClassifyRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	ValueJob* job = user;
	for (int32_t i = begin; i < end; ++i)
	{
		valuesClassify(job, &job->touched[i]);
	}
}

static void valuesHingeRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brElasticBody* body = user;
	for (int32_t n = begin; n < end; ++n)
	{
		// How many joins over faces its tets need, and how many there are: each face around the node is counted once,
		// and joins two sets of the forest or closes a ring.
		int32_t first = body->cornerStarts[n], count = body->cornerStarts[n + 1] - first;
		int32_t parents[64], joins = 0;
		for (int32_t i = 0; i < count && i < 64; ++i)
		{
			parents[i] = i;
		}
		for (int32_t i = 0; i < count && count <= 64; ++i)
		{
			int32_t tet = body->corners[first + i] / 4, corner = body->corners[first + i] % 4;
			for (int a = 0; a < 4; ++a)
			{
				int32_t neighbor = a == corner ? -1 : body->neighbors[tet][a];
				if (neighbor < tet)
				{
					continue;
				}
				int32_t j = i + 1;
				while (j < count && body->corners[first + j] / 4 != neighbor)
				{
					j += 1;
				}
				if (j < count && brFindRoot(parents, i) != brFindRoot(parents, j))
				{
					brJoinRoots(parents, i, j);
					joins += 1;
				}
			}
		}
		body->isHinge[n] = count > 64 || joins < count - 1; // large stars are sorted out the long way
	}
}

void brElasticBody_FindHinges(brElasticBody* body, const brContext* context)
{
	brParallelFor(context != NULL ? context->workers : NULL, body->nodeCount, 256, valuesHingeRange, body);
}

// Lists the items of every node that a cut tet or a hinge touches.
static bool valuesListTouched(ValueJob* job)
{
	const brElementSet* set = job->set;
	const brElasticBody* body = job->body;
	const brAllocator* allocator = &body->allocator;
	uint8_t* isTouched = BR_ALLOC(allocator, uint8_t, set->nodeCount);
	if (isTouched == NULL)
	{
		return false;
	}
	memcpy(isTouched, body->isHinge, (size_t)set->nodeCount);
	for (int32_t c = 0; c < set->cutCount; ++c)
	{
		for (int a = 0; a < 4; ++a)
		{
			isTouched[body->mesh->tets[set->cuts[c].tet][a]] = 1;
		}
	}
	int32_t nodeCount = 0;
	for (int32_t n = 0; n < set->nodeCount; ++n)
	{
		nodeCount += isTouched[n];
	}
	job->touched = BR_ALLOC_ZERO(allocator, TouchedNode, nodeCount);
	job->touchedCount = nodeCount;
	int32_t total = 0, next = 0;
	for (int32_t n = 0; job->touched != NULL && n < set->nodeCount; ++n)
	{
		if (isTouched[n])
		{
			TouchedNode* touched = &job->touched[next++];
			touched->node = n;
			touched->first = total;
			for (int32_t i = body->cornerStarts[n]; i < body->cornerStarts[n + 1]; ++i)
			{
				touched->count += valuesPieceCount(set, body->corners[i] / 4);
			}
			total += touched->count;
		}
	}
	BR_FREE(allocator, isTouched, set->nodeCount);
	return job->touched != NULL;
}

static int32_t valuesItemCount(const ValueJob* job)
{
	const TouchedNode* last = job->touchedCount > 0 ? &job->touched[job->touchedCount - 1] : NULL;
	return last != NULL ? last->first + last->count : 0;
}

static void valuesFillItems(const ValueJob* job)
{
	for (int32_t t = 0; t < job->touchedCount; ++t)
	{
		int32_t next = job->touched[t].first, node = job->touched[t].node;
		for (int32_t i = job->body->cornerStarts[node]; i < job->body->cornerStarts[node + 1]; ++i)
		{
			int32_t tet = job->body->corners[i] / 4, corner = job->body->corners[i] % 4;
			for (int32_t k = 0; k < valuesPieceCount(job->set, tet); ++k)
			{
				job->items[next++] = 4 * valuesPiece(job->set, tet, k) + corner;
			}
		}
	}
}

// Numbers the classes, groups each node's items by class into the set's pool and writes the values into the pieces.
static void valuesWrite(const ValueJob* job, brElementSet* set)
{
	const brElasticBody* body = job->body;
	memcpy(set->pieceValues, body->mesh->tets, (size_t)set->tetCount * sizeof(*set->pieceValues));
	for (int32_t p = set->tetCount; p < set->pieceCount; ++p)
	{
		memcpy(set->pieceValues[p], body->mesh->tets[set->extraTets[p - set->tetCount]], sizeof(*set->pieceValues));
	}
	for (int32_t n = 0; n < set->nodeCount; ++n)
	{
		set->valueNodes[n] = n;
	}
	int32_t nextValue = set->nodeCount, nextList = 0, nextItem = 0;
	for (int32_t t = 0; t < job->touchedCount; ++t)
	{
		const TouchedNode* node = &job->touched[t];
		set->isDirty[node->node] = 1;
		for (int32_t k = 0; k < node->classCount; ++k)
		{
			int32_t value = k == 0 ? node->node : nextValue++;
			brValueCorners* list = &set->lists[nextList++];
			*list = (brValueCorners){value, nextItem, 0};
			set->valueNodes[value] = node->node;
			for (int32_t i = node->first; i < node->first + node->count; ++i)
			{
				if (job->labels[i] != k)
				{
					continue;
				}
				int32_t piece = job->items[i] / 4;
				set->pool[nextItem++] = job->items[i];
				list->count += 1;
				set->pieceValues[piece][job->items[i] % 4] = value;
				for (int a = 0; a < 4 && k > 0; ++a)
				{
					set->isDirty[body->mesh->tets[brElementSet_Tet(set, piece)][a]] = 1;
				}
			}
		}
	}
	BR_ASSERT(nextValue == set->valueCount && nextList == set->listCount && nextItem == set->poolCount);
}

static bool valuesMake(brElementSet* set, const brContext* context, const brElasticBody* body, const int32_t* roots)
{
	const brAllocator* allocator = &body->allocator;
	ValueJob job = {.set = set, .body = body, .roots = roots};
	int32_t itemCount = 0;
	bool good = valuesListTouched(&job);
	if (good)
	{
		itemCount = valuesItemCount(&job);
		job.items = BR_ALLOC(allocator, int32_t, itemCount);
		job.labels = BR_ALLOC(allocator, int32_t, itemCount);
		good = job.items != NULL && job.labels != NULL;
	}
	if (good)
	{
		valuesFillItems(&job);
		brParallelFor(context != NULL ? context->workers : NULL, job.touchedCount, 32, valuesClassifyRange, &job);
		set->valueCount = set->nodeCount;
		for (int32_t t = 0; t < job.touchedCount; ++t)
		{
			set->listCount += job.touched[t].classCount;
			set->valueCount += job.touched[t].classCount - 1;
		}
		set->poolCount = itemCount;
		set->pieceValues = brAllocArray(allocator, set->pieceCount, sizeof(*set->pieceValues));
		set->valueNodes = BR_ALLOC(allocator, int32_t, set->valueCount);
		set->lists = BR_ALLOC(allocator, brValueCorners, set->listCount);
		set->pool = BR_ALLOC(allocator, int32_t, set->poolCount);
		set->isDirty = BR_ALLOC_ZERO(allocator, uint8_t, set->nodeCount);
		good = set->pieceValues != NULL && set->valueNodes != NULL && set->lists != NULL && set->pool != NULL &&
			   set->isDirty != NULL;
	}
	if (good)
	{
		valuesWrite(&job, set);
	}
	BR_FREE(allocator, job.touched, job.touchedCount);
	BR_FREE(allocator, job.items, itemCount);
	BR_FREE(allocator, job.labels, itemCount);
	return good;
}

static double valuesVolume(const brElementSet* set, const brElasticBody* body, int32_t piece)
{
	const brElementShape* shape = brElementSet_Shape(set, piece);
	return shape != NULL ? shape->volume : body->volumes[piece];
}

// Parts that are a small share of a tet: their shapes lose their volume, unless the tet has no other.
static bool valuesFindSpecks(brElementSet* set, const brElasticBody* body, const int32_t* partOf, const double* volumes)
{
	bool found = false;
	for (int32_t c = 0; c < set->cutCount; ++c)
	{
		const brCutTet* cut = &set->cuts[c];
		brElementShape* shapes = set->shapes + set->shapeStarts[c];
		int32_t left = cut->pieceCount;
		for (int32_t k = 0; k < cut->pieceCount && left > 1; ++k)
		{
			if (volumes[partOf[brCutTet_Piece(cut, k)]] < SPECK_SHARE * body->volumes[cut->tet])
			{
				shapes[k].volume = 0.0;
				left -= 1;
				found = true;
			}
		}
	}
	return found;
}

// Volume, mass and center of the parts, and the masses of the values.
static bool valuesWeigh(brElementSet* set, const brElasticBody* body)
{
	const brAllocator* allocator = &body->allocator;
	set->parts = BR_ALLOC_ZERO(allocator, brElasticComponent, set->componentCount);
	set->valueParts = BR_ALLOC(allocator, int32_t, set->valueCount);
	set->masses = BR_ALLOC_ZERO(allocator, double, set->valueCount);
	if (set->parts == NULL || set->valueParts == NULL || set->masses == NULL)
	{
		return false;
	}
	memset(set->valueParts, 0xff, (size_t)set->valueCount * sizeof(int32_t));
	for (int32_t p = 0; p < set->pieceCount; ++p)
	{
		brElasticComponent* part = &set->parts[set->pieceParts[p]];
		int32_t tet = brElementSet_Tet(set, p);
		double volume = valuesVolume(set, body, p);
		part->firstTet = part->volume == 0.0 || tet < part->firstTet ? tet : part->firstTet;
		part->volume += volume;
		double share = body->fills != NULL ? body->fills[tet] : 1.0;
		part->mass += body->density * share * volume;
		for (int a = 0; a < 4; ++a)
		{
			int32_t value = set->pieceValues[p][a];
			double mass = 0.25 * body->density * share * volume;
			set->masses[value] += mass;
			set->valueParts[value] = set->pieceParts[p];
			part->center = brDMulAdd(part->center, mass, body->mesh->nodes[set->valueNodes[value]]);
		}
	}
	for (int32_t i = 0; i < set->componentCount; ++i)
	{
		set->parts[i].center = brDMul(1.0 / set->parts[i].mass, set->parts[i].center);
	}
	return true;
}

bool brElementSet_Connect(brElementSet* set, const brContext* context, const brElasticBody* body, bool* outSpecks)
{
	const brAllocator* allocator = &body->allocator;
	int32_t* roots = BR_ALLOC(allocator, int32_t, set->pieceCount);
	int32_t* partOf = BR_ALLOC(allocator, int32_t, set->pieceCount);
	double* volumes = NULL;
	int32_t componentCount = 0;
	bool good = roots != NULL && partOf != NULL;
	*outSpecks = false;
	if (good)
	{
		valuesJoinFaces(set, body, roots);
		good = valuesJoinClosings(set, body, roots);
	}
	if (good)
	{
		// A root is the lowest piece of its part, so parts are numbered in order of their first piece.
		for (int32_t p = 0; p < set->pieceCount; ++p)
		{
			roots[p] = brFindRoot(roots, p);
			partOf[p] = roots[p] == p ? componentCount++ : partOf[roots[p]];
		}
		volumes = BR_ALLOC_ZERO(allocator, double, componentCount);
		good = volumes != NULL;
	}
	for (int32_t p = 0; good && p < set->pieceCount; ++p)
	{
		volumes[partOf[p]] += valuesVolume(set, body, p);
	}
	if (good)
	{
		*outSpecks = valuesFindSpecks(set, body, partOf, volumes);
	}
	if (good && !*outSpecks)
	{
		set->pieceParts = partOf;
		partOf = NULL;
		set->componentCount = componentCount;
		good = valuesMake(set, context, body, roots) && valuesWeigh(set, body);
	}
	BR_FREE(allocator, roots, set->pieceCount);
	BR_FREE(allocator, partOf, set->pieceCount);
	BR_FREE(allocator, volumes, componentCount);
	return good;
}
