// SPDX-License-Identifier: MIT

// Conjugate gradients on the bonds of a cluster. Two things bring them to an end soon: the inverse of each node's own
// block, and the rigid motions of a few dozen boxes full of nodes, which carry loads from one end to the other at once.
// With T and w the motion of box a about its middle c, node i in it moves by T + w x (x_i - c), so a beam between boxes
// is to them what it is to nodes, with other levers, and beams inside do nothing: the small matrix is added up from the
// beams between boxes. Both are added, M = B + P Kc^-1 P^T (additive Schwarz, two levels).
//
// Cost: about 20 ns a beam and iteration, and a few dozen iterations. Memory: some 500 bytes a node and 120 a beam.

#include "fracture/bonds.h"

#include "base/cpu.h"
#include "base/memory.h"
#include "fracture/bond_system.h"

#include <math.h>
#include <string.h>

#define BOND_SHEAR 0.4      // G / E
#define BOND_TOLERANCE 1e-3 // of the energy norm of the loads
#define BOND_ITERATIONS 1000
#define BOND_BOXES 32     // the small matrix is dense: its cost grows with the cube
#define BOND_BOX_NODES 12 // fewer in a box are as well off alone
#define BOND_SOFT 1e-8    // added to the small matrix, which has no stiffness against motion of what nothing holds

struct brBondSystem
{
	brAllocator allocator;
	const brBondKernels* kernels;
	int32_t nodeCount, linkCount, blockCount, groupCount; // groups: of four nodes
	brBeamBlock* blocks;
	brBeamStress* stress;
	brBondDiagonals* diagonals; // [groupCount]
	brBondInverse* inverses;    // [4 groupCount]
	brBondRow* rows;            // [5 nodeCount]: x, r, z, p, q
	bool isFactored;
	bool isNew; // there is no last solution

	// The small system; none of it if boxCount is 0.
	int32_t boxCount;
	int32_t* boxes;      // [nodeCount] or -1: held
	brDVec3* offsets;    // [nodeCount] from the middle of the box
	double* matrix;      // [36 boxCount^2] L below the diagonal, its transpose above, 1 / D on it
	double* motion;      // [6 boxCount]
	double* boxDiagonal; // [6 boxCount]
};

void brDestroyBondSystem(brBondSystem* system)
{
	if (system == NULL)
	{
		return;
	}
	brAllocator allocator = system->allocator;
	int64_t n = system->nodeCount, boxes = system->boxCount;
	BR_FREE(&allocator, system->blocks, system->blockCount);
	BR_FREE(&allocator, system->stress, system->blockCount);
	BR_FREE(&allocator, system->diagonals, system->groupCount);
	BR_FREE(&allocator, system->inverses, BR_BOND_LANES * (int64_t)system->groupCount);
	brFreeArray(&allocator, system->rows, 5 * n, sizeof(brBondRow));
	BR_FREE(&allocator, system->boxes, n);
	BR_FREE(&allocator, system->offsets, n);
	BR_FREE(&allocator, system->matrix, 36 * boxes * boxes);
	BR_FREE(&allocator, system->motion, 6 * boxes);
	BR_FREE(&allocator, system->boxDiagonal, 6 * boxes);
	BR_FREE(&allocator, system, 1);
}

