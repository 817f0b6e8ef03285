// SPDX-License-Identifier: MIT
#include "base/memory.h"
#include "brittle/mesh.h"
#include "harness.h"
#include "mesh/flat_face.h"
#include "shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OUTLINE 12000

static brMesh* makeOutline(const brContext* context, const brDVec3* points, int32_t count)
{
	brAllocator allocator = brContext_Allocator(NULL);
	int32_t* corners = BR_ALLOC(&allocator, int32_t, count);
	for (int32_t i = 0; i < count; ++i)
	{
		corners[i] = i;
	}
	int32_t starts[2] = {0, count};
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = count;
	def.positions = points;
	def.faceCount = 1;
	def.faceStarts = starts;
	def.corners = corners;
	brMesh* mesh = BR_MADE(brMesh, brCreateMesh, context, &def);
	BR_FREE(&allocator, corners, count);
	return mesh;
}

static double turnXY(brDVec3 a, brDVec3 b, brDVec3 c)
{
	return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Twice the area seen along z.
static double outlineArea(const brDVec3* points, int32_t count)
{
	double area = 0.0;
	for (int32_t i = 1; i + 1 < count; ++i)
	{
		area += turnXY(points[0], points[i], points[i + 1]);
	}
	return area;
}

static int compareDoubles(const void* a, const void* b)
{
	double x = *(const double*)a, y = *(const double*)b;
	return (x > y) - (x < y);
}

typedef struct SortedTriangle
{
	double p[3][3];
} SortedTriangle;

static int compareRows(const void* a, const void* b)
{
	for (int i = 0; i < 3; ++i)
	{
		int order = compareDoubles((const double*)a + i, (const double*)b + i);
		if (order != 0)
		{
			return order;
		}
	}
	return 0;
}

static int compareSortedTriangles(const void* a, const void* b)
{
	for (int i = 0; i < 9; ++i)
	{
		int order = compareDoubles((const double*)a + i, (const double*)b + i);
		if (order != 0)
		{
			return order;
		}
	}
	return 0;
}

// The triangles of a one-face mesh as a sorted set of sorted positions, to compare listings of the same face.
static SortedTriangle* sortTriangles(const brMesh* mesh, const brTriangulation* triangles)
{
	SortedTriangle* sorted = malloc((size_t)triangles->triangleCount * sizeof(SortedTriangle));
	for (int32_t t = 0; t < triangles->triangleCount; ++t)
	{
		for (int k = 0; k < 3; ++k)
		{
			brDVec3 p = mesh->positions[mesh->corners[triangles->corners[3 * t + k]]];
			memcpy(sorted[t].p[k], &p, sizeof(p));
		}
		qsort(sorted[t].p, 3, sizeof(double[3]), compareRows);
	}
	qsort(sorted, (size_t)triangles->triangleCount, sizeof(SortedTriangle), compareSortedTriangles);
	return sorted;
}

typedef enum OutlineKind
{
	outlineSimple,  // every triangle must be positive
	outlineTouching // touches itself: areas must still add up, none negative
} OutlineKind;

static void checkOutline(const brDVec3* points, int32_t count, OutlineKind kind)
{
	brMesh* mesh = makeOutline(NULL, points, count);
	brTriangulation* triangles = BR_MADE(brTriangulation, brTriangulateMesh, NULL, mesh);
	CHECK_EQUAL(triangles->triangleCount, count - 2);
	double area = outlineArea(points, count);
	double sign = area < 0.0 ? -1.0 : 1.0;
	double sum = 0.0, absolute = 0.0;
	for (int32_t t = 0; t < triangles->triangleCount; ++t)
	{
		const int32_t* c = triangles->corners + 3 * (int64_t)t;
		CHECK_EQUAL(triangles->faces[t], 0);
		CHECK(c[0] >= 0 && c[0] < count && c[1] >= 0 && c[1] < count && c[2] >= 0 && c[2] < count);
		// Same way round as the face: in the list, the three corners follow each other cyclically.
		int falls = (c[1] < c[0]) + (c[2] < c[1]) + (c[0] < c[2]);
		CHECK_EQUAL(falls, 1);
		double piece = turnXY(points[c[0]], points[c[1]], points[c[2]]);
		if (kind == outlineSimple)
		{
			CHECK_MESSAGE(sign * piece > 0.0, "triangle %d of %d corners has area %g of %g", t, count, piece, area);
		}
		else
		{
			CHECK_MESSAGE(sign * piece >= -1e-12 * fabs(area), "triangle %d has area %g of %g", t, piece, area);
		}
		sum += piece;
		absolute += fabs(piece);
	}
	CHECK_NEAR(sum, area, 1e-12 * (absolute + fabs(area)));
	brDestroyTriangulation(triangles);
	brDestroyMesh(mesh);
}

// Turned and reversed listings must give the same triangles.
static void checkListings(brRandom* random, const brDVec3* points, int32_t count)
{
	brDVec3* listed = malloc((size_t)count * sizeof(brDVec3));
	brMesh* mesh = makeOutline(NULL, points, count);
	brTriangulation* triangles = BR_MADE(brTriangulation, brTriangulateMesh, NULL, mesh);
	SortedTriangle* expected = sortTriangles(mesh, triangles);
	for (int round = 0; round < 4; ++round)
	{
		uint32_t shift = brRandom_Below(random, (uint32_t)count);
		for (int32_t i = 0; i < count; ++i)
		{
			int32_t from = (int32_t)((shift + (uint32_t)i) % (uint32_t)count);
			listed[(round & 1) != 0 ? count - 1 - i : i] = points[from];
		}
		brMesh* other = makeOutline(NULL, listed, count);
		brTriangulation* otherTriangles = BR_MADE(brTriangulation, brTriangulateMesh, NULL, other);
		SortedTriangle* actual = sortTriangles(other, otherTriangles);
		CHECK(memcmp(actual, expected, (size_t)(count - 2) * sizeof(SortedTriangle)) == 0);
		free(actual);
		brDestroyTriangulation(otherTriangles);
		brDestroyMesh(other);
	}
	free(expected);
	brDestroyTriangulation(triangles);
	brDestroyMesh(mesh);
	free(listed);
}

// A fixed tilt by exact axis swaps and mirrors, so that the other projections are used and areas stay what they were.
static void swapAxes(brDVec3* points, int32_t count, uint32_t which)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 p = points[i];
		points[i] = which == 1 ? (brDVec3){p.z, p.x, p.y} : (which == 2 ? (brDVec3){p.y, p.z, p.x} : p);
	}
}

