# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between Blender 3.3 and 4.x. The rest of the add-on asks here and never looks at a version number."""

import bpy
import numpy

VERSION = bpy.app.version


def set_polygons(mesh, starts, totals):
    """Where each polygon's corners begin. Since 4.0 the ends follow from the starts."""
    mesh.polygons.add(len(starts))
    mesh.polygons.foreach_set("loop_start", starts)
    if VERSION < (4, 0, 0):
        mesh.polygons.foreach_set("loop_total", totals)


def corner_normals(mesh):
    """Normals as they are shaded, one a corner: custom ones, smooth and flat faces, sharp edges."""
    normals = numpy.empty(3 * len(mesh.loops), numpy.float32)
    if VERSION < (4, 1, 0):
        mesh.calc_normals_split()
        mesh.loops.foreach_get("normal", normals)
    else:
        mesh.corner_normals.foreach_get("vector", normals)
    return normals.reshape(-1, 3)


def set_corner_normals(mesh, normals):
    """Custom normals; until 4.0 they show only with auto smooth."""
    if VERSION < (4, 1, 0):
        mesh.use_auto_smooth = True
    mesh.normals_split_custom_set(normals)


def triangle_faces(mesh):
    """The polygon of each loop triangle."""
    mesh.calc_loop_triangles()
    faces = numpy.empty(len(mesh.loop_triangles), numpy.int32)
    mesh.loop_triangles.foreach_get("polygon_index", faces)
    return faces


def new_curves(action, id_block):
    """Assigns `action` and gives the collection in which its curves are made. Actions have slots since 4.4."""
    data = id_block.animation_data or id_block.animation_data_create()
    data.action = action
    if VERSION < (4, 4, 0):
        return action.fcurves
    slot = action.slots.new(id_type="OBJECT", name=id_block.name)
    strip = action.layers.new("Layer").strips.new(type="KEYFRAME")
    curves = strip.channelbag(slot, ensure=True).fcurves
    data.action_slot = slot
    return curves


def stroke_points(grease_pencil):
    """Points of the strokes drawn in the frames that show, in the object's axes. Grease pencil is another type since 4.3."""
    points = []
    for layer in grease_pencil.data.layers:
        hidden = layer.hide
        frame = None if hidden else (layer.active_frame if hasattr(layer, "active_frame") else layer.current_frame())
        if frame is None:
            continue
        if hasattr(frame, "drawing"):
            for stroke in frame.drawing.strokes:
                points.extend(tuple(p.position) for p in stroke.points)
        else:
            for stroke in frame.strokes:
                points.extend(tuple(p.co) for p in stroke.points)
    return points


def is_grease_pencil(obj):
    return obj.type in {"GPENCIL", "GREASEPENCIL"}


def surface_input(shader, name):
    """An input of a Principled surface by its name of 4.x, some of which were others before."""
    older = {"Transmission Weight": "Transmission", "Coat Weight": "Clearcoat", "Specular IOR Level": "Specular"}
    return shader.inputs.get(name) or shader.inputs.get(older.get(name, name))


def color_shader():
    """Name of the built-in shader with a color a vertex."""
    return "3D_SMOOTH_COLOR" if VERSION < (4, 0, 0) else "SMOOTH_COLOR"
