// SPDX-License-Identifier: MIT

// Turning faces so that neighbors agree and solids have their outside outside.
//
//   patches     Faces joined through edges of two faces, walked breadth first; a face is turned if it disagrees with the one
//               it was reached from. A surface with one side (Moebius) keeps a seam of disagreeing edges.
//   open ones   Whichever way turns fewer faces.
//   closed ones By volume and nesting. A patch inside no other, or inside an even number, gets positive volume. One inside an
//               odd number may be a cavity (negative) or a part inside another part (positive), so it keeps its relation
//               to the patch around it, and one whose faces disagreed goes whichever way turns fewer.
//
// Inside is decided exactly: the winding number of a patch about a vertex of the other is counted along a ray in z,
// where an edge that the ray meets counts for one of its sides by a half-open rule. Faces of a large patch lie in bins
// by their range in y, since only those that the ray's y is in can count: many small parts around a large one stay
// cheap.

#include "base/sort.h"
#include "math/predicates.h"
#include "mesh/half_edge.h"
#include "mesh/repair.h"

#include <math.h>
#include <string.h>

// A patch of more faces gets bins when it is first asked about, unless a face lies in more than so many on average.
#define ORIENT_LARGE 256
#define ORIENT_MOST_BINS 16

typedef struct OrientPatch
{
	int32_t firstFace; // into order
	int32_t faceCount;
	int32_t flipCount;
	int32_t depth;  // closed patches around it
	int32_t parent; // the innermost of them, or -1
	bool isClosed;
	bool isInverted; // flips are taken the other way round
	double volume;   // with flips
	brDBox3 box;
	int32_t binCount;   // of a large patch that was asked about; 0: none yet
	int32_t* binStarts; // [binCount + 1]
	int32_t* binFaces;
} OrientPatch;

typedef BR_ARRAY(OrientPatch) OrientPatches;

typedef struct OrientNesting
{
	int32_t inner, outer;
} OrientNesting;

typedef BR_ARRAY(OrientNesting) OrientNestings;

typedef struct OrientJob
{
	brRepair* repair;
	brMesh view;
	brHalfEdges edges;
	int32_t* patchOf;     // by face
	int32_t* order;       // faces, patch by patch
	bool* flips;          // by face
	int32_t* cornerTwins; // the other half-edge of an edge with two, or -1
	OrientPatches patches;
	OrientNestings nestings;
} OrientJob;

// Patches

static void linkPairs(OrientJob* job)
{
	memset(job->cornerTwins, 0xff, (size_t)job->view.cornerCount * sizeof(int32_t));
	for (int32_t e = 0; e < job->edges.edgeCount; ++e)
	{
		int32_t start = job->edges.edgeStarts[e];
		if (job->edges.edgeStarts[e + 1] - start == 2)
		{
			int32_t a = job->edges.edgeCorners[start], b = job->edges.edgeCorners[start + 1];
			job->cornerTwins[a] = b;
			job->cornerTwins[b] = a;
		}
	}
}

static bool walkPatches(OrientJob* job)
{
	const brMesh* mesh = &job->view;
	memset(job->patchOf, 0xff, (size_t)mesh->faceCount * sizeof(int32_t));
	int32_t tail = 0;
	for (int32_t seed = 0; seed < mesh->faceCount; ++seed)
	{
		if (job->patchOf[seed] >= 0)
		{
			continue;
		}
		OrientPatch patch = {.firstFace = tail, .parent = -1, .isClosed = true, .box = brMakeDBox3Empty()};
		int32_t index = job->patches.count;
		int32_t head = tail;
		job->order[tail++] = seed;
		job->patchOf[seed] = index;
		while (head < tail)
		{
			int32_t f = job->order[head++];
			patch.flipCount += job->flips[f];
			for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
			{
				patch.box = brDBox3_Include(patch.box, mesh->positions[mesh->corners[c]]);
				int32_t twin = job->cornerTwins[c];
				int32_t other = twin >= 0 ? job->edges.faces[twin] : -1;
				if (other >= 0 && job->patchOf[other] < 0)
				{
					bool disagrees = mesh->corners[twin] == mesh->corners[c];
					job->flips[other] = job->flips[f] != disagrees;
					job->patchOf[other] = index;
					job->order[tail++] = other;
				}
			}
		}
		patch.faceCount = tail - patch.firstFace;
		if (!BR_PUSH(&job->repair->allocator, &job->patches, patch))
		{
			return false;
		}
	}
	return true;
}

