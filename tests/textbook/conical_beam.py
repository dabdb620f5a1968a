"""Kirchhoff's cone: frequencies of a clamped rod that tapers to a point

The lowest frequency of a cone clamped at its base is 8.7193 sqrt(E r^2/(4 rho L^4)), r the radius of the base; 21.146 and 38.453 follow.
The tip here has 1e-5 of the radius of the base (a thousandth changes the frequencies by 2e-3).

Source: G. Kirchhoff, *Über die Transversalschwingungen eines Stabes von veränderlichem Querschnitt*, Sitzungsber. Berlin (1879) 815-828;
H. Conway and J. Dubil, *Vibration frequencies of truncated-cone and wedge beams*, J. Appl. Mech. 32 (1965) 932-934: 8.719, 21.15, 38.45.

Tolerance: 5e-4 (2e-3 for the third): curvature does not vanish at the point of a cone, and order 8 follows it well.
"""
import numpy as np

from support.desk import frequencies
from support.models import link, model, rod
from support.rows import Row

KIND = "published"
RADIUS, YOUNG, DENSITY = 0.01, 1e9, 1000.0


def measure(desk):
    unit = np.sqrt(YOUNG * RADIUS**2 / 4 / DENSITY)
    errors, ours = {}, None
    exact = np.array([8.719, 21.146, 38.453])
    for order in (3, 4, 6, 8, 10):
        body = rod(1, section={"shape": "circle", "radius": [RADIUS, RADIUS / 1e5]}, young=YOUNG, density=DENSITY,
                   order={"bending_y": order})
        found = frequencies(desk.linearize(model([link("rod", body=body)]))["A"][0])[:3] / unit
        errors[order] = np.abs(found / exact - 1)
        ours = found if order == 8 else ours
    rows = [Row(f"frequency {i + 1} / sqrt(E r^2/(4 rho L^4)), order 8", ours[i], exact[i], (5e-4, 5e-4, 2e-3)[i]) for i in range(3)]

    def draw(figure):
        axes = figure.subplots()
        for i in range(3):
            axes.semilogy(list(errors), [e[i] for e in errors.values()], "o-", ms=4, lw=1, label=f"frequency {i + 1}")
        axes.set(xlabel="Legendre order (default points)", ylabel="relative error"), axes.legend()

    return rows, draw
