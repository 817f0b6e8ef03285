// SPDX-License-Identifier: MIT

// A cover of a hole that goes on as the surface around it bends.
//
// The triangles of the least folds are split in the middle and their edges flipped until they are as small as those
// around the hole (Liepa 2003). Then the new points move to where the bending is least: the squares of the Laplacian,
// summed over the points inside and those of the loop, whose neighbors in the surface take part, so the cover leaves the
// border in the surface's own direction. Weights are the inverse lengths of edges. Cost: linear in the new points for
// each step of the conjugate gradients, at most COVER_MAX_STEPS of them.

#include "mend/cover.h"

#include <math.h>
#include <string.h>

#define COVER_MAX_POINTS 4000 // inside one hole; a longer loop gets larger triangles
#define COVER_MAX_ROUNDS 12   // of splitting; each divides a length by more than 1.7
#define COVER_MAX_STEPS 400   // of the conjugate gradients
#define COVER_PASSES 2        // the second with the lengths of the first one's edges
#define COVER_TOLERANCE 1e-6  // of the gradient, as a share of the first

typedef struct CoverTriangle
{
	int32_t v[3];
	int32_t across[3]; // triangle beyond the edge from v[k] to v[k + 1], or -1
} CoverTriangle;

typedef struct Smoothing
{
	brCover* cover;
	const brCoverRing* ring;
	brAllocator allocator;
	BR_ARRAY(CoverTriangle) triangles;
	BR_ARRAY(double) sizes; // [points] length of edges that is wanted there
	// Neighbors of each point: those in the cover, and for the loop those in the surface around.
	int32_t* starts;    // [points + 1]
	int32_t* neighbors; // point, or -1 - place in the ring's points
	double* weights;    // sum 1 for each point
	int32_t linkCount;
	brDVec3 *values, *gradient, *way, *bent; // [points]
} Smoothing;

// Triangles and their neighbors

static bool coverLink(Smoothing* s)
{
	const brCover* cover = s->cover;
	int32_t count = cover->triangles.count / 3;
	int32_t* heads = BR_ALLOC(&s->allocator, int32_t, cover->points.count);
	int32_t* nexts = BR_ALLOC(&s->allocator, int32_t, 3 * (int64_t)count);
	bool complete = heads != NULL && nexts != NULL && BR_RESERVE(&s->allocator, &s->triangles, count);
	for (int32_t i = 0; i < cover->points.count && complete; ++i)
	{
		heads[i] = -1;
	}
	for (int32_t h = 0; h < 3 * count && complete; ++h)
	{
		int32_t from = cover->triangles.data[h];
		nexts[h] = heads[from];
		heads[from] = h;
	}
	for (int32_t t = 0; t < count && complete; ++t)
	{
		CoverTriangle triangle;
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t a = cover->triangles.data[3 * t + k], b = cover->triangles.data[3 * t + (k + 1) % 3];
			triangle.v[k] = a;
			triangle.across[k] = -1;
			for (int32_t h = heads[b]; h >= 0; h = nexts[h])
			{
				if (cover->triangles.data[h / 3 * 3 + (h + 1) % 3] == a)
				{
					triangle.across[k] = h / 3;
				}
			}
		}
		s->triangles.data[s->triangles.count++] = triangle;
	}
	BR_FREE(&s->allocator, heads, cover->points.count);
	BR_FREE(&s->allocator, nexts, 3 * (int64_t)count);
	return complete;
}

static void coverReplace(Smoothing* s, int32_t triangle, int32_t old, int32_t fresh)
{
	for (int32_t k = 0; k < 3 && triangle >= 0; ++k)
	{
		int32_t* across = &s->triangles.data[triangle].across[k];
		*across = *across == old ? fresh : *across;
	}
}

static brDVec3 coverNormal(const Smoothing* s, int32_t a, int32_t b, int32_t c)
{
	const brDVec3* p = s->cover->points.data;
	return brDCross(brDSub(p[b], p[a]), brDSub(p[c], p[a]));
}

