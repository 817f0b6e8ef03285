// SPDX-License-Identifier: MIT

#include "elastic/flex_model.h"

#include "base/cpu.h"
#include "base/lanes.h"

#include <math.h>
#include <string.h>

#define FLEX_BACKGROUND 1e-5  // stiffness of the empty part of a tet, so that none is without any
#define FLEX_LINES 8.0        // an edge over the distance of lines
#define FLEX_WALL_LINES 2.0   // a wall over the distance of lines
#define FLEX_MAX_LINES 40.0   // an edge over the distance of lines, at most
#define FLEX_MAX_CUBES 50.0   // along the longest diagonal
#define FLEX_LUMP_TETS 0.4    // of the tets of a body with walls
#define FLEX_LUMP_WALL 1.2    // edges below so many walls resolve a body as a lump
#define FLEX_PRESS_REACH 0.75 // of the scale: so far into the body a force at the surface is spread
#define FLEX_PRESS_MERGE 0.3  // of the scale
#define FLEX_PRESS_POINTS 64
#define FLEX_PRESS_FILL 0.35  // tets that are emptier than this part of the fullest nearby take no force
#define FLEX_RIM 0.25         // of the scale: what is held reaches so far in
#define FLEX_FARTHER 1.000001 // times as far squared: rounding makes no vertex the farthest
#define FLEX_PLATE 0.15       // a body thinner than this part of its other sides is a plate in a frame

// The vertex farthest from a line through `middle`, or with direction 0 from the point itself. Of vertices that are as
// far but for rounding the first one, so that a body that is turned has the same.
static brDVec3 flexFarthest(const brMesh* mesh, brDVec3 middle, brDVec3 direction)
{
	brDVec3 best = {0.0, 0.0, 0.0};
	double most = 0.0;
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		brDVec3 d = brDSub(mesh->positions[v], middle);
		d = brDMulAdd(d, -brDDot(d, direction), direction);
		double far = brDLengthSq(d);
		if (far > FLEX_FARTHER * most)
		{
			best = d;
			most = far;
		}
	}
	return best;
}

// Axes of the lattice: turned from axes of the body's own, found by its farthest vertices, so that it does not matter
// how the mesh lies in its coordinates; by an axis and an angle that put no wall of a common form along it.
static brMat3 flexTurn(const brMesh* mesh)
{
	brDVec3 middle = {0.0, 0.0, 0.0}, none = {0.0, 0.0, 0.0};
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		middle = brDMulAdd(middle, 1.0 / mesh->vertexCount, mesh->positions[v]);
	}
	brDVec3 x = brDNormalize(flexFarthest(mesh, middle, none));
	brDVec3 y = brDNormalize(flexFarthest(mesh, middle, x)), z = brDCross(x, y);
	brDVec3 axis = brDNormalize(brMakeDVec3(0.5377, -0.2931, 0.7906));
	brMat3 own = {x, y, z}, turn = brMakeMat3FromQuat(brMakeQuatAxisAngle(axis, 0.8123));
	own = brMat3_Transpose(&own);
	return (brMat3){brMat3_MulV(&turn, own.cx), brMat3_MulV(&turn, own.cy), brMat3_MulV(&turn, own.cz)};
}

static bool flexTakeTriangles(brFlexModel* model, const brMesh* mesh)
{
	model->triangleCount = mesh->cornerCount - 2 * mesh->faceCount;
	model->triangles = brAllocArray(&model->allocator, model->triangleCount, sizeof(*model->triangles));
	model->balls = BR_ALLOC(&model->allocator, brFlexBall, model->triangleCount);
	if (model->triangles == NULL || model->balls == NULL)
	{
		return false;
	}
	int32_t count = 0; // faces have three corners or more
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		const int32_t* corners = mesh->corners + mesh->faceStarts[f];
		int32_t size = mesh->faceStarts[f + 1] - mesh->faceStarts[f];
		for (int32_t k = 1; k + 1 < size; ++k, ++count)
		{
			const int32_t ends[3] = {corners[0], corners[k], corners[k + 1]};
			for (int c = 0; c < 3; ++c)
			{
				model->triangles[count][c] = brMat3_MulV(&model->turn, mesh->positions[ends[c]]);
			}
			const brDVec3* t = model->triangles[count];
			brDVec3 middle = brDMul(1.0 / 3.0, brDAdd(t[0], brDAdd(t[1], t[2])));
			double far = fmax(brDDistance(t[0], middle), fmax(brDDistance(t[1], middle), brDDistance(t[2], middle)));
			model->balls[count] = (brFlexBall){middle, 1.000001 * far};
		}
	}
	return true;
}

