# SPDX-License-Identifier: MIT
"""The ten examples run, and write what they say."""

import importlib
from pathlib import Path

import pytest

EXAMPLES = {
    "break_a_vase": ["vase.glb", "vase.png"],
    "k_along_a_front": ["intensities.svg", "stress.png"],
    "heights": ["heights.svg"],
    "masses": ["masses.svg"],
    "dataset": ["bowl_0000.npz"],
    "two_worlds": ["two_worlds.txt"],
    "own_pattern": ["spiral.glb", "spiral.png"],
    "cloth": ["cloth.svg", "cloth.png"],
    "height_field": ["relief.png", "relief.glb"],
    "animate": ["bowls.glb", "bowls.png"],
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, tmp_path, quick_pictures, capsys):
    importlib.import_module(name).main(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} >= set(EXAMPLES[name])
    assert all(path.stat().st_size > 0 for path in tmp_path.iterdir())
    assert capsys.readouterr().out


def test_all_are_run():
    folder = Path(__file__).resolve().parent.parent / "examples"
    assert {path.stem for path in folder.glob("*.py")} == set(EXAMPLES) | {"svg"}
