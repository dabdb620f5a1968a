"""Lee's frame: a right-angled frame that snaps through

Two legs of 120, rigidly joined, hinged at both far ends; a dead load on the horizontal leg, a fifth of it from the corner. The load rises to
18.55, falls below zero while the frame snaps through, and rises again: no list of loads passes there. A continuation
by arc length does. Until the snap-back another way does, too: the displacement of the loaded point is prescribed (a slider in position
mode, a loop), and the load is its reaction.

Source: S. Lee, F. Manuel and E. Rossow, *Large deflections and stability of elastic frames*, J. Eng. Mech. Div. ASCE 94 (1968) 521-547: limit
load 18.552 (E 7.2e6, A 6, I 2; elastica, inextensible). The whole path by an independent shooting method with continuation along its arc
(numpy, in this file; extensible, without shear).

Tolerance: 1e-3 of the limit load, 2e-3 along the path, 4e-3 of the sideways displacement near the snap-back, where it is steep.
"""
import numpy as np

from support.models import UP, link, load, model, rigid, rod, smooth
from support.rows import Row

KIND = "published, solver"
L, EI, EA = 120.0, 7.2e6 * 2, 7.2e6 * 6
LIMIT = 18.5567  # of path() with finer arcs
# path() until the snap-back, every third point: load in EI/L^2, displacements right and down (`python3 lees_frame.py`, 20 s).
PATH = np.array([[3.1391, 0.1081, 2.1742], [5.9932, 0.4782, 4.8033], [8.8804, 1.3462, 8.6666], [11.8136, 3.29, 14.9499],
                 [14.8127, 7.616, 25.0744], [17.7642, 17.3036, 39.7059], [17.9228, 36.4384, 54.6193], [15.3186, 50.2868, 59.5729]])


