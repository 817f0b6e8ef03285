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
/// The solid is cut exactly by planes until the hulls of its parts have little more volume than the parts, or there are
/// enough of them; the part whose hull has the most volume too much is cut next (the measure of V-HACD: Mamou and
/// Ghorbel 2009). Parts do not overlap; their hulls may.

#include "brittle/mesh.h"

/// Start from brDefaultConvexDef().
typedef struct brConvexDef
{
	int32_t most; ///< Hulls, 1 to 1024. More fit better and cost the engine more. 16 by default.
	/// Cutting ends when all hulls together have at most this share of the solid's volume too much. Small values make
	/// many hulls. 0.05 by default. [1]
	double error;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brConvexDef;

BR_API brConvexDef brDefaultConvexDef(void);

/// Hulls of one solid. Constant once made.
typedef struct brConvexParts
{
	int32_t count;
	brMesh** hulls;    ///< [count] closed, convex, of at most 128 corners, in no order that means anything.
	double volume;     ///< Of the solid. [m^3]
	double hullVolume; ///< Of all hulls, what two share counted twice. [m^3]
	double error;      ///< (hullVolume - volume) / volume. [1]
	/// A point of the solid may lie this far outside of its hull, since hulls of round parts are simplified. [m]
	double outside;
	brAllocator allocator;
} brConvexParts;

/// Cuts a closed mesh into parts and makes their hulls. Takes milliseconds to seconds: each cut is chosen among some
/// twenty. `context`, `def` and `report` may be null.
BR_API brResult brCreateConvexParts(const brContext* context, const brMesh* mesh, const brConvexDef* def,
									brConvexParts** outParts, brReport* report);

/// Frees `parts`, which may be null.
BR_API void brDestroyConvexParts(brConvexParts* parts);
