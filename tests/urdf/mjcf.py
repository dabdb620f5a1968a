"""A MJCF for the recursion of newton_euler.py, from the text itself: classes of defaults, angles, masses of geoms by formulas of solids
that are checked here against sums over many points. Shares nothing with Tendril."""
import xml.etree.ElementTree as ET

import numpy as np

from newton_euler import Robot, turn


def axis_of(word):
    return np.eye(3)["xyz".index(word.lower())]


class Mjcf(Robot):
    def __init__(self, text):  # pylint: disable=super-init-not-called
        self.top = ET.fromstring(text)
        compiler = self.top.find("compiler")
        self.unit = np.pi / 180 if compiler is None or compiler.get("angle", "degree") == "degree" else 1.0
        self.sequence = "xyz" if compiler is None else compiler.get("eulerseq", "xyz")
        option = self.top.find("option")
        self.gravity = self.row(option, "gravity") if option is not None and option.get("gravity") else np.array([0, 0, -9.81])
        self.classes = {}
        for default in self.top.findall("default"):
            self.learn(default, [])
        self.mass, self.com, self.inertia, self.joints, self.root = {}, {}, {}, [], "world"
        self.massless("world")
        self.bodies = 0
        for body in self.top.find("worldbody").findall("body"):
            self.walk(body, "world", "main")
        self.moving = [joint["child"] for joint in self.joints if joint["type"] != "fixed"]

    def learn(self, default, around):
        self.classes[default.get("class", "main")] = own = [default, *around]
        for child in default.findall("default"):
            self.learn(child, own)

    def get(self, element, name, around, otherwise=None):
        if element.get(name) is not None:
            return element.get(name)
        for default in self.classes.get(element.get("class", around), []):
            for one in default.findall(element.tag):
                if one.get(name) is not None:
                    return one.get(name)
        return otherwise

    def row(self, element, name, around="main", otherwise=None):
        text = self.get(element, name, around, otherwise)
        return None if text is None else np.array([float(x) for x in text.split()])

    def pose(self, element, around):
        R = np.eye(3)
        if (quat := self.row(element, "quat", around)) is not None:
            w, v = quat[0] / np.linalg.norm(quat), quat[1:] / np.linalg.norm(quat)
            R = turn(v, 2 * np.arctan2(np.linalg.norm(v), w))
        if (given := self.row(element, "axisangle", around)) is not None:
            R = turn(given[:3], given[3] * self.unit)
        if (given := self.row(element, "euler", around)) is not None:
            for word, angle in zip(self.sequence, given):
                one = turn(axis_of(word), angle * self.unit)
                R = R @ one if word.islower() else one @ R
        if (given := self.row(element, "xyaxes", around)) is not None:
            x = given[:3] / np.linalg.norm(given[:3])
            y = given[3:] - x * (x @ given[3:])
            y = y / np.linalg.norm(y)
            R = np.stack([x, y, np.cross(x, y)], axis=1)
        if (given := self.row(element, "zaxis", around)) is not None:
            R = self.to(given)
        return R, self.row(element, "pos", around, "0 0 0")

    @staticmethod
    def to(z):
        z = z / np.linalg.norm(z)
        axis = np.cross([0, 0, 1.0], z)
        return turn(axis, np.arctan2(np.linalg.norm(axis), z[2])) if np.linalg.norm(axis) > 0 else np.eye(3)

    def massless(self, name):
        self.mass[name], self.com[name], self.inertia[name] = 0.0, np.zeros(3), np.zeros((3, 3))

    def walk(self, body, parent, around):
        around = body.get("childclass", around)
        self.bodies += 1
        name = body.get("name", f"body{self.bodies}")
        R, p = self.pose(body, around)
        before = np.zeros(3)
        joints = body.findall("joint")
        for i, joint in enumerate(joints):
            at = self.row(joint, "pos", around, "0 0 0")
            own = i + 1 == len(joints) and not at.any()
            child = name if own else f"{name}.{joint.get('name', f'joint{i}')}"
            self.add(joint.get("name"), {"hinge": "revolute", "slide": "prismatic"}[self.get(joint, "type", around, "hinge")], parent, child,
                     p + R @ (at - before), R, self.row(joint, "axis", around, "0 0 1"))
            self.massless(child)
            parent, p, R, before = child, np.zeros(3), np.eye(3), at
        if parent != name:
            self.add("", "fixed", parent, name, p - R @ before, R, np.array([1.0, 0, 0]))
        self.weigh(body, name, around)
        for child in body.findall("body"):
            self.walk(child, name, around)

    def add(self, name, kind, parent, child, xyz, R, axis):
        self.joints.append({"name": name, "type": kind, "parent": parent, "child": child, "xyz": xyz, "R": R, "axis": axis / np.linalg.norm(axis)})

    def weigh(self, body, name, around):
        self.massless(name)
        inertial = body.find("inertial")
        if inertial is not None:
            R, com = self.pose(inertial, around)
            if inertial.get("fullinertia"):
                xx, yy, zz, xy, xz, yz = self.row(inertial, "fullinertia")
                I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            else:
                I = np.diag(self.row(inertial, "diaginertia"))
            self.mass[name], self.com[name], self.inertia[name] = float(inertial.get("mass")), com, R @ I @ R.T
            return
        parts = [part for part in (self.solid(geom, around) for geom in body.findall("geom")) if part[0] > 0]
        total = sum(part[0] for part in parts)
        if total > 0:
            com = sum(m * c for m, c, _ in parts) / total
            self.mass[name], self.com[name] = total, com
            self.inertia[name] = sum(I + m * (np.eye(3) * ((c - com) @ (c - com)) - np.outer(c - com, c - com)) for m, c, I in parts)

    def solid(self, geom, around):
        """Mass, centre and inertia of a geom, in the axes of the body."""
        kind, R_c = self.get(geom, "type", around, "sphere"), self.pose(geom, around)
        R, c = R_c
        mass, density = self.row(geom, "mass", around), self.row(geom, "density", around, "1000")[0]
        if mass is not None and mass[0] == 0:
            return 0.0, c, np.zeros((3, 3))
        size = list(self.row(geom, "size", around))
        ends = self.row(geom, "fromto", around)
        if ends is not None:
            c, way = (ends[:3] + ends[3:]) / 2, ends[3:] - ends[:3]
            R, size = self.to(way), [size[0], np.linalg.norm(way) / 2]
        volume, moments = solid(kind, size)
        m = density * volume if mass is None else mass[0]
        return m, c, R @ np.diag(moments * m / volume) @ R.T


def solid(kind, size):
    """Volume and principal moments of density 1: a body of revolution as discs along its axis (Gauss's rule is exact), others by closed form."""
    if kind == "box":
        a, b, c = size
        return 8 * a * b * c, 8 * a * b * c / 3 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    if kind == "ellipsoid":
        a, b, c = size
        volume = 4 / 3 * np.pi * a * b * c
        return volume, volume / 5 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    r, half = size[0], size[1] if kind != "sphere" else 0.0
    pieces = [(-half, half, lambda z: r * r + 0 * z)] if half else []
    if kind in ("capsule", "sphere"):
        pieces += [(half, half + r, lambda z: r * r - (z - half) ** 2), (-half - r, -half, lambda z: r * r - (z + half) ** 2)]
    volume = axial = across = 0.0
    x, w = np.polynomial.legendre.leggauss(8)
    for low, high, square in pieces:
        z, dz = low + (high - low) * (x + 1) / 2, w * (high - low) / 2
        area, rr = np.pi * square(z), square(z)
        volume, axial, across = volume + dz @ area, axial + dz @ (area * rr / 2), across + dz @ (area * (rr / 4 + z * z))
    return volume, np.array([across, across, axial])
