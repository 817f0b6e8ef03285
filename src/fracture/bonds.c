// SPDX-License-Identifier: MIT

#include "fracture/bonds.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define BOND_SHEAR 0.4      // G / E
#define BOND_TOLERANCE 1e-3 // of the energy norm of the loads
#define BOND_ITERATIONS 1000
#define BOND_ROUNDING 1e-9

// Per bond: levers and stiffness.
typedef struct BondBeam
{
	int32_t i, j;
	brDVec3 ri, rj; // from the centres to the bond
	brDVec3 n;
	double open, slide, bend, twist;
} BondBeam;

typedef struct BondSystem
{
	const brBondNode* nodes;
	int32_t nodeCount;
	const BondBeam* beams;
	int32_t beamCount;
} BondSystem;

static brDVec3 bondGet(const double* x)
{
	return brMakeDVec3(x[0], x[1], x[2]);
}

static void bondAdd(double* x, brDVec3 v)
{
	x[0] += v.x, x[1] += v.y, x[2] += v.z;
}

// Force and moment of a beam on its second node, for displacements x.
static void bondForce(const BondBeam* beam, const double (*x)[6], brDVec3* outForce, brDVec3* outMoment)
{
	brDVec3 ti = bondGet(&x[beam->i][3]), tj = bondGet(&x[beam->j][3]);
	brDVec3 d = brDSub(brDAdd(bondGet(x[beam->j]), brDCross(tj, beam->rj)),
					   brDAdd(bondGet(x[beam->i]), brDCross(ti, beam->ri)));
	brDVec3 r = brDSub(tj, ti);
	*outForce = brDMulAdd(brDMul(-beam->slide, d), (beam->slide - beam->open) * brDDot(beam->n, d), beam->n);
	*outMoment = brDMulAdd(brDMul(-beam->bend, r), (beam->bend - beam->twist) * brDDot(beam->n, r), beam->n);
}

// y = K x; rows of fixed nodes are left at 0.
static void bondMultiply(const BondSystem* system, const double (*x)[6], double (*y)[6])
{
	memset(y, 0, sizeof(*y) * (size_t)system->nodeCount);
	for (int32_t k = 0; k < system->beamCount; ++k)
	{
		const BondBeam* beam = &system->beams[k];
		brDVec3 f, m;
		bondForce(beam, x, &f, &m);
		bondAdd(y[beam->i], f);
		bondAdd(&y[beam->i][3], brDAdd(m, brDCross(beam->ri, f)));
		f = brDNeg(f), m = brDNeg(m);
		bondAdd(y[beam->j], f);
		bondAdd(&y[beam->j][3], brDAdd(m, brDCross(beam->rj, f)));
	}
	for (int32_t i = 0; i < system->nodeCount; ++i)
	{
		if (system->nodes[i].isFixed)
		{
			memset(y[i], 0, sizeof(y[i]));
		}
	}
}

// Blocks of K on the diagonal, 6 x 6 by node, each replaced by its Cholesky factor (lower triangle). Where a block is not positive its row is 0.
static void bondFactor(const BondSystem* system, double (*blocks)[36])
{
	memset(blocks, 0, sizeof(*blocks) * (size_t)system->nodeCount);
	for (int32_t k = 0; k < system->beamCount; ++k)
	{
		const BondBeam* beam = &system->beams[k];
		for (int side = 0; side < 2; ++side)
		{
			double* block = blocks[side == 0 ? beam->i : beam->j];
			brDVec3 r = side == 0 ? beam->ri : beam->rj;
			brDVec3 moved[6] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
			for (int c = 0; c < 3; ++c)
			{
				moved[3 + c] = brDCross(moved[c], r);
			}
			for (int c = 0; c < 6; ++c)
			{
				for (int d = 0; d <= c; ++d)
				{
					double both = brDDot(moved[c], beam->n) * brDDot(moved[d], beam->n);
					block[6 * c + d] += beam->slide * brDDot(moved[c], moved[d]) + (beam->open - beam->slide) * both;
					if (d >= 3)
					{
						both = brDDot(moved[c - 3], beam->n) * brDDot(moved[d - 3], beam->n);
						block[6 * c + d] += (c == d ? beam->bend : 0.0) + (beam->twist - beam->bend) * both;
					}
				}
			}
		}
	}
	for (int32_t i = 0; i < system->nodeCount; ++i)
	{
		double* block = blocks[i];
		for (int c = 0; c < 6; ++c)
		{
			for (int d = 0; d <= c; ++d)
			{
				double sum = block[6 * c + d], diagonal = block[6 * c + c];
				for (int e = 0; e < d; ++e)
				{
					sum -= block[6 * c + e] * block[6 * d + e];
				}
				if (c == d)
				{
					block[7 * c] = sum > 1e-12 * diagonal ? sqrt(sum) : 0.0;
				}
				else
				{
					block[6 * c + d] = block[7 * d] > 0.0 ? sum / block[7 * d] : 0.0;
				}
			}
		}
	}
}

