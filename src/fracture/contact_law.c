// SPDX-License-Identifier: MIT

#include "fracture/contact_law.h"

#include "base/lanes.h"
#include "math/power.h"

#include <math.h>
#include <string.h>

#define CONTACT_FACET 2e-4 // of the size: facets and roughness; a face that lies flat gives way so far before it holds
#define CONTACT_SHALLOWEST 1e-6 // of the size
#define CONTACT_DECADES 5.7     // from the shallowest to the deepest
#define CONTACT_TILT 0.05       // slope that a flat contact is given: three degrees
#define CONTACT_EVEN 2e-4       // slope below which it does: over the size that is within a facet
#define CONTACT_AWAY 0.25       // of the size: what is level with a place and farther from it lies flat with it
#define CONTACT_FLAT_SHARE 0.5  // a contact with less of its pressure within 1.5 walls of its point is flat
#define CONTACT_THIN 0.04       // of the size: a contact that spreads less across
#define CONTACT_LONG 0.1        // and more along is that of an edge
#define CONTACT_BEHIND 0.02     // of the size: surface farther in front of the plane than this belongs to another place
#define CONTACT_LEVEL 1e-9      // of the size: what is level but for rounding touches where it was found to
#define CONTACT_LEVELS 20       // halvings of a triangle
#define WALL_RINGS 32           // round a place whose wall is measured
#define WALL_WIDTHS 6.0         // rings to a wall of the whole body
#define WALL_REACH 4.0          // walls: so far what is near counts
#define WALL_LEAF 0.3           // of its distance or a wall: triangles below this are in a ring as a whole
#define WALL_LEAST 0.01         // rings: the surface through the place itself has no moment
#define WALL_LEVELS 12
#define CONTACT_RIM 0.5   // of the fineness of a patch: its rim is that fine
#define CONTACT_ROUND 0.2 // what is rounder than this over the size touches where it was found to

// fmin and fmax without their care for what is no number.
static double contactLess(double a, double b)
{
	return a < b ? a : b;
}

static double contactMore(double a, double b)
{
	return a > b ? a : b;
}

// Depth of a triangle's corners below the plane, rising, and its area as seen along the normal; 0 or less if it faces
// away.
static double contactTriangle(const brDVec3 t[3], const brContactPlane* plane, double z[3])
{
	for (int k = 0; k < 3; ++k)
	{
		z[k] = brDDot(brDSub(t[k], plane->point), plane->inward);
	}
	double area = -0.5 * brDDot(brDCross(brDSub(t[1], t[0]), brDSub(t[2], t[0])), plane->inward);
	for (int i = 0; i < 3; ++i)
	{
		int a = i == 1 ? 1 : 0;
		if (z[a] > z[a + 1])
		{
			double swap = z[a];
			z[a] = z[a + 1], z[a + 1] = swap;
		}
	}
	return area;
}

// Share of a triangle that lies less deep than d. A linear function over a triangle has a quadratic one of those.
static double contactShare(const double z[3], double d)
{
	if (d <= z[0])
	{
		return 0.0;
	}
	if (d < z[1])
	{
		return (d - z[0]) * (d - z[0]) / ((z[1] - z[0]) * (z[2] - z[0]));
	}
	if (d < z[2])
	{
		return 1.0 - (z[2] - d) * (z[2] - d) / ((z[2] - z[0]) * (z[2] - z[1]));
	}
	return 1.0;
}

// The lowest place of the surface, as long as it belongs to the hit; of an edge that lies level the place that was hit.
static brDVec3 contactLowest(const brFlexModel* model, brDVec3 point, brDVec3 inward, double size)
{
	brDVec3 best = point;
	double lowest = 0.0;
	for (int32_t i = 0; i < model->triangleCount; ++i)
	{
		const brFlexBall* ball = &model->balls[i];
		if (brDDot(brDSub(ball->center, point), inward) - ball->radius >= lowest)
		{
			continue;
		}
		for (int k = 0; k < 3; ++k)
		{
			double z = brDDot(brDSub(model->triangles[i][k], point), inward);
			if (z < lowest - CONTACT_LEVEL * size && z > -CONTACT_BEHIND * size)
			{
				lowest = z;
				best = model->triangles[i][k];
			}
		}
	}
	return best;
}

