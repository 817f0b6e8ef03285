// SPDX-License-Identifier: MIT
#pragma once

// Bodies, contacts and joints of one world, and the stages that move them. What the public functions do with ids,
// events and snapshots is in src/world; here everything goes by slot index.
//
// A step: pairs (broad phase) -> touch (narrow phase) -> islands -> blocks (colors) -> solve -> finish.

#include "base/array.h"
#include "brittle/world.h"
#include "contact/manifold.h"
#include "index/pairs.h"

/// A body at rest in memory: plain data, saved and hashed as it is. Positions and velocities are of the center of mass,
/// the rotation is that of the shape's principal axes.
typedef struct brBody
{
	brDVec3 position;
	brQuat rotation;
	brDVec3 velocity;
	brDVec3 spin;
	brDVec3 inertia;    // principal; 0 unless dynamic
	brDVec3 invInertia; // 0 unless dynamic
	double mass;
	double invMass; // 0 unless dynamic
	uint64_t userData;
	float friction;
	float restitution;
	float rolling;
	float spinning;
	float linearDamping;
	float angularDamping;
	float gravityScale;
	float sleepTime; // how long it has been slow
	int32_t shape;
	uint32_t generation;
	int32_t next;    // of a free slot: the next one, or -1
	int8_t kind;     // brBodyKind, or -1: the slot is free
	bool isAwake;    // kinematic and dynamic
	bool canSleep;   //
	bool isSetAside; // its state was no longer finite
	bool isReported; // and that was said
	bool isNewborn;  // came in the middle of this step, in the place of another
	bool isPiece;    // of something broken: too many to step them in parts
	bool isMeeting;  // within a step: it is fast relative to something it may reach
	bool isSensor;   // tells what touches it, and touches nothing
	bool isDriven;   // moved, pushed or woken from outside since the last step: its island keeps what it was given
	uint8_t weight;  // how many times its mass it counted for in its contacts, as a power of two; see blocks.c
	bool padding;
	uint32_t category, collidesWith;
	float calmTime;    // for how long it has lain against something, and neither been fast nor gone anywhere [s]
	float stillTime;   // for how long no point of it has left its place by more than what counts as a way [s]
	brDVec3 calmPlace; // where it was when that began [m]
	brDVec3 stillPlace;
	float stillTurn[4]; // rotation then, x y z w
	double debt;        // energy it was lifted by and could not pay yet, see energy.c [J]
} brBody;

_Static_assert(sizeof(brBody) == 320, "a body has bytes without a name");

static inline bool brBody_IsThere(const brBody* body)
{
	return body->kind >= 0;
}

/// Whether their categories let them meet.
static inline bool brBody_MayMeet(const brBody* a, const brBody* b)
{
	return (a->category & b->collidesWith) != 0 && (b->category & a->collidesWith) != 0;
}

/// One of the two is a sensor: the pair tells of their overlap, and nothing moves, wakes or breaks by it.
static inline bool brBody_IsSensed(const brBody* a, const brBody* b)
{
	return a->isSensor || b->isSensor;
}

/// Of a pair of slots, in any order.
static inline uint64_t brPassKey(int32_t a, int32_t b)
{
	return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}

static inline bool brBody_IsMoving(const brBody* body)
{
	return body->kind > br_bodyStatic && body->isAwake && !body->isSetAside;
}

/// It stands where it is and touches nothing from now on; the end of the step tells.
static inline void brBody_SetAside(brBody* body)
{
	body->velocity = brMakeDVec3(0.0, 0.0, 0.0);
	body->spin = brMakeDVec3(0.0, 0.0, 0.0);
	body->isSetAside = true;
	body->isAwake = false;
}

/// Upper bound of the speed of its fastest point. A needle may turn fast about its long axis without going anywhere.
static inline double brBody_Speed(const brBody* body, const brShape* shape)
{
	brDVec3 w = brQuat_InvRotate(body->rotation, body->spin);
	double x = fabs((double)shape->boxCenter.x) + (double)shape->half.x;
	double y = fabs((double)shape->boxCenter.y) + (double)shape->half.y;
	double z = fabs((double)shape->boxCenter.z) + (double)shape->half.z;
	brDVec3 across = {fabs(w.y) * z + fabs(w.z) * y, fabs(w.z) * x + fabs(w.x) * z, fabs(w.x) * y + fabs(w.y) * x};
	return brDLength(body->velocity) + fmin(brDLength(across), brDLength(w) * (double)shape->radius);
}

