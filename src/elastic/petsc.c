// SPDX-License-Identifier: MIT

// PETSc, opened when it is first asked for: conjugate gradients with GAMG, its smoothed aggregation, by default; its own
// options say otherwise.
//
// The matrix has blocks of three and GAMG is given the six rigid motions, without which elasticity does not coarsen.
// Held axes stay in the matrix as rows of their own, so that blocks stay whole. Parts that nothing holds have rigid
// motions without any energy; these are the null space.
//
// With several ranks each owns a part of the body, found by halving it across its longest side again and again, and
// only the rows of that part are ever assembled there. Mesh, cracks and right side every rank has; what it can make
// again of these it forgets while PETSc needs the memory (body.c). PETSc is for one thread at a time.

#include "elastic/petsc.h"

#include "base/library.h"

#if defined(BR_HAVE_PETSC)

#include "base/os.h"
#include "base/sort.h"
#include "elastic/modes.h"

#include <malloc.h>
#include <petscksp.h>
#include <stdlib.h>
#include <string.h>

#define PETSC_FUNCTIONS(X)                                                                                             \
	X(PetscInitialize)                                                                                                 \
	X(PetscInitialized)                                                                                                \
	X(PetscFinalize)                                                                                                   \
	X(PetscPushErrorHandler)                                                                                           \
	X(PetscReturnErrorHandler)                                                                                         \
	X(PetscOptionsInsertString)                                                                                        \
	X(PetscOptionsHasName)                                                                                             \
	X(PetscHasExternalPackage)                                                                                         \
	X(PetscOptionsSetValue)                                                                                            \
	X(MatCreate)                                                                                                       \
	X(MatSetSizes)                                                                                                     \
	X(MatSetBlockSize)                                                                                                 \
	X(MatSetType)                                                                                                      \
	X(MatSeqAIJSetPreallocation)                                                                                       \
	X(MatMPIAIJSetPreallocation)                                                                                       \
	X(MatSetValuesBlocked)                                                                                             \
	X(MatSetOption)                                                                                                    \
	X(MatAssemblyBegin)                                                                                                \
	X(MatAssemblyEnd)                                                                                                  \
	X(MatCreateVecs)                                                                                                   \
	X(MatSetNearNullSpace)                                                                                             \
	X(MatSetNullSpace)                                                                                                 \
	X(MatNullSpaceCreate)                                                                                              \
	X(MatNullSpaceCreateRigidBody)                                                                                     \
	X(MatNullSpaceDestroy)                                                                                             \
	X(MatDestroy)                                                                                                      \
	X(VecDuplicate)                                                                                                    \
	X(VecDot)                                                                                                          \
	X(VecAXPY)                                                                                                         \
	X(VecNormalize)                                                                                                    \
	X(VecGetArray)                                                                                                     \
	X(VecRestoreArray)                                                                                                 \
	X(VecDestroy)                                                                                                      \
	X(VecScatterCreateToAll)                                                                                           \
	X(VecScatterBegin)                                                                                                 \
	X(VecScatterEnd)                                                                                                   \
	X(VecScatterDestroy)                                                                                               \
	X(KSPCreate)                                                                                                       \
	X(KSPSetOperators)                                                                                                 \
	X(KSPSetType)                                                                                                      \
	X(KSPGetPC)                                                                                                        \
	X(PCSetType)                                                                                                       \
	X(KSPSetNormType)                                                                                                  \
	X(KSPSetTolerances)                                                                                                \
	X(KSPSetInitialGuessNonzero)                                                                                       \
	X(KSPSetFromOptions)                                                                                               \
	X(KSPSolve)                                                                                                        \
	X(KSPGetIterationNumber)                                                                                           \
	X(KSPGetConvergedReason)                                                                                           \
	X(KSPDestroy)                                                                                                      \
	X(MPI_Initialized)                                                                                                 \
	X(MPI_Comm_rank)                                                                                                   \
	X(MPI_Comm_size)

typedef struct Petsc
{
#define PETSC_MEMBER(name) __typeof__(name)* name;
	PETSC_FUNCTIONS(PETSC_MEMBER)
#undef PETSC_MEMBER
	MPI_Comm* world; // PETSC_COMM_WORLD
} Petsc;

static Petsc s_petsc;
static brMutex s_petscLock = BR_MUTEX_INIT;
static int32_t s_petscUsers; // under the lock
static bool s_petscStays;    // it started MPI: both end with the process

