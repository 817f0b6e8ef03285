// SPDX-License-Identifier: MIT

// Making a cluster: a mesh cut once, or pieces that the caller has cut, as the nodes and bonds of one body.

#include "world/cluster.h"

#include "base/assert.h"
#include "base/sort.h"
#include "fracture/clusters.h"
#include "fracture/shatter_build.h"
#include "world/world_state.h"

#include <math.h>
#include <string.h>

#define CLUSTER_LEAST 0.1 // of the mean area of bonds: what holds less is not worth a look

brClusterDef brDefaultClusterDef(void)
{
	brClusterDef def = {.breaking = brDefaultBreakDef(),
						.bondStrength = 1.0,
						.levelStrength = 2.0,
						.levelCount = BR_SHATTER_MAX_LEVELS,
						.stamp = BR_STAMP(brClusterDef)};
	def.breaking.pattern = br_sitesUniform;
	return def;
}

// Once stronger for each level at which the two pieces are in one cluster.
static double clusterLevelStrength(const brShatter* shatter, const brBond* bond, double factor)
{
	double strength = 1.0;
	for (int32_t i = 0; i < shatter->levelCount; ++i)
	{
		const int32_t* clusters = shatter->levels[i].clusters;
		strength *= clusters[bond->pieces[0]] == clusters[bond->pieces[1]] ? factor : 1.0;
	}
	return strength;
}

// Pieces of one site are one node; their bonds are added up. Their meshes leave the shatter.
static brCluster* clusterFromShatter(const brAllocator* allocator, brShatter* shatter, const brDVec3* sites,
									 int32_t siteCount, const brClusterDef* def)
{
	int32_t bonds = shatter->bondCount, linkCount = 0;
	brClusterCells* cells = brAllocCells(allocator, shatter->pieceCount);
	brCluster* cluster = cells != NULL ? brAllocCluster(allocator, siteCount, bonds, cells, shatter->pieceCount) : NULL;
	brReleaseCells(cells);
	uint64_t* keys = BR_ALLOC(allocator, uint64_t, 2 * (int64_t)bonds);
	uint32_t* order = BR_ALLOC(allocator, uint32_t, 2 * (int64_t)bonds);
	bool isDone = cluster != NULL && keys != NULL && order != NULL;
	for (int32_t i = 0; isDone && i < shatter->pieceCount; ++i)
	{
		brPiece* piece = &shatter->pieces[i];
		brBondNode* node = &cluster->nodes[piece->site];
		cells->meshes[i] = piece->mesh;
		piece->mesh = NULL;
		cluster->cellNumbers[i] = i;
		cluster->cellNodes[i] = piece->site;
		double sum = node->volume + piece->mass.volume;
		node->center = brDLerp(node->center, piece->mass.center, piece->mass.volume / sum);
		node->volume = sum;
	}
	for (int32_t k = 0; isDone && k < bonds; ++k)
	{
		uint32_t a = (uint32_t)shatter->pieces[shatter->bonds[k].pieces[0]].site;
		uint32_t b = (uint32_t)shatter->pieces[shatter->bonds[k].pieces[1]].site;
		keys[k] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
		order[k] = (uint32_t)k;
	}
	isDone = isDone && brSortPairs64(NULL, allocator, keys, order, keys + bonds, order + bonds, bonds);
	for (int32_t k = 0; isDone && k < bonds; ++k)
	{
		const brBond* bond = &shatter->bonds[order[k]];
		int32_t low = (int32_t)(keys[k] >> 32), high = (int32_t)(keys[k] & 0xFFFFFFFFu);
		bool isTurned = shatter->pieces[bond->pieces[0]].site != low;
		brDVec3 normal = isTurned ? brDNeg(bond->normal) : bond->normal;
		if (low == high)
		{
			continue;
		}
		brBondLink* last = linkCount > 0 ? &cluster->links[linkCount - 1] : NULL;
		if (last != NULL && last->nodes[0] == low && last->nodes[1] == high)
		{
			double sum = last->area + bond->area;
			last->center = brDLerp(last->center, bond->center, bond->area / sum);
			last->normal = brDNormalize(brDAdd(brDMul(last->area, last->normal), brDMul(bond->area, normal)));
			last->area = sum;
			last->strength = fmin(last->strength, clusterLevelStrength(shatter, bond, def->levelStrength));
		}
		else
		{
			cluster->links[linkCount++] = (brBondLink){
				{low, high}, bond->area, bond->center, normal, clusterLevelStrength(shatter, bond, def->levelStrength)};
		}
	}
	for (int32_t i = 0; isDone && i < siteCount; ++i)
	{
		brBondNode* node = &cluster->nodes[i];
		cluster->sites[i] = sites[i];
		for (int32_t k = 0; k < def->anchorCount; ++k)
		{
			brDBox3 point = {node->center, node->center};
			node->isFixed = node->isFixed || (node->volume > 0.0 && brDBox3_Overlaps(point, def->anchors[k]));
		}
		cluster->isHeld = cluster->isHeld || node->isFixed;
	}
	BR_FREE(allocator, keys, 2 * (int64_t)bonds);
	BR_FREE(allocator, order, 2 * (int64_t)bonds);
	if (!isDone)
	{
		brFreeCluster(cluster);
		return NULL;
	}
	cluster->linkCount = linkCount;
	cluster->strength = def->bondStrength;
	for (int32_t k = 0; k < linkCount; ++k)
	{
		cluster->minArea += CLUSTER_LEAST * cluster->links[k].area / linkCount;
	}
	return cluster;
}

