// SPDX-License-Identifier: MIT

// The cutter on hand-made cases: each row of the table of answers in docs/cutting.md, attributes, depth, faults.

#include "brittle/cut.h"
#include "brittle/io.h"
#include "brittle/models.h"
#include "cut_cases.h"
#include "harness.h"
#include "mesh/topology.h"
#include "shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static brMesh* cutBoxAt(double x, double y, double z, double dx, double dy, double dz)
{
	brMesh* mesh = brShape_Box(dx, dy, dz);
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		mesh->positions[v] = brDAdd(mesh->positions[v], (brDVec3){x, y, z});
	}
	return mesh;
}

static brMesh* cutQuad(brDVec3 a, brDVec3 b, brDVec3 c, brDVec3 d)
{
	brDVec3 positions[4] = {a, b, c, d};
	int32_t corners[4] = {0, 1, 2, 3}, sizes[1] = {4};
	return brShape_Make(positions, 4, corners, sizes, 1);
}

// Cuts, checks that every piece is a closed manifold, and returns the result. Frees nothing.
static brCutResult* cutClosed(const brMesh* source, const brMesh* cutter, brCutOp op)
{
	brCutDef def = brDefaultCutDef();
	def.op = op;
	brCutResult* result = BR_MADE(brCutResult, brCutMesh, NULL, source, cutter, &def);
	const char* flaw = op == br_cutSurface ? NULL : brCutCase_Flaw(result);
	CHECK_MESSAGE(flaw == NULL, "%s", flaw);
	return result;
}

typedef struct CutRow
{
	brCutOp op;
	int32_t pieces;
	double volume;
	int32_t faces;    // of the first piece; -1: any
	int32_t vertices; // likewise
} CutRow;

static void cutCheckRows(const brMesh* source, const brMesh* cutter, const CutRow* rows, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brCutResult* result = cutClosed(source, cutter, rows[i].op);
		CHECK_EQUAL(result->pieceCount, rows[i].pieces);
		CHECK_NEAR(result->stats.volumeOut, rows[i].volume, 1e-14 * fabs(result->stats.volumeIn) + 1e-300);
		if (rows[i].faces >= 0)
		{
			CHECK_EQUAL(result->pieces[0].mesh->faceCount, rows[i].faces);
			CHECK_EQUAL(result->pieces[0].mesh->vertexCount, rows[i].vertices);
		}
		brDestroyCutResult(result);
	}
}

// Axis permutations and mirrors: exact maps of the same shape.
static void cutPermute(brMesh* mesh, int32_t map)
{
	static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
	brMat3 m = brMakeMat3Identity();
	brDVec3* columns[3] = {&m.cx, &m.cy, &m.cz};
	for (int i = 0; i < 3; ++i)
	{
		double sign = (map / 6 >> i & 1) != 0 ? -1.0 : 1.0;
		int to = orders[map % 6][i];
		*columns[i] = (brDVec3){to == 0 ? sign : 0.0, to == 1 ? sign : 0.0, to == 2 ? sign : 0.0};
	}
	brAffine affine = {m, {0.0, 0.0, 0.0}};
	brMesh_Transform(mesh, &affine);
}

static void cutCheckTable(double x, double y, double z, double size, const CutRow* rows, int32_t count)
{
	for (int32_t map = 0; map < 48; map += 5)
	{
		brMesh *source = brShape_Box(1.0, 1.0, 1.0), *cutter = cutBoxAt(x, y, z, size, size, size);
		cutPermute(source, map);
		cutPermute(cutter, map);
		cutCheckRows(source, cutter, rows, count);
		brDestroyMesh(source);
		brDestroyMesh(cutter);
	}
}

BR_TEST(cut_boxes_that_overlap)
{
	const CutRow rows[] = {{br_cutSplit, 2, 1.0, 9, 14},
						   {br_cutUnion, 1, 1.875, 12, 20},
						   {br_cutIntersection, 1, 0.125, 6, 8},
						   {br_cutDifference, 1, 0.875, 9, 14}};
	cutCheckTable(0.5, 0.5, 0.5, 1.0, rows, 4);
}

