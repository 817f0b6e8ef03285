// SPDX-License-Identifier: MIT
#include "brittle/mesh.h"
#include "harness.h"
#include "shapes.h"

#include <math.h>
#include <string.h>

static brAffine randomRotation(brRandom* random)
{
	brQuat q = brQuat_Normalize((brQuat){brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0),
										 brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0)});
	brAffine map = brMakeAffineIdentity();
	map.m = brMakeMat3FromQuat(q);
	return map;
}

static void checkMatrixNear(const brMat3* actual, const brMat3* expected, double tolerance)
{
	const double* a = (const double*)actual;
	const double* e = (const double*)expected;
	for (int k = 0; k < 9; ++k)
	{
		CHECK_NEAR(a[k], e[k], tolerance);
	}
}

BR_TEST(mass_of_a_box)
{
	double scales[3] = {1.0, 1e-6, 1e6};
	for (int s = 0; s < 3; ++s)
	{
		double x = 2.0 * scales[s], y = 3.0 * scales[s], z = 5.0 * scales[s];
		brMesh* mesh = brShape_Box(x, y, z);
		brMassProperties mass = brMesh_ComputeMass(mesh, 7.0);
		double m = 7.0 * x * y * z;
		CHECK_NEAR(mass.volume, x * y * z, 1e-15 * x * y * z);
		CHECK_NEAR(mass.mass, m, 1e-15 * m);
		CHECK_NEAR(mass.center.x, 0.5 * x, 1e-15 * x);
		CHECK_NEAR(mass.center.z, 0.5 * z, 1e-15 * z);
		brMat3 inertia = {
			{m / 12.0 * (y * y + z * z), 0, 0}, {0, m / 12.0 * (x * x + z * z), 0}, {0, 0, m / 12.0 * (x * x + y * y)}};
		checkMatrixNear(&mass.inertia, &inertia, 1e-14 * m * z * z);
		double area = 2.0 * (x * y + y * z + z * x);
		CHECK_NEAR(brMesh_ComputeArea(mesh), area, 1e-15 * area);
		brDBox3 box = brMesh_ComputeBounds(mesh);
		CHECK(box.lower.x == 0.0 && box.upper.x == x && box.upper.y == y && box.upper.z == z);
		brDestroyMesh(mesh);
	}
}

BR_TEST(mass_of_a_tetrahedron)
{
	brMesh* mesh = brShape_Tetrahedron();
	brMassProperties mass = brMesh_ComputeMass(mesh, 1.0);
	CHECK_NEAR(mass.volume, 1.0 / 6.0, 1e-16);
	CHECK_NEAR(mass.center.x, 0.25, 1e-16);
	CHECK_NEAR(mass.center.y, 0.25, 1e-16);
	CHECK_NEAR(mass.center.z, 0.25, 1e-16);
	// About the center: integral of x^2 is 1/60 - V/16 = 1/160, of xy 1/120 - 1/96 = -1/480.
	double diagonal = 2.0 / 160.0, off = 1.0 / 480.0;
	brMat3 inertia = {{diagonal, off, off}, {off, diagonal, off}, {off, off, diagonal}};
	checkMatrixNear(&mass.inertia, &inertia, 1e-16);
	CHECK_NEAR(brMesh_ComputeArea(mesh), 1.5 + 0.5 * sqrt(3.0), 1e-15);
	brDestroyMesh(mesh);
}

BR_TEST(mass_of_concave_faces)
{
	brMesh* mesh = brShape_LPrism();
	brMassProperties mass = brMesh_ComputeMass(mesh, 1.0);
	CHECK_NEAR(mass.volume, 3.0, 1e-15);
	CHECK_NEAR(mass.center.x, 2.5 / 3.0, 1e-15);
	CHECK_NEAR(mass.center.y, 2.5 / 3.0, 1e-15);
	CHECK_NEAR(mass.center.z, 0.5, 1e-15);
	CHECK_NEAR(brMesh_ComputeArea(mesh), 14.0, 1e-14);
	brDestroyMesh(mesh);
}