#define BR_LEANS_ON_STATIC 1
#define BR_LEANS_ON_KINEMATIC 2
#define BR_HAS_JOINT 4

/// Of a body in brDynamics.takesPart.
#define BR_TAKES_PART 1

/// What the stages of one step need of each body, close together.
typedef struct brBodyFrame
{
	brVec3 x, y, z;        // axes in the world
	float motion;          // upper bound of how far a point of it goes in this step
	float speed;           // the same by its velocity alone
	float travel;          // how far its middle goes by that
	float thickness;       // of its shape, as the next three: shapes lie all over memory
	float radius;          //
	int8_t shapeKind;      //
	bool isRolling;        // its shape is round, as brShape_Rolls says
	int32_t state;         // in the solver, or -1: it stands still
	brVec3 moved;          // in this step; 0 before its end
	double kinetic;        // energy at its start, once it has ended [J]
	brVec3 velocity, spin; // likewise
	uint8_t leansOn;       // what its island touches: BR_LEANS_ON_...
	bool isLanding;        // it may reach something still in this step
	bool isPressed;        // something pressed on it a step ago
	float carried;         // mass of what lies on it, if something there is much heavier [kg]
	uint8_t weight;        // how many times its mass it counts for, as a power of two
	float burden;          // mass of the heaviest body that touches it, if that is much heavier [kg]
	bool isTurned;         // the solver changed its spin
	bool isSpun;           // for guard.c: its axes turned far
	float swing;    // likewise: how far what is 1 m away from it goes when its axes turn, unless they turned far [m]
	bool isSetBack; // likewise: it was set back at the end of the step
	bool isTop;     // it turns far in this step, see tops.c
	bool isBooked;  // it moves and has energy: its step is in the books
	bool isAsked;   // for meet_again.c: it was, about the way below
	brVec3 askedMoved, askedTurned;
} brBodyFrame;

typedef struct brContactPoint
{
	brVec3 anchorA, anchorB; // the same place in the axes of both when the point was made
	float separation;        // then
	float impulse;           // along the normal in the last substep, for the warm start
	float total;             // along the normal, over the last step
	uint32_t id;
} brContactPoint;

/// Points that share a normal, and friction among them.
typedef struct brManifold
{
	brVec3 normal; // from A to B in A's axes
	int32_t pointCount;
	brVec3 friction;   // impulses for the warm start: tangential, in the world
	float twist;       // about the normal
	brVec3 rolling;    // in the world
	float approach;    // largest closing speed before the step
	float lift;        // by which the solver sees it deeper than it is, so that under its load it is not
	int32_t isLifting; // it is deeper than it should lie, and on its way out
	brContactPoint points[BR_MANIFOLD_POINTS];
} brManifold;

/// Manifolds of a pair beyond the first. Pairs with a concave body have them, and hulls on half-spaces.
typedef struct brMoreManifolds
{
	int32_t next; // of a free slot: the next one, or -1
	int32_t padding[3];
	brManifold manifolds[BR_PAIR_MANIFOLDS - 1];
} brMoreManifolds;

/// A pair of bodies whose boxes overlap, with what is remembered from step to step. A is the one with the lower kind of
/// shape, of equal ones the lower slot. Manifolds beyond the count, and points beyond theirs, mean nothing.
typedef struct brContact
{
	int32_t bodyA, bodyB; // bodyA is the next free contact while the slot is free
	int32_t manifoldCount;
	int32_t more; // slot of the other manifolds, or -1
	float
		apart; // without manifolds a lower bound of the distance at the pose below, else the margin they were found within
	brPairMemory memory;
	brVec3 position;   // of B in A's axes when the points were made
	float rotation[4]; // of B relative to A then
	bool isMade;       // position and rotation are set
	bool isTouching;   // has manifolds now
	bool wasTouching;  // at the end of the last step
	bool isRecycled;   // in this step
	bool isPostponed;  // its points were to be found anew, but the step was over its budget of time
	bool isFresh;      // found, or found not to be, in this step
	uint8_t restless;  // slow steps in which its contact points had to be found again
	uint8_t lifting;   // for how many steps it was deeper than it should lie
	bool isMet;        // its points are those of where the two will meet: good for this step only
	uint8_t deep;      // for how many steps the two were deep in each other
	uint8_t padding[2];
	brManifold first;
	float rest; // overlap that bodies were born with and that does not push, 0 or less
} brContact;

