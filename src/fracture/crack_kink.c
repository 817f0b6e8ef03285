// SPDX-License-Identifier: MIT

// What a front that turns is driven by. A crack that slides does not go on straight ahead, and what counts is the
// energy that its kink sets free: to first order in the angle's exact factors, Cotterell and Rice 1980. Right behind a
// kink of a large angle the ring of tets from which intensities are read still lies around the old crack, and along the
// new way reads half of it or less: until the new leg has left the ring, it is driven by no less than what made the
// kink.

#include "fracture/crack_grow.h"

#include "math/power.h"

#define KINK_LEAST 0.3 // turn from which on the ring does not know the way [rad]
#define KINK_LEG 1.75  // edges of new crack until the ring lies in it
#define KINK_NEAR 0.6  // edges from where a front point was moved to
// Of the energy of the whole body, spread evenly, in an edge: G below it is what a lattice and a solve leave. K is then
// below 0.7 % of mean stress times the root of an edge.
#define KINK_NOISE 1e-4
// Free strain that varies across a tet leaves stress of this share of it, with the other sign in the next: no load, but
// G at a front.
#define KINK_SWELL 0.4
// Of the energy of loads that are in balance with themselves and leave no stress, as if they did: what rounding and the
// solver's residual leave.
#define KINK_BALANCED 1e-9

// G of a short kink of a crack with these intensities.
static double kinkRelease(double youngsModulus, double poissonRatio, const double intensity[3], double angle)
{
	double k1 = intensity[0] > 0.0 ? intensity[0] : 0.0, k2 = intensity[1];
	double c = brCos(0.5 * angle), s = brSin(0.5 * angle), c3 = brCos(1.5 * angle), s3 = brSin(1.5 * angle);
	double kinked[3] = {0.25 * ((3.0 * c + c3) * k1 - 3.0 * (s + s3) * k2),
						0.25 * ((s + s3) * k1 + (c + 3.0 * c3) * k2), intensity[2]};
	return brEnergyReleaseRate(youngsModulus, poissonRatio, kinked);
}

void brCrackGrowth_FindDrives(const brCrackGrowth* growth, int32_t index, brCrackFront* front)
{
	const brGrowingCrack* crack = &growth->cracks.data[index];
	const brMaterial* material = &growth->def->material;
	for (int32_t i = 0; i < front->count; ++i)
	{
		const brCrackFrontPoint* point = &front->points[i];
		double drive = front->drives[i] = point->energyRelease;
		if (growth->load.contactTime > 0.0 || !brGrowingCrack_IsLive(crack, point))
		{
			continue;
		}
		// Relative to straight ahead, since a place may be softer or less full than the material.
		double ahead = kinkRelease(material->youngsModulus, material->poissonRatio, point->intensity, 0.0);
		double turned =
			kinkRelease(material->youngsModulus, material->poissonRatio, point->intensity, point->kinkAngle);
		drive *= ahead > 0.0 ? fmax(turned / ahead, 1.0) : 1.0;
		for (int32_t k = 0; k < crack->kinks.count; ++k)
		{
			const brCrackKink* kink = &crack->kinks.data[k];
			bool isNear = brDDistance(kink->tip, point->position) < KINK_NEAR * point->edge;
			drive = isNear ? fmax(drive, kink->drive) : drive;
		}
		front->drives[i] = drive;
	}
}

// The leg behind a point, if it is one of a kink that the ring has not left.
static const brCrackKink* kinkOf(const brGrowingCrack* crack, const brCrackFrontPoint* point)
{
	const brCrackKink* best = NULL;
	double nearest = KINK_NEAR * point->edge;
	for (int32_t k = 0; k < crack->kinks.count; ++k)
	{
		double distance = brDDistance(crack->kinks.data[k].tip, point->position);
		best = distance < nearest ? &crack->kinks.data[k] : best;
		nearest = fmin(nearest, distance);
	}
	return best;
}

bool brCrackGrowth_KeepKinks(const brCrackGrowth* growth, brGrowingCrack* crack, const brCrackFront* front,
							 const brDVec3* wants)
{
	if (growth->load.contactTime > 0.0)
	{
		return true;
	}
	int32_t before = crack->kinks.count;
	for (int32_t i = 0; i < front->count; ++i)
	{
		const brCrackFrontPoint* point = &front->points[i];
		if (!brGrowingCrack_IsLive(crack, point))
		{
			continue;
		}
		double length = brDLength(wants[i]), ahead = brDDot(wants[i], point->forward);
		const brCrackKink* old = kinkOf(crack, point);
		brCrackKink kink = {.tip = brDAdd(point->position, wants[i]), .drive = front->drives[i], .leg = length};
		bool isTurning = length > 0.0 && ahead < brCos(KINK_LEAST) * length;
		if (!isTurning && old != NULL)
		{
			kink.drive = old->drive;
			kink.leg += old->leg;
		}
		bool isKept = (isTurning || old != NULL) && kink.leg < KINK_LEG * point->edge;
		if (isKept && !BR_PUSH(&growth->allocator, &crack->kinks, kink))
		{
			return false;
		}
	}
	for (int32_t k = before; k < crack->kinks.count; ++k)
	{
		crack->kinks.data[k - before] = crack->kinks.data[k];
	}
	crack->kinks.count -= before;
	return true;
}

// Mean squares of free strain, and of what it varies by in a tet.
static double kinkSwelling(const brCrackGrowth* growth, double* outSquare)
{
	const double* swelling = growth->load.swelling;
	double sum = 0.0, square = 0.0;
	for (int32_t t = 0; swelling != NULL && t < growth->tets->tetCount; ++t)
	{
		const int32_t* n = growth->tets->tets[t];
		double least = swelling[n[0]], most = least;
		for (int a = 1; a < 4; ++a)
		{
			least = fmin(least, swelling[n[a]]);
			most = fmax(most, swelling[n[a]]);
		}
		sum += (most - least) * (most - least);
		square += most * most + least * least;
	}
	*outSquare = 0.5 * square / growth->tets->tetCount;
	return sum / growth->tets->tetCount;
}

double brCrackGrowth_LeastRelease(const brCrackGrowth* growth)
{
	const brElasticComponent* parts = brElasticBody_GetComponents(growth->body);
	double volume = 0.0;
	for (int32_t i = 0; i < brElasticBody_GetComponentCount(growth->body); ++i)
	{
		volume += parts[i].volume;
	}
	bool isSlow = !(growth->load.contactTime > 0.0);
	if (!isSlow || !(volume > 0.0))
	{
		return 0.0;
	}
	const brMaterial* material = &growth->def->material;
	double square, swelling = KINK_SWELL * KINK_SWELL * material->youngsModulus * kinkSwelling(growth, &square);
	// All forces over the body's section.
	double forces = growth->load.allForces + material->density * volume * brDLength(growth->load.acceleration);
	double stress = forces / brPower(volume, 2.0 / 3.0), modulus = material->youngsModulus;
	double balanced = KINK_BALANCED * (modulus * square + stress * stress / modulus);
	return (KINK_NOISE * growth->strain / volume + swelling + balanced) * growth->edge;
}
