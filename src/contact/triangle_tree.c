// SPDX-License-Identifier: MIT

// The triangles of a solid: who is next to whom, the tree over them, and the distance of a point with its sign.
//
// Links: half-edges are bucketed by their lower vertex, so finding the other half costs a look at a handful of entries. Corners
// joined over linked sides make fans; a vertex where two parts of the surface touch has several, each with its own normal.
//
// Tree: a range of triangles is split at the largest power of two below its size, across the longest side of the box of
// centroids. So every aligned run of eight is compact and the tree needs no pointers.

#include "contact/solid.h"

#include "base/array.h"
#include "base/cpu.h"
#include "base/sort.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define TRIANGLE_STACK (BR_TRIANGLE_LEVELS * BR_TRIANGLE_LANES + 1)

// Triangles of less area against their longest side are flat: rounding has left no normal.
#define TRIANGLE_FLAT 1e-9

// So are those lower than this part of the radius: in float they are lines.
#define TRIANGLE_HEIGHT 1e-6

// Empty lanes lie here: its square is still a float, and farther than all that is real.
#define TRIANGLE_NOWHERE 1e18f
#define TRIANGLE_FARTHEST_SQ 1e36f

#define SPLAT(x) ((brLanes8){(x), (x), (x), (x), (x), (x), (x), (x)})

// Lane by lane: a where the mask is set, else b.
#define CHOOSE(mask, a, b) ((brLanes8)(((mask) & (brLaneMask8)(a)) | (~(mask) & (brLaneMask8)(b))))

typedef struct NearNode
{
	float distanceSq;
	int32_t level; // -1: a group
	int32_t index;
} NearNode;

// The lesser or greater of each lane: one instruction where there is one, and the same answer everywhere.
#if defined(__x86_64__)
#define KERNEL_EACH(name, a, b, out, sign)                                                                             \
	((__m128*)(void*)(out))[0] =                                                                                       \
		_mm##name(((const __m128*)(const void*)(a))[0], ((const __m128*)(const void*)(b))[0]);                         \
	((__m128*)(void*)(out))[1] = _mm##name(((const __m128*)(const void*)(a))[1], ((const __m128*)(const void*)(b))[1])
#define KERNEL_ROOT(a, out)                                                                                            \
	((__m128*)(void*)(out))[0] = _mm_sqrt_ps(((const __m128*)(const void*)(a))[0]);                                    \
	((__m128*)(void*)(out))[1] = _mm_sqrt_ps(((const __m128*)(const void*)(a))[1])
#else
#define KERNEL_ROOT(a, out)                                                                                            \
	for (int lane = 0; lane < BR_TRIANGLE_LANES; ++lane)                                                               \
	(*(out))[lane] = sqrtf((*(a))[lane])
#define KERNEL_EACH(name, a, b, out, sign)                                                                             \
	for (int lane = 0; lane < BR_TRIANGLE_LANES; ++lane)                                                               \
	(*(out))[lane] = (*(a))[lane] sign(*(b))[lane] ? (*(a))[lane] : (*(b))[lane]
#endif

#define KERNEL(name) name##Plain
#define KERNEL_TARGET
#include "contact/triangle_kernels.h"
#undef KERNEL
#undef KERNEL_TARGET

#if defined(__x86_64__)
#undef KERNEL_EACH
#undef KERNEL_ROOT
#define KERNEL_EACH(name, a, b, out, sign) *(out) = (brLanes8)_mm256##name((__m256) * (a), (__m256) * (b))
#define KERNEL_ROOT(a, out) *(out) = (brLanes8)_mm256_sqrt_ps((__m256) * (a))
#define KERNEL(name) name##Avx2
#define KERNEL_TARGET __attribute__((target("avx2")))
#include "contact/triangle_kernels.h"
#undef KERNEL
#undef KERNEL_TARGET
#endif

int32_t brSolid_Nearest(const brSolid* solid, brVec3 p, int32_t hint, float* boundSq)
{
#if defined(__x86_64__)
	if (solid->hasAvx2)
	{
		return nearestTriangleAvx2(solid, p, hint, boundSq);
	}
#endif
	return nearestTrianglePlain(solid, p, hint, boundSq);
}

