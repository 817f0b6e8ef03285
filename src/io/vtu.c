// SPDX-License-Identifier: MIT

// Reading VTK XML files with an UnstructuredGrid.
//
// The scanner knows just the XML these files have: tags with attributes, comments, processing instructions. Numbers
// stand in DataArray elements as text, as base64, or behind AppendedData as raw bytes or base64; binary data may be
// packed by zlib in blocks. Sizes that a header claims are checked against the bytes that are there before memory is
// asked for.
//
//     header, plain       { byteCount } bytes
//     header, compressed  { blockCount, blockBytes, lastBlockBytes, packedBytes... } packed blocks
//
// Several pieces are put one behind the other.

#include "io/base64.h"
#include "io/deflate.h"
#include "io/text.h"
#include "io/vtk_grid.h"

#include <string.h>

typedef struct VtuTag
{
	const char* start; // of the name
	const char* end;   // of the attributes
	size_t nameLength;
	bool isClosing; // </name>
	bool isEmpty;   // <name/>
} VtuTag;

typedef enum VtuSection
{
	vtu_outside,
	vtu_points,
	vtu_cells,
	vtu_cellData,
	vtu_pointData,
} VtuSection;

typedef struct VtuFile
{
	const brReadJob* job;
	const char* at;
	const char* end;
	bool isSwapped;
	bool isCompressed;
	size_t headerBytes;   // of one number of a header
	const char* appended; // first byte behind the underscore, or null
	bool isAppendedRaw;
	brVtkGrid grid;
	VtuSection section;

	// Of the piece that is open.
	bool inPiece;
	int64_t pointCount;
	int64_t cellCount;
	int32_t firstPoint;
	int32_t firstCell;
	int32_t firstCorner;
	int32_t pieceCount;
	bool hasPoints, hasConnectivity, hasOffsets, hasTypes, hasTags;
	brRemarks remarks;
} VtuFile;

// The line is counted only when it is needed.
static int64_t vtuLine(const VtuFile* file, const char* at)
{
	int64_t line = 1;
	for (const char* c = (const char*)file->job->bytes; c < at; ++c)
	{
		line += *c == '\n';
	}
	return line;
}

#define VTU_FAIL(file, at, ...) brFailLine((file)->job, vtuLine((file), (at)), __VA_ARGS__)

static bool vtuIs(const VtuTag* tag, const char* name)
{
	return tag->nameLength == strlen(name) && memcmp(tag->start, name, tag->nameLength) == 0;
}

// To the next tag; false at the end of the file or at an unclosed tag, with `at` at the end then.
static bool vtuNextTag(VtuFile* file, VtuTag* tag)
{
	while (file->at < file->end)
	{
		const char* open = memchr(file->at, '<', (size_t)(file->end - file->at));
		if (open == NULL)
		{
			break;
		}
		size_t left = (size_t)(file->end - open);
		bool isComment = left >= 4 && memcmp(open, "<!--", 4) == 0;
		const char* close = isComment ? brText_FindBytes(open + 4, left - 4, "-->", 3) : memchr(open, '>', left);
		if (close == NULL)
		{
			break;
		}
		file->at = close + (isComment ? 3 : 1);
		if (isComment || open[1] == '?' || open[1] == '!')
		{
			continue;
		}
		tag->isClosing = open[1] == '/';
		tag->isEmpty = close[-1] == '/' && !tag->isClosing;
		tag->start = open + (tag->isClosing ? 2 : 1);
		tag->end = tag->isEmpty ? close - 1 : close;
		const char* c = tag->start;
		while (c < tag->end && (unsigned char)*c > ' ')
		{
			c += 1;
		}
		tag->nameLength = c > tag->start ? (size_t)(c - tag->start) : 0;
		return true;
	}
	file->at = file->end;
	return false;
}

