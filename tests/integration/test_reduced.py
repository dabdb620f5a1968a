"""Bodies given by their kinematics over the wire: what a model says of itself, quantities, runs with surfaces, states beyond."""
import math
import os

import numpy as np

import yaml
from harness import SOURCE, ServerTest, example, main

TUBE = {"type": "reduced", "length": 0.2, "radius": 0.02, "density": 1062, "young": 1.06e6, "poisson": 0.5, "damping_time": 0.1}
ARM = {"format": "tendril.model/1", "name": "reduced-arm", "gravity": [0, 0, -9.81],
       "links": [{"name": "hinge", "joint": {"type": "revolute", "axis": "y"},
                  "body": {"type": "rigid", "mass": 0.1, "inertia": [1e-4, 1e-4, 1e-4]}},
                 {"name": "muscle", "parent": "hinge", "pose": {"rpy": [math.pi, 0, 0]}, "joint": {"type": "fixed"},
                  "body": {**TUBE, "kinematics": "pcc_variable_radius", "wall": 0.004}},
                 {"name": "cup", "parent": "muscle", "joint": {"type": "fixed"},
                  "body": {**TUBE, "kinematics": "lvp", "inner_radius": 0.01,
                           "modes": [{"field": "kx", "polynomial": [1]}, {"field": "source", "polynomial": [1e-4]}]}}],
       "actuators": [{"name": "left", "type": "pressure", "link": "muscle", "chamber": 0},
                     {"name": "right", "type": "pressure", "link": "muscle", "chamber": 1},
                     {"name": "inside", "type": "pressure", "link": "cup"},
                     {"name": "cable", "type": "tendon", "segments": [
                         {"link": "muscle", "points": [[0.02, 0, 0], [0.02, 0, 0.2]]},
                         {"link": "cup", "points": [[0.02, 0, 0.2]]}]}]}
NDOF = 7
with open(os.path.join(SOURCE, "api", "openapi.yaml"), encoding="utf-8") as file:
    QUANTITIES = yaml.safe_load(file)["components"]["schemas"]["Quantity"]["enum"]


