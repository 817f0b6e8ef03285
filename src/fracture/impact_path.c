// SPDX-License-Identifier: MIT

#include "fracture/impact_path.h"

#include "math/power.h"

#include <math.h>
#include <string.h>

brImpactKey brMakeImpactKey(const brStrike* strike)
{
	return (brImpactKey){
		.point = strike->point,
		.inward = strike->inward,
		.otherYoung = strike->other.youngsModulus,
		.otherPoisson = strike->other.poissonRatio,
		.otherHardness = strike->other.youngsModulus > 0.0 ? brImpactHardness(&strike->other) : 0.0,
		.otherRadius = strike->otherRadius,
		.otherGive = strike->otherGive,
	};
}

bool brImpactPath_Reaches(const brImpactPath* path, double energy)
{
	return path->isWhole || (path->count > 0 && energy < path->energy[path->count - 1]);
}

const brImpactPath* brImpactModel_Known(const brImpactModel* model, const brImpactKey* key, double energy)
{
	for (int32_t i = 0; i < model->keptCount; ++i)
	{
		if (memcmp(&model->keys[i], key, sizeof(*key)) == 0 && brImpactPath_Reaches(&model->paths[i], energy))
		{
			return &model->paths[i];
		}
	}
	return NULL;
}

brImpactPath* brImpactModel_Keep(brImpactModel* model, const brStrike* strike)
{
	int32_t slot = model->nextKept;
	model->nextKept = (slot + 1) % BR_IMPACT_KEPT;
	model->keptCount = model->keptCount < BR_IMPACT_KEPT ? model->keptCount + 1 : BR_IMPACT_KEPT;
	model->keys[slot] = brMakeImpactKey(strike);
	return &model->paths[slot];
}

static double impactRatio(const brImpactModel* model, const brImpactPath* path, int32_t k, double strength,
						  bool isByPull)
{
	return fmax(path->pull[k] / (model->dynamic * strength), isByPull ? 0.0 : path->local[k]);
}

double brImpactStrength(const brImpactModel* model, const brStrike* strike)
{
	return strike->strength > 0.0 ? strike->strength : model->material.tensileStrength;
}

// Peak force of a small round striker against the wall near it: Hertz in series with the wall's resistance to a point
// force, Z = 8 sqrt(D rho t) (Cremer and Heckl). 0 for flat ground, which stops the body as a whole.
double brImpactEarlyForce(const brImpactModel* model, double wall, const brStrike* strike)
{
	if (!(strike->otherRadius > 0.0) || !(strike->mass > 0.0))
	{
		return 0.0;
	}
	const brMaterial *own = &model->material, *other = &strike->other;
	double nu = own->poissonRatio, compliance = (1.0 - nu * nu) / own->youngsModulus;
	compliance +=
		other->youngsModulus > 0.0 ? (1.0 - other->poissonRatio * other->poissonRatio) / other->youngsModulus : 0.0;
	double stiffness = 4.0 / 3.0 * sqrt(strike->otherRadius) / compliance;
	double hertz = stiffness * brPower(2.5 * strike->energy / stiffness, 0.6);
	double impedance = 8.0 * wall * wall * sqrt(own->youngsModulus * own->density / (12.0 * (1.0 - nu * nu)));
	double wave = impedance * sqrt(2.0 * strike->energy / strike->mass);
	return hertz * wave / sqrt(hertz * hertz + wave * wave);
}

// Early force that breaks: it splits the wall, or bends it too far near the contact before the body as a whole feels
// anything.
double brImpactEarlyLimit(const brImpactModel* model, double wall, double across, const brStrike* strike)
{
	double split = brImpactSplit(&model->material, wall, strike->otherRadius);
	double pull = across > 0.0 ? across * brImpactEarlyPull(model, wall, strike->mass) : 0.0;
	return pull > 0.0 ? fmin(split, model->dynamic * brImpactStrength(model, strike) / pull) : split;
}

double brImpactEarlyThreshold(const brImpactModel* model, double wall, double limit, const brStrike* strike)
{
	double low = 0.0, high = INFINITY;
	brStrike at = *strike;
	at.energy = 1.0;
	for (int i = 0; i < 60 && brImpactEarlyForce(model, wall, strike) > 0.0; ++i)
	{
		bool isOver = brImpactEarlyForce(model, wall, &at) >= limit;
		low = isOver ? low : at.energy;
		high = isOver ? at.energy : high;
		at.energy = isinf(high) ? 8.0 * at.energy : low > 0.0 ? sqrt(low * high) : 0.125 * high;
	}
	return high;
}

// Between two points of a path quantities go as powers of the energy; before the first one force goes as energy^0.6, as
// of a ball.
static double impactOnPath(const brImpactPath* path, const double* values, int32_t k, double energy)
{
	if (k == 0 || energy >= path->energy[path->count - 1])
	{
		double known = path->energy[k];
		return values[k] * (k == 0 ? brPower(energy / known, 0.6) : sqrt(energy / known));
	}
	double share = brLogarithm(energy / path->energy[k - 1]) / brLogarithm(path->energy[k] / path->energy[k - 1]);
	return values[k - 1] > 0.0 ? values[k - 1] * brPower(values[k] / values[k - 1], share) : share * values[k];
}

