// SPDX-License-Identifier: MIT

// From the cells of a file to a mesh.

#include "io/cells.h"

#include "base/hash.h"
#include "base/sort.h"

#include <stdio.h>
#include <string.h>

// A surface with more different tags than this has numbers of another kind in that place.
#define MAX_READ_GROUPS 65536

// Node numbers

static bool tagMapAllocate(brTagMap* map, int64_t slotCount, bool isHashed)
{
	map->slotCount = slotCount;
	map->values = BR_ALLOC(&map->allocator, int32_t, slotCount);
	map->keys = isHashed && map->values != NULL ? BR_ALLOC(&map->allocator, int64_t, slotCount) : NULL;
	if (map->values == NULL || (isHashed && map->keys == NULL))
	{
		brTagMap_Free(map);
		return false;
	}
	memset(map->values, 0xFF, (size_t)slotCount * sizeof(int32_t));
	return true;
}

bool brTagMap_Build(brTagMap* map, const brAllocator* allocator, const int64_t* tags, int32_t count, int32_t* outTwice)
{
	memset(map, 0, sizeof(*map));
	map->allocator = *allocator;
	*outTwice = -1;
	int64_t lower = count > 0 ? tags[0] : 0;
	int64_t upper = lower;
	for (int32_t i = 0; i < count; ++i)
	{
		lower = tags[i] < lower ? tags[i] : lower;
		upper = tags[i] > upper ? tags[i] : upper;
	}

	// Dense numbers, the usual case: one table look-up a node.
	uint64_t range = (uint64_t)upper - (uint64_t)lower;
	if (range < 4 * (uint64_t)count + 1024)
	{
		if (!tagMapAllocate(map, (int64_t)range + 1, false))
		{
			return false;
		}
		map->first = lower;
		for (int32_t i = 0; i < count; ++i)
		{
			int32_t* value = &map->values[(uint64_t)tags[i] - (uint64_t)lower];
			if (*value >= 0)
			{
				*outTwice = i;
				return true;
			}
			*value = i;
		}
		return true;
	}

	int64_t slotCount = 16;
	while (slotCount < 2 * (int64_t)count)
	{
		slotCount *= 2;
	}
	if (!tagMapAllocate(map, slotCount, true))
	{
		return false;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		uint64_t slot = brHash64((uint64_t)tags[i]) & (uint64_t)(slotCount - 1);
		while (map->values[slot] >= 0)
		{
			if (map->keys[slot] == tags[i])
			{
				*outTwice = i;
				return true;
			}
			slot = (slot + 1) & (uint64_t)(slotCount - 1);
		}
		map->keys[slot] = tags[i];
		map->values[slot] = i;
	}
	return true;
}

int32_t brTagMap_FindHashed(const brTagMap* map, int64_t tag)
{
	uint64_t slot = brHash64((uint64_t)tag) & (uint64_t)(map->slotCount - 1);
	while (map->values[slot] >= 0 && map->keys[slot] != tag)
	{
		slot = (slot + 1) & (uint64_t)(map->slotCount - 1);
	}
	return map->values[slot];
}

void brTagMap_Free(brTagMap* map)
{
	BR_FREE(&map->allocator, map->values, map->slotCount);
	BR_FREE(&map->allocator, map->keys, map->slotCount);
	map->values = NULL;
	map->keys = NULL;
	map->slotCount = 0;
}

