"""`tendril umbridge` with a client written from the protocol's text: what every answer looks like, derivatives against
differences of its own values, and the error types for wrong names, sizes and numbers."""
import json
import signal
import subprocess
import threading
import unittest
import urllib.error
import urllib.request

import numpy as np

from command import ROD, TENDRIL, Place

STATICS = {"name": "tip", "job": {"kind": "statics", "model": ROD, "inputs": {"pull": [2.0]}},
           "inputs": [["/job/inputs/pull"], ["/model/links/0/body/material/young", "/model/links/0/body/section/width"]],
           "outputs": [{"field": "poses:arm@1", "select": [[0, 3], [1, 3], [2, 3]]}, {"field": "q"}]}
DYNAMICS = {"name": "swing", "job": {"kind": "dynamics", "model": "rod", "t_end": 0.1, "inputs": {"pull": 2.0},
                                     "integrator": {"method": "radau", "rtol": 1e-8, "atol": 1e-10}, "output": {"dt": 0.05}},
            "inputs": [["/job/inputs/pull", "/model/links/0/body/material/density"]],
            "outputs": [{"field": "poses:arm@1", "select": [[0, 3], [2, 3]], "at": "all"}]}
BDF = {**DYNAMICS, "name": "bdf", "job": {**DYNAMICS["job"], "integrator": {"method": "bdf"}}}  # has no derivatives