// Star-shaped about the origin: a random radius at rising angles, on a lattice if asked, which brings flat corners.
static int32_t makeStar(brRandom* random, brDVec3* points, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		double angle = 2.0 * BR_PI * (i + 0.4 * brRandom_Unit(random)) / count;
		double radius = brRandom_Range(random, 0.1, 1.0);
		points[i] = (brDVec3){radius * cos(angle), radius * sin(angle), 0.0};
	}
	return count;
}

// A band that winds inwards: almost every corner is blocked at first.
static int32_t makeSpiral(brDVec3* points, int32_t half, double turns)
{
	for (int32_t i = 0; i < half; ++i)
	{
		double t = (double)i / (half - 1);
		double angle = 2.0 * BR_PI * turns * t;
		double radius = 1.0 + 2.0 * turns * t;
		points[i] = (brDVec3){radius * cos(angle), radius * sin(angle), 0.0};
		points[2 * half - 1 - i] = (brDVec3){(radius + 1.0) * cos(angle), (radius + 1.0) * sin(angle), 0.0};
	}
	return 2 * half;
}

// A comb on integer points with extra corners along its straight sides.
static int32_t makeComb(brRandom* random, brDVec3* points, int32_t teeth)
{
	int32_t count = 0;
	for (int32_t t = 0; t < teeth; ++t)
	{
		double height = 2.0 + brRandom_Below(random, 5);
		points[count++] = (brDVec3){2.0 * t, 1.0, 0.0};
		points[count++] = (brDVec3){2.0 * t, height, 0.0};
		points[count++] = (brDVec3){2.0 * t + 1.0, height, 0.0};
		points[count++] = (brDVec3){2.0 * t + 1.0, 1.0, 0.0};
	}
	for (int32_t t = 2 * teeth - 1; t >= 0; --t)
	{
		points[count++] = (brDVec3){t, 0.0, 0.0};
	}
	return count;
}

