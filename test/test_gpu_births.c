// SPDX-License-Identifier: MIT

// Bodies of a device's world that break there: mass, momentum, hulls, and what they do then.

#include "gpu_help.h"
#include "harness.h"
#include "shatter_help.h"

#include "brittle/brittle.h"
#include "gpu/gpu_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_OPENCL

enum
{
	birthBodies = 5,
	birthSites = 12,
};

typedef struct BirthScene
{
	brGpu* gpu;
	brMesh* meshes[2];
	brWorld* world;
	brBodyId ids[birthBodies];
	int32_t models[birthBodies];
	brTransform poses[birthBodies];
	brGpuWorld* device;
	brGpuShatterer* shatterer;
	brDVec3 sites[birthBodies][birthSites];
	brGpuBreak breaks[birthBodies];
} BirthScene;

// Balls and boxes that fly and spin above a floor.
static void makeScene(BirthScene* scene, const brTest* test, brDVec3 gravity)
{
	brReport report = {0};
	brWorldDef worldDef = brDefaultWorldDef();
	worldDef.gravity = gravity;
	scene->gpu = openAnyWithDoubles();
	CHECK_RESULT(brCreateWorld(NULL, &worldDef, &scene->world, &report), &report);
	brShapeDef planeDef = brDefaultShapeDef(br_shapeHalfSpace);
	brShape *plane = NULL, *hulls[2] = {NULL, NULL};
	brBodyDef body = brDefaultBodyDef();
	CHECK_RESULT(brCreateShape(NULL, &planeDef, &plane, &report), &report);
	body.kind = br_bodyStatic, body.shape = plane;
	CHECK(brWorld_CreateBody(scene->world, &body, &report).index1 > 0);
	static const char* const names[2] = {"icosphere", "box"};
	for (int32_t k = 0; k < 2; ++k)
	{
		brModelDef modelDef = brDefaultModelDef(names[k]);
		modelDef.resolution = k == 0 ? 2 : 1;
		CHECK_RESULT(brMakeModel(NULL, &modelDef, &scene->meshes[k], &report), &report);
		brShapeDef hullDef = brDefaultShapeDef(br_shapeHull);
		hullDef.points = scene->meshes[k]->positions, hullDef.pointCount = scene->meshes[k]->vertexCount;
		CHECK_RESULT(brCreateShape(NULL, &hullDef, &hulls[k], &report), &report);
	}
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < birthBodies; ++i)
	{
		body = brDefaultBodyDef();
		scene->models[i] = i % 2;
		body.shape = hulls[i % 2];
		body.pose.p = brMakeDVec3(2.0 * i, 0.1 * i, 1.2 + 0.1 * i);
		body.pose.q = brQuat_Normalize((brQuat){brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0),
												brRandom_Range(&random, -1.0, 1.0), 1.0});
		body.velocity = brMakeDVec3(brRandom_Range(&random, -1.0, 1.0), 0.3, -0.5);
		body.spin = brMakeDVec3(brRandom_Range(&random, -3.0, 3.0), 2.0, -1.0);
		scene->poses[i] = body.pose;
		scene->ids[i] = brWorld_CreateBody(scene->world, &body, &report);
		CHECK(scene->ids[i].index1 > 0);
		scene->breaks[i] = (brGpuBreak){i % 2, scene->sites[i], 0};
		scene->breaks[i].siteCount =
			brUniformSites(scene->meshes[i % 2], 4 + 2 * i, test->seed + (uint64_t)i, scene->sites[i]);
	}
	CHECK_RESULT(brCreateGpuWorld(NULL, scene->gpu, scene->world, &scene->device, &report), &report);
	CHECK_RESULT(
		brCreateGpuShatterer(NULL, scene->gpu, (const brMesh* const*)scene->meshes, 2, &scene->shatterer, &report),
		&report);
	brDestroyShape(plane);
	brDestroyShape(hulls[0]);
	brDestroyShape(hulls[1]);
}

