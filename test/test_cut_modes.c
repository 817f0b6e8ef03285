// SPDX-License-Identifier: MIT

// The cutter beyond one clean source and one cutter: several cutters at once, sources with holes (fill), and meshes
// that cross themselves made clean (resolve).

#include "base/array.h"
#include "brittle/check.h"
#include "brittle/cut.h"
#include "brittle/io.h"
#include "cut_cases.h"
#include "harness.h"
#include "mesh/topology.h"
#include "shapes.h"

#include <math.h>
#include <string.h>

static brMesh* modeBox(brDVec3 at, brDVec3 size)
{
	brMesh* mesh = brShape_Box(size.x, size.y, size.z);
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		mesh->positions[v] = brDAdd(mesh->positions[v], at);
	}
	return mesh;
}

static brMesh* modeQuad(brDVec3 a, brDVec3 b, brDVec3 c, brDVec3 d)
{
	brDVec3 positions[4] = {a, b, c, d};
	int32_t corners[4] = {0, 1, 2, 3}, sizes[1] = {4};
	return brShape_Make(positions, 4, corners, sizes, 1);
}

// Two meshes as one; both are freed.
static brMesh* modeMerge(brMesh* a, brMesh* b)
{
	const brMesh* both[2] = {a, b};
	brMesh* all = NULL;
	CHECK(brMergeMeshes(NULL, both, 2, &all, NULL) >= 0);
	brDestroyMesh(a);
	brDestroyMesh(b);
	return all;
}

static void modeTurnOver(brMesh* mesh)
{
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		for (int32_t i = mesh->faceStarts[f], j = mesh->faceStarts[f + 1] - 1; i < j; ++i, --j)
		{
			int32_t swap = mesh->corners[i];
			mesh->corners[i] = mesh->corners[j], mesh->corners[j] = swap;
		}
	}
}

// The mesh without the faces that `random` picks, about one in `rarity`; the source is freed.
static brMesh* modeHoles(brRandom* random, brMesh* mesh, uint32_t rarity)
{
	BR_ARRAY(int32_t) corners = {0};
	BR_ARRAY(int32_t) sizes = {0};
	brAllocator allocator = brContext_Allocator(NULL);
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		if (brRandom_Below(random, rarity) == 0 && f > 0)
		{
			continue;
		}
		CHECK(BR_PUSH(&allocator, &sizes, mesh->faceStarts[f + 1] - mesh->faceStarts[f]));
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			CHECK(BR_PUSH(&allocator, &corners, mesh->corners[c]));
		}
	}
	brMesh* open = brShape_Make(mesh->positions, mesh->vertexCount, corners.data, sizes.data, sizes.count);
	BR_FREE_ARRAY(&allocator, &corners);
	BR_FREE_ARRAY(&allocator, &sizes);
	brDestroyMesh(mesh);
	return open;
}

static brCutResult* modeResolve(const brContext* context, const brMesh* mesh)
{
	brCutResult* result = BR_MADE(brCutResult, brResolveMesh, context, mesh, NULL);
	const char* flaw = brCutCase_Flaw(result);
	CHECK_MESSAGE(flaw == NULL, "%s", flaw);
	for (int32_t i = 0; i < result->pieceCount; ++i)
	{
		for (int32_t f = 0; f < result->pieces[i].mesh->faceCount; ++f)
		{
			CHECK_EQUAL(result->pieces[i].faceKinds[f], br_faceSource);
			CHECK_EQUAL(result->pieces[i].faceCutters[f], -1);
			CHECK(result->pieces[i].faceParents[f] < mesh->faceCount);
		}
	}
	return result;
}

static int32_t modeCrossings(const brMesh* mesh)
{
	brMeshCheck check;
	CHECK(brMesh_Check(mesh, NULL, NULL, &check, NULL) >= 0);
	return check.selfIntersections;
}

