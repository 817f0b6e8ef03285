// SPDX-License-Identifier: MIT

// .brec files.
//
//     header | meshes | bodies | frames with their keys | breaks | camera | gravity, unless standard | joints, if any
//
// A reader needs no more than a cursor: every part says its size before it comes, and nothing points backwards but by
// index.

#include "scene/recording_file.h"

#include "base/assert.h"
#include "base/hash.h"
#include "brittle/mend.h"
#include "io/file.h"

#include <string.h>

#define BREC_MAGIC 0x43455242u // "BREC"
#define BREC_VERSION 4         // of files that 0.2.0 and later write; older ones were never released
#define BREC_HEADER 64
#define BREC_HASH_AT 16

// Writing

static void brecPutBody(brByteArray* out, const brRecordedBody* body)
{
	brByteArray_PutText(out, body->name);
	brByteArray_PutCount(out, (uint64_t)body->mesh);
	brByteArray_PutSigned(out, body->parent);
	brByteArray_PutCount(out, (uint64_t)body->bornFrame);
	brByteArray_PutCount(out, body->goneFrame == INT32_MAX ? 0 : (uint64_t)body->goneFrame + 1);
	brByteArray_PutCount(out, (uint64_t)body->kind);
	brByteArray_PutCount(out, (uint64_t)body->generation);
	brByteArray_PutFloat(out, body->mass);
}

