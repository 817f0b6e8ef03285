// SPDX-License-Identifier: MIT

// Cut faces inside a model and the pieces that they close: caps.h and pieces.h on a device.
//
// A cap is bounded by the lines in which the surface crosses its facet, turned round, and by stretches of the facet's
// edges inside the model. On an edge the surface is entered and left; starts of stretches (a corner that is inside,
// entrances) and ends (exits, a corner that is inside) are as many, and the n-th start goes with the n-th end: whatever
// rounding does to their order, every point has one way in and one way out, so pieces close. Facets are filled from the
// side of the lower site, loops from their lowest place on, so that both cells make the same triangles: a convex loop
// is a fan, others lose holes to bridges and then ear by ear.
//
// A thread a facet makes outlines, and fans of those that are convex. The others are filled by a group each: threads of
// one group that go their own ways through ears wait for each other, so that all facets of a cell took as long as one
// after the other. 13 integers and 2 doubles of scratch for each point of an outline.

#ifdef BR_PROCESSOR
#define CAP_GROUP 1
#define PIECE_GROUP 1
#else
#define CAP_GROUP 32
#define PIECE_GROUP 64
#endif
#define PIECE_MOMENTS 10
#define CAP_LOOPS 16
#define CAP_INTS 13
#define CAP_REALS 2
#define CAP_SPLIT 4            // groups that share the facets of a cell
#define CAP_OPEN 0x80000000u   // of a facet's run: its outlines are to be filled

#ifdef cl_khr_fp64

// One facet of one cell at work: outlines in the plane, in the axes that the normal is not nearest to.
typedef struct Cap
{
	uint count;            // points
	__global int* from;    // [count] links, then what is left of them
	__global int* to;      // [count]
	__global int* order;   // [count] vertices, loop by loop
	__global int* ring;    // [2 count]
	__global int* spare;   // [2 count]
	__global int* made;    // [6 count] vertices of triangles
	__global double* flat; // [2 count] points of `order`
	uint triangles;
	int loops;
	int starts[CAP_LOOPS + 1];
	int owners[CAP_LOOPS];
	double areas[CAP_LOOPS];
} Cap;

// Where in the scratch memory the outlines of a facet lie.
inline void capPlace(Cap* cap, __global int* ints, __global double* reals, uint start, uint links)
{
	cap->count = links;
	cap->from = ints + CAP_INTS * start;
	cap->to = cap->from + links;
	cap->order = cap->to + links;
	cap->ring = cap->order + links;
	cap->spare = cap->ring + 2 * links;
	cap->made = cap->spare + 2 * links;
	cap->flat = reals + CAP_REALS * start;
	cap->triangles = 0;
}

inline double2 capAt(const Cap* cap, int n)
{
	return (double2)(cap->flat[2 * n], cap->flat[2 * n + 1]);
}

