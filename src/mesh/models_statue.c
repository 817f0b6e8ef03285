// SPDX-License-Identifier: MIT

// A draped figure on a plinth, facing -y: one arm lifts a ball, the other rests on the hip and leaves a gap, so there
// are thin parts, a hole, a neck to break and folds to follow.
//
// The figure is a smooth union (quadratic blend, which keeps the Lipschitz constant) of round cones, flattened where
// bodies are, drawn with its soles at z = 0 and its crown near z = 1; the plinth hangs below. Where the lattice is
// coarse, limbs are drawn no thinner than it can see, so that the figure stays in one piece at any resolution.

#include "mesh/contour.h"
#include "mesh/models.h"

#define STATUE_FOLDS 18
#define STATUE_PLEATS 15
#define STATUE_TOP 1.165   // of the ball
#define STATUE_PLINTH 0.24 // height of the plinth as drawn

// A round cone: the hull of two spheres.
typedef struct StatueCone
{
	brDVec3 a, b;
	double ra, rb;
	double flat;    // y is this much thinner
	double blend;   // width of the blend with what came before
	brDVec3 middle; // of a ball around it, before flattening
	double bound;   // its radius
} StatueCone;

typedef struct Statue
{
	StatueCone cones[128];
	int32_t coneCount;
	double plinth; // height
	double least;  // radius the lattice can see
} Statue;

static void statueAdd(Statue* statue, brDVec3 a, brDVec3 b, double ra, double rb, double flat, double blend)
{
	// Flattened parts are thick enough; limbs get the least radius.
	double least = statue->least;
	ra = ra * flat > least ? ra : least / flat;
	rb = rb * flat > least ? rb : least / flat;
	statue->cones[statue->coneCount++] = (StatueCone){
		.a = a,
		.b = b,
		.ra = ra,
		.rb = rb,
		.flat = flat,
		.blend = blend,
		.middle = brDLerp(a, b, 0.5),
		.bound = 0.5 * brDDistance(a, b) + (ra > rb ? ra : rb),
	};
}

static void statueLimb(Statue* statue, brDVec3 a, brDVec3 b, double ra, double rb, double blend)
{
	statueAdd(statue, a, b, ra, rb, 1.0, blend);
}

