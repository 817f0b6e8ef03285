// SPDX-License-Identifier: MIT

// The fragment distance field and the fragment sphere tree: after cracks they must answer as if they were made anew.

#include "harness.h"
#include "mesh_scenes.h"
#include "research/fragment_field.h"
#include "research/fragment_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct FragmentCase
{
	brMesh* surface;
	brTetMesh* tets;
	brShape* shape;
	brFragmentField* field;
	brFragmentTree* tree;
	int32_t* labels;
	brEdgeCut* cuts;
	int32_t cutCount;
} FragmentCase;

static FragmentCase fragmentCase(const char* model, int32_t tets)
{
	FragmentCase c = {0};
	c.surface = brScene_Model(model, 16, 1.0);
	brTetDef def = brDefaultTetDef();
	def.targetTets = tets;
	brReport report = {0};
	CHECK_RESULT(brMakeTetMesh(NULL, c.surface, &def, &c.tets, NULL, &report), &report);
	brShapeDef shapeDef = brDefaultShapeDef(br_shapeMesh);
	shapeDef.mesh = c.surface;
	shapeDef.keepMesh = true;
	CHECK_RESULT(brCreateShape(NULL, &shapeDef, &c.shape, &report), &report);
	CHECK_RESULT(brCreateFragmentField(NULL, c.tets, c.shape, &c.field, &report), &report);
	CHECK_RESULT(brCreateFragmentTree(NULL, c.tets, &c.tree, &report), &report);
	c.labels = calloc((size_t)c.tets->nodeCount, sizeof(int32_t));
	c.cuts = malloc(sizeof(brEdgeCut) * 7 * (size_t)c.tets->tetCount);
	return c;
}

static void fragmentFree(FragmentCase* c)
{
	brDestroyFragmentTree(c->tree);
	brDestroyFragmentField(c->field);
	brDestroyShape(c->shape);
	brDestroyTetMesh(c->tets);
	brDestroyMesh(c->surface);
	free(c->labels);
	free(c->cuts);
}

// Splits fragment `which` by a plane: what is beyond becomes `fresh`. Cuts are the edges between both.
static void fragmentSplit(FragmentCase* c, int32_t which, int32_t fresh, brDVec3 normal, double offset)
{
	c->cutCount = 0;
	for (int32_t i = 0; i < c->tets->nodeCount; ++i)
	{
		if (c->labels[i] == which && brDDot(normal, c->tets->nodes[i]) > offset)
		{
			c->labels[i] = fresh;
		}
	}
	for (int32_t a = 0; a < c->field->nodeCount; ++a)
	{
		for (int32_t k = c->field->starts[a]; k < c->field->starts[a + 1]; ++k)
		{
			int32_t b = c->field->neighbors[k];
			if (c->labels[a] == which && c->labels[b] == fresh)
			{
				double da = brDDot(normal, c->tets->nodes[a]) - offset, db = brDDot(normal, c->tets->nodes[b]) - offset;
				brDVec3 at = brDLerp(c->tets->nodes[a], c->tets->nodes[b], da / (da - db));
				c->cuts[c->cutCount++] = (brEdgeCut){a, b, brToVec3(at), brToVec3(normal)};
			}
		}
	}
}

static brDVec3 fragmentRandom(brRandom* random, double size)
{
	double x = brRandom_Range(random, -size, size), y = brRandom_Range(random, -size, size),
		   z = brRandom_Range(random, -size, size);
	return brMakeDVec3(x, y, z);
}

