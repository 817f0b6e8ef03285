// SPDX-License-Identifier: MIT

// Where a piece is split: by main cracks from the hit, by a chip round it, or across what pulls it. Nothing here
// depends on how much energy there is, so that a harder blow makes the same cracks and more.

#include "fracture/cascade.h"

#include "base/hash.h"
#include "math/power.h"
#include "math/rotation.h"

#include <math.h>

#define PLAN_LEAST 1e-3      // of all pull, along one more direction
#define PLAN_FEW 6           // samples: below this the field says nothing about a piece
#define PLAN_THROUGH 4       // generations whose cracks run through the hit if they can
#define PLAN_POINTS 7.0      // along the largest extent of a split
#define PLAN_FLAT 3.0        // spacings: splits of less extent have no bumps
#define PLAN_LADDER 0.85     // of radii of chips
#define PLAN_CHIP_BUMPS 0.15 // of the radius of a chip
#define PLAN_HOLE_BUMPS 0.3  // of the radius of a hole
#define PLAN_ROOM_BUMPS 0.2  // of a wall, of what is driven out of it
#define PLAN_OFF 0.25        // of the edge of the body's cube: a hit is off its middle
#define PLAN_AIM 0.6         // of the first crack of such a hit, in radians
#define PLAN_BACK_SHARE 0.9  // of the energy in front of the back
#define PLAN_BACK_LEAST 0.35 // of the body
#define PLAN_SKIP 0.05       // of a wall: crossings nearer than this are one
#define PLAN_THICK 4.0       // walls along the way of a bullet through one

// Bumps of a split of this extent, and how far its points are apart.
static void planRoughness(const brCascadeRule* rule, double extent, brRandom* random, brCascadeNode* node)
{
	// Small splits are flat: nobody sees their bumps, which cost a third of the time.
	node->shape.height = extent > PLAN_FLAT * rule->spacingLeast ? rule->roughness * extent : 0.0;
	node->shape.length = 0.6 * extent;
	node->shape.gain = rule->gain;
	node->shape.seed = (uint64_t)brRandom_Next(random);
	node->spacing = node->shape.height > 0.0 ? fmax(extent / PLAN_POINTS, rule->spacingLeast) : 0.0;
}

// Squared pull of all samples as a tensor, and the middle of their energy.
static brMat3 planPull(const brCascadeField* field, const brCascadeNode* node, brRandom* random, double outValues[3],
					   brDVec3* outMiddle)
{
	double t[6] = {0.0}, energy = 0.0;
	brDVec3 middle = {0.0, 0.0, 0.0};
	for (int32_t i = node->first; i < node->first + node->count; ++i)
	{
		const brCascadeSample* s = &field->samples[i];
		energy += s->energy * s->volume;
		middle = brDMulAdd(middle, s->energy * s->volume, s->position);
		for (int32_t c = 0; c < 3; ++c)
		{
			double k = s->stress[c] > 0.0 ? s->volume * s->stress[c] * s->stress[c] : 0.0;
			brDVec3 a = s->axis[c];
			t[0] += k * a.x * a.x, t[1] += k * a.y * a.y, t[2] += k * a.z * a.z;
			t[3] += k * a.x * a.y, t[4] += k * a.x * a.z, t[5] += k * a.y * a.z;
		}
	}
	*outMiddle = energy > 0.0 ? brDMul(1.0 / energy, middle) : *outMiddle;
	// Where two axes are pulled alike, or not at all, rounding would choose between them, and a harder blow by a hair
	// break otherwise.
	brDVec3 r = brRandomDirection(random);
	double least = PLAN_LEAST * (t[0] + t[1] + t[2]);
	t[0] += least * r.x * r.x, t[1] += least * r.y * r.y, t[2] += least * r.z * r.z;
	t[3] += least * r.x * r.y, t[4] += least * r.x * r.z, t[5] += least * r.y * r.z;
	return brEigenSymmetric(t[0], t[1], t[2], t[3], t[4], t[5], outValues);
}

