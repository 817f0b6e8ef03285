// SPDX-License-Identifier: MIT

// An impulse becomes a force by the time of contact. The body meets a striker of given radius with the effective mass
// that it has at the hit, 1 / (1/m + (r x n) . J^-1 (r x n)), at the speed that the impulse takes from that mass; Hertz
// gives the time (thesis 6.7), and the peak of a half sine over it is pi/2 of the mean.

#include "fracture/crack_load.h"

#include "base/report.h"
#include "math/power.h"
#include "math/rotation.h"

#include <string.h>

#define LOAD_HALF_PI 1.57079632679489661923
#define LOAD_HALVES 24     // of a pressed triangle, at most
#define LOAD_THIN 0.5      // thickness of a box over its other sides, from which on it means faces across it
#define LOAD_BALANCED 0.02 // of all forces: what is left of them by a lattice
#define LOAD_ACROSS 0.7    // cosine between a face's normal and that
#define LOAD_LINE 9        // points of a roller
#define LOAD_SINGULAR 1e-9 // of a square: rollers that hold the same motion
#define LOAD_CORNERS 16    // of a triangle cut by the six sides of a box: 9, and room for rounding
#define LOAD_FLAT 1e-3     // of a determinant: nodes in a row
#define LOAD_MOST 0.8      // of its weight that a node may lose when a force is centered
#define LOAD_SPOT                                                                                                      \
	1.5 // lengths: the least radius of a loaded spot. A lattice cannot tell a smaller one, and one that follows it would not converge.

// Nodes of faces that one tet alone has.
static bool loadMarkSurface(const brContext* context, const brTetMesh* tets, uint8_t* isSurface, brReport* report)
{
	brMesh* surface = NULL;
	if (brTetMesh_MakeSurface(tets, context, &surface, report) < 0)
	{
		return false;
	}
	// Its vertices are nodes in node order; find them by walking both lists.
	int32_t vertex = 0;
	for (int32_t i = 0; i < tets->nodeCount; ++i)
	{
		brDVec3 p = tets->nodes[i];
		bool isHere = vertex < surface->vertexCount && surface->positions[vertex].x == p.x &&
					  surface->positions[vertex].y == p.y && surface->positions[vertex].z == p.z;
		isSurface[i] = isHere ? 1 : 0;
		vertex += isHere ? 1 : 0;
	}
	brDestroyMesh(surface);
	return true;
}

// Moves the middle of a spread force to its point: weights from `first` on become w (1 + a . s), s from the point
// across the force. Nodes of a coarse lattice lie as they like, and a force half an edge beside its place bends a beam
// by as much. On an edge of the body the nodes are all on one side: then as far as no weight gets small.
static void loadCenter(const brTetMesh* tets, brDVec3 point, brDVec3 force, int32_t first, brCrackLoad* load)
{
	double size = brDLength(force), xx = 0.0, xy = 0.0, yy = 0.0, x = 0.0, y = 0.0;
	if (!(size > 0.0))
	{
		return;
	}
	brDVec3 way = brDMul(1.0 / size, force);
	brDVec3 u = brDAcross(way), v = brDCross(way, u);
	for (int32_t i = first; i < load->nodes.count; ++i)
	{
		brDVec3 r = brDSub(tets->nodes[load->nodes.data[i]], point);
		double w = brDDot(load->forces.data[i], way), su = brDDot(r, u), sv = brDDot(r, v);
		xx += w * su * su, xy += w * su * sv, yy += w * sv * sv;
		x += w * su, y += w * sv;
	}
	double determinant = xx * yy - xy * xy;
	if (!(determinant > LOAD_FLAT * xx * yy))
	{
		return;
	}
	brDVec3 a = brDAdd(brDMul((xy * y - yy * x) / determinant, u), brDMul((xy * x - xx * y) / determinant, v));
	double least = 0.0;
	for (int32_t i = first; i < load->nodes.count; ++i)
	{
		least = fmin(least, brDDot(a, brDSub(tets->nodes[load->nodes.data[i]], point)));
	}
	a = brDMul(least < -LOAD_MOST ? -LOAD_MOST / least : 1.0, a);
	for (int32_t i = first; i < load->nodes.count; ++i)
	{
		double factor = 1.0 + brDDot(a, brDSub(tets->nodes[load->nodes.data[i]], point));
		load->forces.data[i] = brDMul(factor, load->forces.data[i]);
	}
}

