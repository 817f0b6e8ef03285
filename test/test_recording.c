// SPDX-License-Identifier: MIT

// Recordings: what is put in comes out of the file and out of the assembly; damaged files are refused.

#include "base/hash.h"
#include "brittle/check.h"
#include "brittle/io.h"
#include "brittle/models.h"
#include "brittle/recording.h"
#include "harness.h"
#include "io_help.h"
#include "scene/recording_file.h"
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static brTransform randomPose(brRandom* random, double reach)
{
	brTransform pose;
	double x = brRandom_Range(random, -reach, reach), y = brRandom_Range(random, -reach, reach);
	pose.p = brMakeDVec3(x, y, brRandom_Range(random, -reach, reach));
	double a = brRandom_Range(random, -1.0, 1.0), b = brRandom_Range(random, -1.0, 1.0);
	double c = brRandom_Range(random, -1.0, 1.0);
	pose.q = brQuat_Normalize((brQuat){a, b, c, brRandom_Range(random, -1.0, 1.0)});
	return pose;
}

// Bodies come, move by fits and starts, and go.
static brRecording* makeRecording(brRandom* random, int32_t frames)
{
	brRecording* recording = brCreateRecording(NULL, 50.0);
	CHECK(recording != NULL);
	CHECK_EQUAL(brRecording_AddMesh(recording, brShape_Model("box", 1)), 0);
	CHECK_EQUAL(brRecording_AddMesh(recording, brShape_Model("vase", 8)), 1);
	bool isGone[64] = {false};
	for (int32_t f = 0; f < frames; ++f)
	{
		brRecordedFrame frame = {.bodies = f, .awake = 2 * f, .contacts = 300 * f, .kinetic = 1.5f * (float)f};
		CHECK(brRecording_BeginFrame(recording, &frame));
		for (int32_t b = 0; b < recording->bodyCount; ++b)
		{
			if (!isGone[b] && brRandom_Below(random, 3) == 0)
			{
				brDVec3 spin = {brRandom_Range(random, -200.0, 200.0), 0.0, 3.0};
				CHECK(brRecording_MoveBody(recording, b, randomPose(random, 5.0), spin));
			}
			else if (!isGone[b] && brRandom_Below(random, 20) == 0)
			{
				brRecording_EndBody(recording, b);
				isGone[b] = true;
			}
		}
		for (uint32_t k = brRandom_Below(random, 3); k > 0 && recording->bodyCount < 64; --k)
		{
			int32_t parent = recording->bodyCount > 0 ? (int32_t)brRandom_Below(random, 2) - 1 : -1;
			CHECK(brRecording_AddBody(recording, "a body", (int32_t)brRandom_Below(random, 2), parent,
									  parent < 0 ? br_recordedBody : br_recordedPiece, randomPose(random, 5.0)) >= 0);
			brRecordedBreak what = {f, 0, 3, {1.0f, 2.0f, 3.0f}, 4.0f, 5e6f};
			CHECK(brRecording_AddBreak(recording, &what));
		}
	}
	if (recording->bodyCount == 0)
	{
		CHECK(brRecording_AddBody(recording, "one", 0, -1, br_recordedBody, brMakeTransformIdentity()) == 0);
	}
	return recording;
}

BR_TEST(recording_poses_are_as_near_as_they_say)
{
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brTest_Rounds(test, 2000); ++i)
	{
		brTransform pose = randomPose(&random, i % 2 == 0 ? 1.0 : 2000.0);
		brRecordedPose recorded = brMakeRecordedPose(pose);
		brTransform back = brRecordedPose_ToTransform(recorded);
		CHECK(brDDistance(back.p, pose.p) <= 0.87 * BR_RECORDING_UNIT);
		brDVec3 arm = {0.3, -0.5, 0.8};
		CHECK(brDDistance(brQuat_Rotate(back.q, arm), brQuat_Rotate(pose.q, arm)) < 1.3e-4);
		CHECK(recorded.rotation[3] >= 0);
		// What was recorded once is recorded as the same again.
		brRecordedPose again = brMakeRecordedPose(back);
		CHECK(memcmp(again.position, recorded.position, sizeof(again.position)) == 0);
	}
	brTransform far = {{1e9, -1e9, 0.0}, {0.0, 0.0, 0.0, 1.0}};
	brRecordedPose edge = brMakeRecordedPose(far);
	CHECK(edge.position[0] == INT32_MAX && edge.position[1] == -INT32_MAX);
}

static void checkSameRecording(const brRecording* a, const brRecording* b)
{
	CHECK(a->frameRate == b->frameRate);
	CHECK_EQUAL(a->meshCount, b->meshCount);
	CHECK_EQUAL(a->bodyCount, b->bodyCount);
	CHECK_EQUAL(a->frameCount, b->frameCount);
	CHECK_EQUAL(a->keyCount, b->keyCount);
	CHECK_EQUAL(a->breakCount, b->breakCount);
	CHECK(memcmp(a->frames, b->frames, (size_t)a->frameCount * sizeof(*a->frames)) == 0);
	CHECK(memcmp(a->keys, b->keys, (size_t)a->keyCount * sizeof(*a->keys)) == 0);
	CHECK(a->breakCount == 0 || memcmp(a->breaks, b->breaks, (size_t)a->breakCount * sizeof(*a->breaks)) == 0);
	for (int32_t i = 0; i < a->bodyCount; ++i)
	{
		const brRecordedBody *x = &a->bodies[i], *y = &b->bodies[i];
		CHECK(strcmp(x->name, y->name) == 0 && x->mesh == y->mesh && x->parent == y->parent && x->kind == y->kind);
		CHECK(x->bornFrame == y->bornFrame && x->goneFrame == y->goneFrame);
		CHECK(memcmp(&x->pose, &y->pose, sizeof(x->pose)) == 0);
	}
}