uint32_t brSolid_PlaceBlock(const brSolid* solid, int32_t block, const brRelativePose* pose, brBox3 box,
							brLanes8 outPlaces[3])
{
#if defined(__x86_64__)
	if (solid->hasAvx2)
	{
		return placeBlockAvx2(solid, block, pose, box, outPlaces);
	}
#endif
	return placeBlockPlain(solid, block, pose, box, outPlaces);
}

uint32_t brPolytope_Bounds(const brShape* shape, const brLanes8 places[3], float limit, brLanes8* outLeast)
{
#if defined(__x86_64__)
	if (brCpu_Best() >= br_cpuAvx2)
	{
		return planeLanesAvx2(shape, places, limit, outLeast);
	}
#endif
	return planeLanesPlain(shape, places, limit, outLeast);
}

uint32_t brSolid_Bounds(const brSolid* solid, const brLanes8 places[3], float limit, brFieldBounds* out)
{
#if defined(__x86_64__)
	if (solid->hasAvx2)
	{
		return boundLanesAvx2(solid, places, limit, out);
	}
#endif
	return boundLanesPlain(solid, places, limit, out);
}

static brVec3 triangleLane(const brLanes8 from[3], int32_t lane)
{
	return brMakeVec3(from[0][lane], from[1][lane], from[2][lane]);
}

static float triangleClamp01(float x)
{
	return x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x;
}

static brVec3 triangleNormal(const brSolid* solid, int32_t place)
{
	return triangleLane(solid->groups[place / BR_TRIANGLE_LANES].normal, place % BR_TRIANGLE_LANES);
}

void brSolid_Corners(const brSolid* solid, int32_t place, brVec3 outCorners[3])
{
	const brTriangleGroup* g = &solid->groups[place / BR_TRIANGLE_LANES];
	int32_t lane = place % BR_TRIANGLE_LANES;
	brVec3 a = triangleLane(g->corner, lane), along = triangleLane(g->along, lane);
	outCorners[0] = a;
	outCorners[1] = brMulAdd(a, g->length[lane], along);
	outCorners[2] = brMulAdd(brMulAdd(a, g->cx[lane], along), g->cy[lane], triangleLane(g->up, lane));
}

// The same arithmetic as in the lanes, for one of them: the way from the nearest point to p, and the feature it lies on.
static float triangleApart(const brTriangleGroup* g, int32_t lane, brVec3 p, brVec3* outApart, int32_t* outFeature)
{
	brVec3 along = triangleLane(g->along, lane), up = triangleLane(g->up, lane), n = triangleLane(g->normal, lane);
	brVec3 q = brSub(p, triangleLane(g->corner, lane));
	float s = brDot(q, along), t = brDot(q, up), height = brDot(q, n);
	float cx = g->cx[lane], cy = g->cy[lane], length = g->length[lane], rest = s - length, back = cx - length;
	if (t >= 0.0f && s * cy - t * cx >= 0.0f && back * t - cy * rest >= 0.0f)
	{
		*outFeature = 0;
		*outApart = brMul(height, n);
		return height * height;
	}
	// Sides from a to b, b to c, and c to a; the places on them as parts of their lengths.
	float k0 = s < 0.0f ? 0.0f : s > length ? length : s;
	float k1 = triangleClamp01((rest * back + t * cy) * g->inv2[lane]);
	float k2 = triangleClamp01((s * cx + t * cy) * g->inv1[lane]);
	float x[3] = {s - k0, rest - k1 * back, s - k2 * cx}, y[3] = {t, t - k1 * cy, t - k2 * cy};
	float sq[3] = {x[0] * x[0] + y[0] * y[0], x[1] * x[1] + y[1] * y[1], x[2] * x[2] + y[2] * y[2]};
	bool isInner[3] = {k0 > 0.0f && k0<length, k1> 0.0f && k1<1.0f, k2> 0.0f && k2 < 1.0f};
	int32_t corners[3] = {k0 > 0.0f ? 1 : 0, k1 > 0.0f ? 2 : 1, k2 > 0.0f ? 2 : 0};
	int32_t side = sq[1] < sq[0] ? 1 : 0;
	side = sq[2] < sq[side] ? 2 : side;
	*outFeature = isInner[side] ? 1 + side : 4 + corners[side];
	*outApart = brMulAdd(brMulAdd(brMul(height, n), x[side], along), y[side], up);
	return height * height + sq[side];
}

