// SPDX-License-Identifier: MIT

// For each shell, the others whose boxes hold its box are asked how often they wind around one of its vertices: a ray
// along x, crossings by exact signs. Cost: shells squared in boxes, and the triangles of the shells around each.

#include "narrow/nested_shells.h"

#include "base/forest.h"
#include "base/memory.h"
#include "base/report.h"
#include "math/predicates.h"

#include <math.h>

typedef struct Shell
{
	brDBox3 box;
	double volume; // six times, signed
	int32_t vertex;
	int32_t start, end; // in the order of triangles
} Shell;

typedef struct ShellJob
{
	const brTriangleSoup* soup;
	int32_t* parents; // of vertices
	int32_t* shellOf; // of the root of a shell
	int32_t* order;   // triangles, shell by shell
	Shell* shells;
	int32_t count;
} ShellJob;

static int32_t shellOfTriangle(ShellJob* job, int32_t t)
{
	return job->shellOf[brFindRoot(job->parents, job->soup->triangles[t][0])];
}

static void shellAdd(Shell* shell, const brTriangleSoup* soup, int32_t t)
{
	const int32_t* c = soup->triangles[t];
	brDVec3 origin = soup->positions[0], p[3];
	for (int k = 0; k < 3; ++k)
	{
		brDVec3 at = soup->positions[c[k]];
		shell->box.lower =
			brMakeDVec3(fmin(shell->box.lower.x, at.x), fmin(shell->box.lower.y, at.y), fmin(shell->box.lower.z, at.z));
		shell->box.upper =
			brMakeDVec3(fmax(shell->box.upper.x, at.x), fmax(shell->box.upper.y, at.y), fmax(shell->box.upper.z, at.z));
		p[k] = brDSub(at, origin);
	}
	shell->volume += brDDot(p[0], brDCross(p[1], p[2]));
}

// Shells with their boxes and volumes, and triangles in their order. With one shell nothing is made.
static bool shellsGather(ShellJob* job, const brAllocator* allocator)
{
	const brTriangleSoup* soup = job->soup;
	job->shells = BR_ALLOC_ZERO(allocator, Shell, job->count);
	job->order = BR_ALLOC(allocator, int32_t, soup->triangleCount);
	if (job->shells == NULL || job->order == NULL)
	{
		return false;
	}
	for (int32_t i = 0; i < job->count; ++i)
	{
		job->shells[i].box = (brDBox3){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
	}
	for (int32_t t = 0; t < soup->triangleCount; ++t)
	{
		Shell* shell = &job->shells[shellOfTriangle(job, t)];
		shellAdd(shell, soup, t);
		shell->vertex = soup->triangles[t][0];
		shell->end += 1;
	}
	for (int32_t i = 0, start = 0; i < job->count; ++i)
	{
		start += job->shells[i].end;
		job->shells[i].start = job->shells[i].end = start - job->shells[i].end;
	}
	for (int32_t t = 0; t < soup->triangleCount; ++t)
	{
		job->order[job->shells[shellOfTriangle(job, t)].end++] = t;
	}
	return true;
}

// How often the outline of a triangle, seen along x, winds around a point. Edges take the half-open part of a point on
// them, so that neighbors never count it twice.
static int32_t shellOutline(const brDVec3 p[3], brDVec2 at)
{
	int32_t winding = 0;
	for (int k = 0; k < 3; ++k)
	{
		brDVec2 a = {p[k].y, p[k].z}, b = {p[(k + 1) % 3].y, p[(k + 1) % 3].z};
		if ((a.y <= at.y) != (b.y <= at.y))
		{
			int32_t side = brOrient2d(a, b, at);
			winding += a.y <= at.y ? side > 0 : -(side < 0);
		}
	}
	return winding;
}

static int32_t shellWinding(const ShellJob* job, const Shell* shell, brDVec3 at)
{
	int32_t winding = 0;
	for (int32_t n = shell->start; n < shell->end; ++n)
	{
		const int32_t* c = job->soup->triangles[job->order[n]];
		brDVec3 p[3] = {job->soup->positions[c[0]], job->soup->positions[c[1]], job->soup->positions[c[2]]};
		if (fmax(p[0].x, fmax(p[1].x, p[2].x)) < at.x || fmin(p[0].y, fmin(p[1].y, p[2].y)) > at.y ||
			fmax(p[0].y, fmax(p[1].y, p[2].y)) < at.y)
		{
			continue;
		}
		int32_t turn = shellOutline(p, (brDVec2){at.y, at.z});
		// Beyond: the point is on the side that the triangle's turn, seen along x, leaves behind.
		winding += turn != 0 && turn * brOrient3d(p[0], p[1], p[2], at) < 0 ? turn : 0;
	}
	return winding;
}

static bool shellHolds(const brDBox3* outer, const brDBox3* inner)
{
	return outer->lower.x <= inner->lower.x && outer->upper.x >= inner->upper.x && outer->lower.y <= inner->lower.y &&
		   outer->upper.y >= inner->upper.y && outer->lower.z <= inner->lower.z && outer->upper.z >= inner->upper.z;
}

static void shellsJudge(const ShellJob* job, brNestedShells* out)
{
	for (int32_t i = 0; i < job->count; ++i)
	{
		const Shell* shell = &job->shells[i];
		int32_t winding = 0;
		for (int32_t n = 0; n < job->count; ++n)
		{
			if (n != i && shellHolds(&job->shells[n].box, &shell->box))
			{
				winding += shellWinding(job, &job->shells[n], job->soup->positions[shell->vertex]);
			}
		}
		bool isInsideOut = shell->volume < 0.0;
		if (winding != (isInsideOut ? 1 : 0))
		{
			*out = out->count == 0 ? (brNestedShells){0, shell->vertex, isInsideOut} : *out;
			out->count += 1;
		}
	}
}

brResult brFindNestedShells(const brTriangleSoup* soup, brNestedShells* outShells, brReport* report)
{
	const brAllocator* a = &soup->allocator;
	ShellJob job = {.soup = soup};
	job.parents = BR_ALLOC(a, int32_t, soup->vertexCount);
	job.shellOf = BR_ALLOC(a, int32_t, soup->vertexCount);
	bool isDone = job.parents != NULL && job.shellOf != NULL;
	*outShells = (brNestedShells){.vertex = -1};
	if (isDone)
	{
		brResetForest(job.parents, soup->vertexCount);
		for (int32_t v = 0; v < soup->vertexCount; ++v)
		{
			job.shellOf[v] = -1;
		}
	}
	for (int32_t t = 0; isDone && t < soup->triangleCount; ++t)
	{
		brJoinRoots(job.parents, soup->triangles[t][0], soup->triangles[t][1]);
		brJoinRoots(job.parents, soup->triangles[t][0], soup->triangles[t][2]);
	}
	for (int32_t t = 0; isDone && t < soup->triangleCount; ++t)
	{
		int32_t root = brFindRoot(job.parents, soup->triangles[t][0]);
		job.shellOf[root] = job.shellOf[root] >= 0 ? job.shellOf[root] : job.count++;
	}
	if (isDone && job.count > 1)
	{
		isDone = shellsGather(&job, a);
	}
	if (isDone && job.count > 1)
	{
		shellsJudge(&job, outShells);
	}
	BR_FREE(a, job.parents, soup->vertexCount);
	BR_FREE(a, job.shellOf, soup->vertexCount);
	BR_FREE(a, job.shells, job.count);
	BR_FREE(a, job.order, soup->triangleCount);
	return isDone ? br_success : brFailMemory(report);
}
