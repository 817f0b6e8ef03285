// SPDX-License-Identifier: MIT

// How hard a body is pulled by a force at one place: the Weibull mean of the greatest principal stress over all that
// lies farther from the contact than a wall is thick, from the displacements that the lattice has found.

#include "fracture/impact_model.h"

#include "base/lanes.h"
#include "math/power.h"

#include <math.h>
#include <string.h>

#define PULL_RINGS 8
#define PULL_NOTHING 1e-4 // of the greatest: smaller parts of a sum of powers are left out
#define PULL_THIN                                                                                                      \
	8.0 // edges over walls: up to here the lattice sees what bends near the hit, or so little is lost as at rims and feet
#define PULL_FROM 0.75   // walls from the contact: nearer than this nothing counts,
#define PULL_TO 1.25     // and from here on all does
#define PULL_POINT 0.325 // of a wall: a force at a point bends it as one spread over this radius (Westergaard)
#define PULL_TETS 256    // whose sums are kept until they are added up
#define PULL_PATCH 48    // points of a patch that are told apart by distance
#define PULL_PART 32     // of these, a worker's at a time
#define PULL_MOST_PARTS 4
#define PULL_ROUNDING 1e-12 // of squared distances
#define PULL_BEHIND 3.0     // walls: what is hit is bent only if the body ends nearer than this

// Volume that a test stresses evenly.
static double pullSpecimen(const brMaterial* material, double exponent)
{
	// By default a plate 360 mm wide and 6 mm thick, bent by four rolls, the inner ones 200 mm apart (EN 1288-3).
	double plate = 0.36 * 0.2 * 0.006 / (2.0 * (exponent + 1.0));
	return material->specimenVolume > 0.0 ? material->specimenVolume : plate;
}

// A spot in a ball, so that what is far from it is passed over quickly; and what one lane adds up.
typedef struct PullLane
{
	const brImpactSpot* spot;
	brDVec3 middle;
	double around;  // its radius
	double most;    // the greatest pull at the middle of any tet beyond the wall
	double nothing; // what is pulled by less than this adds nothing to a sum of powers
	double sum, nearSum, nearVolume;
} PullLane;

static PullLane pullLane(const brImpactSpot* spot)
{
	const brFlexPatch* patch = spot->patch;
	PullLane lane = {.spot = spot, .middle = patch->points[0]};
	for (int32_t i = 1; i < patch->count; ++i)
	{
		lane.middle = brDMulAdd(lane.middle, 1.0 / patch->count, brDSub(patch->points[i], patch->points[0]));
	}
	for (int32_t i = 0; i < patch->count; ++i)
	{
		double far = brDDistance(patch->points[i], lane.middle);
		lane.around = far > lane.around ? far : lane.around;
	}
	return lane;
}

// No point of the spot is nearer to a place than this.
static double pullLeastDistance(const PullLane* lane, brDVec3 p)
{
	return brDDistance(p, lane->middle) - lane->around;
}

static double pullDistanceSq(const brFlexPatch* patch, brDVec3 p)
{
	double nearest = INFINITY;
	for (int32_t i = 0; i < patch->count; ++i)
	{
		double square = brDLengthSq(brDSub(patch->points[i], p));
		nearest = square < nearest ? square : nearest;
	}
	return nearest;
}

static bool pullIsNear(const PullLane* lane, brDVec3 p, double reach)
{
	return pullLeastDistance(lane, p) < reach && pullDistanceSq(lane->spot->patch, p) < reach * reach;
}

static double pullSizeSq(const double s[6])
{
	return s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + 2.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]);
}

static double pullSize(const double s[6])
{
	return sqrt(pullSizeSq(s));
}

// What of the solid so far from the contact counts: nothing near it, all beyond about a wall; between them some, so
// that no place of a lattice decides.
static double pullCounts(const PullLane* lane, double squareFar)
{
	double far = sqrt(squareFar) / lane->spot->wall;
	return fmax(0.0, fmin(1.0, (far - PULL_FROM) / (PULL_TO - PULL_FROM)));
}