// Integrals of G_a G_b^T over the solid, G the slopes of the shape functions, at weights `w` at places `p`.
static void flexGram(int32_t order, const brDVec3* places, const double* weights, int32_t count,
					 double out[BR_FRONT_NODES][BR_FRONT_NODES][3][3])
{
	for (int32_t q = 0; q < count; ++q)
	{
		brDVec3 slopes[BR_FRONT_NODES];
		double g[BR_FRONT_NODES][3];
		brFlexSlopes(order, places[q], slopes);
		for (int a = 0; a < BR_FRONT_NODES; ++a)
		{
			g[a][0] = slopes[a].x, g[a][1] = slopes[a].y, g[a][2] = slopes[a].z;
		}
		for (int a = 0; a < BR_FRONT_NODES; ++a)
		{
			double w[3] = {weights[q] * g[a][0], weights[q] * g[a][1], weights[q] * g[a][2]};
			for (int b = a; b < BR_FRONT_NODES; ++b)
			{
				for (int r = 0; r < 3; ++r)
				{
					for (int s = 0; s < 3; ++s)
					{
						out[a][b][r][s] += w[r] * g[b][s];
					}
				}
			}
		}
	}
}

static void flexLame(double poisson, double* outLambda, double* outMu)
{
	*outLambda = poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
	*outMu = 1.0 / (2.0 * (1.0 + poisson));
}

// Six points over the solid, four over the whole tet for the background. Slopes are per edge and volumes in cubes of
// it: both together leave one edge.
static void flexStiffness(const void* user, int32_t index, double out[BR_FRONT_ROWS][BR_FRONT_ROWS])
{
	const brFlexModel* model = user;
	const brFlexTet* tet = &model->tets[index];
	brDVec3 places[10];
	double weights[10], lambda, mu, gram[BR_FRONT_NODES][BR_FRONT_NODES][3][3];
	double volume = tet->volume / (model->edge * model->edge);
	for (int k = 0; k < 6; ++k)
	{
		places[k] = brFlexTet_Point(tet, k);
		weights[k] = volume / 6.0;
	}
	// Corners of the path with barycentric weights 0.585 and three times 0.138: exact for linear times linear.
	static const int32_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	double corners[4][3] = {{0.0}};
	for (int k = 1; k < 4; ++k)
	{
		memcpy(corners[k], corners[k - 1], sizeof(corners[k]));
		corners[k][orders[tet->order][k - 1]] += 1.0;
	}
	for (int k = 0; k < 4; ++k)
	{
		double p[3];
		for (int a = 0; a < 3; ++a)
		{
			double sum = corners[0][a] + corners[1][a] + corners[2][a] + corners[3][a];
			p[a] = 0.1381966011250105 * sum + 0.4472135954999580 * corners[k][a];
		}
		places[6 + k] = brMakeDVec3(p[0], p[1], p[2]);
		weights[6 + k] = FLEX_BACKGROUND * model->edge / 24.0;
	}
	memset(gram, 0, sizeof(gram));
	flexGram(tet->order, places, weights, 10, gram);
	flexLame(model->poissonRatio, &lambda, &mu);
	for (int a = 0; a < BR_FRONT_NODES; ++a)
	{
		for (int b = a; b < BR_FRONT_NODES; ++b)
		{
			double(*g)[3] = gram[a][b];
			double trace = mu * (g[0][0] + g[1][1] + g[2][2]);
			for (int r = 0; r < 3; ++r)
			{
				for (int s = 0; s < 3; ++s)
				{
					out[3 * a + r][3 * b + s] = lambda * g[r][s] + mu * g[s][r] + (r == s ? trace : 0.0);
				}
			}
		}
	}
}

