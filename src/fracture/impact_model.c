// SPDX-License-Identifier: MIT

// Force, stress and strength of a blow.
//
// Force: the energy of closing goes into the contact and into the body,
//     U = W(F) + C F^2 / 2,   dF/dd = 2 E* a(d),   a = sqrt(A(d) / 2 pi),   F <= H A(d),
// with A the area of the surface within the depth d (exact for a ball, 5 to 11 % off for a cone), H the hardness, C how the body gives way as a whole. The
// part of C that a half-space would have is in the contact already and is taken out. Against full elastodynamics the stress that follows is right to
// a factor of 0.7 to 1.4 for vessels, panes and balls, 0.4 to 0.7 for bricks and limbs, which ring.
//
// Strength: the body breaks if the Weibull mean of the greatest pull over all that lies farther from the contact than a wall is thick reaches the strength,
//     (sum pull^m dV / V_s)^(1/m) >= dynamic factor times strength,
// V_s the volume that a specimen of the strength test stresses; or if a crack runs in from the contact, F >= K_Ic (3 wall)^1.5 / 0.15 (a
// point force on a half-space); or if a corner is crushed off.
//
// A path is that for all energies at once: force, stress and ratios rise with the energy, so a harder blow never breaks less.

#include "fracture/impact_model.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/report.h"
#include "fracture/impact_answer.h"
#include "fracture/impact_guess.h"
#include "math/power.h"
#include "mesh/topology.h"

#include <math.h>
#include <string.h>

#define IMPACT_DEFAULT_MODULUS 20.0 // of materials without scatter
#define IMPACT_RESTS 48             // loads at rest that are looked at
#define IMPACT_SAME 1e-9            // of the size squared: of places as far aside but for rounding the first one counts
#define IMPACT_GUESS 0.2            // of what the nearest probe says: never less was found
#define IMPACT_TEST_SECONDS 30.0
#define IMPACT_BLOW_SECONDS 5e-4

brImpactModelDef brDefaultImpactModelDef(void)
{
	return (brImpactModelDef){
		.material = *brFindMaterial("glass"), .tets = BR_FLEX_TETS, .stamp = BR_STAMP_FOR(sizeof(brImpactModelDef))};
}

double brDynamicFactor(const brMaterial* material)
{
	double n = material->fatigueExponent;
	if (!(n > 0.0))
	{
		return 1.0;
	}
	// Equal damage, the integral of stress^n: a ramp to failure in the test, half a sine in the blow.
	double test = IMPACT_TEST_SECONDS / (n + 1.0), blow = IMPACT_BLOW_SECONDS * sqrt(2.0 / (BR_PI * n));
	return brPower(test / blow, 1.0 / n);
}

static brImpactKey impactKey(const brStrike* strike)
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

// Whether a path says what a blow of this energy does.
static bool impactReaches(const brImpactPath* path, double energy)
{
	return path->isWhole || (path->count > 0 && energy < path->energy[path->count - 1]);
}

// The path of a blow that is remembered and goes far enough, or null.
static const brImpactPath* impactKnown(const brImpactModel* model, const brImpactKey* key, double energy)
{
	for (int32_t i = 0; i < model->keptCount; ++i)
	{
		if (memcmp(&model->keys[i], key, sizeof(*key)) == 0 && impactReaches(&model->paths[i], energy))
		{
			return &model->paths[i];
		}
	}
	return NULL;
}

// Room for the path of a blow: the oldest is forgotten.
static brImpactPath* impactRoom(brImpactModel* model, const brStrike* strike)
{
	int32_t slot = model->nextKept;
	model->nextKept = (slot + 1) % BR_IMPACT_KEPT;
	model->keptCount = model->keptCount < BR_IMPACT_KEPT ? model->keptCount + 1 : BR_IMPACT_KEPT;
	model->keys[slot] = impactKey(strike);
	return &model->paths[slot];
}

// The whole path of a blow from how the two meet.
static const brImpactPath* impactFind(brImpactModel* model, const brStrike* strike, brImpactAnswer* answer)
{
	brImpactPath* path = impactRoom(model, strike);
	brImpactAnswer_AskAll(model, NULL, answer);
	brImpactAnswer_Walk(model, answer, strike, path);
	return path;
}

// The same: remembered, or found.
static const brImpactPath* impactPath(brImpactModel* model, const brStrike* strike)
{
	brImpactKey key = impactKey(strike);
	const brImpactPath* known = impactKnown(model, &key, INFINITY);
	if (known != NULL)
	{
		return known;
	}
	brImpactAnswer answer;
	brImpactAnswer_Meet(model, strike, &answer);
	brImpactAnswer_Focus(model, &answer);
	return impactFind(model, strike, &answer);
}

