// SPDX-License-Identifier: MIT

// The public calls: as brCollideBoxes, brCollideMeshes and brCollideTets, on a device. Input is checked by the same
// code, what the device cannot settle goes through the same exact test, and lists come sorted.

#include "gpu/gpu_pairs.h"

#include "base/assert.h"
#include "base/clock.h"
#include "base/sort.h"
#include "narrow/tet_measure.h"
#include "narrow/tet_search.h"
#include "narrow/tet_soup.h"
#include "narrow/triangle_pair.h"
#include "narrow/triangle_soup.h"

#include <string.h>

#ifdef BR_HAVE_OPENCL

typedef struct GpuJob
{
	brGpu* gpu;
	const brContext* context;
	const brBoxSource* source;
	const int32_t* starts; // [objectCount + 1]
	int32_t objectCount;
	const brCollideDef* def;
	bool findTrue;
	brCollision* collision;
} GpuJob;

static bool gpuIsGoodDef(const brCollideDef* def)
{
	return def->stamp == BR_STAMP(*def) && (def->engine == NULL || def->engine->device != br_deviceNone) &&
		   (def->tetTest == br_tetSat || def->tetTest == br_tetSatNoEdges || brTetTest_Measures(def->tetTest));
}

// The test that settles what the device left open.
static bool gpuMeets(const GpuJob* job, brPair pair)
{
	const brBoxSource* source = job->source;
	int32_t each = source->cornersEach;
	brDVec3 a[4], b[4];
	for (int32_t k = 0; k < each; ++k)
	{
		a[k] = source->positions[source->corners[(int64_t)each * pair.a + k]];
		b[k] = source->positions[source->corners[(int64_t)each * pair.b + k]];
	}
	brPenetration penetration;
	if (each == 3)
	{
		return brTrianglePair_Meets(a, b);
	}
	switch (job->def->tetTest)
	{
		case br_tetSatNoEdges:
			return brTetPair_SatFaces(a, b);
		case br_tetSatMtv:
			return brTetPair_Mtv(a, b, &penetration);
		case br_tetGjk:
			return brTetPair_Gjk(a, b) == 0.0;
		default:
			return brTetPair_MeetsExact(a, b);
	}
}

// Exact answers for what the device left open, into the sorted list of what meets. Returns the new count, -1 without
// memory.
static int64_t gpuSettle(const GpuJob* job, brPair* pairs, int64_t count, const brPair* unsure, int64_t unsureCount)
{
	int64_t kept = 0;
	brAllocator* allocator = &job->collision->allocator;
	uint64_t* keys = BR_ALLOC(allocator, uint64_t, 2 * unsureCount);
	if (keys == NULL)
	{
		return -1;
	}
	for (int64_t i = 0; i < unsureCount; ++i)
	{
		if (gpuMeets(job, unsure[i]))
		{
			keys[kept++] = (uint64_t)(uint32_t)unsure[i].a << 32 | (uint32_t)unsure[i].b;
		}
	}
	bool isSorted = brSortKeys64(NULL, allocator, keys, keys + unsureCount, (int32_t)kept);
	// Both lists are sorted: merge from the back, in place.
	int64_t left = count - 1, right = kept - 1;
	for (int64_t at = count + kept - 1; right >= 0 && isSorted; --at)
	{
		uint64_t mine = left >= 0 ? (uint64_t)(uint32_t)pairs[left].a << 32 | (uint32_t)pairs[left].b : 0;
		if (left >= 0 && mine > keys[right])
		{
			pairs[at] = pairs[left--];
			continue;
		}
		pairs[at] = (brPair){(int32_t)(keys[right] >> 32), (int32_t)(keys[right] & 0xFFFFFFFFu)};
		right -= 1;
	}
	BR_FREE(allocator, keys, 2 * unsureCount);
	return isSorted ? count + kept : -1;
}

