// SPDX-License-Identifier: MIT
#pragma once

// Numbers that were chosen, with the reason. Lengths are parts of the smaller body's thickness, so they follow its size.

/// Points this far apart already take part. More makes more points than hold anything, less lets slow bodies sink in
/// before they are seen.
#define BR_CONTACT_MARGIN 0.02

/// Still bodies whose surfaces are this near to one plane are one floor. Less lets tiles that were placed by hand catch
/// what slides over them, more lets things go over small steps as if they were none.
#define BR_SEAM_SLACK 0.002

/// Contact points are kept while the pair has moved less than this since they were made. At 1% a slender tower sways on
/// old points; at 0.2% piles creep for ever.
#define BR_RECYCLE_TOLERANCE 0.004

/// What a pair may move by that is restless (its points were found anew in many steps, and it is slow): wider by this
/// part of the tolerance for each such step, up to these parts of the thickness and of the radius. The radius keeps
/// this from what is thick: bricks never get more than the tolerance above. Without it spoons in a bowl and shards of
/// glass go on for ever.
#define BR_RESTLESS_WIDENS 0.25
#define BR_RECYCLE_MOST 0.3
#define BR_RECYCLE_RADIUS 0.003

/// What a pair may move by that has gone nowhere for a while: these parts of the thickness and of the radius, after so
/// long. On points that stay what they are all motion dies out; what is moved by its points finding others, and back,
/// goes on for ever.
#define BR_RECYCLE_CALM 0.1
#define BR_RECYCLE_CALM_RADIUS 0.01
#define BR_RECYCLE_CALM_TIME 4.0 // [s]

/// Slow is what moves in a step by less than a part of the thickness, or of what gravity would move it by. What is
/// faster calms the pair by so many steps.
#define BR_RESTLESS_THICKNESSES 0.25
#define BR_RESTLESS_PULL 0.5
#define BR_RESTLESS_CALMS 4

/// After so many restless steps, and again after as many, overlap of more than this part of the thickness no longer
/// pushes, unless it is more than so many thicknesses. Once in a while is enough, once for all is not: glass stuck in
/// glass goes on moving.
#define BR_STUCK_STEPS 30
#define BR_STUCK_DEPTH 0.05
#define BR_STUCK_MOST 4.0
#define BR_STUCK_WEDGED 0.01 // the depth for hulls that have gone nowhere for seconds

/// The same for whatever is deeper than this part of the thickness for so many steps.
#define BR_STUCK_DEEP 0.25
#define BR_STUCK_LONG 60

/// A pressed body that moves by less than this part of what gravity would move it by is held, and looks no further
/// ahead than this part of its thickness.
#define BR_HELD_PULL 0.5
#define BR_HELD_REACH 0.25

/// A body this fast relative to another, in thicknesses a step, is about to hit it. What goes along with it looks as
/// far ahead as its own speed demands, since the two may part within the step.
#define BR_MEETING_THICKNESSES 0.5f

/// What is this fast relative to another, in thicknesses a step, may be stopped by it; what follows it then looks as
/// far ahead as its own speed demands. At half a thickness columns of boxes that fall one behind the other overlap by a
/// third.
#define BR_STOPPING_THICKNESSES 0.1f

/// Two convex bodies that may move more than this many thicknesses relative to each other in a step, and meet, make it
/// in parts; the most parts; and parts times bodies of such a group, so that one splinter does not make a large heap
/// slow. A concave body counts as so many.
#define BR_SLICE_THICKNESSES 1.0f
#define BR_SLICE_MAX 32
#define BR_SLICE_BODIES 16000
#define BR_SLICE_CONCAVE 100

/// Where some body is concave, contacts make their step in parts if points leave the straight line by this part of the
/// thickness because a body turns under them; or if a body is hit out of the box in which its neighbors were looked
/// for, by so many thicknesses. No part is so long that a body turns farther than this, since its way is known to
/// second order only.
#define BR_SLICE_SAG 0.25f
#define BR_SLICE_THROWN 2.0f
#define BR_SLICE_TURN 0.5 // [rad]

