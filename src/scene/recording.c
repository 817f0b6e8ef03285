// SPDX-License-Identifier: MIT

// A recording as it grows: bodies, frames and the poses that changed.

#include "brittle/recording.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/report.h"

#include <stdio.h>
#include <string.h>

// Rounding to the nearest step, ties away from zero; the range of the type is the end of the world.
static int32_t recordingStep(double value, double unit, double limit)
{
	double steps = value / unit;
	steps = steps < 0.0 ? -floor(0.5 - steps) : floor(steps + 0.5);
	return steps > limit ? (int32_t)limit : steps < -limit ? (int32_t)-limit : (int32_t)steps;
}

brRecordedPose brMakeRecordedPose(brTransform pose)
{
	brQuat q = brQuat_Normalize(pose.q);
	double sign = q.w < 0.0 ? -1.0 : 1.0;
	return (brRecordedPose){
		.position = {recordingStep(pose.p.x, BR_RECORDING_UNIT, INT32_MAX),
					 recordingStep(pose.p.y, BR_RECORDING_UNIT, INT32_MAX),
					 recordingStep(pose.p.z, BR_RECORDING_UNIT, INT32_MAX)},
		.rotation = {(int16_t)recordingStep(sign * q.x, 1.0 / INT16_MAX, INT16_MAX),
					 (int16_t)recordingStep(sign * q.y, 1.0 / INT16_MAX, INT16_MAX),
					 (int16_t)recordingStep(sign * q.z, 1.0 / INT16_MAX, INT16_MAX),
					 (int16_t)recordingStep(sign * q.w, 1.0 / INT16_MAX, INT16_MAX)},
	};
}

brTransform brRecordedPose_ToTransform(brRecordedPose pose)
{
	brQuat q = {pose.rotation[0], pose.rotation[1], pose.rotation[2], pose.rotation[3]};
	return (brTransform){
		.p = {BR_RECORDING_UNIT * pose.position[0], BR_RECORDING_UNIT * pose.position[1],
			  BR_RECORDING_UNIT * pose.position[2]},
		.q = brQuat_Normalize(q),
	};
}

brRecording* brCreateRecording(const brContext* context, double frameRate)
{
	brAllocator allocator = brContext_Allocator(context);
	brRecording* recording = BR_ALLOC_ZERO(&allocator, brRecording, 1);
	if (recording != NULL)
	{
		recording->frameRate = frameRate;
		recording->allocator = allocator;
	}
	return recording;
}

void brDestroyRecording(brRecording* recording)
{
	if (recording == NULL)
	{
		return;
	}
	brAllocator allocator = recording->allocator;
	for (int32_t i = 0; i < recording->meshCount; ++i)
	{
		brDestroyMesh(recording->meshes[i]);
	}
	BR_FREE(&allocator, recording->meshes, recording->meshCapacity);
	BR_FREE(&allocator, recording->bodies, recording->bodyCapacity);
	BR_FREE(&allocator, recording->frames, recording->frameCapacity);
	BR_FREE(&allocator, recording->keys, recording->keyCapacity);
	BR_FREE(&allocator, recording->breaks, recording->breakCapacity);
	BR_FREE(&allocator, recording, 1);
}

// Room for one more element behind `count`.
#define RECORDING_ROOM(recording, member, count, capacity)                                                             \
	((recording)->count < (recording)->capacity ||                                                                     \
	 brGrowArray(&(recording)->allocator, &(recording)->member, (recording)->count, &(recording)->capacity, 1,         \
				 sizeof(*(recording)->member)))

int32_t brRecording_AddMesh(brRecording* recording, brMesh* mesh)
{
	if (recording == NULL || mesh == NULL)
	{
		return -1;
	}
	if (!RECORDING_ROOM(recording, meshes, meshCount, meshCapacity))
	{
		return -1;
	}
	recording->meshes[recording->meshCount] = mesh;
	return recording->meshCount++;
}

bool brRecording_BeginFrame(brRecording* recording, const brRecordedFrame* frame)
{
	if (recording == NULL || frame == NULL)
	{
		return false;
	}
	if (!RECORDING_ROOM(recording, frames, frameCount, frameCapacity))
	{
		return false;
	}
	recording->frames[recording->frameCount] = *frame;
	recording->frames[recording->frameCount].firstKey = recording->keyCount;
	recording->frameCount += 1;
	return true;
}

static bool recordingAddKey(brRecording* recording, int32_t body, const brRecordedPose* pose)
{
	if (!RECORDING_ROOM(recording, keys, keyCount, keyCapacity))
	{
		return false;
	}
	recording->keys[recording->keyCount++] = (brRecordedKey){body, *pose};
	return true;
}

