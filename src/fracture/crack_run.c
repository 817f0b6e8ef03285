// SPDX-License-Identifier: MIT

// The loop of growth. Each step solves once, at the peak of the load; stress goes with the load, G with its square, so
// one solve tells the share of the peak that each start and each front needs.
//
// The load of a blow begins where the first crack starts and follows the half sine of the contact, up and down, by the
// time that cracks need to run an edge: all cracks see the load of that moment, on any lattice. It rises no further
// than its peak, which falls as parts come off that the striker does not touch, nor than the energy allows: load <=
// sqrt((E - spent) / U), since no body is strained by more than the blow has left.
//
// A load without a time is as high as something needs: it follows the crack, and may fall. Only what needs the least
// goes on.

#include "fracture/crack_grow.h"

#include "base/clock.h"
#include "base/report.h"
#include "math/power.h"

#include <string.h>

enum
{
	runMostIterations = 200,
	runMostIdle = 5,  // steps in a row in which nearly nothing grows
	runMostCuts = 64, // of a triangle's edge
};

#define RUN_TOLERANCE 1e-4 // of solves: more digits leave K as it is
#define RUN_SWELL_TOLERANCE 1e-7
#define RUN_BAD 1e-2   // residual from which on a solve must not steer anything
#define RUN_SPEED 0.38 // of cracks over that of waves along a bar (Freund; Ravi-Chandar and Knauss see 0.3 to 0.45)
#define RUN_DRIVE 2.0  // times the load that the weakest point of a front needs, without a load in time
// Of the highest load: below it a crack takes the last that carries the load. Where something else carries it too, the
// load does not fall so far.
#define RUN_TEARING 0.1
#define RUN_TOGETHER 1.05  // times the least need: cracks that go on together
#define RUN_IDLE 0.003     // growth of area that counts
#define RUN_FORCED 4.0     // times its peak that a blow may have where it is known that the body breaks
#define RUN_OUT 0.1        // share of a front
#define RUN_HERTZ 0.6      // power of mass in the peak of a blow
#define RUN_AREA_STEP 0.25 // edges from one look at a crack to the next
#define RUN_MARGIN 1.0001  // so that what needs just this load gets it

double brCrackGrowth_Cost(const brCrackGrowth* growth, brDVec3 point)
{
	const brCrackDef* def = growth->def;
	double factor = def->strength != NULL ? def->strength(point, def->strengthUser) : 1.0;
	return brMaterial_GetFractureEnergy(&def->material) * factor * factor; // G goes with the square of K
}

double brCrackGrowth_FillAt(const brCrackGrowth* growth, brDVec3 point)
{
	brTetPoint place;
	brTetLocator_Find(growth->locator, growth->context, &point, 1, &place);
	return place.tet >= 0 ? brCrackGrowth_Fill(growth, place.tet) : 0.0;
}

double brCrackGrowth_EdgeAt(const brCrackGrowth* growth, brDVec3 point)
{
	double edge = growth->edge, finest = edge;
	for (int32_t i = 0; i < growth->def->refinementCount; ++i)
	{
		const brTetRefinement* ball = &growth->def->refinements[i];
		finest = brDDistance(point, ball->center) <= ball->radius ? fmin(finest, ball->edge) : finest;
	}
	// Cells are halves of halves, and no larger than what was asked for.
	while (edge > finest * (1.0 + 1e-9) && edge > growth->stats->edge * (1.0 + 1e-9))
	{
		edge *= 0.5;
	}
	return edge;
}

int32_t brCrackGrowth_PartAt(const brCrackGrowth* growth, brDVec3 point)
{
	brTetPoint place;
	brTetLocator_Find(growth->locator, growth->context, &point, 1, &place);
	return place.tet >= 0 && growth->isCutTet[place.tet] == 0 ? growth->pieces[place.tet].component : -1;
}

