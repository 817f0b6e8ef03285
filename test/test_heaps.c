// SPDX-License-Identifier: MIT

// What lies in heaps of all kinds, sizes and loads lies on what carries it, not in it; and what is small comes to rest
// as what is large does.

#include "brittle/brittle.h"
#include "contact/solid.h"
#include "dynamics/dynamics.h"
#include "harness.h"
#include "mesh_scenes.h"
#include "shapes.h"
#include "world/world_state.h"

#include <math.h>
#include <stdio.h>

static double heapLog(brRandom* random, double lower, double upper)
{
	double a = brRandom_Range(random, 0.0, 1.0);
	return lower * pow(upper / lower, a);
}

static brQuat heapTurn(brRandom* random)
{
	double x = brRandom_Range(random, -1.0, 1.0), y = brRandom_Range(random, -1.0, 1.0);
	double z = brRandom_Range(random, -1.0, 1.0), w = brRandom_Range(random, -1.0, 1.0);
	return brQuat_Normalize((brQuat){x, y, z, w + 1e-3});
}

// A hull of corners anywhere in a box: lumps, shards, needles.
static brShape* heapHull(brRandom* random, double x, double y, double z)
{
	brDVec3 points[14];
	for (int32_t i = 0; i < 14; ++i)
	{
		double a = brRandom_Range(random, -0.5, 0.5), b = brRandom_Range(random, -0.5, 0.5);
		double c = brRandom_Range(random, -0.5, 0.5);
		points[i] = brMakeDVec3(x * a, y * b, z * c);
	}
	brShapeDef def = brDefaultShapeDef(br_shapeHull);
	def.points = points;
	def.pointCount = 14;
	brShape* shape = NULL;
	brReport report = {0};
	CHECK_RESULT(brCreateShape(NULL, &def, &shape, &report), &report);
	return shape;
}

// A piece of a box that was shattered, as large as `size`; one wall of it may be thin.
static brShape* heapPiece(brRandom* random, double x, double y, double z, bool keepMesh)
{
	brMesh* box = brShape_Box(x, y, z);
	brDVec3 sites[6];
	for (int32_t i = 0; i < 6; ++i)
	{
		double a = brRandom_Range(random, 0.0, x), b = brRandom_Range(random, 0.0, y);
		double c = brRandom_Range(random, 0.0, z);
		sites[i] = brMakeDVec3(a, b, c);
	}
	brShatterDef def = brDefaultShatterDef();
	def.sites = sites;
	def.siteCount = 6;
	brShatter* shatter = NULL;
	CHECK_RESULT(brCreateShatter(NULL, box, &def, &shatter, NULL), NULL);
	brShapeDef shapeDef = brDefaultShapeDef(br_shapeMesh);
	int32_t largest = 0;
	for (int32_t i = 1; i < shatter->pieceCount; ++i)
	{
		double volume = brMesh_ComputeMass(shatter->pieces[i].mesh, 1.0).volume;
		largest = volume > brMesh_ComputeMass(shatter->pieces[largest].mesh, 1.0).volume ? i : largest;
	}
	shapeDef.mesh = shatter->pieces[largest].mesh;
	shapeDef.keepMesh = keepMesh;
	brShape* shape = NULL;
	CHECK_RESULT(brCreateShape(NULL, &shapeDef, &shape, NULL), NULL);
	brDestroyShatter(shatter);
	brDestroyMesh(box);
	return shape;
}

enum
{
	heapKinds = 10
};

static brShape* heapShape(brRandom* random, int32_t kind, double size)
{
	double thin = fmax(4e-4, brRandom_Range(random, 0.03, 0.15) * size), wide = brRandom_Range(random, 0.4, 1.0) * size;
	switch (kind)
	{
		case 0:
			return brScene_Box(size, wide, thin);
		case 1:
			return heapHull(random, size, wide, thin);
		case 2:
			return heapHull(random, size, 2.0 * thin, thin);
		case 3:
			return brScene_MeshBox(size, wide, thin, 2);
		case 4:
			return heapPiece(random, 1.5 * size, wide, thin, false);
		case 5:
			return heapPiece(random, 1.5 * size, wide, 2.0 * thin, true);
		case 6:
			return brScene_MeshModel("torus", 12, size, true);
		case 7:
			return brScene_Box(size, wide, 0.7 * wide);
		case 8:
			return heapHull(random, size, wide, 0.8 * wide);
		default:
			return brScene_Sphere(0.5 * wide);
	}
}

