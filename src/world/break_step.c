// SPDX-License-Identifier: MIT

// Breaking inside a step: hits become jobs as far as the budget goes, the energy of the new surface is taken from the
// two that hit, and parents are replaced.
//
// The energy goes by a pair of impulses at the hit, along its normal, before the body falls apart: linear and angular
// momentum of the two are kept, and the closing speed u drops to sqrt(u^2 - 2 E / m).

#include "world/break_state.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/report.h"
#include "fracture/cascade.h"
#include "fracture/impact_model.h"
#include "math/power.h"
#include "world/cluster.h"
#include "world/world_state.h"

#include <math.h>

// What a break costs on one core, for the budget in seconds: bricks of 570 to 950 triangles into 8 to 18 pieces take 4
// to 7.5 ms, stress, cut and shapes.
#define BREAK_SECONDS_A_TRIANGLE 2.0e-6
#define BREAK_SECONDS_A_PIECE 3.0e-4

// At most this share of the closing energy goes into surface; the rest of the impact still happens.
#define BREAK_MAX_TAKEN 0.9

// Of what a bullet crushes, that much would have its speed: less than half is in its way, and that flies at all speeds
// up to it.
#define BREAK_DRIVEN 0.3

// Of the energy of frozen stress, what becomes cracks: glass of 5 mm with 100 MPa makes 60 to 80 crumbs on 50 x 50 mm.
#define BREAK_TEMPER 0.12

#define BREAK_WALL 5.0 // edge of a cube of a body's volume over its mean thickness: from here on it is a wall

#define BREAK_ROUND 2.0 // half widths of what hits, over the radius of its surface: up to here it goes through a wall

// Of a wall's volume: what drives out more than this takes the wall along.
#define BREAK_PLUG 0.25

#define BREAK_ROUNDS 4 // in a step: a step that failed for want of memory and is repeated has no more

void brBreaking_Begin(brWorld* world)
{
	brBreaking* breaking = &world->breaking;
	if (breaking->isUnfinished)
	{
		return; // what broke in the step that failed belongs to the one that repeats it
	}
	breaking->isUnfinished = true; // until its end
	breaking->events.count = 0;
	breaking->pieces.count = 0;
	breaking->stats.breaks = 0;
	breaking->stats.pieces = 0;
	breaking->stats.waiting = 0;
	breaking->stats.seconds = 0.0;
	breaking->spent = 0.0;
	breaking->rounds = 0;
	breaking->energyLeft = INFINITY;
}

void brBreaking_FreeJob(brWorld* world, brBreakJob* job)
{
	const brAllocator* allocator = &world->dynamics.allocator;
	int32_t pieceCount = job->shatter != NULL ? job->shatter->pieceCount : 0;
	for (int32_t i = 0; job->born != NULL && i < pieceCount; ++i)
	{
		brDestroyShape(job->born[i].shape);
	}
	BR_FREE(allocator, job->born, pieceCount);
	brDestroyShatter(job->shatter);
	BR_FREE(allocator, job->groups, job->groupCount);
	BR_FREE(allocator, job->cellPieces, job->cellCount);
	BR_FREE(allocator, job->samples, job->sampleCount);
}

// How many bodies may still be added, parents not counted.
static int32_t breakRoom(const brWorld* world)
{
	int32_t room = INT32_MAX / 2, limits[2] = {world->breaking.budget.bodies, world->dynamics.def.maxBodies};
	for (int32_t k = 0; k < 2; ++k)
	{
		if (limits[k] > 0 && limits[k] - world->dynamics.bodyCount < room)
		{
			room = limits[k] - world->dynamics.bodyCount;
		}
	}
	return room;
}

static double breakBondArea(const brShatter* shatter)
{
	double area = 0.0;
	for (int32_t i = 0; i < shatter->bondCount; ++i)
	{
		area += shatter->bonds[i].area;
	}
	return area;
}

static uint64_t breakSeed(const brWorld* world, const brBreakSettings* settings, int32_t body)
{
	brBodyId id = brDynamics_BodyId(&world->dynamics, body);
	return brHash64(settings->def.seed ^ brHash64((uint64_t)id.generation << 32 | (uint32_t)id.index1));
}

// How long what hits pushes. A wall takes its momentum up by bending waves, with 8 (D rho h)^1/2 of force per speed.
static double breakDuration(const brBreakBody* record, const brMaterial* material)
{
	const brMeshMeasure* measure = &record->measure;
	double h = measure->thickness, nu = material->poissonRatio;
	if (!(record->size > BREAK_WALL * h))
	{
		return record->hit.duration;
	}
	double stiffness = material->youngsModulus * h * h * h / (12.0 * (1.0 - nu * nu));
	return 2.0 * record->hit.mass / (8.0 * sqrt(stiffness * material->density * h));
}