static void bondFill(brBondSystem* system, const brBondNode* nodes, const brBondLink* links)
{
	for (int32_t k = 0; k < system->linkCount; ++k)
	{
		const brBondLink* link = &links[k];
		brBeamBlock* block = &system->blocks[k / BR_BOND_LANES];
		int32_t lane = k % BR_BOND_LANES;
		brDVec3 a = nodes[link->nodes[0]].center, b = nodes[link->nodes[1]].center;
		brDVec3 ri = brDSub(link->center, a), rj = brDSub(link->center, b);
		double inertia = link->area * link->area / (4.0 * BR_PI);
		double inverse = 1.0 / fmax(brDDistance(a, b), 1e-3 * sqrt(link->area));
		block->i[lane] = link->nodes[0], block->j[lane] = link->nodes[1];
		block->ri[0][lane] = ri.x, block->ri[1][lane] = ri.y, block->ri[2][lane] = ri.z;
		block->rj[0][lane] = rj.x, block->rj[1][lane] = rj.y, block->rj[2][lane] = rj.z;
		block->n[0][lane] = link->normal.x, block->n[1][lane] = link->normal.y, block->n[2][lane] = link->normal.z;
		block->slide[lane] = BOND_SHEAR * link->area * inverse;
		block->opening[lane] = (1.0 - BOND_SHEAR) * link->area * inverse;
		block->bend[lane] = inertia * inverse;
		block->twisting[lane] = (2.0 * BOND_SHEAR - 1.0) * inertia * inverse;
		block->area[lane] = link->area;
	}
	for (int32_t k = system->linkCount; k < BR_BOND_LANES * system->blockCount; ++k)
	{
		system->blocks[k / BR_BOND_LANES].area[k % BR_BOND_LANES] = 1.0;
	}
	for (int32_t i = 0; i < BR_BOND_LANES * system->groupCount; ++i)
	{
		bool isFree = i < system->nodeCount && !nodes[i].isFixed;
		system->diagonals[i / BR_BOND_LANES].isFree[i % BR_BOND_LANES] = isFree ? 1.0 : 0.0;
	}
}

// How many boxes of about this edge a body takes.
static int64_t bondBoxCounts(brDVec3 extent, double edge, int32_t counts[3])
{
	const double sizes[3] = {extent.x, extent.y, extent.z};
	int64_t all = 1;
	for (int32_t k = 0; k < 3; ++k)
	{
		counts[k] = 1 + (int32_t)fmin(BOND_BOXES, sizes[k] / edge);
		all *= counts[k];
	}
	return all;
}

// Boxes as even as a grid has them; those without nodes have no number.
static bool bondMakeBoxes(brBondSystem* system, const brBondNode* nodes)
{
	const brAllocator* a = &system->allocator;
	int32_t n = system->nodeCount, most = n / BOND_BOX_NODES < BOND_BOXES ? n / BOND_BOX_NODES : BOND_BOXES;
	brDBox3 bounds = brMakeDBox3Empty();
	for (int32_t i = 0; i < n; ++i)
	{
		bounds = nodes[i].isFixed ? bounds : brDBox3_Include(bounds, nodes[i].center);
	}
	brDVec3 extent = brDSub(bounds.upper, bounds.lower);
	double edge = fmax(extent.x, fmax(extent.y, extent.z));
	if (most < 2 || !(edge > 0.0))
	{
		return true;
	}
	int32_t counts[3], finer[3];
	edge *= 1.01;
	bondBoxCounts(extent, edge, counts);
	for (; bondBoxCounts(extent, edge, finer) <= most; edge *= 0.93)
	{
		memcpy(counts, finer, sizeof(counts));
	}
	system->boxes = BR_ALLOC(a, int32_t, n);
	system->offsets = BR_ALLOC(a, brDVec3, n);
	if (system->boxes == NULL || system->offsets == NULL)
	{
		return false;
	}
	int32_t numbers[BOND_BOXES], members[BOND_BOXES] = {0};
	brDVec3 middles[BOND_BOXES] = {{0.0, 0.0, 0.0}};
	memset(numbers, -1, sizeof(numbers));
	const double scale[3] = {counts[0] / fmax(extent.x, 1e-300), counts[1] / fmax(extent.y, 1e-300),
							 counts[2] / fmax(extent.z, 1e-300)};
	for (int32_t i = 0; i < n; ++i)
	{
		brDVec3 p = brDSub(nodes[i].center, bounds.lower);
		const double place[3] = {p.x * scale[0], p.y * scale[1], p.z * scale[2]};
		int32_t box = 0;
		for (int32_t k = 2; k >= 0 && !nodes[i].isFixed; --k)
		{
			box = box * counts[k] + (place[k] < counts[k] ? (int32_t)place[k] : counts[k] - 1);
		}
		system->boxes[i] = -1;
		if (!nodes[i].isFixed)
		{
			numbers[box] = numbers[box] < 0 ? system->boxCount++ : numbers[box];
			system->boxes[i] = numbers[box];
			members[numbers[box]] += 1;
			middles[numbers[box]] = brDAdd(middles[numbers[box]], nodes[i].center);
		}
	}
	for (int32_t i = 0; i < n; ++i)
	{
		int32_t box = system->boxes[i];
		system->offsets[i] =
			box >= 0 ? brDSub(nodes[i].center, brDMul(1.0 / members[box], middles[box])) : brMakeDVec3(0.0, 0.0, 0.0);
	}
	int64_t boxes = system->boxCount;
	system->matrix = BR_ALLOC(a, double, 36 * boxes * boxes);
	system->motion = BR_ALLOC(a, double, 6 * boxes);
	system->boxDiagonal = BR_ALLOC(a, double, 6 * boxes);
	return system->matrix != NULL && system->motion != NULL && system->boxDiagonal != NULL;
}