typedef struct Heap
{
	brWorld* world;
	double size, dt, density; // of the heaviest
	int32_t floor, count;
	double outside, inside; // depth in the floor and in each other, as a part of what is allowed
	int32_t deepFloor, deepPairs, awake;
} Heap;

// A floor of a half-space, a box or triangles, its top at 0.
static void heapMakeFloor(Heap* heap)
{
	double wide = 40.0 * heap->size;
	if (heap->floor == 0)
	{
		brScene_Ground(heap->world);
		return;
	}
	brShape* shape =
		heap->floor == 1 ? brScene_Box(wide, wide, 0.1 * wide) : brScene_MeshBox(wide, wide, 0.1 * wide, 4);
	brBodyDef def = brDefaultBodyDef();
	def.kind = br_bodyStatic;
	def.shape = shape;
	def.pose.p.z = -0.05 * wide;
	brWorld_CreateBody(heap->world, &def, NULL);
	brDestroyShape(shape);
}

// Light thin things below, others above them, the last ones the heaviest.
static void heapMake(Heap* heap, brRandom* random)
{
	brWorldDef def = brDefaultWorldDef();
	heap->world = brScene_World(NULL, &def);
	heapMakeFloor(heap);
	double spread = 1.2 * heap->size;
	for (int32_t i = 0; i < heap->count; ++i)
	{
		double height = (double)i / heap->count;
		bool isLight = i < heap->count / 2;
		int32_t kind = (int32_t)brRandom_Below(random, isLight ? 7 : heapKinds);
		double size = heap->size * (isLight ? heapLog(random, 0.2, 1.0) : heapLog(random, 0.5, 1.5));
		brShape* shape = heapShape(random, kind, size);
		brBodyDef body = brDefaultBodyDef();
		body.shape = shape;
		body.density = isLight ? 1000.0 : heapLog(random, 1000.0, heap->density);
		double x = brRandom_Range(random, -spread, spread), y = brRandom_Range(random, -spread, spread);
		body.pose.p = brMakeDVec3(0.5 * x, 0.5 * y, heap->size * (0.6 + 1.2 * i));
		body.pose.q = heapTurn(random);
		body.rolling = 0.1;
		body.friction = height < 0.5 ? 0.5 : brRandom_Range(random, 0.3, 0.8);
		brWorld_CreateBody(heap->world, &body, NULL);
		brDestroyShape(shape);
	}
}

static double heapAllowed(double thickness)
{
	return fmax(2e-4, 0.01 * thickness);
}

static const brShape* heapShapeOf(const brDynamics* dynamics, int32_t index)
{
	return dynamics->shapes.data[dynamics->bodies.data[index].shape].shape;
}

// Body 0 is the floor.
static void heapMeasureFloor(Heap* heap)
{
	const brDynamics* dynamics = &heap->world->dynamics;
	for (int32_t i = 1; i <= heap->count; ++i)
	{
		const brBody* body = &dynamics->bodies.data[i];
		const brShape* shape = heapShapeOf(dynamics, i);
		brVec3 up = brToVec3(brQuat_InvRotate(body->rotation, brMakeDVec3(0.0, 0.0, 1.0)));
		double depth = -(body->position.z + (double)brShape_Lowest(shape, up));
		double share = depth < 0.5 * (double)shape->radius ? depth / heapAllowed((double)shape->thickness) : 0.0;
		heap->outside = fmax(heap->outside, share);
		heap->deepFloor += share > 1.0;
		heap->awake += body->isAwake ? 1 : 0;
	}
}

// How deep a place is in a shape, in its axes.
static double heapPlaceDepth(const brShape* shape, const brSolid* solid, brVec3 p, float reach)
{
	if (shape->kind == br_shapeSphere)
	{
		return (double)(shape->round - brLength(p));
	}
	if (!brShape_IsPolytope(shape))
	{
		brFieldAnswer answer;
		return brSolid_Field(solid, p, reach, &answer) ? -(double)answer.distance : -(double)reach;
	}
	double least = INFINITY;
	const brVec4* planes = brShape_Planes(shape);
	for (int32_t i = 0; i < shape->faceCount; ++i)
	{
		brVec4 plane = planes[i];
		least = fmin(least, (double)(plane.w - plane.x * p.x - plane.y * p.y - plane.z * p.z));
	}
	return least;
}

