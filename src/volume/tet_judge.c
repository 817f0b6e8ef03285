// SPDX-License-Identifier: MIT

// Names the first fault of each kind in a tet mesh. Faces that lie on each other without being one, which is how
// hanging nodes show, are found by looking through each boundary face along its normal: a proper one has nothing behind
// it at once.

#include "base/report.h"
#include "math/predicates.h"
#include "mesh/tet_faces.h"
#include "volume/surface_tree.h"
#include "volume/tet_parts.h"

#include <stdio.h>
#include <string.h>

// How far we look through a face, as a part of its size. Faces of a sound mesh are never that near to each other unless
// the mesh folds back on itself.
#define LOOK_THROUGH 1e-6

typedef struct JudgeFace
{
	int32_t nodes[3];
	int32_t tet;
} JudgeFace;

static void findBadTets(const brTetMesh* mesh, brTetFaults* verdict)
{
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		const int32_t* n = mesh->tets[t];
		int32_t sign = brOrient3d(mesh->nodes[n[0]], mesh->nodes[n[1]], mesh->nodes[n[2]], mesh->nodes[n[3]]);
		verdict->invertedTet = sign < 0 && verdict->invertedTet < 0 ? t : verdict->invertedTet;
		verdict->flatTet = sign == 0 && verdict->flatTet < 0 ? t : verdict->flatTet;
	}
}

static bool findDangling(const brAllocator* allocator, const brTetMesh* mesh, brTetFaults* verdict)
{
	bool* used = BR_ALLOC_ZERO(allocator, bool, mesh->nodeCount);
	if (used == NULL)
	{
		return false;
	}
	for (int64_t i = 0; i < 4 * (int64_t)mesh->tetCount; ++i)
	{
		used[mesh->tets[i / 4][i % 4]] = true;
	}
	for (int32_t i = 0; i < mesh->nodeCount && verdict->danglingNode < 0; ++i)
	{
		verdict->danglingNode = used[i] ? -1 : i;
	}
	BR_FREE(allocator, used, mesh->nodeCount);
	return true;
}

// Faces of one tet go to `boundary`, and the first tet at one of three or more is named.
static bool findFaces(const brAllocator* allocator, const brTetMesh* mesh, JudgeFace* boundary, int32_t* outCount,
					  brTetFaults* verdict)
{
	brTetFaces faces;
	*outCount = 0;
	if (!brMakeTetFaces(allocator, mesh, &faces))
	{
		return false;
	}
	for (int32_t node = 0; node < mesh->nodeCount; ++node)
	{
		for (int32_t i = faces.starts[node], end; i < faces.starts[node + 1]; i = end)
		{
			end = brTetFaces_RunEnd(&faces, node, i);
			for (int32_t k = i; k < end && end - i > 2; ++k)
			{
				int32_t tet = (int32_t)(faces.items[k] / 4);
				verdict->crowdedTet = verdict->crowdedTet < 0 || tet < verdict->crowdedTet ? tet : verdict->crowdedTet;
			}
			if (end - i == 1)
			{
				JudgeFace* face = &boundary[(*outCount)++];
				face->tet = (int32_t)(faces.items[i] / 4);
				for (int k = 0; k < 3; ++k)
				{
					face->nodes[k] = mesh->tets[face->tet][brTetCorners[faces.items[i] % 4][k]];
				}
			}
		}
	}
	brFreeTetFaces(&faces);
	return true;
}

