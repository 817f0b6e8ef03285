// SPDX-License-Identifier: MIT

// A concave solid against a half-space, a box, a hull, another one, or a surface: points of each in the field of the
// other.
//
// Queries are those of Glondu et al. (2012, sections 3 to 5): the sphere tree of one body goes down wherever the other's
// field is nearer than radius plus margin; where points are few they are all held against the other's box and cells,
// eight at a time, which is quicker. Only what may touch is asked exactly. What is made of the points found is ours,
// since the paper's choice lets a tower fall:
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

// Searches look beyond the margin by half of it and this part of the thickness: what is known to be apart by more need
// not be asked until it has moved. The search along edges may miss the very nearest place, so not all that was met is
// promised.
#define MESH_LOOK_OUT 0.02f
#define MESH_APART 0.8f

// Boxes farther apart than the margin and this part of the radius settle the matter; nearer ones would have to be asked
// again too soon.
#define MESH_BOXES_APART 0.2f

// Self-adapting: so many points of a side are taken as they come; then those within a part of the thickness of the
// deepest, up to so many; from then on only what is deeper than all of them by a part of the radius. No more than so
// many are asked in all.
#define MESH_ENOUGH_AHEAD 10
#define MESH_LEVEL 0.05f
#define MESH_ENOUGH 24
#define MESH_TOLERANCE 0.002f
#define MESH_MAX_ASKED 192

// A point of a flank is the lowest of its body if nothing is lower by more than this part of the thickness.
#define MESH_FLANK_LOWEST 0.001f

// Fewer than so many points: edges are searched. Else only those that may be in the other by more than this part of the
// thickness: what lies on many points may be driven through by an edge whose ends are outside.
#define MESH_FEW 3
#define MESH_EDGE_DEEP 0.01f

// What is behind an open surface is followed no deeper than this part of the thickness: farther it has another side.
#define MESH_KEPT_BEHIND 0.5f

// Points that are asked to learn how far two bodies are apart.
#define MESH_MAX_REFINED 16

// How near points are asked about that are to be less than `limit` in front of the other: behind an open surface as far
// as they still count.
static float meshAskedWithin(const brMeshPair* pair, const brMeshSide* other, float limit)
{
	return other->isConcave && other->solid.isOpen ? fmaxf(limit, brMeshPair_Behind(pair)) : limit;
}

// How far points of a side are looked for.
static float meshReach(const brMeshPair* pair, int32_t s)
{
	const brMeshSide* side = &pair->sides[s];
	float reach = pair->edgeOut + (side->isConcave ? side->solid.maxReach : 0.0f);
	return meshAskedWithin(pair, &pair->sides[1 - s], reach);
}

#ifndef __OPENCL_VERSION__ // where all points were asked before: gpu/kernels/mesh_known.cl

// Points of a side in their order, and what the other says about them. Of many points the tree goes down: children come
// after their parents, so it is one scan over a set of bits.
typedef struct MeshSource
{
	brMeshScan scan;
	bool isFlat;
	int32_t word, words;
	uint64_t bits[BR_MESH_MAX_POINTS / 64];
} MeshSource;

static void meshStart(MeshSource* source, const brMeshPair* pair, int32_t s)
{
	brMeshScan_Start(&source->scan, pair, s, meshReach(pair, s));
	source->isFlat = source->scan.count <= BR_MESH_FLAT_POINTS || !source->scan.side->isConcave;
	source->word = 0;
	source->words = source->isFlat ? 0 : (source->scan.count + 63) / 64;
	memset(source->bits, 0, sizeof(uint64_t) * (size_t)source->words);
	source->bits[0] = source->scan.count > 0;
}

