// SPDX-License-Identifier: MIT

// From a blow to pieces. A piece that may be split waits in a heap; the largest are split side by side, so that a limit
// on pieces leaves out the smallest. Whether it is split is drawn by its place in the tree alone: more energy only
// raises the chance.
//
// After: Astroem, Ouchterlony, Linna, Timonen, PRL 92, 245506 (2004) for trees of cracks; notes on exponents in
// docs/truth.md.

#include "fracture/cascade.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/report.h"
#include "fracture/clusters.h"
#include "fracture/shatter_build.h"
#include "math/power.h"

#include <math.h>
#include <string.h>

#define CASCADE_WALL_FROM 5.0 // edge of the body's cube over the mean wall: from here on it is one
#define CASCADE_FLAT 0.3      // thinnest extent of a plate over its middle one
#define CASCADE_MAX_PIECES 100000
#define CASCADE_SMALLEST 1e-5    // of the body's volume
#define CASCADE_GLOBAL 0.3       // of the smallest size of the whole plate
#define CASCADE_STAR 2.0         // main cracks that the energy is good for, from which there is a star
#define CASCADE_FEW 6            // samples that say how much energy a piece has
#define CASCADE_TRIES 3          // other cracks where one has missed
#define CASCADE_CHIP_PIECES 20.0 // times the smallest, below which nothing chips
#define CASCADE_SPEED 5.0        // of a blow that nobody said the speed of [m/s]
#define CASCADE_THROUGH 0.7      // thicknesses of a wall that a bullet gets on while it pushes
#define CASCADE_DRIVEN                                                                                                 \
	30.0                 // what is in the way of something small comes out at once if it is driven on this fast [m/s]
#define CASCADE_PUSH 0.5 // the same for what makes a hole and goes on slowly
#define CASCADE_FAST                                                                                                   \
	125.0 // what is slower shatters what it goes through: plates crack in stars up to 120 (Vandenberghe 2013) [m/s]
#define CASCADE_NEAR 0.15 // of the wall's size: waves of a bullet get no farther
#define CASCADE_HOLE 2.2  // of a hole in radii of what goes through
#define CASCADE_CORE 1.5  // of what is in the way of a bullet
#define CASCADE_RING 9    // cracks through what else comes out of its hole
#define CASCADE_MAX_DEPTH 60
#define CASCADE_DEEP 0.4        // of the edge of the body's cube: a crack that gets so far into a lump splits it
#define CASCADE_CHIP_LEAST 0.04 // of that edge
#define CASCADE_CHIP_SHARE 0.02 // of the energy, below which it has no chip of its own
#define CASCADE_LARGEST 1.24    // exponent of the largest piece of a lump
#define CASCADE_HERTZ 0.6       // force goes as this power of the energy
#define CASCADE_MAIN 2.5        // times the energy, which main cracks of a wall may take: docs/truth.md
#define CASCADE_FACE 25.0 // and of a plate that is hit on its face: half of a blow, with 2 % of it for the cascade

#define CASCADE_ROUND 16 // cracks that are made side by side

// A node of a round, and the crack through it.
typedef struct CascadeCrack
{
	brCascadeNode node;
	int32_t ray; // the main crack that it is, or -1
	double length;
	brSplitCut cut;
	brResult result;
} CascadeCrack;

typedef struct Cascade
{
	brAllocator allocator;
	const brCascadeDef* def;
	brCascadeRule rule;
	brCascadeField field;
	brSplit split;
	BR_ARRAY(brCascadeNode) heap;
	int32_t leafCount;
	int32_t* owners;         // [samples] child of a sample
	brCascadeSample* sorted; // [samples]
	CascadeCrack round[CASCADE_ROUND];
	brSplitSurface surface; // of the crack whose samples are shared
	bool isCapped;
	double chipShare; // of the energy: what a chip has that comes off a lump, before or instead of other cracks
} Cascade;

brCascadeDef brDefaultCascadeDef(void)
{
	brCascadeDef def = {.material = *brFindMaterial("glass")};
	def.direction = brMakeDVec3(0.0, 0.0, -1.0);
	def.energy = 0.1;
	def.speed = 5.0;
	def.pieces = 1000;
	def.roughness = -1.0;
	def.interior = brDefaultShatterDef().interior;
	def.levelCount = BR_SHATTER_MAX_LEVELS;
	def.stamp = BR_STAMP(def);
	return def;
}