typedef struct HeapSide
{
	const brShape* shape;
	const brBody* body;
	brSolid solid;
} HeapSide;

// How deep surface places of one body are in another: corners, places along edges, samples on faces.
static double heapDepthOf(const HeapSide* of, const HeapSide* in)
{
	brQuat turn = brQuat_Mul(brQuat_Conjugate(in->body->rotation), of->body->rotation);
	brRelativePose pose = brMakeRelativePose(in->body, of->body, turn);
	double depth = 0.0;
	const brShape* shape = of->shape;
	if (shape->kind == br_shapeSphere)
	{
		return (double)shape->round + heapPlaceDepth(in->shape, &in->solid, pose.p, shape->round);
	}
	if (!brShape_IsPolytope(shape))
	{
		for (int32_t i = 0; i < of->solid.pointCount; ++i)
		{
			brVec3 p = brRelativePose_Point(&pose, of->solid.points[i].place);
			depth = fmax(depth, heapPlaceDepth(in->shape, &in->solid, p, 0.0f));
		}
		return depth;
	}
	const brVec3* corners = brShape_Vertices(shape);
	for (int32_t i = 0; i < shape->edgeCount; ++i)
	{
		const int32_t* edge = brShape_Edges(shape)[i];
		for (int32_t k = 0; k <= 16; ++k)
		{
			brVec3 from = corners[edge[0]], p = brMulAdd(from, (float)k / 16.0f, brSub(corners[edge[1]], from));
			depth = fmax(depth, heapPlaceDepth(in->shape, &in->solid, brRelativePose_Point(&pose, p), 0.0f));
		}
	}
	return depth;
}

// How deep two bodies are in each other: by the least way out of convex ones, by places of the surfaces of others.
static double heapDepth(const brDynamics* dynamics, int32_t a, int32_t b)
{
	HeapSide sides[2] = {{.shape = heapShapeOf(dynamics, a), .body = &dynamics->bodies.data[a]},
						 {.shape = heapShapeOf(dynamics, b), .body = &dynamics->bodies.data[b]}};
	if (!brShapeKind_IsConcave(sides[1].shape->kind))
	{
		brQuat turn = brQuat_Mul(brQuat_Conjugate(sides[0].body->rotation), sides[1].body->rotation);
		brRelativePose pose = brMakeRelativePose(sides[0].body, sides[1].body, turn);
		brPairMemory memory = {0};
		brTouch touches[BR_PAIR_MANIFOLDS];
		int32_t count = brCollideShapes(sides[0].shape, sides[1].shape, &pose, 0.0f, &memory, NULL, touches);
		float lowest = 0.0f;
		for (int32_t k = 0; count > 0 && k < touches[0].count; ++k)
		{
			lowest = fminf(lowest, touches[0].separations[k]);
		}
		return -(double)lowest;
	}
	for (int k = 0; k < 2; ++k)
	{
		if (brShapeKind_IsConcave(sides[k].shape->kind))
		{
			sides[k].solid = brMakeSolid(sides[k].shape);
		}
	}
	return fmax(heapDepthOf(&sides[0], &sides[1]), heapDepthOf(&sides[1], &sides[0]));
}

static void heapMeasurePairs(Heap* heap)
{
	const brDynamics* dynamics = &heap->world->dynamics;
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = &dynamics->contacts.data[dynamics->pairs.data[i].contact];
		int32_t a = contact->bodyA, b = contact->bodyB;
		if (a != 0 && b != 0)
		{
			double thickness = (double)fminf(heapShapeOf(dynamics, a)->thickness, heapShapeOf(dynamics, b)->thickness);
			double share = heapDepth(dynamics, a, b) / heapAllowed(thickness);
			heap->inside = fmax(heap->inside, share);
			heap->deepPairs += share > 1.0;
		}
	}
}