// The next points that the tree led to.
static uint32_t meshNextOfTree(MeshSource* source, float limit)
{
	brMeshScan* scan = &source->scan;
	int32_t lanes = 0;
	for (; source->word < source->words && lanes < BR_TRIANGLE_LANES; source->word += source->bits[source->word] == 0)
	{
		uint64_t* bits = &source->bits[source->word];
		for (; *bits != 0 && lanes < BR_TRIANGLE_LANES; *bits &= *bits - 1)
		{
			int32_t lane = lanes++, i = 64 * source->word + __builtin_ctzll(*bits);
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
		(void)brMeshScan_FindBounds(scan, limit);
	}
	return (1u << lanes) - 1;
}

// The next points of which some may be nearer than `limit`; which, by bits. 0 at the end.
static uint32_t meshNext(MeshSource* source, float limit)
{
	return source->isFlat ? brMeshScan_Flat(&source->scan, limit) : meshNextOfTree(source, limit);
}

static bool meshAsk(const MeshSource* source, int32_t k, float reach, brMeshAnswer* out)
{
	brFieldBound bound = brMeshScan_Bound(&source->scan, k);
	return brMeshSide_FieldWithin(source->scan.other, brMeshScan_Place(&source->scan, k), reach, &bound, out);
}

// How far a point is from the triangle that it has been told of.
static float meshGuess(const MeshSource* source, int32_t k)
{
	return brSolid_Guess(&source->scan.other->solid, source->scan.bounds.hints[k], brMeshScan_Place(&source->scan, k));
}

static brMeshVerdict meshVisit(const MeshSource* source, const brMeshPair* pair, int32_t k, brMeshAnswer answer)
{
	return brMeshPair_Visit(pair, source->scan.s, source->scan.points[k], answer);
}

// How far around a point of a tree the other is of interest.
static float meshBeyond(const MeshSource* source, const brMeshPair* pair, int32_t i)
{
	return source->isFlat ? 0.0f : source->scan.side->solid.points[i].radius + pair->edgeOut;
}

// Adds the children of a point that is so far from the other, if any of them may be nearer than `limit`.
static void meshGoDown(MeshSource* source, int32_t i, float distance, float limit)
{
	const BR_FAR brSolidPoint* points = source->scan.side->solid.points;
	if (source->isFlat || !(distance < points[i].radius + limit))
	{
		return;
	}
	for (int32_t child = points[i].firstChild; child >= 0; child = points[child].nextSibling)
	{
		if (child < source->scan.count)
		{
			source->bits[child / 64] |= (uint64_t)1 << (child % 64);
			source->word = child / 64 < source->word ? child / 64 : source->word;
		}
	}
}

#endif

// All points of a solid below the margin over a half-space, whose way out is the same for all: nothing has to be asked
// or judged. After enough of them only what is deeper. Large bodies too: of a cylinder of 7,000 points a search from
// coarse to fine found those of one end alone.
static void meshGatherPlane(const brMeshPair* pair, brMeshFound* found)
{
	const brMeshSide* side = &pair->sides[1];
	brMeshScan scan;
	brMeshScan_Start(&scan, pair, 1, pair->edgeOut + side->solid.maxReach);
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
			if (distance < (found->count < MESH_MAX_ASKED ? pair->margin : fminf(pair->margin, deepest)))
			{
				deepest = fminf(deepest, distance);
				brVec3 middle = brMulAdd(side->solid.points[i].place, -0.5f * distance, way);
				brCandidate candidate = {brRelativePose_Point(&side->toA, middle), normal, distance,
										 (uint32_t)i | BR_MESH_SIDE_BIT};
				brMeshVerdict verdict = brMeshPair_JudgeCurve(pair, 1, i, way, candidate);
				brMeshFound_Take(found, &verdict);
			}
		}
	}
}

// The vertices of a box or hull against the field of the other.
static void meshGatherVertices(const brMeshPair* pair, brMeshFound* found, MeshSource* source)
{
	float within = meshAskedWithin(pair, source->scan.other, pair->margin);
	for (uint32_t bits = meshNext(source, within); bits != 0; bits = meshNext(source, within))
	{
		for (; bits != 0; bits &= bits - 1)
		{
			int32_t k = __builtin_ctz(bits);
			brMeshAnswer answer;
			if (meshAsk(source, k, within, &answer) && answer.distance < pair->margin)
			{
				brMeshVerdict verdict = meshVisit(source, pair, k, answer);
				brMeshFound_Take(found, &verdict);
			}
		}
	}
}

// Notes a point whose edges may be near.
static void meshNoteNear(const brMeshPair* pair, brMeshFound* found, int32_t s, int32_t i, float distance)
{
	const BR_FAR brSolidPoint* point = &pair->sides[s].solid.points[i];
	if (point->edgeReach > 0.0f && distance - point->edgeReach < pair->edgeOut && found->count < MESH_FEW &&
		found->nearCount[s] < BR_MESH_MAX_NEAR)
	{
		found->near[s][found->nearCount[s]++] = (brMeshNear){i, distance};
	}
	found->edgesApart = found->nearCount[s] == BR_MESH_MAX_NEAR ? -INFINITY : found->edgesApart;
}

