// SPDX-License-Identifier: MIT

// Pieces that are kept in a file come back as they were cut: the same pieces, bonds and whole, and worlds break them.

#include "brittle/brittle.h"
#include "harness.h"
#include "shapes.h"
#include "shatter_help.h"
#include "world_scenes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define READY_SITES 24

static brShatter* readyCut(const brMesh* mesh, brDVec3* sites, int32_t* outCount)
{
	*outCount = brUniformSites(mesh, READY_SITES, 3, sites);
	return brShatterBy(NULL, mesh, sites, *outCount);
}

// One node a piece, each at a place of its own, as editors write them.
static void readySave(const brShatter* shatter, const char* path)
{
	brAssembly* assembly = brCreateAssembly(NULL);
	brReport report = {0};
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		brMesh* mesh = NULL;
		CHECK_RESULT(brCopyMesh(NULL, shatter->pieces[i].mesh, &mesh, &report), &report);
		brDVec3 center = shatter->pieces[i].mass.center;
		brAffine back = brMakeAffineIdentity();
		back.p = brDNeg(center);
		brMesh_Transform(mesh, &back);
		brPart part = brDefaultPart();
		part.mesh = brAssembly_AddMesh(assembly, mesh);
		part.placement.p = center;
		char name[32];
		snprintf(name, sizeof(name), "piece %d", i);
		brAssembly_AddPart(assembly, name, &part);
	}
	CHECK_RESULT(brSaveAssembly(NULL, assembly, path, NULL, &report), &report);
	brDestroyAssembly(assembly);
}

static void readyCheckSame(const brShatter* cut, const brShatter* read)
{
	CHECK_EQUAL(read->pieceCount, cut->pieceCount);
	CHECK_EQUAL(read->bondCount, cut->bondCount);
	CHECK_NEAR(read->volumeOut, cut->volumeOut, 1e-5 * cut->volumeOut);
	for (int32_t k = 0; k < cut->bondCount && k < read->bondCount; ++k)
	{
		const brBond *a = &cut->bonds[k], *b = &read->bonds[k];
		CHECK(a->pieces[0] == b->pieces[0] && a->pieces[1] == b->pieces[1]);
		CHECK_NEAR(b->area, a->area, 1e-4 * a->area + 1e-7);
		CHECK(brDDot(a->normal, b->normal) > 0.999);
	}
}

BR_TEST(ready_pieces_of_a_file_are_those_that_were_cut)
{
	brMesh* models[] = {brShape_Box(1.0, 0.8, 3.0), brShape_Torus(32, 16, 1.0, 0.35), brShape_LPrism()};
	for (int32_t m = 0; m < 3; ++m)
	{
		brDVec3 sites[READY_SITES];
		int32_t siteCount;
		brShatter* cut = readyCut(models[m], sites, &siteCount);
		const char* path = brTest_ScratchPath("ready.glb");
		readySave(cut, path);
		brReport report = {0};
		brMesh* file = BR_MADE(brMesh, brLoadMesh, NULL, path);
		brShatter* read = BR_MADE(brShatter, brCreateShatterOfGroups, NULL, file, 1000.0);
		readyCheckSame(cut, read);
		brMesh* whole = BR_MADE(brMesh, brShatter_Join, read, NULL);
		brMeshCheck check;
		CHECK_RESULT(brMesh_Check(whole, NULL, NULL, &check, &report), &report);
		CHECK_MESSAGE(check.isSolid, "%s", check.verdict);
		CHECK_EQUAL(check.components, 1);
		CHECK_NEAR(check.volume, cut->volumeIn, 1e-5 * cut->volumeIn);
		brDestroyMesh(whole);
		brDestroyMesh(file);
		brDestroyShatter(read);
		brDestroyShatter(cut);
		brDestroyMesh(models[m]);
	}
}

BR_TEST(ready_pieces_make_the_cluster_that_a_cut_makes)
{
	brMesh* mesh = brShape_Box(1.0, 0.1, 0.8);
	brDVec3 sites[READY_SITES];
	int32_t siteCount;
	brShatter* cut = readyCut(mesh, sites, &siteCount);
	// The small model lies by the first of its farthest corners: both rounds number them alike.
	brMesh* whole = BR_MADE(brMesh, brShatter_Join, cut, NULL);
	int32_t bodies[2];
	for (int32_t round = 0; round < 2; ++round)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brScene_Ground(world);
		brClusterDef def = brDefaultClusterDef();
		def.breaking.material = *brFindMaterial("plaster");
		def.breaking.mesh = round == 0 ? whole : NULL;
		def.sites = round == 0 ? sites : NULL, def.siteCount = siteCount;
		def.pieces = round == 0 ? NULL : cut;
		brBodyDef body = brDefaultBodyDef();
		body.pose.p.z = 3.0;
		brReport report = {0};
		brBodyId id = brWorld_CreateCluster(world, &body, &def, &report);
		CHECK_MESSAGE(id.index1 != 0, "%s", report.text);
		CHECK_EQUAL(brWorld_GetClusterPieceCount(world, id), cut->pieceCount);
		CHECK_EQUAL(brWorld_GetClusterBondCount(world, id), cut->bondCount);
		// Up to its first break: what its parts do to each other after that depends on the last bits of the pieces.
		for (int32_t i = 0; i < 60 && brWorld_GetBodyCount(world) == 2; ++i)
		{
			brScene_Run(world, 1);
		}
		bodies[round] = brWorld_GetBodyCount(world);
		brDestroyWorld(world);
	}
	CHECK_EQUAL(bodies[0], bodies[1]);
	CHECK(bodies[0] > 2);
	brDestroyMesh(whole);
	brDestroyShatter(cut);
	brDestroyMesh(mesh);
}

BR_TEST(ready_pieces_refuse_what_is_no_piece)
{
	brMesh* box = brShape_Box(1.0, 1.0, 1.0);
	brReport report = {0};
	brShatter* shatter = NULL;
	CHECK_EQUAL(brCreateShatterOfGroups(NULL, box, 1.0, &shatter, &report), br_errorGeometry);
	CHECK(strstr(report.text, "no groups") != NULL);
	CHECK_EQUAL(brCreateShatterOfGroups(NULL, NULL, 1.0, &shatter, &report), br_errorMisuse);
	CHECK_EQUAL(brCreateShatterOfGroups(NULL, box, NAN, &shatter, &report), br_errorMisuse);
	// Half of the faces in each of two groups: neither is closed.
	brMeshDef def = brDefaultMeshDef();
	int32_t groups[64];
	static const char names[2][64] = {"low", "high"};
	for (int32_t f = 0; f < box->faceCount && f < 64; ++f)
	{
		groups[f] = f % 2;
	}
	def.vertexCount = box->vertexCount, def.faceCount = box->faceCount, def.positions = box->positions;
	def.faceStarts = box->faceStarts, def.corners = box->corners;
	def.groupCount = 2, def.groupNames = names, def.faceGroups = groups;
	brMesh* halves = BR_MADE(brMesh, brCreateMesh, NULL, &def);
	CHECK_EQUAL(brCreateShatterOfGroups(NULL, halves, 1.0, &shatter, &report), br_errorGeometry);
	CHECK_MESSAGE(strstr(report.text, "no closed solid") != NULL, "%s", report.text);
	CHECK(shatter == NULL);
	brDestroyMesh(halves);
	brDestroyMesh(box);
}
