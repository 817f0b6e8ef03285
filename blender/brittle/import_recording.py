# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Import > Brittle recording: what `brittle run` wrote, as objects with keyframes. No glTF in between, many times as fast."""

import os

import bpy
import numpy

from . import keys, motion, pieces, versions
from .messages import Refusal
from .recording import Recording


class Bodies:
    """Objects for all bodies of a recording, in collections that are linked when everything is made."""

    def __init__(self, recording, name, unit, clock):
        self.recording, self.unit, self.clock = recording, unit, clock
        self.made = []  # all data blocks, to be removed if anything fails
        self.collection = self._keep(bpy.data.collections.new(name))
        self.meshes, self.materials, self.groups = {}, {}, {}
        self.broken = {recording.root(i) for i, body in enumerate(recording.bodies) if body.parent >= 0}

    def _keep(self, block):
        self.made.append(block)
        return block

    def add(self, index, mesh):
        """The object of a body, with its way."""
        body = self.recording.bodies[index]
        obj = self._keep(bpy.data.objects.new(short(body.name), mesh))
        obj["brittle_mass"], obj["brittle_generation"] = body.mass, body.generation
        keys.write(obj, self.recording.track(index), body, self.clock, self.unit)
        if obj.animation_data and obj.animation_data.action:
            self._keep(obj.animation_data.action)
        self._home(index).objects.link(obj)
        return obj

    def _home(self, index):
        """What broke has a collection of its own for itself and its pieces."""
        root = self.recording.root(index)
        if root not in self.broken:
            return self.collection
        if root not in self.groups:
            self.groups[root] = self._keep(bpy.data.collections.new(short(self.recording.bodies[root].name)))
            self.collection.children.link(self.groups[root])
        return self.groups[root]

    def plain_mesh(self, number):
        """A mesh as the recording has it; bodies that share one share it here."""
        if number not in self.meshes:
            source = self.recording.meshes[number]
            mesh = self._keep(bpy.data.meshes.new(f"recorded {number}"))
            self.meshes[number] = mesh
            pieces.fill_mesh(mesh, source.positions / self.unit, source.starts, source.corners)
            for name, look in source.materials:
                mesh.materials.append(self._material(name, look))
            if source.materials:
                mesh.polygons.foreach_set("material_index", numpy.maximum(source.face_materials, 0).astype(numpy.int32))
            smooth = smooth_faces(source)
            if smooth.any():
                mesh.polygons.foreach_set("use_smooth", smooth)
            mesh.update(calc_edges=True)
            if source.uvs is not None:
                mesh.uv_layers.new(name="UVMap", do_init=False).data.foreach_set("uv", source.uvs.astype(numpy.float32).ravel())
            if smooth.any():
                versions.set_corner_normals(mesh, source.normals)
        return self.meshes[number]

    def _material(self, name, look):
        if name not in self.materials:
            material = self._keep(bpy.data.materials.new(short(name or "recorded")))
            material.diffuse_color = look[:4]
            material.use_nodes = True
            shader = material.node_tree.nodes["Principled BSDF"]
            for field, value in (("Base Color", (*look[:3], 1.0)), ("Metallic", look[4]), ("Roughness", look[5])):
                versions.surface_input(shader, field).default_value = value
            if look[3] < 0.9:
                versions.surface_input(shader, "Transmission Weight").default_value = 1.0 - look[3]
            self.materials[name] = material
        return self.materials[name]

    def discard(self):
        bpy.data.batch_remove(self.made)


def smooth_faces(source):
    """Faces whose normals are not all that of the face."""
    if not hasattr(source, "normals") or not len(source.corners):
        return numpy.zeros(len(source.starts) - 1, bool)
    flat = numpy.repeat(pieces.face_normals(source.positions, source.starts, source.corners), numpy.diff(source.starts), axis=0)
    bent = (flat * source.normals).sum(1) < 0.999
    return numpy.add.reduceat(bent, source.starts[:-1]) > 0


def short(name):
    return name.encode()[: pieces.NAME_BYTES].decode("utf-8", "ignore")


def import_recording(context, path):
    """All bodies of a recording into a collection named after the file. Gives the collection."""
    recording = Recording(path)
    scene = context.scene
    clock = keys.Clock(scene.frame_start, motion.frame_rate(scene) / recording.rate)
    name = os.path.splitext(os.path.basename(path))[0]
    bodies = Bodies(recording, short(name), scene.unit_settings.scale_length, clock)
    try:
        for index, body in enumerate(recording.bodies):
            if recording.is_seen(index):
                bodies.add(index, bodies.plain_mesh(body.mesh))
    except Exception:
        bodies.discard()
        raise
    scene.collection.children.link(bodies.collection)
    return bodies.collection


class BRITTLE_OT_import(bpy.types.Operator):
    """Objects with keyframes from a recording that brittle run wrote"""

    bl_idname = "import_scene.brec"
    bl_label = "Brittle Recording (.brec)"
    bl_options = {"REGISTER", "UNDO"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH")
    filter_glob: bpy.props.StringProperty(default="*.brec", options={"HIDDEN"})

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        try:
            collection = import_recording(context, self.filepath)
        except Refusal as refusal:
            context.window_manager.brittle.message = str(refusal)
            self.report({"ERROR"}, str(refusal))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{len(collection.all_objects)} objects")
        return {"FINISHED"}


def draw_menu(self, context):
    self.layout.operator("import_scene.brec")


classes = [BRITTLE_OT_import]


def register():
    bpy.types.TOPBAR_MT_file_import.append(draw_menu)


def unregister():
    bpy.types.TOPBAR_MT_file_import.remove(draw_menu)
