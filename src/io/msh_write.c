// SPDX-License-Identifier: MIT

// Writing Gmsh MSH files, versions 2.2 and 4.1, ASCII and binary, in this machine's byte order.
//
// Elements are triangles (or the triangles and quads of a surface) and then tets. A tag becomes a physical group.
// Version 4.1 puts groups on entities: each different tag gets an entity of its own, numbered from 1 in rising order of
// tags, and elements go in blocks, one for each run of equal tags, so that their order stays.

#include "io/cells.h"

#include <string.h>

// One list of elements: the faces or the tets.
typedef struct MshList
{
	int32_t dimension;
	int32_t count;
	const int32_t* starts; // null: `size` nodes each
	const int32_t* nodes;
	int32_t size;
	int32_t* tags; // [count] or null; owned
	brTagList entities;
	bool hasUntagged; // some element has tag 0: its entity comes after the others
} MshList;

typedef struct MshWriter
{
	const brWriteJob* job;
	brOutput output;
	bool isBinary;
	int32_t nodeCount;
	const brDVec3* nodes;
	const brMesh* named; // surface whose group names are written, or null
	int32_t* groupTags;  // of its groups, owned
	MshList lists[2];    // faces, tets
} MshWriter;

static int32_t mshListSize(const MshList* list, int32_t element)
{
	return list->starts != NULL ? list->starts[element + 1] - list->starts[element] : list->size;
}

static const int32_t* mshListNodes(const MshList* list, int32_t element)
{
	return list->nodes + (list->starts != NULL ? list->starts[element] : (int64_t)list->size * element);
}

static int32_t mshListType(const MshList* list, int32_t element)
{
	return list->dimension == 3 ? 4 : mshListSize(list, element) - 1;
}

static int32_t mshListTag(const MshList* list, int32_t element)
{
	return list->tags != NULL ? list->tags[element] : 0;
}

static int32_t mshListEntity(const MshList* list, int32_t tag)
{
	int32_t lower = 0;
	int32_t upper = list->entities.count;
	while (lower < upper && tag != 0)
	{
		int32_t middle = lower + (upper - lower) / 2;
		lower = list->entities.data[middle] < tag ? middle + 1 : lower;
		upper = list->entities.data[middle] < tag ? upper : middle;
	}
	return tag != 0 ? lower + 1 : list->entities.count + 1;
}

// Numbers in either encoding; in ASCII `end` follows.

static void mshPutInt(MshWriter* writer, int32_t value, char end)
{
	if (writer->isBinary)
	{
		brOutput_Bits32(&writer->output, (uint32_t)value);
		return;
	}
	brOutput_Int(&writer->output, value);
	brOutput_Write(&writer->output, &end, 1);
}

static void mshPutSize(MshWriter* writer, uint64_t value, char end)
{
	if (writer->isBinary)
	{
		brOutput_Bits64(&writer->output, value);
		return;
	}
	brOutput_Int(&writer->output, (int64_t)value);
	brOutput_Write(&writer->output, &end, 1);
}

static void mshPutDouble(MshWriter* writer, double value, char end)
{
	if (writer->isBinary)
	{
		uint64_t bits;
		memcpy(&bits, &value, sizeof(bits));
		brOutput_Bits64(&writer->output, bits);
		return;
	}
	brOutput_Double(&writer->output, value);
	brOutput_Write(&writer->output, &end, 1);
}

static void mshPutPoint(MshWriter* writer, brDVec3 p)
{
	mshPutDouble(writer, p.x, ' ');
	mshPutDouble(writer, p.y, ' ');
	mshPutDouble(writer, p.z, '\n');
}