// The points of one side against the field of the other.
static void meshGather(const brMeshPair* pair, brMeshFound* found, MeshSource* source)
{
	const brMeshSide *side = source->scan.side, *other = source->scan.other;
	const int32_t s = source->scan.s;
	if (!side->isConcave)
	{
		meshGatherVertices(pair, found, source);
		return;
	}
	int32_t count = 0, levelCount = 0, asked = 0;
	float deepest = INFINITY, limit = pair->margin, level = MESH_LEVEL * pair->thickness;
	// What rolls on its curves touches by the lowest of its points only, all along it: none of them may be left out.
	float after = (side->isRound ? MESH_TOLERANCE : -MESH_TOLERANCE) * pair->radius;
	for (;;)
	{
		// Edges are of interest as long as there are few points.
		float wanted = fmaxf(meshAskedWithin(pair, other, limit),
							 found->count < MESH_FEW ? pair->edgeOut + side->solid.maxReach : -INFINITY);
		uint32_t bits = meshNext(source, wanted);
		if (bits == 0 || (asked >= MESH_MAX_ASKED && !side->isRound))
		{
			break;
		}
		for (; bits != 0; bits &= bits - 1)
		{
			int32_t k = __builtin_ctz(bits), i = source->scan.points[k];
			// Most points are settled by what is known before a triangle is touched: those whose ball is too far, and
			// those whose ball may be near while they are not.
			float distance = source->scan.bounds.least[k], within = meshAskedWithin(pair, other, limit);
			// Inside nothing is farther than the triangle that a point has been told of; outside it is a guess, which
			// the many that were asked before can bear.
			bool isDeepAsked = limit < pair->margin && !side->isRound && other->isConcave;
			bool isShallow = isDeepAsked && meshGuess(source, k) >= limit;
			isShallow = isShallow || (distance >= limit && distance < within && meshGuess(source, k) > 0.0f);
			if (distance < within && !isShallow)
			{
				brMeshAnswer answer;
				asked += 1;
				bool isNear = meshAsk(source, k, fmaxf(within, meshBeyond(source, pair, i)), &answer);
				distance = answer.distance;
				if (isNear && distance < limit)
				{
					count += 1;
					levelCount = distance < deepest - level ? 1 : levelCount + (distance < deepest + level);
					deepest = fminf(deepest, distance);
					brMeshVerdict verdict = meshVisit(source, pair, k, answer);
					brMeshFound_Take(found, &verdict);
					// Enough found: only what is about as deep is of interest, and after enough of that what is deeper.
					limit = count < MESH_ENOUGH_AHEAD  ? pair->margin
							: levelCount < MESH_ENOUGH ? fminf(pair->margin, deepest + level)
													   : fminf(pair->margin, deepest + after);
				}
			}
			meshNoteNear(pair, found, s, i, distance);
			meshGoDown(source, i, distance, found->count < MESH_FEW ? pair->edgeOut : limit);
		}
	}
}

