// SPDX-License-Identifier: MIT
#pragma once

/// @file query.h
/// What is where in a world: rays, shapes that overlap, the nearest body, boxes and contact points.
///
///     brRayHit hit;
///     if (brWorld_CastRay(world, eye, forward, 100.0, NULL, &hit))
///         brWorld_ApplyImpulse(world, hit.body, brDMul(5.0, forward), hit.point);
///
/// Call these between steps. Several threads may ask at once. Bodies that were set aside (see br_eventBodySetAside) are
/// not found, nor is anything farther than 1e9 m from the origin.
///
/// A tree over all bodies answers, so a ray among 10,000 bodies takes about a microsecond. Nobody has to keep it: the
/// first eight questions after a step or another change look at every body (about ten nanoseconds each), the ninth
/// builds the tree (about a tenth of a microsecond for each body). Answers are the same either way.

#include "brittle/world.h"

/// Chooses the bodies that a query may find. Where a filter may be given, null means all bodies.
typedef struct brQueryFilter
{
	/// Return false to ignore a body. Called during the query; it must not change the world.
	bool (*accept)(const brWorld* world, brBodyId id, void* user);
	void* user;
} brQueryFilter;

/// Where a ray meets a body.
typedef struct brRayHit
{
	brBodyId body;
	brDVec3 point;   ///< Where the ray enters. [m]
	brDVec3 normal;  ///< Unit vector out of the body; against the ray if the ray starts inside.
	double distance; ///< From the origin of the ray, 0 if that is inside. [m]
} brRayHit;

/// Finds the first body that a ray meets. `direction` has any length but 0; `reach` > 0 or INFINITY [m]. A surface
/// shape is hit only from its front. Of bodies at the same distance the one in the lower slot is reported. False if
/// nothing is hit, or a number is not finite. `filter` may be null.
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
/// have `count` elements and are the caller's. Returns the number of hits. `filter` may be null; it is called from
/// several workers at once.
BR_API int32_t brWorld_CastRays(const brWorld* world, const brRay* rays, int32_t count, const brQueryFilter* filter,
								brRayHit* outHits);

/// Where a moving shape first meets a body.
typedef struct brShapeHit
{
	brBodyId body;
	brDVec3 point;   ///< Where they touch. [m]
	brDVec3 normal;  ///< Unit vector out of the body.
	double distance; ///< That the shape went; 0 if it overlaps at the start. [m]
} brShapeHit;

/// Finds the first body that a shape meets when it moves from `pose` along `way` [m] without turning: for characters,
/// cameras and bullets with a size. Sensors are ignored. The shape may not be a half-space or a surface. Cost grows with
/// the number of bodies near the path. False if it meets none. `filter` may be null.
BR_API bool brWorld_CastShape(const brWorld* world, const brShape* shape, brTransform pose, brDVec3 way,
							  const brQueryFilter* filter, brShapeHit* outHit);

/// Finds the bodies that a shape would overlap if it were placed at `pose`, in slot order: for explosions, trigger
/// areas, or to see whether a place is free. The shape may not be a half-space or a surface. Returns how many there
/// are and writes at most `capacity` of them to `outIds`. `outIds` and `filter` may be null.
BR_API int32_t brWorld_FindOverlaps(const brWorld* world, const brShape* shape, brTransform pose,
									const brQueryFilter* filter, brBodyId* outIds, int32_t capacity);

/// The body nearest to a point.
typedef struct brNearestBody
{
	brBodyId body;
	brDVec3 point;   ///< Nearest point of its surface. [m]
	brDVec3 normal;  ///< Unit vector from there towards the point asked about; out of the body if that is inside.
	double distance; ///< To the surface; negative if the point asked about is inside. [m]
} brNearestBody;

/// Finds the body nearest to a point, no farther than `reach` [m]. False if there is none. `filter` may be null.
BR_API bool brWorld_FindNearest(const brWorld* world, brDVec3 point, double reach, const brQueryFilter* filter,
								brNearestBody* outNearest);

/// The smallest box along the world's axes around a body's shape; empty for half-spaces and stale ids. [m]
BR_API brDBox3 brWorld_GetBounds(const brWorld* world, brBodyId id);

/// One contact point of two bodies, as the last step left it.
typedef struct brContactPlace
{
	brBodyId bodyA, bodyB;
	brDVec3 point;  ///< Halfway between the two surfaces, at the present poses. [m]
	brDVec3 normal; ///< Unit, from A to B.
	/// Gap when the point was found, at the start of the last step; negative where they overlap. [m]
	double separation;
	double impulse; ///< Along the normal in the last step. [N s]
} brContactPlace;

/// Lists the contact points of one body, or of all bodies with a null id, ordered by slots: for drawing, sounds and
/// sparks. Returns how many there are and writes at most `capacity` of them to `outPlaces`, which may be null.
BR_API int32_t brWorld_GetContactPlaces(const brWorld* world, brBodyId id, brContactPlace* outPlaces, int32_t capacity);

/// What brWorld_DebugDraw draws, and with what. Start from brDefaultDebugDraw() and set `line`.
typedef struct brDebugDraw
{
	/// Draws a line between two places in the world. `color` is 0xRRGGBB. It must not change the world.
	void (*line)(brDVec3 from, brDVec3 to, uint32_t color, void* user);
	void* user;
	/// Edges of all shapes: static gray, kinematic blue, awake orange, asleep green, sensors violet. On by default.
	bool shapes;
	bool bounds;    ///< Boxes along the world's axes, light gray. Off by default.
	bool contacts;  ///< A cross at each contact point and a line along its normal, red. On by default.
	bool joints;    ///< A line from each body's center to the joint's anchor, yellow. On by default.
	double size;    ///< Half the width of crosses, and the length of normals. 0.02 by default. [m]
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brDebugDraw;

BR_API brDebugDraw brDefaultDebugDraw(void);

/// Draws the world as lines, body by body in the order of slots. A half-space is a cross of 10 m and its normal. Draws
/// nothing without `line`, or if `draw` did not start from brDefaultDebugDraw.
BR_API void brWorld_DebugDraw(const brWorld* world, const brDebugDraw* draw);