_Static_assert(sizeof(brContact) == 76 + 216, "a contact has bytes without a name");

/// First contacts of two bodies that came side by side in this step, known without a search.
typedef struct brBirth
{
	uint64_t key; // as of pairs
	uint32_t generations[2];
	int32_t count;
	brTouch touches[BR_PAIR_MANIFOLDS]; // in the axes of the lower slot, normals from there
} brBirth;

typedef struct brContactPair
{
	uint64_t key; // lower slot in the high half
	int32_t contact;
	int32_t padding;
} brContactPair;

typedef struct brJoint
{
	int32_t kind; // brJointKind, or -1: the slot is free
	int32_t bodyA, bodyB;
	int32_t next;
	uint32_t generation;
	bool enableContact;
	bool enableLimit, enableMotor;
	bool padding;
	double lowerAngle, upperAngle, motorSpeed, motorTorque, springHertz, springDamping;
	brDVec3 anchorA, anchorB; // in the axes of the bodies
	brDVec3 axisA;            // hinge, in A's axes
	brQuat relative;          // rotation of B relative to A at rest
	double breakForce, breakTorque;
	brDVec3 impulse;  // for the warm start, in the world
	brDVec3 twisting; // angular, in the world
} brJoint;

typedef struct brShapeEntry
{
	brShape* shape; // null: the slot is free
	uint64_t hash;  // the shape's, so that none is read to be told apart
	int32_t users;
} brShapeEntry;

/// Everything the solver needs about time.
typedef struct brStepTime
{
	double dt, h;
	int32_t substeps;
	float rate[2], massScale[2], impulseScale[2]; // of soft contacts: between moving bodies, against still ones
} brStepTime;

/// Overlapping boxes from somewhere else than brPairSearch: the same pairs, in any order. The list is the finder's
/// until its next call.
typedef struct brPairFinder
{
	brResult (*find)(void* user, const brBox3* boxes, int32_t count, const brPair** outPairs, int64_t* outCount,
					 brReport* report);
	int32_t fewest; // boxes: fewer are not worth the copy
	void* user;
} brPairFinder;

typedef struct brDynamics brDynamics;

/// Where pairs touch of which one at least is a mesh or a surface, from somewhere else than here, with the same bits.
/// Queries name shapes by their slots and are the place's own from then on; so are the answers, until its next call.
typedef struct brTouchDevice
{
	brResult (*find)(void* user, const brDynamics* dynamics, brTouchQuery* queries, int32_t count,
					 const brTouchAnswer** outAnswers, brReport* report);
	int32_t fewest; // pairs: fewer are not worth the copy
	int32_t most;   // points of a shape; shapes with more stay on the CPU
	void* user;
} brTouchDevice;

/// The passes of a substep over bodies and over contacts.
typedef enum brSolverPass
{
	br_solverFirstForces, // of a step
	br_solverForces,
	br_solverMove,
	br_solverWarm, // from here on over contacts
	br_solverHits,
	br_solverBiased,
	br_solverRelax,
	br_solverFollow, // contacts of tops; from here on here alone
	br_solverForget,
	br_solverBookBlocks,
	br_solverTurns, // over bodies
	br_solverBookBefore,
	br_solverBookAfter,
} brSolverPass;

typedef enum brSolverPart
{
	br_solverStates,
	br_solverImpulses, // with the passes' other numbers of bodies, and with impulses of contacts
	br_solverAll,      // with all of contacts; to be sent only
} brSolverPart;

/// The passes somewhere else than here, with the same bits. Each function says false once that place does not answer
/// any more: then blocks and states are to be made anew.
typedef struct brSolverDevice
{
	bool (*begin)(void* user, const brDynamics* dynamics, const brStepTime* time);
	bool (*pass)(void* user, brSolverPass pass);
	bool (*send)(void* user, const brDynamics* dynamics, brSolverPart part);
	bool (*fetch)(void* user, brDynamics* dynamics, brSolverPart part);
	bool (*fetchHits)(void* user, brDynamics* dynamics, bool* outIsAny); // of the last br_solverHits, into blocks
	int32_t fewest;                                                      // blocks: fewer are not worth the copy
	void* user;
} brSolverDevice;

