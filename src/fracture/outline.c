// SPDX-License-Identifier: MIT

// Holes are given to the smallest outer loop around them, joined to it by bridges, from the rightmost hole on (as in ear
// clipping by Eberly), and the ring that results is clipped ear by ear. The outlines were rounded, so they may touch or
// cross themselves by an ulp: geometry guides the choice of ears, but any choice gives faces that fit together. Where
// no ear is left the thinnest corner goes, so that a fold stays as small as the rounding that made it.

#include "fracture/outline.h"

#include "math/predicates.h"

#include <math.h>

void brOutline_Init(brOutline* outline, const brAllocator* allocator)
{
	*outline = (brOutline){.allocator = *allocator};
}

void brOutline_Free(brOutline* outline)
{
	const brAllocator* a = &outline->allocator;
	BR_FREE_ARRAY(a, &outline->points);
	BR_FREE_ARRAY(a, &outline->ids);
	BR_FREE_ARRAY(a, &outline->starts);
	BR_FREE_ARRAY(a, &outline->owners);
	BR_FREE_ARRAY(a, &outline->areas);
	BR_FREE_ARRAY(a, &outline->ring);
	BR_FREE_ARRAY(a, &outline->spare);
	BR_FREE_ARRAY(a, &outline->triangles);
	BR_FREE_ARRAY(a, &outline->links);
	BR_FREE_ARRAY(a, &outline->pending);
}

// Twice the signed area.
static double outlineArea(const brOutline* outline, int32_t loop)
{
	int32_t first = outline->starts.data[loop], last = outline->starts.data[loop + 1];
	const brDVec2* p = outline->points.data;
	double sum = 0.0;
	for (int32_t n = first + 1; n + 1 < last; ++n)
	{
		sum += (p[n].x - p[first].x) * (p[n + 1].y - p[first].y) - (p[n].y - p[first].y) * (p[n + 1].x - p[first].x);
	}
	return sum;
}

static bool outlineContains(const brOutline* outline, int32_t loop, brDVec2 q)
{
	int32_t first = outline->starts.data[loop], last = outline->starts.data[loop + 1];
	const brDVec2* p = outline->points.data;
	bool isInside = false;
	for (int32_t n = first, m = last - 1; n < last; m = n++)
	{
		if ((p[n].y > q.y) != (p[m].y > q.y))
		{
			// The edge from its lower end up has q on its left.
			bool isUp = p[n].y > p[m].y;
			isInside ^= isUp ? brOrient2d(p[m], p[n], q) > 0 : brOrient2d(p[n], p[m], q) > 0;
		}
	}
	return isInside;
}

static bool outlineSamePlace(brDVec2 a, brDVec2 b)
{
	return a.x == b.x && a.y == b.y;
}

// Whether q lies in the closed triangle, which turns left.
static bool outlineCovers(brDVec2 a, brDVec2 b, brDVec2 c, brDVec2 q)
{
	return brOrient2d(a, b, q) >= 0 && brOrient2d(b, c, q) >= 0 && brOrient2d(c, a, q) >= 0;
}

// Whether a line to m leaves this corner of the ring to the inside. Bridges double corners: of two at one place one
// sees m.
static bool outlineSees(const brOutline* outline, int32_t at, brDVec2 m)
{
	const int32_t* ring = outline->ring.data;
	const brDVec2* p = outline->points.data;
	int32_t count = outline->ring.count;
	brDVec2 a = p[ring[at == 0 ? count - 1 : at - 1]], b = p[ring[at]], c = p[ring[at + 1 < count ? at + 1 : 0]];
	bool isLeftIn = brOrient2d(a, b, m) > 0, isLeftOut = brOrient2d(b, c, m) > 0;
	return brOrient2d(a, b, c) > 0 ? isLeftIn && isLeftOut : isLeftIn || isLeftOut;
}

// Where in the ring a bridge from m may end: the edge that a ray to the right meets first, or a corner that hides it.
static int32_t outlineBridge(const brOutline* outline, brDVec2 m)
{
	const int32_t* ring = outline->ring.data;
	const brDVec2* p = outline->points.data;
	int32_t count = outline->ring.count;
	int32_t best = -1;
	double nearest = INFINITY;
	for (int32_t n = 0; n < count; ++n)
	{
		brDVec2 a = p[ring[n]], b = p[ring[n + 1 < count ? n + 1 : 0]];
		if ((a.y <= m.y) == (b.y <= m.y))
		{
			continue;
		}
		double x = a.x + (m.y - a.y) / (b.y - a.y) * (b.x - a.x);
		if (x >= m.x && x < nearest)
		{
			nearest = x;
			best = a.x > b.x ? n : (n + 1 < count ? n + 1 : 0);
		}
	}
	if (best < 0)
	{
		return 0;
	}
	// Corners inside the triangle of m, the hit and the chosen end: the one nearest to the ray's direction is seen.
	brDVec2 hit = {nearest, m.y}, end = p[ring[best]];
	double least = INFINITY;
	int32_t seen = best;
	for (int32_t n = 0; n < count; ++n)
	{
		brDVec2 q = p[ring[n]];
		bool isCovered = end.y < m.y ? outlineCovers(m, end, hit, q) : outlineCovers(m, hit, end, q);
		if (n == best || !isCovered || !(q.x > m.x) || !outlineSees(outline, n, m))
		{
			continue;
		}
		double slope = fabs(q.y - m.y) / (q.x - m.x);
		if (slope < least)
		{
			least = slope;
			seen = n;
		}
	}
	return seen;
}

