// SPDX-License-Identifier: MIT

// Points on a surface: its corners, and samples on edges and faces where corners are too far apart.
//
// A long edge is divided evenly; a wide face gets rows of samples parallel to its longest side, so that slivers get none. Normals that turn
// by less than 25 degrees count as one face: a smooth part has one normal at each point, a sharp edge two, a corner three.

#include "contact/solid.h"

#include "base/array.h"

// Cosine below which two normals are two faces.
#define SAMPLE_SHARP 0.9

// A square grid of step 1.4 s leaves no place farther than s from its nodes.
#define SAMPLE_STEP 1.4

static int32_t sampleParts(double length, double spacing)
{
	double parts = ceil(length / (SAMPLE_STEP * spacing) * (1.0 - 1e-9));
	return parts > 1.0 ? (parts < 1e6 ? (int32_t)parts : 1000000) : 1;
}

// Whether this side of the triangle stands for the edge: the other half, if there is one, has the higher number.
static bool sampleOwns(const brSolidTriangles* work, int32_t triangle, int32_t side)
{
	int32_t other = work->across[triangle][side];
	return other < 0 || triangle < other;
}

static brDVec3 sampleCorner(const brSolidTriangles* work, int32_t triangle, int32_t corner)
{
	return brToDVec3(work->vertices[work->triangles[triangle][corner % 3]]);
}

typedef struct SampleRows
{
	brDVec3 start, along, up; // of the longest side, and from it to the opposite corner
	int32_t rows;
	double length;
} SampleRows;

static SampleRows sampleRows(const brSolidTriangles* work, int32_t triangle, double spacing)
{
	SampleRows best = {.length = -1.0};
	for (int32_t k = 0; k < 3; ++k)
	{
		brDVec3 a = sampleCorner(work, triangle, k), b = sampleCorner(work, triangle, k + 1);
		double length = brDDistance(a, b);
		if (length > best.length)
		{
			best = (SampleRows){a, brDSub(b, a), brDSub(sampleCorner(work, triangle, k + 2), a), 1, length};
		}
	}
	best.rows = best.length > 0.0 ? sampleParts(work->areas[triangle] / best.length, spacing) : 1;
	return best;
}

static double sampleCount(const brSolidTriangles* work, double spacing)
{
	double count = 0.0;
	for (int32_t i = 0; i < work->triangleCount; ++i)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			if (sampleOwns(work, i, k))
			{
				count += sampleParts(brDDistance(sampleCorner(work, i, k), sampleCorner(work, i, k + 1)), spacing) - 1;
			}
		}
		SampleRows rows = sampleRows(work, i, spacing);
		for (int32_t j = 1; j < rows.rows; ++j)
		{
			count += sampleParts(rows.length * (1.0 - (double)j / rows.rows), spacing) - 1;
		}
	}
	return count;
}

// Normals of the faces round each vertex, like ones joined; of more than three the last join the nearest.
static void sampleVertexNormal(brPointNormals* out, brDVec3 sums[3], brDVec3 normal, double weight)
{
	int32_t nearest = -1;
	double best = -2.0;
	for (int32_t k = 0; k < out->count; ++k)
	{
		double cosine = brDDot(brToDVec3(out->normals[k]), normal);
		if (cosine > best)
		{
			best = cosine, nearest = k;
		}
	}
	if (nearest < 0 || (best < SAMPLE_SHARP && out->count < 3))
	{
		nearest = out->count++;
		sums[nearest] = brMakeDVec3(0.0, 0.0, 0.0);
	}
	sums[nearest] = brDMulAdd(sums[nearest], weight, normal);
	out->normals[nearest] = brToVec3(brDNormalize(sums[nearest]));
}

static bool sampleAddVertices(const brAllocator* allocator, const brSolidTriangles* work, int32_t* pointOf,
							  brSamples* out)
{
	brDVec3(*sums)[3] = (brDVec3(*)[3])brAllocArray(allocator, work->vertexCount, 3 * sizeof(brDVec3));
	if (sums == NULL)
	{
		return false;
	}
	for (int32_t v = 0; v < work->vertexCount; ++v)
	{
		pointOf[v] = -1;
	}
	for (int32_t i = 0; i < work->triangleCount; ++i)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t v = work->triangles[i][k];
			if (pointOf[v] < 0)
			{
				pointOf[v] = out->pointCount++;
				out->places[pointOf[v]] = work->vertices[v];
				out->normals[pointOf[v]] = (brPointNormals){.count = 0};
			}
			if (work->areas[i] > 0.0)
			{
				sampleVertexNormal(&out->normals[pointOf[v]], sums[pointOf[v]], work->normals[i], work->areas[i]);
			}
		}
	}
	brFreeArray(allocator, sums, work->vertexCount, 3 * sizeof(brDVec3));
	return true;
}

