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
#define IMPACT_CHI 0.15       // K = chi F / c^1.5
#define IMPACT_CHIP 0.05      // of the size: a corner crushed off so deep is a break
#define IMPACT_DEFAULT_MODULUS 20.0 // of materials without scatter
#define IMPACT_PATCH 48       // points of a contact
#define IMPACT_SUBSTEPS 4     // of a path between two depths
#define IMPACT_TEST_SECONDS 30.0
#define IMPACT_BLOW_SECONDS 5e-4
#define IMPACT_BOUND 1.5      // no place is worse than the worst probe by more
#define IMPACT_TURNS 24.0     // steps of a direction that share an answer, per unit

static const double impactLevels[BR_IMPACT_LEVELS] = {0.5, 2.0, 6.0, 18.0}; // radius of a contact in walls

brImpactModelDef brDefaultImpactModelDef(void)
{
	return (brImpactModelDef){.material = *brFindMaterial("glass"), .tets = 700, .stamp = BR_STAMP};
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

// How the body answers one newton spread over contacts of four sizes at a place.
typedef struct ImpactAnswer
{
	double radius[BR_IMPACT_LEVELS]; // of the contact
	double give[BR_IMPACT_LEVELS];   // at Young's modulus 1
	double pull[BR_IMPACT_LEVELS];
	double wall;
} ImpactAnswer;

typedef struct ImpactPatches
{
	brDVec3 points[BR_IMPACT_LEVELS][IMPACT_PATCH];
	double shares[BR_IMPACT_LEVELS][IMPACT_PATCH];
	brFlexPatch patches[BR_IMPACT_LEVELS];
} ImpactPatches;

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
			sum += weights[i] * weights[j] * weights[l] * volume * brPower(pull, exponent);
		}
	}
	return sum;
}

// The Weibull mean of the pull by one newton, away from where it is applied.
static double impactPull(const brImpactModel* model, const brFlexPatch* patch, int32_t lane, double wall)
{
	const brFlexModel* flex = model->flex;
	const double(*values)[BR_FRONT_LANES] = (const double(*)[BR_FRONT_LANES])model->values;
	double most = 0.0, sum = 0.0, exponent = model->exponent;
	// What cannot matter to a sum of powers is not looked at twice.
	double least = brPower(1e-3, 1.0 / exponent);
	for (int32_t t = 0; t < flex->tetCount; ++t)
	{
		const brFlexTet* tet = &flex->tets[t];
		brFlexStress stress = brFlexModel_Stress(flex, values, lane, t);
		double bound = impactSize(stress.center) + impactSize(stress.slopes[0]) + impactSize(stress.slopes[1]) +
					   impactSize(stress.slopes[2]);
		if (bound < least * most || impactIsNear(patch, brFlexModel_Place(flex, tet, tet->center), wall))
		{
			continue;
		}
		double pull = brGreatestPull(stress.center);
		if (pull > most)
		{
			double down = most / pull;
			sum *= brPower(down, exponent); // 0 the first time
			most = pull;
		}
		sum += most > 0.0 ? impactTetSum(&stress, tet->volume, exponent, 1.0 / most) : 0.0;
	}
	return sum > 0.0 ? most * brPower(sum / impactSpecimen(&model->material, exponent), 1.0 / exponent) : 0.0;
}

static ImpactAnswer impactAsk(brImpactModel* model, const brContactPlane* plane, const brContactAreas* areas)
{
	const brFlexModel* flex = model->flex;
	int64_t rows = 3 * (int64_t)flex->nodeCount;
	ImpactAnswer answer = {.wall = brLocalWall(flex, plane->point)};
	ImpactPatches work;
	memset(model->loads, 0, sizeof(*model->loads) * (size_t)rows);
	for (int l = 0; l < BR_IMPACT_LEVELS; ++l)
	{
		double want = impactLevels[l] * answer.wall, depth = brContactAreas_Depth(areas, 2.0 * IMPACT_PI * want * want);
		double fine = fmax(fmin(0.25 * want, 0.3 * flex->edge), model->size / 64.0);
		work.patches[l] = (brFlexPatch){work.points[l], work.shares[l], 0};
		brFillPatch(flex, plane, depth, fine, IMPACT_PATCH, &work.patches[l]);
		answer.radius[l] = sqrt(brContactAreas_Area(areas, depth) / (2.0 * IMPACT_PI));
		brFlexModel_Press(flex, &work.patches[l], plane->inward, l, model->loads);
		brFlexModel_Relieve(flex, l, model->loads);
	}
	memcpy(model->values, model->loads, sizeof(*model->loads) * (size_t)rows);
	brFrontFactor_Solve(flex->factor, model->values, model->scratch);
	for (int l = 0; l < BR_IMPACT_LEVELS; ++l)
	{
		for (int64_t i = 0; i < rows; ++i)
		{
			answer.give[l] += model->loads[i][l] * model->values[i][l];
		}
		answer.pull[l] = impactPull(model, &work.patches[l], l, answer.wall);
	}
	return answer;
}

