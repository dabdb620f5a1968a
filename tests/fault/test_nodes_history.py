"""Rounds of faults over three nodes of one database, and the checker of test_history.py, unchanged: guarantees 1-4 and 6.

A fault is a kill -9 of a node, of a worker, of a session of the database (which makes it begin anew), an immediate shutdown of
the database, a node that stands still beyond its lease and goes on, or one that is cut off from the database and from clients
and comes back. Each node is in a network namespace of its own, where root may make some (elsewhere nobody is cut off), and
their clocks are an hour apart, where there is libfaketime. Clients ask any node, and another one when it does not answer.

TENDRIL_FAULT_ROUNDS sets the number of rounds (10: two minutes, 200: forty), TENDRIL_FAULT_SEED repeats a run.
"""
import datetime
import glob
import http.client
import os
import random
import signal
import subprocess
import sys
import time
import unittest

for folder in ("../integration", "../support"):
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), folder))

import test_history as history  # noqa: E402
from harness import BIN, Server, main, soft_arm  # noqa: E402
from with_postgresql import Postgresql  # noqa: E402

history.ROUNDS = int(os.environ.get("TENDRIL_FAULT_ROUNDS", "10"))
FAKETIME = (glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1") or [None])[0]
NODES, HOURS = 3, (0, 1, -1)


class Network:
    """A bridge and a namespace for each node; None of it where root may not."""

    def __init__(self):
        self.bridge, self.third = f"tnd{os.getpid() % 100000}", os.getpid() % 250 + 1
        self.names = [f"{self.bridge}n{i}" for i in range(NODES)]

    def ip(self, *words):
        subprocess.run(["ip", *words], check=True, capture_output=True)

    def address(self, node):
        return f"10.213.{self.third}.{node + 2}"

    def make(self):
        self.host = f"10.213.{self.third}.1"
        try:
            self.ip("link", "add", self.bridge, "type", "bridge")
            self.ip("addr", "add", f"{self.host}/24", "dev", self.bridge)
            self.ip("link", "set", self.bridge, "up")
            for i, name in enumerate(self.names):
                self.ip("netns", "add", name)
                self.ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
                self.ip("-n", name, "addr", "add", f"{self.address(i)}/24", "dev", "eth0")
                for link in ("lo", "eth0"):
                    self.ip("-n", name, "link", "set", link, "up")
                self.ip("link", "set", name, "up", "master", self.bridge)
        except (OSError, subprocess.CalledProcessError):
            self.remove()
            return False
        return True

    def cut(self, node):
        self.ip("link", "set", self.names[node], "nomaster")

    def join(self, node):
        self.ip("link", "set", self.names[node], "master", self.bridge)

    def remove(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
        subprocess.run(["ip", "link", "del", self.bridge], check=False, capture_output=True)


class Node(Server):
    """Started as the unit of systemd does it: again, when it ends because it cannot reach the database."""

    def start(self):
        end = time.monotonic() + 60
        while True:
            try:
                return super().start()
            except AssertionError:
                self.process.wait()
                away = self.log().rstrip().endswith("the database cannot be reached: the log says why")
                if not away or time.monotonic() > end:
                    raise


class Cluster:
    """The nodes as a client sees them that knows all their addresses."""

    def __init__(self, case):
        self.random = case.random
        self.network = Network() if os.geteuid() == 0 else None
        if self.network and not self.network.make():
            self.network = None
        if self.network:
            case.addCleanup(self.network.remove)
        self.database = Postgresql(durable=True, listen=self.network.host if self.network else "")
        case.addCleanup(self.database.close)
        self.nodes = []
        for i in range(NODES):
            self.nodes.append(self.make_node(i))
            case.addCleanup(self.nodes[i].close)

    def make_node(self, i):
        flags, prefix, environment = ["--node", f"n{i}", "--grpc", "none"], (), {}
        if self.network:
            url = f"postgresql://postgres@{self.network.host}:{self.database.port}/postgres"
            flags += ["--http", f"{self.network.address(i)}:0", "--insecure"]
            prefix = ("ip", "netns", "exec", self.network.names[i])
        else:
            url = self.database.url("postgres")
        if FAKETIME and HOURS[i]:  # the last one: else waits of a monotonic clock are over at once
            environment = {"LD_PRELOAD": FAKETIME, "FAKETIME": f"{HOURS[i]:+d}h", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                           "FAKETIME_FORCE_MONOTONIC_FIX": "0",
                           "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
        return Node(None, "--store", url, *flags, workers=1, environment=environment, prefix=prefix)

    def request(self, method, path, body=None, headers=None, timeout=4):
        """A request that may be sent again goes to another node when one does not answer, or says that it cannot now."""
        again = method == "GET" or "Idempotency-Key" in (headers or {}) or path.endswith(":cancel")
        end = time.monotonic() + 120
        while True:
            node = self.random.choice(self.nodes)
            try:
                reply = node.request(method, path, body, headers, min(timeout, 4))
                if reply.status != 503:
                    return reply
            except (OSError, http.client.HTTPException):
                if not again:
                    raise
            assert time.monotonic() < end, "no node answers: " + "\n".join(node.log()[-2000:] for node in self.nodes)
            time.sleep(0.1)

    def submit(self, job):
        """With a key: an answer may get lost."""
        reply = self.request("POST", "/v1/jobs", job, {"Idempotency-Key": f"fed-{self.random.getrandbits(60)}"})
        assert reply.status == 202, reply.body
        return reply.json()["id"]

    def job(self, job):
        reply = self.request("GET", f"/v1/jobs/{job}")
        assert reply.status == 200, reply.body
        return reply.json()

    def wait(self, job):
        """Until its end, as long as it gets on."""
        moves, end = None, 0
        while (now := self.job(job))["state"] not in history.TERMINAL:
            if (now["state"], now["attempt"], now["progress"]) != moves:
                moves, end = (now["state"], now["attempt"], now["progress"]), time.monotonic() + history.STUCK_S
            assert time.monotonic() < end, now
            time.sleep(0.05)
        return now

    def workers_running(self):
        return [pid for node in self.nodes if node.process.poll() is None for pid in node.workers_running()]


class Nodes(history.Faults):
    def setUp(self):
        self.random = random.Random(history.SEED)
        self.server = self.cluster = Cluster(self)
        self.impaired, self.shaken, self.diary = None, [], []
        self.addCleanup(lambda: self.heal(now=True))
        self.assertEqual(self.server.request("POST", "/v1/models", soft_arm(), {"Idempotency-Key": "model"}).status, 201)
        self.history, self.documents, self.lost = history.History(), history.documents(), []
        self.submitter = history.Submitter(self.server)
        self.addCleanup(self.submitter.stop)

    # ------------------------------------------------------------------------------------------------ what happens

    def heal(self, now=False):
        """The node that was impaired is well again when its time is up."""
        if self.impaired and (now or time.monotonic() >= self.impaired[0]):
            undo, self.impaired = self.impaired[1], None
            undo()

    def impair(self, seconds, undo):
        self.impaired = (time.monotonic() + self.random.uniform(*seconds), undo)

    def observe(self, seconds):
        super().observe(seconds)
        self.heal()

    def round(self, fault):
        while self.impaired:
            self.observe(0.2)
        begun = time.monotonic()
        super().round(fault)
        self.diary.append(f"{begun:.1f} {fault.__name__}, until {time.monotonic():.1f}")

    def check_lost(self, when, job, attempt):
        """By the times of the database, whose clock is this machine's: what a client sees may come late, when the nodes that it asks
        first are the ones that are cut off. One that had its end just before it was to be lost was not. What is told of a failure: what
        was done when."""
        off = time.time() - time.monotonic()
        states = [event for event in self.events(job) if event["event"] == "state"]
        times = [datetime.datetime.fromisoformat(event["time"]).timestamp() - off for event in states]
        entries = [(max(at, when + 1e-3), event["state"], event["attempt"]) for at, event in zip(times, states)]
        try:
            history.check_replacement((when, attempt), entries)
        except AssertionError as error:
            near = [line for line in self.diary if abs(float(line.split()[0]) - when) < 60]
            said = [f"n{i}: {line}" for i, node in enumerate(self.cluster.nodes) for line in node.log().splitlines()
                    if "node_fenced" in line or "node_back" in line or job in line]
            raise AssertionError("\n".join([str(error), f"off {off:.1f}", *near, *said])) from None

    def choose(self):
        """A node, and what it has: lost, when it goes."""
        i = self.random.randrange(NODES)
        jobs = [self.server.job(job) for job in self.history.open_jobs()]
        return i, [(time.monotonic(), job["id"], job["attempt"]) for job in jobs if job["state"] == "running" and job["node"] == f"n{i}"]

    def kill_node(self):
        i, lost = self.choose()
        self.cluster.nodes[i].kill()
        self.lost += lost
        self.impair((0, 20), self.cluster.nodes[i].start)

    def kill_node_and_start_it(self):
        i, lost = self.choose()
        self.cluster.nodes[i].kill()
        self.lost += lost
        self.cluster.nodes[i].start()

    def stop_node(self):
        """Beyond its lease; what it had is known to be lost when it stood still for longer."""
        i, lost = self.choose()
        node = self.cluster.nodes[i]
        node.process.send_signal(signal.SIGSTOP)
        self.lost += lost
        self.impair((14, 18), lambda: node.process.send_signal(signal.SIGCONT))

    def cut_node(self):
        i, lost = self.choose()
        if not self.cluster.network:
            return
        self.cluster.network.cut(i)
        self.lost += lost
        self.impair((14, 18), lambda: self.cluster.network.join(i))

    def cut_node_for_a_moment(self):
        i, _ = self.choose()
        if self.cluster.network:
            self.cluster.network.cut(i)
            self.impair((1, 7), lambda: self.cluster.network.join(i))

    def drain_node(self):
        i, _ = self.choose()
        self.assertEqual(self.cluster.nodes[i].stop(), 0)
        self.cluster.nodes[i].start()

    def shake(self):
        self.shaken.append(time.monotonic())

    def kill_session(self):
        """kill -9: the database ends all others and recovers."""
        self.shake()
        pids = self.cluster.database.sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'tendrild'").split()
        if pids:
            self.signal_if_there(int(self.random.choice(pids)), signal.SIGKILL)

    def end_sessions(self):
        self.cluster.database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tendrild' AND random() < 0.5")

    def restart_database(self):
        self.shake()
        self.cluster.database.stop("immediate")
        time.sleep(self.random.choice((0, 0.5, 5, 10)))
        self.cluster.database.start()
        self.shake()

    def faults(self):
        """Rounds of ten, each with every kind."""
        kinds = [self.kill_node, self.kill_node_and_start_it, self.kill_worker, self.kill_session, self.end_sessions, self.restart_database,
                 self.stop_node, self.cut_node, self.cut_node_for_a_moment, self.drain_node]
        while True:
            yield from self.random.sample(kinds, len(kinds))

    # ------------------------------------------------------------------------------------------- what must be true

    def test_rounds_of_faults_break_no_guarantee(self):
        super().test_rounds_of_faults_break_no_guarantee()
        self.heal(now=True)
        for node in self.cluster.nodes:
            self.assertEqual(node.request("GET", "/readyz").status, 200)
        done = subprocess.run([os.path.join(BIN, "tendrild"), "store", "check", "--store", self.cluster.database.url("postgres")], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr)

    def left_alone(self):
        """Peace, first: everybody is well. After an outage of the database nobody is judged for a while, so what was lost near one
        may have taken longer."""
        self.heal(now=True)
        quiet = [one for one in self.lost if not any(one[0] - 15 < at < one[0] + 30 for at in self.shaken)]
        print(f"{len(self.lost)} attempts lost, {len(quiet)} of them far from an outage of the database", file=sys.stderr)
        self.lost = quiet
        return super().left_alone()


if __name__ == "__main__":
    main()
