"""Strangers on the gRPC port: frames by hand, as fast as a socket takes them, while a good client evaluates over gRPC and REST. Its
calls all succeed, memory and log stay bounded, and the abuser is shown the door."""
import json
import os
import resource
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
from grpc_client import dynamics, dynamics_grpc, models, models_grpc  # noqa: E402
from harness import BIN, Server, main, make_certificate, make_token, pendulum  # noqa: E402
from http2 import DATA, END_HEADERS, ENHANCE_YOUR_CALM, GOAWAY, HEADERS, PING, PREFACE, PRIORITY, RST_STREAM, SETTINGS, WINDOW_UPDATE, frame  # noqa: E402

soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16384), hard))

ABUSER = "127.0.0.2"  # another address than the good client's
HEALTH, LIST, EVALUATE = "/grpc.health.v1.Health/Check", "/tendril.v1.Jobs/List", "/tendril.v1.Dynamics/Evaluate"
with open(os.path.join(BIN, "tendrild"), "rb") as program:
    SANITIZED = b"__asan_init" in program.read()  # keeps what was freed for a while
ROOM_KB, LOG_BYTES = (1000 if SANITIZED else 200) << 10, 2_000_000


def resets(method, count=50, **fields):
    """A piece of a flood: calls that are reset as soon as they are made."""
    def piece(connection):
        out = b""
        for _ in range(count):
            stream, frames = connection.open(method, **fields)
            out += frames + frame(RST_STREAM, 0, stream, b"\0\0\0\x08")
        return out
    return piece


STREAM_ONE = frame(HEADERS, END_HEADERS, 1, http2.block(http2.call_fields(HEALTH)))
NOTHINGS = {"settings": frame(SETTINGS, 0, 0, b"\0\3\0\0\0\x64"), "ping": frame(PING, 0, 0, b"12345678"),
            "priority": frame(PRIORITY, 0, 3, b"\0\0\0\0\x10"), "window": frame(WINDOW_UPDATE, 0, 0, b"\0\0\0\1"),
            "stream window": frame(WINDOW_UPDATE, 0, 1, b"\0\0\0\1"), "empty data": frame(DATA, 0, 1),
            "padding": frame(DATA, 8, 1, b"\7" + bytes(7)), "unknown": frame(200, 0, 0, b"x")}


def swelling(connection):
    """A field of 4 kB is kept by the decoder, then named ten thousand times by a byte each: 40 MB of headers in 10 kB."""
    stream, connection.next_stream = connection.next_stream, connection.next_stream + 2
    kept = http2.literal("bomb", "x" * 4000, first=b"@")  # entry 62 from now on
    return frame(HEADERS, END_HEADERS | http2.END_STREAM, stream,
                 http2.block(http2.call_fields(HEALTH)) + kept + http2.integer(62, 7, 0x80) * 10_000)


def reflection_questions(connection, count):
    """A stream that asks for the same file again and again."""
    name = b"tendril/v1/dynamics.proto"
    question = bytes([3 << 3 | 2, len(name)]) + name  # file_by_filename
    stream, frames = connection.open("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")
    return frames + frame(DATA, 0, stream, http2.message(question) * count)


def own_channel(target, credentials=None):
    options = [("grpc.use_local_subchannel_pool", 1)]
    return grpc.secure_channel(target, credentials, options) if credentials else grpc.insecure_channel(target, options)


