"""Leipholz' column: flutter under a load along the rod that follows

As Beck's column, but the tangential compression is spread evenly over the length: q L^3/EI = 40.05. A load per length in the body's frame.

Source: H. Leipholz, *Die Knicklast des einseitig eingespannten Stabes mit gleichmässig verteilter, tangentialer Längsbelastung*, Z. angew.
Math. Phys. 13 (1962) 581-589; 40.05 as in M. Langthjem and Y. Sugiyama, *Dynamic stability of columns subjected to follower loads: a
survey*, J. Sound Vib. 238 (2000) 809-851.

Tolerance: 3e-3 with the default points of order 6, 3e-4 with 24 (four published digits).
"""
import numpy as np

from support.models import circle_ei, link, model, rod
from support.rows import Row, yes

KIND = "published"
RADIUS, YOUNG, DENSITY = 1e-3, 1e9, 1000.0


def robot(points=None):
    push = {"link": "rod", "frame": "body", "per_length": True, "channels": [None, None, None, "q", None, None]}
    return model([link("rod", body=rod(1, RADIUS, YOUNG, {"bending_y": 6}, density=DENSITY, points=points))], loads=[push])


def measure(desk):
    ei = circle_ei(YOUNG, RADIUS)
    unit = np.sqrt(ei / (DENSITY * np.pi * RADIUS**2))

    def onset(points):
        low, high = 35.0, 45.0
        for _ in range(15):
            q = (low + high) / 2
            A = desk.linearize(robot(points), inputs={"q": -q * ei})["A"][0]
            low, high = (low, q) if np.linalg.eigvals(A).real.max() / unit > 1e-3 else (q, high)
        return low

    stable = desk.statics(robot(24), {"q": [-39.9 * ei, -40.2 * ei]})["stable"].astype(bool)
    rows = [Row("flutter load q L^3/EI, default points", onset(None), 40.05, 3e-3),
            Row("flutter load q L^3/EI, 24 points", onset(24), 40.05, 3e-4),
            yes("`stable` turns between 39.9 and 40.2", stable[0] and not stable[1])]
    return rows, None
