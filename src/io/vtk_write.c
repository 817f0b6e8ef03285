// SPDX-License-Identifier: MIT

// Writing legacy VTK files (version 3.0), ASCII and binary.
//
// Tets and their triangles become an UNSTRUCTURED_GRID, a surface POLYDATA with polygons of any size. Tags and groups
// are the integer cell array "tag". Normals, UVs and colors belong to points here: normals and UVs are written if all
// corners at a vertex agree. Coordinates are float if no bit is lost.

#include "io/cells.h"

#include <string.h>

typedef struct VtkWriter
{
	const brWriteJob* job;
	brOutput output;
	bool isBinary;
	bool isSwapped;
} VtkWriter;

static void vtkPut32(VtkWriter* writer, uint32_t bits)
{
	brOutput_Bits32(&writer->output, writer->isSwapped ? __builtin_bswap32(bits) : bits);
}

static void vtkPutInt(VtkWriter* writer, int32_t value, char end)
{
	if (writer->isBinary)
	{
		vtkPut32(writer, (uint32_t)value);
		return;
	}
	brOutput_Int(&writer->output, value);
	brOutput_Write(&writer->output, &end, 1);
}

static void vtkPutFloat(VtkWriter* writer, float value, char end)
{
	if (writer->isBinary)
	{
		uint32_t bits;
		memcpy(&bits, &value, 4);
		vtkPut32(writer, bits);
		return;
	}
	brOutput_Float(&writer->output, value);
	brOutput_Write(&writer->output, &end, 1);
}

static void vtkPutDouble(VtkWriter* writer, double value, char end)
{
	if (writer->isBinary)
	{
		uint64_t bits;
		memcpy(&bits, &value, 8);
		brOutput_Bits64(&writer->output, writer->isSwapped ? __builtin_bswap64(bits) : bits);
		return;
	}
	brOutput_Double(&writer->output, value);
	brOutput_Write(&writer->output, &end, 1);
}

// Binary numbers end without a line end of their own.
static void vtkPutBreak(VtkWriter* writer)
{
	if (writer->isBinary)
	{
		brOutput_Text(&writer->output, "\n");
	}
}

static bool vtkNeedsDoubles(const brWriteJob* job, const brDVec3* points, int32_t count)
{
	bool isLossy = job->def->doubles;
	for (int32_t i = 0; i < count && !isLossy; ++i)
	{
		brDVec3 back = brToDVec3(brToVec3(points[i]));
		isLossy = back.x != points[i].x || back.y != points[i].y || back.z != points[i].z;
	}
	return isLossy;
}

static void vtkPutPoints(VtkWriter* writer, const char* dataset, const brDVec3* points, int32_t count)
{
	bool isDouble = vtkNeedsDoubles(writer->job, points, count);
	brOutput_Format(&writer->output, "# vtk DataFile Version 3.0\nwritten by brittle\n%s\nDATASET %s\nPOINTS %d %s\n",
					writer->isBinary ? "BINARY" : "ASCII", dataset, count, isDouble ? "double" : "float");
	for (int32_t i = 0; i < count; ++i)
	{
		const double p[3] = {points[i].x, points[i].y, points[i].z};
		for (int32_t k = 0; k < 3; ++k)
		{
			char end = k < 2 ? ' ' : '\n';
			if (isDouble)
			{
				vtkPutDouble(writer, p[k], end);
			}
			else
			{
				vtkPutFloat(writer, (float)p[k], end);
			}
		}
	}
	vtkPutBreak(writer);
}

static void vtkPutCell(VtkWriter* writer, const int32_t* nodes, int32_t size)
{
	vtkPutInt(writer, size, ' ');
	for (int32_t k = 0; k < size; ++k)
	{
		vtkPutInt(writer, nodes[k], k + 1 < size ? ' ' : '\n');
	}
}

