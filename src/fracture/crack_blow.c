// SPDX-License-Identifier: MIT

// Whether a blow on a free body breaks it, and what field of stress it makes there, is what the impact model says
// (impact_model.h), as in worlds: a blow on a wall bends it, which a lattice of linear tets is too stiff for, and
// Hertz's force on a body that does not give way is several times too large. So neither follows the lattice.

#include "fracture/crack_blow.h"

#include "base/hash.h"
#include "base/report.h"
#include "fracture/crack_load.h"
#include "fracture/impact_model.h"
#include "math/power.h"

enum
{
	blowHalvings = 30,
};

#define BLOW_BEHIND 0.05 // walls

// Bodies that are held, loads that are held, maps of stiffness and cracks that are there are unknown to the model; a
// duration that is given says how large the force is.
static bool blowIsKnown(const brCrackDef* def)
{
	bool isAlone = def->forceCount == 0 && def->supportCount == 0 && def->pressureCount == 0 && def->swelling == NULL &&
				   !(brDDot(def->acceleration, def->acceleration) > 0.0);
	return isAlone && brDDot(def->impulse, def->impulse) > 0.0 && !(def->contactTime > 0.0) && def->givenCount == 0 &&
		   def->stiffness == NULL;
}

// Weak places make the body weaker by what they change in its Weibull mean.
static double blowWeakness(const brCrackDef* def, const brStressSample* samples, int32_t count)
{
	double modulus = def->material.weibullModulus, highest = 0.0, sums[2] = {0.0, 0.0};
	if (def->strength == NULL || !(modulus > 0.0))
	{
		return 1.0;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		highest = fmax(highest, samples[i].stress[0]);
	}
	for (int32_t i = 0; i < count && highest > 0.0; ++i)
	{
		double stress = fmax(samples[i].stress[0], 0.0) / highest;
		double factor = def->strength(samples[i].position, def->strengthUser);
		sums[0] += samples[i].volume * brPower(stress, modulus);
		sums[1] += samples[i].volume * brPower(stress / factor, modulus);
	}
	return sums[0] > 0.0 ? brPower(sums[1] / sums[0], 1.0 / modulus) : 1.0;
}

// Weak places count as far as they are pulled; at the contact that of the hit.
static double blowRatio(const brCrackDef* def, const brImpactParting* parting, double weakness)
{
	double factor = def->strength != NULL ? def->strength(def->hit, def->strengthUser) : 1.0;
	return fmax(weakness * parting->byPull, parting->byContact / factor);
}

// Energy of such a blow that just parts the body.
static double blowThreshold(const brCrackDef* def, brImpactModel* model, const brStrike* strike, double weakness)
{
	brStrike at = *strike;
	double low = 0.0, high = strike->energy;
	for (int32_t i = 0; i < blowHalvings; ++i)
	{
		at.energy = 0.5 * (low + high);
		brImpactParting parting = brImpactModel_Part(model, &at);
		bool isOver = blowRatio(def, &parting, weakness) >= 1.0;
		low = isOver ? low : at.energy;
		high = isOver ? at.energy : high;
	}
	return high;
}

// Whether a blow pushes into the body at a place of its surface: what pulls there, or drags along it, has no contact.
static bool blowPushes(const brSurfaceTree* surface, brDVec3 place, brDVec3 way, double wall)
{
	brDVec3 behind = brDMulAdd(place, BLOW_BEHIND * wall, way);
	int32_t wraps;
	brSurfaceTree_CountCrossings(surface, NULL, &behind, 1, &wraps);
	return wraps != 0;
}

static brResult blowAsk(const brContext* context, brImpactModel* model, const brSurfaceTree* surface,
						const brMesh* mesh, const brCrackDef* def, brCrackBlow* out, brReport* report)
{
	brClosestPoint nearest;
	brSurfaceTree_FindClosest(surface, context, &def->hit, 1, &nearest);
	double impulse = brDLength(def->impulse);
	brMassProperties body = brMesh_ComputeMass(mesh, def->material.density);
	brStrike strike = {.point = nearest.point,
					   .inward = brDMul(1.0 / impulse, def->impulse),
					   .otherRadius = def->strikerRadius,
					   .mass = brCrackLoad_EffectiveMass(&body, def),
					   .strength = brMaterial_SampleStrength(&def->material, brHash64(def->seed))};
	strike.energy = 0.5 * impulse * impulse / strike.mass;
	double wall = 2.0 * body.volume / brMesh_ComputeArea(mesh);
	if (!blowPushes(surface, strike.point, strike.inward, wall))
	{
		return br_success;
	}
	brImpactParting parting = brImpactModel_Part(model, &strike);
	const brImpact* impact = &parting.impact;
	int32_t count = brImpactModel_SampleCount(model);
	out->samples = BR_ALLOC(&out->allocator, brStressSample, count);
	if (out->samples == NULL)
	{
		return brFailMemory(report);
	}
	out->sampleCount = count;
	brFieldBlow field = {strike, impact->force, impact->contactRadius, out->samples};
	brResult result = brImpactModel_Fields(model, context != NULL ? context->workers : NULL, &field, 1);
	if (result < 0)
	{
		return brFailMemory(report);
	}
	double weakness = blowWeakness(def, out->samples, count), threshold = blowThreshold(def, model, &strike, weakness);
	double ratio = blowRatio(def, &parting, weakness);
	out->source = (brCrackSource){
		.ratio = ratio,
		.stress = impact->stress,
		.strength = brDynamicFactor(&def->material) * strike.strength / weakness,
		.isContact = ratio > weakness * parting.byPull,
		.force = impact->force,
		.contactTime = impact->contactTime,
		.energy = strike.energy,
		.small = def->efficiency * (strike.energy - threshold),
		.near = wall,
		.samples = out->samples,
		.sampleCount = count,
	};
	return br_success;
}

brResult brJudgeCrackBlow(const brContext* context, const brMesh* mesh, const brSurfaceTree* surface,
						  const brCrackDef* def, brCrackBlow* out, brReport* report)
{
	*out = (brCrackBlow){.allocator = brContext_Allocator(context)};
	if (!blowIsKnown(def))
	{
		return br_success;
	}
	brImpactModelDef modelDef = brDefaultImpactModelDef();
	modelDef.mesh = mesh;
	modelDef.material = def->material;
	brImpactModel* model = NULL;
	brResult result = brCreateImpactModel(context, &modelDef, &model, report);
	result = result >= 0 ? blowAsk(context, model, surface, mesh, def, out, report) : result;
	brDestroyImpactModel(model);
	return result;
}

void brFreeCrackBlow(brCrackBlow* blow)
{
	BR_FREE(&blow->allocator, blow->samples, blow->sampleCount);
	blow->samples = NULL;
}
