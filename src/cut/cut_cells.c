// SPDX-License-Identifier: MIT

// Every near triangle as cells: small triangles whose corners are points and whose sides no line crosses.
//
// Points go in one by one, each splitting the cell it falls in; stretches of lines are then recovered by turning
// diagonals that cross them. Decisions are exact turns; how round the cells look is judged in plain doubles, which may
// only choose among right answers. The cells are joined to polygons again at the end, so they cost nothing in the
// result.

#include "cut/cut_job.h"

#include <string.h>

enum
{
	CUT_POINT_LINES = 4, // lines remembered per point
};

typedef struct CutLocal
{
	int32_t point;
	int32_t cell;                   // one of those at it
	int32_t lines[CUT_POINT_LINES]; // it is on, -1: free
	double x, y;                    // seen along the triangle's axis, turning left
} CutLocal;

typedef struct CutSide
{
	int32_t neighbor; // 3 cell + k, or -1
	bool isLine;
} CutSide;

typedef struct CutStretch
{
	int32_t a, b; // locals
} CutStretch;

typedef BR_ARRAY(brCutCell) CutCellList;

// The triangulation of one triangle; memory is kept from one to the next.
typedef struct CutPatch
{
	brCutJob* job;
	int32_t triangle;
	int32_t lines[3]; // of its sides, or -1
	BR_ARRAY(CutLocal) locals;
	brCutInts corners; // 3 per cell, locals
	BR_ARRAY(CutSide) sides;
	BR_ARRAY(CutStretch) stretches;
	brCutInts queue;
	int32_t* localOf; // [points] local, valid if locals[it].point is that point
	int32_t hint;
} CutPatch;

static bool cutShareLine(const CutLocal* a, const CutLocal* b, const CutLocal* c)
{
	for (int i = 0; i < CUT_POINT_LINES && a->lines[i] >= 0; ++i)
	{
		bool inB = false, inC = false;
		for (int j = 0; j < CUT_POINT_LINES; ++j)
		{
			inB |= b->lines[j] == a->lines[i];
			inC |= c->lines[j] == a->lines[i];
		}
		if (inB && inC)
		{
			return true;
		}
	}
	return false;
}

static int32_t cutLocalTurn(CutPatch* patch, int32_t a, int32_t b, int32_t c)
{
	const CutLocal* locals = patch->locals.data;
	if (cutShareLine(&locals[a], &locals[b], &locals[c]))
	{
		return 0;
	}
	return brCut_TurnOn(patch->job, patch->triangle, locals[a].point, locals[b].point, locals[c].point);
}

// The local of a point that is on `line`, made if new; -1 without memory.
static int32_t cutLocal(CutPatch* patch, int32_t point, int32_t line)
{
	brCutJob* job = patch->job;
	int32_t local = patch->localOf[point];
	if (local < 0 || local >= patch->locals.count || patch->locals.data[local].point != point)
	{
		int32_t sign;
		int32_t axis = brCut_View(job, patch->triangle, &sign);
		brDVec2 flat = brCutFlatten(job->points.data[point].at, axis);
		CutLocal row = {point, -1, {-1, -1, -1, -1}, sign > 0 ? flat.x : flat.y, sign > 0 ? flat.y : flat.x};
		if (!BR_PUSH(&job->allocator, &patch->locals, row))
		{
			brCut_FailMemory(job);
			return -1;
		}
		local = patch->locals.count - 1;
		patch->localOf[point] = local;
	}
	int32_t* lines = patch->locals.data[local].lines;
	for (int i = 0; i < CUT_POINT_LINES && line >= 0; ++i)
	{
		if (lines[i] == line)
		{
			break;
		}
		if (lines[i] < 0)
		{
			lines[i] = line;
			break;
		}
	}
	return local;
}

static void cutJoinSides(CutPatch* patch, int32_t a, int32_t b)
{
	if (a >= 0)
	{
		patch->sides.data[a].neighbor = b;
	}
	if (b >= 0)
	{
		patch->sides.data[b].neighbor = a;
	}
}

