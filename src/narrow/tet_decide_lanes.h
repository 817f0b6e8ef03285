// SPDX-License-Identifier: MIT

// The test of tet_pair.c in floats, in tet_decide.c once for each set of lanes (base/lanes.h): a pair of tets a lane.

#define TETS_WIDTH (LANE_BYTES / 4)
#define FLOATS LANE(brFloats)
#define BITS LANE(brLaneBits)

typedef struct LANE(WideTet)
{
	FLOATS x[4], y[4], z[4]; // by corner
	LANE(brInts) corners[4];
} LANE(WideTet);

typedef struct LANE(WidePoint)
{
	FLOATS x, y, z;
} LANE(WidePoint);

// Volumes of four points against the faces of a tet, see tet_pair.c.
typedef struct LANE(WideSides)
{
	FLOATS c[4][4];
	FLOATS bound;
	uint32_t isFlat;
} LANE(WideSides);

LANE_INLINE FLOATS LANE(tetsSplat)(float x)
{
	return (FLOATS){0} + x;
}

#if LANE_BYTES == 64

// A record is a register: four quads, of x, y, z and corners.
LANE_INLINE void LANE(tetsLoad)(const brTetRecord* const* records, LANE(WideTet) * out)
{
	FLOATS columns[4][4]; // group of four records, number in their quads
	BR_UNROLL
	for (int g = 0; g < 4; ++g)
	{
		const FLOATS* r[4];
		BR_UNROLL
		for (int i = 0; i < 4; ++i)
		{
			r[i] = (const FLOATS*)(const void*)records[4 * g + i]->x;
		}
		__m512 a = _mm512_unpacklo_ps((__m512)*r[0], (__m512)*r[1]),
			   b = _mm512_unpacklo_ps((__m512)*r[2], (__m512)*r[3]);
		__m512 c = _mm512_unpackhi_ps((__m512)*r[0], (__m512)*r[1]),
			   d = _mm512_unpackhi_ps((__m512)*r[2], (__m512)*r[3]);
		columns[g][0] = (FLOATS)_mm512_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 1, 0));
		columns[g][1] = (FLOATS)_mm512_shuffle_ps(a, b, _MM_SHUFFLE(3, 2, 3, 2));
		columns[g][2] = (FLOATS)_mm512_shuffle_ps(c, d, _MM_SHUFFLE(1, 0, 1, 0));
		columns[g][3] = (FLOATS)_mm512_shuffle_ps(c, d, _MM_SHUFFLE(3, 2, 3, 2));
	}
	BR_UNROLL
	for (int k = 0; k < 4; ++k)
	{
		// Quads of a column are x, y, z and corner number k of four records; collect each over the groups.
		__m512 c0 = (__m512)columns[0][k], c1 = (__m512)columns[1][k], c2 = (__m512)columns[2][k],
			   c3 = (__m512)columns[3][k];
		__m512 low = _mm512_shuffle_f32x4(c0, c1, _MM_SHUFFLE(1, 0, 1, 0));
		__m512 high = _mm512_shuffle_f32x4(c0, c1, _MM_SHUFFLE(3, 2, 3, 2));
		__m512 low2 = _mm512_shuffle_f32x4(c2, c3, _MM_SHUFFLE(1, 0, 1, 0));
		__m512 high2 = _mm512_shuffle_f32x4(c2, c3, _MM_SHUFFLE(3, 2, 3, 2));
		out->x[k] = (FLOATS)_mm512_shuffle_f32x4(low, low2, _MM_SHUFFLE(2, 0, 2, 0));
		out->y[k] = (FLOATS)_mm512_shuffle_f32x4(low, low2, _MM_SHUFFLE(3, 1, 3, 1));
		out->z[k] = (FLOATS)_mm512_shuffle_f32x4(high, high2, _MM_SHUFFLE(2, 0, 2, 0));
		out->corners[k] = (LANE(brInts))_mm512_shuffle_f32x4(high, high2, _MM_SHUFFLE(3, 1, 3, 1));
	}
}

#else

