// SPDX-License-Identifier: MIT

// Gmsh MSH files, versions 1.0, 2.x, 4.0 and 4.1, ASCII and binary.
//
// A file is a list of sections $Name ... $EndName (version 1: $NOD ... $ENDNOD). Nodes and elements are read, with
// physical groups and their names; other sections are passed over up to their end mark. Nodes keep the order of the
// file whatever their numbers are. Of curved elements the corners are kept.

#include "io/msh.h"

#include <string.h>

// Types by Gmsh's numbers.
const brMshType* brMsh_Type(int64_t number)
{
	static const brMshType types[] = {
		[1] = {2, 2, br_droppedLines},
		[2] = {3, 3, br_mshFace},
		[3] = {4, 4, br_mshFace},
		[4] = {4, 4, br_mshTet},
		[5] = {8, 8, br_droppedHexahedra},
		[6] = {6, 6, br_droppedPrisms},
		[7] = {5, 5, br_droppedPyramids},
		[8] = {3, 2, br_droppedLines},
		[9] = {6, 3, br_mshFace},
		[10] = {9, 4, br_mshFace},
		[11] = {10, 4, br_mshTet},
		[12] = {27, 8, br_droppedHexahedra},
		[13] = {18, 6, br_droppedPrisms},
		[14] = {14, 5, br_droppedPyramids},
		[15] = {1, 1, br_droppedPoints},
		[16] = {8, 4, br_mshFace},
		[17] = {20, 8, br_droppedHexahedra},
		[18] = {15, 6, br_droppedPrisms},
		[19] = {13, 5, br_droppedPyramids},
		[20] = {9, 3, br_mshFace},
		[21] = {10, 3, br_mshFace},
		[22] = {12, 3, br_mshFace},
		[23] = {15, 3, br_mshFace},
		[24] = {15, 3, br_mshFace},
		[25] = {21, 3, br_mshFace},
		[26] = {4, 2, br_droppedLines},
		[27] = {5, 2, br_droppedLines},
		[28] = {6, 2, br_droppedLines},
		[29] = {20, 4, br_mshTet},
		[30] = {35, 4, br_mshTet},
		[31] = {56, 4, br_mshTet},
		[92] = {64, 8, br_droppedHexahedra},
		[93] = {125, 8, br_droppedHexahedra},
	};
	bool isKnown = number > 0 && number < (int64_t)(sizeof(types) / sizeof(types[0])) && types[number].nodeCount > 0;
	return isKnown ? &types[number] : NULL;
}

brResult brMsh_ReserveNodes(brMshFile* file, int64_t count, size_t bytes, size_t numbers)
{
	if (!brMsh_HasRoom(file, count, bytes, numbers))
	{
		return BR_MSH_FAIL(file, "%lld nodes cannot follow in the %zu bytes that are left", (long long)count,
						   brMsh_Left(file));
	}
	if (count > INT32_MAX - file->cells.nodes.count)
	{
		return brFail(file->job->report, br_errorLimit, "%.100s: more nodes than 32 bits can count", file->job->name);
	}
	return BR_RESERVE(&file->job->allocator, &file->cells.nodes, count) &&
				   BR_RESERVE(&file->job->allocator, &file->nodeTags, count)
			   ? br_success
			   : brFailMemory(file->job->report);
}

static bool mshAddRegion(brMshFile* file, brMshRegions* regions, int32_t physical, int32_t elementary)
{
	regions->hasPhysical = regions->hasPhysical || physical != 0;
	return regions->hasPhysical || BR_PUSH(&file->job->allocator, &regions->elementary, elementary);
}

brResult brMsh_AddElement(brMshFile* file, const brMshType* type, const int64_t* nodes, int64_t number,
						  int32_t physical, int32_t elementary)
{
	if (type->kind < br_droppedKindCount)
	{
		file->cells.dropped[type->kind] += 1;
		return br_success;
	}
	int32_t corners[4] = {0};
	for (int32_t k = 0; k < type->cornerCount; ++k)
	{
		corners[k] = brTagMap_Find(&file->nodeMap, nodes[k]);
		if (corners[k] < 0)
		{
			brResult result = BR_MSH_FAIL(file, "element %lld names node %lld, which does not exist", (long long)number,
										  (long long)nodes[k]);
			if (file->job->report != NULL)
			{
				file->job->report->element = number;
			}
			return result;
		}
	}
	file->cells.flattened += type->nodeCount > type->cornerCount;
	bool isTet = type->kind == br_mshTet;
	bool ok = isTet ? brFileCells_AddTet(&file->cells, corners, physical)
					: brFileCells_AddFace(&file->cells, corners, type->cornerCount, physical);
	ok = ok && mshAddRegion(file, isTet ? &file->tetRegions : &file->faceRegions, physical, elementary);
	return ok ? br_success : brFailMemory(file->job->report);
}

