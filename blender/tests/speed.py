# SPDX-License-Identifier: GPL-3.0-or-later
"""Seconds from click to pieces: blender -b --factory-startup --python blender/tests/speed.py -- PROGRAM [cProfile]"""

import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy  # noqa: E402
import harness  # noqa: E402


def thousand_pieces():
    harness.empty_file()
    obj = harness.added(bpy.ops.mesh.primitive_uv_sphere_add, segments=320, ring_count=158)
    modifier = obj.modifiers.new("Triangles", "TRIANGULATE")
    modifier.min_vertices = 4
    bpy.ops.object.shade_smooth()
    triangles = len(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.polygons)
    begin = time.monotonic(), time.process_time()
    pieces = harness.break_selected(pieces=1000)
    print(f"break: {triangles} triangles, {len(pieces)} pieces, {time.monotonic() - begin[0]:.2f} s, Blender's own {time.process_time() - begin[1]:.2f} s")


harness.start(sys.argv[sys.argv.index("--") + 1])
if "cProfile" in sys.argv:
    import cProfile

    cProfile.run("thousand_pieces()", sort="cumtime")
else:
    thousand_pieces()
