"""Evaluate: values against closed forms and references, the same bits on every way, failures state by state."""
import json
import math
import os

import numpy as np

from harness import SOURCE, ServerTest, main, npz, pendulum, soft_arm

NPZ = "application/x-npz"
COM, MASS, INERTIA = 0.5, 2.0, 0.1 + 2.0 * 0.5**2


class Evaluate(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for model in (pendulum(), soft_arm()):
            assert cls.server.request("POST", "/v1/models", model).status == 201

    def evaluate(self, path, body, **headers):
        reply = self.server.request("POST", path, body, headers)
        self.assertEqual(reply.status, 200, reply.body[:1000])
        return reply

    def states(self, count, n, m):
        random = np.random.default_rng(1)
        return [random.uniform(-1, 1, (count, k)) for k in (n, n, n, m)]

    def test_a_pendulum_has_the_values_of_its_closed_form(self):
        state = {"q": [0.7], "qd": [0.4], "qdd": [0.2], "u": [0.3]}
        want = ["fd", "mass", "id", "tau", "residual", "energy", "dfd_dq", "dfd_du"]
        got = self.evaluate("/v1/models/pendulum:evaluate", {"want": want, "states": [state]}).json()
        self.assertEqual(got["ndof"], 1)
        values = got["states"][0]
        weight = MASS * 9.81 * COM
        self.assertAlmostEqual(values["mass"][0][0], INERTIA, 14)
        self.assertAlmostEqual(values["id"][0], INERTIA * 0.2 + weight * math.sin(0.7), 13)
        self.assertAlmostEqual(values["tau"][0], 0.3, 14)
        self.assertAlmostEqual(values["residual"][0], values["tau"][0] - values["id"][0], 13)
        self.assertAlmostEqual(values["fd"][0], (0.3 - weight * math.sin(0.7)) / INERTIA, 13)
        self.assertAlmostEqual(values["dfd_dq"][0][0], -weight * math.cos(0.7) / INERTIA, 12)
        self.assertAlmostEqual(values["dfd_du"][0][0], 1 / INERTIA, 13)
        self.assertAlmostEqual(values["energy"]["kinetic"], 0.5 * INERTIA * 0.4**2, 14)
        self.assertAlmostEqual(values["energy"]["gravitational"], -weight * math.cos(0.7), 13)

    def test_a_pendulum_steps_as_its_formulas_say(self):
        q, v, u, h = 0.7, 0.4, 0.3, 0.02
        weight = MASS * 9.81 * COM
        want = ["x_next", "dx_next_dx", "dx_next_du"]

        def step(**how):
            body = {"want": want, "states": [{"q": [q], "qd": [v], "u": [u]}], "step": {"h": h, **how}}
            return {name: np.array(x) for name, x in self.evaluate("/v1/models/pendulum:evaluate", body).json()["states"][0].items()}

        euler = step()
        (a, b), k = euler["x_next"], h * h * weight / INERTIA
        self.assertAlmostEqual(a, q + h * b, 13)
        self.assertAlmostEqual(b, v + h * (u - weight * math.sin(a)) / INERTIA, 9)
        rate = 1 / (1 + k * math.cos(a))  # d a / d (q + h v)
        np.testing.assert_allclose(euler["dx_next_dx"], [[rate, h * rate], [(rate - 1) / h, rate]], rtol=1e-9)
        np.testing.assert_allclose(euler["dx_next_du"], [[h * h * rate / INERTIA], [h * rate / INERTIA]], rtol=1e-9)

        mass = {"want": ["dx_next_dp"], "parameters": ["/model/gravity/2"], "step": {"h": h}, "states": [{"q": [q], "qd": [v], "u": [u]}]}
        by_gravity = self.evaluate("/v1/models/pendulum:evaluate", mass).json()["states"][0]["dx_next_dp"]  # u is held, the weight is -M c g
        np.testing.assert_allclose(by_gravity, [[h * h * rate * MASS * COM * math.sin(a) / INERTIA], [h * rate * MASS * COM * math.sin(a) / INERTIA]], rtol=1e-8)

        def slope(x):
            return np.array([x[1], (u - weight * math.sin(x[0])) / INERTIA])

        x = np.array([q, v])
        for _ in range(4):
            k1 = slope(x)
            k2 = slope(x + h / 8 * k1)
            k3 = slope(x + h / 8 * k2)
            x = x + h / 24 * (k1 + 2 * k2 + 2 * k3 + slope(x + h / 4 * k3))
        np.testing.assert_allclose(step(method="rk4", substeps=4)["x_next"], x, atol=1e-13)

    def test_a_step_that_cannot_be_is_refused_where_it_stands(self):
        state = {"q": [0.7]}
        for step, pointer, words in (({}, "/step/h", "required"), ({"h": 0}, "/step/h", "longer than 0"),
                                     ({"h": 0.1, "method": "bdf"}, "/step/method", "one by one"),
                                     ({"h": 0.1, "method": "fast"}, "/step/method", "none of"),
                                     ({"h": 0.1, "substeps": 0}, "/step/substeps", "1 to 10000"),
                                     ({"h": 0.1, "size": 1}, "/step/size", "unknown"), (None, "/step", "required by x_next")):
            body = {"want": ["x_next"], "states": [state], **({"step": step} if step is not None else {})}
            reply = self.server.request("POST", "/v1/models/pendulum:evaluate", body)
            self.assert_problem(reply, 400, "invalid_argument", pointer, [words])

    def test_the_cable_driven_manipulator_has_the_values_of_the_reference(self):
        with open(os.path.join(SOURCE, "tests/published/gvs/cdm.json"), encoding="utf-8") as file:
            reference = json.load(file)
        for state in reference["states"]:
            names = list(state["expect"])
            request = {"model": reference["model"], "want": names,
                       "states": [{part: state[part] for part in ("q", "qd", "qdd", "u")}]}
            got = self.evaluate("/v1/evaluate", request).json()["states"][0]
            for name in names:
                expected = np.array(state["expect"][name])
                error = np.max(np.abs(np.array(got[name]) - expected))
                self.assertLessEqual(error, (1e-7 if "fd" in name else 1e-10) * max(1e-3, np.max(np.abs(expected))), name)

    def test_quantities_have_the_signs_and_frames_that_their_table_says(self):
        # api/quantities.md: residual = tau - id, sums of terms, a tension pulls, jacobians in body axes.
        h = 1e-6
        want = ["id", "tau", "residual", "id_terms", "tau_terms", "tendons", "dtau_du", "poses", "jacobians", "fd", "mass"]
        model = soft_arm(order=2)
        model["links"].append({"name": "hand", "parent": model["links"][-1]["name"], "joint": {"type": "revolute", "axis": "y"},
                               "body": {"type": "rigid", "mass": 0.1, "com": [0.02, 0, 0], "inertia": [1e-5, 1e-5, 1e-5]}})
        checked = self.server.request("POST", "/v1/models?validate=1", model).json()
        n, m = checked["ndof"], len(checked["channels"])
        q, qd, qdd, u = (rows[0].tolist() for rows in self.states(1, n, m))
        near = [[x + s * h * v for x, v in zip(q, qd)] for s in (1, -1)]
        states = [{"q": q, "qd": qd, "qdd": qdd, "u": u}] + [{"q": x} for x in near]
        now, after, before = self.evaluate("/v1/evaluate", {"model": model, "want": want, "states": states}).json()["states"]
        value = {name: np.array(now[name]) for name in want if not isinstance(now[name], dict)}
        np.testing.assert_allclose(value["residual"], value["tau"] - value["id"], atol=1e-12)
        np.testing.assert_allclose(value["residual"], value["mass"] @ (value["fd"] - qdd), atol=1e-9)
        for name in ("id", "tau"):
            np.testing.assert_allclose(sum(np.array(part) for part in now[name + "_terms"].values()), value[name], atol=1e-12)
        np.testing.assert_allclose(value["dtau_du"], -np.array(now["tendons"]["dlength_dq"]).T, atol=1e-12)
        for link, poses in now["poses"].items():
            for k, pose in enumerate(np.array(poses)):
                rate = (np.array(after["poses"][link][k]) - np.array(before["poses"][link][k])) / (2 * h)
                spin, twist = pose[:3, :3].T @ rate[:3, :3], np.array(now["jacobians"][link][k]) @ qd
                np.testing.assert_allclose(twist, [spin[2, 1], spin[0, 2], spin[1, 0], *(pose[:3, :3].T @ rate[:3, 3])], atol=1e-7)

    def test_a_slash_for_a_colon_is_named(self):
        for path, colon in (("/v1/models/pendulum/evaluate", True), ("/v1/jobs/abc/cancel", True), ("/v1/models/pendulum/shape", False), ("/v1/nothing", False)):
            reply = self.server.request("POST", path, {})
            self.assert_problem(reply, 404, "not_found", words=["there is nothing at " + path])
            self.assertEqual("an action follows a colon" in reply.json()["detail"], colon, path)

    def test_joints_put_a_link_where_their_formulas_say(self):
        # «Where coordinates of joints put a link» in api/quantities.md, and the descriptions of the schema.
        def cross(w):
            return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])

        def turned(w):
            t, W = np.linalg.norm(w), cross(w)
            return np.eye(3) + math.sin(t) / t * W + (1 - math.cos(t)) / t**2 * W @ W

        def free(q):
            t, W = np.linalg.norm(q[:3]), cross(q[:3])
            return turned(q[:3]), (np.eye(3) + (1 - math.cos(t)) / t**2 * W + (t - math.sin(t)) / t**3 * W @ W) @ q[3:]

        plane = {"z": np.eye(3), "x": np.eye(3)[[1, 2, 0]], "y": np.eye(3)[[2, 0, 1]]}  # rows e1, e2, a
        formulas = {
            "revolute": (1, lambda q, e: (turned(q[0] * e[2]), 0 * e[0])),
            "prismatic": (1, lambda q, e: (np.eye(3), q[0] * e[2])),
            "helical": (1, lambda q, e: (turned(q[0] * e[2]), 0.3 * q[0] * e[2])),
            "cylindrical": (2, lambda q, e: (turned(q[0] * e[2]), q[1] * e[2])),
            "universal": (2, lambda q, e: (turned(q[0] * e[0] + q[1] * e[1]), 0 * e[0])),
            "planar": (3, lambda q, e: (turned(q[0] * e[2]), (q[1] * math.sin(q[0]) - q[2] * (1 - math.cos(q[0]))) / q[0] * e[0]
                                        + (q[1] * (1 - math.cos(q[0])) + q[2] * math.sin(q[0])) / q[0] * e[1])),
            "spherical": (3, lambda q, e: (turned(q), 0 * e[0])),
            "free": (6, lambda q, e: free(q))}

        def pose(joint, q):
            body = {"type": "rigid", "mass": 1, "inertia": [1, 1, 1]}
            model = {"format": "tendril.model/1", "name": "one", "links": [{"name": "base", "joint": joint, "body": body}]}
            reply = self.evaluate("/v1/evaluate", {"model": model, "want": ["poses"], "states": [{"q": list(q)}]})
            return np.array(reply.json()["states"][0]["poses"]["base"][0])

        for axis, e in plane.items():
            for kind, (count, formula) in formulas.items():
                q = np.array([0.9, -0.4, 0.7, 0.3, 0.5, -0.6])[:count]
                got, (R, p) = pose({"type": kind, "axis": axis, **({"pitch": 0.3} if kind == "helical" else {})}, q), formula(q, e)
                np.testing.assert_allclose(got, [*np.column_stack([R, p]), [0, 0, 0, 1]], atol=1e-13, err_msg=f"{kind} {axis}")
        t, x, y = math.pi / 2, 1.0, 0.25  # the planar base of the table: stands at (x, y) with the angle t
        cot = 1 / math.tan(t / 2)
        got = pose({"type": "planar"}, [t, t / 2 * (x * cot + y), t / 2 * (y * cot - x)])
        np.testing.assert_allclose(got[:3], [[0, -1, 0, x], [1, 0, 0, y], [0, 0, 1, 0]], atol=1e-13)

    def test_values_at_a_rod_turned_inside_out_are_marked_by_state(self):
        arm = {"format": "tendril.model/1", "links": [{"name": "ram", "joint": {"type": "fixed"}, "body": {
            "type": "rod", "length": 1, "section": {"shape": "circle", "radius": 0.01}, "material": {"young": 1e7, "poisson": 0.3, "density": 1000},
            "strain": {"basis": "legendre", "order": {"elongation": 1, "bending_y": 1}}}}]}
        shapes = [[0, 0, 0, 0], [0, 0, -1.1, 0], [0, 0, -0.6, 0.3], [0, 0, 0.2, -1.3]]
        got = self.evaluate("/v1/evaluate", {"model": arm, "want": ["id"], "states": [{"q": q} for q in shapes]}).json()
        self.assertEqual([len(state["id"]) for state in got["states"]], [4] * 4)
        self.assertEqual([(w["code"], w["pointer"]) for w in got["warnings"]], [("inside_out", "/states/1/q"), ("inside_out", "/states/3/q")])
        self.assertRegex(got["warnings"][0]["detail"], 'rod "ram" is turned inside out.*-0.1 at X')
        self.assertNotIn("warnings", self.evaluate("/v1/evaluate", {"model": arm, "want": ["id"], "states": [{"q": shapes[2]}]}).json())
        for rows, expected in ((shapes, got["warnings"]), (shapes[2:3], None)):
            body = npz(q=np.array(rows, float), want=np.array(["id"]), model=np.frombuffer(json.dumps(arm).encode(), np.uint8))
            arrays = self.evaluate("/v1/evaluate", body, **{"Content-Type": NPZ}).npz()
            self.assertEqual(json.loads(arrays["warnings"].tobytes()) if "warnings" in arrays else None, expected)

    def test_values_at_a_rod_bent_tighter_than_its_section_are_marked(self):
        def strip(section, order):
            return {"format": "tendril.model/1", "links": [{"name": "strip", "joint": {"type": "fixed"}, "body": {
                "type": "rod", "length": 0.5, "section": section, "material": {"young": 1e7, "poisson": 0.3, "density": 1000},
                "strain": {"basis": "legendre", "order": order}}}]}
        flat, round_ = {"shape": "rectangle", "height": 0.002, "width": 0.05}, {"shape": "circle", "radius": 0.01}
        both, stretching = {"bending_y": 0, "bending_z": 0}, {"bending_y": 1, "elongation": 0}
        cases = [(flat, both, [19, 0], 0), (flat, both, [21, 0], 1), (flat, both, [0, 480], 0), (flat, both, [0, -520], 1), (flat, both, [15, 200], 1),
                 (round_, both, [49, 0], 0), (round_, both, [40, 40], 1), (round_, both, [33, 33], 0), (round_, stretching, [40, 0, 0], 0),
                 (round_, stretching, [40, 0, -0.3], 1), (round_, stretching, [60, 0, 0.3], 0), (round_, stretching, [30, 30, 0], 1)]
        for section, order, q, count in cases:
            got = self.evaluate("/v1/evaluate", {"model": strip(section, order), "want": ["tau"], "states": [{"q": q}]}).json()
            said = [w for w in got.get("warnings", []) if w["code"] == "folded_section"]
            self.assertEqual([w["pointer"] for w in said], ["/states/0/q"] * count, (section, q))
        self.assertRegex(said[0]["detail"], 'rod "strip" is bent tighter .* at X = 0(.5)? m its radius of curvature is 0.0[0-9]* m, and its inner side lies 0.01 m')

    def test_values_at_a_tendon_without_length_are_marked(self):
        rod = {"type": "rod", "length": 0.4, "section": {"shape": "circle", "radius": 0.004}, "material": {"young": 1e7, "poisson": 0.4, "density": 1100},
               "strain": {"basis": "legendre", "order": {"bending_y": 0, "elongation": 0}}}
        guided = {"format": "tendril.model/1", "links": [{"name": "arm", "joint": {"type": "fixed"}, "body": rod}],  # by disks, outside of the rod
                  "actuators": [{"name": "cable", "type": "tendon", "link": "arm", "routing": {"type": "linear", "base": [0, 0.02]}}]}
        block = {"type": "rigid", "mass": 1, "com": [0, 0, 0], "inertia": [1e-3, 1e-3, 1e-3]}
        slider = {"format": "tendril.model/1", "links": [
            {"name": "post", "joint": {"type": "fixed"}, "body": block}, {"name": "cart", "joint": {"type": "prismatic", "axis": "x"}, "body": block}],
            "actuators": [{"name": "rope", "type": "tendon", "segments": [{"link": "post", "points": [[0.3, 0, 0]]}, {"link": "cart", "points": [[0, 0, 0]]}]}]}
        # 1 + elongation + kappa 0.02 of the cable, kappa = q / 0.4
        for model, want, rows, marked in ((guided, "tau", [[0, 0], [-19, 0], [-19.9, 0], [-20, 0.05], [-25, 0], [19, 0], [-14, -0.28]], [2, 4, 6]),
                                          (guided, "tendons", [[-19.9, 0]], [0]), (guided, "fd", [[-19.9, 0]], [0]), (guided, "id", [[-19.9, 0]], []), (guided, "mass", [[-19.9, 0]], []),
                                          (slider, "tau", [[0], [0.25], [0.3], [0.295], [0.6]], [2, 3])):
            states = [{"q": q, "u": [1]} if want != "mass" else {"q": q} for q in rows]
            got = self.evaluate("/v1/evaluate", {"model": model, "want": [want], "states": states}).json()
            said = [w for w in got.get("warnings", []) if w["code"] == "tendon_kink"]
            self.assertEqual([w["pointer"] for w in said], [f"/states/{i}/q" for i in marked], (want, got.get("warnings")))
        self.assertRegex(said[0]["detail"], 'tendon "rope" has no length left between its points on "post" and "cart": they meet')

    def test_an_overconstrained_mechanism_in_few_digits_is_said_to_be_open(self):
        def leg(name, parent, pose):
            return {"name": name, "parent": parent, "pose": pose, "joint": {"type": "revolute", "axis": "y"},
                    "body": {"type": "rigid", "mass": 0.2, "com": [0.1, 0, 0], "inertia": [1e-5, 7e-4, 7e-4]}}
        out = {"translation": [0.2, 0, 0]}
        sarrus = {"format": "tendril.model/1", "links": [  # two pairs of legs in planes at a right angle hold a platform level
            leg("A1", "world", {"translation": [0.1, 0, 0]}), leg("A2", "A1", out),
            leg("B1", "world", {"translation": [0, 0.1, 0], "rpy": [0, 0, math.pi / 2]}), leg("B2", "B1", out), leg("plat", "A2", out)],
            "loops": [{"a": {"link": "B2", "pose": out | {"rpy": [0, 0, -math.pi / 2]}}, "b": {"link": "plat", "pose": {"translation": [-0.1, 0.1, 0]}},
                       "joint": {"type": "revolute", "axis": "x"}}]}
        exact = [-math.pi / 3] * 4 + [2 * math.pi / 3]
        few = [round(x, 6) for x in exact]
        got = self.evaluate("/v1/evaluate", {"model": sarrus, "want": ["fd", "lambda", "loop_error"], "states": [{"q": exact}, {"q": few}]}).json()
        self.assertLess(np.abs(got["states"][0]["loop_error"]).max(), 1e-14)
        self.assertTrue(1e-8 < np.abs(got["states"][1]["loop_error"]).max() < 1e-5)
        self.assertEqual([(w["code"], w["pointer"]) for w in got["warnings"]], [("loop_open", "/states/1/q")], got["warnings"])
        self.assertNotIn("warnings", self.evaluate("/v1/evaluate", {"model": sarrus, "want": ["id", "mass"], "states": [{"q": few}]}).json())

    def test_json_and_npz_in_and_out_carry_the_same_bits(self):
        q, qd, qdd, u = self.states(7, self.ndof("soft"), 1)
        want = ["id", "fd", "dfd_dq", "dfd_du", "mass", "energy", "poses", "tendons", "tau_terms"]
        states = [dict(q=list(a), qd=list(b), qdd=list(c), u=list(d)) for a, b, c, d in zip(q, qd, qdd, u)]
        body = {"want": want, "states": states}
        archive = npz(q=q, qd=qd, qdd=qdd, u=u, want=np.array(want))
        path = "/v1/models/soft:evaluate"
        from_json = self.evaluate(path, body).json()["states"]
        answers = [self.evaluate(path, archive, **{"Content-Type": NPZ}).npz(),
                   self.evaluate(path, archive, **{"Content-Type": NPZ, "Accept": NPZ}).npz(),
                   self.evaluate(path, body, Accept=NPZ).npz()]
        crossed = self.evaluate(path, archive, **{"Content-Type": NPZ, "Accept": "application/json"}).json()["states"]
        self.assertEqual(from_json, crossed)
        for arrays in answers:
            for name in ("id", "fd", "dfd_dq", "dfd_du", "mass"):
                np.testing.assert_array_equal(arrays[name], np.array([state[name] for state in from_json]))
            np.testing.assert_array_equal(arrays["poses/arm"], np.array([state["poses"]["arm"] for state in from_json]))

    def ndof(self, name):
        return self.server.request("GET", f"/v1/models/{name}").json()["ndof"]

    def test_the_bits_of_a_state_do_not_depend_on_its_batch_nor_on_how_the_model_is_named(self):
        n = self.ndof("soft")
        q, qd, _, u = self.states(50, n, 1)
        path, want = "/v1/models/soft:evaluate", np.array(["fd", "dfd_dq"])
        whole = self.evaluate(path, npz(q=q, qd=qd, u=u, want=want), **{"Content-Type": NPZ}).npz()
        document = np.frombuffer(json.dumps(soft_arm()).encode(), np.uint8)
        for i in (0, 17, 49):
            one = npz(q=q[i:i + 1], qd=qd[i:i + 1], u=u[i:i + 1], want=want)
            inline = npz(q=q[i:i + 1], qd=qd[i:i + 1], u=u[i:i + 1], want=want, model=document)
            for target, body in ((path, one), ("/v1/models/soft@1:evaluate", one), ("/v1/evaluate", inline)):
                part = self.evaluate(target, body, **{"Content-Type": NPZ}).npz()
                np.testing.assert_array_equal(part["fd"][0], whole["fd"][i])
                np.testing.assert_array_equal(part["dfd_dq"][0], whole["dfd_dq"][i])

    def test_missing_parts_mean_zero(self):
        got = self.evaluate("/v1/models/pendulum:evaluate",
                            {"want": ["fd"], "states": [{"q": [0.5]}, {"q": [0.5], "qd": [0], "u": [0]}]}).json()["states"]
        self.assertEqual(got[0], got[1])

    def test_a_state_that_fails_is_an_entry_and_the_others_answer(self):
        n = self.ndof("soft")
        states = [{"q": [0.0] * n}, {"q": [1e300] * n}, {"q": [0.1] * n}]
        got = self.evaluate("/v1/models/soft:evaluate", {"want": ["fd"], "states": states}).json()["states"]
        self.assertEqual(set(got[1]), {"error"})
        self.assertTrue(got[1]["error"]["code"] and got[1]["error"]["detail"], got[1])
        self.assertEqual((got[1]["error"]["quantity"], got[1]["error"]["link"]), ("fd", "arm"))
        self.assertEqual((len(got[0]["fd"]), len(got[2]["fd"])), (n, n))
        arrays = self.evaluate("/v1/models/soft:evaluate", npz(q=np.array([s["q"] for s in states]), want=np.array(["fd"])),
                               **{"Content-Type": NPZ}).npz()
        self.assertTrue(np.all(np.isnan(arrays["fd"][1])) and np.all(np.isfinite(arrays["fd"][[0, 2]])))
        self.assertTrue(arrays["error"][1] and not arrays["error"][0])

    def test_a_large_batch_is_cut_over_threads_and_joined_in_order(self):
        n = self.ndof("soft")
        q = self.states(1003, n, 1)[0]
        q[::97] = 1e300
        path, states = "/v1/models/soft:evaluate", [{"q": list(row)} for row in q]
        got = self.evaluate(path, {"want": ["id", "energy"], "states": states}).json()["states"]
        arrays = self.evaluate(path, npz(q=q, want=np.array(["id", "energy"])), **{"Content-Type": NPZ}).npz()
        self.assertEqual([i for i, state in enumerate(got) if "error" in state], list(range(0, 1003, 97)))
        for i, state in enumerate(got):
            if "error" not in state:
                np.testing.assert_array_equal(np.array(state["id"]), arrays["id"][i])
            self.assertEqual("error" in state, bool(arrays["error"][i]))
        for i in (1, 501, 1002):
            self.assertEqual(self.evaluate(path, {"want": ["id", "energy"], "states": [states[i]]}).json()["states"][0], got[i])

    def test_wrong_requests_name_their_place(self):
        path = "/v1/models/pendulum:evaluate"
        for body, pointer in [
                ({"want": ["fd"], "states": [{"q": [0]}, {"q": [0]}, {"q": [0]}, {"q": [0, 1]}]}, "/states/3/q"),
                ({"want": ["fd"], "states": [{"q": [0], "qd": []}]}, "/states/0/qd"),
                ({"want": ["fd"], "states": [{"q": [0], "u": [1, 2]}]}, "/states/0/u"),
                ({"want": ["fd"], "states": [{}]}, None),
                ({"want": ["fd"], "states": [{"q": ["a"]}]}, "/states/0/q/0"),
                ({"want": ["fd"], "states": {}}, "/states"),
                ({"want": ["fd", "speed"], "states": [{"q": [0]}]}, "/want/1"),
                ({"want": "fd", "states": [{"q": [0]}]}, "/want"),
                ({"want": [], "states": [{"q": [0]}]}, None),
                ({"states": [{"q": [0]}]}, None),
                ({"want": ["fd"]}, None),
                ({"want": ["fd"], "states": [{"q": [0]}], "model": pendulum()}, None),
                ({"want": ["fd"], "states": [{"q": [0]}], "extra": 1}, "/extra"),
                ([], "")]:
            self.assert_problem(self.server.request("POST", path, body), 400, "invalid_argument", pointer)

    def test_an_inline_model_that_is_wrong_is_pointed_into(self):
        model = pendulum()
        model["links"][0]["parent"] = "nobody"
        reply = self.server.request("POST", "/v1/evaluate", {"model": model, "want": ["fd"], "states": [{"q": [0]}]})
        self.assert_problem(reply, 400, "invalid_argument", "/model/links/0/parent", words=["nobody"])

    def test_an_archive_that_is_wrong_is_refused(self):
        good = npz(q=np.zeros((2, 1)), want=np.array(["fd"]))
        wrong = [good[:100], good[:-30], b"PK\x03\x04", b"", npz(q=np.zeros((2, 3)), want=np.array(["fd"])),
                 npz(want=np.array(["fd"])), npz(q=np.zeros((2, 1)), want=np.array(["nope"])),
                 npz(q=np.full((2, 1), np.nan), want=np.array(["fd"])), npz(q=np.zeros(2, complex), want=np.array(["fd"]))]
        for body in wrong:
            reply = self.server.request("POST", "/v1/models/pendulum:evaluate", body, {"Content-Type": NPZ})
            self.assert_problem(reply, 400, "invalid_argument")


if __name__ == "__main__":
    main()
