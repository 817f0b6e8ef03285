// SPDX-License-Identifier: MIT

// Who is next to whom among the triangles of a solid, and the normals at their corners.
//
// Half-edges are bucketed by their lower vertex, so finding the other half costs a look at a handful of entries.
// Corners joined over linked sides make fans; a vertex where two parts of the surface touch has several, each with its
// own normal.

#include "contact/solid.h"

#include <string.h>

// Triangles of less area against their longest side are flat: rounding has left no normal.
#define LINK_FLAT 1e-9

// So are those lower than this part of the radius: in float they are lines.
#define LINK_HEIGHT 1e-6

typedef struct LinkHalf
{
	uint32_t
		key; // the greater vertex, and whether the half runs up to it in the lowest bit: twins differ in that alone
	int32_t corner; // 3 triangle + side
} LinkHalf;

// The half of an edge that came first, by its greater vertex, good for one bucket.
typedef struct LinkSeen
{
	int32_t bucket; // whose lower vertex this is
	int32_t half;   // in the bucket; -1 once it has found its twin
} LinkSeen;

size_t brLinkScratchBytes(int32_t cornerCount, int32_t vertexCount)
{
	// Halves first and the angles of corners later, in the same place.
	return sizeof(LinkHalf) * (size_t)cornerCount + (sizeof(LinkSeen) + sizeof(int32_t)) * ((size_t)vertexCount + 1);
}

// How far one has to turn about the edge, from the inner side of half-edge `from`, to meet the triangle of `to`.
static double linkPairAngle(const brSolidTriangles* work, int32_t from, int32_t to)
{
	const int32_t *t = work->triangles[from / 3], *u = work->triangles[to / 3];
	brDVec3 a = work->exact[t[from % 3]], b = work->exact[t[(from % 3 + 1) % 3]];
	brDVec3 e = brDNormalize(brDSub(b, a));
	brDVec3 p = brDSub(work->exact[t[(from % 3 + 2) % 3]], a);
	brDVec3 q = brDSub(work->exact[u[(to % 3 + 2) % 3]], a);
	p = brDSub(p, brDMul(brDDot(p, e), e));
	q = brDSub(q, brDMul(brDDot(q, e), e));
	// Inside is behind the triangle: turning from p towards -n. With n = e x p that is clockwise seen along e.
	double angle = brAtan2(-brDDot(brDCross(p, q), e), brDDot(p, q));
	return angle <= 0.0 ? angle + 2.0 * BR_PI : angle;
}

// Halves sorted by their lower vertex; starts[v + 1] is where those of v begin.
static void linkBucket(const brSolidTriangles* work, int32_t* starts, LinkHalf* halves)
{
	memset(starts, 0, sizeof(int32_t) * ((size_t)work->vertexCount + 1));
	for (int32_t i = 0; i < work->triangleCount; ++i)
	{
		const int32_t* t = work->triangles[i];
		starts[(t[0] < t[1] ? t[0] : t[1]) + 1] += 1;
		starts[(t[1] < t[2] ? t[1] : t[2]) + 1] += 1;
		starts[(t[2] < t[0] ? t[2] : t[0]) + 1] += 1;
	}
	for (int32_t v = 0; v < work->vertexCount; ++v)
	{
		starts[v + 1] += starts[v];
	}
	for (int32_t i = work->triangleCount - 1; i >= 0; --i)
	{
		const int32_t* t = work->triangles[i];
		for (int32_t k = 2; k >= 0; --k)
		{
			int32_t a = t[k], b = t[k < 2 ? k + 1 : 0];
			uint32_t key = a <= b ? 2 * (uint32_t)b + 1 : 2 * (uint32_t)a;
			halves[--starts[(a < b ? a : b) + 1]] = (LinkHalf){key, 3 * i + k};
		}
	}
}

// The half that faces half i where more than one might: the one with which it bounds the solid between them. -1 if
// there is none.
static int32_t linkFacing(const brSolidTriangles* work, const LinkHalf* halves, int32_t count, int32_t i)
{
	int32_t found = -1;
	double least = INFINITY;
	for (int32_t k = 0; k < count; ++k)
	{
		if (halves[k].key == (halves[i].key ^ 1))
		{
			double angle = linkPairAngle(work, halves[i].corner, halves[k].corner);
			found = found < 0 || angle < least ? halves[k].corner : found;
			least = angle < least ? angle : least;
		}
	}
	return found;
}

