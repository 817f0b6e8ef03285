// SPDX-License-Identifier: MIT

// A cluster starts at the first node that has none and takes, one by one, the free neighbor whose center is nearest to
// that of its first node, until it is full. What is left over in corners, less than half full, joins the cluster that
// it shares most area with. So clusters hang together by bonds, are compact, and the outcome depends on nothing but
// pieces and bonds. The clusters and what bonds are left between them are the nodes and bonds of the next level. Cost:
// linear in bonds, times size.

#include "fracture/clusters.h"

#include "base/array.h"
#include "base/sort.h"

#include <string.h>

// Nodes of one level: pieces or clusters.
typedef struct ClusterGraph
{
	brAllocator allocator;
	int32_t nodeCount;
	int32_t bondCount;
	const brBond* bonds;
	brDVec3* centers;    // [nodeCount]
	double* weights;     // [nodeCount] volumes
	int32_t* linkStarts; // [nodeCount + 1]
	int32_t* links;      // [2 bondCount] bonds of each node
	int32_t* clusters;   // [nodeCount] or -1
	int32_t* sizes;      // [nodeCount] of clusters
	BR_ARRAY(int32_t) members;
} ClusterGraph;

static bool clusterBegin(ClusterGraph* graph, const brAllocator* a, int32_t nodeCount, const brBond* bonds,
						 int32_t bondCount)
{
	*graph = (ClusterGraph){.allocator = *a, .nodeCount = nodeCount, .bondCount = bondCount, .bonds = bonds};
	graph->centers = BR_ALLOC(a, brDVec3, nodeCount);
	graph->weights = BR_ALLOC(a, double, nodeCount);
	graph->linkStarts = BR_ALLOC_ZERO(a, int32_t, (int64_t)nodeCount + 1);
	graph->links = BR_ALLOC(a, int32_t, 2 * (int64_t)bondCount);
	graph->clusters = BR_ALLOC(a, int32_t, nodeCount);
	graph->sizes = BR_ALLOC_ZERO(a, int32_t, nodeCount);
	if (graph->centers == NULL || graph->weights == NULL || graph->linkStarts == NULL || graph->links == NULL ||
		graph->clusters == NULL || graph->sizes == NULL)
	{
		return false;
	}
	for (int32_t b = 0; b < bondCount; ++b)
	{
		++graph->linkStarts[bonds[b].pieces[0] + 1];
		++graph->linkStarts[bonds[b].pieces[1] + 1];
	}
	for (int32_t n = 0; n < nodeCount; ++n)
	{
		graph->linkStarts[n + 1] += graph->linkStarts[n];
		graph->clusters[n] = -1;
	}
	// Each start moves to the end of its node while the node fills; then all are one node ahead.
	for (int32_t b = 0; b < bondCount; ++b)
	{
		graph->links[graph->linkStarts[bonds[b].pieces[0]]++] = b;
		graph->links[graph->linkStarts[bonds[b].pieces[1]]++] = b;
	}
	memmove(graph->linkStarts + 1, graph->linkStarts, (size_t)nodeCount * sizeof(int32_t));
	graph->linkStarts[0] = 0;
	return true;
}

static void clusterEnd(ClusterGraph* graph)
{
	const brAllocator* a = &graph->allocator;
	BR_FREE(a, graph->centers, graph->nodeCount);
	BR_FREE(a, graph->weights, graph->nodeCount);
	BR_FREE(a, graph->linkStarts, (int64_t)graph->nodeCount + 1);
	BR_FREE(a, graph->links, 2 * (int64_t)graph->bondCount);
	BR_FREE(a, graph->clusters, graph->nodeCount);
	BR_FREE(a, graph->sizes, graph->nodeCount);
	BR_FREE_ARRAY(a, &graph->members);
}

static int32_t clusterAcross(const ClusterGraph* graph, int32_t bond, int32_t node)
{
	const int32_t* ends = graph->bonds[bond].pieces;
	return ends[0] == node ? ends[1] : ends[0];
}

// Fills cluster `cluster` from a node that has none.
static bool clusterGrow(ClusterGraph* graph, int32_t cluster, int32_t seed, int32_t size)
{
	graph->members.count = 0;
	for (int32_t next = seed; next >= 0;)
	{
		if (!BR_PUSH(&graph->allocator, &graph->members, next))
		{
			return false;
		}
		graph->clusters[next] = cluster;
		next = -1;
		double nearest = INFINITY;
		for (int32_t m = 0; graph->members.count < size && m < graph->members.count; ++m)
		{
			int32_t node = graph->members.data[m];
			for (int32_t k = graph->linkStarts[node]; k < graph->linkStarts[node + 1]; ++k)
			{
				int32_t other = clusterAcross(graph, graph->links[k], node);
				double distance = brDDistance(graph->centers[other], graph->centers[seed]);
				bool isNearer = distance < nearest || (distance == nearest && other < next);
				if (graph->clusters[other] < 0 && isNearer)
				{
					nearest = distance;
					next = other;
				}
			}
		}
	}
	graph->sizes[cluster] = graph->members.count;
	return true;
}

