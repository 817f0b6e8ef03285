// SPDX-License-Identifier: MIT

// Built-in models are solids at every resolution and with every parameter in range.
//
// The checks here are a slow twin of the library's own: a sorted list of directed edges, vertex fans walked one by one,
// volumes by the divergence theorem about the origin.

#include "base/hash.h"
#include "brittle/check.h"
#include "brittle/models.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct SolidFacts
{
	double volume;
	double smallestFace; // area against the largest
	double worstNormal;  // least cosine between a corner's normal and its face's
	int32_t components;
	int32_t euler;
} SolidFacts;

typedef struct DirectedEdge
{
	int32_t from, to, face;
} DirectedEdge;

static int compareEdges(const void* a, const void* b)
{
	const DirectedEdge *x = a, *y = b;
	int32_t lowX = x->from < x->to ? x->from : x->to, highX = x->from < x->to ? x->to : x->from;
	int32_t lowY = y->from < y->to ? y->from : y->to, highY = y->from < y->to ? y->to : y->from;
	return lowX != lowY     ? (lowX < lowY ? -1 : 1)
		   : highX != highY ? (highX < highY ? -1 : 1)
							: (x->from > y->from) - (x->from < y->from);
}

static int32_t findRoot(int32_t* parents, int32_t v)
{
	while (parents[v] != v)
	{
		parents[v] = parents[parents[v]];
		v = parents[v];
	}
	return v;
}

static brDVec3 faceVector(const brMesh* mesh, int32_t f)
{
	brDVec3 sum = {0.0, 0.0, 0.0};
	const int32_t* c = mesh->corners + mesh->faceStarts[f];
	for (int32_t i = 1; i + 1 < brMesh_GetFaceSize(mesh, f); ++i)
	{
		sum = brDAdd(sum, brDCross(brDSub(mesh->positions[c[i]], mesh->positions[c[0]]),
								   brDSub(mesh->positions[c[i + 1]], mesh->positions[c[0]])));
	}
	return brDMul(0.5, sum);
}

