"""What acts on a robot, each at a frame of its own: masses, gravity, loads, contacts, water.

Every class has `frame(posture)`, the pose it acts at, and `wrenches(motion)`: (term of id, wrench in the body frame as a series
in b [2, batch, 6]), with the sign it has in id. `motion` is a Motion: the frame's pose, velocity and acceleration.
"""

import numpy as np

from profiles import REAL, real
from robot import axis_vector, pose_matrix, rigid_inertia
from taylor import FIRST, Algebra, inverse_pose, vee

MOTION = Algebra(2, 1)


def matrix6(value):
    """A 6x6 or its diagonal."""
    value = real(value)
    return np.diag(value) if value.ndim == 1 else value


def apply(matrix, series):
    """A constant matrix times a series of vectors."""
    return np.matmul(series, np.asarray(matrix, REAL).T)


def turned(rotation, vector):
    """rotation^T vector, both series in b."""
    return FIRST.product(np.swapaxes(rotation, -1, -2), vector[..., None], np.matmul)[..., 0]


def norm(vector):
    """|vector| as a series in b; where it is 0 it stays 0, as drag has no slope at rest."""
    square = sum(FIRST.product(vector[..., i], vector[..., i]) for i in range(3))
    moving = square[0] > 0
    square[0] = np.where(moving, square[0], 1)
    return np.where(moving, FIRST.sqrt(square), 0)


def force_only(force):
    return np.concatenate([np.zeros_like(force), force], axis=-1)


class Motion:
    """Pose [2, batch, 4, 4], body twist and its time derivative [2, batch, 6] of a frame, series in b, from a sweep in (t, b)."""

    def __init__(self, g):
        v = vee(MOTION.matmul(inverse_pose(MOTION, g), MOTION.derivative(g, 0)))
        part = lambda x, t: np.stack([x[MOTION.index[t, 0]], x[MOTION.index[t, 1]]])
        self.pose, self.twist, self.acceleration = part(g, 0), part(v, 0), part(v, 1)
        self.rotation = self.pose[..., :3, :3]

    def constant(self, vector):
        return FIRST.lift(vector, self.pose.shape[1])


def dual_bracket(twist, wrench):
    """ad_twist^T wrench."""
    w, v, m, f = twist[..., :3], twist[..., 3:], wrench[..., :3], wrench[..., 3:]
    cross = lambda x, y: FIRST.product(x, y, np.cross)
    return np.concatenate([cross(m, w) + cross(f, v), cross(f, w)], axis=-1)


class Place:
    """A computational point of a link, and a constant pose from there."""

    def __init__(self, link, point=0, offset=(0, 0, 0)):
        self.link, self.point, self.offset = link, point, np.eye(4, dtype=REAL)
        self.offset[:3, 3] = offset
        self.key = (link, point, *map(float, offset))  # forces at the same frame share its derivatives

    def frame(self, posture):
        return np.matmul(posture.points[self.link][self.point], self.offset)


class Mass(Place):
    """Inertia with the water it carries; its weight in water."""

    def __init__(self, place, mass, added, gravity):
        super().__init__(*place)
        self.body, self.matrix, self.gravity = mass, mass + added, gravity

    def wrenches(self, motion):
        momentum = apply(self.matrix, motion.twist)
        yield "motion", apply(self.matrix, motion.acceleration) - dual_bracket(motion.twist, momentum)
        yield "gravity", -apply(self.body, force_only(turned(motion.rotation, motion.constant(self.gravity))))


class Drag(Place):
    """-matrix |v| twist."""

    def __init__(self, place, matrix):
        super().__init__(*place)
        self.matrix = matrix

    def wrenches(self, motion):
        speed = norm(motion.twist[..., 3:])
        yield "hydrodynamics", FIRST.product(speed[..., None], apply(self.matrix, motion.twist))


class Load:
    """A wrench at one abscissa, `metres` times that of the document."""

    def __init__(self, document, wrench, at, metres=REAL(1)):
        self.document, self.at, self.offset = document, at, pose_matrix(document.get("pose", {}))
        self.wrench, self.metres = metres * wrench, metres
        self.key = (id(document), float(at))

    def frame(self, posture):
        return np.matmul(posture.frame(self.document["link"], self.at), self.offset)

    def in_body(self, motion, wrench):
        wrench = motion.constant(wrench)
        if self.document.get("frame", "world") == "body":
            return wrench
        return np.concatenate([turned(motion.rotation, wrench[..., part]) for part in (slice(0, 3), slice(3, 6))], axis=-1)

    def wrenches(self, motion):
        yield "loads", -self.in_body(motion, self.wrench)


