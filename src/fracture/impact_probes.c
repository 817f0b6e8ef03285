// SPDX-License-Identifier: MIT

// Places asked beforehand: what no place of the body goes beyond.

#include "fracture/impact_answer.h"

#include <math.h>

#define PROBE_PLACES 7 // of a triangle where it may be hit: its middle, and its corners in two ways
#define PROBE_COARSE                                                                                                   \
	0.3 // root of twice the area of a triangle over the size of the body, from which its corners are places of their own
#define PROBE_WALL_BOUND 1.3 // no wall is thinner than that of the thinnest probe by more
#define PROBE_BOUND 1.7      // no place is worse than the worst probe by more

// The middle of a triangle and how the surface looks there; of a large one its corners too, pressed so and towards the
// middle of the body. False if there is no such place.
static bool probePlaceOf(const brImpactModel* model, int32_t triangle, int place, brImpactProbe* out)
{
	const brFlexModel* flex = model->flex;
	const brDVec3* c = flex->triangles[triangle];
	brDVec3 cross = brDCross(brDSub(c[1], c[0]), brDSub(c[2], c[0]));
	double twice = brDLength(cross), most = PROBE_COARSE * model->size;
	if (!(twice > 0.0) || (place > 0 && twice < most * most))
	{
		return false;
	}
	out->point = place > 0 ? c[(place - 1) % 3] : brDMul(1.0 / 3.0, brDAdd(c[0], brDAdd(c[1], c[2])));
	out->inward = place > 3 ? brDNormalize(brDSub(flex->center, out->point)) : brDMul(-1.0 / twice, cross);
	return true;
}

// Places far from each other, by position and by which way the surface looks there.
static void probeChoose(brImpactModel* model)
{
	const brFlexModel* flex = model->flex;
	int32_t stride = flex->triangleCount / 2000 + 1;
	for (int i = 0; i < BR_IMPACT_PROBES; ++i)
	{
		double most = -1.0;
		for (int32_t t = 0; t < flex->triangleCount; t += stride)
		{
			for (int place = 0; place < PROBE_PLACES; ++place)
			{
				brImpactProbe at;
				if (!probePlaceOf(model, t, place, &at))
				{
					continue;
				}
				double far = i == 0 ? brDDistance(at.point, flex->center) : INFINITY;
				for (int k = 0; k < i; ++k)
				{
					const brImpactProbe* probe = &model->probes[k];
					far = fmin(far, brDDistance(at.point, probe->point) +
										0.15 * model->size * (1.0 - brDDot(at.inward, probe->inward)));
				}
				if (far > most)
				{
					most = far;
					model->probes[i].point = at.point;
					model->probes[i].inward = at.inward;
				}
			}
		}
	}
}

void brImpactModel_Probe(brImpactModel* model)
{
	probeChoose(model);
	const brFlexModel* flex = model->flex;
	double one = 1.0, gives[BR_FRONT_LANES];
	model->minGive = INFINITY, model->minSplit = INFINITY, model->minWall = INFINITY;
	for (int first = 0; first < BR_IMPACT_PROBES; first += BR_FRONT_LANES)
	{
		brFlexModel_Begin(flex);
		for (int l = 0; l < BR_FRONT_LANES; ++l)
		{
			brImpactProbe* probe = &model->probes[first + l];
			brFlexPatch patch = {&probe->point, &one, 1};
			brFlexModel_Press(flex, &patch, probe->inward, l);
		}
		brFlexModel_Solve(flex, gives);
		brFlexPatch patches[BR_FRONT_LANES];
		brImpactSpot spots[BR_FRONT_LANES];
		double pulls[BR_FRONT_LANES];
		for (int l = 0; l < BR_FRONT_LANES; ++l)
		{
			brImpactProbe* probe = &model->probes[first + l];
			brLocalForm form = brFindLocalForm(flex, probe->point, 0.0);
			probe->wall = form.wall;
			probe->give = brImpactGive(model, gives[l], probe->wall);
			double across =
				brImpactIsWall(form.growth) * brImpactAcross(model, probe->point, probe->inward, probe->wall);
			patches[l] = (brFlexPatch){&probe->point, &one, 1};
			spots[l] = (brImpactSpot){&patches[l], probe->wall, 0.0, across};
		}
		brImpactPulls(model, NULL, spots, BR_FRONT_LANES, pulls);
		for (int l = 0; l < BR_FRONT_LANES; ++l)
		{
			brImpactProbe* probe = &model->probes[first + l];
			probe->pull = pulls[l];
			double young = model->material.youngsModulus;
			double split = brImpactSplit(&model->material, probe->wall, 0.0);
			model->maxPull = fmax(model->maxPull, PROBE_BOUND * probe->pull / sqrt(probe->give / young));
			model->maxPullByForce = fmax(model->maxPullByForce, PROBE_BOUND * probe->pull);
			model->maxGive = fmax(model->maxGive, PROBE_BOUND * probe->give / young);
			model->minGive = fmin(model->minGive, probe->give / (PROBE_BOUND * young));
			model->minSplit = fmin(model->minSplit, split / PROBE_BOUND);
			model->minWall = fmin(model->minWall, probe->wall / PROBE_WALL_BOUND);
		}
	}
	model->minSplit = fmin(model->minSplit, brImpactChipForce(model, 0.0));
	bool isWall = model->size > BR_IMPACT_SLENDER * model->minWall;
	model->maxEarlyPull = isWall ? brImpactEarlyPull(model, model->minWall, INFINITY) : 0.0;
}

const brImpactProbe* brImpactModel_NearestProbe(const brImpactModel* model, brDVec3 point, brDVec3 inward)
{
	const brImpactProbe* nearest = &model->probes[0];
	double best = INFINITY;
	for (int i = 0; i < BR_IMPACT_PROBES; ++i)
	{
		const brImpactProbe* probe = &model->probes[i];
		double far = brDDistance(point, probe->point) + 0.15 * model->size * (1.0 - brDDot(inward, probe->inward));
		nearest = far < best ? probe : nearest;
		best = fmin(best, far);
	}
	return nearest;
}