brBondSystem* brCreateBondSystem(const brAllocator* allocator, const brBondNode* nodes, int32_t nodeCount,
								 const brBondLink* links, int32_t linkCount)
{
	brBondSystem* system = BR_ALLOC_ZERO(allocator, brBondSystem, 1);
	if (system == NULL)
	{
		return NULL;
	}
	system->allocator = *allocator;
	system->kernels = brGetBondKernels(brCpu_Best());
	system->nodeCount = nodeCount;
	system->linkCount = linkCount;
	system->blockCount = (linkCount + BR_BOND_LANES - 1) / BR_BOND_LANES;
	system->groupCount = (nodeCount + BR_BOND_LANES - 1) / BR_BOND_LANES;
	system->blocks = BR_ALLOC_ZERO(allocator, brBeamBlock, system->blockCount);
	system->stress = BR_ALLOC(allocator, brBeamStress, system->blockCount);
	system->diagonals = BR_ALLOC(allocator, brBondDiagonals, system->groupCount);
	system->inverses = BR_ALLOC(allocator, brBondInverse, BR_BOND_LANES * (int64_t)system->groupCount);
	system->rows = brAllocArray(allocator, 5 * (int64_t)nodeCount, sizeof(brBondRow));
	if (system->blocks == NULL || system->stress == NULL || system->diagonals == NULL || system->inverses == NULL ||
		system->rows == NULL || !bondMakeBoxes(system, nodes))
	{
		brDestroyBondSystem(system);
		return NULL;
	}
	memset(system->rows, 0, 5 * (size_t)nodeCount * sizeof(brBondRow));
	system->isNew = true;
	bondFill(system, nodes, links);
	return system;
}

void brBondSystem_Cut(brBondSystem* system, int32_t link)
{
	brBeamBlock* block = &system->blocks[link / BR_BOND_LANES];
	int32_t lane = link % BR_BOND_LANES;
	block->slide[lane] = block->opening[lane] = block->bend[lane] = block->twisting[lane] = 0.0;
	system->isFactored = false;
}

// Rows of a beam's resistance at an end with lever r: out[a] is the force and moment that motion a of the end brings
// about.
typedef struct BondEnd
{
	brDVec3 moves[6]; // of the bond by unit motions of the end
	brDVec3 turns[6];
} BondEnd;

