# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of objects over frames, and the velocities that follow from them."""

import numpy
from mathutils import Matrix, Quaternion, Vector


def frame_rate(scene):
    return scene.render.fps / scene.render.fps_base


def poses(context, objects, frames):
    """World matrices of `objects` at each of `frames`: a list of lists. The current frame is as before when it returns."""
    def at(depsgraph):
        return [obj.evaluated_get(depsgraph).matrix_world.copy() for obj in objects]

    return [at_frame(context, frame, at) for frame in frames]


def at_frame(context, frame, call):
    """What `call(depsgraph)` gives at another frame. The current frame is as before when it returns."""
    scene = context.scene
    current, subframe = scene.frame_current, scene.frame_subframe
    try:
        scene.frame_set(frame)
        return call(context.evaluated_depsgraph_get())
    finally:
        scene.frame_set(current, subframe=subframe)


def velocity(before, after, seconds, point=None):
    """Velocity of `point` (in the object's axes, default its origin) and spin [rad/s] that take one matrix to the other."""
    point = Vector(point or (0, 0, 0))
    shift = after @ point - before @ point
    turn = rotation(after) @ rotation(before).inverted()
    axis, angle = Quaternion(turn).to_axis_angle()
    if angle > numpy.pi:
        angle -= 2 * numpy.pi
    return shift / seconds, axis * (angle / seconds)


def rotation(matrix):
    """The nearest rotation as a unit quaternion. Of a mirrored matrix that of the matrix mirrored again along all axes."""
    basis = matrix.to_3x3().normalized()
    if basis.determinant() < 0:
        basis = Matrix(basis) @ Matrix.Diagonal((-1, -1, -1))
    return basis.to_quaternion().normalized()


def is_animated(obj):
    """Whether anything moves it: keys, drivers, constraints, or a parent of which this holds."""
    while obj is not None:
        data = obj.animation_data
        if data is not None and (data.action is not None or data.drivers or data.nla_tracks):
            return True
        if any(c.influence > 0 and not c.mute for c in obj.constraints):
            return True
        obj = obj.parent
    return False
