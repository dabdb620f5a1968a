"""N four-bar mechanism: loops side by side that pass through singular positions

N + 1 cranks and N couplers, all of 1 m and 1 kg, stand upright and are pushed with 1 m/s. All couplers stay parallel to the ground: the
system moves like one pendulum of known inertia and rolls over and over. Twice a turn all bars lie on a line, where every loop could
take another branch (the rows of the constraints are dependent there).

Source: IFToMM library of computational benchmark problems, A02 «N-four-bar mechanism» (F. González et al.); the motion by the
pendulum's own equation, integrated independently to 1e-12 (support/ode.py).

Tolerance: the benchmark asks for an energy error of 0.1 J. Angles to 0.05 rad of 28 after 10 s.
"""
import numpy as np

from support.models import link, model, rigid
from support.ode import solve
from support.rows import Row

KIND = "solver (exact mechanics)"
G, T = 9.81, 10.0


def robot(n):
    bar = rigid(1.0, (0.5, 0, 0), (1e-4, 1 / 12, 1 / 12))
    hinge = {"type": "revolute", "axis": "y"}
    links, loops = [], []
    for i in range(n + 1):  # angles about y turn x towards -z: cranks begin upright
        links.append(link(f"crank{i}", hinge, bar, pose={"translation": [i, 0, 0], "rpy": [0, -np.pi / 2, 0]}))
        if i:
            loops.append({"a": {"link": f"coupler{i - 1}", "pose": {"translation": [1, 0, 0]}},
                          "b": {"link": f"crank{i}", "pose": {"translation": [1, 0, 0]}}, "joint": hinge})
        if i < n:
            links.append(link(f"coupler{i}", hinge, bar, f"crank{i}", pose={"translation": [1, 0, 0], "rpy": [0, np.pi / 2, 0]}))
    return model(links, (0, 0, -G), loops=loops)


def measure(desk):
    rows, kept = [], []
    for n in (1, 4, 10):
        robot_ = robot(n)
        qd = sum(([1.0, -1.0] for _ in range(n)), []) + [1.0]
        inertia, weight = (n + 1) / 3 + n, (n + 1) / 2 + n
        result = desk.run(robot_, T, ("q", "energy"), dt=0.02, initial={"qd": qd})
        exact = solve(lambda t, y: np.array([y[1], G * weight / inertia * np.sin(y[0])]), [0, 1.0], result.t)[:, 0]
        energy = result["energy"].sum(1)
        cranks = result["q"][:, 0::2]
        kept.append((n, result.t, cranks[:, 0], exact, energy))
        rows += [Row(f"{n} loops: angles of all cranks over 10 s", cranks, np.repeat(exact[:, None], n + 1, 1), 0.05, "rad", scale=1),
                 Row(f"{n} loops: energy, 10 s", energy, np.full(len(energy), energy[0]), 0.1, "J", scale=1)]

    def draw(figure):
        above, below = figure.subplots(2, 1, sharex=True)
        for n, t, ours, exact, energy in kept:
            above.plot(t, ours, lw=1, label=f"{n} loops"), above.plot(t, exact, "k:", lw=1)
            below.plot(t, energy - energy[0], lw=1)
        above.set(ylabel="crank, rad", title="dotted: one pendulum"), above.legend(), below.set(ylabel="energy error, J", xlabel="t, s")

    return rows, draw
