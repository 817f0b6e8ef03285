// SPDX-License-Identifier: MIT

// Reading legacy VTK files: UNSTRUCTURED_GRID and POLYDATA, ASCII and binary (always big-endian).
//
//     # vtk DataFile Version 3.0
//     title
//     ASCII | BINARY
//     DATASET UNSTRUCTURED_GRID
//     POINTS n type  CELLS n size | CELLS n+1 size OFFSETS type CONNECTIVITY type  CELL_TYPES n
//     CELL_DATA n  POINT_DATA n  SCALARS name type ...
//
// Held of the attributes: cell tags (see brVtk_IsTagName), point normals, two texture coordinates, colors. The rest is
// passed over. Words count in any case, and line ends do not matter between numbers.

#include "io/text.h"
#include "io/vtk_grid.h"

#include <string.h>

typedef struct VtkFile
{
	const brReadJob* job;
	brTextCursor text; // binary files too: `at` is the place
	bool isBinary;
	bool isSwapped;
	bool isPolyData;
	bool hasPoints;
	bool stopped; // at something that has no known size
	brVtkGrid grid;
	BR_ARRAY(int32_t) rawTags; // in the order of cell data
	brRemarks remarks;
} VtkFile;

#define VTK_FAIL(file, ...)                                                                                            \
	((file)->isBinary                                                                                                  \
		 ? brFailByte((file)->job, (size_t)((const uint8_t*)(file)->text.at - (file)->job->bytes), __VA_ARGS__)        \
		 : brFailLine((file)->job, (file)->text.line, __VA_ARGS__))

// A word of the text, by place.
typedef struct VtkWord
{
	const char* start;
	size_t length;
} VtkWord;

static VtkWord vtkLineWord(VtkFile* file)
{
	VtkWord word;
	brText_SkipBlanks(&file->text);
	word.length = brText_Word(&file->text, &word.start);
	return word;
}

static VtkWord vtkWord(VtkFile* file)
{
	brText_SkipSpace(&file->text, 0);
	return vtkLineWord(file);
}

static bool vtkIs(VtkWord word, const char* lower)
{
	return brVtk_SameWord(word.start, word.length, lower);
}

static size_t vtkLeft(const VtkFile* file)
{
	return (size_t)(file->text.end - file->text.at);
}

// Numbers

// Could `count` numbers of the type follow? Called at the end of the line that announces them.
static brResult vtkStartNumbers(VtkFile* file, brNumberType type, int64_t count, const char* what)
{
	if (file->isBinary)
	{
		brText_NextLine(&file->text);
	}
	size_t bytes = brNumberType_Bytes(type);
	bool fits = file->isBinary ? bytes > 0 && (uint64_t)count <= vtkLeft(file) / bytes
							   : (uint64_t)count <= vtkLeft(file) / 2 + 1;
	return count >= 0 && fits ? br_success
							  : VTK_FAIL(file, "%s: %lld numbers cannot follow in the %zu bytes that are left", what,
										 (long long)count, vtkLeft(file));
}

static inline bool vtkNextDouble(VtkFile* file, brNumberType type, double* outValue)
{
	if (file->isBinary)
	{
		*outValue = brLoadNumber(type, (const uint8_t*)file->text.at, file->isSwapped);
		file->text.at += brNumberType_Bytes(type);
		return true;
	}
	brText_SkipSpace(&file->text, 0);
	if (type != br_numberFloat)
	{
		return brText_Double(&file->text, outValue);
	}
	float value;
	bool ok = brText_Float(&file->text, &value);
	*outValue = ok ? (double)value : *outValue;
	return ok;
}

static inline bool vtkNextInt(VtkFile* file, brNumberType type, int64_t* outValue)
{
	if (file->isBinary)
	{
		const uint8_t* bytes = (const uint8_t*)file->text.at;
		file->text.at += brNumberType_Bytes(type);
		return brVtk_LoadInt(type, bytes, file->isSwapped, outValue);
	}
	brText_SkipSpace(&file->text, 0);
	return brText_Int64(&file->text, outValue);
}

