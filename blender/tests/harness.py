# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs cases inside Blender: blender -b --factory-startup --python blender/tests/run.py -- PROGRAM [FILTER...]

Each case begins with an empty file. `check` says what is wrong; a case that raises has failed. The last line is "N passed, N failed".
"""

import os
import sys
import time
import traceback

import bpy
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
program = ""


def start(path):
    """Switches the add-on on as a user does, with its preferences."""
    global program
    program = os.path.abspath(path)
    bpy.ops.preferences.addon_enable(module="brittle")  # found by sys.path
    preferences().program = program
    preferences().limit = 600


def preferences():
    return bpy.context.preferences.addons["brittle"].preferences


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def empty_file():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if "brittle" not in bpy.context.preferences.addons:
        bpy.ops.preferences.addon_enable(module="brittle")
    preferences().program = program
    preferences().limit = 600


def add(mesh_or_data, name="thing"):
    obj = bpy.data.objects.new(name, mesh_or_data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def select(*objects):
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = objects[-1] if objects else None


def added(operator, **options):
    """What one of Blender's own operators adds."""
    operator(**options)
    return bpy.context.object


def cube(size=1.0, location=(0, 0, 0), name="cube"):
    obj = added(bpy.ops.mesh.primitive_cube_add, size=size, location=location)
    obj.name = name
    return obj


def give_back(operator, **options):
    """Calls an operator and gives its outcome and the last message, whether or not it raised."""
    try:
        outcome = operator(**options)
    except RuntimeError as error:
        if "Traceback" in str(error):
            raise AssertionError(str(error)[-400:]) from None
        outcome = {"CANCELLED"}
    return outcome, bpy.context.window_manager.brittle.message


def break_selected(**settings):
    options = {key: settings.pop(key) for key in ("repair", "method") if key in settings and key == "method" or settings.get(key) is True}
    for name, value in settings.items():
        setattr(bpy.context.scene.brittle, name, value)
    outcome, message = give_back(bpy.ops.object.brittle_break, **options)
    check(outcome == {"FINISHED"}, f"it did not break: {message}")
    return [o for o in bpy.context.selected_objects if "brittle_piece" in o]


def world_arrays(obj):
    """Positions in the world in double precision, polygon starts, corners of the shown mesh."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    shown = obj.evaluated_get(depsgraph)
    mesh = shown.to_mesh()
    flat = numpy.empty(3 * len(mesh.vertices), numpy.float32)
    mesh.vertices.foreach_get("co", flat)
    matrix = numpy.array(shown.matrix_world, numpy.float64)
    positions = flat.reshape(-1, 3).astype(numpy.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    totals = numpy.empty(len(mesh.polygons), numpy.int32)
    mesh.polygons.foreach_get("loop_total", totals)
    corners = numpy.empty(len(mesh.loops), numpy.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    shown.to_mesh_clear()
    return positions, numpy.concatenate(([0], numpy.cumsum(totals))), corners


def volume(obj):
    from brittle import pieces

    return pieces.solid(*world_arrays(obj))[0]


def volume_of_all(objects):
    return sum(abs(volume(o)) for o in objects)


def fingerprint():
    """All that a user could see of the file: names, places, visibility, meshes, materials, collections."""
    bpy.context.view_layer.update()
    rows = []
    for obj in sorted(bpy.data.objects, key=lambda o: o.name):
        rows.append((obj.name, obj.type, [round(x, 6) for row in obj.matrix_world for x in row], obj.hide_render, obj.visible_get() if obj.name in bpy.context.view_layer.objects else None,
                     [s.material.name if s.material else None for s in obj.material_slots], sorted(c.name for c in obj.users_collection), sorted(k for k in obj.keys() if k != "brittle"), obj.select_get()))
    for name in ("meshes", "materials", "collections", "actions", "curves"):
        rows.append((name, sorted(block.name for block in getattr(bpy.data, name))))
    return rows


def run(cases, filters):
    passed, failures = 0, []
    for name, case in cases:
        if filters and not any(f in name for f in filters):
            continue
        empty_file()
        begin = time.monotonic()
        try:
            case()
            passed += 1
            print(f"ok   {name} {time.monotonic() - begin:.2f} s")
        except Exception:
            failures.append(name)
            print(f"FAIL {name}")
            traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
    print(f"{passed} passed, {len(failures)} failed, 0 skipped")
    return not failures
