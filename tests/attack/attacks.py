"""Everything that is tried to stop a server for others: a table of attacks for siege.py and test_siege.py.

An attack is a function of a Target: one round of it, of a second or so; whoever besieges calls it again and again. What the server
says is kept (Target.saw), so that a table can show it. What an attack holds open is closed when the round ends."""
import contextlib
import http.client
import io
import json
import os
import random
import socket
import ssl
import struct
import sys
import time
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

import numpy as np  # noqa: E402

import http2  # noqa: E402
from harness import npz, pendulum  # noqa: E402
from http2 import DATA, END_HEADERS, END_STREAM, HEADERS, PREFACE, SETTINGS, frame  # noqa: E402
from test_fair_queue import ENDLESS  # noqa: E402
from test_grpc_floods import EVALUATE, HEALTH, LIST, NOTHINGS, STREAM_ONE, reflection_questions, resets, swelling  # noqa: E402
from test_heavy_evaluations import long_chain, many_jacobians  # noqa: E402
from test_large_sweeps import LIGHT, sweep  # noqa: E402
from test_memory import MIB, bomb, ritz  # noqa: E402
from test_seats import LARGE  # noqa: E402
from test_slow_clients import HEAD, large_evaluation  # noqa: E402

STREAM = "/tendril.v1.Dynamics/EvaluateStream"
SMALL = {"model": "pendulum", "kind": "statics", "inputs": {"motor": 0.1}}