static int32_t cutNewCell(CutPatch* patch)
{
	brCutJob* job = patch->job;
	int32_t cell = patch->corners.count / 3;
	for (int k = 0; k < 3; ++k)
	{
		if (!BR_PUSH(&job->allocator, &patch->corners, -1) ||
			!BR_PUSH(&job->allocator, &patch->sides, ((CutSide){-1, false})))
		{
			brCut_FailMemory(job);
			return -1;
		}
	}
	return cell;
}

static void cutSetCell(CutPatch* patch, int32_t cell, int32_t a, int32_t b, int32_t c)
{
	int32_t* v = patch->corners.data + 3 * cell;
	v[0] = a, v[1] = b, v[2] = c;
	patch->locals.data[a].cell = cell;
	patch->locals.data[b].cell = cell;
	patch->locals.data[c].cell = cell;
}

// Puts side `from` of the old layout at place `to`: neighbor and line mark.
static void cutMoveSide(CutPatch* patch, int32_t to, CutSide side)
{
	patch->sides.data[to].isLine = side.isLine;
	cutJoinSides(patch, to, side.neighbor);
}

// Turns the diagonal of the two cells at side s. Their other four sides must turn left, which the caller has made sure
// of.
static void cutTurnDiagonal(CutPatch* patch, int32_t s)
{
	int32_t r = patch->sides.data[s].neighbor;
	int32_t t = s / 3, u = r / 3;
	int32_t i = s % 3, j = r % 3;
	int32_t *v = patch->corners.data + 3 * t, *w = patch->corners.data + 3 * u;
	int32_t a = v[i], b = v[(i + 1) % 3], c = v[(i + 2) % 3], d = w[(j + 2) % 3];
	CutSide bc = patch->sides.data[3 * t + (i + 1) % 3], ca = patch->sides.data[3 * t + (i + 2) % 3];
	CutSide ad = patch->sides.data[3 * u + (j + 1) % 3], db = patch->sides.data[3 * u + (j + 2) % 3];
	// t: c a d, u: d b c
	cutSetCell(patch, t, c, a, d);
	cutSetCell(patch, u, d, b, c);
	cutMoveSide(patch, 3 * t, ca);
	cutMoveSide(patch, 3 * t + 1, ad);
	patch->sides.data[3 * t + 2].isLine = false;
	cutMoveSide(patch, 3 * u, db);
	cutMoveSide(patch, 3 * u + 1, bc);
	patch->sides.data[3 * u + 2].isLine = false;
	cutJoinSides(patch, 3 * t + 2, 3 * u + 2);
}

// The corners around side s: its ends, the one before it, the one beyond.
static void cutDiamond(const CutPatch* patch, int32_t s, int32_t* a, int32_t* b, int32_t* c, int32_t* d)
{
	int32_t r = patch->sides.data[s].neighbor;
	const int32_t *v = patch->corners.data + 3 * (s / 3), *w = patch->corners.data + 3 * (r / 3);
	*a = v[s % 3], *b = v[(s % 3 + 1) % 3], *c = v[(s % 3 + 2) % 3], *d = w[(r % 3 + 2) % 3];
}

static bool cutCanTurn(CutPatch* patch, int32_t s)
{
	int32_t a, b, c, d;
	if (patch->sides.data[s].neighbor < 0 || patch->sides.data[s].isLine)
	{
		return false;
	}
	cutDiamond(patch, s, &a, &b, &c, &d);
	return cutLocalTurn(patch, c, a, d) > 0 && cutLocalTurn(patch, d, b, c) > 0;
}