// Energy of stress frozen into the body that becomes cracks when it breaks. Stress goes as a parabola from the faces,
// pressed, to the middle, pulled by half of that: the mean of its square is a fifth.
static double breakStored(const brBreakBody* record, const brMaterial* material)
{
	double square = material->surfaceStress * material->surfaceStress / 5.0;
	return BREAK_TEMPER * (1.0 - material->poissonRatio) * square / material->youngsModulus * record->measure.volume;
}

// Energy that parts a unit of area.
static double breakParting(const brMaterial* material)
{
	return brMaterial_GetFractureEnergy(material) + material->film;
}

// How deep a crack runs in from the contact: its stress intensity K = chi F / c^1.5 falls to the toughness.
static double breakChip(double force, const brMaterial* material)
{
	return force > 0.0 ? brPower(BR_IMPACT_CHI * force / material->toughness, 2.0 / 3.0) : 0.0;
}

// Which way what hits goes, as the body sees it; 0 if that is gone.
static brDVec3 breakWay(const brWorld* world, int32_t body)
{
	const brDynamics* dynamics = &world->dynamics;
	const brHit* hit = &world->breaking.bodies.data[body].hit;
	if (hit->other < 0 || dynamics->bodies.data[hit->other].generation != hit->otherGeneration)
	{
		return brMakeDVec3(0.0, 0.0, 0.0);
	}
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(dynamics, body));
	brHitSides sides = {body, hit->other, brTransform_Point(pose, hit->point), hit->otherPoint, hit->normal};
	return brQuat_InvRotate(pose.q, brDNormalize(brBreaking_Approach(dynamics, &sides)));
}

// The radius of the hole that a compact striker needs; 0 for one that is much wider than it is round: a rod across a
// pane, a plate on its face.
static double breakThrough(const brWorld* world, const brBreakBody* record)
{
	double through = brBreaking_Through(world, &record->hit);
	return through <= BREAK_ROUND * record->hit.otherRadius ? through : 0.0;
}

static brBreakupDef breakFragmentDef(const brWorld* world, int32_t body)
{
	const brBreakBody* record = &world->breaking.bodies.data[body];
	const brBreakSettings* settings = &world->breaking.settings.data[record->settings];
	const brMaterial* material = &settings->def.material;
	double energy = record->hit.energy + breakStored(record, material);
	double blow =
		record->hit.mass > 0.0 ? 0.5 * record->hit.mass * record->hit.speed * record->hit.speed : record->hit.energy;
	bool isCascade = settings->def.pattern == br_sitesImpact || settings->def.pattern == br_sitesRadial;
	bool isReady = body < world->breaking.ready.count;
	return (brBreakupDef){
		.mesh = record->mesh,
		.surface = isReady ? world->breaking.ready.data[body].surface : NULL,
		.known = isReady ? world->breaking.ready.data[body].known : NULL,
		.isSound = record->isSound,
		.measure = record->measure,
		// What is under stress of its own everywhere breaks everywhere.
		.pattern = isCascade && material->surfaceStress > 0.0 ? br_sitesUniform : settings->def.pattern,
		.at = record->hit.point,
		.inward = record->hit.inward,
		.crackArea = energy / brMaterial_GetFractureEnergy(material),
		.most = settings->def.pieces,
		.smallest = settings->def.smallest,
		.seed = breakSeed(world, settings, body),
		.interior = &settings->def.interior,
		.material = &settings->def.material,
		.energy = record->hit.energy,
		.speed = record->hit.speed,
		.ratio = record->hit.ratio,
		.force = record->hit.force,
		.blow = blow,
		.reach = record->hit.otherRadius,
		.duration = breakDuration(record, &settings->def.material),
		.chip = breakChip(record->hit.force, material),
		.partingChip = breakChip(record->hit.partingForce, material),
		.pressed = record->hit.radius,
		.parting = record->hit.parting,
		.excess = fmin(record->hit.energy / fmax(settings->def.efficiency * blow, 1e-300), 1.0),
		.isHeld = world->dynamics.bodies.data[body].kind != br_bodyDynamic && record->generation == 0,
		.way = breakWay(world, body),
		.through = breakThrough(world, record),
		.isForced = true,
		.isPiece = record->generation > 0,
		.strengthMap = settings->def.strengthMap,
		.weakest = settings->def.weakest,
		.grain = settings->def.grain,
		.grainSize = settings->def.grainSize,
		.grainMap = settings->def.grainMap,
		.elastic = world->breaking.elastic,
		.cells = world->breaking.cells,
	};
}

// What goes through a wall makes its hole before cracks by fracture mechanics, which are those of a load at rest, know
// of it.
static bool breakIsShot(const brBreakBody* record, const brBreakJob* job)
{
	const brBreakupDef* def = &job->fragments;
	double wall = record->measure.thickness, radius = def->through + 0.5 * wall;
	return def->through > 0.0 && record->size > BREAK_WALL * wall &&
		   brCascadeMakesRoom(def->material, wall, radius, job->hit.mass, job->hit.speed, def->duration);
}

