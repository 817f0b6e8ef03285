# SPDX-License-Identifier: MIT
"""From which height do things break, and how near are they before? On marble, standing and lying."""

from pathlib import Path

import numpy as np
from svg import plot

import brittle

THINGS = [("wine_glass", "glass"), ("plate", "porcelain"), ("vase", "terracotta"), ("brick", "brick")]


def main(folder: Path) -> None:
    lines = {}
    heights = np.linspace(0.02, 1.0, 40)
    for name, material in THINGS:
        model = brittle.ImpactModel(brittle.Mesh.model(name), material)
        standing, lying = model.drop_height((0, 0, -1)), model.drop_height((1, 0, 0))
        print(f"{name:10} of {material:10} breaks from {standing:.2f} m standing, {lying:.2f} m lying")
        strike = model.drop((1, 0, 0))
        lines[name] = heights, [model.strike(strike.replace(energy=strike.mass * 9.81 * h)).ratio for h in heights]
    plot(folder / "heights.svg", "height of fall [m]", "load over strength (1 breaks)", lines)


if __name__ == "__main__":
    main(Path("."))