#define PULL_POINTS 27
#define PULL_ROWS 7 // of four
#define PULL_POINTS_ROOM (4 * PULL_ROWS)

// Pulls at the points of a tet.
typedef struct PullPoints
{
	double pulls[PULL_POINTS_ROOM], powers[PULL_POINTS_ROOM];
	bool isPulled; // some are above 0
} PullPoints;

// Three Gauss points along each spread.
#define PULL_G 0.7745966692414834
static const double pullPlaces[3][PULL_POINTS_ROOM] = {
	{-PULL_G, 0.0, PULL_G, -PULL_G, 0.0, PULL_G, -PULL_G, 0.0, PULL_G, -PULL_G, 0.0, PULL_G, -PULL_G, 0.0, PULL_G,
	 -PULL_G, 0.0, PULL_G, -PULL_G, 0.0, PULL_G, -PULL_G, 0.0, PULL_G, -PULL_G, 0.0, PULL_G, 0.0},
	{-PULL_G, -PULL_G, -PULL_G, 0.0, 0.0,    0.0,    PULL_G, PULL_G, PULL_G,  -PULL_G,
	 -PULL_G, -PULL_G, 0.0,     0.0, 0.0,    PULL_G, PULL_G, PULL_G, -PULL_G, -PULL_G,
	 -PULL_G, 0.0,     0.0,     0.0, PULL_G, PULL_G, PULL_G, 0.0},
	{-PULL_G, -PULL_G, -PULL_G, -PULL_G, -PULL_G, -PULL_G, -PULL_G, -PULL_G, -PULL_G, 0.0,
	 0.0,     0.0,     0.0,     0.0,     0.0,     0.0,     0.0,     0.0,     PULL_G,  PULL_G,
	 PULL_G,  PULL_G,  PULL_G,  PULL_G,  PULL_G,  PULL_G,  PULL_G,  0.0},
};

#define BR_LANES_FILE "fracture/pull_lanes.h"
#include "base/each_lanes.h"

// Sums of pull^m over a tet, `all` of it and what counts: stress is linear in it.
typedef struct PullSums
{
	double all, far;
} PullSums;

// The points of a patch that may be the nearest to a place within `radius` of p. Returns how many.
static int32_t pullNearPoints(const brFlexPatch* patch, brDVec3 p, double middle, double radius, brDVec3* out)
{
	double most = (1.0 + 1e-9) * (middle + 2.0 * radius);
	int32_t count = 0;
	for (int32_t i = 0; i < patch->count; ++i)
	{
		out[count] = patch->points[i];
		count += brDLengthSq(brDSub(patch->points[i], p)) <= most * most;
	}
	return count;
}

