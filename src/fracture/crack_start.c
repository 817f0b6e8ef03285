// SPDX-License-Identifier: MIT

// Rankine's rule starts a crack: where the largest principal stress, averaged over neighboring tets since a lattice resolves no less, beats
// the strength there, a disk two edges wide opens across its direction. Compression crushes by the same rule with the compressive strength, across the
// direction of least compression. A new crack keeps two edges away from old ones.
//
// They start at the geometric mean of the load that first beats the strength by a fifth and the peak: hard hits start more of them.
//
// Walls thinner than the lattice lie in tets that are partly solid; see crack_wall_stress.c.

#include "fracture/crack_grow.h"

#include "base/hash.h"
#include "base/report.h"

#include <string.h>

#define START_DISK 2.0         // radius of a new crack in edges
#define START_SPACING 0.8      // of front points in edges
#define START_THIN_SPACING 0.4 // of those in walls in whole tets: only a few are in the wall
#define START_ALONG 0.7        // cosine between stress and the normal of a wall from which on it is across the wall
#define START_APART 2.5        // from older cracks in edges
#define START_ONSET 1.2        // times the strength at the start

double brCrackGrowth_Fill(const brCrackGrowth* growth, int32_t tet)
{
	return growth->fills != NULL ? growth->fills[tet] : 1.0;
}

double brCrackGrowth_FillAt(const brCrackGrowth* growth, brDVec3 point)
{
	brTetPoint place;
	brTetLocator_Find(growth->locator, growth->context, &point, 1, &place);
	return place.tet >= 0 ? brCrackGrowth_Fill(growth, place.tet) : 0.0;
}

bool brCrackGrowth_IsSolid(const brCrackGrowth* growth, brDVec3 point)
{
	int32_t crossings;
	brSurfaceTree_CountCrossings(growth->surface, growth->context, &point, 1, &crossings);
	return crossings != 0;
}

// Weibull in cells of two edges, times what the caller says.
static double startStrengthAt(const brCrackGrowth* growth, brDVec3 point, double cell)
{
	const brCrackDef* def = growth->def;
	int64_t key[3] = {(int64_t)floor(point.x / cell), (int64_t)floor(point.y / cell), (int64_t)floor(point.z / cell)};
	uint64_t seed = brHashBytes(brHash64(def->seed + 1), key, sizeof(key));
	double factor = def->strength != NULL ? def->strength(point, def->strengthUser) : 1.0;
	return factor * brMaterial_SampleStrength(&def->material, seed);
}

// Mean stress around each node, weighted by volume.
static bool startSmooth(brCrackGrowth* growth)
{
	int32_t count = brElasticBody_GetElementCount(growth->body);
	if (count > growth->pieceCapacity)
	{
		if (growth->pieces != NULL)
		{
			BR_FREE(&growth->allocator, growth->pieces, growth->pieceCapacity);
		}
		growth->pieceCapacity = count + count / 4;
		growth->pieces = BR_ALLOC(&growth->allocator, brElasticElement, growth->pieceCapacity);
		if (growth->pieces == NULL)
		{
			growth->pieceCapacity = 0;
			return false;
		}
	}
	growth->pieceCount = count;
	brElasticBody_GetElements(growth->body, growth->context, growth->pieces);
	const brTetMesh* tets = growth->tets;
	memset(growth->nodeStress, 0, (size_t)tets->nodeCount * sizeof(brStress));
	memset(growth->nodeVolumes, 0, (size_t)tets->nodeCount * sizeof(double));
	for (int32_t i = 0; i < count; ++i)
	{
		const brElasticElement* piece = &growth->pieces[i];
		double fill = brCrackGrowth_Fill(growth, piece->tet);
		for (int32_t k = 0; k < 4; ++k)
		{
			int32_t node = tets->tets[piece->tet][k];
			brStress_Add(&growth->nodeStress[node], piece->volume, &piece->stress);
			growth->nodeVolumes[node] += fill * piece->volume; // only the solid part takes the stress
		}
	}
	if (growth->fills != NULL)
	{
		brCrackGrowth_AddWallMoments(growth);
	}
	return true;
}

brStress brCrackGrowth_TetStress(const brCrackGrowth* growth, int32_t tet)
{
	brStress stress = {0};
	for (int32_t k = 0; k < 4; ++k)
	{
		int32_t node = growth->tets->tets[tet][k];
		double volume = growth->nodeVolumes[node];
		brStress_Add(&stress, volume > 0.0 ? 0.25 / volume : 0.0, &growth->nodeStress[node]);
	}
	return growth->fills != NULL ? brCrackGrowth_WallStress(growth, tet, stress) : stress;
}

