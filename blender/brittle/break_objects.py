# SPDX-License-Identifier: GPL-3.0-or-later
"""Break: selected objects into pieces, and back."""

import glob
import math
import os

import bpy
import numpy

from . import messages, motion, pieces, ply, presets, rigid_bodies, sites
from .messages import Refusal
from .program import Task
from .surface import Surface
from .work import BackgroundWork

SOLID = {"MESH", "CURVE", "SURFACE", "META", "FONT"}


def text(vector):
    return ",".join(repr(float(x)) for x in vector)


class Blow:
    """A hit on a surface: point [m], direction, and what a moving thing brings along."""

    def __init__(self, context, settings, surface, unit):
        self.speed, self.energy, self.impulse = settings.speed * unit, settings.energy, settings.impulse
        if settings.hit == "CURSOR":
            place, direction = context.scene.cursor.location, None
        else:
            by = settings.hit_object
            if by is None:
                raise Refusal("choose the empty or the object that hits (By)")
            matrix = by.matrix_world
            place, direction = matrix.translation, -matrix.to_3x3().col[2].normalized()
            if settings.hit == "MOTION":
                direction = self._follow(context, by, unit)
        point, normal, _, _ = surface.tree().find_nearest(unit * place)
        self.point = numpy.array(point)
        inward = -numpy.array(normal) * math.copysign(1, numpy.linalg.det(surface.matrix[:3, :3]))
        self.direction = inward if direction is None else numpy.array(direction)

    def _follow(self, context, by, unit):
        frame = context.scene.frame_current
        before, after = motion.poses(context, [by], [frame - 1, frame])
        velocity = motion.velocity(before[0], after[0], 1 / motion.frame_rate(context.scene))[0] * unit
        self.speed = velocity.length
        if not self.speed > 1e-6:
            raise Refusal(f"{by.name} does not move at frame {frame}")
        mass = by.rigid_body.mass if by.rigid_body else by.brittle.mass
        if not mass > 0:
            volume = pieces.volume_of(Surface(by, context.evaluated_depsgraph_get(), unit))
            mass = volume * presets.density(by.brittle.material)
        self.impulse, self.energy = mass * self.speed, 0.5 * mass * self.speed**2
        return velocity / self.speed


