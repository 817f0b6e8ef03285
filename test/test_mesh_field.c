// SPDX-License-Identifier: MIT

// Concave solids as shapes: distances against going through all triangles, the sphere tree against its definition.

#include "brittle/shatter.h"
#include "contact/collide_mesh.h"
#include "contact/point_order.h"
#include "harness.h"
#include "mesh_scenes.h"
#include "research/fragment_tree.h"
#include "volume/surface_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const fieldModels[] = {"torus", "bowl", "statue", "knot", "wine_glass", "brick", "vase", "blob"};

enum
{
	fieldModelCount = 8
};

static brVec3 fieldPoint(brRandom* random, const brShape* shape, double grow)
{
	double x = brRandom_Range(random, -grow, grow), y = brRandom_Range(random, -grow, grow),
		   z = brRandom_Range(random, -grow, grow);
	return brMakeVec3(shape->boxCenter.x + (float)x * shape->half.x, shape->boxCenter.y + (float)y * shape->half.y,
					  shape->boxCenter.z + (float)z * shape->half.z);
}

// The solid's own triangles as a mesh, so that rounding to float is part of the question.
static brMesh* fieldMesh(const brSolid* solid)
{
	brDVec3* positions = malloc(sizeof(brDVec3) * 3 * (size_t)solid->triangleCount);
	int32_t* corners = malloc(sizeof(int32_t) * 3 * (size_t)solid->triangleCount);
	for (int32_t i = 0; i < solid->triangleCount; ++i)
	{
		brVec3 c[3];
		brSolid_Corners(solid, i, c);
		for (int32_t k = 0; k < 3; ++k)
		{
			positions[3 * i + k] = brToDVec3(c[k]);
		}
		corners[3 * i] = 3 * i, corners[3 * i + 1] = 3 * i + 1, corners[3 * i + 2] = 3 * i + 2;
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = 3 * solid->triangleCount;
	def.positions = positions;
	def.faceCount = solid->triangleCount;
	def.corners = corners;
	brMesh* mesh = BR_MADE(brMesh, brCreateMesh, NULL, &def);
	free(positions);
	free(corners);
	return mesh;
}

BR_TEST(mesh_field_is_that_of_all_triangles)
{
	brRandom random = brTest_Random(test);
	int32_t inside = 0, outside = 0, far = 0, onFace = 0, onSide = 0, onCorner = 0;
	for (int32_t m = 0; m < fieldModelCount; ++m)
	{
		brShape* shape = brScene_MeshModel(fieldModels[m], 12, 1.0, true);
		brSolid solid = brMakeSolid(shape);
		brMesh* mesh = fieldMesh(&solid);
		brSurfaceTree* tree = BR_MADE(brSurfaceTree, brCreateSurfaceTree, NULL, mesh);
		for (int32_t round = 0; round < brTest_Rounds(test, 1500); ++round)
		{
			brVec3 p = fieldPoint(&random, shape, round % 3 == 0 ? 2.0 : 1.05);
			if (round % 3 == 1)
			{
				// Close to the surface, where contacts are.
				const brSolidPoint* near = &solid.points[brRandom_Below(&random, (uint32_t)solid.pointCount)];
				p = brMulAdd(near->place, 0.05f * shape->thickness, brSub(p, near->place));
			}
			brClosestPoint truth = brSurfaceTree_ClosestWithin(tree, brToDVec3(p), 1e9);
			int32_t winding = brSurfaceTree_CrossingsAt(tree, brToDVec3(p));
			float reach = (float)brRandom_Range(&random, 0.0, 0.5) * shape->radius;
			brFieldAnswer answer;
			bool isNear = brSolid_Field(&solid, p, reach, &answer);
			double slack = 4e-6 * (double)shape->radius;
			if (!isNear)
			{
				far += 1;
				CHECK_MESSAGE((double)answer.distance <= truth.distance + slack, "%s: bound %g, distance %g",
							  fieldModels[m], (double)answer.distance, truth.distance);
				CHECK(truth.distance > (double)reach - slack && winding == 0);
				continue;
			}
			CHECK_MESSAGE(fabs(fabs((double)answer.distance) - truth.distance) < slack, "%s: %.9g, distance %.9g",
						  fieldModels[m], (double)answer.distance, truth.distance);
			if (truth.distance > slack)
			{
				CHECK_MESSAGE((answer.distance < 0.0f) == (winding > 0), "%s: %.9g with winding %d, feature %d",
							  fieldModels[m], (double)answer.distance, winding, answer.feature);
			}
			CHECK_NEAR((double)brLength(answer.direction), 1.0, 1e-4);
			inside += answer.distance < 0.0f, outside += answer.distance >= 0.0f;
			onFace += answer.feature == 0, onSide += answer.feature >= 1 && answer.feature <= 3,
				onCorner += answer.feature >= 4;
			if (truth.distance > 0.01 * (double)shape->radius)
			{
				// One step along the direction comes as much nearer to the outside, if nothing else comes into the way.
				brVec3 there = brMulAdd(p, -answer.distance, answer.direction);
				brClosestPoint at = brSurfaceTree_ClosestWithin(tree, brToDVec3(there), 1e9);
				CHECK_MESSAGE(at.distance < 1e-4 * (double)shape->radius, "%s: the way leads %g past the surface",
							  fieldModels[m], at.distance);
			}
		}
		brDestroySurfaceTree(tree);
		brDestroyMesh(mesh);
		brDestroyShape(shape);
	}
	CHECK(test->intensity < 1.0 ||
		  (inside > 500 && outside > 500 && far > 500 && onFace > 500 && onSide > 300 && onCorner > 100));
}

BR_TEST(mesh_field_has_the_same_bits_on_every_path)
{
	brRandom random = brTest_Random(test);
	brShape* shape = brScene_MeshModel("statue", 10, 1.0, true);
	brSolid wide = brMakeSolid(shape), plain = wide;
	plain.hasAvx2 = false;
	for (int32_t round = 0; round < brTest_Rounds(test, 5000); ++round)
	{
		brVec3 p = fieldPoint(&random, shape, 1.2);
		brFieldAnswer a, b;
		memset(&a, 0, sizeof(a));
		memset(&b, 0, sizeof(b));
		bool isA = brSolid_Field(&wide, p, 0.3f, &a), isB = brSolid_Field(&plain, p, 0.3f, &b);
		CHECK(isA == isB && memcmp(&a, &b, sizeof(a)) == 0);
	}
	brDestroyShape(shape);
}

// One place between the ends was found by golden section, which goes anywhere where the way is flat and loses one of
// two places that are equally near.
BR_TEST(mesh_capsules_touch_wherever_they_come_near)
{
	brRandom random = brTest_Random(test);
	brShape* shapes[] = {brScene_MeshBox(0.2, 0.14, 0.1, 1), brScene_MeshModel("torus", 16, 0.3, true),
						 brScene_MeshModel("knot", 24, 0.3, true), brScene_MeshModel("bowl", 12, 0.3, true),
						 brScene_MeshModel("bowl", 64, 0.3, true)};
	brShape* capsule = brScene_Capsule(0.02, 0.12);
	int32_t seen = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 5000); ++round)
	{
		brShape* shape = shapes[round % 5];
		brSolid solid = brMakeSolid(shape);
		brVec3 middle = fieldPoint(&random, shape, 1.3);
		brQuat q = brQuat_Normalize((brQuat){brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1),
											 brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1)});
		brVec3 half = brMul(capsule->halfLength, brToVec3(brQuat_Rotate(q, brMakeDVec3(0.0, 0.0, 1.0))));
		float ways[201], nearest = INFINITY;
		brVec3 directions[201];
		for (int32_t i = 0; i <= 200; ++i)
		{
			brFieldAnswer answer;
			brVec3 place = brMulAdd(middle, 0.01f * (float)(i - 100), half);
			ways[i] = brSolid_Field(&solid, place, capsule->round, &answer) ? answer.distance : INFINITY;
			nearest = fminf(nearest, ways[i]);
			directions[i] = answer.direction;
		}
		// Of two sides that press against each other, both deep, one is left (select.c).
		bool isWedged = false;
		for (int32_t i = 0; i <= 200 * 201; ++i)
		{
			bool isNear = ways[i % 201] < capsule->round && ways[i / 201] < capsule->round;
			isWedged = isWedged || (isNear && brDot(directions[i % 201], directions[i / 201]) < -0.3f);
		}
		if (!(nearest > 0.0f && nearest < 0.95f * capsule->round) || isWedged)
		{
			continue;
		}
		++seen;
		// The capsule is A, in whose axes the solid's pose is.
		brMat3 axes = brMakeMat3FromQuat(brQuat_Conjugate(q));
		brRelativePose pose = {brToVec3(axes.cx), brToVec3(axes.cy), brToVec3(axes.cz), {0.0f, 0.0f, 0.0f}};
		pose.p = brMul(-1.0f, brRelativePose_Rotate(&pose, middle));
		brTouch touches[BR_PAIR_MANIFOLDS];
		brPairMemory memory = {0};
		int32_t count = brCollideShapes(capsule, shape, &pose, 0.0f, &memory, NULL, touches);
		float deepest = INFINITY, first = INFINITY, last = -INFINITY;
		for (int32_t i = 0; i < count; ++i)
		{
			for (int32_t k = 0; k < touches[i].count; ++k)
			{
				deepest = fminf(deepest, touches[i].separations[k]);
				first = fminf(first, touches[i].points[k].z), last = fmaxf(last, touches[i].points[k].z);
			}
		}
		// Where a place far along the axis is as deep, a point is near. Curved things have more such places than points.
		for (int32_t i = 0; i <= 200 && shape == shapes[0]; ++i)
		{
			float along = 0.01f * (float)(i - 100) * capsule->halfLength;
			bool isBeyond = along < first - 0.06f || along > last + 0.06f;
			CHECK_MESSAGE(!isBeyond || ways[i] > nearest + 0.02f * capsule->round,
						  "round %d: nothing near %g of %g..%g", round, (double)along, (double)first, (double)last);
		}
		// An end stands for the hundredth of the axis beside it.
		CHECK_MESSAGE(fabsf(deepest - (nearest - capsule->round)) < 0.01f * capsule->halfLength,
					  "round %d: %g deep, truly %g", round, (double)deepest, (double)(nearest - capsule->round));
	}
	CHECK(seen * 20 > brTest_Rounds(test, 5000));
	brDestroyShape(capsule);
	for (int32_t i = 0; i < 5; ++i)
	{
		brDestroyShape(shapes[i]);
	}
}

