// SPDX-License-Identifier: MIT

// The zero set of a distance field as a closed manifold: marching tetrahedra on a body-centered cubic lattice.
//
// Lattice points are the corners and the centers of cubes. A tetrahedron joins the centers of two cubes that share a
// side with the two ends of one edge of that side: four to a side, all congruent, filling space. A point is inside or
// outside by the sign of the field there, zero counting as outside; the surface separates the two kinds inside each
// tetrahedron, so it is closed and manifold whatever the field does, and cannot cross itself since tetrahedra do not.
//
// Points nearer to the surface than a share of a cell are first moved away from it along the gradient, by less than
// would turn a tetrahedron over. Crossings then stay off the ends of edges, and no triangle is flat or needle-thin.
//
// The field is Lipschitz with constant 1: a block of cells whose middle is farther from the surface than its corners
// are from the middle has no surface in it. Cost is thus one evaluation a block and a few dozen a vertex.

#include "mesh/contour.h"
#include "base/forest.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/hash.h"
#include "mesh/mesh_build.h"

#define CONTOUR_BLOCK 8
#define CONTOUR_DIAGONAL 1.7320508075688772 // of a unit cube

// In shares of a cell. A tetrahedron is 0.707 cells high over any of its faces; four points that each move by a tenth
// cannot turn it over.
#define CONTOUR_PUSH 0.1

// Crossings keep this share of an edge off both its ends even where the field is a poor distance.
#define CONTOUR_END 0.06

// Lattice point: (x, y, z, 0) a corner, (x, y, z, 1) the center of the cube above it.
typedef struct LatticePoint
{
	int32_t x, y, z, isCenter;
} LatticePoint;

typedef struct Contour
{
	const brContourDef* def;
	brAllocator allocator;
	brDVec3 origin;
	int32_t cells[3];
	int32_t blocks[3];
	int64_t pointCount; // lattice points of each kind: cells + 1 along every axis
	int8_t* signs;      // [2 * pointCount], -1 inside, 1 outside
	uint8_t* isActive;  // [blocks], may hold surface

	// Crossed edges, each with the vertex on it: a table by edge key.
	int64_t* edgeKeys; // [tableSize], -1 free
	int32_t* edgeVertices;
	int64_t tableSize; // a power of two

	int64_t* vertexEdges; // [vertexCapacity] key of each vertex's edge
	int32_t vertexCount, vertexCapacity;
	int32_t (*triangles)[3];
	int32_t triangleCount, triangleCapacity;
	brDVec3* points; // [vertexCount]
	brVec3* normals;
} Contour;

static int64_t contourIndex(const Contour* c, int32_t x, int32_t y, int32_t z)
{
	return ((int64_t)z * (c->cells[1] + 1) + y) * (c->cells[0] + 1) + x;
}

static brDVec3 contourPosition(const Contour* c, LatticePoint p)
{
	double half = 0.5 * p.isCenter, cell = c->def->cell;
	return brMakeDVec3(c->origin.x + cell * (p.x + half), c->origin.y + cell * (p.y + half),
					   c->origin.z + cell * (p.z + half));
}

static int32_t contourSign(const Contour* c, LatticePoint p)
{
	return c->signs[p.isCenter * c->pointCount + contourIndex(c, p.x, p.y, p.z)];
}

static bool contourIsInside(const Contour* c, brDVec3 p)
{
	return c->def->inside != NULL ? c->def->inside(p, c->def->user) : c->def->field(p, c->def->user) < 0.0;
}

