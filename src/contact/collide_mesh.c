// SPDX-License-Identifier: MIT

// A concave solid against a half-space, a box, a hull, another one, or a surface: points of each in the field of the other.
//
// Queries are those of Glondu et al. (2012, sections 3 to 5): the sphere tree of one body goes down wherever the other's
// field is nearer than radius plus margin; where points are few they are all held against the other's box and cells, eight at a
// time, which is quicker. Only what may touch is asked exactly. What is made of the points found is ours, since the paper's choice lets a tower fall:
//   1. The field's direction counts only if it opposes the surface the point lives on. Where edges lie on edges the nearest face
//      is often the side; such points are asked again a little inwards on each of their faces (inset samples, mesh_points.c).
//   2. A point outside over an edge or corner of the other touches it with its own face: the face's normal wins.
//   3. Points that were driven past the middle of something thin keep the normal by which they came.
//   4. Few points: edges are searched, since two crossing edges have none. An edge inside another body leaves it in two places, which
//      give the normal and depth of the crossing (mesh_edges.c).
//   5. Clusters of normals, up to eight points each (select.c).
// If nothing can be trusted but points are inside, they all go the way most of their depth points.

#include "contact/mesh_pair.h"

#include <string.h>

// Points of one shape that are looked at; those beyond are the finest of the order.
#define MESH_MAX_POINTS 65536

// Up to so many, all are looked at; of more those the tree leads to.
#define MESH_FLAT_POINTS 4096

// Searches look beyond the margin by half of it and this part of the thickness: what is known to be apart by more need not be
// asked until it has moved. The search along edges may miss the very nearest place, so not all that was met is promised.
#define MESH_LOOK_OUT 0.02f
#define MESH_APART 0.8f

// Boxes farther apart than the margin and this part of the radius settle the matter; nearer ones would have to be asked again too soon.
#define MESH_BOXES_APART 0.2f

// Self-adapting: so many points of a side are taken as they come; then those within a part of the thickness of the deepest, up to
// so many; from then on only what is deeper than all of them by a part of the radius. No more than so many are asked in all.
#define MESH_ENOUGH_AHEAD 10
#define MESH_LEVEL 0.05f
#define MESH_ENOUGH 24
#define MESH_TOLERANCE 0.002f
#define MESH_MAX_ASKED 192

// A point of a flank is the lowest of its body if nothing is lower by more than this part of the thickness.
#define MESH_FLANK_LOWEST 0.001f

// Fewer than so many points: edges are searched.
#define MESH_FEW 3

// A half-space reaches as far as this, which is less than where empty lanes of points lie.
#define MESH_NOWHERE 1e17f

// What is behind an open surface is followed no deeper than this part of the thickness: farther it has another side.
#define MESH_KEPT_BEHIND 0.5f

// Points that are asked to learn how far two bodies are apart.
#define MESH_MAX_REFINED 16

// Whether a point that is no deeper than the triangle it has been told of is deep enough to be asked. Inside nothing is farther
// than that one; outside it is a guess, which the many that were asked before can bear.
static bool meshIsShallow(const brMeshSide* other, brVec3 p, const brFieldBound* bound, float limit)
{
	if (!other->isConcave)
	{
		return false;
	}
	return brSolid_Guess(&other->solid, bound->hint, p) >= limit;
}

// Points of one side that may be near the other, in their order, eight at a time. Of few points all are held against the other's box, eight
// in a dozen instructions. Of many the tree goes down: children come after their parents, so it is one scan over a set of bits.
typedef struct MeshScan
{
	const brMeshSide *side, *other;
	bool isFlat;
	int32_t count;
	brBox3 box;    // of the other, grown
	int32_t block; // flat: the next
	int32_t word, words;
	int32_t points[BR_TRIANGLE_LANES];
	brFloat8 places[3]; // in the other's axes
	brFieldBounds bounds;
	uint64_t bits[MESH_MAX_POINTS / 64];
} MeshScan;

