// SPDX-License-Identifier: MIT

// What one point of a body says about its contact with another: whether the way out that the field gives can be
// trusted, what to ask in its place, and by which normal it goes. See collide_mesh.c for the reasons.

#include "contact/mesh_pair.h"

// How well the way out must oppose a point's normal, and the mean of its normals.
#define MESH_CONE -0.5f
#define MESH_CONE_MEAN -0.55f

// Insets: times the depth, at most part of spacing and thickness.
#define MESH_INSET_DEPTH 4.0f
#define MESH_INSET_MOST 0.25f

// A face opposed this well is the one that touches; others are not asked.
#define MESH_INSET_GOOD -0.98f

// Ways out at a point and at its inset sample that are alike by more than this, as a cosine, are of one curve.
#define MESH_INSET_CURVED 0.7f

// What is outside by more than this part of how deep its inset sample says it is inside is outside.
#define MESH_INSET_OUTSIDE 0.5f

// Inside by this part of the thickness, a point is taken to have come the way the pair touches.
#define MESH_DEEP 0.1f

// The field of one side at a point in its axes, of which something may be known. False if it is farther than `reach`.
bool brMeshSide_FieldWithin(const brMeshSide* side, brVec3 p, float reach, const brFieldBound* bound, brMeshAnswer* out)
{
	const BR_FAR brShape* shape = side->shape;
	if (side->isConcave)
	{
		brFieldAnswer answer;
		bool isNear = brSolid_FieldWithin(&side->solid, p, reach, bound, &answer);
		out->distance = answer.distance;
		out->direction = isNear ? answer.direction : p;
		out->isFace = isNear && answer.feature == 0;
		return isNear;
	}
	if (shape->kind == br_shapeHalfSpace)
	{
		*out = (brMeshAnswer){p.z, {0.0f, 0.0f, 1.0f}, true};
		return p.z < reach;
	}
	if (bound->least > reach)
	{
		out->distance = bound->least;
		return false;
	}
	out->distance = brPolytope_Field(shape, p, reach, &out->direction, &out->isFace);
	return out->distance < reach;
}

brFieldBound brMeshSide_Bound(const brMeshSide* side, brVec3 p)
{
	brFieldBound bound = {-INFINITY, INFINITY, -1};
	if (side->isConcave)
	{
		bound = brSolid_Bound(&side->solid, p);
	}
	for (int32_t i = 0; brShape_IsPolytope(side->shape) && i < side->shape->faceCount; ++i)
	{
		brVec4 plane = brShape_Planes(side->shape)[i];
		float height =
			plane.x * p.x + plane.y * p.y + plane.z * p.z - plane.w - BR_PLACE_ROUNDING * side->shape->radius;
		bound.least = height > bound.least ? height : bound.least;
	}
	return bound;
}

bool brMeshSide_Field(const brMeshSide* side, brVec3 p, float reach, brMeshAnswer* out)
{
	// What the planes of a polytope tell its field finds by itself.
	brFieldBound bound = {-INFINITY, INFINITY, -1};
	bound = side->isConcave ? brSolid_Bound(&side->solid, p) : bound;
	return brMeshSide_FieldWithin(side, p, reach, &bound, out);
}

// Faces that look away from the other by more, as a cosine, have no lowest points inside.
#define MESH_FACING 0.4f

// What is past an edge by more than this part of the thickness rolls off it.
#define MESH_ROLLS_OFF 0.001f

// Faces of a corner that are this much alike, as a cosine, count as one.
#define MESH_SAME_FACE 0.95f

// Faces that look at each other this straight, as a cosine, lie on each other.
#define MESH_FLUSH 0.99999f

