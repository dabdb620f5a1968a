"""What a statics job returns beside q: poses, tensions, lengths, energies of every equilibrium, on every face, as a run returns them."""
import json
import unittest

import numpy as np

from harness import ServerTest, main, soft_arm

NPZ = {"Accept": "application/x-npz"}
FIELDS = ["poses:arm", "poses:arm@0.5", "tensions", "tendons", "energy", "strain:arm"]


def pulled():
    """The soft arm with its cable driven by length."""
    model = soft_arm(name="pulled")
    model["actuators"][0].update({"mode": "length", "stiffness": 5000, "slack_width": 1e-6})
    return model


class Fields(ServerTest):
    def solve(self, model, **job):
        done = self.server.wait(self.server.submit({"model": model, "kind": "statics", **job}))
        self.assertEqual(done["state"], "succeeded", done)
        return done["id"]

    def arrays(self, job_id):
        return self.server.request("GET", f"/v1/jobs/{job_id}/result", headers=NPZ).npz()

    def test_poses_tensions_and_the_rest_are_those_of_an_evaluation_at_the_same_equilibrium(self):
        model = pulled()
        job_id = self.solve(model, inputs={"cable": [0.0, 0.002, 0.005]}, output={"fields": FIELDS})
        kept = self.arrays(job_id)
        self.assertEqual(kept["poses:arm@0.5"].shape, (3, 4, 4))
        self.assertEqual(kept["tensions"].shape, (3, 1))
        states = [{"q": q.tolist(), "u": u.tolist()} for q, u in zip(kept["q"], kept["u"])]
        reply = self.server.request("POST", "/v1/evaluate", {"model": model, "want": ["poses", "tensions", "tendons", "energy"], "states": states})
        self.assertEqual(reply.status, 200, reply.body)
        for i, state in enumerate(reply.json()["states"]):
            energy = [state["energy"][part] for part in ("kinetic", "elastic", "gravitational", "contact")]
            for name, value in (("tensions", state["tensions"]), ("tendons", state["tendons"]["length"]), ("energy", energy)):
                np.testing.assert_allclose(kept[name][i], value, rtol=1e-12, atol=1e-15, err_msg=name)
            np.testing.assert_allclose(kept["poses:arm"][i], state["poses"]["arm"], atol=1e-14)
        self.assertGreater(kept["tensions"][2, 0], 1.2 * kept["tensions"][1, 0], "pulled further the tension rises")
        self.assertGreater(kept["tensions"][1, 0], 0.1)

    def test_json_and_csv_have_them_too(self):
        job_id = self.solve(pulled(), inputs={"cable": [0.0, 0.004]}, output={"fields": ["tensions", "poses:arm@1"]})
        kept = self.arrays(job_id)
        as_json = self.server.request("GET", f"/v1/jobs/{job_id}/result").json()["arrays"]
        np.testing.assert_array_equal(as_json["tensions"], kept["tensions"])
        np.testing.assert_array_equal(as_json["poses:arm@1"], kept["poses:arm@1"])
        text = self.server.request("GET", f"/v1/jobs/{job_id}/result", headers={"Accept": "text/csv"}).body.decode()
        head, first, second = text.splitlines()
        values = dict(zip(head.split(","), second.split(",")))
        self.assertEqual(float(values["poses:arm@1.z"]), kept["poses:arm@1"][1, 2, 3])
        self.assertIn(repr(float(kept["tensions"][1, 0])), second)
        self.assertEqual(len(first.split(",")), len(head.split(",")))

    def test_without_output_a_result_is_what_it_was(self):
        kept = self.arrays(self.solve(pulled(), inputs={"cable": 0.002}))
        self.assertEqual(set(kept), {"u", "q", "lambda", "converged", "stable", "iterations", "residual", "summary"})
        asked = self.arrays(self.solve(pulled(), inputs={"cable": 0.002}, output={"fields": ["q", "u", "lambda"]}))
        self.assertEqual(set(asked), set(kept), "what is there anyway may be asked for")
        np.testing.assert_array_equal(asked["q"], kept["q"])

    def test_a_problem_without_a_solution_has_rows_of_nan(self):
        model = soft_arm(name="loaded")
        model["loads"] = [{"link": "arm", "frame": "world", "channels": [None, None, None, "push", None, None]}]
        job = {"model": model, "kind": "statics", "inputs": {"cable": 0, "push": [0, 1e12]}, "unconverged": "keep",
               "output": {"fields": ["poses:arm", "energy"]}}
        kept = self.arrays(self.server.wait(self.server.submit(job))["id"])
        self.assertEqual(kept["converged"].tolist(), [True, False])
        np.testing.assert_array_equal(np.isnan(kept["energy"]).all(1), ~kept["converged"])
        np.testing.assert_array_equal(np.isnan(kept["poses:arm"]).all((1, 2, 3)), ~kept["converged"])

    def test_along_a_path_every_point_has_its_poses(self):
        job_id = self.solve(soft_arm(name="soft"), continuation={"channel": "cable", "to": 3, "steps": 30}, output={"fields": ["poses:arm@1", "tendons"]})
        kept = self.arrays(job_id)
        self.assertEqual(len(kept["poses:arm@1"]), len(kept["q"]))
        q = kept["q"][-1].tolist()
        reply = self.server.request("POST", "/v1/evaluate", {"model": soft_arm(), "want": ["poses"], "states": [{"q": q}]}).json()
        np.testing.assert_allclose(kept["poses:arm@1"][-1], reply["states"][0]["poses"]["arm"][-1], atol=1e-14)

    def test_words_that_no_equilibrium_has_are_refused_where_they_stand(self):
        for word, said in (("qd", "0 at every equilibrium"), ("qdd", "0 at every equilibrium"), ("poses:nobody", "no link"), ("speed", "unknown field")):
            job = {"model": soft_arm(), "kind": "statics", "output": {"fields": ["tendons", word]}}
            self.assert_problem(self.server.request("POST", "/v1/jobs", job), 400, "invalid_argument", pointer="/output/fields/1", words=[said])
        job = {"model": soft_arm(), "kind": "statics", "inputs": {"cable": [0.0] * 1000000}, "output": {"fields": ["poses:arm"] + [f"poses:arm@{k / 200}" for k in range(200)]}}
        self.assert_problem(self.server.request("POST", "/v1/jobs", json.loads(json.dumps(job))), 400, "invalid_argument",
                            pointer="/output/fields", words=["1000000 equilibria"])

    def test_a_sweep_of_statics_stacks_them(self):
        base = {"model": pulled(), "kind": "statics", "inputs": {"cable": [0.0, 0.003]}, "output": {"fields": ["tensions", "poses:arm@1"]}}
        sweep = {"kind": "sweep", "base": base, "vary": [{"path": "/job/inputs/cable/1", "values": [0.001, 0.002]}]}
        done = self.server.wait(self.server.submit(sweep))
        kept = self.arrays(done["id"])
        self.assertEqual((kept["tensions"].shape, kept["poses:arm@1"].shape), ((4, 1), (4, 4, 4)))
        self.assertLess(kept["tensions"][1, 0], kept["tensions"][3, 0])


if __name__ == "__main__":
    main()
