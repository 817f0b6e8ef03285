// SPDX-License-Identifier: MIT

// Random blows with default settings on built-in and public models: each ends in closed pieces or "does not break".
// `make campaign-crack` runs 500.

#include "brittle/brittle.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const campaignModels[] = {
	"models/3holes.off",      "models/armadillo-oded.obj", "models/armadillo-simplified.obj",
	"models/armadillo.obj",   "models/beast.obj",          "models/armadillo-verysimplified.obj",
	"models/spot.obj",        "models/cheburashka.obj",    "models/bunny-closed-oded.obj",
	"models/cow.obj",         "models/dragon-100k.obj",    "models/max-planck-decimated.obj",
	"models/fandisk.obj",     "models/elephant-igl.obj",   "models/fertility.off",
	"models/hand.off",        "models/homer.obj",          "models/horse-100k.obj",
	"models/knot1.off",       "models/nefertiti.obj",      "models/rocker-arm.obj",
	"models/screwdriver.off", "models/torus-oded.obj",
};

// A built-in model at its natural size, or a public one, a foot long.
static brMesh* campaignMesh(int32_t round, char* name, size_t nameSize)
{
	brMesh* mesh = NULL;
	brReport report = {0};
	int32_t publicCount = (int32_t)(sizeof(campaignModels) / sizeof(campaignModels[0]));
	const char* path = round % 2 == 1 ? brTest_DataPath(campaignModels[round / 2 % publicCount]) : NULL;
	if (path != NULL)
	{
		snprintf(name, nameSize, "%s", campaignModels[round / 2 % publicCount]);
		CHECK_RESULT(brLoadMesh(NULL, path, &mesh, &report), &report);
		brDBox3 box = brMesh_ComputeBounds(mesh);
		double scale = 0.5 / brDDistance(box.lower, box.upper);
		brAffine map = brMakeAffineIdentity();
		map.m.cx = brDMul(scale, map.m.cx), map.m.cy = brDMul(scale, map.m.cy), map.m.cz = brDMul(scale, map.m.cz);
		brMesh_Transform(mesh, &map);
		return mesh;
	}
	const brModelInfo* info = brGetModelInfo(round / 2 % brGetModelCount());
	snprintf(name, nameSize, "%s", info->name);
	brModelDef def = brDefaultModelDef(info->name);
	def.seed = (uint64_t)round;
	CHECK_RESULT(brMakeModel(NULL, &def, &mesh, &report), &report);
	return mesh;
}

static brCrackDef campaignBlow(brRandom* random, const brMesh* mesh)
{
	brCrackDef def = brDefaultCrackDef();
	def.material = *brGetMaterial((int32_t)brRandom_Below(random, (uint32_t)brGetMaterialCount()));
	def.seed = brRandom_Below(random, 1u << 30);
	def.hit = mesh->positions[brRandom_Below(random, (uint32_t)mesh->vertexCount)];
	brMassProperties mass = brMesh_ComputeMass(mesh, def.material.density);
	// Towards the middle, more or less, at 0.1 to 100 m/s, small speeds as often as large ones.
	double speed = 0.1;
	for (double left = brRandom_Range(random, 0.0, 10.0); left > 0.0; left -= 1.0)
	{
		speed *= left >= 1.0 ? 2.0 : 1.0 + left;
	}
	brDVec3 inward = brDSub(mass.center, def.hit);
	double length = brDLength(inward);
	brDVec3 aside = {brRandom_Range(random, -0.5, 0.5), brRandom_Range(random, -0.5, 0.5),
					 brRandom_Range(random, -0.5, 0.5)};
	inward = brDAdd(length > 0.0 ? brDMul(1.0 / length, inward) : brMakeDVec3(0.0, 0.0, -1.0), aside);
	def.impulse = brDMul(mass.mass * speed, brDNormalize(inward));
	return def;
}

static uint64_t campaignHash(const brCracks* cracks)
{
	uint64_t hash = 1469598103934665603u;
	for (int32_t i = 0; i < cracks->pieceCount; ++i)
	{
		const brMesh* mesh = cracks->pieces[i].mesh;
		const uint8_t* bytes = (const uint8_t*)mesh->positions;
		for (size_t k = 0; k < (size_t)mesh->vertexCount * sizeof(brDVec3); ++k)
		{
			hash = (hash ^ bytes[k]) * 1099511628211u;
		}
		hash = (hash ^ (uint64_t)mesh->faceCount) * 1099511628211u;
	}
	return hash;
}

