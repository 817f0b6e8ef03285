// SPDX-License-Identifier: MIT

// Rankine's rule starts a crack: where the largest principal stress, averaged over neighbouring tets since a lattice resolves no less, beats
// the strength there, a disk two edges wide opens across its direction. Compression crushes by the same rule with the compressive strength, across the
// direction of least compression. A new crack keeps two edges away from old ones.
//
// The load rises while cracks run, so they never see more of it than they need. They start at the geometric mean of the load that first beats
// the strength by a fifth and the peak: hard hits start more of them. In a step each crack sees the load that drives its hardest pulled
// front at four times its toughness, or the peak if that is less; K goes with the load, G with its square.
//
// Griffith's rule grows it: front points whose energy release rate G (all three modes) beats the fracture energy go on, turned by the kink angle of
// the largest hoop stress (erratum 6), by a share sqrt(1 - G_c / G) of the step, as the speed of a running crack does. All cracks grow in the same
// step under the peak of the load. A front stops where it leaves the solid, where it runs into another crack, when it has gone as far as a
// crack can in the time of contact (0.38 of the speed of sound in a bar, Mott 1948), or when the energy is spent.

#include "fracture/crack_grow.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/report.h"

#include <string.h>

enum
{
	growMostFront = 4096,
};

#define GROW_DISK 2.0         // radius of a new crack in edges
#define GROW_SPACING 0.8      // of front points in edges
#define GROW_THIN_SPACING 0.4 // of those in walls in whole tets: only a few are in the wall
#define GROW_WALL 0.5         // tets less solid than this hold a thin wall
#define GROW_APART 2.5        // from older cracks in edges
#define GROW_ONSET 1.2        // times the strength at the start
#define GROW_DRIVE 4.0        // times the toughness at the front that is pulled hardest
#define GROW_TURN 1.25        // most that a front turns in a step, a little more than pure sliding asks for [rad]
#define GROW_AHEAD 2.0        // edges ahead of a front that must be solid for its angle to mean anything
#define GROW_OUTSIDE 2        // steps that a front goes on outside the solid
#define GROW_MOTT 0.38        // speed of cracks over that of sound
#define GROW_TOLERANCE 1e-4   // of solves: more digits leave K as it is (notes of the method)

// Weibull in cells of two edges, times what the caller says.
static double growStrengthAt(const brCrackGrowth* growth, brDVec3 point, double cell)
{
	const brCrackDef* def = growth->def;
	int64_t key[3] = {(int64_t)floor(point.x / cell), (int64_t)floor(point.y / cell), (int64_t)floor(point.z / cell)};
	uint64_t seed = brHashBytes(brHash64(def->seed + 1), key, sizeof(key));
	double factor = def->strength != NULL ? def->strength(point, def->strengthUser) : 1.0;
	return factor * brMaterial_SampleStrength(&def->material, seed);
}

static double growToughnessFactor(const brCrackGrowth* growth, brDVec3 point)
{
	const brCrackDef* def = growth->def;
	return def->strength != NULL ? def->strength(point, def->strengthUser) : 1.0;
}

static void growAddStress(brStress* sum, double weight, const brStress* stress)
{
	sum->xx += weight * stress->xx, sum->yy += weight * stress->yy, sum->zz += weight * stress->zz;
	sum->xy += weight * stress->xy, sum->xz += weight * stress->xz, sum->yz += weight * stress->yz;
}

static double growFill(const brCrackGrowth* growth, int32_t tet)
{
	return growth->fills != NULL ? growth->fills[tet] : 1.0;
}

// Share of the solid at a point; 0 outside the lattice.
static double growFillAt(const brCrackGrowth* growth, brDVec3 point)
{
	brTetPoint place;
	brTetLocator_Find(growth->context, growth->locator, &point, 1, &place);
	return place.tet >= 0 ? growFill(growth, place.tet) : 0.0;
}

