// SPDX-License-Identifier: MIT

// Read by eigen.c once for each set of vector instructions, see base/each_lanes.h.

LANE_INLINE brDouble4 LANE(eigenChoose)(brLong4 mask, brDouble4 a, brDouble4 b)
{
	return (brDouble4)((mask & (brLong4)a) | (~mask & (brLong4)b));
}

LANE_INLINE brDouble4 LANE(eigenSize)(brDouble4 a)
{
	return (brDouble4)((brLong4)a & INT64_MAX);
}

// eigenRotate of four: lanes with nothing to do stay as they are. Returns those that turned.
LANE_INLINE brLong4 LANE(eigenTurn)(brDouble4 a[3][3], brDouble4 v[3][3], int p, int q)
{
	const brDouble4 none = {0.0, 0.0, 0.0, 0.0};
	brDouble4 apq = a[p][q], app = a[p][p], aqq = a[q][q], size = LANE(eigenSize)(apq) * 0x1p-2;
	brDouble4 sizeP = LANE(eigenSize)(app), sizeQ = LANE(eigenSize)(aqq);
	brLong4 isTurned = ~((apq == none) | ((sizeP + size == sizeP) & (sizeQ + size == sizeQ)));
	a[p][q] = a[q][p] = none;
	brDouble4 theta = (aqq - app) / (2.0 * apq);
	brDouble4 t = 1.0 / (LANE(eigenSize)(theta) + LANE(brRoot4)(theta * theta + 1.0));
	t = LANE(eigenChoose)(theta < none, -t, t);
	brDouble4 c = 1.0 / LANE(brRoot4)(t * t + 1.0), s = t * c;
	a[p][p] = LANE(eigenChoose)(isTurned, app - t * apq, app);
	a[q][q] = LANE(eigenChoose)(isTurned, aqq + t * apq, aqq);
	int r = 3 - p - q;
	brDouble4 arp = a[r][p], arq = a[r][q];
	a[r][p] = a[p][r] = LANE(eigenChoose)(isTurned, c * arp - s * arq, arp);
	a[r][q] = a[q][r] = LANE(eigenChoose)(isTurned, s * arp + c * arq, arq);
	for (int i = 0; i < 3; ++i)
	{
		brDouble4 vip = v[i][p], viq = v[i][q];
		v[i][p] = LANE(eigenChoose)(isTurned, c * vip - s * viq, vip);
		v[i][q] = LANE(eigenChoose)(isTurned, s * vip + c * viq, viq);
	}
	return isTurned;
}

// Four matrices until none turns any more: one that is done has zeros beside its diagonal and stays as it is.
LANE_TARGET static void LANE(eigenSweepFour)(EigenWork work[4])
{
	brDouble4 a[3][3], v[3][3];
	for (int k = 0; k < 9; ++k)
	{
		int i = k / 3, j = k % 3;
		a[i][j] = (brDouble4){work[0].a[i][j], work[1].a[i][j], work[2].a[i][j], work[3].a[i][j]};
		v[i][j] = (brDouble4){work[0].v[i][j], work[1].v[i][j], work[2].v[i][j], work[3].v[i][j]};
	}
	bool isDone = false;
	for (int sweep = 0; sweep < EIGEN_MAX_SWEEPS && !isDone; ++sweep)
	{
		brLong4 isTurned = LANE(eigenTurn)(a, v, 0, 1);
		isTurned |= LANE(eigenTurn)(a, v, 0, 2);
		isTurned |= LANE(eigenTurn)(a, v, 1, 2);
		isDone = (isTurned[0] | isTurned[1] | isTurned[2] | isTurned[3]) == 0;
	}
	for (int k = 0; k < 36; ++k)
	{
		int i = k / 3 % 3, j = k % 3, lane = k / 9;
		work[lane].a[i][j] = a[i][j][lane];
		work[lane].v[i][j] = v[i][j][lane];
	}
}
