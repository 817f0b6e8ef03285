// SPDX-License-Identifier: MIT

// Closed fans that are graphs over a plane.
//
// Let r_0 ... r_k-1 be the neighbors of v in turn, seen from v, and n any direction. If n . (r_i x r_i+1) > 0 for all
// i, then seen along n every triangle is a sector that turns forward by less than a half turn. If the sectors go around
// once they cover each direction once, so two triangles share only v, or the edge to the neighbor they have in common.
// They go around more than once exactly if some sector i = 1 ... k-2 passes r_0 again; with s_i = n . (r_0 x r_i) that
// needs s_i <= 0 <= s_i+1. So it is enough that for each of them s_i > 0 or s_i+1 < 0.
//
// n is the sum of the normals, but any n will do, so its rounding does not matter. Differences are taken in doubles and
// rounded to floats: with u = 2^-24, M the largest coordinate of the r_i and N that of n, the volumes are off by less
// than 48 u N M^2, and by a few times 2^-149 where they underflow. We ask for 128 u N M^2 + 2^-120, with M between
// 2^-25 and 2^25 so that nothing overflows. What fails is tested pair by pair.

#include "narrow/vertex_fans.h"

#include "index/wide_kernels.h"

#include <string.h>

#if defined(__x86_64__) && !defined(BR_SCALAR)
#include <immintrin.h>
#endif

enum
{
	fanBlock = 2048 // vertices in one go
};

static const float fanError = 0x1p-17f, fanTiny = 0x1p-120f, fanSmallest = 0x1p-25f, fanLargest = 0x1p25f;

// Triangles at a vertex, by the edge opposite to it.
typedef struct FanCorners
{
	int32_t starts[BR_FAN_MAX];
	int32_t ends[BR_FAN_MAX];
} FanCorners;

void brVertexFans_Init(brVertexFans* fans, const brAllocator* allocator)
{
	memset(fans, 0, sizeof(*fans));
	fans->allocator = *allocator;
}

void brVertexFans_Free(brVertexFans* fans)
{
	brStageMemory* all[] = {&fans->rings, &fans->sizes, &fans->corners, &fans->settled};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		brStageMemory_Free(all[i], &fans->allocator);
	}
	fans->vertexCount = 0;
}

// Which triangles begin at a vertex, one bit each.
static inline uint32_t fanStartsAt(const FanCorners* corners, int32_t vertex)
{
#if defined(__x86_64__) && !defined(BR_SCALAR)
	__m128i wanted = _mm_set1_epi32(vertex);
	__m128i low = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i*)corners->starts), wanted);
	__m128i high = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i*)(corners->starts + 4)), wanted);
	return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(low, high), _mm_setzero_si128()));
#else
	uint32_t mask = 0;
	for (int32_t i = 0; i < BR_FAN_MAX; ++i)
	{
		mask |= (uint32_t)(corners->starts[i] == vertex) << i;
	}
	return mask;
#endif
}

// Which triangle of the fan begins where another ends, or -1 unless there is exactly one.
static inline int32_t fanNext(const FanCorners* corners, int32_t size, int32_t end)
{
	uint32_t mask = fanStartsAt(corners, end) & ((1u << size) - 1u);
	return mask != 0 && (mask & (mask - 1)) == 0 ? __builtin_ctz(mask) : -1;
}

// Puts the fan's triangles in turn. False if they are not one cycle.
static bool fanOrder(const FanCorners* corners, int32_t size, int32_t ring[BR_FAN_MAX])
{
	int32_t at = 0;
	for (int32_t i = 0; i < size; ++i)
	{
		if (at < 0 || (i > 0 && at == 0))
		{
			return false;
		}
		ring[i] = corners->starts[at];
		at = fanNext(corners, size, corners->ends[at]);
	}
	for (int32_t i = size; i < BR_FAN_MAX; ++i)
	{
		ring[i] = ring[0];
	}
	return at == 0;
}

static void fanOrderBlock(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brVertexFans* fans = user;
	const FanCorners* corners = fans->corners.data;
	int32_t(*rings)[BR_FAN_MAX] = fans->rings.data;
	uint8_t* sizes = fans->sizes.data;
	for (int32_t v = begin; v < end; ++v)
	{
		bool isFan = sizes[v] >= 3 && sizes[v] <= BR_FAN_MAX && fanOrder(&corners[v], sizes[v], rings[v]);
		sizes[v] = isFan ? sizes[v] : 0;
	}
}