float brSolid_Guess(const brSolid* solid, int32_t place, brVec3 p)
{
	brVec3 apart;
	int32_t feature;
	float distanceSq =
		triangleApart(&solid->groups[place / BR_TRIANGLE_LANES], place % BR_TRIANGLE_LANES, p, &apart, &feature);
	return brDot(apart, triangleNormal(solid, place)) < 0.0f ? -sqrtf(distanceSq) : sqrtf(distanceSq);
}

// Beside a flat triangle the link over a side leads nowhere: of all triangles that touch the nearest point, the one that sees p
// most from above or below tells the side.
static brVec3 triangleSideNormal(const brSolid* solid, brVec3 nearest, brVec3 apart, brVec3 own)
{
	enum
	{
		most = 64
	};
	int32_t places[most];
	float slack = 8e-6f * solid->shape->radius;
	brVec3 more = {slack, slack, slack};
	int32_t count = brSolid_InBox(solid, (brBox3){brSub(nearest, more), brAdd(nearest, more)}, places, most);
	float best = fabsf(brDot(own, apart));
	for (int32_t i = 0; i < (count < most ? count : most); ++i)
	{
		brVec3 n = triangleNormal(solid, places[i]), d;
		int32_t feature;
		float value = fabsf(brDot(n, apart));
		if (value > best && triangleApart(&solid->groups[places[i] / BR_TRIANGLE_LANES], places[i] % BR_TRIANGLE_LANES,
										  nearest, &d, &feature) < slack * slack)
		{
			best = value, own = n;
		}
	}
	return own;
}

void brSolid_AnswerAt(const brSolid* solid, int32_t place, brVec3 p, brFieldAnswer* out)
{
	const brTriangleLink* link = &solid->links[place];
	brVec3 apart, normal = triangleNormal(solid, place);
	float distanceSq =
		triangleApart(&solid->groups[place / BR_TRIANGLE_LANES], place % BR_TRIANGLE_LANES, p, &apart, &out->feature);
	out->triangle = place;
	out->nearest = brSub(p, apart);
	if (out->feature == 0)
	{
		out->distance = brDot(normal, apart);
		out->direction = normal;
		return;
	}
	if (out->feature >= 4)
	{
		normal = solid->fans[link->fans[out->feature - 4]];
	}
	else if (link->across[out->feature - 1] >= 0)
	{
		normal = brAdd(normal, triangleNormal(solid, link->across[out->feature - 1]));
		normal = brMul(1.0f / sqrtf(fmaxf(brDot(normal, normal), 1e-30f)), normal);
	}
	else if (link->across[out->feature - 1] == BR_ACROSS_FLAT)
	{
		normal = triangleSideNormal(solid, out->nearest, apart, normal);
	}
	float distance = sqrtf(distanceSq);
	float sign = brDot(apart, normal) < 0.0f ? -1.0f : 1.0f;
	out->distance = sign * distance;
	// Very near the surface the difference of two points has no direction left; the feature has.
	out->direction = distance > 1e-5f * solid->shape->radius ? brMul(sign / distance, apart) : normal;
}

// The cell nearest to a coordinate in cells from the first cell's centre.
static int32_t fieldCell(float at, int32_t count)
{
	float last = (float)(count - 1);
	at += 0.5f;
	return (int32_t)(at < 0.0f ? 0.0f : at > last ? last : at);
}

