// SPDX-License-Identifier: MIT

// Icosphere and blob: an icosahedron with each edge cut into n, its points pushed out to a radius.
//
// Vertices are those of the icosahedron, then n - 1 on each edge, then those inside each of its faces, so no point is
// made twice. Pushing along the ray from the center keeps the triangulation of directions, so even the roughest blob
// cannot cross itself.

#include "mesh/models.h"

#include "base/assert.h"
#include "math/noise.h"
#include "mesh/mesh_build.h"

static const int32_t ballFaces[20][3] = {
	{0, 1, 2},  {0, 2, 3},  {0, 3, 4},  {0, 4, 5},  {0, 5, 1},   {1, 6, 2},   {2, 6, 7},
	{2, 7, 3},  {3, 7, 8},  {3, 8, 4},  {4, 8, 9},  {4, 9, 5},   {5, 9, 10},  {5, 10, 1},
	{1, 10, 6}, {11, 7, 6}, {11, 8, 7}, {11, 9, 8}, {11, 10, 9}, {11, 6, 10},
};

// Poles on the z axis, two rings of five between.
static void ballCorners(brDVec3 corners[12])
{
	corners[0] = brMakeDVec3(0.0, 0.0, 1.0);
	corners[11] = brMakeDVec3(0.0, 0.0, -1.0);
	double z = 1.0 / sqrt(5.0), r = 2.0 * z;
	for (int32_t i = 0; i < 5; ++i)
	{
		double upper = 2.0 * BR_PI * i / 5, lower = upper + BR_PI / 5;
		corners[1 + i] = brMakeDVec3(r * brCos(upper), r * brSin(upper), z);
		corners[6 + i] = brMakeDVec3(r * brCos(lower), r * brSin(lower), -z);
	}
}

// Edges of the icosahedron in the order faces first name them, from the smaller to the larger corner.
typedef struct BallEdges
{
	int32_t edges[30][2];
	int32_t faceEdges[20][3]; // edge i of a face joins its corners i and i + 1
} BallEdges;

static void ballFindEdges(BallEdges* list)
{
	int32_t count = 0;
	for (int32_t f = 0; f < 20; ++f)
	{
		for (int32_t i = 0; i < 3; ++i)
		{
			int32_t a = ballFaces[f][i], b = ballFaces[f][(i + 1) % 3];
			int32_t low = a < b ? a : b, high = a < b ? b : a, e = 0;
			while (e < count && (list->edges[e][0] != low || list->edges[e][1] != high))
			{
				e += 1;
			}
			if (e == count)
			{
				list->edges[count][0] = low;
				list->edges[count++][1] = high;
			}
			list->faceEdges[f][i] = e;
		}
	}
	BR_ASSERT(count == 30);
}

// Vertex at step j of n along edge e, walked from corner `from`.
static int32_t ballEdgeVertex(const BallEdges* list, int32_t n, int32_t e, int32_t from, int32_t j)
{
	int32_t step = list->edges[e][0] == from ? j : n - j;
	return step == 0 ? list->edges[e][0] : step == n ? list->edges[e][1] : 12 + e * (n - 1) + step - 1;
}

// Vertex of face f in row i (of n, from its first corner) and column j (of i).
static int32_t ballVertex(const BallEdges* list, int32_t n, int32_t f, int32_t i, int32_t j)
{
	const int32_t* corners = ballFaces[f];
	const int32_t* edges = list->faceEdges[f];
	if (j == 0)
	{
		return ballEdgeVertex(list, n, edges[2], corners[0], i);
	}
	if (j == i)
	{
		return ballEdgeVertex(list, n, edges[0], corners[0], i);
	}
	if (i == n)
	{
		return ballEdgeVertex(list, n, edges[1], corners[2], j);
	}
	// Rows 2 to n - 1 have i - 1 inner vertices each.
	return 12 + 30 * (n - 1) + f * ((n - 1) * (n - 2) / 2) + (i - 1) * (i - 2) / 2 + j - 1;
}

static void ballPoint(brMesh* mesh, int32_t vertex, brDVec3 a, brDVec3 b, double t)
{
	mesh->positions[vertex] = brDNormalize(brDLerp(a, b, t));
}