// Whether the corner beyond side s is clearly inside the circle of its cell, in doubles.
static bool cutWantsTurn(const CutPatch* patch, int32_t s)
{
	if (patch->sides.data[s].neighbor < 0 || patch->sides.data[s].isLine)
	{
		return false;
	}
	int32_t ia, ib, ic, id;
	cutDiamond(patch, s, &ia, &ib, &ic, &id);
	const CutLocal *a = &patch->locals.data[ia], *b = &patch->locals.data[ib], *c = &patch->locals.data[ic],
				   *d = &patch->locals.data[id];
	double ax = a->x - d->x, ay = a->y - d->y, bx = b->x - d->x, by = b->y - d->y, cx = c->x - d->x, cy = c->y - d->y;
	double a2 = ax * ax + ay * ay, b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
	double det = a2 * (bx * cy - by * cx) + b2 * (cx * ay - cy * ax) + c2 * (ax * by - ay * bx);
	double size = a2 * (fabs(bx * cy) + fabs(by * cx)) + b2 * (fabs(cx * ay) + fabs(cy * ax)) +
				  c2 * (fabs(ax * by) + fabs(ay * bx));
	return det > 1e-9 * size;
}

// Turns diagonals about new point p until its cells look round, at most so many.
static bool cutRelax(CutPatch* patch)
{
	int32_t budget = 256;
	for (int32_t next = 0; next < patch->queue.count && budget > 0; ++next)
	{
		int32_t s = patch->queue.data[next];
		if (!cutWantsTurn(patch, s) || !cutCanTurn(patch, s))
		{
			continue;
		}
		budget -= 1;
		int32_t t = s / 3, u = patch->sides.data[s].neighbor / 3;
		cutTurnDiagonal(patch, s);
		int32_t more[4] = {3 * t, 3 * t + 1, 3 * u, 3 * u + 1};
		for (int i = 0; i < 4; ++i)
		{
			if (!BR_PUSH(&patch->job->allocator, &patch->queue, more[i]))
			{
				return brCut_FailMemory(patch->job);
			}
		}
	}
	patch->queue.count = 0;
	return true;
}

static bool cutQueueSide(CutPatch* patch, int32_t s)
{
	return BR_PUSH(&patch->job->allocator, &patch->queue, s) || brCut_FailMemory(patch->job);
}

// Cell t becomes three around p.
static bool cutSplitCell(CutPatch* patch, int32_t t, int32_t p)
{
	int32_t u = cutNewCell(patch), w = u >= 0 ? cutNewCell(patch) : -1;
	if (w < 0)
	{
		return false;
	}
	const int32_t* v = patch->corners.data + 3 * t;
	int32_t a = v[0], b = v[1], c = v[2];
	CutSide bc = patch->sides.data[3 * t + 1], ca = patch->sides.data[3 * t + 2];
	cutSetCell(patch, t, a, b, p);
	cutSetCell(patch, u, b, c, p);
	cutSetCell(patch, w, c, a, p);
	cutMoveSide(patch, 3 * u, bc);
	cutMoveSide(patch, 3 * w, ca);
	patch->sides.data[3 * t + 1].isLine = patch->sides.data[3 * t + 2].isLine = false;
	cutJoinSides(patch, 3 * t + 1, 3 * u + 2);
	cutJoinSides(patch, 3 * u + 1, 3 * w + 2);
	cutJoinSides(patch, 3 * w + 1, 3 * t + 2);
	return cutQueueSide(patch, 3 * t) && cutQueueSide(patch, 3 * u) && cutQueueSide(patch, 3 * w) && cutRelax(patch);
}