/// What falls farther than so many of its radii in a step is small; points of it may leave the straight line by this
/// part of its thickness. At one radius rings of 2 cm hop on at 30 Hz.
#define BR_SLICE_SMALL 0.5f
#define BR_SLICE_SMALL_SAG 0.05f

/// What bounces well turns no farther than this in a substep, where its step is made in parts, of at most so many
/// substeps.
#define BR_WHIRL_TURN 0.1 // [rad]
#define BR_WHIRL_SUBSTEPS 16.0

/// How often a step is solved again with contacts of pairs that were turned onto each other; only pairs are asked that
/// are off the way they were asked about by more than this part of the thickness.
#define BR_MEET_ROUNDS 3
#define BR_MEET_OFF 0.25

/// Pairs that may move by more than this in a step have the ways of their cores looked at when it is done. A plate that
/// is driven into a wall bit by bit is slower than one that goes through at once.
#define BR_GUARD_THICKNESSES 0.1f

/// What turns faster than this rolls on the curve its facets stand for; what is slower lies on the facets, and comes to
/// rest there. In a step.
#define BR_ROLLING_TURN 0.01 // [rad]

/// What moves farther than this part of the thickness in a step on something that stands still slides there: places
/// beside it, at which it may be in the next step, do not hold it yet. Heaps come to rest better with such places.
#define BR_SLIDING_THICKNESSES 0.05f

/// A point without its old id takes the impulse of an old point this near.
#define BR_CARRY_REACH 0.1

/// Between bodies that go nowhere old points stay that are no farther apart than this.
#define BR_CARRY_AHEAD 0.5

/// Impulses are not carried over to a normal that turned by more: cos 25 degrees.
#define BR_WARM_COSINE 0.906f

/// Stiffness of contacts times the substep when the def says 0. A tower is an elastic column: 20 bricks at 16 substeps
/// fall at 0.14. With a damping ratio of 3 everything is still up to here; with 5 a pyramid of 20 rows rocks for ever,
/// with 20 even one of six.
#define BR_CONTACT_HERTZ_STEP 0.1875

/// What a body may dip into a half-space while it turns, and what it must move by in a step to be looked at, as parts
/// of its thickness. Less takes houses of cards apart.
#define BR_PUT_BACK 0.01
#define BR_PUT_BACK_MOVED 0.1
/// The same for round meshes that roll over static bodies other than half-spaces: where tiles meet, points ahead of
/// them have askew normals.
#define BR_PUT_BACK_ROLLING 0.05
/// Cosine of the largest angle between the way a body is put back out of such a static body and the normal of one of
/// their contacts: 60 degrees.
#define BR_PUT_BACK_COSINE 0.5

/// What contacts give way by under a load is taken off at this rate; slower where the load of a substep would move the
/// lighter body faster than this part of what gravity does in a second, since heavy things swing slowly on light ones:
/// at twice this 1,000 : 1 on top falls through; and no more than so many times what a spring would give way by.
#define BR_LIFT_RATE 2.0f // [1/s]
#define BR_LIFT_PULL 1.0f
#define BR_LIFT_SAGS 2.0f

/// So many times the weights of both and of what lies on them a load is taken for; what is pressed by more is wedged in.
#define BR_LIFT_WEDGED 4.0f

/// A contact may give way as a spring does by this part of the thickness, unless something so many times as heavy lies
/// on one of the two: a heap of equals would be lifted to pieces. So may it under so many times its own weight, as far
/// as that is no deeper than what keeps a body awake; more on a corner or an edge, where friction holds what is moved by
/// little: at half of this houses of cards fall. For so many steps in all bodies stay awake until they are lifted.
#define BR_LIFT_THICKNESS 0.01f
#define BR_LIFT_RATIO 4.0
#define BR_LIFT_WEIGHTS 8.0f
#define BR_LIFT_BALANCED 16.0f
#define BR_LIFT_STEPS 200
#define BR_LIFT_CALM 5.0 // [s] and no longer than for this time after they came to lie there

