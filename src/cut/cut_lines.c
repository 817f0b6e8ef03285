// SPDX-License-Identifier: MIT

// Lines: where they cross inside a triangle, and the order of points along each.
//
// Only stretches inside one triangle can meet, so each triangle with two of them or more is looked at alone: a sweep
// over their boxes, then exact turns. What is found goes onto the lines, which all triangles at them share. Lines that
// lie on each other exchange their points until nothing changes, so that they are divided alike.

#include "base/sort.h"
#include "cut/cut_job.h"

#include <string.h>

bool brCut_IsBetween(brCutJob* job, int32_t a, int32_t b, int32_t c)
{
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		int32_t direction = brCutSpace_Compare(&job->space, a, b, axis);
		if (direction != 0)
		{
			return brCutSpace_Compare(&job->space, a, c, axis) == direction &&
				   brCutSpace_Compare(&job->space, c, b, axis) == direction;
		}
	}
	return false;
}

// c within the closed stretch a b.
static bool cutIsWithin(brCutJob* job, int32_t a, int32_t b, int32_t c)
{
	return c == a || c == b || brCut_IsBetween(job, a, b, c);
}

// The triangle that makes a line with t. A line shared in the plane of t has the one that is not in that plane first.
static int32_t cutOtherTriangle(const brCutLine* line, int32_t t)
{
	return line->triangles[line->triangles[0] == t ? 1 : 0];
}

// The point where two stretches inside triangle t cross.
static int32_t cutCrossingPoint(brCutJob* job, int32_t t, const brCutLine* a, const brCutLine* b)
{
	bool isEdgeA = a->triangles[0] < 0, isEdgeB = b->triangles[0] < 0;
	if (isEdgeA && isEdgeB)
	{
		int32_t sign;
		brCutPoint point = {.kind = br_cutPointLines,
							.axis = (uint8_t)brCut_View(job, t, &sign),
							.makers = {a->ends[0], a->ends[1], b->ends[0], b->ends[1], 0}};
		return brCut_AddPoint(job, point);
	}
	if (isEdgeA || isEdgeB)
	{
		const brCutLine *edge = isEdgeA ? a : b, *stretch = isEdgeA ? b : a;
		int32_t other = cutOtherTriangle(stretch, t);
		brCutPoint point = {.kind = br_cutPointLinePlane, .makers = {edge->ends[0], edge->ends[1], 0, 0, other}};
		return brCut_AddPoint(job, point);
	}
	brCutPoint point = {.kind = br_cutPointPlanes, .makers = {t, cutOtherTriangle(a, t), cutOtherTriangle(b, t), 0, 0}};
	return brCut_AddPoint(job, point);
}

static bool cutCrossPair(brCutJob* job, const brCutConstraint* s, const brCutConstraint* r)
{
	if (s->line == r->line)
	{
		return true;
	}
	int32_t t = s->triangle;
	int32_t a = s->from, b = s->to, c = r->from, d = r->to;
	int32_t tc = brCut_TurnOn(job, t, a, b, c), td = brCut_TurnOn(job, t, a, b, d);
	if (tc * td > 0)
	{
		return true;
	}
	int32_t ta = brCut_TurnOn(job, t, c, d, a), tb = brCut_TurnOn(job, t, c, d, b);
	if (ta * tb > 0)
	{
		return true;
	}
	if (tc * td < 0 && ta * tb < 0)
	{
		int32_t x = cutCrossingPoint(job, t, &job->lines.data[s->line], &job->lines.data[r->line]);
		return x >= 0 && brCut_PutOnLine(job, s->line, x) && brCut_PutOnLine(job, r->line, x);
	}
	bool isDone = true;
	isDone = isDone && (tc != 0 || !cutIsWithin(job, a, b, c) || brCut_PutOnLine(job, s->line, c));
	isDone = isDone && (td != 0 || !cutIsWithin(job, a, b, d) || brCut_PutOnLine(job, s->line, d));
	isDone = isDone && (ta != 0 || !cutIsWithin(job, c, d, a) || brCut_PutOnLine(job, r->line, a));
	isDone = isDone && (tb != 0 || !cutIsWithin(job, c, d, b) || brCut_PutOnLine(job, r->line, b));
	bool isOverlap =
		tc == 0 && td == 0 && (cutIsWithin(job, a, b, c) || cutIsWithin(job, a, b, d) || cutIsWithin(job, c, d, a));
	if (isDone && isOverlap && !BR_PUSH(&job->allocator, &job->overlaps, ((brPair){s->line, r->line})))
	{
		return brCut_FailMemory(job);
	}
	return isDone;
}

typedef struct CutSpan
{
	double lower[3], upper[3];
} CutSpan;