/// Energy that went, by what took it, and what kinematic bodies gave. Nothing in the world depends on it. [J]
typedef struct brEnergyBooks
{
	double friction, restitution, damping, solver;
	double driven;
	double dust; // energy that dust had which was taken out of the world
} brEnergyBooks;

/// What holds for one step only: begun anew by brDynamics_Step, changed by its stages in their order, without meaning
/// between steps.
typedef struct brStepContext
{
	double h;               // substep of a step that is not cut [s]
	int64_t narrowEnd;      // until when contact points are found without regard to time [ns]; 0: always
	bool canBreak;          // the world has breakable bodies: only pairs that would pass through each other are swept
	bool isMetAhead;        // pairs that would pass through each other are swept, and step in slices
	bool hasSolids;         // some concave body moves
	bool isPart;            // a slice: only the bodies of takesPart step
	bool isTouched;         // the contacts of this step have been found
	bool isAgain;           // and bodies have been replaced since: find those of the new ones
	bool hasBounces;        // some contact may bounce
	bool isElastic;         // and gives more than half of the speed back
	bool isWhirling;        // and turns far in the step, which is made in parts
	bool areFast;           // some go far for their thickness, in even parts
	double whirling;        // the fastest spin that hits of such contacts gave in the last solution [rad/s]
	bool hasTops;           // some body in contact is a top
	bool hasDrivers;        // some body in contact is kinematic
	bool hasShares;         // some counts for more than its mass
	bool areLinked;         // bodies know their contacts, for bounce.c
	brEnergyBooks hits;     // what hits of the solution took that is there now
	brEnergyBooks books;    // the same with contacts, of a step or a part of it that ends
	bool areContactsBooked; // substep by substep

	const struct brDynamicsHook* hook; // or null
} brStepContext;

struct brDynamics
{
	brContext context;
	brAllocator allocator;
	brWorldDef def;
	BR_ARRAY(brBody) bodies;
	BR_ARRAY(brShapeEntry) shapes;
	BR_ARRAY(brContact) contacts;
	BR_ARRAY(brMoreManifolds) more;
	BR_ARRAY(brContactPair) pairs; // sorted by key
	BR_ARRAY(brJoint) joints;
	int32_t freeBody, freeContact, freeMore, freeJoint; // heads of the lists of free slots, or -1
	int32_t bodyCount, jointCount;
	brStepStats stats;
	brEnergyBooks books; // of all steps

	bool (*acceptsPair)(const void* owner, int32_t a, int32_t b); // or null: all
	const void* owner;                                            // of the filter
	brPairFinder finder;                                          // or nothing: `search`
	brTouchDevice toucher;                                        // or nothing: here
	brSolverDevice solver;                                        // or nothing: here

