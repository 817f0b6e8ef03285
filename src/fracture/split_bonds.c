// SPDX-License-Identifier: MIT

// Bonds across cut faces. What the two sides of a face were split into later lies in the plane of one triangle, so what
// pieces share is the overlap of triangles in a plane.

#include "base/report.h"
#include "base/sort.h"
#include "fracture/split.h"

#include <math.h>

// A bond, and what its overlaps have given it so far.
typedef struct SplitContact
{
	int32_t pieces[2]; // the lower number first
	int32_t next;      // with the same lower piece, or -1
	double area;
	brDVec3 moment;
	brDVec3 vector; // area times normal, from the first to the second
} SplitContact;

typedef struct SplitEntry
{
	int32_t part, triangle;
} SplitEntry;

typedef struct SplitContacts
{
	BR_ARRAY(SplitContact) all;
	int32_t* first; // [pieceCount of the shatter] by lower piece, or -1
	int32_t last;   // that an overlap was added to: most are of the same pieces as the one before
} SplitContacts;

// A triangle in the plane of its face, turning left.
typedef struct SplitFlat
{
	brDVec2 corners[3], lower, upper;
} SplitFlat;

// Cut triangles of pieces by face and side: entries of key 2 face + side from starts[key] to starts[key + 1].
typedef struct SplitIndex
{
	int32_t* starts;
	SplitEntry* entries;
	SplitFlat* flat; // [most] of the face at work
	int32_t keyCount, entryCount, most;
} SplitIndex;

#define SPLIT_MAX_CORNERS 9

// Above 0 on the left of the line from a to b.
static double bondSide(brDVec2 a, brDVec2 b, brDVec2 p)
{
	return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

// Sutherland and Hodgman: what is left of a polygon on the left of the line from a to b.
static int32_t bondClip(const brDVec2* in, int32_t count, brDVec2 a, brDVec2 b, brDVec2* out)
{
	int32_t kept = 0;
	double sp = count > 0 ? bondSide(a, b, in[0]) : 0.0;
	for (int32_t n = 0; n < count; ++n)
	{
		brDVec2 p = in[n], q = in[n + 1 < count ? n + 1 : 0];
		double sq = bondSide(a, b, q);
		if (sp >= 0.0 && kept < SPLIT_MAX_CORNERS)
		{
			out[kept++] = p;
		}
		if ((sp >= 0.0) != (sq >= 0.0) && kept < SPLIT_MAX_CORNERS)
		{
			double t = sp / (sp - sq);
			out[kept++] = (brDVec2){p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)};
		}
		sp = sq;
	}
	return kept;
}

static bool bondIsApart(const SplitFlat* a, const SplitFlat* b)
{
	return a->lower.x > b->upper.x || b->lower.x > a->upper.x || a->lower.y > b->upper.y || b->lower.y > a->upper.y;
}

// Area and first moment of the overlap of two triangles that turn left.
static double bondOverlap(const brDVec2 a[3], const brDVec2 b[3], brDVec2* outMoment)
{
	brDVec2 one[SPLIT_MAX_CORNERS] = {a[0], a[1], a[2]}, two[SPLIT_MAX_CORNERS];
	int32_t count = bondClip(one, 3, b[0], b[1], two);
	count = bondClip(two, count, b[1], b[2], one);
	count = bondClip(one, count, b[2], b[0], two);
	double sum = 0.0;
	*outMoment = (brDVec2){0.0, 0.0};
	for (int32_t n = 1; n + 1 < count; ++n)
	{
		brDVec2 p = two[0], q = two[n], r = two[n + 1];
		double area = 0.5 * ((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x));
		sum += area;
		outMoment->x += area * (p.x + q.x + r.x) / 3.0;
		outMoment->y += area * (p.y + q.y + r.y) / 3.0;
	}
	return sum;
}

// The plane of a face.
typedef struct BondFrame
{
	brDVec3 origin, u, v, normal;
} BondFrame;

