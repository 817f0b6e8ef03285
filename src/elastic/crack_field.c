// SPDX-License-Identifier: MIT

// What the nodes near a crack surface know of it: on which side they are, how far away, and whether the front is ahead.
//
// Sides come from the closest point and the angle-weighted normal there (Baerentzen and Aanaes 2005), which is right
// for every point whose closest point lies inside the surface. Where it lies on the rim the surface is continued flat:
// the sign is that of the rim's own plane. This is the skirt that cuts the tets at the front, without a skirt mesh.
// Ahead of the front means: the closest point is on a front edge and the node is beyond it. Edges of the rim that are
// no front do not end the crack.

#include "elastic/body.h"

#include "base/hash.h"
#include "base/report.h"
#include "base/sort.h"

#include <string.h>

#define CRACK_BORDER 4.0 // edges: more than tets reach out of a wall

uint64_t brCrackSurface_Hash(const brCrackSurface* surface)
{
	int32_t counts[3] = {surface->vertexCount, surface->triangleCount,
						 surface->frontEdges != NULL ? surface->frontEdgeCount : -1};
	uint64_t hash = brHashBytes(BR_HASH_SEED, counts, sizeof(counts));
	hash = brHashBytes(hash, surface->positions, (size_t)surface->vertexCount * sizeof(brDVec3));
	hash = brHashBytes(hash, surface->triangles, (size_t)surface->triangleCount * sizeof(*surface->triangles));
	if (surface->frontStates != NULL)
	{
		hash = brHashBytes(hash, surface->frontStates, (size_t)surface->vertexCount);
	}
	return surface->frontEdges == NULL
			   ? hash
			   : brHashBytes(hash, surface->frontEdges, (size_t)surface->frontEdgeCount * sizeof(*surface->frontEdges));
}

void brCrackField_Free(brCrackField* field, const brAllocator* allocator)
{
	BR_FREE(allocator, field->positions, field->vertexCount);
	BR_FREE(allocator, field->triangles, field->triangleCount);
	BR_FREE(allocator, field->normals, field->triangleCount);
	BR_FREE(allocator, field->across, field->triangleCount);
	BR_FREE(allocator, field->edgeIsFront, field->triangleCount);
	BR_FREE(allocator, field->vertexNormals, field->vertexCount);
	BR_FREE(allocator, field->vertexEnds, field->vertexCount);
	BR_FREE(allocator, field->frontStarts, field->vertexCount);
	BR_FREE(allocator, field->frontEnds, field->vertexCount);
	BR_FREE(allocator, field->open, field->openCapacity);
	BR_FREE(allocator, field->near, field->nearCount);
	brDestroySurfaceTree(field->tree);
	memset(field, 0, sizeof(*field));
}

static brResult crackCheckSurface(const brCrackSurface* surface, brReport* report)
{
	for (int32_t v = 0; v < surface->vertexCount; ++v)
	{
		if (!brDIsFinite(surface->positions[v]))
		{
			return brFailAt(report, br_errorGeometry, v, "vertex %d of the crack is not finite", v);
		}
	}
	for (int32_t t = 0; t < surface->triangleCount; ++t)
	{
		for (int k = 0; k < 3; ++k)
		{
			int32_t v = surface->triangles[t][k];
			if (v < 0 || v >= surface->vertexCount)
			{
				return brFailAt(report, br_errorGeometry, t, "triangle %d of the crack names vertex %d, there are %d",
								t, v, surface->vertexCount);
			}
		}
	}
	for (int32_t e = 0; surface->frontEdges != NULL && e < surface->frontEdgeCount; ++e)
	{
		for (int k = 0; k < 2; ++k)
		{
			int32_t v = surface->frontEdges[e][k];
			if (v < 0 || v >= surface->vertexCount)
			{
				return brFailAt(report, br_errorGeometry, e, "front edge %d names vertex %d, there are %d", e, v,
								surface->vertexCount);
			}
		}
	}
	return br_success;
}

static brDVec3 crackAreaVector(const brDVec3* positions, const int32_t* triangle)
{
	brDVec3 a = positions[triangle[0]];
	return brDCross(brDSub(positions[triangle[1]], a), brDSub(positions[triangle[2]], a));
}

