// SPDX-License-Identifier: MIT

// Eigenvalues and eigenvectors of a symmetric 3x3 matrix by Jacobi's rotations.
//
// Slower than the closed form (about 0.3 us) but right where that loses half the digits: at equal and nearly equal
// eigenvalues, which is where stress tensors and inertia tensors live. The vectors are a product of rotations and so
// orthonormal to a few ulp whatever the matrix. The matrix is scaled by a power of two first, so no entry is too large
// or too small. Each eigenvalue is within a few ulp of the largest one.

#include "brittle/math.h"

#define EIGEN_MAX_SWEEPS 32 // six are enough for any matrix seen; the bound only keeps the loop finite

typedef struct EigenWork
{
	double a[3][3]; // symmetric, both halves kept
	double v[3][3]; // columns
} EigenWork;

// Turns the plane of axes p and q so that a[p][q] vanishes. False if there was nothing to do.
static bool eigenRotate(EigenWork* work, int p, int q)
{
	double apq = work->a[p][q];
	double app = work->a[p][p], aqq = work->a[q][q];
	work->a[p][q] = work->a[q][p] = 0.0;
	double size = fabs(apq) * 0x1p-2; // too small to change either eigenvalue
	if (apq == 0.0 || (fabs(app) + size == fabs(app) && fabs(aqq) + size == fabs(aqq)))
	{
		return false;
	}

	// The smaller root of t^2 + 2 theta t - 1 = 0 is the tangent of an angle of at most pi/4
	double theta = (aqq - app) / (2.0 * apq);
	double t = 1.0 / (fabs(theta) + sqrt(theta * theta + 1.0));
	t = theta < 0.0 ? -t : t;
	double c = 1.0 / sqrt(t * t + 1.0);
	double s = t * c;
	work->a[p][p] = app - t * apq;
	work->a[q][q] = aqq + t * apq;
	int r = 3 - p - q;
	double arp = work->a[r][p], arq = work->a[r][q];
	work->a[r][p] = work->a[p][r] = c * arp - s * arq;
	work->a[r][q] = work->a[q][r] = s * arp + c * arq;
	for (int i = 0; i < 3; ++i)
	{
		double vip = work->v[i][p], viq = work->v[i][q];
		work->v[i][p] = c * vip - s * viq;
		work->v[i][q] = s * vip + c * viq;
	}
	return true;
}

static void eigenSwap(const double* values, int* order, int i, int j)
{
	if (values[order[i]] > values[order[j]])
	{
		int other = order[i];
		order[i] = order[j], order[j] = other;
	}
}

brMat3 brEigenSymmetric(double xx, double yy, double zz, double xy, double xz, double yz, double outValues[3])
{
	double entries[6] = {fabs(xx), fabs(yy), fabs(zz), fabs(xy), fabs(xz), fabs(yz)};
	double largest = 0.0;
	bool isFinite = true;
	for (int i = 0; i < 6; ++i)
	{
		largest = entries[i] > largest ? entries[i] : largest;
		isFinite = isFinite && isfinite(entries[i]);
	}
	if (!isFinite || largest == 0.0)
	{
		outValues[0] = outValues[1] = outValues[2] = isFinite ? 0.0 : NAN;
		return brMakeMat3Identity();
	}

	// Scaled so that the largest entry is in [1/2, 1); in two steps, each by a power of two that a double can hold
	int exponent;
	frexp(largest, &exponent);
	double first = ldexp(1.0, -exponent / 2), second = ldexp(1.0, -exponent - -exponent / 2);
	xx = xx * first * second, yy = yy * first * second, zz = zz * first * second;
	xy = xy * first * second, xz = xz * first * second, yz = yz * first * second;
	EigenWork work = {
		{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}},
		{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
	};
	bool isDone = false;
	for (int sweep = 0; sweep < EIGEN_MAX_SWEEPS && !isDone; ++sweep)
	{
		bool xyTurned = eigenRotate(&work, 0, 1);
		bool xzTurned = eigenRotate(&work, 0, 2);
		bool yzTurned = eigenRotate(&work, 1, 2);
		isDone = !xyTurned && !xzTurned && !yzTurned;
	}

	// Rising order; equal values keep the order of their axes
	double values[3] = {work.a[0][0], work.a[1][1], work.a[2][2]};
	int order[3] = {0, 1, 2};
	eigenSwap(values, order, 0, 1);
	eigenSwap(values, order, 1, 2);
	eigenSwap(values, order, 0, 1);
	brDVec3 columns[3];
	for (int i = 0; i < 3; ++i)
	{
		int k = order[i];
		outValues[i] = ldexp(values[k], exponent);
		columns[i] = brMakeDVec3(work.v[0][k], work.v[1][k], work.v[2][k]);
	}
	brMat3 vectors = {columns[0], columns[1], columns[2]};
	if (brMat3_Determinant(&vectors) < 0.0)
	{
		vectors.cz = brDNeg(vectors.cz);
	}
	return vectors;
}
