// SPDX-License-Identifier: MIT

// Revolved models: plate, bowl, vase, wine glass, torus.
//
// Walls are drawn once, as the outside; the inside is the same curve offset by the thickness. Drawings are in units of
// the width or height and scaled at the end of each knot list, so proportions do not depend on size.

#include "mesh/models.h"

// Half a turn from the outer side of a wall over its rim to the inner side, on the curve's end.
static void vesselRim(brProfile* profile, const brProfileCurve* outside, const brProfileCurve* inside)
{
	double end = outside->knotCount - 1;
	brDVec2 a = brProfileCurve_Point(outside, end), b = brProfileCurve_Point(inside, end);
	double angle = brAtan2(a.y - b.y, a.x - b.x);
	brProfile_Arc(profile, 0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * fabs(inside->offset), angle, angle + BR_PI, 6);
}

static brResult vesselFinish(brProfile* profile, const brModelInput* input, const char* material, brVec4 color,
							 float roughness, brMesh** outMesh, brReport* report)
{
	brRevolveDef def = {.segments = input->resolution};
	brResult result = brRevolve(profile, &def, outMesh, report);
	if (result >= 0)
	{
		brModel_SetMaterial(*outMesh, material, color, roughness);
	}
	brProfile_Destroy(profile);
	return result;
}

// Plates and bowls, drawn by the inside of their wall, from the axis to the rim, and a ring of half-round section under
// it, whose outer flank stands at parameter `footAt` of the wall.
static brResult dishMake(const brModelInput* input, const brProfileCurve* inside, double footAt, brVec4 color,
						 brMesh** outMesh, brReport* report)
{
	brProfileCurve outside = {inside->knots, inside->knotCount, 0.0};
	double end = outside.knotCount - 1, tip = 0.5 * inside->offset;
	brDVec2 foot = brProfileCurve_Point(&outside, footAt);
	double innerAt = 0.0, tooFar = footAt;
	for (int32_t i = 0; i < 50; ++i)
	{
		double middle = 0.5 * (innerAt + tooFar);
		bool isInside = brProfileCurve_Point(&outside, middle).x < foot.x - 2.0 * tip;
		innerAt = isInside ? middle : innerAt;
		tooFar = isInside ? tooFar : middle;
	}
	brProfile profile;
	brProfile_Init(&profile, &input->allocator, 0.5 * input->parameters[0], input->resolution);
	brProfile_Curve(&profile, &outside, 0.0, innerAt, 4);
	brProfile_Sharpen(&profile);
	brProfile_Arc(&profile, foot.x - tip, tip, tip, BR_PI, 2.0 * BR_PI, 6);
	brProfile_Add(&profile, foot.x, foot.y, true);
	brProfile_Curve(&profile, &outside, footAt, end, 6);
	vesselRim(&profile, &outside, inside);
	brProfile_Curve(&profile, inside, end, 0.0, 6);
	return vesselFinish(&profile, input, "porcelain", color, 0.18f, outMesh, report);
}

brResult brMakePlateModel(const brModelInput* input, brMesh** outMesh, brReport* report)
{
	double radius = 0.5 * input->parameters[0];
	double height = input->parameters[0] * input->parameters[1],
		   thickness = input->parameters[0] * input->parameters[2];
	double low = 0.75 * thickness + 0.1 * height; // underside of the well: the ring lifts it
	double rise = height - low - thickness;
	brDVec2 knots[] = {
		{0.0, low},
		{0.30 * radius, low},
		{0.54 * radius, low},
		{0.64 * radius, low + 0.16 * rise},
		{0.73 * radius, low + 0.55 * rise},
		{0.86 * radius, low + 0.80 * rise},
		{radius, low + rise},
	};
	brProfileCurve inside = {knots, 7, thickness};
	return dishMake(input, &inside, 2.0, (brVec4){0.86f, 0.87f, 0.88f, 1.0f}, outMesh, report);
}

brResult brMakeBowlModel(const brModelInput* input, brMesh** outMesh, brReport* report)
{
	double radius = 0.5 * input->parameters[0];
	double height = input->parameters[0] * input->parameters[1],
		   thickness = input->parameters[0] * input->parameters[2];
	double low = 0.06 * height + 0.75 * thickness;
	double rise = height - low - 0.5 * thickness;
	brDVec2 knots[] = {
		{0.0, low},
		{0.26 * radius, low + 0.02 * rise},
		{0.50 * radius, low + 0.13 * rise},
		{0.74 * radius, low + 0.38 * rise},
		{0.91 * radius, low + 0.70 * rise},
		{radius, low + rise},
	};
	brProfileCurve inside = {knots, 6, thickness};
	return dishMake(input, &inside, 1.8, (brVec4){0.06f, 0.14f, 0.27f, 1.0f}, outMesh, report);
}

