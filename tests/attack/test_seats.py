"""One caller takes every seat: results that are not read, watchers, waiting jobs. Whoever does so waits for himself."""
import json
import os
import select
import selectors
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

import grpc  # noqa: E402
import http2  # noqa: E402

from grpc_client import jobs, jobs_grpc, models, models_grpc  # noqa: E402
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

    def keep_a_connection(self, name):
        """One that has carried a request. Another of the same token that was just closed may still have its place."""
        for _ in range(300):
            connection = self.server.connect(timeout=10)
            self.addCleanup(connection.close)
            reply = self.server.request_on(connection, "GET", "/v1/jobs", None, {"Authorization": "Bearer " + self.tokens[name]})
            if reply.status == 200:
                return
            self.assertEqual(reply.status, 429)
            connection.close()
            time.sleep(0.02)
        self.fail("no place for a connection")

    def test_a_connection_that_idles_makes_room_for_its_tokens_next(self):
        self.start("--connections-per-caller", "3")
        for _ in range(3):
            self.keep_a_connection("good")
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


class Kept(unittest.TestCase):
    """What one owner keeps is bounded, of everything, on both faces; others, and a server without tokens, notice nothing."""

    SHORT = {"model": "pendulum", "kind": "statics", "inputs": {"motor": 0.1}}

    def start(self, *flags, tokens=("greedy", "good")):
        own = tempfile.TemporaryDirectory()
        self.addCleanup(own.cleanup)
        self.folder = os.path.join(own.name, "data")
        self.tokens = {name: make_token(self.folder, "admin" if name == "root" else "run", name) for name in tokens}
        self.server = Server(self.folder, *flags)
        self.addCleanup(self.server.close)
        for name in self.tokens:
            self.assertEqual(self.ask(name, "PUT", "/v1/models/pendulum", pendulum()).status, 201)

    def ask(self, name, method, path, body=None, **headers):
        return self.server.request(method, path, body, {"Authorization": "Bearer " + self.tokens[name], **headers})

    def submit(self, name, job=SHORT, **headers):
        reply = self.ask(name, "POST", "/v1/jobs", job, **headers)
        self.assertEqual(reply.status, 202, reply.body)
        return reply.json()["id"]

    def finish(self, name, job=SHORT):
        id = self.submit(name, job)
        while self.ask(name, "GET", f"/v1/jobs/{id}").json()["state"] in ("queued", "running"):
            time.sleep(0.02)
        return id

    def assert_kept(self, reply, *words):
        self.assertEqual((reply.status, reply.json()["code"]), (507, "quota_exceeded"), reply.body)
        for word in (*words, "delete"):
            self.assertIn(word, reply.json()["detail"])

    def over_rpc(self, name, call):
        with grpc.insecure_channel(self.server.ready["grpc"]) as channel:
            metadata = [("authorization", "Bearer " + self.tokens[name])]
            with self.assertRaises(grpc.RpcError) as refused:
                call(models_grpc.ModelsStub(channel), jobs_grpc.JobsStub(channel), metadata)
            self.assertEqual(refused.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
            self.assertEqual(dict(refused.exception.trailing_metadata())["tendril-code"], "quota_exceeded")
            return refused.exception.details()

    def test_jobs_and_sweeps_of_one_owner_are_bounded_until_he_deletes_some(self):
        self.start("--jobs-per-owner", "6", "--sweeps-per-owner", "1")
        ids = [self.finish("greedy") for _ in range(6)]
        self.assert_kept(self.ask("greedy", "POST", "/v1/jobs", self.SHORT), "7 jobs", "6 are the most", "jobs-per-owner")
        text = self.over_rpc("greedy", lambda models_, jobs_, metadata: jobs_.Submit(
            jobs.SubmitJobRequest(document=json.dumps(self.SHORT)), metadata=metadata))
        self.assertIn("jobs-per-owner", text)
        sweep = {"kind": "sweep", "base": self.SHORT, "vary": [{"path": "/job/inputs/motor", "values": [0.1, 0.2]}]}
        for id in ids[:2]:
            self.assertEqual(self.ask("greedy", "DELETE", f"/v1/jobs/{id}").status, 204)
        self.assert_kept(self.ask("greedy", "POST", "/v1/jobs", sweep), "7 jobs")
        self.assertEqual(self.ask("greedy", "DELETE", f"/v1/jobs/{ids[2]}").status, 204)
        made = self.finish("greedy", sweep)
        self.assertEqual(self.ask("greedy", "DELETE", f"/v1/jobs/{ids[3]}").status, 204)
        self.assertEqual(self.ask("greedy", "DELETE", f"/v1/jobs/{ids[4]}").status, 204)
        self.assertEqual(self.ask("greedy", "DELETE", f"/v1/jobs/{ids[5]}").status, 204)
        self.assert_kept(self.ask("greedy", "POST", "/v1/jobs", sweep), "2 sweeps", "sweeps-per-owner")
        self.assertEqual(self.ask("greedy", "DELETE", f"/v1/jobs/{made}").status, 204)
        self.finish("greedy", sweep)
        self.assertEqual(len(self.ask("greedy", "GET", "/v1/jobs?parent=none").json()["jobs"]), 1, "what was refused left nothing")
        self.finish("good")

    def test_large_sweeps_are_refused_before_their_jobs_are_written(self):
        self.start("--jobs-per-owner", "1000")
        sweep = {"kind": "sweep", "base": self.SHORT, "vary": [{"path": "/job/inputs/motor", "values": [1e-4 * i for i in range(3000)]}]}
        self.assert_kept(self.ask("greedy", "POST", "/v1/jobs", sweep), "3001 jobs")
        self.assertEqual(self.ask("greedy", "GET", "/v1/jobs").json()["jobs"], [])

    def test_models_and_revisions_of_one_owner_are_bounded_and_deleting_gives_the_room_back(self):
        self.start("--models-per-owner", "3", "--revisions-per-model", "3")
        for i in range(2):
            self.assertEqual(self.ask("greedy", "PUT", f"/v1/models/m{i}", pendulum()).status, 201)
        self.assert_kept(self.ask("greedy", "PUT", "/v1/models/m2", pendulum()), "4 models", "models-per-owner")
        text = self.over_rpc("greedy", lambda models_, jobs_, metadata: models_.Create(
            models.CreateModelRequest(document=json.dumps(pendulum(name="m2"))), metadata=metadata))
        self.assertIn("models-per-owner", text)
        for mass in (3, 4):
            self.assertEqual(self.ask("greedy", "PUT", "/v1/models/m0", pendulum(gravity=[0, 0, -mass])).status, 200)
        self.assert_kept(self.ask("greedy", "PUT", "/v1/models/m0", pendulum(gravity=[0, 0, -5])), "4 revisions", "revisions-per-model")
        self.assertEqual(self.ask("greedy", "PUT", "/v1/models/m0", pendulum(gravity=[0, 0, -4])).status, 200, "no revision")
        text = self.over_rpc("greedy", lambda models_, jobs_, metadata: models_.Update(
            models.UpdateModelRequest(name="m0", document=json.dumps(pendulum(gravity=[0, 0, -5]))), metadata=metadata))
        self.assertIn("revisions-per-model", text)
        self.assertEqual(self.ask("greedy", "DELETE", "/v1/models/m0").status, 204)
        self.assertEqual(self.ask("greedy", "PUT", "/v1/models/m0", pendulum()).json()["revision"], 4)
        for mass in (3, 4):
            self.assertEqual(self.ask("greedy", "PUT", "/v1/models/m0", pendulum(gravity=[0, 0, -mass])).status, 200)
        self.assertEqual(self.ask("good", "PUT", "/v1/models/m0", pendulum()).status, 201)

    def test_documents_of_one_owner_are_bounded_each_counted_once_and_deleting_gives_the_room_back(self):
        self.start("--documents-mib-per-owner", "1")
        large = [pendulum(name="large", description=f"{i % 10}" * 60_000 + str(i)) for i in range(25)]
        job = {"model": large[0], "kind": "statics", "inputs": {"motor": 0.1}}
        same = [self.finish("greedy", job) for _ in range(25)]  # the same model: it is stored once
        statuses = [self.ask("greedy", "POST", "/v1/jobs", {**job, "model": document}).status for document in large[1:]]
        taken = statuses.count(202)
        self.assertIn(taken, range(13, 17))
        self.assertEqual(statuses, [202] * taken + [507] * (24 - taken))
        self.assert_kept(self.ask("greedy", "PUT", "/v1/models/other", large[20]), "MiB", "documents-mib-per-owner")
        self.assert_kept(self.ask("greedy", "POST", "/v1/jobs", {**job, "model": large[20]}), "documents-mib-per-owner")
        self.finish("good", {**job, "model": large[20]})
        for id in same:
            self.assertEqual(self.ask("greedy", "DELETE", f"/v1/jobs/{id}").status, 204)
        for i in (20, 21, 22, 23):  # revisions count, and go with their model
            reply = self.ask("greedy", "PUT", "/v1/models/other", large[i])
            if reply.status == 507:
                break
        self.assert_kept(reply, "documents-mib-per-owner")
        self.assertEqual(self.ask("greedy", "DELETE", "/v1/models/other").status, 204)
        self.assertEqual(self.ask("greedy", "PUT", "/v1/models/other", large[23]).status, 201)

    def test_bodies_that_one_caller_begins_leave_room_to_those_of_others(self):
        self.start("--memory", "256")  # of which bodies may have 112 MiB, those of one caller half
        sockets = []
        for _ in range(6):
            s = socket.create_connection((self.server.host, self.server.port))
            s.settimeout(20)
            self.addCleanup(s.close)
            s.sendall(f"POST /v1/models?validate=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.tokens['greedy']}\r\n"
                      "Content-Type: application/json\r\nContent-Length: 60000000\r\n\r\n".encode())
            sockets.append(s)
            try:
                for _ in range(30):
                    s.sendall(b" " * 1_000_000)
            except OSError:
                pass  # refused
        large = json.dumps(pendulum()).encode() + b" " * 3_000_000
        for _ in range(5):
            self.assertEqual(self.ask("good", "POST", "/v1/models?validate=1", large).status, 200)
        for s, status in ((sockets[0], b"400"), (sockets[1], b"429")):  # what was begun is served, what was too much is said to be
            s.sendall(b" " * 29_999_999 + b"x")
            self.assertEqual(s.recv(12)[9:], status)

    def test_many_small_rows_count_too(self):
        self.start("--documents-mib-per-owner", "1")
        fat = {**self.SHORT, "labels": {f"k{i}": "x" * 250 for i in range(30)}}
        for taken in range(200):
            reply = self.ask("greedy", "POST", "/v1/jobs", fat)
            if reply.status != 202:
                break
        self.assert_kept(reply, "documents-mib-per-owner")
        self.assertLess(taken, 60)
        self.finish("good", fat)

    def test_retries_of_a_sweep_count_for_every_job_that_they_take_over(self):
        self.start("--documents-mib-per-owner", "1")
        base = {"model": "pendulum", "kind": "dynamics", "t_end": 0.01, "initial": {"qd": [0]}, "output": {"dt": 0.01, "fields": ["q"]}}
        speeds = [0.01 * i for i in range(199)] + [1e200]  # the last fails
        id = self.finish("greedy", {"kind": "sweep", "base": base, "vary": [{"path": "/job/initial/qd/0", "values": speeds}]})
        for retries in range(40):
            reply = self.ask("greedy", "POST", f"/v1/jobs/{id}:retry")
            if reply.status != 202:
                break
        self.assert_kept(reply, "documents-mib-per-owner")
        self.assertIn(retries, range(3, 13))
        made = [job["id"] for job in self.ask("greedy", "GET", "/v1/jobs?parent=none&kind=sweep").json()["jobs"]]
        self.assertEqual(len(made), retries + 1, "what was refused left nothing")
        again = next(job for job in made if job != id)
        while self.ask("greedy", "GET", f"/v1/jobs/{again}").json()["state"] in ("queued", "running"):
            time.sleep(0.02)
        self.assertEqual(self.ask("greedy", "DELETE", f"/v1/jobs/{again}").status, 204)
        self.assertEqual(self.ask("greedy", "POST", f"/v1/jobs/{id}:retry").status, 202, "room again")
        self.finish("good")

    def test_idempotency_keys_and_tokens_of_one_owner_are_bounded(self):
        self.start("--keys-per-owner", "2", "--tokens-per-owner", "2", tokens=("greedy", "good", "root"))
        ids = [self.submit("greedy", **{"Idempotency-Key": f"k{i}"}) for i in range(2)]
        self.assert_kept(self.ask("greedy", "POST", "/v1/jobs", self.SHORT, **{"Idempotency-Key": "k2"}), "3 idempotency keys", "keys-per-owner")
        self.assertEqual(self.submit("greedy", **{"Idempotency-Key": "k0"}), ids[0], "what was promised holds")
        self.submit("greedy")
        self.submit("good", **{"Idempotency-Key": "k2"})
        made = [self.ask("root", "POST", "/v1/tokens", {"name": f"t{i}", "scope": "run", "owner": "lab"}) for i in range(3)]
        self.assertEqual([reply.status for reply in made], [201, 201, 507])
        self.assert_kept(made[2], "tokens-per-owner", "lab")
        self.assertEqual(self.ask("root", "DELETE", "/v1/tokens/t0").status, 204)
        self.assertEqual(self.ask("root", "POST", "/v1/tokens", {"name": "t2", "scope": "run", "owner": "lab"}).status, 201)

    def test_limits_are_told_and_without_tokens_nobody_meets_one(self):
        flags = ("--jobs-per-owner", "1", "--models-per-owner", "1", "--revisions-per-model", "1", "--keys-per-owner", "1",
                 "--sweeps-per-owner", "1", "--documents-mib-per-owner", "1")
        server = Server(None, *flags)
        self.addCleanup(server.close)
        limits = server.request("GET", "/v1/limits").json()
        for name in ("jobs_per_owner", "models_per_owner", "revisions_per_model", "keys_per_owner", "sweeps_per_owner"):
            self.assertEqual(limits[name], 1)
        self.assertEqual(limits["documents_bytes_per_owner"], 1 << 20)
        for i in range(20):
            self.assertEqual(server.request("PUT", f"/v1/models/m{i}", pendulum(description=f"{i % 10}" * 60_000 + str(i))).status, 201)
            self.assertEqual(server.request("PUT", "/v1/models/pendulum", pendulum(gravity=[0, 0, -i - 1])).status, 201 if i == 0 else 200)
            server.submit(self.SHORT)


class Tls(unittest.TestCase):
    """What TLS lets a client ask for again and again: whole handshakes by renegotiation (TLS 1.2), new keys (TLS 1.3), old sessions."""

    FACES = (("http", ()), ("grpc", ("-alpn", "h2")))

    @classmethod
    def setUpClass(cls):
        cls.own = tempfile.TemporaryDirectory()
        cls.certificate, key = make_certificate(cls.own.name, "good")
        cls.server = Server(os.path.join(cls.own.name, "data"), "--tls-cert", cls.certificate, "--tls-key", key, tls=cls.certificate)
        cls.server.host = "127.0.0.1"

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        cls.own.cleanup()

    def connect(self, face, *flags):
        """An openssl client that takes commands, after its handshake."""
        client = subprocess.Popen(["openssl", "s_client", "-connect", self.server.ready[face], "-CAfile", self.certificate, "-legacy_renegotiation",
                                   *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(lambda: (client.kill(), client.communicate()))
        said = b""
        while b"Verify return code" not in said:
            some = os.read(client.stdout.fileno(), 65536)
            self.assertTrue(some, said)
            said += some
        return client, said

    def ask(self, client, word, times):
        """What it says from then on, to the end of its connection; None when that does not come."""
        try:
            for _ in range(times):
                client.stdin.write(word)
                client.stdin.flush()
                time.sleep(0.01)  # each is a command of its own
        except BrokenPipeError:
            pass
        said, end = b"", time.monotonic() + 9  # less than the patience with who is silent
        while time.monotonic() < end:
            if select.select([client.stdout], [], [], 0.1)[0]:
                some = os.read(client.stdout.fileno(), 65536)
                if not some:
                    return said
                said += some
        return None

    def test_who_negotiates_again_is_closed_before_the_server_has_computed_anything(self):
        for face, flags in self.FACES:
            client, _ = self.connect(face, "-tls1_2", *flags)
            said = self.ask(client, b"R\n", 1)
            self.assertIsNotNone(said, f"{face}: the connection goes on")
            self.assertIn(b"RENEGOTIATING", said)
            self.assertNotIn(b"verify return", said, "no second handshake was answered")
            self.assertEqual(self.server.request("GET", "/healthz").status, 200)

    def test_who_changes_keys_without_end_is_closed(self):
        for face, flags in self.FACES:
            client, _ = self.connect(face, "-tls1_3", *flags)
            self.assertIsNotNone(self.ask(client, b"K\n", 40), f"{face}: the connection goes on")
            self.assertEqual(self.server.request("GET", "/healthz").status, 200)

    def test_no_session_is_taken_up_again_and_nothing_comes_before_the_handshake(self):
        for face, flags in self.FACES:
            for version in ("-tls1_2", "-tls1_3"):
                path = os.path.join(self.own.name, "session")
                client, said = self.connect(face, version, "-sess_out", path, *flags)
                self.assertNotIn(b"Max Early Data: 1", said)
                self.ask(client, b"Q\n", 1)
                if not os.path.exists(path):
                    continue  # there is none to take up
                _, said = self.connect(face, version, "-sess_in", path, *flags)
                self.assertIn(b"New, TLS", said)
                self.assertNotIn(b"Reused, TLS", said)


if __name__ == "__main__":
    main()
