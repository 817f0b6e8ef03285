// SPDX-License-Identifier: MIT

// A recording as an assembly: parts that move, appear and vanish, in groups by what they were pieces of.

#include "scene/recording_file.h"
#include "scene/render_camera.h"

#include "base/assert.h"
#include "base/memory.h"
#include "mesh/face_area.h"

#include <stdio.h>
#include <string.h>

#define RECORDING_MAX_PARTS 32 // of the way between two frames; a body turns by 50 rad in one at the most
#define RECORDING_MAX_SPAN 48  // keys that one line stands for; longer ones save nothing and cost their square
#define RECORDING_FLAT 1e-6    // 1 - cosine between normals that count as equal: files have normals to 2^-12
#define RECORDING_CURVED                                                                                               \
	1e-3 // share of a flat mesh's area whose normals may differ: slivers, which have none to speak of

brRecordingView brDefaultRecordingView(void)
{
	return (brRecordingView){.ground = true, .stamp = BR_STAMP(brRecordingView)};
}

static brQuat recordingTurnBy(brDVec3 turn, double share)
{
	double angle = brDLength(turn);
	return angle > 0.0 ? brMakeQuatAxisAngle(brDMul(1.0 / angle, turn), share * angle) : brMakeQuatIdentity();
}

brTransform brRecording_Between(brTransform from, brTransform to, brDVec3 turn, double t)
{
	brQuat missed = brQuat_Mul(to.q, brQuat_Conjugate(brQuat_Mul(recordingTurnBy(turn, 1.0), from.q)));
	double sign = missed.w < 0.0 ? -1.0 : 1.0;
	brQuat part = {t * sign * missed.x, t * sign * missed.y, t * sign * missed.z, 1.0 - t + t * sign * missed.w};
	brQuat q = brQuat_Mul(brQuat_Normalize(part), brQuat_Mul(recordingTurnBy(turn, t), from.q));
	return (brTransform){brDLerp(from.p, to.p, t), brQuat_Normalize(q)};
}

brDVec3 brRecordedTurn(const int16_t turn[3])
{
	return brMakeDVec3(BR_RECORDING_TURN * turn[0], BR_RECORDING_TURN * turn[1], BR_RECORDING_TURN * turn[2]);
}

// Keys that are written for one key: one, and those between it and the one before.
static int32_t recordingKeysOf(const brRecordedKey* key)
{
	double parts = ceil(brDLength(brRecordedTurn(key->turn)) / BR_RECORDING_QUARTER);
	return parts < 1.0 ? 1 : parts > RECORDING_MAX_PARTS ? RECORDING_MAX_PARTS : (int32_t)parts;
}

// Motions under construction.
typedef struct RecordingMotion
{
	brMotionKey* keys;
	int32_t count;
} RecordingMotion;

static void recordingPushKey(RecordingMotion* motion, double time, brTransform pose)
{
	if (motion->count > 0)
	{
		// The short way round: w >= 0 alone does not give it.
		brQuat last = motion->keys[motion->count - 1].pose.q;
		double dot = last.x * pose.q.x + last.y * pose.q.y + last.z * pose.q.z + last.w * pose.q.w;
		pose.q = dot < 0.0 ? (brQuat){-pose.q.x, -pose.q.y, -pose.q.z, -pose.q.w} : pose.q;
	}
	motion->keys[motion->count++] = (brMotionKey){time, pose};
}

// The motion of one body: a key at each change, keys between for fast turns, and before a change one that holds the pose
// until then, since files go straight from key to key. `motion` has room for them.
static void recordingMotion(const brRecording* recording, const int32_t* keys, const int32_t* keyFrames,
							int32_t keyCount, RecordingMotion* motion)
{
	motion->count = 0;
	for (int32_t i = 0; i < keyCount; ++i)
	{
		const brRecordedKey* key = &recording->keys[keys[i]];
		brTransform pose = brRecordedPose_ToTransform(key->pose);
		if (i > 0 && keyFrames[i] > keyFrames[i - 1] + 1)
		{
			recordingPushKey(motion, (keyFrames[i] - 1) / recording->frameRate, motion->keys[motion->count - 1].pose);
		}
		int32_t parts = i > 0 ? recordingKeysOf(key) : 1;
		brTransform from = i > 0 ? motion->keys[motion->count - 1].pose : pose;
		for (int32_t k = 1; k < parts; ++k)
		{
			double t = (double)k / parts;
			recordingPushKey(motion, (keyFrames[i] - 1 + t) / recording->frameRate,
							 brRecording_Between(from, pose, brRecordedTurn(key->turn), t));
		}
		recordingPushKey(motion, keyFrames[i] / recording->frameRate, pose);
	}
}