// Loads by unit accelerations of the solid at density 1, with the quadrature's own center and inertia, so that every
// load is balanced exactly.
static bool flexInertia(brFlexModel* model)
{
	model->inertiaLoads =
		brAllocZeroArray(&model->allocator, 3 * (int64_t)model->nodeCount, sizeof(*model->inertiaLoads));
	if (model->inertiaLoads == NULL)
	{
		return false;
	}
	double mass = 0.0;
	brDVec3 center = {0.0, 0.0, 0.0};
	for (int32_t t = 0; t < model->tetCount; ++t)
	{
		const brFlexTet* tet = &model->tets[t];
		mass += tet->volume;
		center = brDMulAdd(center, tet->volume, brFlexModel_Place(model, tet, tet->center));
	}
	model->volume = mass;
	model->center = brDMul(1.0 / mass, center);
	double xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, xz = 0.0, yz = 0.0;
	for (int32_t t = 0; t < model->tetCount; ++t)
	{
		const brFlexTet* tet = &model->tets[t];
		for (int k = 0; k < 6; ++k)
		{
			brDVec3 place = brFlexTet_Point(tet, k), r = brDSub(brFlexModel_Place(model, tet, place), model->center);
			double w = tet->volume / 6.0, shape[BR_FRONT_NODES];
			xx += w * (r.y * r.y + r.z * r.z), yy += w * (r.x * r.x + r.z * r.z), zz += w * (r.x * r.x + r.y * r.y);
			xy -= w * r.x * r.y, xz -= w * r.x * r.z, yz -= w * r.y * r.z;
			brFlexShape(tet->order, place, shape);
			// Acceleration about an axis: axis x r.
			const double about[3][3] = {{0.0, -r.z, r.y}, {r.z, 0.0, -r.x}, {-r.y, r.x, 0.0}};
			for (int n = 0; n < BR_FRONT_NODES; ++n)
			{
				double(*loads)[6] = &model->inertiaLoads[3 * model->nodes[t][n]];
				for (int c = 0; c < 3; ++c)
				{
					loads[c][c] += w * shape[n];
					for (int a = 0; a < 3; ++a)
					{
						loads[c][3 + a] += w * shape[n] * about[a][c];
					}
				}
			}
		}
	}
	brMat3 inertia = {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
	brMat3 cofactor = brMat3_Cofactor(&inertia);
	double s = 1.0 / brMat3_Determinant(&inertia);
	model->invInertia = (brMat3){brDMul(s, cofactor.cx), brDMul(s, cofactor.cy), brDMul(s, cofactor.cz)};
	return true;
}

// Six pins at the fullest tet, just enough to hold a body whose loads are balanced.
static void flexPin(brFlexModel* model)
{
	int32_t best = 0;
	for (int32_t t = 1; t < model->tetCount; ++t)
	{
		best = model->tets[t].fill > model->tets[best].fill ? t : best;
	}
	static const int32_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	const int32_t *axes = orders[model->tets[best].order], *nodes = model->nodes[best];
	const int32_t pins[6] = {3 * nodes[0],           3 * nodes[0] + 1,       3 * nodes[0] + 2,
							 3 * nodes[1] + axes[1], 3 * nodes[1] + axes[2], 3 * nodes[2] + axes[2]};
	for (int k = 0; k < 6; ++k)
	{
		model->springs[pins[k]] = model->edge;
	}
}

// A plate is held round its rim: springs at the solid that lies at the ends of its two long sides. False if it is no
// plate.
static bool flexHoldRim(brFlexModel* model, const brMesh* mesh)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	const double sizes[3] = {box.upper.x - box.lower.x, box.upper.y - box.lower.y, box.upper.z - box.lower.z};
	int thin = sizes[0] < sizes[1] ? 0 : 1;
	thin = sizes[2] < sizes[thin] ? 2 : thin;
	double least = fmin(sizes[(thin + 1) % 3], sizes[(thin + 2) % 3]);
	if (!(sizes[thin] < FLEX_PLATE * least))
	{
		return false;
	}
	brMat3 back = brMat3_Transpose(&model->turn);
	double reach = fmin(FLEX_RIM * model->scale, 0.1 * least);
	for (int32_t t = 0; t < model->tetCount; ++t)
	{
		const brFlexTet* tet = &model->tets[t];
		for (int k = 0; k < 6; ++k)
		{
			brDVec3 place = brFlexTet_Point(tet, k), p = brMat3_MulV(&back, brFlexModel_Place(model, tet, place));
			const double at[3] = {p.x, p.y, p.z}, low[3] = {box.lower.x, box.lower.y, box.lower.z},
						 high[3] = {box.upper.x, box.upper.y, box.upper.z};
			bool isRim = false;
			for (int a = 1; a < 3; ++a)
			{
				int axis = (thin + a) % 3;
				isRim = isRim || at[axis] < low[axis] + reach || at[axis] > high[axis] - reach;
			}
			double shape[BR_FRONT_NODES];
			brFlexShape(tet->order, place, shape);
			for (int n = 0; n < BR_FRONT_NODES && isRim; ++n)
			{
				for (int c = 0; c < 3; ++c)
				{
					model->springs[3 * model->nodes[t][n] + c] += fabs(shape[n]) * tet->volume / (6.0 * reach * reach);
				}
			}
		}
	}
	return true;
}