// Number k of the four at `offset` floats into each record, to a lane a record.
LANE_INLINE void LANE(tetsColumns)(const brTetRecord* const* records, int offset, FLOATS out[4])
{
	brFloat4 columns[TETS_WIDTH / 4][4];
	BR_UNROLL
	for (int g = 0; g < TETS_WIDTH / 4; ++g)
	{
		brFloat4 r[4];
		BR_UNROLL
		for (int i = 0; i < 4; ++i)
		{
			const float* floats = (const float*)(const void*)records[4 * g + i]; // the record whole, not x alone
			r[i] = *(const brFloat4*)(const void*)(floats + offset);
		}
		brFloat4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5),
				 b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
		brFloat4 c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7),
				 d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
		columns[g][0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
		columns[g][1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
		columns[g][2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
		columns[g][3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
	}
	BR_UNROLL
	for (int k = 0; k < 4; ++k)
	{
#if LANE_BYTES == 32
		out[k] = __builtin_shufflevector(columns[0][k], columns[1][k], 0, 1, 2, 3, 4, 5, 6, 7);
#else
		out[k] = columns[0][k];
#endif
	}
}

LANE_INLINE void LANE(tetsLoad)(const brTetRecord* const* records, LANE(WideTet) * out)
{
	FLOATS corners[4];
	LANE(tetsColumns)(records, 0, out->x);
	LANE(tetsColumns)(records, 4, out->y);
	LANE(tetsColumns)(records, 8, out->z);
	LANE(tetsColumns)(records, 12, corners);
	BR_UNROLL
	for (int k = 0; k < 4; ++k)
	{
		out->corners[k] = (LANE(brInts))corners[k];
	}
}

#endif

LANE_INLINE LANE(WidePoint) LANE(tetsSub)(const LANE(WideTet) * a, int i, const LANE(WideTet) * b, int j)
{
	return (LANE(WidePoint)){a->x[i] - b->x[j], a->y[i] - b->y[j], a->z[i] - b->z[j]};
}

LANE_INLINE LANE(WidePoint) LANE(tetsCross)(LANE(WidePoint) a, LANE(WidePoint) b)
{
	return (LANE(WidePoint)){LANE(brRoughMulAdd)(a.y, b.z, -(a.z * b.y)), LANE(brRoughMulAdd)(a.z, b.x, -(a.x * b.z)),
							 LANE(brRoughMulAdd)(a.x, b.y, -(a.y * b.x))};
}

LANE_INLINE FLOATS LANE(tetsDot)(LANE(WidePoint) a, LANE(WidePoint) b)
{
	return LANE(brRoughMulAdd)(a.z, b.z, LANE(brRoughMulAdd)(a.y, b.y, a.x * b.x));
}

LANE_INLINE FLOATS LANE(tetsReach)(FLOATS reach, LANE(WidePoint) p)
{
	reach = LANE(brMaxFloats)(reach, LANE(brAbsFloats)(p.x));
	return LANE(brMaxFloats)(reach, LANE(brMaxFloats)(LANE(brAbsFloats)(p.y), LANE(brAbsFloats)(p.z)));
}

LANE_INLINE void LANE(tetsMakeSides)(const LANE(WideTet) * a, const LANE(WideTet) * b, LANE(WideSides) * out)
{
	LANE(WidePoint) e[3], x[4], n[3];
	FLOATS reachA = {0}, reachB = {0};
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		e[k] = LANE(tetsSub)(a, k + 1, a, 0);
		reachA = LANE(tetsReach)(reachA, e[k]);
	}
	BR_UNROLL
	for (int i = 0; i < 4; ++i)
	{
		x[i] = LANE(tetsSub)(b, i, a, 0);
		reachB = LANE(tetsReach)(reachB, x[i]);
	}
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		n[k] = LANE(tetsCross)(e[(k + 2) % 3], e[(k + 1) % 3]);
	}
	FLOATS reach = reachA + reachB;
	out->bound = reachA * reach * (reach * (256.0f * 0x1p-24f) + 128.0f * 0x1p-24f);
	// The volume less its sign: outward faces for any order of corners.
	FLOATS negVolume = LANE(tetsDot)(n[0], e[0]);
	const LANE(brInts) signBit = (LANE(brInts)){0} + INT32_MIN;
	LANE(brInts) turn = ~(LANE(brInts))negVolume & signBit;
	out->isFlat = ~LANE(brMoreFloats)(LANE(brAbsFloats)(negVolume), out->bound);
	FLOATS size = (FLOATS)((LANE(brInts))negVolume | signBit); // minus its size
	BR_UNROLL
	for (int i = 0; i < 4; ++i)
	{
		FLOATS sum = size;
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			out->c[k + 1][i] = (FLOATS)((LANE(brInts))LANE(tetsDot)(n[k], x[i]) ^ turn);
			sum -= out->c[k + 1][i];
		}
		out->c[0][i] = sum;
	}
}

// Pairs for which all points are beyond some face.
LANE_INLINE BITS LANE(tetsBeyondFaces)(const LANE(WideSides) * sides, FLOATS shift)
{
	BITS beyond = 0;
	BR_UNROLL
	for (int f = 0; f < 4; ++f)
	{
		const FLOATS* c = sides->c[f];
		FLOATS least = LANE(brMinFloats)(LANE(brMinFloats)(c[0], c[1]), LANE(brMinFloats)(c[2], c[3]));
		beyond |= LANE(brMoreFloats)(least + shift, (FLOATS){0});
	}
	return beyond;
}