static bool startIsFree(const brCrackGrowth* growth, brDVec3 point)
{
	for (int32_t i = 0; i < growth->cracks.count; ++i)
	{
		if (brGrowingCrack_Distance(&growth->cracks.data[i], point) < START_APART * growth->edge)
		{
			return false;
		}
	}
	return true;
}

// Tension and compression of a tet over what it holds, and the axes of both.
static double startRatio(const brCrackGrowth* growth, int32_t tet, brMat3* outAxes, double* outTension)
{
	const brMaterial* material = &growth->def->material;
	brStress stress = brCrackGrowth_TetStress(growth, tet);
	double values[3];
	*outAxes = brPrincipalStresses(&stress, values);
	*outTension = values[2];
	double strength = growth->strengths[tet];
	double crush = strength * (material->compressiveStrength / material->tensileStrength);
	return fmax(values[2] / strength, -values[0] / crush);
}

// Before there is any crack.
static void startSetOnset(brCrackGrowth* growth)
{
	double highest = 0.0;
	for (int32_t t = 0; t < growth->tets->tetCount && growth->cracks.count == 0; ++t)
	{
		brMat3 axes;
		double tension;
		highest = fmax(highest, startRatio(growth, t, &axes, &tension));
	}
	if (highest > 0.0)
	{
		growth->onset = fmin(1.0, sqrt(START_ONSET / highest));
	}
}

// Across a new crack: the direction of the largest stress, which is the tension or the least compression. Along a thin wall nothing opens: there it is the next one.
static brDVec3 startNormal(const brCrackGrowth* growth, int32_t tet, const brMat3* axes)
{
	bool isWall = growth->fills != NULL && growth->wallSpreads[tet] > 0.0;
	return isWall && fabs(brDDot(axes->cz, growth->wallNormals[tet])) > START_ALONG ? axes->cy : axes->cz;
}

// The tet where stress beats strength by most, away from cracks; -1 if it holds everywhere. `outNormal` is across the new crack.
static int32_t startFindStart(brCrackGrowth* growth, brDVec3* outNormal)
{
	int32_t best = -1;
	double highest = 0.0, peak = 0.0;
	startSetOnset(growth);
	for (int32_t t = 0; t < growth->tets->tetCount; ++t)
	{
		brMat3 axes;
		double tension;
		double ratio = growth->onset * startRatio(growth, t, &axes, &tension);
		if (growth->cracks.count == 0 && tension > peak)
		{
			peak = tension;
			growth->stats->peakStress = peak;
			growth->stats->strength = growth->strengths[t];
		}
		if (ratio >= 1.0 && ratio > highest && startIsFree(growth, brTetCenter(growth->tets, t)))
		{
			highest = ratio;
			best = t;
			*outNormal = startNormal(growth, t, &axes);
		}
	}
	return best;
}

brResult brCrackGrowth_Start(brCrackGrowth* growth, brReport* report)
{
	if (!startSmooth(growth))
	{
		return brFailMemory(report);
	}
	brDVec3 normal;
	int32_t tet = growth->cracks.count < growth->def->maxCracks ? startFindStart(growth, &normal) : -1;
	if (tet < 0)
	{
		return br_success;
	}
	brGrowingCrack crack;
	double spacing = (growth->fills != NULL ? START_THIN_SPACING : START_SPACING) * growth->edge;
	brResult result = brGrowingCrack_Start(&growth->allocator, &crack, brTetCenter(growth->tets, tet), normal,
										   START_DISK * growth->edge, spacing, report);
	if (result >= 0 && !BR_PUSH(&growth->allocator, &growth->cracks, crack))
	{
		brGrowingCrack_Free(&growth->allocator, &crack);
		result = brFailMemory(report);
	}
	return result;
}

brResult brCrackGrowth_PrepareStart(brCrackGrowth* growth, brReport* report)
{
	const brTetMesh* tets = growth->tets;
	growth->onset = 1.0;
	growth->strengths = BR_ALLOC(&growth->allocator, double, tets->tetCount);
	growth->nodeStress = BR_ALLOC(&growth->allocator, brStress, tets->nodeCount);
	growth->nodeVolumes = BR_ALLOC(&growth->allocator, double, tets->nodeCount);
	if (growth->strengths == NULL || growth->nodeStress == NULL || growth->nodeVolumes == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t t = 0; t < tets->tetCount; ++t)
	{
		growth->strengths[t] = startStrengthAt(growth, brTetCenter(tets, t), 2.0 * growth->edge);
	}
	return growth->fills != NULL ? brCrackGrowth_FindWalls(growth, report) : br_success;
}
