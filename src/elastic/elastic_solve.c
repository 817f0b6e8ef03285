// SPDX-License-Identifier: MIT

// Solving for the displacements: conjugate gradients over the hierarchy or over node blocks alone.
//
// Held axes are not taken out of the matrix: iterates and residuals are zero there. The preconditioner is float and not
// quite symmetric, so the direction is made conjugate by the form of Polak and Ribiere, which forgives that. The
// residual that is reported is computed anew; if it has drifted above the tolerance the iteration starts again from
// where it is.
//
// The iteration itself multiplies by the matrix in float, half the memory that has to pass by, and the true residual in
// double makes up for the rounding (iterative refinement); the tolerance is always that of the true residual.
//
// A device may do the products and the iterations over the hierarchy, with the same bits. Whatever it does not do is
// done here.

#include "elastic/elastic_device.h"
#include "elastic/face_contact.h"
#include "elastic/hierarchy.h"
#include "elastic/loads.h"
#include "elastic/modes.h"
#include "elastic/petsc.h"

#include "base/assert.h"
#include "base/clock.h"
#include "base/os.h"
#include "base/report.h"

#include <string.h>

// Restarts from the true residual.
#define SOLVE_MAX_RESTARTS 4

// Solves that look for the faces that touch, and the share of their area that may be undecided.
#define SOLVE_CONTACT_ROUNDS 12
#define SOLVE_CONTACT_SHARE 1e-3

// Smaller matrices stay in the cache whole, so rounding saves nothing.
#define SOLVE_ROUNDED_COUNT 8192

// How far a solve with the rounded matrix goes before the residual is computed anew, and how far that must have fallen
// for the next one to be rounded too: long thin bodies are so soft that rounding decides, they go on with the matrix in
// double.
#define SOLVE_ROUNDED_GAIN 0.7e-4
#define SOLVE_MIN_GAIN 1e-2

brElasticSolveDef brDefaultElasticSolveDef(void)
{
	brElasticSolveDef def = {0};
	def.tolerance = 1e-8;
	def.maxIterations = 2000;
	def.stamp = BR_STAMP(def);
	return def;
}

typedef struct SolveJob
{
	const brContext* context;
	brWorkers* workers;
	brElasticBody* body;
	brElasticSolveDef def;
	int32_t count;
	uint8_t* held; // [count] by value
	brDVec3* load; // b
	brDVec3* x;    // increment over the held values
	brDVec3 *r, *z, *p, *q;
	brMat3* inverses; // node blocks, for the comparison solver
	double* sums[2];  // [blocks]
	double alpha, beta;
	bool isRounded; // products by the matrix in float
	int32_t coefficientCount;
	double diagonal[BR_SOLVE_COEFFICIENTS]; // of the Lanczos matrix
	double offDiagonal[BR_SOLVE_COEFFICIENTS];
	brElasticStats* stats;
	brElasticDevice* device; // that holds the matrix, or null
	bool isLeft;             // it failed: all that it did is to be done here
} SolveJob;

static void solveBlockRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	SolveJob* job = user;
	for (int32_t v = begin; v < end; ++v)
	{
		job->z[v] = brMat3_MulV(&job->inverses[v], job->r[v]);
	}
}

// z = M^-1 r.
static void solvePrecondition(SolveJob* job, double size)
{
	if (job->def.solver == br_solverIterative)
	{
		brHierarchy_Apply(job->body->hierarchy, job->workers, job->r, size, job->z);
	}
	else
	{
		brParallelFor(job->workers, job->count, BR_VECTOR_BLOCK, solveBlockRange, job);
	}
}

// z . r and z . q by blocks.
static void solveProductRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	SolveJob* job = user;
	job->sums[0][begin / BR_VECTOR_BLOCK] = brDotVectors(job->z + begin, job->r + begin, end - begin);
	job->sums[1][begin / BR_VECTOR_BLOCK] = brDotVectors(job->z + begin, job->q + begin, end - begin);
}

