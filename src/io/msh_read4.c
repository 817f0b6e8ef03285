// SPDX-License-Identifier: MIT

// Entities, nodes and elements of MSH version 4.
//
// Elements come in blocks that lie on one entity (a surface, a volume); the physical groups belong to the entities.
// Version
// 4.1 keeps numbers in size_t and lists the numbers of a block before its coordinates; 4.0 keeps them in int, one with
// each node, and writes the tag of an entity before its dimension.

#include "io/msh.h"

static int64_t mshEntityKey(int64_t dimension, int64_t tag)
{
	return dimension * ((int64_t)1 << 32) + (uint32_t)tag;
}

static brResult mshReadEntity(brMshFile* file, int64_t dimension, int64_t index)
{
	int64_t tag;
	int64_t count = 0;
	int64_t physical = 0;
	double box;
	bool ok = brMsh_Int(file, &tag);
	int32_t boxNumbers = dimension == 0 && file->version == 41 ? 3 : 6;
	for (int32_t k = 0; k < boxNumbers && ok; ++k)
	{
		ok = brMsh_Double(file, &box);
	}
	ok = ok && brMsh_Size(file, &count);
	for (int64_t i = 0; i < count && ok; ++i)
	{
		int64_t group = 0;
		ok = brMsh_Int(file, &group);
		physical = i == 0 ? group : physical;
	}
	int64_t boundCount = 0;
	ok = ok && (dimension == 0 || brMsh_Size(file, &boundCount));
	for (int64_t i = 0; i < boundCount && ok; ++i)
	{
		int64_t bound;
		ok = brMsh_Int(file, &bound);
	}
	if (!ok || count < 0 || boundCount < 0 || tag < INT32_MIN || tag > INT32_MAX || physical < INT32_MIN ||
		physical > INT32_MAX)
	{
		return BR_MSH_FAIL(file, "entity %lld of dimension %lld is not complete", (long long)index + 1,
						   (long long)dimension);
	}
	bool isKept = dimension < 2 || physical == 0 ||
				  (BR_PUSH(&file->job->allocator, &file->entityKeys, mshEntityKey(dimension, tag)) &&
				   BR_PUSH(&file->job->allocator, &file->entityPhysicals, (int32_t)physical));
	return isKept ? br_success : brFailMemory(file->job->report);
}

brResult brMsh_ReadEntities4(brMshFile* file)
{
	int64_t counts[4];
	for (int32_t d = 0; d < 4; ++d)
	{
		if (!brMsh_Size(file, &counts[d]) || counts[d] < 0)
		{
			return BR_MSH_FAIL(file, "the numbers of points, curves, surfaces and volumes are expected here");
		}
	}
	for (int32_t d = 0; d < 4; ++d)
	{
		for (int64_t i = 0; i < counts[d]; ++i)
		{
			brResult result = mshReadEntity(file, d, i);
			if (result < 0)
			{
				return result;
			}
		}
	}
	int32_t twice;
	file->hasEntities = true;
	if (!brTagMap_Build(&file->entityMap, &file->job->allocator, file->entityKeys.data, file->entityKeys.count, &twice))
	{
		return brFailMemory(file->job->report);
	}
	return twice < 0 ? br_success
					 : BR_MSH_FAIL(file, "entity %d is there twice", (int32_t)file->entityKeys.data[twice]);
}

// The header of a block: dimension and tag of the entity, a third number, and how many items follow.
typedef struct MshBlock
{
	int64_t dimension, tag, detail, count;
} MshBlock;

static bool mshReadBlock(brMshFile* file, MshBlock* block)
{
	bool isNew = file->version == 41;
	return brMsh_Int(file, isNew ? &block->dimension : &block->tag) &&
		   brMsh_Int(file, isNew ? &block->tag : &block->dimension) && brMsh_Int(file, &block->detail) &&
		   brMsh_Size(file, &block->count) && block->dimension >= 0 && block->dimension <= 3 && block->count >= 0;
}

// Header of the section: blocks, items, and in 4.1 the lowest and highest number, which nothing depends on.
static brResult mshReadTotals(brMshFile* file, const char* what, int64_t* outBlocks, int64_t* outTotal)
{
	int64_t unused;
	bool ok = brMsh_Size(file, outBlocks) && brMsh_Size(file, outTotal);
	ok = ok && (file->version == 40 || (brMsh_Size(file, &unused) && brMsh_Size(file, &unused)));
	if (!ok || *outBlocks < 0 || *outTotal < 0)
	{
		return BR_MSH_FAIL(file, "the numbers of blocks and %s are expected here", what);
	}
	return br_success;
}