// Normals of a corner of a box or hull: of the face that a way out of the other opposes most, and of two that differ
// most from it and from each other. The tip of a cone has more faces than that, and the first three of them may all
// look up.
static brPointNormals meshCornerNormals(const BR_FAR brShape* shape, int32_t corner, brVec3 way)
{
	brPointNormals out = {.count = 0};
	const BR_FAR int32_t(*edges)[4] = brShape_Edges(shape);
	brVec3 normals[2 * BR_HULL_MAX_FACES]; // each face of the corner has two of its edges
	int32_t count = 0;
	for (int32_t i = 0; i < shape->edgeCount; ++i)
	{
		for (int32_t k = 2; k < 4 && (edges[i][0] == corner || edges[i][1] == corner); ++k)
		{
			brVec4 plane = brShape_Planes(shape)[edges[i][k]];
			normals[count++] = brMakeVec3(plane.x, plane.y, plane.z);
		}
	}
	for (float best = -INFINITY; out.count < 3 && best < MESH_SAME_FACE;)
	{
		best = INFINITY;
		brVec3 chosen = way;
		for (int32_t i = 0; i < count; ++i)
		{
			brVec3 n = normals[i];
			float alike = out.count == 0 ? brDot(way, n) : -1.0f;
			for (int32_t m = 0; m < out.count; ++m)
			{
				alike = fmaxf(alike, brDot(out.normals[m], n));
			}
			chosen = alike < best ? n : chosen;
			best = fminf(best, alike);
		}
		if (best < MESH_SAME_FACE || (out.count == 0 && best < INFINITY))
		{
			out.normals[out.count++] = chosen;
		}
	}
	return out;
}

static brVec3 sidePlace(const brMeshSide* side, int32_t point)
{
	return side->isConcave ? side->solid.points[point].place : brShape_Vertices(side->shape)[point];
}

// Normals at a point, in its own axes as is the way out of the other.
static brPointNormals meshNormals(const brMeshSide* side, int32_t point, brVec3 way)
{
	return side->isConcave ? side->solid.normals[point] : meshCornerNormals(side->shape, point, way);
}

static float meshSpacing(const brMeshSide* side)
{
	return side->isConcave ? side->solid.spacing : side->shape->thickness;
}

static bool meshOpposes(const brPointNormals* normals, brVec3 direction)
{
	brVec3 sum = {0.0f, 0.0f, 0.0f};
	bool opposes = normals->count == 0;
	for (int32_t k = 0; k < normals->count; ++k)
	{
		opposes = opposes || brDot(direction, normals->normals[k]) < MESH_CONE;
		sum = brAdd(sum, normals->normals[k]);
	}
	return opposes || brDot(direction, sum) < MESH_CONE_MEAN * brLength(sum);
}

// The place of a curved part that is lowest along `down`, from the point, and how much lower it is. False if a neighbor
// is lower. Along the flatter curve first, then from there along the other, whose plane has turned with it: on a ball
// that ends right below its middle.
static bool curveLowest(const BR_FAR brPointCurve* curve, brVec3 down, brVec3* outShift, float* outGain)
{
	brVec3 normal = curve->normal, across = brCross(normal, curve->along);
	bool isLowest = true;
	*outShift = brMakeVec3(0.0f, 0.0f, 0.0f);
	*outGain = 0.0f;
	for (int i = 1; i >= 0; --i)
	{
		brVec3 along = i == 0 ? curve->along : across;
		float straight = brDot(down, normal), aside = brDot(down, along);
		float length = sqrtf(straight * straight + aside * aside);
		// A disc that lies flat has no lowest place on its rim.
		if (!(curve->radii[i] > 0.0f) || length < BR_CURVE_FLAT)
		{
			continue;
		}
		float sine = aside / length, way = curve->radii[i] * sine;
		// The side to the next vertex ends at twice the reach; from its middle on that one is lower.
		isLowest = isLowest && straight > 0.0f && fabsf(way) <= BR_CURVE_SHARED * curve->reach[i];
		*outShift = brMulAdd(*outShift, way, along);
		*outShift = brMulAdd(*outShift, curve->radii[i] * (straight / length - 1.0f), normal);
		*outGain += curve->radii[i] * (length - straight);
		normal = brMulAdd(brMul(straight / length, normal), sine, along);
	}
	return isLowest;
}

