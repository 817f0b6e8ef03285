// SPDX-License-Identifier: MIT

#include "fracture/impact_answer.h"

#include "math/power.h"

#include <math.h>

#define ANSWER_CRATER 0.5 // a third of the depth of a crater, in radii of what hits
#define ANSWER_CHIP BR_IMPACT_CHIP
#define ANSWER_PATCH 48   // points of a contact
#define ANSWER_ENOUGH 4.0 // times what the body stands: there a path ends
#define ANSWER_SUBSTEPS 4 // of a path between two depths
#define ANSWER_EVEN 1.4   // times as thick within twice the reach: a wall,
#define ANSWER_CORNER 1.8 // and from here on a corner
#define ANSWER_NARROW 0.3 // of half the depth of a chip: radius of the narrowest contact that is looked at
#define ANSWER_FINE 0.25  // of half the depth of a chip, or of the radius: how finely a contact is looked at
#define ANSWER_ROOM 0.045 // of half the depth of a chip: what is nearer to what presses has no room to come off
#define ANSWER_HELD 0.6   // no more of it is held
#define ANSWER_EDGE 0.55  // solid share of half a ball: up to here an edge or a corner, which chip,
#define ANSWER_FACE 0.75  // and from here on a face, which does not

static const double answerLevels[BR_IMPACT_LEVELS] = {0.5, 2.0, 6.0, 18.0}; // radius of a contact in walls

// Where a lane of the lattice is pressed.
typedef struct AnswerPatch
{
	brDVec3 points[ANSWER_PATCH];
	double shares[ANSWER_PATCH];
	brFlexPatch patch;
} AnswerPatch;

double brImpactHardness(const brMaterial* material)
{
	return material->hardness > 0.0 ? material->hardness : 8.0 * material->compressiveStrength;
}

double brImpactSplit(const brMaterial* material, double wall, double otherRadius)
{
	double deep = otherRadius > 0.0 ? fmin(wall, ANSWER_CRATER * otherRadius) : wall;
	return material->toughness * brPower(3.0 * deep, 1.5) / BR_IMPACT_CHI;
}

double brImpactChipForce(const brImpactModel* model, double share)
{
	double lump = fmin(1.0, 1.0 - 0.5 * (model->size / model->flex->wall - BR_IMPACT_SLENDER));
	double sharp = fmin(1.0, (ANSWER_FACE - share) / (ANSWER_FACE - ANSWER_EDGE));
	double force = model->material.toughness * brPower(BR_IMPACT_CHIP_DEEP * model->size, 1.5) / BR_IMPACT_CHI;
	return lump > 0.0 && sharp > 0.0 ? force / (lump * sharp) : INFINITY;
}

double brImpactGive(const brImpactModel* model, double give, double wall)
{
	double a = 0.5 * wall, edge = 0.6 * model->flex->scale, nu = model->material.poissonRatio;
	double halfSpace = 0.5 * 0.6 * (1.0 - nu * nu) / sqrt(a * a + edge * edge);
	return fmax(give - halfSpace, 0.05 * give);
}

double brImpactIsWall(double growth)
{
	return fmax(0.0, fmin(1.0, (ANSWER_CORNER - growth) / (ANSWER_CORNER - ANSWER_EVEN)));
}

static brContactPlane answerPlane(const brImpactModel* model, const brStrike* strike)
{
	const brFlexModel* flex = model->flex;
	brDVec3 point = brMat3_MulV(&flex->turn, strike->point), inward = brMat3_MulV(&flex->turn, strike->inward);
	double curvature = strike->otherRadius > 0.0 ? 1.0 / strike->otherRadius : 0.0;
	return brFindContactPlane(flex, point, inward, curvature, model->size);
}

// Half the depth of a chip: what presses within this of a place breaks it off there.
static double answerReach(const brImpactModel* model)
{
	return 0.5 * BR_IMPACT_CHIP_DEEP * model->size;
}

