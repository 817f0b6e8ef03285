// SPDX-License-Identifier: MIT

// Conjugate gradients over a hierarchy of levels: src/elastic/elastic_solve.c, hierarchy.c, level.c and block_matrix.c
// as kernels. Each sum runs in the order it has there, so the numbers have the same bits; what runs side by side are
// rows, never the parts of one sum. A row of a block takes a thread.
//
// Sums over all rows are sums over blocks of 512 rows, in order. Products are made side by side into local memory and
// added up by one thread, which takes some microseconds.
//
// The iteration keeps its numbers in ElasticState. Once it is over, launches that are still under way find that there
// and do nothing, so the host asks every few iterations only.

#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Threads of a group; kernels work with any number of them. A processor has no use for many, and its compilers are at a
// loss with barriers in loops.
#ifdef BR_PROCESSOR
#define ELASTIC_GROUP 1
#define ELASTIC_TILE_GROUP 1
#define ELASTIC_SUM_GROUP 1
#define ELASTIC_SUMS 6 // of an aggregate that a thread adds up
#define ELASTIC_SYNC
#define ELASTIC_SYNC_ALL
#else
#define ELASTIC_GROUP 256
#define ELASTIC_TILE_GROUP 192
#define ELASTIC_SUM_GROUP 64
#define ELASTIC_SUMS 1
#define ELASTIC_SYNC barrier(CLK_LOCAL_MEM_FENCE)
#define ELASTIC_SYNC_ALL barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

#define ELASTIC_TILE 192    // numbers of whole nodes, of three or six
#define ELASTIC_BLOCK 512   // BR_VECTOR_BLOCK
#define ELASTIC_ENTRIES 32  // nodes of an aggregate at a time
#define ELASTIC_DENSE 768   // numbers of the last level, at most; a few more are room for whole steps of four
#define ELASTIC_CHUNK 1024  // sums at a time
#define ELASTIC_KEPT 400    // BR_SOLVE_COEFFICIENTS

#define ELASTIC_RUNS 0
#define ELASTIC_THERE 1
#define ELASTIC_STUCK 2

typedef struct ElasticState
{
	double size, limit;              // of the residual
	double matrixScale, valuesScale; // of the finest level's matrix; of what comes out of the hierarchy
	double zr, alpha, beta;
	int status, count;
} ElasticState;

// A row of the matrix times x, for nodes of three and of six; `k` is the number in the node.
static float elasticRow3(__global const int* starts, __global const int* columns, __global const int* firsts,
						 __global const float* blocks, __global const float* x, uint row, uint k)
{
	float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f;
	__global const float* block = blocks + 9 * (size_t)firsts[row] + k;
	for (int i = starts[row]; i < starts[row + 1]; ++i, block += 9)
	{
		__global const float* v = x + 3 * (size_t)columns[i];
		s0 += block[0] * v[0];
		s1 += block[3] * v[1];
		s2 += block[6] * v[2];
	}
	return (s0 + s1) + s2;
}

static float elasticRow6(__global const int* starts, __global const int* columns, __global const int* firsts,
						 __global const float* blocks, __global const float* x, uint row, uint k)
{
	float sum = 0.0f;
	__global const float* block = blocks + 36 * (size_t)firsts[row] + k;
	for (int i = starts[row]; i < starts[row + 1]; ++i, block += 36)
	{
		__global const float* v = x + 6 * (size_t)columns[i];
		float s0 = block[0] * v[0], s1 = block[6] * v[1];
		s0 += block[12] * v[2];
		s1 += block[18] * v[3];
		s0 += block[24] * v[4];
		s1 += block[30] * v[5];
		sum += s0 + s1;
	}
	return sum;
}

static float elasticRow(__global const int* starts, __global const int* columns, __global const int* firsts,
						__global const float* blocks, __global const float* x, uint size, uint i)
{
	return size == 3 ? elasticRow3(starts, columns, firsts, blocks, x, i / 3, i % 3)
					 : elasticRow6(starts, columns, firsts, blocks, x, i / 6, i % 6);
}

