# SPDX-License-Identifier: GPL-3.0-or-later
"""Break: volumes add up, what the outside carried is still there, nothing changes unless a result arrives."""

import math
import os
import stat
import tempfile

import bpy
import numpy
from harness import add, added, break_selected, check, cube, fingerprint, give_back, preferences, select, volume, volume_of_all, world_arrays
from mathutils import Matrix


def near(a, b, share=1e-5):
    check(abs(a - b) <= share * abs(b), f"{a} is not {b}")


def check_pieces(original, before, pieces, count=2):
    """What holds for every break: volumes, place, origins, names, one collection, the original hidden."""
    check(len(pieces) >= count, f"there are {len(pieces)} pieces")
    near(volume_of_all(pieces), before)
    for piece in pieces:
        positions, starts, corners = world_arrays(piece)
        from brittle import pieces as solid

        center = solid.solid(positions, starts, corners)[1]
        size = numpy.ptp(positions, axis=0).max()
        off = numpy.linalg.norm(center - numpy.array(piece.matrix_world.translation))
        check(off <= 1e-4 * max(size, 1e-3), f"{piece.name}: origin is {off} off its center of mass")
        check(piece["brittle_volume"] > 0 and piece["brittle_mass"] > 0, "a piece has no mass")
    homes = {c for p in pieces for c in p.users_collection if "brittle_original" in c}
    check(len(homes) == 1 and homes.pop()["brittle_original"] == original, "pieces are in several collections")
    check(original.hide_render and not original.visible_get(), "the original shows")


def outer_faces(piece):
    inside = len(piece.data.materials) - 1
    return [p for p in piece.data.polygons if p.material_index != inside]


def suzanne(closed=True):
    obj = added(bpy.ops.mesh.primitive_monkey_add, size=1.0)
    if closed:
        modifier = obj.modifiers.new("Remesh", "REMESH")
        modifier.mode, modifier.voxel_size = "VOXEL", 0.06
    return obj


def test_cube_short():
    obj = cube()
    before = volume(obj)
    print_before = fingerprint()
    bpy.ops.ed.undo_push(message="before")
    pieces = break_selected(pieces=20)
    check_pieces(obj, before, pieces, 15)
    bpy.ops.ed.undo_push(message="broken")
    bpy.ops.ed.undo()
    check(fingerprint() == print_before, "undo does not give the file back")


def test_restore():
    obj = cube()
    before = fingerprint()
    pieces = break_selected(pieces=8)
    select(pieces[3])
    bpy.ops.object.brittle_restore()
    after = [row for row in fingerprint()]
    materials = [row for row in after if row[0] == "materials"]
    check([r for r in after if r[0] != "materials"] == [r for r in before if r[0] != "materials"], "it is not as before")
    check(materials[0][1] == ["cube inside"], "materials of cuts stay for the next time")
    check(obj.visible_get() and not obj.hide_render, "the original is hidden")


def test_suzanne_with_modifiers():
    obj = suzanne()
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 1
    obj.modifiers.new("Twist", "SIMPLE_DEFORM").angle = 0.4
    before = volume(obj)
    check_pieces(obj, before, break_selected(pieces=40), 40)


def test_open_suzanne_offers_repair():
    obj = suzanne(closed=False)
    before = fingerprint()
    outcome, message = give_back(bpy.ops.object.brittle_break)
    check(outcome == {"CANCELLED"} and "Suzanne" in message and "Repair" in message, message)
    check(bpy.context.window_manager.brittle.repair_with == "object.brittle_break", "Repair is not offered")
    check(fingerprint() == before, "the scene changed")
    check(bpy.ops.object.brittle_break(repair=True) == {"FINISHED"}, "Repair does not break it")
    check("mended" in bpy.context.window_manager.brittle.message, bpy.context.window_manager.brittle.message)
    check(len([o for o in bpy.data.objects if "brittle_piece" in o]) > 20 and not obj.visible_get(), "there are no pieces")


def test_text():
    data = bpy.data.curves.new("words", "FONT")
    data.body, data.extrude = "Brittle", 0.1
    obj = add(data, "words")
    obj.location.z = 2
    select(obj)
    pieces = break_selected(pieces=40, repair="FULL")
    near(volume_of_all(pieces), sum(volume_of_all([o]) for o in [obj]), 0.02)
    check(len(pieces) >= 30, f"{len(pieces)} pieces")


