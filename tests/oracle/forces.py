"""What acts on a robot, each at a frame of its own: masses, gravity, loads, contacts, water.

Every class has `frame(posture)`, the pose it acts at, and `wrenches(motion)`: (term of id, wrench in the body frame as a series
in b [2, batch, 6]), with the sign it has in id. `motion` is a Motion: the frame's pose, velocity and acceleration.
"""

import numpy as np

from profiles import PI, REAL, gauss_rule, real
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
    """Inertia and its weight in water: `gravity` is what is left of it."""

    def __init__(self, place, mass, gravity):
        super().__init__(*place)
        self.matrix, self.gravity = mass, gravity

    def matrix_at(self, pose):
        return self.matrix

    def height(self, position):
        """Potential energy."""
        return -self.matrix[5, 5] * (self.gravity @ position)

    def wrenches(self, motion):
        momentum = apply(self.matrix, motion.twist)
        yield "motion", apply(self.matrix, motion.acceleration) - dual_bracket(motion.twist, momentum)
        yield "gravity", -apply(self.matrix, force_only(turned(motion.rotation, motion.constant(self.gravity))))


class Lift(Place):
    """`mass` of displaced fluid where there is a surface."""

    def __init__(self, place, mass, water):
        super().__init__(*place)
        self.mass, self.water = mass, water

    def height(self, position):
        return self.mass * self.water.gravity[2] * self.water.wet_height(position[2])

    def wrenches(self, motion):
        wet, _ = self.water.wetness(motion.pose[..., 2, 3])
        lift = FIRST.product(wet[..., None], motion.constant(-self.mass * self.water.gravity))
        yield "gravity", -force_only(turned(motion.rotation, lift))


class Immersed(Place):
    """What water does to a body by the twist nu relative to it, body frame; w(z) its wetness.

    Added mass Ma: w (Ma nu' - ad_nu^T Ma nu) + w' (z' Ma nu - nu.Ma nu / 2 e_z), that is Lagrange's equations of w nu.Ma nu / 2,
    in axes that move with the water; nu' is seen from the body. Resistance: w (|v| drag + viscous) nu.
    """

    def __init__(self, place, water, added=None, drag=None, viscous=None):
        super().__init__(*place)
        self.water, self.added, self.drag, self.viscous = water, added, drag, viscous

    def matrix_at(self, pose):
        return 0 * np.eye(6) if self.added is None else self.added * self.water.wetness(pose[:, None, 2, 3])[0][0, 0]

    def inertia(self, motion, flow):
        """Wrench of the added mass in a flow (body axes), linear acceleration of the flow seen from the body -w x flow."""
        product, (wet, steep) = FIRST.product, self.water.wetness(motion.pose[..., 2, 3])
        nu = motion.twist - force_only(flow)
        rate = motion.acceleration + force_only(product(motion.twist[..., :3], flow, np.cross))
        momentum = apply(self.added, nu)
        energy = product(nu, momentum).sum(axis=-1) / 2
        up = turned(motion.rotation, motion.constant(real([0, 0, 1])))
        rise = product(up, motion.twist[..., 3:]).sum(axis=-1)
        change = product(rise[..., None], momentum) - product(energy[..., None], force_only(up))
        return product(wet[..., None], apply(self.added, rate) - dual_bracket(nu, momentum)) + product(steep[..., None], change)

    def resistance(self, motion, flow):
        product, nu = FIRST.product, motion.twist - force_only(flow)
        out = np.zeros_like(nu)
        if self.drag is not None:
            out = out + product(norm(nu[..., 3:])[..., None], apply(self.drag, nu))
        if self.viscous is not None:
            out = out + apply(self.viscous, nu)
        return product(self.water.wetness(motion.pose[..., 2, 3])[0][..., None], out)

    def wrenches(self, motion, driven=None):
        flow = turned(motion.rotation, self.water.flow(motion, driven))
        if self.added is not None:
            still = self.inertia(motion, 0 * flow)
            yield "motion", still
            yield "hydrodynamics", self.inertia(motion, flow) - still
        yield "hydrodynamics", self.resistance(motion, flow)


