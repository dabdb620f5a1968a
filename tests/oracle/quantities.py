"""Everything evaluate answers, from poses differentiated by Taylor arithmetic.

Two sweeps of the forward kinematics are enough. In the infinitesimals (a, b), q + a e_i + b e_j for every pair (i, j), gives
each body Jacobian J_i = vee(g^-1 dg/da) and dJ_i/dq_j. In (t, b), q(t) = q + t qd + t^2/2 qdd with b on a coordinate or on a
velocity, gives eta = vee(g^-1 dg/dt), its time derivative, and how both change. D'Alembert's principle does the rest:
id = sum over mass points of J^T (M etadot - ad_eta^T M eta - M Ad_{g^-1} (0, gravity)) - loads.
"""

import numpy as np

from profiles import REAL, real, solve
from robot import Posture, Robot, pose_matrix, rigid_inertia
from taylor import Algebra, inverse_pose, vee

VALUE, PAIR, MOTION = Algebra(0), Algebra(1, 1), Algebra(2, 1)
NONE, A, B, AB = (0, 0), (1, 0), (0, 1), (1, 1)


class Places:
    """The frames forces act at: mass points, then loads."""

    def __init__(self, robot):
        self.robot, self.masses, self.ratio = robot, [], []
        for link in robot.links.values():
            self._add_link(link)

    def _add_link(self, link):
        if link.rod:
            ratio = self.robot.density_ratio(link.rod.material["density"])
            for s, w in zip(link.rod.s, link.rod.weight):
                if w != 0:
                    self._add(w * np.diag(link.rod.densities(s)[0]), ratio)
        elif link.body:
            mass, _, inertia = rigid_inertia(link.body)
            m = np.zeros((6, 6), REAL)
            m[:3, :3], m[3:, 3:] = inertia, mass * np.eye(3, dtype=REAL)
            self._add(m, self.robot.density_ratio(link.body.get("hydrodynamics", {}).get("body_density")))

    def _add(self, mass, ratio):
        self.masses.append(mass)
        self.ratio.append(ratio)

    def mass_frames(self, posture):
        out = []
        for name, link in self.robot.links.items():
            if link.rod:
                out += [g for g, w in zip(posture.points[name], link.rod.weight) if w != 0]
            elif link.body:
                at_com = pose_matrix({"translation": [0, 0, 0]})
                at_com[:3, 3] = rigid_inertia(link.body)[1]
                out.append(np.matmul(posture.points[name][0], at_com))
        return out

    def load_frames(self, posture):
        return [np.matmul(posture.frame(d["link"], d.get("at", 1)), pose_matrix(d.get("pose", {})))
                for d in self.robot.loads]


def jacobians(frames, n):
    """Per frame J [6][n] and dJ/dq [6][n][n] from the sweep over pairs."""
    out = []
    for g in frames:
        v = vee(PAIR.matmul(inverse_pose(PAIR, g), PAIR.derivative(g, 0)))
        value, slope = v[PAIR.index[NONE]].reshape(n, n, 6), v[PAIR.index[B]].reshape(n, n, 6)
        out.append((value[:, 0].T, np.moveaxis(slope, 2, 0)))
    return out


def pair_posture(robot, q):
    n = robot.n
    series = PAIR.lift(q, n * n)
    i, j = np.divmod(np.arange(n * n), n)
    series[PAIR.index[A], np.arange(n * n), i] += 1
    series[PAIR.index[B], np.arange(n * n), j] += 1
    return Posture(robot, PAIR, series)


def motion_posture(robot, q, qd, qdd, direction):
    """Batch entry j: coordinate j (direction 0) or its velocity (direction 1) moved by b."""
    n = robot.n
    series = MOTION.lift(q, n)
    series[MOTION.index[A]] += qd
    series[MOTION.index[2, 0]] += qdd / 2
    series[MOTION.index[direction, 1], np.arange(n), np.arange(n)] += 1
    return Posture(robot, MOTION, series)


def body_motion(g):
    """eta and etadot, each (value [batch][6], derivative along b)."""
    v = vee(MOTION.matmul(inverse_pose(MOTION, g), MOTION.derivative(g, 0)))
    k = MOTION.index
    return (v[k[NONE]], v[k[B]]), (v[k[A]], v[k[AB]])


def adjoint_transpose(twist, wrench):
    """ad_twist^T wrench for stacks."""
    w, v, m, f = twist[..., :3], twist[..., 3:], wrench[..., :3], wrench[..., 3:]
    return np.concatenate([np.cross(m, w) + np.cross(f, v), np.cross(f, w)], axis=-1)


