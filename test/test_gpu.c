// SPDX-License-Identifier: MIT

// Devices against the CPU: the same pairs, whatever the boxes. Runs on the first OpenCL device there is, PoCL in most
// cases.

#include "brittle/brittle.h"
#include "brittle/implicit_tree.h"
#include "brittle/swept_pairs.h"
#include "gpu/gpu_pairs.h"
#include "gpu_help.h"
#include "harness.h"
#include "research/gpu_oi.h"
#include "research/gpu_scan.h"
#include "shapes.h"

#include <stdlib.h>
#include <string.h>

BR_TEST(gpu_says_what_is_missing)
{
	brReport report = {0};
	int32_t count = brGetGpuCount(&report);
	CHECK(count >= 0 || (report.code == br_errorUnavailable && strstr(report.text, "OpenCL") != NULL));
	brGpuInfo info;
	CHECK(!brGetGpuInfo(-1, &info) && !brGetGpuInfo(count, &info));
	brGpuDef def = brDefaultGpuDef();
	def.device = "no such device";
	brGpu* gpu = NULL;
	CHECK_EQUAL(brOpenGpu(NULL, &def, &gpu, &report), br_errorUnavailable);
	CHECK(gpu == NULL && report.text[0] != '\0');
	brCloseGpu(NULL);
}

#ifdef BR_HAVE_OPENCL

BR_TEST(gpu_sums_run_on)
{
	brGpu* gpu = openAny();
	brRandom random = brTest_Random(test);
	const int32_t sizes[] = {1, 2, 255, 256, 257, 2048, 2049, 70000, 600000};
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]) && sizes[k] <= maxElements(test); ++k)
	{
		int32_t n = sizes[k];
		uint32_t* numbers = malloc((size_t)n * sizeof(uint32_t));
		uint32_t* sums = malloc((size_t)n * sizeof(uint32_t));
		for (int32_t i = 0; i < n; ++i)
		{
			numbers[i] = brRandom_Below(&random, 5000);
		}
		brGpuBuffer data = {0}, tileSums = {0};
		brReport report = {0};
		brGpu_Ensure(gpu, &data, n, sizeof(uint32_t));
		brGpu_Write(gpu, &data, 0, numbers, (size_t)n * sizeof(uint32_t));
		brGpu_Scan(gpu, &tileSums, &data, n);
		CHECK_RESULT(brGpu_Read(gpu, &data, 0, sums, (size_t)n * sizeof(uint32_t), &report), &report);
		uint32_t sum = 0;
		for (int32_t i = 0; i < n; ++i)
		{
			CHECK_EQUAL(sums[i], sum);
			sum += numbers[i];
		}
		brGpu_Free(gpu, &data);
		brGpu_Free(gpu, &tileSums);
		free(numbers);
		free(sums);
	}
	brCloseGpu(gpu);
}

static int compareByKey(const void* left, const void* right)
{
	// By bits 32 to 48, then by the low half, which holds the order they came in.
	uint64_t a = *(const uint64_t*)left, b = *(const uint64_t*)right;
	uint64_t keyA = (a >> 32 & 0xFFFFu) << 32 | (uint32_t)a, keyB = (b >> 32 & 0xFFFFu) << 32 | (uint32_t)b;
	return (keyA > keyB) - (keyA < keyB);
}