// load = r / |r|, in float.
__kernel void brk_elasticRound(__global const ElasticState* state, __global const double* r, __global float* load,
							   uint length)
{
	if (state->status != ELASTIC_RUNS)
	{
		return;
	}
	const double scale = 1.0 / state->size;
	for (uint i = get_global_id(0); i < length; i += get_global_size(0))
	{
		load[i] = (float)(scale * r[i]);
	}
}

// out = x + weight D^-1 (load - A x); x may be zero, whatever lies there. A group has ELASTIC_TILE numbers of whole
// nodes.
__kernel __attribute__((reqd_work_group_size(ELASTIC_TILE_GROUP, 1, 1))) void
brk_elasticSmooth(__global const ElasticState* state, __global const int* starts, __global const int* columns,
				  __global const int* firsts, __global const float* blocks, __global const float* inverses,
				  __global const float* load, __global const float* x, __global float* out, float weight, uint size,
				  uint length, uint isZero)
{
	__local float residual[ELASTIC_TILE];
	if (state->status != ELASTIC_RUNS)
	{
		return;
	}
	const uint first = get_group_id(0) * ELASTIC_TILE;
	for (uint t = get_local_id(0); t < ELASTIC_TILE && first + t < length; t += ELASTIC_TILE_GROUP)
	{
		const uint i = first + t;
		float r = load[i];
		if (isZero == 0)
		{
			r -= elasticRow(starts, columns, firsts, blocks, x, size, i);
		}
		residual[t] = r;
	}
	ELASTIC_SYNC;
	for (uint t = get_local_id(0); t < ELASTIC_TILE && first + t < length; t += ELASTIC_TILE_GROUP)
	{
		const uint i = first + t, k = t % size;
		__global const float* block = inverses + (size_t)size * (i - k) + k;
		__local const float* r = residual + (t - k);
		if (size == 3)
		{
			const float step = ((block[0] * r[0] + block[3] * r[1]) + block[6] * r[2]) * weight;
			out[i] = isZero == 0 ? step + x[i] : step;
		}
		else
		{
			float s0 = block[0] * r[0], s1 = block[6] * r[1];
			s0 += block[12] * r[2];
			s1 += block[18] * r[3];
			s0 += block[24] * r[4];
			s1 += block[30] * r[5];
			out[i] = (isZero == 0 ? x[i] : 0.0f) + weight * (s0 + s1);
		}
	}
}

// out = load - A x.
__kernel void brk_elasticResidual(__global const ElasticState* state, __global const int* starts,
								  __global const int* columns, __global const int* firsts,
								  __global const float* blocks, __global const float* load, __global const float* x,
								  __global float* out, uint size, uint length)
{
	if (state->status != ELASTIC_RUNS)
	{
		return;
	}
	for (uint i = get_global_id(0); i < length; i += get_global_size(0))
	{
		out[i] = load[i] - elasticRow(starts, columns, firsts, blocks, x, size, i);
	}
}

// coarse = P^T residual, a group for each aggregate. Its nodes come in rising order, in ranges that have a sum each.
// Products are made side by side, a number of nodes at a time, and six threads add them up, or one all six; they keep
// the sums to themselves.
__kernel __attribute__((reqd_work_group_size(ELASTIC_SUM_GROUP, 1, 1))) void
brk_elasticRestrict(__global const ElasticState* state, __global const int* starts, __global const int* nodes,
					__global const int* ups, __global const float* blocks, __global const float* residual,
					__global float* coarse, uint size, uint rangeRows)
{
	__local float products[6 * (6 * ELASTIC_ENTRIES + 1)];
	__local int ranges[ELASTIC_ENTRIES];
	float all[ELASTIC_SUMS], sums[ELASTIC_SUMS];
	int last = 0;
	if (state->status != ELASTIC_RUNS)
	{
		return;
	}
	const uint stride = 6 * ELASTIC_ENTRIES + 1; // lanes lie in different banks
	const int begin = starts[get_group_id(0)], end = starts[get_group_id(0) + 1];
	for (uint own = 0; own < ELASTIC_SUMS; ++own)
	{
		all[own] = 0.0f, sums[own] = 0.0f;
	}
	for (int first = begin; first < end; first += ELASTIC_ENTRIES)
	{
		const uint count = (uint)min(end - first, ELASTIC_ENTRIES);
		for (uint t = get_local_id(0); t < 6 * count; t += ELASTIC_SUM_GROUP)
		{
			const uint entry = t / 6, lane = t % 6;
			const int node = nodes[first + (int)entry];
			__global const float* block = blocks + 6 * size * (size_t)ups[first + (int)entry] + lane;
			__global const float* r = residual + size * (size_t)node;
			for (uint k = 0; k < size; ++k)
			{
				products[lane * stride + entry * size + k] = block[6 * k] * r[k];
			}
			if (lane == 0)
			{
				ranges[entry] = node / (int)rangeRows;
			}
		}
		ELASTIC_SYNC;
		for (uint entry = 0; entry < count && get_local_id(0) < 6; ++entry)
		{
			const int range = ranges[entry];
			for (uint own = 0; own < ELASTIC_SUMS; ++own)
			{
				__local const float* mine = products + (get_local_id(0) + own) * stride + entry * size;
				all[own] = range != last ? all[own] + sums[own] : all[own];
				sums[own] = range != last ? 0.0f : sums[own];
				for (uint k = 0; k < size; ++k)
				{
					sums[own] += mine[k];
				}
			}
			last = range;
		}
		ELASTIC_SYNC;
	}
	for (uint own = 0; own < ELASTIC_SUMS && get_local_id(0) < 6; ++own)
	{
		coarse[6 * get_group_id(0) + get_local_id(0) + own] = all[own] + sums[own];
	}
}

