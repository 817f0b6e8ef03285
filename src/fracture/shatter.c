// SPDX-License-Identifier: MIT

// From a model and sites to pieces: diagram, clipped surface, caps, parts, then merging, bonds and meshes.

#include "brittle/shatter.h"

#include "base/assert.h"
#include "base/report.h"
#include "base/sort.h"
#include "brittle/check.h"
#include "contact/shape.h"
#include "fracture/clusters.h"
#include "fracture/pieces.h"
#include "mesh/mesh_build.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

#define SHATTER_MOST_SITES 10000000

// Corners of a cut face are off its plane by rounding; hull faces within this share of the piece's size are one.
#define SHATTER_HULL_FLAT 1e-9

brShatterDef brDefaultShatterDef(void)
{
	brShatterDef def = {0};
	def.stretch = brMakeDVec3(1.0, 1.0, 1.0);
	def.density = 1000.0;
	def.interior = brDefaultSurfaceMaterial();
	memcpy(def.interior.name, "interior", sizeof("interior"));
	def.interior.baseColor = (brVec4){0.75f, 0.72f, 0.68f, 1.0f};
	def.levelCount = BR_SHATTER_MOST_LEVELS;
	def.stamp = BR_STAMP;
	return def;
}

typedef struct ShatterScratch
{
	int32_t* locals;  // [pointCount] vertex of the piece at work
	int32_t* stamps;  // [pointCount] piece + 1
	int32_t* corners; // [largest face]
} ShatterScratch;

typedef struct ShatterBuild
{
	const brContext* context;
	brAllocator allocator;
	const brShatterDef* def;
	const brMesh* mesh; // as it is cut: repaired and stretched if need be
	brMesh* owned;      // that mesh, if it is ours
	brDVec3 scale;      // powers of two: cutting space = scale * model space
	brDVec3* sites;     // [siteCount] in cutting space
	brVoronoi* voronoi;
	brSurfaceClip clip;
	brCaps caps;
	brPieceParts parts;
	bool hasClip, hasCaps, hasParts;
	brShatter* shatter;
	int32_t* partPieces;  // [partCount] or -1
	int32_t* entryStarts; // [pieceCount + 1]
	int32_t* entries;     // faces by piece
	int32_t entryTotal;
	int32_t largest;
	int32_t interior; // material of cut faces
	ShatterScratch* scratch;
	int32_t scratchCount;
	int32_t* failures; // [pieceCount] 0 or a brResult
} ShatterBuild;

void brDestroyShatter(brShatter* shatter)
{
	if (shatter == NULL)
	{
		return;
	}
	brAllocator allocator = shatter->allocator;
	for (int32_t i = 0; shatter->pieces != NULL && i < shatter->pieceCount; ++i)
	{
		brDestroyMesh(shatter->pieces[i].mesh);
		brDestroyMesh(shatter->pieces[i].hull);
	}
	for (int32_t i = 0; i < shatter->levelCount; ++i)
	{
		BR_FREE(&allocator, shatter->levels[i].clusters, shatter->pieceCount);
		BR_FREE(&allocator, shatter->levels[i].bonds, shatter->levels[i].bondCount);
	}
	BR_FREE(&allocator, shatter->levels, shatter->levelCount);
	BR_FREE(&allocator, shatter->pieces, shatter->pieceCount);
	BR_FREE(&allocator, shatter->bonds, shatter->bondCount);
	BR_FREE(&allocator, shatter, 1);
}

static void shatterFree(ShatterBuild* build)
{
	const brAllocator* a = &build->allocator;
	int32_t pieces = build->shatter != NULL ? build->shatter->pieceCount : 0;
	for (int32_t i = 0; build->scratch != NULL && i < build->scratchCount; ++i)
	{
		BR_FREE(a, build->scratch[i].locals, build->parts.pointCount);
		BR_FREE(a, build->scratch[i].stamps, build->parts.pointCount);
		BR_FREE(a, build->scratch[i].corners, build->largest);
	}
	BR_FREE(a, build->scratch, build->scratchCount);
	BR_FREE(a, build->failures, pieces);
	BR_FREE(a, build->entryStarts, (int64_t)pieces + 1);
	BR_FREE(a, build->entries, build->entryTotal);
	BR_FREE(a, build->partPieces, build->parts.partCount);
	if (build->hasParts)
	{
		brPieceParts_Free(&build->parts);
	}
	if (build->hasCaps)
	{
		brCaps_Free(&build->caps);
	}
	if (build->hasClip)
	{
		brSurfaceClip_Free(&build->clip);
	}
	brDestroyVoronoi(build->voronoi);
	BR_FREE(a, build->sites, build->def->siteCount);
	brDestroyMesh(build->owned);
}

