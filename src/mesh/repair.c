// SPDX-License-Identifier: MIT

// Mending meshes: weld, trim, fold flat faces away, drop duplicates, orient, split, drop unused.
//
// The stages run in this order because each makes work for the next: welding makes corners repeat and faces flat,
// folding makes duplicates, orientation needs edges of two faces, splitting needs orientation. None of them opens a
// closed mesh: a removed face either takes edges along in pairs or hands its corners to its neighbors.

#include "mesh/repair.h"

#include "base/assert.h"
#include "base/report.h"
#include "mesh/face_area.h"
#include "mesh/mesh_build.h"
#include "mesh/weld.h"

#include <string.h>

brRepairDef brDefaultRepairDef(void)
{
	return (brRepairDef){
		.weld = true,
		.dropDegenerate = true,
		.dropDuplicates = true,
		.orient = true,
		.splitNonManifold = true,
		.dropUnused = true,
		.stamp = BR_STAMP(brRepairDef),
	};
}

brMesh brRepair_View(const brRepair* repair)
{
	return (brMesh){
		.vertexCount = repair->vertexCount,
		.faceCount = repair->faceCount,
		.cornerCount = repair->cornerCount,
		.positions = repair->positions,
		.faceStarts = repair->faceStarts,
		.corners = repair->corners,
	};
}

// The start and the end

static bool startRepair(brRepair* repair, const brContext* context, const brMesh* source)
{
	*repair = (brRepair){.context = context, .allocator = brContext_Allocator(context), .source = source};
	const brAllocator* allocator = &repair->allocator;
	repair->vertexCount = repair->vertexCapacity = source->vertexCount;
	repair->faceCount = source->faceCount;
	repair->cornerCount = repair->cornerCapacity = source->cornerCount;
	repair->positions = BR_ALLOC(allocator, brDVec3, source->vertexCount);
	repair->vertexSources = BR_ALLOC(allocator, int32_t, source->vertexCount);
	repair->faceStarts = BR_ALLOC(allocator, int32_t, (int64_t)source->faceCount + 1);
	repair->faceSources = BR_ALLOC(allocator, int32_t, source->faceCount);
	repair->corners = BR_ALLOC(allocator, int32_t, source->cornerCount);
	repair->cornerSources = BR_ALLOC(allocator, int32_t, source->cornerCount);
	repair->isTurned = BR_ALLOC_ZERO(allocator, bool, source->faceCount);
	if (repair->positions == NULL || repair->vertexSources == NULL || repair->faceStarts == NULL ||
		repair->faceSources == NULL || repair->corners == NULL || repair->cornerSources == NULL ||
		repair->isTurned == NULL)
	{
		return false;
	}
	for (int32_t v = 0; v < source->vertexCount; ++v)
	{
		repair->positions[v] = source->positions[v];
		repair->vertexSources[v] = v;
	}
	repair->faceStarts[0] = 0;
	for (int32_t f = 0; f < source->faceCount; ++f)
	{
		repair->faceStarts[f + 1] = source->faceStarts[f + 1];
		repair->faceSources[f] = f;
	}
	for (int32_t c = 0; c < source->cornerCount; ++c)
	{
		repair->corners[c] = source->corners[c];
		repair->cornerSources[c] = c;
	}
	return true;
}

static void endRepair(brRepair* repair)
{
	const brAllocator* allocator = &repair->allocator;
	BR_FREE(allocator, repair->positions, repair->vertexCapacity);
	BR_FREE(allocator, repair->vertexSources, repair->vertexCapacity);
	BR_FREE(allocator, repair->faceStarts, (int64_t)repair->source->faceCount + 1);
	BR_FREE(allocator, repair->faceSources, repair->source->faceCount);
	BR_FREE(allocator, repair->corners, repair->cornerCapacity);
	BR_FREE(allocator, repair->cornerSources, repair->cornerCapacity);
	BR_FREE(allocator, repair->cornerMates, repair->cornerCapacity);
	BR_FREE(allocator, repair->isTurned, repair->source->faceCount);
}

// Welding

static bool weldVertices(brRepair* repair, double distance)
{
	int32_t count = repair->vertexCount;
	int32_t* first = BR_ALLOC(&repair->allocator, int32_t, count);
	if (first == NULL)
	{
		return false;
	}
	int32_t joined = distance > 0.0 ? brFindNearPositions(&repair->allocator, repair->positions, count, distance, first)
									: brFindEqualPositions(&repair->allocator, repair->positions, count, first);
	for (int32_t v = 0; v < count && joined > 0; ++v)
	{
		if (first[v] == v)
		{
			continue;
		}
		// The least position of a cluster stays: a place that was there, whatever the order of the list.
		brDVec3* kept = &repair->positions[first[v]];
		brDVec3 p = repair->positions[v];
		if (p.x < kept->x || (p.x == kept->x && (p.y < kept->y || (p.y == kept->y && p.z < kept->z))))
		{
			*kept = p;
		}
		repair->vertexSources[v] = -1;
	}
	for (int32_t c = 0; c < repair->cornerCount && joined > 0; ++c)
	{
		repair->corners[c] = first[repair->corners[c]];
	}
	BR_FREE(&repair->allocator, first, count);
	repair->counts.weldedVertices += joined > 0 ? joined : 0;
	return joined >= 0;
}

