// SPDX-License-Identifier: MIT

// What breaks, as a block of a snapshot: head, settings, records, then the meshes and the clusters of the records that
// have one. Everything starts at a multiple of 8 bytes.

#include "world/cluster.h"

#include "base/hash.h"
#include "base/report.h"
#include "world/snapshot.h"
#include "world/world_state.h"

#include <math.h>
#include <string.h>

typedef struct SavedHead
{
	int32_t settings, bodies;
	uint32_t structBytes;
	uint32_t padding;
	brBreakBudget budget;
	brBreakStats stats;
} SavedHead;

typedef struct SavedMesh
{
	int32_t vertexCount, faceCount, cornerCount, materialCount, groupCount;
	uint32_t arrays; // bits: uvs normals colors faceMaterials faceGroups
} SavedMesh;

typedef struct SavedCluster
{
	int32_t nodeCount, linkCount;
	int32_t needsSolve, isHeld;
	int32_t cellCount, padding;
	double strength, minArea;
} SavedCluster;

static uint32_t savedStructBytes(void)
{
	return (uint32_t)(3 * sizeof(brBreakSettings) + 5 * sizeof(brBreakBody) + 7 * sizeof(SavedHead) +
					  11 * sizeof(brBondNode) + 13 * sizeof(brBondLink) + 17 * sizeof(SavedCluster));
}

// Where the next bytes go, or how many there would be.
typedef struct SaveSink
{
	char* out; // or null
	size_t count;
} SaveSink;

static void savePutElement(SaveSink* sink, const void* data, size_t bytes)
{
	if (sink->out != NULL && bytes > 0)
	{
		memcpy(sink->out + sink->count, data, bytes);
	}
	sink->count += bytes;
}

// Arrays begin at multiples of eight bytes.
static void savePad(SaveSink* sink)
{
	static const char zeros[8] = {0};
	savePutElement(sink, zeros, (8 - sink->count % 8) % 8);
}

static void savePut(SaveSink* sink, const void* data, size_t bytes)
{
	savePutElement(sink, data, bytes);
	savePad(sink);
}

static void savePutMesh(SaveSink* sink, const brMesh* mesh)
{
	size_t vertices = (size_t)mesh->vertexCount, faces = (size_t)mesh->faceCount, corners = (size_t)mesh->cornerCount;
	SavedMesh head = {mesh->vertexCount, mesh->faceCount, mesh->cornerCount, mesh->materialCount, mesh->groupCount, 0};
	head.arrays = (mesh->uvs != NULL) | (mesh->normals != NULL) << 1 | (mesh->colors != NULL) << 2 |
				  (mesh->faceMaterials != NULL) << 3 | (mesh->faceGroups != NULL) << 4;
	savePut(sink, &head, sizeof(head));
	savePut(sink, mesh->positions, vertices * sizeof(brDVec3));
	savePut(sink, mesh->faceStarts, (faces + 1) * sizeof(int32_t));
	savePut(sink, mesh->corners, corners * sizeof(int32_t));
	savePut(sink, mesh->uvs, mesh->uvs != NULL ? corners * sizeof(brVec2) : 0);
	savePut(sink, mesh->normals, mesh->normals != NULL ? corners * sizeof(brVec3) : 0);
	savePut(sink, mesh->colors, mesh->colors != NULL ? vertices * sizeof(brVec4) : 0);
	savePut(sink, mesh->faceMaterials, mesh->faceMaterials != NULL ? faces * sizeof(int32_t) : 0);
	savePut(sink, mesh->faceGroups, mesh->faceGroups != NULL ? faces * sizeof(int32_t) : 0);
	savePut(sink, mesh->materials, (size_t)mesh->materialCount * sizeof(brSurfaceMaterial));
	savePut(sink, mesh->groupNames, (size_t)mesh->groupCount * sizeof(mesh->groupNames[0]));
}

typedef struct SavedMap
{
	brDBox3 box;
	int32_t counts[3];
	int32_t isTiled;
} SavedMap;

