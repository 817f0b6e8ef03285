# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake: objects are where the recording says at every frame, pieces show from their birth on, undo and Free give the file back."""

import glob
import os
import tempfile

import bpy
import numpy
from harness import add, added, check, cube, fingerprint, give_back, select, world_arrays


def floor(size=20.0, height=0.0):
    obj = added(bpy.ops.mesh.primitive_plane_add, size=size, location=(0, 0, height))
    obj.name, obj.brittle.role, obj.brittle.material = "floor", "GROUND", "concrete"
    return obj


def mark(obj, role, **settings):
    obj.brittle.role = role
    for name, value in settings.items():
        setattr(obj.brittle, name, value)
    return obj


def bake(frames=30, fps=24, first=1):
    """Bakes in a saved file and gives the recording that is kept beside it."""
    from brittle.recording import Recording

    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = first, first + frames, fps
    folder = tempfile.mkdtemp()
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, "file.blend"))
    outcome, message = give_back(bpy.ops.brittle.bake)
    check(outcome == {"FINISHED"}, f"it did not bake: {message}")
    paths = glob.glob(os.path.join(folder, "file_brittle", "*", "out", "scene.brec"))
    check(len(paths) == 1, "there is no recording beside the .blend")
    return Recording(paths[0])


def baked_objects():
    return [o for c in bpy.data.collections if "brittle_bake" in c for o in c.all_objects]


def check_against(recording, first=1, unit=1.0):
    """Every object at every frame: within 0.1 mm of the recording, visible when it should be."""
    objects, tracks = {}, {}
    left = baked_objects()
    for i, body in enumerate(recording.bodies):
        if body.kind == 2 or not recording.is_seen(i):
            continue
        tracks[i] = track = recording.track(i)
        for obj in left:  # by where and when it is: names are the user's
            if match(obj, track, body, first, unit):
                objects[i] = obj
                left.remove(obj)
                break
    check(not left, f"{len(left)} objects are nobody's, like {left[0].name if left else ''}")
    scene, worst, seen = bpy.context.scene, 0.0, 0
    for frame in range(recording.frame_count):
        scene.frame_set(first + frame)
        for i, obj in objects.items():
            body, track = recording.bodies[i], tracks[i]
            is_there = body.born <= frame and (body.gone is None or frame < body.gone)
            check(obj.hide_viewport != is_there and obj.hide_render != is_there, f"{obj.name} at frame {frame}: visibility")
            if is_there:
                at = int(numpy.searchsorted(track.frames, frame, "right")) - 1
                off = numpy.linalg.norm(unit * numpy.array(obj.matrix_world.translation) - track.places[at])
                turned = abs(numpy.dot(numpy.array(obj.matrix_world.to_quaternion()), track.rotations[at]))
                check(turned > 1 - 1e-6, f"{obj.name} at frame {frame}: turned otherwise")
                worst, seen = max(worst, off), seen + 1
    check(worst < 1e-4, f"objects are {worst} m off the recording")
    check(seen > 0, "nothing was seen")
    return objects


def match(obj, track, body, first, unit):
    place = unit * numpy.array(obj.location)
    if numpy.linalg.norm(place - track.places[0]) > 2e-4 and not has_key(obj, track, first, unit):
        return False
    return abs(obj["brittle_mass"] - body.mass) <= 1e-6 * body.mass and obj["brittle_generation"] == body.generation


def has_key(obj, track, first, unit):
    data = obj.animation_data
    if data is None or data.action is None:
        return False
    curves = [c for c in data.action.fcurves if c.data_path == "location"]
    return len(curves) == 3 and all(abs(unit * c.keyframe_points[0].co[1] - track.places[0][c.array_index]) < 2e-4 for c in curves)


def plate(location=(0, 0, 1.0), name="plate", size=0.3, unit=1.0):
    """A thin plate on its edge, which breaks when it falls."""
    obj = cube(1.0, [x / unit for x in location], name)
    for vertex in obj.data.vertices:
        vertex.co = [c * s / unit for c, s in zip(vertex.co, (size, size, 0.02 * size))]
    obj.rotation_euler = (0.9, 0.3, 0)
    bpy.context.view_layer.update()
    return mark(obj, "BREAKABLE", material="sugar_glass", pieces=12, generations=1)


def animate(obj, path, keys):
    for frame, value in keys:
        setattr(obj, path, value)
        obj.keyframe_insert(path, frame=frame)
    for curve in obj.animation_data.action.fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)


def breaks(recording):
    return sum(body.kind == 1 for body in recording.bodies)


