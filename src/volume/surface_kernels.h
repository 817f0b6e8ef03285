// SPDX-License-Identifier: MIT

// The queries themselves, in surface_query.c once for each set of lanes (base/lanes.h).

// Winding number

LANE_TARGET static double LANE(treeWindingAt)(const brSurfaceTree* tree, brDVec3 point)
{
	brDVec3 local = brSurfaceTree_ToLocal(tree, point);
	float qx = (float)local.x, qy = (float)local.y, qz = (float)local.z;
	brFloat8 far = SPLAT(0.0f);
	brAngleSum near = brMakeAngleSum();
	TreePlace stack[BR_TREE_STACK];
	int32_t depth = 0;
	stack[depth++] = (TreePlace){tree->boxes.levelCount - 1, 0};
	while (depth > 0)
	{
		TreePlace place = stack[--depth];
		const brTreeMoments* m = &tree->moments[place.level][place.group];
		brFloat8 x = m->center[0] - SPLAT(qx), y = m->center[1] - SPLAT(qy), z = m->center[2] - SPLAT(qz);
		brFloat8 lengthSq = x * x + y * y + z * z;
		brInt8 isFar = LANE(brMore8)(lengthSq, m->reachSq);
		uint32_t nearBits = ~LANE(brBits8)(isFar) & 0xFFu;
		brFloat8 inv2 = SPLAT(1.0f) / lengthSq, inv3 = inv2 * (inv2 * LANE(brRoot8)(lengthSq));
		brFloat8 quadratic = x * (m->second[0] * x + SPLAT(2.0f) * (m->second[3] * y + m->second[4] * z)) +
							 y * (m->second[1] * y + SPLAT(2.0f) * m->second[5] * z) + m->second[2] * z * z;
		brFloat8 linear = m->normal[0] * x + m->normal[1] * y + m->normal[2] * z + m->trace;
		brFloat8 value = (linear - SPLAT(3.0f) * quadratic * inv2) * inv3;
		far += (brFloat8)(isFar & (brInt8)value);
		for (; nearBits != 0; nearBits &= nearBits - 1)
		{
			int32_t child = BR_TREE_ARITY * place.group + __builtin_ctz(nearBits);
			if (place.level > 0)
			{
				stack[depth++] = (TreePlace){place.level - 1, child};
			}
			else
			{
				brAngleSum_AddTriangle(&near, tree->corners[child], point);
			}
		}
	}
	double sum = 0.0;
	for (int i = 0; i < BR_TREE_ARITY; ++i)
	{
		sum += (double)far[i];
	}
	return brAngleSum_Winding(&near) + sum * (0.25 / BR_PI);
}

// Nearest points and lines

LANE_TARGET static void LANE(treeNear)(const brSurfaceTree* tree, brDVec3 point, double limitSq, brLimitFcn* visit,
									   void* user)
{
	brDVec3 local = brSurfaceTree_ToLocal(tree, point);
	const float q[3] = {(float)local.x, (float)local.y, (float)local.z};
	LANE(brWalkNear)(&tree->boxes, q, tree->scale, limitSq, visit, user);
}

LANE_TARGET static void LANE(treeClosest)(ClosestQuery* query, double limitSq)
{
	const brSurfaceTree* tree = query->tree;
	brDVec3 local = brSurfaceTree_ToLocal(tree, query->point);
	const float q[3] = {(float)local.x, (float)local.y, (float)local.z};
	LANE(brWalkNear)(&tree->boxes, q, tree->scale, limitSq, closestVisit, query);
}

LANE_TARGET static void LANE(treeSegment)(const brSurfaceTree* tree, const brTreeSegment* segment, brLimitFcn* visit,
										  void* user)
{
	LANE(brWalkSegment)(&tree->boxes, segment, visit, user);
}

LANE_TARGET static void LANE(treeCrossings)(CrossingQuery* query, const float lower[3], const float upper[3])
{
	LANE(brWalkOverlaps)(&query->tree->boxes, lower, upper, crossingVisit, query);
}

LANE_TARGET static void LANE(treeTouches)(TetQuery* query, const float lower[3], const float upper[3])
{
	LANE(brWalkOverlaps)(&query->tree->boxes, lower, upper, tetVisit, query);
}
