// SPDX-License-Identifier: MIT
#pragma once

// Bytes that say they are a world: nothing is believed that a step would follow or count on.

#include "dynamics/dynamics.h"

#include <string.h>

/// At the start of a snapshot.
typedef struct brSnapshotHeader
{
	uint64_t magic;
	uint32_t version;
	uint32_t structBytes; // sum of the sizes of the structs below: another build has another one
	uint64_t byteCount;   // of everything
	uint64_t hash;        // of everything, itself taken as zero
	int32_t bodies, joints, contacts, more, pairs, shapes;
	int32_t freeBody, freeContact, freeMore, freeJoint;
	uint64_t breakBytes; // at the end: what can break
	brEnergyBooks books;
} brSnapshotHeader;

/// Whether `count` bools in a row are 0 or 1, seen as bytes: any other value is no bool to the compiler.
static inline bool brAreBools(const bool* first, size_t count)
{
	uint8_t bytes[16];
	memcpy(bytes, first, count);
	bool isGood = true;
	for (size_t i = 0; i < count; ++i)
	{
		isGood = isGood && bytes[i] <= 1;
	}
	return isGood;
}

/// Bodies, joints, contacts, pairs and lists of free slots; counts users of shapes, bodies and joints. br_errorFormat
/// with the first thing that is wrong.
brResult brCheckSnapshot(brDynamics* dynamics, brReport* report);
