// SPDX-License-Identifier: MIT

// A picture as walls that cut a solid: bright regions are labeled, dark pixels join the nearest, and the sides between
// pixels of two labels make lines. Lines begin and end where three labels meet or at the border; between, they are
// smoothed and thinned out, and become walls.

#include "brittle/cutout.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/memory.h"
#include "base/report.h"
#include "brittle/cut.h"
#include "fracture/cell_join.h"

#include <math.h>
#include <string.h>

enum
{
	cutoutMost = 4096, // pixels along a side
	cutoutSpeck = 4,   // pixels: smaller regions are dirt
	cutoutSmooth = 12, // rounds that take the steps of pixels out of lines
};

#define CUTOUT_STRAIGHT 0.3 // pixels: lines may leave their points by this much
#define CUTOUT_BEYOND 0.05  // of the model's size: walls go on so far beyond it

typedef struct CutoutPoint
{
	double x, y; // pixels
} CutoutPoint;

typedef struct CutoutJob
{
	brAllocator allocator;
	const brCutoutDef* def;
	int32_t width, height;
	int32_t labelCount;
	int32_t* labels; // [width * height]
	int32_t* queue;  // [width * height]
	uint8_t* sides;  // [(width + 1) * (height + 1)] of a corner: walls to the right 1, up 2, and those gone along 4, 8
	BR_ARRAY(CutoutPoint) line; // under way
	BR_ARRAY(brDVec3) positions;
	BR_ARRAY(int32_t) corners; // quads
	brDBox3 box;
	int32_t across[3]; // columns, rows, depth: which axis of space
} CutoutJob;

brCutoutDef brDefaultCutoutDef(void)
{
	brShatterDef shatter = brDefaultShatterDef();
	return (brCutoutDef){.axis = {0.0, 0.0, 1.0},
						 .threshold = 0.5,
						 .density = shatter.density,
						 .interior = shatter.interior,
						 .stamp = BR_STAMP(brCutoutDef)};
}

// Fills from the pixels of the queue; with `label` only bright ones of it, else all that have no label get that of whom
// they came from.
static int32_t cutoutFill(CutoutJob* job, int32_t count, int32_t label)
{
	for (int32_t done = 0; done < count; ++done)
	{
		int32_t at = job->queue[done], x = at % job->width, y = at / job->width;
		const int32_t near[4] = {x > 0 ? at - 1 : -1, x + 1 < job->width ? at + 1 : -1, y > 0 ? at - job->width : -1,
								 y + 1 < job->height ? at + job->width : -1};
		for (int32_t k = 0; k < 4; ++k)
		{
			bool isFree = near[k] >= 0 && job->labels[near[k]] < 0;
			if (isFree && (label < 0 || (double)job->def->picture->values[near[k]] >= job->def->threshold))
			{
				job->labels[near[k]] = job->labels[at];
				job->queue[count++] = near[k];
			}
		}
	}
	return count;
}

static void cutoutLabel(CutoutJob* job)
{
	int32_t pixels = job->width * job->height, kept = 0;
	for (int32_t i = 0; i < pixels; ++i)
	{
		job->labels[i] = -1;
	}
	for (int32_t i = 0; i < pixels; ++i)
	{
		if (job->labels[i] >= 0 || job->labels[i] == -2 ||
			!((double)job->def->picture->values[i] >= job->def->threshold))
		{
			continue;
		}
		job->labels[i] = job->labelCount;
		job->queue[0] = i;
		int32_t count = cutoutFill(job, 1, job->labelCount);
		for (int32_t k = 0; k < count && count < cutoutSpeck; ++k)
		{
			job->labels[job->queue[k]] = -2; // dirt
		}
		job->labelCount += count >= cutoutSpeck;
	}
	for (int32_t i = 0; i < pixels; ++i)
	{
		job->labels[i] = job->labels[i] < 0 ? -1 : job->labels[i];
		if (job->labels[i] >= 0)
		{
			job->queue[kept++] = i;
		}
	}
	cutoutFill(job, kept, -1);
}

static int32_t cutoutLabelAt(const CutoutJob* job, int32_t x, int32_t y)
{
	return job->labels[y * job->width + x];
}

// Walls from each corner to the right and up: where the labels on both sides differ.
static void cutoutFindSides(CutoutJob* job)
{
	for (int32_t y = 0; y <= job->height; ++y)
	{
		for (int32_t x = 0; x <= job->width; ++x)
		{
			bool isRight =
				x < job->width && y > 0 && y < job->height && cutoutLabelAt(job, x, y - 1) != cutoutLabelAt(job, x, y);
			bool isUp =
				y < job->height && x > 0 && x < job->width && cutoutLabelAt(job, x - 1, y) != cutoutLabelAt(job, x, y);
			job->sides[y * (job->width + 1) + x] = (uint8_t)((isRight ? 1 : 0) | (isUp ? 2 : 0));
		}
	}
}

