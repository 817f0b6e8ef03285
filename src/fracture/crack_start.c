// SPDX-License-Identifier: MIT

// Where and when cracks start.
//
// Strength (Weibull 1939). The solid is divided into cubes in the axes of the body. Each draws the strength of a
// specimen; it fails when the load brings it to that by its own stress and volume: stress_eq = (sum of stress^m dV /
// V_0)^(1/m). The weakest of all cubes then fails as a body of this volume in this field does on the mean, however
// large the cubes are and however fine the lattice is. V_0 is the volume that a specimen of the strength test stresses
// (brMaterial.specimenVolume). Blows find material stronger (brDynamicFactor), as the impact model says too.
//
// Where a blow has been judged already, the first crack starts where that judge saw the worst stress: the lattice is
// too coarse for what is thin and sticks out, and knows nothing near the hit.
//
// Size. The first crack is the worst flaw of the body: it needs stress alone, and is as large as the flaw that has this
// strength, a = pi / 4 (K_c / s)^2, as far as the lattice can show it. Any other must pay for its disk at once
// (Leguillon 2002): with K = 2 s sqrt(a / pi), 1.12 for the surface, and the mean of G over its growth, it opens at
// 1.09 K_c / (2 s sqrt(a / pi)). Its radius is that which needs the least load of a few; a large one must lie in
// tension all over. Without this tough stuff is full of disks before one of them can grow.

#include "fracture/crack_grow.h"

#include "base/hash.h"
#include "base/report.h"
#include "fracture/impact_model.h"
#include "math/power.h"
#include "math/rotation.h"

#include <string.h>

enum
{
	startSizes = 5,     // of disks that are looked at
	startRounds = 6,    // of climbing to the middle of the tension
	startTurns = 45,    // of a disk that starts in an inner corner
	startHalvings = 14, // of the range of pressures
	startNewton = 8,    // steps: 1e-5 at a double root, where they only halve the error; all digits elsewhere
};

#define START_CRUSHED 1e-6       // of its strength: below it nothing is pressed
#define START_CRUSHED_SHARE 0.01 // of the volume
#define START_DISK 1.5           // radius of the smallest new crack in grain lengths
#define START_LARGEST 4.0        // times the smallest
#define START_SLIMMEST 3.0       // times the G of a whole disk that part of one may have
#define START_SPACING 0.8        // of front points in edges
#define START_THIN_SPACING 0.4   // of those in walls in whole tets: only a few are in the wall
#define START_ALONG 0.7          // cosine between stress and the normal of a wall from which on it is across the wall
#define START_LEVEL 0.05         // cosine below which a normal is across an axis
#define START_CORNER 1.5         // grain lengths to an inner corner: what is tense so near to it is so by the corner
#define START_AIM                                                                                                      \
	(2.0 / 3.0)             // of its radius: looks at that and at half of it are in the middle of the disk on the mean
#define START_APART 2.5     // from older cracks in grain lengths
#define START_AHEAD 5.0     // grain lengths around a front
#define START_CELL 2.0      // side of a Weibull cell in grain lengths
#define START_BESIDE 1.5    // times the loaded spot: nearer to the load nothing starts
#define START_HELD 1.5      // grain lengths from held nodes
#define START_WORTH 0.25    // of the highest tension: what is below adds nothing to a hazard
#define START_SHARPNESS 8.0 // power of the tension in that: 8 % less of it halve the weight of a place
#define START_RELEASE 1.09  // see above

// Volume that the test of strength stresses evenly: by default in a plate 360 mm wide and 6 mm thick, bent by four
// rolls, the inner ones 200 mm apart (EN 1288-3). [m^3]
static double startSpecimen(const brMaterial* material)
{
	double plate = 0.36 * 0.2 * 0.006 / (2.0 * (material->weibullModulus + 1.0));
	return material->specimenVolume > 0.0 ? material->specimenVolume : plate;
}

// Cells

typedef struct StartKey
{
	int64_t at[3];
} StartKey;

static StartKey startKey(const brCrackGrowth* growth, int32_t tet)
{
	double side = START_CELL * growth->grainLength;
	if (!(side > 0.0))
	{
		return (StartKey){{0, 0, 0}}; // no length: all tets are one cell
	}
	brDVec3 r = brDSub(brTetCenter(growth->tets, tet), growth->origin);
	const brMat3* axes = &growth->frame;
	return (StartKey){{(int64_t)floor(brDDot(axes->cx, r) / side), (int64_t)floor(brDDot(axes->cy, r) / side),
					   (int64_t)floor(brDDot(axes->cz, r) / side)}};
}