static bool cascadePush(Cascade* cascade, const brCascadeNode* node)
{
	if (!BR_RESERVE(&cascade->allocator, &cascade->heap, 1))
	{
		return false;
	}
	brCascadeNode* heap = cascade->heap.data;
	int32_t i = cascade->heap.count++;
	while (i > 0 && heap[(i - 1) / 2].volume < node->volume)
	{
		heap[i] = heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap[i] = *node;
	return true;
}

static brCascadeNode cascadePop(Cascade* cascade)
{
	brCascadeNode* heap = cascade->heap.data;
	brCascadeNode top = heap[0], last = heap[--cascade->heap.count];
	int32_t i = 0, count = cascade->heap.count;
	for (int32_t child = 1; child < count; child = 2 * i + 1)
	{
		child += child + 1 < count && heap[child + 1].volume > heap[child].volume;
		if (heap[child].volume <= last.volume)
		{
			break;
		}
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return top;
}

// Whether the part has a vertex at the hit.
static bool cascadeTouchesHit(const Cascade* cascade, int32_t part)
{
	const brSplitPart* p = &cascade->split.parts.data[part];
	double reach = 2.0 * cascade->rule.contact, reachSq = reach * reach;
	for (int32_t v = 0; v < p->pointCount; ++v)
	{
		if (brDLengthSq(brDSub(p->points[v], cascade->rule.hit)) < reachSq)
		{
			return true;
		}
	}
	return false;
}

// Decides what happens to a piece: it waits to be split, or is left as it is. False without memory.
static bool cascadeDecide(Cascade* cascade, brCascadeNode* node)
{
	const brCascadeRule* rule = &cascade->rule;
	bool isChip = node->depth == 0 && cascade->chipShare > 0.0 && node->crater > 0.0;
	if (node->hasBack || node->rays != 0 || node->hole != br_holeNone || isChip)
	{
		return cascadePush(cascade, node);
	}
	brRandom random = brMakeRandom(brHash64(rule->seed ^ node->path), 20);
	double roll = brRandom_Unit(&random);
	double chance = node->depth == 0 && node->hasHit
						? 0.0
						: brCascadeChance(rule, node->energy / node->volume, node->volume, node->parentVolume);
	if (chance > 0.0 && roll <= chance && node->depth < CASCADE_MAX_DEPTH)
	{
		return cascadePush(cascade, node);
	}
	bool canChip = node->hasHit && node->crater == 0.0 && node->volume > CASCADE_CHIP_PIECES * rule->smallest;
	if (canChip && (node->depth == 0 || cascadeTouchesHit(cascade, node->part)))
	{
		double radius = brCascadePlan_CraterRadius(rule, &cascade->field, node);
		if (radius > 0.0)
		{
			brCascadePlan_Crater(rule, radius, node);
			return cascadePush(cascade, node);
		}
	}
	cascade->leafCount += 1;
	return true;
}

// The child that each sample of a node is in: of those on its side the nearest for its size.
static void cascadeShareSamples(Cascade* cascade, const brCascadeNode* node, const brSplitChildren* children)
{
	const brSplitPart* parts = cascade->split.parts.data + children->first;
	brSplitSurface_Begin(&cascade->surface, &node->shape);
	for (int32_t i = node->first; i < node->first + node->count; ++i)
	{
		brDVec3 p = cascade->field.samples[i].position;
		bool isAbove = brSplitSurface_Value(&cascade->surface, p) >= 0.0;
		int32_t begin = isAbove ? children->belowCount : 0, end = isAbove ? children->count : children->belowCount;
		int32_t owner = begin;
		double best = INFINITY;
		for (int32_t k = begin; end - begin > 1 && k < end; ++k)
		{
			// Distance over size, to the third power.
			double square = brDLengthSq(brDSub(p, parts[k].center));
			double far = square * sqrt(square) / fmax(parts[k].volume, 1e-300);
			owner = far < best ? k : owner;
			best = fmin(best, far);
		}
		cascade->owners[i] = owner;
	}
}

// Energy of a part by its samples, or if they are few by the nearest one.
static double cascadePartEnergy(const Cascade* cascade, const brCascadeNode* node, const brSplitPart* part,
								int32_t first, int32_t count)
{
	const brCascadeSample* samples = cascade->field.samples;
	double energy = 0.0, volume = 0.0, best = INFINITY, nearest = 0.0;
	for (int32_t i = first; count >= CASCADE_FEW && i < first + count; ++i)
	{
		energy += samples[i].energy * samples[i].volume;
		volume += samples[i].volume;
	}
	for (int32_t i = node->first; count < CASCADE_FEW && i < node->first + node->count; ++i)
	{
		double far = brDLengthSq(brDSub(samples[i].position, part->center));
		nearest = far < best ? samples[i].energy : nearest;
		best = fmin(best, far);
	}
	return part->volume * (volume > 0.0 ? energy / volume : nearest);
}

// Samples of a node in the order of its children; `outStarts` says where each begins.
static void cascadeSortSamples(Cascade* cascade, const brCascadeNode* node, int32_t children, int32_t* outStarts)
{
	brCascadeSample* samples = cascade->field.samples;
	memset(outStarts, 0, ((size_t)children + 1) * sizeof(int32_t));
	for (int32_t i = node->first; i < node->first + node->count; ++i)
	{
		outStarts[cascade->owners[i] + 1] += 1;
	}
	outStarts[0] = node->first;
	for (int32_t k = 0; k < children; ++k)
	{
		outStarts[k + 1] += outStarts[k];
	}
	for (int32_t i = node->first; i < node->first + node->count; ++i)
	{
		cascade->sorted[outStarts[cascade->owners[i]]++] = samples[i];
	}
	memcpy(samples + node->first, cascade->sorted + node->first, (size_t)node->count * sizeof(brCascadeSample));
	memmove(outStarts + 1, outStarts, (size_t)children * sizeof(int32_t));
	outStarts[0] = node->first;
}

// Main cracks of a node that are on one side of the crack that was made.
static uint64_t cascadeRaysOf(const brCascadeRule* rule, const brCascadeNode* node, int32_t made, bool isAbove)
{
	uint64_t kept = 0;
	brDVec3 normal = brCascadeRay_Normal(rule, node->place, made), way = brCascadeRule_Way(rule, node->place);
	// Seen along the blow the crack goes from the hit along `along`, and so its normal is to the right.
	for (int32_t ray = 0; ray < rule->rayCount; ++ray)
	{
		brDVec3 other = brDCross(brCascadeRay_Normal(rule, node->place, ray), way);
		bool isThere = (node->rays >> ray & 1) != 0 && ray != made;
		kept |= isThere && (brDDot(other, normal) < 0.0) == isAbove ? (uint64_t)1 << ray : 0;
	}
	return kept;
}

// Of the hole that a bullet leaves.
static double cascadeBulletRadius(const Cascade* cascade)
{
	return fmax(CASCADE_HOLE * cascade->def->reach, cascade->rule.wall);
}

static void cascadePlanBullet(const Cascade* cascade, brCascadeNode* node)
{
	brCascadePlan_Hole(&cascade->rule, br_holeBullet, cascadeBulletRadius(cascade), node);
}

// What becomes of the two sides of a bullet's hole, and of what is in its way inside it.
static void cascadeShoot(Cascade* cascade, brCascadeHole hole, bool isAbove, brCascadeNode* child)
{
	const brCascadeRule* rule = &cascade->rule;
	if (hole == br_holeBullet && !isAbove)
	{
		brCascadePlan_Hole(rule, br_holeCore, fmax(CASCADE_CORE * cascade->def->reach, 0.5 * rule->wall), child);
		return;
	}
	if (hole == br_holeCore && isAbove)
	{
		child->rays = ((uint64_t)1 << (CASCADE_RING - 1)) - 1;
		return;
	}
	cascade->split.parts.data[child->part].isDust = hole == br_holeCore;
	child->energy = 0.0;
	child->hasHit = false;
	if (hole == br_holeBullet && child->place + 1 < rule->placeCount)
	{
		child->place += 1;
		cascadePlanBullet(cascade, child);
	}
}

static bool cascadeAddChildren(Cascade* cascade, const brCascadeNode* node, const brSplitChildren* children,
							   const int32_t* starts, int32_t ray, double left)
{
	// A chip has its own share of the energy.
	bool isChipped = cascade->chipShare > 0.0 && node->depth == 0 && node->crater > 0.0;
	double totals[2] = {0.0, 0.0};
	for (int32_t k = 0; k < children->count; ++k)
	{
		const brSplitPart* part = &cascade->split.parts.data[children->first + k];
		totals[isChipped && k >= children->belowCount] +=
			cascadePartEnergy(cascade, node, part, starts[k], starts[k + 1] - starts[k]);
	}
	for (int32_t k = 0; k < children->count; ++k)
	{
		const brSplitPart* part = &cascade->split.parts.data[children->first + k];
		double share = cascadePartEnergy(cascade, node, part, starts[k], starts[k + 1] - starts[k]);
		bool isAbove = k >= children->belowCount;
		brCascadeNode child = {.part = children->first + k, .first = starts[k], .count = starts[k + 1] - starts[k]};
		child.volume = part->volume;
		child.place = node->place;
		child.parentVolume = node->volume;
		double total = totals[isChipped && isAbove];
		double had = isChipped ? left * (isAbove ? 1.0 - cascade->chipShare : cascade->chipShare) : left;
		child.energy = total > 0.0 ? had * share / total : 0.0;
		child.path = brHash64(node->path * 64 + (uint64_t)k + 1);
		child.depth = node->depth + 1;
		child.hasHit = node->hasHit && !(node->crater > 0.0 && isAbove);
		child.rays = ray >= 0 ? cascadeRaysOf(&cascade->rule, node, ray, isAbove) : node->rays;
		// The back comes after the hole.
		bool hasBackLeft = node->hasBack && node->hole != br_holeNone;
		child.hasBack = hasBackLeft && isAbove;
		child.rays = (node->hasBack && !hasBackLeft && isAbove) || (isChipped && !isAbove) ? 0 : child.rays;
		if (node->hole == br_holeBullet || node->hole == br_holeCore)
		{
			cascadeShoot(cascade, node->hole, isAbove, &child);
		}
		child.isPlug = node->isPlug || (node->hole == br_holeRoom && !isAbove);
		cascade->split.parts.data[child.part].isPlug = child.isPlug;
		if (!(child.volume > 0.0))
		{
			cascade->leafCount += 1;
			continue;
		}
		if (!cascadeDecide(cascade, &child))
		{
			return false;
		}
	}
	return true;
}

// Where a node is split: the back, a main crack, a chip that was chosen, or what pulls. `outRay`: the main crack, or -1.
static bool cascadePlan(Cascade* cascade, brCascadeNode* node, int32_t* outRay)
{
	*outRay = -1;
	if (node->hole != br_holeNone || (node->depth == 0 && cascade->chipShare > 0.0))
	{
		return true;
	}
	if (node->hasBack)
	{
		return brCascadePlan_Back(&cascade->rule, &cascade->field, &cascade->split, node);
	}
	if (node->rays != 0)
	{
		int32_t ray = 0;
		while ((node->rays >> ray & 1) == 0)
		{
			ray += 1;
		}
		*outRay = ray;
		brCascadePlan_Ray(&cascade->rule, &cascade->split, ray, node);
		return true;
	}
	if (node->crater == 0.0)
	{
		brCascadePlan_Split(&cascade->rule, &cascade->field, &cascade->split, node);
	}
	return true;
}

// A crack that missed its piece: what else is there to do? If it must break, one crack goes through. False without
// memory.
static bool cascadeMiss(Cascade* cascade, brCascadeNode* node, int32_t ray)
{
	if (node->depth == 0 && node->crater > 0.0 && node->rays == 0 && cascade->def->mustBreak)
	{
		cascade->rule.rayCount = 2;
		node->rays = 1, node->crater = 0.0;
		node->hasHit = false;
	}
	cascade->chipShare = 0.0;
	bool isMain = node->hasBack || node->rays != 0;
	if (!isMain && node->hole == br_holeNone && node->crater == 0.0 && (node->depth > 0 || !node->hasHit) &&
		node->misses < CASCADE_TRIES)
	{
		node->misses += 1;
		node->path = brHash64(node->path + 1); // elsewhere
		return cascadePush(cascade, node);
	}
	node->rays &= ray < 0 ? node->rays : ~((uint64_t)1 << ray);
	node->hasBack = node->hasBack && node->hole != br_holeNone;
	node->hole = br_holeNone;
	cascade->leafCount += !isMain;
	return !isMain || cascadeDecide(cascade, node);
}

// Plans and makes the crack of each node of a round; they share nothing but what nobody changes meanwhile.
static void cascadeCutRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	Cascade* cascade = user;
	for (int32_t i = begin; i < end; ++i)
	{
		CascadeCrack* crack = &cascade->round[i];
		brCascadeNode* node = &crack->node;
		double lower = 0.0, upper = 0.0;
		crack->result = br_success;
		if (cascadePlan(cascade, node, &crack->ray))
		{
			brSplit_Extent(&cascade->split, node->part, node->shape.n, &lower, &upper);
			crack->result =
				brSplit_Divide(&cascade->split, worker, node->part, &node->shape, node->spacing, &crack->cut);
		}
		crack->length = upper - lower;
	}
}

// What a crack made becomes parts and nodes.
static brResult cascadeKeep(Cascade* cascade, CascadeCrack* crack)
{
	const brCascadeRule* rule = &cascade->rule;
	brCascadeNode* node = &crack->node;
	brSplitChildren children = {0};
	if (crack->result < 0)
	{
		return crack->result;
	}
	if (crack->cut.parts.count == 0)
	{
		return cascadeMiss(cascade, node, crack->ray) ? br_success : br_errorMemory;
	}
	brResult result = brSplit_Keep(&cascade->split, node->part, &crack->cut, &children);
	int32_t* starts = result >= 0 ? BR_ALLOC(&cascade->allocator, int32_t, (int64_t)children.count + 1) : NULL;
	if (starts == NULL)
	{
		return br_errorMemory;
	}
	cascadeShareSamples(cascade, node, &children);
	double left =
		node->energy *
		(node->crater > 0.0 ? 1.0 : brCascadeField_Relieve(&cascade->field, rule, node, children.area, crack->length));
	cascadeSortSamples(cascade, node, children.count, starts);
	bool isGood = cascadeAddChildren(cascade, node, &children, starts, crack->ray, left);
	BR_FREE(&cascade->allocator, starts, (int64_t)children.count + 1);
	return isGood ? br_success : br_errorMemory;
}

// The largest of what waits, as many as go into a round and below the limit.
static int32_t cascadeTake(Cascade* cascade)
{
	int32_t count = 0;
	while (count < CASCADE_ROUND && cascade->heap.count > 0)
	{
		cascade->round[count].node = cascadePop(cascade);
		if (cascade->leafCount + cascade->heap.count + 2 * count + 2 > cascade->def->pieces)
		{
			cascade->isCapped = true;
			cascade->leafCount += 1;
			continue;
		}
		count += 1;
	}
	return count;
}

// In rounds of the largest, until there is nothing left to split or the limit is reached. How many workers there are
// changes nothing.
static brResult cascadeRun(Cascade* cascade, brCascadeNode* root)
{
	brWorkers* workers = cascade->split.context != NULL ? cascade->split.context->workers : NULL;
	brResult result = cascadeDecide(cascade, root) ? br_success : br_errorMemory;
	while (result >= 0 && cascade->heap.count > 0)
	{
		int32_t count = cascadeTake(cascade);
		brParallelFor(workers, count, 1, cascadeCutRange, cascade);
		for (int32_t i = 0; i < count && result >= 0; ++i)
		{
			result = cascadeKeep(cascade, &cascade->round[i]);
		}
	}
	return result;
}

// A lump, a plate or a shell, and what follows from that.
static void cascadeSetForm(brCascadeRule* rule, const brSplit* split, const brMeshMeasure* measure)
{
	double edge = brPower(rule->volume, 1.0 / 3.0), least = INFINITY, most = 0.0, sum = 0.0;
	rule->form = br_formBulk;
	if (edge > CASCADE_WALL_FROM * measure->thickness)
	{
		double moments[3];
		const brMat3* j = &split->mass.inertia;
		brMat3 frame = brEigenSymmetric(j->cx.x, j->cy.y, j->cz.z, j->cy.x, j->cz.x, j->cz.y, moments);
		brDVec3 axes[3] = {frame.cx, frame.cy, frame.cz};
		for (int32_t k = 0; k < 3; ++k)
		{
			double lower, upper;
			brSplit_Extent(split, 0, axes[k], &lower, &upper);
			sum += upper - lower;
			least = fmin(least, upper - lower), most = fmax(most, upper - lower);
		}
		rule->form = least < CASCADE_FLAT * (sum - least - most) ? br_formPlate : br_formShell;
	}
	bool isBulk = rule->form == br_formBulk;
	rule->wall = isBulk ? 0.0 : measure->thickness;
	rule->exponent = isBulk ? 1.8 : rule->form == br_formPlate ? 1.7 : 1.35;
	rule->span = isBulk ? 20.0 : 300.0;
	rule->aspect = isBulk ? 1.5 : 3.5;
	rule->jitter = isBulk ? 0.4 : 0.25;
}

// Whether what hits drives what is in its way along fast enough for it to come out at once: that breaks off long before
// bending waves have carried the momentum away.
static bool cascadeIsDriven(const brMaterial* material, double wall, double radius, double mass, double speed)
{
	double plug = BR_PI * radius * radius * wall * material->density;
	return speed * mass > CASCADE_DRIVEN * (mass + plug);
}

bool brCascadeMakesRoom(const brMaterial* material, double wall, double radius, double mass, double speed,
						double duration)
{
	return speed * duration > CASCADE_PUSH * wall || cascadeIsDriven(material, wall, radius, mass, speed);
}

// Whether what hits is small, and through the wall before waves have told the rest of it: it pushes on as far as that
// takes, or drives what is in its way along with it.
static bool cascadeGoesThrough(const Cascade* cascade, const brCascadeSource* source)
{
	const brCascadeRule* rule = &cascade->rule;
	const brCascadeDef* def = cascade->def;
	double h = rule->wall, v = def->speed, radius = cascadeBulletRadius(cascade);
	if (!(h > 0.0) || !(v > CASCADE_FAST) || !(def->reach > 0.0))
	{
		return false;
	}
	double until = fmin(def->duration, CASCADE_THROUGH * h / v);
	bool isDriven = cascadeIsDriven(&rule->material, h, radius, source->mass, v);
	return (v * def->duration > CASCADE_THROUGH * h || isDriven) &&
		   fmax(radius, brCascadeRule_WaveReach(rule, until)) < CASCADE_NEAR * sqrt(rule->volume / h);
}

// A crack that runs in from a corner or an edge of a lump, whose stress elsewhere it stands, comes out again. With a
// harder blow the lump is split too, by what that has above the least that does so: by its pull, or by a crack that
// gets deep, by F^(2/3), where F goes as the energy to the power of 3/5 (Hertz). The chip is the one that comes off
// then: as deep and with as much energy, however hard the blow. Of lumps that are hard to break not all cracks: at x
// times the least energy the largest piece has x^-1.24 of the mass (Fujiwara, Kamimoto, Tsukamoto, Icarus 31, 277,
// 1977), and at the least itself there is one crack, so what that leaves counts by 1 - 1 / x.
static void cascadeSetChip(Cascade* cascade, const brCascadeSource* source, brCascadeNode* root)
{
	brCascadeRule* rule = &cascade->rule;
	double edge = brPower(rule->volume, 1.0 / 3.0), first = 1.0 - source->excess;
	if (rule->form != br_formBulk || !(source->chip > 0.0) || !(source->excess > 0.0))
	{
		return;
	}
	double byPull = source->parting > 0.0 ? source->parting : INFINITY;
	double byDepth = brPower(CASCADE_DEEP * edge / source->chip, 1.5 / CASCADE_HERTZ);
	double least = fmax(fmin(fmin(byPull, byDepth), 1.0), first);
	double chip = rule->energy * (least - first) / source->excess;
	double density = rule->lumpFactor * brPower(rule->span * brPower(least, -CASCADE_LARGEST), 1.0 / 3.0) / edge;
	double whole = (1.0 - least) * fmin(rule->energy / source->excess, density * rule->volume);
	rule->energy = chip + whole;
	cascade->chipShare = chip > CASCADE_CHIP_SHARE * rule->energy ? chip / rule->energy : 0.0;
	if (cascade->chipShare > 0.0)
	{
		double deep = source->parting > 0.0 ? fmin(source->chip, source->partingChip) : source->chip;
		double radius = fmin(fmax(deep, CASCADE_CHIP_LEAST * edge), CASCADE_DEEP * edge);
		brCascadePlan_Crater(rule, radius, root);
	}
}

// Of the hole for what pushes on slowly: what it can go through is cut out as a cone, from the width of what hits to
// half a wall more; what is too wide for that crushes what is near.
static double cascadeRoom(const Cascade* cascade, const brCascadeSource* source)
{
	double wall = cascade->rule.wall;
	return source->through > 0.0 ? source->through + 0.5 * wall : CASCADE_HOLE * fmax(cascade->def->reach, 2.0 * wall);
}

static void cascadeSetStar(Cascade* cascade, const brCascadeSource* source, brCascadeNode* root)
{
	brCascadeRule* rule = &cascade->rule;
	if (cascadeGoesThrough(cascade, source))
	{
		rule->rayCount = CASCADE_RING;
		brCascadeRule_FindWalls(rule, source);
		cascadePlanBullet(cascade, root);
		return;
	}
	double h = rule->wall, v = cascade->def->speed > 0.0 ? cascade->def->speed : CASCADE_SPEED,
		   thick = h > 0.0 ? h : brPower(rule->volume, 1.0 / 3.0);
	double ray = h > 0.0 ? 0.5 * sqrt(rule->volume * h) : 0.5 * brPower(rule->volume, 2.0 / 3.0);
	// Bending energy near the hit against that of the crack: docs/truth.md.
	double wanted = 4.0 * brPower(rule->material.density * v * v * thick / rule->surface + 1e-12, 0.25);
	double most = rule->form == br_formPlate ? BR_CASCADE_RAYS : rule->form == br_formShell ? 12.0 : 5.0;
	double least = rule->form == br_formBulk ? 3.0 : 2.0;
	double energy = (1.0 - cascade->chipShare) * rule->energy, part = h > 0.0 ? CASCADE_MAIN : 0.5;
	part = rule->globalLeast > 0.0 ? CASCADE_FACE : part;
	double count = fmin(fmin(wanted, part * energy / (rule->surface * ray)), most);
	rule->rayCount = (int32_t)fmax(count, least);
	bool isStar = part * energy > CASCADE_STAR * rule->surface * ray;
	if (isStar)
	{
		// The first crack makes two rays.
		root->rays = rule->rayCount > 2 ? ((uint64_t)1 << (rule->rayCount - 1)) - 1 : 1;
		root->hasBack = rule->form == br_formShell;
		// What pushes on makes room for itself.
		double room = cascadeRoom(cascade, source), mass = source->through > 0.0 ? source->mass : 0.0;
		bool isHoled = rule->form == br_formPlate || (rule->form == br_formShell && source->through > 0.0);
		if (isHoled &&
			brCascadeMakesRoom(&rule->material, rule->wall, room, mass, cascade->def->speed, cascade->def->duration))
		{
			brCascadePlan_Hole(rule, br_holeRoom, room, root);
		}
		return;
	}
	bool canChip = cascade->chipShare == 0.0 && root->volume > CASCADE_CHIP_PIECES * rule->smallest &&
				   brCascadePlan_CraterRadius(rule, &cascade->field, root) > 0.0;
	if (cascade->def->mustBreak && !canChip)
	{
		rule->rayCount = 2;
		root->rays = 1;
	}
}

// Grains make rough faces; glass has none, its cracks are smooth and slightly curved.
static void cascadeSetRoughness(const brCascadeDef* def, brCascadeRule* rule)
{
	double toughness = rule->surface;
	rule->gain = def->roughness == 0.0 ? 0.0 : toughness > 15.0 ? 0.6 : toughness > 8.5 ? 0.45 : 0.3;
	rule->roughness = def->roughness >= 0.0 ? def->roughness : 0.07;
	rule->spacingLeast =
		rule->wall > 0.0 ? 0.02 * sqrt(rule->volume / rule->wall) : 0.05 * brPower(rule->volume, 1.0 / 3.0);
}

static brResult cascadeStart(Cascade* cascade, const brCascadeSource* source, const brMeshMeasure* measure,
							 brCascadeNode* root)
{
	const brCascadeDef* def = cascade->def;
	brCascadeRule* rule = &cascade->rule;
	rule->material = def->material;
	rule->surface = brMaterial_GetFractureEnergy(&def->material);
	rule->volume = measure->volume;
	rule->energy = def->energy;
	rule->seed = brHash64(def->seed + 0x632be59bd9b4e019u);
	rule->direction = brDNormalize(def->direction);
	rule->hit = rule->places[0] = def->at;
	rule->placeCount = 1;
	rule->center = cascade->split.parts.data[0].center;
	double edge = brPower(rule->volume, 1.0 / 3.0);
	rule->smallest =
		def->smallest > 0.0 ? def->smallest * def->smallest * def->smallest : CASCADE_SMALLEST * rule->volume;
	rule->isFull = source->isFull;
	cascadeSetForm(rule, &cascade->split, measure);
	rule->contact = def->reach > 0.0 ? 0.25 * def->reach : 0.01 * edge;
	rule->contact = fmin(fmax(rule->contact, 2e-3 * edge), rule->wall > 0.0 ? 0.5 * rule->wall : 0.05 * edge);
	rule->pressed = source->samples != NULL ? fmax(rule->contact, source->pressed) : rule->contact;
	cascadeSetRoughness(def, rule);
	brCascadeRule_SetFactors(rule);
	brCascadeRule_SpreadRays(rule);
	if (!brCascadeField_Make(&cascade->allocator, source, rule, &cascade->field))
	{
		return br_errorMemory;
	}
	if (def->duration > 0.0)
	{
		brCascadeField_Limit(&cascade->field, rule, def->duration);
	}
	if (rule->energy < 0.0)
	{
		brCascadeRule_FindEnergy(rule, &cascade->field, def->pieces);
	}
	if (rule->form == br_formPlate && brCascadeField_IsOnFace(&cascade->field, rule))
	{
		double top, least = brCascadeWindow(rule, rule->energy / rule->volume, &top);
		rule->globalLeast = CASCADE_GLOBAL * least;
	}
	*root =
		(brCascadeNode){.count = cascade->field.count, .volume = rule->volume, .path = 1, .hasHit = !source->isAside};
	root->parentVolume = rule->volume;
	cascadeSetChip(cascade, source, root);
	root->energy = rule->energy;
	cascade->isCapped = brCascadeRule_Cap(rule, &cascade->field, def->pieces);
	cascade->owners = BR_ALLOC(&cascade->allocator, int32_t, cascade->field.count);
	cascade->sorted = BR_ALLOC(&cascade->allocator, brCascadeSample, cascade->field.count);
	if (cascade->owners == NULL || cascade->sorted == NULL)
	{
		return br_errorMemory;
	}
	if (cascade->chipShare < 1.0 && !source->isAside)
	{
		cascadeSetStar(cascade, source, root);
	}
	return br_success;
}

static brResult cascadeRefuse(const brCascadeDef* def, brReport* report)
{
	if (def->stamp != BR_STAMP(*def))
	{
		return brFail(report, br_errorMisuse, "start a brCascadeDef from brDefaultCascadeDef()");
	}
	const char* wrong = brMaterial_Check(&def->material);
	if (wrong != NULL)
	{
		return brFail(report, br_errorMisuse, "%s", wrong);
	}
	if (!brDIsFinite(def->at) || !brDIsFinite(def->direction) || !(brDLengthSq(def->direction) > 0.0))
	{
		return brFail(report, br_errorMisuse, "the blow needs a place and a direction that are finite");
	}
	if (!(def->energy > -INFINITY && def->energy < INFINITY) || !(def->speed >= 0.0 && def->speed < INFINITY) ||
		!(def->duration >= 0.0) || !(def->smallest >= 0.0) || !(def->density >= 0.0) || !(def->reach >= 0.0))
	{
		return brFail(report, br_errorMisuse,
					  "energy, speed, duration, reach, smallest size and density of a blow are 0 or more and finite");
	}
	if (def->pieces < 1 || def->pieces > CASCADE_MAX_PIECES)
	{
		return brFail(report, br_errorMisuse, "%d pieces wanted, possible are 1 to %d", def->pieces,
					  CASCADE_MAX_PIECES);
	}
	return br_success;
}

static void cascadeFree(Cascade* cascade)
{
	const brAllocator* a = &cascade->allocator;
	BR_FREE(a, cascade->owners, cascade->field.count);
	BR_FREE(a, cascade->sorted, cascade->field.count);
	BR_FREE(a, cascade->field.samples, cascade->field.capacity);
	BR_FREE_ARRAY(a, &cascade->heap);
	for (int32_t i = 0; i < CASCADE_ROUND; ++i)
	{
		brSplitCut_Free(a, &cascade->round[i].cut);
	}
	brSplit_Free(&cascade->split);
}

static brResult cascadeMake(Cascade* cascade, const brCascadeSource* source, const brMeshMeasure* measure,
							brShatter** outShatter, brReport* report)
{
	const brCascadeDef* def = cascade->def;
	brCascadeNode root;
	brResult result = cascadeStart(cascade, source, measure, &root);
	if (result < 0)
	{
		return brFailMemory(report);
	}
	result = cascadeRun(cascade, &root);
	if (result < 0)
	{
		return brFailMemory(report);
	}
	double density = def->density > 0.0 ? def->density : def->material.density;
	brSplitPieceDef pieces = {density, &def->interior, def->makeHulls, true};
	result = brSplit_ToShatter(&cascade->split, &pieces, outShatter, report);
	if (result < 0)
	{
		return result;
	}
	(*outShatter)->isCapped = cascade->isCapped;
	(*outShatter)->hole = root.hole != br_holeNone ? root.crater : 0.0;
	if (def->clusterSize > 0 && brShatter_AddLevels(*outShatter, def->clusterSize, def->levelCount) < 0)
	{
		brDestroyShatter(*outShatter);
		return brFailMemory(report);
	}
	return brSucceed(report);
}

brResult brCreateCascadeFrom(const brContext* context, const brMesh* mesh, const brCascadeSource* source,
							 const brCascadeDef* def, brShatter** outShatter, brReport* report)
{
	brResult result = cascadeRefuse(def, report);
	if (result < 0)
	{
		return result;
	}
	brMesh* mended = NULL;
	bool isSound = source->isSound;
	result = isSound ? br_success : brMendForShatter(context, mesh, &mended, &isSound, report);
	if (result < 0)
	{
		return result;
	}
	mesh = mended != NULL ? mended : mesh;
	brMeshMeasure measure = source->measure;
	if (!(measure.volume > 0.0))
	{
		measure = brMeasureMesh(mesh, brMesh_ComputeMass(mesh, 1.0).volume);
	}
	Cascade cascade = {.allocator = brContext_Allocator(context), .def = def};
	brCascadeDef placed = *def;
	brCascadeSource known = *source;
	brHitSurface* surface = known.surface == NULL ? brCreateHitSurface(&cascade.allocator, mesh) : NULL;
	if (known.surface == NULL && surface == NULL)
	{
		brDestroyMesh(mended);
		return brFailMemory(report);
	}
	if (surface != NULL)
	{
		known.surface = surface;
		placed.at = known.isPlaced || known.isAside ? def->at : brHitSurface_Nearest(surface, def->at);
	}
	cascade.def = &placed;
	result = measure.volume > 0.0 ? br_success
								  : brFail(report, br_errorGeometry, "the surface is inside out or encloses nothing");
	result = result < 0 ? result : brSplit_Make(context, mesh, &cascade.split, report);
	if (result >= 0)
	{
		result = cascadeMake(&cascade, &known, &measure, outShatter, report);
		cascadeFree(&cascade);
	}
	brDestroyHitSurface(surface);
	brDestroyMesh(mended);
	return result;
}

brResult brCreateCascade(const brContext* context, const brMesh* mesh, const brCascadeDef* def, brShatter** outShatter,
						 brReport* report)
{
	if (mesh == NULL || def == NULL || outShatter == NULL)
	{
		return brFail(report, br_errorMisuse, "brCreateCascade needs mesh, def and outShatter");
	}
	return brCreateCascadeFrom(context, mesh, &(brCascadeSource){0}, def, outShatter, report);
}
