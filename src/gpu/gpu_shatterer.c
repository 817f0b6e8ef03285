// SPDX-License-Identifier: MIT

// Models that stay on a device and are broken there: gpu_pieces.h with the pieces read back, body by body.
//
// Cells write their runs of vertices and triangles in the order in which groups of threads arrive; here they are laid
// out by body and site. A body that the device could not settle is made on the CPU from the same triangles.

#include "brittle/gpu.h"

#include "base/report.h"
#include "fracture/shatter_build.h"
#include "gpu/gpu_shatterer.h"
#include "index/box_source.h"
#include "mesh/mesh_build.h"

#include <string.h>

#ifdef BR_HAVE_OPENCL

// A model as it was taken over.
typedef struct ShattererModel
{
	brMesh* mesh;  // triangles alone, closed
	double volume; // 0: not known to be sound
} ShattererModel;

struct brGpuShatterer
{
	brAllocator allocator;
	brContext context; // as given, for the CPU's turn
	bool hasContext;
	brGpu* gpu;
	int32_t modelCount;
	ShattererModel* models;
	brGpuModel model;
	brGpuPieces device;
	brStageMemory runs, skins, masses, places, corners, troubles; // as they come from the device
	brStageMemory pieces, vertices, triangles;                    // as they are given out
};

// A break that the CPU made.
typedef struct ShattererBreak
{
	brShatter* shatter;
	brTriangulation** cuts; // [pieceCount]
} ShattererBreak;

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
	brMesh bare = brMesh_Bare(mesh);
	*outMesh = brMakeTriangleMesh(&allocator, &bare, cut);
	brDestroyTriangulation(cut);
	return *outMesh != NULL ? br_success : brFailMemory(report);
}

static brResult shattererAddModel(const brContext* context, const brMesh* mesh, ShattererModel* out, brReport* report)
{
	brMesh* mended = NULL;
	bool isSound = false;
	brResult result = brMendForShatter(context, mesh, &mended, &isSound, report);
	result = result < 0 ? result : shattererStrip(context, mended != NULL ? mended : mesh, &out->mesh, report);
	brDestroyMesh(mended);
	out->volume = result >= 0 && isSound ? brMesh_ComputeMass(out->mesh, 1.0).volume : 0.0;
	return result;
}

brResult brCreateGpuShatterer(const brContext* context, brGpu* gpu, const brMesh* const* meshes, int32_t meshCount,
							  brGpuShatterer** outShatterer, brReport* report)
{
	bool isGiven = gpu != NULL && meshes != NULL && meshCount > 0 && outShatterer != NULL;
	for (int32_t i = 0; isGiven && i < meshCount; ++i)
	{
		isGiven = meshes[i] != NULL;
	}
	if (!isGiven)
	{
		return brFail(report, br_errorMisuse, "brCreateGpuShatterer needs a device, meshes and a place for the answer");
	}
	if (!gpu->info.hasDouble)
	{
		return brFail(report, br_errorUnavailable, "%s has no doubles, which pieces need", gpu->info.name);
	}
	brAllocator allocator = brContext_Allocator(context);
	brGpuShatterer* shatterer = BR_ALLOC_ZERO(&allocator, brGpuShatterer, 1);
	ShattererModel* models = BR_ALLOC_ZERO(&allocator, ShattererModel, meshCount);
	const brMesh** stripped = BR_ALLOC_ZERO(&allocator, const brMesh*, meshCount);
	brResult result = br_success;
	if (shatterer == NULL || models == NULL || stripped == NULL)
	{
		BR_FREE(&allocator, models, meshCount);
		BR_FREE(&allocator, shatterer, 1);
		BR_FREE(&allocator, stripped, meshCount);
		return brFailMemory(report);
	}
	*shatterer = (brGpuShatterer){
		.allocator = allocator, .hasContext = context != NULL, .gpu = gpu, .modelCount = meshCount, .models = models};
	shatterer->context = context != NULL ? *context : shatterer->context;
	brGpuPieces_Init(&shatterer->device, gpu);
	for (int32_t i = 0; i < meshCount && result >= 0; ++i)
	{
		result = shattererAddModel(context, meshes[i], &models[i], report);
		stripped[i] = models[i].mesh;
	}
	result = result < 0 ? result : brGpuModel_Set(&shatterer->model, gpu, stripped, meshCount, report);
	BR_FREE(&allocator, stripped, meshCount);
	if (result < 0)
	{
		brDestroyGpuShatterer(shatterer);
		return result;
	}
	*outShatterer = shatterer;
	return brSucceed(report);
}