// The power of two nearest to 1 / stretch.
static double shatterScale(double stretch)
{
	int exponent;
	double part = frexp(1.0 / stretch, &exponent); // 0.5 to 1
	return ldexp(1.0, part < 0.70710678118654752 ? exponent - 1 : exponent);
}

// A mesh that can be cut: closed and manifold, in cutting space.
static brResult shatterPrepareMesh(ShatterBuild* build, const brMesh* mesh, brReport* report)
{
	brMeshCheck check;
	brResult result = brCheckTopology(build->context, mesh, &check, report);
	if (result < 0)
	{
		return result;
	}
	build->mesh = mesh;
	bool isTangled = check.nonmanifoldEdges > 0 || check.nonmanifoldVertices > 0 || check.misorientedEdges > 0 ||
					 check.repeatedIndexFaces > 0;
	if (isTangled)
	{
		brRepairDef repair = brDefaultRepairDef();
		repair.weld = repair.dropDuplicates = false;
		repair.dropDegenerate = check.repeatedIndexFaces > 0;
		repair.orient = check.misorientedEdges > 0;
		result = brRepairMesh(build->context, mesh, &repair, &build->owned, NULL, report);
		if (result < 0)
		{
			return result;
		}
		build->mesh = build->owned;
		result = brCheckTopology(build->context, build->mesh, &check, report);
		if (result < 0)
		{
			return result;
		}
	}
	if (check.boundaryEdges > 0 || check.nonmanifoldEdges > 0 || check.misorientedEdges > 0 || check.faces == 0)
	{
		return brFail(report, br_errorGeometry, "only closed surfaces can be shattered: %s",
					  check.faces == 0 ? "there is no face" : check.verdict);
	}
	build->shatter->volumeIn = brMesh_Mass(build->mesh, 1.0).volume;
	build->scale = brMakeDVec3(shatterScale(build->def->stretch.x), shatterScale(build->def->stretch.y),
							   shatterScale(build->def->stretch.z));
	if (build->scale.x == 1.0 && build->scale.y == 1.0 && build->scale.z == 1.0)
	{
		return br_success;
	}
	if (build->owned == NULL)
	{
		result = brCopyMesh(build->context, mesh, &build->owned, report);
		if (result < 0)
		{
			return result;
		}
		build->mesh = build->owned;
	}
	for (int32_t v = 0; v < build->owned->vertexCount; ++v)
	{
		brDVec3* p = &build->owned->positions[v];
		*p = brMakeDVec3(p->x * build->scale.x, p->y * build->scale.y, p->z * build->scale.z);
	}
	return br_success;
}

// The box has room all round, so that its sides are outside of the model.
static brResult shatterCut(ShatterBuild* build, brReport* report)
{
	const brShatterDef* def = build->def;
	build->sites = BR_ALLOC(&build->allocator, brDVec3, def->siteCount);
	if (build->sites == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < def->siteCount; ++i)
	{
		brDVec3 s = def->sites[i];
		build->sites[i] = brMakeDVec3(s.x * build->scale.x, s.y * build->scale.y, s.z * build->scale.z);
	}
	brDBox3 box = brMesh_Bounds(build->mesh);
	brDVec3 extent = brDSub(box.upper, box.lower);
	double room = 0x1p-8 * fmax(extent.x, fmax(extent.y, extent.z));
	brDVec3 margin = {room, room, room};
	brVoronoiDef voronoi = {.siteCount = def->siteCount, .sites = build->sites};
	voronoi.box = (brDBox3){brDSub(box.lower, margin), brDAdd(box.upper, margin)};
	brResult result = brCreateVoronoi(build->context, &voronoi, &build->voronoi, report);
	if (result >= 0)
	{
		result = brSurfaceClip_Make(build->context, build->mesh, build->voronoi, &build->clip, report);
		build->hasClip = result >= 0;
	}
	if (result >= 0)
	{
		result = brCaps_Make(&build->clip, &build->caps, report);
		build->hasCaps = result >= 0;
	}
	if (result >= 0)
	{
		result = brPieceParts_Make(&build->clip, &build->caps, &build->parts, report);
		build->hasParts = result >= 0;
	}
	if (result >= 0 && brIsCancelled(build->context, 0.6))
	{
		result = brFail(report, br_errorCancelled, "cancelled");
	}
	return result;
}

static brDVec3 shatterPosition(const ShatterBuild* build, int32_t point)
{
	brDVec3 p = brPieceParts_Position(&build->parts, point);
	return brMakeDVec3(p.x / build->scale.x, p.y / build->scale.y, p.z / build->scale.z);
}

