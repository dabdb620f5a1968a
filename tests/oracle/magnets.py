"""Magnetised bodies in the fields that actuators of type `field` make: their potential -sum mu.B(p), and nothing else.

tau is minus its gradient and dtau/dq minus its Hessian, by Taylor arithmetic; B is linear in u, so that unit fields give dtau/du.
"""

import numpy as np

from profiles import REAL, real
from robot import rigid_inertia

GRADIENT = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2))


def channel_count(robot, actuator):
    if actuator["type"] == "field":
        return 8 if actuator.get("gradient") else 3
    return 1 if actuator["type"] == "tendon" else robot.links[actuator["link"]].joint_dof


def field(values):
    """B0 [3] and G [3][3] of the inputs of one actuator."""
    values = [*values, *[0] * (8 - len(values))]
    b, g = real(values[:3]), np.zeros((3, 3), REAL)
    for (i, j), x in zip(GRADIENT, values[3:]):
        g[i, j] = g[j, i] = x
    g[2, 2] = -g[0, 0] - g[1, 1]
    return b, g


def dipoles(robot):
    """(link, computational point, place in its frame, moment in its frame)."""
    for name, link in robot.links.items():
        body = link.document.get("body") or {}
        if "magnetisation" not in body:
            continue
        m = real(body["magnetisation"])
        if not link.rod:
            yield name, 0, rigid_inertia(body)[1], m
            continue
        for k, (s, w) in enumerate(zip(link.rod.s, link.rod.weight)):
            if w != 0:
                yield name, k, real([0, 0, 0]), w * link.rod.moments(s)[0] * m


def potential(robot, posture, values):
    b, g = field(values)
    total = posture.algebra.lift(0, posture.q.shape[1])
    for name, k, place, m in dipoles(robot):
        pose = posture.points[name][k]
        moment, p = np.matmul(pose[..., :3, :3], m), np.matmul(pose[..., :3, :3], place) + pose[..., :3, 3]
        pull = np.matmul(p, g)
        total = total - np.matmul(moment, b) - sum(posture.algebra.product(moment[..., i], pull[..., i]) for i in range(3))
    return total
