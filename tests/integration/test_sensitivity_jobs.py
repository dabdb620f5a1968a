"""Derivatives of jobs by numbers of their model and of their own: those of differences of jobs, on every face; what is refused, and where they do not exist."""
import copy
import os
import sys
import unittest

import numpy as np

from harness import SOURCE, ServerTest, example, main, soft_arm

sys.path.insert(0, os.path.join(os.path.abspath(SOURCE), "clients", "python"))
import tendril  # noqa: E402

NPZ = {"Accept": "application/x-npz"}
YOUNG, LENGTH = "/model/links/0/body/material/young", "/model/links/0/body/length"


def put(document, path, value):
    """The document with a number changed."""
    made = copy.deepcopy(document)
    keys = path.strip("/").split("/")[1:]
    at = made["model"] if path.startswith("/model") else made
    for key in keys[:-1]:
        at = at[int(key)] if isinstance(at, list) else at[key]
    last = int(keys[-1]) if isinstance(at, list) else keys[-1]
    was = at[last]
    at[last] = value
    return made, was


class Jobs(ServerTest):
    flags = ("--grpc", "127.0.0.1:0")
    workers = 2

    def run_job(self, job):
        done = self.server.wait(self.server.submit(job))
        self.assertEqual(done["state"], "succeeded", done)
        return done["id"], self.server.request("GET", f"/v1/jobs/{done['id']}/result", headers=NPZ).npz()

    def differences(self, job, path, fields, relative=1e-4):
        bare = {key: value for key, value in job.items() if key != "sensitivity"}
        if job["kind"] != "linearize":
            bare["output"] = {**bare.get("output", {}), "fields": fields}
        _, was = put(bare, path, 0)
        h = relative * abs(was)
        jobs = [self.server.submit(put(bare, path, was + k * h)[0]) for k in (-1, 1)]
        below, above = (self.server.request("GET", f"/v1/jobs/{self.server.wait(id)['id']}/result", headers=NPZ).npz() for id in jobs)
        return {field: (above[field] - below[field]) / (2 * h) for field in fields}

    def same(self, job, arrays, fields, tolerance=1e-5):
        for i, path in enumerate(job["sensitivity"]["parameters"]):
            expected = self.differences(job, path, fields)
            for field in fields:
                got, size = arrays["sensitivity:" + field][..., i], np.abs(expected[field]).max()
                np.testing.assert_allclose(got, expected[field], atol=tolerance * size, err_msg=f"{field} by {path}")


