"""Loops, prescribed joints, contact and water over the wire: values one can work out by hand, in every format."""
import json
import re
import unittest

import numpy as np

from harness import ServerTest, main, npz, pendulum, soft_arm

NPZ = {"Accept": "application/x-npz"}
WEIGHT, REACH, INERTIA = 2 * 9.81, 0.5, 0.1 + 2 * 0.5 ** 2  # of harness.pendulum about its axis


def hung():
    """The pendulum of the harness as a free body that a loop holds by a revolute joint."""
    model = pendulum(name="hung", actuators=[], loops=[{"name": "pin", "a": {"link": "arm"}, "b": {"link": "world"},
                                                         "joint": {"type": "revolute", "axis": "y"}}])
    model["links"][0]["joint"] = {"type": "free"}
    return model


def driven():
    """The pendulum with its angle prescribed."""
    motor = {"name": "motor", "type": "joint", "link": "arm", "mode": "position"}
    return pendulum(name="driven", actuators=[motor])


class Constraints(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for model in (hung(), driven(), pendulum()):
            reply = cls.server.request("POST", "/v1/models", model)
            assert reply.status == 201, reply.body

    def evaluate(self, model, want, states, **more):
        reply = self.server.request("POST", f"/v1/models/{model}:evaluate", {"want": want, "states": states, **more})
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()["states"]

    def run_job(self, job, state="succeeded"):
        done = self.server.wait(self.server.submit(job))
        self.assertEqual(done["state"], state, done)
        return self.server.request("GET", f"/v1/jobs/{done['id']}/result", headers=NPZ).npz()

    def test_a_loop_carries_the_weight_of_what_hangs_from_it(self):
        answer, = self.evaluate("hung", ["fd", "lambda", "loop_error", "loop_jacobian", "dlambda_dq"], [{"q": [0] * 6}])
        np.testing.assert_allclose(answer["fd"], np.zeros(6), atol=1e-12)
        np.testing.assert_allclose(answer["lambda"], [0, 0, 0, 0, WEIGHT], atol=1e-12)  # wx wz vx vy vz of frame b
        np.testing.assert_array_equal(answer["loop_error"], np.zeros(5))
        np.testing.assert_allclose(answer["loop_jacobian"], np.eye(6)[[0, 2, 3, 4, 5]], atol=1e-15)
        self.assertEqual(np.shape(answer["dlambda_dq"]), (5, 6))

    def test_the_time_constant_of_a_request_pulls_a_loop_together(self):
        apart = {"q": [0, 0, 0, 0, 0, 1e-3]}
        for seconds in (0.01, 0.05):
            answer, = self.evaluate("hung", ["fd"], [apart], baumgarte=seconds)
            self.assertAlmostEqual(answer["fd"][5], -1e-3 / seconds ** 2, places=9)
        self.assertEqual(self.evaluate("hung", ["fd"], [apart]), self.evaluate("hung", ["fd"], [apart], baumgarte=0.01))

    def test_json_and_npz_give_the_same_numbers(self):
        states = np.random.default_rng(1).normal(size=(4, 6)) * 0.1
        want = ["fd", "lambda", "dlambda_dq", "dlambda_dqd", "dlambda_du", "loop_error", "loop_jacobian"]
        text = self.evaluate("hung", want, [{"q": q.tolist(), "qd": q.tolist()} for q in states], baumgarte=0.02)
        body = npz(q=states, qd=states, want=np.array(want), baumgarte=0.02)
        reply = self.server.request("POST", "/v1/models/hung:evaluate", body, {"Content-Type": "application/x-npz", **NPZ})
        self.assertEqual(reply.status, 200, reply.body)
        arrays = reply.npz()
        for name in want:
            np.testing.assert_array_equal(arrays[name], np.array([s[name] for s in text]).reshape(arrays[name].shape), name)
        self.assertEqual(arrays["dlambda_du"].shape, (4, 5, 0))

    def test_a_time_constant_must_be_positive_and_finite(self):
        for value in (0, -1, "x", None):
            reply = self.server.request("POST", "/v1/models/hung:evaluate",
                                        {"want": ["fd"], "states": [{"q": [0] * 6}], "baumgarte": value})
            self.assert_problem(reply, 400, "invalid_argument", "/baumgarte")
        reply = self.server.request("POST", "/v1/models/hung:evaluate",
                                    npz(q=np.zeros((1, 6)), want=np.array(["fd"]), baumgarte=np.inf),
                                    {"Content-Type": "application/x-npz"})
        self.assert_problem(reply, 400, "invalid_argument", "/baumgarte")

    def test_models_without_constraints_have_empty_multipliers(self):
        answer, = self.evaluate("pendulum", ["lambda", "loop_error", "loop_jacobian", "dlambda_dq"], [{"q": [0.5]}])
        self.assertEqual(answer, {"lambda": [], "loop_error": [], "loop_jacobian": [], "dlambda_dq": []})

    def test_a_body_held_by_a_loop_swings_like_the_pendulum_that_it_is(self):
        common = {"kind": "dynamics", "t_end": 1.0}
        free = self.run_job({**common, "model": "pendulum", "initial": {"q": [0.8]}, "output": {"dt": 0.1, "fields": ["q"]},
                             "integrator": {"rtol": 1e-8, "atol": 1e-10}})
        held = self.run_job({**common, "model": "hung", "initial": {"q": [0, 0.8, 0, 0, 0, 0]},
                             "integrator": {"method": "generalized_alpha", "h": 0.001},
                             "output": {"dt": 0.1, "fields": ["q", "lambda", "loop_error", "poses:arm"]}})
        np.testing.assert_allclose(held["q"][:, 1], free["q"][:, 0], atol=1e-4)
        self.assertEqual((held["lambda"].shape, held["loop_error"].shape), ((11, 5), (11, 5)))
        self.assertLess(np.abs(held["loop_error"]).max(), 1e-9)
        # what the pin carries at rest in the last sample: weight and centrifugal force, of the order of the weight
        self.assertTrue(WEIGHT / 2 < np.linalg.norm(held["lambda"][-1][2:]) < 3 * WEIGHT)

    def test_a_universal_loop_runs_by_every_formulation(self):
        model = hung()
        model["loops"][0]["joint"]["type"] = "universal"
        job = {"model": model, "kind": "dynamics", "t_end": 0.5, "initial": {"qd": [0.5, 0.1, 0.5, 0, 0, 0]},
               "output": {"dt": 0.1, "fields": ["q", "loop_error"]}}
        results = [self.run_job({**job, "integrator": integrator})
                   for integrator in ({}, {"method": "bdf"}, {"method": "dae"}, {"method": "newmark", "formulation": "index1"})]
        for result in results:
            self.assertGreater(np.abs(result["q"][-1][:3]).max(), 0.1)
            self.assertLess(np.abs(result["loop_error"]).max(), 1e-7)
            np.testing.assert_allclose(result["q"][-1], results[0]["q"][-1], atol=1e-3)

    def test_a_helical_loop_turns_for_many_turns(self):
        model = hung()
        model["loops"][0]["joint"] = {"type": "helical", "axis": "z", "pitch": 0.1}
        for integrator in ({"method": "bdf"}, {"method": "generalized_alpha", "h": 0.01}):
            result = self.run_job({"model": model, "kind": "dynamics", "t_end": 5, "integrator": integrator,
                                   "output": {"dt": 0.1, "fields": ["loop_error", "poses:arm"]}})
            self.assertLess(np.abs(result["loop_error"]).max(), 1e-6)
            self.assertGreater(np.ptp(result["poses:arm"][:, 2, 3]), 2 * np.pi * 0.1)

    def test_a_prescribed_joint_follows_its_signal_and_reports_its_torque(self):
        signal = {"type": "sine", "offset": 0.2, "amplitude": 0.1, "frequency": 1.0}
        for integrator in ({}, {"method": "bdf"}, {"method": "dae"}, {"method": "newmark", "h": 0.01}, {"method": "hht", "h": 0.01},
                           {"method": "generalized_alpha", "adaptive": True}, {"method": "rk45"}):
            with self.subTest(integrator=integrator):
                result = self.run_job({"model": "driven", "kind": "dynamics", "t_end": 0.5, "inputs": {"motor": signal},
                                       "initial": {"q": [0.2], "qd": [0.1 * 2 * np.pi]}, "integrator": integrator,
                                       "output": {"dt": 0.05, "fields": ["q", "qd", "qdd", "lambda", "u"]}})
                w, t = 2 * np.pi, result["t"]
                q, qdd = 0.2 + 0.1 * np.sin(w * t), -0.1 * w ** 2 * np.sin(w * t)
                np.testing.assert_allclose(result["q"][:, 0], q, atol=1e-12)
                np.testing.assert_allclose(result["qdd"][:, 0], qdd, atol=1e-9)
                np.testing.assert_allclose(result["lambda"][:, 0], INERTIA * qdd + WEIGHT * REACH * np.sin(q), atol=1e-9)

    def test_statics_report_what_loops_and_prescribed_joints_carry(self):
        angles = [0.0, 0.5, 1.0]
        result = self.run_job({"model": "driven", "kind": "statics", "inputs": {"motor": angles}})
        self.assertTrue(result["converged"].all())
        np.testing.assert_allclose(result["q"][:, 0], angles, atol=1e-12)
        np.testing.assert_allclose(result["lambda"][:, 0], WEIGHT * REACH * np.sin(angles), atol=1e-9)
        result = self.run_job({"model": "hung", "kind": "statics"})
        self.assertEqual(result["lambda"].shape, (1, 5))
        self.assertAlmostEqual(np.linalg.norm(result["lambda"][0, 2:]), WEIGHT, places=6)
        self.assertEqual(self.run_job({"model": "pendulum", "kind": "statics"})["lambda"].shape, (1, 0))

    def test_a_path_of_equilibria_turns_back_at_the_largest_torque(self):
        most = WEIGHT * REACH
        path = {"channel": "motor", "steps": 60, "follow": "arc_length", "ds": 0.1}
        result = self.run_job({"model": "pendulum", "kind": "statics", "continuation": path})
        summary = json.loads(bytes(result["summary"]))
        q, u = result["q"][:, 0], result["u"][:, 0]
        self.assertEqual(q.shape, (61,))
        np.testing.assert_allclose(np.abs(u), most * np.abs(np.sin(q)), atol=1e-8)
        limit = summary["continuation"]["events"][0]
        self.assertEqual((summary["continuation"]["channel"], limit["kind"]), ("motor", "limit"))
        self.assertAlmostEqual(limit["value"], most, places=6)
        k = limit["after"]
        self.assertTrue(np.abs(q[k]) <= np.pi / 2 <= np.abs(q[k + 1]), q[k:k + 2])
        self.assertTrue(result["stable"][:k + 1].all() and not result["stable"][k + 1:k + 10].any())
        self.assertEqual(limit["multiplicity"], 1)
        self.assertNotIn("reached", summary["continuation"])  # it was asked for no value
        # along a prescribed joint nothing is left to find, but the torque that holds it
        held = self.run_job({"model": "driven", "kind": "statics", "continuation": path | {"to": 3}})
        self.assertAlmostEqual(held["u"][-1, 0], 3, places=12)
        np.testing.assert_allclose(held["lambda"][:, 0], most * np.sin(held["u"][:, 0]), atol=1e-9)

    def test_a_path_that_reaches_its_value_early_is_counted_by_the_points_it_has(self):
        job = {"model": "driven", "kind": "statics", "continuation": {"channel": "motor", "to": 3, "ds": 0.3, "steps": 100}}
        done = self.server.wait(self.server.submit(job))
        self.assertEqual(done["state"], "succeeded", done)
        points = len(self.server.request("GET", f"/v1/jobs/{done['id']}/result", headers=NPZ).npz()["u"])
        self.assertLess(points, 50)
        row = self.server.request("GET", f"/v1/jobs/{done['id']}").json()
        self.assertEqual(row["progress"], {"fraction": 1, "t": points, "t_end": points})

    def test_a_path_that_ends_before_its_last_value_is_a_warning(self):
        path = {"channel": "motor", "to": 3, "ds": 0.1}
        for steps, reached in ((3, False), (60, True)):
            result = self.run_job({"model": "driven", "kind": "statics", "continuation": {**path, "steps": steps}})
            summary = json.loads(bytes(result["summary"]))
            self.assertIs(summary["continuation"]["reached"], reached)
            self.assertEqual(abs(result["u"][-1, 0] - 3) < 1e-9, reached)
            told = [(w["code"], w["pointer"]) for w in summary["warnings"] if w["code"] != "unstable"]
            self.assertEqual(told, [] if reached else [("continuation_short", "/continuation/to")])
            if not reached:
                short, = (w["detail"] for w in summary["warnings"] if w["code"] == "continuation_short")
                self.assertRegex(short, rf"the 3 steps were used up at {result['u'][-1, 0]:.6g}; the path goes on.*longer `ds`")
        # the largest torque ends before the one asked for, and the path turns back
        result = self.run_job({"model": "pendulum", "kind": "statics",
                               "continuation": {"channel": "motor", "to": 1.5 * WEIGHT * REACH, "steps": 30}})
        summary = json.loads(bytes(result["summary"]))
        self.assertIs(summary["continuation"]["reached"], False)
        short, = (w for w in summary["warnings"] if w["code"] == "continuation_short")
        found = re.search(r"not reached: the 30 steps were used up at (\S+), after it came as near as (\S+) and turned back.*more `steps`", short["detail"])
        self.assertAlmostEqual(float(found[1]), result["u"][-1, 0], delta=1e-4 * abs(result["u"][-1, 0]))
        self.assertAlmostEqual(float(found[2]), result["u"][:, 0].max(), delta=1e-4 * WEIGHT * REACH)

    def test_a_round_rod_buckles_both_ways_at_an_event_of_two(self):
        rod = {"type": "rod", "length": 0.5, "section": {"shape": "circle", "radius": 0.005},
               "material": {"young": 1e7, "poisson": 0.5, "density": 1000},
               "strain": {"basis": "legendre", "order": {"bending_y": 4, "bending_z": 4}}}
        critical = np.pi ** 2 / 4 * 1e7 * np.pi * 0.005 ** 4 / 4 / 0.5 ** 2
        model = {"format": "tendril.model/1", "gravity": [0, 0, 0],
                 "links": [{"name": "rod", "joint": {"type": "fixed"}, "body": rod}],
                 "loads": [{"link": "rod", "at": 1, "frame": "world", "channels": [None, None, None, "Px", None, None]}]}
        result = self.run_job({"model": model, "kind": "statics", "continuation": {"channel": "Px", "to": -3 * critical}})
        event, = json.loads(bytes(result["summary"]))["continuation"]["events"]
        self.assertEqual((event["kind"], event["multiplicity"]), ("bifurcation", 2))
        self.assertAlmostEqual(-event["value"] / critical, 1, places=3)
        after = event["after"]
        self.assertTrue(result["stable"][:after + 1].all() and not result["stable"][after + 1:].any())

    def test_a_prescribed_joint_refuses_signals_without_two_derivatives(self):
        for signal in ({"type": "steps", "t": [0, 0.1], "value": [0, 0.1]},
                       {"type": "table", "t": [0, 0.1], "value": [0, 0.1]},
                       {"type": "sum", "of": [1, {"type": "steps", "t": [0, 0.1], "value": [0, 0.1]}]}):
            reply = self.server.request("POST", "/v1/jobs", {"model": "driven", "kind": "dynamics", "t_end": 1,
                                                             "inputs": {"motor": signal}})
            self.assertEqual(reply.status, 400, reply.body)
            self.assertTrue(reply.json()["pointer"].startswith("/inputs/motor"), reply.body)
        self.assertEqual(self.server.request("POST", "/v1/jobs", {
            "model": "pendulum", "kind": "dynamics", "t_end": 0.01,
            "inputs": {"motor": {"type": "steps", "t": [0, 0.1], "value": [0, 0.1]}}}).status, 202)

    def test_documents_that_cannot_be_are_refused_with_their_place(self):
        contact = {"type": "cylinder_interior", "stiffness": 1e5}
        for model, pointer, words in (
                (soft_arm() | {"contacts": [contact]}, "/contacts/0/radius", ["missing"]),
                (pendulum(contacts=[{"type": "plane", "stiffness": 1}]), "/contacts/0", ["no rod"]),
                (soft_arm() | {"contacts": [{"type": "plane", "stiffness": 1, "links": ["arm", "leg"]}]},
                 "/contacts/0/links/1", ["leg"]),
                (pendulum(loops=[{"a": {"link": "arm"}, "b": {"link": "arm"}, "joint": {"type": "fixed"}}]), "/loops/0",
                 ["to itself"]),
                (pendulum(loops=[{"a": {"link": "arm"}, "b": {"link": "world"},
                                  "joint": {"type": "revolute", "axis": [1, 1, 0]}}]), "/loops/0/joint/axis", ["pose"]),
                (pendulum(loops=[{"a": {"link": "arm"}, "b": {"link": "world"}, "joint": {"type": "fixed"}}]), "/loops/0",
                 ["over-constrained"])):
            with self.subTest(pointer=pointer):
                self.assert_problem(self.server.request("POST", "/v1/models?validate=1", model), 400, "invalid_argument",
                                    pointer, words)


if __name__ == "__main__":
    main()
