// SPDX-License-Identifier: MIT

// From copies of cells to pieces: flat leftovers go, vertices are made as fans of the pairing, what hangs together is a
// shell, shells turned inward join the body around them.

#include "base/buckets.h"
#include "cut/cut_shell.h"
#include "math/predicates.h"
#include "mesh/weld.h"

#include <stdatomic.h>
#include <string.h>

enum
{
	CUT_SHELL_BLOCK = 4096 // triangles a worker takes at a time
};

static void cutFreeShell(CutShell* shell)
{
	const brAllocator* a = &shell->job->allocator;
	int64_t n = shell->count;
	BR_FREE(a, shell->sources, n);
	BR_FREE(a, shell->isIntact, n);
	BR_FREE(a, shell->fans, 3 * n);
	BR_FREE(a, shell->fanPoints, 3 * n);
	BR_FREE(a, shell->isTouched, 3 * n);
	BR_FREE(a, shell->pieceOf, n);
	BR_FREE(a, shell->order, n);
	BR_FREE(a, shell->pieceStart, n + 1);
	BR_FREE(a, shell->polygonOf, n);
	BR_FREE(a, shell->faceOf, n);
	BR_FREE(a, shell->marks, shell->job->points.count);
	BR_FREE(a, shell->useOf, 3 * n);
	BR_FREE(a, shell->vertexOf, 3 * n);
}

static bool cutAllocShell(CutShell* shell)
{
	const brAllocator* a = &shell->job->allocator;
	int64_t n = shell->count;
	shell->triangles = shell->job->copyPoints;
	shell->twins = shell->job->copyTwins;
	shell->sources = BR_ALLOC(a, int32_t, n);
	shell->isIntact = BR_ALLOC(a, bool, n);
	shell->fans = BR_ALLOC(a, int32_t, 3 * n);
	shell->fanPoints = BR_ALLOC(a, int32_t, 3 * n);
	shell->isTouched = BR_ALLOC_ZERO(a, bool, 3 * n);
	shell->pieceOf = BR_ALLOC(a, int32_t, n);
	shell->order = BR_ALLOC(a, int32_t, n);
	shell->pieceStart = BR_ALLOC(a, int32_t, n + 1);
	shell->polygonOf = BR_ALLOC(a, int32_t, n);
	shell->faceOf = BR_ALLOC(a, int32_t, n);
	shell->useOf = BR_ALLOC(a, int32_t, 3 * n);
	shell->vertexOf = BR_ALLOC(a, int32_t, 3 * n);
	shell->marks = BR_ALLOC(a, int32_t, shell->job->points.count);
	return (shell->sources != NULL && shell->isIntact != NULL && shell->fans != NULL && shell->fanPoints != NULL &&
			shell->isTouched != NULL && shell->pieceOf != NULL && shell->order != NULL && shell->pieceStart != NULL &&
			shell->polygonOf != NULL && shell->faceOf != NULL && shell->marks != NULL && shell->useOf != NULL &&
			shell->vertexOf != NULL) ||
		   brCut_FailMemory(shell->job);
}

// The oldest point with the same rounded coordinates.
static int32_t cutPlaceOf(const brCutJob* job, int32_t point)
{
	const brCutPoint* points = job->points.data;
	int32_t place = point;
	for (int32_t i = point; i >= 0; i = job->placeNext.data[i])
	{
		bool isSame = points[i].at.x == points[point].at.x && points[i].at.y == points[point].at.y &&
					  points[i].at.z == points[point].at.z;
		place = isSame ? i : place;
	}
	return place;
}

typedef struct CutShellWork
{
	CutShell* shell;
	atomic_bool isAny; // workers saw something to look at one by one
	bool isDone;
} CutShellWork;

