// SPDX-License-Identifier: MIT

// From a mesh to a solid: axes, links, tree, how thick it is, points in their order, and what far points need to know.

#include "contact/solid.h"

#include "base/cpu.h"
#include "base/hash.h"
#include "contact/point_order.h"
#include "math/rotation.h"

#include <string.h>

// A hull stands for a mesh whose corners lie within this of all its face planes, as a part of its size, and of its
// thickness.
#define SOLID_CONVEX_SIZE 0.01
#define SOLID_CONVEX_THICKNESS 0.05

// Samples are no farther from any place of the surface than this part of the thickness.
#define SOLID_SPACING 0.25

// Balls that are put into the solid to find its thickness.
#define SOLID_BALLS 32

// Cells of the coarse grid along the sides of a cube; fewer for few triangles, which are soon searched: there each cell
// costs more when the solid is made than it saves until it is gone. What is flat or long has smaller ones, two thirds as
// many in all: what the middle of a large one knows says little about its corners.
#define SOLID_CELLS 12
#define SOLID_FEW_CELLS 8
#define SOLID_FEW_TRIANGLES 256
#define SOLID_MIN_CELLS 4
#define SOLID_MIN_TRIANGLES 32

// Where empty lanes of points lie.
#define SOLID_NOWHERE 1e18f

// Below so many triangles a solid is made before a team is awake.
#define SOLID_SHARED_TRIANGLES 1000

// Two blocks of scratch: one by triangles and vertices, one by points.
typedef struct SolidWork
{
	brAllocator allocator;
	brSolidTriangles triangles;
	brTriangulation* cut; // of polygons, or null
	char* block;
	size_t blockBytes, scratchBytes; // the scratch is what it begins with
	brVec3* vertices;
	brDVec3* exact;
	int32_t *order, *placeOf;
	brShape* bare; // triangles without points
	brSamples samples;
	char* pointBlock; // the scratch, if that is enough
	size_t pointBytes;
	void* pointScratch;
	int32_t *pointOrder, *pointParents, *pointPlaces;
	brVec3* pointPositions;
	float* pointRadii;
} SolidWork;

static void solidFree(SolidWork* work)
{
	if (work->pointBlock != work->block)
	{
		brFree(&work->allocator, work->pointBlock, work->pointBytes);
	}
	brFree(&work->allocator, work->block, work->blockBytes);
	brFreeSamples(&work->allocator, &work->samples);
	brDestroyTriangulation(work->cut);
}

// The next so many elements of a block, or, without one, how far they reach.
static void* solidCarve(char* block, size_t* at, size_t elementBytes, int64_t count)
{
	void* here = block != NULL ? block + *at : NULL;
	*at += brSolidAlign(elementBytes * (size_t)count);
	return here;
}