// Value of an attribute; null if it is not there. The value is not unescaped: names and numbers need none of it.
static const char* vtuAttribute(const VtuTag* tag, const char* name, size_t* outLength)
{
	size_t nameLength = strlen(name);
	const char* c = tag->start + tag->nameLength;
	while (c < tag->end)
	{
		while (c < tag->end && (unsigned char)*c <= ' ')
		{
			c += 1;
		}
		const char* key = c;
		while (c < tag->end && *c != '=' && (unsigned char)*c > ' ')
		{
			c += 1;
		}
		size_t keyLength = (size_t)(c - key);
		while (c < tag->end && *c != '"' && *c != '\'')
		{
			c += 1;
		}
		if (c >= tag->end)
		{
			return NULL;
		}
		const char* value = c + 1;
		const char* close = memchr(value, *c, (size_t)(tag->end - value));
		if (close == NULL)
		{
			return NULL;
		}
		if (keyLength == nameLength && memcmp(key, name, nameLength) == 0)
		{
			*outLength = (size_t)(close - value);
			return value;
		}
		c = close + 1;
	}
	return NULL;
}

static bool vtuAttributeIs(const VtuTag* tag, const char* name, const char* lower)
{
	size_t length;
	const char* value = vtuAttribute(tag, name, &length);
	return value != NULL && brVtk_SameWord(value, length, lower);
}

// The attribute as a number, `missing` if it is not there; false if it is no number. Quotes stop the cursor.
static bool vtuAttributeInt(const VtuFile* file, const VtuTag* tag, const char* name, int64_t missing,
							int64_t* outValue)
{
	size_t length;
	const char* value = vtuAttribute(tag, name, &length);
	brTextCursor text = {value, file->end, 1};
	*outValue = missing;
	return value == NULL || brText_Int64(&text, outValue);
}

// One DataArray, ready to be walked: numbers as text, or as bytes.
typedef struct VtuArray
{
	const char* place; // for messages
	const char* name;
	size_t nameLength;
	brNumberType type;
	int64_t components;
	bool isText;
	brTextCursor text;
	const uint8_t* bytes;
	int64_t count; // numbers in `bytes`
	int64_t next;
	uint8_t* owned;
	size_t ownedBytes;
} VtuArray;

static void vtuFreeArray(const VtuFile* file, VtuArray* array)
{
	brFree(&file->job->allocator, array->owned, array->ownedBytes);
	array->owned = NULL;
}

static bool vtuHasNext(VtuArray* array)
{
	if (!array->isText)
	{
		return array->next < array->count;
	}
	brText_SkipSpace(&array->text, 0);
	return array->text.at < array->text.end && *array->text.at != '<';
}

static bool vtuNextDouble(const VtuFile* file, VtuArray* array, double* outValue)
{
	if (!vtuHasNext(array))
	{
		return false;
	}
	if (!array->isText)
	{
		const uint8_t* bytes = array->bytes + (size_t)array->next++ * brNumberType_Bytes(array->type);
		*outValue = brLoadNumber(array->type, bytes, file->isSwapped);
		return true;
	}
	if (array->type != br_numberFloat)
	{
		return brText_Double(&array->text, outValue);
	}
	float value;
	bool ok = brText_Float(&array->text, &value);
	*outValue = ok ? (double)value : *outValue;
	return ok;
}

static bool vtuNextInt(const VtuFile* file, VtuArray* array, int64_t* outValue)
{
	if (!vtuHasNext(array))
	{
		return false;
	}
	if (!array->isText)
	{
		const uint8_t* bytes = array->bytes + (size_t)array->next++ * brNumberType_Bytes(array->type);
		return brVtk_LoadInt(array->type, bytes, file->isSwapped, outValue);
	}
	return brText_Int64(&array->text, outValue);
}

// Binary data

// Where the bytes of an array stand: raw, or as base64 text.
typedef struct VtuStream
{
	const char* start;
	const char* end;
	bool isRaw;
} VtuStream;

