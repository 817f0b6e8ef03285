// SPDX-License-Identifier: MIT
#pragma once

// Animations of a glTF file that is read: what moves as a whole becomes the motion of its part, what is scaled to
// nothing comes and goes.

#include "io/gltf_document.h"

typedef struct brGltfChannel
{
	brGltfFloats times, values;
	bool isCubic; // three values a key: tangent, value, tangent
} brGltfChannel;

typedef struct brGltfAnimation
{
	brGltf* gltf;
	brGltfChannel* channels; // [channelCount]
	int32_t channelCount, channelCapacity;
	int32_t* slots;    // [3 * nodes.count] channel of translation, rotation, scale, or -1; null: nothing moves
	int32_t bentCount; // parts whose shape changes as they move: they keep the first one
} brGltfAnimation;

/// Reads the channels of all animations; of two that move the same the first counts. brGltfAnimation_Close is due
/// whatever it returns.
brResult brGltfAnimation_Open(brGltfAnimation* animation, brGltf* gltf);
void brGltfAnimation_Close(brGltfAnimation* animation);

/// Gives part `part`, made of node `node`, its motion, and its placement below it. `parents` [nodes.count] as in the
/// file.
brResult brGltfAnimation_Move(brGltfAnimation* animation, const int32_t* parents, int32_t node, brAssembly* assembly,
							  int32_t part);
