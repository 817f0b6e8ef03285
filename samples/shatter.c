// SPDX-License-Identifier: MIT

// Breaks a vase round an impact, prints its strongest bond and saves the pieces, one node each.
//
//     cc shatter.c $(pkg-config --cflags --libs --static brittle) -o shatter && ./shatter

#include "brittle/brittle.h"

#include <stdio.h>

#define PIECES 60

static brResult savePieces(brShatter* shatter, const char* path, brReport* report)
{
	brAssembly* assembly = brCreateAssembly(NULL);
	if (assembly == NULL)
	{
		return br_errorMemory;
	}
	brResult result = br_success;
	for (int32_t i = 0; i < shatter->pieceCount && result >= 0; ++i)
	{
		brPart part = brDefaultPart();
		part.mesh = brAssembly_AddMesh(assembly, shatter->pieces[i].mesh);
		if (part.mesh < 0)
		{
			result = br_errorMemory;
			break;
		}
		shatter->pieces[i].mesh = NULL; // the assembly owns it now
		char name[64];
		snprintf(name, sizeof(name), "shard_%d", i);
		result = brAssembly_AddPart(assembly, name, &part) < 0 ? br_errorMemory : result;
	}
	if (result >= 0)
	{
		result = brSaveAssembly(NULL, assembly, path, NULL, report);
	}
	brDestroyAssembly(assembly);
	return result;
}

int main(int argumentCount, char** arguments)
{
	const char* path = argumentCount > 1 ? arguments[1] : "shards.glb";
	brReport report = {0};
	brMesh* vase = NULL;
	brShatter* shatter = NULL;
	brModelDef model = brDefaultModelDef("vase");
	brResult result = brMakeModel(NULL, &model, &vase, &report);

	// Sites near where the vase is hit, fewer farther away.
	brDVec3 sites[PIECES];
	int32_t siteCount = 0;
	if (result >= 0)
	{
		brDBox3 box = brMesh_ComputeBounds(vase);
		brSiteDef def = brDefaultSiteDef();
		def.pattern = br_sitesClustered, def.count = PIECES, def.seed = 1;
		def.at = brMakeDVec3(box.upper.x, 0.0, 0.5 * box.upper.z);
		result = brMakeSites(NULL, vase, &def, sites, &siteCount, &report);
	}
	if (result >= 0)
	{
		brShatterDef def = brDefaultShatterDef();
		def.sites = sites, def.siteCount = siteCount, def.density = 2400.0;
		result = brCreateShatter(NULL, vase, &def, &shatter, &report);
	}
	if (result >= 0)
	{
		printf("%d pieces, %d bonds, volume %.6g -> %.6g m^3\n", shatter->pieceCount, shatter->bondCount,
			   shatter->volumeIn, shatter->volumeOut);
		const brBond* strongest = shatter->bonds;
		for (int32_t b = 1; b < shatter->bondCount; ++b)
		{
			strongest = shatter->bonds[b].area > strongest->area ? &shatter->bonds[b] : strongest;
		}
		printf("strongest bond: pieces %d and %d share %.2f cm^2\n", strongest->pieces[0], strongest->pieces[1],
			   1e4 * strongest->area);
		result = savePieces(shatter, path, &report);
	}
	if (result < 0)
	{
		fprintf(stderr, "%s\n", report.text);
	}
	brDestroyShatter(shatter);
	brDestroyMesh(vase);
	return result < 0;
}
