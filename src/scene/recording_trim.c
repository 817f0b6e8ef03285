// SPDX-License-Identifier: MIT

// A part of a recording, perhaps at another rate: the old frames are walked, and what there is at each new one is
// recorded again.

#include "scene/recording_file.h"

#include "base/memory.h"

#include <string.h>

#define TRIM_NEAR 1e-6 // of a frame: times that are one

// A body of the old recording while its frames are walked.
typedef struct TrimBody
{
	brRecordedPose pose; // at the old frame
	brRecordedPose next; // at the one after
	int16_t turn[3];     // between them
	int32_t made;        // body of the new recording, or -1
	bool isEnded;
} TrimBody;

typedef struct Trim
{
	const brContext* context;
	const brRecording* old;
	brRecording* made;
	TrimBody* bodies; // [old->bodyCount]
	int32_t* meshes;  // [old->meshCount] of the new recording, or -1
	int32_t frame;    // old one at which bodies are
} Trim;

static void trimReadFrame(const Trim* trim, int32_t frame)
{
	const brRecording* old = trim->old;
	int32_t end = frame + 1 < old->frameCount ? old->frames[frame + 1].firstKey : old->keyCount;
	for (int32_t k = frame < old->frameCount ? old->frames[frame].firstKey : end; k < end; ++k)
	{
		TrimBody* body = &trim->bodies[old->keys[k].body];
		body->next = old->keys[k].pose;
		memcpy(body->turn, old->keys[k].turn, sizeof(body->turn));
	}
}

// Moves on until `frame` is the old frame, with the poses of the one after at hand.
static void trimWalk(Trim* trim, int32_t frame)
{
	while (trim->frame < frame)
	{
		trim->frame += 1;
		for (int32_t i = 0; i < trim->old->bodyCount; ++i)
		{
			trim->bodies[i].pose = trim->bodies[i].next;
			memset(trim->bodies[i].turn, 0, sizeof(trim->bodies[i].turn));
		}
		trimReadFrame(trim, trim->frame + 1);
	}
}

static int32_t trimMesh(Trim* trim, int32_t mesh)
{
	if (trim->meshes[mesh] < 0)
	{
		brMesh* copy = NULL;
		if (brCopyMesh(trim->context, trim->old->meshes[mesh], &copy, NULL) < 0)
		{
			return -1;
		}
		trim->meshes[mesh] = brRecording_AddMesh(trim->made, copy);
		if (trim->meshes[mesh] < 0)
		{
			brDestroyMesh(copy);
		}
	}
	return trim->meshes[mesh];
}

static brRecordedPose trimPose(const TrimBody* body, double share)
{
	if (share <= TRIM_NEAR)
	{
		return body->pose;
	}
	brTransform from = brRecordedPose_ToTransform(body->pose), to = brRecordedPose_ToTransform(body->next);
	return brMakeRecordedPose(brRecording_Between(from, to, brRecordedTurn(body->turn), share));
}

static bool trimMove(Trim* trim, int32_t index, double share)
{
	TrimBody* body = &trim->bodies[index];
	brRecordedPose pose = trimPose(body, share);
	// How fast it turns: as recorded, or as two poses tell that are less than a quarter turn apart.
	brDVec3 turn = brRecordedTurn(body->turn);
	if (brDLengthSq(turn) == 0.0)
	{
		brQuat a = brRecordedPose_ToTransform(body->pose).q, b = brRecordedPose_ToTransform(body->next).q;
		brQuat q = brQuat_Mul(b, brQuat_Conjugate(a));
		double sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z), sign = q.w < 0.0 ? -1.0 : 1.0;
		double angle = 2.0 * brAtan2(sine, fabs(q.w));
		turn = sine > 0.0 ? brDMul(sign * angle / sine, brMakeDVec3(q.x, q.y, q.z)) : turn;
	}
	return brRecording_MoveBodyTo(trim->made, body->made, &pose, brDMul(trim->old->frameRate, turn));
}

static bool trimBirth(Trim* trim, int32_t index, double share)
{
	const brRecordedBody* old = &trim->old->bodies[index];
	int32_t mesh = trimMesh(trim, old->mesh);
	int32_t parent = old->parent >= 0 ? trim->bodies[old->parent].made : -1;
	brRecordedPose pose = trimPose(&trim->bodies[index], share);
	int32_t made = mesh >= 0 ? brRecording_AddBody(trim->made, old->name, mesh, parent, (brRecordedKind)old->kind,
												   brRecordedPose_ToTransform(pose))
							 : -1;
	if (made < 0)
	{
		return false;
	}
	trim->made->bodies[made].generation = old->generation;
	trim->made->bodies[made].mass = old->mass;
	trim->made->bodies[made].pose = trim->made->keys[trim->made->keyCount - 1].pose = pose;
	trim->bodies[index].made = made;
	return true;
}

