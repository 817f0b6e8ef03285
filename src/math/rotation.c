// SPDX-License-Identifier: MIT
#include "math/rotation.h"

brQuat brMakeQuatFromMat3(const brMat3* m)
{
	// The largest of the four parts is found first, so that nothing is divided by a small number.
	double trace = m->cx.x + m->cy.y + m->cz.z;
	brQuat q;
	if (trace > 0.0)
	{
		q = (brQuat){m->cy.z - m->cz.y, m->cz.x - m->cx.z, m->cx.y - m->cy.x, 1.0 + trace};
	}
	else if (m->cx.x >= m->cy.y && m->cx.x >= m->cz.z)
	{
		q = (brQuat){1.0 + m->cx.x - m->cy.y - m->cz.z, m->cx.y + m->cy.x, m->cz.x + m->cx.z, m->cy.z - m->cz.y};
	}
	else if (m->cy.y >= m->cz.z)
	{
		q = (brQuat){m->cx.y + m->cy.x, 1.0 - m->cx.x + m->cy.y - m->cz.z, m->cy.z + m->cz.y, m->cz.x - m->cx.z};
	}
	else
	{
		q = (brQuat){m->cz.x + m->cx.z, m->cy.z + m->cz.y, 1.0 - m->cx.x - m->cy.y + m->cz.z, m->cx.y - m->cy.x};
	}
	return brQuat_Normalize(q);
}

brMat3 brInvertMat3(const brMat3* m)
{
	double determinant = brMat3_Determinant(m), scale = fabs(determinant) > 0.0 ? 1.0 / determinant : 0.0;
	brMat3 cofactor = brMat3_Cofactor(m), t = brMat3_Transpose(&cofactor);
	return (brMat3){brDMul(scale, t.cx), brDMul(scale, t.cy), brDMul(scale, t.cz)};
}

brDVec3 brDAcross(brDVec3 n)
{
	// Of x and y one is far enough from any direction: where n.x is less than 0.6, the angle to x is more than 53
	// degrees, else that to y.
	brDVec3 far = fabs(n.x) < 0.6 ? brMakeDVec3(1.0, 0.0, 0.0) : brMakeDVec3(0.0, 1.0, 0.0);
	return brDNormalize(brDCross(n, far));
}

brDVec3 brRandomDirection(brRandom* random)
{
	for (;;)
	{
		brDVec3 d = {brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0),
					 brRandom_Range(random, -1.0, 1.0)};
		double lengthSq = brDLengthSq(d);
		if (lengthSq <= 1.0 && lengthSq > 1e-6)
		{
			return brDMul(1.0 / sqrt(lengthSq), d);
		}
	}
}
