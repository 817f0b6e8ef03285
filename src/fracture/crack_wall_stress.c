// SPDX-License-Identifier: MIT

// Stress in walls that are thinner than the lattice. A wall of thickness t lies in tets that together are H thick, each
// as stiff as it is full: its mean stress over the thickness is right, but it bends as if it were H thick. The moment
// is right all the same where equilibrium gives it, and it is what strength asks for: 6 M / t^2 on the faces.
//
// With f(z) the share that is solid at height z over the middle of the wall, t = int f dz, and b the slope of stress of
// the solid across the wall, the tets carry the moment M = b int f z^2 dz = b t <z^2>. So a face has b 6 <z^2> / t more
// than the mean: the factor at b is called the wall's spread. <z^2> and t come from samples of f along the wall's
// normal, b from the moments of stress around the nodes of a tet; tets themselves know only the stress at their middle,
// half as far out as the faces.

#include "base/report.h"
#include "fracture/crack_grow.h"
#include "mesh/face_area.h"

#include <string.h>

// Tets that are emptier than this count as that full: else the stiffness of neighbors would differ too much.
#define WALL_MIN_FILL 0.03

#define WALL_SAMPLE 0.25 // edges between samples across a wall
#define WALL_DEPTH 8     // samples each way: a wall ends within

// Means around nodes, then over tets: as if the wall were as thick as its tets, of softer stuff. Jumps between
// neighbors would show in the stress.
brResult brSmoothWallFills(const brAllocator* allocator, const brTetMesh* tets, double* fills, brReport* report)
{
	double(*sums)[2] = brAllocZeroArray(allocator, tets->nodeCount, sizeof(*sums));
	if (sums == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t t = 0; t < tets->tetCount; ++t)
	{
		const int32_t* v = tets->tets[t];
		brDVec3 a = brDSub(tets->nodes[v[1]], tets->nodes[v[0]]), b = brDSub(tets->nodes[v[2]], tets->nodes[v[0]]);
		double volume = brDDot(brDCross(a, b), brDSub(tets->nodes[v[3]], tets->nodes[v[0]]));
		for (int k = 0; k < 4; ++k)
		{
			sums[v[k]][0] += volume;
			sums[v[k]][1] += volume * fills[t];
		}
	}
	for (int32_t t = 0; t < tets->tetCount; ++t)
	{
		double fill = 0.0;
		for (int k = 0; k < 4; ++k)
		{
			const double* sum = sums[tets->tets[t][k]];
			fill += 0.25 * sum[1] / sum[0];
		}
		fills[t] = fmax(fill, WALL_MIN_FILL);
	}
	brFreeArray(allocator, sums, tets->nodeCount, sizeof(*sums));
	return br_success;
}

// The nearest face may be the rim of the wall. So normals are averaged over the tets around each node and those of a
// tet, weighted by how solid they are, as tensors n n^T, since a wall has two sides: the main axis is across the wall.
static void wallSmoothNormals(brCrackGrowth* growth)
{
	const brTetMesh* tets = growth->tets;
	memset(growth->nodeStress, 0, (size_t)tets->nodeCount * sizeof(brStress));
	for (int32_t t = 0; t < tets->tetCount; ++t)
	{
		brDVec3 n = growth->wallNormals[t];
		brStress tensor = {n.x * n.x, n.y * n.y, n.z * n.z, n.x * n.y, n.x * n.z, n.y * n.z};
		for (int32_t k = 0; k < 4; ++k)
		{
			brStress_Add(&growth->nodeStress[tets->tets[t][k]], growth->fills[t], &tensor);
		}
	}
	for (int32_t t = 0; t < tets->tetCount; ++t)
	{
		brStress sum = {0};
		double values[3];
		for (int32_t k = 0; k < 4; ++k)
		{
			brStress_Add(&sum, 1.0, &growth->nodeStress[tets->tets[t][k]]);
		}
		growth->wallNormals[t] = brPrincipalStresses(&sum, values).cz;
	}
}

// Across the wall, from the nearest faces of the mesh.
static brResult wallFindNormals(brCrackGrowth* growth, brReport* report)
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
		centers[t] = brTetCenter(growth->tets, t);
	}
	if (result >= 0)
	{
		brSurfaceTree_FindClosest(tree, growth->context, centers, count, closest);
	}
	for (int32_t t = 0; t < count && result >= 0; ++t)
	{
		growth->wallNormals[t] = brDNormalize(brMesh_FaceArea(growth->mesh, closest[t].face));
	}
	if (result >= 0)
	{
		wallSmoothNormals(growth);
	}
	brDestroySurfaceTree(tree);
	BR_FREE(allocator, centers, count);
	BR_FREE(allocator, closest, count);
	return result;
}

// Nothing pulls at the faces of a thin wall: what stress has across it is left out, P s P with P = 1 - n n^T.
static brStress wallFlatten(brStress s, brDVec3 n)
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

