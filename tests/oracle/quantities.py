"""Everything evaluate answers, from poses differentiated by Taylor arithmetic (sweeps.py).

D'Alembert's principle: id = sum over frames of J^T wrench (forces.py). fd by the implicit function theorem, with loops and
prescribed joints (constraints.py).
"""

import functools

import numpy as np

import sweeps
from constraints import Constraints
from lines import Lines, difference, has_lines, is_length
from magnets import channel_count, potential
from forces import Immersed, Lift, Mass, Motion, forces, loads
from profiles import REAL, real
from robot import Robot
from sweeps import AB, PAIR, A, body_rate, hessian, jacobian

__all__ = ["Robot", "State", "evaluate", "tau_terms"]


TERMS = ("motion", "gravity", "loads", "contact", "hydrodynamics")


class State:
    """One state of one robot; each method is a quantity of the evaluate table."""

    def __init__(self, robot, state, baumgarte=0.01):
        self.robot, n = robot, robot.n
        self.q, self.qd, self.qdd = (real(state.get(k, [0] * n)) for k in ("q", "qd", "qdd"))
        self.baumgarte = REAL(baumgarte)
        self._channels()
        u = self.u = real(state.get("u", [0] * self.channel_count))
        loads_end = self.actuator_channels + len(self.load_channels)
        self.u_actuators, self.u_loads = u[:self.actuator_channels], u[self.actuator_channels:loads_end]
        flow = np.zeros(3, REAL)
        flow[self.flow_components] = u[self.channel_count - len(self.flow_components):]
        self.loads = [loads(robot, d, w) for d, w in zip(robot.loads, self.load_wrenches())]
        self.forces = [*forces(robot, flow), *(load for group in self.loads for load in group)]
        self.constraints = Constraints(self)
        self._jacobians, self._hessians = {}, {}

    @functools.cached_property
    def first(self):
        return sweeps.first(self.robot, self.q)

    @functools.cached_property
    def pairs(self):
        return sweeps.pairs(self.robot, self.q)

    def motion(self, qdd, direction):
        return sweeps.motion(self.robot, self.q, self.qd, qdd, direction)

    def _channels(self):
        count = 0
        for a in self.robot.actuators:
            count += channel_count(self.robot, a)
        self.actuator_channels = count
        self.load_channels = [(i, c) for i, d in enumerate(self.robot.loads) if d.get("channels")
                              for c, name in enumerate(d["channels"]) if name is not None]
        names = self.robot.document.get("fluid", {}).get("channels", [])
        self.flow_components = [c for c, name in enumerate(names) if name is not None]
        self.spring_channels = [d["channel"] for d in self.robot.document.get("springs", []) if "channel" in d]
        self.channel_count = count + len(self.load_channels) + len(self.spring_channels) + len(self.flow_components)

    def load_wrenches(self):
        out = [real([0] * 6 if d.get("channels") else d["wrench"]) for d in self.robot.loads]
        for (i, c), u in zip(self.load_channels, self.u_loads):
            out[i] = out[i].copy()
            out[i][c] += u
        return out

    def jacobian(self, force):
        if force.key not in self._jacobians:
            self._jacobians[force.key] = jacobian(body_rate, force.frame(self.first))
        return self._jacobians[force.key]

    def hessian(self, force):
        if force.key not in self._hessians:
            self._hessians[force.key] = hessian(body_rate, force.frame(self.pairs), self.robot.n)
        return self._hessians[force.key]

    def mass(self):
        posture = sweeps.still(self.robot, self.q)
        parts = [self.jacobian(f).T @ f.matrix_at(f.frame(posture)[0]) @ self.jacobian(f)
                 for f in self.forces if isinstance(f, (Mass, Immersed))]
        return sum(parts, np.zeros((self.robot.n, self.robot.n), REAL))

    def inverse_dynamics(self, qdd, direction=None):
        """id terms and, along q (0) or qd (1), the derivative of their sum."""
        posture, motions = self.motion(qdd, direction), {}
        terms = {k: np.zeros(self.robot.n, REAL) for k in TERMS}
        total = np.zeros((self.robot.n, posture.q.shape[1]), REAL)
        for force in self.forces:
            if force.key not in motions:
                motions[force.key] = Motion(force.frame(posture))
            for term, wrench in force.wrenches(motions[force.key]):
                terms[term] += self.jacobian(force).T @ wrench[0][0]
                total += self.jacobian(force).T @ wrench[1].T
                if direction == 0:
                    total += np.einsum("cij,c->ij", self.hessian(force), wrench[0][0])
        return terms, total

    def did_du(self):
        out = np.zeros((self.robot.n, self.channel_count), REAL)
        posture = self.motion(self.qdd, None)
        for k, (i, c) in enumerate(self.load_channels):
            for load in self.loads[i]:
                unit = load.in_body(Motion(load.frame(posture)), load.metres * np.eye(6, dtype=REAL)[c])
                out[:, self.actuator_channels + k] -= self.jacobian(load).T @ unit[0][0]
        first_flow = self.channel_count - len(self.flow_components)
        for k, component in enumerate(self.flow_components):
            for force in self.forces:
                if isinstance(force, Immersed):
                    for _, wrench in force.wrenches(Motion(force.frame(posture)), component):
                        out[:, first_flow + k] += self.jacobian(force).T @ wrench[1][0]
        return out

    def tendons(self):
        """Lengths, their gradients and Hessians, document order."""
        n, out, k = self.robot.n, [], PAIR.index
        for a in self.robot.actuators:
            if a["type"] == "tendon":
                x = self.pairs.tendon_length(a)
                out.append((x[k[0, 0]][0], x[k[A]].reshape(n, n)[:, 0], x[k[AB]].reshape(n, n)))
        return out

    def stiffness_damping(self):
        """K, D [n][n] and the q at which joint springs rest."""
        n = self.robot.n
        k, d, rest = np.zeros((n, n), REAL), np.zeros((n, n), REAL), np.zeros(n, REAL)
        for link in self.robot.links.values():
            c = link.joint_columns
            k[c, c], d[c, c] = np.diag(link.joint_values("stiffness")), np.diag(link.joint_values("damping"))
            rest[c] = link.joint_values("rest")
            if link.rod:
                c, rod = link.rod_columns, link.rod
                for s, w in zip(rod.s, rod.weight):
                    if w != 0:
                        phi, (_, stiffness, damping) = rod.basis(s), rod.densities(s)
                        k[c, c] += w * phi.T @ stiffness @ phi
                        d[c, c] += w * phi.T @ (damping[:, None] * phi)
        return k, d, rest

    def actuation(self):
        """B [n][channels], with nothing for prescribed joints, and the derivative of B u along q."""
        n = self.robot.n
        b, slope, k, tendons = np.zeros((n, self.channel_count), REAL), np.zeros((n, n), REAL), 0, iter(self.tendons())
        for a in self.robot.actuators:
            if a["type"] == "tendon":
                _, gradient, bend = next(tendons)
                if not is_length(a):
                    b[:, k] = -gradient
                    slope -= self.u_actuators[k] * bend
                k += 1
            elif a["type"] == "field":
                x = PAIR.index
                for unit in np.eye(channel_count(self.robot, a)):
                    series = potential(self.robot, self.pairs, unit)
                    b[:, k] = -series[x[A]].reshape(n, n)[:, 0]
                    slope -= self.u_actuators[k] * series[x[AB]].reshape(n, n)
                    k += 1
            else:
                for i in range(self.robot.links[a["link"]].joint_dof):
                    b[self.robot.links[a["link"]].first + i, k] = a.get("mode") != "position"
                    k += 1
        return b, slope

    def line_forces(self, q, qd, u):
        """Stored and lost parts of tau of springs, tendons driven by length and friction; what they store."""
        lines = self._lines if q is self.q else Lines(self.robot, q, self._lines.rests)
        first = self.actuator_channels + len(self.load_channels)
        values = dict(zip(self.spring_channels, u[first:first + len(self.spring_channels)]))
        k = 0
        for a in self.robot.actuators:
            values.setdefault(a["name"], u[k])
            k += channel_count(self.robot, a)
        return lines.terms(qd, values.get)

    @functools.cached_property
    def _lines(self):
        return Lines(self.robot, self.q)

    def line_slopes(self):
        """Derivatives of all of their forces along q, qd, u."""
        total = lambda q, qd, u: sum(self.line_forces(q, qd, u)[:2])
        return (difference(lambda x: total(x, self.qd, self.u), self.q), difference(lambda x: total(self.q, x, self.u), self.qd),
                difference(lambda x: total(self.q, self.qd, x), self.u) if len(self.u) else np.zeros((self.robot.n, 0), REAL))

    def energy(self):
        k, _, rest = self.stiffness_damping()
        x, posture, height = self.q - rest, sweeps.still(self.robot, self.q), 0
        for f in self.forces:
            if isinstance(f, (Mass, Lift)):
                height += f.height(f.frame(posture)[0, 0, :3, 3])
        held = self.line_forces(self.q, self.qd, self.u)[2] if has_lines(self.robot.document) else 0
        out = {"kinetic": self.qd @ self.mass() @ self.qd / 2, "elastic": x @ k @ x / 2 + held, "gravitational": height}
        if any(a["type"] == "field" for a in self.robot.actuators):
            out["magnetic"] = self.magnetic(posture)
        return out

    def magnetic(self, posture):
        total, k = REAL(0), 0
        for a in self.robot.actuators:
            count = channel_count(self.robot, a)
            if a["type"] == "field":
                total += potential(self.robot, posture, self.u_actuators[k:k + count])[0][0]
            k += count
        return total

    def poses(self):
        return {name: np.stack([g[0, 0] for g in points])
                for name, points in sweeps.still(self.robot, self.q).points.items()}

    def link_jacobians(self):
        return {name: np.stack([jacobian(body_rate, g) for g in points]) for name, points in self.first.points.items()}

    def forward_dynamics(self, tau, mass=None):
        """qdd, lambda of M qdd = tau - id(q, qd, 0) + A^T lambda + E^T lambda_p."""
        terms, _ = self.inverse_dynamics(0 * self.qdd)
        bias, _ = self.constraints.bias(0 * self.qdd, None)
        mass = self.mass() if mass is None else mass
        given = self.qdd[self.constraints.prescribed]
        x, multiplier = self.constraints.solve(mass, (tau - sum(terms.values()))[:, None], given[:, None], -bias[:, None])
        return x[:, 0], multiplier[:, 0]


