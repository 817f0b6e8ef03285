// SPDX-License-Identifier: MIT

// The public face of breaking: defs checked, records made, questions answered.

#include "base/assert.h"
#include "base/hash.h"
#include "base/report.h"
#include "brittle/check.h"
#include "math/power.h"
#include "mesh/topology.h"
#include "world/break_state.h"
#include "world/cluster.h"
#include "world/world_state.h"

#include <math.h>
#include <string.h>

#define BREAK_MAX_PIECES 10000
#define BREAK_SMALLEST_SHARE 25.0 // of the size of a body: the default of the smallest piece

brBreakDef brDefaultBreakDef(void)
{
	brBreakDef def = {
		.method = br_breakShatter,
		.material = *brFindMaterial("glass"),
		.pattern = br_sitesImpact,
		.pieces = 300,
		.generations = 2,
		.strength = 1.0,
		.efficiency = 0.02,
		.weakest = 0.2,
		.interior = brDefaultShatterDef().interior,
		.stamp = BR_STAMP(brBreakDef),
	};
	return def;
}

brBreakBudget brDefaultBreakBudget(void)
{
	return (brBreakBudget){
		.piecesPerStep = 500, .secondsPerStep = 0.02, .dustTime = 1.0, .stamp = BR_STAMP(brBreakBudget)};
}

void brBreaking_Init(brBreaking* breaking)
{
	memset(breaking, 0, sizeof(*breaking));
	breaking->budget = brDefaultBreakBudget();
}

// One user less of a model; the last one frees it.
static void breakReleaseModel(brBreaking* breaking, brImpactModel* model)
{
	if (model == NULL || --model->users > 0)
	{
		return;
	}
	for (int32_t i = 0; i < breaking->models.count; ++i)
	{
		if (breaking->models.data[i] == model)
		{
			breaking->models.data[i] = breaking->models.data[--breaking->models.count];
		}
	}
	brDestroyImpactModel(model);
}

static void breakForgetReady(brBreaking* breaking, int32_t slot)
{
	if (slot < breaking->ready.count)
	{
		brDestroyHitSurface(breaking->ready.data[slot].surface);
		brDestroyClipMesh(breaking->ready.data[slot].known);
		breakReleaseModel(breaking, breaking->ready.data[slot].model);
		brBreaking_ReleaseModes(breaking, breaking->ready.data[slot].modes);
		breaking->ready.data[slot] = (brBreakReady){0};
	}
}

void brBreaking_Free(brBreaking* breaking, const brAllocator* allocator)
{
	for (int32_t i = 0; i < breaking->bodies.count; ++i)
	{
		breakForgetReady(breaking, i);
		brDestroyMesh(breaking->bodies.data[i].mesh);
	}
	BR_FREE_ARRAY(allocator, &breaking->ready);
	BR_FREE_ARRAY(allocator, &breaking->models);
	BR_FREE_ARRAY(allocator, &breaking->modes);
	for (int32_t i = 0; i < breaking->clusters.count; ++i)
	{
		brFreeCluster(breaking->clusters.data[i]);
	}
	BR_FREE_ARRAY(allocator, &breaking->clusters);
	for (int32_t i = 0; i < breaking->settings.count; ++i)
	{
		brBreakMaps_Free(&breaking->settings.data[i].def);
	}
	BR_FREE_ARRAY(allocator, &breaking->settings);
	BR_FREE_ARRAY(allocator, &breaking->bodies);
	BR_FREE_ARRAY(allocator, &breaking->jobs);
	BR_FREE_ARRAY(allocator, &breaking->blows);
	BR_FREE_ARRAY(allocator, &breaking->meeting);
	BR_FREE_ARRAY(allocator, &breaking->strikes);
	BR_FREE_ARRAY(allocator, &breaking->needs);
	BR_FREE_ARRAY(allocator, &breaking->impacts);
	BR_FREE_ARRAY(allocator, &breaking->events);
	BR_FREE_ARRAY(allocator, &breaking->pieces);
	for (int32_t i = 0; i < breaking->crumbs.count; ++i)
	{
		brDestroyMesh(breaking->crumbs.data[i].mesh);
	}
	BR_FREE_ARRAY(allocator, &breaking->crumbs);
	BR_FREE_ARRAY(allocator, &breaking->young);
	BR_FREE_ARRAY(allocator, &breaking->stops);
	BR_FREE_ARRAY(allocator, &breaking->marks);
	BR_FREE_ARRAY(allocator, &breaking->loads);
}

