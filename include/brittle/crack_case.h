// SPDX-License-Identifier: MIT
#pragma once

/// @file crack_case.h
/// A cracking problem in a YAML file: solid, material, cracks that are there, supports and loads.
///
///     brCrackCase* beam;
///     brLoadCrackCase(NULL, "bend.yaml", &beam, NULL);
///     brCracks* cracks;
///     brCreateCracks(NULL, beam->mesh, &beam->def, &cracks, NULL);
///     printf("breaks at %g times the load\n", cracks->stats.load);
///     brDestroyCracks(cracks);
///     brDestroyCrackCase(beam);
///
/// docs/crack-manual.md has all keys and worked examples.

#include "brittle/crack.h"

/// A case. Change `def` as you like before you use it.
typedef struct brCrackCase
{
	char title[128];
	brMesh* mesh;
	brCrackDef def; ///< Its arrays are the case's.
	brAllocator allocator;
} brCrackCase;

/// Reads a case. Paths in the file are relative to its folder. `context` and `report` may be null.
BR_API brResult brLoadCrackCase(const brContext* context, const char* path, brCrackCase** outCase, brReport* report);

/// Frees `crackCase`, which may be null.
BR_API void brDestroyCrackCase(brCrackCase* crackCase);