// What one shared face adds to a bond.
typedef struct ShatterContact
{
	int32_t pieces[2];
	double area;
	brDVec3 vector; // area times normal, from the first to the second
	brDVec3 moment; // area times centroid
} ShatterContact;

static ShatterContact shatterMeasureCap(const ShatterBuild* build, const int32_t* corners, int32_t count)
{
	ShatterContact contact = {0};
	brDVec3 first = shatterPosition(build, corners[0]);
	for (int32_t n = 1; n + 1 < count; ++n)
	{
		brDVec3 p = brDSub(shatterPosition(build, corners[n]), first);
		brDVec3 q = brDSub(shatterPosition(build, corners[n + 1]), first);
		contact.vector = brDAdd(contact.vector, brDMul(0.5, brDCross(p, q)));
	}
	contact.area = brDLength(contact.vector);
	brDVec3 normal = brDNormalize(contact.vector);
	brDVec3 moment = {0.0, 0.0, 0.0};
	for (int32_t n = 1; n + 1 < count; ++n)
	{
		brDVec3 p = brDSub(shatterPosition(build, corners[n]), first);
		brDVec3 q = brDSub(shatterPosition(build, corners[n + 1]), first);
		moment = brDMulAdd(moment, brDDot(normal, brDCross(p, q)) / 6.0, brDAdd(p, q));
	}
	contact.moment = brDMulAdd(moment, contact.area, first);
	return contact;
}

// Contacts of all caps between different pieces (parts, if `pieces` maps them to themselves), one per pair, sorted.
static brResult shatterContacts(const ShatterBuild* build, const int32_t* pieces, ShatterContact** outContacts,
								int32_t* outCount, int32_t* outCapacity, brReport* report)
{
	const brAllocator* a = &build->allocator;
	const brPieceParts* parts = &build->parts;
	int32_t polygons = build->clip.polygonCells.count, caps = build->caps.faceCells.count / 2;
	ShatterContact* all = BR_ALLOC(a, ShatterContact, caps);
	ShatterContact* sums = BR_ALLOC(a, ShatterContact, caps);
	uint64_t* keys = BR_ALLOC(a, uint64_t, 2 * (int64_t)caps);
	uint32_t* order = BR_ALLOC(a, uint32_t, 2 * (int64_t)caps);
	int32_t* corners = BR_ALLOC(a, int32_t, build->largest);
	bool done = all != NULL && sums != NULL && keys != NULL && order != NULL && corners != NULL;
	int32_t count = 0, kept = 0;
	for (int32_t cap = 0; done && cap < caps; ++cap)
	{
		int32_t near = parts->entryParts[polygons + 2 * cap], far = parts->entryParts[polygons + 2 * cap + 1];
		int32_t from = near >= 0 ? pieces[near] : -1, to = far >= 0 ? pieces[far] : -1;
		if (from < 0 || to < 0 || from == to)
		{
			continue;
		}
		int32_t size = brPieceParts_Face(parts, polygons + 2 * cap, corners);
		ShatterContact contact = shatterMeasureCap(build, corners, size);
		contact.vector = from < to ? contact.vector : brDNeg(contact.vector);
		contact.pieces[0] = from < to ? from : to;
		contact.pieces[1] = from < to ? to : from;
		keys[count] = (uint64_t)contact.pieces[0] << 32 | (uint32_t)contact.pieces[1];
		order[count] = (uint32_t)count;
		all[count++] = contact;
	}
	done = done && brSortPairs64(NULL, a, keys, order, keys + caps, order + caps, count);
	for (int32_t n = 0; done && n < count; ++n)
	{
		const ShatterContact* contact = &all[order[n]];
		if (n > 0 && keys[n] == keys[n - 1])
		{
			ShatterContact* sum = &sums[kept - 1];
			sum->area += contact->area;
			sum->vector = brDAdd(sum->vector, contact->vector);
			sum->moment = brDAdd(sum->moment, contact->moment);
		}
		else
		{
			sums[kept++] = *contact;
		}
	}
	BR_FREE(a, all, caps);
	BR_FREE(a, keys, 2 * (int64_t)caps);
	BR_FREE(a, order, 2 * (int64_t)caps);
	BR_FREE(a, corners, build->largest);
	if (!done)
	{
		BR_FREE(a, sums, caps);
		return brFailMemory(report);
	}
	*outContacts = sums;
	*outCount = kept;
	*outCapacity = caps;
	return br_success;
}

static int32_t shatterFind(const int32_t* parents, int32_t n)
{
	while (parents[n] != n)
	{
		n = parents[n];
	}
	return n;
}

