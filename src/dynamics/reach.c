// SPDX-License-Identifier: MIT

// Pairs that nothing can bring together in this step.
//
// A box holds its body wherever its own speed may take it, so in a cloud that falls together all boxes overlap. Seen
// from each other its bodies hardly move: what flies freely meets only what comes within its box as it is now. A hit
// changes that, for the two that it concerns and then for what they are thrown at. But news of it has to cross the gaps
// on its way: nobody is reached for whom these add up to more than he and the one who brings it can go in the step. All
// other pairs of boxes are dropped.

#include "dynamics/dynamics.h"

// Rounding of boxes, as a part of their places.
#define REACH_ROUNDING 1e-6f

typedef struct ReachWork
{
	const brDynamics* dynamics;
	const brPair* pairs;
	float* gaps;
	float dt;
} ReachWork;

// How far the boxes of two bodies that fly freely stay apart, along the axis that parts them most. Negative if they may
// touch. INFINITY with a sensor: no news goes that way, and the pair is kept.
static float reachGap(const ReachWork* work, brPair pair)
{
	const brDynamics* dynamics = work->dynamics;
	const brBox3* boxes = dynamics->boxes.data;
	const int32_t* boxBodies = dynamics->boxBodies.data;
	int32_t a = boxBodies[pair.a], b = boxBodies[pair.b];
	if (brBody_IsSensed(&dynamics->bodies.data[a], &dynamics->bodies.data[b]))
	{
		return INFINITY;
	}
	brBox3 boxA = boxes[pair.a], boxB = boxes[pair.b];
	const brBodyFrame *frameA = &brDynamics_Frames(dynamics)[a], *frameB = &brDynamics_Frames(dynamics)[b];
	brDVec3 none = {0.0, 0.0, 0.0};
	brDVec3 velocityA = frameA->travel > 0.0f ? dynamics->bodies.data[a].velocity : none;
	brDVec3 velocityB = frameB->travel > 0.0f ? dynamics->bodies.data[b].velocity : none;
	brVec3 way = brMul(work->dt, brToVec3(brDSub(velocityB, velocityA)));
	const float ways[3] = {way.x, way.y, way.z};
	const float lowerA[3] = {boxA.lower.x, boxA.lower.y, boxA.lower.z},
				upperA[3] = {boxA.upper.x, boxA.upper.y, boxA.upper.z};
	const float lowerB[3] = {boxB.lower.x, boxB.lower.y, boxB.lower.z},
				upperB[3] = {boxB.upper.x, boxB.upper.y, boxB.upper.z};
	float travel = frameA->travel + frameB->travel, most = -INFINITY;
	for (int k = 0; k < 3; ++k)
	{
		// Above and below, before and after.
		float above = lowerB[k] - upperA[k] + travel, below = lowerA[k] - upperB[k] + travel;
		above += ways[k] < 0.0f ? ways[k] : 0.0f; // one way is as likely as the other: no branch
		below -= ways[k] > 0.0f ? ways[k] : 0.0f;
		float places = fabsf(lowerA[k]) + fabsf(upperA[k]) + fabsf(lowerB[k]) + fabsf(upperB[k]);
		float gap = (above > below ? above : below) - REACH_ROUNDING * places;
		most = gap > most ? gap : most;
	}
	return most;
}

static void reachGaps(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const ReachWork* work = user;
	for (int32_t i = begin; i < end; ++i)
	{
		work->gaps[i] = reachGap(work, work->pairs[i]);
	}
}

// What news of a hit crosses until it has come over a pair, from the side that has it first.
static float reachWay(const brReached* reached, int32_t a, int32_t b, int32_t index, float* outMost)
{
	brBodyNews newsA = reached->news[a], newsB = reached->news[b];
	float gap = reached->gaps[index];
	*outMost = newsA.reach + newsB.reach;
	return (newsA.way < newsB.way ? newsA.way : newsB.way) + (gap > 0.0f ? gap : 0.0f);
}

void brDynamics_FindReached(const brDynamics* dynamics, const brPair* pairs, int32_t count, double dt,
							brReached* reached)
{
	ReachWork work = {dynamics, pairs, reached->gaps, (float)dt};
	const int32_t* boxBodies = dynamics->boxBodies.data;
	brParallelFor(dynamics->context.workers, count, 1024, reachGaps, &work);
	for (int32_t i = 0; i < count; ++i)
	{
		if (reached->gaps[i] <= 0.0f)
		{
			reached->news[boxBodies[pairs[i].a]].way = reached->news[boxBodies[pairs[i].b]].way = 0.0f;
		}
	}
	for (bool isChanged = true; isChanged;)
	{
		isChanged = false;
		for (int32_t i = 0; i < count; ++i)
		{
			int32_t a = boxBodies[pairs[i].a], b = boxBodies[pairs[i].b];
			if (reached->news[a].way <= 0.0f && reached->news[b].way <= 0.0f)
			{
				continue; // sooner it cannot be
			}
			float most, way = reachWay(reached, a, b, i, &most);
			for (int k = 0; k < 2 && way <= most; ++k)
			{
				brBodyNews* news = &reached->news[k == 0 ? a : b];
				isChanged = isChanged || way < news->way;
				news->way = way < news->way ? way : news->way;
			}
		}
	}
}

bool brReached_Has(const brReached* reached, int32_t a, int32_t b, int32_t index)
{
	float most, way = reachWay(reached, a, b, index, &most);
	return reached->gaps[index] <= 0.0f || way <= most || reached->gaps[index] == INFINITY;
}