int32_t brRecording_AddBody(brRecording* recording, const char* name, int32_t mesh, int32_t parent, brRecordedKind kind,
							brTransform pose)
{
	if (recording == NULL)
	{
		return -1;
	}
	BR_ASSERT(recording->frameCount > 0 && mesh >= 0 && mesh < recording->meshCount);
	brRecordedBody body;
	memset(&body, 0, sizeof(body));
	snprintf(body.name, sizeof(body.name), "%s", name);
	body.mesh = mesh;
	body.parent = parent;
	body.bornFrame = recording->frameCount - 1;
	body.goneFrame = INT32_MAX;
	body.kind = kind;
	body.pose = brMakeRecordedPose(pose);
	if (!RECORDING_ROOM(recording, bodies, bodyCount, bodyCapacity) ||
		!recordingAddKey(recording, recording->bodyCount, &body.pose))
	{
		return -1;
	}
	recording->bodies[recording->bodyCount] = body;
	return recording->bodyCount++;
}

bool brRecording_MoveBody(brRecording* recording, int32_t body, brTransform pose)
{
	if (recording == NULL)
	{
		return false;
	}
	BR_ASSERT(body >= 0 && body < recording->bodyCount);
	brRecordedPose now = brMakeRecordedPose(pose);
	brRecordedPose* last = &recording->bodies[body].pose;
	bool isSame = memcmp(now.position, last->position, sizeof(now.position)) == 0 &&
				  memcmp(now.rotation, last->rotation, sizeof(now.rotation)) == 0;
	if (!isSame && !recordingAddKey(recording, body, &now))
	{
		return false;
	}
	*last = now;
	return true;
}

void brRecording_EndBody(brRecording* recording, int32_t body)
{
	if (recording == NULL)
	{
		return;
	}
	BR_ASSERT(body >= 0 && body < recording->bodyCount);
	recording->bodies[body].goneFrame = recording->frameCount - 1;
}

bool brRecording_AddBreak(brRecording* recording, const brRecordedBreak* what)
{
	if (recording == NULL || what == NULL)
	{
		return false;
	}
	if (!RECORDING_ROOM(recording, breaks, breakCount, breakCapacity))
	{
		return false;
	}
	recording->breaks[recording->breakCount++] = *what;
	return true;
}

brRecordingView brDefaultRecordingView(void)
{
	return (brRecordingView){.ground = true, .motion = true, .stamp = BR_STAMP(brRecordingView)};
}

// The motion of one body: a key at each change, and before a change one that holds the pose until then, since
// files go straight from key to key. Returns the number of keys written to `out`, which has room for twice as many as
// the body has keys, and one.
static int32_t recordingMotion(const brRecording* recording, const int32_t* keys, const int32_t* keyFrames,
							   int32_t keyCount, brMotionKey* out)
{
	int32_t count = 0;
	for (int32_t i = 0; i < keyCount; ++i)
	{
		brTransform pose = brRecordedPose_ToTransform(recording->keys[keys[i]].pose);
		if (i > 0 && keyFrames[i] > keyFrames[i - 1] + 1)
		{
			out[count] = (brMotionKey){(keyFrames[i] - 1) / recording->frameRate, out[count - 1].pose};
			count += 1;
		}
		if (count > 0)
		{
			// The short way round: w >= 0 alone does not give it.
			brQuat last = out[count - 1].pose.q;
			double dot = last.x * pose.q.x + last.y * pose.q.y + last.z * pose.q.z + last.w * pose.q.w;
			pose.q = dot < 0.0 ? (brQuat){-pose.q.x, -pose.q.y, -pose.q.z, -pose.q.w} : pose.q;
		}
		out[count++] = (brMotionKey){keyFrames[i] / recording->frameRate, pose};
	}
	return count;
}

typedef struct RecordingSort
{
	int32_t* starts;    // [bodyCount + 1] into order
	int32_t* order;     // [keyCount] keys by body, then frame
	int32_t* keyFrames; // [keyCount] in that order
} RecordingSort;

static void recordingSortKeys(const brRecording* recording, RecordingSort* sort)
{
	for (int32_t k = 0; k < recording->keyCount; ++k)
	{
		sort->starts[recording->keys[k].body + 1] += 1;
	}
	for (int32_t b = 0; b < recording->bodyCount; ++b)
	{
		sort->starts[b + 1] += sort->starts[b];
	}
	for (int32_t f = 0; f < recording->frameCount; ++f)
	{
		int32_t end = f + 1 < recording->frameCount ? recording->frames[f + 1].firstKey : recording->keyCount;
		for (int32_t k = recording->frames[f].firstKey; k < end; ++k)
		{
			int32_t at = sort->starts[recording->keys[k].body]++;
			sort->order[at] = k;
			sort->keyFrames[at] = f;
		}
	}
	for (int32_t b = recording->bodyCount; b > 0; --b)
	{
		sort->starts[b] = sort->starts[b - 1];
	}
	sort->starts[0] = 0;
}

