// SPDX-License-Identifier: MIT
#pragma once

// Does a blow break a body? See brittle/impact.h for the question and impact_model.c for the answer.

#include "brittle/impact.h"
#include "elastic/flex_model.h"
#include "fracture/stress_sample.h"

#define BR_IMPACT_LEVELS BR_FRONT_LANES // sizes of a contact for which the body is asked
#define BR_IMPACT_PROBES 20             // places asked beforehand
#define BR_IMPACT_STEPS 64              // of a loading path
#define BR_IMPACT_KEPT 32               // answers that are remembered

/// Places asked beforehand: how the body gives way and is pulled by one newton there.
typedef struct brImpactProbe
{
	brDVec3 point, inward; // in the lattice's axes
	double wall;
	double give; // of the body beyond the contact, at Young's modulus 1 [1/m]
	double pull; // Weibull mean [1/m^2]
} brImpactProbe;

/// A loading path: what a blow of rising energy does at one place.
typedef struct brImpactPath
{
	int32_t count;
	bool isWhole;                   // to several times what the body stands; else as far as a narrow contact goes
	double wall, across;            // at the place
	double energy[BR_IMPACT_STEPS]; // rising
	double force[BR_IMPACT_STEPS];
	double radius[BR_IMPACT_STEPS];
	double body[BR_IMPACT_STEPS];  // energy in the body
	double pull[BR_IMPACT_STEPS];  // greatest so far
	double local[BR_IMPACT_STEPS]; // ratio of the local rules, greatest so far
} brImpactPath;

/// Where and by what a path was asked for.
typedef struct brImpactKey
{
	brDVec3 point, inward;
	double otherYoung, otherPoisson, otherHardness, otherRadius, otherGive;
} brImpactKey;

struct brImpactModel
{
	brAllocator allocator;
	brFlexModel* flex;
	brMaterial material;
	double mass, size; // edge of a cube of its volume
	brDVec3 center;    // of mass, in the mesh's axes
	brMat3 invInertia; // about it, in the mesh's axes
	double dynamic;    // factor on the strength for short loads
	double exponent;   // of the Weibull mean
	brImpactProbe probes[BR_IMPACT_PROBES];
	double maxPull;        // over the root of the energy in the body: no place is pulled harder
	double minGive;        // of any place
	double maxGive;        // of any place
	double maxPullByForce; // of any place
	double minSplit;       // force of the local rules, at the thinnest probe and at corners
	double minWall;        // of any place
	double maxEarlyPull;   // of the thinnest wall, by what hits of any mass
	brImpactKey keys[BR_IMPACT_KEPT];
	brImpactPath* paths; // [BR_IMPACT_KEPT]
	int32_t keptCount, nextKept;
	int32_t users; // bodies of a world that share it
	uint64_t name; // what it was made of
};

#define BR_IMPACT_CHI 0.15    // stress intensity of a crack from a contact: K = chi F / c^1.5
#define BR_IMPACT_CHIP 1.3e-4 // of the volume: a corner or edge with so much crushed has spalled, which is a break
#define BR_IMPACT_CHIP_DEEP                                                                                            \
	0.2 // of the edge of a cube of the volume: a crack from an edge or a corner so deep takes a chip with it
#define BR_IMPACT_SLENDER 4.0 // edge of a cube of the body's volume over its wall: up to here it is a lump
#define BR_IMPACT_SPREAD 0.33 // of an edge: a point force in the lattice is one spread over such a ring

/// A contact as the body's stress sees it.
typedef struct brImpactSpot
{
	const brFlexPatch* patch;
	double wall, radius;
	double across; // what of the force bends the wall there
} brImpactSpot;

/// Asks about a few places far from each other, for the bounds.
void brImpactModel_Probe(brImpactModel* model);

/// The probe that is nearest to a place and looks there as it does, in the lattice's axes.
const brImpactProbe* brImpactModel_NearestProbe(const brImpactModel* model, brDVec3 point, brDVec3 inward);