def test_curve():
    data = bpy.data.curves.new("tube", "CURVE")
    data.dimensions, data.bevel_depth, data.use_fill_caps = "3D", 0.1, True
    spline = data.splines.new("POLY")
    spline.points.add(3)
    for point, co in zip(spline.points, ((0, 0, 0, 1), (1, 0, 0.2, 1), (1.5, 1, 0.4, 1), (2, 1, 1, 1))):
        point.co = co
    obj = add(data, "tube")
    select(obj)
    pieces = break_selected(pieces=12, repair="FULL")
    check(len(pieces) >= 12, "the tube is whole")
    near(volume_of_all(pieces), volume_of_all([obj]), 0.01)


def test_mirrored_and_sheared_parents():
    upper = add(None, "upper")
    upper.matrix_world = Matrix.Rotation(0.5, 4, "X") @ Matrix.Diagonal((-1, 2, 1, 1))
    lower = add(None, "lower")
    lower.parent, lower.rotation_euler = upper, (0.3, 0.7, 0.2)
    obj = cube(0.7, (0.5, 0.2, 0.1))
    obj.parent = lower
    bpy.context.view_layer.update()
    before = volume_of_all([obj])
    box = world_arrays(obj)[0]
    select(obj)
    pieces = break_selected(pieces=15)
    check_pieces(obj, before, pieces, 10)
    for piece in pieces:
        check(volume(piece) > 0, "a piece is inside out")
        check(piece.parent == lower, "a piece has lost its parent")
    all_points = numpy.concatenate([world_arrays(p)[0] for p in pieces])
    check(numpy.abs(all_points.min(0) - box.min(0)).max() < 1e-5 and numpy.abs(all_points.max(0) - box.max(0)).max() < 1e-5, "pieces lie elsewhere")
    lower.location.z += 1
    bpy.context.view_layer.update()
    check(numpy.concatenate([world_arrays(p)[0] for p in pieces])[:, 2].max() > box[:, 2].max() + 0.5, "pieces do not follow their parent")


def test_linked_data():
    first = cube(name="first")
    second = add(first.data, "second")
    second.location.x = 3
    vertices = len(first.data.vertices)
    select(second)
    pieces = break_selected(pieces=10)
    check_pieces(second, 1.0, pieces, 8)
    check(first.data is second.data and len(first.data.vertices) == vertices and first.visible_get(), "the other user of the mesh changed")


def test_two_at_once():
    first, second = cube(name="first"), cube(2.0, (4, 0, 0), "second")
    select(first, second)
    pieces = break_selected(pieces=10)
    near(volume_of_all(pieces), 9.0)
    check({c.name for p in pieces for c in p.users_collection if "brittle_original" in c} == {"first pieces", "second pieces"}, "collections")


def test_three_materials():
    obj = cube()
    for name in ("red", "green", "blue"):
        obj.data.materials.append(bpy.data.materials.new(name))
    for polygon in obj.data.polygons:
        polygon.material_index = polygon.index % 3 if polygon.index < 4 else 0
    areas = {}
    for polygon in obj.data.polygons:
        areas[polygon.material_index] = areas.get(polygon.material_index, 0) + polygon.area
    pieces = break_selected(pieces=25)
    found = {}
    for piece in pieces:
        check([m.name for m in piece.data.materials] == ["red", "green", "blue", "red inside"], "slots")
        for polygon in piece.data.polygons:
            found[polygon.material_index] = found.get(polygon.material_index, 0) + polygon.area
    for index, area in areas.items():
        near(found[index], area, 1e-4)
    check(found[3] > 0, "there is no inside")


def exact_uvs(obj, point, face, layer):
    """UVs at a point of a quad of the original, which is a parallelogram: affine."""
    polygon = obj.data.polygons[face]
    loops = list(polygon.loop_indices)
    a, b, d = (numpy.array(obj.data.vertices[obj.data.loops[loops[i]].vertex_index].co) for i in (0, 1, 3))
    ua, ub, ud = (numpy.array(obj.data.uv_layers[layer].data[loops[i]].uv) for i in (0, 1, 3))
    s, t = (numpy.dot(point - a, e) / numpy.dot(e, e) for e in (b - a, d - a))
    return ua + s * (ub - ua) + t * (ud - ua)