// Fails the test unless the mesh is closed, oriented and manifold in edges and vertices, uses all its vertices, has
// area in every face, planar polygons, and finite UVs and unit normals that agree with their faces.
static SolidFacts checkSolid(const brMesh* mesh, const char* name)
{
	CHECK(mesh->vertexCount > 0 && mesh->faceCount > 0 && mesh->faceStarts[mesh->faceCount] == mesh->cornerCount);
	DirectedEdge* edges = malloc((size_t)mesh->cornerCount * sizeof(DirectedEdge));
	int32_t* parents = malloc((size_t)mesh->cornerCount * sizeof(int32_t));
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t start = mesh->faceStarts[f], size = brMesh_GetFaceSize(mesh, f);
		CHECK(size >= 3);
		for (int32_t i = 0; i < size; ++i)
		{
			int32_t from = mesh->corners[start + i], to = mesh->corners[start + (i + 1) % size];
			CHECK(from >= 0 && from < mesh->vertexCount);
			CHECK_MESSAGE(from != to, "%s: face %d repeats vertex %d", name, f, from);
			edges[start + i] = (DirectedEdge){from, to, f};
		}
	}
	// Every undirected edge exactly twice, once each way.
	qsort(edges, (size_t)mesh->cornerCount, sizeof(DirectedEdge), compareEdges);
	CHECK_MESSAGE(mesh->cornerCount % 2 == 0, "%s: an odd number of edge sides", name);
	for (int32_t e = 0; e < mesh->cornerCount; e += 2)
	{
		CHECK_MESSAGE(edges[e].from == edges[e + 1].to && edges[e].to == edges[e + 1].from,
					  "%s: edge %d-%d is open, shared by more than two faces or runs the same way twice", name,
					  edges[e].from, edges[e].to);
		CHECK_MESSAGE(e == 0 || compareEdges(&edges[e - 1], &edges[e]) != 0, "%s: edge %d-%d twice", name,
					  edges[e].from, edges[e].to);
		CHECK_MESSAGE(e == 0 || edges[e - 1].from != edges[e].to || edges[e - 1].to != edges[e].from,
					  "%s: edge %d-%d four times", name, edges[e].from, edges[e].to);
	}
	SolidFacts facts = {.smallestFace = INFINITY,
						.worstNormal = 1.0,
						.euler = mesh->vertexCount - mesh->cornerCount / 2 + mesh->faceCount};

	// Components of faces over edges, and corners of one vertex joined over edges: each vertex has one fan.
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		parents[f] = f;
	}
	for (int32_t e = 0; e < mesh->cornerCount; e += 2)
	{
		parents[findRoot(parents, edges[e].face)] = findRoot(parents, edges[e + 1].face);
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		facts.components += findRoot(parents, f) == f;
	}
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		parents[c] = c;
	}
	for (int32_t e = 0; e < mesh->cornerCount; e += 2)
	{
		for (int32_t side = 0; side < 2; ++side)
		{
			int32_t vertex = side == 0 ? edges[e].from : edges[e].to, corners[2] = {-1, -1};
			for (int32_t k = 0; k < 2; ++k)
			{
				int32_t f = edges[e + k].face;
				for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
				{
					corners[k] = mesh->corners[c] == vertex ? c : corners[k];
				}
			}
			parents[findRoot(parents, corners[0])] = findRoot(parents, corners[1]);
		}
	}
	int32_t fans = 0;
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		fans += findRoot(parents, c) == c;
	}
	CHECK_MESSAGE(fans == mesh->vertexCount, "%s: %d fans for %d vertices", name, fans, mesh->vertexCount);
	free(edges);
	free(parents);

	double largest = 0.0;
	brDVec3 center = mesh->positions[0];
	CHECK(mesh->uvs != NULL && mesh->normals != NULL && mesh->faceMaterials != NULL && mesh->materialCount == 1);
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		brDVec3 area = faceVector(mesh, f), normal = brDNormalize(area);
		double size = brDLength(area);
		CHECK_MESSAGE(size > 0.0, "%s: face %d has no area", name, f);
		facts.smallestFace = size < facts.smallestFace ? size : facts.smallestFace;
		largest = size > largest ? size : largest;
		const int32_t* corners = mesh->corners + mesh->faceStarts[f];
		for (int32_t i = 0; i < brMesh_GetFaceSize(mesh, f); ++i)
		{
			int32_t c = mesh->faceStarts[f] + i;
			brDVec3 p = mesh->positions[corners[i]], q = mesh->positions[corners[0]];
			CHECK(brDIsFinite(p));
			CHECK_MESSAGE(fabs(brDDot(brDSub(p, q), normal)) <=
							  1e-9 * (brDDistance(p, q) + brDLength(brDSub(p, center))),
						  "%s: face %d is not planar", name, f);
			CHECK_MESSAGE(isfinite(mesh->uvs[c].x) && isfinite(mesh->uvs[c].y), "%s: UV of corner %d", name, c);
			brDVec3 shading = brToDVec3(mesh->normals[c]);
			CHECK_MESSAGE(fabs(brDLength(shading) - 1.0) < 1e-5, "%s: normal of corner %d has length %g", name, c,
						  brDLength(shading));
			facts.worstNormal = fmin(facts.worstNormal, brDDot(shading, normal));
			facts.volume += i >= 1 && i + 1 < brMesh_GetFaceSize(mesh, f)
								? brDDot(brDSub(q, center),
										 brDCross(brDSub(p, center), brDSub(mesh->positions[corners[i + 1]], center))) /
									  6.0
								: 0.0;
		}
	}
	facts.smallestFace /= largest;
	CHECK_MESSAGE(facts.volume > 0.0, "%s: volume %g", name, facts.volume);
	return facts;
}

static brMesh* makeModel(const brModelDef* def)
{
	return BR_MADE(brMesh, brMakeModel, NULL, def);
}

// Genus by name: what Euler's number must be.
static int32_t expectedEuler(const char* name)
{
	bool hasHole = strcmp(name, "torus") == 0 || strcmp(name, "knot") == 0 || strcmp(name, "statue") == 0;
	return hasHole ? 0 : 2;
}