// Pointers are those of one process: what is saved tells which maps follow.
static void savePutSettings(SaveSink* sink, const brBreakSettings* settings)
{
	brBreakSettings saved;
	memcpy(&saved, settings, sizeof(saved)); // with what lies between its members
	saved.mapsSaved = (settings->def.strengthMap != NULL) | (settings->def.grainMap != NULL) << 1;
	saved.def.strengthMap = saved.def.grainMap = NULL;
	savePutElement(sink, &saved, sizeof(saved));
}

static void savePutMap(SaveSink* sink, const brScalarMap* map)
{
	if (map != NULL)
	{
		SavedMap head = {map->box, {map->counts[0], map->counts[1], map->counts[2]}, map->isTiled};
		savePut(sink, &head, sizeof(head));
		savePut(sink, map->values, (size_t)map->counts[0] * (size_t)map->counts[1] * (size_t)map->counts[2] * 4);
	}
}

static void savePutCluster(SaveSink* sink, const brCluster* cluster)
{
	SavedCluster head = {cluster->nodeCount, cluster->linkCount, cluster->needsSolve,
						 cluster->isHeld,    cluster->cellCount, 0,
						 cluster->strength,  cluster->minArea};
	savePut(sink, &head, sizeof(head));
	savePut(sink, cluster->nodes, (size_t)cluster->nodeCount * sizeof(brBondNode));
	savePut(sink, cluster->sites, (size_t)cluster->nodeCount * sizeof(brDVec3));
	savePut(sink, cluster->links, (size_t)cluster->linkCount * sizeof(brBondLink));
	savePut(sink, cluster->cellNodes, (size_t)cluster->cellCount * sizeof(int32_t));
	for (int32_t i = 0; i < cluster->cellCount; ++i)
	{
		savePutMesh(sink, cluster->cells->meshes[cluster->cellNumbers[i]]);
	}
}

uint64_t brHashMesh(const brMesh* mesh)
{
	uint64_t hash = brHashNumbers(BR_HASH_SEED, mesh->positions, 3 * (size_t)mesh->vertexCount, sizeof(double));
	return brHashNumbers(hash, mesh->corners, (size_t)mesh->cornerCount, sizeof(int32_t)) | 1; // 0 means no mesh
}

static const brFieldRun linkRuns[] = {{4, 2}, {8, 8}};
_Static_assert(sizeof(brBondLink) == 2 * 4 + 8 * 8, "a link has other fields");

uint64_t brBreaking_Hash(const brBreaking* breaking, uint64_t hash)
{
	for (int32_t i = 0; i < breaking->bodies.count; ++i)
	{
		const brBreakBody* record = brBreaking_Body(breaking, i);
		if (record != NULL)
		{
			const double numbers[6] = {record->strength,    record->dustAge,     record->hit.energy,
									   record->hit.point.x, record->hit.point.y, record->hit.point.z};
			const int32_t counts[3] = {i, record->generation, record->hit.isWaiting};
			if (record->cluster >= 0)
			{
				const brCluster* cluster = breaking->clusters.data[record->cluster];
				const int32_t sizes[3] = {cluster->nodeCount, cluster->linkCount, cluster->needsSolve};
				hash = brHashNumbers(hash, sizes, 3, sizeof(int32_t));
				hash = brHashRecords(hash, cluster->links, (size_t)cluster->linkCount, linkRuns, 2);
			}
			hash = brHashNumbers(hash, &record->meshHash, 1, sizeof(uint64_t));
			hash = brHashNumbers(hash, counts, 3, sizeof(int32_t));
			const double past[4] = {record->damage, record->lastLoad, record->restForce, record->lastFastest};
			hash = brHashNumbers(hash, past, 4, sizeof(double));
			hash = brHashNumbers(hash, numbers, record->hit.isWaiting ? 6 : 2, sizeof(double));
		}
	}
	return hash;
}