BR_TEST(recording_files_keep_poses_to_the_bit)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 20); ++round)
	{
		brRecording* recording = makeRecording(&random, 1 + (int32_t)brRandom_Below(&random, 40));
		const char* path = brTest_ScratchPath("a.brec");
		brReport report = {0};
		CHECK_RESULT(brSaveRecording(NULL, recording, path, &report), &report);
		brRecording* loaded = BR_MADE(brRecording, brLoadRecording, NULL, path);
		checkSameRecording(recording, loaded);
		for (int32_t m = 0; m < loaded->meshCount; ++m)
		{
			const brMesh *a = recording->meshes[m], *b = loaded->meshes[m];
			CHECK(a->vertexCount == b->vertexCount && a->cornerCount == b->cornerCount && b->normals != NULL &&
				  b->uvs != NULL);
			CHECK(memcmp(a->corners, b->corners, (size_t)a->cornerCount * sizeof(int32_t)) == 0);
			CHECK(strcmp(a->materials[0].name, b->materials[0].name) == 0);
			for (int32_t v = 0; v < a->vertexCount; ++v)
			{
				CHECK(brDDistance(a->positions[v], b->positions[v]) < 8e-6 * 1.8);
			}
			for (int32_t c = 0; c < a->cornerCount; ++c)
			{
				CHECK(brDot(a->normals[c], b->normals[c]) > 0.999f);
			}
		}
		// Exact, as in checkpoints: the same bits of everything.
		brByteArray bytes = {.allocator = brContext_Allocator(NULL)};
		CHECK(brRecording_Write(NULL, recording, true, &bytes));
		brRecording* exact =
			BR_MADE(brRecording, brReadRecording, NULL, bytes.bytes.data, (size_t)bytes.bytes.count, NULL);
		checkSameRecording(recording, exact);
		CHECK_SAME(recording->meshes[1], exact->meshes[1], ioUvs | ioNormals | ioMaterials | ioMaterialLooks);
		brByteArray_Destroy(&bytes);
		brDestroyRecording(exact);
		brDestroyRecording(loaded);
		brDestroyRecording(recording);
	}
}

// A solid of two boxes with a gap between them that is thinner than a step of the file.
static brMesh* nearlyTouching(brDVec3 offset)
{
	brMesh *boxes[2] = {brShape_Model("box", 1), brShape_Model("box", 1)}, *solid = NULL;
	brDBox3 box = brMesh_ComputeBounds(boxes[0]);
	brDVec3 size = brDSub(box.upper, box.lower);
	brAffine map = brMakeAffineIdentity();
	map.p = brMakeDVec3(offset.x * size.x, offset.y * size.y, offset.z * size.z);
	brMesh_Transform(boxes[1], &map);
	CHECK_RESULT(brMergeMeshes(NULL, (const brMesh* const*)boxes, 2, &solid, NULL), NULL);
	brDestroyMesh(boxes[0]);
	brDestroyMesh(boxes[1]);
	return solid;
}

// Rounding closes gaps; what was a solid is one in the file too. What was read is written as it is.
BR_TEST(recording_files_hold_solids)
{
	const brDVec3 offsets[] = {{1.0 + 1e-7, 0.3, 0.2}, {1.0 + 1e-7, 1.0, 0.0}, {1.0 + 1e-7, 1e-7, 1.0}};
	brRecording *recording = brCreateRecording(NULL, 60.0), *rounded = NULL, *again = NULL;
	for (int32_t i = 0; i < 3; ++i)
	{
		CHECK_EQUAL(brRecording_AddMesh(recording, nearlyTouching(offsets[i])), i);
	}
	CHECK_RESULT(brRoundRecording(NULL, recording, &rounded, NULL), NULL);
	CHECK_RESULT(brRoundRecording(NULL, rounded, &again, NULL), NULL);
	for (int32_t i = 0; i < 3; ++i)
	{
		brMeshCheck check;
		const brMesh *mesh = rounded->meshes[i], *same = again->meshes[i];
		CHECK_RESULT(brMesh_Check(mesh, NULL, NULL, &check, NULL), NULL);
		CHECK_MESSAGE(check.isSolid && check.duplicatePositions == 0, "%d: %s", i, check.verdict);
		CHECK_EQUAL(mesh->vertexCount, same->vertexCount);
		size_t bytes = (size_t)mesh->vertexCount * sizeof(brDVec3);
		CHECK(memcmp(mesh->positions, same->positions, bytes) == 0);
	}
	brDestroyRecording(recording);
	brDestroyRecording(rounded);
	brDestroyRecording(again);
}