// Two boxes that overlap are one solid; once more changes nothing.
BR_TEST(cut_resolve_joins_boxes_that_overlap)
{
	brMesh* boxes = modeMerge(modeBox((brDVec3){0, 0, 0}, (brDVec3){2, 2, 2}),
							  modeBox((brDVec3){0.5, 0.5, 0.5}, (brDVec3){2, 2, 2}));
	double overlap = 1.5 * 1.5 * 1.5;
	CHECK(modeCrossings(boxes) > 0);
	brCutResult* result = modeResolve(NULL, boxes);
	CHECK_EQUAL(result->pieceCount, 1);
	CHECK_NEAR(result->stats.volumeIn, 16.0, 1e-13);
	CHECK_NEAR(result->pieces[0].volume, 16.0 - overlap, 1e-13);
	CHECK_EQUAL(modeCrossings(result->pieces[0].mesh), 0);
	brCutResult* again = modeResolve(NULL, result->pieces[0].mesh);
	CHECK_EQUAL(again->pieceCount, 1);
	CHECK_EQUAL(again->pieces[0].mesh->faceCount, result->pieces[0].mesh->faceCount);
	CHECK_EQUAL(again->stats.newVertices, 0);
	brDestroyCutResult(again);
	brDestroyCutResult(result);
	brDestroyMesh(boxes);
}

// The same box twice is one box, polygon for polygon; a box turned over bounds nothing; a hollow box stays hollow.
BR_TEST(cut_resolve_doubles_and_cavities)
{
	brDVec3 zero = {0, 0, 0}, two = {2, 2, 2}, half = {0.5, 0.5, 0.5}, one = {1, 1, 1};
	brMesh* doubled = modeMerge(modeBox(zero, two), modeBox(zero, two));
	brCutResult* result = modeResolve(NULL, doubled);
	CHECK_EQUAL(result->pieceCount, 1);
	CHECK_EQUAL(result->pieces[0].mesh->faceCount, 6);
	CHECK_EQUAL(result->pieces[0].mesh->vertexCount, 8);
	brDestroyCutResult(result);
	brDestroyMesh(doubled);

	brMesh* turned = modeBox(half, one);
	modeTurnOver(turned);
	result = modeResolve(NULL, turned);
	CHECK_EQUAL(result->pieceCount, 0);
	brDestroyCutResult(result);

	brMesh* hollow = modeMerge(modeBox(zero, two), turned);
	result = modeResolve(NULL, hollow);
	CHECK_EQUAL(result->pieceCount, 1);
	CHECK_EQUAL(result->pieces[0].mesh->faceCount, 12);
	CHECK_NEAR(result->pieces[0].volume, 7.0, 1e-14);
	brDestroyCutResult(result);
	brDestroyMesh(hollow);
}

// Resolving two solids as one mesh is their union; workers change nothing.
BR_TEST(cut_campaign_resolve)
{
	int32_t rounds = brTest_Rounds(test, 40), crossing = 0;
	brContext context = {.workers = brTest_Workers(3)};
	for (int32_t i = 0; i < rounds; ++i)
	{
		brRandom random = brMakeRandom(test->seed, (uint64_t)i);
		brCutCaseKind kinds[3] = {br_cutCaseSolid, br_cutCaseGrid, br_cutCaseCoplanar};
		brCutCase pair = brCutCase_Make(&random, kinds[i % 3]);
		brCutDef def = brDefaultCutDef();
		def.op = br_cutUnion;
		brCutResult* both = NULL;
		CHECK(brCutMesh(NULL, pair.source, pair.cutter, &def, &both, NULL) >= 0);
		double bound =
			brCutCase_VolumeBound(pair.source, pair.cutter) + brCutCase_VolumeBound(pair.cutter, pair.source);
		bool isClean = pair.isClean;
		brMesh* all = modeMerge(pair.source, pair.cutter);
		brCutResult *result = modeResolve(NULL, all), *again = modeResolve(&context, all);
		CHECK_MESSAGE(!isClean || fabs(result->stats.volumeOut - both->stats.volumeOut) <= bound,
					  "round %d: resolved %.17g, union %.17g, bound %g", i, result->stats.volumeOut,
					  both->stats.volumeOut, bound);
		CHECK_EQUAL(brCutCase_Hash(result), brCutCase_Hash(again));
		crossing += result->stats.contacts > 0;
		brDestroyCutResult(both);
		brDestroyCutResult(result);
		brDestroyCutResult(again);
		brDestroyMesh(all);
	}
	CHECK(crossing > rounds / 4);
	brDestroyWorkers(context.workers);
}

