// SPDX-License-Identifier: MIT

// Sites of each pattern: as many as asked or fewer, where the pattern says, the same for the same seed.

#include "brittle/shatter.h"
#include "brittle/volume.h"
#include "harness.h"
#include "shapes.h"

#include <string.h>

#define SITES 400

static double leftHalf(brDVec3 p, void* user)
{
	(void)user;
	return p.x < 0.0 ? 1.0 : 0.0;
}

static int32_t makeSitesOf(const brMesh* mesh, const brSiteDef* def, brDVec3* sites)
{
	brReport report = {0};
	int32_t count = -1;
	CHECK_RESULT(brMakeSites(NULL, mesh, def, sites, &count, &report), &report);
	CHECK(count >= 1 && count <= def->count);
	return count;
}

BR_TEST(sites_of_filling_patterns_lie_inside)
{
	brMesh* torus = brShape_Torus(32, 16, 1.0, 0.3);
	brDVec3 sites[SITES];
	for (brSitePattern pattern = br_sitesUniform; pattern <= br_sitesDensity; ++pattern)
	{
		if (pattern >= br_sitesRadial && pattern <= br_sitesImpact)
		{
			continue;
		}
		brSiteDef def = brDefaultSiteDef();
		def.pattern = pattern, def.count = SITES, def.seed = test->seed;
		def.at = brMakeDVec3(1.0, 0.0, 0.0), def.radius = 0.2, def.density = leftHalf;
		CHECK_EQUAL(makeSitesOf(torus, &def, sites), SITES);
		int32_t near = 0;
		for (int32_t i = 0; i < SITES; ++i)
		{
			double ring = sqrt(sites[i].x * sites[i].x + sites[i].y * sites[i].y) - 1.0;
			CHECK(ring * ring + sites[i].z * sites[i].z < 0.31 * 0.31); // flat facets bulge a little on the inner side
			CHECK(pattern != br_sitesDensity || sites[i].x < 0.0);
			near += brDDistance(sites[i], def.at) < 0.3;
		}
		// A uniform spread has about 5 in a hundred there.
		CHECK(pattern == br_sitesClustered ? near > SITES / 3 : near < SITES / 8);
	}
	brDestroyMesh(torus);
}

BR_TEST(sites_of_regular_patterns_are_where_they_should)
{
	brMesh* box = brShape_Box(4.0, 2.0, 1.0);
	brDVec3 sites[SITES];
	brSiteDef def = brDefaultSiteDef();
	def.count = 64, def.jitter = 0.0;
	def.pattern = br_sitesGrid;
	CHECK_EQUAL(makeSitesOf(box, &def, sites), 64); // 8 x 4 x 2
	CHECK(sites[0].x == 0.25 && sites[0].y == 0.25 && sites[0].z == 0.25);
	CHECK(sites[63].x == 3.75 && sites[63].y == 1.75 && sites[63].z == 0.75);

	def.pattern = br_sitesSlices, def.axis = brMakeDVec3(2.0, 0.0, 0.0), def.count = 4;
	CHECK_EQUAL(makeSitesOf(box, &def, sites), 4);
	for (int32_t i = 0; i < 4; ++i)
	{
		CHECK_NEAR(sites[i].x, i + 0.5, 1e-12);
		CHECK_NEAR(sites[i].y, 1.0, 1e-12);
	}
	// Wild slices keep their order along the row and stay within half a gap of it.
	def.jitter = 1.0, def.count = 40;
	CHECK_EQUAL(makeSitesOf(box, &def, sites), 40);
	double gap = 4.0 / 40, widest = 0.0;
	for (int32_t i = 0; i < 40; ++i)
	{
		double side = fabs(sites[i].y - 1.0), lift = fabs(sites[i].z - 0.5);
		CHECK(fabs(sites[i].x - gap * (i + 0.5)) <= 0.25 * gap + 1e-12);
		CHECK(side <= 0.5 * gap + 1e-12 && lift <= 0.5 * gap + 1e-12);
		widest = side > widest ? side : widest;
	}
	CHECK(widest > 0.25 * gap);
	def.jitter = 0.0;

	def.pattern = br_sitesRadial, def.axis = brMakeDVec3(0.0, 0.0, 1.0), def.count = 61, def.spokes = 6;
	def.at = brMakeDVec3(2.0, 1.0, 1.0), def.radius = 0.9;
	int32_t count = makeSitesOf(box, &def, sites);
	CHECK_EQUAL(count, 61);
	for (int32_t i = 0; i < count; ++i)
	{
		CHECK_NEAR(sites[i].z, 0.5, 1e-12);
		CHECK(brDDistance(sites[i], brMakeDVec3(2.0, 1.0, 0.5)) < 0.9 + 1e-12);
	}

	const float image[4] = {0.0f, 0.0f, 1.0f, 0.0f}; // upper left of the plan
	def.pattern = br_sitesDensity, def.image = image, def.imageWidth = def.imageHeight = 2, def.count = 50;
	CHECK_EQUAL(makeSitesOf(box, &def, sites), 50);
	for (int32_t i = 0; i < 50; ++i)
	{
		CHECK(sites[i].x <= 2.0 && sites[i].y >= 1.0);
	}
	brDestroyMesh(box);
}