// p = z + beta p.
static void solveDirectionRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	SolveJob* job = user;
	for (int32_t v = begin; v < end; ++v)
	{
		job->p[v] = brDMulAdd(job->z[v], job->beta, job->p[v]);
	}
}

// x += alpha p, r -= alpha q, and r . r by blocks.
static void solveStepRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	SolveJob* job = user;
	for (int32_t v = begin; v < end; ++v)
	{
		job->x[v] = brDMulAdd(job->x[v], job->alpha, job->p[v]);
		job->r[v] = brDMulAdd(job->r[v], -job->alpha, job->q[v]);
	}
	job->sums[0][begin / BR_VECTOR_BLOCK] = brDotVectors(job->r + begin, job->r + begin, end - begin);
}

// Inverse of each diagonal block on its free axes.
static void solveInvertBlocks(SolveJob* job)
{
	const brBlockMatrix* matrix = job->body->system;
	for (int32_t v = 0; v < job->count; ++v)
	{
		brMat3 block = brMakeMat3Identity();
		for (int32_t k = matrix->starts[v]; k < matrix->starts[v + 1]; ++k)
		{
			if (matrix->columns[k] == v)
			{
				memcpy(&block, matrix->blocks + 9 * (size_t)k, sizeof(block));
			}
		}
		double* entries = &block.cx.x;
		for (int i = 0; i < 9; ++i)
		{
			if ((job->held[v] >> i % 3 & 1) != 0 || (job->held[v] >> i / 3 & 1) != 0)
			{
				entries[i] = i % 3 == i / 3 ? 1.0 : 0.0;
			}
		}
		double determinant = brMat3_Determinant(&block);
		brMat3 cofactor = brMat3_Cofactor(&block);
		brMat3 inverse = brMat3_Transpose(&cofactor);
		double scale = determinant > 0.0 ? 1.0 / determinant : 0.0;
		job->inverses[v] = (brMat3){brDMul(scale, inverse.cx), brDMul(scale, inverse.cy), brDMul(scale, inverse.cz)};
		for (int i = 0; i < 3; ++i)
		{
			if ((job->held[v] >> i & 1) != 0)
			{
				(&job->inverses[v].cx.x)[4 * i] = 0.0;
			}
		}
	}
}

// q = K p and p . q by blocks.
static void solveMultiply(SolveJob* job)
{
	if (job->isRounded)
	{
		brHierarchy_Multiply(job->body->hierarchy, job->workers, job->p, job->q, job->sums[0]);
	}
	else
	{
		brBlockMatrix_Multiply(job->body->system, job->workers, job->p, job->held, job->q, job->sums[0]);
	}
}

// From here on without the device.
static void solveLose(SolveJob* job, const brReport* why)
{
	brLog(job->context, br_logWarning, "%s; elastic solves go on on the CPU", why->text);
	job->device->isLost = true;
	job->device = NULL;
	job->isLeft = true;
}

// y = K x on all axes. PETSc has the matrix to itself.
static void solveMultiplyWhole(SolveJob* job, const brDVec3* x, brDVec3* y)
{
	brReport trouble = {0};
	if (job->device != NULL && job->device->multiply(job->device, x, y, &trouble) >= 0)
	{
		return;
	}
	if (job->device != NULL)
	{
		solveLose(job, &trouble);
	}
	if (job->def.solver == br_solverPetsc)
	{
		brElasticBody_Multiply(job->body, x, y);
	}
	else
	{
		brBlockMatrix_Multiply(job->body->system, job->workers, x, NULL, y, NULL);
	}
}

