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
/// The energy of a blow is split between the contact, which is stiffer the larger the area that touches and crushes in
/// the end, and the body, which bends. The balance of the two gives the peak force, the force gives the stress
/// everywhere, and the stress is compared with the strength: the more of the body is under high tension, the less it
/// stands (Weibull). docs/truth.md compares the model with experiments and says which numbers are fitted.

#include "brittle/material.h"
#include "brittle/mesh.h"

/// Opaque. Remembers the places that it was asked about, so one thread at a time may use it.
typedef struct brImpactModel brImpactModel;

/// Start from brDefaultImpactModelDef().
typedef struct brImpactModelDef
{
	const brMesh* mesh;  ///< Closed. Needed only while the model is made.
	brMaterial material; ///< Glass by default.
	bool isHeld;         ///< It cannot move away: a plate is held along its rim, anything else counts as very heavy.
	/// Approximate number of tetrahedra of the elastic model. 700 by default, which take 30 to 50 ms to prepare. More
	/// are more accurate and slower.
	int32_t tets;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brImpactModelDef;

BR_API brImpactModelDef brDefaultImpactModelDef(void);

/// Prepares a body for questions. Refuses a mesh that is not closed and a material out of range. `context` and `report`
/// may be null.
BR_API brResult brCreateImpactModel(const brContext* context, const brImpactModelDef* def, brImpactModel** outModel,
									brReport* report);

/// Frees `model`, which may be null.
BR_API void brDestroyImpactModel(brImpactModel* model);

/// One blow against the body. brImpactModel_Drop fills one in for a fall; otherwise set every field.
typedef struct brStrike
{
	brDVec3 point;      ///< Where the body is hit: a point of its surface, in the axes of its mesh. [m]
	brDVec3 inward;     ///< Direction in which the blow pushes the body, a unit vector.
	brMaterial other;   ///< Material of the striking object. Young's modulus 0: rigid.
	double otherRadius; ///< Radius of curvature of the striking object where it hits; 0: flat. [m]
	double otherGive; ///< Compliance of the striking object as a whole, beside the contact. 0: it does not bend. [m/N]
	double mass;      ///< Effective mass at the point: 1 / (1/mA + 1/mB + what rotation adds), > 0. [kg]
	double energy;    ///< Kinetic energy of the approach: mass times speed squared over 2. [J]
	double strength;  ///< Tensile strength of this very body; bodies of one material scatter. 0: their mean. [Pa]
} brStrike;

/// The blow of a fall onto flat, immovable ground. The body falls along `down`, given in the axes of its mesh; the
/// result has the point that touches first and the effective mass there. Energy and strength are left 0 for the caller
/// to set.
BR_API brStrike brImpactModel_Drop(brImpactModel* model, brDVec3 down, const brMaterial* ground);

/// What a blow does.
typedef struct brImpact
{
	double ratio;         ///< How near it is to breaking: 1 and more breaks. [1]
	double force;         ///< Peak of the force that bends the body as a whole. [N]
	double earlyForce;    ///< Peak at the contact of a small striker, before the body as a whole gives way. [N]
	double stress;        ///< Tension compared with the strength: as likely to break a test specimen throughout. [Pa]
	double contactRadius; ///< Radius of the area that touches at the peak of the force. [m]
	double contactTime;   ///< How long the two touch. [s]
	double bodyEnergy;    ///< Strain energy of the body as a whole, without the surroundings of the contact. [J]
	double threshold;     ///< Least energy of such a blow that breaks the body. [J]
	double parting;      ///< Least energy that pulls it apart away from the contact. Below it the contact chips it. [J]
	double partingForce; ///< Peak force of that blow. [N]
	/// The body breaks at the contact (a crack that runs in from there, or a corner that is crushed off) rather than by
	/// bending elsewhere.
	bool isLocal;
} brImpact;

/// What this blow does. The first question about a place takes one to seven milliseconds, the next ones about a
/// microsecond.
BR_API brImpact brImpactModel_Strike(brImpactModel* model, const brStrike* strike);

/// Least energy at which this blow breaks the body. [J]
BR_API double brImpactModel_ThresholdEnergy(brImpactModel* model, const brStrike* strike);
