// SPDX-License-Identifier: MIT

// Clusters as they live: kept as one body, taken apart when bonds fail. cluster_make.c makes them.
//
// A step with a hit, or after a change, solves for the stress in all bonds and lets the worst fail, again and again
// until the rest holds or no energy is left to pay for new surface. What then hangs together becomes one body each, put
// together from the cells of the first cut.

#include "world/cluster.h"

#include "fracture/cell_join.h"
#include "math/power.h"
#include "world/world_state.h"

#include <math.h>
#include <string.h>

#define CLUSTER_MIN_PULL 0.05 // of the strength of a bond: a bent wall multiplies what pulls at it
#define CLUSTER_ROUNDS 12     // of solving and failing in one step; the rest in the next
// Bonds with this share of the worst overload fail with it: under weight one by one gives way, a blow is over before
// loads move on.
#define CLUSTER_TOGETHER_WEIGHT 0.95
#define CLUSTER_TOGETHER_HIT 0.3

brClusterCells* brAllocCells(const brAllocator* allocator, int32_t count)
{
	brClusterCells* cells = BR_ALLOC_ZERO(allocator, brClusterCells, 1);
	brMesh** meshes = BR_ALLOC_ZERO(allocator, brMesh*, count);
	if (cells == NULL || meshes == NULL)
	{
		BR_FREE(allocator, cells, 1);
		BR_FREE(allocator, meshes, count);
		return NULL;
	}
	*cells = (brClusterCells){.allocator = *allocator, .users = 1, .count = count, .meshes = meshes};
	return cells;
}

void brReleaseCells(brClusterCells* cells)
{
	if (cells != NULL && --cells->users == 0)
	{
		brAllocator allocator = cells->allocator;
		for (int32_t i = 0; i < cells->count; ++i)
		{
			brDestroyMesh(cells->meshes[i]);
		}
		BR_FREE(&allocator, cells->meshes, cells->count);
		BR_FREE(&allocator, cells, 1);
	}
}

brCluster* brAllocCluster(const brAllocator* allocator, int32_t nodeCount, int32_t linkCount, brClusterCells* cells,
						  int32_t cellCount)
{
	brCluster* cluster = BR_ALLOC_ZERO(allocator, brCluster, 1);
	if (cluster == NULL)
	{
		return NULL;
	}
	cluster->allocator = *allocator;
	cluster->nodeCount = nodeCount;
	cluster->linkCount = linkCount;
	cluster->linkCapacity = linkCount;
	cluster->cellCount = cellCount;
	cluster->needsSolve = true;
	cluster->nodes = BR_ALLOC_ZERO(allocator, brBondNode, nodeCount);
	cluster->sites = BR_ALLOC_ZERO(allocator, brDVec3, nodeCount);
	cluster->links = BR_ALLOC_ZERO(allocator, brBondLink, linkCount);
	cluster->cellNumbers = BR_ALLOC_ZERO(allocator, int32_t, cellCount);
	cluster->cellNodes = BR_ALLOC_ZERO(allocator, int32_t, cellCount);
	if (cluster->nodes == NULL || cluster->sites == NULL || cluster->links == NULL || cluster->cellNumbers == NULL ||
		cluster->cellNodes == NULL)
	{
		brFreeCluster(cluster);
		return NULL;
	}
	cluster->cells = cells;
	if (cells != NULL)
	{
		cells->users += 1;
	}
	return cluster;
}

void brFreeCluster(brCluster* cluster)
{
	if (cluster != NULL)
	{
		brAllocator allocator = cluster->allocator;
		BR_FREE(&allocator, cluster->nodes, cluster->nodeCount);
		BR_FREE(&allocator, cluster->sites, cluster->nodeCount);
		BR_FREE(&allocator, cluster->links, cluster->linkCapacity);
		BR_FREE(&allocator, cluster->cellNumbers, cluster->cellCount);
		BR_FREE(&allocator, cluster->cellNodes, cluster->cellCount);
		brReleaseCells(cluster->cells);
		BR_FREE(&allocator, cluster, 1);
	}
}

int32_t brBreaking_AddCluster(brWorld* world, brCluster* cluster)
{
	brBreaking* breaking = &world->breaking;
	for (int32_t i = 0; i < breaking->clusters.count; ++i)
	{
		if (breaking->clusters.data[i] == NULL)
		{
			breaking->clusters.data[i] = cluster;
			return i;
		}
	}
	return BR_PUSH(&world->dynamics.allocator, &breaking->clusters, cluster) ? breaking->clusters.count - 1 : -1;
}

