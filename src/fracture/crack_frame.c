// SPDX-License-Identifier: MIT

#include "fracture/crack_frame.h"
#include "mesh/face_area.h"

#define FRAME_ALIKE 1e-3  // of the largest moment of inertia: closer ones are the same
#define FRAME_SMALL 1e-3  // of its length: what is left of a vector that gives no direction
#define FRAME_FLAT 0.04   // of the surface: a face this large is a side of the body
#define FRAME_ACROSS 0.5  // what is left of its normal at least, perpendicular to another axis
#define FRAME_SQUARE 1e-6 // axes this close to those of the model are them

#define FRAME_ODD_X 0.140 // the lattice against the axes of the body: 8, 5 and 11 degrees [rad]
#define FRAME_ODD_Y 0.087
#define FRAME_ODD_Z 0.192
#define FRAME_BITS 36 // that a coordinate keeps

enum
{
	frameMostHints = 8,
};

// Directions that turn with body and load, best first.
typedef struct FrameHints
{
	brDVec3 ways[frameMostHints]; // unit
	int32_t count;
} FrameHints;

static void frameAddHint(FrameHints* hints, brDVec3 way)
{
	double length = brDLength(way);
	if (length > 0.0 && hints->count < frameMostHints)
	{
		hints->ways[hints->count++] = brDMul(1.0 / length, way);
	}
}

static FrameHints frameMakeHints(const brMesh* mesh, const brCrackDef* def, brDVec3 center)
{
	FrameHints hints = {.count = 0};
	brDVec3 farthest = {0.0, 0.0, 0.0};
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		brDVec3 r = brDSub(mesh->positions[i], center);
		farthest = brDDot(r, r) > (1.0 + 1e-9) * brDDot(farthest, farthest) ? r : farthest;
	}
	double size = brDLength(farthest);
	bool isHit = brDDot(def->impulse, def->impulse) > 0.0;
	brDVec3 at = isHit ? def->hit : def->forceCount > 0 ? def->forces[0].point : center;
	brDVec3 arm = brDSub(at, center);
	frameAddHint(&hints, brDLength(arm) > FRAME_SMALL * size ? arm : brMakeDVec3(0.0, 0.0, 0.0));
	frameAddHint(&hints, isHit                 ? def->impulse
						 : def->forceCount > 0 ? def->forces[0].force
											   : brMakeDVec3(0.0, 0.0, 0.0));
	frameAddHint(&hints, farthest);
	frameAddHint(&hints, brMakeDVec3(0.0, 0.0, 1.0));
	frameAddHint(&hints, brMakeDVec3(1.0, 0.0, 0.0));
	return hints;
}

// An axis has no direction by itself: the first hint that is not across it gives one.
static brDVec3 frameDirect(const FrameHints* hints, brDVec3 axis)
{
	for (int32_t i = 0; i < hints->count; ++i)
	{
		double along = brDDot(hints->ways[i], axis);
		if (fabs(along) > FRAME_SMALL)
		{
			return along > 0.0 ? axis : brDNeg(axis);
		}
	}
	return axis;
}

// The normal of the large flat side, across `axis`, that faces the load most; zero if there is none.
static brDVec3 frameSide(const brMesh* mesh, const FrameHints* hints, brDVec3 axis)
{
	double all = 0.0, best = -INFINITY;
	brDVec3 side = {0.0, 0.0, 0.0};
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		all += brDLength(brMesh_FaceArea(mesh, f));
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		brDVec3 area = brMesh_FaceArea(mesh, f);
		if (brDLength(area) < FRAME_FLAT * all)
		{
			continue;
		}
		brDVec3 normal = brDNormalize(area), rest = brDMulAdd(normal, -brDDot(normal, axis), axis);
		double score = brDDot(normal, hints->ways[0]) + 0.1 * brDDot(normal, hints->ways[1]);
		if (brDLength(rest) > FRAME_ACROSS && score > best + FRAME_SMALL)
		{
			best = score;
			side = brDNormalize(rest);
		}
	}
	return side;
}

// A side of the body across `axis`; or the first hint that is not along it, made perpendicular to it: the last hints
// always do.
static brDVec3 frameAcross(const brMesh* mesh, const FrameHints* hints, brDVec3 axis)
{
	brDVec3 side = frameSide(mesh, hints, axis);
	if (brDDot(side, side) > 0.0)
	{
		return side;
	}
	for (int32_t i = 0; i < hints->count; ++i)
	{
		brDVec3 rest = brDMulAdd(hints->ways[i], -brDDot(hints->ways[i], axis), axis);
		if (brDLength(rest) > FRAME_SMALL)
		{
			return brDNormalize(rest);
		}
	}
	return brDNormalize(brDCross(axis, brMakeDVec3(0.0, 1.0, 0.0)));
}

