// SPDX-License-Identifier: MIT

// Is a mesh a clean closed solid? Topology comes from mesh/topology; this adds the pairs of triangles that cross.

#include "brittle/check.h"

#include "base/assert.h"
#include "base/memory.h"
#include "base/report.h"
#include "mesh/topology.h"
#include "narrow/triangle_pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

brMeshCheckDef brDefaultMeshCheckDef(void)
{
	return (brMeshCheckDef){.findSelfIntersections = true, .stamp = BR_STAMP};
}

typedef struct CheckBox
{
	brDBox3 box;
	int32_t triangle;
} CheckBox;

static int checkCompareBoxes(const void* left, const void* right)
{
	const CheckBox *a = left, *b = right;
	if (a->box.lower.x != b->box.lower.x)
	{
		return a->box.lower.x < b->box.lower.x ? -1 : 1;
	}
	return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

typedef struct CheckCrossings
{
	int64_t count;
	int32_t first[2]; // smallest pair, or -1
} CheckCrossings;

static void checkTriangle(const brMesh* mesh, const brTriangulation* triangles, int32_t triangle, brDVec3 outCorners[3])
{
	for (int32_t k = 0; k < 3; ++k)
	{
		outCorners[k] = mesh->positions[mesh->corners[triangles->corners[3 * triangle + k]]];
	}
}

static void checkPair(const brMesh* mesh, const brTriangulation* triangles, int32_t s, int32_t t, CheckCrossings* found)
{
	brDVec3 a[3], b[3];
	checkTriangle(mesh, triangles, s, a);
	checkTriangle(mesh, triangles, t, b);
	// Neighbours by place, not by index: a seam of split vertices is no crossing.
	if (!brTrianglePair_MeetsBeyond(a, NULL, b, NULL))
	{
		return;
	}
	int32_t low = s < t ? s : t, high = s < t ? t : s;
	if (found->count == 0 || low < found->first[0] || (low == found->first[0] && high < found->first[1]))
	{
		found->first[0] = low, found->first[1] = high;
	}
	found->count += 1;
}

// Sweeps the boxes along x.
static brResult checkFindCrossings(const brContext* context, const brMesh* mesh, const brTriangulation* triangles,
								   CheckCrossings* found, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	int32_t count = triangles->triangleCount;
	CheckBox* boxes = BR_ALLOC(&allocator, CheckBox, count);
	if (boxes == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 corners[3];
		checkTriangle(mesh, triangles, i, corners);
		brDBox3 box = {corners[0], corners[0]};
		boxes[i] = (CheckBox){brDBox3_Include(brDBox3_Include(box, corners[1]), corners[2]), i};
	}
	qsort(boxes, (size_t)count, sizeof(*boxes), checkCompareBoxes);
	brResult result = br_success;
	for (int32_t i = 0; i < count && result == br_success; ++i)
	{
		for (int32_t j = i + 1; j < count && boxes[j].box.lower.x <= boxes[i].box.upper.x; ++j)
		{
			if (brDBox3_Overlaps(boxes[i].box, boxes[j].box))
			{
				checkPair(mesh, triangles, boxes[i].triangle, boxes[j].triangle, found);
			}
		}
		if (i % 1024 == 0 && brIsCancelled(context, 0.5 + 0.5 * i / count))
		{
			result = brFail(report, br_errorCancelled, "cancelled while looking for self-intersections");
		}
	}
	BR_FREE(&allocator, boxes, count);
	return result;
}

static brResult checkSelfIntersections(const brContext* context, const brMesh* mesh, brMeshCheck* check,
									   brReport* report)
{
	brTriangulation* triangles = NULL;
	brResult result = brTriangulate(context, mesh, &triangles, report);
	if (result < 0)
	{
		return result;
	}
	CheckCrossings found = {0, {-1, -1}};
	result = checkFindCrossings(context, mesh, triangles, &found, report);
	if (result >= 0)
	{
		check->selfIntersections = (int32_t)(found.count < INT32_MAX ? found.count : INT32_MAX);
		if (found.count > 0 && check->isSolid)
		{
			check->isSolid = false;
			int32_t faces[2] = {triangles->faces[found.first[0]], triangles->faces[found.first[1]]};
			if (faces[0] == faces[1])
			{
				snprintf(check->verdict, sizeof(check->verdict), "face %d folds over itself", faces[0]);
			}
			else
			{
				snprintf(check->verdict, sizeof(check->verdict),
						 "face %d cuts through face %d: the surface crosses itself in %lld pair%s of triangles",
						 faces[0], faces[1], (long long)found.count, found.count == 1 ? "" : "s");
			}
		}
	}
	brDestroyTriangulation(triangles);
	return result;
}

brResult brMesh_Check(const brContext* context, const brMesh* mesh, const brMeshCheckDef* def, brMeshCheck* outCheck,
					  brReport* report)
{
	brMeshCheckDef defaults = brDefaultMeshCheckDef();
	def = def != NULL ? def : &defaults;
	if (mesh == NULL || outCheck == NULL || def->stamp != BR_STAMP)
	{
		return brFail(report, br_errorMisuse,
					  "brMesh_Check needs a mesh, a place for the answer and a def with its stamp");
	}
	brMeshCheck check;
	memset(&check, 0, sizeof(check));
	brResult result = brCheckTopology(context, mesh, &check, report);
	if (result < 0)
	{
		return result;
	}
	check.selfIntersections = -1;
	if (def->findSelfIntersections)
	{
		result = checkSelfIntersections(context, mesh, &check, report);
		if (result < 0)
		{
			return result;
		}
	}
	*outCheck = check;
	return brSucceed(report);
}
