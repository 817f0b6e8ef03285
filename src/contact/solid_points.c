// SPDX-License-Identifier: MIT

// Points on a surface: its corners, and samples on edges and faces where corners are too far apart.
//
// A long edge is divided evenly; a wide face gets rows of samples parallel to its longest side, so that slivers get
// none. Normals that turn by less than 25 degrees count as one face: a smooth part has one normal at each point, a
// sharp edge two, a corner three.

#include "contact/solid.h"

#include "base/memory.h"

// Cosine below which two normals are two faces.
#define SAMPLE_SHARP 0.9

// A square grid of step 1.4 s leaves no place farther than s from its nodes.
#define SAMPLE_STEP 1.4

// What is known of a side of a triangle. The half with the lower number owns the edge and makes its samples.
enum
{
	sampleOwned = 1,
	sampleSharp = 2,
	sampleEdge = 4, // convex or open: something to catch on
};

// A triangle with a side that may have to be divided.
typedef struct SampleLong
{
	double lengths[3]; // of its sides
	int32_t triangle;
} SampleLong;

typedef struct SampleWork
{
	const brSolidTriangles* triangles;
	SampleLong* longs;   // by triangle, rising
	uint8_t (*kinds)[4]; // of the three sides, and all bits that any of them has
	int32_t* pointOf;    // vertices
	brDVec3 (*sums)[3];  // of the normals at points that are vertices, by area; then, in their place, what curves need
	int32_t longCount, edgeCount;
} SampleWork;

size_t brSampleScratchBytes(int32_t triangleCount, int32_t vertexCount)
{
	size_t sums = 3 * sizeof(brDVec3) * (size_t)vertexCount, curves = brCurveScratchBytes(triangleCount, vertexCount);
	return (sizeof(SampleLong) + 4 * sizeof(uint8_t)) * (size_t)triangleCount + sizeof(int32_t) * (size_t)vertexCount +
		   sizeof(double) + (sums > curves ? sums : curves);
}

static SampleWork sampleCarve(const brSolidTriangles* triangles)
{
	SampleWork work = {.triangles = triangles, .longs = triangles->scratch};
	work.kinds = (uint8_t(*)[4])(void*)(work.longs + triangles->triangleCount);
	work.pointOf = (int32_t*)(void*)(work.kinds + triangles->triangleCount);
	// Doubles again, from an even one of these on.
	int32_t odd = (triangles->triangleCount + triangles->vertexCount) % 2;
	work.sums = (brDVec3(*)[3])(void*)(work.pointOf + triangles->vertexCount + odd);
	return work;
}

static int32_t sampleParts(double length, double spacing)
{
	// Short ones are many: nothing to divide.
	if (length <= SAMPLE_STEP * spacing)
	{
		return 1;
	}
	double parts = length / (SAMPLE_STEP * spacing) * (1.0 - 1e-9);
	int32_t whole = parts < 1e6 ? (int32_t)parts : 1000000;
	return parts > (double)whole && whole < 1000000 ? whole + 1 : whole;
}

static brDVec3 sampleCorner(const brSolidTriangles* work, int32_t triangle, int32_t corner)
{
	return brToDVec3(work->vertices[work->triangles[triangle][corner % 3]]);
}

// No branch on who owns a side, which is as good as random; sharp ones are few or come in a row.
static uint8_t sampleKind(const brSolidTriangles* t, int32_t triangle, int32_t side, brDVec3 along)
{
	int32_t other = t->across[triangle][side];
	bool isOpen = other < 0, isOwned = isOpen | (triangle < other);
	uint8_t kind = (uint8_t)(sampleOwned * isOwned | sampleEdge * isOpen);
	other = isOpen ? triangle : other;
	if (brDDot(t->normals[triangle], t->normals[other]) < SAMPLE_SHARP && isOwned && !isOpen &&
		t->areas[triangle] > 0.0 && t->areas[other] > 0.0)
	{
		// Convex: the other triangle goes down from the plane of this one.
		bool isConvex = brDDot(t->normals[other], brDCross(t->normals[triangle], along)) < 0.0;
		kind |= (uint8_t)(sampleSharp | sampleEdge * isConvex);
	}
	return kind;
}

