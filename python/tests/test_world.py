# SPDX-License-Identifier: MIT
import copy
import pickle

import numpy as np
import pytest

import brittle


def falling(workers=None, **options):
    world = brittle.World(workers=workers)
    world.add_ground()
    vase = world.add_breakable(brittle.Mesh.model("vase", 24), "porcelain", position=(0, 0, 1), seed=4, **options)
    box = world.add(brittle.Shape.box((0.1, 0.1, 0.1)), position=(1, 0, 0.4), density=500.0)
    return world, vase, box


def test_a_vase_breaks():
    world, vase, box = falling()
    mass = vase.mass
    for _ in range(60):
        world.step()
        if len(world.breaks):
            break
    event = world.breaks[0]  # further ones: pieces that broke again in the same step
    assert event["parent"] == vase.id and event["piece_count"] > 1 and event["speed"] > 4
    assert sum(e["piece_count"] for e in world.breaks) == len(world.break_pieces)
    pieces = [piece for piece in (brittle.Body(world, key) for key in world.break_pieces) if piece.is_alive]
    assert sum(piece.mass for piece in pieces) == pytest.approx(mass)
    assert all(piece.parent == vase.id and piece.generation >= 1 and piece.mesh.volume > 0 for piece in pieces)
    assert not vase.is_alive and pieces[0].material.name == "porcelain"
    with pytest.raises(brittle.StaleError, match="gone"):
        vase.position
    assert box.is_alive and world.break_stats.pieces == len(world.break_pieces)


def test_all_bodies_at_once():
    world, _, box = falling()
    world.step(steps=40)
    states, poses = world.states, world.poses
    assert (states["id"] == world.ids).all() and (states["pose"] == poses).all() and len(world) == len(poses)
    for row, body in zip(states, world.bodies):
        assert (row["pose"] == body.pose).all() and (row["velocity"] == body.velocity).all() and row["mass"] == body.mass
        assert (row["center"] == body.center).all() and row["is_awake"] == body.is_awake
    room = np.empty((len(world) + 5, 7))
    assert (world.poses_into(room) == poses).all()
    assert box.matrix[:3, 3] == pytest.approx(box.position)