// Numbers the cells in order of their first tet, by an open table of keys.
static void startNumberCells(brCrackGrowth* growth, StartKey* keys, int32_t* table, int32_t tableSize)
{
	memset(table, 0xff, (size_t)tableSize * sizeof(int32_t));
	const brCrackDef* def = growth->def;
	for (int32_t t = 0; t < growth->tets->tetCount; ++t)
	{
		StartKey key = startKey(growth, t);
		uint64_t hash = brHashNumbers(brHash64(def->seed + 1), &key, 3, sizeof(int64_t));
		uint32_t slot = (uint32_t)hash & (uint32_t)(tableSize - 1);
		while (table[slot] >= 0 && memcmp(&keys[table[slot]], &key, sizeof(key)) != 0)
		{
			slot = (slot + 1) & (uint32_t)(tableSize - 1);
		}
		if (table[slot] < 0)
		{
			keys[growth->cellCount] = key;
			growth->cells[growth->cellCount].strength = brMaterial_SampleStrength(&def->material, hash);
			table[slot] = growth->cellCount++;
		}
		growth->cellOfTet[t] = table[slot];
	}
}

static brResult startMakeCells(brCrackGrowth* growth, brReport* report)
{
	const brAllocator* allocator = &growth->allocator;
	int32_t count = growth->tets->tetCount, tableSize = 2;
	while (tableSize < 2 * count)
	{
		tableSize *= 2;
	}
	growth->cells = BR_ALLOC_ZERO(allocator, brStrengthCell, count);
	growth->cellOfTet = BR_ALLOC(allocator, int32_t, count);
	StartKey* keys = BR_ALLOC(allocator, StartKey, count);
	int32_t* table = BR_ALLOC(allocator, int32_t, tableSize);
	bool isGood = growth->cells != NULL && growth->cellOfTet != NULL && keys != NULL && table != NULL;
	if (isGood)
	{
		startNumberCells(growth, keys, table, tableSize);
	}
	BR_FREE(allocator, table, tableSize);
	BR_FREE(allocator, keys, count);
	return isGood ? br_success : brFailMemory(report);
}

static double startLineDistance(const brDVec3 line[2], brDVec3 point)
{
	brDVec3 along = brDSub(line[1], line[0]), offset = brDSub(point, line[0]);
	double square = brDDot(along, along), at = square > 0.0 ? brDDot(offset, along) / square : 0.0;
	return brDDistance(point, brDMulAdd(line[0], fmax(0.0, fmin(1.0, at)), along));
}

// Stress beside a load or a support is that of the lattice, not of the body.
static void startMarkLoaded(brCrackGrowth* growth)
{
	const brCrackDef* def = growth->def;
	const brTetMesh* tets = growth->tets;
	double beside = START_BESIDE * growth->load.spot, held = START_HELD * growth->grainLength;
	bool isHit = brDDot(def->impulse, def->impulse) > 0.0;
	for (int32_t t = 0; t < tets->tetCount; ++t)
	{
		brDVec3 center = brTetCenter(tets, t);
		bool isLoaded = isHit && brDDistance(center, def->hit) < beside;
		for (int32_t i = 0; i < def->forceCount && !isLoaded; ++i)
		{
			isLoaded = brDDistance(center, def->forces[i].point) < beside;
		}
		for (int32_t i = 0; i < def->supportCount && !isLoaded; ++i)
		{
			isLoaded = def->supports[i].isRoller && startLineDistance(def->supports[i].line, center) < beside;
		}
		for (int32_t i = 0; i < growth->load.fixedNodes.count && !isLoaded; ++i)
		{
			isLoaded = brDDistance(center, tets->nodes[growth->load.fixedNodes.data[i]]) < held;
		}
		growth->isBarred[t] = isLoaded ? 1 : 0;
	}
}

brResult brCrackGrowth_PrepareStart(brCrackGrowth* growth, brReport* report)
{
	const brTetMesh* tets = growth->tets;
	const brCrackDef* def = growth->def;
	growth->isBarred = BR_ALLOC_ZERO(&growth->allocator, uint8_t, tets->tetCount);
	growth->factors = def->strength != NULL ? BR_ALLOC(&growth->allocator, double, tets->tetCount) : NULL;
	if (growth->isBarred == NULL || (def->strength != NULL && growth->factors == NULL))
	{
		return brFailMemory(report);
	}
	for (int32_t t = 0; t < tets->tetCount && def->strength != NULL; ++t)
	{
		growth->factors[t] = def->strength(brTetCenter(tets, t), def->strengthUser);
	}
	growth->rateFactor = growth->load.contactTime > 0.0 ? brDynamicFactor(&def->material) : 1.0;
	if (growth->fills == NULL)
	{
		startMarkLoaded(growth);
	}
	return startMakeCells(growth, report);
}

// Hazards

