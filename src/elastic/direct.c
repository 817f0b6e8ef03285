// SPDX-License-Identifier: MIT

// The direct solver: MUMPS in its sequential build, opened when it is first asked for. Its threads and memory are its
// own.

#include "elastic/direct.h"

#include "elastic/modes.h"

#include "base/library.h"

#include <string.h>

#if defined(BR_HAVE_MUMPS)

#include <dmumps_c.h>

#define MUMPS_INIT (-1)
#define MUMPS_END (-2)
#define MUMPS_ANALYZE_AND_FACTOR 4
#define MUMPS_SOLVE 3
#define MUMPS_WORLD (-987654) // its own name for all processes

typedef struct Mumps
{
	__typeof__(dmumps_c)* call;
} Mumps;

struct brDirectSolver
{
	brAllocator allocator;
	Mumps library;
	DMUMPS_STRUC_C mumps;
	bool isStarted;
	int32_t valueCount;
	int32_t unknownCount;
	int64_t entryCount;
	int32_t* unknowns; // [3 * valueCount] from 1, or 0: held
	int* rows;
	int* columns;
	double* entries;
	double* load;
};

void brDirectSolver_Destroy(brDirectSolver* solver)
{
	if (solver == NULL)
	{
		return;
	}
	if (solver->isStarted)
	{
		solver->mumps.job = MUMPS_END;
		solver->library.call(&solver->mumps);
	}
	brAllocator allocator = solver->allocator;
	BR_FREE(&allocator, solver->unknowns, 3 * (int64_t)solver->valueCount);
	BR_FREE(&allocator, solver->rows, solver->entryCount);
	BR_FREE(&allocator, solver->columns, solver->entryCount);
	BR_FREE(&allocator, solver->entries, solver->entryCount);
	BR_FREE(&allocator, solver->load, solver->unknownCount);
	BR_FREE(&allocator, solver, 1);
}

// One spring for each free motion, where that motion is large and those before it are zero.
static void directPin(brDirectSolver* solver, const brElasticBody* body, int32_t part)
{
	const brElementSet* set = &body->set;
	double size = brElasticBody_GetComponentSize(&set->parts[part]);
	double modes[6][6];
	memcpy(modes, body->freeModes[part], sizeof(modes));
	for (int32_t m = 0; m < set->parts[part].freeModes; ++m)
	{
		double best = 0.0, values[6] = {0};
		int32_t bestUnknown = 0;
		for (int32_t v = 0; v < set->valueCount; ++v)
		{
			if (set->valueParts[v] != part)
			{
				continue;
			}
			brDVec3 offset = brDSub(body->mesh->nodes[set->valueNodes[v]], set->parts[part].center);
			brDVec3 shift;
			brRigidMotion(offset, size, modes[m], &shift);
			double parts[3] = {shift.x, shift.y, shift.z};
			for (int axis = 0; axis < 3; ++axis)
			{
				if (solver->unknowns[3 * v + axis] > 0 && fabs(parts[axis]) > fabs(best))
				{
					best = parts[axis];
					bestUnknown = solver->unknowns[3 * v + axis];
					for (int n = m + 1; n < set->parts[part].freeModes; ++n)
					{
						brDVec3 other;
						brRigidMotion(offset, size, modes[n], &other);
						values[n] = axis == 0 ? other.x : axis == 1 ? other.y : other.z;
					}
				}
			}
		}
		for (int n = m + 1; n < set->parts[part].freeModes && best != 0.0; ++n)
		{
			for (int k = 0; k < 6; ++k)
			{
				modes[n][k] -= values[n] / best * modes[m][k];
			}
		}
		for (int64_t i = 0; i < solver->entryCount && bestUnknown > 0; ++i)
		{
			if (solver->rows[i] == bestUnknown && solver->columns[i] == bestUnknown)
			{
				solver->entries[i] *= 2.0;
				break;
			}
		}
	}
}

// Lower triangle without held axes: counts with null arrays, then writes.
static int64_t directEntries(brDirectSolver* solver, const brBlockMatrix* matrix)
{
	int64_t count = 0;
	for (int32_t row = 0; row < matrix->rowCount; ++row)
	{
		for (int32_t k = matrix->starts[row]; k < matrix->starts[row + 1]; ++k)
		{
			for (int i = 0; i < 9; ++i)
			{
				int32_t r = solver->unknowns[3 * row + i % 3], c = solver->unknowns[3 * matrix->columns[k] + i / 3];
				if (r > 0 && c > 0 && r >= c)
				{
					if (solver->entries != NULL)
					{
						solver->rows[count] = r;
						solver->columns[count] = c;
						solver->entries[count] = matrix->blocks[9 * (size_t)k + (size_t)i];
					}
					count += 1;
				}
			}
		}
	}
	return count;
}

