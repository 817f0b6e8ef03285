// SPDX-License-Identifier: MIT
#pragma once

// A sample while it is made: the object, the blow that was drawn, and the pieces that came of it.

#include "dataset/recipe.h"

#include "base/array.h"

/// Name of the surface material that breaks give to their faces.
#define BR_SAMPLE_FRACTURE "brittle_fracture"

typedef struct brSampleJob
{
	brRecipe* recipe;
	const brContext* context;
	brReport* report;
	const brRecipeMethod* method;
	bool hasDevice; // the recipe's, for as long as this sample is made
	brRandom random;
	brSample* sample;
	brMesh* object;
	brTriangulation* triangles; // of the object
	double* areas;              // [triangleCount] running sums, for points drawn evenly
	BR_ARRAY(brMesh*) meshes;   // pieces, in the common frame
	BR_ARRAY(brTransform) poses;
	BR_ARRAY(brMassProperties) masses; // at the density of the sample's material
} brSampleJob;

/// A point of the object's surface, evenly by area, with the outward normal there.
brDVec3 brSampleJob_DrawPoint(brSampleJob* job, brDVec3* outNormal);

/// Into the object at a place with this outward normal, turned away from it by the method's angle.
brDVec3 brSampleJob_DrawDirection(brSampleJob* job, brDVec3 normal);

/// A seed of its own for what follows.
uint64_t brSampleJob_DrawSeed(brSampleJob* job);

/// How faces of a break are marked.
brSurfaceMaterial brSampleJob_Interior(void);

/// Takes the mesh.
brResult brSampleJob_AddPiece(brSampleJob* job, brMesh* mesh, brTransform pose);

/// Radius of a ball of steel. [m]
double brSample_BallRadius(double mass);

/// Drop and shoot: the world is played.
brResult brSampleJob_Play(brSampleJob* job);

/// Which pieces touch along fracture faces, from the triangles alone. Fills the contacts of the sample.
brResult brSample_FindContacts(brSample* sample, brReport* report);

/// Points on the surface of each piece.
brResult brSample_DrawPoints(brSample* sample, brRandom* random, brReport* report);