// The cluster that the nodes of a small one share most area with, or -1. Nodes of one cluster are found from its first
// on.
static int32_t clusterBestNeighbor(ClusterGraph* graph, int32_t seed, double* areas)
{
	int32_t own = graph->clusters[seed], best = -1;
	graph->members.count = 0;
	if (!BR_PUSH(&graph->allocator, &graph->members, seed))
	{
		return -2;
	}
	// Two rounds over the same bonds: sums, then the largest; sums are cleared on the way.
	for (int32_t round = 0; round < 3; ++round)
	{
		for (int32_t m = 0; m < graph->members.count; ++m)
		{
			int32_t node = graph->members.data[m];
			for (int32_t k = graph->linkStarts[node]; k < graph->linkStarts[node + 1]; ++k)
			{
				int32_t other = clusterAcross(graph, graph->links[k], node), cluster = graph->clusters[other];
				if (cluster == own)
				{
					bool isKnown = round > 0;
					for (int32_t i = 0; i < graph->members.count && !isKnown; ++i)
					{
						isKnown = graph->members.data[i] == other;
					}
					if (!isKnown && !BR_PUSH(&graph->allocator, &graph->members, other))
					{
						return -2;
					}
				}
				else if (round == 0)
				{
					areas[cluster] += graph->bonds[graph->links[k]].area;
				}
				else if (round == 1)
				{
					bool isLarger = best < 0 || areas[cluster] > areas[best];
					best = isLarger || (areas[cluster] == areas[best] && cluster < best) ? cluster : best;
				}
				else
				{
					areas[cluster] = 0.0;
				}
			}
		}
	}
	return best;
}

// Gives every node a cluster; returns their number, -1 without memory. Numbers rise with the lowest node.
static int32_t clusterDivide(ClusterGraph* graph, int32_t size)
{
	const brAllocator* a = &graph->allocator;
	int32_t count = 0;
	for (int32_t n = 0; n < graph->nodeCount; ++n)
	{
		if (graph->clusters[n] < 0 && !clusterGrow(graph, count++, n, size))
		{
			return -1;
		}
	}
	double* areas = BR_ALLOC_ZERO(a, double, count);
	int32_t* numbers = BR_ALLOC(a, int32_t, count);
	bool done = areas != NULL && numbers != NULL;
	for (int32_t n = 0; done && n < graph->nodeCount; ++n)
	{
		int32_t cluster = graph->clusters[n];
		if (2 * graph->sizes[cluster] >= size)
		{
			continue;
		}
		int32_t best = clusterBestNeighbor(graph, n, areas);
		done = best > -2;
		for (int32_t m = 0; best >= 0 && m < graph->members.count; ++m)
		{
			graph->clusters[graph->members.data[m]] = best;
		}
		graph->sizes[best >= 0 ? best : cluster] += best >= 0 ? graph->members.count : size;
	}
	for (int32_t c = 0; done && c < count; ++c)
	{
		numbers[c] = -1;
	}
	int32_t kept = 0;
	for (int32_t n = 0; done && n < graph->nodeCount; ++n)
	{
		int32_t* number = &numbers[graph->clusters[n]];
		*number = *number < 0 ? kept++ : *number;
		graph->clusters[n] = *number;
	}
	BR_FREE(a, areas, count);
	BR_FREE(a, numbers, count);
	return done ? kept : -1;
}