// Going past a mesh ends where reading it ends, whatever it has.
BR_TEST(recording_meshes_are_skipped_as_they_are_read)
{
	for (int32_t kind = 0; kind < 32; ++kind)
	{
		brMesh* mesh = brShape_Model(kind & 1 ? "vase" : "box", 6);
		brMesh plain = *mesh, *read = NULL;
		plain.normals = kind & 2 ? mesh->normals : NULL;
		plain.uvs = kind & 4 ? mesh->uvs : NULL;
		plain.faceMaterials = kind & 8 ? mesh->faceMaterials : NULL;
		plain.materialCount = kind & 8 ? mesh->materialCount : 0;
		brByteArray bytes = {.allocator = brContext_Allocator(NULL)};
		brByteArray_PutMesh(&bytes, &plain, (kind & 16) != 0);
		brByteArray_Put64(&bytes, 1);
		CHECK(!bytes.failed);
		brByteCursor one = {bytes.bytes.data, bytes.bytes.data + bytes.bytes.count, false}, other = one;
		CHECK_RESULT(brByteCursor_GetMesh(&one, NULL, &read), NULL);
		brByteCursor_SkipMesh(&other);
		CHECK(!one.failed && !other.failed && one.at == other.at && one.end - one.at == 8);
		// Cut off, it does not go past the end.
		other = (brByteCursor){bytes.bytes.data, one.at - 1 - kind, false};
		brByteCursor_SkipMesh(&other);
		CHECK(other.failed && other.at <= other.end);
		brByteArray_Destroy(&bytes);
		brDestroyMesh(read);
		brDestroyMesh(mesh);
	}
}

BR_TEST(recording_of_many_workers_is_that_of_one)
{
	brRandom random = brTest_Random(test);
	brRecording* recording = makeRecording(&random, 12);
	brByteArray files[2], exact[2];
	brContext many = {.workers = brTest_Workers(3)};
	for (int32_t k = 0; k < 2; ++k)
	{
		brRecording* loaded = NULL;
		const brContext* context = k == 0 ? NULL : &many;
		files[k] = exact[k] = (brByteArray){.allocator = brContext_Allocator(NULL)};
		CHECK(brRecording_Write(context, recording, false, &files[k]));
		CHECK_RESULT(brReadRecording(context, files[0].bytes.data, (size_t)files[0].bytes.count, NULL, &loaded, NULL),
					 NULL);
		CHECK(brRecording_Write(context, loaded, true, &exact[k]));
		brDestroyRecording(loaded);
	}
	CHECK(files[0].bytes.count == files[1].bytes.count && exact[0].bytes.count == exact[1].bytes.count);
	CHECK(memcmp(files[0].bytes.data, files[1].bytes.data, (size_t)files[0].bytes.count) == 0);
	CHECK(memcmp(exact[0].bytes.data, exact[1].bytes.data, (size_t)exact[0].bytes.count) == 0);
	for (int32_t k = 0; k < 2; ++k)
	{
		brByteArray_Destroy(&files[k]);
		brByteArray_Destroy(&exact[k]);
	}
	brDestroyRecording(recording);
	brDestroyWorkers(many.workers);
}

// Gravity goes with the recording into .usda; files without it fell as on the Earth.
BR_TEST(recording_keeps_gravity)
{
	static const struct
	{
		brDVec3 gravity;
		const char* text; // of the y-up file
	} cases[] = {
		{{0.0, 0.0, -9.81}, "gravityDirection = (0, -1, 0)\n\t\tfloat physics:gravityMagnitude = 9.81\n"},
		{{0.0, 0.0, -1.625}, "gravityDirection = (0, -1, 0)\n\t\tfloat physics:gravityMagnitude = 1.625\n"},
		{{0.0, 2.0, 0.0}, "gravityDirection = (0, 0, -1)\n\t\tfloat physics:gravityMagnitude = 2\n"},
		{{0.0, 0.0, 0.0}, "gravityDirection = (0, -1, 0)\n\t\tfloat physics:gravityMagnitude = 0\n"},
	};
	for (int32_t i = 0; i < 4; ++i)
	{
		brRecording *recording = brCreateRecording(NULL, 60.0), *back = NULL;
		recording->gravity = cases[i].gravity;
		CHECK_EQUAL(brRecording_AddMesh(recording, brShape_Model("box", 1)), 0);
		CHECK(brRecording_BeginFrame(recording, &(brRecordedFrame){0}));
		int32_t body = brRecording_AddBody(recording, "box", 0, -1, br_recordedBody, brMakeTransformIdentity());
		recording->bodies[body].mass = 1.0f;
		CHECK_RESULT(brRoundRecording(NULL, recording, &back, NULL), NULL);
		CHECK(brDDistance(back->gravity, cases[i].gravity) == 0.0);
		brAssembly* assembly = BR_MADE(brAssembly, brRecording_MakeAssembly, back, NULL, NULL);
		brSaveDef save = brDefaultSaveDef();
		save.yUp = true;
		const char* path = brTest_ScratchPath("gravity.usda");
		CHECK(brSaveAssembly(NULL, assembly, path, &save, NULL) >= 0);
		char text[1 << 14];
		FILE* file = fopen(path, "rb");
		CHECK(file != NULL);
		text[fread(text, 1, sizeof(text) - 1, file)] = 0;
		fclose(file);
		CHECK_MESSAGE(strstr(text, cases[i].text) != NULL, "%d: %s", i, strstr(text, "gravityDirection"));
		brDestroyAssembly(assembly);
		brDestroyRecording(recording);
		brDestroyRecording(back);
	}
}

