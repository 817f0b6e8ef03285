// SPDX-License-Identifier: MIT

// Cracks start (crack_start.c) and grow in the same steps. The load rises while they run, so they never see more of it than they need: in a step each crack sees the load that drives its hardest pulled
// front at four times its toughness, or the peak if that is less; K goes with the load, G with its square.
//
// Griffith's rule grows it: front points whose energy release rate G (all three modes) beats the fracture energy go on, turned by the kink angle of
// the largest hoop stress (erratum 6), by a share sqrt(1 - G_c / G) of the step, as the speed of a running crack does. All cracks grow in the same
// step under the peak of the load. A front stops where it leaves the solid, where it runs into another crack, when it has gone as far as a
// crack can in the time of contact (0.38 of the speed of sound in a bar, Mott 1948), or when the energy is spent.

#include "fracture/crack_grow.h"

#include "base/clock.h"
#include "base/report.h"

#include <string.h>

enum
{
	growMostFront = 4096,
};

#define GROW_DRIVE 4.0        // times the toughness at the front that is pulled hardest
#define GROW_TURN 1.25        // most that a front turns in a step, a little more than pure sliding asks for [rad]
#define GROW_AHEAD 2.0        // edges ahead of a front that must be solid for its angle to mean anything
#define GROW_LOOK 1.05        // of a step that is looked ahead for other cracks
#define GROW_OUTSIDE 2        // steps that a front goes on outside the solid
#define GROW_MOTT 0.38        // speed of cracks over that of sound
#define GROW_BRANCH_ANGLE 0.6 // between a branch and its front's way [rad]
#define GROW_BRANCH_APART 5.0 // edges from the last branch, or the start, to the next
#define GROW_BRANCH_SIZE 1.5  // radius of the half disk in edges
#define GROW_BRANCH_BACK 0.2  // edges that it reaches back over the front, so that the cut joins the two
#define GROW_BRANCH_SPENT 0.5 // share of the energy that may be spent
#define GROW_TOLERANCE 1e-4   // of solves: more digits leave K as it is (notes of the method)

static double growToughnessFactor(const brCrackGrowth* growth, brDVec3 point)
{
	const brCrackDef* def = growth->def;
	return def->strength != NULL ? def->strength(point, def->strengthUser) : 1.0;
}

// Whether the solid ends within the reach of the integral ahead of a front point.
static bool growIsLeaving(const brCrackGrowth* growth, const brCrackFrontPoint* point)
{
	return brCrackGrowth_FillAt(growth, brDMulAdd(point->position, GROW_AHEAD * growth->edge, point->forward)) == 0.0;
}

// G is for the whole of a tet, and the front is only in its solid part. Besides, walls bend as if they were as thick as the tets: then their G is too
// small by the square of the share that is solid, if they are pulled it is right. We take the share itself.
static double growReleaseFactor(const brCrackGrowth* growth, const brCrackFrontPoint* point)
{
	brTetPoint place;
	brTetLocator_Find(growth->locator, growth->context, &point->position, 1, &place);
	return place.tet >= 0 ? 1.0 / (brCrackGrowth_Fill(growth, place.tet) * brCrackGrowth_Fill(growth, place.tet)) : 1.0;
}

// Only these are asked how hard they are pulled: G at points that ended at a crack is noise, thousands of times what others see.
static bool growIsLive(const brGrowingCrack* crack, const brCrackFrontPoint* point)
{
	return point->isInside && crack->states.data[point->vertex] == br_frontRuns;
}