// Edge of the cubes. What is long and thin fills few of the cubes of its box: then they are larger.
static double flexEdge(const brFlexDef* def, int32_t tets, double area, const brMat3* turn)
{
	brDBox3 box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
	for (int32_t v = 0; v < def->mesh->vertexCount; ++v)
	{
		brDVec3 p = brMat3_MulV(turn, def->mesh->positions[v]);
		box = brDBox3_Union(box, (brDBox3){p, p});
	}
	double edge = brFlexEdge(def->volume, area, tets), wall = 2.0 * def->volume / area;
	// A lump has no walls to resolve and needs fewer.
	double wide = brFlexEdge(def->volume, area, FLEX_LUMP_TETS * tets);
	edge = wide < FLEX_LUMP_WALL * wall ? wide : edge;
	return fmax(edge, brDDistance(box.lower, box.upper) / FLEX_MAX_CUBES);
}

// Displacements by unit accelerations, found once.
static void flexSolveInertia(brFlexModel* model)
{
	int64_t rows = 3 * (int64_t)model->nodeCount;
	for (int first = 0; first < 6; first += BR_FRONT_LANES)
	{
		int count = 6 - first < BR_FRONT_LANES ? 6 - first : BR_FRONT_LANES;
		memset(model->values, 0, sizeof(*model->values) * (size_t)rows);
		for (int64_t i = 0; i < rows; ++i)
		{
			memcpy(model->values[i], &model->inertiaLoads[i][first], sizeof(double) * (size_t)count);
		}
		brFrontFactor_Solve(model->factor, model->values, model->scratch);
		for (int64_t i = 0; i < rows; ++i)
		{
			memcpy(&model->inertiaValues[i][first], model->values[i], sizeof(double) * (size_t)count);
		}
	}
}

// Room for a question.
static bool flexMakeRoom(brFlexModel* model)
{
	int64_t rows = 3 * (int64_t)model->nodeCount;
	model->loads = brAllocArray(&model->allocator, rows, sizeof(*model->loads));
	model->values = brAllocArray(&model->allocator, rows, sizeof(*model->values));
	model->scratch = brAllocArray(&model->allocator, brFrontFactor_Scratch(model->factor), sizeof(*model->scratch));
	model->near = BR_ALLOC(&model->allocator, int32_t, model->tetCount);
	return model->loads != NULL && model->values != NULL && model->scratch != NULL && model->near != NULL;
}

static void flexFreeRoom(brFlexModel* model)
{
	int64_t rows = 3 * (int64_t)model->nodeCount;
	BR_FREE(&model->allocator, model->loads, rows);
	BR_FREE(&model->allocator, model->values, rows);
	BR_FREE(&model->allocator, model->scratch, model->factor != NULL ? brFrontFactor_Scratch(model->factor) : 0);
	BR_FREE(&model->allocator, model->near, model->tetCount);
}

bool brFlexModel_MakeTwin(const brFlexModel* model, brFlexModel* out)
{
	*out = *model;
	return flexMakeRoom(out);
}

void brFlexModel_FreeTwin(brFlexModel* twin)
{
	flexFreeRoom(twin);
}