static bool cutIsShellSound(const CutShell* shell, int32_t t)
{
	for (int k = 0; k < 3 && shell->triangles[t][0] >= 0; ++k)
	{
		int32_t h = 3 * t + k, twin = shell->twins[h];
		bool isSound = twin >= 0 ? shell->twins[twin] == h && shell->triangles[twin / 3][0] >= 0 &&
									   shell->triangles[t][k] == shell->triangles[twin / 3][(twin % 3 + 1) % 3] &&
									   shell->triangles[t][(k + 1) % 3] == shell->triangles[twin / 3][twin % 3]
								 : brCut_MayBeOpen(shell->job);
		if (!isSound)
		{
			return false;
		}
	}
	return true;
}

static void cutAuditTriangles(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CutShellWork* work = user;
	for (int32_t t = begin; t < end; ++t)
	{
		if (!cutIsShellSound(work->shell, t))
		{
			atomic_store_explicit(&work->isAny, true, memory_order_relaxed);
			return;
		}
	}
}

// Always on: every half-edge has one partner that runs against it, or none in an open surface.
static bool cutAuditShell(CutShell* shell)
{
	brCutJob* job = shell->job;
	CutShellWork work = {.shell = shell};
	brParallelFor(brCut_Workers(job), shell->count, CUT_SHELL_BLOCK, cutAuditTriangles, &work);
	for (int32_t t = 0; t < shell->count && work.isAny; ++t)
	{
		if (!cutIsShellSound(shell, t))
		{
			int32_t face = job->faces[job->copies[t].triangle];
			return brCut_Fail(job, br_errorGeometry, face, "the pieces do not fit together at face %d", face);
		}
	}
	return true;
}

static void cutFillTriangles(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CutShellWork* work = user;
	CutShell* shell = work->shell;
	const brCutJob* job = shell->job;
	for (int32_t i = begin; i < end; ++i)
	{
		const brCutCopy* copy = &job->copies[i];
		bool isNear = brCut_IsNear(job, copy->triangle);
		shell->sources[i] = i;
		shell->isIntact[i] =
			!copy->isTurned && (job->flags[copy->triangle] & br_cutChanged) == 0 &&
			(!isNear || (job->firstCells[copy->triangle + 1] - job->firstCells[copy->triangle] == 1 &&
						 memcmp(job->triangles[copy->triangle], shell->triangles[i], sizeof(int32_t[3])) == 0));
		for (int k = 0; k < 3 && isNear; ++k)
		{
			shell->triangles[i][k] = cutPlaceOf(job, shell->triangles[i][k]);
		}
		if (isNear && brCut_IsFlat(job->points.data, shell->triangles[i]))
		{
			atomic_store_explicit(&work->isAny, true, memory_order_relaxed);
		}
		for (int k = 0; k < 3; ++k)
		{
			shell->fans[3 * i + k] = shell->useOf[3 * i + k] = shell->vertexOf[3 * i + k] = -1;
		}
		shell->polygonOf[i] = -1;
	}
}

static bool cutFillShell(CutShell* shell)
{
	brCutJob* job = shell->job;
	CutShellWork work = {.shell = shell};
	brParallelFor(brCut_Workers(job), shell->count, CUT_SHELL_BLOCK, cutFillTriangles, &work);
	brCutInts queue = {0};
	bool isHealing = job->def->minShare > 0.0 || job->def->healIncisions;
	bool isDone = !isHealing || brCut_Heal(shell);
	// Only what the cut made can be flat: the input has been cleaned.
	for (int32_t i = 0; i < shell->count && work.isAny && isDone; ++i)
	{
		isDone = shell->triangles[i][0] < 0 || !brCut_IsNear(job, job->copies[i].triangle) ||
				 !brCut_IsFlat(job->points.data, shell->triangles[i]) || BR_PUSH(&job->allocator, &queue, i) ||
				 brCut_FailMemory(job);
	}
	isDone = isDone && (queue.count == 0 || brCut_RemoveFlat(job, shell->triangles, shell->twins, shell->sources,
															 shell->isIntact, &queue, &job->stats.removedFlat) >= 0);
	BR_FREE_ARRAY(&job->allocator, &queue);
	shell->isCleaned |= work.isAny;
	return isDone && (!shell->isCleaned || cutAuditShell(shell));
}

