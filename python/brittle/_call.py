# SPDX-License-Identifier: MIT
"""How every call goes: errors become exceptions, options become defs, arrays become views that keep their owner.

Nothing here knows a mesh or a world. A call into C gives the interpreter's lock back while it runs. `Call` lends it
the team of worker threads and asks Python now and then, so that Ctrl-C and progress bars work.
"""

from __future__ import annotations

import functools
import logging
import math
import operator
import os
import re
import time
import warnings
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Type, TypeVar, Union

import numpy as np
import numpy.typing as npt

from . import _records
from ._native import ffi as ffi, lib as lib

Array = npt.NDArray[Any]
Vector = Union[Sequence[float], npt.NDArray[Any]]
Progress = Union[bool, Callable[[float], object], None]
Function = TypeVar("Function", bound=Callable[..., Any])
Record = TypeVar("Record")

_log = logging.getLogger("brittle")


# Errors


class Error(Exception):
    """A call was refused. The text is the library's sentence; it says what is wrong and where.

    Attributes:
        code: Name of the C library's code: "br_errorGeometry".
        element: Index of the face, vertex or tet that the sentence names, or None.
        line: Line of a text file, or None.
        byte: Byte of a binary file, or None.
    """

    code: str = "br_errorMisuse"
    element: Optional[int] = None
    line: Optional[int] = None
    byte: Optional[int] = None


class InputError(Error, ValueError):
    """A value is out of its range, or the call makes no sense."""


class GeometryError(Error, ValueError):
    """The shape says no: open, empty, flat, self-crossing."""


class FormatError(Error, ValueError):
    """The content of a file breaks the rules of its format."""


class FileError(Error, OSError):
    """A file could not be opened, read or written."""


class LimitError(Error, ValueError):
    """More elements than 32-bit counts or a stated limit allow."""


class UnsupportedError(Error, NotImplementedError):
    """Valid content that this build does not read or write."""


class UnavailableError(Error, RuntimeError):
    """An optional part, package or device is not here."""


class OutOfMemoryError(Error, MemoryError):
    """There is no memory for it."""


class CanceledError(Error):
    """The progress function said stop."""


class StaleError(Error, LookupError):
    """The body or joint is gone: it was removed, or it broke; or the world was closed."""


class Remark(UserWarning):
    """Done, with a remark: something of the input was left out, or the file holds less than the data."""


_ERRORS: Dict[int, Type[Error]] = {
    lib.br_errorMisuse: InputError,
    lib.br_errorMemory: OutOfMemoryError,
    lib.br_errorCanceled: CanceledError,
    lib.br_errorFile: FileError,
    lib.br_errorFormat: FormatError,
    lib.br_errorUnsupported: UnsupportedError,
    lib.br_errorLimit: LimitError,
    lib.br_errorGeometry: GeometryError,
    lib.br_errorUnavailable: UnavailableError,
}


def text_of(characters: Any) -> str:
    return str(ffi.string(characters).decode("utf-8", "replace"))


def failure(result: int, report: Any) -> Error:
    """The exception for a negative result."""
    text = text_of(report.text) or text_of(lib.brResult_Describe(result))
    error = _ERRORS.get(result, Error)(text)
    error.code = text_of(lib.brResult_GetName(result))
    error.element = int(report.element) if report.element >= 0 and result != lib.br_errorMisuse else None
    error.line = int(report.line) or None
    error.byte = int(report.byte) or None
    return error


# Worker threads


class _Team:
    """Threads that share the loops of a call. They end when nothing uses them any more."""

    def __init__(self, count: int) -> None:
        self.pid = os.getpid()
        self.pointer = ffi.NULL
        if count != 1:
            definition = ffi.new("brWorkersDef*", lib.brDefaultWorkersDef())
            definition.workerCount = count
            self.pointer = lib.brCreateWorkers(definition)

    def __del__(self) -> None:
        if self.pointer and self.pid == os.getpid():  # a child that was forked has none of these threads
            lib.brDestroyWorkers(self.pointer)


_wanted = 0
_team: Optional[_Team] = None


def set_workers(count: int) -> None:
    """How many threads a call may use from now on; 0: one for each core, as at the start. Results do not depend on it."""
    global _wanted, _team
    _wanted = integer(count, "the number of workers", 0, int(lib.BR_MAX_WORKERS))
    _team = None