static void freeScene(BirthScene* scene)
{
	brDestroyGpuShatterer(scene->shatterer);
	brDestroyGpuWorld(scene->device);
	brDestroyWorld(scene->world);
	brDestroyMesh(scene->meshes[0]);
	brDestroyMesh(scene->meshes[1]);
	brCloseGpu(scene->gpu);
}

typedef struct BirthSums
{
	double mass, kinetic;
	brDVec3 momentum, angular; // about the origin
} BirthSums;

static BirthSums sumBodies(const brGpuBody* bodies, int32_t count)
{
	BirthSums sums = {.mass = 0.0};
	for (int32_t i = 0; i < count; ++i)
	{
		const brGpuBody* body = &bodies[i];
		brDVec3 momentum = brDMul(body->mass, body->velocity), spin = brMat3_MulV(&body->inertia, body->spin);
		sums.mass += body->mass;
		sums.kinetic += 0.5 * (brDDot(momentum, body->velocity) + brDDot(spin, body->spin));
		sums.momentum = brDAdd(sums.momentum, momentum);
		sums.angular = brDAdd(sums.angular, brDAdd(brDCross(body->center, momentum), spin));
	}
	return sums;
}

static void checkNearVector(brDVec3 a, brDVec3 b, double tolerance)
{
	CHECK_NEAR(a.x, b.x, tolerance);
	CHECK_NEAR(a.y, b.y, tolerance);
	CHECK_NEAR(a.z, b.z, tolerance);
}

// The lists of a world's shapes, as they lie on the device.
typedef struct ReadShapes
{
	StepShape* shapes;
	cl_float4* vertices;
	cl_float4* planes;
	int32_t* faceStarts;
	int32_t* corners;
	cl_int4* edges;
	StepBody* bodies;
} ReadShapes;

static void* readList(brGpu* gpu, const brGpuBuffer* buffer, int64_t count, size_t bytes)
{
	brReport report = {0};
	void* list = malloc((size_t)count * bytes);
	CHECK_RESULT(brGpu_Read(gpu, buffer, 0, list, (size_t)count * bytes, &report), &report);
	return list;
}

static ReadShapes readShapes(const brGpuWorld* world)
{
	const brGpuShapeCounts* n = &world->shapeCounts;
	brGpu* gpu = world->gpu;
	return (ReadShapes){readList(gpu, &world->shapes, n->shapes, sizeof(StepShape)),
						readList(gpu, &world->vertices, n->vertices, sizeof(cl_float4)),
						readList(gpu, &world->planes, n->planes, sizeof(cl_float4)),
						readList(gpu, &world->faceStarts, n->faceStarts, sizeof(int32_t)),
						readList(gpu, &world->corners, n->corners, sizeof(int32_t)),
						readList(gpu, &world->edges, n->edges, sizeof(cl_int4)),
						readList(gpu, &world->bodies, world->bodyCount, sizeof(StepBody))};
}

static void freeShapes(ReadShapes* read)
{
	void* all[] = {read->shapes,  read->vertices, read->planes, read->faceStarts,
				   read->corners, read->edges,    read->bodies};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		free(all[i]);
	}
}

static brDVec3 hullVertex(const ReadShapes* read, const StepShape* shape, int32_t i)
{
	const cl_float* v = read->vertices[shape->vertexStart + i].s;
	return brMakeDVec3((double)v[0], (double)v[1], (double)v[2]);
}