// Signs of all points of a block, corners and centers; in one go where the surface is too far away to be in it.
static void contourSampleBlock(Contour* c, int32_t b)
{
	double cell = c->def->cell, half = 0.5 * CONTOUR_BLOCK;
	int32_t bx = b % c->blocks[0], by = b / c->blocks[0] % c->blocks[1], bz = b / c->blocks[0] / c->blocks[1];
	int32_t low[3] = {bx * CONTOUR_BLOCK, by * CONTOUR_BLOCK, bz * CONTOUR_BLOCK};
	brDVec3 middle = {c->origin.x + cell * (low[0] + half), c->origin.y + cell * (low[1] + half),
					  c->origin.z + cell * (low[2] + half)};
	double far = c->def->field(middle, c->def->user);
	bool farInside = contourIsInside(c, middle);
	// Tetrahedra reach half a cell over the block, to the centers of the next one.
	c->isActive[b] = fabs(far) <= CONTOUR_DIAGONAL * cell * (half + 0.5);
	for (int32_t z = low[2]; z < low[2] + CONTOUR_BLOCK && z <= c->cells[2]; ++z)
	{
		for (int32_t y = low[1]; y < low[1] + CONTOUR_BLOCK && y <= c->cells[1]; ++y)
		{
			for (int32_t x = low[0]; x < low[0] + CONTOUR_BLOCK && x <= c->cells[0]; ++x)
			{
				for (int32_t kind = 0; kind < 2; ++kind)
				{
					LatticePoint p = {x, y, z, kind};
					bool isInside = c->isActive[b] ? contourIsInside(c, contourPosition(c, p)) : farInside;
					c->signs[kind * c->pointCount + contourIndex(c, x, y, z)] = isInside ? -1 : 1;
				}
			}
		}
	}
}

static void contourSampleBlocks(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	for (int32_t b = begin; b < end; ++b)
	{
		contourSampleBlock(user, b);
	}
}

// Edges by the cube or corner they start from: 0-2 center to next center, 3-5 corner to next corner, 6-13 center to
// corner.
static int64_t contourEdgeKey(const Contour* c, LatticePoint a, LatticePoint b)
{
	if (a.isCenter == b.isCenter)
	{
		bool isForward = a.x + a.y + a.z < b.x + b.y + b.z;
		LatticePoint from = isForward ? a : b, to = isForward ? b : a;
		int32_t axis = to.x != from.x ? 0 : to.y != from.y ? 1 : 2;
		return contourIndex(c, from.x, from.y, from.z) * 14 + (a.isCenter ? 0 : 3) + axis;
	}
	LatticePoint center = a.isCenter ? a : b, corner = a.isCenter ? b : a;
	int32_t which = (corner.x - center.x) | (corner.y - center.y) << 1 | (corner.z - center.z) << 2;
	return contourIndex(c, center.x, center.y, center.z) * 14 + 6 + which;
}

static void contourEdgeEnds(const Contour* c, int64_t key, LatticePoint* a, LatticePoint* b)
{
	int32_t kind = (int32_t)(key % 14);
	int64_t index = key / 14;
	int32_t nx = c->cells[0] + 1, ny = c->cells[1] + 1;
	LatticePoint from = {(int32_t)(index % nx), (int32_t)(index / nx % ny), (int32_t)(index / nx / ny),
						 kind < 3 || kind > 5};
	*a = from;
	*b = from;
	if (kind < 6)
	{
		b->x += kind % 3 == 0;
		b->y += kind % 3 == 1;
		b->z += kind % 3 == 2;
	}
	else
	{
		int32_t which = kind - 6;
		b->isCenter = 0;
		b->x += which & 1;
		b->y += which >> 1 & 1;
		b->z += which >> 2 & 1;
	}
}

