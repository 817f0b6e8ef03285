// SPDX-License-Identifier: MIT

// What lies on things that stand still never gains energy.
//
// Contact points hold for a step and overlap is pushed out softly, free of charge. A shard that rocks on its round
// belly dips in by a fifth of a millimeter in each step and is lifted again: sixty times a second, which keeps it
// rocking for ever. What an island that touches nothing but static bodies has at the end of a step, kinetic and
// potential, can be no more than it had at its start; where it is, its motion pays. At the turning point of its rocking
// a shard is lifted while it has no motion to pay with: that is a debt, paid out of what it falls back with. What rocks
// loses some more: at one energy it would rock for ever, where a true shard comes to rest in a few seconds by the
// resistance that rolling on its belly meets. What rolls on its way is faster for its size and has the resistance its
// material says. Fast hits are solved at their times and keep their own books (bounce.c); they are looked at only where
// these fail by far, as on needles, whose inertia about their axis is a ten-thousandth of the others.

#include "base/forest.h"
#include "dynamics/dynamics.h"
#include "dynamics/tuning.h"

typedef struct EnergyIsland
{
	double gained, kinetic; // gained: debts included [J]
	double before;          // kinetic energy at the start of the step [J]
	double mass;
	double resistance; // power that rolling takes [W]
	bool isOpen;       // driven or frictionless: no law holds, or another
	bool isFast;
	bool isRolling; // something in it is on its way, too fast to rock
} EnergyIsland;

double brBody_Kinetic(const brBody* body)
{
	brDVec3 w = brQuat_InvRotate(body->rotation, body->spin);
	return 0.5 * (body->mass * brDLengthSq(body->velocity) + w.x * w.x * body->inertia.x + w.y * w.y * body->inertia.y +
				  w.z * w.z * body->inertia.z);
}

// What is left of a motion of energy `there` once some of it was taken, as a factor.
static double energyKeep(double there, double taken)
{
	return taken < there ? sqrt(1.0 - taken / there) : 0.0;
}

void brBody_PayLift(brBody* body, brDVec3 gravity, brDVec3 normal, brDVec3 shift)
{
	double owed = -body->mass * (double)body->gravityScale * brDDot(gravity, shift);
	if (!(owed > 0.0))
	{
		return;
	}
	double along = brDDot(body->velocity, normal), straight = 0.5 * body->mass * along * along;
	body->velocity = brDMulAdd(body->velocity, (energyKeep(straight, owed) - 1.0) * along, normal);
	owed -= straight;
	if (!(owed > 0.0))
	{
		return;
	}
	// The spin that the angular momentum across the normal gives, and what energy it has: turning of the rest stays as
	// it is.
	brMat3 inertia = brBody_Inertia(body);
	brDVec3 momentum = brMat3_MulV(&inertia, body->spin);
	brDVec3 across = brDMulAdd(momentum, -brDDot(momentum, normal), normal),
			own = brQuat_InvRotate(body->rotation, across);
	brDVec3 i = body->invInertia;
	brDVec3 spin = brQuat_Rotate(body->rotation, brMakeDVec3(i.x * own.x, i.y * own.y, i.z * own.z));
	// Less by a share x it changes the energy by x^2 a - 2 x b.
	double a = 0.5 * brDDot(across, spin), b = 0.5 * brDDot(across, body->spin);
	double most = a > 0.0 ? fmin(fmax(b / a, 0.0), 1.0) : 0.0, square = b * b - a * owed;
	double share = square > 0.0 && b > 0.0 ? owed / (b + sqrt(square)) : most;
	body->spin = brDMulAdd(body->spin, -fmin(share, most), spin);
}

static bool energyHas(const brDynamics* dynamics, int32_t index)
{
	const brBody* body = &dynamics->bodies.data[index];
	return body->kind == br_bodyDynamic && brBody_IsMoving(body) && brDynamics_Frames(dynamics)[index].state >= 0;
}

void brDynamics_KeepEnergy(brDynamics* dynamics, double dt)
{
	int32_t count = dynamics->bodies.count;
	EnergyIsland* islands = dynamics->islandEnergy.data;
	for (int32_t i = 0; i < count; ++i)
	{
		islands[i] = (EnergyIsland){0};
	}
	for (int32_t i = 0; i < count; ++i)
	{
		if (!energyHas(dynamics, i))
		{
			continue;
		}
		const brBody* body = &dynamics->bodies.data[i];
		const brBodyFrame* frame = &brDynamics_Frames(dynamics)[i];
		EnergyIsland* island = &islands[brReadRoot(dynamics->parents.data, i)];
		double kinetic = brBody_Kinetic(body);
		double fall = body->mass * (double)body->gravityScale * brDDot(dynamics->def.gravity, brToDVec3(frame->moved));
		island->gained += kinetic - frame->kinetic - fall + body->debt;
		island->kinetic += kinetic;
		island->before += frame->kinetic;
		island->mass += body->mass;
		double size = (double)dynamics->shapes.data[body->shape].shape->radius;
		double pull = fabs((double)body->gravityScale) * brDLength(dynamics->def.gravity);
		island->isRolling |= brDLengthSq(body->velocity) > BR_ROCKING * pull * size;
		island->resistance += BR_ROCKING_RESISTANCE * body->mass * pull * size * brDLength(body->spin);
		island->isOpen |=
			frame->leansOn != BR_LEANS_ON_STATIC || !(body->friction > 0.0f) || body->isNewborn || body->isDriven;
		island->isFast |= brDLength(body->velocity) > dynamics->def.restitutionSpeed;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brBody* body = &dynamics->bodies.data[i];
		const EnergyIsland* island = energyHas(dynamics, i) ? &islands[brReadRoot(dynamics->parents.data, i)] : NULL;
		body->debt = 0.0;
		if (island == NULL || island->isOpen)
		{
			continue;
		}
		double slack = island->isFast ? BR_ENERGY_FAST * island->before : BR_ENERGY_ROUNDING * island->kinetic;
		if (!(island->gained > slack))
		{
			continue;
		}
		double loss = island->isRolling ? 0.0 : dt * island->resistance;
		double paid = fmin(island->gained + loss, island->kinetic);
		double keep = energyKeep(island->kinetic, paid);
		body->velocity = brDMul(keep, body->velocity);
		body->spin = brDMul(keep, body->spin);
		double thickness = (double)dynamics->shapes.data[body->shape].shape->thickness;
		double most = BR_ENERGY_DEBT * thickness * body->mass * brDLength(dynamics->def.gravity);
		body->debt = fmin(fmax(island->gained - paid, 0.0) * body->mass / island->mass, most);
	}
}

bool brDynamics_ReserveEnergy(brDynamics* dynamics)
{
	return brStageMemory_Ensure(&dynamics->islandEnergy, &dynamics->allocator, dynamics->bodies.count,
								sizeof(EnergyIsland));
}

brMat3 brBody_Inertia(const brBody* body)
{
	brMat3 axes = brMakeMat3FromQuat(body->rotation), back = brMat3_Transpose(&axes);
	brMat3 scaled = {brDMul(body->inertia.x, axes.cx), brDMul(body->inertia.y, axes.cy),
					 brDMul(body->inertia.z, axes.cz)};
	return brMat3_Mul(&scaled, &back);
}
