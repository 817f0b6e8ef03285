// SPDX-License-Identifier: MIT

#include "gpu/gpu_pieces.h"

#ifdef BR_HAVE_OPENCL

#include "base/report.h"
#include "base/sort.h"

#include <string.h>

enum
{
	pieceBlock = 64,        // CLIP_BLOCK of clip.cl
	pieceClipGroup = 64,    // CLIP_GROUP; all groups are 1 on a processor
	pieceWindingGroup = 32, //
	pieceSpreadGroup = 256, //
	pieceCapSplit = 4,      // CAP_SPLIT
	pieceCapGroup = 32,     // CAP_GROUP of caps.cl
	pieceCapInts = 13,      //
	pieceCapReals = 2,      //
	pieceWriteGroup = 64,   // PIECE_GROUP
	pieceCounters = 8,
};

// Counters of clip.cl.
enum
{
	piece_pairs,
	piece_corners,
	piece_unsure,
	piece_tangled,
	piece_vertices,
	piece_scratch,
	piece_triangles,
	piece_pieces,
};

void brGpuModel_Free(brGpuModel* model, brGpu* gpu)
{
	BR_GPU_FREE(gpu, &model->positions, &model->triangles, &model->edges, &model->boxes, &model->blockBoxes);
	BR_FREE(&gpu->allocator, model->parts, model->partCount);
	*model = (brGpuModel){0};
}

static int64_t pieceBlocks(int64_t triangleCount)
{
	return (triangleCount + pieceBlock - 1) / pieceBlock;
}

// The float below, or above.
static float pieceRound(double value, float towards)
{
	float rounded = (float)value;
	bool isPast = towards < 0.0f ? (double)rounded > value : (double)rounded < value;
	return isPast ? nextafterf(rounded, towards) : rounded;
}

static void pieceGrow(cl_float4 box[2], const cl_float4 other[2])
{
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		box[0].s[axis] = fminf(box[0].s[axis], other[0].s[axis]);
		box[1].s[axis] = fmaxf(box[1].s[axis], other[1].s[axis]);
	}
}

// Host copies of what goes over.
typedef struct PieceModel
{
	int64_t count; // triangles
	int32_t* corners;
	int32_t* edges;
	cl_float4* boxes;
	cl_float4* blocks;
	uint64_t* keys;   // [6 count]
	uint32_t* values; // [6 count]
} PieceModel;

// Edges by their ends: sides of triangles that have the same two are one edge.
static bool pieceNumberEdges(const brAllocator* a, PieceModel* model)
{
	int64_t sides = 3 * model->count;
	for (int64_t i = 0; i < sides; ++i)
	{
		uint32_t p = (uint32_t)model->corners[i], q = (uint32_t)model->corners[i % 3 == 2 ? i - 2 : i + 1];
		model->keys[i] = (uint64_t)(p < q ? p : q) << 32 | (p < q ? q : p);
		model->values[i] = (uint32_t)i;
	}
	if (!brSortPairs64(NULL, a, model->keys, model->values, model->keys + sides, model->values + sides, (int32_t)sides))
	{
		return false;
	}
	int32_t edge = -1;
	for (int64_t i = 0; i < sides; ++i)
	{
		edge += i == 0 || model->keys[i] != model->keys[i - 1];
		model->edges[model->values[i]] = edge;
	}
	return true;
}

static void pieceMakeBoxes(const brMesh* mesh, PieceModel* model)
{
	const cl_float4 none[2] = {{{INFINITY, INFINITY, INFINITY, 0.0f}}, {{-INFINITY, -INFINITY, -INFINITY, 0.0f}}};
	for (int64_t i = 0; i < model->count; ++i)
	{
		cl_float4* box = model->boxes + 2 * i;
		memcpy(box, none, sizeof(none));
		for (int32_t n = 0; n < 3; ++n)
		{
			brDVec3 p = mesh->positions[model->corners[3 * i + n]];
			const cl_float4 point[2] = {
				{{pieceRound(p.x, -INFINITY), pieceRound(p.y, -INFINITY), pieceRound(p.z, -INFINITY), 0.0f}},
				{{pieceRound(p.x, INFINITY), pieceRound(p.y, INFINITY), pieceRound(p.z, INFINITY), 0.0f}}};
			pieceGrow(box, point);
		}
		cl_float4* block = model->blocks + 2 * (i / pieceBlock);
		if (i % pieceBlock == 0)
		{
			memcpy(block, none, sizeof(none));
		}
		pieceGrow(block, box);
	}
}