// The largest principal stress, 0 if there is only pressure. Newton from above finds the largest root of the deviator's
// cubic t^3 - p t - q, three real ones; it is asked for at every node and a dozen times faster than all axes.
static double startTension(const brStress* s)
{
	double mean = (s->xx + s->yy + s->zz) / 3.0, x = s->xx - mean, y = s->yy - mean, z = s->zz - mean;
	double p = 0.5 * (x * x + y * y + z * z) + s->xy * s->xy + s->xz * s->xz + s->yz * s->yz;
	double q = x * (y * z - s->yz * s->yz) - s->xy * (s->xy * z - s->yz * s->xz) + s->xz * (s->xy * s->yz - y * s->xz);
	double t = 2.0 * sqrt(p / 3.0);
	for (int i = 0; i < startNewton; ++i)
	{
		double slope = 3.0 * t * t - p;
		t -= slope > 0.0 ? (t * (t * t - p) - q) / slope : 0.0;
	}
	return fmax(mean + t, 0.0);
}

// Integral of (stress / unit)^m over a tet, stress linear in it.
static double startHazardOfTet(const brCrackGrowth* growth, int32_t tet, double unit, double modulus)
{
	double sum = 0.0;
	for (int32_t g = 0; g < 4; ++g)
	{
		double weights[4] = {0.13819660112501051, 0.13819660112501051, 0.13819660112501051, 0.13819660112501051};
		weights[g] = 0.58541019662496845;
		brStress stress = brCrackGrowth_StressIn(growth, tet, weights);
		sum += 0.25 * brPower(startTension(&stress) / unit, modulus);
	}
	return sum * brTetVolume(growth->tets, tet);
}

// The same across a wall: stress is linear over the thickness, from `high` on one face to 2 mean - high on the other.
static double startHazardOfWall(const brCrackGrowth* growth, int32_t tet, double unit, double modulus)
{
	brStress face = brCrackGrowth_StressIn(growth, tet, NULL), mean = brCrackGrowth_MeanStress(growth, tet);
	double values[3];
	brMat3 axes = brPrincipalStresses(&face, values);
	double high = values[2], low = 2.0 * brStress_Across(&mean, axes.cz) - high;
	if (!(high > 0.0))
	{
		return 0.0;
	}
	double rest = low > 0.0 ? brPower(low / high, modulus + 1.0) : 0.0;
	double share = high - low > 1e-3 * high ? (1.0 - rest) * high / ((modulus + 1.0) * (high - low)) : 1.0;
	double volume = growth->fills[tet] * brTetVolume(growth->tets, tet);
	return share * volume * brPower(high / unit, modulus);
}

typedef struct StartJob
{
	const brCrackGrowth* growth;
	double* nodeTensions; // [nodeCount]; without walls
	double* tensions;     // [tetCount] largest in each over its strength factor
	double* hazards;      // [tetCount]
	double worth;         // tension below which there is no hazard
} StartJob;

static void startNodeRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	StartJob* job = user;
	const brCrackGrowth* growth = job->growth;
	for (int32_t i = begin; i < end; ++i)
	{
		double volume = growth->nodeVolumes[i];
		job->nodeTensions[i] = volume > 0.0 ? startTension(&growth->nodeStress[i]) / volume : 0.0;
	}
}

static void startTensionRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	StartJob* job = user;
	const brCrackGrowth* growth = job->growth;
	for (int32_t t = begin; t < end; ++t)
	{
		double highest = 0.0;
		if (growth->fills != NULL && growth->isBarred[t] == 0)
		{
			brStress stress = brCrackGrowth_StressIn(growth, t, NULL);
			highest = startTension(&stress);
		}
		for (int32_t k = 0; k < 4 && growth->fills == NULL && growth->isBarred[t] == 0; ++k)
		{
			highest = fmax(highest, job->nodeTensions[growth->tets->tets[t][k]]);
		}
		job->tensions[t] = highest / (growth->factors != NULL ? growth->factors[t] : 1.0);
	}
}

static void startHazardRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	StartJob* job = user;
	const brCrackGrowth* growth = job->growth;
	const brMaterial* material = &growth->def->material;
	for (int32_t t = begin; t < end; ++t)
	{
		double unit = material->tensileStrength * (growth->factors != NULL ? growth->factors[t] : 1.0);
		job->hazards[t] = !(job->tensions[t] > job->worth) ? 0.0
						  : growth->fills != NULL ? startHazardOfWall(growth, t, unit, material->weibullModulus)
												  : startHazardOfTet(growth, t, unit, material->weibullModulus);
	}
}

// Share of the load's peak at which a cell has its strength; INFINITY without tension.
static double startNeedNow(const brCrackGrowth* growth, const brStrengthCell* cell)
{
	const brMaterial* material = &growth->def->material;
	double modulus = material->weibullModulus, stress = cell->highest;
	if (modulus > 0.0)
	{
		stress = material->tensileStrength * brPower(cell->hazard / startSpecimen(material), 1.0 / modulus);
	}
	return cell->tet >= 0 && stress > 0.0 ? growth->rateFactor * cell->strength / stress : INFINITY;
}

