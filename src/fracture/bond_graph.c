// SPDX-License-Identifier: MIT

// What a cluster's graph says without its equations: loads in balance, and which nodes hang together.

#include "base/forest.h"
#include "fracture/bonds.h"

#include <math.h>

#define BOND_ROUNDING 1e-9

void brBalanceLoads(const brBondNode* nodes, int32_t nodeCount, const int32_t* sets, int32_t set, brBondLoad* loads)
{
	double mass = 0.0, largest = 0.0, reach = 0.0;
	int32_t first = 0, count = 0;
	while (first + 1 < nodeCount && sets[first] != set)
	{
		first += 1;
	}
	brDVec3 center = {0.0, 0.0, 0.0}, force = {0.0, 0.0, 0.0}, torque = {0.0, 0.0, 0.0};
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		if (sets[i] != set)
		{
			continue;
		}
		count += 1;
		mass += nodes[i].volume;
		center = brDMulAdd(center, nodes[i].volume, nodes[i].center);
		force = brDAdd(force, loads[i].force);
		largest = fmax(largest, brDLength(loads[i].force));
		reach = fmax(reach, brDDistance(nodes[i].center, nodes[first].center));
	}
	// A node has no inertia against turning but by its distance from the others: rounding would be all there is of a
	// lone one.
	if (count == 1)
	{
		loads[first] = (brBondLoad){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
		return;
	}
	if (!(mass > 0.0))
	{
		return;
	}
	center = brDMul(1.0 / mass, center);
	brMat3 inertia = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		if (sets[i] != set)
		{
			continue;
		}
		brDVec3 r = brDSub(nodes[i].center, center);
		double m = nodes[i].volume, square = brDLengthSq(r);
		torque = brDAdd(torque, brDAdd(loads[i].torque, brDCross(r, loads[i].force)));
		inertia.cx = brDAdd(inertia.cx, brDMul(m, brDMulAdd(brMakeDVec3(square, 0.0, 0.0), -r.x, r)));
		inertia.cy = brDAdd(inertia.cy, brDMul(m, brDMulAdd(brMakeDVec3(0.0, square, 0.0), -r.y, r)));
		inertia.cz = brDAdd(inertia.cz, brDMul(m, brDMulAdd(brMakeDVec3(0.0, 0.0, square), -r.z, r)));
	}
	// A row of nodes does not resist turning about itself; a little of its own inertia makes the matrix regular.
	double own = 1e-6 * (inertia.cx.x + inertia.cy.y + inertia.cz.z);
	inertia.cx.x += own, inertia.cy.y += own, inertia.cz.z += own;
	brMat3 cofactor = brMat3_Cofactor(&inertia);
	double determinant = brMat3_Determinant(&inertia);
	brDVec3 turn =
		determinant > 0.0 ? brDMul(1.0 / determinant, brMat3_MulV(&cofactor, torque)) : brMakeDVec3(0.0, 0.0, 0.0);
	brDVec3 push = brDMul(1.0 / mass, force);
	brDVec3 left = torque;
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		if (sets[i] != set)
		{
			continue;
		}
		brDVec3 r = brDSub(nodes[i].center, center);
		brDVec3 inertial = brDMul(nodes[i].volume, brDAdd(push, brDCross(turn, r)));
		loads[i].force = brDSub(loads[i].force, inertial);
		left = brDSub(left, brDCross(r, inertial));
	}
	// What is left of the torque is spread over the nodes.
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		if (sets[i] != set)
		{
			continue;
		}
		loads[i].torque = brDMulAdd(loads[i].torque, -nodes[i].volume / mass, left);
		// Rounding is no load: nothing would stop the iteration on it.
		bool isForce = brDLength(loads[i].force) > BOND_ROUNDING * largest;
		bool isTorque = brDLength(loads[i].torque) > BOND_ROUNDING * largest * reach;
		loads[i].force = isForce ? loads[i].force : brMakeDVec3(0.0, 0.0, 0.0);
		loads[i].torque = isTorque ? loads[i].torque : brMakeDVec3(0.0, 0.0, 0.0);
	}
}

int32_t brBondComponents(int32_t nodeCount, const brBondLink* links, int32_t linkCount, int32_t* outComponents)
{
	brResetForest(outComponents, nodeCount);
	for (int32_t k = 0; k < linkCount; ++k)
	{
		brJoinRoots(outComponents, links[k].nodes[0], links[k].nodes[1]);
	}
	// Parents come before their children, so one pass upward gives every node the number of its root.
	int32_t count = 0;
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		outComponents[i] = outComponents[i] == i ? count++ : outComponents[outComponents[i]];
	}
	return count;
}
