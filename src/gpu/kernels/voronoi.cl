// SPDX-License-Identifier: MIT

// Voronoi cells of sites on a lattice, a group of 32 threads a cell, the cell in local memory.
//
// The same diagram as voronoi_cell.h makes, corner by corner: a box, cut by the planes half way to sites in the order
// of their distance, until no site that is left can reach. A point x is kept as X = 2 (x - site) in lattice steps, so
// that the plane half way to offset k is k . X = k . k, all whole numbers. Corners are tested in doubles with a bound;
// what that leaves open is settled in 128-bit integers with the same rule for ties, so the topology is that of the CPU
// to the last corner.
//
// Sites lie in bins; a cell asks the cube of bins round its own first, then shell by shell. What they give is sorted by
// distance in batches. A cell with more than CELL_CORNERS corners or CELL_PLANES planes at once is counted as failed
// and left to the host. 12 KiB of local memory. Output goes to places that cells reserve as they end, so its order
// changes from run to run, but not what a cell finds at its own start.
//
// Several bodies are broken at once, each with a lattice and bins of its own. Their sites are numbered through, and
// nothing below meets a site of another body: bins are asked body by body, and everything else goes by names.

// A processor takes a cell a thread: its compilers are at a loss with many barriers in nested loops, and it has no use
// for them.
#ifdef BR_PROCESSOR
#define CELL_GROUP 1
#define CELL_SYNC
#define CELL_SYNC_ALL
#else
#define CELL_GROUP 32
#define CELL_SYNC barrier(CLK_LOCAL_MEM_FENCE)
#define CELL_SYNC_ALL barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif
#define CELL_CORNERS 96
#define CELL_PLANES 80
#define CELL_BATCH 256

// Counters of the output.
#define CELLS_CORNERS 0
#define CELLS_FACETS 1
#define CELLS_FAILED 2

#ifdef cl_khr_fp64

// A body that is broken, as the host writes it.
typedef struct CellBody
{
	double lattice[4]; // origin, step
	int bins[3];       // how many
	int width;         // of a bin [steps]
	int size[3];       // of the lattice [steps]
	int firstBin;
	int firstSite, siteCount;
	int firstTriangle, triangleCount; // of its model
	int firstBlock;
	int padding[3];
} CellBody;

#define CELL_ROUNDING 1.1102230246251565e-16 // half an ulp of one

typedef struct Wide
{
	ulong low;
	long high;
} Wide;

inline Wide wideProduct(long a, long b)
{
	Wide w = {(ulong)(a * b), mul_hi(a, b)};
	return w;
}

inline Wide wideAdd(Wide a, Wide b)
{
	Wide w;
	w.low = a.low + b.low;
	w.high = a.high + b.high + (w.low < a.low ? 1 : 0);
	return w;
}

inline Wide wideNegate(Wide a)
{
	Wide w;
	w.low = ~a.low + 1;
	w.high = ~a.high + (w.low == 0 ? 1 : 0);
	return w;
}

// `b` is not negative and the product fits.
inline Wide wideTimes(Wide a, ulong b)
{
	Wide w;
	w.low = a.low * b;
	w.high = (long)(mul_hi(a.low, b) + (ulong)a.high * b);
	return w;
}

inline int wideSign(Wide a)
{
	return a.high < 0 ? -1 : (a.high | (long)a.low) != 0 ? 1 : 0;
}

// Rounded to the nearest, ties to even.
inline double wideToDouble(Wide a)
{
	const bool isNegative = a.high < 0;
	Wide size = a;
	if (isNegative)
	{
		size = wideNegate(a);
	}
	double value;
	if (size.high == 0)
	{
		value = convert_double_rte(size.low);
	}
	else
	{
		// The upper 64 bits, the last of which says whether anything was cut off.
		uint shift = 64 - (uint)clz((ulong)size.high);
		ulong top = shift == 64 ? (ulong)size.high : (ulong)size.high << (64 - shift) | size.low >> shift;
		ulong rest = shift == 64 ? size.low : size.low << (64 - shift);
		value = convert_double_rte(top | (rest != 0 ? 1ul : 0ul)) * as_double((ulong)(1023 + shift) << 52);
	}
	return isNegative ? -value : value;
}

typedef struct Plane
{
	long x, y, z, d;
} Plane;

inline Plane planeOf(double4 k)
{
	Plane plane = {(long)k.x, (long)k.y, (long)k.z, (long)k.w};
	return plane;
}

inline Plane planeCross(Plane a, Plane b)
{
	Plane c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0};
	return c;
}

inline Wide planeDot(Plane a, Plane b)
{
	return wideAdd(wideAdd(wideProduct(a.x, b.x), wideProduct(a.y, b.y)), wideProduct(a.z, b.z));
}

// Whether the corner of three planes lies beyond the fourth, as cellIsBeyondExact in voronoi_cell.c says.
inline bool cellIsBeyond(Plane a, Plane b, Plane c, Plane m, int4 sites, int site)
{
	Plane bc = planeCross(b, c);
	Wide cofactors[4] = {planeDot(m, bc), planeDot(m, planeCross(c, a)), planeDot(m, planeCross(a, b)),
						 wideNegate(planeDot(a, bc))};
	int names[4] = {sites.x, sites.y, sites.z, sites.w};
	long d[4] = {a.d, b.d, c.d, m.d};
	Wide sum = {0, 0}, own = {0, 0};
	for (int i = 0; i < 4; ++i)
	{
		sum = wideAdd(sum, wideTimes(cofactors[i], (ulong)d[i]));
		if (names[i] >= 0)
		{
			own = wideAdd(own, cofactors[i]);
		}
	}
	int sign = wideSign(sum);
	if (sign != 0)
	{
		return sign > 0;
	}
	int change = wideSign(own);
	int ruler = change != 0 ? site : INT_MAX;
	for (int i = 0; i < 4; ++i)
	{
		int s = wideSign(cofactors[i]);
		if (names[i] >= 0 && names[i] < ruler && s != 0)
		{
			ruler = names[i];
			change = -s;
		}
	}
	return change > 0;
}

