// SPDX-License-Identifier: MIT

// A model's surface among Voronoi cells, as surface_clip.h does it: which triangles may meet which cell, each triangle
// clipped to the cell by signs alone, the corners of what is left by name, and which corners of cells lie inside the
// model.
//
// A clipped triangle is a ring of labels, one an edge: -1, -2, -3 are the triangle's own edges, others the cell's
// facets in its own order. The side of a corner is the sign of a determinant of the values that bisectors take at the
// triangle's corners, with a bound for the error. What that leaves open is counted: the host then takes the whole model
// to the CPU, which is exact. Positions follow from names alone, by the CPU's formulas, so that all cells and triangles
// at a corner agree to the last bit.

#ifdef BR_PROCESSOR
#define CLIP_GROUP 1
#define CLIP_WINDING_GROUP 1
#define CLIP_SPREAD_GROUP 1
#else
#define CLIP_GROUP 64
#define CLIP_WINDING_GROUP 32
#define CLIP_SPREAD_GROUP 256
#endif
#define CLIP_BLOCK 64 // triangles with one box
#define CLIP_RING 24  // labels a pair has room for
#define CLIP_OPEN 127 // in place of the first label: not settled here

// Counters.
#define CLIP_PAIRS 0
#define CLIP_CORNERS 1
#define CLIP_UNSURE 2  // signs that doubles do not settle
#define CLIP_TANGLED 3 // rings that are too long, windings other than 0 and 1
#define CLIP_VERTICES 4
#define CLIP_SCRATCH 5
#define CLIP_TRIANGLES 6
#define CLIP_PIECES 7

#ifdef cl_khr_fp64

#define CLIP_TINY 0x1p-900

typedef struct Point
{
	double x, y, z;
} Point;

