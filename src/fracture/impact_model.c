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
#include "math/power.h"

#include <math.h>
#include <string.h>

#define IMPACT_PI 3.14159265358979323846
#define IMPACT_CHI 0.15    // K = chi F / c^1.5
#define IMPACT_CRATER 0.5  // a third of the depth of a crater, in radii of what hits
#define IMPACT_CHIP 1.3e-4 // of the volume: a corner or edge with so much crushed has spalled, which is a break
#define IMPACT_DEFAULT_MODULUS 20.0 // of materials without scatter
#define IMPACT_PATCH 48             // points of a contact
#define IMPACT_SPREAD 0.33          // of an edge: a point force in the lattice is one spread over such a ring
#define IMPACT_RINGS 8
#define IMPACT_THIN                                                                                                    \
	8.0 // edges over walls: up to here the lattice sees what bends near the hit, or so little is lost as at rims and feet
#define IMPACT_BEHIND 3.0 // walls: what is hit is bent only if the body ends nearer than this
#define IMPACT_ENOUGH 4.0 // times what the body stands: there a path ends
#define IMPACT_SUBSTEPS 4 // of a path between two depths
#define IMPACT_TEST_SECONDS 30.0
#define IMPACT_BLOW_SECONDS 5e-4
#define IMPACT_BOUND 1.5 // no place is worse than the worst probe by more

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

// Volume that a test stresses evenly.
static double impactSpecimen(const brMaterial* material, double exponent)
{
	// By default a plate 360 mm wide and 6 mm thick, bent by four rolls, the inner ones 200 mm apart (EN 1288-3).
	double plate = 0.36 * 0.2 * 0.006 / (2.0 * (exponent + 1.0));
	return material->specimenVolume > 0.0 ? material->specimenVolume : plate;
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
	double radius[BR_IMPACT_LEVELS]; // of the contact
	double give[BR_IMPACT_LEVELS];   // at Young's modulus 1
	double pull[BR_IMPACT_LEVELS];   // of the first `pullCount`; the others are found when a contact gets so wide
	int32_t pullCount;
	double wall, across;
	brDVec3 points[BR_IMPACT_LEVELS][IMPACT_PATCH];
	double shares[BR_IMPACT_LEVELS][IMPACT_PATCH];
	brFlexPatch patches[BR_IMPACT_LEVELS];
} ImpactAnswer;

static bool impactIsNear(const brFlexPatch* patch, brDVec3 p, double reach)
{
	for (int32_t i = 0; i < patch->count; ++i)
	{
		if (brDLengthSq(brDSub(patch->points[i], p)) < reach * reach)
		{
			return true;
		}
	}
	return false;
}

// x^m; most exponents of Weibull are whole numbers.
static double impactPower(double x, double m)
{
	if (m != floor(m) || m > 64.0)
	{
		return brPower(x, m);
	}
	double power = 1.0;
	for (int32_t n = (int32_t)m; n > 0; n >>= 1, x *= x)
	{
		power = (n & 1) != 0 ? power * x : power;
	}
	return power;
}

