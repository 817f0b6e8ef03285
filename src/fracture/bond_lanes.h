// SPDX-License-Identifier: MIT

// The loops of the iteration on bonds, in bond_kernels.c once for each set of lanes (base/lanes.h). Lanes hold four
// beams, or the numbers of a node, each on its own.

typedef struct LANE(BondVector)
{
	BL x, y, z;
} LANE(BondVector);

#define BV LANE(BondVector)

// The same three numbers of four rows.
LANE_INLINE BV LANE(bondGather)(const brBondRow* rows, const int32_t* at, int32_t first)
{
	BL a = BOND_LOAD(&rows[at[0]].at[first]), b = BOND_LOAD(&rows[at[1]].at[first]);
	BL c = BOND_LOAD(&rows[at[2]].at[first]), d = BOND_LOAD(&rows[at[3]].at[first]);
	BL t0 = __builtin_shufflevector(a, b, 0, 4, 2, 6), t1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
	BL t2 = __builtin_shufflevector(c, d, 0, 4, 2, 6), t3 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
	return (BV){__builtin_shufflevector(t0, t2, 0, 1, 4, 5), __builtin_shufflevector(t1, t3, 0, 1, 4, 5),
				__builtin_shufflevector(t0, t2, 2, 3, 6, 7)};
}

// Added to four rows, one after the other: they may be the same.
LANE_INLINE void LANE(bondScatter)(brBondRow* rows, const int32_t* at, int32_t first, BV v)
{
	BL none = {0.0, 0.0, 0.0, 0.0};
	BL u0 = __builtin_shufflevector(v.x, v.y, 0, 4, 2, 6), u1 = __builtin_shufflevector(v.x, v.y, 1, 5, 3, 7);
	BL w0 = __builtin_shufflevector(v.z, none, 0, 4, 2, 6), w1 = __builtin_shufflevector(v.z, none, 1, 5, 3, 7);
	double* out[4] = {&rows[at[0]].at[first], &rows[at[1]].at[first], &rows[at[2]].at[first], &rows[at[3]].at[first]};
	BOND_STORE(out[0], BOND_LOAD(out[0]) + __builtin_shufflevector(u0, w0, 0, 1, 4, 5));
	BOND_STORE(out[1], BOND_LOAD(out[1]) + __builtin_shufflevector(u1, w1, 0, 1, 4, 5));
	BOND_STORE(out[2], BOND_LOAD(out[2]) + __builtin_shufflevector(u0, w0, 2, 3, 6, 7));
	BOND_STORE(out[3], BOND_LOAD(out[3]) + __builtin_shufflevector(u1, w1, 2, 3, 6, 7));
}

LANE_INLINE BV LANE(bondVector)(const double (*v)[BR_BOND_LANES])
{
	return (BV){BOND_LOAD(v[0]), BOND_LOAD(v[1]), BOND_LOAD(v[2])};
}

