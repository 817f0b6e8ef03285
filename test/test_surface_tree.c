// SPDX-License-Identifier: MIT

// Winding numbers, crossings, closest points and rays against slow twins and closed forms.

#include "harness.h"
#include "shapes.h"

#include "brittle/brittle.h"
#include "volume/surface_tree.h"

#include <stdlib.h>
#include <string.h>

static brSurfaceTree* treeOf(const brMesh* mesh)
{
	return BR_MADE(brSurfaceTree, brCreateSurfaceTree, NULL, mesh);
}

static brMesh* blobModel(uint64_t seed, int32_t resolution)
{
	brModelDef def = brDefaultModelDef("blob");
	def.seed = seed;
	def.resolution = resolution;
	return BR_MADE(brMesh, brMakeModel, NULL, &def);
}

static brDVec3 randomPoint(brRandom* random, brDBox3 box, double grow)
{
	double p[3];
	for (int k = 0; k < 3; ++k)
	{
		double low = (&box.lower.x)[k], high = (&box.upper.x)[k], more = grow * (high - low);
		p[k] = brRandom_Range(random, low - more, high + more);
	}
	return brMakeDVec3(p[0], p[1], p[2]);
}

static brMesh* randomSoup(brRandom* random, int32_t count)
{
	brDVec3* positions = malloc((size_t)count * 3 * sizeof(brDVec3));
	int32_t* corners = malloc((size_t)count * 3 * sizeof(int32_t));
	for (int32_t i = 0; i < 3 * count; ++i)
	{
		brDVec3 step = {brRandom_Range(random, -0.2, 0.2), brRandom_Range(random, -0.2, 0.2),
						brRandom_Range(random, -0.2, 0.2)};
		positions[i] = i % 3 == 0 ? brMakeDVec3(brRandom_Range(random, -1, 1), brRandom_Range(random, -1, 1),
												brRandom_Range(random, -1, 1))
								  : brDAdd(positions[i - i % 3], step);
		corners[i] = i;
	}
	brMesh* mesh = brShape_Make(positions, 3 * count, corners, NULL, count);
	free(positions);
	free(corners);
	return mesh;
}

BR_TEST(winding_is_the_solid_angle)
{
	// A square seen from straight above its middle at half its side: one face of a cube, a sixth of the sphere.
	const brDVec3 square[4] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
	const int32_t corners[4] = {0, 1, 2, 3}, sizes[1] = {4};
	brMesh* mesh = brShape_Make(square, 4, corners, sizes, 1);
	brSurfaceTree* tree = treeOf(mesh);
	brDVec3 points[2] = {{0, 0, -1}, {0, 0, 1}};
	double winding[2];
	brSurfaceTree_ComputeWinding(tree, NULL, points, 2, winding);
	CHECK_NEAR(winding[0], 1.0 / 6.0, 1e-12);
	CHECK_NEAR(winding[1], -1.0 / 6.0, 1e-12);
	CHECK(!brSurfaceTree_IsClosed(tree));
	CHECK_NEAR(brWindingConfidence(1.0), 1.0, 0.0);
	CHECK_NEAR(brWindingConfidence(0.5), 0.0, 0.0);
	CHECK_NEAR(brWindingConfidence(-0.25), 0.5, 1e-15);
	brDestroySurfaceTree(tree);
	brDestroyMesh(mesh);
}

