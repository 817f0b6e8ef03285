// SPDX-License-Identifier: MIT
#include "shapes.h"

#include "brittle/models.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

brMesh* brShape_Make(const brDVec3* positions, int32_t vertexCount, const int32_t* corners, const int32_t* sizes,
					 int32_t faceCount)
{
	int32_t* starts = malloc(((size_t)faceCount + 1) * sizeof(int32_t));
	starts[0] = 0;
	for (int32_t f = 0; f < faceCount; ++f)
	{
		starts[f + 1] = starts[f] + (sizes != NULL ? sizes[f] : 3);
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = vertexCount;
	def.positions = positions;
	def.faceCount = faceCount;
	def.faceStarts = starts;
	def.corners = corners;
	brMesh* mesh = BR_MADE(brMesh, brCreateMesh, NULL, &def);
	free(starts);
	return mesh;
}

brMesh* brShape_Box(double x, double y, double z)
{
	brDVec3 positions[8];
	for (int i = 0; i < 8; ++i)
	{
		positions[i] = (brDVec3){(i & 1) != 0 ? x : 0.0, (i & 2) != 0 ? y : 0.0, (i & 4) != 0 ? z : 0.0};
	}
	int32_t corners[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
	int32_t sizes[6] = {4, 4, 4, 4, 4, 4};
	return brShape_Make(positions, 8, corners, sizes, 6);
}

brMesh* brShape_Tetrahedron(void)
{
	brDVec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	int32_t corners[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
	return brShape_Make(positions, 4, corners, NULL, 4);
}

brMesh* brShape_Sphere(int32_t levels)
{
	// Each octant is a triangle lattice of n steps; vertices of octant borders are found by their integer coordinates.
	int32_t n = 1 << levels;
	int32_t side = 2 * n + 1;
	int32_t* ids = malloc((size_t)side * (size_t)side * 2 * sizeof(int32_t));
	memset(ids, 0xff, (size_t)side * (size_t)side * 2 * sizeof(int32_t));
	brDVec3* positions = malloc((size_t)(4 * n * n + 2) * sizeof(brDVec3));
	int32_t* corners = malloc((size_t)(24 * n * n) * sizeof(int32_t));
	int32_t vertexCount = 0, faceCount = 0;
	for (int octant = 0; octant < 8; ++octant)
	{
		int sx = (octant & 1) != 0 ? -1 : 1, sy = (octant & 2) != 0 ? -1 : 1, sz = (octant & 4) != 0 ? -1 : 1;
		bool flips = sx * sy * sz < 0;
		for (int32_t i = 0; i < n; ++i)
		{
			for (int32_t j = 0; i + j < n; ++j)
			{
				int32_t lattice[6][2] = {{i, j}, {i + 1, j}, {i, j + 1}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}};
				int used = i + j + 1 < n ? 6 : 3;
				int32_t vertex[6] = {0};
				for (int k = 0; k < used; ++k)
				{
					int32_t x = sx * lattice[k][0], y = sy * lattice[k][1], z = sz * (n - abs(x) - abs(y));
					int32_t* id = &ids[((x + n) * side + (y + n)) * 2 + (z < 0)];
					if (*id < 0)
					{
						*id = vertexCount;
						positions[vertexCount++] = brDNormalize((brDVec3){x, y, z});
					}
					vertex[k] = *id;
				}
				for (int k = 0; k < used; k += 3)
				{
					corners[3 * faceCount] = vertex[k];
					corners[3 * faceCount + 1] = vertex[flips ? k + 2 : k + 1];
					corners[3 * faceCount + 2] = vertex[flips ? k + 1 : k + 2];
					faceCount += 1;
				}
			}
		}
	}
	brMesh* mesh = brShape_Make(positions, vertexCount, corners, NULL, faceCount);
	free(ids);
	free(positions);
	free(corners);
	return mesh;
}

brMesh* brShape_Torus(int32_t around, int32_t across, double radius, double tube)
{
	int32_t count = around * across;
	brDVec3* positions = malloc((size_t)count * sizeof(brDVec3));
	int32_t* corners = malloc((size_t)count * 4 * sizeof(int32_t));
	int32_t* sizes = malloc((size_t)count * sizeof(int32_t));
	for (int32_t i = 0; i < around; ++i)
	{
		double u = 2.0 * BR_PI * i / around;
		for (int32_t j = 0; j < across; ++j)
		{
			double v = 2.0 * BR_PI * j / across;
			double r = radius + tube * brCos(v);
			int32_t k = i * across + j;
			int32_t i1 = (i + 1) % around * across, j1 = (j + 1) % across;
			positions[k] = (brDVec3){r * brCos(u), r * brSin(u), tube * brSin(v)};
			int32_t quad[4] = {k, i1 + j, i1 + j1, i * across + j1};
			memcpy(corners + 4 * k, quad, sizeof(quad));
			sizes[k] = 4;
		}
	}
	brMesh* mesh = brShape_Make(positions, count, corners, sizes, count);
	free(positions);
	free(corners);
	free(sizes);
	return mesh;
}

brMesh* brShape_LPrism(void)
{
	double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
	brDVec3 positions[12];
	int32_t corners[36], sizes[8];
	for (int i = 0; i < 6; ++i)
	{
		positions[i] = (brDVec3){outline[i][0], outline[i][1], 0.0};
		positions[i + 6] = (brDVec3){outline[i][0], outline[i][1], 1.0};
		corners[i] = 5 - i;
		corners[6 + i] = 6 + i;
		int32_t side[4] = {i, (i + 1) % 6, 6 + (i + 1) % 6, 6 + i};
		memcpy(corners + 12 + 4 * i, side, sizeof(side));
		sizes[2 + i] = 4;
	}
	sizes[0] = sizes[1] = 6;
	return brShape_Make(positions, 12, corners, sizes, 8);
}

brMesh* brShape_Soup(const brMesh* mesh)
{
	brDVec3* positions = malloc((size_t)mesh->cornerCount * sizeof(brDVec3));
	int32_t* corners = malloc((size_t)mesh->cornerCount * sizeof(int32_t));
	int32_t* sizes = malloc((size_t)mesh->faceCount * sizeof(int32_t));
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		positions[c] = mesh->positions[mesh->corners[c]];
		corners[c] = c;
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		sizes[f] = brMesh_GetFaceSize(mesh, f);
	}
	brMesh* soup = brShape_Make(positions, mesh->cornerCount, corners, sizes, mesh->faceCount);
	free(positions);
	free(corners);
	free(sizes);
	return soup;
}

static bool sameArray(const void* a, const void* b, int64_t count, size_t bytes)
{
	return (a == NULL) == (b == NULL) && (a == NULL || count == 0 || memcmp(a, b, (size_t)count * bytes) == 0);
}

bool brShape_Same(const brMesh* a, const brMesh* b)
{
	return a->vertexCount == b->vertexCount && a->faceCount == b->faceCount && a->cornerCount == b->cornerCount &&
		   a->materialCount == b->materialCount && a->groupCount == b->groupCount &&
		   sameArray(a->positions, b->positions, a->vertexCount, sizeof(brDVec3)) &&
		   sameArray(a->faceStarts, b->faceStarts, (int64_t)a->faceCount + 1, sizeof(int32_t)) &&
		   sameArray(a->corners, b->corners, a->cornerCount, sizeof(int32_t)) &&
		   sameArray(a->uvs, b->uvs, a->cornerCount, sizeof(brVec2)) &&
		   sameArray(a->normals, b->normals, a->cornerCount, sizeof(brVec3)) &&
		   sameArray(a->colors, b->colors, a->vertexCount, sizeof(brVec4)) &&
		   sameArray(a->faceMaterials, b->faceMaterials, a->faceCount, sizeof(int32_t)) &&
		   sameArray(a->faceGroups, b->faceGroups, a->faceCount, sizeof(int32_t)) &&
		   sameArray(a->materials, b->materials, a->materialCount, sizeof(brSurfaceMaterial)) &&
		   sameArray(a->groupNames, b->groupNames, a->groupCount, sizeof(char[64]));
}

brMesh* brShape_Model(const char* name, int32_t resolution)
{
	brModelDef def = brDefaultModelDef(name);
	def.resolution = resolution;
	return BR_MADE(brMesh, brMakeModel, NULL, &def);
}
