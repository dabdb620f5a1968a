"""The `tendril` command against a running server: what it writes, what it says, and its exit status."""
import contextlib
import http.server
import io
import json
import os
import pty
import re
import signal
import stat
import struct
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

import numpy as np

BIN = os.environ.get("TENDRIL_BIN", os.path.join(os.path.dirname(__file__), "../../build/release/bin"))
TENDRIL = os.path.join(os.path.abspath(BIN), "tendril")

ROD = {
    "format": "tendril.model/1", "name": "rod", "gravity": [0, 0, -9.81],
    "links": [{"name": "arm", "joint": {"type": "fixed"}, "body": {
        "type": "rod", "length": 0.3, "section": {"shape": "rectangle", "height": 0.02, "width": [0.03, 0.01]},
        "material": {"young": 1e6, "poisson": 0.5, "density": 1000, "viscosity": 1e4},
        "strain": {"basis": "legendre", "order": {"bending_y": 2, "bending_z": 1}}}}],
    "actuators": [{"name": "pull", "type": "tendon", "link": "arm", "routing": {"type": "linear", "base": [0, 0.008],
                                                                                   "tip": [0, 0.004]}}]}
JOB = {"model": "rod", "kind": "dynamics", "t_end": 0.2, "inputs": {"pull": 2.0},
       "output": {"dt": 0.01, "fields": ["q", "qd", "u", "energy", "poses:arm", "poses:arm@0.5"]}}


class Server:
    def __init__(self, folder):
        self.log = open(os.path.join(folder, "server.log"), "wb")
        self.process = subprocess.Popen(
            [os.path.join(os.path.abspath(BIN), "tendrild"), "--data", os.path.join(folder, "data"),
             "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--workers", "1"],
            stdout=subprocess.PIPE, stderr=self.log)
        self.url = "http://" + json.loads(self.process.stdout.readline())["http"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(60)
        self.process.stdout.close()
        self.log.close()
        return status

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=30) as reply:
            return json.load(reply)


def setUpModule():
    global folder, server
    folder = tempfile.TemporaryDirectory()
    server = Server(folder.name)