bool brListTags(const brAllocator* allocator, const int32_t* tags, int32_t count, brTagList* list)
{
	uint32_t* keys = BR_ALLOC(allocator, uint32_t, count);
	uint32_t* scratch = BR_ALLOC(allocator, uint32_t, count);
	bool ok = keys != NULL && scratch != NULL;

	// Most tags repeat the one before, and an unsigned sort puts negative ones last unless the sign is turned.
	int32_t keyCount = 0;
	for (int32_t i = 0; ok && i < count; ++i)
	{
		uint32_t key = (uint32_t)tags[i] ^ 0x80000000u;
		if (tags[i] != 0 && (keyCount == 0 || keys[keyCount - 1] != key))
		{
			keys[keyCount++] = key;
		}
	}
	ok = ok && brSortKeys32(NULL, allocator, keys, scratch, keyCount);
	for (int32_t i = 0; ok && i < keyCount; ++i)
	{
		ok = (i > 0 && keys[i] == keys[i - 1]) || BR_PUSH(allocator, list, (int32_t)(keys[i] ^ 0x80000000u));
	}
	BR_FREE(allocator, keys, count);
	BR_FREE(allocator, scratch, count);
	return ok;
}

// Cells

void brFileCells_Init(brFileCells* cells, const brAllocator* allocator)
{
	memset(cells, 0, sizeof(*cells));
	cells->allocator = *allocator;
}

void brFileCells_Free(brFileCells* cells)
{
	const brAllocator* allocator = &cells->allocator;
	BR_FREE(allocator, cells->normals, cells->attributeCount);
	BR_FREE(allocator, cells->uvs, cells->attributeCount);
	BR_FREE(allocator, cells->colors, cells->attributeCount);
	cells->normals = NULL;
	cells->uvs = NULL;
	cells->colors = NULL;
	BR_FREE_ARRAY(allocator, &cells->nodes);
	BR_FREE_ARRAY(allocator, &cells->tets);
	BR_FREE_ARRAY(allocator, &cells->tetTags);
	BR_FREE_ARRAY(allocator, &cells->corners);
	BR_FREE_ARRAY(allocator, &cells->faceEnds);
	BR_FREE_ARRAY(allocator, &cells->faceTags);
	BR_FREE_ARRAY(allocator, &cells->groupNames);
}

bool brFileCells_AddFace(brFileCells* cells, const int32_t* nodes, int32_t size, int32_t tag)
{
	if (size < 3)
	{
		cells->dropped[br_droppedOthers] += 1;
		return true;
	}
	const brAllocator* allocator = &cells->allocator;
	if (!BR_RESERVE(allocator, &cells->corners, size))
	{
		return false;
	}
	memcpy(cells->corners.data + cells->corners.count, nodes, (size_t)size * sizeof(int32_t));
	cells->corners.count += size;
	return BR_PUSH(allocator, &cells->faceEnds, cells->corners.count) && BR_PUSH(allocator, &cells->faceTags, tag);
}

static bool cellsAnyTag(const int32_t* tags, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		if (tags[i] != 0)
		{
			return true;
		}
	}
	return false;
}

