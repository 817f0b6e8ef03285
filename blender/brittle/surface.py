# SPDX-License-Identifier: GPL-3.0-or-later
"""The surface of an object as it shows, in meters and the world's axes, with all that its corners, vertices and faces carry."""

import numpy
from mathutils.bvhtree import BVHTree

from . import ply, versions
from .messages import Refusal

SHAPES = {  # data types of attributes: numbers, numpy's type, whether values between two make sense, name to ask for
    "FLOAT": (1, numpy.float32, True, "value"),
    "INT": (1, numpy.int32, False, "value"),
    "BOOLEAN": (1, numpy.int8, False, "value"),
    "FLOAT_VECTOR": (3, numpy.float32, True, "vector"),
    "FLOAT2": (2, numpy.float32, True, "vector"),
    "FLOAT_COLOR": (4, numpy.float32, True, "color"),
    "BYTE_COLOR": (4, numpy.float32, True, "color_srgb"),  # as stored: no value is rounded twice
}
DOMAINS = {"POINT", "CORNER", "FACE"}
BUILT_IN = {"position", "material_index", "sharp_face", "sharp_edge", "shade_smooth", "custom_normal", "crease_edge", "crease_vert"}


class Layer:
    """One attribute: a UV map, colors, weights of a vertex group or anything else a mesh carries."""

    def __init__(self, kind, name, domain, data_type, values):
        self.kind, self.name, self.domain, self.data_type, self.values = kind, name, domain, data_type, values


