# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of the program (.brec, docs/formats.md) with numpy alone: meshes, bodies, and where they were in every frame."""

import struct

import numpy

from .messages import Refusal

POSITION_UNIT = 2.0**-20
TURN_UNIT = 2.0**-6
NORMALS, UVS, COLORS, FACE_MATERIALS, EXACT = 1, 2, 4, 8, 16


class Stream:
    """Bytes with a place to read from. Counts of seven bits a byte are taken many at a time."""

    def __init__(self, data):
        self.data, self.at = data, 0
        self.bytes = numpy.frombuffer(data, numpy.uint8)
        self.ends = numpy.flatnonzero(self.bytes < 128)  # last bytes of counts, and others that look so

    def unpack(self, pattern):
        values = struct.unpack_from("<" + pattern, self.data, self.at)
        self.at += struct.calcsize("<" + pattern)
        return values

    def peek_counts(self, number):
        """At most `number` counts from here on, and where each ends."""
        first = numpy.searchsorted(self.ends, self.at)
        ends = self.ends[first : first + number]
        begins = numpy.concatenate(([self.at], ends[:-1] + 1)) if len(ends) else ends
        values = (self.bytes[begins] & 127).astype(numpy.int64)
        lengths = ends - begins
        for byte in range(1, min(int(lengths.max(initial=0)), 8) + 1):
            longer = numpy.flatnonzero(lengths >= byte)
            values[longer] |= (self.bytes[begins[longer] + byte] & 127).astype(numpy.int64) << (7 * byte)
        return values, ends

    def counts(self, number):
        values, ends = self.peek_counts(number)
        if len(values) < number:
            raise ValueError("the file ends early")
        if number:
            self.at = int(ends[-1]) + 1
        return values

    def signed(self, number):
        return unfold(self.counts(number))

    def count(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def text(self):
        length = self.count()
        self.at += length
        return self.data[self.at - length : self.at].decode("utf-8", "replace")


def unfold(folded):
    """0, 1, 2, 3, 4 stand for 0, -1, 1, -2, 2."""
    return (folded >> 1) ^ -(folded & 1)


class RecordedMesh:
    """A mesh about its center of mass, in meters."""

    def __init__(self, stream):
        flags, vertex_count, face_count, corner_count, material_count = stream.unpack("5I")
        if flags & EXACT:
            raise ValueError("it is part of a checkpoint")
        self.materials = [self._material(stream) for _ in range(material_count)]
        (step,) = stream.unpack("d")
        self.positions = step * stream.signed(3 * vertex_count).reshape(-1, 3).cumsum(0)
        if flags & COLORS:
            stream.at += 16 * vertex_count
        faces = stream.counts(2 * face_count if flags & FACE_MATERIALS else face_count)
        if flags & FACE_MATERIALS:
            sizes, self.face_materials = faces[0::2], unfold(faces[1::2])
        else:
            sizes, self.face_materials = faces, numpy.full(face_count, -1)
        self.starts = numpy.concatenate(([0], numpy.cumsum(sizes)))
        self.corners = stream.signed(corner_count).cumsum().astype(numpy.int32)
        if flags & NORMALS:
            self.normals = 2.0**-12 * stream.signed(3 * corner_count).reshape(-1, 3).cumsum(0)
        self.uvs = 2.0**-14 * stream.signed(2 * corner_count).reshape(-1, 2).cumsum(0) if flags & UVS else None
        if self.starts[-1] != corner_count or (corner_count and not 0 <= self.corners.min() <= self.corners.max() < vertex_count):
            raise ValueError("a mesh does not fit together")

    @staticmethod
    def _material(stream):
        name = stream.text()
        stream.text()
        return name, stream.unpack("9f")  # RGBA, metallic, roughness, emission


class RecordedBody:
    """One body: `born` and `gone` are frames, gone is None for what stays; kind 0 body, 1 piece, 2 ground."""

    def __init__(self, stream):
        self.name, self.mesh, self.parent = stream.text(), stream.count(), unfold(stream.count())
        self.born, gone, self.kind, self.generation = stream.count(), stream.count(), stream.count(), stream.count()
        self.gone = gone - 1 if gone else None
        (self.mass,) = stream.unpack("f")


class Track:
    """Keys of one body: frames, places [m], rotations (w, x, y, z, signs without jumps). Between two frames it goes straight."""

    def __init__(self, frames, places, rotations, turns):
        self.frames = frames.astype(numpy.float64)
        self.places = POSITION_UNIT * places
        rotations = rotations[:, [3, 0, 1, 2]].astype(numpy.float64)
        rotations /= numpy.maximum(numpy.linalg.norm(rotations, axis=1, keepdims=True), 1e-9)
        self.rotations = rotations
        self._hold()
        if turns:
            self._add_turns(numpy.array([t[0] for t in turns]), TURN_UNIT * numpy.array([t[1] for t in turns]))
        dots = (self.rotations[1:] * self.rotations[:-1]).sum(1)
        self.rotations[1:] *= numpy.cumprod(numpy.where(dots < 0, -1.0, 1.0))[:, None]

    def _hold(self):
        """It rests between keys: one more key in the frame before it moves on."""
        late = numpy.flatnonzero(numpy.diff(self.frames) > 1) + 1
        self.places = numpy.insert(self.places, late, self.places[late - 1], 0)
        self.rotations = numpy.insert(self.rotations, late, self.rotations[late - 1], 0)
        self.frames = numpy.insert(self.frames, late, self.frames[late] - 1)

    def _add_turns(self, frames, turns):
        """Keys within a frame for what turned by more than a quarter in it; two poses alone do not tell which way round."""
        after = numpy.searchsorted(self.frames, frames)
        is_known = (after > 0) & (after < len(self.frames))
        after, frames, turns = after[is_known], frames[is_known], turns[is_known]
        before = self.rotations[after - 1]
        missed = multiply(self.rotations[after], conjugate(multiply(about(turns), before)))
        missed *= numpy.where(missed[:, :1] < 0, -1.0, 1.0)
        parts = numpy.maximum(1, numpy.ceil(numpy.linalg.norm(turns, axis=1) / (numpy.pi / 2))).astype(int)
        owners = numpy.repeat(numpy.arange(len(parts)), parts - 1)
        firsts = numpy.cumsum(parts - 1) - (parts - 1)
        shares = ((numpy.arange(len(owners)) - firsts[owners] + 1) / parts[owners])[:, None]
        rotations = multiply(about(shares * logs(missed)[owners]), multiply(about(shares * turns[owners]), before[owners]))
        places = (1 - shares) * self.places[after - 1][owners] + shares * self.places[after][owners]
        at = after[owners]
        self.frames = numpy.insert(self.frames, at, frames[owners] - 1 + shares[:, 0])
        self.places = numpy.insert(self.places, at, places, 0)
        self.rotations = numpy.insert(self.rotations, at, rotations, 0)


def multiply(a, b):
    """Products of quaternions (w, x, y, z), row by row."""
    (aw, ax, ay, az), (bw, bx, by, bz) = a.T, b.T
    return numpy.stack([aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
                        aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw], 1)  # fmt: skip


def conjugate(q):
    return q * (1, -1, -1, -1)


def about(turns):
    """Quaternions of rotations by the length of each turn about it."""
    angles = numpy.linalg.norm(turns, axis=1, keepdims=True)
    return numpy.concatenate([numpy.cos(angles / 2), 0.5 * numpy.sinc(angles / (2 * numpy.pi)) * turns], 1)


def logs(q):
    """Turns of quaternions with w >= 0."""
    lengths = numpy.linalg.norm(q[:, 1:], axis=1, keepdims=True)
    return q[:, 1:] * numpy.where(lengths > 1e-12, 2 * numpy.arctan2(lengths, q[:, :1]) / numpy.maximum(lengths, 1e-12), 2.0)


class Recording:
    """A whole .brec file."""

    def __init__(self, path):
        try:
            with open(path, "rb") as file:
                data = file.read()
            self._read(data)
        except (OSError, ValueError, IndexError, struct.error) as error:
            raise Refusal(f"{path} cannot be read as a recording: {error}") from error

    def _read(self, data):
        if data[:4] != b"BREC":
            raise ValueError("it is no .brec file")
        stream = Stream(data)
        _, version, size, _, self.rate, _ = stream.unpack("4sIQQdd")
        mesh_count, body_count, self.frame_count, _, break_count, _ = stream.unpack("6I")
        if version != 4:
            raise ValueError(f"it is of version {version}, this add-on reads version 4")
        if len(data) != 64 + size:
            raise ValueError("it is not whole")
        self.meshes = [RecordedMesh(stream) for _ in range(mesh_count)]
        self.bodies = [RecordedBody(stream) for _ in range(body_count)]
        self._read_frames(stream)

    def _read_frames(self, stream):
        count = len(self.bodies)
        places, rotations = numpy.zeros((count, 3), numpy.int64), numpy.zeros((count, 4), numpy.int64)
        self.turns = [[] for _ in range(count)]
        rows = []
        for frame in range(self.frame_count):
            stream.counts(3)
            stream.at += 8
            key_count = stream.count()
            values, ends = stream.peek_counts(11 * key_count)
            begins, at = [], 0
            for gap in self._walk(values, key_count):
                begins.append(at)
                at += gap
            if key_count:
                stream.at = int(ends[at - 1]) + 1
                begins = numpy.array(begins)
                gaps = values[begins]
                bodies = (gaps // 2 + 1).cumsum() - 1
                steps = unfold(values[begins[:, None] + numpy.arange(1, 8)])
                places[bodies] += steps[:, :3]
                rotations[bodies] += steps[:, 3:]
                rows.append((numpy.full(key_count, frame), bodies, places[bodies], rotations[bodies]))
                for i in numpy.flatnonzero(gaps & 1):
                    self.turns[bodies[i]].append((frame, unfold(values[begins[i] + 8 : begins[i] + 11])))
        self._sort(rows, count)

    @staticmethod
    def _walk(values, count):
        """How many counts each key has: three more where a turn follows."""
        parities = (values & 1).tolist()
        at = 0
        for _ in range(count):
            step = 11 if parities[at] else 8
            yield step
            at += step

    def _sort(self, rows, count):
        if not rows:
            rows = [(numpy.zeros(0, int), numpy.zeros(0, int), numpy.zeros((0, 3)), numpy.zeros((0, 4)))]
        frames, bodies, places, rotations = (numpy.concatenate(parts) for parts in zip(*rows))
        order = numpy.argsort(bodies, kind="stable")
        self._frames, self._places, self._rotations = frames[order], places[order], rotations[order]
        self._begins = numpy.searchsorted(bodies[order], numpy.arange(count + 1))

    def track(self, body):
        own = slice(self._begins[body], self._begins[body + 1])
        return Track(self._frames[own], self._places[own], self._rotations[own], self.turns[body])

    def root(self, body):
        while self.bodies[body].parent >= 0:
            body = self.bodies[body].parent
        return body

    def is_seen(self, body):
        """Whether it is there in at least one frame."""
        body = self.bodies[body]
        return body.gone is None or body.gone > body.born