def march(X, steps=60):
    """X [k, 4]: base angle, H, V, P. Residual [k, 3] at the far hinge, and the place of the load [k, 2]."""
    a, h, v, p = X.T
    y = np.stack([0 * a, 0 * a, a, 0 * a])
    place = None
    for length, n, corner, drop in ((L, steps, 0, 0), (L / 5, steps // 4, -np.pi / 2, 0), (4 * L / 5, steps, 0, 1)):
        y = y + np.array([0, 0, corner, 0])[:, None]
        nx, ny = h, v + drop * p
        place = y[:2].copy() if drop else place

        def rate(y):
            c, s = np.cos(y[2]), np.sin(y[2])
            stretch = 1 + (nx * c + ny * s) / EA
            return np.stack([stretch * c, stretch * s, y[3] / EI, -stretch * (c * ny - s * nx)])
        d = length / n
        for _ in range(n):
            k1 = rate(y)
            k2 = rate(y + d / 2 * k1)
            k3 = rate(y + d / 2 * k2)
            k4 = rate(y + d * k3)
            y = y + d / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.stack([y[0] - L, y[1] - L, y[3] / EI * L], -1), place.T


def path(count=75, arc=0.25):
    """[count, 3]: load in EI/L^2, and the loaded point's displacements to the right and down."""
    scale = np.array([1.0, 5 * EI / L**2, 5 * EI / L**2, 5 * EI / L**2])
    x, tangent, found = np.array([np.pi / 2, 0, 0, 0.0]), np.array([0, 0, 0, 1.0]), []
    for _ in range(count):
        guess = x + arc * tangent * scale
        y = guess
        for _ in range(30):
            step = 1e-6 * scale
            values = march(np.vstack([y, y + np.diag(step)]))[0]
            slope = ((values[1:] - values[0]) / 1e-6).T  # by scaled unknowns
            full = np.vstack([slope, tangent])
            change = np.linalg.solve(full, -np.append(values[0], (y - guess) / scale @ tangent))
            y = y + change * scale
            if np.abs(change).max() < 1e-9:
                break
        new = np.linalg.solve(full, [0, 0, 0, 1.0])
        tangent, x = new / np.linalg.norm(new), y
        place = march(y[None])[1][0]
        found.append([x[3] * L**2 / EI, place[0] - L / 5, L - place[1]])
    return np.array(found)


def robot():
    section = {"shape": "rectangle", "height": 3, "width": 2}  # A 6, Iy 2
    hinge = {"type": "revolute", "axis": "y"}
    column = rod(L, section=section, young=7.2e6, order={"bending_y": 5, "elongation": 1})
    beam = rod(L, section=section, young=7.2e6, order={"bending_y": 5, "elongation": 5},
               basis="quadratic")  # the load stands between two elements
    links = [link("column", hinge, column, pose=UP), link("beam", body=beam, parent="column", pose={"rpy": [0, np.pi / 2, 0]}),
             link("down", {"type": "prismatic", "axis": "-z"}, rigid(1e-3, inertia=(1e-6, 1e-6, 1e-6)),
                  pose={"translation": [L / 5, 0, L]}),
             link("aside", {"type": "prismatic", "axis": "x"}, rigid(1e-3, inertia=(1e-6, 1e-6, 1e-6)), "down")]
    loops = [{"a": {"link": "beam"}, "b": {"link": "world", "pose": {"translation": [L, 0, L]}}, "joint": hinge},
             {"a": {"link": "beam", "at": 0.2}, "b": {"link": "aside"}, "joint": hinge}]
    return model(links, loops=loops, actuators=[{"name": "down", "type": "joint", "link": "down", "mode": "position"}])


def measure(desk):
    down = np.unique(np.concatenate([np.linspace(0, 60.5, 62), PATH[:, 2]]))
    result = desk.statics(robot(), {"down": down.tolist()}, keep=True)
    force, aside = result["lambda"][:, -1] * L**2 / EI, result["q"][:, -1]
    at = np.searchsorted(down, PATH[:, 2])
    rows = [Row("limit load, Lee et al.", force.max(), 18.552, 1e-3, "EI/L^2"),
            Row("limit load, shooting", force.max(), LIMIT, 1e-3, "EI/L^2"),
            Row("load along the path until the snap-back", force[at], PATH[:, 0], 2e-3, "EI/L^2"),
            Row("displacement to the right", aside[at], PATH[:, 1], 4e-3)]
    free = robot()  # without the slider: the load is a channel that a continuation follows
    free["links"], free["loops"], free["actuators"], free["loads"] = free["links"][:2], free["loops"][:1], [], [load({"fz": "P"}, "beam", at=0.2)]
    path_ = desk.statics(free, {"P": 0}, continuation={"channel": "P", "to": -22 * EI / L**2, "steps": 400})
    followed = -path_["u"][:, 0] * L**2 / EI
    top = int(np.argmax(followed[:int(np.argmin(followed))]))
    a, b, c = np.polyfit(np.arange(-2, 3), followed[top - 2:top + 3], 2)
    rows.append(Row("limit load by arc length, Lee et al.", c - b * b / (4 * a), 18.552, 1e-3, "EI/L^2"))
    rows.append(Row("end of the path by arc length, beyond the snap-through", followed[-1], 22.0, 0.05, "EI/L^2"))
    q = result["q"][[0, 25, 45, -1]]
    shapes = [desk.evaluate(robot(), q, "poses")["poses/" + name] for name in ("column", "beam")]

    def draw(figure):
        left, right = figure.subplots(1, 2)
        left.plot(down, force, lw=1, label="Tendril"), left.plot(PATH[:, 2], PATH[:, 0], "kx", ms=5, label="shooting")
        left.axhline(18.552, color="k", ls=":", lw=1), left.set(xlabel="displacement down", ylabel="load L²/EI"), left.legend()
        for i in range(4):
            right.plot(*np.vstack([smooth(shapes[0][i]), smooth(shapes[1][i])])[:, [0, 2]].T, f"C{i}", lw=1)
        right.set(aspect="equal", xlabel="x", ylabel="z")

    return rows, draw


if __name__ == "__main__":
    found = path()
    print(found.round(4).tolist())
    print("limit", found[:, 0].max())
