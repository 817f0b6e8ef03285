// SPDX-License-Identifier: MIT

// The equations of bonded clusters: the iteration against elimination, every set of instructions against the plain one,
// going on against starting anew.

#include "base/cpu.h"
#include "base/memory.h"
#include "brittle/brittle.h"
#include "fracture/bond_system.h"
#include "fracture/bonds.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOND_NODES 160
#define BOND_LINKS 900

typedef struct BondGraph
{
	brBondNode nodes[BOND_NODES];
	brBondLink links[BOND_LINKS];
	brBondLoad loads[BOND_NODES];
	brBondStress stress[BOND_LINKS];
	int32_t nodeCount, linkCount;
} BondGraph;

static brDVec3 bondsPoint(brRandom* random, double size)
{
	return brMakeDVec3(brRandom_Range(random, -size, size), brRandom_Range(random, -size, size),
					   brRandom_Range(random, -size, size));
}

// A bent grid whose neighbors are bonded, with some bonds missing; held at some nodes, or loose and in balance.
static void bondsMake(BondGraph* graph, int32_t nx, int32_t ny, int32_t nz, bool isHeld, brRandom* random)
{
	memset(graph, 0, sizeof(*graph));
	graph->nodeCount = nx * ny * nz;
	for (int32_t i = 0; i < graph->nodeCount; ++i)
	{
		int32_t x = i % nx, y = i / nx % ny, z = i / nx / ny;
		brDVec3 at = brDAdd(brMakeDVec3(x, y, z), bondsPoint(random, 0.2));
		graph->nodes[i] = (brBondNode){.center = at, .volume = brRandom_Range(random, 0.5, 2.0)};
		graph->nodes[i].isFixed = isHeld && z == 0;
		graph->loads[i] = (brBondLoad){bondsPoint(random, 1.0), bondsPoint(random, 0.3)};
	}
	for (int32_t i = 0; i < graph->nodeCount; ++i)
	{
		int32_t x = i % nx, y = i / nx % ny, z = i / nx / ny;
		const int32_t ends[3] = {x + 1 < nx ? i + 1 : -1, y + 1 < ny ? i + nx : -1, z + 1 < nz ? i + nx * ny : -1};
		for (int32_t k = 0; k < 3; ++k)
		{
			// All uprights stay, so that nothing comes loose.
			if (ends[k] < 0 || (k < 2 && z > 0 && brRandom_Unit(random) < 0.15))
			{
				continue;
			}
			brDVec3 a = graph->nodes[i].center, b = graph->nodes[ends[k]].center;
			brDVec3 normal = brDNormalize(brDAdd(brDSub(b, a), bondsPoint(random, 0.2)));
			brDVec3 middle = brDAdd(brDLerp(a, b, 0.5), bondsPoint(random, 0.1));
			graph->links[graph->linkCount++] =
				(brBondLink){{i, ends[k]}, brRandom_Range(random, 0.3, 1.5), middle, normal, 1.0};
		}
	}
	CHECK(graph->nodeCount <= BOND_NODES && graph->linkCount <= BOND_LINKS);
	if (!isHeld)
	{
		int32_t sets[BOND_NODES] = {0};
		brBalanceLoads(graph->nodes, graph->nodeCount, sets, 0, graph->loads);
	}
}

