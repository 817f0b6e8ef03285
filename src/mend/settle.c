// SPDX-License-Identifier: MIT

// Solids that stay solids in a file. A file of floats moves every vertex a little, and one without numbers of vertices
// (STL, glTF) joins those that lie at one place: where a solid touches itself, or is thinner than a float can tell, what
// is read back crosses itself or has edges of four faces.
//
// So the mesh is looked at as it will be read. What then touches or crosses is taken apart: its vertices move into the
// solid by a few roundings, or out of it where the solid is what lies between, at a cavity that touches the wall. Where that does not help, what crosses is resolved, and what is thinner than a rounding
// closes. All of this moves vertices off the grid again, so the places that are left are counted: the first attempt
// that leaves fewer is gone on from.
//
// Polygons are cut into triangles before they are rounded: the outline of a slender one may cross itself afterwards, and
// every cut of it would be wrong by more than a rounding.

#include "base/memory.h"
#include "base/report.h"
#include "brittle/mend.h"
#include "mend/mend_stages.h"
#include "mesh/face_area.h"
#include "mesh/mesh_build.h"
#include "mesh/topology.h"
#include "mesh/weld.h"
#include "narrow/mesh_check.h"
#include "narrow/triangle_search.h"
#include "narrow/triangle_soup.h"

#include <math.h>
#include <string.h>

#define SETTLE_MOST 32 // attempts on one mesh
#define SETTLE_WORSE 8 // so many times as much left is far more
// Smallest step apart, in roundings of the largest coordinate, and as a share of the size.
#define SETTLE_ULPS 4.0
#define SETTLE_STEP 1e-7

typedef struct Settle
{
	const brContext* context;
	brAllocator allocator;
	brMesh* mesh;   // the state
	brMesh* joined; // the state as it will be read, or null
	double step;
	double grid;  // as brSettleMesh has it
	int64_t bad;  // places that keep it from being a solid; 0 if it is one
	bool crosses; // some of them are crossings
	int32_t left; // attempts
	int32_t next; // the attempt to begin with: what helped last
	double least; // steps apart that leave far more than there was
} Settle;

// Something to try. Once nothing crosses, edges of four faces are opened by `open` steps. Else what is nearer than
// `weld` steps closes, what touches or crosses moves into the solid by `apart` steps, what crosses is resolved.
// Resolving too soon would leave slivers where a step apart had done; vertices as flat as `collapse` steps go before
// that. The last ones turn walls that are thinner than a step inside out, which the resolution drops.
typedef struct SettleAttempt
{
	double open, collapse, weld, apart;
	bool resolves;
} SettleAttempt;

static const SettleAttempt settleAttempts[] = {
	{.open = 1},
	{.apart = 1},
	{.apart = 2},
	{.apart = 4},
	{.apart = 8},
	{.open = 16},
	{.collapse = 1},
	{.collapse = 8},
	{.resolves = true},
	{.weld = 1, .resolves = true},
	{.weld = 8, .apart = 8},
	{.weld = 8, .resolves = true},
	{.weld = 64, .resolves = true},
	{.apart = 8, .resolves = true},
	{.weld = 8, .apart = 32, .resolves = true},
	{.weld = 64, .apart = 64, .resolves = true},
	{.weld = 64, .apart = 256, .resolves = true},
};

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
	result = brCheckTopology(s->context, s->joined, &check, report);
	// Faces that rounding made flat meet half the mesh; settleBegin drops them.
	if (result >= 0 && check.repeatedIndexFaces == 0)
	{
		result = brCheckCrossings(s->context, s->joined, &check, report);
	}
	if (result < 0)
	{
		return result;
	}
	s->crosses = check.selfIntersections > 0;
	s->bad = check.isSolid                 ? 0
			 : check.selfIntersections < 0 ? INT64_MAX
										   : (int64_t)1 + check.selfIntersections + check.nonmanifoldEdges +
												 check.boundaryEdges + check.misorientedEdges + check.zeroAreaFaces;
	return br_success;
}

