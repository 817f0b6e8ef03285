// SPDX-License-Identifier: MIT
#pragma once

#include "fracture/breakup.h"
#include "fracture/impact_model.h"

/// Peak force of a blow of this energy if the contact is a ball's, F = stiffness d^1.5, in series with a spring that
/// gives way by `give` to a newton.
double brHertzForce(double energy, double stiffness, double give);

/// What a blow does to a body that has no model of its own, in closed form; a few hundred nanoseconds.
brImpact brGuessImpact(const brMaterial* material, const brMeshMeasure* measure, const brStrike* strike);