// out = block^-1 r by its factor.
static void bondPrecondition(const double* block, const double* r, double* out)
{
	for (int c = 0; c < 6; ++c)
	{
		double sum = r[c];
		for (int d = 0; d < c; ++d)
		{
			sum -= block[6 * c + d] * out[d];
		}
		out[c] = block[7 * c] > 0.0 ? sum / block[7 * c] : 0.0;
	}
	for (int c = 5; c >= 0; --c)
	{
		double sum = out[c];
		for (int d = c + 1; d < 6; ++d)
		{
			sum -= block[6 * d + c] * out[d];
		}
		out[c] = block[7 * c] > 0.0 ? sum / block[7 * c] : 0.0;
	}
}

static double bondDot(const double (*a)[6], const double (*b)[6], int32_t count)
{
	double sum = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		for (int k = 0; k < 6; ++k)
		{
			sum += a[i][k] * b[i][k];
		}
	}
	return sum;
}

// Conjugate gradients with the blocks as preconditioner. K has no part along rigid motions of a free cluster, and balanced loads neither.
static int32_t bondIterate(const BondSystem* system, const brBondLoad* loads, double (*x)[6], double (*work)[6],
						   double (*blocks)[36])
{
	int32_t n = system->nodeCount, iteration = 0;
	double(*r)[6] = work, (*z)[6] = work + n, (*p)[6] = work + 2 * (int64_t)n, (*q)[6] = work + 3 * (int64_t)n;
	bondFactor(system, blocks);
	bondMultiply(system, (const double(*)[6])x, q);
	double size = 0.0;
	for (int32_t i = 0; i < n; ++i)
	{
		const double load[6] = {loads[i].force.x,  loads[i].force.y,  loads[i].force.z,
								loads[i].torque.x, loads[i].torque.y, loads[i].torque.z};
		bool isFree = !system->nodes[i].isFixed;
		bondPrecondition(blocks[i], load, z[i]);
		for (int k = 0; k < 6; ++k)
		{
			r[i][k] = isFree ? load[k] - q[i][k] : 0.0;
			size += isFree ? load[k] * z[i][k] : 0.0;
		}
		bondPrecondition(blocks[i], r[i], z[i]);
		memcpy(p[i], z[i], sizeof(p[i]));
	}
	double rho = bondDot((const double(*)[6])r, (const double(*)[6])z, n);
	while (rho > BOND_TOLERANCE * BOND_TOLERANCE * size && iteration < BOND_ITERATIONS)
	{
		bondMultiply(system, (const double(*)[6])p, q);
		double curvature = bondDot((const double(*)[6])p, (const double(*)[6])q, n);
		if (!(curvature > 0.0))
		{
			break;
		}
		double alpha = rho / curvature;
		for (int32_t i = 0; i < n; ++i)
		{
			for (int k = 0; k < 6; ++k)
			{
				x[i][k] += alpha * p[i][k];
				r[i][k] -= alpha * q[i][k];
			}
			bondPrecondition(blocks[i], r[i], z[i]);
		}
		double next = bondDot((const double(*)[6])r, (const double(*)[6])z, n), beta = next / rho;
		for (int32_t i = 0; i < n; ++i)
		{
			for (int k = 0; k < 6; ++k)
			{
				p[i][k] = z[i][k] + beta * p[i][k];
			}
		}
		rho = next;
		iteration += 1;
	}
	return iteration;
}

