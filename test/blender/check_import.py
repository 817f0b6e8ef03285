# SPDX-License-Identifier: MIT
"""What Blender makes of a run: blender -b --factory-startup --python check_import.py -- RUN.brec RUN.glb

Reads the recording by docs/formats.md, imports the .glb at Blender's own 24 frames per second, and compares names, groups, materials,
visibility and the places of all pieces, most of which lie between two recorded frames. Exit 1 and a sentence for what is wrong.
"""

import struct
import sys
import traceback

import numpy

numpy.bool = bool  # Blender 3.4's importer asks for it; numpy 1.24 has it no more

import bpy  # noqa: E402

UNIT = 2.0**-20


class Recording:
    """Names, lives and positions of the bodies in a .brec file."""

    def __init__(self, path):
        self.bytes, self.at = open(path, "rb").read(), 0
        magic, version, _, _, self.rate, _ = struct.unpack_from("<4sIQQdd", self.bytes)
        assert magic == b"BREC" and version == 4, (magic, version)
        meshes, bodies, self.frames, _, _ = struct.unpack_from("<5I", self.bytes, 40)
        self.at = 64
        for _ in range(meshes):
            self.skip_mesh()
        self.bodies = [self.read_body() for _ in range(bodies)]
        last = numpy.zeros((bodies, 3))
        self.places = numpy.zeros((self.frames, bodies, 3))
        for frame in range(self.frames):
            self.skip(3)
            self.at += 8
            body = -1
            for _ in range(self.count()):
                gap = self.count()
                body += gap // 2 + 1
                last[body] += [self.signed() for _ in range(3)]
                self.skip(4 + 3 * (gap % 2))
            self.places[frame] = UNIT * last

    def count(self):
        value = shift = 0
        while True:
            byte = self.bytes[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        folded = self.count()
        return folded // 2 if folded % 2 == 0 else -(folded + 1) // 2

    def skip(self, numbers):
        while numbers > 0:
            numbers -= self.bytes[self.at] < 128
            self.at += 1

    def text(self):
        length = self.count()
        self.at += length
        return self.bytes[self.at - length : self.at].decode()

    def words(self, count):
        self.at += 4 * count
        return struct.unpack_from(f"<{count}I", self.bytes, self.at - 4 * count)

    def skip_mesh(self):
        flags, vertices, faces, corners, materials = self.words(5)
        for _ in range(materials):
            self.text(), self.text()
            self.at += 36
        self.at += 8
        self.skip(3 * vertices)
        self.at += 16 * vertices if flags & 4 else 0
        self.skip(faces * (2 if flags & 8 else 1) + corners * (1 + (3 if flags & 1 else 0) + (2 if flags & 2 else 0)))

    def read_body(self):
        body = {"name": self.text(), "mesh": self.count(), "parent": self.signed(), "born": self.count(), "gone": self.count()}
        body["gone"] = body["gone"] - 1 if body["gone"] > 0 else 1 << 30
        body["kind"], body["generation"] = self.count(), self.count()
        self.at += 4
        return body

    def place(self, body, time):
        """Straight between frames, from its birth on."""
        exact = min(max(time * self.rate, self.bodies[body]["born"]), self.frames - 1)
        low = int(exact + 1e-6)
        high = min(low + 1, self.frames - 1)
        share = max(exact - low, 0.0)
        return (1 - share) * self.places[low, body] + share * self.places[high, body]

    def root(self, body):
        while self.bodies[body]["parent"] >= 0:
            body = self.bodies[body]["parent"]
        return body


def check(recording, path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 24
    bpy.ops.import_scene.gltf(filepath=path)
    objects = {o.name: o for o in bpy.data.objects}
    broken = {recording.root(b) for b, body in enumerate(recording.bodies) if body["parent"] >= 0}
    seen = []
    for b, body in enumerate(recording.bodies):
        if body["gone"] <= body["born"]:
            continue
        root = recording.bodies[recording.root(b)]["name"]
        name = body["name"] + ("_whole" if b in broken else "")
        assert name in objects, f"{name} is not there"
        o = objects[name]
        assert o.type == "MESH", f"{name} shows nothing: {o.type}, children {[c.name for c in o.children][:3]}"
        if recording.root(b) in broken:
            assert o.parent is not None and o.parent.name == root and o.parent.type == "EMPTY", f"{name} is in no group {root}"
        else:
            assert o.parent is None, f"{name} has a parent"
        if body["kind"] == 1:
            assert o["generation"] == body["generation"] and o["volume"] > 0, f"{name} lacks properties"
        seen.append((b, body, o))
    assert len([o for o in objects.values() if o.type == "MESH"]) == len(seen), "there are more objects than bodies"
    assert any(o.type == "CAMERA" for o in objects.values()), "there is no camera"
    for material in bpy.data.materials:
        surface = material.node_tree.nodes.get("Principled BSDF") if material.node_tree else None
        if surface and "glass" in material.name:
            assert surface.inputs["Transmission"].default_value > 0.9, f"{material.name} lets no light through"
            assert abs(surface.inputs["IOR"].default_value - 1.52) < 0.01
    radii = {o.name: max((v.co.length for v in o.data.vertices), default=1.0) for _, _, o in seen}
    offs = []
    for frame in range(int(24 * (recording.frames - 1) / recording.rate) + 1):
        bpy.context.scene.frame_set(frame)
        time = frame / 24
        for b, body, o in seen:
            exact = time * recording.rate
            if min(abs(exact - body["born"]), abs(exact - body["gone"])) < 1e-3 and 0 < body["born"]:
                continue  # floats of times
            is_there = body["born"] <= exact < body["gone"]
            size = o.matrix_world.to_scale().length
            assert (size > 1.0) == is_there, f"{o.name} at frame {frame}: scale {size}"
            if is_there and body["kind"] != 2:
                place = numpy.array(o.matrix_world.translation)
                offs.append(numpy.linalg.norm(place - recording.place(b, time)) / radii[o.name])
    offs = numpy.array(offs)
    share = (offs < 0.02).mean()  # 1 % of the size, 2 % of the radius
    print(f"{path}: {len(seen)} objects, {len(broken)} groups, {len(offs)} places, {100 * share:.2f} % within 1 % of the size, "
          f"farthest {offs.max():.4f} radii")
    assert share >= 0.99 and offs.max() < 1.0, "pieces leave their paths"


if __name__ == "__main__":
    try:
        arguments = sys.argv[sys.argv.index("--") + 1 :]
        for brec, glb in zip(arguments[0::2], arguments[1::2]):
            check(Recording(brec), glb)
    except Exception:
        traceback.print_exc()
        sys.exit(1)
