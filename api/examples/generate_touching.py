"""generate_touching.py: writes robots that hold, crawl and coil by contact, beside this file; with --check it only says whether they
stand there as they would be written. Their measures are chosen here."""
import math
import sys

import generate
from generate_continuum import FIXED, dynamics, rod, steps


# --------------------------------------------------------------------------------------------------------- ball-gripper
BALL = 0.04  # radius, m


def finger(k, count=3, rim=0.055):
    """Hangs down from the palm; y of its section looks along the palm's rim, z to the inside."""
    turn = 2 * math.pi * k / count
    rubber = {"young": 5e6, "poisson": 0.45, "density": 1100, "viscosity": 2e4}
    pose = {"translation": [round(rim * math.cos(turn), 9), round(rim * math.sin(turn), 9), 0],
            "rpy": [0, round(math.pi / 2, 12), round(turn, 12)]}
    return generate.link(f"finger{k + 1}", "palm", pose, FIXED,
                         rod(0.12, {"shape": "circle", "radius": [0.01, 0.008]}, rubber, {"bending_y": 2, "bending_z": 1}, points=7))


def palm_and_tendons(fingers):
    lumen = {"type": "linear", "base": [0, -0.006], "tip": [0, -0.006]}
    return [{"name": "lift", "type": "joint", "link": "palm", "mode": "position"}] + [
        {"name": f"pull{k + 1}", "type": "tendon", "link": f"finger{k + 1}", "routing": lumen} for k in range(fingers)]


def ball_gripper():
    palm = {"type": "rigid", "shape": {"type": "cylinder", "radius": 0.06, "length": 0.01, "axis": "z"}, "density": 1200}
    ball = {"type": "rigid", "shape": {"type": "sphere", "radius": BALL}, "density": 250}
    links = [generate.link("palm", "world", {"translation": [0, 0, 0.15]}, {"type": "prismatic", "axis": "z"}, palm)]
    links += [finger(k) for k in range(3)]
    links += [generate.link("ball", "world", {"translation": [0, 0, BALL - 0.0002]}, {"type": "free"}, ball)]
    actuators = palm_and_tendons(3)
    contacts = [{"name": "floor", "type": "plane", "links": ["ball"], "stiffness": 1e5, "damping": 1, "friction": 0.6,
                 "stick": {"stiffness": 2000, "damping": 2}},
                {"name": "grip", "type": "pair", "a": [f"finger{k + 1}" for k in range(3)], "b": ["ball"], "stiffness": 2e4, "damping": 0.5,
                 "friction": 0.8, "stick": {"stiffness": 1000, "damping": 1}}]
    text = "Three rubber fingers with a tendon each close around a ball that lies on the floor, lift it by 0.1 m, hold it there for five seconds by friction that sticks, and let go. Nothing but contact carries the ball."
    return generate.model("ball-gripper", text, links, actuators=actuators, contacts=contacts)


def grip_and_lift(fingers, tension):
    """Tendons pull from the start to 7 s; the palm rises by 0.1 m from 0.8 to 1.8 s, and stays."""
    rise = steps(1.8, (0.8, 1.8, 0.1))
    still = [round(1.8 + 0.1 * k, 9) for k in range(1, 63)]  # a spline that stays where it is
    lift = {"type": "table", "interpolation": "spline", "t": [0, 0.2, 0.4, 0.6] + rise["t"][1:] + still,
            "value": [0, 0, 0, 0] + rise["value"][1:] + [0.1] * len(still)}
    return {"lift": lift, **{f"pull{k + 1}": steps(8, (0, 0.6, tension), (7, 7.3, 0)) for k in range(fingers)}}


def ball_gripper_job():
    fields = ["q", "qd", "u", "energy", "contacts", "contact_force", "contact_place", "poses:palm", "poses:ball"] + [f"poses:finger{k + 1}" for k in range(3)]
    return dynamics("ball-gripper", 8, 0.02, fields, grip_and_lift(3, 12))


# ---------------------------------------------------------------------------------------------------------- box-gripper
BOX = [0.07, 0.07, 0.06]  # m


def box_gripper():
    """The box stands on the table as deep as its weight, over the corners and edges that touch, presses it."""
    palm = {"type": "rigid", "shape": {"type": "cylinder", "radius": 0.06, "length": 0.01, "axis": "z"}, "density": 1200}
    box = {"type": "rigid", "shape": {"type": "box", "size": BOX}, "density": 250,
           "collision": {"shape": "box", "size": BOX, "rounding": 0.004}}
    table = {"type": "rigid", "shape": {"type": "box", "size": [0.24, 0.24, 0.03]}, "density": 700}
    links = [generate.link("palm", "world", {"translation": [0, 0, 0.145]}, {"type": "prismatic", "axis": "z"}, palm)]
    links += [finger(k, 4, 0.052) for k in range(4)]
    links += [generate.link("table", "world", {"translation": [0, 0, -0.015]}, FIXED, table),
              generate.link("box", "world", {"translation": [0, 0, round(BOX[2] / 2 - 2e-5, 9)]}, {"type": "free"}, box)]
    actuators = palm_and_tendons(4)
    contacts = [{"name": "stand", "type": "pair", "a": ["box"], "b": ["table"], "stiffness": 1e5, "damping": 1, "friction": 0.6,
                 "stick": {"stiffness": 500, "damping": 0.5}},
                {"name": "grip", "type": "pair", "a": [f"finger{k + 1}" for k in range(4)], "b": ["box"], "stiffness": 2e4, "damping": 0.5,
                 "friction": 0.8, "stick": {"stiffness": 1000, "damping": 1}}]
    text = "Four rubber fingers with a tendon each close around a box that stands on a table, lift it by 0.1 m, carry it for five seconds by friction that sticks, and let go: it falls back on the table. Fingers touch the box by its faces, box and table each other by corners and edges."
    return generate.model("box-gripper", text, links, actuators=actuators, contacts=contacts)