// What a running front adds around it does not count: it is past a flaw, and has taken the load off it, before that can
// open.
static double startCellNeed(const brCrackGrowth* growth, const brStrengthCell* cell)
{
	double need = startNeedNow(growth, cell);
	return cell->isAhead ? fmax(need, cell->restNeed) : need;
}

// Cells around points of fronts that may run.
static void startFindAhead(brCrackGrowth* growth)
{
	double reach = START_AHEAD * growth->grainLength;
	for (int32_t c = 0; c < growth->cellCount; ++c)
	{
		brStrengthCell* cell = &growth->cells[c];
		cell->isAhead = false;
		brDVec3 center = cell->tet >= 0 ? brTetCenter(growth->tets, cell->tet) : growth->origin;
		for (int32_t i = 0; i < growth->cracks.count && cell->tet >= 0; ++i)
		{
			const brGrowingCrack* crack = &growth->cracks.data[i];
			for (int32_t k = 0; k < crack->front.count && !cell->isAhead; ++k)
			{
				int32_t vertex = crack->front.data[k].a;
				brDVec3 r = brDSub(crack->positions.data[vertex], center);
				cell->isAhead = crack->states.data[vertex] == br_frontRuns && brDDot(r, r) < reach * reach;
			}
		}
	}
}

void brCrackGrowth_NoteRest(brCrackGrowth* growth)
{
	for (int32_t i = 0; i < growth->cellCount; ++i)
	{
		growth->cells[i].restNeed = startNeedNow(growth, &growth->cells[i]);
	}
}

// Whether cracks start in the middle of what is tense, not where the lattice shows the highest stress: under loads that
// are held, in solid tets.
static bool startIsEven(const brCrackGrowth* growth)
{
	return growth->fills == NULL && !(growth->load.contactTime > 0.0);
}

// Adds where a tet is and its stress to weighed sums.
static void startAddPlace(const brCrackGrowth* growth, int32_t tet, double weight, brDVec3* middle, brStress* sum)
{
	brStress stress = brCrackGrowth_MeanStress(growth, tet);
	*middle = brDMulAdd(*middle, weight, brTetCenter(growth->tets, tet));
	brStress_Add(sum, weight, &stress);
}

static void startSumCells(brCrackGrowth* growth, const StartJob* job)
{
	for (int32_t i = 0; i < growth->cellCount; ++i)
	{
		growth->cells[i] = (brStrengthCell){.strength = growth->cells[i].strength,
											.tet = -1,
											.restNeed = growth->cells[i].restNeed,
											.isAhead = growth->cells[i].isAhead};
	}
	for (int32_t t = 0; t < growth->tets->tetCount; ++t)
	{
		brStrengthCell* cell = &growth->cells[growth->cellOfTet[t]];
		cell->hazard += job->hazards[t];
		if (job->hazards[t] > 0.0 && startIsEven(growth))
		{
			startAddPlace(growth, t, job->hazards[t], &cell->middle, &cell->stress);
		}
		if (job->tensions[t] > cell->highest)
		{
			cell->highest = job->tensions[t];
			cell->tet = t;
		}
	}
}

// Before the first crack: what the user is told.
static void startTellPeak(brCrackGrowth* growth)
{
	const brCrackSource* source = &growth->source;
	if (source->stress > 0.0)
	{
		growth->stats->peakStress = source->stress;
		growth->stats->strength = source->strength;
		growth->stats->isContact = source->isContact;
		return;
	}
	double least = INFINITY;
	for (int32_t i = 0; i < growth->cellCount; ++i)
	{
		const brStrengthCell* cell = &growth->cells[i];
		double need = startCellNeed(growth, cell);
		if (need < least)
		{
			least = need;
			growth->stats->peakStress = cell->highest;
			growth->stats->strength = need * cell->highest;
		}
	}
}

// Mohr and Coulomb: crushed where the least principal stress over the compressive strength, less what the largest, if
// it presses too, has over the tensile strength, comes to 1. Pressed from all sides nothing is.
static void startTellCrushed(brCrackGrowth* growth, double* values)
{
	const brMaterial* material = &growth->def->material;
	bool isAsked = growth->fills == NULL && !(growth->load.contactTime > 0.0);
	double all = 0.0, lower = 0.0, upper = 0.0;
	for (int32_t t = 0; t < growth->tets->tetCount && isAsked; ++t)
	{
		double principal[3], factor = growth->factors != NULL ? growth->factors[t] : 1.0;
		brStress stress = brCrackGrowth_MeanStress(growth, t);
		brPrincipalStresses(&stress, principal);
		double least = fmin(principal[0], fmin(principal[1], principal[2]));
		double largest = fmax(principal[0], fmax(principal[1], principal[2]));
		double held = fmin(largest, 0.0) / material->tensileStrength - least / material->compressiveStrength;
		values[t] = growth->isBarred[t] != 0 ? 0.0 : held / factor;
		upper = fmax(upper, values[t]);
		all += brTetVolume(growth->tets, t);
	}
	// What some of the volume has: single tets scatter.
	for (int32_t pass = 0; pass < startHalvings && upper > 0.0; ++pass)
	{
		double middle = 0.5 * (lower + upper), above = 0.0;
		for (int32_t t = 0; t < growth->tets->tetCount; ++t)
		{
			above += values[t] > middle ? brTetVolume(growth->tets, t) : 0.0;
		}
		*(above > START_CRUSHED_SHARE * all ? &lower : &upper) = middle;
	}
	growth->stats->crushed = lower > START_CRUSHED ? 1.0 / lower : INFINITY;
}