// Joints come back from files and assemblies, with those bodies that are left; wrong ones are refused.
BR_TEST(recording_keeps_joints)
{
	brRandom random = brMakeRandom(1, 31);
	brRecording *recording = makeRecording(&random, 20), *back = NULL, *later = NULL;
	brAssemblyJoint joint = {.kind = 1, .parts = {-1, 1}, .breakForce = INFINITY};
	joint.frames[0] = randomPose(&random, 2.0);
	joint.frames[1] = randomPose(&random, 2.0);
	CHECK(brRecording_AddJoint(recording, &joint));
	brAssemblyJoint other = {
		.kind = 2, .parts = {1, 0}, .frames = {joint.frames[1], joint.frames[0]}, .breakForce = 7.0};
	CHECK(brRecording_AddJoint(recording, &other));
	brAssemblyJoint wrong[5] = {joint, joint, joint, joint, joint};
	wrong[0].kind = 3;
	wrong[1].parts[1] = recording->bodyCount;
	wrong[2].parts[1] = -1;
	wrong[3].frames[0].q.w += 1.0;
	wrong[4].breakForce = 0.0;
	for (int32_t i = 0; i < 5; ++i)
	{
		CHECK(!brRecording_AddJoint(recording, &wrong[i]));
	}
	CHECK_RESULT(brRoundRecording(NULL, recording, &back, NULL), NULL);
	CHECK_EQUAL(back->jointCount, 2);
	for (int32_t i = 0; i < 2; ++i)
	{
		const brAssemblyJoint *is = &back->joints[i], *was = i == 0 ? &joint : &other;
		CHECK(is->kind == was->kind && is->parts[0] == was->parts[0] && is->parts[1] == was->parts[1]);
		CHECK(is->breakForce == was->breakForce && memcmp(is->frames, was->frames, sizeof(is->frames)) == 0);
	}
	brAssembly* assembly = BR_MADE(brAssembly, brRecording_MakeAssembly, back, NULL, NULL);
	CHECK_EQUAL(assembly->jointCount, 2);
	CHECK(!brAssembly_AddJoint(assembly, &wrong[0]) && !brAssembly_AddJoint(assembly, &wrong[2]));
	brAssembly_Freeze(assembly, 0.0);
	CHECK_EQUAL(assembly->jointCount, 0);
	CHECK_RESULT(brTrimRecording(NULL, back, 0.0, 1.0, 0.0, &later, NULL), NULL);
	CHECK_EQUAL(later->jointCount, 2);
	brDestroyAssembly(assembly);
	brDestroyRecording(later);
	brDestroyRecording(back);
	brDestroyRecording(recording);
}

BR_TEST(recording_becomes_parts_that_are_where_they_were)
{
	brRandom random = brTest_Random(test);
	int32_t holds = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 20); ++round)
	{
		brRecording* recording = makeRecording(&random, 30);
		brAssembly* assembly = BR_MADE(brAssembly, brRecording_MakeAssembly, recording, NULL, NULL);
		int32_t part = 0;
		for (int32_t b = 0; b < recording->bodyCount; ++b)
		{
			const brRecordedBody* body = &recording->bodies[b];
			if (body->goneFrame <= body->bornFrame)
			{
				continue;
			}
			const brPart* shown = &assembly->parts[part++];
			CHECK(body->bornFrame == 0 ? shown->bornTime == -INFINITY : shown->bornTime == body->bornFrame / 50.0);
			CHECK(body->goneFrame == INT32_MAX ? shown->goneTime == INFINITY
											   : shown->goneTime == body->goneFrame / 50.0);
			// The slow way: walk all frames and compare the pose at each with the motion's keys.
			brRecordedPose now = {{0}, {0}};
			int32_t key = 0;
			for (int32_t f = body->bornFrame; f < recording->frameCount && f < body->goneFrame; ++f)
			{
				int32_t end = f + 1 < recording->frameCount ? recording->frames[f + 1].firstKey : recording->keyCount;
				for (int32_t k = recording->frames[f].firstKey; k < end; ++k)
				{
					now = recording->keys[k].body == b ? recording->keys[k].pose : now;
				}
				brTransform pose = brRecordedPose_ToTransform(now);
				brDVec3 shownAt = shown->placement.p;
				if (shown->keyCount > 0)
				{
					const brMotionKey* keys = assembly->keys + shown->firstKey;
					while (key + 1 < shown->keyCount && keys[key + 1].time <= f / 50.0 + 1e-9)
					{
						key += 1;
					}
					// Between two keys nothing moves unless they are neighbors, and then no frame lies between.
					bool isOn = fabs(keys[key].time - f / 50.0) < 1e-9;
					bool isHeld =
						key + 1 == shown->keyCount || brDDistance(keys[key].pose.p, keys[key + 1].pose.p) == 0.0;
					CHECK(isOn || isHeld);
					holds += !isOn;
					shownAt = keys[key].pose.p;
				}
				CHECK(brDDistance(shownAt, pose.p) < 1e-12);
			}
		}
		CHECK_EQUAL(part, assembly->partCount);
		// A still shows the same at one frame.
		int32_t frame = recording->frameCount / 2;
		brAssembly* still = BR_MADE(brAssembly, brRecording_MakeAssembly, recording, NULL, NULL);
		brAssembly_Freeze(still, frame / 50.0);
		int32_t there = 0;
		for (int32_t b = 0; b < recording->bodyCount; ++b)
		{
			there += recording->bodies[b].bornFrame <= frame && frame < recording->bodies[b].goneFrame;
		}
		CHECK_EQUAL(still->partCount, there);
		brDestroyAssembly(still);
		brDestroyAssembly(assembly);
		brDestroyRecording(recording);
	}
	CHECK(holds > 0);
}