// The most bytes the stream can hold.
static size_t vtuStreamBytes(const VtuStream* stream)
{
	size_t size = (size_t)(stream->end - stream->start);
	return stream->isRaw ? size : size / 4 * 3 + 3;
}

static uint64_t vtuHeaderNumber(const VtuFile* file, const uint8_t* header, size_t index)
{
	return file->headerBytes == 8 ? brLoad64(header + 8 * index, file->isSwapped)
								  : brLoad32(header + 4 * index, file->isSwapped);
}

// The first bytes of a stream, in place or decoded into a block that the array owns.
static brResult vtuFetch(const VtuFile* file, const VtuStream* stream, size_t count, VtuArray* array,
						 const uint8_t** outBytes)
{
	vtuFreeArray(file, array);
	if (count > vtuStreamBytes(stream))
	{
		return VTU_FAIL(file, array->place, "the data array is cut short");
	}
	if (stream->isRaw)
	{
		*outBytes = (const uint8_t*)stream->start;
		return br_success;
	}
	array->ownedBytes = count;
	array->owned = brAlloc(&file->job->allocator, count);
	if (array->owned == NULL)
	{
		return brFailMemory(file->job->report);
	}
	*outBytes = array->owned;
	const char* stop;
	return brBase64_Decode(stream->start, stream->end, array->owned, count, &stop) == count
			   ? br_success
			   : VTU_FAIL(file, array->place, "the base64 text of the data array is cut short or broken");
}

static brResult vtuInflate(const VtuFile* file, const VtuStream* stream, VtuArray* array)
{
	// The head of the header says how long the rest of it is.
	const uint8_t* bytes;
	size_t width = file->headerBytes;
	brResult result = vtuFetch(file, stream, width, array, &bytes);
	if (result < 0)
	{
		return result;
	}
	uint64_t blockCount = vtuHeaderNumber(file, bytes, 0);
	if (blockCount > vtuStreamBytes(stream) / width)
	{
		return VTU_FAIL(file, array->place, "a header of %llu packed blocks does not fit the data array",
						(unsigned long long)blockCount);
	}
	if (blockCount == 0)
	{
		array->count = 0;
		return br_success;
	}
	size_t headerBytes = (3 + (size_t)blockCount) * width;
	result = vtuFetch(file, stream, headerBytes, array, &bytes);
	if (result < 0)
	{
		return result;
	}
	uint64_t blockBytes = vtuHeaderNumber(file, bytes, 1);
	uint64_t lastBytes = vtuHeaderNumber(file, bytes, 2);
	uint64_t packed = 0;
	for (uint64_t b = 0; b < blockCount; ++b)
	{
		uint64_t size = vtuHeaderNumber(file, bytes, 3 + (size_t)b);
		if (size > vtuStreamBytes(stream) - packed)
		{
			return VTU_FAIL(file, array->place, "packed block %llu is longer than the data array",
							(unsigned long long)b);
		}
		packed += size;
	}
	uint64_t limit = packed * BR_INFLATE_MAX_RATIO + 64;
	lastBytes = lastBytes == 0 ? blockBytes : lastBytes;
	if (lastBytes > blockBytes || blockBytes > limit ||
		(blockCount - 1) > (limit - lastBytes) / (blockBytes > 0 ? blockBytes : 1))
	{
		return VTU_FAIL(file, array->place, "%llu blocks of %llu bytes cannot come out of %llu packed bytes",
						(unsigned long long)blockCount, (unsigned long long)blockBytes, (unsigned long long)packed);
	}
	result = vtuFetch(file, stream, headerBytes + (size_t)packed, array, &bytes);
	if (result < 0)
	{
		return result;
	}
	size_t total = (size_t)((blockCount - 1) * blockBytes + lastBytes);
	uint8_t* out = brAlloc(&file->job->allocator, total);
	if (out == NULL)
	{
		return brFailMemory(file->job->report);
	}
	const uint8_t* in = bytes + headerBytes;
	for (uint64_t b = 0; b < blockCount; ++b)
	{
		size_t size = (size_t)(b + 1 < blockCount ? blockBytes : lastBytes);
		size_t packedSize = (size_t)vtuHeaderNumber(file, bytes, 3 + (size_t)b);
		if (!brInflate(in, packedSize, out + b * blockBytes, size))
		{
			brFree(&file->job->allocator, out, total);
			return VTU_FAIL(file, array->place, "packed block %llu cannot be unpacked", (unsigned long long)b);
		}
		in += packedSize;
	}
	vtuFreeArray(file, array);
	array->owned = out;
	array->ownedBytes = total;
	array->bytes = out;
	array->count = (int64_t)(total / brNumberType_Bytes(array->type));
	return br_success;
}

