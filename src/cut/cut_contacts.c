// SPDX-License-Identifier: MIT

// Where two triangles meet. The common part of two triangles in different planes is a stretch of a line; its ends are vertices
// of one in the other, or edges of one through the other, each named by the lowest things it lies on in both. In one
// plane, each edge of one that passes over the other is a stretch. Signs are exact, so one end is a touch and
// two are a stretch, without exceptions.

#include "cut/cut_job.h"
#include "index/pairs.h"
#include "math/predicates.h"

// Where a point is on a triangle: 0-2 a corner, 3-5 a side, 6 inside, -1 not on it.
enum
{
	CUT_ON_SIDE = 3,
	CUT_INSIDE = 6,
};

typedef struct CutEnd
{
	int32_t point;
	int32_t on[2]; // of the first and the second triangle
} CutEnd;

typedef struct CutMeeting
{
	int32_t triangles[2];
	CutEnd ends[12];
	int32_t count;
	bool isBeyond; // there is a point that is not a corner of both
} CutMeeting;

static brDVec3 cutAt(const brCutJob* job, int32_t point)
{
	return job->points.data[point].at;
}

static int32_t cutCornerOf(const int32_t* triangle, int32_t point)
{
	return point == triangle[0] ? 0 : point == triangle[1] ? 1 : point == triangle[2] ? 2 : -1;
}

static void cutAddEnd(CutMeeting* meeting, int32_t point, int32_t onFirst, int32_t onSecond)
{
	if (onFirst >= CUT_ON_SIDE || onSecond >= CUT_ON_SIDE)
	{
		meeting->isBeyond = true;
	}
	for (int32_t i = 0; i < meeting->count; ++i)
	{
		CutEnd* end = &meeting->ends[i];
		if (end->point == point)
		{
			end->on[0] = onFirst < end->on[0] ? onFirst : end->on[0];
			end->on[1] = onSecond < end->on[1] ? onSecond : end->on[1];
			return;
		}
	}
	if (meeting->count < 12)
	{
		meeting->ends[meeting->count++] = (CutEnd){point, {onFirst, onSecond}};
	}
}

// From three signs around a triangle: all of one sign or zero is inside, a zero is on that side.
static int32_t cutPlaceFromSigns(const int32_t signs[3])
{
	bool isPositive = signs[0] > 0 || signs[1] > 0 || signs[2] > 0;
	bool isNegative = signs[0] < 0 || signs[1] < 0 || signs[2] < 0;
	if (isPositive && isNegative)
	{
		return -1;
	}
	int32_t zeros = (signs[0] == 0) + (signs[1] == 0) + (signs[2] == 0);
	if (zeros == 0)
	{
		return CUT_INSIDE;
	}
	if (zeros == 1)
	{
		return CUT_ON_SIDE + (signs[0] == 0 ? 0 : signs[1] == 0 ? 1 : 2);
	}
	// Sides k and k + 1 share corner k + 1.
	return signs[0] != 0 ? 2 : signs[1] != 0 ? 0 : 1;
}

// Of a vertex in the plane of a triangle.
static int32_t cutPlaceVertex(brCutJob* job, int32_t vertex, int32_t triangle)
{
	const int32_t* v = job->triangles[triangle];
	int32_t corner = cutCornerOf(v, vertex);
	if (corner >= 0)
	{
		return corner;
	}
	int32_t signs[3];
	for (int i = 0; i < 3; ++i)
	{
		signs[i] = brCut_TurnOn(job, triangle, v[i], v[(i + 1) % 3], vertex);
		if (signs[i] < 0)
		{
			return -1;
		}
	}
	return cutPlaceFromSigns(signs);
}

