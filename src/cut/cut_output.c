// SPDX-License-Identifier: MIT

// The mesh of a piece. Attributes of a corner come from the input triangle that it lies on: as they are at its own
// corners, else in proportion. Caps have the interior material and texture coordinates in meters along the cutter's
// face, or the cutter's own if it has them.

#include "cut/cut_shell.h"
#include "mesh/face_area.h"
#include "mesh/mesh_build.h"

#include <string.h>

enum
{
	CUT_FACE_BLOCK = 1024 // faces a worker takes at a time
};

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
	int32_t begin = mesh->faceStarts[face];
	*origin = mesh->positions[mesh->corners[begin]];
	*normal = brDNormalize(brMesh_FaceArea(mesh, face));
	*u = brDNormalize(brDSub(mesh->positions[mesh->corners[begin + 1]], *origin));
	*v = brDCross(*normal, *u);
}

typedef struct CutOutput
{
	CutShell* shell;
	const CutFaces* faces;
	brMesh* mesh;
	brCutPiece* piece;
	int32_t fanVertices; // vertices that are fans; additions follow
} CutOutput;

static brDVec3 cutCornerPlace(const CutOutput* output, const CutCorner* corner)
{
	const CutShell* shell = output->shell;
	return corner->fan < 0 ? output->faces->added.data[-1 - corner->fan]
						   : shell->job->points.data[shell->fanPoints[corner->fan]].at;
}

// The triangle of the input that a corner has its attributes from.
static const brCutCopy* cutCornerCopy(const CutOutput* output, const CutFace* face, const CutCorner* corner)
{
	const CutShell* shell = output->shell;
	return &shell->job->copies[shell->sources[face->isWhole ? corner->side / 3 : corner->source]];
}

static void cutFillCorner(const CutOutput* output, const CutFace* face, const CutCorner* corner, int32_t at)
{
	const brCutJob* job = output->shell->job;
	brMesh* mesh = output->mesh;
	const brCutCopy* copy = cutCornerCopy(output, face, corner);
	bool isCap = copy->kind != br_faceSource;
	const brMesh* parent = job->meshes[isCap ? 1 : 0];
	bool hasUvs = mesh->uvs != NULL && parent->uvs != NULL,
		 hasNormals = mesh->normals != NULL && parent->normals != NULL;
	if (face->isWhole && !corner->isAdded)
	{
		if (hasUvs)
		{
			mesh->uvs[at] = parent->uvs[corner->source];
		}
		if (hasNormals)
		{
			mesh->normals[at] = parent->normals[corner->source];
		}
	}
	else if (hasUvs || hasNormals)
	{
		const int32_t* corners = job->corners[copy->triangle];
		double weights[3];
		cutWeights(parent, corners, cutCornerPlace(output, corner), weights);
		if (hasUvs)
		{
			mesh->uvs[at] = cutMixUvs(parent, corners, weights);
		}
		if (hasNormals)
		{
			brVec3 n = cutMixNormals(parent, corners, weights);
			mesh->normals[at] = copy->isTurned ? (brVec3){-n.x, -n.y, -n.z} : n;
		}
	}
	if (isCap && ((mesh->uvs != NULL && !hasUvs) || (mesh->normals != NULL && !hasNormals)))
	{
		brDVec3 origin, u, v, normal;
		cutFaceFrame(parent, job->faces[copy->triangle], &origin, &u, &v, &normal);
		if (mesh->uvs != NULL && !hasUvs)
		{
			brDVec3 d = brDSub(cutCornerPlace(output, corner), origin);
			mesh->uvs[at] = (brVec2){(float)brDDot(d, u), (float)brDDot(d, v)};
		}
		if (mesh->normals != NULL && !hasNormals)
		{
			mesh->normals[at] = brToVec3(copy->isTurned ? brDNeg(normal) : normal);
		}
	}
}

// Colors are per vertex: the last face of the source there has the last word.
static void cutFillColors(const CutOutput* output)
{
	const brCutJob* job = output->shell->job;
	const brMesh* source = job->meshes[0];
	brMesh* mesh = output->mesh;
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		mesh->colors[v] = (brVec4){1.0f, 1.0f, 1.0f, 1.0f};
	}
	for (int32_t f = 0; f < output->faces->faces.count && source->colors != NULL; ++f)
	{
		const CutFace* face = &output->faces->faces.data[f];
		for (int32_t i = 0; i < face->count && job->copies[face->copy].kind == br_faceSource; ++i)
		{
			const CutCorner* corner = &output->faces->corners.data[face->start + i];
			const int32_t* corners = job->corners[cutCornerCopy(output, face, corner)->triangle];
			double weights[3];
			cutWeights(source, corners, cutCornerPlace(output, corner), weights);
			mesh->colors[mesh->corners[mesh->faceStarts[f] + i]] = cutMixColors(source, corners, weights);
		}
	}
}

// Vertices in the order that faces use them.
static bool cutNumberVertices(CutShell* shell, CutFaces* faces)
{
	faces->fans.count = 0;
	for (int32_t c = 0; c < faces->corners.count; ++c)
	{
		int32_t fan = faces->corners.data[c].fan;
		if (fan >= 0 && shell->vertexOf[fan] < 0)
		{
			shell->vertexOf[fan] = faces->fans.count;
			if (!BR_PUSH(&shell->job->allocator, &faces->fans, fan))
			{
				return brCut_FailMemory(shell->job);
			}
		}
	}
	return true;
}

