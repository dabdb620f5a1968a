"""Rolling and sliding: a rod on a plane with friction

A straight rod of 1 kg lies on a plane across its way, with Coulomb's friction mu. Down a slope it rolls, with 2/3 of the weight's
acceleration, up to tan(slope) = 3 mu, and slides beyond while friction turns it. Turned by a moment C about its axis it rolls up to
1.5 mu m g r and spins beyond. Thrown along the plane it slides until it rolls, with 2/3 of its speed. Pulled along its axis it holds up to
mu m g, creeping at a slip speed or two, and slides beyond.

These are the cases by which the friction of Gazzola et al., which is that of PyElastica, was shown to be right. There a static
coefficient stands beside the kinetic one, a rod sticks below a threshold of speed, and energies jump at the transition by the ratio of
both. Tendril has one coefficient, so that both laws meet at the transition, and what should hold creeps below `slip_speed` (or holds,
with `stick`). PyElastica's crawling snake has three coefficients, forward, backward and across; Tendril's `anisotropy` has two, along a rod
and across it: the shipped snake crawls by these, but its speed is no number of PyElastica's. Of DisMech's contacts (knots, bundles of
flagella) figures are published, and no numbers in closed form to hold a third program to.

Source: M. Gazzola, L. H. Dudte, A. G. McCormick, L. Mahadevan, *Forward and inverse problems in the mechanics of soft filaments*, Royal Society
Open Science 5 (2018) 171628 (the cases); rigid bodies by Newton and Coulomb.

Tolerance: 5e-3 of speeds: contact gives way by a little of the radius, and friction is that of Coulomb from some slip speeds on.
"""
import numpy as np

from support.models import link, load, model, rod
from support.rows import Row

KIND = "exact"
RADIUS, LENGTH, MU, G, K, SLIP = 0.025, 1.0, 0.4, 9.81, 1e6, 1e-4
DENSITY = 1 / (np.pi * RADIUS**2 * LENGTH)
POINTS = 5 + 2  # Gauss points and both ends
END = 0.5


def robot(slope):
    """The rod lies along y; coordinates are its way along x, its height over that of rest, its turn about its axis."""
    sunk = (G * np.cos(slope) / (POINTS * K)) ** (2 / 3)
    links = [link("way", {"type": "prismatic", "axis": "x"}), link("side", {"type": "prismatic", "axis": "y"}, parent="way"),
             link("lift", {"type": "prismatic", "axis": "z"}, parent="side"),
             link("rod", {"type": "revolute", "axis": "x"}, parent="lift", body=rod(LENGTH, RADIUS, density=DENSITY, points=5),
                  pose={"rpy": [0, 0, np.pi / 2]})]
    floor = {"type": "plane", "stiffness": K, "damping": 1, "friction": MU, "slip_speed": SLIP,
             "pose": {"translation": [0, 0, sunk - RADIUS]}}
    loads = [load({"mx": "turn", "fx": "pull"}, at=0.5, frame="body")]
    return model(links, (G * np.sin(slope), 0, -G * np.cos(slope)), contacts=[floor], loads=loads)


def ends(desk, slope=0.0, speed=0.0, turn=0.0, pull=0.0):
    """Speed along x and along y, and of the surface by its turn, at the end."""
    result = desk.run(robot(slope), END, ("q", "qd"), dt=END / 50, initial={"qd": [speed, 0, 0, 0]}, inputs={"turn": turn, "pull": pull})
    qd = result["qd"][-1]
    return qd[0], qd[1], RADIUS * qd[3]


def on_slope(slope):
    rolls = np.tan(slope) < 3 * MU
    way = 2 / 3 * G * np.sin(slope) if rolls else G * (np.sin(slope) - MU * np.cos(slope))
    return way * END, (way if rolls else 2 * MU * G * np.cos(slope)) * END


def turned(moment):
    rolls = moment < 1.5 * MU * G * RADIUS
    way = 2 * moment / (3 * RADIUS) if rolls else MU * G
    return way * END, (way if rolls else 2 * (moment / RADIUS - MU * G)) * END


def measure(desk):
    slopes = np.arctan(3 * MU) * np.array([0.3, 0.6, 0.9, 1.1, 1.3])
    moments = 1.5 * MU * G * RADIUS * np.array([0.3, 0.6, 0.9, 1.1, 1.5])
    pulls = MU * G * np.array([0.5, 0.9, 1.1, 2])
    down = np.array([ends(desk, slope=s) for s in slopes])
    spun = np.array([ends(desk, turn=-c) for c in moments])
    along = np.array([ends(desk, pull=p)[1] for p in pulls])
    thrown = ends(desk, speed=1.0)
    slid = np.array([max(p - MU * G, 0) * END for p in pulls])
    exact_down, exact_spun = np.array([on_slope(s) for s in slopes]), np.array([turned(c) for c in moments])
    rows = [Row("down slopes of 0.3 to 1.3 times the steepest on which it rolls: speed", down[:, 0], exact_down[:, 0], 5e-3, "m/s"),
            Row("the same: speed of its surface by its turn", np.abs(down[:, 2]), exact_down[:, 1], 5e-3, "m/s"),
            Row("turned by 0.3 to 1.5 times the largest moment with which it rolls: speed", np.abs(spun[:, 0]), exact_spun[:, 0], 5e-3, "m/s"),
            Row("the same: speed of its surface", np.abs(spun[:, 2]), exact_spun[:, 1], 5e-3, "m/s"),
            Row("thrown at 1 m/s: speed once it rolls", thrown[0], 2 / 3, 5e-3, "m/s"),
            Row("pulled along its axis by 0.5 to 2 times what friction holds: speed", along, slid, 5e-3, "m/s")]

    def draw(figure):
        axes = figure.subplots(1, 2)
        fine = np.linspace(0.05, 1.3, 200) * np.arctan(3 * MU)
        curves = np.array([on_slope(s) for s in fine])
        for k, what in ((0, "speed"), (1, "of its surface by its turn")):
            axes[0].plot(np.degrees(fine), curves[:, k], lw=1, color=f"C{k}"), axes[0].plot(np.degrees(slopes), np.abs(down[:, 2 * k]), "o", color=f"C{k}", label=what)
        axes[0].set(xlabel="slope, degrees", ylabel="after 0.5 s, m/s"), axes[0].legend()
        fine = np.linspace(0.05, 1.5, 200) * 1.5 * MU * G * RADIUS
        curves = np.array([turned(c) for c in fine])
        for k in (0, 1):
            axes[1].plot(fine, curves[:, k], lw=1, color=f"C{k}"), axes[1].plot(moments, np.abs(spun[:, 2 * k]), "o", color=f"C{k}")
        axes[1].set(xlabel="moment about its axis, N m")

    return rows, draw