// A closed convex polytope: faces are rings of corners in their planes, each edge lies between two of them. Returns its
// volume.
static double checkHull(const ReadShapes* read, const StepShape* shape)
{
	CHECK_EQUAL(shape->kind, br_shapeHull);
	CHECK_EQUAL(shape->vertexCount - shape->edgeCount + shape->faceCount, 2);
	double volume = 0.0, size = (double)shape->radius;
	const int32_t* starts = read->faceStarts + shape->loopStart;
	CHECK_EQUAL(starts[0], 0);
	CHECK_EQUAL(starts[shape->faceCount], 2 * shape->edgeCount);
	for (int32_t f = 0; f < shape->faceCount; ++f)
	{
		const cl_float* plane = read->planes[shape->faceStart + f].s;
		brDVec3 normal = brMakeDVec3((double)plane[0], (double)plane[1], (double)plane[2]);
		for (int32_t i = 0; i < shape->vertexCount; ++i)
		{
			CHECK(brDDot(normal, hullVertex(read, shape, i)) <= (double)plane[3] + 0.01 * size);
		}
		const int32_t* corners = read->corners + shape->cornerStart;
		brDVec3 a = hullVertex(read, shape, corners[starts[f]]);
		for (int32_t c = starts[f]; c < starts[f + 1]; ++c)
		{
			int32_t next = c + 1 < starts[f + 1] ? c + 1 : starts[f];
			brDVec3 b = hullVertex(read, shape, corners[c]), d = hullVertex(read, shape, corners[next]);
			CHECK_NEAR(brDDot(normal, b), (double)plane[3], 0.01 * size);
			volume += brDDot(a, brDCross(b, d)) / 6.0;
		}
	}
	for (int32_t e = 0; e < shape->edgeCount; ++e)
	{
		const cl_int* edge = read->edges[shape->edgeStart + e].s;
		CHECK(edge[0] < edge[1] && edge[1] < shape->vertexCount && edge[2] != edge[3]);
		for (int32_t side = 2; side < 4; ++side)
		{
			const cl_float* plane = read->planes[shape->faceStart + edge[side]].s;
			brDVec3 normal = brMakeDVec3((double)plane[0], (double)plane[1], (double)plane[2]);
			CHECK_NEAR(brDDot(normal, hullVertex(read, shape, edge[0])), (double)plane[3], 0.01 * size);
			CHECK_NEAR(brDDot(normal, hullVertex(read, shape, edge[1])), (double)plane[3], 0.01 * size);
		}
	}
	return volume;
}