static BondFrame bondFrame(const brSplit* split, int32_t face)
{
	const brDVec3* at = split->faces.data[face].corners;
	BondFrame frame = {.origin = at[0]};
	frame.u = brDNormalize(brDSub(at[1], at[0]));
	frame.normal = brDNormalize(brDCross(frame.u, brDSub(at[2], at[0])));
	frame.v = brDCross(frame.normal, frame.u);
	return frame;
}

static void bondFlatten(const brSplit* split, const BondFrame* frame, SplitEntry entry, bool isTurned, SplitFlat* out)
{
	const brSplitPart* part = &split->parts.data[entry.part];
	const int32_t* c = part->triangles[entry.triangle].corners;
	out->lower = (brDVec2){INFINITY, INFINITY}, out->upper = (brDVec2){-INFINITY, -INFINITY};
	for (int32_t k = 0; k < 3; ++k)
	{
		brDVec3 d = brDSub(part->points[c[isTurned ? 2 - k : k]], frame->origin);
		brDVec2 p = {brDDot(frame->u, d), brDDot(frame->v, d)};
		out->lower = (brDVec2){p.x < out->lower.x ? p.x : out->lower.x, p.y < out->lower.y ? p.y : out->lower.y};
		out->upper = (brDVec2){p.x > out->upper.x ? p.x : out->upper.x, p.y > out->upper.y ? p.y : out->upper.y};
		out->corners[k] = p;
	}
}

// The contact of two pieces, made the first time; null without memory.
static SplitContact* bondContact(const brSplit* split, SplitContacts* contacts, int32_t low, int32_t high)
{
	int32_t n = contacts->last;
	bool isLast = n >= 0 && contacts->all.data[n].pieces[0] == low && contacts->all.data[n].pieces[1] == high;
	n = isLast ? n : contacts->first[low];
	while (n >= 0 && contacts->all.data[n].pieces[1] != high)
	{
		n = contacts->all.data[n].next;
	}
	if (n < 0)
	{
		SplitContact contact = {.pieces = {low, high}, .next = contacts->first[low]};
		if (!BR_PUSH(&split->allocator, &contacts->all, contact))
		{
			return NULL;
		}
		contacts->first[low] = n = contacts->all.count - 1;
	}
	contacts->last = n;
	return &contacts->all.data[n];
}

static bool bondAddFace(const brSplit* split, const SplitIndex* index, const int32_t* pieceOf, int32_t face,
						SplitContacts* out)
{
	int32_t below = index->starts[2 * face], above = index->starts[2 * face + 1], end = index->starts[2 * face + 2];
	BondFrame frame = bondFrame(split, face);
	SplitFlat* flat = index->flat;
	for (int32_t i = below; i < end; ++i)
	{
		bondFlatten(split, &frame, index->entries[i], i >= above, &flat[i - below]);
	}
	for (int32_t i = below; i < above; ++i)
	{
		for (int32_t k = above; k < end; ++k)
		{
			if (bondIsApart(&flat[i - below], &flat[k - below]))
			{
				continue;
			}
			brDVec2 moment;
			double area = bondOverlap(flat[i - below].corners, flat[k - below].corners, &moment);
			if (!(area > 0.0))
			{
				continue;
			}
			int32_t p = pieceOf[index->entries[i].part], q = pieceOf[index->entries[k].part];
			SplitContact* contact = bondContact(split, out, p < q ? p : q, p < q ? q : p);
			if (contact == NULL)
			{
				return false;
			}
			brDVec3 sum = brDMulAdd(brDMulAdd(brDMul(area, frame.origin), moment.x, frame.u), moment.y, frame.v);
			contact->area += area;
			contact->moment = brDAdd(contact->moment, sum);
			contact->vector = brDMulAdd(contact->vector, p > q ? -1.0 : 1.0, brDMul(area, frame.normal));
		}
	}
	return true;
}

