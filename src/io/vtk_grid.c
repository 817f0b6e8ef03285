// SPDX-License-Identifier: MIT

// From VTK's points and cells to a mesh.

#include "io/vtk_grid.h"

#include <string.h>

bool brVtk_SameWord(const char* word, size_t length, const char* lower)
{
	for (size_t i = 0; i < length; ++i)
	{
		char c = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] - 'A' + 'a') : word[i];
		if (lower[i] == 0 || c != lower[i])
		{
			return false;
		}
	}
	return lower[length] == 0;
}

brNumberType brVtk_NumberType(const char* name, size_t length)
{
	static const struct
	{
		const char* name;
		brNumberType type;
	} names[] = {
		{"float", br_numberFloat},
		{"float32", br_numberFloat},
		{"double", br_numberDouble},
		{"float64", br_numberDouble},
		{"int", br_numberInt32},
		{"int32", br_numberInt32},
		{"vtkidtype", br_numberInt32}, // legacy files write ids as int
		{"vtktypeint32", br_numberInt32},
		{"unsigned_int", br_numberUint32},
		{"uint32", br_numberUint32},
		{"vtktypeuint32", br_numberUint32},
		{"long", br_numberInt64},
		{"int64", br_numberInt64},
		{"vtktypeint64", br_numberInt64},
		{"unsigned_long", br_numberUint64},
		{"uint64", br_numberUint64},
		{"vtktypeuint64", br_numberUint64},
		{"short", br_numberInt16},
		{"int16", br_numberInt16},
		{"unsigned_short", br_numberUint16},
		{"uint16", br_numberUint16},
		{"char", br_numberInt8},
		{"int8", br_numberInt8},
		{"signed_char", br_numberInt8},
		{"unsigned_char", br_numberUint8},
		{"uint8", br_numberUint8},
		{"bit", br_numberBit},
		{"string", br_numberString},
	};
	for (int32_t i = 0; i < BR_COUNT(names); ++i)
	{
		if (brVtk_SameWord(name, length, names[i].name))
		{
			return names[i].type;
		}
	}
	return br_numberNone;
}

bool brVtk_LoadInt(brNumberType type, const uint8_t* bytes, bool isSwapped, int64_t* outValue)
{
	if (type == br_numberFloat || type == br_numberDouble)
	{
		double value = brLoadNumber(type, bytes, isSwapped);
		if (!(fabs(value) < 0x1p53) || floor(value) != value)
		{
			return false;
		}
		*outValue = (int64_t)value;
		return true;
	}
	*outValue = brLoadWhole(type, bytes, isSwapped);
	return type != br_numberUint64 || *outValue >= 0;
}

bool brVtk_IsTagName(const char* name, size_t length)
{
	static const char* const names[] = {"tag",           "tags",      "material", "materialids",   "material_id",
										"region",        "regions",   "regionid", "cellentityids", "cell_tags",
										"gmsh:physical", "medit:ref", "physical", "attribute"};
	for (int32_t i = 0; i < BR_COUNT(names); ++i)
	{
		if (brVtk_SameWord(name, length, names[i]))
		{
			return true;
		}
	}
	return false;
}

bool brVtk_IsColorName(const char* name, size_t length)
{
	return brVtk_SameWord(name, length, "colors") || brVtk_SameWord(name, length, "color") ||
		   brVtk_SameWord(name, length, "rgba") || brVtk_SameWord(name, length, "rgb");
}

void brVtkGrid_Init(brVtkGrid* grid, const brAllocator* allocator)
{
	memset(grid, 0, sizeof(*grid));
	grid->allocator = *allocator;
}

void brVtkGrid_Free(brVtkGrid* grid)
{
	const brAllocator* allocator = &grid->allocator;
	BR_FREE(allocator, grid->normals, grid->attributeCount);
	BR_FREE(allocator, grid->uvs, grid->attributeCount);
	BR_FREE(allocator, grid->colors, grid->attributeCount);
	BR_FREE_ARRAY(allocator, &grid->points);
	BR_FREE_ARRAY(allocator, &grid->corners);
	BR_FREE_ARRAY(allocator, &grid->ends);
	BR_FREE_ARRAY(allocator, &grid->types);
	BR_FREE_ARRAY(allocator, &grid->tags);
	memset(grid, 0, sizeof(*grid));
	grid->allocator = *allocator;
}

// What becomes of a cell type.
typedef struct VtkCellRule
{
	uint8_t points;  // that a cell of this type has, 0: any number
	uint8_t corners; // that are kept, 0: all
	uint8_t kind;    // brDroppedKind, or the two below
} VtkCellRule;

#define VTK_KIND_FACE br_droppedKindCount
#define VTK_KIND_TET (br_droppedKindCount + 1)