bool brBreaking_Add(brWorld* world, int32_t slot, const brBreakBody* record)
{
	brBreaking* breaking = &world->breaking;
	if (slot >= breaking->bodies.count)
	{
		const brAllocator* allocator = &world->dynamics.allocator;
		int32_t count = slot + 1, extra = count - breaking->bodies.count;
		// Sums of a step, one a body, have their room from here on: a step that finds none has done half of its work.
		if (!BR_RESERVE(allocator, &breaking->bodies, extra) ||
			!BR_RESERVE(allocator, &breaking->loads, count - breaking->loads.count) ||
			!BR_RESERVE(allocator, &breaking->young, count - breaking->young.count))
		{
			return false;
		}
		for (int32_t i = 0; i < extra; ++i)
		{
			brBreakBody* empty = &breaking->bodies.data[breaking->bodies.count++];
			memset(empty, 0, sizeof(*empty));
			empty->settings = -1;
		}
	}
	breaking->bodies.data[slot] = *record;
	breaking->settings.data[record->settings].users += 1;
	return true;
}

void brBreaking_Forget(brWorld* world, int32_t slot)
{
	brBreaking* breaking = &world->breaking;
	brBreakBody* record = brBreaking_Body(breaking, slot);
	if (record == NULL)
	{
		return;
	}
	breaking->settings.data[record->settings].users -= 1;
	if (record->cluster >= 0)
	{
		brFreeCluster(breaking->clusters.data[record->cluster]);
		breaking->clusters.data[record->cluster] = NULL;
	}
	breakForgetReady(breaking, slot);
	brDestroyMesh(record->mesh);
	memset(record, 0, sizeof(*record));
	record->settings = -1;
}

brBreakReady* brBreaking_Ready(brWorld* world, int32_t slot)
{
	brBreaking* breaking = &world->breaking;
	while (breaking->ready.count <= slot)
	{
		if (!BR_PUSH(&world->dynamics.allocator, &breaking->ready, (brBreakReady){0}))
		{
			return NULL;
		}
	}
	return &breaking->ready.data[slot];
}

const brHitSurface* brBreaking_Surface(brWorld* world, int32_t slot)
{
	brBreakReady* ready = brBreaking_Ready(world, slot);
	if (ready != NULL && ready->surface == NULL)
	{
		ready->surface = brCreateHitSurface(&world->dynamics.allocator, world->breaking.bodies.data[slot].mesh);
	}
	return ready != NULL ? ready->surface : NULL;
}

static uint64_t breakModelName(const brBreakBody* record, const brMaterial* material, bool isHeld)
{
	uint64_t hash =
		brHashBytes(record->meshHash, &material->density, sizeof(*material) - offsetof(brMaterial, density));
	return brHash64(hash + isHeld);
}

