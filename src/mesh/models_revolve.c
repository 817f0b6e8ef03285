// SPDX-License-Identifier: MIT

// Profiles and the solids they sweep about the z axis.
//
//        z
//        |   ___rim
//        |  / /        The profile runs from the axis below, out and up the outside, over the rim and back down the
//        | | |         inside to the axis, with the solid on its left. Its image at n angles, joined by quads, is closed
//        | |  \__      and oriented by construction, and crosses itself only if the profile does: for n >= 3 the map from
//        |  \___  \    (profile, angle) to space is one to one.
//        +------+---r
//
// Curves are cut into segments as long as those round the widest place, so faces are about square and their number
// grows with the square of the resolution; each curve also has a least number of segments that keeps its shape, and the
// two sides of a wall are sampled at the same parameters so that chords cannot eat it up.

#include "mesh/models.h"

#include "base/array.h"
#include "base/assert.h"
#include "mesh/mesh_build.h"

void brProfile_Init(brProfile* profile, const brAllocator* allocator, double radius, int32_t resolution)
{
	*profile = (brProfile){.allocator = *allocator, .step = 2.0 * BR_PI * radius / resolution};
}

void brProfile_Destroy(brProfile* profile)
{
	BR_FREE(&profile->allocator, profile->points, profile->capacity);
	*profile = (brProfile){0};
}

void brProfile_Add(brProfile* profile, double r, double z, bool isSharp)
{
	// Curves repeat the point where the one before ended; rounding must not make that a segment.
	if (profile->count > 0)
	{
		brProfilePoint* last = &profile->points[profile->count - 1];
		double gap = fabs(last->r - r) + fabs(last->z - z);
		if (gap <= 1e-9 * (fabs(r) + fabs(z)))
		{
			last->isSharp = last->isSharp || isSharp;
			return;
		}
	}
	if (profile->count == profile->capacity &&
		(profile->failed || !brGrowArray(&profile->allocator, (void**)&profile->points, profile->count,
										 &profile->capacity, 1, sizeof(brProfilePoint))))
	{
		profile->failed = true;
		return;
	}
	profile->points[profile->count++] = (brProfilePoint){r, z, isSharp};
}

void brProfile_Sharpen(brProfile* profile)
{
	if (profile->count > 0)
	{
		profile->points[profile->count - 1].isSharp = true;
	}
}

static int32_t profilePieces(const brProfile* profile, double length, int32_t least)
{
	double pieces = ceil(length / profile->step - 1e-6);
	return pieces > least ? (int32_t)pieces : least;
}

void brProfile_LineTo(brProfile* profile, double r, double z, bool isSharp)
{
	if (profile->count == 0)
	{
		return; // an earlier point did not fit in memory
	}
	brProfilePoint from = profile->points[profile->count - 1];
	double length = sqrt((r - from.r) * (r - from.r) + (z - from.z) * (z - from.z));
	int32_t pieces = profilePieces(profile, length, 1);
	for (int32_t i = 1; i < pieces; ++i)
	{
		double t = (double)i / pieces;
		brProfile_Add(profile, from.r + t * (r - from.r), from.z + t * (z - from.z), false);
	}
	brProfile_Add(profile, r, z, isSharp);
}

void brProfile_Arc(brProfile* profile, double centerR, double centerZ, double radius, double from, double to,
				   int32_t minSegments)
{
	int32_t pieces = profilePieces(profile, radius * fabs(to - from), minSegments);
	for (int32_t i = 0; i <= pieces; ++i)
	{
		double angle = from + (to - from) * i / pieces;
		brProfile_Add(profile, centerR + radius * brCos(angle), centerZ + radius * brSin(angle), false);
	}
}

// Knot i, with one more at each end: the mirror image across the axis, or the last leg once more.
static brDVec2 profileKnot(const brProfileCurve* curve, int32_t i)
{
	const brDVec2* knots = curve->knots;
	int32_t last = curve->knotCount - 1;
	if (i < 0)
	{
		return knots[0].x == 0.0 ? (brDVec2){-knots[1].x, knots[1].y}
								 : (brDVec2){2.0 * knots[0].x - knots[1].x, 2.0 * knots[0].y - knots[1].y};
	}
	return i <= last ? knots[i]
					 : (brDVec2){2.0 * knots[last].x - knots[last - 1].x, 2.0 * knots[last].y - knots[last - 1].y};
}