static double impactRatio(const brImpactModel* model, const brImpactPath* path, int32_t k, double strength)
{
	return fmax(path->pull[k] / (model->dynamic * strength), path->local[k]);
}

static double impactStrength(const brImpactModel* model, const brStrike* strike)
{
	return strike->strength > 0.0 ? strike->strength : model->material.tensileStrength;
}

// Peak force of a small round striker against the wall near it: Hertz in series with the wall's resistance to a point force, Z = 8 sqrt(D rho t)
// (Cremer and Heckl). 0 for flat ground, which stops the body as a whole.
static double impactEarlyForce(const brImpactModel* model, double wall, const brStrike* strike)
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

// Early force that breaks: it splits the wall, or bends it too far near the contact before the body as a whole feels anything.
static double impactEarlyLimit(const brImpactModel* model, double wall, double across, const brStrike* strike)
{
	double split = brImpactSplit(&model->material, wall, strike->otherRadius);
	double pull = across > 0.0 ? across * brImpactEarlyPull(model, wall, strike->mass) : 0.0;
	return pull > 0.0 ? fmin(split, model->dynamic * impactStrength(model, strike) / pull) : split;
}

// Energy at which the early force reaches a limit.
static double impactEarlyThreshold(const brImpactModel* model, double wall, double limit, const brStrike* strike)
{
	double low = 0.0, high = INFINITY;
	brStrike at = *strike;
	at.energy = 1.0;
	for (int i = 0; i < 60 && impactEarlyForce(model, wall, strike) > 0.0; ++i)
	{
		bool isOver = impactEarlyForce(model, wall, &at) >= limit;
		low = isOver ? low : at.energy;
		high = isOver ? at.energy : high;
		at.energy = isinf(high) ? 8.0 * at.energy : low > 0.0 ? sqrt(low * high) : 0.125 * high;
	}
	return high;
}

// Between two points of a path quantities go as powers of the energy; before the first one force goes as energy^0.6, as of a ball.
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

static double impactThreshold(const brImpactModel* model, const brImpactPath* path, double strength)
{
	int32_t last = path->count - 1, k = 0;
	while (k < last && impactRatio(model, path, k, strength) < 1.0)
	{
		k += 1;
	}
	double ratio = impactRatio(model, path, k, strength);
	if (!(ratio > 0.0))
	{
		return INFINITY;
	}
	if (k == 0 || ratio < 1.0)
	{
		return path->energy[k] * brPower(ratio, ratio < 1.0 ? -2.0 : -1.0 / 0.6);
	}
	double before = impactRatio(model, path, k - 1, strength);
	double share = before > 0.0 ? brLogarithm(1.0 / before) / brLogarithm(ratio / before) : 1.0;
	return path->energy[k - 1] * brPower(path->energy[k] / path->energy[k - 1], share);
}

double brImpactModel_ThresholdEnergy(brImpactModel* model, const brStrike* strike)
{
	const brImpactPath* path = impactPath(model, strike);
	brStrike at = *strike;
	at.energy = fmax(at.energy, 1.0);
	double limit = impactEarlyLimit(model, path->wall, path->across, strike);
	return fmin(impactThreshold(model, path, impactStrength(model, strike)),
				impactEarlyThreshold(model, path->wall, limit, &at));
}

// What a blow of some energy does, by its path.
static brImpact impactOf(const brImpactModel* model, const brImpactPath* path, const brStrike* strike)
{
	brImpact impact = {.ratio = 0.0};
	double strength = impactStrength(model, strike), u = strike->energy;
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
	double early = impactEarlyForce(model, path->wall, strike);
	double limit = early > 0.0 ? impactEarlyLimit(model, path->wall, path->across, strike) : INFINITY;
	local = fmax(local, early / limit);
	impact.earlyForce = fmax(impact.force, early);
	impact.ratio = fmax(impact.stress / (model->dynamic * strength), local);
	impact.isLocal = local > impact.stress / (model->dynamic * strength);
	impact.contactTime = impact.force > 0.0 ? BR_PI * sqrt(2.0 * strike->mass * u) / impact.force : 0.0;
	impact.threshold = fmin(impactThreshold(model, path, strength),
							impact.ratio >= 1.0 ? impactEarlyThreshold(model, path->wall, limit, strike) : INFINITY);
	return impact;
}