bool brMeshSide_RoundLowest(const brMeshSide* side, brVec3 down, brRoundLowest* out)
{
	const BR_FAR brPointCurve* curve = &side->solid.curves[brSolid_Extreme(&side->solid, down)];
	brVec3 shift;
	float gain;
	if (!(curve->radii[0] > 0.0f) || !curveLowest(curve, down, &shift, &gain))
	{
		return false;
	}
	out->place = brAdd(side->solid.points[curve - side->solid.curves].place, shift);
	out->axis = brCross(curve->normal, curve->along);
	out->isLine = !(curve->radii[1] > 0.0f);
	return true;
}

bool brMeshPair_Rolls(const brMeshPair* pair, int32_t s, brVec3 p, brVec3 n, brRoundLowest* out)
{
	const brMeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	if (!pair->isSliding || side->isRound || !other->isRound ||
		!brMeshSide_RoundLowest(other, brRelativePose_Rotate(&side->toOther, brMul(-1.0f, n)), out))
	{
		return false;
	}
	out->place = brRelativePose_Point(&other->toOther, out->place);
	out->axis = brRelativePose_Rotate(&other->toOther, out->axis);
	float height = brDot(n, brSub(out->place, p));
	return height > -BR_MESH_FLANK_DEPTH * pair->thickness && height < pair->margin;
}

// Whether what rolls on a face touches it elsewhere than at a point of its edge: with its lowest place, which is over
// the face or crosses the edge. Past all edges it rolls off them.
static bool meshRollsElsewhere(const brMeshPair* pair, int32_t s, brVec3 p, const brPointNormals* normals, brVec3 way)
{
	for (int32_t k = 0; k < normals->count; ++k)
	{
		brVec3 n = normals->normals[k];
		brRoundLowest low;
		if (-brDot(way, n) < MESH_SAME_FACE || !brMeshPair_Rolls(pair, s, p, n, &low))
		{
			continue;
		}
		brVec3 from = brSub(low.place, p);
		from = low.isLine ? brMulAdd(from, -brDot(from, low.axis) / brDot(low.axis, low.axis), low.axis) : from;
		float inside = -INFINITY;
		for (int32_t m = 0; m < normals->count; ++m)
		{
			inside = m == k ? inside : fmaxf(inside, -brDot(from, normals->normals[m]));
		}
		if (inside > -MESH_ROLLS_OFF * pair->thickness)
		{
			return true;
		}
	}
	return false;
}

// Whether the two come together elsewhere than at a point inside a flat part, from which the nearest place of the other
// is seen askew by so much, as a cosine: the points of that place say where. What rolls on its curves touches by its
// own lowest points only: the next places of a floor come to it by a curve, and taken straight on they stop it.
static bool meshIsElsewhere(const brMeshPair* pair, int32_t s, float cosine, float distance)
{
	const brMeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	return other->isRound && !side->isRound
			   ? distance > -BR_MESH_FLANK_DEPTH * pair->thickness
			   : pair->isSliding && distance > BR_MESH_AHEAD * pair->thickness && cosine < MESH_SAME_FACE;
}