// The side from a corner in one of four directions: right, up, left, down. Whether there is a wall not gone along yet;
// marks it.
static bool cutoutTake(CutoutJob* job, int32_t x, int32_t y, int32_t way, bool isTaken)
{
	x -= way == 2, y -= way == 3;
	if (x < 0 || y < 0)
	{
		return false;
	}
	uint8_t* side = &job->sides[y * (job->width + 1) + x];
	uint8_t wall = way % 2 == 0 ? 1 : 2;
	bool isThere = (*side & wall) != 0 && (*side & (wall << 2)) == 0;
	*side = (uint8_t)(isThere && isTaken ? *side | (wall << 2) : *side);
	return isThere;
}

static int32_t cutoutDegree(const CutoutJob* job, int32_t x, int32_t y)
{
	const uint8_t* here = &job->sides[y * (job->width + 1) + x];
	return ((here[0] & 1) != 0) + ((here[0] & 2) != 0) + (x > 0 && (here[-1] & 1) != 0) +
		   (y > 0 && (here[-(job->width + 1)] & 2) != 0);
}

static void cutoutSmoothLine(CutoutJob* job, bool isClosed)
{
	CutoutPoint* p = job->line.data;
	int32_t count = job->line.count, first = isClosed ? 0 : 1, last = isClosed ? count - 1 : count - 2;
	for (int32_t round = 0; round < cutoutSmooth; ++round)
	{
		CutoutPoint before = isClosed ? p[count - 2] : p[0]; // of a closed line the last point is the first
		for (int32_t i = first; i <= last; ++i)
		{
			CutoutPoint own = p[i], next = p[i == count - 1 ? 1 : i + 1];
			p[i].x = 0.25 * (before.x + next.x) + 0.5 * own.x;
			p[i].y = 0.25 * (before.y + next.y) + 0.5 * own.y;
			before = own;
		}
		if (isClosed)
		{
			p[count - 1] = p[0];
		}
	}
}

// Keeps points from which the line would otherwise be too far (Douglas and Peucker). Marks are in `keep`.
static void cutoutThin(const CutoutPoint* p, int32_t a, int32_t b, uint8_t* keep)
{
	double farthest = 0.0, dx = p[b].x - p[a].x, dy = p[b].y - p[a].y, length = sqrt(dx * dx + dy * dy);
	int32_t at = -1;
	for (int32_t i = a + 1; i < b; ++i)
	{
		double ex = p[i].x - p[a].x, ey = p[i].y - p[a].y;
		double far = length > 0.0 ? fabs(dx * ey - dy * ex) / length : sqrt(ex * ex + ey * ey);
		if (far > farthest)
		{
			farthest = far;
			at = i;
		}
	}
	if (at > a && farthest > CUTOUT_STRAIGHT)
	{
		keep[at] = 1;
		cutoutThin(p, a, at, keep);
		cutoutThin(p, at, b, keep);
	}
}

// A place of the picture in space, at the low or the high end of the walls. Lines that end at the border go on beyond
// it.
static brDVec3 cutoutPlace(const CutoutJob* job, CutoutPoint p, bool isHigh)
{
	brDVec3 size = brDSub(job->box.upper, job->box.lower), place;
	double beyond = CUTOUT_BEYOND * brDLength(size);
	double parts[2] = {p.x / job->width, p.y / job->height};
	for (int32_t k = 0; k < 2; ++k)
	{
		int32_t axis = job->across[k];
		double low = (&job->box.lower.x)[axis], value = low + parts[k] * (&size.x)[axis];
		value = parts[k] <= 0.0 ? low - beyond : parts[k] >= 1.0 ? (&job->box.upper.x)[axis] + beyond : value;
		(&place.x)[axis] = value;
	}
	int32_t depth = job->across[2];
	(&place.x)[depth] = isHigh ? (&job->box.upper.x)[depth] + beyond : (&job->box.lower.x)[depth] - beyond;
	return place;
}