// fine += P coarse.
__kernel void brk_elasticProlong(__global const ElasticState* state, __global const int* starts,
								 __global const int* columns, __global const float* blocks,
								 __global const float* coarse, __global float* fine, uint size, uint length)
{
	if (state->status != ELASTIC_RUNS)
	{
		return;
	}
	for (uint i = get_global_id(0); i < length; i += get_global_size(0))
	{
		const uint row = i / size, k = i % size;
		float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f, s4 = 0.0f, s5 = 0.0f;
		for (int j = starts[row]; j < starts[row + 1]; ++j)
		{
			__global const float* block = blocks + 6 * (size * (size_t)j + k);
			__global const float* v = coarse + 6 * (size_t)columns[j];
			s0 += block[0] * v[0];
			s1 += block[1] * v[1];
			s2 += block[2] * v[2];
			s3 += block[3] * v[3];
			s4 += block[4] * v[4];
			s5 += block[5] * v[5];
		}
		fine[i] += ((s0 + s1) + (s2 + s3)) + (s4 + s5);
	}
}

#ifdef BR_PROCESSOR

// As below, by one thread. PoCL 3.1 makes something else of the loop below.
static void elasticSweep(__global const double* rows, __local double* v, __local double* w, uint n)
{
	for (uint i = 0; i < n; ++i)
	{
		const double solved = v[i] * rows[(size_t)i * n + i];
		for (uint k = i + 1; k < n; ++k)
		{
			v[k] -= rows[(size_t)i * n + k] * solved;
		}
		w[i] = solved;
	}
}

#else

// Number i is solved for, and comes off those after it. `entry` is what row i has at this thread's own number.
static void elasticSolveOne(__global const double* rows, __local double* v, __local double* w, uint n, uint i,
							double entry, double inverse)
{
	const uint t = get_local_id(0);
	ELASTIC_SYNC;
	const double solved = v[i] * inverse;
	if (t > i && t < n)
	{
		v[t] -= entry * solved;
	}
	for (uint k = t + ELASTIC_GROUP; k < n; k += ELASTIC_GROUP)
	{
		if (k > i)
		{
			v[k] -= rows[(size_t)i * n + k] * solved;
		}
	}
	if (t == 0)
	{
		w[i] = solved;
	}
}

static double elasticAt(__global const double* rows, uint n, uint i, uint k)
{
	return i < n && k < n ? rows[(size_t)i * n + k] : 0.0;
}

