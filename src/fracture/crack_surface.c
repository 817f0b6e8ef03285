// SPDX-License-Identifier: MIT

#include "fracture/crack_surface.h"

#include "base/report.h"
#include "math/noise.h"
#include "math/rotation.h"
#include "mesh/mesh_build.h"

#include <string.h>

enum
{
	crackDivides = 3, // most times that a triangle is divided for grain
};

#define CRACK_LONG 1.6       // in spacings: such an edge is divided
#define CRACK_SHORT 0.4      // such an edge is joined
#define CRACK_FIRST_SIDE 1.3 // of the first disk
#define CRACK_MAP_BUMPS 16.0 // that a map of heights has along a side, for the size of triangles

static uint8_t crackLower(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

static int32_t crackAddVertex(const brAllocator* allocator, brGrowingCrack* crack, brDVec3 position, uint8_t state,
							  uint8_t outside)
{
	if (!BR_PUSH(allocator, &crack->positions, position) || !BR_PUSH(allocator, &crack->states, state) ||
		!BR_PUSH(allocator, &crack->outside, outside))
	{
		return -1;
	}
	return crack->positions.count - 1;
}

static bool crackAddTriangle(const brAllocator* allocator, brGrowingCrack* crack, int32_t a, int32_t b, int32_t c)
{
	return BR_PUSH(allocator, &crack->triangles, (brCrackTriangle){{a, b, c}});
}

brResult brGrowingCrack_Start(const brAllocator* allocator, brGrowingCrack* crack, const brCrackDisk* disk,
							  brReport* report)
{
	memset(crack, 0, sizeof(*crack));
	brDVec3 center = disk->center, normal = disk->normal;
	double radius = disk->radius, spacing = disk->spacing;
	crack->spacing = spacing;
	crack->start = crack->lastBranch = center;
	crack->normal = normal;
	crack->isGrowing = true;
	crack->branchOf = -1;
	brDVec3 v = brDNormalize(brDCross(normal, disk->along)), u = brDCross(v, normal);
	int32_t sides = (int32_t)floor(2.0 * BR_PI * radius / spacing / CRACK_FIRST_SIDE + 0.5);
	sides = sides < 6 ? 6 : sides;
	bool isGood = crackAddVertex(allocator, crack, center, 0, 0) >= 0;
	// Two rings, so that triangles are about as large as the spacing.
	for (int32_t ring = 1; ring <= 2 && isGood; ++ring)
	{
		for (int32_t i = 0; i < sides && isGood; ++i)
		{
			double angle = 2.0 * BR_PI * i / sides, r = 0.5 * radius * ring;
			brDVec3 p = brDMulAdd(brDMulAdd(center, r * brCos(angle), u), r * brSin(angle), v);
			isGood = crackAddVertex(allocator, crack, p, 0, 0) >= 0;
		}
	}
	for (int32_t i = 0; i < sides && isGood; ++i)
	{
		int32_t next = (i + 1) % sides, inner = 1 + i, innerNext = 1 + next;
		int32_t outer = inner + sides, outerNext = innerNext + sides;
		isGood = crackAddTriangle(allocator, crack, 0, inner, innerNext) &&
				 crackAddTriangle(allocator, crack, inner, outer, outerNext) &&
				 crackAddTriangle(allocator, crack, inner, outerNext, innerNext) &&
				 BR_PUSH(allocator, &crack->front, (brCrackEdge){outer, outerNext});
	}
	if (!isGood)
	{
		brGrowingCrack_Free(allocator, crack);
		return brFailMemory(report);
	}
	return br_success;
}

brResult brGrowingCrack_StartBranch(const brAllocator* allocator, brGrowingCrack* crack, brDVec3 center,
									brDVec3 forward, brDVec3 normal, double radius, double spacing, brReport* report)
{
	memset(crack, 0, sizeof(*crack));
	crack->spacing = spacing;
	crack->start = crack->lastBranch = center;
	crack->normal = normal;
	crack->isGrowing = true;
	crack->branchOf = -1;
	brDVec3 aside = brDCross(normal, forward);
	int32_t sides = (int32_t)floor(BR_PI * radius / spacing + 0.5);
	sides = sides < 4 ? 4 : sides;
	bool isGood = crackAddVertex(allocator, crack, center, 0, 0) >= 0;
	for (int32_t i = 0; i <= sides && isGood; ++i)
	{
		double angle = BR_PI * ((double)i / sides - 0.5);
		brDVec3 p = brDMulAdd(brDMulAdd(center, radius * brCos(angle), forward), radius * brSin(angle), aside);
		isGood = crackAddVertex(allocator, crack, p, 0, 0) >= 0;
	}
	for (int32_t i = 1; i <= sides && isGood; ++i)
	{
		isGood = crackAddTriangle(allocator, crack, 0, i, i + 1) &&
				 BR_PUSH(allocator, &crack->front, (brCrackEdge){i, i + 1});
	}
	if (!isGood)
	{
		brGrowingCrack_Free(allocator, crack);
		return brFailMemory(report);
	}
	return br_success;
}

void brGrowingCrack_Free(const brAllocator* allocator, brGrowingCrack* crack)
{
	BR_FREE_ARRAY(allocator, &crack->positions);
	BR_FREE_ARRAY(allocator, &crack->states);
	BR_FREE_ARRAY(allocator, &crack->outside);
	BR_FREE_ARRAY(allocator, &crack->triangles);
	BR_FREE_ARRAY(allocator, &crack->front);
	BR_FREE_ARRAY(allocator, &crack->kinks);
}

brCrackSurface brGrowingCrack_View(const brGrowingCrack* crack)
{
	_Static_assert(sizeof(brCrackTriangle) == sizeof(int32_t[3]) && sizeof(brCrackEdge) == sizeof(int32_t[2]), "views");
	return (brCrackSurface){
		.vertexCount = crack->positions.count,
		.triangleCount = crack->triangles.count,
		.frontEdgeCount = crack->front.count,
		.positions = crack->positions.data,
		.triangles = (const int32_t(*)[3])(const void*)crack->triangles.data,
		.frontEdges = (const int32_t(*)[2])(const void*)crack->front.data,
		.frontStates = crack->states.data,
	};
}

static bool crackHasVertex(const brCrackTriangle* triangle, int32_t vertex)
{
	return triangle->v[0] == vertex || triangle->v[1] == vertex || triangle->v[2] == vertex;
}

// The strip between the old front and the new one.
static bool crackFillStrip(const brAllocator* allocator, brGrowingCrack* crack, const int32_t* moved)
{
	for (int32_t i = 0; i < crack->front.count; ++i)
	{
		brCrackEdge* edge = &crack->front.data[i];
		int32_t a = edge->a, b = edge->b, newA = moved[a], newB = moved[b];
		if ((newA != a && !crackAddTriangle(allocator, crack, b, a, newA)) ||
			(newB != b && !crackAddTriangle(allocator, crack, b, newA, newB)))
		{
			return false;
		}
		*edge = (brCrackEdge){newA, newB};
	}
	return true;
}

// Where the front is hollow the ways of neighbors may cross, and the strip would fold back over itself without any
// thickness: both go to the middle instead, where they become one.
static void crackMeetCrossed(brGrowingCrack* crack, const int32_t* moved)
{
	brDVec3* positions = crack->positions.data;
	for (int32_t i = 0; i < crack->front.count; ++i)
	{
		brCrackEdge edge = crack->front.data[i];
		int32_t newA = moved[edge.a], newB = moved[edge.b];
		brDVec3 old = brDSub(positions[edge.b], positions[edge.a]), now = brDSub(positions[newB], positions[newA]);
		if (newA != edge.a && newB != edge.b && brDDot(old, now) < 0.0)
		{
			positions[newA] = positions[newB] = brDMul(0.5, brDAdd(positions[newA], positions[newB]));
		}
	}
}

static double crackEdgeLength(const brGrowingCrack* crack, brCrackEdge edge)
{
	return brDDistance(crack->positions.data[edge.a], crack->positions.data[edge.b]);
}

// Joins the ends of short new edges. Only vertices from `firstNew` on move: nothing but the last strip hangs on them.
static void crackJoinShort(brGrowingCrack* crack, int32_t firstNew, int32_t firstTriangle)
{
	for (int32_t i = 0; i < crack->front.count; ++i)
	{
		brCrackEdge edge = crack->front.data[i];
		if (edge.a < firstNew || edge.b < firstNew || edge.a == edge.b ||
			crackEdgeLength(crack, edge) > CRACK_SHORT * crack->spacing)
		{
			continue;
		}
		brDVec3* positions = crack->positions.data;
		positions[edge.a] = brDMul(0.5, brDAdd(positions[edge.a], positions[edge.b]));
		crack->states.data[edge.a] = crackLower(crack->states.data[edge.a], crack->states.data[edge.b]);
		for (int32_t t = firstTriangle; t < crack->triangles.count; ++t)
		{
			for (int32_t k = 0; k < 3; ++k)
			{
				int32_t* v = &crack->triangles.data[t].v[k];
				*v = *v == edge.b ? edge.a : *v;
			}
		}
		for (int32_t k = 0; k < crack->front.count; ++k)
		{
			brCrackEdge* other = &crack->front.data[k];
			other->a = other->a == edge.b ? edge.a : other->a;
			other->b = other->b == edge.b ? edge.a : other->b;
		}
	}
	// What has become flat goes.
	int32_t kept = firstTriangle;
	for (int32_t t = firstTriangle; t < crack->triangles.count; ++t)
	{
		const int32_t* v = crack->triangles.data[t].v;
		if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0])
		{
			crack->triangles.data[kept++] = crack->triangles.data[t];
		}
	}
	crack->triangles.count = kept;
	kept = 0;
	for (int32_t i = 0; i < crack->front.count; ++i)
	{
		if (crack->front.data[i].a != crack->front.data[i].b)
		{
			crack->front.data[kept++] = crack->front.data[i];
		}
	}
	crack->front.count = kept;
}

