# SPDX-License-Identifier: GPL-3.0-or-later
"""Pieces as rigid bodies of Blender, held together by constraints that break."""

import bpy


def join(context, collection, objects, parts, order, settings):
    """Makes `objects` rigid bodies and a fixed constraint between each two that share a cut face."""
    scene = context.scene
    if scene.rigidbody_world is None:
        bpy.ops.rigidbody.world_add()
    world = scene.rigidbody_world
    if world.collection is None:
        world.collection = bpy.data.collections.new("RigidBodyWorld")
    if world.constraints is None:
        world.constraints = bpy.data.collections.new("RigidBodyConstraints")
    for obj, piece in zip(objects, parts.list):
        world.collection.objects.link(obj)
        obj.rigid_body.collision_shape = "CONVEX_HULL"
        obj.rigid_body.mass = max(piece.volume * order.density, 0.001)
    bonds = bpy.data.collections.new(order.name + " bonds")
    collection.children.link(bonds)
    for (a, b), middle in zip(*parts.neighbors()):
        empty = bpy.data.objects.new(f"bond {a} {b}", None)
        empty.empty_display_size = 0.1 * objects[a].dimensions.length
        empty.location = middle / order.unit
        bonds.objects.link(empty)
        world.constraints.objects.link(empty)
        constraint = empty.rigid_body_constraint
        constraint.type = "FIXED"
        constraint.object1, constraint.object2 = objects[a], objects[b]
        constraint.use_breaking = True
        constraint.breaking_threshold = settings.join_strength
