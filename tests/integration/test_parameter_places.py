"""Derivatives by numbers of the model document: those of differences over documents that are sent again with the number changed; products;
places that are none; and what freezing around them may take."""
import copy
import json
import os
import re
import unittest

import numpy as np

import harness
from harness import SOURCE, Server, example, npz, soft_arm

MATRICES = {"residual": "dresidual_dp", "id": "did_dp", "tau": "dtau_dp", "fd": "dfd_dp", "lambda": "dlambda_dp", "poses": "dposes_dp", "tendons": "dtendons_dp"}


def zoo():
    """A robot with something of nearly everything: rods, a rigid and a reduced body, springs, loads, a loop, water, tendons of both modes."""
    rod = {"type": "rod", "length": 0.5, "section": {"shape": "circle", "radius": [0.03, 0.02], "inner_radius": 0.005},
           "material": {"young": 1e6, "poisson": 0.4, "density": 1100, "viscosity": 300},
           "strain": {"basis": "legendre", "order": {"bending_y": 1, "bending_z": 0, "elongation": 0}, "reference": [0.1, 0.2, 0, 1, 0, 0]},
           "quadrature": {"points": 6}, "magnetisation": [10, 20, 0],
           "hydrodynamics": {"cd_x": 0.1, "cd_y": 1, "cl_z": 0.2, "added_y": 1, "linear": {"tangential": 0.1, "normal": 0.3}}}
    strip = {"type": "rod", "length": 0.3,
             "section": {"shape": "stiffness", "EA": 1e4, "GJ": 1, "EI_y": [2, 1], "EI_z": {"s": [0, 0.4, 1], "value": [2, 1.5, 1]}, "GA_y": 1e4, "GA_z": 1e4,
                         "mass_per_length": 0.3, "inertia_per_length": [1e-4, 6e-5, 5e-5], "damping": [0.01, 0.01, 0.01, 1, 1, 1], "radius": 0.01},
             "strain": {"basis": "linear", "order": {"torsion": 1, "bending_y": 2}}, "quadrature": {"points": 3}}
    diagonal = [1, 1, 1, 2, 2, 2]
    box = {"type": "rigid", "mass": 0.4, "com": [0.02, 0, 0.01], "inertia": [[2e-3, 1e-4, 0], [1e-4, 3e-3, 2e-4], [0, 2e-4, 2.5e-3]],
           "hydrodynamics": {"drag": [*diagonal], "added_mass": [*diagonal], "linear": [*diagonal], "body_density": 900}}
    solid = {"type": "rigid", "shape": {"type": "cylinder", "radius": 0.03, "length": 0.1, "axis": [0, 0.6, 0.8]}, "density": 700, "com": [0.01, 0.02, 0]}
    pcc = {"type": "reduced", "kinematics": "pcc", "length": 0.2, "radius": 0.02, "density": 1000, "young": 1e6, "poisson": 0.5, "damping_time": 0.01}
    links = [
        {"name": "base", "pose": {"translation": [0.1, 0, 0], "quaternion": [0.9, 0.1, 0.3, 0]}, "joint": {"type": "helical", "axis": [0.1, 0.2, 1], "pitch": 0.05,
                                                                                                      "stiffness": 2, "damping": 0.1, "rest": 0.2}, "body": box},
        {"name": "arm", "parent": "base", "pose": {"rpy": [0.1, 0.2, 0.3]}, "joint": {"type": "universal", "stiffness": [1, 2], "damping": [0.1, 0], "rest": [0, 0.1], "limits": {
            "lower": [None, 0.4], "upper": [-0.5, 0.5], "stiffness": [3, 4], "damping": [1, 2]}}, "body": rod},
        {"name": "blade", "parent": "arm", "at": 0.37, "pose": {"translation": [0, 0.02, 0], "rpy": [0, 0, 0.4]}, "joint": {"type": "revolute", "axis": "y"}, "body": strip},
        {"name": "tip", "parent": "arm", "joint": {"type": "prismatic", "axis": "x", "stiffness": 500, "limits": {"lower": -0.3, "upper": -0.2, "stiffness": 40, "damping": 3}},
         "body": solid},
        {"name": "worm", "parent": "tip", "joint": {"type": "fixed"}, "body": pcc},
    ]
    actuators = [
        {"name": "pull", "type": "tendon", "link": "arm", "routing": {"type": "sum", "of": [{"type": "linear", "base": [0, 0.02], "tip": [0.01, 0.01]},
                                                                                    {"type": "helix", "radius": 0.005, "turns": 0.5, "phase": 0.3}]}},
        {"name": "wind", "type": "tendon", "segments": [{"link": "base", "points": [[0.05, 0.03, 0.02]]},
                                                         {"link": "arm", "routing": {"type": "table", "s": [0, 0.6, 1], "y": [0.02, 0.01, 0.01], "z": [0, 0.01, 0]}}],
         "mode": "length", "stiffness": 300, "rest": 0.5, "damping": 1, "slack_width": 1e-3, "friction": 0.1, "slip_speed": 0.05},
        {"name": "magnet", "type": "field"},
    ]
    return {"format": "tendril.model/1", "name": "zoo", "gravity": [0.5, 0, -9.81],
            "fluid": {"density": 1000, "viscosity": 0.001, "velocity": [0.1, 0, 0.05]}, "links": links, "actuators": actuators,
            "loads": [{"link": "tip", "pose": {"translation": [0.01, 0, 0]}, "wrench": [0.1, 0.2, 0, 1, -0.5, 0.3]},
                      {"link": "arm", "per_length": True, "from": 0.11, "to": 0.83, "wrench": [0, 0.1, 0, 0, 0.2, 1]}],
            "contacts": [{"type": "sphere", "radius": 0.2, "stiffness": 1e4, "exponent": 1.5, "pose": {"translation": [0.35, 0.05, -0.3]}, "links": ["arm"]},
                         {"type": "plane", "axis": [0.1, 0, 1], "stiffness": 1e3, "damping": 0.2, "friction": 0.4, "slip_speed": 0.1,
                          "anisotropy": [1, 0.5], "pose": {"translation": [0, 0, -0.05]}, "links": ["blade"]}],
            "loops": [{"a": {"link": "blade", "pose": {"translation": [0, 0.01, 0]}}, "b": {"link": "world", "pose": {"translation": [0.4, 0.1, 0], "rpy": [0.1, 0, 0]}},
                       "joint": {"type": "spherical"}}],
            "springs": [{"a": {"link": "base", "pose": {"translation": [0, 0, 0.1]}}, "b": {"link": "arm", "at": 0.71}, "stiffness": 20, "damping": 0.5, "rest": 0.1}]}


