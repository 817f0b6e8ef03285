# SPDX-License-Identifier: MIT
"""What the tests share: the program to compare with, a few solids, quick pictures."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import brittle

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "examples"))
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in jobs of a script that run beside it


@pytest.fixture(scope="session")
def program():
    """Runs the program `brittle` of the same sources."""
    path = Path(os.environ.get("BRITTLE_PROGRAM", HERE.parent.parent / "build" / "brittle"))
    if not path.exists():
        pytest.skip("the program is not built here")

    def run(*words, **options):
        return subprocess.run([str(path), *map(str, words)], check=True, capture_output=True, text=True, **options).stdout

    return run


@pytest.fixture(scope="session")
def box():
    return brittle.Mesh.model("box")


@pytest.fixture(scope="session")
def vase():
    return brittle.Mesh.model("vase", 24)


@pytest.fixture
def quick_pictures(monkeypatch):
    """Pictures of examples at a sixteenth of the pixels and one ray each."""
    from brittle import pictures as module

    real = module.render

    def small(assembly, call, options):
        options = {**options, "samples": 1, "width": options["width"] // 4, "height": options["height"] // 4}
        return real(assembly, call, options)

    monkeypatch.setattr(module, "render", small)


def tetrahedron():
    return np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]), np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
