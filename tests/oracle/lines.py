"""Forces along lines: tendons driven by length, friction along tendons, springs between points.

A line is a chain of pieces, each with a length and a direction in the world, read off the forward kinematics: a path's Gauss
points (with its directions at base and tip), straight stretches. Forces are sums of tension times the gradient of a piece's
length, gradients by Taylor arithmetic; how tensions depend on the state is the contract's law as it stands, and the
derivatives of these forces are five-point differences in 80 bits (h 5e-7: small next to the turns of paths that are almost straight, and 80 bits leave 1e-12).
"""

import numpy as np

import sweeps
from profiles import REAL, real, routing

STEP = REAL(5e-7)


def is_length(actuator):
    return actuator["type"] == "tendon" and actuator.get("mode") == "length"


def has_lines(document):
    return bool(document.get("springs")) or any(is_length(a) or a.get("friction") for a in document.get("actuators", []))


def unit(vector):
    size = np.sqrt(vector @ vector)
    return vector / size if size > 0 else vector


def rod_pieces(posture, segment):
    """(length series or None, direction) at the base, every Gauss point and the tip."""
    link, path = posture.robot.links[segment["link"]], routing(segment["routing"])
    rod, frames = link.rod, posture.points[segment["link"]]
    for k, (s, w) in enumerate(zip(rod.s, rod.weight)):
        if w == 0 and k not in (0, len(rod.s) - 1):
            continue
        d, slope = path(s)
        xi = posture.strain(link, s)
        tangent = xi[..., 3:] + np.cross(xi[..., :3], d)
        tangent[0] += slope / rod.length
        direction = frames[k][0, 0, :3, :3] @ unit(tangent[0, 0])
        yield (w * posture._norm(tangent) if w != 0 else None), direction


def straight(posture, a, b):
    difference = (b - a)[..., :3]
    if not np.any(difference[0, 0]):
        return None, np.zeros(3, REAL)
    return posture._norm(difference), unit(difference[0, 0])


def tendon_pieces(posture, actuator):
    """Of a whole tendon, from the end that is pulled."""
    segments = actuator.get("segments") or [{k: actuator[k] for k in ("link", "routing", "points") if k in actuator}]
    end = None
    for segment in segments:
        _, start, stop = posture._segment(segment)
        if end is not None and actuator.get("joined", True):
            yield straight(posture, end, start)
        if "routing" in segment:
            yield from rod_pieces(posture, segment)
        else:
            places = [posture._place(posture.points[segment["link"]][0], real(p)) for p in segment["points"]]
            for a, b in zip(places, places[1:]):
                yield straight(posture, a, b)
        end = stop


def gradient(series, n):
    return np.zeros(n, REAL) if series is None else series[1]


def spring_end(posture, end):
    world = posture.algebra.lift(np.eye(4, dtype=REAL), posture.q.shape[1])
    frame = world if end["link"] == "world" else posture.frame(end["link"], end.get("at", 1))
    return posture._place(frame, real(end.get("pose", {}).get("translation", [0, 0, 0])))


class Lines:
    """What lines do at one state of the robot."""

    def __init__(self, robot, q, rests=None):
        self.robot, self.q = robot, real(q)
        self.posture = sweeps.first(robot, self.q)
        self.tendons = [list(tendon_pieces(self.posture, a)) for a in robot.actuators if a["type"] == "tendon"]
        self.springs = [straight(self.posture, spring_end(self.posture, s["a"]), spring_end(self.posture, s["b"]))
                        for s in robot.document.get("springs", [])]
        self.rests = rests or (Lines(robot, 0 * self.q, ([], [])).lengths() if np.any(self.q) else self.lengths())

    def lengths(self):
        total = lambda pieces: sum((x[0][0] for x, _ in pieces if x is not None), REAL(0))
        return [total(t) for t in self.tendons], [total([s]) for s in self.springs]

    def law(self, a, length, rate, u, rest):
        """(stored tension, lost tension, energy)."""
        k, w = REAL(a["stiffness"]), REAL(a.get("slack_width", 1e-4))
        s = length - REAL(a["rest"] if "rest" in a else rest) + u
        root = np.sqrt(s * s + w * w)
        plus = (s + root) / 2
        lost = REAL(a.get("damping", 0)) * rate * (1 + s / root) / 2
        # the integral of plus over s, 0 at s = 0, and w^2 / 8 there
        energy = (s * s / 2 + (s * root + w * w * np.arcsinh(s / w)) / 2) / 2 + w * w / 8
        return k * plus, max(lost, -k * plus), k * energy

    def factors(self, pieces, rates, a, sign):
        psi, before, out = REAL(0), None, []
        for i, (_, direction) in enumerate(pieces):
            if np.any(direction):
                if before is not None:
                    turn = np.cross(before, direction)
                    angle = np.arctan2(np.sqrt(turn @ turn), before @ direction)
                    angle = np.sqrt(angle * angle + REAL(1e-16)) - REAL(1e-8)
                    psi += sign * REAL(a["friction"]) * angle * np.tanh(sum(rates[i:]) / REAL(a.get("slip_speed", 1e-3)))
                before = direction
            out.append(np.exp(psi))
        return out

    def terms(self, qd, u_of):
        """Parts of tau, and what is stored. u_of: the input of an actuator's or a spring's name."""
        n = self.robot.n
        elastic, damping, energy = np.zeros(n, REAL), np.zeros(n, REAL), REAL(0)
        tendons = [a for a in self.robot.actuators if a["type"] == "tendon"]
        for a, pieces, length, rest in zip(tendons, self.tendons, self.lengths()[0], self.rests[0]):
            slopes = [gradient(x, n) for x, _ in pieces]
            rates = [g @ qd for g in slopes]
            tension = u_of(a["name"])
            if is_length(a):
                stored, lost, held = self.law(a, length, sum(rates), tension, rest)
                elastic -= stored * sum(slopes)
                damping -= lost * sum(slopes)
                energy, tension = energy + held, stored + lost
            if a.get("friction"):
                factors = self.factors(pieces, rates, a, -1 if tension < 0 else 1)
                damping -= tension * sum((f - 1) * g for f, g in zip(factors, slopes))
        for s, piece, rest in zip(self.robot.document.get("springs", []), self.springs, self.rests[1]):
            slope, k = gradient(piece[0], n), REAL(s.get("stiffness", 0))
            stretch = piece[0][0][0] - REAL(s["rest"] if "rest" in s else rest) - (u_of(s["channel"]) if "channel" in s else 0)
            elastic -= k * stretch * slope
            damping -= REAL(s.get("damping", 0)) * (slope @ qd) * slope
            energy += k * stretch * stretch / 2
        return elastic, damping, energy


def difference(f, x):
    """df/dx [n][len(x)]."""
    columns = []
    for i in range(len(x)):
        moved = lambda h: f(np.concatenate([x[:i], [x[i] + h], x[i + 1:]]))
        columns.append((8 * (moved(STEP) - moved(-STEP)) - (moved(2 * STEP) - moved(-2 * STEP))) / (12 * STEP))
    return np.stack(columns, axis=1)
