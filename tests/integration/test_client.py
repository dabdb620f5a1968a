"""The C client library: installed and linked as a user does it, and held against connections that break.

Breaking is done by a relay between the client and a real server: it cuts what the server sends after so many bytes, swallows
answers, and goes on to another port when the server was started again."""
import json
import os
import re
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import numpy as np
from harness import BIN, SOURCE, Server, long_job, main, make_certificate, make_token, pendulum, soft_arm

TENDRIL = os.path.join(os.path.abspath(BIN), "tendril")
BUILD = os.path.dirname(os.path.abspath(BIN))
CLIENT = os.path.join(os.path.abspath(SOURCE), "clients", "c")


def cache_entry(name):
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as cache:
        for line in cache:
            if line.startswith(name + ":"):
                return line.split("=", 1)[1].strip()
    return ""


class Relay:
    """Forwards connections to `port`. `cut(number, request)` gives the bytes of answer to let through, None for all."""

    def __init__(self, port, cut=lambda number, request: None):
        self.port, self.cut, self.count, self.requests = port, cut, 0, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        """One request per connection, so that every one passes `cut`: Connection: close is put into its head."""
        with client:
            head = b""
            while b"\r\n\r\n" not in head:
                chunk = client.recv(65536)
                if not chunk:
                    return
                head += chunk
            self.count += 1
            self.requests.append(head.decode("latin-1"))
            left = self.cut(self.count, self.requests[-1])
            try:
                with socket.create_connection(("127.0.0.1", self.port)) as server:
                    server.sendall(head.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
                    threading.Thread(target=self.pour, args=(client, server), daemon=True).start()
                    self.answer(client, server, left)
            except OSError:
                return

    @staticmethod
    def pour(client, server):
        try:
            while chunk := client.recv(65536):
                server.sendall(chunk)
        except OSError:
            return

    @staticmethod
    def answer(client, server, left):
        while chunk := server.recv(65536):
            if left is not None:
                chunk = chunk[:left]
                left -= len(chunk)
            client.sendall(chunk)
            if left == 0:
                client.shutdown(socket.SHUT_RDWR)
                return

    def close(self):
        self.listener.close()


class ClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(None, workers=1)
        for model in (pendulum(), soft_arm()):
            assert cls.server.request("POST", "/v1/models", model).status == 201

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = folder.name

    def path(self, name):
        return os.path.join(self.place, name)

    def relay(self, cut=lambda number, request: None):
        relay = Relay(self.server.port, cut)
        self.addCleanup(relay.close)
        return relay

    def write(self, name, document):
        with open(self.path(name), "w", encoding="utf-8") as stream:
            json.dump(document, stream)

    def start(self, url, *words):
        return subprocess.Popen([TENDRIL, *words, "--url", url], cwd=self.place, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, encoding="utf-8")

    def call(self, url, *words, status=0):
        process = self.start(url, *words)
        out, said = process.communicate(timeout=240)
        self.assertEqual(process.returncode, status, f"{words}\n{out}\n{said}")
        self.assertNotIn("Sanitizer", said)
        return out, said


class Broken(ClientTest):
    def test_a_stream_that_breaks_again_and_again_gives_every_event_once(self):
        job = self.server.submit(long_job("soft", 4))
        relay = self.relay(lambda number, request: 700 if "/events" in request else None)
        out, said = self.call(relay.url, "jobs", "watch", job, "--json")
        events = [json.loads(line) for line in out.splitlines()]
        numbers = [event["seq"] for event in events]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertGreater(sum("/events" in request for request in relay.requests), 2)
        self.assertEqual([e["state"] for e in events if e["event"] == "state"], ["queued", "running", "succeeded"])
        self.assertIn("waiting", said)
        self.assertIn("back", said)

    def test_a_submission_whose_answer_is_lost_makes_one_job(self):
        self.write("job.json", {"model": "pendulum", "kind": "dynamics", "t_end": 0.1, "labels": {"lost": "once"},
                                "output": {"dt": 0.1, "fields": ["q"]}})
        relay = self.relay(lambda number, request: 10 if number <= 2 else None)
        out, _ = self.call(relay.url, "jobs", "submit", "job.json", "--json")
        jobs = self.server.request("GET", "/v1/jobs?label=lost:once").json()["jobs"]
        self.assertEqual([job["id"] for job in jobs], [json.loads(out)["id"]])

    def test_the_same_key_given_twice_gives_the_same_job(self):
        self.write("job.json", {"model": "pendulum", "kind": "dynamics", "t_end": 0.1})
        first = self.call(self.relay().url, "jobs", "submit", "job.json", "--key", "night7")[0]
        self.assertEqual(self.call(self.relay().url, "jobs", "submit", "job.json", "--key", "night7")[0].split()[0],
                         first.split()[0])
        self.write("job.json", {"model": "pendulum", "kind": "dynamics", "t_end": 0.2})
        self.assertIn("idempotency_mismatch",
                      self.call(self.relay().url, "jobs", "submit", "job.json", "--key", "night7", status=1)[1])

    def test_a_download_that_breaks_goes_on_where_it_was(self):
        job = self.server.submit({"model": "pendulum", "kind": "dynamics", "t_end": 10, "initial": {"q": [1]},
                                  "output": {"dt": 0.001, "fields": ["q", "qd", "energy"]}})
        self.server.wait(job)
        whole = self.server.request("GET", f"/v1/jobs/{job}/result", headers={"Accept": "application/x-npz"}).body
        relay = self.relay(lambda number, request: 150000)
        self.call(relay.url, "result", job, "-o", "out.npz")
        with open(self.path("out.npz"), "rb") as stream:
            self.assertEqual(stream.read(), whole)
        self.assertGreater(len(relay.requests), 2)
        self.assertEqual([("Range: bytes=" in r and "If-Range: " in r) for r in relay.requests[:3]], [False, True, True])
        self.assertEqual(os.listdir(self.place), ["out.npz"])

    def test_a_download_that_never_gets_on_leaves_no_file(self):
        job = self.server.submit({"model": "pendulum", "kind": "dynamics", "t_end": 0.1})
        self.server.wait(job)
        relay = self.relay(lambda number, request: 40)
        process = self.start(relay.url, "result", job, "-o", "out.npz")
        while relay.count < 3 and process.poll() is None:
            time.sleep(0.01)
        self.assertIsNone(process.poll(), "it gave up after two tries")
        relay.close()
        relay.port = 9  # connections that are still accepted lead nowhere
        _, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 3, said)
        self.assertEqual(os.listdir(self.place), [])

    def test_a_server_that_was_never_reached_is_not_waited_for(self):
        self.assertIn("no answer", self.call("http://127.0.0.1:9", "jobs", "list", status=3)[1])

    def test_a_server_that_is_none_is_said_to_be_none(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve():
            for answer in (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", b"HTTP/1.1 404 no\r\nContent-Length: 2\r\n\r\nno",
                           b"SSH-2.0-OpenSSH\r\n"):
                connection, _ = listener.accept()
                connection.recv(65536)
                connection.sendall(answer)
                connection.close()

        threading.Thread(target=serve, daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self.assertIn("not JSON", self.call(url, "jobs", "list", status=1)[1])
        self.assertIn("is this a Tendril server?", self.call(url, "jobs", "list", status=1)[1])
        self.assertIn("not the address", self.call(url, "jobs", "list", status=2)[1])


class Restarted(unittest.TestCase):
    def test_run_follows_its_job_over_a_restart_of_the_server(self):
        with tempfile.TemporaryDirectory() as place:
            server = Server(os.path.join(place, "data"), workers=1)
            relay = Relay(server.port)
            self.assertEqual(server.request("POST", "/v1/models", soft_arm()).status, 201)
            with open(os.path.join(place, "job.json"), "w", encoding="utf-8") as stream:
                json.dump(long_job("soft", 6), stream)
            process = subprocess.Popen([TENDRIL, "run", "job.json", "-o", "out.npz", "--url", relay.url], cwd=place,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
            job = next(line.split()[1] for line in process.stderr if " submitted to " in line)  # which model runs is said before
            server.wait_for_progress(job, 0.2)
            server.kill()
            server.start()
            relay.port = server.port
            out, said = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 0, said)
            self.assertIn(job, out)
            self.assertIn("waiting", said)
            with np.load(os.path.join(place, "out.npz"), allow_pickle=False) as result:
                self.assertEqual(result["t"][-1], 6)
            relay.close()
            server.close()


class Linked(ClientTest):
    """What a user does with the installed library."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prefix = tempfile.TemporaryDirectory()
        subprocess.run(["cmake", "--install", BUILD, "--component", "client", "--prefix", cls.prefix.name], check=True,
                       stdout=subprocess.DEVNULL)
        sanitizers = cache_entry("TENDRIL_SANITIZE")
        cls.flags = [f"-fsanitize={sanitizers}"] if sanitizers else []

    @classmethod
    def tearDownClass(cls):
        cls.prefix.cleanup()
        super().tearDownClass()

    def build(self, source, out, *more):
        environment = {**os.environ, "PKG_CONFIG_PATH": os.path.join(self.prefix.name, "lib", "pkgconfig")}
        words = subprocess.run(["pkg-config", "--cflags", "--libs", "tendril_client"], check=True, env=environment,
                               capture_output=True, encoding="utf-8").stdout.split()
        done = subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", *self.flags, source, *words, *more, "-o",
                               self.path(out)], capture_output=True, encoding="utf-8", check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def run_program(self, name, *words, status=0, **more):
        environment = {**os.environ, "TENDRIL_URL": f"http://127.0.0.1:{self.server.port}", **more}
        done = subprocess.run([self.path(name), *words], env=environment, capture_output=True, encoding="utf-8",
                              timeout=120, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_the_program_of_the_readme_builds_runs_and_is_right(self):
        source = os.path.join(CLIENT, "examples", "pendulum.c")
        with open(os.path.join(CLIENT, "README.md"), encoding="utf-8") as readme, open(source, encoding="utf-8") as code:
            self.assertIn("```c\n" + code.read() + "```", readme.read())
        self.build(source, "pendulum")
        said = self.run_program("pendulum")
        moment, inertia = 2 * 9.81 * 0.5, 0.1 + 2 * 0.5 ** 2
        self.assertIn(f"acceleration {-moment * np.sin(0.5) / inertia:.3f} rad/s^2", said)
        self.assertIn("from 0.500", said)
        self.assertIn("201 samples", said)

    def test_the_program_that_fits_an_arm_finds_what_it_was_and_how_sure_that_is(self):
        source = os.path.join(CLIENT, "examples", "fit_arm.c")
        with open(os.path.join(CLIENT, "README.md"), encoding="utf-8") as readme, open(source, encoding="utf-8") as code:
            self.assertIn("```c\n" + code.read() + "```", readme.read())
        self.build(source, "fit_arm")
        said = self.run_program("fit_arm")
        found = {name: (float(value), float(deviation)) for name, value, deviation in re.findall(r"(\w+) +(\S+) \+- (\S+)", said)}
        for name, truth in (("young", 1.2e6), ("density", 1100)):  # with which the numbers in it were made
            value, deviation = found[name]
            self.assertLess(abs(value - truth), 3 * deviation)
            self.assertLess(deviation, 0.05 * truth)

    def test_the_program_of_the_readme_says_why_when_there_is_no_server(self):
        self.build(os.path.join(CLIENT, "examples", "pendulum.c"), "pendulum")
        done = subprocess.run([self.path("pendulum")], env={**os.environ, "TENDRIL_URL": "http://127.0.0.1:9"},
                              capture_output=True, encoding="utf-8", timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("unreachable", done.stderr)

    def test_find_package_finds_the_library(self):
        with open(self.path("CMakeLists.txt"), "w", encoding="utf-8") as stream:
            stream.write("cmake_minimum_required(VERSION 3.16)\nproject(user C)\nfind_package(tendril_client REQUIRED)\n"
                         f"add_executable(user {CLIENT}/examples/pendulum.c)\n"
                         "target_link_libraries(user tendril_client)\n")
        flags = " ".join(self.flags)
        subprocess.run(["cmake", "-G", "Ninja", "-S", self.place, "-B", self.path("build"), f"-DCMAKE_PREFIX_PATH={self.prefix.name}",
                        f"-DCMAKE_C_FLAGS={flags}"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", self.path("build")], check=True, stdout=subprocess.DEVNULL)
        self.assertTrue(os.path.exists(self.path("build/user")))

    def test_the_header_is_c_and_cplusplus(self):
        with open(self.path("user.cpp"), "w", encoding="utf-8") as stream:
            stream.write('#include "tendril_client.h"\nint main() { return tendril_state_ended(TENDRIL_FAILED) ? 0 : 1; }\n')
        include = os.path.join(self.prefix.name, "include")
        subprocess.run(["gcc", "-x", "c++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", include,
                        self.path("user.cpp")], check=True)

    def test_threads_with_a_client_each_and_callbacks_that_send_requests(self):
        self.build(os.path.join(os.path.dirname(os.path.abspath(__file__)), "client_threads.c"), "threads", "-lpthread")
        self.assertIn("8 threads, 80 jobs, 0 wrong", self.run_program("threads"))

    def build_stream(self):
        self.build(os.path.join(os.path.dirname(os.path.abspath(__file__)), "client_stream.c"), "stream", "-lm")

    def test_a_stream_gives_the_bits_of_a_batch_and_goes_on_behind_failures_and_breaks(self):
        self.build_stream()
        self.assertIn("200 states, 0 wrong", self.run_program("stream", "200"))
        relay = self.relay(lambda number, request: 300 if number in (7, 30, 31) else None)  # and each connection ends after one answer
        self.assertIn("20 states, 0 wrong", self.run_program("stream", "20", TENDRIL_URL=relay.url))
        self.assertGreater(relay.count, 40)

    def test_a_stream_works_over_tls_with_a_token(self):
        self.build_stream()
        folder = self.path("guarded")
        token, (certificate, key) = make_token(folder, "run"), make_certificate(self.place, "server")
        server = Server(folder, "--tls-cert", certificate, "--tls-key", key, token=token, tls=certificate)
        try:
            given = {"TENDRIL_URL": f"https://localhost:{server.port}", "TENDRIL_CA_FILE": certificate}
            self.assertIn("100 states, 0 wrong", self.run_program("stream", "100", TENDRIL_TOKEN=token, **given))
            self.assertIn("unauthenticated", self.run_program("stream", "1", status=1, **given))
        finally:
            server.close()


if __name__ == "__main__":
    main()