// The arrays of the cells become the arrays of the mesh; only triangles move.
static brTetMesh* cellsTakeTetMesh(brFileCells* cells)
{
	const brAllocator* allocator = &cells->allocator;
	brTetMesh* mesh = BR_ALLOC_ZERO(allocator, brTetMesh, 1);
	if (mesh == NULL)
	{
		return NULL;
	}
	mesh->allocator = *allocator;
	BR_ARRAY(int32_t) triangles = {0};
	BR_ARRAY(int32_t) triangleTags = {0};
	bool ok = true;
	int32_t start = 0;
	for (int32_t f = 0; ok && f < cells->faceEnds.count; ++f)
	{
		int32_t end = cells->faceEnds.data[f];
		const int32_t* c = cells->corners.data + start;
		if (end - start != 3)
		{
			cells->dropped[br_droppedQuads] += 1;
		}
		else
		{
			ok = BR_RESERVE(allocator, &triangles, 3);
			for (int32_t k = 0; ok && k < 3; ++k)
			{
				triangles.data[triangles.count++] = c[k];
			}
			ok = ok && BR_PUSH(allocator, &triangleTags, cells->faceTags.data[f]);
		}
		start = end;
	}
	int32_t nodeCount = cells->nodes.count;
	int32_t tetCount = cells->tets.count;
	int32_t triangleCount = triangleTags.count;
	ok = ok && (mesh->nodes = BR_TAKE(allocator, &cells->nodes)) != NULL;
	mesh->nodeCount = mesh->nodes != NULL ? nodeCount : 0;
	ok = ok && (mesh->tets = BR_TAKE(allocator, &cells->tets)) != NULL;
	mesh->tetCount = mesh->tets != NULL ? tetCount : 0;
	if (ok && cellsAnyTag(cells->tetTags.data, tetCount))
	{
		ok = (mesh->tetTags = BR_TAKE(allocator, &cells->tetTags)) != NULL;
	}
	if (ok && triangleCount > 0)
	{
		ok = (mesh->triangles = BR_TAKE(allocator, &triangles)) != NULL;
		mesh->triangleCount = mesh->triangles != NULL ? triangleCount : 0;
	}
	if (ok && cellsAnyTag(triangleTags.data, triangleCount))
	{
		ok = (mesh->triangleTags = BR_TAKE(allocator, &triangleTags)) != NULL;
	}
	BR_FREE_ARRAY(allocator, &triangles);
	BR_FREE_ARRAY(allocator, &triangleTags);
	if (!ok)
	{
		brDestroyTetMesh(mesh);
		return NULL;
	}
	return mesh;
}

// All tags that make groups: those of faces and those with names.
static bool cellsListGroupTags(const brFileCells* cells, brTagList* list)
{
	const brAllocator* allocator = &cells->allocator;
	BR_ARRAY(int32_t) all = {0};
	bool ok = BR_RESERVE(allocator, &all, (int64_t)cells->faceTags.count + cells->groupNames.count);
	for (int32_t f = 0; ok && f < cells->faceTags.count; ++f)
	{
		all.data[all.count++] = cells->faceTags.data[f];
	}
	for (int32_t i = 0; ok && i < cells->groupNames.count; ++i)
	{
		all.data[all.count++] = cells->groupNames.data[i].tag;
	}
	ok = ok && brListTags(allocator, all.data, all.count, list);
	BR_FREE_ARRAY(allocator, &all);
	return ok;
}

static void cellsNameGroups(const brFileCells* cells, const brTagList* tags, const brTagMap* map, brMesh* mesh)
{
	for (int32_t g = 0; g < tags->count; ++g)
	{
		snprintf(mesh->groupNames[g], sizeof(mesh->groupNames[g]), "%lld", (long long)tags->data[g]);
	}
	for (int32_t i = 0; i < cells->groupNames.count; ++i)
	{
		int32_t group = brTagMap_Find(map, cells->groupNames.data[i].tag);
		if (group >= 0)
		{
			memcpy(mesh->groupNames[group], cells->groupNames.data[i].name, sizeof(mesh->groupNames[group]));
		}
	}
}

static brMesh* cellsTakeSurface(brFileCells* cells, const brTagList* tags, const brTagMap* map)
{
	const brAllocator* allocator = &cells->allocator;
	brMeshShape shape = {
		.vertexCount = cells->nodes.count,
		.faceCount = cells->faceEnds.count,
		.cornerCount = cells->corners.count,
		.groupCount = tags->count,
		.hasFaceGroups = tags->count > 0,
		.hasNormals = cells->normals != NULL,
		.hasUvs = cells->uvs != NULL,
		.hasColors = cells->colors != NULL,
	};
	brMesh* mesh = brAllocMesh(allocator, &shape);
	if (mesh == NULL)
	{
		return NULL;
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		mesh->positions[v] = cells->nodes.data[v];
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		mesh->faceStarts[f + 1] = cells->faceEnds.data[f];
	}
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		int32_t node = cells->corners.data[c];
		mesh->corners[c] = node;
		if (mesh->normals != NULL)
		{
			mesh->normals[c] = cells->normals[node];
		}
		if (mesh->uvs != NULL)
		{
			mesh->uvs[c] = cells->uvs[node];
		}
	}
	if (mesh->colors != NULL && mesh->vertexCount > 0)
	{
		memcpy(mesh->colors, cells->colors, (size_t)mesh->vertexCount * sizeof(brVec4));
	}
	if (mesh->faceGroups != NULL)
	{
		cellsNameGroups(cells, tags, map, mesh);
		for (int32_t f = 0; f < mesh->faceCount; ++f)
		{
			int32_t tag = cells->faceTags.data[f];
			mesh->faceGroups[f] = tag != 0 ? brTagMap_Find(map, tag) : -1;
		}
	}
	return mesh;
}

