// SPDX-License-Identifier: MIT

// Griffith's rule grows a crack: front points whose energy release rate G (all three modes) beats the fracture energy
// go on, turned by the kink angle of the largest hoop stress, by a share sqrt(1 - G_c / G) of the step, as the speed of
// a running crack does. G goes with the square of the load. A front stops where it leaves the solid and where it runs
// into another crack.

#include "fracture/crack_grow.h"

#include "base/report.h"

#include <string.h>

enum
{
	growMostFront = 4096,
};

#define GROW_TURN 1.25         // most that a front turns in a step, a little more than pure sliding asks for [rad]
#define GROW_TURN_TOGETHER 2.0 // edges to either side that turn alike
#define GROW_TORN 100.0        // times what growth costs: a blow tears it
#define GROW_AHEAD 2.0         // lengths ahead of a front that must be solid for its angle to mean anything
#define GROW_LIGAMENT 0.3      // edges between a front and a surface beside it: nothing of it is in the lattice
#define GROW_LEAST 0.3         // of a step: shorter ones crumple the surface
#define GROW_LOOK 1.05         // of a step that is looked ahead for other cracks
#define GROW_OUTSIDE 2         // steps that a front goes on outside the solid
// Under a slow load a front bows until G is even along it. With a wavelength of a few edges, 10 % of G take a bow of a
// tenth of an edge: the lattice does not show it, and to first order it leaves the mean of G as it is (Rice 1985). So
// the mean over this many edges to either side decides.
#define GROW_BOW 4.0
#define GROW_BRANCH_ANGLE 0.6 // between a branch and its front's way [rad]
#define GROW_BRANCH_APART 5.0 // grain lengths from the last branch, or the start, to the next
#define GROW_BRANCH_SIZE 1.5  // radius of the half disk in edges
#define GROW_BRANCH_BACK 0.2  // edges that it reaches back over the front, so that the cut joins the two

// Whether the solid ends within a length ahead of a front point.
static bool growIsLeaving(const brCrackGrowth* growth, const brCrackFrontPoint* point, double length)
{
	return brCrackGrowth_FillAt(growth, brDMulAdd(point->position, GROW_AHEAD * length, point->forward)) == 0.0;
}

// How far it is across the crack, with its sign, through a ligament that the lattice cannot show, and out; 0: there is
// none. A front that grazes a hole breaks into it.
static double growLigament(const brCrackGrowth* growth, const brCrackFrontPoint* point)
{
	double reach = GROW_LIGAMENT * brCrackGrowth_EdgeAt(growth, point->position);
	double above = brSurfaceTree_CastRay(growth->surface, point->position, point->normal, reach, NULL);
	double below = brSurfaceTree_CastRay(growth->surface, point->position, brDNeg(point->normal), reach, NULL);
	return fmin(above, below) == INFINITY ? 0.0 : above < below ? above + reach : -(below + reach);
}

// G is for the whole of a tet, and the front is only in its solid part. Besides, walls bend as if they were as thick as
// the tets: then their G is too small by the square of the share that is solid, if they are pulled it is right. We take
// the share itself.
static double growReleaseFactor(const brCrackGrowth* growth, const brCrackFrontPoint* point)
{
	brTetPoint place;
	brTetLocator_Find(growth->locator, growth->context, &point->position, 1, &place);
	return place.tet >= 0 ? 1.0 / (brCrackGrowth_Fill(growth, place.tet) * brCrackGrowth_Fill(growth, place.tet)) : 1.0;
}

bool brGrowingCrack_IsLive(const brGrowingCrack* crack, const brCrackFrontPoint* point)
{
	return point->isInside && crack->states.data[point->vertex] == br_frontRuns;
}

