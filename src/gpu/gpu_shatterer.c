// SPDX-License-Identifier: MIT

// A model that stays on a device and is broken there: gpu_pieces.h with the pieces read back, site by site.
//
// Cells write their runs of vertices and triangles in the order in which groups of threads arrive; here they are laid
// out by site. A run that the device could not settle is made on the CPU from the same triangles.

#include "brittle/gpu.h"

#include "base/report.h"
#include "fracture/shatter_build.h"
#include "gpu/gpu_pieces.h"
#include "index/box_source.h"

#include <string.h>

#ifdef BR_HAVE_OPENCL

struct brGpuShatterer
{
	brAllocator allocator;
	brContext context; // as given, for the CPU's turn
	bool hasContext;
	brGpu* gpu;
	brMesh* mesh;  // triangles alone, closed
	double volume; // 0: not known to be sound
	brGpuModel model;
	brGpuPieces device;
	brStageMemory runs, skins, volumes, places, corners; // as they come from the device
	brStageMemory pieces, vertices, triangles;           // as they are given out
};

// Triangles and places, nothing else.
static brResult shattererStrip(const brContext* context, const brMesh* mesh, brMesh** outMesh, brReport* report)
{
	brTriangulation* cut = NULL;
	brResult result = brTriangulateMesh(context, mesh, &cut, report);
	if (result < 0)
	{
		return result;
	}
	brAllocator allocator = brContext_Allocator(context);
	int32_t* corners = BR_ALLOC(&allocator, int32_t, 3 * (int64_t)cut->triangleCount);
	for (int64_t i = 0; corners != NULL && i < 3 * (int64_t)cut->triangleCount; ++i)
	{
		corners[i] = mesh->corners[cut->corners[i]];
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = mesh->vertexCount, def.positions = mesh->positions;
	def.faceCount = cut->triangleCount, def.corners = corners;
	result = corners != NULL ? brCreateMesh(context, &def, outMesh, report) : brFailMemory(report);
	BR_FREE(&allocator, corners, 3 * (int64_t)cut->triangleCount);
	brDestroyTriangulation(cut);
	return result;
}

brResult brCreateGpuShatterer(const brContext* context, brGpu* gpu, const brMesh* mesh, brGpuShatterer** outShatterer,
							  brReport* report)
{
	if (gpu == NULL || mesh == NULL || outShatterer == NULL)
	{
		return brFail(report, br_errorMisuse, "brCreateGpuShatterer needs a device, a mesh and a place for the answer");
	}
	if (!gpu->info.hasDouble)
	{
		return brFail(report, br_errorUnavailable, "%s has no doubles, which pieces need", gpu->info.name);
	}
	brAllocator allocator = brContext_Allocator(context);
	brGpuShatterer* shatterer = BR_ALLOC_ZERO(&allocator, brGpuShatterer, 1);
	if (shatterer == NULL)
	{
		return brFailMemory(report);
	}
	shatterer->allocator = allocator;
	shatterer->hasContext = context != NULL;
	shatterer->context = context != NULL ? *context : shatterer->context;
	shatterer->gpu = gpu;
	brGpuPieces_Init(&shatterer->device, gpu);
	brMesh* mended = NULL;
	bool isSound = false;
	brResult result = brMendForShatter(context, mesh, &mended, &isSound, report);
	result = result < 0 ? result : shattererStrip(context, mended != NULL ? mended : mesh, &shatterer->mesh, report);
	result = result < 0 ? result : brGpuModel_Set(&shatterer->model, gpu, context, shatterer->mesh, report);
	brDestroyMesh(mended);
	if (result < 0)
	{
		brDestroyGpuShatterer(shatterer);
		return result;
	}
	shatterer->volume = isSound ? brMesh_ComputeMass(shatterer->mesh, 1.0).volume : 0.0;
	*outShatterer = shatterer;
	return brSucceed(report);
}

void brDestroyGpuShatterer(brGpuShatterer* shatterer)
{
	if (shatterer == NULL)
	{
		return;
	}
	brStageMemory* all[] = {&shatterer->runs,    &shatterer->skins,  &shatterer->volumes,  &shatterer->places,
							&shatterer->corners, &shatterer->pieces, &shatterer->vertices, &shatterer->triangles};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		brStageMemory_Free(all[i], &shatterer->allocator);
	}
	brGpuPieces_Free(&shatterer->device);
	brGpuModel_Free(&shatterer->model, shatterer->gpu);
	brDestroyMesh(shatterer->mesh);
	brAllocator allocator = shatterer->allocator;
	BR_FREE(&allocator, shatterer, 1);
}