BR_TEST(mesh_points_cover_the_surface)
{
	brRandom random = brTest_Random(test);
	for (int32_t m = 0; m < fieldModelCount; ++m)
	{
		brShape* shape = brScene_MeshModel(fieldModels[m], 12, 1.0, true);
		brSolid solid = brMakeSolid(shape);
		CHECK(shape->thickness > 0.0f &&
			  shape->thickness <= 2.0f * fminf(shape->half.x, fminf(shape->half.y, shape->half.z)));
		double worst = 0.0;
		for (int32_t round = 0; round < brTest_Rounds(test, 500); ++round)
		{
			int32_t i = (int32_t)brRandom_Below(&random, (uint32_t)solid.triangleCount);
			brVec3 c[3];
			brSolid_Corners(&solid, i, c);
			double u = brRandom_Unit(&random), v = brRandom_Unit(&random);
			u = u + v > 1.0 ? 1.0 - u : u, v = u + v > 1.0 ? 1.0 - v : v;
			brVec3 p = brMulAdd(brMulAdd(c[0], (float)u, brSub(c[1], c[0])), (float)v, brSub(c[2], c[0]));
			double nearest = INFINITY;
			for (int32_t k = 0; k < solid.pointCount; ++k)
			{
				nearest = fmin(nearest, (double)brLength(brSub(solid.points[k].place, p)));
			}
			worst = fmax(worst, nearest);
		}
		CHECK_MESSAGE(worst <= 1.05 * (double)solid.spacing, "%s: %g from the nearest point, spacing %g",
					  fieldModels[m], worst, (double)solid.spacing);
		// Balls hold their children's balls' points, each point is reached once.
		int32_t reached = 1;
		for (int32_t k = 0; k < solid.pointCount; ++k)
		{
			for (int32_t child = solid.points[k].firstChild; child >= 0; child = solid.points[child].nextSibling)
			{
				reached += 1;
				CHECK(child > k);
				CHECK(brLength(brSub(solid.points[child].place, solid.points[k].place)) <= solid.points[k].radius);
			}
			CHECK(solid.normals[k].count >= 1 && solid.normals[k].count <= 3);
		}
		CHECK_EQUAL(reached, solid.pointCount);
		brDestroyShape(shape);
	}
}

