# SPDX-License-Identifier: MIT
import numpy as np
import pytest

import brittle


def test_pairs_are_those_of_brute_force(vase):
    other = vase.transform(translate=(0.03, 0.01, 0.02))
    found = brittle.collide(vase, other)
    brute = brittle.collide(vase, other, method="brute")
    assert {tuple(p) for p in found.pairs} == {tuple(p) for p in brute.pairs} and len(found) > 0
    (a, b, pairs), = found.split()
    assert (a, b) == (0, 1) and len(pairs) == len(found) and pairs[:, 1].max() < len(other.triangles)
    assert len(brittle.collide(vase)) == 0 and len(brittle.collide([vase, other], within=False, find_true=False)) == found.candidate_count


def test_boxes():
    chance = np.random.default_rng(3)
    lower = chance.uniform(0, 1, (300, 3))
    upper = lower + chance.uniform(0, 0.1, (300, 3))
    expected = {(i, j) for i in range(300) for j in range(i + 1, 300) if (lower[i] <= upper[j]).all() and (lower[j] <= upper[i]).all()}
    assert {tuple(p) for p in brittle.collide_boxes(lower, upper).pairs} == expected
    across = brittle.collide_boxes(lower, upper, groups=[0, 100, 300], within=False)
    assert {tuple(p) for p in across.pairs} == {(i, j) for i, j in expected if i < 100 <= j}


def test_tets():
    tets = brittle.Mesh.model("box").tet(500)
    moved = brittle.TetMesh(tets.nodes + 0.9, tets.tets)
    assert len(brittle.collide(tets, moved)) > 0
    deep = brittle.collide(tets, moved, tet_test="sat_mtv")
    assert deep.penetrations["depth"].min() >= 0 and np.linalg.norm(deep.penetrations["direction"], axis=1) == pytest.approx(1)


def test_a_point_through_a_triangle():
    sheet = brittle.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    small = brittle.Mesh([[0.2, 0.2, 0.5], [0.25, 0.2, 0.6], [0.2, 0.25, 0.6]], [[0, 1, 2]])
    contacts = brittle.ccd([sheet, small], [sheet.positions, small.positions - (0, 0, 1)])
    assert contacts.first_time == pytest.approx(0.5, abs=1e-6) and contacts.vertex_faces["a"].tolist()[0] == 3
    assert len(brittle.ccd([sheet, small], [sheet, small])) == 0 and brittle.ccd(sheet, sheet.positions).first_time == 2


def test_tracker():
    tracker = brittle.Tracker()
    for frame in (60, 61, 62):
        meshes = brittle.moving_scene("cloth_ball", frame, 16)
        pairs = {tuple(p) for p in tracker.update(meshes)}
        assert pairs == {tuple(p) for p in brittle.collide(meshes, within=True, find_true=False).pairs}
