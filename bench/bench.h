// SPDX-License-Identifier: MIT
#pragma once

// A benchmark is a function that registers itself, checks its answer, then reports rows: ours, a peer's, the ratio.
//
//     BR_BENCH(sort)
//     {
//         double ours = brBench_Median(bench, 9, sortOnce, &data);
//         brBench_Row(bench, "sort 1M pairs 32-bit", 1e-6 * count / ours, 0.0, "Mkeys/s");   // no peer
//     }

#include "brittle/context.h"

typedef struct brBench
{
	const char* name;
	void (*run)(struct brBench* bench);
	const char* only; // the rows whose name holds this, or null: all
	bool json;
	int32_t rowCount;
	struct brBench* next;
} brBench;

void brBench_Register(brBench* bench);

#define BR_BENCH(benchName)                                                                                            \
	static void bench_##benchName(brBench* bench);                                                                     \
	static brBench brBench_##benchName = {#benchName, bench_##benchName, NULL, false, 0, NULL};                        \
	__attribute__((constructor)) static void brBenchRegister_##benchName(void)                                         \
	{                                                                                                                  \
		brBench_Register(&brBench_##benchName);                                                                        \
	}                                                                                                                  \
	static void bench_##benchName(__attribute__((unused)) brBench* bench)

/// Seconds of the median of `runs` calls, after one that is not counted.
double brBench_Median(int32_t runs, void (*call)(void* user), void* user);

/// The median of times that were taken otherwise; it sorts them.
double brBench_MedianOf(double* times, int32_t count);

/// Ends the program with the report's sentence unless the call succeeded.
void brBench_Must(brResult result, const brReport* report);

/// Whether a row of this name is asked for (`--only TEXT`): a costly one can be left out before it is measured.
bool brBench_Wants(const brBench* bench, const char* name);

/// One line of the table, if it is asked for. `peer` 0: no peer in this row. The unit says which way is better: a time
/// ("ms", "ns") is a cost, anything with "/s" is a rate; the ratio is always ours over the peer's.
void brBench_Row(brBench* bench, const char* name, double ours, double peer, const char* unit);

/// Stops the program with a sentence: a wrong answer has no speed.
void brBench_Fail(const char* format, ...) BR_PRINTF_LIKE(1, 2) __attribute__((noreturn));

/// Path in the public mesh collection beside the project, or null if it is not there. Static buffer.
const char* brBench_DataPath(const char* relative);
