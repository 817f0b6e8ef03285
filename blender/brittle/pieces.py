# SPDX-License-Identifier: GPL-3.0-or-later
"""Pieces that the program wrote, as objects: in place, origins at their centers of mass, with all that the original's surface carried."""

import bpy
import numpy

from . import versions
from .surface import SHAPES, Origin

NAME_BYTES = 63


class Piece:
    """One piece before it is an object: faces and corners of all pieces together, from one place to another."""

    def __init__(self, vertices, faces, corners, volume, center):
        self.vertices, self.faces, self.corners, self.volume, self.center = vertices, faces, corners, volume, center


class Pieces:
    """All pieces of one object. `files`: what the program wrote, one file with groups or a file each."""

    def __init__(self, surface, files):
        self.surface = surface
        self._join(files)
        self._split()
        self._find_origins()

    def _join(self, files):
        """All faces in one row, sorted by piece."""
        order, groups, sizes, corners, uvs, parents, positions, vertex_count, piece_count = [], [], [], [], [], [], [], 0, 0
        for file in files:
            face_order = numpy.argsort(file.groups, kind="stable")
            counts = numpy.diff(file.starts)[face_order]
            at = numpy.repeat(file.starts[face_order] - (numpy.cumsum(counts) - counts), counts) + numpy.arange(counts.sum())
            groups.append(file.groups[face_order] + piece_count)
            sizes.append(counts)
            corners.append(file.corners[at] + vertex_count)
            uvs.append(file.uvs[at])
            parents.append(file.polygons()[face_order])
            positions.append(file.positions)
            vertex_count += len(file.positions)
            piece_count += int(file.groups.max()) + 1 if len(file.groups) else 0
        self.groups, self.sizes = numpy.concatenate(groups), numpy.concatenate(sizes)
        self.corners, self.uvs = numpy.concatenate(corners), numpy.concatenate(uvs)
        self.parents, self.positions = numpy.concatenate(parents), numpy.concatenate(positions)
        self.parents[self.parents >= len(self.surface.starts) - 1] = -1
        self.starts = numpy.concatenate(([0], numpy.cumsum(self.sizes)))

    def _split(self):
        numbers = numpy.unique(self.groups)
        begins = numpy.searchsorted(self.groups, numbers)
        ends = numpy.append(begins[1:], len(self.groups))
        self.list = []
        for begin, end in zip(begins, ends):
            corners = slice(self.starts[begin], self.starts[end])
            vertices, local = numpy.unique(self.corners[corners], return_inverse=True)
            volume, center = solid(self.positions[vertices], self.starts[begin : end + 1] - self.starts[begin], local)
            piece = Piece(vertices, slice(begin, end), corners, volume, center)
            piece.local = local.astype(numpy.int32)
            self.list.append(piece)

    def _find_origins(self):
        """Where every corner of an outer face lies on the original."""
        is_outer = numpy.repeat(self.parents >= 0, self.sizes)
        self.outer = numpy.flatnonzero(is_outer)
        points = self.positions[self.corners[self.outer]]
        self.origin = Origin(self.surface, points, numpy.repeat(self.parents, self.sizes)[self.outer])
        far = self.origin.distance > 1e-4 * self.surface.size()
        if far.any():  # mending made a new surface: the nearest place of the old one, for whole faces
            owners = numpy.repeat(numpy.arange(len(self.sizes)), self.sizes)[self.outer]
            far_faces = numpy.zeros(len(self.sizes), bool)
            far_faces[owners[far]] = True
            which = numpy.flatnonzero(far_faces[owners])
            self.origin.move(points, which, self.surface.tree())
            firsts = self.starts[:-1]
            places = numpy.full(len(self.corners), -1, numpy.int64)
            places[self.outer] = self.surface.triangle_faces[self.origin.triangles]
            self.parents = numpy.where(far_faces, places[firsts], self.parents)

    def neighbors(self):
        """Pairs of pieces that share a cut face, with the middle of what they share: rows (a, b), points."""
        inner = numpy.repeat(self.parents < 0, self.sizes)
        owners = numpy.repeat(self.groups, self.sizes)[inner]
        places, where = numpy.unique(self.positions[self.corners[inner]], axis=0, return_inverse=True)
        seen = numpy.unique(numpy.stack([where.reshape(-1), owners], 1), axis=0)
        pairs, points = [], []
        begins = numpy.flatnonzero(numpy.append(True, seen[1:, 0] != seen[:-1, 0]))
        ends = numpy.append(begins[1:], len(seen))
        most = int((ends - begins).max(initial=0))
        for step in range(1, most):  # a vertex of k pieces names all pairs of them
            low = numpy.flatnonzero(seen[:-step, 0] == seen[step:, 0])
            pairs.append(numpy.stack([seen[low, 1], seen[low + step, 1]], 1))
            points.append(places[seen[low, 0]])
        if not pairs:
            return numpy.zeros((0, 2), numpy.int64), numpy.zeros((0, 3))
        pairs, points = numpy.concatenate(pairs), numpy.concatenate(points)
        unique, owner, counts = numpy.unique(pairs, axis=0, return_inverse=True, return_counts=True)
        middles = numpy.stack([numpy.bincount(owner.reshape(-1), points[:, i]) for i in range(3)], 1) / counts[:, None]
        return unique[counts >= 3], middles[counts >= 3]

    def make(self, unit, interior):
        """Objects in no collection yet, one a piece. `interior`: material of cut faces. What was made goes again if it fails."""
        made = []
        try:
            objects = [self._make_object(mesh, i, unit) for i, mesh in enumerate(self.make_meshes(unit, interior, made))]
        except Exception:
            discard(made)
            raise
        return objects

    def make_meshes(self, unit, interior, made):
        """Meshes about their centers, also appended to `made`; whoever calls removes these if anything fails."""
        surface = self.surface
        materials = surface.materials or [None]
        face_materials = numpy.where(self.parents >= 0, surface.face_materials[self.parents], len(materials)).astype(numpy.int32)
        smooth = numpy.where(self.parents >= 0, surface.face_smooth[self.parents], False)
        layers = [(layer, self._spread(layer)) for layer in surface.layers]
        normals = self._normals() if surface.normals is not None else None
        self.weights = [(layer, values) for layer, values in layers if layer.kind == "WEIGHT"]
        meshes = []
        for index, piece in enumerate(self.list):
            mesh = bpy.data.meshes.new(piece_name(surface.name, index))
            meshes.append(mesh)
            made.append(mesh)
            fill_mesh(mesh, (self.positions[piece.vertices] - piece.center) / unit, self.starts[piece.faces.start : piece.faces.stop + 1], piece.local)
            for material in materials + [interior]:
                mesh.materials.append(material)
            mesh.polygons.foreach_set("material_index", face_materials[piece.faces])
            mesh.polygons.foreach_set("use_smooth", smooth[piece.faces])
            mesh.update(calc_edges=True)
            add_layers(mesh, piece, layers)
            if mesh.uv_layers and surface.active_uv >= 0:
                mesh.uv_layers.active_index = surface.active_uv
            if normals is not None:
                versions.set_corner_normals(mesh, normals[piece.corners])
        return meshes

    def _make_object(self, mesh, index, unit):
        piece = self.list[index]
        obj = bpy.data.objects.new(mesh.name, mesh)
        add_weights(obj, piece, self.weights)
        obj.location = piece.center / unit
        obj["brittle_piece"] = index
        obj["brittle_of"] = self.surface.name
        obj["brittle_volume"] = piece.volume
        return obj

    def _spread(self, layer):
        """Values of a layer for corners or faces of all pieces; what lies inside has zero, or white, or the program's UVs."""
        if layer.domain == "FACE":
            values = numpy.zeros((len(self.parents), layer.values.shape[1]), layer.values.dtype)
            values[self.parents >= 0] = layer.values[self.parents[self.parents >= 0]]
            return values
        values = numpy.zeros((len(self.corners), layer.values.shape[1]), layer.values.dtype)
        if layer.kind == "COLOR":
            values[:] = 1
        elif layer.kind == "UV":
            values[:] = self.uvs
        values[self.outer] = self.origin.values(layer)
        return values

    def _normals(self):
        """Outer corners as they were shaded, cut faces flat."""
        normals = numpy.repeat(face_normals(self.positions, self.starts, self.corners), self.sizes, axis=0)
        normals[self.outer] = self.origin.normals()
        return normals


