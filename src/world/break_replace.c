// SPDX-License-Identifier: MIT

// A parent goes and its pieces come, with the same mass, momentum and angular momentum.
//
// Masses are in proportion to volume and add up to the parent's. With P and L the parent's momentum and angular
// momentum less those of dust, m and c the mass and the common center of the pieces, I their joint inertia and L about
// it, piece i moves by
//   w = I^-1 L,  v_i = P / m + w x (c_i - c),
// which keeps both whatever the rounding of the cut; where nothing was rounded w is the parent's spin.

#include "world/break_state.h"

#include "base/hash.h"
#include "base/sort.h"
#include "contact/siblings.h"
#include "math/power.h"
#include "world/cluster.h"
#include "world/world_state.h"

#include <math.h>

#define BREAK_CRUMB 0.1 // of the edge of the smallest piece: what is smaller is dust
#define BREAK_SHARD 0.1 // of the parent's volume: larger pieces collide as what they are
#define BREAK_YOUTH 0.5 // until pieces have parted [s]

// What bodies move with together.
typedef struct ReplaceMotion
{
	double mass;
	brDVec3 momentum, angular; // of all of it, the second about the parent's center
} ReplaceMotion;

static brDVec3 replaceAt(const brBody* body, brDVec3 point)
{
	return brDAdd(body->velocity, brDCross(body->spin, brDSub(point, body->position)));
}

// Dust goes on as the parent did before it was hit: what the blow gave is with the bodies.
static ReplaceMotion replaceDustMotion(const brWorld* world, const brBreakJob* job, const brBody* parent,
									   double density)
{
	ReplaceMotion dust = {.mass = 0.0};
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(&world->dynamics, job->body));
	brBody before = *parent;
	before.velocity = job->velocity, before.spin = job->spin;
	for (int32_t i = 0; i < job->shatter->pieceCount; ++i)
	{
		const brMassProperties* piece = &job->shatter->pieces[i].mass;
		if (!job->born[i].isDust || !(piece->volume > 0.0))
		{
			continue;
		}
		brDVec3 center = brTransform_Point(pose, piece->center);
		brDVec3 momentum = brDMul(density * piece->volume, replaceAt(&before, center));
		dust.mass += density * piece->volume;
		dust.momentum = brDAdd(dust.momentum, momentum);
		dust.angular = brDAdd(dust.angular, brDCross(brDSub(center, parent->position), momentum));
	}
	return dust;
}

static void replaceVelocities(brDynamics* dynamics, const brBody* parent, const ReplaceMotion* dust,
							  const brBodyId* ids, int32_t count)
{
	double mass = 0.0;
	brDVec3 center = {0.0, 0.0, 0.0};
	// What an anchor holds stays where it is.
	for (int32_t i = 0; i < count; ++i)
	{
		const brBody* body = &dynamics->bodies.data[ids[i].index1 - 1];
		mass += body->mass;
		center = brDMulAdd(center, body->mass, brDSub(body->position, parent->position));
	}
	if (!(mass > 0.0))
	{
		return;
	}
	center = brDMulAdd(parent->position, 1.0 / mass, center);
	brMat3 sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
	for (int32_t i = 0; i < count; ++i)
	{
		const brBody* body = &dynamics->bodies.data[ids[i].index1 - 1];
		brMat3 own = brBody_Inertia(body);
		brDVec3 r = brDSub(body->position, center);
		double square = body->mass * brDLengthSq(r);
		sum.cx = brDAdd(sum.cx, brDAdd(own.cx, brDMulAdd(brMakeDVec3(square, 0.0, 0.0), -body->mass * r.x, r)));
		sum.cy = brDAdd(sum.cy, brDAdd(own.cy, brDMulAdd(brMakeDVec3(0.0, square, 0.0), -body->mass * r.y, r)));
		sum.cz = brDAdd(sum.cz, brDAdd(own.cz, brDMulAdd(brMakeDVec3(0.0, 0.0, square), -body->mass * r.z, r)));
	}
	brMat3 inertia = brBody_Inertia(parent), cofactor = brMat3_Cofactor(&sum);
	brDVec3 velocity = parent->velocity, angular = brMat3_MulV(&inertia, parent->spin);
	if (dust->mass > 0.0 && parent->kind == br_bodyDynamic)
	{
		// All of the parent's less that of the dust, about the center of what is left.
		brDVec3 momentum = brDMulAdd(brDNeg(dust->momentum), parent->mass, parent->velocity);
		angular = brDSub(angular, dust->angular);
		angular = brDSub(angular, brDCross(brDSub(center, parent->position), momentum));
		velocity = brDMul(1.0 / (parent->mass - dust->mass), momentum);
	}
	double determinant = brMat3_Determinant(&sum);
	// The inverse of a symmetric matrix is its cofactors over its determinant.
	brDVec3 spin = determinant > 0.0 ? brDMul(1.0 / determinant, brMat3_MulV(&cofactor, angular)) : parent->spin;
	if (parent->kind != br_bodyDynamic || !brDIsFinite(spin))
	{
		spin = parent->spin;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brBody* body = &dynamics->bodies.data[ids[i].index1 - 1];
		if (body->kind == br_bodyDynamic)
		{
			body->velocity = brDAdd(velocity, brDCross(spin, brDSub(body->position, center)));
			body->spin = spin;
		}
	}
}