// The ratio alone.
static double impactRatioOf(const brImpactModel* model, const brImpactPath* path, const brStrike* strike)
{
	int32_t k = 0;
	for (; k < path->count - 1 && path->energy[k] < strike->energy; ++k)
	{
	}
	double early = impactEarlyForce(model, path->wall, strike);
	double limit = early > 0.0 ? impactEarlyLimit(model, path->wall, path->across, strike) : INFINITY;
	double pull = impactOnPath(path, path->pull, k, strike->energy);
	double local = fmax(impactOnPath(path, path->local, k, strike->energy), early / limit);
	return fmax(pull / (model->dynamic * impactStrength(model, strike)), local);
}

// The probe that is nearest to a place and looks there as it does, in the lattice's axes.
static const brImpactProbe* impactNearestProbe(const brImpactModel* model, brDVec3 point, brDVec3 inward)
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

brImpactParting brImpactModel_Part(brImpactModel* model, const brStrike* strike)
{
	const brImpactPath* path = impactPath(model, strike);
	brImpactParting parting = {.impact = impactOf(model, path, strike)};
	double limit = model->dynamic * impactStrength(model, strike);
	parting.byPull = parting.impact.stress / limit;
	double early = impactEarlyForce(model, path->wall, strike);
	double bent = path->across > 0.0 ? path->across * brImpactEarlyPull(model, path->wall, strike->mass) : 0.0;
	double split = brImpactSplit(&model->material, path->wall, 0.0); // the whole wall: what is less deep is a crater
	parting.byContact = fmax(parting.impact.earlyForce / split, early * bent / limit);
	return parting;
}

// The path of a place where the body as a whole gives way least and is pulled most: no blow there does worse.
static void impactBound(const brImpactModel* model, const brStrike* strike, const brImpactAnswer* meeting,
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

// Whether a blow is stood by the bound of its place.
static bool impactIsWithin(const brImpactModel* model, const brStrike* strike, const brImpactPath* path)
{
	double early = impactEarlyForce(model, path->wall, strike);
	if (early > 0.0 && early >= impactEarlyLimit(model, path->wall, path->across, strike))
	{
		return false;
	}
	int32_t k = 0;
	for (; k + 1 < path->count && path->energy[k] < strike->energy; ++k)
	{
	}
	double strength = model->dynamic * impactStrength(model, strike);
	return path->count > 0 && path->energy[k] >= strike->energy && path->pull[k] < strength && path->local[k] < 1.0;
}

// A place that is not remembered, and what may break the body there.
typedef struct ImpactPlace
{
	uint64_t name;
	brImpactKey key;
	int32_t firstBlow;
	double energy; // greatest of the blows that are asked about
	const brStrike* strike;
	brImpactAnswer answer;
	brImpactPath path; // the bound, then what it is
} ImpactPlace;

typedef struct ImpactBlow
{
	const brStrike* strike;
	brImpact* out;
	int32_t index; // among all blows that were put
	int32_t place;
	int32_t next; // at the same place, or -1
	bool isAsked; // no bound answers it
} ImpactBlow;

// What the ratio of a blow is for sure and what it is likely to be; both if it is known.
typedef struct ImpactGuess
{
	double least, likely;
	bool isLeft; // it may be that nobody needs to know more
} ImpactGuess;

typedef struct ImpactBlows
{
	const brImpactModel* model;
	brBlowNeed* needs;    // [count] or null: all are asked about
	ImpactGuess* guesses; // [count] of blows that were put
	ImpactBlow* blows;
	ImpactPlace* places;
	int32_t* asked; // places that the bound does not settle
	int32_t count, blowCount, placeCount, askedCount;
	brWorkers* workers;
	brFlexModel* twins; // [workers] made by those that ask; without tets: not yet
	bool* hasNoMemory;  // [workers]
} ImpactBlows;

// Whether all blows at a place are stood by its bound.
static bool impactSettles(const ImpactBlows* all, ImpactPlace* place)
{
	place->energy = 0.0;
	for (int32_t i = place->firstBlow; i >= 0; i = all->blows[i].next)
	{
		ImpactBlow* blow = &all->blows[i];
		blow->isAsked = !impactIsWithin(all->model, blow->strike, &place->path);
		place->energy = blow->isAsked ? fmax(place->energy, blow->strike->energy) : place->energy;
	}
	return !(place->energy > 0.0);
}

// The path of a place that gives way as one value says and is pulled as another: per newton, at Young's modulus 1.
static void impactWalkEvenly(const brImpactModel* model, const brStrike* strike, const brImpactAnswer* meeting,
							 double give, double pull, brImpactPath* path)
{
	brImpactAnswer even = *meeting;
	even.levels = BR_IMPACT_LEVELS;
	for (int l = 0; l < BR_IMPACT_LEVELS; ++l)
	{
		even.give[l] = give;
		even.pull[l] = pull;
	}
	brImpactAnswer_Walk(model, &even, strike, path);
}

// Guesses at the ratios of blows at a place that its bound does not settle. The least is that of a body that gives way most and breaks at the contact alone,
// or a share of what the nearest probe says.
static void impactGuess(const ImpactBlows* all, const ImpactPlace* place)
{
	const brImpactModel* model = all->model;
	const brImpactAnswer* meeting = &place->answer;
	const brImpactProbe* probe = impactNearestProbe(model, meeting->plane.point, meeting->plane.inward);
	brImpactPath soft, near;
	impactWalkEvenly(model, place->strike, meeting, model->maxGive * model->material.youngsModulus, 0.0, &soft);
	impactWalkEvenly(model, place->strike, meeting, probe->give, probe->pull, &near);
	for (int32_t i = place->firstBlow; i >= 0; i = all->blows[i].next)
	{
		const ImpactBlow* blow = &all->blows[i];
		if (blow->isAsked)
		{
			brStrike known = *blow->strike;
			known.energy = fmin(known.energy, soft.energy[soft.count - 1]);
			double likely = impactRatioOf(model, &near, blow->strike);
			double least = fmax(impactRatioOf(model, &soft, &known), IMPACT_GUESS * likely);
			all->guesses[blow->index] = (ImpactGuess){least, fmax(least, likely), false};
		}
	}
}

static void impactMeetRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const ImpactBlows* all = user;
	for (int32_t i = begin; i < end; ++i)
	{
		ImpactPlace* place = &all->places[i];
		brImpactAnswer_Meet(all->model, place->strike, &place->answer);
		impactBound(all->model, place->strike, &place->answer, &place->path);
		if (impactSettles(all, place))
		{
			continue;
		}
		if (brImpactAnswer_Focus(all->model, &place->answer))
		{
			impactBound(all->model, place->strike, &place->answer, &place->path);
		}
		if (!impactSettles(all, place) && all->needs != NULL)
		{
			impactGuess(all, place);
		}
	}
}