// What an iteration adds to the Lanczos matrix.
static void solveKeep(SolveJob* job, bool isFirst, double previousAlpha, double alpha, double beta)
{
	if (job->coefficientCount < BR_SOLVE_COEFFICIENTS)
	{
		int32_t k = job->coefficientCount++;
		double b = beta > 0.0 ? beta : 0.0;
		job->diagonal[k] = 1.0 / alpha + (isFirst ? 0.0 : b / previousAlpha);
		job->offDiagonal[k] = isFirst ? 0.0 : sqrt(b) / previousAlpha;
	}
}

// solveIterate on the device.
static bool solveIterateThere(SolveJob* job, double size, double limit, int32_t* iterations, brResult* result)
{
	brElasticIteration* there = BR_ALLOC_ZERO(&job->body->allocator, brElasticIteration, 1);
	brReport trouble = {0};
	brResult answer = there != NULL ? br_success : brFailMemory(&trouble);
	bool isThere = false;
	if (answer >= 0)
	{
		there->context = job->context;
		there->size = size, there->limit = limit;
		there->done = *iterations, there->most = job->def.maxIterations;
		there->isRounded = job->isRounded;
		answer = job->device->iterate(job->device, there, &trouble);
	}
	if (answer >= 0)
	{
		isThere = there->isThere;
		*iterations += there->count;
		for (int32_t k = 0; k < there->count && k < BR_SOLVE_COEFFICIENTS; ++k)
		{
			solveKeep(job, k == 0, k > 0 ? there->alphas[k - 1] : 1.0, there->alphas[k], there->betas[k]);
		}
	}
	else if (answer == br_errorCanceled)
	{
		*result = answer;
	}
	else
	{
		solveLose(job, &trouble);
	}
	BR_FREE(&job->body->allocator, there, 1);
	return isThere;
}

// Conjugate gradients from r = b - K x until |r| <= limit. Returns whether it got there.
static bool solveIterate(SolveJob* job, double limit, int32_t* iterations, brResult* result)
{
	int32_t blocks = brVectorBlocks(job->count);
	double zr = 0.0, size = sqrt(brDotVectors(job->r, job->r, job->count));
	if (job->device != NULL)
	{
		return solveIterateThere(job, size, limit, iterations, result);
	}
	memset(job->p, 0, (size_t)job->count * sizeof(brDVec3));
	memset(job->q, 0, (size_t)job->count * sizeof(brDVec3));
	job->alpha = 1.0;
	for (bool isFirst = true; size > limit; isFirst = false)
	{
		if (*iterations >= job->def.maxIterations)
		{
			return false;
		}
		if (brIsCanceled(job->context, (double)*iterations / job->def.maxIterations))
		{
			*result = br_errorCanceled;
			return false;
		}
		solvePrecondition(job, size);
		brParallelFor(job->workers, job->count, BR_VECTOR_BLOCK, solveProductRange, job);
		double next = brSumBlocks(job->sums[0], blocks), previousAlpha = job->alpha;
		job->beta = isFirst ? 0.0 : -previousAlpha * brSumBlocks(job->sums[1], blocks) / zr;
		zr = next;
		brParallelFor(job->workers, job->count, BR_VECTOR_BLOCK, solveDirectionRange, job);
		solveMultiply(job);
		double pq = brSumBlocks(job->sums[0], blocks);
		if (!(pq > 0.0) || !(zr > 0.0))
		{
			return false; // rounding has nothing more to give
		}
		job->alpha = zr / pq;
		brParallelFor(job->workers, job->count, BR_VECTOR_BLOCK, solveStepRange, job);
		size = sqrt(brSumBlocks(job->sums[0], blocks));
		solveKeep(job, isFirst, previousAlpha, job->alpha, job->beta);
		*iterations += 1;
	}
	return true;
}

// Largest over smallest eigenvalue of the Lanczos matrix, by counting sign changes.
static int32_t solveCountBelow(const SolveJob* job, double x)
{
	int32_t below = 0;
	double d = 1.0;
	for (int32_t i = 0; i < job->coefficientCount; ++i)
	{
		double e = job->offDiagonal[i];
		d = job->diagonal[i] - x - (i > 0 ? e * e / d : 0.0);
		d = d == 0.0 ? 1e-300 : d;
		below += d < 0.0;
	}
	return below;
}