static double impactSize(const double s[6])
{
	return sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + 2.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

// Sum of pull^m over a tet: stress is linear in it, so three Gauss points along each spread.
static double impactTetSum(const brFlexStress* stress, double volume, double exponent, double scale)
{
	static const double at[3] = {-0.7745966692414834, 0.0, 0.7745966692414834},
						weights[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
	double sum = 0.0;
	for (int k = 0; k < 27; ++k)
	{
		int i = k % 3, j = k / 3 % 3, l = k / 9;
		double s[6];
		for (int c = 0; c < 6; ++c)
		{
			s[c] = stress->center[c] + at[i] * stress->slopes[0][c] + at[j] * stress->slopes[1][c] +
				   at[l] * stress->slopes[2][c];
		}
		double pull = brGreatestPull(s) * scale;
		if (pull > 0.05)
		{
			sum += weights[i] * weights[j] * weights[l] * volume * impactPower(pull, exponent);
		}
	}
	return sum;
}

// How far behind a place of the surface the body ends; INFINITY if a line beside it misses.
static double impactBehind(const brFlexModel* flex, brDVec3 point, brDVec3 inward, double skip)
{
	double nearest = INFINITY;
	for (int32_t i = 0; i < flex->triangleCount; ++i)
	{
		const brDVec3* t = flex->triangles[i];
		brDVec3 ab = brDSub(t[1], t[0]), ac = brDSub(t[2], t[0]), q = brDCross(inward, ac), s = brDSub(point, t[0]);
		double det = brDDot(ab, q), u = brDDot(s, q);
		if (!(det < 0.0) || u > 0.0 || u < det) // only where the line leaves
		{
			continue;
		}
		brDVec3 r = brDCross(s, ab);
		double v = brDDot(inward, r), far = brDDot(ac, r) / det;
		nearest = v <= 0.0 && u + v >= det && far > skip ? fmin(nearest, far) : nearest;
	}
	return nearest;
}

// What of one newton bends the wall at a place: nothing where the wall goes on along the force, as at a rim or a foot.
static double impactAcross(const brFlexModel* flex, brDVec3 point, brDVec3 inward, double wall)
{
	double fine = flex->edge / wall - IMPACT_THIN;
	if (!(fine > 0.0))
	{
		return 0.0;
	}
	double behind = impactBehind(flex, point, inward, 0.2 * wall) / wall;
	return fmax(0.0, fmin(1.0, (IMPACT_BEHIND - behind) / (0.5 * IMPACT_BEHIND))) * fmin(1.0, 0.25 * fine);
}

// A contact as the body's stress sees it.
typedef struct ImpactSpot
{
	const brFlexPatch* patch;
	int32_t lane;
	double wall, radius, across;
} ImpactSpot;

// Near the hit a wall is bent over less than an edge of the lattice: the pull of its face grows by 3 (1 + nu) F / (2 pi t^2) ln(b / r) from where the
// lattice spreads the force, at b, inward (a plate under a ring, Timoshenko). Adds to the sum of powers, scaled by `most`; `pull` is that at b.
static double impactNearSum(const brImpactModel* model, const ImpactSpot* spot, double pull, double most)
{
	double wall = spot->wall, from = fmax(wall, spot->radius), to = IMPACT_SPREAD * model->flex->edge,
		   m = model->exponent, sum = 0.0;
	if (!(to > from))
	{
		return 0.0;
	}
	double slope = 3.0 * (1.0 + model->material.poissonRatio) * spot->across / (2.0 * IMPACT_PI * wall * wall);
	double ratio = brPower(to / from, 1.0 / IMPACT_RINGS), r = to;
	for (int k = 0; k < IMPACT_RINGS; ++k)
	{
		double inner = r / ratio, middle = sqrt(r * inner), ring = IMPACT_PI * (r * r - inner * inner);
		double stress = (pull + slope * brLogarithm(to / middle)) / most;
		sum += ring * wall / (2.0 * (m + 1.0)) * brPower(stress, m); // linear across the wall
		r = inner;
	}
	return sum;
}

// The greatest pull at the middle of any tet beyond the wall.
static double impactGreatest(const brImpactModel* model, const ImpactSpot* spot)
{
	const brFlexModel* flex = model->flex;
	const double(*values)[BR_FRONT_LANES] = (const double(*)[BR_FRONT_LANES])model->values;
	double most = 0.0;
	for (int32_t t = 0; t < flex->tetCount; ++t)
	{
		double stress[6];
		brFlexModel_CenterStress(flex, values, spot->lane, t, stress);
		if (impactSize(stress) > most)
		{
			brDVec3 center = brFlexModel_Place(flex, &flex->tets[t], flex->tets[t].center);
			double pull = brGreatestPull(stress);
			most = pull > most && !impactIsNear(spot->patch, center, spot->wall) ? pull : most;
		}
	}
	return most;
}

// The Weibull mean of the pull by one newton, away from where it is applied.
static double impactPull(const brImpactModel* model, const ImpactSpot* spot)
{
	const brFlexModel* flex = model->flex;
	const double(*values)[BR_FRONT_LANES] = (const double(*)[BR_FRONT_LANES])model->values;
	double most = impactGreatest(model, spot), sum = 0.0, nearSum = 0.0, nearVolume = 0.0, m = model->exponent;
	double near = fmax(flex->edge, spot->wall);
	// What cannot matter to a sum of powers is not looked at closely.
	double least = most * brPower(1e-3, 1.0 / m);
	for (int32_t t = 0; t < flex->tetCount && most > 0.0; ++t)
	{
		const brFlexTet* tet = &flex->tets[t];
		brFlexStress stress = brFlexModel_Stress(flex, values, spot->lane, t);
		double bound = impactSize(stress.center) + impactSize(stress.slopes[0]) + impactSize(stress.slopes[1]) +
					   impactSize(stress.slopes[2]);
		if (bound < least)
		{
			continue;
		}
		brDVec3 center = brFlexModel_Place(flex, tet, tet->center);
		bool isNear = spot->across > 0.0 && impactIsNear(spot->patch, center, near);
		bool isFar = !impactIsNear(spot->patch, center, spot->wall);
		if (!isNear && !isFar)
		{
			continue;
		}
		double own = impactTetSum(&stress, tet->volume, m, 1.0 / most);
		nearSum += isNear ? own : 0.0;
		nearVolume += isNear ? tet->volume : 0.0;
		sum += isFar ? own : 0.0;
	}
	if (nearSum > 0.0)
	{
		double face = most * brPower(2.0 * (m + 1.0) * nearSum / nearVolume, 1.0 / m);
		sum += impactNearSum(model, spot, face, most);
	}
	return sum > 0.0 ? most * brPower(sum / impactSpecimen(&model->material, m), 1.0 / m) : 0.0;
}

// Without the part that a half-space gives, which the contact has: both at Young's modulus 1. Up to two walls it does not depend on the contact then.
static double impactGive(const brImpactModel* model, double give, double wall)
{
	double a = 0.5 * wall, edge = 0.6 * model->flex->edge, nu = model->material.poissonRatio;
	double halfSpace = 0.5 * 0.6 * (1.0 - nu * nu) / sqrt(a * a + edge * edge);
	return fmax(give - halfSpace, 0.05 * give);
}

static void impactAsk(brImpactModel* model, const brContactPlane* plane, const brContactAreas* areas,
					  ImpactAnswer* answer)
{
	const brFlexModel* flex = model->flex;
	int64_t rows = 3 * (int64_t)flex->nodeCount;
	answer->wall = brLocalWall(flex, plane->point);
	answer->pullCount = 0;
	memset(model->loads, 0, sizeof(*model->loads) * (size_t)rows);
	for (int l = 0; l < BR_IMPACT_LEVELS; ++l)
	{
		double want = impactLevels[l] * answer->wall;
		double depth = brContactAreas_Depth(areas, 2.0 * IMPACT_PI * want * want);
		double fine = fmax(fmin(0.25 * want, 0.3 * flex->edge), model->size / 64.0);
		answer->patches[l] = (brFlexPatch){answer->points[l], answer->shares[l], 0};
		brFillPatch(flex, plane, depth, fine, IMPACT_PATCH, &answer->patches[l]);
		answer->radius[l] = sqrt(brContactAreas_Area(areas, depth) / (2.0 * IMPACT_PI));
		brFlexModel_Press(flex, &answer->patches[l], plane->inward, l, model->loads);
		brFlexModel_Relieve(flex, l, model->loads);
	}
	memcpy(model->values, model->loads, sizeof(*model->loads) * (size_t)rows);
	brFrontFactor_Solve(flex->factor, model->values, model->scratch);
	answer->across = impactAcross(flex, answer->points[0][0], plane->inward, answer->wall);
	for (int l = 0; l < BR_IMPACT_LEVELS; ++l)
	{
		answer->give[l] = 0.0;
		for (int64_t i = 0; i < rows; ++i)
		{
			answer->give[l] += model->loads[i][l] * model->values[i][l];
		}
		bool isNarrow = l == 0 || !(answer->radius[l] > impactLevels[1] * answer->wall * 1.001);
		answer->give[l] = l == 0     ? impactGive(model, answer->give[l], answer->wall)
						  : isNarrow ? answer->give[0]
									 : fmin(answer->give[l], answer->give[l - 1]);
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

// The pull by one newton over a contact of this radius.
static double impactPullAt(const brImpactModel* model, ImpactAnswer* answer, double radius)
{
	bool isEnough = answer->pullCount > 0 && radius <= answer->radius[answer->pullCount - 1];
	while (!isEnough && answer->pullCount < BR_IMPACT_LEVELS)
	{
		int32_t l = answer->pullCount++;
		bool isBent = IMPACT_SPREAD * model->flex->edge > fmax(answer->wall, answer->radius[l]);
		ImpactSpot spot = {&answer->patches[l], l, answer->wall, answer->radius[l], isBent ? answer->across : 0.0};
		answer->pull[l] = impactPull(model, &spot);
		isEnough = radius <= answer->radius[l];
	}
	return impactBetween(answer->radius, answer->pull, radius);
}

// Walks down the depths: force, contact energy, and what the body feels; until it would break several times over.
static void impactWalk(const brImpactModel* model, ImpactAnswer* answer, const brContactAreas* areas,
					   const brStrike* strike, brImpactPath* path)
{
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
	path->wall = answer->wall;
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
		double give = impactBetween(answer->radius, answer->give, fmax(a, answer->radius[0])) / own->youngsModulus;
		double body = 0.5 * give * force * force;
		pull = fmax(pull, force * impactPullAt(model, answer, a));
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

static brContactPlane impactPlane(const brImpactModel* model, const brStrike* strike)
{
	const brFlexModel* flex = model->flex;
	brDVec3 point = brMat3_MulV(&flex->turn, strike->point), inward = brMat3_MulV(&flex->turn, strike->inward);
	double curvature = strike->otherRadius > 0.0 ? 1.0 / strike->otherRadius : 0.0;
	return brFindContactPlane(flex, point, inward, curvature, model->size);
}

// The path of a blow: remembered, or found.
static const brImpactPath* impactPath(brImpactModel* model, const brStrike* strike)
{
	brImpactKey key = impactKey(strike);
	for (int32_t i = 0; i < model->keptCount; ++i)
	{
		if (memcmp(&model->keys[i], &key, sizeof(key)) == 0)
		{
			return &model->paths[i];
		}
	}
	int32_t slot = model->nextKept;
	model->nextKept = (slot + 1) % BR_IMPACT_KEPT;
	model->keptCount = model->keptCount < BR_IMPACT_KEPT ? model->keptCount + 1 : BR_IMPACT_KEPT;
	model->keys[slot] = key;
	brContactPlane plane = impactPlane(model, strike);
	brContactAreas areas = brMeasureContact(model->flex, &plane, model->size);
	ImpactAnswer answer;
	impactAsk(model, &plane, &areas, &answer);
	impactWalk(model, &answer, &areas, strike, &model->paths[slot]);
	return &model->paths[slot];
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

// Energy at which the early force splits the wall.
static double impactEarlyThreshold(const brImpactModel* model, double wall, const brStrike* strike)
{
	double split = impactSplit(&model->material, wall, strike->otherRadius), low = 0.0, high = INFINITY;
	brStrike at = *strike;
	at.energy = 1.0;
	for (int i = 0; i < 60 && impactEarlyForce(model, wall, strike) > 0.0; ++i)
	{
		bool isOver = impactEarlyForce(model, wall, &at) >= split;
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
	return fmin(impactThreshold(model, path, impactStrength(model, strike)),
				impactEarlyThreshold(model, path->wall, &at));
}

brImpact brImpactModel_Strike(brImpactModel* model, const brStrike* strike)
{
	brImpact impact = {.ratio = 0.0};
	if (!(strike->energy > 0.0))
	{
		return impact;
	}
	const brImpactPath* path = impactPath(model, strike);
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
	local = fmax(local, early / impactSplit(&model->material, path->wall, strike->otherRadius));
	impact.earlyForce = fmax(impact.force, early);
	impact.ratio = fmax(impact.stress / (model->dynamic * strength), local);
	impact.isLocal = local > impact.stress / (model->dynamic * strength);
	impact.contactTime = impact.force > 0.0 ? IMPACT_PI * sqrt(2.0 * strike->mass * u) / impact.force : 0.0;
	impact.threshold = fmin(impactThreshold(model, path, strength),
							impact.ratio >= 1.0 ? impactEarlyThreshold(model, path->wall, strike) : INFINITY);
	return impact;
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

bool brImpactModel_IsSafe(const brImpactModel* model, const brStrike* strike)
{
	double root = sqrt(2.0 * strike->energy), strength = impactStrength(model, strike);
	double chip = impactHardness(&model->material) * IMPACT_CHIP * model->mass / model->material.density;
	double split = fmin(model->minSplit, impactSplit(&model->material, 0.5 * model->size, strike->otherRadius));
	return root * model->maxPull < model->dynamic * strength && root < split * sqrt(model->minGive) &&
		   strike->energy < chip;
}

bool brImpactModel_IsRestSafe(const brImpactModel* model, double force, double strength)
{
	return force * model->maxPullByForce < strength;
}

brImpact brImpactModel_Rest(brImpactModel* model, const brRestLoad* loads, int32_t count, double strength)
{
	const brFlexModel* flex = model->flex;
	size_t bytes = sizeof(*model->loads) * 3 * (size_t)flex->nodeCount;
	brDVec3 points[IMPACT_PATCH];
	double shares[IMPACT_PATCH], one = 1.0;
	brFlexPatch all = {points, shares, 0};
	brImpact impact = {.ratio = 0.0};
	memset(model->loads, 0, bytes);
	for (int32_t i = 0; i < count && i < IMPACT_PATCH; ++i)
	{
		points[all.count++] = brMat3_MulV(&flex->turn, loads[i].point);
		brFlexPatch patch = {&points[i], &one, 1};
		brFlexModel_Press(flex, &patch, brMat3_MulV(&flex->turn, loads[i].force), 0, model->loads);
		impact.force = fmax(impact.force, brDLength(loads[i].force));
	}
	brFlexModel_Relieve(flex, 0, model->loads);
	memcpy(model->values, model->loads, bytes);
	brFrontFactor_Solve(flex->factor, model->values, model->scratch);
	for (int64_t i = 0; i < 3 * (int64_t)flex->nodeCount; ++i)
	{
		impact.bodyEnergy += 0.5 * model->loads[i][0] * model->values[i][0] / model->material.youngsModulus;
	}
	ImpactSpot spot = {&all, 0, flex->wall, 0.0, 0.0};
	impact.stress = impactPull(model, &spot);
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
			const brDVec3* c = flex->triangles[t];
			brDVec3 normal = brDNormalize(brDCross(brDSub(c[1], c[0]), brDSub(c[2], c[0])));
			brDVec3 middle = brDMul(1.0 / 3.0, brDAdd(c[0], brDAdd(c[1], c[2])));
			double far = i == 0 ? brDDistance(middle, flex->center) : INFINITY;
			for (int k = 0; k < i; ++k)
			{
				const brImpactProbe* probe = &model->probes[k];
				far = fmin(far, brDDistance(middle, probe->point) +
									0.15 * model->size * (1.0 + brDDot(normal, probe->inward)));
			}
			if (far > most && brDLengthSq(normal) > 0.5)
			{
				most = far;
				model->probes[i].point = middle;
				model->probes[i].inward = brDNeg(normal);
			}
		}
	}
}

static void impactAskProbes(brImpactModel* model)
{
	const brFlexModel* flex = model->flex;
	int64_t rows = 3 * (int64_t)flex->nodeCount;
	double one = 1.0;
	model->minGive = INFINITY, model->minSplit = INFINITY;
	for (int first = 0; first < BR_IMPACT_PROBES; first += BR_FRONT_LANES)
	{
		memset(model->loads, 0, sizeof(*model->loads) * (size_t)rows);
		for (int l = 0; l < BR_FRONT_LANES; ++l)
		{
			brImpactProbe* probe = &model->probes[first + l];
			brFlexPatch patch = {&probe->point, &one, 1};
			brFlexModel_Press(flex, &patch, probe->inward, l, model->loads);
			brFlexModel_Relieve(flex, l, model->loads);
		}
		memcpy(model->values, model->loads, sizeof(*model->loads) * (size_t)rows);
		brFrontFactor_Solve(flex->factor, model->values, model->scratch);
		for (int l = 0; l < BR_FRONT_LANES; ++l)
		{
			brImpactProbe* probe = &model->probes[first + l];
			brFlexPatch patch = {&probe->point, &one, 1};
			double give = 0.0;
			for (int64_t i = 0; i < rows; ++i)
			{
				give += model->loads[i][l] * model->values[i][l];
			}
			probe->wall = brLocalWall(flex, probe->point);
			probe->give = impactGive(model, give, probe->wall);
			double across = impactAcross(flex, probe->point, probe->inward, probe->wall);
			ImpactSpot spot = {&patch, l, probe->wall, 0.0, across};
			probe->pull = impactPull(model, &spot);
			double young = model->material.youngsModulus;
			double split = impactSplit(&model->material, probe->wall, 0.0);
			model->maxPull = fmax(model->maxPull, IMPACT_BOUND * probe->pull / sqrt(probe->give / young));
			model->maxPullByForce = fmax(model->maxPullByForce, IMPACT_BOUND * probe->pull);
			model->minGive = fmin(model->minGive, probe->give / (IMPACT_BOUND * young));
			model->minSplit = fmin(model->minSplit, split / IMPACT_BOUND);
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
	brMassProperties mass = brMesh_ComputeMass(def->mesh, def->material.density);
	if (!(mass.volume > 0.0))
	{
		return brFail(report, br_errorGeometry, "an impact model needs a closed mesh, this one holds %g m^3",
					  mass.volume);
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
	brResult result = brCreateFlexModel(&allocator, &flex, &model->flex);
	if (result >= 0)
	{
		int64_t rows = 3 * (int64_t)model->flex->nodeCount;
		model->paths = BR_ALLOC(&allocator, brImpactPath, BR_IMPACT_KEPT);
		model->loads = brAllocArray(&allocator, rows, sizeof(*model->loads));
		model->values = brAllocArray(&allocator, rows, sizeof(*model->values));
		model->scratch = brAllocArray(&allocator, brFrontFactor_Scratch(model->flex->factor), sizeof(*model->scratch));
		bool hasMemory =
			model->paths != NULL && model->loads != NULL && model->values != NULL && model->scratch != NULL;
		result = hasMemory ? result : br_errorMemory;
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
	int64_t rows = model->flex != NULL ? 3 * (int64_t)model->flex->nodeCount : 0;
	BR_FREE(&allocator, model->scratch, model->flex != NULL ? brFrontFactor_Scratch(model->flex->factor) : 0);
	BR_FREE(&allocator, model->loads, rows);
	BR_FREE(&allocator, model->values, rows);
	BR_FREE(&allocator, model->paths, BR_IMPACT_KEPT);
	brDestroyFlexModel(model->flex);
	BR_FREE(&allocator, model, 1);
}