BR_TEST(mass_of_a_sphere_converges_with_the_square_of_the_step)
{
	double volumeError = 0.0, inertiaError = 0.0, areaError = 0.0;
	for (int32_t level = 3; level <= 6; ++level)
	{
		brMesh* mesh = brShape_Sphere(level);
		brMassProperties mass = brMesh_ComputeMass(mesh, 1.0);
		double v = fabs(mass.volume / (4.0 / 3.0 * BR_PI) - 1.0);
		double i = fabs(mass.inertia.cz.z / (0.4 * 4.0 / 3.0 * BR_PI) - 1.0);
		double a = fabs(brMesh_ComputeArea(mesh) / (4.0 * BR_PI) - 1.0);
		if (level > 3)
		{
			CHECK_MESSAGE(volumeError / v > 3.7 && volumeError / v < 4.1, "volume error fell by %g", volumeError / v);
			CHECK_MESSAGE(inertiaError / i > 3.7 && inertiaError / i < 4.1, "inertia error fell by %g",
						  inertiaError / i);
			CHECK_MESSAGE(areaError / a > 3.7 && areaError / a < 4.1, "area error fell by %g", areaError / a);
		}
		CHECK_NEAR(mass.inertia.cx.y, 0.0, 1e-15);
		CHECK_NEAR(brDLength(mass.center), 0.0, 1e-15);
		volumeError = v, inertiaError = i, areaError = a;
		brDestroyMesh(mesh);
	}
	CHECK(volumeError < 2e-3);
}

BR_TEST(mass_of_a_torus)
{
	brMesh* mesh = brShape_Torus(400, 200, 2.0, 0.5);
	brMassProperties mass = brMesh_ComputeMass(mesh, 3.0);
	double volume = 2.0 * BR_PI * BR_PI * 2.0 * 0.25;
	CHECK_NEAR(mass.volume / volume, 1.0, 3e-4);
	CHECK_NEAR(mass.inertia.cz.z / (mass.mass * (4.0 + 0.75 * 0.25)), 1.0, 3e-4);
	CHECK_NEAR(mass.inertia.cx.x / (mass.mass * (0.5 * 4.0 + 0.625 * 0.25)), 1.0, 3e-4);
	CHECK_NEAR(brMesh_ComputeArea(mesh) / (4.0 * BR_PI * BR_PI), 1.0, 3e-4);
	brDestroyMesh(mesh);
}

BR_TEST(mass_under_rotation_translation_and_mirror)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 50); ++round)
	{
		brMesh* mesh = round % 2 == 0 ? brShape_Torus(24, 12, 2.0, 0.7) : brShape_LPrism();
		brMassProperties before = brMesh_ComputeMass(mesh, 2.0);
		double area = brMesh_ComputeArea(mesh);
		brAffine map = randomRotation(&random);
		map.p = (brDVec3){brRandom_Range(&random, -1.0, 1.0), 3.0, brRandom_Range(&random, -1.0, 1.0)};
		if (brRandom_Below(&random, 2) == 0)
		{
			map.m.cx = brDNeg(map.m.cx);
		}
		brMesh_Transform(mesh, &map);
		brMassProperties after = brMesh_ComputeMass(mesh, 2.0);
		CHECK_NEAR(after.volume, before.volume, 1e-13 * before.volume); // mirrored faces were turned over
		CHECK_NEAR(brDDistance(after.center, brAffine_Point(&map, before.center)), 0.0, 1e-13);
		brMat3 transpose = brMat3_Transpose(&map.m);
		brMat3 half = brMat3_Mul(&map.m, &before.inertia);
		brMat3 turned = brMat3_Mul(&half, &transpose);
		checkMatrixNear(&after.inertia, &turned, 1e-12 * before.mass);
		CHECK_NEAR(brMesh_ComputeArea(mesh), area, 1e-13 * area);
		brDestroyMesh(mesh);
	}

	// A million meters away a coordinate has 1e-10 m of rounding; only that may show, not its square or cube.
	brMesh* mesh = brShape_Sphere(4);
	brMassProperties before = brMesh_ComputeMass(mesh, 1.0);
	brAffine away = brMakeAffineIdentity();
	away.p = (brDVec3){1e6, -1e6, 1e6};
	brMesh_Transform(mesh, &away);
	brMassProperties after = brMesh_ComputeMass(mesh, 1.0);
	CHECK_NEAR(after.volume, before.volume, 1e-9);
	CHECK_NEAR(brDDistance(after.center, brDAdd(before.center, away.p)), 0.0, 1e-9);
	checkMatrixNear(&after.inertia, &before.inertia, 1e-9);
	brDestroyMesh(mesh);
}