// However the pressure is spread, is half of it in one place?
static bool contactIsNarrow(const brFlexPatch* patch, double reach)
{
	for (int32_t i = 0; i < patch->count; ++i)
	{
		double near = 0.0;
		for (int32_t k = 0; k < patch->count; ++k)
		{
			near += brDLengthSq(brDSub(patch->points[k], patch->points[i])) < reach * reach ? patch->shares[k] : 0.0;
		}
		if (near >= CONTACT_FLAT_SHARE)
		{
			return true;
		}
	}
	return false;
}

static brDVec3 contactMiddle(const brFlexPatch* patch)
{
	brDVec3 middle = {0.0, 0.0, 0.0};
	for (int32_t i = 0; i < patch->count; ++i)
	{
		middle = brDMulAdd(middle, patch->shares[i], patch->points[i]);
	}
	return middle;
}

// Is it a straight edge that lies on the plane? By how far pressure spreads from its middle, along it and across.
static bool contactIsEdge(const brFlexPatch* patch, double size)
{
	brDVec3 middle = contactMiddle(patch), along = {0.0, 0.0, 0.0};
	double all = 0.0, spread = 0.0, farthest = 0.0;
	for (int32_t i = 0; i < patch->count; ++i)
	{
		brDVec3 r = brDSub(patch->points[i], middle);
		double square = brDLengthSq(r);
		all += patch->shares[i] * square;
		along = square > farthest ? r : along;
		farthest = contactMore(square, farthest);
	}
	for (int32_t i = 0; i < patch->count && farthest > 0.0; ++i)
	{
		double far = brDDot(brDSub(patch->points[i], middle), along);
		spread += patch->shares[i] * far * far / farthest;
	}
	double thin = CONTACT_THIN * size, length = CONTACT_LONG * size;
	return spread > length * length && all - spread < thin * thin;
}

// The vertex at least so far from a line through a place along the plane, or from the place, that rises least with its
// distance, within the tilt. A plane that rolls on over the body meets it next.
typedef struct ContactNext
{
	brDVec3 away; // unit; 0: none
	double slope; // higher or lower, since directions of blows are rounded
} ContactNext;

static ContactNext contactFindNext(const brFlexModel* model, const brContactPlane* plane, brDVec3 line, double least)
{
	ContactNext next = {{0.0, 0.0, 0.0}, CONTACT_TILT};
	for (int32_t i = 0; i < model->triangleCount; ++i)
	{
		const brFlexBall* ball = &model->balls[i];
		double low = brDDot(brDSub(ball->center, plane->point), plane->inward) - ball->radius;
		if (low >= CONTACT_TILT * (brDDistance(ball->center, plane->point) + ball->radius))
		{
			continue;
		}
		for (int k = 0; k < 3; ++k)
		{
			brDVec3 r = brDSub(model->triangles[i][k], plane->point);
			double z = brDDot(r, plane->inward), far;
			r = brDMulAdd(r, -z, plane->inward);
			r = brDMulAdd(r, -brDDot(r, line), line);
			far = brDLength(r);
			if (far >= least && z > -CONTACT_TILT * far && z < next.slope * far)
			{
				next = (ContactNext){brDMul(1.0 / far, r), z / far};
			}
		}
	}
	return next;
}

// Nothing lands flatter than the tilt. An edge that lands nearly flat is no stronger than one that is off by that: it
// is given what it lacks. A face that does lies flat.
static bool contactTiltMore(const brFlexModel* model, double size, brContactPlane* plane)
{
	const brDVec3 none = {0.0, 0.0, 0.0};
	ContactNext far = contactFindNext(model, plane, none, contactMore(1.5 * model->wall, CONTACT_AWAY * size));
	if (!(far.slope < CONTACT_TILT))
	{
		return false;
	}
	brContactPlane rolled = {plane->point, brDNormalize(brDMulAdd(plane->inward, -far.slope, far.away)), 0.0, false};
	brDVec3 line = brDNormalize(brDMulAdd(far.away, far.slope, plane->inward));
	ContactNext side = contactFindNext(model, &rolled, line, CONTACT_AWAY * size);
	if (!(side.slope < CONTACT_TILT) && fabs(far.slope) > CONTACT_EVEN)
	{
		plane->inward = brDNormalize(brDMulAdd(plane->inward, CONTACT_TILT - far.slope, far.away));
		plane->point = contactLowest(model, plane->point, plane->inward, size);
		return true;
	}
	double rise = sqrt(far.slope * far.slope + side.slope * side.slope);
	if (rise > CONTACT_EVEN && rise < CONTACT_TILT)
	{
		plane->inward = brDNormalize(brDMulAdd(rolled.inward, -side.slope, side.away));
		plane->point = contactLowest(model, plane->point, plane->inward, size);
	}
	return false;
}