BR_TEST(mesh_point_order_is_the_farthest_first)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 40); ++round)
	{
		// Random points, points on a grid with many ties, and many in one place.
		enum
		{
			most = 600,
			deep = 3000 // under three levels of boxes
		};
		static brVec3 places[deep];
		static int32_t order[2][deep], parents[2][deep];
		static float radii[deep];
		static brVec3 inOrder[deep];
		int32_t count = round < 3 ? deep : 1 + (int32_t)brRandom_Below(&random, most);
		for (int32_t i = 0; i < count; ++i)
		{
			float x = (float)brRandom_Range(&random, -1.0, 1.0), y = (float)brRandom_Range(&random, -1.0, 1.0),
				  z = (float)brRandom_Range(&random, -1.0, 1.0);
			places[i] = round % 3 == 0   ? brMakeVec3(x, y, z)
						: round % 3 == 1 ? brMakeVec3(floorf(4.0f * x), floorf(4.0f * y), 0.0f)
										 : brMakeVec3(100.0f + 1e-4f * x, y, floorf(z));
		}
		CHECK(brOrderPoints(&(brAllocator){0}, places, 0, -1, NULL, NULL));
		brAllocator allocator = brContext_Allocator(NULL);
		CHECK(brOrderPoints(&allocator, places, count, count, order[0], parents[0]));
		CHECK(brOrderPoints(&allocator, places, count, 8, order[1], parents[1]));
		CHECK(memcmp(order[0], order[1], sizeof(int32_t) * (size_t)count) == 0);
		CHECK(memcmp(parents[0], parents[1], sizeof(int32_t) * (size_t)count) == 0);
		// Without vector instructions beyond the least, with a tree and without.
		for (int32_t direct = 8; direct <= deep; direct += deep - 8)
		{
			size_t bytes = brOrderPointsBytes(count, direct);
			void* scratch = brAlloc(&allocator, bytes);
			brOrderPointsIn(scratch, br_cpuScalar, places, count, direct, order[1], parents[1]);
			brFree(&allocator, scratch, bytes);
			CHECK(memcmp(order[0], order[1], sizeof(int32_t) * (size_t)count) == 0);
			CHECK(memcmp(parents[0], parents[1], sizeof(int32_t) * (size_t)count) == 0);
		}
		// By its definition: nobody left is farther from those before.
		static float nearest[deep];
		int32_t level = 1;
		for (int32_t i = 0; i < count; ++i)
		{
			nearest[i] = INFINITY;
			inOrder[i] = places[order[0][i]];
		}
		for (int32_t i = 0; i < count; ++i)
		{
			float most2 = 0.0f;
			for (int32_t k = i; k < count; ++k)
			{
				most2 = fmaxf(most2, nearest[k]);
			}
			CHECK(i == 0 || nearest[i] == most2);
			for (int32_t k = i; k < count; ++k)
			{
				brVec3 d = brSub(inOrder[k], inOrder[i]);
				nearest[k] = fminf(nearest[k], d.x * d.x + d.y * d.y + d.z * d.z);
			}
			level = i == 2 * level ? 2 * level : level;
			if (i > 0)
			{
				CHECK(parents[0][i] >= 0 && parents[0][i] < level);
				float mine = brLength(brSub(inOrder[i], inOrder[parents[0][i]]));
				for (int32_t k = 0; k<level; k += count> most ? 7 : 1)
				{
					CHECK(mine <= brLength(brSub(inOrder[i], inOrder[k])) * 1.000001f);
				}
			}
		}
		brMeasurePointTree(inOrder, parents[0], count, radii);
		for (int32_t i = 0; i < count; ++i)
		{
			for (int32_t k = parents[0][i]; k >= 0; k = parents[0][k])
			{
				CHECK(brLength(brSub(inOrder[i], inOrder[k])) <= radii[k]);
			}
		}
	}
}