// What is under stress of its own breaks by a pattern: cracks do not know that stress.
static bool breakIsCrack(const brWorld* world, const brBreakJob* job)
{
	const brBreakBody* record = &world->breaking.bodies.data[job->body];
	const brBreakDef* def = &world->breaking.settings.data[record->settings].def;
	return def->method == br_breakCrack && !(def->material.surfaceStress > 0.0) && !breakIsShot(record, job);
}

static bool breakIsCascade(const brBreakupDef* def)
{
	return def->pattern == br_sitesImpact || def->pattern == br_sitesRadial;
}

// Cascades go where stress is high over strength; cracks by fracture mechanics look at the map themselves.
static void breakWeaken(const brWorld* world, brBreakJob* job)
{
	const brBreakBody* record = &world->breaking.bodies.data[job->body];
	const brBreakDef* def = &world->breaking.settings.data[record->settings].def;
	for (int32_t i = 0; i < job->sampleCount && def->strengthMap != NULL && !breakIsCrack(world, job); ++i)
	{
		double scale = 1.0 / brBreakMaps_Factor(def, job->samples[i].position);
		for (int32_t c = 0; c < 3; ++c)
		{
			job->samples[i].stress[c] *= scale;
		}
	}
}

// Jobs of one model, whose stress is found together.
typedef struct BreakFields
{
	int32_t jobs[BR_FRONT_LANES];
	int32_t count;
} BreakFields;

typedef BR_ARRAY(BreakFields) BreakFieldsArray;

typedef struct BreakFieldWork
{
	brWorld* world;
	const BreakFields* fields;
} BreakFieldWork;

static void breakFieldRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const BreakFieldWork* work = user;
	for (int32_t n = begin; n < end; ++n)
	{
		const BreakFields* fields = &work->fields[n];
		brBreakJob* jobs = work->world->breaking.jobs.data;
		brFieldBlow blows[BR_FRONT_LANES];
		for (int32_t i = 0; i < fields->count; ++i)
		{
			const brBreakJob* job = &jobs[fields->jobs[i]];
			const brHit* hit = &job->hit;
			brStrike strike = {.point = hit->point, .inward = hit->inward, .otherRadius = hit->otherRadius};
			blows[i] = (brFieldBlow){strike, hit->force, hit->radius, job->samples};
		}
		brResult result = brImpactModel_Fields(jobs[fields->jobs[0]].model, work->world->dynamics.context.workers,
											   blows, fields->count);
		for (int32_t i = 0; i < fields->count; ++i)
		{
			jobs[fields->jobs[i]].result = result;
			breakWeaken(work->world, &jobs[fields->jobs[i]]);
		}
	}
}

// The stress of the blows on bodies that have a model: samples for cascades. Jobs without memory for theirs fail.
static void breakFindFields(brWorld* world)
{
	brBreaking* breaking = &world->breaking;
	const brAllocator* allocator = &world->dynamics.allocator;
	BreakFieldsArray all = {0};
	for (int32_t i = 0; i < breaking->jobs.count; ++i)
	{
		brBreakJob* job = &breaking->jobs.data[i];
		if (job->model == NULL || !(job->hit.force > 0.0))
		{
			continue;
		}
		job->sampleCount = brImpactModel_SampleCount(job->model);
		job->samples = BR_ALLOC(allocator, brStressSample, job->sampleCount);
		job->fragments.samples = job->samples;
		job->fragments.sampleCount = job->sampleCount;
		int32_t n = 0;
		while (n < all.count &&
			   (breaking->jobs.data[all.data[n].jobs[0]].model != job->model || all.data[n].count == BR_FRONT_LANES))
		{
			n += 1;
		}
		bool isGood = job->samples != NULL && (n < all.count || BR_PUSH(allocator, &all, ((BreakFields){.count = 0})));
		job->result = isGood ? br_success : br_errorMemory;
		if (isGood)
		{
			all.data[n].jobs[all.data[n].count++] = i;
		}
	}
	BreakFieldWork work = {world, all.data};
	brParallelFor(world->dynamics.context.workers, all.count, 1, breakFieldRange, &work);
	BR_FREE_ARRAY(allocator, &all);
}

// Cuts the body of a job. Reads the world, changes the job alone.
static void breakCut(const brContext* context, const brWorld* world, brBreakJob* job)
{
	if (job->result < 0)
	{
		return;
	}
	if (job->modes != NULL)
	{
		job->result = brMakeModalBreakup(context, job->modes, &job->fragments, &job->shatter, NULL);
		return;
	}
	if (breakIsCrack(world, job))
	{
		job->result = brMakeCrackBreakup(context, &job->fragments, &job->shatter, NULL);
		return;
	}
	job->result = breakIsCascade(&job->fragments)
					  ? brMakeCascadeBreakup(context, &job->fragments, &job->shatter, NULL)
					  : brMakeBreakup(context, &job->fragments, &job->plan, &job->shatter, NULL);
}