static size_t solidGreater(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t solidCarveTriangles(SolidWork* work)
{
	brSolidTriangles* t = &work->triangles;
	int64_t triangles = t->triangleCount, vertices = t->vertexCount;
	size_t at = 0, scratch = brLinkScratchBytes(3 * t->triangleCount, t->vertexCount);
	t->scratch = work->block;
	solidCarve(work->block, &at, solidGreater(scratch, brOrderScratchBytes(t->triangleCount)), 1);
	t->exact = work->exact = solidCarve(work->block, &at, sizeof(brDVec3), vertices);
	t->cornerFans = solidCarve(work->block, &at, 3 * sizeof(int32_t), triangles);
	// Samples, hulls and points have no use for any of these, and write over them.
	at = solidGreater(at, brSolidAlign(brSampleScratchBytes(t->triangleCount, t->vertexCount)));
	work->scratchBytes = at;
	t->vertices = work->vertices = solidCarve(work->block, &at, sizeof(brVec3), vertices);
	t->triangles = solidCarve(work->block, &at, 3 * sizeof(int32_t), triangles);
	t->across = solidCarve(work->block, &at, 3 * sizeof(int32_t), triangles);
	t->normals = solidCarve(work->block, &at, sizeof(brDVec3), triangles);
	t->areas = solidCarve(work->block, &at, sizeof(double), triangles);
	work->order = solidCarve(work->block, &at, sizeof(int32_t), triangles);
	work->placeOf = solidCarve(work->block, &at, sizeof(int32_t), triangles);
	t->fans = solidCarve(work->block, &at, sizeof(brVec3), 3 * triangles);
	brSolidCounts most = {.triangles = t->triangleCount, .fans = 3 * t->triangleCount};
	work->bare = solidCarve(work->block, &at, brMakeSolidLayout(&most).total, 1);
	return at;
}

static size_t solidCarvePoints(SolidWork* work)
{
	int64_t count = work->samples.pointCount;
	size_t at = 0;
	work->pointScratch = solidCarve(work->pointBlock, &at, brOrderPointsBytes(work->samples.pointCount, -1), 1);
	work->pointOrder = solidCarve(work->pointBlock, &at, sizeof(int32_t), count);
	work->pointParents = solidCarve(work->pointBlock, &at, sizeof(int32_t), count);
	work->pointPlaces = solidCarve(work->pointBlock, &at, sizeof(int32_t), count);
	work->pointPositions = solidCarve(work->pointBlock, &at, sizeof(brVec3), count);
	work->pointRadii = solidCarve(work->pointBlock, &at, sizeof(float), count);
	return at;
}

// Triangles of the mesh; polygons are cut first.
static brResult solidTriangulate(const brContext* context, const brMesh* mesh, SolidWork* work, brReport* report)
{
	const brAllocator* allocator = &work->allocator;
	brSolidTriangles* t = &work->triangles;
	t->vertexCount = mesh->vertexCount;
	int32_t count = mesh->faceCount;
	bool isCut = mesh->cornerCount != 3 * (int64_t)mesh->faceCount;
	if (isCut)
	{
		brResult result = brTriangulateMesh(context, mesh, &work->cut, report);
		if (result < 0)
		{
			return result;
		}
		count = work->cut->triangleCount;
	}
	if (count < 1 || count > BR_SOLID_MAX_TRIANGLES)
	{
		return brFail(report, count < 1 ? br_errorGeometry : br_errorLimit, "a mesh of %d triangles is no shape",
					  count);
	}
	t->triangleCount = count;
	work->blockBytes = solidCarveTriangles(work);
	work->block = brAlloc(allocator, work->blockBytes);
	if (work->block == NULL)
	{
		return brFailMemory(report);
	}
	solidCarveTriangles(work);
	for (int32_t i = 0; i < count; ++i)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			t->triangles[i][k] = mesh->corners[isCut ? work->cut->corners[3 * i + k] : 3 * i + k];
		}
	}
	return br_success;
}

static void solidMeasureBox(brShape* shape, const brSolidTriangles* t)
{
	brVec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
	float radiusSq = 0.0f;
	const int32_t* corners = &t->triangles[0][0];
	for (int32_t i = 0; i < 3 * t->triangleCount; ++i)
	{
		brVec3 p = t->vertices[corners[i]];
		float lengthSq = brDot(p, p);
		lower = brMin(lower, p), upper = brMax(upper, p);
		radiusSq = lengthSq > radiusSq ? lengthSq : radiusSq;
	}
	shape->radius = brRoundUp(sqrt((double)radiusSq) * (1.0 + 1e-6));
	shape->half = brMul(0.5f * (1.0f + 1e-6f), brSub(upper, lower));
	shape->boxCenter = brMul(0.5f, brAdd(upper, lower));
}