// Whether the straight way from key `first` to key `last` comes as near to all keys between as `reach`, at the farthest
// point of a body of this radius.
static bool recordingIsStraight(const brMotionKey* keys, int32_t first, int32_t last, double radius, double reach)
{
	const brMotionKey *from = &keys[first], *to = &keys[last];
	for (int32_t i = first + 1; i < last; ++i)
	{
		double t = (keys[i].time - from->time) / (to->time - from->time);
		brQuat a = from->pose.q, b = to->pose.q, q = keys[i].pose.q; // signs follow each other
		brQuat between = brQuat_Normalize((brQuat){(1.0 - t) * a.x + t * b.x, (1.0 - t) * a.y + t * b.y,
												   (1.0 - t) * a.z + t * b.z, (1.0 - t) * a.w + t * b.w});
		brQuat off = brQuat_Mul(between, brQuat_Conjugate(q));
		double angle = 2.0 * sqrt(off.x * off.x + off.y * off.y + off.z * off.z);
		double away = brDDistance(brDLerp(from->pose.p, to->pose.p, t), keys[i].pose.p);
		if (!(away + radius * angle <= reach))
		{
			return false;
		}
	}
	return true;
}

// Leaves out keys that others stand for. Each line goes on as far as it can.
static void recordingThin(RecordingMotion* motion, double radius, double reach)
{
	int32_t kept = motion->count > 0 ? 1 : 0;
	for (int32_t at = 0; at + 1 < motion->count;)
	{
		int32_t next = at + 1;
		while (next + 1 < motion->count && next - at < RECORDING_MAX_SPAN &&
			   recordingIsStraight(motion->keys, at, next + 1, radius, reach))
		{
			next += 1;
		}
		motion->keys[kept++] = motion->keys[next]; // kept <= next
		at = next;
	}
	motion->count = kept;
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

// What parts are made from.
typedef struct RecordingJob
{
	const brRecording* recording;
	const brContext* context;
	const brRecordingView* view;
	RecordingSort sort;
	RecordingMotion motion;
	int32_t motionCapacity;
	brMesh** copies; // [meshCount] that will be the assembly's, null: not shown, or its already
	int32_t* meshes; // [meshCount] in the assembly, -1: not yet
	int32_t* parts;  // [bodyCount] in the assembly, -1: none
	int32_t* groups; // [bodyCount] of a body that broke, -1: none yet
	bool* isBroken;  // [bodyCount]
	brAssembly* assembly;
} RecordingJob;

static int32_t recordingRoot(const brRecording* recording, int32_t body)
{
	while (recording->bodies[body].parent >= 0)
	{
		body = recording->bodies[body].parent; // it came before: this ends
	}
	return body;
}

// The energy of the break that a piece comes from: that of its parent, the last before the piece was born.
static double recordingBreakEnergy(const brRecording* recording, const brRecordedBody* piece)
{
	double energy = 0.0;
	for (int32_t i = 0; i < recording->breakCount && recording->breaks[i].frame <= piece->bornFrame; ++i)
	{
		energy = recording->breaks[i].body == piece->parent ? (double)recording->breaks[i].energy : energy;
	}
	return piece->parent >= 0 && isfinite(energy) ? energy : 0.0;
}

// The group of the thing that a body was or is a piece of; made when it is first asked for. -1 for what never broke,
// -2 without memory.
static int32_t recordingGroup(RecordingJob* job, int32_t body)
{
	int32_t root = recordingRoot(job->recording, body);
	if (!job->isBroken[root])
	{
		return -1;
	}
	if (job->groups[root] < 0)
	{
		job->groups[root] = brAssembly_AddGroup(job->assembly, job->recording->bodies[root].name);
	}
	return job->groups[root] >= 0 ? job->groups[root] : -2;
}

static double recordingRadius(const brMesh* mesh)
{
	double most = 0.0;
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		most = fmax(most, brDLengthSq(mesh->positions[i]));
	}
	return sqrt(most);
}