BR_TEST(sites_follow_the_seed)
{
	brMesh* sphere = brShape_Sphere(3);
	brDVec3 a[SITES], b[SITES];
	for (brSitePattern pattern = br_sitesUniform; pattern <= br_sitesSlices; ++pattern)
	{
		brSiteDef def = brDefaultSiteDef();
		def.pattern = pattern, def.count = 100, def.seed = 5;
		int32_t count = makeSitesOf(sphere, &def, a);
		CHECK_EQUAL(makeSitesOf(sphere, &def, b), count);
		CHECK(memcmp(a, b, (size_t)count * sizeof(brDVec3)) == 0);
		def.seed = 6;
		int32_t other = makeSitesOf(sphere, &def, b);
		CHECK(other != count || memcmp(a, b, (size_t)count * sizeof(brDVec3)) != 0);
	}
	brDestroyMesh(sphere);
}

BR_TEST(sites_refuse_bad_calls)
{
	brMesh* box = brShape_Box(1.0, 1.0, 1.0);
	brDVec3 site;
	int32_t count = -7;
	brReport report = {0};
	brSiteDef good = brDefaultSiteDef();
	good.count = 1;
	brSiteDef defs[6] = {good, good, good, good, good, good};
	defs[0].stamp = 0, defs[1].count = 0, defs[2].axis = brMakeDVec3(0, 0, 0), defs[3].jitter = NAN;
	defs[4].pattern = br_sitesDensity, defs[5].at.x = INFINITY;
	for (int32_t i = 0; i < 6; ++i)
	{
		CHECK_EQUAL(brMakeSites(NULL, box, &defs[i], &site, &count, &report), br_errorMisuse);
		CHECK(count == -7 && report.text[0] != 0);
	}
	--box->faceCount;
	box->cornerCount -= 4;
	CHECK_EQUAL(brMakeSites(NULL, box, &good, &site, &count, &report), br_errorGeometry);
	++box->faceCount;
	box->cornerCount += 4;
	brDestroyMesh(box);
}

static brResult walkSites(const brContext* context, void* user)
{
	brDVec3 sites[20];
	int32_t count;
	brSiteDef def = brDefaultSiteDef();
	def.count = 20;
	return brMakeSites(context, user, &def, sites, &count, NULL);
}

BR_TEST(sites_survive_failed_allocations)
{
	brMesh* box = brShape_Box(1.0, 1.0, 1.0);
	CHECK(brTest_WalkSpareAllocations(walkSites, box) > 2);
	brDestroyMesh(box);
}

BR_TEST(sites_refuse_what_has_no_inside)
{
	const brDVec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
	const int32_t both[8] = {0, 1, 2, 3, 3, 2, 1, 0}, sizes[2] = {4, 4};
	brMesh* flat = brShape_Make(corners, 4, both, sizes, 2);
	brMesh* cloud = brShape_Make(corners, 4, NULL, NULL, 0);
	brSiteDef def = brDefaultSiteDef();
	def.count = 4;
	brDVec3 sites[4];
	int32_t count = 0;
	brReport report = {0};
	CHECK_EQUAL(brMakeSites(NULL, flat, &def, sites, &count, &report), br_errorGeometry);
	CHECK(strstr(report.text, "encloses no volume") != NULL);
	CHECK_EQUAL(brMakeSites(NULL, cloud, &def, sites, &count, &report), br_errorGeometry);
	CHECK(strstr(report.text, "no faces") != NULL);
	brDestroyMesh(flat);
	brDestroyMesh(cloud);
}