bool brCrackGrowth_IsSolid(const brCrackGrowth* growth, brDVec3 point)
{
	int32_t crossings;
	brSurfaceTree_CountCrossings(growth->surface, growth->context, &point, 1, &crossings);
	return crossings != 0;
}

static brResult runSetCracks(brCrackGrowth* growth, brReport* report)
{
	brCrackSurface* views = BR_ALLOC(&growth->allocator, brCrackSurface, growth->cracks.count);
	if (views == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < growth->cracks.count; ++i)
	{
		views[i] = brGrowingCrack_View(&growth->cracks.data[i]);
	}
	brResult result = brElasticBody_SetCracks(growth->body, growth->context, views, growth->cracks.count, report);
	BR_FREE(&growth->allocator, views, growth->cracks.count);
	return result;
}

// `outIsGood`: what came out may be used.
static brResult runSolve(brCrackGrowth* growth, bool* outIsGood, brReport* report)
{
	int64_t start = brClockNanoseconds();
	brResult result = runSetCracks(growth, report);
	if (result < 0)
	{
		return result;
	}
	brElasticLoad load = brCrackLoad_View(&growth->load);
	brElasticSolveDef solve = brDefaultElasticSolveDef();
	// Free strain alone is a large load in balance with itself.
	solve.tolerance = growth->load.swelling != NULL ? RUN_SWELL_TOLERANCE : RUN_TOLERANCE;
	solve.maxIterations = runMostIterations;
	solve.enableWarmStart = growth->stats->solves > 0;
	// Under a blow parts swing about their last ligaments, and what touches changes with every step: too dear for what
	// it would say.
	solve.enableContact = !(growth->load.contactTime > 0.0);
	solve.solver = growth->def->solver;
	solve.options = growth->def->solverOptions;
	solve.device = growth->def->device;
	brElasticStats stats;
	result = brElasticBody_Solve(growth->body, growth->context, &load, &solve, &stats, report);
	growth->stats->solveSeconds += brSecondsSince(start);
	if (result < 0)
	{
		return result;
	}
	*outIsGood = stats.residual < RUN_BAD;
	growth->stats->solves += 1;
	growth->stats->deviceSolves += stats.isOnDevice;
	growth->stats->residual = *outIsGood ? fmax(growth->stats->residual, stats.residual) : growth->stats->residual;
	growth->strain = stats.energy;
	if (growth->def->watch != NULL)
	{
		growth->def->watch(growth->body, growth->stats->solves - 1, growth->def->watchUser);
	}
	return br_success;
}

// Share of a triangle that is in the solid. Given cracks may be a few large triangles that reach far beyond it; those
// that grow are an edge long, and a blow has no time for more than their middles.
static double runShareInside(const brCrackGrowth* growth, brDVec3 a, brDVec3 b, brDVec3 c)
{
	double longest = fmax(brDDistance(a, b), fmax(brDDistance(b, c), brDDistance(c, a)));
	double wanted = growth->load.contactTime > 0.0 ? 1.0 : ceil(longest / (RUN_AREA_STEP * growth->edge));
	int32_t n = (int32_t)fmin(fmax(wanted, 1.0), runMostCuts);
	double sum = 0.0;
	for (int32_t i = 0; i < n; ++i)
	{
		for (int32_t j = 0; j < 2 * (n - i) - 1; ++j)
		{
			// Row i of n has 2 (n - i) - 1 small triangles, in turn upright and upside down.
			double third = j % 2 == 0 ? 1.0 / 3.0 : 2.0 / 3.0;
			double u = (i + third) / n, v = (j / 2 + third) / n;
			brDVec3 at = brDMulAdd(brDMulAdd(a, u, brDSub(b, a)), v, brDSub(c, a));
			sum += brCrackGrowth_FillAt(growth, at);
		}
	}
	return sum / ((double)n * n);
}

