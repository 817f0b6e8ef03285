// SPDX-License-Identifier: MIT

// The test of tet_pair.c in floats, sixteen pairs side by side.
//
// The bound: coordinates are off by e = 2^-24, differences by 2 e + u (L + M) with u = 2^-24, and a volume, which is a
// sum of four determinants, by less than 52 times that times L (L + M), and 150 u L^2 M in its evaluation. We take d =
// u L (L + M) (128 + 256 (L + M)). Of tets a hundredth of the scene in size that is a hundredth of their volume: few
// pairs are left to doubles.

#include "narrow/tet_decide.h"

#include "narrow/tet_pair.h"

#if defined(__x86_64__) && !defined(BR_SCALAR)
#include <immintrin.h>
#endif

static bool tetRecordsShare(const brTetRecord* a, const brTetRecord* b)
{
	for (int k = 0; k < 16; ++k)
	{
		if (a->corners[k / 4] == b->corners[k % 4])
		{
			return true;
		}
	}
	return false;
}

// Sides of boxes are enough of a filter here: the caller asks the doubles about all others.
void brDecideTetsScalar(const brTetRecord* records, const brPair* pairs, int32_t count, bool findNeighbors,
						bool facesOnly, brTetAnswers* outAnswers)
{
	(void)facesOnly;
	*outAnswers = (brTetAnswers){0};
	for (int32_t i = 0; i < count; ++i)
	{
		const brTetRecord *a = &records[pairs[i].a], *b = &records[pairs[i].b];
		outAnswers->neighbors |= (uint32_t)(findNeighbors && tetRecordsShare(a, b)) << i;
	}
}

#if defined(__x86_64__) && !defined(BR_SCALAR)
#define BR_TETS_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt")))

typedef struct WideTet
{
	__m512 x[4], y[4], z[4]; // by corner
	__m512i corners[4];
} WideTet;

typedef struct WidePoint
{
	__m512 x, y, z;
} WidePoint;

// Volumes of four points against the faces of a tet, see tet_pair.c.
typedef struct WideSides
{
	__m512 c[4][4];
	__m512 bound;
	__mmask16 isFlat;
} WideSides;

// Four rows of four quads each to four columns of four quads: column k holds number k of each quad of each row.
BR_TETS_AVX512 static inline void tetsTransposeQuads(const __m512 rows[4], __m512 out[4])
{
	__m512 a = _mm512_unpacklo_ps(rows[0], rows[1]), b = _mm512_unpacklo_ps(rows[2], rows[3]);
	__m512 c = _mm512_unpackhi_ps(rows[0], rows[1]), d = _mm512_unpackhi_ps(rows[2], rows[3]);
	out[0] = _mm512_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 1, 0));
	out[1] = _mm512_shuffle_ps(a, b, _MM_SHUFFLE(3, 2, 3, 2));
	out[2] = _mm512_shuffle_ps(c, d, _MM_SHUFFLE(1, 0, 1, 0));
	out[3] = _mm512_shuffle_ps(c, d, _MM_SHUFFLE(3, 2, 3, 2));
}

// Sixteen records to columns.
BR_TETS_AVX512 static inline void tetsLoad(const brTetRecord* const records[16], WideTet* out)
{
	__m512 columns[4][4]; // group of four records, corner
	BR_UNROLL
	for (int group = 0; group < 4; ++group)
	{
		__m512 rows[4];
		BR_UNROLL
		for (int i = 0; i < 4; ++i)
		{
			rows[i] = _mm512_load_ps(records[4 * group + i]->x);
		}
		tetsTransposeQuads(rows, columns[group]);
	}
	BR_UNROLL
	for (int k = 0; k < 4; ++k)
	{
		// Quads of a column are x, y, z and corner number k of four records; collect each over the groups.
		__m512 low = _mm512_shuffle_f32x4(columns[0][k], columns[1][k], _MM_SHUFFLE(1, 0, 1, 0));
		__m512 high = _mm512_shuffle_f32x4(columns[0][k], columns[1][k], _MM_SHUFFLE(3, 2, 3, 2));
		__m512 low2 = _mm512_shuffle_f32x4(columns[2][k], columns[3][k], _MM_SHUFFLE(1, 0, 1, 0));
		__m512 high2 = _mm512_shuffle_f32x4(columns[2][k], columns[3][k], _MM_SHUFFLE(3, 2, 3, 2));
		out->x[k] = _mm512_shuffle_f32x4(low, low2, _MM_SHUFFLE(2, 0, 2, 0));
		out->y[k] = _mm512_shuffle_f32x4(low, low2, _MM_SHUFFLE(3, 1, 3, 1));
		out->z[k] = _mm512_shuffle_f32x4(high, high2, _MM_SHUFFLE(2, 0, 2, 0));
		out->corners[k] = _mm512_castps_si512(_mm512_shuffle_f32x4(high, high2, _MM_SHUFFLE(3, 1, 3, 1)));
	}
}

