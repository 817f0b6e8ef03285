# SPDX-License-Identifier: MIT
"""How many pieces are heavier than m? Blows of three energies against a block of plaster."""

from pathlib import Path

import numpy as np
from svg import plot

import brittle


def main(folder: Path) -> None:
    block = brittle.Mesh.model("box", width=0.2, depth=0.2, height=0.2)
    lines = {}
    for energy in (2.0, 10.0, 50.0):
        pieces = block.blow("plaster", at=(0.1, 0.02, 0.1), direction=(-1, 0, 0), energy=energy, pieces=3000, density=0.0)
        masses = np.sort(pieces.masses)[::-1]
        print(f"{energy:4.0f} J: {len(masses):4} pieces, the largest {masses[0] / masses.sum():.0%} of the mass")
        lines[f"{energy:g} J"] = masses, np.arange(1, len(masses) + 1)
    plot(folder / "masses.svg", "mass m [kg]", "pieces heavier than m", lines, dots=True, log="xy")


if __name__ == "__main__":
    main(Path("."))