// Four places side by side. Contacts that get wide are asked for once more, and those that get wider still one by one.
static void impactStrikeFour(const brImpactModel* model, brWorkers* workers, ImpactPlace* places, const int32_t* list,
							 int32_t count)
{
	for (int level = 0; level < 2; ++level)
	{
		brImpactAnswer* asked[BR_FRONT_LANES];
		int32_t askedCount = 0;
		for (int32_t i = 0; i < count; ++i)
		{
			ImpactPlace* place = &places[list[i]];
			if (level == 0 || !impactReaches(&place->path, place->energy))
			{
				asked[askedCount++] = &place->answer;
			}
		}
		if (askedCount > 0)
		{
			brImpactAnswer_AskNext(model, workers, asked, askedCount);
		}
		for (int32_t i = 0; i < count; ++i)
		{
			ImpactPlace* place = &places[list[i]];
			if (place->answer.levels == level + 1)
			{
				brImpactAnswer_Walk(model, &place->answer, place->strike, &place->path);
			}
		}
	}
	for (int32_t i = 0; i < count; ++i)
	{
		ImpactPlace* place = &places[list[i]];
		if (!impactReaches(&place->path, place->energy))
		{
			brImpactAnswer_AskAll(model, workers, &place->answer);
			brImpactAnswer_Walk(model, &place->answer, place->strike, &place->path);
		}
	}
}

brImpact brImpactModel_Strike(brImpactModel* model, const brStrike* strike)
{
	if (!(strike->energy > 0.0))
	{
		return (brImpact){.ratio = 0.0};
	}
	// As far as the contact gets wide, and no farther.
	brImpactKey key = impactKey(strike);
	const brImpactPath* known = impactKnown(model, &key, strike->energy);
	if (known == NULL)
	{
		ImpactPlace place = {.energy = strike->energy, .strike = strike};
		const int32_t only = 0;
		brImpactAnswer_Meet(model, strike, &place.answer);
		brImpactAnswer_Focus(model, &place.answer);
		impactStrikeFour(model, NULL, &place, &only, 1);
		brImpactPath* path = impactRoom(model, strike);
		*path = place.path;
		known = path;
	}
	return impactOf(model, known, strike);
}

static void impactStrikeRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	const ImpactBlows* all = user;
	brFlexModel* flex = &all->twins[worker];
	if (flex->tetCount == 0 && !brFlexModel_MakeTwin(all->model->flex, flex))
	{
		all->hasNoMemory[worker] = true;
	}
	brImpactModel twin = *all->model;
	twin.flex = flex;
	for (int32_t i = begin; i < end && !all->hasNoMemory[worker]; ++i)
	{
		int32_t first = i * BR_FRONT_LANES, left = all->askedCount - first;
		impactStrikeFour(&twin, all->workers, all->places, all->asked + first,
						 left < BR_FRONT_LANES ? left : BR_FRONT_LANES);
	}
}