static void mshPutHeader(MshWriter* writer, const char* version)
{
	brOutput_Format(&writer->output, "$MeshFormat\n%s %d 8\n", version, writer->isBinary);
	if (writer->isBinary)
	{
		mshPutInt(writer, 1, '\n');
		brOutput_Text(&writer->output, "\n");
	}
	brOutput_Text(&writer->output, "$EndMeshFormat\n");
	if (writer->named == NULL)
	{
		return;
	}
	brOutput_Format(&writer->output, "$PhysicalNames\n%d\n", writer->named->groupCount);
	for (int32_t g = 0; g < writer->named->groupCount; ++g)
	{
		brOutput_Format(&writer->output, "2 %d \"", writer->groupTags[g]);
		for (const char* c = writer->named->groupNames[g]; *c != 0; ++c)
		{
			char kept = *c == '"' || (unsigned char)*c < ' ' ? '_' : *c; // a quote would end the name
			brOutput_Write(&writer->output, &kept, 1);
		}
		brOutput_Text(&writer->output, "\"\n");
	}
	brOutput_Text(&writer->output, "$EndPhysicalNames\n");
}

static void mshPutSectionEnd(MshWriter* writer, const char* name)
{
	brOutput_Format(&writer->output, "%s$End%s\n", writer->isBinary ? "\n" : "", name);
}

static void mshWrite22(MshWriter* writer)
{
	mshPutHeader(writer, "2.2");
	brOutput_Format(&writer->output, "$Nodes\n%d\n", writer->nodeCount);
	for (int32_t v = 0; v < writer->nodeCount; ++v)
	{
		mshPutInt(writer, v + 1, ' ');
		mshPutPoint(writer, writer->nodes[v]);
	}
	mshPutSectionEnd(writer, "Nodes");

	brOutput_Format(&writer->output, "$Elements\n%lld\n", (long long)writer->lists[0].count + writer->lists[1].count);
	int32_t number = 0;
	for (int32_t l = 0; l < 2; ++l)
	{
		const MshList* list = &writer->lists[l];
		for (int32_t e = 0, blockEnd = 0; e < list->count; ++e)
		{
			int32_t size = mshListSize(list, e);
			int32_t tag = mshListTag(list, e);
			if (writer->isBinary && e == blockEnd)
			{
				while (blockEnd < list->count && mshListSize(list, blockEnd) == size)
				{
					blockEnd += 1;
				}
				mshPutInt(writer, mshListType(list, e), ' ');
				mshPutInt(writer, blockEnd - e, ' ');
				mshPutInt(writer, 2, ' ');
			}
			number += 1;
			mshPutInt(writer, number, ' ');
			if (!writer->isBinary)
			{
				mshPutInt(writer, mshListType(list, e), ' ');
				mshPutInt(writer, 2, ' ');
			}
			mshPutInt(writer, tag, ' ');
			mshPutInt(writer, tag > 0 ? tag : 1, ' ');
			const int32_t* nodes = mshListNodes(list, e);
			for (int32_t k = 0; k < size; ++k)
			{
				mshPutInt(writer, nodes[k] + 1, k + 1 < size ? ' ' : '\n');
			}
		}
	}
	mshPutSectionEnd(writer, "Elements");
}

static int32_t mshEntityCount(const MshList* list)
{
	return list->entities.count + (list->hasUntagged ? 1 : 0);
}

static void mshPutEntities(MshWriter* writer)
{
	// The box of an entity is a hint for viewers: the one of the whole mesh holds all of them.
	brDVec3 lower = {0};
	brDVec3 upper = {0};
	for (int32_t v = 0; v < writer->nodeCount; ++v)
	{
		lower = v == 0 ? writer->nodes[v] : brDMin(lower, writer->nodes[v]);
		upper = v == 0 ? writer->nodes[v] : brDMax(upper, writer->nodes[v]);
	}
	brOutput_Text(&writer->output, "$Entities\n");
	mshPutSize(writer, 0, ' ');
	mshPutSize(writer, 0, ' ');
	mshPutSize(writer, (uint64_t)mshEntityCount(&writer->lists[0]), ' ');
	mshPutSize(writer, (uint64_t)mshEntityCount(&writer->lists[1]), '\n');
	for (int32_t l = 0; l < 2; ++l)
	{
		const MshList* list = &writer->lists[l];
		for (int32_t i = 0; i < mshEntityCount(list); ++i)
		{
			mshPutInt(writer, i + 1, ' ');
			mshPutPoint(writer, lower);
			mshPutPoint(writer, upper);
			mshPutSize(writer, i < list->entities.count, ' ');
			if (i < list->entities.count)
			{
				mshPutInt(writer, (int32_t)list->entities.data[i], ' ');
			}
			mshPutSize(writer, 0, '\n');
		}
	}
	mshPutSectionEnd(writer, "Entities");
}