def test_bake_short():
    floor()
    obj = plate()
    before = fingerprint()
    recording = bake(24)
    check(breaks(recording) > 2, "nothing broke")
    check_against(recording)
    check(obj.hide_render and not obj.visible_get(), "the original shows")
    bpy.context.scene.frame_set(1)
    bpy.ops.brittle.free_bake()
    obj.select_set(True)
    after = fingerprint()
    check([r for r in after if r[0] != "materials"] == [r for r in before if r[0] != "materials"], "free does not give the file back")


def test_bake_undo():
    floor()
    plate()
    scene = bpy.context.scene
    scene.frame_end = 20
    bpy.ops.ed.undo_push(message="before")
    before = fingerprint()
    bpy.ops.brittle.bake()
    bpy.ops.ed.undo_push(message="baked")
    check(baked_objects(), "nothing was baked")
    bpy.ops.ed.undo()
    check(fingerprint() == before, "undo does not give the file back")


def test_bake_frame_rates():
    ends = {}
    for fps in (24, 25, 60):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        import harness

        harness.empty_file()
        floor()
        plate()
        recording = bake(fps, fps, first=5)
        check(abs(recording.rate - fps) < 1e-9 and recording.frame_count == fps + 1, f"{recording.rate} {recording.frame_count}")
        check_against(recording, first=5)
        falling = recording.track([b.name for b in recording.bodies].index("b1"))
        at = int(0.24 * fps)
        ends[fps] = falling.places[at][2] + 0.5 * 9.81 * (at / fps) ** 2
    for fps, height in ends.items():
        check(abs(height - 1.0) < 0.02, f"at {fps} frames a second it falls otherwise: {height}")


def test_bake_fractional_rate():
    floor()
    plate()
    bpy.context.scene.render.fps_base = 1.001
    check_against(bake(24, 24))


def test_bake_centimeters():
    scene = bpy.context.scene
    scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", 0.01
    floor(2000)
    obj = plate(unit=0.01)
    recording = bake(24)
    check_against(recording, unit=0.01)
    check(breaks(recording) > 2, "nothing broke")
    start = recording.track([b.name for b in recording.bodies].index("b1")).places[0]
    check(abs(start[2] - 1.0) < 1e-3, f"it starts at {start}")
    scene.frame_set(7)
    falling = next(o for o in baked_objects() if not o.hide_viewport)
    check(abs(falling.matrix_world.translation.z - (100 - 100 * 0.5 * 9.81 * (6 / 24) ** 2)) < 2, "it does not fall by 9.81 m/s^2")
    check(obj.hide_render, "the original shows")


def test_bake_keeps_materials_and_uvs():
    floor()
    obj = plate()
    for name in ("top", "rest"):
        obj.data.materials.append(bpy.data.materials.new(name))
    for polygon in obj.data.polygons:
        polygon.material_index = 0 if polygon.normal.z > 0.5 else 1
    second = obj.data.uv_layers.new(name="second")
    for polygon in obj.data.polygons:
        for k, i in enumerate(polygon.loop_indices):
            second.data[i].uv = (polygon.index + 0.5 * (k in (1, 2)), 2.0 * (k in (2, 3)))
    recording = bake(24)
    check_against(recording)
    broken = [o for o in baked_objects() if o["brittle_generation"] > 0]
    check(len(broken) > 2, "nothing broke")
    area = {}
    for piece in broken:
        check([m.name for m in piece.data.materials] == ["top", "rest", "rest inside"] or [m.name for m in piece.data.materials] == ["top", "rest", "top inside"], "slots")
        check([u.name for u in piece.data.uv_layers] == ["UVMap", "second"], "UV maps")
        for polygon in piece.data.polygons:
            area[polygon.material_index] = area.get(polygon.material_index, 0) + polygon.area
            if polygon.material_index < 2:
                us = [second_uv(piece, i) for i in polygon.loop_indices]
                check(len({int(numpy.floor(u[0] + 1e-3)) for u in us}) <= 2, "UVs of several faces in one")
                stretch = uv_area(us) / polygon.area
                face_area = 0.3 * 0.3 if polygon.material_index == 0 else None
                if face_area:
                    check(abs(stretch * face_area - 1.0) < 0.05 or polygon.area < 1e-5, f"UVs are stretched by {stretch * face_area}")
    lost = sum(b.mass for b in recording.bodies if b.generation == 0 and b.kind != 2)
    check(abs(area[0] - 0.09) < 0.02 * 0.09, f"the top was 0.09 m^2 and is {area[0]}")
    check(lost > 0, "masses")


def second_uv(piece, corner):
    return tuple(piece.data.uv_layers["second"].data[corner].uv)