static void brecPutCamera(brByteArray* out, const brRecordedCamera* camera)
{
	bool isFramed = camera->frame.lower.x <= camera->frame.upper.x;
	brDBox3 frame = isFramed ? camera->frame : (brDBox3){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
	const double numbers[11] = {camera->azimuth, camera->elevation, camera->fieldOfView, camera->zoom,
								frame.lower.x,   frame.lower.y,     frame.lower.z,       frame.upper.x,
								frame.upper.y,   frame.upper.z,     camera->groundHeight};
	for (int32_t i = 0; i < 11; ++i)
	{
		brByteArray_PutDouble(out, numbers[i]);
	}
	brByteArray_PutCount(out, !isFramed ? 0 : camera->isFixed ? 2 : 1);
	brByteArray_PutCount(out, camera->ground ? 1 : 0);
	brByteArray_PutCount(out, (uint64_t)camera->width);
	brByteArray_PutCount(out, (uint64_t)camera->height);
	brByteArray_PutCount(out, (uint64_t)camera->samples);
	brByteArray_Put64(out, camera->seed);
}

// Standard gravity is not written, unless joints follow: files without it are read as such.
static void brecPutWorld(brByteArray* out, const brRecording* recording)
{
	brDVec3 gravity = recording->gravity;
	bool isStandard = gravity.x == 0.0 && gravity.y == 0.0 && gravity.z == BR_RECORDING_GRAVITY;
	if (isStandard && recording->jointCount == 0)
	{
		return;
	}
	brByteArray_PutDouble(out, gravity.x);
	brByteArray_PutDouble(out, gravity.y);
	brByteArray_PutDouble(out, gravity.z);
	for (int32_t i = 0; i < recording->jointCount; ++i)
	{
		const brAssemblyJoint* joint = &recording->joints[i];
		brByteArray_PutCount(out, (uint64_t)joint->kind);
		brByteArray_PutDouble(out, isfinite(joint->breakForce) ? joint->breakForce : 0.0);
		for (int32_t k = 0; k < 2; ++k)
		{
			brTransform frame = joint->frames[k];
			const double numbers[7] = {frame.p.x, frame.p.y, frame.p.z, frame.q.x, frame.q.y, frame.q.z, frame.q.w};
			brByteArray_PutSigned(out, joint->parts[k]);
			for (int32_t n = 0; n < 7; ++n)
			{
				brByteArray_PutDouble(out, numbers[n]);
			}
		}
	}
}

static void brecPutFrames(brByteArray* out, const brRecording* recording, brRecordedPose* last)
{
	for (int32_t f = 0; f < recording->frameCount; ++f)
	{
		const brRecordedFrame* frame = &recording->frames[f];
		int32_t end = f + 1 < recording->frameCount ? recording->frames[f + 1].firstKey : recording->keyCount;
		brByteArray_PutCount(out, (uint64_t)frame->bodies);
		brByteArray_PutCount(out, (uint64_t)frame->awake);
		brByteArray_PutCount(out, (uint64_t)frame->contacts);
		brByteArray_PutFloat(out, frame->kinetic);
		brByteArray_PutFloat(out, frame->potential);
		brByteArray_PutCount(out, (uint64_t)(end - frame->firstKey));
		int32_t before = -1;
		for (int32_t k = frame->firstKey; k < end; ++k)
		{
			const brRecordedKey* key = &recording->keys[k];
			brRecordedPose* old = &last[key->body];
			bool isTurned = key->turn[0] != 0 || key->turn[1] != 0 || key->turn[2] != 0;
			brByteArray_PutCount(out, 2 * (uint64_t)(key->body - before - 1) + (isTurned ? 1 : 0));
			before = key->body;
			for (int32_t i = 0; i < 3; ++i)
			{
				brByteArray_PutSigned(out, (int64_t)key->pose.position[i] - old->position[i]);
			}
			for (int32_t i = 0; i < 4; ++i)
			{
				brByteArray_PutSigned(out, (int64_t)key->pose.rotation[i] - old->rotation[i]);
			}
			for (int32_t i = 0; i < 3 && isTurned; ++i)
			{
				brByteArray_PutSigned(out, key->turn[i]);
			}
			*old = key->pose;
		}
	}
}

typedef struct BrecMeshes
{
	const brContext* context; // of the call, without its cancel
	const brRecording* recording;
	bool isExact;
	brByteArray* bytes; // [meshCount]
} BrecMeshes;

// Rounding closes gaps that are thinner than a step: solids that would then touch or cross themselves are taken apart,
// on the steps of the file.
static void brecPutMeshes(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const BrecMeshes* job = user;
	for (int32_t i = begin; i < end; ++i)
	{
		brMesh *mesh = job->recording->meshes[i], *settled = NULL;
		brByteArray* bytes = &job->bytes[i];
		if (job->isExact)
		{
			brByteArray_PutMesh(bytes, mesh, true);
			continue;
		}
		bytes->failed = brSettleMesh(job->context, mesh, brRecordedStep(mesh), &settled, NULL) < 0; // by memory alone
		if (!bytes->failed)
		{
			brByteArray_PutMesh(bytes, settled, false);
		}
		brDestroyMesh(settled);
	}
}

// Appends all meshes.
static void brecWriteMeshes(const brContext* context, const brRecording* recording, bool isExact, brByteArray* out)
{
	brContext inner = context != NULL ? *context : (brContext){0};
	inner.cancel = NULL; // workers may not ask
	int32_t count = recording->meshCount;
	BrecMeshes job = {&inner, recording, isExact, BR_ALLOC(&out->allocator, brByteArray, count)};
	out->failed = out->failed || job.bytes == NULL;
	for (int32_t i = 0; i < count && job.bytes != NULL; ++i)
	{
		job.bytes[i] = (brByteArray){.allocator = out->allocator};
	}
	brParallelFor(inner.workers, job.bytes != NULL ? count : 0, 1, brecPutMeshes, &job);
	for (int32_t i = 0; i < count && job.bytes != NULL; ++i)
	{
		out->failed = out->failed || job.bytes[i].failed;
		brByteArray_Add(out, job.bytes[i].bytes.data, (size_t)job.bytes[i].bytes.count);
		brByteArray_Destroy(&job.bytes[i]);
	}
	BR_FREE(&out->allocator, job.bytes, count);
}

bool brRecording_Write(const brContext* context, const brRecording* recording, bool isExact, brByteArray* out)
{
	brRecordedPose* last = BR_ALLOC_ZERO(&out->allocator, brRecordedPose, recording->bodyCount);
	if (last == NULL)
	{
		return false;
	}
	int32_t start = out->bytes.count;
	uint8_t header[BREC_HEADER] = {0};
	brByteArray_Add(out, header, sizeof(header));
	brecWriteMeshes(context, recording, isExact, out);
	for (int32_t i = 0; i < recording->bodyCount; ++i)
	{
		brecPutBody(out, &recording->bodies[i]);
	}
	brecPutFrames(out, recording, last);
	for (int32_t i = 0; i < recording->breakCount; ++i)
	{
		const brRecordedBreak* what = &recording->breaks[i];
		brByteArray_PutCount(out, (uint64_t)what->frame);
		brByteArray_PutSigned(out, what->body);
		brByteArray_PutCount(out, (uint64_t)what->pieces);
		brByteArray_PutFloat(out, what->point[0]);
		brByteArray_PutFloat(out, what->point[1]);
		brByteArray_PutFloat(out, what->point[2]);
		brByteArray_PutFloat(out, what->energy);
		brByteArray_PutFloat(out, what->stress);
	}
	brecPutCamera(out, &recording->camera);
	brecPutWorld(out, recording);
	BR_FREE(&out->allocator, last, recording->bodyCount);

	// The header again, now that the size and the hash of what follows are known.
	brByteArray whole = {.allocator = out->allocator};
	int32_t bodyBytes = out->bytes.count - start - BREC_HEADER;
	brByteArray_Put32(&whole, BREC_MAGIC);
	brByteArray_Put32(&whole, BREC_VERSION);
	brByteArray_Put64(&whole, (uint64_t)bodyBytes);
	brByteArray_Put64(&whole, 0); // the hash
	brByteArray_PutDouble(&whole, recording->frameRate);
	brByteArray_PutDouble(&whole, BR_RECORDING_UNIT);
	brByteArray_Put32(&whole, (uint32_t)recording->meshCount);
	brByteArray_Put32(&whole, (uint32_t)recording->bodyCount);
	brByteArray_Put32(&whole, (uint32_t)recording->frameCount);
	brByteArray_Put32(&whole, (uint32_t)recording->keyCount);
	brByteArray_Put32(&whole, (uint32_t)recording->breakCount);
	brByteArray_Put32(&whole, 0);
	bool done = !whole.failed && !out->failed;
	if (done)
	{
		BR_ASSERT(whole.bytes.count == BREC_HEADER);
		uint8_t* file = out->bytes.data + start;
		uint64_t hash = brHashFile(whole.bytes.data, BREC_HEADER, BREC_HASH_AT, file + BREC_HEADER, (size_t)bodyBytes);
		for (int32_t i = 0; i < 8; ++i)
		{
			whole.bytes.data[BREC_HASH_AT + i] = (uint8_t)(hash >> (8 * i));
		}
		memcpy(file, whole.bytes.data, BREC_HEADER);
	}
	brByteArray_Destroy(&whole);
	return done;
}

brResult brSaveRecording(const brContext* context, const brRecording* recording, const char* path, brReport* report)
{
	if (recording == NULL || path == NULL)
	{
		return brFail(report, br_errorMisuse, "a recording file needs a recording and a path");
	}
	brByteArray bytes = {.allocator = brContext_Allocator(context)};
	brOutput output;
	brResult result = brRecording_Write(context, recording, false, &bytes)
						  ? brOutput_Open(&output, &bytes.allocator, path, report)
						  : brFailMemory(report);
	if (result >= 0)
	{
		brOutput_Write(&output, bytes.bytes.data, (size_t)bytes.bytes.count);
		result = brOutput_Commit(&output, report);
	}
	brByteArray_Destroy(&bytes);
	return result;
}

// Reading

typedef struct BrecCounts
{
	int32_t meshes, bodies, frames, keys, breaks;
} BrecCounts;

static brResult brecReadBodies(brByteCursor* cursor, const BrecCounts* counts, brRecording* recording)
{
	for (int32_t i = 0; i < counts->bodies; ++i)
	{
		brRecordedBody body;
		memset(&body, 0, sizeof(body));
		brByteCursor_GetText(cursor, body.name, sizeof(body.name));
		body.mesh = (int32_t)brByteCursor_GetCount(cursor, (int64_t)counts->meshes - 1);
		int64_t parent = brByteCursor_GetSigned(cursor);
		body.bornFrame = (int32_t)brByteCursor_GetCount(cursor, (int64_t)counts->frames - 1);
		int64_t gone = brByteCursor_GetCount(cursor, (int64_t)counts->frames + 1);
		body.kind = (int32_t)brByteCursor_GetCount(cursor, br_recordedGround);
		body.generation = (int32_t)brByteCursor_GetCount(cursor, INT32_MAX);
		body.mass = brByteCursor_GetFloat(cursor);
		bool isGood = parent >= -1 && parent < i && (gone == 0 || gone - 1 >= body.bornFrame) &&
					  (i == 0 || body.bornFrame >= recording->bodies[i - 1].bornFrame);
		if (cursor->failed || !isGood)
		{
			return br_errorFormat;
		}
		body.parent = (int32_t)parent;
		body.goneFrame = gone == 0 ? INT32_MAX : (int32_t)gone - 1;
		recording->bodies[recording->bodyCount++] = body;
	}
	return br_success;
}

static bool brecReadPose(brByteCursor* cursor, brRecordedPose* pose)
{
	for (int32_t i = 0; i < 3; ++i)
	{
		int64_t value = pose->position[i] + brByteCursor_GetSigned(cursor) % BR_RECORDING_FARTHEST;
		cursor->failed = cursor->failed || value < -INT32_MAX || value > INT32_MAX;
		pose->position[i] = cursor->failed ? 0 : (int32_t)value;
	}
	for (int32_t i = 0; i < 4; ++i)
	{
		int64_t value = pose->rotation[i] + brByteCursor_GetSigned(cursor) % BR_RECORDING_FARTHEST;
		cursor->failed = cursor->failed || value < -INT16_MAX || value > INT16_MAX;
		pose->rotation[i] = cursor->failed ? (int16_t)0 : (int16_t)value;
	}
	return !cursor->failed;
}

static void brecReadTurn(brByteCursor* cursor, int16_t turn[3])
{
	for (int32_t i = 0; i < 3; ++i)
	{
		int64_t value = brByteCursor_GetSigned(cursor);
		cursor->failed = cursor->failed || value < -INT16_MAX || value > INT16_MAX;
		turn[i] = cursor->failed ? (int16_t)0 : (int16_t)value;
	}
}

// Poses as they are changed; a body's first key is in the frame in which it is born, and there are none after its end.
static brResult brecReadFrames(brByteCursor* cursor, const BrecCounts* counts, brRecording* recording)
{
	int32_t born = 0; // bodies whose first key was read
	for (int32_t f = 0; f < counts->frames; ++f)
	{
		brRecordedFrame frame = {.firstKey = recording->keyCount};
		frame.bodies = (int32_t)brByteCursor_GetCount(cursor, INT32_MAX);
		frame.awake = (int32_t)brByteCursor_GetCount(cursor, INT32_MAX);
		frame.contacts = (int32_t)brByteCursor_GetCount(cursor, INT32_MAX);
		frame.kinetic = brByteCursor_GetFloat(cursor);
		frame.potential = brByteCursor_GetFloat(cursor);
		int64_t keyCount = brByteCursor_GetCount(cursor, (int64_t)counts->keys - recording->keyCount);
		recording->frames[recording->frameCount++] = frame;
		int64_t body = -1;
		for (int64_t k = 0; k < keyCount && !cursor->failed; ++k)
		{
			int64_t gap = brByteCursor_GetCount(cursor, 2 * (int64_t)counts->bodies + 1);
			bool isTurned = (gap & 1) != 0;
			body += 1 + gap / 2;
			if (cursor->failed || body >= counts->bodies)
			{
				return br_errorFormat;
			}
			brRecordedBody* what = &recording->bodies[body];
			bool isBirth = body == born && what->bornFrame == f;
			if ((!isBirth && body >= born) || f >= (int64_t)what->goneFrame + (isBirth ? 1 : 0))
			{
				return br_errorFormat;
			}
			born += isBirth ? 1 : 0;
			if (!brecReadPose(cursor, &what->pose))
			{
				return br_errorFormat;
			}
			brRecordedKey key;
			memset(&key, 0, sizeof(key));
			key.body = (int32_t)body;
			key.pose = what->pose;
			if (isTurned)
			{
				brecReadTurn(cursor, key.turn);
			}
			recording->keys[recording->keyCount++] = key;
		}
		if (cursor->failed)
		{
			return br_errorFormat;
		}
	}
	return born == counts->bodies && recording->keyCount == counts->keys ? br_success : br_errorFormat;
}

static brResult brecReadBreaks(brByteCursor* cursor, const BrecCounts* counts, brRecording* recording)
{
	for (int32_t i = 0; i < counts->breaks; ++i)
	{
		brRecordedBreak what = {0};
		what.frame = (int32_t)brByteCursor_GetCount(cursor, (int64_t)counts->frames - 1);
		int64_t body = brByteCursor_GetSigned(cursor);
		what.pieces = (int32_t)brByteCursor_GetCount(cursor, INT32_MAX);
		what.point[0] = brByteCursor_GetFloat(cursor);
		what.point[1] = brByteCursor_GetFloat(cursor);
		what.point[2] = brByteCursor_GetFloat(cursor);
		what.energy = brByteCursor_GetFloat(cursor);
		what.stress = brByteCursor_GetFloat(cursor);
		if (cursor->failed || body < -1 || body >= counts->bodies)
		{
			return br_errorFormat;
		}
		what.body = (int32_t)body;
		recording->breaks[recording->breakCount++] = what;
	}
	return br_success;
}

static bool brecReadJoint(brByteCursor* cursor, brRecording* recording)
{
	brAssemblyJoint joint = {.kind = (int32_t)brByteCursor_GetCount(cursor, 2)};
	double breakForce = brByteCursor_GetDouble(cursor);
	joint.breakForce = breakForce != 0.0 ? breakForce : INFINITY;
	for (int32_t k = 0; k < 2; ++k)
	{
		double n[7];
		int64_t body = brByteCursor_GetSigned(cursor);
		joint.parts[k] = body >= -1 && body < recording->bodyCount ? (int32_t)body : -2;
		for (int32_t i = 0; i < 7; ++i)
		{
			n[i] = brByteCursor_GetDouble(cursor);
		}
		joint.frames[k] = (brTransform){.p = {n[0], n[1], n[2]}, .q = {n[3], n[4], n[5], n[6]}};
	}
	return !cursor->failed && brRecording_AddJoint(recording, &joint);
}

// The camera, and gravity and joints where there is any more.
static brResult brecReadEnd(brByteCursor* cursor, brRecording* recording)
{
	brRecordedCamera* camera = &recording->camera;
	double n[11];
	for (int32_t i = 0; i < 11; ++i)
	{
		n[i] = brByteCursor_GetDouble(cursor);
	}
	camera->azimuth = n[0], camera->elevation = n[1], camera->fieldOfView = n[2], camera->zoom = n[3];
	camera->frame = (brDBox3){{n[4], n[5], n[6]}, {n[7], n[8], n[9]}};
	camera->groundHeight = n[10];
	int64_t framed = brByteCursor_GetCount(cursor, 2);
	camera->frame = framed > 0 ? camera->frame : brMakeDBox3Empty();
	camera->isFixed = framed == 2;
	camera->ground = brByteCursor_GetCount(cursor, 1) == 1;
	camera->width = (int32_t)brByteCursor_GetCount(cursor, 16384);
	camera->height = (int32_t)brByteCursor_GetCount(cursor, 16384);
	camera->samples = (int32_t)brByteCursor_GetCount(cursor, 65536);
	camera->seed = brByteCursor_Get64(cursor);
	if (cursor->at != cursor->end)
	{
		brDVec3* gravity = &recording->gravity;
		gravity->x = brByteCursor_GetDouble(cursor);
		gravity->y = brByteCursor_GetDouble(cursor);
		gravity->z = brByteCursor_GetDouble(cursor);
		cursor->failed = cursor->failed || !brDIsFinite(*gravity);
	}
	while (cursor->at != cursor->end && !cursor->failed)
	{
		cursor->failed = !brecReadJoint(cursor, recording);
	}
	return !cursor->failed && cursor->at == cursor->end ? br_success : br_errorFormat;
}

static bool brecAllocate(brRecording* recording, const BrecCounts* counts)
{
	const brAllocator* allocator = &recording->allocator;
	recording->meshes = BR_ALLOC(allocator, brMesh*, counts->meshes);
	recording->meshCapacity = recording->meshes != NULL ? counts->meshes : 0;
	recording->bodies = BR_ALLOC(allocator, brRecordedBody, counts->bodies);
	recording->bodyCapacity = recording->bodies != NULL ? counts->bodies : 0;
	recording->frames = BR_ALLOC(allocator, brRecordedFrame, counts->frames);
	recording->frameCapacity = recording->frames != NULL ? counts->frames : 0;
	recording->keys = BR_ALLOC(allocator, brRecordedKey, counts->keys);
	recording->keyCapacity = recording->keys != NULL ? counts->keys : 0;
	recording->breaks = BR_ALLOC(allocator, brRecordedBreak, counts->breaks);
	recording->breakCapacity = recording->breaks != NULL ? counts->breaks : 0;
	return recording->meshes != NULL && recording->bodies != NULL && recording->frames != NULL &&
		   recording->keys != NULL && recording->breaks != NULL;
}

typedef struct BrecReading
{
	const brContext* context; // of the call, without its cancel
	brMesh** meshes;
	brByteCursor* cursors; // [meshCount] where each begins, then where it failed
	brResult* results;     // [meshCount]
} BrecReading;

static void brecReadMeshRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const BrecReading* job = user;
	for (int32_t i = begin; i < end; ++i)
	{
		job->results[i] = brByteCursor_GetMesh(&job->cursors[i], job->context, &job->meshes[i]);
	}
}