static bool contourGrowTable(Contour* c)
{
	int64_t size = c->tableSize == 0 ? 4096 : 2 * c->tableSize;
	int64_t* keys = BR_ALLOC(&c->allocator, int64_t, size);
	int32_t* vertices = BR_ALLOC(&c->allocator, int32_t, size);
	if (keys == NULL || vertices == NULL)
	{
		BR_FREE(&c->allocator, keys, size);
		BR_FREE(&c->allocator, vertices, size);
		return false;
	}
	for (int64_t i = 0; i < size; ++i)
	{
		keys[i] = -1;
	}
	for (int32_t v = 0; v < c->vertexCount; ++v)
	{
		uint64_t slot = brHash64((uint64_t)c->vertexEdges[v]) & (uint64_t)(size - 1);
		while (keys[slot] >= 0)
		{
			slot = (slot + 1) & (uint64_t)(size - 1);
		}
		keys[slot] = c->vertexEdges[v];
		vertices[slot] = v;
	}
	BR_FREE(&c->allocator, c->edgeKeys, c->tableSize);
	BR_FREE(&c->allocator, c->edgeVertices, c->tableSize);
	c->edgeKeys = keys;
	c->edgeVertices = vertices;
	c->tableSize = size;
	return true;
}

// The vertex on a crossed edge, made when first asked for; -1 without memory.
static int32_t contourVertex(Contour* c, LatticePoint a, LatticePoint b)
{
	if (2 * (int64_t)c->vertexCount >= c->tableSize && !contourGrowTable(c))
	{
		return -1;
	}
	int64_t key = contourEdgeKey(c, a, b);
	uint64_t mask = (uint64_t)(c->tableSize - 1), slot = brHash64((uint64_t)key) & mask;
	while (c->edgeKeys[slot] >= 0)
	{
		if (c->edgeKeys[slot] == key)
		{
			return c->edgeVertices[slot];
		}
		slot = (slot + 1) & mask;
	}
	if (c->vertexCount == c->vertexCapacity &&
		!brGrowArray(&c->allocator, (void**)&c->vertexEdges, c->vertexCount, &c->vertexCapacity, 1, sizeof(int64_t)))
	{
		return -1;
	}
	c->edgeKeys[slot] = key;
	c->edgeVertices[slot] = c->vertexCount;
	c->vertexEdges[c->vertexCount] = key;
	return c->vertexCount++;
}

static bool contourTriangle(Contour* c, int32_t i, int32_t j, int32_t k)
{
	if (i < 0 || j < 0 || k < 0 ||
		(c->triangleCount == c->triangleCapacity && !brGrowArray(&c->allocator, (void**)&c->triangles, c->triangleCount,
																 &c->triangleCapacity, 1, sizeof(int32_t[3]))))
	{
		return false;
	}
	c->triangles[c->triangleCount][0] = i;
	c->triangles[c->triangleCount][1] = j;
	c->triangles[c->triangleCount++][2] = k;
	return true;
}

// The surface in a tetrahedron with positive orientation, (b-a) x (c-a) . (d-a) > 0. False without memory.
static bool contourTet(Contour* c, const LatticePoint tet[4])
{
	int32_t inside = 0;
	for (int32_t i = 0; i < 4; ++i)
	{
		inside |= (contourSign(c, tet[i]) < 0) << i;
	}
	if (inside == 0 || inside == 15)
	{
		return true;
	}
	// One point alone: the triangle across its three edges, seen from outside. Even permutations of the four put the
	// lone point first; with it inside, its edges to the others in order wind counter-clockwise seen from the others.
	static const int32_t lone[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 0, 1, 3}, {3, 0, 2, 1}};
	for (int32_t i = 0; i < 4; ++i)
	{
		bool isInsideAlone = inside == 1 << i, isOutsideAlone = inside == (15 ^ 1 << i);
		if (isInsideAlone || isOutsideAlone)
		{
			const int32_t* o = lone[i];
			int32_t p = contourVertex(c, tet[o[0]], tet[o[1]]);
			int32_t q = contourVertex(c, tet[o[0]], tet[o[2]]);
			int32_t r = contourVertex(c, tet[o[0]], tet[o[3]]);
			return isInsideAlone ? contourTriangle(c, p, q, r) : contourTriangle(c, p, r, q);
		}
	}
	// Two and two: even permutations with the inside pair first.
	static const int32_t pairs[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2},
										{1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}};
	for (int32_t i = 0; i < 6; ++i)
	{
		const int32_t* o = pairs[i];
		if (inside == (1 << o[0] | 1 << o[1]))
		{
			int32_t p = contourVertex(c, tet[o[0]], tet[o[2]]);
			int32_t q = contourVertex(c, tet[o[0]], tet[o[3]]);
			int32_t r = contourVertex(c, tet[o[1]], tet[o[3]]);
			int32_t s = contourVertex(c, tet[o[1]], tet[o[2]]);
			return contourTriangle(c, p, q, r) && contourTriangle(c, p, r, s);
		}
	}
	BR_ASSERT(false);
	return true;
}

