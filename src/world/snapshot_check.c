// SPDX-License-Identifier: MIT
#include "world/snapshot.h"
#include "world/world_state.h"

#include "dynamics/tuning.h"

static bool checkInList(int32_t index, int32_t count)
{
	return index >= -1 && index < count;
}

static bool checkIsMotion(brDVec3 v)
{
	return brDIsFinite(v);
}

static bool checkIsUnit(brQuat q)
{
	return fabs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0) < 1e-3;
}

static bool checkIsPositive(brDVec3 v)
{
	return v.x > 0.0 && v.y > 0.0 && v.z > 0.0 && brDIsFinite(v);
}

// Mass and inertia go with the kind.
static bool checkIsWeight(const brBody* body)
{
	if (body->kind != br_bodyDynamic)
	{
		return body->invMass == 0.0 && brDLengthSq(body->invInertia) == 0.0;
	}
	return body->mass > 0.0 && body->mass <= BR_MAX_MASS && body->invMass > 0.0 && isfinite(body->invMass) &&
		   checkIsPositive(body->inertia) && checkIsPositive(body->invInertia);
}

static bool checkIsBody(const brDynamics* dynamics, const brBody* body)
{
	if (body->kind < -1 || body->kind > br_bodyDynamic || !brAreBools(&body->isAwake, 7))
	{
		return false;
	}
	if (body->kind < 0)
	{
		return checkInList(body->next, dynamics->bodies.count);
	}
	if (body->shape < 0 || body->shape >= dynamics->shapes.count || dynamics->shapes.data[body->shape].shape == NULL)
	{
		return false;
	}
	int32_t kind = dynamics->shapes.data[body->shape].shape->kind;
	bool isStill = kind == br_shapeHalfSpace || kind == br_shapeSurface;
	return brIsPlace(body->position) && checkIsUnit(body->rotation) && checkIsMotion(body->velocity) &&
		   checkIsMotion(body->spin) && checkIsWeight(body) && (!isStill || body->kind == br_bodyStatic) &&
		   body->friction >= 0.0f && body->restitution >= 0.0f && body->restitution <= 1.0f && body->rolling >= 0.0f &&
		   body->linearDamping >= 0.0f && body->angularDamping >= 0.0f && !isnan(body->gravityScale) &&
		   body->sleepTime >= 0.0f && body->generation > 0;
}

static bool checkIsThere(const brDynamics* dynamics, int32_t body)
{
	return body >= 0 && body < dynamics->bodies.count && brBody_IsThere(&dynamics->bodies.data[body]);
}

static bool checkIsJoint(const brDynamics* dynamics, const brJoint* joint)
{
	if (joint->kind < -1 || joint->kind > br_jointFixed || !brAreBools(&joint->enableContact, 1))
	{
		return false;
	}
	if (joint->kind < 0)
	{
		return checkInList(joint->next, dynamics->joints.count);
	}
	return checkIsThere(dynamics, joint->bodyA) && checkIsThere(dynamics, joint->bodyB) &&
		   joint->bodyA != joint->bodyB && brIsPlace(joint->anchorA) && brIsPlace(joint->anchorB) &&
		   brDIsFinite(joint->axisA) && checkIsUnit(joint->relative) && joint->breakForce >= 0.0 &&
		   joint->breakTorque >= 0.0 && brDIsFinite(joint->impulse) && brDIsFinite(joint->twisting);
}

static bool checkIsManifold(const brManifold* manifold)
{
	return manifold->pointCount >= 1 && manifold->pointCount <= BR_MANIFOLD_POINTS;
}

static bool checkIsContact(const brDynamics* dynamics, const brContact* contact)
{
	if (!brAreBools(&contact->isMade, 6))
	{
		return false;
	}
	if (contact->bodyB < 0)
	{
		return checkInList(contact->bodyA, dynamics->contacts.count);
	}
	int32_t most = contact->more < 0 ? 1 : BR_PAIR_MANIFOLDS;
	bool isSound = checkIsThere(dynamics, contact->bodyA) && checkIsThere(dynamics, contact->bodyB) &&
				   contact->bodyA != contact->bodyB && contact->manifoldCount >= 0 && contact->manifoldCount <= most &&
				   checkInList(contact->more, dynamics->more.count) && contact->rest <= 0.0f;
	for (int32_t k = 0; isSound && k < contact->manifoldCount; ++k)
	{
		isSound = checkIsManifold(brContact_Manifold(dynamics, contact, k));
	}
	if (!isSound)
	{
		return false;
	}
	// A is the one with the lower kind of shape, of equal ones the lower slot.
	const brBody* bodies = dynamics->bodies.data;
	int32_t kindA = dynamics->shapes.data[bodies[contact->bodyA].shape].shape->kind;
	int32_t kindB = dynamics->shapes.data[bodies[contact->bodyB].shape].shape->kind;
	return kindA < kindB || (kindA == kindB && contact->bodyA < contact->bodyB);
}