// A patch is closed if it runs along each of its edges as often one way as the other.
static void findClosedPatches(OrientJob* job)
{
	const brHalfEdges* edges = &job->edges;
	const int32_t* vertices = job->view.corners;
	for (int32_t e = 0; e < edges->edgeCount; ++e)
	{
		const int32_t* corners = edges->edgeCorners + edges->edgeStarts[e];
		int32_t count = edges->edgeStarts[e + 1] - edges->edgeStarts[e];
		for (int32_t k = 0; k < count; ++k)
		{
			int32_t patch = job->patchOf[edges->faces[corners[k]]];
			int32_t balance = 0;
			for (int32_t j = 0; j < count; ++j)
			{
				int32_t face = edges->faces[corners[j]];
				if (job->patchOf[face] == patch)
				{
					balance += (vertices[corners[j]] == vertices[corners[0]]) != job->flips[face] ? 1 : -1;
				}
			}
			job->patches.data[patch].isClosed = job->patches.data[patch].isClosed && balance == 0;
		}
	}
}

static void measurePatch(const OrientJob* job, OrientPatch* patch)
{
	const brMesh* mesh = &job->view;
	brDVec3 origin = brDAdd(brDMul(0.5, patch->box.lower), brDMul(0.5, patch->box.upper));
	double sum = 0.0, lost = 0.0;
	for (int32_t k = 0; k < patch->faceCount; ++k)
	{
		int32_t f = job->order[patch->firstFace + k];
		int32_t start = mesh->faceStarts[f];
		brDVec3 a = brDSub(mesh->positions[mesh->corners[start]], origin);
		double sign = job->flips[f] ? -1.0 : 1.0;
		for (int32_t c = start + 1; c + 1 < mesh->faceStarts[f + 1]; ++c)
		{
			brDVec3 b = brDSub(mesh->positions[mesh->corners[c]], origin);
			brDVec3 d = brDSub(mesh->positions[mesh->corners[c + 1]], origin);
			double term = sign * brDDot(a, brDCross(b, d));
			double next = sum + term;
			lost += fabs(sum) >= fabs(term) ? (sum - next) + term : (term - next) + sum;
			sum = next;
		}
	}
	patch->volume = (sum + lost) / 6.0;
}

// Nesting

// How often the triangle goes round p in the projection along z: -1, 0 or 1. A point on an edge counts for one of the
// two triangles there.
static int32_t windTriangle(brDVec3 p, const brDVec3 t[3])
{
	int32_t wind = 0;
	for (int k = 0; k < 3; ++k)
	{
		brDVec3 a = t[k], b = t[(k + 1) % 3];
		bool goesUp = a.y <= p.y && b.y > p.y;
		bool goesDown = b.y <= p.y && a.y > p.y;
		if (goesUp || goesDown)
		{
			int32_t side = brOrient2d((brDVec2){a.x, a.y}, (brDVec2){b.x, b.y}, (brDVec2){p.x, p.y});
			wind += goesUp ? side > 0 : -(side < 0);
		}
	}
	return wind;
}

static int32_t binOf(const OrientPatch* patch, double y)
{
	double size = patch->box.upper.y - patch->box.lower.y;
	double bin = size > 0.0 ? (y - patch->box.lower.y) / size * patch->binCount : 0.0;
	return bin >= patch->binCount ? patch->binCount - 1 : bin > 0.0 ? (int32_t)bin : 0;
}

static void faceBins(const OrientJob* job, const OrientPatch* patch, int32_t f, int32_t* outFirst, int32_t* outLast)
{
	const brMesh* mesh = &job->view;
	double low = INFINITY, high = -INFINITY;
	for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
	{
		low = fmin(low, mesh->positions[mesh->corners[c]].y);
		high = fmax(high, mesh->positions[mesh->corners[c]].y);
	}
	*outFirst = binOf(patch, low), *outLast = binOf(patch, high);
}

