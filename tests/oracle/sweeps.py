"""Sweeps of the forward kinematics through Taylor arithmetic, and what body frames have to say about them.

In the infinitesimal a, q + a e_i for every i gives body Jacobians J_i = vee(g^-1 dg/da); in (a, b), q + a e_i + b e_j for every
pair also dJ_i/dq_j; in (t, b), q(t) = q + t qd + t^2/2 qdd with b on a coordinate or on a velocity, how velocities and
accelerations change.
"""

import numpy as np

from forces import MOTION
from robot import Posture
from taylor import FIRST, POINT, Algebra, inverse_pose, vee

PAIR = Algebra(1, 1)
A, B, AB = (1, 0), (0, 1), (1, 1)


def still(robot, q):
    return Posture(robot, POINT, POINT.lift(q, 1))


def first(robot, q):
    series = FIRST.lift(q, robot.n)
    series[1] += np.eye(robot.n, dtype=series.dtype)
    return Posture(robot, FIRST, series)


def pairs(robot, q):
    n = robot.n
    series = PAIR.lift(q, n * n)
    i, j = np.divmod(np.arange(n * n), n)
    series[PAIR.index[A], np.arange(n * n), i] += 1
    series[PAIR.index[B], np.arange(n * n), j] += 1
    return Posture(robot, PAIR, series)


def motion(robot, q, qd, qdd, direction):
    """Batch entry j: coordinate j (direction 0) or its velocity (direction 1) moved by b; direction None: nothing moved."""
    n = robot.n
    series = MOTION.lift(q, n if direction is not None else 1)
    series[MOTION.index[A]] += qd
    series[MOTION.index[2, 0]] += qdd / 2
    if direction is not None:
        series[MOTION.index[direction, 1], np.arange(n), np.arange(n)] += 1
    return Posture(robot, MOTION, series)


def body_rate(algebra, g):
    """g^-1 dg as twists, d along the first infinitesimal."""
    return vee(algebra.matmul(inverse_pose(algebra, g), algebra.derivative(g, 0)))


def base_rate(algebra, g):
    """dg g^-1."""
    return vee(algebra.matmul(algebra.derivative(g, 0), inverse_pose(algebra, g)))


def jacobian(rate, g):
    """J [6][n] from the sweep over coordinates."""
    return rate(FIRST, g)[0].T


def hessian(rate, g, n):
    """dJ/dq [6][n][n] from the sweep over pairs."""
    return np.moveaxis(rate(PAIR, g)[PAIR.index[B]].reshape(n, n, 6), 2, 0)