void brCascadePlan_Split(const brCascadeRule* rule, const brCascadeField* field, const brSplit* split,
						 brCascadeNode* node)
{
	brRandom random = brMakeRandom(brHash64(rule->seed ^ node->path), 21);
	double values[3], largest = 0.0, best = -1.0, lower, upper, extent = 0.0;
	brDVec3 middle = split->parts.data[node->part].center;
	brMat3 frame = planPull(field, node, &random, values, &middle);
	brDVec3 axes[3] = {frame.cx, frame.cy, frame.cz}, normal = axes[0];
	largest = fmax(values[0], fmax(values[1], values[2]));
	if (node->count < PLAN_FEW || !(largest > 0.0))
	{
		axes[0] = brRandomDirection(&random);
		axes[1] = brDNormalize(brDCross(axes[0], brRandomDirection(&random)));
		axes[2] = brDCross(axes[0], axes[1]);
		values[0] = values[1] = values[2] = largest = 1.0;
	}
	for (int32_t c = 0; c < 3; ++c)
	{
		brSplit_Extent(split, node->part, axes[c], &lower, &upper);
		double pull = fmax(values[c] / largest, 1.0 / rule->aspect);
		double score = pull * (upper - lower) * brExponential(0.3 * brCascadeGauss(&random));
		normal = score > best ? axes[c] : normal;
		best = fmax(score, best);
		extent = fmax(extent, upper - lower);
	}
	normal = brDNormalize(brDMulAdd(normal, rule->jitter, brRandomDirection(&random)));
	brSplit_Extent(split, node->part, normal, &lower, &upper);
	double length = upper - lower, u = (brDDot(middle, normal) - lower) / length;
	double hit = (brDDot(rule->hit, normal) - lower) / length;
	u = 0.5 * (u + 0.5) + 0.1 * brCascadeGauss(&random);
	bool isThrough = node->depth < PLAN_THROUGH && hit > 0.12 && hit < 0.88;
	u = isThrough && fabs(brDDot(normal, rule->direction)) < 0.6 ? hit + 0.01 * brCascadeGauss(&random) : u;
	u = fmin(fmax(u, 0.2), 0.8);
	node->shape = (brSplitShape){0};
	brSplitShape_SetNormal(&node->shape, normal);
	brDVec3 center = split->parts.data[node->part].center;
	node->shape.origin = brDMulAdd(center, lower + u * length - brDDot(center, normal), normal);
	planRoughness(rule, extent, &random, node);
}

void brCascadeRule_SpreadRays(brCascadeRule* rule)
{
	brRandom random = brMakeRandom(rule->seed, 22);
	double starts[BR_CASCADE_RAYS + 1], widths[BR_CASCADE_RAYS + 1];
	rule->rays[0] = BR_PI * brRandom_Unit(&random);
	// From a corner or a rim the first crack goes into the body.
	brSplitShape frame;
	brSplitShape_SetNormal(&frame, rule->direction);
	brDVec3 inside = brDSub(rule->center, rule->hit);
	double x = brDDot(inside, frame.u), y = brDDot(inside, frame.v), edge = brPower(rule->volume, 1.0 / 3.0);
	if (x * x + y * y > PLAN_OFF * PLAN_OFF * edge * edge)
	{
		rule->rays[0] = brAtan2(y, x) + PLAN_AIM * (rule->rays[0] / BR_PI - 0.5);
	}
	starts[0] = rule->rays[0], starts[1] = rule->rays[0] + BR_PI, widths[0] = widths[1] = BR_PI;
	for (int32_t n = 1; n < BR_CASCADE_RAYS; ++n)
	{
		int32_t widest = 0;
		for (int32_t k = 1; k <= n; ++k)
		{
			widest = widths[k] > widths[widest] ? k : widest;
		}
		double share = brRandom_Range(&random, 0.3, 0.7);
		rule->rays[n] = starts[n + 1] = starts[widest] + share * widths[widest];
		widths[n + 1] = (1.0 - share) * widths[widest];
		widths[widest] *= share;
	}
}

static brDVec3 planRay(const brCascadeRule* rule, int32_t place, int32_t ray)
{
	brSplitShape frame;
	brSplitShape_SetNormal(&frame, brCascadeRule_Way(rule, place));
	return brDMulAdd(brDMul(brCos(rule->rays[ray]), frame.u), brSin(rule->rays[ray]), frame.v);
}

brDVec3 brCascadeRay_Normal(const brCascadeRule* rule, int32_t place, int32_t ray)
{
	return brDCross(brCascadeRule_Way(rule, place), planRay(rule, place, ray));
}

void brCascadePlan_Ray(const brCascadeRule* rule, const brSplit* split, int32_t ray, brCascadeNode* node)
{
	brRandom random = brMakeRandom(brHash64(rule->seed + (uint64_t)ray), 23);
	double lower, upper;
	brDVec3 along = planRay(rule, node->place, ray);
	brSplit_Extent(split, node->part, along, &lower, &upper);
	node->shape =
		(brSplitShape){.origin = rule->places[node->place], .u = along, .v = brCascadeRule_Way(rule, node->place)};
	node->shape.n = brDCross(node->shape.u, node->shape.v);
	// The first goes both ways and is bent at the hit: few cracks go straight on behind it.
	node->shape.bend = ray == 0 ? brRandom_Range(&random, -0.35, 0.35) : 0.0;
	planRoughness(rule, upper - lower, &random, node);
}