static brResult vtkSkipNumbers(VtkFile* file, brNumberType type, int64_t count)
{
	if (file->isBinary && type == br_numberBit && count >= 0)
	{
		brText_NextLine(&file->text);
		uint64_t bytes = (uint64_t)count / 8 + (count % 8 != 0);
		if (bytes > vtkLeft(file))
		{
			return VTK_FAIL(file, "%lld bits cannot follow in the %zu bytes that are left", (long long)count,
							vtkLeft(file));
		}
		file->text.at += bytes;
		return br_success;
	}
	brResult result = vtkStartNumbers(file, type, count, "attributes");
	if (result < 0 || file->isBinary)
	{
		file->text.at += result < 0 ? 0 : brNumberType_Bytes(type) * (size_t)count;
		return result;
	}
	for (int64_t i = 0; i < count; ++i)
	{
		VtkWord word = vtkWord(file);
		if (word.length == 0)
		{
			return VTK_FAIL(file, "the file ends inside attributes");
		}
	}
	return br_success;
}

static bool vtkLineInt(VtkFile* file, int64_t* outValue)
{
	return brText_Int64(&file->text, outValue);
}

static brNumberType vtkTypeWord(VtkFile* file)
{
	VtkWord word = vtkLineWord(file);
	return brVtk_NumberType(word.start, word.length);
}

// Geometry

static brResult vtkReadPoints(VtkFile* file)
{
	int64_t count;
	if (!vtkLineInt(file, &count) || count < 0 || file->hasPoints)
	{
		return VTK_FAIL(file, file->hasPoints ? "POINTS come twice" : "POINTS needs a number of points and a type");
	}
	brNumberType type = vtkTypeWord(file);
	if (brNumberType_Bytes(type) == 0)
	{
		return VTK_FAIL(file, "POINTS has an unknown type");
	}
	if (count > INT32_MAX / 3)
	{
		return brFail(file->job->report, br_errorLimit, "%.100s: %lld points are more than 32 bits can count",
					  file->job->name, (long long)count);
	}
	brResult result = vtkStartNumbers(file, type, 3 * count, "POINTS");
	if (result < 0)
	{
		return result;
	}
	if (!BR_RESERVE(&file->job->allocator, &file->grid.points, count))
	{
		return brFailMemory(file->job->report);
	}
	file->hasPoints = true;
	for (int64_t i = 0; i < count; ++i)
	{
		brDVec3 p;
		if (!vtkNextDouble(file, type, &p.x) || !vtkNextDouble(file, type, &p.y) || !vtkNextDouble(file, type, &p.z))
		{
			return VTK_FAIL(file, "point %lld of %lld is missing or is no number", (long long)i, (long long)count);
		}
		if (!brDIsFinite(p))
		{
			return VTK_FAIL(file, "point %lld is not finite", (long long)i);
		}
		file->grid.points.data[file->grid.points.count++] = p;
	}
	return br_success;
}

static brResult vtkReadCorner(VtkFile* file, brNumberType type, int64_t cell)
{
	int64_t corner;
	if (!vtkNextInt(file, type, &corner) || corner < 0 || corner > INT32_MAX)
	{
		return VTK_FAIL(file, "cell %lld names no point where one is needed", (long long)cell);
	}
	file->grid.corners.data[file->grid.corners.count++] = (int32_t)corner;
	return br_success;
}

// Version 5: where each cell ends, then all corners.
static brResult vtkReadOffsets(VtkFile* file, int64_t offsetCount, int64_t cornerCount, int32_t base)
{
	brVtkGrid* grid = &file->grid;
	brNumberType type = vtkTypeWord(file);
	if (brNumberType_Bytes(type) == 0)
	{
		return VTK_FAIL(file, "OFFSETS has an unknown type");
	}
	brResult result = vtkStartNumbers(file, type, offsetCount, "OFFSETS");
	if (result < 0)
	{
		return result;
	}
	if (!BR_RESERVE(&file->job->allocator, &grid->ends, offsetCount))
	{
		return brFailMemory(file->job->report);
	}
	int64_t previous = 0;
	for (int64_t i = 0; i < offsetCount; ++i)
	{
		int64_t offset;
		if (!vtkNextInt(file, type, &offset) || offset < previous || offset > cornerCount || (i == 0 && offset != 0))
		{
			return VTK_FAIL(file, "offset %lld does not rise from 0 to %lld", (long long)i, (long long)cornerCount);
		}
		if (i > 0)
		{
			grid->ends.data[grid->ends.count++] = base + (int32_t)offset;
		}
		previous = offset;
	}
	VtkWord word = vtkWord(file);
	type = vtkTypeWord(file);
	if (!vtkIs(word, "connectivity") || brNumberType_Bytes(type) == 0 || previous != cornerCount)
	{
		return VTK_FAIL(file, "CONNECTIVITY with a type and as many corners as the offsets end with must follow");
	}
	result = vtkStartNumbers(file, type, cornerCount, "CONNECTIVITY");
	for (int64_t i = 0; i < cornerCount && result >= 0; ++i)
	{
		result = vtkReadCorner(file, type, i);
	}
	return result;
}