// Solves with a triangular matrix of which row i has the inverse of its diagonal at i and what comes off the numbers
// after it, as one group: w = M^-1 v. Its rows do not depend on what is solved, so they are read four steps ahead.
static void elasticSweep(__global const double* rows, __local double* v, __local double* w, uint n)
{
	const uint t = get_local_id(0);
	double4 ahead = (double4)(elasticAt(rows, n, 0, t), elasticAt(rows, n, 1, t), elasticAt(rows, n, 2, t),
							  elasticAt(rows, n, 3, t));
	double4 inverses = (double4)(elasticAt(rows, n, 0, 0), elasticAt(rows, n, 1, 1), elasticAt(rows, n, 2, 2),
								 elasticAt(rows, n, 3, 3));
	for (uint i = 0; i < n; i += 4)
	{
		const double4 now = ahead, inverse = inverses;
		ahead = (double4)(elasticAt(rows, n, i + 4, t), elasticAt(rows, n, i + 5, t), elasticAt(rows, n, i + 6, t),
						  elasticAt(rows, n, i + 7, t));
		inverses = (double4)(elasticAt(rows, n, i + 4, i + 4), elasticAt(rows, n, i + 5, i + 5),
							 elasticAt(rows, n, i + 6, i + 6), elasticAt(rows, n, i + 7, i + 7));
		elasticSolveOne(rows, v, w, n, i, now.s0, inverse.s0);
		elasticSolveOne(rows, v, w, n, i + 1, now.s1, inverse.s1);
		elasticSolveOne(rows, v, w, n, i + 2, now.s2, inverse.s2);
		elasticSolveOne(rows, v, w, n, i + 3, now.s3, inverse.s3);
	}
	ELASTIC_SYNC;
}

#endif

// The last level by its Cholesky factor, one group: `factor` by columns, then its transpose with numbers counted from
// the end.
__kernel __attribute__((reqd_work_group_size(ELASTIC_GROUP, 1, 1))) void
brk_elasticDense(__global const ElasticState* state, __global const double* factor, __global const float* load,
				 __global float* out, uint n)
{
	__local double v[ELASTIC_DENSE + 4], w[ELASTIC_DENSE + 4];
	if (state->status != ELASTIC_RUNS)
	{
		return;
	}
	for (uint k = get_local_id(0); k < n + 4; k += ELASTIC_GROUP)
	{
		v[k] = k < n ? load[k] : 0.0;
	}
	elasticSweep(factor, v, w, n);
	for (uint k = get_local_id(0); k < n; k += ELASTIC_GROUP)
	{
		v[k] = w[n - 1 - k];
	}
	ELASTIC_SYNC;
	elasticSweep(factor + (size_t)n * n, v, w, n);
	for (uint k = get_local_id(0); k < n; k += ELASTIC_GROUP)
	{
		out[k] = (float)w[n - 1 - k];
	}
}

// Sum of `count` numbers in local memory, in order.
static double elasticAdd(__local const double* from, uint count)
{
	double sum = 0.0;
	for (uint i = 0; i < count; ++i)
	{
		sum += from[i];
	}
	return sum;
}

// Lists a little longer than a block lie in different banks.
#define ELASTIC_LIST (ELASTIC_BLOCK + 1)

// z from what the hierarchy gave, zero on held axes, and z . r and z . q of each block of rows.
__kernel __attribute__((reqd_work_group_size(ELASTIC_GROUP, 1, 1))) void
brk_elasticProducts(__global const ElasticState* state, __global const float* x, __global const uchar* held,
					__global const double* r, __global const double* q, __global double* z, __global double* sums,
					uint rows)
{
	__local double lists[6 * ELASTIC_LIST], six[6];
	if (state->status != ELASTIC_RUNS)
	{
		return;
	}
	const double scale = state->size * state->valuesScale;
	const uint first = get_group_id(0) * ELASTIC_BLOCK, count = min(rows - first, (uint)ELASTIC_BLOCK);
	for (uint t = get_local_id(0); t < 3 * count; t += ELASTIC_GROUP)
	{
		const uint row = t / 3, axis = t % 3;
		const size_t i = 3 * (size_t)first + t;
		const double value = (held[first + row] >> axis & 1) != 0 ? 0.0 : scale * x[i];
		z[i] = value;
		lists[axis * ELASTIC_LIST + row] = value * r[i];
		lists[(3 + axis) * ELASTIC_LIST + row] = value * q[i];
	}
	ELASTIC_SYNC;
	for (uint t = get_local_id(0); t < 6; t += ELASTIC_GROUP)
	{
		six[t] = elasticAdd(lists + t * ELASTIC_LIST, count);
	}
	ELASTIC_SYNC;
	for (uint t = get_local_id(0); t < 2; t += ELASTIC_GROUP)
	{
		sums[t * get_num_groups(0) + get_group_id(0)] = six[3 * t] + six[3 * t + 1] + six[3 * t + 2];
	}
}

