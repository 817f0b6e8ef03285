// SPDX-License-Identifier: MIT

// From a surface to tets with the moments of what is inside.
//
// Lines along x, y and z cross the surface; between an odd and an even crossing a line runs inside. Each stretch is cut
// where it changes tets and adds its length, first and second moments to the tet, in closed form. Every direction
// counts for a third.

#include "base/array.h"
#include "base/forest.h"
#include "brittle/math.h"
#include "elastic/flex_model.h"

#include <math.h>
#include <string.h>

#define FLEX_ROUNDING 1e-6  // of a line: a whole number of them is not one more for rounding
#define FLEX_MIN_FILL 1e-4  // tets with less solid are left out
#define FLEX_MIN_CUBES 1.02 // the box of the lattice is so much larger than the body, at least

static const int32_t flexOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
static const int32_t flexEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

typedef struct FlexMoments
{
	double volume, first[3], second[6]; // second: xx yy zz xy xz yz
} FlexMoments;

static void flexBarycentric(int32_t order, brDVec3 p, double out[4])
{
	const double f[3] = {p.x, p.y, p.z};
	const int32_t* axes = flexOrders[order];
	out[0] = 1.0 - f[axes[0]];
	out[1] = f[axes[0]] - f[axes[1]];
	out[2] = f[axes[1]] - f[axes[2]];
	out[3] = f[axes[2]];
}

void brFlexShape(int32_t order, brDVec3 place, double out[BR_FRONT_NODES])
{
	double l[4];
	flexBarycentric(order, place, l);
	for (int a = 0; a < 4; ++a)
	{
		out[a] = l[a] * (2.0 * l[a] - 1.0);
	}
	for (int e = 0; e < 6; ++e)
	{
		out[4 + e] = 4.0 * l[flexEdges[e][0]] * l[flexEdges[e][1]];
	}
}

void brFlexSlopes(int32_t order, brDVec3 place, brDVec3 out[BR_FRONT_NODES])
{
	const int32_t* axes = flexOrders[order];
	double l[4], g[4][3];
	flexBarycentric(order, place, l);
	memset(g, 0, sizeof(g));
	for (int a = 0; a < 3; ++a)
	{
		g[a][axes[a]] -= 1.0;
		g[a + 1][axes[a]] += 1.0;
	}
	for (int a = 0; a < 4; ++a)
	{
		double s = 4.0 * l[a] - 1.0;
		out[a] = brMakeDVec3(s * g[a][0], s * g[a][1], s * g[a][2]);
	}
	for (int e = 0; e < 6; ++e)
	{
		int a = flexEdges[e][0], b = flexEdges[e][1];
		double u = 4.0 * l[b], v = 4.0 * l[a];
		out[4 + e] = brMakeDVec3(u * g[a][0] + v * g[b][0], u * g[a][1] + v * g[b][1], u * g[a][2] + v * g[b][2]);
	}
}

// The tet of a cube that holds a place: its path walks the axes from the largest coordinate to the smallest.
static int32_t flexOrderOf(const double f[3])
{
	if (f[0] >= f[1])
	{
		return f[1] >= f[2] ? 0 : f[0] >= f[2] ? 1 : 4;
	}
	return f[0] >= f[2] ? 2 : f[1] >= f[2] ? 3 : 5;
}

// A stretch of a line along `axis` within one tet adds to its moments.
static void flexAdd(FlexMoments* m, int axis, double begin, double end, const double at[3], double weight)
{
	double length = end - begin, middle = 0.5 * (begin + end), w = weight * length;
	double p[3] = {at[0], at[1], at[2]};
	p[axis] = middle;
	m->volume += w;
	for (int k = 0; k < 3; ++k)
	{
		m->first[k] += w * p[k];
		m->second[k] += w * p[k] * p[k];
	}
	m->second[axis] += w * length * length / 12.0;
	m->second[3] += w * p[0] * p[1];
	m->second[4] += w * p[0] * p[2];
	m->second[5] += w * p[1] * p[2];
}

typedef struct FlexLines
{
	const brFlexModel* model;
	FlexMoments* moments; // [6 cubes]
	int axis, b, d;       // along the lines, across them
	int32_t counts[2];    // of lines along b and d
	double steps[2];      // between lines, in edges
	double weight;        // cross-section of a line, in edges^2, times a third
} FlexLines;