def team(count: Optional[int] = None) -> _Team:
    """The team that all calls share, or a new one of `count` threads."""
    global _team
    if count is not None:
        return _Team(integer(count, "workers", 0, int(lib.BR_MAX_WORKERS)))
    if _team is None or _team.pid != os.getpid():
        _team = _Team(_wanted)
    return _team


# Calls

_CANCEL = ffi.addressof(lib, "brPython_Cancel")


class Call:
    """What one call lends to the library: workers, a report, and a way to say stop.

    with Call(progress) as call:
        call.check(lib.brCreateMesh(call.context, definition, out, call.report))
    """

    __slots__ = ("report", "context", "_team", "_state", "_handle", "_error", "_bar")

    def __init__(self, progress: Progress = None, workers: Optional[_Team] = None) -> None:
        self.report = ffi.new("brReport*")
        self._team = team() if workers is None else workers
        self._error: Optional[BaseException] = None
        self._bar = progress_function(progress)

    def __enter__(self) -> "Call":
        self._handle = ffi.new_handle(self)
        self._state = ffi.new("brPythonCall*", (self._handle, time.time() + 0.02))
        self.context = ffi.new("brContext*")
        self.context.workers = self._team.pointer
        self.context.cancel = _CANCEL
        self.context.cancelUser = self._state
        self.context.log = lib.brPython_Log
        return self

    def __exit__(self, *_: object) -> None:
        self._handle = None
        if self._bar is not None:
            self._bar(math.inf)

    def check(self, result: int) -> int:
        """Raises what went wrong, warns of a remark."""
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        if result < 0:
            raise failure(result, self.report)
        if result > 0:
            warnings.warn(text_of(self.report.text), Remark, stacklevel=3)
        return result

    def check_saved(self, result: int) -> None:
        """The same after writing a file. That a format holds less than the data is told to the log alone."""
        if result == lib.br_remarkApproximate and self._error is None:
            _log.info("%s", text_of(self.report.text))
        else:
            self.check(result)

    def ask(self, progress: float) -> bool:
        """Here Ctrl-C arrives, as a KeyboardInterrupt."""
        if self._bar is not None and self._bar(progress) is True:
            return True
        return self._error is not None

    def fail(self, error: Optional[BaseException]) -> None:
        self._error = self._error or error


class PointFunction:
    """A function of a place that C calls, such as a density of sites."""

    def __init__(self, function: Callable[[Array], float], call: Call, name: str) -> None:
        if not callable(function):
            raise TypeError(f"{name} is a function of a point, not {function!r}")
        self.function, self.call = function, call
        self.handle = ffi.new_handle(self)

    def value(self, point: Any) -> float:
        return float(self.function(np.array((point.x, point.y, point.z))))

    def fail(self, error: Optional[BaseException]) -> None:
        self.call.fail(error)


def _stop(_: object, error: Any, trace: Any) -> bool:
    """An exception inside a callback: the call is canceled, and `Call.check` raises it again."""
    ffi.from_handle(trace.tb_frame.f_locals["handle"]).fail(error)
    return True


def _zero(_: object, error: Any, trace: Any) -> float:
    _stop(_, error, trace)
    return 0.0


@ffi.def_extern(onerror=_stop, error=True)  # type: ignore[misc]
def brPython_Ask(progress: float, handle: Any) -> bool:
    return bool(ffi.from_handle(handle).ask(progress))


@ffi.def_extern(onerror=_zero)  # type: ignore[misc]
def brPython_Density(point: Any, handle: Any) -> float:
    return float(ffi.from_handle(handle).value(point))


@ffi.def_extern(onerror=_zero)  # type: ignore[misc]
def brPython_Strength(point: Any, handle: Any) -> float:
    return float(ffi.from_handle(handle).value(point))


@ffi.def_extern(onerror=_zero)  # type: ignore[misc]
def brPython_Swelling(point: Any, handle: Any) -> float:
    return float(ffi.from_handle(handle).value(point))


@ffi.def_extern()  # type: ignore[misc]
def brPython_Log(level: int, text: Any, _: Any) -> None:
    _log.log(logging.WARNING if level >= lib.br_logWarning else logging.INFO, "%s", text_of(text))