static LatticePoint contourStep(LatticePoint p, int32_t axis)
{
	p.x += axis == 0;
	p.y += axis == 1;
	p.z += axis == 2;
	return p;
}

// The twelve tetrahedra between a cube's center and its three upper neighbors'.
static bool contourCube(Contour* c, int32_t x, int32_t y, int32_t z)
{
	LatticePoint center = {x, y, z, 1};
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		int32_t s = (axis + 1) % 3, t = (axis + 2) % 3;
		LatticePoint next = contourStep(center, axis);
		LatticePoint corner = contourStep((LatticePoint){x, y, z, 0}, axis);
		LatticePoint around[4] = {corner, contourStep(corner, s), contourStep(contourStep(corner, s), t),
								  contourStep(corner, t)};
		for (int32_t i = 0; i < 4; ++i)
		{
			// From this center the side is seen counter-clockwise along (s, t) from its far side: positive.
			if (!contourTet(c, (LatticePoint[4]){center, around[i], around[(i + 1) & 3], next}))
			{
				return false;
			}
		}
	}
	return true;
}

static bool contourMarch(Contour* c)
{
	for (int32_t z = 0; z < c->cells[2] - 1; ++z)
	{
		for (int32_t y = 0; y < c->cells[1] - 1; ++y)
		{
			for (int32_t x = 0; x < c->cells[0] - 1; ++x)
			{
				int32_t block =
					(z / CONTOUR_BLOCK * c->blocks[1] + y / CONTOUR_BLOCK) * c->blocks[0] + x / CONTOUR_BLOCK;
				if (!c->isActive[block])
				{
					x = (x / CONTOUR_BLOCK + 1) * CONTOUR_BLOCK - 1;
				}
				else if (!contourCube(c, x, y, z))
				{
					return false;
				}
			}
		}
	}
	return true;
}

static brDVec3 contourGradient(const Contour* c, brDVec3 p)
{
	double h = 0.05 * c->def->cell;
	brFieldFcn* field = c->def->field;
	void* user = c->def->user;
	return brMakeDVec3(field(brMakeDVec3(p.x + h, p.y, p.z), user) - field(brMakeDVec3(p.x - h, p.y, p.z), user),
					   field(brMakeDVec3(p.x, p.y + h, p.z), user) - field(brMakeDVec3(p.x, p.y - h, p.z), user),
					   field(brMakeDVec3(p.x, p.y, p.z + h), user) - field(brMakeDVec3(p.x, p.y, p.z - h), user));
}

// A lattice point where it is after the push away from the surface, and the field there, of its old sign.
static brDVec3 contourPushed(const Contour* c, LatticePoint at, double* outValue)
{
	brDVec3 p = contourPosition(c, at);
	double side = contourSign(c, at), push = CONTOUR_PUSH * c->def->cell;
	double sign = c->def->inside != NULL ? 1.0 : side; // of the field there
	double value = sign * c->def->field(p, c->def->user);
	if (value < push)
	{
		brDVec3 away = brDNormalize(contourGradient(c, p));
		p = brDMulAdd(p, sign * (push - value), away);
		value = sign * c->def->field(p, c->def->user);
	}
	double least = 0.1 * push;
	*outValue = side * (value > least ? value : least);
	return p;
}

