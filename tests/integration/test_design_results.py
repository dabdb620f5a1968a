"""What designs say at their end, and what they leave behind where they fail: the best, the run there, reasons at their places."""
import json

import numpy as np

from harness import ServerTest, main, pendulum

NPZ = {"Accept": "application/x-npz"}
MOTOR = {"path": "/job/inputs/motor", "name": "torque", "lower": -20, "upper": 20}


class DesignEnds(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        floating = {"format": "tendril.model/1", "name": "floating", "gravity": [0, 0, 0],
                    "links": [{"name": "a", "joint": {"type": "free"}, "body": {"type": "rigid", "mass": 1, "inertia": [1, 1, 1]}}],
                    "loads": [{"link": "a", "channels": [None, None, None, "fx", None, None]}]}
        for model in (pendulum(), floating):
            assert cls.server.request("POST", "/v1/models", model).status == 201

    def finish(self, job, state="succeeded"):
        done = self.server.wait(self.server.submit(job))
        self.assertEqual(done["state"], state, done)
        return done

    def result(self, done, query=""):
        return self.server.request("GET", f"/v1/jobs/{done['id']}/result{query}", headers=NPZ).npz()

    def summary(self, result):
        return json.loads(result["summary"].tobytes())

    def swing(self, values=6, **more):
        run = {"kind": "dynamics", "model": "pendulum", "t_end": 1, "integrator": {"method": "generalized_alpha", "h": 0.02},
               "inputs": {"motor": {"type": "table", "t": np.linspace(0, 1, values).tolist(), "value": [0.0] * values}},
               "output": {"dt": 0.1, "fields": ["q"]}}
        return {"kind": "design", "of": run, "parameters": [{"path": "/job/inputs/motor/value", "lower": -30, "upper": 30}],
                "objective": [{"field": "q", "target": 0.4, "weight": 100}, {"field": "qd", "target": 0}], **more}

    def test_a_search_that_found_no_optimum_keeps_its_best_and_the_run_there(self):
        job = self.swing(constraints=[{"field": "q", "lower": 3.0}, {"field": "q", "upper": 2.9}])
        done = self.finish(job, "failed")
        self.assertEqual(done["error"]["code"], "unconverged")
        part = self.result(done, "?partial=1")
        kept = self.result(self.finish({**job, "unconverged": "keep"}))
        found, other = self.summary(part)["design"], self.summary(kept)["design"]
        self.assertEqual(found["end"], "infeasible")
        self.assertEqual({k: v for k, v in found.items() if k != "promised"}, {k: v for k, v in other.items() if k != "promised"})
        for name in ("best", "t", "q", "parameters", "violation"):
            np.testing.assert_array_equal(part[name], kept[name], err_msg=name)
        np.testing.assert_array_equal(part["best"], part["parameters"][found["best"]])

    def test_an_optimum_at_a_stop_is_named_where_the_search_stalls_there(self):
        """-1000 q + u of a spring of 100 N/m and a stop at 0.05 m falls by 9 for each N before the stop, and rises by 0.9 behind it."""
        model = {"format": "tendril.model/1", "gravity": [0, 0, 0], "links": [
            {"name": "a", "joint": {"type": "prismatic", "axis": "x", "stiffness": 100.0, "limits": {"upper": 0.05, "stiffness": 1e4}},
             "body": {"type": "rigid", "mass": 1, "inertia": [0.1] * 3}}], "actuators": [{"name": "F", "type": "joint", "link": "a"}]}
        job = {"kind": "design", "of": {"kind": "statics", "model": model, "inputs": {"F": 1.0}}, "unconverged": "keep",
               "parameters": [{"path": "/job/inputs/F", "lower": -50, "upper": 500}],
               "objective": [{"field": "q", "linear": -1000.0}, {"field": "u", "linear": 1.0}]}
        for method in ("slsqp", "mma"):
            done = self.finish({**job, "method": method})
            self.assertAlmostEqual(self.result(done)["best"].item(), 5, delta=1e-3)
            details = [w["detail"] for w in done["warnings"] if w["code"] == "unconverged"]
            for detail in details:
                self.assertIn("at a kink", detail)
            self.assertNotIn('"method"', " ".join(details))
        at_it = {"kind": "statics", "model": model, "inputs": {"F": [5.0, 4.0]}, "sensitivity": {"parameters": ["/job/inputs/F"], "fields": ["q"]}}
        told = [(w["code"], w["pointer"]) for w in self.finish(at_it)["warnings"]]
        self.assertIn(("contact_kink", "/model/links/0/joint/limits"), told)

    def test_a_design_ends_at_what_it_did_and_says_how_far_constraints_are(self):
        body = {"type": "rigid", "mass": 1, "inertia": [0.01] * 3}
        links = [{"name": "a", "joint": {"type": "revolute", "axis": "z", "stiffness": 2.0}, "body": body},
                 {"name": "b", "parent": "a", "pose": {"translation": [1, 0, 0]}, "joint": {"type": "revolute", "axis": "z", "stiffness": 1.0}, "body": body},
                 {"name": "tip", "parent": "b", "pose": {"translation": [0.7, 0, 0]}, "joint": {"type": "fixed"}}]
        arm = {"format": "tendril.model/1", "name": "reaching", "gravity": [0, 0, 0], "links": links,
               "actuators": [{"name": "t1", "type": "joint", "link": "a"}, {"name": "t2", "type": "joint", "link": "b"}]}
        bounds = [{"field": "poses:tip", "select": [[0, 3]], "lower": 0.8, "upper": 0.8}, {"field": "poses:tip", "select": [[1, 3]], "lower": 0.9, "upper": 0.9},
                  {"field": "u", "select": [0], "upper": 3}]
        done = self.finish({"kind": "design", "of": {"kind": "statics", "model": arm, "inputs": {"t1": 0.5, "t2": 0.5}},
                            "parameters": [{"path": f"/job/inputs/t{k}", "lower": -4, "upper": 4} for k in (1, 2)],
                            "objective": [{"field": "u", "target": [0, 0]}], "constraints": bounds})
        found = self.summary(self.result(done))["design"]
        self.assertEqual(found["end"], "converged")
        np.testing.assert_allclose([p["value"] for p in found["parameters"]], [0.448195, 1.599372], atol=1e-5)
        self.assertEqual([(c["number"], c["lower"], c["upper"], c["active"]) for c in found["constraints"]],
                         [("poses:tip[0][3] of problem 0", 0.8, 0.8, True), ("poses:tip[1][3] of problem 0", 0.9, 0.9, True), ("u[0] of problem 0", None, 3, False)])
        np.testing.assert_allclose([c["value"] for c in found["constraints"]], [0.8, 0.9, found["parameters"][0]["value"]], atol=1e-6)
        self.assertEqual((done["progress"]["t"], done["progress"]["t_end"]), (found["evaluations"],) * 2)

    def test_a_bound_of_nothing_is_measured_by_what_a_small_robot_does(self):
        body = {"type": "rigid", "mass": 1, "inertia": [0.01] * 3}
        arm = {"format": "tendril.model/1", "name": "a millimetre", "gravity": [0, 0, 0],
               "links": [{"name": "a", "joint": {"type": "revolute", "axis": "z", "stiffness": 1.0}, "body": body},
                         {"name": "tip", "parent": "a", "pose": {"translation": [1e-3, 0, 0]}, "joint": {"type": "fixed"}}],
               "actuators": [{"name": "t", "type": "joint", "link": "a"}]}
        done = self.finish({"kind": "design", "of": {"kind": "statics", "model": arm, "inputs": {"t": 0.5}},
                            "parameters": [{"path": "/job/inputs/t", "lower": -1, "upper": 1}], "objective": [{"field": "u", "target": 0.7}],
                            "constraints": [{"field": "poses:tip", "select": [[1, 3]], "lower": 0}, {"field": "poses:tip", "select": [[0, 3]], "upper": 1e-3}]})
        found = self.summary(self.result(done))["design"]
        self.assertAlmostEqual(found["parameters"][0]["value"], 0.7, places=5)
        self.assertEqual([c["active"] for c in found["constraints"]], [False, False])  # 0.64 mm and 0.24 mm are no little way

    def test_the_best_of_several_starts_is_told(self):
        """sin u + (u - 1.5)^2 / 100 falls from -5.9 to the bound at -6; its deepest valley is at -1.54."""
        body = {"type": "rigid", "mass": 1, "inertia": [0.01] * 3}
        arm = {"format": "tendril.model/1", "name": "two ways", "gravity": [0, 0, 0],
               "links": [{"name": "a", "joint": {"type": "revolute", "axis": "z", "stiffness": 1.0}, "body": body},
                         {"name": "tip", "parent": "a", "pose": {"translation": [1, 0, 0]}, "joint": {"type": "fixed"}}],
               "actuators": [{"name": "t", "type": "joint", "link": "a"}]}
        job = {"kind": "design", "of": {"kind": "statics", "model": arm, "inputs": {"t": 0.4}},
               "parameters": [{"path": "/job/inputs/t", "lower": -6, "upper": 3}],
               "objective": [{"field": "poses:tip", "select": [[1, 3]], "linear": 1}, {"field": "u", "target": 1.5, "weight": 0.02}]}
        turn = np.linspace(-6, 3, 90001)
        worth = np.sin(turn) + 0.01 * (turn - 1.5) ** 2
        deepest = turn[np.argmin(worth)]
        alone = self.result(self.finish({**job, "of": {**job["of"], "inputs": {"t": -5.9}}}))
        self.assertGreater(abs(alone["best"][0] - deepest), 1)  # it ends at another valley, or at a bound
        done = self.finish({**job, "of": {**job["of"], "inputs": {"t": -5.9}}, "starts": 4})
        result, found = self.result(done), self.summary(self.result(done))["design"]
        self.assertAlmostEqual(result["best"][0], deepest, delta=1e-3)
        self.assertEqual((found["end"], found["failed_starts"], sorted(set(result["start"]))), ("converged", 0, [0, 1, 2, 3]))
        self.assertEqual(result["start"][found["best"]], found["start"])
        self.assertGreater(found["start"], 0)
        self.assertEqual((done["progress"]["t"], found["evaluations"]), (len(result["start"]),) * 2)
        np.testing.assert_array_equal(self.result(self.finish({**job, "of": {**job["of"], "inputs": {"t": -5.9}}, "starts": 4}))["parameters"], result["parameters"])
        other = self.result(self.finish({**job, "of": {**job["of"], "inputs": {"t": -5.9}}, "starts": 4, "seed": 9}))
        self.assertFalse(np.array_equal(other["parameters"], result["parameters"]))
        for wrong, pointer in (({"starts": 0}, "/starts"), ({"starts": 51}, "/starts"), ({"seed": -1}, "/seed"),
                               ({"starts": 2, "parameters": [{"path": "/job/inputs/t", "lower": -6}]}, "/parameters/0/upper")):
            self.assert_problem(self.server.request("POST", "/v1/jobs", {**job, **wrong}), 400, "invalid_argument", pointer=pointer)

    def test_the_summary_says_how_the_best_run_went(self):
        of = self.swing()["of"]
        coarse = {**of, "t_end": 4, "integrator": {"method": "newmark", "h": 0.1},
                  "inputs": {"motor": {"type": "sine", "amplitude": 5, "frequency": 1.0, "phase": 0}}}
        job = {"kind": "design", "of": coarse, "parameters": [{"path": "/job/inputs/motor/amplitude", "lower": 1, "upper": 9}],
               "objective": [{"field": "q", "target": 0.1}], "unconverged": "keep"}
        done = self.finish(job)
        result = self.result(done)
        run = self.result(self.finish({**coarse, "inputs": {"motor": {**coarse["inputs"]["motor"], "amplitude": float(result["best"][0])}}}))
        own, alone = self.summary(result), self.summary(run)
        np.testing.assert_array_equal(result["q"], run["q"])
        self.assertEqual(own["integrator"], alone["integrator"])
        self.assertEqual((own["integrator"]["method"], own["integrator"]["rtol"]), ("newmark", None))
        self.assertEqual(own["energy"], alone["energy"])
        said = {(w["code"], w["pointer"]) for w in own["warnings"]}
        expected = {(w["code"], "/of" + w["pointer"]) for w in alone["warnings"]}
        self.assertIn("coarse_step", {code for code, _ in expected})
        self.assertLessEqual(expected, said)

    def test_a_controlled_robot_is_chosen_with_its_gains(self):
        """Numbers of the model and of the controller that looks at it together."""
        hold = {"type": "pd_plus", "channels": ["motor"], "kp": 8, "kd": 1, "reference": {"space": "joint", "t": [0, 1], "value": [0.3, 0.3]}}
        of = {"kind": "dynamics", "model": "pendulum", "t_end": 0.5, "integrator": {"method": "generalized_alpha", "h": 0.02}, "controller": hold,
              "output": {"dt": 0.1, "fields": ["q"]}}
        job = {"kind": "design", "of": of, "parameters": [{"path": "/model/links/0/body/mass", "lower": 1, "upper": 3},
                                                          {"path": "/job/controller/kp", "lower": 1, "upper": 40}],
               "objective": [{"field": "q", "target": 0.25}]}
        done = self.finish(job)
        result = self.result(done)
        self.assertAlmostEqual(result["q"][-1, 0], 0.25, delta=1e-3)
        self.assertLess(self.summary(result)["design"]["derivative_error"], 1e-3)

    def test_what_has_no_derivative_is_told_by_the_job_within(self):
        job = {"kind": "design", "of": {"kind": "statics", "model": "floating", "inputs": {"fx": 0.0}}, "parameters": ["/job/inputs/fx"],
               "objective": [{"field": "q", "target": [1] * 6}]}
        error = self.finish(job, "failed")["error"]
        self.assertEqual((error["code"], error["pointer"]), ("nonfinite", "/of"))
        self.assertIn("its stiffness is singular", error["detail"])

    def test_an_objective_too_large_for_its_squares_is_refused_at_its_place(self):
        job = {"kind": "design", "of": {"kind": "statics", "model": "pendulum", "inputs": {"motor": 1.0}}, "parameters": [MOTOR],
               "objective": [{"field": "q", "target": 1e200}]}
        self.assert_problem(self.server.request("POST", "/v1/jobs", job), 400, "invalid_argument", pointer="/objective/0/target", words=["1e+200"])

    def test_a_stiffness_between_two_equal_equilibria_is_blamed_itself(self):
        of = {"kind": "statics", "model": "pendulum", "inputs": {"motor": [1.0, 1.0]}}
        job = {"kind": "design", "of": of, "parameters": [{"path": "/model/links/0/body/mass", "lower": 0.5, "upper": 3}],
               "objective": [{"stiffness": 0, "field": "q", "at": [0, 1]}]}
        error = self.finish(job, "failed")["error"]
        self.assertEqual((error["code"], error["pointer"]), ("nonfinite", "/objective"))
        self.assertIn("between two equal places", error["detail"])

    def test_problems_without_a_solution_are_left_out_where_the_job_keeps_them(self):
        of = {"kind": "statics", "model": "pendulum", "inputs": {"motor": [1.0, 500.0, 2.0]}, "unconverged": "keep"}
        job = {"kind": "design", "of": of, "parameters": [{"path": "/model/links/0/body/mass", "lower": 0.5, "upper": 3}],
               "objective": [{"field": "q", "target": 0.15}], "constraints": [{"field": "q", "upper": 0.5}]}
        done = self.finish(job)
        self.assertIn(("unconverged", "/of/inputs"), [(w["code"], w["pointer"]) for w in done["warnings"]])
        result = self.result(done)
        self.assertTrue(np.isnan(result["q"][1, 0]))
        left = self.result(self.finish({**job, "of": {**of, "inputs": {"motor": [1.0, 2.0]}}}))
        np.testing.assert_allclose(result["best"], left["best"], rtol=1e-4)
        self.assertEqual(self.finish({**job, "of": {**of, "unconverged": "fail"}}, "failed")["error"]["code"], "unconverged")

    def test_places_are_those_of_the_document(self):
        job = self.swing(12, objective=[{"field": "q", "linear": -1}], unconverged="keep")
        job["parameters"] = [{"path": "/model/links/0/body/mass", "lower": 1.9, "upper": 2.1},
                             {"path": "/job/inputs/motor/value", "lower": -0.01, "upper": 0.01}]
        said = [w for w in self.finish(job)["warnings"] if w["code"] == "design_at_bound"]
        self.assertLessEqual({w["pointer"] for w in said}, {"/parameters/0", "/parameters/1"})
        for w in said:
            self.assertNotRegex(w["detail"], "/parameters/([2-9]|1[0-9])")

    def test_bounds_that_leave_the_first_value_out_say_what_it_is(self):
        job = {"kind": "design", "of": {"kind": "statics", "model": "pendulum", "inputs": {"motor": 1.5}}, "parameters": [{**MOTOR, "lower": 4}],
               "objective": [{"field": "q", "target": 0.5}]}
        answer = self.server.request("POST", "/v1/jobs", job)
        self.assert_problem(answer, 400, "invalid_argument", pointer="/parameters/0/lower", words=["4 is above the first value", "1.5"])

    def test_a_search_that_runs_out_of_evaluations_while_it_falls_is_no_optimum(self):
        job = self.swing(21, objective=[{"field": "q", "target": 0.4, "weight": 1e6}, {"field": "u", "target": 0, "weight": 1e-3, "at": "all"}],
                         method="mma", max_evaluations=6)
        error = self.finish(job, "failed")["error"]
        self.assertEqual((error["code"], error["pointer"]), ("unconverged", "/max_evaluations"))
        self.assertIn("falls still", error["detail"])


if __name__ == "__main__":
    main()