// A lower bound of how far the points of one side are from the other, exact if few of them may be nearest. `most` is
// how far it is of interest.
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
	brMeshScan scan;
	brMeshScan_Start(&scan, pair, s, most);
	for (uint32_t bits = brMeshScan_Flat(&scan, limit); bits != 0; bits = brMeshScan_Flat(&scan, limit))
	{
		for (; bits != 0; bits &= bits - 1)
		{
			int32_t k = __builtin_ctz(bits), at = count;
			brFieldBound bound = brMeshScan_Bound(&scan, k);
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
			places[at] = brMeshScan_Place(&scan, k);
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
		pair->sides[s].solid.isOpen = false; // compilers ask for this before they ask whether there is a solid
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
	pair->keptDepth = fminf(pair->keptDepth, MESH_KEPT_BEHIND * pair->thickness);
}

static void meshNothing(brMeshFound* found)
{
	found->flank.separation = INFINITY;
	found->count = 0;
	found->insideCount = 0;
	found->nearCount[0] = found->nearCount[1] = 0;
	found->edgesApart = INFINITY;
}

// Deep inside with nothing to go by: all points the way that most of the depth points, so that they do not fight.
static void meshDeep(brMeshFound* found)
{
	brVec3 sum = {0.0f, 0.0f, 0.0f};
	for (int32_t i = 0; i < found->insideCount; ++i)
	{
		sum = brMulAdd(sum, -found->inside[i].separation, found->inside[i].normal);
	}
	float length = brLength(sum);
	for (int32_t i = 0; i < found->insideCount && length > 0.0f; ++i)
	{
		brCandidate candidate = found->inside[i];
		candidate.normal = brMul(1.0f / length, sum);
		brMeshFound_Add(found, candidate);
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

#ifndef __OPENCL_VERSION__ // a device is not asked about so large ones

// The point of a large curved body that is lowest along a direction, which a search from coarse to fine may not come to.
static void meshGatherExtreme(const brMeshPair* pair, brMeshFound* found, int32_t s, brVec3 down)
{
	const brMeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	if (!side->isRound || side->solid.pointCount <= BR_MESH_FLAT_POINTS)
	{
		return;
	}
	int32_t point = brSolid_Extreme(&side->solid, down);
	brVec3 p = brRelativePose_Point(&side->toOther, side->solid.points[point].place);
	brMeshAnswer answer;
	if (brMeshSide_Field(other, p, pair->margin, &answer) && answer.distance < pair->margin)
	{
		brMeshVerdict verdict = brMeshPair_Visit(pair, s, point, answer);
		brMeshFound_Take(found, &verdict);
	}
}

#endif

// Whether nothing of a body is lower than the point on its flank. What is lower and was not found lies beside the
// other: there its edge is met, and the flank that hangs over it on the way there does not touch.
static bool meshIsLowestFlank(const brMeshPair* pair, const brCandidate* flank)
{
	int32_t s = (flank->id & BR_MESH_SIDE_BIT) != 0 ? 1 : 0;
	const brMeshSide* side = &pair->sides[s];
	brVec3 down = brMul(s == 0 ? 1.0f : -1.0f, flank->normal);
	brVec3 lowest = brMeshSide_Extreme(side, brRelativePose_InvRotate(&side->toA, down));
	float below = brDot(down, brSub(brRelativePose_Point(&side->toA, lowest), flank->point)) + 0.5f * flank->separation;
	return below < MESH_FLANK_LOWEST * pair->thickness;
}

// What was left out on the flanks of curved parts has to do where nothing lower was found: irregular ones may have no
// lowest vertex.
static void meshAddFlank(const brMeshPair* pair, brMeshFound* found)
{
	float lowest = INFINITY;
	for (int32_t i = 0; i < found->count; ++i)
	{
		lowest = fminf(lowest, found->candidates[i].separation);
	}
	if (found->flank.separation < lowest - BR_MESH_FLANK_DEPTH * pair->thickness &&
		meshIsLowestFlank(pair, &found->flank))
	{
		brMeshFound_Add(found, found->flank);
	}
}

// What boxes, hulls and the last step say. False if the two are apart, by `outApart` at least.
static bool meshBegin(brMeshPair* pair, const BR_FAR brShape* a, const BR_FAR brShape* b, const brRelativePose* pose,
					  const brSolidQuery* query, float* outApart)
{
	float boxes = meshBoxesApart(a, b, pose), margin = query->margin;
	const brKeptTouches* kept = query->kept;
	bool isPlane = a->kind == br_shapeHalfSpace;
	*outApart = boxes;
	if (boxes > margin + MESH_BOXES_APART * fminf(isPlane ? INFINITY : a->radius, b->radius))
	{
		return false;
	}
	meshInit(pair, a, b, pose, query);
	// What did not touch a step ago is often apart as a whole.
	if (kept == NULL && !isPlane && b->vertexCount <= BR_MESH_FLAT_POINTS && a->vertexCount <= BR_MESH_FLAT_POINTS)
	{
		brVec3 normal;
		float hulls = brMeshPair_HullsApart(pair, &normal);
		if (hulls > margin)
		{
			*outApart = fmaxf(hulls, boxes);
			return false;
		}
		brMeshPair_AddPlanes(pair, normal);
	}
	for (int32_t i = 0; kept != NULL && !isPlane && i < kept->count; ++i)
	{
		brMeshPair_AddPlanes(pair, kept->touches[i].normal);
	}
	return true;
}

// The side with fewer points, which is asked first.
static int32_t meshFirst(const brMeshPair* pair)
{
	return pair->sides[0].isConcave && pair->sides[0].solid.pointCount < pair->sides[1].solid.pointCount ? 0 : 1;
}

static bool meshIsNothing(const brMeshFound* found)
{
	return found->count == 0 && found->insideCount == 0 && !(found->flank.separation < INFINITY);
}

// If none of the first side is near, and none of what lies between its points can be, that is all: true. `inOutMost` is
// how far it is of interest.
static bool meshIsApart(const brMeshPair* pair, float* inOutMost, float* outApart)
{
	int32_t first = meshFirst(pair);
	bool isPlane = pair->sides[0].shape->kind == br_shapeHalfSpace;
	float apart = meshPointsApart(pair, first, *inOutMost);
	float least = isPlane ? apart : apart - pair->sides[first].solid.spacing;
	*inOutMost = apart;
	*outApart = MESH_APART * least;
	return isPlane || least > pair->edgeOut;
}

static float meshMost(const brMeshPair* pair)
{
	return pair->edgeOut + MESH_BOXES_APART * pair->radius;
}

// How far a pair is apart of which no point and no edge touches.
static float meshApart(const brMeshPair* pair, const brMeshFound* found, float most)
{
	// Edges that were not looked at are no nearer than they are of interest, nor than their ends by more than half
	// their length.
	const brMeshSide *a = &pair->sides[0], *b = &pair->sides[1];
	float apart = meshPointsApart(pair, 1 - meshFirst(pair), most);
	float reach = fmaxf(a->isConcave ? a->solid.maxReach : 2.0f * a->shape->radius, b->solid.maxReach);
	apart = fminf(fminf(apart, found->edgesApart), fmaxf(pair->edgeOut, apart - 0.5f * reach));
	return MESH_APART * apart;
}

// What is made of the points. None: 0.
static int32_t meshFinish(const brMeshPair* pair, brMeshFound* found, brTouch* outTouches)
{
	meshAddFlank(pair, found);
	if (found->count == 0 && found->insideCount > 0)
	{
		meshDeep(found);
	}
	if (found->count == 0)
	{
		return 0;
	}
	bool isCurved = (pair->sides[0].isConcave && pair->sides[0].solid.curves != NULL) ||
					(pair->sides[1].isConcave && pair->sides[1].solid.curves != NULL);
	brSelectSizes sizes = {pair->thickness, pair->radius, pair->margin, pair->isSliding && isCurved};
	return brSelectTouches(found->candidates, found->count, pair->kept, &sizes, outTouches);
}

// How near edges are of interest, now that all points have spoken.
static float meshEdgesWithin(const brMeshPair* pair, const brMeshFound* found)
{
	bool isRolling = pair->sides[0].isRound || pair->sides[1].isRound;
	return found->count < MESH_FEW ? pair->edgeOut : isRolling ? -INFINITY : -MESH_EDGE_DEEP * pair->thickness;
}

#ifndef __OPENCL_VERSION__ // there each of these is a kernel: gpu/kernels/meshes.cl

static void meshEdges(const brMeshPair* pair, brMeshFound* found)
{
	brMeshEdge lists[2][BR_MESH_MAX_EDGES];
	int32_t counts[2];
	found->edgesWithin = meshEdgesWithin(pair, found);
	for (int32_t s = 0; s < 2; ++s)
	{
		counts[s] = brMeshPair_ListEdges(pair, found, s, lists[s]);
	}
	for (int32_t s = 0; s < 2; ++s)
	{
		for (int32_t i = 0; i < counts[s]; ++i)
		{
			brMeshVerdict verdict = brMeshPair_TryEdge(pair, s, &lists[s][i], &found->edgesApart);
			brMeshFound_Take(found, &verdict);
		}
	}
}

int32_t brCollideSolid(const BR_FAR brShape* a, const BR_FAR brShape* b, const brRelativePose* pose,
					   const brSolidQuery* query, brTouch* outTouches)
{
	brMeshPair pair;
	const brKeptTouches* kept = query->kept;
	bool isPlane = a->kind == br_shapeHalfSpace;
	if (!meshBegin(&pair, a, b, pose, query, &outTouches[0].apart))
	{
		return 0;
	}
	float boxes = meshBoxesApart(a, b, pose), apart, most = meshMost(&pair);
	brMeshFound found;
	meshNothing(&found);
	for (int32_t i = 0; kept != NULL && !isPlane && i < kept->count; ++i)
	{
		meshGatherExtreme(&pair, &found, 0, kept->touches[i].normal);
		meshGatherExtreme(&pair, &found, 1, brRelativePose_InvRotate(pose, brMul(-1.0f, kept->touches[i].normal)));
	}
	MeshSource source;
	if (isPlane)
	{
		meshGatherPlane(&pair, &found);
	}
	else
	{
		meshStart(&source, &pair, meshFirst(&pair));
		meshGather(&pair, &found, &source);
	}
	if (meshIsNothing(&found) && meshIsApart(&pair, &most, &apart))
	{
		outTouches[0].apart = fmaxf(apart, boxes);
		return 0;
	}
	if (!isPlane)
	{
		meshStart(&source, &pair, 1 - meshFirst(&pair));
		meshGather(&pair, &found, &source);
		meshEdges(&pair, &found);
	}
	int32_t count = meshFinish(&pair, &found, outTouches);
	if (count == 0)
	{
		outTouches[0].apart = fmaxf(meshApart(&pair, &found, most), boxes);
	}
	return count;
}

#endif