static double solveCondition(const SolveJob* job)
{
	int32_t n = job->coefficientCount;
	if (n == 0)
	{
		return 1.0;
	}
	double top = 0.0;
	for (int32_t i = 0; i < n; ++i)
	{
		double next = i + 1 < n ? job->offDiagonal[i + 1] : 0.0;
		double reach = job->diagonal[i] + job->offDiagonal[i] + next;
		top = reach > top ? reach : top;
	}
	double ends[2];
	for (int side = 0; side < 2; ++side)
	{
		double low = 0.0, high = 1.001 * top;
		for (int k = 0; k < 80; ++k)
		{
			double middle = 0.5 * (low + high);
			int32_t below = solveCountBelow(job, middle);
			if (side == 0 ? below == 0 : below < n)
			{
				low = middle;
			}
			else
			{
				high = middle;
			}
		}
		ends[side] = 0.5 * (low + high);
	}
	return ends[0] > 0.0 ? ends[1] / ends[0] : INFINITY;
}

// r = b - K x. Returns its length.
static double solveResidual(SolveJob* job)
{
	if (job->device != NULL)
	{
		brReport trouble = {0};
		if (job->device->findResidual(job->device, job->r, &trouble) >= 0)
		{
			return sqrt(brDotVectors(job->r, job->r, job->count));
		}
		solveLose(job, &trouble);
	}
	solveMultiplyWhole(job, job->x, job->q);
	for (int32_t v = 0; v < job->count; ++v)
	{
		brDVec3 r = brDSub(job->load[v], job->q[v]);
		uint32_t held = job->held[v];
		job->r[v] = (brDVec3){(held & 1) != 0 ? 0.0 : r.x, (held & 2) != 0 ? 0.0 : r.y, (held & 4) != 0 ? 0.0 : r.z};
	}
	return sqrt(brDotVectors(job->r, job->r, job->count));
}

// A remark if the residual is not what was asked for.
static brResult solveJudge(const SolveJob* job, double residual, brReport* report)
{
	job->stats->residual = residual;
	if (!(residual <= 1.05 * job->def.tolerance))
	{
		return brFail(report, br_remarkApproximate, "the residual is %.3g after %d iterations, %.3g was asked for",
					  residual, job->stats->iterations, job->def.tolerance);
	}
	return br_success;
}

// A rank of several keeps no more than it must while PETSc makes its levels.
static brResult solveByPetsc(SolveJob* job, brReport* report)
{
	brElasticBody* body = job->body;
	bool isShared = brPetscSolver_IsShared(body->petsc);
	if (isShared)
	{
		brElasticBody_Forget(body);
		brOs_ForgetPages(job->r, (size_t)job->count * sizeof(brDVec3));
		brOs_ForgetPages(job->p, (size_t)job->count * sizeof(brDVec3));
		brOs_ForgetPages(job->q, (size_t)job->count * sizeof(brDVec3));
	}
	brResult result = brPetscSolver_Solve(body->petsc, job->load, job->def.tolerance, job->def.maxIterations, job->x,
										  &job->stats->iterations, report);
	if (isShared)
	{
		brElasticBody_Remember(body);
	}
	return result;
}

// x is on the device and comes here. False if it does not: then x is as it was.
static bool solveFetch(SolveJob* job)
{
	brReport trouble = {0};
	if (job->device->getSolution(job->device, job->z, &trouble) < 0)
	{
		solveLose(job, &trouble);
		return false;
	}
	memcpy(job->x, job->z, (size_t)job->count * sizeof(brDVec3));
	return true;
}