BR_TEST(mesh_that_is_convex_becomes_a_hull)
{
	brShape* shape = brScene_MeshModel("box", 4, 0.2, false);
	CHECK_EQUAL(brShape_GetKind(shape), br_shapeHull);
	CHECK_EQUAL(shape->vertexCount, 8);
	brMassProperties mass = brShape_ComputeMass(shape, 1000.0);
	brDestroyShape(shape);
	shape = brScene_MeshModel("box", 4, 0.2, true);
	CHECK_EQUAL(brShape_GetKind(shape), br_shapeMesh);
	CHECK_NEAR(brShape_ComputeMass(shape, 1000.0).mass, mass.mass, 1e-9 * mass.mass);
	CHECK_NEAR((double)shape->thickness, 0.2, 0.08);
	brDestroyShape(shape);
	shape = brScene_MeshModel("torus", 16, 0.2, false);
	CHECK_EQUAL(brShape_GetKind(shape), br_shapeMesh);
	brDestroyShape(shape);
	// Too fine for a hull: stays what it is.
	shape = brScene_MeshModel("icosphere", 8, 0.2, false);
	CHECK_EQUAL(brShape_GetKind(shape), br_shapeMesh);
	brDestroyShape(shape);
	// A pane is thin: a bend of half its thickness must not become a hull.
	shape = brScene_MeshModel("bowl", 16, 0.2, false);
	CHECK_EQUAL(brShape_GetKind(shape), br_shapeMesh);
	brDestroyShape(shape);
}