static void pieceFreeHost(const brAllocator* a, PieceModel* host, bool hasEdges)
{
	int64_t edges = hasEdges ? 3 * host->count : 0;
	BR_FREE(a, host->corners, 3 * host->count);
	BR_FREE(a, host->edges, edges);
	BR_FREE(a, host->boxes, 2 * host->count);
	BR_FREE(a, host->blocks, 2 * pieceBlocks(host->count));
	BR_FREE(a, host->keys, 2 * edges);
	BR_FREE(a, host->values, 2 * edges);
}

static bool pieceMakeHost(const brAllocator* a, PieceModel* host, bool hasEdges)
{
	int64_t edges = hasEdges ? 3 * host->count : 0;
	host->corners = BR_ALLOC(a, int32_t, 3 * host->count);
	host->edges = BR_ALLOC(a, int32_t, edges);
	host->boxes = BR_ALLOC(a, cl_float4, 2 * host->count);
	host->blocks = BR_ALLOC(a, cl_float4, 2 * pieceBlocks(host->count));
	host->keys = BR_ALLOC(a, uint64_t, 2 * edges);
	host->values = BR_ALLOC(a, uint32_t, 2 * edges);
	return host->corners != NULL && host->boxes != NULL && host->blocks != NULL &&
		   (!hasEdges || (host->edges != NULL && host->keys != NULL && host->values != NULL));
}

// Vertices and edges are numbered through, so that names of corners are those of one surface.
static brResult piecePut(brGpuModel* model, brGpu* gpu, const brGpuModelPart* part, int64_t firstVertex,
						 const brMesh* mesh, const brTriangulation* cut, bool hasEdges)
{
	const brAllocator* a = &gpu->allocator;
	PieceModel host = {.count = part->triangleCount};
	bool done = pieceMakeHost(a, &host, hasEdges);
	for (int64_t i = 0; done && i < 3 * host.count; ++i)
	{
		host.corners[i] = mesh->corners[cut != NULL ? cut->corners[i] : i];
	}
	done = done && (!hasEdges || pieceNumberEdges(a, &host));
	if (done)
	{
		pieceMakeBoxes(mesh, &host);
		int64_t first = part->firstTriangle;
		for (int64_t i = 0; i < 3 * host.count; ++i)
		{
			host.corners[i] += (int32_t)firstVertex;
			if (hasEdges)
			{
				host.edges[i] += (int32_t)(3 * first);
			}
		}
		size_t at = (size_t)first, count = (size_t)host.count;
		brGpu_Write(gpu, &model->positions, (size_t)firstVertex * sizeof(brDVec3), mesh->positions,
					(size_t)mesh->vertexCount * sizeof(brDVec3));
		brGpu_Write(gpu, &model->triangles, 3 * at * sizeof(int32_t), host.corners, 3 * count * sizeof(int32_t));
		brGpu_Write(gpu, &model->edges, 3 * at * sizeof(int32_t), host.edges,
					hasEdges ? 3 * count * sizeof(int32_t) : 0);
		brGpu_Write(gpu, &model->boxes, 2 * at * sizeof(cl_float4), host.boxes, 2 * count * sizeof(cl_float4));
		brGpu_Write(gpu, &model->blockBoxes, 2 * (size_t)part->firstBlock * sizeof(cl_float4), host.blocks,
					2 * (size_t)pieceBlocks(host.count) * sizeof(cl_float4));
	}
	pieceFreeHost(a, &host, hasEdges);
	return done ? br_success : br_errorMemory;
}

