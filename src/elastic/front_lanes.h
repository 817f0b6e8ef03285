// SPDX-License-Identifier: MIT

// Inner loops of front_factor.c, read once for each set of vector instructions, see base/each_lanes.h.

// A number in all lanes.
LANE_INLINE FrontLane LANE(frontSame)(double value)
{
#if LANE_BYTES == 32
	return (FrontLane)_mm256_set1_pd(value);
#else
	return (FrontLane){value, value, value, value};
#endif
}

// c[0..7][0..3] -= a[0..7][k] b[0..3][k] over `depth` columns k that lie `height` apart.
LANE_INLINE void LANE(frontTile)(const double* a, const double* b, int32_t height, int32_t depth, double* c)
{
	FrontLane s[4][2];
	for (int j = 0; j < 4; ++j)
	{
		s[j][0] = *(const FrontLane*)(c + (int64_t)j * height);
		s[j][1] = *(const FrontLane*)(c + (int64_t)j * height + 4);
	}
	for (int32_t k = 0; k < depth; ++k, a += height, b += height)
	{
		FrontLane low = *(const FrontLane*)a, high = *(const FrontLane*)(a + 4);
		for (int j = 0; j < 4; ++j)
		{
			FrontLane y = LANE(frontSame)(b[j]);
			s[j][0] -= low * y;
			s[j][1] -= high * y;
		}
	}
	for (int j = 0; j < 4; ++j)
	{
		*(FrontLane*)(c + (int64_t)j * height) = s[j][0];
		*(FrontLane*)(c + (int64_t)j * height + 4) = s[j][1];
	}
}

// Takes columns begin to end out of all columns behind them. Rows and columns are padded, so tiles may reach over the
// edge.
LANE_TARGET static void LANE(frontUpdate)(double* front, int32_t height, int32_t begin, int32_t end, int32_t size)
{
	const double* panel = front + (int64_t)begin * height;
	for (int32_t j = end; j < size; j += 4)
	{
		for (int32_t i = j / FRONT_PAD * FRONT_PAD; i < height; i += FRONT_PAD)
		{
			LANE(frontTile)(panel + i, panel + j, height, end - begin, front + (int64_t)j * height + i);
		}
	}
}

// Four columns at a time, so that what they change is read and written once.
LANE_INLINE void LANE(frontForward)(const double* panel, int32_t own, int32_t size, FrontLane* x)
{
	for (int32_t first = 0; first < own; first += FRONT_COLUMNS)
	{
		int32_t count = own - first < FRONT_COLUMNS ? own - first : FRONT_COLUMNS, below = size - first - count;
		const double(*rows)[FRONT_COLUMNS] = (const double(*)[FRONT_COLUMNS])(panel + frontColumns(size, first));
		FrontLane y[FRONT_COLUMNS], *z = x + first;
		for (int32_t k = 0; k < count; ++k)
		{
			y[k] = z[k] / LANE(frontSame)(rows[k][k]);
			z[k] = y[k];
			for (int32_t i = k + 1; i < count; ++i)
			{
				z[i] -= LANE(frontSame)(rows[i][k]) * y[k];
			}
		}
		rows += count, z += count;
		if (count == FRONT_COLUMNS)
		{
			for (int32_t i = 0; i < below; ++i)
			{
				FrontLane value = z[i] - LANE(frontSame)(rows[i][0]) * y[0] - LANE(frontSame)(rows[i][1]) * y[1];
				z[i] = value - LANE(frontSame)(rows[i][2]) * y[2] - LANE(frontSame)(rows[i][3]) * y[3];
			}
			continue;
		}
		for (int32_t i = 0; i < below; ++i)
		{
			for (int32_t k = 0; k < count; ++k)
			{
				z[i] -= LANE(frontSame)(rows[i][k]) * y[k];
			}
		}
	}
}

LANE_INLINE void LANE(frontBackward)(const double* panel, int32_t own, int32_t size, FrontLane* x)
{
	for (int32_t end = own; end > 0;)
	{
		int32_t count = end % FRONT_COLUMNS == 0 ? FRONT_COLUMNS : end % FRONT_COLUMNS, first = end - count;
		const double(*rows)[FRONT_COLUMNS] = (const double(*)[FRONT_COLUMNS])(panel + frontColumns(size, first));
		FrontLane sums[FRONT_COLUMNS], *z = x + first;
		for (int32_t k = 0; k < count; ++k)
		{
			sums[k] = z[k];
		}
		if (count == FRONT_COLUMNS)
		{
			// Four sums side by side, so that an addition need not wait for the one before.
			FrontLane a = sums[0], b = sums[1], c = sums[2], d = sums[3];
			for (int32_t i = count; i < size - first; ++i)
			{
				a -= LANE(frontSame)(rows[i][0]) * z[i];
				b -= LANE(frontSame)(rows[i][1]) * z[i];
				c -= LANE(frontSame)(rows[i][2]) * z[i];
				d -= LANE(frontSame)(rows[i][3]) * z[i];
			}
			sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
		}
		else
		{
			for (int32_t i = count; i < size - first; ++i)
			{
				for (int32_t k = 0; k < count; ++k)
				{
					sums[k] -= LANE(frontSame)(rows[i][k]) * z[i];
				}
			}
		}
		for (int32_t k = count - 1; k >= 0; --k)
		{
			for (int32_t i = k + 1; i < count; ++i)
			{
				sums[k] -= LANE(frontSame)(rows[i][k]) * z[i];
			}
			z[k] = sums[k] / LANE(frontSame)(rows[k][k]);
		}
		end = first;
	}
}

// Loads at few places leave most fronts without any.
LANE_INLINE bool LANE(frontIsEmpty)(double (*values)[BR_FRONT_LANES], const int32_t* nodes, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		const double* v = values[3 * nodes[i]];
		for (int k = 0; k < 3 * BR_FRONT_LANES; ++k)
		{
			if (v[k] != 0.0)
			{
				return false;
			}
		}
	}
	return true;
}

LANE_TARGET static void LANE(frontSolve)(const brFrontFactor* factor, double (*values)[BR_FRONT_LANES],
										 double (*scratch)[BR_FRONT_LANES])
{
	FrontLane* x = (FrontLane*)scratch;
	for (int32_t step = 0; step < 2 * factor->frontCount; ++step)
	{
		bool isForward = step < factor->frontCount;
		const Front* front = &factor->fronts[isForward ? step : 2 * factor->frontCount - 1 - step];
		const int32_t* list = factor->nodeLists + front->nodes;
		int32_t size = 3 * front->nodeCount, own = 3 * front->ownCount;
		if (own == 0 || (isForward && LANE(frontIsEmpty)(values, list, front->ownCount)))
		{
			continue;
		}
		for (int32_t i = 0; i < size; ++i)
		{
			memcpy(&x[i], values[3 * list[i / 3] + i % 3], sizeof(FrontLane));
		}
		if (isForward)
		{
			LANE(frontForward)(factor->panels + front->panel, own, size, x);
		}
		else
		{
			LANE(frontBackward)(factor->panels + front->panel, own, size, x);
		}
		int32_t changed = isForward ? size : own;
		for (int32_t i = 0; i < changed; ++i)
		{
			memcpy(values[3 * list[i / 3] + i % 3], &x[i], sizeof(FrontLane));
		}
	}
}
