// SPDX-License-Identifier: MIT

// Fewer triangles, through meshoptimizer's edge collapses. It works in float about the origin, so positions go in moved
// to the middle of the box and scaled to size one, and come out as the vertices they were: collapses keep a subset of
// them.

#include "base/library.h"
#include "base/memory.h"
#include "base/report.h"
#include "brittle/volume.h"
#include "narrow/triangle_soup.h"

#include <string.h>

#ifdef BR_HAVE_MESHOPTIMIZER
#include <meshoptimizer.h>

typedef struct Meshoptimizer
{
	__typeof__(meshopt_simplify)* meshopt_simplify;
	__typeof__(meshopt_simplifyScale)* meshopt_simplifyScale;
} Meshoptimizer;

static const char* const meshoptimizerNames[] = {"meshopt_simplify", "meshopt_simplifyScale"};
static Meshoptimizer meshoptimizer;

static brResult collapse(const brContext* context, const brTriangleSoup* soup, int32_t target, double maxError,
						 brMesh** outMesh, double* outError, brReport* report)
{
	if (!brLibrary_Find(br_libraryMeshoptimizer, meshoptimizerNames, 2, &meshoptimizer, report))
	{
		return br_errorUnavailable;
	}
	brAllocator allocator = brContext_Allocator(context);
	int64_t indexCount = 3 * (int64_t)soup->triangleCount;
	float* positions = BR_ALLOC(&allocator, float, 3 * (int64_t)soup->vertexCount);
	uint32_t* indices = BR_ALLOC(&allocator, uint32_t, indexCount);
	int32_t* ids = BR_ALLOC(&allocator, int32_t, soup->vertexCount);
	brDVec3* kept = BR_ALLOC(&allocator, brDVec3, soup->vertexCount);
	brResult result = br_errorMemory;
	if (positions != NULL && indices != NULL && ids != NULL && kept != NULL)
	{
		brDBox3 box = brMakeDBox3Empty();
		for (int64_t i = 0; i < indexCount; ++i)
		{
			box = brDBox3_Include(box, soup->positions[soup->triangles[i / 3][i % 3]]);
		}
		brDVec3 middle = brDAdd(brDMul(0.5, box.lower), brDMul(0.5, box.upper)), size = brDSub(box.upper, box.lower);
		double longest = fmax(size.x, fmax(size.y, size.z));
		double scale = longest > 0.0 ? 1.0 / longest : 1.0;
		for (int32_t i = 0; i < soup->vertexCount; ++i)
		{
			brVec3 p = brToVec3(brDMul(scale, brDSub(soup->positions[i], middle)));
			positions[3 * (int64_t)i] = p.x, positions[3 * (int64_t)i + 1] = p.y, positions[3 * (int64_t)i + 2] = p.z;
			ids[i] = -1;
		}
		for (int64_t i = 0; i < indexCount; ++i)
		{
			indices[i] = (uint32_t)soup->triangles[i / 3][i % 3];
		}
		float error = 0.0f;
		float extent = meshoptimizer.meshopt_simplifyScale(positions, (size_t)soup->vertexCount, sizeof(float[3]));
		size_t left = meshoptimizer.meshopt_simplify(indices, indices, (size_t)indexCount, positions,
													 (size_t)soup->vertexCount, sizeof(float[3]), 3 * (size_t)target,
													 extent > 0.0f ? (float)maxError / extent : 0.0f, 0, &error);
		brMeshDef def = brDefaultMeshDef();
		for (size_t i = 0; i < left; ++i)
		{
			int32_t vertex = (int32_t)indices[i];
			if (ids[vertex] < 0)
			{
				ids[vertex] = def.vertexCount;
				kept[def.vertexCount++] = soup->positions[vertex];
			}
			indices[i] = (uint32_t)ids[vertex];
		}
		def.faceCount = (int32_t)(left / 3);
		def.positions = kept;
		def.corners = (const int32_t*)indices;
		result = brCreateMesh(context, &def, outMesh, report);
		if (result >= 0 && outError != NULL)
		{
			*outError = (double)(error * extent) / scale;
		}
	}
	else
	{
		brFailMemory(report);
	}
	BR_FREE(&allocator, positions, 3 * (int64_t)soup->vertexCount);
	BR_FREE(&allocator, indices, indexCount);
	BR_FREE(&allocator, ids, soup->vertexCount);
	BR_FREE(&allocator, kept, soup->vertexCount);
	return result;
}
#else
static brResult collapse(const brContext* context, const brTriangleSoup* soup, int32_t target, double maxError,
						 brMesh** outMesh, double* outError, brReport* report)
{
	(void)context, (void)soup, (void)target, (void)maxError, (void)outMesh, (void)outError;
	return brLibrary_FailAbsent(br_libraryMeshoptimizer, report);
}
#endif

brResult brDecimateMesh(const brContext* context, const brMesh* mesh, int32_t targetTriangles, double maxError,
						brMesh** outMesh, double* outError, brReport* report)
{
	if (mesh == NULL || outMesh == NULL || targetTriangles < 1 || !(maxError >= 0.0))
	{
		return brFail(report, br_errorMisuse, "decimation needs a mesh, a positive count and an error of 0 or more");
	}
	brTriangleSoup soup;
	brResult result = brTriangleSoup_Make(&soup, context, &mesh, 1, report);
	if (result < 0)
	{
		return result;
	}
	result = collapse(context, &soup, targetTriangles, maxError, outMesh, outError, report);
	brTriangleSoup_Free(&soup);
	return result;
}
