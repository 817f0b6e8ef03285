// SPDX-License-Identifier: MIT

// A fluted column: square plinth, two rolls, a tapering shaft with grooves, a cushion and a square slab on top.
//
// It is a revolved profile whose radius is bent per point: by grooves on the shaft, to a square on plinth and slab. The
// segments round it are a multiple of the grooves and of four, so arrises and corners fall on vertices.

#include "mesh/models.h"

#include "base/array.h"

typedef struct ColumnKind
{
	double groove; // share of the full depth
	bool isSquare;
} ColumnKind;

typedef struct Column
{
	brProfile profile;
	ColumnKind* kinds; // of each profile point
	int32_t kindCount;
	int32_t kindCapacity;
	int32_t segments, flutes;
	double depth;
} Column;

// All points drawn since the last call are of this kind.
static void columnMark(Column* column, double groove, bool isSquare)
{
	brProfile* profile = &column->profile;
	while (column->kindCount < profile->count && !profile->failed)
	{
		if (column->kindCount == column->kindCapacity &&
			!brGrowArray(&profile->allocator, (void**)&column->kinds, column->kindCount, &column->kindCapacity, 1,
						 sizeof(ColumnKind)))
		{
			profile->failed = true;
			return;
		}
		column->kinds[column->kindCount++] = (ColumnKind){groove, isSquare};
	}
}

static double columnShape(int32_t point, int32_t segment, void* user)
{
	const Column* column = user;
	ColumnKind kind = column->kinds[point];
	if (kind.isSquare)
	{
		// Segment 0 is a corner. The same number for mirrored segments keeps the sides exactly straight and alike.
		int32_t side = column->segments / 4, i = segment % side;
		int32_t fromMiddle = 2 * i > side ? 2 * i - side : side - 2 * i;
		return 1.0 / brCos(0.25 * BR_PI * fromMiddle / side);
	}
	int32_t groove = column->segments / column->flutes;
	double s = (double)(segment % groove) / groove;
	return 1.0 - kind.groove * column->depth * 4.0 * s * (1.0 - s);
}

static void columnDraw(Column* column, double height, double foot, double taper)
{
	brProfile* profile = &column->profile;
	double plinth = 1.42 * foot, slab = 1.42 * taper * foot, top = taper * foot;
	double plinthHeight = 0.40 * foot, roll = 0.17 * foot, upperRoll = 0.11 * foot, fillet = 0.05 * foot;

	brProfile_Add(profile, 0.0, 0.0, false);
	brProfile_LineTo(profile, plinth, 0.0, true);
	brProfile_LineTo(profile, plinth, plinthHeight, true);
	columnMark(column, 0.0, true);

	// Lower roll, hollow, upper roll, fillet.
	double z = plinthHeight;
	brProfile_Add(profile, 1.18 * foot, z, true);
	brProfile_Arc(profile, 1.18 * foot, z + roll, roll, -0.5 * BR_PI, 0.5 * BR_PI, 8);
	z += 2.0 * roll;
	brProfile_Sharpen(profile);
	brProfile_Add(profile, 1.16 * foot, z + fillet, true);
	brDVec2 hollow[] = {
		{1.16 * foot, z + fillet},
		{1.09 * foot, z + 1.6 * fillet},
		{1.06 * foot, z + 2.6 * fillet},
		{1.08 * foot, z + 3.6 * fillet},
	};
	brProfile_Curve(profile, &(brProfileCurve){hollow, 4, 0.0}, 0.0, 3.0, 3);
	brProfile_Sharpen(profile);
	z += 3.6 * fillet;
	brProfile_Arc(profile, 1.08 * foot, z + upperRoll, upperRoll, -0.5 * BR_PI, 0.5 * BR_PI, 8);
	brProfile_Sharpen(profile);
	z += 2.0 * upperRoll;
	brProfile_LineTo(profile, 1.06 * foot, z, true);
	brProfile_LineTo(profile, 1.06 * foot, z + fillet, true);
	z += fillet;
	brProfile_LineTo(profile, foot, z + fillet, true);
	z += fillet;
	columnMark(column, 0.0, false);

	// The shaft: grooves begin and end in a round; a slight swelling keeps it from looking hollow.
	double crown = height - 1.05 * top, shaft = crown - z, run = 0.35 * foot;
	int32_t pieces = (int32_t)ceil(shaft / (6.0 * profile->step));
	pieces = pieces > 12 ? pieces : 12;
	for (int32_t i = 0; i <= pieces + 10; ++i)
	{
		// Five short steps into the grooves at each end.
		double in = i < 5 ? run * i / 5.0 : i <= pieces + 5 ? run + (shaft - 2.0 * run) * (i - 5) / pieces : 0.0;
		double t = i <= pieces + 5 ? in / shaft : 1.0 - run * (pieces + 10 - i) / 5.0 / shaft;
		double edge = (t < 0.5 ? t : 1.0 - t) * shaft / run;
		double groove = edge < 1.0 ? sqrt(1.0 - (1.0 - edge) * (1.0 - edge)) : 1.0;
		double swelling = 0.06 * t * (1.0 - t);
		brProfile_Add(profile, foot * (1.0 + (taper - 1.0) * t + swelling), z + t * shaft, false);
		columnMark(column, i == 0 || i == pieces + 10 ? 0.0 : groove, false);
	}

	// Necking rings, cushion, slab.
	z = crown;
	brProfile_Sharpen(profile);
	brProfile_LineTo(profile, 1.05 * top, z, true);
	brProfile_Arc(profile, 1.05 * top, z + 0.05 * top, 0.05 * top, -0.5 * BR_PI, 0.5 * BR_PI, 6);
	brProfile_Sharpen(profile);
	z += 0.10 * top;
	brProfile_LineTo(profile, top, z, true);
	brProfile_LineTo(profile, top, z + 0.14 * top, true);
	z += 0.14 * top;
	brProfile_LineTo(profile, 1.06 * top, z, true);
	brProfile_LineTo(profile, 1.06 * top, z + 0.05 * top, true);
	z += 0.05 * top;
	brDVec2 cushion[] = {
		{1.07 * top, z},
		{1.19 * top, z + 0.13 * top},
		{1.30 * top, z + 0.27 * top},
		{1.34 * top, z + 0.36 * top},
	};
	brProfile_Curve(profile, &(brProfileCurve){cushion, 4, 0.0}, 0.0, 3.0, 4);
	z += 0.36 * top;
	brProfile_Sharpen(profile);
	columnMark(column, 0.0, false);
	brProfile_Add(profile, slab, z, true);
	brProfile_LineTo(profile, slab, height, true);
	brProfile_LineTo(profile, 0.0, height, false);
	columnMark(column, 0.0, true);
}