// Side s gets p in its middle: one or two cells become two or four.
static bool cutSplitSide(CutPatch* patch, int32_t s, int32_t p)
{
	int32_t r = patch->sides.data[s].neighbor;
	int32_t halves[2][2] = {{-1, -1}, {-1, -1}}; // sides along s: before and after p, for each cell
	int32_t ends[2] = {s, r};
	bool isLine = patch->sides.data[s].isLine;
	for (int side = 0; side < 2 && ends[side] >= 0; ++side)
	{
		int32_t t = ends[side] / 3, i = ends[side] % 3;
		int32_t u = cutNewCell(patch);
		if (u < 0)
		{
			return false;
		}
		const int32_t* v = patch->corners.data + 3 * t;
		int32_t a = v[i], b = v[(i + 1) % 3], c = v[(i + 2) % 3];
		CutSide bc = patch->sides.data[3 * t + (i + 1) % 3], ca = patch->sides.data[3 * t + (i + 2) % 3];
		cutSetCell(patch, t, a, p, c);
		cutSetCell(patch, u, p, b, c);
		cutMoveSide(patch, 3 * t + 2, ca);
		cutMoveSide(patch, 3 * u + 1, bc);
		patch->sides.data[3 * t] = patch->sides.data[3 * u] = (CutSide){-1, isLine};
		patch->sides.data[3 * t + 1].isLine = patch->sides.data[3 * u + 2].isLine = false;
		cutJoinSides(patch, 3 * t + 1, 3 * u + 2);
		halves[side][0] = 3 * t, halves[side][1] = 3 * u;
		if (!cutQueueSide(patch, 3 * t + 2) || !cutQueueSide(patch, 3 * u + 1))
		{
			return false;
		}
	}
	if (r >= 0)
	{
		cutJoinSides(patch, halves[0][0], halves[1][1]);
		cutJoinSides(patch, halves[0][1], halves[1][0]);
	}
	return cutRelax(patch);
}

static bool cutInsertLocal(CutPatch* patch, int32_t p)
{
	// Walk towards p; a walk that goes in circles gives way to a look at all cells.
	int32_t cellCount = patch->corners.count / 3;
	int32_t t = patch->hint < cellCount ? patch->hint : 0;
	for (int32_t step = 0; step < 2 * cellCount + 8; ++step)
	{
		if (step >= cellCount + 4)
		{
			t = step - (cellCount + 4) < cellCount ? step - (cellCount + 4) : 0;
		}
		const int32_t* v = patch->corners.data + 3 * t;
		int32_t on = -1, beyond = -1;
		for (int k = 0; k < 3; ++k)
		{
			int i = (k + step) % 3;
			int32_t turn = cutLocalTurn(patch, v[i], v[(i + 1) % 3], p);
			on = turn == 0 ? 3 * t + i : on;
			if (turn < 0)
			{
				beyond = 3 * t + i;
				break;
			}
		}
		if (beyond < 0)
		{
			patch->hint = t;
			return on >= 0 ? cutSplitSide(patch, on, p) : cutSplitCell(patch, t, p);
		}
		int32_t neighbor = patch->sides.data[beyond].neighbor;
		t = neighbor >= 0 ? neighbor / 3 : t;
	}
	int32_t face = patch->job->faces[patch->triangle];
	return brCut_Fail(patch->job, br_errorGeometry, face, "a point of the cut cannot be found in face %d", face);
}

// The side from a to b, or -1. Cells around a are visited both ways, since it may be on the border.
static int32_t cutFindSide(const CutPatch* patch, int32_t a, int32_t b)
{
	int32_t first = patch->locals.data[a].cell;
	for (int way = 0; way < 2; ++way)
	{
		int32_t t = first;
		do
		{
			const int32_t* v = patch->corners.data + 3 * t;
			int32_t i = v[0] == a ? 0 : v[1] == a ? 1 : 2;
			if (v[(i + 1) % 3] == b)
			{
				return 3 * t + i;
			}
			int32_t across = patch->sides.data[3 * t + (way == 0 ? i : (i + 2) % 3)].neighbor;
			t = across >= 0 ? across / 3 : -1;
		} while (t >= 0 && t != first);
		if (t == first)
		{
			break;
		}
	}
	return -1;
}

static int32_t cutFindEdge(const CutPatch* patch, int32_t a, int32_t b)
{
	int32_t s = cutFindSide(patch, a, b);
	return s >= 0 ? s : cutFindSide(patch, b, a);
}

