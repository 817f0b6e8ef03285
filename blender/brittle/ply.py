# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygon meshes as binary PLY files, with numpy alone.

What goes to the program has one pair of texture coordinates a corner: whole parts name the polygon, the rest is the place within it.
Cuts keep and blend coordinates, so every outer face of a piece still tells which polygon of the original it is part of, and where.
"""

import re

import numpy

from .messages import Refusal

WIDTH = 4096  # names of polygons fill a square, for floats hold no large whole numbers exactly
TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "<i2", "int16": "<i2", "ushort": "<u2", "uint16": "<u2",
    "int": "<i4", "int32": "<i4", "uint": "<u4", "uint32": "<u4", "float": "<f4", "float32": "<f4", "double": "<f8", "float64": "<f8",
}  # fmt: skip


def names(faces):
    """Texture coordinates that name faces: the lower corner of a cell of 1 x 1."""
    return numpy.stack([faces % WIDTH, faces // WIDTH], 1).astype(numpy.float64)


def faces_of(uvs):
    cells = numpy.floor(uvs).astype(numpy.int64)
    return cells[:, 0] + WIDTH * cells[:, 1]


def write(path, positions, starts, corners, uvs):
    """A mesh with texture coordinates. `starts` has one more entry than there are faces."""
    sizes = numpy.diff(starts)
    count_type, item = ("<u4", 4) if len(sizes) and sizes.max() > 127 else ("u1", 1)
    header = (
        "ply\nformat binary_little_endian 1.0\n"
        f"element vertex {len(positions)}\nproperty double x\nproperty double y\nproperty double z\n"
        f"element face {len(sizes)}\n"
        + "".join(f"property list {'uint' if item == 4 else 'uchar'} {kind}\n" for kind in ("int vertex_indices", "float texcoord"))
        + "end_header\n"
    )
    strides = 2 * item + 12 * sizes
    offsets = numpy.concatenate(([0], numpy.cumsum(strides)))
    body = numpy.zeros(offsets[-1], numpy.uint8)
    for size in numpy.unique(sizes):
        faces = numpy.flatnonzero(sizes == size)
        rows = numpy.zeros(len(faces), [("n", count_type), ("c", "<i4", (size,)), ("m", count_type), ("t", "<f4", (size, 2))])
        rows["n"], rows["m"] = size, 2 * size
        at = starts[faces][:, None] + numpy.arange(size)
        rows["c"], rows["t"] = corners[at], uvs[at]
        stride = rows.dtype.itemsize
        body[offsets[faces][:, None] + numpy.arange(stride)] = rows.view(numpy.uint8).reshape(-1, stride)
    with open(path, "wb") as file:
        file.write(header.encode())
        file.write(positions.astype("<f8").tobytes())
        file.write(body.tobytes())


def write_points(path, points):
    """Points alone: sites."""
    points = numpy.asarray(points, "<f8").reshape(-1, 3)
    with open(path, "wb") as file:
        file.write(
            f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\nproperty double x\nproperty double y\nproperty double z\n"
            "element face 0\nproperty list uchar int vertex_indices\nend_header\n".encode()
        )
        file.write(points.tobytes())


class Ply:
    """A mesh as the program writes it. Faces of pieces in one file have a group each."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        end = data.find(b"end_header\n")
        if end < 0:
            raise Refusal(f"{path} is no PLY file")
        elements = self._read_header(data[:end].decode("latin-1"))
        at = end + 11
        count, properties = elements["vertex"]
        kind = numpy.dtype([(name, item) for name, _, item in properties])
        vertices = numpy.frombuffer(data, kind, count, at)
        self.positions = numpy.stack([vertices[a].astype(numpy.float64) for a in "xyz"], 1) if count else numpy.zeros((0, 3))
        self._read_faces(data, at + count * kind.itemsize, *elements["face"])

    @staticmethod
    def _read_header(text):
        elements, properties = {}, []
        for line in text.splitlines():
            words = line.split()
            if words[:1] == ["element"]:
                properties = []
                elements[words[1]] = (int(words[2]), properties)
            elif words[:2] == ["property", "list"]:
                properties.append((words[4], TYPES[words[2]], TYPES[words[3]]))
            elif words[:1] == ["property"]:
                properties.append((words[2], None, TYPES[words[1]]))
        return elements

    def _read_faces(self, data, at, count, properties):
        """Rows have as many bytes as their number of corners says: walk once, then take all rows of one length together."""
        per_corner = {"vertex_indices": 1, "vertex_index": 1, "texcoord": 2, "normals": 3}
        count_type = numpy.dtype(properties[0][1])
        fixed = sum(numpy.dtype(c or i).itemsize for _, c, i in properties)
        growing = sum(per_corner[name] * numpy.dtype(i).itemsize for name, c, i in properties if c)
        begins = numpy.empty(count, numpy.int64)
        if count_type.itemsize == 1:
            strides = [fixed + growing * size for size in range(256)]
            for face in range(count):
                begins[face] = at
                at += strides[data[at]]
            sizes = numpy.frombuffer(data, numpy.uint8)[begins].astype(numpy.int64)
        else:
            sizes = numpy.empty(count, numpy.int64)
            for face in range(count):
                begins[face] = at
                sizes[face] = int.from_bytes(data[at : at + count_type.itemsize], "little")
                at += fixed + growing * int(sizes[face])
        self.starts = numpy.concatenate(([0], numpy.cumsum(sizes)))
        self.corners = numpy.zeros(self.starts[-1], numpy.int32)
        self.uvs = numpy.zeros((self.starts[-1], 2), numpy.float32)
        self.materials = numpy.full(count, -1, numpy.int32)
        self.groups = numpy.zeros(count, numpy.int32)
        everything = numpy.frombuffer(data, numpy.uint8)
        for size in numpy.unique(sizes):
            faces = numpy.flatnonzero(sizes == size)
            fields = []
            for name, counted, item in properties:
                if counted:
                    fields += [(f"{name} count", counted), (name, item, (per_corner[name] * int(size),))]
                else:
                    fields.append((name, item))
            kind = numpy.dtype(fields)
            rows = everything[begins[faces][:, None] + numpy.arange(kind.itemsize)].view(kind).reshape(-1)
            self._take(rows, faces, int(size))

    def _take(self, rows, faces, size):
        at = self.starts[faces][:, None] + numpy.arange(size)
        for name in rows.dtype.names:
            if re.match("vertex_ind(ex|ices)$", name):
                self.corners[at] = rows[name]
            elif name == "texcoord":
                self.uvs[at] = rows[name].reshape(-1, size, 2)
            elif name == "material":
                self.materials[faces] = rows[name]
            elif name == "group":
                self.groups[faces] = rows[name]

    def polygons(self):
        """For each face the polygon it is part of, -1 for those that a cut made."""
        return polygons(self)


def polygons(mesh):
    return numpy.where(mesh.materials >= 0, -1, faces_of(mesh.uvs[mesh.starts[:-1]]))