BR_TEST(gpu_sort_keeps_equal_keys_in_order)
{
	brGpu* gpu = openAny();
	brRandom random = brTest_Random(test);
	const int32_t sizes[] = {1, 31, 33, 256, 3071, 3072, 3073, 20000, 200000, 450000};
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]) && sizes[k] <= maxElements(test); ++k)
	{
		int32_t n = sizes[k];
		uint64_t* items = malloc((size_t)n * sizeof(uint64_t));
		uint64_t* sorted = malloc((size_t)n * sizeof(uint64_t));
		uint32_t kinds = k % 3 == 0 ? 3u : 0x10000u; // many equal, or few
		for (int32_t i = 0; i < n; ++i)
		{
			uint64_t beyond = brRandom_Below(&random, 100); // bits that do not count
			items[i] = beyond << 48 | (uint64_t)brRandom_Below(&random, kinds) << 32 | (uint32_t)i;
		}
		brGpuBuffer buffers[2] = {{0}}, counters = {0};
		brGpuSorter sorter = {0};
		brReport report = {0};
		uint32_t count[3] = {7, (uint32_t)n, 9};
		brGpu_Ensure(gpu, &buffers[0], n, sizeof(uint64_t));
		brGpu_Ensure(gpu, &buffers[1], n, sizeof(uint64_t));
		brGpu_Ensure(gpu, &counters, 3, sizeof(uint32_t));
		uint64_t* expected = malloc((size_t)n * sizeof(uint64_t));
		memcpy(expected, items, (size_t)n * sizeof(uint64_t));
		qsort(expected, (size_t)n, sizeof(uint64_t), compareByKey);
		// A sort leaves its counts to the next one: of one pass, of some of the items, of all.
		for (int32_t again = 0; again < 5; ++again)
		{
			count[1] = (uint32_t)(again == 1 ? n / 3 : n);
			brGpu_Write(gpu, &counters, 0, count, sizeof(count));
			brGpu_Write(gpu, &buffers[0], 0, items, (size_t)n * sizeof(uint64_t));
			int32_t last =
				brGpu_Sort(gpu, &sorter, buffers, 0, &counters, 1, n + 5000, (brGpuKeyBits){32, again == 0 ? 40 : 48});
			CHECK_RESULT(brGpu_Read(gpu, &buffers[last], 0, sorted, (size_t)n * sizeof(uint64_t), &report), &report);
			CHECK(again < 2 || memcmp(expected, sorted, (size_t)n * sizeof(uint64_t)) == 0);
		}
		free(expected);
		brGpu_Free(gpu, &buffers[0]);
		brGpu_Free(gpu, &buffers[1]);
		brGpu_Free(gpu, &counters);
		brGpuSorter_Free(gpu, &sorter);
		free(items);
		free(sorted);
	}
	brCloseGpu(gpu);
}

static int compareSwept(const void* left, const void* right)
{
	const brPair *a = left, *b = right;
	return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

static void checkSamePairs(brPair* here, int64_t countHere, const brPair* there, int64_t countThere)
{
	CHECK_EQUAL(countHere, countThere);
	qsort(here, (size_t)countHere, sizeof(brPair), compareSwept);
	CHECK(memcmp(here, there, (size_t)countHere * sizeof(brPair)) == 0);
}

BR_TEST(gpu_swept_pairs_are_those_of_the_cpu)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	brGpu* gpu = openAny();
	brReport report = {0};
	static const char* const scenes[] = {"cloth_ball", "bodies"};
	for (int32_t i = 0; i < 2; ++i)
	{
		brMesh* frames[2];
		for (int32_t k = 0; k < 2; ++k)
		{
			brMovingSceneDef def = brDefaultMovingSceneDef(scenes[i]);
			def.frame = 40.0 + k;
			def.resolution = 12;
			brMovingScene* scene = BR_MADE(brMovingScene, brMakeMovingScene, NULL, &def);
			CHECK_RESULT(
				brMergeMeshes(NULL, (const brMesh* const*)scene->meshes, scene->meshCount, &frames[k], &report),
				&report);
			brDestroyMovingScene(scene);
		}
		brSweptPairs *here = NULL, *there = NULL;
		CHECK_RESULT(brFindSweptPairs(NULL, frames[0], frames[1], NULL, &here, &report), &report);
		CHECK_RESULT(brGpu_FindSweptPairs(gpu, NULL, frames[0], frames[1], NULL, &there, &report), &report);
		CHECK(here->vertexFaceCount > 0 && here->edgeEdgeCount > 0);
		checkSamePairs(here->vertexFaces, here->vertexFaceCount, there->vertexFaces, there->vertexFaceCount);
		checkSamePairs(here->edgeEdges, here->edgeEdgeCount, there->edgeEdges, there->edgeEdgeCount);
		brDestroySweptPairs(here);
		brDestroySweptPairs(there);
		brDestroyMesh(frames[0]);
		brDestroyMesh(frames[1]);
	}
	brSweptPairs* none = NULL;
	CHECK_EQUAL(brGpu_FindSweptPairs(NULL, NULL, NULL, NULL, NULL, &none, NULL), br_errorMisuse);
	brCloseGpu(gpu);
}