static void cutMarkLine(CutPatch* patch, int32_t s)
{
	patch->sides.data[s].isLine = true;
	if (patch->sides.data[s].neighbor >= 0)
	{
		patch->sides.data[patch->sides.data[s].neighbor].isLine = true;
	}
}

// The side opposite to a in the cell that the stretch a b leaves through, or -1.
static int32_t cutFirstCrossed(CutPatch* patch, int32_t a, int32_t b)
{
	int32_t first = patch->locals.data[a].cell;
	for (int way = 0; way < 2; ++way)
	{
		int32_t t = first;
		do
		{
			const int32_t* v = patch->corners.data + 3 * t;
			int32_t i = v[0] == a ? 0 : v[1] == a ? 1 : 2;
			if (cutLocalTurn(patch, a, v[(i + 1) % 3], b) > 0 && cutLocalTurn(patch, a, v[(i + 2) % 3], b) < 0)
			{
				return 3 * t + (i + 1) % 3;
			}
			int32_t across = patch->sides.data[3 * t + (way == 0 ? i : (i + 2) % 3)].neighbor;
			t = across >= 0 ? across / 3 : -1;
		} while (t >= 0 && t != first);
		if (t == first)
		{
			break;
		}
	}
	return -1;
}

// Makes a b a side: the diagonals it crosses are turned until none is left.
static bool cutRecover(CutPatch* patch, int32_t a, int32_t b)
{
	brCutJob* job = patch->job;
	int32_t face = job->faces[patch->triangle];
	int32_t s = cutFindEdge(patch, a, b);
	if (s < 0)
	{
		s = cutFirstCrossed(patch, a, b);
		patch->queue.count = 0;
		while (s >= 0)
		{
			// Sides as pairs of locals: turning others does not change their names.
			const int32_t* v = patch->corners.data + 3 * (s / 3);
			int32_t c = v[s % 3], d = v[(s % 3 + 1) % 3];
			int32_t r = patch->sides.data[s].neighbor;
			if (patch->sides.data[s].isLine || r < 0)
			{
				return brCut_Fail(job, br_errorGeometry, face, "two lines of the cut cross unseen in face %d", face);
			}
			if (!cutQueueSide(patch, c) || !cutQueueSide(patch, d))
			{
				return false;
			}
			int32_t apex = patch->corners.data[3 * (r / 3) + (r % 3 + 2) % 3];
			if (apex == b)
			{
				break;
			}
			int32_t turn = cutLocalTurn(patch, a, b, apex);
			if (turn == 0)
			{
				return brCut_Fail(job, br_errorGeometry, face, "a line of the cut passes a point unseen in face %d",
								  face);
			}
			// r runs d -> c; its next side starts at c, the one before it ends at d. Left of a b is c's side or d's?
			int32_t fromC = 3 * (r / 3) + (r % 3 + 1) % 3, toD = 3 * (r / 3) + (r % 3 + 2) % 3;
			bool isOnSideOfC = turn == cutLocalTurn(patch, a, b, c);
			s = isOnSideOfC ? toD : fromC;
		}
		int64_t budget = 64 + 8 * (int64_t)patch->queue.count * patch->queue.count;
		for (int32_t next = 0; next < patch->queue.count; next += 2)
		{
			int32_t c = patch->queue.data[next], d = patch->queue.data[next + 1];
			int32_t side = cutFindEdge(patch, c, d);
			if (--budget < 0 || side < 0)
			{
				return brCut_Fail(job, br_errorGeometry, face, "a line of the cut cannot be laid into face %d", face);
			}
			bool isAgain = true;
			if (cutCanTurn(patch, side))
			{
				int32_t p, q;
				cutDiamond(patch, side, &p, &q, &c, &d);
				cutTurnDiagonal(patch, side);
				isAgain = c != a && c != b && d != a && d != b &&
						  cutLocalTurn(patch, a, b, c) * cutLocalTurn(patch, a, b, d) < 0;
			}
			if (isAgain && (!cutQueueSide(patch, c) || !cutQueueSide(patch, d)))
			{
				return false;
			}
		}
		patch->queue.count = 0;
		s = cutFindEdge(patch, a, b);
		if (s < 0)
		{
			return brCut_Fail(job, br_errorGeometry, face, "a line of the cut was not laid into face %d", face);
		}
	}
	cutMarkLine(patch, s);
	return true;
}