// 6 <z^2> / t of the wall around a tet, 0 if the lattice does not end on both sides.
static double wallSpread(const brCrackGrowth* growth, int32_t tet)
{
	double step = WALL_SAMPLE * growth->edge, sums[3] = {growth->fills[tet], 0.0, 0.0};
	brDVec3 center = brTetCenter(growth->tets, tet);
	for (int32_t side = -1; side <= 1; side += 2)
	{
		double fill = 1.0;
		for (int32_t i = 1; i <= WALL_DEPTH && fill > 0.0; ++i)
		{
			double z = side * i * step;
			fill = brCrackGrowth_FillAt(growth, brDMulAdd(center, z, growth->wallNormals[tet]));
			sums[0] += fill;
			sums[1] += fill * z;
			sums[2] += fill * z * z;
		}
		if (fill > 0.0)
		{
			return 0.0;
		}
	}
	double middle = sums[1] / sums[0];
	return 6.0 * (sums[2] / sums[0] - middle * middle) / (sums[0] * step);
}

static void wallSpreadRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brCrackGrowth* growth = user;
	for (int32_t t = begin; t < end; ++t)
	{
		growth->wallSpreads[t] = wallSpread(growth, t);
	}
}

brResult brCrackGrowth_FindWalls(brCrackGrowth* growth, brReport* report)
{
	int32_t count = growth->tets->tetCount;
	growth->wallSpreads = BR_ALLOC(&growth->allocator, double, count);
	growth->wallMoments = BR_ALLOC(&growth->allocator, brWallMoments, growth->tets->nodeCount);
	brResult result = growth->wallSpreads != NULL && growth->wallMoments != NULL ? wallFindNormals(growth, report)
																				 : brFailMemory(report);
	if (result >= 0)
	{
		brParallelFor(growth->context != NULL ? growth->context->workers : NULL, count, 256, wallSpreadRange, growth);
	}
	return result;
}

void brCrackGrowth_AddWallMoments(brCrackGrowth* growth)
{
	const brTetMesh* tets = growth->tets;
	memset(growth->wallMoments, 0, (size_t)tets->nodeCount * sizeof(brWallMoments));
	for (int32_t i = 0; i < growth->pieceCount; ++i)
	{
		const brElasticElement* piece = &growth->pieces[i];
		brDVec3 center = brTetCenter(tets, piece->tet);
		double weight = growth->fills[piece->tet] * piece->volume;
		for (int32_t k = 0; k < 4; ++k)
		{
			int32_t node = tets->tets[piece->tet][k];
			brDVec3 r = brDSub(center, tets->nodes[node]);
			brWallMoments* moments = &growth->wallMoments[node];
			double products[6] = {r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z};
			moments->first = brDMulAdd(moments->first, weight, r);
			for (int32_t j = 0; j < 6; ++j)
			{
				moments->second[j] += weight * products[j];
			}
			brStress_Add(&moments->along[0], piece->volume * r.x, &piece->stress);
			brStress_Add(&moments->along[1], piece->volume * r.y, &piece->stress);
			brStress_Add(&moments->along[2], piece->volume * r.z, &piece->stress);
		}
	}
}

// Slope of stress along n: that of the line through stress over n . r with least squares, all four nodes together.
static brStress wallSlope(const brCrackGrowth* growth, int32_t tet, brDVec3 n)
{
	brStress sum = {0};
	double squares = 0.0;
	for (int32_t k = 0; k < 4; ++k)
	{
		int32_t node = growth->tets->tets[tet][k];
		const brWallMoments* m = &growth->wallMoments[node];
		double weight = growth->nodeVolumes[node], middle = weight > 0.0 ? brDDot(n, m->first) / weight : 0.0;
		const double* s = m->second;
		squares += n.x * n.x * s[0] + n.y * n.y * s[1] + n.z * n.z * s[2] +
				   2.0 * (n.x * n.y * s[3] + n.x * n.z * s[4] + n.y * n.z * s[5]) - middle * middle * weight;
		brStress_Add(&sum, n.x, &m->along[0]);
		brStress_Add(&sum, n.y, &m->along[1]);
		brStress_Add(&sum, n.z, &m->along[2]);
		brStress_Add(&sum, -middle, &growth->nodeStress[node]);
	}
	brStress slope = {0};
	brStress_Add(&slope, squares > 0.0 ? 1.0 / squares : 0.0, &sum);
	return slope;
}

// The larger principal stress of one that has none along a normal.
static double wallHighest(const brStress* s)
{
	double trace = s->xx + s->yy + s->zz;
	double product = s->xx * s->yy + s->yy * s->zz + s->zz * s->xx - s->xy * s->xy - s->xz * s->xz - s->yz * s->yz;
	return 0.5 * (trace + sqrt(fmax(trace * trace - 4.0 * product, 0.0)));
}

brStress brCrackGrowth_WallStress(const brCrackGrowth* growth, int32_t tet, brStress mean)
{
	double spread = growth->wallSpreads[tet];
	if (!(spread > 0.0))
	{
		return mean;
	}
	brDVec3 normal = growth->wallNormals[tet];
	brStress slope = wallSlope(growth, tet, normal), faces[2] = {mean, mean};
	for (int32_t side = 0; side < 2; ++side)
	{
		brStress_Add(&faces[side], side == 0 ? spread : -spread, &slope);
		faces[side] = wallFlatten(faces[side], normal);
	}
	return faces[wallHighest(&faces[1]) > wallHighest(&faces[0]) ? 1 : 0];
}