BR_TEST(mesh_pieces_of_a_box_are_hulls)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 8); ++round)
	{
		brMesh* mesh = brScene_Model("box", 1 + round % 3, 0.3);
		brMesh_Transform(mesh, &(brAffine){{{1.0, 0.3, 0}, {0, 0.7, 0.1}, {0.2, 0, 0.9}}, {7.0, -3.0, 100.0 * round}});
		brDBox3 box = brMesh_ComputeBounds(mesh);
		brDVec3 sites[12];
		for (int32_t i = 0; i < 12; ++i)
		{
			double x = brRandom_Range(&random, box.lower.x, box.upper.x),
				   y = brRandom_Range(&random, box.lower.y, box.upper.y),
				   z = brRandom_Range(&random, box.lower.z, box.upper.z);
			sites[i] = brMakeDVec3(x, y, z);
		}
		brShatterDef def = brDefaultShatterDef();
		def.sites = sites, def.siteCount = 12;
		brShatter* shatter = BR_MADE(brShatter, brCreateShatter, NULL, mesh, &def);
		for (int32_t i = 0; i < shatter->pieceCount; ++i)
		{
			const brMesh* piece = shatter->pieces[i].mesh;
			brDBox3 around = brMesh_ComputeBounds(piece);
			brShape* hull = BR_MADE(brShape, brTryPolytope, NULL, piece, brDDistance(around.lower, around.upper),
									&shatter->pieces[i].mass);
			CHECK(hull != NULL && hull->kind == br_shapeHull);
			// The volume within the hull's faces is the piece's, and no vertex of the piece is outside of it.
			const brVec3* vertices = brShape_Vertices(hull);
			const brVec4* planes = brShape_Planes(hull);
			const int32_t *starts = brShape_FaceStarts(hull), *corners = brShape_Corners(hull);
			double volume = 0.0;
			for (int32_t f = 0; f < hull->faceCount; ++f)
			{
				for (int32_t k = starts[f] + 1; k + 1 < starts[f + 1]; ++k)
				{
					brDVec3 a = brToDVec3(vertices[corners[starts[f]]]), b = brToDVec3(vertices[corners[k]]),
							c = brToDVec3(vertices[corners[k + 1]]);
					volume += brDDot(a, brDCross(b, c)) / 6.0;
				}
				for (int32_t v = 0; v < piece->vertexCount; ++v)
				{
					brVec3 p = brToVec3(brTransform_InvPoint(hull->frame, piece->positions[v]));
					CHECK(planes[f].x * p.x + planes[f].y * p.y + planes[f].z * p.z < planes[f].w + 1e-6f);
				}
			}
			CHECK_NEAR(volume / shatter->pieces[i].mass.volume, 1.0, 1e-3);
			brDestroyShape(hull);
		}
		brDestroyShatter(shatter);
		brDestroyMesh(mesh);
	}
}