// Depth and direction of all pairs, by tests that measure.
static brResult gpuMeasure(const GpuJob* job, brGpuPairs* pairs, brReport* report)
{
	brCollision* collision = job->collision;
	if (job->source->cornersEach != 4 || !brTetTest_Measures(job->def->tetTest))
	{
		return br_success;
	}
	collision->penetrations = BR_ALLOC(&collision->allocator, brPenetration, collision->pairCount);
	if (collision->penetrations == NULL)
	{
		return brFailMemory(report);
	}
	if (job->gpu->info.hasDouble)
	{
		return brGpuPairs_Measure(pairs, collision->pairs, collision->pairCount, collision->penetrations, report);
	}
	brMeasureTetsFcn* measure = (job->def->tetTest == br_tetGjk ? brGetEpaTets : brGetMtvTets)(job->def->lanes);
	for (int64_t i = 0; i < collision->pairCount; ++i)
	{
		brTetCorners tets;
		for (int k = 0; k < 4; ++k)
		{
			tets.a[k] = job->source->positions[job->source->corners[4 * (int64_t)collision->pairs[i].a + k]];
			tets.b[k] = job->source->positions[job->source->corners[4 * (int64_t)collision->pairs[i].b + k]];
		}
		collision->penetrations[i] = (brPenetration){.direction = {1.0, 0.0, 0.0}};
		measure(&tets, 1, &collision->penetrations[i]);
	}
	return br_success;
}

static brResult gpuReadMeeting(const GpuJob* job, brGpuPairs* pairs, const brGpuFound* found, brReport* report)
{
	brCollision* collision = job->collision;
	int64_t room = found->meetingCount + found->unsureCount;
	brPair* list = BR_ALLOC(&collision->allocator, brPair, room);
	brPair* unsure = BR_ALLOC(&collision->allocator, brPair, found->unsureCount);
	brPair* exact = NULL;
	int64_t count = 0;
	brResult result = list != NULL && unsure != NULL ? br_success : brFailMemory(report);
	if (result >= 0)
	{
		result = brGpuPairs_Read(pairs, true, found->meetingCount, list, report);
	}
	if (result >= 0 && found->unsureCount > 0)
	{
		result = brGpuPairs_ReadUnsure(pairs, found->unsureCount, unsure, report);
	}
	if (result >= 0)
	{
		count = gpuSettle(job, list, found->meetingCount, unsure, found->unsureCount);
		exact = count >= 0 ? BR_ALLOC(&collision->allocator, brPair, count) : NULL;
		result = exact != NULL ? br_success : brFailMemory(report);
	}
	if (result >= 0)
	{
		memcpy(exact, list, (size_t)count * sizeof(brPair));
		collision->pairs = exact;
		collision->pairCount = count;
		result = gpuMeasure(job, pairs, report);
	}
	if (unsure != NULL)
	{
		BR_FREE(&collision->allocator, unsure, found->unsureCount);
	}
	if (list != NULL)
	{
		BR_FREE(&collision->allocator, list, room);
	}
	return result;
}

static brResult gpuReadCandidates(const GpuJob* job, brGpuPairs* pairs, const brGpuFound* found, brReport* report)
{
	brCollision* collision = job->collision;
	brPair* list = BR_ALLOC(&collision->allocator, brPair, found->candidateCount);
	if (list == NULL)
	{
		return brFailMemory(report);
	}
	brResult result = brGpuPairs_Read(pairs, false, found->candidateCount, list, report);
	if (result < 0)
	{
		BR_FREE(&collision->allocator, list, found->candidateCount);
		return result;
	}
	collision->candidates = list;
	return br_success;
}

