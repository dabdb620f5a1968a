"""Jobs of kind gradient: those of differences of jobs, along objectives and cotangents, for runs and for equilibria; on every face; killed and
cancelled; and what is refused, at its place."""
import copy
import json
import os
import sys
import time
import unittest

import numpy as np

from harness import SOURCE, ServerTest, main, soft_arm

sys.path.insert(0, os.path.join(os.path.abspath(SOURCE), "clients", "python"))
import tendril  # noqa: E402

NPZ = {"Accept": "application/x-npz"}
YOUNG, LENGTH = "/model/links/0/body/material/young", "/model/links/0/body/length"
TIP = {"field": "poses:arm@1", "select": [[0, 3], [2, 3]], "target": [0.1, 0.2]}


def moved(job, path, change):
    """The gradient's job with the number at `path` changed, and what the number was."""
    made = copy.deepcopy(job)
    first, *keys, last = path.strip("/").split("/")
    at = made["of"]["model"] if first == "model" else made["of"]
    for key in keys:
        at = at[int(key)] if isinstance(at, list) else at[key]
    last = int(last) if isinstance(at, list) else last
    was, at[last] = at[last], at[last] + change
    return made, was


class Jobs(ServerTest):
    flags = ("--grpc", "127.0.0.1:0")

    def run_job(self, job):
        done = self.server.wait(self.server.submit(job))
        self.assertEqual(done["state"], "succeeded", done)
        return done["id"], self.server.request("GET", f"/v1/jobs/{done['id']}/result", headers=NPZ).npz()

    def same_as_differences(self, job, tolerance, relative=3e-5):
        """Of jobs whose numbers are changed: those of runs of equal steps are functions, to Newton's tolerance."""
        _, arrays = self.run_job(job)
        for k, path in enumerate(job["parameters"]):
            h = relative * max(abs(moved(job, path, 0)[1]), 0.1)
            values = [float(self.run_job(moved(job, path, j * h)[0])[1]["value"]) for j in (-1, 1)]
            expected = (values[1] - values[0]) / (2 * h)
            rounding = 1e-11 * abs(float(arrays["value"])) / h  # of Newton's tolerance
            self.assertAlmostEqual(arrays["gradient"][k], expected, delta=tolerance * abs(expected) + rounding, msg=path)
        return arrays

    def equilibria(self, **members):
        return {"kind": "gradient", "of": {"model": soft_arm(order=2, name="pulled"), "kind": "statics", "inputs": {"cable": [0.5, 2.0, 6.0]}},
                "parameters": [YOUNG, LENGTH, "/job/inputs/cable/1"], "objective": [TIP, {"field": "q", "select": [3], "linear": 0.5, "at": [1]}], **members}

    def swing(self, **members):
        of = {"model": soft_arm(order=1, name="swings"), "kind": "dynamics", "t_end": 0.2, "integrator": {"method": "newmark", "h": 0.002},
              "inputs": {"cable": {"type": "table", "t": [0, 0.1, 0.2], "value": [0, 3, 1]}}, "output": {"dt": 0.02, "fields": ["q"]}}
        n = 15
        of["initial"] = {"q": [0.0] * 3 + [0.5] + [0.0] * (n - 4), "qd": [0.0] * n}
        return {"kind": "gradient", "of": of, "parameters": [YOUNG, LENGTH, "/job/inputs/cable/value/1", "/job/initial/q/3"],
                "objective": [{**TIP, "target": {"t": [0, 0.2], "value": [[0.1, 0.2], [0.3, 0.1]]}, "weight": [3, 1], "at": "all"}], **members}


def arm():
    """Three bars in a row, each with a motor."""
    bar = {"type": "rigid", "mass": 1.0, "com": [0.2, 0.02, 0], "inertia": [0.01, 0.02, 0.02]}
    names = ["a", "b", "c"]
    links = [{"name": name, "joint": {"type": "revolute", "axis": "y", "damping": 0.1}, "body": dict(bar), **({"parent": names[k - 1], "pose": {"translation": [0.4, 0, 0]}} if k else {})}
             for k, name in enumerate(names)]
    return {"format": "tendril.model/1", "name": "arm", "gravity": [0, 0, -9.81], "links": links,
            "actuators": [{"name": "motor_" + name, "type": "joint", "link": name} for name in names]}