brContactPlane brFindContactPlane(const brFlexModel* model, brDVec3 point, brDVec3 inward, double curvature,
								  double size)
{
	brContactPlane plane = {point, inward, curvature, false};
	if (curvature * size > CONTACT_ROUND)
	{
		return plane;
	}
	plane.point = contactLowest(model, point, inward, size);
	if (contactTiltMore(model, size, &plane))
	{
		return plane;
	}
	brDVec3 points[256];
	double shares[256];
	brFlexPatch patch = {points, shares, 0};
	double reach = 1.5 * model->wall, fine = contactMore(0.02 * size, contactLess(0.1 * size, 0.25 * reach));
	brFillPatch(model, &plane, 3.0 * CONTACT_FACET * size, fine, 256, &patch);
	bool isEdge = contactIsEdge(&patch, size);
	if (patch.count == 0)
	{
		return plane;
	}
	if (!isEdge && contactIsNarrow(&patch, reach))
	{
		return plane;
	}
	brDVec3 aside = brDSub(plane.point, contactMiddle(&patch));
	aside = brDMulAdd(aside, -brDDot(aside, plane.inward), plane.inward);
	double far = brDLength(aside);
	if (!(far > 1e-3 * size))
	{
		return plane;
	}
	plane.inward = brDNormalize(brDMulAdd(plane.inward, -CONTACT_TILT / far, aside));
	plane.point = contactLowest(model, plane.point, plane.inward, size);
	plane.isFace = !isEdge;
	return plane;
}

brContactAreas brMeasureContact(const brFlexModel* model, const brContactPlane* plane, double size)
{
	brContactAreas out;
	memset(&out, 0, sizeof(out));
	double facet = CONTACT_FACET * size, whole[BR_CONTACT_STEPS] = {0.0}; // triangles that are in from a step on
	for (int k = 0; k < BR_CONTACT_STEPS; ++k)
	{
		double decades = CONTACT_DECADES * k / (BR_CONTACT_STEPS - 1);
		out.depths[k] = CONTACT_SHALLOWEST * size * brExponential(2.302585092994046 * decades);
	}
	double deepest = out.depths[BR_CONTACT_STEPS - 1] + facet;
	for (int32_t i = 0; i < model->triangleCount; ++i)
	{
		const brFlexBall* ball = &model->balls[i];
		if (brDDot(brDSub(ball->center, plane->point), plane->inward) - ball->radius >= deepest)
		{
			continue;
		}
		double z[3], area = contactTriangle(model->triangles[i], plane, z);
		if (!(area > 0.0) || z[0] >= deepest || z[2] < -facet)
		{
			continue;
		}
		// From the deepest step up: they grow by a constant factor, so most of the body lies between the last few.
		double before = contactShare(z, -facet);
		int k = BR_CONTACT_STEPS;
		for (; k > 0 && !(out.depths[k - 1] + facet < z[2]); --k)
		{
		}
		if (k < BR_CONTACT_STEPS)
		{
			whole[k] += area * (1.0 - before);
		}
		for (; k > 0 && out.depths[k - 1] + facet > z[0]; --k)
		{
			out.areas[k - 1] += area * (contactShare(z, out.depths[k - 1] + facet) - before);
		}
	}
	double reached = 0.0;
	for (int k = 0; k < BR_CONTACT_STEPS; ++k)
	{
		reached += whole[k];
		out.areas[k] += reached;
		// Two round surfaces: curvatures add up, and areas are as their inverse.
		double own = fmax(out.areas[k] * out.depths[k] / (out.depths[k] + facet), 1e-18);
		out.areas[k] = 1.0 / (1.0 / own + plane->curvature / (2.0 * BR_PI * out.depths[k]));
	}
	return out;
}

static double contactBetween(const double* x, const double* y, double at)
{
	int32_t k = 1;
	for (; k + 1 < BR_CONTACT_STEPS && x[k] < at; ++k)
	{
	}
	if (at <= x[0])
	{
		return y[0] * at / x[0];
	}
	double share = x[k] > x[k - 1] ? brLogarithm(at / x[k - 1]) / brLogarithm(x[k] / x[k - 1]) : 1.0;
	return y[k - 1] * brPower(y[k] / y[k - 1], fmin(share, 1.0));
}