// Of all cracks, as far as they are in the solid.
static double runArea(const brCrackGrowth* growth)
{
	double area = 0.0;
	for (int32_t i = 0; i < growth->cracks.count; ++i)
	{
		const brGrowingCrack* crack = &growth->cracks.data[i];
		for (int32_t t = 0; t < crack->triangles.count; ++t)
		{
			const int32_t* v = crack->triangles.data[t].v;
			brDVec3 a = crack->positions.data[v[0]], b = crack->positions.data[v[1]], c = crack->positions.data[v[2]];
			area += runShareInside(growth, a, b, c) * 0.5 * brDLength(brDCross(brDSub(b, a), brDSub(c, a)));
		}
	}
	return area;
}

// Parts of the lattice above a share of the volume.
static int32_t runParts(const brCrackGrowth* growth, double share)
{
	int32_t count = brElasticBody_GetComponentCount(growth->body), large = 0;
	const brElasticComponent* parts = brElasticBody_GetComponents(growth->body);
	double all = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		all += parts[i].volume;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		large += parts[i].volume > share * all ? 1 : 0;
	}
	return large;
}

// Mass of the parts that the blow acts on, weighed by its forces on their tets, over that of the body.
static double runLoadedMass(const brCrackGrowth* growth)
{
	const brElasticComponent* parts = brElasticBody_GetComponents(growth->body);
	double all = 0.0, sum = 0.0, forces = 0.0;
	for (int32_t i = 0; i < brElasticBody_GetComponentCount(growth->body); ++i)
	{
		all += parts[i].mass;
	}
	for (int32_t t = 0; t < growth->tets->tetCount; ++t)
	{
		for (int32_t k = 0; k < 4 && growth->isCutTet[t] == 0; ++k)
		{
			double force = growth->load.sizes[growth->tets->tets[t][k]];
			sum += force * parts[growth->pieces[t].component].mass;
			forces += force;
		}
	}
	return forces > 0.0 ? sum / (forces * all) : 1.0;
}

static brResult runFindStiffness(brCrackGrowth* growth, brReport* report)
{
	const brCrackDef* def = growth->def;
	if (def->stiffness == NULL)
	{
		return br_success;
	}
	growth->stiffnesses = BR_ALLOC(&growth->allocator, double, growth->tets->tetCount);
	if (growth->stiffnesses == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t t = 0; t < growth->tets->tetCount; ++t)
	{
		growth->stiffnesses[t] = def->stiffness(brTetCenter(growth->tets, t), def->stiffnessUser);
	}
	return br_success;
}

static brResult runPrepare(brCrackGrowth* growth, brReport* report)
{
	const brCrackDef* def = growth->def;
	brResult result = brCreateTetLocator(growth->context, growth->tets, &growth->locator, report);
	result = result >= 0 ? brCrackGrowth_PrepareStress(growth, report) : result;
	result = result >= 0 ? brCrackGrowth_PrepareStart(growth, report) : result;
	if (result < 0)
	{
		return result;
	}
	result = runFindStiffness(growth, report);
	if (result < 0)
	{
		return result;
	}
	brElasticDef elastic = brDefaultElasticDef();
	elastic.mesh = growth->tets;
	elastic.youngsModulus = def->material.youngsModulus;
	elastic.poissonRatio = def->material.poissonRatio;
	elastic.density = def->material.density;
	elastic.stiffnesses = growth->stiffnesses;
	elastic.fills = growth->fills;
	result = brCreateElasticBody(growth->context, &elastic, &growth->body, report);
	if (result < 0)
	{
		return result;
	}
	result = brCrackGrowth_AddGiven(growth, report);
	if (result < 0)
	{
		return result;
	}
	growth->stats->area = growth->givenArea = runArea(growth);
	result = brCrackGrowth_JudgeLattice(growth, report);
	growth->available = def->energy > 0.0 ? def->energy : growth->load.energy;
	growth->firstParts = runParts(growth, BR_CRACK_LARGE);
	if (result < 0 || growth->load.fixedNodes.count == 0)
	{
		return result;
	}
	return brElasticBody_SetSupports(growth->body, growth->context, growth->load.fixedNodes.data,
									 growth->load.fixedAxes.data, growth->load.fixedValues.data,
									 growth->load.fixedNodes.count, report);
}

