# SPDX-License-Identifier: GPL-3.0-or-later
"""Where pieces have their middles, when not by a pattern: particles, strokes of a grease pencil, weights of a vertex group. In meters."""

import numpy
from mathutils import Vector

from . import versions
from .messages import Refusal


def find(settings, obj, surface, depsgraph, unit):
    """Points in the world, or None: the program's pattern."""
    if settings.sites == "PATTERN":
        return None
    source = settings.sites_object or obj
    if settings.sites == "PARTICLES":
        points = _particles(source.evaluated_get(depsgraph), settings.pieces)
    elif settings.sites == "STROKES":
        points = _strokes(settings.sites_object, settings.pieces)
    else:
        return _weights(settings, obj, surface)
    return unit * numpy.asarray(points, numpy.float64).reshape(-1, 3)


def _particles(source, count):
    if not source.particle_systems:
        raise Refusal(f"{source.name} has no particle system to take sites from")
    points = [tuple(p.location) for p in source.particle_systems[0].particles if p.alive_state in {"ALIVE", "UNBORN"}]
    if len(points) < 2:
        raise Refusal(f"the particle system of {source.name} has {len(points)} particles at this frame; two are needed")
    return points[:: max(1, len(points) // count)]


def _strokes(source, count):
    if source is None or not versions.is_grease_pencil(source):
        raise Refusal("choose a grease pencil object whose strokes give the sites")
    points = [source.matrix_world @ Vector(p) for p in versions.stroke_points(source)]
    if len(points) < 2:
        raise Refusal(f"{source.name} has no strokes at this frame")
    chosen = numpy.linspace(0, len(points) - 1, min(count, len(points))).round().astype(int)
    return [tuple(points[i]) for i in chosen]


def _weights(settings, obj, surface):
    """Random places of the surface by area times weight, sunk by a random share of what lies behind them, to the middle at most."""
    name = settings.vertex_group or (obj.vertex_groups.active.name if obj.vertex_groups.active else "")
    layer = next((l for l in surface.layers if l.kind == "WEIGHT" and l.name == name), None)
    if layer is None:
        raise Refusal(f"{obj.name} has no vertex group '{name}' to take sites from")
    corners = surface.corners[surface.triangles]
    a, b, c = (surface.positions[corners[:, i]] for i in range(3))
    across = numpy.cross(b - a, c - a)
    share = numpy.linalg.norm(across, axis=1) * layer.values[corners, 0].mean(1)
    if not share.sum() > 0:
        raise Refusal(f"the vertex group '{name}' of {obj.name} weighs nothing")
    random = numpy.random.default_rng(settings.seed)
    chosen = random.choice(len(share), settings.pieces, p=share / share.sum())
    s, t = random.random((2, settings.pieces))
    s, t = numpy.where(s + t > 1, 1 - s, s), numpy.where(s + t > 1, 1 - t, t)
    points = a[chosen] + s[:, None] * (b - a)[chosen] + t[:, None] * (c - a)[chosen]
    inward = -across[chosen] / numpy.maximum(numpy.linalg.norm(across[chosen], axis=1, keepdims=True), 1e-300)
    if numpy.linalg.det(surface.matrix[:3, :3]) < 0:
        inward = -inward
    tree, depths = surface.tree(), 0.5 * random.random(settings.pieces) ** 2  # mostly near the surface that was painted
    for i in range(settings.pieces):
        begin = points[i] + 1e-6 * surface.size() * inward[i]
        distance = tree.ray_cast(begin, inward[i])[3]
        points[i] = begin + depths[i] * (distance or 0.0) * inward[i]
    return points