BR_TEST(triangulate_random_simple_outlines)
{
	brRandom random = brTest_Random(test);
	brDVec3* points = malloc(MAX_OUTLINE * sizeof(brDVec3));
	for (int32_t round = 0; round < brTest_Rounds(test, 1500); ++round)
	{
		int32_t count = makeStar(&random, points, 4 + (int32_t)brRandom_Below(&random, 40));
		if (brRandom_Below(&random, 2) == 0)
		{
			points[0] = brDMul(0.25 * brRandom_Unit(&random), points[0]);
		}
		checkOutline(points, count, outlineSimple);
		checkListings(&random, points, count);
	}
	free(points);
}

BR_TEST(triangulate_spirals_and_combs)
{
	brRandom random = brTest_Random(test);
	brDVec3* points = malloc(MAX_OUTLINE * sizeof(brDVec3));
	for (int32_t round = 0; round < brTest_Rounds(test, 100); ++round)
	{
		int32_t half = 10 + (int32_t)brRandom_Below(&random, 90);
		int32_t count = makeSpiral(points, half, half / 12.0);
		checkOutline(points, count, outlineSimple);
		checkListings(&random, points, count);
		count = makeComb(&random, points, 1 + (int32_t)brRandom_Below(&random, 30));
		checkOutline(points, count, outlineSimple);
		checkListings(&random, points, count);
		swapAxes(points, count, 1 + brRandom_Below(&random, 2));
		checkListings(&random, points, count);
	}
	free(points);
}

BR_TEST(triangulate_quads_by_geometry)
{
	brRandom random = brTest_Random(test);
	// Square: equal diagonals, so the least corner decides, however the square is listed.
	brDVec3 square[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
	checkOutline(square, 4, outlineSimple);
	checkListings(&random, square, 4);
	// A dart has one inner diagonal, the longer one here.
	brDVec3 dart[4] = {{0, 0, 0}, {4, -1, 0}, {1, 0, 0}, {4, 1, 0}};
	checkOutline(dart, 4, outlineSimple);
	checkListings(&random, dart, 4);
	// A triangle with a corner on a side must be cut from that corner.
	brDVec3 flat[4] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 5, 0}};
	checkOutline(flat, 4, outlineSimple);
	for (int32_t round = 0; round < brTest_Rounds(test, 3000); ++round)
	{
		// Bent quads on small integers: ties and flat corners are common.
		brDVec3 quad[4];
		for (int k = 0; k < 4; ++k)
		{
			quad[k] = (brDVec3){(double)brRandom_Below(&random, 4), (double)brRandom_Below(&random, 4),
								(double)brRandom_Below(&random, 3)};
		}
		checkListings(&random, quad, 4);
	}
}