// Where three planes meet: X = point / denominator, rounded once each.
inline double4 cellCornerExact(Plane a, Plane b, Plane c)
{
	Plane bc = planeCross(b, c), ca = planeCross(c, a), ab = planeCross(a, b);
	Wide x = wideAdd(wideAdd(wideProduct(a.d, bc.x), wideProduct(b.d, ca.x)), wideProduct(c.d, ab.x));
	Wide y = wideAdd(wideAdd(wideProduct(a.d, bc.y), wideProduct(b.d, ca.y)), wideProduct(c.d, ab.y));
	Wide z = wideAdd(wideAdd(wideProduct(a.d, bc.z), wideProduct(b.d, ca.z)), wideProduct(c.d, ab.z));
	return (double4)(wideToDouble(x), wideToDouble(y), wideToDouble(z), wideToDouble(planeDot(a, bc)));
}

// The cell that a group works on.
typedef struct Cell
{
	double x[CELL_CORNERS], y[CELL_CORNERS], z[CELL_CORNERS];
	double distanceSq[CELL_CORNERS]; // doubled as X is, rounded up
	double4 planes[CELL_PLANES];     // k and d
	ulong batch[CELL_BATCH];         // distance and slot of candidates
	double4 offsets[CELL_GROUP];     // of the candidates at work
	double2 most[CELL_GROUP];
	int offsetSites[CELL_GROUP];
	int names[CELL_PLANES];
	uint sums[CELL_GROUP];
	ushort4 twins[CELL_CORNERS]; // half-edge e of corner c is 4 c + e
	uchar4 corners[CELL_CORNERS];
	ushort slots[CELL_CORNERS];
	ushort rimTwins[CELL_CORNERS];
	uchar mayCut[CELL_GROUP];
	uchar rimA[CELL_CORNERS], rimB[CELL_CORNERS];
	uchar flags[CELL_CORNERS];
	uchar starts[CELL_PLANES];
	uint any[3];
	uint batchCount;
	uint planeCount;
	uint base[2];
} Cell;

inline ushort cellTwin(__local const Cell* cell, uint halfEdge)
{
	return ((__local const ushort*)cell->twins)[halfEdge];
}

inline void cellSetTwin(__local Cell* cell, uint halfEdge, uint twin)
{
	((__local ushort*)cell->twins)[halfEdge] = (ushort)twin;
}

inline uchar cellPlane(__local const Cell* cell, uint halfEdge)
{
	return ((__local const uchar*)cell->corners)[halfEdge];
}

__constant uchar cellBoxCorners[32] = {0, 4, 2, 0, 1, 2, 4, 0, 0, 3, 4, 0, 1, 4, 3, 0,
									   0, 2, 5, 0, 1, 5, 2, 0, 0, 5, 3, 0, 1, 3, 5, 0};
__constant uchar cellBoxTwins[32] = {10, 5, 16, 0, 22, 1, 12, 0, 26, 13, 0, 0, 6, 9, 28, 0,
									 2, 21, 24, 0, 30, 17, 4, 0, 18, 29, 8, 0, 14, 25, 20, 0};

// What all threads of a group know alike.
typedef struct CellState
{
	double reachSq, magnitude, error;
	uint count;
	uint turn; // of `any`
	bool isFailed;
} CellState;

// Largest distance of a corner and largest error so far, to everybody. Ends with all local memory in order.
inline void cellMeasure(__local Cell* cell, CellState* state, double error)
{
	const uint t = get_local_id(0);
	double far = 0.0;
	for (uint c = t; c < state->count; c += CELL_GROUP)
	{
		far = fmax(far, cell->distanceSq[c]);
	}
	cell->most[t] = (double2)(far, error);
	CELL_SYNC;
	double2 most = cell->most[0];
	for (uint i = 1; i < CELL_GROUP; ++i)
	{
		most = fmax(most, cell->most[i]);
	}
	state->reachSq = most.x;
	state->error = fmax(state->error, most.y);
}

// Planes that bound nothing any more make room for others.
inline void cellDropPlanes(__local Cell* cell, const CellState* state)
{
	const uint t = get_local_id(0);
	for (uint p = t; p < CELL_PLANES; p += CELL_GROUP)
	{
		cell->starts[p] = 0;
	}
	CELL_SYNC;
	if (t == 0)
	{
		uint kept = 0;
		for (uint c = 0; c < state->count; ++c)
		{
			uchar4 three = cell->corners[c];
			cell->starts[three.x] = cell->starts[three.y] = cell->starts[three.z] = 1;
		}
		for (uint p = 0; p < cell->planeCount; ++p)
		{
			// The box keeps its places: they are told by their numbers.
			if (p < 6 || cell->starts[p] != 0)
			{
				cell->planes[kept] = cell->planes[p];
				cell->names[kept] = cell->names[p];
				cell->starts[p] = (uchar)kept++;
			}
		}
		cell->planeCount = kept;
		for (uint c = 0; c < state->count; ++c)
		{
			uchar4 three = cell->corners[c];
			cell->corners[c] =
				(uchar4)(cell->starts[three.x], cell->starts[three.y], cell->starts[three.z], (uchar)0);
		}
	}
	CELL_SYNC;
}