BR_TEST(mesh_that_is_open_is_no_polytope)
{
	// A box without its last face, and one whose last face is there twice in place of the one before: as convex as any.
	brMesh* mesh = brScene_Model("box", 1, 1.0);
	brMassProperties mass = brMesh_ComputeMass(mesh, 1.0);
	brShapeDef def = brDefaultShapeDef(br_shapeMesh);
	def.mesh = mesh;
	def.solid = &mass;
	brReport report = {0};
	brShape* shape = BR_MADE(brShape, brTryPolytope, NULL, mesh, 1.7, &mass);
	CHECK(shape != NULL);
	brDestroyShape(shape);
	shape = NULL;
	int32_t last = mesh->faceStarts[mesh->faceCount - 1], before = mesh->faceStarts[mesh->faceCount - 2];
	mesh->faceCount -= 1, mesh->cornerCount = last;
	CHECK(brTryPolytope(NULL, mesh, 1.7, &mass, &shape, &report) >= 0 && shape == NULL);
	CHECK(brCreateShape(NULL, &def, &shape, &report) == br_errorGeometry && shape == NULL);
	mesh->faceCount += 1, mesh->cornerCount = mesh->faceStarts[mesh->faceCount];
	memcpy(mesh->corners + before, mesh->corners + last, sizeof(int32_t) * (size_t)(last - before));
	CHECK(brTryPolytope(NULL, mesh, 1.7, &mass, &shape, &report) >= 0 && shape == NULL);
	brDestroyMesh(mesh);
}

BR_TEST(mesh_shapes_refuse_what_is_no_solid)
{
	brMesh* mesh = brScene_Model("torus", 8, 1.0);
	brReport report = {0};
	brShape* shape = NULL;
	brShapeDef def = brDefaultShapeDef(br_shapeMesh);
	CHECK(brCreateShape(NULL, &def, &shape, &report) == br_errorMisuse);
	def.mesh = mesh;
	int32_t faces = mesh->faceCount;
	mesh->faceCount -= 1;
	mesh->cornerCount = mesh->faceStarts[mesh->faceCount];
	CHECK(brCreateShape(NULL, &def, &shape, &report) == br_errorGeometry && report.text[0] != 0 && shape == NULL);
	def.kind = br_shapeSurface;
	CHECK_RESULT(brCreateShape(NULL, &def, &shape, &report), &report);
	CHECK_EQUAL(brShape_GetKind(shape), br_shapeSurface);
	brDestroyShape(shape);
	shape = NULL;
	mesh->faceCount = faces;
	mesh->cornerCount = mesh->faceStarts[mesh->faceCount];
	def.kind = br_shapeMesh;
	brMesh_Transform(mesh, &(brAffine){{{1e-6, 0, 0}, {0, 1e-6, 0}, {0, 0, 1e-6}}, {0, 0, 0}});
	CHECK(brCreateShape(NULL, &def, &shape, &report) == br_errorGeometry);
	brDestroyMesh(mesh);
}

static brResult fieldMakeShape(const brContext* context, void* user)
{
	brShapeDef def = *(const brShapeDef*)user;
	brShape* shape = NULL;
	brResult result = brCreateShape(context, &def, &shape, NULL);
	brDestroyShape(shape);
	return result;
}