// Of the point where edge p q passes through the plane of a triangle.
static int32_t cutPlacePassage(const brCutJob* job, int32_t p, int32_t q, int32_t triangle)
{
	const int32_t* v = job->triangles[triangle];
	brDVec3 a = cutAt(job, p), b = cutAt(job, q);
	int32_t signs[3];
	for (int i = 0; i < 3; ++i)
	{
		// Asked from the lesser end so that both triangles at an edge get answers from one computation.
		signs[i] = p < q ? brOrient3d(a, b, cutAt(job, v[i]), cutAt(job, v[(i + 1) % 3]))
						 : -brOrient3d(b, a, cutAt(job, v[i]), cutAt(job, v[(i + 1) % 3]));
	}
	return cutPlaceFromSigns(signs);
}

static int32_t cutPassagePoint(brCutJob* job, int32_t p, int32_t q, int32_t triangle)
{
	brCutPoint point = {.kind = br_cutPointLinePlane, .makers = {p < q ? p : q, p < q ? q : p, 0, 0, triangle}};
	return brCut_AddPoint(job, point);
}

// Ends that corners and sides of triangle `which` make with the other one.
static bool cutCollectEnds(brCutJob* job, CutMeeting* meeting, int which, const int32_t signs[3])
{
	int32_t t = meeting->triangles[which], u = meeting->triangles[1 - which];
	const int32_t *v = job->triangles[t], *w = job->triangles[u];
	for (int32_t i = 0; i < 3; ++i)
	{
		int32_t j = (i + 1) % 3;
		int32_t point = -1, onMine = -1, onOther = -1;
		if (signs[i] == 0)
		{
			onOther = cutPlaceVertex(job, v[i], u);
			point = v[i], onMine = i;
		}
		if (onOther >= 0)
		{
			cutAddEnd(meeting, point, which == 0 ? onMine : onOther, which == 0 ? onOther : onMine);
		}
		if (signs[i] * signs[j] < 0)
		{
			onOther = cutPlacePassage(job, v[i], v[j], u);
			onMine = CUT_ON_SIDE + i;
			if (onOther >= 0)
			{
				point = onOther < CUT_ON_SIDE ? w[onOther] : cutPassagePoint(job, v[i], v[j], u);
				if (point < 0)
				{
					return false;
				}
				cutAddEnd(meeting, point, which == 0 ? onMine : onOther, which == 0 ? onOther : onMine);
			}
		}
	}
	return true;
}

static bool cutIsOnSide(int32_t on, int32_t side)
{
	return on == side || on == (side + 1) % 3 || on == CUT_ON_SIDE + side;
}

// The side of a triangle that both ends lie on, or -1.
static int32_t cutCommonSide(const CutMeeting* meeting, int which)
{
	for (int32_t side = 0; side < 3; ++side)
	{
		if (cutIsOnSide(meeting->ends[0].on[which], side) && cutIsOnSide(meeting->ends[1].on[which], side))
		{
			return side;
		}
	}
	return -1;
}

static int32_t cutSideLine(brCutJob* job, int32_t triangle, int32_t side)
{
	const int32_t* v = job->triangles[triangle];
	return brCut_EdgeLine(job, v[side], v[(side + 1) % 3]);
}

// Ends that lie inside sides of the triangles go onto the lines of these sides.
static bool cutPutEndsOnSides(brCutJob* job, const CutMeeting* meeting)
{
	for (int32_t i = 0; i < meeting->count; ++i)
	{
		for (int which = 0; which < 2; ++which)
		{
			int32_t on = meeting->ends[i].on[which];
			if (on >= CUT_ON_SIDE && on < CUT_INSIDE)
			{
				int32_t line = cutSideLine(job, meeting->triangles[which], on - CUT_ON_SIDE);
				if (line < 0 || !brCut_PutOnLine(job, line, meeting->ends[i].point))
				{
					return false;
				}
			}
		}
	}
	return true;
}

static bool cutAddConstraint(brCutJob* job, int32_t triangle, int32_t line, int32_t from, int32_t to)
{
	brCutConstraint row = {triangle, line, from, to};
	return BR_PUSH(&job->allocator, &job->constraints, row) || brCut_FailMemory(job);
}