BR_TEST(mass_inside_out_open_and_empty)
{
	brMesh* mesh = brShape_Box(1.0, 1.0, 1.0);
	int32_t turned[24] = {0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3};
	memcpy(mesh->corners, turned, sizeof(turned));
	brMassProperties mass = brMesh_ComputeMass(mesh, 1.0);
	CHECK_NEAR(mass.volume, -1.0, 1e-15);
	CHECK_NEAR(mass.center.x, 0.5, 1e-15);
	brDestroyMesh(mesh);

	brDVec3 positions[4] = {{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {50, 50, 50}};
	int32_t corners[3] = {0, 1, 2};
	mesh = brShape_Make(positions, 4, corners, NULL, 1);
	mass = brMesh_ComputeMass(mesh, 1.0);
	CHECK(mass.volume == 0.0 && brDIsFinite(mass.center));
	brDBox3 box = brMesh_ComputeBounds(mesh);
	CHECK(box.upper.x == 2.0 && box.upper.z == 1.0); // the vertex no face uses does not count
	brDestroyMesh(mesh);

	mesh = brShape_Make(positions, 4, corners, NULL, 0);
	mass = brMesh_ComputeMass(mesh, 1.0);
	CHECK(mass.volume == 0.0 && mass.mass == 0.0 && brDIsFinite(mass.center) && brMesh_ComputeArea(mesh) == 0.0);
	box = brMesh_ComputeBounds(mesh);
	CHECK(box.lower.x > box.upper.x);
	brDestroyMesh(mesh);
}

BR_TEST(mass_of_open_surfaces_is_finite)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 1000); ++round)
	{
		brDVec3 positions[6];
		double scale = pow(10.0, brRandom_Range(&random, -55.0, 55.0));
		for (int k = 0; k < 6; ++k)
		{
			positions[k] = (brDVec3){scale * brRandom_Range(&random, -1.0, 1.0),
									 scale * brRandom_Range(&random, -1.0, 1.0), scale * brRandom_Below(&random, 2)};
		}
		int32_t corners[7] = {0, 1, 2, 2, 3, 4, 5};
		int32_t sizes[2] = {3, 4};
		brMesh* mesh = brShape_Make(positions, 6, corners, sizes, 2);
		brMassProperties mass = brMesh_ComputeMass(mesh, 1000.0);
		brDBox3 box = brMesh_ComputeBounds(mesh);
		CHECK(isfinite(mass.volume) && isfinite(mass.mass) && isfinite(mass.inertia.cx.x));
		CHECK(brDDistance(mass.center, brDMul(0.5, brDAdd(box.lower, box.upper))) <= 4.0 * scale);
		brDestroyMesh(mesh);
	}
}

BR_TEST(create_mesh_refuses_bad_data)
{
	brDVec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
	int32_t corners[3] = {0, 1, 2};
	int32_t starts[2] = {0, 3};
	brMeshDef good = brDefaultMeshDef();
	good.vertexCount = 3, good.positions = positions;
	good.faceCount = 1, good.faceStarts = starts, good.corners = corners;
	brMesh* mesh = NULL;
	brReport report = {0};
	CHECK_EQUAL(brCreateMesh(NULL, &(brMeshDef){0}, &mesh, &report), br_errorMisuse);

	corners[1] = 3;
	CHECK_EQUAL(brCreateMesh(NULL, &good, &mesh, &report), br_errorGeometry);
	CHECK(report.element == 1 && report.text[0] != 0 && mesh == NULL);
	corners[1] = 1, positions[2].y = NAN;
	CHECK_EQUAL(brCreateMesh(NULL, &good, &mesh, &report), br_errorGeometry);
	CHECK_EQUAL(report.element, 2);
	positions[2].y = 1.0, starts[1] = 2;
	CHECK_EQUAL(brCreateMesh(NULL, &good, &mesh, &report), br_errorGeometry);
	starts[1] = 3;
	int32_t materials[1] = {0};
	good.faceMaterials = materials;
	CHECK_EQUAL(brCreateMesh(NULL, &good, &mesh, &report), br_errorGeometry);
	good.faceMaterials = NULL;
	good.faceGroups = materials;
	CHECK_EQUAL(brCreateMesh(NULL, &good, &mesh, &report), br_errorGeometry);
	good.faceGroups = NULL;
	good.faceCount = -1;
	CHECK_EQUAL(brCreateMesh(NULL, &good, &mesh, &report), br_errorMisuse);
	good.faceCount = 1;
	CHECK_RESULT(brCreateMesh(NULL, &good, &mesh, &report), &report);
	brMesh* copy = BR_MADE(brMesh, brCopyMesh, NULL, mesh);
	CHECK(brShape_Same(mesh, copy));
	brDestroyMesh(mesh);
	brDestroyMesh(copy);
}