// Where a unit is few roundings, both halves of a box are thinner than rounding; nothing at all was the answer, as a
// success.
BR_TEST(cut_too_far_out_is_refused)
{
	brMesh* box = cutBoxAt(1e15, 1e15, 0.0, 1.0, 1.0, 1.0);
	brCutResult* result = NULL;
	brReport report = {0};
	CHECK_EQUAL(
		brCutMeshByPlane(NULL, box, (brDVec3){0.0, 0.0, 0.25}, (brDVec3){0.0, 0.0, 1.0}, NULL, &result, &report),
		br_errorGeometry);
	CHECK_MESSAGE(result == NULL && strstr(report.text, "too far from the origin") != NULL, "%s", report.text);
	brDestroyMesh(box);
}

BR_TEST(cut_boxes_that_are_equal)
{
	const CutRow rows[] = {{br_cutSplit, 1, 1.0, 6, 8},
						   {br_cutUnion, 1, 1.0, 6, 8},
						   {br_cutIntersection, 1, 1.0, 6, 8},
						   {br_cutDifference, 0, 0.0, -1, -1}};
	cutCheckTable(0.0, 0.0, 0.0, 1.0, rows, 4);
}

BR_TEST(cut_boxes_that_touch_along_a_face)
{
	const CutRow rows[] = {{br_cutSplit, 1, 1.0, 6, 8},
						   {br_cutUnion, 1, 2.0, 10, 12},
						   {br_cutIntersection, 0, 0.0, -1, -1},
						   {br_cutDifference, 1, 1.0, 6, 8}};
	cutCheckTable(1.0, 0.0, 0.0, 1.0, rows, 4);
}

BR_TEST(cut_boxes_that_touch_along_an_edge_or_at_a_vertex)
{
	const CutRow rows[] = {{br_cutSplit, 1, 1.0, 6, 8},
						   {br_cutUnion, 2, 2.0, 6, 8},
						   {br_cutIntersection, 0, 0.0, -1, -1},
						   {br_cutDifference, 1, 1.0, 6, 8}};
	cutCheckTable(1.0, 1.0, 0.0, 1.0, rows, 4);
	cutCheckTable(1.0, 1.0, 1.0, 1.0, rows, 4);
}

BR_TEST(cut_box_in_the_corner_of_a_box)
{
	// The union keeps the polygons of the source as they are.
	const CutRow rows[] = {{br_cutSplit, 2, 1.0, -1, -1},
						   {br_cutUnion, 1, 1.0, 6, 8},
						   {br_cutIntersection, 1, 0.125, 6, 8},
						   {br_cutDifference, 1, 0.875, 9, 14}};
	cutCheckTable(0.0, 0.0, 0.0, 0.5, rows, 4);
}

BR_TEST(cut_box_inside_around_and_apart)
{
	const CutRow inside[] = {{br_cutSplit, 2, 1.0, 12, 16},
							 {br_cutUnion, 1, 1.0, 6, 8},
							 {br_cutIntersection, 1, 0.125, 6, 8},
							 {br_cutDifference, 1, 0.875, 12, 16}};
	cutCheckTable(0.25, 0.25, 0.25, 0.5, inside, 4);
	const CutRow around[] = {{br_cutSplit, 1, 1.0, 6, 8},
							 {br_cutUnion, 1, 27.0, 6, 8},
							 {br_cutIntersection, 1, 1.0, 6, 8},
							 {br_cutDifference, 0, 0.0, -1, -1}};
	cutCheckTable(-1.0, -1.0, -1.0, 3.0, around, 4);
	const CutRow apart[] = {{br_cutSplit, 1, 1.0, 6, 8},
							{br_cutUnion, 2, 2.0, 6, 8},
							{br_cutIntersection, 0, 0.0, -1, -1},
							{br_cutDifference, 1, 1.0, 6, 8}};
	cutCheckTable(3.0, 3.0, 3.0, 1.0, apart, 4);
}

BR_TEST(cut_cavity_belongs_to_the_body_around_it)
{
	brMesh *source = brShape_Box(1.0, 1.0, 1.0), *cutter = cutBoxAt(0.25, 0.25, 0.25, 0.5, 0.5, 0.5);
	brCutResult* result = cutClosed(source, cutter, br_cutSplit);
	CHECK_EQUAL(result->pieceCount, 2);
	CHECK_NEAR(result->pieces[0].volume, 0.875, 1e-15);
	CHECK_EQUAL(result->pieces[0].side, 1);
	CHECK_NEAR(result->pieces[1].volume, 0.125, 1e-15);
	CHECK_EQUAL(result->pieces[1].side, -1);
	brDestroyCutResult(result);
	brDestroyMesh(source);
	brDestroyMesh(cutter);
}