typedef struct BreakCuts
{
	brWorld* world;
	brContext alone; // for those that are cut side by side
} BreakCuts;

// Breaks that use a device or a solver that only one thread may use are worked out one after the other.
static bool breakIsAlone(const brWorld* world, const brBreakJob* job)
{
	bool isOnDevice = job->fragments.cells != NULL && job->modes == NULL && !breakIsCascade(&job->fragments);
	return breakIsCrack(world, job) || isOnDevice;
}

static bool breakIsCut(const brWorld* world, const brBreakJob* job)
{
	return job->fragments.mesh != NULL && !breakIsAlone(world, job);
}

static void breakCutRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const BreakCuts* cuts = user;
	for (int32_t i = begin; i < end; ++i)
	{
		brBreakJob* job = &cuts->world->breaking.jobs.data[i];
		if (breakIsCut(cuts->world, job))
		{
			breakCut(&cuts->alone, cuts->world, job);
		}
	}
}

// As many bodies side by side as there are workers, and what is left over with all workers each if it is few; cracks
// grow one body at a time, since the equations behind them are solved by what may not run twice at once. Those that
// stay whole leave the list.
static void breakCutAll(brWorld* world)
{
	brBreaking* breaking = &world->breaking;
	const brContext* context = &world->dynamics.context;
	int32_t workers = brWorkers_GetCount(context->workers), cutCount = 0, kept = 0, together = breaking->jobs.count;
	breakFindFields(world);
	for (int32_t i = 0; i < breaking->jobs.count; ++i)
	{
		cutCount += breakIsCut(world, &breaking->jobs.data[i]);
	}
	for (int32_t left = cutCount % workers; left > 0 && 2 * (cutCount % workers) <= workers;)
	{
		left -= breakIsCut(world, &breaking->jobs.data[--together]);
	}
	BreakCuts cuts = {world, *context};
	cuts.alone.workers = NULL;
	brParallelFor(context->workers, together, 1, breakCutRange, &cuts);
	for (int32_t i = 0; i < breaking->jobs.count; ++i)
	{
		brBreakJob* job = &breaking->jobs.data[i];
		if (job->fragments.mesh != NULL && (i >= together || breakIsAlone(world, job)))
		{
			breakCut(context, world, job);
		}
	}
	for (int32_t i = 0; i < breaking->jobs.count; ++i)
	{
		brBreakJob job = breaking->jobs.data[i];
		bool isCut = job.fragments.mesh != NULL;
		const brBreakSettings* settings = &breaking->settings.data[breaking->bodies.data[job.body].settings];
		double surface = breakParting(&settings->def.material);
		double need = job.result >= 0 ? surface * breakBondArea(job.shatter) : 0.0;
		double there = 0.5 * job.hit.mass * job.hit.speed * job.hit.speed +
					   breakStored(&breaking->bodies.data[job.body], &settings->def.material);
		bool isWhole =
			isCut && job.result >= 0 && (job.shatter->pieceCount < 2 || (need > there && job.hit.mass > 0.0));
		if (job.result < 0 || isWhole)
		{
			breaking->stats.failed += !isWhole;
			brBreaking_FreeJob(world, &job);
			continue;
		}
		breaking->jobs.data[kept++] = job;
	}
	breaking->jobs.count = kept;
}

// A cluster that is hit or was left unsettled. Returns how many pieces it falls into.
static int32_t breakClusterJob(brWorld* world, int32_t body)
{
	brBreaking* breaking = &world->breaking;
	const brBreakBody* record = &breaking->bodies.data[body];
	const brCluster* cluster = breaking->clusters.data[record->cluster];
	brBreakJob job;
	if ((!record->hit.isThere && !cluster->needsSolve) || cluster->linkCount == 0)
	{
		return 0;
	}
	if (!brCluster_Run(world, body, &job))
	{
		return 0;
	}
	if (!BR_PUSH(&world->dynamics.allocator, &breaking->jobs, job))
	{
		brBreaking_FreeJob(world, &job);
		breaking->stats.failed += 1;
		return 0;
	}
	return job.shatter->pieceCount;
}

static double breakCost(const brBreakBody* record, int32_t pieces)
{
	return BREAK_SECONDS_A_TRIANGLE * (record->mesh->cornerCount - 2 * record->mesh->faceCount) +
		   BREAK_SECONDS_A_PIECE * pieces;
}

static void breakWait(brBreaking* breaking, brBreakBody* record)
{
	record->hit.isWaiting = true;
	breaking->stats.waiting += 1;
}

