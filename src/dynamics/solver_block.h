// SPDX-License-Identifier: MIT
#pragma once

// Contacts of the solver side by side. Compiles as C17 with eight lanes, and as OpenCL C 1.2 with eight as they lie in
// memory and with one that a thread works on; brLanes and BR_SOLVER_LANES say which.

typedef struct brPointLanes
{
	brLanes anchorA[3], anchorB[3]; // from the centers
	brLanes separation;             // at the step's start
	brLanes mass;                   // effective, along the normal; 0: no point
	brLanes impulse, total;
	brLanes hit;      // the part of the total that came in hits or is booked (books.c)
	brLanes approach; // relative normal velocity before the step
	brLanes lever;    // distance from the friction center
} brPointLanes;

typedef struct brContactBlock
{
	int32_t stateA[BR_SOLVER_LANES], stateB[BR_SOLVER_LANES];
	int32_t manifold[BR_SOLVER_LANES]; // or -1
	uint8_t writesA[BR_SOLVER_LANES], writesB[BR_SOLVER_LANES];
	int32_t pointCount; // the most of any lane
	uint8_t hasRolling;
	uint8_t hasBounce; // some lane may hit
	uint8_t hits;      // lanes that may hit and bounce in this substep
	uint8_t tops;      // BR_BLOCK_HAS_TOP and the like
	brLanes normal[3], tangent[3];
	brLanes invMassA, invMassB;
	brLanes invInertiaA[6], invInertiaB[6];
	brLanes rate, massScale, impulseScale;
	brLanes push; // speed at which overlap may be left
	brLanes friction, restitution, rolling;
	brLanes spinning;       // added to the levers of all points
	brLanes bounceSpeed;    // normal speed below which it hits with all points at once, negative; -INFINITY: never
	brLanes roundA, roundB; // radius of a ball, whose anchors are at its middle: nothing along a normal turns it
	brLanes fade;           // 1 / separation at which a point no longer counts for the friction center
	brLanes centerA[3], centerB[3]; // friction center
	brLanes tangentMass[3];         // inverse of the 2x2 matrix: 11 22 12
	brLanes twistMass;
	brLanes tangentImpulse[2];
	brLanes twistImpulse;
	brLanes rollingImpulse[3];
	brLanes tangentTotal[2], twistTotal, rollingTotal[3]; // since they were booked
	brLanes work[3];        // of normal and of friction impulses, and of both on what drives [J]
	brPointLanes points[4]; // BR_MANIFOLD_POINTS
} brContactBlock;
