// SPDX-License-Identifier: MIT

// A rope along the torus knot (p, q).
//
// The rope's cross-sections are turned by the normal of the torus the knot lies on, which is perpendicular to the knot
// and comes back to itself, so the tube closes without a twist. How thick it may be is the least radius of all circles
// that touch the knot at one point and pass through another (Gonzalez and Maddocks 1999): no bend folds and no strands
// meet below it.

#include "mesh/models.h"

#include "mesh/mesh_build.h"

typedef struct Knot
{
	int32_t p, q;  // turns about the axis of the torus, and through its hole
	double tube;   // radius of the torus' tube, where that of its middle circle is 1
	double rope;   // radius of the rope
	double scale;  // from there to meters
	double aspect; // length of the rope by its circumference
	int32_t rings; // cross-sections
	int32_t sides; // of a cross-section
} Knot;

typedef struct KnotFrame
{
	brDVec3 point, tangent, normal;
} KnotFrame;

// On a torus of radius 1 about the z axis, at `t` of the way, 0 to 1.
static KnotFrame knotFrame(const Knot* knot, double t)
{
	int32_t p = knot->p, q = knot->q;
	double tube = knot->tube, around = 2.0 * BR_PI * p * t, through = 2.0 * BR_PI * q * t;
	double ca = brCos(around), sa = brSin(around), ct = brCos(through), st = brSin(through);
	double r = 1.0 + tube * ct;
	KnotFrame frame;
	frame.point = brMakeDVec3(r * ca, r * sa, tube * st);
	frame.normal = brMakeDVec3(ct * ca, ct * sa, st);
	frame.tangent =
		brDNormalize(brMakeDVec3(-tube * q * st * ca - r * p * sa, -tube * q * st * sa + r * p * ca, tube * q * ct));
	return frame;
}

#define KNOT_PROBES 384

// The thickest rope. `scratch` holds KNOT_PROBES frames.
static double knotThickness(const Knot* knot, KnotFrame* scratch)
{
	for (int32_t i = 0; i < KNOT_PROBES; ++i)
	{
		scratch[i] = knotFrame(knot, (double)i / KNOT_PROBES);
	}
	double least = INFINITY;
	for (int32_t i = 0; i < KNOT_PROBES; ++i)
	{
		for (int32_t j = 0; j < KNOT_PROBES; ++j)
		{
			brDVec3 chord = brDSub(scratch[j].point, scratch[i].point);
			double height = brDLength(brDCross(chord, scratch[i].tangent));
			double radius = height > 0.0 ? brDLengthSq(chord) / (2.0 * height) : INFINITY;
			least = radius < least ? radius : least;
		}
	}
	return least;
}

static int32_t knotDivisor(int32_t a, int32_t b)
{
	return b == 0 ? a : knotDivisor(b, a % b);
}

static void knotFill(brMesh* mesh, const Knot* knot)
{
	int32_t rings = knot->rings, sides = knot->sides;
	for (int32_t i = 0; i < rings; ++i)
	{
		KnotFrame frame = knotFrame(knot, (double)i / rings);
		brDVec3 across = brDCross(frame.tangent, frame.normal);
		for (int32_t j = 0; j < sides; ++j)
		{
			double angle = 2.0 * BR_PI * j / sides;
			brDVec3 out = brDAdd(brDMul(brCos(angle), frame.normal), brDMul(brSin(angle), across));
			mesh->positions[i * sides + j] = brDMul(knot->scale, brDMulAdd(frame.point, knot->rope, out));
			// Kept where the first face of the quad has this vertex, copied to the other corners below.
			mesh->normals[6 * (i * sides + j)] = brToVec3(out);
		}
	}
	static const int32_t around[6][2] = {{0, 0}, {0, 1}, {1, 1}, {0, 0}, {1, 1}, {1, 0}};
	for (int32_t i = 0; i < rings; ++i)
	{
		for (int32_t j = 0; j < sides; ++j)
		{
			int32_t quad = i * sides + j;
			for (int32_t c = 0; c < 6; ++c)
			{
				int32_t ring = i + around[c][0], side = j + around[c][1];
				int32_t vertex = ring % rings * sides + side % sides;
				mesh->corners[6 * quad + c] = vertex;
				mesh->normals[6 * quad + c] = mesh->normals[6 * vertex];
				mesh->uvs[6 * quad + c] = (brVec2){(float)side / (float)sides, (float)(knot->aspect * ring / rings)};
			}
			mesh->faceStarts[2 * quad + 1] = 6 * quad + 3;
			mesh->faceStarts[2 * quad + 2] = 6 * quad + 6;
		}
	}
}

brResult brMakeKnotModel(const brModelInput* input, brMesh** outMesh, brReport* report)
{
	Knot knot = {.p = (int32_t)floor(input->parameters[1] + 0.5),
				 .q = (int32_t)floor(input->parameters[2] + 0.5),
				 .tube = 0.42,
				 .sides = input->resolution};
	int32_t common = knotDivisor(knot.p, knot.q);
	if (common != 1)
	{
		return brFail(report, br_errorMisuse, "a knot winds p and q times without a common divisor, %d and %d have %d",
					  knot.p, knot.q, common);
	}
	KnotFrame* scratch = BR_ALLOC(&input->allocator, KnotFrame, KNOT_PROBES);
	if (scratch == NULL)
	{
		return brFailMemory(report);
	}
	knot.rope = input->parameters[3] * knotThickness(&knot, scratch);
	BR_FREE(&input->allocator, scratch, KNOT_PROBES);

	double length = 0.0;
	KnotFrame last = knotFrame(&knot, 0.0);
	for (int32_t i = 1; i <= KNOT_PROBES; ++i)
	{
		KnotFrame next = knotFrame(&knot, (double)i / KNOT_PROBES);
		length += brDDistance(last.point, next.point);
		last = next;
	}
	// Rings are as far apart as a side is wide, and close enough that a bend is many of them.
	knot.aspect = length / (2.0 * BR_PI * knot.rope);
	knot.scale = 0.5 * input->parameters[0] / (1.0 + knot.tube + knot.rope);
	double wanted = ceil(knot.sides * knot.aspect);
	int32_t least = 40 * (knot.p + knot.q);
	knot.rings = wanted > least ? (int32_t)wanted : least;
	if ((int64_t)knot.rings * knot.sides > INT32_MAX / 6)
	{
		return brFail(report, br_errorLimit,
					  "the knot would have %lld triangles, more than 32 bits count the corners of",
					  2 * (long long)knot.rings * knot.sides);
	}
	int32_t vertices = knot.rings * knot.sides;
	brMeshShape shape = {vertices, 2 * vertices, 6 * vertices, 1, 0, true, true, false, true, false};
	brMesh* mesh = brAllocMesh(&input->allocator, &shape);
	if (mesh == NULL)
	{
		return brFailMemory(report);
	}
	knotFill(mesh, &knot);
	brModel_Stand(mesh);
	brModel_SetMaterial(mesh, "porcelain", (brVec4){0.02f, 0.16f, 0.22f, 1.0f}, 0.25f);
	*outMesh = mesh;
	return br_success;
}