brFieldBound brSolid_Bound(const brSolid* solid, brVec3 p)
{
	// What the nearest cell's centre knows holds here within the way there.
	brVec3 at = brSub(p, solid->cellOrigin);
	int32_t x = fieldCell(at.x * solid->invCellSize.x, solid->cellCounts[0]);
	int32_t y = fieldCell(at.y * solid->invCellSize.y, solid->cellCounts[1]);
	int32_t z = fieldCell(at.z * solid->invCellSize.z, solid->cellCounts[2]);
	brVec3 way =
		brSub(at, brMakeVec3((float)x * solid->cellSize.x, (float)y * solid->cellSize.y, (float)z * solid->cellSize.z));
	brSolidCell cell = solid->cells[(z * solid->cellCounts[1] + y) * solid->cellCounts[0] + x];
	float off = sqrtf(brDot(way, way)) * (1.0f + 1e-5f), slack = 2e-6f * solid->shape->radius;
	float known = solid->isOpen ? fabsf(cell.distance) : cell.distance;
	brFieldBound bound = {known - off - slack, known + off + slack, cell.triangle};
	// Beyond the box: as far as the box.
	brVec3 half = solid->shape->half, c = brSub(p, solid->shape->boxCenter);
	brVec3 beyond = {fabsf(c.x) - half.x, fabsf(c.y) - half.y, fabsf(c.z) - half.z};
	if (beyond.x > 0.0f || beyond.y > 0.0f || beyond.z > 0.0f)
	{
		beyond = brMax(beyond, brMakeVec3(0.0f, 0.0f, 0.0f));
		float box = sqrtf(brDot(beyond, beyond)) * (1.0f - 1e-5f);
		bound.least = box > bound.least ? box : bound.least;
	}
	return bound;
}

bool brSolid_FieldWithin(const brSolid* solid, brVec3 p, float reach, const brFieldBound* known, brFieldAnswer* out)
{
	if (known->least > reach)
	{
		out->distance = known->least;
		return false;
	}
	float most = fmaxf(known->most, -known->least) * (1.0f + 1e-4f);
	bool isOutside = known->least > 0.0f;
	float bound = isOutside && reach < most ? reach : most;
	float boundSq = bound * bound;
	int32_t place = brSolid_Nearest(solid, p, known->hint, &boundSq);
	if (place < 0 && bound < most)
	{
		out->distance = reach;
		return false;
	}
	if (place < 0)
	{
		// Rounding at the rim of the bound: search without one.
		boundSq = INFINITY;
		place = brSolid_Nearest(solid, p, known->hint, &boundSq);
	}
	brSolid_AnswerAt(solid, place, p, out);
	bool isFar = out->distance > reach || (solid->isOpen && out->distance < -reach);
	out->distance = isFar ? fabsf(out->distance) : out->distance;
	return !isFar;
}

bool brSolid_Field(const brSolid* solid, brVec3 p, float reach, brFieldAnswer* out)
{
	brFieldBound bound = brSolid_Bound(solid, p);
	return brSolid_FieldWithin(solid, p, reach, &bound, out);
}

int32_t brSolid_InBox(const brSolid* solid, brBox3 box, int32_t* outTriangles, int32_t capacity)
{
	int32_t count = 0, depth = 0;
	NearNode stack[TRIANGLE_STACK];
	stack[depth++] = (NearNode){0.0f, solid->levelCount - 1, 0};
	while (depth > 0)
	{
		NearNode top = stack[--depth];
		if (top.level < 0)
		{
			for (int32_t lane = 0; lane < BR_TRIANGLE_LANES; ++lane)
			{
				int32_t place = BR_TRIANGLE_LANES * top.index + lane;
				if (place < solid->triangleCount)
				{
					brVec3 c[3];
					brSolid_Corners(solid, place, c);
					brBox3 around = {brMin(c[0], brMin(c[1], c[2])), brMax(c[0], brMax(c[1], c[2]))};
					if (brBox3_Overlaps(around, box))
					{
						if (count < capacity)
						{
							outTriangles[count] = place;
						}
						count += 1;
					}
				}
			}
			continue;
		}
		const brTriangleNode* node = &solid->levels[top.level][top.index];
		brLaneMask8 meets = (node->lower[0] <= SPLAT(box.upper.x)) & (node->upper[0] >= SPLAT(box.lower.x)) &
							(node->lower[1] <= SPLAT(box.upper.y)) & (node->upper[1] >= SPLAT(box.lower.y)) &
							(node->lower[2] <= SPLAT(box.upper.z)) & (node->upper[2] >= SPLAT(box.lower.z));
		// Last lane first, so that groups come in rising order.
		for (int32_t lane = BR_TRIANGLE_LANES - 1; lane >= 0; --lane)
		{
			if (meets[lane] != 0)
			{
				stack[depth++] = (NearNode){0.0f, top.level - 1, BR_TRIANGLE_LANES * top.index + lane};
			}
		}
	}
	return count;
}