size_t brBreaking_Save(const brBreaking* breaking, char* out)
{
	SaveSink sink = {out, 0};
	SavedHead head;
	memset(&head, 0, sizeof(head));
	head.settings = breaking->settings.count;
	head.bodies = breaking->bodies.count;
	head.structBytes = savedStructBytes();
	head.budget = breaking->budget;
	head.stats = breaking->stats;
	savePut(&sink, &head, sizeof(head));
	for (int32_t i = 0; i < breaking->settings.count; ++i)
	{
		savePutSettings(&sink, &breaking->settings.data[i]);
	}
	savePad(&sink);
	for (int32_t i = 0; i < breaking->bodies.count; ++i)
	{
		brBreakBody record = breaking->bodies.data[i];
		record.mesh = NULL; // its hash says whether there is one
		savePutElement(&sink, &record, sizeof(record));
	}
	savePad(&sink);
	for (int32_t i = 0; i < breaking->settings.count; ++i)
	{
		savePutMap(&sink, breaking->settings.data[i].def.strengthMap);
		savePutMap(&sink, breaking->settings.data[i].def.grainMap);
	}
	for (int32_t i = 0; i < breaking->bodies.count; ++i)
	{
		if (breaking->bodies.data[i].mesh != NULL)
		{
			savePutMesh(&sink, breaking->bodies.data[i].mesh);
		}
	}
	for (int32_t i = 0; i < breaking->bodies.count; ++i)
	{
		const brBreakBody* record = brBreaking_Body(breaking, i);
		if (record != NULL && record->cluster >= 0)
		{
			savePutCluster(&sink, breaking->clusters.data[record->cluster]);
		}
	}
	return sink.count;
}

typedef struct SaveSource
{
	const char* bytes;
	size_t count, at;
} SaveSource;

// The next `count` elements, or null if they are not there.
static const void* saveGet(SaveSource* source, int64_t count, size_t elementBytes)
{
	if (count < 0 || (uint64_t)count > (source->count - source->at) / elementBytes)
	{
		return NULL;
	}
	size_t padded = ((size_t)count * elementBytes + 7) & ~(size_t)7;
	const char* here = source->bytes + source->at;
	if (padded > source->count - source->at)
	{
		return NULL;
	}
	source->at += padded;
	return here;
}

// An array that may be absent: null then, and `isThere` says whether null is wrong.
static const void* saveGetIf(SaveSource* source, bool isThere, int64_t count, size_t elementBytes, bool* isSound)
{
	const void* data = isThere ? saveGet(source, count, elementBytes) : NULL;
	*isSound = *isSound && (data != NULL || !isThere);
	return data;
}

static brResult saveGetMesh(const brContext* context, SaveSource* source, brMesh** outMesh, brReport* report)
{
	const SavedMesh* head = saveGet(source, 1, sizeof(SavedMesh));
	bool isSound = head != NULL && head->vertexCount >= 0 && head->faceCount >= 0 && head->faceCount < INT32_MAX &&
				   head->cornerCount >= 0 && head->materialCount >= 0 && head->groupCount >= 0;
	brMeshDef def = brDefaultMeshDef();
	if (isSound)
	{
		uint32_t arrays = head->arrays;
		int32_t vertices = head->vertexCount, faces = head->faceCount, corners = head->cornerCount;
		def.vertexCount = vertices, def.faceCount = faces;
		def.materialCount = head->materialCount, def.groupCount = head->groupCount;
		def.positions = saveGetIf(source, true, vertices, sizeof(brDVec3), &isSound);
		def.faceStarts = saveGetIf(source, isSound, (int64_t)faces + 1, sizeof(int32_t), &isSound);
		def.corners = saveGetIf(source, isSound, corners, sizeof(int32_t), &isSound);
		def.uvs = saveGetIf(source, isSound && arrays & 1, corners, sizeof(brVec2), &isSound);
		def.normals = saveGetIf(source, isSound && arrays & 2, corners, sizeof(brVec3), &isSound);
		def.colors = saveGetIf(source, isSound && arrays & 4, vertices, sizeof(brVec4), &isSound);
		def.faceMaterials = saveGetIf(source, isSound && arrays & 8, faces, sizeof(int32_t), &isSound);
		def.faceGroups = saveGetIf(source, isSound && arrays & 16, faces, sizeof(int32_t), &isSound);
		def.materials = saveGetIf(source, isSound && head->materialCount > 0, head->materialCount,
								  sizeof(brSurfaceMaterial), &isSound);
		def.groupNames =
			(const char(*)[64])saveGetIf(source, isSound && head->groupCount > 0, head->groupCount, 64, &isSound);
		isSound = isSound && def.faceStarts[faces] == corners;
	}
	if (!isSound)
	{
		return brFail(report, br_errorFormat, "the snapshot ends inside a mesh, or the mesh is damaged");
	}
	return brCreateMesh(context, &def, outMesh, report);
}

