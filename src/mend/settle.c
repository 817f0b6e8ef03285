// SPDX-License-Identifier: MIT

// Solids that stay solids in a file. A file of floats moves every vertex a little, and one without numbers of vertices
// (STL, glTF) joins those that lie at one place: where a solid touches itself, or is thinner than a float can tell, what
// is read back crosses itself or has edges of four faces.
//
// So the mesh is looked at as it will be read. What then touches is taken apart: copies of a vertex move into the solid
// by a few roundings. What crosses is resolved. Both move vertices off the grid of floats again, so a few rounds may be
// needed; each moves farther than the one before.

#include "base/memory.h"
#include "base/report.h"
#include "brittle/mend.h"
#include "mesh/topology.h"
#include "mesh/weld.h"

#include <math.h>
#include <string.h>

#define SETTLE_ROUNDS 8
#define SETTLE_WELDS 4 // from this round on vertices that are nearer than a step are joined
// First step apart, in roundings of the largest coordinate, and as a share of the size; doubled in each round.
#define SETTLE_ULPS 4.0
#define SETTLE_STEP 1e-7

typedef struct Settle
{
	const brContext* context;
	brAllocator allocator;
	brMesh* mesh;   // the state
	brMesh* joined; // the state as it will be read, or null
	double step;
	double grid; // as brSettleMesh has it
	int32_t round;
	bool isSolid;
} Settle;

static void settleRound(const Settle* s)
{
	double grid = s->grid;
	for (int32_t v = 0; v < s->mesh->vertexCount && grid != 0.0; ++v)
	{
		brDVec3* p = &s->mesh->positions[v];
		*p = grid < 0.0 ? brToDVec3(brToVec3(*p))
						: brMakeDVec3(grid * floor(p->x / grid + 0.5), grid * floor(p->y / grid + 0.5),
									  grid * floor(p->z / grid + 0.5));
	}
}

// As it is read: vertices at one place are one.
static brResult settleLook(Settle* s, brReport* report)
{
	brRepairDef def = brDefaultRepairDef();
	def.weld = true;
	def.dropDegenerate = def.dropDuplicates = def.orient = def.splitNonManifold = def.dropUnused = false;
	brDestroyMesh(s->joined);
	s->joined = NULL;
	brResult result = brRepairMesh(s->context, s->mesh, &def, &s->joined, NULL, report);
	if (result < 0)
	{
		return result;
	}
	brMeshCheck check;
	result = brMesh_Check(s->joined, s->context, NULL, &check, report);
	s->isSolid = result >= 0 && check.isSolid;
	return result;
}

// Moves the copies of vertices at one place into the solid, each against the normal of its own faces. How many there were;
// -1 without memory.
static int32_t settleApart(Settle* s)
{
	brMesh* mesh = s->mesh;
	int32_t* firsts = BR_ALLOC(&s->allocator, int32_t, mesh->vertexCount);
	uint8_t* isCopy = BR_ALLOC_ZERO(&s->allocator, uint8_t, mesh->vertexCount);
	brDVec3* normals = BR_ALLOC_ZERO(&s->allocator, brDVec3, mesh->vertexCount);
	int32_t count = -1;
	if (firsts != NULL && isCopy != NULL && normals != NULL)
	{
		count = brFindEqualPositions(&s->allocator, mesh->positions, mesh->vertexCount, firsts);
	}
	for (int32_t v = 0; v < mesh->vertexCount && count > 0; ++v)
	{
		isCopy[v] |= firsts[v] != v;
		isCopy[firsts[v]] |= firsts[v] != v;
	}
	for (int32_t f = 0; f < mesh->faceCount && count > 0; ++f)
	{
		brDVec3 origin = mesh->positions[mesh->corners[mesh->faceStarts[f]]], normal = {0.0, 0.0, 0.0};
		for (int32_t c = mesh->faceStarts[f] + 1; c + 1 < mesh->faceStarts[f + 1]; ++c)
		{
			normal = brDAdd(normal, brDCross(brDSub(mesh->positions[mesh->corners[c]], origin),
											 brDSub(mesh->positions[mesh->corners[c + 1]], origin)));
		}
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			normals[mesh->corners[c]] = brDAdd(normals[mesh->corners[c]], brDNormalize(normal));
		}
	}
	for (int32_t v = 0; v < mesh->vertexCount && count > 0; ++v)
	{
		if (isCopy[v])
		{
			mesh->positions[v] = brDMulAdd(mesh->positions[v], -s->step, brDNormalize(normals[v]));
		}
	}
	BR_FREE(&s->allocator, firsts, mesh->vertexCount);
	BR_FREE(&s->allocator, isCopy, mesh->vertexCount);
	BR_FREE(&s->allocator, normals, mesh->vertexCount);
	return count;
}