// Radius of the largest ball inside that touches the surface at p, on the triangle `hint`, shrunk until nothing is
// inside it (Ma et al. 2012).
static double solidBall(const brSolid* solid, int32_t hint, brDVec3 p, brDVec3 n, double radius)
{
	for (int32_t i = 0; i < 16; ++i)
	{
		brVec3 center = brToVec3(brDMulAdd(p, -radius, n));
		// What touches it does not matter.
		float bound = (float)(0.9951 * radius);
		float boundSq = bound * bound;
		int32_t place = brSolid_Nearest(solid, center, hint, &boundSq);
		hint = place;
		if (place < 0 || sqrt((double)boundSq) > 0.995 * radius)
		{
			break;
		}
		brFieldAnswer answer;
		brSolid_AnswerAt(solid, place, center, &answer);
		brDVec3 d = brDSub(p, brToDVec3(answer.nearest));
		double along = brDDot(d, n);
		if (!(along > 0.0))
		{
			break;
		}
		double next = brDLengthSq(d) / (2.0 * along);
		if (!(next < 0.999 * radius))
		{
			break;
		}
		radius = next;
	}
	return radius;
}

// Places spread evenly over the area, a ball at each, and the size that most of them do not exceed. Cores are the
// middles of the largest and, of those not smaller than most, of the one that is farthest from it.
static double solidThickness(const brSolid* solid, const brSolidTriangles* t, const int32_t* placeOf,
							 brVec3 outCores[2])
{
	double total = 0.0, radii[SOLID_BALLS], sizes[SOLID_BALLS];
	brVec3 middles[SOLID_BALLS];
	for (int32_t i = 0; i < t->triangleCount; ++i)
	{
		total += t->areas[i];
	}
	brVec3 half = solid->shape->half;
	double largest = (double)fminf(half.x, fminf(half.y, half.z));
	double passed = 0.0;
	int32_t triangle = 0, count = 0, largestAt = 0;
	for (int32_t i = 0; i < SOLID_BALLS; ++i)
	{
		double at = total * (i + 0.5) / SOLID_BALLS;
		while (triangle + 1 < t->triangleCount && passed + t->areas[triangle] < at)
		{
			passed += t->areas[triangle++];
		}
		// A sequence of low discrepancy in the unit square, folded into the triangle.
		double u = 0.5 + 0.7548776662466927 * i, v = 0.5 + 0.5698402909980532 * i;
		u -= (int32_t)u, v -= (int32_t)v;
		u = u + v > 1.0 ? 1.0 - u : u, v = u + v > 1.0 ? 1.0 - v : v;
		const int32_t* c = t->triangles[triangle];
		brDVec3 a = brToDVec3(t->vertices[c[0]]);
		brDVec3 p = brDMulAdd(brDMulAdd(a, u, brDSub(brToDVec3(t->vertices[c[1]]), a)), v,
							  brDSub(brToDVec3(t->vertices[c[2]]), a));
		double radius = solidBall(solid, placeOf[triangle], p, t->normals[triangle], 1.01 * largest);
		sizes[i] = radius;
		middles[i] = brToVec3(brDMulAdd(p, -radius, t->normals[triangle]));
		largestAt = radius > sizes[largestAt] ? i : largestAt;
		int32_t k = count++;
		for (; k > 0 && radii[k - 1] > radius; --k)
		{
			radii[k] = radii[k - 1];
		}
		radii[k] = radius;
	}
	// Where the lesser half of the balls is alike, it is a shell, whatever else hangs on it. Balls near the edges of a
	// block are small whatever its size; so the more they differ, the more is added to what three quarters of them do
	// not exceed.
	double least = radii[SOLID_BALLS / 4], middle = radii[SOLID_BALLS / 2], most = radii[SOLID_BALLS * 3 / 4];
	double radius = middle < 1.4 * least ? middle : most * fmin(2.0, most / fmax(middle, 1e-12));
	outCores[0] = outCores[1] = middles[largestAt];
	for (int32_t i = 0; i < SOLID_BALLS; ++i)
	{
		bool isFarther = brLength(brSub(middles[i], outCores[0])) > brLength(brSub(outCores[1], outCores[0]));
		outCores[1] = sizes[i] >= middle && isFarther ? middles[i] : outCores[1];
	}
	return 2.0 * fmin(radius, largest);
}