def inertial_wrench(mass, g):
    (eta, eta_b), (acc, acc_b) = body_motion(g)
    value = acc @ mass - adjoint_transpose(eta, eta @ mass)
    slope = acc_b @ mass - adjoint_transpose(eta_b, eta @ mass) - adjoint_transpose(eta, eta_b @ mass)
    return value[0], slope


def turned(g, vector):
    """R^T vector and its derivative along b."""
    k = MOTION.index
    return tuple(np.matmul(vector, g[k[e]][..., :3, :3]) for e in (NONE, B))


def gravity_wrench(mass, g, gravity):
    value, slope = turned(g, gravity)
    zero = np.zeros_like(value)
    return (np.concatenate([zero, value], axis=-1) @ mass)[0], np.concatenate([zero, slope], axis=-1) @ mass


def load_directions(load, g):
    """Body wrenches of the 6 unit loads [6][6] and their derivative along b [batch][6][6]."""
    if load.get("frame") == "body":
        return np.eye(6, dtype=REAL), np.zeros((g.shape[1], 6, 6), REAL)
    k, out = MOTION.index, []
    for e in (NONE, B):
        rotation = g[k[e]][..., :3, :3]
        block = np.zeros((g.shape[1], 6, 6), REAL)
        block[:, :3, :3], block[:, 3:, 3:] = rotation, rotation
        out.append(block)
    return out[0][0], out[1]


class State:
    """One state of one robot; each property is a quantity of the evaluate table."""

    def __init__(self, robot, state):
        self.robot, n = robot, robot.n
        self.q, self.qd, self.qdd = (real(state.get(k, [0] * n)) for k in ("q", "qd", "qdd"))
        self._channels()
        u = real(state.get("u", [0] * self.channel_count))
        self.u_actuators, self.u_loads = u[:self.actuator_channels], u[self.actuator_channels:]
        self.places = Places(robot)
        self.pair = pair_posture(robot, self.q)
        self.mass_jacobians = jacobians(self.places.mass_frames(self.pair), n)
        self.load_jacobians = jacobians(self.places.load_frames(self.pair), n)

    def _channels(self):
        count = 0
        for a in self.robot.actuators:
            count += 1 if a["type"] == "tendon" else self.robot.links[a["link"]].joint_dof
        self.actuator_channels = count
        self.load_channels = [(i, c) for i, d in enumerate(self.robot.loads) if d.get("channels")
                              for c, name in enumerate(d["channels"]) if name is not None]
        self.channel_count = count + len(self.load_channels)

    def mass(self):
        return sum(j.T @ m @ j for (j, _), m in zip(self.mass_jacobians, self.places.masses))

    def load_wrenches(self):
        out = [real([0] * 6 if d.get("channels") else d["wrench"]) for d in self.robot.loads]
        for (i, c), u in zip(self.load_channels, self.u_loads):
            out[i] = out[i].copy()
            out[i][c] += u
        return out

    def inverse_dynamics(self, qdd, direction):
        """id terms and the derivative of their sum along q (0) or qd (1)."""
        posture = motion_posture(self.robot, self.q, self.qd, qdd, direction)
        terms, total = {"motion": 0, "gravity": 0, "loads": np.zeros(self.robot.n, REAL)}, 0
        for g, m, r, (jac, djac) in zip(self.places.mass_frames(posture), self.places.masses, self.places.ratio,
                                        self.mass_jacobians):
            for key, (f, df) in (("motion", inertial_wrench(m, g)),
                                 ("gravity", gravity_wrench(m, g, -r * self.robot.gravity))):
                terms[key] = terms[key] + jac.T @ f
                total = total + self._project(jac, djac, f, df, direction)
        loads = zip(self.robot.loads, self.load_wrenches(), self.places.load_frames(posture), self.load_jacobians)
        for load, wrench, g, (jac, djac) in loads:
            value, slope = load_directions(load, g)
            f, df = -wrench @ value, -wrench @ slope
            terms["loads"] = terms["loads"] + jac.T @ f
            total = total + self._project(jac, djac, f, df, direction)
        return terms, total

    @staticmethod
    def _project(jac, djac, f, df, direction):
        """d(J^T f)/db: [n][batch]."""
        out = jac.T @ df.T
        return out + np.einsum("cij,c->ij", djac, f) if direction == 0 else out

    def did_du(self):
        out = np.zeros((self.robot.n, self.channel_count), REAL)
        frames = self.places.load_frames(motion_posture(self.robot, self.q, self.qd, self.qdd, 0))
        for k, (i, c) in enumerate(self.load_channels):
            value, _ = load_directions(self.robot.loads[i], frames[i])
            out[:, self.actuator_channels + k] = -self.load_jacobians[i][0].T @ value[c]
        return out

    def tendons(self):
        """Lengths, their gradients and Hessians, document order."""
        n, out = self.robot.n, []
        for a in self.robot.actuators:
            if a["type"] == "tendon":
                x = self.pair.tendon_length(a)
                k = PAIR.index
                out.append((x[k[NONE]][0], x[k[A]].reshape(n, n)[:, 0], x[k[AB]].reshape(n, n)))
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
                        k[c, c] += w * phi.T @ (stiffness[:, None] * phi)
                        d[c, c] += w * phi.T @ (damping[:, None] * phi)
        return k, d, rest

    def actuation(self):
        """B [n][channels] and the derivative of B u along q."""
        n = self.robot.n
        b, slope, k, tendons = np.zeros((n, self.channel_count), REAL), np.zeros((n, n), REAL), 0, iter(self.tendons())
        for a in self.robot.actuators:
            if a["type"] == "tendon":
                _, gradient, hessian = next(tendons)
                b[:, k] = -gradient
                slope -= self.u_actuators[k] * hessian
                k += 1
            else:
                for i in range(self.robot.links[a["link"]].joint_dof):
                    b[self.robot.links[a["link"]].first + i, k] = 1
                    k += 1
        return b, slope

    def energy(self):
        k, _, rest = self.stiffness_damping()
        x = self.q - rest
        posture = Posture(self.robot, VALUE, VALUE.lift(self.q, 1))
        height = 0
        for g, m, r in zip(self.places.mass_frames(posture), self.places.masses, self.places.ratio):
            height -= r * m[5, 5] * (self.robot.gravity @ g[0, 0, :3, 3])
        return {"kinetic": self.qd @ self.mass() @ self.qd / 2, "elastic": x @ k @ x / 2, "gravitational": height}

    def poses(self):
        posture = Posture(self.robot, VALUE, VALUE.lift(self.q, 1))
        return {name: np.stack([g[0, 0] for g in points]) for name, points in posture.points.items()}

    def link_jacobians(self):
        n = self.robot.n
        return {name: np.stack([j for j, _ in jacobians(points, n)]) for name, points in self.pair.points.items()}

    def forward_dynamics(self, tau):
        """qdd of M qdd = tau - id(q, qd, 0)."""
        still, _ = self.inverse_dynamics(0 * self.qdd, 1)
        return solve(self.mass(), tau - sum(still.values()))


