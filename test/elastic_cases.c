// SPDX-License-Identifier: MIT

#include "elastic_cases.h"

#include "base/random.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

LatticeAxis makeEvenAxis(double lower, double upper, int32_t cells)
{
	LatticeAxis axis = {.count = cells + 1};
	for (int32_t i = 0; i <= cells; ++i)
	{
		axis.at[i] = i == cells ? upper : lower + (upper - lower) * i / cells;
	}
	return axis;
}

LatticeAxis makeGradedAxis(double middle, double fine, double half, double h, double growth)
{
	double steps[100];
	int32_t count = 0;
	double at = 0.0, step = h;
	while (at < half * (1.0 - 1e-9) && count < 99)
	{
		step = at + 1e-9 < fine ? h : step * growth;
		steps[count++] = step;
		at += step;
	}
	double scale = half / at;
	LatticeAxis axis = {.count = 2 * count + 1};
	axis.at[count] = middle;
	double sum = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		sum += steps[i] * scale;
		axis.at[count + 1 + i] = middle + (i == count - 1 ? half : sum);
		axis.at[count - 1 - i] = middle - (i == count - 1 ? half : sum);
	}
	return axis;
}

LatticeAxis makeHalfAxis(double fine, double half, double h, double growth)
{
	LatticeAxis both = makeGradedAxis(0.0, fine, half, h, growth), axis = {.count = both.count / 2 + 1};
	memcpy(axis.at, both.at + both.count / 2, sizeof(double) * (size_t)axis.count);
	return axis;
}

static brDVec3 latticeMove(brDVec3 p, brDVec3 cell, double jitter, brRandom* random)
{
	double x = brRandom_Range(random, -jitter, jitter), y = brRandom_Range(random, -jitter, jitter),
		   z = brRandom_Range(random, -jitter, jitter);
	return (brDVec3){p.x + x * cell.x, p.y + y * cell.y, p.z + z * cell.z};
}

brTetMesh* makeLatticeBlock(const LatticeAxis* x, const LatticeAxis* y, const LatticeAxis* z, double jitter,
							uint64_t seed)
{
	int32_t n[3] = {x->count, y->count, z->count}, m[3] = {n[0] - 1, n[1] - 1, n[2] - 1};
	int32_t cornerCount = n[0] * n[1] * n[2], centerCount = m[0] * m[1] * m[2];
	brDVec3* nodes = malloc(sizeof(brDVec3) * (size_t)(cornerCount + centerCount));
	int32_t(*tets)[4] =
		malloc(sizeof(*tets) * (size_t)(12 * centerCount + 4 * (m[0] * m[1] + m[1] * m[2] + m[0] * m[2]) * 2));
	brRandom random = brMakeRandom(seed, 77);
	int32_t count = 0, tetCount = 0;
	for (int32_t c = 0; c < n[2]; ++c)
	{
		for (int32_t b = 0; b < n[1]; ++b)
		{
			for (int32_t a = 0; a < n[0]; ++a)
			{
				bool isInner = a > 0 && b > 0 && c > 0 && a < m[0] && b < m[1] && c < m[2];
				brDVec3 p = {x->at[a], y->at[b], z->at[c]};
				brDVec3 cell = isInner ? (brDVec3){x->at[a + 1] - p.x, y->at[b + 1] - p.y, z->at[c + 1] - p.z} : p;
				nodes[count++] = latticeMove(p, cell, isInner ? jitter : 0.0, &random);
			}
		}
	}
	for (int32_t c = 0; c < m[2]; ++c)
	{
		for (int32_t b = 0; b < m[1]; ++b)
		{
			for (int32_t a = 0; a < m[0]; ++a)
			{
				brDVec3 cell = {x->at[a + 1] - x->at[a], y->at[b + 1] - y->at[b], z->at[c + 1] - z->at[c]};
				brDVec3 p = {x->at[a] + 0.5 * cell.x, y->at[b] + 0.5 * cell.y, z->at[c] + 0.5 * cell.z};
				nodes[count++] = latticeMove(p, cell, jitter, &random);
			}
		}
	}
	// Around each square between cells: four tets with the edge between the two centers, or two with the one center.
	for (int axis = 0; axis < 3; ++axis)
	{
		int32_t u = (axis + 1) % 3, v = (axis + 2) % 3;
		for (int32_t i = 0; i < n[axis] * m[u] * m[v]; ++i)
		{
			int32_t at[3];
			at[axis] = i % n[axis], at[u] = i / n[axis] % m[u], at[v] = i / n[axis] / m[u];
			int32_t square[4], k = 0;
			for (int corner = 0; corner < 4; ++corner)
			{
				int32_t q[3] = {at[0], at[1], at[2]};
				q[u] += corner == 1 || corner == 2;
				q[v] += corner >= 2;
				square[k++] = q[0] + n[0] * (q[1] + n[1] * q[2]);
			}
			int32_t centers[2] = {-1, -1};
			for (int side = 0; side < 2; ++side)
			{
				int32_t q[3] = {at[0], at[1], at[2]};
				q[axis] += side - 1;
				if (q[axis] >= 0 && q[axis] < m[axis])
				{
					centers[side] = cornerCount + q[0] + m[0] * (q[1] + m[1] * q[2]);
				}
			}
			if (centers[0] >= 0 && centers[1] >= 0)
			{
				for (int corner = 0; corner < 4; ++corner)
				{
					int32_t tet[4] = {centers[0], centers[1], square[corner], square[(corner + 1) % 4]};
					memcpy(tets[tetCount++], tet, sizeof(tet));
				}
			}
			else
			{
				int32_t center = centers[0] >= 0 ? centers[0] : centers[1];
				int32_t first[4] = {square[0], square[1], square[2], center};
				int32_t second[4] = {square[0], square[2], square[3], center};
				memcpy(tets[tetCount++], first, sizeof(first));
				memcpy(tets[tetCount++], second, sizeof(second));
			}
		}
	}
	for (int32_t t = 0; t < tetCount; ++t)
	{
		brDVec3 a = nodes[tets[t][0]];
		brDVec3 e1 = brDSub(nodes[tets[t][1]], a), e2 = brDSub(nodes[tets[t][2]], a), e3 = brDSub(nodes[tets[t][3]], a);
		if (brDDot(brDCross(e1, e2), e3) < 0.0)
		{
			int32_t swap = tets[t][2];
			tets[t][2] = tets[t][3];
			tets[t][3] = swap;
		}
	}
	brTetMeshDef def = brDefaultTetMeshDef();
	def.nodeCount = count, def.nodes = nodes;
	def.tetCount = tetCount, def.tets = (const int32_t(*)[4])tets;
	brTetMesh* mesh = BR_MADE(brTetMesh, brCreateTetMesh, NULL, &def);
	free(nodes);
	free(tets);
	return mesh;
}