// Meshes are found by how many numbers they have, then read by all workers.
static brResult brecReadMeshes(const brContext* context, brByteCursor* cursor, int32_t count, brRecording* recording)
{
	const brAllocator* allocator = &recording->allocator;
	brContext inner = context != NULL ? *context : (brContext){0};
	inner.cancel = NULL; // workers may not ask
	BrecReading job = {&inner, recording->meshes, BR_ALLOC(allocator, brByteCursor, count),
					   BR_ALLOC(allocator, brResult, count)};
	brResult result = job.cursors != NULL && job.results != NULL ? br_success : br_errorMemory;
	int32_t found = 0;
	for (; found < count && result >= 0 && !cursor->failed; ++found)
	{
		job.cursors[found] = *cursor;
		recording->meshes[found] = NULL;
		brByteCursor_SkipMesh(cursor);
	}
	recording->meshCount = result >= 0 ? found : 0;
	brParallelFor(inner.workers, recording->meshCount, 1, brecReadMeshRange, &job);
	for (int32_t i = 0; i < recording->meshCount && result >= 0; ++i)
	{
		result = job.results[i];
		*cursor = result < 0 ? job.cursors[i] : *cursor;
	}
	result = result >= 0 && cursor->failed ? br_errorFormat : result;
	BR_FREE(allocator, job.cursors, count);
	BR_FREE(allocator, job.results, count);
	return result;
}