brImpactModel* brBreaking_Model(brWorld* world, int32_t slot, bool* outHasMemory)
{
	brBreaking* breaking = &world->breaking;
	const brBreakBody* record = &breaking->bodies.data[slot];
	brBreakReady* ready = brBreaking_Ready(world, slot);
	bool isWhole = record->mesh != NULL && record->generation == 0;
	if (ready == NULL)
	{
		*outHasMemory = false;
		return NULL;
	}
	if (ready->model != NULL || !isWhole || ready->isOdd)
	{
		return ready->model;
	}
	brImpactModelDef def = brDefaultImpactModelDef();
	def.mesh = record->mesh;
	def.material = breaking->settings.data[record->settings].def.material;
	def.isHeld = world->dynamics.bodies.data[slot].kind != br_bodyDynamic;
	uint64_t name = breakModelName(record, &def.material, def.isHeld);
	for (int32_t i = 0; i < breaking->models.count && ready->model == NULL; ++i)
	{
		ready->model = breaking->models.data[i]->name == name ? breaking->models.data[i] : NULL;
	}
	brImpactModel* model = NULL;
	if (ready->model == NULL)
	{
		bool hasRoom = BR_RESERVE(&world->dynamics.allocator, &breaking->models, 1);
		brResult result = hasRoom ? brCreateImpactModel(&world->dynamics.context, &def, &model, NULL) : br_errorMemory;
		*outHasMemory = *outHasMemory && result != br_errorMemory;
		ready->isOdd = result < 0 && result != br_errorMemory;
		if (result < 0)
		{
			return NULL;
		}
		model->name = name;
		breaking->models.data[breaking->models.count++] = model;
		ready->model = model;
	}
	ready->model->users += 1;
	return ready->model;
}

bool brBreaking_MakeReady(brWorld* world, int32_t slot)
{
	const brBreakBody* record = brBreaking_Body(&world->breaking, slot);
	bool isCluster = record->cluster >= 0;
	if (record->mesh == NULL || !record->isSound || !(record->strength < INFINITY || isCluster))
	{
		return true;
	}
	if (brBreaking_Surface(world, slot) == NULL)
	{
		return false;
	}
	bool hasMemory = true;
	brBreaking_Model(world, slot, &hasMemory);
	brBreaking_Modes(world, slot, &hasMemory);
	if (!hasMemory)
	{
		return false;
	}
	brBreakReady* ready = &world->breaking.ready.data[slot];
	brSitePattern pattern = world->breaking.settings.data[record->settings].def.pattern;
	bool isVoronoi = pattern != br_sitesImpact && pattern != br_sitesRadial && !isCluster; // which has been cut
	// Whatever else is wrong with it will be said when it is cut.
	return ready->known != NULL || !isVoronoi ||
		   brCreateClipMesh(&world->dynamics.context, record->mesh, &ready->known, NULL) != br_errorMemory;
}

brResult brCheckBreakDef(const brBreakDef* def, brReport* report)
{
	if (def == NULL || def->stamp != BR_STAMP(*def))
	{
		return brFail(report, br_errorMisuse, "start a brBreakDef from brDefaultBreakDef()");
	}
	const char* wrong = brMaterial_Check(&def->material);
	if (wrong != NULL)
	{
		return brFail(report, br_errorMisuse, "%s", wrong);
	}
	if (def->method < br_breakNone || def->method > br_breakModal)
	{
		return brFail(report, br_errorMisuse, "there is no method of breaking %d", (int)def->method);
	}
	if (def->pattern < br_sitesUniform || def->pattern >= br_sitesDensity)
	{
		return brFail(report, br_errorMisuse, "bodies cannot break by site pattern %d", (int)def->pattern);
	}
	if (def->pieces < 2 || def->pieces > BREAK_MAX_PIECES || def->generations < 0)
	{
		return brFail(report, br_errorMisuse,
					  "%d pieces in %d generations asked for, possible are 2 to %d and 0 or more", def->pieces,
					  def->generations, BREAK_MAX_PIECES);
	}
	if (!(def->smallest >= 0.0 && isfinite(def->smallest)) || !(def->strength > 0.0 && isfinite(def->strength)) ||
		!(def->efficiency >= 0.0 && def->efficiency <= 1.0))
	{
		return brFail(report, br_errorMisuse, "smallest %g m, strength %g or efficiency %g of breaking is out of range",
					  def->smallest, def->strength, def->efficiency);
	}
	if (!(def->weakest > 0.0 && def->weakest <= 1.0) || !(def->grain >= 0.0 && isfinite(def->grain)) ||
		!(def->grainSize >= 0.0 && isfinite(def->grainSize)))
	{
		return brFail(report, br_errorMisuse,
					  "the weakest place has a share above 0 and up to 1, grain is 0 or more, not %g, %g m and %g m",
					  def->weakest, def->grain, def->grainSize);
	}
	return br_success;
}

