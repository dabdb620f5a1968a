"""Rounds of faults while jobs run, and a checker of what clients saw: guarantees 1-4 and 6 of the job service.

A fault is a kill -9 of a random worker, of the server, of both, a SIGTERM, workers stopped beyond their lease and
continued, or a server stopped for a while. Every state of every job that a client reads is an entry of the history, and
so is the log of events that the server kept. Meanwhile a second client submits small jobs, each with a key, and asks again
with the same key when it got no answer. At the end the checker demands, per job:

  1  acknowledged, never lost, exactly one terminal state, none after it       (also across restarts)
  2  attempts never fall; what a lost attempt sent late changed nothing         (the result is that of its document)
  3  one result, whole, with the bits of the same job left alone; one job per key, however often it was asked for
  4  an attempt that was lost is followed by another within 30 s
  6  a crash is tried again, the third is the end and says so; nothing else makes a job fail

TENDRIL_FAULT_ROUNDS sets the number of rounds (8: each kind of fault), TENDRIL_FAULT_SEED repeats a run.
"""
import http.client
import os
import random
import signal
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

import numpy as np  # noqa: E402
from harness import Server, long_job, main, pendulum, soft_arm  # noqa: E402

ROUNDS = int(os.environ.get("TENDRIL_FAULT_ROUNDS", "8"))
SEED = int(os.environ.get("TENDRIL_FAULT_SEED", str(random.randrange(1 << 30))))
TERMINAL = ("succeeded", "failed", "cancelled")
WORKERS, JOBS_IN_FLIGHT, REPLACED_S, STUCK_S = 2, 5, 30, 240
NPZ = {"Accept": "application/x-npz"}


def documents():
    """A few kinds of jobs, each many seconds long in rounds that last about one."""
    bdf = {"method": "bdf", "rtol": 1e-7, "atol": 1e-10, "h_max": 0.002}
    lists = {"cable": [10 * abs(np.sin(0.37 * k)) for k in range(1500)]}
    return [long_job("soft", 20.0), {**long_job("soft", 20.0), "integrator": bdf},
            {"model": "soft", "kind": "statics", "inputs": lists}]


class History:
    def __init__(self):
        self.seen = {}  # job: [(time, state, attempt)]
        self.document = {}
        self.last = {}

    def read(self, job):
        now, entries = time.monotonic(), self.seen[job["id"]]
        if not entries or entries[-1][1:] != (job["state"], job["attempt"]):
            entries.append((now, job["state"], job["attempt"]))
        self.last[job["id"]] = job

    def open_jobs(self):
        return [job for job, entries in self.seen.items() if not entries or entries[-1][1] not in TERMINAL]

    def moves(self):
        """What changes as long as something gets on, however slow the machine is."""
        return [(job["id"], job["state"], job["attempt"], job["progress"]) for job in self.last.values()]


def check_states(entries, now):
    """Guarantees 1 and 2 and the transition table, as far as a client can see: `now` is the state at the very end."""
    ends = [entry for entry in entries if entry[1] in TERMINAL]
    assert len(ends) == 1 and entries[-1] == ends[0] and now == ends[0][1], (now, entries)
    attempts = [attempt for _, _, attempt in entries]
    assert attempts == sorted(attempts), entries


def check_events(events):
    """The same of the server's own log: states follow the transition table, attempts rise by one, one end, the last."""
    allowed = {None: {"queued"}, "queued": {"running", "cancelled"},
               "running": {"queued", "succeeded", "failed", "cancelled"}}
    state, attempt, seq = None, 0, 0
    for event in events:
        assert event["seq"] > seq and event["attempt"] >= attempt, (event, events)
        seq = event["seq"]
        if event["event"] != "state":
            continue
        assert event["state"] in allowed.get(state, ()), (state, event)
        assert event["attempt"] - attempt == (event["state"] == "running"), (attempt, event)
        state, attempt = event["state"], event["attempt"]
    assert state in TERMINAL, events


def check_replacement(lost, entries):
    """Guarantee 4: attempt `lost` = (time, attempt) has a successor, or the job its end, in time."""
    later = [at for at, state, attempt in entries if at > lost[0] and (attempt > lost[1] or state in TERMINAL)]
    assert later and later[0] - lost[0] < REPLACED_S, (lost, entries)