// Bodies in slot order until the budget is used up; the others wait.
static void breakMakeJobs(brWorld* world)
{
	brBreaking* breaking = &world->breaking;
	const brBreakBudget* budget = &breaking->budget;
	int32_t pieces = breaking->stats.pieces, most = budget->piecesPerStep > 0 ? budget->piecesPerStep : INT32_MAX / 2;
	breaking->stats.waiting = 0;
	bool isFull = false; // a blow is not asked about only to learn that its body waits too
	for (int32_t i = 0; i < breaking->bodies.count; ++i)
	{
		brBreakBody* record = brBreaking_Body(breaking, i);
		if (record != NULL && record->cluster >= 0)
		{
			pieces += breakClusterJob(world, i);
			continue;
		}
		if (record == NULL || !record->hit.isThere)
		{
			continue;
		}
		int32_t room = breakRoom(world) - (pieces - breaking->stats.pieces);
		bool isFirst = breaking->jobs.count == 0 && breaking->stats.breaks == 0;
		if (room < 2)
		{
			record->hit.isThere = record->hit.isWaiting = false;
			breaking->stats.failed += 1;
			continue;
		}
		// Least pieces: what does not fit even so need not be known.
		double limit = budget->secondsPerStep > 0.0 && !isFirst ? budget->secondsPerStep : INFINITY;
		bool isLate = breaking->spent + breakCost(record, 2) > limit;
		if ((record->hit.isRough && (isFull || isLate)) || (record->hit.isOff && isLate))
		{
			breakWait(breaking, record);
			isFull = isFull || record->hit.isOff;
			continue;
		}
		bool isAsked =
			(!record->hit.isRough || brBreaking_Settle(world, i)) && (!record->hit.isOff || brBreaking_PutOn(world, i));
		if (!isAsked)
		{
			breaking->stats.failed += 1;
			record->hit.isThere = record->hit.isWaiting = false;
		}
		if (!record->hit.isThere)
		{
			continue;
		}
		brBreakupDef def = breakFragmentDef(world, i);
		// One break a step is always allowed, with fewer pieces if need be.
		def.most = isFirst && def.most > most ? most : def.most;
		def.most = def.most > room ? room : def.most;
		def.most = def.most < 2 ? 2 : def.most;
		brBreakupPlan plan = brPlanBreakup(&def);
		double cost = breakCost(record, plan.count + plan.rests);
		if (!isFirst && (pieces + plan.count + plan.rests > most || breaking->spent + cost > limit))
		{
			breakWait(breaking, record);
			isFull = true;
			continue;
		}
		brBreakJob job = {.body = i, .hit = record->hit, .shards = plan.count, .fragments = def, .plan = plan};
		bool hasMemory = true;
		if (breakIsCascade(&def) || breakIsCrack(world, &job))
		{
			job.shards = INT32_MAX;
			job.model = brBreaking_Model(world, i, &hasMemory);
		}
		job.modes = brBreaking_Modes(world, i, &hasMemory);
		job.shards = job.modes != NULL ? INT32_MAX : job.shards;
		record->hit.isThere = record->hit.isWaiting = false;
		if (!hasMemory || !BR_PUSH(&world->dynamics.allocator, &breaking->jobs, job))
		{
			brBreaking_FreeJob(world, &job);
			breaking->stats.failed += 1;
			continue;
		}
		pieces += plan.count + plan.rests;
		breaking->spent += cost;
	}
}

// Material that a striker takes out of a hole: crushed to dust, or pushed out as a plug.
typedef struct BreakWay
{
	double dust, plug; // masses
	double share;      // of the plug, of the volume
	brDVec3 center;    // of the plug
} BreakWay;

static BreakWay breakInWay(const brWorld* world, const brBreakJob* job, double density)
{
	BreakWay way = {.dust = 0.0};
	brDVec3 sum = {0.0, 0.0, 0.0};
	double volume = 0.0;
	for (int32_t i = 0; i < job->shatter->pieceCount; ++i)
	{
		const brPiece* piece = &job->shatter->pieces[i];
		bool isDriven = piece->isPlug && job->born != NULL && !job->born[i].isDust && !job->born[i].isHeld;
		way.dust += piece->isDust ? density * piece->mass.volume : 0.0;
		volume += isDriven ? piece->mass.volume : 0.0;
		sum = brDMulAdd(sum, isDriven ? piece->mass.volume : 0.0, piece->mass.center);
	}
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(&world->dynamics, job->body));
	way.plug = density * volume;
	way.share = volume / job->shatter->volumeIn;
	way.center = volume > 0.0 ? brTransform_Point(pose, brDMul(1.0 / volume, sum)) : pose.p;
	return way;
}