def fill_mesh(mesh, positions, starts, corners):
    mesh.vertices.add(len(positions))
    mesh.vertices.foreach_set("co", positions.astype(numpy.float32).ravel())
    mesh.loops.add(len(corners))
    mesh.loops.foreach_set("vertex_index", corners)
    starts = (starts - starts[0]).astype(numpy.int32)
    versions.set_polygons(mesh, starts[:-1], numpy.diff(starts))


def add_layers(mesh, piece, layers):
    for layer, values in layers:
        if layer.kind == "WEIGHT":
            continue
        if layer.kind == "UV":
            mesh.uv_layers.new(name=layer.name, do_init=False).data.foreach_set("uv", values[piece.corners].ravel())
            continue
        maker = mesh.color_attributes if layer.kind == "COLOR" else mesh.attributes
        attribute = maker.new(name=layer.name, type=layer.data_type, domain=layer.domain)
        if layer.domain == "FACE":
            rows = values[piece.faces]
        else:
            rows = values[piece.corners] if layer.domain == "CORNER" else at_vertices(piece, layer, values)
        attribute.data.foreach_set(SHAPES[layer.data_type][3], rows.ravel())


def at_vertices(piece, layer, values):
    """One value a vertex of corners that agree; corners of cut faces, which know nothing, go first and are written over."""
    rows = values[piece.corners]
    nothing = (rows == (1 if layer.kind == "COLOR" else 0)).all(1)
    order = numpy.argsort(~nothing, kind="stable")
    result = numpy.zeros((len(piece.vertices), rows.shape[1]), rows.dtype)
    result[piece.local[order]] = rows[order]
    return result


