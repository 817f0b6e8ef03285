// SPDX-License-Identifier: MIT
#pragma once

// Tet meshes that pass through each other, for browsers: kDet's demonstrator. docs/live.md describes the messages.

#include "serve_socket.h"
#include "tet_stage.h"

typedef struct TetServer TetServer;

/// Loads the files that the command names. All but the first go to and fro by `move` [m]; zero: along x through the
/// first one. `gpu` may be null; the page then offers the processor alone. br_errorMemory and what loading says.
brResult createTetServer(const CommandLine* line, brDVec3 move, brGpu* gpu, TetServer** outServer, brReport* report);

/// `server` may be null.
void destroyTetServer(TetServer* server);

ServeSource tetServerSource(TetServer* server);

/// Searches so far, and their mean time in `outSeconds`.
int64_t tetServerFrames(const TetServer* server, double* outSeconds);
