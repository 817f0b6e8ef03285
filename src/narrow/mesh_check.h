// SPDX-License-Identifier: MIT
#pragma once

// The second half of brMesh_Check, for callers that know the topology already.

#include "brittle/check.h"

/// Adds crossings, and shells inside others, to `check`, which brCheckTopology filled for this mesh.
brResult brCheckCrossings(const brContext* context, const brMesh* mesh, brMeshCheck* check, brReport* report);
