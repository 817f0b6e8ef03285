// SPDX-License-Identifier: MIT

// Where a model breaks: sites for Voronoi cells, spread by a pattern.
//
// Patterns that fill the model draw candidates in batches and keep those that the surface wraps, by exact crossings,
// and the density likes. Each batch has a stream of its own. A model that hardly fills its box may not yield enough
// within the batches we allow; what is found is used, and if nothing is, the middle of the box.

#include "brittle/shatter.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/random.h"
#include "base/report.h"
#include "brittle/volume.h"
#include "math/rotation.h"

#define SITES_BATCH 4096
#define SITES_MAX_BATCHES 256
#define SITES_MOST 10000000

brSiteDef brDefaultSiteDef(void)
{
	brSiteDef def = {0};
	def.count = 100;
	def.strength = 0.8;
	def.axis = brMakeDVec3(0.0, 0.0, 1.0);
	def.jitter = 0.5;
	def.stamp = BR_STAMP(def);
	return def;
}

typedef struct SiteMaker
{
	const brContext* context;
	const brSiteDef* def;
	const brMesh* mesh;
	brDBox3 box;
	double size; // longest side of the box
	double radius;
	brDVec3 axis, u, v; // orthonormal
	brSurfaceTree* tree;
	brDVec3* out;
	int32_t count;
} SiteMaker;

static brDVec3 sitesInBox(const SiteMaker* maker, brRandom* random)
{
	brDVec3 p;
	p.x = brRandom_Range(random, maker->box.lower.x, maker->box.upper.x);
	p.y = brRandom_Range(random, maker->box.lower.y, maker->box.upper.y);
	p.z = brRandom_Range(random, maker->box.lower.z, maker->box.upper.z);
	return p;
}

// In a cluster the distance is r v / (1 - v): half within r, a tenth beyond nine r.
static brDVec3 sitesInCluster(const SiteMaker* maker, brRandom* random)
{
	double v = brRandom_Unit(random);
	return brDMulAdd(maker->def->at, maker->radius * v / (1.0 - v), brRandomDirection(random));
}

static double sitesDensity(const SiteMaker* maker, brDVec3 p)
{
	const brSiteDef* def = maker->def;
	if (def->density != NULL)
	{
		return def->density(p, def->densityUser);
	}
	// The image lies across the largest part of the axis: x is its columns unless x is the axis, then y.
	double ax = fabs(def->axis.x), ay = fabs(def->axis.y), az = fabs(def->axis.z);
	brDVec3 extent = brDSub(maker->box.upper, maker->box.lower);
	brDVec3 q = brDSub(p, maker->box.lower);
	double s = ax > ay && ax > az ? q.y / extent.y : q.x / extent.x;
	double t = az >= ax && az >= ay ? q.y / extent.y : q.z / extent.z;
	int32_t column = (int32_t)(s * def->imageWidth), row = (int32_t)(t * def->imageHeight);
	column = column < 0 ? 0 : column >= def->imageWidth ? def->imageWidth - 1 : column;
	row = row < 0 ? 0 : row >= def->imageHeight ? def->imageHeight - 1 : row;
	return def->image[(int64_t)row * def->imageWidth + column];
}

static brDVec3 sitesCandidate(const SiteMaker* maker, brRandom* random)
{
	bool isClustered = maker->def->pattern == br_sitesClustered && brRandom_Unit(random) < maker->def->strength;
	return isClustered ? sitesInCluster(maker, random) : sitesInBox(maker, random);
}

// Uniform, clustered and density: inside the model only.
static brResult sitesFill(SiteMaker* maker, brReport* report)
{
	brAllocator allocator = brContext_Allocator(maker->context);
	brDVec3* points = BR_ALLOC(&allocator, brDVec3, SITES_BATCH);
	int32_t* crossings = BR_ALLOC(&allocator, int32_t, SITES_BATCH);
	brResult result = points == NULL || crossings == NULL ? brFailMemory(report) : br_success;
	for (int32_t batch = 0; result >= 0 && batch < SITES_MAX_BATCHES + maker->def->count / 64; ++batch)
	{
		if (maker->count == maker->def->count)
		{
			break;
		}
		if (brIsCanceled(maker->context, (double)maker->count / maker->def->count))
		{
			result = brFail(report, br_errorCanceled, "canceled");
			break;
		}
		brRandom random = brMakeRandom(maker->def->seed, (uint64_t)batch);
		int32_t count = 0;
		for (int32_t i = 0; i < SITES_BATCH; ++i)
		{
			brDVec3 p = sitesCandidate(maker, &random);
			double chance = brRandom_Unit(&random);
			if (maker->def->pattern != br_sitesDensity || chance < sitesDensity(maker, p))
			{
				points[count++] = p;
			}
		}
		brSurfaceTree_CountCrossings(maker->tree, maker->context, points, count, crossings);
		for (int32_t i = 0; i < count && maker->count < maker->def->count; ++i)
		{
			if (crossings[i] != 0)
			{
				maker->out[maker->count++] = points[i];
			}
		}
	}
	BR_FREE(&allocator, points, SITES_BATCH);
	BR_FREE(&allocator, crossings, SITES_BATCH);
	return result;
}