// A pair stands in one place, and its contact is of the same two bodies.
static bool checkIsPair(const brDynamics* dynamics, int32_t index)
{
	brContactPair pair = dynamics->pairs.data[index];
	if (pair.contact < 0 || pair.contact >= dynamics->contacts.count ||
		(index > 0 && pair.key <= dynamics->pairs.data[index - 1].key))
	{
		return false;
	}
	const brContact* contact = &dynamics->contacts.data[pair.contact];
	if (contact->bodyB < 0)
	{
		return false;
	}
	uint64_t low = (uint64_t)(contact->bodyA < contact->bodyB ? contact->bodyA : contact->bodyB);
	uint64_t high = (uint64_t)(contact->bodyA < contact->bodyB ? contact->bodyB : contact->bodyA);
	return pair.key == (low << 32 | high);
}

// The free slots of one array, as a list: each once, none that is taken.
typedef struct FreeList
{
	const brDynamics* dynamics;
	int32_t first, count;
	int32_t (*next)(const brDynamics* dynamics, int32_t slot, bool* outIsFree);
} FreeList;

static int32_t nextBody(const brDynamics* dynamics, int32_t slot, bool* outIsFree)
{
	*outIsFree = dynamics->bodies.data[slot].kind < 0;
	return dynamics->bodies.data[slot].next;
}

static int32_t nextJoint(const brDynamics* dynamics, int32_t slot, bool* outIsFree)
{
	*outIsFree = dynamics->joints.data[slot].kind < 0;
	return dynamics->joints.data[slot].next;
}

static int32_t nextContact(const brDynamics* dynamics, int32_t slot, bool* outIsFree)
{
	*outIsFree = dynamics->contacts.data[slot].bodyB < 0;
	return dynamics->contacts.data[slot].bodyA;
}

// That no contact has it is looked at apart.
static int32_t nextMore(const brDynamics* dynamics, int32_t slot, bool* outIsFree)
{
	*outIsFree = true;
	return dynamics->more.data[slot].next;
}

static bool checkIsFreeList(FreeList list)
{
	int32_t steps = 0;
	for (int32_t at = list.first; at != -1; ++steps)
	{
		bool isFree = false;
		// More steps than slots: it runs in a circle.
		if (at < 0 || at >= list.count || steps >= list.count)
		{
			return false;
		}
		at = list.next(list.dynamics, at, &isFree);
		if (!isFree)
		{
			return false;
		}
	}
	return true;
}

// Each slot of further manifolds has one owner: a contact, or the list of free ones. `marks` has a byte a slot.
static bool checkOwners(const brDynamics* dynamics, uint8_t* marks)
{
	memset(marks, 0, (size_t)dynamics->more.count);
	for (int32_t i = 0; i < dynamics->contacts.count; ++i)
	{
		const brContact* contact = &dynamics->contacts.data[i];
		if (contact->bodyB >= 0 && contact->more >= 0 && marks[contact->more]++ > 0)
		{
			return false;
		}
	}
	for (int32_t at = dynamics->freeMore; at >= 0; at = dynamics->more.data[at].next)
	{
		if (marks[at]++ > 0)
		{
			return false;
		}
	}
	return true;
}

static brResult checkLists(const brDynamics* dynamics, brReport* report)
{
	const FreeList lists[] = {{dynamics, dynamics->freeBody, dynamics->bodies.count, nextBody},
							  {dynamics, dynamics->freeJoint, dynamics->joints.count, nextJoint},
							  {dynamics, dynamics->freeContact, dynamics->contacts.count, nextContact},
							  {dynamics, dynamics->freeMore, dynamics->more.count, nextMore}};
	bool isSound = true;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); ++i)
	{
		isSound = isSound && checkIsFreeList(lists[i]);
	}
	uint8_t* marks = isSound ? BR_ALLOC(&dynamics->allocator, uint8_t, dynamics->more.count) : NULL;
	if (isSound && marks == NULL)
	{
		return brFailMemory(report);
	}
	isSound = isSound && checkOwners(dynamics, marks);
	BR_FREE(&dynamics->allocator, marks, dynamics->more.count);
	return isSound ? br_success : brFail(report, br_errorFormat, "the lists of free slots of the snapshot are damaged");
}

brResult brCheckSnapshot(brDynamics* dynamics, brReport* report)
{
	dynamics->bodyCount = 0, dynamics->jointCount = 0;
	for (int32_t i = 0; i < dynamics->shapes.count; ++i)
	{
		dynamics->shapes.data[i].users = 0;
	}
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		const brBody* body = &dynamics->bodies.data[i];
		if (!checkIsBody(dynamics, body))
		{
			return brFailAt(report, br_errorFormat, i, "body %d of the snapshot is damaged", i);
		}
		if (brBody_IsThere(body))
		{
			dynamics->shapes.data[body->shape].users += 1;
			dynamics->bodyCount += 1;
		}
	}
	for (int32_t i = 0; i < dynamics->joints.count; ++i)
	{
		if (!checkIsJoint(dynamics, &dynamics->joints.data[i]))
		{
			return brFailAt(report, br_errorFormat, i, "joint %d of the snapshot is damaged", i);
		}
		dynamics->jointCount += dynamics->joints.data[i].kind >= 0;
	}
	for (int32_t i = 0; i < dynamics->contacts.count; ++i)
	{
		if (!checkIsContact(dynamics, &dynamics->contacts.data[i]))
		{
			return brFailAt(report, br_errorFormat, i, "contact %d of the snapshot is damaged", i);
		}
	}
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		if (!checkIsPair(dynamics, i))
		{
			return brFailAt(report, br_errorFormat, i, "pair %d of the snapshot is damaged", i);
		}
	}
	return checkLists(dynamics, report);
}
