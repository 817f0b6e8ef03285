// SPDX-License-Identifier: MIT

// The solver's passes over the blocks of a world that lives on the CPU: a thread a contact, or a body. The arithmetic
// is that of the CPU's files, compiled here with lanes of one, so its bits are too, if the device divides and takes
// roots as IEEE says.
//
// Contacts of a color share no body that moves. Where there are few contacts one group makes all passes of a list, with
// barriers between colors; where there are many, each color is a launch.

// brSolverPass of dynamics.h.
#define BLOCKS_FIRST_FORCES 0u
#define BLOCKS_FORCES 1u
#define BLOCKS_MOVE 2u
#define BLOCKS_WARM 3u
#define BLOCKS_HITS 4u
#define BLOCKS_BIASED 5u
#define BLOCKS_RELAX 6u

#ifdef BR_PROCESSOR
#define BLOCKS_GROUP 1
#else
#define BLOCKS_GROUP 512
#endif

#define BLOCKS_KEPT 20 // numbers of a contact that passes change

typedef struct BlocksTime
{
	float h, ahead, invH; // ahead: the way in which hits are looked for, as a time
	uint stateCount;
} BlocksTime;

// Blocks of one color; the last may hold what fits none, one contact a block, to be solved in order.
typedef struct BlocksRange
{
	int begin, end, isSerial;
} BlocksRange;

static void blocksBody(__global brSolverState* states, __global brSolverBody* bodies, __global const brSolverAxes* axes,
					   const BlocksTime* time, uint pass, uint i)
{
	brSolverBody body = bodies[i];
	if (pass == BLOCKS_MOVE)
	{
		brSolver_Move(&states[i], &body, time->h);
	}
	else
	{
		brSolverAxes a = axes[i];
		brSolver_Force(&states[i], &body, &a, time->h, pass == BLOCKS_FIRST_FORCES);
	}
	bodies[i] = body;
}

#define BLOCKS_AT(field) (((__global float*)&from->field)[lane])
#define BLOCKS_LOAD(field) block.field = BLOCKS_AT(field)
#define BLOCKS_LOAD3(field) BLOCKS_LOAD(field[0]), BLOCKS_LOAD(field[1]), BLOCKS_LOAD(field[2])
#define BLOCKS_STORE(field) BLOCKS_AT(field) = block.field

static void blocksContact(__global GpuContactBlock* blocks, __global brSolverState* states, __global uint* hits,
						  const BlocksTime* time, uint pass, uint index)
{
	const uint lane = index % 8;
	__global GpuContactBlock* from = &blocks[index / 8];
	if (from->manifold[lane] < 0)
	{
		return;
	}
	brContactBlock block;
	block.stateA[0] = from->stateA[lane], block.stateB[0] = from->stateB[lane];
	block.writesA[0] = from->writesA[lane], block.writesB[0] = from->writesB[lane];
	block.pointCount = from->pointCount;
	block.hasRolling = from->hasRolling, block.hasBounce = from->hasBounce;
	BLOCKS_LOAD3(normal);
	for (int k = 0; k < block.pointCount; ++k)
	{
		BLOCKS_LOAD3(points[k].anchorA);
		BLOCKS_LOAD3(points[k].anchorB);
		BLOCKS_LOAD(points[k].separation);
		BLOCKS_LOAD(points[k].mass);
		BLOCKS_LOAD(points[k].impulse);
	}
	if (pass == BLOCKS_HITS)
	{
		BLOCKS_LOAD(bounceSpeed);
		solverFindHits(&block, 1, states, time->ahead);
		if (block.hits != 0)
		{
			atomic_or(&hits[1 + index / 8], 1u << lane);
			atomic_inc(&hits[0]);
		}
		return;
	}
	BLOCKS_LOAD(invMassA), BLOCKS_LOAD(invMassB);
	for (int k = 0; k < 6; ++k)
	{
		BLOCKS_LOAD(invInertiaA[k]), BLOCKS_LOAD(invInertiaB[k]);
	}
	BLOCKS_LOAD3(tangent);
	BLOCKS_LOAD3(centerA);
	BLOCKS_LOAD3(centerB);
	BLOCKS_LOAD(tangentImpulse[0]), BLOCKS_LOAD(tangentImpulse[1]);
	if (pass == BLOCKS_BIASED)
	{
		BLOCKS_LOAD(rate), BLOCKS_LOAD(massScale), BLOCKS_LOAD(impulseScale), BLOCKS_LOAD(push), BLOCKS_LOAD(friction);
		solverSolveBiased(&block, 1, states, time->invH);
		for (int k = 0; k < block.pointCount; ++k)
		{
			BLOCKS_STORE(points[k].impulse);
		}
		BLOCKS_STORE(tangentImpulse[0]), BLOCKS_STORE(tangentImpulse[1]);
		return;
	}
	BLOCKS_LOAD(twistImpulse);
	BLOCKS_LOAD3(rollingImpulse);
	if (pass == BLOCKS_WARM)
	{
		solverWarmStart(&block, 1, states);
		return;
	}
	BLOCKS_LOAD(friction), BLOCKS_LOAD(rolling), BLOCKS_LOAD(twistMass), BLOCKS_LOAD(push);
	BLOCKS_LOAD3(tangentMass);
	BLOCKS_LOAD3(rollingTotal);
	BLOCKS_LOAD(tangentTotal[0]), BLOCKS_LOAD(tangentTotal[1]), BLOCKS_LOAD(twistTotal);
	for (int k = 0; k < block.pointCount; ++k)
	{
		BLOCKS_LOAD(points[k].total), BLOCKS_LOAD(points[k].lever);
	}
	solverRelax(&block, 1, states, time->invH);
	for (int k = 0; k < block.pointCount; ++k)
	{
		BLOCKS_STORE(points[k].impulse), BLOCKS_STORE(points[k].total);
	}
	BLOCKS_STORE(tangentImpulse[0]), BLOCKS_STORE(tangentImpulse[1]), BLOCKS_STORE(twistImpulse);
	BLOCKS_STORE(tangentTotal[0]), BLOCKS_STORE(tangentTotal[1]), BLOCKS_STORE(twistTotal);
	for (int k = 0; k < 3; ++k)
	{
		BLOCKS_STORE(rollingImpulse[k]), BLOCKS_STORE(rollingTotal[k]);
	}
}