// The sums of all blocks, and what follows: 0: the next direction, 1: how far to go along it, 2: how much is left. One
// group.
__kernel __attribute__((reqd_work_group_size(ELASTIC_GROUP, 1, 1))) void
brk_elasticDecide(__global ElasticState* state, __global const double* sums, __global double* kept, uint blockCount,
				  uint stage)
{
	__local double chunk[2 * (ELASTIC_CHUNK + 1)];
	const uint t = get_local_id(0);
	const uint lists = stage == 0 ? 2 : 1;
	double all[2] = {0.0, 0.0};
	if (state->status != ELASTIC_RUNS)
	{
		return;
	}
	for (uint first = 0; first < blockCount; first += ELASTIC_CHUNK)
	{
		const uint count = min(blockCount - first, (uint)ELASTIC_CHUNK);
		for (uint i = t; i < count * lists; i += ELASTIC_GROUP)
		{
			const uint list = i / count, at = i % count;
			chunk[list * (ELASTIC_CHUNK + 1) + at] = sums[list * blockCount + first + at];
		}
		ELASTIC_SYNC_ALL; // the status has been read by all
		if (t == 0)
		{
			for (uint i = 0; i < count; ++i)
			{
				all[0] += chunk[i];
				all[1] += lists == 2 ? chunk[ELASTIC_CHUNK + 1 + i] : 0.0;
			}
		}
		ELASTIC_SYNC;
	}
	if (t != 0)
	{
		return;
	}
	if (stage == 0)
	{
		state->beta = state->count == 0 ? 0.0 : -state->alpha * all[1] / state->zr;
		state->zr = all[0];
	}
	else if (stage == 1)
	{
		if (!(all[0] > 0.0) || !(state->zr > 0.0))
		{
			state->status = ELASTIC_STUCK;
			return;
		}
		state->alpha = state->zr / all[0];
	}
	else
	{
		const int k = state->count;
		if (k < ELASTIC_KEPT)
		{
			kept[k] = state->alpha;
			kept[ELASTIC_KEPT + k] = state->beta;
		}
		const double size = sqrt(all[0]);
		state->size = size;
		state->count = k + 1;
		state->status = size > state->limit ? ELASTIC_RUNS : ELASTIC_THERE;
	}
}

// p = z + beta p.
__kernel void brk_elasticDirect(__global const ElasticState* state, __global const double* z, __global double* p,
								uint length)
{
	if (state->status != ELASTIC_RUNS)
	{
		return;
	}
	const double beta = state->beta;
	for (uint i = get_global_id(0); i < length; i += get_global_size(0))
	{
		p[i] = z[i] + beta * p[i];
	}
}

// y of a block of rows is in `y`: x . y of each row, added up. All threads of the group must come here.
static void elasticRowProducts(__global const double* x, __local const double* y, __local double* products,
							   __global double* sums, uint first, uint count)
{
	ELASTIC_SYNC;
	for (uint row = get_local_id(0); row < count; row += ELASTIC_GROUP)
	{
		__global const double* a = x + 3 * (size_t)(first + row);
		__local const double* b = y + 3 * row;
		products[row] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
	}
	ELASTIC_SYNC;
	if (get_local_id(0) == 0)
	{
		sums[get_group_id(0)] = elasticAdd(products, count);
	}
}

