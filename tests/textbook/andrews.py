"""Andrews' squeezing mechanism: seven bodies, three loops, thousands of radians per second

A motor of 0.033 N m drives a planar linkage of seven bodies with a stiff spring for 0.03 s, in which the crank turns two and a half
times. Angles of millimetre parts reach rates of 1400 rad/s. The three loops are hinges: of their fifteen rows six are independent.

Source: E. Hairer and G. Wanner, *Solving Ordinary Differential Equations II*, section VII.7; reference solution at 0.03 s from the test
set for IVP solvers (F. Mazzia and C. Magherini, University of Bari; PSIDE at 1e-14, 16 digits).

Tolerance: 1e-3 rad for angles at the default tolerances (the crank makes 2.5 turns), 1e-3 of the largest rate; rk45 at 1e-9: 1e-5.
"""
import numpy as np

from support.models import link, model, rigid
from support.rows import Row

KIND = "published"
NAMES = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")
START = np.array([-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550, -0.222668390165885885,
                  1.23054744454982119])
END = np.array([15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
                1.048080741042263])
RATES = np.array([1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385, 0.5735699284790808, -19.29337464421385,
                  0.3231791658026955])
A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)


def robot():
    hinge = {"type": "revolute", "axis": "z"}

    def body(mass, x, y, inertia):
        return rigid(mass, (x, y, 0), (inertia, inertia, inertia))

    def at(x, y):
        return {"pose": {"translation": [x, y, 0]}}

    # Angles of Hairer & Wanner: K2 is counted from K1 and points backwards, K4 and K7 hang along -y of their frames.
    links = [link("K1", hinge, body(0.04325, 0.00092, 0, 2.194e-6)),
             link("K2", hinge, body(0.00365, -0.0115, 0, 4.410e-7), "K1", **at(0.007, 0)),
             link("K3", hinge, body(0.02373, 0.01874, 0.01043, 5.255e-6), **at(*B)),
             link("K5", hinge, body(0.07050, 0.02308, 0.00916, 1.169e-5), **at(*A)),
             link("K4", hinge, body(0.00706, 0, -(0.02 - 0.01421), 5.667e-7), "K5", **at(0.04, 0)),
             link("K7", hinge, body(0.05498, 0.00449, -0.01228, 1.912e-5), **at(*A)),
             link("K6", hinge, body(0.00706, 0.02 - 0.01421, 0, 5.667e-7), "K7", **at(0, -0.04))]
    end = {"link": "K2", **at(-0.028, 0)}
    loops = [{"a": end, "b": {"link": name, **at(*place)}, "joint": hinge}
             for name, place in (("K3", (0, -0.035)), ("K4", (0, -0.02)), ("K6", (0.02, 0)))]
    spring = {"name": "spring", "a": {"link": "K3", **at(0.02, -0.018)}, "b": {"link": "world", **at(*C)}, "stiffness": 4530,
              "rest": 0.07785}
    return model(links, loops=loops, springs=[spring], actuators=[{"name": "motor", "type": "joint", "link": "K1", "mode": "force"}])


ORDER = [0, 1, 2, 4, 3, 6, 5]  # of our coordinates in theirs: K1 K2 K3 K5 K4 K7 K6


def measure(desk):
    rows, kept = [], None
    for name, integrator, tight in (("defaults", {}, 1.0), ("rk45, 1e-9", {"method": "rk45", "rtol": 1e-9, "atol": 1e-12}, 1e-2)):
        result = desk.run(robot(), 0.03, ("q", "qd"), dt=0.0003, inputs={"motor": 0.033}, initial={"q": START[ORDER].tolist()},
                          integrator=integrator)
        q, qd = np.empty_like(result["q"]), np.empty_like(result["q"])
        q[:, ORDER], qd[:, ORDER] = result["q"], result["qd"]
        kept = kept or (result.t, q)
        rows += [Row(f"seven angles at 0.03 s, {name}", q[-1], END, 1e-3 * tight, "rad", scale=1),
                 Row(f"seven rates at 0.03 s, {name}", qd[-1], RATES, 1e-3 * tight, "rad/s")]

    def draw(figure):
        axes = figure.subplots()
        for i in range(2, 7):
            axes.plot(kept[0], kept[1][:, i], lw=1, label=NAMES[i]), axes.plot(0.03, END[i], "kx", ms=4)
        axes.set(xlabel="t, s", ylabel="rad", title="crosses: reference"), axes.legend(fontsize=7)

    return rows, draw