// One pass over all bodies.
__kernel void brk_blocksBodies(__global const BlocksTime* times, __global brSolverState* states,
							   __global brSolverBody* bodies, __global const brSolverAxes* axes, uint pass)
{
	const BlocksTime time = *times;
	for (uint i = get_global_id(0); i < time.stateCount; i += get_global_size(0))
	{
		blocksBody(states, bodies, axes, &time, pass, i);
	}
}

// One pass over the contacts of a color.
__kernel void brk_blocksColor(__global const BlocksTime* times, __global GpuContactBlock* blocks,
							  __global brSolverState* states, __global uint* hits, uint pass, uint begin, uint end)
{
	const BlocksTime time = *times;
	for (uint i = 8 * begin + get_global_id(0); i < 8 * end; i += get_global_size(0))
	{
		blocksContact(blocks, states, hits, &time, pass, i);
	}
}

// A list of passes by one group: over bodies, and over the colors of `ranges`.
__kernel __attribute__((reqd_work_group_size(BLOCKS_GROUP, 1, 1))) void
brk_blocksPasses(__global const BlocksTime* times, __global GpuContactBlock* blocks, __global brSolverState* states,
				 __global brSolverBody* bodies, __global const brSolverAxes* axes, __global uint* hits,
				 __global const BlocksRange* ranges, uint firstRange, uint endRange, __global const uint* passes,
				 uint firstPass, uint endPass)
{
	const BlocksTime time = *times;
	const uint t = get_local_id(0);
	for (uint p = firstPass; p < endPass; ++p)
	{
		const uint pass = passes[p];
		if (pass <= BLOCKS_MOVE)
		{
			for (uint i = t; i < time.stateCount; i += BLOCKS_GROUP)
			{
				blocksBody(states, bodies, axes, &time, pass, i);
			}
			barrier(CLK_GLOBAL_MEM_FENCE);
			continue;
		}
		for (uint r = firstRange; r < endRange; ++r)
		{
			const BlocksRange range = ranges[r];
			const uint begin = 8u * (uint)range.begin, end = 8u * (uint)range.end;
			const uint stride = range.isSerial ? 8u : BLOCKS_GROUP; // a block has one contact there, the first
			for (uint i = range.isSerial && t > 0 ? end : begin + t; i < end; i += stride)
			{
				blocksContact(blocks, states, hits, &time, pass, i);
			}
			barrier(CLK_GLOBAL_MEM_FENCE);
		}
	}
}

// What passes change, close together for the way to the host and back: number k of contact c of block b is kept[160 b +
// 8 k + c].
#define BLOCKS_COPY(n, field)                                                                                          \
	do                                                                                                                 \
	{                                                                                                                  \
		if (isBack != 0)                                                                                               \
		{                                                                                                              \
			BLOCKS_AT(field) = at[8 * (n)];                                                                            \
		}                                                                                                              \
		else                                                                                                           \
		{                                                                                                              \
			at[8 * (n)] = BLOCKS_AT(field);                                                                            \
		}                                                                                                              \
	} while (0)

__kernel void brk_blocksKeep(__global GpuContactBlock* blocks, __global float* kept, uint count, uint isBack)
{
	for (uint i = get_global_id(0); i < 8 * count; i += get_global_size(0))
	{
		const uint lane = i % 8;
		__global GpuContactBlock* from = &blocks[i / 8];
		__global float* at = &kept[8 * BLOCKS_KEPT * (i / 8) + lane];
		for (int k = 0; k < 4; ++k)
		{
			BLOCKS_COPY(2 * k, points[k].impulse);
			BLOCKS_COPY(2 * k + 1, points[k].total);
		}
		BLOCKS_COPY(10, twistImpulse);
		BLOCKS_COPY(16, twistTotal);
		for (int k = 0; k < 2; ++k)
		{
			BLOCKS_COPY(8 + k, tangentImpulse[k]);
			BLOCKS_COPY(14 + k, tangentTotal[k]);
		}
		for (int k = 0; k < 3; ++k)
		{
			BLOCKS_COPY(11 + k, rollingImpulse[k]);
			BLOCKS_COPY(17 + k, rollingTotal[k]);
		}
	}
}