// Places

typedef struct StartPlace
{
	double need;   // share of the load's peak
	double rank;   // the same for whole disks: which place is the weakest. What a lattice shows of the surface scatters
	double radius; // of the disk
	int32_t tet;
	brDVec3 center, normal;
} StartPlace;

static bool startIsFree(const brCrackGrowth* growth, brDVec3 point)
{
	for (int32_t i = 0; i < growth->cracks.count; ++i)
	{
		if (brGrowingCrack_Distance(&growth->cracks.data[i], point) < START_APART * growth->grainLength)
		{
			return false;
		}
	}
	return true;
}

// Across a new crack: the direction of the largest tension. Along a thin wall nothing opens: there it is the next one.
static brDVec3 startNormal(const brCrackGrowth* growth, int32_t tet, const brStress* stress)
{
	double values[3];
	brMat3 axes = brPrincipalStresses(stress, values);
	bool isWall = growth->fills != NULL && growth->wallSpreads[tet] > 0.0;
	brDVec3 normal = isWall && fabs(brDDot(axes.cz, growth->wallNormals[tet])) > START_ALONG ? axes.cy : axes.cz;
	// Either side would do, but a turned body is to get the same.
	double side = brDDot(normal, growth->frame.cx);
	side = fabs(side) > START_LEVEL ? side : brDDot(normal, growth->frame.cy);
	side = fabs(side) > START_LEVEL ? side : brDDot(normal, growth->frame.cz);
	return side < 0.0 ? brDNeg(normal) : normal;
}

// The tet that has a point, or without one `tet` with its middle.
static void startSetPlace(const brCrackGrowth* growth, brDVec3 center, const brStress* stress, int32_t tet,
						  StartPlace* place)
{
	brTetPoint at;
	brTetLocator_Find(growth->locator, growth->context, &center, 1, &at);
	place->tet = at.tet >= 0 ? at.tet : tet;
	place->center = at.tet >= 0 ? center : brTetCenter(growth->tets, tet);
	place->normal = startNormal(growth, place->tet, stress);
}

// Where a cell's crack would start.
static StartPlace startCenter(const brCrackGrowth* growth, const brStrengthCell* cell)
{
	static const double middle[4] = {0.25, 0.25, 0.25, 0.25};
	StartPlace place = {.tet = cell->tet};
	if (startIsEven(growth) && cell->hazard > 0.0)
	{
		startSetPlace(growth, brDMul(1.0 / cell->hazard, cell->middle), &cell->stress, cell->tet, &place);
		return place;
	}
	brStress stress = brCrackGrowth_StressIn(growth, cell->tet, middle);
	place.center = brTetCenter(growth->tets, cell->tet);
	place.normal = startNormal(growth, cell->tet, &stress);
	return place;
}

// Where strength is the same everywhere, the highest stress at a node is the luck of the lattice: from there to the
// middle of what is nearly as tense around it.
static void startClimb(const brCrackGrowth* growth, StartPlace* place)
{
	double reach = START_DISK * growth->grainLength, strength = growth->def->material.tensileStrength;
	for (int32_t round = 0; round < startRounds; ++round)
	{
		double sum = 0.0;
		brDVec3 middle = {0.0, 0.0, 0.0};
		brStress mean = {0};
		for (int32_t t = 0; t < growth->tets->tetCount; ++t)
		{
			brDVec3 r = brDSub(brTetCenter(growth->tets, t), place->center);
			if (growth->isBarred[t] != 0 || brDDot(r, r) > reach * reach)
			{
				continue;
			}
			// The stress of single tets is highest in inner corners but scatters; the fit through many is even and
			// washes corners out.
			brStress even = brCrackGrowth_MeanStress(growth, t);
			double tension = sqrt(startTension(&even) * startTension(&growth->pieces[t].stress));
			double unit = strength * (growth->factors != NULL ? growth->factors[t] : 1.0);
			double weight = brTetVolume(growth->tets, t) * brPower(tension / unit, START_SHARPNESS);
			startAddPlace(growth, t, weight, &middle, &mean);
			sum += weight;
		}
		if (!(sum > 0.0))
		{
			return;
		}
		startSetPlace(growth, brDMul(1.0 / sum, middle), &mean, place->tet, place);
	}
}