// Stretches between neighboring points of a line from `from` to `to`, locals included.
static bool cutAddStretches(CutPatch* patch, int32_t line, int32_t from, int32_t to)
{
	brCutJob* job = patch->job;
	const brCutLine* l = &job->lines.data[line];
	const int32_t* points = job->ordered.data + l->start;
	int32_t i = 0, j = 0;
	while (i < l->count && points[i] != from)
	{
		i += 1;
	}
	while (j < l->count && points[j] != to)
	{
		j += 1;
	}
	if (i >= l->count || j >= l->count)
	{
		int32_t face = job->faces[patch->triangle];
		return brCut_Fail(job, br_errorGeometry, face, "a line of the cut lost its end in face %d", face);
	}
	int32_t step = i < j ? 1 : -1;
	int32_t previous = cutLocal(patch, points[i], line);
	while (i != j && previous >= 0)
	{
		i += step;
		int32_t next = cutLocal(patch, points[i], line);
		if (next < 0 || !BR_PUSH(&job->allocator, &patch->stretches, ((CutStretch){previous, next})))
		{
			return brCut_FailMemory(job);
		}
		previous = next;
	}
	return previous >= 0;
}

// Triangulates one near triangle with rows [begin, end) of the constraints.
static bool cutMakePatch(CutPatch* patch, int32_t triangle, int32_t begin, int32_t end)
{
	brCutJob* job = patch->job;
	const int32_t* v = job->triangles[triangle];
	patch->triangle = triangle;
	patch->locals.count = patch->corners.count = patch->sides.count = patch->stretches.count = patch->queue.count = 0;
	patch->hint = 0;

	// The three sides with their points, then the stretches inside.
	int32_t* lines = patch->lines;
	for (int k = 0; k < 3; ++k)
	{
		lines[k] = brCut_FindEdgeLine(job, v[k], v[(k + 1) % 3]);
	}
	for (int k = 0; k < 3; ++k)
	{
		int32_t local = cutLocal(patch, v[k], lines[k]);
		if (local != k || (lines[(k + 2) % 3] >= 0 && cutLocal(patch, v[k], lines[(k + 2) % 3]) < 0))
		{
			return job->error == 0 ? brCut_Fail(job, br_errorGeometry, job->faces[triangle],
												"face %d has a corner twice", job->faces[triangle])
								   : false;
		}
	}
	int32_t cell = cutNewCell(patch);
	if (cell < 0)
	{
		return false;
	}
	cutSetCell(patch, cell, 0, 1, 2);
	for (int k = 0; k < 3; ++k)
	{
		patch->sides.data[k].isLine = true;
		if (lines[k] >= 0 && !cutAddStretches(patch, lines[k], v[k], v[(k + 1) % 3]))
		{
			return false;
		}
	}
	for (int32_t i = begin; i < end; ++i)
	{
		const brCutConstraint* row = &job->constraints.data[i];
		if (!cutAddStretches(patch, row->line, row->from, row->to))
		{
			return false;
		}
	}
	for (int32_t p = 3; p < patch->locals.count; ++p)
	{
		if (!cutInsertLocal(patch, p))
		{
			return false;
		}
	}
	for (int32_t i = 0; i < patch->stretches.count; ++i)
	{
		if (!cutRecover(patch, patch->stretches.data[i].a, patch->stretches.data[i].b))
		{
			return false;
		}
	}

	return true;
}

