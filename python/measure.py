# SPDX-License-Identifier: MIT
"""What a call costs: overhead, poses, threads, and shattering against C. Prints one row each.

python3 measure.py [PROGRAM] compares with `PROGRAM`, which is built from measure_shatter.c with the same library.
"""

import gc
import resource
import subprocess
import sys
import threading
import time

import numpy as np

import brittle


def best(function, rounds=200, repeat=1, clock=time.perf_counter):
    """Shortest time of one call. [us]"""
    times = []
    gc.disable()
    for _ in range(rounds):
        begin = clock()
        for _ in range(repeat):
            function()
        times.append((clock() - begin) / repeat)
    gc.enable()
    return 1e6 * min(times)


def calls():
    world = brittle.World(workers=1)
    ball = world.add(brittle.Shape.sphere(0.1))
    glass = brittle.Mesh.model("box")
    rows = {
        "len(world)": lambda: len(world), "body.is_alive": lambda: ball.is_alive, "body.mass": lambda: ball.mass,
        "body.position": lambda: ball.position, "body.pose": lambda: ball.pose, "body.velocity": lambda: ball.velocity,
        "body.push": lambda: ball.push((0, 0, 0), (0, 0, 0)), "world.hash": lambda: world.hash, "mesh.positions": lambda: glass.positions,
        "mesh.volume": lambda: glass.volume,
    }  # fmt: skip
    for name, function in rows.items():
        print(f"{name:28} {best(function, 100, 200):8.2f} us")


def poses():
    world = brittle.World(workers=1)
    box = brittle.Shape.box((0.1, 0.1, 0.1))
    for i in range(10000):
        world.add(box, position=(i % 100, i // 100, 5), spin=(1, 2, 3))
    world.step()
    room = np.empty((10000, 7))
    print(f"{'poses of 10,000 bodies':28} {best(lambda: world.poses):8.1f} us")
    print(f"{'the same, into an array':28} {best(lambda: world.poses_into(room)):8.1f} us")
    print(f"{'states of 10,000 bodies':28} {best(lambda: world.states):8.1f} us")


def pile(seed):
    world = brittle.World(workers=1, enable_sleep=False)
    world.add_ground()
    brick = brittle.Shape.box((0.12, 0.06, 0.04))
    for i in range(1500):
        world.add(brick, position=(0.26 * (i % 10) + 0.01 * seed, 0.14 * (i // 10 % 10), 0.05 + 0.09 * (i // 100)))
    return world.step(steps=20)


def threads(steps=40):
    """Speed of two worlds in two threads over one: by the clock, which needs two cores that nobody else uses; and the share of a
    step that holds the interpreter's lock, which bounds it."""
    empty = brittle.World(workers=1)
    held = best(empty.step, 100, 200, time.thread_time)
    world = pile(1)
    step = best(world.step, 20, 1, time.thread_time)
    print(f"{'lock held in a step':28} {held:8.2f} us at most, of {step:.0f} us: two threads reach {2 / (1 + held / step):.3f} times one")
    ratios = []
    for _ in range(5):
        worlds = [pile(1), pile(2)]
        begin = time.perf_counter()
        worlds[0].step(steps=steps)
        alone = time.perf_counter() - begin
        worlds[0] = pile(1)
        before, begin = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
        team = [threading.Thread(target=world.step, kwargs={"steps": steps}) for world in worlds]
        for thread in team:
            thread.start()
        for thread in team:
            thread.join()
        wall = time.perf_counter() - begin
        after = resource.getrusage(resource.RUSAGE_SELF)
        cores = (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) / wall
        ratios.append((2 * alone / wall, cores))
    print(f"{'two worlds, two threads':28} {max(r[0] for r in ratios):8.2f} times one (cores at work: {max(r[1] for r in ratios):.2f})")


def shatter(program):
    """Processor time of one thread."""
    statue = brittle.Mesh.model("statue")
    positions, faces = np.array(statue.positions), np.array(statue.triangles)
    brittle.set_workers(1)

    def work():
        return brittle.Mesh(positions, faces).shatter(100, seed=1).masses

    python, c = [], []
    brittle.Mesh(positions, faces).save("measure_statue.ply")
    for _ in range(4):  # in turn, so that both meet the same machine
        python.append(best(work, 8, clock=time.process_time) / 1e3)
        if program:
            c.append(float(subprocess.run([program, "measure_statue.ply"], check=True, capture_output=True, text=True).stdout))
    line = f"{'shatter from arrays':28} {min(python):8.2f} ms"
    print(line + (f", C {min(c):.2f} ms: {100 * (min(python) / min(c) - 1):+.1f} %" if c else ""))


if __name__ == "__main__":
    calls()
    poses()
    threads()
    shatter(sys.argv[1] if len(sys.argv) > 1 else None)
