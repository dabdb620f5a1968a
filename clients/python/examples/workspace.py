#!/usr/bin/env python3
"""Where the tip of the cable-driven arm can rest: equilibria for 500 random tensions in one job, drawn from above and aside.

    workspace.py [--url http://127.0.0.1:8080] [--points 500] [-o workspace.png]
"""
import argparse

import numpy as np

import tendril


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--url")
    arguments.add_argument("--points", type=int, default=500)
    arguments.add_argument("-o", "--output", default="workspace.png")
    given = arguments.parse_args()
    with tendril.Client(given.url) as client:
        channels = client.models.put(client.example("cdm")["model"])["channels"]
        tensions = np.random.default_rng(1).uniform(0, 15, (given.points, 3))  # N; the three straight cables
        order = np.argsort(tensions[:, 0])  # neighbours make good first guesses
        inputs = dict(zip(channels[:3], tensions[order].T))
        result = client.run(model="cdm", kind="statics", inputs=inputs, progress=True)
        solved = result["converged"].astype(bool)
        tips = client.evaluate("cdm", result["q"][solved], want="poses")["poses/arm"][:, -1, :3, 3]
    print(f"{solved.sum()} of {given.points} equilibria; the tip is within x {1e3 * tips[:, 0].min():.0f} … "
          f"{1e3 * tips[:, 0].max():.0f}, y {1e3 * tips[:, 1].min():.0f} … {1e3 * tips[:, 1].max():.0f}, "
          f"z {1e3 * tips[:, 2].min():.0f} … {1e3 * tips[:, 2].max():.0f} mm")
    try:
        import matplotlib
        matplotlib.use("agg")
        import matplotlib.pyplot as plt
    except ImportError:
        print("no picture: matplotlib is not installed")
        return
    figure, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
    for at, (a, b) in zip(axes, ((0, 1), (0, 2))):
        points = at.scatter(1e3 * tips[:, a], 1e3 * tips[:, b], c=result["u"][solved].sum(1), s=8)
        at.set(xlabel=f"{'xyz'[a]} [mm]", ylabel=f"{'xyz'[b]} [mm]", aspect="equal")
    figure.colorbar(points, label="sum of tensions [N]")
    figure.savefig(given.output, dpi=150, bbox_inches="tight")
    print(given.output)


if __name__ == "__main__":
    main()
