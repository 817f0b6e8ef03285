# SPDX-License-Identifier: MIT
"""The same bits as the program, for the same input and seed. Python keeps the axes of arrays: --z-up, where the program would turn them."""

from pathlib import Path

import pytest

import brittle

ROOT = Path(__file__).resolve().parents[2]


def test_shatter(program, tmp_path):
    program("make", "vase", "--res", 24, "-o", tmp_path / "vase.obj", "-q")
    vase = brittle.Mesh.load(tmp_path / "vase.obj")
    for words, options in (
        (["-n", 40, "--seed", 7], {"seed": 7}),
        (["-n", 40], {}),
        (["-n", 40, "--seed", 3, "--pattern", "clustered", "--at", "0.1,0,0.2"], {"seed": 3, "pattern": "clustered", "at": (0.1, 0, 0.2)}),
        (["-n", 40, "--rough", 0.001, "--stretch", "1,1,4"], {"roughness": 0.001, "stretch": (1, 1, 4)}),
    ):
        program("shatter", tmp_path / "vase.obj", *words, "--z-up", "-o", tmp_path / "a.glb", "-q")
        vase.shatter(40, **options).save(tmp_path / "b.glb")
        assert (tmp_path / "a.glb").read_bytes() == (tmp_path / "b.glb").read_bytes()
    program("shatter", tmp_path / "vase.obj", "-n", 9, "--explode", 0.5, "-o", tmp_path / "a.obj", "-q")
    vase.shatter(9).save(tmp_path / "b.obj", explode=0.5)
    first, second = ((tmp_path / name).read_text().replace("a.mtl", "b.mtl") for name in ("a.obj", "b.obj"))
    assert first == second


def test_blow(program, tmp_path):
    program("make", "bowl", "--res", 24, "-o", tmp_path / "bowl.obj", "-q")
    words = ["--energy", 0.3, "--at", "0.05,0,0.05", "--direction", "-1,0,0", "--material", "porcelain", "--seed", 5]
    program("shatter", tmp_path / "bowl.obj", *words, "--z-up", "-o", tmp_path / "a.glb", "-q")
    bowl = brittle.Mesh.load(tmp_path / "bowl.obj")
    bowl.blow("porcelain", at=(0.05, 0, 0.05), direction=(-1, 0, 0), energy=0.3, seed=5, density=1000.0).save(tmp_path / "b.glb")
    assert (tmp_path / "a.glb").read_bytes() == (tmp_path / "b.glb").read_bytes()


@pytest.mark.filterwarnings("ignore::brittle.Remark")
def test_cut_and_tet(program, tmp_path):
    program("make", "statue", "-o", tmp_path / "statue.obj", "-q")
    statue = brittle.Mesh.load(tmp_path / "statue.obj")
    program("cut", tmp_path / "statue.obj", "--normal", "0,0,1", "--point", "0,0,0.9", "-o", tmp_path / "cut", "--format", "ply", "-q")
    files = sorted((tmp_path / "cut").glob("*.ply"))
    pieces = statue.cut_plane((0, 0, 0.9), (0, 0, 1))
    assert len(files) == len(pieces) > 1
    for path, piece in zip(files, pieces):
        piece.mesh.save(tmp_path / "piece.ply")
        assert (tmp_path / "piece.ply").read_bytes() == path.read_bytes()
    program("tet", tmp_path / "statue.obj", "--tets", 3000, "-o", tmp_path / "a.msh", "-q")
    statue.tet(3000).save(tmp_path / "b.msh")
    assert (tmp_path / "a.msh").read_bytes() == (tmp_path / "b.msh").read_bytes()


def test_crack(program, tmp_path):
    program("make", "plate", "--res", 16, "-o", tmp_path / "plate.obj", "-q")
    words = ["--material", "porcelain", "--hit", "0.1,0,0.02", "--impulse", "-1,0,0", "--tets", 3000]
    program("crack", tmp_path / "plate.obj", *words, "--z-up", "-o", tmp_path / "a.glb", "-q")
    plate = brittle.Mesh.load(tmp_path / "plate.obj")
    plate.crack("porcelain", hit=(0.1, 0, 0.02), impulse=(-1, 0, 0), tets=3000).save(tmp_path / "b.glb")
    assert (tmp_path / "a.glb").read_bytes() == (tmp_path / "b.glb").read_bytes()


def test_run(program, tmp_path):
    scene = ROOT / "scenes" / "wine_glass.yaml"
    program("run", scene, "--time", 0.6, "--no-pictures", "-q", "-o", tmp_path / "out")
    run = brittle.Scene.load(scene, duration=0.6).run()
    for ending in ("brec", "glb", "usda"):
        run.recording.save(tmp_path / f"b.{ending}")
        assert (tmp_path / f"b.{ending}").read_bytes() == next((tmp_path / "out").rglob(f"*.{ending}")).read_bytes()