// Sorts the faces of a large patch into bins. Without memory, or where faces are long, there are none.
static void makeBins(const OrientJob* job, OrientPatch* patch)
{
	const brAllocator* allocator = &job->repair->allocator;
	int32_t first, last;
	int64_t entries = 0;
	patch->binCount = (int32_t)sqrt((double)patch->faceCount);
	patch->binStarts = BR_ALLOC_ZERO(allocator, int32_t, (int64_t)patch->binCount + 2);
	for (int32_t k = 0; k < patch->faceCount && patch->binStarts != NULL; ++k)
	{
		faceBins(job, patch, job->order[patch->firstFace + k], &first, &last);
		entries += last - first + 1;
		for (int32_t b = first; b <= last; ++b)
		{
			patch->binStarts[b + 2] += 1;
		}
	}
	bool isShort = patch->binStarts != NULL && entries <= ORIENT_MOST_BINS * (int64_t)patch->faceCount;
	patch->binFaces = isShort ? BR_ALLOC(allocator, int32_t, entries) : NULL;
	for (int32_t b = 0; b < patch->binCount && patch->binFaces != NULL; ++b)
	{
		patch->binStarts[b + 2] += patch->binStarts[b + 1];
	}
	for (int32_t k = 0; k < patch->faceCount && patch->binFaces != NULL; ++k)
	{
		faceBins(job, patch, job->order[patch->firstFace + k], &first, &last);
		for (int32_t b = first; b <= last; ++b)
		{
			patch->binFaces[patch->binStarts[b + 1]++] = job->order[patch->firstFace + k];
		}
	}
}

static void freeBins(const brAllocator* allocator, OrientPatch* patch)
{
	BR_FREE(allocator, patch->binFaces, patch->binFaces != NULL ? patch->binStarts[patch->binCount] : 0);
	BR_FREE(allocator, patch->binStarts, (int64_t)patch->binCount + 2);
}

// Whether the box of an upright triangle, which no ray along z goes through, holds p.
static bool mayHold(const brDVec3 t[3], brDVec3 p)
{
	brDBox3 box = brDBox3_Include(brDBox3_Include(brDBox3_Include(brMakeDBox3Empty(), t[0]), t[1]), t[2]);
	return p.x >= box.lower.x && p.x <= box.upper.x && p.y >= box.lower.y && p.y <= box.upper.y && p.z >= box.lower.z &&
		   p.z <= box.upper.z;
}

// Winding number of a patch about a point. False if the point lies on it.
static bool windPatch(const OrientJob* job, OrientPatch* patch, brDVec3 p, int32_t* outWind)
{
	const brMesh* mesh = &job->view;
	int32_t total = 0, count = patch->faceCount;
	const int32_t* faces = job->order + patch->firstFace;
	if (patch->faceCount > ORIENT_LARGE && patch->binCount == 0)
	{
		makeBins(job, patch);
	}
	if (patch->binFaces != NULL)
	{
		int32_t bin = binOf(patch, p.y);
		faces = patch->binFaces + patch->binStarts[bin];
		count = patch->binStarts[bin + 1] - patch->binStarts[bin];
	}
	for (int32_t k = 0; k < count; ++k)
	{
		int32_t f = faces[k];
		int32_t start = mesh->faceStarts[f];
		brDVec3 t[3] = {mesh->positions[mesh->corners[start]]};
		for (int32_t c = start + 1; c + 1 < mesh->faceStarts[f + 1]; ++c)
		{
			t[1] = mesh->positions[mesh->corners[c]];
			t[2] = mesh->positions[mesh->corners[c + 1]];
			int32_t wind = windTriangle(p, t);
			if (wind != 0 || mayHold(t, p))
			{
				// A triangle that turns left lies above p if p lies on its negative side.
				int32_t side = brOrient3d(t[0], t[1], t[2], p);
				if (side == 0)
				{
					return false;
				}
				bool isAbove = side * wind < 0;
				total += isAbove ? (job->flips[f] ? -wind : wind) : 0;
			}
		}
	}
	*outWind = total;
	return true;
}