def tau_terms(state):
    k, d, rest = state.stiffness_damping()
    b, slope = state.actuation()
    u = np.concatenate([state.u_actuators, np.zeros(len(state.load_channels), REAL)])
    return {"actuation": b @ u, "elastic": -k @ (state.q - rest), "damping": -d @ state.qd}, slope - k, -d, b


def evaluate(robot, document):
    """All quantities at one state."""
    s = State(robot, document)
    terms, did_dq = s.inverse_dynamics(s.qdd, 0)
    _, did_dqd = s.inverse_dynamics(s.qdd, 1)
    mass, did_du = s.mass(), s.did_du()
    forces, dtau_dq, dtau_dqd, dtau_du = tau_terms(s)
    out = {"mass": mass, "id": sum(terms.values()), "tau": sum(forces.values()), "did_dq": did_dq, "did_dqd": did_dqd,
           "did_du": did_du, "dtau_dq": dtau_dq, "dtau_dqd": dtau_dqd, "dtau_du": dtau_du}
    out["residual"] = out["tau"] - out["id"]
    inertial = mass @ s.qdd
    out["id_terms"] = {"inertial": inertial, "coriolis": terms["motion"] - inertial, "gravity": terms["gravity"],
                       "loads": terms["loads"]}
    out["tau_terms"] = forces
    out.update(forward(s, out))
    lengths = s.tendons()
    out["tendons"] = {"length": [x[0] for x in lengths], "dlength_dq": [x[1] for x in lengths]}
    out["energy"], out["poses"], out["jacobians"] = s.energy(), s.poses(), s.link_jacobians()
    return out


def forward(s, out):
    """fd, and its derivatives by the implicit function theorem at qdd = fd."""
    mass, fd = out["mass"], s.forward_dynamics(out["tau"])
    _, dq = s.inverse_dynamics(fd, 0)
    _, dqd = s.inverse_dynamics(fd, 1)
    return {"fd": fd, "dfd_dq": solve(mass, out["dtau_dq"] - dq), "dfd_dqd": solve(mass, out["dtau_dqd"] - dqd),
            "dfd_du": solve(mass, out["dtau_du"] - out["did_du"])}