// Bytes changed behind a good hash: every one is refused with a sentence or gives a recording that keeps the rules.
BR_TEST(recording_refuses_damaged_files)
{
	brRandom random = brTest_Random(test);
	brRecording* recording = makeRecording(&random, 12);
	brByteArray bytes = {.allocator = brContext_Allocator(NULL)};
	CHECK(brRecording_Write(NULL, recording, false, &bytes));
	size_t count = (size_t)bytes.bytes.count;
	uint8_t* copy = malloc(count);
	CHECK(copy != NULL);
	int32_t refused = 0, read = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 3000); ++round)
	{
		memcpy(copy, bytes.bytes.data, count);
		size_t used = count;
		if (round % 3 == 0)
		{
			used = brRandom_Below(&random, (uint32_t)count);
		}
		else
		{
			copy[16 + brRandom_Below(&random, (uint32_t)(count - 16))] = (uint8_t)brRandom_Next(&random);
		}
		if (round % 3 != 1 && used > 64)
		{
			// As if somebody had meant it.
			uint64_t size = used - 64, hash = brHashBytes(BR_HASH_SEED, copy + 64, used - 64);
			memcpy(copy + 8, &size, 8);
			memcpy(copy + 16, &hash, 8);
		}
		brReport report = {0};
		brRecording* loaded = NULL;
		brResult result = brReadRecording(NULL, copy, used, "x.brec", &loaded, &report);
		CHECK((result >= 0) == (loaded != NULL));
		CHECK(result >= 0 || strstr(report.text, "x.brec") != NULL);
		refused += result < 0;
		read += result >= 0;
		if (loaded != NULL)
		{
			brAssembly* assembly = NULL;
			CHECK(brRecording_MakeAssembly(loaded, NULL, NULL, &assembly, &report) >= 0);
			brDestroyAssembly(assembly);
		}
		brDestroyRecording(loaded);
	}
	CHECK(refused > 0 && (read > 0 || test->intensity < 0.5));
	free(copy);
	brByteArray_Destroy(&bytes);
	brDestroyRecording(recording);
}

static brResult walkRecording(const brContext* context, void* user)
{
	(void)user;
	brMesh* mesh = NULL;
	brModelDef def = brDefaultModelDef("box");
	brAssembly* assembly = NULL;
	brRecording* loaded = NULL;
	brByteArray bytes = {.allocator = brContext_Allocator(context)};
	brRecording* recording = brCreateRecording(context, 60.0);
	brRecordedFrame frame = {0};
	brTransform pose = brMakeTransformIdentity();
	brResult result = recording != NULL ? brMakeModel(context, &def, &mesh, NULL) : br_errorMemory;
	if (result >= 0 && brRecording_AddMesh(recording, mesh) < 0)
	{
		brDestroyMesh(mesh);
		result = br_errorMemory;
	}
	for (int32_t f = 0; f < 20 && result >= 0; ++f)
	{
		pose.p.x = f;
		bool done = brRecording_BeginFrame(recording, &frame);
		done = done && (f == 0 || brRecording_MoveBody(recording, 0, pose, brMakeDVec3(0.0, 0.0, 500.0)));
		done = done && brRecording_AddBody(recording, "x", 0, -1, br_recordedBody, pose) >= 0;
		result = done ? br_success : br_errorMemory;
	}
	result = result < 0 ? result : brRecording_MakeAssembly(recording, context, NULL, &assembly, NULL);
	result = result < 0 || brRecording_Write(context, recording, false, &bytes) ? result : br_errorMemory;
	result = result < 0 ? result
						: brReadRecording(context, bytes.bytes.data, (size_t)bytes.bytes.count, NULL, &loaded, NULL);
	brByteArray_Destroy(&bytes);
	brDestroyRecording(loaded);
	brDestroyAssembly(assembly);
	brDestroyRecording(recording);
	return result;
}

BR_TEST(recording_survives_every_failed_allocation)
{
	CHECK(brTest_WalkAllocations(walkRecording, NULL) > 20);
}

// Any byte of the file, header included, is covered: what was changed is not read.
BR_TEST(recording_with_any_byte_changed_is_refused)
{
	brRecording* recording = brCreateRecording(NULL, 60.0);
	brRecordedFrame frame = {.bodies = 1, .kinetic = 2.0f};
	CHECK(recording != NULL && brRecording_BeginFrame(recording, &frame) && brRecording_BeginFrame(recording, &frame));
	const char* path = brTest_ScratchPath("bytes.brec");
	CHECK_RESULT(brSaveRecording(NULL, recording, path, NULL), NULL);
	brDestroyRecording(recording);
	size_t count;
	uint8_t* bytes = ioLoadBytes(path, &count);
	for (size_t i = 0; i < count; ++i)
	{
		bytes[i] ^= 0x40;
		brRecording* read = NULL;
		CHECK_MESSAGE(brReadRecording(NULL, bytes, count, NULL, &read, NULL) < 0, "byte %zu may be anything", i);
		bytes[i] ^= 0x40;
	}
	free(bytes);
}