inline Point pointAt(__global const double* positions, uint i)
{
	Point p = {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
	return p;
}

// A site, exactly.
inline Point pointOfSite(__global const int4* places, __global const CellBody* bodies, int site)
{
	int4 place = places[site];
	__global const double* lattice = bodies[place.w].lattice;
	Point p = {lattice[0] + lattice[3] * place.x, lattice[1] + lattice[3] * place.y, lattice[2] + lattice[3] * place.z};
	return p;
}

// |p - sj|^2 - |p - si|^2 and a bound for its error.
inline double2 sideValue(Point si, Point sj, Point p)
{
	double nx = si.x - sj.x, ny = si.y - sj.y, nz = si.z - sj.z; // exact
	double ix = p.x - si.x, iy = p.y - si.y, iz = p.z - si.z, jx = p.x - sj.x, jy = p.y - sj.y, jz = p.z - sj.z;
	double value = nx * (ix + jx) + ny * (iy + jy) + nz * (iz + jz);
	double size = fabs(nx) * (fabs(ix) + fabs(jx)) + fabs(ny) * (fabs(iy) + fabs(jy)) + fabs(nz) * (fabs(iz) + fabs(jz));
	return (double2)(value, 8.0 * CELL_ROUNDING * size + CLIP_TINY);
}

// +1, -1, or 0 for not certain.
inline int sideOfPoint(Point si, Point sl, Point p)
{
	double2 o = sideValue(si, sl, p);
	return o.x > o.y ? 1 : o.x < -o.y ? -1 : 0;
}

inline int sideSign(double value)
{
	return (value > 0.0 ? 1 : 0) - (value < 0.0 ? 1 : 0);
}

inline int sideOnEdge(Point si, Point sj, Point sl, Point p, Point q)
{
	double2 ap = sideValue(si, sj, p), aq = sideValue(si, sj, q), bp = sideValue(si, sl, p), bq = sideValue(si, sl, q);
	double a = aq.x - ap.x;
	double det = bp.x * aq.x - bq.x * ap.x;
	double error = 2.0 * (fabs(bp.x) * aq.y + fabs(aq.x) * bp.y + fabs(bq.x) * ap.y + fabs(ap.x) * bq.y + bp.y * aq.y +
						  bq.y * ap.y);
	return fabs(a) > 2.0 * (ap.y + aq.y) && fabs(det) > error ? sideSign(det) * sideSign(a) : 0;
}

inline int sideOnFace(Point si, Point sj, Point sk, Point sl, const Point* points)
{
	double a[3], b[3], c[3];
	double aSize = 0.0, bSize = 0.0, cSize = 0.0, aError = 0.0, bError = 0.0, cError = 0.0;
	for (int n = 0; n < 3; ++n)
	{
		double2 av = sideValue(si, sj, points[n]), bv = sideValue(si, sk, points[n]), cv = sideValue(si, sl, points[n]);
		a[n] = av.x, b[n] = bv.x, c[n] = cv.x;
		aSize = fmax(aSize, fabs(av.x)), aError = fmax(aError, av.y);
		bSize = fmax(bSize, fabs(bv.x)), bError = fmax(bError, bv.y);
		cSize = fmax(cSize, fabs(cv.x)), cError = fmax(cError, cv.y);
	}
	double ab0 = a[1] * b[2] - a[2] * b[1], ab1 = a[2] * b[0] - a[0] * b[2], ab2 = a[0] * b[1] - a[1] * b[0];
	double spread = ab0 + ab1 + ab2;
	double det = c[0] * ab0 + c[1] * ab1 + c[2] * ab2;
	double pair = (aSize + aError) * bError + (bSize + bError) * aError;
	double error = 12.0 * ((cSize + cError) * pair + cError * aSize * bSize);
	return fabs(spread) > 12.0 * pair && fabs(det) > error ? sideSign(det) * sideSign(spread) : 0;
}

// Numbers of twice the precision, for places.
inline double2 twinSum(double a, double b)
{
	double sum = a + b, part = sum - a;
	return (double2)(sum, (a - (sum - part)) + (b - part));
}

inline double2 twinProduct(double a, double b)
{
	double as = 134217729.0 * a, bs = 134217729.0 * b;
	double ah = as - (as - a), bh = bs - (bs - b);
	double al = a - ah, bl = b - bh;
	double product = a * b;
	return (double2)(product, ((ah * bh - product) + ah * bl + al * bh) + al * bl);
}

inline double2 twinAdd(double2 a, double2 b)
{
	double2 sum = twinSum(a.x, b.x);
	return twinSum(sum.x, sum.y + a.y + b.y);
}

inline double2 twinMul(double2 a, double2 b)
{
	double2 product = twinProduct(a.x, b.x);
	return twinSum(product.x, product.y + a.x * b.y + a.y * b.x);
}

inline double2 twinAxis(double si, double sj, double p)
{
	return twinMul((double2)(si - sj, 0.0), twinAdd(twinSum(p, -si), twinSum(p, -sj)));
}

inline double2 twinSide(Point si, Point sj, Point p)
{
	return twinAdd(twinAdd(twinAxis(si.x, sj.x, p.x), twinAxis(si.y, sj.y, p.y)), twinAxis(si.z, sj.z, p.z));
}

inline double sideClamp(double t)
{
	return t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0;
}

inline Point clipOnEdge(Point si, Point sj, Point p, Point q)
{
	double2 a = twinSide(si, sj, p), b = twinSide(si, sj, q);
	double t = sideClamp(a.x / twinAdd(a, -b).x);
	Point r = {p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), p.z + t * (q.z - p.z)};
	return r;
}

inline Point clipOnFace(Point si, Point sj, Point sk, const Point* points)
{
	double2 a[3], b[3], parts[3];
	for (int n = 0; n < 3; ++n)
	{
		a[n] = twinSide(si, sj, points[n]);
		b[n] = twinSide(si, sk, points[n]);
	}
	for (int n = 0; n < 3; ++n)
	{
		int y = (n + 1) % 3, z = (n + 2) % 3;
		parts[n] = twinAdd(twinMul(a[y], b[z]), -twinMul(a[z], b[y]));
	}
	double sum = twinAdd(twinAdd(parts[0], parts[1]), parts[2]).x;
	double s[3];
	for (int n = 0; n < 3; ++n)
	{
		s[n] = sideClamp(parts[n].x / sum);
	}
	int o = s[0] >= s[1] ? (s[0] >= s[2] ? 0 : 2) : (s[1] >= s[2] ? 1 : 2);
	s[o] = sideClamp(1.0 - s[(o + 1) % 3] - s[(o + 2) % 3]);
	o = s[0] >= s[1] ? (s[0] >= s[2] ? 0 : 2) : (s[1] >= s[2] ? 1 : 2);
	int m = (o + 1) % 3, n = (o + 2) % 3;
	Point origin = points[o], p = points[m], q = points[n];
	Point r = {origin.x + (s[m] * (p.x - origin.x) + s[n] * (q.x - origin.x)),
			   origin.y + (s[m] * (p.y - origin.y) + s[n] * (q.y - origin.y)),
			   origin.z + (s[m] * (p.z - origin.z) + s[n] * (q.z - origin.z))};
	return r;
}

