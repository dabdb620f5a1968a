"""The same 500 random calls over REST in JSON, REST in NPZ, gRPC and a gRPC stream: every number with the same bits.

Random are the robot (the shipped ones and a pendulum), the quantities, how many states, which of their parts are given, their size;
some states are beyond what can be computed, and fail alike on every way."""
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


def flat(state):
    """A JSON state by the names of NPZ and gRPC."""
    out = {}
    for name, value in state.items():
        for key, part in {f"{name}/{part}": inner for part, inner in value.items()}.items() if isinstance(value, dict) else [(name, value)]:
            out[key] = np.asarray(part, "<f8")
    return out


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
        cls.robots = []
        for model in robots:
            made = cls.server.request("PUT", f"/v1/models/{model['name']}", model).json()
            cls.robots.append((made["name"], made["ndof"], len(made["channels"])))
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
        return name, want, arrays, float(random.choice([0.0, 0.02, 0.5]))

    def test_random_calls_give_the_same_bits_on_every_way(self):
        random, seen = np.random.default_rng(500), collections.Counter()
        for number in range(CALLS):
            name, want, arrays, baumgarte = self.draw(random)
            with self.subTest(call=number, robot=name, want=want):
                seen.update({"robot " + name, *want})
                seen["failed states"] += self.agree(name, want, arrays, baumgarte)
        for key in [*self.quantities, *("robot " + name for name, _, _ in self.robots), "failed states"]:
            self.assertGreater(seen[key], 0, f"{key} was not drawn")

    def agree(self, name, want, arrays, baumgarte):
        """Asserts that all ways agree; gives the number of states that failed."""
        states = [{part: rows[k].tolist() for part, rows in arrays.items()} for k in range(len(arrays["q"]))]
        extra = {"baumgarte": baumgarte} if baumgarte else {}
        text = self.rest(name, {"want": want, "states": states, **extra}, "application/json").body
        by_json = json.loads(text, parse_int=float)["states"]  # -0 keeps its sign
        by_npz = self.rest(name, npz(want=np.array(want), **arrays, **extra), "application/x-npz").npz()
        messages = [dynamics.State(**state) for state in states]
        unary = self.stub.Evaluate(dynamics.EvaluateRequest(model=name, want=want, states=messages, **extra)).states
        setup = dynamics.EvaluateStreamRequest(setup=dynamics.EvaluateSetup(model=name, want=want, **extra))
        streamed = list(self.stub.EvaluateStream(iter([setup, *(dynamics.EvaluateStreamRequest(state=s) for s in messages)])))
        self.assertEqual({len(states)}, {len(by_json), len(unary), len(streamed)})
        failed = 0
        for k, state in enumerate(by_json):
            streamed[k].ClearField("warnings")  # with each state in a stream, with the reply elsewhere
            self.assertEqual(streamed[k], unary[k])
            if "error" in state:
                failed += 1
                self.failed(state["error"], unary[k], {key: by_npz[key][k] for key in by_npz.files if key != "warnings"})
            else:
                self.same(flat(state), unary[k], {key: by_npz[key][k] for key in by_npz.files if key not in ("error", "warnings")})
        return failed

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