brCluster* brCluster_Extract(const brCluster* cluster, const brBreakJob* job, int32_t group, int32_t piece)
{
	const int32_t* groups = job->groups;
	int32_t nodeCount = 0, linkCount = 0, cellCount = 0;
	for (int32_t i = 0; i < cluster->cellCount; ++i)
	{
		cellCount += job->cellPieces[i] == piece;
	}
	for (int32_t i = 0; i < cluster->nodeCount; ++i)
	{
		nodeCount += groups[i] == group;
	}
	for (int32_t k = 0; k < cluster->linkCount; ++k)
	{
		linkCount += groups[cluster->links[k].nodes[0]] == group;
	}
	brCluster* part = brAllocCluster(&cluster->allocator, nodeCount, linkCount, cluster->cells, cellCount);
	int32_t* places = BR_ALLOC(&cluster->allocator, int32_t, cluster->nodeCount);
	if (part == NULL || places == NULL)
	{
		brFreeCluster(part);
		BR_FREE(&cluster->allocator, places, cluster->nodeCount);
		return NULL;
	}
	part->strength = cluster->strength;
	part->minArea = cluster->minArea;
	int32_t count = 0;
	for (int32_t i = 0; i < cluster->nodeCount; ++i)
	{
		places[i] = count;
		if (groups[i] == group)
		{
			part->nodes[count] = cluster->nodes[i];
			part->sites[count] = cluster->sites[i];
			part->isHeld = part->isHeld || cluster->nodes[i].isFixed;
			count += 1;
		}
	}
	count = 0;
	for (int32_t k = 0; k < cluster->linkCount; ++k)
	{
		brBondLink link = cluster->links[k];
		if (groups[link.nodes[0]] == group)
		{
			link.nodes[0] = places[link.nodes[0]], link.nodes[1] = places[link.nodes[1]];
			part->links[count++] = link;
		}
	}
	count = 0;
	for (int32_t i = 0; i < cluster->cellCount; ++i)
	{
		if (job->cellPieces[i] == piece)
		{
			part->cellNumbers[count] = cluster->cellNumbers[i];
			part->cellNodes[count++] = places[cluster->cellNodes[i]];
		}
	}
	part->needsSolve = part->isHeld; // weight; what is loose carries none
	BR_FREE(&cluster->allocator, places, cluster->nodeCount);
	return part;
}

// The blow as what stands first in its way feels it. What came loose before that is driven along and passes the force
// on, less what its own mass takes: `driven` is that mass.
typedef struct ClusterBlow
{
	brDVec3 point;
	double force, driven;
} ClusterBlow;

// A node is in the way of what hits if that covers its middle or goes through it.
static bool clusterIsInWay(const brCluster* cluster, const brHit* hit, int32_t node, double* outOn)
{
	brDVec3 from = brDSub(cluster->sites[node], hit->point);
	double half = 0.5 * brPower(cluster->nodes[node].volume, 1.0 / 3.0);
	*outOn = brDDot(from, hit->inward);
	return *outOn > -half && brDLength(brDMulAdd(from, -*outOn, hit->inward)) <= fmax(hit->reach, half);
}

static ClusterBlow clusterBlow(const brCluster* cluster, const brHit* hit, double density, const bool* isHeld)
{
	ClusterBlow blow = {hit->point, hit->force, 0.0};
	double first = INFINITY, on;
	for (int32_t i = 0; cluster->isHeld && i < cluster->nodeCount; ++i)
	{
		if (clusterIsInWay(cluster, hit, i, &on))
		{
			first = isHeld[i] ? fmin(first, on) : first;
			blow.driven += isHeld[i] ? 0.0 : density * cluster->nodes[i].volume;
		}
	}
	if (blow.driven > 0.0)
	{
		blow.point = first < INFINITY ? brDMulAdd(hit->point, first, hit->inward) : hit->point;
		blow.force *= first < INFINITY ? hit->mass / (hit->mass + blow.driven) : 0.0;
	}
	return blow;
}

