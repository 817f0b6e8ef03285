// SPDX-License-Identifier: MIT

// The stress of blows, for what makes the cracks.

#include "fracture/contact_law.h"
#include "fracture/impact_model.h"

#include <math.h>

#define FIELD_PATCH 48
#define FIELD_TETS 32 // a worker's at a time

// Tets with walls across them are pulled on one side and pressed on the other: two samples, on either side of the middle where the stress changes most.
static void fieldTet(const brFlexModel* flex, const brFlexTet* tet, const brFlexStress* stress, double force,
					 brStressSample* out)
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
	brMat3 back = brMat3_Transpose(&flex->turn);
	const double at = 0.5773502691896258; // Gauss
	for (int side = 0; side < 2; ++side)
	{
		double s[6], values[3], sign = side == 0 ? at : -at;
		for (int c = 0; c < 6; ++c)
		{
			s[c] = force * (stress->center[c] + sign * stress->slopes[across][c]);
		}
		brMat3 axes = brEigenSymmetric(s[0], s[1], s[2], s[3], s[4], s[5], values);
		brDVec3 place = brDMulAdd(tet->center, sign, tet->spread[across]);
		out[side].position = brMat3_MulV(&back, brFlexModel_Place(flex, tet, place));
		out[side].volume = 0.5 * tet->volume;
		const brDVec3 columns[3] = {axes.cz, axes.cy, axes.cx}; // values rise
		for (int k = 0; k < 3; ++k)
		{
			out[side].stress[k] = values[2 - k];
			out[side].axis[k] = brMat3_MulV(&back, columns[k]);
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
	double depth = brContactAreas_Depth(&areas, 2.0 * 3.14159265358979323846 * radius * radius);
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
		for (int32_t i = 0; i < work->count; ++i)
		{
			const brFieldBlow* blow = &work->blows[i];
			fieldTet(work->flex, &work->flex->tets[t], &stress[i], blow->force, blow->out + 2 * (int64_t)t);
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
