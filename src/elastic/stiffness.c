// SPDX-License-Identifier: MIT

// The stiffness matrix, row by row.
//
// Row i of the matrix is the sum over the pieces around value i of V (lambda g_i g_j^T + mu g_j g_i^T + mu (g_i . g_j)
// I), with V the piece's volume and g the gradients of its tet's shape functions. A row is gathered by one worker in
// the order of its pieces, so workers need not agree on anything. Rows of nodes that no crack touches are copied from
// the matrix of the body without cracks.

#include "elastic/face_contact.h"

#include "base/clock.h"
#include "base/report.h"

#include <string.h>

typedef struct RowScratch
{
	int32_t* columns;
	double* blocks;
	int32_t capacity;
} RowScratch;

typedef struct StiffnessJob
{
	const brElasticBody* body;
	const int32_t* values;     // [rows] value of a row; null: its own number
	const brBlockMatrix* base; // rows that no crack touches are copied from it; null: they are gathered too
	brBlockMatrix* matrix;
	const int32_t* listOf; // [valueCount] list of a touched value, or -1; null: the body without cracks
	RowScratch* scratch;   // a worker
	bool isCounting;
} StiffnessJob;

static bool stiffnessIsCopied(const StiffnessJob* job, int32_t value)
{
	return job->base != NULL && value < job->body->nodeCount && !job->body->set.isDirty[value];
}

static void stiffnessAdd(double* block, double weight, double lambda, double mu, brDVec3 gi, brDVec3 gj)
{
	double l = weight * lambda, m = weight * mu;
	double dot = m * brDDot(gi, gj);
	brDVec3 li = brDMul(l, gi), mi = brDMul(m, gi);
	// Column by column: entry (r, c) = l gi_r gj_c + m gj_r gi_c.
	block[0] += li.x * gj.x + gj.x * mi.x + dot;
	block[1] += li.y * gj.x + gj.y * mi.x;
	block[2] += li.z * gj.x + gj.z * mi.x;
	block[3] += li.x * gj.y + gj.x * mi.y;
	block[4] += li.y * gj.y + gj.y * mi.y + dot;
	block[5] += li.z * gj.y + gj.z * mi.y;
	block[6] += li.x * gj.z + gj.x * mi.z;
	block[7] += li.y * gj.z + gj.y * mi.z;
	block[8] += li.z * gj.z + gj.z * mi.z + dot;
}

// The column of a value in a row that is being gathered.
static int32_t stiffnessColumn(RowScratch* scratch, int32_t* count, int32_t value)
{
	int32_t k = 0;
	while (k < *count && scratch->columns[k] != value)
	{
		k += 1;
	}
	if (k == *count)
	{
		scratch->columns[(*count)++] = value;
		memset(scratch->blocks + 9 * (size_t)k, 0, 9 * sizeof(double));
	}
	return k;
}

// What presses on a corner of a piece: closed patches of contact.
static void stiffnessPress(const StiffnessJob* job, int32_t piece, int32_t corner, RowScratch* scratch, int32_t* count)
{
	const brFaceContact* contact = &job->body->contact;
	const brElementSet* set = &job->body->set;
	int32_t cut = set->cutOfTet[brElementSet_Tet(set, piece)];
	for (int32_t i = cut >= 0 ? contact->starts[cut] : 0; cut >= 0 && i < contact->starts[cut + 1]; ++i)
	{
		const brContactPatch* patch = &contact->patches[i];
		if (!patch->isClosed || (patch->pieces[0] != piece && patch->pieces[1] != piece))
		{
			continue;
		}
		double own = (patch->pieces[0] == piece ? 1.0 : -1.0) * patch->weights[corner] * patch->stiffness;
		const double* n = &patch->normal.x;
		for (int32_t b = 0; b < 8; ++b)
		{
			int32_t k = stiffnessColumn(scratch, count, set->pieceValues[patch->pieces[b / 4]][b % 4]);
			double weight = own * (b < 4 ? 1.0 : -1.0) * patch->weights[b % 4];
			for (int32_t e = 0; e < 9 && !job->isCounting; ++e)
			{
				scratch->blocks[9 * (size_t)k + (size_t)e] += weight * n[e % 3] * n[e / 3];
			}
		}
	}
}