static CutSpan cutSpan(const brCutJob* job, const brCutConstraint* s)
{
	CutSpan span;
	for (int k = 0; k < 3; ++k)
	{
		double x = brCutCoordinate(&job->points.data[s->from].at, k),
			   y = brCutCoordinate(&job->points.data[s->to].at, k);
		span.lower[k] = x < y ? x : y;
		span.upper[k] = x < y ? y : x;
	}
	return span;
}

static int cutCompareSpans(const void* a, const void* b, const double* lowers)
{
	int32_t i = *(const int32_t*)a, j = *(const int32_t*)b;
	return lowers[i] < lowers[j] ? -1 : lowers[i] > lowers[j] ? 1 : i < j ? -1 : i > j;
}

// Merge sort of indices by a key, stable.
static void cutSortByLower(int32_t* items, int32_t* scratch, int32_t count, const double* lowers)
{
	for (int32_t width = 1; width < count; width *= 2)
	{
		for (int32_t begin = 0; begin < count; begin += 2 * width)
		{
			int32_t middle = begin + width < count ? begin + width : count;
			int32_t end = begin + 2 * width < count ? begin + 2 * width : count;
			int32_t i = begin, j = middle, k = begin;
			while (i < middle || j < end)
			{
				bool isFirst = j >= end || (i < middle && cutCompareSpans(&items[i], &items[j], lowers) <= 0);
				scratch[k++] = isFirst ? items[i++] : items[j++];
			}
		}
		memcpy(items, scratch, (size_t)count * sizeof(int32_t));
	}
}

typedef struct CutSweep
{
	CutSpan* spans;
	double* lowers;
	int32_t* items; // 2 * capacity
	int32_t capacity;
} CutSweep;

static void cutFreeSweep(brCutJob* job, CutSweep* sweep)
{
	BR_FREE(&job->allocator, sweep->spans, sweep->capacity);
	BR_FREE(&job->allocator, sweep->lowers, sweep->capacity);
	BR_FREE(&job->allocator, sweep->items, 2 * (int64_t)sweep->capacity);
	*sweep = (CutSweep){0};
}

static bool cutReserveSweep(brCutJob* job, CutSweep* sweep, int32_t count)
{
	if (count <= sweep->capacity)
	{
		return true;
	}
	cutFreeSweep(job, sweep);
	sweep->capacity = count;
	sweep->spans = BR_ALLOC(&job->allocator, CutSpan, count);
	sweep->lowers = BR_ALLOC(&job->allocator, double, count);
	sweep->items = BR_ALLOC(&job->allocator, int32_t, 2 * (int64_t)count);
	return (sweep->spans != NULL && sweep->lowers != NULL && sweep->items != NULL) || brCut_FailMemory(job);
}

// All pairs of stretches in one triangle whose boxes meet. Rounding keeps order, so boxes of rounded ends are enough.
static bool cutCrossInTriangle(brCutJob* job, CutSweep* sweep, int32_t begin, int32_t end)
{
	int32_t count = end - begin;
	if (!cutReserveSweep(job, sweep, count))
	{
		return false;
	}
	double extent[3] = {0.0, 0.0, 0.0}, lower[3] = {INFINITY, INFINITY, INFINITY},
		   upper[3] = {-INFINITY, -INFINITY, -INFINITY};
	for (int32_t i = 0; i < count; ++i)
	{
		sweep->spans[i] = cutSpan(job, &job->constraints.data[begin + i]);
		for (int k = 0; k < 3; ++k)
		{
			lower[k] = fmin(lower[k], sweep->spans[i].lower[k]);
			upper[k] = fmax(upper[k], sweep->spans[i].upper[k]);
			extent[k] = upper[k] - lower[k];
		}
	}
	int axis = extent[0] >= extent[1] && extent[0] >= extent[2] ? 0 : extent[1] >= extent[2] ? 1 : 2;
	for (int32_t i = 0; i < count; ++i)
	{
		sweep->items[i] = i;
		sweep->lowers[i] = sweep->spans[i].lower[axis];
	}
	cutSortByLower(sweep->items, sweep->items + sweep->capacity, count, sweep->lowers);
	for (int32_t i = 0; i < count; ++i)
	{
		const CutSpan* a = &sweep->spans[sweep->items[i]];
		for (int32_t j = i + 1; j < count; ++j)
		{
			const CutSpan* b = &sweep->spans[sweep->items[j]];
			if (b->lower[axis] > a->upper[axis])
			{
				break;
			}
			bool overlaps = true;
			for (int k = 0; k < 3; ++k)
			{
				overlaps = overlaps && a->lower[k] <= b->upper[k] && b->lower[k] <= a->upper[k];
			}
			if (overlaps && !cutCrossPair(job, &job->constraints.data[begin + sweep->items[i]],
										  &job->constraints.data[begin + sweep->items[j]]))
			{
				return false;
			}
		}
	}
	return true;
}

