// SPDX-License-Identifier: MIT

// Where and when things happen in a recording: what the camera frames, and the moments of a contact sheet.

#include "brittle/recording.h"

#include <math.h>
#include <string.h>

#define ACTION_BINS 256
#define ACTION_ROUNDS 3       // of narrowing: 256^3 steps in the end
#define ACTION_LEFT_OUT 0.015 // share of pieces, by the area that they cover, beyond each side of the box
#define ACTION_SAMPLES 6      // keys of each piece that are looked at
#define ACTION_REACH 0.35     // of the box's size: what moves or stands within belongs to it

// The ball around a mesh's origin that holds it.
static double actionRadius(const brMesh* mesh)
{
	double most = 0.0;
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		most = fmax(most, brDLengthSq(mesh->positions[i]));
	}
	return sqrt(most);
}

static brDBox3 actionBodyBox(const brRecording* recording, int32_t body, const brRecordedPose* pose)
{
	const brMesh* mesh = recording->meshes[recording->bodies[body].mesh];
	brTransform at = brRecordedPose_ToTransform(*pose);
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		box = brDBox3_Include(box, brTransform_Point(at, mesh->positions[i]));
	}
	return box;
}

static bool actionIsEmpty(const brDBox3* box)
{
	return !(box->lower.x <= box->upper.x);
}

static brDBox3 actionUnion(brDBox3 a, brDBox3 b)
{
	return actionIsEmpty(&b) ? a : brDBox3_Include(brDBox3_Include(a, b.lower), b.upper);
}

static bool actionBroke(const brRecording* recording, int32_t body)
{
	for (int32_t i = 0; i < recording->breakCount; ++i)
	{
		if (recording->breaks[i].body == body)
		{
			return true;
		}
	}
	return false;
}

