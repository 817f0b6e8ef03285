// SPDX-License-Identifier: MIT

// What a solve looks like: files for VTK's programs, and colored meshes for pictures.

#include "brittle/elastic.h"

#include "base/report.h"
#include "elastic/body.h"
#include "io/file.h"
#include "mesh/mesh_build.h"

#include <string.h>

// From nothing to the most: dark blue, light blue, green, yellow, red.
static brVec4 viewColor(double share)
{
	static const float stops[5][3] = {{0.02f, 0.04f, 0.30f},
									  {0.05f, 0.35f, 0.75f},
									  {0.10f, 0.60f, 0.25f},
									  {0.90f, 0.75f, 0.05f},
									  {0.75f, 0.03f, 0.02f}};
	double at = 4.0 * fmin(fmax(share, 0.0), 1.0);
	int32_t first = at < 4.0 ? (int32_t)at : 3;
	float t = (float)(at - first);
	const float *a = stops[first], *b = stops[first + 1];
	return (brVec4){a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2]), 1.0f};
}

static void viewNumbers(brOutput* output, const double* values, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brOutput_Float(output, (float)values[i]);
		brOutput_Text(output, i + 1 < count ? " " : "\n");
	}
}

// The largest piece of each tet speaks for it.
static void viewPickPieces(const brElasticBody* body, const brElasticElement* pieces, int32_t pieceCount,
						   int32_t* picks)
{
	for (int32_t i = 0; i < pieceCount; ++i)
	{
		int32_t tet = pieces[i].tet;
		picks[tet] = i < body->tetCount || pieces[i].volume > pieces[picks[tet]].volume ? i : picks[tet];
	}
}

static void viewWriteCells(brOutput* output, const brElasticBody* body, const brElasticElement* pieces,
						   const int32_t* picks)
{
	brOutput_Format(output, "CELL_DATA %d\nSCALARS principal float 1\nLOOKUP_TABLE default\n", body->tetCount);
	for (int32_t t = 0; t < body->tetCount; ++t)
	{
		double values[3];
		brPrincipalStresses(&pieces[picks[t]].stress, values);
		viewNumbers(output, &values[2], 1);
	}
	brOutput_Text(output, "SCALARS part int 1\nLOOKUP_TABLE default\n");
	for (int32_t t = 0; t < body->tetCount; ++t)
	{
		brOutput_Format(output, "%d\n", pieces[picks[t]].component);
	}
	brOutput_Text(output, "SCALARS stiffness float 1\nLOOKUP_TABLE default\n");
	for (int32_t t = 0; t < body->tetCount; ++t)
	{
		viewNumbers(output, &body->stiffnesses[t], 1);
	}
	brOutput_Text(output, "TENSORS stress float\n");
	for (int32_t t = 0; t < body->tetCount; ++t)
	{
		brStress s = pieces[picks[t]].stress;
		double rows[9] = {s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz};
		viewNumbers(output, rows, 9);
	}
}

