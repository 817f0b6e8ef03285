// SPDX-License-Identifier: MIT

// Which pieces touch, and over what area, from the triangles alone.
//
// A break gives both sides of a crack the same triangles, so nearly all pairs are found by their corners. Where one side
// broke again later its triangles are cut finer than the other's: those that have no twin are laid over each other, in
// the order of their lowest x. A piece may be thinner than what counts as touching, and what is on its one side then
// seems to touch what is on the other: so the nearest pairs come first, and no triangle touches with more than its own
// area.

#include "base/hash.h"
#include "base/sort.h"
#include "dataset/sample.h"

#include <string.h>

#define CONTACT_GAP 1e-7    // of the size: farther apart triangles do not touch
#define CONTACT_LEAST 1e-12 // of the size squared: overlaps below this are edges that meet

typedef struct ContactPart
{
	int32_t pieces[2]; // rising
	double area;
	brDVec3 moment, normal; // area times center, area times normal out of the first piece
} ContactPart;

// A fracture triangle that has no twin.
typedef struct ContactLone
{
	int32_t triangle, piece;
	brDBox3 box;
	brDVec3 normal; // unit
	double left;    // area that touches nothing yet
} ContactLone;

// Two of them that seem to touch.
typedef struct ContactMeeting
{
	int32_t lones[2];
	double area;
	brDVec3 center;
} ContactMeeting;

typedef struct ContactJob
{
	brSample* sample;
	brAllocator allocator;
	int32_t* vertexIds;     // [vertexCount] equal for equal places
	int32_t* trianglePiece; // [triangleCount]
	BR_ARRAY(ContactPart) parts;
	BR_ARRAY(ContactLone) lones;
	BR_ARRAY(ContactMeeting) meetings;
	BR_ARRAY(uint64_t) meetingKeys; // nearest first
} ContactJob;

static int32_t contactTableSize(int32_t count)
{
	int32_t size = 16;
	while (size < 2 * (int64_t)count && size < (1 << 30))
	{
		size *= 2;
	}
	return size;
}

// Numbers for places: vertices with the same bits have the same one.
static bool contactNumberVertices(ContactJob* job)
{
	const brSample* sample = job->sample;
	int32_t size = contactTableSize(sample->vertexCount);
	int32_t* table = BR_ALLOC(&job->allocator, int32_t, size);
	if (table == NULL)
	{
		return false;
	}
	memset(table, 0xff, (size_t)size * sizeof(int32_t));
	for (int32_t i = 0; i < sample->vertexCount; ++i)
	{
		brDVec3 p = sample->vertices[i];
		p = brMakeDVec3(p.x + 0.0, p.y + 0.0, p.z + 0.0); // -0 is 0
		uint32_t slot = (uint32_t)brHashBytes(BR_HASH_SEED, &p, sizeof(p)) & (uint32_t)(size - 1);
		while (table[slot] >= 0)
		{
			brDVec3 q = sample->vertices[table[slot]];
			if (q.x == p.x && q.y == p.y && q.z == p.z)
			{
				break;
			}
			slot = (slot + 1) & (uint32_t)(size - 1);
		}
		table[slot] = table[slot] >= 0 ? table[slot] : i;
		job->vertexIds[i] = table[slot];
	}
	BR_FREE(&job->allocator, table, size);
	return true;
}

// The numbers of the corners, rising. True if they turn the other way round in the triangle.
static bool contactSortedIds(const ContactJob* job, int32_t triangle, int32_t out[3])
{
	bool isTurned = false;
	for (int32_t k = 0; k < 3; ++k)
	{
		out[k] = job->vertexIds[job->sample->triangles[triangle][k]];
	}
	for (int32_t k = 0; k < 3; ++k) // three swaps sort three
	{
		int32_t i = k == 1 ? 1 : 0, low = out[i] < out[i + 1] ? out[i] : out[i + 1];
		isTurned = isTurned != (low != out[i]);
		out[i + 1] += out[i] - low;
		out[i] = low;
	}
	return isTurned;
}

static brDVec3 contactAreaVector(const brSample* sample, int32_t triangle)
{
	const int32_t* t = sample->triangles[triangle];
	brDVec3 a = sample->vertices[t[0]];
	return brDMul(0.5, brDCross(brDSub(sample->vertices[t[1]], a), brDSub(sample->vertices[t[2]], a)));
}