static bool isStanding(const brMesh* mesh)
{
	double lowest = INFINITY;
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		lowest = mesh->positions[v].z < lowest ? mesh->positions[v].z : lowest;
	}
	return fabs(lowest) < 1e-12;
}

BR_TEST(models_are_solids_at_every_resolution)
{
	for (int32_t i = 0; i < brGetModelCount(); ++i)
	{
		const brModelInfo* info = brGetModelInfo(i);
		brModelDef def = brDefaultModelDef(info->name);
		int32_t low = info->lowestResolution;
		int32_t resolutions[] = {low, low + 1, low + 2, 17 > low ? 17 : low, 41, 0};
		for (int32_t k = 0; k < 6; ++k)
		{
			def.resolution = resolutions[k];
			char name[64];
			snprintf(name, sizeof(name), "%s at %d", info->name, def.resolution);
			brMesh* mesh = makeModel(&def);
			SolidFacts facts = checkSolid(mesh, name);
			CHECK_MESSAGE(facts.components == 1, "%s has %d components", name, facts.components);
			CHECK_MESSAGE(isStanding(mesh), "%s does not stand on z = 0", name);
			// A coarse lattice may close the gap of the arm.
			bool isCoarse = strcmp(info->name, "statue") == 0 && def.resolution != 0;
			CHECK_MESSAGE(isCoarse || facts.euler == expectedEuler(info->name), "%s has Euler number %d", name,
						  facts.euler);
			CHECK_MESSAGE(k < 5 || facts.worstNormal > 0.5, "%s: a normal is off by %g", name, facts.worstNormal);
			int32_t triangles = mesh->cornerCount - 2 * mesh->faceCount;
			CHECK_MESSAGE(k < 5 || info->resolution == 1 || (triangles >= 5000 && triangles <= 60000),
						  "%s has %d triangles", name, triangles);
			brDestroyMesh(mesh);
		}
	}
}

BR_TEST(models_are_solids_over_their_ranges)
{
	brRandom random = brTest_Random(test);
	int32_t refused = 0, made = 0;
	for (int32_t i = 0; i < brGetModelCount(); ++i)
	{
		const brModelInfo* info = brGetModelInfo(i);
		// Knots more often, so that some draw windings that must be refused.
		int32_t rounds = brTest_Rounds(test, strcmp(info->name, "knot") == 0 ? 40 : 8);
		for (int32_t round = 0; round < rounds; ++round)
		{
			brModelDef def = brDefaultModelDef(info->name);
			def.seed = brRandom_Next(&random);
			int32_t span = info->lowestResolution < 8 ? 24 : 16;
			def.resolution = info->lowestResolution + (int32_t)brRandom_Below(&random, (uint32_t)span);
			for (int32_t p = 0; p < info->parameterCount; ++p)
			{
				const brModelParameter* parameter = &info->parameters[p];
				uint32_t kind = brRandom_Below(&random, 4); // often an end of the range
				double value = kind == 0   ? parameter->lower
							   : kind == 1 ? parameter->upper
										   : brRandom_Range(&random, parameter->lower, parameter->upper);
				// Lengths of boxes span decades; keep the ratio so that the grid stays small enough for a test.
				bool isSide = (strcmp(info->name, "box") == 0 || strcmp(info->name, "brick") == 0) && p < 3;
				value = isSide ? parameter->value * brRandom_Range(&random, 0.05, 20.0) : value;
				value = strcmp(info->name, "pane") == 0 && p < 2 ? brRandom_Range(&random, 0.1, 2.0) : value;
				CHECK(brModelDef_SetParameter(&def, parameter->name, value));
			}
			brReport report = {0};
			brMesh* mesh = NULL;
			brResult result = brMakeModel(NULL, &def, &mesh, &report);
			if (result < 0)
			{
				CHECK_MESSAGE(strcmp(info->name, "knot") == 0, "%s: %s", info->name, report.text);
				refused += 1;
				continue;
			}
			char name[64];
			snprintf(name, sizeof(name), "%s round %d", info->name, round);
			SolidFacts facts = checkSolid(mesh, name);
			CHECK_MESSAGE(facts.components == 1, "%s has %d components", name, facts.components);
			made += 1;
			brDestroyMesh(mesh);
		}
	}
	CHECK(made > 0 && (refused > 0 || test->intensity < 1.0));
}

