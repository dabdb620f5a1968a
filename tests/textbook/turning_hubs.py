"""Turning hubs: a blade, Watt's governor and Jeffcott's rotor start in equilibrium and stay there

Runs with `"initial": {"q": "equilibrium"}` on a joint in position mode that turns steadily: the start is the equilibrium relative to the hub,
centrifugal forces included, and the robot stays there for turns and turns. A soft blade hangs from a hub of 0.1 m, pointing down, with a
mass at its tip. Watt's governor, one side of it: a ball on an arm, a link of the same length, a collar on the axis, closed by a loop.
Jeffcott's rotor: a disc whose mass lies e beside the axis, on a spring that turns along.

Source: the blade by finite differences of the elastica in the turning frame, solved independently (`python3 turning_hubs.py`):
EI theta'' = n_z sin theta - n_x cos theta + rho I w^2 sin theta cos theta, theta from the vertical, n_x(s) = w^2 (m x(L) + int_s^L rho A x),
n_z(s) = g (m + rho A (L - s)). Governor: cos(phi) = (m + 2 M) g / (m w^2 l), the balance of forces. Rotor: H. Jeffcott, *The
lateral vibration of loaded shafts*, Phil. Mag. 37 (1919): r = e w^2 / (k/m - w^2).

Tolerance: 1e-5 of the blade's length with Legendre order 9 and 24 points (1.5e-5 with the default 12), 1e-7 of the closed forms; 1e-7 for
what changes in three seconds.
"""
import numpy as np

from support.models import DOWN, link, model, rigid, rod
from support.rows import Row

KIND = "solver, exact"
LENGTH, HUB, RADIUS, YOUNG, DENSITY, TIP, G = 0.6, 0.1, 0.004, 1e8, 1100.0, 0.02, 9.81
AREA, INERTIA = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4
ARM, BALL, COLLAR = 0.4, 1.0, 0.5
MASS, SPRING, BESIDE = 0.5, 100.0, 0.003

# shape() on 60 and 120 intervals, extrapolated: distance from the axis and depth of the tip, m.
SPEEDS = (4.0, 8.0)
BLADE = [[0.21697727, 0.58681287], [0.58862558, 0.29365478]]


def residual(theta, w, h):
    s = np.arange(len(theta)) * h
    x = HUB + np.concatenate([[0], np.cumsum(h * (np.sin(theta[1:]) + np.sin(theta[:-1])) / 2)])
    load = DENSITY * AREA * x
    beyond = np.concatenate([np.cumsum((h * (load[1:] + load[:-1]) / 2)[::-1])[::-1], [0]])
    n_x, n_z = w * w * (TIP * x[-1] + beyond), G * (TIP + DENSITY * AREA * (LENGTH - s))
    bend = np.empty_like(theta)
    bend[1:-1] = (theta[2:] - 2 * theta[1:-1] + theta[:-2]) / h**2
    bend[-1] = 2 * (theta[-2] - theta[-1]) / h**2  # theta'(L) = 0
    out = YOUNG * INERTIA * bend - n_z * np.sin(theta) + n_x * np.cos(theta) - DENSITY * INERTIA * w * w * np.sin(theta) * np.cos(theta)
    out[0] = theta[0]
    return out


def shape(w, n):
    """Distance from the axis and depth of the tip, m: Newton with a Jacobian by differences, the speed raised in parts."""
    h, theta = LENGTH / n, np.zeros(n + 1)
    for part in np.linspace(0.05, 1, 20):
        for _ in range(30):
            r = residual(theta, part * w, h)
            J = np.empty((n + 1, n + 1))
            for j in range(n + 1):
                moved = theta.copy()
                moved[j] += 1e-6
                J[:, j] = (residual(moved, part * w, h) - r) / 1e-6
            change = np.linalg.solve(J, -r)
            theta += change
            if np.abs(change).max() < 1e-11:
                break
    s, c = np.sin(theta), np.cos(theta)
    return np.array([HUB + h * (s.sum() - (s[0] + s[-1]) / 2), h * (c.sum() - (c[0] + c[-1]) / 2)])


def on_a_hub(links, **more):
    hub = link("hub", {"type": "revolute", "axis": "z"}, rigid(1.0, inertia=(0.1, 0.1, 0.1)))
    return model([hub, *links], (0, 0, -G), actuators=[{"name": "turn", "type": "joint", "link": "hub", "mode": "position"}], **more)


