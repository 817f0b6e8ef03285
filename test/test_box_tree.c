// SPDX-License-Identifier: MIT

// Walks of the tree of boxes against a look at all boxes, for each set of lanes and for scenes of any size.

#include "harness.h"
#include "index/box_tree.h"

#include "index/compact_order.h"

#include <string.h>

enum
{
	most = 700,
	empty = 13 // every so manieth box is none
};

static brBox3 boxes[most];
static bool visited[most];
static int32_t lastVisit;

// The walks as functions of their own, for each set.
#define BR_LANES_FILE "test_box_tree_lanes.h"
#include "base/each_lanes.h"

static int32_t drawBoxes(brRandom* random, double size)
{
	int32_t count = 1 + (int32_t)brRandom_Below(random, most);
	brVec3 centers[most];
	brBox3 drawn[most];
	uint64_t keys[most];
	for (int32_t i = 0; i < count; ++i)
	{
		brVec3 p = {(float)(size * brRandom_Below(random, 20)), (float)(size * brRandom_Range(random, -20, 20)),
					(float)(size * brRandom_Below(random, 3))};
		float side = brRandom_Below(random, 3) == 0 ? 0.0f : (float)(size * brRandom_Unit(random));
		drawn[i] = (brBox3){p, brAdd(p, brMakeVec3(side, (float)size, 0.5f * side))};
		centers[i] = brAdd(drawn[i].lower, drawn[i].upper);
	}
	brMakeCompactOrder(centers, keys, count);
	for (int32_t i = 0; i < count; ++i)
	{
		boxes[i] = i % empty == empty - 1 ? brMakeBox3Empty() : drawn[brCompactOrder_At(keys, i)];
	}
	return count;
}

static bool visitBox(int32_t box, void* user)
{
	(void)user;
	CHECK(box > lastVisit); // rising
	visited[box] = true;
	lastVisit = box;
	return true;
}

static double boxDistanceSq(brBox3 box, brDVec3 p)
{
	double x = fmax(fmax((double)box.lower.x - p.x, p.x - (double)box.upper.x), 0.0);
	double y = fmax(fmax((double)box.lower.y - p.y, p.y - (double)box.upper.y), 0.0);
	double z = fmax(fmax((double)box.lower.z - p.z, p.z - (double)box.upper.z), 0.0);
	return x * x + y * y + z * z;
}

static double visitNear(int32_t box, double limitSq, void* user)
{
	return fmin(limitSq, boxDistanceSq(boxes[box], *(const brDVec3*)user));
}

typedef struct Segment
{
	brDVec3 start, way;
	int32_t asked;
} Segment;

// First part of the segment that is in the box, or infinity; slabs in plain doubles.
static double enterBox(brBox3 box, const Segment* segment)
{
	const double o[3] = {segment->start.x, segment->start.y, segment->start.z};
	const double d[3] = {segment->way.x, segment->way.y, segment->way.z};
	const double lower[3] = {(double)box.lower.x, (double)box.lower.y, (double)box.lower.z};
	const double upper[3] = {(double)box.upper.x, (double)box.upper.y, (double)box.upper.z};
	double enter = 0.0, leave = box.lower.x <= box.upper.x ? 1.0 : -1.0;
	for (int k = 0; k < 3; ++k)
	{
		if (d[k] == 0.0)
		{
			leave = o[k] < lower[k] || o[k] > upper[k] ? -1.0 : leave;
			continue;
		}
		double a = (lower[k] - o[k]) / d[k], b = (upper[k] - o[k]) / d[k];
		enter = fmax(enter, fmin(a, b));
		leave = fmin(leave, fmax(a, b));
	}
	return enter <= leave ? enter : INFINITY;
}

static double visitSegment(int32_t box, double limit, void* user)
{
	Segment* segment = user;
	segment->asked += 1;
	return fmin(limit, enterBox(boxes[box], segment));
}

