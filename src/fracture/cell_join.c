// SPDX-License-Identifier: MIT

// Neighboring cells of a cut share their cap to the bit, one seeing it from each side. So cells join by dropping the
// pairs of faces that are each other's reverse, and what is left is closed: no cut, no rounding, no new line on any
// face, however often a body falls apart.
//
// Faces are matched by the numbers of their corners after equal positions have become one: a hash of the set of corners
// brings the two together, and corner by corner they are compared. Time is that of sorting the faces.

#include "fracture/cell_join.h"
#include "base/forest.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/sort.h"
#include "fracture/pieces.h"
#include "mesh/mesh_build.h"
#include "mesh/weld.h"

#include <string.h>

typedef struct JoinWork
{
	brAllocator allocator;
	const brCellJoin* def;
	brMesh* all;       // every cell, one after the other
	int32_t* vertices; // [all->vertexCount] the lowest vertex at the same place
	int32_t* faceCell; // [all->faceCount]
	int32_t* twins;    // [all->faceCount] the same face seen from the other side, or -1
	uint64_t* keys;    // [2 faceCount]
	uint32_t* order;   // [2 faceCount]
	int32_t* parents;  // [cellCount] union-find
	int32_t* locals;   // [all->vertexCount] vertex of the piece at work
	int32_t* stamps;   // [all->vertexCount] piece + 1
} JoinWork;

static bool joinAlloc(JoinWork* work)
{
	const brAllocator* a = &work->allocator;
	int64_t vertices = work->all->vertexCount, faces = work->all->faceCount;
	work->vertices = BR_ALLOC(a, int32_t, vertices);
	work->faceCell = BR_ALLOC(a, int32_t, faces);
	work->twins = BR_ALLOC(a, int32_t, faces);
	work->keys = BR_ALLOC(a, uint64_t, 2 * faces);
	work->order = BR_ALLOC(a, uint32_t, 2 * faces);
	work->parents = BR_ALLOC(a, int32_t, work->def->cellCount);
	work->locals = BR_ALLOC(a, int32_t, vertices);
	work->stamps = BR_ALLOC_ZERO(a, int32_t, vertices);
	return work->vertices != NULL && work->faceCell != NULL && work->twins != NULL && work->keys != NULL &&
		   work->order != NULL && work->parents != NULL && work->locals != NULL && work->stamps != NULL;
}

static void joinFree(JoinWork* work)
{
	const brAllocator* a = &work->allocator;
	if (work->all == NULL)
	{
		return;
	}
	int64_t vertices = work->all->vertexCount, faces = work->all->faceCount;
	BR_FREE(a, work->vertices, vertices);
	BR_FREE(a, work->faceCell, faces);
	BR_FREE(a, work->twins, faces);
	BR_FREE(a, work->keys, 2 * faces);
	BR_FREE(a, work->order, 2 * faces);
	BR_FREE(a, work->parents, work->def->cellCount);
	BR_FREE(a, work->locals, vertices);
	BR_FREE(a, work->stamps, vertices);
	brDestroyMesh(work->all);
}

// The same for both ways round and from any first corner.
static uint64_t joinFaceKey(const JoinWork* work, int32_t face)
{
	const brMesh* all = work->all;
	uint64_t sum = (uint64_t)brMesh_GetFaceSize(all, face);
	for (int32_t c = all->faceStarts[face]; c < all->faceStarts[face + 1]; ++c)
	{
		sum += brHash64((uint64_t)work->vertices[all->corners[c]] + 1);
	}
	return sum;
}