static bool cutAddOverlap(brCutJob* job, int32_t a, int32_t b)
{
	return a == b || BR_PUSH(&job->allocator, &job->overlaps, ((brPair){a, b})) || brCut_FailMemory(job);
}

// A stretch between the two ends of a meeting, entered in both triangles.
static bool cutAddStretch(brCutJob* job, const CutMeeting* meeting)
{
	int32_t a = meeting->ends[0].point, b = meeting->ends[1].point;
	int32_t lines[2] = {-1, -1};
	for (int which = 0; which < 2; ++which)
	{
		int32_t side = cutCommonSide(meeting, which);
		if (side >= 0 && (lines[which] = cutSideLine(job, meeting->triangles[which], side)) < 0)
		{
			return false;
		}
	}
	if (lines[0] >= 0 && lines[1] >= 0)
	{
		return cutAddOverlap(job, lines[0], lines[1]);
	}
	int32_t line = lines[0] >= 0 ? lines[0] : lines[1];
	if (line < 0 && (line = brCut_SegmentLine(job, a, b, meeting->triangles[0], meeting->triangles[1])) < 0)
	{
		return false;
	}
	return (lines[0] >= 0 || cutAddConstraint(job, meeting->triangles[0], line, a, b)) &&
		   (lines[1] >= 0 || cutAddConstraint(job, meeting->triangles[1], line, a, b));
}

// Both in one plane: side `side` of triangle `which` against the other triangle.
static bool cutMeetSideInPlane(brCutJob* job, const int32_t triangles[2], int which, int32_t side, bool* isBeyond,
							   int32_t* touches)
{
	CutMeeting meeting = {.triangles = {triangles[0], triangles[1]}};
	int32_t t = triangles[which], u = triangles[1 - which];
	const int32_t *v = job->triangles[t], *w = job->triangles[u];
	int32_t p = v[side], q = v[(side + 1) % 3];
	int32_t ends[2] = {p, q}, corners[2] = {side, (side + 1) % 3};
	for (int i = 0; i < 2; ++i)
	{
		int32_t onOther = cutPlaceVertex(job, ends[i], u);
		if (onOther >= 0)
		{
			cutAddEnd(&meeting, ends[i], which == 0 ? corners[i] : onOther, which == 0 ? onOther : corners[i]);
		}
	}
	int32_t turns[3];
	for (int32_t i = 0; i < 3; ++i)
	{
		turns[i] = brCut_TurnOn(job, u, p, q, w[i]);
		if (turns[i] == 0 && w[i] != p && w[i] != q && brCut_IsBetween(job, p, q, w[i]))
		{
			int32_t onMine = CUT_ON_SIDE + side;
			cutAddEnd(&meeting, w[i], which == 0 ? onMine : i, which == 0 ? i : onMine);
		}
	}
	for (int32_t i = 0; i < 3; ++i)
	{
		int32_t j = (i + 1) % 3;
		if (turns[i] * turns[j] < 0 && brCut_TurnOn(job, u, w[i], w[j], p) * brCut_TurnOn(job, u, w[i], w[j], q) < 0)
		{
			int32_t sign;
			brCutPoint point = {
				.kind = br_cutPointLines, .axis = (uint8_t)brCut_View(job, u, &sign), .makers = {p, q, w[i], w[j], 0}};
			int32_t id = brCut_AddPoint(job, point);
			if (id < 0)
			{
				return false;
			}
			int32_t onMine = CUT_ON_SIDE + side, onOther = CUT_ON_SIDE + i;
			cutAddEnd(&meeting, id, which == 0 ? onMine : onOther, which == 0 ? onOther : onMine);
		}
	}
	*isBeyond |= meeting.isBeyond;
	*touches += meeting.count;
	if (meeting.count > 2)
	{
		return brCut_Fail(job, br_errorGeometry, job->faces[t], "face %d meets a coplanar face in a way that cannot be",
						  job->faces[t]);
	}
	if (meeting.count < 2)
	{
		return true;
	}
	if (!cutPutEndsOnSides(job, &meeting))
	{
		return false;
	}
	int32_t mine = cutSideLine(job, t, side);
	int32_t other = cutCommonSide(&meeting, 1 - which);
	if (mine < 0)
	{
		return false;
	}
	if (other >= 0)
	{
		int32_t line = cutSideLine(job, u, other);
		return line >= 0 && cutAddOverlap(job, mine, line);
	}
	return cutAddConstraint(job, u, mine, meeting.ends[0].point, meeting.ends[1].point);
}