class Checker(unittest.TestCase):
    """The checker finds what it is there to find."""

    def test_histories_that_break_a_guarantee_are_found(self):
        check_states([(0, "queued", 0), (1, "running", 1), (2, "queued", 1), (3, "running", 2), (4, "succeeded", 2)],
                     "succeeded")
        for entries, now in (([(0, "queued", 0)], "queued"),
                             ([(0, "running", 1), (1, "succeeded", 1), (2, "running", 2)], "running"),
                             ([(0, "failed", 1), (1, "succeeded", 1)], "succeeded"),
                             ([(0, "running", 2), (1, "running", 1), (2, "succeeded", 1)], "succeeded"),
                             ([(0, "running", 1), (1, "succeeded", 1)], "failed")):
            self.assertRaises(AssertionError, check_states, entries, now)

    def test_a_replacement_that_is_late_or_missing_is_found(self):
        check_replacement((10, 1), [(0, "running", 1), (39, "running", 2)])
        self.assertRaises(AssertionError, check_replacement, (10, 1), [(0, "running", 1), (41, "running", 2)])
        self.assertRaises(AssertionError, check_replacement, (10, 1), [(0, "running", 1), (12, "queued", 1)])


    def test_event_logs_that_break_a_guarantee_are_found(self):
        def log(*rows):
            return [{"seq": seq + 1, "event": "state", "state": state, "attempt": attempt}
                    for seq, (state, attempt) in enumerate(rows)]
        check_events(log(("queued", 0), ("running", 1), ("queued", 1), ("running", 2), ("succeeded", 2)))
        for wrong in (log(("queued", 0), ("running", 1)), log(("queued", 0), ("running", 2), ("failed", 2)),
                      log(("queued", 0), ("succeeded", 0)),
                      log(("queued", 0), ("running", 1), ("succeeded", 1), ("succeeded", 1)),
                      log(("queued", 0), ("running", 1), ("succeeded", 1), ("running", 2), ("succeeded", 2))):
            self.assertRaises(AssertionError, check_events, wrong)


class Submitter(threading.Thread):
    """Submits small jobs, one after the other; without an answer it asks again with the same key, as a client should."""

    def __init__(self, server):
        super().__init__()
        self.server, self.over, self.jobs, self.unanswered = server, threading.Event(), {}, 0

    def submit(self, key):
        job = {"model": pendulum(), "kind": "statics", "inputs": {"motor": 0.5}, "labels": {"stream": "keyed"}}
        for _ in range(1000):
            try:
                reply = self.server.request("POST", "/v1/jobs", job, {"Idempotency-Key": key}, timeout=60)
                if reply.status == 202:
                    self.jobs[key] = reply.json()["id"]
                    return
                assert reply.status == 503, reply.body  # stopping
            except (OSError, http.client.HTTPException):
                self.unanswered += 1
            time.sleep(0.05)
        raise AssertionError("the server does not come back")

    def stop(self):
        self.over.set()
        if self.is_alive():
            self.join()

    def run(self):
        number = 0
        while not self.over.wait(0.3):
            number += 1
            self.submit(f"key-{number}")