// Cracks run an edge a step: the half sine goes on by the time that takes, and to where it is as high as the next
// growth needs, if it rises that far. Returns whether it still rises.
static bool runAdvanceBlow(brCrackGrowth* growth, double need)
{
	const brMaterial* material = &growth->def->material;
	double speed = RUN_SPEED * sqrt(material->youngsModulus / material->density);
	double turn = BR_PI * growth->def->growth * growth->stepEdge / (speed * growth->load.contactTime);
	growth->phase += growth->level > 0.0 ? turn : 0.0;
	if (growth->phase < 0.5 * BR_PI && need > brSin(growth->phase))
	{
		growth->phase = need < 1.0 ? brAtan2(need, sqrt(1.0 - need * need)) : 0.5 * BR_PI;
	}
	growth->level = growth->phase < BR_PI ? brSin(growth->phase) : 0.0;
	return growth->phase <= 0.5 * BR_PI;
}

// The load of this step in a blow. False: nothing will happen any more.
static bool runSetBlow(brCrackGrowth* growth, double need)
{
	double grown = growth->stats->area - growth->givenArea;
	// What the blow came with, whatever the caller lets cracks have of it.
	double spent = brMaterial_GetFractureEnergy(&growth->def->material) * fmax(grown, 0.0);
	double left = fmax(growth->load.energy - spent, 0.0);
	bool isRising = runAdvanceBlow(growth, need);
	double most = growth->strain > left ? sqrt(left / growth->strain) : 1.0;
	// A striker meets only what it touches: the peak of Hertz' force goes with mass^0.6.
	double peak = brPower(runLoadedMass(growth), RUN_HERTZ), reached = isRising ? 1.0 : growth->level;
	most = fmin(most, fmin(peak, reached));
	// Where it is known that the body breaks, the lattice only says where: it is stiffer than the body, and too coarse
	// for what is thin. In a wall it may hold together when the body does not any more: then what the blow has must do.
	bool mustPart = growth->source.ratio >= 1.0 && need < RUN_FORCED && !growth->isParted &&
					runParts(growth, growth->def->crumb) < 2;
	if (need > most && !mustPart)
	{
		growth->stats->end = growth->cracks.count == 0 ? br_crackEndHolds
							 : need > peak             ? br_crackEndRest
							 : need > reached          ? br_crackEndTime
													   : br_crackEndEnergy;
		return false;
	}
	growth->share = fmax(fmin(growth->level, most), need);
	return true;
}

// Share of the load that a front needs.
static double runNeedOf(const brCrackFront* front)
{
	return front->highest > 0.0 ? 1.0 / sqrt(front->highest) : INFINITY;
}

// Whether a crack that was tearing is through. Tets at the surface that are not quite cut may still hold its sides
// together, but the load is not theirs to carry.
static bool runIsTorn(brCrackGrowth* growth, const brCrackFront* fronts, int32_t count)
{
	bool isTorn = false;
	for (int32_t i = 0; i < count; ++i)
	{
		brGrowingCrack* crack = &growth->cracks.data[i];
		isTorn = isTorn || (crack->isTearing && !(fronts[i].highest > 0.0));
		crack->isTearing = crack->isTearing || runNeedOf(&fronts[i]) < RUN_TEARING * growth->stats->load;
	}
	return isTorn;
}

// The load of this step without a time.
static bool runSetSlow(brCrackGrowth* growth, const brCrackFront* fronts, int32_t count, double need)
{
	growth->share = need;
	if (runIsTorn(growth, fronts, count) ||
		(growth->cracks.count > 0 && runParts(growth, BR_CRACK_LARGE) > growth->firstParts))
	{
		growth->stats->end = br_crackEndParted;
		return false;
	}
	if (!(need <= 1.0) && !(growth->def->isFollowed && need < INFINITY))
	{
		growth->stats->end = growth->cracks.count == 0 ? br_crackEndHolds : br_crackEndRest;
		return false;
	}
	return true;
}