static void cutMarkMeeting(brCutJob* job, int32_t t, int32_t u)
{
	job->flags[t] |= br_cutNear;
	job->flags[u] |= br_cutNear;
	job->stats.contacts += 1;
}

// Signs of the corners of t against the plane of u; a shared corner is in it without a question.
static void cutSides(const brCutJob* job, int32_t t, int32_t u, int32_t signs[3])
{
	const int32_t *v = job->triangles[t], *w = job->triangles[u];
	brDVec3 a = cutAt(job, w[0]), b = cutAt(job, w[1]), c = cutAt(job, w[2]);
	for (int i = 0; i < 3; ++i)
	{
		signs[i] = cutCornerOf(w, v[i]) >= 0 ? 0 : brOrient3d(a, b, c, cutAt(job, v[i]));
	}
}

static bool cutIsApart(const int32_t signs[3])
{
	return signs[0] != 0 && signs[0] == signs[1] && signs[0] == signs[2];
}

static bool cutMeet(brCutJob* job, int32_t t, int32_t u)
{
	int32_t triangles[2] = {t, u};
	const int32_t *v = job->triangles[t], *w = job->triangles[u];
	bool isSelf = t >= job->sourceCount;
	int32_t mine[3], others[3];
	cutSides(job, t, u, mine);
	if (cutIsApart(mine))
	{
		return true;
	}
	cutSides(job, u, t, others);
	if (cutIsApart(others))
	{
		return true;
	}
	if (mine[0] == 0 && mine[1] == 0 && mine[2] == 0)
	{
		int32_t shared = (cutCornerOf(w, v[0]) >= 0) + (cutCornerOf(w, v[1]) >= 0) + (cutCornerOf(w, v[2]) >= 0);
		bool isBeyond = !isSelf || shared == 3;
		int32_t touches = 0;
		for (int which = 0; which < 2; ++which)
		{
			for (int32_t side = 0; side < 3; ++side)
			{
				if (!cutMeetSideInPlane(job, triangles, which, side, &isBeyond, &touches))
				{
					return false;
				}
			}
		}
		if (isBeyond && touches > 0)
		{
			cutMarkMeeting(job, t, u);
		}
		bool isFace = !isSelf && touches > 2;
		return !isFace || BR_PUSH(&job->allocator, &job->coplanars, ((brPair){t, u})) || brCut_FailMemory(job);
	}
	CutMeeting meeting = {.triangles = {t, u}};
	if (!cutCollectEnds(job, &meeting, 0, mine) || !cutCollectEnds(job, &meeting, 1, others))
	{
		return false;
	}
	if (meeting.count == 0 || (isSelf && !meeting.isBeyond))
	{
		return true;
	}
	if (meeting.count > 2)
	{
		return brCut_Fail(job, br_errorGeometry, job->faces[t], "face %d meets another in a way that cannot be",
						  job->faces[t]);
	}
	cutMarkMeeting(job, t, u);
	return meeting.count < 2 || (cutPutEndsOnSides(job, &meeting) && cutAddStretch(job, &meeting));
}

// Candidates are looked at in blocks by all workers. Those that are certainly apart, or that have no more in common than a corner,
// are struck out: first = -1. Those with a common edge and nothing else are marked: second = -1 - second.
typedef struct CutSieve
{
	brCutJob* job;
	brPair* pairs;
	int64_t count;
	int32_t firstOffset, secondOffset;
} CutSieve;

enum
{
	CUT_SIEVE_BLOCK = 2048
};