static brResult flexBuild(brFlexModel* model, const brFlexDef* def)
{
	if (!flexTakeTriangles(model, def->mesh))
	{
		return br_errorMemory;
	}
	double spacing = fmin(model->edge / FLEX_LINES, fmax(model->wall / FLEX_WALL_LINES, model->edge / FLEX_MAX_LINES));
	brResult result = brFlexModel_MakeLattice(model, spacing);
	if (result < 0)
	{
		return result;
	}
	model->springs = BR_ALLOC_ZERO(&model->allocator, double, 3 * (int64_t)model->nodeCount);
	if (model->springs == NULL || !flexInertia(model))
	{
		return br_errorMemory;
	}
	model->isHeld = def->isHeld && flexHoldRim(model, def->mesh);
	if (!model->isHeld)
	{
		flexPin(model);
	}
	brFrontProblem problem = {
		.tetCount = model->tetCount,
		.nodeCount = model->nodeCount,
		.nodes = (const int32_t(*)[BR_FRONT_NODES])model->nodes,
		.cubes = (const int32_t(*)[3])model->cubes,
		.stiffness = flexStiffness,
		.user = model,
		.springs = model->springs,
	};
	result = brCreateFrontFactor(&model->allocator, &problem, &model->factor);
	if (result < 0)
	{
		return result;
	}
	int64_t rows = 3 * (int64_t)model->nodeCount;
	model->inertiaValues = brAllocArray(&model->allocator, rows, sizeof(*model->inertiaValues));
	if (model->inertiaValues == NULL || !flexMakeRoom(model))
	{
		return br_errorMemory;
	}
	flexSolveInertia(model);
	return br_success;
}

brResult brCreateFlexModel(const brAllocator* allocator, const brFlexDef* def, brFlexModel** outModel)
{
	brFlexModel* model = BR_ALLOC_ZERO(allocator, brFlexModel, 1);
	if (model == NULL)
	{
		return br_errorMemory;
	}
	model->allocator = *allocator;
	model->turn = flexTurn(def->mesh);
	model->poissonRatio = def->poissonRatio;
	model->area = brMesh_ComputeArea(def->mesh);
	model->wall = 2.0 * def->volume / model->area;
	model->edge = flexEdge(def, def->tets, model->area, &model->turn);
	model->scale = fmax(model->edge, flexEdge(def, BR_FLEX_TETS, model->area, &model->turn));
	brResult result = flexBuild(model, def);
	if (result < 0)
	{
		brDestroyFlexModel(model);
		return result;
	}
	*outModel = model;
	return br_success;
}

void brDestroyFlexModel(brFlexModel* model)
{
	if (model == NULL)
	{
		return;
	}
	brAllocator allocator = model->allocator;
	int64_t unknowns = 3 * (int64_t)model->nodeCount;
	flexFreeRoom(model);
	BR_FREE(&allocator, model->inertiaValues, unknowns);
	brDestroyFrontFactor(model->factor);
	BR_FREE(&allocator, model->tets, model->tetCount);
	BR_FREE(&allocator, model->nodes, model->tetCount);
	BR_FREE(&allocator, model->cubes, model->tetCount);
	BR_FREE(&allocator, model->inertiaLoads, unknowns);
	BR_FREE(&allocator, model->springs, unknowns);
	BR_FREE(&allocator, model->cubeStarts,
			(int64_t)model->cubeCounts[0] * model->cubeCounts[1] * model->cubeCounts[2] + 1);
	BR_FREE(&allocator, model->points, model->tetCount);
	BR_FREE(&allocator, model->nodePlaces, model->nodeCount);
	BR_FREE(&allocator, model->triangles, model->triangleCount);
	BR_FREE(&allocator, model->balls, model->triangleCount);
	BR_FREE(&allocator, model, 1);
}

// The weight of a point of a tet in taking a force at `at`: none beyond `reach`.
static double flexBell(const brFlexModel* model, int32_t t, int k, brDVec3 at, double reach)
{
	double far = brDLengthSq(brDSub(model->points[t][k], at)) / (reach * reach);
	return far < 1.0 ? model->tets[t].volume / 6.0 * (1.0 - far) : 0.0;
}

