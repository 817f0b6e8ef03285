// SPDX-License-Identifier: MIT
#pragma once

// Bodies and cracks with known answers, for the tests of elasticity.

#include "brittle/elastic.h"

/// Lines of a lattice along one axis, rising.
typedef struct LatticeAxis
{
	int32_t count; // lines
	double at[200];
} LatticeAxis;

/// `cells` equal cells from `lower` to `upper`.
LatticeAxis makeEvenAxis(double lower, double upper, int32_t cells);

/// Cells of size h within `fine` of the middle, each next one larger by `growth` out to `half`.
LatticeAxis makeGradedAxis(double middle, double fine, double half, double h, double growth);

/// The upper half of such an axis, from 0.
LatticeAxis makeHalfAxis(double fine, double half, double h, double growth);

/// Body-centered lattice over a box: twelve tets a cell, inner nodes moved by up to `jitter` cells.
brTetMesh* makeLatticeBlock(const LatticeAxis* x, const LatticeAxis* y, const LatticeAxis* z, double jitter,
							uint64_t seed);

/// A flat polygon as a crack surface: a fan of triangles around its middle, with `rings` rings so that it is fine
/// enough. Counter-clockwise seen from the + side.
typedef struct TestCrack
{
	brCrackSurface surface;
	brDVec3* positions;
	int32_t (*triangles)[3];
} TestCrack;

/// Parallelogram from `origin` along u and v, normal u x v, cut into nu x nv quads.
TestCrack makeSheetCrack(brDVec3 origin, brDVec3 u, brDVec3 v, int32_t nu, int32_t nv);

/// Disk around `center`.
TestCrack makeDiskCrack(brDVec3 center, brDVec3 normal, double radius, int32_t rings, int32_t sectors);
void freeTestCrack(TestCrack* crack);

/// Boundary faces of a mesh whose nodes all satisfy x[axis] == value, each with a traction.
typedef struct TestTraction
{
	int32_t count;
	int32_t (*triangles)[3];
	brDVec3* tractions;
} TestTraction;

void addPlaneTraction(TestTraction* to, const brTetMesh* mesh, int axis, double value, brDVec3 traction);
void freeTestTraction(TestTraction* traction);

/// Holds axes of the nodes with x[axis] == value, on top of what is in the list.
typedef struct TestSupports
{
	int32_t count, capacity;
	int32_t* nodes;
	uint32_t* axes;
	brDVec3* values;
} TestSupports;

void holdNode(TestSupports* to, int32_t node, uint32_t axes, brDVec3 value);
void holdPlane(TestSupports* to, const brTetMesh* mesh, int axis, double value, uint32_t axes);
void freeTestSupports(TestSupports* supports);

/// Mean intensities over the points of a crack's front that lie inside, and how far from `expected` they stray (in
/// parts of scale).
typedef struct FrontMean
{
	double mean[3];
	int32_t count;
	double most[3]; // largest deviation from the mean
} FrontMean;

FrontMean meanFront(const brElasticBody* body, int32_t crack, brIntensityMethod method, double window);

/// Handbook K / (sigma sqrt(pi a)) of a single edge notch in tension (Tada), a / W = x.
double sentFactor(double x);