static PullSums pullTetSums(const brImpactModel* model, const PullLane* lane, int32_t t, const brFlexStress* stress)
{
	const brImpactSpot* spot = lane->spot;
	const brFlexModel* flex = model->flex;
	const brFlexTet* tet = &flex->tets[t];
	double exponent = model->exponent, radius = 0.0;
	static const double weights[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
	bool isWhole = exponent == floor(exponent) && exponent <= 64.0; // most exponents of Weibull are
	PullPoints points;
	PullSums sums = {0.0, 0.0};
	BR_ON_LANES(brCpu_Best() >= br_cpuAvx2, pullPoints,
				(stress, lane->nothing, 1.0 / lane->most, isWhole ? (int32_t)exponent : 0, &points));
	if (!points.isPulled)
	{
		return sums;
	}
	for (int k = 0; k < 3; ++k)
	{
		radius += flex->edge * brDLength(tet->spread[k]);
	}
	// No point of the tet is farther from its center than that.
	brDVec3 center = brFlexModel_Place(flex, tet, tet->center);
	bool isFar = pullLeastDistance(lane, center) - radius > PULL_TO * spot->wall, isNear = false;
	double squares[PULL_POINTS_ROOM];
	if (!isFar)
	{
		double middle = sqrt(pullDistanceSq(spot->patch, center));
		isFar = middle - radius > PULL_TO * spot->wall, isNear = middle + radius < PULL_FROM * spot->wall;
		if (!isFar && !isNear)
		{
			brDVec3 near[PULL_PATCH];
			brFlexPatch few = *spot->patch;
			if (few.count <= PULL_PATCH)
			{
				few = (brFlexPatch){near, NULL, pullNearPoints(spot->patch, center, middle, radius, near)};
			}
			BR_ON_LANES(brCpu_Best() >= br_cpuAvx2, pullDistances, (flex, tet, &few, points.pulls, squares));
		}
	}
	for (int k = 0; k < PULL_POINTS; ++k)
	{
		if (!(points.pulls[k] > 0.0))
		{
			continue;
		}
		double power = isWhole ? points.powers[k] : brPower(points.pulls[k], exponent), counts = isFar;
		double own = weights[k % 3] * weights[k / 3 % 3] * weights[k / 9] * tet->volume * power;
		if (!isFar && !isNear)
		{
			counts = pullCounts(lane, squares[k]);
		}
		sums.all += own;
		sums.far += counts * own;
	}
	return sums;
}

// How far behind a place of the surface the body ends; INFINITY if a line beside it misses.
static double pullBehind(const brFlexModel* flex, brDVec3 point, brDVec3 inward, double skip)
{
	double nearest = INFINITY;
	for (int32_t i = 0; i < flex->triangleCount; ++i)
	{
		// Most are farther from the line than the ball about them is large.
		const brFlexBall* ball = &flex->balls[i];
		brDVec3 to = brDSub(ball->center, point);
		double along = brDDot(to, inward), farSq = brDLengthSq(to);
		if (farSq - along * along > ball->radius * ball->radius + PULL_ROUNDING * farSq)
		{
			continue;
		}
		const brDVec3* t = flex->triangles[i];
		brDVec3 ab = brDSub(t[1], t[0]), ac = brDSub(t[2], t[0]), q = brDCross(inward, ac), s = brDSub(point, t[0]);
		double det = brDDot(ab, q), u = brDDot(s, q);
		if (!(det < 0.0) || u > 0.0 || u < det) // only where the line leaves
		{
			continue;
		}
		brDVec3 r = brDCross(s, ab);
		double v = brDDot(inward, r), far = brDDot(ac, r) / det;
		nearest = v <= 0.0 && u + v >= det && far > skip ? fmin(nearest, far) : nearest;
	}
	return nearest;
}

double brImpactAcross(const brImpactModel* model, brDVec3 point, brDVec3 inward, double wall)
{
	// Lumps do not bend.
	double slender = fmin(1.0, 0.5 * (model->size / wall - BR_IMPACT_SLENDER));
	if (!(slender > 0.0))
	{
		return 0.0;
	}
	double behind = pullBehind(model->flex, point, inward, 0.2 * wall) / wall;
	return fmax(0.0, fmin(1.0, (PULL_BEHIND - behind) / (0.5 * PULL_BEHIND))) * slender;
}

double brImpactEarlyPull(const brImpactModel* model, double wall, double mass)
{
	const brMaterial* own = &model->material;
	double nu = own->poissonRatio, m = model->exponent;
	double plate = sqrt(own->youngsModulus /
						(12.0 * (1.0 - nu * nu) * own->density)); // a bending wave spreads as (4 plate wall t)^1/2
	double impedance = 8.0 * wall * wall * own->density * plate;
	double side = sqrt(model->size * model->size * model->size / wall);
	double to = fmin(sqrt(4.0 * plate * wall * mass / impedance), 0.5 * side), from = PULL_POINT * wall;
	if (!(to > from))
	{
		return 0.0;
	}
	double steepest = brLogarithm(to / from), ratio = brPower(to / from, 1.0 / PULL_RINGS), r = from, sum = r * r;
	for (int k = 0; k < PULL_RINGS; ++k)
	{
		double outer = r * ratio;
		sum += (outer * outer - r * r) * brPower(brLogarithm(to / sqrt(r * outer)) / steepest, m);
		r = outer;
	}
	double volume = BR_PI * sum * wall / (2.0 * (m + 1.0)); // linear across the wall
	double slope = 3.0 * (1.0 + nu) / (2.0 * BR_PI * wall * wall);
	return slope * steepest * brPower(volume / pullSpecimen(own, m), 1.0 / m);
}

// Near the hit a wall is bent over less than an edge of the lattice: the pull of its face grows by 3 (1 + nu) F / (2 pi
// t^2) ln(b / r) from where the lattice spreads the force, at b, inward (a plate under a ring, Timoshenko). Adds to the
// sum of powers, scaled by `most`; `pull` is that at b.
static double pullNearSum(const brImpactModel* model, const brImpactSpot* spot, double pull, double most)
{
	double wall = spot->wall, from = fmax(wall, spot->radius), to = BR_IMPACT_SPREAD * model->flex->scale,
		   m = model->exponent, sum = 0.0;
	if (!(to > from))
	{
		return 0.0;
	}
	// Lattices that are not much wider than the wall see what bends near the hit.
	double coarse = fmin(1.0, 0.25 * (model->flex->scale / wall - PULL_THIN));
	if (!(coarse > 0.0))
	{
		return 0.0;
	}
	double slope = 3.0 * (1.0 + model->material.poissonRatio) * spot->across * coarse / (2.0 * BR_PI * wall * wall);
	double ratio = brPower(to / from, 1.0 / PULL_RINGS), r = to;
	for (int k = 0; k < PULL_RINGS; ++k)
	{
		double inner = r / ratio, middle = sqrt(r * inner), ring = BR_PI * (r * r - inner * inner);
		double stress = (pull + slope * brLogarithm(to / middle)) / most;
		sum += ring * wall / (2.0 * (m + 1.0)) * brPower(stress, m); // linear across the wall
		r = inner;
	}
	return sum;
}

// No place of a tet is pulled harder than by this and `outSlopes`: the greatest pull is a convex function of the
// stress, which is linear in it.
static double pullBound(const brFlexStress* stress, double* outSlopes)
{
	const double* s = stress->center;
	double mean = (s[0] + s[1] + s[2]) / 3.0, size = pullSizeSq(s) - 3.0 * mean * mean;
	*outSlopes = pullSize(stress->slopes[0]) + pullSize(stress->slopes[1]) + pullSize(stress->slopes[2]);
	return mean + sqrt(2.0 / 3.0 * (size > 0.0 ? size : 0.0));
}

// What a tet adds to a lane.
typedef struct PullTet
{
	double sum, nearSum, nearVolume;
} PullTet;

static PullTet pullTet(const brImpactModel* model, int32_t t, const brFlexStress* stress, const PullLane* lane)
{
	const brFlexModel* flex = model->flex;
	const brFlexTet* tet = &flex->tets[t];
	const brImpactSpot* spot = lane->spot;
	double slopes, middle = pullBound(stress, &slopes);
	if (!(lane->most > 0.0) || middle + slopes < lane->nothing)
	{
		return (PullTet){0.0, 0.0, 0.0};
	}
	brDVec3 center = brFlexModel_Place(flex, tet, tet->center);
	bool isNear = spot->across > 0.0 && pullIsNear(lane, center, fmax(flex->scale, spot->wall));
	// Its points lie no farther along the slopes than PULL_G.
	bool isPulled = middle + PULL_G * slopes > (1.0 - 1e-9) * lane->nothing;
	PullSums own = isPulled ? pullTetSums(model, lane, t, stress) : (PullSums){0.0, 0.0};
	return (PullTet){own.far, isNear ? own.all : 0.0, isNear ? tet->volume : 0.0};
}

// Tets of which workers take a part each. What they add is added up in their order.
typedef struct PullWork
{
	const brImpactModel* model;
	const PullLane* lanes;
	int32_t count, first;
	double most[PULL_MOST_PARTS][BR_FRONT_LANES];
	PullTet tets[PULL_TETS][BR_FRONT_LANES];
} PullWork;

// The greatest pull at the middle of any tet beyond the wall, of each lane.
static void pullGreatestRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	PullWork* work = user;
	const brFlexModel* flex = work->model->flex;
	for (int32_t part = begin; part < end; ++part)
	{
		double* most = work->most[part];
		int32_t first = (int32_t)((int64_t)flex->tetCount * part / PULL_MOST_PARTS);
		int32_t last = (int32_t)((int64_t)flex->tetCount * (part + 1) / PULL_MOST_PARTS);
		for (int32_t t = first; t < last; ++t)
		{
			double stress[BR_FRONT_LANES][6];
			brFlexModel_CenterStress(flex, t, stress);
			for (int32_t k = 0; k < work->count; ++k)
			{
				const PullLane* lane = &work->lanes[k];
				if (pullSizeSq(stress[k]) > most[k] * most[k])
				{
					brDVec3 center = brFlexModel_Place(flex, &flex->tets[t], flex->tets[t].center);
					double pull = brGreatestPullAbove(stress[k], most[k]);
					bool isMore = pull > most[k] && !pullIsNear(lane, center, lane->spot->wall);
					most[k] = isMore ? pull : most[k];
				}
			}
		}
	}
}