// How much of the force presses at one place, of a contact that is so wide: little of it along an edge or a face that
// lies on something.
static double answerFocus(const brImpactModel* model, const brImpactAnswer* answer, double radius)
{
	double reach = answerReach(model), most = 0.0;
	brDVec3 points[ANSWER_PATCH];
	double shares[ANSWER_PATCH];
	brFlexPatch patch = {points, shares, 0};
	double depth = brContactAreas_Depth(&answer->areas, 2.0 * BR_PI * radius * radius);
	brFillPatch(model->flex, &answer->plane, depth, ANSWER_FINE * fmax(reach, radius), ANSWER_PATCH, &patch);
	for (int32_t i = 0; i < patch.count; ++i)
	{
		double near = 0.0;
		for (int32_t k = 0; k < patch.count; ++k)
		{
			near += brDLengthSq(brDSub(points[k], points[i])) < reach * reach ? shares[k] : 0.0;
		}
		most = fmax(most, near);
	}
	return most;
}

// The same between the widths that were looked at.
static double answerFocusAt(const brImpactModel* model, const brImpactAnswer* answer, double radius)
{
	double narrow = ANSWER_NARROW * answerReach(model);
	int l = 0;
	for (; l + 2 < BR_IMPACT_FOCUSES && radius > 2.0 * narrow; ++l)
	{
		narrow *= 2.0;
	}
	double share = fmax(0.0, fmin(1.0, radius / narrow - 1.0));
	return answer->focus[l] + share * (answer->focus[l + 1] - answer->focus[l]);
}

// How much of what would chip off has no room to come off: of the half disc about the place the share that lies nearly
// on what presses. All of it along an edge that is three degrees off, as on a face; a half at six degrees.
static double answerCover(const brImpactModel* model, const brImpactAnswer* answer)
{
	double reach = answerReach(model), area = brContactAreas_Area(&answer->areas, ANSWER_ROOM * reach);
	double near = area * answerFocusAt(model, answer, sqrt(area / (2.0 * BR_PI)));
	return fmin(ANSWER_HELD, near / (0.5 * BR_PI * reach * reach));
}

// Ratio of the rules that look at the contact alone.
static double answerLocal(const brImpactModel* model, double split, double force, double crushed)
{
	double volume = model->size * model->size * model->size;
	return fmax(force / split, sqrt(crushed / (ANSWER_CHIP * volume)));
}

// As deep as any path goes.
static void answerFindPress(const brImpactModel* model, const brImpactAnswer* answer, const brStrike* strike,
							brImpactPress* out)
{
	const brContactAreas* areas = &answer->areas;
	const brMaterial *own = &model->material, *other = &strike->other;
	double compliance = (1.0 - own->poissonRatio * own->poissonRatio) / own->youngsModulus;
	compliance +=
		other->youngsModulus > 0.0 ? (1.0 - other->poissonRatio * other->poissonRatio) / other->youngsModulus : 0.0;
	double modulus = 1.0 / compliance, hardOwn = brImpactHardness(own);
	double hardOther = other->youngsModulus > 0.0 ? brImpactHardness(other) : INFINITY, hard = fmin(hardOwn, hardOther);
	double split = brImpactSplit(own, answer->wall, strike->otherRadius);
	double force = 0.0, contact = 0.0, last = 0.0, crushed = 0.0;
	out->count = 0;
	for (int k = 0; k + 1 < BR_CONTACT_STEPS && !(answerLocal(model, split, force, crushed) > ANSWER_ENOUGH); ++k)
	{
		double a = 0.0, growth = brPower(areas->depths[k + 1] / areas->depths[k], 1.0 / ANSWER_SUBSTEPS),
			   to = areas->depths[k];
		for (int j = 0; j < ANSWER_SUBSTEPS; ++j)
		{
			to *= growth;
			double area = brContactAreas_Area(areas, 0.5 * (last + to)), elastic;
			a = sqrt(area / (2.0 * BR_PI));
			elastic = force + 2.0 * modulus * a * (to - last);
			double next = fmax(force, fmin(elastic, hard * area));
			crushed += next < elastic && hardOwn <= hardOther ? area * (to - last) : 0.0;
			contact += 0.5 * (force + next) * (to - last);
			force = next;
			last = to;
		}
		out->force[k] = force, out->radius[k] = a;
		out->energy[k] = contact, out->crushed[k] = crushed;
		out->count = k + 1;
	}
}

