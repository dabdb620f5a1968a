"""Inverse dynamics of a URDF by Newton's and Euler's equations, in the axes of the world, from the text itself. Shares nothing with
Tendril: xml.etree reads the file, the recursion is that of Luh, Walker and Paul (1980) as in Siciliano, Sciavicco, Villani, Oriolo,
Robotics, 7.5, written for trees."""
import xml.etree.ElementTree as ET

import numpy as np


def numbers(element, name, default):
    return np.array([float(x) for x in element.get(name).split()]) if element is not None and element.get(name) else np.array(default, float)


def turn(axis, angle):
    """Rodrigues."""
    x, y, z = axis / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def rpy(angles):
    roll, pitch, yaw = angles
    return turn(np.array([0, 0, 1.0]), yaw) @ turn(np.array([0, 1.0, 0]), pitch) @ turn(np.array([1.0, 0, 0]), roll)


class Robot:
    def __init__(self, text, gravity=(0, 0, -9.81)):
        root = ET.fromstring(text)
        self.gravity = np.array(gravity, float)
        self.mass, self.com, self.inertia = {}, {}, {}
        for link in root.findall("link"):
            name, inertial = link.get("name"), link.find("inertial")
            self.mass[name], self.com[name], self.inertia[name] = 0.0, np.zeros(3), np.zeros((3, 3))
            if inertial is None:
                continue
            origin, I = inertial.find("origin"), inertial.find("inertia")
            R = rpy(numbers(origin, "rpy", [0, 0, 0]))
            xx, xy, xz, yy, yz, zz = (float(I.get(key, 0)) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
            self.mass[name] = float(inertial.find("mass").get("value"))
            self.com[name] = numbers(origin, "xyz", [0, 0, 0])
            self.inertia[name] = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        waiting = root.findall("joint")
        carried = {joint.find("child").get("link") for joint in waiting}
        [self.root] = set(self.mass) - carried
        self.joints, known = [], {self.root}
        while waiting:  # parents first
            joint = next(one for one in waiting if one.find("parent").get("link") in known)
            waiting.remove(joint)
            known.add(joint.find("child").get("link"))
            axis = numbers(joint.find("axis"), "xyz", [1, 0, 0])
            self.joints.append({"name": joint.get("name"), "type": joint.get("type"), "parent": joint.find("parent").get("link"),
                                "child": joint.find("child").get("link"), "xyz": numbers(joint.find("origin"), "xyz", [0, 0, 0]),
                                "R": rpy(numbers(joint.find("origin"), "rpy", [0, 0, 0])), "axis": axis / np.linalg.norm(axis)})
        self.moving = [joint["child"] for joint in self.joints if joint["type"] in ("revolute", "continuous", "prismatic")]

    def id(self, q, qd, qdd):
        """Torques and forces by child link; arguments likewise."""
        R, p = {self.root: np.eye(3)}, {self.root: np.zeros(3)}
        w, dw, a = {self.root: np.zeros(3)}, {self.root: np.zeros(3)}, {self.root: -self.gravity}
        z = {}
        for joint in self.joints:
            up, here = joint["parent"], joint["child"]
            frame = R[up] @ joint["R"]
            axis = z[here] = frame @ joint["axis"]
            slides, turns = joint["type"] == "prismatic", joint["type"] in ("revolute", "continuous")
            x, xd, xdd = (values.get(here, 0.0) for values in (q, qd, qdd))
            p[here] = p[up] + R[up] @ joint["xyz"] + (axis * x if slides else 0)
            R[here] = frame @ turn(joint["axis"], x) if turns else frame
            r = p[here] - p[up]
            w[here], dw[here] = w[up], dw[up]
            a[here] = a[up] + np.cross(dw[up], r) + np.cross(w[up], np.cross(w[up], r))
            if turns:
                w[here] = w[up] + axis * xd
                dw[here] = dw[up] + axis * xdd + np.cross(w[up], axis) * xd
            if slides:
                a[here] = a[here] + axis * xdd + 2 * np.cross(w[up], axis) * xd
        f, n, tau = {}, {}, {}
        for name, m in self.mass.items():
            c = R[name] @ self.com[name]
            I = R[name] @ self.inertia[name] @ R[name].T
            f[name] = m * (a[name] + np.cross(dw[name], c) + np.cross(w[name], np.cross(w[name], c)))
            n[name] = I @ dw[name] + np.cross(w[name], I @ w[name]) + np.cross(c, f[name])  # about the link's origin
        for joint in reversed(self.joints):
            up, here = joint["parent"], joint["child"]
            if joint["type"] == "prismatic":
                tau[here] = z[here] @ f[here]
            elif here in self.moving:
                tau[here] = z[here] @ n[here]
            f[up] = f[up] + f[here]
            n[up] = n[up] + n[here] + np.cross(p[here] - p[up], f[here])
        return tau

    def vectors(self, order, q, qd, qdd):
        tau = self.id(dict(zip(order, q)), dict(zip(order, qd)), dict(zip(order, qdd)))
        return np.array([tau[name] for name in order])

    def mass_matrix(self, order, q):
        zero = np.zeros(len(order))
        rest = self.vectors(order, q, zero, zero)
        return np.stack([self.vectors(order, q, zero, unit) - rest for unit in np.eye(len(order))], axis=1)