// A piece against the mesh that it stands for, broken apart a second time.
static void checkPiece(const ReadShapes* read, const brGpuBody* body, int32_t number, const brGpuPiece* piece,
					   double density)
{
	brDVec3 center = brTransform_Point(body->pose, piece->center);
	checkNearVector(body->center, center, 1e-9);
	CHECK_NEAR(body->mass, density * piece->volume, 1e-6 * body->mass);
	const double* j = piece->inertia;
	brMat3 tensor = {{j[0], j[3], j[4]}, {j[3], j[1], j[5]}, {j[4], j[5], j[2]}};
	const brDVec3 units[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
	double most = density * fmax(j[0], fmax(j[1], j[2]));
	for (int32_t k = 0; k < 3; ++k)
	{
		brDVec3 own = brMat3_MulV(&tensor, brQuat_InvRotate(body->pose.q, units[k]));
		brDVec3 turned = brDMul(density, brQuat_Rotate(body->pose.q, own));
		checkNearVector(brMat3_MulV(&body->inertia, units[k]), turned, 1e-6 * most);
	}
	// Pieces of convex bodies are convex: the hull is the piece, but for corners that it leaves out.
	const StepShape* shape = &read->shapes[read->bodies[number].shape];
	double volume = checkHull(read, shape);
	CHECK_MESSAGE(volume > 0.97 * piece->volume && volume < 1.0001 * piece->volume, "a hull of %g m^3 for %g m^3",
				  volume, piece->volume);
	CHECK(shape->thickness > 0.0f && shape->thickness <= 2.0f * shape->radius);
}

// All but one break in flight: masses, places, inertia and hulls are those of the meshes, and nothing is lost.
BR_TEST(gpu_births_keep_mass_and_momentum)
{
	BirthScene scene = {.gpu = NULL};
	makeScene(&scene, test, brMakeDVec3(0.0, 0.0, -9.81));
	brReport report = {0};
	brGpuBody before[birthBodies + 1], after[birthBodies * birthSites + 1];
	CHECK_EQUAL(brGpuWorld_ReadBodies(scene.device, before, birthBodies + 1, &report), birthBodies + 1);
	brGpuBirths births = {0};
	bool isBroken[birthBodies];
	int32_t count = birthBodies - 1; // the last one stays whole
	CHECK_RESULT(
		brGpuWorld_Break(scene.device, scene.shatterer, scene.ids, scene.breaks, count, isBroken, &births, &report),
		&report);
	CHECK_EQUAL(births.brokenCount, count);
	CHECK_EQUAL(births.bodyCount, births.pieceCount + 2);
	int32_t most = (int32_t)(sizeof(after) / sizeof(after[0]));
	CHECK_EQUAL(brGpuWorld_ReadBodies(scene.device, after, most, &report), births.bodyCount);
	BirthSums was = sumBodies(before, birthBodies), is = sumBodies(after, births.bodyCount - 1);
	CHECK_NEAR(is.mass, was.mass, 1e-6 * was.mass);
	checkNearVector(is.momentum, was.momentum, 1e-6 * was.mass);
	checkNearVector(is.angular, was.angular, 2e-6 * was.mass);
	CHECK_NEAR(is.kinetic, was.kinetic, 1e-5 * was.kinetic);

	// The same pieces as meshes, in the same order: the first takes the body's number.
	brGpuShatter shatter;
	CHECK_RESULT(brGpuShatterer_Break(scene.shatterer, scene.breaks, count, &shatter, &report), &report);
	CHECK_EQUAL(shatter.pieceCount, births.pieceCount);
	ReadShapes read = readShapes(scene.device);
	int32_t next = birthBodies;
	for (int32_t i = 0; i < shatter.pieceCount; ++i)
	{
		const brGpuPiece* piece = &shatter.pieces[i];
		bool isFirst = i == 0 || shatter.pieces[i - 1].body != piece->body;
		int32_t number = isFirst ? piece->body : next++;
		CHECK(isBroken[piece->body]);
		brTransform pose = scene.poses[piece->body];
		checkNearVector(after[number].pose.p, pose.p, 1e-9);
		checkNearVector(brQuat_Rotate(after[number].pose.q, brMakeDVec3(1.0, 2.0, 3.0)),
						brQuat_Rotate(pose.q, brMakeDVec3(1.0, 2.0, 3.0)), 1e-9);
		double volume = 0.0;
		for (int32_t k = 0; k < shatter.pieceCount; ++k)
		{
			volume += shatter.pieces[k].body == piece->body ? shatter.pieces[k].volume : 0.0;
		}
		checkPiece(&read, &after[number], number, piece, before[piece->body].mass / volume);
	}
	freeShapes(&read);
	freeScene(&scene);
}

// They fall, some break on the way, the others in a later step; everything comes to lie on the floor.
BR_TEST(gpu_births_fall_and_lie)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	BirthScene scene = {.gpu = NULL};
	makeScene(&scene, test, brMakeDVec3(0.0, 0.0, -9.81));
	brReport report = {0};
	brGpuBirths births = {0};
	static brGpuBody bodies[birthBodies * birthSites + 1];
	for (int32_t i = 0; i < 90; ++i)
	{
		if (i == 2 || i == 8)
		{
			int32_t first = i == 2 ? 0 : 2, count = i == 2 ? 2 : birthBodies - 2;
			CHECK_RESULT(brGpuWorld_Break(scene.device, scene.shatterer, scene.ids + first, scene.breaks + first, count,
										  NULL, &births, &report),
						 &report);
			CHECK_EQUAL(births.brokenCount, count);
		}
		CHECK_RESULT(brGpuWorld_Step(scene.device, 1.0 / 60.0, &report), &report);
	}
	int32_t count = brGpuWorld_ReadBodies(scene.device, bodies, (int32_t)(sizeof(bodies) / sizeof(bodies[0])), &report);
	CHECK_EQUAL(count, births.bodyCount);
	for (int32_t i = 0; i < count - 1; ++i)
	{
		CHECK(bodies[i].center.z > 0.0 && bodies[i].center.z < 1.0);
		CHECK(brDLength(bodies[i].velocity) < 3.0);
	}
	CHECK_EQUAL(brGpuWorld_GetStats(scene.device).setAside, 0);
	CHECK(brGpuWorld_GetStats(scene.device).contacts >= count - 1);
	CHECK(brGpuWorld_Download(scene.device, scene.world, &report) == br_errorMisuse);
	freeScene(&scene);
}

