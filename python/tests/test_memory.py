# SPDX-License-Identifier: MIT
"""Nothing dangles and nothing is left behind. The long ones run for minutes: pytest -m long."""

import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

import brittle


def resident():
    """Memory of this process. [kB]"""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def shatter_from_arrays(positions, faces, seed):
    pieces = brittle.Mesh(positions, faces).shatter(8, seed=seed)
    return pieces.masses.sum() + pieces[0].mesh.positions.sum() + len(pieces.bonds)


def grown(work, rounds, warm):
    for seed in range(warm):
        work(seed)
    before = resident()
    for seed in range(rounds):
        work(seed)
    return resident() - before


def test_memory_is_flat_for_a_while():
    box = brittle.Mesh.model("box")
    positions, faces = np.array(box.positions), np.array(box.faces)
    assert grown(lambda seed: shatter_from_arrays(positions, faces, seed), 300, 100) < 2000


@pytest.mark.long
def test_memory_is_flat_over_10000_shatters():
    box = brittle.Mesh.model("box")
    positions, faces = np.array(box.positions), np.array(box.faces)
    assert grown(lambda seed: shatter_from_arrays(positions, faces, seed), 10000, 500) < 2000


@pytest.mark.long
def test_memory_is_flat_over_everything():
    plate = brittle.Mesh.model("plate", 12)
    slab = brittle.Mesh.model("box", width=0.4, depth=0.2, height=0.1)

    def work(seed):
        world = brittle.World()
        world.add_ground()
        world.add_breakable(plate, "porcelain", position=(0, 0, 0.5), velocity=(0, 0, -4), seed=seed)
        recording = brittle.Recording()
        for _ in range(15):
            world.step()
            recording.capture(world)
        brittle.World.restore(world.save()).close()
        slab.cut_plane((0, 0, 0.05), (0, 0.1, 1))
        brittle.collide(plate, plate.transform(translate=(0.01, 0, 0)))
        body = brittle.ElasticBody(slab.tet(400))
        body.solve(acceleration=(0, 0, 1))
        with pytest.raises(brittle.Error):
            brittle.Mesh(plate.positions, plate.corners[:30].reshape(-1, 3)).shatter(3)

    assert grown(work, 150, 30) < 4000


def test_objects_are_freed():
    mesh = brittle.Mesh.model("box")
    positions = mesh.positions
    there = weakref.ref(mesh)
    del mesh
    gc.collect()
    assert there() is None and positions.sum() == 4.0  # the array keeps the memory, not the mesh


def test_a_failing_callback_leaves_nothing():
    box = brittle.Mesh.model("box")
    for _ in range(20):
        with pytest.raises(ZeroDivisionError):
            box.sites(20, density=lambda p: 1 / 0)
    assert len(box.sites(20, density=lambda p: 1.0)) == 20


WORK = """
import brittle, gc, numpy as np
box = brittle.Mesh.model("box")
pieces = box.shatter(12)
arrays = [box.positions, box.triangles, pieces[2].mesh.positions, pieces.bonds, box.cut_plane((0, 0, .5), (0, 0, 1))[0].face_parents]
del box, pieces
gc.collect()
print(sum(float(np.asarray(a.view(np.uint8) if a.dtype.names is None else a["area"]).sum()) for a in arrays))
world = brittle.World(workers=1)
world.add_ground()
world.add_breakable(brittle.Mesh.model("plate", 12), "porcelain", position=(0, 0, .3), velocity=(0, 0, -5))
recording = brittle.Recording()
for _ in range(6):
    world.step()
    recording.capture(world)
poses, breaks, mesh = world.poses, world.breaks, world.bodies[-1].mesh
body = world.bodies[-1]
print(body.position.sum(), body.rotation.sum(), body.pose.sum(), body.bounds.sum(), body.center.sum(), body.velocity.sum(), body.matrix.sum())
print(body.material.name, mesh.mass(1.0).center, world.energy.kinetic, world.stats.bodies, world.cast_ray((0, 0, 2), (0, 0, -3)), world.nearest((0, 0, 1)))
print(brittle.ImpactModel(mesh.mend()[0] if not mesh.is_closed else mesh, "glass", tets=60).drop().energy)
world.close()
del world, recording
gc.collect()
print(poses.sum(), len(breaks), mesh.positions.sum())
elastic = brittle.ElasticBody(brittle.Mesh.model("box").tet(400))
elastic.solve(acceleration=(0, 0, 1))
print(elastic.displacements.sum())
tets = brittle.Mesh.model("box").tet(220)
print(tets.nodes.sum(), tets.info.surface_volume)
contacts = brittle.collide(mesh, mesh.transform(translate=(.001, 0, 0))).pairs
try:
    brittle.Mesh(mesh.positions, [[0, 1, 10**6]])
except brittle.Error as error:
    print(error)
print(contacts.sum())
"""


@pytest.mark.long
def test_valgrind_finds_nothing():
    """Every read and write of the library, under valgrind: arrays that outlive what they show, and what was closed."""
    command = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=no", "--undef-value-errors=no", sys.executable, "-c", WORK]
    environment = {**os.environ, "PYTHONMALLOC": "malloc", "BRITTLE_VECTORS": "avx2", "PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=7200)
    except FileNotFoundError:
        pytest.skip("valgrind is not here")
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.long
def test_address_sanitizer_finds_nothing():
    """The same with the address sanitizer preloaded: BRITTLE_ASAN names a package folder built with it."""
    place = os.environ.get("BRITTLE_ASAN")
    if not place:
        pytest.skip("BRITTLE_ASAN names no package built with the address sanitizer")
    runtime = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    environment = {**os.environ, "LD_PRELOAD": runtime, "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc", "PYTHONPATH": place}
    done = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, env=environment, timeout=7200)
    assert done.returncode == 0, done.stderr[-4000:]