// Lists the flagged corners of this thread in cell->slots, and the edges that leave them: the other end, and the planes
// on both sides. `before` has, in its halves, the corners and edges of the threads before.
inline void cellListRim(__local Cell* cell, uint count, uint before)
{
	const uint t = get_local_id(0);
	uint removed = before >> 16, rim = before & 0xFFFFu;
	for (uint c = t; c < count; c += CELL_GROUP)
	{
		if (cell->flags[c] == 0)
		{
			continue;
		}
		cell->slots[removed++] = (ushort)c;
		for (uint e = 0; e < 3; ++e)
		{
			uint twin = cellTwin(cell, 4 * c + e);
			if (cell->flags[twin >> 2] == 0)
			{
				cell->rimTwins[rim] = (ushort)twin;
				cell->rimA[rim] = cellPlane(cell, 4 * c + e);
				cell->rimB[rim++] = cellPlane(cell, 4 * c + (e == 2 ? 0 : e + 1));
			}
		}
	}
}

// The corner of three planes at a slot. Returns how far it may be off.
inline double cellPlaceCorner(__local Cell* cell, uint slot, double4 a, double4 b, double4 c)
{
	// Exact: 24 bits times 24 bits.
	double bcx = b.y * c.z - b.z * c.y, bcy = b.z * c.x - b.x * c.z, bcz = b.x * c.y - b.y * c.x;
	double cax = c.y * a.z - c.z * a.y, cay = c.z * a.x - c.x * a.z, caz = c.x * a.y - c.y * a.x;
	double abx = a.y * b.z - a.z * b.y, aby = a.z * b.x - a.x * b.z, abz = a.x * b.y - a.y * b.x;
	double dx = a.x * bcx, dy = a.y * bcy, dz = a.z * bcz;
	double d = dx + dy + dz, inv = 1.0 / d;
	double x = (a.w * bcx + b.w * cax + c.w * abx) * inv;
	double y = (a.w * bcy + b.w * cay + c.w * aby) * inv;
	double z = (a.w * bcz + b.w * caz + c.w * abz) * inv;
	double dSize = fabs(dx) + fabs(dy) + fabs(dz);
	double nSize = a.w * (fabs(bcx) + fabs(bcy) + fabs(bcz)) + b.w * (fabs(cax) + fabs(cay) + fabs(caz)) +
				   c.w * (fabs(abx) + fabs(aby) + fabs(abz));
	double size = fabs(x) + fabs(y) + fabs(z);
	double error = 4.0 * CELL_ROUNDING * ((nSize + size * dSize) * fabs(inv) + size);
	if (!(d > 4.0 * CELL_ROUNDING * dSize && error <= 0x1p-40 * (1.0 + size)))
	{
		double4 exact = cellCornerExact(planeOf(a), planeOf(b), planeOf(c));
		x = exact.x / exact.w, y = exact.y / exact.w, z = exact.z / exact.w;
		size = fabs(x) + fabs(y) + fabs(z);
		error = 4.0 * CELL_ROUNDING * size;
	}
	cell->x[slot] = x, cell->y[slot] = y, cell->z[slot] = z;
	cell->distanceSq[slot] = (x * x + y * y + z * z) * (1.0 + 8.0 * CELL_ROUNDING) + 4.0 * error * (size + error);
	return error;
}

// Holes that are left take the last corners that stay. Holes do not rise: threads took turns. One thread does it.
inline void cellFillHoles(__local Cell* cell, uint count, uint removedCount, uint rimCount)
{
	for (uint n = rimCount; n < removedCount; ++n)
	{
		cell->flags[cell->slots[n]] = 2;
	}
	for (uint n = 0; n < rimCount; ++n)
	{
		cell->flags[cell->slots[n]] = 0;
	}
	uint last = count - 1;
	for (uint n = rimCount; n < removedCount; ++n)
	{
		while (cell->flags[last] == 2)
		{
			last -= 1;
		}
		uint hole = cell->slots[n];
		if (hole >= last)
		{
			continue; // a hole at the end, or beyond where we are
		}
		cell->x[hole] = cell->x[last], cell->y[hole] = cell->y[last], cell->z[hole] = cell->z[last];
		cell->distanceSq[hole] = cell->distanceSq[last];
		cell->corners[hole] = cell->corners[last];
		for (uint e = 0; e < 3; ++e)
		{
			uint twin = cellTwin(cell, 4 * last + e);
			cellSetTwin(cell, 4 * hole + e, twin);
			cellSetTwin(cell, twin, 4 * hole + e);
		}
		cell->flags[hole] = 0;
		last -= 1;
	}
}