BR_TEST(cut_plane_through_and_along)
{
	brMesh* box = brShape_Box(1.0, 1.0, 1.0);
	const struct
	{
		brDVec3 point, normal;
		int32_t pieces, vertices, faces;
	} rows[] = {
		{{0.5, 0.5, 0.25}, {0.0, 0.0, 1.0}, 2, 8, 6}, {{0.0, 0.0, 0.0}, {1.0, -1.0, 0.0}, 2, 6, 5}, // through edges
		{{0.0, 0.0, 1.0}, {0.0, 0.0, 1.0}, 1, 8, 6},                                                // on a face
		{{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}, 1, 8, 6},                                                // at a vertex
		{{0.0, 0.0, 0.0}, {1.0, 1.0, 0.0}, 1, 8, 6},                                                // along an edge
		{{2.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 1, 8, 6},                                                // beside it
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
	{
		brCutResult* result = BR_MADE(brCutResult, brCutMeshByPlane, NULL, box, rows[i].point, rows[i].normal, NULL);
		const char* flaw = brCutCase_Flaw(result);
		CHECK_MESSAGE(flaw == NULL, "%s", flaw);
		CHECK_EQUAL(result->pieceCount, rows[i].pieces);
		CHECK_EQUAL(result->pieces[0].mesh->vertexCount, rows[i].vertices);
		CHECK_EQUAL(result->pieces[0].mesh->faceCount, rows[i].faces);
		CHECK_NEAR(result->stats.volumeOut, 1.0, 1e-14);
		brDestroyCutResult(result);
	}
	brDestroyMesh(box);
}

// A sheet that ends inside leaves one piece with two walls; grown past the far side it splits.
BR_TEST(cut_incision_grows_into_a_split)
{
	brMesh* box = brShape_Box(1.0, 1.0, 1.0);
	for (int i = 0; i < 4; ++i)
	{
		double depth = i == 0 ? 0.5 : i == 1 ? 0.9 : i == 2 ? 0.0 : -0.5;
		brMesh* sheet = cutQuad((brDVec3){0.5, -1.0, depth}, (brDVec3){0.5, 2.0, depth}, (brDVec3){0.5, 2.0, 2.0},
								(brDVec3){0.5, -1.0, 2.0});
		brCutResult* result = cutClosed(box, sheet, br_cutSplit);
		CHECK_EQUAL(result->pieceCount, depth > 0.0 ? 1 : 2);
		CHECK_NEAR(result->stats.volumeOut, 1.0, 1e-15);
		int32_t walls[3] = {0, 0, 0};
		for (int32_t p = 0; p < result->pieceCount; ++p)
		{
			for (int32_t f = 0; f < result->pieces[p].mesh->faceCount; ++f)
			{
				walls[result->pieces[p].faceKinds[f]] += 1;
			}
		}
		CHECK_EQUAL(walls[br_faceCapPositive], 1);
		CHECK_EQUAL(walls[br_faceCapNegative], 1);
		brMeshCheck check;
		brCheckTopology(NULL, result->pieces[0].mesh, &check, NULL);
		CHECK_EQUAL(check.euler, 2); // an incision does not change the genus
		brDestroyCutResult(result);
		brDestroyMesh(sheet);
	}
	// A slit wholly inside one face, and a crack that reaches no surface.
	brMesh* slit = cutQuad((brDVec3){0.5, 0.25, 0.5}, (brDVec3){0.5, 0.75, 0.5}, (brDVec3){0.5, 0.75, 2.0},
						   (brDVec3){0.5, 0.25, 2.0});
	brCutResult* result = cutClosed(box, slit, br_cutSplit);
	CHECK_EQUAL(result->pieceCount, 1);
	CHECK_EQUAL(result->pieces[0].mesh->faceCount, 9); // the face with the slit has two bridges
	brDestroyCutResult(result);
	brMesh* crack = cutQuad((brDVec3){0.5, 0.25, 0.25}, (brDVec3){0.5, 0.75, 0.25}, (brDVec3){0.5, 0.75, 0.75},
							(brDVec3){0.5, 0.25, 0.75});
	result = cutClosed(box, crack, br_cutSplit);
	CHECK_EQUAL(result->pieceCount, 1);
	CHECK_EQUAL(result->pieces[0].mesh->faceCount, 8);
	brDestroyCutResult(result);
	brDestroyMesh(slit);
	brDestroyMesh(crack);
	brDestroyMesh(box);
}

// Three planes through one point and a cutter that crosses itself: all eight corners come apart.
BR_TEST(cut_by_three_crossing_sheets)
{
	brMesh* box = brShape_Box(2.0, 2.0, 2.0);
	brMesh* sheets[3] = {cutQuad((brDVec3){1.0, -1.0, -1.0}, (brDVec3){1.0, 3.0, -1.0}, (brDVec3){1.0, 3.0, 3.0},
								 (brDVec3){1.0, -1.0, 3.0}),
						 cutQuad((brDVec3){-1.0, 1.0, -1.0}, (brDVec3){3.0, 1.0, -1.0}, (brDVec3){3.0, 1.0, 3.0},
								 (brDVec3){-1.0, 1.0, 3.0}),
						 cutQuad((brDVec3){-1.0, -1.0, 1.0}, (brDVec3){3.0, -1.0, 1.0}, (brDVec3){3.0, 3.0, 1.0},
								 (brDVec3){-1.0, 3.0, 1.0})};
	brMesh* cutter = NULL;
	CHECK(brMergeMeshes(NULL, (const brMesh* const*)sheets, 3, &cutter, NULL) >= 0);
	brCutResult* result = cutClosed(box, cutter, br_cutSplit);
	CHECK_EQUAL(result->pieceCount, 8);
	for (int32_t i = 0; i < 8; ++i)
	{
		CHECK_NEAR(result->pieces[i].volume, 1.0, 1e-15);
		CHECK_EQUAL(result->pieces[i].mesh->vertexCount, 8);
	}
	brDestroyCutResult(result);
	brDestroyMesh(cutter);
	for (int i = 0; i < 3; ++i)
	{
		brDestroyMesh(sheets[i]);
	}
	brDestroyMesh(box);
}

// Surface mode on an open mesh: two halves, no caps.
BR_TEST(cut_open_surface)
{
	brRandom random = brTest_Random(test);
	brMesh* sheet = brCutCase_Sheet(&random, 4, 0.0, false);
	brMesh* knife = cutQuad((brDVec3){0.1, -2.0, -1.0}, (brDVec3){0.1, 2.0, -1.0}, (brDVec3){0.1, 2.0, 1.0},
							(brDVec3){0.1, -2.0, 1.0});
	brCutDef def = brDefaultCutDef();
	brReport report = {0};
	brCutResult* result = NULL;
	CHECK_EQUAL(brCutMesh(NULL, sheet, knife, &def, &result, &report), br_errorGeometry);
	CHECK(result == NULL && strstr(report.text, "has no second face") != NULL);
	result = cutClosed(sheet, knife, br_cutSurface);
	CHECK_EQUAL(result->pieceCount, 2);
	double area = 0.0;
	for (int32_t i = 0; i < 2; ++i)
	{
		area += brMesh_ComputeArea(result->pieces[i].mesh);
		CHECK(!result->pieces[i].isClosed);
	}
	CHECK_EQUAL(result->pieces[0].mesh->faceCount + result->pieces[1].mesh->faceCount, 20);
	CHECK_NEAR(area, 4.0, 1e-14);
	brDestroyCutResult(result);
	brDestroyMesh(sheet);
	brDestroyMesh(knife);
}

// Every attribute of an untouched face is the input's; new corners lie between; caps have the interior material.
BR_TEST(cut_keeps_attributes)
{
	brModelDef modelDef = brDefaultModelDef("vase");
	brMesh* vase = NULL;
	brReport report = {0};
	if (brMakeModel(NULL, &modelDef, &vase, &report) < 0)
	{
		modelDef = brDefaultModelDef(brGetModelInfo(0)->name);
		CHECK_RESULT(brMakeModel(NULL, &modelDef, &vase, &report), &report);
	}
	CHECK(vase->uvs != NULL && vase->normals != NULL);
	brDBox3 box = brMesh_ComputeBounds(vase);
	brCutResult* result = BR_MADE(brCutResult, brCutMeshByPlane, NULL, vase, brDLerp(box.lower, box.upper, 0.4),
								  (brDVec3){1.0, 2.0, 3.0}, NULL);
	int32_t untouched = 0, caps = 0;
	for (int32_t p = 0; p < result->pieceCount; ++p)
	{
		const brMesh* mesh = result->pieces[p].mesh;
		CHECK(mesh->uvs != NULL && mesh->normals != NULL && mesh->faceMaterials != NULL);
		for (int32_t f = 0; f < mesh->faceCount; ++f)
		{
			int32_t parent = result->pieces[p].faceParents[f], material = mesh->faceMaterials[f];
			if (result->pieces[p].faceKinds[f] != br_faceSource)
			{
				caps += 1;
				CHECK(strcmp(mesh->materials[material].name, "interior") == 0);
				continue;
			}
			CHECK_EQUAL(material, vase->faceMaterials != NULL ? vase->faceMaterials[parent] : -1);
			int32_t size = brMesh_GetFaceSize(mesh, f), first = mesh->faceStarts[f], other = vase->faceStarts[parent];
			bool isSame = size == brMesh_GetFaceSize(vase, parent);
			for (int32_t c = 0; c < size && isSame; ++c)
			{
				isSame = memcmp(&mesh->positions[mesh->corners[first + c]], &vase->positions[vase->corners[other + c]],
								sizeof(brDVec3)) == 0;
			}
			untouched += isSame;
			for (int32_t c = 0; c < size; ++c)
			{
				const brVec3* n = &mesh->normals[first + c];
				CHECK_NEAR(n->x * n->x + n->y * n->y + n->z * n->z, 1.0, 1e-5);
				CHECK(!isSame || memcmp(&mesh->uvs[first + c], &vase->uvs[other + c], sizeof(brVec2)) == 0);
				CHECK(!isSame || memcmp(n, &vase->normals[other + c], sizeof(brVec3)) == 0);
			}
		}
	}
	CHECK(caps >= 2 && untouched > vase->faceCount / 2);
	brDestroyCutResult(result);
	brDestroyMesh(vase);
}

// Texture coordinates in proportion along a cut edge, from the corners of the face itself.
BR_TEST(cut_interpolates_texture_coordinates)
{
	brDVec3 positions[4] = {{0, 0, 0}, {4, 0, 0}, {4, 2, 0}, {0, 2, 0}};
	int32_t corners[4] = {0, 1, 2, 3}, starts[2] = {0, 4};
	brVec2 uvs[4] = {{0.0f, 0.0f}, {1.0f, 0.0f}, {1.0f, 1.0f}, {0.0f, 1.0f}};
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = 4, def.positions = positions, def.faceCount = 1, def.faceStarts = starts, def.corners = corners;
	def.uvs = uvs;
	brMesh* sheet = NULL;
	CHECK(brCreateMesh(NULL, &def, &sheet, NULL) >= 0);
	brMesh* knife = cutQuad((brDVec3){1.0, -2.0, -1.0}, (brDVec3){1.0, 4.0, -1.0}, (brDVec3){1.0, 4.0, 1.0},
							(brDVec3){1.0, -2.0, 1.0});
	brCutResult* result = cutClosed(sheet, knife, br_cutSurface);
	CHECK_EQUAL(result->pieceCount, 2);
	for (int32_t p = 0; p < 2; ++p)
	{
		const brMesh* mesh = result->pieces[p].mesh;
		CHECK_EQUAL(mesh->faceCount, 1);
		CHECK_EQUAL(mesh->cornerCount, 4);
		for (int32_t c = 0; c < 4; ++c)
		{
			brDVec3 at = mesh->positions[mesh->corners[c]];
			CHECK_NEAR(mesh->uvs[c].x, at.x / 4.0, 1e-7);
			CHECK_NEAR(mesh->uvs[c].y, at.y / 2.0, 1e-7);
		}
	}
	brDestroyCutResult(result);
	brDestroyMesh(sheet);
	brDestroyMesh(knife);
}

// A piece is cut again and again, by planes, sheets and its own earlier caps; each step is checked.
BR_TEST(cut_of_a_cut_twenty_deep)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 4); ++round)
	{
		brMesh* body = brCutCase_Solid(&random, 8);
		double whole = brMesh_ComputeMass(body, 1.0).volume;
		for (int32_t depth = 0; depth < 20; ++depth)
		{
			brDBox3 box = brMesh_ComputeBounds(body);
			brDVec3 middle = brDLerp(box.lower, box.upper, brRandom_Range(&random, 0.4, 0.6));
			double size = brDDistance(box.lower, box.upper);
			brMesh* sheet =
				brCutCase_Sheet(&random, depth % 3 == 0 ? 1 : 4, depth % 3 == 0 ? 0.0 : 0.05, depth % 2 == 0);
			brAffine map = brMakeAffineIdentity();
			brQuat turn =
				brQuat_Normalize((brQuat){brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0),
										  brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0)});
			map.m = brMakeMat3FromQuat(turn);
			map.m.cx = brDMul(size, map.m.cx), map.m.cy = brDMul(size, map.m.cy), map.m.cz = brDMul(size, map.m.cz);
			map.p = middle;
			brMesh_Transform(sheet, &map);
			brCutResult* result = cutClosed(body, sheet, br_cutSplit);
			CHECK_NEAR(result->stats.volumeOut + result->stats.crumbVolume, result->stats.volumeIn,
					   brCutCase_VolumeBound(body, sheet));
			int32_t best = 0;
			for (int32_t i = 1; i < result->pieceCount; ++i)
			{
				best = result->pieces[i].volume > result->pieces[best].volume ? i : best;
			}
			CHECK(result->pieceCount > 0);
			brMesh* next = NULL;
			CHECK(brCopyMesh(NULL, result->pieces[best].mesh, &next, NULL) >= 0);
			brDestroyCutResult(result);
			if (depth % 4 == 3)
			{
				// The same cutter again touches the piece along its own cap.
				result = cutClosed(next, sheet, br_cutSplit);
				brDestroyCutResult(result);
			}
			brDestroyMesh(body);
			brDestroyMesh(sheet);
			body = next;
		}
		CHECK(brMesh_ComputeMass(body, 1.0).volume < whole);
		brDestroyMesh(body);
	}
}

