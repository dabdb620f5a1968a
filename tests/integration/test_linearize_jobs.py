"""Jobs of kind linearize: matrices one can work out by hand, and those of evaluate at the same states, bit for bit."""
import unittest

import numpy as np

from harness import ServerTest, main, pendulum, soft_arm

NPZ = {"Accept": "application/x-npz"}
WEIGHT, REACH, INERTIA = 2 * 9.81, 0.5, 0.1 + 2 * 0.5 ** 2  # of harness.pendulum about its axis


class Linearize(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for model in (pendulum(), soft_arm(order=2)):
            assert cls.server.request("POST", "/v1/models", model).status == 201

    def run_job(self, at, model="pendulum", **more):
        job = self.server.wait(self.server.submit({"model": model, "kind": "linearize", "at": at, **more}))
        self.assertEqual(job["state"], "succeeded", job)
        return self.result(job["id"])

    def result(self, job_id):
        return self.server.request("GET", f"/v1/jobs/{job_id}/result", headers=NPZ).npz()

    def assert_as_evaluate_says(self, result, model):
        states = [{"q": q.tolist(), "qd": qd.tolist(), "u": u.tolist()}
                  for q, qd, u in zip(result["q"], result["qd"], result["u"])]
        reply = self.server.request("POST", f"/v1/models/{model}:evaluate",
                                    {"want": ["dfd_dq", "dfd_dqd", "dfd_du"], "states": states}).json()["states"]
        n = result["q"].shape[1]
        for k, state in enumerate(reply):
            np.testing.assert_array_equal(result["A"][k, :n], np.eye(2 * n)[n:])
            np.testing.assert_array_equal(result["A"][k, n:], np.hstack([state["dfd_dq"], state["dfd_dqd"]]))
            np.testing.assert_array_equal(result["B"][k, :n], 0)
            np.testing.assert_array_equal(result["B"][k, n:], state["dfd_du"])

    def test_a_pendulum_at_the_equilibrium_of_its_motor(self):
        result = self.run_job("equilibrium", inputs={"motor": 1.0})
        q = np.arcsin(1 / (WEIGHT * REACH))
        np.testing.assert_allclose(result["q"], [[q]], atol=1e-9)
        np.testing.assert_allclose(result["A"], [[[0, 1], [-WEIGHT * REACH * np.cos(q) / INERTIA, 0]]], atol=1e-8)
        np.testing.assert_allclose(result["B"], [[[0], [1 / INERTIA]]], atol=1e-12)
        np.testing.assert_array_equal(result["u"], [[1.0]])

    def test_at_a_state_the_matrices_are_those_of_evaluate(self):
        n = 18
        q = (0.1 * np.sin(np.arange(n))).tolist()
        result = self.run_job({"q": q, "qd": q}, "soft", inputs={"cable": 2.0})
        np.testing.assert_array_equal(result["q"], [q])
        self.assertEqual((result["A"].shape, result["B"].shape), ((1, 2 * n, 2 * n), (1, 2 * n, 1)))
        self.assert_as_evaluate_says(result, "soft")

    def test_along_a_run_the_states_are_those_of_the_run(self):
        inputs, integrator = {"cable": {"type": "ramp", "t": [0, 0.2], "value": [0, 2]}}, {"method": "newmark", "h": 0.01}
        times = [0, 0.1, 0.2, 0.4]
        result = self.run_job({"times": times}, "soft", inputs=inputs, integrator=integrator)
        np.testing.assert_array_equal(result["t"], times)
        self.assert_as_evaluate_says(result, "soft")
        job = self.server.submit({"model": "soft", "kind": "dynamics", "t_end": 0.4, "inputs": inputs,
                                  "integrator": integrator, "output": {"dt": 0.1, "fields": ["q", "u"]}})
        self.assertEqual(self.server.wait(job)["state"], "succeeded")
        run = self.result(job)
        np.testing.assert_allclose(result["q"], run["q"][[0, 1, 2, 4]], atol=1e-6)
        np.testing.assert_allclose(result["u"], run["u"][[0, 1, 2, 4]], atol=1e-12)

    def test_loops_add_nothing_but_decay_however_their_frames_are_turned(self):
        """A swing on two bars: -g/l q'' for its one motion, and 1/T (100 / s) twice for each of the two rows that matter."""
        def hinge(parent, place, mass, com):
            return {"parent": parent, "pose": {"translation": place}, "joint": {"type": "revolute", "axis": "y"},
                    "body": {"type": "rigid", "mass": mass, "com": com, "inertia": [0.1, 0.1, 0.1]}}
        for kind in ("revolute", "spherical", "cylindrical"):
            for turn in (0, 1, 2.9):
                axis = {"axis": "y"} if kind != "spherical" else {}
                model = {"format": "tendril.model/1", "name": f"swing_{kind}_{10 * turn:.0f}", "gravity": [0, 0, -9.81], "links": [
                    {"name": "left", **hinge("world", [0, 0, 0], 1, [0, 0, -0.5])}, {"name": "seat", **hinge("left", [0, 0, -1], 1, [0.5, 0, 0])},
                    {"name": "right", **hinge("seat", [1, 0, 0], 1, [0, 0, 0.5])}], "loops": [
                    {"joint": {"type": kind, **axis}, "a": {"link": "right", "pose": {"translation": [0, 0, 1], "rpy": [0, turn, 0]}},
                     "b": {"link": "world", "pose": {"translation": [1, 0, 0]}}}]}
                self.assertEqual(self.server.request("POST", "/v1/models", model).status, 201)
                result = self.run_job({"q": [0, 0, 0]}, model["name"])
                found = np.linalg.eigvals(result["A"][0])
                swing = np.sqrt(2 * 9.81 / (2 * (0.1 + 0.25) + 1))
                for value in found[np.abs(found) > 1e-6]:
                    self.assertLess(min(abs(value - 1j * swing), abs(value + 1j * swing), abs(value + 100)), 1e-2, (kind, turn, found))

    def test_sweeps_of_linearisations_stack_their_matrices(self):
        torques = [0.0, 1.0, 2.0]
        base = {"model": "pendulum", "kind": "linearize", "at": "equilibrium", "inputs": {"motor": 0}}
        job = self.server.wait(self.server.submit(
            {"kind": "sweep", "base": base, "vary": [{"path": "/job/inputs/motor", "values": torques}]}))
        self.assertEqual(job["state"], "succeeded", job)
        result = self.result(job["id"])
        self.assertEqual((result["A"].shape, result["B"].shape), ((3, 2, 2), (3, 2, 1)))
        q = np.arcsin(np.array(torques) / (WEIGHT * REACH))
        np.testing.assert_allclose(result["A"][:, 1, 0], -WEIGHT * REACH * np.cos(q) / INERTIA, atol=1e-8)

    def test_an_initial_state_that_nothing_looks_at_is_told_and_one_of_a_run_is_not(self):
        for at, initial, expected in (("equilibrium", {"q": [3.1]}, ["/initial/q"]), ("equilibrium", {"qd": [1]}, ["/initial/qd"]),
                                      ({"q": [0.1]}, {"q": [3.1]}, ["/initial/q"]), ({"times": [0, 0.1]}, {"q": [3.1]}, []),
                                      ("equilibrium", {"q": "equilibrium"}, []), ("equilibrium", {}, [])):
            with self.subTest(at=at, initial=initial):
                job = self.server.wait(self.server.submit({"model": "pendulum", "kind": "linearize", "at": at, "initial": initial}))
                self.assertEqual(job["state"], "succeeded", job)
                self.assertEqual([w["pointer"] for w in job["warnings"] if w["code"] == "unused_option"], expected)

    def test_whatever_is_wrong_is_named_by_its_place(self):
        for job, pointer in (({}, "/at"), ({"at": "rest"}, "/at"), ({"at": {"q": [1, 2]}}, "/at/q"), ({"at": {}}, "/at/q"),
                             ({"at": {"qd": [1]}}, "/at/q"), ({"at": {"q": [1], "qd": [1, 2]}}, "/at/qd"),
                             ({"at": {"times": []}}, "/at/times"), ({"at": {"times": [1, 1]}}, "/at/times/1"),
                             ({"at": {"times": [-1]}}, "/at/times/0"), ({"at": {"times": [1], "q": [1]}}, "/at/q"),
                             ({"at": "equilibrium", "inputs": {"brake": 1}}, "/inputs/brake"),
                             ({"at": "equilibrium", "t_end": 1}, "/t_end"),
                             ({"at": {"times": [1]}, "integrator": {"rtol": 2}}, "/integrator/rtol")):
            reply = self.server.request("POST", "/v1/jobs", {"model": "pendulum", "kind": "linearize", **job})
            with self.subTest(job=job):
                self.assert_problem(reply, 400, "invalid_argument", pointer)


if __name__ == "__main__":
    main()
