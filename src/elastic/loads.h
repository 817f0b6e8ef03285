// SPDX-License-Identifier: MIT
#pragma once

// Loads as forces on values, and their balance.

#include "elastic/body.h"

/// Forces of a load on all values; `out` [valueCount]. Refuses nodes and faces that are not there.
brResult brElasticBody_Forces(brElasticBody* body, const brElasticLoad* load, brDVec3* out, brReport* report);

/// Takes the inertia of the free rigid accelerations out of forces, so that they do no work on free rigid motions. False
/// without memory.
bool brElasticBody_Balance(const brElasticBody* body, brDVec3* forces);

/// Takes free rigid motions out of displacements, weighed by mass. False without memory.
bool brElasticBody_Center(const brElasticBody* body, brDVec3* displacements);