static brResult clusterCheck(const brBodyDef* body, const brClusterDef* def, brReport* report)
{
	if (def == NULL || def->stamp != BR_STAMP(*def) || body == NULL || body->stamp != BR_STAMP(*body))
	{
		return brFail(report, br_errorMisuse, "a cluster needs defs from brDefaultClusterDef and brDefaultBodyDef");
	}
	if ((def->breaking.mesh == NULL && def->pieces == NULL) || body->kind != br_bodyDynamic)
	{
		return brFail(report, br_errorMisuse,
					  "a cluster needs a mesh or pieces, and a dynamic body; anchors hold it where it is");
	}
	if (!(def->bondStrength > 0.0 && isfinite(def->bondStrength)) || def->anchorCount < 0 ||
		(def->anchorCount > 0 && def->anchors == NULL) || (def->sites != NULL && def->siteCount < 2) ||
		(def->pieces != NULL ? def->pieces->pieceCount : def->breaking.pieces) < 2 || def->clusterSize < 0 ||
		def->clusterSize == 1 || def->levelCount < 1 || def->levelCount > BR_SHATTER_MAX_LEVELS ||
		!(def->levelStrength >= 1.0 && isfinite(def->levelStrength)))
	{
		return brFail(
			report, br_errorMisuse,
			"a cluster needs at least two sites or pieces, bonds of positive strength, its anchors, and levels "
			"of 2 pieces or more whose bonds are not weaker");
	}
	return br_success;
}

// Sites by the def, or the caller's.
static brResult clusterSites(const brContext* context, const brClusterDef* def, brDVec3* sites, int32_t* outCount,
							 brReport* report)
{
	if (def->sites != NULL)
	{
		memcpy(sites, def->sites, sizeof(*sites) * (size_t)def->siteCount);
		*outCount = def->siteCount;
		return br_success;
	}
	brDBox3 box = brMesh_ComputeBounds(def->breaking.mesh);
	brSiteDef siteDef = brDefaultSiteDef();
	// What is cut beforehand is hit nowhere yet.
	siteDef.pattern = def->breaking.pattern == br_sitesImpact ? br_sitesUniform : def->breaking.pattern;
	siteDef.count = def->breaking.pieces;
	siteDef.seed = def->breaking.seed;
	siteDef.at = brDLerp(box.lower, box.upper, 0.5);
	return brMakeSites(context, def->breaking.mesh, &siteDef, sites, outCount, report);
}

// Which cluster each piece is in; nobody asks for the bonds between them. False without memory.
static bool clusterCopyLevels(const brShatter* from, brShatter* to)
{
	to->levels = BR_ALLOC_ZERO(&to->allocator, brShatterLevel, from->levelCount);
	to->levelCount = to->levels != NULL ? from->levelCount : 0;
	bool isDone = to->levelCount == from->levelCount;
	for (int32_t i = 0; isDone && i < from->levelCount; ++i)
	{
		to->levels[i].clusterCount = from->levels[i].clusterCount;
		to->levels[i].clusters = BR_ALLOC(&to->allocator, int32_t, from->pieceCount);
		isDone = to->levels[i].clusters != NULL;
		if (isDone)
		{
			memcpy(to->levels[i].clusters, from->levels[i].clusters, sizeof(int32_t) * (size_t)from->pieceCount);
		}
	}
	return isDone;
}

// What the caller cut, copied: clusterFromShatter takes the meshes away. Each piece is a node of its own.
static brResult clusterCopyPieces(const brContext* context, const brShatter* from, brDVec3* sites,
								  brShatter** outShatter, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brShatter* copy = BR_ALLOC_ZERO(&allocator, brShatter, 1);
	brPiece* pieces = BR_ALLOC_ZERO(&allocator, brPiece, from->pieceCount);
	brBond* bonds = BR_ALLOC_ZERO(&allocator, brBond, from->bondCount);
	if (copy == NULL || pieces == NULL || (bonds == NULL && from->bondCount > 0))
	{
		BR_FREE(&allocator, copy, 1);
		BR_FREE(&allocator, pieces, from->pieceCount);
		BR_FREE(&allocator, bonds, from->bondCount);
		return brFailMemory(report);
	}
	*copy = (brShatter){.allocator = allocator, .pieces = pieces, .bonds = bonds};
	copy->pieceCount = from->pieceCount, copy->bondCount = from->bondCount;
	memcpy(bonds, from->bonds, sizeof(*bonds) * (size_t)from->bondCount);
	brResult result = clusterCopyLevels(from, copy) ? br_success : brFailMemory(report);
	for (int32_t i = 0; result >= 0 && i < from->pieceCount; ++i)
	{
		pieces[i].site = i;
		sites[i] = from->pieces[i].mass.center;
		result = brCopyMesh(context, from->pieces[i].mesh, &pieces[i].mesh, report);
		pieces[i].mass = result >= 0 ? brMesh_ComputeMass(pieces[i].mesh, 1.0) : pieces[i].mass;
	}
	if (result < 0)
	{
		brDestroyShatter(copy);
		return result;
	}
	*outShatter = copy;
	return br_success;
}

