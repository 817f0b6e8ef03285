// SPDX-License-Identifier: MIT
#pragma once

// What a thing is made of, told by what it is called.

#include "brittle/material.h"

/// The material whose name stands in the text as words of its own: "wine_glass" and "BrokenGlass" are of glass, "spice"
/// is not of ice. The longest name wins ("bone_china" before any other). Null if there is none.
const brMaterial* findMaterialInName(const char* text);