static void meshStartScan(MeshScan* scan, const brMeshSide* side, const brMeshSide* other, float reach)
{
	scan->side = side, scan->other = other;
	scan->count = side->solid.pointCount < MESH_MAX_POINTS ? side->solid.pointCount : MESH_MAX_POINTS;
	scan->isFlat = scan->count <= MESH_FLAT_POINTS;
	scan->word = scan->block = 0;
	scan->words = scan->isFlat ? 0 : (scan->count + 63) / 64;
	memset(scan->bits, 0, sizeof(uint64_t) * (size_t)scan->words);
	scan->bits[0] = scan->count > 0;
	brVec3 half = brAdd(other->shape->half, brMakeVec3(reach, reach, reach)), center = other->shape->boxCenter;
	half = other->shape->kind == br_shapeHalfSpace ? brMakeVec3(MESH_NOWHERE, MESH_NOWHERE, reach) : half;
	scan->box = (brBox3){brSub(center, half), brAdd(center, half)};
	for (int32_t lane = 0; lane < BR_TRIANGLE_LANES; ++lane)
	{
		scan->bounds.least[lane] = -INFINITY, scan->bounds.most[lane] = INFINITY, scan->bounds.hints[lane] = -1;
	}
}

static void meshAddChildren(MeshScan* scan, const BR_FAR brSolidPoint* point)
{
	const BR_FAR brSolidPoint* points = scan->side->solid.points;
	for (int32_t child = point->firstChild; child >= 0; child = points[child].nextSibling)
	{
		if (child < scan->count)
		{
			scan->bits[child / 64] |= (uint64_t)1 << (child % 64);
			scan->word = child / 64 < scan->word ? child / 64 : scan->word;
		}
	}
}

// What is known of the eight points before a triangle is touched. Returns which of them may be nearer than `limit`.
static uint32_t meshScanBounds(MeshScan* scan, float limit)
{
	const brMeshSide* other = scan->other;
	const BR_FAR brShape* shape = other->shape;
	if (shape->kind == br_shapeHalfSpace)
	{
		scan->bounds.least = scan->bounds.most = scan->places[2];
		return (1u << BR_TRIANGLE_LANES) - 1;
	}
	if (!other->isConcave)
	{
		return brPlanes_Bounds(brShape_Planes(shape), shape->faceCount, BR_PLACE_ROUNDING * shape->radius, scan->places,
							   limit, &scan->bounds.least);
	}
	brFloat8 beyond;
	uint32_t bits = brOwnPlanes_Bounds(other->planes, other->planeCount, BR_PLACE_ROUNDING * shape->radius,
									   scan->places, limit, &beyond);
	bits = bits != 0 ? bits & brSolid_Bounds(&other->solid, scan->places, limit, &scan->bounds) : 0;
	scan->bounds.least = brMax8Plain(beyond, scan->bounds.least);
	return bits;
}

// The next points of which some may be nearer than `limit`; which, by bits. 0 at the end.
static uint32_t meshScanFlat(MeshScan* scan, float limit)
{
	uint32_t bits = 0;
	while (bits == 0 && scan->block < scan->side->solid.blockCount)
	{
		bits = brSolid_PlaceBlock(&scan->side->solid, scan->block++, &scan->side->toOther, scan->box, scan->places);
		bits = bits != 0 ? bits & meshScanBounds(scan, limit) : 0;
	}
	for (int32_t lane = 0; lane < BR_TRIANGLE_LANES; ++lane)
	{
		scan->points[lane] = BR_TRIANGLE_LANES * (scan->block - 1) + lane;
	}
	return bits;
}

// The next points that the tree led to.
static uint32_t meshScanTree(MeshScan* scan, float limit)
{
	int32_t lanes = 0;
	for (; scan->word < scan->words && lanes < BR_TRIANGLE_LANES; scan->word += scan->bits[scan->word] == 0)
	{
		uint64_t* bits = &scan->bits[scan->word];
		for (; *bits != 0 && lanes < BR_TRIANGLE_LANES; *bits &= *bits - 1)
		{
			int32_t lane = lanes++, i = 64 * scan->word + __builtin_ctzll(*bits);
			brVec3 p = brRelativePose_Point(&scan->side->toOther, scan->side->solid.points[i].place);
			scan->points[lane] = i;
			scan->places[0][lane] = p.x, scan->places[1][lane] = p.y, scan->places[2][lane] = p.z;
		}
	}
	for (int32_t lane = lanes; lane < BR_TRIANGLE_LANES && lanes > 0; ++lane)
	{
		for (int k = 0; k < 3; ++k)
		{
			scan->places[k][lane] = scan->places[k][0];
		}
	}
	if (lanes > 0)
	{
		(void)meshScanBounds(scan, limit);
	}
	return (1u << lanes) - 1;
}