static bool boxInside(const brDBox3* a, const brDBox3* b)
{
	return a->lower.x >= b->lower.x && a->lower.y >= b->lower.y && a->lower.z >= b->lower.z &&
		   a->upper.x <= b->upper.x && a->upper.y <= b->upper.y && a->upper.z <= b->upper.z;
}

#define ORIENT_MAX_TRIES 16

static bool patchInside(const OrientJob* job, const OrientPatch* inner, OrientPatch* outer)
{
	const brMesh* mesh = &job->view;
	int32_t tries = inner->faceCount < ORIENT_MAX_TRIES ? inner->faceCount : ORIENT_MAX_TRIES;
	for (int32_t k = 0; k < 2 * tries; ++k)
	{
		int32_t wind = 0;
		int32_t f = job->order[inner->firstFace + k % tries];
		const int32_t* corners = mesh->corners + mesh->faceStarts[f];
		brDVec3 p = mesh->positions[corners[0]];
		if (k >= tries) // all of these touch: the middle of a face may not
		{
			brDVec3 q = mesh->positions[corners[1]], r = mesh->positions[corners[2]];
			p = brDMul(1.0 / 3.0, brDAdd(p, brDAdd(q, r)));
		}
		if (windPatch(job, outer, p, &wind))
		{
			return wind != 0;
		}
	}
	return false;
}

// Bits of a double that sort like its value.
static uint64_t sortableBits(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return (bits >> 63) != 0 ? ~bits : bits | 0x8000000000000000u;
}

// Sweeps the closed patches in x; only those whose boxes are still open can hold the next one.
static bool findNestings(OrientJob* job)
{
	const brAllocator* allocator = &job->repair->allocator;
	int32_t count = job->patches.count, closed = 0, activeCount = 0;
	uint64_t* keys = BR_ALLOC(allocator, uint64_t, 2 * (int64_t)count);
	uint32_t* sorted = BR_ALLOC(allocator, uint32_t, 2 * (int64_t)count);
	int32_t* active = BR_ALLOC(allocator, int32_t, count);
	bool complete = keys != NULL && sorted != NULL && active != NULL;
	for (int32_t i = 0; i < count && complete; ++i)
	{
		if (job->patches.data[i].isClosed)
		{
			keys[closed] = sortableBits(job->patches.data[i].box.lower.x);
			sorted[closed++] = (uint32_t)i;
		}
	}
	complete = complete && brSortPairs64(NULL, allocator, keys, sorted, keys + count, sorted + count, closed);
	for (int32_t s = 0; s < closed && complete; ++s)
	{
		int32_t i = (int32_t)sorted[s];
		OrientPatch* patch = &job->patches.data[i];
		int32_t kept = 0;
		for (int32_t k = 0; k < activeCount; ++k)
		{
			if (job->patches.data[active[k]].box.upper.x >= patch->box.lower.x)
			{
				active[kept++] = active[k];
			}
		}
		activeCount = kept;
		active[activeCount++] = i;
		for (int32_t k = 0; k + 1 < activeCount && complete; ++k)
		{
			// Equal lower ends sort by index, so either may be the outer one.
			for (int way = 0; way < 2 && complete; ++way)
			{
				int32_t inner = way == 0 ? i : active[k], outer = way == 0 ? active[k] : i;
				OrientPatch* a = &job->patches.data[inner];
				if (boxInside(&a->box, &job->patches.data[outer].box) && patchInside(job, a, &job->patches.data[outer]))
				{
					a->depth += 1;
					complete = BR_PUSH(allocator, &job->nestings, (OrientNesting){inner, outer});
				}
			}
		}
	}
	BR_FREE(allocator, keys, 2 * (int64_t)count);
	BR_FREE(allocator, sorted, 2 * (int64_t)count);
	BR_FREE(allocator, active, count);
	for (int32_t k = 0; k < job->nestings.count && complete; ++k)
	{
		OrientNesting nesting = job->nestings.data[k];
		OrientPatch* inner = &job->patches.data[nesting.inner];
		if (inner->parent < 0 || job->patches.data[nesting.outer].depth > job->patches.data[inner->parent].depth)
		{
			inner->parent = nesting.outer;
		}
	}
	return complete;
}

