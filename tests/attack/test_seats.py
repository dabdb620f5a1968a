"""One caller takes every seat: results that are not read, watchers, waiting jobs. Whoever does so waits for himself."""
import json
import os
import selectors
import socket
import ssl
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

import grpc  # noqa: E402
import http2  # noqa: E402

from grpc_client import jobs, jobs_grpc  # noqa: E402
from harness import Server, main, make_certificate, make_token, pendulum  # noqa: E402

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


def slow_model():
    """A small document; its Jacobians in a state take some hundredths of a second."""
    rod = {"type": "rod", "length": 0.1, "section": {"shape": "circle", "radius": 0.01},
           "material": {"young": 1e6, "poisson": 0.5, "density": 1000, "viscosity": 100},
           "strain": {"basis": "legendre", "order": {"bending_y": 0}}, "quadrature": {"points": 1020}}
    links = [{"name": f"r{i}", **({"parent": f"r{i - 1}"} if i else {}), "joint": {"type": "fixed"}, "body": rod} for i in range(8)]
    return {"format": "tendril.model/1", "name": "slow", "links": links}


class Hogs:
    """Connections of one token, each with an evaluation under way, sent again after each answer."""

    def __init__(self, server, token, count):
        body = json.dumps({"want": ["dfd_dq"], "states": [{"q": [0.1] * 8}] * 3}).encode()
        self.server, self.count, self.statuses, self.done = server, count, {}, threading.Event()
        self.request = (f"POST /v1/models/slow:evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body
        self.thread = threading.Thread(target=self.follow)
        self.thread.start()

    def follow(self):
        open_ones, watch = 0, selectors.DefaultSelector()

        def leave(sock):
            watch.unregister(sock)
            sock.close()
        while not self.done.is_set():
            while open_ones < self.count:
                sock = socket.create_connection((self.server.host, self.server.port), timeout=10)
                sock.setblocking(False)
                watch.register(sock, selectors.EVENT_READ)
                sock.send(self.request)
                open_ones += 1
            for key, _ in watch.select(0.05):
                try:
                    answer = key.fileobj.recv(1 << 20)
                    if answer.startswith(b"HTTP/1.1 "):
                        status = int(answer[9:12])
                        self.statuses[status] = self.statuses.get(status, 0) + 1
                        self.refusal = answer if status == 429 else getattr(self, "refusal", b"")
                        key.fileobj.send(self.request)
                    elif not answer:
                        raise ConnectionResetError
                except BlockingIOError:
                    pass
                except OSError:
                    leave(key.fileobj)
                    open_ones -= 1
            time.sleep(0.02)
        for key in list(watch.get_map().values()):
            leave(key.fileobj)

    def close(self):
        self.done.set()
        self.thread.join()


class TwoTokens(unittest.TestCase):
    def start(self, *flags):
        own = tempfile.TemporaryDirectory()
        self.addCleanup(own.cleanup)
        folder = os.path.join(own.name, "data")
        self.tokens = {name: make_token(folder, "run", name) for name in ("greedy", "good")}
        self.server = Server(folder, *flags)
        self.addCleanup(self.server.close)
        self.ask("greedy", "PUT", "/v1/models/slow", slow_model())
        self.ask("good", "PUT", "/v1/models/pendulum", pendulum())

    def ask(self, name, method, path, body=None, **more):
        return self.server.request(method, path, body, {"Authorization": "Bearer " + self.tokens[name]}, **more)


class Places(TwoTokens):
    def hold(self, count):
        hogs = Hogs(self.server, self.tokens["greedy"], count)
        self.addCleanup(hogs.close)
        return hogs

    def test_evaluations_of_one_token_that_wait_and_wait_leave_places_to_others(self):
        self.start("--connections", "64", "--threads", "2")
        hogs = self.hold(160)
        state = {"want": ["fd"], "states": [{"q": [0.1], "qd": [0], "u": [0]}]}
        while 200 not in hogs.statuses or 429 not in hogs.statuses:
            time.sleep(0.01)
        for _ in range(8):
            for method, path, body, status in (("POST", "/v1/models/pendulum:evaluate", state, 200), ("GET", "/v1/jobs?limit=1", None, 200),
                                               ("POST", "/v1/jobs", {**LONG, "t_end": 1}, 202)):
                self.assertEqual(self.ask("good", method, path, body, timeout=5).status, status)
        self.assertIn(b"connections-per-caller", hogs.refusal)

    def test_only_so_many_requests_of_one_token_wait(self):
        self.start("--threads", "2", "--waiting-per-caller", "5")
        hogs = self.hold(30)
        while 429 not in hogs.statuses or 200 not in hogs.statuses:
            time.sleep(0.01)
        self.assertIn(b"waiting-per-caller", hogs.refusal)
        self.assertIn(b"Retry-After: 1", hogs.refusal)
        limits = self.ask("good", "GET", "/v1/limits", timeout=5).json()
        self.assertEqual((limits["waiting_per_caller"], limits["connections_per_caller"]), (5, 512))

    def test_a_connection_that_idles_makes_room_for_its_tokens_next(self):
        self.start("--connections-per-caller", "3")
        kept = [self.server.connect(timeout=10) for _ in range(3)]
        for connection in kept:
            self.addCleanup(connection.close)
        auth = {"Authorization": "Bearer " + self.tokens["good"]}
        for connection in kept:
            self.assertEqual(self.server.request_on(connection, "GET", "/v1/jobs", None, auth).status, 200)
        for _ in range(300):  # they idle for a second
            if (reply := self.ask("good", "GET", "/v1/jobs")).status == 200:
                break
            self.assertEqual(reply.status, 429)
            time.sleep(0.02)
        self.assertEqual(reply.status, 200)
        self.assertEqual(self.ask("greedy", "GET", "/v1/jobs").status, 200)


class Calls(TwoTokens):
    def call(self, name):
        with grpc.insecure_channel(self.server.ready["grpc"], [("grpc.use_local_subchannel_pool", 1)]) as channel:
            return jobs_grpc.JobsStub(channel).List(jobs.ListJobsRequest(), timeout=20,
                                                    metadata=[("authorization", "Bearer " + self.tokens[name])])

    def test_calls_without_their_message_leave_places_to_others_and_end(self):
        self.start()
        begun = []
        for _ in range(5):
            connection = http2.Connection(self.server.ready["grpc"], timeout=10)
            self.addCleanup(connection.close)
            frames = [connection.open("/tendril.v1.Jobs/Submit", authorization="Bearer " + self.tokens["greedy"])[1] for _ in range(1000)]
            connection.send(b"".join(frames))
            begun.append(connection)
        refused = None
        while refused is None:
            try:
                self.call("greedy")
            except grpc.RpcError as error:
                refused = error
        self.assertEqual(refused.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        self.assertIn("calls-per-caller", refused.details())
        for _ in range(20):
            self.call("good")
        slow = http2.Connection(self.server.ready["grpc"], timeout=30)  # a message that is long on its way, but comes
        self.addCleanup(slow.close)
        stream, headers = slow.open("/tendril.v1.Jobs/Submit", authorization="Bearer " + self.tokens["good"])
        slow.send(headers)
        left, over = http2.message(bytes(1_000_000)), False
        while left:  # those of the greedy one end after ten seconds
            slow.send(http2.frame(http2.DATA, 0, stream, left[:10000]))
            left = left[10000:]
            try:
                self.call("greedy")
                over = True
            except grpc.RpcError:
                self.assertFalse(over)
                self.call("good")
                time.sleep(0.2)
        self.assertTrue(over)
        slow.send(http2.frame(http2.DATA, http2.END_STREAM, stream))
        self.assertEqual(slow.trailers(stream)["grpc-status"], "3", "it was read, and is no message")


class Handshakes(unittest.TestCase):
    """Each costs as much as some evaluations."""

    def greet(self, port, context, count):
        """As many at once; how many were done, and how many refused."""
        done = refused = 0
        under_way = []
        for _ in range(count):
            sock = socket.create_connection(("127.0.0.1", port), timeout=10)
            sock.setblocking(False)
            under_way.append(context.wrap_socket(sock, server_hostname="localhost", do_handshake_on_connect=False))
        while under_way:
            for sock in list(under_way):
                try:
                    sock.do_handshake()
                    done += 1
                except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    continue
                except OSError:
                    refused += 1
                under_way.remove(sock)
                sock.close()
            time.sleep(0.02)
        return done, refused

    def test_one_address_makes_so_many_handshakes_a_second_on_both_faces(self):
        with tempfile.TemporaryDirectory() as own:
            certificate, key = make_certificate(own, "good")
            context = ssl.create_default_context(cafile=certificate)
            server = Server(None, "--tls-cert", certificate, "--tls-key", key, "--handshakes-per-address", "10", tls=certificate)
            self.addCleanup(server.close)
            for port in (server.port, int(server.ready["grpc"].rsplit(":", 1)[1])):
                done, refused = self.greet(port, context, 150)
                self.assertGreaterEqual(done, 20)
                self.assertGreaterEqual(refused, 20)
                while self.greet(port, context, 1)[0] == 0:
                    time.sleep(0.05)


if __name__ == "__main__":
    main()
