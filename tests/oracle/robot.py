"""A tendril.model/1 document as forward kinematics: poses of every computational point as functions of q. Nothing else."""

from fractions import Fraction

import numpy as np

from profiles import (COMPONENTS, ELEMENT_DEGREE, PI, REAL, STIFFNESS, Spline, basis_row, gauss_rule, outline_moments, real, routing,
                      section_moments, section_radius, size_profile, wide_profile)
from taylor import exponential, hat, vee

UNIT = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def axis_vector(axis):
    if isinstance(axis, str):
        return (-1 if axis[0] == "-" else 1) * real(UNIT[axis[-1]])
    v = real(axis)
    return v / np.sqrt(v @ v)


def rotation_rpy(rpy):
    (cx, cy, cz), (sx, sy, sz) = np.cos(real(rpy)), np.sin(real(rpy))
    one, zero = REAL(1), REAL(0)
    rx = real([[one, zero, zero], [zero, cx, -sx], [zero, sx, cx]])
    ry = real([[cy, zero, sy], [zero, one, zero], [-sy, zero, cy]])
    rz = real([[cz, -sz, zero], [sz, cz, zero], [zero, zero, one]])
    return rz @ ry @ rx


def rotation_quaternion(quaternion):
    q = real(quaternion)
    w, x, y, z = q / np.sqrt(q @ q)
    return real([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                 [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                 [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def pose_matrix(pose):
    out = np.eye(4, dtype=REAL)
    out[:3, 3] = real(pose.get("translation", [0, 0, 0]))
    if "quaternion" in pose:
        out[:3, :3] = rotation_quaternion(pose["quaternion"])
    else:
        out[:3, :3] = rotation_rpy(pose.get("rpy", [0, 0, 0]))
    return out


def plane(axis):
    """The two directions normal to an axis, as the contract orders them."""
    unit = np.eye(3, dtype=REAL)
    for i in range(3):
        if axis[i] == 1:
            return unit[(i + 1) % 3], unit[(i + 2) % 3]
    k = next(i for i in range(3) if abs(axis[i]) < REAL(0.9))
    e1 = np.cross(unit[k], axis)
    e1 /= np.sqrt(e1 @ e1)
    return e1, np.cross(axis, e1)


def joint_screws(joint):
    """Phi: one column of 6 per coordinate."""
    kind, a = joint.get("type", "fixed"), axis_vector(joint.get("axis", "z"))
    turn, slide = (lambda v: np.concatenate([v, 0 * v])), (lambda v: np.concatenate([0 * v, v]))
    e1, e2 = plane(a)
    table = {"fixed": [], "revolute": [turn(a)], "prismatic": [slide(a)],
             "helical": [turn(a) + REAL(joint.get("pitch", 0)) * slide(a)], "cylindrical": [turn(a), slide(a)],
             "universal": [turn(e1), turn(e2)], "planar": [turn(a), slide(e1), slide(e2)],
             "spherical": list(np.eye(6, dtype=REAL)[:3]), "free": list(np.eye(6, dtype=REAL))}
    return real(table[kind]).reshape(-1, 6).T


class Rod:
    """Strain xi(s) = Phi(s) q + xi*(s) and the computational points of one rod."""

    def __init__(self, body):
        self.length = REAL(body["length"])
        self.section = body["section"]
        self.moments, self.outline, self.radius = section_moments(self.section), outline_moments(self.section), section_radius(self.section)
        self.water = body.get("hydrodynamics", {})
        self.material = body.get("material")
        self.strain = body["strain"]
        self._bases()
        self._reference()
        self._points(body.get("quadrature", {}).get("points"))

    def _bases(self):
        s = self.strain
        self.active = [(c, name) for c, name in enumerate(COMPONENTS) if name in (s.get("order") or s.get("table", s))]
        if s["basis"] == "table":
            table = s.get("table", s)
            splines = {n: Spline(table["s"], np.array(table[n], float).T) for _, n in self.active}
            self.rows = {n: (lambda x, f=splines[n]: f(REAL(x))[0]) for _, n in self.active}
        else:
            self.rows = {n: (lambda x, k=s["order"][n]: basis_row(s["basis"], k, x)) for _, n in self.active}
        self.dof = sum(len(self.rows[n](0)) for _, n in self.active)

    def _reference(self):
        reference = self.strain.get("reference", [0, 0, 0, 1, 0, 0])
        if isinstance(reference, dict):
            spline = Spline(reference["s"], reference["value"])
            self.reference = lambda s: spline(s)[0]
        else:
            self.reference = lambda s: real(reference)

    def _points(self, count):
        """Base, Gauss points piece by piece, tip; pieces lie between the element boundaries of all components."""
        basis = self.strain["basis"]
        orders = list(self.strain.get("order", {"": 0}).values())
        elements = basis in ELEMENT_DEGREE
        edges = sorted({Fraction(i, n) for n in (orders if elements else [1]) for i in range(n + 1)})
        default = self._default_points(basis, max(orders))
        self.edges, self.count = [REAL(e.numerator) / e.denominator for e in edges], count or default
        self._place(self.count, self.edges)
        most = max(len(self.rows[n](0)) for _, n in self.active)
        assert (count or default) * (len(edges) - 1) >= most, "fewer Gauss points than coefficients"

    def _default_points(self, basis, order):
        if basis in ELEMENT_DEGREE:
            return ELEMENT_DEGREE[basis] + 2
        if basis == "table":
            return max(5, 2 + max(len(self.rows[n](0)) for _, n in self.active))
        return max(5, {"fourier": 4 * order, "gaussian": max(order + 4, 2 * order),
                       "inverse_multiquadric": max(order + 4, 2 * order)}.get(basis, order + 3))

    def _place(self, count, edges):
        nodes, weights = gauss_rule(count)
        points = [(REAL(0), REAL(0))]
        for a, b in zip(edges, edges[1:]):
            points += [(a + (b - a) * x, w * (b - a) * self.length) for x, w in zip(nodes, weights)]
            points.append((b, REAL(0)))
        self.s, self.weight = [p[0] for p in points], [p[1] for p in points]

    def stretch(self, start, stop):
        """(abscissa, metres) of the quadrature of a load per length: the own points of pieces that lie in it as a whole."""
        for a, b in zip(self.edges, self.edges[1:]):
            low, high = max(a, REAL(start)), min(b, REAL(stop))
            part = (high - low) / (b - a)
            if part < 1e-12:
                continue
            count = self.count if part == 1 else max(3, int(np.ceil(self.count * (1 + part) / 2)))
            for x, w in zip(*gauss_rule(count)):
                yield low + (high - low) * x, w * (high - low) * self.length

    def basis(self, s):
        """Phi [6][dof]; angular rows divided by L."""
        out, column = np.zeros((6, self.dof), REAL), 0
        for c, name in self.active:
            row = self.rows[name](s)
            out[c, column:column + len(row)] = row / (self.length if c < 3 else 1)
            column += len(row)
        return out

    def densities(self, s):
        """Per length: the diagonal of inertia, the 6x6 stiffness, the diagonal of damping."""
        stiffness, damping = self._numbers(s) if self.material is None else self._of_material(s)
        more = wide_profile(self.section.get("damping", [0] * 6), (6,))(s)
        return self._inertia(s), stiffness, damping + more

    def _inertia(self, s):
        if self.material is None:
            mass = size_profile(self.section["mass_per_length"])(s)
            turning = wide_profile(self.section.get("inertia_per_length", [0] * 3), (3,))(s)
            return np.concatenate([turning, real([mass] * 3)])
        area, iy, iz = self.moments(s)
        return REAL(self.material["density"]) * real([iy + iz, iy, iz, area, area, area])

    def density(self, s):
        """Mass by the volume it takes, None without a volume."""
        area = self.moments(s)[0]
        return self._inertia(s)[3] / area if area > 0 else None

    def _numbers(self, s):
        diagonal = real([size_profile(self.section.get(key, 0))(s) for key in STIFFNESS])
        coupling = wide_profile(self.section.get("coupling", [[0] * 6] * 6), (6, 6))(s)
        return np.diag(diagonal) + coupling, real([0] * 6)

    def _of_material(self, s):
        m = self.material
        area, iy, iz = self.moments(s)
        young = REAL(m["young"])
        shear = REAL(m["shear"]) if "shear" in m else young / (2 * (1 + REAL(m["poisson"])))
        eta, sheared = REAL(m.get("viscosity", 0)), shear * area * size_profile(self.section.get("shear_correction", 1))(s)
        torsion = size_profile(self.section["torsion_constant"])(s) if "torsion_constant" in self.section else iy + iz
        return (np.diag(real([shear * torsion, young * iy, young * iz, young * area, sheared, sheared])),
                eta * real([iy + iz, 3 * iy, 3 * iz, 3 * area, area, area]))


def _box(shape, rho):
    x, y, z = real(shape["size"])
    mass = rho * x * y * z
    return mass, mass / 12 * np.diag(real([y * y + z * z, z * z + x * x, x * x + y * y]))


def _cylinder(shape, rho):
    r, h, a = REAL(shape["radius"]), REAL(shape["length"]), axis_vector(shape.get("axis", "z"))
    mass = rho * PI * r * r * h
    along = np.outer(a, a)
    return mass, mass * (r * r / 2 * along + (3 * r * r + h * h) / 12 * (np.eye(3, dtype=REAL) - along))


def _sphere(shape, rho):
    r = REAL(shape["radius"])
    mass = rho * 4 * PI * r**3 / 3
    return mass, mass * 2 * r * r / 5 * np.eye(3, dtype=REAL)


def _prism(shape, rho):
    """Polygon in the xy plane, extruded along z: signed sums over triangles (0, p, p')."""
    p = real(shape["polygon"])
    q, h = np.roll(p, -1, axis=0), REAL(shape["height"])
    cross = p[:, 0] * q[:, 1] - q[:, 0] * p[:, 1]
    area = cross.sum() / 2
    centre = (cross[:, None] * (p + q)).sum(axis=0) / (6 * area)
    p, q = p - centre, q - centre
    second = sum(c / 24 * (np.outer(a + b, a + b) + np.outer(a, a) + np.outer(b, b)) for c, a, b in zip(cross, p, q))
    density = rho * h * area / abs(area)
    mass = density * area
    covariance = np.zeros((3, 3), REAL)
    covariance[:2, :2] = density * second
    covariance[2, 2] = mass * h * h / 12
    return mass, np.trace(covariance) * np.eye(3, dtype=REAL) - covariance


def rigid_inertia(body):
    """mass, com, inertia about the centre of mass."""
    com = real(body.get("com", [0, 0, 0]))
    if "shape" in body:
        shape = body["shape"]
        build = {"box": _box, "cylinder": _cylinder, "sphere": _sphere, "prism": _prism}[shape["type"]]
        mass, inertia = build(shape, REAL(shape.get("density", body.get("density"))))
        return mass, com, inertia
    inertia = real(body["inertia"])
    return REAL(body["mass"]), com, np.diag(inertia) if inertia.ndim == 1 else inertia


class Link:
    def __init__(self, document, first):
        self.document, self.first = document, first
        self.pose = pose_matrix(document.get("pose", {}))
        self.joint = document.get("joint", {"type": "fixed"})
        self.screws = joint_screws(self.joint)
        self.joint_dof = self.screws.shape[1]
        self.body = document.get("body")
        self.rod = Rod(self.body) if self.body and self.body["type"] == "rod" else None
        self.dof = self.joint_dof + (self.rod.dof if self.rod else 0)
        self.joint_columns = slice(first, first + self.joint_dof)
        self.rod_columns = slice(first + self.joint_dof, first + self.dof)

    def joint_values(self, key):
        value = self.joint.get(key, 0)
        return real(value if isinstance(value, list) else [value] * self.joint_dof)


class Robot:
    def __init__(self, document):
        self.document = document
        self.gravity = real(document.get("gravity", [0, 0, 0]))
        self.links, self.n = {}, 0
        for d in document["links"]:
            self.links[d["name"]] = Link(d, self.n)
            self.n += self.links[d["name"]].dof
        self.loads = document.get("loads", [])
        self.actuators = document.get("actuators", [])
        self.contacts, self.loops = document.get("contacts", []), document.get("loops", [])
        self.fluid = REAL(document.get("fluid", {}).get("density", 0))

    def density_ratio(self, density):
        """Factor on gravity of a body of this density."""
        return 1 - self.fluid / REAL(density) if density else REAL(1)


class Posture:
    """Poses of a robot at a series q [coefficients, batch, n] of an algebra."""

    def __init__(self, robot, algebra, q):
        self.robot, self.algebra, self.q = robot, algebra, q
        self.points = {}  # link name: poses at its computational points (rigid and bodiless links: one)
        for name, link in robot.links.items():
            d = link.document
            base = self._frame_of_parent(d)
            joint = self.exponential(np.matmul(q[..., link.joint_columns], link.screws.T))
            frame = algebra.matmul(np.matmul(base, link.pose), joint)
            self.points[name] = self._rod_points(link, frame) if link.rod else [frame]

    def exponential(self, twist):
        return exponential(self.algebra, twist)

    def _frame_of_parent(self, d):
        parent = d.get("parent", "world")
        if parent == "world":
            return self.algebra.lift(np.eye(4, dtype=REAL), self.q.shape[1])
        return self.frame(parent, d.get("at", 1))

    def strain(self, link, s):
        xi = np.matmul(self.q[..., link.rod_columns], link.rod.basis(s).T)
        xi[0] += link.rod.reference(s)
        return xi

    def step(self, link, frame, a, b):
        """One 4th-order Magnus step of g' = g xi from abscissa a to b."""
        h, offset = (b - a) * link.rod.length, (b - a) * np.sqrt(REAL(3)) / 6
        middle = (a + b) / 2
        xi1, xi2 = self.strain(link, middle - offset), self.strain(link, middle + offset)
        x1, x2 = hat(xi1), hat(xi2)
        bracket = vee(self.algebra.matmul(x1, x2) - self.algebra.matmul(x2, x1))
        omega = h / 2 * (xi1 + xi2) + np.sqrt(REAL(3)) * h * h / 12 * bracket
        return self.algebra.matmul(frame, self.exponential(omega))

    def _rod_points(self, link, frame):
        out, s = [frame], link.rod.s
        for a, b in zip(s, s[1:]):
            out.append(self.step(link, out[-1], a, b))
        return out

    def frame(self, name, at):
        """Frame of a link at a material abscissa."""
        link = self.robot.links[name]
        if not link.rod:
            return self.points[name][0]
        at = REAL(at)
        k = max(i for i, s in enumerate(link.rod.s) if s <= at)
        if link.rod.s[k] == at:
            return self.points[name][k]
        return self.step(link, self.points[name][k], link.rod.s[k], at)

    def tendon_length(self, actuator):
        segments = actuator.get("segments") or [{k: actuator[k] for k in ("link", "routing", "points") if k in actuator}]
        total, end = 0, None
        for segment in segments:
            length, start, stop = self._segment(segment)
            total = total + length
            if end is not None and actuator.get("joined", True):
                total = total + self._norm((start - end)[..., :3])
            end = stop
        return total

    def _segment(self, segment):
        """Length inside a link and the world places where the tendon enters and leaves it."""
        link = self.robot.links[segment["link"]]
        if link.rod:
            path = routing(segment["routing"])
            ends = [self._place(self.points[segment["link"]][k], path(link.rod.s[k])[0]) for k in (0, -1)]
            return self._routed_length(link, path), ends[0], ends[1]
        places = [self._place(self.points[segment["link"]][0], real(p)) for p in segment["points"]]
        inside = self.algebra.lift(0, self.q.shape[1])
        for a, b in zip(places, places[1:]):
            inside = inside + self._norm((b - a)[..., :3])
        return inside, places[0], places[-1]

    def _place(self, frame, point):
        return np.matmul(frame, np.append(point, REAL(1)))

    def _norm(self, v):
        return self.algebra.sqrt(sum(self.algebra.product(v[..., i], v[..., i]) for i in range(3)))

    def _routed_length(self, link, path):
        rod, total = link.rod, 0
        for s, w in zip(rod.s, rod.weight):
            if w == 0:
                continue
            d, slope = path(s)
            xi = self.strain(link, s)
            tangent = xi[..., 3:] + np.cross(xi[..., :3], d)
            tangent[0] += slope / rod.length
            total = total + w * self._norm(tangent)
        return total
