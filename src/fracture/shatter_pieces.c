// SPDX-License-Identifier: MIT

// Faces of a piece as a mesh: attributes of the model where it was its surface, the interior material on cuts.

#include "fracture/shatter_build.h"
#include "mesh/hull.h"
#include "mesh/mesh_build.h"

#include <string.h>

// Corners of a cut face are off its plane by rounding; hull faces within this share of the piece's size are one.
#define SHATTER_HULL_FLAT 1e-9

int32_t brShatterBuild_EntryPiece(const brShatterBuild* build, int32_t entry)
{
	const brPieceParts* parts = &build->parts;
	int32_t polygons = build->clip.polygonCells.count;
	if (entry < polygons && build->ringSizes[entry] < 0)
	{
		return -1;
	}
	int32_t part = parts->entryParts[entry];
	int32_t piece = part >= 0 ? build->partPieces[part] : -1;
	if (entry >= polygons && piece >= 0)
	{
		int32_t other = parts->entryParts[polygons + ((entry - polygons) ^ 1)];
		piece = other >= 0 && build->partPieces[other] == piece ? -1 : piece;
	}
	return piece;
}

bool brShatterBuild_SortEntries(brShatterBuild* build)
{
	const brAllocator* a = &build->allocator;
	int32_t count = build->parts.entryCount;
	int32_t* pieces = BR_ALLOC(a, int32_t, count);
	for (int32_t entry = 0; pieces != NULL && entry < count; ++entry)
	{
		pieces[entry] = brShatterBuild_EntryPiece(build, entry);
	}
	bool isGood = pieces != NULL && brBuckets_Make(&build->entries, a, pieces, count, build->shatter->pieceCount);
	BR_FREE(a, pieces, count);
	return isGood;
}

// Attributes of a corner of the surface, interpolated in its triangle.
static void shatterCornerAttributes(const brShatterBuild* build, brMesh* out, int32_t corner, int32_t triangle,
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

// Color of a new vertex, from the triangle that it was made on; inside the model the colors stop at white.
static brVec4 shatterColor(const brShatterBuild* build, int32_t point)
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
static void shatterCapFrame(const brShatterBuild* build, int32_t cap, brDVec3* outNormal, brDVec3* outU, brDVec3* outV)
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

static void shatterFillFace(const brShatterBuild* build, brMesh* out, int32_t face, int32_t entry,
							const int32_t* points, int32_t count)
{
	const brMesh* mesh = build->mesh;
	int32_t first = out->faceStarts[face];
	int32_t polygons = build->clip.polygonCells.count;
	if (entry >= polygons)
	{
		brDVec3 normal, u, v;
		shatterCapFrame(build, (entry - polygons) / 2, &normal, &u, &v);
		normal = (entry - polygons) % 2 == 1 ? brDNeg(normal) : normal;
		if (build->roughLength > 0.0)
		{
			brDVec3 p = brShatterBuild_Position(build, points[0]);
			brDVec3 cross = brDCross(brDSub(brShatterBuild_Position(build, points[1]), p),
									 brDSub(brShatterBuild_Position(build, points[2]), p));
			normal = brDLengthSq(cross) > 0.0 ? brDNormalize(cross) : normal;
		}
		for (int32_t n = 0; n < count; ++n)
		{
			brDVec3 p = brShatterBuild_Position(build, points[n]);
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

// A flat piece has no hull, which is no failure.
static brResult shatterMakeHull(const brShatterBuild* build, brPiece* piece)
{
	brContext context = {.allocator = &build->allocator};
	brDBox3 box = brMesh_ComputeBounds(piece->mesh);
	double tolerance = SHATTER_HULL_FLAT * brDLength(brDSub(box.upper, box.lower));
	brResult result =
		brMakeHull(&context, piece->mesh->positions, piece->mesh->vertexCount, tolerance, &piece->hull, NULL);
	return result == br_errorMemory ? result : br_success;
}

brResult brShatterBuild_MakePiece(const brShatterBuild* build, brShatterScratch* scratch, int32_t index)
{
	const brMesh* mesh = build->mesh;
	brPiece* piece = &build->shatter->pieces[index];
	brMeshShape shape = brMakeShapeLike(mesh, 0, 0, 0);
	shape.materialCount = build->interior < mesh->materialCount ? mesh->materialCount : build->interior + 1;
	shape.hasUvs = shape.hasFaceMaterials = true;
	int32_t begin = build->entries.starts[index], end = build->entries.starts[index + 1];
	for (int32_t e = begin; e < end; ++e)
	{
		int32_t count = brShatterBuild_Face(build, build->entries.items[e], scratch->corners);
		++shape.faceCount;
		shape.cornerCount += count;
		for (int32_t n = 0; n < count; ++n)
		{
			int32_t point = scratch->corners[n];
			if (scratch->stamps[point] != index + 1)
			{
				scratch->stamps[point] = index + 1;
				scratch->suspects[shape.vertexCount] = false;
				scratch->locals[point] = shape.vertexCount++;
			}
		}
	}
	brMesh* out = brAllocMesh(&build->allocator, &shape);
	if (out == NULL)
	{
		return br_errorMemory;
	}
	for (int32_t e = begin, placed = 0; e < end; ++e)
	{
		int32_t face = e - begin, entry = build->entries.items[e];
		int32_t count = brShatterBuild_Face(build, entry, scratch->corners);
		// Round a vertex that has whole faces only everything is as it was in the model.
		bool isWhole = entry < build->clip.polygonCells.count && build->clip.polygonTriangles.data[entry] < 0;
		out->faceStarts[face + 1] = out->faceStarts[face] + count;
		for (int32_t n = 0; n < count; ++n)
		{
			int32_t point = scratch->corners[n], local = scratch->locals[point];
			out->corners[out->faceStarts[face] + n] = local;
			scratch->suspects[local] = scratch->suspects[local] || !isWhole;
			if (local < placed)
			{
				continue;
			}
			// The first time that it comes by: they are numbered so.
			placed += 1;
			out->positions[local] = brShatterBuild_Position(build, point);
			if (out->colors != NULL)
			{
				out->colors[local] = shatterColor(build, point);
			}
		}
		shatterFillFace(build, out, face, entry, scratch->corners, count);
	}
	brMesh_InheritLists(out, mesh);
	out->materials[build->interior] = build->def->interior;
	piece->mesh = out;
	bool isKnown = build->isSound && !build->parts.hasAliases;
	brResult result = brUntangle(&build->allocator, isKnown ? scratch->suspects : NULL, &piece->mesh);
	piece->mass = brMesh_ComputeMass(piece->mesh, build->def->density);
	if (result >= 0 && build->def->makeHulls)
	{
		result = shatterMakeHull(build, piece);
	}
	return result;
}