BR_TEST(gpu_box_pairs_are_those_of_the_cpu)
{
	brGpu* gpu = openAny();
	brRandom random = brTest_Random(test);
	int64_t total = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 80); ++round)
	{
		int32_t count = (int32_t)brRandom_Below(&random, round % 8 == 0 && maxElements(test) > 5000 ? 5000 : 300);
		uint32_t kind = (uint32_t)round % 7;
		count = kind == 4 || kind == 2 ? count % 300 : count;
		brBox3* boxes = malloc(((size_t)count + 1) * sizeof(brBox3));
		drawBoxes(&random, boxes, count, kind);
		int32_t middle = count > 0 ? (int32_t)brRandom_Below(&random, (uint32_t)count) : 0;
		int32_t starts[3] = {0, middle, count};
		brCollideDef def = brDefaultCollideDef();
		def.enableSelf = round % 3 != 1;
		def.enableInter = round % 3 != 2;
		def.keepCandidates = true;
		brCollision *device = NULL, *host = NULL;
		brReport report = {0};
		CHECK_RESULT(brGpu_CollideBoxes(gpu, NULL, boxes, count, starts, 2, &def, &device, &report), &report);
		CHECK_RESULT(brCollideBoxes(NULL, boxes, count, starts, 2, &def, &host, &report), &report);
		CHECK_EQUAL(device->primitiveCount, count);
		CHECK_EQUAL(device->pairCount, -1);
		checkSame(device->candidates, device->candidateCount, host->candidates, host->candidateCount);
		total += host->candidateCount;
		brDestroyCollision(device);
		brDestroyCollision(host);
		free(boxes);
	}
	CHECK(total > brTest_Rounds(test, 100));
	brCloseGpu(gpu);
}

BR_TEST(gpu_boxes_that_are_not_boxes_are_refused)
{
	brGpu* gpu = openAny();
	brBox3 boxes[2] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, NAN}, {1, 1, 1}}};
	brCollision* collision = NULL;
	brReport report = {0};
	CHECK_EQUAL(brGpu_CollideBoxes(gpu, NULL, boxes, 2, NULL, 0, NULL, &collision, &report), br_errorGeometry);
	CHECK(collision == NULL && strstr(report.text, "1") != NULL);
	brCollideDef def = brDefaultCollideDef();
	def.stamp = 0;
	CHECK_EQUAL(brGpu_CollideBoxes(gpu, NULL, boxes, 1, NULL, 0, &def, &collision, &report), br_errorMisuse);
	CHECK_RESULT(brGpu_CollideBoxes(gpu, NULL, boxes, 1, NULL, 0, NULL, &collision, &report), &report);
	CHECK_EQUAL(collision->candidateCount, 0);
	brDestroyCollision(collision);
	brCloseGpu(gpu);
}

// A crowd, a crowd that has gone, and the crowd again: lists follow the last frame, and no pair is lost on the way.
BR_TEST(gpu_lists_follow_the_last_frame)
{
	brGpu* gpu = openAny();
	brRandom random = brTest_Random(test);
	enum
	{
		maxBoxes = 260
	};
	const int32_t boxCount =
		maxElements(test) <= 5000 ? 100 : maxBoxes; // few pairs for a simulator, still beyond the first list
	brBox3 boxes[maxBoxes], apart[maxBoxes];
	drawBoxes(&random, boxes, boxCount, 4);
	for (int32_t i = 0; i < boxCount; ++i)
	{
		apart[i] = (brBox3){{2.0f * (float)i, 0.0f, 0.0f}, {2.0f * (float)i + 1.0f, 1.0f, 1.0f}};
	}
	brReport report = {0};
	brBoxSource source = {.count = boxCount, .boxes = boxes};
	brGpuPairs pairs;
	brGpuPairs_Init(&pairs, gpu);
	CHECK_RESULT(brGpuPairs_SetElements(&pairs, &source, NULL, &report), &report);
	size_t held[5];
	for (int32_t frame = 0; frame < 5; ++frame)
	{
		bool isCrowd = frame == 0 || frame == 4;
		brTreeBox frameBoxes[maxBoxes];
		brBoxMaker maker = {.source = {.count = boxCount, .boxes = isCrowd ? boxes : apart}};
		brBoxMaker_Fill(&maker, 0, boxCount, frameBoxes);
		brGpuPairs_SetFrame(&pairs, &maker, frameBoxes);
		brGpuFound found = {0};
		CHECK_RESULT(brGpuPairs_Run(&pairs, true, false, false, false, &found, &report), &report);
		CHECK_EQUAL(found.candidateCount, isCrowd ? boxCount * (boxCount - 1) / 2 : 0);
		held[frame] = gpu->bytesHeld;
	}
	CHECK(held[2] < held[0] && held[3] == held[2] && held[4] > held[2]);
	// Fewer elements, then all of them again.
	for (int32_t turn = 0; turn < 2; ++turn)
	{
		int32_t count = turn == 0 ? 3 : boxCount;
		brTreeBox frameBoxes[maxBoxes];
		brBoxMaker maker = {.source = {.count = count, .boxes = apart}};
		brBoxMaker_Fill(&maker, 0, count, frameBoxes);
		CHECK_RESULT(brGpuPairs_SetElements(&pairs, &maker.source, NULL, &report), &report);
		brGpuPairs_SetFrame(&pairs, &maker, frameBoxes);
		for (int32_t frame = 0; frame < 3; ++frame)
		{
			brGpuFound found = {0};
			CHECK_RESULT(brGpuPairs_Run(&pairs, true, false, false, false, &found, &report), &report);
			CHECK_EQUAL(found.candidateCount, 0);
			CHECK(pairs.candidates[0].bytes >= (size_t)count * sizeof(uint64_t));
		}
	}
	brGpuPairs_Free(&pairs);
	CHECK_EQUAL((int64_t)gpu->bytesHeld, 0);
	brCloseGpu(gpu);
}