// A source that crosses itself, twice over, is cut into closed pieces and says so.
BR_TEST(cut_source_that_crosses_itself)
{
	brMesh *first = brShape_Sphere(2), *second = brShape_Sphere(2), *source = NULL;
	for (int32_t v = 0; v < second->vertexCount; ++v)
	{
		second->positions[v].x += 0.7;
	}
	const brMesh* both[2] = {first, second};
	CHECK(brMergeMeshes(NULL, both, 2, &source, NULL) >= 0);
	brReport report = {0};
	brCutResult* result = NULL;
	CHECK_RESULT(
		brCutMeshByPlane(NULL, source, (brDVec3){0.3, 0.1, 0.2}, (brDVec3){1.0, 2.0, 3.0}, NULL, &result, &report),
		&report);
	const char* flaw = brCutCase_Flaw(result);
	CHECK_MESSAGE(flaw == NULL, "%s", flaw);
	CHECK_EQUAL(result->stats.highestWinding, 2);
	CHECK_NEAR(result->stats.volumeOut, result->stats.volumeIn, 1e-13);
	brDestroyCutResult(result);

	// Inside out: the pieces are too.
	for (int32_t f = 0; f < first->faceCount; ++f)
	{
		int32_t* c = first->corners + first->faceStarts[f];
		int32_t swap = c[1];
		c[1] = c[2], c[2] = swap;
	}
	CHECK_RESULT(
		brCutMeshByPlane(NULL, first, (brDVec3){0.3, 0.1, 0.2}, (brDVec3){1.0, 2.0, 3.0}, NULL, &result, &report),
		&report);
	flaw = brCutCase_Flaw(result);
	CHECK_MESSAGE(flaw == NULL, "%s", flaw);
	CHECK_EQUAL(result->pieceCount, 2);
	CHECK_EQUAL(result->stats.lowestWinding, -1);
	CHECK(result->pieces[0].volume < 0.0 && result->pieces[1].volume < 0.0);
	brDestroyCutResult(result);
	brDestroyMesh(first);
	brDestroyMesh(second);
	brDestroyMesh(source);
}