// Bodies of the plug share the momentum that the striker gave it. `ids`: bodies of the pieces that are not dust.
static void replaceDrivePlug(brDynamics* dynamics, const brBreakJob* job, const brBodyId* ids)
{
	double mass = 0.0;
	for (int32_t round = 0; round < 2; ++round)
	{
		for (int32_t i = 0, next = 0; i < job->shatter->pieceCount; ++i)
		{
			brBody* body = job->born[i].isDust ? NULL : &dynamics->bodies.data[ids[next++].index1 - 1];
			bool isDriven = body != NULL && job->shatter->pieces[i].isPlug && body->kind == br_bodyDynamic;
			mass += round == 0 && isDriven ? body->mass : 0.0;
			body = round == 1 && isDriven ? body : NULL;
			if (body != NULL)
			{
				body->velocity = brDMulAdd(body->velocity, 1.0 / mass, job->driving);
			}
		}
	}
}

// Joints of the parent hold on to the piece with a vertex nearest to their anchor.
static void replaceJoints(brWorld* world, int32_t parent, const brBodyId* ids, int32_t count)
{
	brDynamics* dynamics = &world->dynamics;
	for (int32_t i = 0; i < dynamics->joints.count; ++i)
	{
		brJoint* joint = &dynamics->joints.data[i];
		if (joint->kind < 0 || (joint->bodyA != parent && joint->bodyB != parent))
		{
			continue;
		}
		bool isA = joint->bodyA == parent;
		const brBody* body = &dynamics->bodies.data[parent];
		brDVec3 anchor = brDAdd(body->position, brQuat_Rotate(body->rotation, isA ? joint->anchorA : joint->anchorB));
		int32_t nearest = -1;
		double best = INFINITY;
		for (int32_t k = 0; k < count; ++k)
		{
			const brMesh* mesh = brWorld_GetMesh(world, ids[k]);
			brDVec3 p = brTransform_InvPoint(brWorld_GetPose(world, ids[k]), anchor);
			for (int32_t v = 0; v < mesh->vertexCount; ++v)
			{
				double distance = brDDistance(p, mesh->positions[v]);
				if (distance < best)
				{
					best = distance, nearest = ids[k].index1 - 1;
				}
			}
		}
		// The piece has axes of its own.
		const brBody* piece = &dynamics->bodies.data[nearest];
		brQuat turn = brQuat_Mul(brQuat_Conjugate(piece->rotation), body->rotation);
		brDVec3 local = brQuat_InvRotate(piece->rotation, brDSub(anchor, piece->position));
		if (isA)
		{
			joint->bodyA = nearest;
			joint->anchorA = local;
			joint->axisA = brQuat_Rotate(turn, joint->axisA);
			joint->relative = brQuat_Normalize(brQuat_Mul(turn, joint->relative));
		}
		else
		{
			joint->bodyB = nearest;
			joint->anchorB = local;
			joint->relative = brQuat_Normalize(brQuat_Mul(joint->relative, brQuat_Conjugate(turn)));
		}
	}
}