def blade():
    body = rod(LENGTH, RADIUS, YOUNG, {"bending_y": 9}, density=DENSITY, viscosity=1e5, poisson=0.5, points=24)
    return on_a_hub([link("blade", body=body, parent="hub", pose={"translation": [HUB, 0, 0], **DOWN}),
                     link("tip", body=rigid(TIP), parent="blade")])


def governor():
    arm = link("arm", {"type": "revolute", "axis": "y", "damping": 0.01}, rigid(BALL, (ARM, 0, 0)), "hub", pose={"rpy": [0, np.pi / 6, 0]})
    lower = link("link", {"type": "revolute", "axis": "y"}, rigid(1e-9, (ARM / 2, 0, 0), (1e-11, 1e-11, 1e-11)), "arm",
                 pose={"translation": [ARM, 0, 0], "rpy": [0, 2 * np.pi / 3, 0]})
    collar = link("collar", {"type": "prismatic", "axis": "z"}, rigid(COLLAR, inertia=(1e-4, 1e-4, 1e-4)), "hub",
                  pose={"translation": [0, 0, -ARM]})
    pin = {"name": "pin", "a": {"link": "link", "pose": {"translation": [ARM, 0, 0]}}, "b": {"link": "collar"},
           "joint": {"type": "revolute", "axis": "y"}}
    return on_a_hub([arm, lower, collar], loops=[pin])


def rotor():
    disc = link("disc", {"type": "prismatic", "axis": "x", "stiffness": SPRING, "damping": 1.0}, rigid(MASS, (BESIDE, 0, 0), (0.01, 0.01, 0.01)),
                "hub")
    return on_a_hub([disc])


def turned(desk, robot, speed, fields=("q",)):
    return desk.run(robot, 3.0, fields, dt=0.05, inputs={"turn": {"type": "polynomial", "coefficients": [0, speed]}},
                    initial={"q": "equilibrium"})


def stirred(result):
    """The most that a coordinate of the robot on its hub changes by."""
    return np.abs(result["q"][:, 1:] - result["q"][0, 1:]).max()


def measure(desk):
    rows, shapes = [], []
    for speed, reference in zip(SPEEDS, BLADE):
        result = turned(desk, blade(), speed, ("q", "poses:blade"))
        points = result["poses:blade"].reshape(len(result.t), -1, 4, 4)[:, :, :3, 3]
        tip = np.array([np.hypot(*points[0, -1, :2]), -points[0, -1, 2]])
        shapes.append(points[0])
        rows += [Row(f"tip of the blade at {speed:g} rad/s, outwards and down", tip, reference, 1e-5, "m", scale=LENGTH),
                 Row(f"what changes in 3 s of the blade at {speed:g} rad/s", stirred(result), 0, 1e-7, scale=1)]
    w = 9.0
    result = turned(desk, governor(), w)
    rows += [Row("angle of the governor's arm, 9 rad/s", np.pi / 3 - result["q"][0, 1],
                 np.arccos((BALL + 2 * COLLAR) * G / (BALL * w * w * ARM)), 1e-7, "rad"),
             Row("what changes in 3 s of the governor", stirred(result), 0, 1e-7, scale=1)]
    result = turned(desk, rotor(), w)
    rows += [Row("whirl of Jeffcott's rotor, 9 rad/s", result["q"][0, 1], BESIDE * w * w / (SPRING / MASS - w * w), 1e-7, "m"),
             Row("what changes in 3 s of the rotor", stirred(result), 0, 1e-7, scale=1)]

    def draw(figure):
        axes = figure.subplots()
        for speed, points, reference in zip(SPEEDS, shapes, BLADE):
            axes.plot(np.hypot(points[:, 0], points[:, 1]), points[:, 2], lw=1, label=f"{speed:g} rad/s"), axes.plot(reference[0], -reference[1], "kx")
        axes.set(xlabel="distance from the axis, m", ylabel="height, m", aspect="equal", title="crosses: finite differences"), axes.legend()

    return rows, draw


if __name__ == "__main__":
    for speed in SPEEDS:
        coarse, fine = shape(speed, 60), shape(speed, 120)
        print(speed, ((4 * fine - coarse) / 3).round(8).tolist(), np.abs(fine - coarse).max())
