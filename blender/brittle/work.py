# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that let the program work: in the window beside the user, with progress and Cancel; in scripts and without a window, at once.

An operator prepares files, the program works, and only when all its answers are there is the scene changed, in one step of undo.
"""

import os
import shutil
import tempfile
import time

import bpy

from . import messages, program
from .messages import Refusal

running = None  # the operator that works now, for the panel


class BackgroundWork:
    """Mix-in. `prepare(context)` gives tasks, `finish(context)` changes the scene and gives a sentence."""

    def execute(self, context):
        try:
            self._begin(context)
            while not self._advance():
                time.sleep(0.002)
            return self._end(context)
        except Refusal as refusal:
            return self._refuse(context, refusal)
        finally:
            self._clean()

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        if running is not None:
            self.report({"WARNING"}, "Brittle is still at work; cancel that first")
            return {"CANCELLED"}
        return self._start(context)

    def _start(self, context):
        global running
        try:
            self._begin(context)
        except Refusal as refusal:
            self._clean()
            return self._refuse(context, refusal)
        running = self
        self.is_cancelled = False
        self.timer = context.window_manager.event_timer_add(0.05, window=context.window)
        context.window_manager.progress_begin(0, 100)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self.is_cancelled = True
        if event.type != "TIMER" and not self.is_cancelled:
            return {"PASS_THROUGH"}
        try:
            if self.is_cancelled:
                raise Refusal(messages.cancelled())
            context.window_manager.progress_update(int(100 * self.share()))
            redraw(context)
            if not self._advance():
                return {"PASS_THROUGH"}
            result = self._end(context)
        except Refusal as refusal:
            result = self._refuse(context, refusal)
        except Exception:
            self._leave(context)
            raise
        self._leave(context)
        return result

    def cancel(self, context):
        """Blender closes the window or quits."""
        self._leave(context)

    def share(self):
        """How far it is, 0 to 1."""
        if not self.tasks:
            return 0.0
        current = self.tasks[self.at].progress() if self.at < len(self.tasks) else 0.0
        return (self.at + current) / len(self.tasks)

    def _begin(self, context):
        program.find()
        context.window_manager.brittle.message = ""
        context.window_manager.brittle.repair_with = ""
        self.folder = tempfile.mkdtemp(prefix="brittle_")
        self.tasks, self.at = self.prepare(context), 0
        settings = program.preferences()
        for task in self.tasks:
            task.limit = settings.limit if settings else 0.0
        if self.tasks:
            self.tasks[0].start()

    def task_folder(self, index):
        folder = os.path.join(self.folder, str(index))
        os.mkdir(folder)
        return folder

    def _advance(self):
        """True when every task is done."""
        while self.at < len(self.tasks):
            if not self.tasks[self.at].is_done():
                return False
            self.tasks[self.at].answer()
            self.after_task()
            self.at += 1
            if self.at < len(self.tasks):
                self.tasks[self.at].start()
        return True

    def after_task(self):
        """One task of several is done."""

    def _end(self, context):
        sentence = self.finish(context)
        context.window_manager.brittle.message = sentence
        self.report({"INFO"}, sentence)
        return {"FINISHED"}

    def _refuse(self, context, refusal):
        context.window_manager.brittle.message = str(refusal)
        context.window_manager.brittle.repair_with = self.repairing if refusal.can_repair else ""
        self.report({"ERROR"} if not str(refusal).startswith("Cancelled") else {"WARNING"}, str(refusal))
        return {"CANCELLED"}

    def _clean(self):
        for task in getattr(self, "tasks", []):
            task.stop()
        if getattr(self, "folder", None):
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None

    def _leave(self, context):
        global running
        running = None
        if getattr(self, "timer", None) is not None:
            context.window_manager.event_timer_remove(self.timer)
            self.timer = None
        context.window_manager.progress_end()
        self._clean()
        redraw(context)


def redraw(context):
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


class BRITTLE_OT_cancel(bpy.types.Operator):
    """Stop the program; nothing changes"""

    bl_idname = "brittle.cancel"
    bl_label = "Cancel"

    @classmethod
    def poll(cls, context):
        return running is not None

    def execute(self, context):
        running.is_cancelled = True
        return {"FINISHED"}


classes = [BRITTLE_OT_cancel]
