// SPDX-License-Identifier: MIT

// The lines where cracks end, and the frame at each of their points: forward, normal, along.
//
// A polyline's own directions jump at every vertex, and a jump of the forward direction looks like tearing to the
// integral; so normal and tangent are means over one edge length of the tets each way.

#include "elastic/crack_front.h"

#include <string.h>

// Samples per edge length of the tets: where the front leaves the solid its length is off by half a sample.
#define FRONT_SAMPLES_PER_EDGE 20
#define FRONT_BACK 1.5 // edges: the middle of the ring from which intensities are read

double brCubeRoot(double x)
{
	double scale = 1.0;
	for (; x > 8.0; x *= 0.125)
	{
		scale *= 2.0;
	}
	for (; x < 1.0; x *= 8.0)
	{
		scale *= 0.5;
	}
	double root = 1.0 + (x - 1.0) / 7.0;
	for (int i = 0; i < 6; ++i)
	{
		root = (2.0 * root + x / (root * root)) / 3.0;
	}
	return scale * root;
}

void brCrackFront_Free(brCrackFront* front, const brAllocator* allocator)
{
	BR_FREE(allocator, front->points, front->pointCount);
	BR_FREE(allocator, front->places, front->pointCount);
	BR_FREE(allocator, front->arcs, front->pointCount);
	BR_FREE(allocator, front->isAsked, front->pointCount);
	BR_FREE(allocator, front->releases, front->pointCount);
	BR_FREE(allocator, front->coverage, front->pointCount);
	BR_FREE(allocator, front->chainStarts, front->chainCount + 1);
	BR_FREE(allocator, front->chainLengths, front->chainCount);
	BR_FREE(allocator, front->chainIsClosed, front->chainCount);
	BR_FREE(allocator, front->samples, front->sampleCount);
	BR_FREE(allocator, front->sampleStarts, front->chainCount + 1);
	memset(front, 0, sizeof(*front));
}

// Vertex at the end of a front edge.
static int32_t frontNext(const brCrackField* field, int32_t vertex)
{
	int32_t edge = field->frontStarts[vertex];
	return edge < 0 ? -1 : field->triangles[edge / 3][(edge % 3 + 1) % 3];
}

// Walks all chains: open ones from their ends, then closed ones from their lowest vertex. Counts if points is null.
static void frontWalk(brCrackFront* front, const brCrackField* field, uint8_t* isDone)
{
	front->pointCount = 0;
	front->chainCount = 0;
	memset(isDone, 0, (size_t)field->vertexCount);
	for (int pass = 0; pass < 2; ++pass)
	{
		for (int32_t v = 0; v < field->vertexCount; ++v)
		{
			bool isStart = field->frontStarts[v] >= 0 && !isDone[v] && (pass == 1 || field->frontEnds[v] < 0);
			if (!isStart)
			{
				continue;
			}
			int32_t chain = front->chainCount++, w = v;
			if (front->points != NULL)
			{
				front->chainStarts[chain] = front->pointCount;
			}
			for (; w >= 0 && !isDone[w]; w = frontNext(field, w))
			{
				isDone[w] = 1;
				if (front->points != NULL)
				{
					brCrackFrontPoint* point = &front->points[front->pointCount];
					memset(point, 0, sizeof(*point));
					point->vertex = w;
					point->chain = chain;
					point->position = field->positions[w];
				}
				front->pointCount += 1;
			}
			if (front->points != NULL)
			{
				front->chainIsClosed[chain] = w == v;
			}
		}
	}
	if (front->points != NULL)
	{
		front->chainStarts[front->chainCount] = front->pointCount;
	}
}

// Size of the tets around a tet: edge of the cube that twelve of their mean volume fill, which is the cell of our
// lattice.
static double frontEdge(const brElasticBody* body, int32_t tet)
{
	double sum = 0.0;
	int32_t count = 0;
	for (int a = 0; a < 4; ++a)
	{
		int32_t node = body->mesh->tets[tet][a];
		for (int32_t i = body->cornerStarts[node]; i < body->cornerStarts[node + 1]; ++i)
		{
			sum += body->volumes[body->corners[i] / 4];
			count += 1;
		}
	}
	return brCubeRoot(12.0 * sum / count);
}

