// SPDX-License-Identifier: MIT

// Boxes of elements. Corners are rounded once per vertex, not once per use; the box of an element is then a minimum of
// its corners' boxes.

#include "index/box_source.h"

#include <string.h>

enum
{
	boxBlock = 4096 // vertices or boxes looked at in one go
};

static bool boxIsFinite(const brTreeBox* box)
{
	for (int k = 0; k < 3; ++k)
	{
		if (!(fabsf(box->lower[k]) <= 0x1.fffffep127f && fabsf(box->negUpper[k]) <= 0x1.fffffep127f))
		{
			return false;
		}
	}
	return true;
}

static bool boxIsValid(const brBox3* box)
{
	brTreeBox copy = brMakeTreeBox(*box);
	return boxIsFinite(&copy) && box->lower.x <= box->upper.x && box->lower.y <= box->upper.y &&
		   box->lower.z <= box->upper.z;
}

// Outward, rounding included.
static void boxGrow(brTreeBox* box, float margin)
{
	for (int k = 0; k < 3; ++k)
	{
		box->lower[k] = nextafterf(box->lower[k] - margin, -INFINITY);
		box->negUpper[k] = nextafterf(box->negUpper[k] - margin, -INFINITY);
	}
}

static void boxVertexBlock(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brBoxMaker* maker = user;
	const brBoxSource* source = &maker->source;
	brTreeBox* boxes = (brTreeBox*)maker->vertexBoxes.data + begin;
	brTreeBox* bounds = (brTreeBox*)maker->blockBounds.data + begin / boxBlock;
	*bounds = brMakeTreeBoxEmpty();
	maker->kernels->boxVertices(source->positions + begin, end - begin, boxes, bounds);
	bool isFinite = boxIsFinite(bounds);
	if (source->nextPositions != NULL)
	{
		// A few at a time beside the first frame's.
		brTreeBox next[256];
		for (int32_t i = begin; i < end; i += 256)
		{
			int32_t count = end - i < 256 ? end - i : 256;
			maker->kernels->boxVertices(source->nextPositions + i, count, next, bounds);
			for (int32_t k = 0; k < count; ++k)
			{
				boxes[i - begin + k] = brTreeBox_Union(&boxes[i - begin + k], &next[k]);
			}
		}
		isFinite = isFinite && boxIsFinite(bounds);
	}
	if (source->margin > 0.0)
	{
		float margin = nextafterf((float)source->margin, INFINITY);
		for (int32_t i = 0; i < end - begin; ++i)
		{
			boxGrow(&boxes[i], margin);
		}
		boxGrow(bounds, margin);
		isFinite = isFinite && boxIsFinite(bounds);
	}
	// A minimum can step over a NaN, so look at sums, which cannot.
	double sum = 0.0;
	for (int32_t i = begin; i < end; ++i)
	{
		brDVec3 p = source->positions[i];
		sum += 0.0 * p.x + 0.0 * p.y + 0.0 * p.z;
		if (source->nextPositions != NULL)
		{
			brDVec3 q = source->nextPositions[i];
			sum += 0.0 * q.x + 0.0 * q.y + 0.0 * q.z;
		}
	}
	if (!isFinite || sum != 0.0)
	{
		bounds->lower[3] = 1.0f; // looked at again below
	}
}

static void boxBoxBlock(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brBoxMaker* maker = user;
	brTreeBox* bounds = (brTreeBox*)maker->blockBounds.data + begin / boxBlock;
	*bounds = brMakeTreeBoxEmpty();
	bool isValid = true;
	for (int32_t i = begin; i < end; ++i)
	{
		isValid &= boxIsValid(&maker->source.boxes[i]);
		brTreeBox box = brMakeTreeBox(maker->source.boxes[i]);
		*bounds = brTreeBox_Union(bounds, &box);
	}
	bounds->lower[3] = isValid ? 0.0f : 1.0f;
}

