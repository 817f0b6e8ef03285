// SPDX-License-Identifier: MIT

// Loads on values.
//
// A node's force goes to its own side. The traction on a face that a crack cuts goes to each side by the share of the face there:
// the integral of a shape function over a part of a triangle is the part's area times the function at its centre.
//
// Free bodies: the rigid acceleration that a load causes takes inertia forces m a with it, which balance it; what is left only deforms.
// With lumped masses both sums are exact up to rounding, whatever cracks did to the mesh.

#include "elastic/loads.h"

#include "elastic/modes.h"
#include "elastic/tet_split.h"

#include "base/assert.h"
#include "base/report.h"

#include <string.h>

brElasticLoad brDefaultElasticLoad(void)
{
	brElasticLoad load = {0};
	load.stamp = BR_STAMP;
	return load;
}

// The tet that has all three nodes, the lowest of several, or -1.
static int32_t loadsFindTet(const brElasticBody* body, const int32_t* triangle, int32_t outCorners[3])
{
	for (int32_t i = body->cornerStarts[triangle[0]]; i < body->cornerStarts[triangle[0] + 1]; ++i)
	{
		int32_t tet = body->corners[i] / 4, found = 0;
		for (int k = 0; k < 3; ++k)
		{
			for (int a = 0; a < 4; ++a)
			{
				if (body->mesh->tets[tet][a] == triangle[k])
				{
					outCorners[k] = a;
					found += 1;
				}
			}
		}
		if (found == 3)
		{
			return tet;
		}
	}
	return -1;
}

static int32_t loadsPieceWith(const brPieceSet* set, int32_t cutIndex, uint32_t signs)
{
	const brCutTet* cut = &set->cuts[cutIndex];
	int32_t best = 0, bestBits = -1;
	for (int32_t k = 0; k < cut->pieceCount; ++k)
	{
		uint32_t same = ~(set->shapes[set->shapeStarts[cutIndex] + k].signs ^ signs);
		int32_t bits = 0;
		for (int32_t c = 0; c < cut->crackCount; ++c)
		{
			bits += (int32_t)(same >> c & 1);
		}
		best = bits > bestBits ? k : best;
		bestBits = bits > bestBits ? bits : bestBits;
	}
	return brCutTet_Piece(cut, best);
}

static void loadsAddTraction(const brElasticBody* body, int32_t tet, const int32_t* corners, const int32_t* triangle,
							 brDVec3 traction, brDVec3* out)
{
	const brPieceSet* set = &body->set;
	const brDVec3* nodes = body->mesh->nodes;
	brDVec3 a = nodes[triangle[0]];
	double area = 0.5 * brDLength(brDCross(brDSub(nodes[triangle[1]], a), brDSub(nodes[triangle[2]], a)));
	int32_t cutIndex = set->cutOfTet[tet];
	if (cutIndex < 0)
	{
		for (int k = 0; k < 3; ++k)
		{
			int32_t value = set->pieceValues[tet][corners[k]];
			out[value] = brDMulAdd(out[value], area / 3.0, traction);
		}
		return;
	}
	const brCutTet* cut = &set->cuts[cutIndex];
	double phi[BR_MOST_CRACKS_PER_TET][3];
	for (int32_t c = 0; c < cut->crackCount; ++c)
	{
		for (int k = 0; k < 3; ++k)
		{
			phi[c][k] = cut->phi[c][corners[k]];
		}
	}
	brTetShares shares;
	brSplitTriangle((const double(*)[3])phi, cut->crackCount, &shares);
	for (uint32_t s = 0; s < 1u << cut->crackCount; ++s)
	{
		for (int k = 0; shares.volumes[s] > 0.0 && k < 3; ++k)
		{
			int32_t value = set->pieceValues[loadsPieceWith(set, cutIndex, s)][corners[k]];
			out[value] = brDMulAdd(out[value], area * shares.volumes[s] * shares.centers[s][k], traction);
		}
	}
}

brResult brElasticBody_Forces(const brElasticBody* body, const brElasticLoad* load, brDVec3* out, brReport* report)
{
	const brPieceSet* set = &body->set;
	BR_ASSERT(load->stamp == BR_STAMP);
	if (load->stamp != BR_STAMP || !brDIsFinite(load->acceleration))
	{
		return brFail(report, br_errorMisuse, "the load was not started from its default, or is not finite");
	}
	for (int32_t v = 0; v < set->valueCount; ++v)
	{
		out[v] = brDMul(set->masses[v], load->acceleration);
	}
	for (int32_t i = 0; i < load->forceCount; ++i)
	{
		int32_t node = load->forceNodes[i];
		if (node < 0 || node >= body->nodeCount || body->cornerStarts[node] == body->cornerStarts[node + 1])
		{
			return brFailAt(report, br_errorMisuse, i, "force %d pulls at node %d, which no tet has", i, node);
		}
		if (!brDIsFinite(load->forces[i]))
		{
			return brFailAt(report, br_errorMisuse, i, "force %d is not finite", i);
		}
		out[node] = brDAdd(out[node], load->forces[i]);
	}
	for (int32_t i = 0; i < load->tractionCount; ++i)
	{
		const int32_t* triangle = load->tractionTriangles[i];
		int32_t corners[3] = {0, 0, 0}, tet = -1;
		bool good = brDIsFinite(load->tractions[i]);
		for (int k = 0; k < 3; ++k)
		{
			good = good && triangle[k] >= 0 && triangle[k] < body->nodeCount;
		}
		tet = good ? loadsFindTet(body, triangle, corners) : -1;
		if (tet < 0)
		{
			return brFailAt(report, br_errorMisuse, i, "traction %d is not finite or on no face of a tet", i);
		}
		loadsAddTraction(body, tet, corners, triangle, load->tractions[i], out);
	}
	return br_success;
}