// The blow presses on the nodes under what hits, in proportion to their volume, or on the nearest.
static void clusterHit(const brCluster* cluster, const brHit* hit, const ClusterBlow* blow, const bool* isHeld,
					   brBondLoad* loads)
{
	int32_t nearest = -1;
	double best = INFINITY, volume = 0.0;
	for (int32_t i = 0; i < cluster->nodeCount; ++i)
	{
		double distance = brDDistance(cluster->sites[i], blow->point);
		if (isHeld[i] == cluster->isHeld && distance < best)
		{
			nearest = i, best = distance;
		}
	}
	double reach = fmax(hit->reach, best);
	for (int32_t i = 0; i < cluster->nodeCount; ++i)
	{
		bool isUnder = isHeld[i] == cluster->isHeld && brDDistance(cluster->sites[i], blow->point) <= reach;
		volume += isUnder ? cluster->nodes[i].volume : 0.0;
	}
	if (nearest < 0 || !(volume > 0.0))
	{
		return;
	}
	brDVec3 force = brDMul(blow->force, hit->inward);
	for (int32_t i = 0; i < cluster->nodeCount; ++i)
	{
		if (isHeld[i] == cluster->isHeld && brDDistance(cluster->sites[i], blow->point) <= reach)
		{
			loads[i].force = brDMulAdd(loads[i].force, cluster->nodes[i].volume / volume, force);
		}
	}
	// The force acts at the hit, not at the middle of those nodes.
	loads[nearest].torque =
		brDAdd(loads[nearest].torque, brDCross(brDSub(blow->point, cluster->nodes[nearest].center), force));
}

// Which nodes hang together with one that is fixed.
static void clusterMarkHeld(const brCluster* cluster, const int32_t* groups, bool* isHeld)
{
	for (int32_t i = 0; i < cluster->nodeCount; ++i)
	{
		isHeld[i] = false;
	}
	// By group first, then by node from the end: a group's number is at most that of its lowest node.
	for (int32_t i = 0; i < cluster->nodeCount; ++i)
	{
		isHeld[groups[i]] = isHeld[groups[i]] || cluster->nodes[i].isFixed;
	}
	for (int32_t i = cluster->nodeCount - 1; i >= 0; --i)
	{
		isHeld[i] = isHeld[groups[i]];
	}
}

// What a cluster is solved with.
typedef struct ClusterWork
{
	brBondLoad* loads;    // [nodeCount]
	brBondStress* stress; // [linkCount]
	int32_t* groups;      // [nodeCount] sets that hang together
	int32_t* origins;     // [linkCount] the number of each link in the system
	bool* isHeld;         // [nodeCount] whether an anchor holds the set of a node
	brBondSystem* system;
	int32_t nodeCount, linkCount, groupCount;
	double driven; // mass that the blow drives along
} ClusterWork;

static void clusterFreeWork(const brAllocator* allocator, ClusterWork* work)
{
	BR_FREE(allocator, work->loads, work->nodeCount);
	BR_FREE(allocator, work->stress, work->linkCount);
	BR_FREE(allocator, work->groups, work->nodeCount);
	BR_FREE(allocator, work->origins, work->linkCount);
	BR_FREE(allocator, work->isHeld, work->nodeCount);
	brDestroyBondSystem(work->system);
}

// False without memory.
static bool clusterMakeWork(const brAllocator* allocator, const brCluster* cluster, ClusterWork* work)
{
	int32_t nodeCount = cluster->nodeCount, linkCount = cluster->linkCount;
	*work = (ClusterWork){.nodeCount = nodeCount, .linkCount = linkCount, .groupCount = 1};
	work->loads = BR_ALLOC(allocator, brBondLoad, nodeCount);
	work->stress = BR_ALLOC(allocator, brBondStress, linkCount);
	work->groups = BR_ALLOC_ZERO(allocator, int32_t, nodeCount);
	work->origins = BR_ALLOC(allocator, int32_t, linkCount);
	work->isHeld = BR_ALLOC(allocator, bool, nodeCount);
	work->system = brCreateBondSystem(allocator, cluster->nodes, nodeCount, cluster->links, linkCount);
	if (work->loads == NULL || work->stress == NULL || work->groups == NULL || work->origins == NULL ||
		work->isHeld == NULL || work->system == NULL)
	{
		clusterFreeWork(allocator, work);
		return false;
	}
	for (int32_t k = 0; k < linkCount; ++k)
	{
		work->origins[k] = k;
	}
	return true;
}

// A force on the node nearest to where it acts.
static void clusterPress(const brCluster* cluster, brDVec3 point, brDVec3 force, brBondLoad* loads)
{
	int32_t nearest = 0;
	double best = INFINITY;
	for (int32_t i = 0; i < cluster->nodeCount; ++i)
	{
		double distance = brDDistance(cluster->sites[i], point);
		if (cluster->nodes[i].volume > 0.0 && distance < best)
		{
			nearest = i, best = distance;
		}
	}
	loads[nearest].force = brDAdd(loads[nearest].force, force);
	loads[nearest].torque =
		brDAdd(loads[nearest].torque, brDCross(brDSub(point, cluster->nodes[nearest].center), force));
}