class Target:
    """A server as its attackers see it: addresses, and tokens that were made for them."""

    def __init__(self, http_address, grpc_address, tokens, certificate=None):
        self.http, self.grpc, self.tokens = http_address, grpc_address, tokens
        self.context = self.http2_context = None
        if certificate:
            self.context, self.http2_context = (ssl.create_default_context(cafile=certificate) for _ in range(2))
            self.http2_context.set_alpn_protocols(["h2"])
        self.source, self.answers, self.ended = None, {}, lambda: False
        self.random = random.Random(7)

    def saw(self, what):
        self.answers[what] = self.answers.get(what, 0) + 1

    def pause(self, seconds):
        """Less when the siege ends."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.ended():
            time.sleep(0.05)

    def socket(self, text=b"", buffer=None, timeout=5, plain=False):
        found = socket.socket()
        if buffer:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        try:
            found.settimeout(timeout)
            if self.source:
                found.bind((self.source, 0))
            found.connect(self.http)
            if self.context and not plain:
                found = self.context.wrap_socket(found, server_hostname="localhost")
            found.sendall(text)
        except OSError:
            found.close()
            raise
        return found

    @contextlib.contextmanager
    def sockets(self, count, text=b"", **options):
        with contextlib.ExitStack() as stack:
            found = []
            for _ in range(count):
                if self.ended():
                    break
                try:
                    found.append(stack.enter_context(self.socket(text, **options)))
                except OSError:
                    self.saw("closed")
            yield found

    def http2(self, **options):
        return http2.Connection("%s:%d" % self.grpc, source=self.source, context=self.http2_context, **options)

    def authorization(self, token="greedy"):
        return "Bearer " + self.tokens[token]

    def head(self, method, path, *lines, token="greedy"):
        given = [f"Authorization: {self.authorization(token)}"] if token else []
        return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: localhost", *given, *lines, "", ""]).encode()

    def post(self, path, body, kind="application/json", *lines):
        return self.head("POST", path, f"Content-Type: {kind}", f"Content-Length: {len(body)}", *lines) + body

    def answer(self, text, **options):
        """The status of the first answer to these bytes; 0: none."""
        with self.socket(text, **options) as s:
            try:
                first = s.recv(4096)
            except OSError:
                first = b""
        status = int(first[9:12]) if first.startswith(b"HTTP/1.1 ") else 0
        self.saw(status or "closed")
        return status

    @contextlib.contextmanager
    def kept(self, token="greedy"):
        """A function that asks on one connection: (method, path, body, headers) -> status, body."""
        make = http.client.HTTPSConnection if self.context else http.client.HTTPConnection
        connection = make(*self.http, timeout=20, **({"context": self.context} if self.context else {}))

        def ask(method, path, body=None, **headers):
            if isinstance(body, (dict, list)):
                body = json.dumps(body)
            given = {"Authorization": self.authorization(token)} if token else {}
            kind = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, path, body, {**given, **kind, **{name.replace("_", "-"): value for name, value in headers.items()}})
            reply = connection.getresponse()
            self.saw(reply.status)
            return reply.status, reply.read()
        try:
            yield ask
        finally:
            connection.close()

    def job(self, document=None, **headers):
        """The identifier of a new job of the attacker, or None."""
        with self.kept() as ask:
            status, body = ask("POST", "/v1/jobs", document or SMALL, **headers)
        return json.loads(body)["id"] if status == 202 else None

    def ended_job(self, document):
        """One that has a result, made once."""
        name = json.dumps(document)
        with self.kept() as ask:
            _, body = ask("GET", "/v1/jobs?limit=5&state=succeeded&label=siege:" + str(len(name)))
            found = json.loads(body).get("jobs")
            if found:
                return found[0]["id"]
            _, body = ask("POST", "/v1/jobs", {**document, "labels": {"siege": str(len(name))}}, Idempotency_Key=str(len(name)))
            made = json.loads(body).get("id")
            for _ in range(100):
                if self.ended() or json.loads(ask("GET", f"/v1/jobs/{made}")[1]).get("state") == "succeeded":
                    break
                self.pause(0.2)
        return made


def prepare(target):
    """What the attackers have before they begin."""
    with target.kept() as ask:
        for name, model in (("pendulum", pendulum()), ("long", long_chain())):
            assert ask("PUT", f"/v1/models/{name}", model)[0] == 201


# --------------------------------------------------------------------------------------------------------- slow clients

def dribble(target, start, more, count=350, seconds=6):
    with target.sockets(count, start) as crowd:
        end = time.monotonic() + seconds
        while time.monotonic() < end and not target.ended():
            for sock in crowd:
                with contextlib.suppress(OSError):
                    sock.send(more)
            target.pause(1)


def slow_headers(target):
    dribble(target, b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX-A: ", b"b")


def slow_bodies(target):
    dribble(target, HEAD + b"\r\n{", b" ")


def slow_chunks(target):
    dribble(target, HEAD.replace(b"Content-Length: 100000", b"Transfer-Encoding: chunked") + b"\r\n1\r\n{\r\n", b"1;a=b\r\n \r\n", 100)


def silent(target):
    dribble(target, b"", b"", 800)


def unread_replies(target):
    with target.sockets(30, target.post("/v1/models/pendulum:evaluate", large_evaluation()), buffer=4096) as held:
        target.pause(3)
        target.saw(len(held) and "held")


def stolen_places(target):
    """Large evaluations that wait for a thread, one connection each."""
    with target.sockets(120, target.post("/v1/models/long:evaluate", many_jacobians())):
        target.pause(4)


# --------------------------------------------------------------------------------------------------------- HTTP by hand

def pipelined(target):
    """Thousands of requests in one piece, whose answers nobody reads."""
    with target.socket(buffer=4096, timeout=2) as s, contextlib.suppress(OSError):
        for _ in range(20):
            s.sendall(target.head("GET", "/v1/models") * 500)
    with target.socket(timeout=2) as s, contextlib.suppress(OSError):
        s.sendall(target.post("/v1/models/pendulum:evaluate", b'{"want":["fd"],"states":[{"q":[0.1]}]}') * 400)
        target.saw(s.recv(65536)[9:12].decode())


HIDDEN = b"GET /v1/hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"
TWO_WAYS = [b"Content-Length: 0\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: chunked, identity", b"Transfer-Encoding: xchunked",
            b"Transfer-Encoding:\x0bchunked", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", b"Content-Length: +0",
            b"Content-Length: 0x0", b"Content-Length: 0, 0", b"Content-Length: 0\r\nContent-Length: 0", b"Content-Length : 0",
            b"Content-Length\x00: 0", b"Content-Length: 0\rX: y", b"X: y\n Content-Length: 0", b"Content_Length: 40\r\nContent-Length: -0",
            b"Content-Length: 99999999999999999999999"]


def smuggled(target):
    """Requests with two readings: one answer of 4xx, then the end; what is hidden in them is never answered."""
    for line in TWO_WAYS:
        with target.socket(b"POST /v1/evaluate HTTP/1.1\r\nHost: localhost\r\n" + line + b"\r\n\r\n0\r\n\r\n" + HIDDEN, timeout=3) as s:
            found = b""
            with contextlib.suppress(OSError):
                while more := s.recv(65536):
                    found += more
        assert found.count(b"HTTP/1.1 ") <= 1 and b"hidden" not in found, (line, found)
        target.saw(found[9:12].decode() or "closed")


def header_floods(target):
    for lines in (["A: b"] * 3000, ["X: " + "y" * 33000], [f"X-{i}: {i}" for i in range(900)], ["Cookie: " + "a=b; " * 5000],
                  ["Accept: " + "a/b;q=0.1," * 3000], ["Authorization: Bearer x"] * 50, ["Host: localhost"] * 50,
                  ["X-Request-Id: " + "z" * 20000], ["Connection: " + "close, " * 3000]):
        target.answer(target.head("GET", "/v1/models", *lines))
    target.answer(target.head("GET", "/v1/jobs?" + "label=a:b&" * 3000))
    target.answer(target.head("GET", "/" + "%2e%2e/" * 4000))


def trailers(target):
    """Chunked bodies with extensions without end, trailers without end, chunks of a byte, lengths that lie."""
    start = target.head("POST", "/v1/evaluate", "Content-Type: application/json", "Transfer-Encoding: chunked")
    for body in (b"2\r\n{}\r\n0\r\nX: y\r\n\r\n", b"2\r\n{}\r\n0\r\n" + b"X: y\r\n" * 20000 + b"\r\n", b"2;" + b"a=b;" * 20000 + b"\r\n{}\r\n0\r\n\r\n",
                 b"1\r\n \r\n" * 20000 + b"0\r\n\r\n", b"7fffffffffffffff\r\n{}", b"-1\r\n{}\r\n", b"2\n{}\n0\n\n", b"0" * 30000 + b"2\r\n{}\r\n0\r\n\r\n",
                 b"2\r\n{}\r\n0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"):
        with contextlib.suppress(OSError):
            target.answer(start + body)


def odd_requests(target):
    for text in (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", b"CONNECT localhost:22 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 b"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 PREFACE + frame(SETTINGS, 0, 0), b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500), bytes(5000),
                 target.head("GET", "/v1/models", "Connection: Upgrade", "Upgrade: websocket"),
                 target.head("GET", "/v1/models", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"),
                 target.head("POST", "/v1/models", "Content-Type: application/json", "Content-Length: 5", "Expect: 100-continue"),
                 target.head("POST", "/v1/models", "Content-Type: application/json", "Content-Length: 5", "Expect: the-worst"),
                 target.head("GET", "/healthz", "Content-Length: 1000000")):
        target.answer(text, timeout=1)


def refusals(target):
    with target.kept(token=None) as ask:
        for _ in range(300):
            ask("GET", "/v1/nothing")


def conditions(target):
    job = target.ended_job(LARGE)
    for line in ("If-None-Match: " + ", ".join(f'"{i:064x}"' for i in range(400)), "If-Match: *", "If-Range: \"x\"", "If-None-Match: " + "W/" * 9000):
        for path in (f"/v1/jobs/{job}/result", "/v1/models/pendulum", "/openapi.json"):
            target.answer(target.head("GET", path, line, "Accept: */*"))


def ranges(target):
    job = target.ended_job(LARGE)
    path = f"/v1/jobs/{job}/result"
    for line in ("bytes=" + ",".join(f"{i}-{i}" for i in range(3000)), "bytes=0-,0-,0-,0-,0-,0-,0-,0-", "bytes=-99999999999999999999", "bytes=5-1",
                 "bytes=0-0", "lines=1-2", "bytes=18446744073709551615-18446744073709551616"):
        target.answer(target.head("GET", path, "Range: " + line, "Accept: application/x-npz"))
    with target.kept() as ask:
        for i in range(50):
            ask("GET", path, Range=f"bytes={i}-{i}", Accept="application/x-npz")


def handshakes(target):
    """TLS that begins and stops, records of no bytes, alerts, and whole handshakes for nothing; without TLS: greetings in vain."""
    pieces = (b"\x16\x03\x01\x02\x00\x01", b"\x16\x03\x01\x00\x00" * 500, b"\x15\x03\x03\x00\x02\x01\x00" * 500, b"\x16\x03\x01\xff\xff" + bytes(65535))
    for piece in pieces:
        with target.sockets(15, piece, plain=True):
            target.pause(0.5)
    if target.context:
        with target.sockets(10):
            target.saw("handshake")


# --------------------------------------------------------------------------------------------------------------- memory

def brackets(target):
    for element in (b"[]", b'{"a":{}}'):
        target.answer(target.post(target.random.choice(("/v1/models", "/v1/jobs", "/v1/evaluate")), bomb(element, 8 * MIB)), timeout=20)


def deep(target):
    for path in ("/v1/models", "/v1/jobs", "/v1/evaluate"):
        for body in (b"[" * 100_000, b'{"a":' * 100_000, b"[" * 60 + b"]" * 60, b'{"model":' + b"[" * 1_000_000, b'"\\ud800"', b'"' + b"\\u0000" * 100_000):
            target.answer(target.post(path, body))


def huge_models(target):
    target.answer(target.post("/v1/evaluate", json.dumps({"model": ritz(60), "want": ["fd"], "states": [{"q": [0] * 60}]}).encode()), timeout=20)
    name = f"m{target.random.randrange(100)}"
    target.answer(target.post("/v1/evaluate", json.dumps({"model": ritz(8, 24, name), "want": ["id"], "states": [{"q": [0] * 8}]}).encode()),
                  timeout=20)


def endless_bodies(target):
    start = target.head("POST", "/v1/models", "Content-Type: application/json", "Content-Length: 60000000")
    with target.sockets(25, start) as held:
        for _ in range(6):
            for sock in held:
                with contextlib.suppress(OSError):
                    sock.send(b" " * (MIB // 4))
            target.pause(0.3)


def packed_bombs(target):
    """Archives that are small and say that they are large."""
    kind = "application/x-npz"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        with archive.open("q.npy", "w", force_zip64=True) as member:
            member.write(b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (4000000, 1), }".ljust(128) + bytes(32 * MIB))
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as archive:
        for i in range(5000):
            archive.writestr(f"q{i}.npy", b"")
    whole = npz(q=np.zeros((3, 1)), want=np.array(["fd"]))
    lying = whole.replace(struct.pack("<I", 128 + 24), b"\xff\xff\xff\xff")
    shape = whole.replace(b"(3, 1)", b"(9**9,)"[:6])
    header = whole.replace(b"NUMPY\x01\x00", b"NUMPY\x01\x00", 1).replace(b"v\x00{", b"\xff\xff{")
    for body in (packed.getvalue(), many.getvalue(), lying, shape, header, whole[:-22] * 3 + whole[-22:]):
        target.answer(target.post("/v1/models/pendulum:evaluate", body, kind), timeout=20)


# ---------------------------------------------------------------------------------------------------------- evaluations

def jacobians_hang_up(target):
    for _ in range(4):
        with target.socket(target.post("/v1/models/long:evaluate", many_jacobians())):
            target.pause(0.05)
    target.saw("left")


def heavy(target):
    body = npz(q=np.full((3000, 16), 0.1), want=np.array(["dfd_dq"]))
    with target.sockets(3, target.post("/v1/models/long:evaluate", body, "application/x-npz")):
        target.pause(2)


def fast_evaluations(target):
    """As many as one connection takes: nothing forbids it, others have their share."""
    with target.kept() as ask:
        for _ in range(200):
            ask("POST", "/v1/models/pendulum:evaluate", {"want": ["fd"], "states": [{"q": [0.1]}] * 20})


# ----------------------------------------------------------------------------------------------------------------- jobs

def endless_jobs(target):
    made = [target.job({**ENDLESS, "priority": 100}) for _ in range(3)]
    target.pause(4)
    with target.kept() as ask:
        for job in filter(None, made):
            ask("POST", f"/v1/jobs/{job}:cancel")
            ask("DELETE", f"/v1/jobs/{job}")


def job_flood(target):
    with target.kept() as ask:
        for _ in range(100):
            ask("POST", "/v1/jobs", {**SMALL, "priority": 100})


def idempotency_keys(target):
    with target.kept() as ask:
        for i in range(30):
            ask("POST", "/v1/jobs", SMALL, Idempotency_Key=f"{target.random.random()}".ljust(60, "x"))
            ask("POST", "/v1/jobs", {**SMALL, "priority": i}, Idempotency_Key="the same")
        ask("POST", "/v1/jobs", SMALL, Idempotency_Key="k" * 20000)


def labels(target):
    with target.kept() as ask:
        for found in ({f"k{i}": "v" * 200 for i in range(64)}, {"k": "v" * 65536}, {"k" * 60000: "v"}, {f"k{i}": "" for i in range(20000)}):
            ask("POST", "/v1/jobs", {**SMALL, "labels": found})
            ask("GET", "/v1/jobs?limit=1000&label=k1:" + "v" * 200)


def large_sweeps(target):
    with target.kept() as ask:
        for document in (sweep(3000, LIGHT), {**sweep(20000, {**SMALL, "model": "pendulum"}),
                                              "vary": [{"path": "/job/inputs/motor", "values": [0.0001 * i for i in range(20000)]}]}):
            status, body = ask("POST", "/v1/jobs", document)
            if status == 202:
                job = json.loads(body)["id"]
                ask("POST", f"/v1/jobs/{job}:cancel")
                ask("DELETE", f"/v1/jobs/{job}")
            target.pause(0.5)


def deletions(target):
    """Everything of one's own that has ended, as fast as it goes, and revisions of a model between."""
    with target.kept() as ask:
        for job in json.loads(ask("GET", "/v1/jobs?limit=100&state=cancelled")[1]).get("jobs", []):
            ask("DELETE", f"/v1/jobs/{job['id']}")
        for i in range(20):
            ask("PUT", "/v1/models/passing", pendulum(name="passing", description=f"{i}" * 5000))
        ask("DELETE", "/v1/models/passing")


