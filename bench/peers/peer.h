// SPDX-License-Identifier: MIT
#pragma once

// What the peer programs share: the mesh file the bench writes, and the least time of a few runs.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

struct PeerMesh
{
	std::vector<double> positions;
	std::vector<int32_t> triangles;
	int each = 3; // corners; 4 for tets

	int count() const
	{
		return (int)triangles.size() / each;
	}

	// Lower and upper corner of an element's box, in floats.
	void box(int triangle, float lower[3], float upper[3]) const
	{
		for (int k = 0; k < 3; ++k)
		{
			lower[k] = upper[k] = (float)positions[3 * (size_t)triangles[(size_t)each * (size_t)triangle] + k];
			for (int c = 1; c < each; ++c)
			{
				float x = (float)positions[3 * (size_t)triangles[(size_t)each * (size_t)triangle + c] + k];
				lower[k] = x < lower[k] ? x : lower[k];
				upper[k] = x > upper[k] ? x : upper[k];
			}
		}
	}
};

inline PeerMesh loadPeerMesh(int argumentCount, char** arguments)
{
	PeerMesh mesh;
	int32_t counts[2] = {0, 0};
	FILE* file = argumentCount > 1 ? fopen(arguments[1], "rb") : nullptr;
	bool good = file != nullptr && fread(counts, 4, 2, file) == 2;
	if (good)
	{
		mesh.positions.resize(3 * (size_t)counts[0]);
		mesh.each = argumentCount > 2 ? 4 : 3; // FILE tets
		mesh.triangles.resize((size_t)mesh.each * (size_t)counts[1]);
		good = fread(mesh.positions.data(), 8, mesh.positions.size(), file) == mesh.positions.size() &&
			   fread(mesh.triangles.data(), 4, mesh.triangles.size(), file) == mesh.triangles.size();
	}
	if (!good)
	{
		fprintf(stderr, "usage: peer FILE [tets], as written by brittle-bench\n");
		exit(2);
	}
	fclose(file);
	return mesh;
}

template <class Run> void reportPeer(const char* what, int runs, Run run)
{
	double best = 1e30;
	long long count = 0;
	for (int i = 0; i < runs; ++i)
	{
		// Processor time: peers run on one thread, and what else the machine does is not theirs.
		clock_t start = clock();
		count = run();
		double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
		best = seconds < best ? seconds : best;
	}
	printf("%s %lld %.9f\n", what, count, best);
	fflush(stdout);
}