// q = A p by the matrix in float, zero on held axes, and p . q of each block of rows.
__kernel __attribute__((reqd_work_group_size(ELASTIC_GROUP, 1, 1))) void
brk_elasticMultiplyFloat(__global const ElasticState* state, __global const int* starts, __global const int* columns,
						 __global const int* firsts, __global const float* blocks, __global const double* p,
						 __global const uchar* held, __global double* q, __global double* sums, uint rows)
{
	__local double y[3 * ELASTIC_BLOCK], products[ELASTIC_BLOCK];
	if (state->status != ELASTIC_RUNS)
	{
		return;
	}
	const double scale = state->matrixScale;
	const uint first = get_group_id(0) * ELASTIC_BLOCK, count = min(rows - first, (uint)ELASTIC_BLOCK);
	for (uint t = get_local_id(0); t < 3 * count; t += ELASTIC_GROUP)
	{
		const uint row = first + t / 3, k = t % 3;
		double s0 = 0.0, s1 = 0.0, s2 = 0.0;
		__global const float* block = blocks + 9 * (size_t)firsts[row] + k;
		for (int i = starts[row]; i < starts[row + 1]; ++i, block += 9)
		{
			__global const double* v = p + 3 * (size_t)columns[i];
			s0 += block[0] * v[0];
			s1 += block[3] * v[1];
			s2 += block[6] * v[2];
		}
		y[t] = (held[row] >> k & 1) != 0 ? 0.0 : ((s0 + s1) + s2) * scale;
		q[3 * (size_t)first + t] = y[t];
	}
	elasticRowProducts(p, y, products, sums, first, count);
}

// The same by the matrix itself. Whole: on all axes, whatever the iteration does.
__kernel __attribute__((reqd_work_group_size(ELASTIC_GROUP, 1, 1))) void
brk_elasticMultiply(__global const ElasticState* state, __global const int* starts, __global const int* columns,
					__global const double* blocks, __global const double* p, __global const uchar* held,
					__global double* q, __global double* sums, uint rows, uint isWhole)
{
	__local double y[3 * ELASTIC_BLOCK], products[ELASTIC_BLOCK];
	if (isWhole == 0 && state->status != ELASTIC_RUNS)
	{
		return;
	}
	const uint first = get_group_id(0) * ELASTIC_BLOCK, count = min(rows - first, (uint)ELASTIC_BLOCK);
	for (uint t = get_local_id(0); t < 3 * count; t += ELASTIC_GROUP)
	{
		const uint row = first + t / 3, k = t % 3;
		double s0 = 0.0, s1 = 0.0, s2 = 0.0;
		for (int i = starts[row]; i < starts[row + 1]; ++i)
		{
			__global const double* block = blocks + 9 * (size_t)i + k;
			__global const double* v = p + 3 * (size_t)columns[i];
			s0 += block[0] * v[0];
			s1 += block[3] * v[1];
			s2 += block[6] * v[2];
		}
		y[t] = isWhole == 0 && (held[row] >> k & 1) != 0 ? 0.0 : (s0 + s1) + s2;
		q[3 * (size_t)first + t] = y[t];
	}
	elasticRowProducts(p, y, products, sums, first, count);
}

// x += alpha p, r -= alpha q, and r . r of each block of rows.
__kernel __attribute__((reqd_work_group_size(ELASTIC_GROUP, 1, 1))) void
brk_elasticStep(__global const ElasticState* state, __global const double* p, __global const double* q,
				__global double* x, __global double* r, __global double* sums, uint rows)
{
	__local double lists[3 * ELASTIC_LIST], three[3];
	if (state->status != ELASTIC_RUNS)
	{
		return;
	}
	const double alpha = state->alpha;
	const uint first = get_group_id(0) * ELASTIC_BLOCK, count = min(rows - first, (uint)ELASTIC_BLOCK);
	for (uint t = get_local_id(0); t < 3 * count; t += ELASTIC_GROUP)
	{
		const size_t i = 3 * (size_t)first + t;
		x[i] += alpha * p[i];
		const double left = r[i] + -alpha * q[i];
		r[i] = left;
		lists[t % 3 * ELASTIC_LIST + t / 3] = left * left;
	}
	ELASTIC_SYNC;
	for (uint t = get_local_id(0); t < 3; t += ELASTIC_GROUP)
	{
		three[t] = elasticAdd(lists + t * ELASTIC_LIST, count);
	}
	ELASTIC_SYNC;
	if (get_local_id(0) == 0)
	{
		sums[get_group_id(0)] = three[0] + three[1] + three[2];
	}
}

// r = b - q, zero on held axes.
__kernel void brk_elasticLeft(__global const double* b, __global const double* q, __global const uchar* held,
							  __global double* r, uint length)
{
	for (uint i = get_global_id(0); i < length; i += get_global_size(0))
	{
		r[i] = (held[i / 3] >> i % 3 & 1) != 0 ? 0.0 : b[i] - q[i];
	}
}
