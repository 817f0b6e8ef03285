# SPDX-License-Identifier: MIT
"""Several meshes in one file: an assembly of parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Sequence, Tuple, Union

import numpy as np

from . import _call
from ._call import Call, ffi, lib
from .mesh import Mesh, as_mesh

# Name, mesh, shift [m].
Part = Tuple[str, Mesh, Any]


def assembly_of(parts: Iterable[Part], call: Call) -> Any:
    """Meshes are copied: the assembly owns its own."""
    assembly = ffi.gc(lib.brCreateAssembly(call.context), lib.brDestroyAssembly)
    for name, mesh, shift in parts:
        copy = mesh._copy()
        index = lib.brAssembly_AddMesh(assembly, copy)
        if index < 0:
            lib.brDestroyMesh(copy)
            raise _call.OutOfMemoryError("there is no memory for another mesh")
        part = ffi.new("brPart*", lib.brDefaultPart())
        part.mesh = index
        part.placement.p = _call.vec3(shift, "the shift of a part")
        if lib.brAssembly_AddPart(assembly, _call.name_bytes(name, "the name of a part"), part) < 0:
            raise _call.OutOfMemoryError("there is no memory for another part")
    return assembly


def save_parts(path: Union[str, Path], parts: Sequence[Part], options: Dict[str, Any]) -> None:
    place, definition = _call.path_bytes(path), _call.definition("brSaveDef", options, "save")
    with Call() as call:
        assembly = assembly_of(parts, call)
        call.check_saved(lib.brSaveAssembly(call.context, assembly, place, definition, call.report))


@_call.with_options("brSaveDef")
def save(path: Union[str, Path], meshes: Any, **options: Any) -> None:
    """Writes a mesh, a list of meshes or a dict of named ones into one file; the ending decides the format.

    A file appears complete or not at all. What the format cannot hold is left out with a `brittle.Remark`.
    """
    save_parts(path, parts_of(meshes), options)


def parts_of(things: Any) -> List[Part]:
    """What may be written or drawn: a mesh, meshes, (mesh, shift) pairs, or a dict by name."""
    zero = np.zeros(3)
    if isinstance(things, Mapping):
        return [(str(name), as_mesh(mesh), zero) for name, mesh in things.items()]
    if not isinstance(things, (list, tuple)):
        return [("", as_mesh(things), zero)]
    out: List[Part] = []
    for i, item in enumerate(things):
        mesh, shift = item if isinstance(item, tuple) and len(item) == 2 else (item, zero)
        out.append((f"part_{i}", as_mesh(mesh), shift))
    return out