// What happens to a vertex that touches something.
enum
{
	settle_stays,
	settle_shrinks, // moves into the solid
	settle_grows,   // moves out of it
};

// Marks vertices at one place.
static bool settleMarkCopies(const Settle* s, uint8_t* marks)
{
	const brMesh* mesh = s->mesh;
	int32_t* firsts = BR_ALLOC(&s->allocator, int32_t, mesh->vertexCount);
	bool isDone =
		firsts != NULL && brFindEqualPositions(&s->allocator, mesh->positions, mesh->vertexCount, firsts) >= 0;
	for (int32_t v = 0; v < mesh->vertexCount && isDone; ++v)
	{
		marks[v] = firsts[v] != v ? settle_shrinks : marks[v];
		marks[firsts[v]] = firsts[v] != v ? settle_shrinks : marks[firsts[v]];
	}
	BR_FREE(&s->allocator, firsts, mesh->vertexCount);
	return isDone;
}

// Whether triangle `a` is behind `b`, but for a rounding: the solid is what lies between the two.
static bool settleIsBehind(const Settle* s, const int32_t a[3], const int32_t b[3])
{
	const brDVec3* p = s->mesh->positions;
	brDVec3 normal = brDNormalize(brDCross(brDSub(p[b[1]], p[b[0]]), brDSub(p[b[2]], p[b[0]])));
	double lowest = INFINITY, highest = -INFINITY;
	for (int32_t k = 0; k < 3; ++k)
	{
		double height = brDDot(normal, brDSub(p[a[k]], p[b[0]]));
		lowest = fmin(lowest, height), highest = fmax(highest, height);
	}
	return highest < s->step && lowest < -s->step;
}

// Marks what meets though it shares nothing there: faces and their vertices, whichever is asked for.
static brResult settleMarkCrossings(const Settle* s, uint8_t* faces, uint8_t* vertices, brReport* report)
{
	const brMesh* mesh = s->mesh;
	brTriangleSoup soup;
	brResult result = brTriangleSoup_Make(&soup, s->context, &mesh, 1, report);
	if (result < 0)
	{
		return result;
	}
	brPairSearchDef def = {.enableSelf = true, .rule = br_neighborsBeyond};
	brTriangleSearch search;
	brTriangleSearch_Init(&search, &s->allocator, &def);
	brBoxSource source = brTriangleSoup_Source(&soup);
	result = brTriangleSearch_Run(&search, s->context, &source, NULL, 1, report);
	for (int64_t i = 0; result >= 0 && i < 2 * search.search.pairs.count; ++i)
	{
		brPair pair = search.search.pairs.pairs[i / 2];
		int32_t triangle = i % 2 == 0 ? pair.a : pair.b, other = i % 2 == 0 ? pair.b : pair.a;
		if (faces != NULL)
		{
			faces[soup.faces[triangle]] = 1;
		}
		bool grows = vertices != NULL && (settleIsBehind(s, soup.triangles[triangle], soup.triangles[other]) ||
										  settleIsBehind(s, soup.triangles[other], soup.triangles[triangle]));
		for (int32_t k = 0; k < 3 && vertices != NULL; ++k)
		{
			uint8_t* mark = &vertices[soup.triangles[triangle][k]];
			*mark = grows && *mark != settle_shrinks ? settle_grows : settle_shrinks;
		}
	}
	brTriangleSearch_Free(&search);
	brTriangleSoup_Free(&soup);
	return result;
}