// Parts below the limit join the neighbour that they share most area with, the smallest first.
static brResult shatterMerge(ShatterBuild* build, int32_t* parents, double* volumes, double limit, brReport* report)
{
	const brPieceParts* parts = &build->parts;
	const brAllocator* a = &build->allocator;
	int32_t* selves = BR_ALLOC(a, int32_t, parts->partCount);
	if (selves == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t p = 0; p < parts->partCount; ++p)
	{
		selves[p] = parts->partOwners.data[p];
	}
	ShatterContact* contacts = NULL;
	int32_t count = 0, capacity = 0;
	brResult result = shatterContacts(build, selves, &contacts, &count, &capacity, report);
	BR_FREE(a, selves, parts->partCount);
	while (result >= 0)
	{
		// The smallest that has not been settled yet; settled ones without a neighbour have their volume set to infinity.
		int32_t least = -1;
		for (int32_t p = 0; p < parts->partCount; ++p)
		{
			bool isRoot = parts->partOwners.data[p] == p && parents[p] == p;
			least = isRoot && volumes[p] < limit && (least < 0 || volumes[p] < volumes[least]) ? p : least;
		}
		if (least < 0)
		{
			break;
		}
		int32_t best = -1;
		double bestArea = 0.0;
		for (int32_t n = 0; n < count; ++n)
		{
			int32_t x = shatterFind(parents, contacts[n].pieces[0]), y = shatterFind(parents, contacts[n].pieces[1]);
			int32_t other = x == least ? y : y == least ? x : least;
			if (other != least && contacts[n].area > bestArea)
			{
				best = other;
				bestArea = contacts[n].area;
			}
		}
		if (best < 0)
		{
			volumes[least] = INFINITY;
			continue;
		}
		int32_t low = least < best ? least : best, high = least < best ? best : least;
		parents[high] = low;
		volumes[low] += volumes[high];
		++build->shatter->mergedCount;
	}
	BR_FREE(a, contacts, capacity);
	return result;
}

// Parts whose sites are in one group become one where they share a cut.
static void shatterJoinGroups(const ShatterBuild* build, int32_t* parents, double* volumes)
{
	const brPieceParts* parts = &build->parts;
	const int32_t* groups = build->def->groups;
	int32_t polygons = build->clip.polygonCells.count, caps = build->caps.faceCells.count / 2;
	for (int32_t cap = 0; cap < caps; ++cap)
	{
		int32_t near = parts->entryParts[polygons + 2 * cap], far = parts->entryParts[polygons + 2 * cap + 1];
		near = near >= 0 ? parts->partOwners.data[near] : -1;
		far = far >= 0 ? parts->partOwners.data[far] : -1;
		if (near < 0 || far < 0)
		{
			continue;
		}
		int32_t group = groups[parts->partCells.data[near]];
		int32_t x = shatterFind(parents, near), y = shatterFind(parents, far);
		if (group >= 0 && group == groups[parts->partCells.data[far]] && x != y)
		{
			int32_t low = x < y ? x : y, high = x < y ? y : x;
			parents[high] = low;
			volumes[low] += volumes[high];
		}
	}
}

// Parts become pieces, numbered by their lowest part.
static brResult shatterNumber(ShatterBuild* build, double modelVolume, brReport* report)
{
	const brPieceParts* parts = &build->parts;
	const brAllocator* a = &build->allocator;
	int32_t count = parts->partCount;
	int32_t* parents = BR_ALLOC(a, int32_t, count);
	double* volumes = BR_ALLOC(a, double, count);
	build->partPieces = BR_ALLOC(a, int32_t, count);
	brResult result =
		parents == NULL || volumes == NULL || build->partPieces == NULL ? brFailMemory(report) : br_success;
	if (result >= 0)
	{
		double toModel = 1.0 / (build->scale.x * build->scale.y * build->scale.z);
		for (int32_t p = 0; p < count; ++p)
		{
			parents[p] = p;
			volumes[p] = toModel * parts->partVolumes.data[p];
		}
		if (build->def->groups != NULL)
		{
			shatterJoinGroups(build, parents, volumes);
		}
		if (build->def->smallest > 0.0)
		{
			result = shatterMerge(build, parents, volumes, build->def->smallest * fabs(modelVolume), report);
		}
	}
	int32_t pieces = 0;
	for (int32_t p = 0; result >= 0 && p < count; ++p)
	{
		bool isPiece = parts->partOwners.data[p] == p && parents[p] == p;
		build->partPieces[p] = isPiece ? pieces++ : -1;
	}
	for (int32_t p = 0; result >= 0 && p < count; ++p)
	{
		int32_t owner = parts->partOwners.data[p];
		if (owner >= 0 && build->partPieces[p] < 0)
		{
			build->partPieces[p] = build->partPieces[shatterFind(parents, owner)];
		}
	}
	build->shatter->pieceCount = pieces;
	BR_FREE(a, parents, count);
	BR_FREE(a, volumes, count);
	return result;
}