static brResult mshReadNodeBlock(brMshFile* file, int64_t total)
{
	MshBlock block;
	if (!mshReadBlock(file, &block) || block.detail < 0 || block.detail > 1)
	{
		return BR_MSH_FAIL(file, "a block of nodes needs dimension, tag, 0 or 1, and a number of nodes");
	}
	if (block.count > total - file->cells.nodes.count)
	{
		return BR_MSH_FAIL(file, "a block of %lld nodes, where %lld of %lld are left", (long long)block.count,
						   (long long)(total - file->cells.nodes.count), (long long)total);
	}
	bool isNew = file->version == 41;
	int64_t parameterCount = block.detail * block.dimension;
	size_t bytes = (isNew ? (size_t)file->sizeBytes : 4) + 8 * (size_t)(3 + parameterCount);
	brResult result = brMsh_ReserveNodes(file, block.count, bytes, 4 + (size_t)parameterCount);
	if (result < 0)
	{
		return result;
	}
	int64_t* tags = block.count > 0 ? file->nodeTags.data + file->nodeTags.count : NULL;
	for (int64_t i = 0; i < block.count && isNew; ++i)
	{
		if (!brMsh_Size(file, &tags[i]))
		{
			return BR_MSH_FAIL(file, "number %lld of a block of %lld nodes is missing", (long long)i + 1,
							   (long long)block.count);
		}
	}
	for (int64_t i = 0; i < block.count; ++i)
	{
		int64_t tag = tags[i];
		brDVec3 p;
		double parameter;
		bool ok = (isNew || brMsh_Int(file, &tag)) && brMsh_Double(file, &p.x) && brMsh_Double(file, &p.y) &&
				  brMsh_Double(file, &p.z);
		for (int64_t k = 0; k < parameterCount && ok; ++k)
		{
			ok = brMsh_Double(file, &parameter);
		}
		if (!ok)
		{
			return BR_MSH_FAIL(file, "node %lld of a block of %lld has no coordinates", (long long)i + 1,
							   (long long)block.count);
		}
		if (!brMsh_AddNode(file, tag, p))
		{
			return BR_MSH_FAIL(file, "node %lld is not finite", (long long)tag);
		}
	}
	return br_success;
}

brResult brMsh_ReadNodes4(brMshFile* file)
{
	int64_t blocks;
	int64_t total;
	brResult result = mshReadTotals(file, "nodes", &blocks, &total);
	for (int64_t b = 0; b < blocks && result >= 0; ++b)
	{
		result = mshReadNodeBlock(file, total);
	}
	if (result >= 0 && file->cells.nodes.count != total)
	{
		return BR_MSH_FAIL(file, "the blocks hold %d nodes, the header says %lld", file->cells.nodes.count,
						   (long long)total);
	}
	return result;
}

static int32_t mshEntityPhysical(const brMshFile* file, const MshBlock* block)
{
	int32_t entity =
		file->hasEntities ? brTagMap_Find(&file->entityMap, mshEntityKey(block->dimension, block->tag)) : -1;
	return entity >= 0 ? file->entityPhysicals.data[entity] : 0;
}

// The records of a block in a binary 4.1 file, without a test for each number: most bytes of most files are here.
static brResult mshReadElementRecords(brMshFile* file, const MshBlock* block, const brMshType* type, int32_t physical)
{
	size_t width = file->version == 41 ? (size_t)file->sizeBytes : 4;
	size_t stride = width * (1 + (size_t)type->nodeCount);
	if (type->kind < br_droppedKindCount)
	{
		file->cells.dropped[type->kind] += block->count;
		file->text.at += stride * (size_t)block->count;
		return br_success;
	}
	brResult result = br_success;
	for (int64_t i = 0; i < block->count && result >= 0; ++i)
	{
		const uint8_t* record = (const uint8_t*)file->text.at;
		int64_t numbers[5];
		for (int32_t k = 0; k < 1 + type->cornerCount; ++k)
		{
			numbers[k] = width == 8 ? (int64_t)brLoad64(record + 8 * k, file->isSwapped)
									: (int64_t)brLoad32(record + 4 * k, file->isSwapped);
		}
		result = brMsh_AddElement(file, type, numbers + 1, numbers[0], physical, (int32_t)block->tag);
		file->text.at += stride;
	}
	return result;
}

static brResult mshReadElementLines(brMshFile* file, const MshBlock* block, const brMshType* type, int32_t physical)
{
	for (int64_t i = 0; i < block->count; ++i)
	{
		int64_t numbers[1 + BR_MSH_MAX_NODES];
		for (int32_t k = 0; k < 1 + type->nodeCount; ++k)
		{
			if (!brMsh_TextInt(file, &numbers[k]))
			{
				return BR_MSH_FAIL(file, "element %lld of a block of %lld needs a number and %d nodes",
								   (long long)i + 1, (long long)block->count, type->nodeCount);
			}
		}
		brResult result = brMsh_AddElement(file, type, numbers + 1, numbers[0], physical, (int32_t)block->tag);
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

brResult brMsh_ReadElements4(brMshFile* file)
{
	int64_t blocks;
	int64_t total;
	int64_t read = 0;
	brResult result = mshReadTotals(file, "elements", &blocks, &total);
	for (int64_t b = 0; b < blocks && result >= 0; ++b)
	{
		MshBlock block;
		if (!mshReadBlock(file, &block))
		{
			return BR_MSH_FAIL(file, "a block of elements needs dimension, tag, type and a number of elements");
		}
		const brMshType* type = brMsh_Type(block.detail);
		if (type == NULL)
		{
			return BR_MSH_FAIL(file, "a block of elements has the unknown type %lld", (long long)block.detail);
		}
		size_t width = file->version == 41 ? (size_t)file->sizeBytes : 4;
		if (block.count > total - read ||
			!brMsh_HasRoom(file, block.count, width * (1 + (size_t)type->nodeCount), 1 + (size_t)type->nodeCount))
		{
			return BR_MSH_FAIL(file, "a block of %lld elements, where %lld of %lld and %zu bytes are left",
							   (long long)block.count, (long long)(total - read), (long long)total, brMsh_Left(file));
		}
		if (type->kind == br_mshTet && block.count > 1 && !brFileCells_ReserveTets(&file->cells, block.count))
		{
			return brFailMemory(file->job->report);
		}
		int32_t physical = mshEntityPhysical(file, &block);
		result = file->isBinary ? mshReadElementRecords(file, &block, type, physical)
								: mshReadElementLines(file, &block, type, physical);
		read += block.count;
	}
	if (result >= 0 && read != total)
	{
		return BR_MSH_FAIL(file, "the blocks hold %lld elements, the header says %lld", (long long)read,
						   (long long)total);
	}
	return result;
}