// A body that turns by `angle` a frame about a fixed axis and flies along x, at 60 Hz.
static brRecording* spinning(brDVec3 axis, double angle, int32_t frames)
{
	brRecording* recording = brCreateRecording(NULL, 60.0);
	CHECK(recording != NULL && brRecording_AddMesh(recording, brShape_Model("box", 1)) == 0);
	for (int32_t f = 0; f < frames; ++f)
	{
		brRecordedFrame frame = {.bodies = 1};
		brTransform pose = {{0.1 * f, 0.0, 1.0}, brMakeQuatAxisAngle(axis, angle * f)};
		CHECK(brRecording_BeginFrame(recording, &frame));
		bool done = f == 0 ? brRecording_AddBody(recording, "spinner", 0, -1, br_recordedBody, pose) == 0
						   : brRecording_MoveBody(recording, 0, pose, brDMul(60.0 * angle, axis));
		CHECK(done);
	}
	return recording;
}

// Angle between two rotations.
static double angleBetween(brQuat a, brQuat b)
{
	double dot = fabs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
	return 2.0 * acos(fmin(dot, 1.0));
}

BR_TEST(recording_fast_turns_go_round_the_true_way)
{
	brDVec3 axis = brDNormalize(brMakeDVec3(1.0, -2.0, 3.0));
	const double angles[] = {0.3, 1.5, 2.8, 3.3, 6.2, 2.0 * BR_PI, 9.0, 14.0};
	for (size_t i = 0; i < sizeof(angles) / sizeof(angles[0]); ++i)
	{
		brRecording* recording = spinning(axis, angles[i], 12);
		brAssembly* assembly = BR_MADE(brAssembly, brRecording_MakeAssembly, recording, NULL, NULL);
		for (int32_t k = 0; k <= 110; ++k)
		{
			double frame = 0.1 * k;
			brTransform pose = brAssembly_FindPose(assembly, 0, frame / 60.0);
			// Straight between keys of a quarter turn, as players go: 4 degrees off at the most.
			double off = angleBetween(pose.q, brMakeQuatAxisAngle(axis, angles[i] * frame));
			CHECK_MESSAGE(off < 0.08, "%g rad a frame: %g rad off at frame %g", angles[i], off, frame);
			CHECK_NEAR(pose.p.x, 0.1 * frame, 2e-6);
		}
		brDestroyAssembly(assembly);
		brDestroyRecording(recording);
	}
}

// Keys that others stand for are left out, and no point of a body is farther from its way than was allowed: bodies that
// fly straight, turn slowly or fast, and jump about.
BR_TEST(recording_leaves_out_keys_on_a_line)
{
	brRandom random = brTest_Random(test);
	brDVec3 axis = brDNormalize(brMakeDVec3(1.0, -2.0, 3.0));
	const double angles[] = {0.0, 1e-3, 0.05, 1.3, 5.0, -1.0};
	for (int32_t i = 0; i < 6; ++i)
	{
		brRecording* recording = angles[i] >= 0.0 ? spinning(axis, angles[i], 100) : makeRecording(&random, 40);
		brRecordingView view = brDefaultRecordingView();
		view.keyTolerance = BR_RECORDING_NEAR;
		brAssembly *all = NULL, *thin = NULL;
		CHECK_RESULT(brRecording_MakeAssembly(recording, NULL, NULL, &all, NULL), NULL);
		CHECK_RESULT(brRecording_MakeAssembly(recording, NULL, &view, &thin, NULL), NULL);
		CHECK_EQUAL(all->partCount, thin->partCount);
		for (int32_t p = 0; p < all->partCount; ++p)
		{
			const brMesh* mesh = all->meshes[all->parts[p].mesh];
			double radius = 0.0, farthest = 0.0;
			for (int32_t v = 0; v < mesh->vertexCount; ++v)
			{
				radius = fmax(radius, brDLength(mesh->positions[v]));
			}
			for (int32_t k = 0; k < all->parts[p].keyCount; ++k)
			{
				const brMotionKey* key = &all->keys[all->parts[p].firstKey + k];
				brTransform pose = brAssembly_FindPose(thin, p, key->time);
				for (int32_t v = 0; v < mesh->vertexCount; ++v)
				{
					brDVec3 a = brTransform_Point(pose, mesh->positions[v]);
					farthest = fmax(farthest, brDDistance(a, brTransform_Point(key->pose, mesh->positions[v])));
				}
			}
			CHECK_MESSAGE(farthest <= 1.001 * BR_RECORDING_NEAR * radius, "%g: %g of the radius off", angles[i],
						  farthest / radius);
		}
		bool isSlow = angles[i] >= 0.0 && angles[i] <= 1e-3;
		CHECK_MESSAGE(!isSlow || thin->parts[0].keyCount <= 4, "%d keys", thin->parts[0].keyCount);
		brDestroyAssembly(all);
		brDestroyAssembly(thin);
		brDestroyRecording(recording);
	}
}