static bool contactAddPart(ContactJob* job, int32_t first, int32_t second, double area, brDVec3 center, brDVec3 normal)
{
	bool isRising = first < second;
	ContactPart part = {.pieces = {isRising ? first : second, isRising ? second : first},
						.area = area,
						.moment = brDMul(area, center),
						.normal = brDMul(isRising ? area : -area, normal)};
	return BR_PUSH(&job->allocator, &job->parts, part);
}

static bool contactAddTwins(ContactJob* job, int32_t one, int32_t other)
{
	const brSample* sample = job->sample;
	const int32_t* t = sample->triangles[one];
	brDVec3 vector = contactAreaVector(sample, one);
	double area = brDLength(vector);
	brDVec3 sum = brDAdd(sample->vertices[t[0]], brDAdd(sample->vertices[t[1]], sample->vertices[t[2]]));
	brDVec3 normal = area > 0.0 ? brDMul(1.0 / area, vector) : vector;
	return contactAddPart(job, job->trianglePiece[one], job->trianglePiece[other], area, brDMul(1.0 / 3.0, sum),
						  normal);
}

static bool contactAddLone(ContactJob* job, int32_t triangle)
{
	const brSample* sample = job->sample;
	brDVec3 vector = contactAreaVector(sample, triangle);
	double area = brDLength(vector);
	if (area < CONTACT_LEAST * sample->size * sample->size)
	{
		return true;
	}
	ContactLone lone = {triangle, job->trianglePiece[triangle], brMakeDBox3Empty(), brDMul(1.0 / area, vector), area};
	for (int32_t k = 0; k < 3; ++k)
	{
		lone.box = brDBox3_Include(lone.box, sample->vertices[sample->triangles[triangle][k]]);
	}
	return BR_PUSH(&job->allocator, &job->lones, lone);
}

// Pairs of triangles of two pieces with the same corners; the others are set aside.
static bool contactMatchTwins(ContactJob* job)
{
	const brSample* sample = job->sample;
	int32_t size = contactTableSize(sample->triangleCount);
	int32_t* table = BR_ALLOC(&job->allocator, int32_t, size);
	int32_t* twins = BR_ALLOC(&job->allocator, int32_t, sample->triangleCount);
	bool isDone = table != NULL && twins != NULL;
	if (isDone)
	{
		memset(table, 0xff, (size_t)size * sizeof(int32_t));
		memset(twins, 0xff, (size_t)sample->triangleCount * sizeof(int32_t));
	}
	for (int32_t i = 0; i < sample->triangleCount && isDone; ++i)
	{
		int32_t ids[3], others[3];
		if (!sample->isFracture[i])
		{
			continue;
		}
		bool isTurned = contactSortedIds(job, i, ids);
		uint32_t slot = (uint32_t)brHashBytes(BR_HASH_SEED, ids, sizeof(ids)) & (uint32_t)(size - 1);
		for (; table[slot] >= 0; slot = (slot + 1) & (uint32_t)(size - 1))
		{
			int32_t other = table[slot];
			// Thin pieces may have both their sides on the same corners: twins face each other.
			bool isFacing = contactSortedIds(job, other, others) != isTurned;
			bool isTwin = isFacing && memcmp(ids, others, sizeof(ids)) == 0 && twins[other] < 0 &&
						  job->trianglePiece[other] != job->trianglePiece[i];
			if (isTwin)
			{
				twins[other] = i;
				twins[i] = other;
				isDone = contactAddTwins(job, other, i);
				break;
			}
		}
		if (twins[i] < 0)
		{
			table[slot] = i;
		}
	}
	for (int32_t i = 0; i < sample->triangleCount && isDone; ++i)
	{
		isDone = !sample->isFracture[i] || twins[i] >= 0 || contactAddLone(job, i);
	}
	BR_FREE(&job->allocator, twins, sample->triangleCount);
	BR_FREE(&job->allocator, table, size);
	return isDone;
}

