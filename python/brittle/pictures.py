# SPDX-License-Identifier: MIT
"""Pictures as arrays. In a notebook they show themselves."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _call
from ._call import Call, Progress, ffi, lib
from .files import assembly_of, parts_of


class Picture:
    """(height, width, 4) RGBA bytes, top row first, sRGB. `np.asarray(picture)` is the array itself."""

    def __init__(self, pixels: npt.NDArray[np.uint8]) -> None:
        self.pixels = pixels

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> npt.NDArray[Any]:
        return self.pixels if dtype is None or dtype == self.pixels.dtype else self.pixels.astype(dtype)

    def save(self, path: Union[str, Path]) -> None:
        """Writes a .png."""
        name = _call.path_bytes(path)
        data = self._repr_png_()
        with Call() as call:
            call.check(lib.brSaveBytes(call.context, ffi.from_buffer(data), len(data), name, call.report))

    def _repr_png_(self) -> bytes:
        height, width = self.pixels.shape[:2]
        rows = np.concatenate((np.zeros((height, 1), np.uint8), self.pixels.reshape(height, -1)), axis=1)
        out = b"\x89PNG\r\n\x1a\n"
        for kind, data in (
            (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)),
            (b"IDAT", zlib.compress(rows.tobytes(), 6)),
            (b"IEND", b""),
        ):
            out += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        return out

    def __repr__(self) -> str:
        return f"<brittle.Picture: {self.pixels.shape[1]} x {self.pixels.shape[0]}>"


@_call.with_options("brRenderDef", "width", "height")
def picture(things: Any, width: int = 640, height: int = 480, *, progress: Progress = None, **options: Any) -> Picture:
    """Draws a mesh, a list of meshes or a dict of named ones.

    Args:
        things: What is drawn; (mesh, shift) pairs put meshes elsewhere.
        width: [px]
        height: [px]
        progress: True for a bar, or a function of the share that is done.
    """
    with Call(progress) as call:
        return render(assembly_of(parts_of(things), call), call, {"width": width, "height": height, **options})


def render(assembly: Any, call: Call, options: Any) -> Picture:
    definition = _call.definition("brRenderDef", options, "picture")
    if not 16 <= definition.width <= 16384 or not 16 <= definition.height <= 16384:
        raise _call.InputError(f"a picture has 16 to 16384 pixels a side, not {definition.width} x {definition.height}")
    pixels = np.empty((definition.height, definition.width, 4), np.uint8)
    call.check(lib.brRender(call.context, assembly, definition, _call.pointer(pixels, "uint8_t*"), call.report))
    return Picture(pixels)


def show_html(things: Any, title: str, **options: Any) -> str:
    """For notebooks: a small picture with its title."""
    options.setdefault("samples", 8)
    data = picture(things, 320, 240, **options)._repr_png_()
    source = base64.b64encode(data).decode()
    return f'<div><img src="data:image/png;base64,{source}" width="320" height="240"/><div>{html.escape(title)}</div></div>'
