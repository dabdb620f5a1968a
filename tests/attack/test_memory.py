"""Memory as a target: whatever is sent, the server keeps to its budget, says what does not fit, and serves the others."""
import os
import re
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

import grpc  # noqa: E402
import numpy as np  # noqa: E402

from grpc_client import models, models_grpc  # noqa: E402
from harness import Server, main, npz, pendulum, soft_arm  # noqa: E402

MIB = 1 << 20
BUDGET = 256
OTHERS = 96  # MiB: program, database, threads, and what is too small to count


def memory_mib(server, key="VmHWM"):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key)) / 1024


def account_mib(server, name):
    text = server.request("GET", "/metrics").body.decode()
    return int(re.search(rf'^tendril_memory_bytes{{account="{name}"}} (-?\d+)$', text, re.MULTILINE)[1]) / MIB


def ritz(modes, side=32, name="block", links=1):
    """Solids of side^3 particles: 12 numbers of each for each mode."""
    return {"format": "tendril.model/1", "name": name, "links": [{"name": f"block{i}", "joint": {"type": "fixed"}, "body": {
        "type": "reduced", "kinematics": "ritz", "length": 0.2, "density": 1100, "young": 3e5, "poisson": 0.35, "damping_time": 0.02,
        "size": [0.04, 0.04, 0.2], "quadrature": {"x": side, "y": side, "z": side},
        "modes": [[[[k + 1, 0, 0, k % 20 + 1]], [], [[1, k // 20, 0, 1]]] for k in range(modes)],
        "tip_points": [[0, 0, 0.2], [0.02, 0, 0.2], [0, 0.02, 0.2]]}} for i in range(links)]}


def chain(count):
    """Their matrices grow with the square of the links."""
    links = [{"name": f"l{k}", "joint": {"type": "revolute", "axis": "y"},
              "body": {"type": "rigid", "mass": 1, "com": [0, 0, -0.5], "inertia": [0.08, 0.08, 0.001]}} for k in range(count)]
    for k in range(1, count):
        links[k].update(parent=f"l{k - 1}", pose={"translation": [0, 0, -1]})
    return {"format": "tendril.model/1", "name": "chain", "gravity": [0, 0, -9.81], "links": links}


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
        deadline = time.monotonic() + 60
        while good.rounds < 3 and good.is_alive() and time.monotonic() < deadline:
            time.sleep(0.05)
        good.ending = True
        good.join()
        self.assertEqual(good.trouble, [])
        self.assertGreaterEqual(good.rounds, 3)
        self.assertLess(memory_mib(server), BUDGET + OTHERS)
        deadline = time.monotonic() + 30
        while not self.has_given_back(server) and time.monotonic() < deadline:
            time.sleep(0.2)
        self.assertTrue(self.has_given_back(server), server.request("GET", "/metrics").body.decode()[-3000:])

    @staticmethod
    def has_given_back(server):
        kept = sum(account_mib(server, name) for name in ("bodies", "parsing", "evaluations", "replies", "calls"))
        return kept < 4 and memory_mib(server, "VmRSS") < account_mib(server, "models") + OTHERS

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

    def test_a_small_document_of_a_huge_model_is_refused(self):
        server = self.start()
        reply = server.request("PUT", "/v1/models/huge", ritz(60, links=10))  # 2 GB when it is frozen
        self.assertEqual((reply.status, reply.json()["code"]), (413, "too_large"), reply.body[:300])
        self.assertIn("memory", reply.json()["detail"])
        reply = server.request("POST", "/v1/evaluate", {"model": ritz(60), "want": ["fd"], "states": [{"q": [0] * 60}]})
        self.assertEqual((reply.status, reply.json()["pointer"]), (413, "/model"), reply.body[:300])

    def test_the_cache_of_models_counts_bytes(self):
        server = self.start()
        for i in range(24):  # 37 MB each: far more than there is in all
            modes = 12
            request = {"model": ritz(modes, name=f"m{i}"), "want": ["id"], "states": [{"q": [0] * modes}]}
            reply = server.request("POST", "/v1/evaluate", request)
            self.assertEqual(reply.status, 200, reply.body[:300])

    def test_a_model_whose_workspace_never_fits_is_too_large_and_one_whose_workspaces_fit_one_by_one_is_evaluated(self):
        server = self.start()
        for links, states, status in ((900, 1, 413), (700, 400, 200)):
            self.assertEqual(server.request("PUT", "/v1/models/chain", chain(links)).status, 201 if links == 900 else 200)
            request = {"want": ["energy"], "states": [{"q": [0] * links}] * states}
            reply = server.request("POST", "/v1/models/chain:evaluate", request)
            self.assertEqual(reply.status, status, reply.body[:300])
            self.assertEqual("Retry-After" in reply.headers, False)

    def test_evaluations_and_their_replies_share_the_budget(self):
        server = self.start()
        body = b'{"want":["dfd_dq"],"states":[' + b",".join([b'{"q":[0.1]}'] * 100_000) + b"]}"
        for reply in self.together([lambda: server.request("POST", "/v1/models/pendulum:evaluate", body)] * 12):
            self.assertIn(reply.status, (200, 503), reply.body[:300])
        arm = soft_arm()
        self.assertEqual(server.request("PUT", "/v1/models/soft", arm).status, 201)
        body, headers = npz(q=np.zeros((100_000, 24)), want=np.array(["dfd_dq"])), {"Content-Type": "application/x-npz"}
        reply = server.request("POST", "/v1/models/soft:evaluate", body, headers)  # 460 MB
        self.assertEqual((reply.status, reply.json()["code"]), (413, "too_large"), reply.body[:300])

    def test_documents_that_were_read_stay_in_no_account(self):
        server = self.start()
        for i in range(150):  # 9 MB of documents: `end` looks at what is left in the accounts
            model = pendulum(description=f"{i % 10}" * 60_000)
            reply = server.request("POST", "/v1/evaluate", {"model": model, "want": ["fd"], "states": [{"q": [0]}]})
            self.assertEqual(reply.status, 200, reply.body[:300])
            if i % 3 == 0:
                job = {"model": model, "kind": "statics", "inputs": {"motor": 0.1}, "labels": {"k": "x" * 200}}
                self.assertEqual(server.request("POST", "/v1/jobs", job).status, 202)

    def test_the_jobs_of_large_sweeps_come_out_of_the_budget(self):
        server = self.start("--memory", "64")
        def sweep(count):
            return {"kind": "sweep", "base": {"model": "pendulum", "kind": "statics", "inputs": {"motor": 0.1}},
                    "vary": [{"path": "/job/inputs/motor", "values": [1e-5 * i for i in range(count)]}]}
        reply = server.request("POST", "/v1/jobs", sweep(20_000))  # 47 MB of rows alone
        self.assertEqual((reply.status, reply.json()["code"]), (413, "too_large"), reply.body[:300])
        self.assertIn("memory", reply.json()["detail"])
        self.assertEqual(server.request("POST", "/v1/jobs", sweep(300)).status, 202)

    def test_bodies_that_do_not_end_take_no_more_than_their_share(self):
        server = self.start()
        sockets = [socket.create_connection((server.host, server.port)) for _ in range(40)]
        for sock in sockets:
            sock.settimeout(5)
            sock.sendall(b"POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         b"Content-Length: 60000000\r\n\r\n")
        for _ in range(40):
            for sock in sockets:
                try:
                    sock.sendall(b" " * MIB)
                except OSError:
                    pass  # refused, or given up for others
        self.assertLess(memory_mib(server), BUDGET + OTHERS)
        for sock in sockets:
            sock.close()

    def test_replies_that_nobody_takes_stay_within_the_budget(self):
        server = self.start()
        body = b'{"want":["fd"],"states":[' + b",".join([b'{"q":[0.1]}'] * 100_000) + b"]}"  # answered by 3 MB
        sockets = []
        for _ in range(120):
            sockets.append(socket.socket())
            sockets[-1].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sockets[-1].settimeout(20)
            sockets[-1].connect((server.host, server.port))
            sockets[-1].sendall(b"POST /v1/models/pendulum:evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                b"Content-Length: %d\r\n\r\n" % len(body) + body)
        starts = [sock.recv(15) for sock in sockets]
        self.assertEqual({start[9:12] for start in starts}, {b"200", b"503"})
        for sock in sockets:
            sock.close()

    def test_messages_of_grpc_share_the_budget(self):
        server = self.start()
        document = "[" + "0.5," * (5 << 20) + "1]"  # 20 MiB

        def create():
            options = [("grpc.max_send_message_length", -1), ("grpc.use_local_subchannel_pool", 1)]
            with grpc.insecure_channel(server.ready["grpc"], options=options) as channel:
                with self.assertRaises(grpc.RpcError) as caught:
                    models_grpc.ModelsStub(channel).Create(models.CreateModelRequest(document=document), timeout=60)
                return caught.exception.code()
        codes = set(self.together([create] * 16))
        self.assertLessEqual(codes, {grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE})
        with grpc.insecure_channel(server.ready["grpc"]) as channel:
            reply = models_grpc.ModelsStub(channel).Get(models.GetModelRequest(name="pendulum"), timeout=20)
            self.assertEqual(reply.ndof, 1)

    def test_many_of_them_at_once_take_no_more_than_the_budget(self):
        server = self.start()
        body = b'{"model":' + bomb(b"0.5", 12 * MIB) + b"}"  # each would have a tree of 150 MiB
        replies = self.together([lambda: server.request("POST", "/v1/jobs", body)] * 12)
        for reply in replies:
            self.assertIn(reply.status, (400, 413, 503), reply.body[:300])
            if reply.status == 503:
                self.assertTrue(reply.headers["Retry-After"])


class Workers(unittest.TestCase):
    def test_a_job_that_wants_more_memory_than_it_may_have_fails_and_says_so(self):
        basis = {name: 3 for name in ("torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z")}
        rod = {"type": "rod", "length": 0.5, "section": {"shape": "circle", "radius": 0.02},
               "material": {"young": 1e6, "poisson": 0.5, "density": 1000, "viscosity": 1e4},
               "strain": {"basis": "legendre", "order": basis}, "quadrature": {"points": 5}}
        links = [{"name": f"r{i}", **({"parent": f"r{i - 1}"} if i else {}), "joint": {"type": "fixed"}, "body": rod} for i in range(8)]
        job = {"model": {"format": "tendril.model/1", "name": "large", "links": links}, "kind": "dynamics", "t_end": 0.0002,
               "integrator": {"method": "generalized_alpha", "h": 0.0001}, "output": {"dt": 0.0001, "fields": ["q"]}}
        states = set()
        for mib in (1, 2, 4, 8, 12, 16, 24, 32, 200):
            server = Server(None, "--worker-memory", str(mib))
            self.addCleanup(server.close)
            done = server.wait(server.submit(job), timeout=60)
            states.add(done["state"])
            if done["state"] == "failed":
                self.assertEqual(done["error"]["code"], "no_memory", done)
                self.assertIn("worker-memory", done["error"]["detail"])
            if mib >= 4:
                done = server.wait(server.submit({"model": pendulum(), "kind": "statics", "inputs": {"motor": 0.1}}))
                self.assertEqual(done["state"], "succeeded", done)
            self.assertNotIn('"crashed"', server.log())
        self.assertEqual(states, {"failed", "succeeded"})


if __name__ == "__main__":
    main()