// Normals that are those of the faces say nothing; others stay.
BR_TEST(recording_leaves_out_flat_normals)
{
	brRecording* recording = brCreateRecording(NULL, 60.0);
	const char* const names[] = {"box", "icosphere"};
	CHECK(brRecording_BeginFrame(recording, &(brRecordedFrame){.bodies = 2}));
	for (int32_t i = 0; i < 2; ++i)
	{
		brMesh* mesh = brShape_Model(names[i], 4);
		CHECK(mesh->normals != NULL);
		CHECK_EQUAL(brRecording_AddMesh(recording, mesh), i);
		CHECK(brRecording_AddBody(recording, names[i], i, -1, br_recordedBody, brMakeTransformIdentity()) == i);
	}
	brRecording* back = NULL;
	brAssembly* assembly = NULL;
	CHECK_RESULT(brRoundRecording(NULL, recording, &back, NULL), NULL); // normals are rounded, too
	CHECK_RESULT(brRecording_MakeAssembly(back, NULL, NULL, &assembly, NULL), NULL);
	CHECK(assembly->meshes[0]->normals == NULL && assembly->meshes[1]->normals != NULL);
	brDestroyAssembly(assembly);
	brDestroyRecording(back);
	brDestroyRecording(recording);
}

BR_TEST(recording_trims_to_a_time_and_a_rate)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 10); ++round)
	{
		brRecording* recording = makeRecording(&random, 40);
		brReport report = {0};
		brRecording* same = BR_MADE(brRecording, brTrimRecording, NULL, recording, -INFINITY, INFINITY, 0.0);
		brAssembly *a = NULL, *b = NULL;
		CHECK_RESULT(brRecording_MakeAssembly(recording, NULL, NULL, &a, &report), &report);
		// Every second frame from the tenth on: what is there then is where it was.
		brRecording* half = BR_MADE(brRecording, brTrimRecording, NULL, recording, 0.2, 0.6, 25.0);
		CHECK_EQUAL(half->frameCount, 11);
		for (int32_t f = 0; f < 11; ++f)
		{
			brAssembly *x = NULL, *y = NULL;
			CHECK_RESULT(brRecording_MakeAssembly(same, NULL, NULL, &x, &report), &report);
			CHECK_RESULT(brRecording_MakeAssembly(half, NULL, NULL, &y, &report), &report);
			brAssembly_Freeze(x, (10 + 2 * f) / 50.0);
			brAssembly_Freeze(y, f / 25.0);
			CHECK_EQUAL(x->partCount, y->partCount);
			for (int32_t p = 0; p < x->partCount; ++p)
			{
				const brAffine *u = &x->parts[p].placement, *v = &y->parts[p].placement;
				CHECK(brDDistance(u->p, v->p) < 1e-12 && brDDistance(u->m.cx, v->m.cx) < 1e-12 &&
					  brDDistance(u->m.cy, v->m.cy) < 1e-12);
			}
			brDestroyAssembly(x);
			brDestroyAssembly(y);
		}
		// Between frames: on the line between them. What was written is read.
		brRecording* other = BR_MADE(brRecording, brTrimRecording, NULL, recording, 0.0, INFINITY, 24.0);
		CHECK_RESULT(brRecording_MakeAssembly(other, NULL, NULL, &b, &report), &report);
		const char* path = brTest_ScratchPath("trimmed.brec");
		CHECK_RESULT(brSaveRecording(NULL, other, path, &report), &report);
		brRecording* back = BR_MADE(brRecording, brLoadRecording, NULL, path);
		checkSameRecording(other, back);
		brDestroyRecording(back);
		brDestroyAssembly(a);
		brDestroyAssembly(b);
		brDestroyRecording(other);
		brDestroyRecording(half);
		brDestroyRecording(same);
		brDestroyRecording(recording);
	}
	brRecording* spin = spinning(brMakeDVec3(0.0, 0.0, 1.0), 1.3, 61);
	brRecording* slow = NULL;
	brAssembly* moving = NULL;
	CHECK_RESULT(brTrimRecording(NULL, spin, 0.0, INFINITY, 24.0, &slow, NULL), NULL);
	CHECK_RESULT(brRecording_MakeAssembly(slow, NULL, NULL, &moving, NULL), NULL);
	for (int32_t k = 0; k < 50; ++k)
	{
		// 3.25 rad a frame of 24: the way round is known though no old frame turned by a quarter.
		double time = 0.0173 * k;
		brTransform pose = brAssembly_FindPose(moving, 0, time);
		CHECK(angleBetween(pose.q, brMakeQuatAxisAngle(brMakeDVec3(0.0, 0.0, 1.0), 78.0 * time)) < 0.12);
		CHECK_NEAR(pose.p.x, 6.0 * time, 1e-5);
	}
	CHECK_EQUAL(brTrimRecording(NULL, spin, 5.0, 6.0, 0.0, &slow, NULL), br_errorGeometry);
	CHECK_EQUAL(brTrimRecording(NULL, spin, 2.0, 1.0, 0.0, &slow, NULL), br_errorMisuse);
	brDestroyAssembly(moving);
	brDestroyRecording(slow);
	brDestroyRecording(spin);
}