// What the surfaces take together, and where each begins.
static brResult pieceSetParts(brGpuModel* model, brGpu* gpu, const brMesh* const* meshes, int32_t count,
							  const brTriangulation* cut, int64_t* outVertexCount, brReport* report)
{
	brGpuModelPart* parts = BR_ALLOC_ZERO(&gpu->allocator, brGpuModelPart, count);
	if (parts == NULL)
	{
		return brFailMemory(report);
	}
	BR_FREE(&gpu->allocator, model->parts, model->partCount);
	model->parts = parts, model->partCount = count;
	int64_t vertices = 0, triangles = 0, blocks = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t own = cut != NULL ? cut->triangleCount : meshes[i]->faceCount;
		parts[i] = (brGpuModelPart){(int32_t)triangles, own, (int32_t)blocks, brMesh_ComputeBounds(meshes[i])};
		vertices += meshes[i]->vertexCount, triangles += own, blocks += pieceBlocks(own);
		if (triangles > INT32_MAX / 6 || vertices > INT32_MAX / 3)
		{
			return brFail(report, br_errorLimit, "%d models of %lld triangles are more than a device list holds", count,
						  (long long)triangles);
		}
	}
	brGpu_Ensure(gpu, &model->positions, vertices, sizeof(brDVec3));
	brGpu_Ensure(gpu, &model->triangles, 3 * triangles, sizeof(int32_t));
	brGpu_Ensure(gpu, &model->edges, cut != NULL ? 0 : 3 * triangles, sizeof(int32_t));
	brGpu_Ensure(gpu, &model->boxes, 2 * triangles, sizeof(cl_float4));
	brGpu_Ensure(gpu, &model->blockBoxes, 2 * blocks, sizeof(cl_float4));
	*outVertexCount = vertices;
	return br_success;
}

static brResult pieceSetModel(brGpuModel* model, brGpu* gpu, const brMesh* const* meshes, int32_t count,
							  const brTriangulation* cut, brReport* report)
{
	int64_t vertexCount = 0;
	brResult result = brGpu_Prepare(gpu, report);
	result = result < 0 ? result : pieceSetParts(model, gpu, meshes, count, cut, &vertexCount, report);
	int64_t firstVertex = 0;
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		result = piecePut(model, gpu, &model->parts[i], firstVertex, meshes[i], cut, cut == NULL);
		result = result < 0 ? brFailMemory(report) : result;
		firstVertex += meshes[i]->vertexCount;
	}
	result = result < 0 ? result : brGpu_Finish(gpu, report);
	if (result < 0)
	{
		brGpuModel_Free(model, gpu);
	}
	return result;
}

brResult brGpuModel_Set(brGpuModel* model, brGpu* gpu, const brMesh* const* meshes, int32_t count, brReport* report)
{
	return pieceSetModel(model, gpu, meshes, count, NULL, report);
}

brResult brGpuModel_SetTriangles(brGpuModel* model, brGpu* gpu, const brMesh* mesh, const brTriangulation* triangles,
								 brReport* report)
{
	return pieceSetModel(model, gpu, &mesh, 1, triangles, report);
}

void brGpuPieces_Init(brGpuPieces* pieces, brGpu* gpu)
{
	memset(pieces, 0, sizeof(*pieces));
	brGpuVoronoi_Init(&pieces->voronoi, gpu);
}

void brGpuPieces_Free(brGpuPieces* pieces)
{
	brGpu* gpu = pieces->voronoi.gpu;
	BR_GPU_FREE(gpu, &pieces->counters, &pieces->pairs, &pieces->cellPairs, &pieces->rings, &pieces->sizes,
				&pieces->polygons, &pieces->labels, &pieces->names, &pieces->places, &pieces->table, &pieces->numbers,
				&pieces->cellRings, &pieces->windings, &pieces->isKnown, &pieces->cellVertices, &pieces->scratchInts,
				&pieces->scratchReals, &pieces->events, &pieces->capRuns, &pieces->vertices, &pieces->triangles,
				&pieces->pieces, &pieces->skins, &pieces->masses);
	brGpuVoronoi_Free(&pieces->voronoi);
}

