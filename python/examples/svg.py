# SPDX-License-Identifier: MIT
"""Plots without a plotting library: lines and dots as an SVG that any browser shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Tuple

import numpy as np

COLORS = ["#1f6fb4", "#c8443a", "#3a8f4d", "#8a5db3", "#d28a1e", "#5b6770"]


def _ticks(low: float, high: float, is_log: bool) -> Any:
    if is_log:
        return np.arange(np.ceil(low), np.floor(high) + 1)
    step = 10.0 ** np.floor(np.log10((high - low) / 4.0))
    step *= next(k for k in (1, 2, 5, 10) if (high - low) / (step * k) <= 6)
    return np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step


def plot(path: Path, x_label: str, y_label: str, lines: Dict[str, Tuple[Any, Any]], *, dots: bool = False, log: str = "") -> None:
    """`lines` are (x, y) by name; `log` names the axes that are logarithmic: "", "x" or "xy"."""
    data = {name: np.array([np.log10(v) if axis in log else v for axis, v in zip("xy", np.asarray(xy, float))]) for name, xy in lines.items()}
    every = np.concatenate(list(data.values()), axis=1)
    low, high = every.min(axis=1), every.max(axis=1)
    low[1] = low[1] if "y" in log else min(low[1], 0.0)
    high = np.where(high > low, high + 0.05 * (high - low), low + 1.0)

    def place(points: Any) -> Any:
        share = (np.asarray(points, float).T - low) / (high - low)
        return share * (520, -320) + (80, 350)

    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="640" height="420" font-family="sans-serif" font-size="12">',
           '<rect width="640" height="420" fill="white"/>']  # fmt: skip
    for axis in (0, 1):
        for value in _ticks(low[axis], high[axis], "xy"[axis] in log):
            at = place(np.array([[value], [low[1]]]) if axis == 0 else np.array([[low[0]], [value]]))[0]
            text = f"1e{value:g}" if "xy"[axis] in log else f"{value + 0.0:.4g}"
            if axis == 0:
                out.append(f'<path d="M{at[0]:.1f} 350V30" stroke="#e4e4e4"/><text x="{at[0]:.1f}" y="366" text-anchor="middle">{text}</text>')
            else:
                out.append(f'<path d="M80 {at[1]:.1f}H600" stroke="#e4e4e4"/><text x="74" y="{at[1] + 4:.1f}" text-anchor="end">{text}</text>')
    out.append('<path d="M80 30V350H600" fill="none" stroke="#444"/>')
    for i, (name, points) in enumerate(data.items()):
        color, where = COLORS[i % len(COLORS)], place(points)
        if dots:
            out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{color}"/>' for x, y in where]
        else:
            out.append(f'<polyline fill="none" stroke="{color}" stroke-width="1.8" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in where)}"/>')
        out.append(f'<text x="{90 + 170 * (i % 3)}" y="{14 if i < 3 else 27}" fill="{color}">{name}</text>')
    out.append(f'<text x="340" y="395" text-anchor="middle">{x_label}</text>')
    out.append(f'<text transform="translate(22,190) rotate(-90)" text-anchor="middle">{y_label}</text></svg>')
    path.write_text("\n".join(out))