// What hits goes on with what it drives out, as one: a plug of mass p leaves it m / (m + p) of its speed. It is pushed
// along a line through the middle of the plug, so that this does not turn.
static void breakDrive(brWorld* world, brBreakJob* job, const brHitSides* sides, const BreakWay* way, double closing)
{
	brHitSides alone = {-1, sides->b, way->center, brDAdd(job->hit.otherPoint, brDSub(way->center, sides->pointA)),
						sides->normal};
	double mass = brBreaking_EffectiveMass(&world->dynamics, &alone);
	double shared = 1.0 / (1.0 / mass + 1.0 / way->plug);
	job->driving = brDMul(shared * closing, sides->normal);
	job->lost += 0.5 * shared * closing * closing;
	brBreaking_Push(&world->dynamics, &alone, shared * closing);
}

static void breakTakeEnergy(brWorld* world, brBreakJob* job)
{
	brDynamics* dynamics = &world->dynamics;
	const brBreakBody* record = &world->breaking.bodies.data[job->body];
	int32_t other = job->hit.other;
	job->velocity = dynamics->bodies.data[job->body].velocity, job->spin = dynamics->bodies.data[job->body].spin;
	bool isThere = other >= 0 && brBody_IsThere(&dynamics->bodies.data[other]) &&
				   dynamics->bodies.data[other].generation == job->hit.otherGeneration;
	if (!job->hit.isThere || job->hit.isWaiting || !isThere)
	{
		return;
	}
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(dynamics, job->body));
	brHitSides sides = {job->body, other, brTransform_Point(pose, job->hit.point), job->hit.otherPoint,
						job->hit.normal};
	// Bodies that are near each other push along one line, which keeps angular momentum to rounding.
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	double near = (double)brSmallerSize(frames[sides.a].radius, frames[sides.b].radius);
	sides.pointB = brDDistance(sides.pointA, sides.pointB) < near ? sides.pointA : sides.pointB;
	double closing = brBreaking_Closing(dynamics, &sides), mass = brBreaking_EffectiveMass(dynamics, &sides);
	const brBreakDef* settings = &world->breaking.settings.data[record->settings].def;
	double surface = breakParting(&settings->material), stored = breakStored(record, &settings->material);
	if (!(closing > 0.0) || !isfinite(mass))
	{
		return;
	}
	double there = 0.5 * mass * closing * closing;
	job->energy = fmin(fmax(0.0, surface * breakBondArea(job->shatter) - stored), BREAK_MAX_TAKEN * there);
	double left = sqrt(closing * closing - 2.0 * job->energy / mass);
	BreakWay way = breakInWay(world, job, settings->material.density);
	double through = brBreaking_Through(world, &job->hit); // the ground does not fly on
	job->isThrough =
		job->shatter->hole > 0.0 && way.share < BREAK_PLUG && through > 0.0 && through <= job->shatter->hole;
	double slowed = left * mass / (mass + BREAK_DRIVEN * way.dust);
	job->lost = 0.5 * mass * (left * left - slowed * slowed);
	brBreaking_Push(dynamics, &sides, mass * (closing - slowed));
	if (job->isThrough && way.plug > 0.0)
	{
		breakDrive(world, job, &sides, &way, slowed);
	}
}

static brBreakEvent breakEvent(const brWorld* world, const brBreakJob* job)
{
	const brBreakBody* record = &world->breaking.bodies.data[job->body];
	const brDynamics* dynamics = &world->dynamics;
	brBreakEvent event = {.parent = brDynamics_BodyId(dynamics, job->body)};
	brTransform pose = brWorld_GetPose(world, event.parent);
	event.other = job->hit.isThere && job->hit.other >= 0 ? (brBodyId){job->hit.other + 1, job->hit.otherGeneration}
														  : (brBodyId){0, 0};
	event.point = brTransform_Point(pose, job->hit.point);
	event.normal = job->hit.normal;
	event.speed = job->hit.speed;
	event.impulse = job->hit.mass * job->hit.speed;
	event.ratio = job->hit.ratio;
	event.force = job->hit.force;
	event.duration = job->hit.duration;
	event.stress = job->hit.stress;
	event.strength = record->strength;
	event.energy = job->energy;
	event.area = breakBondArea(job->shatter);
	event.mass = dynamics->bodies.data[job->body].mass;
	event.isCapped = job->shatter->isCapped;
	event.firstPiece = world->breaking.pieces.count;
	return event;
}

// While there are young pieces a step may not end with more energy than it has now.
static void breakWatchEnergy(brWorld* world)
{
	brBreaking* breaking = &world->breaking;
	bool hasYoung = false;
	for (int32_t i = 0; i < breaking->bodies.count && !hasYoung; ++i)
	{
		hasYoung = breaking->bodies.data[i].settings >= 0 && breaking->bodies.data[i].youth > 0.0;
	}
	if (hasYoung)
	{
		brWorldEnergy energy = brWorld_ComputeEnergy(world);
		breaking->energyLeft = energy.kinetic + energy.potential;
	}
}

