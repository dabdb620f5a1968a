"""clients/python against real servers: what its README shows, its examples, connections that break, asyncio."""
import asyncio
import base64
import glob
import hashlib
import importlib.util
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
import warnings
import zipfile

import numpy as np
from harness import SOURCE, Server, ServerTest, long_job, main, pendulum, ram, soft_arm
from test_client import Relay

PYTHON = os.path.join(os.path.abspath(SOURCE), "clients", "python")
sys.path.insert(0, PYTHON)
import tendril  # noqa: E402
from tendril import npz  # noqa: E402

MISSING = [name for name in ("torch", "scipy") if importlib.util.find_spec(name) is None]
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


def blocks(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r"```python\n(.*?)```", file.read(), re.S)


def run_python(code_or_path, url, folder, *arguments):
    words = [code_or_path, *arguments] if os.path.exists(code_or_path) else ["-c", code_or_path]
    return subprocess.run([sys.executable, "-B", *words], cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=600,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([PYTHON, os.environ.get("PYTHONPATH", "")]), "TENDRIL_URL": url})


class Archives(unittest.TestCase):
    """tendril.npz beside numpy.savez and numpy.load, whose archives they are."""

    def assert_same(self, found, wanted):
        self.assertEqual(list(found), list(wanted))
        for name, array in wanted.items():
            array = np.asarray(array)
            self.assertEqual((found[name].dtype, found[name].shape, found[name].tobytes()), (array.dtype, array.shape, array.tobytes()), name)
            self.assertTrue(found[name].flags.writeable)

    def members(self):
        return {"q": np.random.default_rng(1).standard_normal((3, 5)), "scalar": np.float64(np.pi), "none": np.zeros((0, 4)),
                "jvp/of": np.array("fd"), "want": np.array(["fd", "größe"]), "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
                "every other": np.arange(20)[::2], "bytes": np.frombuffer(b"{}", np.uint8), "yes": np.array([True, False]),
                "other end": np.arange(3, dtype=">f4"), "ü": np.arange(2)}

    def test_numpy_reads_what_is_written_and_the_other_way(self):
        members = self.members()
        self.assert_same(self.by_numpy(npz.write(members)), members)
        self.assertIsNone(zipfile.ZipFile(io.BytesIO(npz.write(members))).testzip())
        for save in (np.savez, np.savez_compressed):
            out = io.BytesIO()
            save(out, **members)
            self.assert_same(npz.read(out.getvalue()), members)
        self.assert_same(npz.read(npz.write(members)), members)

    def test_what_is_damaged_or_pickled_is_no_archive(self):
        plain = npz.write(self.members())
        with self.assertRaises(zipfile.BadZipFile):
            npz.read(plain[:-1])
        with self.assertRaises(zipfile.BadZipFile):
            npz.read(plain[:150] + bytes([plain[150] ^ 1]) + plain[151:])  # a number of q
        with self.assertRaises(ValueError):
            npz.read(npz.write({"object": np.array([{}], dtype=object)}))
        for at in range(0, len(plain), 7):
            damaged = plain[:at] + bytes([plain[at] ^ 0xFF]) + plain[at + 1:]
            found, wanted = self.outcome(npz.read, damaged), self.outcome(self.by_numpy, damaged)
            if isinstance(found, type) or isinstance(wanted, type):
                self.assertEqual(found, wanted, at)
            else:
                self.assert_same(found, wanted)

    @staticmethod
    def by_numpy(data):
        with np.load(io.BytesIO(data)) as archive:
            return {name: archive[name] for name in archive.files}

    @staticmethod
    def outcome(read, data):
        try:
            return read(data)
        except Exception as error:  # pylint: disable=broad-except
            return type(error)