// Moves marked vertices into the solid or out of it, each along the normal of its own faces. How many there were; -1
// without memory.
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
		brDVec3 normal = brDNormalize(brMesh_FaceArea(mesh, f));
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			normals[mesh->corners[c]] = brDAdd(normals[mesh->corners[c]], normal);
		}
	}
	int32_t count = 0;
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		if (marks[v] != settle_stays)
		{
			double step = marks[v] == settle_grows ? s->step : -s->step;
			mesh->positions[v] = brDMulAdd(mesh->positions[v], step, brDNormalize(normals[v]));
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
		result = settleMarkCrossings(s, NULL, marks, report);
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

// Every polygon of `mesh` as triangles, with all its places.
static brResult settleTriangles(Settle* s, const brMesh* mesh, brReport* report)
{
	brTriangulation* triangles = NULL;
	brResult result = brTriangulateMesh(s->context, mesh, &triangles, report);
	if (result < 0)
	{
		return result;
	}
	brDestroyMesh(s->mesh);
	s->mesh = brMakeTriangleMesh(&s->allocator, mesh, triangles);
	brDestroyTriangulation(triangles);
	return s->mesh != NULL ? br_success : brFailMemory(report);
}

// Draws flat vertices of the state as it is read onto neighbors where faces cross.
static brResult settleCollapse(Settle* s, double height, brMesh** outMesh, brReport* report)
{
	int32_t count = s->mesh->faceCount;
	uint8_t* marks = BR_ALLOC_ZERO(&s->allocator, uint8_t, count);
	brResult result = marks == NULL ? brFailMemory(report) : settleMarkCrossings(s, marks, NULL, report);
	if (result >= 0)
	{
		result = brCollapseFlat(s->context, s->mesh, marks, height, outMesh, report);
	}
	BR_FREE(&s->allocator, marks, count);
	return result;
}

// Changes the triangles of the state as it is read: opens edges of four faces, or draws vertices onto others.
static brResult settleChange(Settle* s, const Settle* from, const SettleAttempt* attempt, brReport* report)
{
	brMesh* changed = NULL;
	brResult result = settleTriangles(s, from->joined, report);
	if (result < 0)
	{
		return result;
	}
	result = attempt->open > 0.0 ? brOpenEdges(s->context, s->mesh, attempt->open * s->step, &changed, report)
								 : settleCollapse(s, attempt->collapse * s->step, &changed, report);
	brDestroyMesh(s->mesh);
	s->mesh = changed;
	return result;
}

static brResult settleMove(Settle* s, const Settle* from, const SettleAttempt* attempt, brReport* report)
{
	brRepairDef def = brDefaultRepairDef();
	def.weldDistance = attempt->weld * from->step;
	brResult result = brRepairMesh(s->context, from->joined, &def, &s->mesh, NULL, report);
	if (result < 0)
	{
		return result;
	}
	s->step = attempt->apart * from->step;
	result = attempt->apart > 0.0 ? settleApart(s, report) : br_success;
	s->step = from->step;
	return result >= 0 && attempt->resolves ? settleResolve(s, report) : result;
}

// The state as the file will have it, without triangles that rounding makes flat.
static brResult settleWrite(Settle* s, brReport* report)
{
	settleRound(s);
	brMesh* repaired = NULL;
	brRepairDef def = brDefaultRepairDef();
	def.orient = def.splitNonManifold = false;
	brResult result = brRepairMesh(s->context, s->mesh, &def, &repaired, NULL, report);
	if (result < 0)
	{
		return result;
	}
	brDestroyMesh(s->mesh);
	s->mesh = repaired;
	return settleLook(s, report);
}

// One attempt on a state of its own, which begins as `from` is read.
static brResult settleTry(Settle* s, const Settle* from, const SettleAttempt* attempt, brReport* report)
{
	*s = *from;
	s->mesh = s->joined = NULL;
	bool isChange = attempt->open > 0.0 || attempt->collapse > 0.0;
	brResult result = isChange ? settleChange(s, from, attempt, report) : settleMove(s, from, attempt, report);
	return result < 0 ? result : settleWrite(s, report);
}

static void settleFree(Settle* s)
{
	brDestroyMesh(s->mesh);
	brDestroyMesh(s->joined);
	s->mesh = s->joined = NULL;
}

// Goes on with the first attempt that leaves less to do, from the one that helped last. br_remarkApproximate if none
// does.
static brResult settleOnce(Settle* s, brReport* report)
{
	const int32_t count = (int32_t)(sizeof(settleAttempts) / sizeof(settleAttempts[0]));
	for (int32_t k = 0; k < count; ++k)
	{
		int32_t i = (s->next + k) % count;
		if ((settleAttempts[i].open > 0.0 && s->crosses) || settleAttempts[i].apart >= s->least)
		{
			continue;
		}
		if (s->left-- == 0)
		{
			break;
		}
		if (brIsCanceled(s->context, 0.5))
		{
			return brFail(report, br_errorCanceled, "canceled while solids were made ready for a file");
		}
		Settle next;
		brResult result = settleTry(&next, s, &settleAttempts[i], report);
		if (result >= 0 && next.bad < s->bad)
		{
			settleFree(s);
			*s = next;
			s->next = i;
			return br_success;
		}
		// Noise has walls everywhere that are as near as a step: it would be taken apart for minutes.
		bool isWorse = settleAttempts[i].apart > 0.0 && next.bad / SETTLE_WORSE > s->bad;
		s->least = isWorse ? settleAttempts[i].apart : s->least;
		settleFree(&next);
		if (result < 0)
		{
			return result;
		}
	}
	return br_remarkApproximate;
}

// First step apart.
static double settleStep(const brMesh* mesh, double grid)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	double far = fmax(fmax(fmax(fabs(box.lower.x), fabs(box.upper.x)), fmax(fabs(box.lower.y), fabs(box.upper.y))),
					  fmax(fabs(box.lower.z), fabs(box.upper.z)));
	return fmax(SETTLE_STEP * brDDistance(box.lower, box.upper), grid < 0.0 ? SETTLE_ULPS * 6e-8 * far : grid);
}

