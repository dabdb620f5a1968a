"""Worker processes take one job after the other: the same bits whatever came before, and every odd end is theirs alone."""
import json
import os
import random
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

import numpy as np

from harness import BIN, Server, example, is_sanitized, long_job, main, pendulum, soft_arm

NPZ = {"Accept": "application/x-npz"}
TIMES = ("finished_at", "wall_s", "cpu_s", "attempt")
TRIVIAL = {"model": pendulum(), "kind": "statics", "inputs": {"motor": 0.5}}


def started(server, job_id):
    lines = [json.loads(line) for line in server.log().splitlines() if '"job_started"' in line]
    return [line["pid"] for line in lines if line["job"] == job_id]


class Cores(unittest.TestCase):
    def test_there_is_a_worker_for_each_core_that_the_server_may_use(self):
        core = str(min(os.sched_getaffinity(0)))
        server = Server(None, prefix=("taskset", "-c", core), workers=0)
        self.addCleanup(server.close)
        self.assertEqual([node["slots"] for node in server.request("GET", "/v1/nodes").json()["nodes"]], [1])


class SameBits(unittest.TestCase):
    """A fresh process for every job is what `tendril-worker --local` is."""

    @staticmethod
    def jobs():
        """Every kind of job and of robot, shortly; models inline, so that both runs get the same documents."""
        rows, t_end = [], 0.005 if is_sanitized() else 0.02
        for name in ("cdm", "contact", "finray", "parallel", "pcc-chain", "serial", "ur10e-soft-gripper", "uw", "vpcc-pneumatic"):
            job = example(name + ".job.json")
            job.update(model=example(name + ".model.json"), t_end=t_end)
            job["output"] = {**job["output"], "dt": t_end / 4}
            rows.append(job)
        rows.append({"model": soft_arm(order=2), "kind": "statics", "unconverged": "keep", "inputs": {"cable": [0, 5, 1e6, 10]}})  # one fails
        rows.append({"model": soft_arm(order=2), "kind": "linearize", "at": "equilibrium", "inputs": {"cable": 2}})
        return rows

    def alone(self, job):
        with tempfile.TemporaryDirectory() as folder:
            path, out = os.path.join(folder, "job.json"), os.path.join(folder, "out.npz")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(job, file)
            subprocess.run([os.path.join(BIN, "tendril-worker"), "--local", "-", path, "-o", out], check=True)
            return dict(np.load(out, allow_pickle=False))

    @staticmethod
    def facts(archive):
        """The summary without the times, and without the names that only a server knows."""
        summary = json.loads(bytes(archive["summary"]))
        for name in (*TIMES, "model", "job"):
            summary.pop(name, None)
        return summary

    def assert_same(self, one, other):
        self.assertEqual(list(one), list(other))
        for name in set(one) - {"summary"}:
            self.assertEqual((one[name].dtype, one[name].shape), (other[name].dtype, other[name].shape), name)
            self.assertEqual(one[name].tobytes(), other[name].tobytes(), name)
        self.assertEqual(self.facts(one), self.facts(other))

    def test_a_job_has_the_same_bits_in_a_fresh_worker_and_after_any_other(self):
        server = Server()
        self.addCleanup(server.close)
        jobs, order = self.jobs(), random.Random(7)
        fresh = [self.alone(job) for job in jobs]
        queue = [k for _ in range(2) for k in order.sample(range(len(jobs)), len(jobs))]
        ids = [server.submit(jobs[k]) for k in queue]
        for k, job_id in zip(queue, ids):
            self.assertEqual(server.wait(job_id)["state"], "succeeded")
            reply = server.request("GET", f"/v1/jobs/{job_id}/result", headers=NPZ)
            self.assert_same(dict(reply.npz()), fresh[k])
        self.assertEqual(len({pid for job_id in ids for pid in started(server, job_id)}), 1)


class Replaced(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.close)
        self.assertEqual(self.server.request("POST", "/v1/models", soft_arm()).status, 201)

    def run_trivial(self):
        """The process that did it, at once."""
        job_id = self.server.submit(TRIVIAL)
        done = self.server.wait(job_id)
        self.assertEqual((done["state"], done["attempt"]), ("succeeded", 1), done)
        pid, = started(self.server, job_id)
        return pid

    def test_workers_are_as_many_steps_nicer_than_the_server_as_it_is_told(self):
        def niceness(pid):
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                return int(file.read().rsplit(")", 1)[1].split()[16])
        for flags, steps in (((), 10), (("--worker-nice", "3"), 3), (("--worker-nice", "0"), 0)):
            server = Server(None, *flags)
            self.addCleanup(server.kill)
            server.wait(server.submit({"model": soft_arm(), "kind": "statics", "inputs": {"cable": 0}}))
            nice = min(niceness(server.process.pid) + steps, 19)
            self.assertEqual([niceness(pid) for pid in server.workers_running()], [nice])
            server.close()

    def test_a_worker_lost_between_two_jobs_costs_no_attempt(self):
        first = self.run_trivial()
        os.kill(first, signal.SIGKILL)
        while len(self.server.workers_running()) == 1 and open(f"/proc/{first}/stat", encoding="ascii").read().split()[2] != "Z":
            time.sleep(0.01)
        self.assertNotEqual(self.run_trivial(), first)
        self.assertIn('"idle_worker_lost"', self.server.log())

    def test_a_worker_whose_job_failed_or_was_cancelled_is_replaced(self):
        first = self.run_trivial()
        failing = self.server.submit({**TRIVIAL, "max_wall_s": 1e-9})
        self.assertEqual(self.server.wait(failing)["state"], "failed")
        self.assertEqual(started(self.server, failing), [first])
        second = self.run_trivial()
        self.assertNotEqual(first, second)
        cancelled = self.server.submit(long_job("soft", 400))
        self.server.wait_for_progress(cancelled)
        self.server.request("POST", f"/v1/jobs/{cancelled}:cancel")
        self.assertEqual(self.server.wait(cancelled)["state"], "cancelled")
        self.assertEqual(started(self.server, cancelled), [second])
        self.assertNotEqual(self.run_trivial(), second)

    def test_a_stop_waits_for_the_result_that_a_worker_is_done_with(self):
        jobs = [self.server.submit(TRIVIAL) for _ in range(30)]
        while not self.server.job(jobs[4])["state"] == "succeeded":
            pass
        self.assertEqual(self.server.stop(), 0)
        ended = [line for line in self.server.log().splitlines() if '"job_ended"' in line and '"succeeded"' in line]
        self.assertFalse("job_not_settled" in self.server.log())
        self.server.start()
        self.assertNotIn('"job_interrupted"', self.server.log())
        self.assertGreaterEqual(sum(self.server.job(job)["state"] == "succeeded" for job in jobs), len(ended))
        for job in jobs:
            self.assertEqual(self.server.wait(job)["state"], "succeeded")