// End of the run of elements that share tag and type with element `first`.
static int32_t mshRunEnd(const MshList* list, int32_t first)
{
	int32_t end = first + 1;
	while (end < list->count && mshListTag(list, end) == mshListTag(list, first) &&
		   mshListSize(list, end) == mshListSize(list, first))
	{
		end += 1;
	}
	return end;
}

static void mshWrite41(MshWriter* writer)
{
	mshPutHeader(writer, "4.1");
	mshPutEntities(writer);

	brOutput_Text(&writer->output, "$Nodes\n");
	uint64_t nodeCount = (uint64_t)writer->nodeCount;
	mshPutSize(writer, nodeCount > 0, ' ');
	mshPutSize(writer, nodeCount, ' ');
	mshPutSize(writer, nodeCount > 0, ' ');
	mshPutSize(writer, nodeCount, '\n');
	if (nodeCount > 0)
	{
		mshPutInt(writer, writer->lists[1].count > 0 ? 3 : 2, ' ');
		mshPutInt(writer, 1, ' ');
		mshPutInt(writer, 0, ' ');
		mshPutSize(writer, nodeCount, '\n');
	}
	for (uint64_t v = 0; v < nodeCount; ++v)
	{
		mshPutSize(writer, v + 1, '\n');
	}
	for (uint64_t v = 0; v < nodeCount; ++v)
	{
		mshPutPoint(writer, writer->nodes[v]);
	}
	mshPutSectionEnd(writer, "Nodes");

	uint64_t runCount = 0;
	uint64_t elementCount = (uint64_t)writer->lists[0].count + (uint64_t)writer->lists[1].count;
	for (int32_t l = 0; l < 2; ++l)
	{
		for (int32_t e = 0; e < writer->lists[l].count; e = mshRunEnd(&writer->lists[l], e))
		{
			runCount += 1;
		}
	}
	brOutput_Text(&writer->output, "$Elements\n");
	mshPutSize(writer, runCount, ' ');
	mshPutSize(writer, elementCount, ' ');
	mshPutSize(writer, elementCount > 0, ' ');
	mshPutSize(writer, elementCount, '\n');
	uint64_t number = 0;
	for (int32_t l = 0; l < 2; ++l)
	{
		const MshList* list = &writer->lists[l];
		for (int32_t e = 0, end = 0; e < list->count; ++e)
		{
			int32_t size = mshListSize(list, e);
			if (e == end)
			{
				end = mshRunEnd(list, e);
				mshPutInt(writer, list->dimension, ' ');
				mshPutInt(writer, mshListEntity(list, mshListTag(list, e)), ' ');
				mshPutInt(writer, mshListType(list, e), ' ');
				mshPutSize(writer, (uint64_t)(end - e), '\n');
			}
			number += 1;
			mshPutSize(writer, number, ' ');
			const int32_t* nodes = mshListNodes(list, e);
			for (int32_t k = 0; k < size; ++k)
			{
				mshPutSize(writer, (uint64_t)nodes[k] + 1, k + 1 < size ? ' ' : '\n');
			}
		}
	}
	mshPutSectionEnd(writer, "Elements");
}

// Tags of a list become entities. False without memory.
static bool mshMakeEntities(const brAllocator* allocator, MshList* list)
{
	for (int32_t e = 0; e < list->count && !list->hasUntagged; ++e)
	{
		list->hasUntagged = mshListTag(list, e) == 0;
	}
	return list->tags == NULL || brListTags(allocator, list->tags, list->count, &list->entities);
}

static bool mshCopyTags(const brAllocator* allocator, MshList* list, const int32_t* tags)
{
	if (tags == NULL)
	{
		return true;
	}
	list->tags = BR_ALLOC(allocator, int32_t, list->count);
	if (list->tags != NULL && list->count > 0)
	{
		memcpy(list->tags, tags, (size_t)list->count * sizeof(int32_t));
	}
	return list->tags != NULL;
}