def uv_area(uvs):
    return abs(sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(uvs, uvs[1:] + uvs[:1]))) / 2


def test_bake_whole_object_is_the_original():
    """A body that does not break: the baked copy at the first frame covers the original vertex by vertex, mirrored and sheared too."""
    floor()
    parent = add(None, "parent")
    parent.scale = (-1, 1.5, 0.7)
    parent.rotation_euler = (0.2, 0.4, 0)
    obj = added(bpy.ops.mesh.primitive_monkey_add, size=0.5, location=(0, 0, 1.5))
    obj.modifiers.new("Remesh", "REMESH").voxel_size = 0.04
    obj.rotation_euler = (0.5, 0.1, 0.7)
    obj.parent = parent
    mark(obj, "BODY", material="wood")
    bpy.context.view_layer.update()
    expected = world_arrays(obj)[0]
    recording = bake(10)
    objects = check_against(recording)
    bpy.context.scene.frame_set(1)
    found = world_arrays(list(objects.values())[0])[0]
    off = numpy.linalg.norm(found - expected, axis=1).max()
    check(off < 1e-4, f"vertices are {off} m off the original's")


def test_bake_initial_velocity():
    ball = mark(added(bpy.ops.mesh.primitive_ico_sphere_add, radius=0.1, location=(0, 0, 0)), "BODY", material="steel")
    animate(ball, "location", ((1, (0, 0, 0)), (13, (6, 0, 3))))
    animate(ball, "rotation_euler", ((1, (0, 0, 0)), (13, (0, 0, 3.0))))
    recording = bake(24)
    check_against(recording)
    track, time = recording.track(0), 12 / 24
    place = track.places[12]
    expected = (12 * time, 0, 6 * time - 0.5 * 9.81 * time**2)
    check(numpy.abs(place - expected).max() < 0.03, f"it is at {place}, not {expected}")
    angle = 2 * numpy.arctan2(track.rotations[12][3], track.rotations[12][0])
    check(abs(angle - 3.0) < 0.01, f"it has turned by {angle}")


def test_bake_animated_collider():
    """A pusher that moves by keys shoves a box along; it stays where its keys say, and so does the recording's."""
    floor()
    pusher = mark(cube(0.5, (-1.0, 0, 0.26), "pusher"), "BODY", material="steel", motion="ANIMATED")
    box = mark(cube(0.3, (-0.4, 0, 0.15), "box"), "BODY", material="wood")
    animate(pusher, "location", ((1, (-1.0, 0, 0.26)), (25, (1.0, 0, 0.26)), (37, (1.0, 0, 0.26))))
    animate(pusher, "rotation_euler", ((1, (0, 0, 0)), (37, (0, 0, 0.2))))
    recording = bake(36)
    check_against(recording)
    check(pusher.visible_get() and not box.visible_get(), "the pusher shows as it is, the box is baked")
    names = [b.name for b in recording.bodies]
    track = recording.track(names.index("b1"))
    worst = 0.0
    for frame in range(recording.frame_count):
        bpy.context.scene.frame_set(1 + frame)
        at = int(numpy.searchsorted(track.frames, frame, "right")) - 1
        worst = max(worst, numpy.linalg.norm(numpy.array(pusher.matrix_world.translation) - track.places[at]))
    check(worst < 1e-3, f"the collider is {worst} m off its keys")
    end = recording.track(names.index("b2")).places[-1]
    check(end[0] > 1.0, f"the box was not pushed: {end}")


def test_bake_anchor():
    """A lamp hangs from an empty by a ball joint; a shelf is held by a block that overlaps it."""
    lamp = mark(cube(0.2, (0.3, 0, 2.0), "lamp"), "BODY", material="wood")
    hook = mark(add(None, "hook"), "ANCHOR", hold="ball")
    hook.location = (0, 0, 2.0)
    shelf = mark(cube(0.4, (3, 0, 1), "shelf"), "BODY", material="wood")
    block = mark(cube(0.2, (3.2, 0, 1), "block"), "ANCHOR")
    loose = mark(cube(0.2, (6, 0, 2.0), "loose"), "BODY", material="wood")
    bpy.context.view_layer.update()
    recording = bake(24)
    check_against(recording)
    ends = {b.name: recording.track(i).places[-1] for i, b in enumerate(recording.bodies) if b.kind != 2}
    check(abs(numpy.linalg.norm(ends["b0"] - (0, 0, 2.0)) - 0.3) < 0.01 and ends["b0"][2] < 1.95, f"the lamp hangs at {ends['b0']}")
    check(abs(ends["b1"][2] - 1.0) < 0.01, f"the shelf fell to {ends['b1']}")
    check(ends["b2"][2] < -2, f"the loose box is at {ends['b2']}")
    check(lamp.hide_render and shelf.hide_render and loose.hide_render and block.visible_get(), "visibility")