static brResult settleResolve(Settle* s, brReport* report)
{
	brMendDef def = brDefaultMendDef();
	brMesh* mended = NULL;
	def.effort = br_mendFull;
	brResult result = brMendMesh(s->context, s->mesh, &def, &mended, NULL, report);
	if (result < 0)
	{
		return result == br_errorGeometry ? br_success : result; // the next round may help
	}
	brDestroyMesh(s->mesh);
	s->mesh = mended;
	return br_success;
}

// One round: what is flat or doubled goes, what touches comes apart, what crosses is resolved.
static brResult settleOnce(Settle* s, brReport* report)
{
	brMesh* repaired = NULL;
	brRepairDef def = brDefaultRepairDef();
	def.weldDistance = s->round >= SETTLE_WELDS ? s->step : 0.0; // what is thinner than that closes
	brResult result = brRepairMesh(s->context, s->joined, &def, &repaired, NULL, report);
	if (result < 0)
	{
		return result;
	}
	brDestroyMesh(s->mesh);
	s->mesh = repaired;
	int32_t copies = settleApart(s);
	if (copies < 0)
	{
		return brFailMemory(report);
	}
	if (copies == 0 || s->round % 2 == 1) // apart is often enough
	{
		result = settleResolve(s, report);
		if (result < 0)
		{
			return result;
		}
	}
	settleRound(s);
	return settleLook(s, report);
}

brResult brSettleMesh(const brContext* context, const brMesh* mesh, double grid, brMesh** outMesh, brReport* report)
{
	if (mesh == NULL || outMesh == NULL)
	{
		return brFail(report, br_errorMisuse, "brSettleMesh needs a mesh and a place for the result");
	}
	Settle s = {.context = context, .allocator = brContext_Allocator(context), .grid = grid};
	brDBox3 box = brMesh_ComputeBounds(mesh);
	double far = fmax(fmax(fmax(fabs(box.lower.x), fabs(box.upper.x)), fmax(fabs(box.lower.y), fabs(box.upper.y))),
					  fmax(fabs(box.lower.z), fabs(box.upper.z)));
	double rounding = grid < 0.0 ? SETTLE_ULPS * 6e-8 * far : grid;
	s.step = fmax(SETTLE_STEP * brDDistance(box.lower, box.upper), rounding);
	brMeshCheck check = {0};
	brResult result = brCheckTopology(context, mesh, &check, report);
	bool isClosed = result >= 0 && check.isClosed && check.isOriented;
	result = result < 0 ? result : brCopyMesh(context, mesh, &s.mesh, report);
	if (result >= 0)
	{
		settleRound(&s);
		result = settleLook(&s, report);
	}
	bool wasSolid = s.isSolid;
	for (; s.round < SETTLE_ROUNDS && result >= 0 && isClosed && !s.isSolid; ++s.round)
	{
		result = settleOnce(&s, report);
		s.step *= 2.0;
	}
	// A solid from the start keeps its numbers of vertices; what cannot be helped stays as it came.
	brMesh** kept = s.isSolid && !wasSolid ? &s.joined : &s.mesh;
	if (result >= 0 && !s.isSolid)
	{
		brDestroyMesh(s.mesh);
		s.mesh = NULL;
		result = brCopyMesh(context, mesh, &s.mesh, report);
	}
	if (result >= 0)
	{
		*outMesh = *kept;
		*kept = NULL;
		result = s.isSolid || !isClosed
					 ? brSucceed(report)
					 : brFail(report, br_remarkApproximate, "rounded for the file it is no clean solid");
	}
	brDestroyMesh(s.mesh);
	brDestroyMesh(s.joined);
	return result;
}
