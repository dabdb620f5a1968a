"""Clients that are slow on purpose: they wait for themselves, and give up their places when somebody else needs one."""
import json
import os
import resource
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

from harness import Server, main, pendulum  # noqa: E402

CROWD = 2200  # more than the server takes
HEAD = b"POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n"


def large_evaluation():
    """Answered by 8 MB: more than the kernel takes for a client (4 MiB)."""
    return b'{"want":["fd","id","mass","tau"],"states":[' + b",".join([b'{"q":[0.1],"qd":[0],"u":[0]}'] * 100_000) + b"]}"


def allow_files(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))


class Crowd:
    """Connections that stay within one request, a byte at a time."""

    def __init__(self, server, count, start, more, pause_s, host=None):
        self.sockets = []
        self.stopping = False
        for _ in range(count):
            self.sockets.append(socket.create_connection((host or server.host, server.port), timeout=10))
            self.sockets[-1].setblocking(False)
            self.send(self.sockets[-1], start)
        self.more, self.pause_s = more, pause_s
        self.thread = threading.Thread(target=self.dribble)
        self.thread.start()

    @staticmethod
    def send(sock, text):
        try:
            sock.send(text)
        except OSError:
            pass  # closed

    def dribble(self):
        while not self.stopping:
            for sock in self.sockets:
                self.send(sock, self.more)
            time.sleep(self.pause_s)

    def close(self):
        self.stopping = True
        self.thread.join()
        for sock in self.sockets:
            sock.close()


def read_all(sock):
    answer = b""
    try:
        while chunk := sock.recv(1 << 16):
            answer += chunk
    except OSError:
        pass
    return answer


class SlowClients(unittest.TestCase):
    def start(self, *flags, **options):
        server = Server(None, *flags, **options)
        self.addCleanup(server.close)
        self.assertEqual(server.request("PUT", "/v1/models/pendulum", pendulum()).status, 201)
        return server

    def be_served(self, server, rounds):
        """On a new connection each time, and on one that is kept."""
        states = {"want": ["fd"], "states": [{"q": [0.1], "qd": [0], "u": [0]}]}
        kept = server.connect(timeout=10)
        for _ in range(rounds):
            for path, body in (("/healthz", None), ("/v1/models", None), ("/v1/models/pendulum:evaluate", states)):
                method = "POST" if body else "GET"
                self.assertEqual(server.request(method, path, body, timeout=10).status, 200)
                self.assertEqual(server.request_on(kept, method, path, body).status, 200)
            time.sleep(0.2)
        kept.close()

    def crowd_out(self, start, more):
        allow_files(CROWD + 200)
        server = self.start()
        crowd = Crowd(server, CROWD, start, more, 2)
        try:
            self.be_served(server, 20)
        finally:
            crowd.close()

    def test_two_thousand_who_send_their_headers_byte_by_byte_keep_nobody_out(self):
        self.crowd_out(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX-A: ", b"b")

    def test_two_thousand_who_send_their_bodies_byte_by_byte_keep_nobody_out(self):
        self.crowd_out(HEAD + b"\r\n{", b" ")

    def test_two_thousand_who_say_nothing_keep_nobody_out(self):
        self.crowd_out(b"", b"")

    def test_two_thousand_who_ask_for_health_again_and_again_keep_no_caller_out(self):
        self.crowd_out(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")

    def test_who_never_ends_a_request_or_never_takes_a_reply_is_closed(self):
        server = self.start()
        large = large_evaluation()

        def connect(text, buffer=None):
            sock = socket.socket()
            if buffer:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            sock.connect((server.host, server.port))
            sock.settimeout(10)
            sock.sendall(text)
            self.addCleanup(sock.close)
            return sock
        head = connect(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX-A: ")
        body = connect(HEAD + b"\r\n{")
        chunks = connect(HEAD.replace(b"Content-Length: 100000", b"Transfer-Encoding: chunked") + b"\r\n1\r\n{\r\n")
        reader = connect(b"POST /v1/models/pendulum:evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         b"Content-Length: %d\r\n\r\n" % len(large) + large, 4096)
        steady = connect(HEAD.replace(b"100000", b"1000000") + b"\r\n{")
        sent, taken, open_heads = 1, 0, True
        for _ in range(85):
            time.sleep(1)
            for sock, more in ((head, b"b"), (body, b" "), (chunks, b"1\r\n \r\n")):
                Crowd.send(sock, more)
            steady.sendall(b" " * 10000)  # slow, but steadily so
            sent += 10000
            try:
                taken += len(reader.recv(600))
            except ConnectionResetError:
                open_heads = False
        for sock, word in ((head, b"header"), (body, b"body"), (chunks, b"body")):
            answer = read_all(sock)
            self.assertTrue(answer.startswith(b"HTTP/1.1 408 "), answer)
            head, body = answer.split(b"\r\n\r\n")
            self.assertEqual(json.loads(body)["code"], "timed_out")
            self.assertIn(word, body)
            self.assertIn(b"Content-Length: %d\r\n" % len(body), head + b"\r\n")
            self.assertIn(json.loads(body)["request_id"].encode(), head)
        rest = len(read_all(reader)) if open_heads else 0
        self.assertLess(taken + rest, 8_000_000)  # cut off
        steady.sendall(b" " * (1_000_000 - sent - 1) + b"}")
        self.assertIn(b"HTTP/1.1 400 ", steady.recv(1 << 16))  # an empty document, and nothing about time
        metrics = server.request("GET", "/metrics").body.decode()
        for reason, count in (("header", 1), ("body", 2)):
            self.assertIn(f'tendril_http_connections_dropped_total{{reason="{reason}"}} {count}\n', metrics)
        server.wait_for_log('"slow_client"')

    def test_within_one_address_the_slow_make_room_too(self):
        server = self.start("--connections-per-address", "20")
        crowd = Crowd(server, 20, HEAD + b"\r\n{", b" ", 0.5)
        try:
            time.sleep(2)
            self.assertEqual(server.request("GET", "/v1/models", timeout=10).status, 200)
        finally:
            crowd.close()

    def test_when_all_are_busy_the_reserve_is_for_health_and_operators(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))
            except OSError:
                self.skipTest("this machine has no address but loopback")
            host = probe.getsockname()[0]
        server = Server(None, "--http", "0.0.0.0:0", "--insecure", "--connections", "16", "--connections-per-address", "0",
                        "--connections-per-caller", "0")
        self.addCleanup(server.close)
        server.host = host
        self.assertEqual(server.request("PUT", "/v1/models/pendulum", pendulum()).status, 201)
        waiting = [server.connect() for _ in range(16)]
        for connection in waiting:
            self.addCleanup(connection.close)
        job = server.submit({"model": "pendulum", "kind": "dynamics", "t_end": 1e5, "integrator": {"method": "rk4", "h": 0.001}})
        server.wait(job, ("running",))
        for connection in waiting:
            connection.request("GET", f"/v1/jobs/{job}/events", headers={"Accept": "text/event-stream"})
        time.sleep(1)
        self.assertEqual(server.request("GET", "/healthz", timeout=10).status, 200)
        reply = server.request("GET", "/v1/models", timeout=10)
        self.assertEqual((reply.status, reply.json()["code"]), (503, "unavailable"))
        self.assertTrue(reply.headers["Retry-After"])
        server.host = "127.0.0.1"
        self.assertEqual(server.request("GET", "/v1/models", timeout=10).status, 200)
        self.assertEqual(server.request("POST", f"/v1/jobs/{job}:cancel", timeout=10).status, 202)


if __name__ == "__main__":
    main()