// Motion, and what went of it into surface and with dust: what a break loses beyond that is the solver's.
static double breakBalance(const brWorld* world)
{
	brWorldEnergy energy = brWorld_ComputeEnergy(world);
	return energy.kinetic + energy.fracture + world->breaking.dustKinetic;
}

// Hits of a step that failed: the one that repeats it finds them again.
static void breakForgetHits(brWorld* world)
{
	for (int32_t i = 0; i < world->breaking.bodies.count; ++i)
	{
		brBreakBody* record = brBreaking_Body(&world->breaking, i);
		if (record != NULL && !record->hit.isWaiting)
		{
			record->hit.isThere = false;
		}
	}
}

brResult brBreaking_Run(brWorld* world, double dt, bool* outChanged, brReport* report)
{
	brBreaking* breaking = &world->breaking;
	*outChanged = false;
	// For the end of the step, where nothing may fail any more.
	breaking->young.count = 0;
	if (!BR_RESERVE(&world->dynamics.allocator, &breaking->young, breaking->bodies.count))
	{
		return brFailMemory(report);
	}
	// Asked again about the bodies it made, which may be hit in this step too.
	if (breaking->bodies.count == 0 || breaking->rounds >= BREAK_ROUNDS)
	{
		return br_success;
	}
	int64_t start = brClockNanoseconds();
	breakWatchEnergy(world);
	breaking->blows.count = 0;
	if ((breaking->stats.breaks == 0 && !brBreaking_FindLoads(world, dt)) || !brBreaking_FindHits(world, dt))
	{
		breakForgetHits(world);
		return brFailMemory(report);
	}
	breakMakeJobs(world);
	breakCutAll(world);
	brBreaking_Prepare(world);
	double before = breaking->jobs.count > 0 ? breakBalance(world) : 0.0;
	for (int32_t i = 0; i < breaking->jobs.count; ++i)
	{
		breakTakeEnergy(world, &breaking->jobs.data[i]);
	}
	for (int32_t i = 0; i < breaking->jobs.count; ++i)
	{
		brBreakJob* job = &breaking->jobs.data[i];
		brBreakEvent event = breakEvent(world, job);
		bool isDone = BR_RESERVE(&world->dynamics.allocator, &breaking->events, 1) && brBreaking_Replace(world, job);
		if (isDone)
		{
			event.pieceCount = breaking->pieces.count - event.firstPiece;
			breaking->events.data[breaking->events.count++] = event;
			breaking->stats.breaks += 1;
			breaking->stats.pieces += event.pieceCount;
			breaking->stats.energy += event.energy;
			world->dynamics.books.restitution += job->lost;
			before -= job->lost;
			breaking->events.data[breaking->events.count - 1].dust = job->dust + job->crumbs;
		}
		*outChanged = true; // slots may have been added even if it was given up
		breaking->stats.failed += !isDone;
		brBreaking_FreeJob(world, job);
	}
	if (breaking->jobs.count > 0)
	{
		world->dynamics.books.solver += before - breakBalance(world);
	}
	if (breaking->jobs.count > 0 && !brBreaking_TellPassers(world))
	{
		return brFailMemory(report);
	}
	// Nothing has moved yet, but what was held is counted from now on.
	if (breaking->jobs.count > 0)
	{
		breakWatchEnergy(world);
	}
	breaking->rounds += 1;
	breaking->jobs.count = 0;
	breaking->stats.seconds += brSecondsSince(start);
	return br_success;
}

// The motion that bodies would have if they were stuck together.
typedef struct BreakCommon
{
	brDVec3 center, velocity, spin;
	double relative; // kinetic energy of what is left
} BreakCommon;

static brDVec3 breakSpinMomentum(const brBody* body, brDVec3 spin)
{
	brDVec3 w = brQuat_InvRotate(body->rotation, spin);
	w = brMakeDVec3(body->inertia.x * w.x, body->inertia.y * w.y, body->inertia.z * w.z);
	return brQuat_Rotate(body->rotation, w);
}