static void sampleAddEdge(const brSolidTriangles* work, int32_t triangle, int32_t side, const int32_t* pointOf,
						  brSamples* out)
{
	int32_t other = work->across[triangle][side];
	brDVec3 a = sampleCorner(work, triangle, side), b = sampleCorner(work, triangle, side + 1);
	brDVec3 left = work->normals[triangle], right = other >= 0 ? work->normals[other] : left;
	bool isSharp = brDDot(left, right) < SAMPLE_SHARP && brDLengthSq(left) > 0.0 && brDLengthSq(right) > 0.0;
	// Convex: the other triangle goes down from the plane of this one. An open border is an edge too.
	brDVec3 inward = brDCross(left, brDSub(b, a));
	bool isConvex = isSharp && brDDot(right, inward) < 0.0;
	brPointNormals normals = {.count = isSharp ? 2 : 1};
	normals.normals[0] = brToVec3(isSharp ? left : brDNormalize(brDAdd(left, right)));
	normals.normals[1] = isSharp ? brToVec3(right) : brMakeVec3(0.0f, 0.0f, 0.0f);
	int32_t parts = sampleParts(brDDistance(a, b), out->spacing);
	int32_t previous = pointOf[work->triangles[triangle][side]];
	for (int32_t i = 1; i <= parts; ++i)
	{
		int32_t next = pointOf[work->triangles[triangle][(side + 1) % 3]];
		if (i < parts)
		{
			next = out->pointCount++;
			out->places[next] = brToVec3(brDLerp(a, b, (double)i / parts));
			out->normals[next] = normals;
		}
		if (isConvex || other < 0)
		{
			out->edges[out->edgeCount++] = (brSolidEdge){previous, next, brToVec3(left), brToVec3(right)};
		}
		previous = next;
	}
}

static void sampleAddFace(const brSolidTriangles* work, int32_t triangle, brSamples* out)
{
	SampleRows rows = sampleRows(work, triangle, out->spacing);
	for (int32_t j = 1; j < rows.rows; ++j)
	{
		double t = (double)j / rows.rows, width = 1.0 - t;
		int32_t parts = sampleParts(rows.length * width, out->spacing);
		for (int32_t i = 1; i < parts; ++i)
		{
			brDVec3 p = brDMulAdd(brDMulAdd(rows.start, t, rows.up), width * i / parts, rows.along);
			out->normals[out->pointCount] =
				(brPointNormals){.normals = {brToVec3(work->normals[triangle])}, .count = 1};
			out->places[out->pointCount++] = brToVec3(p);
		}
	}
}

bool brMakeSamples(const brAllocator* allocator, const brSolidTriangles* work, double spacing, brSamples* outSamples)
{
	// Thin things would need more samples than they are worth: the spacing grows until there are not too many.
	double most = fmax(128.0, 0.5 * work->vertexCount);
	double count = sampleCount(work, spacing);
	for (int32_t i = 0; i < 40 && count > most; ++i)
	{
		spacing *= fmax(1.05, fmin(4.0, sqrt(count / most)));
		count = sampleCount(work, spacing);
	}
	*outSamples = (brSamples){.spacing = spacing};
	outSamples->pointCapacity = work->vertexCount + (int32_t)count;
	outSamples->edgeCapacity = 3 * work->triangleCount + (int32_t)count;
	int32_t* pointOf = BR_ALLOC(allocator, int32_t, work->vertexCount);
	outSamples->places = BR_ALLOC(allocator, brVec3, outSamples->pointCapacity);
	outSamples->normals = BR_ALLOC(allocator, brPointNormals, outSamples->pointCapacity);
	outSamples->edges = BR_ALLOC(allocator, brSolidEdge, outSamples->edgeCapacity);
	bool isGood = pointOf != NULL && outSamples->places != NULL && outSamples->normals != NULL &&
				  outSamples->edges != NULL && sampleAddVertices(allocator, work, pointOf, outSamples);
	for (int32_t i = 0; i < work->triangleCount && isGood; ++i)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			if (sampleOwns(work, i, k))
			{
				sampleAddEdge(work, i, k, pointOf, outSamples);
			}
		}
		sampleAddFace(work, i, outSamples);
	}
	BR_FREE(allocator, pointOf, work->vertexCount);
	if (!isGood)
	{
		brFreeSamples(allocator, outSamples);
	}
	return isGood;
}

void brFreeSamples(const brAllocator* allocator, brSamples* samples)
{
	BR_FREE(allocator, samples->places, samples->pointCapacity);
	BR_FREE(allocator, samples->normals, samples->pointCapacity);
	BR_FREE(allocator, samples->edges, samples->edgeCapacity);
	*samples = (brSamples){0};
}