	// Scratch that lives on.
	brPairSearch search;
	BR_ARRAY(brContactPair) nextPairs;
	BR_ARRAY(brBirth) births;     // of this step, sorted by key
	BR_ARRAY(uint64_t) passKeys;  // pairs of which one goes through a hole in the other, by brPassKey
	BR_ARRAY(uint64_t) jointKeys; // pairs that joints and holes keep from colliding, sorted
	brStageMemory frames;         // brBodyFrame [bodies]
	brStageMemory boxes;          // brBox3 [bodies]
	brStageMemory boxBodies;      // int32_t: body of each box
	brStageMemory counters;       // int32_t [bodies]: of a sort
	brStageMemory keys[2];        // uint64_t
	brStageMemory asked;          // see touch.c
	brStageMemory queries;        // brTouchQuery [asked]
	brStageMemory parents;        // int32_t [bodies]: union-find
	brStageMemory islandAwake;    // uint8_t [bodies], by root
	brStageMemory islandEnergy;   // by root, for energy.c
	brStageMemory islandLeansOn;  // uint8_t [bodies], by root
	brStageMemory thrown;         // by root, for thrown.c
	brStageMemory balance;        // see balance.c
	brStageMemory balanceIslands; // int32_t [bodies], by root
	brStageMemory touching;       // int32_t: contacts that touch or did a step ago, by pair
	brStageMemory active;         // int32_t: manifolds to solve, by pair; see brDynamics_Manifold
	brStageMemory seams;          // see seams.c
	brStageMemory order;          // int32_t: the same by color and number of points
	brStageMemory masks;          // uint64_t [bodies]: colors taken; before that brBodyNews
	brStageMemory contactColors;  // uint8_t [active]
	brStageMemory states;         // brSolverState
	brStageMemory stateBodies;    // brSolverBody
	brStageMemory turns;          // brSolverTurn, for tops.c
	brStageMemory means;          // brSolverState, for books.c
	brStageMemory blocks;         // brContactBlock
	brStageMemory ranges;         // brColorRange
	brStageMemory jointWork;      // brJointWork
	brStageMemory bounceHits;     // see bounce.c
	brStageMemory bounceLanes;    //
	brStageMemory bounceLinks;    //
	BR_ARRAY(brContactEvent) contactEvents;
	BR_ARRAY(brBodyEvent) bodyEvents;
	int32_t touchingCount, activeCount, blockCount, rangeCount, stateCount, balanceCount, jointWorkCount;
	int32_t contactEventEnd, bodyEventEnd; // events of the last step; what was added since belongs to the next
	BR_ARRAY(uint8_t) takesPart;           // by body, while isPart: BR_TAKES_PART, or it is left out
	brStageMemory partMost;                // float [bodies]
	brStageMemory partMovers;              // brBody
	float burdenRatio;                     // the most times its own mass that something at rest carries in one body
	brStepContext step;
};

static inline brBodyFrame* brDynamics_Frames(const brDynamics* dynamics)
{
	return (brBodyFrame*)dynamics->frames.data;
}

/// The contact of a pair. Contacts lie in memory in the order in which pairs came to be, so those of some pairs on are
/// asked for.
static inline brContact* brDynamics_PairContact(const brDynamics* dynamics, int32_t pair)
{
	int32_t ahead = pair + 8 < dynamics->pairs.count ? pair + 8 : pair;
	const char* next = (const char*)&dynamics->contacts.data[dynamics->pairs.data[ahead].contact];
	__builtin_prefetch(next);
	__builtin_prefetch(next + 64);
	return &dynamics->contacts.data[dynamics->pairs.data[pair].contact];
}

/// A contact of those that touch or did a step ago, by pair; from brDynamics_Islands to the end of the step. Others
/// hold nothing together.
static inline brContact* brDynamics_Touching(const brDynamics* dynamics, int32_t index)
{
	const int32_t* touching = dynamics->touching.data;
	int32_t ahead = index + 8 < dynamics->touchingCount ? index + 8 : index;
	__builtin_prefetch(&dynamics->contacts.data[touching[ahead]]);
	return &dynamics->contacts.data[touching[index]];
}

/// Manifolds go through the solver by the number of their contact times BR_PAIR_MANIFOLDS plus their place in it.
static inline brContact* brDynamics_ContactOf(const brDynamics* dynamics, int32_t manifold)
{
	return &dynamics->contacts.data[manifold / BR_PAIR_MANIFOLDS];
}

static inline brManifold* brContact_Manifold(const brDynamics* dynamics, const brContact* contact, int32_t index)
{
	return index == 0 ? (brManifold*)&contact->first : &dynamics->more.data[contact->more].manifolds[index - 1];
}

/// Of its points when they were made, 0 or less: how deep the two are in each other.
static inline float brContact_Deepest(const brDynamics* dynamics, const brContact* contact)
{
	float lowest = 0.0f;
	for (int32_t i = 0; i < contact->manifoldCount; ++i)
	{
		const brManifold* manifold = brContact_Manifold(dynamics, contact, i);
		for (int32_t k = 0; k < manifold->pointCount; ++k)
		{
			lowest = fminf(lowest, manifold->points[k].separation);
		}
	}
	return lowest;
}

static inline brManifold* brDynamics_Manifold(const brDynamics* dynamics, int32_t manifold)
{
	return brContact_Manifold(dynamics, brDynamics_ContactOf(dynamics, manifold), manifold % BR_PAIR_MANIFOLDS);
}