// Has g the corners of f in the opposite order?
static bool joinIsReverse(const JoinWork* work, int32_t f, int32_t g)
{
	const brMesh* all = work->all;
	int32_t size = brMesh_GetFaceSize(all, f), at = 0;
	const int32_t *a = all->corners + all->faceStarts[f], *b = all->corners + all->faceStarts[g];
	if (brMesh_GetFaceSize(all, g) != size)
	{
		return false;
	}
	while (at < size && work->vertices[b[at]] != work->vertices[a[0]])
	{
		at += 1;
	}
	for (int32_t k = 0; k < size; ++k)
	{
		if (at == size || work->vertices[a[k]] != work->vertices[b[(at - k + size) % size]])
		{
			return false;
		}
	}
	return true;
}

// Each face finds the one that is its reverse in another cell.
static bool joinMatch(JoinWork* work)
{
	int32_t count = work->all->faceCount;
	for (int32_t f = 0; f < count; ++f)
	{
		work->keys[f] = joinFaceKey(work, f);
		work->order[f] = (uint32_t)f;
		work->twins[f] = -1;
	}
	if (!brSortPairs64(NULL, &work->allocator, work->keys, work->order, work->keys + count, work->order + count, count))
	{
		return false;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t f = (int32_t)work->order[i];
		for (int32_t k = i + 1; k < count && work->keys[k] == work->keys[i] && work->twins[f] < 0; ++k)
		{
			int32_t g = (int32_t)work->order[k];
			if (work->twins[g] < 0 && work->faceCell[f] != work->faceCell[g] && joinIsReverse(work, f, g))
			{
				work->twins[f] = g, work->twins[g] = f;
			}
		}
	}
	return true;
}

// Cells of a group that share a face are one piece; pieces are numbered by their lowest cell. Returns how many there
// are.
static int32_t joinNumber(JoinWork* work, int32_t* outPieces)
{
	const brCellJoin* def = work->def;
	brResetForest(work->parents, def->cellCount);
	for (int32_t f = 0; f < work->all->faceCount; ++f)
	{
		int32_t a = work->faceCell[f], b = work->twins[f] >= 0 ? work->faceCell[work->twins[f]] : a;
		if (a < b && def->groups[def->sites[a]] == def->groups[def->sites[b]])
		{
			brJoinRoots(work->parents, a, b);
		}
	}
	int32_t count = 0;
	for (int32_t i = 0; i < def->cellCount; ++i)
	{
		int32_t root = brFindRoot(work->parents, i);
		outPieces[i] = root == i ? count++ : outPieces[root];
	}
	return count;
}

static bool joinIsInner(const JoinWork* work, const int32_t* pieces, int32_t face)
{
	int32_t twin = work->twins[face];
	return twin >= 0 && pieces[work->faceCell[face]] == pieces[work->faceCell[twin]];
}

// Faces of one piece but for those between its cells. `faces` [count] are all of its cells', rising.
static brMesh* joinMesh(JoinWork* work, const int32_t* pieces, int32_t piece, const uint32_t* faces, int32_t count)
{
	const brMesh* all = work->all;
	brMeshShape shape = brMakeShapeLike(all, 0, 0, 0);
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t f = (int32_t)faces[i];
		if (joinIsInner(work, pieces, f))
		{
			continue;
		}
		shape.faceCount += 1;
		shape.cornerCount += brMesh_GetFaceSize(all, f);
		for (int32_t c = all->faceStarts[f]; c < all->faceStarts[f + 1]; ++c)
		{
			int32_t vertex = work->vertices[all->corners[c]];
			if (work->stamps[vertex] != piece + 1)
			{
				work->stamps[vertex] = piece + 1;
				work->locals[vertex] = shape.vertexCount++;
			}
		}
	}
	brMesh* mesh = brAllocMesh(&work->allocator, &shape);
	for (int32_t i = 0, face = 0; mesh != NULL && i < count; ++i)
	{
		int32_t f = (int32_t)faces[i];
		if (joinIsInner(work, pieces, f))
		{
			continue;
		}
		int32_t size = brMesh_GetFaceSize(all, f), from = all->faceStarts[f], to = mesh->faceStarts[face];
		for (int32_t c = 0; c < size; ++c)
		{
			int32_t vertex = work->vertices[all->corners[from + c]], local = work->locals[vertex];
			mesh->corners[to + c] = local;
			mesh->positions[local] = all->positions[vertex];
			if (mesh->colors != NULL)
			{
				mesh->colors[local] = all->colors[vertex];
			}
			if (mesh->uvs != NULL)
			{
				mesh->uvs[to + c] = all->uvs[from + c];
			}
			if (mesh->normals != NULL)
			{
				mesh->normals[to + c] = all->normals[from + c];
			}
		}
		if (mesh->faceMaterials != NULL)
		{
			mesh->faceMaterials[face] = all->faceMaterials[f];
		}
		if (mesh->faceGroups != NULL)
		{
			mesh->faceGroups[face] = all->faceGroups[f];
		}
		mesh->faceStarts[++face] = to + size;
	}
	if (mesh != NULL)
	{
		brMesh_InheritLists(mesh, all);
	}
	return mesh;
}