// Copies what is not flat.
static bool crackCopyTriangles(brCrackField* field, const brElasticBody* body, const brCrackSurface* surface)
{
	const brAllocator* allocator = &body->allocator;
	int32_t count = 0;
	for (int pass = 0; pass < 2; ++pass)
	{
		count = 0;
		for (int32_t t = 0; t < surface->triangleCount; ++t)
		{
			brDVec3 area = crackAreaVector(surface->positions, surface->triangles[t]);
			if (!(brDLengthSq(area) > 0.0))
			{
				continue;
			}
			if (pass == 1)
			{
				memcpy(field->triangles[count], surface->triangles[t], sizeof(*field->triangles));
				field->normals[count] = brDNormalize(area);
			}
			count += 1;
		}
		if (pass == 0)
		{
			field->triangleCount = count;
			field->vertexCount = surface->vertexCount;
			field->triangles = brAllocArray(allocator, count, sizeof(*field->triangles));
			field->normals = BR_ALLOC(allocator, brDVec3, count);
			field->across = brAllocArray(allocator, count, sizeof(*field->across));
			field->edgeIsFront = BR_ALLOC_ZERO(allocator, uint8_t, count);
			field->positions = BR_ALLOC(allocator, brDVec3, surface->vertexCount);
			field->vertexNormals = BR_ALLOC_ZERO(allocator, brDVec3, surface->vertexCount);
			field->vertexEnds = BR_ALLOC_ZERO(allocator, uint8_t, surface->vertexCount);
			field->frontStarts = BR_ALLOC(allocator, int32_t, surface->vertexCount);
			field->frontEnds = BR_ALLOC(allocator, int32_t, surface->vertexCount);
			if (field->triangles == NULL || field->normals == NULL || field->across == NULL ||
				field->edgeIsFront == NULL || field->positions == NULL || field->vertexNormals == NULL ||
				field->vertexEnds == NULL || field->frontStarts == NULL || field->frontEnds == NULL)
			{
				return false;
			}
		}
	}
	memcpy(field->positions, surface->positions, (size_t)surface->vertexCount * sizeof(brDVec3));
	for (int32_t v = 0; surface->frontStates != NULL && v < surface->vertexCount; ++v)
	{
		bool isMet = surface->frontStates[v] == br_frontMet, isOut = surface->frontStates[v] == br_frontLeft;
		field->vertexEnds[v] = isMet ? br_endMet : isOut && body->fills != NULL ? br_endOut : br_endNone;
	}
	return true;
}

static uint64_t crackEdgeKey(int32_t a, int32_t b)
{
	int32_t low = a < b ? a : b, high = a < b ? b : a;
	return (uint64_t)(uint32_t)low << 32 | (uint32_t)high;
}

// Edges that two triangles have, the rim, and which of the rim's edges are fronts.
static bool crackFindRim(brCrackField* field, const brAllocator* allocator, const brCrackSurface* surface)
{
	int32_t edgeCount = 3 * field->triangleCount;
	int32_t frontCount = surface->frontEdges != NULL ? surface->frontEdgeCount : 0;
	int32_t total = edgeCount + frontCount;
	uint64_t* keys = BR_ALLOC(allocator, uint64_t, total);
	uint32_t* values = BR_ALLOC(allocator, uint32_t, total);
	uint64_t* scratchKeys = BR_ALLOC(allocator, uint64_t, total);
	uint32_t* scratchValues = BR_ALLOC(allocator, uint32_t, total);
	bool good = keys != NULL && values != NULL && scratchKeys != NULL && scratchValues != NULL;
	for (int32_t i = 0; good && i < edgeCount; ++i)
	{
		const int32_t* triangle = field->triangles[i / 3];
		keys[i] = crackEdgeKey(triangle[i % 3], triangle[(i + 1) % 3]);
		values[i] = (uint32_t)i;
		field->across[i / 3][i % 3] = -1;
	}
	for (int32_t i = 0; good && i < frontCount; ++i)
	{
		keys[edgeCount + i] = crackEdgeKey(surface->frontEdges[i][0], surface->frontEdges[i][1]);
		values[edgeCount + i] = (uint32_t)(edgeCount + i);
	}
	good = good && brSortPairs64(NULL, allocator, keys, values, scratchKeys, scratchValues, total);
	for (int32_t v = 0; good && v < field->vertexCount; ++v)
	{
		field->frontStarts[v] = field->frontEnds[v] = -1;
	}
	for (int32_t i = 0, end; good && i < total; i = end)
	{
		int32_t users = 0;
		bool isNamed = surface->frontEdges == NULL;
		for (end = i; end < total && keys[end] == keys[i]; ++end)
		{
			users += (int32_t)values[end] < edgeCount;
			isNamed = isNamed || (int32_t)values[end] >= edgeCount;
		}
		// The sort is stable, so triangles come first. An edge of more than two joins them in a ring.
		for (int32_t k = 0; users > 1 && k < users; ++k)
		{
			int32_t mine = (int32_t)values[i + k], other = (int32_t)values[i + (k + 1) % users];
			field->across[mine / 3][mine % 3] = other / 3;
		}
		if (users == 1 && isNamed)
		{
			int32_t t = (int32_t)values[i] / 3, k = (int32_t)values[i] % 3;
			field->edgeIsFront[t] |= (uint8_t)(1u << k);
			field->frontStarts[field->triangles[t][k]] = 3 * t + k;
			field->frontEnds[field->triangles[t][(k + 1) % 3]] = 3 * t + k;
		}
	}
	BR_FREE(allocator, keys, total);
	BR_FREE(allocator, values, total);
	BR_FREE(allocator, scratchKeys, total);
	BR_FREE(allocator, scratchValues, total);
	return good;
}

