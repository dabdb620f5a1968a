"""Clients that do not read what they asked for hold back neither writers nor the write-ahead log."""
import concurrent.futures
import http.client
import os
import socket
import time

import numpy as np

from harness import ServerTest, main, npz, pendulum, soft_arm

BOUND = 32 << 20  # the store's own bound is 24 MiB and a transaction
SLOW = 12


class SlowReaders(ServerTest):
    def wal_bytes(self):
        path = os.path.join(self.server.folder, "tendril.db-wal")
        return os.path.getsize(path) if os.path.exists(path) else 0

    def ask(self, path, accept):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.settimeout(60)
        connection.connect((self.server.host, self.server.port))
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\nConnection: close\r\n\r\n".encode())
        self.addCleanup(connection.close)
        return connection

    def put_models(self, count):
        """Revisions of 60 kB each, on one connection."""
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=60)
        largest = 0
        for k in range(count):
            model = pendulum(name="m", description=f"{k}".ljust(60_000, "x"))
            reply = self.server.request_on(connection, "PUT", "/v1/models/m", model)
            self.assertIn(reply.status, (200, 201), reply.body[:500])
            largest = max(largest, self.wal_bytes())
        connection.close()
        return largest

    def test_the_log_stays_bounded_and_every_slow_client_gets_its_whole_answer_in_the_end(self):
        self.assertEqual(self.server.request("POST", "/v1/models", pendulum()).status, 201)
        labels = {f"k{i}": "v" * 60 for i in range(8)}
        last = None
        for _ in range(300):
            last = self.server.submit({"model": "pendulum", "kind": "statics", "inputs": {"motor": 1}, "labels": labels})
        lists = [self.ask("/v1/jobs?limit=300", "application/json") for _ in range(SLOW)]
        streams = [self.ask(f"/v1/jobs/{last}/events", "text/event-stream") for _ in range(SLOW)]
        largest = self.put_models(800)
        self.assertLess(largest, BOUND)
        self.assertGreater(largest, 1 << 20)  # the log was in use
        for connection in lists:
            answer = b""
            while chunk := connection.recv(1 << 16):
                answer += chunk
            self.assertEqual(answer.count(b'"retry_of"'), 300)
            self.assertTrue(answer.rstrip().endswith(b"}"))
        self.server.wait(last)
        end = time.monotonic() + 60
        for connection in streams:
            answer = b""
            while b'"succeeded"' not in answer and time.monotonic() < end:
                answer += connection.recv(1 << 16)
            self.assertIn(b'"succeeded"', answer)


class LongRequests(ServerTest):
    flags = ("--threads", "1", "--evaluate-seconds", "300")

    def test_a_long_evaluation_does_not_stand_before_a_submission(self):
        self.assertEqual(self.server.request("POST", "/v1/models", soft_arm()).status, 201)
        body = npz(q=np.zeros((20000, 24)), want=np.array(["dfd_dq"]))
        head = {"Content-Type": "application/x-npz", "Accept": "application/x-npz"}
        with concurrent.futures.ThreadPoolExecutor() as pool:
            long = pool.submit(self.server.request, "POST", "/v1/models/soft:evaluate", body, head)
            job = {"model": "soft", "kind": "statics", "inputs": {"cable": 1}}
            submitted = 0
            while not long.done():
                self.server.submit(job)
                submitted += 1
            self.assertEqual(long.result().status, 200, long.result().body[:500])
        self.assertGreater(submitted, 3)


if __name__ == "__main__":
    main()