static void sitesPush(SiteMaker* maker, brDVec3 p)
{
	bool isInside = p.x >= maker->box.lower.x && p.x <= maker->box.upper.x && p.y >= maker->box.lower.y &&
					p.y <= maker->box.upper.y && p.z >= maker->box.lower.z && p.z <= maker->box.upper.z;
	if (isInside && maker->count < maker->def->count)
	{
		maker->out[maker->count++] = p;
	}
}

// Rings that grow wider outward, every other one turned by half a spoke; a core of one site.
static void sitesRadial(SiteMaker* maker)
{
	const brSiteDef* def = maker->def;
	int32_t spokes = def->spokes > 0 ? def->spokes : (int32_t)ceil(sqrt(2.0 * def->count));
	spokes = spokes < 3 ? 3 : spokes;
	int32_t rings = def->count / spokes + 1;
	brRandom random = brMakeRandom(def->seed, 0);
	// All at the depth of the middle of the box, so that cuts go straight through a pane hit on its face.
	brDVec3 middle = brDLerp(maker->box.lower, maker->box.upper, 0.5);
	brDVec3 center = brDMulAdd(def->at, brDDot(brDSub(middle, def->at), maker->axis), maker->axis);
	sitesPush(maker, center);
	for (int32_t ring = 1; ring <= rings; ++ring)
	{
		for (int32_t spoke = 0; spoke < spokes; ++spoke)
		{
			double wobble = def->jitter * (brRandom_Unit(&random) - 0.5);
			double angle = 2.0 * BR_PI * (spoke + 0.5 * (ring % 2) + wobble) / spokes;
			double t = (ring + 0.7 * def->jitter * (brRandom_Unit(&random) - 0.5)) / rings;
			double r = maker->radius * t * sqrt(t);
			brDVec3 p = brDMulAdd(brDMulAdd(center, r * brCos(angle), maker->u), r * brSin(angle), maker->v);
			sitesPush(maker, p);
		}
	}
}

static void sitesGrid(SiteMaker* maker)
{
	const brSiteDef* def = maker->def;
	double extent[3] = {maker->box.upper.x - maker->box.lower.x, maker->box.upper.y - maker->box.lower.y,
						maker->box.upper.z - maker->box.lower.z};
	// The largest number of cubes along the longest side for which the whole grid stays within the count.
	int32_t counts[3] = {1, 1, 1};
	for (int32_t longest = 1; longest <= def->count; ++longest)
	{
		int32_t tried[3];
		double total = 1.0;
		for (int32_t axis = 0; axis < 3; ++axis)
		{
			tried[axis] = (int32_t)fmax(1.0, floor(extent[axis] / maker->size * longest + 0.5));
			total *= tried[axis];
		}
		if (total > def->count)
		{
			break;
		}
		counts[0] = tried[0], counts[1] = tried[1], counts[2] = tried[2];
	}
	brRandom random = brMakeRandom(def->seed, 0);
	for (int32_t z = 0; z < counts[2]; ++z)
	{
		for (int32_t y = 0; y < counts[1]; ++y)
		{
			for (int32_t x = 0; x < counts[0]; ++x)
			{
				double wx = def->jitter * (brRandom_Unit(&random) - 0.5);
				double wy = def->jitter * (brRandom_Unit(&random) - 0.5);
				double wz = def->jitter * (brRandom_Unit(&random) - 0.5);
				brDVec3 p = {maker->box.lower.x + extent[0] * (x + 0.5 + wx) / counts[0],
							 maker->box.lower.y + extent[1] * (y + 0.5 + wy) / counts[1],
							 maker->box.lower.z + extent[2] * (z + 0.5 + wz) / counts[2]};
				sitesPush(maker, p);
			}
		}
	}
}

// A row through the middle of the box. Sites off the row tilt the cuts between them.
static void sitesSlices(SiteMaker* maker)
{
	const brSiteDef* def = maker->def;
	brDVec3 middle = brDLerp(maker->box.lower, maker->box.upper, 0.5);
	brDVec3 half = brDMul(0.5, brDSub(maker->box.upper, maker->box.lower));
	double reach = fabs(maker->axis.x) * half.x + fabs(maker->axis.y) * half.y + fabs(maker->axis.z) * half.z;
	double gap = 2.0 * reach / def->count;
	brRandom random = brMakeRandom(def->seed, 0);
	for (int32_t i = 0; i < def->count; ++i)
	{
		double along = -reach + gap * (i + 0.5 + 0.5 * def->jitter * (brRandom_Unit(&random) - 0.5));
		double side = 0.5 * def->jitter * gap * brRandom_Range(&random, -1.0, 1.0);
		double lift = 0.5 * def->jitter * gap * brRandom_Range(&random, -1.0, 1.0);
		brDVec3 p = brDMulAdd(middle, along, maker->axis);
		sitesPush(maker, brDMulAdd(brDMulAdd(p, side, maker->u), lift, maker->v));
	}
}