def test_two_uv_maps_and_colors():
    obj = cube()
    second = obj.data.uv_layers.new(name="second")
    for i, loop in enumerate(second.data):
        loop.uv = (math.sin(0) + 0.1 * (i % 4) + 0.5 * (i // 12), 0.3 * (i % 4 in (1, 2)) + (i // 4))
    # a parallelogram in each face's own coordinates
    for polygon in obj.data.polygons:
        for k, i in enumerate(polygon.loop_indices):
            second.data[i].uv = (polygon.index + 0.7 * (k in (1, 2)), 0.4 * (k in (2, 3)) - polygon.index)
    corner = obj.data.color_attributes.new("corner", "BYTE_COLOR", "CORNER")
    point = obj.data.color_attributes.new("point", "FLOAT_COLOR", "POINT")
    for i, c in enumerate(corner.data):
        c.color_srgb = ((i // 4) / 6, 0.2, 1.0, 1.0)
    for i, c in enumerate(point.data):
        c.color = (0.0 if obj.data.vertices[i].co.x < 0 else 1.0, 0.5, 0.25, 1.0)
    number = obj.data.attributes.new("number", "INT", "FACE")
    for i, value in enumerate(number.data):
        value.value = 10 + i
    pieces = break_selected(pieces=20)
    normals = {tuple(round(x) for x in p.normal): p.index for p in obj.data.polygons}
    seen = 0
    for piece in pieces:
        mesh = piece.data
        check([u.name for u in mesh.uv_layers] == ["UVMap", "second"], "UV maps")
        check({a.name for a in mesh.color_attributes} == {"corner", "point"}, "colors")
        for polygon in outer_faces(piece):
            face = normals[tuple(round(x) for x in polygon.normal)]
            check(mesh.attributes["number"].data[polygon.index].value == 10 + face, "numbers of faces")
            for i in polygon.loop_indices:
                vertex = mesh.loops[i].vertex_index
                place = numpy.array(piece.matrix_world @ mesh.vertices[vertex].co)
                for layer in (0, 1):
                    off = numpy.abs(exact_uvs(obj, place, face, layer) - numpy.array(mesh.uv_layers[layer].data[i].uv)).max()
                    check(off < 2e-6, f"UVs are {off} off")
                check(abs(mesh.color_attributes["corner"].data[i].color_srgb[0] - face / 6) < 0.003, "corner colors")
                check(abs(mesh.color_attributes["point"].data[vertex].color[0] - (place[0] + 0.5)) < 1e-5, "vertex colors")
                seen += 1
    check(seen > 200, "too few corners were looked at")


def test_smooth_normals_stay():
    obj = added(bpy.ops.mesh.primitive_uv_sphere_add, segments=32, ring_count=16)
    bpy.ops.object.shade_smooth()
    from brittle import versions

    off = 0.0
    for piece in break_selected(pieces=12):
        normals = versions.corner_normals(piece.data)
        for polygon in outer_faces(piece):
            for i in polygon.loop_indices:
                place = piece.matrix_world @ piece.data.vertices[piece.data.loops[i].vertex_index].co
                off = max(off, numpy.linalg.norm(normals[i] - numpy.array(place.normalized())))
    check(off < 0.03, f"normals are {off} off those of the sphere")
    check(obj.hide_render, "the original shows")


def test_vertex_groups_stay():
    obj = cube()
    group = obj.vertex_groups.new(name="top")
    group.add([v.index for v in obj.data.vertices if v.co.z > 0], 0.75, "REPLACE")
    for piece in break_selected(pieces=10):
        top = piece.vertex_groups["top"]
        for vertex in piece.data.vertices:
            height = (piece.matrix_world @ vertex.co).z
            if height > 0.5 - 1e-6:
                check(abs(top.weight(vertex.index) - 0.75) < 1e-6, "weights")


def test_every_pattern():
    for pattern in ("UNIFORM", "CLUSTERED", "RADIAL", "GRID", "SLICES", "IMPACT"):
        obj = cube(name=pattern)
        obj.scale = (1, 1, 0.1) if pattern == "RADIAL" else (1, 1, 1)
        bpy.context.view_layer.update()
        bpy.context.scene.cursor.location = (0.3, 0.1, 2)
        select(obj)
        pieces = break_selected(pattern=pattern, pieces=30, energy=2000.0, material="glass")
        check_pieces(obj, 0.1 if pattern == "RADIAL" else 1.0, pieces, 4)


def test_sites_from_particles():
    obj = cube()
    obj.modifiers.new("dust", "PARTICLE_SYSTEM")
    settings = obj.particle_systems[0].settings
    settings.count, settings.emit_from, settings.frame_start, settings.frame_end = 25, "VOLUME", 1, 1
    bpy.context.scene.frame_set(2)
    select(obj)
    pieces = break_selected(sites="PARTICLES", pieces=100)
    check_pieces(obj, 1.0, pieces, 20)


def test_sites_from_strokes():
    pencil = bpy.data.grease_pencils.new("pencil")
    stroke = pencil.layers.new("lines").frames.new(1).strokes.new()
    stroke.points.add(12)
    for i, point in enumerate(stroke.points):
        point.co = (0.08 * i - 0.45, 0.02 * i - 0.1, 0.1)
    pencil_object = add(pencil, "pencil")
    obj = cube()
    pieces = break_selected(sites="STROKES", sites_object=pencil_object, pieces=12)
    check_pieces(obj, 1.0, pieces, 12)
    check(max(p.matrix_world.translation.x for p in pieces) > 0.35, "no piece at the stroke's end")


def test_sites_from_weights():
    obj = added(bpy.ops.mesh.primitive_uv_sphere_add, segments=32, ring_count=16)
    group = obj.vertex_groups.new(name="hit")
    for vertex in obj.data.vertices:
        group.add([vertex.index], max(0.0, vertex.co.x) ** 4, "REPLACE")
    before = volume(obj)
    pieces = break_selected(sites="WEIGHTS", pieces=40)
    check_pieces(obj, before, pieces, 35)
    right = [p for p in pieces if p.matrix_world.translation.x > 0]
    check(len(right) > 0.8 * len(pieces), f"{len(right)} of {len(pieces)} are where the weights are")


def test_crack():
    bpy.ops.mesh.primitive_cube_add(size=1)
    obj = bpy.context.object
    obj.scale = (0.3, 0.3, 0.01)
    bpy.ops.object.transform_apply(scale=True)
    mark = add(None, "mark")
    mark.location = (0, 0, 0.1)
    select(obj)
    pieces = break_selected(method="CRACK", hit="OBJECT", hit_object=mark, impulse=20.0, material="glass", cracks=4)
    check_pieces(obj, 0.3 * 0.3 * 0.01, pieces)
    check(all(p["brittle_mass"] < 2500 * 9e-4 for p in pieces), "masses")


def test_hit_by_motion():
    obj = cube(name="target")
    hammer = cube(0.2, (0, 0, 2), "hammer")
    hammer.brittle.material = "steel"
    for frame, z in ((1, 2.0), (11, 0.6)):
        hammer.location.z = z
        hammer.keyframe_insert("location", frame=frame)
    for curve in hammer.animation_data.action.fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    bpy.context.scene.frame_set(11)
    select(obj)
    from brittle.break_objects import Blow
    from brittle.surface import Surface

    settings = bpy.context.scene.brittle
    settings.hit, settings.hit_object = "MOTION", hammer
    blow = Blow(bpy.context, settings, Surface(obj, bpy.context.evaluated_depsgraph_get(), 1.0), 1.0)
    near(blow.speed, 0.14 * 24, 1e-4)
    near(blow.impulse, 0.008 * 7850 * 0.14 * 24, 1e-4)
    check(numpy.allclose(blow.direction, (0, 0, -1), atol=1e-6) and numpy.allclose(blow.point, (0, 0, 0.5), atol=1e-6), "where it hits")
    check(bpy.context.scene.frame_current == 11, "the frame changed")
    check_pieces(obj, 1.0, break_selected(pattern="IMPACT", material="ice", pieces=50))


def test_cut_by_object():
    obj = cube()
    cutter = added(bpy.ops.mesh.primitive_grid_add, x_subdivisions=8, y_subdivisions=8, size=3)
    cutter.rotation_euler = (0.2, 0.3, 0)
    for vertex in cutter.data.vertices:
        vertex.co.z = 0.1 * math.sin(5 * vertex.co.x)
    bpy.context.view_layer.update()
    select(obj)
    pieces = break_selected(method="CUT", cutter=cutter)
    check_pieces(obj, 1.0, pieces)
    check(len(pieces) == 2 and cutter.visible_get(), "two pieces, and the cutter stays")


def test_whole_is_said():
    obj = cube()
    before = fingerprint()
    bpy.context.scene.brittle.method = "CRACK"
    bpy.context.scene.brittle.impulse = 1e-6
    bpy.context.scene.cursor.location = (0, 0, 1)
    before = fingerprint()
    outcome, message = give_back(bpy.ops.object.brittle_break)
    check(outcome == {"CANCELLED"} and "stays whole" in message, message)
    check(fingerprint() == before, "the scene changed")


def test_centimeters():
    scene = bpy.context.scene
    scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", 0.01
    obj = cube(20.0, (100, 0, 50))  # 20 cm
    pieces = break_selected(pieces=12)
    check_pieces(obj, 8000.0, pieces, 10)
    near(sum(p["brittle_volume"] for p in pieces), 0.008)
    near(sum(p["brittle_mass"] for p in pieces), 0.008 * 2500)


def test_hostile_names():
    for name in ('quo"te\'s', "sla/sh\\es", "прочный ☃ 花瓶 ü", "x" * 63, "--help", "é" * 31, "$(touch x); `ls` %s %n", " "):
        obj = cube(name=name)
        obj.data.materials.append(bpy.data.materials.new(name))
        select(obj)
        pieces = break_selected(pieces=5)
        check_pieces(obj, 1.0, pieces, 4)
        check(pieces[0]["brittle_of"] == obj.name and bpy.data.collections[-1] is not None, "names")


def test_rigid_bodies():
    obj = cube()
    pieces = break_selected(pieces=12, join=True)
    check_pieces(obj, 1.0, pieces, 10)
    bonds = [o.rigid_body_constraint for o in bpy.data.objects if o.rigid_body_constraint]
    check(len(bonds) >= len(pieces) - 1, "too few constraints")
    check(all(b.type == "FIXED" and b.object1 in pieces and b.object2 in pieces for b in bonds), "constraints hold other things")
    check(all(abs(p.rigid_body.mass - p["brittle_mass"]) < 0.01 for p in pieces), "masses")


def script(text):
    """A program of our own in place of brittle."""
    path = os.path.join(tempfile.mkdtemp(), "brittle")
    with open(path, "w") as file:
        file.write(f"#!/bin/sh\n[ \"$1\" = --version ] && echo 'brittle 0.2.0' && exit 0\n{text}\n")
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    preferences().program = path
    return path


def refused(words):
    cube()
    before = fingerprint()
    outcome, message = give_back(bpy.ops.object.brittle_break)
    check(outcome == {"CANCELLED"}, "it went on")
    for word in words:
        check(word in message, message)
    check(fingerprint() == before, "the scene changed")


def test_program_dies():
    script("kill -SEGV $$")
    refused(["signal 11", "nothing was changed"])


def test_program_fails_without_a_word():
    script("exit 7")
    refused(["code 7"])


def test_program_hangs():
    script("exec sleep 60")
    preferences().limit = 0.5
    refused(["0.5 s", "nothing was changed"])


def test_program_writes_rubbish():
    script("echo '{\"pieces\": 3}'; echo rubbish > pieces.ply")
    refused(["PLY"])


def test_no_program():
    preferences().program = "/no/such/file"
    refused(["Preferences"])


def test_old_program():
    path = script("exit 1")
    with open(path, "w") as file:
        file.write("#!/bin/sh\necho 'brittle 0.1.9'\n")
    refused(["0.1.9", "newer"])


def test_nothing_to_break():
    obj = add(bpy.data.meshes.new("nothing"), "nothing")
    select(obj)
    outcome, message = give_back(bpy.ops.object.brittle_break)
    check(outcome == {"CANCELLED"} and "no faces" in message, message)


def test_presets():
    from brittle import presets

    for preset in presets.PRESETS:
        bpy.ops.brittle.preset(preset=preset)
        settings = bpy.context.scene.brittle
        for name, value in presets.PRESETS[preset][2].items():
            found = getattr(settings, name)
            check(tuple(found) == value if name == "stretch" else abs(found - value) < 1e-6 if isinstance(value, float) else found == value, preset)


def test_zip_installs():
    """The zip of make blender is one that Blender takes, with all modules and the licence."""
    import harness
    import subprocess

    check("BLENDER_USER_SCRIPTS" in os.environ, "run tools/test_blender: this case installs the add-on")
    root = os.path.dirname(os.path.dirname(harness.HERE))
    path = subprocess.run([os.path.join(root, "tools", "make_blender")], check=True, capture_output=True, text=True).stdout.strip()
    bpy.ops.preferences.addon_install(filepath=os.path.join(root, path), overwrite=True)
    place = os.path.join(bpy.utils.user_resource("SCRIPTS", path="addons"), "brittle")
    expected = {n for n in os.listdir(os.path.join(root, "blender", "brittle")) if n != "__pycache__"} | {"LICENSE", "README.md"}
    check(set(os.listdir(place)) == expected, f"{set(os.listdir(place)) ^ expected}")
