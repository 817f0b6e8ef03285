// SPDX-License-Identifier: MIT

// Loads on values.
//
// A node's force goes to its own side. The traction on a face that a crack cuts goes to each side by the share of the
// face there: the integral of a shape function over a part of a triangle is the part's area times the function at its
// center.
//
// Free bodies: the rigid acceleration that a load causes takes inertia forces m a with it, which balance it; what is
// left only deforms. With lumped masses both sums are exact up to rounding, whatever cracks did to the mesh.

#include "elastic/loads.h"

#include "elastic/modes.h"
#include "elastic/tet_split.h"

#include "base/assert.h"
#include "base/report.h"

#include <string.h>

brElasticLoad brDefaultElasticLoad(void)
{
	brElasticLoad load = {0};
	load.stamp = BR_STAMP(load);
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

// The piece of a level that is on the sides given, or on most of them.
static int32_t loadsPieceWith(const brElementSet* set, int32_t cutIndex, int32_t level, uint32_t signs)
{
	const brCutTet* cut = &set->cuts[cutIndex];
	int32_t best = 0, bestBits = INT32_MIN;
	for (int32_t k = 0; k < cut->pieceCount; ++k)
	{
		const brElementShape* shape = &set->shapes[set->shapeStarts[cutIndex] + k];
		uint32_t same = ~(shape->signs ^ signs);
		int32_t bits = shape->level == level ? 0 : -BR_MAX_CRACKS_PER_TET - 1;
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
	const brElementSet* set = &body->set;
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
	double phi[BR_MAX_CRACKS_PER_TET][3];
	for (int32_t c = 0; c < cut->crackCount; ++c)
	{
		for (int k = 0; k < 3; ++k)
		{
			phi[c][k] = cut->phi[c][corners[k]];
		}
	}
	brTetShares shares;
	brSplitTriangle((const double(*)[3])phi, cut->crackCount, &shares);
	for (int32_t i = 0; i < cut->levelCount << cut->crackCount; ++i)
	{
		int32_t level = i >> cut->crackCount, s = i & ((1 << cut->crackCount) - 1);
		double share = shares.volumes[s] / cut->levelCount;
		for (int k = 0; share > 0.0 && k < 3; ++k)
		{
			int32_t value = set->pieceValues[loadsPieceWith(set, cutIndex, level, (uint32_t)s)][corners[k]];
			out[value] = brDMulAdd(out[value], area * share * shares.centers[s][k], traction);
		}
	}
}

// The free strain of each tet and its slope, kept for stress and intensities. False without memory.
static bool loadsKeepSwelling(brElasticBody* body, const double* swelling)
{
	if (swelling == NULL)
	{
		BR_FREE(&body->allocator, body->swelling, body->tetCount);
		BR_FREE(&body->allocator, body->swellingSlopes, body->tetCount);
		body->swelling = NULL;
		body->swellingSlopes = NULL;
		return true;
	}
	if (body->swelling == NULL)
	{
		body->swelling = BR_ALLOC(&body->allocator, double, body->tetCount);
	}
	if (body->swellingSlopes == NULL)
	{
		body->swellingSlopes = BR_ALLOC(&body->allocator, brDVec3, body->tetCount);
	}
	bool isGood = body->swelling != NULL && body->swellingSlopes != NULL;
	for (int32_t t = 0; isGood && t < body->tetCount; ++t)
	{
		const int32_t* n = body->mesh->tets[t];
		body->swelling[t] = 0.25 * (swelling[n[0]] + swelling[n[1]] + swelling[n[2]] + swelling[n[3]]);
		brDVec3 gradients[4], slope = {0.0, 0.0, 0.0};
		brElasticBody_GetGradients(body, t, gradients);
		for (int a = 0; a < 4; ++a)
		{
			slope = brDMulAdd(slope, swelling[n[a]], gradients[a]);
		}
		body->swellingSlopes[t] = slope;
	}
	return isGood;
}

// What holds the free strain back, B^T D e.
static void loadsAddSwelling(const brElasticBody* body, brDVec3* out)
{
	const brElementSet* set = &body->set;
	for (int32_t p = 0; p < set->pieceCount; ++p)
	{
		int32_t tet = brElementSet_Tet(set, p);
		double pull = (3.0 * body->lambda + 2.0 * body->mu) * body->stiffnesses[tet] * body->swelling[tet] *
					  brElasticBody_PieceVolume(body, p);
		brDVec3 gradients[4];
		brElasticBody_GetGradients(body, tet, gradients);
		for (int a = 0; a < 4; ++a)
		{
			int32_t value = set->pieceValues[p][a];
			out[value] = brDMulAdd(out[value], pull, gradients[a]);
		}
	}
}

brResult brElasticBody_Forces(brElasticBody* body, const brElasticLoad* load, brDVec3* out, brReport* report)
{
	const brElementSet* set = &body->set;
	if (load->stamp != BR_STAMP(*load) || !brDIsFinite(load->acceleration))
	{
		return brFail(report, br_errorMisuse, "the load was not started from its default, or is not finite");
	}
	for (int32_t v = 0; v < set->valueCount; ++v)
	{
		out[v] = brDMul(set->masses[v], load->acceleration);
	}
	if (!loadsKeepSwelling(body, load->swelling))
	{
		return brFailMemory(report);
	}
	if (body->swelling != NULL)
	{
		loadsAddSwelling(body, out);
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

// The free motions of a part as shifts and turns about its center, times what they are taken with.
typedef struct LoadsPart
{
	int32_t modeCount;
	brDVec3 shifts[6], turns[6];
	double products[36]; // m z . z
	double works[6];
	brDVec3 shift, turn; // the sum to be taken off
} LoadsPart;

// Nothing on held axes.
static brDVec3 loadsMask(brDVec3 v, uint32_t held)
{
	return (brDVec3){(held & 1) != 0 ? 0.0 : v.x, (held & 2) != 0 ? 0.0 : v.y, (held & 4) != 0 ? 0.0 : v.z};
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

static void loadsBeginParts(const brElasticBody* body, LoadsPart* parts)
{
	for (int32_t p = 0; p < body->set.componentCount; ++p)
	{
		const brElasticComponent* from = &body->set.parts[p];
		double size = brElasticBody_GetComponentSize(from);
		parts[p].modeCount = from->freeModes;
		for (int m = 0; m < from->freeModes; ++m)
		{
			const double* mode = body->freeModes[p][m];
			parts[p].shifts[m] = (brDVec3){mode[0], mode[1], mode[2]};
			parts[p].turns[m] = (brDVec3){mode[3] / size, mode[4] / size, mode[5] / size};
		}
	}
}

// Works of the field on the modes of each part, and the first time the products of the modes.
static void loadsSumWorks(const brElasticBody* body, const brDVec3* field, bool isForce, bool isFirst, LoadsPart* parts)
{
	const brElementSet* set = &body->set;
	for (int32_t v = 0; v < set->valueCount; ++v)
	{
		LoadsPart* part = set->valueParts[v] >= 0 ? &parts[set->valueParts[v]] : NULL;
		if (part == NULL || part->modeCount == 0)
		{
			continue;
		}
		int32_t node = set->valueNodes[v];
		brDVec3 r = brDSub(body->mesh->nodes[node], set->parts[set->valueParts[v]].center), z[6];
		brDVec3 f = brDMul(isForce ? 1.0 : set->masses[v], field[v]);
		for (int m = 0; m < part->modeCount; ++m)
		{
			z[m] = loadsMask(brDAdd(part->shifts[m], brDCross(part->turns[m], r)), body->heldAxes[node]);
			part->works[m] += brDDot(z[m], f);
			for (int n = 0; isFirst && n <= m; ++n)
			{
				part->products[6 * m + n] += set->masses[v] * brDDot(z[m], z[n]);
			}
		}
	}
}

// The motion whose inertia does the same work, as one shift and one turn.
static void loadsSolveParts(LoadsPart* parts, int32_t count)
{
	for (int32_t p = 0; p < count; ++p)
	{
		LoadsPart* part = &parts[p];
		double a[6][6];
		for (int i = 0; i < 36; ++i)
		{
			int m = i / 6, n = i % 6;
			a[m][n] = m >= n ? part->products[6 * m + n] : part->products[6 * n + m];
		}
		loadsSolveSmall(a, part->works, part->modeCount);
		part->shift = part->turn = (brDVec3){0.0, 0.0, 0.0};
		for (int m = 0; m < part->modeCount; ++m)
		{
			part->shift = brDMulAdd(part->shift, part->works[m], part->shifts[m]);
			part->turn = brDMulAdd(part->turn, part->works[m], part->turns[m]);
			part->works[m] = 0.0;
		}
	}
}

// field -= weight * (sum of modes c_m z_m) with c such that the work of what is left on all modes is zero. Forces: work
// is z . f and the weight is the mass; displacements: work is z . m u and the weight is 1. Each further pass takes off
// what rounding left.
static bool loadsDeflate(const brElasticBody* body, brDVec3* field, bool isForce, int32_t passes)
{
	const brElementSet* set = &body->set;
	bool isFree = false;
	for (int32_t p = 0; p < set->componentCount; ++p)
	{
		isFree = isFree || set->parts[p].freeModes > 0;
	}
	LoadsPart* parts = isFree ? BR_ALLOC_ZERO(&body->allocator, LoadsPart, set->componentCount) : NULL;
	if (parts == NULL)
	{
		return !isFree;
	}
	loadsBeginParts(body, parts);
	for (int32_t pass = 0; pass < passes; ++pass)
	{
		loadsSumWorks(body, field, isForce, pass == 0, parts);
		loadsSolveParts(parts, set->componentCount);
		for (int32_t v = 0; v < set->valueCount; ++v)
		{
			int32_t p = set->valueParts[v], node = set->valueNodes[v];
			if (p >= 0 && parts[p].modeCount > 0)
			{
				brDVec3 r = brDSub(body->mesh->nodes[node], set->parts[p].center);
				brDVec3 motion = brDAdd(parts[p].shift, brDCross(parts[p].turn, r));
				field[v] =
					brDMulAdd(field[v], isForce ? -set->masses[v] : -1.0, loadsMask(motion, body->heldAxes[node]));
			}
		}
	}
	BR_FREE(&body->allocator, parts, set->componentCount);
	return true;
}

bool brElasticBody_Balance(const brElasticBody* body, brDVec3* forces)
{
	return loadsDeflate(body, forces, true, 2);
}

bool brElasticBody_Center(const brElasticBody* body, brDVec3* displacements)
{
	return loadsDeflate(body, displacements, false, 1);
}