// One free motion of a part at a value, zero on held axes.
static brDVec3 loadsMode(const brElasticBody* body, int32_t value, int32_t part, double size, int32_t mode)
{
	const brElasticPart* p = &body->set.parts[part];
	int32_t node = body->set.valueNodes[value];
	brDVec3 shift;
	brRigidMotion(brDSub(body->mesh->nodes[node], p->center), size, body->freeModes[part][mode], &shift);
	uint32_t held = body->heldAxes[node];
	return (brDVec3){(held & 1) != 0 ? 0.0 : shift.x, (held & 2) != 0 ? 0.0 : shift.y, (held & 4) != 0 ? 0.0 : shift.z};
}

// Solves a small symmetric positive system by elimination.
static void loadsSolveSmall(double a[6][6], double b[6], int32_t n)
{
	for (int p = 0; p < n; ++p)
	{
		double pivot = a[p][p] > 0.0 ? 1.0 / a[p][p] : 0.0;
		for (int r = 0; r < n; ++r)
		{
			double factor = r != p ? a[r][p] * pivot : 0.0;
			for (int c = p; c < n && factor != 0.0; ++c)
			{
				a[r][c] -= factor * a[p][c];
			}
			b[r] -= factor * b[p];
		}
	}
	for (int p = 0; p < n; ++p)
	{
		b[p] = a[p][p] > 0.0 ? b[p] / a[p][p] : 0.0;
	}
}

// field -= weight * (sum of modes c_m z_m) with c such that the work of what is left on all modes is zero. Forces: work is z . f and the
// weight is the mass; displacements: work is z . m u and the weight is 1.
static bool loadsDeflate(const brElasticBody* body, brDVec3* field, bool isForce)
{
	const brPieceSet* set = &body->set;
	bool isFree = false;
	for (int32_t p = 0; p < set->partCount; ++p)
	{
		isFree = isFree || set->parts[p].freeModes > 0;
	}
	// 36 products of modes, 6 works, the size of the part.
	double(*sums)[43] = isFree ? brAllocZeroArray(&body->allocator, set->partCount, sizeof(*sums)) : NULL;
	if (sums == NULL)
	{
		return !isFree;
	}
	for (int32_t p = 0; p < set->partCount; ++p)
	{
		sums[p][42] = brElasticBody_PartSize(&set->parts[p]);
	}
	for (int32_t v = 0; v < set->valueCount; ++v)
	{
		int32_t p = set->valueParts[v], count = p >= 0 ? set->parts[p].freeModes : 0;
		brDVec3 z[6];
		for (int m = 0; m < count; ++m)
		{
			z[m] = loadsMode(body, v, p, sums[p][42], m);
			sums[p][36 + m] += brDDot(z[m], field[v]) * (isForce ? 1.0 : set->masses[v]);
			for (int n = 0; n <= m; ++n)
			{
				sums[p][6 * m + n] += set->masses[v] * brDDot(z[m], z[n]);
			}
		}
	}
	for (int32_t p = 0; p < set->partCount; ++p)
	{
		double a[6][6];
		for (int i = 0; i < 36; ++i)
		{
			int m = i / 6, n = i % 6;
			a[m][n] = m >= n ? sums[p][6 * m + n] : sums[p][6 * n + m];
		}
		loadsSolveSmall(a, sums[p] + 36, set->parts[p].freeModes);
	}
	for (int32_t v = 0; v < set->valueCount; ++v)
	{
		int32_t p = set->valueParts[v], count = p >= 0 ? set->parts[p].freeModes : 0;
		for (int m = 0; m < count; ++m)
		{
			double weight = isForce ? set->masses[v] : 1.0;
			field[v] = brDMulAdd(field[v], -weight * sums[p][36 + m], loadsMode(body, v, p, sums[p][42], m));
		}
	}
	BR_FREE(&body->allocator, sums, set->partCount);
	return true;
}

bool brElasticBody_Balance(const brElasticBody* body, brDVec3* forces)
{
	// Once more for what rounding left.
	return loadsDeflate(body, forces, true) && loadsDeflate(body, forces, true);
}

bool brElasticBody_Center(const brElasticBody* body, brDVec3* displacements)
{
	return loadsDeflate(body, displacements, false);
}