static void pullTetRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	PullWork* work = user;
	for (int32_t i = begin; i < end; ++i)
	{
		brFlexStress stress[BR_FRONT_LANES];
		brFlexModel_Stress(work->model->flex, work->first + i, stress);
		for (int32_t k = 0; k < work->count; ++k)
		{
			work->tets[i][k] = pullTet(work->model, work->first + i, &stress[k], &work->lanes[k]);
		}
	}
}

void brImpactPulls(const brImpactModel* model, brWorkers* workers, const brImpactSpot* spots, int32_t count,
				   double* out)
{
	const brFlexModel* flex = model->flex;
	double m = model->exponent;
	PullLane lanes[BR_FRONT_LANES];
	PullWork work = {.model = model, .lanes = lanes, .count = count, .most = {{0.0}}};
	for (int32_t k = 0; k < count; ++k)
	{
		lanes[k] = pullLane(&spots[k]);
	}
	brParallelFor(workers, PULL_MOST_PARTS, 1, pullGreatestRange, &work);
	for (int32_t k = 0; k < count; ++k)
	{
		for (int32_t part = 0; part < PULL_MOST_PARTS; ++part)
		{
			lanes[k].most = fmax(lanes[k].most, work.most[part][k]);
		}
		lanes[k].nothing = brPower(PULL_NOTHING, 1.0 / m) * lanes[k].most;
	}
	for (; work.first < flex->tetCount; work.first += PULL_TETS)
	{
		int32_t left = flex->tetCount - work.first, tets = left < PULL_TETS ? left : PULL_TETS;
		brParallelFor(workers, tets, PULL_PART, pullTetRange, &work);
		for (int32_t i = 0; i < tets * count; ++i)
		{
			const PullTet* own = &work.tets[i / count][i % count];
			PullLane* lane = &lanes[i % count];
			lane->sum += own->sum, lane->nearSum += own->nearSum, lane->nearVolume += own->nearVolume;
		}
	}
	for (int32_t k = 0; k < count; ++k)
	{
		const PullLane* lane = &lanes[k];
		double sum = lane->sum;
		if (lane->nearSum > 0.0)
		{
			double face = lane->most * brPower(2.0 * (m + 1.0) * lane->nearSum / lane->nearVolume, 1.0 / m);
			sum += pullNearSum(model, &spots[k], face, lane->most);
		}
		out[k] = sum > 0.0 ? lane->most * brPower(sum / pullSpecimen(&model->material, m), 1.0 / m) : 0.0;
	}
}