BR_TEST(mesh_fragment_field_knows_sides_and_depths)
{
	brRandom random = brTest_Random(test);
	const char* models[3] = {"box", "torus", "blob"};
	int32_t inside = 0, cutTets = 0, rough = 0, culled = 0;
	for (int32_t m = 0; m < 3; ++m)
	{
		FragmentCase c = fragmentCase(models[m], 3000);
		brDVec3 normal = brDNormalize(fragmentRandom(&random, 1.0));
		double offset = brRandom_Range(&random, -0.05, 0.05);
		fragmentSplit(&c, 0, 1, normal, offset);
		CHECK(c.cutCount > 10);
		CHECK(brFragmentField_Update(c.field, c.labels, 2, c.cuts, c.cutCount));
		double edge = 1.0;
		for (int32_t i = 0; i < c.cutCount; ++i)
		{
			edge = fmin(edge, brDDistance(c.tets->nodes[c.cuts[i].a], c.tets->nodes[c.cuts[i].b]));
		}
		int32_t rounds = brTest_Rounds(test, 4000);
		for (int32_t i = 0; i < rounds; ++i)
		{
			brDVec3 p = fragmentRandom(&random, 0.5);
			brFieldAnswer whole;
			brVec3 local = brToVec3(brTransform_InvPoint(c.shape->frame, p));
			brSolid_Field(&c.field->solid, local, INFINITY, &whole);
			double side = brDDot(normal, p) - offset;
			double truth = fmin(-(double)whole.distance, fabs(side)); // of the right side, a lower bound
			for (int32_t f = 0; f < 2; ++f)
			{
				float depth = -1.0f;
				brVec3 direction;
				bool isIn = brFragmentField_Penetration(c.field, brToVec3(p), f, &depth, &direction);
				bool isTrue = whole.distance < 0.0f && (side > 0.0) == (f == 1);
				// The tets end within a part of an edge of the surface.
				if (fabs(side) > 1e-5 && fabs((double)whole.distance) > 0.1)
				{
					CHECK_MESSAGE(isIn == isTrue, "%s fragment %d: %d at side %g, %g from the surface", models[m], f,
								  isIn, side, (double)whole.distance);
				}
				if (isIn && isTrue)
				{
					inside += 1;
					CHECK_NEAR((double)brLength(direction), 1.0, 1e-3);
					// Never deeper than the surface of the whole; near the crack by its plane.
					CHECK((double)depth <= -(double)whole.distance + 1e-5);
					if (fabs(side) < 0.3 * edge && truth == fabs(side))
					{
						// Beside the crack lie tets that it does not cut, which go by their nodes.
						cutTets += 1;
						rough += fabs((double)depth - truth) > 0.3 * edge;
						CHECK_MESSAGE(fabs((double)depth - truth) < 0.6 * edge, "%s: %g deep, %g by the field",
									  models[m], truth, (double)depth);
					}
					// The approximation elsewhere: of the right size.
					CHECK_MESSAGE((double)depth < 1.6 * truth + 1.5 * edge + 0.12 && (double)depth > 0.4 * truth - edge,
								  "%s: %g deep, %g by the field", models[m], truth, (double)depth);
				}
				float radius = (float)brRandom_Range(&random, 0.01, 0.3);
				if (!isIn && !brFragmentField_SphereTest(c.field, brToVec3(p), radius, f))
				{
					// No node of the fragment and no cut of its own may be inside the ball.
					culled += 1;
					for (int32_t k = 0; k < c.tets->nodeCount; ++k)
					{
						CHECK(c.labels[k] != f || brDDistance(c.tets->nodes[k], p) > (double)radius - 1e-6);
					}
					for (int32_t k = 0; k < c.cutCount; ++k)
					{
						CHECK(brDDistance(brToDVec3(c.cuts[k].place), p) > (double)radius - 1e-6);
					}
				}
			}
		}
		fragmentFree(&c);
	}
	CHECK(test->intensity < 1.0 || (inside > 1000 && cutTets > 50 && culled > 200));
	CHECK_MESSAGE(test->intensity < 1.0 || 50 * rough <= cutTets, "%d of %d depths beside the crack are rough", rough,
				  cutTets);
}

BR_TEST(mesh_fragment_field_update_is_like_a_rebuild)
{
	// A box in eight by three planes, one after the other, each a fracture of all there is.
	FragmentCase c = fragmentCase("box", 4000);
	int32_t fragments = 1;
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		brDVec3 normal = {axis == 0, axis == 1, axis == 2};
		int32_t before = fragments;
		for (int32_t f = 0; f < before; ++f)
		{
			fragmentSplit(&c, f, fragments, normal, 0.03);
			fragments += 1;
			CHECK(brFragmentField_Update(c.field, c.labels, fragments, c.cuts, c.cutCount));
			CHECK(brFragmentTree_Update(c.tree, c.labels, c.cuts, c.cutCount));
		}
	}
	CHECK_EQUAL(fragments, 8);
	// Depth of a node in its eighth of the box, exactly.
	double worst = 0.0, mean = 0.0, facing = 0.0;
	int32_t count = 0;
	for (int32_t i = 0; i < c.tets->nodeCount; ++i)
	{
		const brFragmentNode* node = &c.field->nodes[i];
		const double p[3] = {c.tets->nodes[i].x, c.tets->nodes[i].y, c.tets->nodes[i].z};
		double truth = INFINITY;
		for (int k = 0; k < 3; ++k)
		{
			truth = fmin(truth, fmin(fabs(p[k] - 0.03), 0.5 - fabs(p[k])));
		}
		truth = fmax(truth, 0.0);
		worst = fmax(worst, fabs((double)node->depth - truth));
		mean += fabs((double)node->depth - truth);
		brDVec3 out = brDMulAdd(c.tets->nodes[i], (double)node->depth, brToDVec3(node->direction));
		const double q[3] = {out.x, out.y, out.z};
		double left = INFINITY;
		for (int k = 0; k < 3; ++k)
		{
			left = fmin(left, fmin(fabs(q[k] - 0.03), fabs(0.5 - fabs(q[k]))));
		}
		facing += left < 0.03;
		count += 1;
		CHECK_EQUAL(node->fragment, c.labels[i]);
	}
	CHECK_MESSAGE(worst < 0.08 && mean / count < 0.008, "depths are off by %g at most, %g as a rule", worst,
				  mean / count);
	CHECK_MESSAGE(facing > 0.9 * count, "only %g of %d ways out lead to a surface", facing, count);
	fragmentFree(&c);
}