class Water:
    """Flow and wetness by height."""

    def __init__(self, document, gravity, channels=(0, 0, 0)):
        self.density, self.viscosity = REAL(document.get("density", 0)), REAL(document.get("viscosity", 0))
        velocity, self.surface = document.get("velocity", [0, 0, 0]), document.get("surface")
        self.table, self.gravity, self.channels = None, gravity, real(channels)
        if isinstance(velocity, dict):
            self.table, velocity = (real(velocity["z"]), real(velocity["velocity"])), [0, 0, 0]
            self.slopes = np.stack([self._slopes(self.table[0], y) for y in self.table[1].T], axis=-1)
        self.velocity = real(velocity)

    @staticmethod
    def _slopes(z, y):
        """Fritsch and Butland's, as written in the documentation of PCHIP interpolators."""
        h, n = np.diff(z), len(z)
        d = np.diff(y) / h
        if n == 2:
            return np.array([d[0], d[0]], REAL)
        out = np.zeros(n, REAL)
        for k in range(1, n - 1):
            if np.sign(d[k - 1]) * np.sign(d[k]) > 0:
                a, b = 2 * h[k] + h[k - 1], h[k] + 2 * h[k - 1]
                out[k] = 1 / ((a / d[k - 1] + b / d[k]) / (a + b))
        for k, (h0, h1, d0, d1) in ((0, (h[0], h[1], d[0], d[1])), (n - 1, (h[-1], h[-2], d[-1], d[-2]))):
            m = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
            out[k] = 0 if np.sign(m) != np.sign(d0) else 3 * d0 if np.sign(d0) != np.sign(d1) and abs(m) > 3 * abs(d0) else m
        return out

    def flow(self, motion, driven=None):
        """Series of the velocity, world axes; `driven`: a component that b moves as well."""
        out = motion.constant(self.velocity + self.channels)
        if driven is not None:
            out[1, :, driven] += 1
        if self.table is None:
            return out
        z = motion.pose[..., 2, 3]
        heights, y = self.table
        for k in range(z.shape[1]):
            at = z[0, k]
            i = int(np.searchsorted(heights, at, side="right")) - 1
            if not 0 <= i < len(heights) - 1:
                out[0, k] += y[0 if i < 0 else -1]
                continue
            h, slope = heights[i + 1] - heights[i], self.slopes
            t = FIRST.lift(0, 1)
            t[0, 0], t[1, 0] = (at - heights[i]) / h, z[1, k] / h
            powers = [FIRST.lift(1, 1), t, FIRST.product(t, t)]
            powers.append(FIRST.product(powers[2], t))
            hermite = ((1, 0, -3, 2), (0, 1, -2, 1), (0, 0, 3, -2), (0, 0, -1, 1))  # h00, h10, h01, h11 by powers of t
            for row, value in zip(hermite, (y[i], h * slope[i], y[i + 1], h * slope[i + 1])):
                weight = sum(c * p for c, p in zip(row, powers))[:, 0]
                out[:, k] += weight[:, None] * value
        return out

    def _immersion(self, z):
        s = self.surface
        t = (REAL(s["z"]) - z[0]) / REAL(s["width"]) + REAL(0.5)
        inside = (t > 0) & (t < 1)
        return np.stack([np.clip(t, 0, 1), *(np.where(inside, -x / REAL(s["width"]), 0) for x in z[1:])])

    def wetness(self, z):
        """Series of the wet part at heights z and of its slope."""
        if self.surface is None:
            return np.stack([0 * z[0] + 1, *(0 * x for x in z[1:])]), 0 * z
        t = self._immersion(z)
        if len(z) == 1:
            return t * t * (3 - 2 * t), -6 * t * (1 - t) / REAL(self.surface["width"])
        square = FIRST.product(t, t)
        return 3 * square - 2 * FIRST.product(square, t), -6 * (t - square) / REAL(self.surface["width"])

    def wet_height(self, z):
        """z_s less the integral of the wetness above z, by Gauss quadrature of the transition."""
        s, half = REAL(self.surface["z"]), REAL(self.surface["width"]) / 2
        if z >= s + half:
            return s
        low, sum_ = max(z, s - half), REAL(0)
        for x, w in zip(*gauss_rule(4)):
            sum_ += w * (s + half - low) * self.wetness(np.array([[low + x * (s + half - low)]], REAL))[0][0, 0]
        return s - sum_ - (low - z)


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
    """A sphere of radius `radius` at a point against an obstacle: stiffness depth^exponent along the normal, times a factor that falls
    from 1 + damping d(depth)/dt to 0, and friction at the point midway between the two surfaces."""

    SOFT = REAL(1) / 10  # the last part of that factor is a cubic

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
            push = turned(motion.rotation, FIRST.product(FIRST.power(length, -1)[..., None], along))
            yield "contact", -force_only(FIRST.product(size[..., None], push))
            if self.document.get("damping") or self.document.get("friction"):
                yield "contact", -self.resistance(motion, depth, size, push)

    def factor(self, rise):
        """What is left of the normal force where the depth falls at `rise`."""
        x = -REAL(self.document.get("damping", 0)) * rise
        x[0] += 1
        if x[0, 0] >= self.SOFT:
            return x
        return FIRST.power_series(x, [0, 0, 2 / self.SOFT, -1 / self.SOFT**2]) if x[0, 0] > 0 else 0 * x

    def resistance(self, motion, depth, size, push):
        """Wrench about the centre, body axes."""
        product, dot = FIRST.product, lambda x, y: FIRST.product(x, y).sum(axis=-1)
        arm = product((depth / 2 - motion.constant(self.radius))[..., None], push)
        velocity = motion.twist[..., 3:] + product(motion.twist[..., :3], arm, np.cross)
        rise = dot(push, velocity)
        normal = product(size, self.factor(rise))
        slip = velocity - product(rise[..., None], push)
        tangent = motion.constant(real([1, 0, 0]))
        tangent = tangent - product(dot(push, tangent)[..., None], push)
        along, across = (REAL(a) for a in self.document.get("anisotropy", [1, 1]))
        slide = across * slip + (along - across) * product(dot(tangent, slip)[..., None], tangent)
        square = dot(slip, slip)
        square[0] += REAL(self.document.get("slip_speed", REAL(1) / 1000))**2
        scale = -REAL(self.document.get("friction", 0)) * product(normal, FIRST.power(square, -REAL(1) / 2))
        friction = product(scale[..., None], slide)
        force = friction + product((normal - size)[..., None], push)
        return np.concatenate([product(arm, friction, np.cross), force], axis=-1)