// Making

// Angle with this cosine, within 1e-4 rad: weights of normals need no more (Abramowitz and Stegun 4.4.45).
static double triangleAngle(double cosine)
{
	double x = fabs(cosine) < 1.0 ? fabs(cosine) : 1.0;
	double angle = sqrt(1.0 - x) * (1.5707288 + x * (-0.2121144 + x * (0.0742610 - x * 0.0187293)));
	return cosine < 0.0 ? BR_PI - angle : angle;
}

typedef struct TriangleHalf
{
	int32_t upper;  // the greater vertex
	int32_t corner; // 3 triangle + side
} TriangleHalf;

// How far one has to turn about the edge, from the inner side of half-edge `from`, to meet the triangle of `to`.
static double trianglePairAngle(const brSolidTriangles* work, int32_t from, int32_t to)
{
	const int32_t *t = work->triangles[from / 3], *u = work->triangles[to / 3];
	brDVec3 a = work->exact[t[from % 3]], b = work->exact[t[(from % 3 + 1) % 3]];
	brDVec3 e = brDNormalize(brDSub(b, a));
	brDVec3 p = brDSub(work->exact[t[(from % 3 + 2) % 3]], a);
	brDVec3 q = brDSub(work->exact[u[(to % 3 + 2) % 3]], a);
	p = brDSub(p, brDMul(brDDot(p, e), e));
	q = brDSub(q, brDMul(brDDot(q, e), e));
	// Inside is behind the triangle: turning from p towards -n. With n = e x p that is clockwise seen along e.
	double angle = brAtan2(-brDDot(brDCross(p, q), e), brDDot(p, q));
	return angle <= 0.0 ? angle + 2.0 * BR_PI : angle;
}

// The normal that holds where a triangle lies. A flat one lies within the longest of its sides, so it is that of the triangle over there.
static brDVec3 triangleFanNormal(const brSolidTriangles* work, int32_t triangle)
{
	for (int32_t i = 0; i < 8 && !(work->areas[triangle] > 0.0); ++i)
	{
		const int32_t* t = work->triangles[triangle];
		int32_t longest = 0;
		double most = -1.0;
		for (int32_t k = 0; k < 3; ++k)
		{
			double length = brDLengthSq(brDSub(work->exact[t[(k + 1) % 3]], work->exact[t[k]]));
			longest = length > most ? k : longest;
			most = length > most ? length : most;
		}
		if (work->across[triangle][longest] < 0)
		{
			break;
		}
		triangle = work->across[triangle][longest];
	}
	return work->normals[triangle];
}