static void statueDraw(Statue* statue, double slimness)
{
	double thin = 1.0 / slimness;

	// Skirt: a core that widens to the hem, folds round it, a knee that pushes through, toes under the hem.
	statueAdd(statue, brMakeDVec3(0.0, 0.0, 0.0), brMakeDVec3(0.0, 0.0, 0.50), 0.140, 0.096, 0.84, 0.0);
	for (int32_t i = 0; i < STATUE_FOLDS; ++i)
	{
		// Unequal spacing, depth and sway by a few fixed waves: cloth, not a gear wheel.
		double angle = 2.0 * BR_PI * (i + 0.28 * brSin(2.4 * i)) / STATUE_FOLDS;
		double sway = 0.16 * brSin(1.7 * i + 0.4), reach = 1.0 + 0.06 * brSin(3.1 * i);
		brDVec3 hip = {0.100 * brCos(angle), 0.076 * brSin(angle), 0.50 + 0.015 * brSin(1.3 * i)};
		brDVec3 hem = {0.150 * reach * brCos(angle + sway), 0.128 * reach * brSin(angle + sway), 0.012};
		statueLimb(statue, hem, hip, 0.019 + 0.005 * brSin(2.0 * i), 0.009, 0.022);
	}
	statueLimb(statue, brMakeDVec3(0.046, -0.020, 0.47), brMakeDVec3(0.056, -0.076, 0.29), 0.056, 0.043, 0.05);
	statueLimb(statue, brMakeDVec3(0.056, -0.076, 0.29), brMakeDVec3(0.062, -0.092, 0.05), 0.043, 0.030, 0.05);
	statueLimb(statue, brMakeDVec3(0.062, -0.10, 0.018), brMakeDVec3(0.070, -0.172, 0.010), 0.024, 0.017, 0.015);
	statueLimb(statue, brMakeDVec3(-0.050, -0.09, 0.018), brMakeDVec3(-0.070, -0.150, 0.010), 0.024, 0.017, 0.015);

	// Hips, waist, ribs, shoulders; the weight is on the right leg, so the hip swings out and the spine bends back.
	statueAdd(statue, brMakeDVec3(-0.012, 0.0, 0.51), brMakeDVec3(-0.004, -0.002, 0.62), 0.105, 0.074 * thin, 0.76,
			  0.04);
	statueAdd(statue, brMakeDVec3(-0.004, -0.002, 0.62), brMakeDVec3(0.006, -0.004, 0.745), 0.072 * thin, 0.092, 0.74,
			  0.04);
	statueAdd(statue, brMakeDVec3(-0.085, 0.004, 0.806), brMakeDVec3(0.085, 0.004, 0.792), 0.040, 0.040, 0.90, 0.06);
	statueLimb(statue, brMakeDVec3(-0.040, -0.050, 0.742), brMakeDVec3(-0.042, -0.056, 0.735), 0.034, 0.030, 0.03);
	statueLimb(statue, brMakeDVec3(0.044, -0.050, 0.738), brMakeDVec3(0.046, -0.056, 0.731), 0.034, 0.030, 0.03);

	// A bodice gathered at the shoulders and under a girdle.
	for (int32_t i = 0; i < STATUE_PLEATS; ++i)
	{
		double angle = 2.0 * BR_PI * (i + 0.22 * brSin(2.9 * i)) / STATUE_PLEATS, c = brCos(angle), s = brSin(angle);
		brDVec3 shoulder = {0.070 * c + 0.004, 0.034 * s + 0.002, 0.822 - 0.016 * c * c};
		brDVec3 breast = {0.088 * c + 0.004, (s < 0.0 ? 0.080 : 0.064) * s - 0.002, 0.738};
		brDVec3 waist = {0.074 * thin * c - 0.006, 0.056 * thin * s - 0.002, 0.590};
		statueLimb(statue, shoulder, breast, 0.004, 0.008, 0.016);
		statueLimb(statue, breast, waist, 0.008, 0.006, 0.016);
	}
	for (int32_t i = 0; i < 16; ++i)
	{
		double from = 0.125 * BR_PI * i, to = from + 0.125 * BR_PI;
		statueLimb(statue, brMakeDVec3(0.091 * brCos(from) - 0.008, 0.069 * brSin(from), 0.572 + 0.010 * brSin(from)),
				   brMakeDVec3(0.091 * brCos(to) - 0.008, 0.069 * brSin(to), 0.572 + 0.010 * brSin(to)), 0.010, 0.010,
				   0.012);
	}

	// Neck and head, turned a little to the lifted arm; hair and a knot behind.
	statueLimb(statue, brMakeDVec3(0.004, 0.004, 0.80), brMakeDVec3(-0.002, -0.004, 0.885), 0.036 * thin, 0.028 * thin,
			   0.035);
	statueAdd(statue, brMakeDVec3(-0.004, -0.006, 0.948), brMakeDVec3(-0.009, -0.022, 0.902), 0.050, 0.031, 1.0, 0.012);
	statueLimb(statue, brMakeDVec3(-0.010, -0.052, 0.940), brMakeDVec3(-0.012, -0.060, 0.922), 0.005, 0.008, 0.012);
	statueLimb(statue, brMakeDVec3(-0.002, 0.008, 0.962), brMakeDVec3(0.0, 0.022, 0.945), 0.051, 0.046, 0.008);
	statueLimb(statue, brMakeDVec3(0.003, 0.066, 0.942), brMakeDVec3(0.003, 0.074, 0.940), 0.026, 0.024, 0.010);

	for (int32_t i = 0; i < 16; ++i)
	{
		// A band round the hair, lower behind.
		double from = 0.125 * BR_PI * i, to = from + 0.125 * BR_PI;
		statueLimb(statue,
				   brMakeDVec3(0.0535 * brCos(from) - 0.003, 0.0545 * brSin(from) + 0.003, 0.958 - 0.014 * brSin(from)),
				   brMakeDVec3(0.0535 * brCos(to) - 0.003, 0.0545 * brSin(to) + 0.003, 0.958 - 0.014 * brSin(to)),
				   0.005, 0.005, 0.005);
	}

	// The left hand on the hip.
	brDVec3 shoulder = {0.112, 0.006, 0.792}, elbow = {0.218, 0.040, 0.660}, hand = {0.112, -0.030, 0.556};
	statueLimb(statue, shoulder, elbow, 0.034 * thin, 0.027 * thin, 0.03);
	statueLimb(statue, elbow, hand, 0.026 * thin, 0.018 * thin, 0.012);
	statueLimb(statue, hand, brMakeDVec3(0.085, -0.058, 0.540), 0.020 * thin, 0.014 * thin, 0.014);

	// The right hand lifts a ball.
	shoulder = brMakeDVec3(-0.112, 0.006, 0.808);
	elbow = brMakeDVec3(-0.246, -0.022, 0.868);
	hand = brMakeDVec3(-0.232, -0.066, 1.030);
	statueLimb(statue, shoulder, elbow, 0.034 * thin, 0.026 * thin, 0.03);
	statueLimb(statue, elbow, hand, 0.026 * thin, 0.018 * thin, 0.012);
	statueLimb(statue, hand, brMakeDVec3(-0.230, -0.080, 1.060), 0.021 * thin, 0.024 * thin, 0.012);
	statueLimb(statue, brMakeDVec3(-0.230, -0.084, STATUE_TOP - 0.058), brMakeDVec3(-0.230, -0.084, STATUE_TOP - 0.057),
			   0.057, 0.057, 0.008);
}