// The place of a blow among those that are listed; a new one if it is not.
static int32_t impactPlaceOf(ImpactBlows* all, const brStrike* strike, const brImpactKey* key)
{
	uint64_t name = brHashBytes(0, key, sizeof(*key));
	int32_t i = 0;
	while (i < all->placeCount && (all->places[i].name != name || memcmp(&all->places[i].key, key, sizeof(*key)) != 0))
	{
		i += 1;
	}
	if (i == all->placeCount)
	{
		ImpactPlace* place = &all->places[all->placeCount++];
		place->name = name, place->key = *key, place->strike = strike, place->firstBlow = -1;
	}
	return i;
}

// Blows whose paths are remembered are answered, the others listed with their places.
static void impactListNew(const brStrike* strikes, brImpact* out, ImpactBlows* all)
{
	for (int32_t i = 0; i < all->count; ++i)
	{
		brImpactKey key = impactKey(&strikes[i]);
		const brImpactPath* known = impactKnown(all->model, &key, strikes[i].energy);
		out[i] = known != NULL ? impactOf(all->model, known, &strikes[i]) : (brImpact){.ratio = 0.0};
		all->guesses[i] = (ImpactGuess){out[i].ratio, out[i].ratio, false};
		if (known == NULL && strikes[i].energy > 0.0)
		{
			int32_t place = impactPlaceOf(all, &strikes[i], &key), own = all->blowCount++;
			all->blows[own] = (ImpactBlow){&strikes[i], &out[i], i, place, all->places[place].firstBlow, false};
			all->places[place].firstBlow = own;
		}
	}
}

// The hardest blow on a body by what is sure, and by what is likely.
static void impactHardest(const ImpactBlows* all, int32_t body, int32_t* outSure, int32_t* outLikely)
{
	*outSure = *outLikely = -1;
	for (int32_t i = 0; i < all->count; ++i)
	{
		const ImpactGuess* own = &all->guesses[i];
		bool isOf = all->needs[i].body == body;
		*outSure = isOf && (*outSure < 0 || own->least > all->guesses[*outSure].least) ? i : *outSure;
		*outLikely = isOf && (*outLikely < 0 || own->likely > all->guesses[*outLikely].likely) ? i : *outLikely;
	}
}

// How many blows on the same body are likely to be harder.
static int32_t impactRank(const ImpactBlows* all, int32_t index)
{
	double own = all->guesses[index].likely;
	int32_t rank = 0;
	for (int32_t i = 0; i < all->count; ++i)
	{
		double other = all->guesses[i].likely;
		rank += all->needs[i].body == all->needs[index].body && (other > own || (other == own && i < index));
	}
	return rank;
}

// Of blows on one body only the hardest counts. If it is sure which one that is, and that it breaks the body, no more need be known before the
// body's turn to break. If not, as many as fit into one question are asked about, those that are likely to be hardest.
static void impactLeaveOut(ImpactBlows* all)
{
	for (int32_t n = 0; n < all->blowCount; ++n)
	{
		ImpactBlow* blow = &all->blows[n];
		ImpactGuess* own = &all->guesses[blow->index];
		brBlowNeed* need = &all->needs[blow->index];
		int32_t sure, likely;
		if (!blow->isAsked)
		{
			continue;
		}
		impactHardest(all, need->body, &sure, &likely);
		bool isSure = sure == likely && all->guesses[sure].least >= 1.0 && all->needs[sure].mayWait;
		own->isLeft = isSure ? sure != blow->index : impactRank(all, blow->index) >= BR_FRONT_LANES;
		need->isRough = isSure && sure == blow->index;
		blow->isAsked = !isSure && !own->isLeft;
		blow->out->ratio = need->isRough ? own->least : 0.0;
	}
}

// Blows that were left out on bodies that break without them are likely to break them or not; on bodies that do not, they are asked about.
static void impactTakeBack(ImpactBlows* all, const brImpact* out)
{
	for (int32_t n = 0; n < all->blowCount; ++n)
	{
		ImpactBlow* blow = &all->blows[n];
		const ImpactGuess* own = &all->guesses[blow->index];
		brBlowNeed* need = &all->needs[blow->index];
		double hardest = 0.0;
		for (int32_t i = 0; own->isLeft && i < all->count; ++i)
		{
			bool isKnown = all->needs[i].body == need->body && !all->guesses[i].isLeft;
			hardest = isKnown ? fmax(hardest, out[i].ratio) : hardest;
		}
		blow->isAsked = own->isLeft && hardest < 1.0;
		if (own->isLeft && hardest >= 1.0)
		{
			need->isRough = own->likely >= 1.0;
			blow->out->ratio = need->isRough ? 1.0 : 0.0;
		}
	}
}