// Mean stress around each node, weighted by volume.
static bool growSmooth(brCrackGrowth* growth)
{
	int32_t count = brElasticBody_PieceCount(growth->body);
	if (count > growth->pieceCapacity)
	{
		if (growth->pieces != NULL)
		{
			BR_FREE(&growth->allocator, growth->pieces, growth->pieceCapacity);
		}
		growth->pieceCapacity = count + count / 4;
		growth->pieces = BR_ALLOC(&growth->allocator, brElasticPiece, growth->pieceCapacity);
		if (growth->pieces == NULL)
		{
			growth->pieceCapacity = 0;
			return false;
		}
	}
	brElasticBody_Pieces(growth->context, growth->body, growth->pieces);
	const brTetMesh* tets = growth->tets;
	memset(growth->nodeStress, 0, (size_t)tets->nodeCount * sizeof(brStress));
	memset(growth->nodeVolumes, 0, (size_t)tets->nodeCount * sizeof(double));
	for (int32_t i = 0; i < count; ++i)
	{
		const brElasticPiece* piece = &growth->pieces[i];
		double fill = growFill(growth, piece->tet);
		for (int32_t k = 0; k < 4; ++k)
		{
			int32_t node = tets->tets[piece->tet][k];
			growAddStress(&growth->nodeStress[node], piece->volume, &piece->stress);
			growth->nodeVolumes[node] += fill * piece->volume; // only the solid part takes the stress
		}
	}
	return true;
}

// Nothing pulls at the faces of a thin wall: what stress has across it is left out, P s P with P = 1 - n n^T.
static brStress growFlatten(brStress s, brDVec3 n)
{
	brDVec3 t = {s.xx * n.x + s.xy * n.y + s.xz * n.z, s.xy * n.x + s.yy * n.y + s.yz * n.z,
				 s.xz * n.x + s.yz * n.y + s.zz * n.z};
	double across = brDDot(t, n);
	return (brStress){
		s.xx - 2.0 * t.x * n.x + across * n.x * n.x,       s.yy - 2.0 * t.y * n.y + across * n.y * n.y,
		s.zz - 2.0 * t.z * n.z + across * n.z * n.z,       s.xy - t.x * n.y - t.y * n.x + across * n.x * n.y,
		s.xz - t.x * n.z - t.z * n.x + across * n.x * n.z, s.yz - t.y * n.z - t.z * n.y + across * n.y * n.z,
	};
}

// A wall of thickness t that lies in tets of thickness h has the stress of the mean over its thickness right. Bending is what a tet has besides:
// the tets bend as if they were h thick, so for the same moment their stress is h / t too small.
static brStress growAddBending(const brCrackGrowth* growth, int32_t tet, brStress mean)
{
	double share = growFill(growth, tet);
	brStress stress = mean;
	growAddStress(&stress, 1.0 / (share * share), &growth->pieces[tet].stress);
	growAddStress(&stress, -1.0 / share, &mean);
	return share < GROW_WALL ? growFlatten(stress, growth->wallNormals[tet]) : stress;
}

static brStress growTetStress(const brCrackGrowth* growth, int32_t tet)
{
	brStress stress = {0};
	for (int32_t k = 0; k < 4; ++k)
	{
		int32_t node = growth->tets->tets[tet][k];
		double volume = growth->nodeVolumes[node];
		growAddStress(&stress, volume > 0.0 ? 0.25 / volume : 0.0, &growth->nodeStress[node]);
	}
	return growth->fills != NULL ? growAddBending(growth, tet, stress) : stress;
}

static brDVec3 growTetCenter(const brTetMesh* tets, int32_t tet)
{
	const int32_t* v = tets->tets[tet];
	return brDMul(0.25,
				  brDAdd(brDAdd(tets->nodes[v[0]], tets->nodes[v[1]]), brDAdd(tets->nodes[v[2]], tets->nodes[v[3]])));
}

static bool growIsFree(const brCrackGrowth* growth, brDVec3 point)
{
	for (int32_t i = 0; i < growth->cracks.count; ++i)
	{
		if (brGrowingCrack_Distance(&growth->cracks.data[i], point) < GROW_APART * growth->edge)
		{
			return false;
		}
	}
	return true;
}

// Tension and compression of a tet over what it holds, and the axes of both.
static double growRatio(const brCrackGrowth* growth, int32_t tet, brMat3* outAxes, double* outTension)
{
	const brMaterial* material = &growth->def->material;
	brStress stress = growTetStress(growth, tet);
	double values[3];
	*outAxes = brPrincipalStresses(&stress, values);
	*outTension = values[2];
	double strength = growth->strengths[tet];
	double crush = strength * (material->compressiveStrength / material->tensileStrength);
	return fmax(values[2] / strength, -values[0] / crush);
}

// Before there is any crack.
static void growSetOnset(brCrackGrowth* growth)
{
	double highest = 0.0;
	for (int32_t t = 0; t < growth->tets->tetCount && growth->cracks.count == 0; ++t)
	{
		brMat3 axes;
		double tension;
		highest = fmax(highest, growRatio(growth, t, &axes, &tension));
	}
	if (highest > 0.0)
	{
		growth->onset = fmin(1.0, sqrt(GROW_ONSET / highest));
	}
}