// Frames that share an order find the pairs of frames that do not, however far things have moved.
BR_TEST(gpu_frames_share_an_order)
{
	brGpu* gpu = openAny();
	brRandom random = brTest_Random(test);
	int32_t count = maxElements(test) <= 5000 ? 50 : 3000;
	brBox3* boxes = malloc((size_t)count * sizeof(brBox3));
	brTreeBox* frameBoxes = malloc((size_t)count * sizeof(brTreeBox));
	drawBoxes(&random, boxes, count, 0);
	brBoxMaker maker = {.source = {.count = count, .boxes = boxes}};
	brReport report = {0};
	brGpuPairs pairs;
	brGpuPairs_Init(&pairs, gpu);
	pairs.sortEvery = 3;
	CHECK_RESULT(brGpuPairs_SetElements(&pairs, &maker.source, NULL, &report), &report);
	for (int32_t frame = 0; frame < 8; ++frame)
	{
		if (frame == 7)
		{
			// Fewer elements in the middle of a shared order begin one of their own.
			count /= 2;
			maker.source.count = count;
			CHECK_RESULT(brGpuPairs_SetElements(&pairs, &maker.source, NULL, &report), &report);
		}
		for (int32_t i = 0; i < count && frame > 0; ++i)
		{
			float by = (float)brRandom_Range(&random, -0.1, 0.1) * (frame == 5 ? 50.0f : 1.0f);
			boxes[i].lower.x += by, boxes[i].upper.x += by;
			boxes[i].upper.y += frame == 4 ? 0.1f : 0.0f;
		}
		brBoxMaker_Fill(&maker, 0, count, frameBoxes);
		brGpuPairs_SetFrame(&pairs, &maker, frameBoxes);
		brGpuFound found = {0};
		CHECK_RESULT(brGpuPairs_Run(&pairs, true, false, false, false, &found, &report), &report);
		CHECK_EQUAL(pairs.sortedFor, frame == 7 ? 1 : 1 + frame % 3);
		brPair* device = malloc(((size_t)found.candidateCount + 1) * sizeof(brPair));
		CHECK_RESULT(brGpuPairs_Read(&pairs, false, found.candidateCount, device, &report), &report);
		brCollideDef def = brDefaultCollideDef();
		def.enableSelf = true, def.keepCandidates = true;
		brCollision* host = BR_MADE(brCollision, brCollideBoxes, NULL, boxes, count, NULL, 0, &def);
		checkSame(device, found.candidateCount, host->candidates, host->candidateCount);
		brDestroyCollision(host);
		free(device);
	}
	brGpuPairs_Free(&pairs);
	free(frameBoxes);
	free(boxes);
	brCloseGpu(gpu);
}