static VtkCellRule vtkCellRule(uint8_t type)
{
	switch (type)
	{
		case 1: // vertex, vertices
		case 2:
			return (VtkCellRule){0, 0, br_droppedPoints};
		case 3: // lines, straight and curved
		case 4:
		case 21:
		case 35:
		case 68:
		case 75:
			return (VtkCellRule){0, 0, br_droppedLines};
		case br_vtkTriangle:
			return (VtkCellRule){3, 0, VTK_KIND_FACE};
		case br_vtkStrip:
		case br_vtkPolygon:
			return (VtkCellRule){0, 0, VTK_KIND_FACE};
		case br_vtkPixel:
		case br_vtkQuad:
			return (VtkCellRule){4, 0, VTK_KIND_FACE};
		case br_vtkTet:
			return (VtkCellRule){4, 0, VTK_KIND_TET};
		case 22: // curved triangles
			return (VtkCellRule){6, 3, VTK_KIND_FACE};
		case 34:
			return (VtkCellRule){7, 3, VTK_KIND_FACE};
		case 69:
		case 76:
			return (VtkCellRule){0, 3, VTK_KIND_FACE};
		case 23: // curved quads
			return (VtkCellRule){8, 4, VTK_KIND_FACE};
		case 28:
			return (VtkCellRule){9, 4, VTK_KIND_FACE};
		case 70:
		case 77:
			return (VtkCellRule){0, 4, VTK_KIND_FACE};
		case 24: // curved tets
			return (VtkCellRule){10, 4, VTK_KIND_TET};
		case 71:
		case 78:
			return (VtkCellRule){0, 4, VTK_KIND_TET};
		case 11: // voxel, hexahedron, and curved ones
		case 12:
		case 25:
		case 29:
		case 33:
		case 72:
		case 79:
			return (VtkCellRule){0, 0, br_droppedHexahedra};
		case 13:
		case 26:
		case 31:
		case 32:
		case 73:
		case 80:
			return (VtkCellRule){0, 0, br_droppedPrisms};
		case 14:
		case 27:
		case 74:
		case 81:
			return (VtkCellRule){0, 0, br_droppedPyramids};
		default:
			return (VtkCellRule){0, 0, br_droppedOthers};
	}
}

static bool vtkAddStrip(brFileCells* cells, const int32_t* corners, int32_t size, int32_t tag)
{
	bool ok = true;
	for (int32_t i = 0; i + 2 < size && ok; ++i)
	{
		// Every second triangle of a strip runs the other way.
		int32_t triangle[3] = {corners[i], corners[i + 1 + i % 2], corners[i + 2 - i % 2]};
		ok = brFileCells_AddFace(cells, triangle, 3, tag);
	}
	return ok;
}

static brResult vtkAddCell(const brVtkGrid* grid, const brReadJob* job, int32_t cell, brFileCells* cells)
{
	int32_t start = cell > 0 ? grid->ends.data[cell - 1] : 0;
	int32_t size = grid->ends.data[cell] - start;
	const int32_t* corners = grid->corners.data + start;
	int32_t tag = grid->tags.count > 0 ? grid->tags.data[cell] : 0;
	VtkCellRule rule = vtkCellRule(grid->types.data[cell]);
	if (rule.kind < br_droppedKindCount)
	{
		cells->dropped[rule.kind] += 1;
		return br_success;
	}
	for (int32_t k = 0; k < size; ++k)
	{
		if (corners[k] < 0 || corners[k] >= grid->points.count)
		{
			return brFailAt(job->report, br_errorFormat, cell, "%.100s: cell %d names point %d, there are %d",
							job->name, cell, corners[k], grid->points.count);
		}
	}
	if ((rule.points > 0 && size != rule.points) || size < rule.corners)
	{
		return brFailAt(job->report, br_errorFormat, cell, "%.100s: cell %d of type %d has %d points", job->name, cell,
						grid->types.data[cell], size);
	}
	cells->flattened += rule.corners > 0;
	size = rule.corners > 0 ? rule.corners : size;
	bool ok;
	if (rule.kind == VTK_KIND_TET)
	{
		ok = brFileCells_AddTet(cells, corners, tag);
	}
	else if (grid->types.data[cell] == br_vtkStrip)
	{
		ok = vtkAddStrip(cells, corners, size, tag);
	}
	else if (grid->types.data[cell] == br_vtkPixel)
	{
		int32_t quad[4] = {corners[0], corners[1], corners[3], corners[2]};
		ok = brFileCells_AddFace(cells, quad, 4, tag);
	}
	else
	{
		ok = brFileCells_AddFace(cells, corners, size, tag);
	}
	return ok ? br_success : brFailMemory(job->report);
}

brResult brVtkGrid_Finish(brVtkGrid* grid, const brReadJob* job, brAssembly* assembly, brRemarks* remarks)
{
	brFileCells cells;
	brFileCells_Init(&cells, &grid->allocator);
	int32_t tetCount = 0;
	for (int32_t c = 0; c < grid->types.count; ++c)
	{
		tetCount += grid->types.data[c] == br_vtkTet;
	}
	bool hasRoom = tetCount == 0 || brFileCells_ReserveTets(&cells, tetCount);
	brResult result = hasRoom ? br_success : brFailMemory(job->report);
	for (int32_t c = 0; c < grid->ends.count && result >= 0; ++c)
	{
		result = vtkAddCell(grid, job, c, &cells);
	}
	if (result >= 0)
	{
		// Points and attributes change hands.
		cells.nodes.data = grid->points.data;
		cells.nodes.count = grid->points.count;
		cells.nodes.capacity = grid->points.capacity;
		cells.normals = grid->normals;
		cells.uvs = grid->uvs;
		cells.colors = grid->colors;
		cells.attributeCount = grid->attributeCount;
		grid->points.data = NULL;
		grid->points.count = 0;
		grid->points.capacity = 0;
		grid->normals = NULL;
		grid->uvs = NULL;
		grid->colors = NULL;
		result = brFileCells_Finish(&cells, job, assembly, remarks);
	}
	brFileCells_Free(&cells);
	brVtkGrid_Free(grid);
	return result;
}