// Under a load without a time a crack's own need decides how its front goes on, and only the weakest of all go on.
static double runShareOf(const brCrackGrowth* growth, const brCrackFront* front)
{
	if (growth->load.contactTime > 0.0)
	{
		return growth->share;
	}
	double need = runNeedOf(front);
	bool isWeakest = need <= RUN_TOGETHER * growth->share && need <= growth->startNeed;
	return isWeakest ? RUN_DRIVE * need : 0.0;
}

static brResult runGrowAll(brCrackGrowth* growth, const brCrackFront* fronts, int32_t count, brReport* report)
{
	for (int32_t i = 0; i < count; ++i)
	{
		if (fronts[i].count == 0)
		{
			continue;
		}
		brResult result = brCrackGrowth_Grow(growth, i, &fronts[i], runShareOf(growth, &fronts[i]), report);
		if (result >= 0 && !growth->cracks.data[i].isGrowing)
		{
			result = brCrackGrowth_FinishNear(growth, i, &fronts[i], report);
		}
		if (result < 0)
		{
			return result;
		}
	}
	return growth->startNeed <= growth->share ? brCrackGrowth_Start(growth, report) : br_success;
}

static brResult runRecord(brCrackGrowth* growth, const brCrackFront* fronts, int32_t count, double need,
						  brReport* report)
{
	bool isPulled = need < INFINITY;
	if (!isPulled && (growth->steps.count > 0 || growth->def->givenCount == 0))
	{
		return br_success; // nothing pulls at anything: no point of a curve
	}
	const brCrackLoad* load = &growth->load;
	double forces = load->allForces, shift = load->shift, work = 2.0 * growth->strain;
	double share = isPulled ? need : 0.0;
	brCrackStep step = {.load = need,
						.area = growth->stats->area,
						.force = share * (forces > 0.0  ? forces
										  : shift > 0.0 ? work / shift
														: 0.0),
						.displacement = share * (forces > 0.0 ? work / forces : shift),
						.energy = share * share * growth->strain,
						.cracks = count,
						.parts = brElasticBody_GetComponentCount(growth->body)};
	bool isGood = BR_PUSH(&growth->allocator, &growth->steps, step);
	for (int32_t i = 0; i < count && growth->def->keepFronts && isGood; ++i)
	{
		for (int32_t k = 0; k < fronts[i].count && isGood; ++k)
		{
			brCrackFrontRecord record = {growth->steps.count - 1, i, fronts[i].points[k]};
			isGood = !record.point.isInside || BR_PUSH(&growth->allocator, &growth->fronts, record);
		}
	}
	return isGood ? br_success : brFailMemory(report);
}

// A blow that breaks the body starts its first crack at 1 / ratio of its peak. Without a field of stress from the one
// who says so, the lattice's own is made to agree. True: the load has changed, and all is to be solved again.
static bool runAgree(brCrackGrowth* growth)
{
	const brCrackSource* source = &growth->source;
	if (growth->stats->solves > 1 || !(source->ratio > 0.0) || source->sampleCount > 0 ||
		!(growth->startNeed < INFINITY))
	{
		return false;
	}
	brCrackLoad* load = &growth->load;
	brCrackLoad_SetBlow(load, load->force * growth->startNeed * source->ratio, load->contactTime, load->energy);
	return true;
}

// Whether hardly anything of a crack's front runs any more: it has come out all round, or to other cracks.
static bool runIsOut(const brGrowingCrack* crack)
{
	int32_t running = 0;
	for (int32_t i = 0; i < crack->front.count; ++i)
	{
		running += crack->states.data[crack->front.data[i].a] == br_frontRuns ? 1 : 0;
	}
	return running < RUN_OUT * crack->front.count;
}

