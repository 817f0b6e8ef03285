// SPDX-License-Identifier: MIT

// One sample: what it is follows from the recipe's seed and its index; then the object is made, broken, and its pieces
// are laid into flat arrays.
//
//     seed, index -> object, material, method -> blow -> pieces (again if there are too few) -> arrays -> contacts, points

#include "dataset/sample.h"

#include "base/hash.h"
#include "brittle/crack.h"
#include "math/power.h"
#include "math/rotation.h"
#include "mesh/mesh_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_LOST 1e-12 // of the volume: more than rounding gives
#define SAMPLE_BLOWS 32   // more than the recipe allows, while crumbs are lost
#define SAMPLE_BENT 1e-13 // of the volume: less than rounding leaves between two ways to sum it

static const char* const sampleMethods[] = {"shatter", "crack", "drop", "shoot"};
static const char* const samplePatterns[] = {"uniform", "clustered", "radial", "grid", "slices", "impact"};

// Drawing

uint64_t brSampleJob_DrawSeed(brSampleJob* job)
{
	uint64_t high = brRandom_Next(&job->random);
	return (high << 32) | brRandom_Next(&job->random);
}

brDVec3 brSampleJob_DrawPoint(brSampleJob* job, brDVec3* outNormal)
{
	const brMesh* mesh = job->object;
	int32_t count = job->triangles->triangleCount, low = 0, high = count - 1;
	double at = brRandom_Unit(&job->random) * job->areas[count - 1];
	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;
		*(job->areas[middle] > at ? &high : &low) = job->areas[middle] > at ? middle : middle + 1;
	}
	const int32_t* corners = &job->triangles->corners[3 * low];
	brDVec3 a = mesh->positions[mesh->corners[corners[0]]], b = mesh->positions[mesh->corners[corners[1]]];
	brDVec3 c = mesh->positions[mesh->corners[corners[2]]];
	double root = sqrt(brRandom_Unit(&job->random)), v = brRandom_Unit(&job->random);
	*outNormal = brDNormalize(brDCross(brDSub(b, a), brDSub(c, a)));
	return brDAdd(brDMul(1.0 - root, a), brDAdd(brDMul(root * (1.0 - v), b), brDMul(root * v, c)));
}

brDVec3 brSampleJob_DrawDirection(brSampleJob* job, brDVec3 normal)
{
	double angle = brRecipeRange_Draw(job->method->angle, &job->random) * (BR_PI / 180.0);
	double turn = 2.0 * BR_PI * brRandom_Unit(&job->random);
	brDVec3 u = brDAcross(normal), v = brDCross(normal, u);
	brDVec3 side = brDAdd(brDMul(brCos(turn), u), brDMul(brSin(turn), v));
	return brDNormalize(brDAdd(brDMul(-brCos(angle), normal), brDMul(brSin(angle), side)));
}

brSurfaceMaterial brSampleJob_Interior(void)
{
	brSurfaceMaterial interior = brDefaultSurfaceMaterial();
	snprintf(interior.name, sizeof(interior.name), "%s", BR_SAMPLE_FRACTURE);
	return interior;
}

double brSample_BallRadius(double mass)
{
	return brPower(3.0 * mass / (4.0 * BR_PI * 7850.0), 1.0 / 3.0);
}

// Breaking

brResult brSampleJob_AddPiece(brSampleJob* job, brMesh* mesh, brTransform pose)
{
	const brAllocator* allocator = &job->sample->allocator;
	if (!BR_RESERVE(allocator, &job->meshes, 1) || !BR_RESERVE(allocator, &job->poses, 1) ||
		!BR_RESERVE(allocator, &job->masses, 1))
	{
		brDestroyMesh(mesh);
		return brFailMemory(job->report);
	}
	job->meshes.data[job->meshes.count++] = mesh;
	job->poses.data[job->poses.count++] = pose;
	job->masses.data[job->masses.count++] = brMesh_ComputeMass(mesh, job->sample->material.density);
	return br_success;
}

static void sampleDropPieces(brSampleJob* job)
{
	for (int32_t i = 0; i < job->meshes.count; ++i)
	{
		brDestroyMesh(job->meshes.data[i]);
	}
	job->meshes.count = job->poses.count = job->masses.count = 0;
}

static brResult sampleTakePieces(brSampleJob* job, brPiece* pieces, int32_t count)
{
	brResult result = br_success;
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		result = brSampleJob_AddPiece(job, pieces[i].mesh, brMakeTransformIdentity());
		pieces[i].mesh = NULL;
	}
	return result;
}