// Names the first bad thing of a block that has one.
static brResult boxRefuse(const brBoxSource* source, int32_t block, brReport* report)
{
	int32_t begin = block * boxBlock;
	if (source->boxes != NULL)
	{
		for (int32_t i = begin; i < source->count; ++i)
		{
			if (!boxIsValid(&source->boxes[i]))
			{
				return brFailAt(report, br_errorGeometry, i,
								"box %d is not finite or has its lower corner above its upper", i);
			}
		}
	}
	for (int32_t i = begin; i < source->vertexCount; ++i)
	{
		for (int frame = 0; frame < 2; ++frame)
		{
			const brDVec3* positions = frame == 0 ? source->positions : source->nextPositions;
			if (positions != NULL &&
				!(fabs(positions[i].x) <= 0x1.fffffep127 && fabs(positions[i].y) <= 0x1.fffffep127 &&
				  fabs(positions[i].z) <= 0x1.fffffep127))
			{
				return brFailAt(report, br_errorGeometry, i, "vertex %d%s is not finite or lies beyond 3.4e38", i,
								frame == 0 ? "" : " of the next frame");
			}
		}
	}
	return brFail(report, br_errorGeometry, "a coordinate is not finite, or the margin is too large");
}

brResult brBoxMaker_Prepare(brBoxMaker* maker, brWorkers* workers, const brBoxSource* source, brReport* report)
{
	maker->source = *source;
	maker->bounds = brMakeTreeBoxEmpty();
	bool hasBoxes = source->boxes != NULL;
	int32_t count = hasBoxes ? source->count : source->vertexCount;
	int32_t blockCount = (int32_t)(((int64_t)count + boxBlock - 1) / boxBlock);
	if (!brStageMemory_Ensure(&maker->blockBounds, &maker->allocator, blockCount, sizeof(brTreeBox)) ||
		(!hasBoxes && !brStageMemory_Ensure(&maker->vertexBoxes, &maker->allocator, count, sizeof(brTreeBox))))
	{
		return brFailMemory(report);
	}
	brParallelFor(workers, count, boxBlock, hasBoxes ? boxBoxBlock : boxVertexBlock, maker);

	const brTreeBox* blocks = maker->blockBounds.data;
	for (int32_t i = 0; i < blockCount; ++i)
	{
		if (blocks[i].lower[3] != 0.0f)
		{
			return boxRefuse(source, i, report);
		}
		maker->bounds = brTreeBox_Union(&maker->bounds, &blocks[i]);
	}
	return br_success;
}

void brBoxMaker_Fill(const brBoxMaker* maker, int32_t begin, int32_t end, brTreeBox* outBoxes)
{
	const brBoxSource* source = &maker->source;
	const brTreeBox* vertexBoxes = maker->vertexBoxes.data;
	if (source->boxes != NULL)
	{
		for (int32_t i = begin; i < end; ++i)
		{
			outBoxes[i - begin] = brMakeTreeBox(source->boxes[i]);
		}
		return;
	}
	if (source->corners == NULL)
	{
		memcpy(outBoxes, vertexBoxes + begin, (size_t)(end - begin) * sizeof(brTreeBox));
		return;
	}
	const int32_t* corners = source->corners + (int64_t)source->cornersEach * begin;
	if (source->cornersEach == 3)
	{
		maker->kernels->boxTriangles(vertexBoxes, (const int32_t(*)[3])corners, end - begin, outBoxes);
		return;
	}
	for (int32_t i = 0; i < end - begin; ++i, corners += source->cornersEach)
	{
		outBoxes[i] = vertexBoxes[corners[0]];
		for (int32_t k = 1; k < source->cornersEach; ++k)
		{
			outBoxes[i] = brTreeBox_Union(&outBoxes[i], &vertexBoxes[corners[k]]);
		}
	}
}

void brBoxMaker_Free(brBoxMaker* maker)
{
	brStageMemory_Free(&maker->vertexBoxes, &maker->allocator);
	brStageMemory_Free(&maker->blockBounds, &maker->allocator);
}