// Cuts off the corners that are flagged. All threads come here together.
inline void cellCut(__local Cell* cell, CellState* state, double4 plane, int site)
{
	const uint t = get_local_id(0), count = state->count;
	if (cell->planeCount == CELL_PLANES)
	{
		cellDropPlanes(cell, state);
	}
	const uint added = cell->planeCount;

	// How many corners go and how many edges leave the patch, and where each thread's are.
	uint sum = 0;
	for (uint c = t; c < count; c += CELL_GROUP)
	{
		if (cell->flags[c] != 0)
		{
			ushort4 twins = cell->twins[c];
			sum += 0x10000u + (cell->flags[twins.x >> 2] == 0 ? 1u : 0u) + (cell->flags[twins.y >> 2] == 0 ? 1u : 0u) +
				   (cell->flags[twins.z >> 2] == 0 ? 1u : 0u);
		}
	}
	cell->sums[t] = sum;
	CELL_SYNC;
	uint before = 0, total = 0;
	for (uint i = 0; i < CELL_GROUP; ++i)
	{
		uint value = cell->sums[i];
		before += i < t ? value : 0u;
		total += value;
	}
	const uint removedCount = total >> 16, rimCount = total & 0xFFFFu;
	if (removedCount == count)
	{
		state->count = 0;
		state->reachSq = -1.0;
		return;
	}
	if (added == CELL_PLANES || count + rimCount - removedCount > CELL_CORNERS || rimCount > CELL_CORNERS)
	{
		state->isFailed = true;
		return;
	}
	cellListRim(cell, count, before);
	if (t == 0)
	{
		cell->planes[added] = plane;
		cell->names[added] = site;
		cell->planeCount = added + 1;
	}
	CELL_SYNC;

	// New corners on the rim.
	state->magnitude = sqrt(state->reachSq);
	double worst = 0.0;
	for (uint n = t; n < rimCount; n += CELL_GROUP)
	{
		const uint slot = n < removedCount ? cell->slots[n] : count + n - removedCount;
		const uint pa = cell->rimA[n], pb = cell->rimB[n], twin = cell->rimTwins[n];
		const double error = cellPlaceCorner(cell, slot, cell->planes[pa], cell->planes[pb], plane);
		worst = fmax(worst, error);
		cell->corners[slot] = (uchar4)((uchar)pa, (uchar)pb, (uchar)added, (uchar)0);
		cellSetTwin(cell, 4 * slot, twin);
		cellSetTwin(cell, twin, 4 * slot);
		cell->starts[pa] = (uchar)slot;
	}
	CELL_SYNC;
	for (uint n = t; n < rimCount; n += CELL_GROUP)
	{
		const uint slot = n < removedCount ? cell->slots[n] : count + n - removedCount;
		const uint other = cell->starts[cell->rimB[n]];
		cellSetTwin(cell, 4 * slot + 1, 4 * other + 2);
		cellSetTwin(cell, 4 * other + 2, 4 * slot + 1);
	}
	CELL_SYNC;
	if (removedCount > rimCount)
	{
		if (t == 0)
		{
			cellFillHoles(cell, count, removedCount, rimCount);
		}
		CELL_SYNC;
	}
	state->count = count + rimCount - removedCount;
	cellMeasure(cell, state, worst);
}

// Sorts the batch (bitonic) and counts it as taken. All threads come here together.
inline void cellSortBatch(__local Cell* cell, uint count)
{
	const uint t = get_local_id(0);
	uint width = 2;
	while (width < count)
	{
		width *= 2;
	}
	for (uint i = count + t; i < width; i += CELL_GROUP)
	{
		cell->batch[i] = ULONG_MAX;
	}
	CELL_SYNC;
	if (t == 0)
	{
		cell->batchCount = 0;
	}
	for (uint size = 2; size <= width; size *= 2)
	{
		for (uint step = size / 2; step > 0; step /= 2)
		{
			for (uint i = t; i < width / 2; i += CELL_GROUP)
			{
				uint low = 2 * step * (i / step) + i % step, high = low + step;
				ulong a = cell->batch[low], b = cell->batch[high];
				if ((a > b) == ((low & size) == 0))
				{
					cell->batch[low] = b;
					cell->batch[high] = a;
				}
			}
			CELL_SYNC;
		}
	}
}

// How far a corner's height over a plane may be off.
inline double cellBound(const CellState* state, double4 k)
{
	const double spread = state->error + 8.0 * CELL_ROUNDING * state->magnitude;
	return (fabs(k.x) + fabs(k.y) + fabs(k.z)) * spread + 8.0 * CELL_ROUNDING * k.w;
}

// False if surely no corner lies beyond a plane: then none will after other cuts, which only take from the cell. A
// thread for each candidate at work asks this first, since cells with corners far away try all sites and are cut by
// few. A thread that is alone tries them as they come.
inline bool cellMayCut(__local const Cell* cell, const CellState* state, double4 k)
{
	if (CELL_GROUP == 1 || k.w == 0.0)
	{
		return true;
	}
	const double bound = cellBound(state, k);
	bool mayCut = false;
	for (uint c = 0; c < state->count && !mayCut; ++c)
	{
		mayCut = k.x * cell->x[c] + k.y * cell->y[c] + k.z * cell->z[c] - k.w >= -bound;
	}
	return mayCut && k.w <= state->reachSq;
}

