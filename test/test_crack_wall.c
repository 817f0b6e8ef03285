// SPDX-License-Identifier: MIT

// Walls thinner than the lattice against the theory of plates: a strip bent by four lines of force has the same moment
// M in its middle half, stress 6 M / t^2 on its faces and curvature M / D, D = E t^3 / 12 (1 - nu^2) where it cannot
// bend the other way.

#include "brittle/brittle.h"
#include "fracture/crack_grow.h"
#include "harness.h"
#include "shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
	wallLines = 4,
	wallPoints = 8, // of a line
};

typedef struct WallResult
{
	double stress;    // mean of the highest eighth of the tets in its middle, over 6 M / t^2, or over force by area
	double curvature; // over M / D
} WallResult;

// `ratio` is thickness over edge.
static WallResult bendStrip(double ratio, bool isPulled)
{
	double edge = 0.02, thickness = ratio * edge, length = 0.48, width = 0.16, force = 10.0;
	brMesh* mesh = brShape_Model("box", 0);
	brReport report = {0};
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brAffine map = brMakeAffineIdentity();
	map.m.cx.x = length / (box.upper.x - box.lower.x);
	map.m.cy.y = width / (box.upper.y - box.lower.y);
	map.m.cz.z = thickness / (box.upper.z - box.lower.z);
	brMesh_Transform(mesh, &map);
	box = brMesh_ComputeBounds(mesh);
	brDVec3 middle = brDLerp(box.lower, box.upper, 0.5);

	brTetDef tetDef = brDefaultTetDef();
	tetDef.targetTets = 0, tetDef.edge = edge, tetDef.embed = true;
	brTetMesh* tets = NULL;
	brTetInfo info;
	CHECK_RESULT(brMakeTetMesh(NULL, mesh, &tetDef, &tets, &info, &report), &report);
	CHECK_RESULT(brSmoothWallFills(&mesh->allocator, tets, info.fills, &report), &report);

	// Up at the ends, down at a quarter and three quarters; or apart.
	brCrackForce forces[wallLines * wallPoints];
	static const double at[wallLines] = {-0.45, -0.25, 0.25, 0.45}, bent[wallLines] = {1.0, -1.0, -1.0, 1.0},
						pulled[wallLines] = {-1.0, 0.0, 0.0, 1.0};
	for (int32_t i = 0; i < wallLines * wallPoints; ++i)
	{
		int32_t line = i / wallPoints;
		double y = ((i % wallPoints + 0.5) / wallPoints - 0.5) * width, share = force / wallPoints;
		forces[i].point = brDAdd(middle, brMakeDVec3(at[line] * length, y, 0.0));
		forces[i].force =
			isPulled ? brMakeDVec3(share * pulled[line], 0.0, 0.0) : brMakeDVec3(0.0, 0.0, share * bent[line]);
	}
	brCrackDef def = brDefaultCrackDef();
	def.forces = forces, def.forceCount = wallLines * wallPoints;
	def.maxSteps = 1;
	def.material.tensileStrength = 1e15, def.material.compressiveStrength = 1e16; // it holds
	brCrackStats stats = {0};
	brContext context = {0};
	brCrackGrowth growth = {.def = &def,
							.tets = tets,
							.mesh = mesh,
							.fills = info.fills,
							.edge = info.edge,
							.stats = &stats,
							.allocator = mesh->allocator,
							.context = &context};
	CHECK_RESULT(brCrackLoad_Make(&growth.allocator, mesh, tets, info.edge, &def, &growth.load, &report), &report);
	CHECK_RESULT(brCrackGrowth_Run(&growth, &report), &report);
	CHECK_EQUAL(growth.cracks.count, 0);

	double moment = force * 0.2 * length / width, nu = def.material.poissonRatio;
	double bending = 6.0 * moment / (thickness * thickness), pulling = force / (width * thickness);
	WallResult result = {0};
	double* highest = calloc((size_t)tets->tetCount, sizeof(double));
	int32_t count = 0;
	for (int32_t t = 0; t < tets->tetCount; ++t)
	{
		const int32_t* v = tets->tets[t];
		brDVec3 c = brDMul(
			0.25, brDAdd(brDAdd(tets->nodes[v[0]], tets->nodes[v[1]]), brDAdd(tets->nodes[v[2]], tets->nodes[v[3]])));
		if (fabs(c.x - middle.x) < 0.15 * length && fabs(c.y - middle.y) < 0.25 * width)
		{
			brStress stress = brCrackGrowth_StressIn(&growth, t, NULL);
			highest[count++] = stress.xx / (isPulled ? pulling : bending);
		}
	}
	for (int32_t i = 1; i < count; ++i) // few
	{
		for (int32_t k = i; k > 0 && highest[k] > highest[k - 1]; --k)
		{
			double swap = highest[k];
			highest[k] = highest[k - 1], highest[k - 1] = swap;
		}
	}
	for (int32_t i = 0; i < count / 8; ++i)
	{
		result.stress += highest[i] / (count / 8);
	}

	// A parabola through the displacements of the middle: w = a + b x + c x^2 / 2.
	brDVec3* moved = calloc((size_t)tets->nodeCount, sizeof(brDVec3));
	brElasticBody_GetDisplacements(growth.body, moved);
	double s[5] = {0}, r[3] = {0};
	for (int32_t i = 0; i < tets->nodeCount; ++i)
	{
		double x = tets->nodes[i].x - middle.x, power = 1.0;
		if (fabs(x) < 0.15 * length && fabs(tets->nodes[i].y - middle.y) < 0.25 * width)
		{
			for (int32_t k = 0; k < 5; ++k)
			{
				s[k] += power;
				if (k < 3)
				{
					r[k] += power * moved[i].z;
				}
				power *= x;
			}
		}
	}
	// Odd sums vanish nearly: the even ones alone give c.
	double c = 2.0 * (s[0] * r[2] - s[2] * r[0]) / (s[0] * s[4] - s[2] * s[2]);
	double stiffness = def.material.youngsModulus * thickness * thickness * thickness / (12.0 * (1.0 - nu * nu));
	result.curvature = fabs(c) * stiffness / moment;
	free(moved);
	free(highest);
	brCrackGrowth_Free(&growth);
	brFreeTetInfo(&info);
	brDestroyTetMesh(tets);
	brDestroyMesh(mesh);
	return result;
}