bool brLinkTriangles(const brAllocator* allocator, brSolidTriangles* work)
{
	int32_t halfCount = 3 * work->triangleCount, vertexCount = work->vertexCount;
	int32_t* starts = BR_ALLOC_ZERO(allocator, int32_t, vertexCount + 1);
	TriangleHalf* halves = BR_ALLOC(allocator, TriangleHalf, halfCount);
	bool isGood = starts != NULL && halves != NULL;
	if (isGood)
	{
		for (int32_t i = 0; i < halfCount; ++i)
		{
			int32_t a = work->triangles[i / 3][i % 3], b = work->triangles[i / 3][(i % 3 + 1) % 3];
			starts[(a < b ? a : b) + 1] += 1;
			work->across[i / 3][i % 3] = -1;
			work->cornerFans[i / 3][i % 3] = -1;
		}
		for (int32_t v = 0; v < vertexCount; ++v)
		{
			starts[v + 1] += starts[v];
		}
		for (int32_t i = halfCount - 1; i >= 0; --i)
		{
			int32_t a = work->triangles[i / 3][i % 3], b = work->triangles[i / 3][(i % 3 + 1) % 3];
			halves[--starts[(a < b ? a : b) + 1]] = (TriangleHalf){a < b ? b : a, i};
		}
		// Filling moved each start to the one before: starts[v + 1] is now where v begins.
		for (int32_t v = 0; v < vertexCount; ++v)
		{
			int32_t begin = starts[v + 1], end = v + 2 <= vertexCount ? starts[v + 2] : halfCount;
			for (int32_t i = begin; i < end; ++i)
			{
				int32_t corner = halves[i].corner, found = -1, facing = 0;
				bool isUp = work->triangles[corner / 3][corner % 3] == v;
				for (int32_t k = begin; k < end; ++k)
				{
					int32_t other = halves[k].corner;
					bool isOtherUp = work->triangles[other / 3][other % 3] == v;
					if (halves[k].upper == halves[i].upper && isOtherUp != isUp)
					{
						found = other, facing += 1;
					}
				}
				if (facing > 1)
				{
					double least = INFINITY;
					for (int32_t k = begin; k < end; ++k)
					{
						int32_t other = halves[k].corner;
						bool isOtherUp = work->triangles[other / 3][other % 3] == v;
						if (halves[k].upper == halves[i].upper && isOtherUp != isUp)
						{
							double angle = trianglePairAngle(work, corner, other);
							found = angle < least ? other : found;
							least = angle < least ? angle : least;
						}
					}
				}
				work->across[corner / 3][corner % 3] = found >= 0 ? found / 3 : -1;
			}
		}
	}
	BR_FREE(allocator, starts, vertexCount + 1);
	BR_FREE(allocator, halves, halfCount);
	if (!isGood)
	{
		return false;
	}

	double radiusSq = 0.0;
	for (int32_t v = 0; v < vertexCount; ++v)
	{
		radiusSq = fmax(radiusSq, brDLengthSq(work->exact[v]));
	}
	double leastHeightSq = TRIANGLE_HEIGHT * TRIANGLE_HEIGHT * radiusSq;
	for (int32_t i = 0; i < work->triangleCount; ++i)
	{
		const int32_t* t = work->triangles[i];
		brDVec3 a = work->exact[t[0]], ab = brDSub(work->exact[t[1]], a), ac = brDSub(work->exact[t[2]], a);
		brDVec3 cross = brDCross(ab, ac);
		double longestSq = fmax(brDLengthSq(brDSub(ac, ab)), fmax(brDLengthSq(ab), brDLengthSq(ac)));
		double area = brDLength(cross);
		bool isFlat = !(area > TRIANGLE_FLAT * longestSq) || area * area < leastHeightSq * longestSq;
		work->areas[i] = isFlat ? 0.0 : area;
		work->normals[i] = isFlat ? brMakeDVec3(0.0, 0.0, 0.0) : brDMul(1.0 / area, cross);
	}

	// Fans: round each vertex over linked sides, to the left until the end or the start, then to the right.
	work->fanCount = 0;
	for (int32_t i = 0; i < halfCount; ++i)
	{
		if (work->cornerFans[i / 3][i % 3] >= 0)
		{
			continue;
		}
		int32_t fan = work->fanCount++, vertex = work->triangles[i / 3][i % 3];
		brDVec3 sum = {0.0, 0.0, 0.0};
		for (int32_t direction = 0; direction < 2; ++direction)
		{
			int32_t triangle = i / 3, corner = i % 3;
			for (int32_t turn = 0; turn <= work->triangleCount; ++turn)
			{
				if (work->cornerFans[triangle][corner] < 0)
				{
					work->cornerFans[triangle][corner] = fan;
					const int32_t* t = work->triangles[triangle];
					brDVec3 p = work->exact[vertex];
					brDVec3 e = brDNormalize(brDSub(work->exact[t[(corner + 1) % 3]], p));
					brDVec3 f = brDNormalize(brDSub(work->exact[t[(corner + 2) % 3]], p));
					sum = brDMulAdd(sum, triangleAngle(brDDot(e, f)), triangleFanNormal(work, triangle));
				}
				else if (turn > 0)
				{
					break;
				}
				int32_t next = work->across[triangle][direction == 0 ? (corner + 2) % 3 : corner];
				if (next < 0)
				{
					break;
				}
				const int32_t* t = work->triangles[next];
				corner = t[0] == vertex ? 0 : t[1] == vertex ? 1 : 2;
				triangle = next;
			}
		}
		brDVec3 normal = brDLength(sum) > 1e-9 ? brDNormalize(sum) : work->normals[i / 3];
		work->fans[fan] = brToVec3(normal);
	}
	return true;
}