def test_bake_bonds_with_anchor():
    floor()
    wall = mark(cube(1.0, (0, 0, 0.51), "wall"), "BREAKABLE", material="concrete", method="BONDS", pieces=20)
    wall.scale = (1, 0.2, 1)
    foot = mark(cube(1.2, (0, 0, -0.4), "foot"), "ANCHOR")
    ball = mark(added(bpy.ops.mesh.primitive_ico_sphere_add, radius=0.15, location=(0, -1.2, 0.8)), "BODY", material="steel")
    animate(ball, "location", ((1, (0, -1.2, 0.8)), (13, (0, 8.8, 0.8))))
    bpy.context.view_layer.update()
    recording = bake(24)
    check_against(recording)
    check(breaks(recording) > 2, "the wall held")
    check(foot.visible_get() and wall.hide_render, "visibility")


def test_bake_static_pane():
    pane = mark(cube(1.0, (0, 0, 0.5), "pane"), "BREAKABLE", material="glass", motion="STATIC", pieces=40)
    pane.scale = (1, 0.006, 1)
    ball = mark(added(bpy.ops.mesh.primitive_ico_sphere_add, radius=0.03, location=(0, -0.6, 0.5)), "BODY", material="steel")
    animate(ball, "location", ((1, (0, -0.6, 0.5)), (13, (0, 9.4, 0.5))))
    bpy.context.view_layer.update()
    recording = bake(16)
    check_against(recording)
    check(breaks(recording) > 5, "the pane held")


def test_bake_open_mesh_offers_repair():
    floor()
    obj = mark(added(bpy.ops.mesh.primitive_monkey_add, size=0.4, location=(0, 0, 1)), "BODY", material="wood")
    before = fingerprint()
    outcome, message = give_back(bpy.ops.brittle.bake)
    check(outcome == {"CANCELLED"} and obj.name in message and "Repair" in message, message)
    check(fingerprint() == before, "the scene changed")
    check(bpy.ops.brittle.bake(repair=True) == {"FINISHED"}, "Repair does not bake it")
    bpy.context.scene.brittle.repair = "FULL"
    check_against(bake(12))


def test_bake_hostile_names():
    floor()
    for i, name in enumerate(('quo"te\'s', "sla/sh\\es", "прочный ☃ 花瓶", "x" * 63, "- a: {b}", "é" * 31)):
        obj = plate((i, 0, 0.8), name)
    recording = bake(16)
    check_against(recording)
    check(len({o.name for o in baked_objects()}) == len(baked_objects()) and obj.hide_render, "names")


def test_bake_nothing_marked():
    cube()
    outcome, message = give_back(bpy.ops.brittle.bake)
    check(outcome == {"CANCELLED"} and "Breakable" in message, message)


def test_bake_program_dies():
    from cases_break import script

    floor()
    plate()
    script("kill -KILL $$")
    before = fingerprint()
    outcome, message = give_back(bpy.ops.brittle.bake)
    check(outcome == {"CANCELLED"} and "signal 9" in message, message)
    check(fingerprint() == before, "the scene changed")


def test_bake_in_parts_is_the_same():
    floor()
    plate()
    scene, results = bpy.context.scene, []
    for preview in (False, True):
        scene.brittle.preview = preview
        recording = bake(30)
        from brittle.preview import triangles_at_end

        results.append((recording.frame_count, len(recording.bodies), triangles_at_end(recording)[0]))
    check(results[0][:2] == results[1][:2] and (results[0][2] == results[1][2]).all(), "a bake in parts gives another result")
    check(results[0][2][:, 2].min() > -0.01, "something lies in the ground")


def test_bake_fast_turns():
    """A wheel that turns by more than a quarter a frame turns the right way round between frames too."""
    wheel = mark(cube(0.2, (0, 0, 0), "wheel"), "BODY", material="wood")
    bpy.context.scene.use_gravity = False
    animate(wheel, "rotation_euler", ((1, (0, 0, 0)), (2, (0, 0, 2.5))))
    recording = bake(8)
    objects = check_against(recording)
    obj = list(objects.values())[0]
    for frame, share in ((3, 0.0), (3, 0.5), (4, 0.25), (5, 0.75)):
        bpy.context.scene.frame_set(frame, subframe=share)
        angle = (2.5 * (frame - 1 + share)) % (2 * numpy.pi)
        found = obj.matrix_world.to_euler().z % (2 * numpy.pi)
        off = abs((found - angle + numpy.pi) % (2 * numpy.pi) - numpy.pi)
        check(off < 0.1, f"at frame {frame + share} it has turned by {found}, not {angle}")