int32_t brFlexModel_Near(const brFlexModel* model, brDVec3 at, double reach)
{
	// The points of a tet lie within a quarter of an edge of its cube.
	double slack = reach / model->edge + 0.25;
	brDVec3 r = brDMul(1.0 / model->edge, brDSub(at, model->origin));
	const double place[3] = {r.x, r.y, r.z};
	int32_t low[3], high[3], count = 0;
	for (int k = 0; k < 3; ++k)
	{
		low[k] = (int32_t)fmax(0.0, floor(place[k] - slack));
		high[k] = (int32_t)fmin(model->cubeCounts[k] - 1.0, floor(place[k] + slack));
	}
	for (int32_t z = low[2]; z <= high[2]; ++z)
	{
		for (int32_t y = low[1]; y <= high[1] && low[0] <= high[0]; ++y)
		{
			int32_t row = (z * model->cubeCounts[1] + y) * model->cubeCounts[0];
			for (int32_t t = model->cubeStarts[row + low[0]]; t < model->cubeStarts[row + high[0] + 1]; ++t)
			{
				model->near[count++] = t;
			}
		}
	}
	return count;
}

// Weights of the points near a place in taking a force there. Wider until there is enough material: slivers of solid
// would be torn off.
typedef struct FlexBell
{
	double reach, fullest, sum;
	int32_t nearCount; // tets in `model->near`
} FlexBell;

static FlexBell flexSpread(const brFlexModel* model, brDVec3 at)
{
	FlexBell bell = {.reach = FLEX_PRESS_REACH * model->scale};
	for (int tries = 0; tries < 6; ++tries, bell.reach *= 1.25)
	{
		double volume = 0.0;
		bell.fullest = 0.0, bell.sum = 0.0;
		bell.nearCount = brFlexModel_Near(model, at, bell.reach);
		for (int32_t i = 0; i < bell.nearCount; ++i)
		{
			int32_t t = model->near[i];
			bool isIn = model->tets[t].fill > bell.fullest && flexBell(model, t, 0, at, bell.reach) > 0.0;
			bell.fullest = isIn ? model->tets[t].fill : bell.fullest;
		}
		for (int32_t i = 0; i < bell.nearCount; ++i)
		{
			int32_t t = model->near[i];
			for (int k = 0; k < 6 && model->tets[t].fill > FLEX_PRESS_FILL * bell.fullest; ++k)
			{
				double w = flexBell(model, t, k, at, bell.reach);
				bell.sum += w;
				volume += w > 0.0 ? model->tets[t].volume / 6.0 : 0.0;
			}
		}
		bool isEnough = volume >= 0.4 * fmin(model->wall, bell.reach) * bell.reach * bell.reach || tries == 5;
		if (isEnough && bell.sum > 0.0)
		{
			break;
		}
	}
	return bell;
}

static void flexPressAt(const brFlexModel* model, brDVec3 at, brDVec3 force, int32_t lane)
{
	FlexBell bell = flexSpread(model, at);
	for (int32_t j = 0; j < bell.nearCount && bell.sum > 0.0; ++j)
	{
		int32_t t = model->near[j];
		const brFlexTet* tet = &model->tets[t];
		for (int k = 0; k < 6 && tet->fill > FLEX_PRESS_FILL * bell.fullest; ++k)
		{
			double w = flexBell(model, t, k, at, bell.reach) / bell.sum, shape[BR_FRONT_NODES];
			if (!(w > 0.0))
			{
				continue;
			}
			brFlexShape(tet->order, brFlexTet_Point(tet, k), shape);
			for (int n = 0; n < BR_FRONT_NODES; ++n)
			{
				double(*row)[BR_FRONT_LANES] = &model->loads[3 * model->nodes[t][n]];
				row[0][lane] += w * shape[n] * force.x;
				row[1][lane] += w * shape[n] * force.y;
				row[2][lane] += w * shape[n] * force.z;
			}
		}
	}
}

void brFlexModel_Begin(const brFlexModel* model)
{
	memset(model->loads, 0, sizeof(*model->loads) * 3 * (size_t)model->nodeCount);
}