double brBreaking_Strength(const brBreakSettings* settings, const brMesh* mesh, double volume, int32_t generation,
						   uint64_t seed)
{
	double size = brPower(volume, 1.0 / 3.0);
	if (settings->def.method == br_breakNone || generation >= settings->def.generations ||
		size < 2.0 * settings->def.smallest)
	{
		return INFINITY;
	}
	return settings->def.strength * brBreakMaps_Strength(&settings->def, mesh) *
		   brMaterial_SampleStrength(&settings->def.material, seed);
}

// Is the set of this node held by an anchor?
static bool replaceIsHeld(const brWorld* world, const brBreakJob* job, int32_t site)
{
	if (job->groups == NULL)
	{
		return false;
	}
	const brCluster* cluster = world->breaking.clusters.data[world->breaking.bodies.data[job->body].cluster];
	for (int32_t i = 0; i < job->groupCount; ++i)
	{
		if (job->groups[i] == job->groups[site] && cluster->nodes[i].isFixed)
		{
			return true;
		}
	}
	return false;
}

// The cluster of a piece that has more than one node; -1 if it has none. False without memory.
static bool replaceCluster(brWorld* world, const brBreakJob* job, int32_t index, int32_t* outSlot)
{
	*outSlot = -1;
	const brPiece* pieces = job->shatter->pieces;
	int32_t group = job->groups != NULL ? job->groups[pieces[index].site] : -1, count = 0, largest = index;
	for (int32_t i = 0; group >= 0 && i < job->groupCount; ++i)
	{
		count += job->groups[i] == group;
	}
	for (int32_t i = 0; count > 1 && i < job->shatter->pieceCount; ++i)
	{
		bool isIn = job->groups[pieces[i].site] == group;
		largest = isIn && pieces[i].mass.volume > pieces[largest].mass.volume ? i : largest;
	}
	// A loose part of some node is no cluster.
	if (count < 2 || largest != index)
	{
		return true;
	}
	const brCluster* cluster = world->breaking.clusters.data[world->breaking.bodies.data[job->body].cluster];
	brCluster* part = brCluster_Extract(cluster, job, group, index);
	*outSlot = part != NULL ? brBreaking_AddCluster(world, part) : -1;
	if (*outSlot < 0)
	{
		brFreeCluster(part);
	}
	return *outSlot >= 0;
}

typedef struct ReplaceWork
{
	brWorld* world;
	brContext context; // for the piece at hand
	int32_t count;     // pieces of all jobs
	uint64_t* order;   // [2 count] in the low half the number of a piece, counted through all jobs
} ReplaceWork;

