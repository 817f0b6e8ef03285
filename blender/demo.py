# SPDX-License-Identifier: GPL-3.0-or-later
"""A .blend with three things that broke, and pictures of them: blender -b --factory-startup --python blender/demo.py -- PROGRAM FOLDER [--pictures]

Scenes: "bust" is broken by the Break button, "table" and "pane" are baked; all of it is what a user gets, made by the operators.
"""

import math
import os
import sys

import bpy
from mathutils import Vector

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def material(name, color, roughness=0.4, glass=0.0):
    from brittle import versions

    made = bpy.data.materials.new(name)
    made.use_nodes = True
    made.diffuse_color = (*color, 1.0)
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*color, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    versions.surface_input(shader, "Transmission Weight").default_value = glass
    return made


def new_scene(name, first=1, last=48):
    scene = bpy.data.scenes.new(name)
    bpy.context.window.scene = scene
    scene.frame_start, scene.frame_end, scene.render.fps = first, last, 24
    scene.world = bpy.data.worlds.get("studio") or bpy.data.worlds.new("studio")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.55, 0.6, 0.68, 1.0)
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.3
    return scene


def light(location, target, size, watts):
    data = bpy.data.lights.new("lamp", "AREA")
    data.size, data.energy = size, watts
    lamp = bpy.data.objects.new("lamp", data)
    bpy.context.scene.collection.objects.link(lamp)
    lamp.location = location
    look_at(lamp, target)


def camera(location, target, lens=50):
    data = bpy.data.cameras.new("camera")
    data.lens = lens
    obj = bpy.data.objects.new("camera", data)
    bpy.context.scene.collection.objects.link(obj)
    obj.location = location
    look_at(obj, target)
    bpy.context.scene.camera = obj


def look_at(obj, target):
    obj.rotation_euler = (Vector(target) - Vector(obj.location)).to_track_quat("-Z", "Y").to_euler()


def added(operator, paint=None, **options):
    operator(**options)
    obj = bpy.context.object
    if paint:
        obj.data.materials.append(paint)
    return obj


def floor(color=(0.35, 0.33, 0.3)):
    obj = added(bpy.ops.mesh.primitive_plane_add, material("floor", color, 0.6), size=20)
    obj.name, obj.brittle.role, obj.brittle.material = "floor", "GROUND", "concrete"
    return obj


def turned(profile, name, paint, segments=48):
    """A vessel from its closed half profile: pairs of radius and height."""
    count = len(profile)
    points = [(r * math.cos(a), r * math.sin(a), z) for a in (2 * math.pi * s / segments for s in range(segments)) for r, z in profile]
    faces = [(s * count + i, ((s + 1) % segments) * count + i, ((s + 1) % segments) * count + i + 1, s * count + i + 1)
             for s in range(segments) for i in range(count - 1)]
    faces.append([s * count for s in range(segments)][::-1])
    faces.append([s * count + count - 1 for s in range(segments)])
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    mesh.materials.append(paint)
    for polygon in mesh.polygons:
        polygon.use_smooth = len(polygon.vertices) == 4
    mesh.use_auto_smooth = True if hasattr(mesh, "use_auto_smooth") else False
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


BOWL = [(0.06, 0.0), (0.065, 0.012), (0.10, 0.03), (0.135, 0.07), (0.15, 0.11), (0.146, 0.112), (0.13, 0.073), (0.095, 0.036), (0.055, 0.018)]


def mark(obj, role, **settings):
    obj.brittle.role = role
    for name, value in settings.items():
        setattr(obj.brittle, name, value)
    return obj


def linear(obj):
    for curve in obj.animation_data.action.fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"


def bust():
    """Suzanne in clay with a red cap painted on, hit at the brow."""
    scene = new_scene("bust")
    floor()
    obj = added(bpy.ops.mesh.primitive_monkey_add, material("clay", (0.55, 0.2, 0.1), 0.7), size=1.2, location=(0, 0, 0.58), rotation=(-0.15, 0, 0.35))
    obj.modifiers.new("Smooth", "SUBSURF").levels = 2
    remesh = obj.modifiers.new("Closed", "REMESH")
    remesh.mode, remesh.voxel_size, remesh.use_smooth_shade = "VOXEL", 0.025, True
    scene.cursor.location = (0.3, -0.35, 0.95)
    settings = scene.brittle
    settings.method, settings.pattern, settings.pieces, settings.roughness, settings.strength = "SHATTER", "CLUSTERED", 90, 0.004, 0.7
    bpy.context.view_layer.update()
    bpy.ops.object.brittle_break()
    inside = bpy.data.materials["clay inside"].node_tree.nodes["Principled BSDF"]
    inside.inputs["Base Color"].default_value = (0.75, 0.45, 0.3, 1.0)
    middle = Vector((0.0, 0.1, 0.55))
    for piece in [o for o in scene.objects if "brittle_piece" in o]:
        away = piece.location - middle
        near = math.exp(-6.0 * max(0.0, (piece.location - scene.cursor.location).length - 0.1))
        piece.location += away * (0.01 + 0.9 * near)
        piece.rotation_euler = [0.8 * near * math.sin(9 * x) for x in away]
    light((2.5, -2.5, 4), (0, 0, 0.6), 1.0, 160)
    light((-3, -1, 2), (0, 0, 0.6), 2.0, 25)
    camera((1.0, -3.5, 1.35), (0.06, 0, 0.7))
    scene.frame_current = 1


