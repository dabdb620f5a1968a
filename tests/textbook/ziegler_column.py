"""Ziegler's column: damping that destabilises

Two bars with springs in their hinges, masses 2 m at the elbow and m at the tip, pushed by a force that follows the second bar. Undamped it
flutters at P l/k = 7/2 - sqrt(2) = 2.086; with ever so little damping, equal in both hinges, at 41/28 = 1.464.

Source: H. Ziegler, *Die Stabilitätskriterien der Elastomechanik*, Ing.-Arch. 20 (1952) 49-56; V. Bolotin, *Nonconservative Problems of the
Theory of Elastic Stability*, ch. 2.

Tolerance: 1e-5, by the eigenvalues of `linearize`; and `stable` must agree on both sides.
"""
import numpy as np

from support.models import link, load, model, rigid
from support.rows import Row, yes

KIND = "exact"


def robot(damping):
    tiny = (1e-9, 1e-9, 1e-9)
    hinge = {"type": "revolute", "axis": "y", "stiffness": 1.0, "damping": damping}
    links = [link("lower", hinge, rigid(2.0, (1, 0, 0), tiny)),
             link("upper", hinge, rigid(1.0, (1, 0, 0), tiny), "lower", pose={"translation": [1, 0, 0]})]
    push = load({"fx": "P"}, "upper", "body", pose={"translation": [1, 0, 0]})
    del push["at"]
    return model(links, loads=[push])


def measure(desk):
    rows, kept = [], []
    for name, damping, exact in (("undamped", 0.0, 3.5 - np.sqrt(2)), ("damped", 1e-4, 41 / 28)):
        def growth(p):
            return np.linalg.eigvals(desk.linearize(robot(damping), inputs={"P": -p})["A"][0]).real.max()
        low, high = 1.0, 2.5
        for _ in range(20):
            p = (low + high) / 2
            low, high = (low, p) if growth(p) > (1e-12 if damping else 1e-5) else (p, high)
        rows.append(Row(f"flutter load P l/k, {name}", low, exact, 1e-5))
        around = exact * np.array([0.5, 0.9, 0.999, 1.001, 1.1])
        stable = desk.statics(robot(damping), {"P": (-around).tolist()})["stable"].astype(bool)
        rows.append(yes(f"`stable` turns within 0.1 % of it, {name}", np.array_equal(stable, around < exact)))
        sweep = np.linspace(0, 3, 31)
        kept.append((name, sweep, [growth(p) for p in sweep], exact))

    def draw(figure):
        axes = figure.subplots()
        for i, (name, sweep, growths, exact) in enumerate(kept):
            axes.plot(sweep, growths, f"C{i}.-", ms=3, lw=1, label=name), axes.axvline(exact, color=f"C{i}", ls=":", lw=1)
        axes.set(xlabel="P l/k", ylabel="growth, 1/s"), axes.legend()

    return rows, draw