def model_names(target):
    with target.kept() as ask:
        for i in range(20):
            name = f"n{target.random.randrange(3000)}-".ljust(60, "x")
            ask("PUT", f"/v1/models/{name}", pendulum(name=name))
        ask("PUT", "/v1/models/" + "x" * 3000, pendulum(name="x" * 3000))
        ask("GET", "/v1/models?limit=1000")


def retries(target):
    with target.kept() as ask:
        _, body = ask("POST", "/v1/jobs", {**SMALL, "kind": "dynamics", "t_end": 1e5, "max_wall_s": 0.1})
        job = json.loads(body).get("id")
        ask("POST", f"/v1/jobs/{job}:cancel")
        for _ in range(20):
            _, body = ask("POST", f"/v1/jobs/{job}:retry")
            ask("POST", f"/v1/jobs/{json.loads(body).get('id')}:cancel")


def lists(target):
    with target.kept() as ask:
        for query in ("limit=1000", "limit=1000&state=queued", "limit=1000&kind=sweep", "limit=1000&since=1970-01-01T00:00:00Z&label=a:b",
                      "limit=1000&cursor=" + "9" * 200, "limit=1000&model=" + "x" * 3000, "limit=-1"):
            for _ in range(3):
                ask("GET", "/v1/jobs?" + query)
        ask("GET", "/metrics")