static brResult gpuUpload(const GpuJob* job, brGpuPairs* pairs, brBoxMaker* maker, brReport* report)
{
	const brBoxSource* source = job->source;
	const brAllocator* allocator = &job->collision->allocator;
	brResult result = brBoxMaker_Prepare(maker, job->context != NULL ? job->context->workers : NULL, source, report);
	if (result < 0)
	{
		return result;
	}
	uint32_t* objects = BR_ALLOC(allocator, uint32_t, source->count);
	brTreeBox* boxes = source->boxes != NULL ? BR_ALLOC(allocator, brTreeBox, source->count) : NULL;
	if (objects == NULL || (source->boxes != NULL && boxes == NULL))
	{
		result = brFailMemory(report);
	}
	else
	{
		// Objects without elements are passed over.
		uint32_t object = 0;
		for (int32_t k = 0; k < job->objectCount; ++k)
		{
			for (int32_t i = job->starts[k]; i < job->starts[k + 1]; ++i)
			{
				objects[i] = object;
			}
			object += job->starts[k] < job->starts[k + 1];
		}
		if (boxes != NULL)
		{
			brBoxMaker_Fill(maker, 0, source->count, boxes);
		}
		result = brGpuPairs_SetElements(pairs, source, objects, report);
		if (result >= 0)
		{
			brGpuPairs_SetFrame(pairs, maker, boxes);
		}
	}
	if (objects != NULL)
	{
		BR_FREE(allocator, objects, source->count);
	}
	if (boxes != NULL)
	{
		BR_FREE(allocator, boxes, source->count);
	}
	return result;
}

static brResult gpuCollide(const GpuJob* job, brReport* report)
{
	brCollision* collision = job->collision;
	const brCollideDef* def = job->def;
	collision->primitiveCount = job->source->count;
	collision->pairCount = job->findTrue ? 0 : -1;
	if (job->source->count == 0)
	{
		collision->pairs = job->findTrue ? BR_ALLOC(&collision->allocator, brPair, 0) : NULL;
		collision->candidates = def->keepCandidates ? BR_ALLOC(&collision->allocator, brPair, 0) : NULL;
		bool isGood =
			(!job->findTrue || collision->pairs != NULL) && (!def->keepCandidates || collision->candidates != NULL);
		return isGood ? br_success : brFailMemory(report);
	}
	brBoxMaker maker;
	memset(&maker, 0, sizeof(maker));
	maker.allocator = collision->allocator;
	maker.kernels = brGetWideKernels(0);
	brGpuPairs pairs;
	brGpuPairs_Init(&pairs, job->gpu);
	pairs.method = def->method == br_pairsKdet    ? br_deviceKdet
				   : def->method == br_pairsBrute ? br_deviceBrute
												  : br_deviceOi;
	if (def->engine != NULL && !brGpuPairs_SetEngine(&pairs, def->engine))
	{
		return brFailMemory(report);
	}
	pairs.tetTest = def->tetTest;
	pairs.dropNeighbors = job->findTrue && !def->keepCandidates && !def->keepNeighbors;
	int64_t start = brClockNanoseconds();
	brResult result = gpuUpload(job, &pairs, &maker, report);
	collision->stages.boxes = brSecondsSince(start);
	brGpuFound found = {0};
	start = brClockNanoseconds();
	if (result >= 0)
	{
		result = brGpuPairs_Run(&pairs, def->enableSelf, def->enableInter, job->findTrue, def->keepNeighbors, &found,
								report);
	}
	collision->stages.search = brSecondsSince(start);
	collision->candidateCount = found.candidateCount;
	start = brClockNanoseconds();
	if (result >= 0 && job->findTrue)
	{
		result = gpuReadMeeting(job, &pairs, &found, report);
	}
	if (result >= 0 && def->keepCandidates)
	{
		result = gpuReadCandidates(job, &pairs, &found, report);
	}
	collision->stages.narrow = brSecondsSince(start);
	brGpuPairs_Free(&pairs);
	brBoxMaker_Free(&maker);
	return result;
}

static brResult gpuCollideSource(GpuJob* job, brCollision** outCollision, brReport* report)
{
	brAllocator allocator = brContext_Allocator(job->context);
	brCollision* collision = BR_ALLOC_ZERO(&allocator, brCollision, 1);
	if (collision == NULL)
	{
		return brFailMemory(report);
	}
	collision->allocator = allocator;
	job->collision = collision;
	brResult result = gpuCollide(job, report);
	if (result < 0)
	{
		if (collision->pairs == NULL)
		{
			collision->pairCount = -1;
		}
		brDestroyCollision(collision);
		return result;
	}
	*outCollision = collision;
	return brSucceed(report);
}