// Asks at inset samples: for each face of the point a little inwards from the others, those first that the way out
// opposes most. Everything in the point's own axes. True if one of them is opposed well; then distance and direction
// are those of the point itself.
static bool meshInset(const brMeshPair* pair, int32_t s, brVec3 p, const brPointNormals* normals, brMeshAnswer* answer)
{
	const brMeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	float depth = fabsf(answer->distance), known = other->isConcave && other->solid.isOpen ? depth : answer->distance;
	brVec3 way = brRelativePose_InvRotate(&side->toOther, answer->direction);
	const brMeshAnswer there = *answer;
	int32_t order[3] = {0, 1, 2};
	for (int32_t i = 1; i < normals->count; ++i)
	{
		for (int32_t k = i;
			 k > 0 && brDot(way, normals->normals[order[k]]) < brDot(way, normals->normals[order[k - 1]]); --k)
		{
			int32_t last = order[k];
			order[k] = order[k - 1], order[k - 1] = last;
		}
	}
	float delta =
		fmaxf(BR_MESH_INSET * fminf(side->shape->thickness > 0.0f ? side->shape->thickness : INFINITY, pair->thickness),
			  MESH_INSET_DEPTH * depth);
	delta = fminf(delta, MESH_INSET_MOST * fminf(meshSpacing(side), pair->thickness));
	float best = MESH_CONE;
	bool isFound = false;
	for (int32_t i = 0; i < normals->count && best > MESH_INSET_GOOD; ++i)
	{
		int32_t k = order[i];
		brVec3 n = normals->normals[k], inward = {0.0f, 0.0f, 0.0f};
		for (int32_t j = 0; j < normals->count; ++j)
		{
			brVec3 flat = brMulAdd(normals->normals[j], -brDot(normals->normals[j], n), n);
			float length = brLength(flat);
			if (j != k && length > 0.1f)
			{
				inward = brMulAdd(inward, -1.0f / length, flat);
			}
		}
		brVec3 inset = brMulAdd(p, delta, inward);
		// No farther from the point's own distance than the way from there.
		brMeshAnswer at;
		float off = delta * brLength(inward) * (1.0f + 1e-4f) +
					2.0f * BR_PLACE_ROUNDING * (side->shape->radius + other->shape->radius);
		brFieldBound bound = {known - off, known + off, -1};
		if (!brMeshSide_FieldWithin(other, brRelativePose_Point(&side->toOther, inset), pair->margin + 2.0f * delta,
									&bound, &at))
		{
			continue;
		}
		brVec3 g = brRelativePose_InvRotate(&side->toOther, at.direction);
		float cosine = brDot(g, n);
		if (cosine < best && !meshIsElsewhere(pair, s, -cosine, at.distance))
		{
			best = cosine, isFound = true;
			if (!at.isFace && at.distance > 0.0f && !(side->isRound && pair->isSliding))
			{
				// Over an edge of the other: this face touches it. What rolls has no face there.
				at.distance *= -cosine;
				g = brMul(-1.0f, n);
			}
			answer->distance = at.distance + brDot(g, brSub(p, inset));
			answer->direction = brRelativePose_Rotate(&side->toOther, g);
			answer->isFace = true;
		}
	}
	// What curves is not where a plane through its nearest place to the inset sample is: seen from the point itself it
	// is farther, and a point that is clearly outside is not in it.
	if (isFound && pair->isSliding && other->isConcave && other->solid.curves != NULL &&
		there.distance > fmaxf(answer->distance, 0.0f))
	{
		bool isAlike = brDot(there.direction, answer->direction) > MESH_INSET_CURVED;
		isFound = isAlike || there.distance < -MESH_INSET_OUTSIDE * answer->distance || answer->distance > 0.0f;
		*answer = isAlike ? there : *answer;
	}
	return isFound;
}

// From inside the other along a direction (in the other's axes) to its surface; the way there.
static float meshExit(const brMeshSide* other, brVec3 p, brVec3 direction, float most)
{
	float way = 0.0f;
	for (int32_t i = 0; i < 12 && way < most; ++i)
	{
		brMeshAnswer at;
		if (!brMeshSide_Field(other, brMulAdd(p, way, direction), 0.0f, &at) || at.distance >= -1e-4f * most)
		{
			break;
		}
		way -= at.distance;
	}
	return way < most ? way : most;
}

// A candidate from a point of side s in its own axes and the answer in the other's.
brCandidate brMeshPair_Candidate(const brMeshPair* pair, int32_t s, brVec3 p, const brMeshAnswer* answer, uint32_t id)
{
	const brMeshSide* side = &pair->sides[s];
	brVec3 g = brRelativePose_InvRotate(&side->toOther, answer->direction);
	brVec3 middle = brMulAdd(p, -0.5f * answer->distance, g);
	brVec3 normal = brRelativePose_Rotate(&side->toA, g);
	return (brCandidate){brRelativePose_Point(&side->toA, middle), s == 0 ? brMul(-1.0f, normal) : normal,
						 answer->distance, id};
}