static BreakCommon breakCommon(const brWorld* world, const brBodyId* ids, int32_t count)
{
	const brBody* bodies = world->dynamics.bodies.data;
	BreakCommon common = {.relative = 0.0};
	brDVec3 origin = bodies[ids[0].index1 - 1].position, momentum = {0.0, 0.0, 0.0}, angular = {0.0, 0.0, 0.0};
	brMat3 inertia = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
	double mass = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		const brBody* body = &bodies[ids[i].index1 - 1];
		mass += body->mass;
		common.center = brDMulAdd(common.center, body->mass, brDSub(body->position, origin));
		momentum = brDMulAdd(momentum, body->mass, body->velocity);
	}
	common.center = brDMulAdd(origin, 1.0 / mass, common.center);
	common.velocity = brDMul(1.0 / mass, momentum);
	for (int32_t i = 0; i < count; ++i)
	{
		const brBody* body = &bodies[ids[i].index1 - 1];
		brDVec3 r = brDSub(body->position, common.center), v = brDSub(body->velocity, common.velocity);
		angular = brDAdd(angular, brDMulAdd(breakSpinMomentum(body, body->spin), body->mass, brDCross(r, v)));
		const brDVec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
		brDVec3* columns[3] = {&inertia.cx, &inertia.cy, &inertia.cz};
		for (int32_t k = 0; k < 3; ++k)
		{
			brDVec3 own = breakSpinMomentum(body, axes[k]);
			*columns[k] = brDAdd(*columns[k], brDMulAdd(own, body->mass, brDCross(r, brDCross(axes[k], r))));
		}
	}
	brMat3 cofactor = brMat3_Cofactor(&inertia);
	double determinant = brMat3_Determinant(&inertia);
	common.spin = determinant > 0.0 ? brDMul(1.0 / determinant, brMat3_MulV(&cofactor, angular)) : common.spin;
	for (int32_t i = 0; i < count; ++i)
	{
		const brBody* body = &bodies[ids[i].index1 - 1];
		brDVec3 at = brDAdd(common.velocity, brDCross(common.spin, brDSub(body->position, common.center)));
		brDVec3 v = brDSub(body->velocity, at), w = brDSub(body->spin, common.spin);
		common.relative += 0.5 * body->mass * brDLengthSq(v) + 0.5 * brDDot(w, breakSpinMomentum(body, w));
	}
	return common;
}

// A solver that works in float with levers fixed for a step can leave a little more energy than there was, most of all
// among pieces that part. Young pieces give it back: their motion relative to what they have in common shrinks, which
// leaves momentum and angular momentum alone.
static void breakDampPieces(brWorld* world)
{
	brBreaking* breaking = &world->breaking;
	brWorldEnergy energy = brWorld_ComputeEnergy(world);
	double excess = energy.kinetic + energy.potential - breaking->energyLeft;
	breaking->young.count = 0;
	for (int32_t i = 0; excess > 0.0 && i < breaking->bodies.count; ++i)
	{
		const brBreakBody* record = brBreaking_Body(breaking, i);
		const brBody* body = &world->dynamics.bodies.data[i];
		if (record != NULL && record->youth > 0.0 && body->kind == br_bodyDynamic && brBody_IsMoving(body) &&
			!BR_PUSH(&world->dynamics.allocator, &breaking->young, brDynamics_BodyId(&world->dynamics, i)))
		{
			return; // nothing is lost but a little order
		}
	}
	if (breaking->young.count == 0)
	{
		return;
	}
	BreakCommon common = breakCommon(world, breaking->young.data, breaking->young.count);
	double keep = common.relative > excess ? sqrt(1.0 - excess / common.relative) : 0.0;
	world->dynamics.books.solver += fmin(excess, common.relative);
	for (int32_t i = 0; i < breaking->young.count; ++i)
	{
		brBody* body = &world->dynamics.bodies.data[breaking->young.data[i].index1 - 1];
		brDVec3 at = brDAdd(common.velocity, brDCross(common.spin, brDSub(body->position, common.center)));
		body->velocity = brDMulAdd(at, keep, brDSub(body->velocity, at));
		body->spin = brDMulAdd(common.spin, keep, brDSub(body->spin, common.spin));
	}
}

static bool breakIsDriven(const brWorld* world)
{
	for (int32_t i = 0; i < world->dynamics.bodies.count; ++i)
	{
		const brBody* body = &world->dynamics.bodies.data[i];
		if (body->kind == br_bodyKinematic && brDLengthSq(body->velocity) + brDLengthSq(body->spin) > 0.0)
		{
			return true;
		}
	}
	return false;
}

void brBreaking_End(brWorld* world, double dt)
{
	brBreaking_KeepLoads(world);
	brBreaking* breaking = &world->breaking;
	if (breaking->energyLeft < INFINITY && !breakIsDriven(world))
	{
		breakDampPieces(world);
	}
	for (int32_t i = 0; i < breaking->bodies.count; ++i)
	{
		brBreakBody* record = brBreaking_Body(breaking, i);
		if (record != NULL)
		{
			record->youth = record->youth > dt ? record->youth - dt : 0.0;
		}
		if (record == NULL || record->dustAge < 0.0)
		{
			continue;
		}
		record->dustAge += dt;
		if (record->dustAge >= breaking->budget.dustTime)
		{
			breaking->stats.dustGone += 1;
			breaking->stats.dustMass += world->dynamics.bodies.data[i].mass;
			world->dynamics.books.dust += brBody_Energy(&world->dynamics, &world->dynamics.bodies.data[i]);
			brWorld_DestroyBody(world, brDynamics_BodyId(&world->dynamics, i));
		}
	}
}