BR_TEST(rest_heaps_lie_on_what_carries_them)
{
	static const double rates[4] = {30.0, 60.0, 120.0, 240.0};
	int32_t bodies = 0, deepFloor = 0, deepPairs = 0, awake = 0;
	double outside = 0.0, inside = 0.0;
	for (int32_t round = 0; round < brTest_Rounds(test, 120); ++round)
	{
		brRandom random = brMakeRandom(test->seed, 100 + (uint64_t)round);
		Heap heap = {.floor = round % 3, .dt = 1.0 / rates[round / 3 % 4]};
		heap.size = heapLog(&random, 0.01, 2.0);
		heap.density = heapLog(&random, 1000.0, 20000.0);
		heap.count = 6 + (int32_t)brRandom_Below(&random, 9);
		heapMake(&heap, &random);
		for (int32_t i = 0; i < (int32_t)(12.0 / heap.dt) && (i < 30 || brWorld_GetStats(heap.world).awake > 0); ++i)
		{
			CHECK_RESULT(brWorld_Step(heap.world, heap.dt, NULL), NULL);
		}
		heapMeasureFloor(&heap);
		heapMeasurePairs(&heap);
		bodies += heap.count, deepFloor += heap.deepFloor, deepPairs += heap.deepPairs, awake += heap.awake;
		outside = fmax(outside, heap.outside), inside = fmax(inside, heap.inside);
		brDestroyWorld(heap.world);
	}
	printf("%d bodies: %d in the floor (%.1f times), %d pairs in each other (%.1f times), %d awake\n", bodies,
		   deepFloor, outside, deepPairs, inside, awake);
	// Of 4,870: 11, 184 and 16. Before loads counted at their levers, and edges across faces: 72, 616 and 19.
	CHECK_MESSAGE(deepFloor <= 3 + bodies / 150, "%d of %d bodies lie in the floor", deepFloor, bodies);
	CHECK_MESSAGE(deepPairs <= 3 + bodies / 18, "%d pairs of %d bodies lie in each other", deepPairs, bodies);
	CHECK_MESSAGE(awake <= 2 + bodies / 100, "%d of %d bodies are awake", awake, bodies);
}

// The edge of a box across all of a plate of triangles, whose ends are far outside: it leaves the plate by the sides.
BR_TEST(mesh_edges_across_a_whole_face_touch_it)
{
	brRandom random = brTest_Random(test);
	brShape *box = brScene_Box(1.0, 1.0, 1.0), *plate = brScene_MeshBox(0.3, 0.2, 0.03, 1);
	for (int32_t round = 0; round < brTest_Rounds(test, 200); ++round)
	{
		// The plate lies askew on the edge along y at (0.5, 0.5), its lower face `depth` below the edge.
		double tilt = brRandom_Range(&random, 0.6, 0.95), turn = brRandom_Range(&random, -0.5, 0.5);
		double depth = brRandom_Range(&random, 0.001, 0.01), along = brRandom_Range(&random, -0.3, 0.3);
		brQuat q = brMakeQuatAxisAngle(brMakeDVec3(0.0, 1.0, 0.0), tilt);
		brDVec3 up = brQuat_Rotate(q, brMakeDVec3(0.0, 0.0, 1.0));
		q = brQuat_Mul(q, brMakeQuatAxisAngle(brMakeDVec3(0.0, 0.0, 1.0), turn));
		brDVec3 place = brDMulAdd(brMakeDVec3(0.5, along, 0.5), 0.015 - depth, up);
		brBody a = {.rotation = box->frame.q}, b = {.position = place, .rotation = brQuat_Mul(q, plate->frame.q)};
		brRelativePose pose = brMakeRelativePose(&a, &b, brQuat_Mul(brQuat_Conjugate(a.rotation), b.rotation));
		brPairMemory memory = {0};
		brTouch touches[BR_PAIR_MANIFOLDS];
		int32_t count = brCollideShapes(box, plate, &pose, 0.001f, &memory, NULL, touches);
		double deepest = 0.0, cosine = 0.0;
		for (int32_t i = 0; i < count; ++i)
		{
			brDVec3 n = brQuat_Rotate(a.rotation, brToDVec3(touches[i].normal));
			for (int32_t k = 0; k < touches[i].count; ++k)
			{
				bool isDeeper = -(double)touches[i].separations[k] > deepest;
				deepest = isDeeper ? -(double)touches[i].separations[k] : deepest;
				cosine = isDeeper ? brDDot(n, up) : cosine;
			}
		}
		CHECK_MESSAGE(deepest > 0.9 * depth && deepest < 1.1 * depth, "round %d: %g m deep, seen as %g", round, depth,
					  deepest);
		CHECK_MESSAGE(cosine > 0.99, "round %d: the normal is off by %g", round, cosine);
	}
	brDestroyShape(box);
	brDestroyShape(plate);
}

