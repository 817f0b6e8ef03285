// SPDX-License-Identifier: MIT

// Cracks that are there before the load, and whether the lattice is fine enough for them and for the body.

#include "base/report.h"
#include "fracture/crack_grow.h"
#include "mesh/face_area.h"

#define GIVEN_SPACING 0.8 // of fronts in edges
#define GIVEN_SAMPLES 4   // of a front edge
#define GIVEN_EDGES 3.0   // that area over length of a front should have: three edges of depth, six of a disk's radius
#define GIVEN_WALL 1.5    // edges that a wall should have across
#define GIVEN_LIFT 1e-6   // edges above its face that a look begins
#define GIVEN_SHARE 0.005 // of the surface: less does not count as a wall or a gap

static bool givenIsInside(const brCrackGrowth* growth, const brGrowingCrack* crack, brCrackEdge edge)
{
	for (int32_t k = 0; k <= GIVEN_SAMPLES; ++k)
	{
		brDVec3 a = crack->positions.data[edge.a], b = crack->positions.data[edge.b];
		if (brCrackGrowth_IsSolid(growth, brDLerp(a, b, (double)k / GIVEN_SAMPLES)))
		{
			return true;
		}
	}
	return false;
}

// Border edges outside the solid are no fronts.
static void givenKeepFronts(const brCrackGrowth* growth, brGrowingCrack* crack)
{
	int32_t kept = 0;
	for (int32_t i = 0; i < crack->front.count; ++i)
	{
		if (givenIsInside(growth, crack, crack->front.data[i]))
		{
			crack->front.data[kept++] = crack->front.data[i];
		}
	}
	crack->front.count = kept;
}

// A wall of an edge has places where there are no tets.
static bool givenIsInLattice(const brCrackGrowth* growth, const brGrowingCrack* crack)
{
	bool isAny = false;
	for (int32_t k = 0; k < crack->front.count && !isAny; ++k)
	{
		isAny = brCrackGrowth_FillAt(growth, crack->positions.data[crack->front.data[k].a]) > 0.0 ||
				brCrackGrowth_FillAt(growth, crack->positions.data[crack->front.data[k].b]) > 0.0;
	}
	return isAny;
}

// Edge of the finest cells that a surface reaches.
static double givenEdge(const brCrackGrowth* growth, const brMesh* mesh)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	double edge = growth->edge;
	for (int32_t i = 0; i < growth->def->refinementCount; ++i)
	{
		brDVec3 nearest = brDMax(box.lower, brDMin(box.upper, growth->def->refinements[i].center));
		edge = fmin(edge, brCrackGrowth_EdgeAt(growth, nearest));
	}
	return edge;
}

brResult brCrackGrowth_AddGiven(brCrackGrowth* growth, brReport* report)
{
	for (int32_t i = 0; i < growth->def->givenCount; ++i)
	{
		brGrowingCrack crack;
		double spacing = GIVEN_SPACING * givenEdge(growth, growth->def->given[i]);
		brResult result = brGrowingCrack_FromMesh(growth->context, &crack, growth->def->given[i], spacing, report);
		if (result < 0)
		{
			return result;
		}
		givenKeepFronts(growth, &crack);
		if (crack.front.count == 0)
		{
			brGrowingCrack_Free(&growth->allocator, &crack);
			brDBox3 box = brMesh_ComputeBounds(growth->mesh);
			return brFailAt(
				report, br_errorGeometry, i,
				"crack %d (from 0) does not end in the solid, which lies between (%.4g, %.4g, %.4g) and (%.4g, "
				"%.4g, %.4g): it lies outside, or goes through all of it",
				i, box.lower.x, box.lower.y, box.lower.z, box.upper.x, box.upper.y, box.upper.z);
		}
		if (!givenIsInLattice(growth, &crack))
		{
			brGrowingCrack_Free(&growth->allocator, &crack);
			return brFailAt(report, br_errorGeometry, i,
							"no point of the front of crack %d (from 0) is in a tet of the lattice: it is too coarse "
							"there, so make its edge (%.3g m) smaller",
							i, growth->edge);
		}
		if (!BR_PUSH(&growth->allocator, &growth->cracks, crack))
		{
			brGrowingCrack_Free(&growth->allocator, &crack);
			return brFailMemory(report);
		}
	}
	return br_success;
}

