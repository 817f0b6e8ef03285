# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar (N, tab Brittle), the Object menu, and presets."""

import textwrap

import bpy

from . import presets, work


class Sidebar:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Brittle"


def draw_message(layout, context):
    talk = context.window_manager.brittle
    if work.running is not None:
        layout.label(text=f"{work.running.bl_label}: {100 * work.running.share():.0f} %", icon="TIME")
        layout.operator("brittle.cancel", icon="CANCEL")
        return
    if talk.message:
        box = layout.box()
        for line in textwrap.wrap(talk.message, 42)[:8]:
            box.label(text=line)
        if talk.repair_with:
            box.operator(talk.repair_with, text="Go on with Repair", icon="MODIFIER").repair = True


class BRITTLE_PT_break(Sidebar, bpy.types.Panel):
    bl_label = "Break"

    def draw(self, context):
        layout, settings = self.layout, context.scene.brittle
        layout.use_property_split, layout.use_property_decorate = True, False
        layout.operator_menu_enum("brittle.preset", "preset", text="Preset")
        layout.prop(settings, "method")
        getattr(self, "draw_" + settings.method.lower())(layout, settings)
        layout.prop(settings, "repair")
        if settings.repair != "ASK":
            layout.prop(settings, "thickness")
        layout.prop(settings, "join")
        if settings.join:
            layout.prop(settings, "join_strength")
        if settings.method != "CUT":
            layout.prop(settings, "seed")
        layout.operator("object.brittle_break", icon="MOD_EXPLODE")
        layout.operator("object.brittle_restore", icon="LOOP_BACK")
        draw_message(layout, context)

    def draw_shatter(self, layout, settings):
        layout.prop(settings, "sites")
        layout.prop(settings, "pieces")
        if settings.sites == "WEIGHTS":
            layout.prop(settings, "vertex_group")
        elif settings.sites != "PATTERN":
            layout.prop(settings, "sites_object")
        else:
            layout.prop(settings, "pattern")
        is_pattern = settings.sites == "PATTERN"
        if is_pattern and settings.pattern in {"CLUSTERED", "RADIAL", "IMPACT"}:
            self.draw_hit(layout, settings)
        shown = {
            "CLUSTERED": ["radius", "strength"], "RADIAL": ["axis", "material", "speed"], "GRID": ["jitter"], "SLICES": ["axis", "jitter"],
            "IMPACT": ["material", "speed", "energy"],
        }  # fmt: skip
        for name in shown.get(settings.pattern, []) if is_pattern else []:
            layout.prop(settings, name)
        layout.prop(settings, "smallest")
        if not is_pattern or settings.pattern not in {"RADIAL", "IMPACT"}:
            layout.prop(settings, "roughness")
            layout.prop(settings, "stretch")

    def draw_crack(self, layout, settings):
        self.draw_hit(layout, settings)
        for name in ("material", "impulse", "striker", "pieces", "cracks"):
            layout.prop(settings, name)

    def draw_cut(self, layout, settings):
        layout.prop(settings, "cutter")

    @staticmethod
    def draw_hit(layout, settings):
        layout.prop(settings, "hit")
        if settings.hit != "CURSOR":
            layout.prop(settings, "hit_object")


class BRITTLE_PT_simulate(Sidebar, bpy.types.Panel):
    bl_label = "Simulate"

    def draw(self, context):
        layout, settings = self.layout, context.scene.brittle
        layout.use_property_split, layout.use_property_decorate = True, False
        obj = context.active_object
        if obj is not None:
            layout.label(text=obj.name, icon="OBJECT_DATA")
            draw_role(layout, obj.brittle)
            layout.operator("object.brittle_mark")
        layout.separator()
        layout.prop(settings, "steps")
        layout.prop(settings, "use_constraints")
        layout.prop(settings, "preview")
        layout.prop(settings, "seed")
        layout.prop(settings, "repair")
        layout.operator("brittle.bake", icon="REC")
        layout.operator("brittle.free_bake", icon="TRASH")
        draw_message(layout, context)


class BRITTLE_PT_object(bpy.types.Panel):
    bl_label = "Brittle"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"

    @classmethod
    def poll(cls, context):
        return context.object is not None

    def draw(self, context):
        self.layout.use_property_split, self.layout.use_property_decorate = True, False
        draw_role(self.layout, context.object.brittle)


ROLE_SETTINGS = {
    "BREAKABLE": ["material", "method", "pieces", "generations", "strength", "motion", "mass"],
    "BODY": ["material", "motion", "mass"],
    "GROUND": ["material"],
    "ANCHOR": ["hold", "break_force"],
    "FORCE": ["force_shape", "force", "force_radius", "force_frame"],
}


def draw_role(layout, settings):
    layout.prop(settings, "role")
    for name in ROLE_SETTINGS.get(settings.role, []):
        layout.prop(settings, name)


class BRITTLE_OT_preset(bpy.types.Operator):
    """Settings that look right at once"""

    bl_idname = "brittle.preset"
    bl_label = "Preset"
    bl_options = {"REGISTER", "UNDO"}

    preset: bpy.props.EnumProperty(name="Preset", items=[(key, name, note) for key, (name, note, _) in presets.PRESETS.items()])

    def execute(self, context):
        settings = context.scene.brittle
        settings.sites = "PATTERN"
        for name in ("stretch", "roughness", "jitter"):
            settings.property_unset(name)
        unit = context.scene.unit_settings.scale_length
        for name, value in presets.PRESETS[self.preset][2].items():
            setattr(settings, name, value / unit if name == "roughness" else value)
        return {"FINISHED"}


def draw_menu(self, context):
    self.layout.separator()
    for method, name in (("SHATTER", "Shatter into Pieces"), ("CRACK", "Crack by a Blow"), ("CUT", "Cut by Object")):
        self.layout.operator("object.brittle_break", text=name).method = method
    self.layout.operator("object.brittle_restore")


classes = [BRITTLE_PT_break, BRITTLE_PT_simulate, BRITTLE_PT_object, BRITTLE_OT_preset]


def register():
    bpy.types.VIEW3D_MT_object.append(draw_menu)


def unregister():
    bpy.types.VIEW3D_MT_object.remove(draw_menu)
