"""Bricard's mechanism: five bars that move although a count says that they cannot

Five bars of 1 m and 1 kg and the ground form a hexagon along the edges of a cube; neighbours are joined by hinges at right angles. The
Gruebler count is 0, the mobility 1: one row of the loop depends on the others, but only in closed positions. It falls from rest, 10 s.

Source: IFToMM library of computational benchmark problems, A04 «Bricard's mechanism». The motion is known otherwise: angles come in
threes, cos(a/2) cos(b/2) = 1/2, which makes a closed curve; its kinetic and potential energy as Fourier series give one equation of
motion (numpy, 1e-12).

Tolerance: the benchmark asks for an energy error of 1e-3 J; place of P3 to 1e-3 m after 10 s.
"""
import numpy as np

from support.models import link, model, rigid
from support.ode import solve
from support.rows import Row

KIND = "solver (exact mechanics)"
G, T = 9.81, 10.0
AXES = ("y", "z", "x", "y", "z")
BARS = np.array([[1, 0, 0], [0, -1, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0]], float)


def points(q):
    """P0 … P5 [N, 6, 3] of joint angles [N, 5]."""
    q = np.asarray(q, float)
    R, p = np.tile(np.eye(3), (len(q), 1, 1)), [np.zeros((len(q), 3))]
    for i, axis in enumerate(AXES):
        c, s, k = np.cos(q[:, i]), np.sin(q[:, i]), "xyz".index(axis)
        turn = np.zeros((len(q), 3, 3))
        a, b = (k + 1) % 3, (k + 2) % 3
        turn[:, k, k], turn[:, a, a], turn[:, b, b], turn[:, a, b], turn[:, b, a] = 1, c, c, -s, s
        R = R @ turn
        p.append(p[-1] + R @ BARS[i])
    return np.stack(p, 1)


def signs():
    """Signs of the three angles a (joints 1, 3, 5) and the two b (2, 4) for which the hexagon stays closed."""
    a, b = curve(np.array([0.7]))
    best = None
    for code in range(32):
        s = [1 - 2 * (code >> i & 1) for i in range(5)]
        q = start_angles(a, b, s)
        gap = np.abs(points(q)[:, 5] - [0, 0, 1]).max()
        best = min(best or (9, s), (gap, s))
    assert best[0] < 1e-9, best
    return best[1]


def curve(phi):
    """(a, b) on cos(a/2) cos(b/2) = 1/2: polar coordinates about (0, 0), the radius by Newton; there a = b = 90 degrees at phi = pi/4."""
    r = np.full_like(phi, 2.0)
    c, s = np.cos(phi), np.sin(phi)
    for _ in range(60):
        f = np.cos(r * c / 2) * np.cos(r * s / 2) - 0.5
        slope = -c / 2 * np.sin(r * c / 2) * np.cos(r * s / 2) - s / 2 * np.cos(r * c / 2) * np.sin(r * s / 2)
        r = r - f / slope
    return r * c, r * s


def start_angles(a, b, s):
    """Joint angles are counted from the cube, where a = b = pi/2."""
    return np.stack([s[0] * (a - np.pi / 2), s[1] * (b - np.pi / 2), s[2] * (a - np.pi / 2), s[3] * (b - np.pi / 2),
                     s[4] * (a - np.pi / 2)], -1)


def reference(times, n=256):
    """Points P [N, 6, 3] over time."""
    phi, s = 2 * np.pi * np.arange(n) / n, signs()
    p = points(start_angles(*curve(phi), s))
    k = np.fft.fftfreq(n, 1 / n)
    dp = np.fft.ifft(1j * k[:, None, None] * np.fft.fft(p, axis=0), axis=0).real
    mass = sum((dp[:, i] ** 2 + dp[:, i] * dp[:, i + 1] + dp[:, i + 1] ** 2).sum(1) for i in range(5)) / 3
    height = G * sum(p[:, i, 1] + p[:, i + 1, 1] for i in range(5)) / 2
    m_hat, v_hat = np.fft.fft(mass) / n, np.fft.fft(height) / n

    def series(hat, x, slope=False):
        return (hat * (1j * k if slope else 1) * np.exp(1j * k * x)).sum().real

    def rate(t, y):
        return np.array([y[1], -(series(m_hat, y[0], True) / 2 * y[1] ** 2 + series(v_hat, y[0], True)) / series(m_hat, y[0])])

    found = solve(rate, [np.pi / 4, 0.0], times, 1e-11)
    return points(start_angles(*curve(found[:, 0]), s))


def robot():
    links = []
    for i, axis in enumerate(AXES):
        along = int(np.argmax(np.abs(BARS[i])))
        inertia = [1 / 12] * 3
        inertia[along] = 1e-7
        more = {"pose": {"translation": BARS[i - 1].tolist()}} if i else {}
        links.append(link(f"bar{i}", {"type": "revolute", "axis": axis}, rigid(1.0, BARS[i] / 2, inertia),
                          f"bar{i - 1}" if i else None, **more))
    loop = {"a": {"link": "bar4", "pose": {"translation": BARS[4].tolist()}}, "b": {"link": "world", "pose": {"translation": [0, 0, 1]}},
            "joint": {"type": "revolute", "axis": "x"}}
    return model(links, (0, -G, 0), loops=[loop])


def measure(desk):
    rows, kept = [], []
    exact = None
    for name, integrator in (("defaults", {}), ("dae", {"method": "dae"}), ("bdf", {"method": "bdf"})):
        try:
            result = desk.run(robot(), T, ("q", "energy"), dt=0.05, integrator=integrator)
        except Exception as error:
            if name != "dae":
                raise
            rows.append(Row(f"place of P3 over 10 s, {name}", np.nan, 0, 1e-3, "m", scale=1, unmet=str(error).split("is failed: ")[-1][:120]))
            continue
        exact = reference(result.t) if exact is None else exact
        ours, energy = points(result["q"])[:, 3], result["energy"].sum(1)
        kept.append((name, result.t, ours))
        rows += [Row(f"place of P3 over 10 s, {name}", ours, exact[:, 3], 1e-3, "m", scale=1),
                 Row(f"energy over 10 s, {name}", energy, np.full(len(energy), energy[0]), 1e-3, "J", scale=1)]

    def draw(figure):
        axes = figure.subplots()
        for name, t, ours in kept:
            axes.plot(t, ours[:, 0], lw=1, label=name)
        axes.plot(t, exact[:, 3, 0], "k:", lw=1, label="one equation")
        axes.set(xlabel="t, s", ylabel="x of P3, m"), axes.legend()

    return rows, draw