// Positions and normals of vertices: where the field changes sign along the edge.
static void contourPlaceVertices(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	Contour* c = user;
	for (int32_t v = begin; v < end; ++v)
	{
		LatticePoint ends[2];
		contourEdgeEnds(c, c->vertexEdges[v], &ends[0], &ends[1]);
		double fa, fb, low = 0.0, high = 1.0, t = 0.5;
		brDVec3 a = contourPushed(c, ends[0], &fa), b = contourPushed(c, ends[1], &fb);
		double first = fa;
		if (c->def->inside != NULL)
		{
			t = fa / (fa - fb);
			t = t < CONTOUR_END ? CONTOUR_END : t > 1.0 - CONTOUR_END ? 1.0 - CONTOUR_END : t;
			c->points[v] = brDLerp(a, b, t);
			c->normals[v] = (brVec3){0.0f, 0.0f, 0.0f}; // faces give theirs
			continue;
		}
		for (int32_t i = 0; i < 4; ++i)
		{
			// False position, kept a little inside the bracket so that it shrinks from both ends.
			double share = fa / (fa - fb);
			share = share < 0.05 ? 0.05 : share > 0.95 ? 0.95 : share;
			t = low + share * (high - low);
			double value = c->def->field(brDLerp(a, b, t), c->def->user);
			if ((value < 0.0) == (first < 0.0))
			{
				low = t;
				fa = value;
			}
			else
			{
				high = t;
				fb = value;
			}
			if (value == 0.0)
			{
				break;
			}
		}
		t = t < CONTOUR_END ? CONTOUR_END : t > 1.0 - CONTOUR_END ? 1.0 - CONTOUR_END : t;
		c->points[v] = brDLerp(a, b, t);
		c->normals[v] = brToVec3(brDNormalize(contourGradient(c, c->points[v])));
	}
}

// The component with most triangles as a mesh, or all of them; vertices keep their order. `parents` and `sizes` have
// vertexCount elements.
static brMesh* contourExtract(const Contour* c, int32_t* parents, int32_t* sizes)
{
	for (int32_t v = 0; v < c->vertexCount; ++v)
	{
		parents[v] = v;
		sizes[v] = 0;
	}
	for (int32_t t = 0; t < c->triangleCount; ++t)
	{
		for (int32_t i = 1; i < 3; ++i)
		{
			brJoinRoots(parents, c->triangles[t][0], c->triangles[t][i]);
		}
	}
	int32_t best = 0;
	for (int32_t t = 0; t < c->triangleCount; ++t)
	{
		sizes[brFindRoot(parents, c->triangles[t][0])] += 1;
	}
	for (int32_t v = 0; v < c->vertexCount; ++v)
	{
		best = sizes[v] > sizes[best] ? v : best;
	}
	bool keepsParts = c->def->keepsParts;
	int32_t faces = keepsParts ? c->triangleCount : c->vertexCount > 0 ? sizes[best] : 0, vertices = 0;
	for (int32_t v = 0; v < c->vertexCount; ++v)
	{
		sizes[v] = keepsParts || brFindRoot(parents, v) == best ? vertices++ : -1;
	}
	brMeshShape shape = {vertices, faces, 3 * faces, 1, 0, true, true, false, true, false};
	brMesh* mesh = brAllocMesh(&c->allocator, &shape);
	if (mesh == NULL)
	{
		return NULL;
	}
	for (int32_t v = 0; v < c->vertexCount; ++v)
	{
		if (sizes[v] >= 0)
		{
			mesh->positions[sizes[v]] = c->points[v];
		}
	}
	int32_t face = 0;
	for (int32_t t = 0; t < c->triangleCount; ++t)
	{
		if (sizes[c->triangles[t][0]] < 0)
		{
			continue;
		}
		const int32_t* corners = c->triangles[t];
		brDVec3 a = c->points[corners[0]];
		brVec3 flat = brNormalize(
			brToVec3(brDNormalize(brDCross(brDSub(c->points[corners[1]], a), brDSub(c->points[corners[2]], a)))));
		for (int32_t i = 0; i < 3; ++i)
		{
			// In creases narrower than a cell the gradient belongs to another side than the triangle.
			brVec3 normal = c->normals[corners[i]];
			mesh->corners[3 * face + i] = sizes[corners[i]];
			mesh->normals[3 * face + i] = brDot(normal, flat) > 0.55f ? normal : flat;
		}
		face += 1;
		mesh->faceStarts[face] = 3 * face;
	}
	return mesh;
}

