# SPDX-License-Identifier: MIT
"""Two worlds in two threads. A step gives the interpreter's lock back, so they run at once."""

import threading
import time
from pathlib import Path

import brittle


def make(seed: int) -> brittle.World:
    world = brittle.World(workers=1)
    world.add_ground()
    brick = brittle.Shape.box((0.12, 0.06, 0.04))
    for i in range(600):
        world.add(brick, position=(0.3 * (i % 10) + 0.01 * seed, 0.2 * (i // 10 % 6), 0.05 + 0.11 * (i // 60)))
    return world


def main(folder: Path, steps: int = 60) -> None:
    begin = time.perf_counter()
    one = make(1).step(steps=steps)
    alone = time.perf_counter() - begin
    worlds = [make(1), make(2)]
    begin = time.perf_counter()
    threads = [threading.Thread(target=world.step, kwargs={"steps": steps}) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    together = time.perf_counter() - begin
    assert worlds[0].hash == one.hash
    text = f"one world {alone:.2f} s, two worlds in two threads {together:.2f} s: {2 * alone / together:.2f} times the speed\n"
    (folder / "two_worlds.txt").write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main(Path("."))