inline double capTurn(double2 a, double2 b, double2 c)
{
	return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

inline bool capSame(double2 a, double2 b)
{
	return a.x == b.x && a.y == b.y;
}

inline bool capCovers(double2 a, double2 b, double2 c, double2 q)
{
	return capTurn(a, b, q) >= 0.0 && capTurn(b, c, q) >= 0.0 && capTurn(c, a, q) >= 0.0;
}

inline void capEmit(Cap* cap, int a, int b, int c)
{
	__global int* out = cap->made + 3 * cap->triangles;
	out[0] = cap->order[a], out[1] = cap->order[b], out[2] = cap->order[c];
	cap->triangles += 1;
}

inline bool capContains(const Cap* cap, int loop, double2 q)
{
	const int first = cap->starts[loop], last = cap->starts[loop + 1];
	bool isInside = false;
	for (int n = first, m = last - 1; n < last; m = n++)
	{
		const double2 p = capAt(cap, n), o = capAt(cap, m);
		if ((p.y > q.y) != (o.y > q.y))
		{
			isInside ^= p.y > o.y ? capTurn(o, p, q) > 0.0 : capTurn(p, o, q) > 0.0;
		}
	}
	return isInside;
}

// Where in the ring a bridge from m may end.
inline int capBridge(const Cap* cap, int count, double2 m)
{
	int best = -1;
	double nearest = INFINITY;
	for (int n = 0; n < count; ++n)
	{
		const int next = n + 1 < count ? n + 1 : 0;
		const double2 a = capAt(cap, cap->ring[n]), b = capAt(cap, cap->ring[next]);
		if ((a.y <= m.y) == (b.y <= m.y))
		{
			continue;
		}
		const double x = a.x + (m.y - a.y) / (b.y - a.y) * (b.x - a.x);
		if (x >= m.x && x < nearest)
		{
			nearest = x;
			best = a.x > b.x ? n : next;
		}
	}
	if (best < 0)
	{
		return 0;
	}
	const double2 hit = (double2)(nearest, m.y), end = capAt(cap, cap->ring[best]);
	double least = INFINITY;
	int seen = best;
	for (int n = 0; n < count; ++n)
	{
		const double2 q = capAt(cap, cap->ring[n]);
		const bool isCovered = end.y < m.y ? capCovers(m, end, hit, q) : capCovers(m, hit, end, q);
		if (n == best || !isCovered || !(q.x > m.x))
		{
			continue;
		}
		const double slope = fabs(q.y - m.y) / (q.x - m.x);
		if (slope < least)
		{
			least = slope;
			seen = n;
		}
	}
	return seen;
}

// Ring of an outer loop with its holes, the rightmost first. Returns its length.
inline int capJoin(Cap* cap, int outer)
{
	int count = 0;
	for (int n = cap->starts[outer]; n < cap->starts[outer + 1]; ++n)
	{
		cap->ring[count++] = n;
	}
	for (;;)
	{
		int hole = -1, tip = -1;
		for (int loop = 0; loop < cap->loops; ++loop)
		{
			for (int n = cap->starts[loop]; loop != outer && cap->owners[loop] == outer && n < cap->starts[loop + 1]; ++n)
			{
				if (tip < 0 || cap->flat[2 * n] > cap->flat[2 * tip])
				{
					tip = n;
					hole = loop;
				}
			}
		}
		if (hole < 0)
		{
			return count;
		}
		cap->owners[hole] = -1;
		const int at = capBridge(cap, count, capAt(cap, tip));
		const int first = cap->starts[hole], size = cap->starts[hole + 1] - first;
		int length = 0;
		for (int n = 0; n < count; ++n)
		{
			cap->spare[length++] = cap->ring[n];
			if (n == at)
			{
				for (int k = 0; k <= size; ++k)
				{
					cap->spare[length++] = first + (tip - first + k) % size;
				}
				cap->spare[length++] = cap->ring[n];
			}
		}
		__global int* swap = cap->ring;
		cap->ring = cap->spare;
		cap->spare = swap;
		count = length;
	}
}

// Whether an ear may be cut at a place of the ring, asked by all threads of a group. `found` is the group's.
inline bool capIsEar(const Cap* cap, int count, int at, uint thread, __local uint* found)
{
	const double2 a = capAt(cap, cap->ring[at == 0 ? count - 1 : at - 1]), b = capAt(cap, cap->ring[at]),
				  c = capAt(cap, cap->ring[at + 1 < count ? at + 1 : 0]);
	if (capSame(a, b) || capSame(b, c))
	{
		return true; // an edge of no length: its triangle vanishes
	}
	if (capTurn(a, b, c) <= 0.0)
	{
		return false;
	}
	CELL_SYNC;
	if (thread == 0)
	{
		*found = 0;
	}
	CELL_SYNC;
	for (int n = (int)thread; n < count; n += CAP_GROUP)
	{
		const double2 q = capAt(cap, cap->ring[n]);
		if (!capSame(q, a) && !capSame(q, b) && !capSame(q, c) && capCovers(a, b, c, q))
		{
			*found = 1;
		}
	}
	CELL_SYNC;
	return *found == 0;
}

inline void capClipEars(Cap* cap, int count, uint thread, __local uint* found)
{
	int from = 0;
	while (count >= 3)
	{
		int ear = -1;
		for (int n = 0; n < count && ear < 0; ++n)
		{
			const int at = (from + n) % count;
			ear = capIsEar(cap, count, at, thread, found) ? at : ear;
		}
		ear = ear < 0 ? from % count : ear;
		if (thread == 0)
		{
			capEmit(cap, cap->ring[ear == 0 ? count - 1 : ear - 1], cap->ring[ear], cap->ring[ear + 1 < count ? ear + 1 : 0]);
		}
		CELL_SYNC_ALL;
		for (int first = ear; first + 1 < count; first += CAP_GROUP)
		{
			const int n = first + (int)thread, next = n + 1 < count ? cap->ring[n + 1] : 0;
			CELL_SYNC_ALL;
			if (n + 1 < count)
			{
				cap->ring[n] = next;
			}
		}
		CELL_SYNC_ALL;
		count -= 1;
		from = ear; // go on beyond the ear: triangles stay fat
	}
}

inline double capArea(const Cap* cap, int loop, bool* isConvex)
{
	const int first = cap->starts[loop], last = cap->starts[loop + 1];
	double area = 0.0;
	*isConvex = true;
	for (int n = first; n < last; ++n)
	{
		const double2 a = capAt(cap, n), b = capAt(cap, n + 1 < last ? n + 1 : first),
					  c = capAt(cap, n + 2 < last ? n + 2 : first + n + 2 - last);
		area += capTurn(capAt(cap, first), a, b);
		*isConvex = *isConvex && capTurn(a, b, c) >= 0.0;
	}
	return area;
}

// One convex outline as a fan. False if it is not that.
inline bool capFan(Cap* cap)
{
	bool isConvex;
	capArea(cap, 0, &isConvex);
	if (cap->loops != 1 || !isConvex)
	{
		return false;
	}
	for (int n = 1; n + 1 < cap->starts[1]; ++n)
	{
		capEmit(cap, 0, n, n + 1);
	}
	return true;
}

// All outlines as triangles, by a group. `shared` has three numbers; triangles are counted by the first thread.
inline void capFillLoops(Cap* cap, uint thread, __local uint* shared)
{
	for (int loop = 0; loop < cap->loops; ++loop)
	{
		bool isConvex;
		cap->areas[loop] = capArea(cap, loop, &isConvex);
		cap->owners[loop] = loop;
	}
	for (int loop = 0; loop < cap->loops; ++loop)
	{
		double least = INFINITY;
		for (int outer = 0; cap->areas[loop] < 0.0 && outer < cap->loops; ++outer)
		{
			const double area = cap->areas[outer];
			if (area > 0.0 && area < least && area >= -cap->areas[loop] &&
				capContains(cap, outer, capAt(cap, cap->starts[loop])))
			{
				least = area;
				cap->owners[loop] = outer;
			}
		}
	}
	__global int* ring = cap->ring;
	__global int* spare = cap->spare;
	for (int loop = 0; loop < cap->loops; ++loop)
	{
		if (cap->owners[loop] != loop)
		{
			continue;
		}
		if (thread == 0)
		{
			cap->ring = ring, cap->spare = spare;
			shared[1] = (uint)capJoin(cap, loop);
			shared[2] = cap->ring == ring ? 0u : 1u;
		}
		CELL_SYNC_ALL;
		const int count = (int)shared[1];
		cap->ring = shared[2] == 0 ? ring : spare;
		CELL_SYNC;
		capClipEars(cap, count, thread, shared);
	}
}

inline bool capIsLower(__global const double* positions, uint a, uint b)
{
	const double ax = positions[3 * a], bx = positions[3 * b], ay = positions[3 * a + 1], by = positions[3 * b + 1];
	return ax != bx ? ax < bx : ay != by ? ay < by : positions[3 * a + 2] < positions[3 * b + 2];
}

// Links to loops. False if they do not close or are too many.
inline bool capTrace(Cap* cap, __global const double* positions, uint firstVertex, double4 normal)
{
	const bool alongX = fabs(normal.x) >= fabs(normal.y) && fabs(normal.x) >= fabs(normal.z);
	const bool alongY = !alongX && fabs(normal.y) >= fabs(normal.z);
	const bool isUp = (alongX ? normal.x : alongY ? normal.y : normal.z) > 0.0;
	const uint u = alongX ? 1 : alongY ? 2 : 0, v = alongX ? 2 : alongY ? 0 : 1;
	uint placed = 0;
	cap->loops = 0;
	cap->starts[0] = 0;
	while (placed < cap->count)
	{
		int at = -1;
		for (int n = 0; n < (int)cap->count; ++n)
		{
			if (cap->from[n] >= 0 && (at < 0 || capIsLower(positions, firstVertex + (uint)cap->from[n],
														   firstVertex + (uint)cap->from[at])))
			{
				at = n;
			}
		}
		const int start = at >= 0 ? cap->from[at] : -1;
		int vertex = start;
		while (at >= 0 && placed < cap->count)
		{
			const uint p = 3 * (firstVertex + (uint)vertex);
			cap->order[placed] = vertex;
			cap->flat[2 * placed] = positions[p + (isUp ? u : v)];
			cap->flat[2 * placed + 1] = positions[p + (isUp ? v : u)];
			placed += 1;
			vertex = cap->to[at];
			cap->from[at] = -1;
			at = -1;
			for (int n = 0; n < (int)cap->count && at < 0; ++n)
			{
				at = cap->from[n] == vertex ? n : at;
			}
		}
		if (start < 0 || vertex != start || cap->loops == CAP_LOOPS)
		{
			return false;
		}
		cap->loops += 1;
		cap->starts[cap->loops] = (int)placed;
	}
	return true;
}

// What a cell has to make caps from: its polygons as the surface was clipped, its corners that are inside.
typedef struct CapCell
{
	int cell;
	uint4 info;
	uint surfaceVertices;    // of the piece; corners inside come behind them
	__global const uint2* events; // of this facet
	uint eventCount;
	__global const double* cornerPlaces;
	__global const uint* numbers;
	__global const int* facetSites;
	__global const int2* loops;
	__global const int4* places;
	__global const CellBody* bodies;
	__local const ushort* inner;
} CapCell;

// A corner of a polygon where an edge in a facet begins or ends: the corner, and the facets of the edges before and
// after it (plus one, a byte each) and how many corners to go back for the next one, less one.
inline uint2 capEvent(uint corner, int before, int after, uint back)
{
	return (uint2)(corner, (uint)(max(before, -1) + 1) | (uint)(max(after, -1) + 1) << 8 | back << 16);
}

inline int capBefore(uint2 event)
{
	return (int)(event.y & 0xFFu) - 1;
}

inline int capAfter(uint2 event)
{
	return (int)(event.y >> 8 & 0xFFu) - 1;
}

// Lines of the surface in facet f, entrances on its edges, corners inside: as many links as its outline has.
inline uint capCountLinks(const CapCell* of, uint f, uint loopStart, uint loopEnd)
{
	uint links = 0;
	for (uint n = 0; n < of->eventCount; ++n)
	{
		const uint2 event = of->events[n];
		links += capAfter(event) != (int)f ? 0u : capBefore(event) >= 0 ? 2u : 1u;
	}
	for (uint n = loopStart; n < loopEnd; ++n)
	{
		links += of->inner[of->loops[n].x] != 0 ? 1u : 0u;
	}
	return links;
}

// Links of an outline: from point to point, by their numbers in the piece.
typedef struct CapLinks
{
	__global int* from;
	__global int* to;
	uint count;
} CapLinks;

// Links along the lines of the surface.
inline void capLinkLines(const CapCell* of, uint f, CapLinks* links)
{
	for (uint n = 0; n < of->eventCount; ++n)
	{
		const uint2 event = of->events[n];
		if (capAfter(event) == (int)f)
		{
			links->from[links->count] = (int)(of->numbers[event.x + 1 - (event.y >> 16)] & 0x7FFFFFFFu);
			links->to[links->count++] = (int)(of->numbers[event.x] & 0x7FFFFFFFu);
		}
	}
}

// Along the edge between the facets of `site` and `beyond`, in the direction of the facet's loop.
inline double4 capEdgeDirection(const CapCell* of, int site, int beyond)
{
	const int cell = of->cell;
	const int low = min(cell, min(site, beyond)), high = max(cell, max(site, beyond));
	const int4 o = of->places[low], l = of->places[cell ^ site ^ beyond ^ low ^ high], h = of->places[high];
	// Our direction against that of the rising sites.
	const bool isOdd = ((cell > site ? 1 : 0) + (cell > beyond ? 1 : 0) + (site > beyond ? 1 : 0)) % 2 == 1;
	const double sign = isOdd ? -1.0 : 1.0;
	const double ux = l.x - o.x, uy = l.y - o.y, uz = l.z - o.z;
	const double vx = h.x - o.x, vy = h.y - o.y, vz = h.z - o.z;
	return (double4)(sign * (uy * vz - uz * vy), sign * (uz * vx - ux * vz), sign * (ux * vy - uy * vx), 0.0);
}

// Links along one edge of the facet, from where the surface lets it into the solid to where it comes out again. Starts
// and ends are sorted along the edge, numbers in `ring` and `spare`, places in `flat`. False: they do not match.
inline bool capLinkEdge(const CapCell* of, Cap* cap, uint f, int site, int2 edge, uint nextCorner, CapLinks* made)
{
	const uint links = cap->count;
	const uint g = clipFacet(of->facetSites + of->info.x, of->info.y, edge.y);
	const double4 d = capEdgeDirection(of, site, edge.y);
	const Point origin = pointOfSite(of->places, of->bodies, min(of->cell, min(site, edge.y)));
	uint starts = 0, ends = 0;
	if (of->inner[edge.x] != 0)
	{
		cap->ring[starts] = (int)(of->surfaceVertices + of->inner[edge.x] - 1);
		cap->flat[starts++] = -INFINITY;
	}
	for (uint n = 0; n < of->eventCount; ++n)
	{
		const uint2 event = of->events[n];
		const int before = capBefore(event), after = capAfter(event);
		const bool enters = before == (int)g && after == (int)f, leaves = before == (int)f && after == (int)g;
		const uint count = enters ? starts : ends;
		if ((!enters && !leaves) || count >= links)
		{
			continue;
		}
		__global const double* place = of->cornerPlaces + 3 * event.x;
		const double along = d.x * (place[0] - origin.x) + d.y * (place[1] - origin.y) + d.z * (place[2] - origin.z);
		__global int* list = enters ? cap->ring : cap->spare;
		__global double* reals = cap->flat + (enters ? 0 : links);
		uint m = count;
		for (; m > 0 && reals[m - 1] > along; --m)
		{
			reals[m] = reals[m - 1];
			list[m] = list[m - 1];
		}
		reals[m] = along;
		list[m] = (int)(of->numbers[event.x] & 0x7FFFFFFFu);
		starts += enters ? 1 : 0;
		ends += enters ? 0 : 1;
	}
	if (of->inner[nextCorner] != 0 && ends < links)
	{
		cap->spare[ends++] = (int)(of->surfaceVertices + of->inner[nextCorner] - 1);
	}
	if (starts != ends || made->count + starts > links)
	{
		return false;
	}
	for (uint m = 0; m < starts; ++m)
	{
		made->from[made->count] = cap->ring[m];
		made->to[made->count++] = cap->spare[m];
	}
	return true;
}

// What is left of the surface's triangles in cells: where the polygon of each pair begins, its corners, and the label
// behind each.
typedef struct CapLines
{
	__global const uint* polygons;
	__global const uchar* sizes;
	__global const char* labels;
} CapLines;

// One walk of a thread over its share of a cell's polygons: how many events each facet has, or where they go. Shares
// follow each other, so events come in the order of polygons. `counts` has a number for each facet and thread.
inline void capWalk(const CapLines* lines, uint2 share, __local uint* counts, __local const uint* starts,
					__global uint2* events)
{
	for (uint p = share.x; p < share.y; ++p)
	{
		const uint size = lines->sizes[p], first = lines->polygons[p];
		int before = size > 0 ? lines->labels[first + size - 1] : -1;
		for (uint c = 0; c < size; ++c)
		{
			const int after = lines->labels[first + c];
			const uint2 event = capEvent(first + c, before, after, c + 1 < size ? 0u : size);
			for (uint side = 0; after >= 0 && side < 2; ++side)
			{
				const int facet = side == 0 ? after : before;
				if (facet < 0 || (side == 1 && before == after))
				{
					continue;
				}
				const uint n = counts[(uint)facet * CAP_GROUP]++;
				if (events != 0)
				{
					events[starts[facet] + n] = event;
				}
			}
			before = after;
		}
	}
}

// Events of a cell by facet, each facet's in the order of polygons. All threads come here together, each with its
// share.
inline void capSortEvents(const CapLines* lines, uint2 share, uint facetCount, __local uint* eventCounts,
						  __local uint* eventStarts, __global uint2* events)
{
	const uint t = get_local_id(0);
	for (uint f = 0; f < facetCount; ++f)
	{
		eventCounts[f * CAP_GROUP + t] = 0;
	}
	capWalk(lines, share, eventCounts + t, eventStarts, 0);
	CELL_SYNC;
	for (uint f = t; f < facetCount; f += CAP_GROUP)
	{
		uint sum = 0;
		for (uint i = 0; i < CAP_GROUP; ++i)
		{
			const uint own = eventCounts[f * CAP_GROUP + i];
			eventCounts[f * CAP_GROUP + i] = sum;
			sum += own;
		}
		eventStarts[f + 1] = sum;
	}
	CELL_SYNC;
	if (t == 0)
	{
		eventStarts[0] = 0;
		for (uint f = 0; f < facetCount; ++f)
		{
			eventStarts[f + 1] += eventStarts[f];
		}
	}
	CELL_SYNC;
	capWalk(lines, share, eventCounts + t, eventStarts, events);
	CELL_SYNC_ALL;
}

// Numbers from 1 of a cell's corners that are inside, 0 for the others. Returns how many are.
inline uint capNumberInner(__local const uchar* isInner, uint count, __local ushort* inner)
{
	uint innerCount = 0;
	for (uint c = 0; c < count; ++c)
	{
		innerCount += isInner[c];
	}
	for (uint c = get_local_id(0); c < count; c += CAP_GROUP)
	{
		uint rank = 0;
		for (uint b = 0; b < c; ++b)
		{
			rank += isInner[b];
		}
		inner[c] = (ushort)(isInner[c] != 0 ? rank + 1 : 0);
	}
	return innerCount;
}

// Vertices of a piece: those of the surface by their numbers, then the cell's corners that are inside.
inline void capWriteVertices(__global const double* cornerPlaces, __global const uint* numbers,
							 __global const double* vertices, uint4 info, uint4 rings, __local const ushort* inner,
							 uint firstVertex, __global double* pieceVertices)
{
	for (uint i = rings.x + get_local_id(0); i < rings.x + rings.y; i += CAP_GROUP)
	{
		const uint number = numbers[i];
		if ((number & 0x80000000u) != 0)
		{
			const uint v = 3 * (firstVertex + (number & 0x7FFFFFFFu));
			pieceVertices[v] = cornerPlaces[3 * i];
			pieceVertices[v + 1] = cornerPlaces[3 * i + 1];
			pieceVertices[v + 2] = cornerPlaces[3 * i + 2];
		}
	}
	for (uint c = get_local_id(0); c < info.w; c += CAP_GROUP)
	{
		if (inner[c] != 0)
		{
			const uint v = 3 * (firstVertex + rings.z + inner[c] - 1), p = 3 * (info.z + c);
			pieceVertices[v] = vertices[p], pieceVertices[v + 1] = vertices[p + 1], pieceVertices[v + 2] = vertices[p + 2];
		}
	}
}

// Where caps go, as brk_capFill has it.
typedef struct CapOutput
{
	__global const uint* facetStarts;
	__global int* scratchInts;
	__global double* scratchReals;
	uint scratchCapacity;
	__global double* pieceVertices;
	uint firstVertex;
	__global uint* troubles;
	volatile __global uint* counters;
} CapOutput;

// The cap on a facet: its first triangle and how many; 0, 0 if there is none; with CAP_OPEN where its outlines wait for
// brk_capEars.
inline uint2 capFillFacet(const CapCell* of, const CapOutput* out, uint f, bool hasRoom)
{
	const int site = of->facetSites[of->info.x + f];
	const uint loopStart = out->facetStarts[of->info.x + f], loopEnd = clipLoopEnd(out->facetStarts, of->info, f);
	const uint links = site >= 0 && hasRoom ? capCountLinks(of, f, loopStart, loopEnd) : 0;
	if (links == 0)
	{
		return (uint2)(0, 0);
	}
	const uint start = atomic_add(&out->counters[CLIP_SCRATCH], links);
	if (start + links > out->scratchCapacity)
	{
		return (uint2)(0, 0); // counted; the host makes room and asks again
	}
	Cap cap;
	capPlace(&cap, out->scratchInts, out->scratchReals, start, links);
	const bool isFlipped = of->cell > site; // seen from the lower site
	CapLinks made = {isFlipped ? cap.to : cap.from, isFlipped ? cap.from : cap.to, 0};
	capLinkLines(of, f, &made);
	bool isGood = true;
	for (uint n = loopStart; n < loopEnd && isGood; ++n)
	{
		const uint nextCorner = (uint)of->loops[n + 1 < loopEnd ? n + 1 : loopStart].x;
		isGood = of->loops[n].y < 0 || capLinkEdge(of, &cap, f, site, of->loops[n], nextCorner, &made);
	}
	isGood = isGood && made.count == links;
	if (isGood)
	{
		const int4 lowPlace = of->places[min(of->cell, site)], highPlace = of->places[max(of->cell, site)];
		isGood = capTrace(&cap, out->pieceVertices, out->firstVertex,
						  (double4)(highPlace.x - lowPlace.x, highPlace.y - lowPlace.y, highPlace.z - lowPlace.z, 0.0));
	}
	if (!isGood)
	{
		atomic_inc(&out->counters[CLIP_TANGLED]);
		out->troubles[of->places[of->cell].w] = 1;
		return (uint2)(0, 0);
	}
	if (capFan(&cap))
	{
		return (uint2)((uint)(cap.made - out->scratchInts), cap.triangles);
	}
	// An outline has three points at least, so there is room for what the next kernel must know.
	cap.from[0] = cap.loops;
	for (int loop = 0; loop < cap.loops; ++loop)
	{
		cap.from[1 + loop] = cap.starts[loop + 1];
	}
	return (uint2)(start, links | CAP_OPEN);
}

// A group a cell, a thread a facet. events: two places for each corner. cellVertices: first vertex of the piece,
// vertices. capRuns: first triangle, triangles of a facet.
__kernel __attribute__((reqd_work_group_size(CAP_GROUP, 1, 1))) void
brk_capFill(__global const uint4* infos, __global const int* facetSites, __global const uint* facetStarts,
			__global const int2* loops, __global const uint* owners, __global const int* windings,
			__global const double* vertices, __global const uint2* cellPairs, __global const uint* polygons,
			__global const uchar* sizes, __global const char* labels, __global const double* cornerPlaces,
			__global const uint* numbers, __global const uint4* cellRings, __global const int4* places,
			__global const CellBody* bodies, __global double* pieceVertices, uint vertexCapacity,
			__global uint2* cellVertices, __global int* scratchInts, __global double* scratchReals, uint scratchCapacity,
			__global uint2* capRuns, __global uint2* events, __global uint* troubles, volatile __global uint* counters)
{
	__local uint eventCounts[CELL_PLANES * CAP_GROUP];
	__local uint eventStarts[CELL_PLANES + 1];
	__local ushort inner[CELL_CORNERS]; // number of a corner that is inside, plus one
	__local uchar isInner[CELL_CORNERS];
	__local uint base;
	const uint t = get_local_id(0);
	const int cell = (int)get_group_id(0);
	const uint4 info = infos[cell], rings = cellRings[cell];
	const uint pairFirst = cellPairs[cell].x, pairCount = rings.y > 0 ? cellPairs[cell].y : 0u;
	for (uint c = t; c < info.w; c += CAP_GROUP)
	{
		isInner[c] = windings[owners[info.z + c]] == 2 ? 1 : 0;
	}
	CELL_SYNC;
	const uint innerCount = capNumberInner(isInner, info.w, inner);
	if (t == 0)
	{
		base = atomic_add(&counters[CLIP_VERTICES], rings.z + innerCount);
		cellVertices[cell] = (uint2)(base, rings.z + innerCount);
	}
	CELL_SYNC;
	const uint firstVertex = base;
	const bool hasRoom = firstVertex + rings.z + innerCount <= vertexCapacity;
	if (hasRoom)
	{
		capWriteVertices(cornerPlaces, numbers, vertices, info, rings, inner, firstVertex, pieceVertices);
	}
	CELL_SYNC_ALL;

	const uint sharePairs = (pairCount + CAP_GROUP - 1) / CAP_GROUP;
	const uint2 share = (uint2)(pairFirst + min(t * sharePairs, pairCount), pairFirst + min((t + 1) * sharePairs, pairCount));
	__global uint2* cellEvents = events + 2 * rings.x;
	const CapLines lines = {polygons, sizes, labels};
	capSortEvents(&lines, share, info.y, eventCounts, eventStarts, cellEvents);

	CapCell of = {cell, info, rings.z, 0, 0, cornerPlaces, numbers, facetSites, loops, places, bodies, inner};
	const CapOutput out = {facetStarts,   scratchInts, scratchReals, scratchCapacity,
						   pieceVertices, firstVertex, troubles,	  counters};
	for (uint f = t; f < info.y; f += CAP_GROUP)
	{
		of.events = cellEvents + eventStarts[f];
		of.eventCount = eventStarts[f + 1] - eventStarts[f];
		capRuns[info.x + f] = capFillFacet(&of, &out, f, hasRoom);
	}
}

// Outlines that are not convex. CAP_SPLIT groups a cell, a facet at a time.
__kernel __attribute__((reqd_work_group_size(CAP_GROUP, 1, 1))) void
brk_capEars(__global const uint4* infos, __global uint2* capRuns, __global int* scratchInts,
			__global double* scratchReals)
{
	__local uint shared[3];
	const uint t = get_local_id(0);
	const uint4 info = infos[get_group_id(0) / CAP_SPLIT];
	for (uint f = get_group_id(0) % CAP_SPLIT; f < info.y; f += CAP_SPLIT)
	{
		const uint2 run = capRuns[info.x + f];
		if ((run.y & CAP_OPEN) == 0)
		{
			continue;
		}
		Cap cap;
		capPlace(&cap, scratchInts, scratchReals, run.x, run.y & ~CAP_OPEN);
		cap.loops = cap.from[0];
		cap.starts[0] = 0;
		for (int loop = 0; loop < cap.loops; ++loop)
		{
			cap.starts[loop + 1] = cap.from[1 + loop];
		}
		capFillLoops(&cap, t, shared);
		CELL_SYNC_ALL;
		if (t == 0)
		{
			capRuns[info.x + f] = (uint2)((uint)(cap.made - scratchInts), cap.triangles);
		}
	}
}

// Moments of a solid, as mesh/mass.c has them: six times the volume, 24 times the first ones, 120 times the second
// ones.
inline void pieceAddMoments(double* moments, Point site, Point pa, Point pb, Point pc)
{
	const double ax = pa.x - site.x, ay = pa.y - site.y, az = pa.z - site.z;
	const double bx = pb.x - site.x, by = pb.y - site.y, bz = pb.z - site.z;
	const double cx = pc.x - site.x, cy = pc.y - site.y, cz = pc.z - site.z;
	const double det = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
	const double sx = ax + bx + cx, sy = ay + by + cy, sz = az + bz + cz;
	moments[0] += det;
	moments[1] += det * sx, moments[2] += det * sy, moments[3] += det * sz;
	moments[4] += det * (sx * sx + ax * ax + bx * bx + cx * cx);
	moments[5] += det * (sy * sy + ay * ay + by * by + cy * cy);
	moments[6] += det * (sz * sz + az * az + bz * bz + cz * cz);
	moments[7] += det * (sx * sy + ax * ay + bx * by + cx * cy);
	moments[8] += det * (sx * sz + ax * az + bx * bz + cx * cz);
	moments[9] += det * (sy * sz + ay * az + by * bz + cy * cz);
}

// Volume, center, inertia about it (xx yy zz xy xz yz) of density 1.
inline void pieceStoreMass(__local const double* sums, Point site, __global double* mass)
{
	const double volume = sums[0] / 6.0, scale = volume > 0.0 ? 1.0 / (24.0 * volume) : 0.0;
	const double x = scale * sums[1], y = scale * sums[2], z = scale * sums[3];
	const double xx = sums[4] / 120.0 - volume * x * x, yy = sums[5] / 120.0 - volume * y * y;
	const double zz = sums[6] / 120.0 - volume * z * z;
	mass[0] = volume;
	mass[1] = site.x + x, mass[2] = site.y + y, mass[3] = site.z + z;
	mass[4] = yy + zz, mass[5] = xx + zz, mass[6] = xx + yy;
	mass[7] = volume * x * y - sums[7] / 120.0;
	mass[8] = volume * x * z - sums[8] / 120.0;
	mass[9] = volume * y * z - sums[9] / 120.0;
}

// Surface and caps of each cell as one mesh, triangles of the surface first. pieces: first vertex, vertices, first
// triangle, triangles. skins: how many of these are of the surface. masses: PIECE_MOMENTS a cell.
__kernel __attribute__((reqd_work_group_size(PIECE_GROUP, 1, 1))) void
brk_pieceWrite(__global const uint4* infos, __global const int* facetSites, __global const uint2* cellPairs,
			   __global const uint* polygons, __global const uchar* sizes, __global const uint* numbers,
			   __global const uint4* cellRings, __global const uint2* capRuns, __global const int* scratchInts,
			   __global const double* pieceVertices, uint vertexCapacity, __global const uint2* cellVertices,
			   __global const int4* places, __global const CellBody* bodies, __global int* pieceTriangles,
			   uint capacity, __global uint4* pieces, __global uint* skins, __global double* masses,
			   volatile __global uint* counters)
{
	__local uint2 sums[PIECE_GROUP];
	__local uint base;
	__local double moments[PIECE_GROUP * PIECE_MOMENTS];
	__local double totals[PIECE_MOMENTS];
	const uint t = get_local_id(0);
	const int cell = (int)get_group_id(0);
	const uint4 info = infos[cell];
	const uint2 own = cellVertices[cell];
	const uint pairFirst = cellPairs[cell].x;
	const uint pairCount = cellRings[cell].y > 0 && own.x + own.y <= vertexCapacity ? cellPairs[cell].y : 0u;
	const uint facetCount = own.x + own.y <= vertexCapacity ? info.y : 0u;
	const uint share = (pairCount + PIECE_GROUP - 1) / PIECE_GROUP;
	const uint begin = min(t * share, pairCount), end = min(begin + share, pairCount);
	uint2 sum = (uint2)(0, 0); // of rings, of caps
	for (uint p = pairFirst + begin; p < pairFirst + end; ++p)
	{
		sum.x += sizes[p] >= 3 ? sizes[p] - 2u : 0u;
	}
	for (uint f = t; f < facetCount; f += PIECE_GROUP)
	{
		sum.y += capRuns[info.x + f].y;
	}
	sums[t] = sum;
	CELL_SYNC;
	uint2 before = (uint2)(0, 0), all = (uint2)(0, 0);
	for (uint i = 0; i < PIECE_GROUP; ++i)
	{
		before += i < t ? sums[i] : (uint2)(0, 0);
		all += sums[i];
	}
	const uint total = all.x + all.y;
	if (t == 0)
	{
		base = atomic_add(&counters[CLIP_TRIANGLES], total);
		pieces[cell] = (uint4)(own.x, own.y, base, total);
		skins[cell] = all.x;
		if (total > 0)
		{
			atomic_inc(&counters[CLIP_PIECES]);
		}
	}
	CELL_SYNC;
	double sum10[PIECE_MOMENTS] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
	const Point site = pointOfSite(places, bodies, cell);
	const uint runs = facetCount > t ? (facetCount - t - 1) / PIECE_GROUP + 1 : 0u;
	uint ringAt = base + before.x, capAt = base + all.x + before.y;
	// First our rings, then our facets, each as a list of triangles.
	for (uint k = 0; base + total <= capacity && k < end - begin + runs; ++k)
	{
		const bool isRing = k < end - begin;
		const uint p = pairFirst + begin + k;
		const uint facet = t + (isRing ? 0 : k - (end - begin)) * PIECE_GROUP;
		const uint2 cap = isRing ? (uint2)(0, 0) : capRuns[info.x + facet];
		const uint count = isRing ? (sizes[p] >= 3 ? sizes[p] - 2u : 0u) : cap.y;
		const bool isFlipped = !isRing && cell > facetSites[info.x + facet];
		const uint first = isRing ? ringAt : capAt;
		ringAt += isRing ? count : 0u;
		capAt += isRing ? 0u : count;
		for (uint n = 0; n < count; ++n)
		{
			uint corners[3];
			for (uint c = 0; c < 3; ++c)
			{
				corners[c] = isRing ? numbers[polygons[p] + (c == 0 ? 0 : n + c)] & 0x7FFFFFFFu
									: (uint)scratchInts[cap.x + 3 * n + (isFlipped ? 2 - c : c)];
				pieceTriangles[3 * (first + n) + c] = (int)corners[c];
			}
			pieceAddMoments(sum10, site, pointAt(pieceVertices, own.x + corners[0]),
							pointAt(pieceVertices, own.x + corners[1]), pointAt(pieceVertices, own.x + corners[2]));
		}
	}
	for (uint k = 0; k < PIECE_MOMENTS; ++k)
	{
		moments[k * PIECE_GROUP + t] = sum10[k];
	}
	CELL_SYNC;
	for (uint k = t; k < PIECE_MOMENTS; k += PIECE_GROUP)
	{
		double sum = 0.0;
		for (uint i = 0; i < PIECE_GROUP; ++i)
		{
			sum += moments[k * PIECE_GROUP + i];
		}
		totals[k] = sum;
	}
	CELL_SYNC;
	if (t == 0)
	{
		pieceStoreMass(totals, site, masses + PIECE_MOMENTS * cell);
	}
}

#else

__kernel void brk_capFill(void)
{
}
__kernel void brk_capEars(void)
{
}
__kernel void brk_pieceWrite(void)
{
}

#endif