// Rows of one triangle side by side, in the order they were found.
static bool cutSortConstraints(brCutJob* job)
{
	int32_t count = job->constraints.count;
	uint32_t* keys = BR_ALLOC(&job->allocator, uint32_t, 4 * (int64_t)count);
	brCutConstraint* sorted = BR_ALLOC(&job->allocator, brCutConstraint, count);
	bool isDone = keys != NULL && sorted != NULL;
	if (isDone)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			keys[i] = (uint32_t)job->constraints.data[i].triangle;
			keys[count + i] = (uint32_t)i;
		}
		isDone = brSortPairs32(NULL, &job->allocator, keys, keys + count, keys + 2 * count, keys + 3 * count, count);
		for (int32_t i = 0; i < count && isDone; ++i)
		{
			sorted[i] = job->constraints.data[keys[count + i]];
		}
		if (isDone && count > 0)
		{
			memcpy(job->constraints.data, sorted, (size_t)count * sizeof(brCutConstraint));
		}
	}
	BR_FREE(&job->allocator, keys, 4 * (int64_t)count);
	BR_FREE(&job->allocator, sorted, count);
	return isDone || brCut_FailMemory(job);
}

// Points of one line that lie within the other go onto it.
static bool cutGivePoints(brCutJob* job, int32_t from, int32_t to, bool* isChanged)
{
	int32_t before = job->linePoints.count;
	int32_t ends[2] = {job->lines.data[from].ends[0], job->lines.data[from].ends[1]};
	for (int i = 0; i < 2; ++i)
	{
		const int32_t* other = job->lines.data[to].ends;
		if (cutIsWithin(job, other[0], other[1], ends[i]) && !brCut_PutOnLine(job, to, ends[i]))
		{
			return false;
		}
	}
	for (int32_t row = job->lines.data[from].firstRow; row >= 0; row = job->linePoints.data[row].next)
	{
		int32_t point = job->linePoints.data[row].point;
		const int32_t* other = job->lines.data[to].ends;
		if (cutIsWithin(job, other[0], other[1], point) && !brCut_PutOnLine(job, to, point))
		{
			return false;
		}
	}
	*isChanged |= job->linePoints.count != before;
	return true;
}

static bool cutSettleOverlaps(brCutJob* job)
{
	bool isChanged = true;
	while (isChanged)
	{
		isChanged = false;
		for (int32_t i = 0; i < job->overlaps.count; ++i)
		{
			brPair pair = job->overlaps.data[i];
			if (!cutGivePoints(job, pair.a, pair.b, &isChanged) || !cutGivePoints(job, pair.b, pair.a, &isChanged))
			{
				return false;
			}
		}
	}
	return true;
}

// The axis along which the ends differ most, or at all.
static int32_t cutLineAxis(brCutJob* job, const brCutLine* line)
{
	brDVec3 d = brDSub(job->points.data[line->ends[1]].at, job->points.data[line->ends[0]].at);
	double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
	int32_t axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
	for (int32_t k = 0; k < 3 && brCutSpace_Compare(&job->space, line->ends[0], line->ends[1], axis) == 0; ++k)
	{
		axis = (axis + 1) % 3;
	}
	return axis;
}

static bool cutOrderLine(brCutJob* job, brCutLine* line)
{
	line->start = job->ordered.count;
	if (!BR_PUSH(&job->allocator, &job->ordered, line->ends[0]))
	{
		return brCut_FailMemory(job);
	}
	for (int32_t row = line->firstRow; row >= 0; row = job->linePoints.data[row].next)
	{
		if (!BR_PUSH(&job->allocator, &job->ordered, job->linePoints.data[row].point))
		{
			return brCut_FailMemory(job);
		}
	}
	if (!BR_PUSH(&job->allocator, &job->ordered, line->ends[1]))
	{
		return brCut_FailMemory(job);
	}
	line->count = job->ordered.count - line->start;
	if (line->count <= 3)
	{
		return true;
	}
	int32_t axis = cutLineAxis(job, line);
	int32_t direction = brCutSpace_Compare(&job->space, line->ends[0], line->ends[1], axis);
	int32_t* points = job->ordered.data + line->start;
	int32_t inner = line->count - 2;
	int32_t* scratch = BR_ALLOC(&job->allocator, int32_t, inner);
	if (scratch == NULL)
	{
		return brCut_FailMemory(job);
	}
	points += 1;
	for (int32_t width = 1; width < inner; width *= 2)
	{
		for (int32_t begin = 0; begin < inner; begin += 2 * width)
		{
			int32_t middle = begin + width < inner ? begin + width : inner;
			int32_t end = begin + 2 * width < inner ? begin + 2 * width : inner;
			int32_t i = begin, j = middle, k = begin;
			while (i < middle || j < end)
			{
				bool isFirst =
					j >= end ||
					(i < middle && brCutSpace_Compare(&job->space, points[i], points[j], axis) * direction >= 0);
				scratch[k++] = isFirst ? points[i++] : points[j++];
			}
		}
		memcpy(points, scratch, (size_t)inner * sizeof(int32_t));
	}
	BR_FREE(&job->allocator, scratch, inner);
	return true;
}