TestCrack makeSheetCrack(brDVec3 origin, brDVec3 u, brDVec3 v, int32_t nu, int32_t nv)
{
	TestCrack crack = {0};
	int32_t vertexCount = (nu + 1) * (nv + 1), triangleCount = 2 * nu * nv;
	crack.positions = malloc(sizeof(brDVec3) * (size_t)vertexCount);
	crack.triangles = malloc(sizeof(*crack.triangles) * (size_t)triangleCount);
	for (int32_t i = 0; i < vertexCount; ++i)
	{
		double s = (double)(i % (nu + 1)) / nu, t = (double)(i / (nu + 1)) / nv;
		crack.positions[i] = brDMulAdd(brDMulAdd(origin, s, u), t, v);
	}
	for (int32_t i = 0; i < nu * nv; ++i)
	{
		int32_t a = i % nu + (nu + 1) * (i / nu), b = a + 1, c = a + nu + 2, d = a + nu + 1;
		int32_t triangles[2][3] = {{a, b, c}, {a, c, d}};
		memcpy(crack.triangles[2 * i], triangles, sizeof(triangles));
	}
	crack.surface = (brCrackSurface){
		vertexCount, triangleCount, 0, crack.positions, (const int32_t(*)[3])crack.triangles, NULL, NULL};
	return crack;
}

TestCrack makeDiskCrack(brDVec3 center, brDVec3 normal, double radius, int32_t rings, int32_t sectors)
{
	TestCrack crack = {0};
	int32_t vertexCount = 1 + rings * sectors, triangleCount = sectors * (2 * rings - 1);
	crack.positions = malloc(sizeof(brDVec3) * (size_t)vertexCount);
	crack.triangles = malloc(sizeof(*crack.triangles) * (size_t)triangleCount);
	brDVec3 n = brDNormalize(normal);
	brDVec3 side = fabs(n.x) < 0.6 ? (brDVec3){1, 0, 0} : (brDVec3){0, 1, 0};
	brDVec3 u = brDNormalize(brDCross(side, n)), v = brDCross(n, u);
	crack.positions[0] = center;
	int32_t count = 0;
	for (int32_t r = 0; r < rings; ++r)
	{
		for (int32_t s = 0; s < sectors; ++s)
		{
			double angle = 2.0 * BR_PI * s / sectors, reach = radius * (r + 1) / rings;
			crack.positions[1 + r * sectors + s] =
				brDMulAdd(brDMulAdd(center, reach * brCos(angle), u), reach * brSin(angle), v);
			int32_t a = 1 + r * sectors + s, b = 1 + r * sectors + (s + 1) % sectors;
			if (r == 0)
			{
				int32_t triangle[3] = {0, a, b};
				memcpy(crack.triangles[count++], triangle, sizeof(triangle));
			}
			else
			{
				int32_t triangles[2][3] = {{a - sectors, a, b}, {a - sectors, b, b - sectors}};
				memcpy(crack.triangles[count], triangles, sizeof(triangles));
				count += 2;
			}
		}
	}
	crack.surface = (brCrackSurface){
		vertexCount, triangleCount, 0, crack.positions, (const int32_t(*)[3])crack.triangles, NULL, NULL};
	return crack;
}

