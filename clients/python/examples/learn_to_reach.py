#!/usr/bin/env python3
"""A network that throws the tip of a tentacle to where it is told, and holds it there: PyTorch trains it through the runs.

The network gets a place in the plane, and gives the tensions of three cables at four times of a run of half a second.
What is to be small is how far the tip is from the place at the end of the run, and how fast it is. Every step of
training runs the tentacle once for each of eight places, forward and back; places that it was never told show what the
network has learnt.

    learn_to_reach.py [--url http://127.0.0.1:8080] [--steps 50] [-o learn_to_reach.png]
"""
import argparse

import numpy as np
import torch

import tendril

CABLES = {f"cable{k}": (np.cos(angle), np.sin(angle)) for k, angle in enumerate(2 * np.pi / 3 * np.arange(3))}
TENTACLE = {
    "format": "tendril.model/1", "name": "tentacle", "gravity": [0, 0, -9.81],
    "links": [{"name": "arm", "pose": {"rpy": [0, np.pi / 2, 0]}, "joint": {"type": "fixed"},
               "body": {"type": "rod", "length": 0.3, "section": {"shape": "circle", "radius": [0.012, 0.006]},
                        "material": {"young": 4e5, "poisson": 0.45, "density": 1070, "viscosity": 5000},
                        "strain": {"basis": "legendre", "order": {"bending_y": 3, "bending_z": 3}}, "quadrature": {"points": 7}}}],
    "actuators": [{"name": name, "type": "tendon", "link": "arm",
                   "routing": {"type": "linear", "base": [0.01 * y, 0.01 * z], "tip": [0.005 * y, 0.005 * z]}} for name, (y, z) in CABLES.items()]}
END, MOMENT, STRONGEST, REACH = 0.5, 0.02, 3.0, 0.12  # s, s, N, m
RUN = {"kind": "dynamics", "model": TENTACLE, "t_end": END, "integrator": {"h": 0.004}, "output": {"dt": MOMENT},
       "inputs": {name: {"type": "table", "t": np.linspace(0, END, 5), "value": np.zeros(5)} for name in CABLES}}
LATER = [f"/job/inputs/{name}/value/{k}" for name in CABLES for k in range(1, 5)]  # it hangs at first
TIP = {"field": "poses:arm@1", "select": [[0, 3], [1, 3]], "at": [END - MOMENT, END]}


def places(count, seed):
    """Within a circle about where the tip hangs, m [count, 2]."""
    random = np.random.default_rng(seed)
    angle, distance = random.uniform(0, 2 * np.pi, count), REACH * np.sqrt(random.uniform(0, 1, count))
    return torch.tensor(np.stack([distance * np.cos(angle), distance * np.sin(angle)], 1))


def misses(throw, network, goals):
    """How far the tip is from its goals at the end, and how far it still goes in a moment, m [goals, 2]."""
    before, end = throw(STRONGEST * network(goals / REACH)).unbind(1)
    return end, torch.stack([(end - goals).norm(dim=1), (end - before).norm(dim=1)], 1)


def train(throw, network, steps):
    optimiser = torch.optim.Adam(network.parameters(), lr=0.02)
    losses = []
    for step in range(steps):
        _, off = misses(throw, network, places(8, step))
        loss = (off / REACH).square().sum(1).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
        if step % 10 == 0 or step == steps - 1:
            print(f"step {step:3}: loss {losses[-1]:.5f}")
    return losses


def draw(path, losses, goals, first, last):
    try:
        import matplotlib
        matplotlib.use("agg")
        import matplotlib.pyplot as plt
    except ImportError:
        print("no picture: matplotlib is not installed")
        return
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
    left.semilogy(losses)
    left.set(xlabel="step of training", ylabel="loss")
    for tips, colour, label in ((first, "lightgrey", "before training"), (last, "tab:blue", "after it")):
        right.plot(*np.stack([1e3 * goals, 1e3 * tips]).transpose(2, 0, 1), color=colour, linewidth=1)
        right.scatter(*(1e3 * tips.T), color=colour, s=25, label=f"tip at the end, {label}")
    right.scatter(*(1e3 * goals.T), color="black", marker="x", label="goals it was never told")
    right.set(xlabel="x [mm]", ylabel="y [mm]", aspect="equal")
    right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12))
    figure.savefig(path, dpi=150)
    print(path)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--url")
    arguments.add_argument("--steps", type=int, default=50)
    arguments.add_argument("-o", "--output", default="learn_to_reach.png")
    given = arguments.parse_args()
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    network = torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, len(LATER)), torch.nn.Softplus())
    with tendril.Client(given.url) as client:
        throw = client.differentiable(RUN, LATER, TIP).torch
        goals = places(16, 10**6)
        with torch.no_grad():
            first, before = misses(throw, network, goals)
        losses = train(throw, network, given.steps)
        with torch.no_grad():
            last, after = misses(throw, network, goals)
    print(f"goals that it was never told are missed by {1e3 * after[:, 0].mean():.1f} mm (at first {1e3 * before[:, 0].mean():.1f}), "
          f"at {1e3 / MOMENT * after[:, 1].mean():.0f} mm/s (at first {1e3 / MOMENT * before[:, 1].mean():.0f})")
    draw(given.output, losses, goals.numpy(), first.numpy(), last.numpy())


if __name__ == "__main__":
    main()