// All points of a solid below the margin over a half-space, whose way out is the same for all: nothing has to be asked or judged. After enough of them
// only what is deeper. Large bodies too: of a cylinder of 7,000 points a search from coarse to fine found those of one end alone.
static void meshGatherPlane(brMeshPair* pair)
{
	const brMeshSide *side = &pair->sides[1], *other = &pair->sides[0];
	MeshScan scan;
	meshStartScan(&scan, side, other, pair->edgeOut + side->solid.maxReach);
	brVec3 way = brRelativePose_InvRotate(&side->toOther, brMakeVec3(0.0f, 0.0f, 1.0f));
	brVec3 normal = brRelativePose_Rotate(&side->toA, way);
	float deepest = INFINITY;
	for (int32_t block = 0; block < side->solid.blockCount; ++block)
	{
		uint32_t bits = brSolid_PlaceBlock(&side->solid, block, &side->toOther, scan.box, scan.places);
		for (; bits != 0; bits &= bits - 1)
		{
			int32_t lane = __builtin_ctz(bits), i = BR_TRIANGLE_LANES * block + lane;
			float distance = scan.places[2][lane];
			if (distance < (pair->count < MESH_MAX_ASKED ? pair->margin : fminf(pair->margin, deepest)))
			{
				deepest = fminf(deepest, distance);
				brVec3 middle = brMulAdd(side->solid.points[i].place, -0.5f * distance, way);
				brCandidate candidate = {brRelativePose_Point(&side->toA, middle), normal, distance,
										 (uint32_t)i | BR_MESH_SIDE_BIT};
				brMeshPair_AddPoint(pair, 1, i, way, candidate);
			}
		}
	}
}

// How near points are asked about that are to be less than `limit` in front of the other: behind an open surface as far as they still count.
static float meshAskedWithin(const brMeshPair* pair, const brMeshSide* other, float limit)
{
	return other->isConcave && other->solid.isOpen ? fmaxf(limit, brMeshPair_Behind(pair)) : limit;
}

