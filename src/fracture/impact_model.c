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
#include "base/report.h"
#include "fracture/contact_law.h"
#include "fracture/impact_guess.h"
#include "math/power.h"
#include "mesh/topology.h"

#include <math.h>
#include <string.h>

#define IMPACT_PI 3.14159265358979323846
#define IMPACT_CHI 0.15    // K = chi F / c^1.5
#define IMPACT_CRATER 0.5  // a third of the depth of a crater, in radii of what hits
#define IMPACT_CHIP 1.3e-4 // of the volume: a corner or edge with so much crushed has spalled, which is a break
#define IMPACT_DEFAULT_MODULUS 20.0 // of materials without scatter
#define IMPACT_PATCH 48             // points of a contact
#define IMPACT_ENOUGH 4.0           // times what the body stands: there a path ends
#define IMPACT_SUBSTEPS 4           // of a path between two depths
#define IMPACT_TEST_SECONDS 30.0
#define IMPACT_BLOW_SECONDS 5e-4
#define IMPACT_WALL_BOUND 1.3 // no wall is thinner than that of the thinnest probe by more
#define IMPACT_BOUND 1.7      // no place is worse than the worst probe by more
#define IMPACT_EVEN 1.4       // times as thick within twice the reach: a wall,
#define IMPACT_CORNER 1.8     // and from here on a corner
#define IMPACT_PLACES 7       // of a triangle where it may be hit: its middle, and its corners in two ways
#define IMPACT_COARSE                                                                                                  \
	0.3 // root of twice the area of a triangle over the size of the body, from which its corners are places of their own

static const double impactLevels[BR_IMPACT_LEVELS] = {0.5, 2.0, 6.0, 18.0}; // radius of a contact in walls

brImpactModelDef brDefaultImpactModelDef(void)
{
	return (brImpactModelDef){
		.material = *brFindMaterial("glass"), .tets = 700, .stamp = BR_STAMP_FOR(sizeof(brImpactModelDef))};
}

double brDynamicFactor(const brMaterial* material)
{
	double n = material->fatigueExponent;
	if (!(n > 0.0))
	{
		return 1.0;
	}
	// Equal damage, the integral of stress^n: a ramp to failure in the test, half a sine in the blow.
	double test = IMPACT_TEST_SECONDS / (n + 1.0), blow = IMPACT_BLOW_SECONDS * sqrt(2.0 / (IMPACT_PI * n));
	return brPower(test / blow, 1.0 / n);
}

static double impactHardness(const brMaterial* material)
{
	return material->hardness > 0.0 ? material->hardness : 8.0 * material->compressiveStrength;
}

// Force at which a crack runs from the contact through the wall, or as deep as what hits is large: that is a crater.
static double impactSplit(const brMaterial* material, double wall, double otherRadius)
{
	double deep = otherRadius > 0.0 ? fmin(wall, IMPACT_CRATER * otherRadius) : wall;
	return material->toughness * brPower(3.0 * deep, 1.5) / IMPACT_CHI;
}

// How the body answers one newton spread over contacts of four sizes at a place.
typedef struct ImpactAnswer
{
	brContactPlane plane;
	brContactAreas areas;
	int32_t levels;                  // that are known of give and pull: the narrowest, or all
	double depth[BR_IMPACT_LEVELS];  // of the contact
	double radius[BR_IMPACT_LEVELS]; // of the contact
	double give[BR_IMPACT_LEVELS];   // at Young's modulus 1
	double pull[BR_IMPACT_LEVELS];
	double wall, growth, across;
	brDVec3 points[BR_IMPACT_LEVELS][IMPACT_PATCH];
	double shares[BR_IMPACT_LEVELS][IMPACT_PATCH];
	brFlexPatch patches[BR_IMPACT_LEVELS];
} ImpactAnswer;

