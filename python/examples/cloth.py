# SPDX-License-Identifier: MIT
"""A cloth falls on a ball: pairs of triangles that meet in each frame, and what meets between frames."""

from pathlib import Path

import numpy as np
from svg import plot

import brittle


def main(folder: Path, resolution: int = 32) -> None:
    frames = np.arange(40, 92, 4)
    tracker = brittle.Tracker()
    meeting, passing, close = [], [], []
    for frame in frames:
        now, later = brittle.moving_scene("cloth_ball", frame, resolution), brittle.moving_scene("cloth_ball", frame + 1, resolution)
        close.append(len(tracker.update(now)))
        meeting.append(len(brittle.collide(now, within=True)))
        passing.append(len(brittle.ccd(now, later)))
    print(f"frame {frames[-1]}: {close[-1]} pairs of boxes, {meeting[-1]} of triangles, {passing[-1]} contacts until the next frame")
    assert max(passing) > 0
    plot(folder / "cloth.svg", "frame", "pairs", {"triangles that meet": (frames, meeting), "contacts on the way": (frames, passing)})
    brittle.picture(brittle.moving_scene("cloth_ball", 80, resolution), samples=16, color_parts=True).save(folder / "cloth.png")


if __name__ == "__main__":
    main(Path("."))