// Asks about the blows that are to be asked about, four places at a time. False without memory.
static bool impactAsk(brImpactModel* model, ImpactBlows* all)
{
	brWorkers* workers = all->workers;
	all->askedCount = 0;
	for (int32_t i = 0; i < all->placeCount; ++i)
	{
		ImpactPlace* place = &all->places[i];
		place->energy = 0.0;
		for (int32_t n = place->firstBlow; n >= 0; n = all->blows[n].next)
		{
			const ImpactBlow* blow = &all->blows[n];
			place->energy = blow->isAsked ? fmax(place->energy, blow->strike->energy) : place->energy;
		}
		if (place->energy > 0.0)
		{
			place->answer.levels = 0;
			all->asked[all->askedCount++] = i;
		}
	}
	int32_t count = all->askedCount;
	brParallelFor(workers, (count + BR_FRONT_LANES - 1) / BR_FRONT_LANES, 1, impactStrikeRange, all);
	for (int32_t i = 0; i < brWorkers_GetCount(workers); ++i)
	{
		if (all->hasNoMemory[i])
		{
			return false;
		}
	}
	for (int32_t i = 0; i < all->blowCount; ++i)
	{
		const ImpactBlow* blow = &all->blows[i];
		if (blow->isAsked)
		{
			*blow->out = impactOf(model, &all->places[blow->place].path, blow->strike);
		}
	}
	for (int32_t i = count < BR_IMPACT_KEPT ? 0 : count - BR_IMPACT_KEPT; i < count; ++i)
	{
		const ImpactPlace* place = &all->places[all->asked[i]];
		*impactRoom(model, place->strike) = place->path;
	}
	return true;
}

// What the blows at places that are not remembered do. False without memory.
static bool impactStrikeNew(brImpactModel* model, ImpactBlows* all, const brImpact* out)
{
	brParallelFor(all->workers, all->placeCount, 1, impactMeetRange, all);
	if (all->needs == NULL)
	{
		return impactAsk(model, all);
	}
	impactLeaveOut(all);
	if (!impactAsk(model, all))
	{
		return false;
	}
	impactTakeBack(all, out);
	return impactAsk(model, all);
}

bool brImpactModel_StrikeAll(const brContext* context, brImpactModel* model, const brStrike* strikes, int32_t count,
							 brBlowNeed* needs, brImpact* out)
{
	const brAllocator* allocator = &model->allocator;
	int32_t workers = brWorkers_GetCount(context->workers);
	ImpactBlows all = {.model = model, .needs = needs, .count = count, .workers = context->workers};
	all.guesses = BR_ALLOC_ZERO(allocator, ImpactGuess, count);
	all.blows = BR_ALLOC(allocator, ImpactBlow, count);
	all.places = BR_ALLOC(allocator, ImpactPlace, count);
	all.asked = BR_ALLOC(allocator, int32_t, count);
	all.twins = BR_ALLOC_ZERO(allocator, brFlexModel, workers);
	all.hasNoMemory = BR_ALLOC_ZERO(allocator, bool, workers);
	bool hasMemory = all.guesses != NULL && all.blows != NULL && all.places != NULL && all.asked != NULL &&
					 all.twins != NULL && all.hasNoMemory != NULL;
	if (hasMemory)
	{
		impactListNew(strikes, out, &all);
		hasMemory = impactStrikeNew(model, &all, out);
	}
	for (int32_t i = 0; all.twins != NULL && i < workers; ++i)
	{
		if (all.twins[i].tetCount > 0)
		{
			brFlexModel_FreeTwin(&all.twins[i]);
		}
	}
	BR_FREE(allocator, all.hasNoMemory, workers);
	BR_FREE(allocator, all.twins, workers);
	BR_FREE(allocator, all.asked, count);
	BR_FREE(allocator, all.places, count);
	BR_FREE(allocator, all.blows, count);
	BR_FREE(allocator, all.guesses, count);
	return hasMemory;
}