// Without a physical group in the whole kind the elementary entities are the regions, if there is more than one.
static void mshSettleRegions(const brMshRegions* regions, int32_t* tags, int32_t count)
{
	bool differs = false;
	for (int32_t i = 1; i < count && !regions->hasPhysical && !differs; ++i)
	{
		differs = regions->elementary.data[i] != regions->elementary.data[0];
	}
	if (differs)
	{
		memcpy(tags, regions->elementary.data, (size_t)count * sizeof(int32_t));
	}
}

// Sections

// "$EndName" behind white space.
static brResult mshEndSection(brMshFile* file, const char* word)
{
	brText_SkipSpace(&file->text, 0);
	return brText_TakeWord(&file->text, word) ? br_success : BR_MSH_FAIL(file, "%s is missing here", word);
}

static brResult mshReadFormat(brMshFile* file)
{
	double version;
	int64_t isBinary;
	int64_t dataSize;
	brText_NextLine(&file->text);
	if (!brText_Double(&file->text, &version) || !brText_Int64(&file->text, &isBinary) ||
		!brText_Int64(&file->text, &dataSize) || isBinary < 0 || isBinary > 1)
	{
		return BR_MSH_FAIL(file, "the header needs a version, 0 or 1 for binary, and a data size");
	}
	bool isKnown = (version >= 2.0 && version < 3.0) || (version >= 4.0 && version < 4.15);
	if (!isKnown)
	{
		return brFail(file->job->report, br_errorUnsupported,
					  "%.100s: MSH version %g is not read, versions 1, 2, 4.0 and 4.1 are", file->job->name, version);
	}
	file->version = version < 3.0 ? 22 : version < 4.05 ? 40 : 41;
	bool isSizeGood = dataSize == 8 || (file->version == 41 && dataSize == 4);
	if (isBinary == 1 && !isSizeGood)
	{
		return BR_MSH_FAIL(file, "a data size of %lld is not read", (long long)dataSize);
	}
	file->sizeBytes = file->version == 41 ? (int32_t)dataSize : 8;
	if (isBinary == 1)
	{
		brText_NextLine(&file->text);
		file->isBinary = true;
		uint32_t one = brMsh_Left(file) >= 4 ? brLoad32((const uint8_t*)file->text.at, false) : 0;
		if (one != 1 && one != 0x01000000u)
		{
			return BR_MSH_FAIL(file, "the 1 that shows the byte order is missing");
		}
		file->isSwapped = one != 1;
		file->text.at += 4;
	}
	return mshEndSection(file, "$EndMeshFormat");
}

// Names of physical surfaces. They are text in binary files too, and only decoration: what is odd is passed over.
static brResult mshReadPhysicalNames(brMshFile* file)
{
	brTextCursor text = file->text;
	int64_t count;
	brText_NextLine(&text);
	if (!brText_Int64(&text, &count))
	{
		return br_success;
	}
	for (int64_t i = 0; i < count && text.at < text.end; ++i)
	{
		brText_NextLine(&text);
		int32_t dimension;
		int32_t tag;
		if (!brText_Int32(&text, &dimension) || !brText_Int32(&text, &tag))
		{
			break;
		}
		brText_SkipBlanks(&text);
		const char* start = text.at + 1;
		const char* end = start;
		while (*text.at == '"' && end < text.end && *end != '"' && *end != '\n' && *end != '\r')
		{
			end += 1;
		}
		if (*text.at != '"' || *end != '"' || dimension != 2 || tag == 0)
		{
			continue;
		}
		brGroupName name = {.tag = tag};
		size_t length = (size_t)(end - start);
		length = length < sizeof(name.name) ? length : sizeof(name.name) - 1;
		memcpy(name.name, start, length);
		if (!BR_PUSH(&file->job->allocator, &file->cells.groupNames, name))
		{
			return brFailMemory(file->job->report);
		}
	}
	return br_success;
}

// Up to the end mark of a section that is not read.
static brResult mshSkipSection(brMshFile* file, const char* name, size_t nameLength)
{
	char mark[80];
	if (nameLength < 2 || nameLength > 64)
	{
		return BR_MSH_FAIL(file, "a section name is expected here");
	}
	memcpy(mark, "$End", 4);
	memcpy(mark + 4, name + 1, nameLength - 1);
	size_t markLength = nameLength + 3;
	const char* end = brText_FindBytes(file->text.at, brMsh_Left(file), mark, markLength);
	if (end == NULL)
	{
		return BR_MSH_FAIL(file, "the section %.*s has no end", (int)nameLength, name);
	}
	while (file->text.at < end && !file->isBinary)
	{
		brText_NextLine(&file->text);
	}
	file->text.at = end + markLength;
	return br_success;
}