void freeTestCrack(TestCrack* crack)
{
	free(crack->positions);
	free(crack->triangles);
	memset(crack, 0, sizeof(*crack));
}

static double axisOf(brDVec3 p, int axis)
{
	return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

void addPlaneTraction(TestTraction* to, const brTetMesh* mesh, int axis, double value, brDVec3 traction)
{
	for (int pass = 0; pass < 2; ++pass)
	{
		int32_t count = to->count;
		for (int32_t t = 0; t < mesh->tetCount; ++t)
		{
			int32_t face[4], on = 0;
			for (int a = 0; a < 4; ++a)
			{
				if (axisOf(mesh->nodes[mesh->tets[t][a]], axis) == value)
				{
					face[on++] = mesh->tets[t][a];
				}
			}
			if (on == 3)
			{
				if (pass == 1)
				{
					memcpy(to->triangles[count], face, sizeof(*to->triangles));
					to->tractions[count] = traction;
				}
				count += 1;
			}
		}
		if (pass == 0)
		{
			to->triangles = realloc(to->triangles, sizeof(*to->triangles) * (size_t)(count + 1));
			to->tractions = realloc(to->tractions, sizeof(brDVec3) * (size_t)(count + 1));
		}
		else
		{
			to->count = count;
		}
	}
}

void freeTestTraction(TestTraction* traction)
{
	free(traction->triangles);
	free(traction->tractions);
	memset(traction, 0, sizeof(*traction));
}

void holdNode(TestSupports* to, int32_t node, uint32_t axes, brDVec3 value)
{
	if (to->count == to->capacity)
	{
		to->capacity = 2 * to->capacity + 64;
		to->nodes = realloc(to->nodes, sizeof(int32_t) * (size_t)to->capacity);
		to->axes = realloc(to->axes, sizeof(uint32_t) * (size_t)to->capacity);
		to->values = realloc(to->values, sizeof(brDVec3) * (size_t)to->capacity);
	}
	to->nodes[to->count] = node;
	to->axes[to->count] = axes;
	to->values[to->count++] = value;
}

void holdPlane(TestSupports* to, const brTetMesh* mesh, int axis, double value, uint32_t axes)
{
	for (int32_t i = 0; i < mesh->nodeCount; ++i)
	{
		if (axisOf(mesh->nodes[i], axis) == value)
		{
			holdNode(to, i, axes, (brDVec3){0.0, 0.0, 0.0});
		}
	}
}

void freeTestSupports(TestSupports* supports)
{
	free(supports->nodes);
	free(supports->axes);
	free(supports->values);
	memset(supports, 0, sizeof(*supports));
}

FrontMean meanFront(const brElasticBody* body, int32_t crack, brIntensityMethod method, double window)
{
	enum
	{
		most = 4096
	};
	brCrackFrontPoint* points = malloc(sizeof(brCrackFrontPoint) * most);
	brIntensityDef def = brDefaultIntensityDef();
	def.method = method;
	def.window = window;
	int32_t count = 0;
	brReport report = {0};
	CHECK_RESULT(brElasticBody_ComputeFrontPoints(body, NULL, crack, &def, most, points, &count, &report), &report);
	CHECK(count <= most);
	FrontMean result = {0};
	for (int pass = 0; pass < 2; ++pass)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			for (int k = 0; points[i].isInside && k < 3; ++k)
			{
				double off = fabs(points[i].intensity[k] - result.mean[k]);
				if (pass == 0)
				{
					result.mean[k] += points[i].intensity[k];
				}
				else
				{
					result.most[k] = off > result.most[k] ? off : result.most[k];
				}
			}
			result.count += pass == 0 && points[i].isInside;
		}
		for (int k = 0; pass == 0 && k < 3; ++k)
		{
			result.mean[k] /= result.count > 0 ? result.count : 1;
		}
	}
	free(points);
	return result;
}

double sentFactor(double x)
{
	// Tada, Paris and Irwin: better than 0.5 % for all x.
	double t = BR_PI * x / 2.0, s = brSin(t), c = brCos(t);
	double d = 1.0 - s;
	return sqrt(s / c / t) * (0.752 + 2.02 * x + 0.37 * d * d * d) / c;
}