def progress_function(progress: Progress) -> Optional[Callable[[float], object]]:
    """True is a bar of tqdm where that is installed; a function gets the share that is done."""
    if progress is None or progress is False:
        return None
    if progress is not True:
        if not callable(progress):
            raise TypeError(f"progress is True or a function of a number from 0 to 1, not {progress!r}")
        function = progress
        return lambda done: None if done > 1.0 else function(done)
    try:
        from tqdm.auto import tqdm  # type: ignore[import]
    except ImportError:
        return None
    bar = tqdm(total=1.0, bar_format="{l_bar}{bar}| {elapsed}<{remaining}")

    def show(done: float) -> None:
        bar.update((1.0 if done > 1.0 else done) - bar.n)
        if done > 1.0:
            bar.close()

    return show


# Values in


def number(value: Any, name: str) -> float:
    if isinstance(value, (str, bytes)) or isinstance(value, complex):
        raise TypeError(f"{name} is a number, not {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a number, not {shown(value)}") from None


def integer(value: Any, name: str, lower: int = -(2**31), upper: int = 2**31 - 1) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is a whole number, not {value!r}")
    try:
        whole = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {shown(value)}") from None
    if not lower <= whole <= upper:
        raise InputError(f"{name} is a whole number from {lower} to {upper}, not {whole}")
    return whole