brResult brElasticBody_SaveVtk(const brElasticBody* body, const brContext* context, const char* path, brReport* report)
{
	if (body == NULL || path == NULL)
	{
		return brFail(report, br_errorMisuse, "saving needs a body and a path");
	}
	brAllocator allocator = brContext_Allocator(context);
	const brTetMesh* mesh = body->mesh;
	int32_t pieceCount = brElasticBody_GetElementCount(body);
	brElasticElement* pieces = BR_ALLOC(&allocator, brElasticElement, pieceCount);
	int32_t* picks = BR_ALLOC(&allocator, int32_t, body->tetCount);
	brDVec3* shifts = BR_ALLOC(&allocator, brDVec3, body->nodeCount);
	brResult result = pieces != NULL && picks != NULL && shifts != NULL ? br_success : brFailMemory(report);
	brOutput output;
	result = result >= 0 ? brOutput_Open(&output, &allocator, path, report) : result;
	if (result >= 0)
	{
		brElasticBody_GetElements(body, context, pieces);
		brElasticBody_GetDisplacements(body, shifts);
		viewPickPieces(body, pieces, pieceCount, picks);
		brOutput_Format(&output,
						"# vtk DataFile Version 3.0\nBrittle elastic body [m, Pa]\nASCII\nDATASET UNSTRUCTURED_GRID\n"
						"POINTS %d float\n",
						body->nodeCount);
		for (int32_t i = 0; i < body->nodeCount; ++i)
		{
			viewNumbers(&output, &mesh->nodes[i].x, 3);
		}
		brOutput_Format(&output, "CELLS %d %lld\n", body->tetCount, 5 * (long long)body->tetCount);
		for (int32_t t = 0; t < body->tetCount; ++t)
		{
			const int32_t* n = mesh->tets[t];
			brOutput_Format(&output, "4 %d %d %d %d\n", n[0], n[1], n[2], n[3]);
		}
		brOutput_Format(&output, "CELL_TYPES %d\n", body->tetCount);
		for (int32_t t = 0; t < body->tetCount; ++t)
		{
			brOutput_Text(&output, "10\n");
		}
		brOutput_Format(&output, "POINT_DATA %d\nVECTORS displacement float\n", body->nodeCount);
		for (int32_t i = 0; i < body->nodeCount; ++i)
		{
			viewNumbers(&output, &shifts[i].x, 3);
		}
		viewWriteCells(&output, body, pieces, picks);
		result = brOutput_Commit(&output, report);
	}
	BR_FREE(&allocator, pieces, pieceCount);
	BR_FREE(&allocator, picks, body->tetCount);
	BR_FREE(&allocator, shifts, body->nodeCount);
	return result < 0 ? result : brSucceed(report);
}

// All cracks with the points of their fronts.
typedef struct ViewFronts
{
	int32_t vertexCount, triangleCount;
	int32_t edgeCount;         // of fronts
	brCrackFrontPoint* points; // [vertexCount] tangent zero for vertices that are on no front
} ViewFronts;

static void viewFreeFronts(const brAllocator* allocator, ViewFronts* fronts)
{
	BR_FREE(allocator, fronts->points, fronts->vertexCount);
}

static brResult viewMakeFronts(const brContext* context, const brElasticBody* body, const brIntensityDef* def,
							   ViewFronts* fronts, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	memset(fronts, 0, sizeof(*fronts));
	for (int32_t c = 0; c < body->crackCount; ++c)
	{
		fronts->vertexCount += body->cracks[c].vertexCount;
		fronts->triangleCount += body->cracks[c].triangleCount;
	}
	fronts->points = BR_ALLOC_ZERO(&allocator, brCrackFrontPoint, fronts->vertexCount);
	brCrackFrontPoint* scratch = BR_ALLOC(&allocator, brCrackFrontPoint, fronts->vertexCount);
	brResult result = fronts->points != NULL && scratch != NULL ? br_success : brFailMemory(report);
	for (int32_t c = 0, first = 0; c < body->crackCount && result >= 0; first += body->cracks[c++].vertexCount)
	{
		const brCrackField* field = &body->cracks[c];
		int32_t count = 0;
		result = brElasticBody_ComputeFrontPoints(body, context, c, def, field->vertexCount, scratch, &count, report);
		for (int32_t i = 0; i < count && i < field->vertexCount && result >= 0; ++i)
		{
			fronts->points[first + scratch[i].vertex] = scratch[i];
		}
		for (int32_t t = 0; t < field->triangleCount; ++t)
		{
			fronts->edgeCount +=
				(field->edgeIsFront[t] & 1) + (field->edgeIsFront[t] >> 1 & 1) + (field->edgeIsFront[t] >> 2 & 1);
		}
	}
	BR_FREE(&allocator, scratch, fronts->vertexCount);
	if (result < 0)
	{
		viewFreeFronts(&allocator, fronts);
	}
	return result;
}

