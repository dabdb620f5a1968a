"""End moment: a cantilever bent to one and to two full circles

A moment M on the end of a straight clamped rod bends it to an arc of curvature M/EI: at M = 2 pi EI/L it closes, at twice that it is a
double circle. A constant strain is the simplest member of every basis: order 0 holds it, higher orders must not lose it.

Source: closed form (every textbook; as a test of beam elements: J. Simo and L. Vu-Quoc, *A three-dimensional finite-strain rod model,
part II*, Comput. Methods Appl. Mech. Eng. 58 (1986) 79-116, section 5.1).

Tolerance: a constant curvature is integrated exactly by a Magnus step, so rounding is all that is left, up to order 3; what higher orders
spoil is in the table, too.
"""
import numpy as np

from support.models import circle_ei, link, load, model, rod, smooth
from support.rows import Row

KIND = "exact"
WHY = "a Magnus step integrates a moment's work exactly for strains of up to the third order only; more points help with the fourth power"
RADIUS, YOUNG = 0.01, 1e9


def measure(desk):
    rows, shapes = [], None
    turns = np.array([0.25, 0.5, 0.75, 1, 1.5, 2])
    for name, basis, order in (("order 0", "legendre", 0), ("order 3", "legendre", 3), ("order 6", "legendre", 6),
                               ("8 linear elements", "linear", 8)):
        robot = model([link("rod", body=rod(1, RADIUS, YOUNG, {"bending_y": order}, basis=basis))],
                      loads=[load({"my": "M"}, frame="body")])
        q = desk.statics(robot, {"M": (turns * 2 * np.pi * circle_ei(YOUNG, RADIUS)).tolist()})["q"]
        poses = desk.evaluate(robot, q, "poses")["poses/rod"]
        points = poses[:, :, :3, 3]
        angle = 2 * np.pi * turns
        tip = np.stack([np.sin(angle), 0 * angle, -(1 - np.cos(angle))], -1) / angle[:, None]
        exact = order <= 3 or basis == "linear"
        rows.append(Row(f"tip for 1/4 to 2 turns, {name}", points[:, -1], tip, 1e-9 if exact else 5e-4, unit="L", scale=1))
        if not exact:
            rows.append(Row(f"the same to rounding, {name}", points[:, -1], tip, 1e-9, unit="L", scale=1, unmet=WHY))
        shapes = poses if name == "order 6" else shapes

    def draw(figure):
        axes = figure.subplots()
        for turn, shape in zip(turns, shapes):
            line, = axes.plot(*smooth(shape)[:, [0, 2]].T, lw=1, label=f"{turn:g} turns")
            axes.plot(shape[:, 0, 3], shape[:, 2, 3], ".", ms=4, color=line.get_color())
        axes.set(aspect="equal", xlabel="x/L", ylabel="z/L", title="Legendre order 6, points as computed")
        axes.legend(ncols=2, fontsize=7)

    return rows, draw