// One arc tangent for all angles against one each: any sizes, many turns both ways, points in planes, on sides and on
// corners of triangles.
BR_TEST(winding_sums_angles_over_any_turns)
{
	brRandom random = brTest_Random(test);
	int32_t above = 0, below = 0, flat = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 3000); ++round)
	{
		// What is counted in triangles has to come back to a turn exactly, so corners are on a lattice in half of the
		// rounds.
		bool isLattice = round % 2 == 0;
		static const double units[] = {1.0, 1e-90, 1e90, 1e-3, 1e-20, 1e25};
		double unit = units[brRandom_Below(&random, 6)], sum = 0.0;
		int32_t bias = (int32_t)brRandom_Below(&random, 3) - 1, count = 1 + (int32_t)brRandom_Below(&random, 60);
		brDVec3 p = {0.0, 0.0, 0.0};
		brAngleSum all = brMakeAngleSum();
		for (int32_t i = 0; i < count; ++i)
		{
			double c[3][3];
			for (int32_t k = 0; k < 9; ++k)
			{
				c[k / 3][k % 3] =
					isLattice ? (double)brRandom_Below(&random, 5) - 2.0 : brRandom_Range(&random, -1.0, 1.0);
			}
			brDVec3 corners[3];
			for (int32_t k = 0; k < 3; ++k)
			{
				corners[k] = brDMul(unit, brMakeDVec3(c[k][0], c[k][1], c[k][2]));
			}
			brAngleSum one = brMakeAngleSum();
			brAngleSum_AddTriangle(&one, corners, p);
			double winding = brAngleSum_Winding(&one);
			if ((bias < 0 && winding > 0.0) || (bias > 0 && winding < 0.0))
			{
				brDVec3 swap = corners[0];
				corners[0] = corners[1], corners[1] = swap;
				one = brMakeAngleSum();
				brAngleSum_AddTriangle(&one, corners, p);
				winding = brAngleSum_Winding(&one);
			}
			flat += fabs(winding) == 0.5;
			sum += winding;
			brAngleSum_AddTriangle(&all, corners, p);
		}
		CHECK_NEAR(brAngleSum_Winding(&all), sum, 1e-12);
		above += sum > 1.0, below += sum < -1.0;
	}
	CHECK(above > 0 && below > 0 && flat > 0);
}

BR_TEST(fast_winding_is_near_the_exact_sum)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 6); ++round)
	{
		brMesh* mesh = round % 2 == 0 ? blobModel(round, 24) : randomSoup(&random, 700);
		brSurfaceTree* tree = treeOf(mesh);
		brDBox3 box = brMesh_ComputeBounds(mesh);
		for (int32_t i = 0; i < 300; ++i)
		{
			brDVec3 p = randomPoint(&random, box, 0.5);
			double winding;
			brSurfaceTree_ComputeWinding(tree, NULL, &p, 1, &winding);
			CHECK_NEAR(winding, brSurfaceTree_ComputeExactWinding(tree, p), 0.05);
		}
		brDestroySurfaceTree(tree);
		brDestroyMesh(mesh);
	}
}

BR_TEST(crossings_are_the_winding_number_of_closed_surfaces)
{
	brRandom random = brTest_Random(test);
	int32_t inside = 0, outside = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 6); ++round)
	{
		brMesh* mesh = blobModel(10 + round, 20);
		brSurfaceTree* tree = treeOf(mesh);
		CHECK(brSurfaceTree_IsClosed(tree));
		brMassProperties mass = brMesh_ComputeMass(mesh, 1.0);
		CHECK_NEAR(brSurfaceTree_GetVolume(tree), mass.volume, 1e-9 * mass.volume);
		for (int32_t i = 0; i < 300; ++i)
		{
			// Vertex coordinates mixed: many rays pass exactly through vertices and edges.
			brDVec3 p = randomPoint(&random, brMesh_ComputeBounds(mesh), 0.1);
			if (i % 2 == 0)
			{
				p.y = mesh->positions[brRandom_Below(&random, (uint32_t)mesh->vertexCount)].y;
				p.z = mesh->positions[brRandom_Below(&random, (uint32_t)mesh->vertexCount)].z;
			}
			if (i % 4 == 0)
			{
				brDVec3 v = mesh->positions[brRandom_Below(&random, (uint32_t)mesh->vertexCount)];
				p.y = v.y, p.z = v.z;
			}
			int32_t crossings;
			brSurfaceTree_CountCrossings(tree, NULL, &p, 1, &crossings);
			double exact = brSurfaceTree_ComputeExactWinding(tree, p);
			if (brWindingConfidence(exact) > 0.9)
			{
				CHECK_EQUAL(crossings, (int64_t)floor(exact + 0.5));
				inside += crossings == 1;
				outside += crossings == 0;
			}
		}
		brDestroySurfaceTree(tree);
		brDestroyMesh(mesh);
	}
	CHECK(inside > 100 * test->intensity && outside > 100 * test->intensity);
}

