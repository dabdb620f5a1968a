"""The `tendril` command and a server to call, for tests."""
import contextlib
import http.server
import json
import os
import signal
import subprocess
import tempfile
import threading
import unittest
import urllib.request

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


@contextlib.contextmanager
def answering(replies):
    """The address of a server that says the first of `replies` (type, body) whose path's end is the one asked."""
    class Reply(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            kind, body = next(reply for end, reply in replies.items() if self.path.split("?")[0].endswith(end))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Reply)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{listener.server_address[1]}"
    listener.shutdown()
    listener.server_close()


def binary(data):
    return data[:4] in (b"PK\3\4", b"\x89PNG")


class Place(unittest.TestCase):
    """A server for the tests of a class, a folder of its own for each of them, and the command called in it."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.server = Server(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        status = cls.server.stop()
        with open(os.path.join(cls.folder.name, "server.log"), encoding="utf-8", errors="replace") as log:
            text = log.read()
        cls.folder.cleanup()
        assert status == 0 and "Sanitizer" not in text, text[-4000:]

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
                              env={**os.environ, "TENDRIL_URL": url or self.server.url}, check=False,
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
