// SPDX-License-Identifier: MIT
#pragma once

// Where a prim of a USD file stands: its transform ops, at rest and over time.

#include "io/usda_layer.h"

typedef enum brUsdaOpKind
{
	br_usdaTranslate,
	br_usdaScale,
	br_usdaRotate, // about the axes in `order`, first to last
	br_usdaOrient,
	br_usdaMatrix,
} brUsdaOpKind;

typedef struct brUsdaOp
{
	brUsdaOpKind kind;
	bool isInverse;
	int32_t order[3];
	int32_t orderCount;
	int32_t components;
	double rest[16];
	brUsdaDoubles times;  // of its samples; empty: it stands still
	brUsdaDoubles values; // [components * times.count]
} brUsdaOp;

/// What one prim adds to those above it.
typedef struct brUsdaPlace
{
	const struct brUsdaPlace* above;
	BR_ARRAY(brUsdaOp) ops;
	bool isReset;              // what is above does not count
	bool isMoving;             // it, or what is above
	double bornTime, goneTime; // in time codes
} brUsdaPlace;

/// Reads the ops of a node. brUsdaPlace_Free is due whatever it returns.
brResult brUsdaPlace_Read(brUsdaPlace* place, const brUsdaPlace* above, const brUsdaLayer* layer,
						  const brUsdaNode* node);
void brUsdaPlace_Free(brUsdaPlace* place, const brAllocator* allocator);

/// All times at which it or something above has a sample, sorted, each once. False without memory.
bool brUsdaPlace_Times(const brUsdaPlace* place, const brAllocator* allocator, brUsdaDoubles* outTimes);

/// In the file's world at a time code.
brAffine brUsdaPlace_At(const brUsdaPlace* place, double time);

/// Ops that are looked at for one instant.
int64_t brUsdaPlace_Cost(const brUsdaPlace* place);

/// Zero for a map without an inverse.
brAffine brUsda_Inverse(const brAffine* map);