inline bool clipBoxesMeet(float4 aLower, float4 aUpper, float4 bLower, float4 bUpper)
{
	return aLower.x <= bUpper.x && aLower.y <= bUpper.y && aLower.z <= bUpper.z && bLower.x <= aUpper.x &&
		   bLower.y <= aUpper.y && bLower.z <= aUpper.z;
}

// Triangles whose boxes meet the cell's: a group a cell, blocks of triangles first. Counted, reserved, then written in
// the order of triangles.
__kernel __attribute__((reqd_work_group_size(CLIP_GROUP, 1, 1))) void
brk_clipPairs(__global const uint4* infos, __global const double* vertices, __global const float4* triangleBoxes,
			  __global const float4* blockBoxes, __global const int4* places, __global const CellBody* bodies,
			  __global int2* pairs, uint capacity, __global uint2* cellPairs, volatile __global uint* counters)
{
	__local uint bits[2], base;
	__local uint total;
	const uint t = get_local_id(0), cell = get_group_id(0);
	const uint4 info = infos[cell];
	__global const CellBody* body = bodies + places[cell].w;
	const uint triangleCount = (uint)body->triangleCount, firstTriangle = (uint)body->firstTriangle;
	triangleBoxes += 2 * firstTriangle;
	blockBoxes += 2 * body->firstBlock;
	float4 lower = (float4)(INFINITY), upper = (float4)(-INFINITY);
	for (uint c = info.z; c < info.z + info.w; ++c)
	{
		Point p = pointAt(vertices, c);
		lower = fmin(lower, (float4)(convert_float_rtn(p.x), convert_float_rtn(p.y), convert_float_rtn(p.z), 0.0f));
		upper = fmax(upper, (float4)(convert_float_rtp(p.x), convert_float_rtp(p.y), convert_float_rtp(p.z), 0.0f));
	}
	if (t == 0)
	{
		total = 0;
		bits[0] = bits[1] = 0;
	}
	CELL_SYNC;
	uint mine = 0;
	for (uint first = 0; first < triangleCount; first += CLIP_GROUP)
	{
		const uint block = first / CLIP_BLOCK, i = first + t;
		if (i < triangleCount && clipBoxesMeet(blockBoxes[2 * block], blockBoxes[2 * block + 1], lower, upper))
		{
			mine += clipBoxesMeet(triangleBoxes[2 * i], triangleBoxes[2 * i + 1], lower, upper) ? 1u : 0u;
		}
	}
	if (mine > 0)
	{
		atomic_add(&total, mine);
	}
	CELL_SYNC;
	if (t == 0)
	{
		base = atomic_add(&counters[CLIP_PAIRS], total);
		cellPairs[cell] = (uint2)(base, total);
	}
	CELL_SYNC;
	uint next = base;
	if (base + total > capacity || total == 0)
	{
		return;
	}
	for (uint first = 0; first < triangleCount; first += CLIP_GROUP)
	{
		const uint block = first / CLIP_BLOCK, i = first + t;
		if (!clipBoxesMeet(blockBoxes[2 * block], blockBoxes[2 * block + 1], lower, upper))
		{
			continue;
		}
		const bool isHit =
			i < triangleCount && clipBoxesMeet(triangleBoxes[2 * i], triangleBoxes[2 * i + 1], lower, upper);
		if (isHit)
		{
			atomic_or(&bits[t >> 5], 1u << (t & 31));
		}
		CELL_SYNC;
		const uint low = bits[0], high = bits[1];
		CELL_SYNC;
		if (isHit)
		{
			uint below = t < 32 ? popcount(low & ((1u << t) - 1)) : popcount(low) + popcount(high & ((1u << (t - 32)) - 1));
			pairs[next + below] = (int2)((int)cell, (int)(firstTriangle + i));
		}
		next += popcount(low) + popcount(high);
		if (t == 0)
		{
			bits[0] = bits[1] = 0;
		}
		CELL_SYNC;
	}
}

// A cell: its site, and the sites beyond its facets.
typedef struct ClipCell
{
	Point site;
	__global const int* facets;
	__global const int4* places;
	__global const CellBody* bodies;
} ClipCell;

