# SPDX-License-Identifier: MIT
"""Drop a vase, watch it break, and keep the film: vase.glb opens in Blender."""

from pathlib import Path

import brittle


def main(folder: Path) -> None:
    world = brittle.World()
    world.add_ground()
    world.add_breakable(brittle.Mesh.model("vase", 48), "porcelain", position=(0, 0, 1.2), rotation=(0.3, 0, 0, 1), seed=3)
    recording = brittle.Recording(frame_rate=60)
    for _ in range(75):
        world.step(1 / 60)
        recording.capture(world)
        for event in world.breaks:
            print(f"hit at {event['speed']:.1f} m/s with {event['force']:.0f} N: {event['piece_count']} pieces, "
                  f"{event['area'] * 1e4:.0f} cm^2 of new surface for {event['energy']:.2f} J")  # fmt: skip
    print(recording)
    recording.save(folder / "vase.glb")
    recording.picture(0.62, samples=16, frame=((-0.3, -0.4, 0), (0.3, 0.4, 0.25))).save(folder / "vase.png")


if __name__ == "__main__":
    main(Path("."))
