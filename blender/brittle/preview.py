# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake has reached so far, drawn over the 3D view. Nothing of it is in the file."""

import bpy
import numpy

from . import versions

MOST_TRIANGLES = 400_000


class Preview:
    """Triangles of all bodies at the last frame that is done. Removed by `end`."""

    def __init__(self, unit):
        self.unit, self.arrays, self.batch = unit, None, None
        self.handle = bpy.types.SpaceView3D.draw_handler_add(self.draw, (), "WINDOW", "POST_VIEW")

    def end(self):
        if self.handle is not None:
            bpy.types.SpaceView3D.draw_handler_remove(self.handle, "WINDOW")
            self.handle = None

    def show(self, recording):
        self.arrays, self.batch = triangles_at_end(recording), None

    def draw(self):
        import gpu
        from gpu_extras.batch import batch_for_shader

        if self.arrays is None:
            return
        shader = gpu.shader.from_builtin(versions.color_shader())
        if self.batch is None:
            points, colors = self.arrays
            content = {"pos": (points / self.unit).astype(numpy.float32), "color": colors}
            self.batch = batch_for_shader(shader, "TRIS", content)
        gpu.state.depth_test_set("LESS_EQUAL")
        self.batch.draw(shader)
        gpu.state.depth_test_set("NONE")


def triangles_at_end(recording):
    """Corners of triangles in the world [m] and their colors, lit from above."""
    last, points, normals, count = recording.frame_count - 1, [], [], 0
    for index, body in enumerate(recording.bodies):
        if body.kind == 2 or body.born > last or (body.gone is not None and body.gone <= last) or count > MOST_TRIANGLES:
            continue
        mesh, track = recording.meshes[body.mesh], recording.track(index)
        moved = mesh.positions @ matrix(track.rotations[-1]).T + track.places[-1]
        sizes = numpy.diff(mesh.starts)
        firsts = numpy.repeat(mesh.corners[mesh.starts[:-1]], sizes)
        inner = numpy.ones(len(mesh.corners), bool)
        inner[mesh.starts[:-1]] = inner[mesh.starts[1:] - 1] = False  # a fan has no triangle at its first and last corner
        at = numpy.flatnonzero(inner)
        triangles = numpy.stack([firsts[at], mesh.corners[at], mesh.corners[at + 1]], 1)
        corners = moved[triangles]
        normal = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        points.append(corners.reshape(-1, 3))
        normals.append(numpy.repeat(normal / numpy.maximum(numpy.linalg.norm(normal, axis=1, keepdims=True), 1e-30), 3, axis=0))
        count += len(triangles)
    if not points:
        return numpy.zeros((0, 3)), numpy.zeros((0, 4), numpy.float32)
    light = 0.35 + 0.3 * (1 + numpy.concatenate(normals) @ (0.3, -0.4, 0.866))
    colors = numpy.stack([0.9 * light, 0.6 * light, 0.3 * light, numpy.ones_like(light)], 1)
    return numpy.concatenate(points), colors.astype(numpy.float32)


def matrix(q):
    w, x, y, z = q
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])  # fmt: skip