static brResult vtuReadBinary(const VtuFile* file, const VtuStream* stream, VtuArray* array)
{
	if (file->isCompressed)
	{
		return vtuInflate(file, stream, array);
	}
	const uint8_t* bytes;
	brResult result = vtuFetch(file, stream, file->headerBytes, array, &bytes);
	if (result < 0)
	{
		return result;
	}
	uint64_t size = vtuHeaderNumber(file, bytes, 0);
	if (size > vtuStreamBytes(stream) - file->headerBytes)
	{
		return VTU_FAIL(file, array->place, "a data array of %llu bytes is longer than the file",
						(unsigned long long)size);
	}
	result = vtuFetch(file, stream, file->headerBytes + (size_t)size, array, &bytes);
	array->bytes = result < 0 ? NULL : bytes + file->headerBytes;
	array->count = (int64_t)(size / brNumberType_Bytes(array->type));
	return result;
}

static brResult vtuOpenArray(const VtuFile* file, const VtuTag* tag, VtuArray* array)
{
	size_t typeLength = 0;
	const char* type = vtuAttribute(tag, "type", &typeLength);
	memset(array, 0, sizeof(*array));
	array->place = tag->start;
	array->name = vtuAttribute(tag, "Name", &array->nameLength);
	array->type = type != NULL ? brVtk_NumberType(type, typeLength) : br_numberNone;
	if (brNumberType_Bytes(array->type) == 0 ||
		!vtuAttributeInt(file, tag, "NumberOfComponents", 1, &array->components))
	{
		return VTU_FAIL(file, tag->start, "a DataArray has an unknown type or no number of components");
	}
	if (vtuAttributeIs(tag, "format", "appended"))
	{
		int64_t offset;
		if (!vtuAttributeInt(file, tag, "offset", -1, &offset) || offset < 0 || file->appended == NULL ||
			offset > file->end - file->appended)
		{
			return VTU_FAIL(file, tag->start, "a DataArray is appended, but its offset leads nowhere");
		}
		VtuStream stream = {file->appended + offset, file->end, file->isAppendedRaw};
		return vtuReadBinary(file, &stream, array);
	}
	if (vtuAttributeIs(tag, "format", "binary"))
	{
		const char* close = tag->isEmpty ? file->at : memchr(file->at, '<', (size_t)(file->end - file->at));
		VtuStream stream = {file->at, close != NULL ? close : file->end, false};
		return vtuReadBinary(file, &stream, array);
	}
	array->isText = true;
	array->text = (brTextCursor){tag->isEmpty ? file->end : file->at, file->end, 1};
	return br_success;
}

// Points and cells

