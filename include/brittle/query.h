// SPDX-License-Identifier: MIT
#pragma once

/// @file query.h
/// What is where in a world: rays, shapes that overlap, the nearest body, boxes and contact points.
///
///     brRayHit hit;
///     if (brWorld_CastRay(world, eye, forward, 100.0, NULL, &hit))
///         brWorld_ApplyImpulse(world, hit.body, brDMul(5.0, forward), hit.point);
///
/// For the time between steps. Several threads may ask at once. Bodies that were set aside are not found. Neither is
/// anything from beyond 1e9 m.
///
/// A tree over all bodies answers, so a ray among 10,000 bodies takes about a microsecond. Nobody has to keep it: the first
/// eight questions after a step or another change look at every body (about ten nanoseconds each), the ninth builds the
/// tree (about a tenth of a microsecond for each body). Answers are the same either way.

#include "brittle/world.h"

/// Which bodies a question is about. Null wherever one may be given: all.
typedef struct brQueryFilter
{
	bool (*accept)(const brWorld* world, brBodyId id, void* user); ///< False: as if the body were not there.
	void* user;
} brQueryFilter;

typedef struct brRayHit
{
	brBodyId body;
	brDVec3 point;   ///< [m]
	brDVec3 normal;  ///< Unit, out of the body; against the ray if that begins inside.
	double distance; ///< From the origin, 0 if that is inside. [m]
} brRayHit;

/// The first body that a ray meets. `direction` of any length but 0, `reach` > 0 or INFINITY [m]. Surfaces are hit from
/// their front only. Of bodies at the same distance the one in the lower slot. False if there is none, or a number
/// makes no sense. `filter` may be null.
BR_API bool brWorld_CastRay(const brWorld* world, brDVec3 origin, brDVec3 direction, double reach,
							const brQueryFilter* filter, brRayHit* outHit);

/// One question of brWorld_CastRays: the same numbers as for brWorld_CastRay.
typedef struct brRay
{
	brDVec3 origin;    ///< [m]
	brDVec3 direction; ///< Of any length but 0.
	double reach;      ///< > 0 or INFINITY. [m]
} brRay;

/// Many rays on the world's workers: outHits[i] answers rays[i], with a null body id where nothing was hit. Both arrays
/// have `count` elements and are the caller's. Returns the number of hits. `filter` may be null; it is called from several
/// workers at once.
BR_API int32_t brWorld_CastRays(const brWorld* world, const brRay* rays, int32_t count, const brQueryFilter* filter,
								brRayHit* outHits);

/// Bodies that a shape would cut into if its axes were at `pose`, in slot order: blasts, areas that notice what enters,
/// places to be free before something is put there. Half-spaces and surfaces cannot ask. Returns how many there are;
/// writes at most `capacity` to `outIds`, which may be null, as may `filter`.
BR_API int32_t brWorld_FindOverlaps(const brWorld* world, const brShape* shape, brTransform pose,
									const brQueryFilter* filter, brBodyId* outIds, int32_t capacity);

typedef struct brNearestBody
{
	brBodyId body;
	brDVec3 point;   ///< Of its surface. [m]
	brDVec3 normal;  ///< Unit, from there to where the question came from; out of the body if that is inside.
	double distance; ///< Negative inside. [m]
} brNearestBody;

/// The body nearest to a point, no farther than `reach` [m]. False if there is none. `filter` may be null.
BR_API bool brWorld_FindNearest(const brWorld* world, brDVec3 point, double reach, const brQueryFilter* filter,
								brNearestBody* outNearest);

/// The box around a body's shape, along the world's axes; empty for half-spaces and stale ids. [m]
BR_API brDBox3 brWorld_GetBounds(const brWorld* world, brBodyId id);

/// One place where two bodies press or are about to.
typedef struct brContactPlace
{
	brBodyId bodyA, bodyB;
	brDVec3 point;     ///< Halfway between the surfaces, by the poses of now. [m]
	brDVec3 normal;    ///< Unit, from A to B.
	double separation; ///< When the point was found, at the start of the last step; negative inside. [m]
	double impulse;    ///< Along the normal in the last step. [N s]
} brContactPlace;

/// Contact points of a body as the last step left them, or of all with a null id; by pairs of slots. For drawing,
/// sounds and sparks. Returns how many there are; writes at most `capacity` to `outPlaces`, which may be null.
BR_API int32_t brWorld_GetContactPlaces(const brWorld* world, brBodyId id, brContactPlace* outPlaces, int32_t capacity);