// Without the part that a half-space gives, which the contact has: both at Young's modulus 1. Up to two walls it does not depend on the contact then.
static double impactGive(const brImpactModel* model, double give, double wall)
{
	double a = 0.5 * wall, edge = 0.6 * model->flex->edge, nu = model->material.poissonRatio;
	double halfSpace = 0.5 * 0.6 * (1.0 - nu * nu) / sqrt(a * a + edge * edge);
	return fmax(give - halfSpace, 0.05 * give);
}

// Corners of lumps do not bend as walls do, however thin they are at their tips.
static double impactIsWall(double growth)
{
	return fmax(0.0, fmin(1.0, (IMPACT_CORNER - growth) / (IMPACT_CORNER - IMPACT_EVEN)));
}

static brContactPlane impactPlane(const brImpactModel* model, const brStrike* strike)
{
	const brFlexModel* flex = model->flex;
	brDVec3 point = brMat3_MulV(&flex->turn, strike->point), inward = brMat3_MulV(&flex->turn, strike->inward);
	double curvature = strike->otherRadius > 0.0 ? 1.0 / strike->otherRadius : 0.0;
	return brFindContactPlane(flex, point, inward, curvature, model->size);
}

// How the two surfaces meet.
static void impactMeet(const brImpactModel* model, const brStrike* strike, ImpactAnswer* answer)
{
	answer->plane = impactPlane(model, strike);
	answer->areas = brMeasureContact(model->flex, &answer->plane, model->size);
	answer->wall = brLocalWall(model->flex, answer->plane.point, &answer->growth);
	answer->levels = 0;
	for (int l = 0; l < BR_IMPACT_LEVELS; ++l)
	{
		double want = impactLevels[l] * answer->wall;
		answer->depth[l] = brContactAreas_Depth(&answer->areas, 2.0 * IMPACT_PI * want * want);
		answer->radius[l] = sqrt(brContactAreas_Area(&answer->areas, answer->depth[l]) / (2.0 * IMPACT_PI));
	}
}

static void impactPress(const brImpactModel* model, ImpactAnswer* answer, int l, int32_t lane)
{
	const brFlexModel* flex = model->flex;
	// As fine as the stress beyond a wall can tell, and no finer than four times as many as are kept.
	double fine = fmax(fmin(0.5 * answer->wall, 0.3 * flex->edge), model->size / 64.0);
	fine = fmax(fine, sqrt(IMPACT_PI / 2.0 / IMPACT_PATCH) * impactLevels[l] * answer->wall);
	answer->patches[l] = (brFlexPatch){answer->points[l], answer->shares[l], 0};
	brFillPatch(flex, &answer->plane, answer->depth[l], fine, IMPACT_PATCH, &answer->patches[l]);
	brFlexModel_Press(flex, &answer->patches[l], answer->plane.inward, lane);
}

// `gives` are those of the lattice, of as many levels.
static void impactTakeGives(const brImpactModel* model, ImpactAnswer* answer, const double* gives, int levels)
{
	answer->across =
		impactIsWall(answer->growth) * brImpactAcross(model, answer->points[0][0], answer->plane.inward, answer->wall);
	answer->levels = levels;
	answer->give[0] = impactGive(model, gives[0], answer->wall);
	for (int l = 1; l < levels; ++l)
	{
		bool isNarrow = !(answer->radius[l] > impactLevels[1] * answer->wall * 1.001);
		answer->give[l] = isNarrow ? answer->give[0] : fmin(gives[l], answer->give[l - 1]);
	}
}

static brImpactSpot impactSpot(const brImpactModel* model, const ImpactAnswer* answer, int l)
{
	bool isBent = BR_IMPACT_SPREAD * model->flex->edge > fmax(answer->wall, answer->radius[l]);
	return (brImpactSpot){&answer->patches[l], answer->wall, answer->radius[l], isBent ? answer->across : 0.0};
}