// The piece of a face, or -1 for faces of crumbs and those between parts of one piece.
static int32_t shatterEntryPiece(const ShatterBuild* build, int32_t entry)
{
	const brPieceParts* parts = &build->parts;
	int32_t polygons = build->clip.polygonCells.count;
	int32_t part = parts->entryParts[entry];
	int32_t piece = part >= 0 ? build->partPieces[part] : -1;
	if (entry >= polygons && piece >= 0)
	{
		int32_t other = parts->entryParts[polygons + ((entry - polygons) ^ 1)];
		piece = other >= 0 && build->partPieces[other] == piece ? -1 : piece;
	}
	return piece;
}

static bool shatterSortEntries(ShatterBuild* build)
{
	const brAllocator* a = &build->allocator;
	int32_t pieces = build->shatter->pieceCount;
	build->entryStarts = BR_ALLOC_ZERO(a, int32_t, (int64_t)pieces + 1);
	build->entries = BR_ALLOC(a, int32_t, build->parts.entryCount);
	build->entryTotal = build->parts.entryCount;
	if (build->entryStarts == NULL || build->entries == NULL)
	{
		return false;
	}
	for (int32_t entry = 0; entry < build->parts.entryCount; ++entry)
	{
		int32_t piece = shatterEntryPiece(build, entry);
		build->entryStarts[piece + 1] += piece >= 0;
	}
	for (int32_t p = 0; p < pieces; ++p)
	{
		build->entryStarts[p + 1] += build->entryStarts[p];
	}
	for (int32_t entry = 0; entry < build->parts.entryCount; ++entry)
	{
		int32_t piece = shatterEntryPiece(build, entry);
		if (piece >= 0)
		{
			build->entries[build->entryStarts[piece]++] = entry;
		}
	}
	memmove(build->entryStarts + 1, build->entryStarts, (size_t)pieces * sizeof(int32_t));
	build->entryStarts[0] = 0;
	return true;
}

// Attributes of a corner of the surface, interpolated in its triangle.
static void shatterCornerAttributes(const ShatterBuild* build, brMesh* out, int32_t corner, int32_t triangle,
									int32_t point)
{
	const brMesh* mesh = build->mesh;
	const int32_t* corners = build->clip.triangles->corners + 3 * (int64_t)triangle;
	double parts[3];
	brSurfaceClip_Parts(&build->clip, triangle, point, brPieceParts_Position(&build->parts, point), parts);
	double u = 0.0, v = 0.0;
	brDVec3 normal = {0.0, 0.0, 0.0};
	for (int32_t n = 0; n < 3; ++n)
	{
		if (mesh->uvs != NULL)
		{
			u += parts[n] * (double)mesh->uvs[corners[n]].x;
			v += parts[n] * (double)mesh->uvs[corners[n]].y;
		}
		if (mesh->normals != NULL)
		{
			normal = brDMulAdd(normal, parts[n], brToDVec3(mesh->normals[corners[n]]));
		}
	}
	out->uvs[corner] = (brVec2){(float)u, (float)v};
	if (out->normals != NULL)
	{
		out->normals[corner] = brToVec3(brDNormalize(normal));
	}
}

// Colour of a new vertex, from the triangle that it was made on; inside the model the colours stop at white.
static brVec4 shatterColor(const ShatterBuild* build, int32_t point)
{
	const brMesh* mesh = build->mesh;
	int32_t made = point - mesh->vertexCount;
	if (made < 0)
	{
		return mesh->colors[point];
	}
	if (made >= build->clip.points.count)
	{
		return (brVec4){1.0f, 1.0f, 1.0f, 1.0f};
	}
	const brClipPoint* p = &build->clip.points.data[made];
	double sum[4] = {0.0, 0.0, 0.0, 0.0};
	for (int32_t n = 0; n < 3; ++n)
	{
		brVec4 color = mesh->colors[brSurfaceClip_Vertex(&build->clip, p->triangle, n)];
		sum[0] += p->parts[n] * (double)color.x, sum[1] += p->parts[n] * (double)color.y;
		sum[2] += p->parts[n] * (double)color.z, sum[3] += p->parts[n] * (double)color.w;
	}
	return (brVec4){(float)sum[0], (float)sum[1], (float)sum[2], (float)sum[3]};
}

