"""Runs real servers for tests from outside: starts tendrild on a free port, talks HTTP to it, kills what must be killed.

Standard library and numpy only. TENDRIL_BIN is the folder of the binaries, TENDRIL_SOURCE the checkout.
"""
import functools
import hashlib
import http.client
import io
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

BIN = os.environ.get("TENDRIL_BIN", "build/dev/bin")
SOURCE = os.environ.get("TENDRIL_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))


def example(name):
    with open(os.path.join(SOURCE, "api", "examples", name), encoding="utf-8") as file:
        return json.load(file)


def ram():
    """A rod that q = [-1] pushes to no length."""
    return {"format": "tendril.model/1", "name": "ram", "links": [{"name": "ram", "joint": {"type": "fixed"}, "body": {
        "type": "rod", "length": 1, "section": {"shape": "circle", "radius": 0.01}, "material": {"young": 1e7, "poisson": 0.3, "density": 1000},
        "strain": {"basis": "legendre", "order": {"elongation": 0}}}}]}


def pendulum(**changes):
    """A planar pendulum: 1 degree of freedom, closed-form values."""
    link = {
        "name": "arm",
        "joint": {"type": "revolute", "axis": "y"},
        "body": {"type": "rigid", "mass": 2.0, "com": [0, 0, -0.5], "inertia": [0.1, 0.1, 0.01]},
    }
    model = {"format": "tendril.model/1", "name": "pendulum", "gravity": [0, 0, -9.81], "links": [link],
             "actuators": [{"name": "motor", "type": "joint", "link": "arm", "mode": "force"}]}
    return {**model, **changes}


def soft_arm(order=4, name="soft", points=5):
    """A hanging rod of soft material with one tendon: stiff enough to keep an integrator busy."""
    basis = {"torsion": order, "bending_y": order, "bending_z": order, "elongation": 2, "shear_y": 2, "shear_z": 2}
    rod = {"type": "rod", "length": 0.5, "section": {"shape": "circle", "radius": [0.03, 0.015]},
           "material": {"young": 1e6, "poisson": 0.5, "density": 1000, "viscosity": 1e4},
           "strain": {"basis": "legendre", "order": basis}, "quadrature": {"points": points}}
    cable = {"name": "cable", "type": "tendon", "link": "arm",
             "routing": {"type": "linear", "base": [0, 0.03], "tip": [0, 0.015]}}
    return {"format": "tendril.model/1", "name": name, "gravity": [0, 0, -9.81],
            "links": [{"name": "arm", "pose": {"rpy": [0, 1.5707963267948966, 0]}, "joint": {"type": "fixed"}, "body": rod}],
            "actuators": [cable]}


def fixed_step_job(model, t_end, h):
    return {"model": model, "kind": "dynamics", "t_end": t_end,
            "inputs": {"cable": {"type": "sine", "amplitude": 5, "offset": 5, "frequency": 0.5}},
            "integrator": {"method": "newmark", "h": h}, "output": {"dt": 0.05, "fields": ["q", "poses:arm@1"]}}


@functools.lru_cache(maxsize=None)
def pace():
    """Steps a second of this build on this machine: sanitized ones are a hundred times slower than released ones."""
    with tempfile.TemporaryDirectory() as folder:
        model, job, out = (os.path.join(folder, name) for name in ("model.json", "job.json", "out.npz"))
        steps = 400
        while True:
            for path, document in ((model, soft_arm()), (job, fixed_step_job("soft", 1.0, 1.0 / steps))):
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(document, file)
            start = time.monotonic()
            subprocess.run([os.path.join(BIN, "tendril-worker"), "--local", model, job, "-o", out], check=True,
                           stderr=subprocess.DEVNULL)
            taken = time.monotonic() - start
            if taken > 0.3:
                return steps / taken
            steps *= 4


def long_job(model, t_end=40.0):
    """Takes about 0.4 s of computing for a second of t_end, whatever the build and the machine."""
    most_steps = 1.5e8  # the engine refuses more than 2e8
    return fixed_step_job(model, t_end, max(min(0.0005, 1 / (0.4 * pace())), t_end / most_steps))


def npz(**members):
    out = io.BytesIO()
    np.savez(out, **members)
    return out.getvalue()


def schema_of(folder):
    return "s" + hashlib.sha256(os.path.realpath(folder).encode()).hexdigest()[:20]


def ask_database(sql):
    """What the PostgreSQL server of tests/support/with_postgresql.py answers, as lines of columns between |."""
    where = dict(word.split("=") for word in os.environ["TENDRIL_TEST_POSTGRESQL"].split("&"))
    return subprocess.run(["psql", "-h", where["host"], "-p", where["port"], "-U", "postgres", "-AtqXc", sql], check=True, capture_output=True,
                          text=True).stdout.strip()


def in_schema(folder, sql):
    """The same of what a server with this data folder keeps in it."""
    return ask_database(f"SET search_path = {schema_of(folder)}; {sql}")


def store_flags(folder):
    """Where a server with this data folder keeps its rows: nothing to say, or a schema of its own in the PostgreSQL server of
    tests/support/with_postgresql.py --servers."""
    if os.environ.get("TENDRIL_TEST_STORE") != "postgresql":
        return []
    schema = schema_of(folder)
    ask_database(f"SET client_min_messages = warning; CREATE SCHEMA IF NOT EXISTS {schema}")
    return ["--store", f"postgresql://postgres@/postgres?{os.environ['TENDRIL_TEST_POSTGRESQL']}&options=-csearch_path%3D{schema}"]


in_a_folder = unittest.skipIf(os.environ.get("TENDRIL_TEST_STORE"), "it looks into the database of a data folder")


def make_token(folder, scope, name=None):
    """A token of a data folder whose server is stopped."""
    done = subprocess.run([os.path.join(BIN, "tendrild"), "token", "create", "--data", folder, *store_flags(folder), "--scope", scope, "--name",
                           name or scope], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def make_certificate(folder, name, at=None):
    """A certificate for localhost and its key, good for 30 days from now, or from the day `at`."""
    certificate, key = (os.path.join(folder, f"{name}.{kind}.pem") for kind in ("cert", "key"))
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "30",
               "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,DNS:tendril.test,IP:127.0.0.1"]
    subprocess.run((["faketime", at] if at else []) + command, check=True, capture_output=True)
    return certificate, key


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    def npz(self):
        return np.load(io.BytesIO(self.body), allow_pickle=False)


class Server:
    """A running tendrild. Its log is collected in a file; a sanitizer's report in it fails the test."""

    def __init__(self, folder=None, *flags, workers=1, environment=None, prefix=(), token=None, tls=None):
        """`token` goes with every request; `tls` is the certificate that the server shows."""
        self.own, self.token = None, token
        self.context = ssl.create_default_context(cafile=tls) if tls else None
        if folder is None:
            self.own = tempfile.TemporaryDirectory(prefix="tendril-test-")
            folder = os.path.join(self.own.name, "data")
        self.folder, self.flags, self.workers, self.environment, self.prefix = folder, flags, workers, environment, prefix
        self.log_file = tempfile.TemporaryFile(mode="a+b")
        self.process = None
        self.start()

    def command(self):
        return [*self.prefix, os.path.join(BIN, "tendrild"), "--data", self.folder, *store_flags(self.folder), "--http", "127.0.0.1:0", "--grpc",
                "127.0.0.1:0", "--workers", str(self.workers), *self.flags]

    def start(self):
        if self.process:
            self.process.stdout.close()
        self.process = subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=self.log_file,
                                        env={**os.environ, **(self.environment or {})})
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("tendrild did not start: " + self.log())
        self.ready = json.loads(line)
        self.host, port = self.ready["http"].rsplit(":", 1)
        self.port = int(port)

    def log(self):
        descriptor = self.log_file.fileno()
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode("utf-8", "replace")

    def wait_for_log(self, text, timeout=30, times=1):
        """A request is logged after its answer is sent. `times`: of all starts together."""
        end = time.monotonic() + timeout
        while self.log().count(text) < times and time.monotonic() < end:
            time.sleep(0.01)
        assert self.log().count(text) >= times, f"no {text} in the log: {self.log()}"

    def connect(self, timeout=120):
        if self.context:
            return http.client.HTTPSConnection(self.host, self.port, timeout=timeout, context=self.context)
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def request(self, method, path, body=None, headers=None, timeout=120):
        connection = self.connect(timeout)
        try:
            return self.request_on(connection, method, path, body, headers)
        finally:
            connection.close()

    def request_on(self, connection, method, path, body=None, headers=None):
        headers = dict(headers or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        if self.token:
            headers.setdefault("Authorization", "Bearer " + self.token)
        connection.request(method, path, body, headers)
        reply = connection.getresponse()
        return Reply(reply.status, reply.headers, reply.read())

    def raw(self, data, timeout=10, half_close=False):
        """Sends bytes as they are; returns everything that comes back until the server closes or `timeout` is over."""
        with socket.create_connection((self.host, self.port), timeout=timeout) as s:
            s.sendall(data)
            if half_close:
                s.shutdown(socket.SHUT_WR)
            answer = b""
            try:
                while chunk := s.recv(65536):
                    answer += chunk
            except (socket.timeout, ConnectionResetError):
                pass
            return answer

    def submit(self, job):
        reply = self.request("POST", "/v1/jobs", job)
        assert reply.status == 202, reply.body
        return reply.json()["id"]

    def job(self, job_id):
        reply = self.request("GET", f"/v1/jobs/{job_id}")
        assert reply.status == 200, reply.body
        return reply.json()

    def wait(self, job_id, states=("succeeded", "failed", "cancelled"), timeout=240):
        """Asks more rarely the longer it takes: answers cost sanitized servers what the job could have."""
        start = time.monotonic()
        while (waited := time.monotonic() - start) < timeout:
            job = self.job(job_id)
            if job["state"] in states:
                return job
            time.sleep(min(max(0.02, waited / 20), 0.25))
        raise AssertionError(f"job {job_id} is {job['state']} after {timeout} s: {self.log()}")

    def wait_for_progress(self, job_id, fraction=0.0, timeout=120):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            job = self.job(job_id)
            assert job["state"] in ("queued", "running"), job
            if job["state"] == "running" and job["progress"]["fraction"] > fraction:
                return job
            time.sleep(0.01)
        raise AssertionError("no progress: " + self.log())

    def workers_running(self):
        """Process ids of the children of the server."""
        pids = []
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{task}/children", encoding="ascii") as file:
                pids += [int(pid) for pid in file.read().split()]
        return pids

    def alive(self):
        return self.process.poll() is None and self.request("GET", "/healthz").status == 200

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self, timeout=60):
        """SIGTERM, as an operator stops it; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout)

    def close(self):
        code = 0
        if self.process.poll() is None:
            try:
                code = self.stop()
            except subprocess.TimeoutExpired:
                self.kill()
                raise AssertionError("the server did not stop: " + self.log())
        self.process.stdout.close()
        self.last_log = log = self.log()
        self.log_file.close()
        if self.own:
            self.own.cleanup()
        for trouble in ("AddressSanitizer", "LeakSanitizer", "runtime error:", "ThreadSanitizer"):
            assert trouble not in log, log
        assert code in (0, -signal.SIGKILL), f"exit code {code}: {log}"


class ServerTest(unittest.TestCase):
    """A test case with one server for all its tests, which must be alive after each of them."""

    flags = ()
    workers = 1

    @classmethod
    def setUpClass(cls):
        cls.server = Server(None, *cls.flags, workers=cls.workers)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def tearDown(self):
        self.assertTrue(self.server.alive(), self.server.log())

    def assert_problem(self, reply, status, code, pointer=None, words=()):
        """The reply is a problem document of this status and code, about this place, with these words in its detail."""
        self.assertEqual(reply.status, status, reply.body[:2000])
        self.assertEqual(reply.headers["Content-Type"], "application/problem+json")
        problem = reply.json()
        self.assertEqual(problem["status"], status)
        self.assertEqual(problem["code"], code, problem)
        self.assertTrue(problem["title"] and problem["type"] and problem["detail"], problem)
        self.assertEqual(problem["request_id"], reply.headers["X-Request-Id"])
        if pointer is not None:
            self.assertEqual(problem.get("pointer"), pointer, problem)
        for word in words:
            self.assertIn(word, problem["detail"])
        return problem


def can_mount():
    return os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "mount", "--bind", "/", "/"], check=False,
                                                capture_output=True).returncode == 0


def is_sanitized():
    """Such programs want the libraries of their compiler, which an image has not."""
    return "libasan" in subprocess.run(["ldd", os.path.join(BIN, "tendrild")], check=True, capture_output=True, text=True).stdout


def main():
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
