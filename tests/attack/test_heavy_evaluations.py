"""Evaluations as weapons: whoever asks for much waits for himself; others, health and reads do not notice."""
import json
import os
import socket
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

from harness import Server, main, make_token, npz, pendulum  # noqa: E402

import numpy as np  # noqa: E402


def long_chain():
    """16 rods of 1020 points each, one coordinate a rod: a small document of a model that takes long."""
    links = []
    for i in range(16):
        rod = {"type": "rod", "length": 0.1, "section": {"shape": "circle", "radius": 0.01},
               "material": {"young": 1e6, "poisson": 0.5, "density": 1000, "viscosity": 100},
               "strain": {"basis": "legendre", "order": {"bending_y": 0}}, "quadrature": {"points": 1020}}
        links.append({"name": f"r{i}", **({"parent": f"r{i - 1}"} if i else {}), "joint": {"type": "fixed"}, "body": rod})
    return {"format": "tendril.model/1", "name": "long", "links": links}


def many_jacobians():
    """An evaluation of the long chain that takes seconds."""
    return b'{"want":["jacobians"],"states":[' + b",".join([b'{"q":[' + b",".join([b"0"] * 16) + b"]}"] * 20) + b"]}"


LARGE = 1536


def large_chain():
    links = []
    for i in range(32):
        basis = {name: 7 for name in ("torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z")}
        rod = {"type": "rod", "length": 0.5, "section": {"shape": "circle", "radius": 0.02},
               "material": {"young": 1e6, "poisson": 0.5, "density": 1000, "viscosity": 1e4},
               "strain": {"basis": "legendre", "order": basis}, "quadrature": {"points": 10}}
        links.append({"name": f"r{i}", **({"parent": f"r{i - 1}"} if i else {}), "joint": {"type": "fixed"}, "body": rod})
    return {"format": "tendril.model/1", "name": "large", "links": links}


def processor_s(server):
    with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def niceness(pid, folder="/proc"):
    with open(f"{folder}/{pid}/stat", encoding="ascii") as file:
        return int(file.read().rsplit(")", 1)[1].split()[16])


def niceness_of_threads(pid):
    return [niceness(thread, f"/proc/{pid}/task") for thread in os.listdir(f"/proc/{pid}/task")]


def children(pid):
    found = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
            found += file.read().split()
    return found