// What lies between two crossings, in edges from the origin.
static void flexStretch(const FlexLines* lines, double begin, double end, const double across[2])
{
	const int32_t* n = lines->model->cubeCounts;
	int32_t cube[3], last = n[lines->axis] - 1;
	double f[3];
	cube[lines->b] = (int32_t)across[0] < n[lines->b] ? (int32_t)across[0] : n[lines->b] - 1;
	cube[lines->d] = (int32_t)across[1] < n[lines->d] ? (int32_t)across[1] : n[lines->d] - 1;
	f[lines->b] = across[0] - cube[lines->b];
	f[lines->d] = across[1] - cube[lines->d];
	double cuts[4] = {0.0, fmin(f[lines->b], f[lines->d]), fmax(f[lines->b], f[lines->d]), 1.0};
	for (int32_t c = begin > 0.0 ? (int32_t)begin : 0; c <= last && c < end; ++c)
	{
		cube[lines->axis] = c;
		FlexMoments* moments = lines->moments + 6 * (((int64_t)cube[2] * n[1] + cube[1]) * n[0] + cube[0]);
		for (int k = 0; k < 3; ++k)
		{
			double from = fmax(begin - c, cuts[k]), to = fmin(end - c, cuts[k + 1]);
			if (to > from)
			{
				f[lines->axis] = 0.5 * (cuts[k] + cuts[k + 1]);
				flexAdd(&moments[flexOrderOf(f)], lines->axis, from, to, f, lines->weight);
			}
		}
	}
}

// Calls back the crossings of a triangle with the lines: counts them per line, or writes them.
static void flexCross(const FlexLines* lines, const brDVec3 triangle[3], int32_t* ends, double* crossings)
{
	const brFlexModel* model = lines->model;
	const double offsets[2] = {0.5 + 1e-4, 0.5 - 1.3e-4}; // lines avoid the corners of tidy meshes
	double u[3], w[3], h[3];
	for (int k = 0; k < 3; ++k)
	{
		brDVec3 q = brDMul(1.0 / model->edge, brDSub(triangle[k], model->origin));
		const double p[3] = {q.x, q.y, q.z};
		u[k] = p[lines->b] / lines->steps[0] - offsets[0];
		w[k] = p[lines->d] / lines->steps[1] - offsets[1];
		h[k] = p[lines->axis];
	}
	double u1 = u[1] - u[0], u2 = u[2] - u[0], w1 = w[1] - w[0], w2 = w[2] - w[0], det = u1 * w2 - u2 * w1;
	if (det == 0.0)
	{
		return;
	}
	int32_t low = (int32_t)fmax(ceil(fmin(u[0], fmin(u[1], u[2]))), 0.0);
	int32_t high = (int32_t)fmin(floor(fmax(u[0], fmax(u[1], u[2]))), lines->counts[0] - 1.0);
	int32_t from = (int32_t)fmax(ceil(fmin(w[0], fmin(w[1], w[2]))), 0.0);
	int32_t to = (int32_t)fmin(floor(fmax(w[0], fmax(w[1], w[2]))), lines->counts[1] - 1.0);
	for (int32_t q = from; q <= to; ++q)
	{
		for (int32_t p = low; p <= high; ++p)
		{
			double l1 = ((p - u[0]) * w2 - u2 * (q - w[0])) / det, l2 = (u1 * (q - w[0]) - (p - u[0]) * w1) / det;
			if (l1 < 0.0 || l2 < 0.0 || l1 + l2 > 1.0)
			{
				continue;
			}
			int32_t line = q * lines->counts[0] + p;
			if (crossings == NULL)
			{
				ends[line] += 1;
			}
			else
			{
				crossings[ends[line]++] = h[0] + l1 * (h[1] - h[0]) + l2 * (h[2] - h[0]);
			}
		}
	}
}

static void flexSort(double* values, int32_t count)
{
	for (int32_t i = 1; i < count; ++i)
	{
		double x = values[i];
		int32_t k = i;
		for (; k > 0 && values[k - 1] > x; --k)
		{
			values[k] = values[k - 1];
		}
		values[k] = x;
	}
}