// Is there an edge between c and d? Looks around c, beginning with a triangle that has it.
static bool coverHasEdge(const Smoothing* s, int32_t c, int32_t d, int32_t triangle)
{
	for (int32_t way = 0; way < 2; ++way)
	{
		int32_t t = triangle;
		for (int32_t guard = 0; t >= 0 && guard < s->triangles.count; ++guard)
		{
			const CoverTriangle* at = &s->triangles.data[t];
			int32_t k = at->v[0] == c ? 0 : at->v[1] == c ? 1 : 2;
			if (at->v[(k + 1) % 3] == d || at->v[(k + 2) % 3] == d)
			{
				return true;
			}
			t = at->across[way == 0 ? k : (k + 2) % 3];
			t = t == triangle ? -1 : t;
		}
	}
	return false;
}

// Flips edge k of a triangle if its two opposite angles are more than a straight one together.
static bool coverFlip(Smoothing* s, int32_t t, int32_t k)
{
	int32_t u = s->triangles.data[t].across[k];
	if (u < 0)
	{
		return false;
	}
	CoverTriangle *one = &s->triangles.data[t], *two = &s->triangles.data[u];
	int32_t m = two->across[0] == t ? 0 : two->across[1] == t ? 1 : 2;
	int32_t a = one->v[k], b = one->v[(k + 1) % 3], c = one->v[(k + 2) % 3], d = two->v[(m + 2) % 3];
	const brDVec3* p = s->cover->points.data;
	brDVec3 ca = brDSub(p[a], p[c]), cb = brDSub(p[b], p[c]), da = brDSub(p[a], p[d]), db = brDSub(p[b], p[d]);
	double sineC = brDLength(brDCross(ca, cb)), sineD = brDLength(brDCross(da, db));
	double cosineC = brDDot(ca, cb), cosineD = brDDot(da, db);
	bool isWide =
		sineC * cosineD + cosineC * sineD < -1e-9 * (brDLength(ca) * brDLength(cb) * brDLength(da) * brDLength(db));
	bool isLoopEdge = c < s->cover->loopCount && d < s->cover->loopCount; // the surface may have it already
	if (!isWide || isLoopEdge || coverHasEdge(s, c, d, t))
	{
		return false;
	}
	brDVec3 old = brDAdd(coverNormal(s, a, b, c), coverNormal(s, b, a, d));
	if (!(brDDot(old, coverNormal(s, a, d, c)) > 0.0) || !(brDDot(old, coverNormal(s, d, b, c)) > 0.0))
	{
		return false;
	}
	int32_t bc = one->across[(k + 1) % 3], ca2 = one->across[(k + 2) % 3];
	int32_t ad = two->across[(m + 1) % 3], db2 = two->across[(m + 2) % 3];
	*one = (CoverTriangle){{a, d, c}, {ad, u, ca2}};
	*two = (CoverTriangle){{d, b, c}, {db2, bc, t}};
	coverReplace(s, ad, u, t);
	coverReplace(s, bc, t, u);
	return true;
}

static void coverRelax(Smoothing* s)
{
	bool isBusy = true;
	for (int32_t round = 0; round < 20 && isBusy; ++round)
	{
		isBusy = false;
		for (int32_t t = 0; t < s->triangles.count; ++t)
		{
			for (int32_t k = 0; k < 3; ++k)
			{
				isBusy = coverFlip(s, t, k) || isBusy;
			}
		}
	}
}