// Trimming

void brRepair_KeepFaces(brRepair* repair, const bool* keeps)
{
	int32_t faceCount = 0, cornerCount = 0;
	for (int32_t f = 0; f < repair->faceCount; ++f)
	{
		int32_t start = repair->faceStarts[f], size = repair->faceStarts[f + 1] - start;
		if (!keeps[f])
		{
			continue;
		}
		memmove(repair->corners + cornerCount, repair->corners + start, (size_t)size * sizeof(int32_t));
		memmove(repair->cornerSources + cornerCount, repair->cornerSources + start, (size_t)size * sizeof(int32_t));
		repair->faceSources[faceCount] = repair->faceSources[f];
		repair->faceStarts[faceCount] = cornerCount; // not beyond f, whose start has been read
		cornerCount += size;
		faceCount += 1;
	}
	repair->faceStarts[faceCount] = cornerCount;
	repair->faceCount = faceCount;
	repair->cornerCount = cornerCount;
}

// Copies the corners [begin, end) to `target` without those that repeat their neighbor or go out and back along one
// edge. Returns how many are left; fewer than three is no face.
static int32_t trimCorners(brRepair* repair, int32_t begin, int32_t end, int32_t target)
{
	int32_t* corners = repair->corners + target;
	int32_t* sources = repair->cornerSources + target;
	int32_t high = 0;
	for (int32_t c = begin; c < end; ++c)
	{
		int32_t vertex = repair->corners[c], source = repair->cornerSources[c];
		if (high >= 1 && corners[high - 1] == vertex)
		{
			continue;
		}
		if (high >= 2 && corners[high - 2] == vertex)
		{
			high -= 1; // the tip goes, and this corner is the one before it
			continue;
		}
		corners[high] = vertex;
		sources[high] = source;
		high += 1;
	}
	// The same across the end of the list.
	int32_t low = 0;
	for (bool again = true; again;)
	{
		again = false;
		if (high - low >= 2 && corners[low] == corners[high - 1])
		{
			high -= 1;
			again = true;
		}
		else if (high - low >= 3 && corners[low + 1] == corners[high - 1])
		{
			low += 1;
			again = true;
		}
		else if (high - low >= 3 && corners[low] == corners[high - 2])
		{
			high -= 1;
			again = true;
		}
	}
	memmove(corners, corners + low, (size_t)(high - low) * sizeof(int32_t));
	memmove(sources, sources + low, (size_t)(high - low) * sizeof(int32_t));
	return high - low;
}

void brRepair_Trim(brRepair* repair)
{
	int32_t faceCount = 0, cornerCount = 0;
	for (int32_t f = 0; f < repair->faceCount; ++f)
	{
		int32_t begin = repair->faceStarts[f], end = repair->faceStarts[f + 1];
		int32_t size = trimCorners(repair, begin, end, cornerCount);
		if (size < 3)
		{
			repair->counts.droppedDegenerate += 1;
			continue;
		}
		repair->counts.trimmedCorners += end - begin - size;
		repair->faceSources[faceCount] = repair->faceSources[f];
		repair->faceStarts[faceCount] = cornerCount;
		cornerCount += size;
		faceCount += 1;
	}
	repair->faceStarts[faceCount] = cornerCount;
	repair->faceCount = faceCount;
	repair->cornerCount = cornerCount;
}

// The result

// Numbers the vertices that stay, in `outNumbers`, -1 for those that go. Returns their count.
static int32_t numberVertices(brRepair* repair, bool dropUnused, int32_t* outNumbers)
{
	memset(outNumbers, 0xff, (size_t)repair->vertexCount * sizeof(int32_t));
	for (int32_t c = 0; c < repair->cornerCount; ++c)
	{
		outNumbers[repair->corners[c]] = 0;
	}
	int32_t count = 0;
	for (int32_t v = 0; v < repair->vertexCount; ++v)
	{
		bool isUsed = outNumbers[v] == 0;
		bool stays = repair->vertexSources[v] >= 0 && (isUsed || !dropUnused);
		repair->counts.droppedVertices += repair->vertexSources[v] >= 0 && !stays;
		outNumbers[v] = stays ? count++ : -1;
	}
	return count;
}

// Normals of a face that was turned over point with it again.
static void turnNormals(brMesh* mesh, int32_t face)
{
	int32_t start = mesh->faceStarts[face];
	brDVec3 area = brMesh_FaceArea(mesh, face);
	for (int32_t c = start; c < mesh->faceStarts[face + 1]; ++c)
	{
		if (brDDot(area, brToDVec3(mesh->normals[c])) < 0.0)
		{
			mesh->normals[c] = brMul(-1.0f, mesh->normals[c]);
		}
	}
}