// Decisions

static bool prefersInverted(const OrientPatch* patch)
{
	return 2 * patch->flipCount > patch->faceCount;
}

static void decidePatch(OrientPatches* patches, int32_t index)
{
	OrientPatch* patch = &patches->data[index];
	if (!patch->isClosed || patch->volume == 0.0)
	{
		patch->isInverted = prefersInverted(patch);
	}
	else if (patch->depth % 2 == 0)
	{
		patch->isInverted = patch->volume < 0.0;
	}
	else if (patch->flipCount == 0)
	{
		const OrientPatch* parent = &patches->data[patch->parent];
		patch->isInverted = parent->flipCount == 0 && parent->isInverted;
	}
	else
	{
		patch->isInverted = 2 * patch->flipCount == patch->faceCount ? patch->volume > 0.0 : prefersInverted(patch);
	}
}

static void decidePatches(OrientJob* job)
{
	int32_t deepest = 0;
	for (int32_t i = 0; i < job->patches.count; ++i)
	{
		deepest = job->patches.data[i].depth > deepest ? job->patches.data[i].depth : deepest;
	}
	for (int32_t depth = 0; depth <= deepest; ++depth)
	{
		for (int32_t i = 0; i < job->patches.count; ++i)
		{
			if (job->patches.data[i].depth == depth)
			{
				decidePatch(&job->patches, i);
			}
		}
	}
}

static void turnFaces(OrientJob* job)
{
	brRepair* repair = job->repair;
	for (int32_t f = 0; f < repair->faceCount; ++f)
	{
		if (job->flips[f] == job->patches.data[job->patchOf[f]].isInverted)
		{
			continue;
		}
		repair->isTurned[repair->faceSources[f]] = true;
		repair->counts.turnedFaces += 1;
		for (int32_t i = repair->faceStarts[f] + 1, j = repair->faceStarts[f + 1] - 1; i < j; ++i, --j)
		{
			int32_t corner = repair->corners[i], source = repair->cornerSources[i];
			repair->corners[i] = repair->corners[j];
			repair->cornerSources[i] = repair->cornerSources[j];
			repair->corners[j] = corner;
			repair->cornerSources[j] = source;
		}
	}
}

bool brRepair_Orient(brRepair* repair)
{
	const brAllocator* allocator = &repair->allocator;
	OrientJob job = {.repair = repair, .view = brRepair_View(repair)};
	job.patchOf = BR_ALLOC(allocator, int32_t, repair->faceCount);
	job.order = BR_ALLOC(allocator, int32_t, repair->faceCount);
	job.flips = BR_ALLOC_ZERO(allocator, bool, repair->faceCount);
	job.cornerTwins = BR_ALLOC(allocator, int32_t, repair->cornerCount);
	bool complete = job.patchOf != NULL && job.order != NULL && job.flips != NULL && job.cornerTwins != NULL &&
					brMakeHalfEdges(repair->context, &job.view, &job.edges) >= 0;
	if (complete)
	{
		linkPairs(&job);
		complete = walkPatches(&job);
	}
	if (complete)
	{
		findClosedPatches(&job);
		for (int32_t i = 0; i < job.patches.count; ++i)
		{
			measurePatch(&job, &job.patches.data[i]);
		}
		complete = findNestings(&job);
	}
	if (complete)
	{
		decidePatches(&job);
		turnFaces(&job);
	}
	brFreeHalfEdges(&job.edges);
	for (int32_t i = 0; i < job.patches.count; ++i)
	{
		freeBins(allocator, &job.patches.data[i]);
	}
	BR_FREE_ARRAY(allocator, &job.patches);
	BR_FREE_ARRAY(allocator, &job.nestings);
	BR_FREE(allocator, job.patchOf, repair->faceCount);
	BR_FREE(allocator, job.order, repair->faceCount);
	BR_FREE(allocator, job.flips, repair->faceCount);
	BR_FREE(allocator, job.cornerTwins, repair->cornerCount);
	return complete;
}
