// SPDX-License-Identifier: MIT
#pragma once

#include "brittle/crack.h"
#include "fracture/stress_sample.h"

/// A blow that the impact model (impact_model.h) has judged already. Cracks take force, time and energy from here, and
/// of a blow that breaks the body they go on until it parts.
typedef struct brCrackSource
{
	double
		ratio; // stress over strength at the peak of the blow; the first crack starts at 1 / ratio of it. 0: nobody has judged
	double stress, strength;       // that are compared, 0: not known [Pa]
	bool isContact;                // the ratio is that of a crack which runs in from the contact
	double force;                  // at the peak [N]
	double contactTime;            // [s]
	double energy;                 // of closing [J]
	double small;                  // of that, for smaller pieces than main cracks leave [J]
	double smallest;               // of these, edge of a cube; 0: the grain length [m]
	double near;                   // from the hit: there the stress is that of the contact [m]
	const brStressSample* samples; // [sampleCount] of the blow at its peak, or null
	int32_t sampleCount;
} brCrackSource;

/// brCreateCracks with more known.
brResult brCreateCracksFrom(const brContext* context, const brMesh* mesh, const brCrackSource* source,
							const brCrackDef* def, brCracks** outCracks, brReport* report);