BR_TEST(mesh_shapes_survive_failing_memory)
{
	brMesh* mesh = brScene_Model("bowl", 12, 1.0);
	brShapeDef def = brDefaultShapeDef(br_shapeMesh);
	def.mesh = mesh;
	CHECK(brTest_WalkAllocations(fieldMakeShape, &def) > 5);
	def.kind = br_shapeSurface;
	CHECK(brTest_WalkAllocations(fieldMakeShape, &def) > 5);
	brDestroyMesh(mesh);
	mesh = brScene_Model("box", 1, 1.0);
	def.kind = br_shapeMesh;
	def.mesh = mesh;
	CHECK(brTest_WalkAllocations(fieldMakeShape, &def) > 1);
	// Convex, but not to the last digit.
	mesh->positions[0].x += 0.001;
	CHECK(brTest_WalkAllocations(fieldMakeShape, &def) > 5);
	brDestroyMesh(mesh);
}

BR_TEST(mesh_shapes_have_the_same_bits_on_any_workers)
{
	brMesh* mesh = brScene_Model("statue", 12, 1.0);
	brShapeDef def = brDefaultShapeDef(br_shapeMesh);
	def.mesh = mesh;
	brShape* alone = BR_MADE(brShape, brCreateShape, NULL, &def);
	CHECK(alone->faceCount > 1000); // so that workers take part
	for (int32_t count = 1; count <= 4; ++count)
	{
		brContext context = {.workers = brTest_Workers(count)};
		brShape* shape = BR_MADE(brShape, brCreateShape, &context, &def);
		CHECK(shape->byteCount == alone->byteCount && memcmp(&shape->version, &alone->version, alone->byteCount) == 0);
		brDestroyShape(shape);
		brDestroyWorkers(context.workers);
	}
	brDestroyShape(alone);
	brDestroyMesh(mesh);
}

BR_TEST(mesh_field_knows_its_side_beside_slivers)
{
	// Pieces of a thin glass have triangles without any height; normals of rounded corners once sent points 4 cm away
	// inside.
	brRandom random = brTest_Random(test);
	brMesh* mesh = brScene_Model("wine_glass", 24, 0.2);
	brDVec3 sites[8];
	for (int32_t i = 0; i < 8; ++i)
	{
		double x = brRandom_Range(&random, -0.04, 0.04), y = brRandom_Range(&random, -0.04, 0.04),
			   z = brRandom_Range(&random, -0.1, 0.1);
		sites[i] = brMakeDVec3(x, y, z);
	}
	brShatterDef def = brDefaultShatterDef();
	def.sites = sites;
	def.siteCount = 8;
	brShatter* shatter = BR_MADE(brShatter, brCreateShatter, NULL, mesh, &def);
	int32_t flat = 0;
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		brShapeDef shapeDef = brDefaultShapeDef(br_shapeMesh);
		shapeDef.mesh = shatter->pieces[i].mesh;
		shapeDef.keepMesh = true;
		brShape* shape = BR_MADE(brShape, brCreateShape, NULL, &shapeDef);
		brSolid solid = brMakeSolid(shape);
		for (int32_t k = 0; k < 3 * solid.triangleCount; ++k)
		{
			flat += solid.links[k / 3].across[k % 3] == BR_ACROSS_FLAT;
		}
		brSurfaceTree* tree = BR_MADE(brSurfaceTree, brCreateSurfaceTree, NULL, shapeDef.mesh);
		for (int32_t round = 0; round < brTest_Rounds(test, 1000); ++round)
		{
			brVec3 p = fieldPoint(&random, shape, 1.2);
			if (round % 2 == 0)
			{
				brVec3 near = solid.points[brRandom_Below(&random, (uint32_t)solid.pointCount)].place;
				p = brMulAdd(near, 0.1f, brSub(p, near));
			}
			brFieldAnswer answer;
			brSolid_Field(&solid, p, INFINITY, &answer);
			int32_t winding = brSurfaceTree_CrossingsAt(tree, brTransform_Point(shape->frame, brToDVec3(p)));
			CHECK_MESSAGE((answer.distance < 0.0f) == (winding > 0) || fabsf(answer.distance) < 2e-6f,
						  "piece %d: %g with winding %d, feature %d", i, (double)answer.distance, winding,
						  answer.feature);
		}
		brDestroySurfaceTree(tree);
		brDestroyShape(shape);
	}
	CHECK(flat > 0);
	brDestroyShatter(shatter);
	brDestroyMesh(mesh);
}