// Few vertices and many triangles: edges shared by any number of them, and triangles that are lines.
BR_TEST(closed_is_as_often_one_way_as_the_other)
{
	enum
	{
		most = 12
	};
	brRandom random = brTest_Random(test);
	int32_t closedCount = 0, openCount = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 3000); ++round)
	{
		int32_t vertexCount = 3 + (int32_t)brRandom_Below(&random, 4), count = 1 + (int32_t)brRandom_Below(&random, 5);
		int32_t corners[3 * most], runs[7][7] = {{0}};
		brDVec3 positions[7];
		for (int32_t v = 0; v < vertexCount; ++v)
		{
			positions[v] = brMakeDVec3(brRandom_Range(&random, -1, 1), v, v * v);
		}
		for (int32_t i = 0; i < 3 * count; ++i)
		{
			corners[i] = (int32_t)brRandom_Below(&random, (uint32_t)vertexCount);
		}
		bool isTwice = round % 2 == 0 && 2 * count <= most;
		for (int32_t i = 0; i < 3 * count && isTwice; ++i) // each triangle once more, the other way round
		{
			corners[3 * count + i] = corners[3 * (i / 3) + 2 - i % 3];
		}
		count *= isTwice ? 2 : 1;
		bool isClosed = true;
		for (int32_t i = 0; i < 3 * count; ++i)
		{
			int32_t a = corners[i], b = corners[i % 3 < 2 ? i + 1 : i - 2];
			runs[a][b] += 1, runs[b][a] -= 1;
		}
		for (int32_t i = 0; i < 49; ++i)
		{
			isClosed = isClosed && runs[i / 7][i % 7] == 0;
		}
		brMesh* mesh = brShape_Make(positions, vertexCount, corners, NULL, count);
		brSurfaceTree* tree = treeOf(mesh);
		CHECK(brSurfaceTree_IsClosed(tree) == isClosed);
		closedCount += isClosed, openCount += !isClosed;
		brDestroySurfaceTree(tree);
		brDestroyMesh(mesh);
	}
	CHECK(closedCount > 0 && openCount > 0);
}

BR_TEST(crossings_at_lattice_points_of_a_box_are_exact)
{
	brMesh* mesh = brShape_Box(4, 4, 4);
	brSurfaceTree* tree = treeOf(mesh);
	int32_t total = 0;
	for (int32_t i = 0; i < 216; ++i)
	{
		// Between the planes of the box on x, on them on y and z: a fixed side counts, so 4 of 5 layers do.
		brDVec3 p = {i % 6 - 0.5, i / 6 % 6 - 0.0, i / 36 - 0.0};
		int32_t crossings = brSurfaceTree_CrossingsAt(tree, p);
		CHECK(crossings == 0 || crossings == 1);
		total += crossings;
	}
	CHECK_EQUAL(total, 4 * 4 * 4);
	brDestroySurfaceTree(tree);
	brDestroyMesh(mesh);
}