// Whether the other comes to a flat face with a corner of its own, or through it: the two part by the normal of that
// face. The way to the other's nearest place, or out of it, is askew of that.
static bool meshIsCornered(const brMeshPair* pair, int32_t s, brVec3 n, brVec3 way, float distance)
{
	const brMeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	float cosine = -brDot(way, n);
	if (cosine > MESH_FLUSH)
	{
		return false;
	}
	brVec3 into = brRelativePose_Rotate(&side->toOther, brMul(-1.0f, n));
	brVec3 corner = brRelativePose_Point(&other->toOther, brMeshSide_Extreme(other, into));
	brMeshAnswer own;
	return brMeshSide_Field(side, corner, brMeshPair_Behind(pair), &own) && own.distance < cosine * distance &&
		   own.isFace && brDot(own.direction, n) > MESH_SAME_FACE;
}

// Whether a corner that moves fast is ahead of the middle of a flat face, not of its rim: then it meets that face,
// though none of its own faces does. What falls on a corner would else not be seen until it is inside.
static bool meshComesToFace(const brMeshPair* pair, int32_t s, brVec3 p, const brMeshAnswer* answer)
{
	const brMeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	bool isFlat = !other->isConcave || other->solid.curves == NULL;
	if (!pair->isSliding || !isFlat || !answer->isFace || answer->distance < BR_MESH_AHEAD * pair->thickness)
	{
		return false;
	}
	brVec3 n = answer->direction, at = brRelativePose_Point(&side->toOther, p);
	brVec3 axis = fabsf(n.x) < 0.6f ? brMakeVec3(1.0f, 0.0f, 0.0f) : brMakeVec3(0.0f, 1.0f, 0.0f);
	brVec3 u = brCross(n, axis), v = brCross(n, u);
	float delta = BR_MESH_INSET * pair->thickness / brLength(u);
	for (int k = 0; k < 4; ++k)
	{
		brMeshAnswer beside;
		brVec3 place = brMulAdd(at, k % 2 == 0 ? delta : -delta, k < 2 ? u : v);
		if (!brMeshSide_Field(other, place, answer->distance + pair->margin + delta, &beside) ||
			brDot(beside.direction, n) < MESH_FLUSH)
		{
			return false;
		}
	}
	return true;
}

// What one point says, given the field's answer there. False if it cannot be trusted.
bool brMeshPair_Judge(const brMeshPair* pair, int32_t s, int32_t point, brMeshAnswer* answer)
{
	const brMeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	if (other->shape->kind == br_shapeHalfSpace)
	{
		return true;
	}
	brVec3 p = sidePlace(side, point);
	brVec3 g = brRelativePose_InvRotate(&side->toOther, answer->direction);
	brPointNormals normals = meshNormals(side, point, g);
	bool isTrusted = meshOpposes(&normals, g);
	if ((normals.count == 1 && meshIsElsewhere(pair, s, -brDot(g, normals.normals[0]), answer->distance)) ||
		(normals.count > 1 && meshRollsElsewhere(pair, s, p, &normals, g)))
	{
		return false;
	}
	if (isTrusted && (answer->distance <= 0.0f || normals.count < 2))
	{
		// A face that touches an edge of the other keeps its own normal, as does one that a corner comes to; so do the
		// faces of a surface, whatever is over them.
		bool isSurface = side->isConcave && side->solid.isOpen, isFlat = normals.count == 1 && !side->isRound;
		bool isOwn = isFlat && answer->distance > 0.0f && (!answer->isFace || isSurface);
		if (isOwn || (isFlat && meshIsCornered(pair, s, normals.normals[0], g, answer->distance)))
		{
			brVec3 n = brMul(-1.0f, normals.normals[0]);
			float cosine = brDot(g, n);
			if (cosine > -MESH_CONE)
			{
				answer->distance *= cosine;
				answer->direction = brRelativePose_Rotate(&side->toOther, n);
			}
		}
		return true;
	}
	if (normals.count < 2 || meshInset(pair, s, p, &normals, answer))
	{
		return normals.count >= 2;
	}
	return isTrusted && meshComesToFace(pair, s, p, answer);
}