// NOLINTNEXTLINE(readability-function-size): those of brCollideBoxes, and the device
brResult brGpu_CollideBoxes(brGpu* gpu, const brContext* context, const brBox3* boxes, int32_t count,
							const int32_t* groupStarts, int32_t groupCount, const brCollideDef* def,
							brCollision** outCollision, brReport* report)
{
	brCollideDef defaults = brDefaultCollideDef();
	defaults.enableSelf = true;
	def = def != NULL ? def : &defaults;
	int32_t whole[2] = {0, count};
	groupCount = groupStarts != NULL ? groupCount : 1;
	groupStarts = groupStarts != NULL ? groupStarts : whole;
	bool isGood = gpu != NULL && (boxes != NULL || count == 0) && count >= 0 && count <= INT32_MAX / 16 &&
				  groupCount >= 0 && outCollision != NULL && gpuIsGoodDef(def);
	for (int32_t i = 0; i < groupCount && isGood; ++i)
	{
		isGood = groupStarts[i] <= groupStarts[i + 1] && (i > 0 || groupStarts[0] == 0);
	}
	if (!isGood || (groupCount > 0 && groupStarts[groupCount] != count))
	{
		return brFail(
			report, br_errorMisuse,
			"brGpu_CollideBoxes needs boxes, rising group starts and a def with its stamp and a method that a "
			"device has");
	}
	static const brBox3 none[1]; // an empty list still needs an address
	brBoxSource source = {.count = count, .boxes = boxes != NULL ? boxes : none};
	GpuJob job = {gpu, context, &source, groupStarts, groupCount, def, false, NULL};
	return gpuCollideSource(&job, outCollision, report);
}

brResult brGpu_CollideMeshes(brGpu* gpu, const brContext* context, const brMesh* const* meshes, int32_t meshCount,
							 const brCollideDef* def, brCollision** outCollision, brReport* report)
{
	brCollideDef defaults = brDefaultCollideDef();
	def = def != NULL ? def : &defaults;
	if (gpu == NULL || meshes == NULL || meshCount < 0 || outCollision == NULL || !gpuIsGoodDef(def))
	{
		return brFail(
			report, br_errorMisuse,
			"brGpu_CollideMeshes needs a device, meshes and a def with its stamp and a method that a device has");
	}
	brTriangleSoup soup;
	brResult result = brTriangleSoup_Make(&soup, context, meshes, meshCount, report);
	if (result < 0)
	{
		return result;
	}
	brBoxSource source = brTriangleSoup_Source(&soup);
	GpuJob job = {gpu, context, &source, soup.meshStarts, meshCount, def, def->findTrue, NULL};
	result = gpuCollideSource(&job, outCollision, report);
	brTriangleSoup_Free(&soup);
	return result;
}

brResult brGpu_CollideTets(brGpu* gpu, const brContext* context, const brTetMesh* const* meshes, int32_t meshCount,
						   const brCollideDef* def, brCollision** outCollision, brReport* report)
{
	brCollideDef defaults = brDefaultCollideDef();
	defaults.method = br_pairsKdet;
	def = def != NULL ? def : &defaults;
	if (gpu == NULL || meshes == NULL || meshCount < 0 || outCollision == NULL || !gpuIsGoodDef(def))
	{
		return brFail(
			report, br_errorMisuse,
			"brGpu_CollideTets needs a device, meshes and a def with its stamp, a method that a device has, and "
			"a test by separating planes");
	}
	brTetSoup soup;
	brResult result = brTetSoup_Make(&soup, context, meshes, meshCount, report);
	if (result < 0)
	{
		return result;
	}
	brBoxSource source = brTetSoup_Source(&soup);
	GpuJob job = {gpu, context, &source, soup.starts, meshCount, def, def->findTrue, NULL};
	result = gpuCollideSource(&job, outCollision, report);
	brTetSoup_Free(&soup);
	return result;
}

#endif