static void viewWriteFronts(brOutput* output, const brElasticBody* body, const ViewFronts* fronts)
{
	brOutput_Format(output,
					"# vtk DataFile Version 3.0\nBrittle crack fronts [m, Pa m^0.5, J/m^2]\nASCII\nDATASET POLYDATA\n"
					"POINTS %d float\n",
					fronts->vertexCount);
	for (int32_t c = 0; c < body->crackCount; ++c)
	{
		for (int32_t i = 0; i < body->cracks[c].vertexCount; ++i)
		{
			viewNumbers(output, &body->cracks[c].positions[i].x, 3);
		}
	}
	// Lines before polygons: the order in which programs number the cells.
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		int32_t count = pass == 0 ? fronts->edgeCount : fronts->triangleCount;
		brOutput_Format(output, pass == 0 ? "LINES %d %d\n" : "POLYGONS %d %d\n", count, (pass == 0 ? 3 : 4) * count);
		for (int32_t c = 0, first = 0; c < body->crackCount; first += body->cracks[c++].vertexCount)
		{
			const brCrackField* field = &body->cracks[c];
			for (int32_t t = 0; t < field->triangleCount; ++t)
			{
				const int32_t* v = field->triangles[t];
				if (pass == 1)
				{
					brOutput_Format(output, "3 %d %d %d\n", first + v[0], first + v[1], first + v[2]);
				}
				for (int k = 0; k < 3 && pass == 0; ++k)
				{
					if ((field->edgeIsFront[t] >> k & 1) != 0)
					{
						brOutput_Format(output, "2 %d %d\n", first + v[k], first + v[(k + 1) % 3]);
					}
				}
			}
		}
	}
	static const char* const names[4] = {"K_I", "K_II", "K_III", "G"};
	brOutput_Format(output, "POINT_DATA %d\n", fronts->vertexCount);
	for (int k = 0; k < 4; ++k)
	{
		brOutput_Format(output, "SCALARS %s float 1\nLOOKUP_TABLE default\n", names[k]);
		for (int32_t i = 0; i < fronts->vertexCount; ++i)
		{
			const brCrackFrontPoint* point = &fronts->points[i];
			viewNumbers(output, k < 3 ? &point->intensity[k] : &point->energyRelease, 1);
		}
	}
	brOutput_Text(output, "VECTORS forward float\n");
	for (int32_t i = 0; i < fronts->vertexCount; ++i)
	{
		viewNumbers(output, &fronts->points[i].forward.x, 3);
	}
}

brResult brElasticBody_SaveFrontsVtk(const brElasticBody* body, const brContext* context, const brIntensityDef* def,
									 const char* path, brReport* report)
{
	if (body == NULL || path == NULL)
	{
		return brFail(report, br_errorMisuse, "saving needs a body and a path");
	}
	brAllocator allocator = brContext_Allocator(context);
	ViewFronts fronts;
	brResult result = viewMakeFronts(context, body, def, &fronts, report);
	if (result < 0)
	{
		return result;
	}
	brOutput output;
	result = brOutput_Open(&output, &allocator, path, report);
	if (result >= 0)
	{
		viewWriteFronts(&output, body, &fronts);
		result = brOutput_Commit(&output, report);
	}
	viewFreeFronts(&allocator, &fronts);
	return result < 0 ? result : brSucceed(report);
}

// Largest principal stress around each node, of the solid part.
static void viewNodeStress(const brElasticBody* body, const brElasticElement* pieces, int32_t pieceCount,
						   double* values, double* volumes)
{
	for (int32_t i = 0; i < pieceCount; ++i)
	{
		double principal[3], fill = body->fills != NULL ? body->fills[pieces[i].tet] : 1.0;
		brPrincipalStresses(&pieces[i].stress, principal);
		for (int k = 0; k < 4; ++k)
		{
			int32_t node = body->mesh->tets[pieces[i].tet][k];
			values[node] += pieces[i].volume * principal[2];
			volumes[node] += pieces[i].volume * fill;
		}
	}
	for (int32_t i = 0; i < body->nodeCount; ++i)
	{
		values[i] = volumes[i] > 0.0 ? values[i] / volumes[i] : 0.0;
	}
}

