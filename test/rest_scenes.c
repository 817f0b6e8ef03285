// SPDX-License-Identifier: MIT

#include "rest_scenes.h"

#include "brittle/cut.h"
#include "brittle/models.h"
#include "brittle/shatter.h"
#include "harness.h"
#include "shapes.h"

#include <math.h>

double brScene_Ring(brWorld* world, int32_t count, brBodyId* outIds)
{
	brMesh* mesh = brShape_Model("torus", 16);
	brDBox3 box = brMesh_ComputeBounds(mesh);
	double outer = 0.5 * (box.upper.x - box.lower.x), tube = 0.5 * (box.upper.z - box.lower.z), scale = 0.06 / outer;
	brMesh_Transform(mesh, &(brAffine){{{scale, 0, 0}, {0, scale, 0}, {0, 0, scale}}, {0, 0, -tube * scale}});
	double r = tube * scale, R = 0.06 - r; // of the tube, of its middle line
	brShapeDef def = brDefaultShapeDef(br_shapeMesh);
	def.mesh = mesh;
	brShape* link = BR_MADE(brShape, brCreateShape, NULL, &def);
	brDestroyMesh(mesh);
	brScene_Ground(world);
	double pitch = 0.85 * 2.0 * (R - r), ring = 0.5 * pitch / brSin(BR_PI / count);
	for (int32_t i = 0; i < count; ++i)
	{
		double angle = 2.0 * BR_PI * i / count;
		brBodyDef body = brDefaultBodyDef();
		body.shape = link;
		body.density = 2000.0;
		body.pose.p = brMakeDVec3(ring * brCos(angle), ring * brSin(angle), 0.061);
		brQuat round = brMakeQuatAxisAngle(brMakeDVec3(0.0, 0.0, 1.0), angle);
		brQuat up = brMakeQuatAxisAngle(brMakeDVec3(0.0, 1.0, 0.0), i % 2 == 0 ? 0.0 : 0.5 * BR_PI);
		body.pose.q = brQuat_Mul(round, up);
		outIds[i] = brWorld_CreateBody(world, &body, NULL);
	}
	brDestroyShape(link);
	return R;
}

// A shallow bowl with a handle.
static brShape* restSpoon(void)
{
	brMesh *bowl = brScene_Model("bowl", 16, 1.0), *handle = brScene_Model("box", 2, 1.0);
	brMesh_Transform(bowl, &(brAffine){{{0.045, 0, 0}, {0, 0.03, 0}, {0, 0, 0.02}}, {0, 0, 0}});
	brMesh_Transform(handle, &(brAffine){{{0.09, 0, 0}, {0, 0.008, 0}, {0, 0, 0.003}}, {0.064, 0, 0.0025}});
	brCutDef def = brDefaultCutDef();
	def.op = br_cutUnion;
	brCutResult* cut = BR_MADE(brCutResult, brCutMesh, NULL, bowl, handle, &def);
	CHECK_EQUAL(cut->pieceCount, 1);
	brShapeDef shapeDef = brDefaultShapeDef(br_shapeMesh);
	shapeDef.mesh = cut->pieces[0].mesh;
	brShape* shape = BR_MADE(brShape, brCreateShape, NULL, &shapeDef);
	CHECK_EQUAL(brShape_GetKind(shape), br_shapeMesh);
	brDestroyCutResult(cut);
	brDestroyMesh(bowl);
	brDestroyMesh(handle);
	return shape;
}

void brScene_Spoons(brWorld* world, int32_t count)
{
	brShape *spoon = restSpoon(), *bowl = brScene_MeshModel("bowl", 32, 0.4, true);
	brBodyDef def = brDefaultBodyDef();
	def.shape = bowl;
	def.kind = br_bodyStatic;
	brWorld_CreateBody(world, &def, NULL);
	for (int32_t i = 0; i < count; ++i)
	{
		def = brDefaultBodyDef();
		def.shape = spoon;
		def.density = 7800.0;
		def.pose.p = brMakeDVec3(0.01 * (i % 3), 0.01 * (i % 2), 0.061 + 0.05 * i);
		def.pose.q = brMakeQuatAxisAngle(brDNormalize(brMakeDVec3(0.2, 0.3, 1.0)), 1.3 * i);
		brWorld_CreateBody(world, &def, NULL);
	}
	brDestroyShape(spoon);
	brDestroyShape(bowl);
}

enum
{
	restMostPieces = 32
};

static int32_t restShatter(const brMesh* mesh, const brDVec3* sites, int32_t siteCount, brShape** outShapes)
{
	brShatterDef def = brDefaultShatterDef();
	def.sites = sites;
	def.siteCount = siteCount;
	brReport report = {0};
	brShatter* shatter = BR_MADE(brShatter, brCreateShatter, NULL, mesh, &def);
	int32_t count = 0;
	for (int32_t i = 0; i < shatter->pieceCount && count < restMostPieces; ++i)
	{
		brShapeDef shapeDef = brDefaultShapeDef(br_shapeMesh);
		shapeDef.mesh = shatter->pieces[i].mesh;
		count += brCreateShape(NULL, &shapeDef, &outShapes[count], &report) >= 0;
	}
	brDestroyShatter(shatter);
	return count;
}

int32_t brScene_Glasses(brWorld* world, int32_t count, double wall)
{
	enum
	{
		siteCount = 10
	};
	brMesh* mesh = brScene_Model("wine_glass", 24, 0.2);
	brDVec3 sites[siteCount];
	brRandom random = brMakeRandom(4, 4);
	for (int32_t i = 0; i < siteCount; ++i)
	{
		double x = brRandom_Range(&random, -0.04, 0.04), y = brRandom_Range(&random, -0.04, 0.04),
			   z = brRandom_Range(&random, -0.1, 0.1);
		sites[i] = brMakeDVec3(x, y, z);
	}
	brShape* shapes[restMostPieces];
	int32_t pieces = restShatter(mesh, sites, siteCount, shapes);
	brDestroyMesh(mesh);
	CHECK(pieces >= siteCount / 2);
	brScene_MeshPile(world, shapes, pieces, count * pieces, wall, 0.12, 2);
	for (int32_t i = 0; i < pieces; ++i)
	{
		brDestroyShape(shapes[i]);
	}
	return count * pieces;
}

void brScene_PlatePieces(brWorld* world, int32_t count)
{
	enum
	{
		siteCount = 11
	};
	brMesh* mesh = brScene_Model("plate", 48, 0.27);
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brRandom random = brMakeRandom(3, 3);
	brDVec3 sites[siteCount];
	for (int32_t i = 0; i < siteCount; ++i)
	{
		double x = brRandom_Range(&random, box.lower.x, box.upper.x),
			   y = brRandom_Range(&random, box.lower.y, box.upper.y),
			   z = brRandom_Range(&random, box.lower.z, box.upper.z);
		sites[i] = brMakeDVec3(x, y, z);
	}
	brShape* shapes[restMostPieces];
	int32_t pieces = restShatter(mesh, sites, siteCount, shapes);
	brDestroyMesh(mesh);
	brScene_Ground(world);
	for (int32_t i = 0; i < pieces; ++i)
	{
		for (int32_t k = 0; k < count; ++k)
		{
			brScene_Body(world, shapes[i], 0.0, 0.0, 0.1 - box.lower.z + 0.05 * k);
		}
		brDestroyShape(shapes[i]);
	}
}