class Evaluations(unittest.TestCase):
    def start(self, *flags, folder=None, **options):
        server = Server(folder, *flags, **options)
        self.addCleanup(server.close)
        return server

    def put_models(self, server):
        for model in (long_chain(), pendulum()):
            self.assertEqual(server.request("PUT", "/v1/models/" + model["name"], model).status, 201)
        self.ask_for_one(server)  # the model is in the cache from now on

    def ask_for_one(self, server, want="jacobians"):
        return server.request("POST", "/v1/models/long:evaluate", {"want": [want], "states": [{"q": [0.1] * 16}]})

    def heavy(self, server):
        """Far more than ten seconds of computing, in a small body."""
        return npz(q=np.full((3000, 16), 0.1), want=np.array(["dfd_dq"])), {"Content-Type": "application/x-npz", "Accept": "application/x-npz"}

    def test_four_who_ask_for_jacobians_and_hang_up_hold_up_nobody(self):
        server = self.start()
        self.put_models(server)
        body = many_jacobians()
        for _ in range(4):
            with socket.create_connection((server.host, server.port)) as s:
                s.sendall(b"POST /v1/models/long:evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                          b"Content-Length: %d\r\n\r\n" % len(body) + body)
                time.sleep(0.05)
        for _ in range(20):
            self.assertEqual(server.request("GET", "/healthz", timeout=2).status, 200)

    def test_threads_and_workers_that_compute_stand_behind_those_that_answer(self):
        server = self.start()
        server.request("PUT", "/v1/models/pendulum", pendulum())
        body = {"want": ["fd"], "states": [{"q": [0.01 * i]} for i in range(3000)]}
        self.assertEqual(server.request("POST", "/v1/models/pendulum:evaluate", body).status, 200)
        server.wait(server.submit({"model": "pendulum", "kind": "dynamics", "t_end": 0.1, "output": {"dt": 0.1}}))
        for _ in range(150):  # so that each thread that writes has had one
            self.assertEqual(server.request("PUT", "/v1/models/pendulum?validate=1", pendulum()).status, 200)
        main_thread, threads = niceness(server.process.pid), niceness_of_threads(server.process.pid)
        self.assertLess(sum(found > main_thread for found in threads), 25, "small changes do not stand behind what is computed")
        self.assertIn(min(19, main_thread + 5), threads, "one of the pool has computed")
        self.assertGreater(threads.count(main_thread), 1, "event loops are as they were")
        workers = [niceness(pid) for pid in children(server.process.pid)]
        self.assertTrue(workers)
        self.assertEqual(set(workers), {min(19, main_thread + 10)})

    def test_an_evaluation_has_a_time_and_says_so(self):
        server = self.start("--evaluate-seconds", "1")
        self.put_models(server)
        body, headers = self.heavy(server)
        reply = server.request("POST", "/v1/models/long:evaluate", body, headers)
        self.assertEqual((reply.status, reply.json()["code"]), (413, "too_large"), reply.body[:300])
        self.assertIn("evaluate-seconds", reply.json()["detail"])
        self.assertEqual(server.request("GET", "/v1/limits").json()["evaluate_seconds"], 1)
        self.assertEqual(self.ask_for_one(server, "id").status, 200)

    def test_what_is_hopeless_is_refused_at_once(self):
        server = self.start("--evaluate-seconds", "1")
        self.put_models(server)
        before = processor_s(server)
        body = npz(q=np.zeros((100000, 16)), want=np.array(["dfd_dq"]))
        reply = server.request("POST", "/v1/models/long:evaluate", body, {"Content-Type": "application/x-npz"})
        self.assertEqual((reply.status, reply.json()["code"]), (413, "too_large"), reply.body[:300])
        self.assertIn("would take", reply.json()["detail"])
        self.assertLess(processor_s(server) - before, 1)

    def test_a_client_that_leaves_ends_what_was_computed_for_it(self):
        server = self.start("--evaluate-seconds", "600")
        self.put_models(server)
        body, headers = self.heavy(server)
        connection = server.connect()
        connection.request("POST", "/v1/models/long:evaluate", body, headers)
        time.sleep(0.5)
        connection.close()
        time.sleep(2)
        before = processor_s(server)
        time.sleep(1)
        self.assertLess(processor_s(server) - before, 0.3)

    def test_a_client_that_leaves_ends_what_is_computed_within_a_state(self):
        server = self.start("--evaluate-seconds", "600")
        self.assertEqual(server.request("PUT", "/v1/models/large", large_chain()).status, 201)
        states = {"want": ["dfd_dq", "dfd_dqd", "jacobians"], "states": [{"q": [0.01] * LARGE}]}
        self.assertEqual(server.request("POST", "/v1/models/large:evaluate", states).status, 200)
        costs = []
        for stays in (True, False, True, False):
            before = processor_s(server)
            connection = server.connect()
            connection.request("POST", "/v1/models/large:evaluate", json.dumps(states), {"Content-Type": "application/json"})
            if stays:
                self.assertEqual(connection.getresponse().read(2), b'{"')
            connection.close()
            self.wait_until_idle(server)
            costs.append(processor_s(server) - before)
        self.assertLess(max(costs[1::2]), 0.4 * min(costs[0::2]), costs)

    def wait_until_idle(self, server):
        before = -1
        while (now := processor_s(server)) - before > 0.01:
            before = now
            time.sleep(0.3)

    def test_one_caller_does_not_have_every_thread(self):
        with tempfile.TemporaryDirectory() as folder:
            greedy, modest = make_token(folder, "run", "greedy"), make_token(folder, "run", "modest")
            server = self.start("--evaluate-seconds", "20", "--shared", folder=folder, token=modest)
            self.put_models(server)
            body, headers = self.heavy(server)
            headers["Authorization"] = "Bearer " + greedy
            threads = [threading.Thread(target=server.request, args=("POST", "/v1/models/long:evaluate", body, headers))
                       for _ in range(12)]
            for thread in threads:
                thread.start()
            time.sleep(1)
            states = {"want": ["fd"], "states": [{"q": [0.1], "qd": [0], "u": [0]}] * 3000}  # too many for the event loop
            for _ in range(3):
                reply = server.request("POST", "/v1/models/pendulum:evaluate", states, timeout=15)
                self.assertEqual(reply.status, 200)
                self.assertEqual(server.request("GET", "/v1/models", timeout=2).status, 200)
                self.assertEqual(server.request("GET", "/metrics", timeout=5).status, 200)
            self.assertTrue(any(thread.is_alive() for thread in threads))
            server.process.terminate()  # does not wait for them either
            server.process.wait(timeout=60)
            for thread in threads:
                thread.join()

    def test_what_is_small_does_not_wait_for_the_end_of_what_many_others_have_begun(self):
        callers = 6
        with tempfile.TemporaryDirectory() as folder:
            greedy, modest = [make_token(folder, "run", f"greedy{i}") for i in range(callers)], make_token(folder, "run", "modest")
            server = self.start("--evaluate-seconds", "60", "--threads", "2", "--shared", "--memory", "4096", folder=folder, token=modest)
            self.put_models(server)
            self.assertEqual(server.request("PUT", "/v1/models/large", large_chain()).status, 201)
            body, headers = self.heavy(server)
            few = npz(q=np.full((12, LARGE), 0.01), want=np.array(["dfd_dq"]))
            ended = []

            def ask(name, body, headers):
                try:
                    ended.append(server.request("POST", f"/v1/models/{name}:evaluate", body, headers, timeout=120).status)
                except OSError:
                    pass
            threads = []
            for i, token in enumerate(greedy):  # many states, and states of which each takes long
                what = ("long", body) if i % 2 else ("large", few)
                threads.append(threading.Thread(target=ask, args=(*what, {**headers, "Authorization": "Bearer " + token})))
                threads[-1].start()
            time.sleep(1)
            states = {"want": ["fd"], "states": [{"q": [0.1], "qd": [0], "u": [0]}] * 3000}  # too many for the event loop
            for _ in range(5):
                self.assertEqual(server.request("POST", "/v1/models/pendulum:evaluate", states, timeout=60).status, 200)
                self.assertEqual(server.request("PUT", "/v1/models/another", pendulum()).status // 100, 2)
                self.assertEqual(server.request("GET", "/healthz", timeout=10).status, 200)
            self.assertEqual(ended, [], "the small ones waited until a large one had ended")
            server.process.kill()
            for thread in threads:
                thread.join()


if __name__ == "__main__":
    main()