class Statics(Jobs):
    def pulled(self, **members):
        return {"model": soft_arm(order=2, name="pulled"), "kind": "statics", "inputs": {"cable": [0.5, 2.0, 6.0]},
                "sensitivity": {"parameters": [YOUNG, LENGTH, "/job/inputs/cable/1"], "fields": ["q", "poses:arm@1", "energy", "tendons"]},
                **members}

    def test_they_are_those_of_differences_of_jobs(self):
        job = self.pulled()
        _, arrays = self.run_job(job)
        self.assertEqual(arrays["sensitivity:poses:arm@1"].shape, (3, 4, 4, 3))
        self.same(job, arrays, ["q", "poses:arm@1", "energy", "tendons"])
        by_entry = arrays["sensitivity:q"][..., 2]
        self.assertFalse(by_entry[[0, 2]].any(), "an entry of a list is the input of its own problem")
        self.assertTrue(by_entry[1].any())

    def test_the_tip_of_a_cantilever_goes_with_the_powers_of_its_numbers(self):
        """w = F L^3 / (3 E I), I = pi r^4 / 4, of a small force."""
        rod = {"type": "rod", "length": 0.5, "section": {"shape": "circle", "radius": 0.01}, "material": {"young": 1e6, "poisson": 0.5, "density": 1000},
               "strain": {"basis": "legendre", "order": {"bending_z": 1}}}
        model = {"format": "tendril.model/1", "name": "cantilever", "gravity": [0, 0, 0], "links": [{"name": "arm", "joint": {"type": "fixed"}, "body": rod}],
                 "loads": [{"link": "arm", "at": 1, "frame": "world", "channels": [None, None, None, None, "push", None]}]}
        by = [YOUNG, LENGTH, "/model/links/0/body/section/radius", "/job/inputs/push"]
        job = {"model": model, "kind": "statics", "inputs": {"push": 1e-6}, "output": {"fields": ["poses:arm@1"]},
               "sensitivity": {"parameters": by, "fields": ["poses:arm@1"]}}
        _, arrays = self.run_job(job)
        w, slopes = arrays["poses:arm@1"][0, 1, 3], arrays["sensitivity:poses:arm@1"][0, 1, 3]
        self.assertAlmostEqual(w / (1e-6 * 0.5**3 / (3 * 1e6 * np.pi * 0.01**4 / 4)), 1, delta=1e-8)
        np.testing.assert_allclose(slopes * [1e6, 0.5, 0.01, 1e-6] / w, [-1, 3, -4, 1], rtol=1e-7)

    def test_every_face_has_the_same_bits(self):
        job_id, arrays = self.run_job(self.pulled())
        as_json = self.server.request("GET", f"/v1/jobs/{job_id}/result").json()
        text = self.server.request("GET", f"/v1/jobs/{job_id}/result", headers={"Accept": "text/csv"}).body.decode().splitlines()
        with tendril.Client("grpc://" + self.server.ready["grpc"]) as client:
            result = client.job(job_id).result()
        for name in ("sensitivity:q", "sensitivity:poses:arm@1", "sensitivity:energy"):
            np.testing.assert_array_equal(as_json["arrays"][name], arrays[name])
            np.testing.assert_array_equal(result[name], arrays[name])
        values = dict(zip(text[0].split(","), text[2].split(",")))
        self.assertEqual(float(values[f"sensitivity:q[3].{LENGTH}"]), arrays["sensitivity:q"][1, 3, 1])
        self.assertEqual([one["path"] for one in as_json["summary"]["parameters"]], self.pulled()["sensitivity"]["parameters"])
        self.assertEqual([one["way"] for one in result.parameters], ["affine", "differences", "formula"])
        np.testing.assert_array_equal(result.sensitivity("energy", LENGTH), arrays["sensitivity:energy"][..., 1])

    def test_columns_of_csv_are_named_by_the_numbers(self):
        by = {"parameters": [YOUNG, {"path": "/job/inputs/cable", "name": "pull"}], "fields": ["q"]}
        id, _ = self.run_job(self.pulled(sensitivity=by))
        head = self.server.request("GET", f"/v1/jobs/{id}/result", headers={"Accept": "text/csv"}).body.decode().split("\n")[0].split(",")
        for column in (f"sensitivity:q[0].{YOUNG}", "sensitivity:q[1].pull[2]"):
            self.assertIn(column, head)

    def test_arrays_of_numbers_and_names(self):
        job = self.pulled(sensitivity={"parameters": [{"path": "/model/gravity", "name": "g"}, "/job/inputs/cable"]})
        job_id, arrays = self.run_job(job)
        self.assertEqual(arrays["sensitivity:q"].shape[2], 6)
        summary = self.server.request("GET", f"/v1/jobs/{job_id}/result").json()["summary"]
        self.assertEqual([one["name"] for one in summary["parameters"]],
                         ["g[0]", "g[1]", "g[2]", "/job/inputs/cable/0", "/job/inputs/cable/1", "/job/inputs/cable/2"])

    def test_along_a_path_the_value_of_its_channel_is_held(self):
        job = {"model": soft_arm(order=2, name="path"), "kind": "statics", "continuation": {"channel": "cable", "to": 1, "steps": 10},
               "sensitivity": {"parameters": [YOUNG], "fields": ["q"]}}
        _, path = self.run_job(job)
        point = len(path["q"]) // 2
        at = {**job, "inputs": {"cable": float(path["u"][point, 0])}}
        del at["continuation"]
        _, alone = self.run_job(at)
        np.testing.assert_allclose(path["sensitivity:q"][point], alone["sensitivity:q"][0], rtol=1e-6, atol=1e-9 * np.abs(alone["sensitivity:q"]).max())

    def test_a_stored_model_and_a_sweep_have_them_too(self):
        self.server.request("PUT", "/v1/models/pulled", soft_arm(order=2, name="pulled"))
        base = self.pulled(model="pulled", inputs={"cable": 2.0}, sensitivity={"parameters": [YOUNG, "/job/inputs/cable"]})
        _, alone = self.run_job(base)
        sweep_id, stack = self.run_job({"kind": "sweep", "base": base, "vary": [{"path": "/model/links/0/body/length", "values": [0.5, 0.4]}]})
        np.testing.assert_array_equal(stack["sensitivity:q"][0], alone["sensitivity:q"][0])
        summary = self.server.request("GET", f"/v1/jobs/{sweep_id}/result").json()["summary"]
        self.assertEqual([one["path"] for one in summary["parameters"]], [YOUNG, "/job/inputs/cable"])
        self.assertEqual(summary["energies"], ["kinetic", "elastic", "gravitational", "contact"])
        self.assertTrue((stack["sensitivity:q"][1] != alone["sensitivity:q"][0]).any())

    def test_a_robot_that_floats_has_none_and_says_so(self):
        floating = {"format": "tendril.model/1", "name": "floats", "gravity": [0, 0, 0],
                    "links": [{"name": "hull", "joint": {"type": "prismatic", "axis": "x"}, "body": {"type": "rigid", "mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1]}}]}
        done = self.server.wait(self.server.submit({"model": floating, "kind": "statics", "sensitivity": {"parameters": ["/model/gravity/0"]}}))
        self.assertEqual(done["state"], "succeeded")
        told = [one for one in done["warnings"] if one["code"] == "no_derivative"]
        self.assertEqual([one["pointer"] for one in told], ["/sensitivity"], done["warnings"])
        arrays = self.server.request("GET", f"/v1/jobs/{done['id']}/result", headers=NPZ).npz()
        self.assertTrue(np.isnan(arrays["sensitivity:q"]).all())

    def test_what_cannot_be_differentiated_is_refused_where_it_stands(self):
        cases = [({"parameters": ["/model/links/0/body/nothing"]}, "/sensitivity/parameters/0", "nothing at"),
                 ({"parameters": [YOUNG, "/model/links/0/body/quadrature/points"]}, "/sensitivity/parameters/1", "number of points is a count"),
                 ({"parameters": [YOUNG, "/job/max_wall_s"]}, "/sensitivity/parameters/1", "bound of the job's time"),
                 ({"parameters": [YOUNG, YOUNG]}, "/sensitivity/parameters/1", "twice"),
                 ({"parameters": []}, "/sensitivity/parameters", "at least one"),
                 ({"parameters": [YOUNG], "fields": ["q", "qd"]}, "/sensitivity/fields/1", "0 at every equilibrium"),
                 ({"parameters": [YOUNG], "fields": ["poses:nobody"]}, "/sensitivity/fields/0", "no link"),
                 ({"fields": ["q"]}, "/sensitivity/parameters", "missing")]
        for sensitivity, pointer, said in cases:
            job = self.pulled(max_wall_s=60, sensitivity=sensitivity)
            self.assert_problem(self.server.request("POST", "/v1/jobs", job), 400, "invalid_argument", pointer=pointer, words=[said])
        many = self.pulled(inputs={"cable": [1.0] * 400000}, sensitivity={"parameters": ["/job/inputs/cable"]})
        self.assert_problem(self.server.request("POST", "/v1/jobs", many), 413, "too_large", pointer="/sensitivity/parameters/0", words=["4096"])
        large = self.pulled(inputs={"cable": [1.0] * 100000}, sensitivity={"parameters": ["/model/gravity"], "fields": [f"poses:arm@{k / 255}" for k in range(256)]})
        self.assert_problem(self.server.request("POST", "/v1/jobs", large), 400, "invalid_argument", pointer="/sensitivity", words=["bytes"])
        swept = {"kind": "sweep", "base": self.pulled(sensitivity={"parameters": ["/model/none"]}), "vary": [{"path": "/job/inputs/cable/0", "values": [1, 2]}]}
        self.assert_problem(self.server.request("POST", "/v1/jobs", swept), 400, "invalid_argument", pointer="/base/sensitivity/parameters/0")
        fit = {"kind": "fit", "of": [{"job": self.pulled(inputs={"cable": 1}), "data": [{"field": "q", "value": [[0.0] * 24]}]}], "parameters": [{"path": YOUNG}]}
        self.assert_problem(self.server.request("POST", "/v1/jobs", fit), 400, "invalid_argument", pointer="/of/0/job/sensitivity", words=["of its own"])
        followed = self.pulled(inputs={"cable": 1}, continuation={"channel": "cable", "to": 3}, sensitivity={"parameters": ["/job/inputs/cable"]})
        self.assert_problem(self.server.request("POST", "/v1/jobs", followed), 400, "invalid_argument", pointer="/sensitivity/parameters/0", words=["path gives"])


class Runs(Jobs):
    def run_of(self, **members):
        return {"model": soft_arm(order=1, name="swings"), "kind": "dynamics", "t_end": 0.3, "integrator": {"method": "newmark", "h": 0.002},
                "initial": {"q": [0, 0, 0.05] + [0] * 12}, "inputs": {"cable": {"type": "sine", "offset": 2, "amplitude": 1, "frequency": 3}}, "output": {"dt": 0.1, "fields": ["q"]},
                "sensitivity": {"parameters": [YOUNG, "/job/inputs/cable/amplitude", "/job/initial/q/2"], "fields": ["q", "poses:arm@1", "energy"]},
                **members}

    def test_they_are_those_of_differences_of_runs(self):
        job = self.run_of()
        _, arrays = self.run_job(job)
        self.same(job, arrays, ["q", "poses:arm@1", "energy"])
        start = arrays["sensitivity:q"][0]
        np.testing.assert_array_equal(start, [[0, 0, k == 2] for k in range(len(start))], "at t = 0 only the number itself moves anything")

    def test_the_run_is_that_without_them_and_every_face_has_the_same_bits(self):
        job = self.run_of()
        job_id, arrays = self.run_job(job)
        _, plain = self.run_job({key: value for key, value in job.items() if key != "sensitivity"})
        np.testing.assert_array_equal(arrays["q"], plain["q"])
        self.assertNotIn("poses:arm@1", arrays, "what is differentiated need not be kept")
        as_json = self.server.request("GET", f"/v1/jobs/{job_id}/result").json()
        with tendril.Client("grpc://" + self.server.ready["grpc"]) as client:
            result = client.job(job_id).result()
        for name in ("sensitivity:q", "sensitivity:poses:arm@1", "sensitivity:energy"):
            np.testing.assert_array_equal(as_json["arrays"][name], arrays[name])
            np.testing.assert_array_equal(result[name], arrays[name])
        self.assertEqual(result["sensitivity:poses:arm@1"].shape, (4, 4, 4, 3))

    def test_what_drives_a_prescribed_joint_and_what_it_accelerates_move_too(self):
        def link(name, joint, **members):
            return {"name": name, "joint": {"type": "revolute", "axis": "y", **joint}, "body": {"type": "rigid", "mass": 0.5, "com": [0, 0, -0.25], "inertia": [0.01, 0.01, 0.001]}, **members}
        model = {"format": "tendril.model/1", "name": "driven", "gravity": [0, 0, -9.81],
                 "links": [link("upper", {}), link("lower", {}, parent="upper", pose={"translation": [0, 0, -0.5]})],
                 "actuators": [{"name": "turn", "type": "joint", "link": "upper", "mode": "position"}]}
        fields = ["q", "qdd", "lambda"]
        job = {"model": model, "kind": "dynamics", "t_end": 0.4, "integrator": {"method": "rk4", "h": 0.002}, "initial": {"q": [0.3, 0.2]},
               "inputs": {"turn": {"type": "sine", "offset": 0.3, "amplitude": 0.5, "frequency": 1.1}}, "output": {"dt": 0.1, "fields": fields},
               "sensitivity": {"parameters": ["/model/links/1/body/mass", "/job/inputs/turn/amplitude"], "fields": fields}}
        self.same(job, self.run_job(job)[1], fields)

    def test_of_several_stops_each_is_where_it_is_met(self):
        """Two masses that do not know of each other, each with a stop of its own: each one's closed form, forward and backward."""
        masses = ((1.8218007930882378, 0.1382439733783688, 37.97908630068088, -0.017391134938829367, 1.267830262165429),
                  (1.9064465520903684, 0.051344970987565366, 202.97020436132303, -0.006425032164804213, 0.9157019239192223))
        end = 0.6312867866042688
        masses_model = ({"format": "tendril.model/1", "name": "masses", "gravity": [0, 0, 0], "links": [
            {"name": f"m{i}", "joint": {"type": "prismatic", "axis": "x", "limits": {"upper": upper, "stiffness": stiffness}},
             "body": {"type": "rigid", "mass": mass, "inertia": [0.1, 0.1, 0.1]}} for i, (mass, upper, stiffness, _, _) in enumerate(masses)]})
        own = [f"/model/links/{{0}}/{key}" for key in ("body/mass", "joint/limits/upper", "joint/limits/stiffness")] + ["/job/initial/q/{0}", "/job/initial/qd/{0}"]
        paths = [path.format(i) for i in range(2) for path in own]

        def closed(numbers):
            mass, upper, stiffness, at, speed = numbers
            rate, met = np.sqrt(stiffness / mass), (upper - at) / speed
            back = met + np.pi / rate
            return upper + speed / rate * np.sin(rate * (end - met)) if end < back.real else upper - speed * (end - back)

        def slopes(numbers):
            return np.array([closed([value + (1e-30j if k == i else 0) for k, value in enumerate(numbers)]).imag / 1e-30 for i in range(5)])

        for method, allowed in (("radau", 3e-6), ("rk45", 1e-5), (None, 3e-6)):
            job = {"kind": "dynamics", "model": masses_model, "t_end": end, "output": {"dt": end},
                   "initial": {"q": [mass[3] for mass in masses], "qd": [mass[4] for mass in masses]},
                   **({"integrator": {"method": method}} if method else {})}
            _, arrays = self.run_job({**job, "sensitivity": {"parameters": paths, "fields": ["q"]}})
            target = [0.0, 0.0]
            _, backward = self.run_job({"kind": "gradient", "of": job, "parameters": paths, "objective": [{"field": "q", "target": target}]})
            for i, numbers in enumerate(masses):
                expected, sizes = slopes(numbers), np.abs(numbers)
                most = np.abs(expected * sizes).max()
                got = arrays["sensitivity:q"][-1, i, 5 * i:5 * i + 5]
                self.assertLess(np.abs((got - expected) * sizes).max() / most, allowed, (method, i))
                turned = backward["gradient"][5 * i:5 * i + 5] / arrays["q"][-1, i]
                self.assertLess(np.abs((turned - expected) * sizes).max() / most, allowed, (method, i, "backward"))

    def test_a_run_from_an_equilibrium_starts_where_that_moves_to(self):
        job = self.run_of(initial={"q": "equilibrium"}, sensitivity={"parameters": [YOUNG, "/job/inputs/cable/offset"], "fields": ["q"]})
        _, arrays = self.run_job(job)
        self.same(job, arrays, ["q"])
        rest = {"model": job["model"], "kind": "statics", "inputs": {"cable": 2.0}, "sensitivity": {"parameters": [YOUNG, "/job/inputs/cable"]}}
        _, at_rest = self.run_job(rest)
        np.testing.assert_allclose(arrays["sensitivity:q"][0], at_rest["sensitivity:q"][0], rtol=1e-9, atol=1e-12)

    def test_automatic_is_a_method_that_has_them_and_the_run_is_that_without(self):
        job_id, arrays = self.run_job(self.run_of(integrator={}))
        summary = self.server.request("GET", f"/v1/jobs/{job_id}/result").json()["summary"]
        self.assertEqual((summary["integrator"]["method"], "bdf" in summary["integrator"]["reason"]), ("radau", False))
        bare = self.run_of(integrator={})
        del bare["sensitivity"]
        _, plain = self.run_job(bare)
        np.testing.assert_array_equal(plain["q"], arrays["q"])

    def test_a_damped_tree_of_many_coordinates_goes_by_another_method_with_derivatives_and_says_so(self):
        links = [{"name": f"l{i}", "parent": f"l{i - 1}" if i else "world", "joint": {"type": "revolute", "stiffness": 1, "damping": 1000},
                  "body": {"type": "rigid", "mass": 1, "inertia": [0.01, 0.01, 0.01]}} for i in range(101)]
        job = {"model": {"format": "tendril.model/1", "gravity": [0, 0, 0], "links": links}, "kind": "dynamics", "t_end": 0.005,
               "initial": {"q": "zero", "qd": [1] + [0] * 100}, "output": {"dt": 0.005, "fields": ["q"]}}
        told = {}
        for name, more in (("plain", {}), ("differentiated", {"sensitivity": {"parameters": ["/model/links/0/body/mass"], "fields": ["q"]}})):
            job_id, _ = self.run_job({**job, **more})
            told[name] = self.server.request("GET", f"/v1/jobs/{job_id}/result").json()["summary"]["integrator"]
        self.assertEqual((told["plain"]["method"], told["differentiated"]["method"]), ("bdf", "radau"))
        self.assertIn("without derivatives this job goes by bdf", told["differentiated"]["reason"])

    def test_loops_go_by_the_method_that_they_take_by_themselves(self):
        job = {"model": example("parallel.model.json"), "kind": "dynamics", "t_end": 0.05, "initial": {"q": "zero"}, "inputs": {"fz": -2.0},
               "output": {"dt": 0.02, "fields": ["q"]}}
        _, plain = self.run_job(job)
        job_id, arrays = self.run_job({**job, "sensitivity": {"parameters": [YOUNG, "/job/inputs/fz"], "fields": ["q"]}})
        integrator = self.server.request("GET", f"/v1/jobs/{job_id}/result").json()["summary"]["integrator"]
        self.assertEqual((integrator["method"], "stands in" in integrator["reason"]), ("radau", False))
        np.testing.assert_array_equal(plain["q"], arrays["q"])

    def test_methods_without_derivatives_and_numbers_that_are_none_are_refused(self):
        refused = self.run_of(integrator={"method": "bdf"})
        self.assert_problem(self.server.request("POST", "/v1/jobs", refused), 400, "invalid_argument", pointer="/integrator/method", words=["generalized_alpha"])
        law = {"type": "feed_forward", "channels": ["cable"], "reference": {"t": [0, 1], "value": [0, 1], "interpolation": "linear"}}
        led = self.run_of(controller=law, inputs={}, sensitivity={"parameters": [YOUNG], "fields": ["q"]})
        self.same(led, self.run_job(led)[1], ["q"])
        for sensitivity, pointer, said in (({"parameters": ["/job/integrator/h"]}, "/sensitivity/parameters/0", "option of the integrator"),
                                           ({"parameters": [YOUNG], "fields": ["q", "speed"]}, "/sensitivity/fields/1", "unknown field")):
            job = self.run_of(sensitivity=sensitivity)
            self.assert_problem(self.server.request("POST", "/v1/jobs", job), 400, "invalid_argument", pointer=pointer, words=[said])


class Linearisations(Jobs):
    def about(self, at, sensitivity, **members):
        return {"model": soft_arm(order=1, name="about"), "kind": "linearize", "at": at, "inputs": {"cable": 3.0}, "sensitivity": sensitivity, **members}

    def test_at_an_equilibrium_the_state_moves_along(self):
        job = self.about("equilibrium", {"parameters": [YOUNG, LENGTH, "/job/inputs/cable"]})
        _, arrays = self.run_job(job)
        self.assertEqual((arrays["sensitivity:A"].shape, arrays["sensitivity:B"].shape), ((1, 30, 30, 3), (1, 30, 1, 3)))
        self.same(job, arrays, ["A", "B"], 1e-4)  # what differences are worth
        self.assertTrue(arrays["sensitivity:A"][..., 2].any(), "of the input alone A changes by the state that moves")
        near, h = tendril.Result(arrays, {}), 1e2
        values, slopes = near.eigenvalues()
        moved, _ = tendril.Result(self.run_job(put(job, YOUNG, 1e6 + h)[0])[1], {}).eigenvalues()
        slowest = np.argsort(np.abs(values[0]))[:6]
        for k in slowest:
            beside = moved[0][np.argmin(np.abs(moved[0] - values[0][k] - h * slopes[0, k, 0]))]
            self.assertAlmostEqual((beside - values[0][k]) / h / slopes[0, k, 0], 1, delta=1e-3)

    def test_loops_stay_closed_as_the_equilibrium_moves(self):
        job = {"model": example("parallel.model.json"), "kind": "linearize", "at": "equilibrium", "inputs": {"fz": -1.0},
               "sensitivity": {"parameters": [LENGTH, "/model/links/2/body/material/density"], "fields": ["A", "q"]}}
        _, arrays = self.run_job(job)
        self.same(job, arrays, ["A", "q"], 1e-4)

    def test_a_state_that_is_given_stays_but_for_its_own_numbers(self):
        job = self.about({"q": [0.02 * k for k in range(15)]}, {"parameters": [YOUNG, "/job/at/q/3"], "fields": ["A", "q"]})
        _, arrays = self.run_job(job)
        self.same(job, arrays, ["A"], 1e-4)
        np.testing.assert_array_equal(arrays["sensitivity:q"][0], [[0, k == 3] for k in range(15)])

    def test_along_a_run_they_go_with_it(self):
        job = self.about({"times": [0, 0.05, 0.1]}, {"parameters": [LENGTH, "/job/inputs/cable/amplitude"], "fields": ["A", "qd", "u"]},
                         inputs={"cable": {"type": "sine", "offset": 2, "amplitude": 1, "frequency": 3}}, integrator={"method": "newmark", "h": 0.002})
        _, arrays = self.run_job(job)
        self.same(job, arrays, ["A", "qd"], 1e-4)
        refused = {**job, "integrator": {"method": "bdf"}}
        self.assert_problem(self.server.request("POST", "/v1/jobs", refused), 400, "invalid_argument", pointer="/integrator/method")

    def test_fields_that_a_linearisation_does_not_have_are_refused(self):
        job = self.about("equilibrium", {"parameters": [YOUNG], "fields": ["A", "energy"]})
        self.assert_problem(self.server.request("POST", "/v1/jobs", job), 400, "invalid_argument", pointer="/sensitivity/fields/1", words=["A, B, q, qd and u"])


if __name__ == "__main__":
    main()