void brDestroyGpuShatterer(brGpuShatterer* shatterer)
{
	if (shatterer == NULL)
	{
		return;
	}
	brStageMemory* all[] = {&shatterer->runs,   &shatterer->skins,    &shatterer->masses,
							&shatterer->places, &shatterer->corners,  &shatterer->troubles,
							&shatterer->pieces, &shatterer->vertices, &shatterer->triangles};
	for (int32_t i = 0; i < BR_COUNT(all); ++i)
	{
		brStageMemory_Free(all[i], &shatterer->allocator);
	}
	brGpuPieces_Free(&shatterer->device);
	brGpuModel_Free(&shatterer->model, shatterer->gpu);
	for (int32_t i = 0; i < shatterer->modelCount; ++i)
	{
		brDestroyMesh(shatterer->models[i].mesh);
	}
	brAllocator allocator = shatterer->allocator;
	BR_FREE(&allocator, shatterer->models, shatterer->modelCount);
	BR_FREE(&allocator, shatterer, 1);
}

static bool shattererMakeRoom(brGpuShatterer* shatterer, int64_t pieces, int64_t vertices, int64_t triangles)
{
	const brAllocator* a = &shatterer->allocator;
	return brStageMemory_Ensure(&shatterer->pieces, a, pieces, sizeof(brGpuPiece)) &&
		   brStageMemory_Ensure(&shatterer->vertices, a, vertices, sizeof(brDVec3)) &&
		   brStageMemory_Ensure(&shatterer->triangles, a, triangles, sizeof(int32_t[3]));
}

// Everything as the device has it, but what bodies are settled, which is there already.
static brResult shattererRead(brGpuShatterer* shatterer, const brGpuPieceCounts* counts, brReport* report)
{
	const brAllocator* a = &shatterer->allocator;
	const brGpuPieces* device = &shatterer->device;
	size_t sites = (size_t)device->voronoi.siteCount;
	const struct
	{
		const brGpuBuffer* from;
		brStageMemory* to;
		size_t count, bytes;
	} copies[] = {{&device->pieces, &shatterer->runs, sites, sizeof(cl_uint4)},
				  {&device->skins, &shatterer->skins, sites, sizeof(uint32_t)},
				  {&device->masses, &shatterer->masses, sites, BR_PIECE_MOMENTS * sizeof(double)},
				  {&device->vertices, &shatterer->places, (size_t)counts->vertexCount, sizeof(brDVec3)},
				  {&device->triangles, &shatterer->corners, (size_t)counts->triangleCount, sizeof(int32_t[3])}};
	brResult result = br_success;
	for (int32_t i = 0; result >= 0 && i < BR_COUNT(copies); ++i)
	{
		size_t bytes = copies[i].count * copies[i].bytes;
		result = brStageMemory_Ensure(copies[i].to, a, (int64_t)copies[i].count, copies[i].bytes)
					 ? br_success
					 : brFailMemory(report);
		if (result >= 0 && bytes > 0)
		{
			result = brGpu_Read(shatterer->gpu, copies[i].from, 0, copies[i].to->data, bytes, report);
		}
	}
	return result;
}