// Energy set free over what growth costs, the mean of the live points within `window` of a live one.
static double growDrive(const brCrackGrowth* growth, const brGrowingCrack* crack, const brCrackFront* front, int32_t at,
						double window)
{
	const brCrackFrontPoint* middle = &front->points[at];
	if (!brGrowingCrack_IsLive(crack, middle))
	{
		return 0.0;
	}
	double sum = 0.0, count = 0.0;
	for (int32_t i = 0; i < front->count; ++i)
	{
		const brCrackFrontPoint* point = &front->points[i];
		bool isNear = i == at || (point->chain == middle->chain && brGrowingCrack_IsLive(crack, point) &&
								  brDDistance(point->position, middle->position) < window);
		if (isNear)
		{
			sum += front->drives[i] / brCrackGrowth_Cost(growth, point->position);
			count += 1.0;
		}
	}
	return sum / count;
}

brResult brCrackGrowth_Look(brCrackGrowth* growth, int32_t index, brCrackFront* front, brReport* report)
{
	const brGrowingCrack* crack = &growth->cracks.data[index];
	bool isAny = false;
	for (int32_t i = 0; i < crack->front.count && !isAny; ++i)
	{
		isAny = crack->states.data[crack->front.data[i].a] == br_frontRuns ||
				crack->states.data[crack->front.data[i].b] == br_frontRuns;
	}
	front->count = 0;
	front->highest = 0.0;
	if (!isAny)
	{
		return br_success;
	}
	front->capacity = crack->front.count + 16 < growMostFront ? crack->front.count + 16 : growMostFront;
	front->points = BR_ALLOC(&growth->allocator, brCrackFrontPoint, front->capacity);
	front->drives = BR_ALLOC(&growth->allocator, double, front->capacity);
	if (front->points == NULL || front->drives == NULL)
	{
		return brFailMemory(report);
	}
	brIntensityDef intensity = brDefaultIntensityDef();
	intensity.method = growth->def->intensity;
	brResult result = brElasticBody_ComputeFrontPoints(growth->body, growth->context, index, &intensity,
													   front->capacity, front->points, &front->count, report);
	if (result < 0)
	{
		return result;
	}
	front->count = front->count < front->capacity ? front->count : front->capacity;
	for (int32_t i = 0; i < front->count; ++i)
	{
		front->points[i].energyRelease *= growth->fills != NULL ? growReleaseFactor(growth, &front->points[i]) : 1.0;
	}
	brCrackGrowth_FindDrives(growth, index, front);
	front->edge = growth->edge;
	for (int32_t i = 0; i < front->count; ++i)
	{
		double edge = brCrackGrowth_EdgeAt(growth, front->points[i].position);
		double window = growth->load.contactTime > 0.0 ? 0.0 : GROW_BOW * edge;
		front->edge = brGrowingCrack_IsLive(crack, &front->points[i]) ? fmin(front->edge, edge) : front->edge;
		front->highest = fmax(front->highest, growDrive(growth, crack, front, i, window));
	}
	double least = brCrackGrowth_LeastRelease(growth) / brMaterial_GetFractureEnergy(&growth->def->material);
	front->highest = front->highest > least ? front->highest : 0.0;
	return br_success;
}

// Whether a live point has one beside it that is outside.
static bool growIsEnd(const brCrackFront* front, int32_t at)
{
	const brCrackFrontPoint* points = front->points;
	bool isBefore = at > 0 && points[at - 1].chain == points[at].chain && !points[at - 1].isInside;
	bool isAfter = at + 1 < front->count && points[at + 1].chain == points[at].chain && !points[at + 1].isInside;
	return isBefore || isAfter;
}

// The angle by which a point of a front turns. Under a slow load that is one of the front: the mean of those around it,
// without the ends, at which the integral reaches out of the solid.
static double growKink(const brCrackGrowth* growth, const brGrowingCrack* crack, const brCrackFront* front, int32_t at)
{
	const brCrackFrontPoint* middle = &front->points[at];
	double window = GROW_TURN_TOGETHER * brCrackGrowth_EdgeAt(growth, middle->position), sum = 0.0, count = 0.0;
	for (int32_t i = 0; i < front->count && !(growth->load.contactTime > 0.0); ++i)
	{
		const brCrackFrontPoint* point = &front->points[i];
		if (point->chain == middle->chain && brGrowingCrack_IsLive(crack, point) && !growIsEnd(front, i) &&
			brDDistance(point->position, middle->position) < window)
		{
			sum += point->kinkAngle;
			count += 1.0;
		}
	}
	double kink = count > 0.0 ? sum / count : middle->kinkAngle;
	return fmax(-GROW_TURN, fmin(GROW_TURN, kink));
}

