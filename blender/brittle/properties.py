# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings in the scene and on objects. Lengths are in the scene's own unit; what has no unit in Blender says it in its tooltip."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, PointerProperty, StringProperty

from . import presets

BRITTLE = presets.material_items(presets.MATERIALS)
ALL = BRITTLE + presets.material_items(presets.TOUGH)


def _is_cutter(self, obj):
    return obj.type in {"MESH", "CURVE", "SURFACE", "META", "FONT"}


class BrittleTalk(bpy.types.PropertyGroup):
    """What was said last. In the window manager, which no file and no undo knows."""

    message: StringProperty(description="What Brittle said last")
    repair_with: StringProperty(description="The operator that would do it with Repair")


class BrittleScene(bpy.types.PropertyGroup):
    """How selected objects break, and how scenes are baked."""

    method: EnumProperty(
        name="Method",
        items=[
            ("SHATTER", "Shatter", "Many pieces, in a fraction of a second"),
            ("CRACK", "Crack", "Few true pieces: stress of a blow and cracks that grow, in seconds"),
            ("CUT", "Cut", "Along the surface of another object, exactly"),
        ],
    )
    pattern: EnumProperty(
        name="Pattern",
        items=[
            ("UNIFORM", "Uniform", "Pieces of even size everywhere"),
            ("CLUSTERED", "Clustered", "Small pieces near the hit"),
            ("RADIAL", "Radial", "Spokes and rings from the hit, for panes"),
            ("GRID", "Grid", "Bricks"),
            ("SLICES", "Slices", "Slabs in a row"),
            ("IMPACT", "Impact", "Cracks from the hit, as far as its energy lasts"),
        ],
    )
    sites: EnumProperty(
        name="Sites",
        description="Where the pieces have their middles",
        items=[
            ("PATTERN", "Pattern", "By the pattern"),
            ("PARTICLES", "Particles", "At the particles of an object's first particle system"),
            ("STROKES", "Strokes", "Along the strokes of a grease pencil object"),
            ("WEIGHTS", "Weights", "More of them where a vertex group weighs more"),
        ],
    )
    sites_object: PointerProperty(name="From", type=bpy.types.Object, description="Object with the particle system or the strokes; empty: the broken object itself")
    vertex_group: StringProperty(name="Group", description="Vertex group; empty: the active one")
    pieces: IntProperty(name="Pieces", default=30, min=2, max=100000, description="How many pieces; for impact and cracks at most so many")
    hit: EnumProperty(
        name="Hit",
        description="Where the blow lands",
        items=[
            ("CURSOR", "3D cursor", "At the place of the surface nearest to the 3D cursor, straight in"),
            ("OBJECT", "Object", "Where an empty or another object is, along its -Z axis"),
            ("MOTION", "Motion", "By an object that moves: its speed at this frame and its mass"),
        ],
    )
    hit_object: PointerProperty(name="By", type=bpy.types.Object, description="The empty or object that marks the hit, or that moves")
    energy: FloatProperty(name="Energy", default=5.0, min=0.0, soft_max=1000.0, description="Energy of the blow that goes into cracks [J]")
    speed: FloatProperty(name="Speed", default=5.0, min=0.01, max=1000.0, unit="VELOCITY", description="Speed of the blow; fast ones make more main cracks")
    impulse: FloatProperty(name="Impulse", default=1.0, min=0.0, soft_max=1e4, description="Of the blow: mass times speed [N s]")
    striker: FloatProperty(name="Striker", default=0.02, min=1e-4, unit="LENGTH", description="Radius of what hits")
    cracks: IntProperty(name="Cracks", default=48, min=1, max=1000, description="At most so many cracks grow")
    material: EnumProperty(name="Material", items=BRITTLE, default="glass", description="What the object is made of")
    radius: FloatProperty(name="Radius", default=0.0, min=0.0, unit="LENGTH", description="Of the cluster or the outer ring; 0: by the object's size")
    strength: FloatProperty(name="Share", default=0.8, min=0.0, max=1.0, description="Share of the pieces that belongs to the cluster")
    axis: FloatVectorProperty(name="Axis", default=(0, 0, 1), subtype="XYZ", description="Radial: across the pane; slices: along the row")
    jitter: FloatProperty(name="Jitter", default=0.5, min=0.0, max=1.0, description="Grid and slices: 0 is regular, 1 is wild")
    stretch: FloatVectorProperty(name="Stretch", default=(1, 1, 1), min=1 / 1024, max=1024, subtype="XYZ", description="Longer pieces along an axis: splinters")
    smallest: FloatProperty(name="Smallest", default=0.0, min=0.0, max=0.5, description="Pieces below this share of the volume join a neighbor")
    roughness: FloatProperty(name="Roughness", default=0.0, min=0.0, unit="LENGTH", description="Height of bumps on cut faces")
    cutter: PointerProperty(name="Cutter", type=bpy.types.Object, poll=_is_cutter, description="Its surface is where the cut goes")
    repair: EnumProperty(
        name="Repair",
        description="What happens to meshes that are no closed solids",
        items=[
            ("ASK", "Ask", "Refuse them and offer Repair"),
            ("GENTLE", "Gentle", "Weld doubled vertices, stitch, turn faces outward"),
            ("FULL", "Full", "Also fill holes and resolve crossings"),
            ("REMESH", "Remesh", "Also make a new surface where nothing else helps"),
        ],
    )
    thickness: FloatProperty(name="Thicken", default=0.0, min=0.0, unit="LENGTH", description="Sheets become plates of this thickness; 0: they are closed otherwise")
    seed: IntProperty(name="Seed", default=0, min=0, description="Another number, other pieces")
    steps: IntProperty(name="Steps a second", default=120, min=24, max=2000, description="At least so many steps of the simulation in a second; fast and thin things need more")
    preview: BoolProperty(name="Preview", default=True, description="While it bakes, show in the 3D view what has been reached; the bake goes in six parts then, with the same result")
    use_constraints: BoolProperty(name="Constraints", default=True, description="Rigid body constraints between marked objects hold in the bake too: fixed, point and hinge")
    join: BoolProperty(name="Rigid bodies", description="Make the pieces rigid bodies of Blender, joined by fixed constraints that break")
    join_strength: FloatProperty(name="Hold", default=10.0, min=0.0, description="Impulse at which a constraint between two pieces breaks [N s]")