brResult brElasticBody_MakeStressMesh(const brElasticBody* body, const brContext* context, double scale, double most,
									  brMesh** outMesh, double* outMost, brReport* report)
{
	if (body == NULL || outMesh == NULL)
	{
		return brFail(report, br_errorMisuse, "a picture of stress needs a body and a place for its mesh");
	}
	brAllocator allocator = brContext_Allocator(context);
	int32_t pieceCount = brElasticBody_GetElementCount(body), nodeCount = body->nodeCount, vertex = 0;
	brElasticElement* pieces = BR_ALLOC(&allocator, brElasticElement, pieceCount);
	double* values = BR_ALLOC_ZERO(&allocator, double, 2 * (int64_t)nodeCount);
	brDVec3* shifts = BR_ALLOC(&allocator, brDVec3, nodeCount);
	brMesh* surface = NULL;
	brResult result = pieces != NULL && values != NULL && shifts != NULL
						  ? brTetMesh_MakeSurface(body->mesh, context, &surface, report)
						  : brFailMemory(report);
	brVec4* colors = result >= 0 ? BR_ALLOC(&allocator, brVec4, surface->vertexCount) : NULL;
	result = result >= 0 && colors == NULL ? brFailMemory(report) : result;
	if (result >= 0)
	{
		brElasticBody_GetElements(body, context, pieces);
		brElasticBody_GetDisplacements(body, shifts);
		viewNodeStress(body, pieces, pieceCount, values, values + nodeCount);
		double highest = 0.0;
		for (int32_t i = 0; i < nodeCount; ++i)
		{
			highest = fmax(highest, values[i]);
		}
		most = most > 0.0 ? most : highest;
		// Its vertices are nodes in node order.
		for (int32_t i = 0; i < nodeCount && vertex < surface->vertexCount; ++i)
		{
			brDVec3 *p = &surface->positions[vertex], n = body->mesh->nodes[i];
			if (p->x == n.x && p->y == n.y && p->z == n.z)
			{
				*p = brDMulAdd(*p, scale, shifts[i]);
				colors[vertex++] = viewColor(most > 0.0 ? values[i] / most : 0.0);
			}
		}
		surface->colors = colors;
		*outMesh = surface;
		if (outMost != NULL)
		{
			*outMost = most;
		}
	}
	else
	{
		brDestroyMesh(surface);
	}
	BR_FREE(&allocator, pieces, pieceCount);
	BR_FREE(&allocator, values, 2 * (int64_t)nodeCount);
	BR_FREE(&allocator, shifts, nodeCount);
	return result < 0 ? result : brSucceed(report);
}

brResult brElasticBody_MakeFrontMesh(const brElasticBody* body, const brContext* context, const brIntensityDef* def,
									 brMesh** outMesh, brReport* report)
{
	if (body == NULL || outMesh == NULL)
	{
		return brFail(report, br_errorMisuse, "a picture of fronts needs a body and a place for its mesh");
	}
	brAllocator allocator = brContext_Allocator(context);
	ViewFronts fronts;
	brResult result = viewMakeFronts(context, body, def, &fronts, report);
	if (result < 0)
	{
		return result;
	}
	brMeshShape shape = {.vertexCount = fronts.vertexCount,
						 .faceCount = fronts.triangleCount,
						 .cornerCount = 3 * fronts.triangleCount,
						 .hasColors = true};
	brMesh* mesh = brAllocMesh(&allocator, &shape);
	result = mesh != NULL ? br_success : brFailMemory(report);
	double most = 0.0;
	for (int32_t i = 0; i < fronts.vertexCount; ++i)
	{
		most = fmax(most, fronts.points[i].energyRelease);
	}
	for (int32_t c = 0, first = 0, face = 0; c < body->crackCount && result >= 0;
		 first += body->cracks[c++].vertexCount)
	{
		const brCrackField* field = &body->cracks[c];
		for (int32_t i = 0; i < field->vertexCount; ++i)
		{
			const brCrackFrontPoint* point = &fronts.points[first + i];
			bool isFront = brDDot(point->tangent, point->tangent) > 0.0 && point->isInside;
			mesh->positions[first + i] = field->positions[i];
			mesh->colors[first + i] =
				isFront ? viewColor(most > 0.0 ? point->energyRelease / most : 0.0) : (brVec4){0.5f, 0.5f, 0.5f, 1.0f};
		}
		for (int32_t t = 0; t < field->triangleCount; ++t, ++face)
		{
			for (int k = 0; k < 3; ++k)
			{
				mesh->corners[3 * face + k] = first + field->triangles[t][k];
			}
			mesh->faceStarts[face + 1] = 3 * (face + 1);
		}
	}
	viewFreeFronts(&allocator, &fronts);
	if (result < 0)
	{
		return result;
	}
	*outMesh = mesh;
	return brSucceed(report);
}