// One triangle clipped by the edges of another, in the plane of the other: area and center of what is left.
static double contactOverlap(const brSample* sample, const ContactLone* a, const ContactLone* b, brDVec3* outCenter)
{
	brDVec3 corners[2][8];
	const int32_t *ta = sample->triangles[a->triangle], *tb = sample->triangles[b->triangle];
	int32_t count = 3, now = 0;
	for (int32_t k = 0; k < 3; ++k)
	{
		corners[0][k] = sample->vertices[tb[k]];
	}
	for (int32_t e = 0; e < 3 && count > 0; ++e)
	{
		brDVec3 from = sample->vertices[ta[e]], along = brDSub(sample->vertices[ta[(e + 1) % 3]], from);
		brDVec3 inward = brDCross(a->normal, along);
		const brDVec3* in = corners[now];
		brDVec3* out = corners[1 - now];
		int32_t kept = 0;
		for (int32_t k = 0; k < count; ++k)
		{
			brDVec3 p = in[k], q = in[(k + 1) % count];
			double dp = brDDot(inward, brDSub(p, from)), dq = brDDot(inward, brDSub(q, from));
			if (dp >= 0.0)
			{
				out[kept++] = p;
			}
			if ((dp >= 0.0) != (dq >= 0.0))
			{
				out[kept++] = brDLerp(p, q, dp / (dp - dq));
			}
		}
		count = kept;
		now = 1 - now;
	}
	brDVec3 moment = brMakeDVec3(0.0, 0.0, 0.0);
	double area = 0.0;
	for (int32_t k = 2; k < count; ++k)
	{
		const brDVec3* c = corners[now];
		double part = 0.5 * brDLength(brDCross(brDSub(c[k - 1], c[0]), brDSub(c[k], c[0])));
		area += part;
		moment = brDMulAdd(moment, part / 3.0, brDAdd(c[0], brDAdd(c[k - 1], c[k])));
	}
	*outCenter = area > 0.0 ? brDMul(1.0 / area, moment) : moment;
	return area;
}

// How far apart two triangles are that face each other, or INFINITY.
static double contactFindGap(const ContactJob* job, const ContactLone* a, const ContactLone* b)
{
	const brSample* sample = job->sample;
	double most = CONTACT_GAP * sample->size, gap = 0.0;
	bool isNear = a->box.lower.y <= b->box.upper.y + most && b->box.lower.y <= a->box.upper.y + most &&
				  a->box.lower.z <= b->box.upper.z + most && b->box.lower.z <= a->box.upper.z + most;
	if (a->piece == b->piece || !isNear || brDDot(a->normal, b->normal) > -0.99)
	{
		return INFINITY;
	}
	brDVec3 origin = sample->vertices[sample->triangles[a->triangle][0]];
	for (int32_t k = 0; k < 3; ++k)
	{
		brDVec3 p = sample->vertices[sample->triangles[b->triangle][k]];
		gap = fmax(gap, fabs(brDDot(a->normal, brDSub(p, origin))));
	}
	return gap <= most ? gap : INFINITY;
}

// The order of the lower x of the boxes: only those that follow within a box can touch it.
static bool contactOrderLones(ContactJob* job)
{
	int32_t count = job->lones.count;
	uint64_t* keys = BR_ALLOC(&job->allocator, uint64_t, 2 * (int64_t)count);
	uint32_t* order = BR_ALLOC(&job->allocator, uint32_t, 2 * (int64_t)count);
	ContactLone* copy = BR_ALLOC(&job->allocator, ContactLone, count);
	bool isDone = keys != NULL && order != NULL && copy != NULL;
	for (int32_t i = 0; i < count && isDone; ++i)
	{
		double x = job->lones.data[i].box.lower.x + 0.0;
		memcpy(&keys[i], &x, sizeof(x));
		keys[i] = keys[i] >> 63 != 0 ? ~keys[i] : keys[i] | (uint64_t)1 << 63; // rising with the number
		order[i] = (uint32_t)i;
	}
	isDone = isDone && brSortPairs64(NULL, &job->allocator, keys, order, keys + count, order + count, count);
	for (int32_t i = 0; i < count && isDone; ++i)
	{
		copy[i] = job->lones.data[order[i]];
	}
	if (isDone && count > 0)
	{
		memcpy(job->lones.data, copy, (size_t)count * sizeof(ContactLone));
	}
	BR_FREE(&job->allocator, copy, count);
	BR_FREE(&job->allocator, order, 2 * (int64_t)count);
	BR_FREE(&job->allocator, keys, 2 * (int64_t)count);
	return isDone;
}

// Gaps in hundredths of the widest; among equal ones the smallest piece comes first, which may be a sheet without
// thickness.
static uint64_t contactMeetingKey(const ContactJob* job, const ContactLone* a, const ContactLone* b, double gap)
{
	uint64_t level = (uint64_t)(100.0 * gap / (CONTACT_GAP * job->sample->size));
	int32_t smallest = a->piece > b->piece ? a->piece : b->piece; // they are ordered by volume
	return level << 32 | (uint32_t)(INT32_MAX - smallest);
}