static brResult cellsFinishSurface(brFileCells* cells, const brReadJob* job, brAssembly* assembly, brRemarks* remarks)
{
	brTagList tags = {0};
	brTagMap map = {.allocator = cells->allocator};
	int32_t twice;
	brMesh* mesh = NULL;
	bool ok = cellsListGroupTags(cells, &tags);
	if (tags.count > MAX_READ_GROUPS)
	{
		tags.count = 0;
		brRemarks_Add(remarks, br_remarkDropped, "face numbers with more than %d values make no groups",
					  MAX_READ_GROUPS);
	}
	ok = ok && brTagMap_Build(&map, &cells->allocator, tags.data, tags.count, &twice);
	ok = ok && (mesh = cellsTakeSurface(cells, &tags, &map)) != NULL;
	brTagMap_Free(&map);
	BR_FREE_ARRAY(&cells->allocator, &tags);
	return ok ? brAddReadMesh(job, assembly, mesh, "") : brFailMemory(job->report);
}

static void cellsListDropped(const brFileCells* cells, char* text, size_t capacity)
{
	static const char* const names[br_droppedKindCount][2] = {
		{"point", "points"}, {"line", "lines"},       {"polygon", "polygons"}, {"hexahedron", "hexahedra"},
		{"prism", "prisms"}, {"pyramid", "pyramids"}, {"other", "others"},
	};
	size_t used = 0;
	text[0] = 0;
	for (int kind = 0; kind < br_droppedKindCount; ++kind)
	{
		int64_t count = cells->dropped[kind];
		if (count > 0 && used < capacity)
		{
			used += (size_t)snprintf(text + used, capacity - used, "%s%lld %s", used > 0 ? ", " : "", (long long)count,
									 names[kind][count != 1]);
		}
	}
}

brResult brFileCells_Finish(brFileCells* cells, const brReadJob* job, brAssembly* assembly, brRemarks* remarks)
{
	char dropped[200];
	cellsListDropped(cells, dropped, sizeof(dropped));
	bool isEmpty = cells->tets.count == 0 && cells->faceEnds.count == 0;
	brResult result;
	if (isEmpty && dropped[0] != 0)
	{
		result = brFail(job->report, br_errorUnsupported,
						"%.100s: holds %s, but no tetrahedra and no triangles or other polygons", job->name, dropped);
	}
	else if (cells->tets.count > 0)
	{
		brTetMesh* mesh = cellsTakeTetMesh(cells);
		result = mesh != NULL ? brAddReadTetMesh(job, assembly, mesh, "") : brFailMemory(job->report);
		cellsListDropped(cells, dropped, sizeof(dropped)); // polygons beside tets are known only now
	}
	else
	{
		result = cellsFinishSurface(cells, job, assembly, remarks);
	}
	if (dropped[0] != 0)
	{
		brRemarks_Add(remarks, br_remarkDropped, "left out %s", dropped);
	}
	if (cells->flattened > 0)
	{
		brRemarks_Add(remarks, br_remarkDropped, "of %lld curved elements only the corners were kept",
					  (long long)cells->flattened);
	}
	brFileCells_Free(cells);
	return result < 0 ? result : brRemarks_Report(remarks, job->name, job->report);
}