static int64_t pieceMost(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

// Room for what breaks of one after the other take at first: lists that are too short are made longer.
static void pieceMakeRoom(brGpuPieces* pieces, int64_t t, int64_t n)
{
	brGpu* gpu = pieces->voronoi.gpu;
	pieces->pairCapacity = pieceMost(pieces->pairCapacity, 4 * t + 32 * n);
	pieces->cornerCapacity = pieceMost(pieces->cornerCapacity, 10 * t + 64 * n);
	pieces->vertexCapacity = pieceMost(pieces->vertexCapacity, 4 * t + 48 * n);
	pieces->scratchCapacity = pieceMost(pieces->scratchCapacity, 4 * t + 96 * n);
	pieces->triangleCapacity = pieceMost(pieces->triangleCapacity, 8 * t + 96 * n);
	brGpu_Ensure(gpu, &pieces->counters, pieceCounters, sizeof(uint32_t));
	brGpu_Ensure(gpu, &pieces->cellPairs, n, sizeof(cl_uint2));
	brGpu_Ensure(gpu, &pieces->cellRings, n, sizeof(cl_uint4));
	brGpu_Ensure(gpu, &pieces->isKnown, n, 1);
	brGpu_Ensure(gpu, &pieces->cellVertices, n, sizeof(cl_uint2));
	brGpu_Ensure(gpu, &pieces->pieces, n, sizeof(cl_uint4));
	brGpu_Ensure(gpu, &pieces->skins, n, sizeof(uint32_t));
	brGpu_Ensure(gpu, &pieces->masses, BR_PIECE_MOMENTS * n, sizeof(double));
}

brResult brGpuPieces_SetBreaks(brGpuPieces* pieces, const brGpuModel* model, const brGpuBreak* breaks, int32_t count,
							   brReport* report)
{
	brGpu* gpu = pieces->voronoi.gpu;
	brGpuCellBody* bodies = BR_ALLOC_ZERO(&gpu->allocator, brGpuCellBody, count);
	if (bodies == NULL)
	{
		return brFailMemory(report);
	}
	int64_t triangles = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		const brGpuModelPart* part = &model->parts[breaks[i].model];
		brDVec3 extent = brDSub(part->box.upper, part->box.lower);
		double room = 0x1p-8 * fmax(extent.x, fmax(extent.y, extent.z));
		brDVec3 margin = {room, room, room};
		brVoronoiDef cells = {.siteCount = breaks[i].siteCount, .sites = breaks[i].sites};
		cells.box = (brDBox3){brDSub(part->box.lower, margin), brDAdd(part->box.upper, margin)};
		bodies[i] = (brGpuCellBody){cells, part->firstTriangle, part->triangleCount, part->firstBlock};
		triangles += part->triangleCount;
	}
	brResult result = brGpuVoronoi_SetBodies(&pieces->voronoi, bodies, count, report);
	BR_FREE(&gpu->allocator, bodies, count);
	if (result >= 0)
	{
		pieceMakeRoom(pieces, triangles, pieces->voronoi.siteCount);
	}
	return result;
}

static void pieceEnsureRings(brGpuPieces* pieces)
{
	brGpu* gpu = pieces->voronoi.gpu;
	brGpu_Ensure(gpu, &pieces->pairs, pieces->pairCapacity, sizeof(cl_int2));
	brGpu_Ensure(gpu, &pieces->rings, pieces->pairCapacity, BR_CLIP_RING);
	brGpu_Ensure(gpu, &pieces->sizes, pieces->pairCapacity, 1);
}

static void pieceEnsure(brGpuPieces* pieces)
{
	brGpu* gpu = pieces->voronoi.gpu;
	pieceEnsureRings(pieces);
	brGpu_Ensure(gpu, &pieces->polygons, pieces->pairCapacity, sizeof(uint32_t));
	brGpu_Ensure(gpu, &pieces->labels, pieces->cornerCapacity, 1);
	brGpu_Ensure(gpu, &pieces->names, pieces->cornerCapacity, sizeof(cl_ulong));
	brGpu_Ensure(gpu, &pieces->places, pieces->cornerCapacity, sizeof(brDVec3));
	brGpu_Ensure(gpu, &pieces->table, 2 * pieces->cornerCapacity, sizeof(uint32_t));
	brGpu_Ensure(gpu, &pieces->numbers, pieces->cornerCapacity, sizeof(uint32_t));
	brGpu_Ensure(gpu, &pieces->windings, pieces->voronoi.capacity, sizeof(int32_t));
	brGpu_Ensure(gpu, &pieces->scratchInts, pieceCapInts * pieces->scratchCapacity, sizeof(int32_t));
	brGpu_Ensure(gpu, &pieces->scratchReals, pieceCapReals * pieces->scratchCapacity, sizeof(double));
	brGpu_Ensure(gpu, &pieces->events, 2 * pieces->cornerCapacity, sizeof(cl_uint2));
	brGpu_Ensure(gpu, &pieces->capRuns, pieces->voronoi.capacity, sizeof(cl_uint2));
	brGpu_Ensure(gpu, &pieces->vertices, pieces->vertexCapacity, sizeof(brDVec3));
	brGpu_Ensure(gpu, &pieces->triangles, 3 * pieces->triangleCapacity, sizeof(int32_t));
}

