// SPDX-License-Identifier: MIT
#pragma once

// The linear system that brittle-bench writes for the solvers: lower triangle by rows, and a load.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct PeerSystem
{
	int32_t size = 0;
	std::vector<int32_t> starts, columns;
	std::vector<double> values, load;
};

inline PeerSystem loadPeerSystem(int argumentCount, char** arguments)
{
	PeerSystem system;
	int32_t counts[2] = {0, 0};
	FILE* file = argumentCount > 1 ? fopen(arguments[1], "rb") : nullptr;
	bool good = file != nullptr && fread(counts, 4, 2, file) == 2;
	if (good)
	{
		system.size = counts[0];
		system.starts.resize((size_t)counts[0] + 1);
		system.columns.resize((size_t)counts[1]);
		system.values.resize((size_t)counts[1]);
		system.load.resize((size_t)counts[0]);
		good = fread(system.starts.data(), 4, system.starts.size(), file) == system.starts.size() &&
			   fread(system.columns.data(), 4, system.columns.size(), file) == system.columns.size() &&
			   fread(system.values.data(), 8, system.values.size(), file) == system.values.size() &&
			   fread(system.load.data(), 8, system.load.size(), file) == system.load.size();
	}
	if (!good)
	{
		fprintf(stderr, "usage: peer FILE, as written by brittle-bench\n");
		exit(2);
	}
	fclose(file);
	return system;
}
