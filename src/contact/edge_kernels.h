// SPDX-License-Identifier: MIT

// Eight edges against one, in polytope_edges.c once for each set of lanes (base/lanes.h).

LANE_INLINE brFloat8 LANE(edgeDot)(const brFloat8 v[3], brVec3 p)
{
	return v[0] * p.x + v[1] * p.y + v[2] * p.z;
}

// Arcs ab and cd on the unit sphere cross if c and d are on different sides of ab's plane, a and b of cd's, and both arcs are in one
// hemisphere. The planes of the arcs are those across the edges.
LANE_TARGET static uint32_t LANE(edgeCrosses)(const EdgeBlock* block, brVec3 c, brVec3 d, brVec3 edge)
{
	const brFloat8 zero = {0};
	brFloat8 ca = LANE(edgeDot)(block->edge, c), da = LANE(edgeDot)(block->edge, d);
	brFloat8 ad = LANE(edgeDot)(block->left, edge), bd = LANE(edgeDot)(block->right, edge);
	return LANE(brBits8)(LANE(brLess8)(ca * da, zero) & LANE(brLess8)(ad * bd, zero) & LANE(brMore8)(ca * bd, zero));
}
