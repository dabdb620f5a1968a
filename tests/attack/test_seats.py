"""One caller takes every seat: results that are not read, watchers, waiting jobs. Whoever does so waits for himself."""
import json
import os
import socket
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

import grpc  # noqa: E402

from grpc_client import jobs, jobs_grpc  # noqa: E402
from harness import Server, main, make_token, pendulum  # noqa: E402

LARGE = {"model": "pendulum", "kind": "dynamics", "t_end": 200, "integrator": {"method": "rk4", "h": 0.002},
         "output": {"dt": 0.002, "fields": ["q", "qd", "poses:arm", "energy"]}}
LONG = {"model": "pendulum", "kind": "dynamics", "t_end": 1e5, "integrator": {"method": "rk4", "h": 1e-3}, "output": {"dt": 1000}}


class Seats(unittest.TestCase):
    flags = ("--results-per-caller", "4", "--downloads-per-caller", "3", "--watchers-per-caller", "5")

    def setUp(self):
        own = tempfile.TemporaryDirectory()
        self.addCleanup(own.cleanup)
        folder = os.path.join(own.name, "data")
        self.tokens = {name: make_token(folder, "run", name) for name in ("greedy", "good")}
        self.server = Server(folder, *self.flags)
        self.addCleanup(self.server.close)
        self.job = {}
        for name in self.tokens:
            self.ask(name, "PUT", "/v1/models/pendulum", pendulum())

    def ask(self, name, method, path, body=None, **headers):
        return self.server.request(method, path, body, {"Authorization": "Bearer " + self.tokens[name], **headers})

    def submit(self, name, job):
        reply = self.ask(name, "POST", "/v1/jobs", job)
        self.assertEqual(reply.status, 202, reply.body)
        return reply.json()["id"]

    def finish(self, name, job):
        id = self.submit(name, job)
        while (now := self.ask(name, "GET", f"/v1/jobs/{id}").json())["state"] != "succeeded":
            self.assertIn(now["state"], ("queued", "running"), now)
        return id

    def open_and_leave(self, name, path, accept):
        """A request whose answer is not read beyond its first line; the status."""
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.settimeout(60)
        self.addCleanup(s.close)
        s.connect((self.server.host, self.server.port))
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.tokens[name]}\r\nAccept: {accept}\r\n\r\n".encode())
        return int(s.recv(64).split(b" ")[1]), s

    def test_results_that_are_not_read_leave_room_to_others_on_both_faces(self):
        large = self.finish("greedy", LARGE)
        small = self.finish("good", {**LARGE, "t_end": 1})
        path = f"/v1/jobs/{large}/result"
        held = [self.open_and_leave("greedy", path, "application/json") for _ in range(9)]
        self.assertEqual([status for status, _ in held], [200] * 4 + [429] * 5)
        self.assertIn("results-per-caller", self.ask("greedy", "GET", path).json()["detail"])
        self.assertEqual(self.ask("good", "GET", f"/v1/jobs/{small}/result").status, 200)
        with grpc.insecure_channel(self.server.ready["grpc"]) as channel:
            stub = jobs_grpc.JobsStub(channel)
            def fetch(name, id):
                return b"".join(chunk.data for chunk in stub.GetResult(jobs.ResultRequest(id=id), metadata=[("authorization", "Bearer " + self.tokens[name])]))
            with self.assertRaises(grpc.RpcError) as refused:
                fetch("greedy", large)
            self.assertEqual(dict(refused.exception.trailing_metadata())["tendril-code"], "rate_limited")
            self.assertTrue(fetch("good", small).startswith(b"PK"))
        for _, s in held:
            s.close()
        for _ in range(200):  # the seats come back when the server notices
            if (reply := self.ask("greedy", "GET", path + "?stride=1000")).status == 200:
                break
        self.assertEqual(reply.status, 200)

    def test_downloads_that_are_not_read_are_bounded(self):
        large = self.finish("greedy", LARGE)
        held = [self.open_and_leave("greedy", f"/v1/jobs/{large}/result", "application/x-npz")[0] for _ in range(5)]
        self.assertEqual(held, [200] * 3 + [429] * 2)
        small = self.finish("good", {**LARGE, "t_end": 1})
        self.assertEqual(self.ask("good", "GET", f"/v1/jobs/{small}/result", Accept="application/x-npz").status, 200)

    def test_watchers_leave_room_to_others_on_both_faces(self):
        waiting = self.submit("greedy", LONG)
        held = [self.open_and_leave("greedy", f"/v1/jobs/{waiting}/events", "text/event-stream") for _ in range(8)]
        self.assertEqual([status for status, _ in held], [200] * 5 + [429] * 3)
        with grpc.insecure_channel(self.server.ready["grpc"]) as channel:
            call = jobs_grpc.JobsStub(channel).Watch(jobs.WatchRequest(id=waiting), metadata=[("authorization", "Bearer " + self.tokens["greedy"])])
            with self.assertRaises(grpc.RpcError) as refused:
                next(call)
            self.assertEqual(dict(refused.exception.trailing_metadata())["tendril-code"], "rate_limited")
        other = self.submit("good", {**LONG, "t_end": 1})
        status, stream = self.open_and_leave("good", f"/v1/jobs/{other}/events", "text/event-stream")
        self.assertEqual(status, 200)
        self.ask("greedy", "POST", f"/v1/jobs/{waiting}:cancel")
        for _, s in held:
            s.close()

    def test_without_tokens_on_this_machine_one_may_have_all(self):
        server = Server(None, *self.flags)
        self.addCleanup(server.close)
        server.request("PUT", "/v1/models/pendulum", pendulum())
        job = server.submit(LONG)
        self.server, self.tokens = server, {"nobody": "x"}
        held = [self.open_and_leave("nobody", f"/v1/jobs/{job}/events", "text/event-stream")[0] for _ in range(20)]
        self.assertEqual(held, [200] * 20)
        server.request("POST", f"/v1/jobs/{job}:cancel")


if __name__ == "__main__":
    main()
