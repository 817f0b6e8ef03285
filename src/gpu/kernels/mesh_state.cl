// SPDX-License-Identifier: MIT

// What the kernels of meshes.cl and mesh_touches.cl leave to each other.

#ifdef BR_PROCESSOR
#define MESH_GROUP 1
#else
#define MESH_GROUP 32
#endif

// What is known of a pair between two kernels.
typedef struct MeshState
{
	int isDone;
	float most; // how far it is of interest
	int planeCounts[2];
	int knownCounts[2];
	float reaches[2]; // how far the field is asked for points of a side
	int edgeCounts[2];
	brVec4 planes[2][BR_PAIR_MANIFOLDS];
} MeshState;

typedef struct MeshEdgeAnswer
{
	brMeshVerdict verdict;
	float apart;
} MeshEdgeAnswer;

static const BR_FAR brShape* meshShape(__global const char* shapes, const brTouchQuery* query, int s)
{
	return (const BR_FAR brShape*)(shapes + query->shapes[s]);
}

static brSolidQuery meshAsked(const brTouchQuery* query)
{
	const brKeptTouches* kept = query->isKept ? &query->kept : NULL;
	brSolidQuery asked = {query->margin, query->isRolling != 0, query->isSliding != 0, kept};
	return asked;
}

// The pair as brk_meshBegin left it.
static void meshTake(brMeshPair* pair, __global const char* shapes, const brTouchQuery* query,
					 __global const MeshState* state)
{
	const brSolidQuery asked = meshAsked(query);
	meshInit(pair, meshShape(shapes, query, 0), meshShape(shapes, query, 1), &query->pose, &asked);
	for (int s = 0; s < 2; ++s)
	{
		pair->sides[s].planeCount = state->planeCounts[s];
		for (int k = 0; k < state->planeCounts[s]; ++k)
		{
			pair->sides[s].planes[k] = state->planes[s][k];
		}
	}
}

static float meshBoxes(const brMeshPair* pair)
{
	return meshBoxesApart(pair->sides[0].shape, pair->sides[1].shape, &pair->sides[1].toA);
}
