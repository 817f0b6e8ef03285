# SPDX-License-Identifier: GPL-3.0-or-later
"""Brittle for Blender: breaks selected objects, and lets scenes collide and break. Talks to the program brittle, which is MIT."""

bl_info = {
    "name": "Brittle",
    "description": "Breaks things: shatter, crack, cut, and physics in which things break",
    "author": "The Brittle authors",
    "version": (0, 2, 0),
    "blender": (3, 3, 0),
    "location": "3D View > Sidebar > Brittle, Object menu",
    "category": "Object",
}

import bpy  # noqa: E402

from . import bake, break_objects, import_recording, panels, properties, work  # noqa: E402

modules = [properties, work, break_objects, bake, import_recording, panels]


def register():
    for module in modules:
        for cls in module.classes:
            bpy.utils.register_class(cls)
        if hasattr(module, "register"):
            module.register()


def unregister():
    for module in reversed(modules):
        if hasattr(module, "unregister"):
            module.unregister()
        for cls in reversed(module.classes):
            bpy.utils.unregister_class(cls)