// Where the blow hits, and which way.
static void sampleAim(brSampleJob* job)
{
	brDVec3 normal;
	job->sample->blow.point = brSampleJob_DrawPoint(job, &normal);
	job->sample->blow.direction = brSampleJob_DrawDirection(job, normal);
}

static brResult sampleBlow(brSampleJob* job)
{
	brSample* sample = job->sample;
	sampleAim(job);
	sample->blow.energy = brRecipeRange_Draw(job->method->energy, &job->random);
	sample->blow.speed = brRecipeRange_Draw(job->method->speed, &job->random);
	brCascadeDef def = brDefaultCascadeDef();
	def.material = sample->material;
	def.at = sample->blow.point;
	def.direction = sample->blow.direction;
	def.energy = sample->blow.energy;
	def.speed = sample->blow.speed;
	def.pieces = brRecipeRange_DrawWhole(job->method->pieces, &job->random);
	def.seed = brSampleJob_DrawSeed(job);
	def.interior = brSampleJob_Interior();
	brShatter* shatter = NULL;
	brResult result = brCreateCascade(job->context, job->object, &def, &shatter, job->report);
	result = result < 0 ? result : sampleTakePieces(job, shatter->pieces, shatter->pieceCount);
	brDestroyShatter(shatter);
	return result;
}

static brResult sampleShatter(brSampleJob* job)
{
	brSample* sample = job->sample;
	int32_t choice = (int32_t)brRandom_Below(&job->random, (uint32_t)job->method->patternCount);
	brSitePattern pattern = (brSitePattern)job->method->patterns[choice];
	sample->pattern = samplePatterns[pattern];
	if (pattern == br_sitesImpact)
	{
		return sampleBlow(job);
	}
	brDVec3 normal;
	brSiteDef sites = brDefaultSiteDef();
	sites.pattern = pattern;
	sites.count = brRecipeRange_DrawWhole(job->method->pieces, &job->random);
	sites.at = brSampleJob_DrawPoint(job, &normal);
	sites.axis = pattern == br_sitesSlices ? brMakeDVec3(0.0, 0.0, 1.0) : normal;
	sites.seed = brSampleJob_DrawSeed(job);
	if (pattern == br_sitesClustered || pattern == br_sitesRadial)
	{
		sample->blow.point = sites.at;
		sample->blow.direction = brDNeg(normal);
	}
	brShatterDef def = brDefaultShatterDef();
	def.density = sample->material.density;
	def.roughness = brRecipeRange_Draw(job->method->roughness, &job->random) * sample->size;
	def.roughnessSeed = sites.seed;
	def.interior = brSampleJob_Interior();
	const brAllocator* allocator = &sample->allocator;
	brDVec3* points = BR_ALLOC(allocator, brDVec3, sites.count);
	brShatter* shatter = NULL;
	brResult result = points != NULL
						  ? brMakeSites(job->context, job->object, &sites, points, &def.siteCount, job->report)
						  : brFailMemory(job->report);
	def.sites = points;
	if (result >= 0)
	{
		result = job->hasDevice
					 ? brGpu_CreateShatter(job->recipe->gpu, job->context, job->object, &def, &shatter, job->report)
					 : brCreateShatter(job->context, job->object, &def, &shatter, job->report);
	}
	result = result < 0 ? result : sampleTakePieces(job, shatter->pieces, shatter->pieceCount);
	brDestroyShatter(shatter);
	BR_FREE(allocator, points, sites.count);
	return result;
}

static brResult sampleCrack(brSampleJob* job)
{
	brSample* sample = job->sample;
	sampleAim(job);
	sample->blow.speed = brRecipeRange_Draw(job->method->speed, &job->random);
	sample->blow.mass = brRecipeRange_Draw(job->method->mass, &job->random);
	sample->blow.energy = 0.5 * sample->blow.mass * sample->blow.speed * sample->blow.speed;
	brCrackDef def = brDefaultCrackDef();
	def.material = sample->material;
	def.tets = brRecipeRange_DrawWhole(job->method->tets, &job->random);
	def.hit = sample->blow.point;
	def.impulse = brDMul(sample->blow.mass * sample->blow.speed, sample->blow.direction);
	def.strikerRadius = brSample_BallRadius(sample->blow.mass);
	def.seed = brSampleJob_DrawSeed(job);
	def.interior = brSampleJob_Interior();
	def.device = job->hasDevice ? job->recipe->elastic : NULL;
	brCracks* cracks = NULL;
	brResult result = brCreateCracks(job->context, job->object, &def, &cracks, job->report);
	result = result < 0 ? result : sampleTakePieces(job, cracks->pieces, cracks->pieceCount);
	brDestroyCracks(cracks);
	return result;
}

