// SPDX-License-Identifier: MIT

// Outlines as triangles with points inside: the points of a triangular grid are put into the plain triangulation one by
// one, and sides are flipped until they are Delaunay (Lawson 1977). Sides of the outline itself never flip. A side
// flips only between two triangles that turn left and a quadrilateral that is convex, so rounding and outlines that
// touch themselves do no harm; what cannot flip stays.

#include "fracture/outline.h"

#include "math/predicates.h"

// More points than this in one outline would be a spacing that does not fit the model; the grid is made coarser.
#define FINE_MAX_POINTS 100000

static int32_t fineNext(int32_t side)
{
	return side % 3 == 2 ? side - 2 : side + 1;
}

// How many sides go from p to q, of those that leave p; the last of them.
static int32_t fineSidesBetween(const brOutline* outline, int32_t p, int32_t q, int32_t* outLast)
{
	int32_t count = 0;
	for (int32_t side = outline->spare.data[p]; side >= 0; side = outline->pending.data[side])
	{
		bool isThere = outline->triangles.data[fineNext(side)] == q;
		count += isThere;
		*outLast = isThere ? side : *outLast;
	}
	return count;
}

// Joins triangles across sides. A pair of points that more than two triangles have is left apart.
static bool fineLink(brOutline* outline)
{
	const brAllocator* a = &outline->allocator;
	int32_t count = outline->triangles.count;
	outline->links.count = outline->spare.count = outline->pending.count = 0;
	if (!BR_RESERVE(a, &outline->links, count) || !BR_RESERVE(a, &outline->pending, count) ||
		!BR_RESERVE(a, &outline->spare, outline->points.count))
	{
		return false;
	}
	// Sides by the point that they leave: the first in `spare`, the one after each in `pending`.
	for (int32_t n = 0; n < outline->points.count; ++n)
	{
		outline->spare.data[n] = -1;
	}
	for (int32_t side = 0; side < count; ++side)
	{
		int32_t p = outline->triangles.data[side];
		outline->pending.data[side] = outline->spare.data[p];
		outline->spare.data[p] = side;
		outline->links.data[side] = -1;
	}
	for (int32_t side = 0; side < count; ++side)
	{
		int32_t p = outline->triangles.data[side], q = outline->triangles.data[fineNext(side)], twin = -1, own = -1;
		bool isKnown = outline->links.data[side] >= 0;
		if (!isKnown && fineSidesBetween(outline, q, p, &twin) == 1 && fineSidesBetween(outline, p, q, &own) == 1)
		{
			outline->links.data[side] = twin;
			outline->links.data[twin] = side;
		}
	}
	outline->links.count = count;
	return true;
}

static void fineJoin(brOutline* outline, int32_t side, int32_t other)
{
	outline->links.data[side] = other;
	if (other >= 0)
	{
		outline->links.data[other] = side;
	}
}

static brDVec2 finePoint(const brOutline* outline, int32_t side)
{
	return outline->points.data[outline->triangles.data[side]];
}

// Flips a side if that makes it Delaunay; true if it did.
static bool fineFlip(brOutline* outline, int32_t side)
{
	int32_t other = outline->links.data[side];
	if (other < 0)
	{
		return false;
	}
	int32_t s1 = fineNext(side), s2 = fineNext(s1), o1 = fineNext(other), o2 = fineNext(o1);
	brDVec2 a = finePoint(outline, side), b = finePoint(outline, s1), c = finePoint(outline, s2),
			d = finePoint(outline, o2);
	// Most sides are Delaunay already.
	if (brInCircle(a, b, c, d) <= 0 || brOrient2d(a, b, c) <= 0 || brOrient2d(b, a, d) <= 0 ||
		brOrient2d(c, a, d) <= 0 || brOrient2d(c, d, b) <= 0)
	{
		return false;
	}
	// abc, bad become adc (in place of abc) and dbc.
	int32_t pa = outline->triangles.data[side], pb = outline->triangles.data[s1], pc = outline->triangles.data[s2],
			pd = outline->triangles.data[o2];
	int32_t bc = outline->links.data[s1], ca = outline->links.data[s2], ad = outline->links.data[o1],
			db = outline->links.data[o2];
	int32_t t = side - side % 3, u = other - other % 3;
	int32_t* triangles = outline->triangles.data;
	triangles[t] = pa, triangles[t + 1] = pd, triangles[t + 2] = pc;
	triangles[u] = pd, triangles[u + 1] = pb, triangles[u + 2] = pc;
	fineJoin(outline, t, ad);
	fineJoin(outline, t + 2, ca);
	fineJoin(outline, u, db);
	fineJoin(outline, u + 1, bc);
	fineJoin(outline, t + 1, u + 2);
	return true;
}