static brResult sitesRefuse(const brSiteDef* def, brReport* report)
{
	if (def->stamp != BR_STAMP(*def))
	{
		return brFail(report, br_errorMisuse, "start a brSiteDef from brDefaultSiteDef()");
	}
	if (def->count < 1 || def->count > SITES_MOST)
	{
		return brFail(report, br_errorMisuse, "%d sites asked for, possible are 1 to %d", def->count, SITES_MOST);
	}
	if (!brDIsFinite(def->at) || !brDIsFinite(def->axis) || brDLengthSq(brDNormalize(def->axis)) < 0.5)
	{
		return brFail(report, br_errorMisuse, "the impact or the axis of the sites is not finite, or the axis is zero");
	}
	if (!(def->radius >= 0.0 && def->radius < INFINITY && def->strength >= 0.0 && def->strength <= 1.0 &&
		  def->jitter >= 0.0 && def->jitter <= 1.0) ||
		def->spokes < 0)
	{
		return brFail(
			report, br_errorMisuse,
			"sites have a radius and spokes of 0 or more, strength and jitter from 0 to 1, not %g, %d, %g and %g",
			def->radius, def->spokes, def->strength, def->jitter);
	}
	if (def->pattern < br_sitesUniform || def->pattern > br_sitesDensity || def->pattern == br_sitesImpact)
	{
		return brFail(report, br_errorMisuse, "there is no site pattern %d", (int)def->pattern);
	}
	if (def->pattern == br_sitesDensity && def->density == NULL &&
		(def->image == NULL || def->imageWidth < 1 || def->imageHeight < 1))
	{
		return brFail(report, br_errorMisuse, "sites by density need a function or an image");
	}
	return br_success;
}

brResult brMakeSites(const brContext* context, const brMesh* mesh, const brSiteDef* def, brDVec3* outSites,
					 int32_t* outCount, brReport* report)
{
	if (mesh == NULL || def == NULL || outSites == NULL || outCount == NULL)
	{
		return brFail(report, br_errorMisuse, "brMakeSites needs mesh, def, outSites and outCount");
	}
	if (mesh->faceCount == 0)
	{
		return brFail(report, br_errorGeometry, "the mesh has no faces");
	}
	brResult result = sitesRefuse(def, report);
	if (result < 0)
	{
		return result;
	}
	SiteMaker maker = {
		.context = context, .def = def, .mesh = mesh, .out = outSites, .box = brMesh_ComputeBounds(mesh)};
	result = brCreateSurfaceTree(context, mesh, &maker.tree, report);
	if (result < 0)
	{
		return result;
	}
	if (!brSurfaceTree_IsClosed(maker.tree))
	{
		brDestroySurfaceTree(maker.tree);
		return brFail(report, br_errorGeometry, "the surface is open: it has no inside to put sites into");
	}
	if (brSurfaceTree_GetVolume(maker.tree) == 0.0)
	{
		brDestroySurfaceTree(maker.tree);
		return brFail(report, br_errorGeometry, "the surface is flat and encloses no volume");
	}
	brDVec3 extent = brDSub(maker.box.upper, maker.box.lower);
	maker.size = fmax(extent.x, fmax(extent.y, extent.z));
	maker.radius = def->radius > 0.0                ? def->radius
				   : def->pattern == br_sitesRadial ? 0.75 * brDLength(extent)
													: 0.15 * maker.size;
	maker.axis = brDNormalize(def->axis);
	brDVec3 other = fabs(maker.axis.z) < 0.9 ? brMakeDVec3(0.0, 0.0, 1.0) : brMakeDVec3(1.0, 0.0, 0.0);
	maker.u = brDNormalize(brDCross(other, maker.axis));
	maker.v = brDCross(maker.axis, maker.u);
	switch (def->pattern)
	{
		case br_sitesRadial:
			sitesRadial(&maker);
			break;
		case br_sitesGrid:
			sitesGrid(&maker);
			break;
		case br_sitesSlices:
			sitesSlices(&maker);
			break;
		default:
			result = sitesFill(&maker, report);
			break;
	}
	brDestroySurfaceTree(maker.tree);
	if (result < 0)
	{
		return result;
	}
	if (maker.count == 0)
	{
		// Too thin to be hit, or all sites beside the model: one site, so that there is one piece.
		outSites[maker.count++] = brDLerp(maker.box.lower, maker.box.upper, 0.5);
	}
	*outCount = maker.count;
	return brSucceed(report);
}