struct brPetscSolver
{
	brAllocator allocator;
	int32_t valueCount;
	int32_t firstRow, rowCount; // block rows of this rank
	int32_t* rowOf;             // [valueCount] block row of a value
	int32_t* valueOf;           // [valueCount] value of a block row
	uint8_t* held;              // [valueCount] axes by value
	bool isShared;              // with other ranks
	Mat matrix;
	Vec b, x;
	KSP ksp; // null between solves of several ranks
};

static void petscEnd(void)
{
	s_petsc.PetscFinalize();
}

static brResult petscFail(brReport* report, const char* what)
{
	return brFail(report, br_errorUnavailable, "PETSc failed in %s", what);
}

// SuperLU, which PETSc brings along, tells malloc when it is loaded never to give memory back to the system: for the
// whole process, and what a matrix needs while it is made would stay until the end. This has malloc as it starts.
static void petscRestoreMalloc(void)
{
#ifdef __GLIBC__
	enum
	{
		mappingCount = 65536,         // glibc's DEFAULT_MMAP_MAX
		leastMapped = 128 * 1024,     // its DEFAULT_MMAP_THRESHOLD
		mostUnused = 2 * leastMapped, // its choice once blocks have that size
	};
	mallopt(M_MMAP_MAX, mappingCount);
	mallopt(M_MMAP_THRESHOLD, leastMapped);
	mallopt(M_TRIM_THRESHOLD, mostUnused);
#endif
}

// Under the lock.
static brResult petscStart(brReport* report)
{
	static const char* const names[] = {
#define PETSC_NAME(name) #name,
		PETSC_FUNCTIONS(PETSC_NAME)
#undef PETSC_NAME
			"PETSC_COMM_WORLD",
	};
	if (!brLibrary_Find(br_libraryPetsc, names, (int32_t)(sizeof(names) / sizeof(names[0])), &s_petsc, report))
	{
		return br_errorUnavailable;
	}
	petscRestoreMalloc();
	PetscBool isStarted = PETSC_FALSE;
	int hasMpi = 0;
	s_petsc.PetscInitialized(&isStarted);
	if (isStarted)
	{
		return br_success;
	}
	s_petsc.MPI_Initialized(&hasMpi);
	s_petsc.PetscOptionsSetValue(NULL, "-no_signal_handler", "1"); // signals are the host's
	if (s_petsc.PetscInitialize(NULL, NULL, NULL, NULL) != 0)
	{
		return petscFail(report, "its start");
	}
	s_petsc.PetscPushErrorHandler(s_petsc.PetscReturnErrorHandler, NULL); // errors are ours to tell
	if (!hasMpi && !s_petscStays)
	{
		s_petscStays = true;
		atexit(petscEnd);
	}
	return br_success;
}

// Puts the values of [begin, end) in the order of the ranks [firstRank, endRank) that own them: across the longest side
// of their box the lower share goes to the lower half of the ranks, and so on in each half.
static bool petscHalve(brPetscSolver* solver, const brElasticBody* body, uint32_t* scratch, const int32_t* bounds,
					   int32_t firstRank, int32_t endRank)
{
	if (endRank - firstRank < 2)
	{
		return true;
	}
	int32_t begin = bounds[firstRank], count = bounds[endRank] - begin, middle = (firstRank + endRank) / 2;
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t i = 0; i < count; ++i)
	{
		box = brDBox3_Include(box, body->mesh->nodes[body->set.valueNodes[solver->valueOf[begin + i]]]);
	}
	brDVec3 extent = brDSub(box.upper, box.lower);
	int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
	double low = (&box.lower.x)[axis], size = (&extent.x)[axis];
	uint32_t *keys = scratch, *values = scratch + count;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t value = solver->valueOf[begin + i];
		double at = ((&body->mesh->nodes[body->set.valueNodes[value]].x)[axis] - low) / (size > 0.0 ? size : 1.0);
		keys[i] = (uint32_t)(at * 4e9);
		values[i] = (uint32_t)value;
	}
	if (!brSortPairs32(NULL, &solver->allocator, keys, values, values + count, values + 2 * (size_t)count, count))
	{
		return false;
	}
	memcpy(solver->valueOf + begin, values, (size_t)count * sizeof(int32_t));
	return petscHalve(solver, body, scratch, bounds, firstRank, middle) &&
		   petscHalve(solver, body, scratch, bounds, middle, endRank);
}

