// SPDX-License-Identifier: MIT

// A new surface for a mesh that nothing else mends: the border of what the mesh winds around.
//
// Inside is where the generalized winding number (Jacobson et al. 2013) is above one half in size, whatever way the
// faces look; the distance to the nearest face gives the place between lattice points. Contouring on a body-centered
// lattice makes a closed manifold that cannot cross itself. Features thinner than a cell may go.

#include "mend/mend_stages.h"
#include "mesh/contour.h"
#include "mesh/mesh_build.h"
#include "volume/surface_tree.h"

#include <math.h>
#include <string.h>

typedef struct RemeshField
{
	const brSurfaceTree* tree;
	double limit; // largest value: where the mesh is open the border of the inside may be far from any face [m]
	bool isClosed;
} RemeshField;

static double remeshDistance(brDVec3 point, void* user)
{
	const RemeshField* field = user;
	double distance = brSurfaceTree_ClosestWithin(field->tree, point, INFINITY).distance;
	return distance < field->limit ? distance : field->limit;
}

static bool remeshInside(brDVec3 point, void* user)
{
	const RemeshField* field = user;
	return field->isClosed ? brSurfaceTree_CrossingsAt(field->tree, point) != 0
						   : fabs(brSurfaceTree_WindingAt(field->tree, point)) > 0.5;
}

// UV at a point of a triangle of the old mesh.
static brVec2 remeshUv(const brMesh* mesh, const brTriangulation* triangles, const brClosestPoint* hit)
{
	const int32_t* c = &triangles->corners[3 * hit->triangle];
	brDVec3 p[3];
	for (int32_t i = 0; i < 3; ++i)
	{
		p[i] = mesh->positions[mesh->corners[c[i]]];
	}
	brDVec3 normal = brDCross(brDSub(p[1], p[0]), brDSub(p[2], p[0]));
	double areaSq = brDLengthSq(normal), u = 0.0, v = 0.0;
	for (int32_t i = 0; i < 3 && areaSq > 0.0; ++i)
	{
		brDVec3 a = brDSub(p[(i + 1) % 3], hit->point), b = brDSub(p[(i + 2) % 3], hit->point);
		double weight = brDDot(brDCross(a, b), normal) / areaSq;
		u += weight * mesh->uvs[c[i]].x, v += weight * mesh->uvs[c[i]].y;
	}
	return (brVec2){(float)u, (float)v};
}

// Material, group and UV of the nearest old face.
static void remeshPaint(const brMesh* old, const brTriangulation* triangles, const brSurfaceTree* tree, brMesh* mesh)
{
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		brDVec3 middle = {0.0, 0.0, 0.0};
		for (int32_t i = 0; i < 3; ++i)
		{
			middle = brDMulAdd(middle, 1.0 / 3.0, mesh->positions[mesh->corners[3 * f + i]]);
		}
		brClosestPoint hit = brSurfaceTree_ClosestWithin(tree, middle, INFINITY);
		if (mesh->faceMaterials != NULL)
		{
			mesh->faceMaterials[f] = old->faceMaterials[hit.face];
		}
		if (mesh->faceGroups != NULL)
		{
			mesh->faceGroups[f] = old->faceGroups[hit.face];
		}
		for (int32_t i = 0; i < 3 && mesh->uvs != NULL; ++i)
		{
			brDVec3 p = mesh->positions[mesh->corners[3 * f + i]];
			// All corners by the same triangle's plane where it is near, so that no face spans a seam.
			brClosestPoint own = hit;
			own.point = p;
			mesh->uvs[3 * f + i] = remeshUv(old, triangles, &own);
		}
	}
}