def numbers(value, path=""):
    """(place, number) of all numbers of a document, in order."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from numbers(inner, f"{path}/{key}")


def changed(model, path, value, across=None):
    """The document with one number changed; of a symmetric matrix what is across it, too."""
    model = copy.deepcopy(model)
    for one in (path, across):
        if one:
            *keys, last = one.split("/")[1:]
            place = model
            for key in keys:
                place = place[int(key) if isinstance(place, list) else key]
            place[int(last) if isinstance(place, list) else last] = value
    return model


def vectors(state):
    """Quantities of a state as vectors."""
    out = {}
    for name in MATRICES:
        value = state[name]
        if name == "poses":
            value = [np.ravel(pose) for pose in value.values()]
            value = np.concatenate(value)
        out[name] = np.ravel(value["length"] if name == "tendons" else value)
    return out


def matrix(state, name, count):
    value = state[MATRICES[name]]
    if name == "poses":
        value = np.concatenate([np.reshape(pose, (-1, count)) for pose in value.values()])
    return np.reshape(value, (-1, count))


class Parameters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(None, "--evaluate-seconds", "120")  # many neighbours at a time, with sanitizers, beside other tests
        cls.addClassCleanup(cls.server.close)
        cls.connection = cls.server.connect()
        cls.addClassCleanup(cls.connection.close)
        with open(os.path.join(SOURCE, "api", "kinds.json"), encoding="utf-8") as file:
            cls.rows = json.load(file)["parameters"]

    def ask(self, model, body, status=200):
        """POST /v1/evaluate, or of a stored model; the reply's document."""
        path, body = ("/v1/evaluate", {**body, "model": model}) if isinstance(model, dict) else (f"/v1/models/{model}:evaluate", body)
        reply = self.server.request_on(self.connection, "POST", path, body)
        self.assertEqual(reply.status, status, reply.body[:1000])
        return reply.json()

    def state(self, model, seed=1):
        random = np.random.default_rng(seed)
        made = self.server.request("POST", "/v1/models?validate=1", model).json()
        n, m = made["ndof"], len(made["channels"])
        size = {"q": 0.1 * random.standard_normal(n), "qd": 0.3 * random.standard_normal(n), "qdd": random.standard_normal(n), "u": random.uniform(0.02, 0.1, m)}
        return {key: value.tolist() for key, value in size.items()}

    def test_every_kind_of_number_gives_the_derivative_that_differences_over_documents_give(self):
        model = zoo()
        state = self.state(model)
        paths = [path for path, _ in numbers(model) if not any(word in path for word in ("/order/", "/quadrature/", "/chamber"))]
        paths = [path for path in paths if path not in ("/actuators/1/segments/1/routing/s/0", "/actuators/1/segments/1/routing/s/2",
                                                        "/links/2/body/section/EI_z/s/0", "/links/2/body/section/EI_z/s/2")]
        want = list(MATRICES) + list(MATRICES.values())
        reply = self.ask(model, {"want": want, "parameters": ["/model" + path for path in paths], "states": [state]})
        self.assertEqual([p["path"] for p in reply["parameters"]], ["/model" + path for path in paths])
        self.assertEqual({p["way"] for p in reply["parameters"]}, {"affine", "differences"})
        base, values = vectors(reply["states"][0]), dict(numbers(model))
        matrices = {name: matrix(reply["states"][0], name, len(paths)) for name in MATRICES}
        kinds = {}
        for k, path in enumerate(paths):  # of numbers that differ by their indices the last
            kinds[re.sub("/[0-9]+", "/*", path)] = k
        kinds["across"] = paths.index("/links/0/body/inertia/1/2")  # which moves what is across the diagonal, too
        for k in kinds.values():
            path = paths[k]
            with self.subTest(path=path):
                self.compare(model, state, path, values[path], base, {name: m[:, k] for name, m in matrices.items()})

    def compare(self, model, state, path, value, base, columns):
        """By steps of two sizes: the first is too large for what sets in over little, the second rounds more."""
        keys = path.split("/")
        across = "/".join([*keys[:-2], keys[-1], keys[-2]]) if "/inertia/" in path and keys[-1] != keys[-2] else None
        wrong = None
        for step in (3e-5, 1e-6):
            h = step * max(abs(value), 0.05)
            found = self.differences(model, state, path, value, h, base, across)
            wrong = [(name, error) for name, error in self.errors(columns, found, base, h, 0.5 if across else 1) if error > 1e-13] if found else ["no differences"]
            if not wrong:
                return
        self.fail(wrong)

    def errors(self, columns, found, base, h, share):
        """What each column differs by, beyond what differences are good for. An entry across of which there is another adds half of what both do."""
        for name, column in columns.items():
            rounding = 1e-12 * np.abs(base[name]).max(initial=0) / h
            yield name, np.abs(column - share * found[name]).max(initial=0) - 2e-6 * np.abs(column).max(initial=0) - rounding

    def differences(self, model, state, path, value, h, base, across):
        at = {j: self.vectors_at(model, state, path, value + j * h, across) for j in (-1, 1)}
        if all(at.values()):
            return {name: (at[1][name] - at[-1][name]) / (2 * h) for name in MATRICES}
        side = 1 if at[1] else -1  # at a bound
        further = self.vectors_at(model, state, path, value + 2 * side * h, across)
        if at[side] and further:
            return {name: side * (-3 * base[name] + 4 * at[side][name] - further[name]) / (2 * h) for name in MATRICES}
        return None

    def vectors_at(self, model, state, path, value, across):
        body = {"model": changed(model, path, value, across), "want": list(MATRICES), "states": [state]}
        answer = self.server.request_on(self.connection, "POST", "/v1/evaluate", body).json()
        return vectors(answer["states"][0]) if "states" in answer and "error" not in answer["states"][0] else None

    def test_products_are_those_of_the_matrices(self):
        model, random = zoo(), np.random.default_rng(3)
        state = self.state(model)
        n, m = len(state["q"]), len(state["u"])
        parameters = ["/model/links/1/body/section/radius", "/model/gravity", "/model/links/0/pose/translation"]
        jvp = {"of": "fd", "q": random.standard_normal(n).tolist(), "qd": random.standard_normal(n).tolist(), "u": random.standard_normal(m).tolist(),
               "p": random.standard_normal(8).tolist()}
        cotangent = random.standard_normal(n)
        reply = self.ask(model, {"want": ["dfd_dq", "dfd_dqd", "dfd_du", "dfd_dp"], "parameters": parameters,
                                 "states": [{**state, "jvp": jvp, "vjp": {"of": "fd", "cotangent": cotangent.tolist()}}]})["states"][0]
        parts = {"q": "dfd_dq", "qd": "dfd_dqd", "u": "dfd_du", "p": "dfd_dp"}
        expected = sum(np.array(reply[name]) @ np.array(jvp[part]) for part, name in parts.items())
        np.testing.assert_allclose(reply["jvp"], expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
        for part, name in parts.items():
            gradient = np.array(reply[name]).T @ cotangent
            np.testing.assert_allclose(reply["vjp"][part], gradient, rtol=1e-8, atol=1e-8 * np.abs(gradient).max(), err_msg=part)
        alone = self.ask(model, {"want": [], "states": [{**state, "vjp": {"of": "fd", "cotangent": cotangent.tolist()}}]})  # wanted by being there
        self.assertEqual(alone["states"][0]["vjp"], {**reply["vjp"], "p": []})
        self.assertNotIn("parameters", alone)

    def test_a_quaternion_is_the_normalised_one(self):
        model = zoo()
        state = self.state(model)
        reply = self.ask(model, {"want": ["dresidual_dp"], "parameters": ["/model/links/0/pose/quaternion"], "states": [state]})["states"][0]
        along = np.array(reply["dresidual_dp"]) @ np.array(model["links"][0]["pose"]["quaternion"])
        self.assertLess(np.abs(along).max(), 1e-9 * np.abs(reply["dresidual_dp"]).max())

    def test_a_rod_of_a_tenth_of_a_millimetre_has_the_derivatives_of_a_large_one(self):
        """By a curvature that is 0, whose size is one over the rod's length: R goes with L, p with L^2."""
        def ask(size):
            rod = {"type": "rod", "length": size, "section": {"shape": "circle", "radius": 0.03 * size},
                   "material": {"young": 1e6, "poisson": 0.4, "density": 1000}, "strain": {"basis": "legendre", "order": {"bending_y": 1}, "reference": [0, 0, 0, 1, 0, 0]}}
            model = {"format": "tendril.model/1", "links": [{"name": "rod", "joint": {"type": "fixed"}, "body": rod}]}
            body = {"want": ["dposes_dp"], "parameters": ["/model/links/0/body/strain/reference/1"], "states": [{"q": [0.7, 0.2]}]}
            poses = np.array(self.ask(model, body)["states"][0]["dposes_dp"]["rod"])[..., 0] / size
            poses[..., :3, 3] /= size
            return poses
        np.testing.assert_allclose(ask(1e-4), ask(1), atol=1e-9)

    def test_a_tendon_beside_the_wall_of_a_chamber_is_asked_nearby(self):
        def answer(y, want):
            body = {"type": "reduced", "kinematics": "pcc_variable_radius", "length": 0.2, "density": 1000, "young": 5e5, "poisson": 0.4, "radius": 0.03, "wall": 0.008}
            model = {"format": "tendril.model/1", "links": [{"name": "a", "joint": {"type": "fixed"}, "body": body}],
                     "actuators": [{"name": "t", "type": "tendon", "link": "a", "points": [[0.01, 0.005, 0.02], [0.008, y, 0.15]]}]}
            asked = {"parameters": ["/model/actuators/0/points/1/1"]} if want == "dtendons_dp" else {}
            return self.ask(model, {"want": [want], "states": [{"q": [0.3, 0.01, 0.004, -0.003]}], **asked})["states"][0][want]
        def length(y):
            return answer(y, "tendons")["length"][0]
        for y, h in ((5e-4, 5e-7), (1e-4, 1e-7)):
            expected = (8 * (length(y + h) - length(y - h)) - (length(y + 2 * h) - length(y - 2 * h))) / (12 * h)
            self.assertAlmostEqual(answer(y, "dtendons_dp")[0][0], expected, delta=5e-9)

    def test_a_revision_is_differentiated_at_its_own_numbers_and_names_are_the_requests(self):
        model = soft_arm(order=0, name="revised")
        body = {"want": ["did_dp"], "parameters": [{"path": "/model/links/0/body/section/radius", "name": "r"}], "states": [{"q": [0.1] * 12}]}
        slopes = []
        for radius in (0.03, 0.06, 0.03):
            model["links"][0]["body"]["section"]["radius"] = [radius, 0.015]
            self.server.request("PUT", "/v1/models/revised", model)
            first, second = self.ask("revised", body), self.ask("revised", body)
            self.assertEqual(first, second)
            self.assertEqual([p["name"] for p in first["parameters"]], ["r[0]", "r[1]"])
            self.assertEqual(first, {**self.ask(model, body), "warnings": first.get("warnings")} if "warnings" in first else self.ask(model, body))
            slopes.append(first["states"][0]["did_dp"])
        self.assertEqual(slopes[0], slopes[2])
        self.assertNotEqual(slopes[0], slopes[1])
        body["parameters"][0]["name"] = "radius"  # the same numbers: nothing is frozen, but they are called otherwise
        self.assertEqual([p["name"] for p in self.ask("revised", body)["parameters"]], ["radius[0]", "radius[1]"])

    def test_a_number_of_two_places_has_the_sum_of_their_derivatives_in_every_document(self):
        model = harness.pendulum(name="chain")
        model["links"][0]["joint"]["stiffness"] = 3
        model["links"].append({**model["links"][0], "name": "second", "parent": model["links"][0]["name"]})
        places = ["/model/links/0/joint/stiffness", "/model/links/1/joint/stiffness"]
        shared, state = {"paths": places, "name": "k"}, {"q": [0.3, -0.4]}
        body = {"want": ["dresidual_dp", "dfd_dp"], "states": [state]}
        one, each = (self.ask(model, {**body, "parameters": asked}) for asked in ([shared], places))
        self.assertEqual(one["parameters"], [{"name": "k", "path": places[0], "also": places[1:], "way": "affine"}])
        for name in body["want"]:
            np.testing.assert_allclose(np.sum(each["states"][0][name], axis=1), np.ravel(one["states"][0][name]), rtol=1e-10)
        np.testing.assert_allclose(np.ravel(one["states"][0]["dresidual_dp"]), [-0.3, 0.4], rtol=1e-10)  # -k q
        members = {"want": np.array(["dfd_dp"]), "q": np.array([state["q"]]), "parameters": np.array(["\n".join(places)])}
        self.server.request("POST", "/v1/models", model)
        found = self.server.request("POST", "/v1/models/chain:evaluate", npz(**members), {"Content-Type": "application/x-npz", "Accept": "application/x-npz"}).npz()
        self.assertEqual(found["parameter_paths"].tolist(), ["\n".join(places)])
        np.testing.assert_array_equal(found["dfd_dp"][0], one["states"][0]["dfd_dp"])
        run = {"kind": "dynamics", "t_end": 0.1, "initial": {"q": [0.2, 0.2]}, "integrator": {"method": "newmark", "h": 0.01}, "model": model}
        start = ["/job/initial/q/0", "/job/initial/q/1"]
        ask = {"kind": "gradient", "of": run, "objective": [{"field": "q", "linear": [1, 2]}]}
        together, apart = (self.gradient({**ask, "parameters": asked}) for asked in ([shared, {"paths": start}], places + start))
        np.testing.assert_allclose(together, [apart[0] + apart[1], apart[2] + apart[3]], rtol=1e-10)
        forward = {**run, "sensitivity": {"parameters": [{"paths": start}], "fields": ["q"]}}
        rows = self.server.request("GET", f"/v1/jobs/{self.done(forward)}/result", headers={"Accept": "application/x-npz"}).npz()
        self.assertAlmostEqual(rows["sensitivity:q"][-1, 0, 0] + 2 * rows["sensitivity:q"][-1, 1, 0], together[1], delta=1e-9)

    def done(self, job):
        made = self.server.wait(self.server.submit(job))
        self.assertEqual(made["state"], "succeeded", made)
        return made["id"]

    def gradient(self, job):
        return self.server.request("GET", f"/v1/jobs/{self.done(job)}/result", headers={"Accept": "application/x-npz"}).npz()["gradient"]

    def test_what_is_no_parameter_is_refused_with_its_place_and_the_reason(self):
        model = zoo()
        state = {"q": self.state(model)["q"]}
        for parameters, pointer, words in (
                (["/model/gravity", "/model/links/1/body/strain/order/bending_y"], "/parameters/1", "an order is a count"),
                (["/model/links/2/joint/stiffness"], "/parameters/0", "default"),
                (["/model/links/1/name"], "/parameters/0", "no number"),
                (["/job/inputs/pull"], "/parameters/0", "no meaning here"),
                (["/model/gravity/0", {"path": "/model/gravity"}], "/parameters/1", "twice"),
                (["/model/links/0/pose/~3"], "/parameters/0", "no JSON pointer"),
                ([{"path": "/model/gravity/0", "name": "g"}, {"path": "/model/gravity/2", "name": "g"}], "/parameters/1", "name of parameter 0"),
                ([{"path": "/model/gravity", "unit": "m"}], "/parameters/0/unit", "unknown key"),
                ([], "/parameters", "required by dfd_dp")):
            with self.subTest(parameters=parameters):
                problem = self.ask(model, {"want": ["dfd_dp"], "parameters": parameters, "states": [state]}, 400)
                self.assertEqual(problem["pointer"], pointer)
                self.assertIn(words, problem["detail"])
        for count in (4097, 1000000):
            problem = self.ask(model, {"want": ["dfd_dp"], "parameters": ["/model/gravity/0"] * count, "states": [state]}, 413)
            self.assertIn("4096", problem["detail"])
        short = {**state, "jvp": {"of": "fd", "p": [1, 2]}}
        problem = self.ask(model, {"want": ["dfd_dp"], "parameters": ["/model/gravity"], "states": [short]}, 400)
        self.assertEqual((problem["pointer"], problem["detail"]), ("/states/0/jvp/p", "has 2 numbers, there are 3 parameters"))
        wet = {**example("boom.model.json")}  # gravity stays along z where water ends: the neighbours' own check
        n = self.server.request("POST", "/v1/models?validate=1", wet).json()["ndof"]
        problem = self.ask(wet, {"want": ["did_dp"], "parameters": ["/model/gravity/0"], "states": [{"q": [0] * n}]}, 400)
        self.assertEqual(problem["pointer"], "/parameters/0")
        self.assertIn("along z", problem["detail"])

    def test_archives_refuse_what_the_factors_of_products_are_not(self):
        good = {"want": np.array(["jvp"]), "q": np.zeros((2, 12)), "jvp/of": np.array("fd"), "jvp/q": np.ones((2, 12))}
        self.server.request("PUT", "/v1/models/bent", soft_arm(order=0, name="bent"))
        for change, pointer in (({"jvp/of": np.array("id")}, "/jvp~1of"), ({"jvp/q": np.ones((1, 12))}, "/jvp"), ({"jvp/q": np.ones((2, 7))}, "/jvp/q"),
                                ({"jvp/of": None}, "/jvp"), ({"parameters": np.array([1.0])}, "/parameters"), ({"jvp/q": np.full((2, 12), np.nan)}, "/jvp~1q"),
                                ({"parameters": np.array(["/model/gravity"]), "parameter_names": np.array(["a", "b"])}, "/parameter_names"),
                                ({"vjp/of": np.array("fd")}, "/vjp")):
            with self.subTest(change=change):
                members = {key: value for key, value in {**good, **change}.items() if value is not None}
                reply = self.server.request("POST", "/v1/models/bent:evaluate", npz(**members), {"Content-Type": "application/x-npz", "Accept": "application/x-npz"})
                self.assertEqual((reply.status, reply.json()["pointer"]), (400, pointer), reply.body)


class Bounds(unittest.TestCase):
    def test_freezing_around_many_numbers_of_a_large_robot_has_the_time_of_an_evaluation(self):
        model = example("helicoid.model.json")
        parameters = ["/model" + path for path, _ in numbers(model) if "/polynomial/" in path or "/points/" in path]
        server = Server(None, "--evaluate-seconds", "1")
        self.addCleanup(server.close)
        n = server.request("POST", "/v1/models?validate=1", model).json()["ndof"]
        body = {"model": model, "want": ["did_dp"], "parameters": parameters, "states": [{"q": [0.01] * n}]}
        problem = server.request("POST", "/v1/evaluate", body)
        self.assertEqual((problem.status, problem.json()["pointer"]), (413, "/parameters"), problem.body[:300])
        self.assertIn("evaluate-seconds", problem.json()["detail"])
        small = {"model": harness.pendulum(), "want": ["did_dp"], "parameters": ["/model/links/0/body/com"], "states": [{"q": [0.3]}]}
        self.assertEqual(server.request("POST", "/v1/evaluate", small).status, 200)  # of which there is enough time

    def test_neighbours_make_room_for_others_and_are_frozen_again(self):
        server = Server(None, "--memory", "64")
        self.addCleanup(server.close)
        model = example("uw.model.json")
        n = server.request("PUT", "/v1/models/uw", model).json()["ndof"]
        places = [f"/model{path}" for path, _ in numbers(model) if "/pose/" in path]
        answers = {}
        for _ in range(2):
            for i in range(0, 30, 3):  # more sets than a shelf has, and than the memory: 9 MB each
                reply = server.request("POST", "/v1/models/uw:evaluate", {"want": ["did_dp"], "parameters": places[i:i + 6], "states": [{"q": [0.01] * n}]})
                self.assertEqual(reply.status, 200, reply.body[:300])
                self.assertEqual(answers.setdefault(i, reply.json()["states"]), reply.json()["states"])


if __name__ == "__main__":
    harness.main()