/// What has something more than so many times its mass above it, and stands on something firm, counts as heavier in its
/// contacts, by as much as that is heavier: a sweep of the solver gives a contact the stiffness of the lighter side, and
/// 1,000 : 1 would sink in by a twentieth before it is lifted. Towers of equals stand as they are: houses of cards fall
/// if their lower cards count as heavier by little. Below this slope, as a cosine, something lies on something else, and
/// not in a wedge; through so many bodies one on another.
#define BR_CARRIES 2.0
#define BR_CARRIES_SLOPE 0.85
#define BR_CARRIES_BODIES 16

/// Deeper in something, or than this share of the thickness, bodies stay awake for as long.
#define BR_SUNK_LEAST 2e-4 // [m]
/// Slower than this share of the speed of what may sleep nothing comes out any more.
#define BR_RISING_SPEED 0.01
#define BR_SUNK_THICKNESS 0.01

/// What is left of it after a step in which the two moved.
#define BR_LIFT_KEPT 0.8f

/// Where something calm leaves what sleeps, what that carries by this share of its weight wakes with it.
#define BR_WAKING_LOAD 0.25

/// What lies against something static, slower than so many times the speed of what may sleep, rocks, rolls and rattles
/// on for ever on contacts that lose nothing. After this time its motion dies out, the faster the longer it goes on: at
/// the rate below times the seconds since, up to the most.
#define BR_CALM_SPEEDS 30.0
/// What goes on its way by more than this share of its radius slides or rolls: it is not calm, however slow.
#define BR_CALM_WAY 0.1
#define BR_CALM_TIME 1.0  // [s]
#define BR_CALM_RATE 4.0  // [1/s^2]
#define BR_CALM_MOST 40.0 // [1/s]

/// From this time on what may sleep may be faster than it else could, by so many times a second, up to the limit: by
/// then only noise is left.
#define BR_CALM_LONG 2.0 // [s]
#define BR_CALM_GROWS 3.0
#define BR_CALM_LIMIT 10.0

/// What has not left its place for this time is at rest, however fast it rattles there: contacts that do not agree on
/// their last point push it to and fro. To leave it is to go as far as what may sleep goes in the second time, and
/// never more than this share of its radius.
#define BR_STILL_TIME 1.0   // [s]
#define BR_STILL_REACH 0.05 // [s]
#define BR_STILL_RADIUS 0.2
/// What creeps with less than this share of the speed of what may sleep goes nowhere.
#define BR_CALM_CREEP 0.5

/// What an island on static bodies may gain of its kinetic energy in a step: rounding.
#define BR_ENERGY_ROUNDING 1e-5
/// What fast hits may gain before they are corrected, of the energy before them. Their own books are good to half a per
/// cent but for needles and a few more.
#define BR_ENERGY_FAST 0.01
/// The most that a body may owe, as what lifts it by this share of its thickness. What is pressed out of others for
/// long would else owe without end.
#define BR_ENERGY_DEBT 0.2
/// What rocks is slower than the square root of this times gravity times its radius: its middle rises and falls by a
/// hundredth of that.
#define BR_ROCKING 0.03
/// Rolling resistance of what rocks, as a share of its weight at its radius; acts while contacts would give it energy.
/// Hard on hard is 0.0005 to 0.01.
#define BR_ROCKING_RESISTANCE 0.002

/// Joints are as stiff as the substep lets them.
#define BR_JOINT_HERTZ_STEP 0.25
#define BR_JOINT_DAMPING 5.0

/// A body whose moments differ and that turns by more in a step is a top. A needle is one sooner, by the root of how
/// many times its largest moment is the least: what it is off by in energy goes by the square of the turn and by that
/// ratio.
#define BR_TOP_TURN 0.04 // [rad]

/// A top that turns farther in a step does not begin with the impulses of before: their levers were others.
#define BR_TOP_FORGETS 0.25 // [rad]

/// Larger turns are cut: a rotation vector summed over substeps cannot follow them.
#define BR_MAX_TURN 1.5 // in one step, in contact. [rad]

/// A body beyond these has left all that the float boxes of the trees can tell apart; it is set aside.
#define BR_MAX_SPEED 1e6    // [m/s]
#define BR_MAX_POSITION 1e9 // [m]

/// The Sun has 2e30. Heavier bodies are refused: their energy would leave the range of doubles at speeds allowed above.
#define BR_MAX_MASS 1e33 // [kg]
