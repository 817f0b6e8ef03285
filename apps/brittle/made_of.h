// SPDX-License-Identifier: MIT
#pragma once

// What a thing is made of, told by what it is called.

#include "command.h"

/// The material whose name stands in the text as words of its own: "wine_glass" and "BrokenGlass" are of glass, "spice"
/// is not of ice. The longest name wins ("bone_china" before any other). Null if there is none.
const brMaterial* findMaterialInName(const char* text);

/// The material of an option. An unknown name is bad usage, answered with those there are.
int findMaterial(const CommandLine* line, const char* name, brMaterial* outMaterial);

/// The names of all that breaks, one space between them.
void listMaterials(char* outText, size_t bytes);