// Energy at which a path reaches what the body stands: by its pull alone, or by anything.
static double impactReached(const brImpactModel* model, const brImpactPath* path, double strength, bool isByPull)
{
	int32_t last = path->count - 1, k = 0;
	while (k < last && impactRatio(model, path, k, strength, isByPull) < 1.0)
	{
		k += 1;
	}
	double ratio = impactRatio(model, path, k, strength, isByPull);
	if (!(ratio > 0.0))
	{
		return INFINITY;
	}
	if (k == 0 || ratio < 1.0)
	{
		return path->energy[k] * brPower(ratio, ratio < 1.0 ? -2.0 : -1.0 / 0.6);
	}
	double before = impactRatio(model, path, k - 1, strength, isByPull);
	double share = before > 0.0 ? brLogarithm(1.0 / before) / brLogarithm(ratio / before) : 1.0;
	return path->energy[k - 1] * brPower(path->energy[k] / path->energy[k - 1], share);
}

double brImpactPath_Threshold(const brImpactModel* model, const brImpactPath* path, double strength)
{
	return impactReached(model, path, strength, false);
}

brImpact brImpactPath_Impact(const brImpactModel* model, const brImpactPath* path, const brStrike* strike)
{
	brImpact impact = {.ratio = 0.0};
	double strength = brImpactStrength(model, strike), u = strike->energy;
	int32_t last = path->count - 1, k = 0;
	for (; k < last && path->energy[k] < u; ++k)
	{
	}
	double local = impactOnPath(path, path->local, k, u);
	impact.stress = impactOnPath(path, path->pull, k, u);
	impact.force = impactOnPath(path, path->force, k, u);
	impact.bodyEnergy = fmin(impactOnPath(path, path->body, k, u), u);
	impact.contactRadius = path->radius[k];
	// Early in the blow only the wall near a small striker moves; what breaks by the contact alone feels that.
	double early = brImpactEarlyForce(model, path->wall, strike);
	double limit = early > 0.0 ? brImpactEarlyLimit(model, path->wall, path->across, strike) : INFINITY;
	local = fmax(local, early / limit);
	impact.earlyForce = fmax(impact.force, early);
	impact.ratio = fmax(impact.stress / (model->dynamic * strength), local);
	impact.isLocal = local > impact.stress / (model->dynamic * strength);
	impact.contactTime = impact.force > 0.0 ? BR_PI * sqrt(2.0 * strike->mass * u) / impact.force : 0.0;
	impact.parting = impactReached(model, path, strength, true);
	k = 0;
	while (k < last && path->energy[k] < impact.parting)
	{
		k += 1;
	}
	impact.partingForce = impactOnPath(path, path->force, k, impact.parting);
	impact.threshold = fmin(brImpactPath_Threshold(model, path, strength),
							impact.ratio >= 1.0 ? brImpactEarlyThreshold(model, path->wall, limit, strike) : INFINITY);
	return impact;
}

double brImpactPath_Ratio(const brImpactModel* model, const brImpactPath* path, const brStrike* strike)
{
	int32_t k = 0;
	for (; k < path->count - 1 && path->energy[k] < strike->energy; ++k)
	{
	}
	double early = brImpactEarlyForce(model, path->wall, strike);
	double limit = early > 0.0 ? brImpactEarlyLimit(model, path->wall, path->across, strike) : INFINITY;
	double pull = impactOnPath(path, path->pull, k, strike->energy);
	double local = fmax(impactOnPath(path, path->local, k, strike->energy), early / limit);
	return fmax(pull / (model->dynamic * brImpactStrength(model, strike)), local);
}

void brImpactPath_Bound(const brImpactModel* model, const brStrike* strike, const brImpactAnswer* meeting,
						brImpactPath* path)
{
	brImpactAnswer worst = *meeting;
	worst.levels = BR_IMPACT_LEVELS;
	worst.across = brImpactIsWall(worst.growth) > 0.0 ? 1.0 : 0.0; // what bends early is at most all of the force
	for (int l = 0; l < BR_IMPACT_LEVELS; ++l)
	{
		worst.give[l] = model->minGive * model->material.youngsModulus;
		worst.pull[l] = model->maxPullByForce;
	}
	brImpactAnswer_Walk(model, &worst, strike, path);
}

bool brImpactPath_IsWithin(const brImpactModel* model, const brStrike* strike, const brImpactPath* path)
{
	double early = brImpactEarlyForce(model, path->wall, strike);
	if (early > 0.0 && early >= brImpactEarlyLimit(model, path->wall, path->across, strike))
	{
		return false;
	}
	int32_t k = 0;
	for (; k + 1 < path->count && path->energy[k] < strike->energy; ++k)
	{
	}
	double strength = model->dynamic * brImpactStrength(model, strike);
	return path->count > 0 && path->energy[k] >= strike->energy && path->pull[k] < strength && path->local[k] < 1.0;
}
