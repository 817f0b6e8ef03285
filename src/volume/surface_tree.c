// SPDX-License-Identifier: MIT

// Building the tree: order by splitting at powers of two, boxes bottom up, moments bottom up. O(n log n).

#include "volume/surface_tree.h"

#include "base/cpu.h"
#include "base/report.h"
#include "index/compact_order.h"

#include <string.h>

// Boxes are widened by this part of the coordinates' size, more than rounding to float can take away.
#define TREE_BOX_SLACK 0x1p-22

// Moments stand for their triangles from this many radii on (Barill et al. 2018 take 2).
#define TREE_BETA 2.0

// What the build knows of a node.
typedef struct TreeNode
{
	brDVec3 center;
	double area;
	double radius;
	brDVec3 normal;
	double second[6];
	double trace;
} TreeNode;

// An empty lane is looked at by nobody's near side, and weighs nothing.
static void clearMoments(brTreeMoments* moments)
{
	*moments = (brTreeMoments){0};
	for (int lane = 0; lane < BR_TREE_ARITY; ++lane)
	{
		for (int k = 0; k < 3; ++k)
		{
			moments->center[k][lane] = 1e3f;
		}
		moments->reachSq[lane] = -1.0f;
	}
}

static void setMoments(brTreeMoments* group, int lane, const TreeNode* node)
{
	const double* center = &node->center.x;
	const double* normal = &node->normal.x;
	for (int k = 0; k < 3; ++k)
	{
		group->center[k][lane] = (float)center[k];
		group->normal[k][lane] = (float)normal[k];
	}
	for (int k = 0; k < 6; ++k)
	{
		group->second[k][lane] = (float)node->second[k];
	}
	group->trace[lane] = (float)node->trace;
	double reach = TREE_BETA * (node->radius + 4.0 * TREE_BOX_SLACK);
	group->reachSq[lane] = (float)(reach * reach);
}

// The moments of `count` nodes together.
static TreeNode joinNodes(const TreeNode* nodes, int32_t count, const brDBox3* box)
{
	TreeNode all = {0};
	double weight = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		all.area += nodes[i].area;
		all.normal = brDAdd(all.normal, nodes[i].normal);
		all.center = brDMulAdd(all.center, nodes[i].area, nodes[i].center);
		weight += nodes[i].area;
	}
	brDVec3 middle = brDMul(0.5, brDAdd(box->lower, box->upper));
	all.center = weight > 1e-300 ? brDMul(1.0 / weight, all.center) : middle;
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 d = brDSub(nodes[i].center, all.center), n = nodes[i].normal;
		double outer[6] = {d.x * n.x,
						   d.y * n.y,
						   d.z * n.z,
						   0.5 * (d.x * n.y + d.y * n.x),
						   0.5 * (d.x * n.z + d.z * n.x),
						   0.5 * (d.y * n.z + d.z * n.y)};
		for (int k = 0; k < 6; ++k)
		{
			all.second[k] += nodes[i].second[k] + outer[k];
		}
		double radius = brDLength(d) + nodes[i].radius;
		all.radius = radius > all.radius ? radius : all.radius;
	}
	all.trace = all.second[0] + all.second[1] + all.second[2];
	brDVec3 far = brDMax(brDSub(box->upper, all.center), brDSub(all.center, box->lower));
	double corner = brDLength(far);
	all.radius = corner < all.radius ? corner : all.radius;
	return all;
}

static TreeNode triangleNode(const brDVec3* p)
{
	TreeNode node = {0};
	node.center = brDMul(1.0 / 3.0, brDAdd(p[0], brDAdd(p[1], p[2])));
	node.normal = brDMul(0.5, brDCross(brDSub(p[1], p[0]), brDSub(p[2], p[0])));
	node.area = brDLength(node.normal);
	for (int k = 0; k < 3; ++k)
	{
		double radius = brDDistance(p[k], node.center);
		node.radius = radius > node.radius ? radius : node.radius;
	}
	return node;
}