// The side on which the corner of a ring between two labels lies, of the plane between the cell's site and `beyond`: 1
// nearer to the cell's. `own` are the sides of the triangle's corners.
inline int clipCornerSide(const ClipCell* of, int before, int after, Point beyond, const int own[3], const Point points[3])
{
	if (before < 0 && after < 0)
	{
		return own[-1 - after]; // edge e starts at corner e
	}
	if (before >= 0 && after >= 0)
	{
		return sideOnFace(of->site, pointOfSite(of->places, of->bodies, of->facets[before]),
						  pointOfSite(of->places, of->bodies, of->facets[after]), beyond, points);
	}
	const int edge = -1 - (before < 0 ? before : after), second = edge == 2 ? 0 : edge + 1;
	const int site = of->facets[before < 0 ? after : before];
	return own[edge] == own[second] ? own[edge]
									: sideOnEdge(of->site, pointOfSite(of->places, of->bodies, site), beyond,
												 points[edge], points[second]);
}

// A thread a pair: the ring of what is left of the triangle in the cell. Of no size where nothing is, or where it is
// open.
__kernel void brk_clipTriangles(__global const int2* pairs, uint capacity, __global const uint4* infos,
								__global const int* facetSites, __global const int4* places,
								__global const CellBody* bodies, __global const double* positions,
								__global const int* triangles, __global char* rings, __global uchar* sizes,
								__global uint* troubles, volatile __global uint* counters)
{
	const uint pairCount = atomic_or(&counters[CLIP_PAIRS], 0u), count = pairCount <= capacity ? pairCount : 0u;
	for (uint at = get_global_id(0); at < count; at += get_global_size(0))
	{
		const int2 pair = pairs[at];
		const uint4 info = infos[pair.x];
		const Point si = pointOfSite(places, bodies, pair.x);
		const ClipCell of = {si, facetSites + info.x, places, bodies};
		Point points[3];
		for (int n = 0; n < 3; ++n)
		{
			points[n] = pointAt(positions, (uint)triangles[3 * pair.y + n]);
		}
		char ring[CLIP_RING], next[CLIP_RING];
		int sides[CLIP_RING];
		ring[0] = -1, ring[1] = -2, ring[2] = -3;
		int size = 3;
		bool isUnsure = false, isLong = false;
		// Most pairs are apart: a facet that has the whole triangle beyond it says so, before anything is cut.
		for (uint f = 0; f < info.y && size > 0; ++f)
		{
			const int l = facetSites[info.x + f];
			if (l >= 0)
			{
				const Point sl = pointOfSite(places, bodies, l);
				size = sideOfPoint(si, sl, points[0]) + sideOfPoint(si, sl, points[1]) + sideOfPoint(si, sl, points[2]) == -3
						   ? 0
						   : size;
			}
		}
		for (uint f = 0; f < info.y && size > 0; ++f)
		{
			const int l = facetSites[info.x + f];
			if (l < 0)
			{
				continue;
			}
			const Point sl = pointOfSite(places, bodies, l);
			int own[3];
			for (int n = 0; n < 3; ++n)
			{
				own[n] = sideOfPoint(si, sl, points[n]);
				isUnsure = isUnsure || own[n] == 0;
			}
			if (own[0] + own[1] + own[2] == 3)
			{
				continue;
			}
			for (int c = 0; c < size; ++c)
			{
				sides[c] = clipCornerSide(&of, ring[c == 0 ? size - 1 : c - 1], ring[c], sl, own, points);
				isUnsure = isUnsure || sides[c] == 0;
			}
			int kept = 0;
			for (int c = 0; c < size; ++c)
			{
				const int side = sides[c], after = sides[c + 1 < size ? c + 1 : 0];
				if ((side > 0 || after > 0) && kept < CLIP_RING)
				{
					next[kept++] = ring[c];
				}
				if (side > 0 && after <= 0)
				{
					isLong = isLong || kept >= CLIP_RING - 1;
					next[kept < CLIP_RING ? kept++ : CLIP_RING - 1] = (char)f;
				}
			}
			size = isLong || isUnsure ? 0 : kept;
			for (int c = 0; c < size; ++c)
			{
				ring[c] = next[c];
			}
		}
		for (int c = 0; c < size; ++c)
		{
			rings[CLIP_RING * at + c] = ring[c];
		}
		sizes[at] = (uchar)size;
		if (size == 0)
		{
			rings[CLIP_RING * at] = isUnsure || isLong ? CLIP_OPEN : 0;
		}
		if (isUnsure || isLong)
		{
			troubles[places[pair.x].w] = 1;
		}
		if (isUnsure)
		{
			atomic_inc(&counters[CLIP_UNSURE]);
		}
		if (isLong)
		{
			atomic_inc(&counters[CLIP_TANGLED]);
		}
	}
}