static double frameSnap(double x)
{
	return fabs(x) < FRAME_SQUARE ? 0.0 : fabs(x) > 1.0 - FRAME_SQUARE ? (x > 0.0 ? 1.0 : -1.0) : x;
}

static brDVec3 frameSnapAxis(brDVec3 v)
{
	brDVec3 snapped = brMakeDVec3(frameSnap(v.x), frameSnap(v.y), frameSnap(v.z));
	return brDDot(snapped, snapped) == 1.0 ? snapped : v;
}

// By the length of `turn` about it (Rodrigues).
static brDVec3 frameTurn(brDVec3 v, brDVec3 turn)
{
	double angle = brDLength(turn);
	if (!(angle > 0.0))
	{
		return v;
	}
	brDVec3 axis = brDMul(1.0 / angle, turn);
	double c = brCos(angle), s = brSin(angle);
	return brDAdd(brDAdd(brDMul(c, v), brDMul(s, brDCross(axis, v))), brDMul((1.0 - c) * brDDot(axis, v), axis));
}

// Axes of inertia where they differ; of two or three that are alike those along large sides, or along the load.
brMat3 brCrackFrame(const brMesh* mesh, const brMassProperties* body, const brCrackDef* def)
{
	brMat3 j = body->inertia;
	double values[3];
	brMat3 axes = brEigenSymmetric(j.cx.x, j.cy.y, j.cz.z, j.cy.x, j.cz.x, j.cz.y, values);
	FrameHints hints = frameMakeHints(mesh, def, body->center);
	bool isLowPair = values[1] - values[0] < FRAME_ALIKE * values[2];
	bool isHighPair = values[2] - values[1] < FRAME_ALIKE * values[2];
	brDVec3 z, x;
	if (isLowPair && isHighPair)
	{
		z = frameAcross(mesh, &hints, brMakeDVec3(0.0, 0.0, 0.0));
		x = frameAcross(mesh, &hints, z);
	}
	else if (isLowPair || isHighPair)
	{
		z = frameDirect(&hints, isLowPair ? axes.cz : axes.cx);
		x = frameAcross(mesh, &hints, z);
	}
	else
	{
		z = frameDirect(&hints, axes.cz);
		x = frameDirect(&hints, axes.cx);
	}
	z = frameSnapAxis(z);
	x = frameSnapAxis(x);
	x = brDNormalize(brDMulAdd(x, -brDDot(x, z), z));
	brDVec3 y = brDCross(z, x);
	// A front along a layer of nodes is up to half a cell too long or too short, all of it; one that runs across the
	// layers is right on the mean. Sides of bodies and cracks are mostly along the axes, so the lattice is not.
	brDVec3 odd = brDMulAdd(brDMulAdd(brDMul(FRAME_ODD_X, x), FRAME_ODD_Y, y), FRAME_ODD_Z, z);
	x = frameTurn(x, odd);
	z = frameTurn(z, odd);
	return (brMat3){x, brDCross(z, x), z};
}

brMat3 brCrackFrame_OfLattice(const brMat3* frame, const brCrackDef* def)
{
	brDVec3 x = frameTurn(frame->cx, def->latticeTurn), z = frameTurn(frame->cz, def->latticeTurn);
	return (brMat3){x, brDCross(z, x), z};
}

static double frameRound(double x, double unit)
{
	return unit * floor(x / unit + 0.5);
}

void brCrackFrame_Turn(const brMat3* frame, brDVec3 origin, brMesh* mesh)
{
	double size = 0.0;
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		brDVec3 r = brDSub(mesh->positions[i], origin);
		size = fmax(size, brDLength(r));
		mesh->positions[i] = brMakeDVec3(brDDot(frame->cx, r), brDDot(frame->cy, r), brDDot(frame->cz, r));
	}
	int exponent = 0;
	(void)frexp(size, &exponent);
	double unit = ldexp(1.0, exponent - FRAME_BITS);
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		brDVec3 p = mesh->positions[i];
		mesh->positions[i] = brMakeDVec3(frameRound(p.x, unit), frameRound(p.y, unit), frameRound(p.z, unit));
	}
}
