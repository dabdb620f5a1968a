"""The same 500 random calls over REST in JSON, REST in NPZ, gRPC and a gRPC stream: every number with the same bits.

Random are the robot (the shipped ones and a pendulum), the quantities, how many states, which of their parts are given, their size, the
parameters and the factors of products where they are wanted; some states are beyond what can be computed, and fail alike on every way."""
import collections
import json
import os
import unittest

import grpc
import numpy as np
import yaml

import harness
from grpc_client import dynamics, dynamics_grpc
from harness import SOURCE, Server, example, npz, pendulum

CALLS = 500
PARTS = ("q", "qd", "qdd", "u")


def quantities():
    with open(os.path.join(SOURCE, "api", "openapi.yaml"), encoding="utf-8") as file:
        return yaml.safe_load(file)["components"]["schemas"]["Quantity"]["enum"]


def places(model):
    """Numbers of a model to differentiate by, some affine and some not: [paths]."""
    found = ["/model/gravity"] if "gravity" in model else []
    for i, link in enumerate(model["links"]):
        body = link.get("body", {})
        found += [f"/model/links/{i}/body/{key}" for key in ("length", "mass", "com", "young") if key in body]
        found += [f"/model/links/{i}/body/material/{key}" for key in ("young", "density") if key in body.get("material", {})]
    return found


def flat(state):
    """A JSON state by the names of NPZ and gRPC."""
    out = {}
    for name, value in state.items():
        for key, part in {f"{name}/{part}": inner for part, inner in value.items()}.items() if isinstance(value, dict) else [(name, value)]:
            out[key] = np.asarray(part, "<f8")
    return out


def told(path, called):
    """A parameter in JSON: one place, or several that share a number."""
    if isinstance(path, str):
        return {"path": path, "name": called} if called else path
    return {"paths": path, **({"name": called} if called else {})}