static uint32_t pieceGroup(const brGpu* gpu, uint32_t size)
{
	return gpu->info.kind == br_gpuKindCpu ? 1 : size;
}

// What is left of triangles in cells.
static void pieceEnqueueRings(brGpuPieces* pieces, const brGpuModel* model)
{
	const brGpuVoronoi* cells = &pieces->voronoi;
	brGpu* gpu = cells->gpu;
	int64_t n = cells->siteCount;
	uint32_t pairCapacity = (uint32_t)pieces->pairCapacity;
	BR_GPU_RUN(gpu, kernel_brk_clipPairs, n, pieceGroup(gpu, pieceClipGroup), brBufferArg(&cells->infos),
			   brBufferArg(&cells->vertices), brBufferArg(&model->boxes), brBufferArg(&model->blockBoxes),
			   brBufferArg(&cells->places), brBufferArg(&cells->bodies), brBufferArg(&pieces->pairs),
			   brUintArg(pairCapacity), brBufferArg(&pieces->cellPairs), brBufferArg(&pieces->counters));
	int64_t groups = (pieces->pairCapacity + pieceClipGroup - 1) / pieceClipGroup,
			most = 32 * (int64_t)gpu->info.computeUnits;
	BR_GPU_RUN(gpu, kernel_brk_clipTriangles, groups < most ? groups : most, pieceClipGroup,
			   brBufferArg(&pieces->pairs), brUintArg(pairCapacity), brBufferArg(&cells->infos),
			   brBufferArg(&cells->facetSites), brBufferArg(&cells->places), brBufferArg(&cells->bodies),
			   brBufferArg(&model->positions), brBufferArg(&model->triangles), brBufferArg(&pieces->rings),
			   brBufferArg(&pieces->sizes), brBufferArg(&cells->troubles), brBufferArg(&pieces->counters));
}

// Triangles among cells, and where the cells' corners are.
static void pieceEnqueueClip(brGpuPieces* pieces, const brGpuModel* model)
{
	const brGpuVoronoi* cells = &pieces->voronoi;
	brGpu* gpu = cells->gpu;
	int64_t n = cells->siteCount;
	uint32_t pairCapacity = (uint32_t)pieces->pairCapacity;
	pieceEnqueueRings(pieces, model);
	BR_GPU_RUN(gpu, kernel_brk_clipRings, n, pieceGroup(gpu, pieceClipGroup), brBufferArg(&pieces->cellPairs),
			   brBufferArg(&pieces->pairs), brUintArg(pairCapacity), brBufferArg(&pieces->rings),
			   brBufferArg(&pieces->sizes), brBufferArg(&cells->infos), brBufferArg(&cells->facetSites),
			   brBufferArg(&cells->places), brBufferArg(&cells->bodies), brBufferArg(&model->positions),
			   brBufferArg(&model->triangles), brBufferArg(&model->edges), brBufferArg(&pieces->polygons),
			   brBufferArg(&pieces->labels), brBufferArg(&pieces->names), brBufferArg(&pieces->places),
			   brBufferArg(&pieces->table), brBufferArg(&pieces->numbers), brBufferArg(&pieces->cellRings),
			   brUintArg((uint32_t)pieces->cornerCapacity), brBufferArg(&pieces->counters));
	BR_GPU_RUN(gpu, kernel_brk_clipWindings, n, pieceGroup(gpu, pieceWindingGroup), brBufferArg(&cells->infos),
			   brBufferArg(&cells->facetSites), brBufferArg(&cells->facetStarts), brBufferArg(&cells->loops),
			   brBufferArg(&cells->cornerNames), brBufferArg(&cells->owners), brBufferArg(&pieces->cellPairs),
			   brUintArg(pairCapacity), brBufferArg(&pieces->polygons), brBufferArg(&pieces->sizes),
			   brBufferArg(&pieces->labels), brBufferArg(&pieces->cellRings), brBufferArg(&pieces->windings),
			   brBufferArg(&pieces->isKnown), brBufferArg(&cells->places), brBufferArg(&cells->troubles),
			   brBufferArg(&pieces->counters));
	BR_GPU_RUN(gpu, kernel_brk_clipSpread, cells->bodyCount, pieceGroup(gpu, pieceSpreadGroup),
			   brBufferArg(&cells->infos), brBufferArg(&cells->owners), brBufferArg(&pieces->windings),
			   brBufferArg(&pieces->isKnown), brBufferArg(&cells->bodies));
}