BR_TETS_AVX512 static inline WidePoint tetsSub(const WideTet* a, int i, const WideTet* b, int j)
{
	return (WidePoint){_mm512_sub_ps(a->x[i], b->x[j]), _mm512_sub_ps(a->y[i], b->y[j]),
					   _mm512_sub_ps(a->z[i], b->z[j])};
}

BR_TETS_AVX512 static inline WidePoint tetsCross(WidePoint a, WidePoint b)
{
	return (WidePoint){_mm512_fmsub_ps(a.y, b.z, _mm512_mul_ps(a.z, b.y)),
					   _mm512_fmsub_ps(a.z, b.x, _mm512_mul_ps(a.x, b.z)),
					   _mm512_fmsub_ps(a.x, b.y, _mm512_mul_ps(a.y, b.x))};
}

BR_TETS_AVX512 static inline __m512 tetsDot(WidePoint a, WidePoint b)
{
	return _mm512_fmadd_ps(a.z, b.z, _mm512_fmadd_ps(a.y, b.y, _mm512_mul_ps(a.x, b.x)));
}

BR_TETS_AVX512 static inline __m512 tetsReach(__m512 reach, WidePoint p)
{
	reach = _mm512_max_ps(reach, _mm512_abs_ps(p.x));
	return _mm512_max_ps(reach, _mm512_max_ps(_mm512_abs_ps(p.y), _mm512_abs_ps(p.z)));
}

BR_TETS_AVX512 static inline void tetsMakeSides(const WideTet* a, const WideTet* b, WideSides* out)
{
	WidePoint e[3], x[4], n[3];
	__m512 reachA = _mm512_setzero_ps(), reachB = _mm512_setzero_ps();
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		e[k] = tetsSub(a, k + 1, a, 0);
		reachA = tetsReach(reachA, e[k]);
	}
	BR_UNROLL
	for (int i = 0; i < 4; ++i)
	{
		x[i] = tetsSub(b, i, a, 0);
		reachB = tetsReach(reachB, x[i]);
	}
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		n[k] = tetsCross(e[(k + 2) % 3], e[(k + 1) % 3]);
	}
	__m512 reach = _mm512_add_ps(reachA, reachB);
	__m512 error = _mm512_fmadd_ps(reach, _mm512_set1_ps(256.0f * 0x1p-24f), _mm512_set1_ps(128.0f * 0x1p-24f));
	out->bound = _mm512_mul_ps(_mm512_mul_ps(reachA, reach), error);
	// The volume less its sign: outward faces for any order of corners.
	__m512 negVolume = tetsDot(n[0], e[0]);
	const __m512 signBit = _mm512_set1_ps(-0.0f);
	__m512 turn = _mm512_andnot_ps(negVolume, signBit);
	out->isFlat = _mm512_cmp_ps_mask(_mm512_abs_ps(negVolume), out->bound, _CMP_NGT_UQ);
	__m512 size = _mm512_or_ps(negVolume, signBit); // minus its size
	BR_UNROLL
	for (int i = 0; i < 4; ++i)
	{
		__m512 sum = size;
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			out->c[k + 1][i] = _mm512_xor_ps(tetsDot(n[k], x[i]), turn);
			sum = _mm512_sub_ps(sum, out->c[k + 1][i]);
		}
		out->c[0][i] = sum;
	}
}

// Pairs for which all points are beyond some face.
BR_TETS_AVX512 static inline __mmask16 tetsBeyondFaces(const WideSides* sides, __m512 shift)
{
	__mmask16 beyond = 0;
	BR_UNROLL
	for (int f = 0; f < 4; ++f)
	{
		const __m512* c = sides->c[f];
		__m512 least = _mm512_min_ps(_mm512_min_ps(c[0], c[1]), _mm512_min_ps(c[2], c[3]));
		beyond |= _mm512_cmp_ps_mask(_mm512_add_ps(least, shift), _mm512_setzero_ps(), _CMP_GT_OQ);
	}
	return beyond;
}

