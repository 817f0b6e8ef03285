// SPDX-License-Identifier: MIT

// Nothing gains speed out of nothing.
//
// A step begins with the impulses of the one before, as a guess. Where bodies are wedged these are many times their
// weights and hold against each other; when a contact goes or finds other points the guess is out of balance, and a
// splinter leaves with hundreds of meters a second. What bodies of an island can leave with is known: no more than (1 +
// 2 e) times the fastest that came, and what they fall by. Where the solution says more, it is made again without the
// guess, before anything has moved.

#include "base/forest.h"
#include "dynamics/solver.h"
#include "dynamics/tuning.h"

#define THROWN_SLACK 1.25 // for 1: the solver is not exact

typedef struct ThrownIsland
{
	double fastest;     // point of any of its bodies, at the start of the step [m/s]
	double restitution; // the largest of its contacts
	bool isThrown;
} ThrownIsland;

bool brDynamics_ReserveThrown(brDynamics* dynamics)
{
	return brStageMemory_Ensure(&dynamics->thrown, &dynamics->allocator, dynamics->bodies.count, sizeof(ThrownIsland));
}

static ThrownIsland* thrownOf(const brDynamics* dynamics, int32_t body)
{
	return (ThrownIsland*)dynamics->thrown.data + brReadRoot(dynamics->parents.data, body);
}

// How fast what comes can be, kinematic bodies included, and how well it bounces.
static void thrownMeasure(brDynamics* dynamics)
{
	const brBody* bodies = dynamics->bodies.data;
	ThrownIsland* islands = dynamics->thrown.data;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		islands[i] = (ThrownIsland){0.0, 0.0, false};
	}
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		if (brDynamics_Frames(dynamics)[i].state >= 0)
		{
			double speed = brBody_Speed(&bodies[i], dynamics->shapes.data[bodies[i].shape].shape);
			ThrownIsland* island = thrownOf(dynamics, i);
			island->fastest = fmax(island->fastest, speed);
		}
	}
	const int32_t* active = dynamics->active.data;
	for (int32_t i = 0; i < dynamics->activeCount; ++i)
	{
		const brContact* contact = brDynamics_ContactOf(dynamics, active[i]);
		for (int side = 0; side < 2; ++side)
		{
			int32_t at = side == 0 ? contact->bodyA : contact->bodyB, by = side == 0 ? contact->bodyB : contact->bodyA;
			const brBody* other = &bodies[by];
			ThrownIsland* island = thrownOf(dynamics, at);
			island->restitution = fmax(island->restitution, (double)fmaxf(bodies[at].restitution, other->restitution));
			if (other->kind == br_bodyKinematic)
			{
				double speed = brBody_Speed(other, dynamics->shapes.data[other->shape].shape);
				island->fastest = fmax(island->fastest, speed);
			}
		}
	}
}

bool brDynamics_FindThrown(brDynamics* dynamics, double dt)
{
	const brSolverState* states = dynamics->states.data;
	const brSolverBody* bodies = dynamics->stateBodies.data;
	double least = dynamics->def.restitutionSpeed + dt * brDLength(dynamics->def.gravity);
	bool isMeasured = false, isAny = false;
	for (int32_t i = 0; i < dynamics->stateCount; ++i)
	{
		const float* v = states[i].velocity;
		double speed = sqrt((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] + (double)v[2] * (double)v[2]);
		const brBodyFrame* frame = &brDynamics_Frames(dynamics)[bodies[i].body];
		if (!bodies[i].isDynamic || !(speed > least + (double)frame->speed / dt) || (frame->leansOn & BR_HAS_JOINT))
		{
			continue;
		}
		if (!isMeasured)
		{
			thrownMeasure(dynamics);
			isMeasured = true;
		}
		ThrownIsland* island = thrownOf(dynamics, bodies[i].body);
		island->isThrown =
			island->isThrown || speed > least + (THROWN_SLACK + 2.0 * island->restitution) * island->fastest;
		isAny = isAny || island->isThrown;
	}
	return isAny;
}

void brDynamics_DropImpulses(brDynamics* dynamics)
{
	const int32_t* active = dynamics->active.data;
	for (int32_t i = 0; i < dynamics->activeCount; ++i)
	{
		const brContact* contact = brDynamics_ContactOf(dynamics, active[i]);
		if (!thrownOf(dynamics, contact->bodyA)->isThrown && !thrownOf(dynamics, contact->bodyB)->isThrown)
		{
			continue;
		}
		brManifold* manifold = brDynamics_Manifold(dynamics, active[i]);
		manifold->friction = manifold->rolling = brMakeVec3(0.0f, 0.0f, 0.0f);
		manifold->twist = 0.0f;
		for (int32_t k = 0; k < manifold->pointCount; ++k)
		{
			manifold->points[k].impulse = 0.0f;
		}
	}
	brDynamics_DropStates(dynamics);
}