brResult brDirectSolver_Create(const brElasticBody* body, brDirectSolver** outSolver, brReport* report)
{
	static Mumps library;
	static const char* const name = "dmumps_c";
	if (!brLibrary_Find(br_libraryMumps, &name, 1, &library, report))
	{
		return br_errorUnavailable;
	}
	const brAllocator* allocator = &body->allocator;
	const brElementSet* set = &body->set;
	brDirectSolver* solver = BR_ALLOC_ZERO(allocator, brDirectSolver, 1);
	if (solver == NULL)
	{
		return brFailMemory(report);
	}
	brResult result = br_success;
	solver->allocator = *allocator;
	solver->library = library;
	solver->valueCount = set->valueCount;
	solver->unknowns = BR_ALLOC(allocator, int32_t, 3 * (int64_t)set->valueCount);
	if (solver->unknowns == NULL)
	{
		result = brFailMemory(report);
		goto done;
	}
	for (int32_t v = 0; v < set->valueCount; ++v)
	{
		for (int axis = 0; axis < 3; ++axis)
		{
			bool isFree = set->valueParts[v] >= 0 && (body->heldAxes[set->valueNodes[v]] >> axis & 1) == 0;
			solver->unknowns[3 * v + axis] = isFree ? ++solver->unknownCount : 0;
		}
	}
	solver->load = BR_ALLOC(allocator, double, solver->unknownCount);
	solver->entryCount = directEntries(solver, body->system);
	solver->rows = BR_ALLOC(allocator, int, solver->entryCount);
	solver->columns = BR_ALLOC(allocator, int, solver->entryCount);
	solver->entries = BR_ALLOC(allocator, double, solver->entryCount);
	if (solver->load == NULL || solver->rows == NULL || solver->columns == NULL || solver->entries == NULL)
	{
		result = brFailMemory(report);
		goto done;
	}
	directEntries(solver, body->system);
	for (int32_t p = 0; p < set->componentCount; ++p)
	{
		directPin(solver, body, p);
	}
	DMUMPS_STRUC_C* mumps = &solver->mumps;
	mumps->job = MUMPS_INIT;
	mumps->par = 1;
	mumps->sym = 1;
	mumps->comm_fortran = MUMPS_WORLD;
	solver->library.call(mumps);
	solver->isStarted = mumps->infog[0] >= 0;
	for (int i = 0; i < 4; ++i)
	{
		mumps->icntl[i] = i < 3 ? -1 : 0; // no output
	}
	mumps->n = solver->unknownCount;
	mumps->nnz = solver->entryCount;
	mumps->irn = solver->rows;
	mumps->jcn = solver->columns;
	mumps->a = solver->entries;
	mumps->job = MUMPS_ANALYZE_AND_FACTOR;
	if (solver->isStarted && solver->unknownCount > 0)
	{
		solver->library.call(mumps);
	}
	if (mumps->infog[0] < 0)
	{
		result = brFail(report, mumps->infog[0] == -13 ? br_errorMemory : br_errorUnavailable,
						"the direct solver failed with code %d", mumps->infog[0]);
	}
done:
	if (result < 0)
	{
		brDirectSolver_Destroy(solver);
		return result;
	}
	*outSolver = solver;
	return br_success;
}

brResult brDirectSolver_Solve(brDirectSolver* solver, const brDVec3* b, brDVec3* x, brReport* report)
{
	for (int32_t v = 0; v < solver->valueCount; ++v)
	{
		double parts[3] = {b[v].x, b[v].y, b[v].z};
		for (int axis = 0; axis < 3; ++axis)
		{
			int32_t unknown = solver->unknowns[3 * v + axis];
			if (unknown > 0)
			{
				solver->load[unknown - 1] = parts[axis];
			}
		}
	}
	solver->mumps.rhs = solver->load;
	solver->mumps.job = MUMPS_SOLVE;
	if (solver->unknownCount > 0)
	{
		solver->library.call(&solver->mumps);
	}
	if (solver->mumps.infog[0] < 0)
	{
		return brFail(report, br_errorUnavailable, "the direct solver failed with code %d", solver->mumps.infog[0]);
	}
	for (int32_t v = 0; v < solver->valueCount; ++v)
	{
		double parts[3] = {0.0, 0.0, 0.0};
		for (int axis = 0; axis < 3; ++axis)
		{
			int32_t unknown = solver->unknowns[3 * v + axis];
			parts[axis] = unknown > 0 ? solver->load[unknown - 1] : 0.0;
		}
		x[v] = (brDVec3){parts[0], parts[1], parts[2]};
	}
	return br_success;
}

#else

#include "base/report.h"

void brDirectSolver_Destroy(brDirectSolver* solver)
{
	(void)solver;
}

brResult brDirectSolver_Create(const brElasticBody* body, brDirectSolver** outSolver, brReport* report)
{
	(void)body;
	(void)outSolver;
	return brLibrary_FailAbsent(br_libraryMumps, report);
}

brResult brDirectSolver_Solve(brDirectSolver* solver, const brDVec3* b, brDVec3* x, brReport* report)
{
	(void)solver;
	(void)b;
	(void)x;
	return brLibrary_FailAbsent(br_libraryMumps, report);
}

#endif
