# SPDX-License-Identifier: MIT
"""A fracture pattern of your own: sites on a spiral in a pane, laid out with numpy."""

from pathlib import Path

import numpy as np

import brittle


def main(folder: Path) -> None:
    pane = brittle.Mesh.model("pane")
    lower, upper = pane.bounds
    thin = int(np.argmin(upper - lower))
    across = [axis for axis in range(3) if axis != thin]
    turn = np.arange(1, 160)
    radius = 0.5 * np.sqrt(turn / turn[-1]) * (upper - lower)[across].max()
    angle = turn * np.pi * (3.0 - np.sqrt(5.0))  # the golden angle, as in a sunflower
    sites = np.tile(0.5 * (lower + upper), (len(turn), 1))
    sites[:, across[0]] += radius * np.cos(angle)
    sites[:, across[1]] += radius * np.sin(angle)
    sites = sites[((sites > lower) & (sites < upper)).all(axis=1)]
    pieces = pane.shatter(sites=sites)
    print(f"{len(sites)} sites, {len(pieces)} pieces, volume kept to {abs(pieces.volumes.sum() / pane.volume - 1):.1e}")
    pieces.save(folder / "spiral.glb", explode=0.2)
    view = {0: 0.3, 1: -1.2}.get(thin, 0.3)
    pieces.picture(explode=0.15, samples=16, azimuth=view, elevation=0.25 if thin < 2 else 1.2).save(folder / "spiral.png")


if __name__ == "__main__":
    main(Path("."))