def _weighed(robot, water, place, mass, density):
    """A body with what water carries of it."""
    if water.surface is None or not density:
        yield Mass(place, mass, robot.density_ratio(density) * robot.gravity)
    else:
        yield Mass(place, mass, robot.gravity)
        yield Lift(place, mass[5, 5] * water.density / REAL(density), water)


def linear_part(block):
    out = np.zeros((6, 6), REAL)
    out[3:, 3:] = block
    return out


def _resistance(rod, water):
    """Tangential and normal, per length and speed."""
    if not rod.water.get("resistive_force"):
        given = rod.water.get("linear", {})
        return REAL(given.get("tangential", 0)), REAL(given.get("normal", 0))
    radius = sum(w * rod.radius(s) for s, w in zip(*gauss_rule(16)))
    log = np.log(REAL("0.18") * rod.length / radius)
    return 2 * PI * water.viscosity / log, 4 * PI * water.viscosity / (log + REAL(0.5))


def _rod(robot, water, name, rod):
    c = {key: REAL(rod.water.get(key, 0)) for key in ("cd_x", "cd_y", "cd_z", "cl_x", "cl_y", "cl_z")}
    block = real([[PI / 2 * c["cd_x"], -c["cl_z"], c["cl_y"]], [c["cl_z"], c["cd_y"], -c["cl_x"]], [-c["cl_y"], c["cl_x"], c["cd_z"]]])
    added = real([0, rod.water.get("added_y", 0), rod.water.get("added_z", 0)])
    tangential, normal = _resistance(rod, water)
    for k, (s, w) in enumerate(zip(rod.s, rod.weight)):
        if w != 0:
            yield from _weighed(robot, water, (name, k), w * np.diag(rod.densities(s)[0]), rod.density(s))
            matrices = (w * water.density * rod.outline(s)[0] * np.diag(added), w * water.density * rod.radius(s) * block,
                        w * np.diag(real([tangential, normal, normal])))
            if any(m.any() for m in matrices):
                yield Immersed((name, k), water, *(linear_part(m) if m.any() else None for m in matrices))


def _rigid(robot, water, name, body):
    mass, com, inertia = rigid_inertia(body)
    wet = body.get("hydrodynamics", {})
    m = np.zeros((6, 6), REAL)
    m[:3, :3], m[3:, 3:] = inertia, mass * np.eye(3, dtype=REAL)
    own = body["shape"].get("density", body.get("density")) if "shape" in body else None
    yield from _weighed(robot, water, (name, 0, com), m, wet.get("body_density", own))
    if {"added_mass", "drag", "linear"} & set(wet):
        yield Immersed((name, 0, com), water, *(matrix6(wet[k]) if k in wet else None for k in ("added_mass", "drag", "linear")))


def _contacts(robot):
    for document in robot.contacts:
        for name, link in robot.links.items():
            if link.rod and name in document.get("links", robot.links):
                rod = link.rod
                reach = [(b - a) * rod.length / 2 for a, b in zip([rod.s[0], *rod.s], [*rod.s, rod.s[-1]])]
                for k, s in enumerate(rod.s):
                    share = reach[k] + reach[k + 1] if document.get("per") == "length" else REAL(1)
                    yield Contact((name, k), document, rod.radius(s), share)


def forces(robot, flow=(0, 0, 0)):
    """All but the loads, which know u; `flow` is what u adds to the water's velocity."""
    water = Water(robot.document.get("fluid", {}), robot.gravity, flow)
    for name, link in robot.links.items():
        if link.rod:
            yield from _rod(robot, water, name, link.rod)
        elif link.body:
            yield from _rigid(robot, water, name, link.body)
    yield from _contacts(robot)
