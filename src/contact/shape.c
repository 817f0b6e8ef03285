// SPDX-License-Identifier: MIT

// Making shapes: sizes checked, center and principal axes found, polytopes laid out behind the struct.

#include "contact/shape.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/memory.h"
#include "contact/solid.h"
#include "math/rotation.h"
#include "mesh/hull.h"

#include <string.h>

// Sizes a shape may have. Smaller ones meet the float arithmetic of contacts, larger ones too.
#define SHAPE_SMALLEST 1e-4
#define SHAPE_LARGEST 1e6

// Corners of a hull this near to a common plane (relative to its size) make one face.
#define SHAPE_FLATNESS 1e-4

// Faces of hulls: narrower than the first part of the size their planes are those of the corners before they are rounded
// to float, which tilts them; no wider than the second one is a line for doubles too, and its plane any through the line.
#define SHAPE_NARROW 1e-3
#define SHAPE_LINE 1e-9

brShapeDef brDefaultShapeDef(brShapeKind kind)
{
	return (brShapeDef){
		.kind = kind,
		.normal = {0.0, 0.0, 1.0},
		.radius = 0.5,
		.halfLength = 0.5,
		.halfExtents = {0.5, 0.5, 0.5},
		.stamp = BR_STAMP(brShapeDef),
	};
}