def loads(robot, document, wrench):
    """The loads of one entry of the document: several when it acts per length."""
    if not document.get("per_length"):
        return [Load(document, wrench, document.get("at", 1))]
    rod = robot.links[document["link"]].rod
    return [Load(document, wrench, s, metres) for s, metres in rod.stretch(document.get("from", 0), document.get("to", 1))]


class Contact(Place):
    """A sphere of radius `radius` at a point against an obstacle: stiffness depth^exponent along the normal."""

    def __init__(self, place, document, radius, share):
        super().__init__(*place)
        self.document, self.radius, self.share = document, radius, share
        pose = pose_matrix(document.get("pose", {}))
        self.origin, self.axis = pose[:3, 3], pose[:3, :3] @ axis_vector(document.get("axis", "z"))

    def depth(self, motion):
        """Depth of the sphere in the obstacle, and a vector along the force on it with its length; series in b."""
        kind, away = self.document["type"], motion.pose[..., :3, 3] - motion.constant(self.origin)
        height, own = away @ self.axis, motion.constant(self.radius)
        if kind == "plane":
            return own - height, motion.constant(self.axis), motion.constant(REAL(1))
        if kind != "sphere":
            away = away - height[..., None] * self.axis
        distance, obstacle = norm(away), motion.constant(REAL(self.document["radius"]))
        if kind == "cylinder_interior":
            return distance + own - obstacle, -away, distance
        return obstacle + own - distance, away, distance

    def wrenches(self, motion):
        depth, along, length = self.depth(motion)
        if depth[0, 0] > 0:
            size = FIRST.power(depth, self.document.get("exponent", 1.5)) * REAL(self.document["stiffness"]) * self.share
            size = FIRST.product(size, FIRST.power(length, -1))
            yield "contact", -force_only(turned(motion.rotation, FIRST.product(size[..., None], along)))


def _rod_masses(robot, name, rod):
    gravity = robot.density_ratio(rod.material["density"]) * robot.gravity
    for k, (s, w) in enumerate(zip(rod.s, rod.weight)):
        if w != 0:
            added = robot.fluid * rod.moments(s)[0] * real([0, 0, 0, 0, rod.water.get("added_y", 0), rod.water.get("added_z", 0)])
            yield Mass((name, k), w * np.diag(rod.densities(s)[0]), w * np.diag(added), gravity)


def _rod_drag(robot, name, rod):
    c = {key: REAL(rod.water.get(key, 0)) for key in ("cd_x", "cd_y", "cd_z", "cl_x", "cl_y", "cl_z")}
    block = real([[np.arctan(REAL(1)) * 2 * c["cd_x"], -c["cl_z"], c["cl_y"]], [c["cl_z"], c["cd_y"], -c["cl_x"]],
                  [-c["cl_y"], c["cl_x"], c["cd_z"]]])
    for k, (s, w) in enumerate(zip(rod.s, rod.weight)):
        if w != 0 and block.any():
            matrix = np.zeros((6, 6), REAL)
            matrix[3:, 3:] = w * robot.fluid * rod.radius(s) * block
            yield Drag((name, k), matrix)


def _rigid(robot, name, body):
    mass, com, inertia = rigid_inertia(body)
    water = body.get("hydrodynamics", {})
    m = np.zeros((6, 6), REAL)
    m[:3, :3], m[3:, 3:] = inertia, mass * np.eye(3, dtype=REAL)
    yield Mass((name, 0, com), m, matrix6(water.get("added_mass", [0] * 6)),
               robot.density_ratio(water.get("body_density", body["shape"].get("density", body.get("density")) if "shape" in body else None)) * robot.gravity)
    if "drag" in water:
        yield Drag((name, 0, com), matrix6(water["drag"]))


def _contacts(robot):
    for document in robot.contacts:
        for name, link in robot.links.items():
            if link.rod and name in document.get("links", robot.links):
                rod = link.rod
                reach = [(b - a) * rod.length / 2 for a, b in zip([rod.s[0], *rod.s], [*rod.s, rod.s[-1]])]
                for k, s in enumerate(rod.s):
                    share = reach[k] + reach[k + 1] if document.get("per") == "length" else REAL(1)
                    yield Contact((name, k), document, rod.radius(s), share)


def forces(robot):
    """All but the loads, which know u."""
    for name, link in robot.links.items():
        if link.rod:
            yield from _rod_masses(robot, name, link.rod)
            yield from _rod_drag(robot, name, link.rod)
        elif link.body:
            yield from _rigid(robot, name, link.body)
    yield from _contacts(robot)