static bool flexLinesAlong(FlexLines* lines, double spacing)
{
	const brFlexModel* model = lines->model;
	const brAllocator* allocator = &model->allocator;
	const int axes[2] = {lines->b, lines->d};
	for (int k = 0; k < 2; ++k)
	{
		double length = model->cubeCounts[axes[k]];
		lines->counts[k] = (int32_t)ceil(length * model->edge / spacing - FLEX_ROUNDING);
		lines->steps[k] = length / lines->counts[k];
	}
	lines->weight = lines->steps[0] * lines->steps[1] / 3.0;
	int64_t lineCount = (int64_t)lines->counts[0] * lines->counts[1];
	int32_t* ends = BR_ALLOC_ZERO(allocator, int32_t, lineCount);
	for (int32_t i = 0; i < model->triangleCount && ends != NULL; ++i)
	{
		flexCross(lines, model->triangles[i], ends, NULL);
	}
	int32_t total = 0;
	for (int64_t i = 0; i < lineCount && ends != NULL; ++i)
	{
		int32_t count = ends[i];
		ends[i] = total;
		total += count;
	}
	double* crossings = ends != NULL ? BR_ALLOC(allocator, double, (int64_t)total + 1) : NULL;
	for (int32_t i = 0; i < model->triangleCount && crossings != NULL; ++i)
	{
		flexCross(lines, model->triangles[i], ends, crossings);
	}
	const double offsets[2] = {0.5 + 1e-4, 0.5 - 1.3e-4};
	for (int64_t i = 0; i < lineCount && crossings != NULL; ++i)
	{
		int32_t begin = i > 0 ? ends[i - 1] : 0, count = ends[i] - begin;
		double across[2] = {((double)(i % lines->counts[0]) + offsets[0]) * lines->steps[0],
							((double)(i / lines->counts[0]) + offsets[1]) * lines->steps[1]};
		flexSort(crossings + begin, count);
		for (int32_t k = 0; k + 1 < count; k += 2)
		{
			flexStretch(lines, crossings[begin + k], crossings[begin + k + 1], across);
		}
	}
	bool isDone = crossings != NULL;
	BR_FREE(allocator, crossings, (int64_t)total + 1);
	BR_FREE(allocator, ends, lineCount);
	return isDone;
}

static void flexCornersOf(const int32_t cube[3], int32_t order, int32_t corners[4][3])
{
	for (int k = 0; k < 4; ++k)
	{
		memcpy(corners[k], k == 0 ? cube : corners[k - 1], sizeof(corners[k]));
		if (k > 0)
		{
			corners[k][flexOrders[order][k - 1]] += 1;
		}
	}
}

// The tet of a cube that shares the face opposite to one corner of the path, as cube offset and order. Within the cube
// two axes of the path change places; across the first or last face the path begins or ends one cube on.
static void flexAcross(const int32_t cube[3], int32_t order, int face, int32_t outCube[3], int32_t* outOrder)
{
	int32_t axes[3];
	memcpy(axes, flexOrders[order], sizeof(axes));
	memcpy(outCube, cube, 3 * sizeof(int32_t));
	if (face == 1 || face == 2)
	{
		int32_t swap = axes[face - 1];
		axes[face - 1] = axes[face], axes[face] = swap;
	}
	else if (face == 0) // the path goes on beyond its end
	{
		outCube[axes[0]] += 1;
		int32_t moved = axes[0];
		axes[0] = axes[1], axes[1] = axes[2], axes[2] = moved;
	}
	else
	{
		outCube[axes[2]] -= 1;
		int32_t moved = axes[2];
		axes[2] = axes[1], axes[1] = axes[0], axes[0] = moved;
	}
	for (int32_t k = 0; k < 6; ++k)
	{
		*outOrder = memcmp(flexOrders[k], axes, sizeof(axes)) == 0 ? k : *outOrder;
	}
}

// Tets that hang on the rest by an edge or a node alone are hinges: only the largest set that is joined by faces stays.
static void flexDropLoose(const brFlexModel* model, const FlexMoments* moments, double least, int32_t* parents)
{
	const int32_t* n = model->cubeCounts;
	int64_t count = 6 * (int64_t)n[0] * n[1] * n[2];
	for (int64_t i = 0; i < count; ++i)
	{
		parents[i] = moments[i].volume > least ? (int32_t)i : -1;
	}
	for (int64_t i = 0; i < count; ++i)
	{
		int32_t id = (int32_t)(i / 6), order = (int32_t)(i % 6),
				cube[3] = {id % n[0], id / n[0] % n[1], id / (n[0] * n[1])};
		for (int face = 0; face < 3 && parents[i] >= 0; ++face) // the last one is the first of another
		{
			int32_t to[3], toOrder = 0;
			flexAcross(cube, order, face, to, &toOrder);
			bool isIn = to[0] < n[0] && to[1] < n[1] && to[2] < n[2];
			int64_t other = isIn ? 6 * (((int64_t)to[2] * n[1] + to[1]) * n[0] + to[0]) + toOrder : -1;
			if (other >= 0 && parents[other] >= 0)
			{
				brJoinRoots(parents, (int32_t)i, (int32_t)other);
			}
		}
	}
}