// Groups of a surface, by face as it is written.
static bool mshMakeFaceTags(MshWriter* writer, const brMesh* surface, const brWriteFaces* faces)
{
	const brAllocator* allocator = &writer->job->allocator;
	MshList* list = &writer->lists[0];
	if (surface->faceGroups == NULL)
	{
		return true;
	}
	bool isNamed;
	writer->groupTags = brMakeGroupTags(allocator, surface, &isNamed);
	list->tags = writer->groupTags != NULL ? BR_ALLOC(allocator, int32_t, list->count) : NULL;
	for (int32_t f = 0; f < list->count && list->tags != NULL; ++f)
	{
		list->tags[f] = brFaceTag(surface, writer->groupTags, faces->origins != NULL ? faces->origins[f] : f);
	}
	writer->named = surface;
	return list->tags != NULL;
}

static brResult mshCollect(MshWriter* writer, const brCellSource* source, brWriteFaces* faces, brRemarks* remarks)
{
	const brWriteJob* job = writer->job;
	MshList* lists = writer->lists;
	bool ok = true;
	lists[0].dimension = 2;
	lists[1].dimension = 3;
	if (source->tets != NULL)
	{
		const brTetMesh* mesh = source->tets;
		writer->nodeCount = mesh->nodeCount;
		writer->nodes = mesh->nodes;
		lists[0].count = mesh->triangleCount;
		lists[0].nodes = (const int32_t*)mesh->triangles;
		lists[0].size = 3;
		lists[1].count = mesh->tetCount;
		lists[1].nodes = (const int32_t*)mesh->tets;
		lists[1].size = 4;
		ok = mshCopyTags(&job->allocator, &lists[0], mesh->triangleTags) &&
			 mshCopyTags(&job->allocator, &lists[1], mesh->tetTags);
	}
	else
	{
		const brMesh* mesh = source->surface;
		brRemarkSurfaceLosses(mesh, (brSurfaceHolds){.groups = true}, "MSH files", remarks);
		brResult result = brWriteFaces_Open(faces, job, mesh, 4, remarks);
		if (result < 0)
		{
			return result;
		}
		writer->nodeCount = mesh->vertexCount;
		writer->nodes = mesh->positions;
		lists[0].count = faces->count;
		lists[0].starts = faces->starts;
		lists[0].nodes = faces->corners;
		ok = mshMakeFaceTags(writer, mesh, faces);
	}
	if ((int64_t)lists[0].count + lists[1].count > INT32_MAX)
	{
		return brFail(job->report, br_errorLimit, "%s: more elements than 32 bits can count", job->path);
	}
	ok = ok && mshMakeEntities(&job->allocator, &lists[0]) && mshMakeEntities(&job->allocator, &lists[1]);
	return ok ? br_success : brFailMemory(job->report);
}

brResult brWriteMsh(const brWriteJob* job)
{
	if (job->def->mshVersion != 22 && job->def->mshVersion != 41)
	{
		return brFail(job->report, br_errorMisuse, "MSH version %d is not written, 22 and 41 are",
					  job->def->mshVersion);
	}
	MshWriter writer = {.job = job, .isBinary = !job->def->ascii};
	brRemarks remarks = {0};
	brCellSource source = {0};
	brWriteFaces faces = {.allocator = job->allocator};
	brResult result = brCellSource_Open(&source, job, &remarks);
	result = result < 0 ? result : mshCollect(&writer, &source, &faces, &remarks);
	result = result < 0 ? result : brOutput_Open(&writer.output, &job->allocator, job->path, job->report);
	if (result >= 0)
	{
		if (job->def->mshVersion == 22)
		{
			mshWrite22(&writer);
		}
		else
		{
			mshWrite41(&writer);
		}
		result = brOutput_Commit(&writer.output, job->report);
	}
	for (int32_t l = 0; l < 2; ++l)
	{
		BR_FREE(&job->allocator, writer.lists[l].tags, writer.lists[l].count);
		BR_FREE_ARRAY(&job->allocator, &writer.lists[l].entities);
	}
	BR_FREE(&job->allocator, writer.groupTags, writer.named != NULL ? writer.named->groupCount : 0);
	brWriteFaces_Close(&faces);
	brCellSource_Close(&source);
	return result < 0 ? result : brRemarks_Report(&remarks, job->path, job->report);
}