bool brCascadePlan_Back(const brCascadeRule* rule, const brCascadeField* field, const brSplit* split,
						brCascadeNode* node)
{
	double lower, upper, hit = brDDot(rule->hit, rule->direction);
	brSplit_Extent(split, node->part, rule->direction, &lower, &upper);
	double full = upper - hit, low = 0.0, high = full;
	for (int32_t step = 0; step < 20; ++step)
	{
		double middle = 0.5 * (low + high), before = 0.0;
		for (int32_t i = node->first; i < node->first + node->count; ++i)
		{
			const brCascadeSample* s = &field->samples[i];
			before += brDDot(s->position, rule->direction) - hit < middle ? s->energy * s->volume : 0.0;
		}
		low = before < PLAN_BACK_SHARE * field->total ? middle : low;
		high = before < PLAN_BACK_SHARE * field->total ? high : middle;
	}
	double depth = fmax(fmax(high, 3.0 * rule->wall), PLAN_BACK_LEAST * full);
	if (!(depth < 0.8 * full))
	{
		return false;
	}
	brRandom random = brMakeRandom(rule->seed, 24);
	brDVec3 normal = brDNormalize(brDMulAdd(rule->direction, 0.3, brRandomDirection(&random)));
	node->shape = (brSplitShape){.origin = brDMulAdd(rule->hit, depth, rule->direction)};
	brSplitShape_SetNormal(&node->shape, normal);
	planRoughness(rule, full, &random, node);
	node->shape.height *= 2.0;
	return true;
}

double brCascadePlan_CraterRadius(const brCascadeRule* rule, const brCascadeField* field, const brCascadeNode* node)
{
	double all = 0.0, h = rule->wall;
	for (int32_t i = node->first; i < node->first + node->count; ++i)
	{
		all += field->samples[i].energy * field->samples[i].volume;
	}
	double widest = h > 0.0 ? sqrt(node->volume / h) : brPower(node->volume, 1.0 / 3.0);
	// The same radii for any piece and energy.
	for (double r = brPower(rule->volume, 1.0 / 3.0); r > rule->contact && all > 0.0; r *= PLAN_LADDER)
	{
		double energy = 0.0, volume = 0.0, top;
		for (int32_t i = node->first; r < 0.5 * widest && i < node->first + node->count; ++i)
		{
			const brCascadeSample* s = &field->samples[i];
			bool isIn = brDDistance(s->position, rule->hit) < r;
			energy += isIn ? s->energy * s->volume : 0.0;
			volume += isIn ? s->volume : 0.0;
		}
		if (!(volume > 4.0 * rule->smallest))
		{
			continue;
		}
		brCascadeWindow(rule, node->energy * energy / all / volume, &top);
		if (volume > top)
		{
			return r;
		}
	}
	return 0.0;
}

void brCascadeRule_FindWalls(brCascadeRule* rule, const brCascadeSource* source)
{
	double skip = PLAN_SKIP * rule->wall, far = 0.0;
	rule->way = brDLengthSq(source->way) > 0.0 ? source->way : rule->direction;
	while (rule->placeCount < BR_CASCADE_WALLS)
	{
		double left = brHitSurface_Depth(source->surface, rule->hit, rule->way, far + skip, INFINITY);
		bool isWall = left - far < PLAN_THICK * rule->wall; // what is thicker stops it
		far = isWall ? brHitSurface_Entry(source->surface, rule->hit, rule->way, left + skip) : INFINITY;
		if (!(far < INFINITY))
		{
			return;
		}
		rule->places[rule->placeCount++] = brDMulAdd(rule->hit, far, rule->way);
	}
}

void brCascadePlan_Hole(const brCascadeRule* rule, brCascadeHole hole, double radius, brCascadeNode* node)
{
	brRandom random = brMakeRandom(rule->seed, 26 + (uint64_t)hole);
	// Wider where it comes out, so that nothing is wedged in it.
	brDVec3 way = brCascadeRule_Way(rule, node->place);
	node->shape = (brSplitShape){.origin = brDMulAdd(rule->places[node->place], rule->wall, way)};
	node->shape.radius = sqrt(radius * radius + rule->wall * rule->wall);
	brSplitShape_SetNormal(&node->shape, way);
	planRoughness(rule, 2.0 * radius, &random, node);
	double bumps = hole == br_holeRoom ? PLAN_ROOM_BUMPS * rule->wall : PLAN_HOLE_BUMPS * radius;
	node->shape.height = rule->roughness > 0.0 && hole != br_holeCore ? bumps : 0.0;
	node->shape.length = radius;
	node->crater = radius;
	node->hole = hole;
}

void brCascadePlan_Crater(const brCascadeRule* rule, double radius, brCascadeNode* node)
{
	brRandom random = brMakeRandom(rule->seed, 25);
	// A wall loses all of its thickness, a lump a shallow dish.
	bool isHole = rule->wall > 0.0 && radius > rule->wall;
	double rise = isHole ? 0.0 : 0.4 * radius;
	brDVec3 side = brDMulAdd(brRandomDirection(&random), isHole ? 0.0 : 1.0, rule->direction);
	node->shape = (brSplitShape){.origin = brDMulAdd(rule->hit, -rise, rule->direction), .radius = radius};
	node->shape.origin = brDMulAdd(node->shape.origin, 0.1 * radius, side);
	brSplitShape_SetNormal(&node->shape, rule->direction);
	planRoughness(rule, 2.0 * radius, &random, node);
	node->shape.height = rule->roughness > 0.0 ? PLAN_CHIP_BUMPS * radius : 0.0;
	node->shape.length = radius;
	node->crater = radius;
}
