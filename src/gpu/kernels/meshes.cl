// SPDX-License-Identifier: MIT

// Where pairs of bodies touch of which one at least is a mesh or a surface: a thread a pair. Everything is done by the CPU's own files
// (contact/collide_mesh.c and those it stands on) on shapes as they lie in the CPU's memory, so the points have the CPU's bits, if the device
// divides and takes roots as IEEE says.

__kernel void brk_meshTouches(__global const brTouchQuery* queries, __global const char* shapes,
							  __global brTouchAnswer* answers, uint count)
{
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		brTouchQuery query = queries[i];
		const BR_FAR brShape* a = (const BR_FAR brShape*)(shapes + query.shapes[0]);
		const BR_FAR brShape* b = (const BR_FAR brShape*)(shapes + query.shapes[1]);
		const brKeptTouches* kept = query.isKept ? &query.kept : NULL;
		brSolidQuery asked = {query.margin, query.isRolling != 0, query.isSliding != 0, kept};
		brTouch touches[BR_PAIR_MANIFOLDS];
		touches[0].count = 0;
		touches[0].apart = -INFINITY;
		touches[0].normal = brMakeVec3(0.0f, 0.0f, 1.0f);
		bool isRound = a->kind == br_shapeSphere || a->kind == br_shapeCapsule;
		int found = isRound ? brCollideRound(a, b, &query.pose, query.margin, kept, touches)
							: brCollideSolid(a, b, &query.pose, &asked, touches);
		answers[i].count = found;
		for (int k = 0; k < (found > 0 ? found : 1); ++k)
		{
			answers[i].touches[k] = touches[k];
		}
	}
}
