# SPDX-License-Identifier: MIT
"""Small elastic deformation of a solid with cracks: displacements, stress, stress intensities along crack fronts."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _call, _records
from ._call import Array, Call, InputError, Progress, Vector, ffi, lib
from .material import AnyMaterial
from .mesh import Floats, Mesh, TetMesh


class ElasticBody(_call.Unpicklable):
    """An elastic solid of tetrahedra, with cracks that need not follow them.

    >>> body = brittle.ElasticBody(block, "glass")
    >>> body.set_cracks([penny])                          # open meshes; their borders inside the solid are fronts
    >>> body.set_supports(bottom_nodes)
    >>> body.solve(tractions=(top_triangles, (0, 0, 1e6)))
    >>> body.fronts(0)["intensity"][:, 0]                 # K I along the front [Pa m^0.5]

    Args:
        tets: The solid.
        material: Gives Young's modulus, Poisson's ratio and density.
        stiffnesses: (tets,) factor on Young's modulus, or None: 1 everywhere.
    """

    def __init__(self, tets: TetMesh, material: AnyMaterial = "glass", *, stiffnesses: Any = None, **options: Any) -> None:
        if not isinstance(tets, TetMesh):
            raise TypeError(f"tets is a brittle.TetMesh, not {_call.shown(tets)}")
        solid = _call.material_struct(material)
        chosen = {"youngs_modulus": solid.youngsModulus, "poisson_ratio": solid.poissonRatio, "density": solid.density}
        definition = _call.definition("brElasticDef", {**chosen, **options}, "ElasticBody")
        definition.mesh = tets._pointer
        fills = tets.fills
        if fills is not None:
            definition.fills = _call.pointer(fills, "double*")
        if stiffnesses is not None:
            factors = _call.array_of(stiffnesses, "f8", None, "stiffnesses")
            if len(factors) != len(tets):
                raise InputError(f"stiffnesses has {len(factors)} rows where {len(tets)} tets are")
            definition.stiffnesses = _call.pointer(factors, "double*")
        out = ffi.new("brElasticBody**")
        with Call() as call:
            call.check(lib.brCreateElasticBody(call.context, definition, out, call.report))
        self._pointer = ffi.gc(out[0], lib.brDestroyElasticBody)
        self._lock = threading.RLock()
        self.tets = tets  # C keeps a pointer to it
        self._crack_count = 0

    def set_cracks(self, surfaces: Sequence[Any]) -> None:
        """Replaces all cracks. Each is an open Mesh, or (positions, triangles)."""
        meshes = [item if isinstance(item, Mesh) else Mesh(*item) for item in surfaces]
        structs = ffi.new("brCrackSurface[]", len(meshes))
        kept: List[Any] = []
        for struct, mesh in zip(structs, meshes):
            triangles = np.ascontiguousarray(mesh.triangles)
            kept += [mesh, triangles]
            struct.vertexCount, struct.triangleCount = len(mesh.positions), len(triangles)
            struct.positions = mesh._pointer.positions
            struct.triangles = _call.pointer(triangles, "int32_t(*)[3]")
        with self._lock, Call() as call:
            call.check(lib.brElasticBody_SetCracks(self._pointer, call.context, structs, len(meshes), call.report))
            self._crack_count = len(meshes)

    def set_supports(self, nodes: Any, axes: Any = "xyz", values: Any = None) -> None:
        """Holds nodes in place; replaces earlier supports.

        Args:
            nodes: (k,) node numbers; none frees the body.
            axes: Letters of xyz for all, or (k,) bits 1, 2, 4.
            values: (k, 3) displacements at which they are held; None: 0. [m]
        """
        held = _call.array_of(nodes, "i4", None, "nodes")
        if isinstance(axes, str):
            axes = np.full(len(held), sum({"x": 1, "y": 2, "z": 4}.get(letter, 8) for letter in set(axes)))
        bits = _call.array_of(axes, "u4", None, "axes")
        if len(bits) != len(held) or (len(bits) and not (1 <= bits.min() and bits.max() <= 7)):
            raise InputError("axes are letters of xyz, or one number from 1 to 7 for each node")
        shifts = None if values is None else _call.array_of(values, "f8", 3, "values")
        if shifts is not None and len(shifts) != len(held):
            raise InputError(f"values has {len(shifts)} rows where {len(held)} nodes are")
        with self._lock, Call() as call:
            call.check(lib.brElasticBody_SetSupports(
                self._pointer, call.context, _call.pointer(held, "int32_t*"), _call.pointer(bits, "uint32_t*"),
                _call.pointer(shifts, "brDVec3*"), len(held), call.report))  # fmt: skip

    def solve(self, *, forces: Optional[Tuple[Any, Any]] = None, tractions: Optional[Tuple[Any, Any]] = None,
              acceleration: Vector = (0.0, 0.0, 0.0), swelling: Any = None, progress: Progress = None,
              **options: Any) -> _records.ElasticStats:  # fmt: skip
        """Solves for the displacements. What no support takes up is balanced by the rigid acceleration that it causes.

        Args:
            forces: (nodes (k,), forces (k, 3) or one for all [N]).
            tractions: (triangles (k, 3) of nodes, force per area (k, 3) or one for all [Pa]).
            acceleration: On all mass. [m/s^2]
            swelling: (nodes,) free strain, expansion times temperature.
            options: solver "iterative", "direct", "jacobi" or "petsc"; tolerance; max_iterations; enable_warm_start.
        """
        load = _call.definition("brElasticLoad", {"acceleration": acceleration}, "solve")
        kept: List[Any] = []
        if forces is not None:
            nodes, vectors = _pairs(forces, None, "forces")
            kept += [nodes, vectors]
            load.forceCount, load.forceNodes = len(nodes), _call.pointer(nodes, "int32_t*")
            load.forces = _call.pointer(vectors, "brDVec3*")
        if tractions is not None:
            faces, vectors = _pairs(tractions, 3, "tractions")
            kept += [faces, vectors]
            load.tractionCount, load.tractionTriangles = len(faces), _call.pointer(faces, "int32_t(*)[3]")
            load.tractions = _call.pointer(vectors, "brDVec3*")
        if swelling is not None:
            strain = _call.finite(_call.array_of(swelling, "f8", None, "swelling"), "swelling")
            if len(strain) != len(self.tets.nodes):
                raise InputError(f"swelling has {len(strain)} rows where {len(self.tets.nodes)} nodes are")
            kept.append(strain)
            load.swelling = _call.pointer(strain, "double*")
        definition = _call.definition("brElasticSolveDef", options, "solve")
        stats = ffi.new("brElasticStats*")
        with self._lock, Call(progress) as call:
            call.check(lib.brElasticBody_Solve(self._pointer, call.context, load, definition, stats, call.report))
        return _call.record(_records.ElasticStats, stats)

    @property
    def displacements(self) -> Floats:
        """(nodes, 3) of each node, on its own side of all cracks. [m]"""
        out = np.empty((len(self.tets.nodes), 3))
        with self._lock:
            lib.brElasticBody_GetDisplacements(self._pointer, _call.pointer(out, "brDVec3*"))
        return out

    @property
    def elements(self) -> Array:
        """Tets and parts of cut ones: tet, component, volume [m^3], center [m], stress xx yy zz xy xz yz [Pa]."""
        with self._lock, Call() as call:
            out: Array = np.empty(lib.brElasticBody_GetElementCount(self._pointer), _call.dtype_of("brElasticElement"))
            lib.brElasticBody_GetElements(self._pointer, call.context, _call.pointer(out, "brElasticElement*"))
        return out

    @property
    def principal_stresses(self) -> Floats:
        """(elements, 3) in rising order. [Pa]"""
        xx, yy, zz, xy, xz, yz = self.elements["stress"].T
        return np.linalg.eigvalsh(np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=1).reshape(-1, 3, 3))

    @property
    def components(self) -> Array:
        """Parts that the cracks leave: first_tet, free_modes, volume [m^3], mass [kg], center [m]."""
        with self._lock:
            count = lib.brElasticBody_GetComponentCount(self._pointer)
            return _call.copied(lib.brElasticBody_GetComponents(self._pointer), count, _call.dtype_of("brElasticComponent"))

    @_call.with_options("brIntensityDef")
    def fronts(self, crack: int = 0, **options: Any) -> Array:
        """Points along all fronts of a crack: position [m], intensity K I, II, III [Pa m^0.5], energy_release [J/m^2],
        kink_angle [rad], forward, normal, tangent, chain, is_inside."""
        which = _call.integer(crack, "crack")
        if not 0 <= which < self._crack_count:
            raise IndexError(f"there is no crack {which}; there are {self._crack_count}")
        definition = _call.definition("brIntensityDef", options, "fronts")
        count = ffi.new("int32_t*")
        with self._lock, Call() as call:
            ask = lib.brElasticBody_ComputeFrontPoints
            call.check(ask(self._pointer, call.context, which, definition, 0, ffi.NULL, count, call.report))
            out: Array = np.empty(count[0], _call.dtype_of("brCrackFrontPoint"))
            memory = _call.pointer(out, "brCrackFrontPoint*")
            call.check(ask(self._pointer, call.context, which, definition, len(out), memory, count, call.report))
        return out

    def jump(self, crack: int, point: Vector) -> Floats:
        """Jump of the displacement across a crack at a point on it. [m]"""
        with self._lock:
            return _call.vector(lib.brElasticBody_GetJump(self._pointer, _call.integer(crack, "crack"), _call.vec3(point, "point")))

    def stress_mesh(self, scale: float = 0.0, most: float = 0.0) -> Mesh:
        """The boundary, moved by `scale` times its displacement and colored by the largest principal stress."""
        out = ffi.new("brMesh**")
        factor, top = _call.number(scale, "scale"), _call.number(most, "most")
        with self._lock, Call() as call:
            call.check(lib.brElasticBody_MakeStressMesh(self._pointer, call.context, factor, top, out, ffi.NULL, call.report))
        return Mesh._of(out[0])

    def save_vtk(self, path: Union[str, Path]) -> None:
        """Stress and displacements as legacy VTK text."""
        name = _call.path_bytes(path)
        with self._lock, Call() as call:
            call.check(lib.brElasticBody_SaveVtk(self._pointer, call.context, name, call.report))

    def __repr__(self) -> str:
        return f"<brittle.ElasticBody: {len(self.tets)} tets, {self._crack_count} cracks>"


def _pairs(value: Tuple[Any, Any], columns: Optional[int], name: str) -> Tuple[Any, Any]:
    """Places, and a vector for each; one vector does for all."""
    try:
        first, second = value
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a pair (places, vectors), not {_call.shown(value)}") from None
    places = _call.array_of(first, "i4", columns, f"the places of {name}")
    vectors = np.broadcast_to(np.asarray(second, "f8"), (len(places), 3)) if np.ndim(second) == 1 else second
    out = _call.finite(_call.array_of(vectors, "f8", 3, name), name)
    if len(out) != len(places):
        raise InputError(f"{name} has {len(places)} places and {len(out)} vectors")
    return places, out