// After a solve. `outIsGoing` becomes false when nothing will happen any more.
static brResult runStep(brCrackGrowth* growth, bool* outIsGoing, brReport* report)
{
	int32_t count = growth->cracks.count;
	brCrackFront* fronts = BR_ALLOC_ZERO(&growth->allocator, brCrackFront, count + 1);
	if (fronts == NULL)
	{
		return brFailMemory(report);
	}
	brResult result = brCrackGrowth_FindStress(growth, report);
	bool isFirst = growth->samples == NULL && growth->load.contactTime > 0.0 && growth->def->efficiency > 0.0;
	result = result >= 0 && isFirst ? brCrackGrowth_SampleStress(growth, report) : result;
	result = result >= 0 ? brCrackGrowth_FindStarts(growth, report) : result;
	if (result >= 0 && runAgree(growth))
	{
		BR_FREE(&growth->allocator, fronts, count + 1);
		*outIsGoing = true;
		return br_success;
	}
	bool isBlow = growth->load.contactTime > 0.0;
	int32_t parts = isBlow ? runParts(growth, growth->def->crumb) : 0;
	for (int32_t i = 0; i < count && result >= 0 && parts > growth->lastParts; ++i)
	{
		result = brCrackGrowth_EndParting(growth, i, report);
	}
	growth->lastParts = parts;
	double highest = 0.0;
	bool isThrough = false; // a front has got out: solve again before anything else is asked
	growth->stepEdge = growth->edge;
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		result = brCrackGrowth_Look(growth, i, &fronts[i], report);
		// Tets around a wall reach out of it: there a blow's part comes off without being seen, and takes its energy
		// along.
		bool isSeen = !isBlow || growth->fills == NULL;
		result = result >= 0 && isSeen ? brCrackGrowth_GoThrough(growth, i, &fronts[i], &isThrough, report) : result;
		highest = fmax(highest, fronts[i].highest);
		growth->isParted = growth->isParted || (!isSeen && runIsOut(&growth->cracks.data[i]));
		growth->stepEdge = fronts[i].count > 0 ? fmin(growth->stepEdge, fronts[i].edge) : growth->stepEdge;
	}
	if (result >= 0 && !(growth->level * growth->level * highest > 1.0))
	{
		brCrackGrowth_NoteRest(growth);
		result = brCrackGrowth_FindStarts(growth, report);
	}
	double need = RUN_MARGIN * fmin(growth->startNeed, highest > 0.0 ? 1.0 / sqrt(highest) : INFINITY);
	*outIsGoing = isThrough;
	if (result >= 0 && !isThrough)
	{
		growth->stats->onset = growth->steps.count == 0 ? need : growth->stats->onset;
		result = runRecord(growth, fronts, count, need, report);
	}
	if (result >= 0 && !isThrough)
	{
		*outIsGoing = isBlow ? runSetBlow(growth, need) : runSetSlow(growth, fronts, count, need);
		growth->stats->load = *outIsGoing ? fmax(growth->stats->load, growth->share) : growth->stats->load;
		result = *outIsGoing ? runGrowAll(growth, fronts, count, report) : br_success;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		BR_FREE(&growth->allocator, fronts[i].points, fronts[i].capacity);
		BR_FREE(&growth->allocator, fronts[i].drives, fronts[i].capacity);
	}
	BR_FREE(&growth->allocator, fronts, count + 1);
	return result;
}

// Whether growth has come to its end after a step; says why.
static bool runIsOver(brCrackGrowth* growth, int32_t* idle)
{
	brCrackStats* stats = growth->stats;
	double area = runArea(growth), cost = brMaterial_GetFractureEnergy(&growth->def->material);
	*idle = area < stats->area * (1.0 + RUN_IDLE) ? *idle + 1 : 0;
	stats->area = area;
	if (cost * (area - growth->givenArea) > growth->available)
	{
		stats->end = br_crackEndEnergy;
		return true;
	}
	if (*idle >= runMostIdle)
	{
		stats->end = br_crackEndRest;
		return true;
	}
	if (growth->def->maxPieces > 0 && brElasticBody_GetComponentCount(growth->body) >= growth->def->maxPieces)
	{
		stats->end = br_crackEndPieces;
		return true;
	}
	return false;
}