// The triangle that has a front edge, looked for in the last strip.
static int32_t crackTriangleOf(const brGrowingCrack* crack, brCrackEdge edge, int32_t firstTriangle, int32_t* outCorner)
{
	for (int32_t t = firstTriangle; t < crack->triangles.count; ++t)
	{
		const int32_t* v = crack->triangles.data[t].v;
		for (int32_t k = 0; k < 3; ++k)
		{
			if (v[k] == edge.a && v[(k + 1) % 3] == edge.b)
			{
				*outCorner = k;
				return t;
			}
		}
	}
	return -1;
}

bool brGrowingCrack_DivideFront(const brAllocator* allocator, brGrowingCrack* crack, int32_t index, brDVec3 point,
								int32_t firstTriangle)
{
	brCrackEdge edge = crack->front.data[index];
	int32_t corner, triangle = crackTriangleOf(crack, edge, firstTriangle, &corner);
	uint8_t state = crackLower(crack->states.data[edge.a], crack->states.data[edge.b]);
	uint8_t outside = crackLower(crack->outside.data[edge.a], crack->outside.data[edge.b]);
	int32_t vertex = triangle >= 0 ? crackAddVertex(allocator, crack, point, state, outside) : -1;
	int32_t far = triangle >= 0 ? crack->triangles.data[triangle].v[(corner + 2) % 3] : -1;
	if (vertex < 0 || !crackAddTriangle(allocator, crack, vertex, edge.b, far) ||
		!BR_PUSH(allocator, &crack->front, (brCrackEdge){vertex, edge.b}))
	{
		return false;
	}
	crack->triangles.data[triangle].v[(corner + 1) % 3] = vertex;
	crack->front.data[index] = (brCrackEdge){edge.a, vertex};
	return true;
}

