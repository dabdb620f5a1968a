"""Tendon-driven robots: straight, convergent and helical tendons under load

A spring-steel backbone of 242 mm (radius 0.4 mm) with tendons 8 mm off its axis, as in the experiments of Rucker and Webster: one straight
tendon, two that converge to the axis, and a helical one of one turn, each pulled, in gravity and with a mass hung at the tip. A straight
tendon without weight bends the rod to an arc of curvature T d/(EI).

Source: D. C. Rucker and R. J. Webster III, *Statics and dynamics of continuum robots with general tendon routing and external loading*,
IEEE Trans. Robotics 27 (2011) 1033-1044. The paper's measured tips are not at hand in digits; its model (a Cosserat rod with frictionless
tendons) is solved independently by cuts through rod and tendons (support/tendon_rod.py), which uses no distributed tendon loads.

Tolerance: 3e-4 of the length with order 6 and default points (the paper's model meets its experiment to 1.7 % of the length).
"""
import numpy as np

from support.models import link, load, model, rod, smooth
from support.rows import Row
from support.tendon_rod import TendonRod

KIND = "solver, exact"
LENGTH, RADIUS, OFFSET, YOUNG, POISSON, DENSITY, G = 0.242, 0.0004, 0.008, 2.1e11, 0.3125, 7850.0, 9.81
AREA, INERTIA, SHEAR = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4, 2.1e11 / (2 * 1.3125)
ORDER = {"torsion": 6, "bending_y": 6, "bending_z": 6, "elongation": 2, "shear_y": 2, "shear_z": 2}
TIP_MASS = 0.02  # kg


def tendon(kind, phase):
    """(routing of the model, d(s), d'(s)) with s in metres."""
    c, s_ = np.cos(phase), np.sin(phase)
    if kind == "helix":
        rate = 2 * np.pi / LENGTH
        return ({"type": "helix", "radius": OFFSET, "turns": 1, "phase": phase},
                lambda s: OFFSET * np.array([0, np.cos(rate * s + phase), np.sin(rate * s + phase)]),
                lambda s: OFFSET * rate * np.array([0, -np.sin(rate * s + phase), np.cos(rate * s + phase)]))
    end = 0.25 if kind == "convergent" else 1.0
    base = OFFSET * np.array([0, c, s_])
    return ({"type": "linear", "base": base[1:].tolist(), "tip": (end * base)[1:].tolist()},
            lambda s: base * (1 + (end - 1) * s / LENGTH), lambda s: base * (end - 1) / LENGTH)


CASES = {"straight": [("straight", 0.3, 5.0)], "convergent": [("convergent", 0.3, 6.0), ("convergent", 2.2, 2.0)],
         "helical": [("helix", 0.3, 3.0)],
         "helical and straight": [("helix", 1.0, 2.0), ("straight", 3.0, 3.0)]}


def robot(case):
    body = rod(LENGTH, RADIUS, YOUNG, ORDER, poisson=POISSON, density=DENSITY)
    actuators = [{"name": f"t{i}", "type": "tendon", "link": "rod", "routing": tendon(kind, phase)[0]} for i,
                 (kind, phase, _) in enumerate(CASES[case])]
    return model([link("rod", body=body)], (0, 0, -G), actuators=actuators, loads=[load({"fz": "hung"})])


def solver(case, mass, gravity=G):
    stiff = (1 / (SHEAR * 2 * INERTIA), 1 / (YOUNG * INERTIA), 1 / (YOUNG * INERTIA))
    stretch = (1 / (YOUNG * AREA), 1 / (SHEAR * AREA), 1 / (SHEAR * AREA))
    pulled = [(tension, *tendon(kind, phase)[1:]) for kind, phase, tension in CASES[case]]
    return TendonRod(LENGTH, stiff, stretch, pulled, (0, 0, -gravity * DENSITY * AREA), (0, 0, -gravity * mass), steps=60).solve()


# What solver(case, mass) gives for the tip, m (40 s in all: `python3 tendon_robots.py` computes them again).
TIPS = {("straight", 0): (0.0796183, 0.1682342, 0.0488539),
        ("straight", 0.02): (0.0833711, 0.1457010, -0.0972741),
        ("convergent", 0): (0.1205061, 0.1453355, 0.1045395),
        ("convergent", 0.02): (0.1306858, 0.1548102, -0.0758536),
        ("helical", 0): (0.2304782, -0.0158661, 0.0482500),
        ("helical", 0.02): (0.1993713, -0.0097853, -0.1075788),
        ("helical and straight", 0): (0.1470482, -0.1572348, 0.0329188),
        ("helical and straight", 0.02): (0.1310464, -0.1202399, -0.1127314)}


def measure(desk):
    rows, kept = [], []
    for case in CASES:
        inputs = {f"t{i}": [tension, tension] for i, (_, _, tension) in enumerate(CASES[case])}
        q = desk.statics(robot(case), {**inputs, "hung": [0, -TIP_MASS * G]})["q"]
        poses = desk.evaluate(robot(case), q, "poses")["poses/rod"]
        for i, mass in enumerate((0, TIP_MASS)):
            exact = np.array(TIPS[case, mass])
            kept.append((case if i == 0 else None, poses[i], exact))
            rows.append(Row(f"tip, {case}" + (f", {1000 * mass:g} g hung" if mass else ""), poses[i, -1, :3, 3], exact, 3e-4, "m",
                            scale=LENGTH))
    light = robot("straight")
    light["gravity"] = [0, 0, 0]
    tension = 5.0
    q = desk.statics(light, {"t0": tension})["q"]
    pose = desk.evaluate(light, q, "poses")["poses/rod"][0, -1]
    # the tendon's tangent is parallel to the rod's: EA (v - 1) = -T, EI u = T d
    u, v = tension * OFFSET / (YOUNG * INERTIA), 1 - tension / (YOUNG * AREA)
    turn = u * LENGTH
    reach, side = v / u * np.sin(turn), v / u * (1 - np.cos(turn))
    rows.append(Row("straight tendon without weight: an arc", pose[:3, 3], [reach, side * np.cos(0.3), side * np.sin(0.3)], 1e-6,
                    "m", scale=LENGTH))

    def draw(figure):
        axes = figure.add_subplot(projection="3d")
        for i, (name, shape, exact) in enumerate(kept):
            axes.plot(*smooth(shape).T, f"C{i // 2}", lw=1.2, ls="-" if i % 2 == 0 else "--",
                      label=name), axes.plot(*exact[:, None], "kx", ms=4)
        axes.set(xlabel="x, m", ylabel="y, m", zlabel="z, m",
                 title="crosses: independent solver; dashed: with 20 g"), axes.set_aspect("equal")
        axes.legend(loc="center left", bbox_to_anchor=(-0.6, 0.5), fontsize=7)

    return rows, draw


if __name__ == "__main__":
    for case in CASES:
        for mass in (0, TIP_MASS):
            print(case, mass, solver(case, mass)[-1, :3])