// Ring of an outer loop with its holes, the rightmost first.
static bool outlineJoin(brOutline* outline, int32_t outer)
{
	const brAllocator* a = &outline->allocator;
	const brDVec2* p = outline->points.data;
	outline->ring.count = 0;
	for (int32_t n = outline->starts.data[outer]; n < outline->starts.data[outer + 1]; ++n)
	{
		if (!BR_PUSH(a, &outline->ring, n))
		{
			return false;
		}
	}
	for (;;)
	{
		int32_t hole = -1, tip = -1;
		for (int32_t loop = 0; loop + 1 < outline->starts.count; ++loop)
		{
			if (loop == outer || outline->owners.data[loop] != outer)
			{
				continue;
			}
			for (int32_t n = outline->starts.data[loop]; n < outline->starts.data[loop + 1]; ++n)
			{
				if (tip < 0 || p[n].x > p[tip].x)
				{
					tip = n;
					hole = loop;
				}
			}
		}
		if (hole < 0)
		{
			return true;
		}
		outline->owners.data[hole] = -1; // done
		int32_t at = outlineBridge(outline, p[tip]);
		int32_t first = outline->starts.data[hole], size = outline->starts.data[hole + 1] - first;
		outline->spare.count = 0;
		if (!BR_RESERVE(a, &outline->spare, (int64_t)outline->ring.count + size + 2))
		{
			return false;
		}
		for (int32_t n = 0; n < outline->ring.count; ++n)
		{
			outline->spare.data[outline->spare.count++] = outline->ring.data[n];
			if (n == at)
			{
				for (int32_t k = 0; k <= size; ++k)
				{
					outline->spare.data[outline->spare.count++] = first + (tip - first + k) % size;
				}
				outline->spare.data[outline->spare.count++] = outline->ring.data[n];
			}
		}
		brOutlineInts swap = outline->ring;
		outline->ring = outline->spare;
		outline->spare = swap;
	}
}

// What keeps a corner from being an ear: another one in its closed triangle; later only one in its inside.
static bool outlineIsEar(const brOutline* outline, int32_t at, bool isClosed)
{
	const int32_t* ring = outline->ring.data;
	const brDVec2* p = outline->points.data;
	int32_t count = outline->ring.count;
	brDVec2 a = p[ring[at == 0 ? count - 1 : at - 1]], b = p[ring[at]], c = p[ring[at + 1 < count ? at + 1 : 0]];
	if (outlineSamePlace(a, b) || outlineSamePlace(b, c))
	{
		return true; // an edge of no length: its triangle vanishes
	}
	if (brOrient2d(a, b, c) <= 0)
	{
		return false;
	}
	int least = isClosed ? 0 : 1;
	double left = fmin(a.x, fmin(b.x, c.x)), right = fmax(a.x, fmax(b.x, c.x));
	double low = fmin(a.y, fmin(b.y, c.y)), high = fmax(a.y, fmax(b.y, c.y));
	for (int32_t n = 0; n < count; ++n)
	{
		brDVec2 q = p[ring[n]];
		bool isInBox = q.x >= left && q.x <= right && q.y >= low && q.y <= high;
		if (isInBox && !outlineSamePlace(q, a) && !outlineSamePlace(q, b) && !outlineSamePlace(q, c) &&
			brOrient2d(a, b, q) >= least && brOrient2d(b, c, q) >= least && brOrient2d(c, a, q) >= least)
		{
			return false;
		}
	}
	return true;
}

// The first ear from a corner on, -1 if there is none.
static int32_t outlineFindEar(const brOutline* outline, int32_t from, bool isClosed)
{
	int32_t count = outline->ring.count;
	for (int32_t n = 0; n < count; ++n)
	{
		if (outlineIsEar(outline, (from + n) % count, isClosed))
		{
			return (from + n) % count;
		}
	}
	return -1;
}