static void crackFindNormals(brCrackField* field)
{
	for (int32_t t = 0; t < field->triangleCount; ++t)
	{
		for (int k = 0; k < 3; ++k)
		{
			int32_t v = field->triangles[t][k];
			brDVec3 a = brDSub(field->positions[field->triangles[t][(k + 1) % 3]], field->positions[v]);
			brDVec3 b = brDSub(field->positions[field->triangles[t][(k + 2) % 3]], field->positions[v]);
			double angle = brAtan2(brDLength(brDCross(a, b)), brDDot(a, b));
			field->vertexNormals[v] = brDMulAdd(field->vertexNormals[v], angle, field->normals[t]);
		}
	}
	for (int32_t v = 0; v < field->vertexCount; ++v)
	{
		field->vertexNormals[v] = brDNormalize(field->vertexNormals[v]);
	}
}

// Unit vector outward in the plane of the triangle from its edge k.
static brDVec3 crackForward(const brCrackField* field, int32_t triangle, int32_t k)
{
	const int32_t* v = field->triangles[triangle];
	brDVec3 along = brDSub(field->positions[v[(k + 1) % 3]], field->positions[v[k]]);
	return brDNormalize(brDCross(along, field->normals[triangle]));
}

// Front edges at which the crack may go on.
static bool crackListOpen(brCrackField* field, const brAllocator* allocator)
{
	field->openCapacity = field->vertexCount;
	field->open = BR_ALLOC(allocator, int32_t, field->openCapacity);
	for (int32_t v = 0; field->open != NULL && v < field->vertexCount; ++v)
	{
		int32_t edge = field->frontStarts[v];
		if (edge >= 0)
		{
			int32_t other = field->triangles[edge / 3][(edge % 3 + 1) % 3];
			field->open[field->openCount] = edge;
			bool isEnd = field->vertexEnds[v] != br_endNone && field->vertexEnds[other] != br_endNone;
			field->openCount += isEnd ? 0 : 1;
		}
	}
	return field->open != NULL;
}

// How far a point of the surface is from its open front; INFINITY beyond `reach`.
static double crackBehind(const brCrackField* field, brDVec3 point, double reach)
{
	double least = INFINITY;
	for (int32_t i = 0; i < field->openCount; ++i)
	{
		const int32_t* v = field->triangles[field->open[i] / 3];
		int32_t k = field->open[i] % 3;
		brDVec3 a = field->positions[v[k]], along = brDSub(field->positions[v[(k + 1) % 3]], a);
		brDVec3 offset = brDSub(point, a);
		double length = brDLengthSq(along), at = fmax(0.0, fmin(length, brDDot(offset, along)));
		least = fmin(least, brDLengthSq(brDMulAdd(offset, length > 0.0 ? -at / length : 0.0, along)));
	}
	return least < reach * reach ? sqrt(least) : INFINITY;
}

// How far a point is ahead of front edge k of a triangle. An edge that has met another crack counts as `beyond` farther
// on, the border of a crack in a wall as far on as tets may reach out of the wall there: those that it leaves whole
// would hold on to what has come off.
static double crackAhead(const brCrackField* field, int32_t triangle, int32_t k, brDVec3 offset, double beyond)
{
	const int32_t* v = field->triangles[triangle];
	uint8_t start = field->vertexEnds[v[k]], end = field->vertexEnds[v[(k + 1) % 3]];
	bool isEnd = start != br_endNone && end != br_endNone, isOut = start == br_endOut && end == br_endOut;
	return brDDot(offset, crackForward(field, triangle, k)) - (isOut ? CRACK_BORDER : isEnd ? 1.0 : 0.0) * beyond;
}