// By the library's own exact check: no two triangles meet beyond what they share, also where walls are thinnest.
BR_TEST(models_do_not_cross_themselves)
{
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brGetModelCount(); ++i)
	{
		const brModelInfo* info = brGetModelInfo(i);
		for (int32_t round = 0; round < brTest_Rounds(test, 4); ++round)
		{
			brModelDef def = brDefaultModelDef(info->name);
			def.resolution = round == 0 ? info->lowestResolution : round == 1 ? 0 : info->lowestResolution + 4 * round;
			for (int32_t p = 0; p < info->parameterCount && round > 1; ++p)
			{
				const brModelParameter* parameter = &info->parameters[p];
				bool isRatio = strcmp(parameter->unit, "1") == 0 && parameter->upper <= 2.0;
				def.parameters[p] =
					isRatio ? brRandom_Range(&random, parameter->lower, parameter->upper) : def.parameters[p];
			}
			brMesh* mesh = makeModel(&def);
			brMeshCheck check;
			brReport report = {0};
			CHECK_RESULT(brMesh_Check(mesh, NULL, NULL, &check, &report), &report);
			CHECK_MESSAGE(check.selfIntersections == 0 && check.isSolid, "%s at %d, round %d: %s", info->name,
						  def.resolution, round, check.verdict);
			CHECK_EQUAL(check.zeroAreaFaces + check.duplicatePositions + check.unusedVertices, 0);
			CHECK_EQUAL(check.components, 1);
			brDestroyMesh(mesh);
		}
	}
}

BR_TEST(models_are_solids_with_a_million_triangles)
{
	static const struct
	{
		const char* name;
		int32_t resolution;
	} large[] = {{"icosphere", 230}, {"blob", 230}, {"wine_glass", 700}, {"knot", 190}, {"box", 300}, {"statue", 330}};
	int32_t i = (int32_t)(test->seed % 6); // one a run: all of them take long
	for (int32_t k = 0; k < (test->intensity < 1.0 ? 1 : 2); ++k, i = (i + 1) % 6)
	{
		brModelDef def = brDefaultModelDef(large[i].name);
		def.resolution = test->intensity < 1.0 ? large[i].resolution / 3 : large[i].resolution;
		brMesh* mesh = makeModel(&def);
		SolidFacts facts = checkSolid(mesh, large[i].name);
		CHECK_EQUAL(facts.components, 1);
		CHECK(test->intensity < 1.0 || mesh->cornerCount - 2 * mesh->faceCount > 900000);
		brDestroyMesh(mesh);
	}
}

static double modelVolume(const char* name, int32_t resolution, const char* parameter, double value)
{
	brModelDef def = brDefaultModelDef(name);
	def.resolution = resolution;
	CHECK(parameter == NULL || brModelDef_SetParameter(&def, parameter, value));
	brMesh* mesh = makeModel(&def);
	double volume = checkSolid(mesh, name).volume;
	brDestroyMesh(mesh);
	return volume;
}