class GoodClient:
    """Evaluates over gRPC and REST and asks for the health until it is told to stop."""

    def __init__(self, server, credentials=None):
        self.server, self.done, self.trouble, self.counts = server, threading.Event(), [], {}
        self.metadata = [("authorization", "Bearer " + server.token)] if server.token else None
        self.channel = own_channel(server.ready["grpc"], credentials)
        models_grpc.ModelsStub(self.channel).Update(models.UpdateModelRequest(name="pendulum", document=json.dumps(pendulum())),
                                                    metadata=self.metadata)
        self.threads = [threading.Thread(target=self.follow, args=(way,)) for way in (self.unary, self.stream, self.rest, self.health)]
        for thread in self.threads:
            thread.start()

    def follow(self, way):
        try:
            ask = way()
            while not self.done.is_set():
                ask()
                self.counts[way.__name__] = self.counts.get(way.__name__, 0) + 1
                time.sleep(0.005)
        except Exception as error:  # whatever it is, the test says so
            self.trouble.append((way.__name__, error))

    def unary(self):
        stub, request = dynamics_grpc.DynamicsStub(self.channel), dynamics.EvaluateRequest(
            model="pendulum", want=["fd"], states=[dynamics.State(q=[0.1])])
        return lambda: stub.Evaluate(request, timeout=30, metadata=self.metadata)

    def stream(self):
        def requests():
            yield dynamics.EvaluateStreamRequest(setup=dynamics.EvaluateSetup(model="pendulum", want=["fd"]))
            while not self.done.is_set():
                yield dynamics.EvaluateStreamRequest(state=dynamics.State(q=[0.1]))
                time.sleep(0.005)
        answers = dynamics_grpc.DynamicsStub(self.channel).EvaluateStream(requests(), metadata=self.metadata)
        return lambda: next(answers, None)

    def rest(self):
        body = {"want": ["fd"], "states": [{"q": [0.1]}]}

        def ask():
            reply = self.server.request("POST", "/v1/models/pendulum:evaluate", body, timeout=30)
            assert reply.status == 200, reply.body
        return ask

    def health(self):
        def ask():
            assert self.server.request("GET", "/healthz", timeout=10).status == 200
        return ask

    def stop(self):
        self.done.set()
        for thread in self.threads:
            thread.join(60)
        self.channel.close()