// `beyond`: the longest edge at the node.
static brNearNode crackJudge(const brCrackField* field, int32_t node, brDVec3 point, double beyond,
							 const brClosestPoint* closest)
{
	brNearNode near = {node, closest->face, -INFINITY, INFINITY, 0.0};
	brDVec3 offset = brDSub(point, closest->point);
	int32_t t = closest->face, k = closest->featureIndex;
	brDVec3 normal = field->normals[t];
	bool isRim = false;
	if (closest->feature == br_featureEdge)
	{
		int32_t other = field->across[t][k];
		isRim = other < 0;
		if (isRim)
		{
			bool isFront = (field->edgeIsFront[t] >> k & 1) != 0;
			near.psi = isFront ? crackAhead(field, t, k, offset, beyond) : -INFINITY;
		}
		else
		{
			normal = brDAdd(normal, field->normals[other]);
		}
	}
	else if (closest->feature == br_featureVertex)
	{
		int32_t v = field->triangles[t][k];
		normal = field->vertexNormals[v];
		int32_t edges[2] = {field->frontStarts[v], field->frontEnds[v]};
		for (int i = 0; i < 2; ++i)
		{
			if (edges[i] >= 0)
			{
				isRim = true;
				double ahead = crackAhead(field, edges[i] / 3, edges[i] % 3, offset, beyond);
				near.psi = ahead > near.psi ? ahead : near.psi;
			}
		}
	}
	double height = brDDot(offset, normal);
	if (near.psi == -INFINITY && closest->distance <= beyond)
	{
		near.behind = crackBehind(field, closest->point, beyond);
	}
	near.phi = isRim ? height / brDLength(normal) : (height < 0.0 ? -closest->distance : closest->distance);
	return near;
}

typedef struct NearJob
{
	const brCrackField* field;
	const brElasticBody* body;
	brNearNode* all; // [nodeCount]
	bool isEnded;    // the crack has met another one somewhere, or come out of a wall
} NearJob;

static void crackNearRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	NearJob* job = user;
	const brElasticBody* body = job->body;
	for (int32_t i = begin; i < end; ++i)
	{
		job->all[i].node = -1;
		if (body->cornerStarts[i] == body->cornerStarts[i + 1])
		{
			continue;
		}
		brDVec3 point = body->mesh->nodes[i];
		double reach = body->reaches[i] + (job->isEnded ? body->longestEdges[i] : 0.0);
		brClosestPoint closest = brSurfaceTree_ClosestWithin(job->field->tree, point, reach);
		if (closest.triangle >= 0)
		{
			job->all[i] = crackJudge(job->field, i, point, body->longestEdges[i], &closest);
		}
	}
}

static brResult crackMakeTree(brCrackField* field, const brContext* context, brReport* report)
{
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = field->vertexCount, def.positions = field->positions;
	def.faceCount = field->triangleCount, def.corners = &field->triangles[0][0];
	brMesh* mesh = NULL;
	brResult result = brCreateMesh(context, &def, &mesh, report);
	if (result >= 0)
	{
		result = brCreateSurfaceTree(context, mesh, &field->tree, report);
	}
	brDestroyMesh(mesh);
	return result;
}

brResult brCrackField_Make(brCrackField* field, const brContext* context, const brElasticBody* body,
						   const brCrackSurface* surface, brReport* report)
{
	const brAllocator* allocator = &body->allocator;
	memset(field, 0, sizeof(*field));
	brNearNode* all = NULL;
	brResult result = crackCheckSurface(surface, report);
	if (result < 0)
	{
		return result;
	}
	if (!crackCopyTriangles(field, body, surface) || !crackFindRim(field, allocator, surface) ||
		!crackListOpen(field, allocator))
	{
		result = brFailMemory(report);
		goto done;
	}
	crackFindNormals(field);
	field->hash = brCrackSurface_Hash(surface);
	if (field->triangleCount == 0)
	{
		goto done; // nothing is near it
	}
	result = crackMakeTree(field, context, report);
	if (result < 0)
	{
		goto done;
	}
	all = BR_ALLOC(allocator, brNearNode, body->nodeCount);
	if (all == NULL)
	{
		result = brFailMemory(report);
		goto done;
	}
	bool isEnded = false;
	for (int32_t v = 0; v < field->vertexCount; ++v)
	{
		isEnded = isEnded || field->vertexEnds[v] != br_endNone;
	}
	NearJob job = {field, body, all, isEnded};
	brParallelFor(context != NULL ? context->workers : NULL, body->nodeCount, 128, crackNearRange, &job);
	int32_t count = 0;
	for (int32_t i = 0; i < body->nodeCount; ++i)
	{
		count += all[i].node >= 0;
	}
	field->near = BR_ALLOC(allocator, brNearNode, count);
	if (field->near == NULL)
	{
		result = brFailMemory(report);
		goto done;
	}
	for (int32_t i = 0; i < body->nodeCount; ++i)
	{
		if (all[i].node >= 0)
		{
			field->near[field->nearCount++] = all[i];
		}
	}
done:
	BR_FREE(allocator, all, body->nodeCount);
	if (result < 0)
	{
		brCrackField_Free(field, allocator);
	}
	return result;
}