BR_TEST(model_volumes_match_closed_forms)
{
	CHECK_NEAR(modelVolume("box", 5, "height", 2.5), 2.5, 1e-12);
	CHECK_NEAR(modelVolume("pane", 3, NULL, 0.0), 0.8 * 0.6 * 0.006, 1e-15);

	// Ball: the error falls with the square of the edge length.
	double ball = BR_PI / 6.0;
	double coarse = ball - modelVolume("icosphere", 16, NULL, 0.0),
		   fine = ball - modelVolume("icosphere", 32, NULL, 0.0);
	CHECK(coarse > 0.0 && fine > 0.0 && fine < 2e-3 * ball);
	CHECK_NEAR(coarse / fine, 4.0, 0.1);

	// Ring, by Pappus: 2 pi R times pi r^2; both polygons are inscribed, so again from below at rate 4.
	double ring = 2.0 * BR_PI * 0.375 * BR_PI * 0.125 * 0.125;
	coarse = ring - modelVolume("torus", 64, NULL, 0.0), fine = ring - modelVolume("torus", 128, NULL, 0.0);
	CHECK(coarse > 0.0 && fine > 0.0 && fine < 8e-3 * ring);
	CHECK_NEAR(coarse / fine, 4.0, 0.2);

	// Rounded brick: Steiner's formula for a core box grown by r.
	double a = 0.215, b = 0.1025, c = 0.065, r = 0.2 * c;
	a -= 2.0 * r, b -= 2.0 * r, c -= 2.0 * r;
	double brick =
		a * b * c + 2.0 * r * (a * b + b * c + c * a) + BR_PI * r * r * (a + b + c) + 4.0 / 3.0 * BR_PI * r * r * r;
	CHECK_NEAR(modelVolume("brick", 256, "rounding", 0.2) / brick, 1.0, 2e-4);
	CHECK_NEAR(modelVolume("brick", 4, "rounding", 0.0), 0.215 * 0.1025 * 0.065, 1e-15);

	// A blob without bumps is a ball.
	CHECK_NEAR(modelVolume("blob", 32, "amplitude", 0.0) / (BR_PI / 6.0 * 0.008),
			   modelVolume("icosphere", 32, NULL, 0.0) / ball, 1e-9);

	// A rope has the volume of its cross-section times the way of its center, whatever the bends.
	coarse = modelVolume("knot", 24, NULL, 0.0), fine = modelVolume("knot", 48, NULL, 0.0);
	double finer = modelVolume("knot", 96, NULL, 0.0);
	CHECK(finer > fine && fine > coarse);
	CHECK_NEAR((fine - coarse) / (finer - fine), 4.0, 0.4);
}

// The rings of a revolved body read back as a profile: volume by the prism formula over its trapezoids against the mesh.
// n sin(2 pi / n) / 2 is the area of the regular n-gon in the unit circle.
BR_TEST(revolved_volumes_match_their_profiles)
{
	static const char* names[] = {"bowl", "plate", "vase", "wine_glass"};
	for (int32_t i = 0; i < 4; ++i)
	{
		brModelDef def = brDefaultModelDef(names[i]);
		for (int32_t n = 3; n <= 96; n *= 2)
		{
			def.resolution = n;
			brMesh* mesh = makeModel(&def);
			double volume = 0.0, gon = 0.5 * n * brSin(2.0 * BR_PI / n);
			brDVec3 last = mesh->positions[0]; // the lower pole
			CHECK(last.x == 0.0 && last.y == 0.0);
			for (int32_t v = 1; v < mesh->vertexCount; v += n)
			{
				brDVec3 p = mesh->positions[v]; // segment 0 lies in the plane y = 0
				CHECK(p.y == 0.0 && p.x >= 0.0);
				volume += gon * (p.z - last.z) * (p.x * p.x + p.x * last.x + last.x * last.x) / 3.0;
				last = p;
			}
			CHECK(last.x == 0.0);
			CHECK_NEAR(checkSolid(mesh, names[i]).volume, volume, 1e-9 * volume);
			brDestroyMesh(mesh);
		}
	}
}

// A revolved body crosses itself only if its profile does: all pairs of segments, in the half plane.
static double turnOf(brDVec3 a, brDVec3 b, brDVec3 c)
{
	return (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x);
}