class Bare:
    """tendril-worker, with the test in the server's place."""

    def __init__(self, memory_mb=0):
        self.folder = tempfile.TemporaryDirectory()
        ours, theirs = socket.socketpair()
        program = (f"import os; os.dup2({theirs.fileno()}, 3); "
                   f"os.execv({os.path.join(BIN, 'tendril-worker')!r}, ['w', '--serve', '{os.getpid()}', '{memory_mb}'])")
        self.process = subprocess.Popen(["/usr/bin/python3", "-c", program], pass_fds=[theirs.fileno()])
        theirs.close()
        self.socket, self.heard, self.turn = ours, b"", 0

    def give(self, job):
        data = json.dumps(job).encode()
        job = b"\x22" + self.varint(len(data)) + data  # Job.job
        job = b"\x1a" + self.varint(len(model := json.dumps(pendulum()).encode())) + model + job  # Job.model
        frame = b"\x0a" + self.varint(len(job)) + job + (b"\x68" + self.varint(self.turn) if self.turn else b"")
        self.turn += 1
        with open(os.path.join(self.folder.name, "result"), "wb") as file:
            socket.send_fds(self.socket, [struct.pack("<I", len(frame)) + frame], [file.fileno()])

    @staticmethod
    def varint(n):
        return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + Bare.varint(n >> 7)

    def frame(self):
        """The next one; b"" at the end of the stream."""
        while len(self.heard) < 4 or len(self.heard) < 4 + struct.unpack("<I", self.heard[:4])[0]:
            piece = self.socket.recv(1 << 16)
            if not piece:
                return b""
            self.heard += piece
        size = 4 + struct.unpack("<I", self.heard[:4])[0]
        frame, self.heard = self.heard[4:size], self.heard[size:]
        return frame

    def done(self):
        """(turn, last) of the Done that ends a job."""
        while True:
            frame = self.frame()
            fields = self.fields(frame)
            if 5 in fields:
                return fields.get(13, 0), bool(self.fields(fields[5]).get(2, 0))
            assert frame and not {6, 7, 11} & set(fields), frame

    @staticmethod
    def fields(data):
        found = {}
        while data:
            key, data = Bare.read(data)
            value, data = Bare.read(data) if key & 7 == 0 else (None, data)
            if key & 7 == 2:
                size, data = Bare.read(data)
                value, data = data[:size], data[size:]
            elif key & 7 == 1:
                data = data[8:]
            found[key >> 3] = value
        return found

    @staticmethod
    def read(data):
        value = shift = 0
        for i, byte in enumerate(data):
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value, data[i + 1:]
        raise AssertionError(data)

    def limit(self):
        """Address space that the process may have, in bytes."""
        with open(f"/proc/{self.process.pid}/limits", encoding="ascii") as file:
            line, = (line for line in file if line.startswith("Max address space"))
        return line.split()[3]

    def close(self):
        self.socket.close()
        code = self.process.wait(30)
        self.folder.cleanup()
        return code


class Alone(unittest.TestCase):
    def test_a_worker_counts_its_jobs_and_says_when_it_has_had_enough(self):
        worker = Bare()
        job = {"kind": "statics", "inputs": {"motor": 0.5}}
        seen = []
        for _ in range(1000):
            worker.give(job)
            seen.append(worker.done())
        self.assertEqual(seen, [(turn, turn == 999) for turn in range(1000)])
        self.assertEqual(worker.close(), 0)

    def test_every_job_of_a_worker_may_take_as_much_memory_as_the_first_one(self):
        worker = Bare(memory_mb=2048)
        limits = []
        for points in (1, 1, 20000, 1):
            worker.give({"kind": "statics", "inputs": {"motor": [0.5] * points}})
            worker.done()
            limits.append(worker.limit())
        self.assertEqual(worker.close(), 0)
        if limits[0] == "unlimited":
            self.skipTest("a sanitized worker has no limit")
        first = int(limits[0])
        self.assertTrue(2048 << 20 < first < 2560 << 20, limits)  # besides what a worker has before its first job
        for limit in limits:
            self.assertTrue(first <= int(limit) <= first + (256 << 20), limits)

    def test_a_worker_that_is_told_nonsense_leaves(self):
        for nonsense in (b"\xff\xff\xff\xff", struct.pack("<I", 2) + b"\x12\x00", struct.pack("<I", 2) + b"\x0a\x00"):
            worker = Bare()  # too long; Cancel in place of a Job; a Job without a file
            worker.socket.sendall(nonsense)
            self.assertEqual(worker.process.wait(30), 3)
            worker.close()


if __name__ == "__main__":
    main()