// Tries the candidates of a batch, the nearest first.
inline void cellTryBatch(__local Cell* cell, CellState* state, __global const int4* places, int4 home, uint count)
{
	const uint t = get_local_id(0);
	cellSortBatch(cell, count);
	for (uint first = 0; first < count && state->count > 0 && !state->isFailed; first += CELL_GROUP)
	{
		if (first + t < count)
		{
			int4 place = places[(uint)cell->batch[first + t]];
			double kx = place.x - home.x, ky = place.y - home.y, kz = place.z - home.z;
			const double4 k = (double4)(kx, ky, kz, kx * kx + ky * ky + kz * kz);
			cell->offsets[t] = k;
			cell->offsetSites[t] = place.w;
			cell->mayCut[t] = cellMayCut(cell, state, k) ? 1 : 0;
		}
		CELL_SYNC;
		const uint end = min(count - first, (uint)CELL_GROUP);
		for (uint n = 0; n < end && state->count > 0 && !state->isFailed; ++n)
		{
			const double4 k = cell->offsets[n];
			const int site = cell->offsetSites[n];
			if (k.w > state->reachSq || cell->mayCut[n] == 0)
			{
				continue;
			}
			if (k.w == 0.0)
			{
				// At our own place; the first site of a place has it all.
				if (site < home.w)
				{
					state->count = 0;
					state->reachSq = -1.0;
				}
				continue;
			}
			const double bound = cellBound(state, k);
			bool isAny = false;
			for (uint c = t; c < state->count; c += CELL_GROUP)
			{
				double height = k.x * cell->x[c] + k.y * cell->y[c] + k.z * cell->z[c] - k.w;
				bool isBeyond = height >= bound;
				if (!isBeyond && height >= -bound)
				{
					uchar4 three = cell->corners[c];
					isBeyond = cellIsBeyond(
						planeOf(cell->planes[three.x]), planeOf(cell->planes[three.y]), planeOf(cell->planes[three.z]),
						planeOf(k),
						(int4)(cell->names[three.x], cell->names[three.y], cell->names[three.z], site), home.w);
				}
				cell->flags[c] = isBeyond ? 1 : 0;
				isAny = isAny || isBeyond;
			}
			// Three words take turns, so that one barrier does: who clears the next knows that all have left it.
			const uint turn = state->turn;
			state->turn = turn == 2 ? 0 : turn + 1;
			if (isAny)
			{
				atomic_or(&cell->any[turn], 1u);
			}
			if (t == 0)
			{
				cell->any[state->turn] = 0;
			}
			CELL_SYNC;
			if (cell->any[turn] != 0)
			{
				cellCut(cell, state, k, site);
			}
		}
		CELL_SYNC;
	}
}

// Steps from the site to a bin along an axis; 0 inside.
inline double cellAxisDistance(int width, int place, int bin)
{
	double lower = (double)bin * width, upper = lower + width;
	return place < lower ? lower - place : place > upper ? place - upper : 0.0;
}

// Where a cell is in its search: shells of bins, in them rows, in these one or two runs of sites.
typedef struct CellSearch
{
	int from, to; // the shell, in bins
	int row;      // of (2 to + 1)^2
	int run;      // of the row
	uint next, end;
} CellSearch;

// The next run of sites that may still cut; false at the end of the shell.
inline bool cellNextRun(CellSearch* search, __global const CellBody* body, __global const uint* binStarts, int4 home,
						double reachSq)
{
	const int width = body->width, to = search->to, rows = 2 * to + 1;
	const int bx = home.x / width, by = home.y / width, bz = home.z / width;
	search->next = search->end;
	while (search->next >= search->end && search->row < rows * rows)
	{
		const int y = by - to + search->row % rows, z = bz - to + search->row / rows;
		const bool isThere = y >= 0 && y < body->bins[1] && z >= 0 && z < body->bins[2];
		const double dy = cellAxisDistance(width, home.y, y), dz = cellAxisDistance(width, home.z, z);
		const bool isWhole = abs(z - bz) >= search->from || abs(y - by) >= search->from;
		if (isThere && dy * dy + dz * dz <= reachSq)
		{
			const int first = max(search->run == 0 ? bx - to : bx + search->from, 0);
			const int last = min(isWhole || search->run == 1 ? bx + to : bx - search->from, body->bins[0] - 1);
			const int row = body->firstBin + (z * body->bins[1] + y) * body->bins[0];
			search->next = first <= last ? binStarts[row + first] : 0u;
			search->end = first <= last ? binStarts[row + last + 1] : 0u;
		}
		const bool isDone = isWhole || search->run == 1 || !isThere;
		search->row += isDone ? 1 : 0;
		search->run = isDone ? 0 : 1;
	}
	return search->next < search->end;
}

// The next shell; false where nothing in it is near enough.
inline bool cellNextShell(CellSearch* search, __global const CellBody* body, int4 home, double reachSq)
{
	const int width = body->width;
	const int place[3] = {home.x, home.y, home.z};
	search->to += 1;
	search->from = search->to;
	search->row = search->run = 0;
	search->next = search->end = 0;
	// Nothing in this shell is nearer than the walls of the cube of bins inside it.
	double nearest = INFINITY;
	int widest = 0;
	for (int axis = 0; axis < 3; ++axis)
	{
		const int bin = place[axis] / width;
		double below = place[axis] - (double)(bin - search->from + 1) * width;
		double above = (double)(bin + search->from) * width - place[axis];
		nearest = fmin(nearest, fmin(below, above));
		widest = max(widest, max(bin, body->bins[axis] - 1 - bin));
	}
	return search->from <= widest && nearest * nearest <= reachSq;
}

// Where finished cells go, as brk_voronoiCells has it.
typedef struct CellOutput
{
	__global uint4* infos;
	__global double* volumes;
	__global int4* cornerNames;
	__global double* vertices;
	__global int* facetSites;
	__global uint* facetStarts;
	__global int2* loops;
	volatile __global uint* counters;
	uint capacity; // of corners
} CellOutput;

