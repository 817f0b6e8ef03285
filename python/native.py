# SPDX-License-Identifier: MIT
"""The C side of the package: finds or builds the library, and gives cffi what the headers declare."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import cffi

import headers

HERE = Path(__file__).resolve().parent

# What Python adds to C. Long work asks `brPython_Cancel` whether to stop. It goes on to Python, which takes the
# interpreter's lock, no more than every 20 ms: so that is where Ctrl-C is seen and a progress bar moves.
CALLBACKS = """
typedef struct brPythonCall { void* handle; double next; } brPythonCall;
bool brPython_Cancel(double progress, void* user);
extern "Python" bool brPython_Ask(double progress, void* handle);
extern "Python" void brPython_Log(brLogLevel level, const char* text, void* user);
extern "Python" double brPython_Density(brDVec3 point, void* handle);
extern "Python" double brPython_Strength(brDVec3 point, void* handle);
extern "Python" double brPython_Swelling(brDVec3 point, void* handle);
"""
SOURCE = """
#include "brittle/brittle.h"
#include <time.h>

typedef struct brPythonCall { void* handle; double next; } brPythonCall;
static bool brPython_Ask(double progress, void* handle);

static double brPython_Now(void)
{
	struct timespec now;
	timespec_get(&now, TIME_UTC);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool brPython_Cancel(double progress, void* user)
{
	brPythonCall* call = user;
	double now = brPython_Now();
	if (now < call->next && now > call->next - 1.0)
	{
		return false;
	}
	call->next = now + 0.02;
	return brPython_Ask(progress, call->handle);
}
"""


class Library(NamedTuple):
    """A library to link with."""

    include: Path
    archive: Path
    flags: list[str]


def sources() -> Path | None:
    """The folder with the C sources: beside this one in a checkout, inside it in an sdist."""
    for place in (HERE / "native", HERE.parent):
        if (place / "include" / "brittle" / "brittle.h").exists() and (place / "CMakeLists.txt").exists():
            return place
    return None


def version() -> str:
    place = sources()
    include = place / "include" if place else Path(_pkg_config("--variable=includedir"))
    text = (include / "brittle" / "api.h").read_text()
    return ".".join(re.search(rf"BR_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def find(build: Path) -> Library:
    """BRITTLE_ROOT names a build folder or the prefix of an installed library; else the sources are built; else
    pkg-config says where the library is."""
    root = os.environ.get("BRITTLE_ROOT")
    if root:
        place = Path(root).resolve()
        if (place / "libbrittle.a").exists():
            return _of_build(place)
        os.environ["PKG_CONFIG_PATH"] = f"{place}/lib/pkgconfig:" + os.environ.get("PKG_CONFIG_PATH", "")
        return _installed()
    if sources():
        return _build(sources(), build)
    return _installed()


def _build(source: Path, build: Path) -> Library:
    """A copy of the library for this package alone: it needs libc, libm and threads."""
    if not shutil.which("cmake"):
        raise SystemExit("brittle: cmake is not here; it builds the library (or install that, and set BRITTLE_ROOT to its prefix)")
    off = [f"-DBR_{part}=OFF" for part in ("PROGRAM", "TESTS", "SHARED", "INSTALL", "WERROR")]
    options = ["-DCMAKE_BUILD_TYPE=Release", *off, *shlex.split(os.environ.get("BRITTLE_CMAKE", ""))]
    if shutil.which("ninja"):
        options += ["-G", "Ninja"]
    build.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cmake", "-S", str(source), "-B", str(build), "-Wno-dev", *options], check=True)
    subprocess.run(["cmake", "--build", str(build), "--target", "brittle_static", "--parallel"], check=True)
    return _of_build(build)


def _of_build(build: Path) -> Library:
    cache = (build / "CMakeCache.txt").read_text()
    source = Path(re.search(r"^CMAKE_HOME_DIRECTORY:\w+=(.*)$", cache, re.M)[1])
    return Library(source / "include", build / "libbrittle.a", ["-lm", "-lpthread", "-ldl"])


def _pkg_config(*words: str) -> str:
    try:
        return subprocess.run(["pkg-config", *words, "brittle"], check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit("brittle: there are neither sources nor an installed library here; set BRITTLE_ROOT to its prefix") from None


def _installed() -> Library:
    archive = Path(_pkg_config("--variable=libdir")) / "libbrittle.a"
    flags = [flag for flag in shlex.split(_pkg_config("--libs", "--static")) if flag != "-lbrittle"]
    return Library(Path(_pkg_config("--variable=includedir")), archive, flags)


def builder(library: Library) -> cffi.FFI:
    ffi = cffi.FFI()
    ffi.cdef(headers.declarations(library.include) + CALLBACKS)
    ffi.set_source("brittle._native", SOURCE)
    return ffi


def compile_flags() -> list[str]:
    """See headers.py for the pointers that differ by a `const`."""
    return [] if os.name == "nt" else ["-Wno-incompatible-pointer-types", "-Wno-unused-function", "-g0"]


def link_flags() -> list[str]:
    """The library's names stay inside the module: another copy of it in the process is no danger."""
    return ["-Wl,--exclude-libs,ALL", "-Wl,--gc-sections"] if os.uname().sysname == "Linux" else []
