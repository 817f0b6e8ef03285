// SPDX-License-Identifier: MIT

// A recording as it grows: bodies, frames and the poses that changed.

#include "brittle/recording.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/report.h"
#include "scene/recording_file.h"

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
		recording->gravity = brMakeDVec3(0.0, 0.0, BR_RECORDING_GRAVITY);
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
	BR_FREE(&allocator, recording->joints, recording->jointCapacity);
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

static bool recordingAddKey(brRecording* recording, const brRecordedKey* key)
{
	if (!RECORDING_ROOM(recording, keys, keyCount, keyCapacity))
	{
		return false;
	}
	recording->keys[recording->keyCount++] = *key;
	return true;
}

static brRecordedKey recordingKey(int32_t body, const brRecordedPose* pose)
{
	brRecordedKey key;
	memset(&key, 0, sizeof(key)); // it is compared and written
	key.body = body;
	key.pose = *pose;
	return key;
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
	brRecordedKey birth = recordingKey(recording->bodyCount, &body.pose);
	if (!RECORDING_ROOM(recording, bodies, bodyCount, bodyCapacity) || !recordingAddKey(recording, &birth))
	{
		return -1;
	}
	recording->bodies[recording->bodyCount] = body;
	return recording->bodyCount++;
}

bool brRecording_MoveBodyTo(brRecording* recording, int32_t body, const brRecordedPose* pose, brDVec3 spin)
{
	BR_ASSERT(body >= 0 && body < recording->bodyCount);
	brRecordedPose* last = &recording->bodies[body].pose;
	bool isSame = memcmp(pose->position, last->position, sizeof(pose->position)) == 0 &&
				  memcmp(pose->rotation, last->rotation, sizeof(pose->rotation)) == 0;
	brRecordedKey key = recordingKey(body, pose);
	double angle = brDLength(spin) / recording->frameRate;
	bool isFast = isfinite(angle) && angle > BR_RECORDING_QUARTER;
	const double turn[3] = {spin.x, spin.y, spin.z};
	for (int32_t k = 0; k < 3 && isFast; ++k)
	{
		key.turn[k] = (int16_t)recordingStep(turn[k] / recording->frameRate, BR_RECORDING_TURN, INT16_MAX);
	}
	if ((!isSame || isFast) && !recordingAddKey(recording, &key))
	{
		return false;
	}
	*last = *pose;
	return true;
}

bool brRecording_MoveBody(brRecording* recording, int32_t body, brTransform pose, brDVec3 spin)
{
	if (recording == NULL)
	{
		return false;
	}
	brRecordedPose now = brMakeRecordedPose(pose);
	return brRecording_MoveBodyTo(recording, body, &now, spin);
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

bool brRecording_AddJoint(brRecording* recording, const brAssemblyJoint* joint)
{
	bool isGood = recording != NULL && joint != NULL && joint->kind >= 0 && joint->kind <= 2 &&
				  joint->parts[0] != joint->parts[1] && joint->breakForce > 0.0;
	for (int32_t i = 0; i < 2 && isGood; ++i)
	{
		const brQuat* q = &joint->frames[i].q;
		double length = q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w;
		isGood = joint->parts[i] >= -1 && joint->parts[i] < recording->bodyCount && brDIsFinite(joint->frames[i].p) &&
				 fabs(length - 1.0) < 1e-6;
	}
	if (!isGood || !RECORDING_ROOM(recording, joints, jointCount, jointCapacity))
	{
		return false;
	}
	recording->joints[recording->jointCount++] = *joint;
	return true;
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
