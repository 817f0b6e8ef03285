// SPDX-License-Identifier: MIT

// Read by contact_law.c once for each set of vector instructions, see base/each_lanes.h.

LANE_INLINE brDouble4 LANE(wallRoot)(brDouble4 a)
{
#if LANE_BYTES == 32
	return (brDouble4)_mm256_sqrt_pd((__m256d)a);
#else
	return (brDouble4){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#endif
}

LANE_INLINE brDouble4 LANE(wallMore)(brDouble4 a, brDouble4 b)
{
	brLong4 mask = a > b;
	return (brDouble4)((mask & (brLong4)a) | (~mask & (brLong4)b));
}

LANE_INLINE brDouble4 LANE(wallDot)(const brDouble4 a[3], const brDouble4 b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// What four triangles add to the rings, if they are small enough.
LANE_TARGET static void LANE(wallFour)(const WallRings* rings, const WallCorners* t, WallFour* out)
{
	const double point[3] = {rings->point.x, rings->point.y, rings->point.z};
	const brDouble4 none = {0.0, 0.0, 0.0, 0.0};
	brDouble4 to[3], ab[3], bc[3], ca[3], u[3], v[3];
	for (int c = 0; c < 3; ++c)
	{
		to[c] = 1.0 / 3.0 * (t->a[c] + (t->b[c] + t->c[c])) - point[c];
		ab[c] = t->a[c] - t->b[c], bc[c] = t->b[c] - t->c[c], ca[c] = t->c[c] - t->a[c];
		u[c] = t->b[c] - t->a[c], v[c] = t->c[c] - t->a[c];
	}
	brDouble4 most = LANE(wallMore)(LANE(wallDot)(bc, bc), LANE(wallDot)(ca, ca));
	brDouble4 side = LANE(wallRoot)(LANE(wallMore)(LANE(wallDot)(ab, ab), most));
	brDouble4 far = LANE(wallRoot)(LANE(wallDot)(to, to));
	out->areLeaves = side < WALL_LEAF * LANE(wallMore)(far, WALL_WIDTHS * rings->width + none);
	const brDouble4 normal[3] = {0.5 * (u[1] * v[2] - u[2] * v[1]), 0.5 * (u[2] * v[0] - u[0] * v[2]),
								 0.5 * (u[0] * v[1] - u[1] * v[0])};
	out->distance = far;
	out->place = far / rings->width;
	out->moment = LANE(wallDot)(normal, to);
	out->cube = out->moment / (far * far * far);
	out->area = LANE(wallRoot)(LANE(wallDot)(normal, normal));
}