static BondEnd bondEnd(brDVec3 r)
{
	BondEnd end = {.moves = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
				   .turns = {{0}, {0}, {0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
	for (int32_t k = 0; k < 3; ++k)
	{
		end.moves[3 + k] = brDCross(end.turns[3 + k], r);
	}
	return end;
}

static void bondAddBox(brBondSystem* system, int32_t a, int32_t b, const BondEnd* endA, const BondEnd* endB,
					   const brBeamBlock* block, int32_t lane, double sign)
{
	int32_t size = 6 * system->boxCount;
	brDVec3 n = {block->n[0][lane], block->n[1][lane], block->n[2][lane]};
	double slide = block->slide[lane], opening = block->opening[lane];
	double bend = block->bend[lane], twisting = block->twisting[lane];
	for (int32_t c = 0; c < 6; ++c)
	{
		brDVec3 f = brDMulAdd(brDMul(slide, endB->moves[c]), opening * brDDot(n, endB->moves[c]), n);
		brDVec3 m = brDMulAdd(brDMul(bend, endB->turns[c]), twisting * brDDot(n, endB->turns[c]), n);
		for (int32_t r = 0; r < 6; ++r)
		{
			system->matrix[(int64_t)(6 * a + r) * size + 6 * b + c] +=
				sign * (brDDot(endA->moves[r], f) + brDDot(endA->turns[r], m));
		}
	}
}

// The small matrix from the beams between boxes, or between a box and what is held; then its factors.
static void bondFactorBoxes(brBondSystem* system)
{
	int32_t size = 6 * system->boxCount;
	double* matrix = system->matrix;
	memset(matrix, 0, sizeof(double) * (size_t)size * (size_t)size);
	for (int32_t k = 0; k < system->linkCount; ++k)
	{
		const brBeamBlock* block = &system->blocks[k / BR_BOND_LANES];
		int32_t lane = k % BR_BOND_LANES, i = block->i[lane], j = block->j[lane];
		int32_t a = system->boxes[i], b = system->boxes[j];
		if (a == b || block->slide[lane] == 0.0)
		{
			continue;
		}
		brDVec3 ri = {block->ri[0][lane], block->ri[1][lane], block->ri[2][lane]};
		brDVec3 rj = {block->rj[0][lane], block->rj[1][lane], block->rj[2][lane]};
		BondEnd endA = bondEnd(brDAdd(ri, system->offsets[i])), endB = bondEnd(brDAdd(rj, system->offsets[j]));
		if (a >= 0)
		{
			bondAddBox(system, a, a, &endA, &endA, block, lane, 1.0);
		}
		if (b >= 0)
		{
			bondAddBox(system, b, b, &endB, &endB, block, lane, 1.0);
		}
		if (a >= 0 && b >= 0)
		{
			// The lower triangle is all that is read.
			bondAddBox(system, a > b ? a : b, a > b ? b : a, a > b ? &endA : &endB, a > b ? &endB : &endA, block, lane,
					   -1.0);
		}
	}
	for (int32_t c = 0; c < size; ++c)
	{
		system->boxDiagonal[c] = matrix[(int64_t)c * size + c];
	}
	// L D L^T, column by column; L once below the diagonal by rows and once above it by columns, so that all loops run
	// along memory.
	double* column = system->motion;
	for (int32_t c = 0; c < size; ++c)
	{
		double own = system->boxDiagonal[c] * (1.0 + BOND_SOFT), d = matrix[(int64_t)c * size + c] + BOND_SOFT * own;
		double inverse = d > 1e-3 * BOND_SOFT * own ? 1.0 / d : 0.0;
		for (int32_t r = c + 1; r < size; ++r)
		{
			column[r] = matrix[(int64_t)r * size + c];
		}
		for (int32_t r = c + 1; r < size; ++r)
		{
			double l = column[r] * inverse, *row = matrix + (int64_t)r * size;
			if (l != 0.0)
			{
				system->kernels->subtract(r - c, l, column + c + 1, row + c + 1);
			}
			row[c] = matrix[(int64_t)c * size + r] = l;
		}
		matrix[(int64_t)c * size + c] = inverse;
	}
}

static void bondFactor(brBondSystem* system)
{
	for (int32_t g = 0; g < system->groupCount; ++g)
	{
		memset(system->diagonals[g].entries, 0, sizeof(system->diagonals[g].entries));
	}
	system->kernels->addDiagonals(system->blocks, system->blockCount, system->diagonals);
	system->kernels->invert(system->diagonals, system->groupCount, system->inverses);
	if (system->boxCount > 0)
	{
		bondFactorBoxes(system);
	}
	system->isFactored = true;
}

// z += P Kc^-1 P^T r; returns what that adds to r.z.
static double bondBoxes(brBondSystem* system, const brBondRow* r, brBondRow* z)
{
	int32_t size = 6 * system->boxCount;
	double *y = system->motion, sum = 0.0;
	const double* matrix = system->matrix;
	memset(y, 0, sizeof(double) * (size_t)size);
	for (int32_t i = 0; i < system->nodeCount; ++i)
	{
		if (system->boxes[i] >= 0)
		{
			double* box = y + 6 * system->boxes[i];
			brDVec3 f = {r[i].at[0], r[i].at[1], r[i].at[2]}, m = brDCross(system->offsets[i], f);
			box[0] += f.x, box[1] += f.y, box[2] += f.z;
			box[3] += r[i].at[4] + m.x, box[4] += r[i].at[5] + m.y, box[5] += r[i].at[6] + m.z;
		}
	}
	for (int32_t a = 0; a < size; ++a)
	{
		system->kernels->subtract(size - a - 1, y[a], matrix + (int64_t)a * size + a + 1, y + a + 1);
	}
	for (int32_t a = 0; a < size; ++a)
	{
		double scaled = y[a] * matrix[(int64_t)a * size + a];
		sum += y[a] * scaled;
		y[a] = scaled;
	}
	for (int32_t a = size - 1; a > 0; --a)
	{
		system->kernels->subtract(a, y[a], matrix + (int64_t)a * size, y);
	}
	for (int32_t i = 0; i < system->nodeCount; ++i)
	{
		if (system->boxes[i] >= 0)
		{
			const double* box = y + 6 * system->boxes[i];
			brDVec3 turn = {box[3], box[4], box[5]}, move = brDCross(turn, system->offsets[i]);
			z[i].at[0] += box[0] + move.x, z[i].at[1] += box[1] + move.y, z[i].at[2] += box[2] + move.z;
			z[i].at[4] += turn.x, z[i].at[5] += turn.y, z[i].at[6] += turn.z;
		}
	}
	return sum;
}

// r = loads, less what the last solution carries if that is asked; z = M r. Returns r.z.
static double bondStart(brBondSystem* system, const brBondLoad* loads, bool isAgain)
{
	int32_t n = system->nodeCount;
	brBondRow *x = system->rows, *r = x + n, *z = r + n, *p = z + n, *q = p + n;
	for (int32_t i = 0; i < n; ++i)
	{
		const brBondLoad* load = &loads[i];
		r[i] = (brBondRow){
			{load->force.x, load->force.y, load->force.z, 0.0, load->torque.x, load->torque.y, load->torque.z, 0.0}};
	}
	memset(p, 0, (size_t)n * sizeof(brBondRow));
	memset(q, 0, (size_t)n * sizeof(brBondRow));
	if (isAgain)
	{
		system->kernels->multiply(system->blocks, system->blockCount, x, q);
	}
	double rho = system->kernels->advance(system->inverses, n, 1.0, p, q, x, r, z);
	return rho + (system->boxCount > 0 ? bondBoxes(system, r, z) : 0.0);
}

int32_t brBondSystem_Solve(brBondSystem* system, const brBondLoad* loads, brBondStress* outStress)
{
	const brBondKernels* kernels = system->kernels;
	int32_t n = system->nodeCount, iteration = 0;
	brBondRow *x = system->rows, *r = x + n, *z = r + n, *p = z + n, *q = p + n;
	if (!system->isFactored)
	{
		bondFactor(system);
	}
	// What the last solution leaves of the loads, against their size, both in the norm of the iteration. Where bonds
	// have gone since, it may leave more than there is: then nothing is the better start, and for what has come loose
	// the only one.
	double size = bondStart(system, loads, false), rho = system->isNew ? size : bondStart(system, loads, true);
	if (!(rho < size))
	{
		memset(x, 0, (size_t)n * sizeof(brBondRow));
		rho = bondStart(system, loads, false);
	}
	system->isNew = false;
	memcpy(p, z, (size_t)n * sizeof(brBondRow));
	while (rho > BOND_TOLERANCE * BOND_TOLERANCE * size && iteration < BOND_ITERATIONS)
	{
		memset(q, 0, (size_t)n * sizeof(brBondRow));
		kernels->multiply(system->blocks, system->blockCount, p, q);
		double curvature = kernels->dot(n, p, q);
		if (!(curvature > 0.0))
		{
			break;
		}
		double next = kernels->advance(system->inverses, n, rho / curvature, p, q, x, r, z);
		next += system->boxCount > 0 ? bondBoxes(system, r, z) : 0.0;
		kernels->turn(n, next / rho, z, p);
		rho = next;
		iteration += 1;
	}
	kernels->stress(system->blocks, system->blockCount, x, system->stress);
	for (int32_t k = 0; k < system->linkCount; ++k)
	{
		const brBeamStress* stress = &system->stress[k / BR_BOND_LANES];
		int32_t lane = k % BR_BOND_LANES;
		outStress[k] = (brBondStress){stress->tension[lane], stress->compression[lane]};
	}
	return iteration;
}