static brMesh* drawTriangles(brRandom* random, uint32_t kind)
{
	brDVec3 positions[120];
	int32_t corners[600];
	int32_t vertexCount = 3 + (int32_t)brRandom_Below(random, 117), faceCount = (int32_t)brRandom_Below(random, 200);
	double scale = kind == 2 ? 1e30 : kind == 3 ? 1e-30 : 1.0;
	for (int32_t i = 0; i < vertexCount; ++i)
	{
		brDVec3 p = {brRandom_Range(random, 0.0, 5.0), brRandom_Range(random, 0.0, 5.0),
					 brRandom_Range(random, 0.0, 5.0)};
		p = kind == 0 ? brMakeDVec3(floor(p.x), floor(p.y), floor(p.z / 2.0)) : p;
		positions[i] = brDMul(scale, p);
	}
	for (int32_t i = 0; i < 3 * faceCount; ++i)
	{
		corners[i] = (int32_t)brRandom_Below(random, (uint32_t)vertexCount);
	}
	return brShape_Make(positions, vertexCount, corners, NULL, faceCount);
}

BR_TEST(gpu_triangle_pairs_are_those_of_the_cpu)
{
	brGpu* gpu = openAny();
	brRandom random = brTest_Random(test);
	int64_t total = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 60); ++round)
	{
		brMesh* meshes[2] = {drawTriangles(&random, (uint32_t)round % 4), drawTriangles(&random, (uint32_t)round % 4)};
		brCollideDef def = brDefaultCollideDef();
		def.enableSelf = round % 2 == 0;
		def.keepNeighbors = round % 5 == 0;
		def.keepCandidates = round % 3 == 0;
		brCollision *device = NULL, *host = NULL;
		brReport report = {0};
		CHECK_RESULT(brGpu_CollideMeshes(gpu, NULL, (const brMesh* const*)meshes, 2, &def, &device, &report), &report);
		CHECK_RESULT(brCollideMeshes(NULL, (const brMesh* const*)meshes, 2, &def, &host, &report), &report);
		checkSame(device->pairs, device->pairCount, host->pairs, host->pairCount);
		CHECK_EQUAL(device->candidateCount, host->candidateCount);
		if (def.keepCandidates)
		{
			checkSame(device->candidates, device->candidateCount, host->candidates, host->candidateCount);
		}
		total += host->pairCount;
		brDestroyCollision(device);
		brDestroyCollision(host);
		brDestroyMesh(meshes[0]);
		brDestroyMesh(meshes[1]);
	}
	CHECK(total > brTest_Rounds(test, 1000));
	brCloseGpu(gpu);
}

// A scene large enough for four levels, and pairs beyond the first capacity.
BR_TEST(gpu_scene_pairs_are_those_of_the_cpu)
{
	brGpu* gpu = openAny();
	brMovingSceneDef motionDef = brDefaultMovingSceneDef("cloth_ball");
	motionDef.frame = 92;
	motionDef.resolution = test->intensity < 0.05 ? 12 : test->intensity < 1.0 ? 40 : 130;
	brReport report = {0};
	brMovingScene* motion = BR_MADE(brMovingScene, brMakeMovingScene, NULL, &motionDef);
	brCollideDef def = brDefaultCollideDef();
	def.enableSelf = true;
	brCollision *device = NULL, *host = NULL;
	const brMesh* const* meshes = (const brMesh* const*)motion->meshes;
	CHECK_RESULT(brGpu_CollideMeshes(gpu, NULL, meshes, motion->meshCount, &def, &device, &report), &report);
	CHECK_RESULT(brCollideMeshes(NULL, meshes, motion->meshCount, &def, &host, &report), &report);
	CHECK(host->candidateCount > 0);
	CHECK_EQUAL(device->candidateCount, host->candidateCount);
	checkSame(device->pairs, device->pairCount, host->pairs, host->pairCount);
	brDestroyCollision(device);
	brDestroyCollision(host);
	brDestroyMovingScene(motion);
	brCloseGpu(gpu);
}

