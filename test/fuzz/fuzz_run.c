// SPDX-License-Identifier: MIT

// Scenes that are played: a few frames of whatever the bytes make, a checkpoint, the run that it restores, a recording.
// An input that begins with a letter of its own is a scene (YAML, or glTF by its first byte); one that begins with 1 is
// edits of a good checkpoint, which is then restored and played.

#include "fuzz_help.h"

#include "base/hash.h"
#include "scene/run_state.h"

static const char goodScene[] =
	"ground: concrete\nduration: 0.2\n"
	"bodies:\n"
	"  - {model: {make: box, with: {width: 0.2, depth: 0.2, height: 0.02}}, material: glass, position: [0, 0, 0.03],\n"
	"     velocity: [0, 0, -6], fracture: {method: shatter, pieces: 4}}\n"
	"  - {model: {make: box, with: {width: 0.1, depth: 0.1, height: 0.1}}, position: [0, 0, 0.2]}\n";

static brContext fuzzContext(brAllocator* allocator)
{
	*allocator = (brAllocator){fuzzAlloc, fuzzFree, NULL};
	return (brContext){.allocator = allocator};
}

static void playFrames(brRun* run, int32_t count)
{
	brReport report = {0};
	for (int32_t i = 0; i < count && !brRun_IsDone(run); ++i)
	{
		if (brRun_PlayFrame(run, &report) < 0)
		{
			fuzzCheck(report.text[0] != 0, "a frame that fails says why");
			return;
		}
	}
}

static void playScene(const brContext* context, const brScene* scene)
{
	brReport report = {0};
	brRun* run = NULL;
	if (scene->bodyCount > 40 || brCreateRun(context, scene, &run, &report) < 0)
	{
		return;
	}
	playFrames(run, 4);
	if (brRun_SaveCheckpoint(run, context, fuzzPath(".brcp"), &report) >= 0)
	{
		brRun* again = NULL;
		brResult result = brRestoreRun(context, scene, fuzzPath(".brcp"), &again, &report);
		fuzzCheck(result >= 0 || result == br_errorMemory, report.text);
		fuzzCheck(again == NULL ||
					  brWorld_ComputeHash(brRun_GetWorld(again)) == brWorld_ComputeHash(brRun_GetWorld(run)),
				  "one hash");
		brDestroyRun(again);
	}
	if (brSaveRecording(context, brRun_GetRecording(run), fuzzPath(".brec"), &report) >= 0)
	{
		brRecording* recording = NULL;
		brResult result = brLoadRecording(context, fuzzPath(".brec"), &recording, &report);
		fuzzCheck(result >= 0 || result == br_errorMemory, report.text);
		brDestroyRecording(recording);
	}
	brDestroyRun(run);
}

static void playCheckpoint(const brContext* context, const uint8_t* data, size_t size)
{
	static brScene* scene;
	static FuzzBlock good;
	if (scene == NULL)
	{
		brRun* run = NULL;
		fuzzCheck(brReadScene(NULL, goodScene, strlen(goodScene), NULL, NULL, &scene, NULL) >= 0 &&
					  brCreateRun(NULL, scene, &run, NULL) >= 0,
				  "a good scene");
		playFrames(run, 4);
		fuzzCheck(brRun_SaveCheckpoint(run, NULL, fuzzPath(".brcp"), NULL) >= 0, "a good checkpoint");
		brDestroyRun(run);
		FILE* file = fopen(fuzzPath(".brcp"), "rb");
		good.bytes = malloc(1 << 20);
		good.count = fread(good.bytes, 1, 1 << 20, file);
		fclose(file);
	}
	FuzzBlock block = fuzzEdit(&good, data, size);
	size_t header = sizeof(brCheckpointHeader), hashAt = offsetof(brCheckpointHeader, hash);
	if (block.count > header)
	{
		uint64_t hash = brHashFile(block.bytes, header, hashAt, block.bytes + header, block.count - header);
		memcpy(block.bytes + hashAt, &hash, 8);
		brReport report = {0};
		brRun* run = NULL;
		brResult result = brRestoreRun(context, scene, fuzzSave(".brcp", block.bytes, block.count), &run, &report);
		fuzzCheck((result >= 0) == (run != NULL) && (result >= 0 || report.text[0] != 0), "a run or a word");
		fuzzCheck(size >= 5 || result >= 0, "what was not edited is good");
		if (run != NULL)
		{
			playFrames(run, 3);
		}
		brDestroyRun(run);
	}
	free(block.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	if (size < 2)
	{
		return 0;
	}
	brAllocator allocator;
	brContext context = fuzzContext(&allocator);
	brReport report = {0};
	brScene* scene = NULL;
	if (data[0] == 1)
	{
		playCheckpoint(&context, data + 1, size - 1);
	}
	else if (data[0] == '{' || data[0] == 'g')
	{
		const char* path = fuzzSave(data[0] == '{' ? ".gltf" : ".glb", data, size);
		brLoadScene(&context, path, NULL, &scene, &report);
	}
	else
	{
		brReadScene(&context, data, size, NULL, NULL, &scene, &report);
	}
	if (scene != NULL)
	{
		playScene(&context, scene);
	}
	brDestroyScene(scene);
	fuzzCheck(fuzzUsed == 0, "all memory is back");
	return 0;
}