// Distances at the centers of a layer of cells; each search starts from what the cell before knew, at the start of a
// row from the one below. A hint changes no answer, so layers may be filled in any order.
static void solidFillCells(const brSolid* solid, int32_t z)
{
	const int32_t* n = solid->cellCounts;
	brSolidCell* cell = (brSolidCell*)solid->cells + (size_t)z * (size_t)n[1] * (size_t)n[0];
	int32_t hint = 0;
	for (int32_t y = 0; y < n[1]; ++y)
	{
		hint = y > 0 ? cell[-n[0]].triangle : hint;
		for (int32_t x = 0; x < n[0]; ++x)
		{
			brVec3 p = {(float)x * solid->cellSize.x, (float)y * solid->cellSize.y, (float)z * solid->cellSize.z};
			p = brAdd(p, solid->cellOrigin);
			float boundSq = INFINITY;
			hint = brSolid_Nearest(solid, p, hint, &boundSq);
			brFieldAnswer answer;
			brSolid_AnswerAt(solid, hint, p, &answer);
			*cell++ = (brSolidCell){answer.distance, hint};
		}
	}
}

// Edges by the new numbers, sorted by where they begin: at the finer of their ends. The balls above hold them as well.
static void solidFillEdges(brShape* shape, const brSolid* solid, const SolidWork* work)
{
	brSolidPoint* points = (brSolidPoint*)solid->points;
	brSolidEdge* edges = (brSolidEdge*)solid->edges;
	const brSamples* samples = &work->samples;
	for (int32_t i = 0; i < samples->edgeCount; ++i)
	{
		int32_t a = work->pointPlaces[samples->edges[i].a], b = work->pointPlaces[samples->edges[i].b];
		points[a > b ? a : b].firstEdge += 1;
	}
	int32_t first = 0;
	for (int32_t i = 0; i < samples->pointCount; ++i)
	{
		first += points[i].firstEdge;
		points[i].firstEdge = first; // where they end, until they are filled in
	}
	for (int32_t i = samples->edgeCount - 1; i >= 0; --i)
	{
		brSolidEdge edge = samples->edges[i];
		int32_t a = work->pointPlaces[edge.a], b = work->pointPlaces[edge.b];
		edge.a = a > b ? a : b;
		edge.b = a > b ? b : a;
		edges[--points[edge.a].firstEdge] = edge;
		float length = brLength(brSub(points[edge.b].place, points[edge.a].place)) * (1.0f + 1e-6f);
		points[edge.a].edgeReach = length > points[edge.a].edgeReach ? length : points[edge.a].edgeReach;
		shape->edgeReach = length > shape->edgeReach ? length : shape->edgeReach;
		for (int32_t k = edge.a; k >= 0; k = work->pointParents[k])
		{
			brVec3 way = brSub(points[edge.b].place, points[k].place);
			// Most are within the ball: no root for them.
			if (brDot(way, way) > 0.9999f * points[k].radius * points[k].radius)
			{
				float radius = brLength(way) * (1.0f + 1e-6f);
				points[k].radius = radius > points[k].radius ? radius : points[k].radius;
			}
		}
	}
}

