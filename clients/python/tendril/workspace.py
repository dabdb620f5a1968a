"""Rows that are answers of their own (the jobs of a sweep, problems of statics): every tip a dot, coloured by what tells the rows apart."""
from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np

FEWEST, FAINT = 12, 5  # rows of a workspace, robots that are drawn in it


def _varied(result: Any) -> List[Tuple[str, np.ndarray]]:
    """(name, [N]) of every number that a sweep varied, or of every input that changes."""
    places = (result.summary.get("job") or {}).get("vary") or []
    if result.summary.get("kind") == "sweep":
        found = [(str(place.get("path", "?")).split("/", 2)[-1], result.get(f"vary[{k}]")) for k, place in enumerate(places)]
        return [(name.removeprefix("inputs/"), values) for name, values in found if values is not None and np.isfinite(values).all() and np.ptp(values) > 0]
    u = result.get("u")
    names = result.channels if u is not None and u.ndim == 2 and len(result.channels) == u.shape[1] else []
    return [(name, u[:, k]) for k, name in enumerate(names) if np.isfinite(u[:, k]).all() and np.ptp(u[:, k]) > 0]


def numbers(result: Any, rows: int) -> Optional[Tuple[Tuple[str, np.ndarray], Tuple[str, np.ndarray], bool]]:
    """What the curves stand over and what colours, each (name, [rows]), and whether all combinations were taken; None: rows follow one another.

    Of several numbers the curves stand over the one with most values, the first of those with as many; the first of the others colours.
    """
    sweep = result.summary.get("kind") == "sweep"
    if rows < FEWEST or "continuation" in result.summary or (not sweep and "t" in result):
        return None
    varied = [one for one in _varied(result) if len(one[1]) == rows]
    counted = ("job" if sweep else "problem", np.arange(rows))
    if not varied:
        return (counted, counted, False) if sweep else None
    steps = np.diff(varied[0][1])
    if not sweep and len(varied) == 1 and ((steps > 0).all() or (steps < 0).all()):
        return None  # one input that rises: a course
    together = (result.summary.get("job") or {}).get("mode") == "zip" or not sweep
    if len(varied) == 1 or together:
        return (varied[0] if sweep else counted), varied[0] if sweep else varied[min(1, len(varied) - 1)], False
    most = max(range(len(varied)), key=lambda k: (len(np.unique(varied[k][1])), -k))
    return varied[most], next(one for k, one in enumerate(varied) if k != most), True


def far_apart(places: np.ndarray, count: int) -> List[int]:
    """Rows whose places are far from one another: after the first each time the one farthest from all that were taken."""
    least = np.where(np.isfinite(places).all(1), np.inf, -1.0)
    taken: List[int] = []
    while len(taken) < count and least.max() > 0:
        taken.append(int(least.argmax()))
        away = np.linalg.norm(places - places[taken[-1]], axis=1)
        least = np.minimum(least, np.where(np.isfinite(away), away, -1.0))
    return sorted(taken)


def draw(figure: Any, axes: Any, result: Any, tips: np.ndarray, colour: Tuple[str, np.ndarray], names: List[str]) -> None:
    """Dots with a colour bar, and a few robots, faint."""
    dots = axes.scatter(*tips.T, c=colour[1], cmap="viridis", s=max(6, min(40, 4000 / len(tips))), edgecolors="0.2", linewidths=0.3, depthshade=False)
    for row in far_apart(tips, FAINT):
        for name in names:
            axes.plot(*np.atleast_3d(result[name][row].reshape(-1, 4, 4))[:, :3, 3].T, color="0.45", alpha=0.45, lw=2)
    figure.colorbar(dots, ax=axes, label=colour[0], location="bottom", shrink=0.6, pad=0.02)


def lines(x: np.ndarray, colour: np.ndarray, others: List[np.ndarray]) -> List[np.ndarray]:
    """Rows of each line, by rising x: those that agree in all other numbers."""
    keys = np.stack([colour, *others], 1)
    _, group = np.unique(keys, axis=0, return_inverse=True)
    group = np.ravel(group)
    return [rows[np.argsort(x[rows], kind="stable")] for rows in (np.flatnonzero(group == k) for k in range(group.max() + 1))]
