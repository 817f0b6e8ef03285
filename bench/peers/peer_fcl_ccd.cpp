// SPDX-License-Identifier: MIT

// FCL's continuous tests of vertex-face and edge-edge pairs, one pair after another: the roots of a cubic in rounded doubles, behind
// its filter by coplanarity. They are not conservative, so their counts may be too small; the bench compares.

#include "peer.h"

#include <fcl/narrowphase/detail/traversal/collision/intersect.h>

typedef fcl::Vector3<double> Vec;

static bool readPairs(FILE* file, std::vector<int32_t>& corners)
{
	int64_t count = 0;
	if (fread(&count, 8, 1, file) != 1)
	{
		return false;
	}
	corners.resize(4 * (size_t)count);
	return fread(corners.data(), 4, corners.size(), file) == corners.size();
}

int main(int argumentCount, char** arguments)
{
	std::vector<double> numbers;
	std::vector<int32_t> faces, edges;
	int64_t vertexCount = 0;
	FILE* file = argumentCount > 1 ? fopen(arguments[1], "rb") : nullptr;
	bool good = file != nullptr && fread(&vertexCount, 8, 1, file) == 1;
	if (good)
	{
		numbers.resize(6 * (size_t)vertexCount);
		good = fread(numbers.data(), 8, numbers.size(), file) == numbers.size() && readPairs(file, faces) &&
			   readPairs(file, edges);
	}
	if (!good)
	{
		fprintf(stderr, "usage: peer FILE, as written by brittle-bench\n");
		return 2;
	}
	fclose(file);
	std::vector<Vec> points(2 * (size_t)vertexCount);
	for (size_t i = 0; i < points.size(); ++i)
	{
		points[i] = Vec(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]);
	}
	const Vec *start = points.data(), *end = start + vertexCount;
	double time;
	Vec place;
	reportPeer("vertex-face", 1,
			   [&]
			   {
				   long long hits = 0;
				   for (size_t i = 0; i < faces.size(); i += 4)
				   {
					   const int32_t* c = &faces[i];
					   hits += fcl::detail::Intersect<double>::intersect_VF_filtered(
						   start[c[1]], start[c[2]], start[c[3]], start[c[0]], end[c[1]], end[c[2]], end[c[3]],
						   end[c[0]], &time, &place, false);
				   }
				   return hits;
			   });
	reportPeer("edge-edge", 1,
			   [&]
			   {
				   long long hits = 0;
				   for (size_t i = 0; i < edges.size(); i += 4)
				   {
					   const int32_t* c = &edges[i];
					   hits += fcl::detail::Intersect<double>::intersect_EE_filtered(
						   start[c[0]], start[c[1]], start[c[2]], start[c[3]], end[c[0]], end[c[1]], end[c[2]],
						   end[c[3]], &time, &place, false);
				   }
				   return hits;
			   });
	return 0;
}
