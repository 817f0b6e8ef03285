// SPDX-License-Identifier: MIT

// Parts of a split as pieces: meshes with the attributes of the model where they were its surface, and the interior
// material on cuts.

#include "base/report.h"
#include "fracture/pieces.h"
#include "fracture/split.h"
#include "mesh/hull.h"
#include "mesh/mesh_build.h"

#include <math.h>
#include <string.h>

#define SPLIT_HULL_FLAT 1e-9 // of a piece's size: hull faces within it are one

typedef struct SplitBuild
{
	const brSplit* split;
	const brSplitPieceDef* def;
	brShatter* shatter;
	const int32_t* pieceOf; // by part, or -1
	int32_t interior;       // material of cut faces
	int32_t* failures;      // [1 + pieceCount] 0 or a brResult: of the bonds, and of each piece
} SplitBuild;

// Shares of the three corners of a triangle of the model in a point on it.
static void splitShares(const brSplit* split, int32_t triangle, const brSplitPart* part, int32_t point, double out[3])
{
	const int32_t* c = split->triangles->corners + 3 * (int64_t)triangle;
	const brMesh* mesh = split->mesh;
	for (int32_t n = 0; n < 3; ++n)
	{
		if (mesh->corners[c[n]] == part->origins[point])
		{
			out[0] = n == 0, out[1] = n == 1, out[2] = n == 2;
			return;
		}
	}
	brDVec3 a = mesh->positions[mesh->corners[c[0]]], p = brDSub(part->points[point], a);
	brDVec3 ab = brDSub(mesh->positions[mesh->corners[c[1]]], a), ac = brDSub(mesh->positions[mesh->corners[c[2]]], a);
	brDVec3 normal = brDCross(ab, ac);
	double square = brDLengthSq(normal);
	double v = square > 0.0 ? brDDot(normal, brDCross(p, ac)) / square : 0.0;
	double w = square > 0.0 ? brDDot(normal, brDCross(ab, p)) / square : 0.0;
	v = fmin(fmax(v, 0.0), 1.0), w = fmin(fmax(w, 0.0), 1.0 - v);
	out[0] = 1.0 - v - w, out[1] = v, out[2] = w;
}

static void splitFillSurface(const SplitBuild* build, const brSplitPart* part, int32_t face, brMesh* out)
{
	const brSplitTriangle* triangle = &part->triangles[face];
	const brSplit* split = build->split;
	const brMesh* mesh = split->mesh;
	const int32_t* c = split->triangles->corners + 3 * (int64_t)triangle->source;
	int32_t parent = split->triangles->faces[triangle->source];
	int32_t plain = mesh->materialCount > 0 ? 0 : -1;
	out->faceMaterials[face] = mesh->faceMaterials != NULL ? mesh->faceMaterials[parent] : plain;
	if (out->faceGroups != NULL)
	{
		out->faceGroups[face] = mesh->faceGroups[parent];
	}
	// What no cut went through is as it was.
	bool isWhole = true;
	for (int32_t k = 0; k < 3; ++k)
	{
		isWhole = isWhole && part->origins[triangle->corners[k]] == mesh->corners[c[k]];
	}
	for (int32_t k = 0; isWhole && k < 3; ++k)
	{
		out->uvs[3 * face + k] = mesh->uvs != NULL ? mesh->uvs[c[k]] : (brVec2){0.0f, 0.0f};
		if (out->normals != NULL)
		{
			out->normals[3 * face + k] = mesh->normals[c[k]];
		}
	}
	for (int32_t k = 0; k < 3 && !isWhole && (mesh->uvs != NULL || mesh->normals != NULL); ++k)
	{
		double shares[3], u = 0.0, v = 0.0;
		splitShares(split, triangle->source, part, triangle->corners[k], shares);
		brDVec3 normal = {0.0, 0.0, 0.0};
		for (int32_t n = 0; n < 3; ++n)
		{
			u += mesh->uvs != NULL ? shares[n] * (double)mesh->uvs[c[n]].x : 0.0;
			v += mesh->uvs != NULL ? shares[n] * (double)mesh->uvs[c[n]].y : 0.0;
			normal = mesh->normals != NULL ? brDMulAdd(normal, shares[n], brToDVec3(mesh->normals[c[n]])) : normal;
		}
		out->uvs[3 * face + k] = (brVec2){(float)u, (float)v};
		if (out->normals != NULL)
		{
			out->normals[3 * face + k] = brToVec3(brDNormalize(normal));
		}
	}
}

