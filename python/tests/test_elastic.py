# SPDX-License-Identifier: MIT
import numpy as np
import pytest

import brittle


def block(cells=8):
    """The unit cube as a grid of cubes of six tets each: its faces are flat, so a pull has a closed form."""
    line = np.arange(cells + 1)
    x, y, z = (axis.ravel() for axis in np.meshgrid(line, line, line, indexing="ij"))
    number = (x * (cells + 1) + y) * (cells + 1) + z
    inner = (x < cells) & (y < cells) & (z < cells)
    step = np.array([(cells + 1) ** 2, cells + 1, 1])
    tets = []
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (1, 0, 2), (2, 1, 0)):
        corners = number[inner][:, None] + np.array([0, step[a], step[a] + step[b], step.sum()])
        tets.append(corners if (a, b, c) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else corners[:, [0, 2, 1, 3]])
    return brittle.TetMesh(np.stack([x, y, z], axis=1) / cells - (0.5, 0.5, 0.0), np.concatenate(tets))


def ends(tets):
    height = tets.nodes[tets.boundary][:, :, 2]
    return tets.boundary[(height > 1 - 1e-9).all(axis=1)], tets.boundary[(height < 1e-9).all(axis=1)]


def test_a_pulled_block_is_hooke():
    tets = block()
    body = brittle.ElasticBody(tets, "glass")
    top, bottom = ends(tets)
    pull = np.repeat([[0, 0, 1e6], [0, 0, -1e6]], [len(top), len(bottom)], axis=0)
    stats = body.solve(tractions=(np.concatenate([top, bottom]), pull))
    assert stats.residual < 1e-7
    assert body.elements["stress"][:, 2] == pytest.approx(1e6, rel=1e-6) and body.principal_stresses[:, 2] == pytest.approx(1e6, rel=1e-6)
    glass = brittle.Material.preset("glass")
    top_nodes, bottom_nodes = np.unique(top), np.unique(bottom)
    stretch = body.displacements[top_nodes, 2].mean() - body.displacements[bottom_nodes, 2].mean()
    assert stretch == pytest.approx(1e6 / glass.youngs_modulus, rel=1e-6)
    assert body.stress_mesh().colors is not None


def test_own_weight_on_supports():
    tets = block(7)
    body = brittle.ElasticBody(tets, "concrete")
    bottom = np.flatnonzero(tets.nodes[:, 2] < 1e-9)
    body.set_supports(bottom, "z")
    body.set_supports(bottom)
    body.solve(acceleration=(0, 0, -9.81))
    assert body.displacements[bottom] == pytest.approx(0) and body.displacements[:, 2].min() < 0
    forces = body.solve(forces=(np.flatnonzero(tets.nodes[:, 2] > 1 - 1e-9), (0, 0, -1.0)))
    assert forces.energy > 0


def test_cracks_part_the_block():
    tets = block(7)
    body = brittle.ElasticBody(tets)
    sheet = ([[-2, -2, 0.53], [2, -2, 0.53], [2, 2, 0.53], [-2, 2, 0.53]], [[0, 1, 2], [0, 2, 3]])
    body.set_cracks([sheet])
    assert len(body.components) == 2 and body.components["volume"].sum() == pytest.approx(1, rel=1e-6)
    y = np.linspace(-0.6, 0.6, 13)  # a front at x = -0.1, along y
    places = np.concatenate([np.stack([x + 0 * y, y, 0.53 + 0 * y], axis=1) for x in (-0.1, 0.8)])
    i = np.arange(12)
    body.set_cracks([(places, np.concatenate([np.stack([i, i + 13, i + 14], axis=1), np.stack([i, i + 14, i + 1], axis=1)]))])
    top, bottom = ends(tets)
    body.solve(tractions=(np.concatenate([top, bottom]), np.repeat([[0, 0, 1e6], [0, 0, -1e6]], [len(top), len(bottom)], axis=0)))
    front = body.fronts(0)
    inside = front[front["is_inside"]]
    assert len(inside) and (inside["intensity"][:, 0] > 0).all() and body.jump(0, (0.3, 0, 0.53))[2] > 0
    assert inside["position"][:, 0] == pytest.approx(-0.1)