brResult brMakeVaseModel(const brModelInput* input, brMesh** outMesh, brReport* report)
{
	double height = input->parameters[0];
	double radius = 0.5 * height * input->parameters[1], neck = radius * input->parameters[2];
	double thickness = height * input->parameters[3];
	double flare = neck + 0.30 * (radius - neck);
	brDVec2 knots[] = {
		{0.50 * radius, 0.0},
		{0.66 * radius, 0.12 * height},
		{0.91 * radius, 0.30 * height},
		{radius, 0.46 * height},
		{0.90 * radius + 0.08 * neck, 0.61 * height},
		{0.36 * radius + 0.64 * neck, 0.745 * height},
		{neck + 0.03 * (radius - neck), 0.855 * height},
		{neck + 0.05 * (radius - neck), 0.93 * height},
		{flare, height - 0.5 * thickness},
	};
	brProfileCurve outside = {knots, 9, 0.0}, inside = {knots, 9, thickness};

	// The inside begins where it is as high above the ground as a floor is thick.
	double floorAt = 0.0, tooFar = 1.0, floorHeight = 1.3 * thickness;
	for (int32_t i = 0; i < 50; ++i)
	{
		double middle = 0.5 * (floorAt + tooFar);
		bool isBelow = brProfileCurve_Point(&inside, middle).y < floorHeight;
		floorAt = isBelow ? middle : floorAt;
		tooFar = isBelow ? tooFar : middle;
	}
	brProfile profile;
	brProfile_Init(&profile, &input->allocator, radius, input->resolution);
	brProfile_Add(&profile, 0.0, 0.0, false);
	brProfile_LineTo(&profile, knots[0].x, 0.0, true);
	brProfile_Curve(&profile, &outside, 0.0, 8.0, 5);
	vesselRim(&profile, &outside, &inside);
	brProfile_Curve(&profile, &inside, 8.0, floorAt, 5);
	brProfile_Sharpen(&profile);
	brProfile_LineTo(&profile, 0.0, brProfileCurve_Point(&inside, floorAt).y, false);
	return vesselFinish(&profile, input, "terracotta", (brVec4){0.42f, 0.15f, 0.07f, 1.0f}, 0.55f, outMesh, report);
}

brResult brMakeWineGlassModel(const brModelInput* input, brMesh** outMesh, brReport* report)
{
	double height = input->parameters[0];
	double radius = 0.5 * height * input->parameters[1], rim = radius * input->parameters[2];
	double stem = 0.5 * height * input->parameters[3], thickness = height * input->parameters[4];
	double foot = 0.9 * radius > 0.16 * height ? 0.9 * radius : 0.16 * height;
	double bowl = 0.46 * height; // where the bowl's outside would meet the axis
	double rise = height - bowl - 0.5 * thickness;

	// The bowl alone, from the axis to the rim: its offset is the inside. Its lower knots are lifted, since glasses are
	// thicker where the stem begins.
	brDVec2 wall[] = {
		{0.0, bowl + 0.025 * rise},
		{0.40 * radius, bowl + 0.075 * rise},
		{0.74 * radius, bowl + 0.185 * rise},
		{0.95 * radius, bowl + 0.34 * rise},
		{radius, bowl + 0.48 * rise},
		{0.72 * radius + 0.28 * rim, bowl + 0.70 * rise},
		{rim, bowl + rise},
	};
	// Foot and stem run into the same wall, which from its third knot on is the same curve.
	double edge = 0.0045 * height;
	brDVec2 outer[] = {
		{foot - edge, 2.0 * edge},
		{0.62 * foot, 0.018 * height + edge},
		{0.30 * foot + 0.5 * stem, 0.036 * height + edge},
		{1.35 * stem, 0.085 * height},
		{stem, 0.17 * height},
		{0.94 * stem, 0.28 * height},
		{1.10 * stem, 0.385 * height},
		{0.40 * stem + 0.20 * radius, bowl - 0.018 * height},
		{wall[1].x + 0.02 * radius, wall[1].y - 0.03 * rise},
		wall[2],
		wall[3],
		wall[4],
		wall[5],
		wall[6],
	};
	brProfileCurve outside = {outer, 14, 0.0}, inside = {wall, 7, thickness};
	brProfileCurve rimOutside = {wall, 7, 0.0};
	brProfile profile;
	brProfile_Init(&profile, &input->allocator, radius, input->resolution);
	brProfile_Add(&profile, 0.0, 0.0, false);
	brProfile_LineTo(&profile, foot - edge, 0.0, false);
	brProfile_Arc(&profile, foot - edge, edge, edge, -0.5 * BR_PI, 0.5 * BR_PI, 6);
	brProfile_Curve(&profile, &outside, 0.0, 13.0, 5);
	vesselRim(&profile, &rimOutside, &inside);
	brProfile_Curve(&profile, &inside, 6.0, 0.0, 6);
	return vesselFinish(&profile, input, "glass", (brVec4){0.965f, 0.985f, 0.98f, 0.12f}, 0.02f, outMesh, report);
}

brResult brMakeTorusModel(const brModelInput* input, brMesh** outMesh, brReport* report)
{
	double tube = 0.5 * input->parameters[0] * input->parameters[1], ring = 0.5 * input->parameters[0] - tube;
	brProfile profile;
	brProfile_Init(&profile, &input->allocator, ring + tube, input->resolution);
	int32_t pieces = (int32_t)ceil(2.0 * BR_PI * tube / profile.step);
	int32_t least = input->resolution < 8 ? input->resolution : 8;
	pieces = pieces > least ? pieces : least;
	profile.isLoop = true;
	for (int32_t i = 0; i < pieces; ++i)
	{
		double angle = 2.0 * BR_PI * i / pieces - 0.5 * BR_PI;
		brProfile_Add(&profile, ring + tube * brCos(angle), tube + tube * brSin(angle), false);
	}
	return vesselFinish(&profile, input, "clay", (brVec4){0.62f, 0.34f, 0.05f, 1.0f}, 0.35f, outMesh, report);
}