static bool trimFrame(Trim* trim, double share)
{
	const brRecording* old = trim->old;
	bool done = brRecording_BeginFrame(trim->made, &old->frames[trim->frame]);
	for (int32_t i = 0; i < old->bodyCount && done; ++i)
	{
		TrimBody* body = &trim->bodies[i];
		if (body->made < 0 || body->isEnded)
		{
			continue;
		}
		if (trim->frame >= old->bodies[i].goneFrame)
		{
			brRecording_EndBody(trim->made, body->made);
			body->isEnded = true;
			continue;
		}
		done = trimMove(trim, i, share);
	}
	for (int32_t i = 0; i < old->bodyCount && done; ++i)
	{
		bool isThere = old->bodies[i].bornFrame <= trim->frame && trim->frame < old->bodies[i].goneFrame;
		if (isThere && trim->bodies[i].made < 0)
		{
			done = trimBirth(trim, i, share);
		}
	}
	return done;
}

static bool trimBreaks(const Trim* trim, double from)
{
	const brRecording* old = trim->old;
	for (int32_t i = 0; i < old->breakCount; ++i)
	{
		brRecordedBreak what = old->breaks[i];
		double frame = ceil((what.frame / old->frameRate - from) * trim->made->frameRate - TRIM_NEAR);
		if (frame < 0.0 || frame >= trim->made->frameCount)
		{
			continue;
		}
		what.frame = (int32_t)frame;
		what.body = what.body >= 0 ? trim->bodies[what.body].made : -1;
		if (!brRecording_AddBreak(trim->made, &what))
		{
			return false;
		}
	}
	return true;
}

// Those between bodies that are still there.
static bool trimJoints(const Trim* trim)
{
	for (int32_t i = 0; i < trim->old->jointCount; ++i)
	{
		brAssemblyJoint joint = trim->old->joints[i];
		bool isLeft = true;
		for (int32_t k = 0; k < 2; ++k)
		{
			bool isBody = joint.parts[k] >= 0;
			joint.parts[k] = isBody ? trim->bodies[joint.parts[k]].made : -1;
			isLeft = isLeft && (!isBody || joint.parts[k] >= 0);
		}
		if (isLeft && !brRecording_AddJoint(trim->made, &joint))
		{
			return false;
		}
	}
	return true;
}

static bool trimAll(Trim* trim, double from, double to)
{
	const brRecording* old = trim->old;
	for (int32_t i = 0; i < old->bodyCount; ++i)
	{
		trim->bodies[i].made = -1;
	}
	for (int32_t i = 0; i < old->meshCount; ++i)
	{
		trim->meshes[i] = -1;
	}
	trim->frame = -1;
	trimReadFrame(trim, 0);
	for (int32_t i = 0;; ++i)
	{
		double time = from + i / trim->made->frameRate, at = time * old->frameRate;
		if (time > to + TRIM_NEAR / old->frameRate || at > old->frameCount - 1 + TRIM_NEAR)
		{
			return trimBreaks(trim, from) && trimJoints(trim);
		}
		trimWalk(trim, (int32_t)floor(at + TRIM_NEAR));
		if (!trimFrame(trim, fmax(at - trim->frame, 0.0)))
		{
			return false;
		}
	}
}

brResult brTrimRecording(const brContext* context, const brRecording* recording, double from, double to,
						 double frameRate, brRecording** outRecording, brReport* report)
{
	if (recording == NULL || outRecording == NULL || !(from <= to))
	{
		return brFail(report, br_errorMisuse, "trimming needs a recording and a time that ends after it begins");
	}
	if (frameRate != 0.0 && !(frameRate >= 1e-3 && frameRate <= 1e5))
	{
		return brFail(report, br_errorMisuse, "a recording has 0.001 to 100000 frames per second, not %g", frameRate);
	}
	double end = (recording->frameCount - 1) / recording->frameRate;
	from = fmax(from, 0.0);
	if (recording->frameCount == 0 || from > end)
	{
		return brFail(report, br_errorGeometry, "nothing is left: the recording ends at %g s", end);
	}
	brAllocator allocator = brContext_Allocator(context);
	Trim trim = {
		.context = context,
		.old = recording,
		.made = brCreateRecording(context, frameRate > 0.0 ? frameRate : recording->frameRate),
		.bodies = BR_ALLOC_ZERO(&allocator, TrimBody, recording->bodyCount),
		.meshes = BR_ALLOC(&allocator, int32_t, recording->meshCount),
	};
	bool done = trim.made != NULL && trim.bodies != NULL && trim.meshes != NULL;
	if (done)
	{
		trim.made->camera = recording->camera;
		trim.made->gravity = recording->gravity;
		done = trimAll(&trim, from, to);
	}
	BR_FREE(&allocator, trim.bodies, recording->bodyCount);
	BR_FREE(&allocator, trim.meshes, recording->meshCount);
	if (!done)
	{
		brDestroyRecording(trim.made);
		return brFailMemory(report);
	}
	*outRecording = trim.made;
	return brSucceed(report);
}