// Splits triangle t in its middle.
static bool coverSplit(Smoothing* s, int32_t t, brDVec3 middle, double size)
{
	brCover* cover = s->cover;
	CoverTriangle old = s->triangles.data[t];
	int32_t p = cover->points.count, t1 = s->triangles.count, t2 = t1 + 1;
	if (!BR_PUSH(&s->allocator, &cover->points, middle) || !BR_PUSH(&s->allocator, &s->sizes, size) ||
		!BR_PUSH(&s->allocator, &cover->sources, cover->sources.data[old.v[0]]) ||
		!BR_RESERVE(&s->allocator, &s->triangles, 2))
	{
		return false;
	}
	s->triangles.data[t] = (CoverTriangle){{old.v[0], old.v[1], p}, {old.across[0], t1, t2}};
	s->triangles.data[t1] = (CoverTriangle){{old.v[1], old.v[2], p}, {old.across[1], t2, t}};
	s->triangles.data[t2] = (CoverTriangle){{old.v[2], old.v[0], p}, {old.across[2], t, t1}};
	s->triangles.count += 2;
	coverReplace(s, old.across[1], t, t1);
	coverReplace(s, old.across[2], t, t2);
	return true;
}

// Sizes of edges along the loop; larger ones if the hole would take too many points.
static bool coverMeasure(Smoothing* s)
{
	const brCover* cover = s->cover;
	double area = 0.0, sum = 0.0;
	for (int32_t t = 0; t < cover->triangles.count; t += 3)
	{
		const int32_t* v = &cover->triangles.data[t];
		area += 0.5 * brDLength(coverNormal(s, v[0], v[1], v[2]));
	}
	for (int32_t i = 0; i < cover->loopCount; ++i)
	{
		brDVec3 p = cover->points.data[i];
		double length = brDDistance(p, cover->points.data[(i + 1) % cover->loopCount]) +
						brDDistance(p, cover->points.data[(i + cover->loopCount - 1) % cover->loopCount]);
		int32_t count = 2;
		for (int32_t k = s->ring->starts[i]; k < s->ring->starts[i + 1]; ++k, ++count)
		{
			length += brDDistance(p, s->ring->points[k]);
		}
		if (!BR_PUSH(&s->allocator, &s->sizes, length / count))
		{
			return false;
		}
		sum += length / count;
	}
	// A point stands for about 0.87 of the square of an edge.
	double mean = sum / cover->loopCount, least = sqrt(area / (0.87 * COVER_MAX_POINTS));
	for (int32_t i = 0; i < cover->loopCount && mean < least; ++i)
	{
		s->sizes.data[i] *= least / mean;
	}
	return true;
}

static bool coverRefine(Smoothing* s)
{
	bool isBusy = true, complete = coverMeasure(s);
	coverRelax(s);
	for (int32_t round = 0; round < COVER_MAX_ROUNDS && isBusy && complete; ++round)
	{
		isBusy = false;
		for (int32_t t = 0, end = s->triangles.count; t < end && complete; ++t)
		{
			const int32_t* v = s->triangles.data[t].v;
			const brDVec3* p = s->cover->points.data;
			brDVec3 middle = brDMul(1.0 / 3.0, brDAdd(p[v[0]], brDAdd(p[v[1]], p[v[2]])));
			double size = (s->sizes.data[v[0]] + s->sizes.data[v[1]] + s->sizes.data[v[2]]) / 3.0;
			bool isLarge = true;
			for (int32_t k = 0; k < 3; ++k)
			{
				double reach = sqrt(2.0) * brDDistance(middle, p[v[k]]);
				isLarge = isLarge && reach > size && reach > s->sizes.data[v[k]];
			}
			if (isLarge && s->cover->points.count < s->cover->loopCount + 2 * COVER_MAX_POINTS)
			{
				complete = coverSplit(s, t, middle, size);
				isBusy = true;
			}
		}
		if (complete && isBusy)
		{
			coverRelax(s);
		}
	}
	return complete;
}

// Least bending