// Before version 5: the number of corners in front of each cell.
static brResult vtkReadSizes(VtkFile* file, int64_t count, int64_t total)
{
	brVtkGrid* grid = &file->grid;
	brResult result = vtkStartNumbers(file, br_numberInt32, total, "cells");
	if (result < 0)
	{
		return result;
	}
	int64_t left = total;
	for (int64_t i = 0; i < count; ++i)
	{
		int64_t size;
		if (left < 1 || !vtkNextInt(file, br_numberInt32, &size) || size < 0 || size > left - 1)
		{
			return VTK_FAIL(file, "cell %lld is missing or longer than the list", (long long)i);
		}
		left -= 1 + size;
		for (int64_t k = 0; k < size && result >= 0; ++k)
		{
			result = vtkReadCorner(file, br_numberInt32, i);
		}
		if (result < 0)
		{
			return result;
		}
		if (!BR_PUSH(&file->job->allocator, &grid->ends, grid->corners.count))
		{
			return brFailMemory(file->job->report);
		}
	}
	return left == 0 ? br_success : VTK_FAIL(file, "the cells leave %lld numbers of their list over", (long long)left);
}

// CELLS, or a list of one type in POLYDATA (0: the types come later).
static brResult vtkReadCells(VtkFile* file, uint8_t type)
{
	brVtkGrid* grid = &file->grid;
	int64_t count;
	int64_t total;
	if (!vtkLineInt(file, &count) || !vtkLineInt(file, &total) || count < 0 || total < 0)
	{
		return VTK_FAIL(file, "a list of cells needs two numbers");
	}
	size_t left = vtkLeft(file);
	size_t smallest = file->isBinary ? 1 : 2; // bytes a number takes at least
	if ((uint64_t)count > left / smallest + 1 || (uint64_t)total > left / smallest + 1)
	{
		return VTK_FAIL(file, "%lld cells with %lld numbers cannot follow in the %zu bytes that are left",
						(long long)count, (long long)total, left);
	}
	if (total > INT32_MAX - grid->corners.count || count > INT32_MAX - grid->ends.count)
	{
		return brFail(file->job->report, br_errorLimit, "%.100s: more cells than 32 bits can count", file->job->name);
	}
	if (!BR_RESERVE(&file->job->allocator, &grid->corners, total) ||
		!BR_RESERVE(&file->job->allocator, &grid->ends, count))
	{
		return brFailMemory(file->job->report);
	}
	int32_t first = grid->ends.count;
	brTextCursor ahead = file->text;
	brResult result;
	if (vtkIs(vtkWord(file), "offsets"))
	{
		result = vtkReadOffsets(file, count, total, grid->corners.count);
	}
	else
	{
		file->text = ahead;
		result = vtkReadSizes(file, count, total);
	}
	for (int32_t c = first; c < grid->ends.count && result >= 0 && type != 0; ++c)
	{
		result = BR_PUSH(&file->job->allocator, &grid->types, type) ? br_success : brFailMemory(file->job->report);
	}
	return result;
}

