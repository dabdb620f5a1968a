"""Pictures of results by matplotlib: the robot's shapes in 3D on the left, curves on the right."""
from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install matplotlib (Debian: python3-matplotlib). Without it, "
                          "save the result and use the command: tendril plot FILE.npz -o FILE.png") from None
    import os
    import sys
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        if "matplotlib.pyplot" not in sys.modules and not os.environ.get("MPLBACKEND"):
            matplotlib.use("agg")  # no screen
    import matplotlib.pyplot as pyplot
    return pyplot


def _rows(result: Any) -> Tuple[np.ndarray, str]:
    """Abscissa of the curves: time, or the number of the problem."""
    if "t" in result:
        return result["t"], "t [s]"
    count = len(next(iter(result.values()))) if len(result) else 0
    return np.arange(count), "problem"


def _shapes(axes: Any, result: Any, names: List[str], instants: np.ndarray, pyplot: Any) -> None:
    """Lines through the computational points of every link, colour is time."""
    everything = []
    for number, row in enumerate(instants):
        colour = pyplot.get_cmap("viridis")(number / max(1, len(instants) - 1))
        for name in names:
            points = np.atleast_3d(result[name][row].reshape(-1, 4, 4))[:, :3, 3]
            everything.append(points)
            axes.plot(*points.T, color=colour, marker="o" if len(points) == 1 else None, markersize=3)
    cloud = np.concatenate(everything)
    low, high = cloud.min(0), cloud.max(0)
    reach = max(float((high - low).max()), 1e-6) / 2
    for set_limits, middle in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), (low + high) / 2):
        set_limits(middle - reach, middle + reach)
    axes.set_box_aspect((1, 1, 1))
    axes.set_xlabel("x [m]"), axes.set_ylabel("y [m]"), axes.set_zlabel("z [m]")


def _curves(result: Any) -> List[Tuple[str, np.ndarray, List[str]]]:
    """(title, [N, k], labels [k]) of what is worth a panel."""
    found = []
    for name, labels in (("u", result.channels), ("q", result.coordinates), ("energy", ["kinetic", "elastic", "gravitational", "contact"])):
        if name in result and result[name].ndim == 2 and result[name].shape[1]:
            found.append((name + {"energy": " [J]"}.get(name, ""), result[name], labels))
    for name in result:
        if name.startswith("poses:"):
            tip = result[name].reshape(len(result[name]), -1, 4, 4)[:, -1, :3, 3]
            found.append((f"end of {name[6:]} [m]", tip, ["x", "y", "z"]))
            break
    return found[:4]


def plot(result: Any, path: Optional[str] = None, shapes: int = 8) -> Any:
    """Figure of a Result; written to `path` (png, pdf, svg) when there is one. See Result.plot."""
    pyplot = _pyplot()
    if result.summary.get("kind") == "linearize":
        raise ValueError("a linearisation has no picture")
    x, label = _rows(result)
    poses, curves = [name for name in result if name.startswith("poses:")], _curves(result)
    if not poses and not curves:
        raise ValueError(f"nothing to draw: the result has {', '.join(result) or 'no arrays'}; ask for q, u, energy or poses:LINK")
    figure = pyplot.figure(figsize=(12, 7) if poses else (8, 7), layout="constrained")
    grid = figure.add_gridspec(max(1, len(curves)), 2 if poses and curves else 1)
    if poses:
        axes = figure.add_subplot(grid[:, 0], projection="3d")
        _shapes(axes, result, poses, np.unique(np.linspace(0, len(x) - 1, min(shapes, len(x))).astype(int)), pyplot)
    for row, (title, values, labels) in enumerate(curves):
        axes = figure.add_subplot(grid[row, -1])
        lines = axes.plot(x, values, marker="." if label == "problem" and len(x) < 50 else None)
        axes.set_ylabel(title), axes.grid(alpha=0.3)
        if len(lines) <= 6:
            axes.legend(lines, labels, fontsize="small")
        if row == len(curves) - 1:
            axes.set_xlabel(label)
    figure.suptitle(str((result.summary.get("model") or {}).get("name") or ""))
    if path:
        figure.savefig(path, dpi=150)
    return figure