// This thread's cones from the site over all facets, as brVoronoiCell_Volume.
inline double cellCones(__local const Cell* cell, uint count)
{
	double sum = 0.0;
	for (uint i = get_local_id(0); i < count; i += CELL_GROUP)
	{
		double px = cell->x[i], py = cell->y[i], pz = cell->z[i];
		for (uint e = 0; e < 3; ++e)
		{
			uint n = cellTwin(cell, 4 * i + e) >> 2;
			if (n < i)
			{
				continue;
			}
			double qx = cell->x[n], qy = cell->y[n], qz = cell->z[n];
			uint left = cellPlane(cell, 4 * i + e), right = cellPlane(cell, 4 * i + (e == 2 ? 0 : e + 1));
			double4 a = cell->planes[left], b = cell->planes[right];
			double sa = left < 6 ? a.w : 1.0, sb = right < 6 ? b.w : 1.0;
			sum += (sb * b.x - sa * a.x) * (py * qz - pz * qy) + (sb * b.y - sa * a.y) * (pz * qx - px * qz) +
				   (sb * b.z - sa * a.z) * (px * qy - py * qx);
		}
	}
	return sum;
}

// Facets of this thread, each with its corners in turn. cell->flags has their sizes. They rise by the names beyond
// them, and each begins with the edge to the lowest one, as on the CPU.
inline void cellStoreFacets(__local const Cell* cell, const CellOutput* out, uint base, uint facetBase)
{
	for (uint p = get_local_id(0); p < cell->planeCount; p += CELL_GROUP)
	{
		const uint size = cell->flags[p];
		if (size == 0)
		{
			continue;
		}
		uint facet = facetBase, start = 3 * base;
		for (uint q = 0; q < cell->planeCount; ++q)
		{
			const bool isBefore = cell->flags[q] != 0 && cell->names[q] < cell->names[p];
			facet += isBefore ? 1u : 0u;
			start += isBefore ? (uint)cell->flags[q] : 0u;
		}
		out->facetSites[facet] = cell->names[p];
		out->facetStarts[facet] = start;
		uint at = 0, slot = 3;
		for (; slot == 3; ++at)
		{
			uchar4 three = cell->corners[at];
			slot = three.x == p ? 0u : three.y == p ? 1u : three.z == p ? 2u : 3u;
		}
		at -= 1;
		// The edge before the facet's own plane leads on. Round once for where to begin, then from there.
		uint edge = 4 * at + (slot == 0 ? 2 : slot - 1), first = edge;
		int lowest = INT_MAX;
		for (uint n = 0; n < 2 * size; ++n)
		{
			const int name = cell->names[cellPlane(cell, edge)];
			if (n < size)
			{
				first = name < lowest ? edge : first;
				lowest = min(name, lowest);
			}
			else
			{
				out->loops[start + n - size] = (int2)((int)(edge >> 2), name);
			}
			const uint twin = cellTwin(cell, edge);
			edge = n + 1 == size ? first : 4 * (twin >> 2) + ((twin & 3) == 0 ? 2 : (twin & 3) - 1);
		}
	}
}

// Writes the finished cell.
inline void cellStore(__local Cell* cell, const CellState* state, int4 home, double4 lattice, const CellOutput* out)
{
	const uint t = get_local_id(0), count = state->count;
	CELL_SYNC;
	if (count == 0 || state->isFailed)
	{
		if (t == 0)
		{
			out->infos[home.w] = (uint4)(0, 0, 0, 0);
			out->volumes[home.w] = 0.0;
			if (state->isFailed)
			{
				atomic_inc(&out->counters[CELLS_FAILED]);
			}
		}
		return;
	}

	// Sizes of facets, by plane.
	for (uint p = t; p < cell->planeCount; p += CELL_GROUP)
	{
		uint size = 0;
		for (uint c = 0; c < count; ++c)
		{
			uchar4 three = cell->corners[c];
			size += (three.x == p ? 1u : 0u) + (three.y == p ? 1u : 0u) + (three.z == p ? 1u : 0u);
		}
		cell->flags[p] = (uchar)size;
	}
	if (t == 0)
	{
		cell->base[0] = atomic_add(&out->counters[CELLS_CORNERS], count);
		cell->base[1] = atomic_add(&out->counters[CELLS_FACETS], count / 2 + 2); // Euler: three edges at each corner
	}

	cell->most[t] = (double2)(cellCones(cell, count), 0.0);
	CELL_SYNC;
	const uint base = cell->base[0], facetBase = cell->base[1];
	if (t == 0)
	{
		double all = 0.0;
		for (uint i = 0; i < CELL_GROUP; ++i)
		{
			all += cell->most[i].x;
		}
		out->volumes[home.w] = all / 48.0 * (lattice.w * lattice.w * lattice.w);
		const bool hasRoom = base + count <= out->capacity;
		out->infos[home.w] = hasRoom ? (uint4)(facetBase, count / 2 + 2, base, count) : (uint4)(0, 0, 0, 0);
	}
	if (base + count > out->capacity)
	{
		return; // counted; the host makes room and asks again
	}
	const double halfStep = 0.5 * lattice.w;
	for (uint c = t; c < count; c += CELL_GROUP)
	{
		uchar4 three = cell->corners[c];
		out->cornerNames[base + c] = (int4)(cell->names[three.x], cell->names[three.y], cell->names[three.z], home.w);
		out->vertices[3 * (base + c)] = lattice.x + lattice.w * home.x + halfStep * cell->x[c];
		out->vertices[3 * (base + c) + 1] = lattice.y + lattice.w * home.y + halfStep * cell->y[c];
		out->vertices[3 * (base + c) + 2] = lattice.z + lattice.w * home.z + halfStep * cell->z[c];
	}
	cellStoreFacets(cell, out, base, facetBase);
}