BR_TEST(profiles_of_revolved_models_are_simple)
{
	brRandom random = brTest_Random(test);
	static const char* names[] = {"bowl", "plate", "vase", "wine_glass"};
	for (int32_t round = 0; round < brTest_Rounds(test, 240); ++round)
	{
		brModelDef def = brDefaultModelDef(names[round % 4]);
		int32_t n = def.resolution = 3 + (int32_t)brRandom_Below(&random, 40);
		const brModelInfo* info = NULL;
		for (int32_t i = 0; i < brGetModelCount(); ++i)
		{
			info = strcmp(brGetModelInfo(i)->name, def.name) == 0 ? brGetModelInfo(i) : info;
		}
		for (int32_t p = 1; p < info->parameterCount; ++p)
		{
			uint32_t kind = brRandom_Below(&random, 3);
			def.parameters[p] = kind == 0 ? info->parameters[p].lower
								: kind == 1
									? info->parameters[p].upper
									: brRandom_Range(&random, info->parameters[p].lower, info->parameters[p].upper);
		}
		brMesh* mesh = makeModel(&def);
		int32_t count = (mesh->vertexCount - 2) / n + 2;
		brDVec3* profile = malloc((size_t)count * sizeof(brDVec3));
		for (int32_t i = 0; i < count; ++i)
		{
			profile[i] = mesh->positions[i == 0 ? 0 : 1 + (i - 1) * n];
			CHECK(i == 0 || i == count - 1 || profile[i].x > 0.0);
		}
		for (int32_t i = 0; i + 1 < count; ++i)
		{
			for (int32_t j = i + 2; j + 1 < count; ++j)
			{
				bool crosses = turnOf(profile[i], profile[i + 1], profile[j]) *
									   turnOf(profile[i], profile[i + 1], profile[j + 1]) <=
								   0.0 &&
							   turnOf(profile[j], profile[j + 1], profile[i]) *
									   turnOf(profile[j], profile[j + 1], profile[i + 1]) <=
								   0.0;
				// Both products vanish for segments on one line, which may lie apart.
				bool isApart = fmax(profile[i].x, profile[i + 1].x) < fmin(profile[j].x, profile[j + 1].x) ||
							   fmax(profile[j].x, profile[j + 1].x) < fmin(profile[i].x, profile[i + 1].x) ||
							   fmax(profile[i].z, profile[i + 1].z) < fmin(profile[j].z, profile[j + 1].z) ||
							   fmax(profile[j].z, profile[j + 1].z) < fmin(profile[i].z, profile[i + 1].z);
				CHECK_MESSAGE(!crosses || isApart,
							  "%s at %d with %g %g %g %g: segments %d and %d of %d cross near r %g z %g", def.name, n,
							  def.parameters[1], def.parameters[2], def.parameters[3], def.parameters[4], i, j, count,
							  profile[i].x / def.parameters[0], profile[i].z / def.parameters[0]);
			}
		}
		free(profile);
		brDestroyMesh(mesh);
	}
}

BR_TEST(models_give_the_same_bits_twice_and_for_any_workers)
{
	brContext context = {.workers = brTest_Workers(3)};
	for (int32_t i = 0; i < brGetModelCount(); ++i)
	{
		brModelDef def = brDefaultModelDef(brGetModelInfo(i)->name);
		def.resolution = 24;
		def.seed = 5;
		brMesh *a = makeModel(&def), *b = NULL;
		CHECK_RESULT(brMakeModel(&context, &def, &b, NULL), NULL);
		CHECK_EQUAL(a->vertexCount, b->vertexCount);
		CHECK_EQUAL(a->cornerCount, b->cornerCount);
		CHECK(memcmp(a->positions, b->positions, (size_t)a->vertexCount * sizeof(brDVec3)) == 0);
		CHECK(memcmp(a->corners, b->corners, (size_t)a->cornerCount * sizeof(int32_t)) == 0);
		CHECK(memcmp(a->normals, b->normals, (size_t)a->cornerCount * sizeof(brVec3)) == 0);
		CHECK(memcmp(a->uvs, b->uvs, (size_t)a->cornerCount * sizeof(brVec2)) == 0);
		brDestroyMesh(b);
		if (strcmp(def.name, "blob") == 0)
		{
			def.seed = 6;
			b = makeModel(&def);
			CHECK(memcmp(a->positions, b->positions, (size_t)a->vertexCount * sizeof(brDVec3)) != 0);
			brDestroyMesh(b);
		}
		brDestroyMesh(a);
	}
	brDestroyWorkers(context.workers);
}