static brBondStress bondStress(const BondBeam* beam, double area, const double (*x)[6])
{
	brDVec3 f, m;
	bondForce(beam, x, &f, &m);
	// The force on the second node is opposite to what pulls the first along the normal: opening pulls it back.
	double normal = -brDDot(f, beam->n), slide = brDLength(brDMulAdd(f, normal, beam->n));
	double twist = fabs(brDDot(m, beam->n)), bend = brDLength(brDMulAdd(m, -brDDot(m, beam->n), beam->n));
	double modulus = area * sqrt(area) / (4.0 * sqrt(BR_PI)); // of a round section
	double shear = slide / area + twist / (2.0 * modulus), rim = bend / modulus;
	double pull = normal / area + rim, push = -normal / area + rim;
	brBondStress stress;
	stress.tension = fmax(0.0, 0.5 * pull + sqrt(0.25 * pull * pull + shear * shear));
	stress.compression = fmax(0.0, push);
	return stress;
}

brResult brSolveBonds(const brAllocator* allocator, const brBondNode* nodes, int32_t nodeCount, const brBondLink* links,
					  int32_t linkCount, const brBondLoad* loads, double (*solution)[6], brBondStress* outStress,
					  int32_t* outIterations)
{
	BondBeam* beams = BR_ALLOC(allocator, BondBeam, linkCount);
	double(*work)[6] = brAllocArray(allocator, 4 * (int64_t)nodeCount, sizeof(*work));
	double(*blocks)[36] = brAllocArray(allocator, nodeCount, sizeof(*blocks));
	brResult result = beams != NULL && work != NULL && blocks != NULL ? br_success : br_errorMemory;
	if (result < 0)
	{
		goto exit;
	}
	for (int32_t k = 0; k < linkCount; ++k)
	{
		const brBondLink* link = &links[k];
		brDVec3 a = nodes[link->nodes[0]].center, b = nodes[link->nodes[1]].center;
		double inertia = link->area * link->area / (4.0 * BR_PI);
		double length = fmax(brDDistance(a, b), 1e-3 * sqrt(link->area));
		beams[k] = (BondBeam){link->nodes[0],
							  link->nodes[1],
							  brDSub(link->center, a),
							  brDSub(link->center, b),
							  link->normal,
							  link->area / length,
							  BOND_SHEAR * link->area / length,
							  inertia / length,
							  2.0 * BOND_SHEAR * inertia / length};
	}
	BondSystem system = {nodes, nodeCount, beams, linkCount};
	int32_t iterations = bondIterate(&system, loads, solution, work, blocks);
	for (int32_t k = 0; k < linkCount; ++k)
	{
		outStress[k] = bondStress(&beams[k], links[k].area, (const double(*)[6])solution);
	}
	if (outIterations != NULL)
	{
		*outIterations = iterations;
	}

exit:
	BR_FREE(allocator, beams, linkCount);
	brFreeArray(allocator, work, 4 * (int64_t)nodeCount, sizeof(*work));
	brFreeArray(allocator, blocks, nodeCount, sizeof(*blocks));
	return result;
}