// Without the part that a half-space gives, which the contact has: both at Young's modulus 1.
static double impactGive(const brImpactModel* model, double give, double radius, double wall)
{
	double a = fmax(radius, 0.5 * wall), edge = 0.6 * model->flex->edge, nu = model->material.poisson;
	double halfSpace = a < wall ? 0.6 * (1.0 - nu * nu) / sqrt(a * a + edge * edge) * (1.0 - a / wall) : 0.0;
	return fmax(give - halfSpace, 0.05 * give);
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

// Walks down the depths: force, contact energy, and what the body feels.
static void impactWalk(const brImpactModel* model, const ImpactAnswer* answer, const brContactAreas* areas,
					   const brStrike* strike, brImpactPath* path)
{
	const brMaterial *own = &model->material, *other = &strike->other;
	double compliance = (1.0 - own->poisson * own->poisson) / own->young;
	compliance += other->young > 0.0 ? (1.0 - other->poisson * other->poisson) / other->young : 0.0;
	double modulus = 1.0 / compliance, hardOwn = impactHardness(own);
	double hardOther = other->young > 0.0 ? impactHardness(other) : INFINITY, hard = fmin(hardOwn, hardOther);
	double split = own->toughness * brPower(3.0 * answer->wall, 1.5) / IMPACT_CHI;
	double force = 0.0, contact = 0.0, last = 0.0, pull = 0.0, local = 0.0, crushed = 0.0;
	path->count = 0;
	for (int k = 0; k + 1 < BR_CONTACT_STEPS && path->count < BR_IMPACT_STEPS; ++k)
	{
		double a = 0.0, growth = brPower(areas->depths[k + 1] / areas->depths[k], 1.0 / IMPACT_SUBSTEPS), to = areas->depths[k];
		for (int j = 0; j < IMPACT_SUBSTEPS; ++j)
		{
			to *= growth;
			double area = brContactAreas_Area(areas, 0.5 * (last + to)), elastic;
			a = sqrt(area / (2.0 * IMPACT_PI));
			elastic = force + 2.0 * modulus * a * (to - last);
			double next = fmax(force, fmin(elastic, hard * area));
			crushed += next < elastic && hardOwn <= hardOther ? to - last : 0.0;
			contact += 0.5 * (force + next) * (to - last);
			force = next;
			last = to;
		}
		double give = impactGive(model, impactBetween(answer->radius, answer->give, a), a, answer->wall) / own->young;
		double body = 0.5 * give * force * force;
		pull = fmax(pull, force * impactBetween(answer->radius, answer->pull, a));
		local = fmax(local, fmax(force / split, crushed / (IMPACT_CHIP * model->size)));
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
	}
}

static brImpactKey impactKey(const brImpactModel* model, const brStrike* strike)
{
	brImpactKey key;
	memset(&key, 0, sizeof(key));
	double step = 0.25 * model->flex->wall;
	const double at[3] = {strike->point.x, strike->point.y, strike->point.z};
	const double to[3] = {strike->inward.x, strike->inward.y, strike->inward.z};
	for (int k = 0; k < 3; ++k)
	{
		key.place[k] = (int32_t)floor(at[k] / step + 0.5);
		key.direction[k] = (int32_t)floor(to[k] * IMPACT_TURNS + 0.5);
	}
	key.otherYoung = strike->other.young;
	key.otherPoisson = strike->other.poisson;
	key.otherCrush = strike->other.young > 0.0 ? impactHardness(&strike->other) : 0.0;
	key.otherRadius = strike->otherRadius;
	key.otherGive = strike->otherGive;
	return key;
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
	brImpactKey key = impactKey(model, strike);
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
	ImpactAnswer answer = impactAsk(model, &plane, &areas);
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

static double impactThreshold(const brImpactModel* model, const brImpactPath* path, double strength)
{
	int32_t last = path->count - 1;
	for (int32_t k = 0; k <= last; ++k)
	{
		double ratio = impactRatio(model, path, k, strength);
		if (ratio >= 1.0)
		{
			double before = k > 0 ? impactRatio(model, path, k - 1, strength) : 0.0;
			double energy = k > 0 ? path->energy[k - 1] : 0.0;
			return energy + (path->energy[k] - energy) * (1.0 - before) / (ratio - before);
		}
	}
	// Beyond the path force goes as the root of the energy.
	double ratio = impactRatio(model, path, last, strength);
	return ratio > 0.0 ? path->energy[last] / (ratio * ratio) : INFINITY;
}

double brImpactModel_ThresholdEnergy(brImpactModel* model, const brStrike* strike)
{
	return impactThreshold(model, impactPath(model, strike), impactStrength(model, strike));
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
	double from = k > 0 ? path->energy[k - 1] : 0.0, share = fmin((u - from) / (path->energy[k] - from), 1.0);
	double beyond = u > path->energy[k] ? sqrt(u / path->energy[k]) : 1.0;
	double pulls[2] = {k > 0 ? path->pull[k - 1] : 0.0, path->pull[k]};
	double locals[2] = {k > 0 ? path->local[k - 1] : 0.0, path->local[k]};
	double forces[2] = {k > 0 ? path->force[k - 1] : 0.0, path->force[k]};
	double bodies[2] = {k > 0 ? path->body[k - 1] : 0.0, path->body[k]};
	double local = (locals[0] + share * (locals[1] - locals[0])) * beyond;
	impact.stress = (pulls[0] + share * (pulls[1] - pulls[0])) * beyond;
	impact.force = (forces[0] + share * (forces[1] - forces[0])) * beyond;
	impact.bodyEnergy = (bodies[0] + share * (bodies[1] - bodies[0])) * beyond * beyond;
	impact.contactRadius = path->radius[k];
	impact.ratio = fmax(impact.stress / (model->dynamic * strength), local);
	impact.isLocal = local > impact.stress / (model->dynamic * strength);
	impact.contactTime = impact.force > 0.0 ? IMPACT_PI * sqrt(2.0 * strike->mass * u) / impact.force : 0.0;
	impact.threshold = impactThreshold(model, path, strength);
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
	// The lowest place, of several the one farthest from under the centre: there it tips.
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

bool brImpactModel_IsSafe(const brImpactModel* model, double energy, double strength)
{
	double root = sqrt(2.0 * energy);
	double hard = impactHardness(&model->material), chip = IMPACT_CHIP * model->size;
	return root * model->mostPull < model->dynamic * strength && root < model->leastSplit * sqrt(model->leastGive) &&
		   energy < hard * chip * chip * chip / 3.0;
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
	return give / model->material.young;
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
	model->leastGive = INFINITY, model->leastSplit = INFINITY;
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
			probe->give = impactGive(model, give, 0.0, probe->wall);
			probe->pull = impactPull(model, &patch, l, probe->wall);
			double young = model->material.young;
			double split = model->material.toughness * brPower(3.0 * probe->wall, 1.5) / IMPACT_CHI;
			model->mostPull = fmax(model->mostPull, IMPACT_BOUND * probe->pull / sqrt(probe->give / young));
			model->leastGive = fmin(model->leastGive, probe->give / (IMPACT_BOUND * young));
			model->leastSplit = fmin(model->leastSplit, split / IMPACT_BOUND);
		}
	}
}

brResult brCreateImpactModel(const brContext* context, const brImpactModelDef* def, brImpactModel** outModel,
							 brReport* report)
{
	if (def == NULL || def->stamp != BR_STAMP || def->mesh == NULL || def->tets < 50 || def->tets > 100000)
	{
		return brFail(report, br_errorMisuse, "an impact model needs a def from brDefaultImpactModelDef(), a mesh, and 50 to 100000 tets");
	}
	const char* wrong = brMaterial_Check(&def->material);
	if (wrong != NULL)
	{
		return brFail(report, br_errorMisuse, "%s", wrong);
	}
	brMassProperties mass = brMesh_Mass(def->mesh, def->material.density);
	if (!(mass.volume > 0.0))
	{
		return brFail(report, br_errorGeometry, "an impact model needs a closed mesh, this one holds %g m^3", mass.volume);
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
	model->invInertia = (brMat3){brDMul(inverse, cofactor.cx), brDMul(inverse, cofactor.cy), brDMul(inverse, cofactor.cz)};
	model->size = brPower(mass.volume, 1.0 / 3.0);
	model->dynamic = brDynamicFactor(&def->material);
	model->exponent = def->material.weibullModulus > 0.0 ? def->material.weibullModulus : IMPACT_DEFAULT_MODULUS;
	brFlexDef flex = {.mesh = def->mesh, .volume = mass.volume, .poisson = fmin(def->material.poisson, 0.45), .tets = def->tets, .isHeld = def->isHeld};
	model->flex = brCreateFlexModel(&allocator, &flex);
	int64_t rows = model->flex != NULL ? 3 * (int64_t)model->flex->nodeCount : 0;
	model->paths = BR_ALLOC(&allocator, brImpactPath, BR_IMPACT_KEPT);
	model->loads = brAllocArray(&allocator, rows, sizeof(*model->loads));
	model->values = brAllocArray(&allocator, rows, sizeof(*model->values));
	int32_t scratch = model->flex != NULL ? brFrontFactor_Scratch(model->flex->factor) : 0;
	model->scratch = brAllocArray(&allocator, scratch, sizeof(*model->scratch));
	if (model->flex == NULL || model->paths == NULL || model->loads == NULL || model->values == NULL || model->scratch == NULL)
	{
		brDestroyImpactModel(model);
		return brFail(report, br_errorMemory, "no memory for an impact model, or the mesh holds nothing solid");
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