static void splitFillCut(const SplitBuild* build, const brSplitPart* part, int32_t face, brMesh* out)
{
	const brSplitTriangle* triangle = &part->triangles[face];
	const brSplit* split = build->split;
	const brSplitShape* shape = &split->cuts.data[split->faces.data[(-1 - triangle->source) / 2].cut];
	const brDVec3* at = part->points;
	const int32_t* c = triangle->corners;
	brDVec3 normal = brDNormalize(brDCross(brDSub(at[c[1]], at[c[0]]), brDSub(at[c[2]], at[c[0]])));
	out->faceMaterials[face] = build->interior;
	if (out->faceGroups != NULL)
	{
		out->faceGroups[face] = -1;
	}
	for (int32_t k = 0; k < 3; ++k)
	{
		brDVec2 place = brSplitShape_Project(shape, at[c[k]]);
		out->uvs[3 * face + k] = (brVec2){(float)place.x, (float)place.y};
		if (out->normals != NULL)
		{
			out->normals[3 * face + k] = brToVec3(normal);
		}
	}
}

// Color of a vertex on the model's surface.
static brVec4 splitColor(const brSplit* split, const brSplitPart* part, const brSplitTriangle* triangle, int32_t point)
{
	const brMesh* mesh = split->mesh;
	if (part->origins[point] >= 0)
	{
		return mesh->colors[part->origins[point]];
	}
	double shares[3], sum[4] = {0.0, 0.0, 0.0, 0.0};
	splitShares(split, triangle->source, part, point, shares);
	for (int32_t n = 0; n < 3; ++n)
	{
		brVec4 color = mesh->colors[mesh->corners[split->triangles->corners[3 * (int64_t)triangle->source + n]]];
		sum[0] += shares[n] * (double)color.x, sum[1] += shares[n] * (double)color.y;
		sum[2] += shares[n] * (double)color.z, sum[3] += shares[n] * (double)color.w;
	}
	return (brVec4){(float)sum[0], (float)sum[1], (float)sum[2], (float)sum[3]};
}

static brMesh* splitMakeMesh(const SplitBuild* build, const brSplitPart* part)
{
	const brSplit* split = build->split;
	const brMesh* mesh = split->mesh;
	brMeshShape shape = brMakeShapeLike(mesh, part->pointCount, part->count, 3 * part->count);
	shape.materialCount = build->interior < mesh->materialCount ? mesh->materialCount : build->interior + 1;
	shape.hasUvs = shape.hasFaceMaterials = true;
	brMesh* out = brAllocMesh(&split->allocator, &shape);
	for (int32_t v = 0; out != NULL && v < shape.vertexCount; ++v)
	{
		out->positions[v] = part->points[v];
		if (out->colors != NULL)
		{
			out->colors[v] = (brVec4){1.0f, 1.0f, 1.0f, 1.0f};
		}
	}
	for (int32_t t = 0; out != NULL && t < part->count; ++t)
	{
		const brSplitTriangle* triangle = &part->triangles[t];
		out->faceStarts[t + 1] = 3 * (t + 1);
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t point = triangle->corners[k];
			out->corners[3 * t + k] = point;
			if (out->colors != NULL && triangle->source >= 0)
			{
				out->colors[point] = splitColor(split, part, triangle, point);
			}
		}
		if (triangle->source >= 0)
		{
			splitFillSurface(build, part, t, out);
		}
		else
		{
			splitFillCut(build, part, t, out);
		}
	}
	if (out != NULL)
	{
		brMesh_InheritLists(out, mesh);
	}
	return out;
}

// Pinches are where cuts are: round vertices of the model nothing has changed. Fails without memory.
static brResult splitUntangle(const brSplitPart* part, const brAllocator* allocator, brMesh** mesh)
{
	bool* suspects = BR_ALLOC(allocator, bool, part->pointCount);
	for (int32_t v = 0; suspects != NULL && v < part->pointCount; ++v)
	{
		suspects[v] = part->origins[v] < 0;
	}
	brResult result = suspects != NULL ? brUntangle(allocator, suspects, mesh) : br_errorMemory;
	BR_FREE(allocator, suspects, part->pointCount);
	return result;
}