// `size` is the length of the load.
static brResult solveByIterations(SolveJob* job, double size, brReport* report)
{
	brElasticStats* stats = job->stats;
	double limit = job->def.tolerance * size, before = INFINITY, now = size;
	bool isDone = false, isKnown = !job->def.enableWarmStart; // the residual of x = 0 is the load
	brResult result = br_success;
	brReport trouble = {0};
	memcpy(job->r, job->load, (size_t)job->count * sizeof(brDVec3));
	job->isLeft = false;
	job->isRounded = job->def.solver == br_solverIterative && job->count >= SOLVE_ROUNDED_COUNT;
	stats->isOnDevice = job->device != NULL;
	if (job->device != NULL && job->device->begin(job->device, job->load, job->x, &trouble) < 0)
	{
		solveLose(job, &trouble);
	}
	for (int restart = 0; !isDone && !job->isLeft && restart < 2 * SOLVE_MAX_RESTARTS; ++restart)
	{
		// Should rounding in float have spoiled the hierarchy, node blocks go on.
		if (restart == SOLVE_MAX_RESTARTS && job->def.solver == br_solverIterative)
		{
			if (job->device != NULL && !solveFetch(job))
			{
				break;
			}
			job->device = NULL;
			stats->isOnDevice = false;
			job->def.solver = br_solverJacobi;
			solveInvertBlocks(job);
		}
		now = isKnown ? now : solveResidual(job);
		job->isRounded = job->isRounded && now <= SOLVE_MIN_GAIN * before;
		double goal = job->isRounded ? fmax(limit, SOLVE_ROUNDED_GAIN * now) : limit;
		before = now;
		isKnown = isDone = now <= 1.05 * limit;
		isDone = isDone || job->isLeft ||
				 (!solveIterate(job, goal, &stats->iterations, &result) && stats->iterations >= job->def.maxIterations);
		if (result < 0)
		{
			return brFail(report, result, "the solve was canceled");
		}
	}
	double residual = job->isLeft ? 0.0 : isKnown ? now : solveResidual(job);
	if (job->isLeft || (job->device != NULL && !solveFetch(job)))
	{
		// Again from the start, which x still is, and without the device.
		stats->iterations = job->coefficientCount = 0;
		return solveByIterations(job, size, report);
	}
	stats->condition = solveCondition(job);
	return solveJudge(job, residual / size, report);
}

static brResult solveRun(SolveJob* job, brReport* report)
{
	brElasticStats* stats = job->stats;
	double size = sqrt(brDotVectors(job->load, job->load, job->count));
	if (!(size > 0.0))
	{
		memset(job->x, 0, (size_t)job->count * sizeof(brDVec3));
		stats->condition = 1.0;
		return br_success;
	}
	if (job->def.solver == br_solverPetsc)
	{
		brResult result = solveByPetsc(job, report);
		return result < 0 ? result : solveJudge(job, solveResidual(job) / size, report);
	}
	return solveByIterations(job, size, report);
}