// Links of a bucket where some edge has more or fewer than two halves.
static void linkBySearch(const brSolidTriangles* work, const LinkHalf* bucket, int32_t count)
{
	int32_t* across = &work->across[0][0];
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t facing = 0, other = -1;
		for (int32_t k = 0; k < count; ++k)
		{
			bool isFacing = bucket[k].key == (bucket[i].key ^ 1);
			facing += isFacing;
			other = isFacing ? bucket[k].corner : other;
		}
		other = facing > 1 ? linkFacing(work, bucket, count, i) : other;
		across[bucket[i].corner] = other >= 0 ? other / 3 : -1;
	}
}

static void linkSides(brSolidTriangles* work)
{
	LinkHalf* halves = (LinkHalf*)work->scratch;
	LinkSeen* seen = (LinkSeen*)(void*)(halves + 3 * (size_t)work->triangleCount);
	int32_t* starts = (int32_t*)(void*)(seen + work->vertexCount);
	int32_t* across = &work->across[0][0];
	linkBucket(work, starts, halves);
	memset(seen, -1, sizeof(LinkSeen) * (size_t)work->vertexCount);
	for (int32_t v = 0; v < work->vertexCount; ++v)
	{
		int32_t end = v + 2 <= work->vertexCount ? starts[v + 2] : 3 * work->triangleCount;
		const LinkHalf* bucket = halves + starts[v + 1];
		int32_t count = end - starts[v + 1], paired = 0;
		bool isPlain = true;
		for (int32_t i = 0; i < count; ++i)
		{
			LinkSeen* first = &seen[bucket[i].key >> 1];
			if (first->bucket != v)
			{
				*first = (LinkSeen){v, i};
				continue;
			}
			int32_t other = first->half;
			isPlain = isPlain && other >= 0 && bucket[other].key != bucket[i].key;
			if (isPlain)
			{
				across[bucket[i].corner] = bucket[other].corner / 3;
				across[bucket[other].corner] = bucket[i].corner / 3;
				first->half = -1;
				paired += 2;
			}
		}
		if (!isPlain || paired != count)
		{
			linkBySearch(work, bucket, count);
		}
	}
}

bool brMesh_IsLinked(const brMesh* mesh, void* scratch)
{
	LinkHalf* halves = scratch;
	int32_t* starts = (int32_t*)(void*)(halves + mesh->cornerCount);
	memset(starts, 0, sizeof(int32_t) * ((size_t)mesh->vertexCount + 1));
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		for (int32_t f = 0; f < mesh->faceCount; ++f)
		{
			int32_t a = mesh->corners[mesh->faceStarts[f + 1] - 1];
			for (int32_t i = mesh->faceStarts[f]; i < mesh->faceStarts[f + 1]; ++i)
			{
				int32_t b = mesh->corners[i], lower = a < b ? a : b;
				if (pass == 0)
				{
					starts[lower + 1] += 1;
				}
				else
				{
					halves[--starts[lower + 1]] = (LinkHalf){a <= b ? 2 * (uint32_t)b + 1 : 2 * (uint32_t)a, i};
				}
				a = b;
			}
		}
		for (int32_t v = 0; v < mesh->vertexCount && pass == 0; ++v)
		{
			starts[v + 1] += starts[v];
		}
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		int32_t end = v + 2 <= mesh->vertexCount ? starts[v + 2] : mesh->cornerCount;
		for (int32_t i = starts[v + 1]; i < end; ++i)
		{
			int32_t alike = 0, facing = 0;
			for (int32_t k = starts[v + 1]; k < end; ++k)
			{
				alike += halves[k].key == halves[i].key;
				facing += halves[k].key == (halves[i].key ^ 1);
			}
			if (alike != 1 || facing != 1)
			{
				return false;
			}
		}
	}
	return true;
}

static void linkNormals(brSolidTriangles* work)
{
	double radiusSq = 0.0;
	for (int32_t v = 0; v < work->vertexCount; ++v)
	{
		double lengthSq = brDLengthSq(work->exact[v]);
		radiusSq = lengthSq > radiusSq ? lengthSq : radiusSq;
	}
	double minHeightSq = LINK_HEIGHT * LINK_HEIGHT * radiusSq;
	for (int32_t i = 0; i < work->triangleCount; ++i)
	{
		const int32_t* t = work->triangles[i];
		brDVec3 a = work->exact[t[0]], ab = brDSub(work->exact[t[1]], a), ac = brDSub(work->exact[t[2]], a);
		brDVec3 cross = brDCross(ab, ac);
		double first = brDLengthSq(ab), second = brDLengthSq(ac), longestSq = brDLengthSq(brDSub(ac, ab));
		longestSq = first > longestSq ? first : longestSq;
		longestSq = second > longestSq ? second : longestSq;
		double area = brDLength(cross);
		bool isFlat = !(area > LINK_FLAT * longestSq) || area * area < minHeightSq * longestSq;
		work->areas[i] = isFlat ? 0.0 : area;
		work->normals[i] = isFlat ? brMakeDVec3(0.0, 0.0, 0.0) : brDMul(1.0 / area, cross);
	}
}