double brContactAreas_Depth(const brContactAreas* areas, double area)
{
	return contactBetween(areas->areas, areas->depths, area);
}

double brContactAreas_Area(const brContactAreas* areas, double depth)
{
	return contactBetween(areas->depths, areas->areas, depth);
}

typedef struct PatchWork
{
	const brContactPlane* plane;
	double depth, fine;
	double total;
	int32_t seen; // pieces of surface so far, kept or not
	int32_t every;
	int32_t capacity;
	brFlexPatch* patch;
} PatchWork;

// Distance between the two surfaces as they first touch.
static double patchGap(const brContactPlane* plane, brDVec3 p)
{
	brDVec3 r = brDSub(p, plane->point);
	double z = brDDot(r, plane->inward);
	return z + 0.5 * plane->curvature * (brDLengthSq(r) - z * z);
}

static brDVec3 patchCenter(const brDVec3 t[3])
{
	return brDMul(1.0 / 3.0, brDAdd(t[0], brDAdd(t[1], t[2])));
}

// A piece of surface that is not divided further.
static void patchLeaf(PatchWork* work, const brDVec3 t[3])
{
	const brContactPlane* plane = work->plane;
	brFlexPatch* patch = work->patch;
	brDVec3 center = patchCenter(t);
	double area = -0.5 * brDDot(brDCross(brDSub(t[1], t[0]), brDSub(t[2], t[0])), plane->inward);
	double z = patchGap(plane, center);
	if (!(area > 0.0) || z >= work->depth || z < -work->depth)
	{
		return;
	}
	// Over the capacity every second one goes, and from then on every second one is kept.
	if (work->seen++ % work->every != 0)
	{
		return;
	}
	if (patch->count == work->capacity)
	{
		for (int32_t i = 0; 2 * i < patch->count; ++i)
		{
			patch->points[i] = patch->points[2 * i];
			patch->shares[i] = patch->shares[2 * i];
		}
		patch->count = (patch->count + 1) / 2;
		work->every *= 2;
	}
	patch->points[patch->count] = center;
	patch->shares[patch->count++] = area * (work->depth - fmax(z, 0.0));
}

// A triangle within the depth of the plane is halved across its longest side until it is fine; where something round
// leaves the depth finer still. `sides`: the squares of the sides that begin at each corner.
static void patchTriangle(PatchWork* work, const brDVec3 t[3], const double sides[3], int32_t level)
{
	const brContactPlane* plane = work->plane;
	double most = contactMore(sides[0], contactMore(sides[1], sides[2])), fine = work->fine;
	if (plane->curvature > 0.0)
	{
		brDVec3 center = patchCenter(t);
		double side = sqrt(most), z = brDDot(brDSub(center, plane->point), plane->inward);
		double far = sqrt(contactMore(0.0, brDLengthSq(brDSub(center, plane->point)) - z * z)); // along the plane
		double inner = contactMore(0.0, far - side), outer = far + side, half = 0.5 * plane->curvature;
		if (contactMore(z - side, -work->depth) + half * inner * inner >= work->depth)
		{
			return;
		}
		bool isRim = contactLess(z + side, work->depth) + half * outer * outer > work->depth;
		fine *= isRim ? CONTACT_RIM : 1.0;
	}
	if (level == CONTACT_LEVELS || most <= fine * fine)
	{
		patchLeaf(work, t);
		return;
	}
	int32_t k = most == sides[0] ? 0 : most == sides[1] ? 1 : 2, next = k < 2 ? k + 1 : 0, last = k > 0 ? k - 1 : 2;
	brDVec3 middle = brDLerp(t[k], t[next], 0.5);
	double across = brDLengthSq(brDSub(middle, t[last]));
	const brDVec3 one[3] = {t[k], middle, t[last]}, two[3] = {middle, t[next], t[last]};
	const double ofOne[3] = {brDLengthSq(brDSub(t[k], middle)), across, sides[last]};
	const double ofTwo[3] = {brDLengthSq(brDSub(middle, t[next])), sides[next], across};
	patchTriangle(work, one, ofOne, level + 1);
	patchTriangle(work, two, ofTwo, level + 1);
}