brResult brReadRecording(const brContext* context, const void* bytes, size_t byteCount, const char* name,
						 brRecording** outRecording, brReport* report)
{
	if (bytes == NULL || outRecording == NULL)
	{
		return brFail(report, br_errorMisuse, "a recording needs bytes");
	}
	name = name != NULL ? name : "recording";
	brByteCursor cursor = {bytes, (const uint8_t*)bytes + byteCount, false};
	uint32_t magic = brByteCursor_Get32(&cursor), version = brByteCursor_Get32(&cursor);
	uint64_t size = brByteCursor_Get64(&cursor), hash = brByteCursor_Get64(&cursor);
	double frameRate = brByteCursor_GetDouble(&cursor), unit = brByteCursor_GetDouble(&cursor);
	if (cursor.failed || magic != BREC_MAGIC)
	{
		return brFail(report, br_errorFormat, "%s: this is no recording (.brec)", name);
	}
	if (version != BREC_VERSION || unit != BR_RECORDING_UNIT)
	{
		return brFail(report, br_errorUnsupported, "%s: version %u of .brec files is not known here", name, version);
	}
	const uint8_t* rest = (const uint8_t*)bytes + BREC_HEADER;
	size_t restBytes = byteCount >= BREC_HEADER ? byteCount - BREC_HEADER : 0;
	if (byteCount < BREC_HEADER || size != restBytes ||
		hash != brHashFile(bytes, BREC_HEADER, BREC_HASH_AT, rest, restBytes))
	{
		return brFail(report, br_errorFormat, "%s: the recording is cut off or damaged", name);
	}
	// The bytes that each takes at the least; a mesh takes 20, a body 6, a frame 12, a key 8, a break 19.
	BrecCounts counts = {0};
	counts.meshes = brByteCursor_GetSize(&cursor, 20);
	counts.bodies = brByteCursor_GetSize(&cursor, 6);
	counts.frames = brByteCursor_GetSize(&cursor, 12);
	counts.keys = brByteCursor_GetSize(&cursor, 8);
	counts.breaks = brByteCursor_GetSize(&cursor, 19);
	brByteCursor_Get32(&cursor);
	if (cursor.failed || !(frameRate > 0.0))
	{
		return brFail(report, br_errorFormat, "%s: a count in the header of the recording is too large", name);
	}
	brRecording* recording = brCreateRecording(context, frameRate);
	bool isReady = recording != NULL && brecAllocate(recording, &counts);
	brResult result = isReady ? brecReadMeshes(context, &cursor, counts.meshes, recording) : brFailMemory(report);
	result = result < 0 ? result : brecReadBodies(&cursor, &counts, recording);
	result = result < 0 ? result : brecReadFrames(&cursor, &counts, recording);
	result = result < 0 ? result : brecReadBreaks(&cursor, &counts, recording);
	result = result < 0 ? result : brecReadEnd(&cursor, recording);
	if (result < 0)
	{
		brDestroyRecording(recording);
		return result == br_errorMemory
				   ? brFailMemory(report)
				   : brFail(report, br_errorFormat, "%s: byte %lld: the recording breaks its own rules", name,
							(long long)(cursor.at - (const uint8_t*)bytes));
	}
	*outRecording = recording;
	return brSucceed(report);
}

