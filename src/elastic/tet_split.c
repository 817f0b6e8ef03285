// SPDX-License-Identifier: MIT

// Cutting a simplex by linear functions, in barycentric coordinates.
//
// One function leaves a corner and a prism, or two wedges; both are split into simplices again and go on to the next
// function. Volumes are determinants of barycentric coordinates, so the shares sum to 1 up to rounding and need no
// scale.

#include "elastic/tet_split.h"

#include <string.h>

typedef struct TetSplitJob
{
	const double (*phi)[4];
	int32_t surfaceCount;
	int32_t cornerCount; // 4, or 3: the fourth corner is left out
	brTetShares* shares;
} TetSplitJob;

typedef struct TetSplitPoint
{
	double w[4];
} TetSplitPoint;

static double tetSplitValue(const double* phi, const TetSplitPoint* p)
{
	return p->w[0] * phi[0] + p->w[1] * phi[1] + p->w[2] * phi[2] + p->w[3] * phi[3];
}

static TetSplitPoint tetSplitBetween(const TetSplitPoint* a, const TetSplitPoint* b, double phiA, double phiB)
{
	double t = phiA / (phiA - phiB);
	TetSplitPoint p;
	for (int i = 0; i < 4; ++i)
	{
		p.w[i] = a->w[i] + t * (b->w[i] - a->w[i]);
	}
	return p;
}

static double tetSplitDeterminant3(const double* a, const double* b, const double* c)
{
	return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static double tetSplitShare(const TetSplitPoint* p, int32_t cornerCount)
{
	if (cornerCount == 3)
	{
		return fabs(tetSplitDeterminant3(p[0].w, p[1].w, p[2].w));
	}
	double a[3], b[3], c[3];
	for (int i = 0; i < 3; ++i)
	{
		a[i] = p[1].w[i] - p[0].w[i], b[i] = p[2].w[i] - p[0].w[i], c[i] = p[3].w[i] - p[0].w[i];
	}
	return fabs(tetSplitDeterminant3(a, b, c));
}

static void tetSplitFrom(const TetSplitJob* job, int32_t surface, uint32_t signs, const TetSplitPoint* p);

// Two triangles (p[0..2], p[3..5]) joined corner to corner.
static void tetSplitPrism(const TetSplitJob* job, int32_t surface, uint32_t signs, const TetSplitPoint* p)
{
	for (int k = 0; k < 3; ++k)
	{
		tetSplitFrom(job, surface, signs, p + k);
	}
}

static void tetSplitFrom(const TetSplitJob* job, int32_t surface, uint32_t signs, const TetSplitPoint* p)
{
	int32_t n = job->cornerCount;
	if (surface == job->surfaceCount)
	{
		double share = tetSplitShare(p, n);
		job->shares->volumes[signs] += share;
		for (int i = 0; i < 4; ++i)
		{
			double sum = 0.0;
			for (int k = 0; k < n; ++k)
			{
				sum += p[k].w[i];
			}
			job->shares->centers[signs][i] += share * sum / n;
		}
		return;
	}
	uint32_t bit = 1u << surface;
	double value[4] = {0.0, 0.0, 0.0, 0.0};
	int32_t plus[4], minus[4], plusCount = 0, minusCount = 0;
	for (int k = 0; k < n; ++k)
	{
		value[k] = tetSplitValue(job->phi[surface], &p[k]);
		if (value[k] >= 0.0)
		{
			plus[plusCount++] = k;
		}
		else
		{
			minus[minusCount++] = k;
		}
	}
	if (plusCount == n || minusCount == n)
	{
		tetSplitFrom(job, surface + 1, plusCount == n ? signs | bit : signs, p);
		return;
	}
	if (plusCount == 1 || minusCount == 1)
	{
		// One corner off: a small simplex and what is left, a prism or a quad.
		const int32_t* rest = plusCount == 1 ? minus : plus;
		int32_t tip = plusCount == 1 ? plus[0] : minus[0];
		uint32_t tipSigns = plusCount == 1 ? signs | bit : signs;
		uint32_t restSigns = plusCount == 1 ? signs : signs | bit;
		TetSplitPoint corner[4], prism[6];
		corner[0] = p[tip];
		for (int k = 0; k < n - 1; ++k)
		{
			corner[k + 1] = tetSplitBetween(&p[tip], &p[rest[k]], value[tip], value[rest[k]]);
			prism[k] = p[rest[k]];
			prism[n - 1 + k] = corner[k + 1];
		}
		tetSplitFrom(job, surface + 1, tipSigns, corner);
		if (n == 4)
		{
			tetSplitPrism(job, surface + 1, restSigns, prism);
		}
		else
		{
			tetSplitFrom(job, surface + 1, restSigns, prism);
			tetSplitFrom(job, surface + 1, restSigns, prism + 1);
		}
		return;
	}
	TetSplitPoint ac = tetSplitBetween(&p[plus[0]], &p[minus[0]], value[plus[0]], value[minus[0]]);
	TetSplitPoint ad = tetSplitBetween(&p[plus[0]], &p[minus[1]], value[plus[0]], value[minus[1]]);
	TetSplitPoint bc = tetSplitBetween(&p[plus[1]], &p[minus[0]], value[plus[1]], value[minus[0]]);
	TetSplitPoint bd = tetSplitBetween(&p[plus[1]], &p[minus[1]], value[plus[1]], value[minus[1]]);
	TetSplitPoint above[6] = {p[plus[0]], ac, ad, p[plus[1]], bc, bd};
	TetSplitPoint below[6] = {p[minus[0]], ac, bc, p[minus[1]], ad, bd};
	tetSplitPrism(job, surface + 1, signs | bit, above);
	tetSplitPrism(job, surface + 1, signs, below);
}

static void tetSplitAll(const TetSplitJob* job)
{
	static const TetSplitPoint corners[4] = {{{1, 0, 0, 0}}, {{0, 1, 0, 0}}, {{0, 0, 1, 0}}, {{0, 0, 0, 1}}};
	memset(job->shares, 0, sizeof(*job->shares));
	tetSplitFrom(job, 0, 0, corners);
	for (int s = 0; s < 1 << job->surfaceCount; ++s)
	{
		double share = job->shares->volumes[s];
		for (int i = 0; i < 4 && share > 0.0; ++i)
		{
			job->shares->centers[s][i] /= share;
		}
	}
}

void brSplitTet(const double (*phi)[4], int32_t surfaceCount, brTetShares* outShares)
{
	TetSplitJob job = {phi, surfaceCount, 4, outShares};
	tetSplitAll(&job);
}

void brSplitTriangle(const double (*phi)[3], int32_t surfaceCount, brTetShares* outShares)
{
	double values[BR_MAX_CRACKS_PER_TET][4];
	for (int32_t s = 0; s < surfaceCount; ++s)
	{
		memcpy(values[s], phi[s], sizeof(phi[s]));
		values[s][3] = 0.0;
	}
	TetSplitJob job = {(const double(*)[4])values, surfaceCount, 3, outShares};
	tetSplitAll(&job);
}