// The root with the most solid.
static int32_t flexLargest(const FlexMoments* moments, int64_t count, int32_t* parents, double* sums)
{
	int32_t best = -1;
	for (int64_t i = 0; i < count; ++i)
	{
		if (parents[i] >= 0)
		{
			sums[brFindRoot(parents, (int32_t)i)] += moments[i].volume;
		}
	}
	for (int64_t i = 0; i < count; ++i)
	{
		best = parents[i] >= 0 && (best < 0 || sums[i] > sums[best]) ? (int32_t)i : best;
	}
	return best;
}

static brFlexTet flexTet(const brFlexModel* model, const FlexMoments* m, int32_t cube, int32_t order)
{
	const int32_t* n = model->cubeCounts;
	double cell = model->edge * model->edge * model->edge;
	brFlexTet tet = {.cube = {cube % n[0], cube / n[0] % n[1], cube / (n[0] * n[1])}, .order = order};
	double x = m->first[0] / m->volume, y = m->first[1] / m->volume, z = m->first[2] / m->volume, values[3];
	tet.volume = m->volume * cell;
	tet.fill = 6.0 * m->volume;
	tet.center = brMakeDVec3(x, y, z);
	brMat3 axes = brEigenSymmetric(m->second[0] / m->volume - x * x, m->second[1] / m->volume - y * y,
								   m->second[2] / m->volume - z * z, m->second[3] / m->volume - x * y,
								   m->second[4] / m->volume - x * z, m->second[5] / m->volume - y * z, values);
	const brDVec3 columns[3] = {axes.cx, axes.cy, axes.cz};
	for (int k = 0; k < 3; ++k)
	{
		tet.spread[k] = brDMul(sqrt(3.0 * fmax(values[k], 0.0)), columns[k]);
	}
	return tet;
}

// Numbers nodes on the grid of half edges in the order in which tets name them.
static bool flexNumberNodes(brFlexModel* model)
{
	const int32_t* n = model->cubeCounts;
	int32_t h0 = 2 * n[0] + 1, h1 = 2 * n[1] + 1, h2 = 2 * n[2] + 1;
	int64_t gridCount = (int64_t)h0 * h1 * h2;
	int32_t* grid = BR_ALLOC(&model->allocator, int32_t, gridCount);
	if (grid == NULL)
	{
		return false;
	}
	memset(grid, 0xff, sizeof(*grid) * (size_t)gridCount);
	for (int32_t t = 0; t < model->tetCount; ++t)
	{
		int32_t corners[4][3];
		flexCornersOf(model->tets[t].cube, model->tets[t].order, corners);
		memcpy(model->cubes[t], model->tets[t].cube, sizeof(model->cubes[t]));
		for (int k = 0; k < BR_FRONT_NODES; ++k)
		{
			int a = k < 4 ? k : flexEdges[k - 4][0], b = k < 4 ? k : flexEdges[k - 4][1];
			int64_t key = ((int64_t)(corners[a][2] + corners[b][2]) * h1 + corners[a][1] + corners[b][1]) * h0 +
						  corners[a][0] + corners[b][0];
			if (grid[key] < 0)
			{
				grid[key] = model->nodeCount++;
			}
			model->nodes[t][k] = grid[key];
		}
	}
	model->nodePlaces = BR_ALLOC(&model->allocator, brDVec3, model->nodeCount);
	for (int64_t key = 0; key < gridCount && model->nodePlaces != NULL; ++key)
	{
		if (grid[key] >= 0)
		{
			brDVec3 h = {(double)(key % h0), (double)(key / h0 % h1), (double)(key / ((int64_t)h0 * h1))};
			model->nodePlaces[grid[key]] = brDMulAdd(model->origin, 0.5 * model->edge, h);
		}
	}
	BR_FREE(&model->allocator, grid, gridCount);
	return model->nodePlaces != NULL;
}

