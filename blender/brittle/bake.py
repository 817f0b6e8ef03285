# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulate: marked objects as a scene of the program, and its recording as objects with keyframes."""

import json
import os
import shutil

import bpy
import numpy
from mathutils import Matrix, Vector

from . import break_objects, import_recording, keys, messages, motion, pieces, ply
from .messages import Refusal
from .preview import Preview
from .program import Task
from .recording import Recording
from .surface import Surface
from .work import BackgroundWork

FAR_BELOW = -1e4  # a ground for anchors to hold on to where there is none [m]
HELD = {"BREAKABLE", "BODY"}
PARTS = 6  # of a bake with preview


def numbers(vector):
    return [float(x) for x in vector]


class Thing:
    """A marked object in the scene that is written: its surface in its own axes, its pose at the first frame."""

    def __init__(self, index, obj, matrix, depsgraph, unit):
        self.name, self.object, self.settings = f"b{index}", obj, obj.brittle
        rotation = motion.rotation(matrix)
        self.rotation, self.position = rotation, unit * Vector(matrix.translation)
        self.pose = Matrix.Translation(self.position) @ rotation.to_matrix().to_4x4()
        self.surface = Surface(obj, depsgraph, unit, numpy.array(self.pose.inverted(), numpy.float64))
        self.box = self.surface.positions.min(0), self.surface.positions.max(0)
        self.matrix = matrix

    @property
    def is_animated(self):
        return self.settings.role == "BODY" and self.settings.motion == "ANIMATED"

    @property
    def is_baked(self):
        return self.settings.role in HELD and not self.is_animated

    def world_box(self):
        corners = [self.pose @ Vector((self.box[i][0], self.box[j][1], self.box[k][2])) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
        return numpy.min(corners, 0), numpy.max(corners, 0)

    def is_floor(self):
        """A level sheet that looks up: the ground without end."""
        points = self.surface.positions @ numpy.array(self.pose.to_3x3()).T + numpy.array(self.position)
        return bool(numpy.ptp(points[:, 2]) < 1e-6 * max(self.surface.size(), 1e-6))

    def body(self, folder):
        """Its entry in the scene; the mesh goes into a file."""
        self.surface.write(os.path.join(folder, self.name + ".ply"))
        axis, angle = self.rotation.to_axis_angle()
        entry = {"name": self.name, "model": self.name, "material": self.settings.material, "position": numbers(self.position)}
        if abs(angle) > 0:
            entry["rotation"] = {"axis": numbers(axis), "degrees": float(numpy.degrees(angle))}
        if self.settings.role == "GROUND":
            entry["kind"] = "static"
        elif self.settings.motion != "FREE":
            entry["kind"] = "kinematic" if self.is_animated else "static"
        if self.settings.mass > 0:
            entry["mass"] = self.settings.mass
        if self.settings.role == "BREAKABLE":
            entry["fracture"] = self._fracture()
        return entry

    def _fracture(self):
        settings = self.settings
        fracture = {"method": settings.method.lower(), "pieces": settings.pieces, "generations": settings.generations, "strength": settings.strength}
        if settings.method == "BONDS":
            fracture["bond_strength"] = fracture.pop("strength")
        return fracture


class SceneWriter:
    """The marked objects of a Blender scene as a scene of the program (docs/scene.md; JSON is YAML)."""

    def __init__(self, context, folder, repair):
        self.context, self.scene, self.folder = context, context.scene, folder
        self.repair = repair or self.scene.brittle.repair != "ASK"
        self.unit = self.scene.unit_settings.scale_length
        self.rate = motion.frame_rate(self.scene)
        self.first, self.last = self.scene.frame_start, self.scene.frame_end
        self.marked = [o for o in self.scene.objects if o.brittle.role != "NONE"]
        if not any(o.brittle.role in HELD for o in self.marked):
            raise Refusal("mark at least one object as Breakable or Body (Sidebar > Brittle > Simulate)")
        if self.last <= self.first:
            raise Refusal("the scene's frame range has no second frame")

    def write(self):
        self._make_things()
        self.bodies, self.events, self.joints = {}, [], []
        floor = None
        for thing in self.things:
            if thing.settings.role == "GROUND" and floor is None and thing.is_floor():
                floor = thing
            else:
                self.bodies[thing.name] = thing.body(self.folder)
        self._set_motion()
        for obj in self.marked:
            if obj.brittle.role == "ANCHOR":
                self._hold(obj)
            elif obj.brittle.role == "FORCE":
                self._push(obj)
        settings = self.scene.brittle
        if settings.use_constraints:
            self._pass_constraints()
        scene = {
            "scene": "Blender",
            "gravity": numbers(self.scene.gravity) if self.scene.use_gravity else 0.0,
            "duration": (self.last - self.first) / self.rate,
            "frame_rate": self.rate,
            "steps_per_frame": max(1, int(numpy.ceil(settings.steps / self.rate - 1e-9))),
            "seed": settings.seed,
            "models": {name: self._model(name) for name in self.bodies},
            "bodies": list(self.bodies.values()),
            "output": {"glb": False, "usda": False, "csv": False, "poster": False, "sheet": False},
        }
        if floor is not None:
            scene["ground"] = {"height": float(floor.position.z), "material": floor.settings.material}
        elif any("a" not in joint for joint in self.joints):
            scene["ground"] = {"height": FAR_BELOW, "material": "steel"}
        if self.events:
            scene["events"] = sorted(self.events, key=lambda event: event["at"])
        if self.joints:
            scene["joints"] = self.joints
        with open(os.path.join(self.folder, "scene.yaml"), "w", encoding="utf-8") as file:
            json.dump(scene, file, indent=1)

    def _model(self, name):
        model = {"file": name + ".ply", "up": "z", "unit": "m"}
        if not self.repair:
            model["repair"] = "never"
        return model

    def _make_things(self):
        """Surfaces and poses at the first frame, matrices at all frames of what is animated."""
        solid = [o for o in self.marked if o.brittle.role in HELD | {"GROUND"}]
        for obj in solid:
            if obj.type not in break_objects.SOLID:
                raise Refusal(f"{obj.name} is a {obj.type.lower()}, which has no surface to collide with")
        moving = [o for o in solid if motion.is_animated(o)]
        needs_all = any(o.brittle.role == "BODY" and o.brittle.motion == "ANIMATED" for o in moving)
        frames = range(self.first, (self.last if needs_all else self.first + 1) + 1)
        rows = motion.poses(self.context, moving, frames) if moving else []
        self.ways = {obj.name: [row[i] for row in rows] for i, obj in enumerate(moving)}
        self.things = motion.at_frame(self.context, self.first, lambda depsgraph: [
            Thing(i, obj, obj.evaluated_get(depsgraph).matrix_world.copy(), depsgraph, self.unit) for i, obj in enumerate(solid)])

    def _set_motion(self):
        for thing in self.things:
            way = self.ways.get(thing.object.name)
            if way is None or thing.name not in self.bodies or thing.settings.role == "GROUND":
                continue
            steps = [self._step(way[i], way[i + 1]) for i in range(len(way) - 1)] if thing.is_animated else [self._step(way[0], way[1])]
            body, (velocity, spin) = self.bodies[thing.name], steps[0]
            if body.get("kind") == "static":
                continue
            body["velocity"], body["spin"] = velocity, spin
            for i in range(1, len(steps)):
                if steps[i] != steps[i - 1]:
                    self.events.append({"at": (i - 1e-6) / self.rate, "set": thing.name, "velocity": steps[i][0], "spin": steps[i][1]})

    def _step(self, before, after):
        velocity, spin = motion.velocity(before, after, 1 / self.rate)
        return numbers(self.unit * velocity), numbers(spin)

    def _hold(self, anchor):
        """An empty holds what is nearest at its place; a mesh all that it overlaps, where it overlaps it."""
        held = [t for t in self.things if t.settings.role in HELD and t.settings.motion == "FREE"]
        if anchor.type in break_objects.SOLID:
            corners = numpy.array([self.unit * (anchor.matrix_world @ Vector(c)) for c in anchor.bound_box])
            for thing in held:
                lower, upper = thing.world_box()
                lower, upper = numpy.maximum(lower, corners.min(0)), numpy.minimum(upper, corners.max(0))
                if (lower <= upper).all():
                    self._join(anchor, thing, (lower + upper) / 2, (lower, upper))
            return
        point = numpy.array(self.unit * anchor.matrix_world.translation)
        if held:
            self._join(anchor, min(held, key=lambda t: distance_to_box(point, *t.world_box())), point, None)

    def _join(self, anchor, thing, point, box):
        settings = anchor.brittle
        if thing.settings.role == "BREAKABLE" and thing.settings.method == "BONDS" and box is not None:
            inverse = thing.pose.inverted()
            corners = [inverse @ Vector((box[i][0], box[j][1], box[k][2])) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
            self.bodies[thing.name]["fracture"]["fixed"] = [numbers(numpy.min(corners, 0)), numbers(numpy.max(corners, 0))]
            return
        joint = {"kind": settings.hold, "b": thing.name, "anchor": numbers(point), "axis": numbers(anchor.matrix_world.to_3x3().col[2].normalized())}
        if settings.break_force > 0:
            joint["break_force"] = settings.break_force
        self.joints.append(joint)

    def _pass_constraints(self):
        """Rigid body constraints of Blender between marked objects. Theirs break by the impulse of a step, ours by force."""
        kinds = {"FIXED": "fixed", "POINT": "ball", "HINGE": "hinge"}
        names = {thing.object: thing.name for thing in self.things if thing.name in self.bodies}
        world = self.scene.rigidbody_world
        for obj in self.scene.objects:
            constraint = obj.rigid_body_constraint
            if constraint is None or not constraint.enabled or constraint.type not in kinds:
                continue
            if constraint.object1 not in names or constraint.object2 not in names:
                continue
            joint = {"kind": kinds[constraint.type], "a": names[constraint.object1], "b": names[constraint.object2]}
            joint["anchor"] = numbers(self.unit * obj.matrix_world.translation)
            joint["axis"] = numbers(obj.matrix_world.to_3x3().col[2].normalized())
            if constraint.use_breaking:
                joint["break_force"] = constraint.breaking_threshold * self.rate * (world.substeps_per_frame if world else 10)
            self.joints.append(joint)

    def _push(self, force):
        settings = force.brittle
        push = {"point": numbers(self.unit * force.matrix_world.translation), "radius": settings.force_radius * self.unit}
        if settings.force_shape == "BLAST":
            push["speed"] = settings.force * self.unit
        else:
            push["velocity"] = numbers(self.unit * settings.force * force.matrix_world.to_3x3().col[2].normalized())
        frame = max(settings.force_frame, self.first)
        self.events.append({"at": (frame - self.first) / self.rate, "push": push})


def distance_to_box(point, lower, upper):
    return float(numpy.linalg.norm(point - numpy.clip(point, lower, upper)))


class RecordingMesh:
    """A mesh of a recording as pieces.Pieces takes files, moved to where it lay in the original."""

    def __init__(self, source, group=0):
        self.positions, self.starts, self.corners = source.positions, source.starts, source.corners
        self.uvs = source.uvs if source.uvs is not None else numpy.zeros((len(source.corners), 2))
        inner = numpy.array([name.endswith("inside") or name == "interior" for name, _ in source.materials] + [False])
        self.materials = numpy.where(inner[source.face_materials], 0, -1)
        self.groups = numpy.full(len(source.starts) - 1, group)

    def polygons(self):
        return ply.polygons(self)


class Result:
    """Objects of one bake, made before anything is linked."""

    def __init__(self, context, things, recording, first_frame):
        self.unit = context.scene.unit_settings.scale_length
        self.things = {thing.name: thing for thing in things}
        self.recording = recording
        self.bodies = import_recording.Bodies(recording, import_recording.short(context.scene.name + " bake"), self.unit, keys.Clock(first_frame))
        self.made = []
        try:
            self._make()
        except Exception:
            self.discard()
            raise

    def discard(self):
        pieces.discard(self.made)
        self.bodies.discard()

    def _make(self):
        by_root = {}
        for index, body in enumerate(self.recording.bodies):
            root = self.recording.bodies[self.recording.root(index)].name
            if body.kind != 2 and self.recording.is_seen(index) and root in self.things and self.things[root].is_baked:
                by_root.setdefault(root, []).append(index)
        for root, indices in by_root.items():
            thing = self.things[root]
            whole = [i for i in indices if self.recording.bodies[i].parent < 0]
            for index in whole:
                self.bodies.add(index, self._whole_mesh(thing, index)).name = import_recording.short(thing.object.name + " baked")
            parts = [i for i in indices if self.recording.bodies[i].parent >= 0]
            if parts:
                self._make_pieces(thing, parts)
        for root, collection in self.bodies.groups.items():
            collection.name = import_recording.short(self.things[self.recording.bodies[root].name].object.name + " broken")

    def _whole_mesh(self, thing, index):
        """The original's own mesh with all it carries, about the center of mass and in the body's axes."""
        source = RecordingMesh(self.recording.meshes[self.recording.bodies[index].mesh])
        shift = pieces.place_of(thing.surface, source)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        mesh = bpy.data.meshes.new_from_object(thing.object.evaluated_get(depsgraph), preserve_all_data_layers=True, depsgraph=depsgraph)
        self.made.append(mesh)
        matrix = Matrix.Translation(-Vector(shift) / self.unit) @ Matrix((thing.surface.matrix / self.unit).tolist())
        matrix[3] = (0, 0, 0, 1)
        mesh.transform(matrix)
        if matrix.determinant() < 0:
            mesh.flip_normals()
        for slot, material in enumerate(m.material for m in thing.object.material_slots):
            if slot < len(mesh.materials):
                mesh.materials[slot] = material
        return mesh

    def _make_pieces(self, thing, indices):
        files = []
        for index in indices:
            file = RecordingMesh(self.recording.meshes[self.recording.bodies[index].mesh])
            file.positions = file.positions + pieces.place_of(thing.surface, file)
            files.append(file)
        parts = pieces.Pieces(thing.surface, files)
        made = []
        material = break_objects.inside_material(thing.surface, made)
        self.bodies.made += made
        for number, (piece, index) in enumerate(zip(parts.list, indices)):  # origins are those of the recording
            piece.center = files[number].positions[0] - self.recording.meshes[self.recording.bodies[index].mesh].positions[0]
        meshes = parts.make_meshes(self.unit, material, self.made)
        for mesh, index in zip(meshes, indices):
            self.bodies.add(index, mesh).name = mesh.name


def bake_collections(scene):
    return [c for c in scene.collection.children_recursive if c.get("brittle_bake")]


def free(context):
    """Removes the bake of a scene and shows the originals again. Gives how many objects went."""
    count = 0
    for collection in bake_collections(context.scene):
        old = list(collection.all_objects)
        count += len(old)
        meshes = {o.data for o in old if o.type == "MESH"}
        actions = {o.animation_data.action for o in old if o.animation_data and o.animation_data.action}
        children = list(collection.children_recursive)
        bpy.data.batch_remove(old)
        bpy.data.batch_remove([m for m in meshes if not m.users])
        bpy.data.batch_remove([a for a in actions if not a.users])
        bpy.data.batch_remove(children + [collection])
    for obj in [o for o in context.scene.objects if "brittle_was_shown" in o]:
        rendered, visible = obj["brittle_was_shown"]
        del obj["brittle_was_shown"]
        obj.hide_render = not rendered
        if obj.name in context.view_layer.objects:
            obj.hide_set(not visible)
    return count


def cache_folder(scene):
    """Beside the .blend, or None while that is not saved."""
    if not bpy.data.filepath:
        return None
    name = os.path.splitext(os.path.basename(bpy.data.filepath))[0]
    safe = "".join(c if c.isalnum() or c in "-_ " else "_" for c in scene.name)
    return os.path.join(os.path.dirname(bpy.data.filepath), f"{name}_brittle", safe)


class BRITTLE_OT_bake(BackgroundWork, bpy.types.Operator):
    """Let the marked objects move, collide and break over the scene's frames; the originals are hidden"""

    bl_idname = "brittle.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}
    repairing = bl_idname

    repair: bpy.props.BoolProperty(name="Repair", description="Mend meshes that are no closed solids on the way", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT"

    def prepare(self, context):
        folder = self.task_folder(0)
        self.first = context.scene.frame_start
        writer = SceneWriter(context, folder, self.repair)
        writer.write()
        self.things = writer.things
        self.scene_name = context.scene.name
        names = {thing.name + ".ply": thing.object.name for thing in reversed(self.things)}
        words = ["run", "-", "-o", "out", "--no-pictures", "--json"]
        self.preview = None
        if not context.scene.brittle.preview:
            return [Task("Bake", folder, words, names, "scene.yaml")]
        if not bpy.app.background:
            self.preview = Preview(context.scene.unit_settings.scale_length)
        seconds = (writer.last - writer.first) / writer.rate
        parts = min(PARTS, writer.last - writer.first)
        ends = [["--time", repr(seconds * (i + 1) / parts)] + (["--resume"] if i else []) for i in range(parts - 1)]
        return [Task("Bake", folder, words + end, names, "scene.yaml") for end in ends + [["--resume"] if parts > 1 else []]]

    def after_task(self):
        if self.preview is not None:
            self.preview.show(Recording(os.path.join(self.tasks[0].folder, "out", "scene.brec")))

    def _clean(self):
        if getattr(self, "preview", None) is not None:
            self.preview.end()
            self.preview = None
        super()._clean()

    def finish(self, context):
        recording = Recording(os.path.join(self.tasks[0].folder, "out", "scene.brec"))
        for thing in self.things:
            thing.object = bpy.data.objects.get(thing.surface.name)
            if thing.object is None:
                raise Refusal(messages.gone(thing.surface.name))
            thing.settings = thing.object.brittle
        result = Result(context, self.things, recording, self.first)
        free(context)
        collection = result.bodies.collection
        collection["brittle_bake"] = True
        baked = [t.object for t in self.things if t.is_baked]
        context.scene.collection.children.link(collection)
        for obj in baked:
            obj["brittle_was_shown"] = [not obj.hide_render, obj.visible_get()]
            obj.hide_render = True
            obj.select_set(False)
            obj.hide_set(True)
        self._keep_cache(context)
        context.scene.frame_set(context.scene.frame_current)
        broken = sum(body.kind == 1 for body in recording.bodies)
        return f"{recording.frame_count} frames, {len(baked)} objects, {broken} pieces" + "".join(f"; {n}" for n in self.tasks[0].notes()[:2])

    def _keep_cache(self, context):
        target = cache_folder(context.scene)
        if target is None:
            return
        shutil.rmtree(target, ignore_errors=True)
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copytree(self.tasks[0].folder, target, ignore=shutil.ignore_patterns("stdout", "stderr", "*.brcp"))
        except OSError as error:
            self.report({"WARNING"}, f"the recording could not be kept beside the .blend: {error}")


class BRITTLE_OT_free_bake(bpy.types.Operator):
    """Remove what was baked and show the originals again"""

    bl_idname = "brittle.free_bake"
    bl_label = "Free Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return bool(bake_collections(context.scene))

    def execute(self, context):
        free(context)
        target = cache_folder(context.scene)
        if target:
            shutil.rmtree(target, ignore_errors=True)
        return {"FINISHED"}


class BRITTLE_OT_mark(bpy.types.Operator):
    """Give all selected objects the role and settings of the active one"""

    bl_idname = "object.brittle_mark"
    bl_label = "Copy to Selected"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.active_object is not None

    def execute(self, context):
        source = context.active_object.brittle
        for obj in context.selected_objects:
            for name in source.bl_rna.properties.keys():
                if name not in {"rna_type", "name"}:
                    setattr(obj.brittle, name, getattr(source, name))
        return {"FINISHED"}


classes = [BRITTLE_OT_bake, BRITTLE_OT_free_bake, BRITTLE_OT_mark]