// One force over the surface nodes within `radius` of a point, more in the middle; over the nearest one if there are
// none.
static bool loadSpread(const brAllocator* allocator, const brTetMesh* tets, brDVec3 point, double radius, brDVec3 force,
					   brCrackLoad* load)
{
	int32_t first = load->nodes.count, nearest = -1;
	double best = INFINITY;
	for (int32_t i = 0; i < tets->nodeCount; ++i)
	{
		double distance = brDDistance(tets->nodes[i], point);
		if (load->isSurface[i] == 0)
		{
			continue;
		}
		if (distance < best)
		{
			best = distance;
			nearest = i;
		}
		if (distance < radius)
		{
			double weight = 1.0 - distance * distance / (radius * radius);
			if (!BR_PUSH(allocator, &load->nodes, i) || !BR_PUSH(allocator, &load->forces, brDMul(weight, force)))
			{
				return false;
			}
		}
	}
	if (load->nodes.count == first && nearest >= 0)
	{
		return BR_PUSH(allocator, &load->nodes, nearest) && BR_PUSH(allocator, &load->forces, force);
	}
	loadCenter(tets, point, force, first, load);
	brDVec3 sum = {0.0, 0.0, 0.0};
	for (int32_t i = first; i < load->nodes.count; ++i)
	{
		sum = brDAdd(sum, load->forces.data[i]);
	}
	double share = brDDot(sum, force) > 0.0 ? brDDot(force, force) / brDDot(sum, force) : 1.0;
	for (int32_t i = first; i < load->nodes.count; ++i)
	{
		load->forces.data[i] = brDMul(share, load->forces.data[i]);
	}
	return true;
}

static brDVec3 loadSolve(const brMat3* m, brDVec3 b)
{
	brMat3 cofactor = brMat3_Cofactor(m);
	brMat3 adjoint = brMat3_Transpose(&cofactor);
	double determinant = brMat3_Determinant(m);
	return determinant != 0.0 ? brDMul(1.0 / determinant, brMat3_MulV(&adjoint, b)) : brMakeDVec3(0.0, 0.0, 0.0);
}

double brCrackLoad_EffectiveMass(const brMassProperties* body, const brCrackDef* def)
{
	brDVec3 direction = brDNormalize(def->impulse);
	brDVec3 turn = brDCross(brDSub(def->hit, body->center), direction);
	return 1.0 / (1.0 / body->mass + brDDot(turn, loadSolve(&body->inertia, turn)));
}

static bool loadImpact(const brAllocator* allocator, const brMesh* mesh, const brTetMesh* tets, double length,
					   const brCrackDef* def, brCrackLoad* load)
{
	double impulse = brDLength(def->impulse);
	brDVec3 direction = brDMul(1.0 / impulse, def->impulse);
	// Against a rigid ball (Hertz).
	double modulus = def->material.youngsModulus / (1.0 - def->material.poissonRatio * def->material.poissonRatio);
	brMassProperties body = brMesh_ComputeMass(mesh, def->material.density);
	double effective = brCrackLoad_EffectiveMass(&body, def), speed = impulse / effective, r = def->strikerRadius;
	double hertzTime = 2.87 * brPower(effective * effective / (modulus * modulus * r * speed), 0.2);
	load->contactTime = def->contactTime > 0.0 ? def->contactTime : hertzTime;
	load->force = LOAD_HALF_PI * impulse / load->contactTime;
	load->energy = 0.5 * effective * speed * speed;
	load->speed = speed;
	load->spot = LOAD_SPOT * length;
	return loadSpread(allocator, tets, def->hit, load->spot, brDMul(load->force, direction), load);
}