void brBalanceLoads(const brBondNode* nodes, int32_t nodeCount, const int32_t* sets, int32_t set, brBondLoad* loads)
{
	double mass = 0.0, largest = 0.0, reach = 0.0;
	int32_t first = 0;
	while (first + 1 < nodeCount && sets[first] != set)
	{
		first += 1;
	}
	brDVec3 center = {0.0, 0.0, 0.0}, force = {0.0, 0.0, 0.0}, torque = {0.0, 0.0, 0.0};
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		if (sets[i] != set)
		{
			continue;
		}
		mass += nodes[i].volume;
		center = brDMulAdd(center, nodes[i].volume, nodes[i].center);
		force = brDAdd(force, loads[i].force);
		largest = fmax(largest, brDLength(loads[i].force));
		reach = fmax(reach, brDDistance(nodes[i].center, nodes[first].center));
	}
	if (!(mass > 0.0))
	{
		return;
	}
	center = brDMul(1.0 / mass, center);
	brMat3 inertia = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		if (sets[i] != set)
		{
			continue;
		}
		brDVec3 r = brDSub(nodes[i].center, center);
		double m = nodes[i].volume, square = brDLengthSq(r);
		torque = brDAdd(torque, brDAdd(loads[i].torque, brDCross(r, loads[i].force)));
		inertia.cx = brDAdd(inertia.cx, brDMul(m, brDMulAdd(brMakeDVec3(square, 0.0, 0.0), -r.x, r)));
		inertia.cy = brDAdd(inertia.cy, brDMul(m, brDMulAdd(brMakeDVec3(0.0, square, 0.0), -r.y, r)));
		inertia.cz = brDAdd(inertia.cz, brDMul(m, brDMulAdd(brMakeDVec3(0.0, 0.0, square), -r.z, r)));
	}
	// A row of nodes does not resist turning about itself; a little of its own inertia makes the matrix regular.
	double own = 1e-6 * (inertia.cx.x + inertia.cy.y + inertia.cz.z);
	inertia.cx.x += own, inertia.cy.y += own, inertia.cz.z += own;
	brMat3 cofactor = brMat3_Cofactor(&inertia);
	double determinant = brMat3_Determinant(&inertia);
	brDVec3 turn =
		determinant > 0.0 ? brDMul(1.0 / determinant, brMat3_MulV(&cofactor, torque)) : brMakeDVec3(0.0, 0.0, 0.0);
	brDVec3 push = brDMul(1.0 / mass, force);
	brDVec3 left = torque;
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		if (sets[i] != set)
		{
			continue;
		}
		brDVec3 r = brDSub(nodes[i].center, center);
		brDVec3 inertial = brDMul(nodes[i].volume, brDAdd(push, brDCross(turn, r)));
		loads[i].force = brDSub(loads[i].force, inertial);
		left = brDSub(left, brDCross(r, inertial));
	}
	// What is left of the torque is spread over the nodes.
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		if (sets[i] != set)
		{
			continue;
		}
		loads[i].torque = brDMulAdd(loads[i].torque, -nodes[i].volume / mass, left);
		// Rounding is no load: nothing would stop the iteration on it.
		bool isForce = brDLength(loads[i].force) > BOND_ROUNDING * largest;
		bool isTorque = brDLength(loads[i].torque) > BOND_ROUNDING * largest * reach;
		loads[i].force = isForce ? loads[i].force : brMakeDVec3(0.0, 0.0, 0.0);
		loads[i].torque = isTorque ? loads[i].torque : brMakeDVec3(0.0, 0.0, 0.0);
	}
}

int32_t brBondComponents(int32_t nodeCount, const brBondLink* links, int32_t linkCount, int32_t* outComponents)
{
	// Union by the lower node, with outComponents as parents.
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		outComponents[i] = i;
	}
	for (int32_t k = 0; k < linkCount; ++k)
	{
		int32_t a = links[k].nodes[0], b = links[k].nodes[1];
		while (outComponents[a] != a)
		{
			a = outComponents[a] = outComponents[outComponents[a]];
		}
		while (outComponents[b] != b)
		{
			b = outComponents[b] = outComponents[outComponents[b]];
		}
		outComponents[a < b ? b : a] = a < b ? a : b;
	}
	// Parents come before their children, so one pass upward gives every node the number of its root.
	int32_t count = 0;
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		outComponents[i] = outComponents[i] == i ? count++ : outComponents[outComponents[i]];
	}
	return count;
}