// Flips sides until those that wait, and what they touch, are Delaunay.
static bool fineSettle(brOutline* outline)
{
	const brAllocator* a = &outline->allocator;
	while (outline->pending.count > 0)
	{
		int32_t side = outline->pending.data[--outline->pending.count];
		int32_t other = outline->links.data[side];
		if (fineFlip(outline, side))
		{
			// The side itself is Delaunay by now: the second of one triangle and the third of the other.
			int32_t t = side - side % 3, u = other - other % 3, next[4] = {t, t + 2, u, u + 1};
			for (int32_t k = 0; k < 4; ++k)
			{
				if (!BR_PUSH(a, &outline->pending, next[k]))
				{
					return false;
				}
			}
		}
	}
	return true;
}

// A triangle with the point inside, or -1. Walks from `hint`, and where a corner of the outline is in the way looks at
// all.
static int32_t fineFind(const brOutline* outline, int32_t hint, brDVec2 p)
{
	int32_t count = outline->triangles.count / 3;
	for (int32_t steps = 0; steps < count; ++steps)
	{
		int32_t out = -1;
		for (int32_t k = 0; k < 3 && out < 0; ++k)
		{
			int32_t side = 3 * hint + k;
			out = brOrient2d(finePoint(outline, side), finePoint(outline, fineNext(side)), p) < 0 ? side : out;
		}
		if (out < 0 || outline->links.data[out] < 0)
		{
			if (out < 0)
			{
				return hint;
			}
			break;
		}
		hint = outline->links.data[out] / 3;
	}
	for (int32_t t = 0; t < count; ++t)
	{
		brDVec2 a = finePoint(outline, 3 * t), b = finePoint(outline, 3 * t + 1), c = finePoint(outline, 3 * t + 2);
		if (brOrient2d(a, b, p) > 0 && brOrient2d(b, c, p) > 0 && brOrient2d(c, a, p) > 0)
		{
			return t;
		}
	}
	return -1;
}

// Whether a new point may be there: strictly inside its triangle, not too near to its corners and to sides of the
// outline.
static bool fineHasRoom(const brOutline* outline, int32_t triangle, brDVec2 p, double spacing)
{
	for (int32_t side = 3 * triangle; side < 3 * triangle + 3; ++side)
	{
		brDVec2 a = finePoint(outline, side), b = finePoint(outline, fineNext(side));
		double dx = b.x - a.x, dy = b.y - a.y, px = p.x - a.x, py = p.y - a.y;
		double length = sqrt(dx * dx + dy * dy), height = length > 0.0 ? (dx * py - dy * px) / length : 0.0;
		double least = outline->links.data[side] < 0 ? spacing / 3.0 : 0.0;
		if (px * px + py * py < 0.25 * spacing * spacing || !(height > least) || brOrient2d(a, b, p) <= 0)
		{
			return false;
		}
	}
	return true;
}