class Faults(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(SEED)
        self.server = Server(workers=WORKERS)
        self.addCleanup(self.server.close)
        self.assertEqual(self.server.request("POST", "/v1/models", soft_arm()).status, 201)
        self.history, self.documents, self.lost = History(), documents(), []
        self.submitter = Submitter(self.server)
        self.addCleanup(self.submitter.stop)

    # ------------------------------------------------------------------------------------------------ what happens

    def feed(self):
        while len(self.history.open_jobs()) < JOBS_IN_FLIGHT:
            kind = self.random.randrange(len(self.documents))
            job = self.server.submit(self.documents[kind])
            self.history.seen[job], self.history.document[job] = [], kind

    def observe(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for job in self.history.open_jobs():
                self.history.read(self.server.job(job))
            time.sleep(0.05)

    def observe_the_ends(self):
        """Until each job has its own, or nothing moves."""
        moves, end = None, 0
        while self.history.open_jobs() and (self.history.moves() != moves or time.monotonic() < end):
            if self.history.moves() != moves:
                moves, end = self.history.moves(), time.monotonic() + STUCK_S
            self.observe(0.2)

    def running(self):
        """(job, attempt) that clients see running."""
        jobs = [self.server.job(job) for job in self.history.open_jobs()]
        return [(job["id"], job["attempt"]) for job in jobs if job["state"] == "running"]

    def workers(self):
        return self.server.workers_running()

    @staticmethod
    def signal_if_there(pid, number):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass  # it had just finished

    def kill_worker(self):
        workers = self.workers()
        if workers:
            self.signal_if_there(self.random.choice(workers), signal.SIGKILL)

    def kill_server(self):
        self.lost += [(time.monotonic(), *one) for one in self.running()]
        self.server.kill()
        self.server.start()

    def kill_starting_servers(self):
        """Again and again, at moments of its start."""
        self.lost += [(time.monotonic(), *one) for one in self.running()]
        self.server.kill()
        for _ in range(3):
            with subprocess.Popen(self.server.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as starting:
                time.sleep(self.random.uniform(0, 0.2))
                starting.kill()
        self.server.start()

    def kill_both(self):
        workers = self.workers()
        self.lost += [(time.monotonic(), *one) for one in self.running()]
        self.server.kill()
        for worker in workers:
            self.signal_if_there(worker, signal.SIGKILL)
        self.server.start()

    def drain_server(self):
        self.assertEqual(self.server.stop(), 0)
        self.server.start()

    def stop_server(self):
        """Workers go on and find nobody who reads; nothing is lost."""
        self.server.process.send_signal(signal.SIGSTOP)
        time.sleep(self.random.uniform(0.5, 2))
        self.server.process.send_signal(signal.SIGCONT)

    def stop_workers(self):
        """Every worker stopped, so that what runs now is known to be lost; continued when others have taken over."""
        running, workers = self.running(), self.workers()
        start = time.monotonic()
        for worker in workers:
            self.signal_if_there(worker, signal.SIGSTOP)
        if len(running) == len(workers):
            self.lost += [(start, *one) for one in running]
        while set(workers) & set(self.workers()) and time.monotonic() < start + REPLACED_S:
            self.observe(0.2)
        for worker in workers:
            self.signal_if_there(worker, signal.SIGCONT)

    def faults(self):
        """Rounds of ten, each with every kind; the first eight of the first are the default run."""
        kinds = [self.kill_worker, self.kill_server, self.kill_both, self.kill_starting_servers, self.drain_server,
                 self.stop_server]
        first = kinds + [self.kill_worker, self.stop_workers]
        yield from self.random.sample(first, len(first))
        while True:
            ten = kinds + [self.stop_workers] + self.random.choices(kinds[:3], k=3)
            yield from self.random.sample(ten, len(ten))

    def round(self, fault):
        self.feed()
        self.observe(self.random.uniform(0.2, 2.0))
        fault()

    # ------------------------------------------------------------------------------------------- what must be true

    def check_result(self, job, alone):
        reply = self.server.request("GET", f"/v1/jobs/{job}/result", headers=NPZ)
        self.assertEqual(reply.status, 200, reply.body[:300])
        arrays, expected = reply.npz(), alone[self.history.document[job]]
        self.assertEqual(set(arrays.files), set(expected.files))
        for name in set(arrays.files) - {"summary"}:
            np.testing.assert_array_equal(arrays[name], expected[name], err_msg=f"{job} {name}")

    def check_failure(self, job):
        error = self.history.last[job]["error"]
        self.assertEqual(error["code"], "worker_crashed", error)
        self.assertIn("the last of 3", error["detail"])
        self.assertTrue("killed by signal 9" in error["detail"] or "lost its lease" in error["detail"], error)

    def left_alone(self):
        results = []
        for document in self.documents:
            job = self.server.submit(document)
            done = self.server.wait(job)
            self.assertEqual((done["state"], done["attempt"]), ("succeeded", 1))
            results.append(self.server.request("GET", f"/v1/jobs/{job}/result", headers=NPZ).npz())
        return results

    def events(self, job):
        events, since = [], 0
        while page := self.server.request("GET", f"/v1/jobs/{job}/events?since={since}").json()["events"]:
            events, since = events + page, page[-1]["seq"]
        return events

    def check_lost(self, when, job, attempt):
        check_replacement((when, attempt), self.history.seen[job])

    def check_submitted(self):
        """What was asked for once or more often is there once."""
        listed, cursor = [], ""
        while cursor is not None:
            page = self.server.request("GET", f"/v1/jobs?label=stream:keyed&limit=1000{cursor}").json()
            listed += page["jobs"]
            cursor = page["next_cursor"] and "&cursor=" + page["next_cursor"]
        self.assertEqual(sorted(job["id"] for job in listed), sorted(self.submitter.jobs.values()))
        for job in listed:
            done = self.server.wait(job["id"])
            check_events(self.events(job["id"]))
            self.assertTrue(done["state"] == "succeeded" or done["error"]["code"] == "worker_crashed", done)

    def test_rounds_of_faults_break_no_guarantee(self):
        print(f"seed {SEED}, {ROUNDS} rounds", file=sys.stderr)
        self.submitter.start()
        for _, fault in zip(range(ROUNDS), self.faults()):
            self.round(fault)
        self.submitter.stop()
        self.observe_the_ends()
        alone = self.left_alone()
        ends = {"succeeded": 0, "failed": 0}
        for job, entries in self.history.seen.items():
            check_states(entries, self.server.job(job)["state"])
            check_events(self.events(job))
            ends[entries[-1][1]] += 1
            if entries[-1][1] == "succeeded":
                self.check_result(job, alone)
            else:
                self.check_failure(job)
        for lost in self.lost:
            self.check_lost(*lost)
        self.check_submitted()
        print(f"{ends}, {sum(entries[-1][2] for entries in self.history.seen.values())} attempts, {len(self.submitter.jobs)} "
              f"small jobs, {self.submitter.unanswered} requests without an answer", file=sys.stderr)
        self.assertGreater(ends["succeeded"], 0)


if __name__ == "__main__":
    main()