// `numbers` of vertices are never above the old ones, so what they come from can be moved up in place.
static void fillRepaired(brRepair* repair, const int32_t* numbers, brMesh* mesh)
{
	const brMesh* source = repair->source;
	for (int32_t v = 0; v < repair->vertexCount; ++v)
	{
		if (numbers[v] >= 0)
		{
			mesh->positions[numbers[v]] = repair->positions[v];
			repair->vertexSources[numbers[v]] = repair->vertexSources[v];
		}
	}
	brMesh_Inherit(mesh, source, (brMeshOrigins){repair->vertexSources, repair->faceSources, repair->cornerSources});
	for (int32_t c = 0; c < repair->cornerCount; ++c)
	{
		int32_t mate = repair->cornerMates != NULL ? repair->cornerMates[c] : -1;
		mesh->corners[c] = numbers[repair->corners[c]];
		if (mesh->uvs != NULL && mate >= 0)
		{
			brVec2 a = mesh->uvs[c], b = source->uvs[mate];
			mesh->uvs[c] = (brVec2){0.5f * (a.x + b.x), 0.5f * (a.y + b.y)};
		}
		if (mesh->normals != NULL && mate >= 0)
		{
			mesh->normals[c] = brNormalize(brAdd(mesh->normals[c], source->normals[mate]));
		}
	}
	for (int32_t f = 0; f < repair->faceCount; ++f)
	{
		mesh->faceStarts[f + 1] = repair->faceStarts[f + 1];
		if (mesh->normals != NULL && repair->isTurned[repair->faceSources[f]])
		{
			turnNormals(mesh, f);
		}
	}
}

static bool finishRepair(brRepair* repair, bool dropUnused, brMesh** outMesh)
{
	int32_t* numbers = BR_ALLOC(&repair->allocator, int32_t, repair->vertexCount);
	if (numbers == NULL)
	{
		return false;
	}
	int32_t vertexCount = numberVertices(repair, dropUnused, numbers);
	brMeshShape shape = brMakeShapeLike(repair->source, vertexCount, repair->faceCount, repair->cornerCount);
	brMesh* mesh = brAllocMesh(&repair->allocator, &shape);
	if (mesh != NULL)
	{
		fillRepaired(repair, numbers, mesh);
		*outMesh = mesh;
	}
	BR_FREE(&repair->allocator, numbers, repair->vertexCount);
	return mesh != NULL;
}

// Welding may join what splitting then takes apart again. Such a mesh was fine, and nothing is counted.
static bool isUnchanged(const brMesh* a, const brMesh* b)
{
	return a->vertexCount == b->vertexCount && a->faceCount == b->faceCount && a->cornerCount == b->cornerCount &&
		   (a->vertexCount == 0 || memcmp(a->positions, b->positions, (size_t)a->vertexCount * sizeof(brDVec3)) == 0) &&
		   memcmp(a->faceStarts, b->faceStarts, ((size_t)a->faceCount + 1) * sizeof(int32_t)) == 0 &&
		   (a->cornerCount == 0 || memcmp(a->corners, b->corners, (size_t)a->cornerCount * sizeof(int32_t)) == 0);
}

brResult brRepairMesh(const brContext* context, const brMesh* mesh, const brRepairDef* def, brMesh** outMesh,
					  brRepairCounts* outCounts, brReport* report)
{
	brRepairDef defaults = brDefaultRepairDef();
	def = def != NULL ? def : &defaults;
	if (mesh == NULL || outMesh == NULL || def->stamp != BR_STAMP(*def) || !(def->weldDistance >= 0.0) ||
		!isfinite(def->weldDistance))
	{
		return brFail(
			report, br_errorMisuse,
			"a repair needs a mesh, a def from brDefaultRepairDef with a finite distance, and a place for the result");
	}
	brRepair repair;
	brMesh* repaired = NULL;
	bool complete = startRepair(&repair, context, mesh);
	if (complete && def->weld)
	{
		complete = weldVertices(&repair, def->weldDistance);
	}
	if (complete && def->dropDegenerate)
	{
		brRepair_Trim(&repair);
		complete = brRepair_FoldFlatFaces(&repair);
	}
	complete = complete && (!def->dropDuplicates || brRepair_DropDuplicates(&repair));
	complete = complete && (!def->orient || brRepair_Orient(&repair));
	complete = complete && (!def->splitNonManifold || brRepair_Split(&repair));
	complete = complete && finishRepair(&repair, def->dropUnused, &repaired);
	brRepairCounts counts = repair.counts;
	endRepair(&repair);
	if (!complete)
	{
		return brFailMemory(report);
	}
	if (isUnchanged(mesh, repaired))
	{
		counts = (brRepairCounts){.keptDegenerate = counts.keptDegenerate};
	}
	if (outCounts != NULL)
	{
		*outCounts = counts;
	}
	*outMesh = repaired;
	return brSucceed(report);
}
