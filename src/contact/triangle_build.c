// SPDX-License-Identifier: MIT

// The tree over the triangles of a solid, and its leaves.

#include "contact/solid.h"

#include "index/compact_order.h"

#include <string.h>

size_t brOrderScratchBytes(int32_t triangleCount)
{
	return (sizeof(uint64_t) + sizeof(brVec3)) * (size_t)triangleCount;
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

static brVec3 fillTake(const brFloat8 from[3], int32_t lane)
{
	return brMakeVec3(from[0][lane], from[1][lane], from[2][lane]);
}

static float fillInverse(double x, double y)
{
	double lengthSq = x * x + y * y;
	return lengthSq > 1e-36 ? (float)(1.0 / lengthSq) : 0.0f;
}

void brFillTriangles(brShape* shape, const brSolidTriangles* work, const int32_t* order, int32_t* placeOf)
{
	brSolidCounts counts = brShape_SolidCounts(shape);
	brSolidLayout layout = brMakeSolidLayout(&counts);
	char* base = (char*)shape;
	brTriangleGroup* groups = (brTriangleGroup*)(base + layout.groups);
	brTriangleNode* nodes = (brTriangleNode*)(base + layout.nodes);
	brTriangleLink* links = (brTriangleLink*)(base + layout.links);
	memcpy(base + layout.fans, work->fans, sizeof(brVec3) * (size_t)work->fanCount);
	for (int32_t place = 0; place < work->triangleCount; ++place)
	{
		placeOf[order[place]] = place;
	}
	// Groups, and the boxes of groups as the lowest level of nodes. A box is grown by what rounding of a corner may
	// lose.
	float grow = 2e-6f * shape->radius;
	brBox3 empty = {{BR_TRIANGLE_NOWHERE, BR_TRIANGLE_NOWHERE, BR_TRIANGLE_NOWHERE},
					{BR_TRIANGLE_NOWHERE, BR_TRIANGLE_NOWHERE, BR_TRIANGLE_NOWHERE}};
	int32_t first = 0;
	for (int32_t level = 0; level < layout.levelCount; ++level)
	{
		int32_t below = level == 0 ? layout.groupCount : layout.levelCounts[level - 1];
		for (int32_t i = 0; i < BR_TRIANGLE_LANES * layout.levelCounts[level]; ++i)
		{
			brBox3 box = brMakeBox3Empty();
			for (int32_t lane = 0; lane < BR_TRIANGLE_LANES && i < below; ++lane)
			{
				if (level > 0)
				{
					const brTriangleNode* node = &nodes[first - layout.levelCounts[level - 1] + i];
					if (node->lower[0][lane] < BR_TRIANGLE_NOWHERE)
					{
						box = brBox3_Union(box, (brBox3){fillTake(node->lower, lane), fillTake(node->upper, lane)});
					}
					continue;
				}
				int32_t place = BR_TRIANGLE_LANES * i + lane;
				brTriangleGroup* g = &groups[i];
				if (place >= work->triangleCount || !(work->areas[order[place]] > 0.0))
				{
					fillLane(g->corner, lane, empty.lower);
					fillLane(g->up, lane, brMakeVec3(1.0f, 0.0f, 0.0f)); // so that it is far from everything
					continue;
				}
				int32_t triangle = order[place];
				const int32_t* t = work->triangles[triangle];
				brVec3 a = work->vertices[t[0]], b = work->vertices[t[1]], c = work->vertices[t[2]];
				brDVec3 ab = brDSub(work->exact[t[1]], work->exact[t[0]]);
				brDVec3 ac = brDSub(work->exact[t[2]], work->exact[t[0]]);
				double length = brDLength(ab);
				brDVec3 along = brDMul(1.0 / length, ab), up = brDCross(work->normals[triangle], along);
				double cx = brDDot(ac, along), cy = brDDot(ac, up);
				fillLane(g->corner, lane, a);
				fillLane(g->along, lane, brToVec3(along));
				fillLane(g->up, lane, brToVec3(up));
				fillLane(g->normal, lane, brToVec3(work->normals[triangle]));
				g->length[lane] = (float)length;
				g->cx[lane] = (float)cx, g->cy[lane] = (float)cy;
				g->inv1[lane] = fillInverse(cx, cy);
				g->inv2[lane] = fillInverse(cx - length, cy);
				box = brBox3_Union(box, (brBox3){brMin(a, brMin(b, c)), brMax(a, brMax(b, c))});
				for (int k = 0; k < 3; ++k)
				{
					int32_t other = work->across[triangle][k];
					bool isFlat = other >= 0 && !(work->areas[other] > 0.0);
					links[place].across[k] = isFlat ? BR_ACROSS_FLAT : other >= 0 ? placeOf[other] : -1;
					links[place].fans[k] = work->cornerFans[triangle][k];
				}
			}
			brVec3 more = brMakeVec3(grow, grow, grow);
			box = i < below ? (brBox3){brSub(box.lower, more), brAdd(box.upper, more)} : empty;
			brTriangleNode* node = &nodes[first + i / BR_TRIANGLE_LANES];
			fillLane(node->lower, i % BR_TRIANGLE_LANES, box.lower);
			fillLane(node->upper, i % BR_TRIANGLE_LANES, box.upper);
		}
		first += layout.levelCounts[level];
	}
}