// Where each front point wants to go. Points outside go along with the nearest ones inside, so that the crack passes the surface whole.
static int32_t growWant(brCrackGrowth* growth, int32_t index, brCrackFrontPoint* points, int32_t count, brDVec3* wants)
{
	brGrowingCrack* crack = &growth->cracks.data[index];
	double toughness = brMaterial_GetFractureEnergy(&growth->def->material);
	double step = growth->def->growth * growth->edge;
	int32_t growing = 0;
	double hardest = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		points[i].energyRelease *= growth->fills != NULL ? growReleaseFactor(growth, &points[i]) : 1.0;
		hardest = growIsLive(crack, &points[i]) ? fmax(hardest, points[i].energyRelease) : hardest;
	}
	// Of G at the peak of the load.
	double share = hardest > GROW_DRIVE * toughness ? GROW_DRIVE * toughness / hardest : 1.0;
	for (int32_t i = 0; i < count; ++i)
	{
		const brCrackFrontPoint* point = &points[i];
		wants[i] = brMakeDVec3(0.0, 0.0, 0.0);
		double factor = growToughnessFactor(growth, point->position);
		double cost = toughness * factor * factor; // G goes with the square of K
		double release = share * point->energyRelease;
		crack->largestG = fmax(crack->largestG, release);
		bool isTired = brDDistance(point->position, crack->start) > growth->reach;
		if (!growIsLive(crack, point) || isTired || !(release > cost))
		{
			continue;
		}
		double length = step * sqrt(1.0 - cost / release);
		// The integral around a front close to the surface reaches outside and its angle is noise: such a front goes straight out.
		bool isLeaving = growIsLeaving(growth, point);
		double kink = isLeaving ? 0.0 : fmax(-GROW_TURN, fmin(GROW_TURN, point->kinkAngle));
		length = isLeaving ? step : length;
		brDVec3 way = brDAdd(brDMul(brCos(kink), point->forward), brDMul(brSin(kink), point->normal));
		wants[i] = brDMul(fmax(length, 0.3 * step), way);
		growing += 1;
	}
	return growing;
}

static bool growIsMoving(brDVec3 want)
{
	return brDDot(want, want) > 0.0;
}

// Neighbor of i in a chain of points [first, last]; at the ends of an open one itself.
static int32_t growNeighbor(int32_t i, int32_t by, bool isClosed, int32_t first, int32_t last)
{
	int32_t j = i + by;
	bool isBeyond = j < first || j > last;
	return !isBeyond ? j : !isClosed ? i : by > 0 ? first : last;
}

// Is there a front edge between the ends of a chain?
static bool growIsClosed(const brGrowingCrack* crack, int32_t a, int32_t b)
{
	for (int32_t i = 0; i < crack->front.count; ++i)
	{
		brCrackEdge edge = crack->front.data[i];
		if ((edge.a == a && edge.b == b) || (edge.a == b && edge.b == a))
		{
			return true;
		}
	}
	return false;
}

// Evens out the wishes of one chain and takes points outside along.
static void growEven(const brGrowingCrack* crack, const brCrackFrontPoint* points, brDVec3* wants, brDVec3* scratch,
					 int32_t first, int32_t last, bool isClosed)
{
	for (int32_t pass = 0; pass < 4; ++pass)
	{
		for (int32_t i = first; i <= last; ++i)
		{
			int32_t before = growNeighbor(i, -1, isClosed, first, last);
			int32_t after = growNeighbor(i, 1, isClosed, first, last);
			brDVec3 a = wants[before], b = wants[after];
			scratch[i] = wants[i];
			bool isOutside = !points[i].isInside && crack->states.data[points[i].vertex] == br_frontRuns;
			if (pass < 2 && growIsMoving(wants[i]) && growIsMoving(a) && growIsMoving(b))
			{
				scratch[i] = brDAdd(brDMul(0.5, wants[i]), brDMul(0.25, brDAdd(a, b)));
			}
			else if (pass >= 2 && isOutside && !growIsMoving(wants[i]) && (growIsMoving(a) || growIsMoving(b)))
			{
				brDVec3 along = growIsMoving(a) && growIsMoving(b) ? brDMul(0.5, brDAdd(a, b))
								: growIsMoving(a)                  ? a
																   : b;
				scratch[i] = along;
			}
		}
		memcpy(wants + first, scratch + first, (size_t)(last - first + 1) * sizeof(brDVec3));
	}
}

double brCrackGrowth_WayToCrack(const brCrackGrowth* growth, int32_t index, const brCrackFrontPoint* point,
								brDVec3 want)
{
	brDVec3 end = brDMulAdd(point->position, GROW_LOOK, want);
	double first = INFINITY;
	for (int32_t k = 0; k < growth->cracks.count; ++k)
	{
		int32_t own = k == index ? point->vertex : -1;
		first = fmin(first, GROW_LOOK * brGrowingCrack_Crossing(&growth->cracks.data[k], point->position, end, own));
	}
	return first;
}