static brResult vtkReadCellTypes(VtkFile* file)
{
	int64_t count;
	if (!vtkLineInt(file, &count) || count != file->grid.ends.count || file->grid.types.count > 0)
	{
		return VTK_FAIL(file, "CELL_TYPES does not fit the %d cells", file->grid.ends.count);
	}
	brResult result = vtkStartNumbers(file, br_numberInt32, count, "CELL_TYPES");
	if (result >= 0 && !BR_RESERVE(&file->job->allocator, &file->grid.types, count))
	{
		return brFailMemory(file->job->report);
	}
	for (int64_t i = 0; i < count && result >= 0; ++i)
	{
		int64_t type;
		if (!vtkNextInt(file, br_numberInt32, &type) || type < 0 || type > 255)
		{
			return VTK_FAIL(file, "the type of cell %lld is missing or out of range", (long long)i);
		}
		file->grid.types.data[file->grid.types.count++] = (uint8_t)type;
	}
	return result;
}

// Attributes

typedef struct VtkAttribute
{
	VtkWord name;
	brNumberType type;
	int64_t components;
	int64_t count; // of tuples
	bool isCellData;
	bool isPointData;
	bool isNormals, isUvs, isColors;
} VtkAttribute;

static brResult vtkReadTags(VtkFile* file, const VtkAttribute* attribute)
{
	brResult result = vtkStartNumbers(file, attribute->type, attribute->count, "tags");
	if (result >= 0 && !BR_RESERVE(&file->job->allocator, &file->rawTags, attribute->count))
	{
		return brFailMemory(file->job->report);
	}
	bool isWhole = true;
	for (int64_t i = 0; i < attribute->count && result >= 0; ++i)
	{
		double value;
		if (!vtkNextDouble(file, attribute->type, &value))
		{
			return VTK_FAIL(file, "the tag of cell %lld is missing", (long long)i);
		}
		bool isTag = value >= INT32_MIN && value <= INT32_MAX && floor(value) == value;
		file->rawTags.data[file->rawTags.count++] = isTag ? (int32_t)value : 0;
		isWhole = isWhole && isTag;
	}
	if (result >= 0 && !isWhole)
	{
		file->rawTags.count = 0;
		brRemarks_Add(&file->remarks, br_remarkDropped, "cell numbers that are not whole are left out");
	}
	return result;
}

// Point attributes of 2, 3 or 4 floats into rows of `width` floats.
static brResult vtkReadFloats(VtkFile* file, const VtkAttribute* attribute, float* rows, int32_t width)
{
	brResult result = vtkStartNumbers(file, attribute->type, attribute->count * attribute->components, "attributes");
	float scale = attribute->isColors && attribute->type == br_numberUint8 ? 255.0f : 1.0f;
	for (int64_t i = 0; i < attribute->count && result >= 0; ++i)
	{
		for (int32_t k = 0; k < width; ++k)
		{
			double value = 1.0; // the alpha that is not there
			if (k < attribute->components && !vtkNextDouble(file, attribute->type, &value))
			{
				return VTK_FAIL(file, "the attribute of point %lld is missing", (long long)i);
			}
			if (!isfinite(value))
			{
				return VTK_FAIL(file, "the attribute of point %lld is not finite", (long long)i);
			}
			rows[width * i + k] = k < attribute->components ? (float)value / scale : 1.0f;
		}
	}
	return result;
}