static double visitAllOnSegment(int32_t box, double limit, void* user)
{
	(void)user;
	visited[box] = true;
	return limit;
}

static void checkQuestions(brRandom* random, const brBoxTree* tree, int32_t count, double size, int64_t* asked)
{
	bool hasAvx2 = brCpu_Best() >= br_cpuAvx2 && brRandom_Below(random, 2) == 0;
	brVec3 p = {(float)(size * brRandom_Below(random, 21)), (float)(size * brRandom_Range(random, -21, 21)),
				(float)(size * brRandom_Below(random, 3))};
	const float lower[3] = {p.x, p.y, p.z}, upper[3] = {p.x + (float)size, p.y, p.z};
	memset(visited, 0, sizeof(visited));
	lastVisit = -1;
	BR_ON_LANES(hasAvx2, walkOverlaps, (tree, lower, upper, visitBox, NULL));
	for (int32_t i = 0; i < count; ++i)
	{
		brBox3 box = {p, {upper[0], upper[1], upper[2]}};
		CHECK_EQUAL(visited[i], boxes[i].lower.x <= boxes[i].upper.x && brBox3_Overlaps(boxes[i], box));
	}

	brDVec3 point = {size * brRandom_Range(random, -5, 25), size * brRandom_Range(random, -25, 25), size};
	Segment segment = {point, {0.0, 0.0, 0.0}, 0};
	segment.way.y = size * brRandom_Range(random, -50, 50);
	segment.way.x = brRandom_Below(random, 2) == 0 ? 0.0 : size * brRandom_Range(random, -50, 50);
	segment.way.z = brRandom_Below(random, 2) == 0 ? 0.0 : size * brRandom_Range(random, -2, 2);
	segment.start.x = brRandom_Below(random, 2) == 0 ? size * floor(point.x / size) : point.x; // along faces of boxes
	double nearest = INFINITY, first = 1.0;
	for (int32_t i = 0; i < count; ++i)
	{
		nearest = boxes[i].lower.x <= boxes[i].upper.x ? fmin(nearest, boxDistanceSq(boxes[i], point)) : nearest;
		first = fmin(first, enterBox(boxes[i], &segment));
	}
	const float q[3] = {(float)point.x, (float)point.y, (float)point.z};
	CHECK(BR_ON_LANES(hasAvx2, walkNear, (tree, q, visitNear, &point)) == nearest);
	// Boxes reach to about 25 sizes.
	brTreeSegment wide = brMakeTreeSegment(segment.start, brDAdd(segment.start, segment.way), (float)(0x1p-16 * size));
	CHECK(BR_ON_LANES(hasAvx2, walkSegment, (tree, &wide, visitSegment, &segment)) == first);
	memset(visited, 0, sizeof(visited));
	BR_ON_LANES(hasAvx2, walkSegment, (tree, &wide, visitAllOnSegment, NULL));
	for (int32_t i = 0; i < count; ++i)
	{
		CHECK(visited[i] || enterBox(boxes[i], &segment) == INFINITY);
	}
	*asked += segment.asked;
}

BR_TEST(box_tree_walks_find_what_a_look_at_all_boxes_finds)
{
	brRandom random = brTest_Random(test);
	static brTreeBoxes block[most];
	int64_t asked = 0, total = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 60); ++round)
	{
		const double sizes[4] = {1.0, 0x1p-12, 0x1p10, 0.3};
		double size = sizes[round % 4];
		int32_t count = drawBoxes(&random, size);
		brBoxTree tree = brMakeBoxTree(count);
		CHECK(tree.groupTotal <= most);
		brBoxTree_Fill(&tree, block, boxes, count, 0.0f);
		for (int32_t question = 0; question < 20; ++question)
		{
			checkQuestions(&random, &tree, count, size, &asked);
			total += count;
		}
	}
	CHECK(asked * 4 < total); // the tree is of use
}