// Points in their order with the tree over them, and edges.
static void solidFillPoints(brShape* shape, const brSolid* solid, SolidWork* work)
{
	const brSamples* samples = &work->samples;
	int32_t count = samples->pointCount;
	brOrderPointsIn(work->pointScratch, brCpu_Best(), samples->places, count, -1, work->pointOrder, work->pointParents);
	brSolidPoint* points = (brSolidPoint*)solid->points;
	brPointNormals* normals = (brPointNormals*)solid->normals;
	for (int32_t i = 0; i < count; ++i)
	{
		work->pointPlaces[work->pointOrder[i]] = i;
		work->pointPositions[i] = samples->places[work->pointOrder[i]];
	}
	brMeasurePointTree(work->pointPositions, work->pointParents, count, work->pointRadii);
	for (int32_t i = 0; i < count; ++i)
	{
		points[i] = (brSolidPoint){work->pointPositions[i], work->pointRadii[i], -1, -1, 0, 0.0f};
		normals[i] = samples->normals[work->pointOrder[i]];
		if (solid->curves != NULL)
		{
			((brPointCurve*)solid->curves)[i] = samples->curves[work->pointOrder[i]];
		}
	}
	for (int32_t i = count - 1; i > 0; --i)
	{
		brSolidPoint* parent = &points[work->pointParents[i]];
		points[i].nextSibling = parent->firstChild;
		parent->firstChild = i;
	}
	solidFillEdges(shape, solid, work);
	for (int32_t i = 0; i < BR_TRIANGLE_LANES * solid->blockCount; ++i)
	{
		brVec3 p = i < count ? points[i].place : brMakeVec3(SOLID_NOWHERE, SOLID_NOWHERE, SOLID_NOWHERE);
		const float at[3] = {p.x, p.y, p.z};
		for (int k = 0; k < 3; ++k)
		{
			((brFloat8*)solid->places[k])[i / BR_TRIANGLE_LANES][i % BR_TRIANGLE_LANES] = at[k];
		}
	}
}

static brResult solidFrame(const brShapeDef* def, double size, brShape* head, brMassProperties* outMass,
						   brReport* report)
{
	const brMesh* mesh = def->mesh;
	brMassProperties mass = def->solid != NULL ? *def->solid : brMesh_ComputeMass(mesh, 1.0);
	*outMass = mass;
	if (!(mass.volume > 1e-9 * size * size * size))
	{
		return brFail(report, br_errorGeometry, "the mesh holds %g m^3: it is flat, open or inside out", mass.volume);
	}
	double moments[3];
	const brMat3* j = &mass.inertia;
	brMat3 axes = brEigenSymmetric(j->cx.x, j->cy.y, j->cz.z, j->cy.x, j->cz.x, j->cz.y, moments);
	head->frame.p = mass.center;
	head->frame.q = brMakeQuatFromMat3(&axes);
	head->volume = mass.volume;
	head->inertia = brMakeDVec3(moments[0], moments[1], moments[2]);
	return br_success;
}

// A shape with the counts and measures of `head` and nothing in its arrays, in memory that it fits.
static void solidBegin(brShape* shape, const brShape* head, const brAllocator* allocator)
{
	brSolidCounts counts = brShape_SolidCounts(head);
	brSolidLayout layout = brMakeSolidLayout(&counts);
	memset(shape, 0, layout.total);
	*shape = *head;
	shape->allocator = *allocator;
	shape->version = BR_SHAPE_VERSION;
	shape->byteCount = layout.total - offsetof(brShape, version);
}

// Triangles in the axes of `head`, linked. What is open is refused, unless it is to be a surface.
static brResult solidLink(SolidWork* work, const brMesh* mesh, const brShape* head, brReport* report)
{
	brSolidTriangles* t = &work->triangles;
	for (int32_t i = 0; i < t->vertexCount; ++i)
	{
		work->exact[i] = brTransform_InvPoint(head->frame, mesh->positions[i]);
		work->vertices[i] = brToVec3(work->exact[i]);
	}
	brLinkTriangles(t);
	for (int32_t i = 0; i < 3 * t->triangleCount && head->kind != br_shapeSurface; ++i)
	{
		if (t->across[i / 3][i % 3] < 0)
		{
			return brFailAt(report, br_errorGeometry, i / 3, "the mesh is open at the edge of vertices %d and %d",
							t->triangles[i / 3][i % 3], t->triangles[i / 3][(i % 3 + 1) % 3]);
		}
	}
	return br_success;
}

