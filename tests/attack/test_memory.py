"""Memory as a target: whatever is sent, the server keeps to its budget, says what does not fit, and serves the others."""
import os
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

from harness import Server, main, pendulum  # noqa: E402

MIB = 1 << 20
BUDGET = 256
OTHERS = 96  # MiB: program, database, threads, and what is too small to count


def memory_mib(server, key="VmHWM"):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key)) / 1024


def bomb(element, size=60 * MIB):
    return b"[" + b",".join([element] * (size // (len(element) + 1))) + b"]"


class GoodClient(threading.Thread):
    """Evaluates, submits and looks as long as it is told to; every answer has to be a good one."""

    def __init__(self, server):
        super().__init__()
        self.server, self.ending, self.rounds, self.trouble = server, False, 0, []

    def run(self):
        states = {"want": ["fd"], "states": [{"q": [0.1], "qd": [0], "u": [0]}]}
        job = {"model": "pendulum", "kind": "statics", "inputs": {"motor": 0.1}}
        while not self.ending:
            for method, path, body, status in (("POST", "/v1/models/pendulum:evaluate", states, 200), ("POST", "/v1/jobs", job, 202),
                                               ("GET", "/healthz", None, 200), ("GET", "/v1/models", None, 200),
                                               ("GET", "/metrics", None, 200)):
                try:
                    reply = self.server.request(method, path, body, timeout=20)
                    if reply.status != status:
                        self.trouble.append((path, reply.status, reply.body[:200]))
                except OSError as error:
                    self.trouble.append((path, repr(error)))
            self.rounds += 1
            time.sleep(0.05)


class Memory(unittest.TestCase):
    def start(self, *flags):
        server = Server(None, "--memory", str(BUDGET), *flags)
        self.addCleanup(server.close)
        self.assertEqual(server.request("PUT", "/v1/models/pendulum", pendulum()).status, 201)
        good = GoodClient(server)
        good.start()
        self.addCleanup(self.end, server, good)
        return server

    def end(self, server, good):
        good.ending = True
        good.join()
        self.assertEqual(good.trouble, [])
        self.assertGreater(good.rounds, 3)
        self.assertLess(memory_mib(server), BUDGET + OTHERS)
        deadline = time.monotonic() + 30
        while memory_mib(server, "VmRSS") > OTHERS and time.monotonic() < deadline:  # it is given back
            time.sleep(0.2)
        self.assertLess(memory_mib(server, "VmRSS"), OTHERS)

    def together(self, calls):
        replies = [None] * len(calls)

        def one(i, call):
            replies[i] = call()
        threads = [threading.Thread(target=one, args=(i, call)) for i, call in enumerate(calls)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return replies

    def test_documents_that_are_mostly_brackets_are_refused(self):
        server = self.start()
        for element in (b"[]", b"{}", b"[[]]", b'{"a":{}}', b'""', b"0"):
            body = bomb(element)
            for path in ("/v1/models", "/v1/jobs", "/v1/models/pendulum:evaluate", "/v1/evaluate"):
                reply = server.request("POST", path, body)
                self.assertEqual((reply.status, reply.json()["code"]), (413, "too_large"), (path, element, reply.body[:300]))
                self.assertIn("memory", reply.json()["detail"])

    def test_many_of_them_at_once_take_no_more_than_the_budget(self):
        server = self.start()
        body = b'{"model":' + bomb(b"0.5", 12 * MIB) + b"}"  # each would have a tree of 150 MiB
        replies = self.together([lambda: server.request("POST", "/v1/jobs", body)] * 12)
        for reply in replies:
            self.assertIn(reply.status, (400, 413, 503), reply.body[:300])
            if reply.status == 503:
                self.assertTrue(reply.headers["Retry-After"])


if __name__ == "__main__":
    main()