LANE_INLINE BV LANE(bondCross)(BV a, BV b)
{
	return (BV){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

LANE_INLINE BV LANE(bondSub)(BV a, BV b)
{
	return (BV){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANE_INLINE BV LANE(bondAdd)(BV a, BV b)
{
	return (BV){a.x + b.x, a.y + b.y, a.z + b.z};
}

// s v + t (n.v) n
LANE_INLINE BV LANE(bondResist)(BL s, BL t, BV n, BV v)
{
	BL along = t * (n.x * v.x + n.y * v.y + n.z * v.z);
	return (BV){s * v.x + along * n.x, s * v.y + along * n.y, s * v.z + along * n.z};
}

LANE_TARGET static void LANE(bondMultiply)(const brBeamBlock* blocks, int32_t count, const brBondRow* x, brBondRow* y)
{
	for (int32_t k = 0; k < count; ++k)
	{
		const brBeamBlock* b = &blocks[k];
		BV ri = LANE(bondVector)(b->ri), rj = LANE(bondVector)(b->rj), n = LANE(bondVector)(b->n);
		BV ti = LANE(bondGather)(x, b->i, 4), tj = LANE(bondGather)(x, b->j, 4);
		BV di = LANE(bondAdd)(LANE(bondGather)(x, b->i, 0), LANE(bondCross)(ti, ri));
		BV dj = LANE(bondAdd)(LANE(bondGather)(x, b->j, 0), LANE(bondCross)(tj, rj));
		// What holds the second node back, and the first with the opposite sign.
		BV f = LANE(bondResist)(BOND_LOAD(b->slide), BOND_LOAD(b->opening), n, LANE(bondSub)(dj, di));
		BV m = LANE(bondResist)(BOND_LOAD(b->bend), BOND_LOAD(b->twisting), n, LANE(bondSub)(tj, ti));
		BV none = {m.x - m.x, m.y - m.y, m.z - m.z};
		LANE(bondScatter)(y, b->i, 0, LANE(bondSub)(none, f));
		LANE(bondScatter)(y, b->i, 4, LANE(bondSub)(none, LANE(bondAdd)(m, LANE(bondCross)(ri, f))));
		LANE(bondScatter)(y, b->j, 0, f);
		LANE(bondScatter)(y, b->j, 4, LANE(bondAdd)(m, LANE(bondCross)(rj, f)));
	}
}

// The numbers of a row added up in a fixed order.
LANE_INLINE double LANE(bondSum)(BL low, BL high)
{
	BL both = low + high;
	return ((both[0] + both[1]) + both[2]) + both[3];
}

LANE_TARGET static double LANE(bondAdvance)(const brBondInverse* inverses, int32_t count, double alpha,
											const brBondRow* p, const brBondRow* q, brBondRow* x, brBondRow* r,
											brBondRow* z)
{
	BL sumLow = {0.0, 0.0, 0.0, 0.0}, sumHigh = sumLow;
	for (int32_t i = 0; i < count; ++i)
	{
		BOND_STORE(&x[i].at[0], BOND_LOAD(&x[i].at[0]) + alpha * BOND_LOAD(&p[i].at[0]));
		BOND_STORE(&x[i].at[4], BOND_LOAD(&x[i].at[4]) + alpha * BOND_LOAD(&p[i].at[4]));
		BL low = BOND_LOAD(&r[i].at[0]) - alpha * BOND_LOAD(&q[i].at[0]);
		BL high = BOND_LOAD(&r[i].at[4]) - alpha * BOND_LOAD(&q[i].at[4]);
		BL zLow = {0.0, 0.0, 0.0, 0.0}, zHigh = zLow;
		for (int32_t c = 0; c < 6; ++c)
		{
			double part = c < 3 ? low[c] : high[c - 3];
			zLow += part * BOND_WIDEN(&inverses[i].columns[c][0]);
			zHigh += part * BOND_WIDEN(&inverses[i].columns[c][4]);
		}
		BOND_STORE(&r[i].at[0], low);
		BOND_STORE(&r[i].at[4], high);
		BOND_STORE(&z[i].at[0], zLow);
		BOND_STORE(&z[i].at[4], zHigh);
		sumLow += low * zLow;
		sumHigh += high * zHigh;
	}
	return LANE(bondSum)(sumLow, sumHigh);
}

LANE_TARGET static void LANE(bondTurn)(int32_t count, double beta, const brBondRow* z, brBondRow* p)
{
	for (int32_t i = 0; i < count; ++i)
	{
		BOND_STORE(&p[i].at[0], BOND_LOAD(&z[i].at[0]) + beta * BOND_LOAD(&p[i].at[0]));
		BOND_STORE(&p[i].at[4], BOND_LOAD(&z[i].at[4]) + beta * BOND_LOAD(&p[i].at[4]));
	}
}

LANE_TARGET static double LANE(bondDot)(int32_t count, const brBondRow* a, const brBondRow* b)
{
	BL sumLow = {0.0, 0.0, 0.0, 0.0}, sumHigh = sumLow;
	for (int32_t i = 0; i < count; ++i)
	{
		sumLow += BOND_LOAD(&a[i].at[0]) * BOND_LOAD(&b[i].at[0]);
		sumHigh += BOND_LOAD(&a[i].at[4]) * BOND_LOAD(&b[i].at[4]);
	}
	return LANE(bondSum)(sumLow, sumHigh);
}

LANE_TARGET static void LANE(bondSubtract)(int32_t count, double a, const double* x, double* y)
{
	int32_t i = 0;
	for (; i + BR_BOND_LANES <= count; i += BR_BOND_LANES)
	{
		BOND_STORE(y + i, BOND_LOAD(y + i) - a * BOND_LOAD(x + i));
	}
	for (; i < count; ++i)
	{
		y[i] -= a * x[i];
	}
}

// S and [r]x S and [r]x S [r]x^T + B of one end of four beams: what it adds to its node's block, where S = slide +
// opening n n^T resists displacement and B = bend + twisting n n^T turning.
LANE_INLINE void LANE(bondAddEnd)(const brBeamBlock* b, const int32_t* at, BV r, brBondDiagonals* diagonals)
{
	BV n = LANE(bondVector)(b->n);
	BL s = BOND_LOAD(b->slide), o = BOND_LOAD(b->opening), w = BOND_LOAD(b->bend), t = BOND_LOAD(b->twisting);
	BL sxx = s + o * n.x * n.x, syy = s + o * n.y * n.y, szz = s + o * n.z * n.z;
	BL sxy = o * n.x * n.y, sxz = o * n.x * n.z, syz = o * n.y * n.z;
	// Rows of [r]x S: what force does at the lever.
	BV ax = {r.y * sxz - r.z * sxy, r.y * syz - r.z * syy, r.y * szz - r.z * syz};
	BV ay = {r.z * sxx - r.x * sxz, r.z * sxy - r.x * syz, r.z * sxz - r.x * szz};
	BV az = {r.x * sxy - r.y * sxx, r.x * syy - r.y * sxy, r.x * syz - r.y * sxz};
	BL entries[BR_BOND_TRIANGLE] = {
		sxx,
		sxy,
		syy,
		sxz,
		syz,
		szz,
		ax.x,
		ax.y,
		ax.z,
		w + t * n.x * n.x + (ax.z * r.y - ax.y * r.z),
		ay.x,
		ay.y,
		ay.z,
		t * n.y * n.x + (ay.z * r.y - ay.y * r.z),
		w + t * n.y * n.y + (ay.x * r.z - ay.z * r.x),
		az.x,
		az.y,
		az.z,
		t * n.z * n.x + (az.z * r.y - az.y * r.z),
		t * n.z * n.y + (az.x * r.z - az.z * r.x),
		w + t * n.z * n.z + (az.y * r.x - az.x * r.y),
	};
	for (int32_t lane = 0; lane < BR_BOND_LANES; ++lane)
	{
		brBondDiagonals* out = &diagonals[at[lane] / BR_BOND_LANES];
		for (int32_t e = 0; e < BR_BOND_TRIANGLE; ++e)
		{
			out->entries[e][at[lane] % BR_BOND_LANES] += entries[e][lane];
		}
	}
}

LANE_TARGET static void LANE(bondAddDiagonals)(const brBeamBlock* blocks, int32_t count, brBondDiagonals* diagonals)
{
	for (int32_t k = 0; k < count; ++k)
	{
		LANE(bondAddEnd)(&blocks[k], blocks[k].i, LANE(bondVector)(blocks[k].ri), diagonals);
		LANE(bondAddEnd)(&blocks[k], blocks[k].j, LANE(bondVector)(blocks[k].rj), diagonals);
	}
}

LANE_TARGET static void LANE(bondInvert)(const brBondDiagonals* diagonals, int32_t count, brBondInverse* outInverses)
{
	const BL none = {0.0, 0.0, 0.0, 0.0}, one = {1.0, 1.0, 1.0, 1.0};
	for (int32_t k = 0; k < count; ++k)
	{
		// K = L D L^T, L with ones on its diagonal.
		const brBondDiagonals* in = &diagonals[k];
		BL l[BR_BOND_TRIANGLE], d[6], inverse[6];
		for (int32_t c = 0; c < 6; ++c)
		{
			BL own = BOND_LOAD(in->entries[BOND_AT(c, c)]);
			d[c] = own;
			for (int32_t e = 0; e < c; ++e)
			{
				d[c] -= l[BOND_AT(c, e)] * l[BOND_AT(c, e)] * d[e];
			}
			brLong4 isPositive = d[c] > BOND_PIVOT * own;
			inverse[c] =
				BOND_LOAD(in->isFree) * BOND_SELECT(isPositive, one / BOND_SELECT(isPositive, d[c], one), none);
			for (int32_t r = c + 1; r < 6; ++r)
			{
				BL sum = BOND_LOAD(in->entries[BOND_AT(r, c)]);
				for (int32_t e = 0; e < c; ++e)
				{
					sum -= l[BOND_AT(r, e)] * l[BOND_AT(c, e)] * d[e];
				}
				l[BOND_AT(r, c)] = sum * inverse[c];
			}
		}
		for (int32_t column = 0; column < 6; ++column)
		{
			BL y[6];
			for (int32_t r = 0; r < 6; ++r)
			{
				y[r] = r == column ? one : none;
				for (int32_t e = column; e < r; ++e)
				{
					y[r] -= l[BOND_AT(r, e)] * y[e];
				}
			}
			for (int32_t r = 5; r >= 0; --r)
			{
				y[r] *= inverse[r];
				for (int32_t e = r + 1; e < 6; ++e)
				{
					y[r] -= l[BOND_AT(e, r)] * y[e];
				}
			}
			for (int32_t lane = 0; lane < BR_BOND_LANES; ++lane)
			{
				float* out = outInverses[BR_BOND_LANES * k + lane].columns[column];
				out[0] = (float)y[0][lane], out[1] = (float)y[1][lane], out[2] = (float)y[2][lane], out[3] = 0.0f;
				out[4] = (float)y[3][lane], out[5] = (float)y[4][lane], out[6] = (float)y[5][lane], out[7] = 0.0f;
			}
		}
	}
}

LANE_TARGET static void LANE(bondStress)(const brBeamBlock* blocks, int32_t count, const brBondRow* x,
										 brBeamStress* outStress)
{
	const BL none = {0.0, 0.0, 0.0, 0.0};
	for (int32_t k = 0; k < count; ++k)
	{
		const brBeamBlock* b = &blocks[k];
		BV n = LANE(bondVector)(b->n), ti = LANE(bondGather)(x, b->i, 4), tj = LANE(bondGather)(x, b->j, 4);
		BV di = LANE(bondAdd)(LANE(bondGather)(x, b->i, 0), LANE(bondCross)(ti, LANE(bondVector)(b->ri)));
		BV dj = LANE(bondAdd)(LANE(bondGather)(x, b->j, 0), LANE(bondCross)(tj, LANE(bondVector)(b->rj)));
		BV f = LANE(bondResist)(BOND_LOAD(b->slide), BOND_LOAD(b->opening), n, LANE(bondSub)(dj, di));
		BV m = LANE(bondResist)(BOND_LOAD(b->bend), BOND_LOAD(b->twisting), n, LANE(bondSub)(tj, ti));
		BL normal = n.x * f.x + n.y * f.y + n.z * f.z, twist = n.x * m.x + n.y * m.y + n.z * m.z;
		BV across = {f.x - normal * n.x, f.y - normal * n.y, f.z - normal * n.z};
		BV bent = {m.x - twist * n.x, m.y - twist * n.y, m.z - twist * n.z};
		BL area = BOND_LOAD(b->area), root = LANE(brRoot4)(area);
		BL slide = LANE(brRoot4)(across.x * across.x + across.y * across.y + across.z * across.z);
		BL bend = LANE(brRoot4)(bent.x * bent.x + bent.y * bent.y + bent.z * bent.z);
		BL modulus = area * root * BOND_ROUND; // of a round section
		BL turning = BOND_SELECT(twist < none, none - twist, twist);
		BL shear = slide / area + turning / (2.0 * modulus), rim = bend / modulus;
		BL pull = normal / area + rim, push = rim - normal / area;
		BL main = LANE(brRoot4)(0.25 * pull * pull + shear * shear);
		BL tension = 0.5 * pull + main;
		BOND_STORE(outStress[k].tension, BOND_SELECT(tension > none, tension, none));
		BOND_STORE(outStress[k].compression, BOND_SELECT(push > none, push, none));
	}
}

static const brBondKernels LANE(bondKernels) = {LANE(bondMultiply), LANE(bondAdvance), LANE(bondTurn),
												LANE(bondDot),      LANE(bondInvert),  LANE(bondAddDiagonals),
												LANE(bondSubtract), LANE(bondStress)};

#undef BV
