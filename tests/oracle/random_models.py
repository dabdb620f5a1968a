"""random_models.py FOLDER COUNT [SEED]: reference files for random trees, to hold the engine to robots nobody chose.

Compile test_reference.c with -DTEST_DATA_DIR pointing at a folder whose published/oracle holds them.
"""

import json
import pathlib
import sys

import numpy as np

import generate
import profiles
from quantities import Robot, State
from robot import Rod

KINDS = json.loads((pathlib.Path(__file__).parents[2] / "api" / "kinds.json").read_text())  # a new one is drawn, too
JOINTS = tuple(joint["name"] for joint in KINDS["joints"])
LOOP_JOINTS = tuple(name for name in JOINTS if name != "free")  # a free loop holds nothing
BASES = tuple(basis["name"] for basis in KINDS["bases"])
LARGEST = 26


class Maker:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def number(self, low, high):
        return round(float(self.rng.uniform(low, high)), 4)

    def numbers(self, count, low, high):
        return [self.number(low, high) for _ in range(count)]

    def pick(self, words):
        return words[int(self.rng.integers(len(words)))]

    def chance(self, p=0.5):
        return bool(self.rng.random() < p)

    def knots(self):
        """Not so close that a spline through them swings below zero."""
        count = int(self.rng.integers(0, 4))
        return [0, *(round((i + self.number(0.6, 1.4)) / (count + 1), 4) for i in range(count)), 1]

    def pose(self):
        out = {"translation": self.numbers(3, -0.3, 0.3)}
        if self.chance():
            return {**out, "rpy": self.numbers(3, -3, 3)}
        return {**out, "quaternion": self.numbers(4, -1, 1)}

    def joint(self):
        kind = self.pick(JOINTS)
        out = {"type": kind}
        if kind not in ("fixed", "spherical", "free"):
            words = ["x", "y", "z"] + ([] if kind in ("universal", "planar") else ["-x", "-y", "-z"])
            out["axis"] = self.pick(words) if self.chance() else self.numbers(3, -1, 1)
        if kind == "helical":
            out["pitch"] = self.number(-0.1, 0.1)
        for key in ("stiffness", "damping", "rest"):
            if kind != "fixed" and self.chance(0.3):
                out[key] = self.number(0, 3)
        return out

    def size(self, low, high):
        form = self.rng.integers(3)
        if form == 0:
            return self.number(low, high)
        if form == 1:
            return self.numbers(2, low, high)
        s = self.knots()
        return {"s": s, "value": self.numbers(len(s), 0.7 * high, high)}

    def section(self):
        keys = self.pick((("circle", "radius"), ("rectangle", "height", "width"), ("ellipse", "semi_y", "semi_z")))
        if self.chance(0.25):
            return self.stiffness()
        out = {"shape": keys[0], **{k: self.size(0.01, 0.03) for k in keys[1:]}}
        if self.chance(0.3):
            out |= {"inner_" + k: self.numbers(2, 0.002, 0.006) for k in keys[1:]}
        if self.chance(0.2):
            out |= {"torsion_constant": 1e-9 * self.number(1, 10), "shear_correction": self.number(0.5, 1)}
        return out | ({"damping": self.numbers(6, 0, 1e-3)} if self.chance(0.2) else {})

    def stiffness(self):
        out = {"shape": "stiffness", **{k: self.size(0.1, 1) for k in ("GJ", "EI_y", "EI_z")}, **{k: self.size(50, 500) for k in ("EA", "GA_y", "GA_z")},
               "mass_per_length": self.size(0.2, 2), "inertia_per_length": self.numbers(3, 1e-5, 3e-4), "radius": self.size(0.01, 0.03)}
        if self.chance():
            root = np.diag([0.2, 0.2, 0.2, 4, 4, 4]) @ self.rng.uniform(-1, 1, (6, 6)) * 0.3
            out["coupling"] = np.round(root @ root.T, 9).tolist()
        return out

    def material(self):
        out = {"young": self.number(2e5, 3e6), "density": self.number(900, 1300), "viscosity": self.number(0, 5e3)}
        return {**out, **({"poisson": self.number(0, 0.5)} if self.chance() else {"shear": self.number(1e5, 1e6)})}

    def strain(self):
        basis = self.pick(BASES)
        active = [c for c in profiles.COMPONENTS if self.chance(0.4)] or ["bending_y"]
        out = {"basis": basis}
        if basis == "table":
            s = self.knots()
            out.update({"s": s}, **{c: [self.numbers(len(s), -1, 1) for _ in range(int(self.rng.integers(1, 3)))] for c in active})
        elif basis in profiles.ELEMENT_DEGREE:
            most = 4 if basis == "linear" else 3
            out["order"] = {c: int(self.rng.integers(1, most)) for c in active[:2]}
        else:
            out["order"] = {c: int(self.rng.integers(0, 2 if basis == "fourier" else 4)) for c in active}
        if self.chance(0.4):
            row = lambda: [*self.numbers(3, -3, 3), self.number(0.9, 1.1), *self.numbers(2, -0.1, 0.1)]
            s = self.knots()
            out["reference"] = row() if self.chance() else {"s": s, "value": [row() for _ in s]}
        return out

    def spread(self, size, count):
        """A random symmetric positive semidefinite matrix."""
        root = self.rng.uniform(-1, 1, (count, count))
        return np.round(size * root @ root.T, 9).tolist()

    def lossy(self):
        """A drag matrix that never drives: symmetric part positive semidefinite, lift beside it."""
        lift = self.rng.uniform(-1, 1, (6, 6))
        return np.round(self.spread(2, 6) + lift - lift.T, 9).tolist()

    def water(self, rod):
        if not self.chance(0.3):
            return {}
        if rod:
            keys = [k for k in ("cd_x", "cd_y", "cd_z", "cl_x", "cl_y", "cl_z", "added_y", "added_z") if self.chance(0.6)]
            out = {k: self.number(0 if k[0] != "c" or k[1] == "d" else -1, 2) for k in keys}
            if self.chance():
                out["linear"] = {"tangential": self.number(0, 1), "normal": self.number(0, 2)}
            elif self.chance():
                out["resistive_force"] = True
            return {"hydrodynamics": out}
        out = {"body_density": self.number(500, 2000)} if self.chance(0.7) else {}
        if self.chance():
            out["added_mass"] = self.numbers(6, 0, 1) if self.chance() else self.spread(0.3, 6)
        if self.chance():
            out["drag"] = self.numbers(6, 0, 3) if self.chance() else self.lossy()
        if self.chance():
            out["linear"] = self.numbers(6, 0, 3) if self.chance() else self.lossy()
        return {"hydrodynamics": out}

    def contact(self, links):
        kind = self.pick([word for word in KINDS["contacts"] if word not in ("pair", "self", "box")])
        out = {"type": kind, "stiffness": self.number(100, 5000), "exponent": self.pick((1, 1.5, 2, self.number(1, 3)))}
        if self.chance(0.3):
            out["per"] = self.pick(KINDS["contact_per"])
        if kind != "plane":
            out["radius"] = self.number(0.2, 0.6) if kind != "cylinder_interior" else self.number(0.1, 0.3)
        if kind != "sphere" and self.chance():
            out["axis"] = self.pick(("x", "y", "z", "-x")) if self.chance() else self.numbers(3, -1, 1)
        if self.chance(0.7):
            out["pose"] = self.pose()
        rods = [x["name"] for x in links if x["body"]["type"] == "rod"]
        if len(rods) > 1 and self.chance(0.4):
            out["links"] = rods[1:]
        return out

    def loop_end(self, links):
        if self.chance(0.3):
            return {"link": "world", "pose": self.pose()}
        out = {"link": self.pick(links)["name"], **({"pose": self.pose()} if self.chance(0.7) else {})}
        return {**out, "at": self.pick((0, 1, self.number(0, 1)))} if self.chance() else out

    def loop(self, links):
        a, b = self.loop_end(links), self.loop_end(links)
        kind = self.pick(LOOP_JOINTS)
        joint = {"type": kind, **({"axis": self.pick("xyz")} if kind not in ("fixed", "spherical") else {})}
        if kind == "helical":
            joint["pitch"] = self.number(-0.3, 0.3)
        return {"a": a, "b": b, "joint": joint} if a["link"] != b["link"] else None

    def body(self):
        if self.chance(0.6):
            out = {"type": "rod", **self.water(True), "length": self.number(0.15, 0.6), "section": self.section(), "material": self.material(),
                   "strain": self.strain()}
            if out["section"]["shape"] == "stiffness":
                del out["material"]
            points = {"quadrature": {"points": int(self.rng.integers(7, 10))}}
            needed = out["strain"]["basis"] in ("cubic", "hermite")
            return {**out, **(points if needed or self.chance(0.3) else {})}
        root = self.rng.uniform(-1, 1, (3, 3))
        spread = 1e-3 * (root @ root.T + 0.1 * np.eye(3))  # of the mass; its inertia is trace - itself
        inertia = np.round(np.trace(spread) * np.eye(3) - spread, 9).tolist()
        return {"type": "rigid", "mass": self.number(0.1, 2), "com": self.numbers(3, -0.1, 0.1), "inertia": inertia,
                **self.water(False)}

    def links(self):
        out = []
        for i in range(int(self.rng.integers(1, 6))):
            d = {"name": f"l{i}", "pose": self.pose(), "joint": self.joint(), "body": self.body()}
            if out and self.chance(0.9):
                d["parent"] = self.pick(out)["name"]
                if self.chance():
                    d["at"] = self.pick((0, 1, 0.5, self.number(0, 1)))
            out.append(d)
        return out

    def plain_routing(self):
        kind = self.pick(("linear", "helix", "table"))
        if kind == "linear":
            return {"type": kind, "base": self.numbers(2, -0.02, 0.02), **({"tip": self.numbers(2, -0.02, 0.02)} if self.chance() else {})}
        if kind == "helix":
            return {"type": kind, "radius": self.number(0.005, 0.02), "turns": self.number(-2, 2), "phase": self.number(0, 6)}
        s = self.knots()
        return {"type": kind, "s": s, "y": self.numbers(len(s), -0.02, 0.02), "z": self.numbers(len(s), -0.02, 0.02)}

    def routing(self):
        return {"type": "sum", "of": [self.plain_routing(), self.plain_routing()]} if self.chance(0.2) else self.plain_routing()

    def segment(self, link):
        if link["body"]["type"] == "rod":
            return {"link": link["name"], "routing": self.routing()}
        return {"link": link["name"], "points": [self.numbers(3, -0.2, 0.2) for _ in range(int(self.rng.integers(1, 4)))]}

    def actuators(self, links):
        out = []
        for i in range(int(self.rng.integers(0, 4))):
            link = self.pick(links)
            if any(a["link"] == link["name"] for a in out if "link" in a):
                continue
            if link["joint"]["type"] != "fixed" and self.chance(0.4):
                out.append({"name": f"a{i}", "type": "joint", "link": link["name"], "mode": self.pick(("force", "position"))})
            else:
                segments = [self.segment(self.pick(links)) for _ in range(int(self.rng.integers(1, 4)))]
                out.append({"name": f"a{i}", "type": "tendon", "segments": segments, **({"joined": False} if self.chance(0.2) else {})})
        return out

    def loads(self, links):
        out = []
        for i in range(int(self.rng.integers(0, 3))):
            link = self.pick(links)
            d = {"name": f"w{i}", "link": link["name"], "frame": self.pick(KINDS["load_frames"]), "at": self.number(0, 1)}
            if link["body"]["type"] == "rod" and self.chance():
                del d["at"]
                d.update(per_length=True, **{"from": self.pick((0, self.number(0, 0.45))), "to": self.pick((1, self.number(0.55, 1)))})
            if self.chance():
                d["pose"] = self.pose()
            if self.chance():
                d["channels"] = [f"w{i}{c}" if self.chance() else None for c in "abcdef"]
                d["channels"][3] = f"w{i}d"
            else:
                d["wrench"] = self.numbers(6, -2, 2)
            out.append(d)
        return out

    def fluid(self):
        out = {"density": self.number(500, 1500), "viscosity": self.number(0.1, 2)}
        if self.chance(0.3):
            out["velocity"] = self.numbers(3, -1, 1)
        elif self.chance():
            z = sorted(self.numbers(int(self.rng.integers(2, 6)), -1, 1))
            out["velocity"] = {"z": z, "velocity": [self.numbers(3, -1, 1) for _ in z]}
        if self.chance(0.3):
            out["channels"] = [f"flow_{c}" if self.chance() else None for c in "xyz"]
        if self.chance(0.3):
            out["surface"] = {"z": self.number(-0.3, 0.3), "width": self.number(0.2, 3)}
        return out

    def document(self, name):
        links = self.links()
        out = {"format": "tendril.model/1", "name": name, "gravity": self.numbers(3, -10, 10), "links": links,
               "actuators": self.actuators(links), "loads": self.loads(links)}
        if self.chance(0.4) and any(x["body"]["type"] == "rod" for x in links):
            out["contacts"] = [self.contact(links) for _ in range(int(self.rng.integers(1, 3)))]
        if self.chance(0.6):
            out["loops"] = [x for x in (self.loop(links) for _ in range(int(self.rng.integers(1, 3)))) if x]
        if self.chance(0.5):
            out["fluid"] = self.fluid()
            if "surface" in out["fluid"]:
                out["gravity"][:2] = [0, 0]
        for x in links:
            if "fluid" not in out or x["body"]["type"] == "rod" and thick(Rod(x["body"])):
                x["body"].get("hydrodynamics", {}).pop("resistive_force", None)
        return out