brResult brCrackGrowth_Run(brCrackGrowth* growth, brReport* report)
{
	brResult result = runPrepare(growth, report);
	int32_t idle = 0;
	growth->stats->end = br_crackEndSteps;
	growth->stats->onset = growth->stats->crushed = INFINITY;
	for (int32_t step = 0; result >= 0 && step < growth->def->maxSteps; ++step)
	{
		if (brIsCanceled(growth->context, 0.1 + 0.8 * step / growth->def->maxSteps))
		{
			return brFail(report, br_errorCanceled, "canceled while cracks grew");
		}
		bool isGood = false, isGoing = false;
		result = runSolve(growth, &isGood, report);
		if (result >= 0 && !isGood)
		{
			growth->stats->end = br_crackEndSolver;
			break;
		}
		int64_t start = brClockNanoseconds();
		result = result >= 0 ? runStep(growth, &isGoing, report) : result;
		growth->stats->steps = step + 1;
		bool isOver = result < 0 || !isGoing || runIsOver(growth, &idle);
		growth->stats->growSeconds += brSecondsSince(start);
		if (isOver)
		{
			break;
		}
	}
	if (result < 0 || growth->cracks.count == 0)
	{
		return result;
	}
	result = brCrackGrowth_Finish(growth, report);
	result = result >= 0 ? runSetCracks(growth, report) : result;
	if (result >= 0)
	{
		growth->stats->latticeParts = runParts(growth, BR_CRACK_LARGE);
		growth->stats->area = runArea(growth);
	}
	return result;
}

void brCrackGrowth_Free(brCrackGrowth* growth)
{
	const brAllocator* allocator = &growth->allocator;
	int32_t tetCount = growth->tets != NULL ? growth->tets->tetCount : 0;
	int32_t nodeCount = growth->tets != NULL ? growth->tets->nodeCount : 0;
	int32_t fitCount = growth->fitStarts != NULL ? growth->fitStarts[nodeCount] : 0;
	brDestroyElasticBody(growth->body);
	brDestroyTetLocator(growth->locator);
	for (int32_t i = 0; i < growth->cracks.count; ++i)
	{
		brGrowingCrack_Free(allocator, &growth->cracks.data[i]);
	}
	BR_FREE_ARRAY(allocator, &growth->cracks);
	BR_FREE_ARRAY(allocator, &growth->steps);
	BR_FREE_ARRAY(allocator, &growth->fronts);
	BR_FREE(allocator, growth->samples, growth->sampleCount);
	BR_FREE(allocator, growth->pieces, growth->pieceCapacity);
	BR_FREE(allocator, growth->nodeStress, nodeCount);
	BR_FREE(allocator, growth->nodeVolumes, nodeCount);
	BR_FREE(allocator, growth->isCutTet, tetCount);
	BR_FREE(allocator, growth->fitTets, fitCount);
	BR_FREE(allocator, growth->fitWeights, fitCount);
	BR_FREE(allocator, growth->fitStarts, nodeCount + 1);
	BR_FREE(allocator, growth->cells, tetCount);
	BR_FREE(allocator, growth->cellOfTet, tetCount);
	BR_FREE(allocator, growth->factors, tetCount);
	BR_FREE(allocator, growth->stiffnesses, tetCount);
	BR_FREE(allocator, growth->isBarred, tetCount);
	BR_FREE(allocator, growth->wallNormals, tetCount);
	BR_FREE(allocator, growth->wallSpreads, tetCount);
	BR_FREE(allocator, growth->wallMoments, nodeCount);
	brCrackLoad_Free(allocator, &growth->load);
}