bool brVertexFans_Build(brVertexFans* fans, brWorkers* workers, const int32_t (*triangles)[3], int32_t triangleCount,
						int32_t vertexCount)
{
	const brAllocator* allocator = &fans->allocator;
	fans->vertexCount = 0;
	if (!brStageMemory_Ensure(&fans->rings, allocator, vertexCount, sizeof(int32_t[BR_FAN_MAX])) ||
		!brStageMemory_Ensure(&fans->sizes, allocator, vertexCount, sizeof(uint8_t)) ||
		!brStageMemory_Ensure(&fans->corners, allocator, vertexCount, sizeof(FanCorners)))
	{
		return false;
	}
	fans->vertexCount = vertexCount;
	FanCorners* corners = fans->corners.data;
	uint8_t* sizes = fans->sizes.data;
	if (vertexCount > 0)
	{
		memset(sizes, 0, (size_t)vertexCount);
	}
	// A vertex of too many triangles, or of one that has it twice, stays beyond the limit and is none.
	const uint8_t tooMany = BR_FAN_MAX + 1;
	for (int32_t i = 0; i < triangleCount; ++i)
	{
		const int32_t* t = triangles[i];
		bool isFlat = t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
		for (int k = 0; k < 3; ++k)
		{
			int32_t v = t[k];
			if (sizes[v] < BR_FAN_MAX && !isFlat)
			{
				corners[v].starts[sizes[v]] = t[(k + 1) % 3];
				corners[v].ends[sizes[v]] = t[(k + 2) % 3];
				sizes[v] += 1;
			}
			else
			{
				sizes[v] = tooMany;
			}
		}
	}
	brParallelFor(workers, vertexCount, fanBlock, fanOrderBlock, fans);
	return true;
}

typedef struct FanJob
{
	const brVertexFans* fans;
	const brDVec3* positions;
	uint8_t* settled;
} FanJob;

// What is left of the signs: all sectors turn forward, and none passes the first neighbor again.
static inline bool fanIsGraph(uint32_t forward, uint32_t ahead, uint32_t behind, int32_t size)
{
	uint32_t all = (1u << size) - 1u, middle = (all >> 1) & ~1u;
	return (forward & all) == all && ((ahead | behind >> 1) & middle) == middle;
}

static void fanSettleScalar(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const FanJob* job = user;
	const int32_t(*rings)[BR_FAN_MAX] = (const int32_t(*)[BR_FAN_MAX])job->fans->rings.data;
	const uint8_t* sizes = job->fans->sizes.data;
	for (int32_t v = begin; v < end; ++v)
	{
		int32_t size = sizes[v];
		brVec3 r[BR_FAN_MAX + 1], normals[BR_FAN_MAX], n = {0.0f, 0.0f, 0.0f};
		float extent = 0.0f;
		for (int32_t i = 0; i < size; ++i)
		{
			r[i] = brToVec3(brDSub(job->positions[rings[v][i]], job->positions[v]));
			extent = fmaxf(extent, fmaxf(fabsf(r[i].x), fmaxf(fabsf(r[i].y), fabsf(r[i].z))));
		}
		r[size] = r[0];
		for (int32_t i = 0; i < size; ++i)
		{
			normals[i] = brCross(r[i], r[i + 1]);
			n = brAdd(n, normals[i]);
		}
		brVec3 side = size > 0 ? brCross(n, r[0]) : n;
		float bound = fanError * extent * extent * fmaxf(fabsf(n.x), fmaxf(fabsf(n.y), fabsf(n.z))) + fanTiny;
		uint32_t forward = 0, ahead = 0, behind = 0;
		for (int32_t i = 0; i < size; ++i)
		{
			float s = brDot(side, r[i]);
			forward |= (uint32_t)(brDot(n, normals[i]) > bound) << i;
			ahead |= (uint32_t)(s > bound) << i;
			behind |= (uint32_t)(s < -bound) << i;
		}
		bool isSized = size > 0 && extent > fanSmallest && extent < fanLargest;
		job->settled[v] = isSized && fanIsGraph(forward, ahead, behind, size);
	}
}

#if defined(__x86_64__) && !defined(BR_SCALAR)
#define BR_FAN_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt")))

// A neighbor seen from the vertex.
BR_FAN_AVX512 static inline __m128 fanEdge(const brDVec3* position, __m256d center)
{
	return _mm256_cvtpd_ps(_mm256_sub_pd(_mm256_maskz_loadu_pd(7, &position->x), center));
}

BR_FAN_AVX512 static inline __m256 fanEdges(const brDVec3* a, const brDVec3* b, __m256d center)
{
	return _mm256_insertf128_ps(_mm256_castps128_ps256(fanEdge(a, center)), fanEdge(b, center), 1);
}

BR_FAN_AVX512 static inline float fanLargestLane(__m256 v)
{
	__m128 m = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
	m = _mm_max_ps(m, _mm_movehl_ps(m, m));
	return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}

BR_FAN_AVX512 static inline __m256 fanDot(__m256 a, __m256 b, __m256 c, __m256 x, __m256 y, __m256 z)
{
	return _mm256_fmadd_ps(a, x, _mm256_fmadd_ps(b, y, _mm256_mul_ps(c, z)));
}