// Appends the cells of a patch. Which side of the triangle a cell's border side lies on is told by the lines that its
// ends share.
static bool cutKeepCells(const CutPatch* patch, CutCellList* list)
{
	int32_t first = list->count, triangle = patch->triangle;
	for (int32_t c = 0; c < patch->corners.count / 3; ++c)
	{
		brCutCell row = {.triangle = triangle, .edges = {-1, -1, -1}, .neighbors = {-1, -1, -1}};
		for (int k = 0; k < 3; ++k)
		{
			const CutSide* side = &patch->sides.data[3 * c + k];
			int32_t a = patch->corners.data[3 * c + k], b = patch->corners.data[3 * c + (k + 1) % 3];
			row.points[k] = patch->locals.data[a].point;
			if (side->neighbor < 0)
			{
				for (int e = 0; e < 3 && row.edges[k] < 0; ++e)
				{
					bool isA = a == e || a == (e + 1) % 3, isB = b == e || b == (e + 1) % 3;
					for (int i = 0; i < CUT_POINT_LINES && patch->lines[e] >= 0; ++i)
					{
						isA |= patch->locals.data[a].lines[i] == patch->lines[e];
						isB |= patch->locals.data[b].lines[i] == patch->lines[e];
					}
					row.edges[k] = isA && isB ? 3 * triangle + e : -1;
				}
			}
			else if (!side->isLine)
			{
				row.neighbors[k] = 3 * first + side->neighbor;
			}
		}
		if (!BR_PUSH(&patch->job->allocator, list, row))
		{
			return false;
		}
	}
	return true;
}

// Near triangles are taken in blocks, each with its own list of cells, which are then put one behind the other.
enum
{
	CUT_CELL_BLOCK = 32
};

typedef struct CutCellWork
{
	brCutJob* views;
	CutPatch* patches;    // one a worker
	const int32_t* nears; // triangles
	CutCellList* lists;   // one a block; neighbors count from the block's first cell
	int32_t* counts;      // [triangleCount + 1] of each triangle
} CutCellWork;

static void cutMakePatches(int32_t begin, int32_t end, int32_t worker, void* user)
{
	CutCellWork* work = user;
	CutPatch* patch = &work->patches[worker];
	brCutJob* view = &work->views[worker];
	CutCellList* list = &work->lists[begin / CUT_CELL_BLOCK];
	for (int32_t i = begin; i < end && view->error == 0; ++i)
	{
		int32_t t = work->nears[i], first = brCut_FirstRow(view, view->constraints.count, t), last = first,
				before = list->count;
		while (last < view->constraints.count && view->constraints.data[last].triangle == t)
		{
			last += 1;
		}
		view->item = i;
		if (cutMakePatch(patch, t, first, last) && !cutKeepCells(patch, list))
		{
			brCut_FailMemory(view);
		}
		work->counts[t] = list->count - before;
	}
}

static bool cutOpenPatches(brCutJob* job, CutCellWork* work, int32_t workerCount)
{
	work->patches = BR_ALLOC_ZERO(&job->allocator, CutPatch, workerCount);
	bool isDone = work->patches != NULL;
	for (int32_t i = 0; i < workerCount && isDone; ++i)
	{
		work->patches[i].job = &work->views[i];
		work->patches[i].localOf = BR_ALLOC(&job->allocator, int32_t, job->points.count);
		isDone = work->patches[i].localOf != NULL;
		if (isDone)
		{
			memset(work->patches[i].localOf, 0xff, (size_t)job->points.count * sizeof(int32_t));
		}
	}
	return isDone;
}