// The plane of a cap in the model: unit normal out of the lower cell, and two axes for its UVs.
static void shatterCapFrame(const ShatterBuild* build, int32_t cap, brDVec3* outNormal, brDVec3* outU, brDVec3* outV)
{
	const int32_t* cells = build->caps.faceCells.data + 2 * (int64_t)cap;
	brDVec3 n = brDSub(build->voronoi->sites[cells[1]], build->voronoi->sites[cells[0]]);
	// Normals go through a stretch by its inverse transpose.
	n = brDNormalize(brMakeDVec3(n.x * build->scale.x, n.y * build->scale.y, n.z * build->scale.z));
	brDVec3 other = fabs(n.z) < 0.75 ? brMakeDVec3(0.0, 0.0, 1.0) : brMakeDVec3(1.0, 0.0, 0.0);
	*outNormal = n;
	*outU = brDNormalize(brDCross(other, n));
	*outV = brDCross(n, *outU);
}

static void shatterFillFace(const ShatterBuild* build, brMesh* out, int32_t face, int32_t entry, const int32_t* points,
							int32_t count)
{
	const brMesh* mesh = build->mesh;
	int32_t first = out->faceStarts[face];
	int32_t polygons = build->clip.polygonCells.count;
	if (entry >= polygons)
	{
		brDVec3 normal, u, v;
		shatterCapFrame(build, (entry - polygons) / 2, &normal, &u, &v);
		normal = (entry - polygons) % 2 == 1 ? brDNeg(normal) : normal;
		for (int32_t n = 0; n < count; ++n)
		{
			brDVec3 p = shatterPosition(build, points[n]);
			out->uvs[first + n] = (brVec2){(float)brDDot(u, p), (float)brDDot(v, p)};
			if (out->normals != NULL)
			{
				out->normals[first + n] = brToVec3(normal);
			}
		}
		out->faceMaterials[face] = build->interior;
		if (out->faceGroups != NULL)
		{
			out->faceGroups[face] = -1;
		}
		return;
	}
	int32_t triangle = build->clip.polygonTriangles.data[entry];
	int32_t parent = triangle < 0 ? -1 - triangle : build->clip.triangles->faces[triangle];
	out->faceMaterials[face] = mesh->faceMaterials != NULL ? mesh->faceMaterials[parent]
							   : mesh->materialCount > 0   ? 0
														   : -1;
	if (out->faceGroups != NULL)
	{
		out->faceGroups[face] = mesh->faceGroups[parent];
	}
	for (int32_t n = 0; n < count; ++n)
	{
		if (triangle >= 0)
		{
			shatterCornerAttributes(build, out, first + n, triangle, points[n]);
			continue;
		}
		int32_t corner = mesh->faceStarts[parent] + n; // a whole face keeps all its corners
		out->uvs[first + n] = mesh->uvs != NULL ? mesh->uvs[corner] : (brVec2){0.0f, 0.0f};
		if (out->normals != NULL)
		{
			out->normals[first + n] = mesh->normals[corner];
		}
	}
}

// Points that became one, merging, and models that touch themselves may pinch a piece at a vertex or an edge; such places are
// taken apart.
static brResult shatterUntangle(const ShatterBuild* build, brMesh** mesh)
{
	brMeshCheck check;
	brContext context = {.allocator = &build->allocator};
	brResult result = brCheckTopology(&context, *mesh, &check, NULL);
	if (result < 0 || (check.nonmanifoldEdges == 0 && check.nonmanifoldVertices == 0 && check.repeatedIndexFaces == 0))
	{
		return result;
	}
	brRepairDef repair = brDefaultRepairDef();
	repair.weld = repair.orient = repair.dropDuplicates = false;
	brMesh* mended = NULL;
	result = brRepairMesh(&context, *mesh, &repair, &mended, NULL, NULL);
	if (result >= 0)
	{
		brDestroyMesh(*mesh);
		*mesh = mended;
	}
	return result;
}

// A flat piece has no hull, which is no failure.
static brResult shatterMakeHull(const ShatterBuild* build, brPiece* piece)
{
	brContext context = {.allocator = &build->allocator};
	brDBox3 box = brMesh_Bounds(piece->mesh);
	double tolerance = SHATTER_HULL_FLAT * brDLength(brDSub(box.upper, box.lower));
	brResult result =
		brMakeHull(&context, piece->mesh->positions, piece->mesh->vertexCount, tolerance, &piece->hull, NULL);
	return result == br_errorMemory ? result : br_success;
}