static bool coverGatherNeighbors(Smoothing* s)
{
	const brCover* cover = s->cover;
	int32_t count = cover->points.count;
	s->starts = BR_ALLOC_ZERO(&s->allocator, int32_t, (int64_t)count + 2);
	s->linkCount = 3 * s->triangles.count + cover->loopCount + s->ring->starts[cover->loopCount];
	s->neighbors = BR_ALLOC(&s->allocator, int32_t, s->linkCount);
	s->weights = BR_ALLOC(&s->allocator, double, s->linkCount);
	s->values = BR_ALLOC(&s->allocator, brDVec3, 4 * (int64_t)count);
	if (s->starts == NULL || s->neighbors == NULL || s->weights == NULL || s->values == NULL)
	{
		return false;
	}
	s->gradient = s->values + count, s->way = s->gradient + count, s->bent = s->way + count;
	// Each point gets the ends of the edges that leave it; on the loop one edge comes in without leaving.
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		for (int32_t t = 0; t < s->triangles.count; ++t)
		{
			const CoverTriangle* triangle = &s->triangles.data[t];
			for (int32_t k = 0; k < 3; ++k)
			{
				int32_t a = triangle->v[k], b = triangle->v[(k + 1) % 3];
				pass == 0 ? (void)(s->starts[a + 2] += 1) : (void)(s->neighbors[s->starts[a + 1]++] = b);
				if (triangle->across[k] < 0)
				{
					pass == 0 ? (void)(s->starts[b + 2] += 1) : (void)(s->neighbors[s->starts[b + 1]++] = a);
				}
			}
		}
		for (int32_t i = 0; i < cover->loopCount; ++i)
		{
			for (int32_t k = s->ring->starts[i]; k < s->ring->starts[i + 1]; ++k)
			{
				pass == 0 ? (void)(s->starts[i + 2] += 1) : (void)(s->neighbors[s->starts[i + 1]++] = -1 - k);
			}
		}
		for (int32_t i = 0; i < count && pass == 0; ++i)
		{
			s->starts[i + 2] += s->starts[i + 1];
		}
	}
	return true;
}

static brDVec3 coverPlace(const Smoothing* s, int32_t neighbor)
{
	return neighbor >= 0 ? s->cover->points.data[neighbor] : s->ring->points[-1 - neighbor];
}

static void coverWeigh(Smoothing* s)
{
	for (int32_t i = 0; i < s->cover->points.count; ++i)
	{
		double sum = 0.0;
		for (int32_t k = s->starts[i]; k < s->starts[i + 1]; ++k)
		{
			double length = brDDistance(s->cover->points.data[i], coverPlace(s, s->neighbors[k]));
			s->weights[k] = 1.0 / fmax(length, 1e-3 * s->sizes.data[i]);
			sum += s->weights[k];
		}
		for (int32_t k = s->starts[i]; k < s->starts[i + 1]; ++k)
		{
			s->weights[k] /= sum;
		}
	}
}

// The gradient of half the sum of squared Laplacians, of the points as they are or of displacements of those inside.
static void coverBend(Smoothing* s, const brDVec3* way, brDVec3* outGradient)
{
	int32_t count = s->cover->points.count, loop = s->cover->loopCount;
	const brDVec3 zero = {0.0, 0.0, 0.0};
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 own = way != NULL ? (i >= loop ? way[i] : zero) : s->cover->points.data[i], mean = zero;
		for (int32_t k = s->starts[i]; k < s->starts[i + 1]; ++k)
		{
			int32_t n = s->neighbors[k];
			brDVec3 other = way != NULL ? (n >= loop ? way[n] : zero) : coverPlace(s, n);
			mean = brDMulAdd(mean, s->weights[k], other);
		}
		s->bent[i] = brDSub(mean, own);
		outGradient[i] = zero;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		for (int32_t k = s->starts[i]; k < s->starts[i + 1]; ++k)
		{
			int32_t n = s->neighbors[k];
			if (n >= loop)
			{
				outGradient[n] = brDMulAdd(outGradient[n], s->weights[k], s->bent[i]);
			}
		}
		outGradient[i] = i >= loop ? brDSub(outGradient[i], s->bent[i]) : outGradient[i];
	}
}