/// The smaller of two radii or thicknesses. Half-spaces and what else has none of its own say 0, and the other's counts.
static inline float brSmallerSize(float a, float b)
{
	return a > 0.0f && (a < b || !(b > 0.0f)) ? a : b;
}

static inline brBodyId brDynamics_BodyId(const brDynamics* dynamics, int32_t body)
{
	return (brBodyId){body + 1, dynamics->bodies.data[body].generation};
}

// The stages, in order. Those that return a result may find no memory; up to brDynamics_BalanceBefore nothing has moved.

/// Frames of all bodies, candidate pairs, merged with those of the last step.
brResult brDynamics_FindPairs(brDynamics* dynamics, double dt, brReport* report);

/// The frames alone, for bodies that have moved.
void brDynamics_MakeFrames(brDynamics* dynamics, double dt);

/// How far points near both bodies may move relative to each other in this time, as they move now: nothing if they go
/// as one.
float brDynamics_PairMotion(const brDynamics* dynamics, int32_t a, int32_t b, double dt);

/// Takes down what two bodies touch in that came in the middle of this step, a < b by slot, both of the same kind of
/// shape. False without memory.
bool brDynamics_AddBirth(brDynamics* dynamics, int32_t a, int32_t b, const brTouch* touches, int32_t count);

/// Contact points of all pairs with a moving body.
void brDynamics_Touch(brDynamics* dynamics, double dt);

/// Wakes what is touched by what moves. Needs memory before it changes anything.
brResult brDynamics_Islands(brDynamics* dynamics, double dt, brReport* report);

/// Takes manifolds at seams between still bodies out of the list; returns how many are left. dynamics->seams has room
/// for it.
int32_t brDynamics_DropSeams(brDynamics* dynamics, int32_t* active, int32_t count, double dt);

/// Contacts by color in blocks for the solver, and the states of moving bodies.
brResult brDynamics_MakeBlocks(brDynamics* dynamics, const brStepTime* time, brReport* report);

/// Of a solution that will not do: the next blocks give them anew.
void brDynamics_DropStates(brDynamics* dynamics);

/// Momentum of islands that nothing outside holds, before they move. The last stage that needs memory.
brResult brDynamics_BalanceBefore(brDynamics* dynamics, brReport* report);

/// How states move. Bodies, contacts and joints stay as they are. False if `solver` does not answer: it is to be left
/// out, and blocks are to be made anew.
bool brDynamics_Solve(brDynamics* dynamics, const brStepTime* time);

/// Whether bodies leave the solver faster than anything that came explains; then the guess of their impulses is
/// dropped, and they are solved again.
bool brDynamics_FindThrown(brDynamics* dynamics, double dt);
void brDynamics_DropImpulses(brDynamics* dynamics);
bool brDynamics_ReserveThrown(brDynamics* dynamics);

/// Contacts for fast concave pairs that would meet on the way the solver found, and not on the one they were asked
/// about. Returns how many there are; then states are to be made and solved anew.
int32_t brDynamics_MeetAgain(brDynamics* dynamics, const brStepTime* time);

/// What the solver found, into contacts and joints.
void brDynamics_StoreImpulses(brDynamics* dynamics, const brStepTime* time);

/// Gives them what they lost of it. Part of brDynamics_Finish.
void brDynamics_BalanceAfter(brDynamics* dynamics, double dt);

/// Bodies that turned into a half-space come out again. Part of brDynamics_Finish.
void brDynamics_PutBack(brDynamics* dynamics);

/// What news of a hit crosses until it comes to a body: 0 where there is one, INFINITY to begin with; and how far it
/// may come.
typedef struct brBodyNews
{
	float way, reach;
} brBodyNews;

static inline brBodyNews* brDynamics_News(const brDynamics* dynamics)
{
	return dynamics->masks.data;
}

/// Which pairs of boxes that overlap may come together in this step, see reach.c.
typedef struct brReached
{
	float* gaps;      // [pairs] between bodies that fly freely
	brBodyNews* news; // [bodies]
} brReached;

void brDynamics_FindReached(const brDynamics* dynamics, const brPair* pairs, int32_t count, double dt,
							brReached* reached);

/// `a` and `b` are the bodies of the pair.
bool brReached_Has(const brReached* reached, int32_t a, int32_t b, int32_t index);

