// SPDX-License-Identifier: MIT

// What a solve leaves: displacements, stresses, jumps.

#include "elastic/body.h"

#include <string.h>

void brElasticBody_GetDisplacements(const brElasticBody* body, brDVec3* out)
{
	if (body == NULL)
	{
		return;
	}
	memcpy(out, body->solution, (size_t)body->nodeCount * sizeof(brDVec3));
}

int32_t brElasticBody_GetElementCount(const brElasticBody* body)
{
	if (body == NULL)
	{
		return 0;
	}
	return body->set.pieceCount;
}

typedef struct PieceJob
{
	const brElasticBody* body;
	brElasticElement* out;
} PieceJob;

static void resultsPieceRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	PieceJob* job = user;
	const brElasticBody* body = job->body;
	for (int32_t i = begin; i < end; ++i)
	{
		int32_t tet = brElementSet_Tet(&body->set, i);
		brMat3 gradient = brElasticBody_PieceGradient(body, i);
		job->out[i] =
			(brElasticElement){tet, body->set.pieceParts[i], brElasticBody_PieceVolume(body, i),
							   brElasticBody_PieceCenter(body, i), brElasticBody_StressOf(body, tet, &gradient)};
	}
}

void brElasticBody_GetElements(const brElasticBody* body, const brContext* context, brElasticElement* out)
{
	if (body == NULL)
	{
		return;
	}
	PieceJob job = {body, out};
	brParallelFor(context != NULL ? context->workers : NULL, body->set.pieceCount, 1024, resultsPieceRange, &job);
}

brMat3 brPrincipalStresses(const brStress* stress, double outValues[3])
{
	return brEigenSymmetric(stress->xx, stress->yy, stress->zz, stress->xy, stress->xz, stress->yz, outValues);
}

// The piece of a cut tet on one side of a crack, as much as possible on the point's own side of the others.
static int32_t resultsPieceBeside(const brElementSet* set, int32_t cutIndex, int32_t slot, bool isPlus,
								  const double weights[4])
{
	const brCutTet* cut = &set->cuts[cutIndex];
	uint32_t wanted = 0;
	for (int32_t k = 0; k < cut->crackCount; ++k)
	{
		double phi = 0.0;
		for (int a = 0; a < 4; ++a)
		{
			phi += weights[a] * cut->phi[k][a];
		}
		wanted |= (k == slot ? isPlus : phi >= 0.0) ? 1u << k : 0u;
	}
	int32_t best = -1, bestSame = -1;
	for (int32_t i = 0; i < cut->pieceCount; ++i)
	{
		uint32_t signs = set->shapes[set->shapeStarts[cutIndex] + i].signs;
		int32_t same = 0;
		for (int32_t k = 0; k < cut->crackCount; ++k)
		{
			same += (signs >> k & 1) == (wanted >> k & 1);
		}
		if ((signs >> slot & 1) == (uint32_t)isPlus && same > bestSame)
		{
			best = brCutTet_Piece(cut, i);
			bestSame = same;
		}
	}
	return best;
}

// Jump in a tet, at weights that may be a little outside. False if the crack does not cut it into two.
static bool resultsJumpIn(const brElasticBody* body, int32_t tet, int32_t crack, const double weights[4],
						  brDVec3* outJump)
{
	const brElementSet* set = &body->set;
	int32_t c = set->cutOfTet[tet];
	for (int32_t k = 0; c >= 0 && k < set->cuts[c].crackCount; ++k)
	{
		if (set->cuts[c].cracks[k] != crack)
		{
			continue;
		}
		int32_t above = resultsPieceBeside(set, c, k, true, weights);
		int32_t below = resultsPieceBeside(set, c, k, false, weights);
		if (above < 0 || below < 0)
		{
			return false;
		}
		*outJump = (brDVec3){0.0, 0.0, 0.0};
		for (int a = 0; a < 4; ++a)
		{
			brDVec3 d = brDSub(body->solution[set->pieceValues[above][a]], body->solution[set->pieceValues[below][a]]);
			*outJump = brDMulAdd(*outJump, weights[a], d);
		}
		return true;
	}
	return false;
}

brDVec3 brElasticBody_GetJump(const brElasticBody* body, int32_t crack, brDVec3 point)
{
	brDVec3 jump = {0.0, 0.0, 0.0};
	if (body->locator == NULL || crack < 0 || crack >= body->crackCount)
	{
		return jump;
	}
	brTetPoint place;
	brTetLocator_Find(body->locator, NULL, &point, 1, &place);
	if (place.tet < 0 || resultsJumpIn(body, place.tet, crack, place.weights, &jump))
	{
		return jump;
	}
	// The crack runs along a face, or this side of it was a sliver: the tet next door knows.
	for (int a = 0; a < 4; ++a)
	{
		int32_t neighbor = body->neighbors[place.tet][a];
		if (neighbor < 0)
		{
			continue;
		}
		double weights[4];
		brDVec3 gradients[4];
		brElasticBody_GetGradients(body, neighbor, gradients);
		for (int b = 0; b < 4; ++b)
		{
			int32_t node = body->mesh->tets[neighbor][(b + 1) % 4];
			weights[b] = brDDot(gradients[b], brDSub(point, body->mesh->nodes[node]));
		}
		if (resultsJumpIn(body, neighbor, crack, weights, &jump))
		{
			return jump;
		}
	}
	return jump;
}
