// SPDX-License-Identifier: MIT

// The last stage of meshes.cl: contact points out of what points and edges said. And balls and capsules, which have no
// other.

// Spheres and capsules.
__kernel void brk_meshRounds(__global const brTouchQuery* queries, __global const char* shapes,
							 __global brTouchAnswer* answers, uint count)
{
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		const brTouchQuery query = queries[i];
		const BR_FAR brShape* a = meshShape(shapes, &query, 0);
		if (a->kind != br_shapeSphere && a->kind != br_shapeCapsule)
		{
			continue;
		}
		const brSolidQuery asked = meshAsked(&query);
		brTouch touches[BR_PAIR_MANIFOLDS];
		const int found =
			brCollideRound(a, meshShape(shapes, &query, 1), &query.pose, query.margin, asked.kept, touches);
		answers[i].count = found;
		for (int k = 0; k < (found > 0 ? found : 1); ++k)
		{
			answers[i].touches[k] = touches[k];
		}
	}
}

// Contact points from all that was found: a thread a pair.
__kernel void brk_meshFinish(__global const brTouchQuery* queries, __global const char* shapes,
							 __global const MeshState* states, __global const brMeshFound* founds,
							 __global const MeshEdgeAnswer* said, __global brTouchAnswer* answers, uint count)
{
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		if (states[i].isDone != 0)
		{
			continue;
		}
		const brTouchQuery query = queries[i];
		brMeshPair pair;
		meshTake(&pair, shapes, &query, &states[i]);
		brMeshFound found;
		meshNothing(&found);
		found.count = founds[i].count, found.insideCount = founds[i].insideCount;
		found.flank = founds[i].flank, found.edgesApart = founds[i].edgesApart;
		for (int k = 0; k < found.count; ++k)
		{
			found.candidates[k] = founds[i].candidates[k];
		}
		for (int k = 0; k < found.insideCount; ++k)
		{
			found.inside[k] = founds[i].inside[k];
		}
		for (int s = 0; s < 2; ++s)
		{
			for (int k = 0; k < states[i].edgeCounts[s]; ++k)
			{
				const MeshEdgeAnswer edge = said[(2 * i + (uint)s) * BR_MESH_MAX_EDGES + (uint)k];
				found.edgesApart = fminf(found.edgesApart, edge.apart);
				brMeshFound_Take(&found, &edge.verdict);
			}
		}
		brTouch touches[BR_PAIR_MANIFOLDS];
		const int made = meshFinish(&pair, &found, touches);
		answers[i].count = made;
		if (made == 0)
		{
			answers[i].touches[0].apart = fmaxf(meshApart(&pair, &found, states[i].most), meshBoxes(&pair));
		}
		for (int k = 0; k < made; ++k)
		{
			answers[i].touches[k] = touches[k];
		}
	}
}
