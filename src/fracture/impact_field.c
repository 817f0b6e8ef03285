// SPDX-License-Identifier: MIT

// The stress of blows, for what makes the cracks.

#include "fracture/contact_law.h"
#include "fracture/impact_model.h"
#include "math/eigen.h"

#include <math.h>

#define FIELD_PATCH 48
#define FIELD_TETS 32 // a worker's at a time

// Where stress changes most in a tet.
static int fieldAcross(const brFlexStress* stress)
{
	int across = 0;
	double most = -1.0;
	for (int k = 0; k < 3; ++k)
	{
		double change = 0.0;
		for (int c = 0; c < 6; ++c)
		{
			change += stress->slopes[k][c] * stress->slopes[k][c];
		}
		across = change > most ? k : across;
		most = fmax(change, most);
	}
	return across;
}

// Tets with walls across them are pulled on one side and pressed on the other: two samples, on either side of the
// middle. Those of two blows.
static void fieldTet(const brFlexModel* flex, int32_t t, const brFlexStress stress[2], const brFieldBlow* blows,
					 int32_t count)
{
	const double at = 0.5773502691896258; // Gauss
	const brFlexTet* tet = &flex->tets[t];
	double matrices[4][6] = {{0.0}}, values[4][3];
	int across[2];
	for (int n = 0; n < 2 * count; ++n)
	{
		const brFlexStress* own = &stress[n / 2];
		double sign = n % 2 == 0 ? at : -at;
		across[n / 2] = n % 2 == 0 ? fieldAcross(own) : across[n / 2];
		for (int c = 0; c < 6; ++c)
		{
			matrices[n][c] = blows[n / 2].force * (own->center[c] + sign * own->slopes[across[n / 2]][c]);
		}
	}
	brMat3 axes[4], back = brMat3_Transpose(&flex->turn);
	brEigenSymmetricFour((const double(*)[6])matrices, values, axes);
	for (int n = 0; n < 2 * count; ++n)
	{
		brStressSample* out = blows[n / 2].out + 2 * (int64_t)t + n % 2;
		brDVec3 place = brDMulAdd(tet->center, n % 2 == 0 ? at : -at, tet->spread[across[n / 2]]);
		out->position = brMat3_MulV(&back, brFlexModel_Place(flex, tet, place));
		out->volume = 0.5 * tet->volume;
		const brDVec3 columns[3] = {axes[n].cz, axes[n].cy, axes[n].cx}; // values rise
		for (int k = 0; k < 3; ++k)
		{
			out->stress[k] = values[n][2 - k];
			out->axis[k] = brMat3_MulV(&back, columns[k]);
		}
	}
}

// Presses a lane of the lattice by one newton where the blow does, over its contact.
static void fieldPress(const brImpactModel* model, const brFlexModel* flex, const brFieldBlow* blow, int32_t lane)
{
	const brStrike* strike = &blow->strike;
	brDVec3 point = brMat3_MulV(&flex->turn, strike->point), inward = brMat3_MulV(&flex->turn, strike->inward);
	double curvature = strike->otherRadius > 0.0 ? 1.0 / strike->otherRadius : 0.0, radius = blow->radius;
	brContactPlane plane = brFindContactPlane(flex, point, inward, curvature, model->size);
	brContactAreas areas = brMeasureContact(flex, &plane, model->size);
	brDVec3 points[FIELD_PATCH];
	double shares[FIELD_PATCH];
	brFlexPatch patch = {points, shares, 0};
	double depth = brContactAreas_Depth(&areas, 2.0 * BR_PI * radius * radius);
	double fine = fmax(fmin(0.25 * radius, 0.3 * flex->scale), model->size / 64.0);
	brFillPatch(flex, &plane, depth, fine, FIELD_PATCH, &patch);
	brFlexModel_Press(flex, &patch, plane.inward, lane);
}

typedef struct FieldWork
{
	const brFlexModel* flex;
	const brFieldBlow* blows;
	int32_t count;
} FieldWork;

static void fieldTetRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const FieldWork* work = user;
	for (int32_t t = begin; t < end; ++t)
	{
		brFlexStress stress[BR_FRONT_LANES];
		brFlexModel_Stress(work->flex, t, stress);
		for (int32_t i = 0; i < work->count; i += 2)
		{
			fieldTet(work->flex, t, &stress[i], &work->blows[i], work->count - i < 2 ? 1 : 2);
		}
	}
}

brResult brImpactModel_Fields(const brImpactModel* model, brWorkers* workers, const brFieldBlow* blows, int32_t count)
{
	brFlexModel flex;
	if (!brFlexModel_MakeTwin(model->flex, &flex))
	{
		brFlexModel_FreeTwin(&flex);
		return br_errorMemory;
	}
	brFlexModel_Begin(&flex);
	for (int32_t i = 0; i < count; ++i)
	{
		fieldPress(model, &flex, &blows[i], i);
	}
	brFlexModel_Solve(&flex, NULL);
	FieldWork work = {&flex, blows, count};
	brParallelFor(workers, flex.tetCount, FIELD_TETS, fieldTetRange, &work);
	brFlexModel_FreeTwin(&flex);
	return br_success;
}
