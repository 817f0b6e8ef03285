// SPDX-License-Identifier: MIT
#pragma once

// What the steps of a frame cost one thread, for choosing between them. Measured on an AMD EPYC (Zen 4) with AVX-512 by
// `brittle-bench fronts`; only their ratios matter. Too high figures for fronts make rebuilds more frequent, too low
// ones make fronts live on that do not pay. All in nanoseconds.

#define BR_COST_REBUILD_ELEMENT 21.0 // box, code, sort, pack and the walk down
#define BR_COST_REBUILD_PAIR 4.6
#define BR_COST_FRONT_ELEMENT 9.0 // box, refit, motion of groups
#define BR_COST_SORT_ELEMENT 12.0 // more, when order and tree are made anew
#define BR_COST_GROUP_PAIR 6.0    // its bound
#define BR_COST_REFRESH_PAIR 22.0 // found, sorted, merged
#define BR_COST_LOOK 70.0         // two groups of which a pair is due
#define BR_COST_DUE 8.0           // each of these pairs
#define BR_COST_SEARCH 200.0      // two groups, without what is listed
#define BR_COST_LIST 9.0          // a pair listed