static bool shattererMakeRoom(brGpuShatterer* shatterer, int64_t pieces, int64_t vertices, int64_t triangles)
{
	const brAllocator* a = &shatterer->allocator;
	return brStageMemory_Ensure(&shatterer->pieces, a, pieces, sizeof(brGpuPiece)) &&
		   brStageMemory_Ensure(&shatterer->vertices, a, vertices, sizeof(brDVec3)) &&
		   brStageMemory_Ensure(&shatterer->triangles, a, triangles, sizeof(int32_t[3]));
}

static brGpuShatter shattererAnswer(const brGpuShatterer* shatterer)
{
	return (brGpuShatter){
		.pieces = shatterer->pieces.data, .vertices = shatterer->vertices.data, .triangles = shatterer->triangles.data};
}

static brResult shattererRead(brGpuShatterer* shatterer, int32_t siteCount, const brGpuPieceCounts* counts,
							  brGpuShatter* out, brReport* report)
{
	const brAllocator* a = &shatterer->allocator;
	const brGpuPieces* device = &shatterer->device;
	size_t sites = (size_t)siteCount, vertices = (size_t)counts->vertexCount, triangles = (size_t)counts->triangleCount;
	bool isThere = brStageMemory_Ensure(&shatterer->runs, a, siteCount, sizeof(cl_uint4)) &&
				   brStageMemory_Ensure(&shatterer->skins, a, siteCount, sizeof(uint32_t)) &&
				   brStageMemory_Ensure(&shatterer->volumes, a, siteCount, sizeof(double)) &&
				   brStageMemory_Ensure(&shatterer->places, a, counts->vertexCount, sizeof(brDVec3)) &&
				   brStageMemory_Ensure(&shatterer->corners, a, counts->triangleCount, sizeof(int32_t[3])) &&
				   shattererMakeRoom(shatterer, counts->pieceCount, counts->vertexCount, counts->triangleCount);
	if (!isThere)
	{
		return brFailMemory(report);
	}
	const struct
	{
		const brGpuBuffer* from;
		void* to;
		size_t bytes;
	} copies[] = {{&device->pieces, shatterer->runs.data, sites * sizeof(cl_uint4)},
				  {&device->skins, shatterer->skins.data, sites * sizeof(uint32_t)},
				  {&device->volumes, shatterer->volumes.data, sites * sizeof(double)},
				  {&device->vertices, shatterer->places.data, vertices * sizeof(brDVec3)},
				  {&device->triangles, shatterer->corners.data, triangles * sizeof(int32_t[3])}};
	brResult result = br_success;
	for (size_t i = 0; result >= 0 && i < sizeof(copies) / sizeof(copies[0]); ++i)
	{
		result = copies[i].bytes > 0
					 ? brGpu_Read(shatterer->gpu, copies[i].from, 0, copies[i].to, copies[i].bytes, report)
					 : result;
	}
	*out = shattererAnswer(shatterer);
	brGpuPiece* pieces = shatterer->pieces.data;
	for (int32_t site = 0; result >= 0 && site < siteCount; ++site)
	{
		const cl_uint* run = ((const cl_uint4*)shatterer->runs.data)[site].s;
		if (run[3] == 0)
		{
			continue;
		}
		pieces[out->pieceCount++] = (brGpuPiece){site,
												 out->vertexCount,
												 (int32_t)run[1],
												 out->triangleCount,
												 (int32_t)run[3],
												 (int32_t)((const uint32_t*)shatterer->skins.data)[site],
												 ((const double*)shatterer->volumes.data)[site]};
		memcpy((brDVec3*)shatterer->vertices.data + out->vertexCount, (brDVec3*)shatterer->places.data + run[0],
			   run[1] * sizeof(brDVec3));
		memcpy((int32_t*)shatterer->triangles.data + 3 * (size_t)out->triangleCount,
			   (int32_t*)shatterer->corners.data + 3 * (size_t)run[2], run[3] * sizeof(int32_t[3]));
		out->vertexCount += (int32_t)run[1];
		out->triangleCount += (int32_t)run[3];
	}
	return result;
}

// Adds a piece of the CPU's to that of its site: the surface's triangles in one go, the cuts in the next.
static void shattererAddFaces(const brMesh* mesh, const brTriangulation* cut, bool isCut, int32_t vertexBase,
							  int32_t* triangles, int32_t* count)
{
	for (int32_t i = 0; i < cut->triangleCount; ++i)
	{
		if ((mesh->faceMaterials != NULL && mesh->faceMaterials[cut->faces[i]] >= 0) == isCut)
		{
			for (int32_t n = 0; n < 3; ++n)
			{
				triangles[3 * (int64_t)*count + n] = vertexBase + mesh->corners[cut->corners[3 * i + n]];
			}
			*count += 1;
		}
	}
}

