// SPDX-License-Identifier: MIT

// Read by impact_pull.c once for each set of vector instructions, see base/each_lanes.h.

LANE_INLINE brDouble4 LANE(pullRoot)(brDouble4 a)
{
#if LANE_BYTES == 32
	return (brDouble4)_mm256_sqrt_pd((__m256d)a);
#else
	return (brDouble4){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#endif
}

LANE_INLINE brDouble4 LANE(pullChoose)(brLong4 mask, brDouble4 a, brDouble4 b)
{
	return (brDouble4)((mask & (brLong4)a) | (~mask & (brLong4)b));
}

// brGreatestPullAbove of many stresses, four in each row: one step of all before the next, since each waits for the
// step before.
LANE_INLINE void LANE(pullOfMany)(brDouble4 s[][6], int32_t rows, double least, brDouble4* out)
{
	const brDouble4 none = {0.0, 0.0, 0.0, 0.0};
	brDouble4 means[PULL_ROWS], qs[PULL_ROWS], rs[PULL_ROWS], roots[PULL_ROWS];
	brLong4 areThere[PULL_ROWS], areGoing[PULL_ROWS], isAny = {0, 0, 0, 0};
	for (int32_t k = 0; k < rows; ++k)
	{
		const brDouble4* t = s[k];
		brDouble4 mean = (t[0] + t[1] + t[2]) / 3.0, x = t[0] - mean, y = t[1] - mean, z = t[2] - mean;
		brDouble4 q = (x * x + y * y + z * z + 2.0 * (t[3] * t[3] + t[4] * t[4] + t[5] * t[5])) / 6.0;
		brDouble4 root = 2.0 * LANE(pullRoot)(q);
		rs[k] = 0.5 * (x * (y * z - t[5] * t[5]) - t[3] * (t[3] * z - t[5] * t[4]) + t[4] * (t[3] * t[5] - y * t[4]));
		means[k] = mean, qs[k] = q, roots[k] = root;
		areThere[k] = mean + root >= least;
		areGoing[k] = areThere[k] & (root > none);
		isAny |= areGoing[k];
	}
	for (int i = 0; i < 8 && (isAny[0] | isAny[1] | isAny[2] | isAny[3]) != 0; ++i)
	{
		isAny = (brLong4){0, 0, 0, 0};
		for (int32_t k = 0; k < rows; ++k)
		{
			brDouble4 root = roots[k], slope = 3.0 * (root * root - qs[k]);
			brDouble4 step = (root * (root * root - 3.0 * qs[k]) - 2.0 * rs[k]) / slope;
			step = LANE(pullChoose)(areGoing[k] & (slope > none), step, none);
			root -= step;
			roots[k] = root;
			areGoing[k] &= ~(step < 1e-9 * root) & (root > none);
			isAny |= areGoing[k];
		}
	}
	for (int32_t k = 0; k < rows; ++k)
	{
		out[k] = LANE(pullChoose)(areThere[k], means[k] + roots[k], none);
	}
}

// The greatest pulls at the points of a tet, and their powers if the exponent is a whole number.
LANE_TARGET static void LANE(pullPoints)(const brFlexStress* stress, double least, double scale, int32_t exponent,
										 PullPoints* out)
{
	brDouble4 s[PULL_ROWS][6], pulls[PULL_ROWS];
	for (int k = 0; k < PULL_ROWS; ++k)
	{
		brDouble4 u, v, w;
		memcpy(&u, &pullPlaces[0][4 * k], sizeof(u));
		memcpy(&v, &pullPlaces[1][4 * k], sizeof(v));
		memcpy(&w, &pullPlaces[2][4 * k], sizeof(w));
		for (int c = 0; c < 6; ++c)
		{
			s[k][c] =
				stress->center[c] + u * stress->slopes[0][c] + v * stress->slopes[1][c] + w * stress->slopes[2][c];
		}
	}
	LANE(pullOfMany)(s, PULL_ROWS, least, pulls);
	out->isPulled = false;
	for (int k = 0; k < PULL_ROWS; ++k)
	{
		brDouble4 pull = pulls[k] * scale;
		memcpy(&out->pulls[4 * k], &pull, sizeof(pull));
		if (!(pull[0] > 0.0 || pull[1] > 0.0 || pull[2] > 0.0 || pull[3] > 0.0))
		{
			continue;
		}
		out->isPulled = true;
		brDouble4 power = {1.0, 1.0, 1.0, 1.0}, x = pull;
		for (int32_t n = exponent; n > 0; n >>= 1, x *= x)
		{
			if ((n & 1) != 0)
			{
				power *= x;
			}
		}
		memcpy(&out->powers[4 * k], &power, sizeof(power));
	}
}

// The squared distances of the points of a tet that are pulled from the nearest point of a patch; all in the lattice's
// axes.
LANE_TARGET static void LANE(pullDistances)(const brFlexModel* flex, const brFlexTet* tet, const brFlexPatch* patch,
											const double pulls[PULL_POINTS_ROOM], double out[PULL_POINTS_ROOM])
{
	brDVec3 center = brFlexModel_Place(flex, tet, tet->center);
	for (int k = 0; k < PULL_POINTS_ROOM; k += 4)
	{
		if (!(pulls[k] > 0.0 || pulls[k + 1] > 0.0 || pulls[k + 2] > 0.0 || pulls[k + 3] > 0.0))
		{
			continue;
		}
		brDouble4 p[3] = {center.x - (brDouble4){0.0, 0.0, 0.0, 0.0}, center.y - (brDouble4){0.0, 0.0, 0.0, 0.0},
						  center.z - (brDouble4){0.0, 0.0, 0.0, 0.0}};
		for (int c = 0; c < 3; ++c)
		{
			brDouble4 u;
			memcpy(&u, &pullPlaces[c][k], sizeof(u));
			p[0] += u * (flex->edge * tet->spread[c].x);
			p[1] += u * (flex->edge * tet->spread[c].y);
			p[2] += u * (flex->edge * tet->spread[c].z);
		}
		brDouble4 nearest = {INFINITY, INFINITY, INFINITY, INFINITY};
		for (int32_t i = 0; i < patch->count; ++i)
		{
			brDouble4 x = p[0] - patch->points[i].x, y = p[1] - patch->points[i].y, z = p[2] - patch->points[i].z;
			brDouble4 square = x * x + y * y + z * z;
			nearest = LANE(pullChoose)(square < nearest, square, nearest);
		}
		memcpy(&out[k], &nearest, sizeof(nearest));
	}
}