static void replacePrepare(const ReplaceWork* work, brBreakJob* job, int32_t index)
{
	const brPiece* piece = &job->shatter->pieces[index];
	const brBreaking* breaking = &work->world->breaking;
	brBornPiece* born = &job->born[index];
	double least = BREAK_CRUMB * breaking->settings.data[breaking->bodies.data[job->body].settings].def.smallest;
	born->isDust = piece->isDust || (job->groups == NULL && !(piece->mass.volume > least * least * least));
	if (born->isDust)
	{
		return;
	}
	born->isHeld = job->groups != NULL ? replaceIsHeld(work->world, job, piece->site)
									   : brBreaking_IsPieceHeld(work->world, job, piece);
	bool isSmall = piece->mass.volume < BREAK_SHARD * job->shatter->volumeIn;
	bool isShard = job->groups != NULL ? !born->isHeld : isSmall && piece->site < job->shards;
	born->measure = brMeasureMesh(piece->mesh, piece->mass.volume);
	born->meshHash = brHashMesh(piece->mesh);
	// What stays in a frame may have a hole, which a hull would close.
	brBreakFit fit = job->hold.isStatic && born->isHeld ? br_fitWhole : isShard ? br_fitShard : br_fitRest;
	born->result =
		brMakeBreakShape(&work->context, piece->mesh, &piece->mass, born->measure.area, fit, &born->shape, NULL);
	// What is no solid, or too flat to be turned, would be in the way of all the others.
	brDVec3 inertia = born->shape != NULL ? born->shape->inertia : brMakeDVec3(0.0, 0.0, 0.0);
	bool isSound = inertia.x > 0.0 && inertia.y > 0.0 && inertia.z > 0.0;
	born->isDust = born->result != br_errorMemory && !isSound;
}

static void replacePrepareRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const ReplaceWork* work = user;
	const brBreaking* breaking = &work->world->breaking;
	for (int32_t i = begin; i < end; ++i)
	{
		int32_t index = (int32_t)(uint32_t)work->order[i], k = 0;
		while (index >= breaking->jobs.data[k].shatter->pieceCount)
		{
			index -= breaking->jobs.data[k++].shatter->pieceCount;
		}
		if (breaking->jobs.data[k].born != NULL)
		{
			replacePrepare(work, &breaking->jobs.data[k], index);
		}
	}
}

// Corners of the piece that an entry of the order stands for.
static int64_t replaceCorners(uint64_t entry)
{
	return (int64_t) ~(uint32_t)(entry >> 32);
}

// Pieces with many corners first, so that nobody is left with one at the end.
static bool replaceOrder(const brBreaking* breaking, const brAllocator* allocator, ReplaceWork* work)
{
	work->order = BR_ALLOC(allocator, uint64_t, 2 * (int64_t)work->count);
	for (int32_t i = 0, at = 0; work->order != NULL && i < breaking->jobs.count; ++i)
	{
		const brShatter* shatter = breaking->jobs.data[i].shatter;
		for (int32_t k = 0; k < shatter->pieceCount; ++k, ++at)
		{
			work->order[at] = (uint64_t) ~(uint32_t)shatter->pieces[k].mesh->cornerCount << 32 | (uint32_t)at;
		}
	}
	return work->order != NULL && brSortKeys64(NULL, allocator, work->order, work->order + work->count, work->count);
}

void brBreaking_Prepare(brWorld* world)
{
	brBreaking* breaking = &world->breaking;
	const brAllocator* allocator = &world->dynamics.allocator;
	ReplaceWork work = {.world = world, .context = world->dynamics.context};
	int64_t corners = 0;
	for (int32_t i = 0; i < breaking->jobs.count; ++i)
	{
		const brShatter* shatter = breaking->jobs.data[i].shatter;
		work.count += shatter->pieceCount;
		for (int32_t k = 0; k < shatter->pieceCount; ++k)
		{
			corners += shatter->pieces[k].mesh->cornerCount;
		}
	}
	if (work.count == 0)
	{
		return;
	}
	if (replaceOrder(breaking, allocator, &work))
	{
		for (int32_t i = 0; i < breaking->jobs.count; ++i)
		{
			brBreakJob* job = &breaking->jobs.data[i];
			job->born = BR_ALLOC_ZERO(allocator, brBornPiece, job->shatter->pieceCount);
			job->hold = brBreaking_Hold(world, job->body);
		}
		// What is larger than all others together has all workers, then the others have one each.
		int32_t first = 0;
		for (int64_t own = 0; first < work.count && 2 * (own = replaceCorners(work.order[first])) > corners; ++first)
		{
			replacePrepareRange(first, first + 1, 0, &work);
			corners -= own;
		}
		work.order += first;
		work.context.workers = NULL;
		brParallelFor(world->dynamics.context.workers, work.count - first, 1, replacePrepareRange, &work);
		work.order -= first;
	}
	BR_FREE(allocator, work.order, 2 * (int64_t)work.count);
}