def add_weights(obj, piece, layers):
    for layer, values in layers:
        group = obj.vertex_groups.new(name=layer.name)
        weights = at_vertices(piece, layer, values)[:, 0]
        for weight in numpy.unique(weights[weights > 0]):
            group.add(numpy.flatnonzero(weights == weight).tolist(), float(weight), "REPLACE")


def solid(positions, starts, corners):
    """Volume, negative if it is inside out, and center of mass of a closed mesh."""
    sizes = numpy.diff(starts)
    firsts = numpy.repeat(corners[starts[:-1]], sizes)
    following = numpy.arange(len(corners)) + 1
    following[starts[1:] - 1] = starts[:-1]
    middle = positions.mean(0)
    local = positions - middle
    a, b, c = local[firsts], local[corners], local[corners[following]]
    volumes = (a * numpy.cross(b, c)).sum(1) / 6  # fans: those at the first corner itself have no volume
    total = volumes.sum()
    if total == 0:
        return 0.0, middle
    return float(total), middle + (volumes[:, None] * (a + b + c)).sum(0) / (4 * total)


def place_of(surface, file):
    """How far a mesh of a recording, which lies about its center of mass, is from where it lay in the original's axes: by the places
    that its outer corners name."""
    sizes = numpy.diff(file.starts)
    faces = numpy.repeat(file.polygons(), sizes)
    outer = numpy.flatnonzero((faces >= 0) & (faces < len(surface.starts) - 1))
    if not len(outer):
        return numpy.zeros(3)
    flat = numpy.zeros((len(outer), 3))
    flat[:, :2] = file.uvs[outer] - numpy.floor(file.uvs[outer])
    origin = Origin(surface, flat, faces[outer], surface.flat_places())
    found = origin.blend(surface.positions[surface.corners], surface.triangles[origin.triangles])
    return numpy.median(found - file.positions[file.corners[outer]], axis=0)


def volume_of(surface):
    """Volume of what an object's surface encloses. [m^3]"""
    return abs(solid(surface.positions, surface.starts, surface.corners)[0])


def face_normals(positions, starts, corners):
    following = numpy.arange(len(corners)) + 1
    following[starts[1:] - 1] = starts[:-1]
    firsts = positions[numpy.repeat(corners[starts[:-1]], numpy.diff(starts))]
    areas = numpy.add.reduceat(numpy.cross(positions[corners] - firsts, positions[corners[following]] - firsts), starts[:-1])
    return areas / numpy.maximum(numpy.linalg.norm(areas, axis=1, keepdims=True), 1e-300)


def piece_name(base, index):
    """Names are at most 63 bytes of UTF-8; the number stays whole."""
    end = f"_piece_{index:03d}"
    return base.encode()[: NAME_BYTES - len(end)].decode("utf-8", "ignore") + end


def discard(blocks):
    """Removes objects and meshes that were made and are not wanted."""
    objects = [b for b in blocks if isinstance(b, bpy.types.Object)]
    meshes = [b for b in blocks if isinstance(b, bpy.types.Mesh)]
    bpy.data.batch_remove(objects)
    bpy.data.batch_remove(meshes)
