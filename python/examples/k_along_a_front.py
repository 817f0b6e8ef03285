# SPDX-License-Identifier: MIT
"""Stress intensity along the front of a penny-shaped crack in a block under tension, against the closed form."""

from pathlib import Path

import numpy as np
from svg import plot

import brittle

RADIUS, PULL = 0.22, 1.0e6  # [m] in a block of edge 1 m, [Pa]


def penny(center: tuple, radius: float, rings: int = 6, sectors: int = 48) -> brittle.Mesh:
    """A disk across z as an open mesh."""
    angle = 2 * np.pi * np.arange(sectors) / sectors
    circle = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    points = [np.zeros((1, 3))] + [radius * (ring + 1) / rings * circle for ring in range(rings)]
    i, j = np.arange(sectors), (np.arange(sectors) + 1) % sectors
    faces = [np.stack([0 * i, 1 + i, 1 + j], axis=1)]
    for ring in range(1, rings):
        inner, outer = 1 + (ring - 1) * sectors, 1 + ring * sectors
        faces += [np.stack([inner + i, outer + i, outer + j], axis=1), np.stack([inner + i, outer + j, inner + j], axis=1)]
    return brittle.Mesh(np.concatenate(points) + center, np.concatenate(faces))


def main(folder: Path, tets: int = 48000) -> None:
    block = brittle.Mesh.model("box").tet(tets, coarsening=0, match_volume=False)
    body = brittle.ElasticBody(block, "glass", poisson_ratio=0.3)
    body.set_cracks([penny((0.003, 0.004, 0.505), RADIUS)])
    height = block.nodes[block.boundary][:, :, 2]
    top, bottom = block.boundary[(height > 1 - 1e-9).all(axis=1)], block.boundary[(height < 1e-9).all(axis=1)]
    pull = np.repeat([[0, 0, PULL], [0, 0, -PULL]], [len(top), len(bottom)], axis=0)
    stats = body.solve(tractions=(np.concatenate([top, bottom]), pull))
    front = body.fronts(0)
    offset = front["position"] - (0.003, 0.004, 0.505)
    angle = np.degrees(np.arctan2(offset[:, 1], offset[:, 0])) % 360
    order = np.argsort(angle)
    exact = 2 * PULL * np.sqrt(RADIUS / np.pi)
    error = front["intensity"][:, 0].mean() / exact - 1
    print(f"{len(block)} tets, {stats.iterations} iterations: K I {100 * error:+.1f} % from an infinite body (the block adds about 4)")
    assert abs(error) < 0.08
    lines = {name: (angle[order], front["intensity"][order, mode] / 1e6) for mode, name in enumerate(("K I", "K II", "K III"))}
    lines["K I, closed form"] = ([0, 360], [exact / 1e6, exact / 1e6])
    plot(folder / "intensities.svg", "angle along the front [degrees]", "K [MPa m^0.5]", lines)
    body.stress_mesh(scale=5000).picture(samples=16).save(folder / "stress.png")


if __name__ == "__main__":
    main(Path("."))