static double actionAxis(brDVec3 v, int32_t axis)
{
	return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static void actionSetAxis(brDVec3* v, int32_t axis, double value)
{
	*(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = value;
}

// Frames of a recording, key by key; calls that look at pieces walk them several times instead of keeping lists.
typedef struct ActionWalk
{
	const brRecording* recording;
	int32_t stride; // keys of a body that are passed over
} ActionWalk;

// Adds the weights of all pieces' sides along one axis to bins over [low, high]; those outside go to the ends. Returns
// the sum of weights.
static double actionFillBins(const ActionWalk* walk, int32_t axis, bool isUpper, double low, double high,
							 double bins[ACTION_BINS])
{
	const brRecording* recording = walk->recording;
	memset(bins, 0, ACTION_BINS * sizeof(double));
	double sum = 0.0;
	int32_t frame = 0;
	for (int32_t k = 0; k < recording->keyCount; ++k)
	{
		while (frame + 1 < recording->frameCount && recording->frames[frame + 1].firstKey <= k)
		{
			frame += 1;
		}
		const brRecordedKey* key = &recording->keys[k];
		const brRecordedBody* body = &recording->bodies[key->body];
		bool isSampled = (frame - body->bornFrame) % walk->stride == 0 || frame + 1 == recording->frameCount;
		if (body->kind != br_recordedPiece || !isSampled)
		{
			continue;
		}
		const brMesh* mesh = recording->meshes[body->mesh];
		double radius = mesh->vertexCount > 0 ? brDLength(mesh->positions[0]) : 0.0; // near enough for a shard
		double value = BR_RECORDING_UNIT * key->pose.position[axis] + (isUpper ? radius : -radius);
		double at = ACTION_BINS * (value - low) / (high - low);
		int32_t bin = !(at > 0.0) ? 0 : at >= ACTION_BINS ? ACTION_BINS - 1 : (int32_t)at;
		bins[bin] += radius * radius;
		sum += radius * radius;
	}
	return sum;
}

// The side of the box below which only a small share of the pieces lies, by bins that narrow.
static double actionQuantile(const ActionWalk* walk, int32_t axis, bool isUpper, double low, double high)
{
	double bins[ACTION_BINS], wanted = isUpper ? 1.0 - ACTION_LEFT_OUT : ACTION_LEFT_OUT;
	for (int32_t round = 0; round < ACTION_ROUNDS && high > low; ++round)
	{
		double sum = actionFillBins(walk, axis, isUpper, low, high, bins), passed = 0.0;
		int32_t bin = 0;
		while (bin + 1 < ACTION_BINS && passed + bins[bin] < wanted * sum)
		{
			passed += bins[bin++];
		}
		double width = (high - low) / ACTION_BINS;
		low = low + width * bin;
		high = low + width;
	}
	return 0.5 * (low + high);
}

static brDBox3 actionPieces(const brRecording* recording)
{
	brDBox3 all = brMakeDBox3Empty();
	for (int32_t k = 0; k < recording->keyCount; ++k)
	{
		if (recording->bodies[recording->keys[k].body].kind == br_recordedPiece)
		{
			all = brDBox3_Include(all, brRecordedPose_ToTransform(recording->keys[k].pose).p);
		}
	}
	if (actionIsEmpty(&all))
	{
		return all;
	}
	ActionWalk walk = {recording,
					   recording->frameCount / ACTION_SAMPLES > 0 ? recording->frameCount / ACTION_SAMPLES : 1};
	brDBox3 box = all;
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		double low = actionAxis(all.lower, axis) - 1.0, high = actionAxis(all.upper, axis) + 1.0;
		actionSetAxis(&box.lower, axis, actionQuantile(&walk, axis, false, low, high));
		actionSetAxis(&box.upper, axis, actionQuantile(&walk, axis, true, low, high));
	}
	return box;
}

// What breaks, from its first frame to its last; and without breaks all that moves.
static brDBox3 actionSubjects(const brRecording* recording, bool onlyBroken)
{
	brDBox3 box = brMakeDBox3Empty();
	int32_t stride = recording->frameCount / 12 > 0 ? recording->frameCount / 12 : 1;
	for (int32_t f = 0; f < recording->frameCount; ++f)
	{
		int32_t end = f + 1 < recording->frameCount ? recording->frames[f + 1].firstKey : recording->keyCount;
		for (int32_t k = recording->frames[f].firstKey; k < end; ++k)
		{
			int32_t body = recording->keys[k].body;
			const brRecordedBody* what = &recording->bodies[body];
			bool isSampled = f == what->bornFrame || f % stride == 0 || f + 1 == what->goneFrame;
			bool mayCount = what->kind == br_recordedBody && (!onlyBroken || what->goneFrame < INT32_MAX);
			if (isSampled && mayCount && (!onlyBroken || actionBroke(recording, body)))
			{
				box = actionUnion(box, actionBodyBox(recording, body, &recording->keys[k].pose));
			}
		}
	}
	return box;
}

static brDBox3 actionGrow(brDBox3 box, double share)
{
	double by = share * brDDistance(box.lower, box.upper);
	brDVec3 more = {by, by, by};
	return (brDBox3){brDSub(box.lower, more), brDAdd(box.upper, more)};
}

// Bodies that stay whole, strikers and stands: the part of them that is near.
static brDBox3 actionNeighbors(const brRecording* recording, brDBox3 box)
{
	brDBox3 reach = actionGrow(box, ACTION_REACH), grown = box;
	for (int32_t k = 0; k < recording->keyCount; ++k)
	{
		const brRecordedKey* key = &recording->keys[k];
		const brRecordedBody* body = &recording->bodies[key->body];
		if (body->kind != br_recordedBody)
		{
			continue;
		}
		const brMesh* mesh = recording->meshes[body->mesh];
		brDVec3 at = brRecordedPose_ToTransform(key->pose).p;
		bool isNear = true;
		for (int32_t axis = 0; axis < 3; ++axis)
		{
			isNear = isNear && actionAxis(at, axis) >= actionAxis(reach.lower, axis) &&
					 actionAxis(at, axis) <= actionAxis(reach.upper, axis);
		}
		if (!isNear || actionRadius(mesh) > 0.5 * brDDistance(reach.lower, reach.upper))
		{
			continue;
		}
		brDBox3 part = actionBodyBox(recording, key->body, &key->pose);
		for (int32_t axis = 0; axis < 3; ++axis)
		{
			double low = fmax(actionAxis(part.lower, axis), actionAxis(reach.lower, axis));
			double high = fmin(actionAxis(part.upper, axis), actionAxis(reach.upper, axis));
			actionSetAxis(&grown.lower, axis, fmin(actionAxis(grown.lower, axis), low));
			actionSetAxis(&grown.upper, axis, fmax(actionAxis(grown.upper, axis), high));
		}
	}
	return grown;
}

brDBox3 brRecording_FindAction(const brRecording* recording)
{
	if (recording == NULL || recording->frameCount == 0)
	{
		return brMakeDBox3Empty();
	}
	brDBox3 box = actionUnion(actionSubjects(recording, true), actionPieces(recording));
	if (actionIsEmpty(&box))
	{
		return actionSubjects(recording, false); // nothing breaks
	}
	return actionNeighbors(recording, box);
}

// Moments

#define MOMENT_EVEN 0.30   // share of the pictures that are spread evenly over time
#define MOMENT_BREAKS 0.45 // where things break, and shortly after
#define MOMENT_SECONDS 0.2 // of a break

static double momentWeight(const brRecording* recording, int32_t frame, double kinetic, double pieces)
{
	double weight = MOMENT_EVEN / recording->frameCount;
	double energy = fmax((double)recording->frames[frame].kinetic, 0.0);
	weight += kinetic > 0.0 ? (1.0 - MOMENT_EVEN - MOMENT_BREAKS) * energy / kinetic : 0.0;
	double last = MOMENT_SECONDS * recording->frameRate;
	for (int32_t i = 0; i < recording->breakCount && pieces > 0.0; ++i)
	{
		int32_t age = frame - recording->breaks[i].frame;
		bool isFresh = age >= 0 && age < last;
		weight += isFresh ? MOMENT_BREAKS * recording->breaks[i].pieces / (pieces * ceil(last)) : 0.0;
	}
	return weight;
}

void brRecording_FindMoments(const brRecording* recording, double from, double to, double* outTimes, int32_t count)
{
	if (recording == NULL || outTimes == NULL || count < 1 || recording->frameCount < 1)
	{
		return;
	}
	double rate = recording->frameRate, kinetic = 0.0, pieces = 0.0;
	int32_t last = recording->frameCount - 1;
	int32_t first = (int32_t)fmin(fmax(floor(from * rate + 0.5), 0.0), last);
	last = (int32_t)fmin(fmax(floor(to * rate + 0.5), first), last);
	for (int32_t f = first; f <= last; ++f)
	{
		kinetic += fmax((double)recording->frames[f].kinetic, 0.0);
	}
	for (int32_t i = 0; i < recording->breakCount; ++i)
	{
		pieces += recording->breaks[i].pieces;
	}
	double sum = 0.0, passed = 0.0;
	for (int32_t f = first; f < last; ++f)
	{
		sum += momentWeight(recording, f, kinetic, pieces);
	}
	int32_t frame = first;
	for (int32_t i = 0; i < count; ++i)
	{
		double wanted = count > 1 ? sum * i / (count - 1) : 0.0;
		// Each picture is later than the one before, and as many frames are left as pictures.
		int32_t least = i > 0 ? (int32_t)(outTimes[i - 1] * rate + 0.5) + 1 : first;
		int32_t most = last - (count - 1 - i) > first ? last - (count - 1 - i) : first;
		while (frame < last && passed < wanted)
		{
			passed += momentWeight(recording, frame++, kinetic, pieces);
		}
		int32_t chosen = i == count - 1 ? last : frame > least ? frame : least;
		chosen = chosen < most || i == count - 1 ? chosen : most;
		outTimes[i] = chosen / rate;
	}
}