static uint64_t orderKey(float value, int32_t index)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u; // floats as integers in the same order
	return (uint64_t)bits << 32 | (uint32_t)index;
}

static void orderRange(const brVec3* centers, uint64_t* keys, int32_t count)
{
	while (count > BR_TRIANGLE_LANES)
	{
		brVec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
		for (int32_t i = 0; i < count; ++i)
		{
			brVec3 c = centers[(uint32_t)keys[i]];
			lower = brMin(lower, c), upper = brMax(upper, c);
		}
		brVec3 size = brSub(upper, lower);
		int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
		for (int32_t i = 0; i < count; ++i)
		{
			brVec3 c = centers[(uint32_t)keys[i]];
			keys[i] = orderKey(axis == 0 ? c.x : axis == 1 ? c.y : c.z, (int32_t)(uint32_t)keys[i]);
		}
		int32_t half = BR_TRIANGLE_LANES;
		while (2 * half < count)
		{
			half *= 2;
		}
		brSelectKeys64(keys, count, half);
		orderRange(centers, keys, half);
		keys += half, count -= half;
	}
}

bool brOrderTriangles(const brAllocator* allocator, const brSolidTriangles* work, int32_t* outOrder)
{
	brVec3* centers = BR_ALLOC(allocator, brVec3, work->triangleCount);
	uint64_t* keys = BR_ALLOC(allocator, uint64_t, work->triangleCount);
	bool isGood = centers != NULL && keys != NULL;
	for (int32_t i = 0; i < work->triangleCount && isGood; ++i)
	{
		const int32_t* t = work->triangles[i];
		brVec3 a = work->vertices[t[0]], b = work->vertices[t[1]], c = work->vertices[t[2]];
		centers[i] = brAdd(brMin(a, brMin(b, c)), brMax(a, brMax(b, c)));
		keys[i] = (uint64_t)i;
	}
	if (isGood)
	{
		orderRange(centers, keys, work->triangleCount);
		for (int32_t i = 0; i < work->triangleCount; ++i)
		{
			outOrder[i] = (int32_t)(uint32_t)keys[i];
		}
	}
	BR_FREE(allocator, centers, work->triangleCount);
	BR_FREE(allocator, keys, work->triangleCount);
	return isGood;
}

static void fillLane(brLanes8 out[3], int32_t lane, brVec3 a)
{
	out[0][lane] = a.x, out[1][lane] = a.y, out[2][lane] = a.z;
}

static float fillInverse(double x, double y)
{
	double lengthSq = x * x + y * y;
	return lengthSq > 1e-36 ? (float)(1.0 / lengthSq) : 0.0f;
}

