// SPDX-License-Identifier: MIT
#pragma once

// What the search for pairs (cut_pairs.c) and the meeting of one pair (cut_contacts.c) share.

#include "cut/cut_job.h"

// Where a point is on a triangle: 0-2 a corner, 3-5 a side, 6 inside, -1 not on it.
enum
{
	CUT_ON_SIDE = 3,
	CUT_INSIDE = 6,
	CUT_NO_PASSAGE = -2, // the side does not pass through the plane
};

// Two triangles that may meet, with the signs that workers have found.
typedef struct CutCandidate
{
	int32_t triangles[2];
	int8_t signs[2][3];    // corners of each against the plane of the other
	int8_t passages[2][3]; // where sides of each pass through the other
} CutCandidate;

typedef BR_ARRAY(CutCandidate) CutCandidates;

static inline int32_t cutCornerOf(const int32_t* triangle, int32_t point)
{
	return point == triangle[0] ? 0 : point == triangle[1] ? 1 : point == triangle[2] ? 2 : -1;
}

static inline bool cutIsApart(const int8_t signs[3])
{
	return signs[0] != 0 && signs[0] == signs[1] && signs[0] == signs[2];
}

/// From three signs around a triangle: all of one sign or zero is inside, a zero is on that side.
int32_t brCut_PlaceFromSigns(const int32_t signs[3]);

/// The point where edge p q passes through a triangle, without its place.
static inline brCutPoint cutPassage(int32_t p, int32_t q, int32_t triangle)
{
	return (brCutPoint){.kind = br_cutPointLinePlane, .makers = {p < q ? p : q, p < q ? q : p, 0, 0, triangle}};
}

/// Notes that two triangles meet.
void brCut_MarkMeeting(brCutJob* job, int32_t t, int32_t u);

/// All pairs that may meet beyond what they share; simple neighbors are settled here. Points where sides pass through
/// triangles are prepared.
bool brCut_FindPairs(brCutJob* job, CutCandidates* outPairs);

/// Which triangles source and cutter have in common.
bool brCut_FindDoubles(brCutJob* job);
void brCut_ForgetDoubles(brCutJob* job);

/// Doubles that meet nothing else, and whose neighbors are doubles, stay untouched; the others meet each other.
bool brCut_SettleDoubles(brCutJob* job, const CutCandidates* pairs);