def tau_terms(state):
    k, d, rest = state.stiffness_damping()
    b, slope = state.actuation()
    u = np.concatenate([state.u_actuators, np.zeros(state.channel_count - state.actuator_channels, REAL)])
    terms, slopes = {"actuation": b @ u, "elastic": -k @ (state.q - rest), "damping": -d @ state.qd}, (slope - k, -d, b)
    if has_lines(state.robot.document):
        stored, lost, _ = state.line_forces(state.q, state.qd, state.u)
        terms["elastic"], terms["damping"] = terms["elastic"] + stored, terms["damping"] + lost
        slopes = tuple(a + b for a, b in zip(slopes, state.line_slopes()))
    return terms, *slopes


def evaluate(robot, document, baumgarte=0.01, derivatives=True):
    """All quantities at one state; those without derivatives are much quicker."""
    s = State(robot, document, baumgarte)
    terms, _ = s.inverse_dynamics(s.qdd)
    mass = s.mass()
    forces_, dtau_dq, dtau_dqd, dtau_du = tau_terms(s)
    inertial = mass @ s.qdd
    out = {"mass": mass, "id": sum(terms.values()), "tau": sum(forces_.values())}
    fd, multiplier = s.forward_dynamics(out["tau"], mass)
    out.update(residual=out["tau"] - out["id"], fd=fd, energy=s.energy())
    if s.constraints:
        out["lambda"] = multiplier
    if s.constraints.loops:
        out["loop_error"], out["loop_jacobian"] = s.constraints.errors()[0], s.constraints.jacobian()
    out["id_terms"] = {"inertial": inertial, "coriolis": terms.pop("motion") - inertial, **terms}
    out["tau_terms"] = forces_
    if not derivatives:
        return out
    out.update(did_dq=s.inverse_dynamics(s.qdd, 0)[1], did_dqd=s.inverse_dynamics(s.qdd, 1)[1], did_du=s.did_du(),
               dtau_dq=dtau_dq, dtau_dqd=dtau_dqd, dtau_du=dtau_du)
    out.update(forward_derivatives(s, out, multiplier))
    lengths = s.tendons()
    out["tendons"] = {"length": [x[0] for x in lengths], "dlength_dq": [x[1] for x in lengths]}
    out["poses"], out["jacobians"] = s.poses(), s.link_jacobians()
    return out


def forward_derivatives(s, out, multiplier):
    """By the implicit function theorem at qdd = fd and lambda."""
    c, mass, fd = s.constraints, out["mass"], out["fd"]
    if not c.smooth(mass):
        return {}
    pull = np.einsum("rij,r->ij", c.jacobian_slopes(), multiplier[:c.row_count]) if c.loops else 0
    force = {"dq": out["dtau_dq"] - s.inverse_dynamics(fd, 0)[1] + pull, "dqd": out["dtau_dqd"] - s.inverse_dynamics(fd, 1)[1],
             "du": out["dtau_du"] - out["did_du"]}
    change = {"dq": c.bias(fd, 0)[1], "dqd": c.bias(fd, 1)[1], "du": np.zeros((c.row_count, s.channel_count), REAL)}
    found = {}
    for key, f in force.items():
        held = np.zeros((len(c.prescribed), f.shape[1]), REAL)
        found[f"dfd_{key}"], slope = c.solve(mass, f, held, -change[key])
        if c:
            found[f"dlambda_{key}"] = slope
    return found
