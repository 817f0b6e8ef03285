// SPDX-License-Identifier: MIT

// Shells: triangles of the result that hang together, and what they enclose.

#include "base/forest.h"
#include "cut/cut_shell.h"

static CutShellInfo cutEmptyInfo(int32_t shell, brDVec3 origin)
{
	return (CutShellInfo){.origin = origin,
						  .box = brMakeDBox3Empty(),
						  .lowestSource = INT32_MAX,
						  .lowestCutter = INT32_MAX,
						  .sample = -1,
						  .sampleArea = -1.0,
						  .parent = shell};
}

// Volumes are taken about a point of the shell: rounding then goes with its own size, not with its distance from the
// middle, and slivers are told.
static void cutMeasure(const CutShell* shell, int32_t t, CutShellInfo* info)
{
	const brCutJob* job = shell->job;
	const brCutCopy* copy = &job->copies[shell->sources[t]];
	brDVec3 a = brDSub(brCut_ShellPoint(shell, t, 0), info->origin);
	brDVec3 b = brDSub(brCut_ShellPoint(shell, t, 1), info->origin);
	brDVec3 c = brDSub(brCut_ShellPoint(shell, t, 2), info->origin);
	double area = 0.5 * brDLength(brDCross(brDSub(b, a), brDSub(c, a)));
	info->volume += brDDot(a, brDCross(b, c)) / 6.0;
	info->area += area;
	for (int k = 0; k < 3; ++k)
	{
		info->box = brDBox3_Include(info->box, brCut_ShellPoint(shell, t, k));
	}
	int32_t* lowest = copy->kind == br_faceSource ? &info->lowestSource : &info->lowestCutter;
	int32_t face = job->faces[copy->triangle];
	*lowest = face < *lowest ? face : *lowest;
	info->isCut |= copy->kind != br_faceSource || !shell->isIntact[t];
	if (area > info->sampleArea)
	{
		info->sample = t, info->sampleArea = area;
	}
}

// Neighbors, as union-find. Untouched triangles of one strand hang together anyway, unless the clean-up has been at
// work.
static bool cutJoinTriangles(const CutShell* shell, int32_t* roots)
{
	brCutJob* job = shell->job;
	int32_t* firsts = BR_ALLOC(&job->allocator, int32_t, job->strandCount);
	if (firsts == NULL)
	{
		return false;
	}
	for (int32_t i = 0; i < job->strandCount; ++i)
	{
		firsts[i] = -1;
	}
	for (int32_t t = 0; t < shell->count; ++t)
	{
		int32_t strand = shell->isCleaned ? -1 : job->copyStrands[t];
		roots[t] = t;
		if (strand >= 0)
		{
			firsts[strand] = firsts[strand] >= 0 ? firsts[strand] : t;
			roots[t] = firsts[strand];
		}
	}
	BR_FREE(&job->allocator, firsts, job->strandCount);
	for (int32_t h = 0; h < 3 * shell->count; ++h)
	{
		bool isJoined = !shell->isCleaned && job->copyStrands[h / 3] >= 0;
		if (!isJoined && shell->twins[h] >= 0 && shell->triangles[h / 3][0] >= 0)
		{
			brJoinRoots(roots, h / 3, shell->twins[h] / 3);
		}
	}
	return true;
}

bool brCut_FindShells(const CutShell* shell, int32_t* shellOf, CutShellInfos* infos)
{
	const brAllocator* allocator = &shell->job->allocator;
	int32_t* roots = BR_ALLOC(allocator, int32_t, shell->count);
	bool isDone = roots != NULL && cutJoinTriangles(shell, roots);
	for (int32_t t = 0; t < shell->count && isDone; ++t)
	{
		shellOf[t] = -1;
		if (shell->triangles[t][0] < 0)
		{
			continue;
		}
		int32_t root = brFindRoot(roots, t);
		shellOf[t] = root == t ? infos->count : shellOf[root];
		isDone = root != t || BR_PUSH(allocator, infos, cutEmptyInfo(shellOf[t], brCut_ShellPoint(shell, t, 0)));
		if (isDone)
		{
			cutMeasure(shell, t, &infos->data[shellOf[t]]);
		}
	}
	BR_FREE(allocator, roots, shell->count);
	return isDone;
}