// Public meshes that cross themselves come out clean.
BR_TEST(cut_resolve_public_models)
{
	static const char* const names[] = {"models/cow.obj", "models/armadillo-simplified.obj", "models/horse-100k.obj"};
	if (brTest_DataPath(names[0]) == NULL)
	{
		brTest_Skip("the mesh collection is not there");
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
	{
		brMesh* mesh = BR_MADE(brMesh, brLoadMesh, NULL, brTest_DataPath(names[i]));
		CHECK(modeCrossings(mesh) > 0);
		brCutResult* result = modeResolve(NULL, mesh);
		CHECK(result->pieceCount >= 1);
		for (int32_t k = 0; k < result->pieceCount; ++k)
		{
			CHECK_MESSAGE(modeCrossings(result->pieces[k].mesh) == 0, "%s: piece %d crosses itself", names[i], k);
		}
		brDestroyCutResult(result);
		brDestroyMesh(mesh);
	}
}

BR_TEST(cut_resolve_refuses_an_open_mesh)
{
	brRandom random = brTest_Random(test);
	brMesh* sheet = brCutCase_Sheet(&random, 3, 0.1, true);
	brReport report = {0};
	brCutResult* result = NULL;
	CHECK_EQUAL(brResolveMesh(NULL, sheet, NULL, &result, &report), br_errorGeometry);
	CHECK(result == NULL && strstr(report.text, "the mesh is open") != NULL && report.element >= 0);
	CHECK_EQUAL(brResolveMesh(NULL, NULL, NULL, &result, &report), br_errorMisuse);
	brDestroyMesh(sheet);
}

// A box without its lid.
static brMesh* modeCrate(void)
{
	brMesh* box = brShape_Box(1.0, 1.0, 1.0);
	int32_t corners[20], sizes[5] = {4, 4, 4, 4, 4}, count = 0;
	for (int32_t f = 0; f < 6; ++f)
	{
		double top = 0.0;
		for (int k = 0; k < 4; ++k)
		{
			top += box->positions[box->corners[4 * f + k]].z;
		}
		brDBox3 bounds = brMesh_ComputeBounds(box);
		for (int k = 0; k < 4 && top < 4.0 * bounds.upper.z; ++k)
		{
			corners[count++] = box->corners[4 * f + k];
		}
	}
	CHECK_EQUAL(count, 20);
	brMesh* crate = brShape_Make(box->positions, 8, corners, sizes, 5);
	brDestroyMesh(box);
	return crate;
}

static brCutResult* modeFill(const brContext* context, const brMesh* source, const brMesh* cutter)
{
	brCutDef def = brDefaultCutDef();
	def.op = br_cutFill;
	brCutResult* result = BR_MADE(brCutResult, brCutMesh, context, source, cutter, &def);
	int32_t open = 0;
	for (int32_t i = 0; i < result->pieceCount; ++i)
	{
		brMeshCheck check;
		CHECK(brCheckTopology(NULL, result->pieces[i].mesh, &check, NULL) >= 0);
		CHECK_MESSAGE(check.isOriented && check.isManifold && check.nonmanifoldVertices == 0, "piece %d: %s", i,
					  check.verdict);
		CHECK_EQUAL(check.isClosed, result->pieces[i].isClosed);
		open += check.boundaryEdges;
	}
	CHECK_EQUAL(open > 0, result->stats.openEdges > 0);
	return result;
}

// Level with the floor the crate has an inside: the lower part is a closed solid, the upper one keeps its open top.
BR_TEST(cut_fill_caps_where_there_is_an_inside)
{
	brMesh* crate = modeCrate();
	brDBox3 box = brMesh_ComputeBounds(crate);
	double z = 0.5 * (box.lower.z + box.upper.z), x = 0.5 * (box.lower.x + box.upper.x);
	brMesh* level = modeQuad((brDVec3){-9, -9, z}, (brDVec3){9, -9, z}, (brDVec3){9, 9, z}, (brDVec3){-9, 9, z});
	brCutResult* result = modeFill(NULL, crate, level);
	CHECK_EQUAL(result->pieceCount, 2);
	CHECK_EQUAL(result->stats.openEdges, 4);
	int32_t closed = result->pieces[0].isClosed ? 0 : 1;
	CHECK(result->pieces[closed].isClosed && !result->pieces[1 - closed].isClosed);
	CHECK_NEAR(result->pieces[closed].volume, 0.5, 1e-15);
	CHECK_EQUAL(result->pieces[closed].mesh->faceCount, 6);
	CHECK_EQUAL(result->pieces[1 - closed].mesh->faceCount, 5);
	brDestroyCutResult(result);
	brDestroyMesh(level);

	// Upright the inside runs into the outside: the crate is parted as a surface.
	brMesh* upright = modeQuad((brDVec3){x, -9, -9}, (brDVec3){x, 9, -9}, (brDVec3){x, 9, 9}, (brDVec3){x, -9, 9});
	result = modeFill(NULL, crate, upright);
	CHECK_EQUAL(result->pieceCount, 2);
	CHECK(!result->pieces[0].isClosed && !result->pieces[1].isClosed);
	CHECK_EQUAL(result->pieces[0].mesh->faceCount + result->pieces[1].mesh->faceCount, 8);
	brDestroyCutResult(result);
	brDestroyMesh(upright);
	brDestroyMesh(crate);
}

// On a closed source fill and split agree.
BR_TEST(cut_fill_of_a_closed_source_is_a_split)
{
	int32_t rounds = brTest_Rounds(test, 30), compared = 0;
	for (int32_t i = 0; i < rounds; ++i)
	{
		brRandom random = brMakeRandom(test->seed, (uint64_t)i);
		brMesh *source = brCutCase_Solid(&random, 8), *cutter = brCutCase_Sheet(&random, 6, 0.1, i % 2 == 0);
		brCutResult *fill = modeFill(NULL, source, cutter), *split = NULL;
		CHECK(brCutMesh(NULL, source, cutter, NULL, &split, NULL) >= 0);
		if (split->stats.highestWinding == 1 && split->stats.lowestWinding == 0 && split->stats.crumbs == 0)
		{
			double bound = brCutCase_VolumeBound(source, cutter);
			CHECK_EQUAL(fill->stats.openEdges, 0);
			CHECK_NEAR(fill->stats.volumeOut, split->stats.volumeOut, bound);
			CHECK(fill->pieceCount >= split->pieceCount);
			compared += 1;
		}
		brDestroyCutResult(fill);
		brDestroyCutResult(split);
		brDestroyMesh(source);
		brDestroyMesh(cutter);
	}
	CHECK(compared > rounds / 3);
}

// Solids with random holes: pieces are manifold, those that say so are closed, any number of workers gives the same.
BR_TEST(cut_campaign_fill)
{
	int32_t rounds = brTest_Rounds(test, 30), closed = 0, open = 0;
	brContext context = {.workers = brTest_Workers(3)};
	for (int32_t i = 0; i < rounds; ++i)
	{
		brRandom random = brMakeRandom(test->seed, (uint64_t)i);
		brCutCase pair = brCutCase_Make(&random, (brCutCaseKind)(i % br_cutCaseCount));
		pair.source = modeHoles(&random, pair.source, i % 2 == 0 ? 5 : 60);
		brCutResult *result = modeFill(NULL, pair.source, pair.cutter),
					*again = modeFill(&context, pair.source, pair.cutter);
		CHECK_EQUAL(brCutCase_Hash(result), brCutCase_Hash(again));
		for (int32_t k = 0; k < result->pieceCount; ++k)
		{
			closed += result->pieces[k].isClosed;
			open += !result->pieces[k].isClosed;
		}
		brDestroyCutResult(result);
		brDestroyCutResult(again);
		brCutCase_Free(&pair);
	}
	CHECK(closed > 0 && open > 0);
	brDestroyWorkers(context.workers);
}

// Three sheets that cross, each its own cutter: eight pieces, and every cap knows whose it is.
BR_TEST(cut_by_many_names_the_cutters)
{
	brMesh* box = brShape_Box(1.0, 1.0, 1.0);
	brDVec3 m = brDLerp(brMesh_ComputeBounds(box).lower, brMesh_ComputeBounds(box).upper, 0.5);
	brMesh* sheets[3] = {
		modeQuad((brDVec3){m.x, -9, -9}, (brDVec3){m.x, 9, -9}, (brDVec3){m.x, 9, 9}, (brDVec3){m.x, -9, 9}),
		modeQuad((brDVec3){-9, m.y, -9}, (brDVec3){-9, m.y, 9}, (brDVec3){9, m.y, 9}, (brDVec3){9, m.y, -9}),
		modeQuad((brDVec3){-9, -9, m.z}, (brDVec3){9, -9, m.z}, (brDVec3){9, 9, m.z}, (brDVec3){-9, 9, m.z})};
	brReport report = {0};
	brCutResult* result = BR_MADE(brCutResult, brCutMeshByMany, NULL, box, (const brMesh* const*)sheets, 3, NULL);
	CHECK_EQUAL(result->pieceCount, 8);
	for (int32_t i = 0; i < 8; ++i)
	{
		const brCutPiece* piece = &result->pieces[i];
		int32_t caps[3] = {0, 0, 0};
		CHECK_EQUAL(piece->mesh->faceCount, 6);
		for (int32_t f = 0; f < 6; ++f)
		{
			bool isCap = piece->faceKinds[f] != br_faceSource;
			CHECK_EQUAL(piece->faceCutters[f] >= 0, isCap);
			if (!isCap)
			{
				continue;
			}
			int32_t axis = piece->faceCutters[f];
			caps[axis] += 1;
			CHECK_EQUAL(piece->faceParents[f], 0);
			for (int32_t c = piece->mesh->faceStarts[f]; c < piece->mesh->faceStarts[f + 1]; ++c)
			{
				brDVec3 p = piece->mesh->positions[piece->mesh->corners[c]];
				CHECK(axis == 0 ? p.x == m.x : axis == 1 ? p.y == m.y : p.z == m.z);
			}
		}
		CHECK(caps[0] == 1 && caps[1] == 1 && caps[2] == 1);
	}
	brDestroyCutResult(result);
	const brMesh* none[1] = {NULL};
	CHECK_EQUAL(brCutMeshByMany(NULL, box, none, 1, NULL, &result, &report), br_errorMisuse);
	CHECK_EQUAL(brCutMeshByMany(NULL, box, none, 0, NULL, &result, &report), br_errorMisuse);
	for (int i = 0; i < 3; ++i)
	{
		brDestroyMesh(sheets[i]);
	}
	brDestroyMesh(box);
}

// Several sheets that cross at random: pieces are whole and their caps named.
BR_TEST(cut_campaign_many)
{
	int32_t rounds = brTest_Rounds(test, 20);
	for (int32_t i = 0; i < rounds; ++i)
	{
		brRandom random = brMakeRandom(test->seed, (uint64_t)i);
		brMesh* source = brCutCase_Solid(&random, 6);
		const brMesh* cutters[3];
		brMesh* owned[3];
		for (int k = 0; k < 3; ++k)
		{
			owned[k] = brCutCase_Sheet(&random, 3, 0.15, true);
			brAffine map = brMakeAffineIdentity();
			brDVec3 axis = {brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1), 0.3};
			map.m = brMakeMat3FromQuat(brMakeQuatAxisAngle(brDNormalize(axis), brRandom_Range(&random, 0.0, 3.0)));
			map.m.cx = brDMul(3.0, map.m.cx), map.m.cy = brDMul(3.0, map.m.cy), map.m.cz = brDMul(3.0, map.m.cz);
			brMesh_Transform(owned[k], &map);
			cutters[k] = owned[k];
		}
		brCutDef def = brDefaultCutDef();
		def.keepCrumbs = true;
		brCutResult* once = BR_MADE(brCutResult, brCutMeshByMany, NULL, source, cutters, 3, &def);
		const char* flaw = brCutCase_Flaw(once);
		CHECK_MESSAGE(flaw == NULL, "round %d: %s", i, flaw);
		double bound = 0.0, volume = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			bound += brCutCase_VolumeBound(source, cutters[k]);
		}
		for (int32_t k = 0; k < once->pieceCount; ++k)
		{
			volume += once->pieces[k].volume;
			for (int32_t f = 0; f < once->pieces[k].mesh->faceCount; ++f)
			{
				int32_t cutter = once->pieces[k].faceCutters[f];
				CHECK(cutter >= -1 && cutter < 3);
				CHECK(cutter < 0 || once->pieces[k].faceParents[f] < cutters[cutter]->faceCount);
			}
		}
		CHECK_MESSAGE(fabs(volume - once->stats.volumeIn) <= bound, "round %d: %.17g of %.17g", i, volume,
					  once->stats.volumeIn);
		brDestroyCutResult(once);
		for (int k = 0; k < 3; ++k)
		{
			brDestroyMesh(owned[k]);
		}
		brDestroyMesh(source);
	}
}

