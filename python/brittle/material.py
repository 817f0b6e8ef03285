# SPDX-License-Identifier: MIT
"""What solids are made of, and whether a blow breaks them."""

from __future__ import annotations

import dataclasses
from typing import Any, List, Union

import numpy as np
import numpy.typing as npt

from . import _call, _records
from ._call import Call, Vector, ffi, lib


class Material(_records.Material):
    """A brittle elastic solid in SI units.

    >>> glass = brittle.Material.preset("glass")
    >>> glass.toughness                               # [Pa m^0.5]
    >>> old = glass.replace(name="old_glass", tensile_strength=2.0e7)

    Wherever a material is asked for, its name does: `mesh.crack("glass", ...)`. `materials()` lists the names.
    """

    __doc__ = (__doc__ or "") + "\n" + (_records.Material.__doc__ or "")

    @classmethod
    def preset(cls, name: str) -> "Material":
        """One of the built-in materials by its name."""
        return _call.record(cls, _call.material_struct(name))

    def replace(self, **changes: Any) -> "Material":
        """A copy in which some numbers differ. Numbers out of range are refused."""
        try:
            changed = dataclasses.replace(self, **changes)
        except TypeError:
            known = ", ".join(field.name for field in dataclasses.fields(self))
            unknown = next(name for name in changes if name not in known.split(", "))
            raise TypeError(f"a material has no {unknown!r}; it has {known}") from None
        return _call.record(Material, _call.material_struct(changed))

    @property
    def fracture_energy(self) -> float:
        """Energy that a unit of crack area takes, K_Ic^2 (1 - nu^2) / E. [J/m^2]"""
        return float(lib.brMaterial_GetFractureEnergy(ffi.new("brMaterial*", _call.material_struct(self))))

    def sample_strength(self, seeds: Union[int, Vector]) -> npt.NDArray[np.float64]:
        """Strength of one body out of many for each seed, by the Weibull modulus of the material. [Pa]"""
        struct = ffi.new("brMaterial*", _call.material_struct(self))
        wanted = _call.array_of(np.atleast_1d(np.asarray(seeds)), "u8", None, "seeds")
        return np.array([lib.brMaterial_SampleStrength(struct, int(seed)) for seed in wanted])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Material) and dataclasses.astuple(self) == dataclasses.astuple(other)

    def __hash__(self) -> int:
        return hash(dataclasses.astuple(self))


AnyMaterial = Union[str, Material]
_call.RECORD_CLASSES["brMaterial"] = Material


def materials() -> List[str]:
    """Names of the built-in materials."""
    return [_call.text_of(lib.brGetMaterial(index).name) for index in range(lib.brGetMaterialCount())]


class Strike(_records.Strike):
    """A blow against a body: where, in which direction, by what, with which energy."""

    __doc__ = (__doc__ or "") + "\n" + (_records.Strike.__doc__ or "")

    def replace(self, **changes: Any) -> "Strike":
        """A copy in which something differs, such as the energy [J]."""
        return dataclasses.replace(self, **changes)


class ImpactModel(_call.Unpicklable):
    """Would it break, and how near is it?

    >>> model = brittle.ImpactModel(glass_mesh, "glass")
    >>> model.drop_height()                # [m] on marble, standing on its foot
    >>> strike = model.drop(down=(1, 0, 0))
    >>> model.strike(strike.replace(energy=0.05)).ratio      # 1 and more breaks

    Args:
        mesh: A closed mesh.
        material: Of the body.
        held: By a frame round its rim if it is a plate; else as if it were heavy.
        tets: About so many tets carry the stress; more is truer and slower.
    """

    def __init__(self, mesh: Any, material: AnyMaterial, *, held: bool = False, tets: int = 700) -> None:
        from .mesh import as_mesh

        solid = as_mesh(mesh)
        if not solid.is_closed:
            raise _call.GeometryError(f"an impact model needs a closed mesh: {solid.check().verdict}")
        definition = _call.definition(
            "brImpactModelDef", {"material": material, "is_held": held, "tets": tets}, "ImpactModel"
        )
        definition.mesh = solid._pointer
        out = ffi.new("brImpactModel**")
        with Call() as call:
            call.check(lib.brCreateImpactModel(call.context, definition, out, call.report))
        self._pointer = ffi.gc(out[0], lib.brDestroyImpactModel)

    def drop(self, down: Vector = (0.0, 0.0, -1.0), ground: AnyMaterial = "marble") -> Strike:
        """The blow by flat ground as the body falls along `down`, in the axes of its mesh. Its energy is 0 yet."""
        material = ffi.new("brMaterial*", _call.material_struct(ground, "ground"))
        direction = _call.vec3(down, "down")
        if not any(direction):
            raise _call.InputError("down is a direction, not (0, 0, 0)")
        return _call.record(Strike, lib.brImpactModel_Drop(self._pointer, direction, material))

    def strike(self, strike: Strike) -> _records.Impact:
        """What a blow does: how near it is to breaking, force, stress, time of contact."""
        return _call.record(_records.Impact, lib.brImpactModel_Strike(self._pointer, self._struct(strike)))

    def threshold_energy(self, strike: Strike) -> float:
        """Energy from which on the blow breaks the body. [J]"""
        return float(lib.brImpactModel_ThresholdEnergy(self._pointer, self._struct(strike)))

    def drop_height(self, down: Vector = (0.0, 0.0, -1.0), ground: AnyMaterial = "marble", gravity: float = 9.81) -> float:
        """Height of fall from which the body breaks. [m]"""
        strike = self.drop(down, ground)
        return self.threshold_energy(strike) / (strike.mass * gravity)

    def _struct(self, strike: Strike) -> Any:
        if not isinstance(strike, _records.Strike):
            raise TypeError(f"strike is a Strike, as drop() gives it, not {strike!r}")
        struct = ffi.new("brStrike*")
        _call.set_members(struct, {f.name: getattr(strike, f.name) for f in dataclasses.fields(strike)}, "a strike")
        return struct