// The unit ball about the origin, without attributes.
static brMesh* ballMake(const brModelInput* input)
{
	int32_t n = input->resolution;
	brMeshShape shape = {10 * n * n + 2, 20 * n * n, 60 * n * n, 1, 0, true, true, false, true, false};
	brMesh* mesh = brAllocMesh(&input->allocator, &shape);
	if (mesh == NULL)
	{
		return NULL;
	}
	BallEdges list = {0};
	ballFindEdges(&list);
	brDVec3 corners[12];
	ballCorners(corners);
	for (int32_t i = 0; i < 12; ++i)
	{
		mesh->positions[i] = corners[i];
	}
	for (int32_t e = 0; e < 30; ++e)
	{
		for (int32_t j = 1; j < n; ++j)
		{
			ballPoint(mesh, 12 + e * (n - 1) + j - 1, corners[list.edges[e][0]], corners[list.edges[e][1]],
					  (double)j / n);
		}
	}
	int32_t corner = 0;
	for (int32_t f = 0; f < 20; ++f)
	{
		brDVec3 a = corners[ballFaces[f][0]], b = corners[ballFaces[f][1]], c = corners[ballFaces[f][2]];
		for (int32_t i = 1; i <= n; ++i)
		{
			// Row i runs from the edge towards c to the edge towards b.
			for (int32_t j = 1; j < i && i < n; ++j)
			{
				double row = (double)i / n;
				ballPoint(mesh, ballVertex(&list, n, f, i, j), brDLerp(a, c, row), brDLerp(a, b, row), (double)j / i);
			}
			for (int32_t j = 0; j < i; ++j)
			{
				mesh->corners[corner++] = ballVertex(&list, n, f, i - 1, j);
				mesh->corners[corner++] = ballVertex(&list, n, f, i, j + 1);
				mesh->corners[corner++] = ballVertex(&list, n, f, i, j);
				if (j + 1 < i)
				{
					mesh->corners[corner++] = ballVertex(&list, n, f, i - 1, j);
					mesh->corners[corner++] = ballVertex(&list, n, f, i - 1, j + 1);
					mesh->corners[corner++] = ballVertex(&list, n, f, i, j + 1);
				}
			}
		}
	}
	BR_ASSERT(corner == mesh->cornerCount);
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		mesh->faceStarts[f + 1] = 3 * (f + 1);
	}
	brModel_SetBallUvs(mesh, brMakeDVec3(0.0, 0.0, 0.0));
	return mesh;
}

brResult brMakeIcosphereModel(const brModelInput* input, brMesh** outMesh, brReport* report)
{
	brMesh* mesh = ballMake(input);
	if (mesh == NULL)
	{
		return brFailMemory(report);
	}
	double radius = 0.5 * input->parameters[0];
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		mesh->normals[c] = brToVec3(mesh->positions[mesh->corners[c]]);
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		mesh->positions[v] = brDMul(radius, mesh->positions[v]);
		mesh->positions[v].z += radius;
	}
	brModel_SetMaterial(mesh, "plaster", (brVec4){0.76f, 0.73f, 0.68f, 1.0f}, 0.6f);
	*outMesh = mesh;
	return br_success;
}

typedef struct BlobField
{
	brMesh* mesh;
	uint64_t seed;
	double radius, amplitude, frequency;
	int32_t octaves;
} BlobField;

static void blobPush(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const BlobField* blob = user;
	for (int32_t v = begin; v < end; ++v)
	{
		brDVec3 direction = blob->mesh->positions[v];
		double bump = brFractalNoise3(blob->seed, brDMul(blob->frequency, direction), blob->octaves, 0.5);
		// Gradient noise stays within about half its bound; twice that uses the whole amplitude, clamped to be safe.
		bump = bump < -0.5 ? -1.0 : bump > 0.5 ? 1.0 : 2.0 * bump;
		blob->mesh->positions[v] = brDMul(blob->radius * (1.0 + blob->amplitude * bump), direction);
	}
}

brResult brMakeBlobModel(const brModelInput* input, brMesh** outMesh, brReport* report)
{
	brMesh* mesh = ballMake(input);
	if (mesh == NULL)
	{
		return brFailMemory(report);
	}
	BlobField blob = {
		.mesh = mesh,
		.seed = input->seed,
		.radius = 0.5 * input->parameters[0],
		.amplitude = input->parameters[1],
		.frequency = input->parameters[2],
		.octaves = (int32_t)floor(input->parameters[3] + 0.5),
	};
	brParallelFor(input->workers, mesh->vertexCount, 4096, blobPush, &blob);
	brModel_Stand(mesh);
	if (!brModel_SetNormals(&input->allocator, mesh, BR_PI / 3.0))
	{
		brDestroyMesh(mesh);
		return brFailMemory(report);
	}
	brModel_SetMaterial(mesh, "stone", (brVec4){0.27f, 0.25f, 0.225f, 1.0f}, 0.85f);
	*outMesh = mesh;
	return br_success;
}