// Elimination with pivots on the whole matrix, added up beam by beam. What nothing holds is held at the first node:
// stress does not mind.
static void bondsSlow(const BondGraph* graph, double (*x)[6])
{
	int32_t size = 6 * graph->nodeCount;
	double* m = malloc((size_t)size * (size_t)(size + 1) * sizeof(double));
	memset(m, 0, (size_t)size * (size_t)(size + 1) * sizeof(double));
	for (int32_t k = 0; k < graph->linkCount; ++k)
	{
		const brBondLink* link = &graph->links[k];
		double length = brDDistance(graph->nodes[link->nodes[0]].center, graph->nodes[link->nodes[1]].center);
		double inertia = link->area * link->area / (4.0 * BR_PI), shear = 0.4;
		// Columns: displacement and turn at the bond per unit motion of each of the 12 unknowns.
		brDVec3 move[12], turn[12];
		int32_t place[12];
		for (int32_t u = 0; u < 12; ++u)
		{
			int32_t end = u / 6, c = u % 6;
			brDVec3 axis = {c % 3 == 0, c % 3 == 1, c % 3 == 2}, none = {0.0, 0.0, 0.0};
			brDVec3 r = brDSub(link->center, graph->nodes[link->nodes[end]].center);
			double sign = end == 0 ? -1.0 : 1.0;
			place[u] = 6 * link->nodes[end] + c;
			move[u] = brDMul(sign, c < 3 ? axis : brDCross(axis, r));
			turn[u] = c < 3 ? none : brDMul(sign, axis);
		}
		for (int32_t a = 0; a < 12; ++a)
		{
			for (int32_t b = 0; b < 12; ++b)
			{
				double along = brDDot(move[a], link->normal) * brDDot(move[b], link->normal);
				double about = brDDot(turn[a], link->normal) * brDDot(turn[b], link->normal);
				double value = link->area / length * (along + shear * (brDDot(move[a], move[b]) - along));
				value += inertia / length * (2.0 * shear * about + (brDDot(turn[a], turn[b]) - about));
				m[(size_t)place[a] * (size_t)(size + 1) + (size_t)place[b]] += value;
			}
		}
	}
	bool hasFixed = false;
	for (int32_t i = 0; i < graph->nodeCount; ++i)
	{
		hasFixed = hasFixed || graph->nodes[i].isFixed;
	}
	for (int32_t i = 0; i < graph->nodeCount; ++i)
	{
		const brBondLoad* load = &graph->loads[i];
		const double f[6] = {load->force.x,  load->force.y,  load->force.z,
							 load->torque.x, load->torque.y, load->torque.z};
		bool isFixed = graph->nodes[i].isFixed || (!hasFixed && i == 0);
		for (int32_t c = 0; c < 6; ++c)
		{
			double* row = m + (size_t)(6 * i + c) * (size_t)(size + 1);
			row[size] = f[c];
			if (isFixed)
			{
				memset(row, 0, (size_t)(size + 1) * sizeof(double));
				row[6 * i + c] = 1.0;
			}
		}
	}
	for (int32_t c = 0; c < size; ++c)
	{
		int32_t best = c;
		for (int32_t r = c + 1; r < size; ++r)
		{
			best = fabs(m[(size_t)r * (size_t)(size + 1) + (size_t)c]) >
						   fabs(m[(size_t)best * (size_t)(size + 1) + (size_t)c])
					   ? r
					   : best;
		}
		for (int32_t k = c; k <= size; ++k)
		{
			double* one = &m[(size_t)c * (size_t)(size + 1) + (size_t)k];
			double *two = &m[(size_t)best * (size_t)(size + 1) + (size_t)k], kept = *one;
			*one = *two, *two = kept;
		}
		for (int32_t r = 0; r < size; ++r)
		{
			double* row = m + (size_t)r * (size_t)(size + 1);
			const double* pivot = m + (size_t)c * (size_t)(size + 1);
			double factor = r == c ? 0.0 : row[c] / pivot[c];
			for (int32_t k = c; factor != 0.0 && k <= size; ++k)
			{
				row[k] -= factor * pivot[k];
			}
		}
	}
	for (int32_t i = 0; i < size; ++i)
	{
		const double* row = m + (size_t)i * (size_t)(size + 1);
		x[i / 6][i % 6] = row[size] / row[i];
	}
	free(m);
}

static brBondStress bondsSlowStress(const BondGraph* graph, int32_t k, const double (*x)[6])
{
	const brBondLink* link = &graph->links[k];
	brDVec3 move[2], turn[2];
	for (int32_t end = 0; end < 2; ++end)
	{
		const double* u = x[link->nodes[end]];
		turn[end] = brMakeDVec3(u[3], u[4], u[5]);
		brDVec3 r = brDSub(link->center, graph->nodes[link->nodes[end]].center);
		move[end] = brDAdd(brMakeDVec3(u[0], u[1], u[2]), brDCross(turn[end], r));
	}
	brDVec3 d = brDSub(move[1], move[0]), w = brDSub(turn[1], turn[0]), n = link->normal;
	double length = brDDistance(graph->nodes[link->nodes[0]].center, graph->nodes[link->nodes[1]].center);
	double inertia = link->area * link->area / (4.0 * BR_PI), modulus = inertia / sqrt(link->area / BR_PI);
	double pull = brDDot(d, n) / length, slide = 0.4 * brDLength(brDMulAdd(d, -brDDot(d, n), n)) / length;
	double bend = inertia / length * brDLength(brDMulAdd(w, -brDDot(w, n), n)) / modulus;
	double twist = 0.8 * inertia / length * fabs(brDDot(w, n)) / (2.0 * modulus);
	double shear = slide + twist, most = pull + bend;
	return (brBondStress){fmax(0.0, 0.5 * most + sqrt(0.25 * most * most + shear * shear)), fmax(0.0, bend - pull)};
}

