// SPDX-License-Identifier: MIT
#pragma once

// PETSc as the solver, where it is installed: for bodies of many millions of unknowns, and on many ranks of MPI.

#include "elastic/body.h"

typedef struct brPetscSolver brPetscSolver;

/// Hands the rows of the body's matrix to PETSc; with several ranks each makes and hands over its own, so all must call
/// this with the same body. `options` are PETSc's, as on a command line, or null.
brResult brPetscSolver_Create(const brElasticBody* body, brWorkers* workers, const uint8_t* held, const char* options,
							  brPetscSolver** outSolver, brReport* report);
void brPetscSolver_Destroy(brPetscSolver* solver);

/// Whether there are other ranks: then memory counts more than time.
bool brPetscSolver_IsShared(const brPetscSolver* solver);

/// x = K^-1 b from the x that is there, until the residual is below `tolerance` times b. Zero on held axes. All ranks
/// get the whole of it.
brResult brPetscSolver_Solve(brPetscSolver* solver, const brDVec3* b, double tolerance, int32_t maxIterations,
							 brDVec3* x, int32_t* outIterations, brReport* report);