void brFillTriangles(brShape* shape, const brSolidTriangles* work, const int32_t* order, int32_t* placeOf)
{
	brSolidCounts counts = brShape_SolidCounts(shape);
	brSolidLayout layout = brMakeSolidLayout(&counts);
	char* base = (char*)shape;
	brTriangleGroup* groups = (brTriangleGroup*)(base + layout.groups);
	brTriangleNode* nodes = (brTriangleNode*)(base + layout.nodes);
	brTriangleLink* links = (brTriangleLink*)(base + layout.links);
	memcpy(base + layout.fans, work->fans, sizeof(brVec3) * (size_t)work->fanCount);
	for (int32_t place = 0; place < work->triangleCount; ++place)
	{
		placeOf[order[place]] = place;
	}
	// Groups, and the boxes of groups as the lowest level of nodes. A box is grown by what rounding of a corner may lose.
	float grow = 2e-6f * shape->radius;
	brBox3 empty = {{TRIANGLE_NOWHERE, TRIANGLE_NOWHERE, TRIANGLE_NOWHERE},
					{TRIANGLE_NOWHERE, TRIANGLE_NOWHERE, TRIANGLE_NOWHERE}};
	int32_t first = 0;
	for (int32_t level = 0; level < layout.levelCount; ++level)
	{
		int32_t below = level == 0 ? layout.groupCount : layout.levelCounts[level - 1];
		for (int32_t i = 0; i < BR_TRIANGLE_LANES * layout.levelCounts[level]; ++i)
		{
			brBox3 box = brMakeBox3Empty();
			for (int32_t lane = 0; lane < BR_TRIANGLE_LANES && i < below; ++lane)
			{
				if (level > 0)
				{
					const brTriangleNode* node = &nodes[first - layout.levelCounts[level - 1] + i];
					if (node->lower[0][lane] < TRIANGLE_NOWHERE)
					{
						box = brBox3_Union(box,
										   (brBox3){triangleLane(node->lower, lane), triangleLane(node->upper, lane)});
					}
					continue;
				}
				int32_t place = BR_TRIANGLE_LANES * i + lane;
				brTriangleGroup* g = &groups[i];
				if (place >= work->triangleCount || !(work->areas[order[place]] > 0.0))
				{
					fillLane(g->corner, lane, empty.lower);
					fillLane(g->up, lane, brMakeVec3(1.0f, 0.0f, 0.0f)); // so that it is far from everything
					continue;
				}
				int32_t triangle = order[place];
				const int32_t* t = work->triangles[triangle];
				brVec3 a = work->vertices[t[0]], b = work->vertices[t[1]], c = work->vertices[t[2]];
				brDVec3 ab = brDSub(work->exact[t[1]], work->exact[t[0]]);
				brDVec3 ac = brDSub(work->exact[t[2]], work->exact[t[0]]);
				double length = brDLength(ab);
				brDVec3 along = brDMul(1.0 / length, ab), up = brDCross(work->normals[triangle], along);
				double cx = brDDot(ac, along), cy = brDDot(ac, up);
				fillLane(g->corner, lane, a);
				fillLane(g->along, lane, brToVec3(along));
				fillLane(g->up, lane, brToVec3(up));
				fillLane(g->normal, lane, brToVec3(work->normals[triangle]));
				g->length[lane] = (float)length;
				g->cx[lane] = (float)cx, g->cy[lane] = (float)cy;
				g->inv1[lane] = fillInverse(cx, cy);
				g->inv2[lane] = fillInverse(cx - length, cy);
				box = brBox3_Union(box, (brBox3){brMin(a, brMin(b, c)), brMax(a, brMax(b, c))});
				for (int k = 0; k < 3; ++k)
				{
					int32_t other = work->across[triangle][k];
					bool isFlat = other >= 0 && !(work->areas[other] > 0.0);
					links[place].across[k] = isFlat ? BR_ACROSS_FLAT : other >= 0 ? placeOf[other] : -1;
					links[place].fans[k] = work->cornerFans[triangle][k];
				}
			}
			brVec3 more = brMakeVec3(grow, grow, grow);
			box = i < below ? (brBox3){brSub(box.lower, more), brAdd(box.upper, more)} : empty;
			brTriangleNode* node = &nodes[first + i / BR_TRIANGLE_LANES];
			fillLane(node->lower, i % BR_TRIANGLE_LANES, box.lower);
			fillLane(node->upper, i % BR_TRIANGLE_LANES, box.upper);
		}
		first += layout.levelCounts[level];
	}
}
