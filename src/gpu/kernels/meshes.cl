// SPDX-License-Identifier: MIT

// Where pairs of bodies touch of which one at least is a mesh or a surface. Everything is done by the CPU's own files
// (contact/collide_mesh.c and those it stands on) on shapes as they lie in the CPU's memory, so the points have the
// CPU's bits, if the device divides and takes roots as IEEE says.
//
// The CPU asks one point after the other and stops when it has seen enough. Here all points that it might ask about are
// asked at once, a thread each, and so are the edges; a thread a pair then goes through the answers in the CPU's order
// and takes what the CPU would have taken. Each stage is a kernel of its own: all in one are more than some compilers
// come to an end with, and need more memory of a thread's own than is quick.
//
// In this file `i` counts pairs of this launch; `2 i + s` is a side of one.

static bool meshIsPlane(const brMeshPair* pair)
{
	return pair->sides[0].shape->kind == br_shapeHalfSpace;
}

static void meshAnswerApart(__global brTouchAnswer* answer, __global MeshState* state, float apart)
{
	answer->count = 0;
	answer->touches[0].apart = apart;
	state->isDone = 1;
}

// Several small groups share the points of a side or the edges of a pair: each goes its own way, and threads that run
// in step wait for each other.
static int meshPlace(uint parts)
{
	return (int)(get_group_id(0) % parts * get_local_size(0) + get_local_id(0));
}

static int meshStride(uint parts)
{
	return (int)(parts * get_local_size(0));
}

// What boxes and hulls say.
__kernel void brk_meshBegin(__global const brTouchQuery* queries, __global const char* shapes,
							__global MeshState* states, __global brTouchAnswer* answers, uint count)
{
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		const brTouchQuery query = queries[i];
		const BR_FAR brShape* a = meshShape(shapes, &query, 0);
		__global MeshState* state = &states[i];
		state->isDone = a->kind == br_shapeSphere || a->kind == br_shapeCapsule;
		state->knownCounts[0] = state->knownCounts[1] = 0;
		state->edgeCounts[0] = state->edgeCounts[1] = 0;
		if (state->isDone)
		{
			continue;
		}
		brMeshPair pair;
		const brSolidQuery asked = meshAsked(&query);
		float apart;
		if (!meshBegin(&pair, a, meshShape(shapes, &query, 1), &query.pose, &asked, &apart))
		{
			meshAnswerApart(&answers[i], state, apart);
			continue;
		}
		for (int s = 0; s < 2; ++s)
		{
			state->planeCounts[s] = pair.sides[s].planeCount;
			for (int k = 0; k < pair.sides[s].planeCount; ++k)
			{
				state->planes[s][k] = pair.sides[s].planes[k];
			}
		}
	}
}

// Of eight points of a solid, or of one vertex of a box or hull, those that may be nearer than `limit`, by bits.
static uint meshFindBlock(brMeshScan* scan, int block, float limit)
{
	if (!scan->side->isConcave)
	{
		scan->block = block;
		scan->count = block + 1;
		return brMeshScan_Flat(scan, limit);
	}
	const uint bits =
		brSolid_PlaceBlock(&scan->side->solid, block, &scan->side->toOther, scan->box, scan->places);
	return bits != 0 ? bits & brMeshScan_FindBounds(scan, limit) : 0;
}