// What rests on the body, and what it rests on: contacts press as they did in the last step, together with what was
// there in the step before too (brBreaking_FindLoads).
static void clusterRest(const brWorld* world, int32_t body, const brCluster* cluster, brBondLoad* loads)
{
	const brDynamics* dynamics = &world->dynamics;
	const brBreaking* breaking = &world->breaking;
	double all = body < breaking->loads.count ? breaking->loads.data[body].impulse : 0.0;
	double steady = fmin(all, breaking->bodies.data[body].lastLoad);
	if (!(steady > 0.0))
	{
		return;
	}
	const brBody* own = &dynamics->bodies.data[body];
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(dynamics, body));
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = &dynamics->contacts.data[dynamics->pairs.data[i].contact];
		if (contact->bodyA != body && contact->bodyB != body)
		{
			continue;
		}
		bool isA = contact->bodyA == body;
		brQuat turn = dynamics->bodies.data[contact->bodyA].rotation;
		for (int32_t m = 0; m < contact->manifoldCount; ++m)
		{
			const brManifold* manifold = brContact_Manifold(dynamics, contact, m);
			brDVec3 normal = brQuat_Rotate(turn, brToDVec3(manifold->normal)); // from A to B
			brDVec3 inward = brQuat_InvRotate(pose.q, isA ? brDNeg(normal) : normal);
			for (int32_t k = 0; k < manifold->pointCount; ++k)
			{
				const brContactPoint* point = &manifold->points[k];
				brDVec3 arm = brToDVec3(isA ? point->anchorA : point->anchorB);
				brDVec3 at = brTransform_InvPoint(pose, brDAdd(own->position, brQuat_Rotate(own->rotation, arm)));
				double force = (double)point->total * (steady / all) / breaking->loadTime;
				clusterPress(cluster, at, brDMul(force, inward), loads);
			}
		}
	}
}

// Weight and what rests on it, and the hit. What has come loose is in balance with its own inertia. Everything in the
// mesh's axes.
static void clusterLoads(const brWorld* world, int32_t body, const brCluster* cluster, ClusterWork* work)
{
	const brBreakBody* record = &world->breaking.bodies.data[body];
	double density = world->breaking.settings.data[record->settings].def.material.density;
	brTransform pose = brWorld_GetPose(world, brDynamics_BodyId(&world->dynamics, body));
	brDVec3 gravity = brQuat_InvRotate(pose.q, world->dynamics.def.gravity);
	double scale = (double)world->dynamics.bodies.data[body].gravityScale * density;
	memset(work->loads, 0, sizeof(*work->loads) * (size_t)cluster->nodeCount);
	for (int32_t i = 0; i < cluster->nodeCount; ++i)
	{
		work->loads[i].force = brDMul(scale * cluster->nodes[i].volume, gravity);
	}
	clusterRest(world, body, cluster, work->loads);
	clusterMarkHeld(cluster, work->groups, work->isHeld);
	if (record->hit.isThere)
	{
		ClusterBlow blow = clusterBlow(cluster, &record->hit, density, work->isHeld);
		work->driven = blow.driven;
		clusterHit(cluster, &record->hit, &blow, work->isHeld, work->loads);
	}
	for (int32_t i = 0, g = 0; i < cluster->nodeCount && g < work->groupCount; ++i)
	{
		if (work->groups[i] == g) // its lowest node
		{
			if (!work->isHeld[i])
			{
				brBalanceLoads(cluster->nodes, cluster->nodeCount, work->groups, g, work->loads);
			}
			g += 1;
		}
	}
}

// Links over their strength go, as far as `area` of new surface can be paid for. Returns how many went.
static int32_t clusterFail(brCluster* cluster, const brMaterial* material, double together, ClusterWork* work,
						   double* area)
{
	double invPull = 1.0 / (cluster->strength * material->tensileStrength), worst = 0.0;
	double invPush = 1.0 / (cluster->strength * material->compressiveStrength);
	for (int32_t k = 0; k < cluster->linkCount; ++k)
	{
		const brBondStress* s = &work->stress[work->origins[k]];
		worst = fmax(worst, fmax(s->tension * invPull, s->compression * invPush) / cluster->links[k].strength);
	}
	int32_t kept = 0, gone = 0;
	for (int32_t k = 0; k < cluster->linkCount; ++k)
	{
		const brBondStress* s = &work->stress[work->origins[k]];
		double ratio = fmax(s->tension * invPull, s->compression * invPush) / cluster->links[k].strength;
		if (ratio >= fmax(1.0, together * worst) && *area >= cluster->links[k].area)
		{
			*area -= cluster->links[k].area;
			brBondSystem_Cut(work->system, work->origins[k]);
			gone += 1;
			continue;
		}
		cluster->links[kept] = cluster->links[k];
		work->origins[kept++] = work->origins[k];
	}
	cluster->linkCount = kept;
	return gone;
}