static void cutJoinFan(CutShell* shell, int32_t corner, int32_t fan)
{
	const brCutJob* job = shell->job;
	int32_t triangle = job->copies[corner / 3].triangle;
	shell->fans[corner] = fan;
	shell->isTouched[fan] |= (job->flags[triangle] & br_cutNear) != 0 || !shell->isIntact[corner / 3];
}

static int32_t cutClockwise(const CutShell* shell, int32_t corner)
{
	int32_t twin = shell->twins[corner];
	return twin >= 0 ? 3 * (twin / 3) + (twin % 3 + 1) % 3 : -1;
}

// One vertex for each set of corners joined around a point through neighbors.
static void cutMakeFans(CutShell* shell)
{
	for (int32_t t = 0; t < shell->count; ++t)
	{
		for (int k = 0; k < 3 && shell->triangles[t][0] >= 0; ++k)
		{
			int32_t first = 3 * t + k;
			if (shell->fans[first] >= 0)
			{
				continue;
			}
			int32_t fan = shell->fanCount++;
			shell->fanPoints[fan] = shell->triangles[t][k];
			// Counter-clockwise across the side that ends here; if that stops at a border, clockwise from the first.
			int32_t c = first;
			while (c >= 0 && shell->fans[c] < 0)
			{
				cutJoinFan(shell, c, fan);
				c = shell->twins[3 * (c / 3) + (c % 3 + 2) % 3];
			}
			for (c = cutClockwise(shell, first); c >= 0 && shell->fans[c] < 0; c = cutClockwise(shell, c))
			{
				cutJoinFan(shell, c, fan);
			}
		}
	}
}

// A corner of a face and two moves off it: along the face, then, much less, into the material behind it. Bodies that
// fill a cavity have the same faces, so the corner alone would be on both.
typedef struct CutProbe
{
	brDVec3 at, along, inward;
} CutProbe;

static CutProbe cutProbe(const CutShell* shell, int32_t t)
{
	brDVec3 a = brCut_ShellPoint(shell, t, 0);
	brDVec3 u = brDSub(brCut_ShellPoint(shell, t, 1), a), v = brDSub(brCut_ShellPoint(shell, t, 2), a);
	return (CutProbe){a, brDNormalize(brDAdd(u, v)), brDNeg(brDNormalize(brDCross(u, v)))};
}

// Sign of x + e y for vectors of length 1 or less. A tie is all that asks: rounding counts as zero.
static int32_t cutTieSign(double x, double y)
{
	const double noise = 1e-12;
	return fabs(x) > noise ? (x > 0.0 ? 1 : -1) : fabs(y) > noise ? (y > 0.0 ? 1 : -1) : 0;
}

// Winding number of one shell around a probe.
static int32_t cutShellWinding(const CutShell* shell, const int32_t* shellOf, int32_t which, const CutProbe* probe)
{
	int32_t winding = 0;
	brDVec3 q = probe->at;
	for (int32_t t = 0; t < shell->count; ++t)
	{
		if (shellOf[t] != which)
		{
			continue;
		}
		brDVec3 p[3] = {brCut_ShellPoint(shell, t, 0), brCut_ShellPoint(shell, t, 1), brCut_ShellPoint(shell, t, 2)};
		int32_t turns[3];
		for (int k = 0; k < 3; ++k)
		{
			brDVec3 a = p[k], b = p[(k + 1) % 3];
			turns[k] = brOrient2d((brDVec2){a.x, a.y}, (brDVec2){b.x, b.y}, (brDVec2){q.x, q.y});
			if (turns[k] == 0)
			{
				brDVec3 edge = brDNormalize((brDVec3){a.y - b.y, b.x - a.x, 0.0});
				turns[k] = cutTieSign(brDDot(edge, probe->along), brDDot(edge, probe->inward));
				turns[k] = turns[k] != 0 ? turns[k] : cutTieSign(edge.x, edge.y);
			}
		}
		if (turns[0] == 0 || turns[1] != turns[0] || turns[2] != turns[0])
		{
			continue;
		}
		int32_t side = brOrient3d(p[0], p[1], p[2], q);
		if (side == 0)
		{
			brDVec3 normal = brDNormalize(brDCross(brDSub(p[1], p[0]), brDSub(p[2], p[0])));
			side = cutTieSign(brDDot(normal, probe->along), brDDot(normal, probe->inward));
		}
		winding += side * turns[0] < 0 ? turns[0] : 0;
	}
	return winding;
}