// A corner that stands out from a side by less and less: the short diagonal, which cuts it off, is taken until that
// triangle is thin.
BR_TEST(triangulate_quads_with_thin_corners)
{
	brRandom random = brTest_Random(test);
	int32_t taken[2] = {0};
	for (int32_t round = 0; round < brTest_Rounds(test, 2000); ++round)
	{
		double size = ldexp(1.0, (int)brRandom_Below(&random, 40) - 20), height = size * ldexp(1.0, -18 - round % 20);
		double along = brRandom_Range(&random, 0.9, 1.1) * size, angle = brRandom_Range(&random, 0.0, 6.28);
		brDVec2 flat[4] = {{0.0, 0.0}, {along, -height}, {2.0 * size, 0.0}, {along, 3.0 * size}};
		brDVec3 quad[4];
		for (int k = 0; k < 4; ++k)
		{
			flat[k] = (brDVec2){cos(angle) * flat[k].x - sin(angle) * flat[k].y,
								sin(angle) * flat[k].x + cos(angle) * flat[k].y};
			quad[k] = brMakeDVec3(flat[k].x, flat[k].y, 0.0);
		}
		brMesh* mesh = makeOutline(NULL, quad, 4);
		brTriangulation* triangles = BR_MADE(brTriangulation, brTriangulateMesh, NULL, mesh);
		double grain = brFaceGrain(mesh, mesh->corners, 4);
		bool isThin = brIsThin(flat[0], flat[1], flat[2], BR_FACE_THIN, grain), cuts13 = true;
		for (int k = 0; k < 2; ++k)
		{
			const int32_t* c = triangles->corners + 3 * k;
			cuts13 = cuts13 && (c[0] == 1 || c[1] == 1 || c[2] == 1);
		}
		CHECK(cuts13 == isThin);
		taken[isThin] += 1;
		brDestroyTriangulation(triangles);
		brDestroyMesh(mesh);
	}
	CHECK(taken[0] > 0 && taken[1] > 0);
}

BR_TEST(triangulate_outlines_that_touch_themselves)
{
	brRandom random = brTest_Random(test);
	// A square with a square hole reached by a bridge that is walked twice.
	brDVec3 keyhole[10] = {{0, 0, 0}, {6, 0, 0}, {6, 6, 0}, {0, 6, 0}, {0, 0, 0},
						   {2, 2, 0}, {2, 4, 0}, {4, 4, 0}, {4, 2, 0}, {2, 2, 0}};
	CHECK_NEAR(outlineArea(keyhole, 10), 2.0 * 32.0, 0.0);
	checkOutline(keyhole, 10, outlineTouching);
	checkListings(&random, keyhole, 10);
	// Corners listed twice in a row.
	brDVec3 doubled[8] = {{0, 0, 0}, {0, 0, 0}, {5, 0, 0}, {5, 0, 0}, {5, 0, 0}, {4, 3, 0}, {1, 1, 0}, {1, 1, 0}};
	checkOutline(doubled, 8, outlineTouching);
	checkListings(&random, doubled, 8);
}

// A long thin face with corners in a row, as where a cut runs along a floor: thin triangles that have a height come
// before those that rounding alone keeps from being none. The latter cross what lies on the row.
BR_TEST(triangulate_rows_in_thin_faces)
{
	enum
	{
		row = 12
	};
	brDVec3 positions[row + 1];
	int32_t corners[row + 1], size = row + 1;
	brDVec3 u = brDNormalize(brMakeDVec3(0.72, 0.69, 0.05)),
			v = brDNormalize(brDCross(brMakeDVec3(-0.56, 0.58, 0.6), u));
	for (int32_t i = 0; i <= row; ++i)
	{
		brDVec2 at = i < row ? (brDVec2){0.02 * i, 0.0} : (brDVec2){0.25, 3e-8};
		positions[i] = brDMulAdd(brDMulAdd(brMakeDVec3(-0.2, 0.1, 2e-5), at.x, u), at.y, v);
		corners[i] = i;
	}
	brMesh* mesh = brShape_Make(positions, row + 1, corners, &size, 1);
	brTriangulation* triangles = BR_MADE(brTriangulation, brTriangulateMesh, NULL, mesh);
	for (int32_t t = 0; t < triangles->triangleCount; ++t)
	{
		brDVec3 p[3];
		for (int32_t k = 0; k < 3; ++k)
		{
			p[k] = mesh->positions[mesh->corners[triangles->corners[3 * t + k]]];
		}
		brDVec3 ab = brDSub(p[1], p[0]), ac = brDSub(p[2], p[0]);
		CHECK_MESSAGE(brDLength(brDCross(ab, ac)) > 1e-12 * brDLength(ac), "triangle %d has no height", t);
	}
	brDestroyTriangulation(triangles);
	brDestroyMesh(mesh);
}