BR_TEST(overlapping_and_inverted_surfaces_have_their_winding_numbers)
{
	brMesh* a = brShape_Box(2, 2, 2);
	brMesh* b = brShape_Box(2, 2, 2);
	brAffine shift = brMakeAffineIdentity();
	shift.p = brMakeDVec3(1, 1, 1);
	brMesh_Transform(b, &shift);
	brMesh* both = BR_MADE(brMesh, brMergeMeshes, NULL, (const brMesh* const[]){a, b}, 2);
	brSurfaceTree* tree = treeOf(both);
	const brDVec3 points[3] = {{1.5, 1.5, 1.5}, {0.5, 0.5, 0.5}, {-1, 0.5, 0.5}};
	int32_t crossings[3];
	double winding[3];
	brSurfaceTree_CountCrossings(tree, NULL, points, 3, crossings);
	brSurfaceTree_ComputeWinding(tree, NULL, points, 3, winding);
	for (int32_t i = 0; i < 3; ++i)
	{
		CHECK_EQUAL(crossings[i], 2 - i);
		CHECK_NEAR(winding[i], 2 - i, 0.01);
	}
	brDestroySurfaceTree(tree);
	for (int32_t i = 0; i < both->vertexCount; ++i)
	{
		both->positions[i].x = -both->positions[i].x; // by hand, so faces stay as they are and look inward
	}
	tree = treeOf(both);
	CHECK(brSurfaceTree_GetVolume(tree) < 0.0);
	CHECK_EQUAL(brSurfaceTree_CrossingsAt(tree, brMakeDVec3(-1.5, 1.5, 1.5)), -2);
	brDestroySurfaceTree(tree);
	brDestroyMesh(both);
	brDestroyMesh(b);
	brDestroyMesh(a);
}

BR_TEST(closest_points_equal_brute_force)
{
	brRandom random = brTest_Random(test);
	int32_t features[3] = {0};
	for (int32_t round = 0; round < brTest_Rounds(test, 6); ++round)
	{
		// Sizes and places far from one: the tree scales by itself.
		double scale = (double[]){1.0, 1e-7, 1e9}[round % 3], offset = (double[]){0.0, 3e-6, -4e9}[round % 3];
		brMesh* mesh = round % 2 == 0 ? randomSoup(&random, 400) : blobModel(round, 12);
		for (int32_t i = 0; i < mesh->vertexCount; ++i)
		{
			mesh->positions[i] = brDAdd(brDMul(scale, mesh->positions[i]), brMakeDVec3(offset, offset, offset));
		}
		brSurfaceTree* tree = treeOf(mesh);
		brDBox3 box = brMesh_ComputeBounds(mesh);
		for (int32_t i = 0; i < 200; ++i)
		{
			brDVec3 p = randomPoint(&random, box, i % 10 == 0 ? 50.0 : 0.3);
			brClosestPoint closest;
			brSurfaceTree_FindClosest(tree, NULL, &p, 1, &closest);
			double best = INFINITY;
			for (int32_t t = 0; t < tree->triangleCount; ++t)
			{
				brSurfaceFeature feature;
				int32_t index;
				best = fmin(best, brDDistance(p, brTriangleClosest(tree->corners[t], p, &feature, &index)));
			}
			CHECK_NEAR(closest.distance, best, 1e-14 * (fabs(offset) + scale + best));
			CHECK_NEAR(brDDistance(p, closest.point), closest.distance, 1e-14 * (fabs(offset) + scale + best));
			CHECK(closest.triangle >= 0 && closest.triangle < tree->triangleCount && closest.face >= 0);
			features[closest.feature] += 1;
			// Nothing within less, and the same within a little more.
			CHECK_EQUAL(brSurfaceTree_ClosestWithin(tree, p, 0.999 * best).triangle, -1);
			CHECK_EQUAL(brSurfaceTree_ClosestWithin(tree, p, 1.001 * best).triangle, closest.triangle);
		}
		brDestroySurfaceTree(tree);
		brDestroyMesh(mesh);
	}
	CHECK(features[0] > 0 && features[1] > 0 && features[2] > 0);
}