// A front that would run into a crack, another or its own, ends a little beyond it.
static void growStopAtOthers(brCrackGrowth* growth, int32_t index, const brCrackFrontPoint* points, int32_t count,
							 const uint8_t* isGuided, brDVec3* wants)
{
	brGrowingCrack* crack = &growth->cracks.data[index];
	for (int32_t i = 0; i < count; ++i)
	{
		double way = growIsMoving(wants[i]) && isGuided[i] == 0
						 ? brCrackGrowth_WayToCrack(growth, index, &points[i], wants[i])
						 : INFINITY;
		if (way < INFINITY)
		{
			double length = brDLength(wants[i]);
			wants[i] = brDMul(way + BR_CRACK_PAST * growth->edge / length, wants[i]);
			crack->states.data[points[i].vertex] = br_frontMet; // its successor inherits that
		}
	}
}

// Lines that have been outside for long enough stop.
static void growAge(brGrowingCrack* crack, const brCrackFrontPoint* points, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t vertex = points[i].vertex;
		uint8_t age = points[i].isInside ? 0 : (uint8_t)(crack->outside.data[vertex] + 1);
		crack->outside.data[vertex] = age;
		if (age >= GROW_OUTSIDE && crack->states.data[vertex] == br_frontRuns)
		{
			crack->states.data[vertex] = br_frontLeft;
		}
	}
}

// A front that is driven much harder than it needs, far from where it last did so, branches: half a disk opens ahead of its hardest pulled point, away from
// where the front itself turns. Both go on by the same rules.
static brResult growBranch(brCrackGrowth* growth, int32_t index, const brCrackFrontPoint* points, const brDVec3* wants,
						   int32_t count, brReport* report)
{
	brGrowingCrack* crack = &growth->cracks.data[index];
	double cost = brMaterial_GetFractureEnergy(&growth->def->material), limit = growth->def->branching * cost;
	bool isAllowed = limit > 0.0 && growth->cracks.count < growth->def->maxCracks &&
					 cost * growth->stats->area < GROW_BRANCH_SPENT * growth->available;
	int32_t best = -1;
	for (int32_t i = 0; i < count && isAllowed; ++i)
	{
		bool isFar = brDDistance(points[i].position, crack->lastBranch) > GROW_BRANCH_APART * growth->edge;
		if (points[i].energyRelease > limit && isFar && growIsMoving(wants[i]) && points[i].isInside &&
			!growIsLeaving(growth, &points[i]))
		{
			limit = points[i].energyRelease;
			best = i;
		}
	}
	if (best < 0)
	{
		return br_success;
	}
	const brCrackFrontPoint* point = &points[best];
	double angle = point->kinkAngle > 0.0 ? -GROW_BRANCH_ANGLE : GROW_BRANCH_ANGLE;
	double c = brCos(angle), s = brSin(angle), h = growth->edge;
	brDVec3 way = brDAdd(brDMul(c, point->forward), brDMul(s, point->normal));
	brDVec3 normal = brDSub(brDMul(c, point->normal), brDMul(s, point->forward));
	brGrowingCrack branch;
	brResult result =
		brGrowingCrack_StartBranch(&growth->allocator, &branch, brDMulAdd(point->position, -GROW_BRANCH_BACK * h, way),
								   way, normal, GROW_BRANCH_SIZE * h, crack->spacing, report);
	branch.branchOf = index;
	crack->lastBranch = point->position;
	if (result >= 0 && !BR_PUSH(&growth->allocator, &growth->cracks, branch))
	{
		brGrowingCrack_Free(&growth->allocator, &branch);
		result = brFailMemory(report);
	}
	return result;
}