// Distance to the hull of two spheres: the foot of the perpendicular to the slant line, or an end.
static double statueConeDistance(const StatueCone* cone, brDVec3 p)
{
	double stretch = 1.0 / cone->flat;
	brDVec3 a = {cone->a.x, cone->a.y * stretch, cone->a.z};
	brDVec3 axis = {cone->b.x - cone->a.x, (cone->b.y - cone->a.y) * stretch, cone->b.z - cone->a.z};
	brDVec3 d = {p.x - a.x, p.y * stretch - a.y, p.z - a.z};
	double lengthSq = brDLengthSq(axis), length = sqrt(lengthSq), shrink = cone->ra - cone->rb;
	double distance;
	if (shrink * shrink >= lengthSq)
	{
		// One sphere holds the other.
		distance = shrink > 0.0 ? brDLength(d) - cone->ra : brDLength(brDSub(d, axis)) - cone->rb;
	}
	else
	{
		double along = brDDot(d, axis) / length;
		double acrossSq = brDLengthSq(d) - along * along;
		double across = acrossSq > 0.0 ? sqrt(acrossSq) : 0.0;
		// The slant line leans by sine = shrink / length; its normal meets the axis `lean` behind the foot.
		double sine = shrink / length, cosine = sqrt(1.0 - sine * sine);
		double foot = along - across * sine / cosine;
		if (foot <= 0.0)
		{
			distance = brDLength(d) - cone->ra;
		}
		else if (foot >= length)
		{
			distance = brDLength(brDSub(d, axis)) - cone->rb;
		}
		else
		{
			distance = across * cosine + along * sine - cone->ra;
		}
	}
	return cone->flat * distance;
}

static double statueBlend(double a, double b, double width)
{
	double gap = fabs(a - b), low = a < b ? a : b;
	if (gap >= width)
	{
		return low;
	}
	double h = width - gap;
	return low - h * h / (4.0 * width);
}

