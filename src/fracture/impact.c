// SPDX-License-Identifier: MIT

// What a hit does, in closed form.
//
// The force is that of two elastic spheres (Hertz; thesis 6.7, eq. 6.36): with d the approach of the centers,
//   F = 4/3 E sqrt(R) d^(3/2),  m v^2 / 2 = 8/15 E sqrt(R) d^(5/2),  t = 2.87 (m^2 / (E^2 R v))^(1/5).
// A thin body gives way before that: a plate resists a point force with the impedance Z = 8 sqrt(D rho h), D its bending stiffness
// (Cremer and Heckl), so the force is at most Z v.
//
// The tension that splits a body of thickness h between the hit and its far side is 0.9 F / h^2: measured and computed for balls and irregular lumps
// (Hiramatsu and Oka 1966), and within a factor of two the bending tension below a point load on a plate. The much higher tension in
// the ring round the contact only makes the shallow cone crack of Hertz, since it is gone within a tenth of a millimeter.

#include "base/assert.h"
#include "brittle/material.h"
#include "math/power.h"

#include <math.h>

#define IMPACT_PI 3.14159265358979323846
#define IMPACT_SPLIT 0.9 // Hiramatsu and Oka

brImpactDef brDefaultImpactDef(void)
{
	return (brImpactDef){.mass = 1.0, .radius = 0.1, .thickness = 0.1, .stamp = BR_STAMP(brImpactDef)};
}

static double impactModulus(const brImpactDef* def)
{
	double compliance = (1.0 - def->a->poissonRatio * def->a->poissonRatio) / def->a->youngsModulus;
	if (def->b != NULL)
	{
		compliance += (1.0 - def->b->poissonRatio * def->b->poissonRatio) / def->b->youngsModulus;
	}
	return 1.0 / compliance;
}

// F = c v^(6/5) of the Hertz contact: c.
static double impactHertzFactor(const brImpactDef* def, double modulus)
{
	double stiffness = modulus * sqrt(def->radius);
	return 4.0 / 3.0 * stiffness * brPower(15.0 * def->mass / (16.0 * stiffness), 0.6);
}

static double impactImpedance(const brImpactDef* def)
{
	const brMaterial* a = def->a;
	double h = def->thickness,
		   bending = a->youngsModulus * h * h * h / (12.0 * (1.0 - a->poissonRatio * a->poissonRatio));
	return 8.0 * sqrt(bending * a->density * h);
}

brImpact brComputeImpact(const brImpactDef* def)
{
	BR_ASSERT(def->stamp == BR_STAMP(*def) && def->a != NULL);
	brImpact impact = {.energy = 0.5 * def->mass * def->speed * def->speed};
	if (!(def->speed > 0.0))
	{
		return impact;
	}
	double modulus = impactModulus(def);
	double hertz = impactHertzFactor(def, modulus) * brPower(def->speed, 1.2);
	impact.contactTime = 2.87 * brPower(def->mass * def->mass / (modulus * modulus * def->radius * def->speed), 0.2);
	impact.force = fmin(hertz, impactImpedance(def) * def->speed);
	impact.contactRadius = brPower(0.75 * impact.force * def->radius / modulus, 1.0 / 3.0);
	impact.pressure = 1.5 * impact.force / (IMPACT_PI * impact.contactRadius * impact.contactRadius);
	impact.stress = IMPACT_SPLIT * impact.force / (def->thickness * def->thickness);
	return impact;
}

double brThresholdSpeed(const brImpactDef* def, double strength)
{
	BR_ASSERT(def->stamp == BR_STAMP(*def) && def->a != NULL);
	double force = strength * def->thickness * def->thickness / IMPACT_SPLIT;
	double hertz = brPower(force / impactHertzFactor(def, impactModulus(def)), 5.0 / 6.0);
	return fmax(hertz, force / impactImpedance(def));
}

double brThresholdHeight(const brImpactDef* def, double strength, double gravity)
{
	double speed = brThresholdSpeed(def, strength);
	return 0.5 * speed * speed / gravity;
}