// An axis of the body that is not along the normal.
static brDVec3 startAlong(const brCrackGrowth* growth, brDVec3 normal)
{
	return fabs(brDDot(growth->frame.cx, normal)) < 0.6 ? growth->frame.cx : growth->frame.cy;
}

// Mean and least tension across a disk, as far as it lies in the solid.
static void startSampleDisk(const brCrackGrowth* growth, brDVec3 center, brDVec3 normal, double radius, double* outMean,
							double* outLeast)
{
	enum
	{
		samples = 12
	};
	brDVec3 v = brDNormalize(brDCross(normal, startAlong(growth, normal))), u = brDCross(v, normal);
	double sum = 0.0, count = 0.0, least = INFINITY;
	for (int32_t i = 0; i < 2 * samples; ++i)
	{
		double angle = 2.0 * BR_PI * i / samples, r = i < samples ? radius : 0.5 * radius;
		brDVec3 point = brDMulAdd(brDMulAdd(center, r * brCos(angle), u), r * brSin(angle), v);
		brTetPoint place;
		brTetLocator_Find(growth->locator, growth->context, &point, 1, &place);
		if (place.tet >= 0)
		{
			brStress stress = brCrackGrowth_StressIn(growth, place.tet, place.weights);
			double tension = brStress_Across(&stress, normal);
			sum += r * tension, count += r;
			least = fmin(least, tension);
		}
	}
	*outMean = count > 0.0 ? sum / count : 0.0;
	*outLeast = least;
}

// A crack near an inner corner starts in it, and goes where its disk is pulled hardest: the direction of the stress in
// the tets beside a corner is that of the lattice.
static brResult startFromCorner(const brCrackGrowth* growth, StartPlace* place, brReport* report)
{
	brDVec3 along;
	brResult result =
		brCrackGrowth_ToInnerCorner(growth, START_CORNER * growth->grainLength, &place->center, &along, report);
	if (result < 0 || !(brDDot(along, along) > 0.0))
	{
		return result;
	}
	double means[startTurns], least;
	brDVec3 x = brDAcross(along), y = brDCross(along, x);
	int32_t best = 0;
	for (int32_t i = 0; i < startTurns; ++i)
	{
		double angle = BR_PI * i / startTurns;
		brDVec3 normal = brDAdd(brDMul(brCos(angle), x), brDMul(brSin(angle), y));
		startSampleDisk(growth, place->center, normal, START_AIM * place->radius, &means[i], &least);
		best = means[i] > means[best] ? i : best;
	}
	// Between the three highest it is a parabola.
	double before = means[(best + startTurns - 1) % startTurns], after = means[(best + 1) % startTurns];
	double bend = before + after - 2.0 * means[best], shift = bend < 0.0 ? 0.5 * (before - after) / bend : 0.0;
	double angle = BR_PI * (best + shift) / startTurns;
	brDVec3 normal = brDAdd(brDMul(brCos(angle), x), brDMul(brSin(angle), y));
	place->normal = brDDot(normal, place->normal) < 0.0 ? brDNeg(normal) : normal;
	return result;
}

// How much more G a disk has for being cut off by the solid's surface: area over length of front, over that of the
// whole disk. Half a disk at a face has 1 (1.06 in truth), a strip through a plate 2 (3.1).
static double startShape(const brCrackGrowth* growth, brDVec3 center, brDVec3 normal, double radius)
{
	enum
	{
		rings = 6, // of equal area; the next is the rim
		turns = 160
	};
	brDVec3 v = brDNormalize(brDCross(normal, startAlong(growth, normal))), u = brDCross(v, normal);
	double counts[2] = {0.0, 0.0}; // in the disk, on its rim
	for (int32_t i = 0; i < (rings + 1) * turns; ++i)
	{
		bool isRim = i >= rings * turns;
		double angle = 2.0 * BR_PI * (i % turns) / turns, r = isRim ? radius : radius * sqrt((i / turns + 0.5) / rings);
		brDVec3 point = brDMulAdd(brDMulAdd(center, r * brCos(angle), u), r * brSin(angle), v);
		counts[isRim ? 1 : 0] +=
			brCrackGrowth_FillAt(growth, point) > 0.0 ? 1.0 / (isRim ? turns : rings * turns) : 0.0;
	}
	return counts[1] * START_SLIMMEST > counts[0] ? fmax(counts[0] / counts[1], 1.0) : START_SLIMMEST;
}