// A row of corners in floats under an arc whose ends all but lie on the row, in any plane: no triangle stands on the row
// alone. Ears taken from the wrong end leave such behind.
BR_TEST(triangulate_rows_below_arcs_in_floats)
{
	enum
	{
		row = 60,
		arc = 24
	};
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 100); ++round)
	{
		brDVec3 positions[row + arc];
		int32_t corners[row + arc], size = row + arc;
		brDVec3 u = brDNormalize(brMakeDVec3(brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1), 0.0));
		brDVec3 v =
			brDNormalize(brDCross(brMakeDVec3(brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1), 0.3), u));
		for (int32_t i = 0; i < row + arc; ++i)
		{
			double turn = 3.14159265358979 * (i - row + 1.0) / (arc + 1.0);
			double along = (i + 0.5 + brRandom_Range(&random, -0.4, 0.4)) / row - 0.5;
			brDVec2 at =
				i < row ? (brDVec2){along, 0.0} : (brDVec2){0.5 * cos(turn), 0.2 * pow(sin(turn), 1.0 + round % 5)};
			brDVec3 p = brDMulAdd(brDMulAdd(brMakeDVec3(0.1, -0.2, 3.0), at.x, u), at.y, v);
			positions[i] = brToDVec3(brToVec3(p));
			corners[i] = i;
		}
		brMesh* mesh = brShape_Make(positions, row + arc, corners, &size, 1);
		brTriangulation* triangles = BR_MADE(brTriangulation, brTriangulateMesh, NULL, mesh);
		for (int32_t t = 0; t < triangles->triangleCount; ++t)
		{
			const int32_t* c = triangles->corners + 3 * (size_t)t;
			CHECK_MESSAGE(c[0] >= row || c[1] >= row || c[2] >= row, "round %d: %d %d %d in a row", round, c[0], c[1],
						  c[2]);
		}
		brDestroyTriangulation(triangles);
		brDestroyMesh(mesh);
	}
}

BR_TEST(triangulate_outlines_that_are_not_simple)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 2000); ++round)
	{
		// Any list of points at all, crossing, folded, on one line or all in one place.
		brDVec3 points[12];
		int32_t count = 4 + (int32_t)brRandom_Below(&random, 9);
		uint32_t range = 1 + brRandom_Below(&random, 5);
		for (int32_t k = 0; k < count; ++k)
		{
			points[k] = (brDVec3){(double)brRandom_Below(&random, range), (double)brRandom_Below(&random, range),
								  (double)brRandom_Below(&random, 1 + round % 2)};
		}
		checkListings(&random, points, count);
	}
	// A bow tie of five corners cannot be clipped: its thinnest corners go first.
	brDVec3 crossed[5] = {{1, 0, 0}, {3, 2, 0}, {3, 0, 0}, {1, 2, 0}, {0, 1, 0}};
	brMesh* mesh = makeOutline(NULL, crossed, 5);
	brTriangulation* triangles = BR_MADE(brTriangulation, brTriangulateMesh, NULL, mesh);
	CHECK_EQUAL(triangles->triangleCount, 3);
	brDestroyTriangulation(triangles);
	brDestroyMesh(mesh);
}

BR_TEST(triangulate_is_exact_at_any_scale)
{
	// A long thin outline whose flat and nearly flat corners defeat rounded arithmetic, far away and at extreme scales.
	double scales[5] = {1.0, 0x1p-1000, 0x1p-600, 0x1p600, 0x1p950};
	for (int s = 0; s < 5; ++s)
	{
		brDVec3 points[64];
		int32_t count = 0;
		for (int32_t i = 0; i <= 20; ++i)
		{
			points[count++] = (brDVec3){scales[s] * (1.0 + i * 0x1p-40), scales[s] * (1.0 + i * 0x1p-40), 0.0};
		}
		points[count++] = (brDVec3){scales[s] * (1.0 + 10.0 * 0x1p-40), scales[s] * (1.0 + 11.0 * 0x1p-40), 0.0};
		brMesh* mesh = makeOutline(NULL, points, count);
		brTriangulation* triangles = BR_MADE(brTriangulation, brTriangulateMesh, NULL, mesh);
		for (int32_t t = 0; t < triangles->triangleCount; ++t)
		{
			// All of the run but the last lie on one line, so each triangle must have the last as a corner.
			const int32_t* c = triangles->corners + 3 * t;
			CHECK(c[0] == count - 1 || c[1] == count - 1 || c[2] == count - 1);
		}
		brDestroyTriangulation(triangles);
		brDestroyMesh(mesh);
	}
}