// Which rows are whose.
static bool petscOrder(brPetscSolver* solver, const brElasticBody* body, int32_t rank, int32_t rankCount)
{
	int32_t count = solver->valueCount;
	bool isShared = rankCount > 1;
	int32_t* bounds = BR_ALLOC(&solver->allocator, int32_t, rankCount + 1);
	uint32_t* scratch = BR_ALLOC(&solver->allocator, uint32_t, isShared ? 4 * (int64_t)count : 1);
	bool isDone = bounds != NULL && scratch != NULL;
	for (int32_t r = 0; r <= rankCount && isDone; ++r)
	{
		bounds[r] = (int32_t)((int64_t)count * r / rankCount);
	}
	for (int32_t v = 0; v < count; ++v)
	{
		solver->valueOf[v] = v;
	}
	isDone = isDone && petscHalve(solver, body, scratch, bounds, 0, rankCount);
	for (int32_t row = 0; row < count && isDone; ++row)
	{
		solver->rowOf[solver->valueOf[row]] = row;
	}
	if (isDone)
	{
		solver->firstRow = bounds[rank];
		solver->rowCount = bounds[rank + 1] - bounds[rank];
	}
	BR_FREE(&solver->allocator, bounds, rankCount + 1);
	BR_FREE(&solver->allocator, scratch, isShared ? 4 * (int64_t)count : 1);
	return isDone;
}

// Entries of each owned row, by whose columns they are, for PETSc to make room.
static void petscCount(const brPetscSolver* solver, const brBlockMatrix* matrix, PetscInt* own, PetscInt* others)
{
	for (int32_t i = 0; i < solver->rowCount; ++i)
	{
		PetscInt mine = 0;
		for (int32_t k = matrix->starts[i]; k < matrix->starts[i + 1]; ++k)
		{
			int32_t column = solver->rowOf[matrix->columns[k]];
			mine += column >= solver->firstRow && column < solver->firstRow + solver->rowCount;
		}
		PetscInt all = matrix->starts[i + 1] - matrix->starts[i];
		for (int axis = 0; axis < 3; ++axis)
		{
			own[3 * i + axis] = 3 * (mine > 0 ? mine : 1);
			others[3 * i + axis] = 3 * (all - mine);
		}
	}
}