static brResult findOverlap(const brContext* context, const brTetMesh* mesh, const JudgeFace* faces, int32_t count,
							brTetFaults* verdict, brReport* report)
{
	if (count == 0)
	{
		return br_success;
	}
	brAllocator allocator = brContext_Allocator(context);
	int32_t* corners = BR_ALLOC(&allocator, int32_t, 3 * (int64_t)count);
	if (corners == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		memcpy(corners + 3 * (int64_t)i, faces[i].nodes, sizeof(int32_t[3]));
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = mesh->nodeCount, def.positions = mesh->nodes;
	def.faceCount = count, def.corners = corners;
	brMesh* surface = NULL;
	brSurfaceTree* tree = NULL;
	brResult result = brCreateMesh(context, &def, &surface, report);
	if (result >= 0)
	{
		result = brCreateSurfaceTree(context, surface, &tree, report);
	}
	for (int32_t i = 0; i < count && result >= 0 && verdict->overlapTets[0] < 0; ++i)
	{
		brDVec3 a = mesh->nodes[faces[i].nodes[0]], b = mesh->nodes[faces[i].nodes[1]],
				c = mesh->nodes[faces[i].nodes[2]];
		brDVec3 n = brDCross(brDSub(b, a), brDSub(c, a));
		double size = sqrt(brDLength(n));
		brDVec3 step = brDMul(LOOK_THROUGH * size, brDNormalize(n));
		// Off the middle, where the edges of a face cut in halves would be.
		brDVec3 middle = brDAdd(brDMul(0.36, a), brDAdd(brDMul(0.31, b), brDMul(0.33, c)));
		brSegmentHit hits[4];
		int32_t found = brSurfaceTree_Segment(tree, brDSub(middle, step), brDAdd(middle, step), hits, 4);
		for (int32_t k = 0; k < found && k < 4; ++k)
		{
			if (hits[k].triangle != i)
			{
				verdict->overlapTets[0] = faces[i].tet;
				verdict->overlapTets[1] = faces[hits[k].triangle].tet;
			}
		}
	}
	brDestroySurfaceTree(tree);
	brDestroyMesh(surface);
	BR_FREE(&allocator, corners, 3 * (int64_t)count);
	return result < 0 ? result : br_success;
}

static void writeTetVerdict(brTetFaults* v)
{
	char* text = v->text;
	size_t room = sizeof(v->text);
	if (v->flatTet >= 0 && (v->invertedTet < 0 || v->flatTet < v->invertedTet))
	{
		snprintf(text, room, "tet %d has no volume; there are %d such", v->flatTet, v->stats.zeroTets);
	}
	else if (v->invertedTet >= 0)
	{
		snprintf(text, room, "tet %d is inverted; there are %d such", v->invertedTet, v->stats.negativeTets);
	}
	else if (v->crowdedTet >= 0)
	{
		snprintf(text, room, "a face of tet %d belongs to more than two tets; there are %d such", v->crowdedTet,
				 v->stats.overfullFaces);
	}
	else if (v->overlapTets[0] >= 0)
	{
		snprintf(text, room, "tets %d and %d touch without sharing their nodes: the mesh is not conforming",
				 v->overlapTets[0], v->overlapTets[1]);
	}
	else if (v->danglingNode >= 0)
	{
		snprintf(text, room, "sound, but node %d is in no tet; there are %d such", v->danglingNode,
				 v->stats.unusedNodes);
	}
	else if (v->looseTet >= 0)
	{
		snprintf(text, room, "sound, but in %d parts that share no face; tet %d is the first beyond the first part",
				 v->stats.components, v->looseTet);
	}
	else
	{
		snprintf(text, room, "all %d tets are positive and conforming", v->stats.positiveTets);
	}
}

brResult brTetMesh_FindFaults(const brTetMesh* mesh, const brContext* context, brTetFaults* outVerdict,
							  brReport* report)
{
	if (mesh == NULL || outVerdict == NULL)
	{
		return brFail(report, br_errorMisuse, "a verdict needs a tet mesh and a place for the result");
	}
	brAllocator allocator = brContext_Allocator(context);
	brTetFaults verdict = {.invertedTet = -1, .flatTet = -1, .crowdedTet = -1, .overlapTets = {-1, -1}};
	verdict.danglingNode = verdict.looseTet = -1;
	brResult result = brTetMesh_Check(mesh, context, &verdict.stats, report);
	if (result < 0)
	{
		return result;
	}
	findBadTets(mesh, &verdict);
	int64_t room = 4 * (int64_t)mesh->tetCount;
	JudgeFace* boundary = BR_ALLOC(&allocator, JudgeFace, room);
	brTetParts parts = {0};
	int32_t count = 0;
	bool complete = boundary != NULL && findDangling(&allocator, mesh, &verdict) &&
					findFaces(&allocator, mesh, boundary, &count, &verdict) && brFindTetParts(&allocator, mesh, &parts);
	result = complete ? br_success : brFailMemory(report);
	if (complete && verdict.invertedTet < 0 && verdict.flatTet < 0)
	{
		result = findOverlap(context, mesh, boundary, count, &verdict, report);
	}
	for (int32_t t = 0; t < mesh->tetCount && complete && verdict.looseTet < 0; ++t)
	{
		verdict.looseTet = parts.parts[t] > 0 ? t : -1;
	}
	if (complete)
	{
		brTetParts_Free(&parts);
	}
	BR_FREE(&allocator, boundary, room);
	if (result < 0)
	{
		return result;
	}
	verdict.isSound = verdict.invertedTet < 0 && verdict.flatTet < 0 && verdict.crowdedTet < 0 &&
					  verdict.overlapTets[0] < 0 && mesh->tetCount > 0;
	writeTetVerdict(&verdict);
	if (mesh->tetCount == 0)
	{
		snprintf(verdict.text, sizeof(verdict.text), "there are no tets");
	}
	*outVerdict = verdict;
	return brSucceed(report);
}