class Order:
    """One object and what the program shall do with it."""

    def __init__(self, context, settings, method, repair, obj, folder, cutter):
        self.name, self.method, self.folder = obj.name, method, folder
        self.unit = context.scene.unit_settings.scale_length
        depsgraph = context.evaluated_depsgraph_get()
        self.surface = Surface(obj, depsgraph, self.unit)
        self.surface.write(os.path.join(folder, "mesh.ply"))
        self.density = presets.density(settings.material)
        words = getattr(self, "_" + method.lower())(context, settings, obj, depsgraph, cutter)
        words += ["--strict"] if repair == "ASK" else [f"--repair={repair.lower()}"]
        if settings.thickness > 0 and repair != "ASK":
            words += ["--thicken", settings.thickness * self.unit]
        self.task = Task(obj.name, folder, words + ["--json", "--seed", settings.seed], {"mesh.ply": obj.name, "cutter.ply": cutter.name if cutter else ""})

    def _shatter(self, context, settings, obj, depsgraph, cutter):
        words = ["shatter", "mesh.ply", "-o", "pieces.ply", "--pieces", settings.pieces, "--smallest", settings.smallest]
        words += ["--density", self.density, "--device", "cpu"]
        points = sites.find(settings, obj, self.surface, depsgraph, self.unit)
        if points is not None:
            ply.write_points(os.path.join(self.folder, "sites.ply"), points)
            words += ["--sites", "sites.ply"]
        else:
            words += self._pattern(context, settings)
        is_cells = points is not None or settings.pattern not in {"IMPACT", "RADIAL"}
        if settings.roughness > 0 and is_cells:
            words += ["--rough", settings.roughness * self.unit]
        return words + (["--stretch", text(settings.stretch)] if is_cells else [])

    def _pattern(self, context, settings):
        words = ["--pattern", settings.pattern.lower()]
        if settings.pattern in {"CLUSTERED", "RADIAL", "IMPACT"}:
            blow = Blow(context, settings, self.surface, self.unit)
            words += ["--at", text(blow.point)]
            if settings.pattern == "CLUSTERED":
                words += ["--strength", settings.strength, "--radius", settings.radius * self.unit]
            else:
                words += ["--material", settings.material, "--speed", blow.speed]
            if settings.pattern == "IMPACT":
                words += ["--energy", blow.energy, "--direction", text(blow.direction)]
        if settings.pattern in {"RADIAL", "SLICES"}:
            words += ["--axis", text(settings.axis)]
        if settings.pattern in {"GRID", "SLICES"}:
            words += ["--jitter", settings.jitter]
        return words

    def _crack(self, context, settings, obj, depsgraph, cutter):
        blow = Blow(context, settings, self.surface, self.unit)
        return [
            "crack", "mesh.ply", "-o", "pieces.ply", "--material", settings.material, "--hit", text(blow.point),
            "--impulse", text(blow.impulse * blow.direction), "--striker", settings.striker * self.unit, "--cracks", settings.cracks,
            "--pieces", settings.pieces, "--device", "cpu",
        ]  # fmt: skip

    def _cut(self, context, settings, obj, depsgraph, cutter):
        Surface(cutter, depsgraph, self.unit).write(os.path.join(self.folder, "cutter.ply"))
        return ["cut", "mesh.ply", "cutter.ply", "-o", "cut"]

    def read(self):
        """The pieces, from the program's files."""
        answer = self.task.answer()
        paths = sorted(glob.glob(os.path.join(self.folder, "cut", "piece_*.ply"))) or [os.path.join(self.folder, "pieces.ply")]
        try:
            result = pieces.Pieces(self.surface, [ply.Ply(path) for path in paths])
        except (OSError, KeyError, ValueError, IndexError) as error:
            raise Refusal(f"{self.name}: the pieces that brittle wrote cannot be read as PLY ({error}); nothing was changed") from error
        if len(result.list) < 2:
            raise Refusal(messages.unbroken(self.name, answer.get("end", "the cutter does not part it" if self.method == "CUT" else "it is one piece")))
        return result


def inside_material(surface, made):
    """The material of cut faces: 'NAME inside' after what covers most of the outside; one that is there already is taken again."""
    outside = surface.materials[surface.outside_material()] if surface.materials else None
    base = (outside.name if outside else surface.name).encode()[: pieces.NAME_BYTES - 7].decode("utf-8", "ignore")
    material = bpy.data.materials.get(base + " inside")
    if material is None:
        material = bpy.data.materials.new(base + " inside")
        made.append(material)
        material.diffuse_color = outside.diffuse_color if outside else (0.6, 0.6, 0.6, 1.0)
        material.use_nodes = True
        shader = material.node_tree.nodes.get("Principled BSDF")
        if shader:
            shader.inputs["Base Color"].default_value = material.diffuse_color
            shader.inputs["Roughness"].default_value = 0.7
    return material


