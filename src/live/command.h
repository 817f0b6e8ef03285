// SPDX-License-Identifier: MIT
#pragma once

// What a client may ask for, as bytes and as a struct. Bytes are a kind and then floats or a number, little-endian, of
// one exact length for each kind; a command that decodes is finite and within the ranges below, and encodes to the same
// bytes.
//
//     1 throw     origin xyz, velocity xyz, radius
//     2 grab      u32 slot, u32 generation of a body, point xyz in the body's axes, target xyz
//     3 pull      target xyz
//     4 release
//     5 gravity   xyz
//     6 speed     factor
//     7 material  u8: 0 as in the scene, else one plus the number of a preset
//     8 begin
//     9 step
//    10 swing     anchor xyz, center xyz and velocity xyz of a ball on a rope, radius

#include "brittle/live.h"

typedef enum brLiveCommandKind
{
	br_liveThrow = 1,
	br_liveGrab = 2,
	br_livePull = 3,
	br_liveRelease = 4,
	br_liveGravity = 5,
	br_liveSpeed = 6,
	br_liveMaterial = 7,
	br_liveBegin = 8,
	br_liveStep = 9,
	br_liveSwing = 10,
} brLiveCommandKind;

#define BR_LIVE_FARTHEST 1e5  // [m] of any point
#define BR_LIVE_FASTEST 200.0 // [m/s] of any component
#define BR_LIVE_MAX_GRAVITY 100.0
#define BR_LIVE_MAX_SPEED 4.0

typedef struct brLiveCommand
{
	brLiveCommandKind kind;
	brBodyId body;
	int32_t material;
	double value;   // radius or speed
	brDVec3 point;  // origin, point in the body's axes, or gravity
	brDVec3 target; // of grab and pull; where a rope hangs from
	brDVec3 velocity;
} brLiveCommand;

/// br_errorFormat with a sentence and `outCommand` untouched if the bytes are not exactly one command. `report` may be
/// null.
brResult brLiveCommand_Decode(const void* bytes, size_t byteCount, brLiveCommand* outCommand, brReport* report);

/// Returns the number of bytes. `outBytes` has room for BR_LIVE_MAX_COMMAND.
size_t brLiveCommand_Encode(const brLiveCommand* command, uint8_t* outBytes);