static bool crackDivideLong(const brAllocator* allocator, brGrowingCrack* crack, int32_t firstTriangle)
{
	for (int32_t i = 0; i < crack->front.count; ++i)
	{
		brCrackEdge edge = crack->front.data[i];
		int32_t corner;
		if (crackEdgeLength(crack, edge) < CRACK_LONG * crack->spacing ||
			crackTriangleOf(crack, edge, firstTriangle, &corner) < 0)
		{
			continue;
		}
		brDVec3 middle = brDMul(0.5, brDAdd(crack->positions.data[edge.a], crack->positions.data[edge.b]));
		if (!brGrowingCrack_DivideFront(allocator, crack, i, middle, firstTriangle))
		{
			return false;
		}
		i -= 1; // the first half may still be long
	}
	return true;
}

bool brGrowingCrack_FindBorder(const brAllocator* allocator, brGrowingCrack* crack)
{
	crack->front.count = 0;
	for (int32_t t = 0; t < crack->triangles.count; ++t)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t a = crack->triangles.data[t].v[k], b = crack->triangles.data[t].v[(k + 1) % 3];
			bool isBorder = true;
			for (int32_t s = 0; s < crack->triangles.count && isBorder; ++s)
			{
				isBorder = s == t || !crackHasVertex(&crack->triangles.data[s], a) ||
						   !crackHasVertex(&crack->triangles.data[s], b);
			}
			if (isBorder && !BR_PUSH(allocator, &crack->front, ((brCrackEdge){a, b})))
			{
				return false;
			}
		}
	}
	return true;
}

