// SPDX-License-Identifier: MIT

// The winding numbers of as many points as a register holds floats, in surface_batch.c once for each set of lanes
// (base/lanes.h). The points are near each other, a point a lane. Groups are visited in the order in which one point
// alone would visit those that it needs, and children of a group are summed apart: the bits are those of treeWindingAt.

#define POINTS (LANE_BYTES / 4)
#define FLOATS LANE(brFloats)

LANE_TARGET static void LANE(treeWindings)(const brSurfaceTree* tree, const brDVec3* points, const uint32_t* order,
										   int32_t count, double* out)
{
	FLOATS qx = {0}, qy = {0}, qz = {0}, far[BR_TREE_ARITY] = {{0}};
	brAngleSum near[POINTS];
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 local = brSurfaceTree_ToLocal(tree, points[order[i]]);
		qx[i] = (float)local.x, qy[i] = (float)local.y, qz[i] = (float)local.z;
		near[i] = brMakeAngleSum();
	}
	struct
	{
		int32_t level, group;
		uint32_t active;
	} stack[BR_TREE_STACK];
	stack[0].level = tree->boxes.levelCount - 1, stack[0].group = 0, stack[0].active = (1u << count) - 1u;
	for (int32_t depth = 1; depth > 0;)
	{
		int32_t level = stack[--depth].level, group = stack[depth].group;
		uint32_t active = stack[depth].active;
		const brTreeMoments* m = &tree->moments[level][group];
		for (int32_t lane = 0; lane < BR_TREE_ARITY; ++lane)
		{
			FLOATS x = m->center[0][lane] - qx, y = m->center[1][lane] - qy, z = m->center[2][lane] - qz;
			FLOATS lengthSq = x * x + y * y + z * z;
			uint32_t isFar = LANE(brMoreFloats)(lengthSq, (FLOATS){0} + m->reachSq[lane]) & active,
					 isNear = active & ~isFar;
			if (isFar != 0)
			{
				FLOATS inv2 = 1.0f / lengthSq, inv3 = inv2 * (inv2 * LANE(brRootFloats)(lengthSq));
				FLOATS quadratic =
					x * (m->second[0][lane] * x + 2.0f * (m->second[3][lane] * y + m->second[4][lane] * z)) +
					y * (m->second[1][lane] * y + 2.0f * m->second[5][lane] * z) + m->second[2][lane] * z * z;
				FLOATS linear =
					m->normal[0][lane] * x + m->normal[1][lane] * y + m->normal[2][lane] * z + m->trace[lane];
				FLOATS value = (linear - 3.0f * quadratic * inv2) * inv3;
				far[lane] += LANE(brKeepFloats)(isFar, value);
			}
			if (isNear != 0 && level > 0)
			{
				stack[depth].level = level - 1, stack[depth].group = BR_TREE_ARITY * group + lane;
				stack[depth++].active = isNear;
				continue;
			}
			for (; isNear != 0; isNear &= isNear - 1)
			{
				int32_t i = __builtin_ctz(isNear);
				brAngleSum_AddTriangle(&near[i], tree->corners[BR_TREE_ARITY * group + lane], points[order[i]]);
			}
		}
	}
	for (int32_t i = 0; i < count; ++i)
	{
		double sum = 0.0;
		for (int k = 0; k < BR_TREE_ARITY; ++k)
		{
			sum += (double)far[k][i];
		}
		out[order[i]] = brAngleSum_Winding(&near[i]) + sum * (0.25 / BR_PI);
	}
}

#undef POINTS
#undef FLOATS