def table():
    """Bowls fall from a table that is pulled away."""
    scene = new_scene("table", 1, 48)
    floor()
    top = mark(added(bpy.ops.mesh.primitive_cube_add, material("wood", (0.3, 0.16, 0.07)), size=1, location=(0, 0, 0.7)), "BODY", material="wood", motion="ANIMATED")
    top.name, top.scale = "table", (1.0, 0.6, 0.04)
    for frame, angle in ((1, 0.0), (5, 0.0), (17, 1.1), (48, 1.1)):
        top.rotation_euler.y = angle
        top.keyframe_insert("rotation_euler", frame=frame)
    linear(top)
    colors = ((0.05, 0.16, 0.35), (0.75, 0.72, 0.65), (0.5, 0.08, 0.06))
    for i, color in enumerate(colors):
        bowl = turned(BOWL, f"bowl {i + 1}", material(f"glaze {i + 1}", color, 0.15))
        bowl.location = (-0.3 + 0.32 * i, 0.05 * (-1) ** i, 0.7205)
        mark(bowl, "BREAKABLE", material="porcelain", pieces=40, generations=2, strength=0.5)
    bpy.context.view_layer.update()
    bpy.ops.brittle.bake()
    for name in ("glaze 1 inside", "glaze 2 inside", "glaze 3 inside"):
        inside = bpy.data.materials.get(name)
        if inside:
            inside.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.82, 0.8, 0.76, 1.0)
    light((1.5, -2.5, 3), (0.2, 0, 0.3), 1.0, 80)
    light((-2.5, -1, 2), (0, 0, 0.3), 2.0, 15)
    camera((1.7, -1.7, 0.75), (0.4, 0, 0.2))


def pane():
    """A ball goes through a pane of glass."""
    scene = new_scene("pane", 1, 24)
    floor((0.2, 0.22, 0.25))
    sheet = mark(added(bpy.ops.mesh.primitive_cube_add, material("glass", (0.75, 0.9, 0.85), 0.02, 0.9), size=1, location=(0, 0, 0.52)), "BREAKABLE", material="glass", motion="STATIC", pieces=120)
    sheet.name, sheet.scale = "pane", (1.2, 0.006, 1.0)
    ball = mark(added(bpy.ops.mesh.primitive_uv_sphere_add, material("steel", (0.3, 0.3, 0.32), 0.25), radius=0.04, location=(0.1, -0.6, 0.6)), "BODY", material="steel")
    bpy.ops.object.shade_smooth()
    for frame, y in ((1, -0.6), (13, 5.4)):
        ball.location.y = y
        ball.keyframe_insert("location", frame=frame)
    linear(ball)
    bpy.context.view_layer.update()
    bpy.ops.brittle.bake()
    light((1.8, 1.5, 2.5), (0, 0, 0.5), 1.0, 140)
    light((-2.5, -1.5, 2), (0, 0, 0.5), 2.0, 50)
    camera((1.5, -2.2, 0.95), (0, 0.1, 0.5))


def render(scene, frame, path):
    bpy.context.window.scene = scene
    scene.frame_set(frame)
    settings = scene.render
    settings.engine, settings.filepath = "CYCLES", path
    settings.resolution_x, settings.resolution_y, settings.resolution_percentage = 480, 300, 100
    settings.image_settings.file_format = "PNG"
    scene.cycles.samples, scene.cycles.use_denoising = 56, False  # Debian's Blender has no denoiser
    scene.cycles.max_bounces, scene.cycles.sample_clamp_indirect = 8, 2.0
    bpy.ops.render.render(write_still=True)


def main(arguments):
    program, folder = os.path.abspath(arguments[0]), os.path.abspath(arguments[1])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="brittle")
    bpy.context.preferences.addons["brittle"].preferences.program = program
    for build in (bust, table, pane):
        build()
        print(build.__name__, bpy.context.window_manager.brittle.message)
    first = bpy.data.scenes["bust"]
    bpy.context.window.scene = first
    for scene in [s for s in bpy.data.scenes if s.name not in {"bust", "table", "pane"}]:
        bpy.data.scenes.remove(scene)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, "demo.blend"), compress=True)
    if "--pictures" in arguments:
        for name, frame in (("bust", 1), ("table", 31), ("pane", 9)):
            render(bpy.data.scenes[name], frame, os.path.join(folder, f"blender_{name}.png"))


main(sys.argv[sys.argv.index("--") + 1 :])