// A map that a settings' flag announces.
static brResult saveGetMap(const brContext* context, SaveSource* source, bool isThere, const brScalarMap** outMap,
						   brReport* report)
{
	if (!isThere)
	{
		return br_success;
	}
	const SavedMap* head = saveGet(source, 1, sizeof(SavedMap));
	int64_t count = -1;
	if (head != NULL && head->counts[0] > 0 && head->counts[1] > 0 && head->counts[2] > 0 &&
		(int64_t)head->counts[0] * head->counts[1] <= INT32_MAX / head->counts[2])
	{
		count = (int64_t)head->counts[0] * head->counts[1] * head->counts[2];
	}
	const float* values = count > 0 ? saveGet(source, count, sizeof(float)) : NULL;
	bool isSound = values != NULL && brDIsFinite(head->box.lower) && brDIsFinite(head->box.upper);
	for (int64_t i = 0; isSound && i < count; ++i)
	{
		isSound = isfinite(values[i]);
	}
	if (!isSound)
	{
		return brFail(report, br_errorFormat, "a map of the snapshot is damaged");
	}
	brScalarMap* map = NULL;
	brResult result = brCreateScalarMap(context, head->counts, values, &map, report);
	if (result >= 0)
	{
		map->box = head->box;
		map->isTiled = head->isTiled != 0;
		*outMap = map;
	}
	return result;
}

static brResult saveGetCells(brWorld* world, SaveSource* source, int32_t count, brClusterCells** outCells,
							 brReport* report)
{
	// Every mesh has a head at least: what is not there is not asked for.
	bool isThere = (uint64_t)count <= (source->count - source->at) / sizeof(SavedMesh);
	brClusterCells* cells = isThere ? brAllocCells(&world->dynamics.allocator, count) : NULL;
	if (cells == NULL)
	{
		return isThere ? brFailMemory(report) : brFail(report, br_errorFormat, "a cluster of the snapshot is damaged");
	}
	brResult result = br_success;
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		result = saveGetMesh(&world->dynamics.context, source, &cells->meshes[i], report);
	}
	if (result < 0)
	{
		brReleaseCells(cells);
		return result;
	}
	*outCells = cells;
	return br_success;
}