class Gradients(Jobs):
    def test_equilibria_have_the_gradient_of_differences(self):
        arrays = self.same_as_differences(self.equilibria(), 1e-7)
        self.assertEqual((arrays["value"].shape, arrays["gradient"].shape, arrays["poses:arm@1"].shape), ((), (3,), (3, 4, 4)))
        tips = arrays["poses:arm@1"][:, [0, 2], 3]
        np.testing.assert_allclose(arrays["value"], 0.5 * np.sum((tips - [0.1, 0.2]) ** 2) + 0.5 * arrays["q"][1, 3], rtol=1e-13)

    def test_runs_have_the_gradient_of_differences(self):
        arrays = self.same_as_differences(self.swing(), 1e-6)
        self.assertEqual(set(arrays.files), {"t", "q", "poses:arm@1", "value", "gradient", "summary"})
        part = (arrays["t"] / 0.2)[:, None]
        errors = arrays["poses:arm@1"][:, [0, 2], 3] - ((1 - part) * [0.1, 0.2] + part * [0.3, 0.1])
        np.testing.assert_allclose(arrays["value"], 0.5 * np.sum([3, 1] * errors ** 2), rtol=1e-12)

    def test_runs_that_bounce_off_a_stop_and_equilibria_on_one_have_the_gradient_of_differences_by_its_numbers(self):
        model = {**arm(), "name": "stopped"}
        model["links"][1]["joint"]["limits"] = {"lower": -0.9, "upper": 0.25, "stiffness": 400, "damping": 150}
        limits = "/model/links/1/joint/limits"
        numbers = [f"{limits}/stiffness", f"{limits}/damping", f"{limits}/upper", f"{limits}/lower", "/model/links/1/body/mass"]
        for method, tolerance, relative in (("newmark", 1e-6, 1e-5), ("radau", 1e-3, 1e-3)):  # radau chooses its steps anew in each run
            of = {"model": model, "kind": "dynamics", "t_end": 0.6, "integrator": {"method": method, "h": 0.002}, "initial": {"q": [0.3, -0.2, 0.1], "qd": [0, 6, -2]},
                  "inputs": {}, "output": {"dt": 0.02, "fields": ["q"]}}
            job = {"kind": "gradient", "of": of, "parameters": numbers, "objective": [{"field": "q", "target": [0.1, 0, 0.2], "at": "all"}, {"field": "qd", "linear": [0.1, 0.2, 0.3]}]}
            arrays = self.same_as_differences(job, tolerance, relative)
            self.assertGreater(arrays["q"][:, 1].max(), 0.255)  # it was there
            self.assertEqual(arrays["gradient"][3], 0)  # and not at the other one
            self.assertGreater(np.abs(arrays["gradient"][[0, 1, 2]]).min(), 1e-6)
        of = {"model": model, "kind": "statics", "inputs": {"motor_a": [0, 1], "motor_b": [0, 2]}}
        for link in (0, 2):
            model["links"][link]["joint"]["stiffness"] = 40
        job = {"kind": "gradient", "of": of, "parameters": numbers, "objective": [{"field": "q", "select": [0, 1, 2], "linear": [1, 2, 3]}]}
        arrays = self.same_as_differences(job, 1e-6, 1e-5)
        self.assertGreater(arrays["q"][0, 1], 0.251)
        self.assertEqual(arrays["gradient"][1], 0)

    def test_runs_in_contact_with_friction_have_the_gradient_of_their_own_differences_to_six_digits(self):
        """A block that slides, pushed to and fro, and never leaves the plane: no kink, so what differs is what Newton left."""
        body = {"type": "rigid", "com": [0, 0, 0], "inertia": [1e-5, 1e-5, 1e-5]}
        model = {"format": "tendril.model/1", "name": "slider", "gravity": [0, 0, -9.81],
                 "links": [{"name": "x", "joint": {"type": "prismatic", "axis": "x"}, "body": {**body, "mass": 0.1}},
                           {"name": "z", "parent": "x", "joint": {"type": "prismatic", "axis": "z"},
                            "body": {**body, "mass": 0.3, "collision": {"shape": "sphere", "radius": 0.02}}}],
                 "contacts": [{"type": "plane", "axis": "z", "stiffness": 3000, "exponent": 1, "damping": 3, "friction": 0.4, "slip_speed": 0.01, "links": ["z"]}],
                 "actuators": [{"name": "push", "type": "joint", "link": "x"}]}
        of = {"model": model, "kind": "dynamics", "t_end": 0.3, "integrator": {"method": "newmark", "h": 0.001}, "output": {"dt": 0.05},
              "initial": {"q": [0, 0.0195], "qd": [0.05, 0]}, "inputs": {"push": {"type": "sine", "amplitude": 0.9, "frequency": 3}}}
        parameters = ["/job/inputs/push/amplitude", "/model/contacts/0/friction", "/job/initial/q/1"]
        for method in ("newmark", "euler_implicit", "generalized_alpha"):
            job = {"kind": "gradient", "of": {**of, "integrator": {"method": method, "h": 0.001}}, "parameters": parameters,
                   "objective": [{"field": "q", "target": [0.1, 0.02], "at": "all", "weight": [1, 50]}, {"field": "qd", "linear": [0.1, 0.2]}]}
            gradient = self.run_job(job)[1]["gradient"]
            for k, path in enumerate(parameters):
                h = 2e-3 * moved(job, path, 0)[1]
                d = [(self.value_of(moved(job, path, s)[0]) - self.value_of(moved(job, path, -s)[0])) / (2 * s) for s in (h, h / 2)]
                self.assertAlmostEqual((4 * d[1] - d[0]) / 3, gradient[k], delta=3e-6 * abs(gradient[k]) if k == 2 else 3e-7 * abs(gradient[k]), msg=(method, path))

    def value_of(self, job):
        return float(self.run_job(job)[1]["value"])

    def controlled(self, controller, parameters, inputs):
        of = {"model": arm(), "kind": "dynamics", "t_end": 0.2, "integrator": {"method": "generalized_alpha", "h": 0.004}, "controller": controller,
              "inputs": inputs, "initial": {"q": [0.3, -0.2, 0.1], "qd": [0, 0.5, 0]}, "output": {"dt": 0.02, "fields": ["q"]}}
        return {"kind": "gradient", "of": of, "parameters": parameters,
                "objective": [{"field": "q", "target": [0.1, 0, 0.2], "at": "all"}, {"field": "qd", "linear": [0.1, 0.2, 0.3]}, {"field": "u", "linear": [0.01, 0.02, 0.01], "at": "all"}]}

    def test_gains_references_and_inputs_of_controlled_runs_have_the_gradient_of_differences(self):
        follow = {"type": "partial_feedback_linearisation", "channels": ["motor_b", "motor_c"], "kp": 60, "kd": [9, 12],
                  "reference": {"space": "joint", "t": [0, 0.07, 0.15, 0.3], "value": [[-0.2, 0.1], [0, 0.2], [0.1, 0.1], [0.3, 0]], "interpolation": "spline"}}
        hold = {"type": "pd_plus", "channels": ["motor_a"], "kp": 8, "kd": 1,
                "reference": {"space": "joint", "t": [0, 0.1, 0.4], "value": [0.3, 0.1, 0.2]}}
        swing = {"type": "sine", "offset": 4, "amplitude": 3, "frequency": 1.5, "phase": 0.2}
        self.same_as_differences(self.controlled([follow, hold], ["/job/controller/0/kp", "/job/controller/0/kd/1", "/job/controller/0/reference/value/2/0",
                                                                  "/job/controller/1/kd", "/job/controller/1/reference/value/1", "/job/initial/q/0"], {}), 1e-6)
        self.same_as_differences(self.controlled(follow, ["/job/controller/kd/0", "/job/controller/reference/value/1/1", "/job/inputs/motor_a/amplitude",
                                                          "/job/inputs/motor_a/phase"], {"motor_a": swing}), 1e-6)
        ahead = {"type": "feed_forward", "channels": ["motor_a"], "reference": {"t": [0, 0.1, 0.2], "value": [4, 2, 5], "interpolation": "linear"}}
        self.same_as_differences(self.controlled([ahead, follow], ["/job/controller/0/reference/value/1", "/job/controller/1/kp"], {}), 1e-6)
        of_the_robot = ["/model/links/1/body/mass", "/model/links/2/pose/translation/0", "/model/links/0/joint/damping"]
        self.same_as_differences(self.controlled([follow, hold], [*of_the_robot, "/job/controller/0/kp"], {}), 1e-6)
        self.same_as_differences(self.controlled(ahead, of_the_robot, {}), 1e-6)
        tip = {**hold, "reference": {"space": "tip", "t": [0, 0.4], "value": [[1, 0, 0.1], [1, 0, 0.2]]}, "channels": ["motor_a", "motor_b", "motor_c"]}
        beyond = self.server.wait(self.server.submit(self.controlled(tip, ["/job/controller/kp"], {})))
        self.assertEqual((beyond["error"]["code"], beyond["error"]["pointer"]), ("not_converged", "/of/controller/reference/value/0"))

    def followed(self, model, controller, parameters, **members):
        """The way of a tip, a tendon or a crank that follow what static inversion finds."""
        of = {"model": model, "kind": "dynamics", "t_end": 0.1, "integrator": {"method": "generalized_alpha", "h": 0.004}, "controller": controller,
              "output": {"dt": 0.02, "fields": ["q"]}, **members}
        return {"kind": "gradient", "of": of, "parameters": parameters,
                "objective": [{"field": "q", "select": [1, 2], "linear": [1, 0.5], "at": "all"}, {"field": "qd", "select": [1, 2], "linear": [0.1, -0.2]},
                              {"field": "u", "select": [0], "linear": 0.02, "at": "all"}]}

    def finger(self, tendons):
        body = {"type": "reduced", "kinematics": "lvp", "length": 0.2, "radius": 0.02, "density": 1000, "young": 1e5, "poisson": 0.45, "damping_time": 0.05,
                "quadrature": {"s": 4, "r": 3, "angle": 6}, "modes": [{"field": field, "polynomial": [1]} for field in ("kx", "ky", "e")]}
        places = ((0.018, 0), (-0.009, 0.0156), (-0.009, -0.0156), (0, 0.01))[:tendons]
        return {"format": "tendril.model/1", "name": "finger", "gravity": [0, 0, -9.81],
                "links": [{"name": "finger", "pose": {"rpy": [3.141592653589793, 0, 0]}, "joint": {"type": "fixed"}, "body": body}],
                "actuators": [{"name": f"t{k}", "type": "tendon", "link": "finger", "points": [[x, y, 0], [x, y, 0.2]]} for k, (x, y) in enumerate(places)]}

    def test_references_that_static_inversion_finds_have_the_gradient_of_differences(self):
        finger = self.finger(3)
        ways = {"space": "tip", "t": [0, 0.05, 0.1], "value": [[0.02, 0, -0.2], [0.02, 0.02, -0.195], [0, 0.03, -0.198]]}
        law = {"type": "pd_plus", "channels": ["t0", "t1", "t2"], "kp": 300, "kd": 20, "reference": ways}
        numbers = ["/model/links/0/body/young", "/model/actuators/1/points/1/0", "/job/controller/reference/value/1/1", "/job/controller/kp"]
        self.same_as_differences(self.followed(finger, law, numbers), 1e-6)

        # a rod on a joint that is moved, and a motor at its end
        base = {"name": "base", "joint": {"type": "revolute", "axis": "y"}, "body": {"type": "rigid", "mass": 1, "com": [0, 0, 0], "inertia": [0.02] * 3}}
        rod = {"type": "rod", "length": 0.3, "section": {"shape": "circle", "radius": 0.01}, "material": {"young": 1e6, "poisson": 0.5, "density": 1000, "viscosity": 1e4},
               "strain": {"basis": "legendre", "order": {"bending_y": 1, "bending_z": 1, "torsion": 0, "elongation": 0}}}
        hand = {"name": "hand", "parent": "arm", "joint": {"type": "revolute", "axis": "y"},
                "body": {"type": "rigid", "mass": 0.1, "com": [0.05, 0.01, 0], "inertia": [1e-4, 2e-4, 2e-4]}}
        held = {"format": "tendril.model/1", "name": "held", "gravity": [0, 0, -9.81],
                "links": [base, {"name": "arm", "parent": "base", "joint": {"type": "fixed"}, "body": rod}, hand],
                "actuators": [{"name": "motor", "type": "joint", "link": "hand"}, {"name": "tilt", "type": "joint", "link": "base", "mode": "position"}]}
        law = {"type": "feed_forward", "channels": ["motor"], "reference": {"space": "joint", "coordinates": ["hand.joint[0]"], "t": [0, 0.1], "value": [[0.1], [0.3]]}}
        tilts = {"tilt": {"type": "sine", "amplitude": 0.2, "frequency": 1.5, "phase": 1.2}}
        numbers = ["/model/links/2/body/mass", "/model/links/1/body/material/young", "/job/controller/reference/value/1/0",
                   "/job/inputs/tilt/amplitude"]
        self.same_as_differences(self.followed(held, law, numbers, inputs=tilts), 1e-6)
        held["loops"] = [{"a": {"link": "arm", "at": 1}, "b": {"link": "world", "pose": {"translation": [0.28, 0.01, 0]}}, "joint": {"type": "spherical"}}]
        refused = self.server.wait(self.server.submit(self.followed(held, law, numbers, inputs=tilts)))
        self.assertEqual((refused["error"]["code"], refused["error"]["pointer"]), ("unsupported", "/of/controller/reference/space"))

    def test_what_static_inversion_finds_by_the_way_there_has_no_gradient(self):
        few = {"type": "feed_forward", "channels": ["t0", "t1", "t2", "t3"], "reference": {"space": "tip", "t": [0, 0.1], "value": [[0.02, 0, -0.2], [0.02, 0.02, -0.195]]}}
        refused = self.followed(self.finger(4), few, ["/model/links/0/body/young"])
        self.assert_problem(self.server.request("POST", "/v1/jobs", refused), 400, "invalid_argument", pointer="/of/controller/reference/space",
                            words=["static inversion", "3 values for 4 channels"])
        refused = self.followed(self.finger(4), few, ["/job/controller/reference/value/1/0"])
        self.assert_problem(self.server.request("POST", "/v1/jobs", refused), 400, "invalid_argument", pointer="/parameters/0",
                            words=["/job/controller/reference/value/1/0", "/controller/reference/space", "static inversion"])

    def test_the_run_is_that_of_the_job_within(self):
        job = self.swing()
        _, arrays = self.run_job(job)
        _, alone = self.run_job(job["of"])
        np.testing.assert_array_equal(arrays["q"], alone["q"])

    def test_cotangents_give_the_product_with_the_jacobian(self):
        job = self.swing()
        _, arrays = self.run_job(job)
        tip, part = arrays["poses:arm@1"], (arrays["t"] / 0.2)[:, None]
        cotangent = np.zeros_like(tip)
        cotangent[:, [0, 2], 3] = [3, 1] * (tip[:, [0, 2], 3] - ((1 - part) * [0.1, 0.2] + part * [0.3, 0.1]))
        del job["objective"]
        _, product = self.run_job({**job, "cotangents": {"poses:arm@1": cotangent.tolist()}})
        np.testing.assert_allclose(product["gradient"], arrays["gradient"], rtol=1e-12)
        np.testing.assert_allclose(product["value"], np.sum(cotangent * tip), rtol=1e-12)

    def test_a_stored_model_and_every_face_have_the_same_bits(self):
        job = self.swing()
        job_id, arrays = self.run_job(job)
        self.server.request("PUT", "/v1/models/swings", job["of"]["model"])
        job["of"]["model"] = "swings"
        _, stored = self.run_job(job)
        as_json = self.server.request("GET", f"/v1/jobs/{job_id}/result").json()
        with tendril.Client("grpc://" + self.server.ready["grpc"]) as client:
            result = client.job(job_id).result()
        for name in ("value", "gradient"):
            for face in (stored, as_json["arrays"], result):
                np.testing.assert_array_equal(face[name], arrays[name])
        self.assertEqual([(one["path"], one["way"]) for one in as_json["summary"]["parameters"]],
                         list(zip(job["parameters"], ("affine", "differences", "formula", "formula"))))
        self.assertEqual((as_json["summary"]["kind"], as_json["summary"]["integrator"]["method"]), ("gradient", "newmark"))
        document = self.server.request("GET", f"/v1/jobs/{job_id}/document").json()
        self.assertNotIn("model", document["job"]["of"])
        self.assertEqual(document["model"]["name"], "swings")

    def test_the_python_client_asks_for_it_in_one_call(self):
        job = self.swing()
        with tendril.Client(f"http://{self.server.host}:{self.server.port}") as client:
            at = client.gradient(job["of"], job["parameters"], job["objective"][0])
            _, arrays = self.run_job(job)
            np.testing.assert_array_equal(at.gradient, arrays["gradient"])
            self.assertEqual(at.value, float(arrays["value"]))
            self.assertEqual([one["path"] for one in at.parameters], job["parameters"])
            along = client.gradient(job["of"], job["parameters"][:1], cotangents={"q": np.ones_like(at["q"])})
            self.assertAlmostEqual(along.value, at["q"].sum(), delta=1e-12)

    def test_what_has_no_gradient_is_refused_where_it_stands(self):
        def run(**of):
            job = self.swing()
            return {**job, "of": {**job["of"], **of}}
        cases = [(run(integrator={"method": "bdf"}), "/of/integrator/method", "no derivatives"),
                 (self.swing(parameters=[YOUNG, "/job/t_end"]), "/parameters/1", "until when"),
                 (self.swing(parameters=["/model/none"]), "/parameters/0", "nothing at"),
                 (self.swing(parameters=[]), "/parameters", "at least one"),
                 (self.swing(objective=[{**TIP, "field": "poses:nobody@1"}]), "/objective/0/field", "no link"),
                 (self.swing(objective=[TIP, {**TIP, "select": [[0, 4]], "target": 1}]), "/objective/1/select/0", "0 to 3, is 4"),
                 (self.swing(objective=[{**TIP, "target": [1, 2, 3]}]), "/objective/0/target", "2 are selected"),
                 (self.swing(objective=[{**TIP, "target": [0.1, 1e308]}]), "/objective/0/target", "is 1e+308, more than 1e+100"),
                 (self.equilibria(objective=[TIP, {**TIP, "weight": 1e308}]), "/objective/1/weight", "is 1e+308"),
                 (self.swing(objective=[{"field": "q", "select": [2], "linear": -1e101}]), "/objective/0/linear", "is -1e+101"),
                 (self.swing(objective=[{**TIP, "weight": [3]}]), "/objective/0/weight", "an array of 1, the target has 2"),
                 (self.swing(objective=[{**TIP, "weight": [3, 2, 1]}]), "/objective/0/weight", "an array of 3"),
                 (self.swing(objective=[{**TIP, "at": [0.1, 0.11]}]), "/objective/0/at/1", "nearest"),
                 (self.swing(objective=[{**TIP, "linear": [1, 2]}]), "/objective/0", "not both"),
                 (self.swing(objective=[]), "/objective", "at least one"),
                 (self.swing(cotangents={"q": [[0] * 15] * 11}), "", "not both"),
                 (self.swing(of={"kind": "linearize", "model": soft_arm(), "at": "equilibrium"}), "/of/kind", "dynamics or statics"),
                 (run(t_end=-1), "/of/t_end", "positive"),
                 (run(inputs={"none": 1}), "/of/inputs/none", "no input channel"),
                 (run(sensitivity={"parameters": [YOUNG]}), "/of/sensitivity", "leave these out"),
                 (self.equilibria(of={**self.equilibria()["of"], "inputs": {}, "continuation": {"channel": "cable"}}, parameters=[YOUNG]), "/of/continuation", "list"),
                 ({"kind": "sweep", "base": self.swing(), "vary": [{"path": "/job/of/t_end", "values": [1, 2]}]}, "/base/kind", "cannot be swept")]
        for job, pointer, said in cases:
            with self.subTest(pointer=pointer, said=said):
                reply = self.server.request("POST", "/v1/jobs", job)
                self.assertIn(reply.json()["code"], ("invalid_argument", "unsupported"))
                self.assertEqual((reply.json()["pointer"], said in reply.json()["detail"]), (pointer, True), reply.body)
        bad = self.swing()
        del bad["objective"]
        self.assert_problem(self.server.request("POST", "/v1/jobs", {**bad, "cotangents": {"q": [[0] * 15] * 10}}), 400, "invalid_argument",
                            pointer="/cotangents/q", words=["10 rows"])
        del bad["of"]["model"]
        self.assert_problem(self.server.request("POST", "/v1/jobs", {**bad, "objective": [TIP]}), 400, "invalid_argument", pointer="/of/model")

    def test_an_equilibrium_that_is_not_there_has_no_gradient(self):
        job = self.equilibria()
        job["of"]["inputs"]["cable"][2] = 1e6
        done = self.server.wait(self.server.submit(job))
        self.assertEqual((done["state"], done["error"]["code"], done["error"]["pointer"]), ("failed", "unconverged", "/of/inputs"), done)
        partial = self.server.request("GET", f"/v1/jobs/{done['id']}/result?partial=1", headers=NPZ).npz()
        self.assertNotIn("gradient", partial.files)
        job["of"]["unconverged"] = "keep"
        left_out = {**job, "of": {**job["of"], "inputs": {"cable": [0.5, 2.0]}}}
        for (_, one), (_, other) in ((self.run_job(job), self.run_job(left_out)),):
            np.testing.assert_allclose(one["gradient"], other["gradient"], rtol=1e-12)


