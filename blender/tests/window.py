# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on in a window: xvfb-run blender --factory-startup --python blender/tests/window.py -- PROGRAM [PICTURE.png]

Breaks while the window lives on, undoes, cancels a program that hangs. Writes a picture of the window. "window: ok" at the end.
"""

import os
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy  # noqa: E402

bpy.context.preferences.view.show_splash = False
import cases_break  # noqa: E402
import harness  # noqa: E402

arguments = sys.argv[sys.argv.index("--") + 1 :]


def window():
    """An override of the context: timers have none."""
    main = bpy.context.window_manager.windows[0]
    area = next(a for a in main.screen.areas if a.type == "VIEW_3D")
    return bpy.context.temp_override(window=main, area=area, region=next(r for r in area.regions if r.type == "WINDOW"))


def is_working():
    from brittle import work

    return work.running is not None


def story():
    """Steps between which the window runs; each `yield` is a moment of it."""
    from brittle import panels

    panels.Sidebar.bl_category = "Item"  # the tab that shows at first
    harness.start(arguments[0])
    with window():
        bpy.context.area.spaces[0].show_region_ui = True
        obj = bpy.context.scene.objects["Cube"]
        harness.select(obj)
        bpy.context.scene.brittle.pieces = 40
        bpy.ops.ed.undo_push(message="before")
        before = harness.fingerprint()
        bpy.ops.object.brittle_break("INVOKE_DEFAULT")
        harness.check(is_working(), "it works in the background")
    yield from until(lambda: not is_working())
    pieces = [o for o in bpy.data.objects if "brittle_piece" in o]
    harness.check(len(pieces) == 40 and obj.hide_render, f"{len(pieces)} pieces: {bpy.context.window_manager.brittle.message}")
    with window():
        for piece in pieces:
            piece.location *= 1.4
        bpy.ops.object.select_all(action="DESELECT")
        bpy.context.view_layer.objects.active = None
    if len(arguments) > 1:
        yield from until(lambda: False, 1.0)
        with window():
            bpy.ops.screen.screenshot(filepath=os.path.abspath(arguments[1]))
    with window():
        for piece in pieces:
            piece.location /= 1.4
        bpy.ops.ed.undo_push(message="broken")
        bpy.ops.ed.undo()
        bpy.ops.ed.undo()
        harness.check(harness.fingerprint() == before, "undo does not give the file back")
    yield
    yield from baking()
    yield from hanging()


def baking():
    """A bake in parts, with its preview."""
    with window():
        obj = bpy.context.scene.objects["Cube"]
        obj.brittle.role, obj.brittle.material = "BODY", "wood"
        bpy.context.scene.frame_end = 12
        bpy.ops.brittle.bake("INVOKE_DEFAULT")
    from brittle import work

    task = work.running.tasks[0]
    yield from until(lambda: work.running is None or os.path.exists(os.path.join(task.folder, "out", "scene.brec")))
    harness.check(is_working(), "it was over before it could be seen")
    with window():  # what a part of it leaves is drawn over the view
        preview = work.running.preview
        work.running.after_task()
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
        harness.check(preview.batch is not None, "the preview was not drawn")
    yield from until(lambda: not is_working())
    harness.check(preview.handle is None, "the preview stays")
    message = bpy.context.window_manager.brittle.message
    harness.check("12 frames" in message, message)
    with window():
        bpy.ops.brittle.free_bake()
    harness.preferences().program = harness.program


def hanging():
    cases_break.script("echo 'shattering: 40 %, 9 s left' >&2; exec sleep 600")
    with window():
        harness.select(bpy.context.scene.objects["Cube"])
        before = harness.fingerprint()
        bpy.ops.object.brittle_break("INVOKE_DEFAULT")
    for _ in range(10):  # were the window blocked, the first moment would come when the program has ended
        yield
        harness.check(is_working(), "the window waited for the program")
    from brittle import work

    harness.check(abs(work.running.share() - 0.4) < 0.01, f"progress {work.running.share()}")
    process = work.running.tasks[0].process
    with window():
        bpy.ops.brittle.cancel()
    yield from until(lambda: not is_working())
    harness.check("Cancelled" in bpy.context.window_manager.brittle.message, bpy.context.window_manager.brittle.message)
    harness.check(process.poll() is not None, "the program still runs")
    with window():
        harness.check(harness.fingerprint() == before, "the scene changed")


def until(is_so, limit=60.0):
    begin = time.monotonic()
    while not is_so():
        if time.monotonic() - begin > limit:
            harness.check(limit < 60, "it takes too long")
            return
        yield


steps = story()


def moment():
    try:
        next(steps)
        return 0.05
    except StopIteration:
        print("window: ok")
        sys.stdout.flush()
        os._exit(0)
    except Exception:
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
        os._exit(1)


bpy.app.timers.register(moment, first_interval=1.0)