static bool loadIsIn(const brDBox3* box, brDVec3 p)
{
	return p.x >= box->lower.x && p.y >= box->lower.y && p.z >= box->lower.z && p.x <= box->upper.x &&
		   p.y <= box->upper.y && p.z <= box->upper.z;
}

// A node in several boxes is held by all of them; of two that hold the same axis the later one says where.
static bool loadFix(const brAllocator* allocator, const brTetMesh* tets, const brCrackDef* def, brCrackLoad* load)
{
	for (int32_t i = 0; i < tets->nodeCount; ++i)
	{
		uint32_t axes = 0;
		brDVec3 value = {0.0, 0.0, 0.0};
		for (int32_t k = 0; k < def->supportCount; ++k)
		{
			const brCrackSupport* support = &def->supports[k];
			if (!support->isRoller && loadIsIn(&support->box, tets->nodes[i]))
			{
				axes |= support->axes;
				value.x = (support->axes & BR_AXIS_X) != 0 ? support->shift.x : value.x;
				value.y = (support->axes & BR_AXIS_Y) != 0 ? support->shift.y : value.y;
				value.z = (support->axes & BR_AXIS_Z) != 0 ? support->shift.z : value.z;
			}
		}
		load->shift = fmax(load->shift, brDLength(value));
		if (axes != 0 && (!BR_PUSH(allocator, &load->fixedNodes, i) || !BR_PUSH(allocator, &load->fixedAxes, axes) ||
						  !BR_PUSH(allocator, &load->fixedValues, value)))
		{
			return false;
		}
	}
	return true;
}

// What a pressed patch of the mesh is worth, on the nodes of the nearest tet: with barycentric weights its force and
// its moment are kept, though the lattice rounds off the edges of the solid.
typedef struct LoadPress
{
	const brAllocator* allocator;
	const brTetMesh* tets;
	const brTetLocator* locator;
	const brCrackPressure* pressure;
	int thin;      // axis along which its box is thin, or -1
	double length; // of the sides of a patch, at most
	brCrackLoad* load;
} LoadPress;

static bool loadPressPatch(const LoadPress* press, brDVec3 a, brDVec3 b, brDVec3 c)
{
	const brCrackPressure* pressure = press->pressure;
	brDVec3 middle = brDMul(1.0 / 3.0, brDAdd(a, brDAdd(b, c)));
	brDVec3 area = brDMul(0.5, brDCross(brDSub(b, a), brDSub(c, a)));
	brDVec3 force = brDSub(brDMul(brDLength(area), pressure->traction), brDMul(pressure->pressure, area));
	press->load->allForces += brDLength(force);
	brTetPoint place;
	brTetLocator_Embed(press->locator, NULL, &middle, 1, &place);
	for (int32_t k = 0; k < 4; ++k)
	{
		if (!BR_PUSH(press->allocator, &press->load->nodes, press->tets->tets[place.tet][k]) ||
			!BR_PUSH(press->allocator, &press->load->forces, brDMul(place.weights[k], force)))
		{
			return false;
		}
	}
	return true;
}

// Halves a triangle across its longest side until it is a patch.
static bool loadPressTriangle(const LoadPress* press, brDVec3 a, brDVec3 b, brDVec3 c, int32_t depth)
{
	double ab = brDDistance(a, b), bc = brDDistance(b, c), ca = brDDistance(c, a);
	if (fmax(ab, fmax(bc, ca)) <= press->length || depth >= LOAD_HALVES)
	{
		return loadPressPatch(press, a, b, c);
	}
	if (bc >= ab && bc >= ca)
	{
		brDVec3 t = a;
		a = b, b = c, c = t;
	}
	else if (ca >= ab && ca >= bc)
	{
		brDVec3 t = c;
		c = b, b = a, a = t;
	}
	brDVec3 middle = brDLerp(a, b, 0.5);
	return loadPressTriangle(press, a, middle, c, depth + 1) && loadPressTriangle(press, middle, b, c, depth + 1);
}