static bool solveMakeHierarchy(SolveJob* job)
{
	brElasticBody* body = job->body;
	const brElementSet* set = &body->set;
	const brAllocator* allocator = &body->allocator;
	int32_t modeCount = 6 * set->componentCount;
	brDVec3* positions = BR_ALLOC(allocator, brDVec3, job->count);
	int32_t* modeStarts = BR_ALLOC(allocator, int32_t, set->componentCount + 1);
	brDVec3* shifts = BR_ALLOC(allocator, brDVec3, modeCount);
	brDVec3* turns = BR_ALLOC(allocator, brDVec3, modeCount);
	brDVec3* centers = BR_ALLOC(allocator, brDVec3, set->componentCount);
	bool good = positions != NULL && modeStarts != NULL && shifts != NULL && turns != NULL && centers != NULL;
	if (good)
	{
		for (int32_t v = 0; v < job->count; ++v)
		{
			positions[v] = body->mesh->nodes[set->valueNodes[v]];
		}
		int32_t next = 0;
		for (int32_t p = 0; p < set->componentCount; ++p)
		{
			modeStarts[p] = next;
			centers[p] = set->parts[p].center;
			double size = brElasticBody_GetComponentSize(&set->parts[p]);
			for (int32_t m = 0; m < set->parts[p].freeModes; ++m, ++next)
			{
				const double* mode = body->freeModes[p][m];
				shifts[next] = (brDVec3){mode[0], mode[1], mode[2]};
				turns[next] = (brDVec3){mode[3] / size, mode[4] / size, mode[5] / size};
			}
		}
		modeStarts[set->componentCount] = next;
		brHierarchyDef def = {body->system, job->held, positions, set->valueParts, set->componentCount,
							  modeStarts,   shifts,    turns,     centers};
		body->hierarchy = brHierarchy_Create(allocator, job->workers, &def);
	}
	BR_FREE(allocator, positions, job->count);
	BR_FREE(allocator, modeStarts, set->componentCount + 1);
	BR_FREE(allocator, shifts, modeCount);
	BR_FREE(allocator, turns, modeCount);
	BR_FREE(allocator, centers, set->componentCount);
	return body->hierarchy != NULL;
}

// Copies the matrix and its hierarchy to the device, if there is one and it is worth it.
static void solveHold(SolveJob* job)
{
	brElasticDevice* device = job->def.device;
	if (device == NULL || device->isLost || job->count < device->leastRows)
	{
		return;
	}
	brReport trouble = {0};
	job->device = device;
	device->solves += 1;
	if (device->hold(device, job->workers, job->body->system, job->body->hierarchy, &trouble) < 0)
	{
		solveLose(job, &trouble);
	}
}

static brResult solvePrepare(SolveJob* job, brReport* report)
{
	brElasticBody* body = job->body;
	int64_t start = brClockNanoseconds();
	brResult result = br_success;
	if (job->def.solver == br_solverPetsc && body->petsc == NULL)
	{
		result = brPetscSolver_Create(body, job->workers, job->held, job->def.options, &body->petsc, report);
	}
	else if (job->def.solver == br_solverIterative)
	{
		job->stats->isHierarchyReused = body->hierarchy != NULL;
		if (body->hierarchy == NULL && !solveMakeHierarchy(job))
		{
			result = brFailMemory(report);
		}
		if (result >= 0)
		{
			job->stats->levelCount = brHierarchy_LevelCount(body->hierarchy);
			solveHold(job);
		}
	}
	else if (job->def.solver == br_solverJacobi)
	{
		solveInvertBlocks(job);
	}
	job->stats->setupSeconds = brSecondsSince(start);
	return result;
}

// Forces less what the held values take, on free axes, balanced.
static brResult solveMakeLoad(SolveJob* job, const brElasticLoad* load, brReport* report)
{
	brElasticBody* body = job->body;
	brResult result = brElasticBody_Forces(body, load, job->load, report);
	if (result < 0)
	{
		return result;
	}
	bool isHeldAway = false;
	for (int32_t v = 0; v < job->count; ++v)
	{
		int32_t node = body->set.valueNodes[v];
		uint32_t held = body->heldAxes[node];
		brDVec3 value = body->heldValues[node];
		job->held[v] = (uint8_t)(body->set.valueParts[v] >= 0 ? held : 7);
		job->p[v] = (brDVec3){(held & 1) != 0 ? value.x : 0.0, (held & 2) != 0 ? value.y : 0.0,
							  (held & 4) != 0 ? value.z : 0.0};
		isHeldAway = isHeldAway || brDLengthSq(job->p[v]) > 0.0;
	}
	if (isHeldAway)
	{
		solveMultiplyWhole(job, job->p, job->q);
	}
	for (int32_t v = 0; v < job->count; ++v)
	{
		uint32_t held = job->held[v];
		brDVec3 f = isHeldAway ? brDSub(job->load[v], job->q[v]) : job->load[v];
		job->load[v] = (brDVec3){(held & 1) != 0 ? 0.0 : f.x, (held & 2) != 0 ? 0.0 : f.y, (held & 4) != 0 ? 0.0 : f.z};
		brDVec3 start = body->solution[v];
		job->x[v] = !job->def.enableWarmStart
						? (brDVec3){0.0, 0.0, 0.0}
						: (brDVec3){(held & 1) != 0 ? 0.0 : start.x, (held & 2) != 0 ? 0.0 : start.y,
									(held & 4) != 0 ? 0.0 : start.z};
	}
	return brElasticBody_Balance(body, job->load) ? br_success : brFailMemory(report);
}