// One piece as a body; its mesh leaves the shatter.
static brBodyId replacePiece(brWorld* world, brBreakJob* job, int32_t index, double density, uint64_t seed)
{
	brPiece* piece = &job->shatter->pieces[index];
	const brBodyId none = {0, 0};
	brBreaking* breaking = &world->breaking;
	const brBreakBody parent = breaking->bodies.data[job->body];
	const brBody* body = &world->dynamics.bodies.data[job->body];
	const brBreakSettings* settings = &breaking->settings.data[parent.settings];
	brBornPiece* born = &job->born[index];
	bool wasSeen = !body->isNewborn; // what came and went within a step was never seen
	if (born->shape == NULL)
	{
		return none;
	}
	brBodyDef def = brDefaultBodyDef();
	def.kind = born->isHeld ? br_bodyStatic : br_bodyDynamic;
	def.shape = born->shape;
	def.pose = brWorld_GetPose(world, brDynamics_BodyId(&world->dynamics, job->body));
	def.mass = density * piece->mass.volume;
	def.friction = (double)body->friction;
	def.restitution = (double)body->restitution;
	def.rolling = (double)body->rolling;
	def.spinning = (double)body->spinning;
	def.linearDamping = (double)body->linearDamping;
	def.angularDamping = (double)body->angularDamping;
	def.gravityScale = (double)body->gravityScale;
	def.enableSleep = body->canSleep;
	def.userData = body->userData;
	def.category = body->category;
	def.collidesWith = body->collidesWith;
	brBodyId id = brWorld_AddBody(world, &def, &born->shape, NULL);
	if (id.index1 == 0)
	{
		return none;
	}
	world->dynamics.bodies.data[id.index1 - 1].isNewborn = true;
	world->dynamics.bodies.data[id.index1 - 1].isPiece = true;
	int32_t cluster = -1;
	if (!replaceCluster(world, job, index, &cluster))
	{
		brWorld_DestroyBody(world, id);
		return none;
	}
	double volume = piece->mass.volume, size = brPower(volume, 1.0 / 3.0);
	// A pane with a bullet's hole is the same pane.
	int32_t generation = parent.generation + (job->dust > 0.0 && born->isHeld ? 0 : 1);
	brBreakBody record = {
		.mesh = piece->mesh,
		.meshHash = born->meshHash,
		.settings = parent.settings,
		.generation = generation,
		.parent = wasSeen ? brDynamics_BodyId(&world->dynamics, job->body) : parent.parent,
		.measure = born->measure,
		.size = size,
		.strength = brBreaking_Strength(settings, piece->mesh, volume, generation, seed),
		.dustAge = size < breaking->budget.dustSize ? 0.0 : -1.0,
		.youth = BREAK_YOUTH,
		.cluster = cluster,
		.isSound = true,
	};
	// Contacts of thin meshes and hulls do not see small holes, and what comes out of the hole has its part of the
	// momentum. What lies behind is still to be hit, but for what a bullet goes through.
	bool isPassed = job->dust > 0.0 || born->isHeld || piece->isPlug;
	if (job->isThrough && (isPassed || !brBreaking_IsInWay(&job->hit, piece->mesh)))
	{
		record.passer = (brBodyId){job->hit.other + 1, job->hit.otherGeneration};
	}
	if (!brBreaking_Add(world, id.index1 - 1, &record))
	{
		if (cluster >= 0)
		{
			brFreeCluster(breaking->clusters.data[cluster]);
			breaking->clusters.data[cluster] = NULL;
		}
		brWorld_DestroyBody(world, id);
		return none;
	}
	piece->mesh = NULL;
	return id;
}