// Gathers a row into scratch. Returns the number of blocks, columns in order of appearance, the diagonal first.
static int32_t stiffnessGather(const StiffnessJob* job, int32_t value, RowScratch* scratch)
{
	const brElasticBody* body = job->body;
	const brElementSet* set = &body->set;
	int32_t list = job->listOf != NULL ? job->listOf[value] : -1;
	const int32_t* corners = list >= 0 ? set->pool + set->lists[list].first : body->corners + body->cornerStarts[value];
	int32_t cornerCount =
		list >= 0 ? set->lists[list].count : body->cornerStarts[value + 1] - body->cornerStarts[value];
	int32_t count = 1;
	scratch->columns[0] = value;
	memset(scratch->blocks, 0, 9 * sizeof(double));
	for (int32_t c = 0; c < cornerCount; ++c)
	{
		int32_t piece = corners[c] / 4, a = corners[c] % 4;
		int32_t tet = piece;
		const int32_t* values = body->mesh->tets[tet < body->tetCount ? tet : 0];
		double volume;
		if (job->listOf != NULL)
		{
			tet = brElementSet_Tet(set, piece);
			values = set->pieceValues[piece];
			volume = brElasticBody_PieceVolume(body, piece);
		}
		else
		{
			volume = body->volumes[tet];
		}
		double weight = volume * body->stiffnesses[tet];
		brDVec3 g[4];
		if (!job->isCounting)
		{
			brElasticBody_GetGradients(body, tet, g);
		}
		for (int b = 0; b < 4; ++b)
		{
			int32_t k = stiffnessColumn(scratch, &count, values[b]);
			if (!job->isCounting)
			{
				stiffnessAdd(scratch->blocks + 9 * (size_t)k, weight, body->lambda, body->mu, g[a], g[b]);
			}
		}
		if (job->listOf != NULL && body->contact.starts != NULL)
		{
			stiffnessPress(job, piece, a, scratch, &count);
		}
	}
	return count;
}

static void stiffnessRows(int32_t begin, int32_t end, int32_t worker, void* user)
{
	StiffnessJob* job = user;
	RowScratch* scratch = &job->scratch[worker];
	brBlockMatrix* matrix = job->matrix;
	for (int32_t row = begin; row < end; ++row)
	{
		if (stiffnessIsCopied(job, row))
		{
			int32_t from = job->base->starts[row], count = job->base->starts[row + 1] - from;
			if (job->isCounting)
			{
				matrix->starts[row + 1] = count;
				continue;
			}
			memcpy(matrix->columns + matrix->starts[row], job->base->columns + from, (size_t)count * sizeof(int32_t));
			memcpy(matrix->blocks + 9 * (size_t)matrix->starts[row], job->base->blocks + 9 * (size_t)from,
				   9 * (size_t)count * sizeof(double));
			continue;
		}
		int32_t count = stiffnessGather(job, job->values != NULL ? job->values[row] : row, scratch);
		if (job->isCounting)
		{
			matrix->starts[row + 1] = count;
			continue;
		}
		// Into rising order of columns, by insertion of indices.
		int32_t* columns = matrix->columns + matrix->starts[row];
		for (int32_t i = 0; i < count; ++i)
		{
			int32_t column = scratch->columns[i], j = i;
			for (; j > 0 && columns[j - 1] > column; --j)
			{
				columns[j] = columns[j - 1];
			}
			columns[j] = column;
		}
		for (int32_t i = 0; i < count; ++i)
		{
			int32_t low = 0, high = count - 1;
			while (low < high)
			{
				int32_t middle = (low + high) / 2;
				if (columns[middle] < scratch->columns[i])
				{
					low = middle + 1;
				}
				else
				{
					high = middle;
				}
			}
			memcpy(matrix->blocks + 9 * (size_t)(matrix->starts[row] + low), scratch->blocks + 9 * (size_t)i,
				   9 * sizeof(double));
		}
	}
}