# ------------------------------------------------------------------------------------------------------ results, events

def unread_results(target):
    job = target.ended_job(LARGE)
    held = contextlib.ExitStack()
    with held:
        for accept in ("application/json", "text/csv", "application/x-npz"):
            text = target.head("GET", f"/v1/jobs/{job}/result", "Accept: " + accept)
            held.enter_context(target.sockets(25, text, buffer=4096))
        target.pause(4)


def parts_of_results(target):
    job = target.ended_job(LARGE)
    with target.kept() as ask:
        for i in range(10):
            ask("GET", f"/v1/jobs/{job}/result?fields=t,q&from={i}&stride={i + 1}", Accept="application/x-npz")
        ask("GET", f"/v1/jobs/{job}/result?fields=" + "q," * 5000, Accept="application/x-npz")
        ask("GET", f"/v1/jobs/{job}/result?stride=1000", Accept="text/csv")


def slow_watchers(target):
    """Streams of events that nobody reads, of a job that says much."""
    job = target.job(ENDLESS)
    text = target.head("GET", f"/v1/jobs/{job}/events", "Accept: text/event-stream")
    with target.sockets(300, text, buffer=2048):
        target.pause(4)
    with target.kept() as ask:
        ask("POST", f"/v1/jobs/{job}:cancel")