// The points of one side against the field of the other.
static void meshGather(brMeshPair* pair, int32_t s)
{
	brMeshSide* side = &pair->sides[s];
	const brMeshSide* other = &pair->sides[1 - s];
	if (!side->isConcave)
	{
		for (int32_t i = 0; i < side->shape->vertexCount; ++i)
		{
			brMeshAnswer answer;
			brVec3 p = brRelativePose_Point(&side->toOther, brShape_Vertices(side->shape)[i]);
			brFieldBound bound = brMeshSide_Bound(other, p);
			float within = meshAskedWithin(pair, other, pair->margin);
			if (bound.least < within && brMeshSide_FieldWithin(other, p, within, &bound, &answer) &&
				answer.distance < pair->margin)
			{
				brMeshPair_Visit(pair, s, i, answer);
			}
		}
		return;
	}
	MeshScan scan;
	meshStartScan(&scan, side, other, meshAskedWithin(pair, other, pair->edgeOut + side->solid.maxReach));
	int32_t found = 0, levelCount = 0, asked = 0;
	float deepest = INFINITY, limit = pair->margin, level = MESH_LEVEL * pair->thickness;
	// What rolls on its curves touches by the lowest of its points only, all along it: none of them may be left out.
	float after = (side->isRound ? MESH_TOLERANCE : -MESH_TOLERANCE) * pair->radius;
	for (;;)
	{
		// Edges are of interest as long as there are few points.
		float wanted = fmaxf(meshAskedWithin(pair, other, limit),
							 pair->count < MESH_FEW ? pair->edgeOut + side->solid.maxReach : -INFINITY);
		uint32_t bits = scan.isFlat ? meshScanFlat(&scan, wanted) : meshScanTree(&scan, wanted);
		if (bits == 0 || (asked >= MESH_MAX_ASKED && !side->isRound))
		{
			break;
		}
		for (; bits != 0; bits &= bits - 1)
		{
			int32_t k = __builtin_ctz(bits), i = scan.points[k];
			const BR_FAR brSolidPoint* point = &side->solid.points[i];
			// Most points are settled by what is known before a triangle is touched: those whose ball is too far, and those whose
			// ball may be near while they are not.
			float distance = scan.bounds.least[k], within = meshAskedWithin(pair, other, limit);
			brVec3 p = {scan.places[0][k], scan.places[1][k], scan.places[2][k]};
			brFieldBound bound = {distance, scan.bounds.most[k], scan.bounds.hints[k]};
			bool isShallow = limit < pair->margin && !side->isRound && meshIsShallow(other, p, &bound, limit);
			isShallow = isShallow ||
						(distance >= limit && distance < within && brSolid_Guess(&other->solid, bound.hint, p) > 0.0f);
			if (distance < within && !isShallow)
			{
				brMeshAnswer answer;
				asked += 1;
				float reach = fmaxf(within, scan.isFlat ? 0.0f : point->radius + pair->edgeOut);
				bool isNear = brMeshSide_FieldWithin(other, p, reach, &bound, &answer);
				distance = answer.distance;
				if (isNear && distance < limit)
				{
					found += 1;
					levelCount = distance < deepest - level ? 1 : levelCount + (distance < deepest + level);
					deepest = fminf(deepest, distance);
					brMeshPair_Visit(pair, s, i, answer);
					// Enough found: only what is about as deep is of interest, and after enough of that what is deeper. Against a
					// half-space all are taken: that costs nothing, and curved things rock on it for ever on a few.
					bool isPlane = other->shape->kind == br_shapeHalfSpace;
					limit = found < MESH_ENOUGH_AHEAD || isPlane ? pair->margin
							: levelCount < MESH_ENOUGH           ? fminf(pair->margin, deepest + level)
																 : fminf(pair->margin, deepest + after);
				}
			}
			if (point->edgeReach > 0.0f && distance - point->edgeReach < pair->edgeOut && pair->count < MESH_FEW &&
				pair->nearCount[s] < BR_MESH_MAX_NEAR)
			{
				pair->near[s][pair->nearCount[s]++] = (brMeshNear){i, distance};
			}
			pair->edgesApart = pair->nearCount[s] == BR_MESH_MAX_NEAR ? -INFINITY : pair->edgesApart;
			if (!scan.isFlat && distance < point->radius + (pair->count < MESH_FEW ? pair->edgeOut : limit))
			{
				meshAddChildren(&scan, point);
			}
		}
	}
}

