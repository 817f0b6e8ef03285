# SPDX-License-Identifier: MIT
"""Cut a solid along a height field that is a numpy array: halves with the relief on both faces."""

from pathlib import Path

import numpy as np

import brittle


def height_field(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> brittle.Mesh:
    """An open mesh over a grid; z has shape (len(y), len(x))."""
    grid_x, grid_y = np.meshgrid(x, y)
    corner = np.arange((len(y) - 1) * len(x)).reshape(-1, len(x))[:, :-1].ravel()
    faces = np.stack([corner, corner + 1, corner + len(x) + 1], axis=1), np.stack([corner, corner + len(x) + 1, corner + len(x)], axis=1)
    return brittle.Mesh(np.stack([grid_x, grid_y, z], axis=2).reshape(-1, 3), np.concatenate(faces))


def main(folder: Path) -> None:
    statue = brittle.Mesh.model("statue")
    lower, upper = statue.bounds
    x, y = np.linspace(lower[0] - 0.05, upper[0] + 0.05, 80), np.linspace(lower[1] - 0.05, upper[1] + 0.05, 80)
    waves = 0.04 * np.sin(25 * x)[None, :] * np.cos(25 * y)[:, None] + 0.5 * (lower[2] + upper[2])
    cut = statue.cut(height_field(x, y, waves))
    print(f"{len(cut)} pieces, volume kept to {abs(cut.volumes.sum() / statue.volume - 1):.1e}")
    assert all(piece.is_closed for piece in cut)
    parts = [(piece.mesh, (0, 0, 0.3 if piece.side > 0 else 0.0)) for piece in cut]
    brittle.picture(parts, samples=16).save(folder / "relief.png")
    cut.save(folder / "relief.glb", explode=0.2)


if __name__ == "__main__":
    main(Path("."))