static brResult shatterMakePiece(const ShatterBuild* build, ShatterScratch* scratch, int32_t index)
{
	const brMesh* mesh = build->mesh;
	brPiece* piece = &build->shatter->pieces[index];
	brMeshShape shape = {.materialCount = build->interior + 1, .groupCount = mesh->groupCount};
	shape.materialCount = shape.materialCount > mesh->materialCount ? shape.materialCount : mesh->materialCount;
	shape.hasUvs = shape.hasFaceMaterials = true;
	shape.hasNormals = mesh->normals != NULL, shape.hasColors = mesh->colors != NULL;
	shape.hasFaceGroups = mesh->faceGroups != NULL;
	int32_t begin = build->entryStarts[index], end = build->entryStarts[index + 1];
	piece->site = INT32_MAX;
	for (int32_t e = begin; e < end; ++e)
	{
		int32_t count = brPieceParts_Face(&build->parts, build->entries[e], scratch->corners);
		++shape.faceCount;
		shape.cornerCount += count;
		for (int32_t n = 0; n < count; ++n)
		{
			int32_t point = scratch->corners[n];
			if (scratch->stamps[point] != index + 1)
			{
				scratch->stamps[point] = index + 1;
				scratch->locals[point] = shape.vertexCount++;
			}
		}
		int32_t cell = build->parts.partCells.data[build->parts.entryParts[build->entries[e]]];
		piece->site = cell < piece->site ? cell : piece->site;
	}
	brMesh* out = brAllocMesh(&build->allocator, &shape);
	if (out == NULL)
	{
		return br_errorMemory;
	}
	for (int32_t e = begin; e < end; ++e)
	{
		int32_t face = e - begin;
		int32_t count = brPieceParts_Face(&build->parts, build->entries[e], scratch->corners);
		out->faceStarts[face + 1] = out->faceStarts[face] + count;
		for (int32_t n = 0; n < count; ++n)
		{
			int32_t point = scratch->corners[n], local = scratch->locals[point];
			out->corners[out->faceStarts[face] + n] = local;
			out->positions[local] = shatterPosition(build, point);
			if (out->colors != NULL)
			{
				out->colors[local] = shatterColor(build, point);
			}
		}
		shatterFillFace(build, out, face, build->entries[e], scratch->corners, count);
	}
	for (int32_t n = 0; n < mesh->materialCount; ++n)
	{
		out->materials[n] = mesh->materials[n];
	}
	out->materials[build->interior] = build->def->interior;
	if (mesh->groupCount > 0)
	{
		memcpy(out->groupNames, mesh->groupNames, (size_t)mesh->groupCount * sizeof(mesh->groupNames[0]));
	}
	piece->mesh = out;
	brResult result = shatterUntangle(build, &piece->mesh);
	piece->mass = brMesh_Mass(piece->mesh, build->def->density);
	if (result >= 0 && build->def->makeHulls)
	{
		result = shatterMakeHull(build, piece);
	}
	return result;
}

static void shatterRunPieces(int32_t begin, int32_t end, int32_t worker, void* user)
{
	ShatterBuild* build = user;
	for (int32_t piece = begin; piece < end; ++piece)
	{
		build->failures[piece] = shatterMakePiece(build, &build->scratch[worker], piece);
	}
}

static brResult shatterMakeBonds(ShatterBuild* build, brReport* report)
{
	const brAllocator* a = &build->allocator;
	ShatterContact* contacts = NULL;
	int32_t count = 0, capacity = 0;
	brResult result = shatterContacts(build, build->partPieces, &contacts, &count, &capacity, report);
	if (result < 0)
	{
		return result;
	}
	int32_t kept = 0;
	for (int32_t n = 0; n < count; ++n)
	{
		kept += contacts[n].area > 0.0;
	}
	build->shatter->bonds = BR_ALLOC(a, brBond, kept);
	build->shatter->bondCount = kept;
	if (build->shatter->bonds == NULL)
	{
		result = brFailMemory(report);
	}
	for (int32_t n = 0, b = 0; result >= 0 && n < count; ++n)
	{
		const ShatterContact* contact = &contacts[n];
		if (contact->area > 0.0)
		{
			build->shatter->bonds[b++] = (brBond){{contact->pieces[0], contact->pieces[1]},
												  contact->area,
												  brDMul(1.0 / contact->area, contact->moment),
												  brDNormalize(contact->vector)};
		}
	}
	BR_FREE(a, contacts, capacity);
	return result;
}