static brResult growFront(brCrackGrowth* growth, int32_t index, brReport* report)
{
	brGrowingCrack* crack = &growth->cracks.data[index];
	const brAllocator* allocator = &growth->allocator;
	int32_t capacity = crack->front.count + 16, count = 0;
	capacity = capacity < growMostFront ? capacity : growMostFront;
	int32_t vertexCount = crack->positions.count;
	brCrackFrontPoint* points = BR_ALLOC(allocator, brCrackFrontPoint, capacity);
	brDVec3* wants = BR_ALLOC(allocator, brDVec3, 2 * (int64_t)capacity);
	brDVec3* moves = BR_ALLOC_ZERO(allocator, brDVec3, vertexCount);
	uint8_t* isGuided = BR_ALLOC_ZERO(allocator, uint8_t, capacity);
	brResult result =
		points != NULL && wants != NULL && moves != NULL && isGuided != NULL ? br_success : brFailMemory(report);
	if (result >= 0)
	{
		result = brElasticBody_ComputeFrontPoints(growth->body, growth->context, index, NULL, capacity, points, &count,
												  report);
		count = count < capacity ? count : capacity;
	}
	if (result >= 0)
	{
		int32_t growing = growWant(growth, index, points, count, wants);
		crack->isGrowing = growing > 0;
		for (int32_t first = 0; first < count && growing > 0;)
		{
			int32_t last = first;
			while (last + 1 < count && points[last + 1].chain == points[first].chain)
			{
				last += 1;
			}
			bool isClosed = last > first + 1 && growIsClosed(crack, points[first].vertex, points[last].vertex);
			growEven(crack, points, wants, wants + capacity, first, last, isClosed);
			if (growth->fills != NULL)
			{
				brCrackGrowth_GuideWalls(growth, index, points + first, last - first + 1, isClosed, isGuided + first,
										 wants + first);
			}
			first = last + 1;
		}
		if (growing > 0)
		{
			growStopAtOthers(growth, index, points, count, isGuided, wants);
			growAge(crack, points, count);
			for (int32_t i = 0; i < count; ++i)
			{
				moves[points[i].vertex] = wants[i];
			}
			result = brGrowingCrack_Extend(allocator, crack, moves) ? br_success : brFailMemory(report);
			result = result >= 0 ? growBranch(growth, index, points, wants, count, report) : result;
		}
	}
	if (isGuided != NULL)
	{
		BR_FREE(allocator, isGuided, capacity);
	}
	if (moves != NULL)
	{
		BR_FREE(allocator, moves, vertexCount);
	}
	if (wants != NULL)
	{
		BR_FREE(allocator, wants, 2 * (int64_t)capacity);
	}
	if (points != NULL)
	{
		BR_FREE(allocator, points, capacity);
	}
	return result;
}

static brResult growSolve(brCrackGrowth* growth, brReport* report)
{
	int64_t start = brClockNanoseconds();
	brCrackSurface* views = BR_ALLOC(&growth->allocator, brCrackSurface, growth->cracks.count);
	if (views == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < growth->cracks.count; ++i)
	{
		views[i] = brGrowingCrack_View(&growth->cracks.data[i]);
	}
	brResult result = brElasticBody_SetCracks(growth->body, growth->context, views, growth->cracks.count, report);
	BR_FREE(&growth->allocator, views, growth->cracks.count);
	if (result < 0)
	{
		return result;
	}
	brElasticLoad load = brDefaultElasticLoad();
	load.forceCount = growth->load.nodes.count;
	load.forceNodes = growth->load.nodes.data;
	load.forces = growth->load.forces.data;
	brElasticSolveDef solve = brDefaultElasticSolveDef();
	solve.tolerance = GROW_TOLERANCE;
	solve.enableWarmStart = growth->stats->solves > 0;
	brElasticStats stats;
	result = brElasticBody_Solve(growth->body, growth->context, &load, &solve, &stats, report);
	growth->stats->solves += 1;
	growth->stats->residual = result >= 0 ? fmax(growth->stats->residual, stats.residual) : growth->stats->residual;
	growth->stats->solveSeconds += brSecondsSince(start);
	if (result >= 0 && growth->def->watch != NULL)
	{
		growth->def->watch(growth->body, growth->stats->solves - 1, growth->def->watchUser);
	}
	return result;
}

// Of all cracks, as far as they are in the solid.
static double growArea(const brCrackGrowth* growth)
{
	double area = 0.0;
	for (int32_t i = 0; i < growth->cracks.count; ++i)
	{
		const brGrowingCrack* crack = &growth->cracks.data[i];
		for (int32_t t = 0; t < crack->triangles.count; ++t)
		{
			const int32_t* v = crack->triangles.data[t].v;
			brDVec3 a = crack->positions.data[v[0]], b = crack->positions.data[v[1]], c = crack->positions.data[v[2]];
			brDVec3 middle = brDMul(1.0 / 3.0, brDAdd(a, brDAdd(b, c)));
			area += brCrackGrowth_FillAt(growth, middle) * 0.5 * brDLength(brDCross(brDSub(b, a), brDSub(c, a)));
		}
	}
	return area;
}