static void solidChooseCells(brShape* head)
{
	const float sides[3] = {head->half.x, head->half.y, head->half.z};
	float longest = fmaxf(sides[0], fmaxf(sides[1], sides[2]));
	int32_t least = head->faceCount < SOLID_MIN_TRIANGLES   ? SOLID_MIN_CELLS
					: head->faceCount < SOLID_FEW_TRIANGLES ? SOLID_FEW_CELLS
															: SOLID_CELLS;
	int32_t total = 0, enough = 2 * least * least * least / 3;
	for (int32_t along = least; along <= BR_SOLID_CELLS && total <= enough; ++along)
	{
		int32_t counts[3];
		for (int k = 0; k < 3; ++k)
		{
			int32_t cells = (int32_t)ceilf((float)along * sides[k] / longest);
			counts[k] = cells > 1 ? (cells < along ? cells : along) : 1;
		}
		total = counts[0] * counts[1] * counts[2];
		if (along == least || total <= enough)
		{
			memcpy(head->cellCounts, counts, sizeof(counts));
		}
	}
}

// The tree in the bare shape, counts and measures in `head`.
static void solidFillBare(SolidWork* work, brShape* head)
{
	brSolidTriangles* t = &work->triangles;
	brMakeFans(t);
	brOrderTriangles(t, work->order);
	solidMeasureBox(head, t);
	head->faceCount = t->triangleCount;
	head->cornerCount = t->fanCount;
	solidBegin(work->bare, head, &work->allocator);
	brFillTriangles(work->bare, t, work->order, work->placeOf);
	solidChooseCells(head);
}

typedef struct SolidFill
{
	brShape* shape;
	brSolid solid;
	SolidWork* work;
} SolidFill;

// Points are one task, which is the longest and begun first; each layer of cells is another. None looks at what others
// write.
static void solidFillRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const SolidFill* fill = user;
	for (int32_t i = begin; i < end; ++i)
	{
		if (i == 0)
		{
			solidFillPoints(fill->shape, &fill->solid, fill->work);
		}
		else
		{
			solidFillCells(&fill->solid, i - 1);
		}
	}
}

// The shape itself: the bare one with points, edges and cells.
static brResult solidFinish(const brContext* context, SolidWork* work, const brShape* head, brShape** outShape,
							brReport* report)
{
	brSolidCounts counts = brShape_SolidCounts(head);
	brSolidLayout layout = brMakeSolidLayout(&counts);
	work->pointBytes = solidCarvePoints(work);
	work->pointBlock =
		work->pointBytes <= work->scratchBytes ? work->block : brAlloc(&work->allocator, work->pointBytes);
	brShape* shape = work->pointBlock != NULL ? brAlloc(&work->allocator, layout.total) : NULL;
	if (shape == NULL)
	{
		return brFailMemory(report);
	}
	solidCarvePoints(work);
	solidBegin(shape, head, &work->allocator);
	memcpy((char*)shape + layout.groups, (const char*)work->bare + layout.groups, layout.points - layout.groups);
	SolidFill fill = {shape, brMakeSolid(shape), work};
	bool isShared = context != NULL && head->faceCount >= SOLID_SHARED_TRIANGLES;
	brParallelFor(isShared ? context->workers : NULL, 1 + head->cellCounts[2], 1, solidFillRange, &fill);
	*outShape = shape;
	return br_success;
}