// A box with rounded edges between two heights.
static double statueSlab(brDVec3 p, double halfX, double halfY, double low, double high, double round)
{
	brDVec3 q = {fabs(p.x) - halfX + round, fabs(p.y) - halfY + round,
				 fabs(p.z - 0.5 * (low + high)) - 0.5 * (high - low) + round};
	brDVec3 out = brDMax(q, brMakeDVec3(0.0, 0.0, 0.0));
	double in = q.x > q.y ? q.x : q.y;
	in = in > q.z ? in : q.z;
	return brDLength(out) + (in < 0.0 ? in : 0.0) - round;
}

static double statueField(brDVec3 p, void* user)
{
	const Statue* statue = user;
	// Edges no sharper than the lattice can follow.
	double h = statue->plinth, round = 0.008 > statue->least ? 0.008 : statue->least;
	round = round < 0.05 * h ? round : 0.05 * h;
	double distance = INFINITY;
	for (int32_t i = 0; i < statue->coneCount; ++i)
	{
		const StatueCone* cone = &statue->cones[i];
		// What is farther than the blend reaches changes nothing; most cones are.
		double reach = distance + cone->blend + cone->bound;
		if (cone->flat == 1.0 && brDLengthSq(brDSub(p, cone->middle)) > reach * reach && reach > 0.0)
		{
			continue;
		}
		distance = statueBlend(distance, statueConeDistance(cone, p), cone->blend);
	}
	double plinth = statueSlab(p, 0.205, 0.205, -0.17 * h, 0.0, round);
	plinth = statueBlend(plinth, statueSlab(p, 0.175, 0.175, -0.90 * h, -0.10 * h, round), 0.02);
	plinth = statueBlend(plinth, statueSlab(p, 0.222, 0.222, -h, -0.78 * h, round), 0.012);
	return statueBlend(distance, plinth, 0.012);
}

// Each face is projected along the axis its normal is nearest to.
static void statueSetUvs(brMesh* mesh, double height)
{
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		const int32_t* c = mesh->corners + 3 * f;
		brDVec3 a = mesh->positions[c[0]], b = mesh->positions[c[1]];
		brDVec3 normal = brDCross(brDSub(b, a), brDSub(mesh->positions[c[2]], a));
		double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
		for (int32_t i = 0; i < 3; ++i)
		{
			brDVec3 p = mesh->positions[c[i]];
			double u = z >= x && z >= y ? p.x : x >= y ? (normal.x > 0.0 ? p.y : -p.y) : (normal.y > 0.0 ? -p.x : p.x);
			double v = z >= x && z >= y ? (normal.z > 0.0 ? p.y : -p.y) : p.z;
			mesh->uvs[3 * f + i] = (brVec2){(float)(u / height + 0.5), (float)(v / height)};
		}
	}
}

brResult brMakeStatueModel(const brModelInput* input, brMesh** outMesh, brReport* report)
{
	Statue statue = {.plinth = STATUE_PLINTH * input->parameters[2]};
	double drawn = statue.plinth + STATUE_TOP, cell = drawn / input->resolution;
	statue.least = 0.75 * cell;
	statueDraw(&statue, input->parameters[1]);
	double grown = 2.0 * statue.least; // limbs that were made thicker reach farther
	brContourDef def = {
		.field = statueField,
		.user = &statue,
		.box = {{-0.29 - grown, -0.23 - grown, -statue.plinth}, {0.26 + grown, 0.23 + grown, STATUE_TOP + grown}},
		.cell = cell,
	};
	brMesh* mesh = NULL;
	brResult result = brContour(&input->allocator, input->workers, &def, &mesh, report);
	if (result < 0)
	{
		return result;
	}
	double scale = input->parameters[0] / drawn;
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		mesh->positions[v] = brDMul(scale, mesh->positions[v]);
	}
	brModel_Stand(mesh);
	statueSetUvs(mesh, input->parameters[0]);
	brModel_SetMaterial(mesh, "marble", (brVec4){0.56f, 0.53f, 0.48f, 1.0f}, 0.4f);
	*outMesh = mesh;
	return br_success;
}