static brResult vtkReadAttributeData(VtkFile* file, const VtkAttribute* attribute)
{
	brVtkGrid* grid = &file->grid;
	if (attribute->components < 1 || attribute->components > 4096 || attribute->count < 0 ||
		attribute->count > INT64_MAX / 4096)
	{
		return VTK_FAIL(file, "the attribute %.*s has odd numbers", (int)(attribute->name.length & 63),
						attribute->name.start);
	}
	if (attribute->type == br_numberNone || attribute->type == br_numberString)
	{
		file->stopped = true;
		brRemarks_Add(&file->remarks, br_remarkDropped, "attributes from %.*s on are left out",
					  (int)(attribute->name.length & 63), attribute->name.start);
		return br_success;
	}
	bool isSized = brNumberType_Bytes(attribute->type) > 0;
	if (attribute->isCellData && isSized && attribute->components == 1 && file->rawTags.count == 0 &&
		attribute->count == grid->ends.count && brVtk_IsTagName(attribute->name.start, attribute->name.length))
	{
		return vtkReadTags(file, attribute);
	}
	bool isHeld = attribute->isPointData && isSized && file->hasPoints && attribute->count == grid->points.count;
	const brAllocator* allocator = &file->job->allocator;
	if (isHeld && attribute->isNormals && grid->normals == NULL)
	{
		grid->attributeCount = grid->points.count;
		grid->normals = BR_ALLOC(allocator, brVec3, attribute->count);
		return grid->normals != NULL ? vtkReadFloats(file, attribute, &grid->normals[0].x, 3)
									 : brFailMemory(file->job->report);
	}
	if (isHeld && attribute->isUvs && attribute->components == 2 && grid->uvs == NULL)
	{
		grid->attributeCount = grid->points.count;
		grid->uvs = BR_ALLOC(allocator, brVec2, attribute->count);
		return grid->uvs != NULL ? vtkReadFloats(file, attribute, &grid->uvs[0].x, 2) : brFailMemory(file->job->report);
	}
	if (isHeld && attribute->isColors && (attribute->components == 3 || attribute->components == 4) &&
		grid->colors == NULL)
	{
		grid->attributeCount = grid->points.count;
		grid->colors = BR_ALLOC(allocator, brVec4, attribute->count);
		return grid->colors != NULL ? vtkReadFloats(file, attribute, &grid->colors[0].x, 4)
									: brFailMemory(file->job->report);
	}
	return vtkSkipNumbers(file, attribute->type, attribute->count * attribute->components);
}

// METADATA runs to the next empty line.
static void vtkSkipMetadata(VtkFile* file)
{
	bool isBlank = false;
	while (!isBlank && file->text.at < file->text.end)
	{
		brText_NextLine(&file->text);
		brText_SkipBlanks(&file->text);
		isBlank = brText_AtLineEnd(&file->text);
	}
}

// FIELD name n, then n times: name components tuples type, numbers.
static brResult vtkReadField(VtkFile* file, bool isCellData, bool isPointData)
{
	int64_t count;
	vtkLineWord(file);
	if (!vtkLineInt(file, &count) || count < 0)
	{
		return VTK_FAIL(file, "FIELD needs a name and a number of arrays");
	}
	brResult result = br_success;
	for (int64_t i = 0; i < count && result >= 0 && !file->stopped; ++i)
	{
		VtkAttribute array = {.isCellData = isCellData, .isPointData = isPointData};
		array.name = vtkWord(file);
		if (vtkIs(array.name, "metadata"))
		{
			vtkSkipMetadata(file);
			array.name = vtkWord(file);
		}
		if (!vtkLineInt(file, &array.components) || !vtkLineInt(file, &array.count))
		{
			return VTK_FAIL(file, "array %lld of a FIELD needs name, components, tuples and type", (long long)i + 1);
		}
		array.isColors = brVtk_IsColorName(array.name.start, array.name.length);
		array.type = vtkTypeWord(file);
		result = array.components == 0 || array.count == 0 ? br_success : vtkReadAttributeData(file, &array);
	}
	return result;
}