// A free slot of settings; -1 without memory. Nobody uses it yet.
static int32_t breakSettingsSlot(brWorld* world)
{
	brBreaking* breaking = &world->breaking;
	for (int32_t i = 0; i < breaking->settings.count; ++i)
	{
		if (breaking->settings.data[i].users == 0)
		{
			return i;
		}
	}
	brBreakSettings empty;
	memset(&empty, 0, sizeof(empty));
	return BR_PUSH(&world->dynamics.allocator, &breaking->settings, empty) ? breaking->settings.count - 1 : -1;
}

// Member by member, so that no byte between them is left as it was: settings are saved as they are.
static void breakKeepDef(brBreakDef* own, const brBreakDef* def)
{
	memset(own, 0, sizeof(*own));
	own->method = def->method;
	own->material = def->material;
	own->pattern = def->pattern;
	own->pieces = def->pieces;
	own->smallest = def->smallest;
	own->generations = def->generations;
	own->strength = def->strength;
	own->efficiency = def->efficiency;
	own->fatigue = def->fatigue;
	own->weakest = def->weakest;
	own->grain = def->grain;
	own->grainSize = def->grainSize;
	own->seed = def->seed;
	own->interior = def->interior;
	own->stamp = def->stamp;
}

static brResult breakCheckDefs(const brBodyDef* bodyDef, const brBreakDef* def, brReport* report)
{
	brResult result = brCheckBreakDef(def, report);
	if (result < 0)
	{
		return result;
	}
	if (def->mesh == NULL && def->method != br_breakNone)
	{
		return brFail(report, br_errorMisuse, "a body that breaks needs a mesh");
	}
	if (bodyDef == NULL || bodyDef->stamp != BR_STAMP(*bodyDef) || (bodyDef->shape == NULL && def->mesh == NULL))
	{
		return brFail(report, br_errorMisuse, "a body needs a def from brDefaultBodyDef and a shape or a mesh");
	}
	return br_success;
}

// Its own copy of the mesh, and what that weighs at density 1.
static brResult breakTakeMesh(const brContext* context, const brMesh* given, brMassProperties* outMass,
							  brMesh** outMesh, brReport* report)
{
	*outMass = brMesh_ComputeMass(given, 1.0);
	if (!(outMass->volume > 0.0))
	{
		return brFail(report, br_errorGeometry, "a body that breaks needs a closed mesh, this one holds %g m^3",
					  outMass->volume);
	}
	return brCopyMesh(context, given, outMesh, report);
}

// An open surface would never be cut. What is sound need not be looked at again when it breaks.
static brResult breakJudgeMesh(const brContext* context, brBreakMethod method, double volume, brBreakBody* record,
							   brReport* report)
{
	brMeshCheck check;
	brResult result = brCheckTopology(context, record->mesh, &check, report);
	if (result < 0)
	{
		return result;
	}
	if (method != br_breakNone && check.boundaryEdges + check.misorientedEdges > 0)
	{
		return brFail(report, br_errorGeometry,
					  "a body that breaks needs a closed mesh, this one has %d open edges and %d between faces "
					  "that are turned to different sides",
					  check.boundaryEdges, check.misorientedEdges);
	}
	record->isSound = check.boundaryEdges == 0 && check.nonmanifoldEdges == 0 && check.nonmanifoldVertices == 0 &&
					  check.misorientedEdges == 0 && check.repeatedIndexFaces == 0;
	record->measure = brMeasureMesh(record->mesh, volume);
	record->meshHash = brHashMesh(record->mesh);
	return br_success;
}