/// The Weibull means of the pull by one newton, away from where it is applied: of the first `count` lanes of the
/// lattice's answer.
void brImpactPulls(const brImpactModel* model, brWorkers* workers, const brImpactSpot* spots, int32_t count,
				   double* out);

/// What resists crushing. [Pa]
double brImpactHardness(const brMaterial* material);

/// What of one newton bends the wall at a place: nothing where the wall goes on along the force, as at a rim or a foot.
double brImpactAcross(const brImpactModel* model, brDVec3 point, brDVec3 inward, double wall);

/// The same mean of the pull by one newton early in a blow on a wall, when only what a bending wave has reached feels
/// it: the face opposite is pulled by 3 (1 + nu) F / (2 pi t^2) ln(b / r), b as far as the wave runs while what hits,
/// of this mass, is stopped. [1/m^2]
double brImpactEarlyPull(const brImpactModel* model, double wall, double mass);

/// What of a blow parts the body, without chips and craters.
typedef struct brImpactParting
{
	brImpact impact;
	double byPull;    // stress elsewhere over what the body stands [1]
	double byContact; // the same of a crack that runs from the contact through the wall [1]
} brImpactParting;

brImpactParting brImpactModel_Part(brImpactModel* model, const brStrike* strike);

/// What the caller has to know about one of several blows.
typedef struct brBlowNeed
{
	int32_t body; // that is hit: of all blows on a body only the hardest has to be known
	bool mayWait; // it is enough to know that it breaks the body
	bool isRough; // out: not solved. It breaks the body surely or very likely, and `ratio` is a low estimate
} brBlowNeed;

/// brImpactModel_Strike for several blows at a fraction of the cost, to see which break the body. Those that cannot, by
/// a bound, have a ratio of 0; `threshold` is known of those that do. On all workers; false without memory. `needs`
/// [count], or null: all are known.
bool brImpactModel_StrikeAll(const brContext* context, brImpactModel* model, const brStrike* strikes, int32_t count,
							 brBlowNeed* needs, brImpact* out);

/// No blow of this energy breaks the body, wherever it hits: takes some nanoseconds.
bool brImpactModel_IsSafe(const brImpactModel* model, const brStrike* strike);

/// No blow of this energy breaks the body there, whatever the body as a whole does: the contact gives way too much.
/// Takes 20 to 100 us, a tenth of what the answer takes.
bool brImpactModel_IsSafeThere(const brImpactModel* model, const brStrike* strike);

/// Gives of the body beyond the contact at a place, from the nearest probes. In the mesh's axes. [m/N]
double brImpactModel_Give(const brImpactModel* model, brDVec3 point, brDVec3 inward);

/// A blow whose stress is wanted: its force and contact are known.
typedef struct brFieldBlow
{
	brStrike strike; // its place, direction and what hits
	double force, radius;
	brStressSample* out; // [brImpactModel_SampleCount]
} brFieldBlow;

/// The stress of up to BR_FRONT_LANES blows at the cost of one, each as if it were alone, in the axes of the mesh: two
/// samples a tet of the lattice. Several threads may ask at once. Fails only without memory.
brResult brImpactModel_Fields(const brImpactModel* model, brWorkers* workers, const brFieldBlow* blows, int32_t count);
static inline int32_t brImpactModel_SampleCount(const brImpactModel* model)
{
	return 2 * model->flex->tetCount;
}

/// A force that rests on the body, in the mesh's axes.
typedef struct brRestLoad
{
	brDVec3 point, force;
} brRestLoad;

/// What forces at rest do together, against the strength of a slow test; what they leave of a resultant accelerates the
/// body.
brImpact brImpactModel_Rest(brImpactModel* model, const brRestLoad* loads, int32_t count, double strength);

/// No load at rest whose forces add up to this breaks the body.
bool brImpactModel_IsRestSafe(const brImpactModel* model, double force, double strength);

/// Factor on the strength of a test of half a minute for a blow of a millisecond: cracks that creep have no time to.
double brDynamicFactor(const brMaterial* material);
