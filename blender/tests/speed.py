# SPDX-License-Identifier: GPL-3.0-or-later
"""Seconds from click to pieces, and of importing recordings of 60 frames a second:

blender -b --factory-startup --python blender/tests/speed.py -- PROGRAM [RECORDING.brec...] [cProfile]
"""

import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy  # noqa: E402
import harness  # noqa: E402


def children():
    times = os.times()
    return times.children_user + times.children_system


def thousand_pieces():
    harness.empty_file()
    obj = harness.added(bpy.ops.mesh.primitive_uv_sphere_add, segments=320, ring_count=158)
    modifier = obj.modifiers.new("Triangles", "TRIANGULATE")
    modifier.min_vertices = 4
    bpy.ops.object.shade_smooth()
    triangles = len(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.polygons)
    begin = time.monotonic(), time.process_time(), children()
    pieces = harness.break_selected(pieces=1000)
    print(f"break: {triangles} triangles, {len(pieces)} pieces, {time.monotonic() - begin[0]:.2f} s, processor {time.process_time() - begin[1]:.2f} s and the program's {children() - begin[2]:.2f} s")


def import_of(path):
    harness.empty_file()
    bpy.context.scene.render.fps = 60
    begin = time.monotonic(), time.process_time()
    bpy.ops.import_scene.brec(filepath=path)
    print(f"import: {len(bpy.data.objects)} objects, {time.monotonic() - begin[0]:.2f} s, processor {time.process_time() - begin[1]:.2f} s")


def measure(arguments):
    harness.start(arguments[0])
    thousand_pieces()
    for path in arguments[1:]:
        import_of(path)


words = sys.argv[sys.argv.index("--") + 1 :]
if "cProfile" in words:
    import cProfile

    words.remove("cProfile")
    cProfile.run("measure(words)", sort="cumtime")
else:
    measure(words)