static brResult sampleBreakOnce(brSampleJob* job)
{
	job->sample->blow = (brSampleBlow){0};
	switch (job->method->kind)
	{
		case br_recipeShatter:
			return sampleShatter(job);
		case br_recipeCrack:
			return sampleCrack(job);
		default:
			return brSampleJob_Play(job);
	}
}

// Cutters drop specks below a billionth of the volume; faces around such a hole have no counterpart.
static bool sampleIsWhole(const brSampleJob* job)
{
	double volume = 0.0;
	for (int32_t i = 0; i < job->meshes.count; ++i)
	{
		volume += job->masses.data[i].volume;
	}
	return fabs(volume - job->sample->volume) <= SAMPLE_LOST * job->sample->volume;
}

// Blows are drawn until there are enough pieces. The last that is allowed stands; those that lost crumbs do not count,
// for a sample with holes is none.
static brResult sampleBreak(brSampleJob* job)
{
	int32_t wholeBlows = 0;
	for (int32_t i = 0; i < job->recipe->mostAttempts + SAMPLE_BLOWS; ++i)
	{
		sampleDropPieces(job);
		job->sample->attempts = i + 1;
		brResult result = sampleBreakOnce(job);
		if (result < 0)
		{
			return result;
		}
		bool isWhole = sampleIsWhole(job);
		wholeBlows += isWhole;
		if (isWhole && (job->meshes.count >= job->recipe->fewestPieces || wholeBlows >= job->recipe->mostAttempts))
		{
			return br_success;
		}
	}
	return brFail(job->report, br_errorGeometry, "of %d blows each lost crumbs or broke too little",
				  (int)job->sample->attempts);
}

// Arrays

typedef struct SampleOrder
{
	double volume;
	int32_t piece;
} SampleOrder;

static int sampleCompareVolumes(const void* a, const void* b)
{
	const SampleOrder *x = a, *y = b;
	return x->volume != y->volume ? (x->volume > y->volume ? -1 : 1) : x->piece - y->piece;
}

static double sampleTriangleArea(const brSample* sample, int32_t triangle)
{
	const int32_t* t = sample->triangles[triangle];
	brDVec3 a = sample->vertices[t[0]];
	return 0.5 * brDLength(brDCross(brDSub(sample->vertices[t[1]], a), brDSub(sample->vertices[t[2]], a)));
}

static void sampleFillPiece(brSample* sample, brSamplePiece* piece, const brMesh* mesh,
							const brTriangulation* triangles)
{
	memcpy(sample->vertices + piece->firstVertex, mesh->positions, (size_t)mesh->vertexCount * sizeof(brDVec3));
	for (int32_t i = 0; i < triangles->triangleCount; ++i)
	{
		int32_t* out = sample->triangles[piece->firstTriangle + i];
		for (int32_t k = 0; k < 3; ++k)
		{
			out[k] = piece->firstVertex + mesh->corners[triangles->corners[3 * i + k]];
		}
		int32_t material = mesh->faceMaterials != NULL ? mesh->faceMaterials[triangles->faces[i]] : -1;
		bool isFracture = material >= 0 && strcmp(mesh->materials[material].name, BR_SAMPLE_FRACTURE) == 0;
		sample->isFracture[piece->firstTriangle + i] = isFracture;
		double area = sampleTriangleArea(sample, piece->firstTriangle + i);
		piece->area += area;
		piece->fractureArea += isFracture ? area : 0.0;
	}
}

