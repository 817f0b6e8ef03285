// SPDX-License-Identifier: MIT

// Joints and events of a scene. They name bodies, so they are read when all bodies are known.

#include "scene/scene_reader.h"

#include <string.h>

// Bodies of a name: all copies of an entry, or one of them by its own name.
static brResult sceneReadTargets(brSceneReader* reader, const brDocNode* node, const char* key, int32_t* outFirst,
								 int32_t* outCount)
{
	const char* name = NULL;
	brResult result = brSceneReader_Word(reader, node, key, &name);
	if (result < 0)
	{
		return result;
	}
	const char* names[64];
	int32_t nameCount = 0;
	for (int32_t i = 0; i < reader->entries.count; ++i)
	{
		const brSceneEntry* entry = &reader->entries.data[i];
		if (strcmp(entry->name, name) == 0)
		{
			*outFirst = entry->firstBody;
			*outCount = entry->bodyCount;
			return br_success;
		}
		if (nameCount < 64)
		{
			names[nameCount++] = entry->name;
		}
	}
	for (int32_t i = 0; i < reader->bodies.count; ++i)
	{
		if (strcmp(reader->bodies.data[i].name, name) == 0)
		{
			*outFirst = i;
			*outCount = 1;
			return br_success;
		}
	}
	return sceneFail(reader, node, "no body is called '%.60s'%s", name,
					 brDoc_Advise(name, names, nameCount, "there are").text);
}

typedef struct JointInput
{
	int32_t kind;
	const brDocNode* a;
	const brDocNode* b;
	brDVec3 anchor, axis;
	double breakForce;
} JointInput;

brResult brSceneReader_Joint(brSceneReader* reader, const brDocNode* node)
{
	static const char* const kinds[] = {"ball", "hinge", "fixed", NULL};
	static const brField fields[] = {
		{"kind", br_fieldChoice, offsetof(JointInput, kind), 0, 0, false, kinds},
		{"a", br_fieldNode, offsetof(JointInput, a), 0, 0, false, NULL},
		{"b", br_fieldNode, offsetof(JointInput, b), 0, 0, false, NULL},
		{"anchor", br_fieldVector, offsetof(JointInput, anchor), 0, 0, false, NULL},
		{"axis", br_fieldVector, offsetof(JointInput, axis), 0, 0, false, NULL},
		{"break_force", br_fieldNumber, offsetof(JointInput, breakForce), 0.0, 1e300, true, NULL},
	};
	JointInput input = {.axis = {0.0, 0.0, 1.0}, .breakForce = INFINITY};
	brResult result = BR_READ_MAP(reader, node, "a joint", fields, &input);
	if (result < 0)
	{
		return result;
	}
	if (input.b == NULL || !(brDLength(input.axis) > 0.0))
	{
		return sceneFail(reader, node, "a joint has b, the name of a body, an anchor and an axis that is not zero");
	}
	brSceneJoint joint = {(brJointKind)input.kind, {-1, -1}, input.anchor, brDNormalize(input.axis), input.breakForce};
	const brDocNode* ends[2] = {input.a, input.b};
	for (int32_t i = 0; i < 2 && result >= 0; ++i)
	{
		int32_t count = 1;
		if (ends[i] != NULL)
		{
			result = sceneReadTargets(reader, ends[i], i == 0 ? "a" : "b", &joint.bodies[i], &count);
		}
		if (result >= 0 && count != 1)
		{
			return sceneFail(reader, ends[i], "a joint holds one body; name a copy, like %s_0", ends[i]->text);
		}
		if (result >= 0 && joint.bodies[i] >= 0 && reader->bodies.data[joint.bodies[i]].time > 0.0)
		{
			return sceneFail(reader, ends[i], "a joint holds bodies that are there from the start");
		}
	}
	if (result >= 0 && joint.bodies[0] < 0 && !reader->scene->hasGround)
	{
		return sceneFail(reader, node, "a joint without a holds on to the ground, and there is none");
	}
	if (result >= 0 && joint.bodies[0] == joint.bodies[1])
	{
		return sceneFail(reader, node, "a joint holds two different bodies");
	}
	if (result >= 0 && !BR_PUSH(&reader->allocator, &reader->jointList, joint))
	{
		return brFailMemory(reader->report);
	}
	return result;
}

