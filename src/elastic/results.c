// SPDX-License-Identifier: MIT

// What a solve leaves: displacements, stresses, jumps.

#include "elastic/body.h"

#include <string.h>

void brElasticBody_Displacements(const brElasticBody* body, brDVec3* out)
{
	memcpy(out, body->solution, (size_t)body->nodeCount * sizeof(brDVec3));
}

int32_t brElasticBody_PieceCount(const brElasticBody* body)
{
	return body->set.pieceCount;
}

typedef struct PieceJob
{
	const brElasticBody* body;
	brElasticPiece* out;
} PieceJob;

static void resultsPieceRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	PieceJob* job = user;
	const brElasticBody* body = job->body;
	for (int32_t i = begin; i < end; ++i)
	{
		int32_t tet = brPieceSet_Tet(&body->set, i);
		brMat3 gradient = brElasticBody_PieceGradient(body, i);
		job->out[i] =
			(brElasticPiece){tet, body->set.pieceParts[i], brElasticBody_PieceVolume(body, i),
							 brElasticBody_PieceCenter(body, i), brElasticBody_StressOf(body, tet, &gradient)};
	}
}

void brElasticBody_Pieces(const brContext* context, const brElasticBody* body, brElasticPiece* out)
{
	PieceJob job = {body, out};
	brParallelFor(context != NULL ? context->workers : NULL, body->set.pieceCount, 1024, resultsPieceRange, &job);
}

brMat3 brPrincipalStresses(const brStress* stress, double outValues[3])
{
	return brEigenSymmetric(stress->xx, stress->yy, stress->zz, stress->xy, stress->xz, stress->yz, outValues);
}