// The load that a cell needs for stress and energy, and the disk that needs the least.
static StartPlace startCouple(const brCrackGrowth* growth, const brStrengthCell* cell, StartPlace best,
							  double stressNeed)
{
	static const double sizes[startSizes] = {1.0, 4.0 / 3.0, 2.0, 3.0, 4.0};
	double toughness = growth->def->material.toughness * (growth->factors != NULL ? growth->factors[best.tet] : 1.0);
	double first = START_DISK * growth->grainLength;
	best.need = best.rank = INFINITY;
	best.radius = first;
	for (int32_t i = 0; i < startSizes; ++i)
	{
		double radius = sizes[i] * first, mean, least;
		startSampleDisk(growth, best.center, best.normal, radius, &mean, &least);
		double shape = startIsEven(growth) ? startShape(growth, best.center, best.normal, radius) : 1.0;
		double energyNeed = mean > 0.0 ? START_RELEASE * toughness / (2.0 * mean * sqrt(radius / BR_PI)) : INFINITY;
		double spread = i == 0 ? 1.0 : least > 0.0 ? fmax(cell->highest / least, 1.0) : INFINITY;
		best.rank = fmin(best.rank, fmax(spread * stressNeed, energyNeed));
		energyNeed /= sqrt(shape);
		double need = fmax(spread * stressNeed, energyNeed);
		if (need < best.need)
		{
			best.need = need, best.radius = radius;
		}
		if (energyNeed <= stressNeed)
		{
			break; // no larger one does better
		}
	}
	return best;
}

// The first crack of a blow that has been judged: where its stress is highest over the strength of the cell.
static StartPlace startFromSource(const brCrackGrowth* growth)
{
	const brCrackSource* source = &growth->source;
	const brMaterial* material = &growth->def->material;
	double size = material->weibullModulus > 0.0 ? 1.0 / material->weibullModulus : 0.0, highest = 0.0;
	StartPlace best = {.need = INFINITY, .radius = START_DISK * growth->grainLength, .tet = -1};
	for (int32_t i = 0; i < source->sampleCount; ++i)
	{
		const brStressSample* sample = &source->samples[i];
		brTetPoint place;
		brTetLocator_Find(growth->locator, growth->context, &sample->position, 1, &place);
		if (place.tet < 0 || !(sample->stress[0] > 0.0) ||
			brDDistance(sample->position, growth->def->hit) < source->near)
		{
			continue;
		}
		double factor = growth->factors != NULL ? growth->factors[place.tet] : 1.0;
		double strength = factor * growth->cells[growth->cellOfTet[place.tet]].strength;
		double stress = sample->stress[0] * brPower(sample->volume / startSpecimen(material), size) / strength;
		if (stress > highest)
		{
			bool isWall = growth->fills != NULL && growth->wallSpreads[place.tet] > 0.0;
			bool isAcross = isWall && fabs(brDDot(sample->axis[0], growth->wallNormals[place.tet])) > START_ALONG;
			highest = stress;
			best.need = 1.0 / source->ratio, best.tet = place.tet, best.normal = sample->axis[isAcross ? 1 : 0];
			best.center = brTetCenter(growth->tets, place.tet);
		}
	}
	return best;
}

static StartPlace startPlaceOf(const brCrackGrowth* growth, const brStrengthCell* cell)
{
	StartPlace none = {.need = INFINITY, .rank = INFINITY, .tet = -1};
	double need = startCellNeed(growth, cell), least = START_DISK * growth->grainLength;
	if (!(need < INFINITY))
	{
		return none;
	}
	StartPlace place = startCenter(growth, cell);
	place.need = place.rank = need;
	place.radius = least;
	if (!startIsFree(growth, place.center))
	{
		return none;
	}
	if (growth->fills != NULL)
	{
		return place; // in a wall a crack is a ribbon through it, whose energy the disk does not know
	}
	if (growth->cracks.count == 0)
	{
		double size = growth->def->material.toughness / (need * cell->highest);
		place.radius = fmin(fmax(0.25 * BR_PI * size * size, least), START_LARGEST * least);
		return place;
	}
	return startCouple(growth, cell, place, need);
}

// Bars the tets beside what cracks have grown since the last time.
static void startBarCracks(brCrackGrowth* growth)
{
	double apart = START_APART * growth->grainLength;
	for (int32_t i = 0; i < growth->cracks.count; ++i)
	{
		brGrowingCrack* crack = &growth->cracks.data[i];
		for (int32_t t = 0; t < growth->tets->tetCount && crack->noted < crack->positions.count; ++t)
		{
			brDVec3 center = brTetCenter(growth->tets, t);
			for (int32_t k = crack->noted; k < crack->positions.count && growth->isBarred[t] == 0; ++k)
			{
				brDVec3 r = brDSub(crack->positions.data[k], center);
				growth->isBarred[t] = brDDot(r, r) < apart * apart ? 1 : 0;
			}
		}
		crack->noted = crack->positions.count;
	}
}