// Points that went past the middle of the other, where the short way out is now the far side, go back the way they
// came: by the normal they had, or if they were not chosen then, by the normal of the pair that opposes them. What
// leads too far is not meant: it is the new answer that is right.
static void meshKeepNormal(const brMeshPair* pair, int32_t s, int32_t point, uint32_t id, brMeshAnswer* answer)
{
	const brMeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	bool isOpen = other->isConcave && other->solid.isOpen;
	if (pair->kept == NULL || isOpen || answer->distance >= 0.0f || other->shape->kind == br_shapeHalfSpace)
	{
		return;
	}
	brVec3 own, direction = answer->direction;
	float separation;
	bool isOwn = brFindKept(pair->kept, id, &own, &separation);
	if (!isOwn && answer->distance > -MESH_DEEP * pair->thickness)
	{
		return;
	}
	float best = 0.0f;
	for (int32_t i = 0; i < pair->kept->count; ++i)
	{
		brVec3 old = isOwn ? own : pair->kept->touches[i].normal;
		old = s == 0 ? brMul(-1.0f, old) : old; // out of the other, in A's axes
		brVec3 mine = brRelativePose_InvRotate(&side->toA, old);
		brVec3 there = brRelativePose_Rotate(&side->toOther, mine);
		if (brDot(there, answer->direction) > 0.5f)
		{
			return; // nothing has turned
		}
		float opposed = 0.0f;
		brPointNormals normals = meshNormals(side, point, mine);
		for (int32_t k = 0; k < normals.count; ++k)
		{
			opposed = fminf(opposed, brDot(mine, normals.normals[k]));
		}
		if (opposed < best)
		{
			best = opposed, direction = there;
		}
	}
	if (best < -0.3f)
	{
		brVec3 p = brRelativePose_Point(&side->toOther, sidePlace(side, point));
		float most = 2.0f * pair->thickness, way = meshExit(other, p, direction, most);
		if (way < most)
		{
			answer->distance = -way;
			answer->direction = direction;
		}
	}
}

void brMeshFound_Add(brMeshFound* found, brCandidate candidate)
{
	if (found->count < BR_MAX_CANDIDATES)
	{
		found->candidates[found->count++] = candidate;
		return;
	}
	// Full: the points seen so far cover all there is; only what is deeper than the shallowest of them takes its place.
	int32_t shallowest = 0;
	for (int32_t i = 1; i < found->count; ++i)
	{
		shallowest = found->candidates[i].separation > found->candidates[shallowest].separation ? i : shallowest;
	}
	if (candidate.separation < found->candidates[shallowest].separation)
	{
		found->candidates[shallowest] = candidate;
	}
}

void brMeshFound_Take(brMeshFound* found, const brMeshVerdict* verdict)
{
	if (verdict->kind == br_meshTouches)
	{
		brMeshFound_Add(found, verdict->candidate);
	}
	else if (verdict->kind == br_meshFlank && verdict->candidate.separation < found->flank.separation)
	{
		found->flank = verdict->candidate;
	}
	else if (verdict->kind == br_meshInside && found->insideCount < BR_MAX_CANDIDATES)
	{
		found->inside[found->insideCount++] = verdict->candidate;
	}
}

brMeshVerdict brMeshPair_JudgeCurve(const brMeshPair* pair, int32_t s, int32_t point, brVec3 way, brCandidate candidate)
{
	const brMeshSide* side = &pair->sides[s];
	if (!side->isRound)
	{
		return (brMeshVerdict){br_meshTouches, candidate};
	}
	brVec3 shift;
	float gain, facing = -1.0f;
	const BR_FAR brPointNormals* normals = &side->solid.normals[point];
	for (int32_t k = 0; k < normals->count; ++k)
	{
		facing = fmaxf(facing, -brDot(way, normals->normals[k]));
	}
	// On the side of a disc that rolls nothing is lowest either.
	bool isLowest = facing > MESH_FACING && curveLowest(&side->solid.curves[point], brMul(-1.0f, way), &shift, &gain);
	if (!isLowest)
	{
		// What is inside has to leave, lowest or not.
		bool isDeep = candidate.separation < -BR_MESH_FLANK_DEPTH * pair->thickness;
		return (brMeshVerdict){isDeep ? br_meshTouches : br_meshFlank, candidate};
	}
	// Halfway between the surfaces, of which one came nearer.
	brVec3 middle = brMulAdd(shift, 0.5f * gain, way);
	candidate.point = brAdd(candidate.point, brRelativePose_Rotate(&side->toA, middle));
	candidate.separation -= gain;
	return (brMeshVerdict){br_meshTouches, candidate};
}