class Surface:
    """Arrays of one object. `matrix` takes the mesh's own coordinates to meters in the world, or in a frame of the world."""

    def __init__(self, obj, depsgraph, unit, frame=None):
        shown = obj.evaluated_get(depsgraph)
        try:
            mesh = shown.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
        except RuntimeError:
            mesh = None
        if mesh is None or not len(mesh.polygons):
            if mesh is not None:
                shown.to_mesh_clear()
            raise Refusal(f"{obj.name} has no faces to break")
        try:
            self.name = obj.name
            self.matrix = numpy.array(shown.matrix_world, numpy.float64)
            self.matrix[:3] *= unit
            self.matrix = self.matrix if frame is None else frame @ self.matrix
            self._read_shape(mesh)
            self._read_layers(obj, mesh)
        finally:
            shown.to_mesh_clear()
        self.materials = [slot.material for slot in obj.material_slots]
        while self.materials and len(self.materials) <= self.face_materials.max():
            self.materials.append(None)

    def _read_shape(self, mesh):
        flat = numpy.empty(3 * len(mesh.vertices), numpy.float32)
        mesh.vertices.foreach_get("co", flat)
        self.positions = flat.reshape(-1, 3).astype(numpy.float64) @ self.matrix[:3, :3].T + self.matrix[:3, 3]
        if not numpy.isfinite(self.positions).all():
            raise Refusal(f"{self.name} has coordinates that are no numbers")
        totals = numpy.empty(len(mesh.polygons), numpy.int32)
        mesh.polygons.foreach_get("loop_total", totals)
        self.starts = numpy.concatenate(([0], numpy.cumsum(totals))).astype(numpy.int64)
        self.corners = numpy.empty(len(mesh.loops), numpy.int32)
        mesh.loops.foreach_get("vertex_index", self.corners)
        self.face_materials = numpy.empty(len(totals), numpy.int32)
        mesh.polygons.foreach_get("material_index", self.face_materials)
        self.face_smooth = numpy.empty(len(totals), bool)
        mesh.polygons.foreach_get("use_smooth", self.face_smooth)
        self.triangle_faces = versions.triangle_faces(mesh)
        self.triangles = numpy.empty(3 * len(self.triangle_faces), numpy.int32)
        mesh.loop_triangles.foreach_get("loops", self.triangles)
        self.triangles = self.triangles.reshape(-1, 3)
        counts = numpy.bincount(self.triangle_faces, minlength=len(totals))
        self.first_triangles = numpy.concatenate(([0], numpy.cumsum(counts)))
        if self.face_smooth.any():
            normals = versions.corner_normals(mesh).astype(numpy.float64) @ numpy.linalg.pinv(self.matrix[:3, :3])
            self.normals = normals / numpy.maximum(numpy.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
        else:
            self.normals = None

    def _read_layers(self, obj, mesh):
        self.layers = []
        self.active_uv = mesh.uv_layers.active_index
        for layer in mesh.uv_layers:
            values = numpy.empty(2 * len(mesh.loops), numpy.float32)
            layer.data.foreach_get("uv", values)
            self.layers.append(Layer("UV", layer.name, "CORNER", "FLOAT2", values.reshape(-1, 2)))
        colors = {a.name for a in mesh.color_attributes}
        uvs = {layer.name for layer in mesh.uv_layers}
        for attribute in list(mesh.attributes):
            name, kind = attribute.name, attribute.data_type
            if name in uvs or name in BUILT_IN or name.startswith(".") or attribute.domain not in DOMAINS or kind not in SHAPES:
                continue
            size, number, _, field = SHAPES[kind]
            values = numpy.empty(size * len(attribute.data), bool if kind == "BOOLEAN" else number)
            attribute.data.foreach_get(field, values)
            self.layers.append(Layer("COLOR" if name in colors else "OTHER", name, attribute.domain, kind, values.reshape(-1, size)))
        for group in obj.vertex_groups if obj.type == "MESH" else []:
            self.layers.append(Layer("WEIGHT", group.name, "POINT", "FLOAT", group_weights(mesh, group.index)[:, None]))

    def write(self, path):
        """For the program; faces of mirrored objects are turned so that outside stays outside."""
        order = numpy.arange(len(self.corners))
        if numpy.linalg.det(self.matrix[:3, :3]) < 0:
            order = numpy.repeat(self.starts[:-1] + self.starts[1:] - 1, numpy.diff(self.starts)) - order
        uvs = numpy.repeat(ply.names(numpy.arange(len(self.starts) - 1)), numpy.diff(self.starts), axis=0) + self.places()
        ply.write(path, self.positions, self.starts, self.corners[order], uvs[order])

    def places(self):
        """Two numbers from 1/4 to 3/4 a corner: its place in its polygon, seen along the axis in which the polygon looks most."""
        points = self.positions[self.corners]
        following = numpy.arange(len(points)) + 1
        following[self.starts[1:] - 1] = self.starts[:-1]
        sizes, firsts = numpy.diff(self.starts), self.starts[:-1]
        origins = numpy.repeat(points[firsts], sizes, axis=0)
        areas = numpy.add.reduceat(numpy.cross(points - origins, points[following] - origins), firsts)
        kept = numpy.array([(1, 2), (0, 2), (0, 1)])[numpy.repeat(numpy.abs(areas).argmax(1), sizes)]
        flat = numpy.take_along_axis(points, kept, 1)
        lower, upper = numpy.minimum.reduceat(flat, firsts), numpy.maximum.reduceat(flat, firsts)
        extent = numpy.where(upper > lower, upper - lower, 1.0)
        return 0.25 + 0.5 * (flat - numpy.repeat(lower, sizes, axis=0)) / numpy.repeat(extent, sizes, axis=0)

    def flat_places(self):
        """places() as points of space, kept: many pieces ask."""
        if not hasattr(self, "_flat_places"):
            places = self.places()
            self._flat_places = numpy.concatenate([places, numpy.zeros((len(places), 1))], 1)
        return self._flat_places

    def size(self):
        return float(numpy.linalg.norm(numpy.ptp(self.positions, axis=0)))

    def outside_material(self):
        """Index of the material that covers most of the surface."""
        a, b, c = (self.positions[self.corners[self.triangles[:, i]]] for i in range(3))
        areas = numpy.linalg.norm(numpy.cross(b - a, c - a), axis=1)
        return int(numpy.bincount(self.face_materials[self.triangle_faces], areas).argmax())

    def tree(self):
        """Its triangles for nearest points and rays."""
        return BVHTree.FromPolygons(self.positions.tolist(), self.corners[self.triangles].tolist(), all_triangles=True)


def group_weights(mesh, index):
    weights = numpy.zeros(len(mesh.vertices), numpy.float32)
    for vertex in mesh.vertices:
        for element in vertex.groups:
            if element.group == index:
                weights[vertex.index] = element.weight
    return weights


class Origin:
    """For corners of pieces: which triangle of the original they lie on, and where. What attributes are carried over by."""

    def __init__(self, surface, points, faces, space=None):
        """`faces`: polygon of the original for each point. `space`: coordinates of the original's corners, if not those of its vertices."""
        self.surface = surface
        self.space = surface.positions[surface.corners] if space is None else space
        self.triangles = numpy.zeros(len(points), numpy.int64)
        self.weights = numpy.zeros((len(points), 3))
        self.distance = numpy.zeros(len(points))
        counts = numpy.diff(surface.first_triangles)[faces]
        ends = numpy.cumsum(counts)
        begin = 0
        while begin < len(points):  # polygons of many corners have many triangles: a part of the points at a time
            room = (ends[begin - 1] if begin else 0) + 2_000_000
            end = max(begin + 1, int(numpy.searchsorted(ends, room, "right")))
            self._find(points, faces, counts, begin, end)
            begin = end

    def _find(self, points, faces, counts, begin, end):
        surface = self.surface
        counts = counts[begin:end]
        owners = numpy.repeat(numpy.arange(begin, end), counts)
        firsts = numpy.cumsum(counts) - counts
        triangles = surface.first_triangles[faces[owners]] + numpy.arange(len(owners)) - numpy.repeat(firsts, counts)
        weights, distance = triangle_weights(self.space, surface.triangles[triangles], points[owners])
        if len(owners) == end - begin:
            best = numpy.arange(len(owners))
        else:
            best = numpy.lexsort((distance, owners))[firsts]  # the nearest triangle of each point comes first among its own
        self.triangles[begin:end] = triangles[best]
        self.weights[begin:end] = weights[best]
        self.distance[begin:end] = distance[best]

    def move(self, points, which, tree):
        """Takes the nearest place of the whole original for points `which`: where mending made a new surface."""
        for i in which:
            triangle = tree.find_nearest(points[i])[2]
            if triangle is not None:
                self.triangles[i] = triangle
        self.weights[which], self.distance[which] = triangle_weights(self.space, self.surface.triangles[self.triangles[which]], points[which])

    def values(self, layer):
        """What a layer says at these corners."""
        surface = self.surface
        if layer.domain == "FACE":
            return layer.values[surface.triangle_faces[self.triangles]]
        loops = surface.triangles[self.triangles]
        rows = loops if layer.domain == "CORNER" else surface.corners[loops]
        return self.blend(layer.values, rows, SHAPES[layer.data_type][2])

    def blend(self, values, rows, is_smooth=True):
        if not is_smooth:
            return values[rows[numpy.arange(len(rows)), self.weights.argmax(1)]]
        return sum(self.weights[:, i, None] * values[rows[:, i]] for i in range(3)).astype(values.dtype)

    def normals(self):
        normals = self.blend(self.surface.normals, self.surface.triangles[self.triangles])
        return normals / numpy.maximum(numpy.linalg.norm(normals, axis=1, keepdims=True), 1e-30)


def triangle_weights(space, triangles, points):
    """Weights of the corners of the nearest place on each triangle, roughly where that is far, and the distance to it."""
    a, b, c = (space[triangles[:, i]] for i in range(3))
    u, v, w = b - a, c - a, points - a
    uu, uv, vv = (u * u).sum(1), (u * v).sum(1), (v * v).sum(1)
    wu, wv = (w * u).sum(1), (w * v).sum(1)
    area = uu * vv - uv * uv
    area = numpy.where(area > 1e-30 * uu * vv, area, numpy.inf)  # a triangle without area: its first corner
    s, t = (vv * wu - uv * wv) / area, (uu * wv - uv * wu) / area
    weights = numpy.clip(numpy.stack([1 - s - t, s, t], 1), 0, None)
    weights /= numpy.maximum(weights.sum(1, keepdims=True), 1e-300)
    off = weights[:, :1] * a + weights[:, 1:2] * b + weights[:, 2:] * c - points
    return weights, numpy.linalg.norm(off, axis=1)