// Faces sorted by piece, those of a piece rising; then a mesh for each.
static brResult joinMeshes(JoinWork* work, const int32_t* pieces, brShatter* shatter)
{
	const brCellJoin* def = work->def;
	int32_t count = work->all->faceCount;
	for (int32_t f = 0; f < count; ++f)
	{
		work->keys[f] = (uint64_t)pieces[work->faceCell[f]];
		work->order[f] = (uint32_t)f;
	}
	if (!brSortPairs64(NULL, &work->allocator, work->keys, work->order, work->keys + count, work->order + count, count))
	{
		return br_errorMemory;
	}
	for (int32_t i = def->cellCount - 1; i >= 0; --i)
	{
		shatter->pieces[pieces[i]].site = def->sites[i]; // the lowest comes last
	}
	for (int32_t piece = 0, begin = 0; piece < shatter->pieceCount; ++piece)
	{
		int32_t end = begin;
		while (end < count && work->keys[end] == (uint64_t)piece)
		{
			end += 1;
		}
		brPiece* out = &shatter->pieces[piece];
		out->mesh = joinMesh(work, pieces, piece, work->order + begin, end - begin);
		if (out->mesh == NULL || brUntangle(&work->allocator, NULL, &out->mesh) < 0)
		{
			return br_errorMemory;
		}
		out->mass = brMesh_ComputeMass(out->mesh, 1.0);
		shatter->volumeOut += out->mass.volume;
		begin = end;
	}
	return br_success;
}

// Vector area of a face, and the mean of its corners.
static brDVec3 joinFaceArea(const brMesh* mesh, int32_t face, brDVec3* outMiddle)
{
	const int32_t* corners = mesh->corners + mesh->faceStarts[face];
	int32_t size = brMesh_GetFaceSize(mesh, face);
	brDVec3 first = mesh->positions[corners[0]], sum = {0.0, 0.0, 0.0}, middle = {0.0, 0.0, 0.0};
	for (int32_t k = 1; k < size; ++k)
	{
		brDVec3 a = brDSub(mesh->positions[corners[k]], first);
		brDVec3 b = brDSub(mesh->positions[corners[(k + 1) % size]], first);
		sum = brDAdd(sum, brDCross(a, b));
		middle = brDMulAdd(middle, 1.0 / size, a);
	}
	*outMiddle = brDAdd(first, middle);
	return brDMul(0.5, sum);
}

