// SPDX-License-Identifier: MIT
#pragma once

// A sparse factor by MUMPS, where the build has it.

#include "elastic/body.h"

typedef struct brDirectSolver brDirectSolver;

/// Factors the body's matrix without held axes; free motions get a spring each, which balanced loads do not load.
brResult brDirectSolver_Create(const brElasticBody* body, brDirectSolver** outSolver, brReport* report);
void brDirectSolver_Destroy(brDirectSolver* solver);

/// x = K^-1 b, zero on held axes.
brResult brDirectSolver_Solve(brDirectSolver* solver, const brDVec3* b, brDVec3* x, brReport* report);