// The model and the sites.
typedef struct ClipModel
{
	__global const double* positions;
	__global const int* triangles;
	__global const int* edges; // of each triangle
	__global const int4* places;
	__global const CellBody* bodies;
} ClipModel;

// Name of a ring's corner within its cell: a vertex of the model, a facet on one of its edges, or two facets on a
// triangle.
inline ulong clipName(const ClipModel* model, int before, int after, uint triangle)
{
	if (before < 0 && after < 0)
	{
		return (ulong)(uint)model->triangles[3 * triangle - 1 - after];
	}
	if (before >= 0 && after >= 0)
	{
		return 2ul << 62 | (ulong)triangle << 16 | (ulong)(min(before, after) << 8 | max(before, after));
	}
	const int edge = -1 - (before < 0 ? before : after);
	return 1ul << 62 | (ulong)(uint)model->edges[3 * triangle + edge] << 16 | (ulong)(before < 0 ? after : before);
}

// Its place, the same from all cells.
inline Point clipPlace(const ClipModel* model, __global const int* cellFacets, int before, int after, int cell, uint triangle)
{
	int vertices[3];
	Point points[3];
	for (int n = 0; n < 3; ++n)
	{
		vertices[n] = model->triangles[3 * triangle + n];
		points[n] = pointAt(model->positions, (uint)vertices[n]);
	}
	if (before < 0 && after < 0)
	{
		return points[-1 - after];
	}
	if (before >= 0 && after >= 0)
	{
		int j = cellFacets[before], k = cellFacets[after];
		int low = min(cell, min(j, k)), high = max(cell, max(j, k)), middle = cell ^ j ^ k ^ low ^ high;
		return clipOnFace(pointOfSite(model->places, model->bodies, low), pointOfSite(model->places, model->bodies, middle),
						  pointOfSite(model->places, model->bodies, high), points);
	}
	const int edge = -1 - (before < 0 ? before : after), second = edge == 2 ? 0 : edge + 1;
	const int other = cellFacets[before < 0 ? after : before];
	const bool isRising = vertices[edge] < vertices[second];
	return clipOnEdge(pointOfSite(model->places, model->bodies, min(cell, other)), pointOfSite(model->places, model->bodies, max(cell, other)),
					  points[isRising ? edge : second], points[isRising ? second : edge]);
}

// What the threads before this one have, each sums[thread]; and what all have.
inline uint clipBefore(__local const uint* sums, uint* all)
{
	const uint t = get_local_id(0);
	uint before = 0;
	*all = 0;
	for (uint i = 0; i < CLIP_GROUP; ++i)
	{
		before += i < t ? sums[i] : 0u;
		*all += sums[i];
	}
	return before;
}

// Numbers the corners of a cell: one number for each name, rising by the lowest corner of that name, which is found
// through a table of twice as many slots. Returns how many there are. All threads come here together; `sums` has a
// place for each.
inline uint clipNumberCorners(__global const ulong* names, uint total, volatile __global uint* table,
							  volatile __global uint* numbers, __local uint* sums)
{
	const uint t = get_local_id(0);
	const uint slots = 2 * total;
	for (uint i = t; i < total; i += CLIP_GROUP)
	{
		const ulong name = names[i];
		uint slot = (uint)((name * 0x9E3779B97F4A7C15ul) >> 32) % slots;
		for (;;)
		{
			uint old = atomic_cmpxchg(&table[slot], 0u, i + 1);
			if (old == 0)
			{
				break;
			}
			if (names[old - 1] == name)
			{
				atomic_min(&table[slot], i + 1);
				break;
			}
			slot = slot + 1 == slots ? 0u : slot + 1;
		}
	}
	CELL_SYNC_ALL;
	const uint each = (total + CLIP_GROUP - 1) / CLIP_GROUP;
	const uint from = min(t * each, total), to = min(from + each, total);
	uint given = 0;
	for (uint i = from; i < to; ++i)
	{
		const ulong name = names[i];
		uint slot = (uint)((name * 0x9E3779B97F4A7C15ul) >> 32) % slots;
		uint holder = atomic_or(&table[slot], 0u);
		while (names[holder - 1] != name)
		{
			slot = slot + 1 == slots ? 0u : slot + 1;
			holder = atomic_or(&table[slot], 0u);
		}
		atomic_xchg(&numbers[i], holder - 1);
		given += holder == i + 1 ? 1u : 0u;
	}
	CELL_SYNC;
	sums[t] = given;
	CELL_SYNC_ALL;
	uint all, number = clipBefore(sums, &all);
	// Those that stand for themselves get numbers, marked by the upper bit, the others then ask them.
	for (uint i = from; i < to; ++i)
	{
		if (atomic_or(&numbers[i], 0u) == i)
		{
			atomic_xchg(&numbers[i], 0x80000000u | number++);
		}
	}
	CELL_SYNC_ALL;
	for (uint i = from; i < to; ++i)
	{
		uint value = atomic_or(&numbers[i], 0u);
		if ((value & 0x80000000u) == 0)
		{
			atomic_xchg(&numbers[i], atomic_or(&numbers[value], 0u) & 0x7FFFFFFFu);
		}
	}
	return all;
}