// A group a cell. sorted: sites by bin; places: by number, each with its body. troubles: a number other than 0 for each
// body that has a cell which is too large.
__kernel __attribute__((reqd_work_group_size(CELL_GROUP, 1, 1))) void
brk_voronoiCells(__global const int4* sorted, __global const int4* places, __global const uint* binStarts,
				 __global const CellBody* bodies, __global uint4* infos, __global double* volumes,
				 __global int4* cornerNames, __global double* vertices, __global int* facetSites,
				 __global uint* facetStarts, __global int2* loops, __global uint* troubles,
				 volatile __global uint* counters, uint capacity)
{
	__local Cell cell;
	const uint t = get_local_id(0);
	const int4 home = sorted[get_group_id(0)];
	const int number = places[home.w].w;
	__global const CellBody* body = bodies + number;

	// The box.
	for (uint c = t; c < 8; c += CELL_GROUP)
	{
		double x = (c & 1) != 0 ? 2.0 * (body->size[0] - home.x) : -2.0 * home.x;
		double y = (c & 2) != 0 ? 2.0 * (body->size[1] - home.y) : -2.0 * home.y;
		double z = (c & 4) != 0 ? 2.0 * (body->size[2] - home.z) : -2.0 * home.z;
		cell.x[c] = x, cell.y[c] = y, cell.z[c] = z;
		cell.distanceSq[c] = (x * x + y * y + z * z) * (1.0 + 8.0 * CELL_ROUNDING);
	}
	for (uint p = t; p < 6; p += CELL_GROUP)
	{
		int axis = (int)p / 2;
		int at = axis == 0 ? home.x : axis == 1 ? home.y : home.z;
		double sign = p % 2 == 0 ? -1.0 : 1.0;
		cell.planes[p] = (double4)(axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0,
								   2.0 * (p % 2 == 0 ? at : body->size[axis] - at));
		cell.names[p] = -1 - (int)p;
	}
	for (uint e = t; e < 32; e += CELL_GROUP)
	{
		((__local uchar*)cell.corners)[e] = cellBoxCorners[e];
		((__local ushort*)cell.twins)[e] = cellBoxTwins[e];
	}
	if (t == 0)
	{
		cell.planeCount = 6;
		cell.batchCount = 0;
		cell.any[0] = 0;
	}
	CELL_SYNC;
	CellState state = {0.0, 0.0, 0.0, 8, 0, false};
	cellMeasure(&cell, &state, 0.0);
	state.magnitude = sqrt(state.reachSq);

	// The cube of bins about home first, then shell by shell, a batch at a time.
	CellSearch search = {0, 1, 0, 0, 0, 0};
	bool isSearching = true;
	while (isSearching && state.count > 0 && !state.isFailed)
	{
		bool hasMore = true;
		uint held = 0;
		while (hasMore && held + CELL_GROUP <= CELL_BATCH)
		{
			if (search.next >= search.end)
			{
				hasMore = cellNextRun(&search, body, binStarts, home, state.reachSq);
			}
			const uint slot = search.next + t;
			if (hasMore && slot < search.end)
			{
				int4 place = sorted[slot];
				double kx = place.x - home.x, ky = place.y - home.y, kz = place.z - home.z;
				double distanceSq = kx * kx + ky * ky + kz * kz;
				if (distanceSq <= state.reachSq && place.w != home.w)
				{
					cell.batch[atomic_inc(&cell.batchCount)] =
						(ulong)as_uint(convert_float_rtz(distanceSq)) << 32 | slot;
				}
			}
			search.next += CELL_GROUP;
			CELL_SYNC;
			held = cell.batchCount;
			CELL_SYNC;
		}
		cellTryBatch(&cell, &state, sorted, home, held);
		if (!hasMore)
		{
			isSearching = cellNextShell(&search, body, home, state.reachSq);
		}
	}
	const double4 lattice = (double4)(body->lattice[0], body->lattice[1], body->lattice[2], body->lattice[3]);
	const CellOutput out = {infos,		 volumes,	 cornerNames, vertices, facetSites,
							facetStarts, loops,		 counters,	  capacity};
	cellStore(&cell, &state, home, lattice, &out);
	if (t == 0 && state.isFailed)
	{
		troubles[number] = 1;
	}
}

// The body of a site, by halving.
inline int cellBodyOf(__global const CellBody* bodies, uint bodyCount, int site)
{
	uint low = 0, high = bodyCount;
	while (low + 1 < high)
	{
		const uint middle = (low + high) / 2;
		low = bodies[middle].firstSite <= site ? middle : low;
		high = bodies[middle].firstSite <= site ? high : middle;
	}
	return (int)low;
}

// Sites to the lattice, as brSiteLattice_Snap, each with its body; the bin of each above its number.
__kernel void brk_voronoiSnap(__global const double* sites, uint count, __global const CellBody* bodies, uint bodyCount,
							  __global int4* places, __global ulong* items)
{
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		const int number = cellBodyOf(bodies, bodyCount, (int)i);
		__global const CellBody* body = bodies + number;
		int place[3];
		for (int axis = 0; axis < 3; ++axis)
		{
			double value = floor((sites[3 * i + axis] - body->lattice[axis]) / body->lattice[3] + 0.5);
			int size = body->size[axis];
			place[axis] = value <= 0.0 ? 0 : value >= (double)size ? size : (int)value;
		}
		places[i] = (int4)(place[0], place[1], place[2], number);
		const int width = body->width;
		const int bin = (place[2] / width * body->bins[1] + place[1] / width) * body->bins[0] + place[0] / width;
		items[i] = (ulong)(uint)(body->firstBin + bin) << 32 | i;
	}
}