// Pairs for which all points are beyond a plane through the edge of faces f and g.
BR_TETS_AVX512 static inline __mmask16 tetsBeyondEdge(const WideSides* sides, int f, int g, __m512 shift, __m512 favor,
													  __m512 little)
{
	__m512 p[4], q[4];
	__mmask16 onlyF[4], onlyG[4], open = 0xFFFF;
	BR_UNROLL
	for (int i = 0; i < 4; ++i)
	{
		p[i] = _mm512_add_ps(sides->c[f][i], shift), q[i] = _mm512_add_ps(sides->c[g][i], shift);
		__mmask16 isF = _mm512_cmp_ps_mask(p[i], _mm512_setzero_ps(), _CMP_GT_OQ);
		__mmask16 isG = _mm512_cmp_ps_mask(q[i], _mm512_setzero_ps(), _CMP_GT_OQ);
		onlyF[i] = isF & (__mmask16)~isG, onlyG[i] = isG & (__mmask16)~isF;
		open &= isF | isG;
	}
	BR_UNROLL
	for (int i = 0; i < 3; ++i)
	{
		BR_UNROLL
		for (int j = i + 1; j < 4; ++j)
		{
			__m512 u = _mm512_mul_ps(p[i], q[j]), v = _mm512_mul_ps(q[i], p[j]);
			__mmask16 fits = _mm512_cmp_ps_mask(u, _mm512_fmadd_ps(v, favor, little), _CMP_GT_OQ);
			__mmask16 fitsBack = _mm512_cmp_ps_mask(v, _mm512_fmadd_ps(u, favor, little), _CMP_GT_OQ);
			open &= (__mmask16) ~(onlyF[i] & onlyG[j]) | fits;
			open &= (__mmask16) ~(onlyG[i] & onlyF[j]) | fitsBack;
		}
	}
	return open;
}

BR_TETS_AVX512 static inline __mmask16 tetsBeyondEdges(const WideSides* sides, __m512 shift, float favor, float little)
{
	__m512 wideFavor = _mm512_set1_ps(favor), wideLittle = _mm512_set1_ps(little);
	__mmask16 beyond = 0;
	BR_UNROLL
	for (int f = 0; f < 3; ++f)
	{
		BR_UNROLL
		for (int g = f + 1; g < 4; ++g)
		{
			beyond |= tetsBeyondEdge(sides, f, g, shift, wideFavor, wideLittle);
		}
	}
	return beyond;
}

BR_TETS_AVX512 static inline uint32_t tetsNeighbors(const WideTet* a, const WideTet* b)
{
	__mmask16 shares = 0;
	BR_UNROLL
	for (int k = 0; k < 16; ++k)
	{
		shares |= _mm512_cmpeq_epi32_mask(a->corners[k / 4], b->corners[k % 4]);
	}
	return shares;
}

BR_TETS_AVX512 static void tetsDecideAvx512(const brTetRecord* records, const brPair* pairs, int32_t count,
											bool findNeighbors, bool facesOnly, brTetAnswers* outAnswers)
{
	// Pairs past the end repeat the last.
	const brTetRecord *first[16], *second[16];
	for (int32_t i = 0; i < 16; ++i)
	{
		brPair pair = pairs[i < count ? i : count - 1];
		first[i] = &records[pair.a], second[i] = &records[pair.b];
	}
	WideTet a, b;
	tetsLoad(first, &a);
	tetsLoad(second, &b);
	WideSides ofA, ofB;
	tetsMakeSides(&a, &b, &ofA);
	tetsMakeSides(&b, &a, &ofB);
	const __m512 zero = _mm512_setzero_ps();
	__mmask16 wanted = (__mmask16)((1u << count) - 1u), isFlat = ofA.isFlat | ofB.isFlat, meets = 0;
	__mmask16 neighbors = findNeighbors ? (__mmask16)tetsNeighbors(&a, &b) : 0;
	__m512 downA = _mm512_sub_ps(zero, ofA.bound), downB = _mm512_sub_ps(zero, ofB.bound);
	__mmask16 apart = (tetsBeyondFaces(&ofA, downA) | tetsBeyondFaces(&ofB, downB)) & (__mmask16)~isFlat;
	// Products of volumes that are close to, or lost below, the smallest float settle nothing.
	const float little = 0x1p-20f, tiny = 0x1p-120f;
	if ((wanted & (__mmask16) ~(apart | isFlat | neighbors)) != 0 && !facesOnly)
	{
		apart |= tetsBeyondEdges(&ofA, downA, 1.0f + little, tiny) & (__mmask16)~isFlat;
	}
	if ((wanted & (__mmask16) ~(apart | isFlat | neighbors)) != 0)
	{
		meets = (__mmask16) ~(tetsBeyondFaces(&ofA, ofA.bound) | tetsBeyondFaces(&ofB, ofB.bound) | isFlat | apart);
		meets &= (__mmask16)~tetsBeyondEdges(&ofA, ofA.bound, 1.0f - little, -tiny);
	}
	*outAnswers = (brTetAnswers){
		.neighbors = neighbors & wanted, .apart = apart & wanted, .meets = meets & wanted & (__mmask16)~apart};
}
#endif

brDecideTetsFcn* brGetDecideTets(int32_t lanes)
{
#if defined(__x86_64__) && !defined(BR_SCALAR)
	if (brGetWideKernels(lanes)->lanes == 16)
	{
		return tetsDecideAvx512;
	}
#else
	(void)lanes;
#endif
	return brDecideTetsScalar;
}