void brImpactAnswer_Meet(const brImpactModel* model, const brStrike* strike, brImpactAnswer* out)
{
	out->plane = answerPlane(model, strike);
	out->areas = brMeasureContact(model->flex, &out->plane, model->size);
	brLocalForm form = brFindLocalForm(model->flex, out->plane.point, BR_IMPACT_CHIP_DEEP * model->size);
	out->wall = form.wall, out->growth = form.growth;
	out->levels = 0;
	out->across = 0.0;
	for (int l = 0; l < BR_IMPACT_LEVELS; ++l)
	{
		double want = answerLevels[l] * out->wall;
		out->depth[l] = brContactAreas_Depth(&out->areas, 2.0 * BR_PI * want * want);
		out->radius[l] = sqrt(brContactAreas_Area(&out->areas, out->depth[l]) / (2.0 * BR_PI));
	}
	// A face that lies flat was given its slope; it presses along all of an edge. An edge comes down on one of its
	// corners.
	out->chip = out->plane.isFace ? INFINITY : brImpactChipForce(model, form.share);
	for (int l = 0; l < BR_IMPACT_FOCUSES; ++l)
	{
		out->focus[l] = 1.0;
	}
	answerFindPress(model, out, strike, &out->press);
}

bool brImpactAnswer_Focus(const brImpactModel* model, brImpactAnswer* answer)
{
	const brImpactPress* press = &answer->press;
	double radius = ANSWER_NARROW * answerReach(model), least = 1.0;
	int k = 0;
	for (int l = 0; l < BR_IMPACT_FOCUSES && answer->chip < INFINITY; ++l)
	{
		// No path goes on for long where a chip has come off.
		while (k < press->count && press->radius[k] < radius)
		{
			k += 1;
		}
		bool isOver = k > 0 && press->force[k - 1] * least > ANSWER_ENOUGH * answer->chip;
		least = isOver ? least : fmin(least, answerFocus(model, answer, radius));
		answer->focus[l] = least;
		radius *= 2.0;
	}
	if (answer->chip < INFINITY && !(answer->plane.curvature > 0.0))
	{
		// What is round or small lies on no more than the place itself.
		answer->chip /= 1.0 - answerCover(model, answer);
	}
	return least < 1.0;
}

static void answerPress(const brImpactModel* model, const brImpactAnswer* answer, int l, int32_t lane, AnswerPatch* out)
{
	const brFlexModel* flex = model->flex;
	// As fine as the stress beyond a wall can tell, and no finer than four times as many as are kept.
	double fine = fmax(fmin(0.5 * answer->wall, 0.3 * flex->scale), model->size / 64.0);
	fine = fmax(fine, sqrt(BR_PI / 2.0 / ANSWER_PATCH) * answerLevels[l] * answer->wall);
	out->patch = (brFlexPatch){out->points, out->shares, 0};
	brFillPatch(flex, &answer->plane, answer->depth[l], fine, ANSWER_PATCH, &out->patch);
	brFlexModel_Press(flex, &out->patch, answer->plane.inward, lane);
}

// The next level: how the lattice gives way there, and what of it is pulled.
static brImpactSpot answerTake(const brImpactModel* model, brImpactAnswer* answer, double give,
							   const AnswerPatch* patch)
{
	int l = answer->levels++;
	if (l == 0)
	{
		answer->across = brImpactIsWall(answer->growth) *
						 brImpactAcross(model, patch->points[0], answer->plane.inward, answer->wall);
		answer->give[0] = brImpactGive(model, give, answer->wall);
	}
	else
	{
		bool isNarrow = !(answer->radius[l] > answerLevels[1] * answer->wall * 1.001);
		answer->give[l] = isNarrow ? answer->give[0] : fmin(give, answer->give[l - 1]);
	}
	bool isBent = BR_IMPACT_SPREAD * model->flex->scale > fmax(answer->wall, answer->radius[l]);
	return (brImpactSpot){&patch->patch, answer->wall, answer->radius[l], isBent ? answer->across : 0.0};
}

