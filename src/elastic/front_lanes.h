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

// Takes columns begin to end out of all columns behind them. Rows and columns are padded, so tiles may reach over the edge.
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
LANE_INLINE void LANE(frontForward)(const double* panel, int32_t height, int32_t own, int32_t size, FrontLane* x)
{
	for (int32_t first = 0; first < own; first += FRONT_COLUMNS)
	{
		int32_t count = own - first < FRONT_COLUMNS ? own - first : FRONT_COLUMNS, below = first + count;
		const double* columns[FRONT_COLUMNS];
		FrontLane y[FRONT_COLUMNS];
		for (int32_t k = 0; k < count; ++k)
		{
			columns[k] = panel + (int64_t)(first + k) * height;
			y[k] = x[first + k] / LANE(frontSame)(columns[k][first + k]);
			x[first + k] = y[k];
			for (int32_t i = first + k + 1; i < below; ++i)
			{
				x[i] -= LANE(frontSame)(columns[k][i]) * y[k];
			}
		}
		if (count == FRONT_COLUMNS)
		{
			for (int32_t i = below; i < size; ++i)
			{
				FrontLane value = x[i] - LANE(frontSame)(columns[0][i]) * y[0] - LANE(frontSame)(columns[1][i]) * y[1];
				x[i] = value - LANE(frontSame)(columns[2][i]) * y[2] - LANE(frontSame)(columns[3][i]) * y[3];
			}
			continue;
		}
		for (int32_t i = below; i < size; ++i)
		{
			for (int32_t k = 0; k < count; ++k)
			{
				x[i] -= LANE(frontSame)(columns[k][i]) * y[k];
			}
		}
	}
}

LANE_INLINE void LANE(frontBackward)(const double* panel, int32_t height, int32_t own, int32_t size, FrontLane* x)
{
	for (int32_t end = own; end > 0;)
	{
		int32_t count = end % FRONT_COLUMNS == 0 ? FRONT_COLUMNS : end % FRONT_COLUMNS, first = end - count;
		const double* columns[FRONT_COLUMNS];
		FrontLane sums[FRONT_COLUMNS];
		for (int32_t k = 0; k < count; ++k)
		{
			columns[k] = panel + (int64_t)(first + k) * height;
			sums[k] = x[first + k];
		}
		if (count == FRONT_COLUMNS)
		{
			// Four sums side by side, so that an addition need not wait for the one before.
			FrontLane a = sums[0], b = sums[1], c = sums[2], d = sums[3];
			for (int32_t i = end; i < size; ++i)
			{
				a -= LANE(frontSame)(columns[0][i]) * x[i];
				b -= LANE(frontSame)(columns[1][i]) * x[i];
				c -= LANE(frontSame)(columns[2][i]) * x[i];
				d -= LANE(frontSame)(columns[3][i]) * x[i];
			}
			sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
		}
		else
		{
			for (int32_t i = end; i < size; ++i)
			{
				for (int32_t k = 0; k < count; ++k)
				{
					sums[k] -= LANE(frontSame)(columns[k][i]) * x[i];
				}
			}
		}
		for (int32_t k = count - 1; k >= 0; --k)
		{
			for (int32_t i = first + k + 1; i < end; ++i)
			{
				sums[k] -= LANE(frontSame)(columns[k][i]) * x[i];
			}
			x[first + k] = sums[k] / LANE(frontSame)(columns[k][first + k]);
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
			LANE(frontForward)(factor->panels + front->panel, front->height, own, size, x);
		}
		else
		{
			LANE(frontBackward)(factor->panels + front->panel, front->height, own, size, x);
		}
		int32_t changed = isForward ? size : own;
		for (int32_t i = 0; i < changed; ++i)
		{
			memcpy(values[3 * list[i / 3] + i % 3], &x[i], sizeof(FrontLane));
		}
	}
}