BR_TEST(bonds_of_random_graphs_are_stressed_as_elimination_says)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	BondGraph* graph = malloc(sizeof(BondGraph));
	for (int32_t round = 0; round < brTest_Rounds(test, 6); ++round)
	{
		// The larger ones have boxes, half of them are loose.
		bool isLarge = round % 3 == 2;
		bondsMake(graph, isLarge ? 4 : 3, isLarge ? 4 : 2, isLarge ? 7 : 4, round % 2 == 0, &random);
		double(*x)[6] = malloc(BOND_NODES * sizeof(*x));
		bondsSlow(graph, x);
		brBondSystem* system =
			brCreateBondSystem(&allocator, graph->nodes, graph->nodeCount, graph->links, graph->linkCount);
		CHECK(brBondSystem_Solve(system, graph->loads, graph->stress) > 0);
		double largest = 0.0;
		for (int32_t k = 0; k < graph->linkCount; ++k)
		{
			largest = fmax(largest, bondsSlowStress(graph, k, (const double(*)[6])x).tension);
		}
		for (int32_t k = 0; k < graph->linkCount; ++k)
		{
			brBondStress slow = bondsSlowStress(graph, k, (const double(*)[6])x);
			// The norm is of all bonds; one alone may be off by more.
			CHECK_NEAR(graph->stress[k].tension, slow.tension, 0.01 * largest);
			CHECK_NEAR(graph->stress[k].compression, slow.compression, 0.01 * largest);
		}
		brDestroyBondSystem(system);
		free(x);
	}
	free(graph);
}

BR_TEST(bonds_go_on_after_cuts_as_if_begun_anew)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	BondGraph* graph = malloc(sizeof(BondGraph));
	for (int32_t round = 0; round < brTest_Rounds(test, 10); ++round)
	{
		bondsMake(graph, 4, 4, 6, true, &random);
		brBondSystem* system =
			brCreateBondSystem(&allocator, graph->nodes, graph->nodeCount, graph->links, graph->linkCount);
		brBondSystem_Solve(system, graph->loads, graph->stress);
		CHECK_EQUAL(brBondSystem_Solve(system, graph->loads, graph->stress), 0);
		for (int32_t cut = 0; cut < 8; ++cut)
		{
			int32_t k;
			do
			{
				k = (int32_t)brRandom_Below(&random, (uint32_t)graph->linkCount);
			} while (graph->links[k].nodes[1] - graph->links[k].nodes[0] == 16); // uprights stay
			brBondSystem_Cut(system, k);
			graph->links[k].area = 0.0;
		}
		brBondSystem_Solve(system, graph->loads, graph->stress);
		BondGraph* left = malloc(sizeof(BondGraph));
		*left = *graph;
		left->linkCount = 0;
		for (int32_t k = 0; k < graph->linkCount; ++k)
		{
			if (graph->links[k].area > 0.0)
			{
				left->links[left->linkCount++] = graph->links[k];
			}
			else
			{
				CHECK(graph->stress[k].tension == 0.0 && graph->stress[k].compression == 0.0);
			}
		}
		brBondSystem* fresh =
			brCreateBondSystem(&allocator, left->nodes, left->nodeCount, left->links, left->linkCount);
		brBondSystem_Solve(fresh, left->loads, left->stress);
		double largest = 0.0;
		for (int32_t k = 0; k < left->linkCount; ++k)
		{
			largest = fmax(largest, left->stress[k].tension);
		}
		for (int32_t k = 0, at = 0; k < graph->linkCount; ++k)
		{
			if (graph->links[k].area > 0.0)
			{
				CHECK_NEAR(graph->stress[k].tension, left->stress[at++].tension, 0.01 * largest);
			}
		}
		brDestroyBondSystem(fresh);
		brDestroyBondSystem(system);
		free(left);
	}
	free(graph);
}