double brCrackFront_Distance(const brCrackFront* front, int32_t chain, double a, double b)
{
	double distance = fabs(a - b), round = front->chainLengths[chain] - distance;
	return front->chainIsClosed[chain] && round < distance ? round : distance;
}

static void frontMeasure(brCrackFront* front)
{
	for (int32_t c = 0; c < front->chainCount; ++c)
	{
		double arc = 0.0;
		int32_t first = front->chainStarts[c], end = front->chainStarts[c + 1];
		for (int32_t i = first; i < end; ++i)
		{
			arc += i > first ? brDDistance(front->points[i - 1].position, front->points[i].position) : 0.0;
			front->arcs[i] = arc;
		}
		arc +=
			front->chainIsClosed[c] ? brDDistance(front->points[end - 1].position, front->points[first].position) : 0.0;
		front->chainLengths[c] = arc;
	}
}

// Where the points are in the solid. Those outside take the size of the tets from the nearest one inside along their
// chain.
static void frontLocate(brCrackFront* front, const brElasticBody* body)
{
	double sum = 0.0;
	for (int32_t t = 0; t < body->tetCount; ++t)
	{
		sum += body->volumes[t];
	}
	double typical = brCubeRoot(12.0 * sum / body->tetCount);
	for (int32_t i = 0; i < front->pointCount; ++i)
	{
		brCrackFrontPoint* point = &front->points[i];
		brTetLocator_Find(body->locator, NULL, &point->position, 1, &front->places[i]);
		point->isInside = front->places[i].tet >= 0;
		point->edge = point->isInside ? frontEdge(body, front->places[i].tet) : 0.0;
	}
	for (int32_t c = 0; c < front->chainCount; ++c)
	{
		int32_t first = front->chainStarts[c], end = front->chainStarts[c + 1];
		for (int32_t i = first + 1; i < end; ++i)
		{
			front->points[i].edge = front->points[i].edge > 0.0 ? front->points[i].edge : front->points[i - 1].edge;
		}
		for (int32_t i = end - 1; i >= first; --i)
		{
			double next = i + 1 < end && front->points[i + 1].edge > 0.0 ? front->points[i + 1].edge : typical;
			front->points[i].edge = front->points[i].edge > 0.0 ? front->points[i].edge : next;
		}
	}
}

// Neighbor in a chain, or -1.
static int32_t frontStep(const brCrackFront* front, int32_t point, int32_t step)
{
	int32_t c = front->points[point].chain, first = front->chainStarts[c], end = front->chainStarts[c + 1];
	int32_t next = point + step;
	if (next < first || next >= end)
	{
		next = !front->chainIsClosed[c] ? -1 : next < first ? end - 1 : first;
	}
	return next == point ? -1 : next;
}

// Where a crack has turned in its last step, the ring of tets from which intensities are read still sees what lies
// behind: against the last step alone a turn too many to one side reads as a larger one to the other, and the front
// swings from step to step. So forward is the way from the crack as far back as the ring.
static void frontLookBack(brCrackFrontPoint* point, const brCrackField* field)
{
	double back = FRONT_BACK * point->edge;
	brDVec3 behind = brDMulAdd(point->position, -back, point->forward);
	brClosestPoint closest = brSurfaceTree_ClosestWithin(field->tree, behind, 0.75 * back);
	brDVec3 way = brDSub(point->position, closest.point);
	way = brDMulAdd(way, -brDDot(way, point->tangent), point->tangent);
	if (closest.triangle >= 0 && brDLength(way) > 0.5 * back)
	{
		point->forward = brDNormalize(way);
		point->normal = brDCross(point->tangent, point->forward);
	}
}

// Mean of directions and normals over one edge each way.
static void frontFrame(brCrackFront* front, const brCrackField* field, int32_t i)
{
	brCrackFrontPoint* point = &front->points[i];
	brDVec3 along = {0.0, 0.0, 0.0}, normal = field->vertexNormals[point->vertex];
	for (int side = -1; side <= 1; side += 2)
	{
		double walked = 0.0;
		int32_t at = i, steps = 0;
		while (walked < point->edge || steps == 0)
		{
			int32_t next = frontStep(front, at, side);
			if (next < 0 || steps > front->pointCount)
			{
				break;
			}
			brDVec3 d = brDMul(side, brDSub(front->points[next].position, front->points[at].position));
			double length = brDLength(d);
			double share = walked + length > point->edge && steps > 0 ? (point->edge - walked) / length : 1.0;
			along = brDMulAdd(along, share, d);
			normal = brDAdd(normal, field->vertexNormals[front->points[next].vertex]);
			walked += length;
			at = next;
			steps += 1;
		}
	}
	point->normal = brDNormalize(normal);
	point->forward = brDNormalize(brDCross(along, point->normal));
	point->tangent = brDCross(point->forward, point->normal);
	frontLookBack(point, field);
}