class PythonClient(ServerTest):
    workers = 2
    flags = ("--grpc", "127.0.0.1:0")

    def setUp(self):
        self.url = f"http://{self.server.host}:{self.server.port}"
        self.client = tendril.Client(self.url)
        self.addCleanup(self.client.close)
        self.client.models.put(pendulum())

    def test_the_wheel_that_pip_installs_is_made_without_setuptools_and_holds_the_whole_package(self):
        with tempfile.TemporaryDirectory() as folder:
            program = f"import build_wheel; print(build_wheel.build_wheel({folder!r}))"
            done = subprocess.run([sys.executable, "-S", "-B", "-c", program], cwd=PYTHON, capture_output=True, text=True, check=True)
            wheel = os.path.join(folder, done.stdout.strip())
            with open(wheel, "rb") as stream:
                first = stream.read()
            subprocess.run([sys.executable, "-S", "-B", "-c", program], cwd=PYTHON, capture_output=True, text=True, check=True)
            with open(wheel, "rb") as stream:
                self.assertEqual(stream.read(), first, "same sources, same bytes")
            with zipfile.ZipFile(wheel) as archive:
                names = {name for name in archive.namelist() if ".dist-info/" not in name}
                info = next(name for name in archive.namelist() if name.endswith("/RECORD"))
                record = [line.split(",") for line in archive.read(info).decode().splitlines()]
                self.assertEqual({row[0] for row in record}, set(archive.namelist()))
                for path, digest, size in record[:-1]:
                    data = archive.read(path)
                    self.assertEqual((digest, int(size)), ("sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), len(data)))
                self.assertIn('Requires-Dist: matplotlib>=3.5; extra == "plot"', archive.read(info.replace("RECORD", "METADATA")).decode())
                archive.extractall(os.path.join(folder, "installed"))
            sources = {os.path.relpath(os.path.join(where, name), PYTHON) for where, _, files in os.walk(os.path.join(PYTHON, "tendril"))
                       for name in files if "__pycache__" not in where}
            self.assertEqual(names, sources)
            here = subprocess.run([sys.executable, "-B", "-c", "import tendril; print(tendril.Client, tendril.__file__)"], capture_output=True, text=True,
                                  cwd=folder, env={**os.environ, "PYTHONPATH": os.path.join(folder, "installed")}, check=False)
            self.assertIn(os.path.join(folder, "installed"), here.stdout, here.stderr)

    def test_every_program_of_the_readme_runs(self):
        programs = blocks(os.path.join(PYTHON, "README.md"))
        self.assertGreaterEqual(len(programs), 5)
        for program in programs:
            with self.subTest(program=program[:60]), tempfile.TemporaryDirectory() as folder:
                done = run_python(program.replace("http://127.0.0.1:8080", self.url), self.url, folder)
                if ".plot(" in program and not HAS_MATPLOTLIB:
                    self.assertIn("pictures need matplotlib", done.stderr)
                elif any(f"import {name}" in program or f"from {name}" in program for name in MISSING):
                    self.skipTest(f"{' and '.join(MISSING)} missing: deploy/packages.sh --test installs them")
                else:
                    self.assertEqual(done.returncode, 0, done.stderr)
                for picture in re.findall(r'\.plot\("([^"]+)"', program) if HAS_MATPLOTLIB else []:
                    self.assertGreater(os.path.getsize(os.path.join(folder, picture)), 10000)

    def test_jacobians_take_three_lines_and_a_picture_six(self):
        programs = blocks(os.path.join(PYTHON, "README.md"))[:2]
        self.assertEqual([len(program.strip().split("\n")) for program in programs], [3, 6])
        self.assertEqual(blocks(os.path.join(SOURCE, "README.md"))[:2], programs)

    def test_every_example_runs(self):
        examples = sorted(glob.glob(os.path.join(PYTHON, "examples", "*.py")))
        self.assertGreaterEqual(len(examples), 4)
        shorter = {"control_loop.py": ["--steps", "40"], "swing_up.py": ["--iterations", "3"], "workspace.py": ["--points", "20"],
                   "learn_to_reach.py": ["--steps", "4"], "identify.py": ["-o", "identify.png"] * HAS_MATPLOTLIB, "taper.py": ["-o", "taper.png"] * HAS_MATPLOTLIB}
        for path in examples:
            needs = {"swing_up.py": "scipy", "learn_to_reach.py": "torch"}.get(os.path.basename(path))
            with self.subTest(example=os.path.basename(path)), tempfile.TemporaryDirectory() as folder:
                if needs in MISSING:
                    self.skipTest(f"{needs} is missing: deploy/packages.sh --test installs it")
                done = run_python(path, self.url, folder, *shorter.get(os.path.basename(path), []))
                self.assertEqual(done.returncode, 0, done.stderr)
                for off in re.findall(r"\(([+-][\d.]+) deviations off\)", done.stdout) if path.endswith("identify.py") else ["nan"]:
                    self.assertFalse(abs(float(off)) > 3.5, done.stdout)
                for farther, first in re.findall(r"reaches ([\d.]+) mm aside \(at first ([\d.]+)\)", done.stdout):
                    self.assertGreater(float(farther), 2 * float(first), done.stdout)
                losses = [float(loss) for loss in re.findall(r"loss ([\d.]+)", done.stdout)]
                if needs == "torch":
                    self.assertLess(losses[-1], 0.5 * losses[0], done.stdout)
                picture = os.path.join(folder, os.path.basename(path).replace(".py", ".png"))
                if HAS_MATPLOTLIB and os.path.basename(path) in ("workspace.py", "notebook.py", "identify.py", "taper.py", "learn_to_reach.py"):
                    self.assertGreater(os.path.getsize(picture), 10000)

    def test_the_control_loop_follows_its_goal(self):
        path = os.path.join(PYTHON, "examples", "control_loop.py")
        done = run_python(path, self.url, os.path.dirname(path), "--steps", "60")
        late = re.search(r"([\d.]+) mm in the second half", done.stdout)
        self.assertLess(float(late[1]), 5.0, done.stdout + done.stderr)

    def test_a_fit_has_values_by_name_its_records_and_the_robot_with_them(self):
        hang = {"kind": "statics", "inputs": {"motor": [1, 2, 3]}}
        q = -np.arcsin(np.array([1, 2, 3]) / (-3 * 9.81 * 0.5))  # as if it weighed 3 kg
        record = tendril.record("q", [*q[:2, None], [np.nan]], sigma=1e-3)
        mass = "/model/links/0/body/mass"
        found = self.client.fit((hang, record), {mass: (0.5, 10)}, "pendulum")
        self.assertAlmostEqual(found["mass"], 3, delta=1e-6)
        self.assertAlmostEqual(found.model["links"][0]["body"]["mass"], found.values[mass])
        t, measured, fitted = found.record()
        self.assertIsNone(t)
        np.testing.assert_allclose(measured[:2], fitted[:2], atol=1e-8)
        self.assertTrue(np.isnan(measured[2, 0]) and found.converged, found)
        again = self.client.fit([(hang, record), (hang, record)], [{"path": "/job/inputs/motor/0", "of": 1, "name": "first"}], found.model)
        self.assertEqual([job["inputs"]["motor"] for job in again.jobs], [[1, 2, 3], [again["first"], 2, 3]])
        self.assertAlmostEqual(again["first"], 1, delta=1e-6)
        with self.assertRaisesRegex(tendril.InvalidArgument, "nothing at"):
            self.client.fit((hang, record), "/model/links/0/body/weight", "pendulum")
        with self.assertRaises(tendril.JobFailed):
            self.client.fit((hang, record), {mass: (0.5, 10)}, "pendulum", max_iterations=0)

    def test_a_design_has_values_by_name_and_the_documents_with_them(self):
        hang = {"kind": "statics", "model": "pendulum", "inputs": {"motor": 1}}
        found = self.client.design(hang, {"/job/inputs/motor": (-9, 9)}, {"field": "q", "target": 0.5, "weight": 10}, None, tolerance=1e-9)
        self.assertAlmostEqual(found["motor"], 9.81 * np.sin(0.5), delta=1e-3)
        self.assertEqual(found.job["inputs"]["motor"], found["motor"])
        self.assertEqual(found.model["links"][0]["body"]["mass"], 2)
        self.assertTrue(found.converged and found.objective < 1e-6, found)
        with self.assertRaises(tendril.JobFailed):
            self.client.design(hang, {"/job/inputs/motor": (-9, 9)}, {"field": "q", "target": 0.5}, {"field": "q", "lower": 3})
        torques = [{"path": "/job/inputs/motor", "name": name, "of": k, "lower": -9, "upper": 9} for k, name in enumerate("ab")]
        two = self.client.design([hang, {**hang, "inputs": {"motor": 2}}], torques, [{"field": "q", "target": 0.3}, {"field": "q", "target": 0.4, "of": 1}])
        self.assertEqual([job["inputs"]["motor"] for job in two.jobs], [two["a"], two["b"]])
        np.testing.assert_allclose([two.result["0:q"][0, 0], two.result["1:q"][0, 0]], [0.3, 0.4], atol=1e-3)

    def test_a_vector_beside_a_batch_goes_for_every_state(self):
        q = np.linspace(-1, 1, 7)[:, None]
        together = self.client.evaluate("pendulum", q, qd=[0.5], u=[2.0], want=["fd", "mass"])
        for row, state in enumerate(q):
            alone = self.client.evaluate("pendulum", state, qd=[0.5], u=[2.0], want=["fd", "mass"])
            self.assertEqual(alone["fd"].shape, (1,))
            self.assertEqual(alone["fd"].tobytes(), together["fd"][row].tobytes())
        with self.assertRaisesRegex(ValueError, "different numbers of states"):
            self.client.evaluate("pendulum", q, qd=q[:3])

    def test_a_failed_state_is_nan_in_a_batch_and_an_exception_alone(self):
        soft = soft_arm()
        bad, good = np.full(24, 1e200), np.zeros(24)
        found = self.client.evaluate(soft, [good, bad, good])
        self.assertEqual([error.index for error in found.errors], [1])
        self.assertTrue(np.isnan(found["fd"][1]).all() and np.isfinite(found["fd"][[0, 2]]).all())
        with self.assertRaises(tendril.StateError):
            self.client.evaluate(soft, bad)

    def test_errors_say_code_place_and_request(self):
        with self.assertRaises(tendril.InvalidArgument) as caught:
            self.client.submit(model="pendulum", kind="dynamics", t_end=-1)
        self.assertEqual((caught.exception.code, caught.exception.pointer, caught.exception.status), ("invalid_argument", "/t_end", 400))
        self.server.wait_for_log(caught.exception.request_id)
        for given, place in (({"t_end": float("nan")}, "/t_end"), ({"t_end": 1, "initial": {"q": np.array([np.inf])}}, "/initial/q/0"),
                             ({"t_end": 1, "inputs": {"motor": {"type": "steps", "t": np.arange(2000), "value": np.full(2000, np.nan)}}}, "/inputs/motor/value/0")):
            with self.assertRaisesRegex(tendril.InvalidArgument, "no finite number") as caught:
                self.client.submit(model="pendulum", kind="dynamics", **given)
            self.assertEqual(caught.exception.pointer, place)
            self.assertIsInstance(caught.exception, ValueError)

    def test_what_is_wrong_at_several_places_is_said_at_once_on_both_faces(self):
        model = pendulum(name="wrong")
        model["links"][0] |= {"joynt": 1, "at": "middle"}
        for client in [self.client] + ([self.rpc()] if self.server.ready["grpc"] and importlib.util.find_spec("grpc") else []):
            with self.assertRaises(tendril.InvalidArgument) as caught:
                client.models.put(model)
            told = caught.exception
            self.assertEqual([one["pointer"] for one in told.errors], ["/links/0/joynt", "/links/0/at"])
            self.assertEqual((told.pointer, told.detail), (told.errors[0]["pointer"], told.errors[0]["detail"]))
            self.assertIn('did you mean "joint"?', told.detail)
            self.assertIn("and at /links/0/at: ", str(told))
        with self.assertRaises(tendril.InvalidArgument) as caught:
            self.client.submit({"kind": "dynamics", "t_end": "soon", "outputs": {}, "model": {"format": "tendril.model/2", "links": []}})
        self.assertEqual([one["pointer"] for one in caught.exception.errors], ["/t_end", "/outputs", "/model/format"])
        with self.assertRaises(tendril.InvalidArgument) as caught:
            self.client.models.put(pendulum(gravity="down"))
        self.assertEqual(caught.exception.errors, [{"pointer": "/gravity", "detail": caught.exception.detail}])

    def test_a_robot_that_was_put_together_is_attached_previewed_and_stored(self):
        models = tendril.models
        rod = models.rod(0.2, models.circle(0.01), models.strain("legendre", order={"bending_y": 2}), material=models.material(5e5, 1070, poisson=0.5))
        finger = models.Model("finger", models.link("arm", models.fixed(), body=rod))
        finger.add(models.tendon("cable", link="arm", routing=models.routing_linear([0, 0.008])))
        palm = models.link("palm", models.prismatic(), body=models.rigid(shape=models.box([0.1, 0.1, 0.02]), density=2700))
        hand, place = models.Model("hand", palm), models.pose(translation=[0, 0, 0.01], rpy=[0, -1.5, 0])
        same = self.client.attach(dict(hand), dict(finger), "palm", prefix="a_", pose=place)
        self.assertIs(hand.attach(self.client, finger, "palm", prefix="a_", pose=place), hand)
        self.assertEqual(hand, same)
        self.assertEqual([link["name"] for link in hand["links"]], ["palm", "a_arm"])
        hand.add(models.load("a_arm", wrench=[0, 0, 0, 0, 0, -1]))
        self.assertEqual(self.client.models.put(hand)["channels"], ["a_cable"])
        q = [0.05, 1.0, 0.5, 0.2]
        self.assertGreater(len(hand.preview(self.client).data), 3000)
        self.assertNotEqual(hand.preview(self.client, q).data, hand.preview(self.client).data)
        with self.assertRaisesRegex(tendril.InvalidArgument, "did you mean"):
            hand.add(models.load("A_arm", wrench=[0] * 6)).preview(self.client)

    def test_a_word_where_a_list_may_stand_is_one_thing(self):
        swing = {"model": "pendulum", "kind": "dynamics", "t_end": 0.1, "inputs": {"motor": 1}, "output": {"dt": 0.05, "fields": ["q", "energy"]}}
        job = self.client.submit(swing).wait()
        self.assertEqual(set(job.result("energy")), {"t", "energy"})
        at = self.client.gradient(swing, "/job/inputs/motor", {"field": "q", "target": 1})
        self.assertEqual((at.gradient.shape, at.parameters[0]["path"]), ((1,), "/job/inputs/motor"))
        named = self.client.gradient(swing, {"pull": "/job/inputs/motor"}, [{"field": "q", "target": 1}])
        self.assertEqual((named.parameters[0]["name"], named.gradient[0]), ("pull", at.gradient[0]))
        with self.assertRaises(tendril.InvalidArgument) as caught:
            self.client.gradient(swing, "/job/inputs/motor", "q")
        self.assertEqual(caught.exception.pointer, "/objective/0")

    def test_names_that_are_not_there_are_answered_with_those_that_are(self):
        hang = {"model": "pendulum", "kind": "statics", "inputs": {"motor": [1, 2]}}
        by = ["/job/inputs/motor", {"path": "/model/links/0/body/mass", "name": "m"}]
        result = self.client.run(hang, sensitivity={"parameters": by})
        for name in ("m", "mass", "/model/links/0/body/mass"):
            np.testing.assert_array_equal(result.sensitivity("q", name), result["sensitivity:q"][..., 2])
        cases = [(lambda: result.sensitivity("q", "motor"), "motor; there are: /job/inputs/motor/0, /job/inputs/motor/1, m"),
                 (lambda: result.sensitivity("qd"), "qd; there are derivatives of: q"), (lambda: self.client.run(hang).sensitivity("q"), "has no `sensitivity`")]
        found = self.client.fit((hang, tendril.record("q", [[0.1], [0.2]], sigma=0.1)), {"/model/links/0/body/mass": {"name": "m"}}, "pendulum")
        self.assertEqual((found["m"], found["mass"]), (found.values["m"],) * 2)
        self.assertEqual(found.deviations["mass"], found.deviations["m"])
        cases += [(lambda: found["weight"], "weight; there are: m"), (lambda: found.deviations["weight"], "weight; there are: m")]
        for look, said in cases:
            with self.assertRaisesRegex(KeyError, said):
                look()

    def test_a_job_is_found_by_its_first_or_last_characters(self):
        one, other = (self.client.submit({"model": "pendulum", "kind": "statics", "inputs": {"motor": 1}}) for _ in range(2))
        for part in (one.id[-10:], one.id[:-1] if other.id[:-1] != one.id[:-1] else one.id, one.id.upper()):
            self.assertEqual(self.client.job(part).id, one.id)
        for part, error, said in ((one.id[:4], tendril.InvalidArgument, "several jobs' ids begin"), ("abc", tendril.InvalidArgument, "at least 4"),
                                  ("0000000000", tendril.NotFound, "of the newest 1000 none ends so"), ("none", tendril.NotFound, "from 8 of them on")):
            with self.assertRaisesRegex(error, said):
                self.client.job(part)

    def test_records_without_a_number_are_refused_before_they_are_sent_and_by_the_server(self):
        with self.assertRaisesRegex(tendril.InvalidArgument, "the record of q has no number"):
            tendril.record("q", [[np.nan], [np.nan]])
        with self.assertRaisesRegex(tendril.InvalidArgument, "infinite"):
            tendril.record("q", [[0.1], [np.inf]])
        hang, mass = {"kind": "statics", "inputs": {"motor": [1, 2]}}, "/model/links/0/body/mass"
        with self.assertRaisesRegex(tendril.InvalidArgument, "no data: every number of this record is missing") as caught:
            self.client.fit((hang, {"field": "q", "value": [None, None]}), mass, "pendulum")
        self.assertEqual(caught.exception.pointer, "/of/0/data/0/value")
        with self.assertRaisesRegex(tendril.InvalidArgument, "jobs of kind fit; a design has none") as caught:
            self.client.design({**hang, "model": "pendulum"}, {"/job/inputs/motor/0": {"prior": {"value": 1, "sigma": 1}}}, {"field": "q", "target": 1})
        self.assertEqual(caught.exception.pointer, "/parameters/0/prior")

    def test_a_client_that_nobody_closes_closes_itself(self):
        script = ("import sys, threading; sys.path.insert(0, sys.argv[2]); import tendril\n"
                  "clients = [tendril.Client(sys.argv[1]) for _ in range(2)]\n"
                  "for client in clients: client.example('cdm')\n"
                  "thread = threading.Thread(target=lambda: clients[0].example('cdm')); thread.start(); thread.join()\n"
                  "clients.pop()\n")
        done = subprocess.run([sys.executable, "-W", "always", "-c", script, self.url, PYTHON], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")

    def test_a_job_whose_warning_is_made_an_error_is_not_lost(self):
        odd = {**pendulum(name="heavy"), "gravity": [0, 0, -9810]}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(tendril.TendrilWarning) as caught:
                self.client.submit(model=odd, kind="statics")
            self.assertEqual(caught.exception.job.wait().state, "succeeded")  # told once

    def test_warnings_name_the_line_that_called_however_deep_the_client_was(self):
        odd = {**pendulum(name="line"), "gravity": [0, 0, -9810]}
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            self.client.run(model=odd, kind="statics")
            self.client.sweep({"model": odd, "kind": "statics", "inputs": {"motor": 1}}, {"/job/inputs/motor": [1, 2]}).wait()
        self.assertEqual({one.filename for one in seen}, {__file__})
        self.assertEqual(len({one.lineno for one in seen}), 2)
        with self.assertRaisesRegex(AttributeError, "a method of a connection"):
            tendril.import_urdf
        with self.assertRaisesRegex(AttributeError, "has no attribute 'nothing'"):
            tendril.nothing

    def test_what_is_odd_is_told_once_as_a_warning_on_both_faces(self):
        odd = {**pendulum(name="odd"), "gravity": [0, 0, -9810]}
        lossy = {"model": "odd", "kind": "dynamics", "t_end": 1, "initial": {"q": [1.5]},
                 "integrator": {"method": "euler_implicit", "h": 0.05}}
        for url in (self.url, "grpc://" + self.server.ready["grpc"]):
            with self.subTest(url=url), tendril.Client(url) as client:
                with self.assertWarns(tendril.TendrilWarning) as told:
                    stored = client.models.put(odd)
                self.assertEqual((told.warning.code, told.warning.pointer), ("odd_gravity", "/gravity"))
                self.assertEqual(told.filename, __file__)
                self.assertEqual([w["code"] for w in stored["warnings"]], ["odd_gravity"])
                with warnings.catch_warnings(record=True) as seen:
                    warnings.simplefilter("always")
                    job = client.submit(lossy)
                    self.assertEqual([(w.message.code, w.message.pointer) for w in seen], [("odd_gravity", "/model/gravity")])
                    job.wait()
                    self.assertEqual([w.message.code for w in seen], ["odd_gravity", "energy_error"])
                self.assertEqual([w["code"] for w in job.warnings], ["energy_error", "odd_gravity"])
                job.result()  # was told already
                with warnings.catch_warnings(record=True) as seen:
                    warnings.simplefilter("always")
                    client.job(job.id).result(fields=["t"])
                self.assertEqual([w.message.code for w in seen], ["energy_error", "odd_gravity"])
                self.assertEqual({w.filename for w in seen}, {__file__})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.client.submit(model="pendulum", kind="dynamics", t_end=1, initial={"q": [1.5]}).wait()

    def test_jobs_that_failed_at_their_end_are_exceptions_with_the_reason_and_keep_what_they_computed(self):
        job = self.client.submit(model="pendulum", kind="statics", inputs={"motor": [1, 50]})
        with self.assertRaises(tendril.JobFailed) as raised:
            job.wait()
        self.assertEqual(raised.exception.code, "unconverged")
        self.assertIn("1 of 2 problems have no solution; the first, number 1", str(raised.exception))
        with self.assertRaises(tendril.JobFailed):
            job.result()
        np.testing.assert_array_equal(np.isnan(job.result(partial=True)["q"][:, 0]), [False, True])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lossy = self.client.submit(model="pendulum", kind="dynamics", t_end=1, initial={"q": [1.5]}, on_inconsistency="fail",
                                       integrator={"method": "euler_implicit", "h": 0.05})
            with self.assertRaises(tendril.JobFailed) as raised:
                lossy.wait()
        self.assertEqual((raised.exception.code, raised.exception.pointer), ("inconsistent", "/integrator"))
        self.assertEqual([w["code"] for w in raised.exception.job.warnings], ["energy_error"])
        self.assertEqual(len(lossy.result(partial=True)["t"]), 101)

    def test_a_job_that_was_cancelled_is_an_exception_to_those_who_wait(self):
        self.client.models.put(soft_arm())
        job = self.client.submit(long_job("soft"))
        with self.assertRaises(tendril.NotReady):
            job.result()
        with self.assertRaises(TimeoutError):
            job.wait(timeout=0.05)
        job.cancel()
        with self.assertRaises(tendril.JobFailed) as caught:
            job.wait()
        self.assertEqual((caught.exception.code, caught.exception.job.state), ("cancelled", "cancelled"))
        with self.assertRaises(tendril.JobFailed):
            job.result()

    def test_children_of_a_sweep_come_in_the_order_of_their_values(self):
        job = self.client.sweep({"model": "pendulum", "kind": "statics", "inputs": {"motor": 0}}, {"/job/inputs/motor": [0, 1, 2]})
        rows = job.wait().result().summary["jobs"]
        self.assertEqual([child.id for child in job.children()], [row["id"] for row in rows])

    def test_values_of_a_sweep_arrive_as_they_are_and_what_is_no_list_is_said_with_its_place(self):
        base, motor = {"model": "pendulum", "kind": "statics", "inputs": {"motor": 0}}, "/job/inputs/motor"
        def values(given):
            job = self.client.sweep(base, {motor: given})
            return [row["values"][0] for row in job.wait().result().summary["jobs"]]
        for given in ([0, 1.5], (0, 1.5), np.array([0, 1.5]), [np.float64(0), np.int64(1)], iter([0.0, 1.0])):
            self.assertEqual(values(given)[0], 0)
        mixed = [1, {"type": "ramp", "t": np.array([0.0, 1.0]), "value": [0, 1]}]  # not two strings, not an array of objects
        with self.assertRaises(tendril.InvalidArgument) as caught:  # the server reads them as they were given: statics has no time
            values([{"type": "nonsense"}, *mixed])
        self.assertRegex(caught.exception.pointer, r"^/(vary/0/values/0|base/inputs/motor)")
        ragged = self.client.sweep({"model": "pendulum", "kind": "statics", "inputs": {"motor": [0]}}, {motor: [[0, 1], [2]]})
        self.assertEqual([row["rows"] for row in ragged.wait().result().summary["jobs"]], [2, 1])
        for given, place in (("012", "/values"), (np.str_("3"), "/values"), (3, "/values"), (np.array(3.0), "/values"), ({"a": 1}, "/values"), (None, "/values"),
                             (np.array([1j]), "/values"), (np.array([b"x"]), "/values"), ([0, float("nan")], "/values/1"), ([b"x"], "/values/0")):
            with self.assertRaises(tendril.InvalidArgument, msg=repr(given)) as caught:
                self.client.sweep(base, {"/job/t_end": [1], motor: given})
            self.assertEqual(caught.exception.pointer, "/vary/1" + place, repr(given))
        for vary, place in (([{"path": motor, "values": [1]}], "/vary"), ({3: [1]}, "/vary/0/path")):
            with self.assertRaises(tendril.InvalidArgument) as caught:
                self.client.sweep(base, vary)
            self.assertEqual(caught.exception.pointer, place)
        with self.assertRaises(tendril.InvalidArgument) as caught:
            self.client.sweep(base, {motor: np.array(["a", "b"])})
        self.assertTrue(caught.exception.pointer)

    def test_a_result_that_was_saved_is_the_result(self):
        result = self.client.run(model="pendulum", kind="dynamics", t_end=1, initial={"q": np.array([0.5])})
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.npz")
            result.save(path)
            again = tendril.Result.load(path)
        self.assertEqual(again.summary, result.summary)
        self.assertEqual({name: value.tobytes() for name, value in again.items()}, {name: value.tobytes() for name, value in result.items()})

    def test_answers_at_a_rod_turned_inside_out_are_told(self):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = self.client.evaluate(ram(), [[0.0], [-1.2], [-0.5]], want="tau")
            fine = self.client.evaluate(ram(), [0.0], want="tau")
            with self.client.stream(ram(), want="tau") as at:
                kept = at([-1.5])
        told = [one for one in said if isinstance(one.message, tendril.TendrilWarning) and one.message.code == "inside_out"]
        self.assertEqual([one.message.pointer for one in told], ["/states/1/q", "/q" if "grpc" in self.url else "/states/0/q"])
        self.assertEqual([os.path.basename(one.filename) for one in told][0], os.path.basename(__file__))
        self.assertEqual([one["pointer"] for one in found.warnings if one["code"] == "inside_out"], ["/states/1/q"])
        self.assertEqual([one["code"] for one in kept.warnings if one["code"] == "inside_out"], ["inside_out"])
        self.assertEqual([one for one in fine.warnings if one["code"] == "inside_out"], [])
        self.assertEqual((list(found), found["tau"].shape), (["tau"], (3, 1)))

    def test_asyncio_clients_do_the_same(self):
        async def work():
            async with tendril.AsyncClient(self.url) as client:
                found = await asyncio.gather(*(client.evaluate("pendulum", [0.1 * k]) for k in range(20)))
                job = await client.submit(model="pendulum", kind="dynamics", t_end=1, initial={"q": [0.5]})
                events = [event async for event in job.events()]
                result = await (await job.wait()).result()
                jobs = [job.id async for job in client.jobs(limit=1)]
                async with client.stream("pendulum", want="fd") as at:
                    streamed = [await at([0.1 * k]) for k in range(3)]
                return found, events, result, jobs, job.id, streamed
        found, events, result, jobs, job, streamed = asyncio.run(work())
        for one, other in zip(streamed, found):
            self.assertEqual(one["fd"].tobytes(), other["fd"].tobytes())
        for k, one in enumerate(found):
            self.assertEqual(one["fd"].tobytes(), self.client.evaluate("pendulum", [0.1 * k])["fd"].tobytes())
        self.assertEqual((events[0]["state"], events[-1]["state"]), ("queued", "succeeded"))
        self.assertEqual(result.t[-1], 1)
        self.assertIn(job, jobs)

    def test_an_answer_that_is_lost_makes_no_second_job(self):
        lose = iter([0, 0])  # the first two submissions get through, their acknowledgements do not
        relay = Relay(self.server.port, lambda number, request: next(lose, None) if request.startswith("POST /v1/jobs") else None)
        with tendril.Client(relay.url) as client:
            client.version()  # reached once
            before = len(list(self.client.jobs(kind="statics")))
            job = client.submit(model="pendulum", kind="statics")
            self.assertEqual(job.wait(timeout=60).state, "succeeded")
        self.assertEqual(len(list(self.client.jobs(kind="statics"))), before + 1)
        self.assertEqual(sum(request.startswith("POST /v1/jobs") for request in relay.requests), 3)

    def test_events_are_taken_up_behind_the_last_one(self):
        cuts = iter([700, 900])  # bytes: somewhere inside the first events
        relay = Relay(self.server.port, lambda number, request: next(cuts, None) if "/events" in request else None)
        job = self.client.submit(model="pendulum", kind="dynamics", t_end=1).wait()
        whole = list(job.events())
        with tendril.Client(relay.url) as client:
            client.version()
            found = list(client.job(job.id).events())
        self.assertEqual(found, whole)
        asked = [re.search(r"Last-Event-ID: (\d+)", request)[1] for request in relay.requests if "/events" in request]
        self.assertEqual(asked[0], "0")
        self.assertGreater(len(asked), 1)
        self.assertGreater(int(asked[-1]), 0)

    def rpc(self):
        if not self.server.ready["grpc"]:
            self.skipTest("this server has no gRPC")
        if not importlib.util.find_spec("grpc"):
            self.skipTest("there is no python3-grpcio")
        client = tendril.Client("grpc://" + self.server.ready["grpc"])
        self.addCleanup(client.close)
        return client

    def test_batches_and_streams_over_grpc_have_the_bits_of_http(self):
        rpc, random = self.rpc(), np.random.default_rng(6)
        self.client.models.put(soft_arm())
        q, qd, u = random.normal(0, 0.3, (100, 24)), random.normal(0, 1, (100, 24)), random.uniform(0, 5, (100, 1))
        want = ["fd", "dfd_dq", "dfd_du", "energy", "poses"]
        http, batch = (client.evaluate("soft", q, qd, u, want=want) for client in (self.client, rpc))
        self.assertEqual(sorted(http), sorted(batch))
        for name in http:
            self.assertEqual(http[name].tobytes(), batch[name].tobytes(), name)
        for client in (self.client, rpc):
            with client.stream("soft", want=want) as at:
                for row in range(100):
                    now = at(q[row], qd[row], u[row])
                    for name in http:
                        self.assertEqual(now[name].tobytes(), http[name][row].tobytes(), name)

    def test_steps_have_the_same_bits_on_both_faces_and_in_streams(self):
        client, random = self.rpc(), np.random.default_rng(5)
        self.client.models.put(self.client.example("cdm")["model"])
        q, qd, want = 0.02 * random.standard_normal((2, 24)), np.zeros((2, 24)), ["x_next", "dx_next_dx", "dx_next_du"]
        for step in (0.01, {"h": 0.01, "method": "newmark", "substeps": 2}):
            theirs, ours = (one.evaluate("cdm", q, qd, [5.0] * 5, want=want, step=step) for one in (self.client, client))
            self.assertEqual([theirs[key].shape for key in want], [(2, 48), (2, 48, 48), (2, 48, 5)])
            for face in (self.client, client):
                with face.stream("cdm", want=want, step=step) as at:
                    for k in range(2):
                        one = at(q[k], qd[k], [5.0] * 5)
                        for key in want:
                            self.assertEqual((theirs[key][k].tobytes(), ours[key][k].tobytes()), (one[key].tobytes(),) * 2, key)
        ahead = [self.client.evaluate("cdm", x, qd[0], [5.0] * 5, want="x_next", step=0.01)["x_next"] for x in (q[0] + 1e-6, q[0] - 1e-6)]
        known = self.client.evaluate("cdm", q[0], qd[0], [5.0] * 5, want=want, step=0.01)
        np.testing.assert_allclose((ahead[0] - ahead[1]) / 2e-6, known["dx_next_dx"][:, :24].sum(axis=1), rtol=1e-5, atol=1e-4)
        with self.assertRaises(tendril.InvalidArgument) as caught:
            client.evaluate("cdm", q[0], want="x_next", step=-1)
        self.assertEqual(caught.exception.pointer, "/step/h")

    def test_parameters_and_products_have_the_same_bits_on_both_faces_and_in_streams(self):
        client, random = self.rpc(), np.random.default_rng(4)
        self.client.models.put(self.client.example("cdm")["model"])
        parameters = {"E": "/model/links/0/body/material/young", "radius": "/model/links/0/body/section/radius"}
        q, want = 0.1 * random.standard_normal((3, 24)), ["dfd_dp", "dposes_dp"]
        said = {"parameters": parameters, "want": want}
        factors = {"jvp": {"q": random.standard_normal((3, 24)), "p": [1e3, 0, 1e-3]}, "vjp": random.standard_normal(24)}
        theirs, ours = (one.evaluate("cdm", q, u=[5.0] * 5, **factors, **said) for one in (self.client, client))
        self.assertEqual({"dfd_dp": (3, 24, 3), "jvp": (3, 24), "vjp/p": (3, 3), "vjp/u": (3, 5)}, {key: theirs[key].shape for key in ("dfd_dp", "jvp", "vjp/p", "vjp/u")})
        self.assertEqual([one["name"] for one in theirs.parameters], ["E", "radius[0]", "radius[1]"])
        self.assertEqual([one["way"] for one in theirs.parameters], ["affine", "differences", "differences"])
        self.assertEqual((set(theirs), theirs.parameters), (set(ours), ours.parameters))
        for face in (self.client, client):
            with face.stream("cdm", **said) as at:
                for k in range(3):
                    state = {"jvp": {"q": factors["jvp"]["q"][k], "p": factors["jvp"]["p"]}, "vjp": factors["vjp"]} if k != 1 else {}
                    one = at(q[k], u=[5.0] * 5, **state)  # products come and go with the states
                    self.assertEqual((one.parameters, "jvp" in one), (theirs.parameters, bool(state)))
                    for key in one:
                        self.assertEqual((theirs[key][k].tobytes(), ours[key][k].tobytes()), (one[key].tobytes(),) * 2, key)
        only = client.evaluate("cdm", q[0], parameters="/model/gravity", want="did_dp")
        self.assertEqual((only["did_dp"].shape, only.parameters[0]["name"]), ((24, 3), "/model/gravity/0"))
        with self.assertRaises(tendril.InvalidArgument) as caught:
            client.evaluate("cdm", q[0], parameters=["/model/links/0/body/quadrature/points"], want="did_dp")
        self.assertEqual(caught.exception.pointer, "/parameters/0")

    def test_a_stream_over_grpc_keeps_its_order_and_goes_on_behind_a_bad_state(self):
        rpc = self.rpc()
        with rpc.stream("pendulum", want="fd") as at:
            for k in range(50):
                at.send([0.1 * k] if k != 20 else [1.0, 2.0])
            for k in range(50):
                if k == 20:
                    with self.assertRaises(tendril.StateError) as caught:
                        at.receive()
                    self.assertEqual((caught.exception.pointer, caught.exception.index), ("/q", 20))
                else:
                    self.assertEqual(at.receive()["fd"].tobytes(), self.client.evaluate("pendulum", [0.1 * k])["fd"].tobytes())

    def test_the_control_loop_runs_over_a_stream(self):
        self.rpc()
        path = os.path.join(PYTHON, "examples", "control_loop.py")
        done = run_python(path, "grpc://" + self.server.ready["grpc"], os.path.dirname(path), "--steps", "20")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_server_that_was_never_there_is_not_waited_for(self):
        with tendril.Client("http://127.0.0.1:1", patience=3600) as client, self.assertRaises(tendril.Unreachable):
            client.version()

    def test_kept_connections_survive_a_restart_of_the_server(self):
        server = Server()
        try:
            relay = Relay(server.port)
            with tendril.Client(relay.url) as client:
                client.models.put(pendulum())
                server.kill()
                server.start()
                relay.port = server.port
                self.assertEqual(client.models.get("pendulum")["revision"], 1)
        finally:
            server.close()


if __name__ == "__main__":
    main()