// Rings of a cell one after the other, a group a cell, with corners that have one name numbered once.
// cellRings: first corner, corners, numbers given.
__kernel __attribute__((reqd_work_group_size(CLIP_GROUP, 1, 1))) void
brk_clipRings(__global const uint2* cellPairs, __global const int2* pairs, uint pairCapacity, __global const char* rings,
			  __global const uchar* sizes, __global const uint4* infos, __global const int* facetSites,
			  __global const int4* places, __global const CellBody* bodies, __global const double* positions,
			  __global const int* triangles, __global const int* edges, __global uint* polygons, __global char* labels,
			  __global ulong* names, __global double* cornerPlaces, volatile __global uint* table,
			  volatile __global uint* numbers, __global uint4* cellRings, uint capacity, volatile __global uint* counters)
{
	__local uint sums[CLIP_GROUP], base;
	const uint t = get_local_id(0), cell = get_group_id(0);
	const uint2 run = cellPairs[cell];
	if (run.x + run.y > pairCapacity)
	{
		if (t == 0)
		{
			cellRings[cell] = (uint4)(0, 0, 0, 0);
		}
		return;
	}

	// Neighboring pairs a thread, so that its corners are one run.
	const uint share = (run.y + CLIP_GROUP - 1) / CLIP_GROUP;
	const uint begin = min(t * share, run.y), end = min(begin + share, run.y);
	uint sum = 0;
	for (uint p = begin; p < end; ++p)
	{
		sum += sizes[run.x + p];
	}
	sums[t] = sum;
	CELL_SYNC;
	uint total, before = clipBefore(sums, &total);
	if (t == 0)
	{
		base = atomic_add(&counters[CLIP_CORNERS], total);
	}
	CELL_SYNC;
	if (base + total > capacity || total == 0)
	{
		if (t == 0)
		{
			cellRings[cell] = (uint4)(base, 0, 0, 0);
		}
		for (uint p = begin; p < end; ++p)
		{
			polygons[run.x + p] = 0;
		}
		return;
	}
	const uint first = base;
	const ClipModel model = {positions, triangles, edges, places, bodies};
	uint at = first + before;
	for (uint p = begin; p < end; ++p)
	{
		const uint size = sizes[run.x + p], triangle = (uint)pairs[run.x + p].y;
		__global const char* ring = rings + CLIP_RING * (run.x + p);
		polygons[run.x + p] = at;
		for (uint c = 0; c < size; ++c, ++at)
		{
			const int previous = ring[c == 0 ? size - 1 : c - 1], label = ring[c];
			Point place = clipPlace(&model, facetSites + infos[cell].x, previous, label, (int)cell, triangle);
			labels[at] = (char)label;
			names[at] = clipName(&model, previous, label, triangle);
			cornerPlaces[3 * at] = place.x, cornerPlaces[3 * at + 1] = place.y, cornerPlaces[3 * at + 2] = place.z;
		}
	}
	CELL_SYNC_ALL;

	const uint all = clipNumberCorners(names + first, total, table + 2 * first, numbers + first, sums);
	if (t == 0)
	{
		cellRings[cell] = (uint4)(first, total, all, 0);
	}
}

// The facet of a cell to a name; those of the box are found too.
inline uint clipFacet(__global const int* cellFacets, uint facetCount, int name)
{
	uint f = 0;
	while (f < facetCount && cellFacets[f] != name)
	{
		f += 1;
	}
	return f;
}

// Where the loop of facet f of a cell ends.
inline uint clipLoopEnd(__global const uint* facetStarts, uint4 info, uint f)
{
	return f + 1 < info.y ? facetStarts[info.x + f + 1] : 3 * (info.z + info.w);
}

