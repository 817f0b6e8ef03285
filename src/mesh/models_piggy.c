// SPDX-License-Identifier: MIT

// A piggy bank facing -y: a hollow body with a slot on its back, solid head, legs, ears and a hook of a tail.
//
// A smooth union of hulls of two balls, drawn 1 long, less a smaller hull inside and a slot that leads to it, so that
// outside and inside are one surface. Where the lattice is coarse the wall and the slot are drawn no thinner than it
// can see.

#include "mesh/contour.h"
#include "mesh/models.h"

#define PIGGY_LENGTH 1.0

typedef struct PiggyBone
{
	brDVec3 a, b;
	double ra, rb;
	double blend;
} PiggyBone;

static const PiggyBone piggyBones[] = {
	{{0.0, -0.10, 0.33}, {0.0, 0.14, 0.33}, 0.24, 0.25, 0.0},           // body
	{{0.0, -0.29, 0.37}, {0.0, -0.33, 0.37}, 0.17, 0.15, 0.06},         // head
	{{0.0, -0.44, 0.345}, {0.0, -0.505, 0.34}, 0.085, 0.078, 0.03},     // snout
	{{-0.10, -0.30, 0.50}, {-0.145, -0.36, 0.575}, 0.052, 0.022, 0.02}, // ears
	{{0.10, -0.30, 0.50}, {0.145, -0.36, 0.575}, 0.052, 0.022, 0.02},
	{{-0.14, -0.17, 0.18}, {-0.15, -0.18, 0.04}, 0.080, 0.068, 0.04}, // legs
	{{0.14, -0.17, 0.18}, {0.15, -0.18, 0.04}, 0.080, 0.068, 0.04},
	{{-0.14, 0.20, 0.18}, {-0.15, 0.21, 0.04}, 0.080, 0.068, 0.04},
	{{0.14, 0.20, 0.18}, {0.15, 0.21, 0.04}, 0.080, 0.068, 0.04},
	{{0.0, 0.37, 0.42}, {0.03, 0.43, 0.45}, 0.030, 0.026, 0.03}, // tail
	{{0.03, 0.43, 0.45}, {0.02, 0.455, 0.52}, 0.026, 0.020, 0.01},
};

typedef struct Piggy
{
	double wall;
	double slot;  // half its width
	double least; // radius the lattice can see
} Piggy;

// Distance to the hull of two balls, as for the statue: the foot of the perpendicular to the slant line, or an end.
static double piggyBoneDistance(brDVec3 p, brDVec3 a, brDVec3 b, double ra, double rb)
{
	brDVec3 axis = brDSub(b, a), d = brDSub(p, a);
	double length = brDLength(axis), sine = (ra - rb) / length, cosine = sqrt(1.0 - sine * sine);
	double along = brDDot(d, axis) / length, acrossSq = brDLengthSq(d) - along * along;
	double across = acrossSq > 0.0 ? sqrt(acrossSq) : 0.0, foot = along - across * sine / cosine;
	return foot <= 0.0      ? brDLength(d) - ra
		   : foot >= length ? brDLength(brDSub(d, axis)) - rb
							: across * cosine + along * sine - ra;
}

static double piggyBlend(double a, double b, double width)
{
	double gap = fabs(a - b), low = a < b ? a : b;
	double h = width - gap;
	return gap >= width ? low : low - h * h / (4.0 * width);
}

static double piggyField(brDVec3 p, void* user)
{
	const Piggy* piggy = user;
	double outside = INFINITY;
	for (size_t i = 0; i < sizeof(piggyBones) / sizeof(piggyBones[0]); ++i)
	{
		const PiggyBone* bone = &piggyBones[i];
		double ra = bone->ra > piggy->least ? bone->ra : piggy->least;
		double rb = bone->rb > piggy->least ? bone->rb : piggy->least;
		outside = piggyBlend(outside, piggyBoneDistance(p, bone->a, bone->b, ra, rb), bone->blend);
	}
	// Feet and snout are flat.
	double cut = -p.z > -0.545 - p.y ? -p.z : -0.545 - p.y;
	outside = outside > cut ? outside : cut;
	const PiggyBone* body = &piggyBones[0];
	double inside = piggyBoneDistance(p, body->a, body->b, body->ra - piggy->wall, body->rb - piggy->wall);
	brDVec3 q = {fabs(p.x) - piggy->slot, fabs(p.y - 0.03) - 0.085, fabs(p.z - 0.55) - 0.20};
	double slot = q.x > q.y ? q.x : q.y;
	slot = slot > q.z ? slot : q.z;
	double hollow = inside < slot ? inside : slot;
	return outside > -hollow ? outside : -hollow;
}

brResult brMakePiggyBankModel(const brModelInput* input, brMesh** outMesh, brReport* report)
{
	double cell = PIGGY_LENGTH / input->resolution;
	Piggy piggy = {
		.wall = fmax(input->parameters[1], 1.5 * cell),
		.slot = fmax(0.016, 1.2 * cell),
		.least = 0.75 * cell,
	};
	double grown = 2.0 * cell;
	brContourDef def = {
		.field = piggyField,
		.user = &piggy,
		.box = {{-0.27 - grown, -0.60 - grown, -grown}, {0.27 + grown, 0.50 + grown, 0.63 + grown}},
		.cell = cell,
	};
	brMesh* mesh = NULL;
	brResult result = brContour(&input->allocator, input->workers, &def, &mesh, report);
	if (result < 0)
	{
		return result;
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		mesh->positions[v] = brDMul(input->parameters[0] / PIGGY_LENGTH, mesh->positions[v]);
	}
	brModel_Stand(mesh);
	brModel_SetBallUvs(mesh, brMakeDVec3(0.0, 0.0, 0.33 * input->parameters[0]));
	brModel_SetMaterial(mesh, "porcelain", (brVec4){0.80f, 0.38f, 0.40f, 1.0f}, 0.2f);
	*outMesh = mesh;
	return br_success;
}