// A lower bound of how far the points of one side are from the other, exact if few of them may be nearest. `most` is how far it is
// of interest.
static float meshPointsApart(const brMeshPair* pair, int32_t s, float most)
{
	const brMeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	if (!side->isConcave)
	{
		for (int32_t i = 0; i < side->shape->vertexCount; ++i)
		{
			brMeshAnswer answer;
			brVec3 p = brRelativePose_Point(&side->toOther, brShape_Vertices(side->shape)[i]);
			brFieldBound bound = brMeshSide_Bound(other, p);
			if (bound.least < most)
			{
				(void)brMeshSide_FieldWithin(other, p, most, &bound, &answer);
				most = fminf(most, answer.distance);
			}
		}
		return most;
	}
	brFieldBound bounds[MESH_MAX_REFINED];
	brVec3 places[MESH_MAX_REFINED];
	int32_t count = 0;
	float limit = most, missed = INFINITY;
	MeshScan scan;
	meshStartScan(&scan, side, other, most);
	for (uint32_t bits = meshScanFlat(&scan, limit); bits != 0; bits = meshScanFlat(&scan, limit))
	{
		for (; bits != 0; bits &= bits - 1)
		{
			int32_t k = __builtin_ctz(bits), at = count;
			brFieldBound bound = {scan.bounds.least[k], scan.bounds.most[k], scan.bounds.hints[k]};
			// Nothing is nearest that is farther than the farthest that another may be.
			limit = fminf(limit, bound.most);
			if (!(bound.least < limit))
			{
				continue;
			}
			// Sorted by how near they may be; what finds no place counts as it is.
			missed = count == MESH_MAX_REFINED ? fminf(missed, fmaxf(bound.least, bounds[count - 1].least)) : missed;
			if (count == MESH_MAX_REFINED && !(bound.least < bounds[count - 1].least))
			{
				continue;
			}
			at = count < MESH_MAX_REFINED ? count++ : count - 1;
			for (; at > 0 && bounds[at - 1].least > bound.least; --at)
			{
				bounds[at] = bounds[at - 1], places[at] = places[at - 1];
			}
			bounds[at] = bound;
			places[at] = brMakeVec3(scan.places[0][k], scan.places[1][k], scan.places[2][k]);
		}
	}
	float apart = fminf(most, missed);
	for (int32_t i = 0; i < count && bounds[i].least < apart; ++i)
	{
		brMeshAnswer answer;
		(void)brMeshSide_FieldWithin(other, places[i], apart, &bounds[i], &answer);
		apart = fminf(apart, answer.distance);
	}
	return apart;
}

static brRelativePose meshInverse(const brRelativePose* pose)
{
	return (brRelativePose){{pose->x.x, pose->y.x, pose->z.x},
							{pose->x.y, pose->y.y, pose->z.y},
							{pose->x.z, pose->y.z, pose->z.z},
							brRelativePose_InvRotate(pose, brMul(-1.0f, pose->p))};
}

static void meshInit(brMeshPair* pair, const BR_FAR brShape* a, const BR_FAR brShape* b, const brRelativePose* pose,
					 const brSolidQuery* query)
{
	float margin = query->margin;
	const brRelativePose identity = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f}};
	const BR_FAR brShape* shapes[2] = {a, b};
	for (int32_t s = 0; s < 2; ++s)
	{
		pair->sides[s].shape = shapes[s];
		pair->sides[s].planeCount = 0;
		pair->sides[s].isConcave = brShapeKind_IsConcave(shapes[s]->kind);
		if (pair->sides[s].isConcave)
		{
			pair->sides[s].solid = brMakeSolid(shapes[s]);
		}
		pair->sides[s].isRound = query->isRolling && pair->sides[s].isConcave && pair->sides[s].solid.curves != NULL;
	}
	pair->sides[0].toA = identity;
	pair->sides[0].toOther = meshInverse(pose);
	pair->sides[1].toA = *pose;
	pair->sides[1].toOther = *pose;
	float ta = a->thickness, tb = b->thickness, ra = a->radius, rb = b->radius;
	pair->thickness = ta > 0.0f && (ta < tb || !(tb > 0.0f)) ? ta : tb;
	pair->radius = ra > 0.0f && (ra < rb || !(rb > 0.0f)) ? ra : rb;
	pair->margin = margin;
	pair->edgeOut = fminf(1.5f * margin, margin + 0.1f * pair->thickness) + MESH_LOOK_OUT * pair->thickness;
	pair->kept = query->kept;
	pair->keptDepth = 0.0f;
	for (int32_t i = 0; query->kept != NULL && i < query->kept->count; ++i)
	{
		for (int32_t k = 0; k < query->kept->touches[i].count; ++k)
		{
			pair->keptDepth = fmaxf(pair->keptDepth, -query->kept->touches[i].separations[k]);
		}
	}
	pair->isSliding = query->isSliding;
	pair->flank.separation = INFINITY;
	pair->count = 0;
	pair->keptDepth = fminf(pair->keptDepth, MESH_KEPT_BEHIND * pair->thickness);
	pair->insideCount = 0;
	pair->nearCount[0] = pair->nearCount[1] = 0;
	pair->edgesApart = INFINITY;
}