// The tet where stress beats strength by most, away from cracks; -1 if it holds everywhere. `outNormal` is across the new crack.
static int32_t growFindStart(brCrackGrowth* growth, brDVec3* outNormal)
{
	int32_t best = -1;
	double highest = 0.0, peak = 0.0;
	growSetOnset(growth);
	for (int32_t t = 0; t < growth->tets->tetCount; ++t)
	{
		brMat3 axes;
		double tension;
		double ratio = growth->onset * growRatio(growth, t, &axes, &tension);
		if (growth->cracks.count == 0 && tension > peak)
		{
			peak = tension;
			growth->stats->peakStress = peak;
			growth->stats->strength = growth->strengths[t];
		}
		if (ratio >= 1.0 && ratio > highest && growIsFree(growth, growTetCenter(growth->tets, t)))
		{
			highest = ratio;
			best = t;
			*outNormal = axes.cz; // of the largest: the tension, or the least compression
		}
	}
	return best;
}

static brResult growStart(brCrackGrowth* growth, brReport* report)
{
	brDVec3 normal;
	int32_t tet = growth->cracks.count < growth->def->mostCracks ? growFindStart(growth, &normal) : -1;
	if (tet < 0)
	{
		return br_success;
	}
	brGrowingCrack crack;
	double spacing = (growth->fills != NULL ? GROW_THIN_SPACING : GROW_SPACING) * growth->edge;
	brResult result = brGrowingCrack_Start(&growth->allocator, &crack, growTetCenter(growth->tets, tet), normal,
										   GROW_DISK * growth->edge, spacing, report);
	if (result >= 0 && !BR_PUSH(&growth->allocator, &growth->cracks, crack))
	{
		brGrowingCrack_Free(&growth->allocator, &crack);
		result = brFailMemory(report);
	}
	return result;
}

// Whether the solid ends within the reach of the integral ahead of a front point.
static bool growIsLeaving(const brCrackGrowth* growth, const brFrontPoint* point)
{
	return growFillAt(growth, brDMulAdd(point->position, GROW_AHEAD * growth->edge, point->forward)) == 0.0;
}

// G is for the whole of a tet, and the front is only in its solid part. Besides, walls bend as if they were as thick as the tets: then their G is too
// small by the square of the share that is solid, if they are pulled it is right. We take the share itself.
static double growReleaseFactor(const brCrackGrowth* growth, const brFrontPoint* point)
{
	brTetPoint place;
	brTetLocator_Find(growth->context, growth->locator, &point->position, 1, &place);
	return place.tet >= 0 ? 1.0 / (growFill(growth, place.tet) * growFill(growth, place.tet)) : 1.0;
}