// Every node of every tree is the box of the leaves below it, at the place that the index algebra says.
BR_TEST(gpu_oi_trees_hold_their_leaves)
{
	brGpu* gpu = openAny();
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < (maxElements(test) > 5000 ? 24 : 3); ++round)
	{
		int32_t treeCount = 1 + (int32_t)brRandom_Below(&random, 40), starts[42] = {0};
		for (int32_t k = 0; k < treeCount; ++k)
		{
			starts[k + 1] = starts[k] + 1 +
							(int32_t)brRandom_Below(&random, round % 4 == 0 && maxElements(test) > 5000 ? 5000 : 60);
		}
		int32_t count = starts[treeCount];
		cl_float4* boxes = malloc((size_t)count * 2 * sizeof(cl_float4));
		uint64_t* items = malloc((size_t)count * sizeof(uint64_t));
		for (int32_t i = 0; i < count; ++i)
		{
			float x = (float)brRandom_Range(&random, -1.0, 1.0);
			boxes[2 * i] = (cl_float4){{x, (float)i, -x, 0.0f}};
			boxes[2 * i + 1] = (cl_float4){{-x - 0.1f, -(float)i, -1.0f, 0.0f}}; // negated
			items[i] = (uint64_t)brRandom_Below(&random, 99) << 32 | (uint32_t)(count - 1 - i);
		}
		brGpuBuffer itemBuffer = {0}, boxBuffer = {0};
		brGpuOi oi = {.gpu = gpu};
		brReport report = {0};
		brGpu_Ensure(gpu, &itemBuffer, count, sizeof(uint64_t));
		brGpu_Ensure(gpu, &boxBuffer, 2 * count, sizeof(cl_float4));
		brGpu_Write(gpu, &itemBuffer, 0, items, (size_t)count * sizeof(uint64_t));
		brGpu_Write(gpu, &boxBuffer, 0, boxes, (size_t)count * 2 * sizeof(cl_float4));
		CHECK_RESULT(brGpuOi_SetTrees(&oi, starts, treeCount, &report), &report);
		brGpuElements elements = {&boxBuffer, false, &boxBuffer, 1, &boxBuffer, false};
		brGpuOi_EnqueueLeaves(&oi, &itemBuffer, &elements);
		brGpuOi_EnqueueBuild(&oi);
		cl_float4* nodes = malloc((size_t)oi.nodeCount * 2 * sizeof(cl_float4));
		CHECK_RESULT(brGpu_Read(gpu, &oi.nodes, 0, nodes, (size_t)oi.nodeCount * 2 * sizeof(cl_float4), &report),
					 &report);
		int64_t first = 0;
		for (int32_t k = 0; k < treeCount; ++k)
		{
			brImplicitTree tree = brMakeImplicitTree(2, (uint32_t)(starts[k + 1] - starts[k]));
			int64_t nodeCount = (int64_t)brImplicitTree_NodeCount(&tree);
			for (int64_t slot = 0; slot < nodeCount; ++slot)
			{
				uint64_t index = brImplicitTree_Index(&tree, (uint64_t)slot);
				uint32_t below = tree.leafLevel - brIndex_Level(2, index);
				uint64_t leaf = brIndex_Descendant(2, index, below, 0) - brIndex_LevelStart(2, tree.leafLevel);
				uint64_t end = leaf + (1u << below) < tree.leafCount ? leaf + (1u << below) : tree.leafCount;
				// Leaf i is box count - 1 - i, whose y says which it is.
				int32_t low = count - 1 - (starts[k] + (int32_t)end - 1),
						high = count - 1 - (starts[k] + (int32_t)leaf);
				CHECK(nodes[2 * (first + slot)].s[1] == (float)low &&
					  nodes[2 * (first + slot) + 1].s[1] == (float)high);
				float smallest = INFINITY;
				for (int32_t i = low; i <= high; ++i)
				{
					smallest = boxes[2 * i].s[0] < smallest ? boxes[2 * i].s[0] : smallest;
				}
				CHECK(nodes[2 * (first + slot)].s[0] == smallest);
			}
			first += nodeCount;
		}
		CHECK_EQUAL(first, oi.nodeCount);
		brGpuOi_Free(&oi);
		brGpu_Free(gpu, &itemBuffer);
		brGpu_Free(gpu, &boxBuffer);
		free(nodes);
		free(items);
		free(boxes);
	}
	brCloseGpu(gpu);
}

static brResult collideOnDevice(const brContext* context, void* user)
{
	brBox3 boxes[40];
	brRandom random = brMakeRandom(5, 0);
	drawBoxes(&random, boxes, 40, 2);
	brCollideDef def = brDefaultCollideDef();
	def.enableSelf = true;
	def.keepCandidates = true;
	brCollision* collision = NULL;
	brResult result = brGpu_CollideBoxes(user, context, boxes, 40, NULL, 0, &def, &collision, NULL);
	brDestroyCollision(result >= 0 ? collision : NULL);
	return result;
}

BR_TEST(gpu_collide_survives_any_failed_allocation)
{
	brGpu* gpu = openAny();
	CHECK(brTest_WalkAllocations(collideOnDevice, gpu) >= 4);
	brCloseGpu(gpu);
}

#endif