// All levels of one place, a lane each.
static void impactAskWhole(const brImpactModel* model, ImpactAnswer* answer)
{
	double gives[BR_FRONT_LANES];
	brImpactSpot spots[BR_IMPACT_LEVELS];
	brFlexModel_Begin(model->flex);
	for (int l = 0; l < BR_IMPACT_LEVELS; ++l)
	{
		impactPress(model, answer, l, l);
	}
	brFlexModel_Solve(model->flex, gives);
	impactTakeGives(model, answer, gives, BR_IMPACT_LEVELS);
	for (int l = 0; l < BR_IMPACT_LEVELS; ++l)
	{
		spots[l] = impactSpot(model, answer, l);
	}
	brImpactPulls(model, spots, BR_IMPACT_LEVELS, answer->pull);
}

// The narrowest level of up to four places: most blows need no other.
static void impactAskNarrow(const brImpactModel* model, ImpactAnswer* answers, int32_t count)
{
	double gives[BR_FRONT_LANES], pulls[BR_FRONT_LANES];
	brImpactSpot spots[BR_FRONT_LANES];
	brFlexModel_Begin(model->flex);
	for (int32_t i = 0; i < count; ++i)
	{
		impactPress(model, &answers[i], 0, i);
	}
	brFlexModel_Solve(model->flex, gives);
	for (int32_t i = 0; i < count; ++i)
	{
		impactTakeGives(model, &answers[i], &gives[i], 1);
		spots[i] = impactSpot(model, &answers[i], 0);
	}
	brImpactPulls(model, spots, count, pulls);
	for (int32_t i = 0; i < count; ++i)
	{
		answers[i].pull[0] = pulls[i];
	}
}

static double impactBetween(const double* x, const double* y, double at)
{
	if (at <= x[0])
	{
		return y[0];
	}
	for (int l = 1; l < BR_IMPACT_LEVELS; ++l)
	{
		if (at <= x[l] && x[l] > x[l - 1] && y[l] > 0.0 && y[l - 1] > 0.0)
		{
			double share = brLogarithm(at / x[l - 1]) / brLogarithm(x[l] / x[l - 1]);
			return y[l - 1] * brPower(y[l] / y[l - 1], share);
		}
	}
	return y[BR_IMPACT_LEVELS - 1];
}

// Walks down the depths: force, contact energy, and what the body feels; until it would break several times over, or the contact
// is wider than is known.
static void impactWalk(const brImpactModel* model, const ImpactAnswer* answer, const brStrike* strike,
					   brImpactPath* path)
{
	const brContactAreas* areas = &answer->areas;
	const brMaterial *own = &model->material, *other = &strike->other;
	double compliance = (1.0 - own->poissonRatio * own->poissonRatio) / own->youngsModulus;
	compliance +=
		other->youngsModulus > 0.0 ? (1.0 - other->poissonRatio * other->poissonRatio) / other->youngsModulus : 0.0;
	double modulus = 1.0 / compliance, hardOwn = impactHardness(own);
	double hardOther = other->youngsModulus > 0.0 ? impactHardness(other) : INFINITY, hard = fmin(hardOwn, hardOther);
	double split = impactSplit(own, answer->wall, strike->otherRadius);
	double force = 0.0, contact = 0.0, last = 0.0, pull = 0.0, local = 0.0, crushed = 0.0;
	double volume = model->size * model->size * model->size;
	path->count = 0;
	path->isWhole = true;
	path->wall = answer->wall;
	path->across = answer->across;
	for (int k = 0; k + 1 < BR_CONTACT_STEPS && path->count < BR_IMPACT_STEPS; ++k)
	{
		double a = 0.0, growth = brPower(areas->depths[k + 1] / areas->depths[k], 1.0 / IMPACT_SUBSTEPS),
			   to = areas->depths[k];
		for (int j = 0; j < IMPACT_SUBSTEPS; ++j)
		{
			to *= growth;
			double area = brContactAreas_Area(areas, 0.5 * (last + to)), elastic;
			a = sqrt(area / (2.0 * IMPACT_PI));
			elastic = force + 2.0 * modulus * a * (to - last);
			double next = fmax(force, fmin(elastic, hard * area));
			crushed += next < elastic && hardOwn <= hardOther ? area * (to - last) : 0.0;
			contact += 0.5 * (force + next) * (to - last);
			force = next;
			last = to;
		}
		if (answer->levels == 1 && a > answer->radius[0])
		{
			path->isWhole = false;
			break;
		}
		double give = impactBetween(answer->radius, answer->give, fmax(a, answer->radius[0])) / own->youngsModulus;
		double body = 0.5 * give * force * force;
		pull = fmax(pull, force * impactBetween(answer->radius, answer->pull, a));
		local = fmax(local, fmax(force / split, sqrt(crushed / (IMPACT_CHIP * volume))));
		double energy = contact + body + 0.5 * strike->otherGive * force * force;
		if (path->count > 0 && energy <= path->energy[path->count - 1])
		{
			continue; // the body gives way less to a wider contact: energy comes back
		}
		path->energy[path->count] = energy;
		path->force[path->count] = force;
		path->radius[path->count] = a;
		path->body[path->count] = body;
		path->pull[path->count] = pull;
		path->local[path->count++] = local;
		if (pull > IMPACT_ENOUGH * model->dynamic * own->tensileStrength || local > IMPACT_ENOUGH)
		{
			break;
		}
	}
}