static brResult shatterAssemble(ShatterBuild* build, brReport* report)
{
	const brAllocator* a = &build->allocator;
	brShatter* shatter = build->shatter;
	brWorkers* workers = build->context != NULL ? build->context->workers : NULL;
	for (int32_t entry = 0; entry < build->parts.entryCount; ++entry)
	{
		int32_t size = brPieceParts_FaceSize(&build->parts, entry);
		build->largest = size > build->largest ? size : build->largest;
	}
	// A piece that is broken again has the interior material already.
	for (build->interior = 0; build->interior < build->mesh->materialCount; ++build->interior)
	{
		if (memcmp(&build->mesh->materials[build->interior], &build->def->interior, sizeof(brSurfaceMaterial)) == 0)
		{
			break;
		}
	}
	brResult result = shatterNumber(build, shatter->volumeIn, report);
	if (result < 0)
	{
		return result;
	}
	shatter->crumbCount = build->parts.crumbCount;
	shatter->volumeIn -= build->clip.fanExcess / (build->scale.x * build->scale.y * build->scale.z);
	shatter->pieces = BR_ALLOC_ZERO(a, brPiece, shatter->pieceCount);
	build->failures = BR_ALLOC_ZERO(a, int32_t, shatter->pieceCount);
	build->scratchCount = brWorkers_Count(workers);
	build->scratch = BR_ALLOC_ZERO(a, ShatterScratch, build->scratchCount);
	bool done =
		shatter->pieces != NULL && build->failures != NULL && build->scratch != NULL && shatterSortEntries(build);
	for (int32_t i = 0; done && i < build->scratchCount; ++i)
	{
		build->scratch[i].locals = BR_ALLOC(a, int32_t, build->parts.pointCount);
		build->scratch[i].stamps = BR_ALLOC_ZERO(a, int32_t, build->parts.pointCount);
		build->scratch[i].corners = BR_ALLOC(a, int32_t, build->largest);
		done =
			build->scratch[i].locals != NULL && build->scratch[i].stamps != NULL && build->scratch[i].corners != NULL;
	}
	if (!done)
	{
		return brFailMemory(report);
	}
	brParallelFor(workers, shatter->pieceCount, 4, shatterRunPieces, build);
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		if (build->failures[i] < 0)
		{
			return brFailMemory(report);
		}
		shatter->volumeOut += shatter->pieces[i].mass.volume;
	}
	result = shatterMakeBonds(build, report);
	if (result >= 0 && build->def->clusterSize > 0 &&
		brShatter_AddLevels(shatter, build->def->clusterSize, build->def->levelCount) < 0)
	{
		result = brFailMemory(report);
	}
	return result;
}

static brResult shatterRefuse(const brShatterDef* def, brReport* report)
{
	if (def->stamp != BR_STAMP)
	{
		return brFail(report, br_errorMisuse, "start a brShatterDef from brDefaultShatterDef()");
	}
	if (def->siteCount < 1 || def->siteCount > SHATTER_MOST_SITES || def->sites == NULL)
	{
		return brFail(report, br_errorMisuse, "%d sites given, possible are 1 to %d", def->siteCount,
					  SHATTER_MOST_SITES);
	}
	const double stretch[3] = {def->stretch.x, def->stretch.y, def->stretch.z};
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		if (!(stretch[axis] >= 1.0 / 1024.0 && stretch[axis] <= 1024.0))
		{
			return brFail(report, br_errorMisuse, "stretch %g of the cells is not within 1/1024 and 1024",
						  stretch[axis]);
		}
	}
	if (!(def->smallest >= 0.0 && def->smallest <= 1.0) || !(def->density > 0.0 && def->density < INFINITY))
	{
		return brFail(report, br_errorMisuse, "smallest share %g or density %g is out of range", def->smallest,
					  def->density);
	}
	if (def->clusterSize < 0 || def->clusterSize == 1 || def->levelCount < 1 ||
		def->levelCount > BR_SHATTER_MOST_LEVELS)
	{
		return brFail(report, br_errorMisuse, "clusters of %d, %d levels: possible are 2 or more, and 1 to %d levels",
					  def->clusterSize, def->levelCount, BR_SHATTER_MOST_LEVELS);
	}
	for (int32_t i = 0; i < def->siteCount; ++i)
	{
		if (!brDIsFinite(def->sites[i]))
		{
			return brFailAt(report, br_errorGeometry, i, "site %d is not finite", i);
		}
	}
	return br_success;
}

brResult brCreateShatter(const brContext* context, const brMesh* mesh, const brShatterDef* def, brShatter** outShatter,
						 brReport* report)
{
	brResult result = shatterRefuse(def, report);
	if (result < 0)
	{
		return result;
	}
	ShatterBuild build = {.context = context, .allocator = brContext_Allocator(context), .def = def};
	build.shatter = BR_ALLOC_ZERO(&build.allocator, brShatter, 1);
	if (build.shatter == NULL)
	{
		return brFailMemory(report);
	}
	build.shatter->allocator = build.allocator;
	result = shatterPrepareMesh(&build, mesh, report);
	if (result >= 0)
	{
		result = shatterCut(&build, report);
	}
	if (result >= 0)
	{
		result = shatterAssemble(&build, report);
	}
	shatterFree(&build);
	if (result < 0)
	{
		brDestroyShatter(build.shatter);
		return result;
	}
	*outShatter = build.shatter;
	return brSucceed(report);
}