static brResult vtuReadPoints(VtuFile* file, VtuArray* array)
{
	if (file->hasPoints || array->components != 3)
	{
		return VTU_FAIL(file, array->place, "Points need one array of three components");
	}
	file->hasPoints = true;
	brVtkGrid* grid = &file->grid;
	for (int64_t i = 0; i < file->pointCount; ++i)
	{
		brDVec3 p;
		if (!vtuNextDouble(file, array, &p.x) || !vtuNextDouble(file, array, &p.y) || !vtuNextDouble(file, array, &p.z))
		{
			return VTU_FAIL(file, array->place, "point %lld of %lld is missing or is no number", (long long)i,
							(long long)file->pointCount);
		}
		if (!brDIsFinite(p))
		{
			return VTU_FAIL(file, array->place, "point %lld is not finite", (long long)i);
		}
		if (!BR_PUSH(&file->job->allocator, &grid->points, p))
		{
			return brFailMemory(file->job->report);
		}
	}
	return vtuHasNext(array) ? VTU_FAIL(file, array->place, "there are more than the %lld points of the piece",
										(long long)file->pointCount)
							 : br_success;
}

static brResult vtuReadConnectivity(VtuFile* file, VtuArray* array)
{
	file->hasConnectivity = true;
	while (vtuHasNext(array))
	{
		int64_t corner;
		if (!vtuNextInt(file, array, &corner) || corner < 0 || corner >= file->pointCount)
		{
			return VTU_FAIL(file, array->place, "corner %d of the cells names no point of the piece",
							file->grid.corners.count - file->firstCorner);
		}
		if (!BR_PUSH(&file->job->allocator, &file->grid.corners, (int32_t)corner + file->firstPoint))
		{
			return brFailMemory(file->job->report);
		}
	}
	return br_success;
}

static brResult vtuReadOffsets(VtuFile* file, VtuArray* array)
{
	file->hasOffsets = true;
	int64_t previous = 0;
	for (int64_t i = 0; i < file->cellCount; ++i)
	{
		int64_t offset;
		if (!vtuNextInt(file, array, &offset) || offset < previous || offset > INT32_MAX - file->firstCorner)
		{
			return VTU_FAIL(file, array->place, "offset %lld of %lld is missing or does not rise", (long long)i,
							(long long)file->cellCount);
		}
		if (!BR_PUSH(&file->job->allocator, &file->grid.ends, (int32_t)offset + file->firstCorner))
		{
			return brFailMemory(file->job->report);
		}
		previous = offset;
	}
	return vtuHasNext(array) ? VTU_FAIL(file, array->place, "there are more offsets than the %lld cells of the piece",
										(long long)file->cellCount)
							 : br_success;
}

static brResult vtuReadTypes(VtuFile* file, VtuArray* array)
{
	file->hasTypes = true;
	for (int64_t i = 0; i < file->cellCount; ++i)
	{
		int64_t type;
		if (!vtuNextInt(file, array, &type) || type < 0 || type > 255)
		{
			return VTU_FAIL(file, array->place, "the type of cell %lld of %lld is missing or out of range",
							(long long)i, (long long)file->cellCount);
		}
		if (!BR_PUSH(&file->job->allocator, &file->grid.types, (uint8_t)type))
		{
			return brFailMemory(file->job->report);
		}
	}
	return vtuHasNext(array) ? VTU_FAIL(file, array->place, "there are more types than the %lld cells of the piece",
										(long long)file->cellCount)
							 : br_success;
}

// Tags of the piece, behind zeros for earlier pieces that had none.
static brResult vtuReadTags(VtuFile* file, VtuArray* array)
{
	file->hasTags = true;
	brVtkGrid* grid = &file->grid;
	bool ok = true;
	while (ok && grid->tags.count < file->firstCell)
	{
		ok = BR_PUSH(&file->job->allocator, &grid->tags, 0);
	}
	for (int64_t i = 0; i < file->cellCount && ok; ++i)
	{
		double value;
		if (!vtuNextDouble(file, array, &value))
		{
			return VTU_FAIL(file, array->place, "the tag of cell %lld is missing", (long long)i);
		}
		bool isTag = value >= INT32_MIN && value <= INT32_MAX && floor(value) == value;
		ok = BR_PUSH(&file->job->allocator, &grid->tags, isTag ? (int32_t)value : 0);
	}
	return ok ? br_success : brFailMemory(file->job->report);
}