// Sides, for this spacing and all larger ones: those of most triangles are short.
static void sampleMeasureSides(SampleWork* work, double spacing)
{
	const brSolidTriangles* t = work->triangles;
	double shortSq = SAMPLE_STEP * SAMPLE_STEP * (1.0 - 1e-12) * spacing * spacing;
	for (int32_t i = 0; i < t->triangleCount; ++i)
	{
		brDVec3 a = sampleCorner(t, i, 0), b = sampleCorner(t, i, 1), c = sampleCorner(t, i, 2);
		brDVec3 ab = brDSub(b, a), bc = brDSub(c, b), ca = brDSub(a, c);
		double squares[3] = {brDLengthSq(ab), brDLengthSq(bc), brDLengthSq(ca)};
		uint8_t* kinds = work->kinds[i];
		kinds[0] = sampleKind(t, i, 0, ab), kinds[1] = sampleKind(t, i, 1, bc), kinds[2] = sampleKind(t, i, 2, ca);
		kinds[3] = kinds[0] | kinds[1] | kinds[2];
		if ((kinds[3] & sampleEdge) != 0)
		{
			for (int32_t k = 0; k < 3; ++k)
			{
				work->edgeCount += (kinds[k] & sampleEdge) != 0;
			}
		}
		if (squares[0] > shortSq || squares[1] > shortSq || squares[2] > shortSq)
		{
			work->longs[work->longCount++] = (SampleLong){{sqrt(squares[0]), sqrt(squares[1]), sqrt(squares[2])}, i};
		}
	}
}

typedef struct SampleRows
{
	int32_t side; // the longest, along which they run
	int32_t rows;
	double length;
} SampleRows;

static SampleRows sampleRows(const SampleWork* work, const SampleLong* at, double spacing)
{
	int32_t side = at->lengths[1] > at->lengths[0] ? 1 : 0;
	side = at->lengths[2] > at->lengths[side] ? 2 : side;
	SampleRows rows = {side, 1, at->lengths[side]};
	// A triangle is not higher than its longest side is long.
	if (rows.length > SAMPLE_STEP * spacing)
	{
		rows.rows = sampleParts(work->triangles->areas[at->triangle] / rows.length, spacing);
	}
	return rows;
}

// Samples, and pieces of edges that are kept. Stops counting when there are more than `most`.
static double sampleCount(const SampleWork* work, double spacing, double most, int64_t* outEdges)
{
	double count = 0.0;
	int64_t edges = work->edgeCount;
	for (int32_t i = 0; i < work->longCount && count <= most; ++i)
	{
		const SampleLong* at = &work->longs[i];
		const uint8_t* kinds = work->kinds[at->triangle];
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t more = (kinds[k] & sampleOwned) != 0 ? sampleParts(at->lengths[k], spacing) - 1 : 0;
			count += more;
			edges += (kinds[k] & sampleEdge) != 0 ? more : 0;
		}
		SampleRows rows = sampleRows(work, at, spacing);
		for (int32_t j = 1; j < rows.rows; ++j)
		{
			count += sampleParts(rows.length * (1.0 - (double)j / rows.rows), spacing) - 1;
		}
	}
	*outEdges = edges;
	return count;
}

// Which of the normals at a vertex another one joins: the nearest that is like it, a new one, or of three the nearest.
static int32_t sampleCluster(const brDVec3 sums[3], int32_t count, brDVec3 normal)
{
	// By squares of the cosines with their signs, as far as they are beyond doubt by more than the rounding of what is
	// kept.
	const double level = SAMPLE_SHARP * SAMPLE_SHARP, doubt = 1e-5;
	double most = -2.0, second = -2.0;
	int32_t first = -1;
	if (count == 1)
	{
		// So it is on smooth parts: nothing to divide.
		double along = brDDot(sums[0], normal);
		if (along > 0.0 && along * along > (level + doubt) * brDLengthSq(sums[0]))
		{
			return 0;
		}
	}
	for (int32_t k = 0; k < count; ++k)
	{
		double along = brDDot(sums[k], normal), lengthSq = brDLengthSq(sums[k]);
		double square = lengthSq > 0.0 ? along * fabs(along) / lengthSq : 0.0;
		second = square > most ? most : square > second ? square : second;
		first = square > most ? k : first;
		most = square > most ? square : most;
	}
	if (most < level - doubt && count < 3)
	{
		return count;
	}
	if (fabs(most - level) > doubt && most - second > doubt)
	{
		return first;
	}
	int32_t nearest = -1;
	double best = -2.0;
	for (int32_t k = 0; k < count; ++k)
	{
		double cosine = brDDot(brToDVec3(brToVec3(brDNormalize(sums[k]))), normal);
		if (cosine > best)
		{
			best = cosine, nearest = k;
		}
	}
	return best < SAMPLE_SHARP && count < 3 ? count : nearest;
}