// Deep inside with nothing to go by: all points the way that most of the depth points, so that they do not fight.
static void meshDeep(brMeshPair* pair)
{
	brVec3 sum = {0.0f, 0.0f, 0.0f};
	for (int32_t i = 0; i < pair->insideCount; ++i)
	{
		sum = brMulAdd(sum, -pair->inside[i].separation, pair->inside[i].normal);
	}
	float length = brLength(sum);
	for (int32_t i = 0; i < pair->insideCount && length > 0.0f; ++i)
	{
		brCandidate candidate = pair->inside[i];
		candidate.normal = brMul(1.0f / length, sum);
		brMeshPair_Add(pair, candidate);
	}
}

// Distance of the boxes along their axes: a lower bound, and all that most pairs need.
static float meshBoxesApart(const BR_FAR brShape* a, const BR_FAR brShape* b, const brRelativePose* pose)
{
	const brVec3 axes[3] = {pose->x, pose->y, pose->z};
	const float half[3] = {b->half.x, b->half.y, b->half.z};
	brVec3 center = brRelativePose_Point(pose, b->boxCenter);
	if (a->kind == br_shapeHalfSpace)
	{
		return center.z - fabsf(axes[0].z) * half[0] - fabsf(axes[1].z) * half[1] - fabsf(axes[2].z) * half[2];
	}
	brVec3 way = brSub(center, a->boxCenter);
	float apart = -INFINITY;
	brVec3 reach = a->half;
	for (int k = 0; k < 3; ++k)
	{
		brVec3 axis = axes[k];
		brVec3 size = {fabsf(axis.x), fabsf(axis.y), fabsf(axis.z)};
		reach = brMulAdd(reach, half[k], size);
		float gap = fabsf(brDot(way, axis)) - half[k] - brDot(size, a->half);
		apart = gap > apart ? gap : apart;
	}
	const float gaps[3] = {fabsf(way.x) - reach.x, fabsf(way.y) - reach.y, fabsf(way.z) - reach.z};
	for (int k = 0; k < 3; ++k)
	{
		apart = gaps[k] > apart ? gaps[k] : apart;
	}
	return apart;
}

// The point of a large curved body that is lowest along a direction, which a search from coarse to fine may not come to.
static void meshGatherExtreme(brMeshPair* pair, int32_t s, brVec3 down)
{
	const brMeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	if (!side->isRound || side->solid.pointCount <= MESH_FLAT_POINTS)
	{
		return;
	}
	int32_t point = brSolid_Extreme(&side->solid, down);
	brVec3 p = brRelativePose_Point(&side->toOther, side->solid.points[point].place);
	brMeshAnswer answer;
	if (brMeshSide_Field(other, p, pair->margin, &answer) && answer.distance < pair->margin)
	{
		brMeshPair_Visit(pair, s, point, answer);
	}
}

// Whether nothing of a body is lower than the point on its flank. What is lower and was not found lies beside the other: there its edge is met, and
// the flank that hangs over it on the way there does not touch.
static bool meshIsLowestFlank(const brMeshPair* pair)
{
	const brCandidate* flank = &pair->flank;
	int32_t s = (flank->id & BR_MESH_SIDE_BIT) != 0 ? 1 : 0;
	const brMeshSide* side = &pair->sides[s];
	brVec3 down = brMul(s == 0 ? 1.0f : -1.0f, flank->normal);
	brVec3 lowest = brMeshSide_Extreme(side, brRelativePose_InvRotate(&side->toA, down));
	float below = brDot(down, brSub(brRelativePose_Point(&side->toA, lowest), flank->point)) + 0.5f * flank->separation;
	return below < MESH_FLANK_LOWEST * pair->thickness;
}

// What was left out on the flanks of curved parts has to do where nothing lower was found: irregular ones may have no lowest vertex.
static void meshAddFlank(brMeshPair* pair)
{
	float lowest = INFINITY;
	for (int32_t i = 0; i < pair->count; ++i)
	{
		lowest = fminf(lowest, pair->candidates[i].separation);
	}
	if (pair->flank.separation < lowest - BR_MESH_FLANK_DEPTH * pair->thickness && meshIsLowestFlank(pair))
	{
		brMeshPair_Add(pair, pair->flank);
	}
}