static bool bondMakeIndex(const brSplit* split, const int32_t* pieceOf, SplitIndex* index)
{
	const brAllocator* a = &split->allocator;
	index->keyCount = 2 * split->faces.count;
	index->starts = BR_ALLOC_ZERO(a, int32_t, (int64_t)index->keyCount + 2);
	for (int32_t pass = 0; index->starts != NULL && pass < 2; ++pass)
	{
		for (int32_t p = 0; p < split->parts.count; ++p)
		{
			const brSplitPart* part = &split->parts.data[p];
			for (int32_t t = 0; pieceOf[p] >= 0 && t < part->count; ++t)
			{
				int32_t key = -1 - part->triangles[t].source;
				if (key < 0)
				{
					continue;
				}
				if (pass == 0)
				{
					index->starts[key + 2] += 1;
					index->entryCount += 1;
				}
				else
				{
					index->entries[index->starts[key + 1]++] = (SplitEntry){p, t};
				}
			}
		}
		for (int32_t key = 0; pass == 0 && key < index->keyCount; ++key)
		{
			index->starts[key + 2] += index->starts[key + 1];
		}
		index->entries = pass == 0 ? BR_ALLOC(a, SplitEntry, index->entryCount) : index->entries;
		if (index->entries == NULL)
		{
			return false;
		}
	}
	for (int32_t face = 0; index->starts != NULL && face < split->faces.count; ++face)
	{
		int32_t count = index->starts[2 * face + 2] - index->starts[2 * face];
		index->most = count > index->most ? count : index->most;
	}
	index->flat = BR_ALLOC(a, SplitFlat, index->most);
	return index->starts != NULL && index->flat != NULL;
}

// Contacts as bonds, by the lower piece and then by the other.
static bool bondSort(const brSplit* split, const SplitContacts* contacts, brShatter* shatter)
{
	const brAllocator* a = &split->allocator;
	int32_t count = contacts->all.count;
	uint64_t* keys = BR_ALLOC(a, uint64_t, 2 * (int64_t)count);
	uint32_t* order = BR_ALLOC(a, uint32_t, 2 * (int64_t)count);
	bool isGood = keys != NULL && order != NULL;
	for (int32_t n = 0; isGood && n < count; ++n)
	{
		const int32_t* pieces = contacts->all.data[n].pieces;
		keys[n] = (uint64_t)pieces[0] << 32 | (uint32_t)pieces[1];
		order[n] = (uint32_t)n;
	}
	isGood = isGood && brSortPairs64(NULL, a, keys, order, keys + count, order + count, count);
	shatter->bonds = isGood ? BR_ALLOC_ZERO(a, brBond, count) : NULL;
	shatter->bondCount = shatter->bonds != NULL ? count : 0;
	for (int32_t n = 0; n < shatter->bondCount; ++n)
	{
		const SplitContact* contact = &contacts->all.data[order[n]];
		brBond* bond = &shatter->bonds[n];
		bond->pieces[0] = contact->pieces[0], bond->pieces[1] = contact->pieces[1];
		bond->area = contact->area;
		bond->center = brDMul(1.0 / contact->area, contact->moment);
		bond->normal = brDNormalize(contact->vector);
	}
	BR_FREE(a, keys, 2 * (int64_t)count);
	BR_FREE(a, order, 2 * (int64_t)count);
	return shatter->bonds != NULL;
}

brResult brSplit_MakeBonds(const brSplit* split, const int32_t* pieceOf, brShatter* shatter, brReport* report)
{
	const brAllocator* a = &split->allocator;
	SplitIndex index = {0};
	SplitContacts contacts = {.first = BR_ALLOC(a, int32_t, shatter->pieceCount), .last = -1};
	for (int32_t p = 0; contacts.first != NULL && p < shatter->pieceCount; ++p)
	{
		contacts.first[p] = -1;
	}
	bool isGood = contacts.first != NULL && bondMakeIndex(split, pieceOf, &index);
	for (int32_t face = 0; isGood && face < split->faces.count; ++face)
	{
		isGood = bondAddFace(split, &index, pieceOf, face, &contacts);
	}
	isGood = isGood && bondSort(split, &contacts, shatter);
	BR_FREE(a, index.starts, (int64_t)index.keyCount + 2);
	BR_FREE(a, index.entries, index.entryCount);
	BR_FREE(a, index.flat, index.most);
	BR_FREE(a, contacts.first, shatter->pieceCount);
	BR_FREE_ARRAY(a, &contacts.all);
	return isGood ? br_success : brFailMemory(report);
}