brResult brLoadRecording(const brContext* context, const char* path, brRecording** outRecording, brReport* report)
{
	if (path == NULL || outRecording == NULL)
	{
		return brFail(report, br_errorMisuse, "a recording needs a path");
	}
	brAllocator allocator = brContext_Allocator(context);
	uint8_t* bytes = NULL;
	size_t byteCount = 0;
	brResult result = brReadFile(context, &allocator, path, &bytes, &byteCount, report);
	if (result >= 0)
	{
		result = brReadRecording(context, bytes, byteCount, path, outRecording, report);
		BR_FREE(&allocator, bytes, byteCount + 1);
	}
	return result;
}

brResult brRoundRecording(const brContext* context, const brRecording* recording, brRecording** outRecording,
						  brReport* report)
{
	if (recording == NULL || outRecording == NULL)
	{
		return brFail(report, br_errorMisuse, "rounding needs a recording and a place for the result");
	}
	brByteArray bytes = {.allocator = brContext_Allocator(context)};
	brResult result =
		brRecording_Write(context, recording, false, &bytes)
			? brReadRecording(context, bytes.bytes.data, (size_t)bytes.bytes.count, NULL, outRecording, report)
			: brFailMemory(report);
	brByteArray_Destroy(&bytes);
	return result;
}