static brResult vtuReadArray(VtuFile* file, const VtuTag* tag)
{
	VtuArray array;
	size_t length = 0;
	const char* name = vtuAttribute(tag, "Name", &length);
	bool isTags = file->section == vtu_cellData && name != NULL && brVtk_IsTagName(name, length) && !file->hasTags;
	if (file->section != vtu_points && file->section != vtu_cells && !isTags)
	{
		return br_success;
	}
	brResult result = vtuOpenArray(file, tag, &array);
	if (result >= 0 && file->section == vtu_points)
	{
		result = vtuReadPoints(file, &array);
	}
	else if (result >= 0 && isTags)
	{
		result = array.components == 1 ? vtuReadTags(file, &array) : br_success;
	}
	else if (result >= 0 && name != NULL && brVtk_SameWord(name, length, "connectivity") && !file->hasConnectivity)
	{
		result = vtuReadConnectivity(file, &array);
	}
	else if (result >= 0 && name != NULL && brVtk_SameWord(name, length, "offsets") && !file->hasOffsets)
	{
		result = vtuReadOffsets(file, &array);
	}
	else if (result >= 0 && name != NULL && brVtk_SameWord(name, length, "types") && !file->hasTypes)
	{
		result = vtuReadTypes(file, &array);
	}
	vtuFreeArray(file, &array);
	return result;
}

// Structure

static brResult vtuOpenFile(VtuFile* file, const VtuTag* tag)
{
	if (!vtuIs(tag, "VTKFile"))
	{
		return VTU_FAIL(file, tag->start, "a VTK XML file starts with <VTKFile>");
	}
	if (!vtuAttributeIs(tag, "type", "unstructuredgrid"))
	{
		return brFail(file->job->report, br_errorUnsupported,
					  "%.100s: of VTK's XML files only those of type UnstructuredGrid are read", file->job->name);
	}
	file->isSwapped = vtuAttributeIs(tag, "byte_order", "bigendian") != brIsBigEndianHost();
	file->headerBytes = vtuAttributeIs(tag, "header_type", "uint64") ? 8 : 4;
	size_t length;
	const char* compressor = vtuAttribute(tag, "compressor", &length);
	file->isCompressed = compressor != NULL && length > 0;
	if (file->isCompressed && !brVtk_SameWord(compressor, length, "vtkzlibdatacompressor"))
	{
		return brFail(file->job->report, br_errorUnsupported,
					  "%.100s: data packed by %.*s is not read, vtkZLibDataCompressor is", file->job->name,
					  (int)(length < 60 ? length : 60), compressor);
	}

	// Appended bytes may hold anything, so the scanner must stop where they start.
	const char* appended = brText_FindBytes(file->at, (size_t)(file->end - file->at), "<AppendedData", 13);
	if (appended != NULL)
	{
		VtuFile ahead = *file;
		VtuTag appendedTag;
		ahead.at = appended;
		bool isTag = vtuNextTag(&ahead, &appendedTag);
		const char* mark = isTag ? memchr(ahead.at, '_', (size_t)(file->end - ahead.at)) : NULL;
		file->isAppendedRaw = isTag && vtuAttributeIs(&appendedTag, "encoding", "raw");
		file->appended = mark != NULL ? mark + 1 : NULL;
	}
	return br_success;
}

static brResult vtuOpenPiece(VtuFile* file, const VtuTag* tag)
{
	if (file->inPiece || !vtuAttributeInt(file, tag, "NumberOfPoints", -1, &file->pointCount) ||
		!vtuAttributeInt(file, tag, "NumberOfCells", -1, &file->cellCount) || file->pointCount < 0 ||
		file->cellCount < 0)
	{
		return VTU_FAIL(file, tag->start, "a Piece needs NumberOfPoints and NumberOfCells");
	}
	if (file->pointCount > INT32_MAX - file->grid.points.count || file->cellCount > INT32_MAX - file->grid.ends.count)
	{
		return brFail(file->job->report, br_errorLimit, "%.100s: more points or cells than 32 bits can count",
					  file->job->name);
	}
	file->inPiece = true;
	file->pieceCount += 1;
	file->firstPoint = file->grid.points.count;
	file->firstCell = file->grid.ends.count;
	file->firstCorner = file->grid.corners.count;
	file->hasPoints = file->hasConnectivity = file->hasOffsets = file->hasTypes = file->hasTags = false;
	return br_success;
}