static brResult saveGetCluster(brWorld* world, SaveSource* source, int32_t* outSlot, brReport* report)
{
	const SavedCluster* head = saveGet(source, 1, sizeof(SavedCluster));
	bool isSound = head != NULL && head->nodeCount > 0 && head->linkCount >= 0 && head->cellCount > 0 &&
				   head->strength > 0.0 && head->strength < INFINITY && head->minArea >= 0.0;
	const brBondNode* nodes = isSound ? saveGet(source, head->nodeCount, sizeof(brBondNode)) : NULL;
	const brDVec3* sites = nodes != NULL ? saveGet(source, head->nodeCount, sizeof(brDVec3)) : NULL;
	const brBondLink* links = sites != NULL ? saveGet(source, head->linkCount, sizeof(brBondLink)) : NULL;
	const int32_t* cellNodes = links != NULL ? saveGet(source, head->cellCount, sizeof(int32_t)) : NULL;
	for (int32_t k = 0; cellNodes != NULL && k < head->nodeCount; ++k)
	{
		isSound = isSound && brAreBools(&nodes[k].isFixed, 1) && brDIsFinite(nodes[k].center) &&
				  nodes[k].volume > 0.0 && brDIsFinite(sites[k]);
	}
	for (int32_t k = 0; cellNodes != NULL && k < head->linkCount; ++k)
	{
		const int32_t* ends = links[k].nodes;
		isSound = isSound && ends[0] >= 0 && ends[0] < ends[1] && ends[1] < head->nodeCount && links[k].area > 0.0 &&
				  links[k].area < INFINITY && links[k].strength >= 1.0 && links[k].strength < INFINITY &&
				  brDIsFinite(links[k].center) && brDIsFinite(links[k].normal);
	}
	for (int32_t k = 0; cellNodes != NULL && k < head->cellCount; ++k)
	{
		isSound = isSound && cellNodes[k] >= (k > 0 ? cellNodes[k - 1] : 0) && cellNodes[k] < head->nodeCount;
	}
	if (cellNodes == NULL || !isSound)
	{
		return brFail(report, br_errorFormat, "a cluster of the snapshot is damaged");
	}
	brClusterCells* cells = NULL;
	brResult result = saveGetCells(world, source, head->cellCount, &cells, report);
	if (result < 0)
	{
		return result;
	}
	brCluster* cluster =
		brAllocCluster(&world->dynamics.allocator, head->nodeCount, head->linkCount, cells, head->cellCount);
	brReleaseCells(cells);
	int32_t slot = cluster != NULL ? brBreaking_AddCluster(world, cluster) : -1;
	if (slot < 0)
	{
		brFreeCluster(cluster);
		return brFailMemory(report);
	}
	memcpy(cluster->nodes, nodes, (size_t)head->nodeCount * sizeof(brBondNode));
	memcpy(cluster->sites, sites, (size_t)head->nodeCount * sizeof(brDVec3));
	memcpy(cluster->links, links, (size_t)head->linkCount * sizeof(brBondLink));
	memcpy(cluster->cellNodes, cellNodes, (size_t)head->cellCount * sizeof(int32_t));
	for (int32_t i = 0; i < head->cellCount; ++i)
	{
		cluster->cellNumbers[i] = i;
	}
	cluster->needsSolve = head->needsSolve != 0;
	cluster->isHeld = head->isHeld != 0;
	cluster->strength = head->strength;
	cluster->minArea = head->minArea;
	*outSlot = slot;
	return br_success;
}

static bool saveIsRough(const brRoughBlow* blow)
{
	return blow->mass >= 0.0 && blow->energy >= 0.0 && blow->energy < INFINITY && isfinite(blow->otherYoung) &&
		   isfinite(blow->otherPoisson) && isfinite(blow->otherHardness) && isfinite(blow->otherRadius) &&
		   isfinite(blow->otherGive);
}

static bool saveIsHit(const brWorld* world, const brHit* hit)
{
	if (!brAreBools(&hit->isThere, 4))
	{
		return false;
	}
	bool isOpen = hit->isThere || hit->isWaiting;
	return !isOpen || (hit->other >= -1 && hit->other < world->dynamics.bodies.count && brDIsFinite(hit->point) &&
					   brDIsFinite(hit->inward) && brDIsFinite(hit->normal) && brDIsFinite(hit->otherPoint) &&
					   isfinite(hit->speed) && isfinite(hit->time) && isfinite(hit->stress) && isfinite(hit->force) &&
					   isfinite(hit->reach) && saveIsRough(&hit->rough) && hit->mass >= 0.0 && hit->energy >= 0.0 &&
					   hit->energy < INFINITY);
}

static bool saveIsRecord(const brWorld* world, int32_t slot, const brBreakBody* record, const brBreakSettings* settings,
						 int32_t settingsCount)
{
	if (record->settings < 0)
	{
		return true;
	}
	return record->settings < settingsCount && settings[record->settings].users > 0 &&
		   slot < world->dynamics.bodies.count && brBody_IsThere(&world->dynamics.bodies.data[slot]) &&
		   record->generation >= 0 && record->strength > 0.0 && record->size >= 0.0 && !isnan(record->dustAge) &&
		   !isnan(record->youth) && record->measure.volume >= 0.0 && record->measure.area >= 0.0 &&
		   record->measure.thickness >= 0.0 && record->measure.radius >= 0.0 && brAreBools(&record->isSound, 1) &&
		   (record->meshHash != 0 || !(record->strength < INFINITY)) && saveIsHit(world, &record->hit);
}