// Two hundred planes through one point.
// A source that passes through its own faces, most of which the cutter has too: faces in one plane must be divided
// alike. Rows that were added while others were looked up used to be missed.
BR_TEST(cut_crossing_source_that_shares_faces_with_the_cutter)
{
	for (uint64_t round = 0; round < 60; ++round)
	{
		brRandom random = brMakeRandom(4, round);
		brMesh *source = brShape_Sphere(2), *cutter = brShape_Sphere(2);
		for (int i = 0; i < 3; ++i)
		{
			int32_t v = (int32_t)brRandom_Below(&random, (uint32_t)source->vertexCount);
			source->positions[v] =
				(brDVec3){brRandom_Range(&random, -1.1, 1.1), brRandom_Range(&random, -1.1, 1.1), 0.9};
		}
		for (int op = br_cutSplit; op <= br_cutDifference; ++op)
		{
			brDestroyCutResult(cutClosed(source, cutter, (brCutOp)op));
		}
		brDestroyMesh(source);
		brDestroyMesh(cutter);
	}
}

BR_TEST(cut_by_many_planes_through_one_point)
{
	brRandom random = brTest_Random(test);
	brMesh* sheets[12];
	for (int32_t i = 0; i < 12; ++i)
	{
		// Integer corners, symmetric about the origin: all pass through it exactly.
		brDVec3 u = {(double)brRandom_Below(&random, 17) - 8.0, (double)brRandom_Below(&random, 17) - 8.0, 9.0 + i};
		brDVec3 v = {9.0 + i, (double)brRandom_Below(&random, 17) - 8.0, (double)brRandom_Below(&random, 17) - 8.0};
		sheets[i] = cutQuad(u, v, brDNeg(u), brDNeg(v));
	}
	brMesh* cutter = NULL;
	CHECK(brMergeMeshes(NULL, (const brMesh* const*)sheets, 12, &cutter, NULL) >= 0);
	brMesh* box = cutBoxAt(-1.0, -1.0, -1.0, 2.0, 2.0, 2.0);
	brCutResult* result = cutClosed(box, cutter, br_cutSplit);
	CHECK(result->pieceCount > 24);
	CHECK_NEAR(result->stats.volumeOut + result->stats.crumbVolume, 8.0, 1e-12);
	brDestroyCutResult(result);
	brDestroyMesh(box);
	brDestroyMesh(cutter);
	for (int32_t i = 0; i < 12; ++i)
	{
		brDestroyMesh(sheets[i]);
	}
}