// The same with a neighbor to a lane. The first neighbor fills the ring up, so turning lanes by one closes it.
BR_FAN_AVX512 static void fanSettleAvx512(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const FanJob* job = user;
	const brDVec3* p = job->positions;
	const int32_t(*rings)[BR_FAN_MAX] = (const int32_t(*)[BR_FAN_MAX])job->fans->rings.data;
	const uint8_t* sizes = job->fans->sizes.data;
	const __m256i turn = _mm256_set_epi32(0, 7, 6, 5, 4, 3, 2, 1);
	const __m256 noSign = _mm256_castsi256_ps(_mm256_set1_epi32(INT32_MAX));
	for (int32_t v = begin; v < end; ++v)
	{
		const int32_t* ring = rings[v];
		job->settled[v] = 0;
		if (sizes[v] == 0)
		{
			continue;
		}
		__m256d center = _mm256_maskz_loadu_pd(7, &p[v].x);
		__m256 r04 = fanEdges(&p[ring[0]], &p[ring[4]], center), r15 = fanEdges(&p[ring[1]], &p[ring[5]], center);
		__m256 r26 = fanEdges(&p[ring[2]], &p[ring[6]], center), r37 = fanEdges(&p[ring[3]], &p[ring[7]], center);
		__m256 xy01 = _mm256_unpacklo_ps(r04, r15), xy23 = _mm256_unpacklo_ps(r26, r37);
		__m256 x = _mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(1, 0, 1, 0));
		__m256 y = _mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(3, 2, 3, 2));
		__m256 z =
			_mm256_shuffle_ps(_mm256_unpackhi_ps(r04, r15), _mm256_unpackhi_ps(r26, r37), _MM_SHUFFLE(1, 0, 1, 0));
		float extent = fanLargestLane(
			_mm256_max_ps(_mm256_and_ps(x, noSign), _mm256_max_ps(_mm256_and_ps(y, noSign), _mm256_and_ps(z, noSign))));

		__m256 nextX = _mm256_permutevar8x32_ps(x, turn), nextY = _mm256_permutevar8x32_ps(y, turn);
		__m256 nextZ = _mm256_permutevar8x32_ps(z, turn);
		__m256 nx = _mm256_fmsub_ps(y, nextZ, _mm256_mul_ps(z, nextY));
		__m256 ny = _mm256_fmsub_ps(z, nextX, _mm256_mul_ps(x, nextZ));
		__m256 nz = _mm256_fmsub_ps(x, nextY, _mm256_mul_ps(y, nextX));
		__m256 sums = _mm256_hadd_ps(_mm256_hadd_ps(nx, ny), _mm256_hadd_ps(nz, nz));
		__m128 n = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1)); // x y z z
		__m128 first = _mm256_castps256_ps128(r04);                                          // x y z 0
		// n x first, turned by one axis.
		__m128 side = _mm_sub_ps(_mm_mul_ps(n, _mm_shuffle_ps(first, first, _MM_SHUFFLE(3, 0, 2, 1))),
								 _mm_mul_ps(_mm_shuffle_ps(n, n, _MM_SHUFFLE(3, 0, 2, 1)), first));
		__m256 wideN = _mm256_insertf128_ps(_mm256_castps128_ps256(n), n, 1);
		__m256 wideSide = _mm256_insertf128_ps(_mm256_castps128_ps256(side), side, 1);
		float bound = fanError * extent * extent * fanLargestLane(_mm256_and_ps(wideN, noSign)) + fanTiny;
		__m256 bounds = _mm256_set1_ps(bound);
		__m256 volumes = fanDot(_mm256_permute_ps(wideN, 0x00), _mm256_permute_ps(wideN, 0x55),
								_mm256_permute_ps(wideN, 0xAA), nx, ny, nz);
		__m256 s = fanDot(_mm256_permute_ps(wideSide, 0x55), _mm256_permute_ps(wideSide, 0xAA),
						  _mm256_permute_ps(wideSide, 0x00), x, y, z);
		uint32_t forward = _mm256_cmp_ps_mask(volumes, bounds, _CMP_GT_OQ);
		uint32_t ahead = _mm256_cmp_ps_mask(s, bounds, _CMP_GT_OQ);
		uint32_t behind = _mm256_cmp_ps_mask(s, _mm256_sub_ps(_mm256_setzero_ps(), bounds), _CMP_LT_OQ);
		bool isSized = extent > fanSmallest && extent < fanLargest;
		job->settled[v] = isSized && fanIsGraph(forward, ahead, behind, sizes[v]);
	}
}
#endif

const uint8_t* brVertexFans_Settle(brVertexFans* fans, brWorkers* workers, const brDVec3* positions, int32_t lanes)
{
	if (!brStageMemory_Ensure(&fans->settled, &fans->allocator, fans->vertexCount, sizeof(uint8_t)))
	{
		return NULL;
	}
	FanJob job = {fans, positions, fans->settled.data};
	brRangeFcn* settle = fanSettleScalar;
#if defined(__x86_64__) && !defined(BR_SCALAR)
	settle = brGetWideKernels(lanes)->lanes == 16 ? fanSettleAvx512 : settle;
#else
	(void)lanes;
#endif
	brParallelFor(workers, fans->vertexCount, fanBlock, settle, &job);
	return job.settled;
}