def thick(rod):
    """Whether the contract's resistive-force theory is not for it."""
    return rod.length < 10.5 * max(rod.radius(s) for s in rod.s)


def holds_nothing(robot):
    """Whether a loop joins two frames that cannot move freely against each other: the contract refuses it."""
    state = State(robot, {"q": [0.1] * robot.n})
    return any(np.max(np.abs(x.jacobian(state.first)[:, state.constraints.free]), initial=0) < 1e-12 for x in state.constraints.loops)


def write(folder, seed):
    name = f"random_{seed}"
    document = Maker(seed).document(name)
    robot = Robot(document)
    if not 0 < robot.n <= LARGEST or holds_nothing(robot):
        return
    try:
        states = [{**s, "expect": generate.expected(robot, s, document, 0.1)} for s in generate.states(robot, name)]
    except AssertionError as unfit:  # loops that cannot come near, ranks that are not clear
        print(name, unfit)
        return
    worst = max(generate.condition(s["expect"]["mass"]) for s in states)
    if worst < 1e9:
        text = json.dumps({"note": generate.NOTE, "baumgarte": 0.1, "model": document, "ndof": robot.n, "states": states}, allow_nan=False)
        (pathlib.Path(folder) / f"{name}.json").write_text(text)


if __name__ == "__main__":
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    for seed in range(first, first + int(sys.argv[2])):
        write(sys.argv[1], seed)