BR_TEST(cut_refuses_what_it_cannot_do)
{
	brMesh* box = brShape_Box(1.0, 1.0, 1.0);
	brMesh* quad = cutQuad((brDVec3){0.5, -1.0, -1.0}, (brDVec3){0.5, 2.0, -1.0}, (brDVec3){0.5, 2.0, 2.0},
						   (brDVec3){0.5, -1.0, 2.0});
	brReport report = {0};
	brCutResult* result = NULL;
	brCutDef def = brDefaultCutDef();
	def.op = br_cutDifference;
	CHECK_EQUAL(brCutMesh(NULL, box, quad, &def, &result, &report), br_errorGeometry);
	CHECK(strstr(report.text, "cutter") != NULL && strstr(report.text, "split") != NULL);
	def.op = br_cutSplit;
	CHECK_EQUAL(brCutMesh(NULL, quad, box, &def, &result, &report), br_errorGeometry);
	def.stamp = 0;
	CHECK_EQUAL(brCutMesh(NULL, box, quad, &def, &result, &report), br_errorMisuse);
	box->positions[3].y = NAN;
	CHECK_EQUAL(brCutMesh(NULL, box, quad, NULL, &result, &report), br_errorGeometry);
	CHECK_EQUAL(report.element, 3);
	CHECK_EQUAL(brCutMeshByPlane(NULL, box, (brDVec3){0}, (brDVec3){0}, NULL, &result, &report), br_errorMisuse);
	CHECK(result == NULL);
	brDestroyMesh(box);
	brDestroyMesh(quad);
}