brResult brMakeColumnModel(const brModelInput* input, brMesh** outMesh, brReport* report)
{
	double height = input->parameters[0], foot = 0.5 * height * input->parameters[1];
	Column column = {.flutes = (int32_t)floor(input->parameters[3] + 0.5), .depth = input->parameters[4]};
	brProfile_Init(&column.profile, &input->allocator, foot, input->resolution);

	// At least three segments a groove, all corners of the square among them.
	int32_t segments = (input->resolution + column.flutes - 1) / column.flutes;
	segments = column.flutes * (segments > 3 ? segments : 3);
	while (segments % 4 != 0)
	{
		segments += column.flutes;
	}
	column.segments = segments;
	columnDraw(&column, height, foot, input->parameters[2]);
	brRevolveDef def = {
		.segments = segments,
		.firstAngle = 0.25 * BR_PI,
		.shape = columnShape,
		.shapeUser = &column,
	};
	brMesh* mesh = NULL;
	brResult result = brRevolve(&column.profile, &def, &mesh, report);
	if (result >= 0 && !brModel_SetNormals(&input->allocator, mesh, 0.6))
	{
		brDestroyMesh(mesh);
		result = brFailMemory(report);
	}
	if (result >= 0)
	{
		brModel_SetMaterial(mesh, "marble", (brVec4){0.56f, 0.53f, 0.48f, 1.0f}, 0.45f);
		*outMesh = mesh;
	}
	BR_FREE(&column.profile.allocator, column.kinds, column.kindCapacity);
	brProfile_Destroy(&column.profile);
	return result;
}

// A straight bar: no flutes, no base.
brResult brMakeCylinderModel(const brModelInput* input, brMesh** outMesh, brReport* report)
{
	double radius = 0.5 * input->parameters[0], height = input->parameters[1];
	brProfile profile;
	brProfile_Init(&profile, &input->allocator, radius, input->resolution);
	// Rings along the side are only for long bars: a disc a thousand times as wide as high has none.
	profile.step = fmax(profile.step, fmax(radius, height) / input->resolution);
	brProfile_Add(&profile, 0.0, 0.0, false);
	brProfile_LineTo(&profile, radius, 0.0, true);
	brProfile_LineTo(&profile, radius, height, true);
	brProfile_LineTo(&profile, 0.0, height, false);
	brRevolveDef def = {.segments = input->resolution};
	brResult result = brRevolve(&profile, &def, outMesh, report);
	brProfile_Destroy(&profile);
	if (result >= 0)
	{
		brModel_SetMaterial(*outMesh, "steel", (brVec4){0.35f, 0.36f, 0.38f, 1.0f}, 0.4f);
	}
	return result;
}