static bool cutBoxHolds(const brDBox3* outer, brDVec3 p)
{
	return outer->lower.x <= p.x && p.x <= outer->upper.x && outer->lower.y <= p.y && p.y <= outer->upper.y &&
		   outer->lower.z <= p.z && p.z <= outer->upper.z;
}

// Cavities, and cracks that nowhere reach the surface, belong to the smallest body around them.
static void cutJoinCavities(const CutShell* shell, const int32_t* shellOf, CutShellInfo* infos, int32_t shellCount,
							double slack)
{
	for (int32_t i = 0; i < shellCount; ++i)
	{
		CutShellInfo* info = &infos[i];
		bool isThin = fabs(info->volume) <= slack * info->area;
		bool isInner = info->volume < 0.0 && !isThin;
		isInner |= isThin && info->lowestSource == INT32_MAX;
		if (!isInner || info->sample < 0)
		{
			continue;
		}
		CutProbe probe = cutProbe(shell, info->sample);
		int32_t best = -1;
		for (int32_t j = 0; j < shellCount; ++j)
		{
			bool isBody = j != i && infos[j].volume > slack * infos[j].area && cutBoxHolds(&infos[j].box, probe.at);
			if (isBody && (best < 0 || infos[j].volume < infos[best].volume) &&
				cutShellWinding(shell, shellOf, j, &probe) > 0)
			{
				best = j;
			}
		}
		info->parent = best >= 0 ? best : i;
	}
}

static int cutComparePieces(const CutShellInfo* a, const CutShellInfo* b)
{
	if (a->lowestSource != b->lowestSource)
	{
		return a->lowestSource < b->lowestSource ? -1 : 1;
	}
	return a->lowestCutter != b->lowestCutter ? (a->lowestCutter < b->lowestCutter ? -1 : 1) : 0;
}