BR_TEST(cut_separates_components)
{
	brMesh *boxes[3] = {cutBoxAt(0, 0, 0, 1, 1, 1), cutBoxAt(2, 0, 0, 1, 1, 1), cutBoxAt(4, 0, 0, 1, 1, 2)},
		   *all = NULL;
	CHECK(brMergeMeshes(NULL, (const brMesh* const*)boxes, 3, &all, NULL) >= 0);
	brCutResult* result = NULL;
	CHECK(brSeparateMesh(NULL, all, &result, NULL) >= 0);
	CHECK_EQUAL(result->pieceCount, 3);
	for (int32_t i = 0; i < 3; ++i)
	{
		CHECK_EQUAL(result->pieces[i].mesh->faceCount, 6);
		CHECK_NEAR(result->pieces[i].volume, i == 2 ? 2.0 : 1.0, 1e-15);
		CHECK_EQUAL(result->pieces[i].faceParents[0], 6 * i);
		brDestroyMesh(boxes[i]);
	}
	brDestroyCutResult(result);
	brDestroyMesh(all);
}

static brResult cutForFault(const brContext* context, void* user)
{
	const brCutCase* test = user;
	brCutResult* result = NULL;
	brCutDef def = brDefaultCutDef();
	def.op = br_cutDifference;
	brResult code = brCutMesh(context, test->source, test->cutter, &def, &result, NULL);
	brDestroyCutResult(result);
	return code;
}

