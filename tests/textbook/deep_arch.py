"""Deep arch: a clamped and hinged arch under a load on its crown

A circular arch of 215 degrees, clamped at one end and hinged at the other, under a vertical dead load on its crown: it leans over and snaps
at P R^2/EI = 8.97. The crown's way down is prescribed (a slider that lets it go aside and turn), the load is its reaction.

Source: D. DaDeppo and R. Schmidt, *Instability of clamped-hinged circular arches subjected to a point load*, J. Appl. Mech. 42 (1975)
894-896: 8.97 (897 for EI = 1e6, R = 100; J. Simo and L. Vu-Quoc 1986, part II: 905.28 with 40 elements).

Tolerance: 2e-3: half a unit of the last published digit (6e-4) and what eight cubic elements leave.
"""
import numpy as np

from support.models import circle_ei, link, model, rigid, rod, smooth
from support.rows import Row

KIND = "published"
R, ANGLE, RADIUS, YOUNG = 1.0, np.radians(215), 0.01, 1e9


def robot():
    length, half = R * ANGLE, ANGLE / 2
    hinge = {"type": "revolute", "axis": "y"}
    # From the left end, at -half from the top, the tangent climbs by half over the horizontal and falls off to -half.
    body = rod(length, RADIUS, YOUNG, {"bending_y": 8}, basis="cubic", reference=[0, 1 / R, 0, 1, 0, 0])
    start = [-R * np.sin(half), 0, R * np.cos(half)]
    end = [R * np.sin(half), 0, R * np.cos(half)]
    light = rigid(1e-3, inertia=(1e-6, 1e-6, 1e-6))
    links = [link("arch", body=body, pose={"translation": start, "rpy": [0, -half, 0]}),
             link("down", {"type": "prismatic", "axis": "-z"}, light, pose={"translation": [0, 0, R]}),
             link("aside", {"type": "prismatic", "axis": "x"}, light, "down")]
    loops = [{"a": {"link": "arch"}, "b": {"link": "world", "pose": {"translation": end}}, "joint": hinge},
             {"a": {"link": "arch", "at": 0.5}, "b": {"link": "aside"}, "joint": hinge}]
    return model(links, loops=loops, actuators=[{"name": "down", "type": "joint", "link": "down", "mode": "position"}])


def measure(desk):
    down = np.linspace(0, 1.2, 121) * R
    result = desk.statics(robot(), {"down": down.tolist()}, keep=True)
    force = np.abs(result["lambda"][:, -1]) * R * R / circle_ei(YOUNG, RADIUS)
    peak = int(np.argmax(force))
    a, b, c = np.polyfit(down[peak - 2:peak + 3], force[peak - 2:peak + 3], 2)
    rows = [Row("limit load P R^2/EI", c - b * b / (4 * a), 8.97, 2e-3)]
    poses = desk.evaluate(robot(), result["q"][[0, 50, 90, peak]], "poses")["poses/arch"]

    def draw(figure):
        left, right = figure.subplots(1, 2)
        left.plot(down, force, lw=1), left.axhline(8.97, color="k", ls=":", lw=1, label="DaDeppo & Schmidt"), left.legend()
        left.set(xlabel="crown's way down / R", ylabel="P R²/EI")
        for shape in poses:
            right.plot(*smooth(shape)[:, [0, 2]].T, lw=1)
        right.set(aspect="equal", xlabel="x/R", ylabel="z/R")

    return rows, draw