class Floods(unittest.TestCase):
    """One server with a token for all attacks; the abusers have none."""

    tls, number = False, 1

    @classmethod
    def setUpClass(cls):
        cls.own = tempfile.TemporaryDirectory()
        folder = os.path.join(cls.own.name, "data")
        cls.token = make_token(folder, "run")
        flags, options, cls.context, cls.credentials = [], {}, None, None
        if cls.tls:
            certificate, key = make_certificate(cls.own.name, "good")
            flags, options = ["--tls-cert", certificate, "--tls-key", key], {"tls": certificate}
            cls.context = ssl.create_default_context(cafile=certificate)
            cls.context.set_alpn_protocols(["h2"])
            with open(certificate, "rb") as file:
                cls.credentials = grpc.ssl_channel_credentials(file.read())
        cls.server = Server(folder, *flags, token=cls.token, **options)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        cls.own.cleanup()

    def memory_kb(self, what="VmRSS"):
        with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as file:
            return int(file.read().split(what + ":")[1].split()[0])

    def setUp(self):
        Floods.number += 1
        self.source = f"127.0.0.{Floods.number}"  # every attack comes from an address of its own
        self.good = GoodClient(self.server, self.credentials)
        with open(f"/proc/{self.server.process.pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")  # VmHWM from now on
        self.before_kb, self.before_log = self.memory_kb(), len(self.server.log())

    def tearDown(self):
        time.sleep(0.2)  # it goes on after the attack
        self.good.stop()
        figures = (self.memory_kb("VmHWM") - self.before_kb, len(self.server.log()) - self.before_log, self.good.counts)
        print("more memory (kB), log (bytes), good calls:", *figures, file=sys.stderr, end=" ")
        self.assertEqual(self.good.trouble, [])
        self.assertEqual(len(self.good.counts), 4, self.good.counts)
        self.assertLess(figures[0], ROOM_KB)
        self.assertLess(figures[1], LOG_BYTES)
        self.assertTrue(self.server.alive())
        with own_channel(self.server.ready["grpc"], self.credentials) as channel:  # a new client is served, too
            dynamics_grpc.DynamicsStub(channel).Evaluate(dynamics.EvaluateRequest(
                model="pendulum", want=["fd"], states=[dynamics.State(q=[0.1])]), timeout=30, metadata=self.good.metadata)

    def connect(self, **options):
        return http2.Connection(self.server.ready["grpc"], source=self.source, context=self.context, **options)

    def flood(self, piece, pieces=4000, seconds=20, prepare=b""):
        """Sends what `piece` makes again and again until the server closes; the code of its GOAWAY, and how many were sent."""
        with self.connect() as connection:
            sent = 0
            try:
                connection.send(prepare)
                end = time.monotonic() + seconds
                while sent < pieces and time.monotonic() < end:
                    connection.send(piece(connection))
                    sent += 1
            except OSError:
                pass
            return connection.end(), sent

    def assert_thrown_out(self, found, strictly=False):
        """By GOAWAY, which may be lost when the other side has written on without reading; the log has it in any case."""
        if strictly or found[0] is not None:
            self.assertEqual(found[0], ENHANCE_YOUR_CALM, found)
        lines = [json.loads(line) for line in self.server.log().splitlines() if '"connection_thrown_out"' in line]
        self.assertIn(self.source, [line["peer"].rsplit(":", 1)[0] for line in lines], found)

    def assert_closed(self, found, pieces=4000):
        self.assertLess(found[1], pieces)

    # ---------------------------------------------------------------------------------------------------------- frames

    def test_rapid_reset(self):
        """CVE-2023-44487."""
        for method in (HEALTH, LIST, EVALUATE, "/nothing"):
            self.assert_thrown_out(self.flood(resets(method)), strictly=True)
            Floods.number += 1
            self.source = f"127.0.0.{Floods.number}"

    def test_rapid_reset_again_and_again(self):
        """Whoever was thrown out gets less and less from his next connections."""
        seen = []  # how many of his streams anybody looked at, as far as GOAWAY reached him
        for _ in range(20):
            with self.connect() as connection:
                try:
                    for _ in range(100):
                        connection.send(resets(HEALTH)(connection))
                except OSError:
                    pass
                seen += [int.from_bytes(payload[:4], "big") // 2 for kind, _, _, payload in connection.frames() if kind == GOAWAY]
        self.assertGreater(len(seen), 0)
        self.assertLess(seen[-1], 100, seen)

    def test_others_at_the_address_of_an_abuser_get_in(self):
        """A proxy, a gateway, the same machine: new connections are made all the time while he goes on and on."""
        done = threading.Event()

        def abuse():
            while not done.is_set():
                try:
                    self.flood(resets(HEALTH), pieces=100)
                except OSError:
                    time.sleep(0.01)
        abusers = [threading.Thread(target=abuse) for _ in range(2)]
        for thread in abusers:
            thread.start()
        try:
            while not any("connection_thrown_out" in line and f'"{self.source}:' in line for line in self.server.log().splitlines()):
                time.sleep(0.01)
            request = dynamics.EvaluateRequest(model="pendulum", want=["fd"], states=[dynamics.State(q=[0.1])]).SerializeToString()
            for _ in range(20):
                with self.connect() as connection:
                    stream, frames = connection.open(EVALUATE, http2.message(request), authorization="Bearer " + self.token)
                    connection.send(frames)
                    self.assertEqual(connection.trailers(stream)["grpc-status"], "0")
        finally:
            done.set()
            for thread in abusers:
                thread.join()

    def test_frames_that_say_nothing(self):
        """SETTINGS, PING, PRIORITY, WINDOW_UPDATE, empty DATA, frames of a type that nobody knows, by the thousand."""
        for number, (name, piece) in enumerate(NOTHINGS.items()):
            self.source = f"127.0.1.{number + 1}"
            found = self.flood(lambda _, piece=piece: piece * 500, prepare=STREAM_ONE)
            with self.subTest(name):
                if name == "ping":
                    self.assert_closed(found)  # the core loses patience first
                else:
                    self.assert_thrown_out(found)

    def test_pings_that_are_answered_but_never_read(self):
        with self.connect() as connection:
            connection.socket.settimeout(3)
            with self.assertRaises(OSError):  # it is closed, or takes no more
                for _ in range(100_000):
                    connection.send(frame(PING, 0, 0, b"12345678") * 1000)

    # --------------------------------------------------------------------------------------------------------- headers

    def test_continuation_without_end(self):
        """A header block that goes on and on, in frames large and small, costs nobody's memory."""
        begin = frame(HEADERS, 0, 1, http2.block(http2.call_fields(HEALTH)))
        for number, more in enumerate((b"", http2.literal("x", "y" * 100), http2.literal("x", "y" * 16000))):
            self.source = f"127.0.2.{number + 1}"
            found = self.flood(lambda _, more=more: frame(http2.CONTINUATION, 0, 1, more), prepare=begin)
            self.assert_thrown_out(found)

    def test_metadata_beyond_the_limit_are_refused(self):
        for size, status in ((30_000, "0"), (33_000, "8"), (60_000, "8")):
            with self.connect() as connection:
                fields = http2.block({**http2.call_fields(HEALTH), "filler": "x" * size})
                pieces = [fields[i:i + 16384] for i in range(0, len(fields), 16384)]
                last = len(pieces) - 1
                connection.send(b"".join(frame(http2.CONTINUATION if i else HEADERS, END_HEADERS if i == last else 0, 1, piece)
                                         for i, piece in enumerate(pieces)) + frame(DATA, http2.END_STREAM, 1, http2.message(b"")))
                self.assertEqual((connection.trailers(1) or {}).get("grpc-status"), status, size)

    def test_header_blocks_that_swell(self):
        self.assert_closed(self.flood(swelling))

    # ----------------------------------------------------------------------------------------------------------- calls

    def test_calls_without_a_token_by_the_thousand(self):
        """Refused, or open to everybody: both cost points."""
        for number, method in enumerate((EVALUATE, HEALTH, "/nothing")):
            self.source = f"127.0.3.{number + 1}"

            def piece(connection, method=method):
                return b"".join(connection.open(method, http2.message(b""))[1] for _ in range(50))
            self.assert_thrown_out(self.flood(piece))

    def test_watchers_of_health_without_a_token_do_not_take_every_seat(self):
        """20 connections with 1000 streams each that never end."""
        held = []
        self.addCleanup(lambda: [connection.close() for connection in held])
        for _ in range(20):
            held.append(self.connect())
            try:
                held[-1].send(b"".join(held[-1].open("/grpc.health.v1.Health/Watch", http2.message(b""))[1] for _ in range(990)))
            except OSError:
                pass
        time.sleep(0.5)

    def test_answers_that_nobody_takes(self):
        """Streams whose window is closed: reflection hands out a file for each question, and the client takes none."""
        with self.connect(greet=False) as connection:
            connection.socket.settimeout(3)
            connection.send(PREFACE + frame(SETTINGS, 0, 0, b"\0\4\0\0\0\0"))  # windows of 0 bytes
            try:
                for _ in range(200):
                    connection.send(reflection_questions(connection, 200))
            except OSError:
                pass
            time.sleep(1)

    def test_messages_that_never_end(self):
        """200 streams that announce 60 MiB and send a byte now and then."""
        with self.connect() as connection:
            for _ in range(200):
                stream, frames = connection.open(HEALTH)
                try:
                    connection.send(frames + frame(DATA, 0, stream, b"\0\3\xc0\0\0" + bytes(16000)))
                except OSError:
                    break
            time.sleep(1)

    def test_a_good_client_in_a_hurry_is_not_taken_for_one_of_them(self):
        """Thousands of calls and states in flight at once, large messages both ways, calls that are given up: all on one connection."""
        with own_channel(self.server.ready["grpc"], self.credentials) as channel:
            stub, given = dynamics_grpc.DynamicsStub(channel), {"metadata": self.good.metadata, "timeout": 60}
            one = dynamics.EvaluateRequest(model="pendulum", want=["fd"], states=[dynamics.State(q=[0.1])])
            for _ in range(4):
                calls = [stub.Evaluate.future(one, **given) for _ in range(900)]
                self.assertEqual({len(call.result().states) for call in calls}, {1})
            for _ in range(200):
                stub.Evaluate.future(one, **given).cancel()
            states = [dynamics.EvaluateStreamRequest(state=dynamics.State(q=[0.1]))] * 5000
            setup = dynamics.EvaluateStreamRequest(setup=dynamics.EvaluateSetup(model="pendulum", want=["fd"]))
            self.assertEqual(sum(1 for _ in stub.EvaluateStream(iter([setup, *states]), **given)), 5000)
            large = dynamics.EvaluateRequest(model="pendulum", want=["fd"], states=[dynamics.State(q=[0.1])] * 50000)
            limits = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1)]
            with grpc.secure_channel(self.server.ready["grpc"], self.credentials, limits) if self.credentials else \
                    grpc.insecure_channel(self.server.ready["grpc"], limits) as wide:
                self.assertEqual(len(dynamics_grpc.DynamicsStub(wide).Evaluate(large, **given).states), 50000)
        self.assertNotIn('"peer":"127.0.0.1:', "".join(line for line in self.server.log().splitlines() if "connection_thrown_out" in line))

    # ------------------------------------------------------------------------------------------------------ connections

    def hold(self, count, say=b""):
        held = []
        self.addCleanup(lambda: [connection.close() for connection in held])
        for _ in range(count):
            connection = socket.create_connection(self.server.ready["grpc"].rsplit(":", 1), timeout=30, source_address=(self.source, 0))
            connection.sendall(say)
            held.append(connection)
        return held

    def test_five_thousand_idle_connections(self):
        """CVE-2023-4785: without descriptors the library accepted nothing any more, for good."""
        for say in (b"", PREFACE + frame(SETTINGS, 0, 0)):
            self.hold(5000, say)
            with own_channel(self.server.ready["grpc"], self.credentials) as channel:
                grpc.channel_ready_future(channel).result(timeout=30)
            self.assertLess(len(os.listdir(f"/proc/{self.server.process.pid}/fd")), 3 * 2048 + 200)

    def test_a_connection_that_says_nothing_is_closed(self):
        """Half a preface, and half a handshake where there is TLS, for ten seconds."""
        held = self.hold(300, PREFACE[:10] if self.context is None else b"\x16\x03\x01\x02\x00\x01")
        held += self.hold(300)
        for connection in held:
            connection.settimeout(30)
            try:
                self.assertEqual(connection.recv(1), b"")
            except ConnectionResetError:
                pass