bool brCluster_IsLoaded(const brCluster* cluster, const brMaterial* material, double force)
{
	return cluster->linkCount > 0 &&
		   force > CLUSTER_MIN_PULL * cluster->strength * material->tensileStrength * cluster->minArea;
}

bool brCluster_IsMoved(const brCluster* cluster, const brMaterial* material, double force, double energy)
{
	return energy > brMaterial_GetFractureEnergy(material) * cluster->minArea &&
		   brCluster_IsLoaded(cluster, material, force);
}

// The cells of each set as pieces. False without memory.
static bool clusterJoin(const brWorld* world, const brBreakBody* record, const brCluster* cluster,
						const int32_t* groups, brBreakJob* job)
{
	const brAllocator* allocator = &world->dynamics.allocator;
	const brMesh** meshes = BR_ALLOC(allocator, const brMesh*, cluster->cellCount);
	job->cellPieces = BR_ALLOC(allocator, int32_t, cluster->cellCount);
	job->cellCount = cluster->cellCount;
	bool isDone = meshes != NULL && job->cellPieces != NULL;
	for (int32_t i = 0; isDone && i < cluster->cellCount; ++i)
	{
		meshes[i] = cluster->cells->meshes[cluster->cellNumbers[i]];
	}
	brCellJoin def = {.cells = meshes,
					  .sites = cluster->cellNodes,
					  .cellCount = cluster->cellCount,
					  .groups = groups,
					  .volume = record->measure.volume};
	isDone = isDone && brJoinCells(&world->dynamics.context, &def, job->cellPieces, &job->shatter, NULL) >= 0;
	BR_FREE(allocator, meshes, cluster->cellCount);
	if (!isDone)
	{
		BR_FREE(allocator, job->cellPieces, job->cellCount);
		job->cellPieces = NULL;
	}
	return isDone;
}

// Solves and lets bonds fail until the rest holds. Returns whether the body has fallen apart.
static bool clusterSettle(brWorld* world, int32_t body, brCluster* cluster, ClusterWork* work)
{
	const brBreakBody* record = &world->breaking.bodies.data[body];
	const brMaterial* material = &world->breaking.settings.data[record->settings].def.material;
	const brHit* hit = &record->hit;
	double area =
		hit->isThere ? 0.5 * hit->mass * hit->speed * hit->speed / brMaterial_GetFractureEnergy(material) : INFINITY;
	double together = hit->isThere ? CLUSTER_TOGETHER_HIT : CLUSTER_TOGETHER_WEIGHT;
	int32_t gone = 1, round = 0;
	for (; gone > 0 && round < CLUSTER_ROUNDS; ++round)
	{
		double driven = work->driven;
		clusterLoads(world, body, cluster, work);
		// What is driven along keeps its share of the energy.
		area *= work->driven > driven ? (hit->mass + driven) / (hit->mass + work->driven) : 1.0;
		brBondSystem_Solve(work->system, work->loads, work->stress);
		gone = clusterFail(cluster, material, together, work, &area);
		work->groupCount = brBondComponents(work->nodeCount, cluster->links, cluster->linkCount, work->groups);
	}
	// The next step goes on without the hit.
	cluster->needsSolve = gone > 0 || (cluster->isHeld && round > 1);
	return work->groupCount > 1;
}

bool brCluster_Run(brWorld* world, int32_t body, brBreakJob* outJob)
{
	brBreaking* breaking = &world->breaking;
	brBreakBody* record = &breaking->bodies.data[body];
	brCluster* cluster = breaking->clusters.data[record->cluster];
	const brAllocator* allocator = &world->dynamics.allocator;
	ClusterWork work;
	*outJob = (brBreakJob){.body = body, .hit = record->hit};
	if (!clusterMakeWork(allocator, cluster, &work))
	{
		record->hit.isThere = record->hit.isWaiting = false;
		breaking->stats.failed += 1;
		return false;
	}
	bool isOpen = clusterSettle(world, body, cluster, &work);
	record->hit.isThere = record->hit.isWaiting = false;
	bool isDone = isOpen && clusterJoin(world, record, cluster, work.groups, outJob);
	breaking->stats.failed += isOpen && !isDone;
	if (isDone)
	{
		outJob->groups = work.groups;
		outJob->groupCount = work.nodeCount;
		work.groups = NULL;
	}
	clusterFreeWork(allocator, &work);
	return isDone;
}