brStrike brImpactModel_Drop(brImpactModel* model, brDVec3 down, const brMaterial* ground)
{
	const brFlexModel* flex = model->flex;
	brDVec3 inward = brDNeg(brDNormalize(down)), turned = brMat3_MulV(&flex->turn, inward);
	brStrike strike;
	memset(&strike, 0, sizeof(strike));
	strike.inward = inward;
	if (ground != NULL)
	{
		strike.other = *ground;
	}
	// The lowest place, of several the one farthest from under the center: there it tips.
	double lowest = INFINITY, aside = -1.0;
	brDVec3 best = flex->triangles[0][0];
	for (int pass = 0; pass < 2; ++pass)
	{
		for (int32_t i = 0; i < 3 * flex->triangleCount; ++i)
		{
			brDVec3 p = flex->triangles[i / 3][i % 3], r = brDSub(p, flex->center);
			double z = brDDot(p, turned), along = brDDot(r, turned), far = brDLengthSq(r) - along * along;
			if (pass == 0)
			{
				lowest = fmin(lowest, z);
			}
			else if (z < lowest + 5e-4 * model->size && far > aside + IMPACT_SAME * model->size * model->size)
			{
				aside = far;
				best = p;
			}
		}
	}
	brMat3 back = brMat3_Transpose(&flex->turn);
	strike.point = brMat3_MulV(&back, best);
	brDVec3 lever = brDCross(brDSub(strike.point, model->center), inward);
	strike.mass = 1.0 / (1.0 / model->mass + brDDot(lever, brMat3_MulV(&model->invInertia, lever)));
	return strike;
}

// Least force of the local rules, wherever the blow is.
static double impactLeastSplit(const brImpactModel* model, double otherRadius)
{
	return fmin(model->minSplit, brImpactSplit(&model->material, 0.5 * model->size, otherRadius));
}

// No force up to this breaks the body, wherever it presses.
static bool impactStandsForce(const brImpactModel* model, const brStrike* strike, double force)
{
	return force * model->maxPullByForce < model->dynamic * impactStrength(model, strike) &&
		   force < impactLeastSplit(model, strike->otherRadius);
}

// Nothing breaks early in the blow, wherever it is.
static bool impactIsEarlySafe(const brImpactModel* model, const brStrike* strike)
{
	double early = impactEarlyForce(model, model->flex->wall, strike);
	if (!(early > 0.0))
	{
		return true;
	}
	if (early >= impactLeastSplit(model, strike->otherRadius))
	{
		return false;
	}
	// The heavier what hits, the farther it bends; most blows are stood even if it were of any mass.
	double strength = model->dynamic * impactStrength(model, strike);
	return early * model->maxEarlyPull < strength ||
		   early * brImpactEarlyPull(model, model->minWall, strike->mass) < strength;
}

bool brImpactModel_IsSafe(const brImpactModel* model, const brStrike* strike)
{
	const brMaterial *own = &model->material, *other = &strike->other;
	double root = sqrt(2.0 * strike->energy), split = impactLeastSplit(model, strike->otherRadius);
	if (strike->energy >= brImpactHardness(own) * BR_IMPACT_CHIP * model->mass / own->density)
	{
		return false;
	}
	bool isRound = strike->otherRadius > 0.0;
	bool isEarlySafe = impactIsEarlySafe(model, strike);
	if (root * model->maxPull < model->dynamic * impactStrength(model, strike) && root < split * sqrt(model->minGive) &&
		isEarlySafe)
	{
		return true;
	}
	if (!isRound || !isEarlySafe)
	{
		return false;
	}
	// The contact is no stiffer than that of a ball on a plane.
	double compliance = (1.0 - own->poissonRatio * own->poissonRatio) / own->youngsModulus;
	compliance +=
		other->youngsModulus > 0.0 ? (1.0 - other->poissonRatio * other->poissonRatio) / other->youngsModulus : 0.0;
	double stiffness = 4.0 / 3.0 * sqrt(strike->otherRadius) / compliance;
	return impactStandsForce(model, strike, brHertzForce(strike->energy, stiffness, model->minGive));
}

bool brImpactModel_IsSafeThere(const brImpactModel* model, const brStrike* strike)
{
	brImpactAnswer answer;
	brImpactPath path;
	brImpactAnswer_Meet(model, strike, &answer);
	impactBound(model, strike, &answer, &path);
	if (!impactIsWithin(model, strike, &path) && brImpactAnswer_Focus(model, &answer))
	{
		impactBound(model, strike, &answer, &path);
	}
	return impactIsWithin(model, strike, &path);
}

bool brImpactModel_IsRestSafe(const brImpactModel* model, double force, double strength)
{
	return force * model->maxPullByForce < strength;
}

