"""Twisted rod: a shaft clamped at both ends buckles into a helix

One end of a straight rod is turned about its axis and may slide along it, but neither bend nor shift: at a torque of 8.9868 EI/L the
straight shaft loses its stability (2 k, k the first root of tan k = k). With hinged ends it is 2 pi (Greenhill). Tension T raises it; for a
long rod to 2 sqrt(EI T). Loops: a cylinder joint for the clamped end, the twist prescribed.

Source: A. Greenhill, *On the strength of shafting when exposed both to torsion and to end thrust*, Proc. Inst. Mech. Eng. 34 (1883);
S. Timoshenko and J. Gere, *Theory of Elastic Stability*, section 2.21: 8.99 EI/L for clamped ends; S. Antman, *Nonlinear Problems*.

Tolerance: 5e-3: in the axes of the section, which turn by 11.7 rad, the buckled shape is a wave that order 6 follows to 2e-3.
"""
import numpy as np

from support.models import link, model, rigid, rod
from support.rows import Row

KIND = "exact"
RADIUS, YOUNG, POISSON = 0.01, 1e9, 0.3


def shaft(points=None):
    order = {"torsion": 0, "bending_y": 6, "bending_z": 6}
    chuck = link("chuck", {"type": "revolute", "axis": "x"}, rigid(1e-3, inertia=(1e-6, 1e-6, 1e-6)), pose={"translation": [1, 0, 0]})
    slide = link("slide", {"type": "prismatic", "axis": "x"}, rigid(1e-3, inertia=(1e-6, 1e-6, 1e-6)), "chuck")
    loop = {"a": {"link": "rod"}, "b": {"link": "slide"}, "joint": {"type": "fixed"}}
    return model([link("rod", body=rod(1, RADIUS, YOUNG, order, poisson=POISSON, points=points)), chuck, slide], loops=[loop],
                 actuators=[{"name": "twist", "type": "joint", "link": "chuck", "mode": "position"}])


def measure(desk):
    low, high = 4.4, 4.6
    for _ in range(60):
        k = (low + high) / 2
        low, high = (k, high) if np.tan(k) < k else (low, k)
    exact = 2 * low
    per_twist = YOUNG / (2 * (1 + POISSON)) * 2 / YOUNG  # G J/(EI): torque in EI/L per radian

    def onset(points):
        a, b = 0.9, 1.1
        for _ in range(2):  # the twist grows from 0: a fixed loop sees angles up to whole turns only
            factors = np.concatenate([np.linspace(0, a, 20), np.linspace(a, b, 41)])
            result = desk.statics(shaft(points), {"twist": (factors * exact / per_twist).tolist()})
            stable = result["stable"].astype(bool)
            if not stable[0] or stable[-1]:
                return np.nan
            at = np.flatnonzero(~stable)[0]
            a, b = factors[at - 1], factors[at]
        return exact * (a + b) / 2

    rows = [Row("torque / (EI/L), default points", onset(None), exact, 5e-3), Row("torque / (EI/L), 24 points", onset(24), exact, 3e-3)]
    return rows, None
