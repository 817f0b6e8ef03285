// SPDX-License-Identifier: MIT

// Eigenvalues and eigenvectors of a symmetric 3x3 matrix by Jacobi's rotations.
//
// Slower than the closed form (about 0.3 us) but right where that loses half the digits: at equal and nearly equal
// eigenvalues, which is where stress tensors and inertia tensors live. The vectors are a product of rotations and so
// orthonormal to a few ulp whatever the matrix. The matrix is scaled by a power of two first, so no entry is too large
// or too small. Each eigenvalue is within a few ulp of the largest one.

#include "math/eigen.h"

#include "base/lanes.h"

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

#define BR_LANES_FILE "math/eigen_lanes.h"
#include "base/each_lanes.h"

// The matrix xx, yy, zz, xy, xz, yz times a power of two, which brings its largest entry into [1/2, 1). False if there
// is nothing to find, and then all are 0.
static bool eigenBegin(const double matrix[6], EigenWork* work, int* outExponent)
{
	double largest = 0.0, m[6];
	bool isFinite = true;
	for (int i = 0; i < 6; ++i)
	{
		largest = fabs(matrix[i]) > largest ? fabs(matrix[i]) : largest;
		isFinite = isFinite && isfinite(matrix[i]);
	}
	*outExponent = 0;
	if (!isFinite || largest == 0.0)
	{
		*work = (EigenWork){{{0.0}}, {{0.0}}};
		return false;
	}
	frexp(largest, outExponent);
	// In two steps, each by a power that a double can hold
	double first = ldexp(1.0, -*outExponent / 2), second = ldexp(1.0, -*outExponent - -*outExponent / 2);
	for (int i = 0; i < 6; ++i)
	{
		m[i] = matrix[i] * first * second;
	}
	*work = (EigenWork){
		{{m[0], m[3], m[4]}, {m[3], m[1], m[5]}, {m[4], m[5], m[2]}},
		{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
	};
	return true;
}

// Rising order; equal values keep the order of their axes
static brMat3 eigenEnd(const EigenWork* work, int exponent, double outValues[3])
{
	double values[3] = {work->a[0][0], work->a[1][1], work->a[2][2]};
	int order[3] = {0, 1, 2};
	eigenSwap(values, order, 0, 1);
	eigenSwap(values, order, 1, 2);
	eigenSwap(values, order, 0, 1);
	brDVec3 columns[3];
	for (int i = 0; i < 3; ++i)
	{
		int k = order[i];
		outValues[i] = ldexp(values[k], exponent);
		columns[i] = brMakeDVec3(work->v[0][k], work->v[1][k], work->v[2][k]);
	}
	brMat3 vectors = {columns[0], columns[1], columns[2]};
	if (brMat3_Determinant(&vectors) < 0.0)
	{
		vectors.cz = brDNeg(vectors.cz);
	}
	return vectors;
}

// Of what is no matrix to speak of
static brMat3 eigenOfNothing(const double matrix[6], double outValues[3])
{
	bool isFinite = true;
	for (int i = 0; i < 6; ++i)
	{
		isFinite = isFinite && isfinite(matrix[i]);
	}
	outValues[0] = outValues[1] = outValues[2] = isFinite ? 0.0 : NAN;
	return brMakeMat3Identity();
}

brMat3 brEigenSymmetric(double xx, double yy, double zz, double xy, double xz, double yz, double outValues[3])
{
	const double matrix[6] = {xx, yy, zz, xy, xz, yz};
	EigenWork work;
	int exponent;
	if (!eigenBegin(matrix, &work, &exponent))
	{
		return eigenOfNothing(matrix, outValues);
	}
	bool isDone = false;
	for (int sweep = 0; sweep < EIGEN_MAX_SWEEPS && !isDone; ++sweep)
	{
		bool xyTurned = eigenRotate(&work, 0, 1);
		bool xzTurned = eigenRotate(&work, 0, 2);
		bool yzTurned = eigenRotate(&work, 1, 2);
		isDone = !xyTurned && !xzTurned && !yzTurned;
	}
	return eigenEnd(&work, exponent, outValues);
}

void brEigenSymmetricFour(const double matrices[4][6], double outValues[4][3], brMat3 outVectors[4])
{
	EigenWork work[4];
	int exponents[4];
	bool isThere[4];
	for (int i = 0; i < 4; ++i)
	{
		isThere[i] = eigenBegin(matrices[i], &work[i], &exponents[i]);
	}
	BR_ON_LANES(brCpu_Best() >= br_cpuAvx2, eigenSweepFour, (work));
	for (int i = 0; i < 4; ++i)
	{
		outVectors[i] =
			isThere[i] ? eigenEnd(&work[i], exponents[i], outValues[i]) : eigenOfNothing(matrices[i], outValues[i]);
	}
}
