# SPDX-License-Identifier: MIT
"""Breaks things: numpy arrays in, pieces out.

Begin here:

    import brittle

    vase = brittle.Mesh.model("vase")                    # or Mesh(positions, faces), or Mesh.load("vase.obj")
    pieces = vase.shatter(80, seed=7)                    # closed solids that fit together bit for bit
    pieces.masses, pieces.bonds                          # numpy arrays
    pieces.save("pieces.glb", explode=0.3)

    world = brittle.World()
    world.add_ground()
    world.add_breakable(vase, "porcelain", position=(0, 0, 1))
    recording = brittle.Recording(60)
    for _ in range(60):
        world.step(1 / 60)
        recording.capture(world)
    recording.save("vase.glb")                           # opens in Blender

What there is:

    Mesh           surfaces: arrays, files, check, mend, cut, booleans, shatter, blow, crack, tet, pictures
    TetMesh        solids of tetrahedra
    Material       presets by name ("glass", "porcelain"...); ImpactModel: would it break?
    World          bodies that collide and break, joints, rays, events as arrays; Shape, Body, Joint
    Scene, Run     scene files or dicts, played; Recording: .glb, .usda, .brec, pictures
    ElasticBody    displacements, stress, stress intensities along crack fronts
    collide, ccd   all pairs that meet, exactly; and when, while vertices move

Units are SI (m, kg, s, Pa, J), axes right-handed, angles in radians, quaternions x, y, z, w. The same input gives the
same bits on every machine, for any number of workers, and as of the program `brittle`. Calls that take long run on all
cores, let other Python threads run, stop at Ctrl-C, and take `progress=True`. Wrong input raises a subclass of
`brittle.Error` (or TypeError) whose text says what is wrong. docs/python.md is the manual.
"""

from ._call import (
    CanceledError,
    Error,
    FileError,
    FormatError,
    GeometryError,
    InputError,
    LimitError,
    OutOfMemoryError,
    Remark,
    StaleError,
    UnavailableError,
    UnsupportedError,
    ffi as _ffi,
    lib as _lib,
    set_workers,
    text_of as _text_of,
)
from ._records import (
    BreakStats,
    CrackStats,
    CutStats,
    ElasticStats,
    Impact,
    MassProperties,
    MendInfo,
    MeshCheck,
    NearestBody,
    RayHit,
    RepairCounts,
    ShapeHit,
    StepStats,
    SurfaceMaterial,
    TetInfo,
    TetMeshStats,
    WorldEnergy,
)
from .collision import Collision, Contacts, Tracker, ccd, collide, collide_boxes, moving_scene
from .elastic import ElasticBody
from .files import save
from .material import ImpactModel, Material, Strike, materials
from .mesh import Mesh, TetMesh, models
from .pictures import Picture, picture
from .pieces import Cracks, Cut, CutPiece, Piece, Shatter
from .recording import Recording, Run, Scene
from .world import Body, Joint, Shape, World

__version__ = _text_of(_lib.brGetVersion())

__all__ = [
    "Body", "BreakStats", "CanceledError", "Collision", "Contacts", "CrackStats", "Cracks", "Cut", "CutPiece", "CutStats",
    "ElasticBody", "ElasticStats", "Error", "FileError", "FormatError", "GeometryError", "Impact", "ImpactModel", "InputError",
    "Joint", "LimitError", "MassProperties", "Material", "MendInfo", "Mesh", "MeshCheck", "NearestBody", "OutOfMemoryError",
    "Picture", "Piece", "RayHit", "Recording", "Remark", "RepairCounts", "Run", "Scene", "Shape", "ShapeHit", "Shatter",
    "StaleError", "StepStats", "Strike", "SurfaceMaterial", "TetInfo", "TetMesh", "TetMeshStats", "Tracker", "UnavailableError",
    "UnsupportedError", "World", "WorldEnergy", "ccd", "collide", "collide_boxes", "info", "materials", "models", "moving_scene",
    "picture", "save", "set_workers",
]  # fmt: skip


def info() -> str:
    """Version, processor, and which optional parts this build has."""
    lines = [f"brittle {__version__}, {_lib.brGetCoreCount()} cores, {_text_of(_lib.brGetVectorPath())}"]
    for index in range(_lib.brGetCapabilityCount()):
        part = _lib.brGetCapability(index)
        lines.append(f"{_text_of(part.name)}: {'present' if part.isPresent else 'absent'}: {_text_of(part.gives)}")
    return "\n".join(lines)