static const brField sceneEventFields[] = {
	{"at", br_fieldNumber, offsetof(brSceneEventInput, time), 0.0, 1e6, false, NULL},
	{"throw", br_fieldNode, offsetof(brSceneEventInput, throwBody), 0, 0, false, NULL},
	{"remove", br_fieldNode, offsetof(brSceneEventInput, remove), 0, 0, false, NULL},
	{"gravity", br_fieldNode, offsetof(brSceneEventInput, gravity), 0, 0, false, NULL},
	{"set", br_fieldNode, offsetof(brSceneEventInput, set), 0, 0, false, NULL},
	{"push", br_fieldNode, offsetof(brSceneEventInput, push), 0, 0, false, NULL},
	{"velocity", br_fieldVector, offsetof(brSceneEventInput, velocity), 0, 0, false, NULL},
	{"spin", br_fieldVector, offsetof(brSceneEventInput, spin), 0, 0, false, NULL},
};

brResult brSceneReader_EventInput(brSceneReader* reader, const brDocNode* node, brSceneEventInput* input)
{
	brResult result = BR_READ_MAP(reader, node, "an event", sceneEventFields, input);
	int32_t kinds = (input->throwBody != NULL) + (input->remove != NULL) + (input->gravity != NULL) +
					(input->set != NULL) + (input->push != NULL);
	if (result >= 0 && kinds != 1)
	{
		return sceneFail(reader, node, "an event has a time (at) and one of throw, remove, set, push and gravity");
	}
	return result;
}

static brResult sceneReadPush(brSceneReader* reader, const brDocNode* node, brSceneEvent* event)
{
	static const brField fields[] = {
		{"point", br_fieldVector, offsetof(brSceneEvent, vector), 0, 0, false, NULL},
		{"radius", br_fieldNumber, offsetof(brSceneEvent, radius), 0.0, 1e6, true, NULL},
		{"speed", br_fieldNumber, offsetof(brSceneEvent, speed), -1e6, 1e6, false, NULL},
		{"velocity", br_fieldVector, offsetof(brSceneEvent, spin), 0, 0, false, NULL},
	};
	event->kind = br_sceneEventPush;
	brResult result = BR_READ_MAP(reader, node, "a push", fields, event);
	if (result >= 0 && !(event->radius > 0.0))
	{
		return sceneFail(reader, node, "a push has a point, a radius above 0, and a speed or a velocity");
	}
	return result;
}

brResult brSceneReader_Event(brSceneReader* reader, const brDocNode* node)
{
	brSceneEventInput input = {0};
	brResult result = brSceneReader_EventInput(reader, node, &input);
	if (result < 0 || input.throwBody != NULL)
	{
		return result; // what is thrown was read among the bodies
	}
	brSceneEvent event = {.time = input.time, .body = -1};
	int32_t first = -1, count = 1;
	if (input.gravity != NULL)
	{
		event.kind = br_sceneEventGravity;
		result = brSceneReader_Gravity(reader, input.gravity, &event.vector);
	}
	else if (input.push != NULL)
	{
		result = sceneReadPush(reader, input.push, &event);
	}
	else
	{
		event.kind = input.remove != NULL ? br_sceneEventRemove : br_sceneEventVelocity;
		event.vector = input.velocity;
		event.spin = input.spin;
		const brDocNode* name = input.remove != NULL ? input.remove : input.set;
		result = sceneReadTargets(reader, name, input.remove != NULL ? "remove" : "set", &first, &count);
	}
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		event.body = first < 0 ? -1 : first + i;
		if (reader->events.count >= BR_SCENE_MAX_EVENTS)
		{
			return sceneFail(reader, node, "a scene has at most %d events", BR_SCENE_MAX_EVENTS);
		}
		if (!BR_PUSH(&reader->allocator, &reader->events, event))
		{
			return brFailMemory(reader->report);
		}
	}
	return result;
}