def watch_and_leave(target):
    job = target.job()
    for accept in ("text/event-stream", "application/json"):
        for _ in range(40):
            with target.socket(target.head("GET", f"/v1/jobs/{job}/events?wait=60", "Accept: " + accept)):
                pass
    target.saw("left")


# --------------------------------------------------------------------------------------------------------------- tokens

def guessed_tokens(target):
    with target.kept(token=None) as ask:
        for _ in range(100):
            ask("GET", "/v1/jobs", Authorization="Bearer tendril_%064x" % target.random.getrandbits(256))
        ask("GET", "/v1/jobs", Authorization="Bearer " + "x" * 30000)
        ask("GET", "/v1/jobs", Authorization="Basic YTpi")


def others_things(target):
    with target.kept() as ask:
        for i in range(40):
            job = "".join(target.random.choices("0123456789abcdefghjkmnpqrstvwxyz", k=26))
            status, body = ask(("GET", "DELETE")[i % 2], f"/v1/jobs/{job}")
            assert status in (400, 404, 429, 503), body
        for path in ("/v1/tokens", "/v1/jobs?owner=good", "/v1/models/soft?owner=good"):
            status, body = ask("GET", path)
            assert status in (400, 403, 404, 429, 503) or not json.loads(body)["jobs"], body


