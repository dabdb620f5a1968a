"""Rounds of faults while jobs run, and a checker of what clients saw: guarantees 1-4 and 6 of the job service.

A fault is a kill -9 of a random worker, of the server, of both, a SIGTERM, or workers stopped beyond their lease and
continued. Every
state of every job that a client reads is an entry of the history. At the end the checker demands, per job:

  1  acknowledged, never lost, exactly one terminal state, none after it       (also across restarts)
  2  attempts never fall; what a lost attempt sent late changed nothing         (the result is that of its document)
  3  one result, whole, with the bits of the same job left alone
  4  an attempt that was lost is followed by another within 30 s
  6  a crash is tried again, the third is the end and says so; nothing else makes a job fail

TENDRIL_FAULT_ROUNDS sets the number of rounds (20), TENDRIL_FAULT_SEED repeats a run.
"""
import os
import random
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

import numpy as np  # noqa: E402
from harness import Server, long_job, main, soft_arm  # noqa: E402

ROUNDS = int(os.environ.get("TENDRIL_FAULT_ROUNDS", "20"))
SEED = int(os.environ.get("TENDRIL_FAULT_SEED", str(random.randrange(1 << 30))))
TERMINAL = ("succeeded", "failed", "cancelled")
WORKERS, JOBS_IN_FLIGHT, REPLACED_S = 2, 5, 30
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


def check_states(entries, now):
    """Guarantees 1 and 2 and the transition table, as far as a client can see: `now` is the state at the very end."""
    ends = [entry for entry in entries if entry[1] in TERMINAL]
    assert len(ends) == 1 and entries[-1] == ends[0] and now == ends[0][1], (now, entries)
    attempts = [attempt for _, _, attempt in entries]
    assert attempts == sorted(attempts), entries


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


class Faults(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(SEED)
        self.server = Server(workers=WORKERS)
        self.addCleanup(self.server.close)
        self.assertEqual(self.server.request("POST", "/v1/models", soft_arm()).status, 201)
        self.history, self.documents, self.lost = History(), documents(), []

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

    def running(self):
        """(job, attempt) that clients see running."""
        jobs = [self.server.job(job) for job in self.history.open_jobs()]
        return [(job["id"], job["attempt"]) for job in jobs if job["state"] == "running"]

    def workers(self):
        return self.server.workers_running()

    def kill_worker(self):
        for worker in self.workers()[:1]:
            os.kill(worker, signal.SIGKILL)

    def kill_server(self):
        self.lost += [(time.monotonic(), *one) for one in self.running()]
        self.server.kill()
        self.server.start()

    def kill_both(self):
        workers = self.workers()
        self.lost += [(time.monotonic(), *one) for one in self.running()]
        self.server.kill()
        for worker in workers:
            try:
                os.kill(worker, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.server.start()

    def drain_server(self):
        self.assertEqual(self.server.stop(), 0)
        self.server.start()

    def stop_worker(self):
        """Every worker stopped, so that what runs now is known to be lost; continued when others have taken over."""
        running, workers = self.running(), self.workers()
        start = time.monotonic()
        for worker in workers:
            os.kill(worker, signal.SIGSTOP)
        if len(running) == len(workers):
            self.lost += [(start, *one) for one in running]
        while set(workers) & set(self.workers()) and time.monotonic() < start + REPLACED_S:
            self.observe(0.2)
        for worker in workers:
            try:
                os.kill(worker, signal.SIGCONT)
            except ProcessLookupError:
                pass

    def round(self, number):
        self.feed()
        self.observe(self.random.uniform(0.2, 2.0))
        faults = [self.kill_worker] * 4 + [self.kill_server] * 2 + [self.kill_both] * 2 + [self.drain_server]
        fault = self.stop_worker if number % 10 == 5 else self.random.choice(faults)
        try:
            fault()
        except ProcessLookupError:
            pass  # the worker had just finished

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

    def test_rounds_of_faults_break_no_guarantee(self):
        print(f"seed {SEED}, {ROUNDS} rounds", file=sys.stderr)
        for number in range(ROUNDS):
            self.round(number)
        end = time.monotonic() + 240
        while self.history.open_jobs() and time.monotonic() < end:
            self.observe(0.2)
        alone = self.left_alone()
        ends = {"succeeded": 0, "failed": 0}
        for job, entries in self.history.seen.items():
            check_states(entries, self.server.job(job)["state"])
            ends[entries[-1][1]] += 1
            if entries[-1][1] == "succeeded":
                self.check_result(job, alone)
            else:
                self.check_failure(job)
        for when, job, attempt in self.lost:
            check_replacement((when, attempt), self.history.seen[job])
        print(f"{ends}, {sum(entries[-1][2] for entries in self.history.seen.values())} attempts", file=sys.stderr)
        self.assertGreater(ends["succeeded"], 0)


if __name__ == "__main__":
    main()
