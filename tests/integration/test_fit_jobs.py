"""Jobs of kind fit: parameters of robots from records that the server's own runs made, with noise of known size."""
import copy
import os
import signal
import time
import unittest

import numpy as np

from harness import ServerTest, main, pendulum, soft_arm

NPZ = {"Accept": "application/x-npz"}
MATERIAL = "/model/links/0/body/material/"
TIP = [[0, 3], [1, 3], [2, 3]]


def swinging():
    """The pendulum with a damper."""
    model = pendulum(name="swinging")
    model["links"][0]["joint"]["damping"] = 0.4
    return model


def swing(**more):
    return {"kind": "dynamics", "t_end": 2, "initial": {"q": [1.0]}, "integrator": {"method": "newmark", "h": 0.01}, **more}


def arm():
    model = soft_arm(order=2, name="arm")
    model["links"][0]["pose"]["rpy"] = [0, 0.6, 0]  # its weight bends it
    model["links"][0]["body"]["strain"] = {"basis": "legendre", "order": {"bending_y": 2, "bending_z": 2}}
    return model


class Fit(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for model in (swinging(), arm()):
            assert cls.server.request("POST", "/v1/models", model).status == 201

    def finish(self, job, state="succeeded"):
        done = self.server.wait(self.server.submit(job))
        self.assertEqual(done["state"], state, done)
        return done

    def run_job(self, job):
        return self.result(self.finish(job)["id"])

    def result(self, job_id, query=""):
        return self.server.request("GET", f"/v1/jobs/{job_id}/result{query}", headers=NPZ).npz()

    def summary(self, job_id, query=""):
        return self.server.request("GET", f"/v1/jobs/{job_id}/result{query}").json()["summary"]

    def measure(self, job, model, field, sigma, times=None, select=None, seed=1):
        """A record of what the job gives, with noise."""
        if job["kind"] == "dynamics":
            output = {"output": {"dt": 0.05, "fields": [field]}}
        else:
            output = {} if field == "q" else {"output": {"fields": [field]}}
        result = self.run_job({**job, "model": model, **output})
        rows = result[field]
        record = {"field": field, "sigma": sigma}
        if select:
            rows = np.stack([rows[(slice(None), *index)] for index in select], axis=1)
            record["select"] = select
        if job["kind"] == "dynamics":
            keep = slice(1, None, 2)
            rows, record["t"] = rows[keep], result["t"][keep].tolist()
        noise = sigma * np.random.default_rng(seed).standard_normal(rows.shape)
        return {**record, "value": (rows + noise).tolist()}

    def swing_fit(self, **more):
        record = self.measure(swing(), "swinging", "q", 0.01)
        return {"kind": "fit", "model": "swinging", "of": [{"job": swing(), "data": [record]}],
                "parameters": [{"path": "/model/links/0/joint/damping", "name": "damping", "value": 1.5, "lower": 0.01,
                                "upper": 10, "scale": "log"},
                               {"path": "/model/links/0/body/com/2", "name": "reach", "value": -0.8, "lower": -1,
                                "upper": -0.1}], **more}

    def assert_recovered(self, result, truth):
        off = (result["best"] - truth) / result["deviation"]
        self.assertTrue((np.abs(off) < 3.5).all(), (result["best"], truth, off))

    def test_a_damper_and_a_reach_are_recovered_from_noisy_swings_within_what_the_covariance_says(self):
        done = self.finish(self.swing_fit())
        result, fit = self.result(done["id"]), self.summary(done["id"])["fit"]
        self.assert_recovered(result, [0.4, -0.5])
        self.assertLess(result["deviation"][1], 0.02)
        self.assertEqual((fit["end"], fit["samples"], fit["derivative_error"] < 1e-3), ("converged", 20, True))
        self.assertAlmostEqual(fit["misfit"], 1, delta=0.6)
        self.assertEqual([p["name"] for p in fit["parameters"]], ["damping", "reach"])
        np.testing.assert_allclose(result["parameters"][0], [1.5, -0.8])
        np.testing.assert_array_equal(result["parameters"][-1], result["best"])
        self.assertTrue((np.diff(result["cost"]) < 0).all())
        first = (result["first:0:0"] - result["measured:0:0"]) / 0.01
        np.testing.assert_allclose(result["cost"][0], 0.5 * (first**2).sum(), rtol=1e-9)
        np.testing.assert_allclose(result["residual:0:0"], (result["fitted:0:0"] - result["measured:0:0"]) / 0.01)
        np.testing.assert_allclose(result["cost"][-1], 0.5 * (result["residual:0:0"] ** 2).sum(), rtol=1e-9)
        np.testing.assert_allclose(np.diag(result["correlation"]), 1)
        self.assertEqual(result["singular_values"].shape, (2,))

    def test_what_a_person_would_see_in_the_data_is_said(self):
        job = {"kind": "statics", "inputs": {"cable": [0, 2, 4, 6]}}
        good = np.array(self.measure(job, "arm", "poses:arm@1", 1e-4, select=TIP)["value"])
        mirrored, lost, lonely = good * [1, 1, -1], good.copy(), good.copy()
        lost[2], lonely[3, 0] = 0, 9e-1
        for what, rows, sigma, words in (("millimetres", 1000 * good, 0.1, "same units"), ("millimetres", 1000 * good, None, "same units"),
                                         ("signs", mirrored, 1e-4, "opposite sign"), ("lost", lost, 1e-4, "numbers that are 0"),
                                         ("outlier", lonely, 1e-4, "0.9 was measured where"), ("fine", good, 1e-4, None)):
            with self.subTest(what=what, sigma=sigma):
                record = {"field": "poses:arm@1", "select": TIP, "value": rows.tolist(), **({"sigma": sigma} if sigma else {})}
                done = self.finish({"kind": "fit", "model": "arm", "of": [{"job": job, "data": [record]}], "unconverged": "keep", "max_iterations": 8,
                                    "parameters": [{"path": MATERIAL + "young", "lower": 1e5, "upper": 1e8, "scale": "log"}]})
                said = " ".join(w["detail"] for w in done["warnings"] if w["code"] == "misfit")
                self.assertEqual(bool(said), bool(words), done["warnings"])
                self.assertIn(words or "", said)

    def test_leftovers_with_a_pattern_are_no_noise(self):
        truth = self.run_job({**swing(), "model": "swinging", "output": {"dt": 0.02, "fields": ["q"]}})
        reach = {"path": "/model/links/0/body/com/2", "name": "reach", "value": -0.45, "lower": -1, "upper": -0.1}
        damping = {"path": "/model/links/0/joint/damping", "name": "damping", "lower": 0.01, "upper": 10}
        rows = truth["q"][1:] + 0.01 * np.random.default_rng(3).standard_normal(truth["q"][1:].shape)
        record = {"field": "q", "t": truth["t"][1:].tolist(), "value": rows.tolist()}
        model = swinging()
        model["links"][0]["joint"]["damping"] = 0.46
        for parameters, sigma, words in (([reach], {}, "no noise"), ([reach], {"sigma": 0.03}, "no noise"), ([reach, damping], {}, None), ([reach, damping], {"sigma": 0.01}, None)):
            with self.subTest(parameters=len(parameters), **sigma):
                done = self.finish({"kind": "fit", "model": model, "of": [{"job": swing(), "data": [{**record, **sigma}]}], "parameters": parameters})
                said = " ".join(w["detail"] for w in done["warnings"] if w["code"] == "misfit")
                self.assertEqual(bool(said), bool(words), done["warnings"])
                self.assertIn(words or "", said)

    def test_a_bound_does_not_hide_what_the_data_do_not_tell(self):
        """The period tells the stiffness over the inertia only; with one of them at its bound the other looks well known."""
        def model(stiffness, mass):
            made = pendulum(name="sprung")
            made["gravity"] = [0, 0, 0]
            made["links"][0]["joint"]["stiffness"] = stiffness
            made["links"][0]["body"].update(mass=mass, inertia=[1e-9, 1e-9, 1e-9])
            return made
        record = self.measure(swing(), model(10, 1), "q", 0.003)
        done = self.finish({"kind": "fit", "model": model(18, 1.4), "of": [{"job": swing(), "data": [record]}],
                            "parameters": [{"path": "/model/links/0/joint/stiffness", "name": "k", "lower": 1, "upper": 100, "scale": "log"},
                                           {"path": "/model/links/0/body/mass", "name": "m", "lower": 1.39, "upper": 1.41, "scale": "log"}]})
        said = {w["code"]: w["detail"] for w in done["warnings"]}
        self.assertIn("fit_at_bound", said)
        self.assertIn("0.71 ln(k) + 0.71 ln(m)", said["unidentified"].replace("0.71 ln(m) + 0.71 ln(k)", "0.71 ln(k) + 0.71 ln(m)"))

    def test_the_stiffness_and_the_weight_of_an_arm_are_told_by_equilibria_under_known_tensions(self):
        job = {"kind": "statics", "inputs": {"cable": [0, 4, 8]}}
        record = self.measure(job, "arm", "poses:arm@1", 1e-4, select=TIP)
        record["value"][1][2] = None
        start = arm()
        start["links"][0]["body"]["material"].update(young=3e6, density=400)
        result = self.run_job({"kind": "fit", "of": [{"job": {**job, "model": start}, "data": [record]}],
                               "parameters": [{"path": MATERIAL + "young", "lower": 1e5, "upper": 1e7, "scale": "log"},
                                              {"path": MATERIAL + "density", "lower": 100, "upper": 1e4, "scale": "log"}]})
        self.assert_recovered(result, [1e6, 1000])
        self.assertTrue(np.isnan(result["residual:0:0"][1, 2]))
        self.assertEqual(np.isnan(result["residual:0:0"]).sum(), 1)

    def test_experiments_of_both_kinds_count_together(self):
        still, moving = {"kind": "statics"}, {"kind": "dynamics", "t_end": 0.4, "integrator": {"method": "newmark", "h": 0.01}}
        data = [self.measure(still, "arm", "poses:arm@1", 1e-4, select=TIP), self.measure(moving, "arm", "q", 1e-3)]
        result = self.run_job({"kind": "fit", "model": "arm",
                               "of": [{"job": still, "data": data[:1]}, {"job": moving, "data": data[1:]}],
                               "parameters": [{"path": MATERIAL + "viscosity", "lower": 1e3, "upper": 1e5, "value": 3e4},
                                              {"path": MATERIAL + "young", "lower": 1e5, "upper": 1e7, "value": 2e6}]})
        self.assert_recovered(result, [1e4, 1e6])
        self.assertEqual(result["fitted:1:0"].shape, np.shape(data[1]["value"]))

    def of_swings(self, jobs, parameters, model="swinging", sigma=0.003, **more):
        """A fit of several swings, measured as they are, begun off them."""
        of = [{"job": job, "data": [self.measure(job, model, "q", sigma, seed=k)]} for k, job in enumerate(jobs)]
        return {"kind": "fit", "model": model, "of": of, "parameters": parameters, **more}

    def fitted(self, fit, truth, allowed=1e-4):
        done = self.finish(fit)
        result, said = self.result(done["id"]), self.summary(done["id"])["fit"]
        self.assert_recovered(result, truth)
        self.assertLess(said["derivative_error"], allowed)
        told = [w["pointer"] for w in done["warnings"] if w["code"] == "by_differences"]
        self.assertEqual(told, [f"/of/{i}/job/integrator/method" for i, of in enumerate(fit["of"]) if of["job"].get("integrator", {}).get("method") == "bdf"])
        return said

    def test_where_each_swing_began_is_found_beside_what_all_of_them_share(self):
        jobs = [swing(initial={"q": [angle], "qd": [rate]}) for angle, rate in ((1.0, 0), (-0.6, 0.5), (0.3, 0.5))]
        said = self.fitted(self.of_swings(jobs, [{"path": "/model/links/0/joint/damping", "value": 0.8, "lower": 0.01, "upper": 10, "scale": "log"},
                                                 {"path": "/job/initial/q/0", "of": 0, "value": 0.8, "lower": -2, "upper": 2},
                                                 {"path": "/job/initial/q/0", "of": 1, "value": -0.4, "lower": -2, "upper": 2, "name": "second"},
                                                 {"path": "/job/initial/qd/0", "of": [1, 2], "value": 0, "lower": -2, "upper": 2}]), [0.4, 1.0, -0.6, 0.5])
        self.assertEqual([(p["name"], p["path"], p["of"]) for p in said["parameters"]],
                         [("/model/links/0/joint/damping", "/model/links/0/joint/damping", None), ("/job/initial/q/0 of 0", "/job/initial/q/0", [0]),
                          ("second", "/job/initial/q/0", [1]), ("/job/initial/qd/0 of 1, 2", "/job/initial/qd/0", [1, 2])])

    def test_inputs_that_all_experiments_share_and_gains_are_found(self):
        torque = {"motor": {"type": "sine", "amplitude": 3, "frequency": 0.7, "phase": 0.4}}
        jobs = [swing(inputs=torque), swing(inputs=torque, initial={"q": [-0.5]})]
        self.fitted(self.of_swings(jobs, [{"path": "/job/inputs/motor/amplitude", "value": 2, "lower": 0, "upper": 10},
                                          {"path": "/job/inputs/motor/phase", "value": 0, "lower": -2, "upper": 2}]), [3, 0.4])
        law = {"type": "pd_plus", "channels": ["motor"], "kp": 20, "kd": 2, "reference": {"space": "joint", "t": [0, 1], "value": [0.2, 0.6]}}
        held = [swing(controller=law), swing(controller=law, initial={"q": [0.4]})]
        self.fitted(self.of_swings(held, [{"path": "/job/controller/kp", "value": 10, "lower": 1, "upper": 100, "scale": "log"},
                                          {"path": "/job/controller/kd", "value": 4, "lower": 0.1, "upper": 100},
                                          {"path": "/model/links/0/body/mass", "value": 3, "lower": 0.5, "upper": 10}]), [20, 2, 2])

    def test_runs_without_derivatives_of_their_own_are_fitted_by_numbers_of_their_jobs_too(self):
        jobs = [swing(integrator={"method": "bdf"}), swing(initial={"q": [0.5]})]
        self.fitted(self.of_swings(jobs, [{"path": "/job/initial/q/0", "of": 0, "value": 0.8}, {"path": "/job/initial/q/0", "of": 1, "value": 0.8},
                                          {"path": "/model/links/0/joint/damping", "value": 0.5}]), [1, 0.5, 0.4], 0.01)

    def test_a_tension_of_an_equilibrium_is_found(self):
        jobs = [{"kind": "statics", "inputs": {"cable": [0, 4, 8]}}, {"kind": "statics", "inputs": {"cable": 6}}]
        of = [{"job": job, "data": [self.measure(job, "arm", "q", 1e-4)]} for job in jobs]
        self.fitted({"kind": "fit", "model": "arm", "of": of,
                     "parameters": [{"path": "/job/inputs/cable/1", "of": 0, "value": 5, "lower": 0}, {"path": "/job/inputs/cable", "of": 1, "value": 5, "lower": 0},
                                    {"path": MATERIAL + "density", "value": 900, "lower": 100}]}, [4, 6, 1000])

    def test_what_the_data_do_not_tell_is_named(self):
        job = {"kind": "statics"}  # hangs by its weight: only density over stiffness bends it
        record = self.measure(job, "arm", "poses:arm@1", 1e-4, select=TIP)
        done = self.finish({"kind": "fit", "model": "arm", "of": [{"job": job, "data": [record]}],
                            "parameters": [{"path": MATERIAL + name, "name": name, "scale": "log"} for name in ("young", "density")]})
        told = {w["code"]: w for w in done["warnings"]}
        self.assertIn("unidentified", told, done)
        self.assertRegex(told["unidentified"]["detail"], r"0\.71 ln\((young|density)\) \+ 0\.71 ln\((young|density)\)")
        result = self.result(done["id"])
        self.assertTrue((result["deviation"] > 100 * result["best"]).all(), result["deviation"])
        self.assertLess(result["singular_values"][1], 1e-5 * result["singular_values"][0])

    def test_a_search_that_is_cut_short_fails_with_its_best_kept_or_warns_where_that_is_expected(self):
        done = self.finish(self.swing_fit(max_iterations=1), "failed")
        self.assertEqual((done["error"]["code"], done["error"]["pointer"]), ("unconverged", "/max_iterations"))
        partial = self.result(done["id"], "?partial=1")
        self.assertEqual(partial["parameters"].shape, (2, 2))
        np.testing.assert_array_equal(partial["parameters"][-1], partial["best"])
        self.assertIn("fitted:0:0", partial)
        done = self.finish(self.swing_fit(max_iterations=1, unconverged="keep"))
        self.assertIn("unconverged", [w["code"] for w in done["warnings"]])

    def test_steps_too_coarse_for_the_intervals_are_told(self):
        """The data come from small steps; with large ones the damper that is found is wrong by more than its interval."""
        for h, coarse in ((0.05, True), (0.005, False)):
            record = self.measure(swing(integrator={"method": "newmark", "h": 0.002}), "swinging", "q", 1e-3)
            fit = self.swing_fit(of=[{"job": swing(integrator={"method": "newmark", "h": h}), "data": [record]}])
            said = [w for w in self.finish(fit)["warnings"] if w["code"] == "coarse_step" and "standard deviations" in w["detail"]]
            self.assertEqual([w["pointer"][:12] for w in said], ["/parameters/"] * coarse)

    def test_a_bound_that_holds_a_parameter_is_told(self):
        fit = self.swing_fit()
        fit["parameters"][0].update(upper=0.3, value=0.2)
        done = self.finish(fit)
        self.assertIn(("fit_at_bound", "/parameters/0"), [(w["code"], w["pointer"]) for w in done["warnings"]])
        self.assertEqual(self.result(done["id"])["best"][0], 0.3)
        fit["parameters"][0].update(upper=0.3000000001, scale="log")  # whose logarithm is another number's, too
        row = self.summary(self.finish(fit)["id"])["fit"]["parameters"][0]
        self.assertEqual((row["value"], row["at_bound"], row["deviation"]), (0.3000000001, True, None))

    def test_what_cannot_be_fitted_is_refused_at_its_place(self):
        good = self.swing_fit()

        def refused(pointer, change, code="invalid_argument", words=()):
            job = copy.deepcopy(good)
            change(job)
            self.assert_problem(self.server.request("POST", "/v1/jobs", job), 400, code, pointer=pointer, words=words)

        record, first = (lambda job: job["of"][0]["data"][0]), (lambda job: job["parameters"][0])
        refused("/of/0/data/0/field", lambda job: record(job).update(field="poses:leg@1"))
        refused("/of/0/data/0/t", lambda job: record(job)["t"].__setitem__(-1, 3), words=["2"])
        refused("/of/0/data/0/select/0", lambda job: record(job).update(select=[1]))
        refused("/of/0/data/0/value", lambda job: record(job)["value"].pop())
        refused("/of/0/data/0/value", lambda job: record(job).update(value=[None] * len(record(job)["value"])), words=["no data"])
        refused("/of/0/data/1/value", lambda job: job["of"][0]["data"].append({**record(job), "value": [None] * len(record(job)["value"])}), words=["leave the record out"])
        refused("/of/0/data/0/value", lambda job: record(job)["value"].__setitem__(3, [1e200]), words=["number 0 of row 3 is 1e+200"])
        refused("/of/0/data/0/field", lambda job: record(job).update(field="poses:leg@1"), words=['no link "leg"; it has arm'])
        refused("/of/0/data/0/field", lambda job: record(job).update(field="pose:arm@1"), words=['did you mean "poses:arm@1"?'])
        refused("/parameters/0", lambda job: first(job).update(path="/model/links/arm/joint/damping"), words=['"arm" is number 0 here'])
        refused("/parameters/0", lambda job: first(job).update(path="/model/links/7/joint/damping"), words=["has 1 entries"])
        refused("/parameters/0", lambda job: first(job).update(path="/model/links/0/joint/dampng"), words=['did you mean "damping"?'])
        refused("/parameters/0/lower", lambda job: first(job).update(value=0.4, lower=400, upper=1000), words=["which is 0.4", "same units"])
        refused("/of/0/job/inputs/moter", lambda job: job["of"][0]["job"].update(inputs={"moter": 1}))
        refused("/parameters/0", lambda job: first(job).update(path="/model/links/0/joint/stiffnes"))
        refused("/parameters/0", lambda job: first(job).update(path="/model/links/0/joint/axis"), words=["a text"])
        refused("/parameters/0", lambda job: first(job).update(path="/job/initial/qd/0"), words=["has nothing at"])
        refused("/parameters/0", lambda job: first(job).update(path="/job/t_end"), words=["until when"])
        refused("/parameters/0/of", lambda job: first(job).update(of=0), words=["all experiments share"])
        refused("/parameters/0/of", lambda job: first(job).update(path="/job/initial/q/0", of=1), words=["no experiment 1"])
        refused("/parameters/0/of/0", lambda job: first(job).update(path="/job/initial/q/0", of=["a"]))
        refused("/parameters/3", lambda job: job["parameters"].extend([{"path": "/job/initial/q/0"}, {"path": "/job/initial/q/0", "of": 0}][::-1]) or
                first(job).update(value=1.5), words=["twice"])
        refused("/parameters/2", lambda job: (job["parameters"].append({"path": "/job/initial/q"}), job["of"].append(copy.deepcopy(job["of"][0])),
                                              job["of"][1]["job"].update(initial={"q": "zero"})), words=["a text"])
        refused("/parameters/0/upper", lambda job: first(job).update(upper=1))
        refused("/parameters/1/upper", lambda job: (job.update(starts=3), job["parameters"][1].pop("upper")))
        refused("/of/1/job/model", lambda job: job["of"].append({**job["of"][0], "job": swing(model="arm")}))
        refused("/base/kind", lambda job: (job.update(base={**good, "model": "swinging"}, kind="sweep", vary=[]),
                                           [job.pop(k) for k in ("of", "parameters", "model")]), words=["starts"])

    def begin_long(self):
        """A fit that is running and has a checkpoint, which it has after a second."""
        for starts in (15, 60, 240, 1000):
            fit = self.swing_fit(starts=starts)
            job_id = self.server.submit(fit)
            while self.server.job(job_id)["state"] in ("queued", "running"):
                if self.server.request("GET", f"/v1/jobs/{job_id}/result?partial=1", headers=NPZ).status == 200:
                    break
                time.sleep(0.01)
            if self.server.job(job_id)["state"] == "running":
                return fit, job_id
        raise AssertionError("no fit is long enough")

    def test_a_fit_that_is_cancelled_keeps_its_best(self):
        _, job_id = self.begin_long()
        self.assertEqual(self.server.request("POST", f"/v1/jobs/{job_id}:cancel").status, 202)
        self.assertEqual(self.server.wait(job_id)["state"], "cancelled")
        partial = self.result(job_id, "?partial=1")
        best = np.argmin(partial["cost"])
        np.testing.assert_array_equal(partial["parameters"][best], partial["best"])
        self.assertTrue(np.isfinite(partial["covariance"]).all())
        self.assertTrue((np.diff(partial["start"]) >= 0).all())

    def test_a_fit_whose_worker_is_killed_comes_to_the_same_bits(self):
        fit, whole = self.begin_long()
        os.kill(self.server.workers_running()[0], signal.SIGKILL)
        again = self.server.submit(fit)
        for job_id in (whole, again):
            self.assertEqual(self.server.wait(job_id)["state"], "succeeded")
        first, second = self.result(whole), self.result(again)
        self.assertGreater(self.server.job(whole)["attempt"], 1)
        for name in first:
            if name != "summary":
                np.testing.assert_array_equal(first[name], second[name], err_msg=name)

    def test_one_silicone_in_two_segments_is_one_number(self):
        model = soft_arm(order=0, name="two", points=3)
        first = model["links"][0]
        first["pose"]["rpy"] = [0, 0.6, 0]
        first["body"]["strain"] = {"basis": "legendre", "order": {"bending_y": 1}}
        second = {**copy.deepcopy(first), "name": "second", "parent": first["name"], "pose": {}}
        model["links"].append(second)
        self.assertEqual(self.server.request("POST", "/v1/models", model).status, 201)
        hang = {"kind": "statics", "inputs": {"cable": [0, 1]}}
        record = self.measure(hang, "two", "poses:second@1", 1e-4, select=TIP)
        places = ["/model/links/0/body/material/young", "/model/links/1/body/material/young"]
        truth = first["body"]["material"]["young"]
        sought = {"paths": places, "name": "young", "value": 3 * truth, "lower": truth / 10, "upper": truth * 10, "scale": "log"}
        job = {"kind": "fit", "model": "two", "of": [{"job": hang, "data": [record]}], "parameters": [sought]}
        found = self.summary(self.finish(job)["id"])["fit"]["parameters"]
        self.assertEqual([found[0]["path"], *found[0]["also"]], places)
        self.assertLess(abs(found[0]["value"] - truth), 4 * found[0]["deviation"])
        self.assertLess(found[0]["deviation"], 0.01 * truth)


if __name__ == "__main__":
    main()