# ----------------------------------------------------------------------------------------------------------------- gRPC

def grpc_flood(target, piece, pieces=200, prepare_with=b""):
    """The same bytes again and again until the server closes."""
    target.source = "127.%d.%d.%d" % (target.random.randrange(1, 255), target.random.randrange(256), target.random.randrange(1, 255))
    with target.http2(timeout=3) as connection, contextlib.suppress(OSError):
        connection.send(prepare_with)
        for _ in range(pieces):
            if target.ended():
                return
            connection.send(piece(connection))
        target.saw("taken")
        return
    target.saw("thrown out")


def rapid_reset(target):
    for method in (HEALTH, LIST, EVALUATE, "/nothing"):
        grpc_flood(target, resets(method))


def rapid_reset_with_a_token(target):
    grpc_flood(target, resets(EVALUATE, authorization=target.authorization()))


def empty_frames(target):
    for piece in NOTHINGS.values():
        grpc_flood(target, lambda _, piece=piece: piece * 500, prepare_with=STREAM_ONE)


def endless_headers(target):
    begin = frame(HEADERS, 0, 1, http2.block(http2.call_fields(HEALTH)))
    for more in (b"", http2.literal("x", "y" * 100), http2.literal("x", "y" * 16000)):
        grpc_flood(target, lambda _, more=more: frame(http2.CONTINUATION, 0, 1, more), prepare_with=begin)
    grpc_flood(target, swelling, 20)
    huge = http2.literal("filler", "z" * 16000)
    grpc_flood(target, lambda c: c.open(HEALTH, http2.message(b""))[1] + frame(HEADERS, END_HEADERS, c.next_stream + 2, huge), 100)


