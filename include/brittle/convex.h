// SPDX-License-Identifier: MIT
#pragma once

/// @file convex.h
/// A solid as a few convex hulls, for engines that collide nothing else.
///
///     brConvexDef def = brDefaultConvexDef();
///     def.error = 0.05;
///     brConvexParts* parts;
///     brCreateConvexParts(NULL, vase, &def, &parts, NULL);
///     printf("%d hulls have %.1f %% too much volume\n", parts->count, 100.0 * parts->error);
///     brDestroyConvexParts(parts);
///
/// The solid is cut exactly by planes, each time the part whose hull has most volume that the part has not, until hulls fit
/// or there are enough (the measure of V-HACD: Mamou and Ghorbel 2009). Parts have no common volume; their hulls may.

#include "brittle/mesh.h"

/// Start from brDefaultConvexDef().
typedef struct brConvexDef
{
	int32_t most; ///< Hulls, 1 to 1024. More fit better and cost the engine more. 16 by default.
	/// Cutting ends when all hulls together have at most this share of the solid's volume too much. Small values make many
	/// hulls. 0.05 by default. [1]
	double error;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brConvexDef;

BR_API brConvexDef brDefaultConvexDef(void);

/// Hulls of one solid. Constant once made.
typedef struct brConvexParts
{
	int32_t count;
	brMesh** hulls;    ///< [count] closed, convex, of at most 128 corners; largest gap first cut, no other order.
	double volume;     ///< Of the solid. [m^3]
	double hullVolume; ///< Of all hulls, what two share counted twice. [m^3]
	double error;      ///< (hullVolume - volume) / volume. [1]
	double
		outside; ///< How far a point of the solid may lie outside of its hull: hulls of round parts are simplified. [m]
	brAllocator allocator;
} brConvexParts;

/// Cuts a closed mesh into parts and makes their hulls. Takes milliseconds to seconds: each cut is chosen among some twenty.
/// `context`, `def` and `report` may be null.
BR_API brResult brCreateConvexParts(const brContext* context, const brMesh* mesh, const brConvexDef* def,
									brConvexParts** outParts, brReport* report);

/// Frees `parts`, which may be null.
BR_API void brDestroyConvexParts(brConvexParts* parts);
