# SPDX-License-Identifier: MIT
"""A scene as a dict, played and written as a moving .glb, with a picture of three instants."""

from pathlib import Path

import numpy as np

import brittle

SCENE = {
    "scene": "A ball and a wall of bowls",
    "duration": 1.0,
    "frame_rate": 30,
    "ground": "marble",
    "models": {"bowl": {"make": "bowl", "res": 24}, "ball": {"make": "icosphere", "with": {"diameter": 0.12}}},
    "bodies": [
        {"name": "bowl", "model": "bowl", "material": "porcelain", "position": [0, 0, 0], "fracture": {"pieces": 40}, "repeat": {"stack": 3, "spacing": [0, 0, 0.12]}},
        {"name": "ball", "model": "ball", "material": "granite", "position": [-1.0, 0.0, 0.2], "velocity": np.array([8.0, 0.0, 0.0])},
    ],
}


def main(folder: Path) -> None:
    run = brittle.Scene(SCENE).run()
    print(run, f"energy {run.steps['kinetic'][0]:.1f} J before, {run.steps['energy_broken'][-1]:.2f} J in new surface")
    run.recording.save(folder / "bowls.glb")
    frame = ((-0.3, -0.25, 0.0), (0.35, 0.25, 0.4))
    shots = [np.asarray(run.recording.picture(t, 360, 300, samples=16, frame=frame)) for t in (0.1, 0.2, 0.6)]
    brittle.Picture(np.concatenate(shots, axis=1)).save(folder / "bowls.png")


if __name__ == "__main__":
    main(Path("."))