// The part of a convex polygon where sign * coordinate >= sign * bound (Sutherland and Hodgman 1974). Returns its
// number of corners.
static int32_t loadClip(brDVec3* polygon, int32_t count, int axis, double bound, double sign)
{
	brDVec3 in[LOAD_CORNERS];
	memcpy(in, polygon, (size_t)count * sizeof(brDVec3));
	int32_t kept = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 a = in[i], b = in[(i + 1) % count];
		double da = sign * ((&a.x)[axis] - bound), db = sign * ((&b.x)[axis] - bound);
		if (da >= 0.0)
		{
			polygon[kept++] = a;
		}
		if ((da < 0.0) != (db < 0.0))
		{
			polygon[kept++] = brDLerp(a, b, da / (da - db));
		}
	}
	return kept;
}

// The part of a triangle in the box of the pressure: forces are exact however the mesh and the lattice lie.
static bool loadPressPart(const LoadPress* press, const brDVec3 triangle[3])
{
	brDVec3 polygon[LOAD_CORNERS] = {triangle[0], triangle[1], triangle[2]};
	const brDBox3* box = &press->pressure->box;
	int32_t count = 3;
	brDVec3 area = brDCross(brDSub(triangle[1], triangle[0]), brDSub(triangle[2], triangle[0]));
	if (press->thin >= 0 && fabs((&area.x)[press->thin]) < LOAD_ACROSS * brDLength(area))
	{
		return true;
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		count = loadClip(polygon, count, axis, (&box->lower.x)[axis], 1.0);
		count = loadClip(polygon, count, axis, (&box->upper.x)[axis], -1.0);
	}
	bool isGood = true;
	for (int32_t i = 1; i + 1 < count && isGood; ++i)
	{
		isGood = loadPressTriangle(press, polygon[0], polygon[i], polygon[i + 1], 0);
	}
	return isGood;
}

// The axis along which a box is thin, as far as it lies in the bounds of the mesh, and not just because the body is: a
// plate's bore in a box through the plate is pressed all round. -1: none.
static int loadThinAxis(const brDBox3* box, const brDBox3* bounds)
{
	brDVec3 lower = brDMax(box->lower, bounds->lower), upper = brDMin(box->upper, bounds->upper);
	brDVec3 size = brDSub(upper, lower);
	for (int axis = 0; axis < 3; ++axis)
	{
		double mine = (&size.x)[axis], others = fmin((&size.x)[(axis + 1) % 3], (&size.x)[(axis + 2) % 3]);
		if (mine < LOAD_THIN * others && mine < LOAD_THIN * ((&bounds->upper.x)[axis] - (&bounds->lower.x)[axis]))
		{
			return axis;
		}
	}
	return -1;
}

static bool loadPress(const brAllocator* allocator, const brMesh* mesh, const brTetMesh* tets, double length,
					  const brCrackDef* def, brCrackLoad* load)
{
	if (def->pressureCount == 0)
	{
		return true;
	}
	brContext context = {.allocator = allocator};
	brTetLocator* locator = NULL;
	brTriangulation* triangles = NULL;
	bool isGood = brCreateTetLocator(&context, tets, &locator, NULL) >= 0 &&
				  brTriangulateMesh(&context, mesh, &triangles, NULL) >= 0;
	brDBox3 bounds = brMesh_ComputeBounds(mesh);
	for (int32_t k = 0; k < def->pressureCount && isGood; ++k)
	{
		int thin = loadThinAxis(&def->pressures[k].box, &bounds);
		LoadPress press = {allocator, tets, locator, &def->pressures[k], thin, 0.5 * length, load};
		for (int32_t t = 0; isGood && t < triangles->triangleCount; ++t)
		{
			const int32_t* v = triangles->corners + 3 * t;
			brDVec3 corners[3];
			for (int i = 0; i < 3; ++i)
			{
				corners[i] = mesh->positions[mesh->corners[v[i]]];
			}
			isGood = loadPressPart(&press, corners);
		}
	}
	brDestroyTriangulation(triangles);
	brDestroyTetLocator(locator);
	return isGood;
}

