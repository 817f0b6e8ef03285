# SPDX-License-Identifier: MIT
"""A data set of one object: random blows, and for each the pieces as arrays. Every sample can be made again from its seed."""

from pathlib import Path

import numpy as np

import brittle


def sample(mesh: brittle.Mesh, seed: int) -> dict:
    chance = np.random.default_rng(seed)
    at = mesh.positions[chance.integers(len(mesh.positions))]
    inward = mesh.bounds.mean(axis=0) - at
    energy = 10.0 ** chance.uniform(-1.5, 0.5)
    pieces = mesh.blow("porcelain", at=at, direction=inward, energy=energy, seed=seed)
    sizes = [len(piece.positions) for piece in pieces.meshes]
    return {
        "at": at, "direction": inward, "energy": energy, "masses": pieces.masses, "centers": pieces.centers,
        "bonds": pieces.bonds["pieces"], "areas": pieces.bonds["area"],
        "vertices": np.concatenate([piece.positions for piece in pieces.meshes]).astype(np.float32),
        "piece_of_vertex": np.repeat(np.arange(len(pieces)), sizes),
    }  # fmt: skip


def main(folder: Path, count: int = 12) -> None:
    mug = brittle.Mesh.model("bowl", 32)
    counts = []
    for seed in range(count):
        data = sample(mug, seed)
        counts.append(len(data["masses"]))
        np.savez_compressed(folder / f"bowl_{seed:04}.npz", **data)
    again = sample(mug, count - 1)
    stored = np.load(folder / f"bowl_{count - 1:04}.npz")
    assert (again["vertices"] == stored["vertices"]).all()
    print(f"{count} samples of {min(counts)} to {max(counts)} pieces")


if __name__ == "__main__":
    main(Path("."))