static void fillMoments(brSurfaceTree* tree, TreeNode* nodes, brDBox3* bounds)
{
	for (int32_t g = 0; g < tree->boxes.groupTotal; ++g)
	{
		clearMoments(&tree->moments[0][g]);
	}
	for (int32_t i = 0; i < tree->triangleCount; ++i)
	{
		brDVec3 p[3];
		for (int k = 0; k < 3; ++k)
		{
			p[k] = brSurfaceTree_ToLocal(tree, tree->corners[i][k]);
		}
		nodes[i] = triangleNode(p);
	}
	int32_t count = tree->triangleCount;
	for (int32_t level = 0; level < tree->boxes.levelCount; ++level)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			setMoments(&tree->moments[level][i / BR_TREE_ARITY], i % BR_TREE_ARITY, &nodes[i]);
		}
		for (int32_t g = 0; g < tree->boxes.groupCounts[level]; ++g)
		{
			int32_t first = BR_TREE_ARITY * g;
			int32_t size = count - first < BR_TREE_ARITY ? count - first : BR_TREE_ARITY;
			brDBox3 box = bounds[first];
			for (int32_t i = 1; i < size; ++i)
			{
				box = brDBox3_Union(box, bounds[first + i]);
			}
			nodes[g] = joinNodes(nodes + first, size, &box);
			bounds[g] = box;
		}
		count = tree->boxes.groupCounts[level];
	}
}

// Boxes of the triangles, exact to `bounds` and widened and rounded to the tree.
static void fillBoxes(brSurfaceTree* tree, brDBox3* bounds, brBox3* boxes)
{
	for (int32_t i = 0; i < tree->triangleCount; ++i)
	{
		brDBox3 box = brMakeDBox3Empty();
		for (int k = 0; k < 3; ++k)
		{
			box = brDBox3_Include(box, brSurfaceTree_ToLocal(tree, tree->corners[i][k]));
		}
		const brDVec3 slack = {TREE_BOX_SLACK, TREE_BOX_SLACK, TREE_BOX_SLACK};
		bounds[i] = box;
		boxes[i] = brMakeBox3Outward((brDBox3){brDSub(box.lower, slack), brDAdd(box.upper, slack)});
	}
	brBoxTree_Fill(&tree->boxes, tree->boxBlock, boxes, tree->triangleCount, 0.0f);
}

// How often an edge is run along upwards more than downwards, by its greater vertex; good for one lesser vertex.
typedef struct SoupEdge
{
	int32_t low, sum;
} SoupEdge;

// Whether each edge is run along as often one way as the other. Halves lie by their lesser vertices, from `starts` on.
static bool soupSumHalves(const brTriangleSoup* soup, int32_t* starts, uint32_t* halves, SoupEdge* edges)
{
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		for (int32_t t = 0; t < soup->triangleCount; ++t)
		{
			for (int k = 0; k < 3; ++k)
			{
				int32_t a = soup->triangles[t][k], b = soup->triangles[t][k < 2 ? k + 1 : 0], low = a < b ? a : b;
				if (pass == 0)
				{
					starts[low] += 1;
				}
				else
				{
					halves[--starts[low]] = (uint32_t)(a < b ? b : a) << 1 | (a < b);
				}
			}
		}
		for (int32_t v = 0, sum = 0; v <= soup->vertexCount && pass == 0; ++v)
		{
			sum += starts[v];
			starts[v] = sum;
		}
	}
	for (int32_t v = 0; v < soup->vertexCount; ++v)
	{
		int32_t open = 0; // edges whose sum is not 0
		for (int32_t i = starts[v]; i < starts[v + 1]; ++i)
		{
			SoupEdge* edge = &edges[halves[i] >> 1];
			*edge = edge->low == v ? *edge : (SoupEdge){v, 0};
			bool wasOpen = edge->sum != 0;
			// An edge from a vertex to itself is none.
			edge->sum += halves[i] >> 1 == (uint32_t)v ? 0 : (halves[i] & 1) != 0 ? 1 : -1;
			open += (edge->sum != 0) - wasOpen;
		}
		if (open != 0)
		{
			return false;
		}
	}
	return true;
}

