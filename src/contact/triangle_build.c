// SPDX-License-Identifier: MIT

// The tree over the triangles of a solid, and its leaves.

#include "contact/solid.h"

#include "index/compact_order.h"

#include <string.h>

size_t brOrderScratchBytes(int32_t triangleCount)
{
	// Keys and centers; later the boxes of groups.
	size_t order = (sizeof(uint64_t) + sizeof(brVec3)) * (size_t)triangleCount;
	size_t boxes = sizeof(brBox3) * ((size_t)triangleCount / BR_TRIANGLE_LANES + 1);
	return order > boxes ? order : boxes;
}

void brOrderTriangles(const brSolidTriangles* work, int32_t* outOrder)
{
	uint64_t* keys = (uint64_t*)work->scratch;
	brVec3* centers = (brVec3*)(void*)(keys + work->triangleCount);
	for (int32_t i = 0; i < work->triangleCount; ++i)
	{
		const int32_t* t = work->triangles[i];
		brVec3 a = work->vertices[t[0]], b = work->vertices[t[1]], c = work->vertices[t[2]];
		centers[i] = brAdd(brMin(a, brMin(b, c)), brMax(a, brMax(b, c)));
	}
	brMakeCompactOrder(centers, keys, work->triangleCount);
	for (int32_t i = 0; i < work->triangleCount; ++i)
	{
		outOrder[i] = brCompactOrder_At(keys, i);
	}
}

static void fillLane(brFloat8 out[3], int32_t lane, brVec3 a)
{
	out[0][lane] = a.x, out[1][lane] = a.y, out[2][lane] = a.z;
}

static float fillInverse(double x, double y)
{
	double lengthSq = x * x + y * y;
	return lengthSq > 1e-36 ? (float)(1.0 / lengthSq) : 0.0f;
}

// A triangle in axes of its own.
static void fillTriangle(brTriangleGroup* g, int32_t lane, const brSolidTriangles* work, int32_t triangle)
{
	const int32_t* t = work->triangles[triangle];
	brDVec3 ab = brDSub(work->exact[t[1]], work->exact[t[0]]), ac = brDSub(work->exact[t[2]], work->exact[t[0]]);
	double length = brDLength(ab);
	brDVec3 along = brDMul(1.0 / length, ab), up = brDCross(work->normals[triangle], along);
	double cx = brDDot(ac, along), cy = brDDot(ac, up);
	fillLane(g->corner, lane, work->vertices[t[0]]);
	fillLane(g->along, lane, brToVec3(along));
	fillLane(g->up, lane, brToVec3(up));
	fillLane(g->normal, lane, brToVec3(work->normals[triangle]));
	g->length[lane] = (float)length;
	g->cx[lane] = (float)cx, g->cy[lane] = (float)cy;
	g->inv1[lane] = fillInverse(cx, cy);
	g->inv2[lane] = fillInverse(cx - length, cy);
}

static void fillLink(brTriangleLink* link, const brSolidTriangles* work, int32_t triangle, const int32_t* placeOf)
{
	for (int k = 0; k < 3; ++k)
	{
		int32_t other = work->across[triangle][k];
		bool isFlat = other >= 0 && !(work->areas[other] > 0.0);
		link->across[k] = isFlat ? BR_ACROSS_FLAT : other >= 0 ? placeOf[other] : -1;
		link->fans[k] = work->cornerFans[triangle][k];
	}
}

void brFillTriangles(brShape* shape, const brSolidTriangles* work, const int32_t* order, int32_t* placeOf)
{
	brSolidCounts counts = brShape_SolidCounts(shape);
	brSolidLayout layout = brMakeSolidLayout(&counts);
	char* base = (char*)shape;
	brTriangleGroup* groups = (brTriangleGroup*)(base + layout.groups);
	brTriangleLink* links = (brTriangleLink*)(base + layout.links);
	memcpy(base + layout.fans, work->fans, sizeof(brVec3) * (size_t)work->fanCount);
	for (int32_t place = 0; place < work->triangleCount; ++place)
	{
		placeOf[order[place]] = place;
	}
	brBox3* boxes = work->scratch;
	for (int32_t i = 0; i < BR_TRIANGLE_LANES * layout.groupCount; ++i)
	{
		int32_t lane = i % BR_TRIANGLE_LANES;
		brTriangleGroup* group = &groups[i / BR_TRIANGLE_LANES];
		brBox3* box = &boxes[i / BR_TRIANGLE_LANES];
		*box = lane == 0 ? brMakeBox3Empty() : *box;
		if (i >= work->triangleCount || !(work->areas[order[i]] > 0.0))
		{
			fillLane(group->corner, lane, brMakeVec3(BR_TREE_NOWHERE, BR_TREE_NOWHERE, BR_TREE_NOWHERE));
			fillLane(group->up, lane, brMakeVec3(1.0f, 0.0f, 0.0f)); // so that it is far from everything
			continue;
		}
		const int32_t* t = work->triangles[order[i]];
		brVec3 a = work->vertices[t[0]], b = work->vertices[t[1]], c = work->vertices[t[2]];
		*box = brBox3_Union(*box, (brBox3){brMin(a, brMin(b, c)), brMax(a, brMax(b, c))});
		fillTriangle(group, lane, work, order[i]);
		fillLink(&links[i], work, order[i], placeOf);
	}
	// A box is grown by what rounding of a corner may lose.
	brBoxTree_Fill(&layout.tree, (brTreeBoxes*)(base + layout.boxes), boxes, layout.groupCount,
				   BR_PLACE_ROUNDING * shape->radius);
}
