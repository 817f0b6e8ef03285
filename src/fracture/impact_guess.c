// SPDX-License-Identifier: MIT

// The blow on a body that has no model of its own: pieces of what broke.
//
// As it bends, the greatest pull goes as the root of the energy in the body over its volume, pull = beta sqrt(2 E U /
// V), whatever the size: 2.6 for a free beam hit at its end, 1 for a lump. How it gives way is that of the same beam,
// l^3 / (105 E I), or of a lump. The contact is a ball's.

#include "fracture/impact_guess.h"

#include "math/power.h"

#include <math.h>

#define GUESS_SLENDER 0.15 // walls thinner than this part of the longest side bend

double brHertzForce(double energy, double stiffness, double give)
{
	double hertz = stiffness * brPower(2.5 * energy / stiffness, 0.6);
	double force = give > 0.0 ? fmin(hertz, sqrt(2.0 * energy / give)) : hertz;
	// Newton's method on W(F) + C F^2 / 2 = U, from above where both terms are convex.
	for (int i = 0; i < 12; ++i)
	{
		double depth = brPower(force / stiffness, 2.0 / 3.0);
		double excess = 0.4 * force * depth + 0.5 * give * force * force - energy,
			   slope = 2.0 / 3.0 * depth + give * force;
		double step = slope > 0.0 ? excess / slope : 0.0;
		force -= step;
		if (fabs(step) < 1e-9 * force)
		{
			break;
		}
	}
	return force;
}

// Of a contact by Hertz and of a body that gives way, at this force.
static double guessEnergy(double force, double stiffness, double give)
{
	return 0.4 * force * brPower(force / stiffness, 2.0 / 3.0) + 0.5 * give * force * force;
}

brImpact brGuessImpact(const brMaterial* material, const brMeshMeasure* measure, const brStrike* strike)
{
	brImpact impact = {.ratio = 0.0};
	if (!(strike->energy > 0.0))
	{
		return impact;
	}
	double volume = measure->volume, wall = measure->thickness, longest = 2.0 * measure->radius;
	double size = brPower(volume, 1.0 / 3.0), young = material->youngsModulus;
	bool isSlender = wall < GUESS_SLENDER * longest;
	double width = volume / (wall * longest), beta = isSlender ? 2.6 : 1.0;
	double give = isSlender ? 12.0 * longest * longest * longest / (105.0 * young * width * wall * wall * wall)
							: 1.0 / (young * size);
	double compliance = (1.0 - material->poissonRatio * material->poissonRatio) / young;
	const brMaterial* other = &strike->other;
	compliance +=
		other->youngsModulus > 0.0 ? (1.0 - other->poissonRatio * other->poissonRatio) / other->youngsModulus : 0.0;
	double curvature = 4.0 / size + (strike->otherRadius > 0.0 ? 1.0 / strike->otherRadius : 0.0);
	double stiffness = 4.0 / 3.0 / (compliance * sqrt(curvature));
	double strength = strike->strength > 0.0 ? strike->strength : material->tensileStrength;
	double split = material->toughness * brPower(3.0 * wall, 1.5) / BR_IMPACT_CHI, dynamic = brDynamicFactor(material);
	double perForce = beta * sqrt(give * young / volume);
	impact.force = brHertzForce(strike->energy, stiffness, give + strike->otherGive);
	impact.earlyForce = impact.force;
	impact.stress = impact.force * perForce;
	impact.bodyEnergy = 0.5 * give * impact.force * impact.force;
	impact.contactRadius = brPower(impact.force * compliance * 0.75 / curvature, 1.0 / 3.0);
	impact.contactTime = BR_PI * sqrt(2.0 * strike->mass * strike->energy) / impact.force;
	impact.isLocal = impact.force / split > impact.stress / (dynamic * strength);
	impact.ratio = fmax(impact.force / split, impact.stress / (dynamic * strength));
	double pulled = dynamic * strength / perForce;
	impact.threshold = guessEnergy(fmin(split, pulled), stiffness, give + strike->otherGive);
	impact.parting = guessEnergy(pulled, stiffness, give + strike->otherGive);
	impact.partingForce = pulled;
	return impact;
}