/// Sets back what would end on the other side of something. Part of brDynamics_Finish, once bodies have moved.
void brDynamics_Guard(brDynamics* dynamics);

/// Takes off what islands on static bodies gained of energy. Part of brDynamics_Finish, when nothing moves any more.
void brDynamics_KeepEnergy(brDynamics* dynamics, double dt);
bool brDynamics_ReserveEnergy(brDynamics* dynamics);
double brBody_Kinetic(const brBody* body);

/// What a shift out of something lifts a body by it pays: with its motion along the normal, then with its turning
/// across it. Without friction nothing else may change. What it does not have it does not pay.
void brBody_PayLift(brBody* body, brDVec3 gravity, brDVec3 normal, brDVec3 shift);

/// Kinetic and potential. [J]
double brBody_Energy(const brDynamics* dynamics, const brBody* body);

/// What contacts of this step took, once they are solved and before bodies take over their velocities; and the rest, at
/// the end.
void brDynamics_BookContacts(brDynamics* dynamics);

/// The same for one substep: ranges of bodies before its forces and after it, then what kinematic bodies gave, then
/// ranges of blocks.
void brDynamics_BookBefore(brDynamics* dynamics, int32_t begin, int32_t end);
void brDynamics_BookAfter(brDynamics* dynamics, int32_t begin, int32_t end);
void brDynamics_BookDriven(brDynamics* dynamics);
void brDynamics_BookBlocks(brDynamics* dynamics, int32_t begin, int32_t end);
void brDynamics_BookRest(brDynamics* dynamics, const brStepTime* time);

/// In the axes of the world.
brMat3 brBody_Inertia(const brBody* body);

/// Whether a body turns so far in a time that the axes of its start will not do for it.
bool brIsTop(brDVec3 inertia, brDVec3 spin, double dt);

/// Whether a top turns so far in a time that impulses of before say nothing about those to come.
bool brTopForgets(brDVec3 spin, double dt);

/// Turns a body on which no torque acts by its angular momentum, which it keeps exactly.
void brTurnFreely(double t, brDVec3 inertia, brDVec3 invInertia, brQuat* rotation, brDVec3* spin);

/// Poses, bodies that are no longer finite, sleep.
void brDynamics_Finish(brDynamics* dynamics, const brStepTime* time);

/// Counts slow time and puts islands to sleep. Their union-find must be that of this step.
void brDynamics_Sleep(brDynamics* dynamics, double dt);

brStepTime brMakeStepTime(const brWorldDef* def, double dt, int32_t substeps);

/// Everything after the pairs: contacts and how bodies move, while nothing has moved yet; then the rest.
brResult brDynamics_SolveStages(brDynamics* dynamics, const brStepTime* time, brReport* report);
void brDynamics_EndStages(brDynamics* dynamics, const brStepTime* time);

/// Both.
brResult brDynamics_StepStages(brDynamics* dynamics, const brStepTime* time, brReport* report);

/// Called between contacts and solver, when nothing has moved yet. It may add and remove bodies and change velocities;
/// if bodies have come or gone it sets `outChanged`, contacts are found once more and it is called again, a few times
/// at most.
typedef struct brDynamicsHook
{
	brResult (*call)(void* user, double dt, bool* outChanged, brReport* report);
	/// Whether hits on a body have to be judged, which is done once a step.
	bool (*isJudged)(const void* user, int32_t body);
	void* user;
} brDynamicsHook;

/// Of what can break, and of pieces while something can, hits are judged once a step, so that they make it in one go.
static inline bool brDynamics_IsJudged(const brDynamics* dynamics, int32_t body)
{
	const brDynamicsHook* hook = dynamics->step.hook;
	return hook != NULL && (dynamics->bodies.data[body].isPiece || hook->isJudged(hook->user, body));
}

/// One step of all. `hook` may be null.
brResult brDynamics_Step(brDynamics* dynamics, double dt, const brDynamicsHook* hook, brReport* report);

void brDynamics_Init(brDynamics* dynamics, const brContext* context, const brWorldDef* def);
void brDynamics_Free(brDynamics* dynamics);

// Steps of some bodies only, in parts.c.

