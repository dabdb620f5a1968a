#!/usr/bin/env python3
"""A model predictive loop on a soft arm: every 20 ms the server gives the step from where the robot is, with its derivatives, and
the next cable tensions come from a bounded least-squares problem over that linear model. The plant is the nonlinear step itself.

    control_loop.py [--url http://127.0.0.1:8080 | grpc://127.0.0.1:8081] [--steps 100]

Over gRPC the evaluations go through one stream; over HTTP through a kept connection. Needs numpy only.
"""
import argparse
import time

import numpy as np

import tendril

DT, CABLES, HORIZON = 0.02, 3, 3  # s, cables that are used, steps looked ahead

ARM = {
    "format": "tendril.model/1", "name": "mpc_arm", "gravity": [0, 0, -9.81],
    "links": [{"name": "arm", "pose": {"rpy": [0, np.pi / 2, 0]}, "joint": {"type": "fixed"},
               "body": {"type": "rod", "length": 0.4, "section": {"shape": "circle", "radius": 0.015},
                        "material": {"young": 3e5, "poisson": 0.5, "density": 1000, "viscosity": 3e3},
                        "strain": {"basis": "legendre", "order": {"bending_y": 1, "bending_z": 1}}}}],
    "actuators": [{"name": f"cable{k}", "type": "tendon", "link": "arm",
                   "routing": {"type": "linear", "base": [0.013 * np.cos(a), 0.013 * np.sin(a)]}}
                  for k, a in enumerate(2 * np.pi * np.arange(CABLES) / CABLES)],
}


def tip(now):
    """[2] where the tip is, x and y in m, and its Jacobian [2, ndof] in the world's axes."""
    pose, jacobian = now["poses/arm"][-1], now["jacobians/arm"][-1]
    return pose[:2, 3], (pose[:3, :3] @ jacobian[3:])[:2]


def goal(k):
    """[2] where the tip should be at step k, m: once around a circle of 50 mm in 2 s."""
    return 0.05 * np.array([np.cos(np.pi * k * DT), np.sin(np.pi * k * DT)])


def plan(now, x, u, there):
    """[CABLES] tensions (N) that bring the tip closest to `there` at the end of the horizon, if they were held: the step linearised
    where the robot is,  x+ = x_next + A (x - x0) + B (u - u0),  then a few steps of projected gradient for 0 <= u <= 20."""
    n, (here, jacobian) = len(x) // 2, tip(now)
    free, forced = np.zeros(2 * n), np.zeros((2 * n, CABLES))  # where x goes by itself, and per newton
    for _ in range(HORIZON):
        free = now["dx_next_dx"] @ free + now["x_next"] - x
        forced = now["dx_next_dx"] @ forced + now["dx_next_du"]
    effect, gap = jacobian @ forced[:n], there - here - jacobian @ free[:n]
    hessian = effect.T @ effect + 1e-7 * np.eye(CABLES)
    slope, next_u, rate = effect.T @ (gap + effect @ u), u.copy(), 1 / np.linalg.norm(hessian, 2)
    for _ in range(300):
        next_u = np.clip(next_u + rate * (slope - hessian @ next_u), 0, 20)
    return next_u


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--url")
    arguments.add_argument("--steps", type=int, default=100)
    given = arguments.parse_args()
    with tendril.Client(given.url) as client:
        ndof = client.models.put(ARM)["ndof"]
        x, u, times, errors = np.zeros(2 * ndof), np.zeros(CABLES), [], []
        want = ["x_next", "dx_next_dx", "dx_next_du", "poses", "jacobians"]
        with client.stream("mpc_arm", want=want, step=DT) as at:
            for k in range(given.steps):
                start = time.perf_counter()
                now = at(x[:ndof], x[ndof:], u)
                times.append(time.perf_counter() - start)
                errors.append(np.linalg.norm(tip(now)[0] - goal(k)))
                u = plan(now, x, u, goal(k + HORIZON))
                x = at(x[:ndof], x[ndof:], u)["x_next"]
        late = errors[given.steps // 2:]
        print(f"evaluation of {', '.join(want)}: median {1e6 * np.median(times):.0f} us")
        print(f"distance of the tip from its goal on a circle of 50 mm: {1e3 * errors[0]:.1f} mm at first, "
              f"{1e3 * np.mean(late):.1f} mm in the second half")


if __name__ == "__main__":
    main()