// The line under way as walls. False without memory.
static bool cutoutAddWalls(CutoutJob* job)
{
	const brAllocator* a = &job->allocator;
	int32_t count = job->line.count;
	CutoutPoint* p = job->line.data;
	bool isClosed = p[0].x == p[count - 1].x && p[0].y == p[count - 1].y;
	uint8_t* keep = BR_ALLOC_ZERO(a, uint8_t, count);
	if (keep == NULL)
	{
		return false;
	}
	cutoutSmoothLine(job, isClosed);
	keep[0] = keep[count - 1] = 1;
	if (isClosed)
	{
		keep[count / 2] = 1; // so that a loop stays one
		cutoutThin(p, 0, count / 2, keep);
		cutoutThin(p, count / 2, count - 1, keep);
	}
	else
	{
		cutoutThin(p, 0, count - 1, keep);
	}
	bool isDone = true;
	int32_t start = job->positions.count, before = -1;
	for (int32_t i = 0; i < count && isDone; ++i)
	{
		if (keep[i] == 0)
		{
			continue;
		}
		bool isBack = isClosed && i == count - 1;
		int32_t here = isBack ? start : job->positions.count;
		isDone = isBack || (BR_PUSH(a, &job->positions, cutoutPlace(job, p[i], false)) &&
							BR_PUSH(a, &job->positions, cutoutPlace(job, p[i], true)));
		const int32_t quad[4] = {before, here, here + 1, before + 1};
		for (int32_t k = 0; k < 4 && before >= 0 && isDone; ++k)
		{
			isDone = BR_PUSH(a, &job->corners, quad[k]);
		}
		before = here;
	}
	BR_FREE(a, keep, count);
	return isDone;
}