static void pieceEnqueueCaps(brGpuPieces* pieces)
{
	const brGpuVoronoi* cells = &pieces->voronoi;
	brGpu* gpu = cells->gpu;
	int64_t n = cells->siteCount;
	BR_GPU_RUN(gpu, kernel_brk_capFill, n, pieceGroup(gpu, pieceCapGroup), brBufferArg(&cells->infos),
			   brBufferArg(&cells->facetSites), brBufferArg(&cells->facetStarts), brBufferArg(&cells->loops),
			   brBufferArg(&cells->owners), brBufferArg(&pieces->windings), brBufferArg(&cells->vertices),
			   brBufferArg(&pieces->cellPairs), brBufferArg(&pieces->polygons), brBufferArg(&pieces->sizes),
			   brBufferArg(&pieces->labels), brBufferArg(&pieces->places), brBufferArg(&pieces->numbers),
			   brBufferArg(&pieces->cellRings), brBufferArg(&cells->places), brBufferArg(&cells->bodies),
			   brBufferArg(&pieces->vertices), brUintArg((uint32_t)pieces->vertexCapacity),
			   brBufferArg(&pieces->cellVertices), brBufferArg(&pieces->scratchInts),
			   brBufferArg(&pieces->scratchReals), brUintArg((uint32_t)pieces->scratchCapacity),
			   brBufferArg(&pieces->capRuns), brBufferArg(&pieces->events), brBufferArg(&cells->troubles),
			   brBufferArg(&pieces->counters));
	BR_GPU_RUN(gpu, kernel_brk_capEars, pieceCapSplit * n, pieceGroup(gpu, pieceCapGroup), brBufferArg(&cells->infos),
			   brBufferArg(&pieces->capRuns), brBufferArg(&pieces->scratchInts), brBufferArg(&pieces->scratchReals));
	BR_GPU_RUN(gpu, kernel_brk_pieceWrite, n, pieceGroup(gpu, pieceWriteGroup), brBufferArg(&cells->infos),
			   brBufferArg(&cells->facetSites), brBufferArg(&pieces->cellPairs), brBufferArg(&pieces->polygons),
			   brBufferArg(&pieces->sizes), brBufferArg(&pieces->numbers), brBufferArg(&pieces->cellRings),
			   brBufferArg(&pieces->capRuns), brBufferArg(&pieces->scratchInts), brBufferArg(&pieces->vertices),
			   brUintArg((uint32_t)pieces->vertexCapacity), brBufferArg(&pieces->cellVertices),
			   brBufferArg(&cells->places), brBufferArg(&cells->bodies), brBufferArg(&pieces->triangles),
			   brUintArg((uint32_t)pieces->triangleCapacity), brBufferArg(&pieces->pieces), brBufferArg(&pieces->skins),
			   brBufferArg(&pieces->masses), brBufferArg(&pieces->counters));
}

void brGpuPieces_Enqueue(brGpuPieces* pieces, const brGpuModel* model)
{
	brGpu* gpu = pieces->voronoi.gpu;
	pieceEnsure(pieces);
	brGpu_Clear(gpu, &pieces->counters, pieceCounters);
	brGpu_Clear(gpu, &pieces->table, 2 * pieces->cornerCapacity);
	brGpu_Clear(gpu, &pieces->windings, pieces->voronoi.capacity);
	brGpuVoronoi_Enqueue(&pieces->voronoi, true);
	pieceEnqueueClip(pieces, model);
	pieceEnqueueCaps(pieces);
}