// Edge that would do for the given crack that needs it most: a crack's size is its area over the length of its front,
// in the solid. 0: the lattice does.
static double givenCrackEdge(const brCrackGrowth* growth)
{
	double wanted = INFINITY;
	for (int32_t i = 0; i < growth->cracks.count; ++i)
	{
		const brGrowingCrack* crack = &growth->cracks.data[i];
		double area = 0.0, length = 0.0, edge = 0.0;
		for (int32_t t = 0; t < crack->triangles.count; ++t)
		{
			const int32_t* v = crack->triangles.data[t].v;
			brDVec3 a = crack->positions.data[v[0]], b = crack->positions.data[v[1]], c = crack->positions.data[v[2]];
			brDVec3 middle = brDMul(1.0 / 3.0, brDAdd(a, brDAdd(b, c)));
			double size = 0.5 * brDLength(brDCross(brDSub(b, a), brDSub(c, a)));
			area += brCrackGrowth_IsSolid(growth, middle) ? size : 0.0;
		}
		for (int32_t k = 0; k < crack->front.count; ++k)
		{
			brDVec3 a = crack->positions.data[crack->front.data[k].a];
			length += brDDistance(a, crack->positions.data[crack->front.data[k].b]);
			edge = fmax(edge, brCrackGrowth_EdgeAt(growth, a));
		}
		bool isFiner = area > 0.0 && area < GIVEN_EDGES * edge * length;
		wanted = isFiner ? fmin(wanted, area / (GIVEN_EDGES * length)) : wanted;
	}
	return wanted < INFINITY ? wanted : 0.0;
}

static brDVec3 givenAreaVector(const brMesh* mesh, int32_t face, brDVec3* outMiddle)
{
	int32_t first = mesh->faceStarts[face], end = mesh->faceStarts[face + 1];
	brDVec3 middle = {0.0, 0.0, 0.0};
	for (int32_t i = first; i < end; ++i)
	{
		middle = brDMulAdd(middle, 1.0 / (end - first), mesh->positions[mesh->corners[i]]);
	}
	*outMiddle = middle;
	return brMesh_FaceArea(mesh, face);
}

// What is seen from the faces of the mesh, straight into the solid or out of it.
typedef struct GivenLook
{
	const brCrackGrowth* growth;
	double side;
	double limit;   // in edges
	double* areas;  // [faceCount]
	double* widths; // [faceCount] to the surface across; INFINITY: farther than the limit
} GivenLook;

static void givenLookRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const GivenLook* look = user;
	for (int32_t f = begin; f < end; ++f)
	{
		brDVec3 middle, area = givenAreaVector(look->growth->mesh, f, &middle);
		double edge = brCrackGrowth_EdgeAt(look->growth, middle);
		double size = look->areas[f] = brDLength(area), start = GIVEN_LIFT * edge;
		brDVec3 way = brDMul(size > 0.0 ? look->side / size : 0.0, area);
		look->widths[f] = size > 0.0 ? brSurfaceTree_CastRay(look->growth->surface, brDMulAdd(middle, start, way), way,
															 look->limit * edge, NULL)
									 : INFINITY;
	}
}

// Narrowest place on one side of the surface that is below the limit, if more than a little of the surface is; else 0.
static double givenNarrowest(GivenLook* look)
{
	const brCrackGrowth* growth = look->growth;
	double all = 0.0, narrow = 0.0, least = INFINITY;
	int32_t faceCount = growth->mesh->faceCount;
	brParallelFor(growth->context != NULL ? growth->context->workers : NULL, faceCount, 512, givenLookRange, look);
	for (int32_t f = 0; f < faceCount; ++f)
	{
		bool isNarrow = look->widths[f] < INFINITY;
		all += look->areas[f];
		narrow += isNarrow ? look->areas[f] : 0.0;
		least = isNarrow ? fmin(least, look->widths[f] + GIVEN_LIFT * growth->edge) : least;
	}
	return narrow > GIVEN_SHARE * all ? least : 0.0;
}

brResult brCrackGrowth_JudgeLattice(brCrackGrowth* growth, brReport* report)
{
	brCrackStats* stats = growth->stats;
	stats->crackEdge = givenCrackEdge(growth);
	if (growth->mesh == NULL || growth->surface == NULL)
	{
		return br_success;
	}
	int32_t faceCount = growth->mesh->faceCount;
	GivenLook look = {growth, -1.0, GIVEN_WALL, BR_ALLOC(&growth->allocator, double, faceCount),
					  BR_ALLOC(&growth->allocator, double, faceCount)};
	bool isGood = look.areas != NULL && look.widths != NULL;
	if (isGood)
	{
		stats->wallEdge = givenNarrowest(&look) / GIVEN_WALL;
		look.side = 1.0, look.limit = 1.0;
		stats->gapEdge = givenNarrowest(&look);
	}
	BR_FREE(&growth->allocator, look.areas, faceCount);
	BR_FREE(&growth->allocator, look.widths, faceCount);
	return isGood ? br_success : brFailMemory(report);
}