// A row has no more columns than its pieces, and those that press on them, have other corners.
static int32_t stiffnessLongestRow(const StiffnessJob* job)
{
	const brElasticBody* body = job->body;
	int32_t most = 0;
	for (int32_t n = 0; n < body->nodeCount; ++n)
	{
		int32_t count = body->cornerStarts[n + 1] - body->cornerStarts[n];
		most = count > most ? count : most;
	}
	for (int32_t i = 0; job->listOf != NULL && i < body->set.listCount; ++i)
	{
		most = body->set.lists[i].count > most ? body->set.lists[i].count : most;
	}
	return (body->contact.starts != NULL ? 3 + 4 * BR_MAX_CRACKS_PER_TET : 3) * most + 1;
}

static bool stiffnessMake(StiffnessJob* job, brWorkers* workers, int32_t rowCount, brBlockMatrix* outMatrix)
{
	const brAllocator* allocator = &job->body->allocator;
	brBlockMatrix matrix = {.rowCount = rowCount};
	int32_t workerCount = brWorkers_GetCount(workers), capacity = stiffnessLongestRow(job);
	RowScratch* scratch = BR_ALLOC_ZERO(allocator, RowScratch, workerCount);
	matrix.starts = BR_ALLOC_ZERO(allocator, int32_t, rowCount + 1);
	bool good = scratch != NULL && matrix.starts != NULL;
	for (int32_t w = 0; good && w < workerCount; ++w)
	{
		scratch[w].columns = BR_ALLOC(allocator, int32_t, capacity);
		scratch[w].blocks = BR_ALLOC(allocator, double, 9 * (int64_t)capacity);
		good = scratch[w].columns != NULL && scratch[w].blocks != NULL;
	}
	if (good)
	{
		job->matrix = &matrix;
		job->scratch = scratch;
		job->isCounting = true;
		brParallelFor(workers, rowCount, 64, stiffnessRows, job);
		int64_t total = 0;
		for (int32_t row = 0; row < rowCount; ++row)
		{
			total += matrix.starts[row + 1];
			matrix.starts[row + 1] = (int32_t)total;
		}
		matrix.columns = BR_ALLOC(allocator, int32_t, total);
		matrix.blocks = BR_ALLOC(allocator, double, 9 * total + BR_BLOCK_PADDING);
		good = matrix.columns != NULL && matrix.blocks != NULL;
	}
	if (good)
	{
		int64_t end = 9 * (int64_t)matrix.starts[rowCount];
		memset(matrix.blocks + end, 0, BR_BLOCK_PADDING * sizeof(double));
		job->isCounting = false;
		brParallelFor(workers, rowCount, 64, stiffnessRows, job);
	}
	for (int32_t w = 0; scratch != NULL && w < workerCount; ++w)
	{
		BR_FREE(allocator, scratch[w].columns, capacity);
		BR_FREE(allocator, scratch[w].blocks, 9 * (int64_t)capacity);
	}
	BR_FREE(allocator, scratch, workerCount);
	if (!good)
	{
		brBlockMatrix_Free(&matrix, allocator);
		return false;
	}
	*outMatrix = matrix;
	return true;
}

// Where the corners of each touched value are, [valueCount]; null without memory.
static int32_t* stiffnessListOf(const brElasticBody* body)
{
	int32_t* listOf = BR_ALLOC(&body->allocator, int32_t, body->set.valueCount);
	if (listOf == NULL)
	{
		return NULL;
	}
	memset(listOf, 0xff, (size_t)body->set.valueCount * sizeof(int32_t));
	for (int32_t i = 0; i < body->set.listCount; ++i)
	{
		listOf[body->set.lists[i].value] = i;
	}
	return listOf;
}

#ifdef BR_HAVE_PETSC
bool brElasticBody_AssembleRows(const brElasticBody* body, brWorkers* workers, const int32_t* values, int32_t count,
								brBlockMatrix* outRows)
{
	int32_t* listOf = stiffnessListOf(body);
	StiffnessJob job = {.body = body, .values = values, .listOf = listOf};
	bool good = listOf != NULL && stiffnessMake(&job, workers, count, outRows);
	BR_FREE(&body->allocator, listOf, body->set.valueCount);
	return good;
}
#endif

