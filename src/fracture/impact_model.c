// SPDX-License-Identifier: MIT

// Force, stress and strength of a blow.
//
// Force: the energy of closing goes into the contact and into the body,
//     U = W(F) + C F^2 / 2,   dF/dd = 2 E* a(d),   a = sqrt(A(d) / 2 pi),   F <= H A(d),
// with A the area of the surface within the depth d (exact for a ball, 5 to 11 % off for a cone), H the hardness, C how
// the body gives way as a whole. The part of C that a half-space would have is in the contact already and is taken out.
// Against full elastodynamics the stress that follows is right to a factor of 0.7 to 1.4 for vessels, panes and balls,
// 0.4 to 0.7 for bricks and limbs, which ring.
//
// Strength: the body breaks if the Weibull mean of the greatest pull over all that lies farther from the contact than a
// wall is thick reaches the strength,
//     (sum pull^m dV / V_s)^(1/m) >= dynamic factor times strength,
// V_s the volume that a specimen of the strength test stresses; or if a crack runs in from the contact, F >= K_Ic (3
// wall)^1.5 / 0.15 (a point force on a half-space); or if a corner is crushed off.
//
// A path is that for all energies at once: force, stress and ratios rise with the energy, so a harder blow never breaks
// less.

#include "fracture/impact_model.h"

#include "base/assert.h"
#include "base/report.h"
#include "fracture/impact_guess.h"
#include "fracture/impact_path.h"
#include "math/power.h"
#include "mesh/topology.h"

#include <math.h>
#include <string.h>

#define IMPACT_DEFAULT_MODULUS 20.0 // of materials without scatter
#define IMPACT_RESTS 48             // loads at rest that are looked at
#define IMPACT_SAME 1e-9            // of the size squared: of places as far aside but for rounding the first one counts
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

// The whole path of a blow from how the two meet.
static const brImpactPath* impactFind(brImpactModel* model, const brStrike* strike, brImpactAnswer* answer)
{
	brImpactPath* path = brImpactModel_Keep(model, strike);
	brImpactAnswer_AskAll(model, NULL, answer);
	brImpactAnswer_Walk(model, answer, strike, path);
	return path;
}

// The same: remembered, or found.
static const brImpactPath* impactPath(brImpactModel* model, const brStrike* strike)
{
	brImpactKey key = brMakeImpactKey(strike);
	const brImpactPath* known = brImpactModel_Known(model, &key, INFINITY);
	if (known != NULL)
	{
		return known;
	}
	brImpactAnswer answer;
	brImpactAnswer_Meet(model, strike, &answer);
	brImpactAnswer_Focus(model, &answer);
	return impactFind(model, strike, &answer);
}

double brImpactModel_ThresholdEnergy(brImpactModel* model, const brStrike* strike)
{
	const brImpactPath* path = impactPath(model, strike);
	brStrike at = *strike;
	at.energy = fmax(at.energy, 1.0);
	double limit = brImpactEarlyLimit(model, path->wall, path->across, strike);
	return fmin(brImpactPath_Threshold(model, path, brImpactStrength(model, strike)),
				brImpactEarlyThreshold(model, path->wall, limit, &at));
}

brImpactParting brImpactModel_Part(brImpactModel* model, const brStrike* strike)
{
	const brImpactPath* path = impactPath(model, strike);
	brImpactParting parting = {.impact = brImpactPath_Impact(model, path, strike)};
	double limit = model->dynamic * brImpactStrength(model, strike);
	parting.byPull = parting.impact.stress / limit;
	double early = brImpactEarlyForce(model, path->wall, strike);
	double bent = path->across > 0.0 ? path->across * brImpactEarlyPull(model, path->wall, strike->mass) : 0.0;
	double split = brImpactSplit(&model->material, path->wall, 0.0); // the whole wall: what is less deep is a crater
	parting.byContact = fmax(parting.impact.earlyForce / split, early * bent / limit);
	return parting;
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
	return force * model->maxPullByForce < model->dynamic * brImpactStrength(model, strike) &&
		   force < impactLeastSplit(model, strike->otherRadius);
}

// Nothing breaks early in the blow, wherever it is.
static bool impactIsEarlySafe(const brImpactModel* model, const brStrike* strike)
{
	double early = brImpactEarlyForce(model, model->flex->wall, strike);
	if (!(early > 0.0))
	{
		return true;
	}
	if (early >= impactLeastSplit(model, strike->otherRadius))
	{
		return false;
	}
	// The heavier what hits, the farther it bends; most blows are stood even if it were of any mass.
	double strength = model->dynamic * brImpactStrength(model, strike);
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
	if (root * model->maxPull < model->dynamic * brImpactStrength(model, strike) &&
		root < split * sqrt(model->minGive) && isEarlySafe)
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
	brImpactPath_Bound(model, strike, &answer, &path);
	if (!brImpactPath_IsWithin(model, strike, &path) && brImpactAnswer_Focus(model, &answer))
	{
		brImpactPath_Bound(model, strike, &answer, &path);
	}
	return brImpactPath_IsWithin(model, strike, &path);
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
	return brImpactModel_NearestProbe(model, p, n)->give / model->material.youngsModulus;
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
