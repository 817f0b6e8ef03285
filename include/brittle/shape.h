// SPDX-License-Identifier: MIT
#pragma once

/// @file shape.h
/// What bodies collide with: half-spaces, spheres, capsules, boxes, convex hulls, concave solids and triangle surfaces.
///
///     brShapeDef def = brDefaultShapeDef(br_shapeBox);
///     def.halfExtents = brMakeDVec3(0.1, 0.05, 0.05);
///     brShape* brick;
///     brCreateShape(NULL, &def, &brick, NULL);
///     printf("%g kg\n", brShape_ComputeMass(brick, 2000.0).mass);
///     brDestroyShape(brick);
///
/// A shape is constant once made and may serve any number of bodies and worlds; each world keeps a copy of its own, so
/// a shape may go as soon as the bodies that use it are made.
///
/// Bodies of several parts have a compound: brCreateCompound makes one shape of them.
///
/// Concave solids come from closed meshes: `def.kind = br_shapeMesh, def.mesh = vase`. One that is convex within 1% of
/// its size becomes a hull, which is quicker, unless `keepMesh` says no; brShape_GetKind tells. Surfaces are for ground
/// and walls that never move; they may be open.

#include "brittle/mesh.h"

typedef enum brShapeKind
{
	br_shapeHalfSpace = 0, ///< Everything behind a plane. For static bodies only.
	br_shapeSphere = 1,    ///< A ball around the origin.
	br_shapeCapsule = 2,   ///< A segment along z, with a radius.
	br_shapeBox = 3,       ///< A box around the origin, along the axes.
	br_shapeHull = 4,      ///< The smallest convex solid around given points.
	br_shapeMesh = 5,      ///< The solid within a closed mesh of any form.
	br_shapeSurface = 6,   ///< The front of a mesh, which may be open. For static bodies only.
} brShapeKind;

/// Start from brDefaultShapeDef(kind). Only the members of that kind are read.
typedef struct brShapeDef
{
	brShapeKind kind;
	int32_t pointCount;    ///< Hull: at least 4, not in one plane.
	brDVec3 normal;        ///< Half-space: out of the solid; any length but 0. z by default.
	double offset;         ///< Half-space: the plane is normal . x = offset for the unit normal. [m]
	double radius;         ///< Sphere, capsule: > 0. [m]
	double halfLength;     ///< Capsule: half the segment, >= 0. [m]
	brDVec3 halfExtents;   ///< Box: each > 0. [m]
	const brDVec3* points; ///< Hull: [pointCount], the caller's. [m]
	const brMesh* mesh;    ///< Mesh: closed and outward. Surface: any, the front of its faces is hit. The caller's. [m]

	/// Hull, mesh: mass, center (inside) and inertia at density 1 of the solid that it stands for, or null: its own.
	const brMassProperties* solid;
	bool keepMesh;  ///< Mesh: stay one even if a hull would do. Off by default.
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brShapeDef;

/// A solid within a compound. Start from brDefaultShapePart(kind).
typedef struct brShapePart
{
	brShapeDef shape; ///< Sphere, capsule, box, hull or mesh.
	brTransform pose; ///< In the axes of the compound. Identity by default. [m]
	double density;   ///< Over that of the body, > 0: 3 is three times as heavy as 1, the default. [1]
} brShapePart;

/// Limits of a hull after corners within a plane are joined into faces.
#define BR_HULL_MAX_VERTICES 128
#define BR_HULL_MAX_FACES 128
#define BR_HULL_MAX_FACE_SIZE 32

/// Opaque.
typedef struct brShape brShape;

/// 1 m across where a size is needed.
BR_API brShapeDef brDefaultShapeDef(brShapeKind kind);

/// Makes a shape, which may be shared by any number of bodies and threads. Refuses sizes that are not finite and
/// positive (or outside 1e-4 to 1e6 m), flat hulls, hulls over the limits, meshes that are open, inside out or
/// without triangles. `context` and `report` may be null.
BR_API brResult brCreateShape(const brContext* context, const brShapeDef* def, brShape** outShape, brReport* report);

/// At the origin, as heavy as the body.
BR_API brShapePart brDefaultShapePart(brShapeKind kind);

/// Several solids as one shape: a table, a hammer, a dumbbell. They may overlap, where the first one's density counts,
/// and need not touch. The shape is that of their union, of kind br_shapeMesh (or br_shapeHull if that is convex);
/// balls and capsules in it are polyhedra of their volume, within 0.2 % of their radius. `parts` [count], at least one,
/// is the caller's. `context` and `report` may be null.
BR_API brResult brCreateCompound(const brContext* context, const brShapePart* parts, int32_t count, brShape** outShape,
								 brReport* report);

/// Frees `shape`, which may be null.
BR_API void brDestroyShape(brShape* shape);

/// The kind it has become: a mesh that is convex enough becomes a hull unless keepMesh is set.
BR_API brShapeKind brShape_GetKind(const brShape* shape);

/// Mass, center and inertia for a density [kg/m^3], in the axes the shape was made in. All zero for half-spaces and
/// surfaces.
BR_API brMassProperties brShape_ComputeMass(const brShape* shape, double density);
