"""Euler's columns: the load at which a straight rod loses its stability, for four pairs of ends

An axial dead load on a straight inextensible column; the straight shape is always an equilibrium, and `stable` has to turn false at
pi^2/4 (clamped, free), pi^2 (pinned, pinned), 20.19 (clamped, pinned) and 4 pi^2 (clamped, clamped) times EI/L^2. Ends other than free
are loops at the tip (a slider for the load). Bending of Legendre order 6.

Source: L. Euler 1744; S. Timoshenko and J. Gere, *Theory of Elastic Stability*, ch. 2. The clamped-pinned load is the first root of
tan k = k.

Tolerance: 1 % with default points (the displacement of a column's end is a difference of second order, which the steps between the
points have to integrate), 3e-4 with 24; the load at which `stable` turns is bracketed to 1e-4.
"""
import numpy as np

from support.models import UP, circle_ei, link, load, model, rigid, rod
from support.rows import Row

KIND = "exact"
RADIUS, YOUNG, ORDER = 0.01, 1e9, 6


def root(function, low, high):
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if (function(middle) > 0) == (function(low) > 0) else (low, middle)
    return low


def column(base, tip, points=None):
    """base: joint of the foot; tip: None, or the joint between a vertical slider and the rod's end."""
    links = [link("rod", base, rod(1, RADIUS, YOUNG, {"bending_y": ORDER}, points=points), pose=UP)]
    if tip is None:
        return model(links, loads=[load({"fz": "P"})])
    links.append(link("slider", {"type": "prismatic", "axis": "z"}, rigid(1e-3), pose={"translation": [0, 0, 1]}))
    loop = {"a": {"link": "rod"}, "b": {"link": "slider", "pose": UP}, "joint": tip}
    return model(links, loads=[load({"fz": "P"}, "slider")], loops=[loop])


def turns(desk, robot, exact):
    """The load at which `stable` turns from true to false, by two lists of loads, the second within a step of the first."""
    low, high = 0.9, 1.1
    for _ in range(2):
        factors = np.linspace(low, high, 41)
        result = desk.statics(robot, {"P": (-factors * exact * circle_ei(YOUNG, RADIUS)).tolist()})
        stable = result["stable"].astype(bool) & (np.abs(result["q"]).max(1) < 1e-6)
        if not stable[0] or stable[-1]:
            return np.nan
        at = np.flatnonzero(~stable)[0]
        low, high = factors[at - 1], factors[at]
    return exact * (low + high) / 2


def measure(desk):
    hinge = {"type": "revolute", "axis": "y"}
    cases = [("clamped, free", "fixed", None, np.pi**2 / 4), ("pinned, pinned", hinge, hinge, np.pi**2),
             ("clamped, pinned", "fixed", hinge, root(lambda k: np.tan(k) - k, 4.4, 4.6) ** 2),
             ("clamped, clamped", "fixed", {"type": "fixed"}, 4 * np.pi**2)]
    rows = []
    for name, base, tip, exact in cases:
        rows.append(Row(f"P L^2/EI, {name}", turns(desk, column(base, tip), exact), exact, 0.01))
        rows.append(Row(f"P L^2/EI, {name}, 24 points", turns(desk, column(base, tip, 24), exact), exact, 3e-4))
    robot, unit = column("fixed", None), circle_ei(YOUNG, RADIUS)
    loads = np.linspace(0.8, 1.4, 25) * np.pi**2 / 4
    # A thousandth of the load sideways shows the branch that the column takes.
    side = model(robot["links"], loads=[load({"fz": "P", "fx": "H"})])
    q = desk.statics(side, {"P": (-loads * unit).tolist(), "H": 1e-3 * unit})["q"]
    sway = desk.tip(side, q)[:, 0]

    def draw(figure):
        axes = figure.subplots()
        axes.plot(sway, loads, "C0.-", ms=3, label="with 0.001 EI/L² sideways")
        axes.axhline(np.pi**2 / 4, color="k", lw=1, ls="--", label="π²/4")
        axes.set(xlabel="sideways displacement of the tip / L", ylabel="P L²/EI", title="clamped, free")
        axes.legend()

    return rows, draw