brResult brGrowingCrack_FromMesh(const brContext* context, brGrowingCrack* crack, const brMesh* mesh, double spacing,
								 brReport* report)
{
	memset(crack, 0, sizeof(*crack));
	crack->spacing = spacing;
	crack->branchOf = -1;
	brAllocator allocator = brContext_Allocator(context);
	brTriangulation* triangles = NULL;
	brResult result = brTriangulateMesh(context, mesh, &triangles, report);
	if (result < 0)
	{
		return result;
	}
	bool isGood = true;
	brDVec3 middle = {0.0, 0.0, 0.0}, normal = {0.0, 0.0, 0.0};
	for (int32_t i = 0; i < mesh->vertexCount && isGood; ++i)
	{
		isGood = crackAddVertex(&allocator, crack, mesh->positions[i], br_frontRuns, 0) >= 0;
		middle = brDMulAdd(middle, 1.0 / mesh->vertexCount, mesh->positions[i]);
	}
	for (int32_t t = 0; t < triangles->triangleCount && isGood; ++t)
	{
		const int32_t* c = triangles->corners + 3 * t;
		const int32_t v[3] = {mesh->corners[c[0]], mesh->corners[c[1]], mesh->corners[c[2]]};
		brDVec3 a = mesh->positions[v[0]];
		normal = brDAdd(normal, brDCross(brDSub(mesh->positions[v[1]], a), brDSub(mesh->positions[v[2]], a)));
		isGood = crackAddTriangle(&allocator, crack, v[0], v[1], v[2]);
	}
	brDestroyTriangulation(triangles);
	isGood = isGood && brGrowingCrack_FindBorder(&allocator, crack) && crackDivideLong(&allocator, crack, 0);
	crack->start = crack->lastBranch = middle;
	crack->normal = brDLength(normal) > 0.0 ? brDNormalize(normal) : brMakeDVec3(0.0, 0.0, 1.0);
	if (!isGood)
	{
		brGrowingCrack_Free(&allocator, crack);
		return brFailMemory(report);
	}
	return br_success;
}