class UnfinishedMessages(unittest.TestCase):
    """A caller who may call sends a gigabyte of messages that never become whole: the core would keep it all."""

    def test_they_share_the_budget_of_memory(self):
        server = Server(None, "--memory", "256")
        self.addCleanup(server.close)
        good = GoodClient(server)
        try:
            with http2.Connection(server.ready["grpc"], source="127.0.0.2", timeout=10) as connection:
                for _ in range(32):  # 60 MiB are announced by each
                    stream, frames = connection.open(EVALUATE)
                    connection.send(frames + frame(DATA, 0, stream, b"\0\3\xc0\0\0"))
                sent = 0
                try:
                    while sent < 1 << 30:
                        for stream in range(1, 65, 2):
                            connection.send(frame(DATA, 0, stream, bytes(16000)))
                            sent += 16000
                        connection.send(frame(WINDOW_UPDATE, 0, 0, b"\0\0\0\1"))
                except OSError:
                    pass
                with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
                    peak = int(file.read().split("VmHWM:")[1].split()[0])
        finally:
            good.stop()
        print(f"sent {sent}, peak {peak} kB", file=sys.stderr, end=" ")
        self.assertEqual(good.trouble, [])
        self.assertLess(peak, 600 << 10)


class FloodsOverTls(Floods):
    """The same, where every byte is encrypted."""

    tls = True


class FewFiles(unittest.TestCase):
    def test_there_are_descriptors_for_everybody_when_they_are_few(self):
        """Both faces share what the limit leaves; jobs and the store have theirs."""
        few = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300)); os.execv(sys.argv[1], sys.argv[1:])"
        server = Server(prefix=("/usr/bin/python3", "-c", few))
        self.addCleanup(server.close)
        held = [socket.create_connection(server.ready["grpc"].rsplit(":", 1)) for _ in range(1000)]
        with own_channel(server.ready["grpc"]) as channel:
            models_grpc.ModelsStub(channel).Create(models.CreateModelRequest(document=json.dumps(pendulum())), timeout=30)
        job = server.submit({"model": "pendulum", "kind": "dynamics", "t_end": 0.1})
        self.assertEqual(server.wait(job)["state"], "succeeded")
        for connection in held:
            connection.close()


if __name__ == "__main__":
    main()