// Lists the points of each side that may be near the other, in their order: a group a side.
__kernel __attribute__((reqd_work_group_size(MESH_GROUP, 1, 1))) void
brk_meshPoints(__global const brTouchQuery* queries, __global const char* shapes, __global MeshState* states,
			   __global const uint* firsts, __global MeshKnown* known)
{
	__local uint counts[MESH_GROUP];
	const uint item = get_group_id(0), t = get_local_id(0);
	const int s = (int)(item % 2);
	__global MeshState* state = &states[item / 2];
	const brTouchQuery query = queries[item / 2];
	if (state->isDone != 0 || meshShape(shapes, &query, 0)->kind == br_shapeHalfSpace)
	{
		return;
	}
	brMeshPair pair;
	meshTake(&pair, shapes, &query, state);
	brMeshScan scan;
	brMeshScan_Start(&scan, &pair, s, meshReach(&pair, s));
	const brMeshSide* side = &pair.sides[s];
	const int blocks = side->isConcave ? side->solid.blockCount : side->shape->vertexCount;
	const float within = meshAskedWithin(&pair, scan.other, pair.margin);
	const float limit = side->isConcave ? fmaxf(within, pair.edgeOut + side->solid.maxReach) : within;
	uint total = 0;
	for (int first = 0; first < blocks; first += MESH_GROUP)
	{
		const int block = first + (int)t;
		uint bits = block < blocks ? meshFindBlock(&scan, block, limit) : 0;
		counts[t] = popcount(bits);
		barrier(CLK_LOCAL_MEM_FENCE);
		uint at = firsts[item] + total;
		for (uint k = 0; k < MESH_GROUP; ++k)
		{
			at += k < t ? counts[k] : 0;
			total += counts[k];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		for (; bits != 0; bits &= bits - 1)
		{
			const int lane = __builtin_ctz(bits);
			__global MeshKnown* out = &known[at++];
			out->point = side->isConcave ? BR_TRIANGLE_LANES * block + lane : block;
			out->least = scan.bounds.least[lane], out->most = scan.bounds.most[lane];
			out->hint = scan.bounds.hints[lane];
			out->place[0] = scan.places[0][lane], out->place[1] = scan.places[1][lane];
			out->place[2] = scan.places[2][lane];
		}
	}
	if (t == 0)
	{
		state->knownCounts[s] = (int)total;
		state->reaches[s] = fmaxf(within, 0.0f);
	}
}

// How far those points are from the other side: `parts` groups a side.
__kernel void brk_meshFields(__global const brTouchQuery* queries, __global const char* shapes,
							 __global const MeshState* states, __global const uint* firsts, __global MeshKnown* known,
							 uint parts)
{
	const uint item = get_group_id(0) / parts;
	const int s = (int)(item % 2), count = states[item / 2].knownCounts[s];
	if (states[item / 2].isDone != 0 || meshPlace(parts) >= count)
	{
		return;
	}
	const brTouchQuery query = queries[item / 2];
	brMeshPair pair;
	meshTake(&pair, shapes, &query, &states[item / 2]);
	const brMeshSide* other = &pair.sides[1 - s];
	const float reach = states[item / 2].reaches[s];
	for (int k = meshPlace(parts); k < count; k += meshStride(parts))
	{
		__global MeshKnown* at = &known[firsts[item] + (uint)k];
		const brVec3 p = brMakeVec3(at->place[0], at->place[1], at->place[2]);
		at->verdict.kind = br_meshNothing;
		at->triangle = -1;
		at->guess = other->isConcave ? brSolid_Guess(&other->solid, at->hint, p) : 0.0f;
		if (!(at->least < reach))
		{
			continue;
		}
		const brFieldBound bound = {at->least, at->most, at->hint};
		brFieldAnswer answer;
		bool isFace;
		float squared = 0.0f;
		if (other->isConcave)
		{
			at->triangle = brSolid_Search(&other->solid, p, reach, &bound, &squared);
			if (at->triangle < 0)
			{
				continue;
			}
			brSolid_AnswerAt(&other->solid, at->triangle, p, &answer);
			isFace = answer.feature == 0;
		}
		else
		{
			answer.distance = brPolytope_Field(other->shape, p, reach, &answer.direction, &isFace);
			at->triangle = 0;
		}
		at->squared = squared;
		at->distance = answer.distance;
		at->direction[0] = answer.direction.x, at->direction[1] = answer.direction.y;
		at->direction[2] = answer.direction.z;
		at->isFace = isFace;
	}
}

// What those that touch say about it: `parts` groups a side.
__kernel void brk_meshVisits(__global const brTouchQuery* queries, __global const char* shapes,
							 __global const MeshState* states, __global const uint* firsts, __global MeshKnown* known,
							 uint parts)
{
	const uint item = get_group_id(0) / parts;
	const int s = (int)(item % 2), count = states[item / 2].isDone != 0 ? 0 : states[item / 2].knownCounts[s];
	const float margin = queries[item / 2].margin;
	for (int k = meshPlace(parts); k < count; k += meshStride(parts))
	{
		__global MeshKnown* at = &known[firsts[item] + (uint)k];
		if (at->triangle >= 0 && at->distance < margin)
		{
			const brTouchQuery query = queries[item / 2];
			brMeshPair pair;
			meshTake(&pair, shapes, &query, &states[item / 2]);
			const brMeshAnswer answer = {
				at->distance, brMakeVec3(at->direction[0], at->direction[1], at->direction[2]), at->isFace != 0};
			at->verdict = brMeshPair_Visit(&pair, s, at->point, answer);
		}
	}
}

// Takes of a side's points what the CPU would take.
static void meshGatherKnown(const brMeshPair* pair, brMeshFound* found, int s, __global const MeshKnown* known,
							int count)
{
	MeshSource source = {.known = known, .count = count, .next = 0};
	brMeshScan_Start(&source.scan, pair, s, meshReach(pair, s));
	meshGather(pair, found, &source);
}

// Goes through all points of a pair, and lists its edges where they matter: a thread a pair.
__kernel void brk_meshGather(__global const brTouchQuery* queries, __global const char* shapes,
							 __global MeshState* states, __global const uint* firsts, __global const MeshKnown* known,
							 __global brMeshFound* founds, __global brMeshEdge* edges, __global brTouchAnswer* answers,
							 uint count)
{
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		__global MeshState* state = &states[i];
		if (state->isDone != 0)
		{
			continue;
		}
		const brTouchQuery query = queries[i];
		brMeshPair pair;
		meshTake(&pair, shapes, &query, state);
		brMeshFound found;
		meshNothing(&found);
		const int first = meshFirst(&pair);
		if (meshIsPlane(&pair))
		{
			meshGatherPlane(&pair, &found);
		}
		else
		{
			meshGatherKnown(&pair, &found, first, known + firsts[2 * i + first], state->knownCounts[first]);
		}
		float most = meshMost(&pair), apart;
		if (meshIsNothing(&found) && meshIsApart(&pair, &most, &apart))
		{
			meshAnswerApart(&answers[i], state, fmaxf(apart, meshBoxes(&pair)));
			continue;
		}
		state->most = most;
		if (!meshIsPlane(&pair))
		{
			const int second = 1 - first;
			meshGatherKnown(&pair, &found, second, known + firsts[2 * i + second], state->knownCounts[second]);
			found.edgesWithin = meshEdgesWithin(&pair, &found);
			for (int s = 0; s < 2; ++s)
			{
				state->edgeCounts[s] =
					brMeshPair_ListEdges(&pair, &found, s, edges + (2 * i + (uint)s) * BR_MESH_MAX_EDGES);
			}
		}
		__global brMeshFound* out = &founds[i];
		out->count = found.count, out->insideCount = found.insideCount;
		out->flank = found.flank, out->edgesApart = found.edgesApart;
		for (int k = 0; k < found.count; ++k)
		{
			out->candidates[k] = found.candidates[k];
		}
		for (int k = 0; k < found.insideCount; ++k)
		{
			out->inside[k] = found.inside[k];
		}
	}
}

// What edges say: `parts` groups a pair.
__kernel void brk_meshEdges(__global const brTouchQuery* queries, __global const char* shapes, __global const MeshState* states,
			  __global const brMeshEdge* edges, __global MeshEdgeAnswer* said, uint parts)
{
	const uint i = get_group_id(0) / parts;
	const int count = states[i].edgeCounts[0] + states[i].edgeCounts[1];
	if (states[i].isDone != 0 || meshPlace(parts) >= count)
	{
		return;
	}
	const brTouchQuery query = queries[i];
	brMeshPair pair;
	meshTake(&pair, shapes, &query, &states[i]);
	for (int k = meshPlace(parts); k < count; k += meshStride(parts))
	{
		const int s = k < states[i].edgeCounts[0] ? 0 : 1;
		const uint at = (2 * i + (uint)s) * BR_MESH_MAX_EDGES + (uint)(s == 0 ? k : k - states[i].edgeCounts[0]);
		const brMeshEdge edge = edges[at];
		float apart = INFINITY;
		said[at].verdict = brMeshPair_TryEdge(&pair, s, &edge, &apart);
		said[at].apart = apart;
	}
}