void brFlexModel_Press(const brFlexModel* model, const brFlexPatch* patch, brDVec3 force, int32_t lane)
{
	// Points that lie closer together than the lattice can tell press as one.
	double merge = FLEX_PRESS_MERGE * model->scale, shares[FLEX_PRESS_POINTS];
	brDVec3 sums[FLEX_PRESS_POINTS];
	int32_t count = 0;
	for (int32_t i = 0; i < patch->count; ++i)
	{
		brDVec3 p = patch->points[i];
		double share = patch->shares[i];
		int32_t k = 0;
		while (k < count && brDLengthSq(brDSub(brDMul(1.0 / shares[k], sums[k]), p)) > merge * merge)
		{
			k += 1;
		}
		if (k == FLEX_PRESS_POINTS)
		{
			flexPressAt(model, p, brDMul(share, force), lane);
			continue;
		}
		sums[k] = k < count ? brDMulAdd(sums[k], share, p) : brDMul(share, p);
		shares[k] = k < count ? shares[k] + share : share;
		count += k == count;
	}
	for (int32_t k = 0; k < count; ++k)
	{
		flexPressAt(model, brDMul(1.0 / shares[k], sums[k]), brDMul(shares[k], force), lane);
	}
}

// What accelerations of a free body balance a lane of loads: three along the axes, three about them.
static void flexAccelerations(const brFlexModel* model, int32_t lane, double out[6][BR_FRONT_LANES])
{
	brDVec3 force = {0.0, 0.0, 0.0}, moment = {0.0, 0.0, 0.0};
	for (int32_t i = 0; i < model->nodeCount; ++i)
	{
		const double(*load)[BR_FRONT_LANES] = (const double(*)[BR_FRONT_LANES]) & model->loads[3 * i];
		brDVec3 f = {load[0][lane], load[1][lane], load[2][lane]};
		force = brDAdd(force, f);
		moment = brDAdd(moment, brDCross(brDSub(model->nodePlaces[i], model->center), f));
	}
	brDVec3 a = brDMul(1.0 / model->volume, force), turn = brMat3_MulV(&model->invInertia, moment);
	const double values[6] = {a.x, a.y, a.z, turn.x, turn.y, turn.z};
	for (int k = 0; k < 6; ++k)
	{
		out[k][lane] = values[k];
	}
}

void brFlexModel_Solve(const brFlexModel* model, double outWork[BR_FRONT_LANES])
{
	int64_t rows = 3 * (int64_t)model->nodeCount;
	double work[BR_FRONT_LANES] = {0.0};
	memcpy(model->values, model->loads, sizeof(*model->loads) * (size_t)rows);
	brFrontFactor_Solve(model->factor, model->values, model->scratch);
	double a[6][BR_FRONT_LANES] = {{0.0}};
	for (int lane = 0; lane < BR_FRONT_LANES && !model->isHeld; ++lane)
	{
		flexAccelerations(model, lane, a);
	}
	// Forces at few places and inertia everywhere were solved apart: what has no load is passed over.
	for (int64_t i = 0; i < rows; ++i)
	{
		double *load = model->loads[i], *value = model->values[i];
		for (int k = 0; k < 6; ++k)
		{
			double unitLoad = model->inertiaLoads[i][k], unitValue = model->inertiaValues[i][k];
			for (int lane = 0; lane < BR_FRONT_LANES; ++lane)
			{
				load[lane] -= a[k][lane] * unitLoad;
				value[lane] -= a[k][lane] * unitValue;
			}
		}
		for (int lane = 0; lane < BR_FRONT_LANES; ++lane)
		{
			work[lane] += load[lane] * value[lane];
		}
	}
	if (outWork != NULL)
	{
		memcpy(outWork, work, sizeof(work));
	}
}

// Stress of all lanes at a place of a tet.
static inline __attribute__((always_inline)) void flexStressAt(const brFlexModel* model, int32_t t, brDVec3 place,
															   brLooseDouble4 out[6])
{
	brDVec3 slopes[BR_FRONT_NODES];
	brLooseDouble4 g[3][3];
	double lambda, mu;
	memset(g, 0, sizeof(g));
	brFlexSlopes(model->tets[t].order, place, slopes);
	for (int n = 0; n < BR_FRONT_NODES; ++n)
	{
		brLooseDouble4 u[3];
		memcpy(u, model->values[3 * model->nodes[t][n]], sizeof(u));
		for (int c = 0; c < 3; ++c)
		{
			g[c][0] += u[c] * slopes[n].x;
			g[c][1] += u[c] * slopes[n].y;
			g[c][2] += u[c] * slopes[n].z;
		}
	}
	flexLame(model->poissonRatio, &lambda, &mu);
	lambda /= model->edge, mu /= model->edge;
	brLooseDouble4 trace = lambda * (g[0][0] + g[1][1] + g[2][2]);
	out[0] = trace + 2.0 * mu * g[0][0];
	out[1] = trace + 2.0 * mu * g[1][1];
	out[2] = trace + 2.0 * mu * g[2][2];
	out[3] = mu * (g[0][1] + g[1][0]);
	out[4] = mu * (g[0][2] + g[2][0]);
	out[5] = mu * (g[1][2] + g[2][1]);
}