void brLinkTriangles(brSolidTriangles* work)
{
	linkSides(work);
	linkNormals(work);
}

// Angle with this cosine, within 1e-4 rad: weights of normals need no more (Abramowitz and Stegun 4.4.45).
static double fanAngle(double cosine)
{
	double x = fabs(cosine) < 1.0 ? fabs(cosine) : 1.0;
	double angle = sqrt(1.0 - x) * (1.5707288 + x * (-0.2121144 + x * (0.0742610 - x * 0.0187293)));
	// Right angles are common, and on which side of them one is nobody can guess.
	const double either[2] = {angle, BR_PI - angle};
	return either[cosine < 0.0];
}

// The normal that holds where a triangle lies. A flat one lies within the longest of its sides, so it is that of the
// triangle over there.
static brDVec3 fanNormal(const brSolidTriangles* work, int32_t triangle)
{
	for (int32_t i = 0; i < 8 && !(work->areas[triangle] > 0.0); ++i)
	{
		const int32_t* t = work->triangles[triangle];
		int32_t longest = 0;
		double most = -1.0;
		for (int32_t k = 0; k < 3; ++k)
		{
			double length = brDLengthSq(brDSub(work->exact[t[(k + 1) % 3]], work->exact[t[k]]));
			longest = length > most ? k : longest;
			most = length > most ? length : most;
		}
		if (work->across[triangle][longest] < 0)
		{
			break;
		}
		triangle = work->across[triangle][longest];
	}
	return work->normals[triangle];
}

void brMakeFans(brSolidTriangles* work)
{
	// What each corner counts: its angle.
	double(*angles)[3] = (double(*)[3])(void*)work->scratch;
	for (int32_t i = 0; i < work->triangleCount; ++i)
	{
		const int32_t* t = work->triangles[i];
		brDVec3 a = work->exact[t[0]], b = work->exact[t[1]], c = work->exact[t[2]];
		brDVec3 ab = brDNormalize(brDSub(b, a)), bc = brDNormalize(brDSub(c, b)), ca = brDNormalize(brDSub(a, c));
		angles[i][0] = fanAngle(-brDDot(ab, ca));
		angles[i][1] = fanAngle(-brDDot(bc, ab));
		angles[i][2] = fanAngle(-brDDot(ca, bc));
		work->cornerFans[i][0] = work->cornerFans[i][1] = work->cornerFans[i][2] = -1;
	}
	// Round each vertex over linked sides, to the left until the end or the start, then to the right.
	work->fanCount = 0;
	for (int32_t i = 0; i < 3 * work->triangleCount; ++i)
	{
		if (work->cornerFans[i / 3][i % 3] >= 0)
		{
			continue;
		}
		int32_t fan = work->fanCount++, vertex = work->triangles[i / 3][i % 3];
		brDVec3 sum = {0.0, 0.0, 0.0};
		for (int32_t direction = 0; direction < 2; ++direction)
		{
			int32_t triangle = i / 3, corner = i % 3;
			for (int32_t turn = 0; turn <= work->triangleCount; ++turn)
			{
				if (work->cornerFans[triangle][corner] < 0)
				{
					work->cornerFans[triangle][corner] = fan;
					sum = brDMulAdd(sum, angles[triangle][corner], fanNormal(work, triangle));
				}
				else if (turn > 0)
				{
					break;
				}
				int32_t side = direction == 1 ? corner : corner > 0 ? corner - 1 : 2;
				int32_t next = work->across[triangle][side];
				if (next < 0)
				{
					break;
				}
				const int32_t* t = work->triangles[next];
				corner = t[0] == vertex ? 0 : t[1] == vertex ? 1 : 2;
				triangle = next;
			}
		}
		brDVec3 normal = brDLength(sum) > 1e-9 ? brDNormalize(sum) : work->normals[i / 3];
		work->fans[fan] = brToVec3(normal);
	}
}