// What of the energy of all strain is that of free strain s: with e = grad u, (e : D : e - (e - s) : D : (e - s)) / 2.
static double solveFreeEnergy(const brElasticBody* body)
{
	double sum = 0.0;
	for (int32_t p = 0; body->swelling != NULL && p < body->set.pieceCount; ++p)
	{
		int32_t tet = brElementSet_Tet(&body->set, p);
		brMat3 gradient = brElasticBody_PieceGradient(body, p);
		double free = body->swelling[tet], volume = brElasticBody_PieceVolume(body, p);
		double bulk = (3.0 * body->lambda + 2.0 * body->mu) * body->stiffnesses[tet];
		sum += volume * bulk * free * (gradient.cx.x + gradient.cy.y + gradient.cz.z - 1.5 * free);
	}
	return sum;
}

static bool solveFinish(SolveJob* job)
{
	brElasticBody* body = job->body;
	for (int32_t v = 0; v < job->count; ++v)
	{
		int32_t node = body->set.valueNodes[v];
		uint32_t held = body->heldAxes[node];
		brDVec3 u = job->x[v], value = body->heldValues[node];
		job->x[v] = (brDVec3){(held & 1) != 0 ? value.x : u.x, (held & 2) != 0 ? value.y : u.y,
							  (held & 4) != 0 ? value.z : u.z};
	}
	if (!brElasticBody_Center(body, job->x))
	{
		return false;
	}
	memcpy(body->solution, job->x, (size_t)job->count * sizeof(brDVec3));
	solveMultiplyWhole(job, body->solution, job->q);
	job->stats->energy = 0.5 * brDotVectors(body->solution, job->q, job->count) - solveFreeEnergy(body);
	return true;
}

static void solveCount(SolveJob* job)
{
	const brElementSet* set = &job->body->set;
	brElasticStats* stats = job->stats;
	stats->valueCount = set->valueCount;
	stats->ghostCount = set->valueCount - set->nodeCount;
	stats->cutTetCount = set->cutCount;
	stats->componentCount = set->componentCount;
	stats->assembleSeconds = job->body->assembleSeconds;
	for (int32_t p = 0; p < set->componentCount; ++p)
	{
		stats->looseComponents += set->parts[p].freeModes > 0;
	}
}

