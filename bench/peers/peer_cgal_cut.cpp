// SPDX-License-Identifier: MIT

// A peer for the cutter's benchmark: CGAL's corefinement, as a program of its own, since its license is not ours.
// `brittle bench cut` runs it:
//
//     brittle-peer-cgal_cut union|intersection|difference|plane A.off B.off
//
// prints seconds (median of five, building the meshes included) and the volume.

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/clip.h>
#include <CGAL/Polygon_mesh_processing/corefinement.h>
#include <CGAL/Polygon_mesh_processing/measure.h>
#include <CGAL/Surface_mesh.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;
namespace PMP = CGAL::Polygon_mesh_processing;

struct Arrays
{
	std::vector<Kernel::Point_3> points;
	std::vector<std::array<int, 3>> triangles;
};

static Arrays read(const char* path)
{
	std::ifstream file(path);
	std::string word;
	int vertices = 0, faces = 0, rest = 0;
	file >> word >> vertices >> faces >> rest;
	Arrays arrays;
	for (int i = 0; i < vertices; ++i)
	{
		double x, y, z;
		file >> x >> y >> z;
		arrays.points.emplace_back(x, y, z);
	}
	for (int i = 0; i < faces; ++i)
	{
		int size, a, b, c;
		file >> size >> a >> b >> c;
		arrays.triangles.push_back({a, b, c});
	}
	return arrays;
}

static Mesh build(const Arrays& arrays)
{
	Mesh mesh;
	mesh.reserve(arrays.points.size(), 3 * arrays.points.size(), arrays.triangles.size());
	for (const auto& p : arrays.points)
	{
		mesh.add_vertex(p);
	}
	for (const auto& t : arrays.triangles)
	{
		mesh.add_face(Mesh::Vertex_index(t[0]), Mesh::Vertex_index(t[1]), Mesh::Vertex_index(t[2]));
	}
	return mesh;
}

int main(int count, char** words)
{
	if (count < 4)
	{
		return 2;
	}
	std::string op = words[1];
	Arrays a = read(words[2]), b = read(words[3]);
	std::vector<double> times;
	double volume = 0.0;
	for (int run = 0; run < 6; ++run)
	{
		auto start = std::chrono::steady_clock::now();
		Mesh first = build(a), out;
		if (op == "plane")
		{
			Kernel::Plane_3 plane(Kernel::Point_3(0.001, 0.002, 0.1), Kernel::Vector_3(0.3, 0.2, 1.0));
			Mesh second = first;
			PMP::clip(first, plane, CGAL::parameters::clip_volume(true));
			PMP::clip(second, plane.opposite(), CGAL::parameters::clip_volume(true));
			volume = CGAL::to_double(PMP::volume(first)) + CGAL::to_double(PMP::volume(second));
		}
		else
		{
			Mesh second = build(b);
			bool done = op == "union"          ? PMP::corefine_and_compute_union(first, second, out)
						: op == "intersection" ? PMP::corefine_and_compute_intersection(first, second, out)
											   : PMP::corefine_and_compute_difference(first, second, out);
			volume = done ? CGAL::to_double(PMP::volume(out)) : 0.0;
		}
		double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
		if (run > 0)
		{
			times.push_back(seconds);
		}
	}
	std::sort(times.begin(), times.end());
	std::cout << std::fixed << std::setprecision(6) << times[times.size() / 2] << " " << std::setprecision(15) << volume << "\n";
}
