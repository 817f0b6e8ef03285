# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyframes of location, rotation and visibility, set array by array."""

import bpy
import numpy

from . import versions

LINEAR, CONSTANT = 1, 0  # of keyframes, as numbers


class Clock:
    """Which frame of the scene a frame of the recording is; rates may differ."""

    def __init__(self, first_frame, scale=1.0):
        self.first_frame, self.scale = first_frame, scale

    def __call__(self, frame):
        return self.first_frame + self.scale * frame


def write(obj, track, body, clock, unit):
    """Gives `obj` an action with its way through the recording."""
    obj.rotation_mode = "QUATERNION"
    obj.location = track.places[0] / unit
    obj.rotation_quaternion = track.rotations[0]
    is_hidden_once = body.born > 0 or body.gone is not None
    if len(track.frames) < 2 and not is_hidden_once:
        return
    curves = versions.new_curves(bpy.data.actions.new(obj.name), obj)
    if len(track.frames) > 1:
        frames = clock(track.frames)
        for axis in range(3):
            _add(curves, "location", axis, frames, track.places[:, axis] / unit, LINEAR)
        for axis in range(4):
            _add(curves, "rotation_quaternion", axis, frames, track.rotations[:, axis], LINEAR)
    if is_hidden_once:
        frames, hidden = visibility(body, clock)
        for name in ("hide_viewport", "hide_render"):
            _add(curves, name, 0, frames, hidden, CONSTANT)


def visibility(body, clock):
    """Frames and 1 for hidden, 0 for shown, from each on."""
    keys = [(0, 1.0), (body.born, 0.0)] if body.born > 0 else [(0, 0.0)]
    if body.gone is not None:
        keys.append((body.gone, 1.0))
    return numpy.array([clock(k[0]) for k in keys], float), numpy.array([k[1] for k in keys])


def _add(curves, path, index, frames, values, interpolation):
    curve = curves.new(path, index=index)
    curve.keyframe_points.add(len(frames))
    flat = numpy.empty(2 * len(frames), numpy.float32)
    flat[0::2], flat[1::2] = frames, values
    curve.keyframe_points.foreach_set("co", flat)
    curve.keyframe_points.foreach_set("interpolation", numpy.full(len(frames), interpolation, numpy.int32))