// With the faces of cracks as they are: closed ones cannot open.
static brResult solveOnce(brElasticBody* body, const brContext* context, const brElasticLoad* load,
						  const brElasticSolveDef* def, brElasticStats* outStats, brReport* report)
{
	bool isPetsc = def->solver == br_solverPetsc; // it assembles what it needs
	brResult result = isPetsc ? br_success : brElasticBody_Assemble(body, context, report);
	if (result < 0)
	{
		return result;
	}
	const brAllocator* allocator = &body->allocator;
	int32_t count = body->set.valueCount, inverseCount = isPetsc ? 0 : count;
	brElasticStats stats = {0};
	SolveJob* job = BR_ALLOC_ZERO(allocator, SolveJob, 1);
	if (job == NULL)
	{
		return brFailMemory(report);
	}
	job->context = context;
	job->workers = context != NULL ? context->workers : NULL;
	job->body = body;
	job->def = *def;
	job->count = count;
	job->stats = &stats;
	job->held = BR_ALLOC(allocator, uint8_t, count);
	job->load = BR_ALLOC(allocator, brDVec3, count);
	job->x = BR_ALLOC(allocator, brDVec3, count);
	job->r = BR_ALLOC(allocator, brDVec3, count);
	job->z = BR_ALLOC(allocator, brDVec3, isPetsc ? 0 : count);
	job->p = BR_ALLOC(allocator, brDVec3, count);
	job->q = BR_ALLOC(allocator, brDVec3, count);
	job->sums[0] = BR_ALLOC(allocator, double, brVectorBlocks(count));
	job->sums[1] = BR_ALLOC(allocator, double, brVectorBlocks(count));
	job->inverses = BR_ALLOC(allocator, brMat3, inverseCount);
	if (job->held == NULL || job->load == NULL || job->x == NULL || job->r == NULL || job->z == NULL ||
		job->p == NULL || job->q == NULL || job->inverses == NULL || job->sums[0] == NULL || job->sums[1] == NULL)
	{
		result = brFailMemory(report);
		goto done;
	}
	result = solveMakeLoad(job, load, report);
	result = result < 0 ? result : solvePrepare(job, report);
	if (result < 0)
	{
		goto done;
	}
	int64_t start = brClockNanoseconds();
	result = solveRun(job, report);
	if (result < 0)
	{
		goto done;
	}
	if (!solveFinish(job))
	{
		result = brFailMemory(report);
		goto done;
	}
	solveCount(job);
	stats.solveSeconds = brSecondsSince(start);
	if (outStats != NULL)
	{
		*outStats = stats;
	}
done:
	BR_FREE(allocator, job->held, count);
	BR_FREE(allocator, job->load, count);
	BR_FREE(allocator, job->x, count);
	BR_FREE(allocator, job->r, count);
	BR_FREE(allocator, job->z, isPetsc ? 0 : count);
	BR_FREE(allocator, job->p, count);
	BR_FREE(allocator, job->q, count);
	BR_FREE(allocator, job->sums[0], brVectorBlocks(count));
	BR_FREE(allocator, job->sums[1], brVectorBlocks(count));
	BR_FREE(allocator, job->inverses, inverseCount);
	BR_FREE(allocator, job, 1);
	return result == br_success ? brSucceed(report) : result;
}

// The matrix is another one.
static void solveForget(brElasticBody* body)
{
	body->system = NULL;
	brElasticBody_DropSolvers(body);
}

brResult brElasticBody_Solve(brElasticBody* body, const brContext* context, const brElasticLoad* load,
							 const brElasticSolveDef* def, brElasticStats* outStats, brReport* report)
{
	if (body == NULL)
	{
		return brFail(report, br_errorMisuse, "brElasticBody_Solve needs body");
	}
	brElasticSolveDef defaults = brDefaultElasticSolveDef(), own = def != NULL ? *def : defaults;
	if (own.stamp != BR_STAMP(own) || !(own.tolerance > 0.0) || own.maxIterations < 0)
	{
		return brFail(report, br_errorMisuse, "the solve was not started from its default, or is out of range");
	}
	if (body->contact.starts != NULL && !own.enableContact)
	{
		brElasticBody_FreeContact(body);
		solveForget(body);
	}
	brResult result = own.enableContact ? brElasticBody_MakeContact(body, report) : br_success;
	result = result >= 0 ? solveOnce(body, context, load, &own, outStats, report) : result;
	own.enableWarmStart = true;
	for (int32_t i = 0; i < SOLVE_CONTACT_ROUNDS && own.enableContact && result >= 0; ++i)
	{
		if (!(brElasticBody_UpdateContact(body) > SOLVE_CONTACT_SHARE))
		{
			break;
		}
		solveForget(body);
		result = solveOnce(body, context, load, &own, outStats, report);
	}
	return result;
}
