// SPDX-License-Identifier: MIT

// Motion and visibility as tracks of one animation.
//
// A moving part gets a node whose translation and rotation follow the poses (linear in between, quaternions on the
// short way round); the placement is a node below, so the world sees pose(t) * placement. A part that is born or goes
// has a third track on that node: a scale that steps between 0 and 1, because hiding has no other form every viewer
// knows. Tracks that never change are left out, and tracks with the same times share them. Times in glTF start at 0 at
// the earliest: if any is negative, all are moved.

#include "io/gltf_writer.h"

#include <string.h>

void brGltfWriter_PlanTime(brGltfWriter* writer)
{
	double first, last;
	bool hasTime = brFindTimeRange(writer->job->assembly, &first, &last);
	first = hasTime && first < 0.0 ? first : 0.0;
	writer->timeShift = -first;
	writer->hasShiftedTime = first < 0.0;
}

// Appends floats to the motion stream as one accessor; an equal one of an earlier track is used again: parts that are
// recorded together have the same times, and those that are born have the same scales.
static int32_t gltfAddMotionFloats(brGltfWriter* writer, const float* values, int32_t components, int32_t count)
{
	const brAllocator* allocator = &writer->job->allocator;
	brGltfWords* words = &writer->streams[br_gltfMotion];
	size_t byteCount = (size_t)count * (size_t)components * sizeof(float);

	// Those of the newest few tracks are worth a look, the whole file is not.
	for (int32_t t = writer->tracks.count - 1; t >= 0 && t > writer->tracks.count - 16; --t)
	{
		const brGltfTrack* track = &writer->tracks.data[t];
		int32_t number = components == 1 ? track->input : track->output;
		const brGltfAccessor* known = &writer->accessors.data[number];
		if (known->count == count && known->components == components &&
			memcmp(words->data + known->byteOffset / 4, values, byteCount) == 0)
		{
			return number;
		}
	}
	brGltfAccessor accessor = {
		.stream = br_gltfMotion,
		.components = components,
		.byteOffset = brGltfWriter_StreamBytes(writer, br_gltfMotion),
		.count = count,
		.hasBounds = components == 1, // times
		.lower = {values[0]},
		.upper = {values[(size_t)(count - 1) * (size_t)components]}, // they rise
	};
	if (!BR_RESERVE(allocator, words, (int64_t)count * components) || !BR_PUSH(allocator, &writer->accessors, accessor))
	{
		return -1;
	}
	memcpy(words->data + words->count, values, byteCount);
	words->count += count * components;
	return writer->accessors.count - 1;
}

static bool gltfAddTrack(brGltfWriter* writer, brGltfTrack track, const float* times, const float* values,
						 int32_t components, int32_t count)
{
	track.input = gltfAddMotionFloats(writer, times, 1, count);
	track.output = track.input >= 0 ? gltfAddMotionFloats(writer, values, components, count) : -1;
	return track.output >= 0 && BR_PUSH(&writer->job->allocator, &writer->tracks, track);
}

static bool gltfIsConstant(const float* values, int32_t components, int32_t count)
{
	for (int32_t i = components; i < components * count; ++i)
	{
		if (values[i] != values[i - components])
		{
			return false;
		}
	}
	return true;
}

static bool gltfAddPoses(brGltfWriter* writer, const brPart* part, int32_t node)
{
	const brAllocator* allocator = &writer->job->allocator;
	const brMotionKey* keys = writer->job->assembly->keys + part->firstKey;
	float* memory = BR_ALLOC(allocator, float, 8 * (int64_t)part->keyCount);
	if (memory == NULL)
	{
		return false;
	}
	float* times = memory;
	float* translations = memory + part->keyCount;
	float* rotations = memory + 4 * (int64_t)part->keyCount;
	int32_t count = 0;
	brQuat last = brMakeQuatIdentity();
	for (int32_t k = 0; k < part->keyCount; ++k)
	{
		float time = (float)(keys[k].time + writer->timeShift);
		if (count > 0 && !(time > times[count - 1]))
		{
			writer->hasMergedKeys = true; // closer than floats can tell
			continue;
		}
		// q and -q are the same turn; the one near the last key keeps the way between them short.
		brQuat q = brQuat_Normalize(keys[k].pose.q);
		double along = q.x * last.x + q.y * last.y + q.z * last.z + q.w * last.w;
		q = along < 0.0 ? (brQuat){-q.x, -q.y, -q.z, -q.w} : q;
		last = q;
		brVec3 p = brToVec3(keys[k].pose.p);
		brVec4 turn = {(float)q.x, (float)q.y, (float)q.z, (float)q.w};
		times[count] = time;
		memcpy(translations + 3 * (size_t)count, &p, sizeof(p));
		memcpy(rotations + 4 * (size_t)count, &turn, sizeof(turn));
		count += 1;
	}
	bool complete = true;
	if (!gltfIsConstant(translations, 3, count))
	{
		complete =
			gltfAddTrack(writer, (brGltfTrack){node, "translation", -1, -1, false}, times, translations, 3, count);
	}
	if (complete && !gltfIsConstant(rotations, 4, count))
	{
		complete = gltfAddTrack(writer, (brGltfTrack){node, "rotation", -1, -1, false}, times, rotations, 4, count);
	}
	BR_FREE(allocator, memory, 8 * (int64_t)part->keyCount);
	return complete;
}

static bool gltfAddVisibility(brGltfWriter* writer, const brPart* part, int32_t node)
{
	float times[3];
	float scales[9];
	int32_t count = 0;
	float born = (float)(part->bornTime + writer->timeShift);
	float gone = (float)(part->goneTime + writer->timeShift);
	struct
	{
		float time, scale;
	} steps[3] = {{0.0f, born > 0.0f ? 0.0f : 1.0f}, {born, 1.0f}, {gone, 0.0f}};
	for (int32_t k = 0; k < 3; ++k)
	{
		float time = steps[k].time > 0.0f ? steps[k].time : 0.0f;
		if (!isfinite(steps[k].time) || (k == 1 && !(born > 0.0f)) || (k == 1 && !(gone > born)))
		{
			continue; // there from the start, or gone before it came
		}
		// A step at the time of the one before takes its place.
		count -= count > 0 && !(time > times[count - 1]);
		times[count] = time;
		scales[3 * count] = scales[3 * count + 1] = scales[3 * count + 2] = steps[k].scale;
		count += 1;
	}
	return gltfAddTrack(writer, (brGltfTrack){node, "scale", -1, -1, true}, times, scales, 3, count);
}

bool brGltfWriter_AddMotion(brGltfWriter* writer, int32_t index, int32_t node)
{
	const brPart* part = &writer->job->assembly->parts[index];
	if (part->keyCount > 0 && !gltfAddPoses(writer, part, node))
	{
		return false;
	}
	bool isTimed = isfinite(part->bornTime) || isfinite(part->goneTime);
	return !isTimed || gltfAddVisibility(writer, part, node);
}