static brResult recordingAddPart(RecordingJob* job, int32_t body)
{
	const brRecording* recording = job->recording;
	const brRecordedBody* what = &recording->bodies[body];
	int32_t first = job->sort.starts[body], count = job->sort.starts[body + 1] - first;
	brPart part = brDefaultPart();
	part.mesh = job->meshes[what->mesh];
	part.bornTime = what->bornFrame > 0 ? what->bornFrame / recording->frameRate : -INFINITY;
	part.goneTime = what->goneFrame < INT32_MAX ? what->goneFrame / recording->frameRate : INFINITY;
	part.group = recordingGroup(job, body);
	part.parent = what->parent >= 0 ? job->parts[what->parent] : -1;
	part.generation = what->generation;
	part.mass = isfinite(what->mass) && what->mass > 0.0f ? (double)what->mass : 0.0;
	part.breakEnergy = recordingBreakEnergy(recording, what);
	recordingMotion(recording, job->sort.order + first, job->sort.keyFrames + first, count, &job->motion);
	if (job->view->keyTolerance > 0.0)
	{
		double radius = recordingRadius(recording->meshes[what->mesh]);
		recordingThin(&job->motion, radius, job->view->keyTolerance * radius);
	}
	const brMotionKey* keys = job->motion.keys;
	char name[64];
	bool isWhole = part.group >= 0 && what->parent < 0;
	snprintf(name, sizeof(name), isWhole ? "%.57s_whole" : "%s", what->name);
	int32_t index = part.group > -2 ? brAssembly_AddPart(job->assembly, name, &part) : -1;
	job->parts[body] = index;
	// What never moves has one key, so that files have its place as a position and a rotation.
	bool done = index >= 0 && brAssembly_SetMotion(job->assembly, index, keys, job->motion.count);
	return done ? br_success : br_errorMemory;
}

// Whether all normals are those of their faces: what has none is drawn so.
static bool recordingIsFlat(const brMesh* mesh)
{
	double all = 0.0, curved = 0.0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t first = mesh->faceStarts[f], size = brMesh_GetFaceSize(mesh, f);
		brDVec3 area = brMesh_FaceArea(mesh, f);
		double length = brDLength(area);
		bool isFlat = true;
		for (int32_t k = 0; k < size && isFlat; ++k)
		{
			isFlat = brDDot(area, brToDVec3(mesh->normals[first + k])) >= (1.0 - RECORDING_FLAT) * length;
		}
		all += length;
		curved += isFlat ? 0.0 : length;
	}
	return curved <= RECORDING_CURVED * all;
}

// Files then need no vertex for each corner.
static void recordingDropNormals(brMesh* mesh)
{
	if (mesh->normals != NULL && recordingIsFlat(mesh))
	{
		BR_FREE(&mesh->allocator, mesh->normals, mesh->cornerCount);
		mesh->normals = NULL;
	}
}

static bool recordingIsShown(const RecordingJob* job, const brRecordedBody* body)
{
	bool isSeen = body->goneFrame > body->bornFrame; // some live for less than a frame
	return isSeen && (body->kind != br_recordedGround || job->view->ground);
}

// Meshes whose place in `meshes` is not negative are shown.
static void recordingCopyRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const RecordingJob* job = user;
	for (int32_t i = begin; i < end; ++i)
	{
		if (job->meshes[i] >= 0 && brCopyMesh(job->context, job->recording->meshes[i], &job->copies[i], NULL) >= 0)
		{
			recordingDropNormals(job->copies[i]);
		}
	}
}

// Copies of all meshes that are shown, by all workers.
static void recordingCopyMeshes(RecordingJob* job)
{
	const brRecording* recording = job->recording;
	for (int32_t i = 0; i < recording->bodyCount; ++i)
	{
		if (recordingIsShown(job, &recording->bodies[i]))
		{
			job->meshes[recording->bodies[i].mesh] = 0;
		}
	}
	brParallelFor(job->context != NULL ? job->context->workers : NULL, recording->meshCount, 8, recordingCopyRange,
				  job);
	for (int32_t i = 0; i < recording->meshCount; ++i)
	{
		job->meshes[i] = -1;
	}
}

// Copying fails by memory alone.
static brResult recordingAddMesh(RecordingJob* job, int32_t mesh)
{
	if (job->meshes[mesh] < 0 && job->copies[mesh] != NULL)
	{
		job->meshes[mesh] = brAssembly_AddMesh(job->assembly, job->copies[mesh]);
		job->copies[mesh] = job->meshes[mesh] >= 0 ? NULL : job->copies[mesh];
	}
	return job->meshes[mesh] >= 0 ? br_success : br_errorMemory;
}

// Between bodies that are shown.
static brResult recordingAddJoints(RecordingJob* job)
{
	for (int32_t i = 0; i < job->recording->jointCount; ++i)
	{
		brAssemblyJoint joint = job->recording->joints[i];
		bool isShown = true;
		for (int32_t k = 0; k < 2; ++k)
		{
			int32_t part = joint.parts[k] >= 0 ? job->parts[joint.parts[k]] : -1;
			isShown = isShown && (part >= 0 || joint.parts[k] < 0);
			joint.parts[k] = part;
		}
		if (isShown && !brAssembly_AddJoint(job->assembly, &joint))
		{
			return br_errorMemory;
		}
	}
	return br_success;
}

// The most keys that one body's motion takes.
static int32_t recordingMotionCapacity(const brRecording* recording, const RecordingSort* sort)
{
	int32_t most = 1;
	for (int32_t b = 0; b < recording->bodyCount; ++b)
	{
		int32_t count = 0;
		for (int32_t k = sort->starts[b]; k < sort->starts[b + 1]; ++k)
		{
			count += 1 + recordingKeysOf(&recording->keys[sort->order[k]]);
		}
		most = count > most ? count : most;
	}
	return most;
}

