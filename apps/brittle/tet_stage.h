// SPDX-License-Identifier: MIT
#pragma once

// Tet meshes of which all but the first move, and which tets of them meet: what `serve` shows. Names of methods, for
// `collide` too.

#include "command.h"

#include "brittle/research.h"

enum
{
	TET_STAGE_MOST = 64, // meshes
};

typedef struct TetStage
{
	brTetMesh* meshes[TET_STAGE_MOST];
	brDVec3* rest[TET_STAGE_MOST]; // nodes as they are in the files
	int32_t count;
	int32_t tetCount; // of all meshes
	uint8_t* marks;   // [tetCount] whether one meets another
} TetStage;

/// What one search found and took.
typedef struct TetMeeting
{
	int64_t pairs;
	double seconds; // by the clock
	brPairStages stages;
} TetMeeting;

/// The files that a command names. What was loaded before a failure is freed by freeTetStage all the same.
brResult loadTetStage(TetStage* stage, const CommandLine* line, brReport* report);

/// `stage` may be all zeros.
void freeTetStage(TetStage* stage);

/// Moves all meshes but the first by `offset` from where their files have them, finds what meets and marks it. `gpu`
/// null: the CPU.
brResult meetTetStage(TetStage* stage, const CommandLine* line, brDVec3 offset, const brCollideDef* def, brGpu* gpu,
					  TetMeeting* outMeeting, brReport* report);

// Names that --method, --hash and --test take, in the order of brPairMethod and brResearchMethod, and of brTetTest.

enum
{
	SEARCH_METHODS = 6,
	SEARCH_HASHES = 4,
	SEARCH_TESTS = 5,
	SEARCH_BSP = 3,
	SEARCH_FRONT = 5,
};

extern const char* const searchMethods[SEARCH_METHODS];
extern const char* const searchHashes[SEARCH_HASHES];
extern const char* const searchTests[SEARCH_TESTS];

/// How to search: numbers of names, and settings that are of one method alone.
typedef struct SearchWay
{
	int32_t method, test;
	brKdetDef kdet; // the hash is the number of its name
	brBspDef bsp;
} SearchWay;

/// Method, engine and test of `def`. Settings other than the default ones make an engine of their own, which the caller
/// frees (brDestroyEngine with no context) after `def`; else that is null.
brResult setSearch(brCollideDef* def, const SearchWay* way, brPairEngine** outOwn, brReport* report);