// Where each front point wants to go. Returns how many grow.
static int32_t growWant(brCrackGrowth* growth, int32_t index, const brCrackFront* front, double share, brDVec3* wants)
{
	brGrowingCrack* crack = &growth->cracks.data[index];
	double step = growth->def->growth * growth->stepEdge;
	int32_t growing = 0;
	for (int32_t i = 0; i < front->count; ++i)
	{
		const brCrackFrontPoint* point = &front->points[i];
		wants[i] = brMakeDVec3(0.0, 0.0, 0.0);
		double cost = brCrackGrowth_Cost(growth, point->position), release = share * share * front->drives[i];
		if (!brGrowingCrack_IsLive(crack, point) || !(release > cost))
		{
			continue;
		}
		crack->largestG = fmax(crack->largestG, release);
		double length = step * sqrt(1.0 - cost / release);
		// The integral around a front close to the surface reaches outside and its angle is noise: such a front goes
		// straight out. So does one that a blow drives through the last of a part which all but hangs loose: what turns
		// it there is the part's swinging, and the finer the lattice the longer it would wander.
		bool isTorn = growth->load.contactTime > 0.0 && release > GROW_TORN * cost;
		double edge = brCrackGrowth_EdgeAt(growth, point->position);
		bool isLeaving = growIsLeaving(growth, point, isTorn ? fmax(growth->grainLength, edge) : edge);
		double kink = isLeaving ? 0.0 : growKink(growth, crack, front, i);
		length = isLeaving ? step : length;
		brDVec3 way = brDAdd(brDMul(brCos(kink), point->forward), brDMul(brSin(kink), point->normal));
		wants[i] = brDMul(fmax(length, GROW_LEAST * step), way);
		double aside = growth->load.contactTime > 0.0 || isLeaving ? 0.0 : growLigament(growth, point);
		wants[i] = aside != 0.0 ? brDMul(aside, point->normal) : wants[i];
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
			wants[i] =
				brDMul(way + BR_CRACK_PAST * brCrackGrowth_EdgeAt(growth, points[i].position) / length, wants[i]);
			crack->states.data[points[i].vertex] = br_frontMet; // its successor inherits that
		}
	}
}

// Lines of one chain that have been outside for long enough stop. A point beside one in the solid does not: it ends the
// front there, and if it stayed behind the front would hang on it.
static void growAge(brGrowingCrack* crack, const brCrackFrontPoint* points, int32_t first, int32_t last, bool isClosed)
{
	for (int32_t i = first; i <= last; ++i)
	{
		int32_t vertex = points[i].vertex;
		bool isNear = points[i].isInside || points[growNeighbor(i, -1, isClosed, first, last)].isInside ||
					  points[growNeighbor(i, 1, isClosed, first, last)].isInside;
		uint8_t age = isNear ? 0 : (uint8_t)(crack->outside.data[vertex] + 1);
		crack->outside.data[vertex] = age;
		if (age >= GROW_OUTSIDE && crack->states.data[vertex] == br_frontRuns)
		{
			crack->states.data[vertex] = br_frontLeft;
		}
	}
}