static brResult recordingFillJob(RecordingJob* job)
{
	const brRecording* recording = job->recording;
	const brAllocator* allocator = &job->assembly->allocator;
	int32_t bodyCount = recording->bodyCount;
	job->sort.starts = BR_ALLOC_ZERO(allocator, int32_t, (int64_t)bodyCount + 1);
	job->sort.order = BR_ALLOC(allocator, int32_t, recording->keyCount);
	job->sort.keyFrames = BR_ALLOC(allocator, int32_t, recording->keyCount);
	job->copies = BR_ALLOC_ZERO(allocator, brMesh*, recording->meshCount);
	job->meshes = BR_ALLOC(allocator, int32_t, recording->meshCount);
	job->parts = BR_ALLOC(allocator, int32_t, bodyCount);
	job->groups = BR_ALLOC(allocator, int32_t, bodyCount);
	job->isBroken = BR_ALLOC_ZERO(allocator, bool, bodyCount);
	if (job->sort.starts == NULL || job->sort.order == NULL || job->sort.keyFrames == NULL || job->copies == NULL ||
		job->meshes == NULL || job->parts == NULL || job->groups == NULL || job->isBroken == NULL)
	{
		return br_errorMemory;
	}
	recordingSortKeys(recording, &job->sort);
	for (int32_t i = 0; i < recording->meshCount; ++i)
	{
		job->meshes[i] = -1;
	}
	for (int32_t i = 0; i < bodyCount; ++i)
	{
		job->parts[i] = job->groups[i] = -1;
		if (recording->bodies[i].parent >= 0)
		{
			job->isBroken[recordingRoot(recording, i)] = true;
		}
	}
	job->motionCapacity = recordingMotionCapacity(recording, &job->sort);
	job->motion.keys = BR_ALLOC(allocator, brMotionKey, job->motionCapacity);
	return job->motion.keys != NULL ? br_success : br_errorMemory;
}

static void recordingFreeJob(RecordingJob* job, const brAllocator* allocator)
{
	const brRecording* recording = job->recording;
	BR_FREE(allocator, job->sort.starts, (int64_t)recording->bodyCount + 1);
	BR_FREE(allocator, job->sort.order, recording->keyCount);
	BR_FREE(allocator, job->sort.keyFrames, recording->keyCount);
	for (int32_t i = 0; i < recording->meshCount && job->copies != NULL; ++i)
	{
		brDestroyMesh(job->copies[i]);
	}
	BR_FREE(allocator, job->copies, recording->meshCount);
	BR_FREE(allocator, job->meshes, recording->meshCount);
	BR_FREE(allocator, job->parts, recording->bodyCount);
	BR_FREE(allocator, job->groups, recording->bodyCount);
	BR_FREE(allocator, job->isBroken, recording->bodyCount);
	BR_FREE(allocator, job->motion.keys, job->motionCapacity);
}

brResult brRecording_MakeAssembly(const brRecording* recording, const brContext* context, const brRecordingView* view,
								  brAssembly** outAssembly, brReport* report)
{
	brRecordingView all = brDefaultRecordingView();
	view = view != NULL ? view : &all;
	if (recording == NULL || outAssembly == NULL || view->stamp != BR_STAMP(*view) || !(view->keyTolerance >= 0.0))
	{
		return brFail(report, br_errorMisuse, "an assembly needs a recording and a view from brDefaultRecordingView");
	}
	RecordingJob job = {
		.recording = recording, .context = context, .view = view, .assembly = brCreateAssembly(context)};
	if (job.assembly == NULL)
	{
		return brFailMemory(report);
	}
	brResult result = recordingFillJob(&job);
	if (result >= 0)
	{
		recordingCopyMeshes(&job);
	}
	for (int32_t i = 0; i < recording->bodyCount && result >= 0; ++i)
	{
		const brRecordedBody* body = &recording->bodies[i];
		if (!recordingIsShown(&job, body))
		{
			continue;
		}
		result = recordingAddMesh(&job, body->mesh);
		result = result < 0 ? result : recordingAddPart(&job, i);
	}
	result = result < 0 ? result : recordingAddJoints(&job);
	brAllocator allocator = job.assembly->allocator;
	recordingFreeJob(&job, &allocator);
	if (result < 0)
	{
		brDestroyAssembly(job.assembly);
		return result == br_errorMemory ? brFailMemory(report) : result;
	}
	job.assembly->camera = brRecording_FindCamera(recording, -INFINITY, INFINITY);
	job.assembly->gravity = recording->gravity;
	*outAssembly = job.assembly;
	return brSucceed(report);
}
