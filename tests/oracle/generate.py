"""generate.py [NAME...]: writes ../published/oracle/NAME.json for the robots of models.py (all by default)."""

import json
import pathlib
import sys

import numpy as np

import constrained_models
import models
from magnets import channel_count
from quantities import Robot, State, evaluate

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "published" / "oracle"
NOTE = ("Computed by tests/oracle in 80-bit arithmetic from the forward kinematics alone: Taylor arithmetic, no recursion, "
        "no analytic derivative.")
SIZES = (1e-3, 0.5, 3.0)
WIDEST = 2.8
LEFT_OUT = ("poses", "jacobians", "tendons", "tau_terms", "residual")  # of robots whose trees models.py covers
PI = float(np.pi)
SPECIAL = {"angles_near_multiples_of_pi": [
    [0] * 12, [1e-9] * 12, [PI, 0, 0, 1.5, 2, -1, 0, PI, 0, .1, .2, .3],
    [5.8 * .6, 0, 5.8 * .8, 3, 3, 3, 1e-5, -2e-5, 1e-5, 1, 2, 3]]}
BIGGEST = 150_000


def draw(rng, count, size):
    return [round(float(x), 6) for x in rng.uniform(-size, size, count)]


def widest_loop(robot, q):
    """The largest angle between the ends of a loop: its logarithm is not smooth at pi."""
    s = State(robot, {"q": q})
    poses = [x.relative(s.first)[0, 0] for x in s.constraints.loops]
    return max((np.arccos(np.clip((np.trace(g) - 2) / 2, -1, 1)) for g in poses), default=0)


def coordinates(robot, rng, size):
    for _ in range(100):
        q = draw(rng, robot.n, size)
        if widest_loop(robot, q) < WIDEST:
            return q
    raise AssertionError("no state with loops well below pi")


def states(robot, name):
    """Coordinates of 1e-3, about 0.5 and about 3; tendons pull, other channels push either way."""
    rng = np.random.default_rng(sum(name.encode()))
    chosen = SPECIAL.get(name) or [coordinates(robot, rng, size) for size in SIZES]
    for q in chosen:
        assert len(q) == robot.n, (name, robot.n)
        u = []
        for a in robot.actuators:
            tendon = a["type"] == "tendon"
            if a["type"] == "field":
                u += draw(rng, channel_count(robot, a), 0.5)
                continue
            size = 0.02 if a.get("mode") == "length" else 10
            u += [abs(x) for x in draw(rng, 1, size)] if tendon else draw(rng, robot.links[a["link"]].joint_dof, 2)
        loads = sum(c is not None for d in robot.loads for c in d.get("channels", []))
        rests = sum("channel" in d for d in robot.document.get("springs", []))
        flows = sum(c is not None for c in robot.document.get("fluid", {}).get("channels", []))
        yield {"q": q, "qd": draw(rng, robot.n, 2), "qdd": draw(rng, robot.n, 8), "u": u + draw(rng, loads, 3) + draw(rng, rests, 0.02) + draw(rng, flows, 3)}


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return np.asarray(value, float).tolist()


def expected(robot, state, document, baumgarte):
    out = plain(evaluate(robot, state, baumgarte))
    trees = not any(document.get(k) for k in ("loops", "contacts")) and "hydrodynamics" not in json.dumps(document) and "lambda" not in out
    return out if trees or document["name"] == "buoyancy" else {k: v for k, v in out.items() if k not in LEFT_OUT}


def write(build):
    document = build()
    robot, baumgarte = Robot(document), constrained_models.BAUMGARTE.get(document["name"], 0.01)
    out = {"note": NOTE, "baumgarte": baumgarte, "model": document, "ndof": robot.n, "states": []}
    for state in states(robot, document["name"]):
        out["states"].append({**state, "expect": expected(robot, state, document, baumgarte)})
    text = json.dumps(out, separators=(",", ":"), allow_nan=False)
    if len(text) >= BIGGEST:  # the bulkiest quantity goes first
        for state in out["states"]:
            state["expect"].pop("jacobians", None)
        text = json.dumps(out, separators=(",", ":"), allow_nan=False)
    assert len(text) < BIGGEST, (document["name"], robot.n, len(text))
    (FOLDER / f"{document['name']}.json").write_text(text + "\n")
    worst = max(condition(s["expect"]["mass"]) for s in out["states"])
    touching = [bool(np.any(s["expect"].get("id_terms", {}).get("contact", 0))) for s in out["states"]]
    assert not document.get("contacts") or sum(touching) > 1, f"{document['name']} touches nothing"
    print(f"{document['name']}: ndof {robot.n}, {len(text)} bytes, condition of the scaled mass matrix {worst:.1e}",
          f"touching {touching}" if any(touching) else "", flush=True)


def condition(mass):
    mass = np.array(mass)
    scale = 1 / np.sqrt(np.diag(mass))
    return np.linalg.cond(mass * np.outer(scale, scale))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for f in models.FUNCTIONS + constrained_models.FUNCTIONS:
        if len(sys.argv) == 1 or f.__name__ in sys.argv[1:]:
            write(f)