bool brGrowingCrack_Extend(const brAllocator* allocator, brGrowingCrack* crack, const brDVec3* moves)
{
	int32_t oldCount = crack->positions.count, firstTriangle = crack->triangles.count;
	int32_t* moved = BR_ALLOC(allocator, int32_t, oldCount);
	if (moved == NULL)
	{
		return false;
	}
	bool isGood = true;
	for (int32_t i = 0; i < oldCount && isGood; ++i)
	{
		moved[i] = i;
		if (brDDot(moves[i], moves[i]) > 0.0)
		{
			brDVec3 p = brDAdd(crack->positions.data[i], moves[i]);
			moved[i] = crackAddVertex(allocator, crack, p, crack->states.data[i], crack->outside.data[i]);
			isGood = moved[i] >= 0;
		}
	}
	if (isGood)
	{
		crackMeetCrossed(crack, moved);
		isGood = crackFillStrip(allocator, crack, moved);
	}
	if (isGood)
	{
		crackJoinShort(crack, oldCount, firstTriangle);
		isGood = crackDivideLong(allocator, crack, firstTriangle);
	}
	BR_FREE(allocator, moved, oldCount);
	return isGood;
}

void brGrowingCrack_FrontWays(const brGrowingCrack* crack, brDVec3* outWays)
{
	memset(outWays, 0, (size_t)crack->positions.count * sizeof(brDVec3));
	for (int32_t i = 0; i < crack->front.count; ++i)
	{
		brCrackEdge edge = crack->front.data[i];
		int32_t corner, triangle = crackTriangleOf(crack, edge, 0, &corner);
		if (triangle < 0)
		{
			continue;
		}
		brDVec3 a = crack->positions.data[edge.a], along = brDSub(crack->positions.data[edge.b], a);
		brDVec3 far = brDSub(crack->positions.data[crack->triangles.data[triangle].v[(corner + 2) % 3]], a);
		brDVec3 away = brDSub(brDMul(brDDot(far, along), along), brDMul(brDDot(along, along), far));
		double length = brDLength(away);
		away = length > 0.0 ? brDMul(1.0 / length, away) : away;
		outWays[edge.a] = brDAdd(outWays[edge.a], away);
		outWays[edge.b] = brDAdd(outWays[edge.b], away);
	}
	for (int32_t i = 0; i < crack->positions.count; ++i)
	{
		double length = brDLength(outWays[i]);
		outWays[i] = length > 0.0 ? brDMul(1.0 / length, outWays[i]) : outWays[i];
	}
}

// Whether a triangle has a vertex, or touches one that has.
static bool crackIsBeside(const brGrowingCrack* crack, const brCrackTriangle* triangle, int32_t vertex)
{
	for (int32_t t = 0; t < crack->triangles.count; ++t)
	{
		const brCrackTriangle* other = &crack->triangles.data[t];
		if (crackHasVertex(other, vertex) &&
			(crackHasVertex(other, triangle->v[0]) || crackHasVertex(other, triangle->v[1]) ||
			 crackHasVertex(other, triangle->v[2])))
		{
			return true;
		}
	}
	return false;
}

double brGrowingCrack_Crossing(const brGrowingCrack* crack, brDVec3 p, brDVec3 q, int32_t from)
{
	brDVec3 way = brDSub(q, p);
	double first = INFINITY;
	for (int32_t t = 0; t < crack->triangles.count; ++t)
	{
		const int32_t* v = crack->triangles.data[t].v;
		brDVec3 a = crack->positions.data[v[0]], b = crack->positions.data[v[1]], c = crack->positions.data[v[2]];
		brDVec3 normal = brDCross(brDSub(b, a), brDSub(c, a));
		double along = brDDot(normal, way);
		double at = along != 0.0 ? brDDot(normal, brDSub(a, p)) / along : -1.0;
		if (!(at >= 0.0 && at <= 1.0 && at < first))
		{
			continue;
		}
		brDVec3 x = brDMulAdd(p, at, way);
		if (brDDot(normal, brDCross(brDSub(b, a), brDSub(x, a))) >= 0.0 &&
			brDDot(normal, brDCross(brDSub(c, b), brDSub(x, b))) >= 0.0 &&
			brDDot(normal, brDCross(brDSub(a, c), brDSub(x, c))) >= 0.0 &&
			(from < 0 || !crackIsBeside(crack, &crack->triangles.data[t], from)))
		{
			first = at;
		}
	}
	return first;
}