// The last corner of a cell that lies on the box, into `onBox`. All threads come here.
inline void clipFindOnBox(__global const int4* cornerNames, uint4 info, __local int* onBox)
{
	for (uint c = get_local_id(0); c < info.w; c += CLIP_WINDING_GROUP)
	{
		int4 name = cornerNames[info.z + c];
		if (name.x < 0 || name.y < 0 || name.z < 0)
		{
			atomic_max(onBox, (int)c);
		}
	}
}

// The surface crosses the edge of a cell from facet `own` to facet `other`: the winding changes there. False: there is
// no such edge.
inline bool clipCountCrossing(__global const uint* facetStarts, uint4 info, uint own, uint other, int change,
							  __local const uchar* beyond, __local int* changes)
{
	const uint loopEnd = clipLoopEnd(facetStarts, info, own) - 3 * info.z;
	uint n = facetStarts[info.x + own] - 3 * info.z;
	while (n < loopEnd && beyond[n] != other)
	{
		n += 1;
	}
	if (n < loopEnd)
	{
		atomic_add(&changes[n], change);
	}
	return n < loopEnd;
}

// Windings along the edges of this thread's facets, from corners that know theirs. Whether one has become known.
inline bool clipSpreadLevels(__global const uint* facetStarts, __global const int2* loops, uint4 info,
							 __local const int* changes, __local int* levels)
{
	bool isAny = false;
	for (uint f = get_local_id(0); f < info.y; f += CLIP_WINDING_GROUP)
	{
		const uint start = facetStarts[info.x + f], loopEnd = clipLoopEnd(facetStarts, info, f);
		for (uint n = start; n < loopEnd; ++n)
		{
			const uint a = (uint)loops[n].x, b = (uint)loops[n + 1 < loopEnd ? n + 1 : start].x;
			const int level = atomic_or(&levels[a], 0);
			if (level != INT_MIN && atomic_or(&levels[b], 0) == INT_MIN)
			{
				atomic_xchg(&levels[b], level + changes[n - 3 * info.z]);
				isAny = true;
			}
		}
	}
	return isAny;
}

// How often each corner of a cell is inside the model, from crossings of the surface with the cell's edges. A cell that
// is crossed, or touches the box, knows; others wait for their neighbors. windings: 0 not known, 1 outside, 2 inside,
// at the corner that stands for all.
__kernel __attribute__((reqd_work_group_size(CLIP_WINDING_GROUP, 1, 1))) void
brk_clipWindings(__global const uint4* infos, __global const int* facetSites, __global const uint* facetStarts,
				 __global const int2* loops, __global const int4* cornerNames, __global const uint* owners,
				 __global const uint2* cellPairs, uint pairCapacity, __global const uint* polygons,
				 __global const uchar* sizes, __global const char* labels, __global const uint4* cellRings,
				 volatile __global int* windings, __global uchar* isKnown, __global const int4* places,
				 __global uint* troubles, volatile __global uint* counters)
{
	__local int changes[3 * CELL_CORNERS];
	__local int levels[CELL_CORNERS];
	__local uchar beyond[3 * CELL_CORNERS];
	__local int lowest, highest, onBox;
	__local uint progress[2];
	const uint t = get_local_id(0), cell = get_group_id(0);
	const uint4 info = infos[cell];
	const uint2 run = cellPairs[cell];
	__global const int* cellFacets = facetSites + info.x;
	const uint entries = 3 * info.w;
	for (uint n = t; n < entries; n += CLIP_WINDING_GROUP)
	{
		changes[n] = 0;
		beyond[n] = (uchar)clipFacet(cellFacets, info.y, loops[3 * info.z + n].y);
	}
	for (uint c = t; c < info.w; c += CLIP_WINDING_GROUP)
	{
		levels[c] = INT_MIN;
	}
	if (t == 0)
	{
		lowest = INT_MAX, highest = INT_MIN, onBox = -1;
		progress[0] = progress[1] = 0;
	}
	CELL_SYNC;

	// A ring's corner between facets a and then b is where the direction of a x b leaves the model.
	bool isTangled = false;
	const uint pairCount = run.x + run.y <= pairCapacity && cellRings[cell].y > 0 ? run.y : 0u;
	for (uint p = run.x + t; p < run.x + pairCount; p += CLIP_WINDING_GROUP)
	{
		const uint size = sizes[p];
		for (uint c = 0; c < size; ++c)
		{
			const int a = labels[polygons[p] + (c == 0 ? size - 1 : c - 1)], b = labels[polygons[p] + c];
			for (int turn = 0; turn < 2 && a >= 0 && b >= 0; ++turn)
			{
				const uint own = (uint)(turn == 0 ? a : b), other = (uint)(turn == 0 ? b : a);
				isTangled = !clipCountCrossing(facetStarts, info, own, other, turn == 0 ? -1 : 1, beyond, changes) || isTangled;
			}
		}
	}
	clipFindOnBox(cornerNames, info, &onBox);
	CELL_SYNC;
	if (t == 0 && info.w > 0)
	{
		levels[max(onBox, 0)] = 0;
	}

	// Along the cell's edges from one corner to all.
	bool isSpreading = info.w > 0;
	for (uint round = 0; isSpreading; ++round)
	{
		CELL_SYNC;
		if (t == 0)
		{
			atomic_xchg(&progress[(round + 1) & 1], 0u);
		}
		if (clipSpreadLevels(facetStarts, loops, info, changes, levels))
		{
			atomic_xchg(&progress[round & 1], 1u);
		}
		CELL_SYNC;
		isSpreading = atomic_or(&progress[round & 1], 0u) != 0;
	}
	for (uint c = t; c < info.w; c += CLIP_WINDING_GROUP)
	{
		atomic_min(&lowest, levels[c]);
		atomic_max(&highest, levels[c]);
	}
	CELL_SYNC;
	const bool isSettled = info.w == 0 || onBox >= 0 || highest > lowest;
	const int shift = onBox >= 0 ? 0 : lowest;
	if (t == 0)
	{
		isKnown[cell] = isSettled ? 1 : 0;
		isTangled = isTangled || (info.w > 0 && (lowest - shift < 0 || highest - shift > 1));
	}
	for (uint c = t; isSettled && c < info.w; c += CLIP_WINDING_GROUP)
	{
		const int winding = clamp(levels[c] - shift, 0, 1) + 1;
		const int old = atomic_xchg(&windings[owners[info.z + c]], winding);
		isTangled = isTangled || (old != 0 && old != winding);
	}
	if (isTangled)
	{
		atomic_inc(&counters[CLIP_TANGLED]);
		troubles[places[cell].w] = 1;
	}
}

