"""Loops and prescribed joints: errors and Jacobians from the relative pose of a loop's ends, multipliers from dense algebra.

A loop holds rows of log(g)^vee, g = g_B^-1 g_A, at 0. Its Jacobian A has the same rows of dg g^-1, the twist of A seen from B
in B's frame; A qdd + Adot qd is the time derivative of those rows of g' g^-1 along q(t).
"""

import numpy as np

from forces import MOTION
from profiles import REAL, real, solve
from robot import axis_vector, pose_matrix
from sweeps import base_rate, hessian, jacobian
from taylor import FIRST, exponential, inverse_pose, logarithm


def rows(joint):
    """The rows [r][6] of a relative twist that a loop joint holds, in the order wx wy wz vx vy vz."""
    kind, axis = joint.get("type", "fixed"), np.abs(axis_vector(joint.get("axis", "z")))
    along = [i for i in range(3) if axis[i] > 0.5]
    across = [i for i in range(3) if axis[i] <= 0.5]
    assert max(axis) == 1, "the axis of a loop joint is principal"
    free = {"fixed": [], "revolute": along, "prismatic": [3 + i for i in along], "helical": along,
            "cylindrical": along + [3 + i for i in along], "universal": across, "planar": along + [3 + i for i in across],
            "spherical": [0, 1, 2]}[kind]
    out = np.eye(6, dtype=REAL)
    if kind == "helical":
        out[3 + along[0], along[0]] = -REAL(joint.get("pitch", 0))
    return out[[i for i in range(6) if i not in free]]


class Loop:
    def __init__(self, document):
        self.document, self.rows = document, rows(document["joint"])

    def _end(self, posture, end):
        pose = pose_matrix(end.get("pose", {}))
        if end["link"] == "world":
            return posture.algebra.lift(pose, posture.q.shape[1])
        return np.matmul(posture.frame(end["link"], end.get("at", 1)), pose)

    def relative(self, posture):
        a, b = (self._end(posture, self.document[k]) for k in ("a", "b"))
        return posture.algebra.matmul(inverse_pose(posture.algebra, b), a)

    def jacobian(self, posture):
        return self.rows @ jacobian(base_rate, self.relative(posture))

    def error(self, g):
        """e and de/dq from the sweep over coordinates: de follows from d exp, column by column."""
        x = logarithm(g[0, 0])
        nudged = FIRST.lift(x, 6)
        nudged[1] += np.eye(6, dtype=REAL)
        columns = jacobian(base_rate, exponential(FIRST, nudged))
        return self.rows @ x, self.rows @ solve(columns, jacobian(base_rate, g))

    def acceleration(self, posture):
        """Rows of A qdd + Adot qd and their derivative [r][batch] along b."""
        v = base_rate(MOTION, self.relative(posture))
        k = MOTION.index
        return self.rows @ v[k[1, 0]][0], self.rows @ v[k[1, 1]].T