BR_TEST(triangulate_large_outlines_in_time)
{
	brRandom random = brTest_Random(test);
	brDVec3* points = malloc(MAX_OUTLINE * sizeof(brDVec3));
	int32_t corners = brTest_Rounds(test, 10000) + 100;
	int32_t count = makeStar(&random, points, corners < MAX_OUTLINE ? corners : MAX_OUTLINE);
	checkOutline(points, count, outlineSimple);
	count = makeSpiral(points, 5000, 40.0);
	checkOutline(points, count, outlineSimple);
	count = makeComb(&random, points, 1900);
	checkOutline(points, count, outlineSimple);
	free(points);
}

static brMesh* makeMixedFaces(brRandom* random, int32_t faceCount)
{
	brDVec3* points = malloc((size_t)faceCount * 12 * sizeof(brDVec3));
	int32_t* corners = malloc((size_t)faceCount * 12 * sizeof(int32_t));
	int32_t* starts = malloc(((size_t)faceCount + 1) * sizeof(int32_t));
	starts[0] = 0;
	for (int32_t f = 0; f < faceCount; ++f)
	{
		int32_t size = 3 + (int32_t)brRandom_Below(random, 10);
		makeStar(random, points + starts[f], size);
		starts[f + 1] = starts[f] + size;
	}
	for (int32_t c = 0; c < starts[faceCount]; ++c)
	{
		corners[c] = c;
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = starts[faceCount];
	def.positions = points;
	def.faceCount = faceCount;
	def.faceStarts = starts;
	def.corners = corners;
	brMesh* mesh = BR_MADE(brMesh, brCreateMesh, NULL, &def);
	free(points);
	free(corners);
	free(starts);
	return mesh;
}

BR_TEST(triangulate_same_for_any_workers)
{
	brRandom random = brTest_Random(test);
	brMesh* mesh = makeMixedFaces(&random, 20000);
	brTriangulation* alone = BR_MADE(brTriangulation, brTriangulateMesh, NULL, mesh);
	for (int32_t w = 2; w <= 5; w += 3)
	{
		brContext context = {.workers = brTest_Workers(w)};
		brTriangulation* shared = BR_MADE(brTriangulation, brTriangulateMesh, &context, mesh);
		CHECK_EQUAL(shared->triangleCount, alone->triangleCount);
		CHECK(memcmp(shared->corners, alone->corners, 3 * (size_t)alone->triangleCount * sizeof(int32_t)) == 0);
		CHECK(memcmp(shared->faces, alone->faces, (size_t)alone->triangleCount * sizeof(int32_t)) == 0);
		brDestroyTriangulation(shared);
		brDestroyWorkers(context.workers);
	}
	brDestroyTriangulation(alone);
	brDestroyMesh(mesh);
}

static brResult triangulateOnce(const brContext* context, void* user)
{
	brTriangulation* triangles = NULL;
	brResult result = brTriangulateMesh(context, user, &triangles, NULL);
	CHECK((result < 0) == (triangles == NULL));
	brDestroyTriangulation(triangles);
	return result;
}

BR_TEST(triangulate_survives_failing_allocations)
{
	brRandom random = brTest_Random(test);
	brMesh* mesh = makeMixedFaces(&random, 50);
	CHECK(brTest_WalkAllocations(triangulateOnce, mesh) >= 7);
	brDestroyMesh(mesh);
	CHECK_EQUAL(brTriangulateMesh(NULL, NULL, NULL, NULL), br_errorMisuse);
}
