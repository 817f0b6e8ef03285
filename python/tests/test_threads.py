# SPDX-License-Identifier: MIT
"""Threads, Ctrl-C, progress, forks."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import brittle


def pile(seed=0, workers=1):
    world = brittle.World(workers=workers)
    world.add_ground()
    brick = brittle.Shape.box((0.12, 0.06, 0.04))
    for i in range(60):
        world.add(brick, position=(0.26 * (i % 5) + 0.01 * seed, 0.2, 0.05 + 0.09 * (i // 5)))
    return world


def test_other_threads_run_during_a_call():
    """A thread that counts goes on while the main thread is in C."""
    statue = brittle.Mesh.model("statue")
    counts, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counts[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    time.sleep(0.01)
    before = counts[0]
    statue.shatter(3000)
    during = counts[0] - before
    done.set()
    thread.join()
    assert during > 5


def test_two_worlds_in_two_threads_are_right():
    expected = [pile(seed).step(steps=30).hash for seed in (0, 1)]
    worlds = [pile(0), pile(1)]
    threads = [threading.Thread(target=world.step, kwargs={"steps": 30}) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [world.hash for world in worlds] == expected


def test_one_world_may_be_asked_while_it_steps():
    world = pile()
    thread = threading.Thread(target=world.step, kwargs={"steps": 60})
    thread.start()
    while thread.is_alive():
        assert world.poses.shape == (61, 7) and len(world.states) == 61
    thread.join()
    assert world.hash == pile().step(steps=60).hash


INTERRUPT = """
import brittle, os, signal, threading, time
statue = brittle.Mesh.model("statue")
threading.Timer(0.15, os.kill, (os.getpid(), signal.SIGINT)).start()
begin = time.perf_counter()
try:
    while True:
        statue.shatter(20000)
except KeyboardInterrupt:
    print("stopped after", time.perf_counter() - begin)
print(len(brittle.Mesh.model("box").shatter(10)))
"""


def test_ctrl_c_stops_a_call():
    done = subprocess.run([sys.executable, "-c", INTERRUPT], capture_output=True, text=True, timeout=120, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert "stopped after" in done.stdout and done.stdout.split()[-1].isdigit(), done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_stops_steps():
    world = pile()
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        world.step(steps=10**9)
    timer.join()
    assert world.step().stats.bodies == 61


def test_progress():
    shares = []
    statue = brittle.Mesh.model("statue")
    statue.shatter(4000, progress=shares.append)
    assert shares == sorted(shares) and all(0 <= share <= 1 for share in shares) and len(shares) > 0
    with pytest.raises(brittle.CanceledError):
        statue.shatter(4000, progress=lambda share: True)

    def fails(share):
        raise LookupError("from inside")

    with pytest.raises(LookupError, match="from inside"):
        statue.shatter(4000, progress=fails)
    assert len(brittle.Mesh.model("box").shatter(4, progress=True)) == 4


def child(connection, world):
    try:
        world.step()
        connection.send("stepped")
    except brittle.InputError as error:
        connection.send(str(error))
    connection.send(len(brittle.Mesh.model("vase").shatter(200)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("workers, answer", [(1, "stepped"), (2, "forked process")])
def test_forked_processes(workers, answer):
    brittle.Mesh.model("vase").shatter(200)  # the team of threads exists
    world = pile(workers=workers)
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=child, args=(there, world))
    process.start()
    assert here.poll(60) and answer in here.recv()
    assert here.poll(60) and here.recv() >= 200
    process.join()


def test_pool_of_processes():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        counts = pool.map(len, [brittle.Mesh.model("box")] * 4)
    assert counts == [len(brittle.Mesh.model("box"))] * 4


def test_workers_do_not_matter():
    statue = brittle.Mesh.model("statue", 24)
    try:
        sums = []
        for count in (1, 2, 3):
            brittle.set_workers(count)
            sums.append([piece.mesh.positions.sum() for piece in statue.shatter(50)])
    finally:
        brittle.set_workers(0)
    assert sums[0] == sums[1] == sums[2]