static bool soupIsBalanced(const brAllocator* allocator, const brTriangleSoup* soup, bool* outBalanced)
{
	int64_t count = 3 * (int64_t)soup->triangleCount, vertexCount = soup->vertexCount;
	*outBalanced = false;
	if (count > INT32_MAX)
	{
		return true; // too large to ask
	}
	int32_t* starts = BR_ALLOC_ZERO(allocator, int32_t, vertexCount + 1);
	uint32_t* halves = BR_ALLOC(allocator, uint32_t, count);
	SoupEdge* edges = BR_ALLOC(allocator, SoupEdge, vertexCount);
	bool complete = starts != NULL && halves != NULL && edges != NULL;
	if (complete)
	{
		memset(edges, -1, sizeof(SoupEdge) * (size_t)vertexCount);
		*outBalanced = soupSumHalves(soup, starts, halves, edges);
	}
	BR_FREE(allocator, starts, vertexCount + 1);
	BR_FREE(allocator, halves, count);
	BR_FREE(allocator, edges, vertexCount);
	return complete;
}

// Compensated sum of the volumes under the triangles, about the center.
static double soupVolume(const brSurfaceTree* tree)
{
	double sum = 0.0, lost = 0.0;
	for (int32_t i = 0; i < tree->triangleCount; ++i)
	{
		brDVec3 a = brDSub(tree->corners[i][0], tree->center), b = brDSub(tree->corners[i][1], tree->center);
		brDVec3 c = brDSub(tree->corners[i][2], tree->center);
		double y = brDDot(a, brDCross(b, c)) / 6.0 - lost;
		double next = sum + y;
		lost = next - sum - y;
		sum = next;
	}
	return sum;
}

static bool allocateTree(brSurfaceTree* tree, int32_t count, bool hasMoments)
{
	const brAllocator* allocator = &tree->allocator;
	tree->triangleCount = count;
	tree->boxes = brMakeBoxTree(count);
	tree->boxBlock = BR_ALLOC(allocator, brTreeBoxes, tree->boxes.groupTotal);
	tree->corners = brAllocArray(allocator, count, sizeof(brDVec3[3]));
	tree->order = BR_ALLOC(allocator, int32_t, count);
	if (tree->boxBlock == NULL || tree->corners == NULL || tree->order == NULL || !hasMoments)
	{
		return tree->boxBlock != NULL && tree->corners != NULL && tree->order != NULL;
	}
	tree->moments[0] = BR_ALLOC(allocator, brTreeMoments, tree->boxes.groupTotal);
	tree->faces = BR_ALLOC(allocator, int32_t, count);
	for (int32_t level = 1; tree->moments[0] != NULL && level < tree->boxes.levelCount; ++level)
	{
		tree->moments[level] = tree->moments[level - 1] + tree->boxes.groupCounts[level - 1];
	}
	return tree->moments[0] != NULL && tree->faces != NULL;
}

static void placeTree(brSurfaceTree* tree, const brTriangleSoup* soup)
{
	brDBox3 bounds = brMakeDBox3Empty();
	for (int32_t t = 0; t < soup->triangleCount; ++t)
	{
		for (int k = 0; k < 3; ++k)
		{
			bounds = brDBox3_Include(bounds, soup->positions[soup->triangles[t][k]]);
		}
	}
	// Halves first: the sum of two large coordinates could leave the range.
	tree->center = brDAdd(brDMul(0.5, bounds.lower), brDMul(0.5, bounds.upper));
	brDVec3 half = brDMax(brDSub(bounds.upper, tree->center), brDSub(tree->center, bounds.lower));
	tree->reach = fmax(half.x, fmax(half.y, half.z));
	int exponent = 0;
	frexp(tree->reach, &exponent);
	tree->scale = tree->reach > 0.0 ? ldexp(1.0, -exponent) : 1.0;
	tree->scale = isfinite(tree->scale) ? tree->scale : 1.0;
}

// Triangles in compact order, with their corners.
static void orderTree(brSurfaceTree* tree, const brTriangleSoup* soup, brVec3* centers, uint64_t* keys)
{
	for (int32_t t = 0; t < soup->triangleCount; ++t)
	{
		brDVec3 sum = {0};
		for (int k = 0; k < 3; ++k)
		{
			sum = brDAdd(sum, brSurfaceTree_ToLocal(tree, soup->positions[soup->triangles[t][k]]));
		}
		centers[t] = brToVec3(sum);
	}
	brMakeCompactOrder(centers, keys, soup->triangleCount);
	for (int32_t i = 0; i < soup->triangleCount; ++i)
	{
		int32_t t = brCompactOrder_At(keys, i);
		tree->order[i] = t;
		for (int k = 0; k < 3; ++k)
		{
			tree->corners[i][k] = soup->positions[soup->triangles[t][k]];
		}
	}
}