// What of a ring of points lies on the near side of a plane across `inward`: `sign` 1 less deep than `depth`, -1
// deeper. Returns how many points it has.
static int32_t patchClip(const brContactPlane* plane, double sign, double depth, const brDVec3* in, int32_t count,
						 brDVec3* out)
{
	int32_t kept = 0;
	for (int32_t i = 0, before = count - 1; i < count; before = i++)
	{
		double z = sign * (brDDot(brDSub(in[i], plane->point), plane->inward) - depth);
		double zb = sign * (brDDot(brDSub(in[before], plane->point), plane->inward) - depth);
		if ((z < 0.0) != (zb < 0.0))
		{
			out[kept++] = brDLerp(in[before], in[i], zb / (zb - z));
		}
		if (z < 0.0)
		{
			out[kept++] = in[i];
		}
	}
	return kept;
}

void brFillPatch(const brFlexModel* model, const brContactPlane* plane, double depth, double fine, int32_t capacity,
				 brFlexPatch* patch)
{
	PatchWork work = {.plane = plane, .depth = depth, .fine = fine, .every = 1, .capacity = capacity, .patch = patch};
	patch->count = 0;
	for (int32_t i = 0; i < model->triangleCount; ++i)
	{
		const brFlexBall* ball = &model->balls[i];
		double z = brDDot(brDSub(ball->center, plane->point), plane->inward);
		if (z - ball->radius >= depth || z + ball->radius < -depth)
		{
			continue;
		}
		const brDVec3* t = model->triangles[i];
		brDVec3 near[4], ring[5];
		int32_t count = patchClip(plane, 1.0, depth, t, 3, near);
		count = patchClip(plane, -1.0, -depth, near, count, ring);
		for (int32_t k = 1; k + 1 < count; ++k)
		{
			const brDVec3 part[3] = {ring[0], ring[k], ring[k + 1]};
			const double sides[3] = {brDLengthSq(brDSub(part[0], part[1])), brDLengthSq(brDSub(part[1], part[2])),
									 brDLengthSq(brDSub(part[2], part[0]))};
			patchTriangle(&work, part, sides, 0);
		}
	}
	double total = 0.0;
	for (int32_t i = 0; i < patch->count; ++i)
	{
		total += patch->shares[i];
	}
	if (patch->count == 0 || !(total > 0.0))
	{
		patch->points[0] = plane->point;
		patch->shares[0] = 1.0;
		patch->count = 1;
		return;
	}
	for (int32_t i = 0; i < patch->count; ++i)
	{
		patch->shares[i] /= total;
	}
}

// The surface round a place in rings by distance: its area, and its moment, area times how far its plane lies beyond
// the place. By Gauss, the solid within a ball of radius R is a third of the moments inside and of R^3 times the
// moments outside over their distance cubed.
typedef struct WallRings
{
	brDVec3 point;
	double width;                                                                 // of a ring
	double areas[WALL_RINGS + 1], moments[WALL_RINGS + 1], cubes[WALL_RINGS + 1]; // the last ones hold all beyond
} WallRings;

static void wallAdd(WallRings* rings, brDVec3 toCenter, brDVec3 normal)
{
	double distance = brDLength(toCenter), moment = brDDot(normal, toCenter);
	int32_t k = (int32_t)contactLess(distance / rings->width, WALL_RINGS);
	rings->moments[k] += moment;
	rings->cubes[k] += distance > WALL_LEAST * rings->width ? moment / (distance * distance * distance) : 0.0;
	rings->areas[k] += k < WALL_RINGS ? brDLength(normal) : 0.0;
}

// Whether a triangle is in one ring as a whole. Most are by the ball about them.
static bool wallIsSmall(const WallRings* rings, const brDVec3 t[3], double radius, brDVec3 toCenter)
{
	if (2.0 * radius < WALL_LEAF * WALL_WIDTHS * rings->width ||
		4.0 * radius * radius < WALL_LEAF * WALL_LEAF * brDLengthSq(toCenter))
	{
		return true;
	}
	double ab = brDLengthSq(brDSub(t[0], t[1])), bc = brDLengthSq(brDSub(t[1], t[2])),
		   ca = brDLengthSq(brDSub(t[2], t[0]));
	double side = sqrt(contactMore(ab, contactMore(bc, ca)));
	return side < WALL_LEAF * contactMore(brDLength(toCenter), WALL_WIDTHS * rings->width);
}

// Four triangles side by side, and what they add.
typedef struct WallCorners
{
	brDouble4 a[3], b[3], c[3];
} WallCorners;

