// SPDX-License-Identifier: MIT

// Read by test_box_tree.c once for each set of lanes.

LANE_TARGET static bool LANE(walkOverlaps)(const brBoxTree* tree, const float lower[3], const float upper[3],
										   brOverlapFcn* visit, void* user)
{
	return LANE(brWalkOverlaps)(tree, lower, upper, visit, user);
}

static double LANE(lastLimit);
static brLimitFcn* LANE(limitFcn);

static double LANE(keepLimit)(int32_t box, double limit, void* user)
{
	LANE(lastLimit) = LANE(limitFcn)(box, limit, user);
	return LANE(lastLimit);
}

LANE_TARGET static double LANE(walkNear)(const brBoxTree* tree, const float point[3], brLimitFcn* visit, void* user)
{
	LANE(lastLimit) = INFINITY, LANE(limitFcn) = visit;
	LANE(brWalkNear)(tree, point, 1.0, INFINITY, LANE(keepLimit), user);
	return LANE(lastLimit);
}

LANE_TARGET static double LANE(walkSegment)(const brBoxTree* tree, const brTreeSegment* segment, brLimitFcn* visit,
											void* user)
{
	LANE(lastLimit) = 1.0, LANE(limitFcn) = visit;
	LANE(brWalkSegment)(tree, segment, LANE(keepLimit), user);
	return LANE(lastLimit);
}