// Cuts every front edge into samples. Counts if samples is null.
static void frontSample(brCrackFront* front)
{
	front->sampleCount = 0;
	for (int32_t c = 0; c < front->chainCount; ++c)
	{
		front->sampleStarts[c] = front->sampleCount;
		for (int32_t i = front->chainStarts[c]; i < front->chainStarts[c + 1]; ++i)
		{
			int32_t next = frontStep(front, i, 1);
			if (next < 0)
			{
				continue;
			}
			brDVec3 a = front->points[i].position, d = brDSub(front->points[next].position, a);
			double wanted = FRONT_SAMPLES_PER_EDGE * brDLength(d) / front->points[i].edge;
			int32_t count = wanted < 1.0 ? 1 : wanted > 1000.0 ? 1000 : (int32_t)wanted;
			for (int32_t k = 0; k < count; ++k)
			{
				if (front->samples != NULL)
				{
					front->samples[front->sampleCount] =
						(brCrackFrontSample){brDMulAdd(a, (k + 0.5) / count, d), brDMul(1.0 / count, d), {0}};
				}
				front->sampleCount += 1;
			}
		}
	}
	front->sampleStarts[front->chainCount] = front->sampleCount;
}

bool brCrackFront_Make(brCrackFront* front, const brElasticBody* body, int32_t crack)
{
	const brAllocator* allocator = &body->allocator;
	const brCrackField* field = &body->cracks[crack];
	memset(front, 0, sizeof(*front));
	uint8_t* isDone = BR_ALLOC(allocator, uint8_t, field->vertexCount);
	if (isDone == NULL)
	{
		return false;
	}
	frontWalk(front, field, isDone);
	int32_t pointCount = front->pointCount, chainCount = front->chainCount;
	front->points = BR_ALLOC(allocator, brCrackFrontPoint, pointCount);
	front->places = BR_ALLOC(allocator, brTetPoint, pointCount);
	front->arcs = BR_ALLOC(allocator, double, pointCount);
	front->isAsked = BR_ALLOC(allocator, uint8_t, pointCount);
	front->releases = BR_ALLOC_ZERO(allocator, double, pointCount);
	front->coverage = BR_ALLOC_ZERO(allocator, double, pointCount);
	front->chainStarts = BR_ALLOC(allocator, int32_t, chainCount + 1);
	front->chainLengths = BR_ALLOC(allocator, double, chainCount);
	front->chainIsClosed = BR_ALLOC(allocator, uint8_t, chainCount);
	front->sampleStarts = BR_ALLOC(allocator, int32_t, chainCount + 1);
	bool good = front->points != NULL && front->places != NULL && front->arcs != NULL && front->isAsked != NULL &&
				front->releases != NULL && front->coverage != NULL && front->chainStarts != NULL &&
				front->chainLengths != NULL && front->chainIsClosed != NULL && front->sampleStarts != NULL;
	if (good)
	{
		frontWalk(front, field, isDone);
		frontMeasure(front);
		frontLocate(front, body);
		for (int32_t i = 0; i < pointCount; ++i)
		{
			frontFrame(front, field, i);
			front->isAsked[i] =
				front->points[i].isInside && field->vertexEnds[front->points[i].vertex] == br_endNone ? 1 : 0;
		}
		frontSample(front);
		front->samples = BR_ALLOC(allocator, brCrackFrontSample, front->sampleCount);
		good = front->samples != NULL;
	}
	if (good)
	{
		frontSample(front);
		for (int32_t i = 0; i < front->sampleCount; ++i)
		{
			brCrackFrontSample* sample = &front->samples[i];
			brTetLocator_Find(body->locator, NULL, &sample->position, 1, &sample->place);
		}
	}
	BR_FREE(allocator, isDone, field->vertexCount);
	if (!good)
	{
		front->pointCount = pointCount;
		front->chainCount = chainCount;
		brCrackFront_Free(front, allocator);
	}
	return good;
}