// From a corner along walls until they fork, end or come back. False without memory.
static bool cutoutFollow(CutoutJob* job, int32_t x, int32_t y, int32_t way)
{
	static const int32_t steps[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
	job->line.count = 0;
	bool isDone = BR_PUSH(&job->allocator, &job->line, ((CutoutPoint){x, y}));
	while (way >= 0 && isDone)
	{
		cutoutTake(job, x, y, way, true);
		x += steps[way][0], y += steps[way][1];
		isDone = BR_PUSH(&job->allocator, &job->line, ((CutoutPoint){x, y}));
		bool isEnd = cutoutDegree(job, x, y) != 2;
		way = -1;
		for (int32_t k = 0; k < 4 && !isEnd && way < 0; ++k)
		{
			way = cutoutTake(job, x, y, k, false) ? k : -1;
		}
	}
	return isDone && cutoutAddWalls(job);
}

// Lines that begin at forks and ends first, then loops.
static bool cutoutTrace(CutoutJob* job)
{
	bool isDone = true;
	for (int32_t loops = 0; loops < 2; ++loops)
	{
		for (int32_t at = 0; at < (job->width + 1) * (job->height + 1) && isDone; ++at)
		{
			int32_t x = at % (job->width + 1), y = at / (job->width + 1);
			for (int32_t way = 0; way < 4 && isDone; ++way)
			{
				bool isStart = loops == 1 || cutoutDegree(job, x, y) != 2;
				if (isStart && cutoutTake(job, x, y, way, false))
				{
					isDone = cutoutFollow(job, x, y, way);
				}
			}
		}
	}
	return isDone;
}

static brResult cutoutMakeWalls(CutoutJob* job, const brContext* context, brMesh** outMesh, brReport* report)
{
	int32_t faces = job->corners.count / 4;
	int32_t* starts = BR_ALLOC(&job->allocator, int32_t, (int64_t)faces + 1);
	if (starts == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t f = 0; f <= faces; ++f)
	{
		starts[f] = 4 * f;
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = job->positions.count, def.positions = job->positions.data;
	def.faceCount = faces, def.faceStarts = starts, def.corners = job->corners.data;
	brResult result = brCreateMesh(context, &def, outMesh, report);
	BR_FREE(&job->allocator, starts, (int64_t)faces + 1);
	return result;
}

// Pieces of the cut with the bonds between them.
static brResult cutoutGather(const brContext* context, const brCutResult* cut, const brCutoutDef* def,
							 brShatter** outShatter, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	int32_t count = cut->pieceCount;
	const brMesh** meshes = BR_ALLOC(&allocator, const brMesh*, count);
	int32_t* numbers = BR_ALLOC(&allocator, int32_t, 2 * (int64_t)count);
	brResult result = meshes != NULL && numbers != NULL ? br_success : brFailMemory(report);
	for (int32_t i = 0; result >= 0 && i < count; ++i)
	{
		meshes[i] = cut->pieces[i].mesh;
		numbers[i] = i;
	}
	if (result >= 0)
	{
		brCellJoin join = {
			.cells = meshes, .sites = numbers, .cellCount = count, .groups = numbers, .volume = cut->stats.volumeIn};
		result = brJoinCells(context, &join, numbers + count, outShatter, report);
	}
	for (int32_t i = 0; result >= 0 && i < (*outShatter)->pieceCount; ++i)
	{
		brPiece* piece = &(*outShatter)->pieces[i];
		piece->mass = brMesh_ComputeMass(piece->mesh, def->density);
	}
	BR_FREE(&allocator, meshes, count);
	BR_FREE(&allocator, numbers, 2 * (int64_t)count);
	return result;
}

static brResult cutoutCheck(const brCutoutDef* def, brReport* report)
{
	if (def->stamp != BR_STAMP(*def) || def->picture == NULL)
	{
		return brFail(report, br_errorMisuse, "a cut-out needs a picture and a def from brDefaultCutoutDef");
	}
	const int32_t* counts = def->picture->counts;
	if (counts[1] != 1 || counts[0] < 2 || counts[2] < 2 || counts[0] > cutoutMost || counts[2] > cutoutMost)
	{
		return brFail(report, br_errorMisuse, "a picture for cut-outs has one layer of 2 to %d pixels each way",
					  cutoutMost);
	}
	if (!brDIsFinite(def->axis) || !(brDLengthSq(def->axis) > 0.0) || !(def->density > 0.0 && isfinite(def->density)))
	{
		return brFail(report, br_errorMisuse, "a cut-out needs an axis and a positive density");
	}
	return br_success;
}

static void cutoutFree(CutoutJob* job)
{
	int64_t pixels = (int64_t)job->width * job->height;
	BR_FREE(&job->allocator, job->labels, pixels);
	BR_FREE(&job->allocator, job->queue, pixels);
	BR_FREE(&job->allocator, job->sides, (int64_t)(job->width + 1) * (job->height + 1));
	BR_FREE_ARRAY(&job->allocator, &job->line);
	BR_FREE_ARRAY(&job->allocator, &job->positions);
	BR_FREE_ARRAY(&job->allocator, &job->corners);
}

brResult brCreateCutout(const brContext* context, const brMesh* mesh, const brCutoutDef* def, brShatter** outShatter,
						brReport* report)
{
	if (mesh == NULL || def == NULL || outShatter == NULL)
	{
		return brFail(report, br_errorMisuse, "brCreateCutout needs mesh, def and outShatter");
	}
	brResult result = cutoutCheck(def, report);
	if (result < 0)
	{
		return result;
	}
	CutoutJob job = {.allocator = brContext_Allocator(context), .def = def, .box = brMesh_ComputeBounds(mesh)};
	job.width = def->picture->counts[0], job.height = def->picture->counts[2];
	brDVec3 axis = {fabs(def->axis.x), fabs(def->axis.y), fabs(def->axis.z)};
	int32_t depth = axis.x >= axis.y && axis.x >= axis.z ? 0 : axis.y >= axis.z ? 1 : 2;
	job.across[0] = depth == 0 ? 1 : 0, job.across[1] = depth == 2 ? 1 : 2, job.across[2] = depth;
	int64_t pixels = (int64_t)job.width * job.height;
	job.labels = BR_ALLOC(&job.allocator, int32_t, pixels);
	job.queue = BR_ALLOC(&job.allocator, int32_t, pixels);
	job.sides = BR_ALLOC_ZERO(&job.allocator, uint8_t, (int64_t)(job.width + 1) * (job.height + 1));
	brMesh* walls = NULL;
	brCutResult* cut = NULL;
	result = job.labels != NULL && job.queue != NULL && job.sides != NULL ? br_success : brFailMemory(report);
	if (result >= 0)
	{
		cutoutLabel(&job);
		cutoutFindSides(&job);
		result = job.labelCount < 1  ? brFail(report, br_errorGeometry, "the picture has no bright region")
				 : cutoutTrace(&job) ? cutoutMakeWalls(&job, context, &walls, report)
									 : brFailMemory(report);
	}
	cutoutFree(&job);
	brCutDef cutDef = brDefaultCutDef();
	cutDef.interior = &def->interior;
	cutDef.keepTriangles = true; // so that both sides of a wall have the same faces
	cutDef.healIncisions = true;
	result = result < 0 ? result : brCutMesh(context, mesh, walls, &cutDef, &cut, report);
	result = result < 0 ? result : cutoutGather(context, cut, def, outShatter, report);
	brDestroyCutResult(cut);
	brDestroyMesh(walls);
	return result < 0 ? result : brSucceed(report);
}