// Of a driver that answers so many copies, then none for a while.
static struct
{
	const brOpenCl* well;
	brOpenCl table;
	int32_t left;
} s_birthDriver;

static cl_int CL_API_CALL birthRead(cl_command_queue queue, cl_mem buffer, cl_bool isBlocking, size_t offset,
									size_t size, void* to, cl_uint count, const cl_event* events, cl_event* event)
{
	return s_birthDriver.left-- <= 0 ? CL_OUT_OF_RESOURCES
									 : s_birthDriver.well->clEnqueueReadBuffer(queue, buffer, isBlocking, offset, size,
																			   to, count, events, event);
}

// A driver that fails in the middle leaves all bodies whole, and they break when it is well again.
BR_TEST(gpu_births_leave_bodies_whole_on_failure)
{
	BirthScene scene = {.gpu = NULL};
	makeScene(&scene, test, brMakeDVec3(0.0, 0.0, -9.81));
	brReport report = {0};
	brGpuBirths births = {0};
	brGpuBody before[birthBodies + 1], after[birthBodies + 1];
	CHECK_EQUAL(brGpuWorld_ReadBodies(scene.device, before, birthBodies + 1, &report), birthBodies + 1);
	s_birthDriver.well = scene.gpu->cl, s_birthDriver.table = *scene.gpu->cl;
	s_birthDriver.table.clEnqueueReadBuffer = birthRead;
	int32_t lives = 0;
	for (brResult result = br_errorLimit; result < 0; ++lives)
	{
		scene.gpu->cl = &s_birthDriver.table, s_birthDriver.left = lives;
		result = brGpuWorld_Break(scene.device, scene.shatterer, scene.ids, scene.breaks, 3, NULL, &births, &report);
		scene.gpu->cl = s_birthDriver.well;
		if (result < 0)
		{
			CHECK_EQUAL(brGpuWorld_ReadBodies(scene.device, after, birthBodies + 1, &report), birthBodies + 1);
			CHECK(memcmp(before, after, sizeof(before)) == 0);
		}
	}
	CHECK(lives >= 3);
	CHECK_EQUAL(births.brokenCount, 3);
	CHECK_RESULT(brGpuWorld_Step(scene.device, 1.0 / 60.0, &report), &report);
	freeScene(&scene);
}

BR_TEST(gpu_births_refuse_what_cannot_break)
{
	BirthScene scene = {.gpu = NULL};
	makeScene(&scene, test, brMakeDVec3(0.0, 0.0, -9.81));
	brReport report = {0};
	brGpuBirths births = {0};
	brBodyId floor = {.index1 = 1}, twice[2] = {scene.ids[0], scene.ids[0]}, nobody = {.index1 = 99};
	brGpuBreak* breaks = scene.breaks;
	CHECK(brGpuWorld_Break(scene.device, scene.shatterer, &floor, breaks, 1, NULL, &births, &report) < 0);
	CHECK(brGpuWorld_Break(scene.device, scene.shatterer, &nobody, breaks, 1, NULL, &births, &report) < 0);
	breaks[1].model = 0;
	CHECK(brGpuWorld_Break(scene.device, scene.shatterer, twice, breaks, 2, NULL, &births, &report) < 0);
	breaks[0].model = 2;
	CHECK(brGpuWorld_Break(scene.device, scene.shatterer, scene.ids, breaks, 1, NULL, &births, &report) < 0);
	breaks[0].model = 0;
	CHECK_RESULT(brGpuWorld_Break(scene.device, scene.shatterer, scene.ids, breaks, 1, NULL, &births, &report),
				 &report);
	CHECK(brGpuWorld_Break(scene.device, scene.shatterer, scene.ids, breaks, 1, NULL, &births, &report) < 0);
	CHECK(brGpuWorld_Break(scene.device, NULL, scene.ids, breaks, 1, NULL, &births, &report) == br_errorMisuse);
	CHECK(brGpuWorld_ReadBodies(NULL, NULL, 0, &report) < 0);
	freeScene(&scene);
}

#endif