static brDVec2 profileMix(brDVec2 a, brDVec2 b, double t)
{
	return (brDVec2){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}

// Barry and Goldman's pyramid with centripetal spacing: no loops or cusps inside a leg (Yuksel et al. 2011).
static brDVec2 profileSpline(const brProfileCurve* curve, double t)
{
	int32_t leg = (int32_t)floor(t);
	leg = leg < 0 ? 0 : leg > curve->knotCount - 2 ? curve->knotCount - 2 : leg;
	brDVec2 k[4];
	double at[4] = {0.0};
	for (int32_t i = 0; i < 4; ++i)
	{
		k[i] = profileKnot(curve, leg - 1 + i);
		if (i > 0)
		{
			double dx = k[i].x - k[i - 1].x, dy = k[i].y - k[i - 1].y;
			at[i] = at[i - 1] + sqrt(sqrt(dx * dx + dy * dy));
		}
	}
	double s = at[1] + (t - leg) * (at[2] - at[1]);
	for (int32_t level = 1; level <= 3; ++level)
	{
		for (int32_t i = 0; i < 4 - level; ++i)
		{
			// The middle level spans two intervals, clamped to the leg at its ends.
			int32_t low = level == 3 ? 1 : i, high = level == 3 ? 2 : i + level;
			k[i] = profileMix(k[i], k[i + 1], (s - at[low]) / (at[high] - at[low]));
		}
	}
	return k[0];
}

brDVec2 brProfileCurve_Point(const brProfileCurve* curve, double t)
{
	brDVec2 point = profileSpline(curve, t);
	if (t == 0.0 && curve->knots[0].x == 0.0)
	{
		return (brDVec2){0.0, point.y + curve->offset};
	}
	if (curve->offset == 0.0)
	{
		return point;
	}
	const double reach = 1e-4; // of a leg: far above rounding, far below any bend
	brDVec2 before = profileSpline(curve, t - reach), after = profileSpline(curve, t + reach);
	double dx = after.x - before.x, dy = after.y - before.y;
	double scale = curve->offset / sqrt(dx * dx + dy * dy);
	return (brDVec2){point.x - scale * dy, point.y + scale * dx};
}

void brProfile_Curve(brProfile* profile, const brProfileCurve* curve, double from, double to, int32_t minSegments)
{
	// Whole legs at a time, so that two walks over the same legs, whatever their offsets, use the same parameters.
	double direction = to > from ? 1.0 : -1.0;
	for (double start = from; direction * (to - start) > 0.0;)
	{
		double border = direction > 0.0 ? floor(start) + 1.0 : ceil(start) - 1.0;
		double end = direction * (to - border) > 0.0 ? border : to;
		double length = 0.0;
		brProfileCurve plain = {curve->knots, curve->knotCount, 0.0};
		brDVec2 last = brProfileCurve_Point(&plain, start);
		for (int32_t i = 1; i <= 16; ++i)
		{
			brDVec2 point = brProfileCurve_Point(&plain, start + (end - start) * i / 16.0);
			double dx = point.x - last.x, dy = point.y - last.y;
			length += sqrt(dx * dx + dy * dy);
			last = point;
		}
		int32_t pieces = profilePieces(profile, length, minSegments);
		for (int32_t i = 0; i <= pieces; ++i)
		{
			brDVec2 point = brProfileCurve_Point(curve, i == pieces ? end : start + (end - start) * i / pieces);
			brProfile_Add(profile, point.x, point.y, false);
		}
		start = end;
	}
}

// Outward normal of the segment after point i in the half plane.
static brDVec2 profileNormal(const brProfile* profile, int32_t i, double* outLength)
{
	const brProfilePoint* a = &profile->points[i];
	const brProfilePoint* b = &profile->points[(i + 1) % profile->count];
	double dr = b->r - a->r, dz = b->z - a->z;
	double length = sqrt(dr * dr + dz * dz);
	*outLength = length;
	return (brDVec2){dz / length, -dr / length};
}

// Normal at point `end` of segment i: the segment's own at a sharp point, else the mean with the neighbor, the shorter
// segment counting more since it is the better tangent.
static brDVec2 profilePointNormal(const brProfile* profile, int32_t i, int32_t end)
{
	double length, otherLength;
	brDVec2 own = profileNormal(profile, i, &length);
	const brProfilePoint* point = &profile->points[end];
	if (point->r == 0.0)
	{
		return point->isSharp ? own : (brDVec2){0.0, own.y < 0.0 ? -1.0 : 1.0};
	}
	if (point->isSharp)
	{
		return own;
	}
	int32_t segments = profile->isLoop ? profile->count : profile->count - 1;
	int32_t other = end == i ? (i + segments - 1) % segments : (i + 1) % segments;
	brDVec2 beside = profileNormal(profile, other, &otherLength);
	double x = own.x * otherLength + beside.x * length, y = own.y * otherLength + beside.y * length;
	double scale = 1.0 / sqrt(x * x + y * y);
	return (brDVec2){scale * x, scale * y};
}

// Where the vertices of each profile point are: one for a pole, else one a segment.
typedef struct RevolveGrid
{
	const brProfile* profile;
	const brRevolveDef* def;
	int32_t* firstVertices; // [count]
	bool* isPlanarRow;      // [count], row i runs from point i to the next
	double* cosines;        // [segments]
	double* sines;
} RevolveGrid;

static double revolveFactor(const brRevolveDef* def, int32_t point, int32_t segment)
{
	return def->shape != NULL ? def->shape(point, segment, def->shapeUser) : 1.0;
}

static int32_t revolveVertex(const RevolveGrid* grid, int32_t point, int32_t segment)
{
	bool isPole = grid->profile->points[point].r == 0.0;
	return grid->firstVertices[point] + (isPole ? 0 : segment % grid->def->segments);
}

static void revolveCorner(const RevolveGrid* grid, brMesh* mesh, int32_t corner, int32_t point, int32_t segment,
						  double u, double v, brDVec2 normal)
{
	int32_t k = segment % grid->def->segments;
	mesh->corners[corner] = revolveVertex(grid, point, segment);
	mesh->uvs[corner] = (brVec2){(float)u, (float)v};
	mesh->normals[corner] = brToVec3(brMakeDVec3(normal.x * grid->cosines[k], normal.x * grid->sines[k], normal.y));
}

static void revolveFill(const RevolveGrid* grid, brMesh* mesh)
{
	const brProfile* profile = grid->profile;
	int32_t segments = grid->def->segments;
	for (int32_t i = 0; i < profile->count; ++i)
	{
		brProfilePoint point = profile->points[i];
		for (int32_t k = 0; k < (point.r == 0.0 ? 1 : segments); ++k)
		{
			double r = point.r * revolveFactor(grid->def, i, k);
			mesh->positions[grid->firstVertices[i] + k] =
				brMakeDVec3(r * grid->cosines[k], r * grid->sines[k], point.z);
		}
	}

	double widest = 0.0;
	for (int32_t i = 0; i < profile->count; ++i)
	{
		widest = profile->points[i].r > widest ? profile->points[i].r : widest;
	}
	double along = 0.0;
	int32_t face = 0, corner = 0;
	for (int32_t i = 0; i < profile->count - (profile->isLoop ? 0 : 1); ++i)
	{
		int32_t j = (i + 1) % profile->count;
		double length;
		profileNormal(profile, i, &length);
		brDVec2 below = profilePointNormal(profile, i, i), above = profilePointNormal(profile, i, j);
		double v0 = along / (2.0 * BR_PI * widest), v1 = (along + length) / (2.0 * BR_PI * widest);
		along += length;
		bool isPoleBelow = profile->points[i].r == 0.0, isPoleAbove = profile->points[j].r == 0.0;
		for (int32_t k = 0; k < segments; ++k)
		{
			double u0 = (double)k / segments, u1 = (double)(k + 1) / segments, middle = 0.5 * (u0 + u1);
			if (isPoleBelow)
			{
				revolveCorner(grid, mesh, corner++, i, k, middle, v0, below);
				revolveCorner(grid, mesh, corner++, j, k + 1, u1, v1, above);
				revolveCorner(grid, mesh, corner++, j, k, u0, v1, above);
			}
			else if (isPoleAbove)
			{
				revolveCorner(grid, mesh, corner++, i, k, u0, v0, below);
				revolveCorner(grid, mesh, corner++, i, k + 1, u1, v0, below);
				revolveCorner(grid, mesh, corner++, j, k, middle, v1, above);
			}
			else
			{
				revolveCorner(grid, mesh, corner++, i, k, u0, v0, below);
				revolveCorner(grid, mesh, corner++, i, k + 1, u1, v0, below);
				revolveCorner(grid, mesh, corner++, j, k + 1, u1, v1, above);
				if (!grid->isPlanarRow[i])
				{
					mesh->faceStarts[++face] = corner;
					revolveCorner(grid, mesh, corner++, i, k, u0, v0, below);
					revolveCorner(grid, mesh, corner++, j, k + 1, u1, v1, above);
				}
				revolveCorner(grid, mesh, corner++, j, k, u0, v1, above);
			}
			mesh->faceStarts[++face] = corner;
		}
	}
	BR_ASSERT(face == mesh->faceCount && corner == mesh->cornerCount);
}

// A row of quads is planar when its two rings are similar or in one level plane.
static bool revolveIsPlanar(const brProfile* profile, const brRevolveDef* def, int32_t i, int32_t j)
{
	bool isPlanar = true;
	for (int32_t k = 0; k < def->segments && isPlanar && def->shape != NULL; ++k)
	{
		isPlanar = profile->points[i].z == profile->points[j].z || revolveFactor(def, i, k) == revolveFactor(def, j, k);
	}
	return isPlanar;
}

brResult brRevolve(const brProfile* profile, const brRevolveDef* def, brMesh** outMesh, brReport* report)
{
	if (profile->failed)
	{
		return brFailMemory(report);
	}
	int32_t count = profile->count, segments = def->segments;
	BR_ASSERT(count >= 3 && segments >= 3);
	BR_ASSERT(profile->isLoop || (profile->points[0].r == 0.0 && profile->points[count - 1].r == 0.0));
	const brAllocator* allocator = &profile->allocator;
	RevolveGrid grid = {
		.profile = profile,
		.def = def,
		.firstVertices = BR_ALLOC(allocator, int32_t, count),
		.isPlanarRow = BR_ALLOC(allocator, bool, count),
		.cosines = BR_ALLOC(allocator, double, segments),
		.sines = BR_ALLOC(allocator, double, segments),
	};
	brMesh* mesh = NULL;
	brResult result = br_errorMemory;
	if (grid.firstVertices != NULL && grid.isPlanarRow != NULL && grid.cosines != NULL && grid.sines != NULL)
	{
		for (int32_t k = 0; k < segments; ++k)
		{
			double angle = def->firstAngle + 2.0 * BR_PI * k / segments;
			grid.cosines[k] = brCos(angle);
			grid.sines[k] = brSin(angle);
		}
		int64_t vertices = 0, faces = 0, corners = 0;
		for (int32_t i = 0; i < count; ++i)
		{
			bool isPole = profile->points[i].r == 0.0;
			grid.firstVertices[i] = (int32_t)(vertices < INT32_MAX ? vertices : INT32_MAX);
			vertices += isPole ? 1 : segments;
			if (i + 1 == count && !profile->isLoop)
			{
				break;
			}
			int32_t j = (i + 1) % count;
			bool isFan = isPole || profile->points[j].r == 0.0;
			grid.isPlanarRow[i] = revolveIsPlanar(profile, def, i, j);
			faces += isFan || grid.isPlanarRow[i] ? segments : 2 * (int64_t)segments;
			corners += (isFan ? 3 : grid.isPlanarRow[i] ? 4 : 6) * (int64_t)segments;
		}
		if (corners <= INT32_MAX)
		{
			brMeshShape shape = {
				(int32_t)vertices, (int32_t)faces, (int32_t)corners, 1, 0, true, true, false, true, false};
			mesh = brAllocMesh(allocator, &shape);
		}
		else
		{
			result = brFail(report, br_errorLimit, "the revolved body would have %lld corners, more than 32 bits count",
							(long long)corners);
		}
		if (mesh != NULL)
		{
			revolveFill(&grid, mesh);
			*outMesh = mesh;
			result = br_success;
		}
	}
	BR_FREE(allocator, grid.firstVertices, count);
	BR_FREE(allocator, grid.isPlanarRow, count);
	BR_FREE(allocator, grid.cosines, segments);
	BR_FREE(allocator, grid.sines, segments);
	return result == br_errorMemory ? brFailMemory(report) : result;
}