// From cells that know to those that do not, a group for each body: each round goes one cell on.
__kernel __attribute__((reqd_work_group_size(CLIP_SPREAD_GROUP, 1, 1))) void
brk_clipSpread(__global const uint4* infos, __global const uint* owners, volatile __global int* windings,
			   __global uchar* isKnown, __global const CellBody* bodies)
{
	__local uint progress[2];
	const uint t = get_local_id(0);
	const uint first = (uint)bodies[get_group_id(0)].firstSite, last = first + (uint)bodies[get_group_id(0)].siteCount;
	if (t < 2)
	{
		progress[t] = 0;
	}
	bool isSpreading = true;
	for (uint round = 0; isSpreading; ++round)
	{
		CELL_SYNC_ALL;
		if (t == 0)
		{
			atomic_xchg(&progress[(round + 1) & 1], 0u);
		}
		for (uint cell = first + t; cell < last; cell += CLIP_SPREAD_GROUP)
		{
			if (isKnown[cell] != 0)
			{
				continue;
			}
			const uint4 info = infos[cell];
			// Four corners at once, so that their answers are on the way together.
			const uint end = info.z + info.w;
			int winding = 0;
			for (uint c = info.z; c < end && winding == 0; c += 4)
			{
				const int a = atomic_or(&windings[owners[c]], 0);
				const int b = atomic_or(&windings[owners[min(c + 1, end - 1)]], 0);
				const int d = atomic_or(&windings[owners[min(c + 2, end - 1)]], 0);
				const int e = atomic_or(&windings[owners[min(c + 3, end - 1)]], 0);
				winding = a != 0 ? a : b != 0 ? b : d != 0 ? d : e;
			}
			if (winding != 0)
			{
				// No crossing on any of its edges: all its corners are alike.
				for (uint c = info.z; c < info.z + info.w; ++c)
				{
					atomic_xchg(&windings[owners[c]], winding);
				}
				isKnown[cell] = 1;
				atomic_xchg(&progress[round & 1], 1u);
			}
		}
		CELL_SYNC_ALL;
		isSpreading = atomic_or(&progress[round & 1], 0u) != 0;
	}
}

#else

__kernel void brk_clipPairs(void)
{
}
__kernel void brk_clipTriangles(void)
{
}
__kernel void brk_clipRings(void)
{
}
__kernel void brk_clipWindings(void)
{
}
__kernel void brk_clipSpread(void)
{
}

#endif