// Faces that two pieces share, added up by pair.
static brResult joinBonds(JoinWork* work, const int32_t* pieces, brShatter* shatter)
{
	int32_t count = 0, total = work->all->faceCount;
	for (int32_t f = 0; f < total; ++f)
	{
		int32_t a = pieces[work->faceCell[f]], b = work->twins[f] >= 0 ? pieces[work->faceCell[work->twins[f]]] : a;
		if (a < b)
		{
			work->keys[count] = (uint64_t)a << 32 | (uint32_t)b;
			work->order[count++] = (uint32_t)f;
		}
	}
	if (!brSortPairs64(NULL, &work->allocator, work->keys, work->order, work->keys + total, work->order + total, count))
	{
		return br_errorMemory;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		shatter->bondCount += i == 0 || work->keys[i] != work->keys[i - 1];
	}
	shatter->bonds = BR_ALLOC_ZERO(&work->allocator, brBond, shatter->bondCount);
	if (shatter->bonds == NULL && shatter->bondCount > 0)
	{
		shatter->bondCount = 0;
		return br_errorMemory;
	}
	for (int32_t i = 0, bond = -1; i < count; ++i)
	{
		brDVec3 middle, area = joinFaceArea(work->all, (int32_t)work->order[i], &middle);
		double size = brDLength(area);
		bond += i == 0 || work->keys[i] != work->keys[i - 1];
		brBond* out = &shatter->bonds[bond];
		out->pieces[0] = (int32_t)(work->keys[i] >> 32), out->pieces[1] = (int32_t)(work->keys[i] & 0xFFFFFFFFu);
		out->area += size;
		out->center = out->area > 0.0 ? brDLerp(out->center, middle, size / out->area) : middle;
		out->normal = brDAdd(out->normal, area);
	}
	for (int32_t i = 0; i < shatter->bondCount; ++i)
	{
		shatter->bonds[i].normal = brDNormalize(shatter->bonds[i].normal);
	}
	return br_success;
}

static bool joinWeld(JoinWork* work)
{
	const brMesh* all = work->all;
	double distance = work->def->distance;
	return (distance > 0.0
				? brFindNearPositions(&work->allocator, all->positions, all->vertexCount, distance, work->vertices)
				: brFindEqualPositions(&work->allocator, all->positions, all->vertexCount, work->vertices)) >= 0;
}

static void joinNameCells(JoinWork* work)
{
	const brCellJoin* def = work->def;
	if (def->cells == NULL)
	{
		memcpy(work->faceCell, work->all->faceGroups, sizeof(int32_t) * (size_t)work->all->faceCount);
		return;
	}
	for (int32_t i = 0, face = 0; i < def->cellCount; ++i)
	{
		for (int32_t k = 0; k < def->cells[i]->faceCount; ++k)
		{
			work->faceCell[face++] = i;
		}
	}
}

brResult brJoinCells(const brContext* context, const brCellJoin* def, int32_t* outPieces, brShatter** outShatter,
					 brReport* report)
{
	JoinWork work = {.allocator = brContext_Allocator(context), .def = def};
	brContext plain = {.allocator = &work.allocator};
	brShatter* shatter = NULL;
	brResult result = def->cells != NULL ? brMergeMeshes(&plain, def->cells, def->cellCount, &work.all, report)
										 : brCopyMesh(&plain, def->groupMesh, &work.all, report);
	if (result < 0)
	{
		return result;
	}
	shatter = BR_ALLOC_ZERO(&work.allocator, brShatter, 1);
	if (shatter != NULL)
	{
		shatter->allocator = work.allocator;
		shatter->volumeIn = def->volume;
	}
	bool isDone = joinAlloc(&work) && shatter != NULL && joinWeld(&work);
	if (isDone)
	{
		joinNameCells(&work);
		isDone = joinMatch(&work);
	}
	if (isDone)
	{
		int32_t pieceCount = joinNumber(&work, outPieces);
		shatter->pieces = BR_ALLOC_ZERO(&work.allocator, brPiece, pieceCount);
		shatter->pieceCount = shatter->pieces != NULL ? pieceCount : 0;
		isDone = shatter->pieces != NULL && joinMeshes(&work, outPieces, shatter) >= 0 &&
				 joinBonds(&work, outPieces, shatter) >= 0;
	}
	joinFree(&work);
	if (!isDone)
	{
		brDestroyShatter(shatter);
		return brFailMemory(report);
	}
	*outShatter = shatter;
	return br_success;
}
