"""What the machine lacks for a while is no fault of a job: nothing is counted as a crash, nothing fails for good."""
import os
import resource
import struct
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

from harness import BIN, Server, main, pendulum  # noqa: E402

JOBS = 20


class Infrastructure(unittest.TestCase):
    def start(self, *flags):
        server = Server(None, *flags, workers=2)
        self.addCleanup(server.close)
        self.assertEqual(server.request("PUT", "/v1/models/pendulum", pendulum()).status, 201)
        return server

    def submit_some(self, server):
        connection = server.connect()
        job = {"model": "pendulum", "kind": "dynamics", "t_end": 0.1}
        replies = [server.request_on(connection, "POST", "/v1/jobs", job) for _ in range(JOBS)]
        self.assertEqual({reply.status for reply in replies}, {202})
        return connection, [reply.json()["id"] for reply in replies]

    def all_succeed(self, server, jobs):
        for job_id in jobs:
            done = server.wait(job_id)
            self.assertEqual(done["state"], "succeeded", done)

    def test_a_worker_program_that_is_missing_for_a_while_fails_no_job(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "worker")
            os.symlink(os.path.join(BIN, "tendril-worker"), program)
            server = self.start("--worker", program)
            os.remove(program)
            _, jobs = self.submit_some(server)
            server.wait_for_log('"not_begun"')
            time.sleep(3)  # an upgrade
            self.assertFalse([job for job in map(server.job, jobs) if job["state"] == "failed"])
            os.symlink(os.path.join(BIN, "tendril-worker"), program)
            self.all_succeed(server, jobs)

    def test_a_worker_without_its_library_fails_no_job(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "worker")

            def write(script):
                with open(program + ".new", "w", encoding="ascii") as file:
                    file.write("#!/bin/sh\n" + script + "\n")
                os.chmod(program + ".new", 0o755)
                os.replace(program + ".new", program)
            write("exit 127")  # as the dynamic loader does
            server = self.start("--worker", program)
            _, jobs = self.submit_some(server)
            server.wait_for_log('"not_begun"')
            time.sleep(2)
            write(f'exec {os.path.join(os.path.abspath(BIN), "tendril-worker")} "$@"')
            self.all_succeed(server, jobs)

    def test_a_program_that_is_no_worker_of_this_server_fails_no_job_and_is_named(self):
        """Executable, but another one, or that of another version, as in the midst of an upgrade."""
        older = (f"#!/usr/bin/python3\nimport socket, time\ns = socket.socket(fileno=3)\n"
                 f"s.sendall({struct.pack('<I', 11) + bytes([0x62, 9, 8, 2, 0x12, 5]) + b'0.0.1'!r})\ntime.sleep(60)\n")
        wrong = {"/bin/true": "#!/bin/sh\nexit 0\n", "dies": "#!/bin/sh\nkill -9 $$\n", "older": older,
                 "nonsense": "#!/usr/bin/python3\nimport os\nos.write(3, b'x' * 100)\n"}
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "worker")

            def write(script):
                with open(program + ".new", "w", encoding="utf-8") as file:
                    file.write(script)
                os.chmod(program + ".new", 0o755)
                os.replace(program + ".new", program)
            for name, script in wrong.items():
                with self.subTest(name):
                    write(script)
                    server = self.start("--worker", program)
                    job = server.submit({"model": "pendulum", "kind": "dynamics", "t_end": 0.1})
                    end = time.monotonic() + 60
                    while (seen := server.job(job))["attempt"] < 4:  # it has three
                        self.assertIn(seen["state"], ("queued", "running"), seen)
                        self.assertLess(time.monotonic(), end, seen)
                        time.sleep(0.05)
                    while (seen := server.job(job))["state"] != "queued":
                        time.sleep(0.05)
                    self.assertIn("the worker program", seen["waiting_for"])
                    self.assertIsNone(seen["error"])
                    write(f'#!/bin/sh\nexec {os.path.join(os.path.abspath(BIN), "tendril-worker")} "$@"\n')
                    self.all_succeed(server, [job])
                    self.assertIsNone(server.job(job)["waiting_for"])
                    self.assertEqual(server.stop(), 0)

    def test_descriptors_that_are_short_for_a_while_fail_no_job(self):
        server = self.start()
        before = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
        connection, jobs = self.submit_some(server)
        used = len(os.listdir(f"/proc/{server.process.pid}/fd"))
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (used, before[1]))
        more = []
        for _ in range(JOBS):
            reply = server.request_on(connection, "POST", "/v1/jobs", {"model": "pendulum", "kind": "dynamics", "t_end": 0.1})
            self.assertEqual(reply.status, 202, reply.body)
            more.append(reply.json()["id"])
        time.sleep(2)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, before)
        connection.close()
        self.all_succeed(server, jobs + more)


if __name__ == "__main__":
    main()
