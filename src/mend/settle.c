// SPDX-License-Identifier: MIT

// Solids that stay solids in a file. A file of floats moves every vertex a little, and one without numbers of vertices
// (STL, glTF) joins those that lie at one place: where a solid touches itself, or is thinner than a float can tell, what
// is read back crosses itself or has edges of four faces.
//
// So the mesh is looked at as it will be read. What then touches or crosses is taken apart: its vertices move into the
// solid by a few roundings. What still crosses is resolved. Both move vertices off the grid of floats again, so a few rounds may be
// needed; each moves farther than the one before.

#include "base/memory.h"
#include "base/report.h"
#include "brittle/collide.h"
#include "brittle/mend.h"
#include "mesh/topology.h"
#include "mesh/weld.h"

#include <math.h>
#include <string.h>

#define SETTLE_ROUNDS 8
// From this round on vertices that are nearer than a step are joined, and what crosses is resolved in every second one.
// Sooner, resolving would leave new slivers where two steps apart would have done.
#define SETTLE_WELDS 4
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

// Marks vertices at one place.
static bool settleMarkCopies(const Settle* s, uint8_t* marks)
{
	const brMesh* mesh = s->mesh;
	int32_t* firsts = BR_ALLOC(&s->allocator, int32_t, mesh->vertexCount);
	bool isDone =
		firsts != NULL && brFindEqualPositions(&s->allocator, mesh->positions, mesh->vertexCount, firsts) >= 0;
	for (int32_t v = 0; v < mesh->vertexCount && isDone; ++v)
	{
		marks[v] |= firsts[v] != v;
		marks[firsts[v]] |= firsts[v] != v;
	}
	BR_FREE(&s->allocator, firsts, mesh->vertexCount);
	return isDone;
}

// Marks the corners of triangles that meet though they are no neighbors.
static brResult settleMarkCrossings(const Settle* s, uint8_t* marks, brReport* report)
{
	const brMesh* mesh = s->mesh;
	brTriangulation* triangles = NULL;
	brCollision* crossings = NULL;
	brCollideDef def = brDefaultCollideDef();
	def.enableSelf = true;
	brResult result = brTriangulateMesh(s->context, mesh, &triangles, report);
	result = result < 0 ? result : brCollideMeshes(s->context, &mesh, 1, &def, &crossings, report);
	for (int64_t i = 0; result >= 0 && i < crossings->pairCount; ++i)
	{
		const int32_t* corners[2] = {triangles->corners + 3 * (size_t)crossings->pairs[i].a,
									 triangles->corners + 3 * (size_t)crossings->pairs[i].b};
		for (int32_t k = 0; k < 3; ++k)
		{
			marks[mesh->corners[corners[0][k]]] = 1;
			marks[mesh->corners[corners[1][k]]] = 1;
		}
	}
	brDestroyTriangulation(triangles);
	brDestroyCollision(crossings);
	return result;
}

// Moves marked vertices into the solid, each against the normal of its own faces. How many there were; -1 without memory.
static int32_t settleRetreat(const Settle* s, const uint8_t* marks)
{
	brMesh* mesh = s->mesh;
	brDVec3* normals = BR_ALLOC_ZERO(&s->allocator, brDVec3, mesh->vertexCount);
	if (normals == NULL)
	{
		return -1;
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
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
	int32_t count = 0;
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		if (marks[v])
		{
			mesh->positions[v] = brDMulAdd(mesh->positions[v], -s->step, brDNormalize(normals[v]));
			count += 1;
		}
	}
	BR_FREE(&s->allocator, normals, mesh->vertexCount);
	return count;
}

// Takes apart what touches or crosses. How many vertices moved; negative: a result.
static int32_t settleApart(const Settle* s, brReport* report)
{
	int32_t vertices = s->mesh->vertexCount;
	uint8_t* marks = BR_ALLOC_ZERO(&s->allocator, uint8_t, vertices);
	brResult result = br_errorMemory;
	int32_t moved = -1;
	if (marks != NULL && settleMarkCopies(s, marks))
	{
		result = settleMarkCrossings(s, marks, report);
	}
	if (result >= 0)
	{
		moved = settleRetreat(s, marks);
		result = moved < 0 ? br_errorMemory : moved;
	}
	BR_FREE(&s->allocator, marks, vertices);
	return result == br_errorMemory ? brFailMemory(report) : result;
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
	int32_t moved = settleApart(s, report);
	if (moved < 0)
	{
		return moved;
	}
	if (moved == 0 || (s->round >= SETTLE_WELDS && s->round % 2 == 1)) // apart is often enough
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

// First step apart.
static double settleStep(const brMesh* mesh, double grid)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	double far = fmax(fmax(fmax(fabs(box.lower.x), fabs(box.upper.x)), fmax(fabs(box.lower.y), fabs(box.upper.y))),
					  fmax(fabs(box.lower.z), fabs(box.upper.z)));
	return fmax(SETTLE_STEP * brDDistance(box.lower, box.upper), grid < 0.0 ? SETTLE_ULPS * 6e-8 * far : grid);
}

brResult brSettleMesh(const brContext* context, const brMesh* mesh, double grid, brMesh** outMesh, brReport* report)
{
	if (mesh == NULL || outMesh == NULL)
	{
		return brFail(report, br_errorMisuse, "brSettleMesh needs a mesh and a place for the result");
	}
	Settle s = {.context = context, .allocator = brContext_Allocator(context), .grid = grid};
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
	s.step = settleStep(mesh, grid);
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
