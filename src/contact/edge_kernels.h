// SPDX-License-Identifier: MIT

// Eight edges against one, in polytope_edges.c once for each set of lanes (base/lanes.h).

LANE_INLINE brFloat8 LANE(edgeDot)(const brFloat8 v[3], brVec3 p)
{
	return v[0] * p.x + v[1] * p.y + v[2] * p.z;
}

// Arcs ab and cd on the unit sphere cross if c and d are on different sides of ab's plane, a and b of cd's, and both
// arcs are in one hemisphere. The planes of the arcs are those across the edges.
LANE_INLINE brInt8 LANE(edgeArcsCross)(const EdgeBlock* block, const EdgeOne* one)
{
	const brFloat8 zero = {0};
	brFloat8 ca = LANE(edgeDot)(block->edge, one->left), da = LANE(edgeDot)(block->edge, one->right);
	brFloat8 ad = LANE(edgeDot)(block->left, one->edge), bd = LANE(edgeDot)(block->right, one->edge);
	return LANE(brLess8)(ca * da, zero) & LANE(brLess8)(ad * bd, zero) & LANE(brMore8)(ca * bd, zero);
}

// What the directions across those edges that cross it part the two by. Returns which part them by more than `least`.
LANE_TARGET static uint32_t LANE(edgeCrosses)(const EdgeBlock* block, const EdgeOne* one, float least,
											  EdgeGaps* outGaps)
{
	brInt8 isAcross = LANE(edgeArcsCross)(block, one);
	if (LANE(brBits8)(isAcross) == 0)
	{
		return 0;
	}
	const brFloat8 zero = {0}, unit = zero + 1.0f;
	const brFloat8* e = block->edge;
	const brFloat8* p = block->corner;
	brVec3 f = one->edge, q = one->corner;
	brFloat8 x = e[1] * f.z - e[2] * f.y, y = e[2] * f.x - e[0] * f.z, z = e[0] * f.y - e[1] * f.x;
	brFloat8 lengthSq = x * x + y * y + z * z, longest = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
	// Of parallel ones faces answer.
	isAcross &= ~LANE(brLess8)(lengthSq, 1e-4f * longest * brDot(f, f));
	brFloat8 scale = unit / LANE(brRoot8)(lengthSq);
	x = scale * x, y = scale * y, z = scale * z;
	// Out of A, whose origin is inside.
	brFloat8 sign = BR_CHOOSE8(LANE(brLess8)(x * p[0] + y * p[1] + z * p[2], zero), -unit, unit);
	x = sign * x, y = sign * y, z = sign * z;
	outGaps->normal[0] = x, outGaps->normal[1] = y, outGaps->normal[2] = z;
	outGaps->separation = x * (q.x - p[0]) + y * (q.y - p[1]) + z * (q.z - p[2]);
	return LANE(brBits8)(isAcross & LANE(brMore8)(outGaps->separation, LANE(brSplat8)(least)));
}