// Golden: the same on every compiler and machine. A change of a model must be meant; say so and pin the new number.
BR_TEST(models_keep_their_bits)
{
	uint64_t hash = BR_HASH_SEED;
	for (int32_t i = 0; i < brGetModelCount(); ++i)
	{
		brModelDef def = brDefaultModelDef(brGetModelInfo(i)->name);
		brMesh* mesh = makeModel(&def);
		hash = brHashBytes(hash, mesh->positions, (size_t)mesh->vertexCount * sizeof(brDVec3));
		hash = brHashBytes(hash, mesh->corners, (size_t)mesh->cornerCount * sizeof(int32_t));
		hash = brHashBytes(hash, mesh->normals, (size_t)mesh->cornerCount * sizeof(brVec3));
		hash = brHashBytes(hash, mesh->uvs, (size_t)mesh->cornerCount * sizeof(brVec2));
		brDestroyMesh(mesh);
	}
	CHECK_MESSAGE(hash == 0xfb6cd95b833c1cf0u, "models now have hash 0x%016llx", (unsigned long long)hash);
}

static brResult makeForWalk(const brContext* context, void* user)
{
	brModelDef def = brDefaultModelDef(user);
	def.resolution = 16;
	brMesh* mesh = NULL;
	brResult result = brMakeModel(context, &def, &mesh, NULL);
	CHECK((mesh != NULL) == (result >= 0));
	brDestroyMesh(mesh);
	return result;
}

BR_TEST(models_survive_every_failed_allocation)
{
	for (int32_t i = 0; i < brGetModelCount(); ++i)
	{
		CHECK(brTest_WalkAllocations(makeForWalk, (void*)brGetModelInfo(i)->name) >= 4);
	}
}

BR_TEST(models_refuse_with_a_sentence)
{
	brReport report = {0};
	brMesh* mesh = NULL;
	brModelDef def = brDefaultModelDef("teapot");
	CHECK_EQUAL(brMakeModel(NULL, &def, &mesh, &report), br_errorMisuse);
	CHECK(strstr(report.text, "'teapot'") != NULL && strstr(report.text, "wine_glass") != NULL);

	def = brDefaultModelDef("vase");
	def.resolution = 2;
	CHECK_EQUAL(brMakeModel(NULL, &def, &mesh, &report), br_errorMisuse);
	CHECK(strstr(report.text, "resolution from 3") != NULL);
	def.resolution = -1;
	CHECK_EQUAL(brMakeModel(NULL, &def, &mesh, &report), br_errorMisuse);

	def = brDefaultModelDef("vase");
	CHECK(!brModelDef_SetParameter(&def, "height", NAN) && !brModelDef_SetParameter(&def, "height", -1.0) &&
		  !brModelDef_SetParameter(&def, "hat", 1.0));
	CHECK(brModelDef_SetParameter(&def, "height", 0.5) && def.parameters[0] == 0.5);
	def.parameters[3] = 7.0;
	CHECK_EQUAL(brMakeModel(NULL, &def, &mesh, &report), br_errorMisuse);
	CHECK(strstr(report.text, "thickness") != NULL && report.element == 3);
	def.parameters[3] = NAN;
	CHECK_EQUAL(brMakeModel(NULL, &def, &mesh, &report), br_errorMisuse);

	def = brDefaultModelDef("knot");
	CHECK(brModelDef_SetParameter(&def, "p", 4.0) && brModelDef_SetParameter(&def, "q", 6.0));
	CHECK_EQUAL(brMakeModel(NULL, &def, &mesh, &report), br_errorMisuse);
	CHECK(strstr(report.text, "4 and 6") != NULL);

	def = (brModelDef){.name = "box"};
	CHECK_EQUAL(brMakeModel(NULL, &def, &mesh, &report), br_errorMisuse);
	CHECK(mesh == NULL);
	CHECK(brGetModelInfo(-1) == NULL && brGetModelInfo(brGetModelCount()) == NULL);
	for (int32_t i = 1; i < brGetModelCount(); ++i)
	{
		CHECK(strcmp(brGetModelInfo(i - 1)->name, brGetModelInfo(i)->name) < 0);
	}
}