class BRITTLE_OT_break(BackgroundWork, bpy.types.Operator):
    """Break the selected objects into pieces; the originals are hidden"""

    bl_idname = "object.brittle_break"
    bl_label = "Break into Pieces"
    repairing = bl_idname
    bl_options = {"REGISTER", "UNDO"}

    method: bpy.props.EnumProperty(
        name="Method",
        items=[("SCENE", "As set", "The method of the panel"), ("SHATTER", "Shatter", ""), ("CRACK", "Crack", ""), ("CUT", "Cut", "")],
        options={"SKIP_SAVE"},
    )
    repair: bpy.props.BoolProperty(name="Repair", description="Mend meshes that are no closed solids on the way", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and any(o.type in SOLID for o in context.selected_objects)

    def prepare(self, context):
        settings = context.scene.brittle
        method = settings.method if self.method == "SCENE" else self.method
        repair = "REMESH" if self.repair and settings.repair == "ASK" else settings.repair
        objects = [o for o in context.selected_objects if o.type in SOLID]
        cutter = None
        if method == "CUT":
            cutter = settings.cutter or (context.active_object if len(objects) > 1 else None)
            if cutter is None:
                raise Refusal("choose a cutter, or select what is cut and then, as the last one, the object that cuts")
            objects = [o for o in objects if o != cutter]
        if not objects:
            raise Refusal("select the objects to break")
        self.orders = [Order(context, settings, method, repair, o, self.task_folder(i), cutter) for i, o in enumerate(objects)]
        return [order.task for order in self.orders]

    def finish(self, context):
        """Makes everything, then links it; what was made goes again if anything is in the way."""
        found = [order.read() for order in self.orders]
        originals = [bpy.data.objects.get(order.name) for order in self.orders]
        for order, original in zip(self.orders, originals):
            if original is None:
                raise Refusal(messages.gone(order.name))
        made, results = [], []
        try:
            for order, parts in zip(self.orders, found):
                results.append(parts.make(order.unit, inside_material(parts.surface, made)))
        except Exception:
            pieces.discard([o for objects in results for o in objects] + [o.data for objects in results for o in objects])
            bpy.data.batch_remove(made)
            raise
        for order, parts, original, objects in zip(self.orders, found, originals, results):
            self._link(context, order, parts, original, objects)
        count = sum(len(objects) for objects in results)
        notes = [note for order in self.orders for note in order.task.notes()]
        names = ", ".join(order.name for order in self.orders[:3]) + (" and others" if len(self.orders) > 3 else "")
        return f"{names}: {count} pieces" + "".join(f"; {note}" for note in notes[:2])

    def _link(self, context, order, parts, original, objects):
        collection = bpy.data.collections.new(order.name + " pieces")
        for home in original.users_collection:
            if home.library is None:
                home.children.link(collection)
        if not collection.users:
            context.scene.collection.children.link(collection)
        collection["brittle_original"] = original
        collection["brittle_was_shown"] = [not original.hide_render, original.visible_get()]
        for obj, piece in zip(objects, parts.list):
            obj["brittle_mass"] = piece.volume * order.density
            if original.parent is not None:
                obj.parent = original.parent
                obj.parent_type = original.parent_type
                obj.parent_bone = original.parent_bone
                obj.parent_vertices = original.parent_vertices
                obj.matrix_parent_inverse = parent_matrix(original).inverted_safe()
            collection.objects.link(obj)
        original.hide_render = True
        original.select_set(False)
        original.hide_set(True)
        context.view_layer.objects.active = objects[0]
        for obj in objects:
            obj.select_set(True)
        settings = context.scene.brittle
        if settings.join:
            rigid_bodies.join(context, collection, objects, parts, order, settings)


def parent_matrix(original):
    """World matrix of the space an object's parent gives it, bones and vertices included."""
    return original.matrix_world @ (original.matrix_parent_inverse @ original.matrix_basis).inverted_safe()


def collections_of(objects):
    """Collections of pieces that the objects belong to, or that were made of them."""
    found = []
    for collection in bpy.data.collections:
        original = collection.get("brittle_original")
        if original is None:
            continue
        if original in objects or any(obj.name in collection.objects for obj in objects):
            found.append(collection)
    return found


class BRITTLE_OT_restore(bpy.types.Operator):
    """Remove the pieces and show the original again"""

    bl_idname = "object.brittle_restore"
    bl_label = "Back to the Original"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and any(c.get("brittle_original") is not None for c in bpy.data.collections)

    def execute(self, context):
        objects = set(context.selected_objects) | ({context.active_object} if context.active_object else set())
        found = collections_of(objects)
        if not found:
            self.report({"ERROR"}, "select a piece of what shall be whole again")
            return {"CANCELLED"}
        for collection in found:
            original = collection["brittle_original"]
            rendered, shown = collection["brittle_was_shown"]
            old = list(collection.all_objects)
            meshes = [o.data for o in old if o.type == "MESH"]
            for child in list(collection.children):
                bpy.data.collections.remove(child)
            pieces.discard(old)
            pieces.discard([m for m in set(meshes) if not m.users])
            bpy.data.collections.remove(collection)
            original.hide_render = not rendered
            if original.name in context.view_layer.objects:
                original.hide_set(not shown)
                original.select_set(True)
                context.view_layer.objects.active = original
        return {"FINISHED"}


classes = [BRITTLE_OT_break, BRITTLE_OT_restore]