double brGrowingCrack_Distance(const brGrowingCrack* crack, brDVec3 point)
{
	double nearest = INFINITY;
	for (int32_t i = 0; i < crack->positions.count; ++i)
	{
		nearest = fmin(nearest, brDDistance(crack->positions.data[i], point));
	}
	return nearest;
}

// Divides every triangle into four. Midpoints are shared through a small table of edges.
typedef struct CrackMiddle
{
	int32_t low, high, vertex;
} CrackMiddle;

typedef BR_ARRAY(CrackMiddle) CrackMiddles;

static int32_t crackMiddle(const brAllocator* allocator, brGrowingCrack* crack, CrackMiddles* middles, int32_t* heads,
						   int32_t* nexts, int32_t capacity, int32_t a, int32_t b)
{
	int32_t low = a < b ? a : b, high = a < b ? b : a;
	for (int32_t i = heads[low]; i >= 0; i = nexts[i])
	{
		if (middles->data[i].high == high)
		{
			return middles->data[i].vertex;
		}
	}
	brDVec3 middle = brDMul(0.5, brDAdd(crack->positions.data[a], crack->positions.data[b]));
	int32_t vertex = crackAddVertex(allocator, crack, middle, 0, 0);
	if (vertex < 0 || middles->count >= capacity || !BR_PUSH(allocator, middles, (CrackMiddle){low, high, vertex}))
	{
		return -1;
	}
	nexts[middles->count - 1] = heads[low];
	heads[low] = middles->count - 1;
	return vertex;
}

static bool crackDivideAll(const brAllocator* allocator, brGrowingCrack* crack)
{
	int32_t vertexCount = crack->positions.count, triangleCount = crack->triangles.count, most = 3 * triangleCount;
	CrackMiddles middles = {0};
	int32_t* heads = BR_ALLOC(allocator, int32_t, vertexCount);
	int32_t* nexts = BR_ALLOC(allocator, int32_t, most);
	bool isGood = heads != NULL && nexts != NULL;
	for (int32_t i = 0; i < vertexCount && isGood; ++i)
	{
		heads[i] = -1;
	}
	for (int32_t t = 0; t < triangleCount && isGood; ++t)
	{
		int32_t v[3], m[3];
		memcpy(v, crack->triangles.data[t].v, sizeof(v));
		for (int32_t k = 0; k < 3; ++k)
		{
			m[k] = crackMiddle(allocator, crack, &middles, heads, nexts, most, v[k], v[(k + 1) % 3]);
			isGood = isGood && m[k] >= 0;
		}
		isGood = isGood && crackAddTriangle(allocator, crack, v[0], m[0], m[2]) &&
				 crackAddTriangle(allocator, crack, m[0], v[1], m[1]) &&
				 crackAddTriangle(allocator, crack, m[2], m[1], v[2]);
		if (isGood)
		{
			crack->triangles.data[t] = (brCrackTriangle){{m[0], m[1], m[2]}};
		}
	}
	BR_FREE_ARRAY(allocator, &middles);
	if (heads != NULL)
	{
		BR_FREE(allocator, heads, vertexCount);
	}
	if (nexts != NULL)
	{
		BR_FREE(allocator, nexts, most);
	}
	return isGood;
}

// Noise of three octaves, or the map in the plane of the first disk, from -1 to 1.
static double crackGrainAt(const brCrackGrain* grain, brDVec3 normal, brDVec3 point)
{
	if (grain->map == NULL)
	{
		return brFractalNoise3(grain->seed, brDMul(1.0 / grain->size, point), 3, 0.5);
	}
	brDVec3 u = brDAcross(normal), v = brDCross(normal, u);
	double s = brDDot(point, u) / grain->size, t = brDDot(point, v) / grain->size;
	const brDBox3* box = &grain->map->box;
	brDVec3 share = {s - floor(s), 0.0, t - floor(t)};
	brDVec3 at = {box->lower.x + share.x * (box->upper.x - box->lower.x), box->lower.y,
				  box->lower.z + share.z * (box->upper.z - box->lower.z)};
	return 2.0 * brScalarMap_Sample(grain->map, at) - 1.0;
}