typedef struct WallFour
{
	brDouble4 distance, place, moment, cube, area;
	brLong4 areLeaves;
} WallFour;

#define BR_LANES_FILE "fracture/wall_lanes.h"
#include "base/each_lanes.h"

// The four quarters of a triangle, and theirs until they are small.
static void wallQuarters(WallRings* rings, const brDVec3 t[3], int32_t level)
{
	brDVec3 d = brDLerp(t[1], t[2], 0.5), e = brDLerp(t[2], t[0], 0.5), f = brDLerp(t[0], t[1], 0.5);
	const brDVec3 quarters[4][3] = {{t[0], f, e}, {f, t[1], d}, {e, d, t[2]}, {f, d, e}};
	WallCorners corners;
	WallFour four;
	for (int32_t k = 0; k < 4; ++k)
	{
		const brDVec3* q = quarters[k];
		corners.a[0][k] = q[0].x, corners.a[1][k] = q[0].y, corners.a[2][k] = q[0].z;
		corners.b[0][k] = q[1].x, corners.b[1][k] = q[1].y, corners.b[2][k] = q[1].z;
		corners.c[0][k] = q[2].x, corners.c[1][k] = q[2].y, corners.c[2][k] = q[2].z;
	}
	BR_ON_LANES(brCpu_Best() >= br_cpuAvx2, wallFour, (rings, &corners, &four));
	for (int32_t k = 0; k < 4; ++k)
	{
		if (level < WALL_LEVELS && !four.areLeaves[k])
		{
			wallQuarters(rings, quarters[k], level + 1);
			continue;
		}
		int32_t ring = (int32_t)contactLess(four.place[k], WALL_RINGS);
		rings->moments[ring] += four.moment[k];
		rings->cubes[ring] += four.distance[k] > WALL_LEAST * rings->width ? four.cube[k] : 0.0;
		rings->areas[ring] += ring < WALL_RINGS ? four.area[k] : 0.0;
	}
}

// Volume of the solid within the first rings.
static double wallVolume(const WallRings* rings, int32_t count)
{
	double volume = 0.0, outside = 0.0, reach = count * rings->width;
	for (int32_t k = 0; k <= WALL_RINGS; ++k)
	{
		volume += k < count ? rings->moments[k] : 0.0;
		outside += k >= count ? rings->cubes[k] : 0.0;
	}
	return fmax((volume + reach * reach * reach * fmax(outside, 0.0)) / 3.0, 0.0);
}

// Twice volume over area within the first rings.
static double wallWithin(const WallRings* rings, int32_t count)
{
	double area = 0.0;
	for (int32_t k = 0; k < count; ++k)
	{
		area += rings->areas[k];
	}
	return area > 0.0 ? 2.0 * wallVolume(rings, count) / area : count * rings->width;
}

brLocalForm brFindLocalForm(const brFlexModel* model, brDVec3 point, double reach)
{
	WallRings rings = {.point = point, .width = model->wall / WALL_WIDTHS};
	for (int32_t i = 0; i < model->triangleCount; ++i)
	{
		const brDVec3* t = model->triangles[i];
		brDVec3 toCenter = brDSub(model->balls[i].center, point);
		if (wallIsSmall(&rings, t, model->balls[i].radius, toCenter))
		{
			wallAdd(&rings, toCenter, brDMul(0.5, brDCross(brDSub(t[1], t[0]), brDSub(t[2], t[0]))));
		}
		else
		{
			wallQuarters(&rings, t, 1);
		}
	}
	double wall = model->wall, place = 1.0;
	for (int round = 0; round < 8; ++round)
	{
		place = fmax(1.0, fmin(WALL_REACH * wall / rings.width, WALL_RINGS - 1.0));
		int32_t k = (int32_t)place;
		double inner = wallWithin(&rings, k), outer = wallWithin(&rings, k + 1);
		wall = fmin(model->wall, inner + (place - k) * (outer - inner));
	}
	int32_t twice = (int32_t)fmin(2.0 * place, WALL_RINGS);
	int32_t near = (int32_t)fmax(1.0, fmin(reach / rings.width + 0.5, WALL_RINGS));
	double radius = near * rings.width, half = 2.0 / 3.0 * BR_PI * radius * radius * radius;
	return (brLocalForm){wall, wall > 0.0 ? wallWithin(&rings, twice) / wall : 1.0, wallVolume(&rings, near) / half};
}