class BrittleObject(bpy.types.PropertyGroup):
    """What an object is in a bake."""

    role: EnumProperty(
        name="Role",
        items=[
            ("NONE", "None", "Takes no part"),
            ("BREAKABLE", "Breakable", "Moves and breaks"),
            ("BODY", "Body", "Moves and does not break; where it is animated it moves as animated"),
            ("GROUND", "Ground", "Stands still, things lie on it"),
            ("ANCHOR", "Anchor", "Holds what it touches: an empty holds the nearest object at its place, a mesh all objects it overlaps"),
            ("FORCE", "Force", "An empty that pushes everything within its radius"),
        ],
    )
    material: EnumProperty(name="Material", items=ALL, default="glass", description="Density, strength, friction and bounce")
    method: EnumProperty(
        name="Method",
        items=[
            ("SHATTER", "Shatter", "Cracks from the hit, fast"),
            ("CRACK", "Crack", "By fracture mechanics, a tenth of a second a break and more"),
            ("BONDS", "Bonds", "Cut into pieces beforehand, held together by bonds until they fail"),
        ],
    )
    pieces: IntProperty(name="Pieces", default=40, min=2, max=2000, description="At most so many in one break")
    generations: IntProperty(name="Generations", default=2, min=1, max=8, description="How many times in a row pieces break again")
    strength: FloatProperty(name="Strength", default=1.0, min=0.01, max=100.0, description="Factor on the material's strength")
    motion: EnumProperty(
        name="Motion",
        items=[
            ("FREE", "Free", "Falls and flies; begins with the velocity its animation has at the first frame"),
            ("ANIMATED", "Animated", "Goes on as animated and pushes what is in its way"),
            ("STATIC", "Static", "Held in place until it breaks"),
        ],
    )
    mass: FloatProperty(name="Mass", default=0.0, min=0.0, unit="MASS", description="0: volume times density")
    hold: EnumProperty(name="Hold", items=[("fixed", "Fixed", "No motion"), ("ball", "Ball", "Turns freely"), ("hinge", "Hinge", "Turns about the anchor's z axis")])
    break_force: FloatProperty(name="Break force", default=0.0, min=0.0, description="Force at which the anchor lets go; 0: never [N]")
    force: FloatProperty(name="Velocity", default=5.0, unit="VELOCITY", description="Velocity that things at the middle get, less with distance; negative pulls")
    force_radius: FloatProperty(name="Radius", default=1.0, min=0.0, unit="LENGTH", description="How far it reaches")
    force_frame: IntProperty(name="Frame", default=1, description="When it pushes")
    force_shape: EnumProperty(name="Shape", items=[("BLAST", "Blast", "Away from the empty"), ("WIND", "Push", "Along the empty's z axis")])


class BrittlePreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    program: StringProperty(name="Program", subtype="FILE_PATH", description="The file brittle (brittle.exe); empty: beside the add-on, else on the PATH")
    limit: FloatProperty(name="Time limit", default=0.0, min=0.0, description="Stop the program after so many seconds; 0: never [s]")

    def draw(self, context):
        self.layout.prop(self, "program")
        self.layout.prop(self, "limit")


classes = [BrittleTalk, BrittleScene, BrittleObject, BrittlePreferences]


def register():
    bpy.types.WindowManager.brittle = PointerProperty(type=BrittleTalk)
    bpy.types.Scene.brittle = PointerProperty(type=BrittleScene)
    bpy.types.Object.brittle = PointerProperty(type=BrittleObject)


def unregister():
    del bpy.types.WindowManager.brittle
    del bpy.types.Scene.brittle
    del bpy.types.Object.brittle
