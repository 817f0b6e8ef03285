// SPDX-License-Identifier: MIT
#pragma once

// Processes that one launcher (mpirun) has started. Without MPI, or without a launcher, there is one: rank 0.

#include "command.h"

/// Starts MPI in brittle-mpi. False, said, if several copies were started and cannot talk to each other.
bool beginRanks(const CommandLine* line);
void endRanks(void);
int32_t rankNumber(void);
int32_t rankCount(void);

/// The same number for all ranks: rank 0's.
int32_t shareNumber(int32_t number);