typedef struct ReplaceBirths
{
	brWorld* world;
	const brBodyId* ids;
} ReplaceBirths;

static bool replaceAddBirth(void* user, int32_t a, int32_t b, const brTouch* touches, int32_t count)
{
	ReplaceBirths* births = user;
	brDynamics* dynamics = &births->world->dynamics;
	int32_t slotA = births->ids[a].index1 - 1, slotB = births->ids[b].index1 - 1;
	if (slotA < slotB)
	{
		return brDynamics_AddBirth(dynamics, slotA, slotB, touches, count);
	}
	// The other way round: in the axes of B, and normals from there.
	const brBody *bodyA = &dynamics->bodies.data[slotA], *bodyB = &dynamics->bodies.data[slotB];
	brQuat turn = brQuat_Mul(brQuat_Conjugate(bodyB->rotation), bodyA->rotation);
	brRelativePose pose = brMakeRelativePose(bodyB, bodyA, turn);
	brTouch turned[BR_PAIR_MANIFOLDS];
	for (int32_t i = 0; i < count; ++i)
	{
		turned[i] = touches[i];
		turned[i].normal = brMul(-1.0f, brRelativePose_Rotate(&pose, touches[i].normal));
		for (int32_t k = 0; k < touches[i].count; ++k)
		{
			turned[i].points[k] = brRelativePose_Point(&pose, touches[i].points[k]);
		}
	}
	return brDynamics_AddBirth(dynamics, slotB, slotA, turned, count);
}

// Pieces that collide as what they are touch in the faces they share. What stands for others by a hull must learn how
// far it overlaps. False without memory.
static bool replaceBirths(brWorld* world, const brBodyId* ids, int32_t count)
{
	brDynamics* dynamics = &world->dynamics;
	const brAllocator* allocator = &dynamics->allocator;
	const brMesh** meshes = (const brMesh**)brAllocArray(allocator, count, sizeof(brMesh*));
	brTransform* frames = BR_ALLOC(allocator, brTransform, count);
	for (int32_t i = 0; meshes != NULL && frames != NULL && i < count; ++i)
	{
		const brBody* body = &dynamics->bodies.data[ids[i].index1 - 1];
		const brShape* shape = dynamics->shapes.data[body->shape].shape;
		meshes[i] = shape->kind == br_shapeMesh ? brWorld_GetMesh(world, ids[i]) : NULL;
		frames[i] = shape->frame;
	}
	ReplaceBirths births = {world, ids};
	bool isGood = meshes != NULL && frames != NULL &&
				  brTouchAllSiblings(allocator, meshes, frames, count, replaceAddBirth, &births);
	brFreeArray(allocator, meshes, count, sizeof(brMesh*));
	BR_FREE(allocator, frames, count);
	return isGood;
}

// What dust has that never becomes a body goes with it.
static void replaceBookDust(brWorld* world, const brBreakJob* job, const brBody* parent, double density)
{
	brDynamics* dynamics = &world->dynamics;
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(dynamics, job->body));
	bool isDynamic = parent->kind == br_bodyDynamic;
	brBody before = *parent;
	before.velocity = job->velocity, before.spin = job->spin;
	for (int32_t i = 0; i < job->shatter->pieceCount; ++i)
	{
		const brMassProperties* piece = &job->shatter->pieces[i].mass;
		if (!job->born[i].isDust || !(piece->volume > 0.0))
		{
			continue;
		}
		brDVec3 center = brTransform_Point(pose, piece->center);
		brDVec3 velocity = replaceAt(&before, center);
		double mass = density * piece->volume, kinetic = isDynamic ? 0.5 * mass * brDLengthSq(velocity) : 0.0;
		double weight = mass * (isDynamic ? (double)parent->gravityScale : 1.0);
		dynamics->books.dust += kinetic - weight * brDDot(dynamics->def.gravity, center);
		world->breaking.dustKinetic += kinetic;
	}
}