static brResult vtkReadAttribute(VtkFile* file, VtkWord keyword, int64_t count, bool isCellData)
{
	VtkAttribute attribute = {.count = count, .isCellData = isCellData, .isPointData = !isCellData, .components = 1};
	attribute.name = vtkLineWord(file);
	attribute.isNormals = vtkIs(keyword, "normals");
	attribute.isUvs = vtkIs(keyword, "texture_coordinates");
	bool isScalars = vtkIs(keyword, "scalars");
	bool isTable = vtkIs(keyword, "lookup_table");
	bool isColorScalars = vtkIs(keyword, "color_scalars");
	bool hasType = isScalars || vtkIs(keyword, "global_ids") || vtkIs(keyword, "pedigree_ids");
	if (attribute.isNormals || vtkIs(keyword, "vectors"))
	{
		attribute.components = 3;
		hasType = true;
	}
	else if (vtkIs(keyword, "tensors") || vtkIs(keyword, "tensors6"))
	{
		attribute.components = vtkIs(keyword, "tensors") ? 9 : 6;
		hasType = true;
	}
	else if (attribute.isUvs || isColorScalars)
	{
		hasType = attribute.isUvs;
		if (!vtkLineInt(file, &attribute.components))
		{
			return VTK_FAIL(file, "%.*s needs a number of components", (int)keyword.length, keyword.start);
		}
		attribute.isColors = isColorScalars;
		attribute.type = file->isBinary ? br_numberUint8 : br_numberFloat; // as the format has it
	}
	else if (isTable)
	{
		if (!vtkLineInt(file, &attribute.count))
		{
			return VTK_FAIL(file, "LOOKUP_TABLE needs a number of colors");
		}
		attribute.components = 4;
		attribute.isPointData = false;
		attribute.type = file->isBinary ? br_numberUint8 : br_numberFloat;
	}
	if (hasType)
	{
		attribute.type = vtkTypeWord(file);
	}
	if (isScalars)
	{
		int64_t components;
		attribute.components = vtkLineInt(file, &components) ? components : 1;
		attribute.isColors = brVtk_IsColorName(attribute.name.start, attribute.name.length);

		// The table of the colors is named on the next line, in most files.
		brTextCursor ahead = file->text;
		brText_NextLine(&file->text);
		if (vtkIs(vtkLineWord(file), "lookup_table"))
		{
			vtkLineWord(file);
		}
		else
		{
			file->text = ahead;
		}
	}
	return vtkReadAttributeData(file, &attribute);
}

// Sections

static brResult vtkReadHeader(VtkFile* file)
{
	if (vtkLeft(file) < 5 || memcmp(file->text.at, "# vtk", 5) != 0)
	{
		return VTK_FAIL(file, "a VTK file starts with '# vtk DataFile Version'");
	}
	brText_NextLine(&file->text);
	brText_NextLine(&file->text); // the title
	VtkWord word = vtkWord(file);
	bool isBinary = vtkIs(word, "binary");
	if (!isBinary && !vtkIs(word, "ascii"))
	{
		return VTK_FAIL(file, "ASCII or BINARY is expected here");
	}
	word = vtkWord(file);
	VtkWord kind = vtkLineWord(file);
	if (!vtkIs(word, "dataset"))
	{
		return VTK_FAIL(file, "DATASET is expected here");
	}
	file->isPolyData = vtkIs(kind, "polydata");
	if (!file->isPolyData && !vtkIs(kind, "unstructured_grid"))
	{
		return brFail(file->job->report, br_errorUnsupported,
					  "%.100s: a dataset of the kind %.*s is not read, UNSTRUCTURED_GRID and POLYDATA are",
					  file->job->name, (int)(kind.length < 40 ? kind.length : 40), kind.start);
	}
	file->isBinary = isBinary;
	return br_success;
}

// A word of the file for a sentence: what is quoted stays short.
static int vtkQuoteLength(VtkWord word)
{
	return (int)(word.length < 40 ? word.length : 40);
}

static brResult vtkReadGeometry(VtkFile* file, VtkWord word)
{
	static const struct
	{
		const char* name;
		uint8_t type;
	} lists[] = {{"vertices", br_vtkPolyVertex},
				 {"lines", br_vtkPolyLine},
				 {"polygons", br_vtkPolygon},
				 {"triangle_strips", br_vtkStrip}};
	if (vtkIs(word, "points"))
	{
		return vtkReadPoints(file);
	}
	for (int32_t i = 0; i < 4 && file->isPolyData; ++i)
	{
		if (vtkIs(word, lists[i].name))
		{
			return vtkReadCells(file, lists[i].type);
		}
	}
	if (!file->isPolyData && vtkIs(word, "cells") && file->grid.ends.count == 0)
	{
		return vtkReadCells(file, 0);
	}
	if (!file->isPolyData && vtkIs(word, "cell_types"))
	{
		return vtkReadCellTypes(file);
	}
	return VTK_FAIL(file, "'%.*s' is not expected here", vtkQuoteLength(word), word.start);
}

static bool vtkIsAttribute(VtkWord word)
{
	static const char* const known[] = {"scalars",      "vectors",   "normals",      "texture_coordinates",
										"tensors",      "tensors6",  "lookup_table", "color_scalars",
										"pedigree_ids", "global_ids"};
	for (int32_t i = 0; i < BR_COUNT(known); ++i)
	{
		if (vtkIs(word, known[i]))
		{
			return true;
		}
	}
	return false;
}