def box_gripper_job():
    fields = ["q", "qd", "u", "energy", "contacts", "contact_force", "contact_place", "poses:palm", "poses:box", "poses:table"] + [f"poses:finger{k + 1}" for k in range(4)]
    return dynamics("box-gripper", 8, 0.02, fields, grip_and_lift(4, 20))


# ---------------------------------------------------------------------------------------------------------------- snake
PARTS = 4


def snake():
    """As deep in the ground as its weight, 6.93 N per metre, presses it."""
    silicone = {"young": 5e5, "poisson": 0.45, "density": 1000, "viscosity": 1e4}
    radius, sunk = 0.015, (1000 * math.pi * 0.015**2 * 9.81 / 1e5) ** (1 / 1.5)
    links, actuators = [], []
    for k in range(PARTS):
        body = rod(0.2, {"shape": "circle", "radius": radius}, silicone, {"bending_z": 3}, points=8)
        links.append(generate.link(f"part{k + 1}", f"part{k}" if k else "world", None if k else {"translation": [0, 0, round(radius - sunk, 9)]},
                                   FIXED if k else {"type": "planar", "axis": "z"}, body))
        actuators += [{"name": f"{side}{k + 1}", "type": "tendon", "link": f"part{k + 1}",
                       "routing": {"type": "linear", "base": [y, 0], "tip": [y, 0]}} for side, y in (("left", 0.01), ("right", -0.01))]
    contacts = [{"name": "ground", "type": "plane", "stiffness": 1e5, "per": "length", "damping": 1, "friction": 0.6, "slip_speed": 2e-3,
                 "anisotropy": [0.1, 1]}]
    text = "A snake of silicone on the ground, four parts with a tendon at either side. Its skin rubs ten times as much across as along (anisotropic friction), so that waves that run down its body push it forward: in the job it crawls by its own length in six seconds."
    return generate.model("snake", text, links, actuators=actuators, contacts=contacts)


def snake_job():
    inputs = {f"{side}{k + 1}": generate.sine(7, 0.5, 7, phase=round(sign + 2 * math.pi * k / PARTS, 9))
              for k in range(PARTS) for side, sign in (("left", 0), ("right", math.pi))}
    fields = ["q", "qd", "u", "energy", "contact_force", "contact_place"] + [f"poses:part{k + 1}" for k in range(PARTS)]
    return dynamics("snake", 6, 0.04, fields, inputs)


# --------------------------------------------------------------------------------------------------------- coiling-rope
def coiling_rope():
    """Hangs from the feed, x down; it was bent beforehand, which decides the side to which it coils."""
    rubber = {"young": 1e5, "poisson": 0.45, "density": 1000, "viscosity": 4e3}
    feed = {"type": "rigid", "mass": 0.1, "com": [0, 0, 0], "inertia": [1e-4, 1e-4, 1e-4]}
    rope = rod(0.55, {"shape": "circle", "radius": 0.01}, rubber, {"torsion": 1, "bending_y": 5, "bending_z": 5}, "cubic",
               reference=[0.2, 6, 2, 1, 0, 0])
    links = [generate.link("feed", "world", {"translation": [0, 0, 0.56]}, {"type": "prismatic", "axis": "z"}, feed),
             generate.link("rope", "feed", {"rpy": [0, round(math.pi / 2, 12), 0]}, FIXED, rope)]
    actuators = [{"name": "lower", "type": "joint", "link": "feed", "mode": "position"}]
    law = {"damping": 1, "friction": 0.4, "slip_speed": 0.01}
    contacts = [{"name": "table", "type": "plane", "stiffness": 2e5, "per": "length", "links": ["rope"], **law},
                {"name": "coils", "type": "self", "link": "rope", "apart": 0.08, "stiffness": 2e4, **law}]
    text = "A soft rope is lowered onto a table, where it coils and comes to lie on itself (self contact). Whatever it rubs, its account of energy closes."
    return generate.model("coiling-rope", text, links, actuators=actuators, contacts=contacts)


def coiling_rope_job():
    lower = {"type": "table", "interpolation": "spline", "t": [0, 0.25, 0.5, 1, 1.5, 2, 2.5, 3],
             "value": [0, 0, -0.04, -0.18, -0.32, -0.44, -0.5, -0.52]}
    fields = ["q", "qd", "u", "energy", "contacts", "contact_force", "contact_place", "poses:rope"]
    return dynamics("coiling-rope", 3, 0.02, fields, {"lower": lower})


DOCUMENTS = {"ball-gripper": (ball_gripper, ball_gripper_job), "box-gripper": (box_gripper, box_gripper_job),
             "snake": (snake, snake_job),
             "coiling-rope": (coiling_rope, coiling_rope_job)}

if __name__ == "__main__":
    generate.DOCUMENTS = DOCUMENTS
    sys.exit(generate.main("--check" in sys.argv[1:]))