// Places in the order of bins, each with its number, and where each bin begins.
__kernel void brk_voronoiBins(__global const ulong* items, uint count, __global const int4* places,
							  __global int4* sorted, __global uint* binStarts, uint binCount)
{
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		sorted[i] = (int4)(places[(uint)items[i]].xyz, (int)items[i]);
		uint bin = (uint)(items[i] >> 32), first = i == 0 ? 0u : (uint)(items[i - 1] >> 32) + 1;
		for (uint b = first; b <= bin; ++b)
		{
			binStarts[b] = i;
		}
		for (uint b = bin + 1; i + 1 == count && b <= binCount; ++b)
		{
			binStarts[b] = count;
		}
	}
}

// The plane of a name as the base site sees it.
inline Plane vertexPlane(__global const int4* places, __global const CellBody* body, int4 base, int name)
{
	Plane plane;
	if (name < 0)
	{
		int side = -1 - name, axis = side / 2;
		int at = axis == 0 ? base.x : axis == 1 ? base.y : base.z;
		long sign = side % 2 == 0 ? -1 : 1;
		plane.x = axis == 0 ? sign : 0, plane.y = axis == 1 ? sign : 0, plane.z = axis == 2 ? sign : 0;
		plane.d = 2 * (long)(side % 2 == 0 ? at : body->size[axis] - at);
		return plane;
	}
	int4 to = places[name];
	plane.x = to.x - base.x, plane.y = to.y - base.y, plane.z = to.z - base.z;
	plane.d = plane.x * plane.x + plane.y * plane.y + plane.z * plane.z;
	return plane;
}

// Corners from their names alone, seen from the lowest site, with the bits of the CPU's: all cells of a corner agree.
__kernel void brk_voronoiVertices(__global const int4* places, __global const CellBody* bodies,
								  __global const int4* cornerNames, __global const uint* counters, uint capacity,
								  __global double* vertices)
{
	const uint count = counters[CELLS_CORNERS] <= capacity ? counters[CELLS_CORNERS] : 0u;
	for (uint v = get_global_id(0); v < count; v += get_global_size(0))
	{
		int4 four = cornerNames[v];
		int name[4] = {four.x, four.y, four.z, four.w};
		for (int i = 1; i < 4; ++i)
		{
			for (int j = i; j > 0 && name[j - 1] > name[j]; --j)
			{
				int swap = name[j];
				name[j] = name[j - 1];
				name[j - 1] = swap;
			}
		}
		const int sides = (name[0] < 0 ? 1 : 0) + (name[1] < 0 ? 1 : 0) + (name[2] < 0 ? 1 : 0);
		const int4 base = places[sides == 0 ? name[0] : sides == 1 ? name[1] : sides == 2 ? name[2] : name[3]];
		__global const CellBody* body = bodies + base.w;
		Plane a = vertexPlane(places, body, base, sides == 0 ? name[1] : name[0]);
		Plane b = vertexPlane(places, body, base, sides <= 1 ? name[2] : name[1]);
		Plane c = vertexPlane(places, body, base, sides <= 2 ? name[3] : name[2]);
		double4 exact = cellCornerExact(a, b, c);
		const double halfStep = 0.5 * body->lattice[3];
		const int at[3] = {base.x, base.y, base.z};
		const double parts[3] = {exact.x, exact.y, exact.z};
		for (int axis = 0; axis < 3; ++axis)
		{
			double site = body->lattice[axis] + body->lattice[3] * at[axis];
			double value = site + halfStep * (parts[axis] / exact.w);
			for (int i = 0; i < sides; ++i)
			{
				int side = -1 - name[i];
				double low = body->lattice[axis], end = side % 2 == 0 ? low : low + body->lattice[3] * body->size[axis];
				value = side / 2 == axis ? end : value;
			}
			vertices[3 * v + axis] = value;
		}
	}
}

// The corner that stands for all corners at its place: that of the lowest site there.
__kernel void brk_voronoiOwners(__global const uint4* infos, __global const int4* cornerNames,
								__global const uint* counters, uint capacity, __global uint* owners)
{
	// After a run that was short of room the host asks again.
	const uint count = counters[CELLS_CORNERS] <= capacity ? counters[CELLS_CORNERS] : 0u;
	for (uint v = get_global_id(0); v < count; v += get_global_size(0))
	{
		const int4 name = cornerNames[v];
		int lowest = name.w;
		lowest = name.x >= 0 ? min(lowest, name.x) : lowest;
		lowest = name.y >= 0 ? min(lowest, name.y) : lowest;
		lowest = name.z >= 0 ? min(lowest, name.z) : lowest;
		uint owner = v;
		if (lowest != name.w)
		{
			const uint4 info = infos[lowest];
			for (uint c = info.z; c < info.z + info.w; ++c)
			{
				// Of its three planes each is one of ours, and ours is among them.
				const int4 other = cornerNames[c];
				bool isHere = any(other.xyz == (int3)(name.w));
				isHere = isHere && (any(name.xyz == (int3)(other.x)) || other.x == name.w);
				isHere = isHere && (any(name.xyz == (int3)(other.y)) || other.y == name.w);
				isHere = isHere && (any(name.xyz == (int3)(other.z)) || other.z == name.w);
				owner = isHere ? c : owner;
			}
		}
		owners[v] = owner;
	}
}

#else

// Without doubles there are no cells: the host says so.
__kernel void brk_voronoiCells(void)
{
}
__kernel void brk_voronoiSnap(void)
{
}
__kernel void brk_voronoiBins(void)
{
}
__kernel void brk_voronoiVertices(void)
{
}
__kernel void brk_voronoiOwners(void)
{
}

#endif