// What the file makes of `mesh`, a closed one: triangles if it has polygons, without those that rounding makes flat.
static brResult settleBegin(Settle* s, const brMesh* mesh, brReport* report)
{
	brResult result = settleTriangles(s, mesh, report);
	return result < 0 ? result : settleWrite(s, report);
}

brResult brSettleMesh(const brContext* context, const brMesh* mesh, double grid, brMesh** outMesh, brReport* report)
{
	if (mesh == NULL || outMesh == NULL)
	{
		return brFail(report, br_errorMisuse, "brSettleMesh needs a mesh and a place for the result");
	}
	Settle s = {.context = context,
				.allocator = brContext_Allocator(context),
				.grid = grid,
				.left = SETTLE_MOST,
				.least = INFINITY};
	brMeshCheck check = {0};
	brResult result = brCheckTopology(context, mesh, &check, report);
	bool isClosed = result >= 0 && check.isClosed && check.isOriented;
	result = result < 0 ? result : brCopyMesh(context, mesh, &s.mesh, report);
	if (result >= 0 && isClosed)
	{
		settleRound(&s);
		result = settleLook(&s, report);
	}
	bool wasSolid = result >= 0 && isClosed && s.bad == 0;
	if (result >= 0 && isClosed && !wasSolid)
	{
		result = settleBegin(&s, mesh, report);
	}
	s.step = settleStep(mesh, grid);
	while (result == br_success && isClosed && s.bad > 0)
	{
		result = settleOnce(&s, report);
	}
	// A solid from the start keeps its numbers of vertices; what cannot be helped stays as it came.
	bool isSolid = result >= 0 && isClosed && s.bad == 0;
	brMesh** kept = isSolid && !wasSolid ? &s.joined : &s.mesh;
	if (result >= 0 && !isSolid)
	{
		brDestroyMesh(s.mesh);
		s.mesh = NULL;
		result = brCopyMesh(context, mesh, &s.mesh, report);
	}
	if (result >= 0)
	{
		*outMesh = *kept;
		*kept = NULL;
		result = isSolid || !isClosed
					 ? brSucceed(report)
					 : brFail(report, br_remarkApproximate, "rounded for the file it is no clean solid");
	}
	settleFree(&s);
	return result;
}
