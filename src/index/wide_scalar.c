// SPDX-License-Identifier: MIT

// The set of inner loops in plain C: what every processor runs, and the twin the others are tested against.

#include "index/curve_code.h"
#include "index/wide_kernels.h"

#include <string.h>

static float scalarMin(float a, float b)
{
	return a < b ? a : b;
}

static float scalarMax(float a, float b)
{
	return a > b ? a : b;
}

// The largest float not above x.
static float scalarRoundDown(double x)
{
	float f = (float)x;
	if ((double)f <= x)
	{
		return f;
	}
	// One step down: away from zero for negative numbers, whose bits rise that way.
	int32_t bits;
	memcpy(&bits, &f, sizeof(bits));
	bits = f > 0.0f ? bits - 1 : f < 0.0f ? bits + 1 : (int32_t)0x80000001u;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static void scalarBoxVertices(const brDVec3* positions, int32_t count, brTreeBox* outBoxes, brTreeBox* bounds)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 p = positions[i];
		outBoxes[i] = (brTreeBox){{scalarRoundDown(p.x), scalarRoundDown(p.y), scalarRoundDown(p.z), 0.0f},
								  {scalarRoundDown(-p.x), scalarRoundDown(-p.y), scalarRoundDown(-p.z), 0.0f}};
		*bounds = brTreeBox_Union(bounds, &outBoxes[i]);
	}
}

static void scalarBoxTriangles(const brTreeBox* vertexBoxes, const int32_t (*triangles)[3], int32_t count,
							   brTreeBox* outBoxes)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brTreeBox ab = brTreeBox_Union(&vertexBoxes[triangles[i][0]], &vertexBoxes[triangles[i][1]]);
		outBoxes[i] = brTreeBox_Union(&ab, &vertexBoxes[triangles[i][2]]);
	}
}

static void scalarBoundBoxes(const brTreeBox* boxes, int32_t count, brTreeBox* bounds)
{
	for (int32_t i = 0; i < count; ++i)
	{
		*bounds = brTreeBox_Union(bounds, &boxes[i]);
	}
}

static void scalarCurveCodes(const brTreeBox* boxes, int32_t count, const brCurveGrid* grid, uint32_t* outCodes,
							 brCurveCounts* counts)
{
	const float top = (float)((1 << BR_CURVE_AXIS_BITS) - 1);
	for (int32_t i = 0; i < count; ++i)
	{
		uint32_t cell[3];
		for (int k = 0; k < 3; ++k)
		{
			float center = 0.5f * boxes[i].lower[k] - 0.5f * boxes[i].negUpper[k];
			float place = (center - grid->origin[k]) * grid->scale[k];
			cell[k] = (uint32_t)scalarMin(scalarMax(place, 0.0f), top);
		}
		uint32_t code = brCurveCode_Hilbert(cell[0], cell[1], cell[2]);
		outCodes[i] = code;
		for (int pass = 0; pass < BR_CURVE_PASSES; ++pass)
		{
			counts->digits[pass][code >> (BR_CURVE_DIGIT_BITS * pass) & (BR_CURVE_DIGITS - 1)] += 1;
		}
	}
}

static void scalarPackGroups(const brTreeBox* boxes, const uint32_t* order, int32_t count, brLaneBoxes* outGroups,
							 brTreeBox* outGroupBoxes)
{
	for (int32_t first = 0; first < count; first += BR_WIDE_ARITY)
	{
		brLaneBoxes* group = &outGroups[first / BR_WIDE_ARITY];
		brTreeBox all = brMakeTreeBoxEmpty();
		for (int32_t lane = 0; lane < BR_WIDE_ARITY; ++lane)
		{
			int32_t i = first + lane;
			brTreeBox box = i >= count ? brMakeTreeBoxEmpty() : boxes[order != NULL ? order[i] : (uint32_t)i];
			for (int k = 0; k < 3; ++k)
			{
				group->lower[k][lane] = box.lower[k];
				group->upper[k][lane] = -box.negUpper[k];
			}
			all = brTreeBox_Union(&all, &box);
		}
		outGroupBoxes[first / BR_WIDE_ARITY] = all;
	}
}