// The pieces of one body from what was read. Its first site is `first`.
static void shattererTake(brGpuShatterer* shatterer, int32_t body, int32_t first, int32_t siteCount, brGpuShatter* out)
{
	brGpuPiece* pieces = shatterer->pieces.data;
	for (int32_t site = 0; site < siteCount; ++site)
	{
		const cl_uint* run = ((const cl_uint4*)shatterer->runs.data)[first + site].s;
		if (run[3] == 0)
		{
			continue;
		}
		const double* mass = (const double*)shatterer->masses.data + BR_PIECE_MOMENTS * (size_t)(first + site);
		brGpuPiece* piece = &pieces[out->pieceCount++];
		*piece = (brGpuPiece){.body = body,
							  .site = site,
							  .firstVertex = out->vertexCount,
							  .vertexCount = (int32_t)run[1],
							  .firstTriangle = out->triangleCount,
							  .triangleCount = (int32_t)run[3],
							  .skinCount = (int32_t)((const uint32_t*)shatterer->skins.data)[first + site],
							  .volume = mass[0],
							  .center = {mass[1], mass[2], mass[3]}};
		memcpy(piece->inertia, mass + 4, sizeof(piece->inertia));
		memcpy((brDVec3*)shatterer->vertices.data + out->vertexCount, (brDVec3*)shatterer->places.data + run[0],
			   run[1] * sizeof(brDVec3));
		memcpy((int32_t*)shatterer->triangles.data + 3 * (size_t)out->triangleCount,
			   (int32_t*)shatterer->corners.data + 3 * (size_t)run[2], run[3] * sizeof(int32_t[3]));
		out->vertexCount += (int32_t)run[1];
		out->triangleCount += (int32_t)run[3];
	}
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

// Volume, center and inertia of parts that are one piece.
static void shattererAddMass(brGpuPiece* piece, const brMesh* mesh)
{
	brMassProperties part = brMesh_ComputeMass(mesh, 1.0);
	double volume = piece->volume + part.volume, reduced = volume > 0.0 ? piece->volume * part.volume / volume : 0.0;
	brDVec3 d = brDSub(part.center, piece->center);
	const brMat3* j = &part.inertia;
	const double own[6] = {j->cx.x, j->cy.y, j->cz.z, j->cy.x, j->cz.x, j->cz.y};
	const double apart[6] = {
		d.y * d.y + d.z * d.z, d.x * d.x + d.z * d.z, d.x * d.x + d.y * d.y, -d.x * d.y, -d.x * d.z, -d.y * d.z};
	for (int32_t k = 0; k < 6; ++k)
	{
		piece->inertia[k] += own[k] + reduced * apart[k];
	}
	piece->center = volume > 0.0 ? brDMulAdd(piece->center, part.volume / volume, d) : part.center;
	piece->volume = volume;
}

// Pieces of the CPU rise by site; those of one site become one.
static void shattererGather(brGpuShatterer* shatterer, int32_t body, const ShattererBreak* made, brGpuShatter* out)
{
	const brShatter* shatter = made->shatter;
	for (int32_t begin = 0, end; begin < shatter->pieceCount; begin = end)
	{
		brGpuPiece piece = {.body = body,
							.site = shatter->pieces[begin].site,
							.firstVertex = out->vertexCount,
							.firstTriangle = out->triangleCount};
		int32_t* corners = (int32_t*)shatterer->triangles.data + 3 * (size_t)piece.firstTriangle;
		for (end = begin; end < shatter->pieceCount && shatter->pieces[end].site == piece.site; ++end)
		{
			const brMesh* mesh = shatter->pieces[end].mesh;
			memcpy((brDVec3*)shatterer->vertices.data + piece.firstVertex + piece.vertexCount, mesh->positions,
				   (size_t)mesh->vertexCount * sizeof(brDVec3));
			shattererAddFaces(mesh, made->cuts[end], false, piece.vertexCount, corners, &piece.skinCount);
			piece.vertexCount += mesh->vertexCount;
			shattererAddMass(&piece, mesh);
		}
		piece.triangleCount = piece.skinCount;
		for (int32_t i = begin, base = 0; i < end; base += shatter->pieces[i++].mesh->vertexCount)
		{
			shattererAddFaces(shatter->pieces[i].mesh, made->cuts[i], true, base, corners, &piece.triangleCount);
		}
		((brGpuPiece*)shatterer->pieces.data)[out->pieceCount++] = piece;
		out->vertexCount += piece.vertexCount;
		out->triangleCount += piece.triangleCount;
	}
}

// What pieces take together.
typedef struct ShattererSizes
{
	int64_t pieces, vertices, triangles;
} ShattererSizes;

static brResult shattererOnCpu(brGpuShatterer* shatterer, const brGpuBreak* from, ShattererBreak* out,
							   ShattererSizes* sizes, brReport* report)
{
	const brContext* context = shatterer->hasContext ? &shatterer->context : NULL;
	const ShattererModel* model = &shatterer->models[from->model];
	brShatterDef def = brDefaultShatterDef();
	def.sites = from->sites, def.siteCount = from->siteCount;
	brResult result = brCreateShatterFrom(context, model->mesh, &(brShatterSource){.volume = model->volume}, &def,
										  &out->shatter, report);
	if (result < 0)
	{
		return result;
	}
	int32_t count = out->shatter->pieceCount;
	out->cuts = BR_ALLOC_ZERO(&shatterer->allocator, brTriangulation*, count);
	result = out->cuts != NULL ? result : brFailMemory(report);
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		const brMesh* mesh = out->shatter->pieces[i].mesh;
		result = brTriangulateMesh(context, mesh, &out->cuts[i], report);
		sizes->vertices += mesh->vertexCount;
		sizes->triangles += result >= 0 ? out->cuts[i]->triangleCount : 0;
	}
	sizes->pieces += count;
	return result;
}

static void shattererFreeBreaks(brGpuShatterer* shatterer, ShattererBreak* made, int32_t count)
{
	for (int32_t i = 0; made != NULL && i < count; ++i)
	{
		int32_t pieces = made[i].shatter != NULL ? made[i].shatter->pieceCount : 0;
		for (int32_t n = 0; made[i].cuts != NULL && n < pieces; ++n)
		{
			brDestroyTriangulation(made[i].cuts[n]);
		}
		BR_FREE(&shatterer->allocator, made[i].cuts, pieces);
		brDestroyShatter(made[i].shatter);
	}
	BR_FREE(&shatterer->allocator, made, count);
}