// The contour with the attributes that the old mesh has.
static brResult remeshAttributes(const brContext* context, const brMesh* old, const brSurfaceTree* tree,
								 const brMesh* contour, brMesh** outMesh, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brMeshShape shape = brMakeShapeLike(old, contour->vertexCount, contour->faceCount, contour->cornerCount);
	shape.hasColors = false;
	brTriangulation* triangles = NULL;
	brResult result = brTriangulateMesh(context, old, &triangles, report);
	if (result < 0)
	{
		return result;
	}
	brMesh* mesh = brAllocMesh(&allocator, &shape);
	if (mesh == NULL)
	{
		brDestroyTriangulation(triangles);
		return brFailMemory(report);
	}
	memcpy(mesh->positions, contour->positions, (size_t)contour->vertexCount * sizeof(brDVec3));
	memcpy(mesh->faceStarts, contour->faceStarts, ((size_t)contour->faceCount + 1) * sizeof(int32_t));
	memcpy(mesh->corners, contour->corners, (size_t)contour->cornerCount * sizeof(int32_t));
	brMesh_InheritLists(mesh, old);
	if (mesh->normals != NULL)
	{
		memcpy(mesh->normals, contour->normals, (size_t)contour->cornerCount * sizeof(brVec3));
	}
	remeshPaint(old, triangles, tree, mesh);
	brDestroyTriangulation(triangles);
	*outMesh = mesh;
	return br_success;
}

// How far the two surfaces are apart: the new one's vertices from the old one, and what the new one left outside, as
// thin ends, from the new one. Parts of the old one inside the new solid are no loss.
static brResult remeshDeviation(const brContext* context, const brMesh* old, const brSurfaceTree* tree,
								const brMesh* contour, double* outDeviation, brReport* report)
{
	brSurfaceTree* fresh = NULL;
	brResult result = brCreateSurfaceTree(context, contour, &fresh, report);
	if (result < 0)
	{
		return result;
	}
	double deviation = 0.0;
	for (int32_t v = 0; v < contour->vertexCount; ++v)
	{
		deviation = fmax(deviation, brSurfaceTree_ClosestWithin(tree, contour->positions[v], INFINITY).distance);
	}
	for (int32_t c = 0; c < old->cornerCount; ++c)
	{
		brDVec3 point = old->positions[old->corners[c]];
		if (brSurfaceTree_CrossingsAt(fresh, point) == 0)
		{
			deviation = fmax(deviation, brSurfaceTree_ClosestWithin(fresh, point, INFINITY).distance);
		}
	}
	brDestroySurfaceTree(fresh);
	*outDeviation = deviation;
	return br_success;
}

brResult brRemeshSurface(const brContext* context, const brMesh* mesh, const brMendDef* def, brMesh** outMesh,
						 brMendInfo* info, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brSurfaceTree* tree = NULL;
	brResult result = brCreateSurfaceTree(context, mesh, &tree, report);
	if (result < 0)
	{
		return result;
	}
	brDBox3 box = brMesh_ComputeBounds(mesh);
	double longest = fmax(box.upper.x - box.lower.x, fmax(box.upper.y - box.lower.y, box.upper.z - box.lower.z));
	double cell = longest / def->resolution;
	bool isClosed = brSurfaceTree_IsClosed(tree);
	RemeshField field = {tree, isClosed ? INFINITY : 4.0 * cell, isClosed};
	brContourDef contourDef = {remeshDistance, remeshInside, &field, box, cell, true};
	brMesh* contour = NULL;
	result = brContour(&allocator, context != NULL ? context->workers : NULL, &contourDef, &contour, report);
	// Less than one cell is noise about faces without area.
	if (result >= 0 && (contour->faceCount == 0 || brMesh_ComputeMass(contour, 1.0).volume < cell * cell * cell))
	{
		result =
			brFail(report, br_errorGeometry,
				   "the surface encloses nothing that cells of %.3g m can see; a thickness makes a plate of a sheet "
				   "(--thicken, in a scene thicken:)",
				   cell);
	}
	if (result >= 0)
	{
		result = remeshDeviation(context, mesh, tree, contour, &info->deviation, report);
	}
	if (result >= 0)
	{
		result = remeshAttributes(context, mesh, tree, contour, outMesh, report);
	}
	if (result >= 0)
	{
		info->isRemeshed = true;
		info->cell = cell;
	}
	brDestroyMesh(contour);
	brDestroySurfaceTree(tree);
	return result;
}