BR_TEST(crack_wall_bends_as_plates_do)
{
	static const double ratios[7] = {0.5, 0.25, 0.15, 0.08, 0.35, 0.7, 1.0};
	bool isLong = test->intensity >= 10.0;
	for (int32_t i = 0; i < (isLong ? 7 : 3); ++i)
	{
		double ratio = ratios[i];
		WallResult bent = bendStrip(ratio, false), pulled = bendStrip(ratio, true);
		if (isLong)
		{
			printf("wall %.2f of an edge: stress bent %.2f, pulled %.2f, curvature %.4f\n", ratio, bent.stress,
				   pulled.stress, bent.curvature);
		}
		// Very thin walls fill some tets less than the least that counts, and walls of a whole edge reach into tets
		// that are nearly empty.
		double off = ratio < 0.1 ? 0.35 : ratio < 0.9 ? 0.25 : 0.5;
		CHECK_MESSAGE(fabs(bent.stress - 1.0) < off, "wall %.2f: stress %.3f when bent", ratio, bent.stress);
		CHECK_MESSAGE(fabs(pulled.stress - 1.0) < off, "wall %.2f: stress %.3f when pulled", ratio, pulled.stress);
		// As stiff as a wall 1.4 edges thick would be for its membrane stiffness.
		double stiff = bent.curvature / (ratio * ratio) * 1.4 * 1.4;
		CHECK_MESSAGE(ratio > 0.9 || fabs(stiff - 1.0) < 0.25, "wall %.2f: curvature %.4f", ratio, bent.curvature);
	}
}
