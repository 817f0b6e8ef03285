// SPDX-License-Identifier: MIT

// Bullet's dynamic box tree against itself.

#include "peer.h"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>

struct CountPairs : btDbvt::ICollide
{
	long long count = 0;
	void Process(const btDbvtNode* a, const btDbvtNode* b) override
	{
		count += a != b;
	}
};

int main(int argumentCount, char** arguments)
{
	PeerMesh input = loadPeerMesh(argumentCount, arguments);
	reportPeer("boxes", 3,
			   [&]
			   {
				   btDbvt tree;
				   for (int i = 0; i < input.count(); ++i)
				   {
					   float lower[3], upper[3];
					   input.box(i, lower, upper);
					   tree.insert(btDbvtVolume::FromMM(btVector3(lower[0], lower[1], lower[2]),
														btVector3(upper[0], upper[1], upper[2])),
								   nullptr);
				   }
				   tree.optimizeTopDown();
				   CountPairs pairs;
				   tree.collideTT(tree.m_root, tree.m_root, pairs);
				   return pairs.count;
			   });
	return 0;
}