static void vtkWriteTets(VtkWriter* writer, const brTetMesh* mesh)
{
	vtkPutPoints(writer, "UNSTRUCTURED_GRID", mesh->nodes, mesh->nodeCount);
	long long cellCount = (long long)mesh->tetCount + mesh->triangleCount;
	brOutput_Format(&writer->output, "CELLS %lld %lld\n", cellCount,
					5 * (long long)mesh->tetCount + 4 * (long long)mesh->triangleCount);
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		vtkPutCell(writer, mesh->tets[t], 4);
	}
	for (int32_t t = 0; t < mesh->triangleCount; ++t)
	{
		vtkPutCell(writer, mesh->triangles[t], 3);
	}
	vtkPutBreak(writer);
	brOutput_Format(&writer->output, "CELL_TYPES %lld\n", cellCount);
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		vtkPutInt(writer, 10, '\n');
	}
	for (int32_t t = 0; t < mesh->triangleCount; ++t)
	{
		vtkPutInt(writer, 5, '\n');
	}
	vtkPutBreak(writer);
	if (mesh->tetTags == NULL && mesh->triangleTags == NULL)
	{
		return;
	}
	brOutput_Format(&writer->output, "CELL_DATA %lld\nSCALARS tag int 1\nLOOKUP_TABLE default\n", cellCount);
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		vtkPutInt(writer, mesh->tetTags != NULL ? mesh->tetTags[t] : 0, '\n');
	}
	for (int32_t t = 0; t < mesh->triangleCount; ++t)
	{
		vtkPutInt(writer, mesh->triangleTags != NULL ? mesh->triangleTags[t] : 0, '\n');
	}
	vtkPutBreak(writer);
}

// Attributes of corners by vertex: [vertexCount * width] floats, null if two corners of a vertex differ or without
// memory. Vertices that no face uses get zeros.
static float* vtkGatherByVertex(const brAllocator* allocator, const brMesh* mesh, const float* corners, int32_t width,
								bool* outMemory)
{
	float* rows = BR_ALLOC_ZERO(allocator, float, (int64_t)mesh->vertexCount* width);
	uint8_t* isSet = BR_ALLOC_ZERO(allocator, uint8_t, mesh->vertexCount);
	*outMemory = rows != NULL && isSet != NULL;
	bool agrees = *outMemory;
	for (int32_t c = 0; c < mesh->cornerCount && agrees; ++c)
	{
		int32_t vertex = mesh->corners[c];
		float* row = rows + (int64_t)width * vertex;
		const float* corner = corners + (int64_t)width * c;
		agrees = !isSet[vertex] || memcmp(row, corner, (size_t)width * sizeof(float)) == 0;
		memcpy(row, corner, (size_t)width * sizeof(float));
		isSet[vertex] = 1;
	}
	BR_FREE(allocator, isSet, mesh->vertexCount);
	if (!agrees)
	{
		BR_FREE(allocator, rows, (int64_t)mesh->vertexCount * width);
		return NULL;
	}
	return rows;
}

static void vtkPutRows(VtkWriter* writer, const char* heading, const float* rows, int32_t count, int32_t width)
{
	brOutput_Text(&writer->output, heading);
	for (int64_t i = 0; i < (int64_t)count * width; ++i)
	{
		vtkPutFloat(writer, rows[i], (i + 1) % width != 0 ? ' ' : '\n');
	}
	vtkPutBreak(writer);
}

// What a surface is written from besides its faces.
typedef struct VtkSurface
{
	const brMesh* mesh;
	brWriteFaces faces;
	int32_t* groupTags;
	float* normals;
	float* uvs;
} VtkSurface;