// Puts a point into a triangle, which becomes three.
static bool fineInsert(brOutline* outline, int32_t triangle, int32_t point)
{
	const brAllocator* a = &outline->allocator;
	if (!BR_RESERVE(a, &outline->triangles, 6) || !BR_RESERVE(a, &outline->links, 6) ||
		!BR_RESERVE(a, &outline->pending, 3))
	{
		return false;
	}
	int32_t t = 3 * triangle, u = outline->triangles.count, v = u + 3;
	int32_t* triangles = outline->triangles.data;
	int32_t pa = triangles[t], pb = triangles[t + 1], pc = triangles[t + 2];
	int32_t bc = outline->links.data[t + 1], ca = outline->links.data[t + 2];
	outline->triangles.count += 6;
	outline->links.count += 6;
	triangles[t + 2] = point;
	triangles[u] = pb, triangles[u + 1] = pc, triangles[u + 2] = point;
	triangles[v] = pc, triangles[v + 1] = pa, triangles[v + 2] = point;
	fineJoin(outline, u, bc);
	fineJoin(outline, v, ca);
	fineJoin(outline, t + 1, u + 2);
	fineJoin(outline, u + 1, v + 2);
	fineJoin(outline, v + 1, t + 2);
	outline->pending.data[outline->pending.count++] = t;
	outline->pending.data[outline->pending.count++] = u;
	outline->pending.data[outline->pending.count++] = v;
	return fineSettle(outline);
}

// Points of a triangular grid over the box of the outline.
static bool fineAddPoints(brOutline* outline, double spacing, int32_t nextId)
{
	const brAllocator* a = &outline->allocator;
	brDVec2 lower = {INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY};
	for (int32_t n = 0; n < outline->points.count; ++n)
	{
		brDVec2 p = outline->points.data[n];
		lower.x = fmin(lower.x, p.x), lower.y = fmin(lower.y, p.y);
		upper.x = fmax(upper.x, p.x), upper.y = fmax(upper.y, p.y);
	}
	spacing = fmax(spacing, sqrt((upper.x - lower.x) * (upper.y - lower.y) / FINE_MAX_POINTS));
	double rise = spacing * 0.8660254037844386; // half the root of three
	int32_t hint = 0;
	for (double row = floor(lower.y / rise) + 1.0; row * rise < upper.y; row += 1.0)
	{
		double shift = fmod(row, 2.0) == 0.0 ? 0.0 : 0.5;
		for (double column = floor(lower.x / spacing); (column + shift) * spacing < upper.x; column += 1.0)
		{
			brDVec2 p = {(column + shift) * spacing, row * rise};
			int32_t triangle = fineFind(outline, hint, p);
			if (triangle < 0 || !fineHasRoom(outline, triangle, p, spacing))
			{
				continue;
			}
			if (!BR_PUSH(a, &outline->points, p) || !BR_PUSH(a, &outline->ids, nextId++) ||
				!fineInsert(outline, triangle, outline->points.count - 1))
			{
				return false;
			}
			hint = triangle;
		}
	}
	return true;
}

bool brOutline_Flip(brOutline* outline)
{
	if (!fineLink(outline))
	{
		return false;
	}
	// Of two that lie on each other the one that is looked at first: by the other's turn it is Delaunay.
	outline->pending.count = 0;
	for (int32_t side = 0; side < outline->triangles.count; ++side)
	{
		int32_t other = outline->links.data[side];
		if (other >= 0 && other < side && !BR_PUSH(&outline->allocator, &outline->pending, side))
		{
			return false;
		}
	}
	return fineSettle(outline);
}

bool brOutline_FillFinely(brOutline* outline, double spacing, int32_t nextId, brOutlineInts* corners,
						  brOutlineInts* ends)
{
	const brAllocator* a = &outline->allocator;
	if (!brOutline_Triangulate(outline) || !brOutline_Flip(outline))
	{
		return false;
	}
	if (outline->triangles.count > 0 && spacing > 0.0 && !fineAddPoints(outline, spacing, nextId))
	{
		return false;
	}
	for (int32_t n = 0; n < outline->triangles.count; ++n)
	{
		if (!BR_PUSH(a, corners, outline->ids.data[outline->triangles.data[n]]) ||
			(n % 3 == 2 && !BR_PUSH(a, ends, corners->count)))
		{
			return false;
		}
	}
	return true;
}