static int32_t outlineFindThinnest(const brOutline* outline)
{
	const int32_t* ring = outline->ring.data;
	const brDVec2* p = outline->points.data;
	int32_t count = outline->ring.count, thinnest = 0;
	double least = INFINITY;
	for (int32_t n = 0; n < count; ++n)
	{
		brDVec2 a = p[ring[n == 0 ? count - 1 : n - 1]], b = p[ring[n]], c = p[ring[n + 1 < count ? n + 1 : 0]];
		double area = fabs((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
		if (area < least)
		{
			least = area;
			thinnest = n;
		}
	}
	return thinnest;
}

// The ring as triangles.
static bool outlineClipEars(brOutline* outline)
{
	const brAllocator* a = &outline->allocator;
	int32_t from = 0;
	while (outline->ring.count >= 3)
	{
		int32_t count = outline->ring.count;
		int32_t ear = outlineFindEar(outline, from % count, true);
		ear = ear >= 0 ? ear : outlineFindEar(outline, from % count, false);
		ear = ear >= 0 ? ear : outlineFindThinnest(outline);
		const int32_t* ring = outline->ring.data;
		int32_t triangle[3] = {ring[ear == 0 ? count - 1 : ear - 1], ring[ear], ring[ear + 1 < count ? ear + 1 : 0]};
		for (int32_t n = 0; n < 3; ++n)
		{
			if (!BR_PUSH(a, &outline->triangles, triangle[n]))
			{
				return false;
			}
		}
		for (int32_t n = ear; n + 1 < count; ++n)
		{
			outline->ring.data[n] = outline->ring.data[n + 1];
		}
		--outline->ring.count;
		from = ear; // go on beyond the ear: triangles stay fat
	}
	return true;
}

// Gives each hole the smallest outer loop around it.
static bool outlineFindOwners(brOutline* outline)
{
	const brAllocator* a = &outline->allocator;
	int32_t loops = outline->starts.count - 1;
	outline->areas.count = 0;
	outline->owners.count = 0;
	for (int32_t loop = 0; loop < loops; ++loop)
	{
		if (!BR_PUSH(a, &outline->areas, outlineArea(outline, loop)) || !BR_PUSH(a, &outline->owners, loop))
		{
			return false;
		}
	}
	for (int32_t loop = 0; loop < loops; ++loop)
	{
		double least = INFINITY;
		for (int32_t outer = 0; outline->areas.data[loop] < 0.0 && outer < loops; ++outer)
		{
			double area = outline->areas.data[outer];
			if (area > 0.0 && area < least && area >= -outline->areas.data[loop] &&
				outlineContains(outline, outer, outline->points.data[outline->starts.data[loop]]))
			{
				least = area;
				outline->owners.data[loop] = outer;
			}
		}
	}
	return true;
}

static bool outlineHasHoles(const brOutline* outline, int32_t loop)
{
	for (int32_t hole = 0; hole + 1 < outline->starts.count; ++hole)
	{
		if (hole != loop && outline->owners.data[hole] == loop)
		{
			return true;
		}
	}
	return false;
}

bool brOutline_Triangulate(brOutline* outline)
{
	outline->triangles.count = 0;
	if (!outlineFindOwners(outline))
	{
		return false;
	}
	for (int32_t loop = 0; loop + 1 < outline->starts.count; ++loop)
	{
		if (outline->owners.data[loop] == loop && (!outlineJoin(outline, loop) || !outlineClipEars(outline)))
		{
			return false;
		}
	}
	return true;
}

bool brOutline_Fill(brOutline* outline, brOutlineInts* corners, brOutlineInts* ends)
{
	const brAllocator* a = &outline->allocator;
	if (!outlineFindOwners(outline))
	{
		return false;
	}
	for (int32_t loop = 0; loop + 1 < outline->starts.count; ++loop)
	{
		if (outline->owners.data[loop] != loop)
		{
			continue;
		}
		bool isRing = outlineHasHoles(outline, loop);
		outline->triangles.count = 0;
		if (isRing && (!outlineJoin(outline, loop) || !outlineClipEars(outline) || !brOutline_Flip(outline)))
		{
			return false;
		}
		int32_t first = isRing ? 0 : outline->starts.data[loop];
		int32_t last = isRing ? outline->triangles.count : outline->starts.data[loop + 1];
		for (int32_t n = first; n < last; ++n)
		{
			int32_t point = isRing ? outline->triangles.data[n] : n;
			bool isEnd = isRing ? n % 3 == 2 : n + 1 == last;
			if (!BR_PUSH(a, corners, outline->ids.data[point]) || (isEnd && !BR_PUSH(a, ends, corners->count)))
			{
				return false;
			}
		}
	}
	return true;
}
