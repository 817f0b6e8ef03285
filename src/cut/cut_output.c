// SPDX-License-Identifier: MIT

// The mesh of a piece. Attributes of a corner come from the input triangle that it lies on: as they are at its own corners,
// else in proportion. Caps have the interior material and texture coordinates in metres along the cutter's face, or the cutter's
// own if it has them.

#include "cut/cut_shell.h"
#include "mesh/mesh_build.h"

#include <string.h>

// Weights of the corners of an attribute triangle at a place on it.
static void cutWeights(const brMesh* mesh, const int32_t corners[3], brDVec3 p, double weights[3])
{
	brDVec3 a = mesh->positions[mesh->corners[corners[0]]], b = mesh->positions[mesh->corners[corners[1]]],
			c = mesh->positions[mesh->corners[corners[2]]];
	brDVec3 v[3] = {a, b, c};
	for (int k = 0; k < 3; ++k)
	{
		if (p.x == v[k].x && p.y == v[k].y && p.z == v[k].z)
		{
			weights[0] = weights[1] = weights[2] = 0.0;
			weights[k] = 1.0;
			return;
		}
	}
	brDVec3 normal = brDCross(brDSub(b, a), brDSub(c, a));
	double square = brDDot(normal, normal);
	double u = brDDot(normal, brDCross(brDSub(c, b), brDSub(p, b)));
	double w = brDDot(normal, brDCross(brDSub(a, c), brDSub(p, c)));
	u = square > 0.0 ? fmin(fmax(u / square, 0.0), 1.0) : 1.0;
	w = square > 0.0 ? fmin(fmax(w / square, 0.0), 1.0 - u) : 0.0;
	weights[0] = u, weights[1] = w, weights[2] = 1.0 - u - w;
}

static brVec2 cutMixUvs(const brMesh* mesh, const int32_t corners[3], const double w[3])
{
	double x = 0.0, y = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		x += w[k] != 0.0 ? w[k] * (double)mesh->uvs[corners[k]].x : 0.0;
		y += w[k] != 0.0 ? w[k] * (double)mesh->uvs[corners[k]].y : 0.0;
	}
	return (brVec2){(float)x, (float)y};
}

static brVec3 cutMixNormals(const brMesh* mesh, const int32_t corners[3], const double w[3])
{
	for (int k = 0; k < 3; ++k)
	{
		if (w[k] == 1.0)
		{
			return mesh->normals[corners[k]];
		}
	}
	brDVec3 n = {0.0, 0.0, 0.0};
	for (int k = 0; k < 3; ++k)
	{
		n = brDMulAdd(n, w[k], brToDVec3(mesh->normals[corners[k]]));
	}
	return brToVec3(brDNormalize(n));
}

static brVec4 cutMixColors(const brMesh* mesh, const int32_t corners[3], const double w[3])
{
	double sum[4] = {0.0, 0.0, 0.0, 0.0};
	for (int k = 0; k < 3; ++k)
	{
		brVec4 c = mesh->colors[mesh->corners[corners[k]]];
		sum[0] += w[k] * (double)c.x, sum[1] += w[k] * (double)c.y;
		sum[2] += w[k] * (double)c.z, sum[3] += w[k] * (double)c.w;
	}
	return (brVec4){(float)sum[0], (float)sum[1], (float)sum[2], (float)sum[3]};
}

// The frame of a cutter's face: two axes in its plane, from its first edge, and the unit normal.
static void cutFaceFrame(const brMesh* mesh, int32_t face, brDVec3* origin, brDVec3* u, brDVec3* v, brDVec3* normal)
{
	int32_t begin = mesh->faceStarts[face], end = mesh->faceStarts[face + 1];
	*origin = mesh->positions[mesh->corners[begin]];
	brDVec3 n = {0.0, 0.0, 0.0};
	for (int32_t c = begin + 1; c + 1 < end; ++c)
	{
		n = brDAdd(n, brDCross(brDSub(mesh->positions[mesh->corners[c]], *origin),
							   brDSub(mesh->positions[mesh->corners[c + 1]], *origin)));
	}
	*normal = brDNormalize(n);
	*u = brDNormalize(brDSub(mesh->positions[mesh->corners[begin + 1]], *origin));
	*v = brDCross(*normal, *u);
}

typedef struct CutOutput
{
	CutShell* shell;
	const CutFaces* faces;
	brMesh* mesh;
	int32_t* vertexOf; // [fanCount]
} CutOutput;

static brDVec3 cutCornerPlace(const CutOutput* output, const CutCorner* corner)
{
	const CutShell* shell = output->shell;
	return corner->fan < 0 ? output->faces->added.data[-1 - corner->fan]
						   : shell->job->points.data[shell->fanPoints[corner->fan]].at;
}

