// SPDX-License-Identifier: MIT

// Box, area, volume, center and inertia of a polygon mesh.
//
// The solid is the signed sum of the tetrahedra between the box center and each triangle of the surface, whose moments
// up to second order have closed forms (Tonon 2004). A polygon is the fan from its first corner: for a planar face,
// concave or not, that sums to the face itself, since triangles that turn back count negative; for a bent face the fan
// is the surface that is meant, as in most programs.
//
// Coordinates are taken relative to the box center in units of a power of two near its size, so neither place nor scale
// costs digits. Sums are compensated (Neumaier; what a sum loses by Knuth's rule, which needs no branch) and run in
// face order, so the bits are always the same.

#include "brittle/mesh.h"

typedef struct MassSum
{
	double value;
	double lost;
} MassSum;

static void addMass(MassSum* sum, double term)
{
	double next = sum->value + term, added = next - sum->value;
	sum->lost += (sum->value - (next - added)) + (term - added);
	sum->value = next;
}

static double massTotal(MassSum sum)
{
	return sum.value + sum.lost;
}

brDBox3 brMesh_ComputeBounds(const brMesh* mesh)
{
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		box = brDBox3_Include(box, mesh->positions[mesh->corners[c]]);
	}
	return box;
}

// The frame that sums are taken in: x = origin + unit * local.
typedef struct MassFrame
{
	brDVec3 origin;
	double unit, invUnit;
} MassFrame;

static MassFrame makeMassFrame(const brDBox3* box)
{
	MassFrame frame = {{0.0, 0.0, 0.0}, 1.0, 1.0};
	if (box->lower.x > box->upper.x)
	{
		return frame;
	}
	brDVec3 halfLower = brDMul(0.5, box->lower), halfUpper = brDMul(0.5, box->upper);
	brDVec3 half = brDSub(halfUpper, halfLower);
	double size = fmax(half.x, fmax(half.y, half.z));
	frame.origin = brDAdd(halfLower, halfUpper);
	if (size > 0.0)
	{
		int exponent = 0;
		frexp(size, &exponent);
		exponent = exponent < -1000 ? -1000 : (exponent > 1000 ? 1000 : exponent);
		frame.unit = ldexp(1.0, exponent);
		frame.invUnit = ldexp(1.0, -exponent);
	}
	return frame;
}

static brDVec3 massPoint(const MassFrame* frame, const brMesh* mesh, int32_t corner)
{
	return brDMul(frame->invUnit, brDSub(mesh->positions[mesh->corners[corner]], frame->origin));
}

double brMesh_ComputeArea(const brMesh* mesh)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	MassFrame frame = makeMassFrame(&box);
	MassSum area = {0};
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t start = mesh->faceStarts[f], end = mesh->faceStarts[f + 1];
		brDVec3 origin = mesh->positions[mesh->corners[start]];
		brDVec3 sum = {0.0, 0.0, 0.0};
		brDVec3 a = brDMul(frame.invUnit, brDSub(mesh->positions[mesh->corners[start + 1]], origin));
		for (int32_t c = start + 2; c < end; ++c)
		{
			brDVec3 b = brDMul(frame.invUnit, brDSub(mesh->positions[mesh->corners[c]], origin));
			sum = brDAdd(sum, brDCross(a, b));
			a = b;
		}
		addMass(&area, 0.5 * brDLength(sum));
	}
	return massTotal(area) * frame.unit * frame.unit;
}

#define MASS_MOMENTS 10

// Moments of the solid in the frame: volume times 6, first ones times 24, second ones (xx yy zz xy xz yz) times 120.
// Sums side by side.
typedef struct MassMoments
{
	double values[MASS_MOMENTS], lost[MASS_MOMENTS];
} MassMoments;

static void addMassTriangle(MassMoments* moments, brDVec3 a, brDVec3 b, brDVec3 c)
{
	double det = brDDot(a, brDCross(b, c));
	brDVec3 s = brDAdd(brDAdd(a, b), c);
	const double terms[MASS_MOMENTS] = {
		det,
		det * s.x,
		det * s.y,
		det * s.z,
		det * (s.x * s.x + a.x * a.x + b.x * b.x + c.x * c.x),
		det * (s.y * s.y + a.y * a.y + b.y * b.y + c.y * c.y),
		det * (s.z * s.z + a.z * a.z + b.z * b.z + c.z * c.z),
		det * (s.x * s.y + a.x * a.y + b.x * b.y + c.x * c.y),
		det * (s.x * s.z + a.x * a.z + b.x * b.z + c.x * c.z),
		det * (s.y * s.z + a.y * a.z + b.y * b.z + c.y * c.z),
	};
	for (int k = 0; k < MASS_MOMENTS; ++k)
	{
		double value = moments->values[k], next = value + terms[k], added = next - value;
		moments->lost[k] += (value - (next - added)) + (terms[k] - added);
		moments->values[k] = next;
	}
}

static void addMassFace(MassMoments* moments, const MassFrame* frame, const brMesh* mesh, int32_t face)
{
	int32_t start = mesh->faceStarts[face], end = mesh->faceStarts[face + 1];
	brDVec3 origin = massPoint(frame, mesh, start);
	brDVec3 a = massPoint(frame, mesh, start + 1);
	for (int32_t c = start + 2; c < end; ++c)
	{
		brDVec3 b = massPoint(frame, mesh, c);
		addMassTriangle(moments, origin, a, b);
		a = b;
	}
}

static double massClamp(double value, double size)
{
	return value > size ? size : (value < -size ? -size : value);
}

brMassProperties brMesh_ComputeMass(const brMesh* mesh, double density)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	MassFrame frame = makeMassFrame(&box);
	MassMoments moments = {0};
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		addMassFace(&moments, &frame, mesh, f);
	}
	for (int k = 0; k < MASS_MOMENTS; ++k)
	{
		moments.values[k] = (moments.values[k] + moments.lost[k]) / (k == 0 ? 6.0 : k < 4 ? 24.0 : 120.0);
	}
	double volume = moments.values[0], *second = moments.values + 4;
	brDVec3 center = {moments.values[1], moments.values[2], moments.values[3]};

	// The center of a solid lies in its box; that of an open or hollow surface may be anywhere, and is kept there.
	center = volume != 0.0 ? brDMul(1.0 / volume, center) : (brDVec3){0.0, 0.0, 0.0};
	center = brDIsFinite(center) ? center : (brDVec3){0.0, 0.0, 0.0};
	center = (brDVec3){massClamp(center.x, 1.0), massClamp(center.y, 1.0), massClamp(center.z, 1.0)};
	double xx = second[0] - volume * center.x * center.x;
	double yy = second[1] - volume * center.y * center.y;
	double zz = second[2] - volume * center.z * center.z;
	double xy = second[3] - volume * center.x * center.y;
	double xz = second[4] - volume * center.x * center.z;
	double yz = second[5] - volume * center.y * center.z;

	double unit3 = frame.unit * frame.unit * frame.unit;
	double scale = density * unit3 * frame.unit * frame.unit;
	brMassProperties mass;
	mass.volume = volume * unit3;
	mass.mass = density * mass.volume;
	mass.center = brDMulAdd(frame.origin, frame.unit, center);
	mass.inertia = (brMat3){{scale * (yy + zz), -scale * xy, -scale * xz},
							{-scale * xy, scale * (xx + zz), -scale * yz},
							{-scale * xz, -scale * yz, scale * (xx + yy)}};
	return mass;
}