// A front that is driven much harder than it needs, far from where it last did so, branches: half a disk opens ahead of
// its hardest pulled point, away from where the front itself turns. Both go on by the same rules.
static brResult growBranch(brCrackGrowth* growth, int32_t index, const brCrackFront* front, double share,
						   const brDVec3* wants, brReport* report)
{
	brGrowingCrack* crack = &growth->cracks.data[index];
	double limit = growth->def->branching;
	if (!(limit > 0.0) || growth->cracks.count >= growth->def->maxCracks)
	{
		return br_success;
	}
	const brCrackFrontPoint* best = NULL;
	for (int32_t i = 0; i < front->count; ++i)
	{
		const brCrackFrontPoint* point = &front->points[i];
		double ratio = share * share * point->energyRelease / brCrackGrowth_Cost(growth, point->position);
		bool isFar = brDDistance(point->position, crack->lastBranch) > GROW_BRANCH_APART * growth->grainLength;
		if (ratio > limit && isFar && growIsMoving(wants[i]) && point->isInside &&
			!growIsLeaving(growth, point, brCrackGrowth_EdgeAt(growth, point->position)))
		{
			limit = ratio;
			best = point;
		}
	}
	if (best == NULL)
	{
		return br_success;
	}
	double angle = best->kinkAngle > 0.0 ? -GROW_BRANCH_ANGLE : GROW_BRANCH_ANGLE;
	double c = brCos(angle), s = brSin(angle), h = brCrackGrowth_EdgeAt(growth, best->position);
	brDVec3 way = brDAdd(brDMul(c, best->forward), brDMul(s, best->normal));
	brDVec3 normal = brDSub(brDMul(c, best->normal), brDMul(s, best->forward));
	crack->lastBranch = best->position;
	brGrowingCrack branch;
	brResult result =
		brGrowingCrack_StartBranch(&growth->allocator, &branch, brDMulAdd(best->position, -GROW_BRANCH_BACK * h, way),
								   way, normal, GROW_BRANCH_SIZE * h, crack->spacing, report);
	if (result < 0)
	{
		return result;
	}
	branch.branchOf = index;
	if (!BR_PUSH(&growth->allocator, &growth->cracks, branch))
	{
		brGrowingCrack_Free(&growth->allocator, &branch);
		return brFailMemory(report);
	}
	return br_success;
}

// Evens the wishes of each chain, leads those in walls, and ends what is outside for good.
static void growArrange(brCrackGrowth* growth, int32_t index, const brCrackFront* front, uint8_t* isGuided,
						brDVec3* wants)
{
	brGrowingCrack* crack = &growth->cracks.data[index];
	const brCrackFrontPoint* points = front->points;
	for (int32_t first = 0; first < front->count;)
	{
		int32_t last = first;
		while (last + 1 < front->count && points[last + 1].chain == points[first].chain)
		{
			last += 1;
		}
		bool isClosed = last > first + 1 && growIsClosed(crack, points[first].vertex, points[last].vertex);
		growEven(crack, points, wants, wants + front->capacity, first, last, isClosed);
		growAge(crack, points, first, last, isClosed);
		if (growth->fills != NULL)
		{
			brCrackGrowth_GuideWalls(growth, index, points + first, last - first + 1, isClosed, isGuided + first,
									 wants + first);
		}
		first = last + 1;
	}
}

brResult brCrackGrowth_Grow(brCrackGrowth* growth, int32_t index, const brCrackFront* front, double share,
							brReport* report)
{
	brGrowingCrack* crack = &growth->cracks.data[index];
	const brAllocator* allocator = &growth->allocator;
	int32_t vertexCount = crack->positions.count;
	brDVec3* wants = BR_ALLOC(allocator, brDVec3, 2 * (int64_t)front->capacity);
	brDVec3* moves = BR_ALLOC_ZERO(allocator, brDVec3, vertexCount);
	uint8_t* isGuided = BR_ALLOC_ZERO(allocator, uint8_t, front->capacity);
	brResult result = wants != NULL && moves != NULL && isGuided != NULL ? br_success : brFailMemory(report);
	crack->isGrowing = result >= 0 && growWant(growth, index, front, share, wants) > 0;
	if (crack->isGrowing)
	{
		growArrange(growth, index, front, isGuided, wants);
		growStopAtOthers(growth, index, front->points, front->count, isGuided, wants);
		for (int32_t i = 0; i < front->count; ++i)
		{
			moves[front->points[i].vertex] = wants[i];
		}
		bool isGood = brCrackGrowth_KeepKinks(growth, crack, front, wants);
		result = isGood && brGrowingCrack_Extend(allocator, crack, moves) ? br_success : brFailMemory(report);
		result = result >= 0 ? growBranch(growth, index, front, share, wants, report) : result;
	}
	BR_FREE(allocator, isGuided, front->capacity);
	BR_FREE(allocator, moves, vertexCount);
	BR_FREE(allocator, wants, 2 * (int64_t)front->capacity);
	return result;
}