void brPackTrianglesScalar(const brTrianglePack* pack, const uint32_t* ids, int32_t count, const brLaneBoxes* boxes,
						   brLaneTriangles* outGroups)
{
	const double scale = pack->scale, center[3] = {pack->center.x, pack->center.y, pack->center.z};
	for (int32_t first = 0; first < count; first += BR_WIDE_ARITY)
	{
		brLaneTriangles* group = &outGroups[first / BR_WIDE_ARITY];
		const brLaneBoxes* box = &boxes[first / BR_WIDE_ARITY];
		const double* origin = &pack->positions[pack->triangles[ids[first]][0]].x;
		for (int axis = 0; axis < 3; ++axis)
		{
			group->center[axis] = (float)((origin[axis] - center[axis]) * scale);
		}
		group->extent = 0.0f;
		for (int32_t lane = 0; lane < BR_WIDE_ARITY; ++lane)
		{
			// Empty lanes repeat the last, unread.
			const int32_t* triangle = pack->triangles[ids[first + lane < count ? first + lane : count - 1]];
			for (int k = 0; k < 3; ++k)
			{
				const double* p = &pack->positions[triangle[k]].x;
				group->vertex[k][lane] = brTrianglePack_Name(pack, triangle[k]);
				for (int axis = 0; axis < 3; ++axis)
				{
					float x = (float)((p[axis] - center[axis]) * scale - (double)group->center[axis]);
					group->corner[k][axis][lane] = x;
					group->extent = scalarMax(group->extent, fabsf(x));
				}
			}
			float sides[2][3], offset = 0.0f;
			for (int axis = 0; axis < 3; ++axis)
			{
				sides[0][axis] = group->corner[1][axis][lane] - group->corner[0][axis][lane];
				sides[1][axis] = group->corner[2][axis][lane] - group->corner[0][axis][lane];
			}
			for (int axis = 0; axis < 3; ++axis)
			{
				int y = (axis + 1) % 3, z = (axis + 2) % 3;
				float n = sides[0][y] * sides[1][z] - sides[0][z] * sides[1][y];
				group->plane[axis][lane] = n;
				offset += n * group->corner[0][axis][lane];
			}
			group->plane[3][lane] = offset;
		}
		for (int32_t lane = 0; lane < BR_WIDE_ARITY; ++lane)
		{
			float size = 0.0f;
			for (int axis = 0; axis < 3; ++axis)
			{
				size = scalarMax(size, (box->upper[axis][lane] - box->lower[axis][lane]) * (float)scale);
			}
			group->size[lane] = size * (1.0f + 0x1p-20f) + 0x1p-21f * group->extent;
		}
	}
}

// The walk

#define BR_WIDE_NAME(name) scalar_##name
#define BR_WIDE_TARGET

static inline uint32_t scalar_test(const brLaneBoxes* group, const brLaneBoxes* box, int32_t lane)
{
	uint32_t mask = 0;
	for (int i = 0; i < BR_WIDE_ARITY; ++i)
	{
		uint32_t overlaps = 1;
		for (int k = 0; k < 3; ++k)
		{
			overlaps &= group->lower[k][i] <= box->upper[k][lane];
			overlaps &= group->upper[k][i] >= box->lower[k][lane];
		}
		mask |= overlaps << i;
	}
	return mask;
}

#include "index/wide_lane_by_lane.h"
#include "index/wide_query.h"

#include "index/wide_filter.h"

#undef BR_WIDE_NAME
#undef BR_WIDE_TARGET

const brWideKernels brWideKernelsScalar = {
	.name = "scalar",
	.lanes = 1,
	.boxVertices = scalarBoxVertices,
	.boxTriangles = scalarBoxTriangles,
	.boundBoxes = scalarBoundBoxes,
	.curveCodes = scalarCurveCodes,
	.packGroups = scalarPackGroups,
	.packTriangles = brPackTrianglesScalar,
	.findPairs = scalar_findPairs,
	.findTriangles = scalar_findTriangles,
};