static bool loadSwell(const brAllocator* allocator, const brTetMesh* tets, const brCrackDef* def, brCrackLoad* load)
{
	if (def->swelling == NULL)
	{
		return true;
	}
	load->swelling = BR_ALLOC(allocator, double, tets->nodeCount);
	for (int32_t i = 0; load->swelling != NULL && i < tets->nodeCount; ++i)
	{
		load->swelling[i] = def->swelling(tets->nodes[i], def->swellingUser);
	}
	return load->swelling != NULL;
}

// A support that holds nothing leaves a free body, which breaks in another way.
static brResult loadCheckSupports(const brTetMesh* tets, const brCrackDef* def, brReport* report)
{
	for (int32_t k = 0; k < def->supportCount; ++k)
	{
		const brCrackSupport* support = &def->supports[k];
		bool isAny = support->isRoller;
		for (int32_t i = 0; i < tets->nodeCount && !isAny; ++i)
		{
			isAny = loadIsIn(&support->box, tets->nodes[i]);
		}
		if (!isAny)
		{
			return brFailAt(report, br_errorGeometry, k,
							"support %d holds nothing: no node of the lattice is in its box, which is to reach half an "
							"edge over the surface",
							k);
		}
	}
	return br_success;
}

static bool loadForces(const brAllocator* allocator, const brTetMesh* tets, double length, const brCrackDef* def,
					   brCrackLoad* load)
{
	for (int32_t i = 0; i < def->forceCount; ++i)
	{
		double size = brDLength(def->forces[i].force);
		load->force = fmax(load->force, size);
		load->allForces += size;
		load->spot = fmax(load->spot, LOAD_SPOT * length);
		if (!loadSpread(allocator, tets, def->forces[i].point, LOAD_SPOT * length, def->forces[i].force, load))
		{
			return false;
		}
	}
	return true;
}

// Force and moment over `size` of what has been spread from `first` on.
static void loadWrench(const brTetMesh* tets, const brCrackLoad* load, int32_t first, brDVec3 center, double size,
					   double out[6])
{
	memset(out, 0, 6 * sizeof(double));
	for (int32_t i = first; i < load->nodes.count; ++i)
	{
		brDVec3 force = load->forces.data[i];
		brDVec3 arm = brDMul(1.0 / size, brDSub(tets->nodes[load->nodes.data[i]], center));
		brDVec3 moment = brDCross(arm, force);
		out[0] += force.x, out[1] += force.y, out[2] += force.z;
		out[3] += moment.x, out[4] += moment.y, out[5] += moment.z;
	}
}

// Symmetric and small. False: it is singular.
static bool loadEliminate(double matrix[6][6], double right[6], int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		if (!(matrix[i][i] > LOAD_SINGULAR))
		{
			return false;
		}
		for (int32_t k = i + 1; k < count; ++k)
		{
			double share = matrix[k][i] / matrix[i][i];
			for (int32_t j = i; j < count; ++j)
			{
				matrix[k][j] -= share * matrix[i][j];
			}
			right[k] -= share * right[i];
		}
	}
	for (int32_t i = count - 1; i >= 0; --i)
	{
		for (int32_t j = i + 1; j < count; ++j)
		{
			right[i] -= matrix[i][j] * right[j];
		}
		right[i] /= matrix[i][i];
	}
	return true;
}

