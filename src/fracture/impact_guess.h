// SPDX-License-Identifier: MIT
#pragma once

#include "fracture/breakup.h"
#include "fracture/impact_model.h"

/// What a blow does to a body that has no model of its own, in closed form; a few hundred nanoseconds.
brImpact brGuessImpact(const brMaterial* material, const brMeshMeasure* measure, const brStrike* strike);