typedef struct FragmentBall
{
	brVec3 center;
	float radius;
} FragmentBall;

static float fragmentBallDistance(brVec3 place, float reach, void* user)
{
	const FragmentBall* ball = user;
	(void)reach;
	return brLength(brSub(place, ball->center)) - ball->radius;
}

static void fragmentCheckTree(const FragmentCase* c, brRandom* random, int32_t fragments, int32_t rounds)
{
	const brFragmentTree* tree = c->tree;
	static int32_t found[65536];
	for (int32_t i = 0; i < tree->points.count; ++i)
	{
		const brFragmentPoint* point = &tree->points.data[i];
		CHECK_EQUAL(point->fragment, c->labels[point->node]);
		if (point->parent >= 0)
		{
			CHECK(point->parent < i && tree->points.data[point->parent].fragment == point->fragment);
		}
		for (int32_t k = point->parent; k >= 0; k = tree->points.data[k].parent)
		{
			CHECK(brLength(brSub(tree->points.data[k].place, point->place)) <= tree->points.data[k].radius);
		}
	}
	for (int32_t round = 0; round < rounds; ++round)
	{
		FragmentBall ball = {brToVec3(fragmentRandom(random, 0.5)), (float)brRandom_Range(random, 0.0, 0.3)};
		int32_t f = (int32_t)brRandom_Below(random, (uint32_t)fragments);
		int32_t count = brFragmentTree_Query(tree, f, 0.01f, fragmentBallDistance, &ball, found, 65536, NULL),
				truth = 0;
		for (int32_t i = 0; i < tree->points.count; ++i)
		{
			const brFragmentPoint* point = &tree->points.data[i];
			if (point->fragment == f && point->isSurface && fragmentBallDistance(point->place, 0.0f, &ball) < 0.01f)
			{
				CHECK(truth < count && found[truth] == i);
				truth += 1;
			}
		}
		CHECK_EQUAL(count, truth);
	}
}

BR_TEST(mesh_fragment_tree_finds_what_a_scan_finds)
{
	brRandom random = brTest_Random(test);
	const char* models[2] = {"box", "torus"};
	for (int32_t m = 0; m < 2; ++m)
	{
		FragmentCase c = fragmentCase(models[m], 3000);
		fragmentCheckTree(&c, &random, 1, 50);
		int32_t fragments = 1;
		for (int32_t round = 0; round < 6; ++round)
		{
			fragmentSplit(&c, (int32_t)brRandom_Below(&random, (uint32_t)fragments), fragments,
						  brDNormalize(fragmentRandom(&random, 1.0)), brRandom_Range(&random, -0.1, 0.1));
			fragments += 1;
			CHECK(brFragmentTree_Update(c.tree, c.labels, c.cuts, c.cutCount));
			fragmentCheckTree(&c, &random, fragments, brTest_Rounds(test, 30));
		}
		CHECK(brFragmentTree_Rebuild(c.tree));
		fragmentCheckTree(&c, &random, fragments, brTest_Rounds(test, 30));
		// And goes on from there.
		fragmentSplit(&c, 0, fragments, brDNormalize(fragmentRandom(&random, 1.0)), 0.0);
		CHECK(brFragmentTree_Update(c.tree, c.labels, c.cuts, c.cutCount));
		fragmentCheckTree(&c, &random, fragments + 1, brTest_Rounds(test, 30));
		fragmentFree(&c);
	}
}

static brResult fragmentWalk(const brContext* context, void* user)
{
	FragmentCase* c = user;
	brFragmentField* field = NULL;
	brFragmentTree* tree = NULL;
	brResult result = brCreateFragmentField(context, c->tets, c->shape, &field, NULL);
	result = result < 0 ? result : brCreateFragmentTree(context, c->tets, &tree, NULL);
	if (result >= 0 && (!brFragmentField_Update(field, c->labels, 65, c->cuts, c->cutCount) ||
						!brFragmentTree_Update(tree, c->labels, c->cuts, c->cutCount) || !brFragmentTree_Rebuild(tree)))
	{
		result = br_errorMemory;
	}
	brDestroyFragmentField(field);
	brDestroyFragmentTree(tree);
	return result;
}

BR_TEST(mesh_fragments_survive_failing_memory)
{
	FragmentCase c = fragmentCase("box", 300);
	fragmentSplit(&c, 0, 64, brMakeDVec3(1.0, 0.0, 0.0), 0.03);
	CHECK(brTest_WalkAllocations(fragmentWalk, &c) > 20);
	fragmentFree(&c);
}