// Cut by the sites of the def, at density 1.
static brResult clusterCut(const brWorld* world, const brClusterDef* def, brDVec3* sites, int32_t* outCount,
						   brShatter** outShatter, brReport* report)
{
	const brContext* context = &world->dynamics.context;
	brResult result = clusterSites(context, def, sites, outCount, report);
	if (result < 0)
	{
		return result;
	}
	brShatterDef shatterDef = brDefaultShatterDef();
	shatterDef.sites = sites;
	shatterDef.siteCount = *outCount;
	shatterDef.density = 1.0;
	shatterDef.interior = def->breaking.interior;
	return brCreateShatterBy(context, def->breaking.mesh, world->breaking.cells, &shatterDef, outShatter, report);
}

// A body for the cluster, which the world owns from here on.
static brBodyId clusterAdd(brWorld* world, const brBodyDef* bodyDef, const brBreakDef* breakDef, brCluster* cluster,
						   brReport* report)
{
	brBodyId id = {0, 0};
	int32_t slot = brBreaking_AddCluster(world, cluster);
	if (slot < 0)
	{
		brFailMemory(report);
		brFreeCluster(cluster);
		return id;
	}
	brBodyDef body = *bodyDef;
	brBreakDef breaking = *breakDef;
	breaking.method = br_breakNone; // pieces stay as they are
	body.kind = cluster->isHeld ? br_bodyStatic : br_bodyDynamic;
	id = brWorld_CreateBreakable(world, &body, &breaking, report);
	if (id.index1 == 0)
	{
		world->breaking.clusters.data[slot] = NULL;
		brFreeCluster(cluster);
		return id;
	}
	world->breaking.bodies.data[id.index1 - 1].cluster = slot;
	if (!brBreaking_MakeReady(world, id.index1 - 1))
	{
		brWorld_DestroyBody(world, id);
		brFailMemory(report);
		return (brBodyId){0, 0};
	}
	return id;
}

brBodyId brWorld_CreateCluster(brWorld* world, const brBodyDef* bodyDef, const brClusterDef* def, brReport* report)
{
	brBodyId id = {0, 0};
	if (world == NULL)
	{
		brFail(report, br_errorMisuse, "brWorld_CreateCluster needs world");
		return id;
	}
	if (clusterCheck(bodyDef, def, report) < 0)
	{
		return id;
	}
	const brContext* context = &world->dynamics.context;
	const brAllocator* allocator = &world->dynamics.allocator;
	int32_t capacity = def->pieces != NULL  ? def->pieces->pieceCount
					   : def->sites != NULL ? def->siteCount
											: def->breaking.pieces;
	int32_t siteCount = capacity;
	brDVec3* sites = BR_ALLOC(allocator, brDVec3, capacity);
	brBreakDef breaking = def->breaking;
	brShatter* shatter = NULL;
	brMesh* whole = NULL;
	brResult result = sites == NULL         ? brFailMemory(report)
					  : def->pieces != NULL ? clusterCopyPieces(context, def->pieces, sites, &shatter, report)
											: clusterCut(world, def, sites, &siteCount, &shatter, report);
	if (result >= 0 && def->clusterSize > 0 && shatter->levelCount == 0)
	{
		result = brShatter_AddLevels(shatter, def->clusterSize, def->levelCount) < 0 ? brFailMemory(report) : result;
	}
	if (result >= 0 && breaking.mesh == NULL)
	{
		result = brShatter_Join(shatter, context, &whole, report);
		breaking.mesh = whole;
	}
	brCluster* cluster = result >= 0 ? clusterFromShatter(allocator, shatter, sites, siteCount, def) : NULL;
	if (result >= 0 && cluster == NULL)
	{
		brFailMemory(report);
	}
	if (cluster != NULL)
	{
		id = clusterAdd(world, bodyDef, &breaking, cluster, report);
	}
	brDestroyMesh(whole);
	brDestroyShatter(shatter);
	BR_FREE(allocator, sites, capacity);
	return id;
}

static const brCluster* clusterOf(const brWorld* world, brBodyId id)
{
	const brBreakBody* record = brWorld_IsBody(world, id) ? brBreaking_Body(&world->breaking, id.index1 - 1) : NULL;
	return record != NULL && record->cluster >= 0 ? world->breaking.clusters.data[record->cluster] : NULL;
}

int32_t brWorld_GetClusterPieceCount(const brWorld* world, brBodyId id)
{
	const brCluster* cluster = clusterOf(world, id);
	return cluster != NULL ? cluster->nodeCount : 0;
}

int32_t brWorld_GetClusterBondCount(const brWorld* world, brBodyId id)
{
	const brCluster* cluster = clusterOf(world, id);
	return cluster != NULL ? cluster->linkCount : 0;
}