// Whether all corners that are not shared lie strictly on one side.
static bool cutIsClear(const int32_t signs[3])
{
	bool isAbove = signs[0] >= 0 && signs[1] >= 0 && signs[2] >= 0;
	bool isBelow = signs[0] <= 0 && signs[1] <= 0 && signs[2] <= 0;
	return isAbove || isBelow;
}

// Whether the side of t opposite to its one corner in the plane of u passes through u.
static bool cutPassesOpposite(const brCutJob* job, int32_t t, int32_t u, const int32_t signs[3])
{
	const int32_t* v = job->triangles[t];
	int32_t k = signs[0] == 0 ? 0 : signs[1] == 0 ? 1 : 2;
	return cutPlacePassage(job, v[(k + 1) % 3], v[(k + 2) % 3], u) >= 0;
}

// The number of corners that two triangles share if they meet nowhere else, or 0.
static int32_t cutPlainNeighbor(const brCutJob* job, int32_t t, int32_t u, const int32_t mine[3],
								const int32_t others[3])
{
	const int32_t *v = job->triangles[t], *w = job->triangles[u];
	int32_t shared = 0, zeros = 0, otherZeros = 0;
	for (int k = 0; k < 3; ++k)
	{
		shared += cutCornerOf(w, v[k]) >= 0;
		zeros += mine[k] == 0;
		otherZeros += others[k] == 0;
	}
	if (shared == 0 || shared == 3)
	{
		return shared;
	}
	if ((zeros == shared && cutIsClear(mine)) || (otherZeros == shared && cutIsClear(others)))
	{
		return shared;
	}
	// One common corner, and both opposite sides pass through the other's plane: they meet again if one of these does so inside.
	bool isPlain = shared == 1 && zeros == 1 && otherZeros == 1 && !cutPassesOpposite(job, t, u, mine) &&
				   !cutPassesOpposite(job, u, t, others);
	return isPlain ? 1 : 0;
}

static void cutSievePairs(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CutSieve* sieve = user;
	int64_t last = (int64_t)end * CUT_SIEVE_BLOCK < sieve->count ? (int64_t)end * CUT_SIEVE_BLOCK : sieve->count;
	for (int64_t i = (int64_t)begin * CUT_SIEVE_BLOCK; i < last; ++i)
	{
		brPair* pair = &sieve->pairs[i];
		int32_t t = pair->a + sieve->firstOffset, u = pair->b + sieve->secondOffset;
		int32_t mine[3], others[3];
		cutSides(sieve->job, t, u, mine);
		bool isApart = cutIsApart(mine);
		if (!isApart)
		{
			cutSides(sieve->job, u, t, others);
			isApart = cutIsApart(others);
			int32_t shared = isApart ? 0 : cutPlainNeighbor(sieve->job, t, u, mine, others);
			// A common corner is nothing. A common edge of source and cutter, and equal triangles, are for the weave.
			isApart = isApart || shared == 1 || (shared == 2 && t >= sieve->job->sourceCount);
			pair->b = !isApart && shared >= 2 ? -1 - pair->b : pair->b;
		}
		pair->a = isApart ? -1 : pair->a;
	}
}

typedef BR_ARRAY(brPair) CutPairs;