BR_TEST(recording_groups_pieces_by_what_broke)
{
	brRecording* recording = spinning(brMakeDVec3(0.0, 0.0, 1.0), 0.1, 3);
	brTransform pose = brMakeTransformIdentity();
	CHECK_EQUAL(brRecording_AddBody(recording, "stand", 0, -1, br_recordedBody, pose), 1);
	brRecording_EndBody(recording, 0);
	CHECK_EQUAL(brRecording_AddBody(recording, "spinner_piece_2", 0, 0, br_recordedPiece, pose), 2);
	recording->bodies[2].generation = 1;
	recording->bodies[2].mass = 0.25f;
	brRecordedBreak what = {.frame = 2, .body = 0, .pieces = 1, .energy = 3.5f};
	CHECK(brRecording_AddBreak(recording, &what));
	brAssembly* assembly = BR_MADE(brAssembly, brRecording_MakeAssembly, recording, NULL, NULL);
	CHECK(assembly->groupCount == 1 && strcmp(assembly->groups[0], "spinner") == 0);
	const brPart* parts = assembly->parts;
	CHECK(strcmp(parts[0].name, "spinner_whole") == 0 && parts[0].group == 0);
	CHECK(strcmp(parts[1].name, "stand") == 0 && parts[1].group == -1);
	CHECK(parts[2].group == 0 && parts[2].parent == 0 && parts[2].generation == 1);
	CHECK(parts[2].mass == 0.25 && parts[2].breakEnergy == 3.5);
	// At the start there is the whole, in the end the piece.
	brMesh *start = NULL, *end = NULL;
	CHECK_RESULT(brAssembly_Flatten(assembly, NULL, &start, NULL), NULL);
	brAssembly_Freeze(assembly, INFINITY);
	CHECK_RESULT(brAssembly_Flatten(assembly, NULL, &end, NULL), NULL);
	CHECK_EQUAL(start->faceCount, recording->meshes[0]->faceCount);
	CHECK_EQUAL(end->faceCount, 2 * recording->meshes[0]->faceCount);
	brDestroyMesh(start);
	brDestroyMesh(end);
	brDestroyAssembly(assembly);
	brDestroyRecording(recording);
}

BR_TEST(recording_finds_the_action)
{
	// A thing breaks at the origin; one shard of many flies off, a bullet comes from afar.
	brRecording* recording = brCreateRecording(NULL, 60.0);
	CHECK(recording != NULL && brRecording_AddMesh(recording, brShape_Model("box", 1)) == 0);
	for (int32_t f = 0; f < 60; ++f)
	{
		brRecordedFrame frame = {.kinetic = f > 20 && f < 30 ? 5.0f : 0.0f};
		CHECK(brRecording_BeginFrame(recording, &frame));
		brTransform pose = brMakeTransformIdentity();
		brDVec3 still = {0.0, 0.0, 0.0};
		if (f == 0)
		{
			CHECK_EQUAL(brRecording_AddBody(recording, "thing", 0, -1, br_recordedBody, pose), 0);
			pose.p.x = -500.0;
			CHECK_EQUAL(brRecording_AddBody(recording, "bullet", 0, -1, br_recordedBody, pose), 1);
		}
		pose.p.x = -500.0 + 20.0 * f;
		CHECK(f == 0 || brRecording_MoveBody(recording, 1, pose, still));
		for (int32_t i = 0; i < 80 && f > 25; ++i)
		{
			pose.p = brMakeDVec3(0.02 * i, 0.0, i == 0 ? 100.0 * (f - 25) : 0.1 * (f - 25) / 35);
			CHECK(brRecording_MoveBody(recording, 2 + i, pose, still));
		}
		for (int32_t i = 0; i < 80 && f == 25; ++i)
		{
			brRecording_EndBody(recording, 0);
			CHECK(brRecording_AddBody(recording, "shard", 0, 0, br_recordedPiece, brMakeTransformIdentity()) == 2 + i);
		}
	}
	brRecordedBreak what = {.frame = 25, .body = 0, .pieces = 80};
	CHECK(brRecording_AddBreak(recording, &what));
	brDBox3 box = brRecording_FindAction(recording, -INFINITY, INFINITY);
	brDBox3 thing = brMesh_ComputeBounds(recording->meshes[0]);
	CHECK(box.lower.x <= thing.lower.x && box.upper.x >= thing.upper.x && box.upper.z >= thing.upper.z);
	CHECK_MESSAGE(box.lower.x > -20.0 && box.upper.z < 10.0, "%g %g", box.lower.x, box.upper.z);
	double times[8];
	brRecording_FindMoments(recording, 0.0, INFINITY, times, 8);
	int32_t fresh = 0;
	for (int32_t i = 0; i < 8; ++i)
	{
		CHECK(i == 0 ? times[i] == 0.0 : times[i] > times[i - 1]);
		fresh += times[i] >= 20.0 / 60.0 && times[i] <= 38.0 / 60.0;
	}
	CHECK(times[7] == 59.0 / 60.0 && fresh >= 4);
	brDestroyRecording(recording);
}

BR_TEST(recording_shows_blows_rather_than_what_rolls_on)
{
	// Things fall for half a second; then one of them rolls for five and a half.
	brRecording* recording = brCreateRecording(NULL, 60.0);
	CHECK(recording != NULL);
	for (int32_t f = 0; f < 360; ++f)
	{
		brRecordedFrame frame = {.kinetic = f < 30 ? 0.1f * (float)(f % 10) : 0.5f};
		CHECK(brRecording_BeginFrame(recording, &frame));
	}
	double times[8];
	brRecording_FindMoments(recording, 0.0, INFINITY, times, 8);
	CHECK_MESSAGE(times[4] <= 0.5 && times[7] == 359.0 / 60.0, "%g, %g s", times[4], times[7]);
	brDestroyRecording(recording);
}
