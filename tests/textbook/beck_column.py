"""Beck's column: flutter under a force that follows

A clamped rod under a compressive force tangential to its tip never has another equilibrium, and its stiffness matrix never becomes
singular: it flutters when two frequencies meet, at P L^2/EI = 20.0509. The linearisation's eigenvalues tell the load; `stable` has to
turn false there. Bending of Legendre order 6, a slender rod (radius 1/1000 of its length, so that rotary inertia does not count).

Source: M. Beck, *Die Knicklast des einseitig eingespannten, tangential gedrückten Stabes*, Z. angew. Math. Phys. 3 (1952) 225-228;
V. Bolotin, *Nonconservative Problems of the Theory of Elastic Stability*: 20.05 (20.0509…), frequency 11.016 sqrt(EI/(rho A L^4)).

Tolerance: 2.5e-3 on the load with the default points of order 6, 1e-4 with 24; 2e-3 on the frequency, which has an infinite slope there.
"""
import numpy as np

from support.models import circle_ei, link, load, model, rod
from support.rows import Row, yes

KIND = "published, exact"
RADIUS, YOUNG, DENSITY, ORDER = 1e-3, 1e9, 1000.0, 6


def critical():
    """The least load at which the characteristic equation has a double root, and the frequency there (Beck 1952).

    p^2 + 2 w^2 + 2 w^2 cosh a cos b + p w sinh a sin b = 0,  a^2, b^2 = -+ p/2 + sqrt(p^2/4 + w^2)
    """
    def equation(p, w):
        root = np.sqrt(p * p / 4 + w * w)
        a, b = np.sqrt(root - p / 2), np.sqrt(root + p / 2)
        return p * p + 2 * w * w + 2 * w * w * np.cosh(a) * np.cos(b) + p * w * np.sinh(a) * np.sin(b)

    def lowest(p):
        """The least value of the equation between its first two roots: it reaches 0 where they meet. Golden section."""
        low, high, golden = 6.0, 16.0, (np.sqrt(5) - 1) / 2
        for _ in range(90):
            x, y = high - golden * (high - low), low + golden * (high - low)
            low, high = (low, y) if equation(p, x) < equation(p, y) else (x, high)
        return equation(p, low), low

    low, high = 15.0, 25.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if lowest(middle)[0] < 0 else (low, middle)
    return low, lowest(low)[1]


def robot(points=None):
    body = rod(1, RADIUS, YOUNG, {"bending_y": ORDER}, density=DENSITY, points=points)
    return model([link("rod", body=body)], loads=[load({"fx": "P"}, frame="body")])


def measure(desk):
    ei = circle_ei(YOUNG, RADIUS)
    unit = np.sqrt(ei / (DENSITY * np.pi * RADIUS**2))
    load_, frequency = critical()

    def values(p, points=None):
        return np.linalg.eigvals(desk.linearize(robot(points), inputs={"P": -p * ei})["A"][0]) / unit

    def onset(points=None):
        low, high = 18.0, 22.0
        for _ in range(16):
            middle = (low + high) / 2
            low, high = (low, middle) if values(middle, points).real.max() > 1e-3 else (middle, high)
        return low

    coarse, fine = onset(), onset(24)
    around = np.array([0, 5, 15, 19.9, 20.0, 20.1, 20.2, 25, 40])
    stable = desk.statics(robot(24), {"P": (-around * ei).tolist()})["stable"].astype(bool)
    rows = [Row("flutter load P L^2/EI, default points", coarse, load_, 2.5e-3),
            Row("flutter load P L^2/EI, published, 24 points", fine, 20.05, 1e-4),
            Row("flutter load P L^2/EI, characteristic equation, 24 points", fine, load_, 1e-4),
            Row("frequency at flutter, 24 points", np.sort(np.abs(values(fine, 24).imag))[:2].mean(), frequency, 2e-3,
                "sqrt(EI/rho A L^4)"),
            yes("`stable` turns between 20.0 and 20.1", np.array_equal(stable, around < load_))]
    sweep = np.linspace(0, 30, 41)
    branches = [values(p) for p in sweep]

    def draw(figure):
        left, right = figure.subplots(1, 2)
        for p, v in zip(sweep, branches):
            imag = np.sort(np.abs(v.imag[v.imag >= 0]))[:2]
            left.plot([p] * len(imag), imag, "C0.", ms=3)
            right.plot(p, v.real.max(), "C3.", ms=3)
        left.axvline(load_, color="k", lw=1, ls="--"), right.axvline(load_, color="k", lw=1, ls="--")
        left.set(xlabel="P L²/EI", ylabel="frequency / sqrt(EI/ρAL⁴)", title="two frequencies meet")
        right.set(xlabel="P L²/EI", ylabel="growth / sqrt(EI/ρAL⁴)", title="flutter")

    return rows, draw