size_t brShape_Bytes(const brShape* head)
{
	if (brShapeKind_IsConcave(head->kind))
	{
		brSolidCounts counts = brShape_SolidCounts(head);
		return brMakeSolidLayout(&counts).total;
	}
	if (head->vertexCount < 0 || head->faceCount < 0 || head->cornerCount < 0 || head->edgeCount < 0)
	{
		return SIZE_MAX;
	}
	// 32-bit counts of at most 16 bytes each: no overflow in 64 bits.
	uint64_t bytes = sizeof(brShape) + sizeof(brVec3) * (uint64_t)head->vertexCount +
					 sizeof(brVec4) * (uint64_t)head->faceCount +
					 sizeof(int32_t) * ((uint64_t)head->faceCount + 1 + (uint64_t)head->cornerCount) +
					 4 * sizeof(int32_t) * (uint64_t)head->edgeCount;
	return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

static size_t shapeTotalBytes(const brShape* shape)
{
	return (size_t)shape->byteCount + offsetof(brShape, version);
}

static uint64_t shapeHash(const brShape* shape)
{
	size_t skipped = offsetof(brShape, frame);
	return brHashBlock(BR_HASH_SEED, (const char*)shape + skipped, shapeTotalBytes(shape) - skipped);
}

static brShape* shapeAlloc(const brAllocator* allocator, brShapeKind kind, int32_t vertexCount, int32_t faceCount,
						   int32_t cornerCount, int32_t edgeCount)
{
	brShape head = {.kind = (int32_t)kind,
					.vertexCount = vertexCount,
					.faceCount = faceCount,
					.cornerCount = cornerCount,
					.edgeCount = edgeCount};
	size_t bytes = brShape_Bytes(&head);
	brShape* shape = brAlloc(allocator, bytes);
	if (shape != NULL)
	{
		memset(shape, 0, bytes);
		shape->allocator = *allocator;
		shape->version = BR_SHAPE_VERSION;
		shape->kind = (int32_t)kind;
		shape->byteCount = bytes - offsetof(brShape, version);
		shape->frame = brMakeTransformIdentity();
		shape->vertexCount = vertexCount;
		shape->faceCount = faceCount;
		shape->cornerCount = cornerCount;
		shape->edgeCount = edgeCount;
	}
	return shape;
}

static bool shapeIsSize(double size)
{
	return size >= SHAPE_SMALLEST && size <= SHAPE_LARGEST;
}

static brResult shapeMakeHalfSpace(const brAllocator* allocator, const brShapeDef* def, brShape** outShape,
								   brReport* report)
{
	if (!brDIsFinite(def->normal) || !(brDLengthSq(def->normal) > 0.0) || !isfinite(def->offset))
	{
		return brFail(report, br_errorGeometry, "the half-space has no finite normal and offset");
	}
	brShape* shape = shapeAlloc(allocator, br_shapeHalfSpace, 0, 0, 0, 0);
	if (shape == NULL)
	{
		return brFailMemory(report);
	}
	// Own axes: the plane is z = 0, the solid below.
	brDVec3 n = brDNormalize(def->normal);
	brDVec3 y = brDAcross(n);
	brMat3 axes = {brDCross(y, n), y, n};
	shape->frame.p = brDMul(def->offset, n);
	shape->frame.q = brMakeQuatFromMat3(&axes);
	*outShape = shape;
	return br_success;
}

static brResult shapeMakeRound(const brAllocator* allocator, const brShapeDef* def, brShape** outShape,
							   brReport* report)
{
	bool isCapsule = def->kind == br_shapeCapsule;
	if (!shapeIsSize(def->radius) || (isCapsule && !(def->halfLength >= 0.0 && def->halfLength <= SHAPE_LARGEST)))
	{
		return brFail(report, br_errorGeometry, "radius %g m or half length %g m is outside what bodies can have",
					  def->radius, def->halfLength);
	}
	brShape* shape = shapeAlloc(allocator, def->kind, 0, 0, 0, 0);
	if (shape == NULL)
	{
		return brFailMemory(report);
	}
	// A capsule is a cylinder and a ball cut in two, the halves moved out by h.
	double r = def->radius, h = isCapsule ? def->halfLength : 0.0;
	double ball = 4.0 / 3.0 * BR_PI * r * r * r, cylinder = BR_PI * r * r * 2.0 * h;
	double across = cylinder * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
	shape->volume = ball + cylinder;
	shape->inertia = brMakeDVec3(across, across, cylinder * r * r / 2.0 + ball * 0.4 * r * r);
	shape->round = (float)r;
	shape->halfLength = (float)h;
	shape->radius = brRoundUp(r + h);
	shape->thickness = (float)(2.0 * r);
	shape->half = brMakeVec3((float)r, (float)r, (float)(r + h));
	*outShape = shape;
	return br_success;
}

// The plane of a face along a normal. It holds all corners: the offset is the largest of them.
static void shapeSetPlane(brShape* shape, int32_t face, brDVec3 n)
{
	const brVec3* vertices = brShape_Vertices(shape);
	const int32_t *starts = brShape_FaceStarts(shape), *corners = brShape_Corners(shape);
	double offset = -INFINITY;
	for (int32_t k = starts[face]; k < starts[face + 1]; ++k)
	{
		double along = brDDot(n, brToDVec3(vertices[corners[k]]));
		offset = along > offset ? along : offset;
	}
	((brVec4*)brShape_Planes(shape))[face] = (brVec4){(float)n.x, (float)n.y, (float)n.z, (float)offset};
}

// Faces that are lines look the way of the face beside them, on their longest side that has one with a direction.
static void shapeTurnLines(brShape* shape, uint8_t* isLine)
{
	const brVec3* vertices = brShape_Vertices(shape);
	const int32_t(*edges)[4] = brShape_Edges(shape);
	for (bool isChanged = true; isChanged;)
	{
		isChanged = false;
		for (int32_t f = 0; f < shape->faceCount; ++f)
		{
			float longest = -1.0f;
			int32_t beside = -1;
			for (int32_t i = 0; isLine[f] && i < shape->edgeCount; ++i)
			{
				int32_t other = edges[i][2] == f ? edges[i][3] : edges[i][3] == f ? edges[i][2] : f;
				float length = brLength(brSub(vertices[edges[i][0]], vertices[edges[i][1]]));
				if (!isLine[other] && length > longest)
				{
					longest = length, beside = other;
				}
			}
			if (beside >= 0)
			{
				brVec4 plane = brShape_Planes(shape)[beside];
				shapeSetPlane(shape, f, brMakeDVec3(plane.x, plane.y, plane.z));
				isLine[f] = 0, isChanged = true;
			}
		}
	}
}

// Twice the area of a face along its normal, and the square of its longest side. `exact`: the vertices before they were
// rounded, or null.
static brDVec3 shapeFaceArea(const brShape* shape, int32_t face, const brDVec3* exact, double* outLongestSq)
{
	const brVec3* vertices = brShape_Vertices(shape);
	const int32_t *starts = brShape_FaceStarts(shape), *corners = brShape_Corners(shape) + starts[face];
	int32_t size = starts[face + 1] - starts[face];
	brDVec3 area = {0.0, 0.0, 0.0}, first = exact != NULL ? exact[corners[0]] : brToDVec3(vertices[corners[0]]);
	*outLongestSq = 0.0;
	for (int32_t k = 0; k < size; ++k)
	{
		int32_t a = corners[k], b = corners[k + 1 < size ? k + 1 : 0];
		brDVec3 p = exact != NULL ? exact[a] : brToDVec3(vertices[a]);
		brDVec3 q = exact != NULL ? exact[b] : brToDVec3(vertices[b]);
		area = brDAdd(area, brDCross(brDSub(p, first), brDSub(q, first)));
		*outLongestSq = fmax(*outLongestSq, brDLengthSq(brDSub(q, p)));
	}
	return area;
}

// Planes, corners and edges of a polytope whose faces are given; vertices are in place. `exact`: of a hull, the same
// before they were rounded; else null.
static void shapeLinkPolytope(brShape* shape, const int32_t* faceStarts, const int32_t* corners, const brDVec3* exact)
{
	const brVec3* vertices = brShape_Vertices(shape);
	int32_t(*edges)[4] = (int32_t(*)[4])brShape_Edges(shape);
	memcpy((int32_t*)brShape_FaceStarts(shape), faceStarts, sizeof(int32_t) * ((size_t)shape->faceCount + 1));
	memcpy((int32_t*)brShape_Corners(shape), corners, sizeof(int32_t) * (size_t)shape->cornerCount);
	// Which face has a directed edge: the twin runs the other way in another face.
	uint8_t faceOf[BR_HULL_MAX_VERTICES * BR_HULL_MAX_VERTICES];
	memset(faceOf, UINT8_MAX, (size_t)shape->vertexCount * (size_t)shape->vertexCount);
	for (int32_t f = 0; f < shape->faceCount; ++f)
	{
		for (int32_t k = faceStarts[f]; k < faceStarts[f + 1]; ++k)
		{
			int32_t next = k + 1 < faceStarts[f + 1] ? k + 1 : faceStarts[f];
			faceOf[corners[k] * shape->vertexCount + corners[next]] = (uint8_t)f;
		}
	}
	int32_t edgeCount = 0;
	uint8_t isLine[BR_HULL_MAX_FACES];
	double extentSq = 0.0;
	for (int32_t i = 0; i < shape->vertexCount; ++i)
	{
		extentSq = fmax(extentSq, brDLengthSq(brToDVec3(vertices[i])));
	}
	for (int32_t f = 0; f < shape->faceCount; ++f)
	{
		int32_t begin = faceStarts[f], size = faceStarts[f + 1] - begin;
		for (int32_t k = 0; k < size; ++k)
		{
			int32_t a = corners[begin + k], b = corners[begin + (k + 1 < size ? k + 1 : 0)];
			int32_t twin = faceOf[b * shape->vertexCount + a];
			if (a <= b && twin != UINT8_MAX && edgeCount < shape->edgeCount)
			{
				edges[edgeCount][0] = a, edges[edgeCount][1] = b;
				edges[edgeCount][2] = f, edges[edgeCount][3] = twin;
				edgeCount += 1;
			}
		}
		double longestSq;
		brDVec3 area = shapeFaceArea(shape, f, NULL, &longestSq);
		if (exact != NULL && brDLengthSq(area) <= SHAPE_NARROW * SHAPE_NARROW * extentSq * longestSq)
		{
			area = shapeFaceArea(shape, f, exact, &longestSq);
		}
		isLine[f] = exact != NULL && brDLengthSq(area) <= SHAPE_LINE * SHAPE_LINE * extentSq * longestSq;
		shapeSetPlane(shape, f, brDNormalize(area));
	}
	shapeTurnLines(shape, isLine);
}

static void shapeMeasurePolytope(brShape* shape)
{
	const brVec3* vertices = brShape_Vertices(shape);
	const brVec4* planes = brShape_Planes(shape);
	brVec3 lower = vertices[0], upper = vertices[0];
	float radiusSq = 0.0f;
	for (int32_t i = 0; i < shape->vertexCount; ++i)
	{
		lower = brMin(lower, vertices[i]);
		upper = brMax(upper, vertices[i]);
		radiusSq = fmaxf(radiusSq, brDot(vertices[i], vertices[i]));
	}
	shape->radius = brRoundUp(sqrt((double)radiusSq) * (1.0 + 1e-6));
	shape->half = brMul(0.5f, brSub(upper, lower));
	shape->boxCenter = brMul(0.5f, brAdd(upper, lower));
	shape->thickness = INFINITY;
	for (int32_t f = 0; f < shape->faceCount; ++f)
	{
		brVec3 n = {planes[f].x, planes[f].y, planes[f].z};
		float lowest = INFINITY;
		for (int32_t i = 0; i < shape->vertexCount; ++i)
		{
			float along = brDot(n, vertices[i]);
			lowest = along < lowest ? along : lowest;
		}
		shape->thickness = fminf(shape->thickness, planes[f].w - lowest);
	}
}

static brResult shapeMakeBox(const brAllocator* allocator, const brShapeDef* def, brShape** outShape, brReport* report)
{
	brDVec3 e = def->halfExtents;
	if (!shapeIsSize(e.x) || !shapeIsSize(e.y) || !shapeIsSize(e.z))
	{
		return brFail(report, br_errorGeometry, "half extents %g %g %g m are outside what bodies can have", e.x, e.y,
					  e.z);
	}
	brShape* shape = shapeAlloc(allocator, br_shapeBox, 8, 6, 24, 12);
	if (shape == NULL)
	{
		return brFailMemory(report);
	}
	// Corner i is + on axis k where bit k of i is set. Faces: -x +x -y +y -z +z.
	static const int32_t starts[7] = {0, 4, 8, 12, 16, 20, 24};
	static const int32_t corners[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
	brVec3* vertices = (brVec3*)brShape_Vertices(shape);
	for (int32_t i = 0; i < 8; ++i)
	{
		vertices[i] = brToVec3(brMakeDVec3(i & 1 ? e.x : -e.x, i & 2 ? e.y : -e.y, i & 4 ? e.z : -e.z));
	}
	shapeLinkPolytope(shape, starts, corners, NULL);
	shapeMeasurePolytope(shape);
	shape->volume = 8.0 * e.x * e.y * e.z;
	shape->inertia =
		brDMul(shape->volume / 3.0, brMakeDVec3(e.y * e.y + e.z * e.z, e.x * e.x + e.z * e.z, e.x * e.x + e.y * e.y));
	*outShape = shape;
	return br_success;
}

brResult brMakeHullShape(const brContext* context, const brDVec3* points, int32_t pointCount,
						 const brMassProperties* solid, brShape** outShape, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brHull hull;
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t i = 0; i < pointCount; ++i)
	{
		box = brDBox3_Include(box, points[i]);
	}
	double size = brDDistance(box.lower, box.upper);
	brResult result = brBuildHull(points, pointCount, SHAPE_FLATNESS * size, &hull, report);
	if (result < 0)
	{
		return result;
	}
	int32_t largestFace = 0;
	for (int32_t f = 0; f < hull.faceCount; ++f)
	{
		int32_t corners = hull.faceStarts[f + 1] - hull.faceStarts[f];
		largestFace = corners > largestFace ? corners : largestFace;
	}
	brMassProperties mass;
	if (solid != NULL)
	{
		mass = *solid;
	}
	else
	{
		brMesh* mesh = NULL;
		result = brHull_ToMesh(&hull, context, points, &mesh, report);
		if (result < 0)
		{
			return result;
		}
		mass = brMesh_ComputeMass(mesh, 1.0);
		brDestroyMesh(mesh);
	}
	if (hull.vertexCount > BR_HULL_MAX_VERTICES || hull.faceCount > BR_HULL_MAX_FACES ||
		largestFace > BR_HULL_MAX_FACE_SIZE)
	{
		return brFail(report, br_errorLimit,
					  "the hull has %d corners, %d faces and a face of %d corners; %d, %d and %d are allowed",
					  hull.vertexCount, hull.faceCount, largestFace, BR_HULL_MAX_VERTICES, BR_HULL_MAX_FACES,
					  BR_HULL_MAX_FACE_SIZE);
	}
	if (!shapeIsSize(size) || !(mass.volume > 0.0))
	{
		return brFail(report, br_errorGeometry, "a hull %g m across is outside what bodies can have", size);
	}
	brShape* shape =
		shapeAlloc(&allocator, br_shapeHull, hull.vertexCount, hull.faceCount, hull.cornerCount, hull.cornerCount / 2);
	if (shape == NULL)
	{
		return brFailMemory(report);
	}
	double moments[3];
	const brMat3* j = &mass.inertia;
	brMat3 axes = brEigenSymmetric(j->cx.x, j->cy.y, j->cz.z, j->cy.x, j->cz.x, j->cz.y, moments);
	shape->frame.p = mass.center;
	shape->frame.q = brMakeQuatFromMat3(&axes);
	shape->volume = mass.volume;
	shape->inertia = brMakeDVec3(moments[0], moments[1], moments[2]);
	brVec3* vertices = (brVec3*)brShape_Vertices(shape);
	brDVec3 exact[BR_HULL_MAX_VERTICES];
	for (int32_t i = 0; i < hull.vertexCount; ++i)
	{
		exact[i] = brTransform_InvPoint(shape->frame, points[hull.vertices[i]]);
		vertices[i] = brToVec3(exact[i]);
	}
	shapeLinkPolytope(shape, hull.faceStarts, hull.corners, exact);
	shapeMeasurePolytope(shape);
	if (!(shape->thickness >= (float)SHAPE_SMALLEST))
	{
		result = brFail(report, br_errorGeometry, "the hull is only %g m thick", (double)shape->thickness);
		brDestroyShape(shape);
		return result;
	}
	*outShape = shape;
	return br_success;
}

brResult brCreateShape(const brContext* context, const brShapeDef* def, brShape** outShape, brReport* report)
{
	if (def == NULL || def->stamp != BR_STAMP(*def) || outShape == NULL ||
		(def->kind == br_shapeHull && (def->points == NULL || def->pointCount < 0)) ||
		((def->kind == br_shapeMesh || def->kind == br_shapeSurface) && def->mesh == NULL))
	{
		return brFail(report, br_errorMisuse,
					  "a shape needs a def from brDefaultShapeDef, its points or mesh and an output");
	}
	brAllocator allocator = brContext_Allocator(context);
	brShape* shape = NULL;
	brResult result;
	switch (def->kind)
	{
		case br_shapeHalfSpace:
			result = shapeMakeHalfSpace(&allocator, def, &shape, report);
			break;
		case br_shapeSphere:
		case br_shapeCapsule:
			result = shapeMakeRound(&allocator, def, &shape, report);
			break;
		case br_shapeBox:
			result = shapeMakeBox(&allocator, def, &shape, report);
			break;
		case br_shapeHull:
			result = brMakeHullShape(context, def->points, def->pointCount, def->solid, &shape, report);
			break;
		case br_shapeMesh:
		case br_shapeSurface:
			result = brMakeSolidShape(context, def, &shape, report);
			break;
		default:
			return brFail(report, br_errorMisuse, "there is no shape of kind %d", (int)def->kind);
	}
	if (result < 0)
	{
		return result;
	}
	shape->hash = shapeHash(shape);
	*outShape = shape;
	return brSucceed(report);
}

void brDestroyShape(brShape* shape)
{
	if (shape != NULL)
	{
		brAllocator allocator = shape->allocator;
		brFree(&allocator, shape, shapeTotalBytes(shape));
	}
}

brShape* brCopyShape(const brAllocator* allocator, const brShape* shape)
{
	brShape* copy = brAlloc(allocator, shapeTotalBytes(shape));
	if (copy != NULL)
	{
		memcpy(copy, shape, shapeTotalBytes(shape));
		copy->allocator = *allocator;
	}
	return copy;
}

static bool shapeIsSound(const brShape* shape)
{
	if (brShapeKind_IsConcave(shape->kind))
	{
		return shape->kind <= br_shapeSurface && brSolid_IsSound(shape);
	}
	const int32_t *starts = brShape_FaceStarts(shape), *corners = brShape_Corners(shape);
	const int32_t(*edges)[4] = brShape_Edges(shape);
	if (shape->kind < br_shapeHalfSpace || shape->kind > br_shapeHull || shape->vertexCount > BR_HULL_MAX_VERTICES ||
		shape->faceCount > BR_HULL_MAX_FACES || (brShape_IsPolytope(shape) && shape->faceCount < 4) ||
		(shape->kind == br_shapeBox && shape->faceCount != 6) || starts[0] != 0 ||
		starts[shape->faceCount] != shape->cornerCount)
	{
		return false;
	}
	for (int32_t f = 0; f < shape->faceCount; ++f)
	{
		if (starts[f + 1] < starts[f] + 3 || starts[f + 1] > starts[f] + BR_HULL_MAX_FACE_SIZE)
		{
			return false;
		}
	}
	for (int32_t i = 0; i < shape->cornerCount; ++i)
	{
		if (corners[i] < 0 || corners[i] >= shape->vertexCount)
		{
			return false;
		}
	}
	for (int32_t i = 0; i < shape->edgeCount; ++i)
	{
		for (int32_t k = 0; k < 4; ++k)
		{
			if (edges[i][k] < 0 || edges[i][k] >= (k < 2 ? shape->vertexCount : shape->faceCount))
			{
				return false;
			}
		}
	}
	return true;
}

brResult brReadShape(const brAllocator* allocator, const void* bytes, size_t byteCount, brShape** outShape,
					 brReport* report)
{
	size_t fixedBytes = sizeof(brShape) - offsetof(brShape, version);
	brShape head = {0};
	if (byteCount < fixedBytes)
	{
		return brFail(report, br_errorFormat, "a shape of %zu bytes is too short", byteCount);
	}
	memcpy(&head.version, bytes, fixedBytes);
	size_t total = brShape_Bytes(&head);
	if (head.version != BR_SHAPE_VERSION || head.byteCount != byteCount ||
		total != byteCount + offsetof(brShape, version))
	{
		return brFail(report, br_errorFormat, "a shape has the wrong version or size");
	}
	brShape* shape = brAlloc(allocator, total);
	if (shape == NULL)
	{
		return brFailMemory(report);
	}
	memcpy(&shape->version, bytes, byteCount);
	shape->allocator = *allocator;
	if (shape->hash != shapeHash(shape) || !shapeIsSound(shape))
	{
		brDestroyShape(shape);
		return brFail(report, br_errorFormat, "a shape is damaged");
	}
	*outShape = shape;
	return br_success;
}

brShapeKind brShape_GetKind(const brShape* shape)
{
	return (brShapeKind)shape->kind;
}

brMassProperties brShape_ComputeMass(const brShape* shape, double density)
{
	brMassProperties mass = {.volume = shape->volume, .mass = density * shape->volume, .center = shape->frame.p};
	brMat3 axes = brMakeMat3FromQuat(shape->frame.q);
	brMat3 back = brMat3_Transpose(&axes);
	brMat3 moments = {{density * shape->inertia.x, 0.0, 0.0},
					  {0.0, density * shape->inertia.y, 0.0},
					  {0.0, 0.0, density * shape->inertia.z}};
	brMat3 turned = brMat3_Mul(&axes, &moments);
	mass.inertia = brMat3_Mul(&turned, &back);
	return mass;
}