static brResult recordingAddPart(const brRecording* recording, const brRecordingView* view, const RecordingSort* sort,
								 int32_t body, int32_t mesh, brMotionKey* motion, brAssembly* assembly)
{
	const brRecordedBody* what = &recording->bodies[body];
	brPart part = brDefaultPart();
	part.mesh = mesh;
	int32_t first = sort->starts[body], count = sort->starts[body + 1] - first;
	if (!view->motion)
	{
		while (count > 1 && sort->keyFrames[first + count - 1] > view->frame)
		{
			count -= 1;
		}
		brTransform pose = brRecordedPose_ToTransform(recording->keys[sort->order[first + count - 1]].pose);
		part.placement = brMakeAffineFromTransform(pose);
		return brAssembly_AddPart(assembly, what->name, &part) >= 0 ? br_success : br_errorMemory;
	}
	part.bornTime = what->bornFrame > 0 ? what->bornFrame / recording->frameRate : -INFINITY;
	part.goneTime = what->goneFrame < INT32_MAX ? what->goneFrame / recording->frameRate : INFINITY;
	int32_t keyCount = recordingMotion(recording, sort->order + first, sort->keyFrames + first, count, motion);
	if (keyCount == 1)
	{
		part.placement = brMakeAffineFromTransform(motion[0].pose);
	}
	int32_t index = brAssembly_AddPart(assembly, what->name, &part);
	bool done = index >= 0 && (keyCount == 1 || brAssembly_SetMotion(assembly, index, motion, keyCount));
	return done ? br_success : br_errorMemory;
}

brResult brRecording_MakeAssembly(const brRecording* recording, const brContext* context, const brRecordingView* view,
								  brAssembly** outAssembly, brReport* report)
{
	brRecordingView all = brDefaultRecordingView();
	view = view != NULL ? view : &all;
	if (recording == NULL || outAssembly == NULL || view->stamp != BR_STAMP(*view))
	{
		return brFail(report, br_errorMisuse, "an assembly needs a recording and a view from brDefaultRecordingView");
	}
	brAllocator allocator = brContext_Allocator(context);
	int32_t bodyCount = recording->bodyCount, keyCount = recording->keyCount;
	RecordingSort sort = {
		.starts = BR_ALLOC_ZERO(&allocator, int32_t, (int64_t)bodyCount + 1),
		.order = BR_ALLOC(&allocator, int32_t, keyCount),
		.keyFrames = BR_ALLOC(&allocator, int32_t, keyCount),
	};
	int32_t motionCapacity = 2 * recording->frameCount + 1;
	brMotionKey* motion = BR_ALLOC(&allocator, brMotionKey, motionCapacity);
	int32_t* meshes = BR_ALLOC(&allocator, int32_t, recording->meshCount);
	brAssembly* assembly = brCreateAssembly(context);
	bool isReady = sort.starts != NULL && sort.order != NULL && sort.keyFrames != NULL && motion != NULL &&
				   meshes != NULL && assembly != NULL;
	brResult result = isReady ? br_success : br_errorMemory;
	if (isReady)
	{
		recordingSortKeys(recording, &sort);
		for (int32_t i = 0; i < recording->meshCount; ++i)
		{
			meshes[i] = -1;
		}
	}
	for (int32_t i = 0; i < bodyCount && result >= 0; ++i)
	{
		const brRecordedBody* body = &recording->bodies[i];
		bool isThere = view->motion || (body->bornFrame <= view->frame && view->frame < body->goneFrame);
		bool isSeen = body->goneFrame > body->bornFrame; // some live for less than a frame
		if (!isThere || !isSeen || (body->kind == br_recordedGround && !view->ground))
		{
			continue;
		}
		if (meshes[body->mesh] < 0)
		{
			brMesh* copy = NULL;
			result = brCopyMesh(context, recording->meshes[body->mesh], &copy, report);
			meshes[body->mesh] = result >= 0 ? brAssembly_AddMesh(assembly, copy) : -1;
			if (result >= 0 && meshes[body->mesh] < 0)
			{
				brDestroyMesh(copy);
				result = br_errorMemory;
			}
		}
		if (result >= 0)
		{
			result = recordingAddPart(recording, view, &sort, i, meshes[body->mesh], motion, assembly);
		}
	}
	BR_FREE(&allocator, sort.starts, (int64_t)bodyCount + 1);
	BR_FREE(&allocator, sort.order, keyCount);
	BR_FREE(&allocator, sort.keyFrames, keyCount);
	BR_FREE(&allocator, motion, motionCapacity);
	BR_FREE(&allocator, meshes, recording->meshCount);
	if (result < 0)
	{
		brDestroyAssembly(assembly);
		return result == br_errorMemory ? brFailMemory(report) : result;
	}
	*outAssembly = assembly;
	return brSucceed(report);
}