static void cutClosePatches(brCutJob* job, CutCellWork* work, int32_t workerCount)
{
	for (int32_t i = 0; i < workerCount && work->patches != NULL; ++i)
	{
		CutPatch* patch = &work->patches[i];
		BR_FREE_ARRAY(&job->allocator, &patch->locals);
		BR_FREE_ARRAY(&job->allocator, &patch->corners);
		BR_FREE_ARRAY(&job->allocator, &patch->sides);
		BR_FREE_ARRAY(&job->allocator, &patch->stretches);
		BR_FREE_ARRAY(&job->allocator, &patch->queue);
		BR_FREE(&job->allocator, patch->localOf, job->points.count);
	}
	BR_FREE(&job->allocator, work->patches, workerCount);
}

// All lists behind each other, and where each triangle's cells begin.
static bool cutGatherCells(brCutJob* job, const CutCellWork* work, int32_t blockCount)
{
	int64_t total = 0;
	for (int32_t i = 0; i < blockCount; ++i)
	{
		total += work->lists[i].count;
	}
	if (total > INT32_MAX / 16)
	{
		return brCut_Fail(job, br_errorLimit, -1, "the cut divides faces into more than %d parts", INT32_MAX / 16);
	}
	if (!BR_RESERVE(&job->allocator, &job->cells, total))
	{
		return brCut_FailMemory(job);
	}
	for (int32_t i = 0; i < blockCount; ++i)
	{
		int32_t base = job->cells.count;
		for (int32_t c = 0; c < work->lists[i].count; ++c)
		{
			brCutCell cell = work->lists[i].data[c];
			for (int k = 0; k < 3; ++k)
			{
				cell.neighbors[k] += cell.neighbors[k] >= 0 ? 3 * base : 0;
			}
			job->cells.data[job->cells.count++] = cell;
		}
	}
	int32_t sum = 0;
	for (int32_t t = 0; t <= job->triangleCount; ++t)
	{
		int32_t count = job->firstCells[t];
		job->firstCells[t] = sum;
		sum += count;
	}
	return true;
}

bool brCut_MakeCells(brCutJob* job)
{
	int32_t nearCount = 0, workerCount = brWorkers_GetCount(brCut_Workers(job));
	for (int32_t t = 0; t < job->triangleCount; ++t)
	{
		nearCount += brCut_IsNear(job, t);
	}
	int32_t blockCount = (nearCount + CUT_CELL_BLOCK - 1) / CUT_CELL_BLOCK;
	int32_t* nears = BR_ALLOC(&job->allocator, int32_t, nearCount);
	CutCellWork work = {.nears = nears, .lists = BR_ALLOC_ZERO(&job->allocator, CutCellList, blockCount)};
	job->firstCells = BR_ALLOC_ZERO(&job->allocator, int32_t, (int64_t)job->triangleCount + 1);
	work.counts = job->firstCells;
	bool isDone = nears != NULL && work.lists != NULL && job->firstCells != NULL;
	isDone = isDone ? (work.views = brCut_OpenViews(job)) != NULL : brCut_FailMemory(job);
	if (isDone)
	{
		int32_t used = 0;
		for (int32_t t = 0; t < job->triangleCount; ++t)
		{
			if (brCut_IsNear(job, t))
			{
				nears[used++] = t;
			}
		}
		isDone = cutOpenPatches(job, &work, workerCount) || brCut_FailMemory(job);
		if (isDone)
		{
			brParallelFor(brCut_Workers(job), nearCount, CUT_CELL_BLOCK, cutMakePatches, &work);
		}
		cutClosePatches(job, &work, workerCount);
		isDone = brCut_CloseViews(job, work.views) && isDone && cutGatherCells(job, &work, blockCount);
	}
	for (int32_t i = 0; i < blockCount && work.lists != NULL; ++i)
	{
		BR_FREE_ARRAY(&job->allocator, &work.lists[i]);
	}
	BR_FREE(&job->allocator, work.lists, blockCount);
	BR_FREE(&job->allocator, nears, nearCount);
	if (isDone && job->space.isFull)
	{
		return brCut_Fail(job, br_errorLimit, -1, "the coordinates span too many magnitudes to be cut exactly");
	}
	return isDone;
}