BR_TEST(cut_survives_every_failed_allocation)
{
	brCutCase pair = {.source = brShape_LPrism(), .cutter = cutBoxAt(0.5, 0.5, 0.0, 1.0, 1.0, 0.5)};
	CHECK(brTest_WalkAllocations(cutForFault, &pair) > 30);
	brCutCase_Free(&pair);
}

BR_TEST(cut_workers_change_nothing)
{
	brRandom random = brTest_Random(test);
	brCutCase pair = {.source = brCutCase_Solid(&random, 12), .cutter = brCutCase_Sheet(&random, 12, 0.1, false)};
	uint64_t hashes[3];
	for (int32_t i = 0; i < 3; ++i)
	{
		brContext context = {.workers = brTest_Workers(i == 2 ? 8 : i + 1)};
		brCutResult* result = NULL;
		CHECK(brCutMesh(&context, pair.source, pair.cutter, NULL, &result, NULL) >= 0);
		hashes[i] = brCutCase_Hash(result);
		brDestroyCutResult(result);
		brDestroyWorkers(context.workers);
	}
	CHECK(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
	brCutCase_Free(&pair);
}

// Public meshes: closed ones are cut by a bumpy sheet, open ones as surfaces; nothing is refused.
BR_TEST(cut_public_models)
{
	static const char* const names[] = {"models/cow.obj",     "models/spot.obj",   "models/suzanne.obj",
										"models/fandisk.obj", "models/teapot.obj", "models/hand.off",
										"models/3holes.off"};
	if (brTest_DataPath("models/spot.obj") == NULL)
	{
		brTest_Skip("the mesh collection is not there");
	}
	brRandom random = brTest_Random(test);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
	{
		brReport report = {0};
		brMesh* mesh = BR_MADE(brMesh, brLoadMesh, NULL, brTest_DataPath(names[i]));
		brDBox3 box = brMesh_ComputeBounds(mesh);
		brMesh* sheet = brCutCase_Sheet(&random, 8, 0.02, false);
		brAffine map = brMakeAffineIdentity();
		double size = brDDistance(box.lower, box.upper);
		map.m.cx = brDMul(size, map.m.cx), map.m.cy = brDMul(size, map.m.cy), map.m.cz = brDMul(size, map.m.cz);
		map.p = brDLerp(box.lower, box.upper, 0.5);
		brMesh_Transform(sheet, &map);
		brCutResult* result = NULL;
		brResult code = brCutMesh(NULL, mesh, sheet, NULL, &result, &report);
		if (code < 0)
		{
			CHECK_MESSAGE(strstr(report.text, "the source is open") != NULL, "%s: %s", names[i], report.text);
			result = cutClosed(mesh, sheet, br_cutSurface);
		}
		else
		{
			const char* flaw = brCutCase_Flaw(result);
			CHECK_MESSAGE(flaw == NULL, "%s: %s", names[i], flaw);
			CHECK_NEAR(result->stats.volumeOut + result->stats.crumbVolume, result->stats.volumeIn,
					   brCutCase_VolumeBound(mesh, sheet));
		}
		CHECK_MESSAGE(result->pieceCount >= 2, "%s is in one piece", names[i]);
		brDestroyCutResult(result);
		brDestroyMesh(sheet);
		brDestroyMesh(mesh);
	}
}
