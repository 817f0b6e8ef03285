// SPDX-License-Identifier: MIT

// What holds the body, and the rigid motions that nothing holds.
//
// The rigid motions of a part are three shifts and three turns about its center, turns times the part's size so that
// all six are alike. Held axes are rows in these six unknowns; the free motions are what all rows leave at zero: the
// null space of the sum of their squares, a 6x6 matrix, found by Jacobi rotations.

#include "elastic/body.h"
#include "elastic/modes.h"

#include "base/report.h"

#include <string.h>

// Squares below this share of the largest possible are no hold: the square of 1e-6, an arm a millionth of the part's
// size.
#define HOLD_SHARE 1e-12

void brEigenSixBySix(double matrix[6][6], double outVectors[6][6])
{
	memset(outVectors, 0, 36 * sizeof(double));
	for (int i = 0; i < 6; ++i)
	{
		outVectors[i][i] = 1.0;
	}
	for (int sweep = 0; sweep < 40; ++sweep)
	{
		double off = 0.0, all = 0.0;
		for (int i = 0; i < 36; ++i)
		{
			double square = matrix[i / 6][i % 6] * matrix[i / 6][i % 6];
			all += square;
			off += i / 6 != i % 6 ? square : 0.0;
		}
		if (!(off > 1e-34 * all))
		{
			break;
		}
		for (int p = 0; p < 5; ++p)
		{
			for (int q = p + 1; q < 6; ++q)
			{
				double apq = matrix[p][q];
				if (apq == 0.0)
				{
					continue;
				}
				double theta = (matrix[q][q] - matrix[p][p]) / (2.0 * apq);
				double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
				double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
				for (int k = 0; k < 6; ++k)
				{
					double kp = matrix[k][p], kq = matrix[k][q];
					matrix[k][p] = c * kp - s * kq;
					matrix[k][q] = s * kp + c * kq;
				}
				for (int k = 0; k < 6; ++k)
				{
					double pk = matrix[p][k], qk = matrix[q][k];
					matrix[p][k] = c * pk - s * qk;
					matrix[q][k] = s * pk + c * qk;
				}
				for (int k = 0; k < 6; ++k)
				{
					double kp = outVectors[k][p], kq = outVectors[k][q];
					outVectors[k][p] = c * kp - s * kq;
					outVectors[k][q] = s * kp + c * kq;
				}
			}
		}
	}
}

double brElasticBody_GetComponentSize(const brElasticComponent* part)
{
	// About the cube root of the volume, without libm's: any number of that size does.
	double size = 1.0, volume = part->volume;
	for (; volume > 8.0; volume *= 0.125)
	{
		size *= 2.0;
	}
	for (; volume < 1.0; volume *= 8.0)
	{
		size *= 0.5;
	}
	return size;
}

