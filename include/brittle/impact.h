// SPDX-License-Identifier: MIT
#pragma once

/// @file impact.h
/// Would it break, and how near is it? The model behind every break in a world, to be asked on its own.
///
///     brImpactModelDef def = brDefaultImpactModelDef();
///     def.mesh = glass, def.material = *brFindMaterial("glass");
///     brImpactModel* model;
///     if (brCreateImpactModel(NULL, &def, &model, &report) < 0) return report.text;
///     brStrike strike = brImpactModel_Drop(model, brMakeDVec3(0.0, 0.0, -1.0), stone); // foot first
///     printf("breaks from %g m\n", brImpactModel_ThresholdEnergy(model, &strike) / (mass * 9.81));
///     strike.energy = 0.5 * strike.mass * speed * speed;
///     brImpact impact = brImpactModel_Strike(model, &strike);
///     printf("used to %g %%\n", 100.0 * impact.ratio);
///
/// The energy of the blow goes into the contact, which gives way by the area that touches and crushes at last, and into
/// the body, which bends: that gives the force, the force gives the stress, and the stress is held against the strength
/// by how much of the body feels it. docs/truth.md compares it with experiments and says what is fitted.

#include "brittle/material.h"
#include "brittle/mesh.h"

typedef struct brImpactModel brImpactModel;

/// Start from brDefaultImpactModelDef().
typedef struct brImpactModelDef
{
	const brMesh* mesh;  ///< Closed. Needed only while the model is made.
	brMaterial material; ///< Glass by default.
	bool isHeld;         ///< By a frame round its rim if it is a plate; else as if it were heavy.
	/// About so many tets; more is truer and slower: 700 by default, 30 to 50 ms.
	int32_t tets;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brImpactModelDef;

BR_API brImpactModelDef brDefaultImpactModelDef(void);
BR_API brResult brCreateImpactModel(const brContext* context, const brImpactModelDef* def, brImpactModel** outModel,
									brReport* report);
BR_API void brDestroyImpactModel(brImpactModel* model);

/// Something hits the body. All of it is set by brImpactModel_Drop, or by hand.
typedef struct brStrike
{
	brDVec3 point;      ///< Of the body's surface, in the axes of its mesh. [m]
	brDVec3 inward;     ///< Unit, the direction in which the blow pushes the body.
	brMaterial other;   ///< Of what hits. Young's modulus 0: rigid.
	double otherRadius; ///< Of its surface there; 0: flat. [m]
	double otherGive;   ///< How far it gives way as a whole to a force, beyond the contact. 0: not at all. [m/N]
	double mass;        ///< Effective: 1 / (1/mA + 1/mB + turning of both), > 0. [kg]
	double energy;      ///< Of closing: mass times speed squared over 2. [J]
	double strength;    ///< Of this body out of many; 0: the material's mean. [Pa]
} brStrike;

/// A blow by flat ground without end against the body as it falls along `down`, in the axes of its mesh: where it touches
/// first, with the effective mass there. Energy and strength are 0.
BR_API brStrike brImpactModel_Drop(brImpactModel* model, brDVec3 down, const brMaterial* ground);

/// What a blow does.
typedef struct brImpact
{
	double ratio;         ///< How near it is to breaking: 1 and more breaks. [1]
	double force;         ///< Peak of what bends the body as a whole. [N]
	double earlyForce;    ///< Peak at the contact of a small striker, before the body as a whole gives way. [N]
	double stress;        ///< Pull that counts, as if all of a test specimen felt it. [Pa]
	double contactRadius; ///< At the peak. [m]
	double contactTime;   ///< [s]
	double bodyEnergy;    ///< In the body as a whole, not near the contact. [J]
	double threshold;     ///< Energy from which on it breaks. [J]
	/// By a crack that runs in from the contact, or a corner crushed off, rather than by the pull elsewhere.
	bool isLocal;
} brImpact;

BR_API brImpact brImpactModel_Strike(brImpactModel* model, const brStrike* strike);

/// Energy from which on the blow breaks the body. [J]
BR_API double brImpactModel_ThresholdEnergy(brImpactModel* model, const brStrike* strike);