// Each axis of each roller is a force along its line. As long as they are independent, balance alone says how large
// they are.
static brResult loadRollers(const brAllocator* allocator, const brMesh* mesh, const brTetMesh* tets, double length,
							const brCrackDef* def, brCrackLoad* load, brReport* report)
{
	int32_t first = 0;
	while (first < def->supportCount && !def->supports[first].isRoller)
	{
		first += 1;
	}
	if (first >= def->supportCount)
	{
		return br_success; // without a look at the mesh
	}
	brMassProperties mass = brMesh_ComputeMass(mesh, def->material.density);
	brDBox3 bounds = brMesh_ComputeBounds(mesh);
	double size = 0.5 * brDDistance(bounds.lower, bounds.upper), rows[6][6], all[6], matrix[6][6], right[6];
	int32_t count = 0, starts[7] = {load->nodes.count};
	loadWrench(tets, load, 0, mass.center, size, all);
	for (int axis = 0; axis < 3; ++axis)
	{
		all[axis] += mass.mass * (&def->acceleration.x)[axis];
	}
	for (int32_t k = first; k < def->supportCount; ++k)
	{
		const brCrackSupport* support = &def->supports[k];
		for (int axis = 0; axis < 3 && support->isRoller; ++axis)
		{
			if ((support->axes >> axis & 1) == 0)
			{
				continue;
			}
			if (count >= 6)
			{
				return brFail(report, br_errorGeometry, "rollers hold more than the six motions that a body has");
			}
			brDVec3 force = {0.0, 0.0, 0.0};
			(&force.x)[axis] = 1.0 / LOAD_LINE;
			for (int32_t i = 0; i < LOAD_LINE; ++i)
			{
				brDVec3 at = brDLerp(support->line[0], support->line[1], (i + 0.5) / LOAD_LINE);
				if (!loadSpread(allocator, tets, at, LOAD_SPOT * length, force, load))
				{
					return brFailMemory(report);
				}
			}
			loadWrench(tets, load, starts[count], mass.center, size, rows[count]);
			starts[++count] = load->nodes.count;
		}
	}
	for (int32_t i = 0; i < count; ++i)
	{
		right[i] = 0.0;
		for (int32_t j = 0; j < count; ++j)
		{
			matrix[i][j] = 0.0;
			for (int c = 0; c < 6; ++c)
			{
				matrix[i][j] += rows[i][c] * rows[j][c];
			}
		}
		for (int c = 0; c < 6; ++c)
		{
			right[i] -= rows[i][c] * all[c];
		}
	}
	if (!loadEliminate(matrix, right, count))
	{
		return brFail(report, br_errorGeometry,
					  "rollers hold a motion of the body twice: balance alone does not say what each of them takes");
	}
	for (int32_t i = 0; i < count; ++i)
	{
		for (int32_t n = starts[i]; n < starts[i + 1]; ++n)
		{
			load->forces.data[n] = brDMul(right[i], load->forces.data[n]);
		}
		load->spot = fmax(load->spot, LOAD_SPOT * length);
	}
	return br_success;
}

// What is left for the body's inertia: of a slow load without nodes that are held.
static void loadTellUnbalanced(const brMesh* mesh, const brTetMesh* tets, const brCrackDef* def, brCrackLoad* load)
{
	if (load->fixedNodes.count > 0 || brDDot(def->impulse, def->impulse) > 0.0)
	{
		return;
	}
	brMassProperties mass = brMesh_ComputeMass(mesh, def->material.density);
	brDBox3 bounds = brMesh_ComputeBounds(mesh);
	double all[6], sum = 0.0, forces = load->allForces;
	loadWrench(tets, load, 0, mass.center, 0.5 * brDDistance(bounds.lower, bounds.upper), all);
	for (int axis = 0; axis < 3; ++axis)
	{
		all[axis] += mass.mass * (&def->acceleration.x)[axis];
		forces += mass.mass * fabs((&def->acceleration.x)[axis]);
	}
	for (int i = 0; i < 6; ++i)
	{
		sum += all[i] * all[i];
	}
	load->unbalanced = sqrt(sum) > LOAD_BALANCED * forces ? sqrt(sum) : 0.0;
}

