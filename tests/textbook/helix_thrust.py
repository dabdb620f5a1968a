"""Helix thrust: a flagellum turns in a viscous fluid

A rigid helix of three turns spins about its axis in a fluid where only viscosity counts. Held, it pushes along its axis; free to slide,
it swims. With resistances c_n, c_t per length across and along it and its tangent at the angle theta to the axis, resistive-force theory gives
thrust (c_n - c_t) w R sin cos L, torque w R^2 (c_n cos^2 + c_t sin^2) L, and swimming at w R (c_n - c_t) sin cos/(c_n sin^2 + c_t cos^2).

Source: J. Gray and G. Hancock, *The propulsion of sea-urchin spermatozoa*, J. Exp. Biol. 32 (1955); J. Lighthill, *Flagellar
hydrodynamics*, SIAM Review 18 (1976) 161-230, whose c_n and c_t (q = 0.09 L) the rod takes by `resistive_force`.

Tolerance: 1e-6: the resistance is the same all along the rod.
"""
import numpy as np

from support.models import link, model, rod, smooth
from support.rows import Row

KIND = "exact"
R, THETA, TURNS, WIRE, MU, RATE = 0.02, np.radians(40), 3, 0.0005, 1.0, 2 * np.pi
LENGTH = TURNS * 2 * np.pi * R / np.sin(THETA)
Q = 0.09 * LENGTH
NORMAL, TANGENTIAL = 4 * np.pi * MU / (np.log(2 * Q / WIRE) + 0.5), 2 * np.pi * MU / np.log(2 * Q / WIRE)


def robot(free):
    rise = np.pi / 2 - THETA  # of the tangent over the plane across the axis
    reference = [np.sin(rise) * np.cos(rise) / R, 0, np.cos(rise) ** 2 / R, 1, 0, 0]
    body = rod(LENGTH, WIRE, density=1000.0, order={}, points=12, reference=reference, hydrodynamics={"resistive_force": True})
    links = [link("slide", {"type": "prismatic", "axis": "z"}), link("spin", {"type": "revolute", "axis": "z"}, parent="slide"),
             link("rod", body=body, parent="spin", pose={"translation": [0, -R, 0], "rpy": [0, -rise, 0]})]
    drives = ["spin"] if free else ["slide", "spin"]
    actuators = [{"name": n, "type": "joint", "link": n, "mode": "position"} for n in drives]
    return model(links, actuators=actuators, fluid={"density": 0, "viscosity": MU})


def measure(desk):
    c, s = np.cos(THETA), np.sin(THETA)
    turn = {"type": "polynomial", "coefficients": [0, RATE]}
    held = desk.run(robot(False), 0.1, ("q", "lambda"), dt=0.01, inputs={"spin": turn}, initial={"qd": [0, RATE]})
    thrust, torque = (NORMAL - TANGENTIAL) * RATE * R * s * c * LENGTH, RATE * R * R * (NORMAL * c * c + TANGENTIAL * s * s) * LENGTH
    swims = desk.run(robot(True), 1.0, ("q", "qd", "poses:rod"), dt=0.01, inputs={"spin": turn}, initial={"qd": [0, RATE]})
    speed = RATE * R * (NORMAL - TANGENTIAL) * s * c / (NORMAL * s * s + TANGENTIAL * c * c)
    rows = [Row("thrust, held", abs(held["lambda"][-1, 0]), thrust, 1e-6, "N"),
            Row("torque, held", abs(held["lambda"][-1, 1]), torque, 1e-6, "N m"),
            Row("swimming speed", abs(swims["qd"][-1, 0]), speed, 1e-6, "m/s")]

    def draw(figure):
        left, right = figure.add_subplot(121, projection="3d"), figure.add_subplot(122)
        helix = smooth(swims["poses:rod"].reshape(len(swims.t), -1, 4, 4)[0])
        left.plot(*helix.T, lw=1), left.set_box_aspect(np.ptp(helix, axis=0), zoom=1.2)
        left.set_xticks([]), left.set_yticks([]), left.set_zticks([]), left.set_title("the flagellum")
        right.plot(swims.t, np.abs(swims["qd"][:, 0]), lw=1, label="Tendril"), right.axhline(speed, color="k", ls=":", lw=1, label="exact")
        right.set(xlabel="t, s", ylabel="speed along the axis, m/s"), right.legend()

    return rows, draw