// Pairs for which all points are beyond a plane through the edge of faces f and g.
LANE_INLINE BITS LANE(tetsBeyondEdge)(const LANE(WideSides) * sides, int f, int g, FLOATS shift, FLOATS favor,
									  FLOATS little)
{
	FLOATS p[4], q[4];
	BITS onlyF[4], onlyG[4], open = (BITS)~0u;
	BR_UNROLL
	for (int i = 0; i < 4; ++i)
	{
		p[i] = sides->c[f][i] + shift, q[i] = sides->c[g][i] + shift;
		BITS isF = LANE(brMoreFloats)(p[i], (FLOATS){0}), isG = LANE(brMoreFloats)(q[i], (FLOATS){0});
		onlyF[i] = isF & (BITS)~isG, onlyG[i] = isG & (BITS)~isF;
		open &= isF | isG;
	}
	BR_UNROLL
	for (int i = 0; i < 3; ++i)
	{
		BR_UNROLL
		for (int j = i + 1; j < 4; ++j)
		{
			FLOATS u = p[i] * q[j], v = q[i] * p[j];
			open &= (BITS) ~(onlyF[i] & onlyG[j]) | LANE(brMoreFloats)(u, LANE(brRoughMulAdd)(v, favor, little));
			open &= (BITS) ~(onlyG[i] & onlyF[j]) | LANE(brMoreFloats)(v, LANE(brRoughMulAdd)(u, favor, little));
		}
	}
	return open;
}

LANE_INLINE BITS LANE(tetsBeyondEdges)(const LANE(WideSides) * sides, FLOATS shift, float favor, float little)
{
	FLOATS wideFavor = LANE(tetsSplat)(favor), wideLittle = LANE(tetsSplat)(little);
	BITS beyond = 0;
	BR_UNROLL
	for (int f = 0; f < 3; ++f)
	{
		BR_UNROLL
		for (int g = f + 1; g < 4; ++g)
		{
			beyond |= LANE(tetsBeyondEdge)(sides, f, g, shift, wideFavor, wideLittle);
		}
	}
	return beyond;
}

LANE_INLINE BITS LANE(tetsNeighbors)(const LANE(WideTet) * a, const LANE(WideTet) * b)
{
	BITS shares = 0;
	BR_UNROLL
	for (int k = 0; k < 16; ++k)
	{
		shares |= LANE(brSameInts)(a->corners[k / 4], b->corners[k % 4]);
	}
	return shares;
}

// As many pairs as there are lanes, of which `wanted` are asked about.
LANE_INLINE brTetAnswers LANE(tetsDecideSome)(const brTetRecord* const* first, const brTetRecord* const* second,
											  uint32_t wanted, bool findNeighbors, bool facesOnly)
{
	LANE(WideTet) a, b;
	LANE(tetsLoad)(first, &a);
	LANE(tetsLoad)(second, &b);
	LANE(WideSides) ofA, ofB;
	LANE(tetsMakeSides)(&a, &b, &ofA);
	LANE(tetsMakeSides)(&b, &a, &ofB);
	uint32_t isFlat = ofA.isFlat | ofB.isFlat, meets = 0;
	uint32_t neighbors = findNeighbors ? LANE(tetsNeighbors)(&a, &b) : 0;
	uint32_t apart = (LANE(tetsBeyondFaces)(&ofA, -ofA.bound) | LANE(tetsBeyondFaces)(&ofB, -ofB.bound)) & ~isFlat;
	// Products of volumes that are close to, or lost below, the smallest float settle nothing.
	const float little = 0x1p-20f, tiny = 0x1p-120f;
	if ((wanted & ~(apart | isFlat | neighbors)) != 0 && !facesOnly)
	{
		apart |= LANE(tetsBeyondEdges)(&ofA, -ofA.bound, 1.0f + little, tiny) & ~isFlat;
	}
	if ((wanted & ~(apart | isFlat | neighbors)) != 0)
	{
		meets = ~(LANE(tetsBeyondFaces)(&ofA, ofA.bound) | LANE(tetsBeyondFaces)(&ofB, ofB.bound) | isFlat | apart);
		meets &= ~LANE(tetsBeyondEdges)(&ofA, ofA.bound, 1.0f - little, -tiny);
	}
	return (brTetAnswers){neighbors & wanted, apart & wanted, meets & wanted & ~apart};
}

LANE_TARGET static void LANE(tetsDecide)(const brTetRecord* records, const brPair* pairs, int32_t count,
										 bool findNeighbors, bool facesOnly, brTetAnswers* outAnswers)
{
	// Pairs past the end repeat the last.
	const brTetRecord *first[16], *second[16];
	for (int32_t i = 0; i < 16; ++i)
	{
		brPair pair = pairs[i < count ? i : count - 1];
		first[i] = &records[pair.a], second[i] = &records[pair.b];
	}
	*outAnswers = (brTetAnswers){0};
	for (int32_t i = 0; i < count; i += TETS_WIDTH)
	{
		uint32_t wanted = (count - i < TETS_WIDTH ? 1u << (count - i) : 1u << TETS_WIDTH) - 1u;
		brTetAnswers some = LANE(tetsDecideSome)(first + i, second + i, wanted, findNeighbors, facesOnly);
		outAnswers->neighbors |= some.neighbors << i;
		outAnswers->apart |= some.apart << i;
		outAnswers->meets |= some.meets << i;
	}
}

#undef TETS_WIDTH
#undef FLOATS
#undef BITS