static brResult mshMapNodes(brMshFile* file, brResult result)
{
	if (result < 0)
	{
		return result;
	}
	int32_t twice;
	file->hasNodes = true;
	if (!brTagMap_Build(&file->nodeMap, &file->job->allocator, file->nodeTags.data, file->nodeTags.count, &twice))
	{
		return brFailMemory(file->job->report);
	}
	return twice < 0 ? br_success
					 : BR_MSH_FAIL(file, "node %lld is there twice", (long long)file->nodeTags.data[twice]);
}

static brResult mshReadSection(brMshFile* file)
{
	const char* word;
	size_t length = brText_Word(&file->text, &word);
#define IS_SECTION(text) (length == sizeof(text) - 1 && memcmp(word, text, sizeof(text) - 1) == 0)
	bool isNodes = IS_SECTION("$Nodes") || IS_SECTION("$NOD");
	bool isElements = IS_SECTION("$Elements") || IS_SECTION("$ELM");
	if (word[0] != '$')
	{
		return BR_MSH_FAIL(file, "a section name like $Nodes is expected here");
	}
	if (file->version == 0 && IS_SECTION("$MeshFormat"))
	{
		return mshReadFormat(file);
	}
	if (file->version == 0 && IS_SECTION("$NOD"))
	{
		file->version = 10;
	}
	if ((isNodes || isElements) && file->version == 0)
	{
		return BR_MSH_FAIL(file, "$MeshFormat must come before %.*s", (int)length, word);
	}
	if (isNodes && file->hasNodes)
	{
		return BR_MSH_FAIL(file, "a second list of nodes");
	}
	if (isElements && (!file->hasNodes || file->hasElements))
	{
		return BR_MSH_FAIL(file, file->hasNodes ? "a second list of elements" : "elements come before the nodes");
	}
	if (isNodes)
	{
		brText_NextLine(&file->text);
		brResult result = mshMapNodes(file, file->version < 40 ? brMsh_ReadNodes2(file) : brMsh_ReadNodes4(file));
		return result < 0 ? result : mshEndSection(file, file->version == 10 ? "$ENDNOD" : "$EndNodes");
	}
	if (isElements)
	{
		brText_NextLine(&file->text);
		file->hasElements = true;
		brResult result = file->version < 40 ? brMsh_ReadElements2(file) : brMsh_ReadElements4(file);
		return result < 0 ? result : mshEndSection(file, file->version == 10 ? "$ENDELM" : "$EndElements");
	}
	if (file->version >= 40 && IS_SECTION("$Entities") && !file->hasEntities)
	{
		brText_NextLine(&file->text);
		brResult result = brMsh_ReadEntities4(file);
		return result < 0 ? result : mshEndSection(file, "$EndEntities");
	}
	if (IS_SECTION("$PhysicalNames"))
	{
		brResult result = mshReadPhysicalNames(file);
		if (result < 0)
		{
			return result;
		}
	}
#undef IS_SECTION
	return mshSkipSection(file, word, length);
}

brResult brReadMsh(const brReadJob* job, brAssembly* assembly)
{
	brMshFile file = {.job = job, .text = brMakeTextCursor(job->bytes, job->byteCount), .sizeBytes = 8};
	brFileCells_Init(&file.cells, &job->allocator);
	file.nodeMap.allocator = job->allocator;
	file.entityMap.allocator = job->allocator;

	brResult result = br_success;
	brText_SkipSpace(&file.text, 0);
	while (result >= 0 && file.text.at < file.text.end)
	{
		result = mshReadSection(&file);
		brText_SkipSpace(&file.text, 0);
	}
	if (result >= 0 && !file.hasNodes)
	{
		result = BR_MSH_FAIL(&file, "the file ends without nodes");
	}
	if (result >= 0 && !file.hasElements)
	{
		result = BR_MSH_FAIL(&file, "the file ends without elements");
	}
	if (result >= 0)
	{
		mshSettleRegions(&file.tetRegions, file.cells.tetTags.data, file.cells.tetTags.count);
		mshSettleRegions(&file.faceRegions, file.cells.faceTags.data, file.cells.faceTags.count);
		brRemarks remarks = {0};
		result = brFileCells_Finish(&file.cells, job, assembly, &remarks);
	}
	brFileCells_Free(&file.cells);
	brTagMap_Free(&file.nodeMap);
	brTagMap_Free(&file.entityMap);
	BR_FREE_ARRAY(&job->allocator, &file.nodeTags);
	BR_FREE_ARRAY(&job->allocator, &file.tetRegions.elementary);
	BR_FREE_ARRAY(&job->allocator, &file.faceRegions.elementary);
	BR_FREE_ARRAY(&job->allocator, &file.entityKeys);
	BR_FREE_ARRAY(&job->allocator, &file.entityPhysicals);
	return result;
}
