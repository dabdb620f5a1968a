"""Hanging chain: frequencies of a chain of point masses and of a hanging rope

N equal masses on N massless bars hang as an N-fold pendulum: the squared frequencies are g/l times the zeros of Laguerre's polynomial
L_N. A rope is the limit: j_0,k/2 sqrt(g/L) (Bernoulli); here a rod of hardly any bending stiffness.

Source: D. Bernoulli 1733; H. Lamb, *Dynamics*, chapter XI; the zeros are eigenvalues of Laguerre's Jacobi matrix. Zeros of J_0: 2.404826,
5.520078, 8.653728.

Tolerance: rounding for the chain (1e-9); for the rope 1 %, since what bending stiffness it has counts near the clamped end.
"""
import numpy as np

from support.desk import frequencies
from support.models import DOWN, link, model, rigid, rod
from support.rows import Row

KIND = "exact"
N, G = 8, 9.81


def measure(desk):
    bead = rigid(1.0, (0, 0, -1.0), (1e-12, 1e-12, 1e-12))
    links = [link(f"bar{i}", {"type": "revolute", "axis": "y"}, bead, f"bar{i - 1}" if i else None,
                  **({"pose": {"translation": [0, 0, -1]}} if i else {})) for i in range(N)]
    ours = frequencies(desk.linearize(model(links, (0, 0, -G)))["A"][0])
    jacobi = np.diag(2 * np.arange(N) + 1.0) + np.diag(np.arange(1.0, N), 1) + np.diag(np.arange(1.0, N), -1)
    exact = np.sqrt(G * np.linalg.eigvalsh(jacobi))
    rope = model([link("rod", body=rod(1, 0.002, 1e5, {"bending_y": 8}), pose=DOWN)], (0, 0, -G))
    A = desk.linearize(rope)["A"][0]
    slow = frequencies(A)[:3]
    zeros = np.array([2.404826, 5.520078, 8.653728]) / 2 * np.sqrt(G)
    rows = [Row(f"{N} frequencies of {N} masses", ours, exact, 1e-9, "rad/s"),
            Row("three frequencies of a rope", slow, zeros, 0.01, "rad/s")]

    def draw(figure):
        axes = figure.subplots()
        axes.plot(np.arange(1, N + 1), exact, "kx", label="zeros of Laguerre's polynomial"), axes.plot(np.arange(1, N + 1), ours,
                                                                                                       "C0o", mfc="none", label="Tendril, 8 masses")
        axes.plot([1, 2, 3], zeros, "k+", label="zeros of J₀"), axes.plot([1, 2, 3], slow, "C1o", mfc="none", label="Tendril, soft rod")
        axes.set(xlabel="mode", ylabel="rad/s"), axes.legend()

    return rows, draw
