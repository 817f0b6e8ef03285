# SPDX-License-Identifier: MIT
"""Surfaces of polygons and solids of tetrahedra, with everything that can be done to one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _call, _records
from ._call import Array, Call, InputError, Progress, Vector, ffi, lib
from .material import AnyMaterial

if TYPE_CHECKING:
    from .pictures import Picture
    from .pieces import Cracks, Cut, Shatter

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class Mesh:
    """A surface of polygons. It never changes: what works on a mesh gives another one.

    >>> vase = brittle.Mesh.model("vase")
    >>> cube = brittle.Mesh(positions, faces)          # (n, 3) meters, (m, 3) or (m, 4) or lists of vertex numbers
    >>> brittle.Mesh.load("bunny.ply").mend()[0].shatter(50).save("pieces.glb")

    Arrays of a mesh are views of the library's memory, read-only and without a copy; they keep the mesh.

    Args:
        positions: (n, 3) [m].
        faces: (m, k) vertex numbers, counter-clockwise seen from outside; or a list of lists; or flat with `starts`.
        starts: (m + 1,) where each face begins in flat `faces`.
        uvs: (corners, 2), one for each corner of each face.
        normals: (corners, 3).
        colors: (n, 4) RGBA from 0 to 1.
        face_materials: (m,) index into `materials`, or -1.
        materials: Looks: SurfaceMaterial, or dicts of what differs from the default.
        face_groups: (m,) index into `groups`, or -1.
        groups: Names.
    """

    __slots__ = ("_pointer", "_owner", "_cache", "__weakref__")

    _pointer: Any
    _owner: Any
    _cache: Dict[str, Any]

    def __init__(
        self,
        positions: Any,
        faces: Any,
        *,
        starts: Any = None,
        uvs: Any = None,
        normals: Any = None,
        colors: Any = None,
        face_materials: Any = None,
        materials: Sequence[Any] = (),
        face_groups: Any = None,
        groups: Sequence[str] = (),
    ) -> None:
        points = _call.array_of(positions, "f8", 3, "positions")
        corners, begins = _faces(faces, starts)
        face_count = len(begins) - 1 if begins is not None else len(corners) // 3
        definition = ffi.new("brMeshDef*", lib.brDefaultMeshDef())
        definition.vertexCount, definition.faceCount = len(points), face_count
        definition.positions = _call.pointer(points, "brDVec3*")
        definition.corners = _call.pointer(corners, "int32_t*")
        definition.faceStarts = _call.pointer(begins, "int32_t*")
        kept = [points, corners, begins]
        for name, value, count, dtype, kind, columns in (
            ("uvs", uvs, len(corners), "f4", "brVec2*", 2),
            ("normals", normals, len(corners), "f4", "brVec3*", 3),
            ("colors", colors, len(points), "f4", "brVec4*", 4),
            ("faceMaterials", face_materials, face_count, "i4", "int32_t*", None),
            ("faceGroups", face_groups, face_count, "i4", "int32_t*", None),
        ):
            if value is not None:
                array = _call.array_of(value, dtype, columns, _call.snake(name))
                if len(array) != count:
                    raise InputError(f"{_call.snake(name)} has {len(array)} rows where {count} are needed")
                kept.append(array)
                setattr(definition, name, _call.pointer(array, kind))
        looks = ffi.new("brSurfaceMaterial[]", [_call.surface_struct(item, "materials") for item in materials])
        names = ffi.new("char[][64]", [_call.name_bytes(name, "groups") for name in groups])
        definition.materialCount, definition.groupCount = len(looks), len(names)
        definition.materials, definition.groupNames = looks if materials else ffi.NULL, names if groups else ffi.NULL
        out = ffi.new("brMesh**")
        with Call() as call:
            call.check(lib.brCreateMesh(call.context, definition, out, call.report))
        self._take(out[0])

    def _take(self, pointer: Any, owner: Any = None) -> "Mesh":
        """Owns what C made; or shows what `owner` owns."""
        self._pointer = ffi.gc(pointer, lib.brDestroyMesh) if owner is None else pointer
        self._owner = owner
        self._cache = {}
        return self

    @classmethod
    def _of(cls, pointer: Any, owner: Any = None) -> "Mesh":
        return cls.__new__(cls)._take(pointer, owner)

    # Where meshes come from

    @classmethod
    def load(cls, path: Union[str, Path]) -> "Mesh":
        """Reads a file, all its parts as one surface: .obj .ply .stl .off .glb .gltf .msh .vtk .vtu .mesh and others."""
        name = _call.path_bytes(path)
        out = ffi.new("brMesh**")
        with Call() as call:
            call.check(lib.brLoadMesh(call.context, name, out, call.report))
        return cls._of(out[0])

    @classmethod
    def model(cls, name: str, resolution: int = 0, seed: int = 0, **parameters: float) -> "Mesh":
        """A built-in model, z up, standing on z = 0, in meters: "vase", "statue"... `brittle.models()` lists them.

        Args:
            resolution: Segments round the model; triangles grow with its square. 0: the model's default.
            seed: For models with noise.
            parameters: Sizes by name, such as `height=0.3`; each model has its own.
        """
        if not isinstance(name, str):
            raise TypeError(f"the model is a name, not {name!r}")
        kept = ffi.new("char[]", name.encode("utf-8"))
        definition = ffi.new("brModelDef*", lib.brDefaultModelDef(kept))
        definition.resolution = _call.integer(resolution, "resolution")
        definition.seed = _call.integer(seed, "seed", 0, 2**64 - 1)
        for parameter, value in parameters.items():
            if not lib.brModelDef_SetParameter(definition, parameter.encode(), _call.number(value, parameter)):
                raise InputError(_parameter_fault(name, parameter, value))
        out = ffi.new("brMesh**")
        with Call() as call:
            call.check(lib.brMakeModel(call.context, definition, out, call.report))
        return cls._of(out[0])

    @classmethod
    def of(cls, thing: Any) -> "Mesh":
        """A Mesh itself, a path, or an object with `vertices` and `faces`, as trimesh and others have it."""
        return as_mesh(thing)

    @classmethod
    def merge(cls, meshes: Iterable["Mesh"]) -> "Mesh":
        """One mesh out of many, in order."""
        items = [as_mesh(mesh) for mesh in meshes]
        out = ffi.new("brMesh**")
        with Call() as call:
            pointers = ffi.new("brMesh*[]", [mesh._pointer for mesh in items])
            call.check(lib.brMergeMeshes(call.context, pointers, len(items), out, call.report))
        return cls._of(out[0])

    def save(self, path: Union[str, Path], **options: Any) -> None:
        """Writes a file; the ending decides the format. It appears complete or not at all. See `brittle.save`."""
        name = _call.path_bytes(path)
        definition = _call.definition("brSaveDef", options, "save")
        with Call() as call:
            call.check_saved(lib.brSaveMesh(call.context, self._pointer, name, definition, call.report))

    # Arrays

    def _view(self, member: str, count: int, columns: int, dtype: str) -> Optional[Array]:
        if member not in self._cache:
            memory = getattr(self._pointer, member)
            shape = (count, columns) if columns > 1 else (count,)
            self._cache[member] = _call.view((self._pointer, self._owner), memory, shape, dtype) if memory or not count else None
        found: Optional[Array] = self._cache[member]
        return found

    @property
    def positions(self) -> Floats:
        """(n, 3) vertices. [m]"""
        found = self._view("positions", self._pointer.vertexCount, 3, "f8")
        assert found is not None
        return found

    @property
    def corners(self) -> Indices:
        """(corners,) vertices of all faces, one face after the other."""
        found = self._view("corners", self._pointer.cornerCount, 1, "i4")
        assert found is not None
        return found

    @property
    def starts(self) -> Indices:
        """(m + 1,) where each face begins in `corners`."""
        found = self._view("faceStarts", self._pointer.faceCount + 1, 1, "i4")
        assert found is not None
        return found

    @property
    def faces(self) -> Indices:
        """(m, k) vertices of the faces, if all have the same number; a view. Else see `triangles`, or `corners`."""
        sizes = np.diff(self.starts)
        if len(sizes) and not (sizes == sizes[0]).all():
            raise InputError("the faces have different numbers of corners: take triangles, or corners and starts")
        return self.corners.reshape(len(sizes), int(sizes[0]) if len(sizes) else 3)

    @property
    def triangles(self) -> Indices:
        """(t, 3) vertices of the faces split into triangles."""
        return self.corners[self._triangulation()[0]]

    @property
    def triangle_faces(self) -> Indices:
        """(t,) the face that each triangle is part of."""
        return self._triangulation()[1]

    def _triangulation(self) -> Tuple[Indices, Indices]:
        if "triangles" not in self._cache:
            out = ffi.new("brTriangulation**")
            with Call() as call:
                call.check(lib.brTriangulateMesh(call.context, self._pointer, out, call.report))
            owner = ffi.gc(out[0], lib.brDestroyTriangulation)
            count = owner.triangleCount
            self._cache["triangles"] = (_call.view(owner, owner.corners, (count, 3), "i4"), _call.view(owner, owner.faces, (count,), "i4"))
        found: Tuple[Indices, Indices] = self._cache["triangles"]
        return found

    @property
    def uvs(self) -> Optional[Array]:
        """(corners, 2), or None."""
        return self._view("uvs", self._pointer.cornerCount, 2, "f4")

    @property
    def normals(self) -> Optional[Array]:
        """(corners, 3), or None."""
        return self._view("normals", self._pointer.cornerCount, 3, "f4")

    @property
    def colors(self) -> Optional[Array]:
        """(n, 4) RGBA, or None."""
        return self._view("colors", self._pointer.vertexCount, 4, "f4")

    @property
    def face_materials(self) -> Optional[Indices]:
        """(m,) index into `materials`, -1 for none; or None."""
        return self._view("faceMaterials", self._pointer.faceCount, 1, "i4")

    @property
    def face_groups(self) -> Optional[Indices]:
        """(m,) index into `groups`, -1 for none; or None."""
        return self._view("faceGroups", self._pointer.faceCount, 1, "i4")

    @property
    def materials(self) -> List[_records.SurfaceMaterial]:
        """How faces look."""
        return [_call.record(_records.SurfaceMaterial, self._pointer.materials[i]) for i in range(self._pointer.materialCount)]

    @property
    def groups(self) -> List[str]:
        """Names of groups and objects of the file."""
        return [_call.text_of(self._pointer.groupNames[i]) for i in range(self._pointer.groupCount)]

    def __len__(self) -> int:
        """Number of faces."""
        return int(self._pointer.faceCount)

    # What it is

    @property
    def bounds(self) -> Floats:
        """(2, 3) lower and upper corner of the box around it. [m]"""
        box = lib.brMesh_ComputeBounds(self._pointer)
        return np.array((_call.vector(box.lower), _call.vector(box.upper)))

    @property
    def area(self) -> float:
        """[m^2]"""
        return float(lib.brMesh_ComputeArea(self._pointer))

    @property
    def volume(self) -> float:
        """Of the solid inside; negative if it is inside out, without meaning if it is open. [m^3]"""
        return float(lib.brMesh_ComputeMass(self._pointer, 1.0).volume)

    def mass(self, material: Union[AnyMaterial, float] = 1000.0) -> _records.MassProperties:
        """Mass, center and inertia of the solid inside, by a material or a density [kg/m^3]."""
        is_number = isinstance(material, (int, float, np.number)) and not isinstance(material, bool)
        density = _call.number(material, "density") if is_number else _call.material_struct(material).density
        if not 0.0 < density < np.inf:
            raise InputError(f"the density is above 0 and finite, not {density}")
        return _call.record(_records.MassProperties, lib.brMesh_ComputeMass(self._pointer, density))

    def check(self, *, find_self_intersections: bool = True) -> _records.MeshCheck:
        """Is it a clean closed solid? `verdict` says in one sentence what is wrong first."""
        definition = _call.definition("brMeshCheckDef", {"find_self_intersections": find_self_intersections}, "check")
        out = ffi.new("brMeshCheck*")
        with Call() as call:
            call.check(lib.brMesh_Check(self._pointer, call.context, definition, out, call.report))
        return _call.record(_records.MeshCheck, out)

    @property
    def is_closed(self) -> bool:
        """Every edge is run along as often one way as the other: it bounds something."""
        return len(self) > 0 and bool(lib.brSurfaceTree_IsClosed(self._tree()))

    @property
    def is_solid(self) -> bool:
        """Closed, oriented, manifold, with a volume and without self-crossings."""
        return self.check().is_solid

    # Other meshes from it

    def transform(self, matrix: Any = None, *, translate: Any = None, rotate: Any = None, scale: Any = None) -> "Mesh":
        """Moved: by a 3 x 3, 3 x 4 or 4 x 4 matrix, or scaled (a number or three), turned (x, y, z, w), then shifted [m]."""
        linear, shift = _affine(matrix, translate, rotate, scale)
        copy = self._copy()
        affine = ffi.new("brAffine*")
        affine.m = tuple(tuple(float(v) for v in linear[:, c]) for c in range(3))
        affine.p = tuple(float(v) for v in shift)
        lib.brMesh_Transform(copy, affine)
        moved = Mesh._of(copy)
        _call.finite(moved.positions, "the moved mesh")
        return moved

    def _copy(self) -> Any:
        out = ffi.new("brMesh**")
        with Call() as call:
            call.check(lib.brCopyMesh(call.context, self._pointer, out, call.report))
        return out[0]

    @_call.with_options("brRepairDef")
    def repair(self, **options: Any) -> Tuple["Mesh", _records.RepairCounts]:
        """Welds, orients, drops what is flat or double; fills no holes. The repaired mesh, and what was done."""
        definition = _call.definition("brRepairDef", options, "repair")
        out, counts = ffi.new("brMesh**"), ffi.new("brRepairCounts*")
        with Call() as call:
            call.check(lib.brRepairMesh(call.context, self._pointer, definition, out, counts, call.report))
        return Mesh._of(out[0]), _call.record(_records.RepairCounts, counts)

    @_call.with_options("brMendDef")
    def mend(self, *, progress: Progress = None, **options: Any) -> Tuple["Mesh", _records.MendInfo]:
        """Whatever is dirty or open as a clean closed solid, and what was done: `solid, info = mesh.mend()`."""
        definition = _call.definition("brMendDef", options, "mend")
        out, info = ffi.new("brMesh**"), ffi.new("brMendInfo*")
        with Call(progress) as call:
            call.check(lib.brMendMesh(call.context, self._pointer, definition, out, info, call.report))
        return Mesh._of(out[0]), _call.record(_records.MendInfo, info)

    def separate(self) -> List["Mesh"]:
        """Its connected solids, each with the cavities inside it."""
        from .pieces import Cut

        out = ffi.new("brCutResult**")
        with Call() as call:
            call.check(lib.brSeparateMesh(call.context, self._pointer, out, call.report))
        return [piece.mesh for piece in Cut(out[0])]

    def resolve(self) -> List["Mesh"]:
        """The clean solids that a closed mesh bounds which crosses or overlaps itself."""
        from .pieces import Cut

        out = ffi.new("brCutResult**")
        with Call() as call:
            call.check(lib.brResolveMesh(call.context, self._pointer, ffi.NULL, out, call.report))
        return [piece.mesh for piece in Cut(out[0])]

    # Cutting

    @_call.with_options("brCutDef")
    def cut(self, cutter: Any, op: str = "split", *, progress: Progress = None, **options: Any) -> "Cut":
        """Cuts by a mesh or by several at once, exactly. A cutter may be open; it may cross itself.

        Args:
            cutter: A mesh, or a list of meshes.
            op: "split", "union", "intersection", "difference", "surface" or "fill".
            progress: True for a bar, or a function of the share that is done.
        """
        from .pieces import Cut

        cutters = [as_mesh(item) for item in (cutter if isinstance(cutter, (list, tuple)) else [cutter])]
        definition = _call.definition("brCutDef", {"op": op, **options}, "cut")
        out = ffi.new("brCutResult**")
        with Call(progress) as call:
            pointers = ffi.new("brMesh*[]", [mesh._pointer for mesh in cutters])
            call.check(lib.brCutMeshByMany(call.context, self._pointer, pointers, len(cutters), definition, out, call.report))
        return Cut(out[0])

    @_call.with_options("brCutDef")
    def cut_plane(self, point: Vector, normal: Vector, **options: Any) -> "Cut":
        """Splits by the plane through `point` [m] across `normal`. `piece.side` is 1 where the normal points to."""
        from .pieces import Cut

        definition = _call.definition("brCutDef", options, "cut_plane")
        out = ffi.new("brCutResult**")
        at, across = _call.vec3(point, "point"), _call.vec3(normal, "normal")
        with Call() as call:
            call.check(lib.brCutMeshByPlane(call.context, self._pointer, at, across, definition, out, call.report))
        return Cut(out[0])

    def _boolean(self, other: Any, op: str) -> "Mesh":
        return Mesh.merge(piece.mesh for piece in self.cut(as_mesh(other), op))

    def __or__(self, other: "Mesh") -> "Mesh":
        """a | b: what is in either."""
        return self._boolean(other, "union") if isinstance(other, Mesh) else NotImplemented

    def __and__(self, other: "Mesh") -> "Mesh":
        """a & b: what is in both."""
        return self._boolean(other, "intersection") if isinstance(other, Mesh) else NotImplemented

    def __sub__(self, other: "Mesh") -> "Mesh":
        """a - b: a without b."""
        return self._boolean(other, "difference") if isinstance(other, Mesh) else NotImplemented

    # Breaking

    @_call.with_options("brSiteDef")
    def sites(
        self,
        count: int = 100,
        pattern: str = "uniform",
        *,
        seed: int = 0,
        density: Optional[Callable[[Floats], float]] = None,
        image: Any = None,
        progress: Progress = None,
        **options: Any,
    ) -> Floats:
        """(k, 3) points inside, one for each piece of `shatter`. [m]

        Args:
            count: At most so many.
            pattern: "uniform", "clustered", "radial", "grid", "slices" or "density".
            seed: Equal seeds give equal sites.
            density: A function of a point that says how likely a site is there, 0 to 1.
            image: (rows, columns) numbers from 0 to 1 laid over the model's box, instead of `density`.
            progress: True for a bar, or a function of the share that is done.
        """
        if density is not None or image is not None:
            pattern = "density"
        whole = _call.integer(count, "count", 1, 10_000_000)
        definition = _call.definition("brSiteDef", {"pattern": pattern, "count": whole, "seed": seed, **options}, "sites")
        if options.get("at") is None and pattern in ("clustered", "radial"):  # as the program has it: the middle
            definition.at = tuple(float(v) for v in 0.5 * self.bounds.sum(axis=0))
        out, number = np.empty((whole, 3)), ffi.new("int32_t*")
        with Call(progress) as call:
            kept: List[Any] = []
            if image is not None:
                picture = np.ascontiguousarray(_call.array_of(image, "f4", np.shape(image)[-1] if np.ndim(image) == 2 else 1, "image"))
                kept.append(picture)
                definition.image = _call.pointer(picture, "float*")
                definition.imageHeight, definition.imageWidth = picture.shape
            if density is not None:
                kept.append(_call.PointFunction(density, call, "density"))
                definition.density, definition.densityUser = lib.brPython_Density, kept[-1].handle
            memory = _call.pointer(out, "brDVec3*")
            call.check(lib.brMakeSites(call.context, self._pointer, definition, memory, number, call.report))
        return out[: number[0]].copy()

    @_call.with_options("brShatterDef")
    def shatter(
        self,
        pieces: int = 100,
        pattern: str = "uniform",
        *,
        seed: int = 0,
        sites: Any = None,
        groups: Any = None,
        at: Optional[Vector] = None,
        progress: Progress = None,
        **options: Any,
    ) -> "Shatter":
        """Breaks a closed mesh into closed pieces that fit together bit for bit: Voronoi cells of sites.

        Args:
            pieces: How many sites.
            pattern: How they are spread, as in `sites`.
            seed: Equal seeds give equal pieces.
            sites: (k, 3) sites of your own instead of a pattern. [m]
            groups: (k,) cells of sites with the same number of 0 or more stay together.
            at: The impact, for "clustered" and "radial"; the middle by default. [m]
            progress: True for a bar, or a function of the share that is done.
        """
        from .pieces import Shatter

        points = self.sites(pieces, pattern, seed=seed, at=at) if sites is None else _call.array_of(sites, "f8", 3, "sites")
        options.setdefault("roughness_seed", seed)
        definition = _call.definition("brShatterDef", options, "shatter")
        definition.sites, definition.siteCount = _call.pointer(points, "brDVec3*"), len(points)
        together = None if groups is None else _call.array_of(groups, "i4", None, "groups")
        if together is not None:
            if len(together) != len(points):
                raise InputError(f"groups has {len(together)} rows where {len(points)} sites are")
            definition.groups = _call.pointer(together, "int32_t*")
        out = ffi.new("brShatter**")
        with Call(progress) as call:
            call.check(lib.brCreateShatter(call.context, self._pointer, definition, out, call.report))
        return Shatter(out[0])

    @_call.with_options("brCascadeDef", "material", "at", "direction", "energy")
    def blow(
        self,
        material: AnyMaterial = "glass",
        *,
        at: Optional[Vector] = None,
        direction: Vector = (0.0, 0.0, -1.0),
        energy: float = -1.0,
        pieces: int = 100,
        seed: int = 0,
        progress: Progress = None,
        **options: Any,
    ) -> "Shatter":
        """Breaks by a blow: cracks run from the hit as far as the energy lasts.

        Args:
            material: What it is made of.
            at: Where it is hit; moved to the nearest point of the surface. The middle by default. [m]
            direction: Of the blow.
            energy: That makes cracks; below 0: what about `pieces` pieces take. [J]
            pieces: No more than about so many.
            seed: Equal seeds give equal pieces.
            progress: True for a bar, or a function of the share that is done.
        """
        from .pieces import Shatter

        middle = 0.5 * self.bounds.sum(axis=0) if at is None else at
        chosen = {"material": material, "at": middle, "direction": direction, "energy": energy, "pieces": pieces, "seed": seed}
        definition = _call.definition("brCascadeDef", {**chosen, **options}, "blow")
        out = ffi.new("brShatter**")
        with Call(progress) as call:
            call.check(lib.brCreateCascade(call.context, self._pointer, definition, out, call.report))
        return Shatter(out[0])

    @_call.with_options("brCrackDef", "material", "hit", "impulse")
    def crack(
        self,
        material: AnyMaterial = "glass",
        *,
        hit: Optional[Vector] = None,
        impulse: Optional[Vector] = None,
        forces: Sequence[Tuple[Vector, Vector]] = (),
        supports: Sequence[Any] = (),
        pressures: Sequence[Any] = (),
        given: Sequence["Mesh"] = (),
        strength: Optional[Callable[[Floats], float]] = None,
        swelling: Optional[Callable[[Floats], float]] = None,
        progress: Progress = None,
        **options: Any,
    ) -> "Cracks":
        """Breaks by fracture mechanics: a load makes stress, stress starts cracks, cracks grow, the mesh is cut.

        Args:
            material: What it is made of.
            hit: Where an impact acts. [m]
            impulse: Of that impact. [N s]
            forces: (point [m], force [N]) each.
            supports: Boxes ((lower, upper)) whose nodes are held, or (box, axes) with axes such as "xz".
            pressures: (box, pressure [Pa]) each, pushing inward.
            given: Cracks that are there, as open meshes.
            strength: A function of a point: factor on strength and toughness there.
            swelling: A function of a point: free strain there, expansion times temperature.
            progress: True for a bar, or a function of the share that is done.
        """
        from .pieces import Cracks

        definition = _call.definition("brCrackDef", {"material": material, "hit": hit, "impulse": impulse, **options}, "crack")
        surfaces = [as_mesh(item) for item in given]
        load = [ffi.new("brCrackForce[]", [(_call.vec3(p, "forces"), _call.vec3(f, "forces")) for p, f in forces]),
                ffi.new("brCrackSupport[]", [_support(item) for item in supports]),
                ffi.new("brCrackPressure[]", [(_call.box_of(b, "pressures"), _call.number(p, "pressures")) for b, p in pressures]),
                ffi.new("brMesh*[]", [mesh._pointer for mesh in surfaces])]  # fmt: skip
        for name, items in zip(("force", "support", "pressure"), load):
            setattr(definition, name + "s", items if len(items) else ffi.NULL)
            setattr(definition, name + "Count", len(items))
        definition.given, definition.givenCount = load[3] if surfaces else ffi.NULL, len(surfaces)
        out = ffi.new("brCracks**")
        with Call(progress) as call:
            kept = []
            if strength is not None:
                kept.append(_call.PointFunction(strength, call, "strength"))
                definition.strength, definition.strengthUser = lib.brPython_Strength, kept[-1].handle
            if swelling is not None:
                kept.append(_call.PointFunction(swelling, call, "swelling"))
                definition.swelling, definition.swellingUser = lib.brPython_Swelling, kept[-1].handle
            call.check(lib.brCreateCracks(call.context, self._pointer, definition, out, call.report))
        return Cracks(out[0])

    # Volumes

    @_call.with_options("brTetDef")
    def tet(self, tets: int = 10000, *, progress: Progress = None, **options: Any) -> "TetMesh":
        """Fills it with tetrahedra, about `tets` of them; or of cells of `edge` [m] if `tets` is 0."""
        definition = _call.definition("brTetDef", {"target_tets": 0 if "edge" in options else tets, **options}, "tet")
        out = ffi.new("brTetMesh**")
        info = ffi.gc(ffi.new("brTetInfo*"), lib.brFreeTetInfo)
        with Call(progress) as call:
            call.check(lib.brMakeTetMesh(call.context, self._pointer, definition, out, info, call.report))
        mesh = TetMesh._of(out[0])
        mesh.info = _call.record(_records.TetInfo, info)
        mesh.fills = _call.copied(info.fills, info.fillCount, "f8") if info.fillCount else None
        return mesh

    def _tree(self) -> Any:
        if "tree" not in self._cache:
            out = ffi.new("brSurfaceTree**")
            with Call() as call:
                call.check(lib.brCreateSurfaceTree(call.context, self._pointer, out, call.report))
            self._cache["tree"] = ffi.gc(out[0], lib.brDestroySurfaceTree)
        return self._cache["tree"]

    def winding(self, points: Any) -> Floats:
        """Winding number of each point: 1 inside, 0 outside, between where there are holes."""
        places = _call.array_of(points, "f8", 3, "points")
        out = np.empty(len(places))
        with Call() as call:
            lib.brSurfaceTree_ComputeWinding(
                self._tree(), call.context, _call.pointer(places, "brDVec3*"), len(places), _call.pointer(out, "double*")
            )
        return out

    def contains(self, points: Any) -> npt.NDArray[np.bool_]:
        """Whether each point is inside: exact for a closed mesh, by the winding number for others."""
        places = _call.array_of(points, "f8", 3, "points")
        if not lib.brSurfaceTree_IsClosed(self._tree()):
            return self.winding(places) > 0.5
        out = np.empty(len(places), np.int32)
        with Call() as call:
            lib.brSurfaceTree_CountCrossings(
                self._tree(), call.context, _call.pointer(places, "brDVec3*"), len(places), _call.pointer(out, "int32_t*")
            )
        return out > 0

    def closest(self, points: Any) -> Array:
        """The closest point of the surface to each point: fields distance [m], point, triangle, face, feature."""
        places = _call.array_of(points, "f8", 3, "points")
        out: Array = np.empty(len(places), _call.dtype_of("brClosestPoint"))
        with Call() as call:
            memory = _call.pointer(out, "brClosestPoint*")
            lib.brSurfaceTree_FindClosest(self._tree(), call.context, _call.pointer(places, "brDVec3*"), len(places), memory)
        return out

    def thickness(self, quantiles: int = 11) -> Floats:
        """How thick the solid is: value i is what a share i / (quantiles - 1) of the area does not exceed. [m]"""
        out = np.empty(_call.integer(quantiles, "quantiles", 1, 1_000_000))
        with Call() as call:
            lib.brSurfaceTree_MeasureThickness(self._tree(), call.context, len(out), _call.pointer(out, "double*"))
        return out

    # What people see

    def picture(self, width: int = 640, height: int = 480, **options: Any) -> "Picture":
        """A picture as an array of RGBA bytes; see `brittle.picture`."""
        from .pictures import picture

        return picture(self, width, height, **options)

    def __repr__(self) -> str:
        size = self.bounds[1] - self.bounds[0] if len(self) else np.zeros(3)
        return f"<brittle.Mesh: {len(self.positions)} vertices, {len(self)} faces, {size[0]:.3g} x {size[1]:.3g} x {size[2]:.3g} m>"

    def _repr_html_(self) -> str:
        from .pictures import show_html

        return show_html(self, repr(self)[1:-1])

    # Copies

    def __reduce__(self) -> Tuple[Any, ...]:
        looks = [{name: getattr(item, name) for name in _call.members("brSurfaceMaterial")} for item in self.materials]
        names = ("uvs", "normals", "colors", "face_materials", "face_groups")
        arrays = {name: None if getattr(self, name) is None else np.array(getattr(self, name)) for name in names}
        state = {"starts": np.array(self.starts), "materials": looks, "groups": self.groups, **arrays}
        return _unpickle, (np.array(self.positions), np.array(self.corners), state)


def _unpickle(positions: Floats, corners: Indices, state: Dict[str, Any]) -> Mesh:
    return Mesh(positions, corners, **state)


def as_mesh(thing: Any) -> Mesh:
    """A Mesh, a path, or an object with `vertices` and `faces`."""
    if isinstance(thing, Mesh):
        if not hasattr(thing, "_pointer"):
            raise InputError("this mesh was never made: its class does not call Mesh.__init__")
        return thing
    if isinstance(thing, (str, Path)):
        return Mesh.load(thing)
    vertices, faces = getattr(thing, "vertices", None), getattr(thing, "faces", None)
    if vertices is None or faces is None:
        raise TypeError(f"a mesh is a Mesh, a path, or an object with vertices and faces, not {_call.shown(thing)}")
    return Mesh(np.asarray(vertices), np.asarray(faces))


def _faces(faces: Any, starts: Any) -> Tuple[Indices, Optional[Indices]]:
    """Flat corners, and where each face begins; None: all are triangles."""
    if starts is not None:
        begins = _call.array_of(starts, "i4", None, "starts")
        corners = _call.array_of(faces, "i4", None, "faces")
        if len(begins) == 0 or begins[0] != 0 or begins[-1] != len(corners):
            raise InputError(f"starts begins with 0 and ends with the number of corners, {len(corners)}")
        return corners, begins
    if isinstance(faces, (list, tuple)) and len({np.size(face) for face in faces}) > 1:
        sizes = np.array([np.size(face) for face in faces])
        if sizes.min() < 3:
            raise InputError(f"face {int(sizes.argmin())} has {sizes.min()} corners; a face has three or more")
        flat = _call.array_of(np.concatenate([np.atleast_1d(np.asarray(face)) for face in faces]), "i4", None, "faces")
        return flat, np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    array = np.asarray(faces)
    columns = array.shape[1] if array.ndim == 2 and array.size else 3
    table = _call.array_of(faces, "i4", columns, "faces")
    if columns < 3:
        raise InputError(f"a face has three corners or more, not {columns}")
    if columns == 3:
        return table.reshape(-1), None
    return table.reshape(-1), np.arange(0, table.size + 1, columns, dtype=np.int32)


def _affine(matrix: Any, translate: Any, rotate: Any, scale: Any) -> Tuple[Floats, Floats]:
    if matrix is not None:
        if not (translate is None and rotate is None and scale is None):
            raise InputError("give a matrix, or translate, rotate and scale, not both")
        table = np.asarray(matrix, "f8")
        if table.shape not in ((3, 3), (3, 4), (4, 4)):
            raise InputError(f"the matrix is 3 x 3, 3 x 4 or 4 x 4, not of shape {table.shape}")
        _call.finite(table, "the matrix")
        return table[:3, :3], table[:3, 3] if table.shape[1] == 4 else np.zeros(3)
    x, y, z, w = _call.quaternion((0, 0, 0, 1) if rotate is None else rotate, "rotate")
    turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])  # fmt: skip
    factors = np.ones(3) if scale is None else np.array(_call.vec3(np.broadcast_to(np.asarray(scale), 3), "scale"))
    return turn * factors, np.array(_call.vec3((0, 0, 0) if translate is None else translate, "translate"))


def _support(item: Any) -> Tuple[Any, ...]:
    """A box, or (box, axes, shift): axes are letters or bits."""
    try:
        has_axes = isinstance(item[1], (str, int))
    except (TypeError, IndexError, KeyError):
        raise TypeError(f"a support is a box, or (box, axes), not {_call.shown(item)}") from None
    box, axes = (item[0], item[1]) if has_axes else (item, 7)
    bits = sum({"x": 1, "y": 2, "z": 4}.get(letter, 8) for letter in set(axes)) if isinstance(axes, str) else axes
    if not 1 <= bits <= 7:
        raise InputError(f"axes of a support are letters of xyz, not {axes!r}")
    shift = _call.vec3(item[2], "the shift of a support") if has_axes and len(item) > 2 else (0.0, 0.0, 0.0)
    return _call.box_of(box, "supports"), bits, shift


def _parameter_fault(model: str, parameter: str, value: float) -> str:
    for info in models():
        if info["name"] == model:
            for known in info["parameters"]:
                if known.name == parameter:
                    return f"{parameter} of {model} goes from {known.lower} to {known.upper} {known.unit}, not {value}"
            return f"{model} has no {parameter!r}; it has {', '.join(p.name for p in info['parameters'])}"
    return f"there is no model {model!r}; there are {', '.join(info['name'] for info in models())}"


def models() -> List[Dict[str, Any]]:
    """The built-in models: name, description, resolution, parameters with their units and ranges."""
    out = []
    for index in range(lib.brGetModelCount()):
        info = lib.brGetModelInfo(index)
        parameters = [_call.record(_records.ModelParameter, info.parameters[i]) for i in range(info.parameterCount)]
        name, description = _call.text_of(info.name), _call.text_of(info.description)
        out.append({"name": name, "description": description, "resolution": int(info.resolution), "parameters": parameters})
    return out


class TetMesh:
    """A solid of tetrahedra; constant like a Mesh.

    Args:
        nodes: (n, 3) [m].
        tets: (m, 4) node numbers; (b-a) x (c-a) . (d-a) > 0.

    Attributes:
        info: How `Mesh.tet` made it, or None.
        fills: (m,) share of each tet that is inside, after `Mesh.tet(embed=True)`; else None.
    """

    info: Optional[_records.TetInfo]
    fills: Optional[Floats]

    def __init__(self, nodes: Any, tets: Any) -> None:
        points, cells = _call.array_of(nodes, "f8", 3, "nodes"), _call.array_of(tets, "i4", 4, "tets")
        definition = ffi.new("brTetMeshDef*", lib.brDefaultTetMeshDef())
        definition.nodeCount, definition.tetCount = len(points), len(cells)
        definition.nodes, definition.tets = _call.pointer(points, "brDVec3*"), _call.pointer(cells, "int32_t(*)[4]")
        out = ffi.new("brTetMesh**")
        with Call() as call:
            call.check(lib.brCreateTetMesh(call.context, definition, out, call.report))
        self._take(out[0])

    def _take(self, pointer: Any) -> "TetMesh":
        self._pointer = ffi.gc(pointer, lib.brDestroyTetMesh)
        self.info, self.fills = None, None
        return self

    @classmethod
    def _of(cls, pointer: Any) -> "TetMesh":
        return cls.__new__(cls)._take(pointer)

    @classmethod
    def load(cls, path: Union[str, Path]) -> "TetMesh":
        """The tetrahedra of a .msh, .vtk, .vtu, .mesh or TetGen file."""
        name = _call.path_bytes(path)
        out = ffi.new("brTetMesh**")
        with Call() as call:
            call.check(lib.brLoadTetMesh(call.context, name, out, call.report))
        return cls._of(out[0])

    def save(self, path: Union[str, Path], **options: Any) -> None:
        """Writes a file by its ending: .msh, .vtk, .mesh, .node."""
        name, definition = _call.path_bytes(path), _call.definition("brSaveDef", options, "save")
        with Call() as call:
            call.check_saved(lib.brSaveTetMesh(call.context, self._pointer, name, definition, call.report))

    @property
    def nodes(self) -> Floats:
        """(n, 3) [m]"""
        return _call.view(self._pointer, self._pointer.nodes, (self._pointer.nodeCount, 3), "f8")

    @property
    def tets(self) -> Indices:
        """(m, 4) node numbers."""
        return _call.view(self._pointer, self._pointer.tets, (self._pointer.tetCount, 4), "i4")

    def __len__(self) -> int:
        """Number of tets."""
        return int(self._pointer.tetCount)

    @property
    def volume(self) -> float:
        """Sum of signed volumes. [m^3]"""
        return self.check().volume

    def check(self) -> _records.TetMeshStats:
        """Counts what is wrong with it."""
        out = ffi.new("brTetMeshStats*")
        with Call() as call:
            call.check(lib.brTetMesh_Check(self._pointer, call.context, out, call.report))
        return _call.record(_records.TetMeshStats, out)

    def surface(self) -> Mesh:
        """Its boundary; vertices in the order of the nodes."""
        out = ffi.new("brMesh**")
        with Call() as call:
            call.check(lib.brTetMesh_MakeSurface(self._pointer, call.context, out, call.report))
        return Mesh._of(out[0])

    @property
    def boundary(self) -> Indices:
        """(k, 3) node numbers of the faces of one tet, outward for positive tets."""
        faces = self.tets[:, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]].reshape(-1, 3)
        _, first, counts = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
        outer: Indices = faces[np.sort(first[counts == 1])]
        return outer

    def locate(self, points: Any, *, nearest: bool = False) -> Array:
        """The tet around each point, or the nearest one: fields tet, weights, distance [m]."""
        places = _call.array_of(points, "f8", 3, "points")
        out: Array = np.empty(len(places), _call.dtype_of("brTetPoint"))
        made = ffi.new("brTetLocator**")
        with Call() as call:
            call.check(lib.brCreateTetLocator(call.context, self._pointer, made, call.report))
            locator = ffi.gc(made[0], lib.brDestroyTetLocator)
            find = lib.brTetLocator_Embed if nearest else lib.brTetLocator_Find
            find(locator, call.context, _call.pointer(places, "brDVec3*"), len(places), _call.pointer(out, "brTetPoint*"))
        return out

    def __repr__(self) -> str:
        return f"<brittle.TetMesh: {len(self.nodes)} nodes, {len(self)} tets>"

    def __reduce__(self) -> Tuple[Any, ...]:
        return TetMesh, (np.array(self.nodes), np.array(self.tets))
