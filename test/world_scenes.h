// SPDX-License-Identifier: MIT
#pragma once

// Small worlds for tests. None fails: memory is there and the shapes are sound.

#include "brittle/world.h"

brWorld* brScene_World(const brContext* context, const brWorldDef* def);
brShape* brScene_Box(double x, double y, double z);
brShape* brScene_Sphere(double radius);
brShape* brScene_Capsule(double radius, double halfLength);

/// The plane z = 0, friction 0.5.
brBodyId brScene_Ground(brWorld* world);

/// A body of a shape at a place, 2000 kg/m^3, friction 0.5.
brBodyId brScene_Body(brWorld* world, const brShape* shape, double x, double y, double z);

/// Bricks of 0.2 x 0.1 x 0.1 m on each other.
void brScene_Tower(brWorld* world, int32_t count);

/// Rows of bricks, `rows` in the lowest.
void brScene_Pyramid(brWorld* world, int32_t rows);

/// Six layers of two bricks each, every other layer across.
void brScene_Crossed(brWorld* world);

/// A house of cards, 100 x 70 x 2 mm, `tiers` pairs that lean on each other in the lowest tier, boxes or meshes.
/// Returns its height.
double brScene_Cards(brWorld* world, int32_t tiers, bool isMesh);

/// Bricks dropped into a shaft of 0.7 x 0.7 m.
void brScene_Bricks(brWorld* world, int32_t count, uint64_t seed);

/// Boxes, balls, capsules and hulls dropped into a walled box.
void brScene_Pile(brWorld* world, int32_t count, uint64_t seed);

/// Square plates of 120 mm, turned anyhow, thrown down at a speed onto each other, over the ground.
void brScene_Plates(brWorld* world, int32_t count, double thickness, double speed, uint64_t seed);

void brScene_Run(brWorld* world, int32_t steps);

/// Largest distance of two lists of poses (bodies in slot order), and the largest angle.
double brScene_Drift(const brWorld* world, const brTransform* before, double* outAngle);

/// Poses of all bodies in slot order, up to 4096. The caller's array has room.
int32_t brScene_Poses(const brWorld* world, brTransform* outPoses);