static brMesh* contourRun(Contour* c, brWorkers* workers, int64_t blockCount)
{
	c->signs = BR_ALLOC(&c->allocator, int8_t, 2 * c->pointCount);
	c->isActive = BR_ALLOC(&c->allocator, uint8_t, blockCount);
	if (c->signs == NULL || c->isActive == NULL)
	{
		return NULL;
	}
	brParallelFor(workers, (int32_t)blockCount, 8, contourSampleBlocks, c);
	if (!contourMarch(c))
	{
		return NULL;
	}
	c->points = BR_ALLOC(&c->allocator, brDVec3, c->vertexCount);
	c->normals = BR_ALLOC(&c->allocator, brVec3, c->vertexCount);
	if (c->points == NULL || c->normals == NULL)
	{
		return NULL;
	}
	brParallelFor(workers, c->vertexCount, 1024, contourPlaceVertices, c);
	int32_t* parents = BR_ALLOC(&c->allocator, int32_t, c->vertexCount);
	int32_t* sizes = BR_ALLOC(&c->allocator, int32_t, c->vertexCount);
	brMesh* mesh = parents != NULL && sizes != NULL ? contourExtract(c, parents, sizes) : NULL;
	BR_FREE(&c->allocator, parents, c->vertexCount);
	BR_FREE(&c->allocator, sizes, c->vertexCount);
	return mesh;
}

brResult brContour(const brAllocator* allocator, brWorkers* workers, const brContourDef* def, brMesh** outMesh,
				   brReport* report)
{
	Contour c = {.def = def, .allocator = *allocator};
	double cell = def->cell;
	double sides[3] = {def->box.upper.x - def->box.lower.x, def->box.upper.y - def->box.lower.y,
					   def->box.upper.z - def->box.lower.z};
	// A margin of two cells all round, and a last layer of cubes that only lends its centers: the surface meets no
	// border.
	c.origin = brDSub(def->box.lower, brMakeDVec3(2.0 * cell, 2.0 * cell, 2.0 * cell));
	int64_t blockCount = 1;
	c.pointCount = 1;
	for (int32_t a = 0; a < 3; ++a)
	{
		c.cells[a] = (int32_t)ceil(sides[a] / cell) + 5;
		c.blocks[a] = c.cells[a] / CONTOUR_BLOCK + 1;
		c.pointCount *= c.cells[a] + 1;
		blockCount *= c.blocks[a];
	}
	brMesh* mesh = contourRun(&c, workers, blockCount);
	BR_FREE(&c.allocator, c.signs, 2 * c.pointCount);
	BR_FREE(&c.allocator, c.isActive, blockCount);
	BR_FREE(&c.allocator, c.edgeKeys, c.tableSize);
	BR_FREE(&c.allocator, c.edgeVertices, c.tableSize);
	BR_FREE(&c.allocator, c.points, c.vertexCount);
	BR_FREE(&c.allocator, c.normals, c.vertexCount);
	BR_FREE(&c.allocator, c.vertexEdges, c.vertexCapacity);
	BR_FREE(&c.allocator, c.triangles, c.triangleCapacity);
	if (mesh == NULL)
	{
		return brFailMemory(report);
	}
	*outMesh = mesh;
	return br_success;
}
