# SPDX-License-Identifier: MIT
"""All pairs that overlap, exactly; and what meets on the way from one frame to the next."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import _call, _records
from ._call import Array, Call, InputError, Progress, ffi, lib
from .mesh import Indices, Mesh, TetMesh, as_mesh


class Collision:
    """Pairs that a call found.

    Attributes:
        pairs: (n, 2) triangles, tets or boxes, numbered over all meshes one after another; smaller first.
        candidate_count: Pairs whose boxes overlap.
        penetrations: Fields depth [m] and direction, for tets with `tet_test` "sat_mtv" or "gjk"; else None.
        starts: (meshes + 1,) where each mesh begins in that numbering.
    """

    def __init__(self, pointer: Any, starts: npt.NDArray[np.int64]) -> None:
        owner = ffi.gc(pointer, lib.brDestroyCollision)
        has_pairs = owner.pairCount >= 0
        memory, count = (owner.pairs, owner.pairCount) if has_pairs else (owner.candidates, owner.candidateCount)
        self.pairs: Indices = _call.view(owner, memory, (int(count), 2), "i4")
        self.candidate_count = int(owner.candidateCount)
        kind = _call.dtype_of("brPenetration")
        self.penetrations: Optional[Array] = _call.view(owner, owner.penetrations, (int(count),), kind) if owner.penetrations else None
        self.stages = _call.record(_records.PairStages, owner.stages)
        self.starts = starts

    def __len__(self) -> int:
        return len(self.pairs)

    def split(self) -> List[Tuple[int, int, Indices]]:
        """(mesh, mesh, pairs in their own numbering) for each two meshes that meet."""
        owners = np.searchsorted(self.starts, self.pairs, "right") - 1
        out = []
        for a, b in np.unique(owners, axis=0):
            rows = (owners == (a, b)).all(axis=1)
            out.append((int(a), int(b), (self.pairs[rows] - self.starts[[a, b]]).astype(np.int32)))
        return out

    def __repr__(self) -> str:
        return f"<brittle.Collision: {len(self)} pairs of {self.candidate_count} candidates>"


@_call.with_options("brCollideDef", "enable_self", "enable_inter")
def collide(*things: Any, within: Optional[bool] = None, progress: Progress = None, **options: Any) -> Collision:
    """All pairs of triangles of meshes that meet, exactly; or of tetrahedra, if TetMeshes are given.

    >>> brittle.collide(cup, table).pairs
    >>> brittle.collide(cloth, within=True).pairs                # self-intersections

    Args:
        things: Meshes, or TetMeshes.
        within: Also pairs within one mesh; by default only if there is just one.
        progress: True for a bar, or a function of the share that is done.
    """
    items = list(things[0]) if len(things) == 1 and isinstance(things[0], (list, tuple)) else list(things)
    is_self = len(items) == 1 if within is None else _call.truth(within, "within")
    definition = _call.definition("brCollideDef", {"enable_self": is_self, "keep_candidates": None, **options}, "collide")
    if not definition.findTrue:
        definition.keepCandidates = True
    out = ffi.new("brCollision**")
    is_tets = bool(items) and isinstance(items[0], TetMesh)
    if is_tets and not all(isinstance(item, TetMesh) for item in items):
        raise TypeError("collide takes meshes or TetMeshes, not both at once")
    solids = items if is_tets else [as_mesh(item) for item in items]
    counts = [len(item) if is_tets else len(item.triangles) for item in solids]
    with Call(progress) as call:
        pointers = ffi.new("brTetMesh*[]" if is_tets else "brMesh*[]", [item._pointer for item in solids])
        function = lib.brCollideTets if is_tets else lib.brCollideMeshes
        call.check(function(call.context, pointers, len(solids), definition, out, call.report))
    return Collision(out[0], np.cumsum([0, *counts]).astype(np.int64))


def collide_boxes(lower: Any, upper: Any, *, groups: Any = None, within: bool = True) -> Collision:
    """All pairs of boxes that overlap or touch.

    Args:
        lower: (n, 3) lower corners; boxes are float32, rounded outward.
        upper: (n, 3) upper corners.
        groups: (k + 1,) starts of groups of boxes; None: one group.
        within: Pairs within one group.
    """
    low, high = _call.array_of(lower, "f8", 3, "lower"), _call.array_of(upper, "f8", 3, "upper")
    if len(low) != len(high):
        raise InputError(f"lower has {len(low)} rows and upper has {len(high)}")
    boxes = np.empty((len(low), 6), np.float32)
    boxes[:, :3], boxes[:, 3:] = low, high
    boxes[:, :3] = np.where(boxes[:, :3] > low, np.nextafter(boxes[:, :3], np.float32(-np.inf)), boxes[:, :3])
    boxes[:, 3:] = np.where(boxes[:, 3:] < high, np.nextafter(boxes[:, 3:], np.float32(np.inf)), boxes[:, 3:])
    starts = np.array([0, len(low)], np.int32) if groups is None else _call.array_of(groups, "i4", None, "groups")
    if len(starts) < 2 or starts[0] != 0 or starts[-1] != len(low) or (np.diff(starts) < 0).any():
        raise InputError(f"groups rises from 0 to the number of boxes, {len(low)}")
    definition = _call.definition("brCollideDef", {"enable_self": within, "keep_candidates": True, "find_true": False}, "collide_boxes")
    out = ffi.new("brCollision**")
    with Call() as call:
        memory, begins = _call.pointer(boxes, "brBox3*"), _call.pointer(starts, "int32_t*")
        call.check(lib.brCollideBoxes(call.context, memory, len(boxes), begins, len(starts) - 1, definition, out, call.report))
    return Collision(out[0], starts.astype(np.int64))


class Contacts:
    """What meets on the way from one frame to the next.

    Attributes:
        vertex_faces: Fields a (vertex), b (triangle), time from 0 to 1 before which they do not meet.
        edge_edges: Fields a and b (edges), time.
        edges: (k, 2) vertices of the edges.
        first_time: The least time of all; 2 if nothing meets.
    """

    def __init__(self, pointer: Any) -> None:
        owner = ffi.gc(pointer, lib.brDestroyCcd)
        hit = _call.dtype_of("brCcdHit")
        self.vertex_faces: Array = _call.view(owner, owner.vertexFaces, (int(owner.vertexFaceCount),), hit)
        self.edge_edges: Array = _call.view(owner, owner.edgeEdges, (int(owner.edgeEdgeCount),), hit)
        self.edges: Indices = _call.view(owner, owner.edges, (owner.edgeCount, 2), "i4")
        self.first_time = float(owner.firstTime)
        self.candidate_count = int(owner.vertexFaceCandidates + owner.edgeEdgeCandidates)

    def __len__(self) -> int:
        return len(self.vertex_faces) + len(self.edge_edges)

    def __repr__(self) -> str:
        return f"<brittle.Contacts: {len(self.vertex_faces)} vertex-face, {len(self.edge_edges)} edge-edge, first at {self.first_time:g}>"


@_call.with_options("brCcdDef")
def ccd(meshes: Any, ends: Any, *, progress: Progress = None, **options: Any) -> Contacts:
    """All contacts of meshes while their vertices move straight to their places at the end of a step.

    Args:
        meshes: A mesh, or a list of meshes.
        ends: For each the mesh at the end, or (n, 3) positions of its vertices. [m]
        progress: True for a bar, or a function of the share that is done.
    """
    starts = [as_mesh(item) for item in (meshes if isinstance(meshes, (list, tuple)) else [meshes])]
    finals = ends if isinstance(meshes, (list, tuple)) else [ends]
    if len(finals) != len(starts):
        raise InputError(f"there are {len(starts)} meshes and {len(finals)} ends")
    later = [_moved(mesh, end) for mesh, end in zip(starts, finals)]
    definition = _call.definition("brCcdDef", options, "ccd")
    out = ffi.new("brCcd**")
    with Call(progress) as call:
        now, then = (ffi.new("brMesh*[]", [mesh._pointer for mesh in group]) for group in (starts, later))
        call.check(lib.brCollideMovingMeshes(call.context, now, then, len(starts), definition, out, call.report))
    return Contacts(out[0])


def _moved(mesh: Mesh, end: Any) -> Mesh:
    if isinstance(end, Mesh):
        return end
    places = _call.array_of(end, "f8", 3, "ends")
    if len(places) != len(mesh.positions):
        raise InputError(f"ends has {len(places)} rows where {len(mesh.positions)} vertices are")
    return Mesh(places, mesh.corners, starts=mesh.starts)


class Tracker(_call.Unpicklable):
    """Overlapping boxes of triangles frame after frame: what was found last makes the next frame cheaper."""

    def __init__(self, **options: Any) -> None:
        definition = _call.definition("brTrackDef", options, "Tracker")
        out = ffi.new("brTracker**")
        with Call() as call:
            call.check(lib.brCreateTracker(call.context, definition, out, call.report))
        self._pointer = ffi.gc(out[0], lib.brDestroyTracker)

    def update(self, meshes: Sequence[Any]) -> Indices:
        """(n, 2) candidate pairs of this frame."""
        items = [as_mesh(mesh) for mesh in meshes]
        count = ffi.new("int64_t*")
        with Call() as call:
            pointers = ffi.new("brMesh*[]", [mesh._pointer for mesh in items])
            call.check(lib.brTracker_UpdateMeshes(self._pointer, call.context, pointers, len(items), ffi.NULL, call.report))
        memory = lib.brTracker_GetPairs(self._pointer, count)
        return _call.copied(memory, int(count[0]) * 2, "i4").reshape(-1, 2)


def moving_scene(name: str, frame: float, resolution: int = 0, seed: int = 0) -> List[Mesh]:
    """Objects of a made-up moving scene at a frame: "cloth_ball"... For tests and benchmarks of collisions."""
    if not isinstance(name, str):
        raise TypeError(f"the scene is a name, not {_call.shown(name)}")
    kept = ffi.new("char[]", name.encode("utf-8"))
    definition = _call.definition("brMovingSceneDef", {"frame": frame, "resolution": resolution, "seed": seed}, "moving_scene", kept)
    out = ffi.new("brMovingScene**")
    with Call() as call:
        call.check(lib.brMakeMovingScene(call.context, definition, out, call.report))
    owner = ffi.gc(out[0], lib.brDestroyMovingScene)
    return [Mesh._of(owner.meshes[i], owner) for i in range(owner.meshCount)]