class Lasting(Jobs):
    def wait_for(self, job_id, fraction):
        end = time.monotonic() + 120
        while time.monotonic() < end:
            job = self.server.job(job_id)
            if job["state"] == "succeeded" or job["state"] == "running" and job["progress"]["fraction"] > fraction:
                return job["state"]
            time.sleep(0.005)
        raise AssertionError(self.server.log())

    def long(self, t_end):
        job = self.swing()
        job["of"] = {**job["of"], "t_end": t_end, "output": {"dt": t_end / 10}}
        job["objective"][0] = {**TIP, "at": "all"}
        return job

    def resumed_bytes(self, job_id):
        lines = [json.loads(line) for line in self.server.log().splitlines() if line.startswith("{")]
        return [line["resumed_bytes"] for line in lines if line.get("event") == "job_started" and line.get("job") == job_id]

    def test_stopped_in_the_run_and_twice_in_the_sweep_it_has_the_bits_of_one_left_alone(self):
        # stopped at a checkpoint: jobs that are killed keep one a second
        t_end = 4.0
        while True:
            job_id = self.server.submit(self.long(t_end))
            for fraction in (0.1, 0.45, 0.75):
                if self.wait_for(job_id, fraction) == "running":
                    self.server.stop()
                    self.server.start()
            done = self.server.wait(job_id)
            self.assertEqual(done["state"], "succeeded", done)
            resumed = self.resumed_bytes(job_id)
            if len(resumed) == 4:
                break
            t_end *= 2  # it was over too early
        self.assertTrue(0 == resumed[0] < min(resumed[1:]), resumed)
        survivor = self.server.request("GET", f"/v1/jobs/{job_id}/result", headers=NPZ).npz()
        _, alone = self.run_job(self.long(t_end))
        for name in alone.files:
            if name != "summary":
                np.testing.assert_array_equal(survivor[name], alone[name], err_msg=name)

    def test_it_can_be_cancelled_in_the_sweep(self):
        job_id = self.server.submit(self.long(64.0))
        self.wait_for(job_id, 0.31)
        self.server.request("POST", f"/v1/jobs/{job_id}:cancel")
        self.assertEqual(self.server.wait(job_id)["state"], "cancelled")


if __name__ == "__main__":
    main()