class FacesAgree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)
        cls.connection = cls.server.connect()
        cls.addClassCleanup(cls.connection.close)
        cls.channel = grpc.insecure_channel(cls.server.ready["grpc"], options=[("grpc.max_receive_message_length", 1 << 30)])
        cls.addClassCleanup(cls.channel.close)
        cls.stub = dynamics_grpc.DynamicsStub(cls.channel)
        robots = [pendulum()] + [example(name["name"] + ".model.json") for name in cls.server.request("GET", "/v1/examples").json()["examples"]]
        cls.robots, cls.places = [], {}
        for model in robots:
            made = cls.server.request("PUT", f"/v1/models/{model['name']}", model).json()
            cls.robots.append((made["name"], made["ndof"], len(made["channels"])))
            cls.places[made["name"]] = places(model)
        cls.quantities = quantities()

    def rest(self, name, body, kind):
        reply = self.server.request_on(self.connection, "POST", f"/v1/models/{name}:evaluate", body, {"Content-Type": kind, "Accept": kind})
        self.assertEqual(reply.status, 200, reply.body[:1000])
        return reply

    def draw(self, random):
        """A call: robot, quantities, arrays by part, and whether a state is meant to fail."""
        weights = np.array([1 / (10 + n) for _, n, _ in self.robots])  # large ones cost much time
        name, n, m = self.robots[random.choice(len(self.robots), p=weights / weights.sum())]
        want = [str(w) for w in random.choice(self.quantities, random.integers(1, 4), replace=False)]
        count = int(random.integers(1, 3))
        arrays = {part: random.uniform(-0.3, 0.3, (count, m if part == "u" else n)) for part in PARTS
                  if part == "q" or random.random() < 0.7}
        if random.random() < 0.05:
            arrays["q"][random.integers(count)] = 1e200
        extra = self.draw_by(random, name, want, arrays, n, m) if {"jvp", "vjp"} & set(want) or any(w.endswith("_dp") for w in want) else {}
        if any("x_next" in w for w in want):
            extra["step"] = {"h": 1e-3, "method": str(random.choice(["euler_implicit", "newmark", "rk4"])), "substeps": int(random.integers(1, 3))}
        baumgarte = float(random.choice([0.0, 0.02, 0.5]))
        return name, want, arrays, {**extra, **({"baumgarte": baumgarte} if baumgarte else {})}

    def draw_by(self, random, name, want, arrays, n, m):
        """Parameters, of three sets for each robot so that some are asked for twice, and the factors of products."""
        choice = np.random.default_rng(int(random.integers(3)))
        paths = [str(path) for path in choice.choice(self.places[name], min(2, len(self.places[name])), replace=False)]
        names = [f"p{i}" if random.random() < 0.5 else "" for i in range(len(paths))]
        np_ = len(self.server.request("POST", f"/v1/models/{name}:evaluate", {"want": ["id"], "parameters": paths, "states": [{"q": [0.0] * n}]}).json()
                  ["parameters"])
        count = len(arrays["q"])
        if "jvp" in want:
            for part, size in (("q", n), ("qd", n), ("u", m), ("p", np_)):
                if random.random() < 0.7:
                    arrays["jvp/" + part] = random.uniform(-1, 1, (count, size))
        if "vjp" in want:
            arrays["vjp/cotangent"] = random.uniform(-1, 1, (count, n))
        return {"parameters": list(zip(paths, names))}

    def test_random_calls_give_the_same_bits_on_every_way(self):
        random, seen = np.random.default_rng(500), collections.Counter()
        for number in range(CALLS):
            name, want, arrays, extra = self.draw(random)
            with self.subTest(call=number, robot=name, want=want):
                seen.update({"robot " + name, *want})
                seen["failed states"] += self.agree(name, want, arrays, extra)
        for key in [*self.quantities, *("robot " + name for name, _, _ in self.robots), "failed states"]:
            self.assertGreater(seen[key], 0, f"{key} was not drawn")

    def test_a_number_of_several_places_has_the_same_bits_on_every_way(self):
        model = pendulum(name="of one silicone")
        model["links"][0]["joint"]["stiffness"] = 3
        model["links"] += [{**model["links"][0], "name": name, "parent": parent} for name, parent in (("second", model["links"][0]["name"]), ("third", "second"))]
        self.server.request("PUT", "/v1/models/silicone", {**model, "name": "silicone"})
        stiffness = [f"/model/links/{k}/joint/stiffness" for k in range(3)]
        want = [w for w in self.quantities if w.endswith("_dp") and "lambda" not in w and "tendons" not in w] + ["jvp", "vjp"]
        random = np.random.default_rng(14)
        arrays = {"q": random.uniform(-1, 1, (2, 3)), "qd": random.uniform(-1, 1, (2, 3)), "jvp/p": random.uniform(-1, 1, (2, 3)), "vjp/cotangent": random.uniform(-1, 1, (2, 3))}
        places = [(stiffness, "k"), ("/model/links/1/body/mass", ""), (["/model/links/0/body/mass", "/model/links/2/body/mass"], "")]
        self.assertEqual(self.agree("silicone", want, arrays, {"parameters": places, "step": {"h": 1e-3, "method": "newmark", "substeps": 2}}), 0)

    def test_what_touches_is_named_on_every_way(self):
        box = {"type": "rigid", "shape": {"type": "box", "size": [0.2, 0.2, 0.2]}, "density": 500}
        contacts = [{"name": "floor", "type": "plane", "links": ["box"], "stiffness": 1e4}, {"type": "sphere", "radius": 0.1, "links": ["box"], "stiffness": 1e3}]
        self.server.request("PUT", "/v1/models/resting", {"format": "tendril.model/1", "name": "resting", "contacts": contacts,
                                                         "links": [{"name": "box", "joint": {"type": "free"}, "body": box}]})
        q = np.array([[0, 0, 0, 0, 0, 0.0995], [0.1, 0.2, 0, 0, 0.01, 0.1]])
        for want in (["contacts", "fd"], ["contact_force"], ["contact_place", "contacts"], ["fd"]):
            self.assertEqual(self.agree("resting", want, {"q": q}, {}), 0)
        reply = self.server.request("POST", "/v1/models/resting:evaluate", {"want": ["contacts"], "states": [{"q": q[0].tolist()}]}).json()
        self.assertEqual(reply["touches"], ["floor.box", "contacts[1].box"])

    def state(self, want, arrays, k):
        """State k of a call as JSON, and as a message but for the names of their types."""
        made = {product: {"of": "fd"} for product in ("jvp", "vjp") if product in want}
        for part, rows in arrays.items():
            product, _, factor = part.rpartition("/")
            (made[product] if product else made)[factor] = rows[k].tolist()
        return made

    def agree(self, name, want, arrays, extra):
        """Asserts that all ways agree; gives the number of states that failed."""
        states = [self.state(want, arrays, k) for k in range(len(arrays["q"]))]
        places, step = extra.pop("parameters", []), extra.pop("step", None)
        by = {"parameters": [told(path, called) for path, called in places]} if places else {}
        by.update({"step": step} if step else {})
        reply = json.loads(self.rest(name, {"want": want, "states": states, **by, **extra}, "application/json").body, parse_int=float)
        by_json = reply["states"]  # -0 keeps its sign
        members = {product + "/of": np.array("fd") for product in ("jvp", "vjp") if product in want}
        members.update({"step/" + key: np.array(value) for key, value in (step or {}).items()})
        if places:
            members.update(parameters=np.array([path if isinstance(path, str) else "\n".join(path) for path, _ in places]), parameter_names=np.array([called for _, called in places]))
        by_npz = dict(self.rest(name, npz(want=np.array(want), **arrays, **members, **extra), "application/x-npz").npz())
        messages = [dynamics.State(**{key: getattr(dynamics, key.capitalize())(**value) if isinstance(value, dict) else value
                                      for key, value in state.items()}) for state in states]
        by = {"parameters": [dynamics.ParameterPlace(**({"path": path} if isinstance(path, str) else {"paths": path}), name=called) for path, called in places]} if places else {}
        by.update({"step": dynamics.Step(**step)} if step else {})
        whole = self.stub.Evaluate(dynamics.EvaluateRequest(model=name, want=want, states=messages, **by, **extra))
        unary = whole.states
        setup = dynamics.EvaluateStreamRequest(setup=dynamics.EvaluateSetup(model=name, want=want, **by, **extra))
        streamed = list(self.stub.EvaluateStream(iter([setup, *(dynamics.EvaluateStreamRequest(state=s) for s in messages)])))
        self.same_parameters(reply.get("parameters", []), by_npz, whole.parameters, streamed)
        self.same_touches(reply.get("touches", []), by_npz, whole, streamed)
        self.assertEqual({len(states)}, {len(by_json), len(unary), len(streamed)})
        failed = 0
        for k, state in enumerate(by_json):
            streamed[k].ClearField("warnings")  # with each state in a stream, with the reply elsewhere
            self.assertEqual(streamed[k], unary[k])
            if "error" in state:
                failed += 1
                self.failed(state["error"], unary[k], {key: by_npz[key][k] for key in by_npz if key != "warnings"})
            else:
                self.same(flat(state), unary[k], {key: by_npz[key][k] for key in by_npz if key not in ("error", "warnings")})
        return failed

    def same_parameters(self, expected, members, whole, streamed):
        rows = [(p["name"], "\n".join([p["path"], *p.get("also", [])]), p["way"]) for p in expected]
        names = [members.pop(key, np.array([])).tolist() for key in ("parameters", "parameter_paths", "parameter_ways")]
        self.assertEqual(list(zip(*names)), rows)
        self.assertEqual([(p.name, "\n".join([p.path, *p.also]), p.way) for p in whole], rows)
        first = next((answer.parameters for answer in streamed if answer.parameters), [])
        self.assertEqual([(p.name, "\n".join([p.path, *p.also]), p.way) for p in first], rows)
        for answer in streamed:
            answer.ClearField("parameters")

    def same_touches(self, names, members, whole, streamed):
        self.assertEqual(members.pop("touches", np.array([])).tolist(), names)
        self.assertEqual(list(whole.touches), names)
        self.assertEqual([list(answer.touches) for answer in streamed if answer.touches], [names] if names else [])
        for answer in streamed:
            answer.ClearField("touches")

    def same(self, expected, message, members):
        self.assertEqual(set(message.values), set(expected))
        self.assertEqual(set(members), set(expected))
        for key, array in expected.items():
            self.assertTrue(np.isfinite(array).all(), key)  # what is not is said to be an error
            matrix = message.values[key]
            shape = array.shape if array.shape != (0,) else members[key].shape  # JSON has no columns where there are no rows
            self.assertEqual((tuple(matrix.shape), members[key].shape), (shape, shape), key)
            self.assertEqual(np.array(matrix.data, "<f8").tobytes(), array.tobytes(), key)
            self.assertEqual(members[key].astype("<f8").tobytes(), array.tobytes(), key)

    def failed(self, expected, message, members):
        self.assertEqual(len(message.values), 0)
        self.assertEqual((message.error.code, message.error.detail), (expected["code"], expected["detail"]))
        self.assertIn(expected["detail"], str(members.pop("error")))
        for key, row in members.items():
            self.assertTrue(np.isnan(row).all(), key)


if __name__ == "__main__":
    harness.main()