static brResult growPrepare(brCrackGrowth* growth, brReport* report)
{
	const brCrackDef* def = growth->def;
	const brTetMesh* tets = growth->tets;
	brResult prepared = brCreateTetLocator(growth->context, tets, &growth->locator, report);
	prepared = prepared >= 0 ? brCrackGrowth_PrepareStart(growth, report) : prepared;
	if (prepared < 0)
	{
		return prepared;
	}
	brElasticDef elastic = brDefaultElasticDef();
	elastic.mesh = tets;
	elastic.youngsModulus = def->material.youngsModulus;
	elastic.poissonRatio = def->material.poissonRatio;
	elastic.density = def->material.density;
	elastic.stiffnesses = growth->fills;
	elastic.isFill = growth->fills != NULL;
	brResult result = brCreateElasticBody(growth->context, &elastic, &growth->body, report);
	if (result >= 0 && growth->load.fixedNodes.count > 0)
	{
		result = brElasticBody_SetSupports(growth->body, growth->context, growth->load.fixedNodes.data,
										   growth->load.fixedAxes.data, NULL, growth->load.fixedNodes.count, report);
	}
	double sound = sqrt(def->material.youngsModulus / def->material.density);
	growth->reach = growth->load.contactTime > 0.0 ? GROW_MOTT * sound * growth->load.contactTime : INFINITY;
	growth->available = def->energy > 0.0 ? def->energy : growth->load.energy;
	return result;
}

brResult brCrackGrowth_Run(brCrackGrowth* growth, brReport* report)
{
	brResult result = growPrepare(growth, report);
	double cost = brMaterial_GetFractureEnergy(&growth->def->material);
	for (int32_t step = 0; result >= 0 && step < growth->def->maxSteps; ++step)
	{
		if (brIsCanceled(growth->context, 0.1 + 0.8 * step / growth->def->maxSteps))
		{
			return brFail(report, br_errorCanceled, "canceled while cracks grew");
		}
		result = growSolve(growth, report);
		int64_t start = brClockNanoseconds();
		int32_t before = growth->cracks.count;
		for (int32_t i = 0; i < before && result >= 0; ++i)
		{
			// One that rested may be pulled again now that others have grown.
			result = growFront(growth, i, report);
		}
		if (result >= 0)
		{
			result = brCrackGrowth_Start(growth, report);
		}
		bool isGrowing = growth->cracks.count > before;
		for (int32_t i = 0; i < growth->cracks.count; ++i)
		{
			isGrowing = isGrowing || growth->cracks.data[i].isGrowing;
		}
		growth->stats->steps = step + 1;
		growth->stats->growSeconds += brSecondsSince(start);
		growth->stats->area = growArea(growth);
		if (!isGrowing || cost * growth->stats->area > growth->available)
		{
			break;
		}
	}
	return result >= 0 && growth->cracks.count > 0 ? brCrackGrowth_Finish(growth, report) : result;
}

void brCrackGrowth_Free(brCrackGrowth* growth)
{
	const brAllocator* allocator = &growth->allocator;
	brDestroyElasticBody(growth->body);
	brDestroyTetLocator(growth->locator);
	for (int32_t i = 0; i < growth->cracks.count; ++i)
	{
		brGrowingCrack_Free(allocator, &growth->cracks.data[i]);
	}
	BR_FREE_ARRAY(allocator, &growth->cracks);
	if (growth->pieces != NULL)
	{
		BR_FREE(allocator, growth->pieces, growth->pieceCapacity);
	}
	if (growth->strengths != NULL)
	{
		BR_FREE(allocator, growth->strengths, growth->tets->tetCount);
	}
	if (growth->nodeStress != NULL)
	{
		BR_FREE(allocator, growth->nodeStress, growth->tets->nodeCount);
	}
	if (growth->wallNormals != NULL)
	{
		BR_FREE(allocator, growth->wallNormals, growth->tets->tetCount);
	}
	if (growth->wallSpreads != NULL)
	{
		BR_FREE(allocator, growth->wallSpreads, growth->tets->tetCount);
	}
	if (growth->wallMoments != NULL)
	{
		BR_FREE(allocator, growth->wallMoments, growth->tets->nodeCount);
	}
	if (growth->nodeVolumes != NULL)
	{
		BR_FREE(allocator, growth->nodeVolumes, growth->tets->nodeCount);
	}
	brCrackLoad_Free(allocator, &growth->load);
}