// A clean cut has no crossings, incisions included; a source that crosses itself keeps them, resolved they are gone.
BR_TEST(cut_counts_crossings)
{
	brDVec3 zero = {0, 0, 0}, two = {2, 2, 2}, aside = {0.5, 0.5, 0.5};
	brMesh *box = modeBox(zero, two), *boxes = modeMerge(modeBox(zero, two), modeBox(aside, two));
	brMesh* slit =
		modeQuad((brDVec3){1.0, -9, 0.7}, (brDVec3){1.0, 9, 0.7}, (brDVec3){1.0, 9, 9}, (brDVec3){1.0, -9, 9});
	brCutDef def = brDefaultCutDef();
	const brMesh* sources[2] = {box, boxes};
	for (int i = 0; i < 2; ++i)
	{
		for (int isAsked = 0; isAsked < 2; ++isAsked)
		{
			brCutResult* result = NULL;
			def.countCrossings = isAsked == 1;
			CHECK(brCutMesh(NULL, sources[i], slit, &def, &result, NULL) >= 0);
			CHECK(isAsked == 0 ? result->stats.selfCrossings == -1
				  : i == 0     ? result->stats.selfCrossings == 0
							   : result->stats.selfCrossings > 0);
			brDestroyCutResult(result);
		}
	}
	brCutResult* resolved = NULL;
	CHECK(brResolveMesh(NULL, boxes, &def, &resolved, NULL) >= 0);
	CHECK_EQUAL(resolved->stats.selfCrossings, 0);
	brDestroyCutResult(resolved);
	brDestroyMesh(box);
	brDestroyMesh(boxes);
	brDestroyMesh(slit);
}