static void sampleAddVertices(const SampleWork* work, brSamples* out)
{
	const brSolidTriangles* t = work->triangles;
	for (int32_t v = 0; v < t->vertexCount; ++v)
	{
		work->pointOf[v] = -1;
	}
	for (int32_t i = 0; i < t->triangleCount; ++i)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t v = t->triangles[i][k], point = work->pointOf[v];
			if (point < 0)
			{
				point = work->pointOf[v] = out->pointCount++;
				out->places[point] = t->vertices[v];
				out->normals[point] = (brPointNormals){.count = 0};
			}
			if (t->areas[i] > 0.0)
			{
				brDVec3* sums = work->sums[point];
				int32_t cluster = sampleCluster(sums, out->normals[point].count, t->normals[i]);
				if (cluster == out->normals[point].count)
				{
					out->normals[point].count += 1;
					sums[cluster] = brMakeDVec3(0.0, 0.0, 0.0);
				}
				sums[cluster] = brDMulAdd(sums[cluster], t->areas[i], t->normals[i]);
			}
		}
	}
	for (int32_t i = 0; i < out->pointCount; ++i)
	{
		for (int32_t k = 0; k < out->normals[i].count; ++k)
		{
			out->normals[i].normals[k] = brToVec3(brDNormalize(work->sums[i][k]));
		}
	}
}

static void sampleAddEdge(const SampleWork* work, int32_t triangle, int32_t side, int32_t parts, brSamples* out)
{
	const brSolidTriangles* t = work->triangles;
	int32_t kind = work->kinds[triangle][side];
	if ((kind & sampleOwned) == 0 || (parts == 1 && (kind & sampleEdge) == 0))
	{
		return;
	}
	int32_t other = t->across[triangle][side];
	brDVec3 a = sampleCorner(t, triangle, side), b = sampleCorner(t, triangle, side + 1);
	brDVec3 left = t->normals[triangle], right = other >= 0 ? t->normals[other] : left;
	bool isSharp = (kind & sampleSharp) != 0;
	brPointNormals normals = {.count = isSharp ? 2 : 1};
	normals.normals[0] = brToVec3(isSharp ? left : brDNormalize(brDAdd(left, right)));
	normals.normals[1] = isSharp ? brToVec3(right) : brMakeVec3(0.0f, 0.0f, 0.0f);
	int32_t previous = work->pointOf[t->triangles[triangle][side]];
	for (int32_t i = 1; i <= parts; ++i)
	{
		int32_t next = work->pointOf[t->triangles[triangle][(side + 1) % 3]];
		if (i < parts)
		{
			next = out->pointCount++;
			out->places[next] = brToVec3(brDLerp(a, b, (double)i / parts));
			out->normals[next] = normals;
			if (out->hasCurves)
			{
				out->curves[next] =
					brMakeSampleCurve(out, work->pointOf[t->triangles[triangle][side]],
									  work->pointOf[t->triangles[triangle][(side + 1) % 3]], normals.normals[0], true);
			}
		}
		if ((kind & sampleEdge) != 0)
		{
			// The rim of a surface looks aside.
			brDVec3 beyond = other >= 0 ? right : brDNormalize(brDCross(brDSub(b, a), left));
			out->edges[out->edgeCount++] = (brSolidEdge){previous, next, brToVec3(left), brToVec3(beyond)};
		}
		previous = next;
	}
}