static void campaignCheck(const brCracks* cracks, int32_t round, const char* name)
{
	const brCrackStats* stats = &cracks->stats;
	CHECK(cracks->pieceCount >= 1);
	CHECK_MESSAGE(fabs(stats->volumeOut - stats->volumeIn) <= 1e-9 * stats->volumeIn,
				  "round %d, %s: volumes add up to %.12g of %.12g", round, name, stats->volumeOut, stats->volumeIn);
	CHECK_MESSAGE(stats->residual < 1e-3, "round %d, %s: residual %.3g", round, name, stats->residual);
	for (int32_t i = 0; i < cracks->pieceCount; ++i)
	{
		brMeshCheck check;
		CHECK_RESULT(brMesh_Check(cracks->pieces[i].mesh, NULL, NULL, &check, NULL), NULL);
		CHECK_MESSAGE(check.isClosed && check.isOriented && check.boundaryEdges == 0,
					  "round %d, %s: piece %d of %d is not closed", round, name, i, cracks->pieceCount);
	}
}

BR_TEST(crack_campaign)
{
	int32_t rounds = brTest_Rounds(test, 3), broken = 0, embedded = 0, pieces = 0, judged = 0, crumbs = 0;
	bool isLong = test->intensity >= 10.0;
	for (int32_t round = 0; round < rounds; ++round)
	{
		// Each blow has numbers of its own, so that one can be run alone.
		brRandom random = brMakeRandom(test->seed, (uint64_t)round);
		char name[64];
		brMesh* mesh = campaignMesh((int32_t)brRandom_Below(&random, 1u << 20), name, sizeof(name));
		brCrackDef def = campaignBlow(&random, mesh);
		// Crumbs are what main cracks leave where they run beside each other; small pieces of what a blow has left are
		// meant.
		def.efficiency = round % 2 == 0 ? 0.0 : def.efficiency;
		uint64_t hashes[2] = {0, 0};
		for (int32_t workers = 1; workers <= (round % 4 == 0 ? 2 : 1); ++workers)
		{
			brContext context = {.workers = brTest_Workers(workers == 1 ? 2 : 3)};
			brCracks* cracks = NULL;
			brReport report = {0};
			brResult result = brCreateCracks(&context, mesh, &def, &cracks, &report);
			CHECK_MESSAGE(result >= 0, "round %d, %s of %s: %s", round, name, def.material.name, report.text);
			hashes[workers - 1] = campaignHash(cracks);
			if (workers == 1)
			{
				if (isLong)
				{
					printf("%d %s of %s: %d pieces by %d cracks, %.0f ms\n", round, name, def.material.name,
						   cracks->pieceCount, cracks->crackCount, 1e3 * cracks->stats.seconds);
					fflush(stdout);
				}
				campaignCheck(cracks, round, name);
				broken += cracks->pieceCount > 1 ? 1 : 0;
				embedded += cracks->stats.isEmbedded ? 1 : 0;
				pieces += cracks->stats.mainPieces;
				judged += def.efficiency == 0.0 ? cracks->pieceCount : 0;
				for (int32_t i = 0; i < cracks->pieceCount && def.efficiency == 0.0; ++i)
				{
					crumbs += cracks->pieces[i].mass.volume < 1e-4 * cracks->stats.volumeIn ? 1 : 0;
				}
			}
			else
			{
				CHECK_MESSAGE(hashes[0] == hashes[1], "round %d, %s: other bits for other workers", round, name);
			}
			brDestroyCracks(cracks);
			brDestroyWorkers(context.workers);
		}
		brDestroyMesh(mesh);
	}
	if (isLong)
	{
		printf("%d blows: %d broke, into %d pieces, %d of them crumbs; %d on walls thinner than the lattice\n", rounds,
			   broken, pieces - (rounds - broken), crumbs, embedded);
	}
	CHECK_MESSAGE(50 * crumbs <= judged, "%d of %d pieces are crumbs", crumbs, judged);
	CHECK(rounds < 20 || (broken > rounds / 4 && broken < rounds && embedded > 0));
}