static bool contactFindMeetings(ContactJob* job)
{
	double most = CONTACT_GAP * job->sample->size, least = CONTACT_LEAST * job->sample->size * job->sample->size;
	for (int32_t i = 0; i < job->lones.count; ++i)
	{
		const ContactLone* a = &job->lones.data[i];
		for (int32_t k = i + 1; k < job->lones.count && job->lones.data[k].box.lower.x <= a->box.upper.x + most; ++k)
		{
			const ContactLone* b = &job->lones.data[k];
			double gap = contactFindGap(job, a, b);
			ContactMeeting meeting = {.lones = {i, k}};
			meeting.area = gap <= most ? contactOverlap(job->sample, a, b, &meeting.center) : 0.0;
			if (meeting.area > least &&
				!(BR_PUSH(&job->allocator, &job->meetings, meeting) &&
				  BR_PUSH(&job->allocator, &job->meetingKeys, contactMeetingKey(job, a, b, gap))))
			{
				return false;
			}
		}
	}
	return true;
}

static bool contactLayOver(ContactJob* job)
{
	if (!contactOrderLones(job) || !contactFindMeetings(job))
	{
		return false;
	}
	int32_t count = job->meetings.count;
	uint64_t* scratch = BR_ALLOC(&job->allocator, uint64_t, count);
	uint32_t* order = BR_ALLOC(&job->allocator, uint32_t, 2 * (int64_t)count);
	bool isDone = scratch != NULL && order != NULL;
	for (int32_t i = 0; i < count && isDone; ++i)
	{
		order[i] = (uint32_t)i;
	}
	isDone =
		isDone && brSortPairs64(NULL, &job->allocator, job->meetingKeys.data, order, scratch, order + count, count);
	double least = CONTACT_LEAST * job->sample->size * job->sample->size;
	for (int32_t i = 0; i < count && isDone; ++i)
	{
		const ContactMeeting* meeting = &job->meetings.data[order[i]];
		ContactLone *a = &job->lones.data[meeting->lones[0]], *b = &job->lones.data[meeting->lones[1]];
		double area = fmin(meeting->area, fmin(a->left, b->left));
		if (area > least)
		{
			a->left -= area;
			b->left -= area;
			isDone = contactAddPart(job, a->piece, b->piece, area, meeting->center, a->normal);
		}
	}
	BR_FREE(&job->allocator, order, 2 * (int64_t)count);
	BR_FREE(&job->allocator, scratch, count);
	return isDone;
}

// Parts of the same two pieces become one contact.
static bool contactSum(ContactJob* job)
{
	brSample* sample = job->sample;
	int32_t count = job->parts.count, contacts = 0;
	uint64_t* keys = BR_ALLOC(&job->allocator, uint64_t, 2 * (int64_t)count);
	uint32_t* order = BR_ALLOC(&job->allocator, uint32_t, 2 * (int64_t)count);
	bool isDone = keys != NULL && order != NULL;
	for (int32_t i = 0; i < count && isDone; ++i)
	{
		const int32_t* pieces = job->parts.data[i].pieces;
		keys[i] = (uint64_t)(uint32_t)pieces[0] << 32 | (uint32_t)pieces[1];
		order[i] = (uint32_t)i;
	}
	isDone = isDone && brSortPairs64(NULL, &job->allocator, keys, order, keys + count, order + count, count);
	for (int32_t i = 0; i < count && isDone; ++i)
	{
		contacts += i == 0 || keys[i] != keys[i - 1];
	}
	sample->contacts = isDone ? BR_ALLOC_ZERO(&sample->allocator, brBond, contacts) : NULL;
	isDone = isDone && sample->contacts != NULL;
	sample->contactCount = isDone ? contacts : 0;
	brBond* contact = sample->contacts;
	for (int32_t i = 0; i < count && isDone; ++i)
	{
		const ContactPart* part = &job->parts.data[order[i]];
		contact->pieces[0] = part->pieces[0], contact->pieces[1] = part->pieces[1];
		contact->area += part->area;
		contact->center = brDAdd(contact->center, part->moment);
		contact->normal = brDAdd(contact->normal, part->normal);
		if (i + 1 == count || keys[i + 1] != keys[i])
		{
			double length = brDLength(contact->normal);
			contact->center = brDMul(contact->area > 0.0 ? 1.0 / contact->area : 0.0, contact->center);
			contact->normal = brDMul(length > 0.0 ? 1.0 / length : 0.0, contact->normal);
			contact += 1;
		}
	}
	BR_FREE(&job->allocator, order, 2 * (int64_t)count);
	BR_FREE(&job->allocator, keys, 2 * (int64_t)count);
	return isDone;
}