def test_bake_again_replaces():
    floor()
    plate()
    bake(12)
    count = len(bpy.data.objects)
    bpy.ops.brittle.bake()
    check(len(bpy.data.objects) == count and len([c for c in bpy.data.collections if "brittle_bake" in c]) == 1, "two bakes")


def test_import_of_a_recording():
    import harness
    import subprocess

    folder = tempfile.mkdtemp()
    scene = os.path.join(os.path.dirname(harness.HERE), "..", "scenes", "wine_glass.yaml")
    subprocess.run([harness.program, "run", scene, "-o", folder, "--time", "0.8", "--no-pictures", "-q"], check=True, stdout=subprocess.DEVNULL)
    path = os.path.join(folder, "wine_glass.brec")
    bpy.context.scene.render.fps = 30  # every second frame of the recording
    bpy.ops.import_scene.brec(filepath=path)
    from brittle.recording import Recording

    recording = Recording(path)
    bodies = [b for i, b in enumerate(recording.bodies) if recording.is_seen(i)]
    check(len(bpy.data.objects) == len(bodies) and len(bodies) > 10, f"{len(bpy.data.objects)} objects of {len(bodies)} bodies")
    falling = next(i for i, b in enumerate(recording.bodies) if b.kind == 0 and len(recording.track(i).frames) > 8)
    bpy.context.scene.frame_set(1 + 4)
    off = numpy.array(bpy.data.objects[recording.bodies[falling].name].matrix_world.translation) - recording.track(falling).places[8]
    check(numpy.linalg.norm(off) < 1e-4, f"at half the rate it is {off} off")
    check({"glass", "glass_inside"} <= {m.name for m in bpy.data.materials}, "materials")


def test_bake_force():
    """A blast pushes what is near away from itself, at its frame and not before; a push goes along the empty's z axis."""
    bpy.context.scene.use_gravity = False
    near = mark(cube(0.2, (1, 0, 0), "near"), "BODY", material="wood")
    far = mark(cube(0.2, (0, 6, 0), "far"), "BODY", material="wood")
    blast = mark(add(None, "blast"), "FORCE", force=4.0, force_radius=2.0, force_frame=7)
    wind = mark(add(None, "wind"), "FORCE", force=1.0, force_radius=20.0, force_frame=13, force_shape="WIND")
    wind.location = (0, 6, 0)
    wind.rotation_euler = (0, numpy.pi / 2, 0)
    bpy.context.view_layer.update()
    recording = bake(24)
    check_against(recording)
    tracks = {b.name: recording.track(i) for i, b in enumerate(recording.bodies)}

    def at(name, frame):
        return tracks[name].places[int(numpy.searchsorted(tracks[name].frames, frame, "right")) - 1]

    check(numpy.allclose(at("b0", 6), (1, 0, 0), atol=1e-5), "it moves before the blast")
    check(abs(at("b0", 12)[0] - (1 + 2.0 * 6 / 24)) < 0.01, f"the near box is at {at('b0', 12)}")
    check(numpy.allclose(at("b1", 12), (0, 6, 0), atol=1e-5), "the far box moves")
    check(abs(at("b1", 24)[0] - 0.5) < 0.01, f"the push has brought the far box to {at('b1', 24)}")
    check(near.hide_render and far.hide_render and blast.visible_get(), "visibility")


def test_bake_constraints():
    """Pieces of a break, joined by Blender's constraints, hang together in the bake from the one that is held."""
    from harness import break_selected

    cube(0.4, (0, 0, 2), "block")
    pieces = break_selected(pieces=6, join=True, join_strength=1e6)
    for piece in pieces:
        mark(piece, "BODY", material="concrete")
    hook = mark(add(None, "hook"), "ANCHOR")
    hook.location = pieces[0].location
    loose = mark(cube(0.1, (3, 0, 2), "loose"), "BODY", material="wood")
    bpy.context.view_layer.update()
    recording = bake(12)
    check_against(recording)
    fallen = [recording.track(i).places[0][2] - recording.track(i).places[-1][2] for i, b in enumerate(recording.bodies) if b.kind != 2]
    check(sorted(fallen)[-1] > 1.0 and sorted(fallen)[-2] < 0.05, f"they fell by {fallen}")
    check(loose.hide_render, "the loose box shows")