// Bodies in turn, from where each was made.
static brResult shattererArrange(brGpuShatterer* shatterer, const brGpuBreak* breaks, int32_t count,
								 const brGpuPieceCounts* counts, brGpuShatter* out, brReport* report)
{
	ShattererBreak* made = BR_ALLOC_ZERO(&shatterer->allocator, ShattererBreak, count);
	const uint32_t* troubles = shatterer->troubles.data;
	ShattererSizes sizes = {counts->pieceCount, counts->vertexCount, counts->triangleCount};
	brResult result = made != NULL ? br_success : brFailMemory(report);
	int32_t cpuCount = 0;
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		if (troubles[i] != 0)
		{
			result = shattererOnCpu(shatterer, &breaks[i], &made[i], &sizes, report);
			cpuCount += 1;
		}
	}
	result = result >= 0 && cpuCount < count ? shattererRead(shatterer, counts, report) : result;
	if (result >= 0 && (sizes.vertices > INT32_MAX || sizes.triangles > INT32_MAX / 3))
	{
		result = brFail(report, br_errorLimit, "pieces of %lld triangles are more than one list holds",
						(long long)sizes.triangles);
	}
	if (result >= 0 && !shattererMakeRoom(shatterer, sizes.pieces, sizes.vertices, sizes.triangles))
	{
		result = brFailMemory(report);
	}
	if (result >= 0)
	{
		*out = (brGpuShatter){.pieces = shatterer->pieces.data,
							  .vertices = shatterer->vertices.data,
							  .triangles = shatterer->triangles.data,
							  .cpuCount = cpuCount};
		for (int32_t i = 0, first = 0; i < count; first += breaks[i++].siteCount)
		{
			if (troubles[i] != 0)
			{
				shattererGather(shatterer, i, &made[i], out);
			}
			else
			{
				shattererTake(shatterer, i, first, breaks[i].siteCount, out);
			}
		}
	}
	shattererFreeBreaks(shatterer, made, count);
	return result;
}

static brResult shattererRefuse(const brGpuShatterer* shatterer, const brGpuBreak* breaks, int32_t count,
								brReport* report)
{
	int64_t sites = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		brShatterDef def = brDefaultShatterDef();
		def.sites = breaks[i].sites, def.siteCount = breaks[i].siteCount;
		brResult result = breaks[i].model >= 0 && breaks[i].model < shatterer->modelCount && breaks[i].sites != NULL
							  ? brShatterDef_Refuse(&def, report)
							  : brFailAt(report, br_errorMisuse, i, "break %d has no model or no sites", i);
		if (result < 0)
		{
			return result;
		}
		sites += breaks[i].siteCount;
	}
	return sites <= 60000000 ? br_success
							 : brFail(report, br_errorLimit, "%lld sites are more than 60 million", (long long)sites);
}

brGpu* brGpuShatterer_Device(const brGpuShatterer* shatterer)
{
	return shatterer->gpu;
}

brResult brGpuShatterer_Run(brGpuShatterer* shatterer, const brGpuBreak* breaks, int32_t breakCount,
							const brGpuPieces** outPieces, brGpuPieceCounts* outCounts, brReport* report)
{
	brGpuPieces* device = &shatterer->device;
	brResult result = shattererRefuse(shatterer, breaks, breakCount, report);
	result = result < 0 ? result : brGpuPieces_SetBreaks(device, &shatterer->model, breaks, breakCount, report);
	result = result < 0 ? result : brGpuPieces_Run(device, &shatterer->model, outCounts, report);
	*outPieces = device;
	return result;
}

brResult brGpuShatterer_Break(brGpuShatterer* shatterer, const brGpuBreak* breaks, int32_t breakCount,
							  brGpuShatter* outShatter, brReport* report)
{
	if (shatterer == NULL || breaks == NULL || breakCount < 1 || outShatter == NULL)
	{
		return brFail(report, br_errorMisuse,
					  "brGpuShatterer_Break needs a shatterer, breaks and a place for the pieces");
	}
	const brGpuPieces* device = NULL;
	brGpuPieceCounts counts = {0};
	brGpuShatter shatter;
	brResult result = brGpuShatterer_Run(shatterer, breaks, breakCount, &device, &counts, report);
	if (result >= 0 && !brStageMemory_Ensure(&shatterer->troubles, &shatterer->allocator, breakCount, sizeof(uint32_t)))
	{
		result = brFailMemory(report);
	}
	if (result >= 0)
	{
		result = brGpu_Read(shatterer->gpu, &device->voronoi.troubles, 0, shatterer->troubles.data,
							(size_t)breakCount * sizeof(uint32_t), report);
	}
	result = result < 0 ? result : shattererArrange(shatterer, breaks, breakCount, &counts, &shatter, report);
	if (result < 0)
	{
		return result;
	}
	*outShatter = shatter;
	return brSucceed(report);
}

#endif
