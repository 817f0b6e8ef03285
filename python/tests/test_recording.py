# SPDX-License-Identifier: MIT
import gc
from pathlib import Path

import numpy as np
import pytest

import brittle

SCENE = {
    "duration": 0.6, "frame_rate": 30, "ground": "marble", "models": {"plate": {"make": "plate", "res": 16}},
    "bodies": [{"name": "plate", "model": "plate", "material": "porcelain", "position": np.array([0, 0, 0.8]), "rotation": [0, 60, 0], "velocity": [0, 0, -4],
                "fracture": {"pieces": 20}}],
}  # fmt: skip


def test_scene_as_dict():
    scene = brittle.Scene(SCENE)
    assert scene.names == ["plate"] and scene.duration == 0.6
    run = scene.start()
    assert [frame for frame in run] == list(range(1, 19)) and run.is_done
    assert run.break_count >= 1 and run.piece_count > 1 and len(run.steps) >= 18
    assert (run.steps["kinetic"] + run.steps["potential"] + run.steps["energy_broken"] <= run.steps["energy_in"] * (1 + 1e-6) + 1e-6).all()
    recording = run.recording
    assert len(recording) == 19 and recording.breaks["pieces"].sum() == run.piece_count
    states = {tuple(row["pose"]) for row in run.world.states}
    last = recording.poses(-1)
    there = ~np.isnan(last[:, 0])
    assert there.sum() in (len(states), len(states) - 1, len(states) + 1)


def test_recording_keeps_its_run():
    recording = brittle.Scene(SCENE).run().recording
    gc.collect()
    assert recording.mesh(0).positions.shape[1] == 3 and len(recording.bodies) > 3


def test_files_and_checkpoints(tmp_path):
    scene = brittle.Scene(SCENE)
    run = scene.start()
    for _ in range(6):
        run.frame()
    run.save_checkpoint(tmp_path / "half")
    whole = run.play()
    again = brittle.Run(scene, checkpoint=tmp_path / "half").play()
    assert again.world.hash == whole.world.hash
    for ending in ("brec", "glb", "usda"):
        whole.recording.save(tmp_path / f"r.{ending}")
    loaded = brittle.Recording.load(tmp_path / "r.brec")
    assert np.array_equal(loaded.poses(10), whole.recording.poses(10), equal_nan=True)
    assert Path(tmp_path / "r.glb").stat().st_size > 1000


def test_capture():
    world = brittle.World()
    world.add_ground()
    vase = world.add_breakable(brittle.Mesh.model("vase", 24), "porcelain", position=(0, 0, 0.6))
    brick = brittle.Shape.box((0.1, 0.05, 0.05))
    bricks = [world.add(brick, position=(1, 0.3 * i, 0.05)) for i in range(3)]
    recording = brittle.Recording(60)
    for _ in range(40):
        world.step(1 / 60)
        recording.capture(world, {vase.id: "vase"})
    bodies = recording.bodies
    assert bodies["name"][0] == b"vase" and len(recording) == 40 and len(recording.breaks) >= 1
    pieces = bodies[bodies["kind"] == 1]
    first = pieces[pieces["parent"] == 0]  # others are pieces of pieces
    assert (first["born_frame"] == bodies["gone_frame"][0]).all() and len(first) > 1
    assert (pieces["born_frame"] == bodies["gone_frame"][pieces["parent"]]).all()
    assert len(set(bodies["mesh"][1:4])) == 1  # bricks share one
    assert recording.poses(39)[1, :3] == pytest.approx(bricks[0].position, abs=1e-5)  # a box has its center there


def test_changes(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("duration: 2\nmodels: {box: {make: box}}\nbodies: [{model: box, material: glass}]\n")
    assert brittle.Scene.load(path, "bodies.0.velocity=[1, 0, 0]", duration=0.5).duration == 0.5
    assert brittle.Scene(path.read_text()).duration == 2
    with pytest.raises(brittle.FormatError, match="nonsense"):
        brittle.Scene({"nonsense": 1, "bodies": []})


def test_closed_runs():
    with brittle.Scene(SCENE).start() as run:
        run.frame()
        world = run.world
    with pytest.raises(brittle.StaleError):
        world.step()
    with pytest.raises(brittle.StaleError):
        run.frame()


def test_pictures_over_time():
    recording = brittle.Scene(SCENE).run().recording
    first, last = (np.asarray(recording.picture(t, 64, 48, samples=1, frame=((-0.3, -0.3, 0), (0.3, 0.3, 0.8)))) for t in (0.0, 0.6))
    assert (first != last).any() and "data:image/png" in recording._repr_html_()