// Shells, the pieces they form, and their order.
static bool cutFindPieces(CutShell* shell)
{
	brCutJob* job = shell->job;
	int32_t n = shell->count;
	int32_t* shellOf = BR_ALLOC(&job->allocator, int32_t, n);
	int32_t* pieceOrder = BR_ALLOC(&job->allocator, int32_t, n);
	CutShellInfos infos = {0};
	bool isDone = shellOf != NULL && pieceOrder != NULL && brCut_FindShells(shell, shellOf, &infos);
	if (!isDone)
	{
		brCut_FailMemory(job);
	}
	if (isDone)
	{
		double slack = brCut_VolumeSlack(job);
		bool isSolid = !brCut_MayBeOpen(job);
		if (isSolid)
		{
			cutJoinCavities(shell, shellOf, infos.data, infos.count, slack);
		}
		// Crumbs: what rounding leaves no volume of. The source's own parts stay if the cut left them as they were.
		int32_t pieceCount = 0;
		for (int32_t i = 0; i < infos.count; ++i)
		{
			CutShellInfo* info = &infos.data[i];
			bool isCrumb = isSolid && !job->def->keepCrumbs && info->parent == i &&
						   fabs(info->volume) <= slack * info->area && (info->isCut || job->isResolve);
			if (isCrumb)
			{
				info->isDropped = true;
				job->stats.crumbs += 1;
				job->stats.crumbVolume += info->volume;
			}
			else if (info->parent == i)
			{
				pieceOrder[pieceCount++] = i;
			}
		}
		for (int32_t i = 0; i < infos.count; ++i)
		{
			CutShellInfo *info = &infos.data[i], *parent = &infos.data[info->parent];
			parent->lowestSource =
				info->lowestSource < parent->lowestSource ? info->lowestSource : parent->lowestSource;
			parent->lowestCutter =
				info->lowestCutter < parent->lowestCutter ? info->lowestCutter : parent->lowestCutter;
		}
		// Few are out of order: shells come by their lowest triangle.
		for (int32_t i = 1; i < pieceCount; ++i)
		{
			int32_t piece = pieceOrder[i], j = i;
			for (; j > 0 && cutComparePieces(&infos.data[pieceOrder[j - 1]], &infos.data[piece]) > 0; --j)
			{
				pieceOrder[j] = pieceOrder[j - 1];
			}
			pieceOrder[j] = piece;
		}
		// Number them; shells of one body get its number.
		for (int32_t i = 0; i < infos.count; ++i)
		{
			infos.data[i].sample = -1;
		}
		for (int32_t i = 0; i < pieceCount; ++i)
		{
			infos.data[pieceOrder[i]].sample = i;
		}
		shell->pieceCount = pieceCount;
		for (int32_t t = 0; t < n; ++t)
		{
			const CutShellInfo* info = shellOf[t] >= 0 ? &infos.data[shellOf[t]] : NULL;
			shell->pieceOf[t] = info == NULL || info->isDropped ? -1 : infos.data[info->parent].sample;
		}
		brFillBuckets(shell->pieceOf, n, pieceCount, shell->pieceStart, shell->order);
	}
	BR_FREE(&job->allocator, shellOf, n);
	BR_FREE(&job->allocator, pieceOrder, n);
	BR_FREE_ARRAY(&job->allocator, &infos);
	return isDone;
}

// Vertices, and what hangs together: neither asks about the other.
static void cutReadShell(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CutShellWork* work = user;
	for (int32_t i = begin; i < end; ++i)
	{
		if (i == 0)
		{
			cutMakeFans(work->shell);
		}
		else
		{
			work->isDone = cutFindPieces(work->shell);
		}
	}
}

bool brCut_MakePieces(brCutJob* job, brCutResult* result)
{
	CutShell shell = {.job = job, .count = job->copyCount};
	CutFaces faces = {0};
	bool isDone = cutAllocShell(&shell) && cutFillShell(&shell);
	if (isDone)
	{
		CutShellWork work = {.shell = &shell};
		brParallelFor(brCut_Workers(job), 2, 1, cutReadShell, &work);
		isDone = work.isDone;
	}
	isDone = isDone && (!job->def->countCrossings || brCut_CountCrossings(&shell));
	if (isDone)
	{
		memset(shell.marks, 0xff, (size_t)job->points.count * sizeof(int32_t));
		result->pieces = BR_ALLOC_ZERO(&job->allocator, brCutPiece, shell.pieceCount);
		isDone = result->pieces != NULL || brCut_FailMemory(job);
		result->pieceCount = isDone ? shell.pieceCount : 0;
	}
	for (int32_t i = 0; isDone && i < shell.pieceCount; ++i)
	{
		isDone = brCut_MakeFaces(&shell, i, &faces) && brCut_MakeMesh(&shell, &faces, i, &result->pieces[i]);
	}
	BR_FREE_ARRAY(&job->allocator, &faces.faces);
	BR_FREE_ARRAY(&job->allocator, &faces.corners);
	BR_FREE_ARRAY(&job->allocator, &faces.added);
	BR_FREE_ARRAY(&job->allocator, &faces.fans);
	cutFreeShell(&shell);
	return isDone;
}