int32_t brCollideSolid(const BR_FAR brShape* a, const BR_FAR brShape* b, const brRelativePose* pose,
					   const brSolidQuery* query, brTouch* outTouches)
{
	float boxes = meshBoxesApart(a, b, pose), margin = query->margin;
	const brKeptTouches* kept = query->kept;
	if (boxes > margin + MESH_BOXES_APART * fminf(a->kind == br_shapeHalfSpace ? INFINITY : a->radius, b->radius))
	{
		outTouches[0].apart = boxes;
		return 0;
	}
	brMeshPair pair;
	meshInit(&pair, a, b, pose, query);
	bool isPlane = a->kind == br_shapeHalfSpace;
	// What did not touch a step ago is often apart as a whole.
	if (kept == NULL && !isPlane && b->vertexCount <= MESH_FLAT_POINTS && a->vertexCount <= MESH_FLAT_POINTS)
	{
		brVec3 normal;
		float hulls = brMeshPair_HullsApart(&pair, &normal);
		if (hulls > margin)
		{
			outTouches[0].apart = fmaxf(hulls, boxes);
			return 0;
		}
		brMeshPair_AddPlanes(&pair, normal);
	}
	for (int32_t i = 0; kept != NULL && !isPlane && i < kept->count; ++i)
	{
		brMeshPair_AddPlanes(&pair, kept->touches[i].normal);
	}
	for (int32_t i = 0; kept != NULL && !isPlane && i < kept->count; ++i)
	{
		meshGatherExtreme(&pair, 0, kept->touches[i].normal);
		meshGatherExtreme(&pair, 1, brRelativePose_InvRotate(pose, brMul(-1.0f, kept->touches[i].normal)));
	}
	// The side with fewer points first. If none of them is near, and none of what lies between them can be, that is all.
	int32_t first = pair.sides[0].isConcave && pair.sides[0].solid.pointCount < pair.sides[1].solid.pointCount ? 0 : 1;
	float most = pair.edgeOut + MESH_BOXES_APART * pair.radius;
	if (isPlane)
	{
		meshGatherPlane(&pair);
	}
	else
	{
		meshGather(&pair, first);
	}
	if (pair.count == 0 && pair.insideCount == 0 && !(pair.flank.separation < INFINITY))
	{
		float apart = meshPointsApart(&pair, first, most);
		float least = isPlane ? apart : apart - pair.sides[first].solid.spacing;
		if (isPlane || least > pair.edgeOut)
		{
			outTouches[0].apart = fmaxf(MESH_APART * least, boxes);
			return 0;
		}
		most = apart;
	}
	if (!isPlane)
	{
		meshGather(&pair, 1 - first);
		if (pair.count < MESH_FEW)
		{
			brMeshPair_Edges(&pair);
		}
	}
	meshAddFlank(&pair);
	if (pair.count == 0 && pair.insideCount > 0)
	{
		meshDeep(&pair);
	}
	if (pair.count == 0)
	{
		// Edges that were not looked at are no nearer than they are of interest, nor than their ends by more than half their length.
		float apart = meshPointsApart(&pair, 1 - first, most);
		float reach = fmaxf(pair.sides[0].isConcave ? pair.sides[0].solid.maxReach : 2.0f * a->radius,
							pair.sides[1].solid.maxReach);
		apart = fminf(fminf(apart, pair.edgesApart), fmaxf(pair.edgeOut, apart - 0.5f * reach));
		outTouches[0].apart = fmaxf(MESH_APART * apart, boxes);
		return 0;
	}
	bool isCurved = (pair.sides[0].isConcave && pair.sides[0].solid.curves != NULL) ||
					(pair.sides[1].isConcave && pair.sides[1].solid.curves != NULL);
	brSelectSizes sizes = {pair.thickness, pair.radius, margin, pair.isSliding && isCurved};
	return brSelectTouches(pair.candidates, pair.count, kept, &sizes, outTouches);
}