#if defined(__x86_64__) && !defined(BR_SCALAR)
BR_TEST(bonds_give_the_same_bits_by_every_set_of_instructions)
{
	if (brCpu_Best() < br_cpuAvx2)
	{
		brTest_Skip("this processor has no AVX2");
	}
	enum
	{
		blockCount = 37,
		nodeCount = 44
	};
	brRandom random = brTest_Random(test);
	const brBondKernels* kernels[2] = {brGetBondKernels(br_cpuSse2), brGetBondKernels(br_cpuAvx2)};
	brBeamBlock* blocks = malloc(sizeof(brBeamBlock) * blockCount);
	for (int32_t k = 0; k < blockCount; ++k)
	{
		for (int32_t lane = 0; lane < BR_BOND_LANES; ++lane)
		{
			blocks[k].i[lane] = (int32_t)brRandom_Below(&random, nodeCount);
			blocks[k].j[lane] = (int32_t)brRandom_Below(&random, nodeCount);
			brDVec3 n = brDNormalize(bondsPoint(&random, 1.0));
			const double axis[3] = {n.x, n.y, n.z};
			for (int32_t c = 0; c < 3; ++c)
			{
				blocks[k].ri[c][lane] = brRandom_Range(&random, -1.0, 1.0);
				blocks[k].rj[c][lane] = brRandom_Range(&random, -1.0, 1.0);
				blocks[k].n[c][lane] = axis[c];
			}
			blocks[k].slide[lane] = brRandom_Unit(&random), blocks[k].opening[lane] = brRandom_Unit(&random);
			blocks[k].bend[lane] = brRandom_Unit(&random), blocks[k].twisting[lane] = -0.2 * blocks[k].bend[lane];
			blocks[k].area[lane] = brRandom_Range(&random, 0.1, 2.0);
		}
	}
	typedef struct Work
	{
		brBondRow x[nodeCount], r[nodeCount], z[nodeCount], p[nodeCount], q[nodeCount];
		brBondDiagonals diagonals[nodeCount / BR_BOND_LANES];
		brBondInverse inverses[nodeCount];
		brBeamStress stress[blockCount];
		double line[53], sums[2];
	} Work;
	Work* works = malloc(2 * sizeof(Work));
	memset(works, 0, 2 * sizeof(Work));
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		for (int32_t c = 0; c < BR_BOND_ROW; ++c)
		{
			works[0].x[i].at[c] = c % 4 == 3 ? 0.0 : brRandom_Range(&random, -1.0, 1.0);
			works[0].r[i].at[c] = c % 4 == 3 ? 0.0 : brRandom_Range(&random, -1.0, 1.0);
			works[0].p[i].at[c] = c % 4 == 3 ? 0.0 : brRandom_Range(&random, -1.0, 1.0);
		}
		works[0].diagonals[i / BR_BOND_LANES].isFree[i % BR_BOND_LANES] = i % 5 != 0;
	}
	works[1] = works[0];
	for (int32_t k = 0; k < 2; ++k)
	{
		Work* w = &works[k];
		kernels[k]->addDiagonals(blocks, blockCount, w->diagonals);
		kernels[k]->invert(w->diagonals, nodeCount / BR_BOND_LANES, w->inverses);
		kernels[k]->multiply(blocks, blockCount, w->p, w->q);
		w->sums[0] = kernels[k]->dot(nodeCount, w->p, w->q);
		w->sums[1] = kernels[k]->advance(w->inverses, nodeCount, 0.3, w->p, w->q, w->x, w->r, w->z);
		kernels[k]->turn(nodeCount, 0.7, w->z, w->p);
		kernels[k]->stress(blocks, blockCount, w->x, w->stress);
		for (int32_t i = 0; i < 53; ++i)
		{
			w->line[i] = 0.1 * i;
		}
		kernels[k]->subtract(53, 0.37, &w->x[0].at[0], w->line);
	}
	CHECK(works[0].sums[0] != 0.0 && works[0].sums[1] > 0.0);
	CHECK(memcmp(&works[0], &works[1], sizeof(Work)) == 0);
	free(works);
	free(blocks);
}
#endif