// Where each front point wants to go. Points outside go along with the nearest ones inside, so that the crack passes the surface whole.
static int32_t growWant(brCrackGrowth* growth, int32_t index, brFrontPoint* points, int32_t count, brDVec3* wants)
{
	brGrowingCrack* crack = &growth->cracks.data[index];
	double toughness = brMaterial_FractureEnergy(&growth->def->material);
	double step = growth->def->growth * growth->edge;
	int32_t growing = 0;
	double hardest = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		points[i].energyRelease *= growth->fills != NULL ? growReleaseFactor(growth, &points[i]) : 1.0;
		hardest = fmax(hardest, points[i].energyRelease);
	}
	// Of G at the peak of the load.
	double share = hardest > GROW_DRIVE * toughness ? GROW_DRIVE * toughness / hardest : 1.0;
	for (int32_t i = 0; i < count; ++i)
	{
		const brFrontPoint* point = &points[i];
		wants[i] = brMakeDVec3(0.0, 0.0, 0.0);
		double factor = growToughnessFactor(growth, point->position);
		double cost = toughness * factor * factor; // G goes with the square of K
		double release = share * point->energyRelease;
		crack->largestG = fmax(crack->largestG, release);
		bool isTired = brDDistance(point->position, crack->start) > growth->reach;
		if (!point->isInside || crack->isDead.data[point->vertex] != 0 || isTired || !(release > cost))
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

// Neighbour of i in a chain of points [first, last]; at the ends of an open one itself.
static int32_t growNeighbour(int32_t i, int32_t by, bool isClosed, int32_t first, int32_t last)
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
static void growEven(const brGrowingCrack* crack, const brFrontPoint* points, brDVec3* wants, brDVec3* scratch,
					 int32_t first, int32_t last)
{
	bool isClosed = last > first + 1 && growIsClosed(crack, points[first].vertex, points[last].vertex);
	for (int32_t pass = 0; pass < 4; ++pass)
	{
		for (int32_t i = first; i <= last; ++i)
		{
			int32_t before = growNeighbour(i, -1, isClosed, first, last);
			int32_t after = growNeighbour(i, 1, isClosed, first, last);
			brDVec3 a = wants[before], b = wants[after];
			scratch[i] = wants[i];
			bool isOutside = !points[i].isInside && crack->isDead.data[points[i].vertex] == 0;
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

// A front that would run into a crack, another or its own, ends a little beyond it.
static void growStopAtOthers(brCrackGrowth* growth, int32_t index, const brFrontPoint* points, int32_t count,
							 const brDVec3* wants)
{
	brGrowingCrack* crack = &growth->cracks.data[index];
	for (int32_t i = 0; i < count; ++i)
	{
		if (!growIsMoving(wants[i]))
		{
			continue;
		}
		brDVec3 end = brDMulAdd(points[i].position, 1.05, wants[i]);
		for (int32_t k = 0; k < growth->cracks.count; ++k)
		{
			int32_t own = k == index ? points[i].vertex : -1;
			if (brGrowingCrack_IsCrossed(&growth->cracks.data[k], points[i].position, end, own))
			{
				crack->isDead.data[points[i].vertex] = 1; // its successor inherits that
			}
		}
	}
}

// Lines that have been outside for long enough stop.
static void growAge(brGrowingCrack* crack, const brFrontPoint* points, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t vertex = points[i].vertex;
		uint8_t age = points[i].isInside ? 0 : (uint8_t)(crack->outside.data[vertex] + 1);
		crack->outside.data[vertex] = age;
		crack->isDead.data[vertex] |= age >= GROW_OUTSIDE ? 1 : 0;
	}
}

static brResult growFront(brCrackGrowth* growth, int32_t index, brReport* report)
{
	brGrowingCrack* crack = &growth->cracks.data[index];
	const brAllocator* allocator = &growth->allocator;
	int32_t capacity = crack->front.count + 16, count = 0;
	capacity = capacity < growMostFront ? capacity : growMostFront;
	int32_t vertexCount = crack->positions.count;
	brFrontPoint* points = BR_ALLOC(allocator, brFrontPoint, capacity);
	brDVec3* wants = BR_ALLOC(allocator, brDVec3, 2 * (int64_t)capacity);
	brDVec3* moves = BR_ALLOC_ZERO(allocator, brDVec3, vertexCount);
	brResult result = points != NULL && wants != NULL && moves != NULL ? br_success : brFailMemory(report);
	if (result >= 0)
	{
		result =
			brElasticBody_FrontPoints(growth->context, growth->body, index, NULL, capacity, points, &count, report);
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
			growEven(crack, points, wants, wants + capacity, first, last);
			first = last + 1;
		}
		if (growing > 0)
		{
			growStopAtOthers(growth, index, points, count, wants);
			growAge(crack, points, count);
			for (int32_t i = 0; i < count; ++i)
			{
				moves[points[i].vertex] = wants[i];
			}
			result = brGrowingCrack_Extend(allocator, crack, moves) ? br_success : brFailMemory(report);
		}
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
	brResult result = brElasticBody_SetCracks(growth->context, growth->body, views, growth->cracks.count, report);
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
	result = brElasticBody_Solve(growth->context, growth->body, &load, &solve, &stats, report);
	growth->stats->solves += 1;
	growth->stats->residual = result >= 0 ? fmax(growth->stats->residual, stats.residual) : growth->stats->residual;
	growth->stats->solveSeconds += brSecondsSince(start);
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
			area += growFillAt(growth, middle) * 0.5 * brDLength(brDCross(brDSub(b, a), brDSub(c, a)));
		}
	}
	return area;
}

// Of a polygon, by its area vector.
static brDVec3 growFaceNormal(const brMesh* mesh, int32_t face)
{
	brDVec3 sum = {0.0, 0.0, 0.0}, origin = mesh->positions[mesh->corners[mesh->faceStarts[face]]];
	for (int32_t i = mesh->faceStarts[face] + 1; i + 1 < mesh->faceStarts[face + 1]; ++i)
	{
		brDVec3 a = brDSub(mesh->positions[mesh->corners[i]], origin);
		sum = brDAdd(sum, brDCross(a, brDSub(mesh->positions[mesh->corners[i + 1]], origin)));
	}
	return brDNormalize(sum);
}

// Across the wall, from the nearest face of the mesh.
static brResult growFindWalls(brCrackGrowth* growth, brReport* report)
{
	int32_t count = growth->tets->tetCount;
	const brAllocator* allocator = &growth->allocator;
	growth->wallNormals = BR_ALLOC(allocator, brDVec3, count);
	brDVec3* centers = BR_ALLOC(allocator, brDVec3, count);
	brClosestPoint* closest = BR_ALLOC(allocator, brClosestPoint, count);
	brSurfaceTree* tree = NULL;
	brResult result = growth->wallNormals != NULL && centers != NULL && closest != NULL
						  ? brCreateSurfaceTree(growth->context, growth->mesh, &tree, report)
						  : brFailMemory(report);
	for (int32_t t = 0; t < count && result >= 0; ++t)
	{
		centers[t] = growTetCenter(growth->tets, t);
	}
	if (result >= 0)
	{
		brSurfaceTree_Closest(growth->context, tree, centers, count, closest);
	}
	for (int32_t t = 0; t < count && result >= 0; ++t)
	{
		growth->wallNormals[t] = growFaceNormal(growth->mesh, closest[t].face);
	}
	brDestroySurfaceTree(tree);
	BR_FREE(allocator, centers, count);
	BR_FREE(allocator, closest, count);
	return result;
}

static brResult growPrepare(brCrackGrowth* growth, brReport* report)
{
	const brCrackDef* def = growth->def;
	const brTetMesh* tets = growth->tets;
	growth->strengths = BR_ALLOC(&growth->allocator, double, tets->tetCount);
	growth->nodeStress = BR_ALLOC(&growth->allocator, brStress, tets->nodeCount);
	growth->nodeVolumes = BR_ALLOC(&growth->allocator, double, tets->nodeCount);
	if (growth->strengths == NULL || growth->nodeStress == NULL || growth->nodeVolumes == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t t = 0; t < tets->tetCount; ++t)
	{
		growth->strengths[t] = growStrengthAt(growth, growTetCenter(tets, t), 2.0 * growth->edge);
	}
	brResult walls = growth->fills != NULL ? growFindWalls(growth, report) : br_success;
	if (walls < 0)
	{
		return walls;
	}
	brResult located = brCreateTetLocator(growth->context, tets, &growth->locator, report);
	if (located < 0)
	{
		return located;
	}
	brElasticDef elastic = brDefaultElasticDef();
	elastic.mesh = tets;
	elastic.youngsModulus = def->material.young;
	elastic.poissonRatio = def->material.poisson;
	elastic.density = def->material.density;
	elastic.stiffnesses = growth->fills;
	elastic.isFill = growth->fills != NULL;
	brResult result = brCreateElasticBody(growth->context, &elastic, &growth->body, report);
	if (result >= 0 && growth->load.fixedNodes.count > 0)
	{
		result = brElasticBody_SetSupports(growth->context, growth->body, growth->load.fixedNodes.data,
										   growth->load.fixedAxes.data, NULL, growth->load.fixedNodes.count, report);
	}
	double sound = sqrt(def->material.young / def->material.density);
	growth->reach = growth->load.contactTime > 0.0 ? GROW_MOTT * sound * growth->load.contactTime : INFINITY;
	growth->onset = 1.0;
	growth->available = def->energy > 0.0 ? def->energy : growth->load.energy;
	return result;
}

brResult brCrackGrowth_Run(brCrackGrowth* growth, brReport* report)
{
	brResult result = growPrepare(growth, report);
	double cost = brMaterial_FractureEnergy(&growth->def->material);
	for (int32_t step = 0; result >= 0 && step < growth->def->mostSteps; ++step)
	{
		if (brIsCancelled(growth->context, 0.1 + 0.8 * step / growth->def->mostSteps))
		{
			return brFail(report, br_errorCancelled, "cancelled while cracks grew");
		}
		result = growSolve(growth, report);
		int64_t start = brClockNanoseconds();
		int32_t before = growth->cracks.count;
		for (int32_t i = 0; i < before && result >= 0; ++i)
		{
			result = growth->cracks.data[i].isGrowing ? growFront(growth, i, report) : result;
		}
		if (result >= 0)
		{
			result = growSmooth(growth) ? growStart(growth, report) : brFailMemory(report);
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
	return result;
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
	if (growth->nodeVolumes != NULL)
	{
		BR_FREE(allocator, growth->nodeVolumes, growth->tets->nodeCount);
	}
	brCrackLoad_Free(allocator, &growth->load);
}