static void cutFillFaces(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const CutOutput* output = user;
	const brCutJob* job = output->shell->job;
	const brMesh *source = job->meshes[0], *cutter = job->meshes[1];
	const CutFaces* faces = output->faces;
	brMesh* mesh = output->mesh;
	for (int32_t f = begin; f < end; ++f)
	{
		const CutFace* face = &faces->faces.data[f];
		const brCutCopy* copy = &job->copies[face->copy];
		int32_t parent = job->faces[copy->triangle], start = mesh->faceStarts[f];
		for (int32_t i = 0; i < face->count; ++i)
		{
			const CutCorner* corner = &faces->corners.data[face->start + i];
			mesh->corners[start + i] =
				corner->fan >= 0 ? output->shell->vertexOf[corner->fan] : output->fanVertices + (-1 - corner->fan);
			cutFillCorner(output, face, corner, start + i);
		}
		output->piece->faceParents[f] = parent;
		output->piece->faceKinds[f] = (uint8_t)copy->kind;
		bool isCap = copy->kind != br_faceSource;
		output->piece->faceCutters[f] = isCap ? 0 : -1;
		if (mesh->faceMaterials != NULL)
		{
			int32_t own = !isCap && source->faceMaterials != NULL ? source->faceMaterials[parent] : -1;
			int32_t theirs = isCap && cutter->faceMaterials != NULL ? cutter->faceMaterials[parent] : -1;
			int32_t interior = source->materialCount;
			mesh->faceMaterials[f] = !isCap ? own : theirs >= 0 ? interior + 1 + theirs : interior;
		}
		if (mesh->faceGroups != NULL)
		{
			mesh->faceGroups[f] = !isCap && source->faceGroups != NULL ? source->faceGroups[parent] : -1;
		}
	}
}

static void cutFillMaterials(const CutOutput* output)
{
	const brCutJob* job = output->shell->job;
	const brMesh *source = job->meshes[0], *cutter = job->meshes[1];
	brMesh* mesh = output->mesh;
	int32_t ownMaterials = source->materialCount;
	brMesh_InheritLists(mesh, source);
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
}

static void cutFillMesh(CutOutput* output)
{
	const brCutJob* job = output->shell->job;
	const CutFaces* faces = output->faces;
	brMesh* mesh = output->mesh;
	bool hasFront = false, hasBack = false;
	for (int32_t f = 0; f < faces->faces.count; ++f)
	{
		int8_t kind = job->copies[faces->faces.data[f].copy].kind;
		hasFront |= kind == br_faceCapPositive;
		hasBack |= kind == br_faceCapNegative;
		mesh->faceStarts[f + 1] = mesh->faceStarts[f] + faces->faces.data[f].count;
	}
	output->piece->side = (int8_t)(hasFront && !hasBack ? 1 : hasBack && !hasFront ? -1 : 0);
	for (int32_t v = 0; v < faces->fans.count; ++v)
	{
		mesh->positions[v] = job->points.data[output->shell->fanPoints[faces->fans.data[v]]].at;
	}
	for (int32_t i = 0; i < faces->added.count; ++i)
	{
		mesh->positions[faces->fans.count + i] = faces->added.data[i];
	}
	brParallelFor(brCut_Workers(job), faces->faces.count, CUT_FACE_BLOCK, cutFillFaces, output);
	if (mesh->colors != NULL)
	{
		cutFillColors(output);
	}
	cutFillMaterials(output);
}

bool brCut_MakeMesh(CutShell* shell, CutFaces* faces, int32_t index, brCutPiece* piece)
{
	brCutJob* job = shell->job;
	const brMesh *source = job->meshes[0], *cutter = job->meshes[1];
	if (!cutNumberVertices(shell, faces))
	{
		return false;
	}
	bool hasCaps = false;
	for (int32_t f = 0; f < faces->faces.count && !hasCaps; ++f)
	{
		hasCaps = job->copies[faces->faces.data[f].copy].kind != br_faceSource;
	}
	int32_t vertexCount = faces->fans.count + faces->added.count;
	brMeshShape shape = brMakeShapeLike(source, vertexCount, faces->faces.count, faces->corners.count);
	shape.materialCount += hasCaps ? 1 + cutter->materialCount : 0;
	shape.hasUvs = shape.hasUvs || (hasCaps && cutter->uvs != NULL);
	shape.hasFaceMaterials = shape.hasFaceMaterials || hasCaps;
	piece->mesh = brAllocMesh(&job->allocator, &shape);
	if (piece->mesh != NULL)
	{
		piece->faceParents = BR_ALLOC(&job->allocator, int32_t, shape.faceCount);
		piece->faceCutters = BR_ALLOC(&job->allocator, int32_t, shape.faceCount);
		piece->faceKinds = BR_ALLOC(&job->allocator, uint8_t, shape.faceCount);
	}
	if (piece->mesh == NULL || piece->faceParents == NULL || piece->faceCutters == NULL || piece->faceKinds == NULL)
	{
		return brCut_FailMemory(job);
	}
	CutOutput output = {shell, faces, piece->mesh, piece, faces->fans.count};
	cutFillMesh(&output);
	int32_t begin = shell->pieceStart[index], end = shell->pieceStart[index + 1], openCount = 0;
	for (int32_t i = begin; i < end && brCut_MayBeOpen(job); ++i)
	{
		const int32_t* twins = shell->twins + 3 * (int64_t)shell->order[i];
		openCount += (twins[0] < 0) + (twins[1] < 0) + (twins[2] < 0);
	}
	piece->isClosed = openCount == 0 && job->def->op != br_cutSurface;
	job->stats.openEdges += openCount;
	// Of the triangles that the piece consists of: a bent polygon counts as it was triangulated for the cut.
	return !piece->isClosed || brCut_Volume(job, shell->triangles, shell->order + begin, end - begin, &piece->volume);
}