// Room for a list that has grown to `count`, with an eighth to spare. True if it was too short.
static bool pieceGrowList(int64_t* capacity, uint32_t count)
{
	bool isShort = count > *capacity;
	*capacity = isShort ? (int64_t)count + count / 8 : *capacity;
	return isShort;
}

brResult brGpuPieces_RunRings(brGpuPieces* pieces, const brGpuModel* model, const brVoronoiDef* def,
							  brGpuCells* outCells, int64_t* outPairCount, brReport* report)
{
	brGpu* gpu = pieces->voronoi.gpu;
	const brGpuModelPart* part = &model->parts[0];
	brGpuCellBody body = {*def, part->firstTriangle, part->triangleCount, part->firstBlock};
	brResult result = brGpuVoronoi_SetBodies(&pieces->voronoi, &body, 1, report);
	if (result < 0)
	{
		return result;
	}
	pieces->pairCapacity =
		pieceMost(pieces->pairCapacity, 6 * (int64_t)part->triangleCount + 32 * (int64_t)def->siteCount);
	brGpu_Ensure(gpu, &pieces->counters, pieceCounters, sizeof(uint32_t));
	brGpu_Ensure(gpu, &pieces->cellPairs, def->siteCount, sizeof(cl_uint2));
	result = brGpuVoronoi_Run(&pieces->voronoi, true, outCells, report);
	*outPairCount = 0;
	while (result >= 0 && outCells->failedCount == 0)
	{
		pieceEnsureRings(pieces);
		brGpu_Clear(gpu, &pieces->counters, pieceCounters);
		pieceEnqueueRings(pieces, model);
		uint32_t counts[pieceCounters] = {0};
		result = brGpu_Read(gpu, &pieces->counters, 0, counts, sizeof(counts), report);
		bool isShort = pieceGrowList(&pieces->pairCapacity, counts[piece_pairs]);
		if (result >= 0 && pieces->pairCapacity > INT32_MAX / BR_CLIP_RING)
		{
			return brFail(report, br_errorLimit, "%d pieces of %d triangles are more than a device list holds",
						  def->siteCount, part->triangleCount);
		}
		*outPairCount = counts[piece_pairs];
		if (!isShort)
		{
			break;
		}
	}
	return result;
}

brResult brGpuPieces_Run(brGpuPieces* pieces, const brGpuModel* model, brGpuPieceCounts* outCounts, brReport* report)
{
	brGpu* gpu = pieces->voronoi.gpu;
	for (;;)
	{
		brGpuPieces_Enqueue(pieces, model);
		uint32_t cells[4] = {0}, counts[pieceCounters] = {0};
		brResult result = brGpu_Read(gpu, &pieces->voronoi.counters, 0, cells, sizeof(cells), report);
		result = result >= 0 ? brGpu_Read(gpu, &pieces->counters, 0, counts, sizeof(counts), report) : result;
		if (result < 0)
		{
			return result;
		}
		// A list that was too short leaves those after it empty, so their counts come in the next round.
		bool isShort = pieceGrowList(&pieces->voronoi.capacity, cells[0]);
		isShort = isShort || pieceGrowList(&pieces->pairCapacity, counts[piece_pairs]);
		isShort = isShort || pieceGrowList(&pieces->cornerCapacity, counts[piece_corners]);
		isShort = isShort || pieceGrowList(&pieces->vertexCapacity, counts[piece_vertices]);
		isShort = isShort || pieceGrowList(&pieces->scratchCapacity, counts[piece_scratch]);
		isShort = isShort || pieceGrowList(&pieces->triangleCapacity, counts[piece_triangles]);
		if (pieces->scratchCapacity > INT32_MAX / pieceCapInts || pieces->cornerCapacity > INT32_MAX / 3 ||
			pieces->triangleCapacity > INT32_MAX / 3 || pieces->voronoi.capacity > INT32_MAX / 3)
		{
			return brFail(report, br_errorLimit, "%d pieces are more than a device list holds",
						  pieces->voronoi.siteCount);
		}
		if (!isShort)
		{
			*outCounts =
				(brGpuPieceCounts){counts[piece_pieces], counts[piece_vertices], counts[piece_triangles], cells[2],
								   counts[piece_unsure], counts[piece_tangled]};
			return br_success;
		}
	}
}

#endif