static void cutFillCorner(const CutOutput* output, const CutFace* face, const CutCorner* corner, int32_t at)
{
	const brCutJob* job = output->shell->job;
	const brMesh* source = job->meshes[0];
	brMesh* mesh = output->mesh;
	if (face->isWhole)
	{
		int32_t vertex = mesh->corners[at];
		if (mesh->uvs != NULL && source->uvs != NULL)
		{
			mesh->uvs[at] = source->uvs[corner->source];
		}
		if (mesh->normals != NULL && source->normals != NULL)
		{
			mesh->normals[at] = source->normals[corner->source];
		}
		if (mesh->colors != NULL && source->colors != NULL)
		{
			mesh->colors[vertex] = source->colors[source->corners[corner->source]];
		}
		return;
	}
	const brCutCopy* copy = &job->copies.data[output->shell->sources[corner->source]];
	bool isCap = copy->kind != br_cutFaceSource;
	const brMesh* parent = job->meshes[isCap ? 1 : 0];
	const int32_t* corners = job->corners[copy->triangle];
	brDVec3 p = cutCornerPlace(output, corner);
	double weights[3];
	cutWeights(parent, corners, p, weights);
	brDVec3 origin = p, u = {0.0, 0.0, 0.0}, v = u, normal = u;
	if (isCap)
	{
		cutFaceFrame(parent, job->faces[copy->triangle], &origin, &u, &v, &normal);
	}
	if (mesh->uvs != NULL && parent->uvs != NULL)
	{
		mesh->uvs[at] = cutMixUvs(parent, corners, weights);
	}
	else if (mesh->uvs != NULL && isCap)
	{
		brDVec3 d = brDSub(p, origin);
		mesh->uvs[at] = (brVec2){(float)brDDot(d, u), (float)brDDot(d, v)};
	}
	if (mesh->normals != NULL && parent->normals != NULL)
	{
		brVec3 n = cutMixNormals(parent, corners, weights);
		mesh->normals[at] = copy->isTurned ? (brVec3){-n.x, -n.y, -n.z} : n;
	}
	else if (mesh->normals != NULL && isCap)
	{
		mesh->normals[at] = brToVec3(copy->isTurned ? brDNeg(normal) : normal);
	}
	// Colours are per vertex: the source's have the last word.
	if (mesh->colors != NULL && !isCap && source->colors != NULL)
	{
		mesh->colors[mesh->corners[at]] = cutMixColors(source, corners, weights);
	}
}

// Vertices in the order that faces use them. Returns how many there are.
static int32_t cutNumberVertices(const CutOutput* output)
{
	const CutFaces* faces = output->faces;
	int32_t count = 0;
	for (int32_t c = 0; c < faces->corners.count; ++c)
	{
		int32_t fan = faces->corners.data[c].fan;
		if (fan >= 0 && output->vertexOf[fan] < 0)
		{
			output->vertexOf[fan] = count++;
		}
	}
	return count;
}

static void cutFillMesh(const CutOutput* output, int32_t fanVertices, brCutPiece* piece)
{
	const brCutJob* job = output->shell->job;
	const brMesh *source = job->meshes[0], *cutter = job->meshes[1];
	const CutFaces* faces = output->faces;
	brMesh* mesh = output->mesh;
	int32_t ownMaterials = source->materialCount;
	bool hasFront = false, hasBack = false;
	for (int32_t v = 0; v < mesh->vertexCount && mesh->colors != NULL; ++v)
	{
		mesh->colors[v] = (brVec4){1.0f, 1.0f, 1.0f, 1.0f};
	}
	for (int32_t f = 0; f < faces->faces.count; ++f)
	{
		const CutFace* face = &faces->faces.data[f];
		const brCutCopy* copy = &job->copies.data[face->copy];
		int32_t parent = job->faces[copy->triangle];
		int32_t start = mesh->faceStarts[f];
		mesh->faceStarts[f + 1] = start + face->count;
		for (int32_t i = 0; i < face->count; ++i)
		{
			const CutCorner* corner = &faces->corners.data[face->start + i];
			int32_t vertex = corner->fan >= 0 ? output->vertexOf[corner->fan] : fanVertices + (-1 - corner->fan);
			mesh->corners[start + i] = vertex;
			mesh->positions[vertex] = cutCornerPlace(output, corner);
			cutFillCorner(output, face, corner, start + i);
		}
		piece->faceParents[f] = parent;
		piece->faceKinds[f] = (uint8_t)copy->kind;
		bool isCap = copy->kind != br_cutFaceSource;
		hasFront |= copy->kind == br_cutFaceFront;
		hasBack |= copy->kind == br_cutFaceBack;
		if (mesh->faceMaterials != NULL)
		{
			int32_t own = !isCap && source->faceMaterials != NULL ? source->faceMaterials[parent] : -1;
			int32_t theirs = isCap && cutter->faceMaterials != NULL ? cutter->faceMaterials[parent] : -1;
			mesh->faceMaterials[f] = !isCap ? own : theirs >= 0 ? ownMaterials + 1 + theirs : ownMaterials;
		}
		if (mesh->faceGroups != NULL)
		{
			mesh->faceGroups[f] = !isCap && source->faceGroups != NULL ? source->faceGroups[parent] : -1;
		}
	}
	piece->side = (int8_t)(hasFront && !hasBack ? 1 : hasBack && !hasFront ? -1 : 0);
	if (source->materialCount > 0 && mesh->materials != NULL)
	{
		memcpy(mesh->materials, source->materials, (size_t)source->materialCount * sizeof(brSurfaceMaterial));
	}
	if (mesh->materialCount > ownMaterials && mesh->materials != NULL)
	{
		brSurfaceMaterial interior = brDefaultSurfaceMaterial();
		memcpy(interior.name, "interior", sizeof("interior"));
		mesh->materials[ownMaterials] = job->def->interior != NULL ? *job->def->interior : interior;
	}
	if (mesh->materialCount > ownMaterials + 1 && mesh->materials != NULL && cutter->materials != NULL)
	{
		memcpy(mesh->materials + ownMaterials + 1, cutter->materials,
			   (size_t)cutter->materialCount * sizeof(brSurfaceMaterial));
	}
	if (source->groupCount > 0 && mesh->groupNames != NULL)
	{
		memcpy(mesh->groupNames, source->groupNames, (size_t)source->groupCount * sizeof(char[64]));
	}
}