class UmBridge(Place):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = cls.folder.name
        for name, document in (("rod.model.json", ROD), ("tip.json", STATICS), ("swing.json", DYNAMICS), ("bdf.json", BDF)):
            with open(f"{folder}/{name}", "w", encoding="utf-8") as stream:
                json.dump(document, stream)
        subprocess.run([TENDRIL, "models", "put", "rod.model.json", "--url", cls.server.url], cwd=folder, check=True, capture_output=True)
        cls.bridge = subprocess.Popen([TENDRIL, "umbridge", "tip.json", "swing.json", "bdf.json", "--port", "0", "--url", cls.server.url],
                                      cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        cls.at = cls.bridge.stdout.readline().strip()
        assert cls.at, cls.bridge.stderr.read()

    @classmethod
    def tearDownClass(cls):
        cls.bridge.send_signal(signal.SIGTERM)
        _, said = cls.bridge.communicate(timeout=60)
        assert cls.bridge.returncode == 0 and "Sanitizer" not in said, said
        cls.said = said
        super().tearDownClass()

    def ask(self, path, body=None, status=200):
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(self.at + path, data), timeout=120) as reply:
                self.assertEqual((reply.status, reply.headers["Content-Type"]), (status, "application/json"))
                return json.load(reply)
        except urllib.error.HTTPError as error:
            self.assertEqual(error.code, status)
            return json.load(error)

    def fails(self, path, body, kind, status=400):
        found = self.ask(path, body, status)
        self.assertEqual((list(found), sorted(found["error"]), found["error"]["type"]), (["error"], ["message", "type"], kind))
        self.assertTrue(found["error"]["message"])
        return found["error"]["message"]

    def value(self, name, *inputs):
        found = self.ask("/Evaluate", {"name": name, "input": [list(v) for v in inputs], "config": {}})
        self.assertEqual(list(found), ["output"])
        return [np.array(v) for v in found["output"]]

    AT = [[2.0], [1e6, 0.03, 0.01]]

    def test_what_there_is(self):
        self.assertEqual(self.ask("/Info"), {"protocolVersion": 1.0, "models": ["tip", "swing", "bdf"]})
        self.assertEqual(self.ask("/InputSizes", {"name": "tip"}), {"inputSizes": [1, 3]})
        self.assertEqual(self.ask("/InputSizes", {"name": "swing", "config": {}}), {"inputSizes": [2]})
        self.assertEqual(self.ask("/OutputSizes", {"name": "tip"}), {"outputSizes": [3, 5]})
        self.assertEqual(self.ask("/OutputSizes", {"name": "swing"}), {"outputSizes": [6]})
        support = {"Evaluate": True, "Gradient": True, "ApplyJacobian": True, "ApplyHessian": False}
        for name in ("tip", "swing"):
            self.assertEqual(self.ask("/ModelInfo", {"name": name}), {"support": support})
        self.assertEqual(self.ask("/ModelInfo", {"name": "bdf"}), {"support": {**support, "Gradient": False, "ApplyJacobian": False}})

    def test_values_are_those_of_the_job(self):
        model = json.loads(json.dumps(ROD))
        model["links"][0]["body"]["material"]["young"] = 1.3e6
        self.write("s.json", {"kind": "statics", "model": model, "inputs": {"pull": [3.0]}, "output": {"fields": ["poses:arm@1"]}})
        self.call("run", "s.json", "-o", "s.npz")
        tip, q = self.value("tip", [3.0], [1.3e6, 0.03, 0.01])
        with np.load(self.path("s.npz")) as result:
            self.assertEqual(tip.tolist(), result["poses:arm@1"][0, :3, 3].tolist())
            self.assertEqual(q.tolist(), result["q"][0].tolist())
        self.assertNotEqual(self.value("tip", *self.AT)[0].tolist(), tip.tolist())
        self.assertEqual(len(self.listed()), 1, "jobs of the bridge are deleted")

    def differences(self, name, at, number, direction, steps):
        def shifted(sign):
            moved = [np.array(v, dtype=float) for v in at]
            moved[number] = moved[number] + sign * np.array(steps) * direction
            return self.value(name, *moved)
        return [(up - down) / 2 for up, down in zip(shifted(1), shifted(-1))]

    def check_derivatives(self, name, at, output, number, steps, tolerance):
        rng = np.random.default_rng(7)
        unit = rng.normal(size=len(at[number]))
        expected = self.differences(name, at, number, unit, steps)[output]
        vec = (unit * steps).tolist()
        common = {"name": name, "outWrt": output, "inWrt": number, "input": at, "config": {}}
        found = np.array(self.ask("/ApplyJacobian", {**common, "vec": vec})["output"])
        self.assertEqual(found.shape, expected.shape)
        np.testing.assert_allclose(found, expected, atol=tolerance * np.abs(expected).max())
        sens = rng.normal(size=len(expected))
        back = np.array(self.ask("/Gradient", {**common, "sens": sens.tolist()})["output"])
        self.assertEqual(back.shape, (len(at[number]),))
        np.testing.assert_allclose(back @ vec, sens @ found, rtol=1e-7)  # one and the same Jacobian, by two ways

    def test_derivatives_of_equilibria_are_those_of_the_values(self):
        self.check_derivatives("tip", self.AT, 0, 0, [1e-3], 1e-5)
        self.check_derivatives("tip", self.AT, 0, 1, [1e2, 3e-6, 1e-6], 1e-5)
        self.check_derivatives("tip", self.AT, 1, 1, [1e2, 3e-6, 1e-6], 1e-5)

    def test_derivatives_of_a_run_are_those_of_the_values_at_all_rows(self):
        self.check_derivatives("swing", [[2.0, 1000.0]], 0, 0, [1e-2, 1.0], 1e-3)

    def test_wrong_names_sizes_and_numbers_have_their_error_types(self):
        good = {"name": "tip", "input": self.AT, "config": {}}
        for path in ("/Evaluate", "/Gradient", "/ApplyJacobian", "/ApplyHessian", "/ModelInfo", "/InputSizes", "/OutputSizes"):
            self.fails(path, {"name": "wrong_model_name"}, "ModelNotFound")
            self.fails(path, {}, "ModelNotFound")
            self.fails(path, b"{no json", "InvalidInput")
            self.fails(path, [1], "InvalidInput")
        derivative = {**good, "inWrt": 0, "outWrt": 0, "sens": [0, 0, 0], "vec": [1.0]}
        for path, body in (("/Evaluate", good), ("/Gradient", derivative), ("/ApplyJacobian", derivative)):
            self.assertIn("output", self.ask(path, body))
            for value in ([[2.0, 1.0], self.AT[1]], [[2.0]], [*self.AT, [1.0]], [[2.0], ["1", 2, 3]], [2.0, self.AT[1]], {}, None):
                self.fails(path, {**body, "input": value}, "InvalidInput")
            self.fails(path, {**body, "config": {"level": 3}}, "InvalidInput")
        self.assertIn("expected are 3", self.fails("/Evaluate", {**good, "input": [[2.0], [1e6]]}, "InvalidInput"))
        for path, key, others in (("/Gradient", "sens", [[0, 0], [0, 0, 0, 0], "x"]), ("/ApplyJacobian", "vec", [[], [1, 2], [None]])):
            for value in others:
                self.fails(path, {**derivative, key: value}, "InvalidInput")
            for number in (-1, 2, "0", 0.5, None):
                self.fails(path, {**derivative, "inWrt": number}, "InvalidInput")
                self.fails(path, {**derivative, "outWrt": number}, "InvalidInput")
        self.fails("/ApplyHessian", {**derivative, "inWrt1": 0, "inWrt2": 0}, "UnsupportedFeature")
        self.fails("/Gradient", {"name": "bdf", "input": [[2.0, 1000.0]], "inWrt": 0, "outWrt": 0, "sens": [0] * 6}, "UnsupportedFeature")
        self.fails("/Nothing", {}, "InvalidInput", 404)
        # the server's own refusal names the place
        self.assertIn("/model/links/0/body/material/young", self.fails("/Evaluate", {**good, "input": [[2.0], [-1.0, 0.03, 0.01]]}, "InvalidInput"))

    def test_callers_at_once_each_get_their_own(self):
        found = {}

        def call(pull):
            found[pull] = self.value("tip", [pull], self.AT[1])[0].tolist()
        threads = [threading.Thread(target=call, args=(pull,)) for pull in (1.0, 2.0, 3.0, 4.0)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for pull, tip in found.items():
            self.assertEqual(tip, self.value("tip", [pull], self.AT[1])[0].tolist())
        self.assertEqual(len({tuple(tip) for tip in found.values()}), 4)

    def test_wrong_documents_are_refused_at_the_start(self):
        for change, word in (({"inputs": [["/job/kind"]]}, "/inputs/0/0"), ({"inputs": []}, "inputs"), ({"outputs": [{"field": "nothing"}]}, "nothing"),
                             ({"outputs": [{"field": "q", "select": [9]}]}, "/outputs/0/select/0"), ({"extra": 1}, "extra"), ({"name": ""}, "name"),
                             ({"outputs": [{"field": "q", "at": "start"}]}, "end or all"), ({"job": {**STATICS["job"], "model": "none"}}, "none")):
            self.write("x.json", {**STATICS, **change})
            self.assertIn(word, self.call("umbridge", "x.json", "--port", "0", status=2)[1])
        self.write("x.json", STATICS)
        self.assertIn("two models", self.call("umbridge", "x.json", "x.json", "--port", "0", status=2)[1])


if __name__ == "__main__":
    unittest.main()