class Reduced(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        reply = cls.server.request("POST", "/v1/models", ARM)
        assert reply.status == 201, reply.body

    def evaluate(self, want, *states):
        reply = self.server.request("POST", "/v1/models/reduced-arm:evaluate", {"want": want, "states": list(states)})
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()["states"]

    def test_a_model_names_the_coordinates_and_channels_of_its_reduced_bodies(self):
        got = self.server.request("GET", "/v1/models/reduced-arm").json()
        self.assertEqual(got["ndof"], NDOF)
        self.assertEqual(got["coordinates"], ["hinge.joint[0]"] + [f"muscle.q[{i}]" for i in range(4)] + ["cup.q[0]", "cup.q[1]"])
        self.assertEqual(got["channels"], ["left", "right", "inside", "cable"])
        self.assertEqual(got["document"]["links"][1]["body"]["kinematics"], "pcc_variable_radius")

    def test_chambers_tendons_and_distal_frames_at_rest_have_their_closed_forms(self):
        values, = self.evaluate(["chambers", "tendons", "poses"], {"q": [0] * NDOF})
        half, cup = math.pi / 2 * 0.016**2 * 0.2, math.pi * 0.01**2 * 0.2
        np.testing.assert_allclose(values["chambers"]["volume"], [half, half, cup], rtol=1e-12)
        source = math.pi * 1e-4 * 0.2
        np.testing.assert_allclose(values["chambers"]["dvolume_dq"][2], [0] * 5 + [0, source], rtol=1e-12, atol=1e-18)
        np.testing.assert_allclose(values["tendons"]["length"], [0.4], rtol=1e-12)
        self.assertEqual([len(values["poses"][name]) for name in ("hinge", "muscle", "cup")], [1, 1, 1])
        np.testing.assert_allclose([values["poses"]["cup"][0][i][3] for i in range(3)], [0, 0, -0.4], atol=1e-12)

    def test_pressure_drives_by_the_change_of_volume(self):
        state = {"q": [0.1, 0.2, 0.01, 0.002, -0.001, 0.3, 0.2], "u": [2e4, 1e4, 5e3, 0]}
        values, = self.evaluate(["tau_terms", "chambers"], state)
        expected = np.array(state["u"][:3]) @ np.array(values["chambers"]["dvolume_dq"])
        np.testing.assert_allclose(values["tau_terms"]["actuation"], expected, rtol=1e-12, atol=1e-12)

    def test_a_state_beyond_the_kinematics_names_body_and_abscissa_and_the_others_answer(self):
        good, bad = self.evaluate(["fd"], {"q": [0] * NDOF}, {"q": [0] * 5 + [9, 0]})
        self.assertEqual(len(good["fd"]), NDOF)
        self.assertEqual((bad["error"]["link"], bad["error"]["quantity"]), ("cup", "fd"))
        self.assertRegex(bad["error"]["detail"], r'body "cup" at s = 0\.\d+ m bends beyond what the volume-preserving')

    def test_every_quantity_at_a_state_beyond_is_numbers_or_an_error(self):
        for name in ("vpcc-pneumatic", "ur10e-soft-gripper"):
            ndof = self.server.request("PUT", f"/v1/models/{name}", example(f"{name}.model.json")).json()["ndof"]
            rows = np.random.default_rng(8).uniform(-0.3, 0.3, (12, ndof))
            rows[-1] = 1e200
            states = [{"q": list(q)} for q in rows]
            failed = set()
            for want in QUANTITIES:
                body = {"want": [want], "states": states, **({"step": {"h": 1e-3}} if "x_next" in want else {}),
                        **({"parameters": ["/model/gravity/2"]} if want.endswith("_dp") else {})}
                if want in ("jvp", "vjp"):
                    body["states"] = [{**state, want: {"of": "fd", "q" if want == "jvp" else "cotangent": [1] * ndof}} for state in states]
                reply = self.server.request("POST", f"/v1/models/{name}:evaluate", body)
                for state in reply.json()["states"]:
                    failed |= {want} if "error" in state else set()
                    self.assertNotIn("None", str(state.get(want)) if "error" not in state else "", f"{want} of {name}")
            self.assertIn({"vpcc-pneumatic": "dtau_du"}.get(name, "dtau_dqd"), failed)

    def test_a_run_keeps_the_deformed_surface(self):
        job = {"model": "reduced-arm", "kind": "dynamics", "t_end": 0.1, "inputs": {"left": 5e4, "inside": 2e3},
               "output": {"dt": 0.05, "fields": ["q", "shape:muscle", "shape:cup", "poses:cup"]}}
        done = self.server.wait(self.server.submit(job))
        self.assertEqual(done["state"], "succeeded", done)
        arrays = self.server.request("GET", f"/v1/jobs/{done['id']}/result").json()["arrays"]
        muscle, cup = np.array(arrays["shape:muscle"]), np.array(arrays["shape:cup"])
        self.assertEqual((muscle.shape, cup.shape), ((3, 16, 24, 3), (3, 8, 24, 3)))  # rings at 14 and 6 points, base and tip
        radii = np.linalg.norm(muscle[0] - muscle[0].mean(axis=1, keepdims=True), axis=2)
        np.testing.assert_allclose(radii, 0.02, rtol=1e-12)
        np.testing.assert_allclose(cup[:, -1].mean(axis=1), np.array(arrays["poses:cup"])[:, :3, 3], atol=1e-3)
        self.assertGreater(np.abs(muscle[2] - muscle[0]).max(), 1e-4)
        bad = self.server.request("POST", "/v1/jobs", {**job, "output": {"fields": ["shape:hinge"]}})
        self.assert_problem(bad, 400, "invalid_argument", "/output/fields/0", words=["hinge"])

    def test_a_mesh_is_a_body_like_its_box(self):
        """The same block by its size, and cut into hexahedra: poses of a run agree, the shape is the mesh's points."""
        body = {"type": "reduced", "kinematics": "ritz", "length": 0.2, "density": 1100, "young": 3e5, "poisson": 0.35,
                "damping_time": 0.02, "modes": [[[[5, 0, 0, 2]], [], [[-10, 1, 0, 1]]], [[], [], [[1, 0, 0, 1]]]],
                "tip_points": [[0, 0, 0.2], [0.02, 0, 0.2], [0, 0.02, 0.2]]}
        points = [[x, y, z] for z in (0, 0.07, 0.2) for y in (-0.02, 0.02) for x in (-0.02, 0.02)]
        hexahedra = [[4 * k + c for c in (0, 1, 3, 2, 4, 5, 7, 6)] for k in range(2)]
        solids = {"size": {"size": [0.04, 0.04, 0.2], "quadrature": {"x": 4, "y": 4, "z": 8}},
                  "mesh": {"mesh": {"points": points, "hexahedra": hexahedra}, "quadrature": {"points": 5}}}
        results = {}
        for name, solid in solids.items():
            model = {"format": "tendril.model/1", "name": name, "gravity": [9.81, 0, 0],
                     "links": [{"name": "block", "joint": {"type": "fixed"}, "body": {**body, **solid}}]}
            job = {"model": model, "kind": "dynamics", "t_end": 0.2, "integrator": {"method": "bdf", "rtol": 1e-9, "atol": 1e-11},
                   "output": {"dt": 0.05, "fields": ["q", "poses:block", "shape:block"]}}
            done = self.server.wait(self.server.submit(job))
            self.assertEqual(done["state"], "succeeded", done)
            results[name] = self.server.request("GET", f"/v1/jobs/{done['id']}/result").json()["arrays"]
        np.testing.assert_allclose(results["mesh"]["poses:block"], results["size"]["poses:block"], atol=1e-7)
        shape, q = np.array(results["mesh"]["shape:block"]), np.array(results["mesh"]["q"])
        self.assertEqual(shape.shape, (5, 12, 3))
        x = np.array(points)
        moved = np.array([np.stack([x[:, 0] + 5 * x[:, 2] ** 2 * a, x[:, 1], x[:, 2] - 10 * x[:, 0] * x[:, 2] * a + x[:, 2] * b], 1)
                          for a, b in q])
        np.testing.assert_allclose(shape, moved, atol=1e-15)
        self.assertGreater(np.abs(q).max(), 1e-3)

    def test_a_mesh_that_is_no_solid_is_refused_with_its_element(self):
        model = {"format": "tendril.model/1", "name": "flat", "links": [{"name": "block", "joint": {"type": "fixed"}, "body": {
            "type": "reduced", "kinematics": "ritz", "length": 1, "density": 1, "young": 1, "poisson": 0.3, "modes": [[[[1, 0, 0, 1]], [], []]],
            "tip_points": [[0, 0, 1], [1, 0, 1], [0, 1, 1]],
            "mesh": {"points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]], "tetrahedra": [[0, 1, 2, 3], [0, 1, 2, 4]]}}}]}
        bad = self.server.request("PUT", "/v1/models/flat", model)
        self.assert_problem(bad, 400, "invalid_argument", "/links/0/body/mesh/tetrahedra/1", words=["0 m^3"])


if __name__ == "__main__":
    main()
