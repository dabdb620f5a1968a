"""Logs under attack: whoever floods the server with requests that it refuses does not fill the disk, and a stderr that nobody
reads holds nobody up."""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

from harness import Server, main, pendulum  # noqa: E402

FLOOD = 6000  # about a second of them; each line has some 250 bytes, a pipe holds 64 KiB


def flood(server, count=FLOOD):
    connection = server.connect()
    for _ in range(count):
        assert server.request_on(connection, "GET", "/v1/nothing").status == 404
    connection.close()


class UnreadServer(Server):
    """Its stderr is a pipe that nobody reads until `log` is asked for."""

    def start(self):
        reading, writing = os.pipe()
        self.pipe = os.fdopen(reading, "rb")
        self.process = subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=writing)
        os.close(writing)
        self.ready = json.loads(self.process.stdout.readline())
        self.host, port = self.ready["http"].rsplit(":", 1)
        self.port = int(port)

    def read_some(self):
        return os.read(self.pipe.fileno(), 1 << 20).decode()


class Logs(unittest.TestCase):
    def test_refused_requests_are_counted_instead_of_written_beyond_a_rate(self):
        server = Server()
        self.addCleanup(server.close)
        flood(server)
        time.sleep(1.1)  # what was left out is told once a second, with the next line
        self.assertEqual(server.request("GET", "/v1/nothing").status, 404)
        for _ in range(100):  # a request is logged after its answer is sent
            lines = [json.loads(line) for line in server.log().splitlines()]
            written = sum(line["event"] == "request" and line["status"] == 404 for line in lines)
            left_out = sum(line["count"] for line in lines if line["event"] == "lines_left_out")
            if written + left_out > FLOOD:
                break
            time.sleep(0.05)
        self.assertEqual(written + left_out, FLOOD + 1)  # every one stands there or is counted
        self.assertEqual({line["kind"] for line in lines if line["event"] == "lines_left_out"}, {"refused_request"})
        self.assertLess(len(server.log()), 400_000)

    def test_lines_say_where_a_request_came_from(self):
        server = Server()
        self.addCleanup(server.close)
        server.request("GET", "/v1/nothing")
        server.wait_for_log('"event":"request"')
        (line,) = [json.loads(line) for line in server.log().splitlines() if '"event":"request"' in line]
        self.assertTrue(line["peer"].startswith("127.0.0.1:"), line)

    def test_a_stderr_that_nobody_reads_stops_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            server = UnreadServer(os.path.join(folder, "data"))
            try:
                flood(server)
                self.assertEqual(server.request("GET", "/healthz", timeout=5).status, 200)
                said = server.read_some()
                self.assertEqual(server.request("POST", "/v1/models", pendulum(), timeout=5).status, 201)
                time.sleep(0.2)
                said += server.read_some()
                self.assertIn("lines_lost", said)
                for line in said.splitlines():
                    json.loads(line)  # none is cut
            finally:
                server.process.kill()
                server.process.wait()
                server.process.stdout.close()
                server.pipe.close()


if __name__ == "__main__":
    main()