double brFlexEdge(double volume, double area, double tets)
{
	double low = 0.0, high = sqrt(area);
	for (int i = 0; i < 60; ++i)
	{
		double c = 0.5 * (low + high);
		bool isFiner = 6.0 * volume / (c * c * c) + 3.5 * area / (c * c) > tets;
		low = isFiner ? c : low;
		high = isFiner ? high : c;
	}
	return high;
}

static bool flexKeepTets(brFlexModel* model, const FlexMoments* moments, int64_t count)
{
	const brAllocator* allocator = &model->allocator;
	int32_t* parents = BR_ALLOC(allocator, int32_t, count);
	double* sums = BR_ALLOC_ZERO(allocator, double, count);
	bool isDone = parents != NULL && sums != NULL;
	if (isDone)
	{
		flexDropLoose(model, moments, FLEX_MIN_FILL / 6.0, parents);
		int32_t root = flexLargest(moments, count, parents, sums);
		for (int64_t i = 0; i < count; ++i)
		{
			// A parent stands before its children: it says already whether they stay.
			int32_t parent = parents[i];
			bool isKept = parent == i ? i == root : parent >= 0 && parents[parent] == root;
			parents[i] = isKept ? root : -1;
			model->tetCount += isKept;
		}
		model->tets = BR_ALLOC(allocator, brFlexTet, model->tetCount);
		model->nodes = brAllocArray(allocator, model->tetCount, sizeof(*model->nodes));
		model->cubes = brAllocArray(allocator, model->tetCount, sizeof(*model->cubes));
		model->cubeStarts = BR_ALLOC(allocator, int32_t, count / 6 + 1);
		model->points = brAllocArray(allocator, model->tetCount, sizeof(*model->points));
		isDone = model->tets != NULL && model->nodes != NULL && model->cubes != NULL && model->cubeStarts != NULL &&
				 model->points != NULL;
		int32_t kept = 0;
		for (int64_t i = 0; i < count && isDone; ++i)
		{
			if (i % 6 == 0)
			{
				model->cubeStarts[i / 6] = kept;
			}
			if (parents[i] >= 0)
			{
				brFlexTet tet = flexTet(model, &moments[i], (int32_t)(i / 6), (int32_t)(i % 6));
				for (int k = 0; k < 6; ++k)
				{
					model->points[kept][k] = brFlexModel_Place(model, &tet, brFlexTet_Point(&tet, k));
				}
				model->tets[kept++] = tet;
			}
		}
		if (isDone)
		{
			model->cubeStarts[count / 6] = kept;
		}
	}
	BR_FREE(allocator, parents, count);
	BR_FREE(allocator, sums, count);
	return isDone;
}

brResult brFlexModel_MakeLattice(brFlexModel* model, double lineSpacing)
{
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t i = 0; i < model->triangleCount; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			box = brDBox3_Include(box, model->triangles[i][k]);
		}
	}
	const double low[3] = {box.lower.x, box.lower.y, box.lower.z}, high[3] = {box.upper.x, box.upper.y, box.upper.z};
	double origin[3];
	for (int k = 0; k < 3; ++k)
	{
		double size = high[k] - low[k];
		model->cubeCounts[k] = (int32_t)ceil(size / model->edge + FLEX_MIN_CUBES - 1.0);
		origin[k] = low[k] - 0.5 * (model->cubeCounts[k] * model->edge - size);
	}
	model->origin = brMakeDVec3(origin[0], origin[1], origin[2]);
	int64_t count = 6 * (int64_t)model->cubeCounts[0] * model->cubeCounts[1] * model->cubeCounts[2];
	FlexMoments* moments = BR_ALLOC_ZERO(&model->allocator, FlexMoments, count);
	bool isDone = moments != NULL;
	for (int axis = 0; axis < 3 && isDone; ++axis)
	{
		FlexLines lines = {.model = model, .moments = moments, .axis = axis, .b = (axis + 1) % 3, .d = (axis + 2) % 3};
		isDone = flexLinesAlong(&lines, lineSpacing);
	}
	if (!isDone)
	{
		BR_FREE(&model->allocator, moments, count);
		return br_errorMemory;
	}
	bool isSolid = false;
	for (int64_t i = 0; i < count && !isSolid; ++i)
	{
		isSolid = moments[i].volume > FLEX_MIN_FILL / 6.0;
	}
	isDone = isSolid && flexKeepTets(model, moments, count) && flexNumberNodes(model);
	BR_FREE(&model->allocator, moments, count);
	if (isDone)
	{
		return br_success;
	}
	return isSolid ? br_errorMemory : br_errorGeometry;
}
