// SPDX-License-Identifier: MIT
#pragma once

// To which of two sites is a point nearer? Exact, also for points where bisectors cross a model's edges and triangles.
//
// With o_ij(p) = |p - s_j|^2 - |p - s_i|^2 a point is on i's side of the bisector of i and j where o_ij > 0. On an edge
// pq the point with o_ij = 0, and on a triangle pqr the point with o_ij = o_ik = 0, are known by the values of o at p,
// q, r, so the side of such a point of another bisector is the sign of a determinant of these values. Ties are settled
// as in voronoi_cell.h: weights e_i, larger without measure for lower indices, add e_i - e_j to o_ij. The determinants
// are linear in the weights (two rows of ones cancel), so a tie takes the sign of the first coefficient that is not
// zero.
//
// Sites lie on the lattice: differences of two are exact doubles. Points are any finite doubles.

#include "math/predicates.h"

// A value with a bound for its error.
typedef struct brSideValue
{
	double value;
	double error;
} brSideValue;

/// o_ij(p), rounded.
static inline brSideValue brCellSide_Value(brDVec3 si, brDVec3 sj, brDVec3 p)
{
	double nx = si.x - sj.x, ny = si.y - sj.y, nz = si.z - sj.z; // exact
	double mx = (p.x - si.x) + (p.x - sj.x), my = (p.y - si.y) + (p.y - sj.y), mz = (p.z - si.z) + (p.z - sj.z);
	double value = nx * mx + ny * my + nz * mz;
	// Each difference is off by u of its size, the sum by u more, product and sums by three.
	double size = fabs(nx) * (fabs(p.x - si.x) + fabs(p.x - sj.x)) + fabs(ny) * (fabs(p.y - si.y) + fabs(p.y - sj.y)) +
				  fabs(nz) * (fabs(p.z - si.z) + fabs(p.z - sj.z));
	return (brSideValue){value, 8.0 * BR_PREDICATE_U * size + BR_PREDICATE_TINY};
}

/// brCellSide where rounding decides nothing.
int32_t brCellSide_Exact(const brDVec3* sites, int32_t i, int32_t j, brDVec3 p);

/// +1 if p belongs to i rather than j, else -1. i != j. Asked for every vertex and facet, so it is here.
static inline int32_t brCellSide(const brDVec3* sites, int32_t i, int32_t j, brDVec3 p)
{
	brSideValue o = brCellSide_Value(sites[i], sites[j], p);
	return fabs(o.value) > o.error ? (o.value > 0.0 ? 1 : -1) : brCellSide_Exact(sites, i, j, p);
}

/// The side of l against i, for the point of edge pq on the bisector of i and j, which lies between p and q.
int32_t brCellSide_OnEdge(const brDVec3* sites, int32_t i, int32_t j, int32_t l, brDVec3 p, brDVec3 q);

/// The side of l against i, for the point of the plane pqr on the bisectors of i with j and with k.
int32_t brCellSide_OnFace(const brDVec3* sites, int32_t i, int32_t j, int32_t k, int32_t l, brDVec3 p, brDVec3 q,
						  brDVec3 r);

/// Where the bisector of i and j meets edge pq: the part of q, 0 to 1.
double brCellCrossing_OnEdge(const brDVec3* sites, int32_t i, int32_t j, brDVec3 p, brDVec3 q);

/// Where the bisectors of i with j and with k meet triangle pqr: the parts of p, q and r, which add up to 1.
void brCellCrossing_OnFace(const brDVec3* sites, int32_t i, int32_t j, int32_t k, brDVec3 p, brDVec3 q, brDVec3 r,
						   double outParts[3]);