BR_TEST(triangle_closest_names_its_feature)
{
	const brDVec3 p[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
	const struct
	{
		brDVec3 from, to;
		brSurfaceFeature feature;
		int32_t index;
	} cases[] = {
		{{1, 1, 3}, {1, 1, 0}, br_featureFace, 0},    {{-1, -1, 1}, {0, 0, 0}, br_featureVertex, 0},
		{{6, -1, 0}, {4, 0, 0}, br_featureVertex, 1}, {{-1, 7, 0}, {0, 4, 0}, br_featureVertex, 2},
		{{2, -3, 1}, {2, 0, 0}, br_featureEdge, 0},   {{4, 4, 0}, {2, 2, 0}, br_featureEdge, 1},
		{{-2, 1, 0}, {0, 1, 0}, br_featureEdge, 2},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		brSurfaceFeature feature;
		int32_t index;
		brDVec3 q = brTriangleClosest(p, cases[i].from, &feature, &index);
		CHECK_NEAR(brDDistance(q, cases[i].to), 0.0, 1e-15);
		CHECK_EQUAL(feature, cases[i].feature);
		CHECK_EQUAL(index, cases[i].index);
	}
}

BR_TEST(rays_and_segments_equal_brute_force)
{
	brRandom random = brTest_Random(test);
	int32_t hitCount = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 4); ++round)
	{
		brMesh* mesh = blobModel(30 + round, 16);
		brSurfaceTree* tree = treeOf(mesh);
		brDBox3 box = brMesh_ComputeBounds(mesh);
		for (int32_t i = 0; i < 200; ++i)
		{
			brDVec3 a = randomPoint(&random, box, 0.3), b = randomPoint(&random, box, 0.3);
			b = i % 5 == 0 ? brMakeDVec3(b.x, a.y, a.z) : b; // along an axis
			brSegmentHit hits[16];
			int32_t count = brSurfaceTree_Segment(tree, a, b, hits, 16);
			int32_t sum = 0;
			for (int32_t k = 0; k < count && k < 16; ++k)
			{
				sum += hits[k].sign;
				CHECK(k == 0 || hits[k - 1].t <= hits[k].t);
			}
			// From end to end the winding number changes by what was crossed.
			CHECK_EQUAL(sum, brSurfaceTree_CrossingsAt(tree, a) - brSurfaceTree_CrossingsAt(tree, b));
			double length = brDDistance(a, b);
			double ray = brSurfaceTree_CastRay(tree, a, brDMul(1.0 / length, brDSub(b, a)), length, NULL);
			CHECK((count == 0) == isinf(ray));
			if (count > 0)
			{
				CHECK_NEAR(ray, hits[0].t * length, 1e-9 * length);
				hitCount += 1;
			}
		}
		brDestroySurfaceTree(tree);
		brDestroyMesh(mesh);
	}
	CHECK(hitCount > 20 * test->intensity);
}

BR_TEST(thickness_of_a_slab_is_its_thickness)
{
	brMesh* mesh = brShape_Box(10, 8, 0.25);
	brSurfaceTree* tree = treeOf(mesh);
	double quantiles[11];
	CHECK(brSurfaceTree_MeasureThickness(tree, NULL, 11, quantiles));
	CHECK_NEAR(quantiles[0], 0.25, 1e-6);
	CHECK_NEAR(quantiles[8], 0.25, 1e-6); // the large sides are over nine tenths of the area
	CHECK(quantiles[10] > 7.9);
	brDestroySurfaceTree(tree);
	brDestroyMesh(mesh);
}