static inline bool brDynamics_IsLeftOut(const brDynamics* dynamics, int32_t body)
{
	return dynamics->step.isPart && dynamics->takesPart.data[body] != BR_TAKES_PART &&
		   dynamics->bodies.data[body].kind == br_bodyDynamic;
}

/// Marks bodies that are fast for their thickness and may hit each other, or whirl and bounce, with all they may reach.
/// The number is that of parts into which their step should be cut; 1: nobody is fast.
brResult brDynamics_FindSlices(brDynamics* dynamics, double dt, int32_t* outParts, brReport* report);

/// Whether a pair is among those whose ways are looked at once they are solved, and whose step is made in parts if they
/// turn too much. Where all bodies are convex it is cheaper to step in even parts what is fast; but what hits something
/// that does not move is fast only then. Half-spaces have no far side, so only what bounces well minds that it dips
/// into one.
bool brDynamics_IsSolvedAgain(const brDynamics* dynamics, const brContact* contact);

/// What a body counts for in the budget of parts.
int32_t brDynamics_SliceWeight(const brDynamics* dynamics, int32_t body);

/// After a solution, before anything has moved: the most that concave bodies turn under their contacts, over 1 if it is
/// too much for one step; 0 if none of them presses.
float brDynamics_MostTurning(const brDynamics* dynamics);

/// Marks the islands of those that turn too much. The number is that of parts which their step may take; 1: nobody does.
brResult brDynamics_FindTurning(brDynamics* dynamics, int32_t* outParts, brReport* report);

/// A step of all, those marked in parts: as many as said, or up to that many if they turn too much. `isSolved`:
/// contacts have been found for the whole step.
brResult brDynamics_StepSlices(brDynamics* dynamics, double dt, int32_t parts, bool isSolved, brReport* report);

/// Memory for this many manifolds, and for the balance of this many bodies.
bool brDynamics_ReserveBlocks(brDynamics* dynamics, int64_t manifolds);
bool brDynamics_ReserveBalance(brDynamics* dynamics, int64_t bodies);

/// Gives back the pairs of a body and wakes the others.
void brDynamics_DropPairs(brDynamics* dynamics, int32_t body);
void brDynamics_FreeJoint(brDynamics* dynamics, int32_t joint);
void brDynamics_Wake(brDynamics* dynamics, int32_t body);

/// B relative to A; `turn` is its rotation.
brRelativePose brMakeRelativePose(const brBody* a, const brBody* b, brQuat turn);

/// How two bodies move for some time: each by a constant velocity and spin.
typedef struct brPairPath
{
	const brShape* shapes[2];
	brDVec3 positions[2], velocities[2], spins[2];
	brQuat rotations[2];
	bool isStill;   // one of them stands still
	double pull;    // by which one falls and the other does not
	double closing; // the most that any two points near both close by [m/s]
	double dt;
} brPairPath;

/// As they move now.
brPairPath brMakePairPath(const brDynamics* dynamics, const brContact* contact, double dt);

/// One of them is a solid that may be hollow, and there is a plane between things it passes by: not so with the ground.
static inline bool brPairPath_IsConcave(const brPairPath* path)
{
	return path->shapes[1]->kind == br_shapeMesh && path->shapes[0]->kind != br_shapeHalfSpace;
}

/// Where a pair first touches.
typedef struct brMeeting
{
	brRelativePose pose; // then
	brQuat turn;
	double time;      // from now [s]
	brQuat turns[2];  // of each body until then, in its own axes
	brDVec3 spins[2]; // on the way there
	float margin;     // within which the points were found
	int32_t count;
	brTouch touches[BR_PAIR_MANIFOLDS];
} brMeeting;

/// False if they do not meet. `memory` has the direction that parted them last time, and gets that of now.
bool brPairPath_Meet(const brPairPath* path, brPairMemory* memory, brMeeting* outMeeting);

/// New manifolds of a contact, made where the two meet; impulses of those it had go over.
void brContact_SetMeeting(const brDynamics* dynamics, brContact* contact, const brMeeting* meeting);

/// New manifolds in place of a pair's old ones, with what was in those of nearly the same normal. Of bodies that are
/// calm old points stay beside them.
void brContact_Replace(const brDynamics* dynamics, brContact* contact, const brTouch* touches, int32_t count,
					   const brRelativePose* pose, bool isCalm);