static void sampleAddFace(const SampleWork* work, const SampleLong* at, brSamples* out)
{
	const brSolidTriangles* t = work->triangles;
	int32_t triangle = at->triangle;
	SampleRows rows = sampleRows(work, at, out->spacing);
	brDVec3 start = sampleCorner(t, triangle, rows.side);
	brDVec3 along = brDSub(sampleCorner(t, triangle, rows.side + 1), start);
	brDVec3 up = brDSub(sampleCorner(t, triangle, rows.side + 2), start);
	for (int32_t j = 1; j < rows.rows; ++j)
	{
		double height = (double)j / rows.rows, width = 1.0 - height;
		int32_t parts = sampleParts(rows.length * width, out->spacing);
		for (int32_t i = 1; i < parts; ++i)
		{
			brDVec3 p = brDMulAdd(brDMulAdd(start, height, up), width * i / parts, along);
			out->normals[out->pointCount] = (brPointNormals){.normals = {brToVec3(t->normals[triangle])}, .count = 1};
			if (out->hasCurves)
			{
				out->curves[out->pointCount] =
					brMakeSampleCurve(out, work->pointOf[t->triangles[triangle][0]],
									  work->pointOf[t->triangles[triangle][1]], brToVec3(t->normals[triangle]), false);
			}
			out->places[out->pointCount++] = brToVec3(p);
		}
	}
}

bool brMakeSamples(const brAllocator* allocator, const brSolidTriangles* triangles, double spacing,
				   brSamples* outSamples)
{
	SampleWork work = sampleCarve(triangles);
	sampleMeasureSides(&work, spacing);
	// Thin things would need more samples than they are worth: the spacing grows until there are not too many.
	// From sixteen times as many on it grows by four, however many there are.
	double most = fmax(128.0, 0.5 * triangles->vertexCount), farMore = 16.1 * most;
	int64_t edgeCount;
	double count = sampleCount(&work, spacing, farMore, &edgeCount);
	for (int32_t i = 0; i < 40 && count > most; ++i)
	{
		spacing *= fmax(1.05, fmin(4.0, sqrt(count / most)));
		count = sampleCount(&work, spacing, i < 39 ? farMore : INFINITY, &edgeCount);
	}
	*outSamples = (brSamples){.spacing = spacing};
	outSamples->pointCapacity = triangles->vertexCount + (int32_t)count;
	outSamples->edgeCapacity = (int32_t)edgeCount;
	outSamples->places = BR_ALLOC(allocator, brVec3, outSamples->pointCapacity);
	outSamples->normals = BR_ALLOC(allocator, brPointNormals, outSamples->pointCapacity);
	outSamples->curves = BR_ALLOC(allocator, brPointCurve, outSamples->pointCapacity);
	outSamples->edges = BR_ALLOC(allocator, brSolidEdge, outSamples->edgeCapacity);
	if (outSamples->places == NULL || outSamples->normals == NULL || outSamples->curves == NULL ||
		outSamples->edges == NULL)
	{
		brFreeSamples(allocator, outSamples);
		return false;
	}
	sampleAddVertices(&work, outSamples);
	brMeasureCurves(triangles, work.pointOf, work.sums, outSamples);
	for (int32_t i = 0, next = 0; i < triangles->triangleCount; ++i)
	{
		const SampleLong* at = next < work.longCount && work.longs[next].triangle == i ? &work.longs[next++] : NULL;
		for (int32_t k = 0; k < 3 && (at != NULL || (work.kinds[i][3] & sampleEdge) != 0); ++k)
		{
			sampleAddEdge(&work, i, k, at != NULL ? sampleParts(at->lengths[k], outSamples->spacing) : 1, outSamples);
		}
		if (at != NULL)
		{
			sampleAddFace(&work, at, outSamples);
		}
	}
	return true;
}

void brFreeSamples(const brAllocator* allocator, brSamples* samples)
{
	BR_FREE(allocator, samples->places, samples->pointCapacity);
	BR_FREE(allocator, samples->normals, samples->pointCapacity);
	BR_FREE(allocator, samples->curves, samples->pointCapacity);
	BR_FREE(allocator, samples->edges, samples->edgeCapacity);
	*samples = (brSamples){0};
}