static void vtkWriteSurface(VtkWriter* writer, const VtkSurface* surface)
{
	const brMesh* mesh = surface->mesh;
	const brWriteFaces* faces = &surface->faces;
	vtkPutPoints(writer, "POLYDATA", mesh->positions, mesh->vertexCount);
	brOutput_Format(&writer->output, "POLYGONS %d %lld\n", faces->count,
					(long long)faces->count + faces->starts[faces->count]);
	for (int32_t f = 0; f < faces->count; ++f)
	{
		vtkPutCell(writer, faces->corners + faces->starts[f], faces->starts[f + 1] - faces->starts[f]);
	}
	vtkPutBreak(writer);
	if (surface->groupTags != NULL)
	{
		brOutput_Format(&writer->output, "CELL_DATA %d\nSCALARS tag int 1\nLOOKUP_TABLE default\n", faces->count);
		for (int32_t f = 0; f < faces->count; ++f)
		{
			vtkPutInt(writer, brFaceTag(mesh, surface->groupTags, faces->origins != NULL ? faces->origins[f] : f),
					  '\n');
		}
		vtkPutBreak(writer);
	}
	if (surface->normals != NULL || surface->uvs != NULL || mesh->colors != NULL)
	{
		brOutput_Format(&writer->output, "POINT_DATA %d\n", mesh->vertexCount);
	}
	if (mesh->colors != NULL)
	{
		vtkPutRows(writer, "SCALARS colors float 4\nLOOKUP_TABLE default\n", (const float*)mesh->colors,
				   mesh->vertexCount, 4);
	}
	if (surface->normals != NULL)
	{
		vtkPutRows(writer, "NORMALS normals float\n", surface->normals, mesh->vertexCount, 3);
	}
	if (surface->uvs != NULL)
	{
		vtkPutRows(writer, "TEXTURE_COORDINATES uvs 2 float\n", surface->uvs, mesh->vertexCount, 2);
	}
}

static brResult vtkPrepareSurface(const brWriteJob* job, VtkSurface* surface, brRemarks* remarks)
{
	const brMesh* mesh = surface->mesh;
	bool isNamed = false;
	bool hasMemory = true;
	if (mesh->faceGroups != NULL)
	{
		surface->groupTags = brMakeGroupTags(&job->allocator, mesh, &isNamed);
		hasMemory = surface->groupTags != NULL;
	}
	if (mesh->normals != NULL && hasMemory)
	{
		surface->normals = vtkGatherByVertex(&job->allocator, mesh, (const float*)mesh->normals, 3, &hasMemory);
	}
	if (mesh->uvs != NULL && hasMemory)
	{
		surface->uvs = vtkGatherByVertex(&job->allocator, mesh, (const float*)mesh->uvs, 2, &hasMemory);
	}
	if (!hasMemory)
	{
		return brFailMemory(job->report);
	}
	brSurfaceHolds holds = {.colors = true, .groups = !isNamed};
	holds.normals = surface->normals != NULL;
	holds.uvs = surface->uvs != NULL;
	brRemarkSurfaceLosses(mesh, holds, "VTK files (corners of a vertex must agree)", remarks);
	return brWriteFaces_Open(&surface->faces, job, mesh, INT32_MAX, remarks);
}

brResult brWriteVtk(const brWriteJob* job)
{
	VtkWriter writer = {.job = job, .isBinary = !job->def->ascii, .isSwapped = !brIsBigEndianHost()};
	VtkSurface surface = {.faces.allocator = job->allocator};
	brRemarks remarks = {0};
	brCellSource source = {0};
	brResult result = brCellSource_Open(&source, job, &remarks);
	surface.mesh = source.surface;
	if (result >= 0 && source.surface != NULL)
	{
		result = vtkPrepareSurface(job, &surface, &remarks);
	}
	result = result < 0 ? result : brOutput_Open(&writer.output, &job->allocator, job->path, job->report);
	if (result >= 0)
	{
		if (source.tets != NULL)
		{
			vtkWriteTets(&writer, source.tets);
		}
		else
		{
			vtkWriteSurface(&writer, &surface);
		}
		result = brOutput_Commit(&writer.output, job->report);
	}
	if (surface.mesh != NULL)
	{
		BR_FREE(&job->allocator, surface.groupTags, surface.mesh->groupCount);
		BR_FREE(&job->allocator, surface.normals, 3 * (int64_t)surface.mesh->vertexCount);
		BR_FREE(&job->allocator, surface.uvs, 2 * (int64_t)surface.mesh->vertexCount);
	}
	brWriteFaces_Close(&surface.faces);
	brCellSource_Close(&source);
	return result < 0 ? result : brRemarks_Report(&remarks, job->path, job->report);
}