brResult brMakeSolidShape(const brContext* context, const brShapeDef* def, brShape** outShape, brReport* report)
{
	SolidWork work = {.allocator = brContext_Allocator(context)};
	const brMesh* mesh = def->mesh;
	bool isSurface = def->kind == br_shapeSurface, mayBeHull = !isSurface && !def->keepMesh;
	brDBox3 box = brMesh_ComputeBounds(mesh);
	double size = brDDistance(box.lower, box.upper), thickness = 0.0;
	if (!(size >= 1e-4 && size <= 1e6))
	{
		return brFail(report, br_errorGeometry, "a mesh %g m across is outside what bodies can have", size);
	}
	brShape head = {.kind = (int32_t)def->kind, .frame = brMakeTransformIdentity()}, *shape = NULL;
	head.frame.p = brDLerp(box.lower, box.upper, 0.5);
	brMassProperties mass = {0};
	brResult result = isSurface ? br_success : solidFrame(def, size, &head, &mass, report);
	if (result >= 0 && mayBeHull)
	{
		result = brTryPolytope(context, mesh, size, &mass, &shape, report);
	}
	if (result < 0 || shape != NULL)
	{
		goto exit;
	}
	result = solidTriangulate(context, mesh, &work, report);
	result = result < 0 ? result : solidLink(&work, mesh, &head, report);
	if (result < 0)
	{
		goto exit;
	}
	solidFillBare(&work, &head);
	brSolidTriangles* t = &work.triangles;
	if (!isSurface)
	{
		brSolid solid = brMakeSolid(work.bare);
		thickness = solidThickness(&solid, t, work.placeOf, head.cores);
		if (!(thickness >= 1e-5))
		{
			result = brFail(report, br_errorGeometry, "the mesh is only %g m thick", thickness);
			goto exit;
		}
	}
	head.thickness = (float)thickness;
	size = 2.0 * brDLength(brToDVec3(head.half));
	if (mayBeHull && brTriangles_AreConvex(t, fmin(SOLID_CONVEX_SIZE * size, SOLID_CONVEX_THICKNESS * thickness)))
	{
		// Hulls have limits; what is over them stays a mesh.
		result = brMakeTriangleHull(context, mesh, t, &mass, &shape, report);
		if (result != br_errorLimit && result != br_errorGeometry)
		{
			goto exit;
		}
	}

	// Of a surface only corners and long edges are of use: what lies on it brings points of its own.
	double spacing = isSurface ? 0.05 * size : SOLID_SPACING * thickness;
	result = brMakeSamples(&work.allocator, t, spacing, &work.samples) ? br_success : brFailMemory(report);
	if (result >= 0)
	{
		head.spacing = (float)work.samples.spacing;
		head.vertexCount = work.samples.pointCount;
		head.edgeCount = work.samples.edgeCount;
		head.curveCount = !isSurface && work.samples.hasCurves ? head.vertexCount : 0;
		result = solidFinish(context, &work, &head, &shape, report);
	}

exit:
	solidFree(&work);
	if (result >= 0)
	{
		*outShape = shape;
	}
	return result;
}

bool brSolid_IsSound(const brShape* shape)
{
	brSolidCounts counts = brShape_SolidCounts(shape);
	if (counts.cells < 1 || counts.points < 1 || (counts.curves != 0 && counts.curves != counts.points))
	{
		return false;
	}
	brSolid solid = brMakeSolid(shape);
	for (int32_t i = 0; i < counts.triangles; ++i)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t across = solid.links[i].across[k], fan = solid.links[i].fans[k];
			if (across < BR_ACROSS_FLAT || across >= counts.triangles || fan < 0 || fan >= counts.fans)
			{
				return false;
			}
		}
	}
	for (int32_t i = 0; i < counts.points; ++i)
	{
		int32_t child = solid.points[i].firstChild, sibling = solid.points[i].nextSibling;
		if (child < -1 || child >= counts.points || (child >= 0 && child <= i) || sibling < -1 ||
			sibling >= counts.points || (sibling >= 0 && sibling <= i) || solid.normals[i].count < 0 ||
			solid.normals[i].count > 3 || solid.points[i].firstEdge < 0 ||
			solid.points[i].firstEdge > brSolid_EdgesEnd(&solid, i) || brSolid_EdgesEnd(&solid, i) > counts.edges)
		{
			return false;
		}
	}
	for (int32_t i = 0; i < counts.cells; ++i)
	{
		if (solid.cells[i].triangle < 0 || solid.cells[i].triangle >= counts.triangles)
		{
			return false;
		}
	}
	for (int32_t i = 0; i < counts.edges; ++i)
	{
		if (solid.edges[i].a < 0 || solid.edges[i].a >= counts.points || solid.edges[i].b < 0 ||
			solid.edges[i].b >= counts.points)
		{
			return false;
		}
	}
	return true;
}
