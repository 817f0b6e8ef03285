// SPDX-License-Identifier: MIT

// Box, brick and pane: the surface of a grid of nx x ny x nz cells, its vertices mapped to a box with rounded edges.
//
// Each axis has its own list of coordinates: cells of equal size on the flat part and, with rounding, narrow ones at
// both ends whose vertices are pushed onto the round edge. Flat and edge cells are planar quads, corner cells two
// triangles.

#include "mesh/models.h"

#include "base/assert.h"
#include "mesh/mesh_build.h"

typedef struct BoxAxis
{
	double half;   // half the length
	double core;   // half the length of the flat part
	int32_t round; // cells in each rounded end, 0 without rounding
	int32_t flat;  // cells of the flat part
} BoxAxis;

typedef struct BoxGrid
{
	BoxAxis axes[3];
	int32_t cells[3];
	double radius; // of the edges
} BoxGrid;

// Where vertex i of an axis would be without rounding. The cells of a rounded end are spaced so that, seen from the
// edge's axis, they cover equal angles of the eighth of a turn up to the bisector.
static double boxCoordinate(const BoxGrid* grid, int32_t axis, int32_t i)
{
	const BoxAxis* a = &grid->axes[axis];
	int32_t last = grid->cells[axis];
	if (2 * i > last)
	{
		return -boxCoordinate(grid, axis, last - i);
	}
	if (i >= a->round)
	{
		return a->core * (2.0 * (i - a->round) / a->flat - 1.0);
	}
	if (i == 0)
	{
		return -a->half;
	}
	double angle = 0.25 * BR_PI * (a->round - i) / a->round;
	return -a->core - grid->radius * brSin(angle) / brCos(angle);
}

static double boxClamp(double x, double limit)
{
	return x < -limit ? -limit : x > limit ? limit : x;
}

static brDVec3 boxPoint(const BoxGrid* grid, const int32_t at[3])
{
	brDVec3 p = {boxCoordinate(grid, 0, at[0]), boxCoordinate(grid, 1, at[1]), boxCoordinate(grid, 2, at[2])};
	if (grid->radius > 0.0)
	{
		brDVec3 core = {boxClamp(p.x, grid->axes[0].core), boxClamp(p.y, grid->axes[1].core),
						boxClamp(p.z, grid->axes[2].core)};
		brDVec3 out = brDSub(p, core);
		// Exactly flat where only one axis sticks out.
		int32_t sides = (out.x != 0.0) + (out.y != 0.0) + (out.z != 0.0);
		p = sides > 1 ? brDMulAdd(core, grid->radius / brDLength(out), out) : p;
	}
	p.z += grid->axes[2].half;
	return p;
}

// Surface vertices are numbered layer by layer: whole layers at the bottom and top, rings between.
static int32_t boxVertex(const BoxGrid* grid, int32_t x, int32_t y, int32_t z)
{
	int32_t nx = grid->cells[0], ny = grid->cells[1], nz = grid->cells[2];
	int32_t layer = (nx + 1) * (ny + 1), ring = 2 * (nx + ny);
	if (z == 0)
	{
		return y * (nx + 1) + x;
	}
	int32_t first = layer + (z - 1) * ring;
	if (z == nz)
	{
		return first + y * (nx + 1) + x;
	}
	return first + (y == 0 ? x : x == nx ? nx + y : y == ny ? nx + ny + (nx - x) : 2 * nx + ny + (ny - y));
}

static bool boxIsRounded(const BoxGrid* grid, int32_t axis, int32_t cell)
{
	int32_t round = grid->axes[axis].round;
	return cell < round || cell >= grid->cells[axis] - round;
}

