// SPDX-License-Identifier: MIT

// What all points of both sides of a pair say, found before anybody asks in turn: collide_mesh.c takes its answers from
// here (meshNext, meshAsk, meshVisit). On the CPU these are found one after the other.

// A point that may be near the other side.
typedef struct MeshKnown
{
	int point;
	float least, most; // bounds of its distance
	int hint;
	float guess;    // brSolid_Guess
	float place[3]; // in the other's axes
	float distance; // the field's answer, if one was asked for
	float direction[3];
	int isFace;
	int triangle;   // the nearest; -1: none within the reach
	float squared;  // of the way there
	brMeshVerdict verdict;
} MeshKnown;

typedef struct MeshSource
{
	brMeshScan scan;
	__global const MeshKnown* known; // in the order of points
	int count, next;
	int at[BR_TRIANGLE_LANES]; // in that list, of the eight in hand
} MeshSource;

// The next eight of the points' order of which some may be nearer than `limit`; which, by bits. 0 at the end.
static uint meshNext(MeshSource* source, float limit)
{
	uint bits = 0;
	while (bits == 0 && source->next < source->count)
	{
		const int block = source->known[source->next].point / BR_TRIANGLE_LANES;
		for (; source->next < source->count && source->known[source->next].point / BR_TRIANGLE_LANES == block;
			 ++source->next)
		{
			__global const MeshKnown* known = &source->known[source->next];
			const int lane = known->point % BR_TRIANGLE_LANES;
			source->at[lane] = source->next;
			source->scan.points[lane] = known->point;
			for (int k = 0; k < 3; ++k)
			{
				source->scan.places[k][lane] = known->place[k];
			}
			source->scan.bounds.least[lane] = known->least, source->scan.bounds.most[lane] = known->most;
			source->scan.bounds.hints[lane] = known->hint;
			bits |= known->least < limit ? 1u << lane : 0u;
		}
	}
	return bits;
}

// As brMeshSide_FieldWithin, for a reach that is no longer than the one that was asked with.
static bool meshAsk(const MeshSource* source, int lane, float reach, brMeshAnswer* out)
{
	__global const MeshKnown* known = &source->known[source->at[lane]];
	const brMeshSide* other = source->scan.other;
	const float most = fmaxf(known->most, -known->least) * (1.0f + 1e-4f);
	out->distance = known->least;
	if (known->least > reach)
	{
		return false;
	}
	out->distance = reach;
	if (other->isConcave && known->least > 0.0f && reach < most &&
		(known->triangle < 0 || known->squared > reach * reach))
	{
		return false;
	}
	const float d = known->distance;
	const bool isFar =
		other->isConcave ? d > reach || (other->solid.isOpen && d < -reach) : d >= reach;
	out->distance = isFar && other->isConcave ? fabs(d) : d;
	out->direction = brMakeVec3(known->direction[0], known->direction[1], known->direction[2]);
	out->isFace = known->isFace != 0;
	return !isFar;
}

static float meshGuess(const MeshSource* source, int lane)
{
	return source->known[source->at[lane]].guess;
}

static brMeshVerdict meshVisit(const MeshSource* source, const brMeshPair* pair, int lane, brMeshAnswer answer)
{
	return source->known[source->at[lane]].verdict;
}

// Large shapes, whose points are a tree, stay on the CPU.
static float meshBeyond(const MeshSource* source, const brMeshPair* pair, int i)
{
	return 0.0f;
}

static void meshGoDown(const MeshSource* source, int i, float distance, float limit)
{
}