static brResult saveReadAll(brWorld* world, SaveSource* source, brReport* report)
{
	brBreaking* breaking = &world->breaking;
	const brAllocator* allocator = &world->dynamics.allocator;
	const SavedHead* head = saveGet(source, 1, sizeof(SavedHead));
	if (head == NULL || head->structBytes != savedStructBytes())
	{
		return brFail(report, br_errorUnsupported, "this is no snapshot of this build of the library");
	}
	const brBreakSettings* settings = saveGet(source, head->settings, sizeof(brBreakSettings));
	const brBreakBody* bodies = settings != NULL ? saveGet(source, head->bodies, sizeof(brBreakBody)) : NULL;
	if (settings == NULL || bodies == NULL)
	{
		return brFail(report, br_errorFormat, "the snapshot ends inside what breaks");
	}
	if (!BR_RESERVE(allocator, &breaking->settings, head->settings) ||
		!BR_RESERVE(allocator, &breaking->bodies, head->bodies))
	{
		return brFailMemory(report);
	}
	breaking->budget = head->budget;
	breaking->stats = head->stats;
	for (int32_t i = 0; i < head->settings; ++i)
	{
		brBreakSettings* own = &breaking->settings.data[breaking->settings.count++];
		*own = settings[i];
		own->users = 0;
		own->def.mesh = NULL; // a pointer of another process
		own->def.strengthMap = own->def.grainMap = NULL;
		brResult result = saveGetMap(&world->dynamics.context, source, (settings[i].mapsSaved & 1) != 0,
									 &own->def.strengthMap, report);
		result = result < 0 ? result
							: saveGetMap(&world->dynamics.context, source, (settings[i].mapsSaved & 2) != 0,
										 &own->def.grainMap, report);
		if (result < 0)
		{
			return result;
		}
		if (settings[i].users > 0 && (brCheckBreakDef(&own->def, report) < 0 || !(own->rootVolume >= 0.0)))
		{
			return brFailAt(report, br_errorFormat, i, "material %d of the snapshot is damaged", i);
		}
	}
	bool hasCluster = false;
	for (int32_t i = 0; i < head->bodies; ++i)
	{
		brBreakBody record;
		memcpy(&record, &bodies[i], sizeof(record)); // as bytes: its bools are looked at first
		bool isSound = saveIsRecord(world, i, &bodies[i], settings, head->settings),
			 hasMesh = isSound && record.meshHash != 0;
		record.mesh = NULL;
		hasCluster = hasCluster || (isSound && record.settings >= 0 && record.cluster >= 0);
		brResult result = hasMesh ? saveGetMesh(&world->dynamics.context, source, &record.mesh, report) : br_success;
		if (!isSound || result < 0)
		{
			return result < 0 ? result : brFailAt(report, br_errorFormat, i, "breakable body %d is damaged", i);
		}
		record.cluster = -1; // until it is there
		breaking->bodies.data[breaking->bodies.count++] = record;
		if (record.settings >= 0)
		{
			breaking->settings.data[record.settings].users += 1;
		}
	}
	for (int32_t i = 0; hasCluster && i < head->bodies; ++i)
	{
		if (bodies[i].settings >= 0 && bodies[i].cluster >= 0)
		{
			brResult result = saveGetCluster(world, source, &breaking->bodies.data[i].cluster, report);
			if (result < 0)
			{
				return result;
			}
		}
	}
	return br_success;
}

brResult brBreaking_Restore(brWorld* world, const char* bytes, size_t byteCount, brReport* report)
{
	// The caller's bytes may lie anywhere; arrays are read in place, so they need to be aligned.
	const brAllocator* allocator = &world->dynamics.allocator;
	char* aligned = brAlloc(allocator, byteCount);
	if (aligned == NULL)
	{
		return brFailMemory(report);
	}
	memcpy(aligned, bytes, byteCount);
	SaveSource source = {aligned, byteCount, 0};
	brResult result = saveReadAll(world, &source, report);
	brFree(allocator, aligned, byteCount);
	return result;
}