// There is room for them.
static void replaceKeepCrumbs(brWorld* world, brBreakJob* job)
{
	brBreaking* breaking = &world->breaking;
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(&world->dynamics, job->body));
	for (int32_t i = 0; breaking->keepsCrumbs && i < job->shatter->pieceCount; ++i)
	{
		if (job->born[i].isDust)
		{
			breaking->crumbs.data[breaking->crumbs.count++] = (brCrumb){job->shatter->pieces[i].mesh, pose};
			job->shatter->pieces[i].mesh = NULL;
		}
	}
}

bool brBreaking_Replace(brWorld* world, brBreakJob* job)
{
	brBreaking* breaking = &world->breaking;
	brDynamics* dynamics = &world->dynamics;
	brShatter* shatter = job->shatter;
	const brBreakSettings* settings = &breaking->settings.data[breaking->bodies.data[job->body].settings];
	uint64_t seed = brHash64(settings->def.seed + (uint64_t)job->body * 0x9e3779b97f4a7c15u);
	double volume = 0.0, dust = 0.0, crumbs = 0.0;
	for (int32_t i = 0; job->born != NULL && i < shatter->pieceCount; ++i)
	{
		double own = fmax(0.0, shatter->pieces[i].mass.volume);
		bool isCrushed = shatter->pieces[i].isDust;
		volume += own;
		dust += isCrushed ? own : 0.0;
		crumbs += job->born[i].isDust && !isCrushed ? own : 0.0;
	}
	brBody parent = dynamics->bodies.data[job->body];
	double density = parent.kind == br_bodyDynamic ? parent.mass / volume : settings->def.material.density;
	int32_t firstPiece = breaking->pieces.count, eventCount = dynamics->bodyEvents.count;
	job->dust = density * dust;
	job->crumbs = density * crumbs;
	// The parent does not count against the limit of bodies: it is about to go.
	bool isDone = job->born != NULL && BR_RESERVE(&dynamics->allocator, &breaking->pieces, shatter->pieceCount) &&
				  (!breaking->keepsCrumbs || BR_RESERVE(&dynamics->allocator, &breaking->crumbs, shatter->pieceCount));
	dynamics->bodyCount -= 1;
	for (int32_t i = 0; isDone && i < shatter->pieceCount; ++i)
	{
		if (job->born[i].isDust)
		{
			continue;
		}
		brBodyId id = replacePiece(world, job, i, density, brHash64(seed + (uint64_t)i));
		isDone = id.index1 != 0;
		if (isDone)
		{
			breaking->pieces.data[breaking->pieces.count++] = id;
		}
	}
	dynamics->bodyCount += 1;
	isDone = isDone && replaceBirths(world, breaking->pieces.data + firstPiece, breaking->pieces.count - firstPiece);
	if (!isDone)
	{
		while (breaking->pieces.count > firstPiece)
		{
			brWorld_DestroyBody(world, breaking->pieces.data[--breaking->pieces.count]);
		}
		dynamics->bodyEvents.count = eventCount;
		return false;
	}
	const brBodyId* ids = breaking->pieces.data + firstPiece;
	double lost = fabs(shatter->volumeOut - shatter->volumeIn) / fabs(shatter->volumeIn);
	breaking->stats.massError = fmax(breaking->stats.massError, lost);
	breaking->stats.dustMass += job->dust + job->crumbs;
	replaceBookDust(world, job, &parent, density);
	replaceKeepCrumbs(world, job);
	ReplaceMotion gone = replaceDustMotion(world, job, &parent, density);
	replaceVelocities(dynamics, &parent, &gone, ids, breaking->pieces.count - firstPiece);
	replaceDrivePlug(dynamics, job, ids);
	replaceJoints(world, job->body, ids, breaking->pieces.count - firstPiece);
	brWorld_DestroyBody(world, brDynamics_BodyId(dynamics, job->body));
	return true;
}