brResult brSample_FindContacts(brSample* sample, brReport* report)
{
	ContactJob job = {.sample = sample, .allocator = sample->allocator};
	job.vertexIds = BR_ALLOC(&job.allocator, int32_t, sample->vertexCount);
	job.trianglePiece = BR_ALLOC(&job.allocator, int32_t, sample->triangleCount);
	bool isDone = job.vertexIds != NULL && job.trianglePiece != NULL;
	for (int32_t i = 0; i < sample->pieceCount && isDone; ++i)
	{
		for (int32_t k = 0; k < sample->pieces[i].triangleCount; ++k)
		{
			job.trianglePiece[sample->pieces[i].firstTriangle + k] = i;
		}
	}
	isDone =
		isDone && contactNumberVertices(&job) && contactMatchTwins(&job) && contactLayOver(&job) && contactSum(&job);
	BR_FREE_ARRAY(&job.allocator, &job.parts);
	BR_FREE_ARRAY(&job.allocator, &job.lones);
	BR_FREE_ARRAY(&job.allocator, &job.meetings);
	BR_FREE_ARRAY(&job.allocator, &job.meetingKeys);
	BR_FREE(&job.allocator, job.trianglePiece, sample->triangleCount);
	BR_FREE(&job.allocator, job.vertexIds, sample->vertexCount);
	return isDone ? br_success : brFailMemory(report);
}

brResult brSample_DrawPoints(brSample* sample, brRandom* random, brReport* report)
{
	int32_t perPiece = sample->pointsPerPiece;
	int64_t count = (int64_t)sample->pieceCount * perPiece;
	if (count == 0)
	{
		return br_success;
	}
	double* sums = BR_ALLOC(&sample->allocator, double, sample->triangleCount);
	sample->points = brAllocArray(&sample->allocator, count, sizeof(sample->points[0]));
	sample->pointIsFracture = BR_ALLOC(&sample->allocator, uint8_t, count);
	bool isDone = sums != NULL && sample->points != NULL && sample->pointIsFracture != NULL;
	for (int32_t i = 0; i < sample->pieceCount && isDone; ++i)
	{
		const brSamplePiece* piece = &sample->pieces[i];
		double sum = 0.0;
		for (int32_t k = 0; k < piece->triangleCount; ++k)
		{
			sum += brDLength(contactAreaVector(sample, piece->firstTriangle + k));
			sums[k] = sum;
		}
		int32_t triangle = 0;
		double shift = brRandom_Unit(random);
		for (int32_t k = 0; k < perPiece; ++k)
		{
			// One point in each of as many equal shares of the surface: even, and found in one walk.
			double at = (k + shift) / perPiece * sum;
			while (triangle + 1 < piece->triangleCount && sums[triangle] <= at)
			{
				triangle += 1;
			}
			int32_t index = piece->firstTriangle + triangle;
			const int32_t* t = sample->triangles[index];
			double root = sqrt(brRandom_Unit(random)), v = brRandom_Unit(random);
			brDVec3 a = brDMul(1.0 - root, sample->vertices[t[0]]),
					b = brDMul(root * (1.0 - v), sample->vertices[t[1]]);
			brDVec3 p = brDAdd(a, brDAdd(b, brDMul(root * v, sample->vertices[t[2]])));
			brDVec3 n = brDNormalize(contactAreaVector(sample, index));
			float* out = sample->points[(int64_t)i * perPiece + k];
			out[0] = (float)p.x, out[1] = (float)p.y, out[2] = (float)p.z;
			out[3] = (float)n.x, out[4] = (float)n.y, out[5] = (float)n.z;
			sample->pointIsFracture[(int64_t)i * perPiece + k] = sample->isFracture[index];
		}
	}
	BR_FREE(&sample->allocator, sums, sample->triangleCount);
	return isDone ? br_success : brFailMemory(report);
}
