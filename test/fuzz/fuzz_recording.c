// SPDX-License-Identifier: MIT

// Recordings with a size and a hash that are right: read, made into parts, written again. An input that begins with
// BREC is a file; any other is edits of a good one.

#include "fuzz_help.h"

#include "base/hash.h"
#include "brittle/io.h"
#include "brittle/models.h"
#include "brittle/recording.h"

#define HEADER 64

static FuzzBlock makeGood(void)
{
	brRecording* recording = brCreateRecording(NULL, 50.0);
	brModelDef def = brDefaultModelDef("box");
	for (int32_t i = 0; i < 2; ++i)
	{
		brMesh* mesh = NULL;
		fuzzCheck(brMakeModel(NULL, &def, &mesh, NULL) >= 0 && brRecording_AddMesh(recording, mesh) == i, "a box");
	}
	for (int32_t f = 0; f < 5; ++f)
	{
		brRecordedFrame frame = {.bodies = f, .awake = 1, .contacts = 2, .kinetic = 3.0f};
		brTransform pose = brMakeTransformIdentity();
		pose.p.x = 0.1 * f;
		fuzzCheck(brRecording_BeginFrame(recording, &frame), "a frame");
		for (int32_t b = 0; b < recording->bodyCount; ++b)
		{
			brRecording_MoveBody(recording, b, pose, brMakeDVec3(0.0, 300.0, 0.0));
		}
		brRecording_AddBody(recording, "body", f % 2, f - 1, f > 0 ? br_recordedPiece : br_recordedBody, pose);
		f == 3 ? brRecording_EndBody(recording, 0) : (void)0;
	}
	brRecordedBreak what = {.frame = 3, .body = 0, .pieces = 2, .energy = 1.0f};
	brRecording_AddBreak(recording, &what);
	const char* path = fuzzPath(".brec");
	fuzzCheck(brSaveRecording(NULL, recording, path, NULL) >= 0, "it is saved");
	brDestroyRecording(recording);
	FILE* file = fopen(path, "rb");
	FuzzBlock good = {malloc(1 << 16), 0};
	good.count = fread(good.bytes, 1, 1 << 16, file);
	fclose(file);
	return good;
}

static void makeRight(FuzzBlock* block)
{
	uint64_t size = block->count - HEADER;
	uint32_t version = 1 + block->bytes[4] % 4;
	double unit = BR_RECORDING_UNIT;
	memcpy(block->bytes, "BREC", 4);
	memcpy(block->bytes + 4, &version, 4);
	memcpy(block->bytes + 8, &size, 8);
	memcpy(block->bytes + 32, &unit, 8);
	uint64_t hash = version >= 3 ? brHashFile(block->bytes, HEADER, 16, block->bytes + HEADER, (size_t)size)
								 : brHashBytes(BR_HASH_SEED, block->bytes + HEADER, (size_t)size);
	memcpy(block->bytes + 16, &hash, 8);
}

static void useRecording(const brContext* context, const brRecording* recording)
{
	brReport report = {0};
	brAssembly* assembly = NULL;
	if (brRecording_MakeAssembly(recording, context, NULL, &assembly, &report) >= 0)
	{
		brSaveAssembly(context, assembly, fuzzPath(".glb"), NULL, &report);
		brSaveAssembly(context, assembly, fuzzPath(".usda"), NULL, &report);
		brAssembly_Freeze(assembly, 1.0 / recording->frameRate);
	}
	brDestroyAssembly(assembly);
	brRecording* part = NULL;
	brTrimRecording(context, recording, 0.0, INFINITY, 0.7 * recording->frameRate, &part, &report);
	brDestroyRecording(part);
	if (brSaveRecording(context, recording, fuzzPath(".brec"), &report) >= 0)
	{
		brRecording* again = NULL;
		brResult result = brLoadRecording(context, fuzzPath(".brec"), &again, &report);
		fuzzCheck(result >= 0 || result == br_errorMemory, report.text);
		brDestroyRecording(again);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	static FuzzBlock good;
	good = good.bytes == NULL ? makeGood() : good;
	bool isFile = size >= HEADER && memcmp(data, "BREC", 4) == 0;
	FuzzBlock given = {(uint8_t*)(uintptr_t)data, size};
	FuzzBlock block = isFile ? fuzzEdit(&given, NULL, 0) : fuzzEdit(&good, data, size);
	if (block.count >= HEADER)
	{
		makeRight(&block);
		brAllocator allocator = {fuzzAlloc, fuzzFree, NULL};
		brContext context = {.allocator = &allocator};
		brReport report = {0};
		brRecording* recording = NULL;
		brResult result = brReadRecording(&context, block.bytes, block.count, NULL, &recording, &report);
		fuzzCheck((result >= 0) == (recording != NULL) && (result >= 0 || report.text[0] != 0),
				  "a recording or a word");
		if (recording != NULL)
		{
			useRecording(&context, recording);
		}
		brDestroyRecording(recording);
		fuzzCheck(fuzzUsed == 0, "all memory is back");
	}
	free(block.bytes);
	return 0;
}
