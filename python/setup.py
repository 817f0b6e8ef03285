# SPDX-License-Identifier: MIT
"""Builds `brittle._native` from the public headers and a static library. See native.py."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from setuptools import Extension, setup  # noqa: E402
from setuptools.command.build_ext import build_ext  # noqa: E402
from setuptools.command.sdist import sdist  # noqa: E402

import headers  # noqa: E402
import native  # noqa: E402

# What the library is built from, as an sdist carries it.
NATIVE_FILES = ["CMakeLists.txt", "LICENSE", "include", "src", "research", "tools"]


class BuildNative(build_ext):
    def build_extension(self, ext: Extension) -> None:
        work = Path(self.build_temp).resolve()
        library = native.find(work / "native")
        source = work / "_native.c"
        source.parent.mkdir(parents=True, exist_ok=True)
        native.builder(library).emit_c_code(str(source))
        ext.sources = [str(source)]
        ext.include_dirs = [str(library.include)]
        ext.extra_compile_args = native.compile_flags()
        ext.extra_objects = [str(library.archive)]
        ext.depends = [str(library.archive)]
        ext.extra_link_args = [*library.flags, *native.link_flags()]
        super().build_extension(ext)
        records = Path(self.get_ext_fullpath(ext.name)).parent / "_records.py"
        records.parent.mkdir(parents=True, exist_ok=True)
        records.write_text(headers.records_module(library.include))

    def copy_extensions_to_source(self) -> None:
        super().copy_extensions_to_source()
        shutil.copy2(Path(self.build_lib) / "brittle" / "_records.py", native.HERE / "brittle")


class SdistWithSources(sdist):
    """The C sources go along in native/, so that the sdist builds anywhere."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        place = native.sources()
        if place is None:
            return
        for name in NATIVE_FILES:
            target = Path(base_dir) / "native" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if (place / name).is_dir():
                shutil.copytree(place / name, target, dirs_exist_ok=True)
            else:
                shutil.copy2(place / name, target)


try:
    from wheel.bdist_wheel import bdist_wheel

    class StableWheel(bdist_wheel):
        """One wheel for every Python from 3.9 on: the module uses the stable interface alone."""

        def finalize_options(self) -> None:
            self.py_limited_api = "cp39"
            super().finalize_options()

    commands = {"bdist_wheel": StableWheel}
except ImportError:
    commands = {}

setup(
    version=native.version(),
    ext_modules=[
        Extension("brittle._native", sources=[], py_limited_api=True, define_macros=[("Py_LIMITED_API", "0x03090000")])
    ],
    cmdclass={"build_ext": BuildNative, "sdist": SdistWithSources, **commands},
)