// An edge through p with tangent t (in the point's axes) that is inside the other leaves it in two places.
bool brMeshPair_WalkEdge(const brMeshPair* pair, int32_t s, brVec3 p, brVec3 t, brMeshAnswer* answer)
{
	const brMeshSide *side = &pair->sides[s], *other = &pair->sides[1 - s];
	brVec3 from = brRelativePose_Point(&side->toOther, p), along = brRelativePose_Rotate(&side->toOther, t);
	float most = 4.0f * meshSpacing(side);
	float ahead = meshExit(other, from, along, most), behind = meshExit(other, from, brMul(-1.0f, along), most);
	brVec3 e1 = brMulAdd(from, ahead, along), e2 = brMulAdd(from, -behind, along);
	brMeshAnswer first, second;
	if (ahead >= most || behind >= most || !brMeshSide_Field(other, e1, pair->radius, &first) ||
		!brMeshSide_Field(other, e2, pair->radius, &second))
	{
		return false;
	}
	brVec3 g1 = first.direction, g2 = second.direction;
	brVec3 n = brSub(brMul(brDot(along, g2), g1), brMul(brDot(along, g1), g2));
	float length = brLength(n);
	if (!(length > 1e-3f))
	{
		return false;
	}
	n = brMul(brDot(n, brAdd(g1, g2)) < 0.0f ? -1.0f / length : 1.0f / length, n);
	answer->distance = -fabsf(brDot(along, g1) * brDot(g2, brSub(e2, e1))) / length;
	answer->direction = n;
	return answer->distance > -pair->thickness; // nearly along a face the formula means nothing
}

brMeshVerdict brMeshPair_Visit(const brMeshPair* pair, int32_t s, int32_t point, brMeshAnswer answer)
{
	const brMeshSide* side = &pair->sides[s];
	uint32_t id = (uint32_t)point | (s != 0 ? BR_MESH_SIDE_BIT : 0u);
	brMeshVerdict verdict = {.kind = br_meshNothing};
	if (pair->sides[1 - s].isConcave && pair->sides[1 - s].solid.isOpen)
	{
		// Behind an open surface there is no inside; what is too far behind is on its other side.
		if (answer.distance < -brMeshPair_Behind(pair))
		{
			return verdict;
		}
	}
	brMeshAnswer raw = answer;
	if (brMeshPair_Judge(pair, s, point, &answer))
	{
		if (answer.distance < pair->margin)
		{
			meshKeepNormal(pair, s, point, id, &answer);
			brVec3 way = brRelativePose_InvRotate(&side->toOther, answer.direction);
			brCandidate candidate = brMeshPair_Candidate(pair, s, sidePlace(side, point), &answer, id);
			verdict = brMeshPair_JudgeCurve(pair, s, point, way, candidate);
		}
		return verdict;
	}
	if (raw.distance < 0.0f)
	{
		brPointNormals normals = meshNormals(side, point, brRelativePose_InvRotate(&side->toOther, raw.direction));
		if (normals.count == 2)
		{
			brVec3 t = brCross(normals.normals[0], normals.normals[1]);
			t = brMul(1.0f / fmaxf(brLength(t), 1e-6f), t);
			if (brMeshPair_WalkEdge(pair, s, sidePlace(side, point), t, &answer) &&
				meshOpposes(&normals, brRelativePose_InvRotate(&side->toOther, answer.direction)))
			{
				verdict.kind = br_meshTouches;
				verdict.candidate =
					brMeshPair_Candidate(pair, s, sidePlace(side, point), &answer, id | BR_MESH_EDGE_BIT);
				return verdict;
			}
		}
		verdict.kind = br_meshInside;
		verdict.candidate = brMeshPair_Candidate(pair, s, sidePlace(side, point), &raw, id | BR_MESH_DEEP_BIT);
	}
	return verdict;
}
