// SPDX-License-Identifier: MIT

// The volume beside a bent surface by Gauss's theorem, three times over.
//
// In barycentric coordinates (x, y, z) = weights of the corners 1, 2, 3 the tet is the unit one with corner 0 at the
// origin. The volume of the side is a third of the flux of (x, y, z) out of it. The three faces at the origin let
// nothing through; so it comes through the crack, by the triangles clipped to the tet, and through the part of the face
// x + y + z = 1 that belongs to the side. The area of that part is again a line integral around it: two of the face's
// edges add nothing, the lines that the crack draws on it do, and the part of the last edge that belongs to the side.
// Its length follows from where lines end on it. So no piece of the surface has to be put together with another, and
// the sum is exact as long as the surface has no rim in the tet.

#include "elastic/tet_clip.h"

#define TET_CLIP_MAX_TRIANGLES 256
#define TET_CLIP_MAX_CORNERS 8

// Shares off the tet by more than this are a sign of a rim or of a surface in pieces.
#define TET_CLIP_SLACK 1e-9

typedef struct TetClipPoint
{
	double w[4]; // of corner 1, 2, 3, and 0
} TetClipPoint;

static TetClipPoint tetClipPoint(const brElasticBody* body, int32_t tet, brDVec3 p)
{
	const int32_t* n = body->mesh->tets[tet];
	TetClipPoint point;
	brDVec3 offset = brDSub(p, body->mesh->nodes[n[0]]), gradients[4];
	brElasticBody_GetGradients(body, tet, gradients);
	for (int k = 0; k < 3; ++k)
	{
		point.w[k] = brDDot(gradients[k + 1], offset);
	}
	point.w[3] = 1.0 - point.w[0] - point.w[1] - point.w[2];
	return point;
}

// Keeps the part of a polygon with w[k] >= 0; new corners have exactly 0 there. Returns the count; `outCut` gets where
// the polygon leaves and comes back, if it does.
static int32_t tetClipBy(TetClipPoint* polygon, int32_t count, int k, TetClipPoint outCut[2], bool* outIsCut)
{
	TetClipPoint result[TET_CLIP_MAX_CORNERS];
	int32_t kept = 0;
	*outIsCut = false;
	for (int32_t i = 0; i < count; ++i)
	{
		const TetClipPoint *a = &polygon[i], *b = &polygon[(i + 1) % count];
		bool isInA = a->w[k] >= 0.0, isInB = b->w[k] >= 0.0;
		if (isInA)
		{
			result[kept++] = *a;
		}
		if (isInA != isInB)
		{
			// From the same end both ways, so that neighbors in the surface agree to the last bit.
			const TetClipPoint *in = isInA ? a : b, *out = isInA ? b : a;
			double t = in->w[k] / (in->w[k] - out->w[k]);
			TetClipPoint cut;
			for (int j = 0; j < 4; ++j)
			{
				cut.w[j] = in->w[j] + t * (out->w[j] - in->w[j]);
			}
			cut.w[k] = 0.0;
			result[kept++] = cut;
			outCut[isInA ? 0 : 1] = cut;
			*outIsCut = true;
		}
	}
	for (int32_t i = 0; i < kept; ++i)
	{
		polygon[i] = result[i];
	}
	return kept;
}

typedef struct TetClipSums
{
	double flux; // through the crack
	double area; // twice, of the side on the face opposite to corner 0, less what its last edge adds
	double edge; // length of the side on that edge, less what its end adds
} TetClipSums;

// Whether the triangle may have a part in the tet; adds it.
static bool tetClipAdd(const brCrackField* crack, const brElasticBody* body, int32_t tet, int32_t triangle,
					   TetClipSums* sums)
{
	TetClipPoint polygon[TET_CLIP_MAX_CORNERS], cut[2];
	int32_t count = 3;
	for (int k = 0; k < 3; ++k)
	{
		polygon[k] = tetClipPoint(body, tet, crack->positions[crack->triangles[triangle][k]]);
	}
	bool isCut = false;
	for (int k = 0; k < 4 && count > 0; ++k)
	{
		count = tetClipBy(polygon, count, k, cut, &isCut);
	}
	if (count < 3)
	{
		return false;
	}
	for (int32_t i = 1; i + 1 < count; ++i)
	{
		const double *a = polygon[0].w, *b = polygon[i].w, *c = polygon[i + 1].w;
		// x . (b - a) x (c - a) / 2 is the same at each point of the plane: take it at a, where it is the determinant.
		sums->flux += 0.5 * (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
							 a[2] * (b[0] * c[1] - b[1] * c[0]));
	}
	if (isCut)
	{
		// The last clip was by the face opposite to corner 0. The side's part of the face runs along the new edge the
		// other way.
		const double *from = cut[1].w, *to = cut[0].w;
		sums->area += from[0] * to[1] - to[0] * from[1];
		sums->edge += from[2] == 0.0 ? from[1] : 0.0;
		sums->edge -= to[2] == 0.0 ? to[1] : 0.0;
	}
	return true;
}

bool brClipTet(const brCrackField* crack, const brElasticBody* body, int32_t tet, uint32_t plus, const int32_t seeds[4],
			   double* outShare)
{
	int32_t found[TET_CLIP_MAX_TRIANGLES], count = 0;
	for (int k = 0; k < 4; ++k)
	{
		bool isNew = true;
		for (int32_t i = 0; i < count; ++i)
		{
			isNew = isNew && found[i] != seeds[k];
		}
		if (isNew)
		{
			found[count++] = seeds[k];
		}
	}
	int32_t seedCount = count;
	TetClipSums sums = {0.0, 0.0, 0.0};
	for (int32_t next = 0; next < count; ++next)
	{
		// Outward over the surface from what is inside; from the seeds in any case.
		if (!tetClipAdd(crack, body, tet, found[next], &sums) && next >= seedCount)
		{
			continue;
		}
		for (int k = 0; k < 3; ++k)
		{
			int32_t other = crack->across[found[next]][k];
			bool isNew = other >= 0;
			for (int32_t i = 0; i < count && isNew; ++i)
			{
				isNew = found[i] != other;
			}
			if (isNew && count == TET_CLIP_MAX_TRIANGLES)
			{
				return false;
			}
			if (isNew)
			{
				found[count++] = other;
			}
		}
	}
	double edge = sums.edge + ((plus >> 2 & 1) == 0 ? 1.0 : 0.0);
	double share = 2.0 * (sums.flux + 0.5 * (sums.area + edge));
	if (!(share > -TET_CLIP_SLACK && share < 1.0 + TET_CLIP_SLACK))
	{
		return false;
	}
	*outShare = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
	return true;
}