// Floats overflow there: empty lanes of the tree once passed for triangles.
BR_TEST(queries_from_very_far_and_from_nowhere_answer_with_nothing)
{
	brMesh* mesh = blobModel(3, 24);
	brSurfaceTree* tree = treeOf(mesh);
	const double far[] = {1e3, 1e10, 1e14, 1e16, 1e20, 1e38, 1e39, 1e160, 1e300, INFINITY, NAN};
	for (int i = 0; i < (int)(sizeof(far) / sizeof(far[0])); ++i)
	{
		bool isNear = far[i] < 1e15;
		brDVec3 point = {0.01, far[i], 0.02}, inward = {0.0, -1.0, 0.0};
		double winding = -1.0;
		int32_t crossings = -1, triangle = -2;
		brClosestPoint closest;
		brSurfaceTree_ComputeWinding(tree, NULL, &point, 1, &winding);
		brSurfaceTree_CountCrossings(tree, NULL, &point, 1, &crossings);
		brSurfaceTree_FindClosest(tree, NULL, &point, 1, &closest);
		double ray = brSurfaceTree_CastRay(tree, point, inward, 1e308, &triangle);
		CHECK_NEAR(winding, 0.0, 1e-6);
		CHECK_EQUAL(crossings, 0);
		CHECK_EQUAL(closest.triangle >= 0, isNear);
		CHECK(isNear ? fabs(closest.distance / far[i] - 1.0) < 1e-2 : closest.distance == INFINITY);
		CHECK_EQUAL(triangle >= 0, isNear);
		CHECK(isNear ? fabs(ray / far[i] - 1.0) < 1e-2 : ray == INFINITY);
		brSegmentHit hits[4];
		brDVec3 tet[4] = {{-far[i], -far[i], -far[i]}, {far[i], 0, 0}, {0, far[i], 0}, {0, 0, far[i]}};
		brDVec3 across = {point.x, -point.y, point.z};
		CHECK(brSurfaceTree_Segment(tree, point, across, hits, 4) >= (far[i] < 1e9 ? 1 : 0));
		CHECK_EQUAL(brSurfaceTree_TouchesTet(tree, tet), isNear);
	}
	brDestroySurfaceTree(tree);
	brDestroyMesh(mesh);
}

BR_TEST(queries_do_not_depend_on_workers)
{
	enum
	{
		count = 5000
	};
	brRandom random = brTest_Random(test);
	brMesh* mesh = blobModel(3, 24);
	brSurfaceTree* tree = treeOf(mesh);
	static brDVec3 points[count];
	static double winding[2][count];
	static int32_t crossings[2][count];
	static brClosestPoint closest[2][count];
	memset(closest, 0, sizeof(closest));
	for (int32_t i = 0; i < count; ++i)
	{
		points[i] = randomPoint(&random, brMesh_ComputeBounds(mesh), 0.2);
	}
	for (int32_t k = 0; k < 2; ++k)
	{
		brContext context = {.workers = brTest_Workers(1 + 3 * k)};
		brSurfaceTree_ComputeWinding(tree, &context, points, count, winding[k]);
		brSurfaceTree_CountCrossings(tree, &context, points, count, crossings[k]);
		brSurfaceTree_FindClosest(tree, &context, points, count, closest[k]);
		brDestroyWorkers(context.workers);
	}
	CHECK(memcmp(winding[0], winding[1], sizeof(winding[0])) == 0);
	CHECK(memcmp(crossings[0], crossings[1], sizeof(crossings[0])) == 0);
	for (int32_t i = 0; i < count; ++i)
	{
		CHECK(closest[0][i].triangle == closest[1][i].triangle && closest[0][i].distance == closest[1][i].distance);
	}
	brDestroySurfaceTree(tree);
	brDestroyMesh(mesh);
}