def test_snapshots():
    world, *_ = falling()
    world.step(steps=20)
    twins = [pickle.loads(pickle.dumps(world)), copy.copy(world), copy.deepcopy(world), brittle.World.restore(world.save(), workers=1)]
    world.step(steps=20)
    assert len(world) > 3
    for twin in twins:
        twin.step(steps=20)
        assert twin.hash == world.hash and (twin.poses == world.poses).all()
    assert twins[0].bodies[0].mesh is None or True
    state = bytearray(world.save())
    state[len(state) // 2] ^= 0xFF
    with pytest.raises(brittle.Error):
        brittle.World.restore(bytes(state))


def test_any_number_of_workers():
    hashes = set()
    for workers in (1, 2, 4, None):
        world, *_ = falling(workers)
        hashes.add(world.step(steps=40).hash)
    assert len(hashes) == 1


def test_changes_and_pushes():
    world = brittle.World(gravity=(0, 0, 0))
    ball = world.add(brittle.Shape.sphere(0.1), velocity=(1, 0, 0), mass=2.0, user_data=7)
    world.step(0.1)
    assert ball.position == pytest.approx([0.1, 0, 0]) and ball.user_data == 7 and ball.kind == "dynamic"
    ball.push((0, 4, 0))
    assert ball.velocity == pytest.approx([1, 2, 0])
    ball.velocity, ball.spin = (0, 0, 1), (0, 0, 3)
    ball.position = (5, 5, 5)
    ball.rotation = (0, 0, 2, 0)
    assert ball.pose == pytest.approx([5, 5, 5, 0, 0, 1, 0]) and ball.spin == pytest.approx([0, 0, 3]) and ball.velocity == pytest.approx([0, 0, 1])
    ball.twist((0, 0, 1))
    ball.mass = 4.0
    assert ball.mass == 4 and ball.bounds[1] == pytest.approx([5.1] * 3) and world.energy.kinetic > 0
    world.set_gravity((0, 0, -10))
    ball.remove()
    assert len(world) == 0 and not ball.is_alive


def test_joints():
    world = brittle.World()
    roof = world.add(brittle.Shape.box((0.1, 0.1, 0.1)), kind="static", position=(0, 0, 2))
    ball = world.add(brittle.Shape.sphere(0.1), position=(0.5, 0, 2))
    joint = world.join(roof, ball, "ball", anchor=(0, 0, 2))
    world.step(steps=30)
    assert np.linalg.norm(ball.position - (0, 0, 2)) == pytest.approx(0.5, abs=0.01) and joint.is_alive
    joint.remove()
    assert not joint.is_alive
    with pytest.raises(brittle.StaleError):
        joint.remove()


def test_questions():
    world = brittle.World()
    ground = world.add_ground()
    ball = world.add(brittle.Shape.sphere(0.5), position=(0, 0, 3), kind="static")
    hit = world.cast_ray((0, 0, 9), (0, 0, -1))
    assert hit.body == ball.id and hit.distance == pytest.approx(5.5) and hit.normal == pytest.approx([0, 0, 1])
    assert world.cast_ray((9, 0, 9), (0, 0, 1)) is None and world.cast_ray((0, 0, 9), (0, 0, -1), 1.0) is None
    hits = world.cast_rays([[0, 0, 9], [3, 0, 9], [0, 0, 9]], [[0, 0, -1], [0, 0, -1], [0, 0, 1]])
    assert hits["body"].tolist() == [ball.id, ground.id, 0]
    assert world.nearest((0, 0, 4)).distance == pytest.approx(0.5) and world.nearest((0, 0, 3)).distance < 0
    assert ball.id in world.overlaps(brittle.Shape.box((1, 1, 1)), (0, 0, 3))
    assert world.cast_shape(brittle.Shape.sphere(0.5), (0, 0, 9), (0, 0, -9)).distance == pytest.approx(5.0, abs=1e-3)


def test_events_and_contacts():
    world = brittle.World(event_impulse=0.0)
    ground = world.add_ground()
    ball = world.add(brittle.Shape.sphere(0.1), position=(0, 0, 0.3))
    kinds = []
    for _ in range(40):
        world.step()
        kinds += [world.body_event_kinds[k] for k in world.body_events["kind"]]
    assert "body_created" in kinds
    contacts = world.contacts
    assert len(contacts) == 1 and {int(contacts[0]["body_a"]), int(contacts[0]["body_b"])} == {ground.id, ball.id}


def test_clusters_and_breaking_on_demand():
    world = brittle.World()
    world.add_ground()
    wall = world.add_cluster(brittle.Mesh.model("box"), "concrete", position=(0, 0, 1), pieces=12, pattern="grid", anchors=[((-1, -1, -1), (1, 1, 0.4))])
    assert wall.cluster_pieces > 1 and wall.cluster_bonds > 0
    pane = world.add_breakable(brittle.Mesh.model("plate"), "glass", position=(5, 0, 2))
    pane.shatter((5, 0, 2), (0, 0, -1), 1.0)
    world.step()
    assert not pane.is_alive and len(world.break_pieces) > 1


def test_close_and_context():
    with brittle.World() as world:
        ball = world.add(brittle.Shape.sphere(0.1))
        poses = world.poses
    assert poses.shape == (1, 7)
    for use in (world.step, lambda: world.poses, lambda: ball.position, world.save, lambda: world.__enter__()):
        with pytest.raises(brittle.StaleError, match="closed"):
            use()
    assert not ball.is_alive and "closed" in repr(world)
    world.close()


def test_shapes():
    for shape, kind in ((brittle.Shape.capsule(0.1, 0.2), "capsule"), (brittle.Shape.hull(np.random.default_rng(1).normal(size=(30, 3))), "hull"),
                        (brittle.Shape.mesh(brittle.Mesh.model("bowl", 24)), "mesh"), (brittle.Shape.mesh(brittle.Mesh.model("box")), "hull"),
                        (brittle.Shape.half_space(), "half_space"), (brittle.Shape.surface(brittle.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])), "surface")):  # fmt: skip
        assert shape.kind == kind
    assert brittle.Shape.sphere(1.0).mass(1.0).mass == pytest.approx(4 / 3 * np.pi)
    assert brittle.Shape.sphere(1.0).look.volume == pytest.approx(4 / 3 * np.pi, rel=0.05)
    assert brittle.Shape.capsule(1.0, 2.0).look.is_solid


def test_shapes_and_recordings_are_pickled():
    solid = brittle.Mesh.model("statue", 24)
    for shape in (brittle.Shape.sphere(0.2), brittle.Shape.hull(np.random.default_rng(1).random((20, 3))), brittle.Shape.mesh(solid),
                  brittle.Shape.half_space((0, 1, 0), 0.5), brittle.Shape.capsule(0.1, 0.3)):  # fmt: skip
        copy = pickle.loads(pickle.dumps(shape))
        assert copy.kind == shape.kind and copy.mass(1000.0).mass == shape.mass(1000.0).mass
    world = brittle.World()
    world.add_ground()
    world.add_breakable(brittle.Mesh.model("plate", 12), "porcelain", position=(0, 0, 0.3), velocity=(0, 0, -5))
    recording = brittle.Recording()
    for _ in range(5):
        world.step()
        recording.capture(world)
    copy = pickle.loads(pickle.dumps(recording))
    assert len(copy) == 5 and (copy.bodies == recording.bodies).all()
    np.testing.assert_array_equal(copy.poses(4), recording.poses(4))