// Pieces, largest first, with their masses.
static brResult samplePlacePieces(brSampleJob* job)
{
	brSample* sample = job->sample;
	int32_t count = job->meshes.count;
	const brAllocator* allocator = &sample->allocator;
	SampleOrder* order = BR_ALLOC(allocator, SampleOrder, count);
	sample->pieces = BR_ALLOC_ZERO(allocator, brSamplePiece, count);
	brTriangulation** triangles = BR_ALLOC_ZERO(allocator, brTriangulation*, count);
	sample->pieceCount = sample->pieces != NULL ? count : 0;
	brResult result =
		order != NULL && sample->pieces != NULL && triangles != NULL ? br_success : brFailMemory(job->report);
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		order[i] = (SampleOrder){job->masses.data[i].volume, i};
		result = brTriangulateMesh(job->context, job->meshes.data[i], &triangles[i], job->report);
	}
	int64_t vertexCount = 0, triangleCount = 0;
	if (result >= 0)
	{
		qsort(order, (size_t)count, sizeof(order[0]), sampleCompareVolumes);
	}
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		const brMesh* mesh = job->meshes.data[order[i].piece];
		brMassProperties mass = job->masses.data[order[i].piece];
		sample->pieces[i] = (brSamplePiece){.firstVertex = (int32_t)vertexCount,
											.vertexCount = mesh->vertexCount,
											.firstTriangle = (int32_t)triangleCount,
											.triangleCount = triangles[order[i].piece]->triangleCount,
											.volume = mass.volume,
											.mass = mass.mass,
											.center = mass.center,
											.pose = job->poses.data[order[i].piece]};
		vertexCount += mesh->vertexCount;
		triangleCount += triangles[order[i].piece]->triangleCount;
		result = vertexCount < INT32_MAX && triangleCount < INT32_MAX ? br_success : brFailMemory(job->report);
	}
	if (result >= 0)
	{
		sample->vertices = BR_ALLOC(allocator, brDVec3, vertexCount);
		sample->triangles = brAllocArray(allocator, triangleCount, sizeof(sample->triangles[0]));
		sample->isFracture = BR_ALLOC(allocator, uint8_t, triangleCount);
		sample->vertexCount = (int32_t)vertexCount;
		sample->triangleCount = (int32_t)triangleCount;
		bool isDone = sample->vertices != NULL && sample->triangles != NULL && sample->isFracture != NULL;
		result = isDone ? br_success : brFailMemory(job->report);
	}
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		sampleFillPiece(sample, &sample->pieces[i], job->meshes.data[order[i].piece], triangles[order[i].piece]);
	}
	for (int32_t i = 0; i < count && triangles != NULL; ++i)
	{
		brDestroyTriangulation(triangles[i]);
	}
	BR_FREE(allocator, triangles, count);
	BR_FREE(allocator, order, count);
	return result;
}

// Volume of the triangles, by pyramids from a corner. [m^3]
static double sampleTriangleVolume(const brMesh* mesh, const brTriangulation* triangles)
{
	double sum = 0.0;
	for (int32_t i = 0; i < triangles->triangleCount; ++i)
	{
		const int32_t* c = &triangles->corners[3 * i];
		brDVec3 o = mesh->positions[0], a = brDSub(mesh->positions[mesh->corners[c[0]]], o);
		brDVec3 b = brDSub(mesh->positions[mesh->corners[c[1]]], o);
		sum += brDDot(a, brDCross(b, brDSub(mesh->positions[mesh->corners[c[2]]], o)));
	}
	return sum / 6.0;
}

// Bent faces are cut as triangles and weighed as fans: an object that has some becomes triangles first, so that its
// pieces weigh what it does.
static brResult sampleUnbend(brSampleJob* job)
{
	const brMesh* mesh = job->object;
	const brTriangulation* triangles = job->triangles;
	double fans = brMesh_ComputeMass(mesh, 1.0).volume;
	if (fabs(sampleTriangleVolume(mesh, triangles) - fans) <= SAMPLE_BENT * fabs(fans))
	{
		return br_success;
	}
	brAllocator allocator = brContext_Allocator(job->context);
	brMesh bare = brMesh_Bare(mesh), *flat = brMakeTriangleMesh(&allocator, &bare, triangles);
	if (flat == NULL)
	{
		return brFailMemory(job->report);
	}
	brDestroyMesh(job->object);
	brDestroyTriangulation(job->triangles);
	job->object = flat;
	job->triangles = NULL;
	return brTriangulateMesh(job->context, flat, &job->triangles, job->report);
}

// The object, and its triangles with their areas.
static brResult sampleMakeObject(brSampleJob* job)
{
	brSample* sample = job->sample;
	brResult result =
		brRecipe_MakeObject(job->recipe, job->context, sample->object, &job->random, &job->object, job->report);
	result = result < 0 ? result : brTriangulateMesh(job->context, job->object, &job->triangles, job->report);
	result = result < 0 ? result : sampleUnbend(job);
	if (result < 0)
	{
		return result;
	}
	const brMesh* mesh = job->object;
	int32_t count = job->triangles->triangleCount;
	job->areas = BR_ALLOC(&sample->allocator, double, count);
	if (job->areas == NULL || count == 0)
	{
		return brFail(job->report, count == 0 ? br_errorGeometry : br_errorMemory, "%s has no surface",
					  sample->objectName);
	}
	double sum = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		const int32_t* c = &job->triangles->corners[3 * i];
		brDVec3 a = mesh->positions[mesh->corners[c[0]]], b = mesh->positions[mesh->corners[c[1]]];
		sum += 0.5 * brDLength(brDCross(brDSub(b, a), brDSub(mesh->positions[mesh->corners[c[2]]], a)));
		job->areas[i] = sum;
	}
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 extent = brDSub(box.upper, box.lower);
	sample->size = fmax(extent.x, fmax(extent.y, extent.z));
	sample->volume = brMesh_ComputeMass(mesh, 1.0).volume;
	return br_success;
}

