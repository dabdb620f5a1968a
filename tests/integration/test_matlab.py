"""The functions of clients/matlab, called in Octave, which reads the same files as MATLAB."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import numpy as np
import scipy.io

import harness
from harness import SOURCE, Server, pendulum, soft_arm

TOOLBOX = os.path.join(os.path.abspath(SOURCE), "clients", "matlab")


@unittest.skipUnless(shutil.which("octave-cli") and shutil.which("curl"), "octave-cli or curl is missing")
class Matlab(unittest.TestCase):
    def same(self, found, expected):
        """To a unit in the last place, which is how Octave's jsondecode reads digits."""
        found, expected = np.asarray(found), np.asarray(expected, dtype=float)
        self.assertEqual(found.shape, expected.shape)
        np.testing.assert_array_less(np.abs(found - expected), 4e-16 * np.abs(expected) + 1e-300)

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.url = f"http://127.0.0.1:{cls.server.port}"
        assert cls.server.request("PUT", "/v1/models/pendulum", pendulum()).status == 201
        assert cls.server.request("PUT", "/v1/models/soft", soft_arm()).status == 201

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def octave(self, script_text, **variables):
        """Runs it and returns the variable `out` as scipy reads it; errors come as their identifier and message."""
        with tempfile.TemporaryDirectory() as folder:
            scipy.io.savemat(os.path.join(folder, "in.mat"), variables)
            script = (f"addpath('{TOOLBOX}'); load('in.mat'); out = struct(); try\nclient = tendril.connect('{self.url}');\n{script_text}\n"
                      "catch e\nout.identifier = e.identifier; out.message = e.message;\nend\nsave('-v7', 'out.mat', 'out');\n")
            with open(os.path.join(folder, "script.m"), "w", encoding="utf-8") as stream:
                stream.write(script)
            done = subprocess.run(["octave-cli", "--quiet", "--no-init-file", "script.m"], cwd=folder, capture_output=True, text=True,
                                  timeout=300, check=False)
            path = os.path.join(folder, "out.mat")
            self.assertTrue(os.path.exists(path), done.stdout + done.stderr)
            return scipy.io.loadmat(path, simplify_cells=True)["out"]

    def ask(self, model, body):
        reply = self.server.request("POST", f"/v1/models/{model}:evaluate", body)
        self.assertEqual(reply.status, 200)
        return reply.json()["states"]

    def test_quantities_at_states_are_the_servers(self):
        rng = np.random.default_rng(3)
        n = self.server.request("GET", "/v1/models/soft").json()["ndof"]
        q, qd, u = 0.1 * rng.normal(size=(3, n)), rng.normal(size=(3, n)), rng.uniform(0, 5, size=(3, 1))
        out = self.octave("r = tendril.evaluate(client, 'soft', {'fd', 'dfd_dq', 'dfd_du', 'poses', 'energy'}, q, qd, u);\n"
                          "out.fd = r.fd; out.dq = r.dfd_dq; out.du = r.dfd_du; out.arm = r.poses.arm; out.kinetic = r.energy.kinetic;"
                          "out.nothing = all(cellfun(@isempty, r.error));", q=q, qd=qd, u=u)
        self.assertNotIn("message", out)
        states = self.ask("soft", {"want": ["fd", "dfd_dq", "dfd_du", "poses", "energy"],
                                   "states": [{"q": a.tolist(), "qd": b.tolist(), "u": c.tolist()} for a, b, c in zip(q, qd, u)]})
        for i, state in enumerate(states):
            self.same(out["fd"][i], state["fd"])
            self.same(out["dq"][i], state["dfd_dq"])
            self.same(out["du"][i].ravel(), np.ravel(state["dfd_du"]))
            self.same(out["arm"][i], state["poses"]["arm"])
            self.same(out["kinetic"][i], state["energy"]["kinetic"])
        self.assertTrue(out["nothing"])

    def test_one_coordinate_and_documents_in_place_of_names(self):
        out = self.octave("r = tendril.evaluate(client, 'pendulum', 'fd', [0.1; 0.2], [], [1; 2]); out.fd = r.fd;\n"
                          "s = tendril.evaluate(client, text, {'fd'}, 0.1, [], 1); out.inline = s.fd;", text=json.dumps(pendulum()))
        self.assertNotIn("message", out)
        expected = [s["fd"][0] for s in self.ask("pendulum", {"want": ["fd"], "states": [{"q": [0.1], "u": [1]}, {"q": [0.2], "u": [2]}]})]
        self.same(out["fd"], expected)
        self.same(out["inline"], expected[0])

    def test_a_run_and_parts_of_its_result(self):
        out = self.octave("[r, job] = tendril.run(client, struct('model', 'soft', 'kind', 'dynamics', 't_end', 0.2, 'inputs', struct('cable', 2),"
                          " 'output', struct('dt', 0.05, 'fields', {{'q', 'energy', 'poses:arm', 'poses:arm@1'}})));\n"
                          "out.id = job.id; out.t = r.t; out.q = r.q; out.arm = r.poses_arm; out.tip = r.poses_arm_1; out.first = r.summary.coordinates{1};\n"
                          "p = tendril.results(client, job.id, 'fields', 'q,poses:arm@1', 'from', 0.1, 'stride', 2); out.pt = p.t; out.ptip = p.poses_arm_1;")
        self.assertNotIn("message", out)
        arrays = self.server.request("GET", f"/v1/jobs/{out['id']}/result").json()
        self.assertEqual(out["first"], arrays["summary"]["coordinates"][0])
        for word, name in {"t": "t", "q": "q", "arm": "poses:arm", "tip": "poses:arm@1"}.items():
            self.same(out[word], arrays["arrays"][name])
        self.same(out["pt"], arrays["arrays"]["t"][2::2])
        self.same(out["ptip"], arrays["arrays"]["poses:arm@1"][2::2])

    def test_sensitivities_are_those_of_the_values(self):
        out = self.octave("at = @(f) tendril.run(client, struct('model', 'soft', 'kind', 'statics', 'inputs', struct('cable', {{f}})));\n"
                          "job = struct('model', 'soft', 'kind', 'statics', 'inputs', struct('cable', {{2}}));\n"
                          "s = tendril.sensitivity(client, job, {'/job/inputs/cable', '/model/links/0/body/length'}, {'q', 'poses:arm@1'});\n"
                          "a = at(2 + 1e-3); b = at(2 - 1e-3); out.slope = s.q; out.tip = s.poses_arm_1; out.difference = (a.q - b.q) / 2e-3;\n"
                          "one = tendril.sensitivity(client, job, '/job/inputs/cable'); out.one = one.q;")
        self.assertNotIn("message", out)
        self.assertEqual(out["slope"].shape, (len(out["difference"]), 2))
        self.assertEqual(out["tip"].shape, (4, 4, 2))
        np.testing.assert_allclose(out["slope"][:, 0], out["difference"], atol=1e-5 * np.abs(out["difference"]).max())
        np.testing.assert_allclose(out["one"].ravel(), out["slope"][:, 0], rtol=1e-9)

    def test_examples_and_files_are_sent_as_they_stand(self):
        out = self.octave("[model, job] = tendril.example(client, 'cdm'); m = tendril.put(client, 'mine', model); out.ndof = m.ndof;\n"
                          "out.model = model; out.job = job; f = fopen('x.json', 'w'); fwrite(f, model); fclose(f); m = tendril.put(client, 'mine', 'x.json');\n"
                          "out.revision = m.revision;")
        self.assertNotIn("message", out)
        example = self.server.request("GET", "/v1/examples/cdm").json()
        self.assertEqual((json.loads(out["model"]), json.loads(out["job"])), (example["model"], example["job"]))
        self.assertEqual((out["ndof"], out["revision"]), (24, 1))

    def test_json_loses_nothing(self):
        out = self.octave("m = containers.Map(); m('poses:arm') = {1};\n"
                          "out.text = tendril.json(struct('a', 0.1 + 0.2, 'b', {{1}}, 'c', [1 2; 3 4], 'd', true, 'e', NaN, 'f', {{}}, 'g', ['x\"\\' char(10)], 'h', m,"
                          " 'i', int32(7), 'j', [], 'k', struct('l', {1, 2}), 'n', [1; 2]));")
        self.assertEqual(json.loads(out["text"]), {"a": 0.1 + 0.2, "b": [1], "c": [[1, 2], [3, 4]], "d": True, "e": None, "f": [], "g": 'x"\\\n',
                                                   "h": {"poses:arm": [1]}, "i": 7, "j": [], "k": [{"l": 1}, {"l": 2}], "n": [1, 2]})

    def test_refusals_and_failures_are_errors_with_the_servers_words(self):
        out = self.octave("tendril.evaluate(client, 'none', 'fd', 1);")
        self.assertEqual(out["identifier"], "tendril:not_found")
        out = self.octave("tendril.evaluate(client, 'pendulum', 'fd', [1 2]);")
        self.assertEqual(out["identifier"], "tendril:invalid_argument")
        self.assertIn("/states/0/q", out["message"])
        out = self.octave("tendril.evaluate(client, 'pendulum', 'fd', [1; 2], 1);")
        self.assertIn("a row is a state", out["message"])
        out = self.octave("tendril.run(client, struct('model', 'soft', 'kind', 'dynamics', 't_end', 1, 'inputs', struct('cable', 3),"
                          " 'integrator', struct('method', 'rk4', 'h', 0.5)));")
        self.assertTrue(out["identifier"].startswith("tendril:"), out)
        self.assertIn("failed", out["message"])
        out = self.octave("tendril.check(client, struct('model', 'soft', 'kind', 'statics', 'inputs', struct('cabel', 3)));")
        self.assertEqual(out["identifier"], "tendril:invalid_argument")
        self.assertIn("/inputs/cabel", out["message"])
        out = self.octave("job = tendril.check(client, struct('model', 'soft', 'kind', 'statics', 'inputs', struct('cable', {{2}}))); out.state = job.state;")
        self.assertEqual(out["state"], "queued")
        out = self.octave("tendril.connect('http://127.0.0.1:1');")
        self.assertEqual(out["identifier"], "tendril:unreachable")

    def test_the_readme_runs(self):
        with open(os.path.join(TOOLBOX, "README.md"), encoding="utf-8") as stream:
            code = re.search(r"```matlab\n(.*?)```", stream.read(), re.DOTALL).group(1)
        code = code.replace("'http://127.0.0.1:8080'", f"'{self.url}'").replace("addpath('clients/matlab')", "")
        code = re.sub(r"^plot\(.*$", "", code, flags=re.MULTILINE)
        out = self.octave(code + "out.size = size(reply.dfd_dq); out.rows = numel(run.t); out.slopes = squeeze(slopes.poses_arm_1(1, 1:3, 4, :));")
        self.assertNotIn("message", out)
        self.assertEqual((out["size"].tolist(), out["rows"], out["slopes"].shape), ([3, 24, 24], 101, (3, 2)))

    def test_every_function_has_a_help_text(self):
        folder = os.path.join(TOOLBOX, "+tendril")
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8") as stream:
                lines = stream.read().split("\n")
            self.assertTrue(lines[0].startswith("function "), name)
            self.assertTrue(lines[1].startswith("%" + name[:-2].upper()), name)
            self.assertLessEqual(max(map(len, lines)), 132, name)


if __name__ == "__main__":
    harness.main()