static bool fillTree(brSurfaceTree* tree, const brTriangleSoup* soup, bool hasMoments)
{
	const brAllocator* allocator = &tree->allocator;
	int32_t count = soup->triangleCount, nodeCount = hasMoments ? count : 1;
	brVec3* centers = BR_ALLOC(allocator, brVec3, count);
	uint64_t* keys = BR_ALLOC(allocator, uint64_t, count);
	TreeNode* nodes = BR_ALLOC(allocator, TreeNode, nodeCount);
	brDBox3* bounds = BR_ALLOC(allocator, brDBox3, count);
	brBox3* boxes = BR_ALLOC(allocator, brBox3, count);
	bool complete = centers != NULL && keys != NULL && nodes != NULL && bounds != NULL && boxes != NULL;
	if (complete)
	{
		placeTree(tree, soup);
		orderTree(tree, soup, centers, keys);
		fillBoxes(tree, bounds, boxes);
	}
	if (complete && hasMoments)
	{
		memcpy(tree->faces, soup->faces, sizeof(int32_t) * (size_t)count);
		fillMoments(tree, nodes, bounds);
		complete = soupIsBalanced(allocator, soup, &tree->isClosed);
		tree->leaning = soupVolume(tree);
		tree->volume = tree->isClosed ? tree->leaning : 0.0;
	}
	BR_FREE(allocator, centers, count);
	BR_FREE(allocator, keys, count);
	BR_FREE(allocator, nodes, nodeCount);
	BR_FREE(allocator, bounds, count);
	BR_FREE(allocator, boxes, count);
	return complete;
}

brSurfaceTree* brMakeSurfaceTree(const brAllocator* allocator, const brTriangleSoup* soup, bool hasMoments)
{
	brSurfaceTree* tree = BR_ALLOC_ZERO(allocator, brSurfaceTree, 1);
	if (tree == NULL)
	{
		return NULL;
	}
	tree->allocator = *allocator;
	tree->hasAvx2 = brCpu_Best() >= br_cpuAvx2;
	if (!allocateTree(tree, soup->triangleCount, hasMoments) || !fillTree(tree, soup, hasMoments))
	{
		brDestroySurfaceTree(tree);
		return NULL;
	}
	return tree;
}

brResult brCreateSurfaceTree(const brContext* context, const brMesh* mesh, brSurfaceTree** outTree, brReport* report)
{
	if (mesh == NULL || outTree == NULL)
	{
		return brFail(report, br_errorMisuse, "a surface tree needs a mesh and a place for the result");
	}
	if (mesh->faceCount == 0)
	{
		return brFail(report, br_errorGeometry, "the mesh has no faces");
	}
	brTriangleSoup soup;
	brResult result = brTriangleSoup_Make(&soup, context, &mesh, 1, report);
	if (result < 0)
	{
		return result;
	}
	brAllocator allocator = brContext_Allocator(context);
	brSurfaceTree* tree = brMakeSurfaceTree(&allocator, &soup, true);
	brTriangleSoup_Free(&soup);
	if (tree == NULL)
	{
		return brFailMemory(report);
	}
	*outTree = tree;
	return brSucceed(report);
}

void brDestroySurfaceTree(brSurfaceTree* tree)
{
	if (tree == NULL)
	{
		return;
	}
	brAllocator allocator = tree->allocator;
	BR_FREE(&allocator, tree->boxBlock, tree->boxes.groupTotal);
	BR_FREE(&allocator, tree->moments[0], tree->boxes.groupTotal);
	BR_FREE(&allocator, tree->corners, tree->triangleCount);
	BR_FREE(&allocator, tree->order, tree->triangleCount);
	BR_FREE(&allocator, tree->faces, tree->triangleCount);
	BR_FREE(&allocator, tree, 1);
}

int32_t brSurfaceTree_GetTriangleCount(const brSurfaceTree* tree)
{
	if (tree == NULL)
	{
		return 0;
	}
	return tree->triangleCount;
}

bool brSurfaceTree_IsClosed(const brSurfaceTree* tree)
{
	if (tree == NULL)
	{
		return false;
	}
	return tree->isClosed;
}

double brSurfaceTree_GetVolume(const brSurfaceTree* tree)
{
	return tree->volume;
}