// Pieces of the CPU rise by site; those of one site become one.
static brResult shattererGather(brGpuShatterer* shatterer, const brContext* context, const brShatter* shatter,
								brTriangulation** cuts, brGpuShatter* out, brReport* report)
{
	int64_t vertices = 0, triangles = 0;
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		brResult result = brTriangulateMesh(context, shatter->pieces[i].mesh, &cuts[i], report);
		if (result < 0)
		{
			return result;
		}
		vertices += shatter->pieces[i].mesh->vertexCount;
		triangles += cuts[i]->triangleCount;
	}
	if (vertices > INT32_MAX || triangles > INT32_MAX / 3)
	{
		return brFail(report, br_errorLimit, "pieces of %lld triangles are more than one list holds",
					  (long long)triangles);
	}
	if (!shattererMakeRoom(shatterer, shatter->pieceCount, vertices, triangles))
	{
		return brFailMemory(report);
	}
	*out = shattererAnswer(shatterer);
	out->isFromCpu = true;
	for (int32_t begin = 0, end; begin < shatter->pieceCount; begin = end)
	{
		brGpuPiece piece = {shatter->pieces[begin].site, out->vertexCount, 0, out->triangleCount, 0, 0, 0.0};
		int32_t* corners = (int32_t*)shatterer->triangles.data + 3 * (size_t)piece.firstTriangle;
		for (end = begin; end < shatter->pieceCount && shatter->pieces[end].site == piece.site; ++end)
		{
			const brMesh* mesh = shatter->pieces[end].mesh;
			memcpy((brDVec3*)shatterer->vertices.data + piece.firstVertex + piece.vertexCount, mesh->positions,
				   (size_t)mesh->vertexCount * sizeof(brDVec3));
			shattererAddFaces(mesh, cuts[end], false, piece.vertexCount, corners, &piece.skinCount);
			piece.vertexCount += mesh->vertexCount;
			piece.volume += shatter->pieces[end].mass.volume;
		}
		piece.triangleCount = piece.skinCount;
		for (int32_t i = begin, base = 0; i < end; base += shatter->pieces[i++].mesh->vertexCount)
		{
			shattererAddFaces(shatter->pieces[i].mesh, cuts[i], true, base, corners, &piece.triangleCount);
		}
		((brGpuPiece*)shatterer->pieces.data)[out->pieceCount++] = piece;
		out->vertexCount += piece.vertexCount;
		out->triangleCount += piece.triangleCount;
	}
	return br_success;
}

static brResult shattererOnCpu(brGpuShatterer* shatterer, const brShatterDef* def, brGpuShatter* out, brReport* report)
{
	const brContext* context = shatterer->hasContext ? &shatterer->context : NULL;
	brShatter* shatter = NULL;
	brResult result = brCreateShatterFrom(context, shatterer->mesh, &(brShatterSource){.volume = shatterer->volume},
										  def, &shatter, report);
	if (result < 0)
	{
		return result;
	}
	int32_t count = shatter->pieceCount;
	brTriangulation** cuts = BR_ALLOC_ZERO(&shatterer->allocator, brTriangulation*, count);
	result = cuts != NULL ? shattererGather(shatterer, context, shatter, cuts, out, report) : brFailMemory(report);
	for (int32_t i = 0; cuts != NULL && i < count; ++i)
	{
		brDestroyTriangulation(cuts[i]);
	}
	BR_FREE(&shatterer->allocator, cuts, count);
	brDestroyShatter(shatter);
	return result;
}

brResult brGpuShatterer_Break(brGpuShatterer* shatterer, const brDVec3* sites, int32_t siteCount,
							  brGpuShatter* outShatter, brReport* report)
{
	if (shatterer == NULL || sites == NULL || outShatter == NULL)
	{
		return brFail(report, br_errorMisuse,
					  "brGpuShatterer_Break needs a shatterer, sites and a place for the pieces");
	}
	brShatterDef def = brDefaultShatterDef();
	def.sites = sites, def.siteCount = siteCount;
	brGpuPieceCounts counts = {0};
	brGpuShatter shatter;
	brResult result = brShatterDef_Refuse(&def, report);
	result =
		result < 0 ? result : brGpuPieces_SetSites(&shatterer->device, &shatterer->model, sites, siteCount, report);
	result = result < 0 ? result : brGpuPieces_Run(&shatterer->device, &shatterer->model, &counts, report);
	if (result >= 0)
	{
		bool isSettled = counts.failedCount == 0 && counts.unsureCount == 0 && counts.tangledCount == 0;
		result = isSettled ? shattererRead(shatterer, siteCount, &counts, &shatter, report)
						   : shattererOnCpu(shatterer, &def, &shatter, report);
	}
	if (result < 0)
	{
		return result;
	}
	*outShatter = shatter;
	return brSucceed(report);
}

#endif
