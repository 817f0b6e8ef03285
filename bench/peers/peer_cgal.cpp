// SPDX-License-Identifier: MIT

// CGAL's box intersection and self-intersections. CGAL is GPL, so this is a program of its own.

#include "peer.h"

#include <CGAL/Box_intersection_d/Box_with_info_d.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/box_intersection_d.h>

#include <utility>

typedef CGAL::Exact_predicates_inexact_constructions_kernel Kernel;
typedef CGAL::Surface_mesh<Kernel::Point_3> Mesh;
typedef CGAL::Box_intersection_d::Box_with_info_d<float, 3, int> Box;

int main(int argumentCount, char** arguments)
{
	PeerMesh input = loadPeerMesh(argumentCount, arguments);
	if (input.each == 4)
	{
		// Tets: the pairs are kept, since they are tested afterwards.
		reportPeer("boxes", 2,
				   [&]
				   {
					   std::vector<Box> boxes;
					   std::vector<std::pair<int, int>> pairs;
					   boxes.reserve((size_t)input.count());
					   for (int i = 0; i < input.count(); ++i)
					   {
						   float lower[3], upper[3];
						   input.box(i, lower, upper);
						   boxes.push_back(Box(lower, upper, i));
					   }
					   CGAL::box_self_intersection_d(
						   boxes.begin(), boxes.end(),
						   [&](const Box& a, const Box& b) { pairs.emplace_back(a.info(), b.info()); },
						   CGAL::Box_intersection_d::Box_traits_d<Box>(), (std::ptrdiff_t)2000);
					   return (long long)pairs.size();
				   });
		return 0;
	}
	reportPeer("boxes", 3,
			   [&]
			   {
				   std::vector<Box> boxes;
				   boxes.reserve((size_t)input.count());
				   for (int i = 0; i < input.count(); ++i)
				   {
					   float lower[3], upper[3];
					   input.box(i, lower, upper);
					   boxes.push_back(Box(lower, upper, i));
				   }
				   // The default cutoff of 10 is three times slower.
				   long long count = 0;
				   CGAL::box_self_intersection_d(
					   boxes.begin(), boxes.end(), [&](const Box&, const Box&) { count += 1; },
					   CGAL::Box_intersection_d::Box_traits_d<Box>(), (std::ptrdiff_t)2000);
				   return count;
			   });
	Mesh mesh;
	for (size_t i = 0; i < input.positions.size(); i += 3)
	{
		mesh.add_vertex(Kernel::Point_3(input.positions[i], input.positions[i + 1], input.positions[i + 2]));
	}
	bool isManifold = true;
	for (size_t i = 0; i < input.triangles.size(); i += 3)
	{
		isManifold &= mesh.add_face(Mesh::Vertex_index((unsigned)input.triangles[i]),
									Mesh::Vertex_index((unsigned)input.triangles[i + 1]),
									Mesh::Vertex_index((unsigned)input.triangles[i + 2])) != Mesh::null_face();
	}
	if (isManifold)
	{
		reportPeer("crossings", 3,
				   [&]
				   {
					   std::vector<std::pair<Mesh::Face_index, Mesh::Face_index>> pairs;
					   CGAL::Polygon_mesh_processing::self_intersections(mesh, std::back_inserter(pairs));
					   return (long long)pairs.size();
				   });
	}
	return 0;
}
