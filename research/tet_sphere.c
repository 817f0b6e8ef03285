// SPDX-License-Identifier: MIT

// The smallest sphere around a tetrahedron: it goes through two, three or four of its corners, so all are tried.

#include "brittle/crowding.h"

typedef struct TetSphere
{
	brDVec3 center;
	double radiusSq;
} TetSphere;

// The sphere through `count` points with its center in their flat. False if they have no such sphere.
static bool sphereThrough(const brDVec3* p, int count, TetSphere* outSphere)
{
	brDVec3 e = brDSub(p[1], p[0]), center;
	if (count == 2)
	{
		center = brDMul(0.5, e);
	}
	else
	{
		brDVec3 f = brDSub(p[2], p[0]), ef = brDCross(e, f);
		double ee = brDLengthSq(e), ff = brDLengthSq(f);
		if (count == 3)
		{
			brDVec3 sum = brDSub(brDMul(ee, brDCross(f, ef)), brDMul(ff, brDCross(e, ef)));
			center = brDMul(0.5 / brDLengthSq(ef), sum);
		}
		else
		{
			brDVec3 g = brDSub(p[3], p[0]);
			brDVec3 sum =
				brDAdd(brDMul(ee, brDCross(f, g)), brDAdd(brDMul(ff, brDCross(g, e)), brDMul(brDLengthSq(g), ef)));
			center = brDMul(0.5 / brDDot(e, brDCross(f, g)), sum);
		}
	}
	*outSphere = (TetSphere){brDAdd(p[0], center), brDLengthSq(center)};
	return isfinite(outSphere->radiusSq) && isfinite(center.x + center.y + center.z);
}

double brTet_SphereDiameter(const brDVec3 t[4])
{
	const double inside = 1.0 + 0x1p-40; // corners on the sphere are within rounding of it
	TetSphere best = {t[0], INFINITY};
	for (int mask = 3; mask < 16; ++mask)
	{
		brDVec3 part[4];
		int count = 0;
		for (int i = 0; i < 4; ++i)
		{
			if ((mask >> i & 1) != 0)
			{
				part[count++] = t[i];
			}
		}
		TetSphere sphere;
		if (count < 2 || !sphereThrough(part, count, &sphere) || sphere.radiusSq >= best.radiusSq)
		{
			continue;
		}
		bool holdsAll = true;
		for (int i = 0; i < 4; ++i)
		{
			holdsAll &= brDLengthSq(brDSub(t[i], sphere.center)) <= inside * sphere.radiusSq;
		}
		best = holdsAll ? sphere : best;
	}
	return best.radiusSq < INFINITY ? 2.0 * sqrt(best.radiusSq) : 0.0;
}