def truth(value: Any, name: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is True or False, not {shown(value)}")
    return bool(value)


def numbers(value: Any, count: int, name: str) -> Tuple[float, ...]:
    """`count` finite numbers, as C takes a vector."""
    if isinstance(value, (str, bytes, dict, set)):
        raise TypeError(f"{name} is {count} numbers, not {shown(value)}")
    try:
        out = tuple(float(item) for item in value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {count} numbers, not {shown(value)}") from None
    if len(out) != count:
        raise InputError(f"{name} is {count} numbers, not {len(out)}")
    for item in out:
        if not math.isfinite(item):
            raise InputError(f"{name} is {count} finite numbers, not {shown(value)}")
    return out


def vec3(value: Any, name: str) -> Tuple[float, ...]:
    return numbers(value, 3, name)


def quaternion(value: Any, name: str) -> Tuple[float, ...]:
    """x, y, z, w of any length but 0; C gets it at length 1."""
    x, y, z, w = numbers(value, 4, name)
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if not length > 0.0:
        raise InputError(f"{name} is a quaternion x, y, z, w of a length above 0")
    return (x / length, y / length, z / length, w / length)


def path_bytes(path: Any, name: str = "the path") -> bytes:
    if isinstance(path, (bytes, bytearray)) or not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{name} is a string or a Path, not {shown(path)}")
    data = os.fsencode(path)
    if b"\0" in data:
        raise InputError(f"{name} has a zero character in it")
    return data


def array_of(value: Any, dtype: str, columns: Optional[int], name: str) -> Array:
    """Any array-like as a C array of rows of `columns` numbers (None: a flat one). A copy only where it must be."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):  # type: ignore[no-untyped-call]
        raise InputError(f"{name} has masked values")
    try:
        array: Array = np.asarray(value)
    except ValueError:
        array = np.empty(0, object)
    if array.dtype.kind not in "fiub":
        if array.size == 0 and array.dtype.kind != "O":
            array = array.astype(dtype)
        else:
            raise TypeError(f"{name} is an array of numbers, not {shown(value)}")
    if np.dtype(dtype).kind in "iu":
        array = _whole(array, dtype, name)
    wanted = f"(n, {columns})" if columns else "(n,)"
    if array.size == 0 and array.ndim <= 2:
        array = array.reshape((0, columns) if columns else 0)
    if array.ndim != (2 if columns else 1) or (columns and array.shape[1] != columns):
        raise InputError(f"{name} is an array of shape {wanted}, not {array.shape}")
    if array.shape[0] > 2**31 - 1:
        raise LimitError(f"{name} has {array.shape[0]} rows; at most 2147483647 go into one call")
    return np.ascontiguousarray(array, dtype)


def _whole(array: Array, dtype: str, name: str) -> Array:
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{name} is an array of whole numbers, not of {array.dtype}")
    limits = np.iinfo(dtype)
    if array.size and not np.can_cast(array.dtype, dtype) and (int(array.max()) > limits.max or int(array.min()) < limits.min):
        raise InputError(f"{name} has numbers outside {limits.min} to {limits.max}")
    return array


def finite(array: Array, name: str) -> Array:
    if not np.isfinite(array).all():
        place = np.argwhere(~np.isfinite(array))[0]
        raise InputError(f"{name} is not finite at row {int(place[0])}")
    return array


def pointer(array: Optional[Array], kind: str) -> Any:
    """For C to read; the array must stay until the call is over."""
    if array is None or array.size == 0:
        return ffi.NULL
    return ffi.cast(kind, ffi.from_buffer(array))


def shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with shape {value.shape}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


class Unpicklable:
    """What lives in the library's memory and has no bytes of its own: a sentence instead of a complaint about cffi."""

    _instead = "make it again from what it was made of"

    def __reduce__(self) -> Tuple[Any, ...]:
        raise TypeError(f"a {type(self).__name__} can be neither pickled nor copied: {self._instead}")


# Options: members of a def, by their names in snake_case


def type_name(ctype: Any) -> str:
    """struct brDVec3 -> brDVec3"""
    return str(ctype.cname).split(" ", 1)[1] if ctype.kind in ("struct", "enum") and " " in ctype.cname else str(ctype.cname)


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match[1].lower(), name)


@functools.lru_cache(maxsize=None)
def enum_names(kind: str) -> Dict[int, str]:
    """br_sitesUniform, br_sitesGrid... are "uniform", "grid"..."""
    elements: Dict[int, str] = ffi.typeof(kind).elements
    common = os.path.commonprefix(list(elements.values()))
    while common and not all(name[len(common):][:1].isupper() for name in elements.values()):
        common = common[:-1]
    return {value: snake(name[len(common):][0].lower() + name[len(common) + 1:]) for value, name in elements.items()}


def choice(value: Any, kind: str, name: str) -> int:
    names = enum_names(kind)
    for number_, text in names.items():
        if text == value:
            return number_
    known = ", ".join(repr(text) for text in names.values() if text not in ("unknown", "count"))
    raise InputError(f"{name} is one of {known}, not {shown(value)}") if isinstance(value, str) else TypeError(
        f"{name} is one of {known}, not {shown(value)}")


def surface_struct(value: Any, name: str) -> Any:
    """A look by a SurfaceMaterial, or a dict of what differs from the default one."""
    struct = ffi.new("brSurfaceMaterial*", lib.brDefaultSurfaceMaterial())
    fields = {f: getattr(value, f) for f in members("brSurfaceMaterial")} if isinstance(value, _records.SurfaceMaterial) else value
    if not isinstance(fields, dict):
        raise TypeError(f"{name} is a SurfaceMaterial or a dict, not {shown(value)}")
    set_members(struct, fields, name)
    return struct[0]


def material_struct(value: Any, name: str = "material") -> Any:
    """A material of C by its name or a Material; refused with a sentence if a number is out of range."""
    if isinstance(value, str):
        found = lib.brFindMaterial(value.encode("utf-8", "replace").replace(b"\0", b"?"))
        if not found:
            known = ", ".join(text_of(lib.brGetMaterial(i).name) for i in range(lib.brGetMaterialCount()))
            raise InputError(f"there is no material {value!r}; there are {known}")
        return found[0]
    if not isinstance(value, _records.Material):
        raise TypeError(f"{name} is a Material or the name of one, not {shown(value)}")
    struct = ffi.new("brMaterial*")
    set_members(struct, {f: getattr(value, f) for f in members("brMaterial")}, name)
    fault = lib.brMaterial_Check(struct)
    if fault:
        raise InputError(f"{name}: {text_of(fault)}")
    return struct[0]


_SETTERS: Dict[str, Callable[[Any, str], Any]] = {
    "double": number,
    "float": number,
    "_Bool": truth,
    "brDVec3": vec3,
    "brVec3": vec3,
    "brVec4": lambda value, name: numbers(value, 4, name),
    "brDBox3": lambda value, name: box_of(value, name),
    "brSurfaceMaterial": surface_struct,
    "brMaterial": material_struct,
}
_INTEGERS = {"int32_t": (-(2**31), 2**31 - 1), "uint32_t": (0, 2**32 - 1), "uint64_t": (0, 2**64 - 1),
             "int64_t": (-(2**63), 2**63 - 1), "size_t": (0, 2**63 - 1)}


def box_of(value: Any, name: str) -> Tuple[Tuple[float, ...], Tuple[float, ...]]:
    try:
        lower, upper = value
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a box (lower, upper), not {shown(value)}") from None
    return vec3(lower, f"{name}[0]"), vec3(upper, f"{name}[1]")


def _setter(ctype: Any) -> Optional[Callable[[Any, str], Any]]:
    if type_name(ctype) in _INTEGERS:
        lower, upper = _INTEGERS[type_name(ctype)]
        return lambda value, name: integer(value, name, lower, upper)
    if ctype.kind == "enum":
        return lambda value, name: choice(value, type_name(ctype), name)
    if ctype.kind == "array" and ctype.item.cname == "char":
        return lambda value, name: _text(value, name)[: ctype.length - 1]
    return _SETTERS.get(type_name(ctype))


def name_bytes(value: Any, name: str) -> bytes:
    """A name of at most 63 bytes, as a struct takes it."""
    return _text(value, name)[:63].decode("utf-8", "ignore").encode("utf-8")


def _text(value: Any, name: str) -> bytes:
    if not isinstance(value, str):
        raise TypeError(f"{name} is a string, not {shown(value)}")
    return value.encode("utf-8")


@functools.lru_cache(maxsize=None)
def members(struct: str) -> Dict[str, Tuple[str, Callable[[Any, str], Any]]]:
    """What may be set in a struct: snake_case name -> name in C, and what turns a value into C."""
    fields = ffi.typeof(struct).fields
    lists = {name for name, field in fields if field.type.kind == "pointer"}
    out = {}
    for name, field in fields:
        setter = _setter(field.type)
        counted = name[:-5] if name.endswith("Count") else name
        if setter is None or name == "stamp" or (counted != name and (counted in lists or counted + "s" in lists)):
            continue
        out[snake(name)] = (name, setter)
    return out


def set_members(struct: Any, options: Dict[str, Any], what: str) -> None:
    """Options into a def; None leaves the default. An unknown name is refused with the list of those there are."""
    known = members(type_name(ffi.typeof(struct).item))
    for name, value in options.items():
        if name not in known:
            raise TypeError(f"{what} has no option {name!r}; there are {', '.join(sorted(known))}")
        if value is not None:
            setattr(struct, known[name][0], known[name][1](value, name))


def definition(struct: str, options: Dict[str, Any], what: str, *arguments: Any) -> Any:
    """A def with its defaults, and `options` set."""
    name = "brDefault" + struct[2:]
    out = ffi.new(struct + "*", getattr(lib, name)(*arguments))
    set_members(out, options, what)
    return out


def with_options(struct: str, *hidden: str) -> Callable[[Function], Function]:
    """Adds the members of a def to the text of a function that takes them as **options."""

    def add(function: Function) -> Function:
        words = _records.WORDS[struct]
        lines = [f"    {name}: {words.get(name, '')}".rstrip() for name in members(struct) if name not in hidden]
        head = (function.__doc__ or "").rstrip()
        function.__doc__ = "\n".join([head, "", f"    Options (of the C library's {struct}):", *("    " + line for line in lines)])
        return function

    return add


# Values out


class _View:
    """Memory of the library as an array that keeps its owner: the memory stays as long as the array does."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: Any, address: int, shape: Tuple[int, ...], dtype: Any) -> None:
        self.owner = owner
        kind = np.dtype(dtype)
        self.__array_interface__ = {
            "data": (address, True), "shape": shape, "version": 3, "typestr": kind.str,
            "descr": kind.descr if kind.names is None else [("", kind.str)],
        }


def view(owner: Any, memory: Any, shape: Tuple[int, ...], dtype: Any) -> Array:
    """A read-only array over memory that `owner` keeps; of structs too."""
    kind = np.dtype(dtype)
    if not memory or 0 in shape:
        empty: Array = np.empty(shape, kind)
        empty.flags.writeable = False
        return empty
    if kind.names is None:
        return np.asarray(_View(owner, int(ffi.cast("uintptr_t", memory)), shape, kind))
    raw = _View(owner, int(ffi.cast("uintptr_t", memory)), (shape[0] * kind.itemsize,), np.uint8)
    return np.asarray(raw).view(kind)


def copied(memory: Any, count: int, dtype: Any) -> Array:
    """A copy of `count` items, for memory that does not stay."""
    kind = np.dtype(dtype)
    out: Array = np.empty(count, kind)
    if count and memory:
        ffi.memmove(out.view(np.uint8).reshape(-1) if kind.names is None else out.view(np.uint8), memory, count * kind.itemsize)
    return out


_DTYPES: Dict[str, Any] = {
    "double": "f8", "float": "f4", "_Bool": "?", "int32_t": "i4", "uint32_t": "u4", "int64_t": "i8", "uint64_t": "u8",
    "int16_t": "i2", "uint8_t": "u1", "int8_t": "i1", "brDVec3": ("f8", 3), "brVec3": ("f4", 3), "brVec4": ("f4", 4),
    "brMat3": ("f8", (3, 3)), "brQuat": ("f8", 4), "brTransform": ("f8", 7), "brDBox3": ("f8", (2, 3)), "brBodyId": "u8", "brJointId": "u8",
    "brStress": ("f8", 6), "brPair": ("i4", 2),
}


@functools.lru_cache(maxsize=None)
def dtype_of(struct: str) -> Any:
    """A struct of the library as numpy sees it, read off the compiled module: names in snake_case, pointers left out."""
    if struct in _DTYPES:
        return np.dtype(_DTYPES[struct])
    ctype = ffi.typeof(struct)
    names: List[str] = []
    formats: List[Any] = []
    offsets: List[int] = []
    for name, field in ctype.fields:
        kind = _member_dtype(field.type)
        if kind is not None and name not in ("stamp", "allocator"):
            names.append(snake(name))
            formats.append(kind)
            offsets.append(field.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(struct)})


def _member_dtype(ctype: Any) -> Any:
    if type_name(ctype) in _DTYPES:
        return np.dtype(_DTYPES[type_name(ctype)])
    if ctype.kind == "enum":
        return np.dtype("i4")
    if ctype.kind == "array" and ctype.item.cname == "char":
        return np.dtype(f"S{ctype.length}")
    if ctype.kind == "array":
        inner = _member_dtype(ctype.item)
        return None if inner is None else np.dtype((inner, (ctype.length,)))
    return dtype_of(type_name(ctype)) if ctype.kind == "struct" else None


def vector(value: Any) -> Array:
    return np.array((value.x, value.y, value.z))


def matrix(value: Any) -> Array:
    """Columns of C as a matrix that multiplies from the left."""
    return np.array([vector(value.cx), vector(value.cy), vector(value.cz)]).T.copy()


def body_key(value: Any) -> int:
    return int(value.index1) | int(value.generation) << 32


_GETTERS: Dict[str, Callable[[Any], Any]] = {
    "brDVec3": vector,
    "brVec3": vector,
    "brVec4": lambda v: np.array((v.x, v.y, v.z, v.w)),
    "brMat3": matrix,
    "brDBox3": lambda v: np.array((vector(v.lower), vector(v.upper))),
    "brBodyId": body_key,
    "brStress": lambda v: np.array((v.xx, v.yy, v.zz, v.xy, v.xz, v.yz)),
}


# Classes that add something to a record, by the name of the struct.
RECORD_CLASSES: Dict[str, type] = {}


def _getter(ctype: Any) -> Callable[[Any], Any]:
    if type_name(ctype) in _GETTERS:
        return _GETTERS[type_name(ctype)]
    if ctype.kind == "enum":
        names = enum_names(type_name(ctype))
        return lambda value: names.get(int(value), str(value))
    if type_name(ctype) in ("char *", "char const *", "const char *") or (ctype.kind == "array" and ctype.item.cname == "char"):
        return lambda value: text_of(value) if value else ""
    if ctype.kind == "array":
        return lambda value: np.array(list(value))
    if ctype.kind == "struct":
        name = type_name(ctype)
        cls = RECORD_CLASSES.get(name) or getattr(_records, name[2:])
        return lambda value: record(cls, value)
    return lambda value: value


@functools.lru_cache(maxsize=None)
def _record_getters(cls: type) -> Tuple[Tuple[str, str, Callable[[Any], Any]], ...]:
    known = {snake(name): (name, field.type) for name, field in ffi.typeof("br" + _record_name(cls)).fields}
    return tuple((f, known[f][0], _getter(known[f][1])) for f in cls.__dataclass_fields__)  # type: ignore[attr-defined]


def _record_name(cls: type) -> str:
    return next(base.__name__ for base in cls.__mro__ if base.__module__ == _records.__name__)


def record(cls: Type[Record], struct: Any) -> Record:
    """A struct that a call filled, as one of the classes of the package."""
    return cls(**{name: get(getattr(struct, member)) for name, member, get in _record_getters(cls)})  # type: ignore[arg-type]


def strings(values: Iterable[str]) -> Any:
    """An array of C strings, and what keeps them."""
    kept = [ffi.new("char[]", value.encode("utf-8")) for value in values]
    return ffi.new("const char*[]", kept), kept