brResult brElasticBody_FindFreeModes(brElasticBody* body, const brContext* context, brReport* report)
{
	(void)context;
	brElementSet* set = &body->set;
	double(*grams)[6][6] = brAllocZeroArray(&body->allocator, set->componentCount, sizeof(*grams));
	double(*modes)[6][6] = brAllocZeroArray(&body->allocator, set->componentCount, sizeof(*modes));
	if (grams == NULL || modes == NULL)
	{
		BR_FREE(&body->allocator, grams, set->componentCount);
		BR_FREE(&body->allocator, modes, set->componentCount);
		return brFailMemory(report);
	}
	for (int32_t v = 0; v < set->valueCount; ++v)
	{
		int32_t node = set->valueNodes[v], p = set->valueParts[v];
		uint32_t held = body->heldAxes[node];
		if (held == 0 || p < 0)
		{
			continue;
		}
		double size = brElasticBody_GetComponentSize(&set->parts[p]);
		brDVec3 r = brDMul(1.0 / size, brDSub(body->mesh->nodes[node], set->parts[p].center));
		double rows[3][6] = {{1, 0, 0, 0, r.z, -r.y}, {0, 1, 0, -r.z, 0, r.x}, {0, 0, 1, r.y, -r.x, 0}};
		for (int axis = 0; axis < 3; ++axis)
		{
			for (int i = 0; (held >> axis & 1) != 0 && i < 36; ++i)
			{
				grams[p][i / 6][i % 6] += rows[axis][i / 6] * rows[axis][i % 6];
			}
		}
	}
	for (int32_t p = 0; p < set->componentCount; ++p)
	{
		double most = 0.0, vectors[6][6];
		for (int i = 0; i < 6; ++i)
		{
			most += grams[p][i][i];
		}
		brEigenSixBySix(grams[p], vectors);
		int32_t count = 0;
		for (int i = 0; i < 6; ++i)
		{
			if (!(grams[p][i][i] > HOLD_SHARE * most))
			{
				for (int k = 0; k < 6; ++k)
				{
					modes[p][count][k] = vectors[k][i];
				}
				count += 1;
			}
		}
		set->parts[p].freeModes = count;
	}
	BR_FREE(&body->allocator, grams, set->componentCount);
	BR_FREE(&body->allocator, body->freeModes, body->freeModeParts);
	body->freeModes = modes;
	body->freeModeParts = set->componentCount;
	return br_success;
}

static brResult supportsCheck(const brElasticBody* body, const int32_t* nodes, const uint32_t* axes,
							  const brDVec3* values, int32_t count, brReport* report)
{
	for (int32_t i = 0; i < count; ++i)
	{
		if (nodes[i] < 0 || nodes[i] >= body->nodeCount)
		{
			return brFailAt(report, br_errorMisuse, i, "support %d names node %d, there are %d", i, nodes[i],
							body->nodeCount);
		}
		if (axes[i] > 7 || (values != NULL && !brDIsFinite(values[i])))
		{
			return brFailAt(report, br_errorMisuse, i, "support %d has wrong axes or a value that is not finite", i);
		}
	}
	return br_success;
}

brResult brElasticBody_SetSupports(brElasticBody* body, const brContext* context, const int32_t* nodes,
								   const uint32_t* axes, const brDVec3* values, int32_t count, brReport* report)
{
	if (body == NULL)
	{
		return brFail(report, br_errorMisuse, "brElasticBody_SetSupports needs body");
	}
	if (count < 0 || (count > 0 && (nodes == NULL || axes == NULL)))
	{
		return brFail(report, br_errorMisuse, "supports are missing");
	}
	brResult result = supportsCheck(body, nodes, axes, values, count, report);
	if (result < 0)
	{
		return result;
	}
	uint8_t* held = BR_ALLOC_ZERO(&body->allocator, uint8_t, body->nodeCount);
	brDVec3* heldValues = BR_ALLOC_ZERO(&body->allocator, brDVec3, body->nodeCount);
	if (held == NULL || heldValues == NULL)
	{
		BR_FREE(&body->allocator, held, body->nodeCount);
		BR_FREE(&body->allocator, heldValues, body->nodeCount);
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		held[nodes[i]] |= (uint8_t)axes[i];
		heldValues[nodes[i]] = values != NULL ? values[i] : (brDVec3){0.0, 0.0, 0.0};
	}
	uint8_t* oldHeld = body->heldAxes;
	brDVec3* oldValues = body->heldValues;
	bool isSame = memcmp(oldHeld, held, (size_t)body->nodeCount) == 0;
	body->heldAxes = held;
	body->heldValues = heldValues;
	result = brElasticBody_FindFreeModes(body, context, report);
	if (result < 0)
	{
		body->heldAxes = oldHeld;
		body->heldValues = oldValues;
		oldHeld = held;
		oldValues = heldValues;
	}
	else if (!isSame)
	{
		brElasticBody_DropSolvers(body);
	}
	BR_FREE(&body->allocator, oldHeld, body->nodeCount);
	BR_FREE(&body->allocator, oldValues, body->nodeCount);
	return result < 0 ? result : brSucceed(report);
}