// One row of blocks, by rows; held axes have their own diagonal alone.
static PetscErrorCode petscAddRow(brPetscSolver* solver, const brBlockMatrix* matrix, int32_t i, PetscInt* columns,
								  PetscScalar* values)
{
	PetscInt place = solver->firstRow + i;
	int32_t value = solver->valueOf[place], first = matrix->starts[i], count = matrix->starts[i + 1] - first;
	bool hasDiagonal = false;
	for (int32_t k = 0; k < count; ++k)
	{
		int32_t other = matrix->columns[first + k];
		const double* block = matrix->blocks + 9 * (size_t)(first + k);
		columns[k] = solver->rowOf[other];
		hasDiagonal = hasDiagonal || other == value;
		for (int r = 0; r < 3; ++r)
		{
			for (int c = 0; c < 3; ++c)
			{
				bool isHeld = (solver->held[value] >> r & 1) != 0 || (solver->held[other] >> c & 1) != 0;
				double kept = other == value && r == c ? (block[4 * r] > 0.0 ? block[4 * r] : 1.0) : 0.0;
				values[(size_t)r * 3 * (size_t)count + 3 * (size_t)k + (size_t)c] = isHeld ? kept : block[3 * c + r];
			}
		}
	}
	if (!hasDiagonal) // a node of no tet
	{
		static const PetscScalar one[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
		return s_petsc.MatSetValuesBlocked(solver->matrix, 1, &place, 1, &place, one, INSERT_VALUES);
	}
	return s_petsc.MatSetValuesBlocked(solver->matrix, 1, &place, count, columns, values, INSERT_VALUES);
}

// `matrix` has the rows of this rank.
static brResult petscMakeMatrix(brPetscSolver* solver, const brBlockMatrix* matrix, brReport* report)
{
	int32_t longest = 1;
	for (int32_t v = 0; v < matrix->rowCount; ++v)
	{
		int32_t length = matrix->starts[v + 1] - matrix->starts[v];
		longest = length > longest ? length : longest;
	}
	const brAllocator* allocator = &solver->allocator;
	PetscInt* own = BR_ALLOC(allocator, PetscInt, 3 * (int64_t)solver->rowCount);
	PetscInt* others = BR_ALLOC(allocator, PetscInt, 3 * (int64_t)solver->rowCount);
	PetscInt* columns = BR_ALLOC(allocator, PetscInt, longest);
	PetscScalar* values = BR_ALLOC(allocator, PetscScalar, 9 * (int64_t)longest);
	bool hasRoom = own != NULL && others != NULL && columns != NULL && values != NULL;
	PetscErrorCode error = 0;
	if (hasRoom)
	{
		petscCount(solver, matrix, own, others);
		PetscInt rows = 3 * solver->rowCount, all = 3 * solver->valueCount;
		error = s_petsc.MatCreate(*s_petsc.world, &solver->matrix);
		error = error != 0 ? error : s_petsc.MatSetSizes(solver->matrix, rows, rows, all, all);
		error = error != 0 ? error : s_petsc.MatSetBlockSize(solver->matrix, 3);
		error = error != 0 ? error : s_petsc.MatSetType(solver->matrix, MATAIJ);
		error = error != 0 ? error : s_petsc.MatSeqAIJSetPreallocation(solver->matrix, 0, own);
		error = error != 0 ? error : s_petsc.MatMPIAIJSetPreallocation(solver->matrix, 0, own, 0, others);
	}
	for (int32_t i = 0; i < solver->rowCount && hasRoom && error == 0; ++i)
	{
		error = petscAddRow(solver, matrix, i, columns, values);
	}
	if (hasRoom && error == 0)
	{
		error = s_petsc.MatAssemblyBegin(solver->matrix, MAT_FINAL_ASSEMBLY);
		error = error != 0 ? error : s_petsc.MatAssemblyEnd(solver->matrix, MAT_FINAL_ASSEMBLY);
		error = error != 0 ? error : s_petsc.MatSetOption(solver->matrix, MAT_SPD, PETSC_TRUE);
		error = error != 0 ? error : s_petsc.MatCreateVecs(solver->matrix, &solver->x, &solver->b);
	}
	BR_FREE(allocator, own, 3 * (int64_t)solver->rowCount);
	BR_FREE(allocator, others, 3 * (int64_t)solver->rowCount);
	BR_FREE(allocator, columns, longest);
	BR_FREE(allocator, values, 9 * (int64_t)longest);
	return !hasRoom ? brFailMemory(report) : error != 0 ? petscFail(report, "its matrix") : br_success;
}

// Values that a function of the place gives, on the rows of this rank.
static PetscErrorCode petscFill(const brPetscSolver* solver, Vec vector, const brDVec3* values)
{
	PetscScalar* out = NULL;
	PetscErrorCode error = s_petsc.VecGetArray(vector, &out);
	for (int32_t i = 0; i < solver->rowCount && error == 0; ++i)
	{
		brDVec3 value = values[solver->valueOf[solver->firstRow + i]];
		out[3 * i] = value.x, out[3 * i + 1] = value.y, out[3 * i + 2] = value.z;
	}
	return error != 0 ? error : s_petsc.VecRestoreArray(vector, &out);
}

static PetscErrorCode petscSetNearNull(brPetscSolver* solver, const brElasticBody* body, brDVec3* scratch)
{
	for (int32_t v = 0; v < solver->valueCount; ++v)
	{
		scratch[v] = body->mesh->nodes[body->set.valueNodes[v]];
	}
	MatNullSpace space = NULL;
	PetscErrorCode error = petscFill(solver, solver->b, scratch);
	error = error != 0 ? error : s_petsc.MatNullSpaceCreateRigidBody(solver->b, &space);
	error = error != 0 ? error : s_petsc.MatSetNearNullSpace(solver->matrix, space);
	s_petsc.MatNullSpaceDestroy(&space);
	return error;
}

// Motions of parts that nothing holds, of unit length and across each other.
static PetscErrorCode petscSetNull(brPetscSolver* solver, const brElasticBody* body, brDVec3* scratch, Vec* vectors,
								   int32_t vectorCount)
{
	const brElementSet* set = &body->set;
	int32_t made = 0;
	PetscErrorCode error = 0;
	for (int32_t p = 0; p < set->componentCount && error == 0; ++p)
	{
		double size = brElasticBody_GetComponentSize(&set->parts[p]);
		for (int32_t m = 0; m < set->parts[p].freeModes && error == 0; ++m, ++made)
		{
			for (int32_t v = 0; v < solver->valueCount; ++v)
			{
				scratch[v] = brMakeDVec3(0.0, 0.0, 0.0);
				if (set->valueParts[v] == p)
				{
					brDVec3 offset = brDSub(body->mesh->nodes[set->valueNodes[v]], set->parts[p].center);
					const double* mode = body->freeModes[p][m]; // three shifts, three turns times size
					brDVec3 turn = brMakeDVec3(mode[3] / size, mode[4] / size, mode[5] / size);
					scratch[v] = brDAdd(brMakeDVec3(mode[0], mode[1], mode[2]), brDCross(turn, offset));
				}
			}
			error = s_petsc.VecDuplicate(solver->b, &vectors[made]);
			error = error != 0 ? error : petscFill(solver, vectors[made], scratch);
		}
	}
	// The null space wants them orthonormal; motions of one part are not quite.
	for (int32_t i = 0; i < made && error == 0; ++i)
	{
		for (int32_t pass = 0; pass < 2; ++pass)
		{
			for (int32_t k = 0; k < i; ++k)
			{
				PetscScalar dot = 0.0;
				s_petsc.VecDot(vectors[i], vectors[k], &dot);
				s_petsc.VecAXPY(vectors[i], -dot, vectors[k]);
			}
		}
		error = s_petsc.VecNormalize(vectors[i], NULL);
	}
	MatNullSpace space = NULL;
	error = error != 0 ? error : s_petsc.MatNullSpaceCreate(*s_petsc.world, PETSC_FALSE, vectorCount, vectors, &space);
	error = error != 0 ? error : s_petsc.MatSetNullSpace(solver->matrix, space);
	s_petsc.MatNullSpaceDestroy(&space);
	for (int32_t i = 0; i < made; ++i)
	{
		s_petsc.VecDestroy(&vectors[i]); // the space has its own hold on them
	}
	return error;
}

static brResult petscSetMotions(brPetscSolver* solver, const brElasticBody* body, brReport* report)
{
	const brAllocator* allocator = &solver->allocator;
	int32_t modeCount = 0;
	for (int32_t p = 0; p < body->set.componentCount; ++p)
	{
		modeCount += body->set.parts[p].freeModes;
	}
	brDVec3* scratch = BR_ALLOC(allocator, brDVec3, solver->valueCount);
	Vec* vectors = BR_ALLOC_ZERO(allocator, Vec, modeCount);
	bool hasRoom = scratch != NULL && vectors != NULL;
	PetscErrorCode error = hasRoom ? petscSetNearNull(solver, body, scratch) : 0;
	if (hasRoom && error == 0 && modeCount > 0)
	{
		error = petscSetNull(solver, body, scratch, vectors, modeCount);
	}
	BR_FREE(allocator, scratch, solver->valueCount);
	BR_FREE(allocator, vectors, modeCount);
	return !hasRoom ? brFailMemory(report) : error != 0 ? petscFail(report, "the rigid motions") : br_success;
}

// What is set here the options replace, also those of PETSC_OPTIONS.
static PetscErrorCode petscSetDefault(const char* name, const char* value)
{
	PetscBool isGiven = PETSC_FALSE;
	PetscErrorCode error = s_petsc.PetscOptionsHasName(NULL, NULL, name, &isGiven);
	return error != 0 || isGiven ? error : s_petsc.PetscOptionsSetValue(NULL, name, value);
}

// Two levels with large aggregates: half of the time to set up, and a quarter more iterations, than with one. On
// several ranks PETSc's own ways to multiply coarse levels take either twice the memory of hypre's or three times its
// time.
static brResult petscSetOptions(const brPetscSolver* solver, const char* options, brReport* report)
{
	PetscBool hasHypre = PETSC_FALSE;
	if (options != NULL && s_petsc.PetscOptionsInsertString(NULL, options) != 0)
	{
		return brFail(report, br_errorUnavailable, "PETSc does not take the options '%.200s'", options);
	}
	PetscErrorCode error = petscSetDefault("-pc_gamg_aggressive_coarsening", "2");
	error = error != 0 ? error : s_petsc.PetscHasExternalPackage("hypre", &hasHypre);
	if (error == 0 && solver->isShared && hasHypre)
	{
		error = petscSetDefault("-matptap_via", "hypre");
	}
	return error != 0 ? petscFail(report, "its options") : br_success;
}

static PetscErrorCode petscMakeKsp(brPetscSolver* solver)
{
	PC pc = NULL;
	PetscErrorCode error = s_petsc.KSPCreate(*s_petsc.world, &solver->ksp);
	error = error != 0 ? error : s_petsc.KSPSetOperators(solver->ksp, solver->matrix, solver->matrix);
	error = error != 0 ? error : s_petsc.KSPSetType(solver->ksp, KSPCG);
	error = error != 0 ? error : s_petsc.KSPSetNormType(solver->ksp, KSP_NORM_UNPRECONDITIONED);
	error = error != 0 ? error : s_petsc.KSPSetInitialGuessNonzero(solver->ksp, PETSC_TRUE);
	error = error != 0 ? error : s_petsc.KSPGetPC(solver->ksp, &pc);
	error = error != 0 ? error : s_petsc.PCSetType(pc, PCGAMG);
	return error != 0 ? error : s_petsc.KSPSetFromOptions(solver->ksp);
}

// Under the lock.
static brResult petscMake(brPetscSolver* solver, const brElasticBody* body, brWorkers* workers, const uint8_t* held,
						  const char* options, brReport* report)
{
	int rank = 0, rankCount = 1;
	s_petsc.MPI_Comm_rank(*s_petsc.world, &rank);
	s_petsc.MPI_Comm_size(*s_petsc.world, &rankCount);
	solver->isShared = rankCount > 1;
	int64_t count = solver->valueCount;
	solver->rowOf = BR_ALLOC(&solver->allocator, int32_t, count);
	solver->valueOf = BR_ALLOC(&solver->allocator, int32_t, count);
	solver->held = BR_ALLOC(&solver->allocator, uint8_t, count);
	if (solver->rowOf == NULL || solver->valueOf == NULL || solver->held == NULL ||
		!petscOrder(solver, body, rank, rankCount))
	{
		return brFailMemory(report);
	}
	memcpy(solver->held, held, (size_t)count);
	brBlockMatrix rows = {0};
	if (!brElasticBody_AssembleRows(body, workers, solver->valueOf + solver->firstRow, solver->rowCount, &rows))
	{
		return brFailMemory(report);
	}
	brResult result = petscMakeMatrix(solver, &rows, report);
	brBlockMatrix_Free(&rows, &solver->allocator);
	result = result < 0 ? result : petscSetMotions(solver, body, report);
	result = result < 0 ? result : petscSetOptions(solver, options, report);
	return result < 0 || petscMakeKsp(solver) == 0 ? result : petscFail(report, "the setup of its solver");
}

brResult brPetscSolver_Create(const brElasticBody* body, brWorkers* workers, const uint8_t* held, const char* options,
							  brPetscSolver** outSolver, brReport* report)
{
	brPetscSolver* solver = BR_ALLOC_ZERO(&body->allocator, brPetscSolver, 1);
	if (solver == NULL)
	{
		return brFailMemory(report);
	}
	solver->allocator = body->allocator;
	solver->valueCount = body->set.valueCount;
	brMutex_Lock(&s_petscLock);
	brResult result = petscStart(report);
	bool isStarted = result >= 0;
	s_petscUsers += isStarted;
	result = isStarted ? petscMake(solver, body, workers, held, options, report) : result;
	brMutex_Unlock(&s_petscLock);
	if (!isStarted)
	{
		BR_FREE(&body->allocator, solver, 1);
		return result;
	}
	if (result < 0)
	{
		brPetscSolver_Destroy(solver);
		return result;
	}
	*outSolver = solver;
	return br_success;
}

void brPetscSolver_Destroy(brPetscSolver* solver)
{
	if (solver == NULL)
	{
		return;
	}
	brMutex_Lock(&s_petscLock);
	s_petsc.KSPDestroy(&solver->ksp);
	s_petsc.VecDestroy(&solver->x);
	s_petsc.VecDestroy(&solver->b);
	s_petsc.MatDestroy(&solver->matrix);
	s_petscUsers -= 1;
	if (s_petscUsers == 0 && !s_petscStays)
	{
		s_petsc.PetscFinalize(); // the host has started MPI and may end it before the process ends
	}
	brMutex_Unlock(&s_petscLock);
	brAllocator allocator = solver->allocator;
	BR_FREE(&allocator, solver->rowOf, solver->valueCount);
	BR_FREE(&allocator, solver->valueOf, solver->valueCount);
	BR_FREE(&allocator, solver->held, solver->valueCount);
	BR_FREE(&allocator, solver, 1);
}

// The whole solution, on every rank.
static PetscErrorCode petscRead(brPetscSolver* solver, brDVec3* x)
{
	Vec all = NULL;
	VecScatter toAll = NULL;
	PetscErrorCode error = 0;
	if (solver->isShared)
	{
		error = s_petsc.VecScatterCreateToAll(solver->x, &toAll, &all);
		error = error != 0 ? error : s_petsc.VecScatterBegin(toAll, solver->x, all, INSERT_VALUES, SCATTER_FORWARD);
		error = error != 0 ? error : s_petsc.VecScatterEnd(toAll, solver->x, all, INSERT_VALUES, SCATTER_FORWARD);
	}
	Vec vector = solver->isShared ? all : solver->x;
	PetscScalar* values = NULL;
	error = error != 0 ? error : s_petsc.VecGetArray(vector, &values);
	for (int32_t row = 0; row < solver->valueCount && error == 0; ++row)
	{
		uint32_t held = solver->held[solver->valueOf[row]];
		const PetscScalar* u = values + 3 * (size_t)row;
		x[solver->valueOf[row]] =
			brMakeDVec3((held & 1) != 0 ? 0.0 : u[0], (held & 2) != 0 ? 0.0 : u[1], (held & 4) != 0 ? 0.0 : u[2]);
	}
	error = error != 0 ? error : s_petsc.VecRestoreArray(vector, &values);
	s_petsc.VecScatterDestroy(&toAll);
	s_petsc.VecDestroy(&all);
	return error;
}

bool brPetscSolver_IsShared(const brPetscSolver* solver)
{
	return solver->isShared;
}

brResult brPetscSolver_Solve(brPetscSolver* solver, const brDVec3* b, double tolerance, int32_t maxIterations,
							 brDVec3* x, int32_t* outIterations, brReport* report)
{
	PetscInt iterations = 0;
	KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
	brMutex_Lock(&s_petscLock);
	PetscErrorCode error = solver->ksp == NULL ? petscMakeKsp(solver) : 0;
	error = error != 0 ? error : petscFill(solver, solver->b, b);
	error = error != 0 ? error : petscFill(solver, solver->x, x);
	if (solver->isShared)
	{
		brOs_ForgetPages(x, (size_t)solver->valueCount * sizeof(brDVec3)); // until it is read
	}
	error = error != 0 ? error
					   : s_petsc.KSPSetTolerances(solver->ksp, tolerance, PETSC_DEFAULT, PETSC_DEFAULT, maxIterations);
	error = error != 0 ? error : s_petsc.KSPSolve(solver->ksp, solver->b, solver->x);
	error = error != 0 ? error : s_petsc.KSPGetIterationNumber(solver->ksp, &iterations);
	error = error != 0 ? error : s_petsc.KSPGetConvergedReason(solver->ksp, &reason);
	if (solver->isShared)
	{
		s_petsc.KSPDestroy(&solver->ksp); // its levels are half of the memory; cracks that grow need other ones anyway
	}
	error = error != 0 ? error : petscRead(solver, x);
	brMutex_Unlock(&s_petscLock);
	*outIterations = (int32_t)iterations;
	if (error != 0)
	{
		return petscFail(report, "a solve");
	}
	if (reason < 0 && reason != KSP_DIVERGED_ITS)
	{
		return brFail(report, br_errorUnavailable, "PETSc gave up after %d iterations (its reason %d)", (int)iterations,
					  (int)reason);
	}
	return br_success;
}

#else

bool brPetscSolver_IsShared(const brPetscSolver* solver)
{
	(void)solver;
	return false;
}

void brPetscSolver_Destroy(brPetscSolver* solver)
{
	(void)solver;
}

brResult brPetscSolver_Create(const brElasticBody* body, brWorkers* workers, const uint8_t* held, const char* options,
							  brPetscSolver** outSolver, brReport* report)
{
	(void)body, (void)workers, (void)held, (void)options, (void)outSolver;
	return brLibrary_FailAbsent(br_libraryPetsc, report);
}

brResult brPetscSolver_Solve(brPetscSolver* solver, const brDVec3* b, double tolerance, int32_t maxIterations,
							 brDVec3* x, int32_t* outIterations, brReport* report)
{
	(void)solver, (void)b, (void)tolerance, (void)maxIterations, (void)x, (void)outIterations;
	return brLibrary_FailAbsent(br_libraryPetsc, report);
}

#endif