// Objects come in turn, so that each has as many samples as any other; method and material are drawn.
static void sampleChoose(brSampleJob* job, int32_t index)
{
	const brRecipe* recipe = job->recipe;
	brSample* sample = job->sample;
	sample->index = index;
	sample->seed = brHash64(brHash64(recipe->seed + 1) + (uint64_t)index);
	job->random = brMakeRandom(sample->seed, 0);
	sample->object = index % recipe->objects.count;
	snprintf(sample->objectName, sizeof(sample->objectName), "%s", recipe->objects.data[sample->object].name);
	double weight = 0.0;
	for (int32_t i = 0; i < recipe->methodCount; ++i)
	{
		weight += recipe->methods[i].weight;
	}
	double at = brRandom_Unit(&job->random) * weight;
	int32_t method = 0;
	while (method + 1 < recipe->methodCount && at >= recipe->methods[method].weight)
	{
		at -= recipe->methods[method++].weight;
	}
	job->method = &recipe->methods[method];
	sample->method = sampleMethods[job->method->kind];
	sample->pattern = "";
	sample->material = recipe->materials[brRandom_Below(&job->random, (uint32_t)recipe->materialCount)];
}

static void sampleSumContacts(brSample* sample)
{
	for (int32_t i = 0; i < sample->contactCount; ++i)
	{
		sample->fractureArea += sample->contacts[i].area;
	}
	sample->fractureEnergy = sample->fractureArea * brMaterial_GetFractureEnergy(&sample->material);
}

brResult brRecipe_MakeSample(brRecipe* recipe, const brContext* context, int32_t index, brSample** outSample,
							 brReport* report)
{
	if (recipe == NULL || outSample == NULL || index < 0)
	{
		return brFail(report, br_errorMisuse,
					  "brRecipe_MakeSample needs a recipe, an index of 0 or more and a place for its answer");
	}
	brAllocator allocator = brContext_Allocator(context);
	brSample* sample = BR_ALLOC_ZERO(&allocator, brSample, 1);
	if (sample == NULL)
	{
		return brFailMemory(report);
	}
	sample->allocator = allocator;
	brReport inner = {0};
	brSampleJob job = {.recipe = recipe, .context = context, .report = &inner, .sample = sample};
	sampleChoose(&job, index);
	brResult result = sampleMakeObject(&job);
	if (result >= 0)
	{
		job.hasDevice = brRecipe_TakeDevice(recipe);
		result = sampleBreak(&job);
	}
	if (job.hasDevice)
	{
		brRecipe_GiveDevice(recipe);
	}
	result = result < 0 ? result : samplePlacePieces(&job);
	result = result < 0 ? result : brSample_FindContacts(sample, &inner);
	sample->pointsPerPiece = recipe->pointsPerPiece;
	brRandom pointRandom = brMakeRandom(sample->seed, 1);
	result = result < 0 ? result : brSample_DrawPoints(sample, &pointRandom, &inner);
	sampleDropPieces(&job);
	BR_FREE_ARRAY(&allocator, &job.meshes);
	BR_FREE_ARRAY(&allocator, &job.poses);
	BR_FREE_ARRAY(&allocator, &job.masses);
	if (job.areas != NULL)
	{
		BR_FREE(&allocator, job.areas, job.triangles->triangleCount);
	}
	brDestroyTriangulation(job.triangles);
	brDestroyMesh(job.object);
	if (result < 0)
	{
		brFail(report, result, "%s by %s: %s", sample->objectName, sample->method, inner.text);
		brDestroySample(sample);
		return result;
	}
	sampleSumContacts(sample);
	*outSample = sample;
	return brSucceed(report);
}

void brDestroySample(brSample* sample)
{
	if (sample == NULL)
	{
		return;
	}
	brAllocator allocator = sample->allocator;
	int64_t pointCount = (int64_t)sample->pieceCount * sample->pointsPerPiece;
	BR_FREE(&allocator, sample->pieces, sample->pieceCount);
	BR_FREE(&allocator, sample->vertices, sample->vertexCount);
	BR_FREE(&allocator, sample->triangles, sample->triangleCount);
	BR_FREE(&allocator, sample->isFracture, sample->triangleCount);
	BR_FREE(&allocator, sample->contacts, sample->contactCount);
	BR_FREE(&allocator, sample->points, pointCount);
	BR_FREE(&allocator, sample->pointIsFracture, pointCount);
	BR_FREE(&allocator, sample, 1);
}
