// SPDX-License-Identifier: MIT

// Nodes and elements of MSH versions 1 and 2.
//
//     version 1   number type physical elementary nodeCount nodes...
//     version 2   number type tagCount physical elementary ... nodes...
//     binary 2    blocks of { type, count, tagCount } and count times { number, tags..., nodes... }, all int32

#include "io/msh.h"

static brResult mshReadCount2(brMshFile* file, const char* what, int64_t* outCount)
{
	bool isNumber = brMsh_TextInt(file, outCount) && *outCount >= 0;
	brText_SkipBlanks(&file->text);
	if (!isNumber || !brText_AtLineEnd(&file->text))
	{
		return BR_MSH_FAIL(file, "the number of %s is expected here", what);
	}
	if (file->isBinary)
	{
		brText_NextLine(&file->text);
	}
	return br_success;
}

brResult brMsh_ReadNodes2(brMshFile* file)
{
	int64_t count;
	brResult result = mshReadCount2(file, "nodes", &count);
	result = result < 0 ? result : brMsh_ReserveNodes(file, count, 28, 4);
	for (int64_t i = 0; i < count && result >= 0; ++i)
	{
		int64_t tag;
		brDVec3 p;
		if (!brMsh_Int(file, &tag) || !brMsh_Double(file, &p.x) || !brMsh_Double(file, &p.y) ||
			!brMsh_Double(file, &p.z))
		{
			return BR_MSH_FAIL(file, "node %lld of %lld needs a number and three coordinates", (long long)i + 1,
							   (long long)count);
		}
		if (!brMsh_AddNode(file, tag, p))
		{
			return BR_MSH_FAIL(file, "node %lld is not finite", (long long)tag);
		}
	}
	return result;
}

static brResult mshReadElementText(brMshFile* file, int64_t index, int64_t count)
{
	int64_t number;
	int64_t typeNumber;
	int64_t tagCount = 0;
	int64_t physical = 0;
	int64_t elementary = 0;
	bool isOld = file->version == 10;
	bool ok = brMsh_TextInt(file, &number) && brMsh_TextInt(file, &typeNumber);
	if (ok && isOld)
	{
		ok = brMsh_TextInt(file, &physical) && brMsh_TextInt(file, &elementary);
	}
	ok = ok && brMsh_TextInt(file, &tagCount);
	if (!ok)
	{
		return BR_MSH_FAIL(file, "element %lld of %lld is missing or has no type", (long long)index + 1,
						   (long long)count);
	}
	const brMshType* type = brMsh_Type(typeNumber);
	if (type == NULL)
	{
		return BR_MSH_FAIL(file, "element %lld has the unknown type %lld", (long long)number, (long long)typeNumber);
	}
	if (isOld && tagCount != type->nodeCount)
	{
		return BR_MSH_FAIL(file, "element %lld has %lld nodes, its type %lld has %d", (long long)number,
						   (long long)tagCount, (long long)typeNumber, type->nodeCount);
	}
	for (int64_t t = 0; t < tagCount && !isOld && ok; ++t)
	{
		int64_t tag = 0;
		ok = brMsh_TextInt(file, &tag);
		physical = t == 0 ? tag : physical;
		elementary = t == 1 ? tag : elementary;
	}
	int64_t nodes[BR_MSH_MAX_NODES];
	for (int32_t k = 0; k < type->nodeCount && ok; ++k)
	{
		ok = brMsh_TextInt(file, &nodes[k]);
	}
	if (!ok)
	{
		return BR_MSH_FAIL(file, "element %lld ends before its %d nodes", (long long)number, type->nodeCount);
	}
	if (physical < INT32_MIN || physical > INT32_MAX || elementary < INT32_MIN || elementary > INT32_MAX)
	{
		return BR_MSH_FAIL(file, "element %lld has a tag beyond 32 bits", (long long)number);
	}
	return brMsh_AddElement(file, type, nodes, number, (int32_t)physical, (int32_t)elementary);
}

// One block of a binary file; `left` are the elements still to come.
static brResult mshReadElementBlock(brMshFile* file, int64_t left, int64_t* outRead)
{
	int64_t typeNumber;
	int64_t count;
	int64_t tagCount;
	if (!brMsh_Int(file, &typeNumber) || !brMsh_Int(file, &count) || !brMsh_Int(file, &tagCount))
	{
		return BR_MSH_FAIL(file, "the file ends with %lld elements missing", (long long)left);
	}
	const brMshType* type = brMsh_Type(typeNumber);
	if (type == NULL)
	{
		return BR_MSH_FAIL(file, "a block of elements has the unknown type %lld", (long long)typeNumber);
	}
	if (count < 1 || count > left || tagCount < 0)
	{
		return BR_MSH_FAIL(file, "a block of %lld elements with %lld tags, where %lld elements are left",
						   (long long)count, (long long)tagCount, (long long)left);
	}
	size_t stride = 4 * (1 + (size_t)tagCount + type->nodeCount);
	if (!brMsh_HasRoom(file, count, stride, 1))
	{
		return BR_MSH_FAIL(file, "%lld elements of %zu bytes cannot follow in the %zu bytes that are left",
						   (long long)count, stride, brMsh_Left(file));
	}
	if (type->kind < br_droppedKindCount)
	{
		file->cells.dropped[type->kind] += count;
		file->text.at += stride * (size_t)count;
		*outRead = count;
		return br_success;
	}
	brResult result = br_success;
	for (int64_t i = 0; i < count && result >= 0; ++i)
	{
		const uint8_t* record = (const uint8_t*)file->text.at;
		const uint8_t* ends = record + 4 + 4 * tagCount;
		int64_t nodes[4];
		for (int32_t k = 0; k < type->cornerCount; ++k)
		{
			nodes[k] = (int32_t)brLoad32(ends + 4 * k, file->isSwapped);
		}
		int32_t number = (int32_t)brLoad32(record, file->isSwapped);
		int32_t physical = tagCount > 0 ? (int32_t)brLoad32(record + 4, file->isSwapped) : 0;
		int32_t elementary = tagCount > 1 ? (int32_t)brLoad32(record + 8, file->isSwapped) : 0;
		result = brMsh_AddElement(file, type, nodes, number, physical, elementary);
		file->text.at += stride;
	}
	*outRead = count;
	return result;
}

brResult brMsh_ReadElements2(brMshFile* file)
{
	int64_t count;
	brResult result = mshReadCount2(file, "elements", &count);
	if (result >= 0 && !brMsh_HasRoom(file, count, 8, 4))
	{
		return BR_MSH_FAIL(file, "%lld elements cannot follow in the %zu bytes that are left", (long long)count,
						   brMsh_Left(file));
	}
	int64_t i = 0;
	while (i < count && result >= 0)
	{
		int64_t read = 1;
		result = file->isBinary ? mshReadElementBlock(file, count - i, &read) : mshReadElementText(file, i, count);
		i += read;
	}
	return result;
}