static inline __attribute__((always_inline)) void flexStressAll(const brFlexModel* model, int32_t index,
																brFlexStress out[BR_FRONT_LANES])
{
	const brFlexTet* tet = &model->tets[index];
	brLooseDouble4 center[6], there[6];
	flexStressAt(model, index, tet->center, center);
	for (int c = 0; c < 6; ++c)
	{
		for (int lane = 0; lane < BR_FRONT_LANES; ++lane)
		{
			out[lane].center[c] = center[c][lane];
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		flexStressAt(model, index, brDAdd(tet->center, tet->spread[k]), there);
		for (int c = 0; c < 6; ++c)
		{
			brLooseDouble4 slope = there[c] - center[c]; // the strain of a quadratic tet is linear
			for (int lane = 0; lane < BR_FRONT_LANES; ++lane)
			{
				out[lane].slopes[k][c] = slope[lane];
			}
		}
	}
}

static inline __attribute__((always_inline)) void flexCenterStress(const brFlexModel* model, int32_t tet,
																   double out[BR_FRONT_LANES][6])
{
	brLooseDouble4 center[6];
	flexStressAt(model, tet, model->tets[tet].center, center);
	for (int c = 0; c < 6; ++c)
	{
		for (int lane = 0; lane < BR_FRONT_LANES; ++lane)
		{
			out[lane][c] = center[c][lane];
		}
	}
}

#if defined(__x86_64__) && !defined(BR_SCALAR)
__attribute__((target("avx2"))) static void flexStressWide(const brFlexModel* model, int32_t tet,
														   brFlexStress out[BR_FRONT_LANES])
{
	flexStressAll(model, tet, out);
}

__attribute__((target("avx2"))) static void flexCenterStressWide(const brFlexModel* model, int32_t tet,
																 double out[BR_FRONT_LANES][6])
{
	flexCenterStress(model, tet, out);
}
#endif

void brFlexModel_CenterStress(const brFlexModel* model, int32_t tet, double out[BR_FRONT_LANES][6])
{
#if defined(__x86_64__) && !defined(BR_SCALAR)
	if (brCpu_Best() >= br_cpuAvx2)
	{
		flexCenterStressWide(model, tet, out);
		return;
	}
#endif
	flexCenterStress(model, tet, out);
}

void brFlexModel_Stress(const brFlexModel* model, int32_t tet, brFlexStress out[BR_FRONT_LANES])
{
#if defined(__x86_64__) && !defined(BR_SCALAR)
	if (brCpu_Best() >= br_cpuAvx2)
	{
		flexStressWide(model, tet, out);
		return;
	}
#endif
	flexStressAll(model, tet, out);
}

double brGreatestPullAbove(const double s[6], double least)
{
	// The greatest root of x^3 - 3 q x - 2 r about the mean, from above by Newton's method: no root lies between.
	double mean = (s[0] + s[1] + s[2]) / 3.0, x = s[0] - mean, y = s[1] - mean, z = s[2] - mean;
	double q = (x * x + y * y + z * z + 2.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5])) / 6.0;
	double root = 2.0 * sqrt(q);
	if (mean + root < least)
	{
		return 0.0;
	}
	double r = 0.5 * (x * (y * z - s[5] * s[5]) - s[3] * (s[3] * z - s[5] * s[4]) + s[4] * (s[3] * s[5] - y * s[4]));
	for (int i = 0; i < 8 && root > 0.0; ++i)
	{
		double slope = 3.0 * (root * root - q),
			   step = slope > 0.0 ? (root * (root * root - 3.0 * q) - 2.0 * r) / slope : 0.0;
		root -= step;
		if (step < 1e-9 * root)
		{
			break;
		}
	}
	return mean + root;
}
