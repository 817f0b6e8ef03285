// SPDX-License-Identifier: MIT

// Where two triangles meet. The common part of two triangles in different planes is a stretch of a line; its ends are
// vertices of one in the other, or edges of one through the other, each named by the lowest things it lies on in both.
// In one plane, each edge of one that passes over the other is a stretch. Signs are exact, so one end is a touch and
// two are a stretch, without exceptions.

#include "cut/cut_contacts.h"

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

int32_t brCut_PlaceFromSigns(const int32_t signs[3])
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
	return brCut_PlaceFromSigns(signs);
}

// Ends that corners and sides of triangle `which` make with the other one.
static bool cutCollectEnds(brCutJob* job, CutMeeting* meeting, int which, const CutCandidate* pair)
{
	const int8_t* signs = pair->signs[which];
	int32_t t = meeting->triangles[which], u = meeting->triangles[1 - which];
	const int32_t *v = job->triangles[t], *w = job->triangles[u];
	for (int32_t i = 0; i < 3; ++i)
	{
		int32_t onOther = signs[i] == 0 ? cutPlaceVertex(job, v[i], u) : -1;
		if (onOther >= 0)
		{
			cutAddEnd(meeting, v[i], which == 0 ? i : onOther, which == 0 ? onOther : i);
		}
		onOther = pair->passages[which][i];
		if (onOther >= 0)
		{
			int32_t point =
				onOther < CUT_ON_SIDE ? w[onOther] : brCut_AddPoint(job, cutPassage(v[i], v[(i + 1) % 3], u));
			if (point < 0)
			{
				return false;
			}
			int32_t onMine = CUT_ON_SIDE + i;
			cutAddEnd(meeting, point, which == 0 ? onMine : onOther, which == 0 ? onOther : onMine);
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

void brCut_MarkMeeting(brCutJob* job, int32_t t, int32_t u)
{
	job->flags[t] |= br_cutNear;
	job->flags[u] |= br_cutNear;
	job->stats.contacts += 1;
}

static bool cutMeet(brCutJob* job, const CutCandidate* pair)
{
	const int32_t* triangles = pair->triangles;
	int32_t t = triangles[0], u = triangles[1];
	const int32_t *v = job->triangles[t], *w = job->triangles[u];
	bool isSelf = t >= job->sourceCount;
	const int8_t* mine = pair->signs[0];
	if (cutIsApart(mine) || cutIsApart(pair->signs[1]))
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
			brCut_MarkMeeting(job, t, u);
		}
		bool isFace = !isSelf && touches > 2;
		return !isFace || BR_PUSH(&job->allocator, &job->coplanars, ((brPair){t, u})) || brCut_FailMemory(job);
	}
	CutMeeting meeting = {.triangles = {t, u}};
	if (!cutCollectEnds(job, &meeting, 0, pair) || !cutCollectEnds(job, &meeting, 1, pair))
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
	brCut_MarkMeeting(job, t, u);
	return meeting.count < 2 || (cutPutEndsOnSides(job, &meeting) && cutAddStretch(job, &meeting));
}

bool brCut_FindContacts(brCutJob* job)
{
	// Without a source only the union asks how the cutter meets itself.
	if (job->sourceCount == job->triangleCount || (job->sourceCount == 0 && job->def->op != br_cutUnion))
	{
		return true;
	}
	CutCandidates pairs = {0};
	bool isDone = brCut_FindPairs(job, &pairs);
	// Vertices that may be at the place of a made point are known before the first is made.
	for (int32_t i = 0; i < pairs.count && isDone; ++i)
	{
		isDone = brCut_EnterVertices(job, pairs.data[i].triangles[0]) &&
				 brCut_EnterVertices(job, pairs.data[i].triangles[1]);
	}
	for (int32_t i = 0; i < pairs.count && isDone; ++i)
	{
		isDone = cutMeet(job, &pairs.data[i]);
	}
	BR_FREE_ARRAY(&job->allocator, &pairs);
	brCut_ForgetExpected(job);
	return isDone;
}