static brResult vtuClosePiece(VtuFile* file, const char* place)
{
	brVtkGrid* grid = &file->grid;
	file->inPiece = false;
	bool hasCells = file->hasConnectivity && file->hasOffsets && file->hasTypes;
	if ((file->pointCount > 0 && !file->hasPoints) || (file->cellCount > 0 && !hasCells))
	{
		return VTU_FAIL(file, place, "the piece has no points, connectivity, offsets or types");
	}
	int32_t last = grid->ends.count > file->firstCell ? grid->ends.data[grid->ends.count - 1] : file->firstCorner;
	if (last != grid->corners.count)
	{
		return VTU_FAIL(file, place, "the offsets end at %d, there are %d corners", last - file->firstCorner,
						grid->corners.count - file->firstCorner);
	}
	bool ok = true;
	while (ok && grid->tags.count > 0 && grid->tags.count < grid->ends.count)
	{
		ok = BR_PUSH(&file->job->allocator, &grid->tags, 0);
	}
	return ok ? br_success : brFailMemory(file->job->report);
}

static brResult vtuReadTag(VtuFile* file, const VtuTag* tag)
{
	static const struct
	{
		const char* name;
		VtuSection section;
	} sections[] = {
		{"Points", vtu_points}, {"Cells", vtu_cells}, {"CellData", vtu_cellData}, {"PointData", vtu_pointData}};
	for (int32_t i = 0; i < BR_COUNT(sections); ++i)
	{
		if (vtuIs(tag, sections[i].name) && file->inPiece)
		{
			file->section = tag->isClosing || tag->isEmpty ? vtu_outside : sections[i].section;
			return br_success;
		}
	}
	if (vtuIs(tag, "Piece") && !tag->isClosing)
	{
		brResult result = vtuOpenPiece(file, tag);
		return result < 0 || !tag->isEmpty ? result : vtuClosePiece(file, tag->start);
	}
	if (vtuIs(tag, "Piece") && file->inPiece)
	{
		return vtuClosePiece(file, tag->start);
	}
	return vtuIs(tag, "DataArray") && !tag->isClosing && file->inPiece ? vtuReadArray(file, tag) : br_success;
}

brResult brReadVtu(const brReadJob* job, brAssembly* assembly)
{
	VtuFile file = {.job = job, .at = (const char*)job->bytes, .end = (const char*)job->bytes + job->byteCount};
	brVtkGrid_Init(&file.grid, &job->allocator);
	VtuTag tag;
	bool isDone = false;
	brResult result = vtuNextTag(&file, &tag) ? vtuOpenFile(&file, &tag)
											  : VTU_FAIL(&file, file.at, "a VTK XML file starts with <VTKFile>");
	while (result >= 0 && !isDone)
	{
		bool isTag = vtuNextTag(&file, &tag);
		isDone = isTag && (vtuIs(&tag, "AppendedData") || (vtuIs(&tag, "UnstructuredGrid") && tag.isClosing));
		result = isTag ? vtuReadTag(&file, &tag) : VTU_FAIL(&file, file.at, "the file ends inside the grid");
	}
	if (result >= 0 && (file.inPiece || file.pieceCount == 0))
	{
		result = VTU_FAIL(&file, file.at, "the grid has no complete piece");
	}
	result = result < 0 ? result : brVtkGrid_Finish(&file.grid, job, assembly, &file.remarks);
	brVtkGrid_Free(&file.grid);
	return result;
}