static bool loadIsNothing(const brCrackLoad* load)
{
	return !(load->force > 0.0) && !(load->shift > 0.0) && load->nodes.count == 0 && load->swelling == NULL &&
		   !(brDDot(load->acceleration, load->acceleration) > 0.0);
}

brResult brCrackLoad_Make(const brAllocator* allocator, const brMesh* mesh, const brTetMesh* tets, double length,
						  const brCrackDef* def, brCrackLoad* outLoad, brReport* report)
{
	memset(outLoad, 0, sizeof(*outLoad));
	outLoad->energy = INFINITY;
	outLoad->acceleration = def->acceleration;
	brContext context = {.allocator = allocator};
	outLoad->nodeCount = tets->nodeCount;
	outLoad->isSurface = BR_ALLOC(allocator, uint8_t, tets->nodeCount);
	outLoad->sizes = BR_ALLOC_ZERO(allocator, double, tets->nodeCount);
	bool isGood = outLoad->isSurface != NULL && outLoad->sizes != NULL &&
				  loadMarkSurface(&context, tets, outLoad->isSurface, report);
	if (isGood && brDDot(def->impulse, def->impulse) > 0.0)
	{
		isGood = loadImpact(allocator, mesh, tets, length, def, outLoad);
	}
	isGood = isGood && loadForces(allocator, tets, length, def, outLoad) && loadFix(allocator, tets, def, outLoad) &&
			 loadPress(allocator, mesh, tets, length, def, outLoad) && loadSwell(allocator, tets, def, outLoad);
	brResult result = isGood ? loadCheckSupports(tets, def, report) : brFailMemory(report);
	result = result >= 0 ? loadRollers(allocator, mesh, tets, length, def, outLoad, report) : result;
	if (result >= 0 && loadIsNothing(outLoad))
	{
		result = brFail(report, br_errorGeometry,
						"there is no load: give an impulse, forces, pressure on a part of the surface, supports that "
						"move, gravity or temperature");
	}
	if (result >= 0)
	{
		loadTellUnbalanced(mesh, tets, def, outLoad);
	}
	for (int32_t i = 0; i < outLoad->nodes.count && result >= 0; ++i)
	{
		outLoad->sizes[outLoad->nodes.data[i]] += brDLength(outLoad->forces.data[i]);
	}
	if (result < 0)
	{
		brCrackLoad_Free(allocator, outLoad);
	}
	return result;
}

void brCrackLoad_SetBlow(brCrackLoad* load, double force, double contactTime, double energy)
{
	for (int32_t i = 0; i < load->forces.count; ++i)
	{
		load->forces.data[i] = brDMul(force / load->force, load->forces.data[i]);
	}
	load->force = force;
	load->contactTime = contactTime > 0.0 ? contactTime : load->contactTime; // of a load at rest nobody knows one
	load->energy = energy;
}

brElasticLoad brCrackLoad_View(const brCrackLoad* load)
{
	brElasticLoad view = brDefaultElasticLoad();
	view.forceCount = load->nodes.count;
	view.forceNodes = load->nodes.data;
	view.forces = load->forces.data;
	view.acceleration = load->acceleration;
	view.swelling = load->swelling;
	return view;
}

void brCrackLoad_Free(const brAllocator* allocator, brCrackLoad* load)
{
	BR_FREE_ARRAY(allocator, &load->nodes);
	BR_FREE_ARRAY(allocator, &load->forces);
	BR_FREE_ARRAY(allocator, &load->fixedNodes);
	BR_FREE_ARRAY(allocator, &load->fixedAxes);
	BR_FREE_ARRAY(allocator, &load->fixedValues);
	BR_FREE(allocator, load->swelling, load->nodeCount);
	BR_FREE(allocator, load->isSurface, load->nodeCount);
	BR_FREE(allocator, load->sizes, load->nodeCount);
	load->swelling = NULL;
	load->isSurface = NULL;
	load->sizes = NULL;
}