// Bonds between clusters: those of their nodes, added up.
static brResult clusterMakeBonds(const ClusterGraph* graph, brBond** outBonds, int32_t* outCount)
{
	const brAllocator* a = &graph->allocator;
	int32_t room = graph->bondCount, count = 0, kept = 0;
	uint64_t* keys = BR_ALLOC(a, uint64_t, 2 * (int64_t)room);
	uint32_t* order = BR_ALLOC(a, uint32_t, 2 * (int64_t)room);
	bool done = keys != NULL && order != NULL;
	for (int32_t b = 0; done && b < graph->bondCount; ++b)
	{
		int32_t from = graph->clusters[graph->bonds[b].pieces[0]], to = graph->clusters[graph->bonds[b].pieces[1]];
		if (from != to)
		{
			keys[count] = (uint64_t)(from < to ? from : to) << 32 | (uint32_t)(from < to ? to : from);
			order[count++] = (uint32_t)b;
		}
	}
	done = done && brSortPairs64(NULL, a, keys, order, keys + room, order + room, count);
	for (int32_t n = 0; done && n < count; ++n)
	{
		kept += n == 0 || keys[n] != keys[n - 1];
	}
	brBond* bonds = done ? BR_ALLOC(a, brBond, kept) : NULL;
	for (int32_t n = 0, at = -1; bonds != NULL && n < count; ++n)
	{
		const brBond* bond = &graph->bonds[order[n]];
		bool isTurned = graph->clusters[bond->pieces[0]] > graph->clusters[bond->pieces[1]];
		if (n == 0 || keys[n] != keys[n - 1])
		{
			bonds[++at] = (brBond){.pieces = {(int32_t)(keys[n] >> 32), (int32_t)(keys[n] & UINT32_MAX)}};
		}
		// Sums of area, area times center and area times normal; divided below.
		bonds[at].area += bond->area;
		bonds[at].center = brDMulAdd(bonds[at].center, bond->area, bond->center);
		bonds[at].normal = brDMulAdd(bonds[at].normal, isTurned ? -bond->area : bond->area, bond->normal);
	}
	for (int32_t n = 0; bonds != NULL && n < kept; ++n)
	{
		bonds[n].center = brDMul(1.0 / bonds[n].area, bonds[n].center);
		bonds[n].normal = brDNormalize(bonds[n].normal);
	}
	BR_FREE(a, keys, 2 * (int64_t)room);
	BR_FREE(a, order, 2 * (int64_t)room);
	*outBonds = bonds;
	*outCount = kept;
	return bonds != NULL ? br_success : br_errorMemory;
}

// The level above `below`, or above the pieces if that is null. False without memory.
static bool clusterMakeLevel(const brShatter* shatter, const brShatterLevel* below, int32_t size, brShatterLevel* out)
{
	const brAllocator* a = &shatter->allocator;
	int32_t nodes = below != NULL ? below->clusterCount : shatter->pieceCount;
	ClusterGraph graph;
	bool done = clusterBegin(&graph, a, nodes, below != NULL ? below->bonds : shatter->bonds,
							 below != NULL ? below->bondCount : shatter->bondCount);
	for (int32_t n = 0; done && n < nodes; ++n)
	{
		graph.centers[n] = brMakeDVec3(0.0, 0.0, 0.0);
		graph.weights[n] = 0.0;
	}
	for (int32_t p = 0; done && p < shatter->pieceCount; ++p)
	{
		int32_t node = below != NULL ? below->clusters[p] : p;
		double volume = fabs(shatter->pieces[p].mass.volume);
		graph.centers[node] = brDMulAdd(graph.centers[node], volume, shatter->pieces[p].mass.center);
		graph.weights[node] += volume;
	}
	for (int32_t n = 0; done && n < nodes; ++n)
	{
		graph.centers[n] = brDMul(graph.weights[n] > 0.0 ? 1.0 / graph.weights[n] : 0.0, graph.centers[n]);
	}
	out->clusterCount = done ? clusterDivide(&graph, size) : -1;
	done = out->clusterCount >= 0;
	out->clusters = done ? BR_ALLOC(a, int32_t, shatter->pieceCount) : NULL;
	done = out->clusters != NULL && clusterMakeBonds(&graph, &out->bonds, &out->bondCount) >= 0;
	for (int32_t p = 0; done && p < shatter->pieceCount; ++p)
	{
		out->clusters[p] = graph.clusters[below != NULL ? below->clusters[p] : p];
	}
	clusterEnd(&graph);
	if (!done)
	{
		BR_FREE(a, out->clusters, shatter->pieceCount);
	}
	return done;
}

brResult brShatter_AddLevels(brShatter* shatter, int32_t size, int32_t most)
{
	const brAllocator* a = &shatter->allocator;
	brShatterLevel levels[BR_SHATTER_MAX_LEVELS] = {0};
	int32_t count = 0;
	bool done = true;
	while (done && count < most && count < BR_SHATTER_MAX_LEVELS)
	{
		int32_t nodes = count > 0 ? levels[count - 1].clusterCount : shatter->pieceCount;
		brShatterLevel level = {0};
		done = clusterMakeLevel(shatter, count > 0 ? &levels[count - 1] : NULL, size, &level);
		if (done && level.clusterCount == nodes)
		{
			BR_FREE(a, level.clusters, shatter->pieceCount);
			BR_FREE(a, level.bonds, level.bondCount);
			break;
		}
		levels[count] = level;
		count += done;
	}
	brShatterLevel* kept = done ? BR_ALLOC(a, brShatterLevel, count) : NULL;
	if (kept == NULL)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			BR_FREE(a, levels[i].clusters, shatter->pieceCount);
			BR_FREE(a, levels[i].bonds, levels[i].bondCount);
		}
		return br_errorMemory;
	}
	if (count > 0)
	{
		memcpy(kept, levels, (size_t)count * sizeof(brShatterLevel));
	}
	shatter->levels = kept;
	shatter->levelCount = count;
	return br_success;
}