void brImpactAnswer_AskAll(const brImpactModel* model, brWorkers* workers, brImpactAnswer* answer)
{
	double gives[BR_FRONT_LANES];
	brImpactSpot spots[BR_IMPACT_LEVELS];
	AnswerPatch patches[BR_IMPACT_LEVELS];
	brFlexModel_Begin(model->flex);
	for (int l = 0; l < BR_IMPACT_LEVELS; ++l)
	{
		answerPress(model, answer, l, l, &patches[l]);
	}
	brFlexModel_Solve(model->flex, gives);
	answer->levels = 0;
	for (int l = 0; l < BR_IMPACT_LEVELS; ++l)
	{
		spots[l] = answerTake(model, answer, gives[l], &patches[l]);
	}
	brImpactPulls(model, workers, spots, BR_IMPACT_LEVELS, answer->pull);
}

void brImpactAnswer_AskNext(const brImpactModel* model, brWorkers* workers, brImpactAnswer* const* answers,
							int32_t count)
{
	double gives[BR_FRONT_LANES], pulls[BR_FRONT_LANES];
	brImpactSpot spots[BR_FRONT_LANES];
	AnswerPatch patches[BR_FRONT_LANES];
	int level = answers[0]->levels;
	brFlexModel_Begin(model->flex);
	for (int32_t i = 0; i < count; ++i)
	{
		answerPress(model, answers[i], level, i, &patches[i]);
	}
	brFlexModel_Solve(model->flex, gives);
	for (int32_t i = 0; i < count; ++i)
	{
		spots[i] = answerTake(model, answers[i], gives[i], &patches[i]);
	}
	brImpactPulls(model, workers, spots, count, pulls);
	for (int32_t i = 0; i < count; ++i)
	{
		answers[i]->pull[level] = pulls[i];
	}
}

static double answerBetween(const double* x, const double* y, double at)
{
	if (at <= x[0])
	{
		return y[0];
	}
	for (int l = 1; l < BR_IMPACT_LEVELS; ++l)
	{
		if (at <= x[l] && x[l] > x[l - 1] && y[l] > 0.0 && y[l - 1] > 0.0)
		{
			if (y[l] == y[l - 1])
			{
				return y[l];
			}
			double share = brLogarithm(at / x[l - 1]) / brLogarithm(x[l] / x[l - 1]);
			return y[l - 1] * brPower(y[l] / y[l - 1], share);
		}
	}
	return y[BR_IMPACT_LEVELS - 1];
}

void brImpactAnswer_Walk(const brImpactModel* model, const brImpactAnswer* answer, const brStrike* strike,
						 brImpactPath* path)
{
	const brImpactPress* press = &answer->press;
	const brMaterial* own = &model->material;
	double split = brImpactSplit(own, answer->wall, strike->otherRadius), pull = 0.0, local = 0.0;
	path->count = 0;
	path->isWhole = true;
	path->wall = answer->wall;
	path->across = answer->across;
	for (int k = 0; k < press->count && path->count < BR_IMPACT_STEPS; ++k)
	{
		double a = press->radius[k], force = press->force[k];
		if (answer->levels < BR_IMPACT_LEVELS && a > answer->radius[answer->levels - 1])
		{
			path->isWhole = false;
			break;
		}
		double give = answerBetween(answer->radius, answer->give, fmax(a, answer->radius[0])) / own->youngsModulus;
		double body = 0.5 * give * force * force;
		pull = fmax(pull, force * answerBetween(answer->radius, answer->pull, a));
		local = fmax(local, answerLocal(model, split, force, press->crushed[k]));
		local = fmax(local, force * answerFocusAt(model, answer, a) / answer->chip);
		double energy = press->energy[k] + body + 0.5 * strike->otherGive * force * force;
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
		if (pull > ANSWER_ENOUGH * model->dynamic * own->tensileStrength || local > ANSWER_ENOUGH)
		{
			break;
		}
	}
}
