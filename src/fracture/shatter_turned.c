// SPDX-License-Identifier: MIT
#include "fracture/shatter_turned.h"

#include "base/memory.h"
#include "base/report.h"
#include "fracture/shatter_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A vertex of the turned model and where it was before.
typedef struct TurnedVertex
{
	brDVec3 turned, first;
} TurnedVertex;

typedef struct TurnJob
{
	brMat3 out, back; // orthogonal: each the other's transpose
	TurnedVertex* vertices;
	int32_t count;
} TurnJob;

// Columns: the direction and two across it.
static brMat3 turnFrame(brDVec3 x)
{
	brDVec3 least = fabs(x.x) <= fabs(x.y) && fabs(x.x) <= fabs(x.z) ? brMakeDVec3(1.0, 0.0, 0.0)
					: fabs(x.y) <= fabs(x.z)                         ? brMakeDVec3(0.0, 1.0, 0.0)
																	 : brMakeDVec3(0.0, 0.0, 1.0);
	brDVec3 y = brDNormalize(brDCross(least, x));
	return (brMat3){x, y, brDCross(x, y)};
}

static int turnCompare(const void* a, const void* b)
{
	return memcmp(a, b, sizeof(brDVec3)); // any order will do, of the bits
}

static brDVec3 turnBack(const TurnJob* job, brDVec3 point)
{
	const TurnedVertex* found = bsearch(&point, job->vertices, (size_t)job->count, sizeof(TurnedVertex), turnCompare);
	return found != NULL ? found->first : brMat3_MulV(&job->back, point);
}

static void turnMesh(const TurnJob* job, brMesh* mesh)
{
	for (int32_t i = 0; mesh != NULL && i < mesh->vertexCount; ++i)
	{
		mesh->positions[i] = turnBack(job, mesh->positions[i]);
	}
	for (int32_t i = 0; mesh != NULL && mesh->normals != NULL && i < mesh->cornerCount; ++i)
	{
		mesh->normals[i] = brToVec3(brMat3_MulV(&job->back, brToDVec3(mesh->normals[i])));
	}
}

static void turnBonds(const TurnJob* job, brBond* bonds, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		bonds[i].center = brMat3_MulV(&job->back, bonds[i].center);
		bonds[i].normal = brMat3_MulV(&job->back, bonds[i].normal);
	}
}

static void turnShatter(const TurnJob* job, double density, brShatter* shatter)
{
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		brPiece* piece = &shatter->pieces[i];
		turnMesh(job, piece->mesh);
		turnMesh(job, piece->hull);
		piece->mass = brMesh_ComputeMass(piece->mesh, density);
	}
	turnBonds(job, shatter->bonds, shatter->bondCount);
	for (int32_t i = 0; i < shatter->levelCount; ++i)
	{
		turnBonds(job, shatter->levels[i].bonds, shatter->levels[i].bondCount);
	}
}

brResult brCreateTurnedShatter(const brContext* context, const brMesh* mesh, const brCellDevice* device,
							   const brShatterDef* def, brShatter** outShatter, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brMesh* turned = NULL;
	brResult result = brCopyMesh(context, mesh, &turned, report);
	if (result < 0)
	{
		return result;
	}
	TurnJob job = {.count = mesh->vertexCount};
	job.back = turnFrame(brDNormalize(def->along));
	job.out = brMat3_Transpose(&job.back);
	job.vertices = BR_ALLOC(&allocator, TurnedVertex, mesh->vertexCount);
	brDVec3* sites = BR_ALLOC(&allocator, brDVec3, def->siteCount);
	result = job.vertices != NULL && sites != NULL ? br_success : brFailMemory(report);
	if (result >= 0)
	{
		brAffine map = brMakeAffineIdentity();
		map.m = job.out;
		brMesh_Transform(turned, &map);
		for (int32_t i = 0; i < mesh->vertexCount; ++i)
		{
			job.vertices[i] = (TurnedVertex){turned->positions[i], mesh->positions[i]};
		}
		qsort(job.vertices, (size_t)job.count, sizeof(TurnedVertex), turnCompare);
		for (int32_t i = 0; i < def->siteCount; ++i)
		{
			sites[i] = brMat3_MulV(&job.out, def->sites[i]);
		}
		brShatterDef inner = *def;
		inner.along = brMakeDVec3(1.0, 0.0, 0.0);
		inner.sites = sites;
		result = brCreateShatterBy(context, turned, device, &inner, outShatter, report);
	}
	if (result >= 0)
	{
		turnShatter(&job, def->density, *outShatter);
	}
	brDestroyMesh(turned);
	BR_FREE(&allocator, job.vertices, mesh->vertexCount);
	BR_FREE(&allocator, sites, def->siteCount);
	return result;
}