// The body without what makes it break, with a shape made of the mesh if it has none of its own.
static brBodyId breakCreateBody(brWorld* world, const brBodyDef* bodyDef, const brBreakDef* def, const brMesh* mesh,
								const brMassProperties* mass, brReport* report)
{
	brShape* shape = NULL;
	brBodyDef body = *bodyDef;
	body.density = def->material.density;
	body.friction = def->material.friction;
	body.restitution = def->material.restitution;
	body.rolling = def->material.rolling;
	body.spinning = def->material.spinning;
	if (body.shape == NULL)
	{
		double area = brMesh_ComputeArea(mesh);
		if (brMakeBreakShape(&world->dynamics.context, mesh, mass, area, br_fitWhole, &shape, report) < 0)
		{
			return (brBodyId){0, 0};
		}
		body.shape = shape;
	}
	brBodyId id = brWorld_AddBody(world, &body, shape != NULL ? &shape : NULL, report);
	brDestroyShape(shape);
	return id;
}

brBodyId brWorld_CreateBreakable(brWorld* world, const brBodyDef* bodyDef, const brBreakDef* def, brReport* report)
{
	const brBodyId none = {0, 0};
	if (world == NULL)
	{
		brFail(report, br_errorMisuse, "brWorld_CreateBreakable needs world");
		return none;
	}
	if (breakCheckDefs(bodyDef, def, report) < 0)
	{
		return none;
	}
	int32_t slot = breakSettingsSlot(world);
	if (slot < 0)
	{
		brFailMemory(report);
		return none;
	}
	const brContext* context = &world->dynamics.context;
	brMassProperties mass = {.volume = 0.0};
	brMesh* mesh = NULL;
	if (def->mesh != NULL && breakTakeMesh(context, def->mesh, &mass, &mesh, report) < 0)
	{
		return none;
	}
	brBodyId id = breakCreateBody(world, bodyDef, def, mesh, &mass, report);
	if (id.index1 == 0)
	{
		brDestroyMesh(mesh);
		return none;
	}
	brBreakSettings* settings = &world->breaking.settings.data[slot];
	brBreakMaps_Free(&settings->def);
	breakKeepDef(&settings->def, def);
	if (!brBreakMaps_Keep(context, def, &settings->def))
	{
		brWorld_DestroyBody(world, id);
		brDestroyMesh(mesh);
		brFailMemory(report);
		return none;
	}
	settings->rootVolume = mass.volume;
	double size = brPower(mass.volume, 1.0 / 3.0);
	settings->def.smallest = def->smallest > 0.0 ? def->smallest : size / BREAK_SMALLEST_SHARE;
	brBreakBody record = {
		.mesh = mesh,
		.settings = slot,
		.size = size,
		.strength = mesh != NULL ? brBreaking_Strength(settings, mesh, mass.volume, 0, def->seed) : INFINITY,
		.dustAge = -1.0,
		.cluster = -1,
	};
	if (mesh != NULL && breakJudgeMesh(context, def->method, mass.volume, &record, report) < 0)
	{
		brWorld_DestroyBody(world, id);
		brDestroyMesh(mesh);
		return none;
	}
	bool isThere = brBreaking_Add(world, id.index1 - 1, &record);
	if (!isThere || !brBreaking_MakeReady(world, id.index1 - 1))
	{
		brWorld_DestroyBody(world, id);
		brDestroyMesh(isThere ? NULL : mesh);
		brFailMemory(report);
		return none;
	}
	brSucceed(report);
	return id;
}