static double coverDot(const Smoothing* s, const brDVec3* a, const brDVec3* b)
{
	double sum = 0.0;
	for (int32_t i = s->cover->loopCount; i < s->cover->points.count; ++i)
	{
		sum += brDDot(a[i], b[i]);
	}
	return sum;
}

// Conjugate gradients on the places of the points inside.
static void coverSettle(Smoothing* s)
{
	int32_t count = s->cover->points.count, loop = s->cover->loopCount;
	coverBend(s, NULL, s->gradient);
	for (int32_t i = loop; i < count; ++i)
	{
		s->gradient[i] = brDMul(-1.0, s->gradient[i]);
		s->way[i] = s->gradient[i];
	}
	double before = coverDot(s, s->gradient, s->gradient), first = before;
	for (int32_t step = 0; step < COVER_MAX_STEPS && before > COVER_TOLERANCE * COVER_TOLERANCE * first; ++step)
	{
		coverBend(s, s->way, s->values);
		double length = before / coverDot(s, s->way, s->values);
		if (!isfinite(length))
		{
			return;
		}
		for (int32_t i = loop; i < count; ++i)
		{
			s->cover->points.data[i] = brDMulAdd(s->cover->points.data[i], length, s->way[i]);
			s->gradient[i] = brDMulAdd(s->gradient[i], -length, s->values[i]);
		}
		double after = coverDot(s, s->gradient, s->gradient);
		for (int32_t i = loop; i < count; ++i)
		{
			s->way[i] = brDMulAdd(s->gradient[i], after / before, s->way[i]);
		}
		before = after;
	}
}

// A cover that leaves the box of its loop by more than half of its size is no cover.
static bool coverIsTame(const brCover* cover)
{
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t i = 0; i < cover->loopCount; ++i)
	{
		box = brDBox3_Include(box, cover->points.data[i]);
	}
	double margin = 0.5 * brDDistance(box.lower, box.upper);
	for (int32_t i = cover->loopCount; i < cover->points.count; ++i)
	{
		brDVec3 p = cover->points.data[i];
		if (!(p.x > box.lower.x - margin && p.x < box.upper.x + margin && p.y > box.lower.y - margin &&
			  p.y < box.upper.y + margin && p.z > box.lower.z - margin && p.z < box.upper.z + margin))
		{
			return false;
		}
	}
	return true;
}

bool brCover_Smooth(brCover* cover, const brAllocator* allocator, const brCoverRing* ring)
{
	Smoothing s = {.cover = cover, .ring = ring, .allocator = *allocator};
	int32_t plainCount = cover->triangles.count;
	bool complete = coverLink(&s) && coverRefine(&s) && coverGatherNeighbors(&s);
	int32_t pointCount = cover->points.count;
	for (int32_t pass = 0; pass < COVER_PASSES && complete && pointCount > cover->loopCount; ++pass)
	{
		coverWeigh(&s);
		coverSettle(&s);
	}
	if (complete && pointCount > cover->loopCount && coverIsTame(cover))
	{
		complete = BR_RESERVE(allocator, &cover->triangles, 3 * s.triangles.count - plainCount);
		cover->triangles.count = complete ? 0 : plainCount;
		for (int32_t t = 0; t < s.triangles.count && complete; ++t)
		{
			for (int32_t k = 0; k < 3; ++k)
			{
				cover->triangles.data[cover->triangles.count++] = s.triangles.data[t].v[k];
			}
		}
	}
	else
	{
		cover->points.count = cover->sources.count = cover->loopCount;
	}
	BR_FREE(allocator, s.starts, (int64_t)pointCount + 2);
	BR_FREE(allocator, s.neighbors, s.linkCount);
	BR_FREE(allocator, s.weights, s.linkCount);
	BR_FREE(allocator, s.values, 4 * (int64_t)pointCount);
	BR_FREE_ARRAY(allocator, &s.triangles);
	BR_FREE_ARRAY(allocator, &s.sizes);
	return complete;
}
