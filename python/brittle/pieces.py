# SPDX-License-Identifier: MIT
"""What cutting, shattering and cracking give: lists of pieces with their masses and bonds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Generic, Iterator, List, Optional, Tuple, TypeVar, Union, overload

import numpy as np

from . import _call, _records
from ._call import Array, Call, ffi, lib
from .mesh import Floats, Indices, Mesh

if TYPE_CHECKING:
    from .pictures import Picture

Item = TypeVar("Item", "Piece", "CutPiece")


class Piece(_call.Unpicklable):
    """A closed solid that came out of a break.

    Attributes:
        mesh: Closed; vertices of the model keep their bits, cut faces have the interior material.
        site: The site that it belongs to, or -1.
        is_dust: What a bullet crushed in its way.
        is_plug: In a world, what a slower body drove out of a wall.
    """

    _instead = "its mesh can, and its mass"

    def __init__(self, struct: Any, owner: Any) -> None:
        self._struct, self._owner = struct, owner
        self.mesh = Mesh._of(struct.mesh, owner)
        self.site = int(struct.site)
        self.is_dust = bool(struct.isDust)
        self.is_plug = bool(struct.isPlug)

    @property
    def mass(self) -> _records.MassProperties:
        """Mass, center and inertia."""
        return _call.record(_records.MassProperties, self._struct.mass)

    @property
    def hull(self) -> Optional[Mesh]:
        """The smallest convex solid around it, if `make_hulls=True` asked for it."""
        return Mesh._of(self._struct.hull, self._owner) if self._struct.hull else None


class CutPiece:
    """One connected body of a cut with the cavities inside it.

    Attributes:
        mesh: Its surface.
        is_closed: It is a solid.
        side: 1: on the side that the cutter's normals point to, -1: on the other, 0: both or none.
        volume: Signed; 0 if it is not closed. [m^3]
        face_parents: (m,) face of the source, or of its cutter for caps.
        face_cutters: (m,) which cutter made a cap; -1 for faces of the source.
        face_kinds: (m,) 0: of the source, 1: cap on the positive side, 2: cap on the negative side.
    """

    def __init__(self, struct: Any, owner: Any) -> None:
        self.mesh = Mesh._of(struct.mesh, owner)
        count = len(self.mesh)
        self.is_closed = bool(struct.isClosed)
        self.side = int(struct.side)
        self.volume = float(struct.volume)
        self.face_parents: Indices = _call.view(owner, struct.faceParents, (count,), "i4")
        self.face_cutters: Indices = _call.view(owner, struct.faceCutters, (count,), "i4")
        self.face_kinds: Array = _call.view(owner, struct.faceKinds, (count,), "u1")


class _Pieces(_call.Unpicklable, Generic[Item]):
    """A list of pieces that can be written and drawn."""

    _pointer: Any
    _make: Any
    _instead = "its meshes can, and its arrays"

    def __len__(self) -> int:
        return int(self._pointer.pieceCount)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> List[Item]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        whole = _call.integer(index, "the number of a piece")
        if not -len(self) <= whole < len(self):
            raise IndexError(f"there is no piece {whole}; there are {len(self)}")
        return self._make(self._pointer.pieces[whole % len(self)], self._pointer)

    def __iter__(self) -> Iterator[Item]:
        return (self[i] for i in range(len(self)))

    @property
    def meshes(self) -> List[Mesh]:
        """The surface of each piece."""
        return [Mesh._of(self._pointer.pieces[i].mesh, self._pointer) for i in range(len(self))]

    @property
    def volumes(self) -> Floats:
        """(n,) of each piece. [m^3]"""
        return np.array([mesh.volume for mesh in self.meshes])

    def _centers(self) -> Floats:
        return np.array([mesh.mass(1.0).center for mesh in self.meshes]).reshape(-1, 3)

    def _parts(self, explode: float) -> List[Tuple[str, Mesh, Floats]]:
        """Name, mesh and shift of each piece, away from the middle of all by `explode` times the distance."""
        meshes, centers = self.meshes, self._centers()
        boxes = np.array([mesh.bounds for mesh in meshes])
        middle = boxes[:, 0].min(axis=0) + 0.5 * (boxes[:, 1].max(axis=0) - boxes[:, 0].min(axis=0))
        return [(f"piece_{i}", mesh, explode * (center - middle)) for i, (mesh, center) in enumerate(zip(meshes, centers))]

    def save(self, path: Union[str, Path], *, explode: float = 0.0, **options: Any) -> None:
        """Writes all pieces as parts of one file: one node a piece in .glb and .usda, one group a piece in .obj.

        Args:
            explode: Move pieces apart by this times their distance from the middle.
            options: As of `brittle.save`.
        """
        from .files import save_parts

        save_parts(path, self._parts(_call.number(explode, "explode")), options)

    def picture(self, width: int = 640, height: int = 480, *, explode: float = 0.3, **options: Any) -> "Picture":
        """A picture of the pieces moved apart, each in a color of its own; see `brittle.picture`."""
        from .pictures import picture

        options.setdefault("color_parts", True)
        return picture([(mesh, shift) for _, mesh, shift in self._parts(_call.number(explode, "explode"))], width, height, **options)

    def _repr_html_(self) -> str:
        from .pictures import show_html

        return show_html([(mesh, shift) for _, mesh, shift in self._parts(0.3)], repr(self)[1:-1], color_parts=True)


class Cut(_Pieces[CutPiece]):
    """Pieces of a cut, in the order of their lowest source face."""

    _make = CutPiece

    def __init__(self, pointer: Any) -> None:
        self._pointer = ffi.gc(pointer, lib.brDestroyCutResult)

    @property
    def stats(self) -> _records.CutStats:
        """What happened on the way."""
        return _call.record(_records.CutStats, self._pointer.stats)

    def __repr__(self) -> str:
        return f"<brittle.Cut: {len(self)} pieces>"


class _Broken(_Pieces[Piece]):
    """Pieces with masses and bonds."""

    _make = Piece

    def _masses(self) -> Array:
        """All mass properties as one structured array; computed once."""
        cached: Optional[Array] = self.__dict__.get("_mass_table")
        if cached is None:
            rows = _call.view(self._pointer, self._pointer.pieces, (len(self),), _call.dtype_of("brPiece"))
            cached = self.__dict__["_mass_table"] = rows["mass"]
        return cached

    @property
    def masses(self) -> Floats:
        """(n,) [kg]"""
        return np.array(self._masses()["mass"])

    @property
    def volumes(self) -> Floats:
        """(n,) [m^3]"""
        return np.array(self._masses()["volume"])

    @property
    def centers(self) -> Floats:
        """(n, 3) centers of mass. [m]"""
        return np.array(self._masses()["center"])

    def _centers(self) -> Floats:
        return self.centers

    @property
    def inertias(self) -> Floats:
        """(n, 3, 3) about the centers. [kg m^2]"""
        return np.array(self._masses()["inertia"])

    @property
    def bonds(self) -> Array:
        """Pairs of pieces that touch along cut faces: fields pieces, area [m^2], center [m], normal."""
        return _call.view(self._pointer, self._pointer.bonds, (self._pointer.bondCount,), _call.dtype_of("brBond"))


class Shatter(_Broken):
    """Pieces of one model, rising by site.

    >>> broken = vase.shatter(80, seed=7)
    >>> broken.masses, broken.bonds["area"]
    >>> broken.save("vase.glb", explode=0.3)
    """

    def __init__(self, pointer: Any) -> None:
        self._pointer = ffi.gc(pointer, lib.brDestroyShatter)

    @property
    def sites(self) -> Indices:
        """(n,) the site of each piece."""
        return np.array([self._pointer.pieces[i].site for i in range(len(self))], np.int32)

    @property
    def levels(self) -> List[Tuple[Indices, Array]]:
        """(cluster of each piece, bonds between clusters), fine to coarse, if `cluster_size` asked for them."""
        out = []
        for i in range(self._pointer.levelCount):
            level = self._pointer.levels[i]
            clusters = _call.view(self._pointer, level.clusters, (len(self),), "i4")
            out.append((clusters, _call.view(self._pointer, level.bonds, (level.bondCount,), _call.dtype_of("brBond"))))
        return out

    @property
    def counts(self) -> Dict[str, Any]:
        """volume_in, volume_out, merged, smoothed, crumbs, is_capped."""
        p = self._pointer
        return {"volume_in": p.volumeIn, "volume_out": p.volumeOut, "merged": p.mergedCount, "smoothed": p.smoothCount,
                "crumbs": p.crumbCount, "hole": p.hole, "is_capped": bool(p.isCapped)}  # fmt: skip

    def __repr__(self) -> str:
        return f"<brittle.Shatter: {len(self)} pieces, {len(self.bonds)} bonds>"


class Cracks(_Broken):
    """Pieces by fracture mechanics, with the cracks between them. One piece: the body holds."""

    def __init__(self, pointer: Any) -> None:
        self._pointer = ffi.gc(pointer, lib.brDestroyCracks)

    @property
    def stats(self) -> _records.CrackStats:
        """Stress, strength, energy, why growth ended, and how long it took."""
        return _call.record(_records.CrackStats, self._pointer.stats)

    @property
    def reason(self) -> str:
        """One sentence about why there are no more pieces."""
        return _call.text_of(lib.brCrackEndText(self._pointer.stats.end))

    @property
    def surfaces(self) -> List[Mesh]:
        """The surface of each crack, open."""
        return [Mesh._of(self._pointer.cracks[i].surface, self._pointer) for i in range(self._pointer.crackCount)]

    @property
    def cracks(self) -> Array:
        """Each crack: fields start [m], normal, branch_of, is_parting, largest_g [J/m^2]."""
        return _call.view(self._pointer, self._pointer.cracks, (self._pointer.crackCount,), _call.dtype_of("brCrack"))

    @property
    def steps(self) -> Array:
        """Each step of growth: load, area [m^2], force [N], displacement [m], energy [J], cracks, parts."""
        return _call.view(self._pointer, self._pointer.steps, (self._pointer.stepCount,), _call.dtype_of("brCrackStep"))

    @property
    def fronts(self) -> Array:
        """Points of all fronts at each step, if `keep_fronts=True`: step, crack, point (position, intensity, ...)."""
        return _call.view(self._pointer, self._pointer.fronts, (self._pointer.frontCount,), _call.dtype_of("brCrackFrontRecord"))

    def __repr__(self) -> str:
        return f"<brittle.Cracks: {len(self)} pieces by {self._pointer.crackCount} cracks>"


