// SPDX-License-Identifier: MIT

// Commands from bytes that nobody vouches for.

#include "live/command.h"

#include "base/report.h"
#include "io/bytes.h"

#include <string.h>

static const int32_t liveCommandFloats[] = {0, 7, 6, 3, 0, 3, 1, 0, 0, 0, 10}; // by kind

static size_t liveCommandBytes(int32_t kind)
{
	return 1 + 4 * (size_t)liveCommandFloats[kind] + (kind == br_liveGrab ? 8 : 0) + (kind == br_liveMaterial ? 1 : 0);
}

static brDVec3 liveVector(const double* values)
{
	return brMakeDVec3(values[0], values[1], values[2]);
}

// Also false for what is not a number.
static bool liveIsWithin(const double* values, int32_t count, double limit)
{
	bool isWithin = true;
	for (int32_t i = 0; i < count; ++i)
	{
		isWithin = isWithin && fabs(values[i]) <= limit;
	}
	return isWithin;
}

brResult brLiveCommand_Decode(const void* bytes, size_t byteCount, brLiveCommand* outCommand, brReport* report)
{
	const uint8_t* at = bytes;
	int32_t kind = byteCount > 0 ? at[0] : 0;
	if (kind < br_liveThrow || kind > br_liveSwing || byteCount != liveCommandBytes(kind))
	{
		return brFail(report, br_errorFormat, "%zu bytes of kind %d are no command", byteCount, (int)kind);
	}
	brLiveCommand command = {.kind = (brLiveCommandKind)kind};
	bool isGood = true;
	at += 1;
	if (kind == br_liveGrab)
	{
		uint32_t slot = brLoad32(at, brIsBigEndianHost());
		isGood = slot <= INT32_MAX;
		command.body.index1 = isGood ? (int32_t)slot : 0;
		command.body.generation = brLoad32(at + 4, brIsBigEndianHost());
		at += 8;
	}
	double v[10] = {0};
	for (int32_t i = 0; i < liveCommandFloats[kind]; ++i, at += 4)
	{
		v[i] = (double)brLoadFloat(at, brIsBigEndianHost());
	}
	switch (command.kind)
	{
		case br_liveThrow:
			isGood = liveIsWithin(v, 3, BR_LIVE_FARTHEST) && liveIsWithin(v + 3, 3, BR_LIVE_FASTEST) && v[6] > 0.0 &&
					 v[6] <= BR_LIVE_FARTHEST;
			command.point = liveVector(v), command.velocity = liveVector(v + 3), command.value = v[6];
			break;
		case br_liveSwing:
			isGood = liveIsWithin(v, 6, BR_LIVE_FARTHEST) && liveIsWithin(v + 6, 3, BR_LIVE_FASTEST) && v[9] > 0.0 &&
					 v[9] <= BR_LIVE_FARTHEST;
			command.target = liveVector(v), command.point = liveVector(v + 3), command.velocity = liveVector(v + 6);
			command.value = v[9];
			break;
		case br_liveGrab:
			isGood = isGood && liveIsWithin(v, 6, BR_LIVE_FARTHEST);
			command.point = liveVector(v), command.target = liveVector(v + 3);
			break;
		case br_livePull:
			isGood = liveIsWithin(v, 3, BR_LIVE_FARTHEST);
			command.target = liveVector(v);
			break;
		case br_liveGravity:
			isGood = liveIsWithin(v, 3, BR_LIVE_MAX_GRAVITY);
			command.point = liveVector(v);
			break;
		case br_liveSpeed:
			isGood = v[0] >= 0.0 && v[0] <= BR_LIVE_MAX_SPEED;
			command.value = v[0];
			break;
		case br_liveMaterial:
			isGood = at[0] <= brGetMaterialCount();
			command.material = at[0];
			break;
		case br_liveRelease:
		case br_liveBegin:
		case br_liveStep:
			break;
	}
	if (!isGood)
	{
		return brFail(report, br_errorFormat, "a command of kind %d is out of range", (int)kind);
	}
	*outCommand = command;
	return brSucceed(report);
}

static uint8_t* livePutFloat(uint8_t* at, double value)
{
	float narrow = (float)value;
	uint32_t bits;
	memcpy(&bits, &narrow, sizeof(bits));
	brStore32(at, bits, brIsBigEndianHost());
	return at + 4;
}

static uint8_t* livePutVector(uint8_t* at, brDVec3 value)
{
	return livePutFloat(livePutFloat(livePutFloat(at, value.x), value.y), value.z);
}

size_t brLiveCommand_Encode(const brLiveCommand* command, uint8_t* outBytes)
{
	uint8_t* at = outBytes;
	*at++ = (uint8_t)command->kind;
	switch (command->kind)
	{
		case br_liveThrow:
			at = livePutFloat(livePutVector(livePutVector(at, command->point), command->velocity), command->value);
			break;
		case br_liveSwing:
			at = livePutVector(livePutVector(at, command->target), command->point);
			at = livePutFloat(livePutVector(at, command->velocity), command->value);
			break;
		case br_liveGrab:
			brStore32(at, (uint32_t)command->body.index1, brIsBigEndianHost());
			brStore32(at + 4, command->body.generation, brIsBigEndianHost());
			at = livePutVector(livePutVector(at + 8, command->point), command->target);
			break;
		case br_livePull:
			at = livePutVector(at, command->target);
			break;
		case br_liveGravity:
			at = livePutVector(at, command->point);
			break;
		case br_liveSpeed:
			at = livePutFloat(at, command->value);
			break;
		case br_liveMaterial:
			*at++ = (uint8_t)command->material;
			break;
		case br_liveRelease:
		case br_liveBegin:
		case br_liveStep:
			break;
	}
	return (size_t)(at - outBytes);
}