// Geometry, then attributes of points and of cells; fields and metadata may come anywhere.
static brResult vtkReadSections(VtkFile* file)
{
	int64_t count = -1; // of the attributes that follow, -1: geometry
	bool isCellData = false;
	brResult result = br_success;
	while (result >= 0 && !file->stopped)
	{
		VtkWord word = vtkWord(file);
		if (word.length == 0)
		{
			// A byte of zero, or the end: only the end is good.
			return file->text.at >= file->text.end ? br_success : VTK_FAIL(file, "a byte that is no text");
		}
		if (vtkIs(word, "metadata"))
		{
			vtkSkipMetadata(file);
		}
		else if (vtkIs(word, "field"))
		{
			result = vtkReadField(file, count >= 0 && isCellData, count >= 0 && !isCellData);
		}
		else if (vtkIs(word, "cell_data") || vtkIs(word, "point_data"))
		{
			isCellData = vtkIs(word, "cell_data");
			int64_t expected = isCellData ? file->grid.ends.count : file->grid.points.count;
			if (!vtkLineInt(file, &count) || count != expected)
			{
				return VTK_FAIL(file, "%.*s does not fit the %lld there are", (int)word.length, word.start,
								(long long)expected);
			}
		}
		else if (count < 0)
		{
			result = vtkReadGeometry(file, word);
		}
		else
		{
			result = vtkIsAttribute(word)
						 ? vtkReadAttribute(file, word, count, isCellData)
						 : VTK_FAIL(file, "'%.*s' is no attribute of VTK", vtkQuoteLength(word), word.start);
		}
	}
	return result;
}

// Cell data of POLYDATA counts vertices, lines, polygons and strips in this order, whatever order they came in.
static bool vtkPlaceTags(VtkFile* file)
{
	brVtkGrid* grid = &file->grid;
	if (file->rawTags.count == 0)
	{
		return true;
	}
	if (!BR_RESERVE(&file->job->allocator, &grid->tags, grid->ends.count))
	{
		return false;
	}
	static const uint8_t order[] = {br_vtkPolyVertex, br_vtkPolyLine, br_vtkPolygon, br_vtkStrip};
	int32_t next[4] = {0};
	for (int32_t c = 0; c < grid->types.count; ++c)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			for (int32_t later = k + 1; later < 4 && grid->types.data[c] == order[k]; ++later)
			{
				next[later] += 1;
			}
		}
	}
	for (int32_t c = 0; c < grid->ends.count; ++c)
	{
		int32_t place = c;
		for (int32_t k = 0; k < 4 && file->isPolyData; ++k)
		{
			place = grid->types.data[c] == order[k] ? next[k]++ : place;
		}
		grid->tags.data[grid->tags.count++] = file->rawTags.data[place];
	}
	return true;
}

brResult brReadVtk(const brReadJob* job, brAssembly* assembly)
{
	VtkFile file = {
		.job = job, .text = brMakeTextCursor(job->bytes, job->byteCount), .isSwapped = !brIsBigEndianHost()};
	brText_SkipSpace(&file.text, 0);
	if (*file.text.at == '<')
	{
		return brReadVtu(job, assembly); // an XML file under the other name
	}
	brVtkGrid_Init(&file.grid, &job->allocator);
	brResult result = vtkReadHeader(&file);
	result = result < 0 ? result : vtkReadSections(&file);
	if (result >= 0 && !file.hasPoints)
	{
		result = VTK_FAIL(&file, "the file ends without POINTS");
	}
	if (result >= 0 && file.grid.types.count != file.grid.ends.count)
	{
		result = VTK_FAIL(&file, "the file ends without CELL_TYPES");
	}
	if (result >= 0 && !vtkPlaceTags(&file))
	{
		result = brFailMemory(job->report);
	}
	result = result < 0 ? result : brVtkGrid_Finish(&file.grid, job, assembly, &file.remarks);
	brVtkGrid_Free(&file.grid);
	BR_FREE_ARRAY(&job->allocator, &file.rawTags);
	return result;
}