static void startFindHazards(brCrackGrowth* growth, StartJob* job)
{
	startBarCracks(growth);
	int32_t count = growth->tets->tetCount;
	brWorkers* workers = growth->context != NULL ? growth->context->workers : NULL;
	if (growth->fills == NULL)
	{
		brParallelFor(workers, growth->tets->nodeCount, 512, startNodeRange, job);
	}
	brParallelFor(workers, count, 512, startTensionRange, job);
	for (int32_t t = 0; t < count; ++t)
	{
		job->worth = fmax(job->worth, START_WORTH * job->tensions[t]);
	}
	memset(job->hazards, 0, (size_t)count * sizeof(double));
	if (growth->def->material.weibullModulus > 0.0)
	{
		brParallelFor(workers, count, 512, startHazardRange, job);
	}
	startSumCells(growth, job);
	startFindAhead(growth);
}

brResult brCrackGrowth_FindStarts(brCrackGrowth* growth, brReport* report)
{
	int32_t count = growth->tets->tetCount;
	StartJob job = {.growth = growth};
	job.tensions = BR_ALLOC(&growth->allocator, double, count);
	job.hazards = BR_ALLOC(&growth->allocator, double, count);
	job.nodeTensions = BR_ALLOC(&growth->allocator, double, growth->tets->nodeCount);
	bool isGood = job.tensions != NULL && job.hazards != NULL && job.nodeTensions != NULL;
	if (isGood)
	{
		startFindHazards(growth, &job);
		if (growth->steps.count == 0)
		{
			startTellCrushed(growth, job.hazards);
		}
	}
	BR_FREE(&growth->allocator, job.tensions, count);
	BR_FREE(&growth->allocator, job.hazards, count);
	BR_FREE(&growth->allocator, job.nodeTensions, growth->tets->nodeCount);
	if (!isGood)
	{
		return brFailMemory(report);
	}
	if (growth->steps.count == 0)
	{
		startTellPeak(growth);
	}
	growth->startNeed = INFINITY;
	if (growth->cracks.count == 0 && growth->source.sampleCount > 0)
	{
		growth->startNeed = startFromSource(growth).need;
		return br_success;
	}
	bool isAllowed = growth->cracks.count < growth->def->maxCracks && !growth->def->onlyGiven;
	double rank = INFINITY;
	for (int32_t i = 0; i < growth->cellCount && isAllowed; ++i)
	{
		if (startCellNeed(growth, &growth->cells[i]) >= rank)
		{
			continue;
		}
		StartPlace place = startPlaceOf(growth, &growth->cells[i]);
		if (place.rank < rank)
		{
			rank = place.rank;
			growth->startNeed = place.need;
		}
	}
	return br_success;
}

static brResult startOpen(brCrackGrowth* growth, const StartPlace* place, brReport* report)
{
	brCrackDisk disk = {.center = place->center,
						.normal = place->normal,
						.along = startAlong(growth, place->normal),
						.radius = place->radius,
						.spacing = (growth->fills != NULL ? START_THIN_SPACING : START_SPACING) *
								   brCrackGrowth_EdgeAt(growth, place->center)};
	brGrowingCrack crack;
	brResult result = brGrowingCrack_Start(&growth->allocator, &crack, &disk, report);
	if (result < 0)
	{
		return result;
	}
	if (!BR_PUSH(&growth->allocator, &growth->cracks, crack))
	{
		brGrowingCrack_Free(&growth->allocator, &crack);
		return brFailMemory(report);
	}
	return br_success;
}

brResult brCrackGrowth_Start(brCrackGrowth* growth, brReport* report)
{
	int32_t first = growth->cracks.count, most = growth->def->maxCracks;
	bool isSlow = !(growth->load.contactTime > 0.0);
	double after = 0.0; // ranks up to this one have had their turn
	if (first == 0 && growth->source.sampleCount > 0)
	{
		StartPlace place = startFromSource(growth);
		return place.need <= growth->share ? startOpen(growth, &place, report) : br_success;
	}
	while (growth->cracks.count < most && !(isSlow && growth->cracks.count > first))
	{
		StartPlace next = {.need = INFINITY, .rank = INFINITY};
		for (int32_t i = 0; i < growth->cellCount; ++i)
		{
			double need = startCellNeed(growth, &growth->cells[i]);
			if (need > growth->share || need >= next.rank)
			{
				continue;
			}
			StartPlace place = startPlaceOf(growth, &growth->cells[i]);
			if (place.need <= growth->share && place.rank > after && place.rank < next.rank)
			{
				next = place;
			}
		}
		if (!(next.need < INFINITY))
		{
			break;
		}
		after = next.rank;
		if (startIsEven(growth) && !(growth->def->material.weibullModulus > 0.0))
		{
			startClimb(growth, &next);
		}
		brResult result = startIsEven(growth) ? startFromCorner(growth, &next, report) : br_success;
		result = result >= 0 ? startOpen(growth, &next, report) : result;
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}