// Keeps the pairs that are left after the sieve, as triangles of the job, and marks those with no more than an edge in common.
static bool cutKeepPairs(brCutJob* job, brPairSearch* search, int32_t firstOffset, int32_t secondOffset,
						 CutPairs* outPairs)
{
	brPairBuffer* pairs = &search->pairs;
	CutSieve sieve = {job, pairs->pairs, pairs->count, firstOffset, secondOffset};
	int64_t blocks = (pairs->count + CUT_SIEVE_BLOCK - 1) / CUT_SIEVE_BLOCK;
	if (blocks > INT32_MAX)
	{
		return brCut_Fail(job, br_errorLimit, -1, "there are too many candidate pairs");
	}
	brParallelFor(job->context != NULL ? job->context->workers : NULL, (int32_t)blocks, 1, cutSievePairs, &sieve);
	for (int64_t i = 0; i < pairs->count; ++i)
	{
		brPair pair = pairs->pairs[i];
		if (pair.a < 0)
		{
			continue;
		}
		bool isPlain = pair.b < 0;
		int32_t t = pair.a + firstOffset, u = (isPlain ? -1 - pair.b : pair.b) + secondOffset;
		if (!isPlain)
		{
			if (!BR_PUSH(&job->allocator, outPairs, ((brPair){t, u})))
			{
				return brCut_FailMemory(job);
			}
			continue;
		}
		const int32_t *v = job->triangles[t], *w = job->triangles[u];
		bool isSame = cutCornerOf(w, v[0]) >= 0 && cutCornerOf(w, v[1]) >= 0 && cutCornerOf(w, v[2]) >= 0;
		cutMarkMeeting(job, t, u);
		if (isSame && t < job->sourceCount && !BR_PUSH(&job->allocator, &job->coplanars, ((brPair){t, u})))
		{
			return brCut_FailMemory(job);
		}
	}
	return true;
}

static brBoxSource cutBoxes(const brCutJob* job, const brDVec3* positions, int32_t begin, int32_t end)
{
	return (brBoxSource){.count = end - begin,
						 .vertexCount = job->vertexCount,
						 .positions = positions,
						 .cornersEach = 3,
						 .corners = &job->triangles[begin][0]};
}

// Candidates of the source against the cutter, or of the cutter against itself.
static bool cutFindPairs(brCutJob* job, const brDVec3* positions, bool isSelf, CutPairs* outPairs)
{
	brPairSearchDef def = {.method = br_pairsOi,
						   .enableSelf = isSelf,
						   .enableInter = !isSelf,
						   .enableFilter = true,
						   .rule = isSelf ? br_neighboursBeyond : br_neighboursKeep};
	brBoxSource source = cutBoxes(job, positions, 0, job->sourceCount);
	brBoxSource cutter = cutBoxes(job, positions, job->sourceCount, job->triangleCount);
	brPairSearch search;
	brPairSearch_Init(&search, &job->allocator, &def);
	brResult result = isSelf ? brPairSearch_Run(&search, job->context, &cutter, NULL, 1, job->report)
							 : brPairSearch_RunBetween(&search, job->context, &source, &cutter, job->report);
	job->error = result < 0 && job->error == 0 ? result : job->error;
	bool isDone = result >= 0 && cutKeepPairs(job, &search, isSelf ? job->sourceCount : 0, job->sourceCount, outPairs);
	brPairSearch_Free(&search);
	return isDone;
}

bool brCut_FindContacts(brCutJob* job)
{
	if (job->sourceCount == 0 || job->triangleCount == job->sourceCount)
	{
		return true;
	}
	brDVec3* positions = BR_ALLOC(&job->allocator, brDVec3, job->vertexCount);
	if (positions == NULL)
	{
		return brCut_FailMemory(job);
	}
	for (int32_t i = 0; i < job->vertexCount; ++i)
	{
		positions[i] = job->points.data[i].at;
	}
	CutPairs pairs = {0};
	bool isDone = cutFindPairs(job, positions, false, &pairs) &&
				  (job->def->assumeCutterSimple || cutFindPairs(job, positions, true, &pairs));
	BR_FREE(&job->allocator, positions, job->vertexCount);
	// Vertices that may be at the place of a made point are known before the first is made.
	for (int32_t i = 0; i < pairs.count && isDone; ++i)
	{
		isDone = brCut_EnterVertices(job, pairs.data[i].a) && brCut_EnterVertices(job, pairs.data[i].b);
	}
	for (int32_t i = 0; i < pairs.count && isDone; ++i)
	{
		isDone = cutMeet(job, pairs.data[i].a, pairs.data[i].b);
	}
	BR_FREE_ARRAY(&job->allocator, &pairs);
	return isDone;
}
