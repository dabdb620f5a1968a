"""Jobs of kind design: optima that one can work out, constraints, ends that are none, and bits after a kill."""
import copy
import functools
import os
import signal
import time
import unittest

import numpy as np

from harness import ServerTest, main, pendulum, soft_arm

NPZ = {"Accept": "application/x-npz"}
WEIGHT = 2 * 9.81 * 0.5  # of the pendulum about its axis, N m
MOTOR = {"path": "/job/inputs/motor", "name": "torque", "lower": -20, "upper": 20}


def hanging(**more):
    return {"kind": "statics", "model": "pendulum", "inputs": {"motor": 1.0}, **more}


class Design(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        arm = soft_arm(order=2, name="arm")
        arm["links"][0]["body"]["strain"] = {"basis": "legendre", "order": {"bending_y": 2, "bending_z": 2}}
        two = copy.deepcopy({**arm, "name": "arm2"})
        two["actuators"].append({**two["actuators"][0], "name": "side", "routing": {"type": "linear", "base": [0.03, 0], "tip": [0.015, 0]}})
        for model in (pendulum(), arm, two):
            assert cls.server.request("POST", "/v1/models", model).status == 201

    def finish(self, job, state="succeeded"):
        done = self.server.wait(self.server.submit(job))
        self.assertEqual(done["state"], state, done)
        return done

    def result(self, job_id, query=""):
        return self.server.request("GET", f"/v1/jobs/{job_id}/result{query}", headers=NPZ).npz()

    def run_of(self, job):
        return self.result(self.finish(job)["id"])

    def summary(self, job_id):
        return self.server.request("GET", f"/v1/jobs/{job_id}/result").json()["summary"]["design"]

    def goal(self, q=0.5, **more):
        return {"kind": "design", "of": hanging(), "parameters": [MOTOR],
                "objective": [{"field": "q", "target": q, "weight": 2}], **more}

    def test_every_method_finds_the_torque_that_holds_an_angle(self):
        for method in ("slsqp", "mma", "lbfgs"):
            done = self.finish(self.goal(method=method, tolerance=1e-8))
            result, found = self.result(done["id"]), self.summary(done["id"])
            self.assertAlmostEqual(result["best"][0], WEIGHT * np.sin(0.5), delta=0.01, msg=method)
            np.testing.assert_allclose(result["q"], [[0.5]], atol=1e-3)  # of the best
            self.assertEqual((found["end"], found["method"], found["parameters"][0]["name"]), ("converged", method, "torque"))
            self.assertEqual(result["parameters"].shape, (found["evaluations"], 1))
            np.testing.assert_array_equal(result["parameters"][found["best"]], result["best"])
            self.assertAlmostEqual(result["objective"][0], found["first_objective"])
            self.assertLess(found["objective"], 1e-5)

    def test_the_one_job_of_a_design_may_be_called_0_and_no_other_number(self):
        job = self.goal(constraints=[{"of": 0, "field": "q", "upper": 0.4}])
        job["objective"][0]["of"] = 0
        job["parameters"] = [{**MOTOR, "of": 0}]
        said, plain = self.run_of(job), self.run_of(self.goal(constraints=[{"field": "q", "upper": 0.4}]))
        self.assertEqual(said["best"].tobytes(), plain["best"].tobytes())
        for pointer, change, words in (("/objective/0/of", lambda j: j["objective"][0].update(of=1), ["must be 0"]),
                                       ("/constraints/0/of", lambda j: j["constraints"][0].update(of=[0]), ["must be 0"]),
                                       ("/parameters/0/of", lambda j: j["parameters"][0].update(of=1), ["0, or leave it out"]),
                                       ("/constraints/0/uper", lambda j: j["constraints"][0].update(uper=1), ["upper", "lower, upper", "known here: field, select, at"]),
                                       ("/constraints/0/target", lambda j: j["constraints"][0].update(target=1), ["unknown key"])):
            wrong = copy.deepcopy(job)
            change(wrong)
            self.assert_problem(self.server.request("POST", "/v1/jobs", wrong), 400, "invalid_argument", pointer, words=words)

    def test_a_constraint_holds_what_the_objective_would_leave(self):
        held = self.goal(0.5, constraints=[{"field": "q", "upper": 0.3}])
        done = self.finish(held)
        result = self.result(done["id"])
        np.testing.assert_allclose(result["q"], [[0.3]], atol=1e-5)
        self.assertLessEqual(self.summary(done["id"])["violation"], 1e-6)
        self.assertGreater(result["violation"].shape[0], 1)

    def test_material_and_tension_are_chosen_together_along_a_list(self):
        of = {"kind": "statics", "model": "arm", "inputs": {"cable": [0, 4, 8]}, "output": {"fields": ["poses:arm"]}}
        young = {"path": "/model/links/0/body/material/young", "lower": 2e5, "upper": 5e6, "scale": "log", "name": "young"}
        done = self.finish({"kind": "design", "of": of, "parameters": [young, {"path": "/job/inputs/cable/2", "lower": 0, "upper": 20}],
                            "objective": [{"field": "poses:arm@1", "select": [[0, 3]], "target": 0.2, "weight": 100, "at": [2]}],
                            "constraints": [{"field": "poses:arm@1", "select": [[2, 3]], "upper": -0.4, "at": "all"}]})
        result = self.result(done["id"])
        tip, began = result["poses:arm@1"][:, :3, 3], self.run_of(of)["poses:arm"]
        np.testing.assert_allclose(result["first:poses:arm"], began, atol=1e-9)  # shapes where the search began
        self.assertGreater(np.abs(result["poses:arm"] - began).max(), 0.01)
        self.assertNotIn("first:q", result)
        self.assertTrue((tip[:, 2] < -0.4 + 1e-5).all(), tip)
        self.assertLess(self.summary(done["id"])["objective"], 0.5 * self.summary(done["id"])["first_objective"])

    def test_an_input_over_time_is_a_design_like_any_other(self):
        run = {"kind": "dynamics", "model": "pendulum", "t_end": 1, "integrator": {"method": "newmark", "h": 0.02},
               "inputs": {"motor": {"type": "table", "t": [0, 0.5, 1], "value": [0.0, 0.0, 0.0]}}, "output": {"dt": 0.1, "fields": ["q"]}}
        done = self.finish({"kind": "design", "of": run, "parameters": [{"path": "/job/inputs/motor/value", "lower": -30, "upper": 30}],
                            "objective": [{"field": "q", "target": 0.4, "weight": 100}, {"field": "qd", "target": 0, "weight": 1}]})
        result = self.result(done["id"])
        self.assertAlmostEqual(result["q"][-1, 0], 0.4, delta=5e-3)
        self.assertEqual(result["best"].shape, (3,))
        self.assertEqual(result["t"].shape, result["q"].shape[:1])
        self.assertLess(self.summary(done["id"])["derivative_error"], 1e-3)

    def test_ends_that_are_no_optimum_fail_with_what_was_evaluated_or_warn_where_that_is_expected(self):
        nowhere = self.goal(constraints=[{"field": "q", "lower": 0.6}, {"field": "q", "upper": 0.3}])
        done = self.finish(nowhere, "failed")
        self.assertEqual((done["error"]["code"], done["error"]["pointer"]), ("unconverged", "/constraints/0"))
        self.assertGreater(self.result(done["id"], "?partial=1")["objective"].shape[0], 1)
        done = self.finish({**nowhere, "unconverged": "keep"})
        self.assertIn("unconverged", [w["code"] for w in done["warnings"]])
        self.assertEqual(self.summary(done["id"])["end"], "infeasible")
        done = self.finish(self.goal(max_evaluations=1), "failed")
        self.assertEqual(done["error"]["pointer"], "/max_evaluations")

    def reach(self, weight=1.0, **more):
        """Two cables of the arm that bring its tip near a place aside."""
        cables = [{"path": f"/job/inputs/{name}", "name": name, "lower": 0, "upper": 20} for name in ("cable", "side")]
        return {"kind": "design", "of": {"kind": "statics", "model": "arm2", "inputs": {"cable": 1, "side": 1}}, "parameters": cables,
                "objective": [{"field": "poses:arm@1", "select": [[0, 3], [1, 3]], "target": [0.2, 0.1], "weight": weight}], **more}

    def detail(self, job):
        done = self.finish(job, "failed")
        self.assertEqual(done["error"]["code"], "unconverged")
        return done["error"]["pointer"], done["error"]["detail"]

    def warnings(self, job, state="succeeded"):
        return [(w["code"], w["pointer"]) for w in self.finish(job, state)["warnings"]]

    def test_a_design_at_a_constraint_depends_on_no_weight(self):
        bound = [{"field": "poses:arm@1", "select": [[0, 3]], "upper": 0.1}]
        for method in ("slsqp", "mma"):
            for weight in (1e-6, 1, 1e3, 1e6):
                done = self.finish(self.reach(weight, constraints=bound, method=method))
                np.testing.assert_allclose(self.result(done["id"])["best"], [12.1446, 12.1446], rtol=2e-4, err_msg=f"{method} {weight}")
                self.assertAlmostEqual(self.summary(done["id"])["objective"] / weight, 0.005, delta=1e-6)

    def test_tensions_are_bounded_by_what_tendons_can_do(self):
        for bounds in ({}, {"lower": -5, "upper": 20}):
            free = [{"path": f"/job/inputs/{name}", **bounds} for name in ("cable", "side")]
            away = [{"field": "poses:arm@1", "select": [[0, 3], [1, 3]], "target": [-0.2, 0.1]}]
            done = self.finish(self.reach(parameters=free, objective=away))
            best = self.result(done["id"])["best"]
            self.assertEqual(best.min(), 0)
            self.assertAlmostEqual(best.max(), 11.787, delta=0.01)
            self.assertEqual([w["code"] for w in done["warnings"]].count("design_at_bound"), 1)

    def test_an_objective_without_a_least_value_fails_and_names_what_runs_away(self):
        length = {"path": "/model/links/0/body/length", "name": "length"}
        down = self.reach(parameters=[length], objective=[{"field": "poses:arm@1", "select": [[2, 3]], "linear": 1}])
        pointer, detail = self.detail(down)
        self.assertEqual(pointer, "/parameters/0")
        self.assertRegex(detail, "no least value.*length has gone from 0.5 to .*upper")
        self.assertIn(("design_unbounded", "/parameters/0"), self.warnings({**down, "unconverged": "keep"}))
        down["parameters"] = [{**length, "upper": 0.7}]
        self.assertNotIn("design_unbounded", [code for code, _ in self.warnings(down)])

    def test_a_number_without_effect_is_named(self):
        job = self.reach()
        job["parameters"].append({"path": "/model/links/0/body/material/viscosity", "name": "viscosity", "lower": 1e3, "upper": 1e5})
        found = self.warnings(job)
        self.assertIn(("no_effect", "/parameters/2"), found)
        self.assertNotIn(("no_effect", "/parameters/0"), found)

    def test_what_cannot_be_met_is_said_with_the_best_that_can_be_had(self):
        tip = {"field": "poses:arm@1", "select": [[0, 3]]}
        pointer, detail = self.detail(self.reach(constraints=[{**tip, "upper": 0.3}, {**tip, "lower": 0.4}]))
        self.assertEqual(pointer, "/constraints/1")
        self.assertRegex(detail, r"poses:arm@1\[0\]\[3\] of problem 0 is 0\.16\d*, at least 0.4 is wanted \(0\.2\d+ off, /constraints/1\)")
        self.assertRegex(detail, "at their bounds there: cable")
        pointer, detail = self.detail(self.reach(constraints=[{**tip, "upper": 0.3}], max_evaluations=3))
        self.assertEqual(pointer, "/max_evaluations")

    def two_jobs(self, **more):
        """The arm pulled aside by its one cable, then by the other: the first as far as 0.1 m, the other as far as it goes."""
        def of(**inputs):
            return {"kind": "statics", "inputs": {"cable": 0, "side": 0, **inputs}}

        def aside(axis, **term):
            return {"field": "poses:arm@1", "select": [[axis, 3]], **term}
        first = {"path": "/job/inputs/cable", "name": "pull", "of": 0, "lower": 0, "upper": 20}
        other = {"path": "/job/inputs/side", "name": "side", "of": [1], "lower": 0, "upper": 20}
        young = {"path": "/model/links/0/body/material/young", "name": "young", "lower": 2e5, "upper": 2e6, "scale": "log"}
        return {"kind": "design", "of": [{**of(cable=1), "model": "arm2"}, of(side=1)], "parameters": [first, young, other],
                "objective": [aside(0, target=0.1, weight=1e3), aside(1, target=0.15, weight=1e3, of=1)],
                "constraints": [{"field": "u", "select": [1], "upper": 8, "of": 1}], **more}

    def test_several_jobs_share_a_robot_and_have_numbers_of_their_own(self):
        job = self.two_jobs()
        done = self.finish(job)
        result, found = self.result(done["id"]), self.summary(done["id"])
        self.assertEqual([(row["name"], row["of"]) for row in found["parameters"]], [("pull", [0]), ("young", None), ("side", [1])])
        self.assertAlmostEqual(result["0:poses:arm@1"][0, 0, 3], 0.1, delta=1e-4)
        self.assertAlmostEqual(result["1:poses:arm@1"][0, 1, 3], 0.15, delta=1e-4)
        best = dict(zip(("pull", "young", "side"), result["best"]))
        self.assertLessEqual(best["side"], 8 + 1e-5)
        np.testing.assert_allclose(result["0:u"], [[best["pull"], 0]])
        np.testing.assert_allclose(result["1:u"], [[0, best["side"]]])
        loose = self.summary(self.finish({**job, "constraints": []})["id"])
        self.assertLessEqual(loose["objective"], found["objective"] + 1e-9)

    def test_what_is_wrong_with_several_jobs_is_placed_in_the_whole(self):
        def refused(pointer, change, words=()):
            job = copy.deepcopy(self.two_jobs())
            change(job)
            self.assert_problem(self.server.request("POST", "/v1/jobs", job), 400, "invalid_argument", pointer=pointer, words=words)

        refused("/objective/1/of", lambda job: job["objective"][1].update(of=2), ["0 to 1"])
        refused("/objective/1/field", lambda job: job["objective"][1].update(field="poses:leg@1"))
        refused("/constraints/0/select/0", lambda job: job["constraints"][0].update(select=[7]))
        refused("/of/1/inputs/sidd", lambda job: job["of"][1].update(inputs={"sidd": 1}))
        refused("/of/1/model", lambda job: job["of"][1].update(model="arm"))
        refused("/of/0/model", lambda job: job["of"][0].pop("model"))
        refused("/of", lambda job: job.update(of=[]))
        refused("/objective", lambda job: job.update(objective=3))
        refused("/objective", lambda job: job.update(objective=[]))
        refused("/objective/0", lambda job: job.update(objective=[None]))
        refused("/constraints", lambda job: job.update(constraints="x"))
        refused("/constraints/0", lambda job: job.update(constraints=[3]))
        refused("/objective", lambda job: job.pop("objective"))
        refused("/of", lambda job: job["of"].append(job["of"][1]), ["job 2"])
        refused("/parameters/2/of", lambda job: job["parameters"][2].update(of=4), ["no job 4"])
        refused("/parameters/2", lambda job: job["parameters"][2].update(path="/job/inputs/sidd"))
        refused("/constraints/0/of", lambda job: job.update(of=job["of"][0], objective=[{**job["objective"][0], "of": 0}], parameters=[MOTOR]), ["must be 0"])

    def swing(self, values=51, **more):
        """The torque over time, value by value, that brings the pendulum to rest at an angle."""
        table = {"type": "table", "t": np.linspace(0, 1, values).tolist(), "value": [0.0] * values}
        run = {"kind": "dynamics", "model": "pendulum", "t_end": 1, "integrator": {"method": "generalized_alpha", "h": 0.02},
               "inputs": {"motor": table}, "output": {"dt": 0.02, "fields": ["q"]}}  # a sample for each value
        return {"kind": "design", "of": run, "parameters": [{"path": "/job/inputs/motor/value", "lower": -30, "upper": 30}],
                "objective": [{"field": "q", "target": 0.4, "weight": 100}, {"field": "qd", "target": 0}, {"field": "u", "target": 0, "weight": 1e-3, "at": "all"}],
                **more}

    def test_many_numbers_go_backward_and_come_to_what_few_come_to_forward(self):
        few, many = self.finish(self.swing(11)), self.finish(self.swing(51))
        self.assertEqual([self.summary(done["id"])["derivatives"] for done in (few, many)], ["forward", "backward"])
        for done in (few, many):
            result, found = self.result(done["id"]), self.summary(done["id"])
            self.assertAlmostEqual(result["q"][-1, 0], 0.4, delta=0.01)
            self.assertEqual((found["end"], len(found["parameters"])), ("converged", result["best"].size))
            self.assertLess(found["derivative_error"], 1e-3)
            self.assertNotIn("gradient", result)
        for method in ("lbfgs", "mma"):
            other = self.summary(self.finish(self.swing(51, method=method))["id"])
            self.assertAlmostEqual(other["objective"], found["objective"], delta=2e-3 * found["objective"])

    def test_constraints_of_many_numbers_hold_and_go_backward_too(self):
        bound = [{"field": "q", "lower": 0.2, "at": [0.5]}, {"field": "q", "lower": 0.1, "upper": 0.35}]
        done = self.finish(self.swing(101, constraints=bound))
        result, found = self.result(done["id"]), self.summary(done["id"])
        self.assertEqual((found["derivatives"], found["end"]), ("backward", "converged"))
        q = dict(zip(np.round(result["t"], 3).tolist(), result["q"][:, 0].tolist()))
        self.assertAlmostEqual(q[0.5], 0.2, delta=1e-5)
        self.assertAlmostEqual(q[1.0], 0.35, delta=1e-5)

    def test_peaks_are_held_below_a_bound_forward_and_backward(self):
        for values, way in ((11, "forward"), (101, "backward")):
            done = self.finish(self.swing(values, constraints=[{"peak": 200, "field": "qd", "upper": 0.5}]))
            result, found = self.result(done["id"]), self.summary(done["id"])
            self.assertEqual((found["derivatives"], found["end"]), (way, "converged"))
            self.assertLess(result["qd"].max(), 0.5)  # a peak is above the largest
            self.assertGreater(result["qd"].max(), 0.5 - np.log(51) / 200)
            self.assertAlmostEqual(result["q"][-1, 0], 0.4, delta=0.02)

    def test_the_least_work_that_lifts_a_pendulum_is_what_it_gains(self):
        gained = WEIGHT * (1 - np.cos(0.4))
        lift = [{"field": "q", "target": 0.4, "weight": 1e4}, {"field": "qd", "target": 0, "weight": 1e4}]
        for values, way in ((11, "forward"), (101, "backward")):
            job = self.swing(values, objective=[*lift, {"work": [0], "field": "q", "linear": 1}])
            few = 60 if way == "forward" else 4  # torques between samples do work that no sample sees
            done = self.finish({**job, "unconverged": "keep", "max_evaluations": few})
            found, result = self.summary(done["id"]), self.result(done["id"])
            self.assertEqual(found["derivatives"], way)
            self.assertLess(found["derivative_error"], 1e-3)
            if way == "forward":
                work = (0.5 * (result["u"][1:] + result["u"][:-1]) * np.diff(result["q"], axis=0)).sum()
                self.assertAlmostEqual(work, gained, delta=0.02 * gained)

    def test_a_stiffness_between_two_equilibria_is_kept(self):
        of = {"kind": "statics", "model": "pendulum", "inputs": {"motor": [2.0, 2.1]}}
        mass = {"path": "/model/links/0/body/mass", "name": "mass", "lower": 1, "upper": 10}
        done = self.finish({"kind": "design", "of": of, "parameters": [mass], "objective": [{"field": "q", "linear": -1, "at": [0]}],
                            "constraints": [{"stiffness": 0, "field": "q", "select": [0], "at": [0, 1], "lower": 6.0}]})
        q = self.result(done["id"])["q"][:, 0]
        self.assertAlmostEqual(0.1 / (q[1] - q[0]), 6.0, delta=1e-4)

    def test_scipy_finds_the_same_optimum_over_the_same_gradients(self):
        """Two cables within a constraint, and a torque of many values within none."""
        try:
            from scipy import optimize
        except ImportError:
            self.skipTest("no scipy")

        def value_and_gradient(design, objective, p):
            of, at = copy.deepcopy(design["of"]), 0
            for row in design["parameters"]:
                *way, last = row["path"].split("/")[2:]
                place = functools.reduce(lambda part, key: part[key], way, of)
                count = np.size(place[last])
                place[last] = p[at:at + count].tolist() if np.ndim(place[last]) else float(p[at])
                at += count
            done = self.finish({"kind": "gradient", "of": of, "parameters": [row["path"] for row in design["parameters"]], "objective": objective})
            result = self.result(done["id"])
            return float(result["value"]), result["gradient"]

        def minimize(design, start, **more):
            bounds = [(design["parameters"][0]["lower"], design["parameters"][0]["upper"])] * start.size
            return optimize.minimize(lambda p: value_and_gradient(design, design["objective"], p), start, jac=True, bounds=bounds, **more)

        tip = {"field": "poses:arm@1", "select": [[0, 3]]}
        cables = self.reach(1e3, constraints=[{**tip, "upper": 0.1}])
        sideways = {"type": "ineq", "fun": lambda p: 0.1 - value_and_gradient(cables, [{**tip, "linear": 1}], p)[0],
                    "jac": lambda p: -value_and_gradient(cables, [{**tip, "linear": 1}], p)[1]}
        theirs = minimize(cables, np.ones(2), method="SLSQP", constraints=[sideways], options={"ftol": 1e-12})
        ours = self.result(self.finish(cables)["id"])
        np.testing.assert_allclose(ours["best"], theirs.x, rtol=1e-4)
        swing = self.swing(51)
        theirs = minimize(swing, np.zeros(51), method="L-BFGS-B", options={"ftol": 1e-13, "gtol": 1e-9})
        done = self.finish({**swing, "tolerance": 1e-8})
        ours, found = self.result(done["id"]), self.summary(done["id"])
        self.assertEqual(found["derivatives"], "backward")
        self.assertAlmostEqual(found["objective"] / theirs.fun, 1, delta=1e-5)
        np.testing.assert_allclose(ours["best"], theirs.x, atol=0.02 * np.abs(theirs.x).max())

    def test_a_bound_that_keeps_the_best_away_is_told(self):
        done = self.finish(self.goal(1.2, parameters=[{**MOTOR, "upper": 3}]))
        self.assertIn(("design_at_bound", "/parameters/0"), [(w["code"], w["pointer"]) for w in done["warnings"]])
        self.assertAlmostEqual(self.result(done["id"])["best"][0], 3, delta=1e-4)

    def test_what_cannot_be_designed_is_refused_at_its_place(self):
        def refused(pointer, change, words=()):
            job = copy.deepcopy(self.goal(constraints=[{"field": "q", "upper": 1}]))
            change(job)
            self.assert_problem(self.server.request("POST", "/v1/jobs", job), 400, "invalid_argument", pointer=pointer, words=words)

        refused("/method", lambda job: job.update(method="lbfgs"), ["lbfgs"])
        refused("/constraints/0", lambda job: job["constraints"][0].pop("upper"))
        refused("/constraints/0/upper", lambda job: job["constraints"][0].update(lower=2))
        refused("/constraints/0/field", lambda job: job["constraints"][0].update(field="poses:leg@1"))
        refused("/constraints/0/linear", lambda job: job["constraints"][0].update(linear=2))
        refused("/objective/0/field", lambda job: job["objective"][0].update(field="speed"))
        refused("/parameters/0", lambda job: job["parameters"][0].update(path="/job/inputs/moter"))
        refused("/parameters/0/upper", lambda job: job["parameters"][0].update(upper=0.5))
        refused("/objective/0/work", lambda job: job["objective"].insert(0, {"work": [3], "field": "q"}), ["no channel 3"])
        refused("/objective/0/peak", lambda job: job["objective"].insert(0, {"peak": 0, "field": "q"}))
        refused("/objective/0/target", lambda job: job["objective"].insert(0, {"peak": 1, "field": "q", "target": 1}))
        refused("/constraints/0/at", lambda job: job["constraints"].insert(0, {"stiffness": 0, "field": "q", "upper": 1}))
        refused("/of/inputs/moter", lambda job: job["of"].update(inputs={"moter": 1}))

    def test_a_design_whose_worker_is_killed_comes_to_the_same_bits(self):
        for t_end in (5, 20, 80, 320):  # it has a checkpoint after a second
            run = {"kind": "dynamics", "model": "pendulum", "t_end": t_end, "integrator": {"method": "newmark", "h": 0.002},
                   "inputs": {"motor": {"type": "table", "t": [0, t_end], "value": [0.0, 0.0]}}, "output": {"dt": t_end, "fields": ["q"]}}
            job = {"kind": "design", "of": run, "parameters": [{"path": "/job/inputs/motor/value", "lower": -3, "upper": 3}],
                   "objective": [{"field": "q", "target": 0.1}], "max_evaluations": 4, "starts": 2, "seed": 3, "unconverged": "keep"}
            first = self.server.submit(job)
            while self.server.job(first)["state"] in ("queued", "running"):
                if self.server.request("GET", f"/v1/jobs/{first}/result?partial=1", headers=NPZ).status == 200:
                    break
                time.sleep(0.01)
            if self.server.job(first)["state"] == "running":
                break
        os.kill(self.server.workers_running()[0], signal.SIGKILL)
        second = self.server.submit(job)
        for job_id in (first, second):
            self.assertEqual(self.server.wait(job_id)["state"], "succeeded")
        self.assertGreater(self.server.job(first)["attempt"], 1)
        one, other = self.result(first), self.result(second)
        for name in one:
            if name != "summary":
                np.testing.assert_array_equal(one[name], other[name], err_msg=name)


if __name__ == "__main__":
    main()
