// SPDX-License-Identifier: MIT

// An impulse becomes a force by the time of contact. The body meets a striker of given radius with the effective mass that it has at the hit,
// 1 / (1/m + (r x n) . J^-1 (r x n)), at the speed that the impulse takes from that mass; Hertz gives the time (thesis 6.7), and the peak of a
// half sine over it is pi/2 of the mean.

#include "fracture/crack_load.h"

#include "base/report.h"
#include "math/power.h"

#include <string.h>

#define LOAD_HALF_PI 1.57079632679489661923
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

// One force over the surface nodes within `radius` of a point, more in the middle; over the nearest one if there are none.
static bool loadSpread(const brAllocator* allocator, const brTetMesh* tets, brDVec3 point, double radius, brDVec3 force,
					   brCrackLoad* load)
{
	int32_t first = load->nodes.count, nearest = -1;
	double total = 0.0, best = INFINITY;
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
			total += weight;
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
	for (int32_t i = first; i < load->nodes.count; ++i)
	{
		load->forces.data[i] = brDMul(1.0 / total, load->forces.data[i]);
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

static bool loadImpact(const brAllocator* allocator, const brMesh* mesh, const brTetMesh* tets, double length,
					   const brCrackDef* def, brCrackLoad* load)
{
	double impulse = brDLength(def->impulse);
	brDVec3 direction = brDMul(1.0 / impulse, def->impulse);
	brMassProperties mass = brMesh_ComputeMass(mesh, def->material.density);
	brDVec3 turn = brDCross(brDSub(def->hit, mass.center), direction);
	double mobility = 1.0 / mass.mass + brDDot(turn, loadSolve(&mass.inertia, turn));
	// Against a rigid ball (Hertz).
	double modulus = def->material.youngsModulus / (1.0 - def->material.poissonRatio * def->material.poissonRatio);
	double effective = 1.0 / mobility, speed = impulse * mobility, r = def->strikerRadius;
	double hertzTime = 2.87 * brPower(effective * effective / (modulus * modulus * r * speed), 0.2);
	load->contactTime = def->contactTime > 0.0 ? def->contactTime : hertzTime;
	load->force = LOAD_HALF_PI * impulse / load->contactTime;
	load->energy = 0.5 * effective * speed * speed;
	double hertzRadius = brPower(0.75 * load->force * r / modulus, 1.0 / 3.0);
	load->spot = fmax(hertzRadius, LOAD_SPOT * length);
	return loadSpread(allocator, tets, def->hit, load->spot, brDMul(load->force, direction), load);
}

static bool loadFix(const brAllocator* allocator, const brTetMesh* tets, const brCrackDef* def, brCrackLoad* load)
{
	for (int32_t i = 0; i < tets->nodeCount; ++i)
	{
		brDVec3 p = tets->nodes[i];
		bool isFixed = false;
		for (int32_t k = 0; k < def->fixedCount && !isFixed; ++k)
		{
			brDVec3 low = def->fixed[k].lower, high = def->fixed[k].upper;
			isFixed = p.x >= low.x && p.y >= low.y && p.z >= low.z && p.x <= high.x && p.y <= high.y && p.z <= high.z;
		}
		if (isFixed && (!BR_PUSH(allocator, &load->fixedNodes, i) ||
						!BR_PUSH(allocator, &load->fixedAxes, BR_AXIS_X | BR_AXIS_Y | BR_AXIS_Z)))
		{
			return false;
		}
	}
	return true;
}

brResult brCrackLoad_Make(const brAllocator* allocator, const brMesh* mesh, const brTetMesh* tets, double length,
						  const brCrackDef* def, brCrackLoad* outLoad, brReport* report)
{
	memset(outLoad, 0, sizeof(*outLoad));
	outLoad->energy = INFINITY;
	brContext context = {.allocator = allocator};
	outLoad->nodeCount = tets->nodeCount;
	outLoad->isSurface = BR_ALLOC(allocator, uint8_t, tets->nodeCount);
	bool isGood = outLoad->isSurface != NULL && loadMarkSurface(&context, tets, outLoad->isSurface, report);
	if (isGood && brDDot(def->impulse, def->impulse) > 0.0)
	{
		isGood = loadImpact(allocator, mesh, tets, length, def, outLoad);
	}
	for (int32_t i = 0; i < def->forceCount && isGood; ++i)
	{
		outLoad->force = fmax(outLoad->force, brDLength(def->forces[i].force));
		outLoad->spot = fmax(outLoad->spot, LOAD_SPOT * length);
		isGood = loadSpread(allocator, tets, def->forces[i].point, LOAD_SPOT * length, def->forces[i].force, outLoad);
	}
	isGood = isGood && loadFix(allocator, tets, def, outLoad);
	brResult result = isGood ? br_success : brFailMemory(report);
	if (isGood && !(outLoad->force > 0.0))
	{
		result = brFail(report, br_errorGeometry, "there is no load: give an impulse or forces");
	}
	if (result < 0)
	{
		brCrackLoad_Free(allocator, outLoad);
	}
	return result;
}

brElasticLoad brCrackLoad_View(const brCrackLoad* load)
{
	brElasticLoad view = brDefaultElasticLoad();
	view.forceCount = load->nodes.count;
	view.forceNodes = load->nodes.data;
	view.forces = load->forces.data;
	return view;
}

void brCrackLoad_Free(const brAllocator* allocator, brCrackLoad* load)
{
	BR_FREE_ARRAY(allocator, &load->nodes);
	BR_FREE_ARRAY(allocator, &load->forces);
	BR_FREE_ARRAY(allocator, &load->fixedNodes);
	BR_FREE_ARRAY(allocator, &load->fixedAxes);
	BR_FREE(allocator, load->isSurface, load->nodeCount);
	load->isSurface = NULL;
}