int32_t brCut_FirstRow(const brCutJob* job, int32_t rowCount, int32_t triangle)
{
	int32_t begin = 0, end = rowCount;
	while (begin < end)
	{
		int32_t middle = begin + (end - begin) / 2;
		if (job->constraints.data[middle].triangle < triangle)
		{
			begin = middle + 1;
		}
		else
		{
			end = middle;
		}
	}
	return begin;
}

// Whether a stretch in the plane of a triangle lies on it, not along one of its sides.
static bool cutIsOnTriangle(brCutJob* job, int32_t triangle, int32_t p, int32_t q)
{
	const int32_t* v = job->triangles[triangle];
	for (int k = 0; k < 3; ++k)
	{
		int32_t a = brCut_TurnOn(job, triangle, v[k], v[(k + 1) % 3], p);
		int32_t b = brCut_TurnOn(job, triangle, v[k], v[(k + 1) % 3], q);
		if (a < 0 || b < 0 || (a == 0 && b == 0))
		{
			return false;
		}
	}
	return true;
}

// Where the source passes through one of its own faces in the plane of the cutter, the cutter's triangle is divided and
// the face would not be: the face gets the same stretches, so that regions that lie on each other have the same
// outline.
static bool cutShareInPlane(brCutJob* job, bool* outIsChanged)
{
	int32_t known = job->constraints.count;
	for (int32_t i = 0; i < job->coplanars.count; ++i)
	{
		brPair pair = job->coplanars.data[i];
		for (int32_t row = brCut_FirstRow(job, known, pair.b);
			 row < known && job->constraints.data[row].triangle == pair.b; ++row)
		{
			brCutConstraint own = job->constraints.data[row];
			const brCutLine* line = &job->lines.data[own.line];
			bool isOfFace = line->triangles[0] == pair.a || line->triangles[1] == pair.a;
			bool isOfCutter = line->triangles[0] >= job->sourceCount && line->triangles[1] >= job->sourceCount;
			bool isInside = false;
			const int32_t* points = job->ordered.data + line->start;
			for (int32_t k = 0; k < line->count && !isOfFace && !isOfCutter; ++k)
			{
				isInside = points[k] == own.from || points[k] == own.to ? !isInside : isInside;
				if (!isInside || k + 1 >= line->count || !cutIsOnTriangle(job, pair.a, points[k], points[k + 1]))
				{
					continue;
				}
				brCutConstraint shared = {pair.a, own.line, points[k], points[k + 1]};
				if (!BR_PUSH(&job->allocator, &job->constraints, shared))
				{
					return brCut_FailMemory(job);
				}
			}
		}
	}
	*outIsChanged = job->constraints.count != known;
	return true;
}

static bool cutCrossAll(brCutJob* job)
{
	if (!cutSortConstraints(job))
	{
		return false;
	}
	CutSweep sweep = {0};
	bool isDone = true;
	for (int32_t begin = 0, end = 0; begin < job->constraints.count && isDone; begin = end)
	{
		int32_t triangle = job->constraints.data[begin].triangle;
		while (end < job->constraints.count && job->constraints.data[end].triangle == triangle)
		{
			end += 1;
		}
		isDone = end - begin < 2 || cutCrossInTriangle(job, &sweep, begin, end);
	}
	cutFreeSweep(job, &sweep);
	if (!isDone || !cutSettleOverlaps(job))
	{
		return false;
	}
	job->ordered.count = 0;
	for (int32_t i = 0; i < job->lines.count; ++i)
	{
		if (!cutOrderLine(job, &job->lines.data[i]))
		{
			return false;
		}
	}
	return true;
}

bool brCut_CrossLines(brCutJob* job)
{
	bool isChanged = false;
	if (!cutCrossAll(job) || !cutShareInPlane(job, &isChanged) || (isChanged && !cutCrossAll(job)))
	{
		return false;
	}
	return !job->space.isFull ||
		   brCut_Fail(job, br_errorLimit, -1, "the coordinates span too many magnitudes to be cut exactly");
}
