# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyframes of location, rotation and visibility, set array by array."""

import bpy
import numpy

from . import versions

LINEAR, CONSTANT = 1, 0  # of keyframes, as numbers


def write(obj, track, body, first_frame, unit):
    """Gives `obj` an action with its way through the recording; frame 0 of the recording is `first_frame` of the scene."""
    obj.rotation_mode = "QUATERNION"
    obj.location = track.places[0] / unit
    obj.rotation_quaternion = track.rotations[0]
    is_hidden_once = body.born > 0 or body.gone is not None
    if len(track.frames) < 2 and not is_hidden_once:
        return
    curves = versions.new_curves(bpy.data.actions.new(obj.name), obj)
    if len(track.frames) > 1:
        frames = track.frames + first_frame
        for axis in range(3):
            _add(curves, "location", axis, frames, track.places[:, axis] / unit, LINEAR)
        for axis in range(4):
            _add(curves, "rotation_quaternion", axis, frames, track.rotations[:, axis], LINEAR)
    if is_hidden_once:
        frames, hidden = visibility(body, first_frame)
        for name in ("hide_viewport", "hide_render"):
            _add(curves, name, 0, frames, hidden, CONSTANT)


def visibility(body, first_frame):
    """Frames and 1 for hidden, 0 for shown, from each on."""
    keys = [(0, 1.0), (body.born, 0.0)] if body.born > 0 else [(0, 0.0)]
    if body.gone is not None:
        keys.append((body.gone, 1.0))
    return numpy.array([k[0] + first_frame for k in keys], float), numpy.array([k[1] for k in keys])


def _add(curves, path, index, frames, values, interpolation):
    curve = curves.new(path, index=index)
    curve.keyframe_points.add(len(frames))
    flat = numpy.empty(2 * len(frames), numpy.float32)
    flat[0::2], flat[1::2] = frames, values
    curve.keyframe_points.foreach_set("co", flat)
    curve.keyframe_points.foreach_set("interpolation", numpy.full(len(frames), interpolation, numpy.int32))