// One side of the box: `axis` is its normal, cells run along the next two axes.
static void boxSide(const BoxGrid* grid, brMesh* mesh, int32_t axis, bool isUpper, int32_t* face, int32_t* corner)
{
	int32_t s = (axis + 1) % 3, t = (axis + 2) % 3;
	double longest = grid->axes[0].half > grid->axes[1].half ? grid->axes[0].half : grid->axes[1].half;
	longest = 2.0 * (longest > grid->axes[2].half ? longest : grid->axes[2].half);
	for (int32_t j = 0; j < grid->cells[t]; ++j)
	{
		for (int32_t i = 0; i < grid->cells[s]; ++i)
		{
			// The other two ways round a lower side; corners in the order the face lists them.
			static const int32_t around[2][4][2] = {{{0, 0}, {0, 1}, {1, 1}, {1, 0}}, {{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
			bool isSplit = boxIsRounded(grid, s, i) && boxIsRounded(grid, t, j);
			for (int32_t c = 0; c < (isSplit ? 6 : 4); ++c)
			{
				static const int32_t split[6] = {0, 1, 2, 0, 2, 3};
				const int32_t* step = around[isUpper][isSplit ? split[c] : c];
				int32_t at[3];
				at[axis] = isUpper ? grid->cells[axis] : 0;
				at[s] = i + step[0];
				at[t] = j + step[1];
				double u = boxCoordinate(grid, s, at[s]) + grid->axes[s].half;
				double v = boxCoordinate(grid, t, at[t]) + grid->axes[t].half;
				mesh->uvs[*corner] =
					(brVec2){(float)((isUpper ? u : 2.0 * grid->axes[s].half - u) / longest), (float)(v / longest)};
				mesh->corners[(*corner)++] = boxVertex(grid, at[0], at[1], at[2]);
				if (isSplit && c == 2)
				{
					mesh->faceStarts[++*face] = *corner;
				}
			}
			mesh->faceStarts[++*face] = *corner;
		}
	}
}

static brResult boxMake(const brModelInput* input, const double sides[3], double rounding, brMesh** outMesh,
						brReport* report)
{
	double longest = sides[0] > sides[1] ? sides[0] : sides[1];
	longest = longest > sides[2] ? longest : sides[2];
	double shortest = sides[0] < sides[1] ? sides[0] : sides[1];
	shortest = shortest < sides[2] ? shortest : sides[2];
	double step = longest / input->resolution;
	BoxGrid grid = {.radius = rounding * shortest};
	int32_t round = 0;
	if (rounding > 0.0)
	{
		round = (int32_t)ceil(0.25 * BR_PI * grid.radius / step);
		round = round > 2 ? round : 2;
	}
	int64_t counts[3];
	for (int32_t a = 0; a < 3; ++a)
	{
		BoxAxis* axis = &grid.axes[a];
		axis->half = 0.5 * sides[a];
		axis->core = axis->half - grid.radius;
		axis->round = round;
		axis->flat = (int32_t)ceil(2.0 * axis->core / step - 1e-6);
		axis->flat = axis->flat > 1 ? axis->flat : 1;
		grid.cells[a] = axis->flat + 2 * round;
		counts[a] = grid.cells[a];
	}
	int64_t quads = 2 * (counts[0] * counts[1] + counts[1] * counts[2] + counts[2] * counts[0]);
	int64_t splits = 24 * (int64_t)round * round; // eight corners of three patches
	if (4 * quads + 2 * splits > INT32_MAX)
	{
		return brFail(report, br_errorLimit, "the box would have %lld faces, more than 32 bits count the corners of",
					  (long long)(quads + splits));
	}
	brMeshShape shape = {(int32_t)(quads + 2),
						 (int32_t)(quads + splits),
						 (int32_t)(4 * quads + 2 * splits),
						 1,
						 0,
						 true,
						 true,
						 false,
						 true,
						 false};
	brMesh* mesh = brAllocMesh(&input->allocator, &shape);
	if (mesh == NULL)
	{
		return brFailMemory(report);
	}
	int32_t face = 0, corner = 0;
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		boxSide(&grid, mesh, axis, false, &face, &corner);
		boxSide(&grid, mesh, axis, true, &face, &corner);
	}
	BR_ASSERT(face == mesh->faceCount && corner == mesh->cornerCount);
	for (int32_t z = 0; z <= grid.cells[2]; ++z)
	{
		bool isWhole = z == 0 || z == grid.cells[2];
		for (int32_t y = 0; y <= grid.cells[1]; ++y)
		{
			int32_t stride = isWhole || y == 0 || y == grid.cells[1] ? 1 : grid.cells[0];
			for (int32_t x = 0; x <= grid.cells[0]; x += stride)
			{
				mesh->positions[boxVertex(&grid, x, y, z)] = boxPoint(&grid, (int32_t[3]){x, y, z});
			}
		}
	}
	if (!brModel_SetNormals(&input->allocator, mesh, BR_PI / 6.0))
	{
		brDestroyMesh(mesh);
		return brFailMemory(report);
	}
	*outMesh = mesh;
	return br_success;
}

brResult brMakeBoxModel(const brModelInput* input, brMesh** outMesh, brReport* report)
{
	brResult result = boxMake(input, input->parameters, 0.0, outMesh, report);
	if (result >= 0)
	{
		brModel_SetMaterial(*outMesh, "plaster", (brVec4){0.76f, 0.73f, 0.68f, 1.0f}, 0.8f);
	}
	return result;
}

brResult brMakeBrickModel(const brModelInput* input, brMesh** outMesh, brReport* report)
{
	brResult result = boxMake(input, input->parameters, input->parameters[3], outMesh, report);
	if (result >= 0)
	{
		brModel_SetMaterial(*outMesh, "brick", (brVec4){0.33f, 0.095f, 0.05f, 1.0f}, 0.9f);
	}
	return result;
}

brResult brMakePaneModel(const brModelInput* input, brMesh** outMesh, brReport* report)
{
	double sides[3] = {input->parameters[0], input->parameters[2], input->parameters[1]};
	brResult result = boxMake(input, sides, 0.0, outMesh, report);
	if (result >= 0)
	{
		brModel_SetMaterial(*outMesh, "glass", (brVec4){0.80f, 0.94f, 0.90f, 0.2f}, 0.02f);
	}
	return result;
}