// Moves vertices along their normals.
static bool crackRoughen(const brAllocator* allocator, brGrowingCrack* crack, brDVec3 normal, const brCrackGrain* grain)
{
	int32_t count = crack->positions.count;
	brDVec3* normals = BR_ALLOC_ZERO(allocator, brDVec3, count);
	if (normals == NULL)
	{
		return false;
	}
	for (int32_t t = 0; t < crack->triangles.count; ++t)
	{
		const int32_t* v = crack->triangles.data[t].v;
		brDVec3 a = crack->positions.data[v[0]];
		brDVec3 n = brDCross(brDSub(crack->positions.data[v[1]], a), brDSub(crack->positions.data[v[2]], a));
		for (int32_t k = 0; k < 3; ++k)
		{
			normals[v[k]] = brDAdd(normals[v[k]], n);
		}
	}
	for (int32_t i = 0; i < count; ++i)
	{
		double length = brDLength(normals[i]);
		double height = grain->height * crackGrainAt(grain, normal, crack->positions.data[i]);
		crack->positions.data[i] =
			length > 0.0 ? brDMulAdd(crack->positions.data[i], height / length, normals[i]) : crack->positions.data[i];
	}
	BR_FREE(allocator, normals, count);
	return true;
}

// A copy that may be divided.
static bool crackCopy(const brAllocator* allocator, const brGrowingCrack* crack, brGrowingCrack* outCopy)
{
	memset(outCopy, 0, sizeof(*outCopy));
	bool isGood = true;
	for (int32_t i = 0; i < crack->positions.count && isGood; ++i)
	{
		isGood = crackAddVertex(allocator, outCopy, crack->positions.data[i], 0, 0) >= 0;
	}
	for (int32_t t = 0; t < crack->triangles.count && isGood; ++t)
	{
		isGood = BR_PUSH(allocator, &outCopy->triangles, crack->triangles.data[t]);
	}
	return isGood;
}

brResult brGrowingCrack_MakeMesh(const brGrowingCrack* crack, const brContext* context, const brCrackGrain* grain,
								 brMesh** outMesh, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brGrowingCrack copy;
	bool isGood = crackCopy(&allocator, crack, &copy);
	if (grain->height > 0.0)
	{
		double edge = crack->spacing, bump = grain->map != NULL ? grain->size / CRACK_MAP_BUMPS : grain->size;
		for (int32_t i = 0; i < crackDivides && edge > 0.5 * bump && isGood; ++i)
		{
			isGood = crackDivideAll(&allocator, &copy);
			edge *= 0.5;
		}
		isGood = isGood && crackRoughen(&allocator, &copy, crack->normal, grain);
	}
	brMeshShape shape = {.vertexCount = copy.positions.count,
						 .faceCount = copy.triangles.count,
						 .cornerCount = 3 * copy.triangles.count};
	brMesh* mesh = isGood ? brAllocMesh(&allocator, &shape) : NULL;
	if (mesh != NULL)
	{
		memcpy(mesh->positions, copy.positions.data, (size_t)copy.positions.count * sizeof(brDVec3));
		memcpy(mesh->corners, copy.triangles.data, (size_t)copy.triangles.count * sizeof(brCrackTriangle));
		for (int32_t f = 0; f < mesh->faceCount; ++f)
		{
			mesh->faceStarts[f + 1] = 3 * (f + 1);
		}
		*outMesh = mesh;
	}
	brGrowingCrack_Free(&allocator, &copy);
	return mesh != NULL ? br_success : brFailMemory(report);
}