BR_TEST(queries_do_not_depend_on_the_vector_path)
{
	brRandom random = brTest_Random(test);
	brMesh* mesh = blobModel(4, 16);
	brSurfaceTree* tree = treeOf(mesh);
	if (!tree->hasAvx2)
	{
		brDestroySurfaceTree(tree);
		brDestroyMesh(mesh);
		brTest_Skip("this processor has one path only");
	}
	brSurfaceTree plain = *tree;
	plain.hasAvx2 = false;
	for (int32_t i = 0; i < brTest_Rounds(test, 3000); ++i)
	{
		brDVec3 p = randomPoint(&random, brMesh_ComputeBounds(mesh), 0.3),
				q = randomPoint(&random, brMesh_ComputeBounds(mesh), 0.3);
		CHECK(brSurfaceTree_WindingAt(tree, p) == brSurfaceTree_WindingAt(&plain, p));
		CHECK_EQUAL(brSurfaceTree_CrossingsAt(tree, p), brSurfaceTree_CrossingsAt(&plain, p));
		brClosestPoint a = brSurfaceTree_ClosestWithin(tree, p, INFINITY);
		brClosestPoint b = brSurfaceTree_ClosestWithin(&plain, p, INFINITY);
		CHECK(a.distance == b.distance && a.triangle == b.triangle);
		brSegmentHit hits[2][8];
		memset(hits, 0, sizeof(hits));
		CHECK_EQUAL(brSurfaceTree_Segment(tree, p, q, hits[0], 8), brSurfaceTree_Segment(&plain, p, q, hits[1], 8));
		CHECK(memcmp(hits[0], hits[1], sizeof(hits[0])) == 0);
	}
	brDestroySurfaceTree(tree);
	brDestroyMesh(mesh);
}

// Points of a batch are put in order and go through the tree side by side; each has the bits that it has alone.
BR_TEST(batches_have_the_bits_of_single_points)
{
	enum
	{
		count = 3001
	};
	static brDVec3 points[count];
	static double winding[count];
	static int32_t crossings[count];
	static brClosestPoint closest[count];
	brRandom random = brTest_Random(test);
	brMesh* mesh = blobModel(4, 16);
	brSurfaceTree* tree = treeOf(mesh);
	for (int32_t i = 0; i < count; ++i)
	{
		points[i] = randomPoint(&random, brMesh_ComputeBounds(mesh), 0.3);
		points[i].y = i % 500 == 7 ? NAN : i % 500 == 8 ? -INFINITY : i % 500 == 9 ? 1e30 : points[i].y;
		points[i] = i % 500 == 10 ? mesh->positions[i % mesh->vertexCount] : points[i];
	}
	for (int32_t way = 0; way < 2; ++way)
	{
		brSurfaceTree other = *tree;
		other.hasAvx2 = way == 0 && tree->hasAvx2;
		brSurfaceTree_ComputeWinding(&other, NULL, points, count, winding);
		brSurfaceTree_CountCrossings(&other, NULL, points, count, crossings);
		brSurfaceTree_FindClosest(&other, NULL, points, count, closest);
		for (int32_t i = 0; i < count; ++i)
		{
			brClosestPoint alone = brSurfaceTree_ClosestWithin(tree, points[i], INFINITY);
			CHECK(winding[i] == brSurfaceTree_WindingAt(tree, points[i]));
			CHECK_EQUAL(crossings[i], brSurfaceTree_CrossingsAt(tree, points[i]));
			CHECK(closest[i].triangle == alone.triangle && closest[i].distance == alone.distance);
		}
	}
	brDestroySurfaceTree(tree);
	brDestroyMesh(mesh);
}

static brResult makeTreeOnce(const brContext* context, void* user)
{
	brSurfaceTree* tree = NULL;
	brResult result = brCreateSurfaceTree(context, user, &tree, NULL);
	brDestroySurfaceTree(tree);
	return result;
}

BR_TEST(surface_trees_survive_failing_memory)
{
	brMesh* mesh = brShape_LPrism();
	CHECK(brTest_WalkAllocations(makeTreeOnce, mesh) > 5);
	brDestroyMesh(mesh);
	brReport report = {0};
	brSurfaceTree* tree = NULL;
	brMesh* none = brShape_Make(NULL, 0, NULL, NULL, 0);
	CHECK_EQUAL(brCreateSurfaceTree(NULL, none, &tree, &report), br_errorGeometry);
	CHECK(tree == NULL && report.text[0] != 0);
	CHECK_EQUAL(brCreateSurfaceTree(NULL, NULL, &tree, &report), br_errorMisuse);
	brDestroyMesh(none);
}
