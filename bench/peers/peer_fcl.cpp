// SPDX-License-Identifier: MIT

// FCL's dynamic box tree over the boxes of all triangles, against itself.

#include "peer.h"

#include <fcl/broadphase/detail/hierarchy_tree.h>
#include <fcl/math/bv/AABB.h>

typedef fcl::AABB<float> Box;
typedef fcl::detail::HierarchyTree<Box> Tree;

static long long countPairs(Tree::NodeType* a, Tree::NodeType* b)
{
	if (a == b)
	{
		return a->isLeaf() ? 0
						   : countPairs(a->children[0], a->children[0]) + countPairs(a->children[1], a->children[1]) +
								 countPairs(a->children[0], a->children[1]);
	}
	if (!a->bv.overlap(b->bv))
	{
		return 0;
	}
	if (a->isLeaf() && b->isLeaf())
	{
		return 1;
	}
	if (b->isLeaf() || (!a->isLeaf() && a->bv.size() > b->bv.size()))
	{
		return countPairs(a->children[0], b) + countPairs(a->children[1], b);
	}
	return countPairs(a, b->children[0]) + countPairs(a, b->children[1]);
}

int main(int argumentCount, char** arguments)
{
	PeerMesh input = loadPeerMesh(argumentCount, arguments);
	reportPeer("boxes", 3,
			   [&]
			   {
				   Tree tree(4, 2); // leaves, Morton order
				   std::vector<Tree::NodeType*> leaves;
				   for (int i = 0; i < input.count(); ++i)
				   {
					   float lower[3], upper[3];
					   input.box(i, lower, upper);
					   Tree::NodeType* leaf = new Tree::NodeType;
					   leaf->bv = Box(fcl::Vector3<float>(lower[0], lower[1], lower[2]),
									  fcl::Vector3<float>(upper[0], upper[1], upper[2]));
					   leaf->parent = nullptr;
					   leaf->children[1] = nullptr;
					   leaf->data = nullptr;
					   leaves.push_back(leaf);
				   }
				   tree.init(leaves, 2);
				   return countPairs(tree.getRoot(), tree.getRoot());
			   });
	return 0;
}
