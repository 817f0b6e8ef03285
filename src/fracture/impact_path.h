// SPDX-License-Identifier: MIT
#pragma once

// What blows of all energies do at one place: read from its path, and bounded before there is one.

#include "fracture/impact_answer.h"

/// What the path of a blow depends on.
brImpactKey brMakeImpactKey(const brStrike* strike);

/// The path of a blow that is remembered and goes as far as its energy, or null.
const brImpactPath* brImpactModel_Known(const brImpactModel* model, const brImpactKey* key, double energy);

/// Room for the path of a blow: the oldest is forgotten.
brImpactPath* brImpactModel_Keep(brImpactModel* model, const brStrike* strike);

/// Whether a path says what a blow of this energy does.
bool brImpactPath_Reaches(const brImpactPath* path, double energy);

/// Strength of the body that is hit. [Pa]
double brImpactStrength(const brImpactModel* model, const brStrike* strike);

/// Peak force of a small round striker against the wall near it, early in the blow; 0 for flat ground. [N]
double brImpactEarlyForce(const brImpactModel* model, double wall, const brStrike* strike);

/// Early force that breaks the body. `across`: share of it that bends the wall. [N]
double brImpactEarlyLimit(const brImpactModel* model, double wall, double across, const brStrike* strike);

/// Energy at which the early force reaches a limit. [J]
double brImpactEarlyThreshold(const brImpactModel* model, double wall, double limit, const brStrike* strike);

/// Energy from which blows on this path break a body of this strength, but for the early force. [J]
double brImpactPath_Threshold(const brImpactModel* model, const brImpactPath* path, double strength);

/// What a blow does, and its ratio alone.
brImpact brImpactPath_Impact(const brImpactModel* model, const brImpactPath* path, const brStrike* strike);
double brImpactPath_Ratio(const brImpactModel* model, const brImpactPath* path, const brStrike* strike);

/// The path of a place where the body as a whole gives way least and is pulled most: no blow there does worse.
void brImpactPath_Bound(const brImpactModel* model, const brStrike* strike, const brImpactAnswer* meeting,
						brImpactPath* path);

/// Whether the bound of a place shows that the body survives a blow there.
bool brImpactPath_IsWithin(const brImpactModel* model, const brStrike* strike, const brImpactPath* path);
