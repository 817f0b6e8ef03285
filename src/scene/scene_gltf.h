// SPDX-License-Identifier: MIT
#pragma once

// glTF files as scenes: KHR_physics_rigid_bodies, KHR_implicit_shapes, and what `extras.brittle` adds.

#include "scene/scene_reader.h"

/// Reads the file into the reader's arrays.
brResult brSceneReader_Gltf(brSceneReader* reader, const char* path);