class Constraints:
    """All loops and prescribed coordinates of a robot at a state."""

    def __init__(self, state):
        self.state, robot = state, state.robot
        self.loops = [Loop(d) for d in robot.loops]
        self.prescribed = [robot.links[a["link"]].first + i for a in robot.actuators if a.get("mode") == "position"
                           for i in range(robot.links[a["link"]].joint_dof)]
        self.free = [i for i in range(robot.n) if i not in self.prescribed]
        self.row_count = sum(len(x.rows) for x in self.loops)

    def __bool__(self):
        return bool(self.loops or self.prescribed)

    def _stack(self, parts, *shape):
        return np.concatenate([*parts, np.zeros((0, *shape), REAL)])

    def errors(self):
        pairs = [x.error(x.relative(self.state.first)) for x in self.loops]
        n = self.state.robot.n
        return self._stack([e for e, _ in pairs]), self._stack([g for _, g in pairs], n)

    def jacobian(self):
        first = self.state.first
        return self._stack([x.jacobian(first) for x in self.loops], self.state.robot.n)

    def jacobian_slopes(self):
        """dA/dq [r][n][n]."""
        n, pairs = self.state.robot.n, self.state.pairs
        return self._stack([np.tensordot(x.rows, hessian(base_rate, x.relative(pairs), n), 1) for x in self.loops], n, n)

    def bias(self, qdd, direction):
        """a = A qdd + Adot qd + 2/T A qd + e/T^2 and its derivative along q (0) or qd (1)."""
        s, period = self.state, self.state.baumgarte
        found = [x.acceleration(s.motion(qdd, direction)) for x in self.loops]
        e, slope = self.errors()
        jac, n = self.jacobian(), s.robot.n
        value = self._stack([v for v, _ in found]) + 2 / period * jac @ s.qd + e / period**2
        change = self._stack([d for _, d in found], n if direction is not None else 1)
        if direction == 0:
            change = change + 2 / period * np.einsum("rij,i->rj", self.jacobian_slopes(), s.qd) + slope / period**2
        if direction == 1:
            change = change + 2 / period * jac
        return value, change

    def solve(self, mass, force, given, wanted):
        """x [n][k], lambda [r + p][k] of mass x = force + A^T lambda + E^T lambda_p, A x = wanted, E x = given."""
        f, p, jac = self.free, self.prescribed, self.jacobian()
        x = np.zeros_like(force)
        x[p] = given
        inner, af = mass[np.ix_(f, f)], jac[:, f]
        loose, response = solve(inner, force[f] - mass[np.ix_(f, p)] @ given), solve(inner, af.T)
        multiplier = pseudo_inverse(af @ response) @ (wanted - jac[:, p] @ given - af @ loose)
        x[f] = loose + response @ multiplier
        reaction = (mass @ x - force - jac.T @ multiplier)[p]
        return x, np.concatenate([multiplier, reaction])

    def idle_rows(self, mass):
        """Combinations of rows that hold nothing: the null space of A on the free coordinates, [k][r]."""
        af = self.jacobian()[:, self.free]
        values, vectors = eigen(af @ solve(mass[np.ix_(self.free, self.free)], af.T))
        return vectors[:, ~strong(values)].T

    def smooth(self, mass):
        """Whether the rows that depend on one another do so in the same way nearby: only then has lambda a derivative."""
        idle, slopes = self.idle_rows(mass), self.jacobian_slopes()
        if not len(idle):
            return True
        drift = np.tensordot(idle, slopes, 1)
        return np.max(np.abs(drift)) < 1e-12 * np.max(np.abs(slopes))


def strong(values):
    """Which eigenvalues are not zero; a value between is an error of the model's author."""
    size = np.abs(values) / max(np.max(np.abs(values), initial=0), REAL(1e-300))
    assert not np.any((size > 1e-16) & (size < 1e-10)), f"rank is not clear: {np.sort(size)}"
    return size > 1e-12


def pseudo_inverse(s):
    values, vectors = eigen(s)
    keep = strong(values)
    return vectors[:, keep] / values[keep] @ vectors[:, keep].T


def eigen(s):
    """Eigenvalues and vectors of a symmetric matrix, Jacobi's rotations (numpy.linalg stops at 64 bits)."""
    a, v = (s + s.T) / 2, np.eye(len(s), dtype=REAL)
    smallest = 1e-38 * np.max(np.abs(a), initial=0)
    for _ in range(14):
        for p in range(len(a)):
            for q in range(p + 1, len(a)):
                if np.abs(a[p, q]) > smallest:
                    _rotate(a, v, p, q)
    return np.diag(a), v


def _rotate(a, v, p, q):
    theta = (a[q, q] - a[p, p]) / (2 * a[p, q])
    t = (1 if theta >= 0 else -1) / (np.abs(theta) + np.sqrt(1 + theta * theta))
    c = 1 / np.sqrt(1 + t * t)
    turn2 = real([[c, t * c], [-t * c, c]])
    a[:, [p, q]] = a[:, [p, q]] @ turn2
    a[[p, q]] = turn2.T @ a[[p, q]]
    v[:, [p, q]] = v[:, [p, q]] @ turn2