static brImpactKey impactKey(const brStrike* strike)
{
	return (brImpactKey){
		.point = strike->point,
		.inward = strike->inward,
		.otherYoung = strike->other.youngsModulus,
		.otherPoisson = strike->other.poissonRatio,
		.otherHardness = strike->other.youngsModulus > 0.0 ? impactHardness(&strike->other) : 0.0,
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
static const brImpactPath* impactFind(brImpactModel* model, const brStrike* strike, ImpactAnswer* answer)
{
	brImpactPath* path = impactRoom(model, strike);
	impactAskWhole(model, answer);
	impactWalk(model, answer, strike, path);
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
	ImpactAnswer answer;
	impactMeet(model, strike, &answer);
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
	double split = impactSplit(&model->material, wall, strike->otherRadius);
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
	impact.contactTime = impact.force > 0.0 ? IMPACT_PI * sqrt(2.0 * strike->mass * u) / impact.force : 0.0;
	impact.threshold = fmin(impactThreshold(model, path, strength),
							impact.ratio >= 1.0 ? impactEarlyThreshold(model, path->wall, limit, strike) : INFINITY);
	return impact;
}

brImpact brImpactModel_Strike(brImpactModel* model, const brStrike* strike)
{
	if (!(strike->energy > 0.0))
	{
		return (brImpact){.ratio = 0.0};
	}
	return impactOf(model, impactPath(model, strike), strike);
}

// Whether a blow is stood whatever the body as a whole does, by how the two meet.
static bool impactIsSafeThere(const brImpactModel* model, const brStrike* strike, const ImpactAnswer* meeting)
{
	ImpactAnswer worst = *meeting;
	// The wall is that of the place; what bends early is at most all of the force.
	double early = impactEarlyForce(model, worst.wall, strike), across = impactIsWall(worst.growth) > 0.0 ? 1.0 : 0.0;
	if (early > 0.0 && early >= impactEarlyLimit(model, worst.wall, across, strike))
	{
		return false;
	}
	worst.levels = BR_IMPACT_LEVELS;
	worst.across = across;
	for (int l = 0; l < BR_IMPACT_LEVELS; ++l)
	{
		worst.give[l] = model->minGive * model->material.youngsModulus;
		worst.pull[l] = model->maxPullByForce;
	}
	brImpactPath path;
	impactWalk(model, &worst, strike, &path);
	int32_t k = 0;
	for (; k + 1 < path.count && path.energy[k] < strike->energy; ++k)
	{
	}
	double strength = model->dynamic * impactStrength(model, strike);
	return path.count > 0 && path.energy[k] >= strike->energy && path.pull[k] < strength && path.local[k] < 1.0;
}

// Up to four blows side by side.
typedef struct ImpactFour
{
	ImpactAnswer answers[BR_FRONT_LANES];
	const brStrike* strikes[BR_FRONT_LANES];
	brImpact* out[BR_FRONT_LANES];
	int32_t count;
} ImpactFour;

// Those whose contact gets wide are asked for once more, as a whole.
static void impactStrikeFour(brImpactModel* model, ImpactFour* four)
{
	bool isFar[BR_FRONT_LANES];
	impactAskNarrow(model, four->answers, four->count);
	for (int32_t i = 0; i < four->count; ++i)
	{
		const brStrike* strike = four->strikes[i];
		brImpactPath* path = impactRoom(model, strike);
		impactWalk(model, &four->answers[i], strike, path);
		isFar[i] = !impactReaches(path, strike->energy);
		*four->out[i] = isFar[i] ? (brImpact){.ratio = 0.0} : impactOf(model, path, strike);
	}
	for (int32_t i = 0; i < four->count; ++i)
	{
		if (isFar[i])
		{
			*four->out[i] = impactOf(model, impactFind(model, four->strikes[i], &four->answers[i]), four->strikes[i]);
		}
	}
	four->count = 0;
}

void brImpactModel_StrikeAll(brImpactModel* model, const brStrike* strikes, int32_t count, brImpact* out)
{
	ImpactFour four = {.count = 0};
	for (int32_t i = 0; i < count; ++i)
	{
		brImpactKey key = impactKey(&strikes[i]);
		const brImpactPath* known = impactKnown(model, &key, strikes[i].energy);
		out[i] = known != NULL ? impactOf(model, known, &strikes[i]) : (brImpact){.ratio = 0.0};
		ImpactAnswer* answer = &four.answers[four.count];
		if (known != NULL || !(strikes[i].energy > 0.0))
		{
			continue;
		}
		impactMeet(model, &strikes[i], answer);
		if (impactIsSafeThere(model, &strikes[i], answer))
		{
			continue;
		}
		four.strikes[four.count] = &strikes[i];
		four.out[four.count++] = &out[i];
		if (four.count == BR_FRONT_LANES)
		{
			impactStrikeFour(model, &four);
		}
	}
	if (four.count > 0)
	{
		impactStrikeFour(model, &four);
	}
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
			else if (z < lowest + 5e-4 * model->size && far > aside)
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
	return fmin(model->minSplit, impactSplit(&model->material, 0.5 * model->size, otherRadius));
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
	bool isWall = model->size > BR_IMPACT_SLENDER * model->minWall;
	return !(early > 0.0) || early < fmin(impactLeastSplit(model, strike->otherRadius),
										  impactEarlyLimit(model, model->minWall, isWall ? 1.0 : 0.0, strike));
}

bool brImpactModel_IsSafe(const brImpactModel* model, const brStrike* strike)
{
	const brMaterial *own = &model->material, *other = &strike->other;
	double root = sqrt(2.0 * strike->energy), split = impactLeastSplit(model, strike->otherRadius);
	if (strike->energy >= impactHardness(own) * IMPACT_CHIP * model->mass / own->density)
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
	ImpactAnswer answer;
	impactMeet(model, strike, &answer);
	return impactIsSafeThere(model, strike, &answer);
}

bool brImpactModel_IsRestSafe(const brImpactModel* model, double force, double strength)
{
	return force * model->maxPullByForce < strength;
}

brImpact brImpactModel_Rest(brImpactModel* model, const brRestLoad* loads, int32_t count, double strength)
{
	const brFlexModel* flex = model->flex;
	brDVec3 points[IMPACT_PATCH];
	double shares[IMPACT_PATCH], one = 1.0;
	brFlexPatch all = {points, shares, 0};
	brImpact impact = {.ratio = 0.0};
	brFlexModel_Begin(flex);
	for (int32_t i = 0; i < count && i < IMPACT_PATCH; ++i)
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
	brImpactPulls(model, &spot, 1, &impact.stress);
	impact.ratio = impact.stress / (strength > 0.0 ? strength : model->material.tensileStrength);
	impact.contactRadius = 0.5 * flex->wall;
	return impact;
}

double brImpactModel_Give(const brImpactModel* model, brDVec3 point, brDVec3 inward)
{
	brDVec3 p = brMat3_MulV(&model->flex->turn, point), n = brMat3_MulV(&model->flex->turn, inward);
	double best = INFINITY, give = 0.0;
	for (int i = 0; i < BR_IMPACT_PROBES; ++i)
	{
		const brImpactProbe* probe = &model->probes[i];
		double far = brDDistance(p, probe->point) + 0.15 * model->size * (1.0 - brDDot(n, probe->inward));
		if (far < best)
		{
			best = far;
			give = probe->give;
		}
	}
	return give / model->material.youngsModulus;
}

// The middle of a triangle and how the surface looks there; of a large one its corners too, pressed so and towards the middle of the body. False if
// there is no such place.
static bool impactPlaceOf(const brImpactModel* model, int32_t triangle, int place, brImpactProbe* out)
{
	const brFlexModel* flex = model->flex;
	const brDVec3* c = flex->triangles[triangle];
	brDVec3 cross = brDCross(brDSub(c[1], c[0]), brDSub(c[2], c[0]));
	double twice = brDLength(cross), most = IMPACT_COARSE * model->size;
	if (!(twice > 0.0) || (place > 0 && twice < most * most))
	{
		return false;
	}
	out->point = place > 0 ? c[(place - 1) % 3] : brDMul(1.0 / 3.0, brDAdd(c[0], brDAdd(c[1], c[2])));
	out->inward = place > 3 ? brDNormalize(brDSub(flex->center, out->point)) : brDMul(-1.0 / twice, cross);
	return true;
}

// Places far from each other, by position and by which way the surface looks there.
static void impactChooseProbes(brImpactModel* model)
{
	const brFlexModel* flex = model->flex;
	int32_t stride = flex->triangleCount / 2000 + 1;
	for (int i = 0; i < BR_IMPACT_PROBES; ++i)
	{
		double most = -1.0;
		for (int32_t t = 0; t < flex->triangleCount; t += stride)
		{
			for (int place = 0; place < IMPACT_PLACES; ++place)
			{
				brImpactProbe at;
				if (!impactPlaceOf(model, t, place, &at))
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

static void impactAskProbes(brImpactModel* model)
{
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
			double growth;
			probe->wall = brLocalWall(flex, probe->point, &growth);
			probe->give = impactGive(model, gives[l], probe->wall);
			double across = impactIsWall(growth) * brImpactAcross(model, probe->point, probe->inward, probe->wall);
			patches[l] = (brFlexPatch){&probe->point, &one, 1};
			spots[l] = (brImpactSpot){&patches[l], probe->wall, 0.0, across};
		}
		brImpactPulls(model, spots, BR_FRONT_LANES, pulls);
		for (int l = 0; l < BR_FRONT_LANES; ++l)
		{
			brImpactProbe* probe = &model->probes[first + l];
			probe->pull = pulls[l];
			double young = model->material.youngsModulus;
			double split = impactSplit(&model->material, probe->wall, 0.0);
			model->maxPull = fmax(model->maxPull, IMPACT_BOUND * probe->pull / sqrt(probe->give / young));
			model->maxPullByForce = fmax(model->maxPullByForce, IMPACT_BOUND * probe->pull);
			model->minGive = fmin(model->minGive, probe->give / (IMPACT_BOUND * young));
			model->minSplit = fmin(model->minSplit, split / IMPACT_BOUND);
			model->minWall = fmin(model->minWall, probe->wall / IMPACT_WALL_BOUND);
		}
	}
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
	impactChooseProbes(model);
	impactAskProbes(model);
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