static brShape* smallShape(brRandom* random, int32_t kind, double size)
{
	switch (kind)
	{
		case 0:
			return brScene_Box(size, size, size);
		case 1:
			return brScene_Sphere(0.5 * size);
		case 2:
			return brScene_MeshBox(size, size, size, 2);
		case 3:
			return heapHull(random, size, 0.7 * size, 0.25 * size);
		case 4:
			return heapPiece(random, 1.5 * size, size, 0.3 * size, true);
		case 5:
			return brScene_MeshModel("torus", 12, size, true);
		default:
			return brScene_Capsule(0.25 * size, 0.25 * size);
	}
}

// For how long something small moves that falls from a few times its size, up to 8 s.
static double smallMoves(brRandom* random, int32_t floor, int32_t kind, double size, double dt)
{
	Heap heap = {.floor = floor, .size = size};
	brWorldDef def = brDefaultWorldDef();
	heap.world = brScene_World(NULL, &def);
	heapMakeFloor(&heap);
	brShape* shape = smallShape(random, kind, size);
	brBodyDef body = brDefaultBodyDef();
	body.shape = shape;
	body.rolling = 0.02;
	body.restitution = brRandom_Below(random, 2) == 0 ? 0.3 : 0.7;
	body.pose.p.z = brRandom_Range(random, 1.0, 6.0) * size;
	body.pose.q = heapTurn(random);
	brBodyId id = brWorld_CreateBody(heap.world, &body, NULL);
	brDestroyShape(shape);
	double time = 0.0;
	while (time < 8.0 && brWorld_IsAwake(heap.world, id))
	{
		CHECK_RESULT(brWorld_Step(heap.world, dt, NULL), NULL);
		time += dt;
	}
	brDestroyWorld(heap.world);
	return time;
}

// Gravity moves a shard of 2 mm by five times its size in a step of 30 Hz: it came down on another side in each step.
BR_TEST(rest_small_things_come_to_rest)
{
	static const double sizes[5] = {0.002, 0.005, 0.01, 0.02, 0.05};
	static const double rates[3] = {30.0, 60.0, 120.0};
	brRandom random = brTest_Random(test);
	int32_t count = 0, late = 0, tinyCount = 0, tinyLate = 0, never = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 840); ++round)
	{
		int32_t k = round / 7 % 5, r = round / 35 % 3;
		double time = smallMoves(&random, round / 105 % 3, round % 7, sizes[k], 1.0 / rates[r]);
		bool isTiny = k == 0 && r == 0;
		*(isTiny ? &tinyCount : &count) += 1;
		*(isTiny ? &tinyLate : &late) += time > 3.0;
		never += time >= 8.0;
	}
	printf("longer than 3 s: %d of %d, and of 2 mm at 30 Hz %d of %d; for ever %d\n", late, count, tinyLate, tinyCount,
		   never);
	CHECK_MESSAGE(late <= 2 + count / 100, "%d of %d move for longer than 3 s", late, count);
	CHECK_MESSAGE(never <= (count + tinyCount) / 400, "%d of %d move for ever", never, count + tinyCount);
}

BR_TEST(bounce_of_small_things_goes_as_high_as_of_large_ones)
{
	static const double rates[3] = {30.0, 60.0, 120.0};
	for (int32_t i = 0; i < 27; ++i)
	{
		double e = 0.3 * (1 + i % 3), size = i / 3 % 3 == 0 ? 0.002 : i / 3 % 3 == 1 ? 0.005 : 0.015;
		double dt = 1.0 / rates[i / 9], height = 0.5;
		brWorld* world = brScene_World(NULL, NULL);
		brScene_Ground(world);
		brShape* shape = i % 2 == 0 ? brScene_Sphere(0.5 * size) : brScene_Box(size, size, size);
		brBodyDef def = brDefaultBodyDef();
		def.shape = shape;
		def.restitution = e;
		def.pose.p.z = height + 0.5 * size;
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		brDestroyShape(shape);
		double top = 0.0;
		for (int32_t step = 0; step < 600 && !(brWorld_GetVelocity(world, id).z > 0.0); ++step)
		{
			CHECK_RESULT(brWorld_Step(world, dt, NULL), NULL);
		}
		double speed = brWorld_GetVelocity(world, id).z;
		top = brWorld_GetCenter(world, id).z - 0.5 * size + speed * speed / 19.62;
		CHECK_MESSAGE(fabs(top - e * e * height) < 0.02 * e * e * height, "%g mm at %g Hz, e = %g: %g m", 1e3 * size,
					  1.0 / dt, e, top);
		brDestroyWorld(world);
	}
}