static brResult modeFault(const brContext* context, void* user)
{
	const brMesh* const* meshes = user;
	brCutDef def = brDefaultCutDef();
	def.op = br_cutFill;
	def.countCrossings = true;
	brCutResult *many = NULL, *fill = NULL, *resolved = NULL;
	brResult code = brCutMeshByMany(context, meshes[0], meshes + 1, 2, NULL, &many, NULL);
	code = code < 0 ? code : brCutMesh(context, meshes[3], meshes[1], &def, &fill, NULL);
	code = code < 0 ? code : brResolveMesh(context, meshes[4], NULL, &resolved, NULL);
	brDestroyCutResult(many);
	brDestroyCutResult(fill);
	brDestroyCutResult(resolved);
	return code < 0 ? code : br_success;
}

BR_TEST(cut_modes_survive_every_failed_allocation)
{
	brMesh* meshes[5] = {
		brShape_Box(1, 1, 1),
		modeQuad((brDVec3){-9, -9, 0.4}, (brDVec3){9, -9, 0.4}, (brDVec3){9, 9, 0.4}, (brDVec3){-9, 9, 0.4}),
		modeQuad((brDVec3){0.3, -9, -9}, (brDVec3){0.3, 9, -9}, (brDVec3){0.3, 9, 9}, (brDVec3){0.3, -9, 9}),
		modeCrate(),
		modeMerge(modeBox((brDVec3){0, 0, 0}, (brDVec3){2, 2, 2}),
				  modeBox((brDVec3){0.5, 0.5, 0.5}, (brDVec3){2, 2, 2}))};
	CHECK(brTest_WalkAllocations(modeFault, meshes) > 60);
	for (int i = 0; i < 5; ++i)
	{
		brDestroyMesh(meshes[i]);
	}
}