// Volume of the triangles the piece consists of: a bent polygon counts as it was triangulated for the cut.
static double cutPieceVolume(const CutShell* shell, int32_t piece)
{
	const brCutPoint* points = shell->job->points.data;
	brCutSum sum = {0};
	for (int32_t i = shell->pieceStart[piece]; i < shell->pieceStart[piece + 1]; ++i)
	{
		const int32_t* v = shell->triangles[shell->order[i]];
		brCutSum_AddVolume(&sum, shell->job->middle, points[v[0]].at, points[v[1]].at, points[v[2]].at);
	}
	return sum.value + sum.rest;
}

bool brCut_MakeMesh(CutShell* shell, const CutFaces* faces, int32_t index, brCutPiece* piece)
{
	brCutJob* job = shell->job;
	const brMesh *source = job->meshes[0], *cutter = job->meshes[1];
	CutOutput output = {shell, faces, NULL, BR_ALLOC(&job->allocator, int32_t, shell->fanCount)};
	if (output.vertexOf == NULL)
	{
		return brCut_FailMemory(job);
	}
	memset(output.vertexOf, 0xff, (size_t)shell->fanCount * sizeof(int32_t));
	int32_t fanVertices = cutNumberVertices(&output);
	bool hasCaps = false;
	for (int32_t f = 0; f < faces->faces.count && !hasCaps; ++f)
	{
		hasCaps = job->copies.data[faces->faces.data[f].copy].kind != br_cutFaceSource;
	}
	brMeshShape shape = {.vertexCount = fanVertices + faces->added.count,
						 .faceCount = faces->faces.count,
						 .cornerCount = faces->corners.count,
						 .materialCount = source->materialCount + (hasCaps ? 1 + cutter->materialCount : 0),
						 .groupCount = source->groupCount,
						 .hasUvs = source->uvs != NULL || (hasCaps && cutter->uvs != NULL),
						 .hasNormals = source->normals != NULL,
						 .hasColors = source->colors != NULL,
						 .hasFaceMaterials = source->faceMaterials != NULL || hasCaps,
						 .hasFaceGroups = source->faceGroups != NULL};
	output.mesh = brAllocMesh(&job->allocator, &shape);
	piece->mesh = output.mesh;
	if (piece->mesh != NULL)
	{
		piece->faceParents = BR_ALLOC(&job->allocator, int32_t, shape.faceCount);
		piece->faceKinds = BR_ALLOC(&job->allocator, uint8_t, shape.faceCount);
	}
	bool isDone = piece->mesh != NULL && piece->faceParents != NULL && piece->faceKinds != NULL;
	if (isDone)
	{
		cutFillMesh(&output, fanVertices, piece);
		piece->isClosed = job->def->op != br_cutSurface;
		piece->volume = piece->isClosed ? cutPieceVolume(shell, index) : 0.0;
	}
	else
	{
		brCut_FailMemory(job);
	}
	BR_FREE(&job->allocator, output.vertexOf, shell->fanCount);
	return isDone;
}
