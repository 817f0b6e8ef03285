// SPDX-License-Identifier: MIT
#pragma once

// What the makers of built-in models share. models.c has checked every parameter and the resolution before a maker
// runs.

#include "base/memory.h"
#include "base/report.h"
#include "brittle/models.h"

typedef struct brModelInput
{
	brAllocator allocator;
	brWorkers* workers; // may be null
	int32_t resolution;
	uint64_t seed;
	const double* parameters; // in the order of the table in models.c
} brModelInput;

typedef brResult brModelMaker(const brModelInput* input, brMesh** outMesh, brReport* report);

brModelMaker brMakeBlobModel, brMakeBowlModel, brMakeBoxModel, brMakeBrickModel, brMakeColumnModel, brMakeCylinderModel,
	brMakeIcosphereModel, brMakeKnotModel, brMakePaneModel, brMakePiggyBankModel, brMakePlateModel, brMakeStatueModel,
	brMakeTorusModel, brMakeVaseModel, brMakeWineGlassModel;

/// Whether the seed changes a model of the table.
bool brModel_IsSeeded(const brModelInfo* info);

/// Gives every face the one material; the mesh was allocated with one. `alpha` below 1 is see-through.
void brModel_SetMaterial(brMesh* mesh, const char* name, brVec4 baseColor, float roughness);

/// Normals at corners, averaged by angle over those faces at the vertex that turn by less than `crease` [rad] from the
/// corner's own face, so sharp edges stay sharp. False without memory.
bool brModel_SetNormals(const brAllocator* allocator, brMesh* mesh, double crease);

/// UVs of a ball around `center`: u once round the z axis, v from pole to pole, unwrapped per face so that no face runs
/// backwards over the seam (u may pass 1 there).
void brModel_SetBallUvs(brMesh* mesh, brDVec3 center);

/// Moves the mesh so that its lowest vertex is at z = 0.
void brModel_Stand(brMesh* mesh);

// Revolved bodies.

/// A point of a profile in the half plane r >= 0. The solid lies to the left of the way along the profile.
typedef struct brProfilePoint
{
	double r, z;
	bool isSharp; // normals break here
} brProfilePoint;

/// A profile being drawn, from the axis back to the axis, or a closed loop off the axis.
typedef struct brProfile
{
	brAllocator allocator;
	brProfilePoint* points;
	int32_t count;
	int32_t capacity;
	double step; // wanted length of a segment
	bool isLoop; // the last point joins the first
	bool failed; // out of memory; later calls do nothing
} brProfile;

/// `step` from the widest radius and the segments round it.
void brProfile_Init(brProfile* profile, const brAllocator* allocator, double radius, int32_t resolution);
void brProfile_Destroy(brProfile* profile);

/// Adds one point as it is.
void brProfile_Add(brProfile* profile, double r, double z, bool isSharp);

/// A straight line from the last point, cut into steps.
void brProfile_LineTo(brProfile* profile, double r, double z, bool isSharp);

/// A circular arc about (centerR, centerZ) from angle `from` to `to` [rad, 0 along +r, towards +z], at least
/// `minSegments` pieces; starts at the last point if that is where the arc begins.
void brProfile_Arc(brProfile* profile, double centerR, double centerZ, double radius, double from, double to,
				   int32_t minSegments);

/// A smooth curve (centripetal Catmull-Rom) through `knots`, walked from parameter `from` to `to` (knot i is at i; may
/// run backwards) in at least `minSegments` pieces per unit. `offset` moves each point to the left of the curve as
/// the knots run. A first knot on the axis makes the curve cross it level.
typedef struct brProfileCurve
{
	const brDVec2* knots; // x is r, y is z
	int32_t knotCount;
	double offset;
} brProfileCurve;

void brProfile_Curve(brProfile* profile, const brProfileCurve* curve, double from, double to, int32_t minSegments);
brDVec2 brProfileCurve_Point(const brProfileCurve* curve, double t);

/// Normals break at the last point.
void brProfile_Sharpen(brProfile* profile);

/// Factor on the radius of a profile point at an angle, for fluted and square parts. `point` is its index.
typedef double brProfileShape(int32_t point, int32_t segment, void* user);

/// The solid of a finished profile. Points on the axis become one pole vertex each. `shape` may be null; with it rows
/// of faces that are not planar are split into triangles and `firstAngle` may turn the start. One material, UVs,
/// normals (by crease when shaped).
typedef struct brRevolveDef
{
	int32_t segments;
	double firstAngle;
	brProfileShape* shape;
	void* shapeUser;
} brRevolveDef;

brResult brRevolve(const brProfile* profile, const brRevolveDef* def, brMesh** outMesh, brReport* report);
