// SPDX-License-Identifier: MIT
#pragma once

// A scene with one of everything, shared by the tests of the scene formats.

#include "brittle/io.h"

/// Meshes: a textured cube with two materials, a polygon prism with colors, a plain triangle strip; parts: placed,
/// mirrored, sheared, instanced, moving, born and gone, named in several scripts. All numbers are exact in float. Null
/// without memory.
brAssembly* brTestScene(void);

/// Its number of parts.
#define TEST_SCENE_PARTS 8

/// Skips the test in a build that cannot read glTF.
void brTest_NeedGltf(void);