brResult brElasticBody_Assemble(brElasticBody* body, const brContext* context, brReport* report)
{
	if (body->system != NULL)
	{
		return br_success;
	}
	int64_t start = brClockNanoseconds();
	const brAllocator* allocator = &body->allocator;
	brWorkers* workers = context != NULL ? context->workers : NULL;
	StiffnessJob job = {.body = body};
	if (body->base.starts == NULL && !stiffnessMake(&job, workers, body->nodeCount, &body->base))
	{
		return brFailMemory(report);
	}
	if (body->set.listCount == 0)
	{
		body->system = &body->base;
		body->assembleSeconds = brSecondsSince(start);
		return br_success;
	}
	int32_t valueCount = body->set.valueCount;
	int32_t* listOf = stiffnessListOf(body);
	if (listOf == NULL)
	{
		return brFailMemory(report);
	}
	job.base = &body->base;
	job.listOf = listOf;
	brBlockMatrix matrix;
	bool good = stiffnessMake(&job, workers, valueCount, &matrix);
	BR_FREE(allocator, listOf, valueCount);
	if (!good)
	{
		return brFailMemory(report);
	}
	brBlockMatrix_Free(&body->matrix, allocator);
	body->matrix = matrix;
	body->system = &body->matrix;
	body->assembleSeconds = brSecondsSince(start);
	return br_success;
}

void brElasticBody_Multiply(const brElasticBody* body, const brDVec3* x, brDVec3* y)
{
	const brElementSet* set = &body->set;
	memset(y, 0, (size_t)set->valueCount * sizeof(brDVec3));
	for (int32_t piece = 0; piece < set->pieceCount; ++piece)
	{
		int32_t tet = brElementSet_Tet(set, piece);
		const int32_t* values = set->pieceValues[piece];
		double weight = brElasticBody_PieceVolume(body, piece) * body->stiffnesses[tet];
		brDVec3 g[4];
		brElasticBody_GetGradients(body, tet, g);
		brMat3 slope = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
		for (int a = 0; a < 4; ++a)
		{
			slope.cx = brDMulAdd(slope.cx, g[a].x, x[values[a]]);
			slope.cy = brDMulAdd(slope.cy, g[a].y, x[values[a]]);
			slope.cz = brDMulAdd(slope.cz, g[a].z, x[values[a]]);
		}
		brMat3 turned = brMat3_Transpose(&slope);
		double trace = weight * body->lambda * (slope.cx.x + slope.cy.y + slope.cz.z), shear = weight * body->mu;
		for (int a = 0; a < 4; ++a)
		{
			brDVec3 pull = brDAdd(brMat3_MulV(&slope, g[a]), brMat3_MulV(&turned, g[a]));
			y[values[a]] = brDMulAdd(brDMulAdd(y[values[a]], shear, pull), trace, g[a]);
		}
	}
	brElasticBody_MultiplyContact(body, x, y);
}

brMat3 brElasticBody_PieceGradient(const brElasticBody* body, int32_t piece)
{
	brDVec3 g[4];
	brElasticBody_GetGradients(body, brElementSet_Tet(&body->set, piece), g);
	brMat3 gradient = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
	for (int a = 0; a < 4; ++a)
	{
		brDVec3 u = body->solution[body->set.pieceValues[piece][a]];
		gradient.cx = brDMulAdd(gradient.cx, g[a].x, u);
		gradient.cy = brDMulAdd(gradient.cy, g[a].y, u);
		gradient.cz = brDMulAdd(gradient.cz, g[a].z, u);
	}
	return gradient;
}

brStress brElasticBody_StressOf(const brElasticBody* body, int32_t tet, const brMat3* gradient)
{
	double lambda = body->lambda * body->stiffnesses[tet], mu = body->mu * body->stiffnesses[tet];
	double trace = lambda * (gradient->cx.x + gradient->cy.y + gradient->cz.z);
	trace -= body->swelling != NULL ? (3.0 * lambda + 2.0 * mu) * body->swelling[tet] : 0.0;
	return (brStress){trace + 2.0 * mu * gradient->cx.x,      trace + 2.0 * mu * gradient->cy.y,
					  trace + 2.0 * mu * gradient->cz.z,      mu * (gradient->cx.y + gradient->cy.x),
					  mu * (gradient->cx.z + gradient->cz.x), mu * (gradient->cy.z + gradient->cz.y)};
}
