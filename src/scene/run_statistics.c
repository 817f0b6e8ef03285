// SPDX-License-Identifier: MIT

// The books of a run as a table: one row a step, numbers that read back as the same bits.

#include "scene/run_state.h"

#include "io/file.h"

typedef enum StatisticKind
{
	statistic_int,
	statistic_number,
	statistic_milliseconds, // of a member in seconds
	statistic_vector,
} StatisticKind;

typedef struct Statistic
{
	const char* name;
	StatisticKind kind;
	size_t offset;
} Statistic;

static const Statistic statistics[] = {
	{"step", statistic_int, offsetof(brRunStep, step)},
	{"time", statistic_number, offsetof(brRunStep, time)},
	{"bodies", statistic_int, offsetof(brRunStep, bodies)},
	{"awake", statistic_int, offsetof(brRunStep, awake)},
	{"islands", statistic_int, offsetof(brRunStep, islands)},
	{"contacts", statistic_int, offsetof(brRunStep, contacts)},
	{"points", statistic_int, offsetof(brRunStep, points)},
	{"joints", statistic_int, offsetof(brRunStep, joints)},
	{"set_aside", statistic_int, offsetof(brRunStep, setAside)},
	{"breaks", statistic_int, offsetof(brRunStep, breaks)},
	{"pieces", statistic_int, offsetof(brRunStep, pieces)},
	{"waiting", statistic_int, offsetof(brRunStep, waiting)},
	{"kinetic", statistic_number, offsetof(brRunStep, kinetic)},
	{"potential", statistic_number, offsetof(brRunStep, potential)},
	{"energy_in", statistic_number, offsetof(brRunStep, energyIn)},
	{"energy_broken", statistic_number, offsetof(brRunStep, energyBroken)},
	{"energy_friction", statistic_number, offsetof(brRunStep, energyFriction)},
	{"energy_restitution", statistic_number, offsetof(brRunStep, energyRestitution)},
	{"energy_damping", statistic_number, offsetof(brRunStep, energyDamping)},
	{"energy_solver", statistic_number, offsetof(brRunStep, energySolver)},
	{"mass", statistic_number, offsetof(brRunStep, mass)},
	{"mass_in", statistic_number, offsetof(brRunStep, massIn)},
	{"momentum", statistic_vector, offsetof(brRunStep, momentum)},
	{"angular_momentum", statistic_vector, offsetof(brRunStep, angularMomentum)},
	{"broad_ms", statistic_milliseconds, offsetof(brRunStep, broadSeconds)},
	{"narrow_ms", statistic_milliseconds, offsetof(brRunStep, narrowSeconds)},
	{"island_ms", statistic_milliseconds, offsetof(brRunStep, islandSeconds)},
	{"prepare_ms", statistic_milliseconds, offsetof(brRunStep, prepareSeconds)},
	{"solve_ms", statistic_milliseconds, offsetof(brRunStep, solveSeconds)},
	{"finish_ms", statistic_milliseconds, offsetof(brRunStep, finishSeconds)},
	{"break_ms", statistic_milliseconds, offsetof(brRunStep, breakSeconds)},
	{"step_ms", statistic_milliseconds, offsetof(brRunStep, seconds)},
};

#define STATISTICS BR_COUNT(statistics)

brResult brRun_SaveStatistics(const brRun* run, const brContext* context, const char* path, brReport* report)
{
	if (run == NULL || path == NULL)
	{
		return brFail(report, br_errorMisuse, "brRun_SaveStatistics needs run and path");
	}
	brAllocator allocator = brContext_Allocator(context);
	brOutput output;
	brResult result = brOutput_Open(&output, &allocator, path, report);
	if (result < 0)
	{
		return result;
	}
	for (int32_t i = 0; i < STATISTICS; ++i)
	{
		const char* name = statistics[i].name;
		brOutput_Text(&output, i > 0 ? "," : "");
		if (statistics[i].kind == statistic_vector)
		{
			brOutput_Format(&output, "%s_x,%s_y,%s_z", name, name, name);
		}
		else
		{
			brOutput_Text(&output, name);
		}
	}
	brOutput_Text(&output, "\n");
	for (int32_t row = 0; row < run->steps.count; ++row)
	{
		const char* step = (const char*)&run->steps.data[row];
		for (int32_t i = 0; i < STATISTICS; ++i)
		{
			const void* member = step + statistics[i].offset;
			const brDVec3* vector = member;
			brOutput_Text(&output, i > 0 ? "," : "");
			switch (statistics[i].kind)
			{
				case statistic_int:
					brOutput_Int(&output, *(const int32_t*)member);
					break;
				case statistic_number:
					brOutput_Double(&output, *(const double*)member);
					break;
				case statistic_milliseconds:
					brOutput_Double(&output, floor(1e7 * *(const double*)member + 0.5) / 1e4);
					break;
				case statistic_vector:
					brOutput_Double(&output, vector->x);
					brOutput_Text(&output, ",");
					brOutput_Double(&output, vector->y);
					brOutput_Text(&output, ",");
					brOutput_Double(&output, vector->z);
					break;
			}
		}
		brOutput_Text(&output, "\n");
	}
	return brOutput_Commit(&output, report);
}