bool brWorld_BreakBody(brWorld* world, brBodyId id, brDVec3 point, brDVec3 direction, double energy)
{
	int32_t slot = brWorld_IsBody(world, id) ? id.index1 - 1 : -1;
	brBreakBody* record = slot >= 0 ? brBreaking_Body(&world->breaking, slot) : NULL;
	brDVec3 inward = brDNormalize(direction);
	if (record == NULL || !(record->strength < INFINITY) || !brDIsFinite(point) || !(brDLengthSq(inward) > 0.5) ||
		!(energy >= 0.0 && isfinite(energy)))
	{
		return false;
	}
	brTransform pose = brWorld_GetPose(world, id);
	record->hit = (brHit){
		.point = brTransform_InvPoint(pose, point),
		.inward = brQuat_InvRotate(pose.q, inward),
		.normal = inward,
		.energy = energy,
		.other = -1,
		.isThere = true,
		.isWaiting = true,
	};
	brDynamics_Wake(&world->dynamics, slot);
	return true;
}

const brBreakEvent* brWorld_GetBreakEvents(const brWorld* world, int32_t* outCount)
{
	if (outCount != NULL)
	{
		*outCount = world != NULL ? world->breaking.events.count : 0;
	}
	return world != NULL ? world->breaking.events.data : NULL;
}

const brBodyId* brWorld_GetBreakPieces(const brWorld* world, int32_t* outCount)
{
	if (outCount != NULL)
	{
		*outCount = world != NULL ? world->breaking.pieces.count : 0;
	}
	return world != NULL ? world->breaking.pieces.data : NULL;
}

static const brBreakBody* breakRecord(const brWorld* world, brBodyId id)
{
	return brWorld_IsBody(world, id) ? brBreaking_Body(&world->breaking, id.index1 - 1) : NULL;
}

const brMesh* brWorld_GetMesh(const brWorld* world, brBodyId id)
{
	const brBreakBody* record = breakRecord(world, id);
	return record != NULL ? record->mesh : NULL;
}

const brMaterial* brWorld_GetMaterial(const brWorld* world, brBodyId id)
{
	const brBreakBody* record = breakRecord(world, id);
	return record != NULL ? &world->breaking.settings.data[record->settings].def.material : NULL;
}

brBodyId brWorld_GetParent(const brWorld* world, brBodyId id)
{
	const brBreakBody* record = breakRecord(world, id);
	return record != NULL ? record->parent : (brBodyId){0, 0};
}

int32_t brWorld_GetGeneration(const brWorld* world, brBodyId id)
{
	const brBreakBody* record = breakRecord(world, id);
	return record != NULL ? record->generation : 0;
}

double brWorld_GetStrength(const brWorld* world, brBodyId id)
{
	const brBreakBody* record = breakRecord(world, id);
	return record != NULL ? record->strength : 0.0;
}

double brWorld_GetUtilization(const brWorld* world, brBodyId id)
{
	const brBreakBody* record = breakRecord(world, id);
	return record != NULL ? record->worst : 0.0;
}

double brWorld_GetDamage(const brWorld* world, brBodyId id)
{
	const brBreakBody* record = breakRecord(world, id);
	return record != NULL ? record->damage : 0.0;
}

brResult brWorld_SetBreakBudget(brWorld* world, const brBreakBudget* budget, brReport* report)
{
	if (budget == NULL || budget->stamp != BR_STAMP(*budget))
	{
		return brFail(report, br_errorMisuse, "start a brBreakBudget from brDefaultBreakBudget()");
	}
	if (budget->piecesPerStep < 0 || budget->bodies < 0 || !(budget->secondsPerStep >= 0.0) ||
		!(budget->dustSize >= 0.0) || !(budget->dustTime >= 0.0))
	{
		return brFail(report, br_errorMisuse, "a number of the budget for breaking is negative or not a number");
	}
	world->breaking.budget = *budget;
	return brSucceed(report);
}

brBreakStats brWorld_GetBreakStats(const brWorld* world)
{
	if (world == NULL)
	{
		return (brBreakStats){0};
	}
	return world->breaking.stats;
}