brImpact brImpactModel_Rest(brImpactModel* model, const brRestLoad* loads, int32_t count, double strength)
{
	const brFlexModel* flex = model->flex;
	brDVec3 points[IMPACT_RESTS];
	double shares[IMPACT_RESTS], one = 1.0;
	brFlexPatch all = {points, shares, 0};
	brImpact impact = {.ratio = 0.0};
	brFlexModel_Begin(flex);
	for (int32_t i = 0; i < count && i < IMPACT_RESTS; ++i)
	{
		points[all.count++] = brMat3_MulV(&flex->turn, loads[i].point);
		brFlexPatch patch = {&points[i], &one, 1};
		brFlexModel_Press(flex, &patch, brMat3_MulV(&flex->turn, loads[i].force), 0);
		impact.force = fmax(impact.force, brDLength(loads[i].force));
	}
	double work[BR_FRONT_LANES];
	brFlexModel_Solve(flex, work);
	impact.bodyEnergy = 0.5 * work[0] / model->material.youngsModulus;
	brImpactSpot spot = {&all, flex->wall, 0.0, 0.0};
	brImpactPulls(model, NULL, &spot, 1, &impact.stress);
	impact.ratio = impact.stress / (strength > 0.0 ? strength : model->material.tensileStrength);
	impact.contactRadius = 0.5 * flex->wall;
	return impact;
}

double brImpactModel_Give(const brImpactModel* model, brDVec3 point, brDVec3 inward)
{
	brDVec3 p = brMat3_MulV(&model->flex->turn, point), n = brMat3_MulV(&model->flex->turn, inward);
	return impactNearestProbe(model, p, n)->give / model->material.youngsModulus;
}

brResult brCreateImpactModel(const brContext* context, const brImpactModelDef* def, brImpactModel** outModel,
							 brReport* report)
{
	if (def == NULL || def->stamp != BR_STAMP_FOR(sizeof(*def)) || def->mesh == NULL || def->tets < 50 ||
		def->tets > 100000)
	{
		return brFail(report, br_errorMisuse,
					  "an impact model needs a def from brDefaultImpactModelDef(), a mesh, and 50 to 100000 tets");
	}
	const char* wrong = brMaterial_Check(&def->material);
	if (wrong != NULL)
	{
		return brFail(report, br_errorMisuse, "%s", wrong);
	}
	brMeshCheck check;
	brResult result = brCheckTopology(context, def->mesh, &check, report);
	if (result < 0)
	{
		return result;
	}
	brMassProperties mass = brMesh_ComputeMass(def->mesh, def->material.density);
	if (check.boundaryEdges + check.misorientedEdges > 0 || !(mass.volume > 0.0))
	{
		return brFail(
			report, br_errorGeometry,
			"an impact model needs a closed mesh, this one has %d open edges, %d between faces that are turned "
			"to different sides, and holds %g m^3; brMendMesh closes it",
			check.boundaryEdges, check.misorientedEdges, mass.volume);
	}
	brAllocator allocator = brContext_Allocator(context);
	brImpactModel* model = BR_ALLOC_ZERO(&allocator, brImpactModel, 1);
	if (model == NULL)
	{
		return brFailMemory(report);
	}
	model->allocator = allocator;
	model->material = def->material;
	model->mass = mass.mass;
	model->center = mass.center;
	brMat3 cofactor = brMat3_Cofactor(&mass.inertia);
	double inverse = 1.0 / brMat3_Determinant(&mass.inertia);
	model->invInertia =
		(brMat3){brDMul(inverse, cofactor.cx), brDMul(inverse, cofactor.cy), brDMul(inverse, cofactor.cz)};
	model->size = brPower(mass.volume, 1.0 / 3.0);
	model->dynamic = brDynamicFactor(&def->material);
	model->exponent = def->material.weibullModulus > 0.0 ? def->material.weibullModulus : IMPACT_DEFAULT_MODULUS;
	brFlexDef flex = {.mesh = def->mesh,
					  .volume = mass.volume,
					  .poissonRatio = fmin(def->material.poissonRatio, 0.45),
					  .tets = def->tets,
					  .isHeld = def->isHeld};
	result = brCreateFlexModel(&allocator, &flex, &model->flex);
	if (result >= 0)
	{
		model->paths = BR_ALLOC(&allocator, brImpactPath, BR_IMPACT_KEPT);
		result = model->paths != NULL ? result : br_errorMemory;
	}
	if (result < 0)
	{
		brDestroyImpactModel(model);
		return result == br_errorMemory ? brFailMemory(report)
										: brFail(report, result, "an impact model found nothing solid in the mesh");
	}
	brImpactModel_Probe(model);
	*outModel = model;
	return brSucceed(report);
}

void brDestroyImpactModel(brImpactModel* model)
{
	if (model == NULL)
	{
		return;
	}
	brAllocator allocator = model->allocator;
	BR_FREE(&allocator, model->paths, BR_IMPACT_KEPT);
	brDestroyFlexModel(model->flex);
	BR_FREE(&allocator, model, 1);
}