@contextlib.contextmanager
def refusing():
    """The address of a server that wants a token."""
    class Refusal(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = b'{"status": 401, "code": "unauthenticated", "detail": "a token is needed"}'
            self.send_response(401)
            self.send_header("Content-Type", "application/problem+json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusal)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{listener.server_address[1]}"
    listener.shutdown()
    listener.server_close()


def tearDownModule():
    status = server.stop()
    with open(os.path.join(folder.name, "server.log"), encoding="utf-8", errors="replace") as log:
        text = log.read()
    folder.cleanup()
    assert status == 0 and "Sanitizer" not in text, text[-4000:]


def binary(data):
    return data[:4] in (b"PK\3\4", b"\x89PNG")


class Place(unittest.TestCase):
    """A folder of its own for every test, and the command called in it."""

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.write("rod.model.json", ROD)
        self.write("rod.job.json", JOB)

    def path(self, name):
        return os.path.join(self.place.name, name)

    def write(self, name, document):
        with open(self.path(name), "w", encoding="utf-8") as stream:
            stream.write(document if isinstance(document, str) else json.dumps(document))

    def call(self, *words, status=0, url=None, text=None, program=TENDRIL, **where):
        """Runs tendril and returns (stdout, stderr); its exit status must be `status`."""
        done = subprocess.run([program, *words], cwd=self.place.name, input=(text or "").encode(), stderr=subprocess.PIPE, timeout=300,
                              env={**os.environ, "TENDRIL_URL": url or server.url}, check=False,
                              **{"stdout": subprocess.PIPE, **where})
        out, said = done.stdout or b"", done.stderr.decode()
        self.assertEqual(done.returncode, status, f"{program} {words}\n{out[-4000:]}\n{said}")
        self.assertNotIn("Sanitizer", said)
        return out if binary(out) else out.decode(), said

    def submit(self, **changes):
        self.call("models", "put", "rod.model.json")
        self.write("x.job.json", {**JOB, **changes})
        return json.loads(self.call("jobs", "submit", "x.job.json", "--json")[0])["id"]

    def listed(self, *words):
        return [json.loads(line)["id"] for line in self.call("jobs", "list", "--json", *words)[0].splitlines()]

    def finished(self):
        job = self.submit()
        self.call("jobs", "watch", job)
        return job


class Cli(Place):
    # ------------------------------------------------------------------------------------------ the newcomer's path

    def test_example_run_and_plot_leave_ten_seconds_of_the_manipulator_and_a_picture(self):
        self.assertIn("cdm", self.call("examples")[0])
        self.call("examples", "cdm", "--dir", "robots")
        self.call("run", "robots/cdm.job.json", "-o", "cdm.npz")
        with np.load(self.path("cdm.npz"), allow_pickle=False) as result:
            self.assertEqual((result["t"][0], result["t"][-1]), (0, 10))
            self.assertEqual(result["q"].shape[1], 24)
            self.assertTrue(np.isfinite(result["q"]).all())
        self.call("plot", "cdm.npz", "-o", "cdm.png")
        with open(self.path("cdm.png"), "rb") as stream:
            head = stream.read(24)
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", head[16:24])
        self.assertGreater(min(width, height), 500)

    def test_run_puts_the_model_that_stands_beside_the_job_and_says_so(self):
        model = {**ROD, "name": "beside"}
        self.write("beside.model.json", model)
        self.write("beside.job.json", {**JOB, "model": "beside"})
        first = self.call("run", "beside.job.json")
        self.assertIn("the server has no model beside: sending", first[1])
        self.assertNotIn("replaces", first[0])
        again = self.call("run", "beside.job.json")
        self.assertNotIn("sending", again[1])
        self.assertIn("result in beside.npz; it replaces an older file", again[0])
        self.write("beside.model.json", {**model, "gravity": [0, 0, 0]})
        told = self.call("run", "beside.job.json")[1]
        self.assertRegex(told, r"the server's revision 1\..*beside\.model\.json differs from it and is NOT what runs")
        self.assertIn("tendril run beside.model.json beside.job.json", told)

    def test_run_takes_the_file_that_it_is_given_and_always_says_which_model_ran(self):
        still, model = {**ROD, "name": "which", "gravity": [0, 0, 0]}, {**ROD, "name": "which"}
        self.write("which.model.json", model)
        self.write("which.job.json", {**JOB, "model": "which"})
        self.call("run", "which.job.json", "-o", "first.npz")
        told = self.call("run", "which.job.json", "-o", "stored.npz")[1]
        self.assertIn("model which: the server's revision 1, the same as ", told)
        self.write("which.model.json", still)
        told = self.call("run", "which.model.json", "which.job.json", "-o", "file.npz")[1]
        self.assertIn("model: which.model.json, sent along with the job", told)
        self.assertIn("the server's revision 1.", self.call("run", "which.job.json", "-o", "other.npz")[1])
        q = {name: np.load(os.path.join(self.place.name, name + ".npz"))["q"] for name in ("first", "stored", "file", "other")}
        self.assertEqual(len({q[name].tobytes() for name in ("first", "stored", "other")}), 1)
        self.assertGreater(np.abs(q["file"] - q["first"]).max(), 1e-6)
        self.assertIn("is not a model", self.call("run", "which.job.json", "which.job.json", status=2)[1])

    # ------------------------------------------------------------------------------------------ fits, designs, gradients

    def test_run_tells_what_a_fit_found_and_found_writes_the_robot_with_it(self):
        self.call("examples", "tentacle-fit")
        said = self.call("run", "tentacle-fit.job.json")[0]
        self.assertRegex(said, r"(?s)result in tentacle-fit.npz.*\nfit: converged after \d+ iterations \(\d+ runs\); cost .*times the noise\n")
        with np.load(self.path("tentacle-fit.npz"), allow_pickle=False) as result:
            best, deviation = result["best"], result["deviation"]
        rows = re.findall(r"^  (\w+) +([\d.]+)  \+- ([\d.]+) +([\d.]+) % +(\S+)   (\S+) to (\S+)$", said, re.MULTILINE)
        self.assertEqual([row[0] for row in rows], ["young", "density", "viscosity"])
        np.testing.assert_allclose([float(row[1]) for row in rows], best, rtol=1e-3)
        np.testing.assert_allclose([float(row[2]) for row in rows], deviation, rtol=0.1)
        self.assertEqual([float(row[4]) for row in rows], [1e6, 800, 400])
        self.assertEqual((float(rows[0][5]), float(rows[0][6])), (1e4, 1e7))
        told, files = self.call("found", "tentacle-fit.npz", "--model", "fitted.json")
        self.assertEqual(told, said[said.index("fit: "):])
        self.assertIn("fitted.json written", files)
        with open(self.path("fitted.json"), encoding="utf-8") as stream:
            fitted = json.load(stream)
        with open(self.path("tentacle-fit.model.json"), encoding="utf-8") as stream:
            given = json.load(stream)
        material = fitted["links"][0]["body"]["material"]
        np.testing.assert_allclose([material[name] for name in ("young", "density", "viscosity")], best, rtol=1e-14)
        given["links"][0]["body"]["material"].update({name: material[name] for name in ("young", "density", "viscosity")})
        self.assertEqual(fitted, given)
        self.call("found", "tentacle-fit.npz", "--job", "jobs.json")
        with open(self.path("jobs.json"), encoding="utf-8") as stream:
            self.assertEqual([job["t_end"] for job in json.load(stream)], [0.8] * 4)
        listed = json.loads(self.call("found", "tentacle-fit.npz", "--json")[0])
        self.assertEqual([p["value"] for p in listed["parameters"]], best.tolist())
        self.call("plot", "tentacle-fit.npz")

    def test_found_says_how_a_search_ended_and_why_a_number_has_no_deviation(self):
        material = "/model/links/0/body/material/"
        record = {"field": "poses:arm@1", "select": [[2, 3]], "value": [[-0.01], [0.0], [0.012], [0.02]]}
        of = [{"job": {"kind": "statics", "inputs": {"pull": [0.5, 1, 1.5, 2]}}, "data": [record]}]
        parameters = [{"path": material + "young", "name": "young", "lower": 1e5, "upper": 1e7, "scale": "log"}]
        self.write("bare.json", {"kind": "fit", "of": of, "parameters": parameters, "unconverged": "keep"})
        said = self.call("run", "rod.model.json", "bare.json")[0]
        self.assertRegex(said, r"no sigma was given: the noise is taken as what is left over, [\d.e-]+\n")
        self.assertRegex(said, r": fit of rod succeeded")
        self.write("held.json", {"kind": "fit", "of": of, "parameters": [{**parameters[0], "value": 9e6, "lower": 8e6}], "unconverged": "keep"})
        self.assertRegex(self.call("run", "rod.model.json", "held.json")[0], r"(?m)^  young +1e\+07 +\+- held .* at its bound$")
        self.write("cut.json", {"kind": "fit", "of": of, "parameters": parameters, "unconverged": "keep", "max_iterations": 1})
        self.assertRegex(self.call("run", "rod.model.json", "cut.json")[0], r"fit: did not converge after 1 iterations")

    def test_a_design_takes_the_model_beside_it_and_its_job_runs_with_what_was_found(self):
        self.write("pulled.model.json", {**ROD, "name": "pulled"})
        inside = {"model": "pulled", "kind": "statics", "inputs": {"pull": 1.0}, "output": {"fields": ["poses:arm@1"]}}
        choice = {"path": "/job/inputs/pull", "name": "pull", "lower": 0, "upper": 5}
        width = {"path": "/model/links/0/body/section/width/0", "lower": 0.02, "upper": 0.04}
        self.write("reach.json", {"kind": "design", "of": inside, "parameters": [choice, width], "objective": [
            {"field": "poses:arm@1", "select": [[0, 3], [2, 3]], "target": [0.27, -0.08], "weight": 1e4}], "unconverged": "keep"})
        said, told = self.call("run", "reach.json")
        self.assertIn("the server has no model pulled: sending pulled.model.json first", told)
        self.assertRegex(said, r"(?m)^  pull +[\d.]+ +1   0 to 5")
        self.assertRegex(said, r"(?m)^  width/0 +[\d.e-]+ +0.03   0.02 to 0.04")
        self.call("found", "reach.npz", "--model", "best.model.json", "--job", "best.job.json")
        self.call("run", "best.model.json", "best.job.json", "-o", "again.npz")
        with np.load(self.path("reach.npz")) as found, np.load(self.path("again.npz")) as again:
            np.testing.assert_allclose(again["poses:arm@1"], found["poses:arm@1"], atol=1e-9)
            np.testing.assert_allclose(again["u"], found["best"][:1].reshape(1, 1), rtol=1e-14)

    def test_a_gradient_tells_its_slopes_and_other_results_are_refused(self):
        self.call("models", "put", "rod.model.json")
        young = {"path": "/model/links/0/body/material/young", "name": "young"}
        self.write("slopes.json", {"kind": "gradient", "of": {"model": "rod", "kind": "statics", "inputs": {"pull": [1, 2]}},
                                   "parameters": ["/job/inputs/pull", young], "objective": [{"field": "poses:arm@1", "select": [[2, 3]], "linear": 1}]})
        said = self.call("run", "slopes.json", "-o", "slopes.json.npz")[0]
        with np.load(self.path("slopes.json.npz")) as result:
            slopes = re.findall(r"(?m)^  (pull/0|pull/1|young) +(\S+)$", said)
            np.testing.assert_allclose([float(x) for _, x in slopes], result["gradient"], rtol=1e-8)
            self.assertIn(f"gradient: value {result['value']:.10g}", said)
        self.assertIn("a gradient finds no numbers", self.call("found", "slopes.json.npz", "--model", "x.json", status=2)[1])
        self.call("run", "rod.job.json")
        self.assertIn("kind 'dynamics', and no whole fit", self.call("found", "rod.npz", status=2)[1])
        self.assertIn("cannot read absent.npz", self.call("found", "absent.npz", status=2)[1])

    def test_examples_and_help_need_no_server(self):
        nowhere = {"url": "http://127.0.0.1:9"}
        shown = self.call("examples", **nowhere)[0]
        listed = [json.loads(line) for line in self.call("examples", "--json", **nowhere)[0].splitlines()]
        self.assertEqual(listed, server.get("/v1/examples")["examples"])
        for example in listed:
            self.assertRegex(shown, f"(?m)^{re.escape(example['name'])} +{re.escape(example['description'][:400])}")
            self.call("examples", example["name"], **nowhere)
            given = server.get(f"/v1/examples/{example['name']}")
            for kind in ("model", "job"):
                with open(self.path(f"{example['name']}.{kind}.json"), encoding="utf-8") as stream:
                    text = stream.read()
                self.assertEqual(json.loads(text), given[kind])
                self.assertEqual(self.call("examples", example["name"], "--print", kind, **nowhere)[0], text)
        self.assertIn("`tendril examples` lists them", self.call("examples", "cmd", status=2, **nowhere)[1])
        self.assertIn("model or job", self.call("examples", "cdm", "--print", "robot", status=2, **nowhere)[1])
        for words in (["--help"], ["help"], ["jobs", "--help"], ["help", "run"], ["examples", "--help"], ["jobs", "list", "--help"]):
            self.assertIn("Usage: tendril", self.call(*words, **nowhere)[0])

    def test_examples_never_overwrite_work_unless_forced(self):
        self.call("examples", "cdm")
        self.call("examples", "cdm")
        self.write("cdm.job.json", "{}")
        self.assertIn("--force", self.call("examples", "cdm", status=2)[1])
        self.call("examples", "cdm", "--force")

    # ------------------------------------------------------------------------------------------ results

    def test_a_result_is_the_same_from_the_server_in_npz_and_json_and_without_a_server(self):
        self.call("run", "rod.job.json", "-o", "a.npz")
        job = json.loads(self.call("run", "rod.job.json", "-o", "b.json", "--json")[0])
        self.call("result", job["id"], "-o", "c.npz")
        self.call("simulate", "rod.model.json", "rod.job.json", "-o", "d.npz")
        with open(self.path("b.json"), encoding="utf-8") as stream:
            arrays = json.load(stream)["arrays"]
        results = [np.load(self.path(name), allow_pickle=False) for name in ("a.npz", "c.npz", "d.npz")]
        for field in ["t"] + JOB["output"]["fields"]:
            expected = results[0][field]
            for other in [results[1][field], results[2][field], np.array(arrays[field])]:
                self.assertEqual(other.shape, expected.shape, field)
                self.assertTrue(np.array_equal(other, expected), field)
        for result in results:
            result.close()

    def test_parts_of_a_result_in_every_format(self):
        declared = server.get("/openapi.json")["paths"]["/v1/jobs/{id}/result"]["get"]["parameters"]
        if not any(parameter.get("name") == "fields" for parameter in declared):
            self.skipTest("this server gives whole results only")
        job = self.finished()
        self.call("result", job, "-o", "whole.npz")
        part = ["--fields", "q,poses:arm@0.5", "--from", "0.05", "--to", "0.1", "--stride", "2"]
        self.call("result", job, "-o", "part.npz", *part)
        with np.load(self.path("whole.npz"), allow_pickle=False) as whole, np.load(self.path("part.npz"), allow_pickle=False) as some:
            rows = [i for i, t in enumerate(whole["t"]) if 0.05 - 1e-12 <= t <= 0.1 + 1e-12][::2]
            self.assertEqual(len(rows), 3)
            for field in ("t", "q", "poses:arm@0.5"):
                self.assertTrue(np.array_equal(some[field], whole[field][rows]), field)
            self.assertNotIn("energy", some.files)
            self.assertEqual(self.call("result", job, "--format", "csv", *part)[0].strip(), job + ".csv")
            table = np.genfromtxt(self.path(job + ".csv"), delimiter=",", skip_header=1)
            self.assertTrue(np.array_equal(table[:, :6], np.column_stack([some["t"], some["q"]])))
        self.call("result", job, "-o", "part.json", *part)
        with open(self.path("part.json"), encoding="utf-8") as stream:
            self.assertEqual(len(json.load(stream)["arrays"]["q"]), 3)
        self.assertIn("nonsense", self.call("result", job, "--fields", "nonsense", "-o", "x.npz", status=1)[1])
        self.assertFalse(os.path.exists(self.path("x.npz")))

    def test_wrong_parts_are_refused_before_anything_is_sent(self):
        for words in (["--stride", "0"], ["--from", "soon"], ["--format", "xls"], ["-o", "out.txt"]):
            self.call("result", "job", *words, status=2, url="http://127.0.0.1:9")

    def test_statics_results_can_be_drawn_too(self):
        self.write("s.job.json", {"model": "rod", "kind": "statics", "inputs": {"pull": [0, 1, 2, 4]}})
        self.call("models", "put", "rod.model.json")
        self.call("run", "s.job.json")
        self.call("plot", "s.npz", "-o", "s.png", url="this is no address")  # needs no server
        self.assertGreater(os.path.getsize(self.path("s.png")), 1000)

    def test_a_damaged_result_is_refused_by_plot(self):
        self.call("simulate", "rod.model.json", "rod.job.json", "-o", "a.npz")
        with open(self.path("a.npz"), "rb") as stream:
            good = stream.read()
        for name, damaged in {"cut": good[:len(good) // 2], "empty": b"", "flipped": good[:600] + b"\xff" + good[601:],
                              "noise": b"PK\3\4" * 50}.items():
            with open(self.path("bad.npz"), "wb") as stream:
                stream.write(damaged)
            self.assertIn("cannot read bad.npz", self.call("plot", "bad.npz", "-o", "x.png", status=2)[1], name)
            self.assertFalse(os.path.exists(self.path("x.png")))

    # ------------------------------------------------------------------------------------------ evaluate, models, jobs

    def test_evaluate_gives_the_same_numbers_for_a_file_and_a_name(self):
        self.call("models", "put", "rod.model.json")
        state = json.dumps({"q": [0.1, -0.2, 0.3, 0.05, 0.02], "u": [1.5]})
        inline = self.call("evaluate", "rod.model.json", "-", "--want", "fd,energy", text=state)[0]
        named = self.call("evaluate", "rod", "-", "--want", "fd,energy", text=state)[0]
        self.assertEqual(json.loads(inline), json.loads(named))
        self.assertEqual(len(json.loads(named)["states"][0]["fd"]), 5)
        self.call("evaluate", "rod", "-", "--want", "fd", "-o", "fd.npz", text=state)
        with np.load(self.path("fd.npz"), allow_pickle=False) as arrays:
            self.assertEqual(arrays["fd"][0].tolist(), json.loads(named)["states"][0]["fd"])

    def test_evaluate_takes_steps(self):
        state = json.dumps({"q": [0.01, -0.02, 0.03, 0.005, 0.002]})
        said = json.loads(self.call("evaluate", "rod.model.json", "-", "--want", "x_next,dx_next_dx", "--step", "1e-3,newmark,2", text=state)[0])
        self.assertEqual((np.shape(said["states"][0]["x_next"]), np.shape(said["states"][0]["dx_next_dx"])), ((10,), (10, 10)))
        self.assertIn("one by one", self.call("evaluate", "rod.model.json", "-", "--want", "x_next", "--step", "1e-3,bdf", status=1, text=state)[1])

    def test_evaluate_differentiates_by_places_and_their_names(self):
        state, places = json.dumps({"q": [0.1, -0.2, 0.3, 0.05, 0.02]}), "E=/model/links/0/body/material/young,/model/links/0/body/length"
        said = json.loads(self.call("evaluate", "rod.model.json", "-", "--want", "dfd_dp", "--parameters", places, text=state)[0])
        self.assertEqual([(one["name"], one["way"]) for one in said["parameters"]], [("E", "affine"), ("/model/links/0/body/length", "differences")])
        self.assertEqual(np.shape(said["states"][0]["dfd_dp"]), (5, 2))
        refusal = self.call("evaluate", "rod.model.json", "-", "--parameters", "/model/links/0/body/strain/order/bending_y", status=1, text=state)[1]
        self.assertIn("an order is a count", refusal)

    def test_an_evaluation_exits_1_when_every_state_failed_and_0_when_one_did_not(self):
        good, bad = {"q": [0.1, -0.2, 0.3, 0.05, 0.02]}, {"q": [1e300] * 5}
        for name, states, status in (("all", [bad, bad], 1), ("one", [good, bad], 0)):
            for output in ((), ("-o", name + ".json"), ("-o", name + ".npz")):
                with self.subTest(states=name, output=output):
                    said = self.call("evaluate", "rod.model.json", "-", "--want", "fd", *output, status=status,
                                     text=json.dumps(states))
                    self.assertEqual("every state failed" in said[1], status == 1)

    def test_the_help_of_evaluate_names_every_quantity(self):
        refusal = self.call("evaluate", "rod", "-", "--want", "nothing", status=1, text='{"q": []}')[1]
        known = re.search(r"known: (.*) \(400", refusal).group(1).split(", ")
        described = re.search(r"Quantities: ([a-z_\s]+)\.", self.call("evaluate", "--help")[0]).group(1).split()
        self.assertEqual(sorted(described), sorted(known))

    def test_models_are_put_listed_read_back_and_deleted(self):
        self.write("m.model.json", {**ROD, "name": "passing"})
        self.assertIn("5 coordinates", self.call("models", "put", "m.model.json")[0])
        self.assertIn("passing", self.call("models", "list")[0])
        self.assertEqual(json.loads(self.call("models", "get", "passing@1")[0]), {**ROD, "name": "passing"})
        self.call("models", "delete", "passing")
        self.assertIn("404", self.call("models", "get", "passing", status=1)[1])

    def test_a_revision_is_known_by_its_number_or_the_beginning_of_its_sha256(self):
        for gravity in (-1, -2, -1):  # the first document comes back
            self.write("m.model.json", {**ROD, "name": "revised", "gravity": [0, 0, gravity]})
            self.call("models", "put", "m.model.json")
        rows = [json.loads(line) for line in self.call("models", "revisions", "revised", "--json")[0].splitlines()]
        self.assertEqual([row["revision"] for row in rows], [1, 2, 3])
        self.assertRegex(self.call("models", "revisions", "revised")[0], rf"(?m)^       2  {rows[1]['sha256']}  \S+Z$")
        self.assertEqual(rows[0]["sha256"], rows[2]["sha256"])
        for row, number, gravity in ((rows[0], 3, -1), (rows[1], 2, -2)):
            cut = next(n for n in range(4, 65) if not row["sha256"][:n].isdecimal())
            got = json.loads(self.call("models", "get", "revised@" + row["sha256"][:cut].upper(), "--json")[0])
            self.assertEqual((got["revision"], got["document"]["gravity"][2]), (number, gravity))
            state = json.dumps({"q": [0.1, -0.2, 0.3, 0.05, 0.02]})
            told = [self.call("evaluate", f"revised@{which}", "-", text=state)[0] for which in (row["sha256"], number)]
            self.assertEqual(*told)
        self.assertIn("no revision of revised begins with 'abcdabcdabcd'", self.call("models", "get", "revised@abcdabcdabcd", status=1)[1])
        for none in ("revised@abc", "revised@newest", "revised@" + "a" * 65):
            self.assertIn("names no revision", self.call("models", "get", none, status=2)[1])
        self.assertIn("404", self.call("models", "get", "absent@abcd", status=1)[1])
        self.assertIn("404", self.call("models", "revisions", "absent", status=1)[1])
        self.call("models", "delete", "revised")

    def test_jobs_are_submitted_watched_and_listed(self):
        self.call("models", "put", "rod.model.json")
        job = json.loads(self.call("jobs", "submit", "rod.job.json", "--json")[0])
        self.call("jobs", "watch", job["id"])
        self.assertEqual(json.loads(self.call("jobs", "get", job["id"])[0])["state"], "succeeded")
        listed = [json.loads(line)["id"] for line in self.call("jobs", "list", "--json")[0].splitlines()]
        self.assertIn(job["id"], listed)
        self.assertEqual(len(self.call("jobs", "list", "--limit", "1", "--json")[0].splitlines()), 1)

    def test_every_list_is_a_table_without_empty_cells_or_one_object_a_line(self):
        job = self.submit(labels={"list": "table"})
        heads = {("jobs", "list", "--label", "list:table"): ["ID", "KIND", "MODEL", "OWNER", "STATE", "DONE", "ATTEMPT", "CREATED", "WARNINGS"],
                 ("models", "list"): ["NAME", "OWNER", "REVISION", "SHA256", "CREATED"],
                 ("nodes", "list"): ["NAME", "STATE", "RUNNING", "SLOTS", "CPU LEVEL", "HEARD OF", "HOST"],
                 ("examples",): ["NAME", "DESCRIPTION"]}
        for words, columns in heads.items():
            head, *rows = self.call(*words)[0].split("\n\n")[0].splitlines()
            self.assertEqual(re.split("  +", head.strip()), columns)
            objects = [json.loads(line) for line in self.call(*words, "--json")[0].splitlines()]
            self.assertEqual(len(objects), len(rows), words)
            self.assertTrue(all(isinstance(one, dict) for one in objects))
            for row in rows:
                self.assertEqual(len(re.split("  +", row, maxsplit=len(columns) - 1)), len(columns), row)
        self.call("jobs", "watch", job)
        row = self.call("jobs", "list", "--label", "list:table")[0].splitlines()[1]
        self.assertRegex(row, rf"^{job}  dynamics   rod@\d+ +-  +succeeded   100 %        1  \S+  -$")

    def test_lists_of_jobs_pass_every_filter_on_and_walk_over_pages(self):
        many = [self.submit(labels={"list": "many"}) for _ in range(3)]
        label = ["--label", "list:many"]
        self.assertEqual(self.listed(*label), many[::-1])
        self.assertEqual(self.listed(*label, "--limit", "2"), many[:0:-1])
        self.assertIn("more", self.call("jobs", "list", *label, "--limit", "2")[1])
        self.assertEqual(self.listed(*label, "--kind", "statics"), [])
        self.assertEqual(self.listed(*label, "--model", "rod", "--kind", "dynamics"), many[::-1])
        self.assertEqual(self.listed(*label, "--model", "other"), [])
        self.assertEqual(self.listed(*label, "--since", "1h"), many[::-1])
        self.assertEqual(self.listed(*label, "--until", "1h"), [])
        self.assertEqual(self.listed(*label, "--since", "2100-01-01T00:00:00Z"), [])
        self.assertEqual(self.listed(*label, "--parent", many[0]), [])
        for job in many:
            self.call("jobs", "watch", job)
        self.assertEqual(self.listed(*label, "--state", "succeeded"), many[::-1])
        self.assertIn("400", self.call("jobs", "list", "--state", "nonsense", status=1)[1])

    def test_lists_of_more_jobs_than_a_page_holds_are_whole(self):
        self.call("models", "put", "rod.model.json")
        self.write("x.job.json", {**JOB, "labels": {"list": "pages"}})
        body = json.dumps({**JOB, "labels": {"list": "pages"}}).encode()
        made = []
        for _ in range(130):
            request = urllib.request.Request(server.url + "/v1/jobs", body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=30) as reply:
                made.append(json.load(reply)["id"])
        self.assertEqual(self.listed("--label", "list:pages", "--limit", "1000"), made[::-1])

    def test_watching_with_json_gives_every_event_and_lines_otherwise(self):
        job = self.submit(t_end=5)
        events = [json.loads(line) for line in self.call("jobs", "watch", job, "--json")[0].splitlines()]
        self.assertEqual([e["state"] for e in events if e["event"] == "state"], ["queued", "running", "succeeded"])
        out, said = self.call("jobs", "watch", job)
        self.assertEqual(out, "")
        self.assertRegex(said, job + r" running +\d+ %")
        self.assertRegex(said, job + r" succeeded 100 %  t = 5\.00 of 5 s")

    def test_watching_on_a_terminal_draws_a_bar_with_rate_and_time_left(self):
        job = self.submit(t_end=400, integrator={"method": "newmark", "h": 0.002}, output={"dt": 10, "fields": ["q"]})
        leader, follower = pty.openpty()
        process = subprocess.Popen([TENDRIL, "jobs", "watch", job], stdout=follower, stderr=follower, cwd=self.place.name,
                                   env={**os.environ, "TENDRIL_URL": server.url})
        os.close(follower)
        said = ""
        while not re.search(r"\[#*\.+\] +\d+ %  running  t = [\d.]+ of 400 s, [\d.e+]+ s/s, .* left", said):
            chunk = os.read(leader, 4096).decode()
            self.assertTrue(chunk, said)
            said += chunk
        self.call("jobs", "cancel", job)
        try:
            while chunk := os.read(leader, 4096):
                said += chunk.decode()
        except OSError:
            pass  # the other end of a terminal is gone
        os.close(leader)
        self.assertEqual(process.wait(60), 1)
        self.assertIn("cancelled", said)

    def test_a_cancelled_job_has_a_partial_result_and_can_be_retried(self):
        job = self.submit(t_end=1000, integrator={"method": "newmark", "h": 0.002}, output={"dt": 0.1, "fields": ["q"]})
        while server.get(f"/v1/jobs/{job}")["progress"]["fraction"] < 0.04:
            time.sleep(0.02)
        self.assertIn("not_ready", self.call("result", job, status=1)[1])
        self.call("jobs", "cancel", job)
        self.assertIn("cancelled", self.call("jobs", "watch", job, status=1)[1])
        again = json.loads(self.call("jobs", "retry", job, "--json")[0])
        self.assertEqual(again["retry_of"], job)
        self.call("jobs", "cancel", again["id"])
        self.call("jobs", "watch", again["id"], status=1)
        self.call("jobs", "delete", again["id"])
        self.assertIn("404", self.call("jobs", "get", again["id"], status=1)[1])
        self.assertIn("409", self.call("jobs", "retry", self.finished(), status=1)[1])

    # ------------------------------------------------------------------------------------------ which job, and several

    def test_a_job_is_known_by_the_first_characters_of_its_id(self):
        job, other = self.finished(), self.finished()
        cut = next(n for n in range(4, 27) if job[:n] != other[:n])
        self.assertEqual(json.loads(self.call("jobs", "get", job[:16])[0])["id"], job)
        self.assertEqual(json.loads(self.call("jobs", "get", job[:16].upper())[0])["id"], job)
        self.assertEqual(self.call("result", job[:16], "--format", "csv")[0], job + ".csv\n")
        self.assertIn("409", self.call("jobs", "retry", job[:16], status=1)[1])
        self.assertEqual(self.listed("--parent", job[:16]), [])
        self.call("watch", job[:16])
        said = self.call("jobs", "delete", job[:cut - 1], status=2)[1]
        self.assertIn(f"several jobs' ids begin with '{job[:cut - 1]}'", said)
        for _ in range(5):
            self.finished()
        said = self.call("jobs", "cancel", job[:4], status=2)[1]
        self.assertEqual(len(re.findall(rf"(?m)^  {job[:4]}\w{{22}}  \w+ of \S+, \w+, \S+Z$", said)), 5, said)
        self.assertIn("… and more", said)
        self.assertEqual(self.call("jobs", "delete", job[:16])[0], job + " deleted\n")
        self.assertIn("no job's id begins with", self.call("jobs", "get", job[:16], status=1)[1])
        for none in ("7zzz", "zzzz", "lost", "0000000000"):  # times to come, no time at all, no digits, long ago
            self.assertIn(f"no job's id begins with '{none}'", self.call("jobs", "get", none, status=1)[1])
        self.assertIn("too short: at least 4", self.call("jobs", "get", job[:3], status=2)[1])
        self.assertIn("too long", self.call("jobs", "get", "0" * 100, status=2)[1])

    def test_the_jobs_of_a_sweep_are_found_by_their_beginnings_too(self):
        self.call("models", "put", "rod.model.json")
        self.write("s.json", {"kind": "sweep", "base": JOB, "vary": [{"path": "/job/inputs/pull", "values": [1, 2, 3]}]})
        sweep = json.loads(self.call("jobs", "submit", "s.json", "--json")[0])["id"]
        self.call("watch", sweep[:16])
        children = self.listed("--parent", sweep[:16])
        self.assertEqual(len(children), 3)
        for child in children:
            self.assertEqual(json.loads(self.call("jobs", "get", child[:20])[0])["parent"], sweep)

    def test_several_jobs_are_watched_at_once(self):
        jobs = [self.submit(t_end=t) for t in (3, 2, 1)]
        out, said = self.call("watch", *jobs)
        self.assertEqual(out, "")
        for job, t in zip(jobs, (3, 2, 1)):
            self.assertRegex(said, rf"(?m)^{job} succeeded 100 %  t = {t}\.00 of {t} s$")
        events = [json.loads(line) for line in self.call("jobs", "watch", *jobs, "--json")[0].splitlines()]
        self.assertEqual({event["job"] for event in events if event.get("state") == "succeeded"}, set(jobs))
        failing = self.submit(integrator={"method": "rk4", "h": 0.1}, t_end=20)
        said = self.call("watch", jobs[0], failing, status=1)[1]
        self.assertIn(f"job {failing} failed", said)
        self.assertIn(f"{jobs[0]} succeeded", said)
        self.call("watch", *jobs, status=3, url="http://127.0.0.1:9")
        self.assertIn("usage", self.call("watch", *["0" * 26] * 65, status=2)[1])

    def test_interrupting_a_watch_of_several_leaves_them_running(self):
        jobs = [self.submit(t_end=1000, integrator={"method": "newmark", "h": 0.001}, output={"dt": 10, "fields": ["q"]}) for _ in range(2)]
        process = subprocess.Popen([TENDRIL, "watch", *jobs], stderr=subprocess.PIPE, env={**os.environ, "TENDRIL_URL": server.url}, encoding="utf-8")
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        said = first + process.communicate(timeout=30)[1]
        self.assertEqual(process.returncode, 130)
        for job in jobs:
            self.assertIn(f"job {job} goes on at the server", said)
            self.assertIn(server.get(f"/v1/jobs/{job}")["state"], ("queued", "running"))
            self.call("jobs", "cancel", job)
        self.call("watch", *jobs, status=1)

    # ------------------------------------------------------------------------------------------ sweeps

    def test_a_sweep_over_places_of_model_and_job_is_run_listed_and_fetched_as_one(self):
        self.write("pull.job.json", {"model": "rod", "kind": "statics", "inputs": {"pull": 1.0}})
        young = "/model/links/0/body/material/young"
        out, _ = self.call("sweep", "pull.job.json", "--over", f"{young}=1e6:4e6:3:log", "--over", "/job/inputs/pull=0:2:2")
        self.assertRegex(out, r"sweep of rod@\d+ succeeded, result in pull-sweep.npz\n"
                              r"sweep: 6 of 6 jobs succeeded, 3 with warnings\nVALUES +STATE +WARNINGS\n"
                              r"young=1000000, pull=0 +succeeded  -\nyoung=1000000, pull=2 +succeeded  coarse_basis\n")
        with np.load(self.path("pull-sweep.npz"), allow_pickle=False) as result:
            np.testing.assert_allclose(result["vary[0]"], [1e6, 1e6, 2e6, 2e6, 4e6, 4e6], rtol=1e-12)
            self.assertEqual(result["vary[1]"].tolist(), [0, 2] * 3)
            soft, stiff = result["q"][1], result["q"][5]
            self.assertGreater(np.abs(soft).max(), 1.5 * np.abs(stiff).max())
        self.call("plot", "pull-sweep.npz")

    def test_values_of_a_sweep_are_ranges_lists_and_words_and_the_document_can_be_kept(self):
        job = {"model": "rod", "kind": "dynamics", "t_end": 0.05, "integrator": {"method": "newmark", "h": 0.01}, "output": {"dt": 0.05, "fields": ["q"]}}
        self.write("a.json", job)
        over = ["--over", "/job/integrator/method=newmark,generalized_alpha", "--over", "/job/t_end=0.05:0.1:2", "--over",
                '/job/integrator=[{"method": "newmark", "h": 0.005}, {"method": "newmark", "h": 0.01}]']
        kept = self.call("sweep", "a.json", *over, "--zip", "--print", url="http://127.0.0.1:9")[0]
        self.assertEqual(json.loads(kept), {"kind": "sweep", "base": job, "mode": "zip", "vary": [
            {"path": "/job/integrator/method", "values": ["newmark", "generalized_alpha"]}, {"path": "/job/t_end", "values": [0.05, 0.1]},
            {"path": "/job/integrator", "values": [{"method": "newmark", "h": 0.005}, {"method": "newmark", "h": 0.01}]}]})
        counts = json.loads(self.call("sweep", "a.json", "--over", "/model/x=1:5:5", "--print")[0])["vary"][0]["values"]
        self.assertEqual((counts, {type(n) for n in counts}), ([1, 2, 3, 4, 5], {int}))
        self.call("models", "put", "rod.model.json")
        kept = self.call("sweep", "a.json", "--over", "/job/t_end=0.05,0.1", "--print")[0]
        self.write("kept.json", kept)
        self.assertIn("result in kept.npz\nsweep: 2 of 2 jobs succeeded", self.call("sweep", "kept.json")[0])
        self.assertIn("sweep: 2 of 2 jobs succeeded", self.call("run", "rod.model.json", "kept.json")[0])

    def test_a_sweep_of_which_a_job_fails_lists_it_and_says_how_to_fetch_the_others(self):
        self.call("models", "put", "rod.model.json")
        self.write("b.json", {**JOB, "t_end": 20, "integrator": {"method": "newmark", "h": 0.01}})
        out, said = self.call("sweep", "b.json", "--over", '/job/integrator=[{"method": "rk4", "h": 0.1}, {"method": "newmark", "h": 0.01}]', status=1)
        self.assertRegex(out, r"sweep: 1 of 2 jobs succeeded, .*\nVALUES .*\nintegrator=\S+rk4\S+ +failed ")
        fetch = re.search(r"`tendril (result \S+ --partial) -o FILE`", said).group(1)
        self.call(*fetch.split(), "-o", "rest.npz")
        with np.load(self.path("rest.npz"), allow_pickle=False) as rest:
            self.assertEqual(rest["succeeded"].tolist(), [False, True])
        self.assertFalse(os.path.exists(self.path("b-sweep.npz")))

    def test_what_is_no_sweep_is_refused_with_what_to_do(self):
        self.write("s.json", {"kind": "sweep", "base": JOB, "vary": []})
        nowhere = {"url": "http://127.0.0.1:9", "status": 2}
        for over in ("/model/x=", "model/x=1", "/model/x", "/x=1"):
            self.assertIn("takes a place and its values", self.call("sweep", "rod.job.json", "--over", over, **nowhere)[1], over)
        for values in ("1:2", "1:2:1", "1:2:20001", "1:2:3:lin", "-1:1:3:log", "0:1:3:log", "a:b:c", "1:inf:3", "nan:1:3"):
            self.assertIn("is no range", self.call("sweep", "rod.job.json", "--over", f"/job/t_end={values}", **nowhere)[1], values)
        self.assertIn("not JSON", self.call("sweep", "rod.job.json", "--over", "/job/t_end=[1,", **nowhere)[1])
        self.assertIn("say with --over", self.call("sweep", "rod.job.json", **nowhere)[1])
        self.assertIn("is a sweep already", self.call("sweep", "s.json", "--over", "/job/t_end=1,2", **nowhere)[1])
        self.assertIn("more than 64 options", self.call("sweep", "rod.job.json", *["--over", "/job/t_end=1"] * 65, **nowhere)[1])
        self.call("models", "put", "rod.model.json")
        self.assertIn("nothing at /job/nothing", self.call("sweep", "rod.job.json", "--over", "/job/nothing=1,2", status=1)[1])

    # ------------------------------------------------------------------------------------------ completion

    def completed(self, line):
        """What bash offers for the last word of a line."""
        words = line.split(" ")
        script = (f"source <('{TENDRIL}' completion bash); COMP_WORDS=({' '.join(map(repr, words))}); COMP_CWORD={len(words) - 1}; _tendril; "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=True, cwd=self.place.name)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_commands_options_and_their_words(self):
        self.assertEqual(self.completed("tendril j"), ["jobs"])
        self.assertEqual(self.completed("tendril help jo"), ["jobs"])
        self.assertEqual(self.completed("tendril jobs "), ["submit", "list", "get", "watch", "cancel", "retry", "delete", "--help"])
        self.assertEqual(self.completed("tendril jobs list --st"), ["--state"])
        self.assertEqual(self.completed("tendril --json jobs list --state f"), ["failed"])
        self.assertEqual(self.completed("tendril jobs list -s "), ["queued", "running", "succeeded", "failed", "cancelled"])
        self.assertEqual(self.completed("tendril run rod.job.json --format "), ["npz", "json", "csv"])
        self.assertEqual(self.completed("tendril completion "), ["bash", "zsh"])
        self.assertEqual(self.completed("tendril run "), [])  # the shell's own: files
        self.assertEqual(self.completed("tendril nonsense "), [])
        self.assertIn("bash and zsh", self.call("completion", "fish", status=2)[1])

    def test_both_completions_know_every_command_and_option(self):
        scripts = {shell: self.call("completion", shell, url="http://127.0.0.1:9")[0] for shell in ("bash", "zsh")}
        overview = self.call("--help")[0].split("Commands:")[1].split("\n\n")[0]
        for line in filter(None, overview.splitlines()):
            words = [word for word in line.split("  ")[1].split() if re.fullmatch("[a-z]+", word)]
            options = re.findall(r"(?m)^  (?:-\w, |    )(--[a-z]+)", self.call(*words, "--help")[0].split("\nOptions:")[1])
            self.assertIn("--help", options)
            for script in scripts.values():
                part = re.search(rf"(?ms)^  '{' '.join(words)}'\)$.*?;;$", script).group(0)
                for option in options:
                    self.assertRegex(part, rf"{option}\b")
            self.assertTrue(set(options) <= set(self.completed(f"tendril {' '.join(words)} -")))

    # ------------------------------------------------------------------------------------------ what goes wrong

    def test_a_refusal_names_the_place_and_the_exit_status_is_1(self):
        broken = json.loads(json.dumps(ROD))
        broken["links"][0]["body"]["length"] = -1
        self.write("broken.model.json", broken)
        self.assertIn("/links/0/body/length", self.call("models", "put", "broken.model.json", status=1)[1])
        self.call("models", "put", "rod.model.json")
        self.assertIn("/states/0/q", self.call("evaluate", "rod", "-", status=1, text='{"q": [1]}')[1])
        self.write("bad.job.json", {**JOB, "t_end": -1})
        self.assertIn("/t_end", self.call("run", "bad.job.json", status=1)[1])

    def test_a_refusal_of_a_file_names_its_line_and_column(self):
        lines = json.dumps({**ROD, "gravity": "down"}, indent=1).splitlines()
        line = next(i for i, text in enumerate(lines, 1) if "gravity" in text)
        where = f"at /gravity: wrong.model.json:{line}:{lines[line - 1].index('down')}"
        self.write("wrong.model.json", "\n".join(lines))
        self.assertIn(where, self.call("models", "put", "wrong.model.json", status=1)[1])
        self.call("models", "put", "rod.model.json")
        self.write("bad.job.json", '{"model": "rod",\n "kind": "dynamics",\n "t_end": -1, "output": {"dt": 0.1, "fields": ["q"]}}')
        for words in (["jobs", "submit"], ["run"]):
            self.assertIn("at /t_end: bad.job.json:3:11\n", self.call(*words, "bad.job.json", status=1)[1])
        # the model goes along: the file is not what was sent
        self.assertIn("at /t_end of what was sent", self.call("run", "rod.model.json", "bad.job.json", status=1)[1])

    def test_warnings_are_told_wherever_the_server_tells_them(self):
        self.write("odd.model.json", {**ROD, "name": "odd", "gravity": [0, 0, -9810]})
        self.write("odd.job.json", {**JOB, "model": "odd"})
        warning = "warning: odd_gravity at {}/gravity: 9810"
        state = json.dumps({"q": [0.1, -0.2, 0.3, 0.05, 0.02]})
        self.assertIn(warning.format(""), self.call("models", "put", "odd.model.json")[1])
        self.assertIn(warning.format("/model"), self.call("jobs", "submit", "odd.job.json")[1])
        self.assertIn(warning.format("/model"), self.call("run", "odd.job.json")[1])
        for output in ((), ("-o", "x.json"), ("-o", "x.npz")):
            self.assertIn(warning.format(""), self.call("evaluate", "odd.model.json", "-", *output, text=state)[1], output)
        self.assertEqual(self.call("evaluate", "rod.model.json", "-", text=state)[1], "")

    def test_a_job_that_fails_says_why_and_the_exit_status_is_1(self):
        self.call("models", "put", "rod.model.json")
        self.write("fail.job.json", {**JOB, "integrator": {"method": "rk4", "h": 0.1}, "t_end": 20})
        said = self.call("run", "fail.job.json", status=1)[1]
        self.assertIn(" failed: ", said)
        self.assertFalse(os.path.exists(self.path("fail.npz")))

    def test_no_server_is_exit_status_3_and_says_what_to_do(self):
        said = self.call("run", "rod.job.json", status=3, url="http://127.0.0.1:9")[1]
        self.assertIn("TENDRIL_URL", said)

    def test_wrong_usage_is_exit_status_2(self):
        for words in (["nonsense"], ["run"], ["run", "absent.json"], ["run", "rod.job.json", "--nonsense"], [],
                      ["run", "rod.job.json", "-o", "a.xyz"], ["models", "get", "../etc"], ["plot", "absent.npz"]):
            self.call(*words, status=2)
        self.write("syntax.json", '{"model": }')
        self.assertIn("syntax.json:1:", self.call("run", "syntax.json", status=2)[1])

    def test_a_command_that_is_missing_is_a_remark_and_help_that_is_asked_for_the_answer(self):
        for group in ([], ["models"], ["jobs"], ["token"]):
            out, said = self.call(*group, status=2)
            self.assertEqual(out, "", group)
            self.assertIn("Commands:", said)
            self.assertEqual(self.call(*group, "--help"), (said, ""))
            self.assertEqual(self.call("help", *group), (said, ""))

    def test_a_moment_that_is_none_is_wrong_usage(self):
        for name in ("--since", "--until"):
            for word in ("5x", "x", "", "2026-01-31", "2026-01-31T22:00:00", "2026-01-31T22:00:00.5x", "-3h", "1e9d", "nans",
                         "2026-02-31T22:00:00Z", "2026-01-31T22:00:00+25:00"):
                self.assertIn(name, self.call("jobs", "list", name, word, status=2, url="http://127.0.0.1:9")[1], word)
            for word in ("5m", "1.5h", "2026-01-31T22:00:00Z", "2026-01-31T22:00:00.25Z",
                         "2026-01-31T22:00:00+02:00", "2026-01-31T22:00:00-09:30"):
                self.call("jobs", "list", name, word)

    def test_a_list_without_an_answer_has_no_head(self):
        for words in (["models", "list"], ["token", "list"], ["jobs", "list"]):
            self.assertEqual(self.call(*words, status=3, url="http://127.0.0.1:9")[0], "")
        self.call("models", "put", "rod.model.json")
        self.assertEqual(self.call("models", "list")[0].count("SHA256"), 1)
        with refusing() as url:
            for words in (["models", "list"], ["token", "list"], ["jobs", "list"]):
                self.assertEqual(self.call(*words, status=1, url=url)[0], "")

    def test_run_tries_its_output_before_it_submits(self):
        before = self.listed("--limit", "1000")
        os.mkdir(self.path("folder.npz"))
        for place in ("absent/x.npz", self.path("absent/x.npz"), "folder.npz", "rod.job.json/x.npz"):
            self.assertIn("cannot write " + place, self.call("run", "rod.job.json", "-o", place, status=1)[1])
        self.assertIn("both want standard output", self.call("run", "rod.job.json", "-o", "-", "--json", status=2)[1])
        self.assertEqual(self.listed("--limit", "1000"), before)

    def test_run_that_cannot_write_its_result_says_how_to_fetch_it(self):
        with open("/dev/full", "wb") as full:
            said = self.call("run", "rod.job.json", "-o", "-", status=1, stdout=full)[1]
        self.assertIn("cannot write standard output: No space left", said)
        job = re.search(r"`tendril result (\S+) -o FILE`", said).group(1)
        self.call("result", job, "-o", "kept.npz")

    def test_standard_output_that_cannot_be_written_is_exit_status_1(self):
        self.call("models", "put", "rod.model.json")
        with open("/dev/full", "wb") as full:
            for words in (["models", "get", "rod"], ["models", "list"], ["--help"]):
                self.assertIn("cannot write standard output", self.call(*words, stdout=full, status=1)[1])

    def test_who_stops_reading_ends_the_command_without_a_word(self):
        self.call("models", "put", "rod.model.json")
        reader, writer = os.pipe()
        os.close(reader)
        for words in (["jobs", "list"], ["models", "list", "--json"], ["models", "get", "rod"], ["examples"], ["--help"]):
            self.assertEqual(self.call(*words, stdout=writer, status=-signal.SIGPIPE)[1], "", words)
        os.close(writer)

    def test_watching_ends_when_nobody_reads_the_events(self):
        job = self.submit(t_end=1000, integrator={"method": "newmark", "h": 0.001}, output={"dt": 10, "fields": ["q"]})
        process = subprocess.Popen([TENDRIL, "jobs", "watch", job, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, "TENDRIL_URL": server.url})
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.wait(30), -signal.SIGPIPE)
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertIn(server.get(f"/v1/jobs/{job}")["state"], ("queued", "running"))
        self.call("jobs", "cancel", job)
        self.call("jobs", "watch", job, status=1)

    def test_every_command_has_help(self):
        overview = self.call("--help")[0]
        commands = [line.split("  ")[1] for line in overview.split("Commands:")[1].split("\n\n")[0].splitlines() if line]
        self.assertGreater(len(commands), 15)
        for command in commands:
            words = [word for word in command.split() if word.islower() and word.isalpha()]
            text = self.call(*words, "--help")[0]
            self.assertIn("Usage: tendril " + words[0], text)
            self.assertIn("\n  tendril " + " ".join(words), text, "an example")

    def test_interrupting_run_leaves_the_job_at_the_server(self):
        self.call("models", "put", "rod.model.json")
        self.write("long.job.json", {**JOB, "t_end": 1000, "integrator": {"method": "newmark", "h": 0.001}, "output": {"dt": 10, "fields": ["q"]}})
        process = subprocess.Popen([TENDRIL, "run", "long.job.json"], cwd=self.place.name, stderr=subprocess.PIPE,
                                   env={**os.environ, "TENDRIL_URL": server.url}, encoding="utf-8")
        job = next(line.split()[1] for line in process.stderr if " submitted to " in line)  # which model runs is said before
        process.stderr.readline()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=30)[1]
        self.assertIn(f"tendril watch {job}", said)
        self.assertEqual(process.returncode, 130)
        self.assertIn(server.get(f"/v1/jobs/{job}")["state"], ("queued", "running"))
        self.call("jobs", "cancel", job)
        self.call("jobs", "watch", job, status=1)


class Output(Place):
    """-o: the same places for everything that writes."""

    WORKER = os.path.join(os.path.dirname(TENDRIL), "tendril-worker")

    def setUp(self):
        super().setUp()
        job = self.finished()
        self.call("result", job, "-o", "given.npz")
        self.write("state.json", {"q": [0, 0, 0, 0, 0]})
        # name: words in front of -o, extension, whether bytes are the same every time
        self.writers = {
            "result": (["result", job, "--format", "npz"], ".npz", True),
            "csv": (["result", job, "--format", "csv"], ".csv", True),
            "run": (["run", "rod.job.json", "--format", "npz"], ".npz", False),
            "evaluate": (["evaluate", "rod", "state.json"], ".json", True),
            "arrays": (["evaluate", "rod", "state.json", "--format", "npz"], ".npz", False),
            "models get": (["models", "get", "rod"], ".json", True),
            "plot": (["plot", "given.npz", "--size", "300x300"], ".png", True),
            "simulate": (["simulate", "rod.model.json", "rod.job.json"], ".npz", False),
            "worker": (["--local", "rod.model.json", "rod.job.json"], ".npz", False)}
        self.before = set(os.listdir(self.place.name))

    def to(self, name, place, **how):
        words = self.writers[name][0]
        return self.call(*words, "-o", place, program=self.WORKER if name == "worker" else TENDRIL, **how)

    def read(self, name):
        with open(self.path(name), "rb") as stream:
            return stream.read()

    def assert_is(self, name, data, whole):
        """`data` is what `name` writes, whole being what it wrote into a file."""
        if self.writers[name][2]:
            self.assertEqual(data.rstrip(b"\n"), whole.rstrip(b"\n"), name)
            return
        with np.load(io.BytesIO(data), allow_pickle=False) as made, np.load(io.BytesIO(whole), allow_pickle=False) as other:
            self.assertEqual(made.files, other.files)
            for field in set(made.files) - {"summary"}:
                self.assertTrue(np.array_equal(made[field], other[field]), f"{name} {field}")

    def whole(self, name):
        """What it writes into a file that is not there."""
        place = "whole" + self.writers[name][1]
        self.to(name, place)
        data = self.read(place)
        os.unlink(self.path(place))
        self.assertGreater(len(data), 50)
        return data

    def assert_left(self, *names):
        self.assertEqual(set(os.listdir(self.place.name)) - self.before, set(names), "something was left behind")

    def test_a_symlink_is_followed_and_stays(self):
        os.mkdir(self.path("folder"))
        for name, (_, extension, _) in self.writers.items():
            whole = self.whole(name)
            target, link, hop = "folder/target" + extension, "link" + extension, "folder/hop" + extension
            os.symlink(hop, self.path(link))
            os.symlink("target" + extension, self.path(hop))
            for _ in ("dangling", "there"):
                self.to(name, link)
                self.assertTrue(os.path.islink(self.path(link)) and os.path.islink(self.path(hop)), name)
                self.assertTrue(os.path.isfile(self.path(target)) and not os.path.islink(self.path(target)), name)
                self.assert_is(name, self.read(target), whole)
                self.write(target, "old")
                with open(self.path(target), encoding="utf-8") as held:  # a reader keeps the file it had
                    self.to(name, link)
                    self.assertEqual(held.read(), "old")
            for path in (target, link, hop):
                os.unlink(self.path(path))
            self.assertEqual(os.listdir(self.path("folder")), [])
            self.assert_left("folder")

    def test_symlinks_in_a_circle_are_an_error(self):
        os.symlink("b.npz", self.path("a.npz"))
        os.symlink("a.npz", self.path("b.npz"))
        for name in ("result", "worker"):
            self.assertIn("a.npz: ", self.to(name, "a.npz", status=1)[1])
        self.assert_left("a.npz", "b.npz")

    def test_a_fifo_gets_the_bytes_and_stays(self):
        os.mkfifo(self.path("fifo"))
        for name in self.writers:
            got = []
            reader = threading.Thread(target=lambda: got.append(self.read("fifo")), daemon=True)
            reader.start()
            self.to(name, "fifo")
            self.assertTrue(stat.S_ISFIFO(os.stat(self.path("fifo")).st_mode), name)
            reader.join(30)
            self.assert_is(name, got[0], self.whole(name))
        self.assert_left("fifo")

    def device(self, name, minor):
        """A copy of /dev/null (3) or /dev/full (7) in our folder: no mistake of a program can hurt the machine's."""
        try:
            os.mknod(self.path(name), 0o666 | stat.S_IFCHR, os.makedev(1, minor))
            open(self.path(name), "wb").close()
        except PermissionError:
            self.skipTest("devices cannot be made here")

    def test_a_device_is_written_and_stays(self):
        self.device("null", 3)
        self.device("full", 7)
        for name in self.writers:
            self.to(name, "null")
            self.assertIn("cannot write full: No space left", self.to(name, "full", status=1)[1], name)
            for device in ("null", "full"):
                self.assertTrue(stat.S_ISCHR(os.stat(self.path(device)).st_mode), name)
        self.assert_left("null", "full")

    def test_a_dash_and_names_of_descriptors_are_standard_output_and_nothing_else_goes_there(self):
        for name in self.writers:
            whole = self.whole(name)
            for place in ("-", "/dev/fd/1", "/proc/self/fd/1"):  # not /dev/stdout: a mistake would replace the machine's
                out = self.to(name, place)[0]
                self.assert_is(name, out if isinstance(out, bytes) else out.encode(), whole)
            with open(self.path("log"), "wb") as log:  # a file that the shell has open is gone on with
                log.write(b"before")
                log.flush()
                self.to(name, "-", stdout=log)
            self.assertEqual(self.read("log")[:6], b"before")
            self.assert_is(name, self.read("log")[6:], whole)
            os.unlink(self.path("log"))
        self.assert_left()

    def test_binary_is_refused_on_a_terminal_before_anything_is_done(self):
        for name, (_, extension, _) in self.writers.items():
            if name == "csv":
                continue  # more than a terminal keeps that nobody reads
            refused = extension in (".npz", ".png")
            leader, follower = pty.openpty()
            told = self.to(name, "-", stdout=follower, status=2 if refused else 0)[1]
            os.close(follower)
            os.close(leader)
            self.assertEqual("is a terminal" in told, refused, name)
            self.assertNotIn("submitted", told)

    def test_what_fails_leaves_the_old_file_and_nothing_beside_it(self):
        self.write("old.npz", "old")
        self.write("fail.job.json", {**JOB, "integrator": {"method": "rk4", "h": 0.1}, "t_end": 20})
        self.before |= {"old.npz", "fail.job.json"}
        self.call("result", "01HZZZZZZZZZZZZZZZZZZZZZZZ", "-o", "old.npz", status=1)
        self.assertEqual(self.read("old.npz"), b"old")
        self.call("simulate", "rod.model.json", "fail.job.json", "-o", "old.npz", status=1)
        self.assertEqual(self.read("old.npz")[:2], b"PK")  # a run that cannot go on leaves the rows up to there
        for place in ("absent/x.npz", "old.npz/x.npz"):
            for name in ("result", "run", "simulate", "worker"):
                self.assertIn("cannot write " + place, self.to(name, place, status=1)[1])
        self.assert_left()

    def test_a_reader_that_stops_ends_what_writes_without_a_word(self):
        reader, writer = os.pipe()
        os.close(reader)
        for name in self.writers:
            if name != "run":  # which has progress to tell
                self.assertEqual(self.to(name, "-", stdout=writer, status=-signal.SIGPIPE)[1], "", name)
        os.close(writer)

    def test_the_help_of_what_writes_says_where_to(self):
        for words in (["result"], ["run"], ["evaluate"], ["models", "get"], ["plot"], ["simulate"]):
            text = self.call(*words, "--help")[0]
            self.assertIn("-o - writes to standard output", text)
            self.assertIn("symlink", text)


if __name__ == "__main__":
    unittest.main()
