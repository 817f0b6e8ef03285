// SPDX-License-Identifier: MIT
#pragma once

// How a body answers one newton at a place, spread over contacts of four sizes, and the loading path that follows from
// it.

#include "fracture/contact_law.h"
#include "fracture/impact_model.h"

/// What the contact does as it gets deeper, whatever the body as a whole does.
typedef struct brImpactPress
{
	int32_t count;
	double force[BR_CONTACT_STEPS];
	double radius[BR_CONTACT_STEPS];
	double energy[BR_CONTACT_STEPS];  // that went into the contact
	double crushed[BR_CONTACT_STEPS]; // volume of the body
} brImpactPress;

#define BR_IMPACT_FOCUSES 4

typedef struct brImpactAnswer
{
	brContactPlane plane;
	brContactAreas areas;
	brImpactPress press;
	int32_t levels;                  // that are known of give and pull: the narrowest ones, or all
	double depth[BR_IMPACT_LEVELS];  // of the contact
	double radius[BR_IMPACT_LEVELS]; // of the contact
	double give[BR_IMPACT_LEVELS];   // at Young's modulus 1
	double pull[BR_IMPACT_LEVELS];
	double wall, growth, across;
	double chip; // force that breaks off an edge or a corner of a lump there if all of it presses in one place,
	double focus[BR_IMPACT_FOCUSES]; // and how much of it does as the contact gets wider by two; at first all
} brImpactAnswer;

/// How the two surfaces meet: all but give, pull and across.
void brImpactAnswer_Meet(const brImpactModel* model, const brStrike* strike, brImpactAnswer* out);

/// Finds how far the force is spread over more than one place, which chips nothing. True if it is.
bool brImpactAnswer_Focus(const brImpactModel* model, brImpactAnswer* answer);

/// All levels of one place, a lane each.
void brImpactAnswer_AskAll(const brImpactModel* model, brWorkers* workers, brImpactAnswer* answer);

/// The next level of up to four places, a lane each, all with as many levels known: most blows need no more than the
/// first.
void brImpactAnswer_AskNext(const brImpactModel* model, brWorkers* workers, brImpactAnswer* const* answers,
							int32_t count);

/// Walks down the depths: force, contact energy, and what the body feels; until it would break several times over, or
/// the contact is wider than is known.
void brImpactAnswer_Walk(const brImpactModel* model, const brImpactAnswer* answer, const brStrike* strike,
						 brImpactPath* path);

/// Force at which a crack runs from the contact through the wall, or as deep as what hits is large: that is a crater.
double brImpactSplit(const brMaterial* material, double wall, double otherRadius);

/// Force at which a crack from the contact comes out again beside an edge or a corner of a lump, with a chip that can
/// be seen; the share of half a ball that is solid there says whether it is one. INFINITY where nothing chips.
double brImpactChipForce(const brImpactModel* model, double share);

/// What the lattice gives without the part that a half-space has, which the contact has: both at Young's modulus 1. Up
/// to two walls it does not depend on the contact then.
double brImpactGive(const brImpactModel* model, double give, double wall);

/// 1 in walls, 0 at corners of lumps, which do not bend as walls do, however thin they are at their tips.
double brImpactIsWall(double growth);