static brResult splitMakePiece(const SplitBuild* build, int32_t index)
{
	const brSplit* split = build->split;
	brPiece* piece = &build->shatter->pieces[index];
	const brSplitPart* part = &split->parts.data[piece->site];
	piece->mesh = splitMakeMesh(build, part);
	if (piece->mesh == NULL)
	{
		return br_errorMemory;
	}
	piece->mesh->materials[build->interior] = *build->def->interior;
	brResult result = splitUntangle(part, &split->allocator, &piece->mesh);
	if (result < 0)
	{
		return result;
	}
	piece->mass = brMesh_ComputeMass(piece->mesh, build->def->density);
	if (!build->def->makeHulls)
	{
		return br_success;
	}
	brContext context = {.allocator = &split->allocator};
	brDBox3 box = brMesh_ComputeBounds(piece->mesh);
	double tolerance = SPLIT_HULL_FLAT * brDLength(brDSub(box.upper, box.lower));
	result = brMakeHull(&context, piece->mesh->positions, piece->mesh->vertexCount, tolerance, &piece->hull, NULL);
	return result == br_errorMemory ? result : br_success; // a flat piece has no hull
}

// Bonds first, which take longer than most pieces and want to know nothing of them.
static void splitRunPieces(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	SplitBuild* build = user;
	for (int32_t i = begin; i < end; ++i)
	{
		bool isBonds = i == 0 && build->def->makeBonds;
		build->failures[i] = isBonds ? brSplit_MakeBonds(build->split, build->pieceOf, build->shatter, NULL)
							 : i > 0 ? splitMakePiece(build, i - 1)
									 : br_success;
	}
}

// The material of cut faces in all pieces: that of the def if the model has it already.
static int32_t splitInterior(const brMesh* mesh, const brSurfaceMaterial* interior)
{
	for (int32_t n = 0; n < mesh->materialCount; ++n)
	{
		if (memcmp(&mesh->materials[n], interior, sizeof(*interior)) == 0)
		{
			return n;
		}
	}
	return mesh->materialCount;
}

static brResult splitMakePieces(SplitBuild* build)
{
	const brSplit* split = build->split;
	const brAllocator* a = &split->allocator;
	brWorkers* workers = split->context != NULL ? split->context->workers : NULL;
	int32_t result = br_success, pieces = build->shatter->pieceCount;
	build->failures = BR_ALLOC_ZERO(a, int32_t, 1 + (int64_t)pieces);
	bool isGood = build->failures != NULL;
	if (isGood)
	{
		brParallelFor(workers, 1 + pieces, 1, splitRunPieces, build);
	}
	for (int32_t i = 0; isGood && i <= pieces; ++i)
	{
		result = build->failures[i] < 0 ? build->failures[i] : result;
		build->shatter->volumeOut += i > 0 ? build->shatter->pieces[i - 1].mass.volume : 0.0;
	}
	BR_FREE(a, build->failures, 1 + (int64_t)pieces);
	return isGood ? (brResult)result : br_errorMemory;
}

brResult brSplit_ToShatter(brSplit* split, const brSplitPieceDef* def, brShatter** outShatter, brReport* report)
{
	const brAllocator* a = &split->allocator;
	SplitBuild build = {.split = split, .def = def, .interior = splitInterior(split->mesh, def->interior)};
	build.shatter = BR_ALLOC_ZERO(a, brShatter, 1);
	int32_t* pieceOf = BR_ALLOC(a, int32_t, split->parts.count);
	brResult result = build.shatter != NULL && pieceOf != NULL ? br_success : br_errorMemory;
	if (build.shatter != NULL)
	{
		build.shatter->allocator = *a;
	}
	if (result >= 0)
	{
		build.shatter->volumeIn = split->parts.data[0].volume;
		double least = BR_SPLIT_NOTHING * fabs(build.shatter->volumeIn);
		int32_t count = 0;
		for (int32_t p = 0; p < split->parts.count; ++p)
		{
			const brSplitPart* part = &split->parts.data[p];
			bool isPiece = part->triangles != NULL && part->volume > least;
			build.shatter->crumbCount += part->triangles != NULL && !isPiece;
			pieceOf[p] = isPiece ? count++ : -1;
		}
		build.shatter->pieces = BR_ALLOC_ZERO(a, brPiece, count);
		build.shatter->pieceCount = build.shatter->pieces != NULL ? count : 0;
		for (int32_t p = 0; build.shatter->pieces != NULL && p < split->parts.count; ++p)
		{
			if (pieceOf[p] >= 0)
			{
				build.shatter->pieces[pieceOf[p]].site = p;
				build.shatter->pieces[pieceOf[p]].isDust = split->parts.data[p].isDust;
				build.shatter->pieces[pieceOf[p]].isPlug = split->parts.data[p].isPlug;
			}
		}
		build.pieceOf = pieceOf;
		result = build.shatter->pieces != NULL ? splitMakePieces(&build) : br_errorMemory;
	}
	BR_FREE(a, pieceOf, split->parts.count);
	if (result < 0)
	{
		brDestroyShatter(build.shatter);
		return brFailMemory(report);
	}
	*outShatter = build.shatter;
	return br_success;
}