def unfinished_messages(target):
    with target.http2(timeout=3) as connection, contextlib.suppress(OSError):
        for _ in range(16):
            stream, frames = connection.open(EVALUATE, authorization=target.authorization())
            connection.send(frames + frame(DATA, 0, stream, b"\0\3\xc0\0\0"))
        for _ in range(60):
            connection.send(b"".join(frame(DATA, 0, stream, bytes(16000)) for stream in range(1, 33, 2)))
        target.pause(1)


def compressed_messages(target):
    """A message that says it is compressed, and one that is."""
    packed = b"\1" + http2.message(bytes(1 << 20))[1:]
    for method in (HEALTH, EVALUATE, STREAM, LIST):
        grpc_flood(target, lambda c, method=method: c.open(method, packed[:16000], grpc_encoding="gzip")[1], 20)


def held_calls(target):
    """Headers and nothing else, by the thousand, on several connections."""
    with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
        for _ in range(5):
            connection = stack.enter_context(target.http2(timeout=3))
            for _ in range(10):
                connection.send(b"".join(connection.open(EVALUATE, authorization=target.authorization())[1] for _ in range(90)))
        target.pause(4)


def slow_streams(target):
    """Streams of evaluation that send a state now and then."""
    setup = b"\x0a\x0e" + b"\x0a\x08pendulum" + b"\x1a\x02fd"
    with target.http2(timeout=3) as connection, contextlib.suppress(OSError):
        streams = []
        for _ in range(100):
            stream, frames = connection.open(STREAM, authorization=target.authorization())
            connection.send(frames + frame(DATA, 0, stream, http2.message(setup)))
            streams.append(stream)
        for stream in streams:
            target.pause(0.04)
            connection.send(frame(DATA, 0, stream, http2.message(b"\x12\x0a\x0a\x08" + struct.pack("<d", 0.1))))


def unread_answers(target):
    with target.http2(greet=False, timeout=3) as connection, contextlib.suppress(OSError):
        connection.send(PREFACE + frame(SETTINGS, 0, 0, b"\0\4\0\0\0\0"))
        for _ in range(100):
            connection.send(reflection_questions(connection, 200))
        target.pause(2)


def idle_connections(target):
    with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
        for i in range(300):
            sock = stack.enter_context(socket.create_connection(target.grpc, timeout=3))
            sock.sendall((b"", PREFACE[:10], PREFACE + frame(SETTINGS, 0, 0))[i % 3])
        target.pause(3)


def health_watchers(target):
    watch = "/grpc.health.v1.Health/Watch"
    with target.http2(timeout=3) as connection, contextlib.suppress(OSError):
        connection.send(b"".join(connection.open(watch, http2.message(b""))[1] for _ in range(990)))
        target.pause(2)


def random_frames(target):
    for _ in range(10):
        grpc_flood(target, lambda _: frame(target.random.randrange(12), target.random.randrange(256), target.random.randrange(10),
                                           target.random.randbytes(target.random.randrange(60))), 50)


ATTACKS = {attack.__name__: attack for attack in (
    slow_headers, slow_bodies, slow_chunks, silent, unread_replies, stolen_places, pipelined, smuggled, header_floods, trailers,
    odd_requests, refusals, conditions, ranges, handshakes, brackets, deep, huge_models, endless_bodies, packed_bombs, jacobians_hang_up,
    heavy, fast_evaluations, endless_jobs, job_flood, idempotency_keys, labels, large_sweeps, deletions, model_names, retries, lists,
    unread_results, parts_of_results, slow_watchers, watch_and_leave, guessed_tokens, others_things, rapid_reset, rapid_reset_with_a_token,
    empty_frames, endless_headers, unfinished_messages, compressed_messages, held_calls, slow_streams, unread_answers, idle_connections,
    health_watchers, random_frames)}
